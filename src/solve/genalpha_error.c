/* The error of a step of generalized-alpha, without vibrations that need not be followed. */
#include "form/machine.h"
#include "solve/genalpha.h"

#include <math.h>

/* The filter of vibrations outlives more motion than the factors. Vibrations below so much of the
 * tolerance are not followed. Where bodies vibrate, errors count as added up over so many steps
 * and not over more: after that a vibration's phase is beyond interest. */
#define MOST_FILTER_TURNED 0.1
#define FAST_SHARE         1.0
#define PATIENCE           5000.0

#define UNEQUAL 8.0

/* Near a singular position errors of the constraints come back so many times as large. */
#define SINGULAR 100.0

/* Of what forces of time will make of a state the part below which it is not measured (unit_of_length.c). */
#define LEAST_PART 1e-3

/* Size of an error of the motion, as compared with the tolerance. */
/* Of variables that are states, motions of the integral count over value times time, in which the largest
 * rate makes the largest value: that which it will have, if a force of time has just begun to make it. */
static double motion_size(const genalpha *g, const double *dx)
{
    const lm_system *sys = g->base.sys;
    double most = lm_speed_norm(sys, g->base.clock->size, dx);
    for (int k = 0; k < sys->nvariables; k++) {
        if (sys->model->spec->variables.at[k].kind != LM_VARIABLE_STATE) continue;
        double scale = lm_variable_scale(sys, k), pace = sys->discrete->pace[k];
        double whole = fmax(scale, sys->discrete->least[k] / LEAST_PART);
        double x = fabs(dx[sys->nv - sys->nvariables + k]) * pace / (whole * whole);
        if (!(x <= most)) most = x;
    }
    return most;
}

/* Error that a step may have: together they stay below the tolerance. */
double genalpha_allowance(const genalpha *g, double h)
{
    const lm_integrator_options *o = &g->base.opt;
    double part = h / (o->until - o->t0);
    return 0.2 * o->tolerance * (g->base.sys->flexible ? fmax(part, 1 / PATIENCE) : part);
}

/* Third derivative of the motion in this step, (w1 - w0)/h. Where nothing damps them (rho_inf 1,
 * newmark), disturbances of w change their sign from step to step for ever: there it is taken over
 * two steps, in which they cancel. Not behind a step that was far longer: the change over that one is none of
 * this. Returns its size in units of length. */
static double jerk(genalpha *g, double h)
{
    lm_integrator *s = &g->base;
    double before = s->clock->h_history, span = h;
    const double *from = g->w0, *to = g->tw;
    if (g->rings && before > 0 && before < UNEQUAL * h)
        from = g->a_old, to = g->ta, span = 2 * fmin(h, before);
    for (int i = 0; i < s->sys->nv; i++) g->tjerk[i] = (to[i] - from[i]) / span;
    return motion_size(g, g->tjerk);
}

/* The filter for the step h, made anew when it belongs to another span or configuration. */
static int filter_ready(genalpha *g, double t, double h)
{
    lm_integrator *s = &g->base;
    lm_filter *f = &g->filter;
    double span = s->clock->reach * h;
    if (f->span > 0.5 * span && f->span < 2 * span && g->filter_turned < MOST_FILTER_TURNED)
        return 1;
    lm_state st = {t, g->tq, g->tv, g->ta, g->tlam};
    g->filter_turned = 0;
    return lm_filter_make(f, &st, span) == 0;
}

/* Vibrations that are fast against the step have a huge third derivative and next to no amplitude:
 * h^3 j measures how well they are followed, and they need not be followed at all when they are
 * smaller than the error allowed in the whole run. Their amplitude is at most about H^3 |F j|, F the
 * filter with the span H; where this is small, F F j is all that counts. H is a multiple of h, the
 * largest for which that holds. Returns what is left of the error ratio. */
static double without_vibrations(genalpha *g, double t, double h, double c, double ratio)
{
    lm_integrator *s = &g->base;
    lm_clock *k = s->clock;
    double span = s->opt.until - s->opt.t0, fast;
    if (k->reach < 1) k->reach = 4;
    for (;;) {
        if (!filter_ready(g, t, h)) return ratio;
        double H = g->filter.span;
        lm_filter_apply(&g->filter, g->tjerk);
        fast = c * H * H * H / (FAST_SHARE * s->opt.tolerance) * motion_size(g, g->tjerk);
        if (fast <= 1) break;
        int enough = k->reach <= 1 || ratio <= MOST_RATIO; /* the step is good as it is */
        k->reach = fmax(1, k->reach / 4);
        jerk(g, h);
        if (enough) return ratio;
    }
    if (fast < 0.03) k->reach *= fast < 1e-4 ? 16 : 2;
    k->reach = fmax(1, fmin(k->reach, span / h));
    lm_filter_apply(&g->filter, g->tjerk);
    return fmin(ratio, c * h * h * h * motion_size(g, g->tjerk) / genalpha_allowance(g, h));
}

/* What the jerk was lately. The jerk of an oscillation passes through zero while the error of the
 * velocities, which goes with the next derivative, does not: the step must not grow there. It is
 * forgotten at the rate jerk/acceleration, the frequency of an oscillation, and quickly once the
 * accelerations that belonged to it are over. */
static double remembered_jerk(const genalpha *g, double h)
{
    const lm_clock *c = g->base.clock;
    double a = motion_size(g, g->tw);
    return a > 0 ? c->jerk * exp(-h * c->jerk / a) : 0;
}

/* Local error of the positions, (1/6 - b - shift/2) h^3 times the third derivative (kept in *now),
 * over what is allowed. A jump of it that may be rounding says nothing: the step stays as it is.
 * < 0: memory. */
double genalpha_error(genalpha *g, double t, double h, double allowed, double *now)
{
    double c = fabs(1.0 / 6 - g->b - 0.5 * g->shift), unit = c * h * h * h / allowed;
    double ratio = unit * jerk(g, h), memory = remembered_jerk(g, h);
    if (g->filter.lin && ratio > SMALL_RATIO) ratio = without_vibrations(g, t, h, c, ratio);
    *now = fmax(ratio / unit, memory);
    if (g->amplify < SINGULAR || ratio < 0.1 || ratio < 1.2 * unit * memory) return unit * *now;
    if (ratio > 2 * unit * memory && !g->current && genalpha_factor(g, t, h) < 0) return -1;
    if (ratio * allowed > genalpha_noise(g, h)) return unit * *now;
    *now = g->base.clock->jerk;
    return fmin(ratio, HOLD_RATIO);
}
