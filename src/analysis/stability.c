#include "analysis/stability.h"

#include "analysis/elimination.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ZERO_PIVOT 1e-14 /* over the row's own entry: nothing */
#define SUSPECT    1e-6  /* a pivot worth a closer look */
#define DUST                                                                                       \
    1e-12 /* a row's own entry, over the largest: rounding; its pivot is what others leave */
#define NO_FORCE 1e-8  /* stiffness over (force / size) that is none */
#define HARDLY   1e-6  /* part of a velocity in a motion that it cannot hold */
#define NO_GAP   1e-12 /* gap over a motion that is none */
enum { MANY_FREE = 30 };

lm_stability *lm_stability_create(const lm_system *sys, double size)
{
    lm_arena arena = {0};
    lm_stability *s = LM_NEW(&arena, lm_stability);
    lm_elimination *e = LM_NEW(&arena, lm_elimination);
    if (!s || !e) {
        lm_arena_free(&arena);
        return NULL;
    }
    *e = (lm_elimination){
        .sys = sys, .arena = arena, .n = sys->nv + sys->nl, .nv = sys->nv, .size = size};
    s->e = e;
    int bad = lm_elimination_prepare(e);
    s->free = LM_NEW_N(&e->arena, int, e->n + 1);
    s->pivot = LM_NEW_N(&e->arena, int, e->n + 1);
    s->held = LM_NEW_N(&e->arena, double, e->n + 1);
    s->spring = LM_NEW_N(&e->arena, double, e->n + 1);
    if (!bad && s->free && s->pivot && s->held && s->spring) return s;
    lm_stability_destroy(s);
    return NULL;
}

void lm_stability_destroy(lm_stability *s)
{
    if (!s) return;
    lm_arena arena = s->e->arena;
    lm_arena_free(&arena);
}

/* ---- inertia ---- */

static int is_symmetric(const lm_elimination *e)
{
    double off = 0, all = 0;
    for (int k = 0; k < e->nz; k++) {
        double a = e->A[e->n + k], b = e->A[e->n + e->nz + k];
        off = fmax(off, fabs(a - b));
        all = fmax(all, fmax(fabs(a), fabs(b)));
    }
    return off <= 1e-9 * all;
}

/* z with z_k = 1, zero beyond, and the rows before k of U z = 0: then z^T K' z = D_k. */
static void pivot_motion(const lm_elimination *e, int k, double *z)
{
    memset(z, 0, sizeof(double) * (size_t)e->n);
    z[k] = 1;
    for (int i = k - 1; i >= e->lowest[k]; i--) {
        double sum = 0;
        for (int p = e->first[i]; p < e->first[i] + e->count[i]; p++) sum += e->U[p] * z[e->row[p]];
        z[i] = -sum / e->D[i];
    }
}

/* Rounding of z^T K' z: the terms' own, added as if by chance. */
static double rounding(const lm_elimination *e, const double *z)
{
    double sum = 0;
    for (int k = 0; k < e->n; k++) {
        if (z[k] == 0) continue;
        double own = e->A[k] * z[k] * z[k];
        sum += own * own;
        for (int p = e->start[k]; p < e->start[k + 1]; p++) {
            double low = e->A[e->n + p] * z[k] * z[e->index[p]];
            double up = e->A[e->n + e->nz + p] * z[k] * z[e->index[p]];
            sum += low * low + up * up;
        }
    }
    return 4 * DBL_EPSILON * sqrt(sum);
}

/* Whether pivot k is nothing: against rounding, or against the forces that act; most: the largest
 * stiffness. Reactions f that turn with a free motion leave -(f/size)^2/P of it to the springs P on the
 * constraints, until their multipliers, which come later, take them over. */
static int is_nothing(const lm_stability *s, int k, double most, double force)
{
    const lm_elimination *e = s->e;
    double own = fabs(e->A[k]), pivot = fabs(e->D[k]), square = 0;
    if (e->perm[k] >= e->nv) return pivot <= ZERO_PIVOT;
    double largest = most * lm_weight(e, e->perm[k]);
    if (own <= DUST * largest) return pivot <= SUSPECT * largest;
    if (pivot == 0) return 1;
    if (pivot > SUSPECT * own) return 0;
    pivot_motion(e, k, e->product);
    for (int i = 0; i <= k; i++) square += lm_weight(e, e->perm[i]) * e->product[i] * e->product[i];
    double unit = force / e->size;
    if (s->nfree < MANY_FREE && pivot <= unit * unit / e->softest * square) return 1;
    return pivot <= fmax(NO_FORCE * unit * square, rounding(e, e->product));
}

