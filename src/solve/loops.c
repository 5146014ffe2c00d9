/* Accelerations of machines with algebraic loops: values that depend on themselves, linearly or not, are
 * solved for together with the accelerations, by Newton's method with shorter steps where the full one
 * leads away. */
#include "solve/integrator.h"

#include "form/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 60, HALVINGS = 12 };

static int first_variable(const lm_system *sys) { return sys->nv - sys->nvariables; }

/* The largest residual of a loop, over the scale of its value; g->x: the right side. */
static double loop_residual(const lm_integrator *g)
{
    const lm_system *sys = g->sys;
    double most = 0;
    for (int k = 0; k < sys->nvariables; k++) {
        if (!sys->loops[k]) continue;
        double r = fabs(g->x[first_variable(sys) + k] * g->mass_unit) / lm_variable_scale(sys, k);
        if (!(r <= most)) most = r;
    }
    return most;
}

static void move(const lm_integrator *g, double part, const double *step, double *a, double *lam)
{
    const lm_system *sys = g->sys;
    for (int i = 0; i < sys->nv; i++) a[i] += part * step[i];
    for (int k = 0; k < sys->nl; k++) lam[k] += part * g->mass_unit * step[sys->nv + k];
}

/* 1 when the last step was small in every loop, and in the accelerations as a whole. */
static int stands_still(const lm_integrator *g, const double *step, const double *a, double part)
{
    const lm_system *sys = g->sys;
    double change = 0, size = 0;
    if (part < 1) return 0;
    for (int i = 0; i < first_variable(sys); i++) {
        change = fmax(change, fabs(step[i]));
        size = fmax(size, fabs(a[i]));
    }
    for (int k = 0; k < sys->nvariables; k++) {
        int i = first_variable(sys) + k;
        double most = fmax(fabs(a[i]), 1e-3 * lm_variable_scale(sys, k));
        if (sys->loops[k] && fabs(step[i]) > 1e-11 * most) return 0;
    }
    return change <= 1e-11 * size || size == 0;
}

/* A step, or a part of it that makes the loops close better. *part: how much of it; 0: none does. */
static int take_step(lm_integrator *g, const lm_state *s, double *a, double *lam, double *part)
{
    const lm_system *sys = g->sys;
    double *step = g->x + 2 * (sys->nv + sys->nl), before = loop_residual(g), least = 1e-12;
    lm_linear_solve(g->lin, g->x);
    memcpy(step, g->x, sizeof(double) * (size_t)(sys->nv + sys->nl));
    *part = 1;
    for (int i = 0; i < HALVINGS; i++, *part *= 0.5) {
        move(g, *part, step, a, lam);
        double after = lm_acceleration_rhs(g, s, g->x) ? INFINITY : loop_residual(g);
        if (after <= fmax((1 - 0.1 * *part) * before, least)) return 0;
        if (i + 1 < HALVINGS) move(g, -*part, step, a, lam);
    }
    return isfinite(loop_residual(g)) ? 0 : 1;
}

/* Values before, where there are any; the mechanism's accelerations follow from them. */
static void begin(const lm_system *sys, double *a, double *lam)
{
    memset(a, 0, sizeof(double) * (size_t)first_variable(sys));
    memset(lam, 0, sizeof(double) * (size_t)sys->nl);
    for (int i = first_variable(sys); i < sys->nv; i++)
        if (!isfinite(a[i])) a[i] = 0;
}

int lm_solve_loops(lm_integrator *g, double t, const double *q, const double *v, double *a,
                   double *lam)
{
    const lm_system *sys = g->sys;
    lm_state s = {t, q, v, a, lam};
    double part = 1, last = INFINITY;
    begin(sys, a, lam);
    int bad = lm_factor_mass_at(g, &s);
    if (bad) return bad;
    if (lm_acceleration_rhs(g, &s, g->x)) return 2;
    for (int it = 0; it < ITERATIONS; it++) {
        const double *step = g->x + 2 * (sys->nv + sys->nl);
        if (it > 0 && (bad = lm_factor_mass_at(g, &s))) return bad;
        if (take_step(g, &s, a, lam, &part)) return 2;
        if (it > 0 && stands_still(g, step, a, part)) return 0;
        double left = loop_residual(g);
        if (it > 2 && left <= 1e-9 && left >= 0.5 * last) return 0; /* that is rounding */
        last = left;
    }
    return LM_NO_LOOP;
}

void lm_explain_loops(lm_integrator *g, double t)
{
    const lm_system *sys = g->sys;
    double most = -1;
    int worst = 0;
    for (int k = 0; k < sys->nvariables; k++) {
        double r = fabs(g->x[first_variable(sys) + k]) / lm_variable_scale(sys, k);
        if (sys->loops[k] && !(r <= most)) most = r, worst = k;
    }
    snprintf(g->failure, sizeof g->failure,
             "at t = %.6g: no values were found that satisfy the loop through %s; do the equations "
             "contradict each other there, or does a law turn back? A small C or I, or a filter, "
             "between its parts takes the loop apart",
             t, sys->model->spec->variables.at[worst].name);
}

int lm_loops_at(lm_integrator *g, double t, const double *q, const double *v, double *a,
                double *lam)
{
    lm_system *sys = g->sys;
    lm_linear *factors = g->lin;
    long jacobians = g->stats.jacobians;
    if (!sys->loops || sys->flexible || !lam) return 0;
    if (!g->rows) g->rows = lm_linear_create_for(sys, &sys->pattern, &sys->groups);
    if (!g->rows) return -1;
    lm_linear_new_pivots(g->rows); /* rows must not depend on those before */
    g->lin = g->rows;
    int bad = lm_solve_loops(g, t, q, v, a, lam);
    g->lin = factors;
    g->stats.jacobians = jacobians;
    if (bad > 0) lm_explain_loops(g, t);
    return bad;
}
