/* Solves of the constrained mass matrix: its factors, and projections onto the constraints. */
#include "solve/integrator.h"

#include <math.h>

/* Typical mass, so that M and the constraint directions have comparable size in the matrix: moments
 * of inertia count over the square of the unit of length. */
static double mass_unit(const lm_system *sys, const double *values)
{
    double S = lm_power_of_1024(sys->model->size), sum = 0, turn = 1 / (S * S);
    int n = 0;
    for (int i = 0; i < sys->nv - sys->nvariables; i++) {
        int k = lm_pattern_find(&sys->pattern, i, i);
        if (k >= 0 && values[k] > 0) sum += values[k] * (sys->angular[i] ? turn : 1), n++;
    }
    return n ? sum / n : 1;
}

/* Softness of loop rows in the constrained mass matrix. It is in the matrix only: solutions are
 * refined, which takes its effect away where the loops are regular and leaves it where they are not. */
#define MASS_SOFTNESS 1e-8

/* Motions without mass, whose stiffness says where they are, get a little on the diagonal of the matrix:
 *
 *     D_ii = SPARE M_ii,   or SPARE times the least of all M_kk of its kind where M_ii = 0.
 *
 * The right side has none of it: refined, the accelerations of all that has mass are those without. */
#define SPARE   1e-6
#define NO_MASS 1e-13 /* of the largest M_kk of its kind: rounding */

/* The largest and the least M_kk above rounding, of lengths or of angles. */
static void mass_range(const lm_system *sys, const double *values, int angular, double range[2])
{
    range[0] = 0, range[1] = INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < sys->nv - sys->nvariables; i++) {
            int k = lm_pattern_find(&sys->pattern, i, i);
            if (k < 0 || sys->angular[i] != angular) continue;
            if (pass == 0) range[0] = fmax(range[0], values[k]);
            if (pass == 1 && values[k] > NO_MASS * range[0]) range[1] = fmin(range[1], values[k]);
        }
}

static void add_spare(const lm_integrator *g, double *values)
{
    const lm_system *sys = g->sys;
    double range[2][2], size = g->clock->size > 0 ? g->clock->size : 1;
    for (int a = 0; a < 2; a++) mass_range(sys, values, a, range[a]);
    if (range[0][0] == 0) range[0][1] = range[1][0] > 0 ? range[1][1] / (size * size) : 1;
    if (range[1][0] == 0) range[1][1] = 1e-2 * size * size * range[0][1];
    for (int i = 0; i < sys->nv - sys->nvariables; i++) {
        int k = lm_pattern_find(&sys->pattern, i, i), a = sys->angular[i];
        if (k >= 0) values[k] += SPARE * fmax(values[k], range[a][1]);
    }
}

/* The matrix [M/unit Phi^T; Phi -softness], factored. */
static int factor_mass(lm_integrator *g, const lm_state *s, double softness)
{
    lm_system *sys = g->sys;
    double *values = lm_linear_values(g->lin);
    if (g->mass_unit == 0) {
        if (sys->form->jacobian(sys, s, 1, 0, 0, values)) return 2;
        g->mass_unit = mass_unit(sys, values);
    }
    g->stats.jacobians++;
    sys->softness = softness;
    sys->regular_mass = 1;
    int bad = sys->form->jacobian(sys, s, 1 / g->mass_unit, 0, 0, values);
    sys->regular_mass = 0;
    if (!bad && sys->massless) add_spare(g, values);
    lm_linear_set_mass(g->lin, 1);
    return bad ? 2 : lm_linear_factor(g->lin);
}

int lm_factor_mass_at(lm_integrator *g, const lm_state *s)
{
    return factor_mass(g, s, g->regular ? 0 : MASS_SOFTNESS);
}

int lm_factor_within(lm_integrator *g, const lm_state *s, double w)
{
    lm_system *sys = g->sys;
    double m = g->mass_unit;
    sys->softness = MASS_SOFTNESS;
    int bad = sys->form->jacobian(sys, s, 1 / m, w / m, w * w / m, lm_linear_values(g->lin));
    lm_linear_set_mass(g->lin, 1);
    return bad ? 2 : lm_linear_factor(g->lin);
}

void lm_solve_within(lm_integrator *g, double w, double *x)
{
    for (int i = 0; i < g->sys->nv; i++) x[i] *= w * w / g->mass_unit;
    lm_linear_solve(g->lin, x);
}

int lm_factor_mass(lm_integrator *g, double t, const double *q, const double *v)
{
    lm_state s = {t, q, v, g->a0, NULL};
    return lm_factor_mass_at(g, &s);
}

/* Of a force to a moment, of an angle to a distance. */
static double lever(const lm_integrator *g, int i)
{
    return g->sys->angular[i] ? g->clock->size : 1;
}

/* Motions with errors in the constraints that are at x[nv + ...] in their units. */
static double answer(lm_integrator *g, double *x)
{
    int nv = g->sys->nv;
    memset(x, 0, sizeof(double) * (size_t)nv);
    for (int k = 0; k < g->sys->nl; k++) x[nv + k] *= g->sys->active[k] ? lm_gap_unit(g, k) : 0;
    lm_linear_correct(g->lin, 1, x);
    return lm_speed_norm(g->sys, g->clock->size, x);
}

double lm_amplification(lm_integrator *g)
{
    unsigned bits = 12345;
    if (g->sys->nl == 0) return 0;
    for (int k = 0; k < g->sys->nl; k++) {
        bits = bits * 1103515245u + 12345u;
        g->x[g->sys->nv + k] = bits >> 16 & 1 ? 1 : -1;
    }
    return answer(g, g->x);
}

/* Errors of the first kind may be across those that grow: two kinds hardly are. */
int lm_singularity(lm_integrator *g, double t, const double *q, const double *v, double *A)
{
    lm_state s = {t, q, v, g->a0, NULL};
    int bad = factor_mass(g, &s, 0);
    *A = INFINITY;
    if (bad) return bad < 0 ? bad : 0;
    double first = lm_amplification(g);
    for (int k = 0; k < g->sys->nl; k++) g->x[g->sys->nv + k] = sin(1.0 + k);
    *A = fmax(first, answer(g, g->x));
    return 0;
}

/* Small pivots alone do not tell: those of a long chain are small too. A matrix that is singular to
 * rounding turns forces of size 1 into motions beyond all measure. */
int lm_check_mass(lm_integrator *g, double t, const double *q, const double *v)
{
    int nv = g->sys->nv, n = nv + g->sys->nl;
    int bad = lm_factor_mass(g, t, q, v);
    if (bad || g->sys->massless || lm_linear_rcond(g->lin) > 1e-14) return bad;
    for (int i = 0; i < n; i++) g->x[i] = i < nv ? sin(1.0 + i) * lever(g, i) : 0;
    lm_linear_solve(g->lin, g->x);
    double most = 0;
    for (int i = 0; i < nv - g->sys->nvariables; i++)
        most = fmax(most, fabs(g->x[i]) * lever(g, i));
    return most < 1e12 ? 0 : 1;
}

int lm_project_velocity(lm_integrator *g, double t, const double *q, double *v, double *change)
{
    lm_system *sys = g->sys;
    int nv = sys->nv, nl = sys->nl;
    *change = 0;
    int bad = lm_factor_mass(g, t, q, v);
    if (bad) return bad;
    for (int it = 0; it <= LM_MASS_REFINEMENTS;
         it++) { /* linear; the rest removes softness and rounding */
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
