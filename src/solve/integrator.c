#include "solve/integrator.h"

#include "form/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double lm_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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
    g->x = lm_alloc(sizeof(double) * (2 * (nv + nl) + 1));
    g->lin = lm_linear_create_for(sys, &sys->pattern, &sys->groups);
    if (!g->block || !g->x || !g->lin) return -1;
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
    lm_free(g->block);
    lm_free(g->x);
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

/* ---- constrained mass matrix ---- */

/* Typical mass, so that M and the constraint directions have comparable size in the matrix. */
static double mass_unit(const lm_system *sys, const double *values)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < sys->nv - sys->nvariables; i++) {
        int k = lm_pattern_find(&sys->pattern, i, i);
        if (k >= 0 && values[k] > 0) sum += values[k], n++;
    }
    return n ? sum / n : 1;
}

/* Softness of loop rows in the constrained mass matrix. It is in the matrix only: solutions are
 * refined, which takes its effect away where the loops are regular and leaves it where they are not. */
#define MASS_SOFTNESS 1e-8
enum { REFINEMENTS = 2 };

/* The matrix [M/unit Phi^T; Phi 0], factored. */
static int factor_mass(lm_integrator *g, const lm_state *s)
{
    lm_system *sys = g->sys;
    double *values = lm_linear_values(g->lin);
    if (g->mass_unit == 0) {
        if (sys->form->jacobian(sys, s, 1, 0, 0, values)) return 2;
        g->mass_unit = mass_unit(sys, values);
    }
    g->stats.jacobians++;
    sys->softness = MASS_SOFTNESS;
    sys->regular_mass = 1;
    int bad = sys->form->jacobian(sys, s, 1 / g->mass_unit, 0, 0, values);
    sys->regular_mass = 0;
    return bad ? 2 : lm_linear_factor(g->lin);
}

int lm_factor_mass(lm_integrator *g, double t, const double *q, const double *v)
{
    lm_state s = {t, q, v, g->a0, NULL};
    return factor_mass(g, &s);
}

/* Small pivots alone do not tell: those of a long chain are small too. A matrix that is singular to
 * rounding turns forces of size 1 into motions beyond all measure. */
int lm_check_mass(lm_integrator *g, double t, const double *q, const double *v)
{
    int nv = g->sys->nv, n = nv + g->sys->nl;
    int bad = lm_factor_mass(g, t, q, v);
    if (bad || lm_linear_rcond(g->lin) > 1e-14) return bad;
    for (int i = 0; i < n; i++) g->x[i] = i < nv ? sin(1.0 + i) : 0;
    lm_linear_solve(g->lin, g->x);
    double most = 0;
    for (int i = 0; i < nv - g->sys->nvariables; i++) most = fmax(most, fabs(g->x[i]));
    return most < 1e12 ? 0 : 1;
}

