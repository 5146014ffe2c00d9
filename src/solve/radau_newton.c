/* The equations of a step of the method `radau`, and Newton's method for them (docs/theory/radau.md).
 *
 * Unknowns are the accelerations a_i, multipliers lam_i and corrections e_i of three stages:
 *     v_i = v_0 + h sum A_ij a_j
 *     x_i = h sum A_ij Tinv(x_j) v_j + e_i,      q_i = retract(q_0, x_i)
 *     M a_i - f + Phi^T lam_i = 0,    d(phi)/dt = 0,    phi = 0
 * A change Y of the motions goes with (hA)^-1 Y of velocities and (hA)^-2 Y of accelerations. In the
 * basis W = T^-1 Y, in which A^-1 is diagonal, the stages separate: with s = h/g for the real
 * eigenvalue g and s = h/z for the complex one z,
 *     [ M + s D + s^2 K   Phi^T ] [ w      ]   [ -s^2 T^-1 r  ]
 *     [ Phi                0    ] [ s^2 dl ] = [ -s T^-1 phi' ]
 * which stays well conditioned for any step. The e_i, which close what is then left of phi, come from
 * the real factors, as their direction does not matter: they are as small as the step's error. */
#include "solve/radau.h"

#include <math.h>
#include <string.h>

/* Softness of loop rows over the typical mass: keeps factors alive in singular positions. */
#define SOFTNESS 1e-12

/* Factors are given up when the mechanism has moved by so much of its size, or turned so many
 * radians; when the step has changed by more than so much; or when the last step converged with a
 * rate above this. */
#define MOST_TURNED  0.15
#define MOST_CHANGED 0.06
#define MOST_RATE    0.15

/* Coordinates of single numbers are measured in frames that move along: turning as such changes
 * nothing, and the rate alone tells. Matrices that are made a step before are three times as far from
 * the stages as those made in its middle, and serve ten times worse: where those converge with more
 * than the good rate, the next step has its own from the beginning. */
#define MOST_TURNED_ALONG 1.5

/* Where the last step converged with at most this rate, M, D and K serve for factors of another step
 * size, too. */
#define GOOD_RATE 0.02

/* Polynomials of the last step are continued by so many times its size. */
#define MOST_AHEAD 6.0

/* ---- prediction ---- */

/* y_i = y_0 + h sum A_ij z_j, one component of the three stages. */
static void collocate(double h, double y0, const double z[3], double y[3])
{
    const radau_method *m = radau_formulas();
    for (int i = 0; i < 3; i++)
        y[i] = y0 + h * (m->A[i][0] * z[0] + m->A[i][1] * z[1] + m->A[i][2] * z[2]);
}

static void velocities(radau *g, double h)
{
    double v[3];
    for (int i = 0; i < g->base.sys->nv; i++) {
        const double a[3] = {g->a[0][i], g->a[1][i], g->a[2][i]};
        collocate(h, g->base.v[i], a, v);
        for (int k = 0; k < 3; k++) g->v[k][i] = v[k];
    }
}

/* Local coordinates from their rates at the present ones. */
static void positions(radau *g, double h)
{
    const lm_system *sys = g->base.sys;
    double x[3];
    for (int k = 0; k < 3; k++) sys->form->local_rate(sys, g->x[k], g->v[k], g->rate[k]);
    for (int i = 0; i < sys->nv; i++) {
        const double r[3] = {g->rate[0][i], g->rate[1][i], g->rate[2][i]};
        collocate(h, 0, r, x);
        for (int k = 0; k < 3; k++) g->x[k][i] = x[k] + g->off[k][i];
    }
}

void radau_follow(radau *g, double h, int times)
{
    velocities(g, h);
    for (int it = 0; it < times; it++) positions(g, h);
}