/* What of row k is nothing, by forces (of motions of the size `length`) or by gaps of constraints: a motion
 * that has no stiffness at all has terms that are rounding. */
static double negligible(const lm_elimination *e, int k, double force, double length)
{
    int old = e->perm[k];
    if (old < e->nv) return NO_FORCE * force / e->size * length * sqrt(lm_weight(e, old));
    return NO_GAP * length / (e->sys->angular[old] ? e->size : 1);
}

/* K' z against the size of its terms; *stiffness = |z^T K' z|, *weight = |z|^2. */
static double misfit(const lm_elimination *e, const double *z, double force, double *stiffness,
                     double *weight)
{
    double worst = 0, most = 0, square = 0, power = 0;
    for (int k = 0; k < e->n; k++) {
        e->y[k] += e->A[k] * z[k];
        most = fmax(most, fabs(e->A[k] * z[k]));
        square += lm_weight(e, e->perm[k]) * z[k] * z[k];
        for (int p = e->start[k]; p < e->start[k + 1]; p++) {
            e->y[k] += e->A[e->n + p] * z[e->index[p]];
            e->y[e->index[p]] += e->A[e->n + e->nz + p] * z[k];
            most = fmax(most, fabs(e->A[e->n + p] * z[e->index[p]]));
        }
    }
    for (int k = 0; k < e->n; k++) {
        if (fabs(e->y[k]) > negligible(e, k, force, sqrt(square)))
            worst = fmax(worst, fabs(e->y[k]));
        power += z[k] * e->y[k];
        e->y[k] = 0;
    }
    *stiffness = fabs(power);
    *weight = square;
    return most > 0 ? worst / most : 0;
}

/* 1: nothing holds the motion z in e->product. What is out of balance makes a stiffness that is none. */
static int is_free(const lm_stability *s, double force)
{
    const lm_elimination *e = s->e;
    double stiffness, square, part = fmax(NO_FORCE, s->unbalanced);
    if (misfit(e, e->product, force, &stiffness, &square) > 1e-7) return 0;
    return stiffness <= fmax(part * force / e->size * square, rounding(e, e->product));
}

/* The velocity that holds motion number k, which is in e->product: that of its pivot, unless it hardly takes
 * part, as a rope's length in the swing of a load that hangs straight but for rounding. */
static void choose_hold(lm_stability *s, int k, double most)
{
    const lm_elimination *e = s->e;
    double largest = 0, own = sqrt(lm_weight(e, s->pivot[k])); /* the pivot's entry is 1 */
    int which = s->pivot[k];
    for (int i = 0; i < e->n; i++) {
        double a = e->perm[i] < e->nv ? fabs(e->product[i]) * sqrt(lm_weight(e, e->perm[i])) : 0;
        for (int j = 0; j < k; j++)
            if (s->free[j] == e->perm[i]) a = 0;
        if (a > largest) largest = a, which = e->perm[i];
    }
    if (own >= HARDLY * largest) return;
    s->free[k] = which;
    s->held[k] = most * lm_weight(e, which);
}

/* The motion z, z_k = 1, that a force on k makes against a spring in place of pivot k (and those of others).
 * Unknowns of later rows have answered: what the pivot lacks. Returns the stiffness, that of the spring where
 * K z = 0. */
static double loose_motion(const lm_elimination *e, int k, double *z)
{
    memset(z, 0, sizeof(double) * (size_t)e->n);
    z[k] = 1;
    lm_elimination_solve(e, z);
    double own = z[k];
    for (int i = 0; i < e->n && own != 0; i++) z[i] /= own;
    return own != 0 ? 1 / own : INFINITY;
}

/* A pivot can vanish although its motion is held through others: look at the motion itself, unless
 * there are so many that the mechanism is plainly loose. */
