/* Generalized-alpha on the Lie group, stabilised index 2, with error-controlled steps.
 *
 * With the algorithmic acceleration w and the true one a (docs/theory/generalized-alpha.md):
 *     (1 - am) w1 + am w0 = (1 - af) a1 + af a0
 *     v1 = v0 + h ((1 - c) w0 + c w1)
 *     dx = h v0 + h^2 ((1/2 - b) w0 + b w1) + e,   q1 = retract(q0, dx)
 * where the equations of motion and the constraints on the velocities determine a1 and lam, and the
 * constraints on the positions determine the small correction e = O(h^3) along the constraint
 * forces. (Index 3, which has no e and lets the positions determine lam, leaves velocities off by
 * O(h^2); when the step then shrinks, the next one must pay with an acceleration of O(h^2)/h.)
 *
 * Newton's method iterates on dx and lam; the equations of motion are divided by cM = da/d(dx), so
 * that the matrix
 *     [ M + (cD/cM) D + (1/cM) K   Phi^T ]
 *     [ Phi                         0    ]
 * stays well conditioned for any step; the same factors serve the correction e. They are kept from
 * step to step while Newton converges quickly. */
#include "solve/filter.h"
#include "solve/integrator.h"

#include <math.h>
#include <string.h>

typedef struct genalpha {
    lm_integrator base;
    double am, af, b, c;     /* alpha_m, alpha_f, beta, gamma */
    int rings;               /* next to nothing is damped at high frequency */
    double shift;            /* w(t) = a(t + shift h) */
    double *w, *w0;          /* algorithmic acceleration at the end and start of the step */
    double *a_old, *lam_old; /* one step further back, for the predictor */
    /* scratch, not part of the state */
    double *tq, *tv, *ta, *tw, *tlam, *tdx; /* the step being tried */
    double *tjerk;                          /* its third derivative */
    double factor_cM, factor_h;             /* of the factors in use; 0: none */
    double turned;                          /* motion since they were made */
    int current;                            /* they were made in this step */
    double amplify;       /* motions that errors of the constraints cause, over those errors */
    lm_filter filter;     /* of fast vibrations; its span is 0 when it is outdated */
    double filter_turned; /* motion since it was made */
    double gap;           /* of the positions, to be closed by the second solution */
} genalpha;

/* Old factors also mean old directions for the correction e, and so an error of their age times h^3:
 * they are given up when the mechanism has moved by so much of its size, or turned so many radians. */
#define MOST_TURNED 0.05

/* The filter of vibrations outlives more motion than the factors. Vibrations below so much of the
 * tolerance are not followed. Where bodies vibrate, errors count as added up over so many steps
 * and not over more: after that a vibration's phase is beyond interest. */
#define MOST_FILTER_TURNED 0.1
#define FAST_SHARE         1.0
#define PATIENCE           5000.0

/* Below the one ratio of error to allowance the step grows as much as it may, above the other it is
 * repeated. */
#define SMALL_RATIO 0.08
#define MOST_RATIO  1.3
#define HOLD_RATIO  0.7225 /* 0.85^2: the next step is as large as this one */

/* Softness of loop rows over the typical mass: keeps factors alive in singular positions. With a
 * tolerance it is at least ROUNDING/tolerance: it bounds the amplification A by 1/(2 sqrt(s)), and so
 * the noise of the velocities, v eps A^2, by a quarter of the tolerance. */
#define SOFTNESS 1e-12
#define ROUNDING 1e-16

typedef enum step_result { CONVERGED, TOO_SLOW, DIVERGED, NOT_FINITE, NO_MEMORY } step_result;

static void parameters(genalpha *g, double rho, int newmark)
{
    g->am = newmark ? 0 : (2 * rho - 1) / (rho + 1);
    g->af = newmark ? 0 : rho / (rho + 1);
    g->c = 0.5 + g->af - g->am;
    g->b = 0.25 * (g->c + 0.5) * (g->c + 0.5);
    g->shift = g->am - g->af;
    g->rings = newmark || rho > 0.95;
}

static void copy(double *to, const double *from, int n)
{
    if (n) memcpy(to, from, sizeof(double) * (size_t)n);
}

/* ---- one step ---- */

/* Predict a and lam by extrapolation, then w, dx and v by the method's formulas. */
static void predict(genalpha *g, double h)
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

