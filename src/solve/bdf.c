/* Variable-order BDF by SUNDIALS' IDA, orders 1 to 5, on the stabilised index-2 form
 * (docs/theory/bdf.md).
 *
 * A multistep method needs positions that can be added: local coordinates xi of q = retract(q_ref,
 * xi). Where rotations come near the limit of what a rotation vector can describe, q_ref is moved
 * ahead and IDA starts again with order 1, as after kinks and at checkpoints. Errors are measured in
 * the norm of motions, velocities over the largest speed seen, multipliers not at all. */
#include "solve/bdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- positions ---- */

/* Far from q_ref the local coordinates say angles but for whole turns. These are counted from the near end of the
 * last step, t1, by the mean of the velocities there and at t. */
int bdf_place(bdf *b, const double *q_ref, const double *y, double t)
{
    lm_integrator *s = &b->base;
    const lm_clock *c = s->clock;
    lm_system *sys = s->sys;
    int inside = t < c->t;
    double way = 0.5 * (inside ? t - (c->t - c->h) : t - c->t);
    const double *v = y + sys->nv, *v1 = inside ? s->v0 : s->v;
    int bad = sys->form->retract(sys, q_ref, y, b->q);
    if (bad || !sys->form->count_turns) return bad;
    for (int i = 0; i < sys->nv; i++) b->rate[i] = way * (v[i] + v1[i]);
    return sys->form->count_turns(sys, inside ? s->q0 : s->q, b->rate, b->q);
}

/* ---- between the ends of a step ---- */

/* The state at a time within the last step, in b->q, b->res and b->dky. */
static int state_at(bdf *b, double t, lm_state *st)
{
    lm_integrator *s = &b->base;
    lm_system *sys = s->sys;
    int nv = sys->nv;
    double *y = NV_DATA_S(b->res), *a = NV_DATA_S(b->dky) + nv, *lam = y + 2 * nv;
    *st = (lm_state){t, b->q, y + nv, a, lam};
    if (!b->hopped) {
        if (IDAGetDky(b->ida, t, 0, b->res) || IDAGetDky(b->ida, t, 1, b->dky)) return 1;
        return bdf_place(b, b->q_ref, y, t);
    }
    double x = 1 - (s->clock->t - t) / s->clock->h;
    for (int i = 0; i < nv; i++) a[i] = (1 - x) * s->a0[i] + x * s->a[i];
    int bad = bdf_follow(b, t);
    for (int k = 0; k < sys->nl; k++) lam[k] = (1 - x) * s->lam0[k] + x * s->lam[k];
    return bad;
}

/* Work of the forces and what dampers take, from the start of the last step to t: Lobatto's rule with
 * two points inside. */
static int integrate_power(bdf *b, double t)
{
    static const double x[] = {0, 0.27639320225002106, 0.72360679774997894, 1};
    static const double weight[] = {1.0 / 12, 5.0 / 12, 5.0 / 12, 1.0 / 12};
    lm_integrator *s = &b->base;
    double t0 = s->clock->t - s->clock->h, h = t - t0;
    s->work = s->lost = 0;
    for (int i = 0; i < 4; i++) {
        lm_state st = {t0, s->q0, s->v0, s->a0, s->lam0};
        if (i > 0 && state_at(b, t0 + x[i] * h, &st)) return 1;
        lm_energy e = lm_integrator_energy(s, &st);
        s->work += h * weight[i] * e.power;
        s->lost += h * weight[i] * e.dissipation;
    }
    return 0;
}

static int at(lm_integrator *s, double t, double *q, double *v, double *a, double *lam)
{
    bdf *b = (bdf *)s;
    const lm_system *sys = s->sys;
    lm_state st;
    if (sys->works && integrate_power(b, t)) return 1;
    if (state_at(b, t, &st)) return 1;
    memcpy(q, st.q, sizeof(double) * (size_t)sys->nq);
    if (v) memcpy(v, st.v, sizeof(double) * (size_t)sys->nv);
    if (a) memcpy(a, st.a, sizeof(double) * (size_t)sys->nv);
    if (lam) memcpy(lam, st.lam, sizeof(double) * (size_t)sys->nl);
    return 0;
}

/* ---- a step ---- */

