/* The branches and critical speeds of a Campbell diagram. */
#include "list.h"
#include "show.h"

#include <math.h>

enum { SHOWN = 20 };

/* An analysis starts its lists anew. */
void branches_add(void *list, const limber_branch *branch)
{
    campbell_list *l = list;
    if (branch->number == 1) l->nbranches = l->ncritical = 0;
    limber_branch *at = list_grow(l->branch, l->nbranches, &l->branch_room, sizeof *at);
    l->failed |= !at;
    if (!at) return;
    l->branch = at;
    l->branch[l->nbranches++] = *branch;
}

void critical_add(void *list, const limber_critical *critical)
{
    campbell_list *l = list;
    limber_critical *at = list_grow(l->critical, l->ncritical, &l->critical_room, sizeof *at);
    l->failed |= !at;
    if (!at) return;
    l->critical = at;
    l->critical[l->ncritical++] = *critical;
}

static const char *whirl(double w) { return w > 0.05 ? "forward" : w < -0.05 ? "backward" : "-"; }

/* Of the last speed at which the branch is there. */
static int last_known(const limber_branch *b)
{
    for (int k = 2; k >= 0; k--)
        if (isfinite(b->frequency[k])) return k;
    return -1;
}

static void number(FILE *out, double x)
{
    if (isfinite(x))
        fprintf(out, "%13.6g", x);
    else
        fprintf(out, "%13s", "-");
}

static void one_branch(FILE *out, const limber_branch *b)
{
    int k = last_known(b);
    double damping = k < 0 ? 0 : 100 * b->damping_ratio[k];
    fprintf(out, "%6d", b->number);
    for (int i = 0; i < 3; i++) number(out, b->frequency[i]);
    if (k < 0) {
        fprintf(out, "             between these\n");
        return;
    }
    fprintf(out, "%11.3g %%  %s\n", fabs(damping) < 1e-10 ? 0 : damping, whirl(b->whirl[k]));
}

void show_campbell(FILE *out, const limber_summary *s, const campbell_list *l, const char *results)
{
    const char *all = s->branches && s->branches == s->roots_available ? " (all)" : "";
    fprintf(out, "campbell: %d branches%s at %d speeds, %s axes, %s, %.3g s\n", s->branches, all,
            s->speeds, s->frame, s->formulation, s->seconds);
    if (l->nbranches) {
        const double *w = l->branch[0].speed;
        fprintf(out, "branch  frequency Hz at speed                  damping    whirl\n");
        fprintf(out, "      %13.6g%13.6g%13.6g  at the last\n", w[0], w[1], w[2]);
    }
    for (int i = 0; i < l->nbranches && i < SHOWN; i++) one_branch(out, &l->branch[i]);
    if (l->failed) fprintf(out, "(there was no memory for the others)\n");
    if (l->nbranches > SHOWN) fprintf(out, "and %d more\n", l->nbranches - SHOWN);
    for (int i = 0; i < l->ncritical && i < SHOWN; i++) {
        const limber_critical *c = &l->critical[i];
        fprintf(out, "critical speed %.8g rad/s (%.6g Hz), branch %d, %s\n", c->speed, c->frequency,
                c->branch, whirl(c->whirl));
    }
    if (!l->ncritical) fprintf(out, "no critical speed\n");
    if (isfinite(s->unstable_from))
        fprintf(out, "unstable from speed %.6g to %.6g\n", s->unstable_from, s->unstable_to);
    fprintf(out, "%ld rows in %s\n", s->rows, results);
}

static void json_three(FILE *out, const char *name, const double x[3])
{
    fprintf(out, ", \"%s\": [", name);
    for (int i = 0; i < 3; i++)
        isfinite(x[i]) ? fprintf(out, "%s%.17g", i ? ", " : "", x[i])
                       : fprintf(out, "%snull", i ? ", " : "");
    fprintf(out, "]");
}

void show_campbell_json(FILE *out, const limber_summary *s, const campbell_list *l)
{
    fprintf(out, ", \"frame\": \"%s\", \"speeds\": %d, \"branches\": [", s->frame, s->speeds);
    for (int i = 0; i < l->nbranches; i++) {
        const limber_branch *b = &l->branch[i];
        fprintf(out, "%s{\"branch\": %d", i ? ", " : "", b->number);
        json_three(out, "speed", b->speed);
        json_three(out, "frequency", b->frequency);
        json_three(out, "damping_ratio", b->damping_ratio);
        json_three(out, "whirl", b->whirl);
        fprintf(out, "}");
    }
    fprintf(out, "], \"critical_speeds\": [");
    for (int i = 0; i < l->ncritical; i++) {
        const limber_critical *c = &l->critical[i];
        fprintf(out, "%s{\"branch\": %d", i ? ", " : "", c->branch);
        json_number(out, "speed", c->speed);
        json_number(out, "frequency", c->frequency);
        json_number(out, "whirl", c->whirl);
        fprintf(out, "}");
    }
    fprintf(out, "]");
    if (s->roots_available >= 0) fprintf(out, ", \"roots_available\": %d", s->roots_available);
    json_number(out, "unstable_from", s->unstable_from);
    json_number(out, "unstable_to", s->unstable_to);
}