/* Near a singular position the smallest singular value of Phi goes to zero, and rounding errors of
 * the constraints come back as motions, A = 1/sigma times as large. Measured by one solution with
 * errors of +-1 in the constraints. */
static double amplification(genalpha *g)
{
    lm_integrator *s = &g->base;
    int nv = s->sys->nv, nl = s->sys->nl;
    unsigned bits = 12345;
    memset(s->x, 0, sizeof(double) * (size_t)nv);
    for (int k = 0; k < nl; k++) {
        bits = bits * 1103515245u + 12345u;
        double unit = s->sys->active[k] ? lm_gap_unit(s, k) : 0;
        s->x[nv + k] = bits >> 16 & 1 ? unit : -unit;
    }
    lm_linear_correct(s->lin, 1, s->x);
    return lm_motion_norm(s->sys, s->clock->size, s->x);
}

/* Part of the motion in a step that is rounding: of the positions eps A; these turn the constraint
 * directions, so that the velocities are off by v eps A^2. */
static double noise(const genalpha *g, double h)
{
    const lm_integrator *s = &g->base;
    double v = lm_motion_norm(s->sys, s->clock->size, s->v), A = g->amplify;
    return 10 * ROUNDING * (A + h * v * A * A);
}

static int refactor(genalpha *g, double t, double h)
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
    int bad = lm_linear_factor(s->lin);
    if (s->profile.on) {
        s->profile.jacobian += t1 - t0;
        s->profile.factor += lm_seconds() - t1;
    }
    g->factor_cM = bad ? 0 : cM;
    g->factor_h = h;
    g->turned = 0;
    g->current = 1;
    g->amplify = bad ? 0 : amplification(g);
    return bad;
}

/* Right sides at the trial state: x for the motion (equations of motion, constraint rates as
 * displacements), x + n for the correction of the positions, whose size goes to g->gap. */
static int residual(genalpha *g, double t, double h, double cM)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    int nv = sys->nv, nl = sys->nl, n = nv + nl;
    lm_state st = {t, g->tq, g->tv, g->ta, g->tlam};
    double *rate = s->x + nv, *gap = s->x + n + nv, to_x = -g->b * h / g->c;
    double t0 = s->profile.on ? lm_seconds() : 0;
    s->stats.residuals++;
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
    if (g->gap > 0) most += lm_motion_norm(sys, s->clock->size, e);
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
static step_result no_factors(genalpha *g, double t, double h, int bad)
{
    lm_integrator *s = &g->base;
    if (bad != 2) return bad < 0 ? NO_MEMORY : DIVERGED;
    residual(g, t, h, 1);
    lm_explain_not_finite(s, t, s->x, s->sys->nv);
    return NOT_FINITE;
}

/* Newton's method for the step of size h. `goal`: accepted error of the motion. */
static step_result iterate(genalpha *g, double t, double h, double goal)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    double cM = (1 - g->am) / (g->b * h * h * (1 - g->af)), last = 0;
    g->current = 0;
    if (sys->form->retract(sys, s->q, g->tdx, g->tq)) return DIVERGED;
    double ratio = g->factor_h > 0 ? h / g->factor_h : 0;
    if (g->factor_cM == 0 || s->clock->fresh != 0 || ratio > 1.5 || ratio < 0.6 ||
        g->turned > MOST_TURNED) {
        int bad = refactor(g, t, h);
        if (bad) return no_factors(g, t, h, bad);
    }
    for (int it = 0; it < 15; it++) {
        if (residual(g, t, h, cM)) {
            lm_explain_not_finite(s, t, s->x, sys->nv);
            return NOT_FINITE;
        }
        solve(g, goal);
        double motion, size = correct(g, h, cM, &motion);
        if (!isfinite(size)) return DIVERGED;
        if (sys->form->retract(sys, s->q, g->tdx, g->tq)) return DIVERGED;
        double rate = last > 0 ? size / last : 0; /* last 0: not known with these factors */
        double left = last > 0 ? (rate < 1 ? size * rate / (1 - rate) : INFINITY) : size;
        if (left <= goal) return CONVERGED;
        double floor = 4e-15 * (1 + lm_motion_norm(sys, s->clock->size, g->tdx));
        if (size <= floor) return CONVERGED;
        if (it > 0 && rate > 0.3) {
            if (g->current && motion <= noise(g, h)) return CONVERGED;
            if (g->current && (rate > 0.9 || it > 9)) return rate > 1 ? DIVERGED : TOO_SLOW;
            if (!g->current) {
                if (rate > 1) { /* old factors led astray: begin anew */
                    predict(g, h);
                    if (sys->form->retract(sys, s->q, g->tdx, g->tq)) return DIVERGED;
                }
                int bad = refactor(g, t, h);
                if (bad) return no_factors(g, t, h, bad);
                last = 0;
                continue;
            }
        }
        last = size;
    }
    return TOO_SLOW;
}

