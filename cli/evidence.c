/* Which of the runs is nearest to the truth: the one that independent others cluster about.
 *
 * Runs with the same elements count as one voice, whose distance from a run is that of its nearest member. Of
 * the distances from a run to all other voices the (lower) median says how well it is supported: a single voice
 * that is off moves no median of three others. Runs that estimate their own error as large do not lead. */
#include "compare.h"

#include <math.h>
#include <string.h>

#define CLEAR 0.5  /* of the median of the preferred run: another one is better supported */
#define FINE  1e-3 /* medians below are as good as agreement */
#define WRONG 0.1  /* by its own estimate */

/* ---- distances ---- */

const differences *comparison_pair(const comparison *c, int i, int k)
{
    if (i == k || c->jobs[i].why[0] || c->jobs[k].why[0]) return NULL;
    return i < k ? &c->pair[c->n * i + k] : &c->pair[c->n * k + i];
}

double comparison_distance(const comparison *c, int i, int k)
{
    const differences *l = comparison_pair(c, i, k);
    const limber_difference *worst = l ? differences_worst(l) : NULL;
    return worst ? difference_part(worst) : 0;
}

int evidence_gather(comparison *c, limber_messages *msg)
{
    int bad = 0;
    for (int k = 0; k < c->n && !bad; k++)
        if (!c->jobs[k].why[0])
            bad = differences_read(&c->jobs[k], &c->jobs[k], &c->own[k], msg) != LIMBER_OK;
    for (int i = 0; i < c->n && !bad; i++)
        for (int k = i + 1; k < c->n && !bad; k++) {
            differences *l = &c->pair[c->n * i + k];
            if (c->jobs[i].why[0] || c->jobs[k].why[0]) continue;
            bad = differences_read(&c->jobs[i], &c->jobs[k], l, msg) != LIMBER_OK;
            differences_enlarge(l, &c->own[k]);
        }
    return bad ? -1 : 0;
}

/* ---- votes ---- */

/* -1: it has none. */
static int voice(const comparison *c, int k)
{
    const piece *p = pieces_main(&c->pieces);
    int number = formulation_number(c->jobs[k].formulation);
    return c->jobs[k].why[0] || !p || number < 0 ? -1 : p->voice[number];
}

/* From a run to the nearest of a voice; INFINITY: it has no run. */
static double distance_to(const comparison *c, int run, int of)
{
    double least = INFINITY;
    for (int k = 0; k < c->n; k++)
        if (k != run && voice(c, k) == of) least = fmin(least, comparison_distance(c, run, k));
    return least;
}

static void sort(double *x, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && x[k] < x[k - 1]; k--) {
            double swap = x[k];
            x[k] = x[k - 1], x[k - 1] = swap;
        }
}

/* The lower median of the distances to other voices; *others: how many there are. */
static double median(const comparison *c, int run, int *others)
{
    double d[FORMULATIONS];
    int n = 0;
    for (int of = 0; of < FORMULATIONS; of++) {
        double x = of == voice(c, run) ? INFINITY : distance_to(c, run, of);
        if (isfinite(x)) d[n++] = x;
    }
    sort(d, n);
    *others = n;
    return n ? d[(n - 1) / 2] : INFINITY;
}

/* What a run says that it is off itself. */
static double own_estimate(const job *j)
{
    double most = 0;
    for (int i = 0; i < j->neffects; i++)
        if (!j->effect[i].output[0]) most = fmax(most, j->effect[i].size);
    return most;
}

/* 1: a run is clearly better supported than another one. */
static int supported(const comparison *c, int run, int other)
{
    int n;
    double far = median(c, other, &n);
    return far > FINE && median(c, run, &n) < CLEAR * far;
}

/* Of those with results that say the least of errors of their own, the best supported; the first of those that are
 * supported alike. */
