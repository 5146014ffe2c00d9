/* The roots at one speed: equilibrium, matrices, eigenvalues, whirl. */
#include "analysis/campbell.h"
#include "analysis/mesh.h"
#include "analysis/range.h"
#include "analysis/rigid_motion.h"
#include "analysis/small.h"
#include "analysis/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SPEEDS_BETWEEN = 25, MOST_ANCHORS = 9 };

static limber_status prepare(lm_campbell *c)
{
    lm_steady *s = &c->steady;
    lm_state at = lm_steady_state(s);
    if (lm_pencil_evaluate(&s->pencil, &at, 1))
        return lm_stop(c->run, LIMBER_STOPPED, "campbell: the forces cannot be evaluated");
    lm_pencil_turn(&s->pencil, s->turning.rate, c->fixed && !c->shifts ? 0 : s->turning.rate);
    int bad = lm_spectrum_factor(&c->spectrum);
    if (bad < 0) return LIMBER_MEMORY;
    return bad ? lm_stop(c->run, LIMBER_STOPPED,
                         "campbell: a motion has neither mass nor stiffness at speed %.6g",
                         s->speed)
               : LIMBER_OK;
}

static limber_status not_converged(lm_campbell *c, int bad)
{
    if (bad < 0) return LIMBER_MEMORY;
    return lm_stop(c->run, LIMBER_STOPPED, "campbell: the roots do not converge at speed %.6g",
                   c->steady.speed);
}

/* Seen from the ground: circles go round faster by the speed, or slower. What rests in the rotor, or
 * grows there without going round, is a forward circle. */
static double from_ground(const lm_campbell *c, const lm_root *r, double circles, double *omega)
{
    double W = c->steady.turning.rate, turns = c->fixed && !c->shifts ? 0 : W;
    double along = fabs(circles) < 0.05 ? 0 : copysign(1, circles);
    *omega = along * r->im + turns;
    if (along == 0) *omega = r->im;
    if (along == 0 || W == 0) return along == 0 ? 0 : circles;
    return copysign(fabs(circles), *omega * W);
}

/* Near a root 0 shapes are no circles of their own. */
static int rests(const lm_campbell *c, const lm_root *r)
{
    return r->im == 0 || hypot(r->re, r->im) < LM_CAMPBELL_ZERO * c->spectrum.sigma;
}

static void look_at_orbits(lm_campbell *c)
{
    double W = c->steady.turning.rate, turns = c->fixed && !c->shifts ? 0 : W;
    lm_campbell_circles(c);
    for (int j = 0; j < c->spectrum.found; j++) {
        const lm_root *r = &c->spectrum.root[j];
        double circles = lm_campbell_whirl(c, j, &c->across[j]), omega = r->im;
        if (c->shifts && lm_campbell_goes_along(c, j)) circles = 0;
        if (!rests(c, r))
            c->whirl[j] = from_ground(c, r, circles, &omega);
        else {
            c->whirl[j] = c->across[j] && turns != 0;
            if (c->whirl[j] > 0) omega = turns;
        }
        c->seen[j] = c->shifts ? fabs(omega) : r->im;
    }
}

/* What the shape at this speed is beyond, for the formulation. */
static void look_at_ranges(lm_campbell *c)
{
    const lm_steady *s = &c->steady;
    lm_state st = {s->spin.t0, s->q, s->v, s->a, s->lam};
    lm_range_look(c->run, s->q, s->v);
    lm_turns_look(c->run, s->q);
    lm_mesh_look(c->run, s->q);
    lm_small_look(c->run, s->q);
    lm_left_out_look_alone(c->run, &st);
}

limber_status lm_campbell_roots(lm_campbell *c, double speed)
{
    limber_status st = lm_steady_find(&c->steady, speed);
    if (!st) st = prepare(c);
    if (st) return st;
    look_at_ranges(c);
    int bad = lm_spectrum_solve(&c->spectrum);
    if (bad) return not_converged(c, bad);
    look_at_orbits(c);
    return LIMBER_OK;
}

/* ---- speeds that are searched anew ---- */