static void keep_true(lm_stability *s, double most, double force)
{
    lm_elimination *e = s->e;
    int kept = 0;
    if (s->nfree > MANY_FREE) return;
    for (int k = 0; k < s->nfree; k++) {
        double whole = loose_motion(e, e->inverse[s->pivot[k]], e->product);
        if (!is_free(s, force)) {
            s->negative += whole < s->spring[k] && whole > 0;
            continue;
        }
        s->free[kept] = s->pivot[kept] = s->pivot[k];
        s->held[kept] = s->held[k];
        choose_hold(s, kept++, most);
    }
    s->nfree = kept;
}

/* A pivot that is nothing: a multiplier that others determine, or a motion that nothing holds. */
static void replace_pivot(lm_stability *s, int k, double most)
{
    lm_elimination *e = s->e;
    int old = e->perm[k];
    double own = fabs(e->A[k]);
    if (own <= HARDLY * most * lm_weight(e, old)) /* rounding, by which others would be divided */
        own = most * lm_weight(e, old);
    if (old < e->nv) s->spring[s->nfree] = own - e->D[k];
    e->D[k] = old < e->nv ? own : -1;
    if (old >= e->nv) return;
    s->free[s->nfree] = s->pivot[s->nfree] = old;
    s->held[s->nfree++] = own;
}

int lm_stability_examine(lm_stability *s, const double *values, double force, double unbalanced)
{
    lm_elimination *e = s->e;
    double most = 0;
    s->negative = s->nfree = 0;
    s->unbalanced = unbalanced;
    if (lm_elimination_assemble(e, values, force / e->size)) return 1;
    s->symmetric = is_symmetric(e);
    lm_elimination_begin(e);
    for (int i = 0; i < e->nv; i++) most = fmax(most, fabs(e->A[e->inverse[i]]) / lm_weight(e, i));
    if (most == 0) most = 1;
    for (int k = 0; k < e->n; k++) {
        lm_elimination_row(e, k);
        if (is_nothing(s, k, most, force)) replace_pivot(s, k, most);
        s->negative += e->D[k] < 0;
    }
    s->negative -= e->n - e->nv;
    keep_true(s, most, force);
    if (s->negative < 0) s->negative = 0; /* of constraints that contradict each other, nearly */
    return 0;
}

int lm_stability_lost(const lm_stability *s)
{
    return s->symmetric ? s->negative : s->negative % 2;
}

/* ---- motions ---- */

/* From the new numbers in `from`, largest entry 1. */
static void deliver(const lm_elimination *e, const double *from, double *z)
{
    double most = 0, sign = 1;
    for (int i = 0; i < e->n; i++) {
        double a = fabs(from[i]) * sqrt(lm_weight(e, e->perm[i]));
        if (a > most) most = a, sign = from[i] < 0 ? -1 : 1;
    }
    for (int i = 0; i < e->n; i++)
        if (e->perm[i] < e->nv) z[e->perm[i]] = most > 0 ? sign * from[i] / most : 0;
}

void lm_stability_free_motion(const lm_stability *s, int k, double *z)
{
    loose_motion(s->e, s->e->inverse[s->pivot[k]], s->e->product);
    deliver(s->e, s->e->product, z);
}

void lm_stability_softest(const lm_stability *s, double *z)
{
    const lm_elimination *e = s->e;
    double *x = e->product;
    for (int i = 0; i < e->n; i++) x[i] = 1 + 0.3 * sin(1.0 + i);
    for (int it = 0; it < 6; it++) {
        double most = 0;
        for (int i = 0; i < e->n; i++) x[i] *= lm_weight(e, e->perm[i]);
        lm_elimination_solve(e, x);
        for (int i = 0; i < e->n; i++) most = fmax(most, fabs(x[i]));
        for (int i = 0; i < e->n && most > 0; i++) x[i] /= most;
    }
    deliver(e, x, z);
}

int lm_stability_mover(const lm_stability *s, const double *z)
{
    const lm_elimination *e = s->e;
    int most = 0;
    for (int i = 0; i < e->nv; i++)
        if (fabs(z[i]) * sqrt(lm_weight(e, i)) > 1.001 * fabs(z[most]) * sqrt(lm_weight(e, most)))
            most = i;
    return most;
}