static int best_of(const comparison *c)
{
    int best = -1;
    double least = INFINITY;
    for (int k = 0; k < c->n; k++)
        if (!c->jobs[k].why[0]) least = fmin(least, own_estimate(&c->jobs[k]));
    for (int k = 0; k < c->n; k++) {
        if (c->jobs[k].why[0] || own_estimate(&c->jobs[k]) > fmax(WRONG, least)) continue;
        if (best >= 0 && voice(c, k) < 0) continue;
        if (best < 0 || supported(c, k, best)) best = k;
    }
    return best;
}

/* ---- the choice ---- */

/* "--formulation asks for rfe". */
static int say_asked(comparison *c, const char *it)
{
    return snprintf(c->why, sizeof c->why, "%s asks for %s",
                    c->insisted ? "--formulation" : "The model", it);
}

/* "3 runs with other joints are" */
static int say_runs(comparison *c, int used, int others)
{
    const piece *p = pieces_main(&c->pieces);
    return used + snprintf(c->why + used, sizeof c->why - (size_t)used, "%d run%s with other %s %s",
                           others, others == 1 ? "" : "s", p ? p->name : "elements",
                           others == 1 ? "is" : "are");
}

static void say_support(comparison *c, int asked, int best, int others)
{
    char from[2][32];
    int n, used = say_asked(c, c->jobs[asked].formulation);
    in_percent(median(c, best, &n), from[0], sizeof from[0]);
    in_percent(median(c, asked, &n), from[1], sizeof from[1]);
    used += snprintf(c->why + used, sizeof c->why - (size_t)used, ", but ");
    used = say_runs(c, used, others);
    snprintf(c->why + used, sizeof c->why - (size_t)used,
             " %s %% from %s at the median and %s %% from %s.", from[0], c->jobs[best].formulation,
             from[1], c->jobs[asked].formulation);
}

static void say_own_estimate(comparison *c, int asked, int best)
{
    char text[32];
    int used = say_asked(c, c->jobs[asked].formulation);
    in_percent(own_estimate(&c->jobs[asked]), text, sizeof text);
    snprintf(c->why + used, sizeof c->why - (size_t)used,
             ", which by its own estimate leaves out up to %s %%; %s leaves out less.", text,
             c->jobs[best].formulation);
}

/* Runs that differ in nothing but their joints say nothing of what bends. */
static void say_agreement(comparison *c, int others)
{
    char text[32];
    int n, used = say_asked(c, "it");
    if (others == 0) {
        snprintf(c->why + used, sizeof c->why - (size_t)used, "; no run is independent of it.");
        return;
    }
    in_percent(median(c, c->reference, &n), text, sizeof text);
    used += snprintf(c->why + used, sizeof c->why - (size_t)used, "; ");
    used = say_runs(c, used, others);
    snprintf(c->why + used, sizeof c->why - (size_t)used,
             others == 1 ? " %s %% off, which is no majority." : " %s %% off at the median.", text);
}

static void say_without(comparison *c, int asked)
{
    int used = say_asked(c, c->jobs[asked].formulation);
    snprintf(c->why + used, sizeof c->why - (size_t)used, ", which has no results.");
}

void evidence_choose(comparison *c)
{
    int asked = 0, others = 0, best = best_of(c);
    for (int k = 0; k < c->n; k++)
        if (strcmp(c->jobs[k].formulation, c->asked) == 0) asked = k;
    c->reference = asked;
    if (best < 0) return;
    if (c->jobs[asked].why[0]) {
        c->reference = best;
        say_without(c, asked);
        return;
    }
    double own = own_estimate(&c->jobs[asked]);
    int doubtful = own > WRONG && own_estimate(&c->jobs[best]) < CLEAR * own;
    int better = supported(c, best, asked);
    median(c, asked, &others);
    if (!c->insisted && (doubtful || better)) c->reference = best;
    if (better)
        say_support(c, asked, best, others);
    else if (doubtful)
        say_own_estimate(c, asked, best);
    else
        say_agreement(c, others);
}
