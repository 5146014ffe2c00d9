/* Static equilibrium: residual(q, v = 0, a = 0, lam) = 0 and phi(q) = 0 at t = 0.
 *
 * Newton steps on K + mu M (Levenberg): mu is zero where the step goes downhill and is of moderate
 * size, and is raised where K is singular or the step runs away, so that the iteration follows the
 * forces into a stable equilibrium. Loads, efforts and gravity are applied in load_steps parts;
 * more where Newton fails. */
#include "analysis/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 400, HALVINGS = 12 };

typedef struct statics {
    lm_run *run;
    lm_integrator *g; /* for its linear solver and state */
    double *zero;     /* [nv] velocities and accelerations */
    double *q_last, *lam_last;
    double mu, force;     /* regularisation; unit of force */
    double goal;          /* residual over the unit of force at which equilibrium is reached */
    double reached;       /* load factor in equilibrium */
    limber_status status; /* not LIMBER_OK: out of memory, or the caller stopped the run */
    long iterations;
    int worst; /* equation with the largest motion, for messages */
} statics;

static double angular_unit(const statics *s, int i)
{
    return s->g->sys->angular[i] ? 1 / s->g->clock->size : 1;
}

/* Residual into x; returns its size over the unit of force, constraints included, or NAN. */
static double evaluate(statics *s, double *r, double *phi_norm)
{
    lm_integrator *g = s->g;
    lm_system *sys = g->sys;
    lm_state st = {0, g->q, s->zero, s->zero, g->lam};
    if (sys->form->residual(sys, &st, r, r + sys->nv, NULL)) return NAN;
    double most = 0;
    *phi_norm = 0;
    for (int i = 0; i < sys->nv; i++) most = fmax(most, fabs(r[i]) * angular_unit(s, i));
    for (int k = 0; k < sys->nl; k++) {
        if (sys->active[k])
            *phi_norm = fmax(*phi_norm, fabs(r[sys->nv + k]) /
                                            (sys->angular[sys->nv + k] ? 1 : g->clock->size));
        s->force = fmax(s->force, fabs(g->lam[k]) * angular_unit(s, sys->nv + k));
    }
    s->force = fmax(s->force, most);
    return s->force > 0 ? most / s->force : 0;
}

/* One step with the present mu into g->x; its size, or NAN when the matrix is singular. */
static double newton_step(statics *s, double *slope)
{
    lm_integrator *g = s->g;
    lm_system *sys = g->sys;
    lm_state st = {0, g->q, s->zero, s->zero, g->lam};
    double unit = g->mass_unit, *r = g->x + sys->nv + sys->nl, phi;
    /* divide the equilibrium equations by a typical stiffness to balance the matrix */
    double scale = s->force > 0 ? g->clock->size / s->force : 1;
    if (sys->form->jacobian(sys, &st, s->mu / unit, 0, scale, lm_linear_values(g->lin))) return NAN;
    int bad = lm_linear_factor(g->lin);
    if (bad < 0) s->status = LIMBER_MEMORY;
    if (bad || lm_linear_rcond(g->lin) < 1e-14) return NAN;
    if (isnan(evaluate(s, r, &phi))) return NAN;
    for (int i = 0; i < sys->nv; i++) g->x[i] = -scale * r[i];
    for (int k = sys->nv; k < sys->nv + sys->nl; k++)
        g->x[k] = sys->active[k - sys->nv] ? -r[k] : -scale * r[k];
    lm_linear_solve(g->lin, g->x);
    *slope = 0;
    for (int i = 0; i < sys->nv; i++) *slope -= r[i] * g->x[i];
    for (int k = 0; k < sys->nl; k++) g->x[sys->nv + k] /= scale;
    double size = lm_motion_norm(sys, g->clock->size, g->x);
    for (int i = 0; i < sys->nv; i++)
        if (fabs(g->x[i]) >= fabs(g->x[s->worst])) s->worst = i;
    return size;
}

/* Raise mu until the step is of moderate size and goes downhill. */
static double find_step(statics *s, double phi)
{
    double slope, size = newton_step(s, &slope);
    for (int k = 0; k < 60 && !s->status; k++) {
        if (isfinite(size) && size <= 0.3 && !(slope < 0 && phi < 1e-9)) break;
        s->mu = s->mu == 0 ? 1e-6 : s->mu * 4;
        size = newton_step(s, &slope);
    }
    return size;
}

static limber_status tell(statics *s)
{
    limber_progress p = {s->reached, 1, s->run->sys->load_factor - s->reached, s->iterations, 0};
    return lm_run_progress(s->run, &p);
}

