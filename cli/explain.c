/* Why a run differs from the reference: what each of them leaves out, and how much that should count here. */
#include "compare.h"

#include "show.h"

#include <string.h>

#define ORDER  3.0 /* estimates are of the order of what they estimate */
#define COUNTS 0.1 /* of the difference: below, an effect is not named */

/* Both leave it out: it makes no difference between them. */
static int has(const job *j, const limber_effect *e)
{
    for (int i = 0; i < j->neffects; i++)
        if (!strcmp(j->effect[i].analysis, e->analysis) && !strcmp(j->effect[i].what, e->what) &&
            !strcmp(j->effect[i].on, e->on) && !strcmp(j->effect[i].output, e->output))
            return 1;
    return 0;
}

static double part_of(const limber_effect *e, const limber_difference *d)
{
    if (strcmp(e->analysis, d->analysis) != 0) return 0;
    if (!e->output[0]) return e->size;
    return strcmp(e->output, d->output) == 0 && d->scale > 0 ? e->size / d->scale : 0;
}

static void insert(explanation *x, const limber_effect *e, const job *of, double part)
{
    int k = x->n < EFFECTS ? x->n++ : EFFECTS - 1;
    for (; k > 0 && x->part[k - 1] < part; k--) {
        x->effect[k] = x->effect[k - 1];
        x->of[k] = x->of[k - 1];
        x->part[k] = x->part[k - 1];
    }
    x->effect[k] = e, x->of[k] = of, x->part[k] = part;
}

static void collect(const job *of, const job *against, explanation *x)
{
    for (int i = 0; i < of->neffects; i++) {
        const limber_effect *e = &of->effect[i];
        double part = has(against, e) ? 0 : part_of(e, x->worst);
        x->expected += part;
        if (part > COUNTS * difference_part(x->worst)) insert(x, e, of, part);
    }
}

void explain(const job *reference, const job *other, const differences *l, explanation *x)
{
    memset(x, 0, sizeof *x);
    x->worst = differences_worst(l);
    if (!x->worst) return;
    x->reference = reference;
    collect(other, reference, x);
    collect(reference, other, x);
    x->explained = ORDER * x->expected >= difference_part(x->worst);
}

/* A long text on lines of its own, from a column on. */
void show_wrapped(FILE *out, const char *text, int column, int indent)
{
    for (const char *p = text; *p;) {
        int n = (int)strcspn(p, " ");
        if (column + 1 + n > 79)
            column = fprintf(out, "\n%*s", indent, "") - 1;
        else
            column += fprintf(out, " ");
        column += fprintf(out, "%.*s", n, p);
        p += n + (int)strspn(p + n, " ");
    }
    fprintf(out, "\n");
}

static void show_effect(FILE *out, const explanation *x, int i)
{
    char text[240], part[32];
    const limber_effect *e = x->effect[i];
    in_percent(x->part[i], part, sizeof part);
    snprintf(text, sizeof text, "%s%s%s%s", e->what, e->on[0] ? ", " : "", e->on,
             x->of[i] == x->reference ? " (in the reference)" : "");
    show_wrapped(out, text, fprintf(out, "    about %s %% by leaving out", part), 6);
}

void show_explanation(FILE *out, const char *name, const explanation *x)
{
    char text[32];
    fprintf(out, "  %s: %s %% in %s", name,
            in_percent(difference_part(x->worst), text, sizeof text), x->worst->output);
    if (x->worst->rows > 1) fprintf(out, " at %.4g", x->worst->at);
    fprintf(out, x->explained ? "\n" : x->n ? ", explained in part\n" : ", not explained\n");
    for (int i = 0; i < x->n && i < 3; i++) show_effect(out, x, i);
}

void show_explanation_json(FILE *out, const explanation *x)
{
    fprintf(out, ", \"explanation\": {\"output\": ");
    json_text(out, x->worst->output);
    json_number(out, "difference", difference_part(x->worst));
    json_number(out, "expected", x->expected);
    fprintf(out, ", \"explained\": %s, \"effects\": [", x->explained ? "true" : "false");
    for (int i = 0; i < x->n; i++) {
        fprintf(out, "%s{\"what\": ", i ? ", " : "");
        json_text(out, x->effect[i]->what);
        fprintf(out, ", \"on\": ");
        json_text(out, x->effect[i]->on);
        fprintf(out, ", \"of\": \"%s\"", x->of[i]->sum.formulation);
        json_number(out, "size", x->part[i]);
        fprintf(out, "}");
    }
    fprintf(out, "]}");
}
