/* Accelerations and reactions of rows of results (docs/theory/generalized-alpha.md, "Rows of results").
 *
 * The accelerations of a method, and with them its multipliers, are of lower order than its positions, and
 * interpolated they know nothing of loads that move nothing. Those that solve the equations of motion at q and
 * v are as accurate as q and v, unless springs or dampers are stiff for the step and amplify the errors of q
 * and v: then components that agree within this uncertainty stay. */
#include "solve/integrator.h"

#include <math.h>

/* Stiff: h^2 K + h D over the mass is more. Interpolation of q and v is off by some h^4/384, that of a by
 * h^2/8. */
#define STIFF       10
#define STIFF_NOISY 0.01 /* where a is noise, and between the ends v with it */

#define PROBE   0.2  /* where in a step its interpolation is probed */
#define CAUTION 10   /* uncertainty over what the probe shows: v has errors at the ends, too */
#define NUDGE   1e-6 /* a motion for trial */

/* Stiff bodies, and motions that have stiffness instead of mass, answer to the least error of q with large
 * accelerations. */
static int is_wanted(const lm_system *sys) { return !sys->flexible && !sys->massless; }

int lm_row_init(lm_integrator *g)
{
    const lm_system *sys = g->sys;
    size_t nq = (size_t)sys->nq, nv = (size_t)sys->nv, nl = (size_t)sys->nl;
    if (!is_wanted(sys)) return 0;
    g->solved = lm_alloc(sizeof(double) * (6 * nv + 2 * nl + nq + 1));
    g->row = lm_linear_create_for(sys, &sys->pattern, &sys->groups);
    return g->solved && g->row ? 0 : -1;
}

void lm_row_free(lm_integrator *g)
{
    lm_linear_destroy(g->row);
    lm_free(g->solved);
}

static int solve(lm_integrator *g, double t, const double *q, const double *v, double *a,
                 double *lam)
{
    lm_linear *factors = g->lin;
    long jacobians = g->stats.jacobians;
    lm_linear_new_pivots(g->row); /* rows must not depend on those before */
    g->lin = g->row;
    int bad = lm_consistent_acceleration(g, t, q, v, a, lam);
    g->lin = factors;
    g->stats.jacobians = jacobians;
    return bad;
}

/* By how much the rates of the interpolated positions and the interpolated velocities differ within the last
 * step: e[nv]. Both follow from the ends, the one without their accelerations. */
static void disagreement(const lm_integrator *g, double *xi, double *v, double *e)
{
    const lm_system *sys = g->sys;
    double h = g->clock->h, x = PROBE, x2 = x * x, x3 = x2 * x;
    double h01 = 3 * x2 - 2 * x3, h10 = x3 - 2 * x2 + x, h11 = x3 - x2;
    double d01 = 6 * (x - x2) / h, d10 = 3 * x2 - 4 * x + 1, d11 = 3 * x2 - 2 * x;
    sys->form->local_rate(sys, g->dx, g->v, v);
    for (int i = 0; i < sys->nv; i++) {
        xi[i] = h01 * g->dx[i] + h * (h10 * g->v0[i] + h11 * v[i]);
        e[i] = -(d01 * g->dx[i] + d10 * g->v0[i] + d11 * v[i]);
        v[i] = g->v0[i] + h01 * (g->v[i] - g->v0[i]) + h * (h10 * g->a0[i] + h11 * g->a[i]);
    }
    double *rate = v + sys->nv;
    sys->form->local_rate(sys, xi, v, rate);
    for (int i = 0; i < sys->nv; i++) e[i] += rate[i];
}

/* Solved once more with q moved by xi and v by w: into a2, lam2. 0; > 0: no solution; < 0: no memory. */
static int solve_moved(lm_integrator *g, const lm_state *st, const double *xi, double *w)
{
    lm_system *sys = g->sys;
    int nv = sys->nv, nl = sys->nl;
    double *a2 = g->solved + nv + nl, *lam2 = a2 + nv, *q = g->solved + 6L * nv + 2L * nl;
    for (int i = 0; i < nv; i++) w[i] += st->v[i];
    return sys->form->retract(sys, st->q, xi, q) ? 1 : solve(g, st->t, q, w, a2, lam2);
}

static double stiff_from(const lm_integrator *g)
{
    int noisy = g->opt.method == LM_METHOD_NEWMARK || g->opt.rho_inf > 0.95;
    return noisy && !g->ops->at ? STIFF_NOISY : STIFF;
}

/* 1: stiff for the step; 0 also where nothing is known; < 0: no memory. */
static int is_stiff(lm_integrator *g, const lm_state *st)
{
    const lm_system *sys = g->sys;
    int nv = sys->nv;
    double h = g->clock->h, size = g->clock->size, *a2 = g->solved + nv + sys->nl;
    double *xi = a2 + nv + sys->nl, *w = xi + nv;
    for (int i = 0; i < nv; i++) {
        xi[i] = NUDGE * cos(2.0 + i) * (sys->angular[i] ? 1 : size);
        w[i] = xi[i] / h;
    }
    int bad = solve_moved(g, st, xi, w);
    if (bad) return bad < 0 ? bad : 0;
    for (int i = 0; i < nv; i++) w[i] = a2[i] - st->a[i];
    return h * h * lm_speed_norm(sys, size, w) > stiff_from(g) * NUDGE;
}

/* Into a2, lam2: a and lam with errors of q and v as the interpolation may have. 0; 1: unknown; < 0. */
static int probe(lm_integrator *g, const lm_state *st)
{
    int nv = g->sys->nv;
    double *xi = g->solved + 2L * (nv + g->sys->nl), *w = xi + nv, *e = w + 2 * nv;
    disagreement(g, xi, w, e);
    for (int i = 0; i < nv; i++) xi[i] = g->clock->h / 3 * e[i], w[i] = e[i];
    return solve_moved(g, st, xi, w);
}

/* y to x, but where both agree within what x is uncertain: there the smooth one is as good. */
static void take(double *y, const double *x, const double *moved, int n)
{
    for (int i = 0; i < n; i++)
        if (!moved || !(fabs(x[i] - y[i]) <= CAUTION * fabs(moved[i] - x[i]))) y[i] = x[i];
}

int lm_row_solve(lm_integrator *g, double t, const double *q, const double *v, double *a,
                 double *lam)
{
    int nv = g->sys->nv, nl = g->sys->nl;
    if (!g->row || g->clock->h == 0) return 0;
    double *a1 = g->solved, *lam1 = a1 + nv, *a2 = lam1 + nl, *lam2 = a2 + nv;
    lm_state st = {t, q, v, a1, lam1};
    int bad = solve(g, t, q, v, a1, lam1);
    if (bad) return bad < 0 ? bad : 0;
    int stiff = !g->ops->always_solves && is_stiff(g, &st);
    if (stiff > 0) bad = g->ops->at ? 1 : probe(g, &st);
    if (stiff < 0 || bad) return stiff < 0 || bad < 0 ? -1 : 0;
    take(a, a1, stiff ? a2 : NULL, nv);
    take(lam, lam1, stiff ? lam2 : NULL, nl);
    return 0;
}