void radau_predict(radau *g, double h)
{
    lm_integrator *s = &g->base;
    int nv = s->sys->nv, nl = s->sys->nl, known = s->clock->h_history > 0;
    double r = known ? fmin(h / s->clock->h_history, MOST_AHEAD) : 0;
    for (int k = 0; k < 3; k++) {
        double w[4] = {0, 0, 0, 1};
        if (known) radau_interpolate(3, 1 + r * radau_formulas()->c[k], w);
        for (int i = 0; i < nv; i++)
            g->a[k][i] = w[1] * g->past_a[0][i] + w[2] * g->past_a[1][i] + w[3] * s->a[i];
        for (int i = 0; i < nl; i++)
            g->lam[k][i] = w[1] * g->past_lam[0][i] + w[2] * g->past_lam[1][i] + w[3] * s->lam[i];
        memset(g->off[k], 0, sizeof(double) * (size_t)nv);
        memset(g->x[k], 0, sizeof(double) * (size_t)nv);
    }
    radau_follow(g, h, 2);
}

/* ---- matrices ---- */

/* M, D and K in the middle of the step. */
static int matrices(radau *g, double t, double h)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    lm_state st = {t - h * (1 - radau_formulas()->c[1]), g->ref, g->v[1], g->a[1], g->lam[1]};
    s->stats.jacobians++;
    sys->softness = SOFTNESS / s->mass_unit;
    if (sys->form->retract(sys, s->q, g->x[1], g->ref)) return 1;
    if (sys->form->matrices) return sys->form->matrices(sys, &st, g->M, g->D, g->K) ? 2 : 0;
    if (sys->form->jacobian(sys, &st, 1, 0, 0, g->M)) return 2;
    if (sys->form->jacobian(sys, &st, 0, 1, 0, g->D)) return 2;
    if (sys->form->jacobian(sys, &st, 0, 0, 1, g->K)) return 2;
    return 0;
}

/* M + s D + s^2 K with the constraints, for both eigenvalues. */
static void fill(radau *g, double h)
{
    const radau_method *m = radau_formulas();
    const lm_pattern *p = &g->base.sys->pattern;
    double s = h / m->real, norm = m->re * m->re + m->im * m->im;
    double re = h * m->re / norm, im = -h * m->im / norm;
    double re2 = re * re - im * im, im2 = 2 * re * im;
    double *one = lm_linear_values(g->base.lin);
    int nv = g->base.sys->nv;
    radau_pair_clear(&g->pair);
    for (int c = 0; c < p->n; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
            int r = p->rowind[k], moves = r < nv && c < nv;
            double D = moves ? g->D[k] : 0, K = moves ? g->K[k] : 0;
            one[k] = g->M[k] + s * D + s * s * K;
            radau_complex z = {g->M[k] + re * D + re2 * K, im * D + im2 * K};
            radau_pair_put(&g->pair, r, c, k, z);
        }
}

/* Factors for the step size h, of M, D and K at hand or of new ones. */
static int refactor(radau *g, double t, double h, int anew)
{
    lm_integrator *s = &g->base;
    double t0 = s->profile.on ? lm_seconds() : 0;
    g->factor_h = 0;
    if (s->clock->fresh > 1) lm_linear_new_pivots(s->lin);
    if (s->clock->fresh > 0) radau_pair_new_pivots(&g->pair); /* a resumed run has none */
    s->clock->fresh = 0;
    int bad = anew ? matrices(g, t, h) : 0;
    if (bad) return bad;
    fill(g, h);
    double t1 = s->profile.on ? lm_seconds() : 0;
    lm_linear_set_mass(s->lin, s->mass_unit);
    bad = lm_linear_factor(s->lin);
    if (!bad) bad = radau_pair_factor(&g->pair, s->mass_unit);
    if (s->profile.on) {
        s->profile.jacobian += t1 - t0;
        s->profile.factor += lm_seconds() - t1;
    }
    g->factor_h = bad ? 0 : h;
    if (anew) g->turned = 0;
    return bad;
}

/* ---- equations ---- */

