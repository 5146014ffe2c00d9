/* The unit of length of a single point, which has no size. */
#include "analysis/dynamics.h"

#include <math.h>

/* How far points go within the time tau, as they move now. */
static double reach(const lm_integrator *g, double tau)
{
    double most = 0;
    for (int i = 0; i < g->sys->nv - g->sys->nvariables; i++)
        if (!g->sys->angular[i])
            most = fmax(most, fabs(g->v[i]) * tau + 0.5 * fabs(g->a[i]) * tau * tau);
    return most;
}

/* How far forces take the point in the next output step from where it is now: those of time may act for less
 * than that, between kinks that come soon. Nothing where there are no such accelerations; -1: no memory. */
static int look_ahead(lm_dynamics_run *d)
{
    enum { PIECES = 8 };
    lm_integrator *g = d->g;
    double t = g->clock->t, end = t + d->dt, v = 0, x = 0, same = 1e-12 * d->until;
    d->k->ahead = 0;
    for (int i = 0; i < PIECES && t < end; i++) {
        double to = fmin(end, lm_system_next_kink(g->sys, t + same)), h = to - t;
        int bad = lm_consistent_acceleration(g, t + 0.5 * h, g->q, g->v, d->a, d->lam);
        if (bad) return bad < 0 ? -1 : 0;
        double a = 0;
        for (int k = 0; k < g->sys->nv - g->sys->nvariables; k++)
            if (!g->sys->angular[k]) a = fmax(a, fabs(d->a[k]));
        x += h * (v + 0.5 * h * a);
        v += h * a;
        t = to;
    }
    d->k->ahead = x + v * (end - t);
    return 0;
}

limber_status lm_follow_size(lm_dynamics_run *d)
{
    const lm_integrator *g = d->g;
    double tau = d->dt, unit = d->k->unit, span = 0;
    double rounding = 1e-12 * v3_norm(d->run->model->gravity) * tau * tau;
    if (d->run->model->size > 0 || g->sys->nposes == 0) return LIMBER_OK;
    g->sys->form->poses(g->sys, g->q, d->pose);
    for (int i = 0; i < 7 * g->sys->nposes; i++)
        if (i % 7 < 3) {
            unit = fmax(unit, fabs(d->pose[i] - d->pose0[i]));
            span = fmax(span, fabs(d->pose0[i]));
        }
    double least = rounding + 1e-12 * span;
    int starts = g->clock->h == 0; /* then it may be about to move */
    double way = starts ? tau * lm_speed_norm(g->sys, 1, g->v) : reach(g, tau);
    if (g->stats.steps == 0 && way > least) unit = fmax(unit, reach(g, tau));
    d->k->unit = unit;
    if (unit <= least && way <= least) d->k->rested = g->clock->t;
    if (starts && d->k->rested == g->clock->t && look_ahead(d)) return LIMBER_MEMORY;
    if (g->clock->t <= d->k->rested + tau) unit = fmax(unit, d->k->ahead);
    if (unit <= least) unit = span; /* it stands: forces that cancel leave this */
    d->g->clock->size = unit > 0 ? unit : 1;
    return LIMBER_OK;
}

double lm_first_step(const lm_dynamics_run *d)
{
    double t = d->g->clock->t, same = 1e-12 * d->until, most = fmax(d->first_step, 1e-3 * d->dt);
    int points = d->run->model->size == 0 && d->k->rested > t - d->dt;
    double room = points ? lm_system_next_kink(d->g->sys, t + same) - t : INFINITY;
    return fmin(most, 1e-3 * fmax(room, same));
}
