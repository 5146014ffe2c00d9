/* Accelerations and reactions that the equations of motion ask for (docs/theory/accelerations.md). */
#include "solve/integrator.h"

#include <float.h>
#include <math.h>

enum { FREE_STEPS = 12, DAMPED_STEPS = 40, HALVINGS = 12 };

#define ROUNDED   1e-13 /* changes over the size of what changes: rounding */
#define CANCELLED 1e-11 /* ... of forces that balance */
#define NOISE     30    /* ... over what rounding of the state makes */
#define STALLED   1e-6  /* the same, of changes that become no smaller */

/* Right side: -residual/unit, and -d2(phi)/dt2. */
static int acceleration_rhs(lm_integrator *g, const lm_state *s, double *x)
{
    const lm_system *sys = g->sys;
    int nv = sys->nv, nl = sys->nl;
    if (g->sys->form->constraint_accel(g->sys, s, x + nv)) return 1;
    if (g->sys->form->residual(g->sys, s, x, NULL, NULL)) return 1;
    for (int i = 0; i < nv; i++) x[i] *= -1 / g->mass_unit;
    for (int k = 0; k < nl; k++)
        x[nv + k] = sys->active[k] ? -x[nv + k] : -s->lam[k] / g->mass_unit;
    return 0;
}

/* The same without a matrix, where nothing but masses resists: 0, or 1 to use the matrix. */
static int direct_acceleration(lm_integrator *g, double t, const double *q, const double *v,
                               double *a, double *lam)
{
    lm_system *sys = g->sys;
    lm_state s = {t, q, v, a, NULL};
    if (sys->form->accelerations && !sys->form->accelerations(sys, &s, a, lam)) return 0;
    if (!sys->quick_mass || sys->nl > 0 || sys->algebraic) return 1;
    if (sys->form->residual(sys, &s, g->x, NULL, NULL)) return 1;
    for (int i = 0; i < sys->nv; i++) g->x[i] = -g->x[i];
    if (sys->form->divide_by_mass(sys, t, q, g->x)) return 1;
    lm_copy(a, g->x, sys->nv);
    return 0;
}

/* a and lam moved by `part` of the solution x. */
static void move(const lm_integrator *g, const double *x, double part, double *a, double *lam)
{
    for (int i = 0; i < g->sys->nv; i++) a[i] += part * x[i];
    for (int k = 0; k < g->sys->nl; k++) lam[k] += part * g->mass_unit * x[g->sys->nv + k];
}

/* The largest number of a solution; not a number where one is none. */
static double largest(const double *x, int n)
{
    double most = 0, sum = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i])), sum += x[i];
    return isfinite(sum) ? most : NAN;
}

/* Reactions over the typical mass are accelerations. */
static double size_of(const lm_integrator *g, const double *a, const double *lam)
{
    return fmax(largest(a, g->sys->nv), largest(lam, g->sys->nl) / g->mass_unit);
}

/* M a + Phi^T lam = f, Phi a = -bias with f known: linear, and refined. */
static int linear_acceleration(lm_integrator *g, const lm_state *s, double *a, double *lam)
{
    const lm_system *sys = g->sys;
    int bad = lm_factor_mass_at(g, s), alone = sys->nl == 0 && !sys->massless;
    for (int it = 0; it <= (alone ? 0 : LM_MASS_REFINEMENTS) && !bad; it++) {
        if (acceleration_rhs(g, s, g->x)) return 2;
        lm_linear_solve(g->lin, g->x);
        if (!isfinite(largest(g->x, sys->nv + sys->nl))) return 2;
        move(g, g->x, 1, a, lam);
    }
    return bad;
}

/* A part of the Newton step x after which the next correction with the same matrix is smaller (Deuflhard's
 * natural test); a and lam are moved by it. 0; 1: there is none; 2: no finite number. */
static int damped_step(lm_integrator *g, const lm_state *s, double *a, double *lam)
{
    int n = g->sys->nv + g->sys->nl;
    double *x = g->x + n, size, part = 1;
    lm_copy(x, g->x, n);
    size = largest(x, n);
    for (int k = 0; k < HALVINGS; k++, part *= 0.5) {
        move(g, x, part, a, lam);
        if (acceleration_rhs(g, s, g->x)) return 2;
        lm_linear_solve(g->lin, g->x);
        if (largest(g->x, n) <= (1 - 0.25 * part) * size) return 0;
        move(g, x, -part, a, lam);
    }
    return 1;
}

/* The largest force without a and lam, loads and the rest apart, over the typical mass: what cancels at rest is
 * rounding of it. */
static double balanced(lm_integrator *g, const lm_state *s)
{
    lm_system *sys = g->sys;
    int n = sys->nv + sys->nl;
    double *r = g->x + n, *none = g->x + 3 * n, most = 0, factor = sys->load_factor;
    lm_state free = {s->t, s->q, s->v, none, none + sys->nv};
    memset(none, 0, sizeof(double) * (size_t)n);
    for (int loaded = 1; loaded >= 0; loaded--) {
        sys->load_factor = loaded ? factor : 0;
        int bad = sys->form->residual(sys, &free, loaded ? g->x : r, NULL, NULL);
        sys->load_factor = factor;
        if (bad) return 0;
    }
    for (int i = 0; i < sys->nv; i++) most = fmax(most, fmax(fabs(r[i]), fabs(r[i] - g->x[i])));
    return most / g->mass_unit;
}

/* What forces change by where the state moves by its own rounding, over the typical mass: no better are
 * accelerations known where springs hold a load. */
