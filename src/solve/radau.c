/* Radau IIA with three stages, order 5, on the Lie group, in stabilised index-2 form with
 * error-controlled steps (docs/theory/radau.md). For flexible mechanisms whose vibrations are to be
 * followed, and for smooth motions at tight tolerances. */
#include "solve/radau.h"

#include <math.h>

/* Above this ratio of error to allowance a step is repeated. A body turns by less than this in a step:
 * beyond, Newton's method has trouble with fast tops. */
#define MOST_RATIO    2.0
#define MOST_ROTATION 0.5

/* The part of a step's allowed error that Newton's method may leave open: this one, and up to four times as
 * much where the tolerance is loose. What is left is an error of the velocities, too, which adds up over the
 * run: at tight tolerances it would show. */
#define NEWTON_PART 0.005

static double newton_goal(const radau *g, double h)
{
    double loose = fmin(0.2 * sqrt(g->base.opt.tolerance), 4 * NEWTON_PART);
    return fmax(NEWTON_PART, loose) * radau_allowance(g, h);
}

/* Where there are constraints, Newton's method leaves at most so much of the motion open: redundant
 * ones, which are not in the equations, must hold, too. */
#define LEAST_CARE 1e-9

/* Iterations of Newton's method for a step; and out of a singular position, where one matrix fits all stages
 * badly and corrections shrink by 0.76 at a time. */
enum { ITERATIONS = 15, PATIENT = 120 };

/* ---- between the ends of a step ---- */

/* Velocities and local rates at the stages of the last step. */
static void recall(radau *g)
{
    const lm_integrator *s = &g->base;
    const lm_system *sys = s->sys;
    const radau_method *m = radau_formulas();
    double h = s->clock->h;
    for (int k = 0; k < 3; k++) {
        const double *A = m->A[k];
        for (int i = 0; i < sys->nv; i++)
            g->v[k][i] =
                s->v0[i] + h * (A[0] * g->past_a[0][i] + A[1] * g->past_a[1][i] + A[2] * s->a[i]);
        sys->form->local_rate(sys, k < 2 ? g->past_x[k] : s->dx, g->v[k], g->rate[k]);
    }
}

/* The state at a time within the last step, after recall(). Velocities, accelerations and multipliers
 * by the polynomials of the stages; positions by the integral of the cubic through the local rates at
 * the start and at the stages, one order better, and with its end where the step ends. */
static int state_at(radau *g, double t, lm_state *st)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    double h = s->clock->h, x = 1 - (s->clock->t - t) / h, w[4], p[4], all[4];
    double *xi = g->x[0], *v = g->x[1], *a = g->x[2], *lam = g->lam[0];
    radau_integrate(x, w);
    radau_integrate(1, all);
    radau_interpolate(4, x, p);
    for (int i = 0; i < sys->nv; i++) {
        const double r[4] = {s->v0[i], g->rate[0][i], g->rate[1][i], g->rate[2][i]};
        double end = s->dx[i];
        xi[i] = 0;
        for (int k = 0; k < 4; k++) xi[i] += h * w[k] * r[k], end -= h * all[k] * r[k];
        xi[i] += x * end; /* what the constraints on positions added */
        v[i] = p[0] * s->v0[i] + p[1] * g->v[0][i] + p[2] * g->v[1][i] + p[3] * g->v[2][i];
    }
    radau_interpolate(3, x, p);
    for (int i = 0; i < sys->nv; i++)
        a[i] = p[1] * g->past_a[0][i] + p[2] * g->past_a[1][i] + p[3] * s->a[i];
    for (int k = 0; k < sys->nl; k++)
        lam[k] = p[1] * g->past_lam[0][k] + p[2] * g->past_lam[1][k] + p[3] * s->lam[k];
    *st = (lm_state){t, g->q, v, a, lam};
    return sys->form->retract(sys, s->q0, xi, g->q);
}

