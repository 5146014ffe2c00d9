/* Errors and the size of steps of the method `radau` (docs/theory/radau.md). */
#include "form/machine.h"
#include "solve/radau.h"

#include <math.h>
#include <string.h>

/* Estimates below this are noise, near the origin. */
#define ROUNDING 4e-15
/* The same of corrections that bring stages onto the constraints: differences of some rounding errors of
 * positions. */
#define GAP_ROUNDING 3e-14

/* What a step may err by, over the tolerance: a part that goes with its share of the run; where bodies
 * vibrate, the same for every step (docs/theory/radau.md says why). */
#define SHARE     0.2
#define VIBRATING 2e-5

/* For a motion of amplitude B, the estimate is (wh)^4/(60 g) B = 4.58e-3 (wh)^4 B, with the real
 * eigenvalue g, and the error (wh)^6/7200 B, which is FOLLOWS estimate^(3/2) / sqrt(B). B is the
 * amplitude of the motions that are to be right within the tolerance, in units of the mechanism's size:
 * a part of it; deflections of flexible bodies are small. */
#define FOLLOWS    0.45
#define PART       1.5625e-3
#define DEFLECTION 1.5625e-7

/* Rows of output between the ends of a step follow the integral of the cubic through the rates at its
 * start and its stages (radau.c). How far that passes by stage k, at x_k = h sum A_kj r_j + e_k: up to
 * 1.13e-3 (wh)^4 of a motion, a quarter of the estimate below, where the step resolves it. A vibration
 * that it does not resolve is gone from that estimate; but here its speed counts times h, as in rows. */
static double row_misses(radau *g, double h, int k)
{
    const lm_integrator *st = &g->base;
    double w[4], *miss = g->err;
    radau_integrate(radau_formulas()->c[k], w);
    for (int i = 0; i < st->sys->nv; i++) {
        double sum = w[0] * st->v[i];
        for (int j = 0; j < 3; j++) sum += w[j + 1] * g->rate[j][i];
        miss[i] = h * sum + g->off[k][i] - g->x[k][i];
    }
    for (int i = st->sys->nv - st->sys->nvariables; i < st->sys->nv; i++) miss[i] = 0;
    return lm_motion_norm(st->sys, st->clock->size, miss);
}

/* Beside bodies that vibrate, whose deflections are small against their size, errors of variables count
 * with this: over their largest values they are as those of motions of rigid bodies. */
#define BESIDE 1e-2

/* Estimates of variables carry the rounding of the mechanism, times the gains of controllers. An estimate
 * of this size stands for an error of 1e-14. */
#define VARIABLE_ROUNDING 1e-10

/* A state that integrates a rate has the rounding of the motion itself, however short the step: the velocities of the
 * stages are differences of positions over it. */
static double rounding_of(const radau *g, int k, double value)
{
    double motion = GAP_ROUNDING * g->far * g->base.sys->discrete->moved[k];
    return fmax(VARIABLE_ROUNDING, motion / value);
}

/* Of the variables of a machine the error of the value counts, v_err = x_err/s - gx, over the largest
 * value so far, that of this step included; what is no state follows the others. */
static void variable_errors(radau *g, double s, const double *gx, double *x)
{
    const lm_system *sys = g->base.sys;
    int first = sys->nv - sys->nvariables;
    double part = sys->flexible ? BESIDE : 1;
    for (int k = 0; k < sys->nvariables; k++) {
        int i = first + k, state = sys->model->spec->variables.at[k].kind == LM_VARIABLE_STATE;
        double unit = lm_variable_scale(sys, k), value = fmax(unit, fabs(g->v[2][i]));
        double off = state ? (x[i] / s - gx[i]) / value : 0;
        x[i] = fabs(off) <= rounding_of(g, k, value) ? 0 : part * sys->tick * unit * off;
    }
}

/* Embedded formula of order 3, as in RADAU5: with s = h/g,
 *     x_err/s - v_err = gx,                       gx = v_0 + sum e_i x_i / h
 *     M v_err/s + D v_err + K x_err = M gv,       gv = a_0 + sum e_i (v_i - v_0)/h
 * with the constraints: [M + s D + s^2 K] x_err = M (s^2 gv + s gx) + s^2 D gx. The matrix takes away
 * what vibrates within the step.
 *
 * Motions that the constraints prescribe are not in it. Those are exact at the end of the step, but
 * not in its middle: there the corrections e_1, e_2, which bring the stages onto the constraints, are
 * 1.13e-3 and 0.83e-3 (wh)^4 of a motion, a quarter of what the estimate is of a free one. The end has one,
 * too, by which the last step had left the constraints: that is no error of this one, however short it is. What they do to
 * variables, through dampers, is in the estimate; by itself it would be rounding over values of a start that may
 * be any number. */
