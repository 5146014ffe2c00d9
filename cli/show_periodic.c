/* The table of multipliers. */
#include "list.h"
#include "show.h"

enum { WIDTH = 80, BEFORE = 48 }; /* of the terminal; columns in front of the last */

/* An analysis starts its list anew. */
void multipliers_add(void *list, const limber_multiplier *multiplier)
{
    multiplier_list *l = list;
    if (multiplier->number == 1) l->n = 0;
    limber_multiplier *at = list_grow(l->at, l->n, &l->room, sizeof *at);
    l->failed |= !at;
    if (!at) return;
    l->at = at;
    l->at[l->n++] = *multiplier;
}

static const char *verdict(const limber_summary *s)
{
    return s->stability < 0 ? "stable" : s->stability > 0 ? "unstable" : "marginal";
}

void show_periodic(FILE *out, const limber_summary *s, const multiplier_list *list)
{
    if (!(s->period > 0)) return;
    if (s->multipliers)
        fprintf(out, "periodic: T = %.6g, %d multipliers, %s, %d period%s run\n", s->period,
                s->multipliers, verdict(s), s->cycles, s->cycles == 1 ? "" : "s");
    else
        fprintf(out, "periodic: T = %.6g, nothing can deviate from it\n", s->period);
    if (list->n) fprintf(out, "      multiplier               modulus    growth  moves most\n");
    for (int i = 0; i < list->n; i++) {
        const limber_multiplier *m = &list->at[i];
        char imaginary[24] = "";
        if (m->imaginary > 0) snprintf(imaginary, sizeof imaginary, "+- %.5fi", m->imaginary);
        fprintf(out, "%4d  %10.5f %-12s %8.5f  %8.3g  %.*s\n", m->number, m->real, imaginary,
                m->modulus, m->growth, WIDTH - BEFORE, m->moves);
    }
    if (list->failed) fprintf(out, "(there was no memory for the others)\n");
    fflush(out);
}

void show_periodic_json(FILE *out, const limber_summary *s, const multiplier_list *list)
{
    if (!(s->period > 0)) return;
    json_number(out, "period", s->period);
    fprintf(out, ", \"cycles\": %d, \"stability\": \"%s\", \"multipliers\": [", s->cycles,
            verdict(s));
    for (int i = 0; i < list->n; i++) {
        const limber_multiplier *m = &list->at[i];
        fprintf(out, "%s{\"multiplier\": %d", i ? ", " : "", m->number);
        json_number(out, "real", m->real);
        json_number(out, "imaginary", m->imaginary);
        json_number(out, "modulus", m->modulus);
        json_number(out, "growth", m->growth);
        json_number(out, "omega", m->omega);
        fprintf(out, ", \"moves\": ");
        json_text(out, m->moves);
        fputc('}', out);
    }
    fputc(']', out);
}