static int residual(radau *g, double t, double h)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    double t0 = s->profile.on ? lm_seconds() : 0;
    int bad = 0;
    for (int k = 0; k < 3 && !bad; k++) {
        double at = t - h * (1 - radau_formulas()->c[k]);
        lm_state st = {at, g->qs[k], g->v[k], g->a[k], g->lam[k]};
        bad = sys->form->retract(sys, s->q, g->x[k], g->qs[k]);
        if (!bad) bad = sys->form->residual(sys, &st, g->res[k], g->gap[k], g->res[k] + sys->nv);
    }
    if (s->profile.on) s->profile.residual += lm_seconds() - t0;
    return bad;
}

/* Right sides of the real and the complex system. Residuals are turned to where the factors were
 * made, stage by stage: a slender beam, ten thousand times stiffer along than across, that turns by a
 * hundredth between the stages would not know its own matrix. */
static void right_sides(radau *g, double h)
{
    const radau_method *m = radau_formulas();
    const lm_system *sys = g->base.sys;
    int nv = sys->nv, n = nv + sys->nl;
    double s = h / m->real, norm = m->re * m->re + m->im * m->im;
    double re = h * m->re / norm, im = -h * m->im / norm;
    for (int k = 0; k < 3; k++) sys->form->carry(sys, g->qs[k], g->ref, g->res[k], g->res[k]);
    for (int i = 0; i < n; i++) {
        int off = i >= nv && !sys->active[i - nv]; /* such a row brings lam to zero */
        double *const *from = off ? g->gap : g->res, w[3];
        int k = off ? i - nv : i;
        for (int j = 0; j < 3; j++)
            w[j] =
                -(m->Ti[j][0] * from[0][k] + m->Ti[j][1] * from[1][k] + m->Ti[j][2] * from[2][k]);
        int square = i < nv || off;
        double f = square ? s * s : s;
        double fr = square ? re * re - im * im : re, fi = square ? 2 * re * im : im;
        g->sol[i] = f * w[0];
        g->sol2[2 * i] = fr * w[1] - fi * w[2];
        g->sol2[2 * i + 1] = fr * w[2] + fi * w[1];
    }
}

/* What the solutions of those leave open in the positions: phi - h A phi', into gap. */
static void open_gaps(radau *g, double h)
{
    const lm_integrator *s = &g->base;
    const lm_system *sys = s->sys;
    g->open = 0;
    for (int k = 0; k < sys->nl; k++) {
        int row = sys->nv + k;
        const double rate[3] = {g->res[0][row], g->res[1][row], g->res[2][row]};
        double closed[3];
        collocate(h, 0, rate, closed);
        for (int i = 0; i < 3; i++) {
            g->gap[i][k] = sys->active[k] ? g->gap[i][k] - closed[i] : 0;
            double w = fabs(g->gap[i][k]) / lm_gap_unit(s, k);
            if (!(w <= g->open)) g->open = w;
        }
    }
}

/* W to the changes of the stages: motions into res, accelerations into da, both turned back to where
 * the stages are; multipliers added. */
static void apply(radau *g, double h)
{
    const radau_method *m = radau_formulas();
    int nv = g->base.sys->nv, n = nv + g->base.sys->nl;
    double g2 = m->real * m->real / (h * h), re2 = (m->re * m->re - m->im * m->im) / (h * h),
           im2 = 2 * m->re * m->im / (h * h);
    for (int i = 0; i < n; i++) {
        double w1 = g->sol[i], w2 = g->sol2[2 * i], w3 = g->sol2[2 * i + 1];
        double a1 = g2 * w1, a2 = re2 * w2 - im2 * w3, a3 = im2 * w2 + re2 * w3;
        for (int k = 0; k < 3; k++) {
            const double *T = m->T[k];
            double a = T[0] * a1 + T[1] * a2 + T[2] * a3;
            g->res[k][i] = T[0] * w1 + T[1] * w2 + T[2] * w3;
            if (i < nv)
                g->da[k][i] = a;
            else
                g->lam[k][i - nv] += a;
        }
    }
    for (int k = 0; k < 3; k++) {
        g->base.sys->form->carry(g->base.sys, g->ref, g->qs[k], g->res[k], g->res[k]);
        g->base.sys->form->carry(g->base.sys, g->ref, g->qs[k], g->da[k], g->da[k]);
        for (int i = 0; i < nv; i++) g->a[k][i] += g->da[k][i];
    }
}

