/* A path of equilibria that begins where motions are neutral.
 *
 * A motion z that nothing holds without loads and that they do not push stays where it is at f = 0. Loads
 * can give it a stiffness f z^T p_q z, as they do to a crane that a cylinder holds against its load. All
 * places along z are then in equilibrium at f = 0, and the path begins there with a fork: q(f), and z. What
 * decides is of second order, forces f^2 against a stiffness f; at a load that is small but not none it is
 * Newton's method from the first-order prediction, as regular as anywhere else.
 *
 * Where the stiffness that loads give it is of the second order too, as that of a beam with two bending
 * stiffnesses that can spin about its axis under a couple, f^2 cancels: equilibria lie at certain places z
 * for every load, and those as drawn are none. No path begins there; small loads push z by less than what
 * counts as balanced, so a larger one decides. */
#include "analysis/statics.h"

#include <math.h>

static const double first_load[] = {1e-2, 1e-3, 1e-4};
#define TEST_LOAD 0.1
#define PUSHED    1e-6 /* force along a motion, over the unit of force, that rounding is not */
enum { TRIES = 6, LOADS = sizeof first_load / sizeof first_load[0] };

/* From the unloaded s->start to the equilibrium at the load factor `f`, neutral motions where they were;
 * then all of them by themselves. 0; 1: not found, or the loads hold none of them. */
static int load_a_little(lm_statics_search *s, double f)
{
    lm_point_copy(s, &s->now, &s->start);
    if (lm_statics_evaluate(s, 1) || lm_statics_factor(s, 0, 1)) return 1;
    int neutral = s->stab->nfree;
    lm_statics_rhs(s, s->p, s->x);
    lm_statics_solve(s, s->x);
    for (int i = 0; i < s->n; i++) s->x[i] *= f;
    s->now.factor = f;
    if (lm_statics_move(s, s->x) || lm_statics_evaluate(s, 1) || lm_statics_polish(s)) return 1;
    return s->stab->nfree >= neutral;
}

int lm_statics_leave_neutral(lm_statics_search *s)
{
    for (int k = 0; k < LOADS && !s->status; k++)
        if (load_a_little(s, first_load[k]) == 0) return 0;
    return 1;
}

/* The largest force along the motions that are held at s->now, over the unit of force. */
static double push(lm_statics_search *s)
{
    double most = 0;
    for (int k = 0; k < s->stab->nfree; k++) {
        double sum = 0;
        lm_stability_free_motion(s->stab, k, s->x);
        for (int i = 0; i < s->sys->nv; i++) sum += s->x[i] * s->r[i];
        if (fabs(sum) > most) s->mover = lm_stability_mover(s->stab, s->x), most = fabs(sum);
    }
    return s->force > 0 ? most / s->force : 0;
}

/* From the unloaded s->base to the load factor `f`, neutral motions held, until the force that is left on them
 * stands. 0; 1: there is none, or no such state. */
static int load_held(lm_statics_search *s, double f)
{
    double before = INFINITY;
    lm_point_copy(s, &s->now, &s->base);
    if (lm_statics_evaluate(s, 1) || lm_statics_factor(s, 0, 1)) return 1;
    lm_statics_rhs(s, s->p, s->x);
    lm_statics_solve(s, s->x);
    for (int i = 0; i < s->n; i++) s->x[i] *= f;
    s->now.factor = f;
    for (int it = 0; it < TRIES; it++) {
        if (lm_statics_move(s, s->x) || lm_statics_evaluate(s, 0)) return 1;
        double now = push(s);
        if (it > 0 && now <= fmax(PUSHED * f, 100 * s->floor)) return 1;
        if (it > 1 && fabs(now - before) < 0.1 * now) return 0;
        before = now;
        if (lm_statics_factor(s, 0, 0)) return 1;
        lm_statics_rhs(s, s->r, s->x);
        lm_statics_solve(s, s->x);
        s->iterations++;
    }
    return 1;
}

/* How far Newton's method would go from there with nothing held; INFINITY: no stiffness to be seen. */
static double jump(lm_statics_search *s, double f)
{
    if (load_held(s, f)) return 0;
    if (lm_statics_factor(s, 0, 1) || s->stab->nfree) return INFINITY;
    lm_statics_rhs(s, s->r, s->x);
    lm_statics_solve(s, s->x);
    return lm_motion_norm(s->sys, s->size, s->x);
}

/* Against a stiffness f the jump shrinks with f, against one of f^2 it does not. */
int lm_statics_pushes_neutral(lm_statics_search *s)
{
    lm_point_copy(s, &s->base, &s->now);
    double large = jump(s, TEST_LOAD), small = large > 0 ? jump(s, TEST_LOAD / 4) : 0;
    lm_point_copy(s, &s->now, &s->base);
    if (lm_statics_evaluate(s, 1) || lm_statics_factor(s, 0, 1)) return 1;
    return small > 0 && (isinf(small) || small > 0.5 * large);
}