/* Size of an error of the motion, as compared with the tolerance. */
static double motion_size(const genalpha *g, const double *dx)
{
    return lm_motion_norm(g->base.sys, g->base.clock->size, dx);
}

/* Error that a step may have: together they stay below the tolerance. */
static double allowance(const genalpha *g, double h)
{
    const lm_integrator_options *o = &g->base.opt;
    double part = h / (o->until - o->t0);
    return 0.2 * o->tolerance * (g->base.sys->flexible ? fmax(part, 1 / PATIENCE) : part);
}

/* Third derivative of the motion in this step, (w1 - w0)/h. Where nothing damps them (rho_inf 1,
 * newmark), disturbances of w change their sign from step to step for ever: there it is taken over
 * two steps, in which they cancel. Returns its size in units of length. */
static double jerk(genalpha *g, double h)
{
    lm_integrator *s = &g->base;
    double before = s->clock->h_history, span = h;
    const double *from = g->w0, *to = g->tw;
    if (g->rings && before > 0) from = g->a_old, to = g->ta, span = 2 * fmin(h, before);
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
    return fmin(ratio, c * h * h * h * motion_size(g, g->tjerk) / allowance(g, h));
}

/* What the jerk was lately. The jerk of an oscillation passes through zero while the error of the
 * velocities, which goes with the next derivative, does not: the step must not grow there. It is
 * forgotten at the rate jerk/acceleration, the frequency of an oscillation, and quickly once the
 * accelerations that belonged to it are over. */
static double remembered_jerk(const genalpha *g, double h)
{
    const lm_clock *c = g->base.clock;
    double a = lm_motion_norm(g->base.sys, c->size, g->tw);
    return a > 0 ? c->jerk * exp(-h * c->jerk / a) : 0;
}

/* Local error of the positions, (1/6 - b - shift/2) h^3 times the third derivative (kept in *now),
 * over what is allowed. A jump of it that may be rounding says nothing: the step stays as it is.
 * < 0: memory. */
static double error_ratio(genalpha *g, double t, double h, double allowed, double *now)
{
    double c = fabs(1.0 / 6 - g->b - 0.5 * g->shift), unit = c * h * h * h / allowed;
    double ratio = unit * jerk(g, h), memory = remembered_jerk(g, h);
    if (g->filter.lin && ratio > SMALL_RATIO) ratio = without_vibrations(g, t, h, c, ratio);
    *now = fmax(ratio / unit, memory);
    if (ratio < 0.1 || ratio < 1.2 * unit * memory) return unit * *now;
    if (ratio > 2 * unit * memory && !g->current && refactor(g, t, h) < 0) return -1;
    if (ratio * allowed > noise(g, h)) return unit * *now;
    *now = g->base.clock->jerk;
    return fmin(ratio, HOLD_RATIO);
}

static void accept(genalpha *g, double t, double h)
{
    lm_integrator *s = &g->base;
    int nq = s->sys->nq, nv = s->sys->nv, nl = s->sys->nl;
    copy(g->a_old, s->a, nv);
    copy(g->lam_old, s->lam, nl);
    lm_integrator_keep(s);
    copy(s->q, g->tq, nq);
    copy(s->v, g->tv, nv);
    copy(s->a, g->ta, nv);
    copy(s->lam, g->tlam, nl);
    copy(g->w, g->tw, nv);
    copy(s->dx, g->tdx, nv);
    double moved = lm_motion_norm(s->sys, s->clock->size, s->dx);
    g->turned += moved;
    g->filter_turned += moved;
    s->clock->t = t;
    s->clock->h = h;
    s->clock->h_history = h;
    lm_integrator_count(s, h);
}