/* Close the positions: e into res (added to the motions) and, as local coordinates, into off. */
static void close_gaps(radau *g)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    int nv = sys->nv, nl = sys->nl;
    for (int k = 0; k < 3; k++) {
        memset(g->sol, 0, sizeof(double) * (size_t)nv);
        for (int i = 0; i < nl; i++) g->sol[nv + i] = -g->gap[k][i];
        lm_linear_correct(s->lin, 1, g->sol);
        sys->form->local_rate(sys, g->x[k], g->sol, g->rate[k]);
        for (int i = 0; i < nv; i++) {
            g->res[k][i] += g->sol[i];
            g->off[k][i] += g->rate[k][i];
        }
    }
}

/* One iteration, of the residual at hand. */
static void solve(radau *g, double h, double goal)
{
    lm_integrator *s = &g->base;
    double t0 = s->profile.on ? lm_seconds() : 0;
    right_sides(g, h);
    open_gaps(g, h);
    lm_linear_correct(s->lin, 1, g->sol);
    radau_pair_solve(&g->pair, g->sol2);
    apply(g, h);
    if (g->open > fmax(0.01 * goal, 1e-16 * g->far)) close_gaps(g);
    if (s->profile.on) s->profile.solve += lm_seconds() - t0;
    s->stats.iterations++;
}

/* Move the stages by what is in res. Returns the size of the change: motions (alone in *motion), and
 * multipliers as the motions that they would cause if they were wrong. */
static double move(radau *g, double h, double *motion)
{
    lm_integrator *s = &g->base;
    const lm_system *sys = s->sys;
    int nv = sys->nv;
    double unit = 1 / s->clock->size, mass = unit / s->mass_unit, most = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < sys->nl; i++) {
            double m = fabs(g->res[k][nv + i]) * mass * (sys->angular[nv + i] ? unit : 1);
            if (!(m <= most)) most = m;
        }
        sys->form->local_rate(sys, g->x[k], g->res[k], g->rate[k]);
        for (int i = 0; i < nv; i++) {
            g->res[k][i] = g->x[k][i]; /* the old ones */
            g->x[k][i] += g->rate[k][i];
        }
    }
    velocities(g, h);
    positions(g, h);
    *motion = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < nv; i++) g->res[k][i] = g->x[k][i] - g->res[k][i];
        double d = lm_motion_norm(sys, s->clock->size, g->res[k]);
        if (!(d <= *motion)) *motion = d;
    }
    return *motion >= most ? *motion : most;
}

/* ---- Newton's method ---- */

/* Why there are no factors: memory, a singular matrix, or forces (2) that are not finite. */
static lm_step_result no_factors(radau *g, double t, double h, int bad)
{
    lm_integrator *s = &g->base;
    if (bad != 2) return bad < 0 ? LM_STEP_NO_MEMORY : LM_STEP_DIVERGED;
    residual(g, t, h);
    lm_explain_not_finite(s, t, g->res[1], s->sys->nv);
    return LM_STEP_NOT_FINITE;
}

/* Rounding errors of the constraints come back divided by the smallest singular value of the
 * constraint matrix, about the root of rcond: below that, corrections are noise. */
static int is_noise(radau *g, double motion)
{
    return motion <= 1e-14 * g->far / sqrt(fmax(lm_linear_rcond(g->base.lin), SOFTNESS));
}

/* Variables that are still small against what they will be have the rounding of the mechanism. Where the
 * mechanism stands and they change no more by much than their share of the tolerance, that is all. */
static int is_variable_noise(radau *g, double size, double goal)
{
    const lm_system *sys = g->base.sys;
    double most = 0;
    if (sys->nvariables == 0 || size > 1e-3 * g->base.opt.tolerance) return 0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, lm_speed_norm(sys, g->base.clock->size, g->res[k]));
    return most <= goal;
}

