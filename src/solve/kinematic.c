/* Mechanisms that drives determine (mobility 0): nothing is integrated. Positions follow from the constraints by
 * Newton's method from where the last motion, continued, foresees them; then velocities, accelerations and
 * reactions by linear equations. No error adds up. Steps are there to stay on the branch of the motion, and for
 * the work, which Lobatto's rule with four points integrates: where it does not agree with the energy that the
 * exact states have, the step is halved. */
#include "solve/integrator.h"

#include <math.h>
#include <stdio.h>

#define FORESEEN 1e-3  /* motion by which a step misses: aimed at */
#define MISSED   0.05  /* ... with which it may be on another branch */
#define FARTHEST 0.5   /* motion in a step */
#define LEAST    1e-9  /* of the time: shorter steps come near to where the joints lock */
#define CLOSED   1e-14 /* corrections that are rounding */
#define NEARLY   1e-9  /* ... that may be, where they become no smaller */
enum { ITERATIONS = 20, TRIES = 40, HALVINGS = 6 };

typedef struct kinematic {
    lm_integrator base;
    double *x;                   /* [nv] motion of the step, local coordinates */
    double *q, *v, *a, *lam, *y; /* where it ends */
    double missed, size;         /* of the try: by how much the prediction missed; its energy */
    double *exchanged; /* the largest energy that has been in a step: of the state block */
} kinematic;

/* Constraints at g->q, into x[nv + nl] as a right side; the largest gap. */
static int gaps(kinematic *g, double t, double *most)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    double *phi = s->x + sys->nv;
    lm_state st = {t, g->q, g->v, s->a, NULL};
    if (sys->form->residual(sys, &st, s->x, phi, NULL)) return 1;
    memset(s->x, 0, sizeof(double) * (size_t)sys->nv);
    *most = 0;
    for (int k = 0; k < sys->nl; k++) {
        phi[k] = sys->active[k] ? -phi[k] : 0;
        *most = fmax(*most, fabs(phi[k]) / lm_gap_unit(s, k));
    }
    return 0;
}

/* Positions at t: g->x from the one foreseen. 0; 1: not so far; < 0. */
static int positions(kinematic *g, double t)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    double last = INFINITY, gap, far = lm_integrator_far(s);
    int fresh = 0;
    g->missed = 0;
    for (int it = 0; it < ITERATIONS; it++) {
        if (sys->form->retract(sys, s->q, g->x, g->q)) return 1;
        int bad = fresh ? 0 : lm_factor_mass(s, t, g->q, g->v);
        if (bad) return bad < 0 ? bad : 1;
        fresh = 1;
        if (gaps(g, t, &gap)) return 1;
        lm_linear_solve(s->lin, s->x);
        double size = lm_speed_norm(sys, s->clock->size, s->x);
        if (!isfinite(size)) return 1;
        sys->form->local_rate(sys, g->x, s->x, g->y);
        for (int i = 0; i < sys->nv; i++) g->x[i] += g->y[i];
        g->missed += size;
        if (g->missed > MISSED) return 1;
        int stalls = size >= 0.5 * last;
        if (size <= CLOSED * far || (stalls && size <= NEARLY * far))
            return sys->form->retract(sys, s->q, g->x, g->q) ? 1 : 0;
        fresh = size < 0.1 * last || it == 0;
        last = size;
    }
    return 1;
}

/* The state at t = now + h. */
static int place(kinematic *g, double t, double h)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    double change;
    for (int i = 0; i < sys->nv; i++) {
        double jerk = s->clock->h > 0 ? (s->a[i] - s->a0[i]) / s->clock->h : 0;
        g->x[i] = h * (s->v[i] + h * (0.5 * s->a[i] + h * jerk / 6));
        g->v[i] = s->v[i] + h * (s->a[i] + 0.5 * h * jerk);
    }
    int bad = positions(g, t);
    if (!bad) bad = lm_project_velocity(s, t, g->q, g->v, &change);
    if (!bad) bad = lm_consistent_acceleration(s, t, g->q, g->v, g->a, g->lam);
    s->stats.iterations++;
    return bad < 0 ? bad : bad != 0;
}

/* Work and losses of the step with the ends e0 and e1. */
static int integrate_power(kinematic *g, double h, const lm_energy *e0, const lm_energy *e1)
{
    lm_integrator *s = &g->base;
    static const double part[] = {0.27639320225002103, 0.72360679774997897};
    s->work = h / 12 * (e0->power + e1->power);
    s->lost = h / 12 * (e0->dissipation + e1->dissipation);
    for (int k = 0; k < 2; k++) {
        double t = s->clock->t + part[k] * h;
        int bad = place(g, t, part[k] * h);
        if (bad) return bad;
        lm_state st = {t, g->q, g->v, g->a, g->lam};
        lm_energy e = lm_integrator_energy(s, &st);
        s->work += 5 * h / 12 * e.power;
        s->lost += 5 * h / 12 * e.dissipation;
    }
    return 0;
}

static double total(const lm_energy *e) { return e->kinetic + e->elastic + e->gravity + e->stored; }