/* Work of the forces and what dampers take, from the start of the last step to t: Radau's rule. */
static int integrate_power(radau *g, double t)
{
    const radau_method *m = radau_formulas();
    lm_integrator *s = &g->base;
    double t0 = s->clock->t - s->clock->h, h = t - t0;
    int bad = 0;
    s->work = s->lost = 0;
    s->sys->power_only = 1;
    for (int i = 0; i < 3 && !bad; i++) {
        lm_state st;
        lm_energy e = {0};
        bad = state_at(g, t0 + m->c[i] * h, &st) != 0;
        if (!bad) e = lm_integrator_energy(s, &st);
        s->work += h * m->A[2][i] * e.power;
        s->lost += h * m->A[2][i] * e.dissipation;
    }
    s->sys->power_only = 0;
    return bad;
}

static int at(lm_integrator *s, double t, double *q, double *v, double *a, double *lam)
{
    radau *g = (radau *)s;
    const lm_system *sys = s->sys;
    lm_state st;
    recall(g);
    if (sys->works && integrate_power(g, t)) return 1;
    if (state_at(g, t, &st)) return 1;
    lm_copy(q, st.q, sys->nq);
    if (v) lm_copy(v, st.v, sys->nv);
    if (a) lm_copy(a, st.a, sys->nv);
    if (lam) lm_copy(lam, st.lam, sys->nl);
    return 0;
}

/* ---- a step ---- */

/* The step of size h to time t is made; g->q: where it ends. */
static int advance(radau *g, double t, double h)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    int nv = sys->nv, nl = sys->nl;
    lm_integrator_keep(s);
    for (int k = 0; k < 2; k++) {
        lm_copy(g->past_x[k], g->x[k], nv);
        lm_copy(g->past_a[k], g->a[k], nv);
        lm_copy(g->past_lam[k], g->lam[k], nl);
    }
    lm_copy(s->dx, g->x[2], nv);
    lm_copy(s->v, g->v[2], nv);
    lm_copy(s->a, g->a[2], nv);
    lm_copy(s->lam, g->lam[2], nl);
    lm_copy(s->q, g->q, sys->nq);
    g->turned += lm_speed_norm(sys, s->clock->size, s->dx);
    lm_integrator_arrive(s, t, h);
    if (!sys->works) return 0;
    recall(g);
    return integrate_power(g, t);
}

static int accept(radau *g, double t, double h)
{
    lm_system *sys = g->base.sys;
    return sys->form->retract(sys, g->base.q, g->x[2], g->q) ? 1 : advance(g, t, h);
}

/* The tries of one step. */
typedef struct trial_log {
    double first; /* size of the first one */
    int failures; /* times that Newton failed, or that smaller steps brought no smaller error */
    int errors;   /* times that the error was too large */
    int finite;   /* no trial met a force that is not a number */
    lm_step_result why; /* the last failure */
} trial_log;

/* The size to try after a failure: at first not much less, as a singular position may be in the way,
 * and the hop over it must not be long against the last step; nor where something could not be
 * evaluated, which may be able to at the next try. */
static double retry_size(trial_log *r, double take)
{
    return ++r->failures < 8 || r->why == LM_STEP_NOT_FINITE ? 0.5 * take : 0.2 * take;
}

/* Try to hop over a singular position by a step of size h, or a few times that: 0; 1: no; < 0:
 * memory. */
static int try_hop(radau *g, double h, double limit)
{
    lm_integrator *s = &g->base;
    static const double times[] = {1, 1.4, 2, 2.8, 4, 5.6};
    enum { TIMES = sizeof times / sizeof times[0] };
    double t = s->clock->t, most = fmax(0.02 * s->opt.tolerance, 2e-8);
    for (int i = 0; i < TIMES && t + times[i] * h <= limit; i++) {
        int bad = radau_hop(g, t + times[i] * h, times[i] * h, most);
        if (bad < 0) return bad;
        if (bad > 1) break; /* too far */
        if (bad) continue;
        bad = advance(g, t + times[i] * h, times[i] * h);
        s->clock->h_history = s->clock->err_last = *g->wary = 0;
        lm_integrator_refresh(s);
        return bad;
    }
    return 1;
}

/* Try a step of size h to time t: 0 good, with *ratio its error over what is allowed; 1 rejected,
 * with *h the size to try next; < 0 memory. */
