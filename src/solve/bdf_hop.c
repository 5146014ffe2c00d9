/* Over a singular position of the mechanism. There constraints depend on each other, rounding errors
 * of the velocities grow without bounds, and smaller steps only come nearer to the bad place. So the
 * polynomial of the last good step is followed to the far side of it, and IDA starts again there. */
#include "solve/bdf.h"

#include <math.h>
#include <string.h>

void bdf_remember(bdf *b)
{
    lm_integrator *s = &b->base;
    int nv = s->sys->nv, order = 0;
    int old = b->past->order == 0 || s->clock->t > b->past->t + 3 * b->past->h;
    if (s->clock->h < 0.3 * b->past->slow || IDAGetLastOrder(b->ida, &order)) return;
    if (order < 3 || (!old && b->clean <= order)) return;
    b->past->order = 0;
    for (int k = 0; k <= order; k++) {
        if (IDAGetDky(b->ida, s->clock->t, k, b->dky)) return;
        memcpy(b->past_y + 2 * nv * k, NV_DATA_S(b->dky), 2 * sizeof(double) * (size_t)nv);
    }
    memcpy(b->past_q, b->q_ref, sizeof(double) * (size_t)s->sys->nq);
    b->past->t = s->clock->t;
    b->past->h = s->clock->h;
    b->past->order = order;
}

int bdf_follow(bdf *b, double t)
{
    int n = 2 * b->base.sys->nv, order = (int)b->past->order;
    double *x = NV_DATA_S(b->res), h = t - b->past->t;
    memcpy(x, b->past_y + n * order, sizeof(double) * (size_t)n);
    for (int k = order - 1; k >= 0; k--)
        for (int i = 0; i < n; i++) x[i] = b->past_y[n * k + i] + x[i] * h / (k + 1);
    return bdf_place(b, b->past_q, x, t);
}

/* How regular the constraints are there, 0: not at all; < 0: memory. */
static double regularity(bdf *b, double t)
{
    lm_integrator *s = &b->base;
    if (bdf_follow(b, t)) return 0;
    int bad = lm_factor_mass(s, t, b->q, NV_DATA_S(b->res) + s->sys->nv);
    return bad < 0 ? -1 : bad ? 0 : lm_linear_rcond(s->lin);
}

/* Take the state at t, with positions and velocities on the constraints; unless that changes them by
 * more than `most`. */
static int land(bdf *b, double t, double most)
{
    lm_integrator *s = &b->base;
    lm_system *sys = s->sys;
    size_t nv = (size_t)sys->nv;
    double moved = 0, gap = 0, change = 0, *v = NV_DATA_S(b->res) + nv;
    double *a = NV_DATA_S(b->dky), *lam = a + nv;
    int bad = bdf_follow(b, t);
    if (!bad) bad = lm_project_position(s, t, b->q, &moved, &gap);
    if (!bad) bad = lm_project_velocity(s, t, b->q, v, &change);
    if (!bad) bad = fmax(moved, change / s->clock->speed) > most;
    if (!bad) bad = lm_consistent_acceleration(s, t, b->q, v, a, lam);
    if (bad) return bad;
    memcpy(s->q, b->q, sizeof(double) * (size_t)sys->nq);
    memcpy(s->v, v, sizeof(double) * nv);
    memcpy(s->a, a, sizeof(double) * nv);
    memcpy(s->lam, lam, sizeof(double) * (size_t)sys->nl);
    return 0;
}

/* The way ahead is looked at in quarters of the good step: through the least regular place to where
 * it is as good as it was then, and much better than there. */
int bdf_hop(bdf *b, double limit, double most, double *end)
{
    enum { QUARTERS = 32 };
    double t = b->base.clock->t, h = b->past->h;
    if (b->past->order == 0 || t > b->past->t + 4 * h) return 1;
    b->factor_cj = 0; /* the factors are used up here */
    double good = regularity(b, b->past->t), least = fmin(good, regularity(b, t));
    for (int i = 1; i <= QUARTERS && least >= 0; i++) {
        *end = t + 0.25 * i * h;
        if (*end >= limit) return 1;
        double now = regularity(b, *end);
        least = fmin(least, now);
        if (now >= 3 * least && now >= good && i >= 4) return land(b, *end, most);
    }
    return least < 0 ? -1 : 1;
}