/* The step's work, and what is missing of the energy over what is allowed: a share of the tolerance. */
static int account(kinematic *g, double t, double h, double *ratio)
{
    lm_integrator *s = &g->base;
    lm_state st0 = {s->clock->t, s->q, s->v, s->a, s->lam};
    lm_state st1 = {t, g->q, g->v, g->a, g->lam};
    *ratio = s->work = s->lost = g->size = 0;
    if (!s->sys->works) return 0;
    lm_energy e0 = lm_integrator_energy(s, &st0), e1 = lm_integrator_energy(s, &st1);
    int bad = integrate_power(g, h, &e0, &e1);
    double off = fabs(total(&e1) - total(&e0) - s->work + s->lost);
    double size = fmax(fabs(e0.kinetic), fabs(e1.kinetic)) + fabs(s->work) + fabs(s->lost);
    size = g->size = fmax(size, *g->exchanged);
    double rounding = 1e-13 * (fabs(total(&e0)) + fabs(e0.gravity) + fabs(e0.elastic) + size);
    double still = CLOSED * lm_integrator_far(s) * s->clock->size / h; /* a speed that is none */
    rounding += s->mass_unit * still * still;
    if (off > rounding) *ratio = off / (0.01 * s->opt.tolerance * size + rounding);
    return bad;
}

static void accept(kinematic *g, double t, double h)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    lm_integrator_keep(s);
    lm_copy(s->q, g->q, sys->nq);
    lm_copy(s->v, g->v, sys->nv);
    lm_copy(s->a, g->a, sys->nv);
    lm_copy(s->lam, g->lam, sys->nl);
    lm_copy(s->dx, g->x, sys->nv);
    *g->exchanged = fmax(*g->exchanged, g->size);
    lm_integrator_arrive(s, t, h);
}

/* The largest step in which nothing moves far. */
static double moving_limit(const kinematic *g)
{
    const lm_integrator *s = &g->base;
    double v = lm_speed_norm(s->sys, s->clock->size, s->v);
    double a = lm_speed_norm(s->sys, s->clock->size, s->a);
    double h = v > 0 ? FARTHEST / v : INFINITY;
    return a > 0 ? fmin(h, sqrt(2 * FARTHEST / a)) : h;
}

/* One try: 0, with the size of the next step; 1: a smaller one is needed; < 0. */
static int try_step(kinematic *g, double t, double h, int *halvings, double *next)
{
    lm_integrator *s = &g->base;
    double ratio, missed;
    int bad = place(g, t, h);
    if (bad) return bad;
    missed = g->missed;
    bad = account(g, t, h, &ratio);
    if (bad) return bad;
    if (ratio > 1 && *halvings < HALVINGS) return *halvings += 1, 1;
    if (s->sys->works && (bad = place(g, t, h))) return bad; /* the rule has looked elsewhere */
    *next = h * fmin(2, 0.9 * pow(FORESEEN / fmax(missed, 1e-2 * FORESEEN), 0.25));
    if (ratio > 0.2) *next = fmin(*next, h);
    return 0;
}

static int fail(kinematic *g, double h)
{
    lm_integrator *s = &g->base;
    double gap;
    int worst = -1;
    if (s->unsolved) return 1;
    if (!gaps(g, s->clock->t + h, &gap))
        for (int k = 0; k < s->sys->nl; k++) {
            int at = s->sys->nv + k;
            if (worst < 0 || fabs(s->x[at]) > fabs(s->x[worst])) worst = at;
        }
    lm_explain_step(s, "the drives lead where the joints do not follow,", h, worst);
    return 1;
}

static int step(lm_integrator *s, double limit)
{
    kinematic *g = (kinematic *)s;
    double t = s->clock->t, next = 0;
    double h = fmin(s->clock->h_next, fmin(s->opt.largest_step, moving_limit(g)));
    double least = LEAST * (s->opt.until - s->opt.t0);
    int halvings = 0;
    if (s->clock->fresh > 1) lm_linear_new_pivots(s->lin);
    s->clock->fresh = 0;
    for (int k = 0; k < TRIES; k++, h *= 0.5) {
        double want = h, take = lm_step_within(want, limit - t);
        double end = take == limit - t ? limit : t + take;
        if (take < least && take < limit - t) return fail(g, take);
        int bad = try_step(g, end, take, &halvings, &next);
        if (bad < 0) return bad;
        h = take;
        if (bad) {
            s->stats.rejected++;
            continue;
        }
        accept(g, end, take);
        s->clock->h_next = take < want ? fmax(want, next) : next;
        return 0;
    }
    return fail(g, h);
}

static void destroy(lm_integrator *s)
{
    kinematic *g = (kinematic *)s;
    lm_free(g->x);
    lm_integrator_free(s);
    lm_free(g);
}

static const lm_integrator_ops ops = {
    .name = "kinematic", .lands_on_outputs = 1, .step = step, .destroy = destroy};

lm_integrator *lm_kinematic_create(lm_system *sys, const lm_integrator_options *opt)
{
    size_t nv = (size_t)sys->nv, nq = (size_t)sys->nq, nl = (size_t)sys->nl;
    kinematic *g = lm_alloc(sizeof *g);
    if (!g) return NULL;
    g->x = lm_alloc(sizeof(double) * (4 * nv + nq + nl + 1));
    if (lm_integrator_init(&g->base, &ops, sys, opt, 1, &g->exchanged) || !g->x) {
        destroy(&g->base);
        return NULL;
    }
    g->v = g->x + nv, g->a = g->v + nv, g->y = g->a + nv;
    g->q = g->y + nv, g->lam = g->q + nq;
    return &g->base;
}
