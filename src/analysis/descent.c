/* Equilibrium of a mechanism at a given load factor, by sliding downhill.
 *
 * A step from q_k solves, by Newton's method,
 *
 *     r(q_k (+) x) + mu D x = 0,    phi = 0,
 *
 * with D = 1 for translations and size^2 for rotations: the way that the mechanism would go in a
 * viscous fluid during a time 1/mu (the implicit Euler method of D x' = -r). Stiff parts are in balance
 * after every step, soft and free motions go downhill. mu is chosen for steps of moderate size; it
 * vanishes by itself as the equilibrium comes near, and the end is Newton's without it. */
#include "analysis/statics.h"

#include <math.h>
#include <string.h>

enum { STEPS = 300, NEWTON = 12 };
#define LONGEST   0.4  /* step, over the size or in radians */
#define RUNAWAY   60   /* way without an end, in the same units */
#define STIFFEST  1e9  /* mu, over force / size: no step is short enough */
#define NEAR      1e-4 /* residual over the unit of force, gap over that of length */
#define CONVERGED 1e-10

int lm_statics_polish(lm_statics_search *s)
{
    double before = INFINITY, earlier = INFINITY;
    lm_point_copy(s, &s->spare, &s->now);
    int bad = lm_statics_factor(s, 0, 1);
    for (int it = 0; it < NEWTON && !bad; it++) {
        if (it > 0) bad = lm_statics_evaluate(s, 0) || lm_statics_factor(s, 0, 1);
        if (bad) break;
        lm_statics_rhs(s, s->r, s->x);
        lm_statics_solve(s, s->x);
        double size = lm_motion_norm(s->sys, s->size, s->x);
        bad = !(size < LONGEST && size < earlier) || lm_statics_move(s, s->x);
        s->iterations++;
        if (!bad && (size < CONVERGED || (size < 1e-7 && size > 0.5 * before)))
            return lm_statics_evaluate(s, 0);
        earlier = before, before = size;
    }
    lm_point_copy(s, &s->now, &s->spare);
    lm_statics_evaluate(s, 0);
    return 1;
}

/* The solution of one linear system for the step that has come to s->way; its size, or NAN. */
static double increment(lm_statics_search *s)
{
    double unit = s->mu * s->force / s->size;
    s->stab->nfree = 0; /* mu holds them */
    if (lm_statics_factor(s, s->mu, 0)) return NAN;
    for (int i = 0; i < s->sys->nv; i++)
        s->r[i] += unit * s->way[i] * (s->sys->angular[i] ? s->size * s->size : 1);
    lm_statics_rhs(s, s->r, s->x);
    lm_statics_solve(s, s->x);
    s->iterations++;
    return lm_motion_norm(s->sys, s->size, s->x);
}

/* The first increment turns whole parts: along a helix it keeps their shape. */
static int move(lm_statics_search *s, int first)
{
    for (int i = 0; i < s->sys->nv; i++) s->way[i] += s->x[i];
    if (first) lm_motion_along_helix(s->sys, s->x);
    return lm_statics_move(s, s->x) || lm_statics_evaluate(s, 0);
}

/* One step with the present mu. Its size; NAN: none found, the step is too long or goes uphill. */
static double step(lm_statics_search *s)
{
    double before = INFINITY, earlier = INFINITY;
    memset(s->way, 0, sizeof(double) * (size_t)s->sys->nv);
    for (int it = 0; it < NEWTON; it++) {
        double slope = 0, size = increment(s);
        if (!(size < 2 * LONGEST) || size > earlier) return NAN;
        for (int i = 0; i < s->sys->nv; i++) slope -= s->r[i] * s->x[i];
        if (it == 0 && slope < 0 && s->gap < 1e-9) return NAN;
        if (move(s, it == 0)) return NAN;
        double all = lm_motion_norm(s->sys, s->size, s->way);
        if (!(all < 1.5 * LONGEST)) return NAN;
        if (size <= 1e-3 * all || size <= CONVERGED) return all;
        earlier = before, before = size;
    }
    return NAN;
}

/* 1: s->now has left a singular position; the steps that follow close what is open. */
static int closes_anew(lm_statics_search *s)
{
    if (!lm_statics_opens(s)) return 0;
    lm_statics_evaluate(s, 0);
    return 1;
}

int lm_statics_descend(lm_statics_search *s)
{
    double way = 0;
    s->mu = 1;
    if (lm_statics_evaluate(s, 1)) return 1;
    /* for the scale and what rounding makes; out of balance K alone may be singular, with mu it is not */
    lm_statics_factor(s, 0, 1);
    if (s->status) return 1;
    for (int k = 0; k < STEPS && s->mu < STIFFEST; k++) {
        if (lm_statics_tell(s)) return 1;
        int near = s->residual < fmax(NEAR, 10 * s->floor) && s->gap < NEAR;
        if (near && lm_statics_polish(s) == 0 && !closes_anew(s)) {
            lm_statics_take_force(s);
            return 0;
        }
        lm_point_copy(s, &s->base, &s->now);
        double size = step(s);
        if (!isnan(size)) closes_anew(s);
        if (s->status) return 1;
        if (isnan(size)) {
            lm_point_copy(s, &s->now, &s->base);
            if (lm_statics_evaluate(s, 0)) return 1;
            s->mu *= 4;
            continue;
        }
        s->mover = lm_stability_mover(s->stab, s->way);
        way += size;
        if (way > RUNAWAY) return 1;
        s->mu *= fmin(4, fmax(0.1, size / (0.7 * LONGEST)));
    }
    return 1;
}
