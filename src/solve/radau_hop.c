/* The way over singular positions (docs/theory/redundancy.md).
 *
 * Where the mechanism passes through a position in which constraints become dependent, their matrix
 * changes its rank within the step: one matrix for three stages then serves none of them, and smaller
 * steps only come nearer to the bad place. The motion itself is smooth there. So once a small step
 * has been made in front of it, its polynomials are followed to a place behind that is as regular. */
#include "solve/radau.h"

#include <math.h>
#include <string.h>

/* Accelerations behind a singular position may differ from those foreseen by this times the motion
 * that the constraints may add. */
#define MOST_JUMP 100

/* Regularity of the constraints: the smallest pivot of the constrained mass matrix over the largest. */
static int regularity(radau *g, double t, const double *q, const double *v, double *value)
{
    int bad = lm_factor_mass(&g->base, t, q, v);
    *value = bad ? 0 : lm_linear_rcond(g->base.lin);
    return bad < 0 ? bad : 0;
}

/* Onto the constraints, unless that is too far: 0, 2, < 0. */
static int project(radau *g, double t, double most)
{
    lm_integrator *s = &g->base;
    double moved, gap, change, *v = g->v[2];
    double speed = fmax(lm_speed_norm(s->sys, s->clock->size, v), 1 / (s->opt.until - s->opt.t0));
    int bad = lm_project_position(s, t, g->q, &moved, &gap);
    if (bad || moved > most) return bad < 0 ? bad : 2;
    bad = lm_project_velocity(s, t, g->q, v, &change);
    if (bad || change > most * speed) return bad < 0 ? bad : 2;
    return 0;
}

/* Whether there is a place on the way that is much less regular than both of its ends. */
static int passes_singular(radau *g, double t, double h, double ends)
{
    lm_system *sys = g->base.sys;
    double w[4], value, *xi = g->off[0], *v = g->off[1];
    for (int k = 1; k < 10; k++) {
        double x = 0.1 * k;
        radau_interpolate(4, x, w);
        for (int i = 0; i < sys->nv; i++) {
            xi[i] = w[1] * g->x[0][i] + w[2] * g->x[1][i] + w[3] * g->x[2][i];
            v[i] = w[0] * g->base.v[i] + w[1] * g->v[0][i] + w[2] * g->v[1][i] + w[3] * g->v[2][i];
        }
        if (sys->form->retract(sys, g->base.q, xi, g->qs[0])) return 0;
        int bad = regularity(g, t - (1 - x) * h, g->qs[0], v, &value);
        if (bad) return bad;
        if (value < 0.2 * ends) return 1;
    }
    return 0;
}

/* Accelerations behind, if they continue those in front: a stiff body answers to the least error of
 * the positions with a large one, and cannot be led over by polynomials. 0, 2, < 0. */
static int smooth_acceleration(radau *g, double t, double h, double most)
{
    lm_integrator *s = &g->base;
    lm_copy(g->da[2], g->a[2], s->sys->nv);
    int bad = lm_consistent_acceleration(s, t, g->q, g->v[2], g->a[2], g->lam[2]);
    if (bad) return bad < 0 ? bad : 2;
    for (int i = 0; i < s->sys->nv; i++) g->da[2][i] = h * h * (g->a[2][i] - g->da[2][i]);
    return lm_speed_norm(s->sys, s->clock->size, g->da[2]) > most ? 2 : 0;
}

int radau_hop(radau *g, double t, double h, double most)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    double here, there;
    if (s->clock->h_history == 0 || sys->nl == 0) return 2;
    g->factor_h = 0; /* they are lost */
    int bad = regularity(g, s->clock->t, s->q, s->v, &here);
    if (bad < 0) return bad;
    radau_predict(g, h);
    if (sys->form->retract(sys, s->q, g->x[2], g->q)) return 2;
    bad = project(g, t, most);
    if (bad) return bad;
    bad = regularity(g, t, g->q, g->v[2], &there);
    if (bad || there < 0.7 * here) return bad < 0 ? bad : 1;
    bad = passes_singular(g, t, h, fmin(here, there));
    if (bad <= 0) return bad < 0 ? bad : 1;
    return smooth_acceleration(g, t, h, MOST_JUMP * most);
}