static int try_step(radau *g, double t, double *h, trial_log *r, double *ratio)
{
    lm_integrator *s = &g->base;
    double take = *h;
    radau_predict(g, take);
    double goal = newton_goal(g, take);
    if (s->sys->nl > 0) goal = fmin(goal, LEAST_CARE);
    goal = radau_goal_of_way(g, take, fmax(goal, 1e-15 * g->far));
    r->why = radau_iterate(g, t, take, goal, ITERATIONS);
    if (r->why == LM_STEP_SLOW && radau_leaves_singular(g, t, take)) {
        g->factor_h = 0;
        radau_predict(g, take);
        r->why = radau_iterate(g, t, take, goal, PATIENT);
    }
    if (r->why == LM_STEP_NO_MEMORY) return -1;
    if (r->why == LM_STEP_CONVERGED) {
        *ratio = radau_error_ratio(g, take, radau_estimate(g, take));
        if (*ratio <= MOST_RATIO) return 0;
        /* smooth motions need one or two smaller tries; more say that the error is noise */
        *h = ++r->errors > 5 ? retry_size(r, take) : take * fmax(0.2, 0.85 * pow(*ratio, -0.2));
    } else {
        r->finite &= r->why != LM_STEP_NOT_FINITE;
        g->factor_h = 0;
        *h = retry_size(r, take);
    }
    s->stats.rejected++;
    return 1;
}

/* The largest step in which no body turns too far. */
static double turning_limit(const radau *g)
{
    const lm_integrator *s = &g->base;
    double most = 0;
    int n = s->sys->scalar ? 1 : 3, moving = s->sys->nv - s->sys->nvariables;
    for (int i = 0; i < moving; i += n) {
        double sum = 0;
        for (int k = i; k < i + n; k++) sum += s->v[k] * s->v[k];
        if (s->sys->angular[i] && sum > most) most = sum;
    }
    return most > 0 ? MOST_ROTATION / sqrt(most) : INFINITY;
}

/* A step of error-controlled size. */
static int controlled_step(radau *g, double limit)
{
    lm_integrator *s = &g->base;
    double t = s->clock->t, least = 1e-13 * fmax(s->opt.until - s->opt.t0, fabs(t));
    double h = s->clock->h_next, largest = fmin(s->opt.largest_step, turning_limit(g)), ratio;
    trial_log r = {.finite = 1};
    if (*g->wary > 0) {
        int bad = try_hop(g, fmax(s->clock->h_history, h), limit);
        if (bad <= 0) return bad;
        *g->wary -= 1;
    }
    for (;;) {
        double room = limit - t, want = fmin(h, largest);
        double take = lm_step_within(want, room);
        if (take < least && take < room) {
            if (r.finite)
                lm_explain_newton(s, r.why, take, radau_worst_equation(g, t + take, take));
            return 1;
        }
        if (r.first == 0) r.first = take;
        double end = take == room ? limit : t + take;
        h = take;
        int bad = try_step(g, end, &h, &r, &ratio);
        if (bad < 0) return bad;
        if (bad && r.why != LM_STEP_CONVERGED && r.finite) {
            bad = try_hop(g, take, limit);
            if (bad <= 0) return bad;
        }
        if (bad) continue;
        double next = radau_next_size(g, take, ratio);
        s->clock->h_next = take < want && next >= take ? fmax(next, want) : next;
        if (r.errors) s->clock->h_next = fmin(s->clock->h_next, take);
        if (r.failures) { /* it is not the error that rules */
            s->clock->h_next = take;
            s->clock->err_last = 0;
            *g->wary = 4;
        }
        return accept(g, end, take);
    }
}

