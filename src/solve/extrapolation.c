/* Explicit integration of high order: extrapolation of the modified midpoint rule (Gragg, Bulirsch,
 * Stoer; step and order control as in Hairer, Norsett, Wanner, Solving ODEs I, II.9).
 *
 * Within a step the unknowns are the local coordinates xi of q = retract(q0, xi) and the velocities
 * v; accelerations come from the constrained mass matrix (index 1). After every step positions and
 * velocities are projected onto the constraints. For smooth, non-stiff motions at tight tolerances;
 * stiff springs and beams want generalized-alpha. */
#include "form/machine.h"
#include "solve/integrator.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 10, FIXED_COLUMN = 5 };

typedef struct extrapolation {
    lm_integrator base;
    double *table[COLUMNS];           /* [2 nv + 2] extrapolated (xi, v, work, loss), newest row */
    double *prev, *cur, *next, *rate; /* [2 nv + 2] midpoint rule */
    double *a, *lam, *q;              /* at the point where the derivative is taken */
} extrapolation;

static int substeps(int k) { return 2 * (k + 1); }

/* Evaluations up to and with column k. */
static double work(int k)
{
    double w = 1;
    for (int i = 0; i <= k; i++) w += substeps(i);
    return w;
}

/* Power of the forces, and what dampers take, as the last two components. */
static void powers(extrapolation *g, const lm_state *st, double *dy)
{
    lm_energy e = {0};
    if (g->base.sys->works) e = lm_integrator_energy(&g->base, st);
    dy[0] = e.power;
    dy[1] = e.dissipation;
}

/* (xi, v, work, loss)' = (local rate, acceleration, power, dissipation). */
static int derivative(extrapolation *g, double t, const double *y, double *dy)
{
    lm_integrator *s = &g->base;
    int nv = s->sys->nv;
    if (s->sys->form->retract(s->sys, s->q, y, g->q)) return 1;
    s->sys->form->local_rate(s->sys, y, y + nv, dy);
    s->stats.iterations++;
    int bad = lm_consistent_acceleration(s, t, g->q, y + nv, dy + nv, g->lam);
    lm_state st = {t, g->q, y + nv, dy + nv, g->lam};
    if (!bad) powers(g, &st, dy + 2 * nv);
    return bad;
}

/* n modified midpoint steps over h, result in g->next. */
static int midpoint(extrapolation *g, double h, int n)
{
    lm_integrator *s = &g->base;
    int nv = s->sys->nv, m = 2 * nv + 2;
    double dt = h / n, t = s->clock->t, power[2];
    lm_state st = {t, s->q, s->v, s->a, s->lam};
    memset(g->prev, 0, sizeof(double) * (size_t)m);
    memcpy(g->prev + nv, s->v, sizeof(double) * (size_t)nv);
    powers(g, &st, power);
    for (int i = 0; i < 2; i++) g->cur[2 * nv + i] = dt * power[i];
    for (int i = 0; i < nv; i++) {
        g->cur[i] = dt * s->v[i];
        g->cur[nv + i] = s->v[i] + dt * s->a[i];
    }
    for (int k = 1; k < n; k++) {
        int bad = derivative(g, t + k * dt, g->cur, g->rate);
        if (bad) return bad;
        for (int i = 0; i < m; i++) g->next[i] = g->prev[i] + 2 * dt * g->rate[i];
        double *swap = g->prev;
        g->prev = g->cur, g->cur = g->next, g->next = swap;
    }
    memcpy(g->next, g->cur, sizeof(double) * (size_t)m);
    return 0;
}

/* What a velocity may be off by because the time is rounded, where the acceleration changes with it. */
static double rounded(const extrapolation *g, int i)
{
    const lm_integrator *s = &g->base;
    double change = fabs(g->rate[s->sys->nv + i] - s->a[i]);
    return isfinite(change) ? 4 * DBL_EPSILON * fabs(s->clock->t) * change : 0;
}