double radau_estimate(radau *g, double h)
{
    const radau_method *m = radau_formulas();
    const lm_integrator *st = &g->base;
    const lm_system *sys = st->sys;
    int nv = sys->nv, n = nv + sys->nl;
    double s = h / m->real, *gx = g->err, *sum = g->err + n;
    memset(g->err, 0, sizeof(double) * 2 * (size_t)n);
    memset(g->sol, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < nv; i++) {
        double x = 0, v = 0;
        for (int k = 0; k < 3; k++) {
            x += m->e[k] * g->x[k][i];
            v += m->e[k] * (g->v[k][i] - st->v[i]);
        }
        gx[i] = st->v[i] + x / h;
        sum[i] = s * s * (st->a[i] + v / h) + s * gx[i];
    }
    sys->form->carry(sys, st->q, g->ref, gx, gx);
    sys->form->carry(sys, st->q, g->ref, sum, sum);
    lm_sparse_mul(&sys->pattern, g->M, 1, sum, g->sol);
    lm_sparse_mul(&sys->pattern, g->D, s * s, gx, g->sol);
    memset(g->sol + nv, 0, sizeof(double) * (size_t)sys->nl);
    lm_linear_correct(st->lin, 1, g->sol);
    variable_errors(g, s, gx, g->sol);
    double most = lm_motion_norm(sys, st->clock->size, g->sol);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < nv; i++) g->err[i] = g->off[k][i] - g->off[2][i];
        double off = lm_speed_norm(sys, st->clock->size, g->err);
        double astray = row_misses(g, h, k);
        if (off > GAP_ROUNDING * g->far && off > most) most = off; /* keeps NaN */
        if (astray > most) most = astray;
    }
    return most;
}

double radau_allowance(const radau *g, double h)
{
    const lm_integrator_options *o = &g->base.opt;
    double part = g->base.sys->flexible ? VIBRATING : SHARE * h / (o->until - o->t0);
    return part * o->tolerance;
}

/* So long behind a start a force may act that is over soon, on a way that is short against what a mechanism may
 * err by: errors count over the way of the step, too. Over the run. */
#define BRIEF 1e-4
/* In units of the mechanism's size over the run: what is slower is at rest. A force of time that sets in there, as
 * t^2 or t^1.5, makes ways of which any step misses the same part: they begin with rounding. */
#define REST 1e-6

void radau_behind_start(radau *g)
{
    const lm_integrator *s = &g->base;
    int rigid = !s->sys->flexible && !s->sys->nvariables;
    *g->pace = 0;
    g->brief[0] = s->clock->t + (rigid ? BRIEF * (s->opt.until - s->opt.t0) : 0);
    g->brief[1] = lm_speed_norm(s->sys, s->clock->size, s->v);
}

static int has_rounding(const radau *g)
{
    const lm_integrator_options *o = &g->base.opt;
    return g->base.sys->nl > 0 || g->brief[1] * (o->until - o->t0) < REST;
}

double radau_goal_of_way(const radau *g, double h, double goal)
{
    double least = has_rounding(g) ? goal : 0;
    if (!(g->base.clock->t < g->brief[0])) return goal;
    return fmin(goal, fmax(least, 1e-3 * g->base.opt.tolerance * h * g->brief[1]));
}

/* The error of the velocity over the velocity: as that below, of a motion whose amplitude is the way. */
static double ratio_of_way(const radau *g, double h, double estimate)
{
    const lm_integrator *s = &g->base;
    double noise = has_rounding(g) ? ROUNDING * g->far : 0;
    double way = fmax(h * g->brief[1], lm_speed_norm(s->sys, s->clock->size, g->x[2]));
    if (!(s->clock->t < g->brief[0]) || way == 0 || estimate <= noise) return 0;
    double part = (estimate - noise) / way;
    return part * fmin(1, FOLLOWS * sqrt(part)) / (SHARE * s->opt.tolerance);
}

/* The error follows from the estimate where the motion is smooth over the step. It is not where a force
 * jumps or has a kink that nobody announced; there steps become small against those a moment before,
 * and the estimate itself is the error. */
double radau_error_ratio(const radau *g, double h, double estimate)
{
    double of_way = ratio_of_way(g, h, estimate);
    if (estimate < ROUNDING * g->far) return of_way;
    int flexible = g->base.sys->flexible;
    double amplitude = flexible ? DEFLECTION : PART;
    double sudden = *g->pace > 0 ? fmax(1, 0.5 * *g->pace / h) : 1;
    double error = estimate * fmin(1, FOLLOWS * sqrt(estimate / amplitude) * sudden * sudden);
    /* an estimate that is not small says nothing of the error but that */
    double large = pow(estimate / g->base.opt.tolerance, 1.25);
    double ratio = error / radau_allowance(g, h);
    if (flexible)
        ratio = pow(ratio, 5.0 / 6); /* the error goes with h^6, and the allowance is fixed */
    return fmax(fmax(ratio, large), of_way);
}

double radau_next_size(radau *g, double h, double ratio)
{
    const lm_clock *c = g->base.clock;
    /* the estimate of an oscillation passes through zero: it is forgotten slowly */
    double used = fmax(ratio, 0.5 * c->err_last), grow = 5;
    if (used > 0) grow = 0.9 * pow(used, -0.2);
    /* what the error did over the last two steps it will do again (Gustafsson) */
    if (c->err_last > 0 && c->h_history > 0 && used > 0)
        grow = fmin(grow, grow * h / c->h_history * pow(c->err_last / used, 0.2));
    g->base.clock->err_last = used;
    *g->pace = fmax(h, *g->pace - 0.5 * h);
    grow = fmin(fmax(grow, 0.3), 5);
    return grow > 0.8 && grow < 1.4 ? h : grow * h;
}
