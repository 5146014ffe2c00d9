/* The equations of one step of the method `bdf`, and Newton's method for them.
 *
 * The stabilised index-2 form in the unknowns y = (xi, v, lam), with q = retract(q_ref, xi):
 *     f = xi' - Tinv(xi) v - s            = 0
 *     r = M v' - f(t, q, v) + Phi^T lam   = 0
 *         d(phi)/dt                       = 0
 *         phi(t, q)                       = 0
 * The slip s lies along the constraint forces and is zero but for the error of the step: it is not
 * an unknown of IDA's, but is found here (docs/theory/bdf.md).
 *
 * The formula of a step gives y' = y'_p + cj (y - y_p). A motion d of the positions that is also one
 * of the velocities, cj d, and of the accelerations, cj^2 d, and a correction e of the positions
 * alone solve, with r divided by cj^2 as in genalpha.c,
 *     [ M + D/cj + K/cj^2   Phi^T ] [ d          e  ]   [ -r/cj^2        0              ]
 *     [ Phi                  0    ] [ dlam/cj^2  mu ] = [ -phi'/cj    -phi + phi'/cj    ]
 * one sparse matrix of the seam's pattern for both, and its factors are kept from step to step. */
#include "solve/bdf.h"

#include <math.h>
#include <string.h>

/* Softness of loop rows over the typical mass: keeps factors alive in singular positions. */
#define SOFTNESS 1e-12

/* Factors are given up when the mechanism has moved by so much of its size, or turned so many
 * radians: the directions of the constraint forces are then too old. */
#define MOST_TURNED 0.05

/* One try of a step: what IDA tells of it. */
typedef struct trial {
    double t, cj;
    N_Vector correction; /* y - y_p, the unknown */
    const double *y, *yp;
    void *ida;
} trial;

/* ---- the equations ---- */

int bdf_residual(double t, N_Vector y, N_Vector yp, N_Vector res, void *data)
{
    bdf *b = data;
    lm_integrator *s = &b->base;
    lm_system *sys = s->sys;
    int nv = sys->nv;
    const double *xi = NV_DATA_S(y), *rate = NV_DATA_S(yp);
    double *f = NV_DATA_S(res), t0 = s->profile.on ? lm_seconds() : 0;
    lm_state st = {t, b->q, xi + nv, rate + nv, xi + 2 * nv};
    int bad = bdf_place(b, b->q_ref, xi, t);
    if (!bad) bad = sys->form->residual(sys, &st, f + nv, b->gap, f + 2 * nv);
    if (bad) return bad;
    sys->form->local_rate(sys, xi, xi + nv, b->rate);
    for (int i = 0; i < nv; i++) f[i] = rate[i] - b->rate[i] - b->slip[i];
    if (s->profile.on) s->profile.residual += lm_seconds() - t0;
    return 0;
}

/* How much larger than errors of the constraints are the motions that they cause: the motions by
 * errors of about one unit in all rows, in two mixtures. */
double bdf_echo(bdf *b)
{
    lm_integrator *s = &b->base;
    const lm_system *sys = s->sys;
    int nv = sys->nv, nl = sys->nl, n = nv + nl;
    double *x = s->x;
    if (nl == 0) return 1;
    memset(x, 0, sizeof(double) * 2 * (size_t)n);
    for (int k = 0; k < nl; k++) {
        double unit = sys->active[k] ? 2 * lm_gap_unit(s, k) : 0;
        x[nv + k] = unit * sin(1 + 2.3 * k);
        x[n + nv + k] = unit * cos(2 + 3.1 * k);
    }
    lm_linear_correct(s->lin, 2, x);
    double size = s->clock->size;
    return fmax(1, fmax(lm_speed_norm(sys, size, x), lm_speed_norm(sys, size, x + n)));
}

