/* What all methods share: the state block, norms of motions, sizes of steps, starts and interpolation. */
#include "solve/integrator.h"

#include "form/machine.h"

#include <math.h>

int lm_integrator_init(lm_integrator *g, const lm_integrator_ops *ops, lm_system *sys,
                       const lm_integrator_options *opt, size_t extra, double **own)
{
    size_t nq = (size_t)sys->nq, nv = (size_t)sys->nv, nl = (size_t)sys->nl;
    size_t head = sizeof(lm_clock) / sizeof(double);
    g->ops = ops;
    g->sys = sys;
    g->opt = *opt;
    g->block_size = head + 2 * (nq + 2 * nv + nl) + nv + extra;
    g->block = lm_alloc(sizeof(double) * g->block_size);
    g->x = lm_alloc(sizeof(double) * (5 * (nv + nl) + nq + 1));
    g->pose = lm_alloc(sizeof(double) * (7 * (size_t)sys->nposes + 1));
    g->lin = lm_linear_create_for(sys, &sys->pattern, &sys->groups);
    if (sys->massless) g->settled = lm_alloc(sizeof(double) * (2 * nv + (size_t)sys->nl + 1));
    if (!g->block || !g->x || !g->pose || !g->lin || (sys->massless && !g->settled)) return -1;
    if (!ops->lands_on_outputs && lm_row_init(g)) return -1;
    g->clock = (lm_clock *)(void *)g->block;
    double *p = g->block + head;
    g->q = p, p += nq;
    g->v = p, p += nv;
    g->a = p, p += nv;
    g->lam = p, p += nl;
    g->q0 = p, p += nq;
    g->v0 = p, p += nv;
    g->a0 = p, p += nv;
    g->lam0 = p, p += nl;
    g->dx = p, p += nv;
    if (own) *own = p;
    return 0;
}

void lm_integrator_free(lm_integrator *g)
{
    if (!g) return;
    lm_linear_destroy(g->lin);
    lm_row_free(g);
    lm_free(g->block);
    lm_free(g->x);
    lm_free(g->pose);
    lm_free(g->settled);
}

double lm_integrator_reach(lm_integrator *g)
{
    double most = 0;
    g->sys->form->poses(g->sys, g->q, g->pose);
    for (int i = 0; i < 7 * g->sys->nposes; i += 7)
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(g->pose[i + k]));
    return most;
}

/* Angles and ways of drives grow with time, and are rounded as they are large: by that the motion moves. */
double lm_integrator_far(lm_integrator *g)
{
    double way = lm_speed_norm(g->sys, g->clock->size, g->v) * fabs(g->clock->t);
    return fmax(1, 0.1 * fmax(lm_integrator_reach(g) / g->clock->size, way));
}

lm_energy lm_integrator_energy(const lm_integrator *g, const lm_state *st)
{
    lm_energy e = {0};
    return g->sys->form->energy(g->sys, st, &e) ? (lm_energy){0} : e;
}

double lm_speed_norm(const lm_system *sys, double size, const double *dx)
{
    double most = 0, unit = 1 / (size * size);
    int n = sys->scalar ? 1 : 3, moving = sys->nv - sys->nvariables;
    for (int i = 0; i < moving; i += n) {
        double sum = 0;
        for (int k = i; k < i + n; k++) sum += dx[k] * dx[k];
        if (!sys->angular[i]) sum *= unit;
        if (!(sum <= most)) most = sum; /* keeps NaN */
    }
    return sqrt(most);
}

double lm_motion_norm(const lm_system *sys, double size, const double *dx)
{
    double most = lm_speed_norm(sys, size, dx);
    for (int k = 0; k < sys->nvariables; k++) {
        double x = fabs(lm_variable_motion(sys, k, dx[sys->nv - sys->nvariables + k]));
        if (!(x <= most)) most = x;
    }
    return most;
}

/* ---- sizes of steps ---- */

double lm_step_within(double want, double room)
{
    return want >= room * (1 - 1e-9) ? room : want > 0.5 * room ? 0.5 * room : want;
}

double lm_step_grid_end(const lm_integrator *g, double limit)
{
    double step = g->opt.step, n = floor((g->clock->t - g->opt.t0) / step + 1e-6) + 1;
    double end = fmin(g->opt.t0 + n * step, limit);
    return limit - end < 1e-6 * step ? limit : end;
}

/* Rounding errors of positions add up along a chain. */
double lm_step_grid_goal(const lm_integrator *g) { return 1e-12 * fmax(1, g->sys->nv / 100.0); }

/* ---- start and interpolation ---- */

void lm_integrator_count(lm_integrator *g, double h)
{
    lm_step_stats *k = &g->stats;
    k->steps++;
    if (k->smallest == 0 || h < k->smallest) k->smallest = h;
    if (h > k->largest) k->largest = h;
}