/* A step of the user's size; halved where Newton fails, on the same grid. */
static int fixed_step(radau *g, double limit)
{
    lm_integrator *s = &g->base;
    double t = s->clock->t, end = lm_step_grid_end(s, limit), h = end - t;
    double goal = lm_step_grid_goal(s);
    for (int tries = 0; tries < 12; tries++) {
        double to = tries ? t + h : end;
        radau_predict(g, h);
        lm_step_result why = radau_iterate(g, to, h, goal, ITERATIONS);
        if (why == LM_STEP_NO_MEMORY) return -1;
        if (why == LM_STEP_CONVERGED) return accept(g, to, h);
        s->stats.rejected++;
        g->factor_h = 0;
        int bad = why == LM_STEP_NOT_FINITE ? 1 : try_hop(g, h, end);
        if (bad <= 0) return bad;
        if (tries == 11 && why != LM_STEP_NOT_FINITE)
            lm_explain_newton(s, why, h, radau_worst_equation(g, to, h));
        h *= 0.5;
    }
    return 1;
}

static int step(lm_integrator *s, double limit)
{
    radau *g = (radau *)s;
    if (s->clock->restart != 0) {
        int bad = lm_integrator_start(s, s->clock->t, 1);
        if (bad) return bad;
    }
    if (s->clock->h == 0) radau_behind_start(g);
    g->far = lm_integrator_far(s);
    if (s->clock->fresh != 0) g->factor_h = g->rate_of = 0;
    return s->opt.step > 0 ? fixed_step(g, limit) : controlled_step(g, limit);
}

/* ---- making ---- */

static void destroy(lm_integrator *s)
{
    radau *g = (radau *)s;
    lm_free(g->q);
    lm_free(g->M);
    radau_pair_free(&g->pair);
    lm_integrator_free(s);
    lm_free(g);
}

static const lm_rule rule = {3,
                             6,
                             {0.15505102572168219, 0.64494897427831781, 1},
                             {0.37640306270046727, 0.51248582618842162, 1. / 9}};

static const lm_integrator_ops ops = {
    .name = "radau", .rule = &rule, .step = step, .destroy = destroy, .at = at, .always_solves = 1};

static double *part(double **p, size_t n)
{
    double *at_ = *p;
    *p += n;
    return at_;
}

/* Hand out the scratch memory and the method's share of the state block. */
static void share_out(radau *g, double *own)
{
    const lm_system *sys = g->base.sys;
    size_t nv = (size_t)sys->nv, nl = (size_t)sys->nl, n = nv + nl;
    double *p = g->q + sys->nq;
    g->ref = part(&p, (size_t)sys->nq);
    for (int k = 0; k < 3; k++) {
        g->qs[k] = part(&p, (size_t)sys->nq), g->da[k] = part(&p, nv);
        g->x[k] = part(&p, nv), g->v[k] = part(&p, nv), g->a[k] = part(&p, nv);
        g->off[k] = part(&p, nv), g->rate[k] = part(&p, nv), g->res[k] = part(&p, n);
        g->lam[k] = part(&p, nl), g->gap[k] = part(&p, nl);
    }
    g->sol = part(&p, n), g->sol2 = part(&p, 2 * n), g->err = part(&p, 2 * n);
    for (int k = 0; k < 2; k++) {
        g->past_x[k] = part(&own, nv), g->past_a[k] = part(&own, nv);
        g->past_lam[k] = part(&own, nl);
    }
    g->wary = own, g->pace = own + 1, g->brief = own + 2;
    g->D = g->M + sys->pattern.nnz, g->K = g->D + sys->pattern.nnz;
}

lm_integrator *lm_radau_create(lm_system *sys, const lm_integrator_options *opt)
{
    size_t nv = (size_t)sys->nv, nl = (size_t)sys->nl;
    radau *g = lm_alloc(sizeof *g);
    double *own;
    if (!g) return NULL;
    g->q = lm_alloc(sizeof(double) * (5 * (size_t)sys->nq + 26 * nv + 14 * nl + 1));
    g->M = lm_alloc(sizeof(double) * 3 * (size_t)sys->pattern.nnz);
    if (lm_integrator_init(&g->base, &ops, sys, opt, 4 * nv + 2 * nl + 4, &own) || !g->q || !g->M ||
        radau_pair_init(&g->pair, sys)) {
        destroy(&g->base);
        return NULL;
    }
    share_out(g, own);
    return &g->base;
}
