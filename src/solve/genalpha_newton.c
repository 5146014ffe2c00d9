/* One step of generalized-alpha by Newton's method, with factors that are kept from step to step. */
#include "solve/genalpha.h"

#include <math.h>

/* Old factors also mean old directions for the correction e, and so an error of their age times h^3:
 * they are given up when the mechanism has moved by so much of its size, or turned so many radians. */
#define MOST_TURNED 0.05

/* Softness of loop rows over the typical mass: keeps factors alive in singular positions. With a
 * tolerance it is at least ROUNDING/tolerance: it bounds the amplification A by 1/(2 sqrt(s)), and so
 * the noise of the velocities, v eps A^2, by a quarter of the tolerance. */
#define SOFTNESS 1e-12

/* Predict a and lam by extrapolation, then w, dx and v by the method's formulas. */
void genalpha_predict(genalpha *g, double h)
{
    lm_integrator *s = &g->base;
    int nv = s->sys->nv, nl = s->sys->nl;
    double r = s->clock->h_history > 0 ? h / s->clock->h_history : 0;
    if (r > 2) r = 2;
    /* w belongs to the instant t + shift h: rescale its lead to the new step */
    double lead = s->clock->h > 0 ? h / s->clock->h : 0;
    for (int i = 0; i < nv; i++) {
        double w0 = s->a[i] + lead * (g->w[i] - s->a[i]);
        double a1 = s->a[i] + r * (s->a[i] - g->a_old[i]);
        double w1 = ((1 - g->af) * a1 + g->af * s->a[i] - g->am * w0) / (1 - g->am);
        g->w0[i] = w0;
        g->ta[i] = a1;
        g->tw[i] = w1;
        g->tdx[i] = h * s->v[i] + h * h * ((0.5 - g->b) * w0 + g->b * w1);
        g->tv[i] = s->v[i] + h * ((1 - g->c) * w0 + g->c * w1);
    }
    for (int k = 0; k < nl; k++) g->tlam[k] = s->lam[k] + r * (s->lam[k] - g->lam_old[k]);
}

/* Part of the motion in a step that is rounding: of the positions eps A; these turn the constraint
 * directions, so that the velocities are off by v eps A^2. */
double genalpha_noise(genalpha *g, double h)
{
    lm_integrator *s = &g->base;
    double v = lm_speed_norm(s->sys, s->clock->size, s->v), A = g->amplify;
    return 10 * ROUNDING * lm_integrator_far(s) * (A + h * v * A * A);
}

int genalpha_factor(genalpha *g, double t, double h)
{
    lm_integrator *s = &g->base;
    double cM = (1 - g->am) / (g->b * h * h * (1 - g->af)), cD = g->c / (g->b * h);
    lm_state st = {t, g->tq, g->tv, g->ta, g->tlam};
    double t0 = s->profile.on ? lm_seconds() : 0;
    s->stats.jacobians++;
    if (s->clock->fresh > 1) lm_linear_new_pivots(s->lin);
    s->clock->fresh = 0;
    double soft = s->opt.step > 0 ? SOFTNESS : fmax(SOFTNESS, ROUNDING / s->opt.tolerance);
    s->sys->softness = soft / s->mass_unit;
    if (s->sys->form->jacobian(s->sys, &st, 1, cD / cM, 1 / cM, lm_linear_values(s->lin))) return 2;
    double t1 = s->profile.on ? lm_seconds() : 0;
    lm_linear_set_mass(s->lin, s->mass_unit);
    int bad = lm_linear_factor(s->lin);
    if (s->profile.on) {
        s->profile.jacobian += t1 - t0;
        s->profile.factor += lm_seconds() - t1;
    }
    g->factor_cM = bad ? 0 : cM;
    g->factor_h = h;
    g->turned = 0;
    g->current = 1;
    g->amplify = bad ? 0 : lm_amplification(s);
    return bad;
}

/* Right sides at the trial state: x for the motion (equations of motion, constraint rates as
 * displacements), x + n for the correction of the positions, whose size goes to g->gap. */
int genalpha_residual(genalpha *g, double t, double h, double cM)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    int nv = sys->nv, nl = sys->nl, n = nv + nl;
    lm_state st = {t, g->tq, g->tv, g->ta, g->tlam};
    double *rate = s->x + nv, *gap = s->x + n + nv, to_x = -g->b * h / g->c;
    double t0 = s->profile.on ? lm_seconds() : 0;
    int bad = sys->form->residual(sys, &st, s->x, gap, rate);
    if (s->profile.on) s->profile.residual += lm_seconds() - t0;
    if (bad) return bad;
    g->gap = 0;
    for (int i = 0; i < nv; i++) s->x[i] *= -1 / cM;
    memset(s->x + n, 0, sizeof(double) * (size_t)nv);
    for (int k = 0; k < nl; k++) {
        if (sys->active[k]) {
            rate[k] *= to_x;
            gap[k] = -gap[k] - rate[k]; /* what the first solution leaves open */
            g->gap = fmax(g->gap, fabs(gap[k]) / lm_gap_unit(s, k));
        } else {
            rate[k] = -gap[k] / cM; /* gap holds lam: bring it to zero */
            gap[k] = 0;
        }
    }
    return 0;
}

