/* What `limber compare` prints. */
#include "compare.h"

#include "show.h"

#include <string.h>

static const differences none;

static const differences *from_reference(const comparison *c, int k)
{
    const differences *l = comparison_pair(c, c->reference, k);
    return l ? l : &none;
}

static void show_job(FILE *out, const job *j, const differences *l, int is_reference)
{
    const limber_difference *worst = differences_worst(l);
    char text[32];
    fprintf(out, "  %-16s", j->formulation);
    if (j->why[0]) {
        const char *what = j->sum.status == LIMBER_STOPPED ? "stopped:" : "does not apply:";
        show_wrapped(out, j->why, 18 + fprintf(out, "%s", what), 18);
        return;
    }
    fprintf(out, "%8d %8ld %8.3g s  ", j->sum.unknowns, j->sum.steps, j->sum.seconds);
    if (is_reference)
        fprintf(out, "%8s", "reference");
    else if (worst) {
        fprintf(out, "%8s %% in %s", in_percent(difference_part(worst), text, sizeof text),
                worst->output);
    } else
        fprintf(out, "nothing to compare");
    fprintf(out, "\n");
}

/* The list with the most outputs names the rows. */
static const differences *longest(const comparison *c)
{
    const differences *most = &none;
    for (int k = 0; k < c->n; k++)
        if (from_reference(c, k)->n > most->n) most = from_reference(c, k);
    return most;
}

static int has_column(const comparison *c, int k)
{
    return k != c->reference && !c->jobs[k].why[0];
}

static void show_outputs(FILE *out, const comparison *c)
{
    const differences *rows = longest(c);
    const char *analysis = "";
    char text[32];
    if (rows->n == 0) return;
    fprintf(out, "\nlargest difference, %% of the range or size of each output\n%-24s", "");
    for (int k = 0; k < c->n; k++)
        if (has_column(c, k)) fprintf(out, " %13s", c->jobs[k].formulation);
    fprintf(out, "\n");
    for (int i = 0; i < rows->n; i++) {
        if (strcmp(analysis, rows->at[i].analysis) != 0)
            fprintf(out, "%s\n", analysis = rows->at[i].analysis);
        fprintf(out, "  %-22.60s", rows->at[i].output);
        for (int k = 0; k < c->n; k++) {
            if (!has_column(c, k)) continue;
            const limber_difference *d = differences_find(from_reference(c, k), &rows->at[i]);
            fprintf(out, " %13s", d ? in_percent(difference_part(d), text, sizeof text) : "-");
        }
        fprintf(out, "\n");
    }
}

static int is_notable(const comparison *c, int k)
{
    const limber_difference *d = differences_worst(from_reference(c, k));
    return has_column(c, k) && d && !(difference_part(d) < NOTABLE);
}

/* Runs with the same elements that are at the same place are one. */
static int is_like(const comparison *c, int k, int other)
{
    const piece *p = pieces_main(&c->pieces);
    int a = formulation_number(c->jobs[k].formulation),
        b = formulation_number(c->jobs[other].formulation);
    double off = difference_part(differences_worst(from_reference(c, k)));
    return p && p->bends && p->voice[a] == p->voice[b] &&
           comparison_distance(c, k, other) < 0.1 * off;
}

static int is_said(const comparison *c, int k)
{
    for (int i = 0; i < k; i++)
        if (is_notable(c, i) && is_like(c, k, i)) return 1;
    return 0;
}

static void show_explanations(FILE *out, const comparison *c)
{
    int shown = 0;
    for (int k = 0; k < c->n; k++) {
        explanation x;
        char names[100];
        if (!is_notable(c, k) || is_said(c, k)) continue;
        int used = snprintf(names, sizeof names, "%s", c->jobs[k].formulation);
        for (int i = k + 1; i < c->n; i++)
            if (is_notable(c, i) && is_like(c, i, k))
                used += snprintf(names + used, sizeof names - (size_t)used, ", %s",
                                 c->jobs[i].formulation);
        explain(&c->jobs[c->reference], &c->jobs[k], from_reference(c, k), &x);
        if (!shown++) fprintf(out, "\nwhy they differ, by what each run estimates itself\n");
        show_explanation(out, names, &x);
    }
}

static void show_reference(FILE *out, const comparison *c)
{
    int column = fprintf(out, "\nreference: %s.", c->jobs[c->reference].formulation) - 1;
    show_wrapped(out, c->why, column, 2);
}

/* All runs have the same superelements: what those are off shows in no difference. */
static void show_range(FILE *out, double part)
{
    char text[32];
    if (part < 1e-3) return;
    fprintf(out, "In all runs superelements are about %s %% off by their own estimate.\n",
            in_percent(part, text, sizeof text));
}

void show_comparison(FILE *out, const comparison *c)
{
    fprintf(out, "  %-16s%8s %8s %10s  %s\n", "formulation", "unknowns", "steps", "time",
            "largest difference");
    for (int k = 0; k < c->n; k++)
        show_job(out, &c->jobs[k], from_reference(c, k), k == c->reference);
    if (c->jobs[c->reference].why[0]) return;
    show_outputs(out, c);
    show_reference(out, c);
    show_explanations(out, c);
    show_shared(out, &c->pieces, c->jobs, c->n);
    show_range(out, c->jobs[c->reference].sum.range_error);
}

/* ---- JSON ---- */

static void show_differences_json(FILE *out, const differences *l)
{
    fprintf(out, ", \"differences\": [");
    for (int i = 0; i < l->n; i++) {
        const limber_difference *d = &l->at[i];
        fprintf(out, "%s{\"analysis\": ", i ? ", " : "");
        json_text(out, d->analysis);
        fprintf(out, ", \"output\": ");
        json_text(out, d->output);
        json_number(out, "scale", d->scale);
        json_number(out, "largest", d->largest);
        json_number(out, "at", d->at);
        json_number(out, "rms", d->rms);
        fprintf(out, ", \"rows\": %ld}", d->rows);
    }
    fprintf(out, "]");
}

static void show_job_json(FILE *out, const comparison *c, int k)
{
    const job *j = &c->jobs[k];
    fprintf(out, "%s{\"name\": \"%s\", \"reason\": ", k ? ", " : "", j->formulation);
    json_text(out, j->why);
    json_number(out, "unknowns", j->sum.unknowns);
    json_number(out, "steps", (double)j->sum.steps);
    json_number(out, "seconds", j->sum.seconds);
    show_differences_json(out, from_reference(c, k));
    if (is_notable(c, k)) {
        explanation x;
        explain(&c->jobs[c->reference], j, from_reference(c, k), &x);
        show_explanation_json(out, &x);
    }
    limber_messages *said = jobs_messages(j);
    show_messages_json(out, said);
    limber_messages_free(said);
    fprintf(out, "}");
}

void show_comparison_json(FILE *out, const comparison *c)
{
    fprintf(out, "{\"reference\": \"%s\", \"why\": ", c->jobs[c->reference].formulation);
    json_text(out, c->why);
    fprintf(out, ", \"formulations\": [");
    for (int k = 0; k < c->n; k++) show_job_json(out, c, k);
    fprintf(out, "]");
    show_shared_json(out, &c->pieces, c->jobs, c->n);
    json_number(out, "superelements", c->jobs[c->reference].sum.range_error);
    fprintf(out, "}\n");
}