/* Equilibrium at the present load factor: 0, 1 not found or (s->status) told to stop. */
static int solve(statics *s)
{
    lm_integrator *g = s->g;
    lm_system *sys = g->sys;
    double phi, best = INFINITY;
    int stalled = 0;
    for (int it = 0; it < ITERATIONS; it++) {
        double r = evaluate(s, g->x, &phi);
        s->status = tell(s);
        if (isnan(r) || s->status) return 1;
        if (r < 1e-13 && phi < 1e-13) return 0; /* nothing pushes */
        double size = find_step(s, phi);
        if (!isfinite(size) || s->status) return 1;
        s->iterations++;
        for (int k = 0; k < sys->nl; k++) g->lam[k] += g->x[sys->nv + k];
        if (sys->form->retract(sys, g->q, g->x, g->q)) return 1;
        double left = evaluate(s, g->x, &phi);
        if (isnan(left)) return 1;
        if (left < s->goal && phi < 1e-12 && (size < 1e-10 || s->mu == 0)) return 0;
        stalled = left + phi < 0.5 * best ? 0 : stalled + 1;
        best = fmin(best, left + phi);
        if (best < 1e-8 && stalled > 5) return 0; /* the rounding floor */
        s->mu = s->mu < 1e-9 ? 0 : s->mu * (left < r ? 0.2 : 0.7);
    }
    return 1;
}

static limber_status not_found(statics *s, double factor)
{
    char name[160];
    s->g->sys->form->describe_motion(s->g->sys, s->worst, name, sizeof name);
    return lm_stop(s->run, LIMBER_STOPPED,
                   "no equilibrium found at load factor %.4g after %ld iterations; what moves most "
                   "is %s: is this motion held by a spring, a joint or gravity?",
                   factor, s->iterations, name);
}

static limber_status put(statics *s, double factor)
{
    lm_integrator *g = s->g;
    lm_state st = {0, g->q, s->zero, s->zero, g->lam};
    lm_balance b = {0};
    g->sys->form->energy(g->sys, &st, &b.e);
    return lm_record_row(s->run, &st, factor, &b);
}

/* Load factors from 0 to 1; halve the increment on trouble. */
static limber_status continuation(statics *s, int load_steps)
{
    lm_system *sys = s->g->sys;
    double step = 1.0 / load_steps, least = step / (1 << HALVINGS);
    limber_status st = LIMBER_OK;
    while (s->reached < 1 && !st) {
        double next = s->reached + step > 1 - 1e-9 ? 1 : s->reached + step;
        memcpy(s->q_last, s->g->q, sizeof(double) * (size_t)sys->nq);
        memcpy(s->lam_last, s->g->lam, sizeof(double) * (size_t)sys->nl);
        sys->load_factor = next;
        if (solve(s) == 0) {
            s->reached = next;
            st = put(s, next);
            continue;
        }
        st = s->status;
        memcpy(s->g->q, s->q_last, sizeof(double) * (size_t)sys->nq);
        memcpy(s->g->lam, s->lam_last, sizeof(double) * (size_t)sys->nl);
        s->run->sum->rejected++;
        s->mu = 0;
        step *= 0.5;
        if (!st && step < least) st = not_found(s, next);
    }
    sys->load_factor = 1;
    return st;
}

static limber_status begin(statics *s)
{
    lm_system *sys = s->run->sys;
    size_t nv = (size_t)sys->nv, nq = (size_t)sys->nq, nl = (size_t)sys->nl;
    lm_integrator_options opt = {.until = 1, .tolerance = 1e-4, .rho_inf = 0.8};
    s->g = lm_genalpha_create(sys, &opt);
    s->zero = lm_alloc(sizeof(double) * (nv + 1));
    s->q_last = lm_alloc(sizeof(double) * (nq + nl + 1));
    if (!s->g || !s->zero || !s->q_last) return LIMBER_MEMORY;
    s->lam_last = s->q_last + nq;
    s->g->clock->size = s->run->model->size > 0 ? s->run->model->size : 1;
    memcpy(s->g->q, s->run->q, sizeof(double) * nq);
    if (sys->form->select_rows(sys, 0, s->g->q, 0) < 0) return LIMBER_MEMORY;
    int bad = lm_factor_mass(s->g, 0, s->g->q, s->zero);
    if (bad < 0) return LIMBER_MEMORY;
    if (s->g->mass_unit == 0) s->g->mass_unit = 1;
    return LIMBER_OK;
}

limber_status lm_statics(lm_run *run, const lm_spec_analysis *a)
{
    statics s = {.run = run, .goal = 1e-7 * a->tolerance};
    limber_status st = run->resuming ? lm_record_truncate(run, 0, 0) : LIMBER_OK; /* anew */
    if (!st) st = begin(&s);
    if (!st) st = continuation(&s, a->load_steps);
    if (!st) {
        memcpy(run->q, s.g->q, sizeof(double) * (size_t)run->sys->nq);
        memset(run->v, 0, sizeof(double) * (size_t)run->sys->nv);
    }
    run->sum->iterations += s.iterations;
    run->sum->t = s.reached;
    snprintf(run->sum->method, sizeof run->sum->method, "newton");
    if (st == LIMBER_MEMORY) lm_stop(run, st, "out of memory");
    if (st != LIMBER_IO) {
        const char *word = st == LIMBER_INTERRUPTED ? "interrupted" : st ? "stopped" : "done";
        limber_status w = lm_record_status(run, word, run->sum->reason);
        if (!w) w = lm_record_flush(run);
        if (!st) st = w;
    }
    if (s.g) s.g->ops->destroy(s.g);
    lm_free(s.zero);
    lm_free(s.q_last);
    return st;
}