/* Right side: -residual/unit, and -d2(phi)/dt2. */
static int acceleration_rhs(lm_integrator *g, const lm_state *s, double *x)
{
    const lm_system *sys = g->sys;
    int nv = sys->nv, nl = sys->nl;
    if (g->sys->form->constraint_accel(g->sys, s, x + nv)) return 1;
    if (g->sys->form->residual(g->sys, s, x, NULL, NULL)) return 1;
    g->stats.residuals++;
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

/* M a + Phi^T lam = f and Phi a = -bias. Where efforts depend on accelerations or reactions, the
 * linear solve is repeated until it stands still. */
int lm_consistent_acceleration(lm_integrator *g, double t, const double *q, const double *v,
                               double *a, double *lam)
{
    const lm_system *sys = g->sys;
    double last = INFINITY;
    memset(a, 0, sizeof(double) * (size_t)sys->nv);
    if (!direct_acceleration(g, t, q, v, a, lam)) return 0;
    memset(a, 0, sizeof(double) * (size_t)sys->nv);
    memset(lam, 0, sizeof(double) * (size_t)sys->nl);
    for (int it = 0; it < 20; it++) {
        lm_state s = {t, q, v, a, lam};
        double change = 0, size = 0, sum = 0;
        int bad = it == 0 || sys->algebraic ? factor_mass(g, &s) : 0;
        if (bad) return bad;
        if (acceleration_rhs(g, &s, g->x)) return 2;
        lm_linear_solve(g->lin, g->x);
        for (int i = 0; i < sys->nv; i++) {
            a[i] += g->x[i];
            change = fmax(change, fabs(g->x[i]));
            size = fmax(size, fabs(a[i]));
            sum += a[i];
        }
        for (int k = 0; k < sys->nl; k++) {
            double d = g->x[sys->nv + k];
            lam[k] += g->mass_unit * d;
            change = fmax(change, fabs(d)); /* over the typical mass: an acceleration */
            size = fmax(size, fabs(lam[k]) / g->mass_unit);
        }
        if (!isfinite(sum + change)) return 2;
        if (!sys->algebraic && (sys->nl == 0 || it >= REFINEMENTS)) return 0;
        if (!sys->algebraic) continue;
        /* far from the solution Newton's method may be slow; near it what shrinks no more is rounding */
        if (it > 0 && (change <= 1e-13 * size || (change >= 0.5 * last && change <= 1e-6 * size)))
            return 0;
        last = change;
    }
    return 0;
}

int lm_project_velocity(lm_integrator *g, double t, const double *q, double *v, double *change)
{
    lm_system *sys = g->sys;
    int nv = sys->nv, nl = sys->nl;
    *change = 0;
    int bad = lm_factor_mass(g, t, q, v);
    if (bad) return bad;
    for (int it = 0; it <= REFINEMENTS; it++) { /* linear; the rest removes softness and rounding */
        lm_state s = {t, q, v, NULL, NULL};
        if (sys->form->constraint_rate(sys, &s, g->x + nv)) return 1;
        memset(g->x, 0, sizeof(double) * (size_t)nv);
        for (int k = 0; k < nl; k++) g->x[nv + k] = -g->x[nv + k];
        lm_linear_solve(g->lin, g->x);
        for (int i = 0; i < nv; i++) v[i] += g->x[i];
        *change = fmax(*change, lm_speed_norm(sys, g->clock->size, g->x));
    }
    return isfinite(*change) ? 0 : 2;
}

int lm_project_position(lm_integrator *g, double t, double *q, double *moved, double *gap)
{
    lm_system *sys = g->sys;
    int nv = sys->nv, nl = sys->nl;
    double best = INFINITY;
    *moved = 0;
    for (int it = 0; it < 50; it++) {
        lm_state s = {t, q, g->v, g->a, NULL};
        int bad = lm_factor_mass(g, t, q, g->v);
        if (bad) return bad;
        if (sys->form->residual(sys, &s, g->x, g->x + nv, NULL)) return 1;
        *gap = 0;
        for (int k = 0; k < nl; k++) {
            if (!sys->active[k]) g->x[nv + k] = 0;
            *gap = fmax(*gap, fabs(g->x[nv + k]) / lm_gap_unit(g, k));
            g->x[nv + k] = -g->x[nv + k];
        }
        if (*gap < 1e-14 || (*gap < 1e-10 && *gap >= 0.5 * best)) return 0;
        best = fmin(best, *gap);
        memset(g->x, 0, sizeof(double) * (size_t)nv);
        lm_linear_solve(g->lin, g->x);
        double n = lm_speed_norm(sys, g->clock->size, g->x);
        if (!isfinite(n)) return 1;
        for (int i = 0; i < nv && n > 0.3; i++) g->x[i] *= 0.3 / n; /* small turns only */
        *moved += fmin(n, 0.3);
        if (sys->form->retract(sys, q, g->x, q)) return 1;
    }
    return 1;
}

double lm_constraint_gap(lm_integrator *g)
{
    lm_system *sys = g->sys;
    lm_state s = {g->clock->t, g->q, g->v, g->a, NULL};
    double gap = 0, *phi = g->x + sys->nv;
    if (sys->nl == 0 || sys->form->residual(sys, &s, g->x, phi, NULL)) return 0;
    for (int k = 0; k < sys->nl; k++)
        if (sys->active[k]) gap = fmax(gap, fabs(phi[k]) / lm_gap_unit(g, k));
    g->stats.phi = fmax(g->stats.phi, gap);
    return gap;
}

void lm_explain_singular(lm_integrator *g, const char *what)
{
    char name[160];
    int worst = 0;
    if (lm_linear_null_vector(g->lin, g->x) == 0) {
        for (int i = 0; i < g->sys->nv; i++)
            if (fabs(g->x[i]) > fabs(g->x[worst])) worst = i;
        g->sys->form->describe_motion(g->sys, worst, name, sizeof name);
        if (worst >= g->sys->nv - g->sys->nvariables) {
            snprintf(
                g->failure, sizeof g->failure,
                "%s: %s depends on itself in a circle that has no solution, or any; look at the "
                "blocks and elements that it reads, and put a filter, a C or an I between them",
                what, name);
            return;
        }
        snprintf(g->failure, sizeof g->failure,
                 "%s: a free motion has no mass (mostly %s); give the bodies that take part "
                 "in it mass or inertia, or hold the motion by a joint",
                 what, name);
        return;
    }
    snprintf(g->failure, sizeof g->failure, "%s: the mass matrix is singular", what);
}

void lm_explain_not_finite(lm_integrator *g, double t, const double *r, int n)
{
    char name[160] = "";
    if (g->sys->nvariables && g->sys->in_trouble) { /* which says what it is */
        snprintf(g->failure, sizeof g->failure, "at t = %.6g: %s", t, g->sys->trouble);
        return;
    }
    for (int i = 0; i < n && !name[0]; i++) {
        if (isfinite(r[i])) continue;
        g->sys->form->describe(g->sys, i, name, sizeof name);
        /* a force that is no number spoils all components: only the body is certain */
        if (i < g->sys->nv) name[strcspn(name, ",")] = 0;
        if (i < g->sys->nv - g->sys->nvariables || i >= g->sys->nv) continue;
        snprintf(g->failure, sizeof g->failure,
                 "at t = %.6g: %s gives no finite number; look for a division by zero, a root or a "
                 "logarithm in what it reads",
                 t, name);
        return;
    }
    snprintf(
        g->failure, sizeof g->failure,
        "at t = %.6g: a force or a prescribed motion is not a finite number%s%s%s; look at the "
        "expressions of the loads, efforts and drives that act there",
        t, name[0] ? " (" : "", name, name[0] ? ")" : "");
}

/* The forces are evaluated once more, for their names. */
void lm_explain_mass(lm_integrator *g, double t, int bad)
{
    lm_system *sys = g->sys;
    int nv = sys->nv, n = nv + sys->nl;
    char what[60];
    snprintf(what, sizeof what, "at t = %.6g: the motion is not determined", t);
    if (bad == 1) {
        lm_explain_singular(g, what);
        return;
    }
    memset(g->a, 0, sizeof(double) * (size_t)nv);
    memset(g->lam, 0, sizeof(double) * (size_t)sys->nl);
    lm_state s = {t, g->q, g->v, g->a, g->lam};
    memset(g->x, 0, sizeof(double) * (size_t)n);
    if (!sys->form->residual(sys, &s, g->x, g->x + nv, NULL))
        sys->form->constraint_accel(sys, &s, g->x + nv);
    lm_explain_not_finite(g, t, g->x, n);
}

/* The constraint with the largest reaction, -1. */
static int largest_reaction(const lm_integrator *g)
{
    int nv = g->sys->nv, worst = -1;
    double most = 0;
    for (int k = 0; k < g->sys->nl; k++) {
        double w = fabs(g->lam[k]) * (g->sys->angular[nv + k] ? 1 / g->clock->size : 1);
        if (w > most) most = w, worst = nv + k;
    }
    return worst;
}

void lm_explain_step(lm_integrator *g, const char *how, double h, int worst)
{
    char name[96] = "no single one", strained[120] = "";
    int reaction = largest_reaction(g);
    if (worst >= 0) g->sys->form->describe(g->sys, worst, name, sizeof name);
    if (reaction >= 0) {
        int n = snprintf(strained, sizeof strained, ", the largest reaction ");
        g->sys->form->describe(g->sys, reaction, strained + n, sizeof strained - (size_t)n);
    }
    snprintf(g->failure, sizeof g->failure,
             "at t = %.6g: %s even with a step of %.3g (%ld steps made, %ld rejected); the worst "
             "equation is %s%s: do the joints lock, does a drive lead where they cannot follow, or "
             "does a force jump?",
             g->clock->t, how, h, g->stats.steps, g->stats.rejected, name, strained);
}

void lm_explain_newton(lm_integrator *g, lm_step_result why, double h, int worst)
{
    const char *how = why == LM_STEP_CONVERGED ? "the error of a step is too large"
                      : why == LM_STEP_SLOW    ? "Newton's iteration is too slow"
                                               : "Newton's iteration does not converge";
    lm_explain_step(g, how, h, worst);
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
    if (!bad && keep_step) bad = close_gap(g, t);
    if (!bad) bad = lm_project_velocity(g, t, g->q, g->v, &change);
    if (!bad) bad = lm_consistent_acceleration(g, t, g->q, g->v, g->a, g->lam);
    if (bad) {
        if (bad > 0) lm_explain_mass(g, t, bad);
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
int lm_integrator_at(lm_integrator *g, double t, double *q, double *v, double *a, double *lam)
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