/* Both solutions, or only the first where the positions need no correction. */
static void solve(genalpha *g, double goal)
{
    lm_integrator *s = &g->base;
    size_t n = (size_t)(s->sys->nv + s->sys->nl);
    double t0 = s->profile.on ? lm_seconds() : 0;
    if (g->gap > fmax(0.01 * goal, 1e-16))
        lm_linear_correct(s->lin, 2, s->x);
    else {
        lm_linear_correct(s->lin, 1, s->x);
        memset(s->x + n, 0, sizeof(double) * n);
    }
    if (s->profile.on) s->profile.solve += lm_seconds() - t0;
    s->stats.iterations++;
}

/* Apply the corrections to the trial state. Returns their size: motions (alone in *motion), and
 * multipliers as the motions that they would cause if they were wrong. */
static double correct(genalpha *g, double h, double cM, double *motion)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    int nv = sys->nv, nl = sys->nl;
    const double *e = s->x + nv + nl;
    double iw = 1 / (g->b * h * h), iv = g->c / (g->b * h), unit = 1 / s->clock->size;
    double most = lm_motion_norm(sys, s->clock->size, s->x);
    if (g->gap > 0) most += lm_speed_norm(sys, s->clock->size, e);
    for (int i = 0; i < nv; i++) {
        double d = s->x[i];
        g->tdx[i] += d + e[i];
        g->tw[i] += iw * d;
        g->tv[i] += iv * d;
        g->ta[i] += cM * d;
    }
    double mass = unit / s->mass_unit;
    *motion = most;
    for (int k = 0; k < nl; k++) {
        double d = s->x[nv + k], m = fabs(d) * mass * (sys->angular[nv + k] ? unit : 1);
        g->tlam[k] += cM * d;
        if (m > most) most = m;
    }
    return most;
}

/* Why there are no factors: memory, a singular matrix, or forces (2) that are not finite. */
static lm_step_result no_factors(genalpha *g, double t, double h, int bad)
{
    lm_integrator *s = &g->base;
    if (bad != 2) return bad < 0 ? LM_STEP_NO_MEMORY : LM_STEP_DIVERGED;
    genalpha_residual(g, t, h, 1);
    lm_explain_not_finite(s, t, s->x, s->sys->nv);
    return LM_STEP_NOT_FINITE;
}

/* Newton's method for the step of size h. `goal`: accepted error of the motion. */
lm_step_result genalpha_iterate(genalpha *g, double t, double h, double goal)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    double cM = (1 - g->am) / (g->b * h * h * (1 - g->af)), last = 0;
    g->current = 0;
    sys->tick = h;
    if (sys->form->retract(sys, s->q, g->tdx, g->tq)) return LM_STEP_DIVERGED;
    double ratio = g->factor_h > 0 ? h / g->factor_h : 0;
    if (g->factor_cM == 0 || s->clock->fresh != 0 || ratio > 1.5 || ratio < 0.6 ||
        g->turned > MOST_TURNED) {
        int bad = genalpha_factor(g, t, h);
        if (bad) return no_factors(g, t, h, bad);
    }
    for (int it = 0; it < 15; it++) {
        if (genalpha_residual(g, t, h, cM)) {
            lm_explain_not_finite(s, t, s->x, sys->nv);
            return LM_STEP_NOT_FINITE;
        }
        solve(g, goal);
        double motion, size = correct(g, h, cM, &motion);
        if (!isfinite(size)) return LM_STEP_DIVERGED;
        if (sys->form->retract(sys, s->q, g->tdx, g->tq)) return LM_STEP_DIVERGED;
        double rate = last > 0 ? size / last : 0; /* last 0: not known with these factors */
        double left = last > 0 ? (rate < 1 ? size * rate / (1 - rate) : INFINITY) : size;
        if (left <= goal) return LM_STEP_CONVERGED;
        double floor = 4e-15 * (1 + lm_motion_norm(sys, s->clock->size, g->tdx));
        if (size <= floor) return LM_STEP_CONVERGED;
        if (it > 0 && rate > 0.3) {
            if (g->current && motion <= genalpha_noise(g, h)) return LM_STEP_CONVERGED;
            if (g->current && (rate > 0.9 || it > 9))
                return rate > 1 ? LM_STEP_DIVERGED : LM_STEP_SLOW;
            if (!g->current) {
                if (rate > 1) { /* old factors led astray: begin anew */
                    genalpha_predict(g, h);
                    if (sys->form->retract(sys, s->q, g->tdx, g->tq)) return LM_STEP_DIVERGED;
                }
                int bad = genalpha_factor(g, t, h);
                if (bad) return no_factors(g, t, h, bad);
                last = 0;
                continue;
            }
        }
        last = size;
    }
    return LM_STEP_SLOW;
}