void lm_integrator_arrive(lm_integrator *g, double t, double h)
{
    g->clock->t = t;
    g->clock->h = h;
    g->clock->h_history = h;
    lm_integrator_count(g, h);
}

void lm_integrator_keep(lm_integrator *g)
{
    const lm_system *sys = g->sys;
    lm_copy(g->q0, g->q, sys->nq);
    lm_copy(g->v0, g->v, sys->nv);
    lm_copy(g->a0, g->a, sys->nv);
    lm_copy(g->lam0, g->lam, sys->nl);
}

void lm_integrator_refresh(lm_integrator *g)
{
    g->clock->fresh = lm_linear_full_factors(g->lin) > 1 ? 2 : 1;
}

/* What the steps so far have left open of the constraints would be closed within each try of the next step,
 * however small, and count as its error. -1: no memory. */
static int close_gap(lm_integrator *g, double t)
{
    double moved = 0, gap = 0;
    if (g->sys->nl == 0) return 0;
    lm_copy(g->q0, g->q, g->sys->nq);
    int bad = lm_project_position(g, t, g->q, &moved, &gap);
    if (bad < 0) return bad;
    if (bad || moved > 1e-6) lm_copy(g->q, g->q0, g->sys->nq); /* a singular position, perhaps */
    return 0;
}

int lm_integrator_start(lm_integrator *g, double t, int keep_step)
{
    lm_system *sys = g->sys;
    double change = 0;
    int bad = lm_check_mass(g, t, g->q, g->v);
    if (!bad && sys->massless) bad = lm_check_massless(g, t, g->q, g->v);
    if (!bad && keep_step) bad = close_gap(g, t);
    int settles = sys->massless && !sys->nvariables && !sys->algebraic;
    if (!bad && settles) bad = lm_settle_massless(g, t);
    if (!bad) bad = lm_project_velocity(g, t, g->q, g->v, &change);
    if (!bad) bad = lm_consistent_acceleration(g, t, g->q, g->v, g->a, g->lam);
    if (bad) {
        if (bad > 0) lm_explain_mass(g, t, bad);
        g->unsolved = bad == 3;
        return bad;
    }
    g->clock->t = t;
    g->clock->h = 0;
    g->clock->h_history = 0;
    g->clock->err_last = 0;
    g->clock->restart = 0;
    lm_integrator_refresh(g);
    if (!keep_step) g->clock->h_next = g->opt.first_step;
    lm_integrator_keep(g);
    memset(g->dx, 0, sizeof(double) * (size_t)sys->nv);
    return 0;
}

/* Cubic Hermite in the local coordinates of the step, q = exp(xi) q0: xi runs from 0 to dx with end
 * rates h v0 and h Tinv(dx) v1; velocities by the cubic through v and a; a and lam linearly. */
static int interpolate(lm_integrator *g, double t, double *q, double *v, double *a, double *lam)
{
    const lm_system *sys = g->sys;
    double h = g->clock->h, x = h > 0 ? 1 - (g->clock->t - t) / h : 1;
    if (g->ops->at && x < 1) return g->ops->at(g, t, q, v, a, lam);
    double x2 = x * x, x3 = x2 * x, h01 = 3 * x2 - 2 * x3, h10 = x3 - 2 * x2 + x, h11 = x3 - x2;
    for (int i = 0; i < sys->nv; i++) {
        if (v) v[i] = g->v0[i] + h01 * (g->v[i] - g->v0[i]) + h * (h10 * g->a0[i] + h11 * g->a[i]);
        if (a) a[i] = (1 - x) * g->a0[i] + x * g->a[i];
    }
    for (int k = 0; k < sys->nl && lam; k++) lam[k] = (1 - x) * g->lam0[k] + x * g->lam[k];
    if (x >= 1) {
        memcpy(q, g->q, sizeof(double) * (size_t)sys->nq);
        return 0;
    }
    sys->form->local_rate(sys, g->dx, g->v, g->x);
    for (int i = 0; i < sys->nv; i++)
        g->x[i] = h01 * g->dx[i] + h * (h10 * g->v0[i] + h11 * g->x[i]);
    return g->sys->form->retract(g->sys, g->q0, g->x, q);
}

int lm_integrator_at(lm_integrator *g, double t, double *q, double *v, double *a, double *lam)
{
    int bad = interpolate(g, t, q, v, a, lam);
    int solves = g->ops->always_solves && a && lam;
    return bad || !solves ? bad : lm_row_solve(g, t, q, v, a, lam);
}

int lm_integrator_row(lm_integrator *g, double t, double *q, double *v, double *a, double *lam)
{
    int bad = interpolate(g, t, q, v, a, lam);
    return bad ? bad : lm_row_solve(g, t, q, v, a, lam);
}
