/* The way over singular positions (docs/theory/redundancy.md).
 *
 * Where the mechanism passes through a position in which constraints become dependent, their matrix
 * changes its rank within the step: one matrix for three stages then serves none of them, and smaller
 * steps only come nearer to the bad place. The motion itself is smooth there. So its polynomials are
 * followed to a place behind that is as regular; and with the accelerations found there they are
 * interpolated over the bad place, until state and accelerations behind agree. */
#include "solve/radau.h"

#include <math.h>
#include <string.h>

/* Error over what is allowed in a step of that size: there is one such step among hundreds, but the motion
 * that it misses is that of a bifurcation. */
#define MOST_HOP 0.1

/* Where errors of the constraints are that large, nearer places are no better: rounding grows faster than the
 * estimate falls, and a hop may err by half of what a step may. */
#define ROUNDED 2e3

/* How singular a place is goes by the motions that errors of the constraints cause. Behind they may be
 * this times those in front; in between they are this times those at both ends. */
#define BEHIND  3.0
#define BETWEEN 3.0

/* A last step that is less than this of the hop is short, and what is left open of it is no longer small. */
#define FAR_BACK 0.6

enum { CORRECTIONS = 8, PLACES = 5 };

/* Onto the constraints, unless that is too far: 0, 2, < 0. */
static int project(radau *g, double t, double most)
{
    lm_integrator *s = &g->base;
    double moved, gap, change = 0, *v = g->v[2];
    double speed = fmax(lm_speed_norm(s->sys, s->clock->size, v), 1 / (s->opt.until - s->opt.t0));
    int bad = s->sys->form->retract(s->sys, s->q, g->x[2], g->q) ? 1 : 0;
    if (!bad) bad = lm_project_position(s, t, g->q, &moved, &gap);
    if (bad || moved > most) return bad < 0 ? bad : 2;
    bad = lm_project_velocity(s, t, g->q, v, &change);
    if (bad || change > sqrt(most) * speed) return bad < 0 ? bad : 2;
    return 0;
}

/* Whether there is a place on the way that is much more singular than both of its ends. */
static int passes_singular(radau *g, double t, double h, double ends)
{
    lm_system *sys = g->base.sys;
    double w[4], value, *xi = g->off[0], *v = g->off[1];
    int found = 0;
    for (int k = 1; k < 10 && !found; k++) {
        double x = 0.1 * k;
        radau_interpolate(4, x, w);
        for (int i = 0; i < sys->nv; i++) {
            xi[i] = w[1] * g->x[0][i] + w[2] * g->x[1][i] + w[3] * g->x[2][i];
            v[i] = w[0] * g->base.v[i] + w[1] * g->v[0][i] + w[2] * g->v[1][i] + w[3] * g->v[2][i];
        }
        if (sys->form->retract(sys, g->base.q, xi, g->qs[0])) break;
        int bad = lm_singularity(&g->base, t - (1 - x) * h, g->qs[0], v, &value);
        if (bad) return bad;
        found = value > BETWEEN * ends;
    }
    memset(g->off[0], 0, sizeof(double) * (size_t)sys->nv);
    memset(g->off[1], 0, sizeof(double) * (size_t)sys->nv);
    return found;
}

/* Lagrange's weights at x of values at n places. */
static void weights(int n, const double *at, double x, double *w)
{
    for (int i = 0; i < n; i++) {
        w[i] = 1;
        for (int j = 0; j < n; j++)
            if (j != i) w[i] *= (x - at[j]) / (at[i] - at[j]);
    }
}

/* y = sum w_i from_i, components of n. */
static void blend(int n, const double *const from[], const double *w, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < PLACES; k++) sum += w[k] * from[k][i];
        y[i] = sum;
    }
}

/* Stages between: polynomials through accelerations (and multipliers) at the start and the stages of the
 * last step, and behind; without that start where it lies far back. The motion follows by the formulas of
 * a step. */