/* Aitken-Neville in h^2: row k from row k-1, in place; returns the last two entries' difference. */
static double extrapolate(extrapolation *g, int k)
{
    lm_integrator *s = &g->base;
    int nv = s->sys->nv, m = 2 * nv + 2;
    for (int i = 0; i < m; i++) {
        double value = g->next[i], below = 0;
        for (int j = 0; j < k; j++) {
            double r = (double)substeps(k) / substeps(k - 1 - j);
            below = g->table[j][i];
            g->table[j][i] = value;
            value += (value - below) / (r * r - 1);
        }
        g->table[k][i] = value;
    }
    if (k == 0) return INFINITY;
    double most = 0;
    for (int k2 = 0; k2 < s->sys->nvariables; k2++) { /* of variables, the values of states */
        int i = 2 * nv - s->sys->nvariables + k2;
        if (s->sys->model->spec->variables.at[k2].kind != LM_VARIABLE_STATE) continue;
        double e = fabs(g->table[k][i] - g->table[k - 1][i]) / lm_variable_scale(s->sys, k2);
        if (!(e <= most)) most = e;
    }
    for (int i = 0; i < nv - s->sys->nvariables; i++) {
        double unit = s->sys->angular[i] ? 1 : s->clock->size;
        double e = fabs(g->table[k][i] - g->table[k - 1][i]) / unit;
        double off = fabs(g->table[k][nv + i] - g->table[k - 1][nv + i]);
        double f = off <= rounded(g, i) ? 0 : off / (unit * s->clock->speed);
        if (!(e <= most)) most = e;
        if (!(f <= most)) most = f;
    }
    return most;
}

/* Take column k's result as the new state and bring it onto the constraints. */
static int accept(extrapolation *g, int k, double t, double h)
{
    lm_integrator *s = &g->base;
    lm_system *sys = s->sys;
    size_t nv = sizeof(double) * (size_t)sys->nv;
    double moved, gap = 0, change;
    lm_integrator_keep(s);
    memcpy(s->dx, g->table[k], nv);
    memcpy(s->v, g->table[k] + sys->nv, nv);
    s->work = g->table[k][2 * sys->nv];
    s->lost = g->table[k][2 * sys->nv + 1];
    if (sys->form->retract(sys, s->q0, s->dx, s->q)) return 1;
    if (sys->nl) {
        int bad = lm_project_position(s, t, s->q, &moved, &gap);
        if (!bad) bad = lm_project_velocity(s, t, s->q, s->v, &change);
        if (bad) return bad;
    }
    int bad = lm_consistent_acceleration(s, t, s->q, s->v, s->a, s->lam);
    if (bad) return bad;
    s->clock->speed = fmax(s->clock->speed, lm_speed_norm(sys, s->clock->size, s->v));
    s->clock->t = t;
    s->clock->h = h;
    lm_integrator_count(s, h);
    return 0;
}

static int fail(extrapolation *g, double h)
{
    lm_integrator *s = &g->base;
    snprintf(
        s->failure, sizeof s->failure,
        "at t = %.6g: the explicit method cannot reach the tolerance with a step of %.3g (%ld "
        "steps made, %ld rejected); the motion may be stiff (try method generalized-alpha), the "
        "joints may lock, or a force may be no finite number",
        s->clock->t, h, s->stats.steps, s->stats.rejected);
    return 1;
}

/* Step and order for the next step from the errors of the columns. */
static void plan(extrapolation *g, int k, const double *hopt, double h, double room)
{
    lm_clock *c = g->base.clock;
    int next = k;
    if (k > 1 && work(k - 1) / hopt[k - 1] < 0.8 * work(k) / hopt[k])
        next = k - 1;
    else if (k < COLUMNS - 2 && (k < 2 || work(k) / hopt[k] < 0.9 * work(k - 1) / hopt[k - 1]))
        next = k + 1;
    double size = next <= k ? hopt[next] : hopt[k] * work(next) / work(k);
    if (h >= room && size < h) size = h; /* a step cut short by an output says little */
    c->order = next;
    c->h_next = fmin(size, 4 * fmax(h, c->h_next));
}

/* Of the run, that a step counts as at least: in steps that are shorter, forces of time are rounded as the time
 * is. */
#define LEAST_SHARE 1e-6