/* The equation with the largest residual, a number that is not finite before all others; -1. */
static int worst_equation(genalpha *g, double t, double h)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    double cM = (1 - g->am) / (g->b * h * h * (1 - g->af)), most = -1;
    int worst = -1;
    predict(g, h);
    if (sys->form->retract(sys, s->q, g->tdx, g->tq) || residual(g, t, h, cM)) return -1;
    for (int i = 0; i < sys->nv + sys->nl; i++) {
        double w = fabs(s->x[i]) * (sys->angular[i] ? 1 : 1 / s->clock->size);
        if (!isfinite(w)) return i;
        if (w > most) most = w, worst = i;
    }
    return worst;
}

static void blame(genalpha *g, double t, double h, step_result why)
{
    const char *how = why == CONVERGED  ? "the error of a step is too large"
                      : why == TOO_SLOW ? "Newton's iteration is too slow"
                                        : "Newton's iteration does not converge";
    lm_explain_step(&g->base, how, h, worst_equation(g, t, h));
}

/* The tries of one step. */
typedef struct trial_log {
    double first;    /* size of the first one */
    int failures;    /* times that Newton failed, or that smaller steps brought no smaller error */
    int errors;      /* times that the error was too large */
    int finite;      /* no trial met a force that is not a number */
    step_result why; /* the last failure */
    double jerk;     /* of the last trial */
} trial_log;

/* The size to try after a failure. The step may have ended in a singular position of the mechanism,
 * where smaller steps only come nearer to it: so first a little less, then hops over it, and only
 * then smaller and smaller. */
static double retry_size(trial_log *r, double take)
{
    static const double hop[] = {0.6, 1.7, 4, 12, 40, 0.25};
    enum { HOPS = sizeof hop / sizeof hop[0] };
    return ++r->failures <= HOPS ? hop[r->failures - 1] * r->first : 0.25 * take;
}

/* The error allowed in a step of size h is a share of tolerance h/T, so that the errors of a whole
 * run add up to the tolerance; the share leaves room for how errors of the positions grow. A hop
 * over a bad place may cost more. */
static double hop_allowance(const genalpha *g, double h, const trial_log *r)
{
    double hop = r->failures && h > r->first ? h / r->first : 0;
    return allowance(g, h) * (1 + 50 * hop * hop);
}

/* Try a step of size h to time t: 0 good, with *ratio its error over what is allowed; 1 rejected,
 * with *h the size to try next; < 0 memory. */
static int try_step(genalpha *g, double t, double *h, trial_log *r, double *ratio)
{
    lm_integrator *s = &g->base;
    double take = *h, allowed = hop_allowance(g, take, r);
    predict(g, take);
    r->why = iterate(g, t, take, fmax(0.05 * allowed, 1e-15));
    if (r->why == NO_MEMORY) return -1;
    if (r->why == CONVERGED) {
        *ratio = error_ratio(g, t, take, allowed, &r->jerk); /* grows with h^2 */
        if (*ratio < 0) return -1;
        if (*ratio <= MOST_RATIO) return 0;
        /* smooth motions need one or two smaller tries; more say that the error is noise */
        *h = ++r->errors > 5 ? retry_size(r, take) : take * fmax(0.2, 0.85 / sqrt(*ratio));
    } else {
        r->finite &= r->why != NOT_FINITE;
        g->factor_cM = 0;
        *h = retry_size(r, take);
    }
    s->stats.rejected++;
    return 1;
}

/* Size of the next step after one of size `take` where `want` was wanted. */
static double next_size(double take, double want, double ratio)
{
    double grow = ratio > 0 ? 0.85 / sqrt(ratio) : 3, next = take * fmin(fmax(grow, 0.3), 3);
    /* hold the step where a change would gain little: the factors stay good */
    if (next > take && next < 1.2 * take) next = take;
    return take < want && next > take ? fmax(next, want) : next;
}