/* g->rate_of is the slowest contraction of the last step; negative where its matrices were made in
 * that step; 0: not known. */
static int wants_matrices(const radau *g)
{
    int along = g->base.sys->scalar;
    return g->factor_h == 0 || g->base.clock->fresh != 0 ||
           g->turned > (along ? MOST_TURNED_ALONG : MOST_TURNED) || g->rate_of > MOST_RATE ||
           (along && -g->rate_of > GOOD_RATE);
}

static int wants_factors(const radau *g, double h)
{
    return fabs(h / g->factor_h - 1) > MOST_CHANGED;
}

static int serve_again(const radau *g) { return g->rate_of != 0 && fabs(g->rate_of) <= GOOD_RATE; }

static lm_step_result not_finite(radau *g, double t, double h)
{
    const double *c = radau_formulas()->c;
    int nv = g->base.sys->nv;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < nv; i++)
            if (!isfinite(g->res[k][i])) {
                lm_explain_not_finite(&g->base, t - h * (1 - c[k]), g->res[k], nv);
                return LM_STEP_NOT_FINITE;
            }
    lm_explain_not_finite(&g->base, t, g->res[2], nv);
    return LM_STEP_NOT_FINITE;
}

/* How much smaller corrections become; 0: not known with these factors. One matrix serves three stages, and
 * what it does not fit well goes round between them: corrections shrink by a little and by a lot in turns,
 * and two of them together tell. */
static double contraction(double size, double last, double before_last)
{
    if (last == 0) return 0;
    return before_last > 0 ? sqrt(size / before_last) : size / last;
}

lm_step_result radau_iterate(radau *g, double t, double h, double goal, int most)
{
    lm_integrator *s = &g->base;
    double last = 0, before_last = 0, slowest = 0, motion;
    int refill = !wants_matrices(g) && wants_factors(g, h);
    int current = wants_matrices(g) || (refill && !serve_again(g)); /* matrices of this step */
    int factors = current || refill;
    s->sys->tick = h;
    for (int it = 0; it < most; it++) {
        int bad = factors ? refactor(g, t, h, current) : 0;
        if (bad) return no_factors(g, t, h, bad);
        factors = 0;
        if (residual(g, t, h)) return not_finite(g, t, h);
        solve(g, h, goal);
        double size = move(g, h, &motion);
        if (!isfinite(size)) return LM_STEP_DIVERGED;
        double rate = contraction(size, last, before_last);
        double left = last > 0 ? (rate < 1 ? size * rate / (1 - rate) : INFINITY) : size;
        slowest = fmax(slowest, rate);
        g->rate_of = current ? -slowest : slowest;
        if (left <= goal) return LM_STEP_CONVERGED;
        if (size <= 4e-15 * (g->far + lm_motion_norm(s->sys, s->clock->size, g->x[2])))
            return LM_STEP_CONVERGED;
        before_last = last;
        last = size;
        if (it == 0 || rate <= 0.3) continue;
        if (current && it > 1 && (is_noise(g, motion) || is_variable_noise(g, size, goal)))
            return LM_STEP_CONVERGED;
        if (current && it > 1 && (rate > 0.9 || it > most - 6))
            return rate > 1 ? LM_STEP_DIVERGED : LM_STEP_SLOW;
        if (current) continue;
        factors = current = 1;
        last = before_last = slowest = 0;
    }
    return LM_STEP_SLOW;
}

int radau_worst_equation(radau *g, double t, double h)
{
    lm_integrator *s = &g->base;
    const lm_system *sys = s->sys;
    int nv = sys->nv, worst = -1;
    double most = -1;
    radau_predict(g, h);
    if (residual(g, t, h)) return -1;
    for (int i = 0; i < nv + sys->nl; i++) {
        double w = fabs(g->res[2][i]) * (i < nv ? h * h / s->mass_unit : h);
        if (!sys->angular[i]) w /= s->clock->size;
        if (!isfinite(w)) return i;
        if (w > most) most = w, worst = i;
    }
    return worst;
}