static double rounded_state(lm_integrator *g, const lm_state *s)
{
    lm_system *sys = g->sys;
    int nv = sys->nv, n = nv + sys->nl, moving = nv - sys->nvariables;
    double *r = g->x + n, *dx = g->x + 3 * n, *q = g->x + 4 * n, *v = q + sys->nq, most = 0;
    double reach = fmax(lm_integrator_reach(g), g->clock->size);
    lm_state moved = {s->t, q, v, s->a, s->lam};
    for (int i = 0; i < nv; i++) {
        double by = i % 2 ? DBL_EPSILON : -DBL_EPSILON;
        dx[i] = by * (i < moving ? (sys->angular[i] ? 1 : reach) : fabs(s->q[sys->nq - nv + i]));
        v[i] = (1 + by) * s->v[i];
    }
    if (sys->form->retract(sys, s->q, dx, q)) return 0;
    if (sys->form->residual(sys, s, r, NULL, NULL)) return 0;
    if (sys->form->residual(sys, &moved, dx, NULL, NULL)) return 0;
    for (int i = 0; i < nv; i++) most = fmax(most, fabs(r[i] - dx[i]));
    return most / g->mass_unit;
}

static int only_rounding(lm_integrator *g, const lm_state *s, double change)
{
    return change <= CANCELLED * balanced(g, s) || change <= NOISE * rounded_state(g, s);
}

/* Newton's method with the exact tangent from the a and lam that are there. 0; 1 singular, 2 not finite,
 * 3: no convergence. */
static int newton(lm_integrator *g, const lm_state *s, double *a, double *lam)
{
    const lm_system *sys = g->sys;
    int n = sys->nv + sys->nl;
    double last = INFINITY;
    for (int it = 0; it < FREE_STEPS + DAMPED_STEPS; it++) {
        int bad = lm_factor_mass_at(g, s);
        if (bad) return bad == 1 && it > 0 ? 3 : bad;
        if (acceleration_rhs(g, s, g->x)) return 2;
        lm_linear_solve(g->lin, g->x);
        double change = largest(g->x, n);
        if (!isfinite(change)) return it > 0 ? 3 : 2;
        int damped = it >= FREE_STEPS && change > STALLED * size_of(g, a, lam);
        bad = damped ? damped_step(g, s, a, lam) : 0;
        if (bad) return bad == 1 ? 3 : bad;
        if (damped) continue;
        move(g, g->x, 1, a, lam);
        double size = size_of(g, a, lam);
        if (it > 0 &&
            (change <= ROUNDED * size || (change >= 0.5 * last && change <= STALLED * size)))
            return 0;
        last = change;
        if (it == FREE_STEPS - 1 && only_rounding(g, s, change)) return 0;
    }
    return 3;
}

static void begin_at(const lm_integrator *g, double factor, const double *from, double *a,
                     double *lam)
{
    memset(a, 0, sizeof(double) * (size_t)g->sys->nv);
    memset(lam, 0, sizeof(double) * (size_t)g->sys->nl);
    if (factor != 0) move(g, from, factor, a, lam);
}

/* Newton's method from no accelerations and reactions at all; where that does not converge, from those that
 * one step of it gives, and others as large, of both signs: a force that goes with |lam| has another law for
 * each sign of it. */
static int algebraic_acceleration(lm_integrator *g, const lm_state *s, double *a, double *lam)
{
    static const double factor[] = {1, -1, 30, -30};
    int n = g->sys->nv + g->sys->nl, bad = newton(g, s, a, lam);
    if (bad != 3 || g->sys->nvariables) return bad;
    double *first = g->x + 2 * n;
    begin_at(g, 0, NULL, a, lam);
    if (lm_factor_mass_at(g, s) || acceleration_rhs(g, s, g->x)) return 3;
    lm_linear_solve(g->lin, g->x);
    lm_copy(first, g->x, n);
    for (int i = 0; i < 4 && bad; i++) {
        begin_at(g, factor[i], first, a, lam);
        bad = newton(g, s, a, lam);
    }
    return bad ? 3 : 0;
}

int lm_consistent_acceleration(lm_integrator *g, double t, const double *q, const double *v,
                               double *a, double *lam)
{
    lm_state s = {t, q, v, a, lam};
    memset(a, 0, sizeof(double) * (size_t)g->sys->nv);
    if (!direct_acceleration(g, t, q, v, a, lam)) return 0;
    begin_at(g, 0, NULL, a, lam);
    return g->sys->algebraic ? algebraic_acceleration(g, &s, a, lam)
                             : linear_acceleration(g, &s, a, lam);
}

int lm_other_acceleration(lm_integrator *g, double t, const double *q, const double *v,
                          const double *a, const double *lam, double *a1, double *lam1)
{
    static const double factor[] = {-1, -30, 30};
    int nv = g->sys->nv, nl = g->sys->nl;
    double *known = g->x + 2 * (nv + nl), apart = 0;
    lm_state s = {t, q, v, a1, lam1};
    if (!g->sys->algebraic || g->sys->nvariables) return 0;
    lm_copy(known, a, nv);
    for (int k = 0; k < nl; k++) known[nv + k] = lam[k] / g->mass_unit;
    for (int i = 0; i < 3; i++) {
        begin_at(g, factor[i], known, a1, lam1);
        if (newton(g, &s, a1, lam1)) continue;
        for (int k = 0; k < nv; k++) apart = fmax(apart, fabs(a1[k] - a[k]));
        if (apart > STALLED * fmax(size_of(g, a, lam), size_of(g, a1, lam1))) return 1;
    }
    return 0;
}
