/* The tables of modes and of poles. */
#include "list.h"
#include "show.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 80, BEFORE = 41 }; /* of the terminal; columns in front of the last */

static const char *const directions[] = {"x", "y", "z", "rx", "ry", "rz"};

/* An analysis starts its list anew. */
void modes_add(void *list, const limber_mode *mode)
{
    mode_list *l = list;
    if (mode->number == 1) l->n = 0;
    limber_mode *at = list_grow(l->at, l->n, &l->room, sizeof *at);
    l->failed |= !at;
    if (!at) return;
    l->at = at;
    l->at[l->n++] = *mode;
}

/* Damping in percent; of a mode that does not vibrate the rate of its exponential. */
static void damping(const limber_mode *m, char *text, size_t size)
{
    double percent = fabs(m->damping_ratio) < 1e-12 ? 0 : 100 * m->damping_ratio;
    if (m->kind == LIMBER_MODE_RIGID)
        snprintf(text, size, "rigid");
    else if (m->kind == LIMBER_MODE_VIBRATES)
        snprintf(text, size, "%.3g %%", percent);
    else
        snprintf(text, size, "%+.3g /s", m->real);
}

/* The direction in which most of the mass goes along, in percent. */
static void direction(const limber_mode *m, const limber_summary *s, char *text, size_t size)
{
    int best = -1;
    double most = 0.005; /* shown as whole percents */
    for (int d = 0; d < 6; d++) {
        double part = s->total_mass[d] > 0 ? m->effective_mass[d] / s->total_mass[d] : 0;
        if (part > most * (1 + 1e-6)) most = part, best = d;
    }
    if (best < 0)
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%-2s %3.0f %%", directions[best], 100 * most);
}

static double largest(const double *x) { return fmax(fmax(x[0], x[1]), x[2]); }

static void captured(FILE *out, const limber_summary *s)
{
    const char *before = "mass that takes part:";
    for (int d = 0; d < 6; d++) {
        if (!(s->total_mass[d] > 1e-12 * largest(s->total_mass + d / 3 * 3))) continue;
        fprintf(out, "%s %s %.0f %%", before, directions[d],
                100 * s->captured_mass[d] / s->total_mass[d]);
        before = ",";
    }
    if (*before == ',') fputc('\n', out);
}

/* Method and time are those of the last analysis. */
static void headline(FILE *out, const limber_summary *s)
{
    const char *all = s->modes && s->modes == s->modes_available ? " (all)" : "";
    fprintf(out, "modes: %d%s about the %s", s->modes, all,
            s->about_statics ? "static equilibrium" : "initial state");
    if (strcmp(s->analysis, "modes") == 0) fprintf(out, ", %s, %.3g s", s->method, s->seconds);
    fputc('\n', out);
}

void show_modes(FILE *out, const limber_summary *s, const mode_list *modes, const char *results)
{
    headline(out, s);
    if (modes->n) fprintf(out, "mode  frequency Hz    damping  mass      moves most\n");
    for (int i = 0; i < modes->n; i++) {
        const limber_mode *m = &modes->at[i];
        char how[24], where[24];
        damping(m, how, sizeof how);
        direction(m, s, where, sizeof where);
        fprintf(out, "%4d  %12.6g  %9s  %-8s  %.*s\n", m->number, m->frequency, how, where,
                WIDTH - BEFORE, m->moves);
    }
    if (modes->failed) fprintf(out, "(there was no memory for the others)\n");
    if (modes->n) captured(out, s);
    if (s->modes) fprintf(out, "%d mode%s in %s\n", s->modes, s->modes == 1 ? "" : "s", results);
    fflush(out);
}

/* ---- linearised models ---- */

enum { SHOWN = 20, BEFORE_STATE = 31 }; /* poles; columns in front of the last */

static void counted(FILE *out, int n, const char *what, const char *end)
{
    fprintf(out, "%d %s%s%s", n, what, n == 1 ? "" : "s", end);
}

void show_linearized(FILE *out, const limber_summary *s, const mode_list *poles,
                     const char *results)
{
    fprintf(out, "linearize: ");
    counted(out, s->states, "state", ", ");
    counted(out, s->inputs, "input", ", ");
    counted(out, s->outputs, "output", " about the ");
    if (s->linearized_at_rest)
        fprintf(out, "static equilibrium");
    else
        fprintf(out, "state at t = %.6g", s->linearized_at);
    if (strcmp(s->analysis, "linearize") == 0) fprintf(out, ", %.3g s", s->seconds);
    fputc('\n', out);
    if (poles->n) fprintf(out, "pole  frequency Hz    damping  moves most\n");
    for (int i = 0; i < poles->n && i < SHOWN; i++) {
        const limber_mode *m = &poles->at[i];
        char how[24];
        damping(m, how, sizeof how);
        fprintf(out, "%4d  %12.6g  %9s  %.*s\n", m->number, m->frequency, how, WIDTH - BEFORE_STATE,
                m->moves);
    }
    if (poles->failed) fprintf(out, "(there was no memory for the others)\n");
    if (poles->n > SHOWN) fprintf(out, "and %d more\n", poles->n - SHOWN);
    if (s->states) fprintf(out, "matrices in %s\n", results);
    fflush(out);
}

static void json_mode(FILE *out, const char *name, const limber_mode *m)
{
    static const char *const kind[] = {"vibrates", "rigid", "grows", "decays"};
    fprintf(out, "{\"%s\": %d, \"kind\": \"%s\"", name, m->number, kind[m->kind]);
    json_number(out, "frequency", m->frequency);
    json_number(out, "omega", m->omega);
    json_number(out, "damping_ratio", m->damping_ratio);
    json_number(out, "real", m->real);
    json_number(out, "imaginary", m->imaginary);
}

void show_linearized_json(FILE *out, const limber_summary *s, const mode_list *poles)
{
    fprintf(out, ", \"states\": %d, \"inputs\": %d, \"outputs\": %d, \"poles\": [", s->states,
            s->inputs, s->outputs);
    for (int i = 0; i < poles->n; i++) {
        if (i) fprintf(out, ", ");
        json_mode(out, "pole", &poles->at[i]);
        fprintf(out, ", \"moves\": ");
        json_text(out, poles->at[i].moves);
        fputc('}', out);
    }
    fputc(']', out);
}

/* ---- modes for scripts ---- */

static void numbers(FILE *out, const char *name, const double x[6])
{
    fprintf(out, ", \"%s\": [", name);
    for (int d = 0; d < 6; d++) fprintf(out, "%s%.17g", d ? ", " : "", x[d]);
    fputc(']', out);
}

void show_modes_json(FILE *out, const limber_summary *s, const mode_list *modes)
{
    fprintf(out, ", \"about\": \"%s\"", s->about_statics ? "statics" : "initial");
    if (s->modes_available >= 0) fprintf(out, ", \"modes_available\": %d", s->modes_available);
    numbers(out, "total_mass", s->total_mass);
    numbers(out, "captured_mass", s->captured_mass);
    fprintf(out, ", \"modes\": [");
    for (int i = 0; i < modes->n; i++) {
        const limber_mode *m = &modes->at[i];
        if (i) fprintf(out, ", ");
        json_mode(out, "mode", m);
        numbers(out, "participation", m->participation);
        numbers(out, "effective_mass", m->effective_mass);
        fprintf(out, ", \"moves\": ");
        json_text(out, m->moves);
        fputc('}', out);
    }
    fputc(']', out);
}