/* With steps as large as order 1 allows, order 2 can fail at once, because the history still has the
 * errors of order 1, and IDA then goes to and fro for ever. A while at constant step helps it up. */
static void climb(bdf *b, int order)
{
    double h = 0;
    if (order > 2 || ++b->low > 16) b->low = 0;
    if (b->low == 4 && IDAGetCurrentStep(b->ida, &h) == 0) IDASetMaxStep(b->ida, h);
    if (b->low == 0) IDASetMaxStep(b->ida, 0);
}

/* What later steps want to know. */
static void learn(bdf *b)
{
    lm_integrator *s = &b->base;
    const lm_clock *c = s->clock;
    bdf_memory *past = b->past;
    const double *d = NV_DATA_S(b->dky);
    int order = 0;
    if (IDAGetEstLocalErrors(b->ida, b->dky) == 0) {
        double x = lm_speed_norm(s->sys, b->unit, d);
        double v = lm_speed_norm(s->sys, b->unit, d + s->sys->nv) / c->speed;
        s->clock->err_last = fmax(x, v) / b->allowed;
    }
    bdf_note_noise(b);
    past->calm = fmin(past->calm * (1 + 0.001 * fmin(1, c->h / past->slow)), b->echo);
    if (IDAGetLastOrder(b->ida, &order)) return;
    if ((b->steps > 10 && order > 2) || c->h > past->slow) past->slow += 0.1 * (c->h - past->slow);
    climb(b, order);
}

/* The step to time t is made. */
static int advance(bdf *b, double t)
{
    lm_integrator *s = &b->base;
    lm_clock *c = s->clock;
    c->h = t - c->t;
    c->t = t;
    double speed = lm_speed_norm(s->sys, c->size, s->v);
    c->speed = fmax(c->speed, speed);
    b->turned += c->h * speed;
    b->past->way += c->h * speed;
    b->steps++;
    lm_integrator_count(s, c->h);
    return s->sys->works ? integrate_power(b, t) : 0;
}

static int accept(bdf *b, double t)
{
    lm_integrator *s = &b->base;
    lm_system *sys = s->sys;
    const double *y = NV_DATA_S(b->y), *yp = NV_DATA_S(b->yp);
    if (bdf_place(b, b->q_ref, y, t)) return 1;
    lm_integrator_keep(s);
    memcpy(s->q, b->q, sizeof(double) * (size_t)sys->nq);
    memcpy(s->v, y + sys->nv, sizeof(double) * (size_t)sys->nv);
    memcpy(s->a, yp + sys->nv, sizeof(double) * (size_t)sys->nv);
    memcpy(s->lam, y + 2 * sys->nv, sizeof(double) * (size_t)sys->nl);
    if (advance(b, t)) return 1;
    learn(b);
    return 0;
}

/* Over a singular position, if that is what is in the way, with an error of `most` tolerances: 0; 1: it
 * is not; < 0: memory. */
static int hop(bdf *b, double limit, double most)
{
    double end;
    lm_integrator_keep(&b->base); /* bdf_hop writes the new state only if there is one */
    int bad = bdf_hop(b, limit, fmax(most * b->base.opt.tolerance, 1e-7), &end);
    if (bad) return bad;
    b->hopped = 1;
    b->started = 0;
    return advance(b, end);
}

/* The limit, or half-way to it when it is within two steps. */
static double stop_time(const bdf *b, double limit)
{
    double h = b->h_first, t = b->base.clock->t, room = limit - t;
    if (b->steps > 0 && IDAGetCurrentStep(b->ida, &h)) return limit;
    double most = fmax(b->base.opt.largest_step, 2 * bdf_least_step(&b->base));
    if (h > most && room > most) return t + most;
    return room > h * (1 + 1e-9) && room < 2 * h ? t + 0.5 * room : limit;
}

/* IDA's step, and its flag; in *t the time reached. */
static int ida_step(bdf *b, double limit, double *t)
{
    long errors = 0;
    int flag = IDASetStopTime(b->ida, stop_time(b, limit));
    if (flag == 0) flag = IDASolve(b->ida, limit, t, b->y, b->yp, IDA_ONE_STEP);
    if (IDAGetNumErrTestFails(b->ida, &errors) == 0) {
        b->base.stats.rejected += errors - b->errors;
        b->errors = errors;
    }
    return flag;
}