static int controlled_step(extrapolation *g, double limit)
{
    lm_integrator *s = &g->base;
    double span = s->opt.until - s->opt.t0, t = s->clock->t, h = s->clock->h_next;
    double hopt[COLUMNS] = {0};
    int aim = (int)s->clock->order;
    if (aim < 2) aim = 3;
    for (;;) {
        double room = limit - t;
        h = fmin(h, s->opt.largest_step);
        if (h > room * (1 - 1e-9)) h = room;
        if (h < 1e-13 * fmax(span, fabs(t)) && h < room) return fail(g, h);
        double share = 0.1 * fmax(h / span, LEAST_SHARE);
        double allowed = fmax(share * s->opt.tolerance, 1e-15), err = INFINITY;
        int k = 0, top = aim + 1 < COLUMNS ? aim + 1 : COLUMNS - 1;
        for (; k <= top; k++) {
            int bad = midpoint(g, h, substeps(k));
            if (bad < 0) return bad;
            err = bad ? INFINITY : extrapolate(g, k) / allowed;
            if (bad) break;
            hopt[k] = k == 0 ? h : h * 0.9 * pow(0.5 / fmax(err, 1e-12), 1.0 / (2 * k + 1));
            if (k >= aim - 1 && k > 0 && err <= 1) break;
            if (k > 0 && !isfinite(err)) break;
        }
        if (err <= 1) {
            int bad = accept(g, k, h == room ? limit : t + h, h);
            if (bad < 0) return bad;
            if (bad) return fail(g, h);
            plan(g, k, hopt, h, room);
            return 0;
        }
        s->stats.rejected++;
        double smaller = k > 1 && k <= top + 1 && isfinite(err) ? hopt[aim <= top ? aim : top] : 0;
        h = smaller > 0 && smaller < 0.7 * h ? fmax(smaller, 0.05 * h) : 0.25 * h;
        if (aim > 3 && !isfinite(err)) aim--;
    }
}

/* The user's step, order 2 (FIXED_COLUMN + 1). */
static int fixed_step(extrapolation *g, double limit)
{
    lm_integrator *s = &g->base;
    double n = floor((s->clock->t - s->opt.t0) / s->opt.step + 1e-6) + 1;
    double end = fmin(s->opt.t0 + n * s->opt.step, limit);
    if (limit - end < 1e-6 * s->opt.step) end = limit;
    double h = end - s->clock->t;
    for (int k = 0; k <= FIXED_COLUMN; k++) {
        int bad = midpoint(g, h, substeps(k));
        if (bad) return bad < 0 ? bad : fail(g, h);
        extrapolate(g, k);
    }
    int bad = accept(g, FIXED_COLUMN, end, h);
    return bad > 0 ? fail(g, h) : bad;
}

/* Make sure that the unit of speed is known: from the speed now, or from what the accelerations
 * will make of it. */
static void start_speed(lm_integrator *g)
{
    lm_clock *c = g->clock;
    if (c->speed > 0) return;
    double v = lm_speed_norm(g->sys, c->size, g->v), a = lm_speed_norm(g->sys, c->size, g->a);
    c->speed = fmax(fmax(v, sqrt(a)), 1 / (g->opt.until - g->opt.t0));
}

static int step(lm_integrator *s, double limit)
{
    start_speed(s);
    if (s->clock->fresh > 1) lm_linear_new_pivots(s->lin);
    s->clock->fresh = 0;
    extrapolation *g = (extrapolation *)s;
    return s->opt.step > 0 ? fixed_step(g, limit) : controlled_step(g, limit);
}

static void destroy(lm_integrator *s)
{
    extrapolation *g = (extrapolation *)s;
    lm_free(g->table[0]);
    lm_free(g->q);
    lm_integrator_free(s);
    lm_free(g);
}

/* Of the first columns of the table together. */
static const lm_rule rule = {
    5, 6, {0, 0.25, 0.5, 0.75, 1}, {7. / 90, 32. / 90, 12. / 90, 32. / 90, 7. / 90}};

static const lm_integrator_ops ops = {
    .name = "explicit", .rule = &rule, .lands_on_outputs = 1, .step = step, .destroy = destroy};

lm_integrator *lm_extrapolation_create(lm_system *sys, const lm_integrator_options *opt)
{
    size_t m = 2 * (size_t)sys->nv + 2;
    extrapolation *g = lm_alloc(sizeof *g);
    if (!g) return NULL;
    g->table[0] = lm_alloc(sizeof(double) * (COLUMNS + 4) * (m + 1));
    g->q = lm_alloc(sizeof(double) * (size_t)(sys->nq + sys->nl + 1));
    if (lm_integrator_init(&g->base, &ops, sys, opt, 0, NULL) || !g->table[0] || !g->q) {
        destroy(&g->base);
        return NULL;
    }
    for (int k = 1; k < COLUMNS; k++) g->table[k] = g->table[k - 1] + m;
    g->prev = g->table[COLUMNS - 1] + m;
    g->cur = g->prev + m;
    g->next = g->cur + m;
    g->rate = g->next + m;
    g->lam = g->q + sys->nq;
    return &g->base;
}