static int refactor(bdf *b, const trial *k)
{
    lm_integrator *s = &b->base;
    int nv = s->sys->nv;
    lm_state st = {k->t, b->q, k->y + nv, k->yp + nv, k->y + 2 * nv};
    double t0 = s->profile.on ? lm_seconds() : 0, cj = k->cj;
    s->stats.jacobians++;
    s->sys->softness = SOFTNESS / s->mass_unit;
    if (s->sys->form->jacobian(s->sys, &st, 1, 1 / cj, 1 / (cj * cj), lm_linear_values(s->lin)))
        return 2;
    double t1 = s->profile.on ? lm_seconds() : 0;
    lm_linear_set_mass(s->lin, s->mass_unit);
    int bad = lm_linear_factor(s->lin);
    if (s->profile.on) {
        s->profile.jacobian += t1 - t0;
        s->profile.factor += lm_seconds() - t1;
    }
    b->factor_cj = bad ? 0 : cj;
    if (!bad) b->echo = bdf_echo(b);
    b->turned = 0;
    return bad;
}

/* ---- Newton's method ---- */

/* Both right sides, from the residual. Returns the size of what the second one has to close. */
static double right_sides(bdf *b, double cj)
{
    lm_integrator *s = &b->base;
    const lm_system *sys = s->sys;
    int nv = sys->nv, nl = sys->nl, n = nv + nl;
    const double *r = NV_DATA_S(b->res) + nv, *rate = r + nv;
    double *x = s->x, *e = s->x + n, open = 0;
    for (int i = 0; i < nv; i++) x[i] = -r[i] / (cj * cj);
    memset(e, 0, sizeof(double) * (size_t)nv);
    for (int k = 0; k < nl; k++) {
        x[nv + k] = sys->active[k] ? -rate[k] / cj : -b->gap[k] / (cj * cj);
        e[nv + k] = sys->active[k] ? -b->gap[k] - x[nv + k] : 0;
        open = fmax(open, fabs(e[nv + k]) / (sys->angular[nv + k] ? 1 : b->unit));
    }
    return open;
}

/* Add the solutions to the correction. Returns their size: motions (alone in *motion), velocities,
 * and multipliers as the motions that they would cause if they were wrong. */
static double correct(bdf *b, const trial *k, int gap, double *motion)
{
    lm_integrator *s = &b->base;
    const lm_system *sys = s->sys;
    int nv = sys->nv, nl = sys->nl;
    double *cor = NV_DATA_S(k->correction), cj = k->cj, size = b->unit;
    double *d = s->x, *e = s->x + nv + nl, *f = NV_DATA_S(b->res), mass = 1 / (size * s->mass_unit);
    s->sys->tick = 1 / cj;
    double most = lm_motion_norm(sys, size, d);
    double speeds = lm_speed_norm(sys, size, d) * cj / s->clock->speed;
    *motion = most + lm_speed_norm(sys, size, f) / cj;
    sys->form->local_rate(sys, k->y, d, b->rate);
    for (int i = 0; i < nv; i++) {
        cor[i] += b->rate[i] - f[i] / cj;
        cor[nv + i] += cj * d[i];
    }
    if (gap) {
        *motion += lm_speed_norm(sys, size, e);
        sys->form->local_rate(sys, k->y, e, b->rate);
        for (int i = 0; i < nv; i++) {
            cor[i] += b->rate[i];
            b->slip[i] += cj * b->rate[i];
        }
    }
    most = fmax(*motion, speeds);
    for (int i = 0; i < nl; i++) {
        double m = fabs(d[nv + i]) * mass * (sys->angular[nv + i] ? 1 / size : 1);
        cor[2 * nv + i] += cj * cj * d[nv + i];
        if (!(m <= most)) most = m;
    }
    return most;
}

/* One iteration: the residual is that of the present correction. */
static double iteration(bdf *b, const trial *k, double goal, double *motion)
{
    lm_integrator *s = &b->base;
    double open = right_sides(b, k->cj), t0 = s->profile.on ? lm_seconds() : 0;
    int gap = open > fmax(0.01 * goal, 1e-16);
    lm_linear_correct(s->lin, gap ? 2 : 1, s->x);
    if (s->profile.on) s->profile.solve += lm_seconds() - t0;
    s->stats.iterations++;
    return correct(b, k, gap, motion);
}

/* The residual at the present correction; new factors there, where they are wanted. */
static bdf_result evaluate(bdf *b, const trial *k, int factors)
{
    const double *r = NV_DATA_S(b->res) + b->base.sys->nv;
    int bad = b->system(k->correction, b->res, k->ida) ? 2 : 0;
    if (!bad && factors) bad = refactor(b, k);
    if (bad == 2) {
        lm_explain_not_finite(&b->base, k->t, r, b->base.sys->nv);
        b->finite = 0;
        return BDF_NOT_FINITE;
    }
    return bad < 0 ? BDF_NO_MEMORY : bad ? BDF_DIVERGED : BDF_CONVERGED;
}