/* A step of error-controlled size. */
static int controlled_step(genalpha *g, double limit)
{
    lm_integrator *s = &g->base;
    double t = s->clock->t, least = 1e-13 * fmax(s->opt.until - s->opt.t0, fabs(t));
    double h = s->clock->h_next, ratio;
    trial_log r = {.finite = 1};
    for (;;) {
        double room = limit - t, want = fmin(h, s->opt.largest_step);
        double take = want >= room * (1 - 1e-9) ? room : want > 0.5 * room ? 0.5 * room : want;
        if (take < least && take < room) {
            if (r.finite) blame(g, t + take, take, r.why);
            return 1;
        }
        if (r.first == 0) r.first = take;
        double end = take == room ? limit : t + take;
        h = take;
        int bad = try_step(g, end, &h, &r, &ratio);
        if (bad < 0) return bad;
        if (bad) continue;
        s->clock->h_next = next_size(take, want, ratio);
        accept(g, end, take);
        s->clock->err_last = ratio;
        if (!r.failures)
            s->clock->jerk = r.jerk;
        else { /* what was noise must not rule the steps that follow */
            s->clock->h_next = fmin(s->clock->h_next, r.first);
            s->clock->restart = 1;
        }
        return 0;
    }
}

/* A step of the user's size; halved where Newton fails, on the same grid. */
static int fixed_step(genalpha *g, double limit)
{
    lm_integrator *s = &g->base;
    double step = s->opt.step, t = s->clock->t;
    /* rounding errors of positions add up along a chain */
    double goal = 1e-12 * fmax(1, s->sys->nv / 100.0);
    double n = floor((t - s->opt.t0) / step + 1e-6) + 1;
    double end = fmin(s->opt.t0 + n * step, limit);
    if (limit - end < 1e-6 * step) end = limit;
    double h = end - t;
    for (int tries = 0; tries < 12; tries++) {
        double to = tries ? t + h : end;
        predict(g, h);
        step_result why = iterate(g, to, h, goal);
        if (why == NO_MEMORY) return -1;
        if (why == CONVERGED) {
            accept(g, to, h);
            return 0;
        }
        s->stats.rejected++;
        g->factor_cM = 0;
        if (tries == 11 && why != NOT_FINITE) blame(g, to, h, why);
        h *= 0.5;
    }
    return 1;
}

static int step(lm_integrator *s, double limit)
{
    genalpha *g = (genalpha *)s;
    if (s->clock->restart != 0) {
        int bad = lm_integrator_start(s, s->clock->t, 1);
        if (bad) return bad;
    }
    if (s->clock->h == 0) copy(g->w, s->a, s->sys->nv); /* after a start */
    if (s->clock->fresh != 0) g->factor_cM = g->filter.span = 0;
    return s->opt.step > 0 ? fixed_step(g, limit) : controlled_step(g, limit);
}

static void destroy(lm_integrator *s)
{
    genalpha *g = (genalpha *)s;
    lm_free(g->tq);
    lm_filter_free(&g->filter);
    lm_integrator_free(s);
    lm_free(g);
}

static const lm_integrator_ops ops = {
    .name = "generalized-alpha", .step = step, .destroy = destroy};

lm_integrator *lm_genalpha_create(lm_system *sys, const lm_integrator_options *opt)
{
    size_t nq = (size_t)sys->nq, nv = (size_t)sys->nv, nl = (size_t)sys->nl;
    genalpha *g = lm_alloc(sizeof *g);
    double *own;
    if (!g) return NULL;
    parameters(g, opt->rho_inf, opt->method == LM_METHOD_NEWMARK);
    g->tq = lm_alloc(sizeof(double) * (nq + 5 * nv + nl + 1));
    int bad = sys->flexible && opt->step == 0 ? lm_filter_init(&g->filter, sys) : 0;
    if (bad || lm_integrator_init(&g->base, &ops, sys, opt, 3 * nv + nl, &own) || !g->tq) {
        destroy(&g->base);
        return NULL;
    }
    g->w = own, g->w0 = g->w + nv, g->a_old = g->w0 + nv, g->lam_old = g->a_old + nv;
    g->tv = g->tq + nq, g->ta = g->tv + nv, g->tw = g->ta + nv, g->tdx = g->tw + nv;
    g->tjerk = g->tdx + nv, g->tlam = g->tjerk + nv;
    return &g->base;
}

/* A fixed step needs no filter of vibrations. */
lm_integrator *lm_solver_create(lm_system *sys)
{
    lm_integrator_options opt = {.until = 1, .step = 1, .rho_inf = 0.8};
    return lm_genalpha_create(sys, &opt);
}