static void interpolate(radau *g, double h)
{
    const lm_integrator *s = &g->base;
    const double *c = radau_formulas()->c;
    double r = s->clock->h_history / h, w[PLACES] = {0};
    const double at[PLACES] = {-r, (c[0] - 1) * r, (c[1] - 1) * r, 0, 1};
    const double *const a[PLACES] = {s->a0, g->past_a[0], g->past_a[1], s->a, g->a[2]};
    const double *const lam[PLACES] = {s->lam0, g->past_lam[0], g->past_lam[1], s->lam, g->lam[2]};
    int first = r == 0 ? 3 : r < FAR_BACK; /* after a start there is no last step */
    for (int k = 0; k < 2; k++) {
        weights(PLACES - first, at + first, c[k], w + first);
        blend(s->sys->nv, a, w, g->a[k]);
        blend(s->sys->nl, lam, w, g->lam[k]);
    }
    radau_follow(g, h, 4);
}

/* Motions of the last correction, from g->res[0] to the stages' end. */
static double correction(radau *g)
{
    const lm_integrator *s = &g->base;
    for (int i = 0; i < s->sys->nv; i++) g->res[1][i] = g->x[2][i] - g->res[0][i];
    lm_copy(g->res[0], g->x[2], s->sys->nv);
    return lm_motion_norm(s->sys, s->clock->size, g->res[1]);
}

/* The state behind, and the stages that lead there. *estimate: motion by which they differ from those
 * foreseen. 0, 2, < 0. */
static int correct(radau *g, double t, double h, double most, double *estimate)
{
    lm_integrator *s = &g->base;
    *estimate = 0;
    double last = INFINITY;
    lm_copy(g->res[0], g->x[2], s->sys->nv);
    for (int it = 0; it < CORRECTIONS; it++) {
        int bad = project(g, t, INFINITY);
        if (!bad) bad = lm_consistent_acceleration(s, t, g->q, g->v[2], g->a[2], g->lam[2]);
        if (bad) return bad < 0 ? bad : 2;
        interpolate(g, h);
        double size = correction(g);
        if (!(size < last)) return 2;
        if (it == 0) *estimate = size;
        last = size;
        if (size <= 0.01 * most) return project(g, t, most);
    }
    return 2;
}

int radau_hop(radau *g, double t, double h, double most)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    double before = 0, here, there, estimate;
    int known = s->clock->h_history > 0, bad = 0;
    if (sys->nl == 0) return 2;
    g->factor_h = 0; /* they are lost */
    if (known) bad = lm_singularity(s, s->clock->t - s->clock->h, s->q0, s->v0, &before);
    if (!bad) bad = lm_singularity(s, s->clock->t, s->q, s->v, &here);
    if (bad || here <= before) return bad < 0 ? bad : 2;
    radau_predict(g, h);
    if (sys->form->retract(sys, s->q, g->x[2], g->q)) return 2;
    bad = lm_singularity(&g->base, t, g->q, g->v[2], &there);
    if (bad || there > BEHIND * here) return bad < 0 ? bad : 1;
    bad = passes_singular(g, t, h, fmax(here, there));
    if (bad <= 0) return bad < 0 ? bad : there < here ? 2 : 1;
    s->regular = 1;
    bad = correct(g, t, h, most, &estimate);
    s->regular = 0;
    if (bad) return bad;
    return radau_error_ratio(g, h, estimate) > (here > ROUNDED ? 0.5 : MOST_HOP) ? 2 : 0;
}

int radau_leaves_singular(radau *g, double t, double h)
{
    lm_integrator *s = &g->base;
    double here, there;
    if (s->sys->nl == 0) return 0;
    radau_predict(g, h);
    if (s->sys->form->retract(s->sys, s->q, g->x[2], g->q)) return 0;
    if (lm_singularity(s, t - h, s->q, s->v, &here)) return 0;
    if (lm_singularity(s, t, g->q, g->v[2], &there)) return 0;
    return here > BETWEEN * there;
}