static bdf_result iterate(bdf *b, const trial *k)
{
    const lm_integrator *s = &b->base;
    double goal = fmax(0.03 * b->allowed, 1e-15), last = 0, ratio = k->cj / b->factor_cj;
    double floor = 4e-15 * (1 + lm_speed_norm(s->sys, b->unit, k->y));
    int factors = b->factor_cj == 0 || ratio > 1.6 || ratio < 0.6 || b->turned > MOST_TURNED;
    int current = factors; /* made in this step */
    for (int it = 0; it < 12; it++) {
        bdf_result why = evaluate(b, k, factors);
        if (why) return why;
        factors = 0;
        double motion, size = iteration(b, k, goal, &motion);
        if (!isfinite(size)) return BDF_DIVERGED;
        double rate = last > 0 ? size / last : 0; /* last 0: not known with these factors */
        double left = last > 0 ? (rate < 1 ? size * rate / (1 - rate) : INFINITY) : size;
        if (left <= goal || size <= floor) return BDF_CONVERGED;
        last = size;
        if (rate <= 0.3) continue;
        if (current && it > 1 && motion <= 1e-15 * b->echo) return BDF_CONVERGED;
        /* the first two differ in kind: positions are corrected, then velocities that go with them */
        if (current && it > 1 && rate > 0.9) return rate > 1 ? BDF_DIVERGED : BDF_SLOW;
        if (current) continue;
        factors = current = 1;
        last = 0;
    }
    return BDF_SLOW;
}

/* Positions that go with the predicted velocities, as the correction to begin with. */
static void begin(bdf *b, const trial *k, const double *y, const double *yp)
{
    int nv = b->base.sys->nv;
    double *cor = NV_DATA_S(k->correction);
    memset(b->slip, 0, sizeof(double) * (size_t)nv);
    b->base.sys->form->local_rate(b->base.sys, y, y + nv, b->rate);
    for (int i = 0; i < nv; i++) cor[i] = (b->rate[i] - yp[i]) / k->cj;
}

static int solve(SUNNonlinearSolver newton, N_Vector y0, N_Vector y, N_Vector w, realtype tol,
                 booleantype setup, void *ida)
{
    bdf *b = newton->content;
    trial k = {.correction = y, .ida = ida};
    N_Vector predicted, rates, now, now_rates, none;
    void *data;
    (void)y0, (void)w, (void)tol, (void)setup; /* the weights are allowed, size and speed */
    if (IDAGetNonlinearSystemData(ida, &k.t, &predicted, &rates, &now, &now_rates, &none, &k.cj,
                                  &data))
        return SUN_NLS_MEM_NULL;
    k.y = NV_DATA_S(now), k.yp = NV_DATA_S(now_rates);
    begin(b, &k, NV_DATA_S(predicted), NV_DATA_S(rates));
    bdf_result why = iterate(b, &k);
    if (why == BDF_CONVERGED) return SUN_NLS_SUCCESS;
    b->why = why;
    b->factor_cj = 0;
    b->base.stats.rejected++;
    return why == BDF_NO_MEMORY ? SUN_NLS_MEM_FAIL : SUN_NLS_CONV_RECVR;
}

/* ---- as IDA wants it ---- */

static SUNNonlinearSolver_Type type(SUNNonlinearSolver newton)
{
    (void)newton;
    return SUNNONLINEARSOLVER_ROOTFIND;
}

static int set_system(SUNNonlinearSolver newton, SUNNonlinSolSysFn f)
{
    ((bdf *)newton->content)->system = f;
    return SUN_NLS_SUCCESS;
}

SUNNonlinearSolver bdf_newton_new(bdf *b)
{
    SUNNonlinearSolver newton = SUNNonlinSolNewEmpty(b->context);
    if (!newton) return NULL;
    newton->content = b;
    newton->ops->gettype = type;
    newton->ops->solve = solve;
    newton->ops->setsysfn = set_system;
    return newton;
}