/* The equation with the largest residual if the motion goes on as it does for a time h, a number that
 * is not finite before all others; -1. */
static int worst_equation(bdf *b, double h)
{
    lm_integrator *s = &b->base;
    lm_system *sys = s->sys;
    double most = -1;
    const double *r = NV_DATA_S(b->res) + sys->nv;
    int worst = -1;
    N_VLinearSum(1, b->y, h, b->yp, b->dky);
    if (bdf_residual(s->clock->t + h, b->dky, b->yp, b->res, b)) return -1;
    for (int i = 0; i < sys->nv + sys->nl; i++) {
        double w = fabs(r[i]) * (i < sys->nv ? h * h / s->mass_unit : h);
        if (!sys->angular[i]) w /= s->clock->size;
        if (!isfinite(w)) return i;
        if (w > most) most = w, worst = i;
    }
    return worst;
}

/* A motion without mass is where forces put it, and its velocity the derivative of that: nothing carries it from
 * one step to the next, and differences of positions over brief steps are rounding, of which the error test and
 * Newton's method make a step that fails. */
static void explain_massless(bdf *b, double h)
{
    lm_integrator *s = &b->base;
    snprintf(s->failure, sizeof s->failure,
             "at t = %.6g: method 'bdf' follows motions without mass with too large errors, even "
             "with a step of "
             "%.3g (%ld steps made, %ld rejected), and the section of a beam here has no inertia "
             "about its own "
             "axis: use 'radau' or 'generalized-alpha', or give the section rhoIy and rhoIz",
             s->clock->t, h, s->stats.steps, s->stats.rejected);
}

static int fail(bdf *b, int flag)
{
    double h = b->h_first;
    if (!b->finite) return 1; /* it has words for that */
    if (b->steps > 0) IDAGetCurrentStep(b->ida, &h);
    const char *how = flag == IDA_ERR_FAIL ? "the error of a step is too large"
                      : b->why == BDF_SLOW ? "Newton's iteration is too slow"
                                           : "Newton's iteration does not converge";
    if (b->base.sys->massless)
        explain_massless(b, h);
    else
        lm_explain_step(&b->base, how, h, worst_equation(b, h));
    return 1;
}

/* After three rejections in one step: hop; or start again, because there the history tells nothing of
 * what comes; with smaller and smaller first steps. 0: hopped; 1: failed; 2: try again; < 0: memory. */
static int recover(bdf *b, double limit, int flag, double *less)
{
    const lm_integrator *s = &b->base;
    if (b->why == BDF_NO_MEMORY || flag == IDA_MEM_FAIL) return -1;
    if (b->echo > 4 * b->past->calm) {
        if (b->steps > 0) bdf_remember(b);
        int bad = hop(b, limit, 3);
        if (bad <= 0) return bad;
    }
    if (b->steps == 0) {
        if (b->h_first < 2 * bdf_least_step(s)) return fail(b, flag);
        *less *= 0.01;
    }
    int bad = bdf_start(b, limit, *less);
    return bad < 0 ? bad : bad ? fail(b, flag) : 2;
}

static int step(lm_integrator *s, double limit)
{
    bdf *b = (bdf *)s;
    double t = s->clock->t, less = 1;
    long rejected = s->stats.rejected;
    int bad = 2;
    b->why = BDF_CONVERGED;
    b->finite = 1;
    if (!b->started || s->clock->fresh != 0 || bdf_is_far(b)) {
        bad = bdf_start(b, limit, less);
        if (bad > 0) lm_explain_mass(s, s->clock->t, bad);
        if (bad) return bad;
    } else if (b->wary) {
        bad = hop(b, limit, 0.1);
        if (bad <= 0) return bad;
    }
    for (;;) {
        int flag = ida_step(b, limit, &t);
        if (flag >= 0) break;
        bad = recover(b, limit, flag, &less);
        if (bad < 2) return bad;
    }
    if (accept(b, t)) return fail(b, 0);
    int easy = s->stats.rejected == rejected;
    if (easy && b->echo > 2 * b->past->calm) bdf_remember(b);
    b->wary = !easy && b->echo > 4 * b->past->calm && 1e-11 * b->echo > b->allowed;
    return 0;
}