static limber_status search_at(lm_campbell *c, int k)
{
    lm_spectrum *p = &c->spectrum;
    size_t nv = (size_t)p->nv;
    limber_status st = lm_steady_find(&c->steady, c->speed[c->anchor[k]]);
    for (int twice = 0; twice < 2 && !st; twice++) { /* the second time with the right shift */
        double sigma = p->sigma;
        st = prepare(c);
        if (st) return st;
        int bad = lm_spectrum_search(p);
        if (!bad) bad = lm_spectrum_solve(p);
        if (bad) return not_converged(c, bad);
        if (p->sigma > 0.2 * sigma && p->sigma < 5 * sigma) break;
    }
    if (st) return st;
    lm_campbell_look_far(c, c->speed[c->anchor[k]]);
    c->basis[k] = LM_NEW_N(&c->arena, double, 2 * nv * (size_t)p->found + 1);
    if (!c->basis[k]) return LIMBER_MEMORY;
    for (int j = 0; j < p->found; j++) {
        memcpy(c->basis[k] + 2 * nv * (size_t)j, p->root[j].x, sizeof(double) * nv);
        memcpy(c->basis[k] + 2 * nv * (size_t)j + nv, p->root[j].y, sizeof(double) * nv);
    }
    c->nbasis[k] = 2 * p->found;
    return LIMBER_OK;
}

static void place_anchors(lm_campbell *c)
{
    int n = 2 + (c->nspeeds - 1) / SPEEDS_BETWEEN;
    n = n > MOST_ANCHORS ? MOST_ANCHORS : n > c->nspeeds ? c->nspeeds : n;
    if (n < 3 && c->nspeeds > 2) n = 3;
    c->nanchors = n;
    for (int k = 0; k < n; k++) c->anchor[k] = n > 1 ? k * (c->nspeeds - 1) / (n - 1) : 0;
}

limber_status lm_campbell_anchors(lm_campbell *c)
{
    limber_status st = LIMBER_OK;
    c->anchor = LM_NEW_N(&c->arena, int, 2 * MOST_ANCHORS);
    c->basis = LM_NEW_N(&c->arena, double *, MOST_ANCHORS);
    if (!c->anchor || !c->basis) return LIMBER_MEMORY;
    c->nbasis = c->anchor + MOST_ANCHORS;
    place_anchors(c);
    for (int k = 0; k < c->nanchors && !st; k++) st = search_at(c, k);
    if (st == LIMBER_STOPPED && c->nbasis[0] && !c->run->sum->reason[0]) st = LIMBER_OK;
    return st;
}

/* The basis for the speeds between two anchors, around speed k. */
void lm_campbell_take_basis(lm_campbell *c, int k)
{
    for (int i = 0; i < c->nanchors; i++) {
        int here = c->anchor[i] == k;
        if (!here && k > 0) continue;
        c->spectrum.m = 0;
        if (c->nbasis[i]) lm_spectrum_extend(&c->spectrum, c->nbasis[i], c->basis[i]);
        if (i + 1 < c->nanchors && c->nbasis[i + 1])
            lm_spectrum_extend(&c->spectrum, c->nbasis[i + 1], c->basis[i + 1]);
        return;
    }
}

/* ---- another angle ---- */

/* A shape as it is in the axes of the matrices, seen where the drive stands now. */
static void turn_shape(const lm_campbell *c, double angle, double *x)
{
    const lm_pencil *p = &c->steady.pencil;
    for (int i = 0; i < c->sys->nv; i++) {
        if (!(p->kind[i] & LM_VECTOR)) continue;
        lm_m3 T = lm_rot_axis_angle(v3_unit(v3_from(p->axis + i)), angle);
        v3_put(x + i, m3_v(&T, v3_from(x + i)));
    }
}

limber_status lm_campbell_elsewhere(lm_campbell *c, double angle)
{
    lm_steady *s = &c->steady;
    enum { STEPS = 20 };
    limber_status st = LIMBER_OK;
    for (int k = 1; k <= STEPS && !st; k++) st = lm_steady_turn(s, angle / STEPS);
    if (!st) st = prepare(c);
    for (int j = 0; j < c->spectrum.found && j < c->spectrum.count && !st; j++) {
        lm_root *r = &c->spectrum.root[j];
        if (!c->fixed || c->shifts) {
            turn_shape(c, s->sense * angle, r->x);
            turn_shape(c, s->sense * angle, r->y);
        }
        c->periodic = fmax(c->periodic, lm_spectrum_check(&c->spectrum, r));
    }
    return st;
}
