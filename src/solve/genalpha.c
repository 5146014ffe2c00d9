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
#include "solve/genalpha.h"

#include <math.h>

static void parameters(genalpha *g, double rho, int newmark)
{
    g->am = newmark ? 0 : (2 * rho - 1) / (rho + 1);
    g->af = newmark ? 0 : rho / (rho + 1);
    g->c = 0.5 + g->af - g->am;
    g->b = 0.25 * (g->c + 0.5) * (g->c + 0.5);
    g->shift = g->am - g->af;
    g->rings = newmark || rho > 0.95;
}

static void accept(genalpha *g, double t, double h)
{
    lm_integrator *s = &g->base;
    int nq = s->sys->nq, nv = s->sys->nv, nl = s->sys->nl;
    lm_copy(g->a_old, s->a, nv);
    lm_copy(g->lam_old, s->lam, nl);
    lm_integrator_keep(s);
    lm_copy(s->q, g->tq, nq);
    lm_copy(s->v, g->tv, nv);
    lm_copy(s->a, g->ta, nv);
    lm_copy(s->lam, g->tlam, nl);
    lm_copy(g->w, g->tw, nv);
    lm_copy(s->dx, g->tdx, nv);
    double moved = lm_speed_norm(s->sys, s->clock->size, s->dx);
    g->turned += moved;
    g->filter_turned += moved;
    lm_integrator_arrive(s, t, h);
}

/* The equation with the largest residual, a number that is not finite before all others; -1. */
static int worst_equation(genalpha *g, double t, double h)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    double cM = (1 - g->am) / (g->b * h * h * (1 - g->af)), most = -1;
    int worst = -1;
    genalpha_predict(g, h);
    if (sys->form->retract(sys, s->q, g->tdx, g->tq) || genalpha_residual(g, t, h, cM)) return -1;
    for (int i = 0; i < sys->nv + sys->nl; i++) {
        double w = fabs(s->x[i]) * (sys->angular[i] ? 1 : 1 / s->clock->size);
        if (!isfinite(w)) return i;
        if (w > most) most = w, worst = i;
    }
    return worst;
}

/* The tries of one step. */
typedef struct trial_log {
    double first; /* size of the first one */
    int failures; /* times that Newton failed, or that smaller steps brought no smaller error */
    int errors;   /* times that the error was too large */
    int finite;   /* no trial met a force that is not a number */
    lm_step_result why; /* the last failure */
    double jerk;        /* of the last trial */
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
    return genalpha_allowance(g, h) * (1 + 50 * hop * hop);
}

/* Try a step of size h to time t: 0 good, with *ratio its error over what is allowed; 1 rejected,
 * with *h the size to try next; < 0 memory. */
static int try_step(genalpha *g, double t, double *h, trial_log *r, double *ratio)
{
    lm_integrator *s = &g->base;
    double take = *h, allowed = hop_allowance(g, take, r);
    genalpha_predict(g, take);
    r->why = genalpha_iterate(g, t, take, fmax(0.05 * allowed, 1e-15));
    if (r->why == LM_STEP_NO_MEMORY) return -1;
    if (r->why == LM_STEP_CONVERGED) {
        *ratio = genalpha_error(g, t, take, allowed, &r->jerk); /* grows with h^2 */
        if (*ratio < 0) return -1;
        if (*ratio <= MOST_RATIO) return 0;
        /* smooth motions need one or two smaller tries; more say that the error is noise */
        *h = ++r->errors > 5 ? retry_size(r, take) : take * fmax(0.2, 0.85 / sqrt(*ratio));
    } else {
        r->finite &= r->why != LM_STEP_NOT_FINITE;
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

/* Behind a start w is the acceleration there and not that of its place in the step: rates of states are off by
 * the square of the first step, which no error of positions shows. Of the time to the next kink that is no more
 * than the tolerance. */
static double first_size(const genalpha *g, double want, double room)
{
    const lm_integrator *s = &g->base;
    int off = s->clock->h == 0 && s->sys->nvariables > 0 && g->shift != 0;
    double least = 1e-12 * (s->opt.until - s->opt.t0);
    return off ? fmin(want, fmax(0.1 * sqrt(s->opt.tolerance) * room, least)) : want;
}

/* A step of error-controlled size. */
static int controlled_step(genalpha *g, double limit)
{
    lm_integrator *s = &g->base;
    double t = s->clock->t, least = 1e-13 * fmax(s->opt.until - s->opt.t0, fabs(t));
    double h = s->clock->h_next, ratio;
    trial_log r = {.finite = 1};
    for (;;) {
        double room = limit - t, want = first_size(g, fmin(h, s->opt.largest_step), room);
        double take = lm_step_within(want, room);
        if (take < least && take < room) {
            if (r.finite) lm_explain_newton(s, r.why, take, worst_equation(g, t + take, take));
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
    double t = s->clock->t, end = lm_step_grid_end(s, limit), h = end - t;
    double goal = lm_step_grid_goal(s);
    for (int tries = 0; tries < 12; tries++) {
        double to = tries ? t + h : end;
        genalpha_predict(g, h);
        lm_step_result why = genalpha_iterate(g, to, h, goal);
        if (why == LM_STEP_NO_MEMORY) return -1;
        if (why == LM_STEP_CONVERGED) {
            accept(g, to, h);
            return 0;
        }
        s->stats.rejected++;
        g->factor_cM = 0;
        if (tries == 11 && why != LM_STEP_NOT_FINITE)
            lm_explain_newton(s, why, h, worst_equation(g, to, h));
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
    if (s->clock->h == 0) lm_copy(g->w, s->a, s->sys->nv); /* after a start */
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
    .name = "generalized-alpha", .step = step, .destroy = destroy, .at_ends = 1};

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
lm_integrator *lm_integrator_at_rest(lm_system *sys)
{
    lm_integrator_options opt = {.until = 1, .step = 1, .rho_inf = 0.8};
    return lm_genalpha_create(sys, &opt);
}