/* ---- making ---- */

static void destroy(lm_integrator *s)
{
    bdf *b = (bdf *)s;
    if (b->ida) IDAFree(&b->ida);
    if (b->newton) SUNNonlinSolFreeEmpty(b->newton);
    if (b->context) SUNContext_Free(&b->context);
    bdf_vectors_free(b->vectors);
    lm_free(b->q_ref);
    lm_free(b->turn);
    lm_integrator_free(s);
    lm_free(b);
}

static void be_silent(int code, const char *module, const char *function, char *msg, void *data)
{
    (void)code, (void)module, (void)function, (void)msg, (void)data;
}

/* Which local coordinates are rotations: there the local rate is not the velocity. */
static void find_rotations(bdf *b)
{
    lm_system *sys = b->base.sys;
    double *xi = b->slip, *v = NV_DATA_S(b->y);
    for (int i = 0; i < sys->nv; i++) xi[i] = 0.3 * sin(1.0 + i), v[i] = cos(2.0 + i);
    sys->form->local_rate(sys, xi, v, b->rate);
    for (int i = 0; i + 2 < sys->nv; i++) {
        if (b->rate[i] == v[i]) continue;
        b->turn[b->nturns++] = i;
        i += 2;
    }
}

static int make_ida(bdf *b)
{
    const lm_system *sys = b->base.sys;
    if (SUNContext_Create(NULL, &b->context)) return -1;
    b->vectors = bdf_vectors_new(2L * sys->nv + sys->nl);
    b->ida = IDACreate(b->context);
    b->newton = bdf_newton_new(b);
    if (!b->vectors || !b->ida || !b->newton) return -1;
    b->y = bdf_vectors_next(b->vectors, b->context);
    b->yp = bdf_vectors_next(b->vectors, b->context);
    b->res = bdf_vectors_next(b->vectors, b->context);
    b->dky = bdf_vectors_next(b->vectors, b->context);
    return IDASetErrHandlerFn(b->ida, be_silent, NULL) ||
           IDAInit(b->ida, bdf_residual, b->base.opt.t0, b->y, b->yp) ||
           IDASetUserData(b->ida, b) || IDAWFtolerances(b->ida, bdf_weights) ||
           IDASetMaxOrd(b->ida, BDF_ORDERS) || IDASetMaxErrTestFails(b->ida, 3) ||
           IDASetMaxConvFails(b->ida, 3) || IDASetNonlinearSolver(b->ida, b->newton);
}

/* Its hops are of order 2. */
static int last_order(lm_integrator *s)
{
    const bdf *b = (const bdf *)s;
    int k = 2;
    if (!b->hopped && IDAGetLastOrder(b->ida, &k)) k = 1;
    return k;
}

static const lm_integrator_ops ops = {
    .name = "bdf", .step = step, .destroy = destroy, .at = at, .order = last_order, .start_up = 10};

lm_integrator *lm_bdf_create(lm_system *sys, const lm_integrator_options *opt)
{
    size_t nq = (size_t)sys->nq, nv = (size_t)sys->nv, nl = (size_t)sys->nl;
    size_t memory = sizeof(bdf_memory) / sizeof(double);
    size_t state = memory + nq + 2 * nv * (BDF_ORDERS + 1);
    bdf *b = lm_alloc(sizeof *b);
    double *own;
    if (!b) return NULL;
    b->q_ref = lm_alloc(sizeof(double) * (2 * nq + 2 * nv + nl));
    b->turn = lm_alloc(sizeof(int) * (nv / 3 + 1));
    if (lm_integrator_init(&b->base, &ops, sys, opt, state, &own) || !b->q_ref || !b->turn ||
        make_ida(b)) {
        destroy(&b->base);
        return NULL;
    }
    b->past = (bdf_memory *)(void *)own;
    b->past_q = own + memory, b->past_y = b->past_q + nq;
    b->q = b->q_ref + nq;
    b->slip = b->q + nq, b->rate = b->slip + nv, b->gap = b->rate + nv;
    find_rotations(b);
    return &b->base;
}
