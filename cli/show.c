#include "show.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 79 }; /* of the progress line: one that wraps cannot be rewritten */

static void duration(double s, char *text, size_t size)
{
    if (s < 99.5)
        snprintf(text, size, "%.0f s", s);
    else if (s < 100 * 3600.0)
        snprintf(text, size, "%d:%02d:%02d", (int)(s / 3600), (int)(s / 60) % 60, (int)s % 60);
    else
        snprintf(text, size, "%.3g days", s / 86400);
}

void show_progress(const limber_progress *p)
{
    char line[WIDTH + 1], left[40];
    if (!(p->until > 0)) return; /* no way to tell how far it is */
    double part = p->t / p->until;
    duration(part > 0 ? p->elapsed * (1 - part) / part : 0, left, sizeof left);
    int n = snprintf(line, sizeof line,
                     "%3.0f %%  t = %.4g of %.4g  step %.2g  %ld steps  %.0f/s  %s to go",
                     floor(100 * part), p->t, p->until, p->step, p->steps,
                     p->elapsed > 0 ? (double)p->steps / p->elapsed : 0, part > 0 ? left : "?");
    fprintf(stderr, "\r\033[K%s", n > 0 ? line : "");
    fflush(stderr);
}

void show_early(const limber_message *m)
{
    fprintf(stderr, "\r\033[Kwarning: %s\n", m->text);
    fflush(stderr);
}

void show_progress_end(void)
{
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
}

void show_summary(FILE *out, const limber_summary *s, const char *results)
{
    if (strcmp(s->analysis, "statics") == 0)
        fprintf(out, "statics: load factor %.4g, %ld iterations, %.3g s\n", s->t, s->iterations,
                s->seconds);
    else
        fprintf(out,
                "%s: t = %.6g, %ld steps (%ld rejected, %ld iterations), %.3g s\n"
                "energy balance %.1e, constraints %.1e, steps %.2g to %.2g, %s\n",
                s->analysis, s->t, s->steps, s->rejected, s->iterations, s->seconds,
                s->energy_error, s->constraint_error, s->smallest_step, s->largest_step, s->method);
    if (s->events)
        fprintf(out, "%ld event%s at which forces change their branch\n", s->events,
                s->events == 1 ? "" : "s");
    if (s->rows && !(s->status == LIMBER_IO && s->reason[0])) /* else the file has fewer */
        fprintf(out, "%ld row%s in %s\n", s->rows, s->rows == 1 ? "" : "s", results);
    fflush(out);
}

void show_open(FILE *out, const char *html)
{
    if (strcmp(html, "-") != 0) fprintf(out, "open %s in a browser\n", html);
}

void show_reason(FILE *out, const limber_summary *s, const char *results)
{
    if (s->status == LIMBER_OK || !s->reason[0]) return;
    if (s->status == LIMBER_INTERRUPTED)
        fprintf(out, "limber: %s; continue with --resume\n", s->reason);
    else if (s->status == LIMBER_STOPPED)
        fprintf(out, "limber: stopped%s%s\n", strncmp(s->reason, "at ", 3) == 0 ? " " : ": ",
                s->reason);
    else
        fprintf(out, "limber: %s\n", s->reason);
    if (s->status == LIMBER_STOPPED && s->rows)
        fprintf(out, "        what was computed is in %s\n", results);
    if (s->status == LIMBER_IO && s->steps)
        fprintf(out, "        what was written before is in %s; make room and use --resume\n",
                results);
}

void show_summary_json(FILE *out, const limber_summary *s)
{
    fprintf(out, ", \"analysis\": \"%s\", \"formulation\": \"%s\", \"method\": \"%s\"", s->analysis,
            s->formulation, s->method);
    json_number(out, "t", s->t);
    fprintf(out,
            ", \"steps\": %ld, \"rejected\": %ld, \"iterations\": %ld, \"jacobians\": %ld, "
            "\"rows\": %ld",
            s->steps, s->rejected, s->iterations, s->jacobians, s->rows);
    if (s->events) fprintf(out, ", \"events\": %ld", s->events);
    json_number(out, "smallest_step", s->smallest_step);
    json_number(out, "largest_step", s->largest_step);
    json_number(out, "energy_error", s->energy_error);
    json_number(out, "constraint_error", s->constraint_error);
}

void show_profile(FILE *out, const limber_summary *s)
{
    const struct {
        const char *name;
        double t;
    } phase[] = {{"residual", s->phase_residual},
                 {"jacobian", s->phase_jacobian},
                 {"factor", s->phase_factor},
                 {"solve", s->phase_solve},
                 {"output", s->phase_output}};
    double sum = 0;
    for (int i = 0; i < 5; i++) {
        fprintf(out, "  %-9s %9.4f s  %5.1f %%\n", phase[i].name, phase[i].t,
                s->seconds > 0 ? 100 * phase[i].t / s->seconds : 0);
        sum += phase[i].t;
    }
    fprintf(out, "  %-9s %9.4f s  %5.1f %%\n", "other", s->seconds - sum,
            s->seconds > 0 ? 100 * (s->seconds - sum) / s->seconds : 0);
}

static void count(FILE *out, int n, const char *one, const char *many, const char *after)
{
    fprintf(out, "%d %s%s", n, n == 1 ? one : many, after);
}

void show_check(FILE *out, const limber_model *m, const limber_check_info *i, limber_status st)
{
    const char *title = limber_model_title(m);
    for (; *title; title++) fputc((unsigned char)*title < 0x20 ? ' ' : *title, out);
    if (limber_model_title(m)[0]) fputc('\n', out);
    count(out, i->bodies, "body", "bodies", ", ");
    count(out, i->joints, "joint", "joints", ", ");
    count(out, i->forces, "force", "forces", ", ");
    count(out, i->loads, "load", "loads", ", ");
    count(out, i->outputs, "output", "outputs", ", ");
    count(out, i->analyses, "analysis", "analyses", "\n");
    if (i->mechanics)
        fprintf(out, "%d unknowns, %d constraints (%d redundant), mobility %d\n", i->unknowns,
                i->constraints, i->redundant, i->mobility);
    if (i->variables)
        fprintf(out, "%d variable%s (%d state%s)\n", i->variables, i->variables == 1 ? "" : "s",
                i->states, i->states == 1 ? "" : "s");
    if (st == LIMBER_OK)
        fprintf(out, i->analyses ? "the model is ready to run\n"
                                 : "the model is right; it has no 'analysis' to run\n");
}

void show_check_json(FILE *out, const limber_check_info *i, limber_status st,
                     const limber_messages *msg)
{
    fprintf(out,
            "{\"status\": %d, \"bodies\": %d, \"joints\": %d, \"forces\": %d, \"loads\": %d, "
            "\"outputs\": %d, \"analyses\": %d, \"unknowns\": %d, \"constraints\": %d, "
            "\"redundant\": %d, \"mobility\": %d, \"variables\": %d, \"states\": %d",
            (int)st, i->bodies, i->joints, i->forces, i->loads, i->outputs, i->analyses,
            i->unknowns, i->constraints, i->redundant, i->mobility, i->variables, i->states);
    show_messages_json(out, msg);
    fprintf(out, "}\n");
}
