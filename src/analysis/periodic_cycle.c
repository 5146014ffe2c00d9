/* One period of the motion, with what becomes of small deviations. */
#include "analysis/periodic.h"

#include "math/eigen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEPENDENT 1e-10 /* of constraint rows, over the largest */
#define RELAX     10    /* periods in the step of the first guess */
#define OPEN      1e-7  /* a redundant constraint that opens was none */

/* ---- memory ---- */

static limber_status reserve_motions(lm_periodic *p)
{
    size_t nv = (size_t)p->sys->nv, n = (size_t)p->n, two = 2 * n;
    size_t outputs = (size_t)p->sys->model->spec->outputs.n;
    struct {
        double **at;
        size_t size;
    } want[] = {{&p->G, nv * n},
                {&p->xi, nv * two},
                {&p->dv, nv * two},
                {&p->P, two * two},
                {&p->r, two},
                {&p->A, two * two},
                {&p->U, two * two},
                {&p->Vt, two * two},
                {&p->sigma, two},
                {&p->R, two * two},
                {&p->sample, LM_PERIODIC_SAMPLES * outputs}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        if (!(*want[i].at = LM_NEW_N(&p->arena, double, want[i].size + 1))) return LIMBER_MEMORY;
    p->multiplier = LM_NEW_N(&p->arena, lm_multiplier, two + 1);
    p->from = LM_NEW_N(&p->arena, int, two + 1);
    p->Z = p->basis + nv * (nv - n);
    return p->multiplier && p->from ? LIMBER_OK : LIMBER_MEMORY;
}

static limber_status reserve(lm_periodic *p)
{
    size_t nv = (size_t)p->sys->nv, nq = (size_t)p->sys->nq, nnz = (size_t)p->sys->pattern.nnz;
    lm_integrator_options opt = {.until = p->T, .tolerance = 1e-4, .step = p->T, .rho_inf = 0.8};
    opt.first_step = opt.largest_step = p->T;
    p->g = lm_radau_create(p->sys, &opt);
    p->tangent = lm_tangent_create(p->sys);
    p->q = LM_NEW_N(&p->arena, double, 2 * (nq + nv) + 1);
    p->unit = LM_NEW_N(&p->arena, double, nv + 1);
    p->Phi = LM_NEW_N(&p->arena, double, nnz + 1);
    if (p->tangent) p->N = LM_NEW_N(&p->arena, double, lm_tangent_pattern(p->tangent)->nnz + 1);
    p->basis = LM_NEW_N(&p->arena, double, nv *nv + 1);
    p->dx = LM_NEW_N(&p->arena, double, 2 * nv + 1);
    if (!p->g || !p->tangent || !p->q || !p->unit || !p->Phi || !p->N || !p->basis || !p->dx)
        return LIMBER_MEMORY;
    p->v = p->q + nq, p->try_q = p->v + nv, p->try_v = p->try_q + nq;
    return LIMBER_OK;
}

/* ---- the first guess ---- */

/* Drives that begin to move at once would strike bodies that bend and are at rest: vibrations far from
 * the periodic motion. The guess are velocities without them, those of a long implicit step,
 *     (M + tau^2 K) v + Phi^T mu = M v_0,    Phi v = -dphi/dt
 * with the stiffness K of the state at rest: links move as if they were rigid. */
static limber_status relax(lm_periodic *p)
{
    lm_integrator *g = p->g;
    lm_system *sys = p->sys;
    int nv = sys->nv, nl = sys->nl;
    double tau = RELAX * p->T, *x = g->x, *M = lm_linear_values(g->lin);
    if (!sys->flexible) return LIMBER_OK;
    memset(p->dx, 0, sizeof(double) * 2 * (size_t)nv);
    lm_state rest = {0, p->q, p->dx, p->dx + nv, g->lam};
    if (sys->form->jacobian(sys, &rest, 1, 0, 0, M)) return LIMBER_OK;
    memset(x, 0, sizeof(double) * (size_t)(nv + nl));
    for (int c = 0; c < nv; c++)
        for (int e = sys->pattern.colptr[c]; e < sys->pattern.colptr[c + 1]; e++)
            if (sys->pattern.rowind[e] < nv) x[sys->pattern.rowind[e]] += M[e] * p->v[c];
    if (sys->form->constraint_rate(sys, &rest, x + nv)) return LIMBER_OK;
    for (int k = 0; k < nl; k++) x[nv + k] = sys->active[k] ? -x[nv + k] : 0;
    if (sys->form->jacobian(sys, &rest, 1, 0, tau * tau, M)) return LIMBER_OK;
    int bad = lm_linear_factor(g->lin);
    if (bad < 0) return LIMBER_MEMORY;
    if (bad) return LIMBER_OK; /* the guess stays as it is */
    lm_linear_solve(g->lin, x);
    lm_copy(p->v, x, nv);
    return LIMBER_OK;
}

limber_status lm_periodic_begin(lm_periodic *p, lm_system *sys, double T, const double *q,
                                const double *v)
{
    p->sys = sys, p->T = T;
    if (sys->form->select_rows(sys, 0, q, 0) < 0) return LIMBER_MEMORY;
    p->n = sys->nv;
    for (int k = 0; k < sys->nl; k++) p->n -= sys->active[k];
    if (p->n > LM_PERIODIC_MOST)
        return lm_fail(&p->failure, LIMBER_STOPPED,
                       "%d independent motions are too many for the matrix of multipliers "
                       "(at most %d): use fewer elements, or a formulation with fewer "
                       "coordinates",
                       p->n, LM_PERIODIC_MOST);
    limber_status st = reserve(p);
    if (!st) st = reserve_motions(p);
    if (st) return st;
    p->size = p->g->clock->size = sys->model->size > 0 ? sys->model->size : 1;
    for (int i = 0; i < sys->nv; i++) p->unit[i] = sys->angular[i] ? 1 : p->size;
    lm_copy(p->q, q, sys->nq);
    lm_copy(p->v, v, sys->nv);
    return relax(p);
}

void lm_periodic_free(lm_periodic *p)
{
    if (p->g) p->g->ops->destroy(p->g);
    lm_tangent_destroy(p->tangent);
    lm_arena_free(&p->arena);
}

/* ---- the start ---- */

static limber_status start(lm_periodic *p)
{
    lm_integrator *g = p->g;
    lm_copy(g->q, p->q, p->sys->nq);
    lm_copy(g->v, p->v, p->sys->nv);
    if (p->sys->form->select_rows(p->sys, 0, g->q, 0) < 0) return LIMBER_MEMORY;
    int bad = lm_integrator_start(g, 0, 0);
    if (bad < 0) return LIMBER_MEMORY;
    return bad ? lm_fail(&p->failure, LIMBER_STOPPED, "%s", g->failure) : LIMBER_OK;
}

/* Row `which` of the active ones, of the matrix with these values, times the units of velocities. */
static void constraint_row(const lm_periodic *p, const double *values, int row, double *out,
                           size_t stride)
{
    const lm_pattern *pattern = &p->sys->pattern;
    for (int i = 0; i < p->sys->nv; i++) {
        int at = lm_pattern_find(pattern, p->sys->nv + row, i);
        out[stride * (size_t)i] = at < 0 ? 0 : values[at] * p->unit[i];
    }
}

/* Z: what the active constraints leave. */
static limber_status free_motions(lm_periodic *p)
{
    size_t nv = (size_t)p->sys->nv;
    int rank = 0;
    double *A = lm_alloc(sizeof(double) * (nv * (size_t)p->sys->nl + 1));
    if (!A) return LIMBER_MEMORY;
    p->na = 0;
    for (int k = 0; k < p->sys->nl; k++)
        if (p->sys->active[k]) constraint_row(p, p->Phi, k, A + nv * (size_t)p->na++, 1);
    int bad = lm_null_space((int)nv, p->na, A, DEPENDENT, p->basis, &rank);
    lm_free(A);
    if (bad < 0) return LIMBER_MEMORY;
    if (bad || rank != p->na || p->na + p->n != (int)nv)
        return lm_fail(&p->failure, LIMBER_STOPPED,
                       "the joints are in a singular position at the start: what they "
                       "leave free is not a matter of small motions; start the "
                       "period elsewhere, by 'initial' and the drive");
    return LIMBER_OK;
}

/* y = N S Z_j over the active rows. */
static void changed_rates(const lm_periodic *p, size_t j, double *y)
{
    const lm_pattern *pattern = lm_tangent_pattern(p->tangent);
    int nv = p->sys->nv, at = 0;
    double *all = p->g->x;
    memset(all, 0, sizeof(double) * (size_t)(nv + p->sys->nl));
    for (int c = 0; c < nv; c++) {
        double x = p->unit[c] * p->Z[(size_t)nv * j + (size_t)c];
        for (int e = pattern->colptr[c]; e < pattern->colptr[c + 1]; e++)
            if (pattern->rowind[e] >= nv) all[pattern->rowind[e]] += p->N[e] * x;
    }
    for (int k = 0; k < p->sys->nl; k++)
        if (p->sys->active[k]) y[at++] = all[nv + k];
}

/* S^-1 G = -[Phi S; Z^T]^-1 [N S Z; 0], then G. */
static limber_status rates_of_motions(lm_periodic *p)
{
    size_t nv = (size_t)p->sys->nv, n = (size_t)p->n, na = (size_t)p->na;
    memset(p->G, 0, sizeof(double) * nv * n);
    if (na == 0 || n == 0) return LIMBER_OK;
    double *A = lm_alloc(sizeof(double) * (nv * nv + 1));
    if (!A) return LIMBER_MEMORY;
    size_t row = 0;
    for (int k = 0; k < p->sys->nl; k++)
        if (p->sys->active[k]) constraint_row(p, p->Phi, k, A + row++, nv);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < nv; i++) A[nv * i + na + j] = p->Z[nv * j + i];
        changed_rates(p, j, p->G + nv * j);
    }
    int bad = lm_dense_solve((int)nv, A, p->n, p->G);
    lm_free(A);
    for (size_t i = 0; i < nv * n; i++) p->G[i] *= -p->unit[i % nv];
    if (bad < 0) return LIMBER_MEMORY;
    return bad ? lm_fail(&p->failure, LIMBER_STOPPED,
                         "the constraints do not determine their motions")
               : LIMBER_OK;
}

limber_status lm_periodic_basis(lm_periodic *p)
{
    limber_status st = start(p);
    lm_integrator *g = p->g;
    lm_state s = {0, g->q, g->v, g->a, g->lam};
    if (st) return st;
    double softness = p->sys->softness;
    p->sys->softness = 0;
    int bad = p->sys->form->jacobian(p->sys, &s, 1, 0, 0, p->Phi) ||
              lm_tangent_constraints(p->tangent, g, p->N);
    p->sys->softness = softness;
    if (bad)
        return lm_fail(&p->failure, LIMBER_STOPPED,
                       "the constraints cannot be evaluated at the start");
    st = free_motions(p);
    return st ? st : rates_of_motions(p);
}

/* ---- a cycle ---- */

/* Outputs at the equal parts of the period. */
static void take_sample(lm_periodic *p)
{
    const lm_integrator *g = p->g;
    int count = p->sys->model->spec->outputs.n;
    double part = g->clock->t / p->T * LM_PERIODIC_SAMPLES, k = floor(part + 0.5);
    if (k < 1 || fabs(part - k) > 1e-7 || k > LM_PERIODIC_SAMPLES) return;
    lm_state s = {g->clock->t, g->q, g->v, g->a, g->lam};
    p->sys->form->outputs(p->sys, &s, p->sample + (size_t)count * (size_t)(k - 1));
}

/* Redundant constraints that open: choose anew, as dynamics does. */
static limber_status watch_redundant(lm_periodic *p)
{
    lm_integrator *g = p->g;
    lm_system *sys = p->sys;
    int row, idle = 0;
    double moved, gap;
    for (int k = 0; k < sys->nl; k++) idle += !sys->active[k];
    if (!idle || sys->form->hidden_violation(sys, g->clock->t, g->q, &row) < OPEN) return LIMBER_OK;
    if (sys->form->select_rows(sys, g->clock->t, g->q, 0) < 0) return LIMBER_MEMORY;
    int bad = lm_project_position(g, g->clock->t, g->q, &moved, &gap);
    if (!bad) bad = lm_integrator_start(g, g->clock->t, 1);
    if (bad < 0) return LIMBER_MEMORY;
    return bad ? lm_fail(&p->failure, LIMBER_STOPPED,
                         "at t = %.6g: the joints contradict each other", g->clock->t)
               : LIMBER_OK;
}

static limber_status tell_progress(lm_periodic *p)
{
    lm_integrator *g = p->g;
    limber_progress now = {g->clock->t, p->T, g->clock->h, g->stats.steps, 0};
    return p->run ? lm_run_progress(p->run, &now) : LIMBER_OK;
}

/* One step, to the next kink of a function of time at most. */
static limber_status one_step(lm_periodic *p, int with_tangent)
{
    lm_integrator *g = p->g;
    double same = 1e-12 * p->T, kink = p->sys->form->next_kink(p->sys, g->clock->t + same);
    if (kink > p->T - same) kink = INFINITY;
    int bad = g->ops->step(g, fmin(p->T, kink - 0.01 * same));
    if (bad < 0) return LIMBER_MEMORY;
    if (bad) return lm_fail(&p->failure, LIMBER_STOPPED, "%s", g->failure);
    if (with_tangent && p->n > 0) bad = lm_tangent_step(p->tangent, g, p->columns, p->xi, p->dv);
    if (bad < 0) return LIMBER_MEMORY;
    if (bad)
        return lm_fail(&p->failure, LIMBER_STOPPED,
                       "at t = %.6g: the motion passes through a singular position of the "
                       "joints, where small deviations have no future; change lengths or "
                       "joints so that it does not",
                       g->clock->t);
    take_sample(p);
    limber_status st = watch_redundant(p);
    if (st || g->clock->t < kink - 0.02 * same) return st ? st : tell_progress(p);
    bad = lm_integrator_start(g, kink + 0.01 * same, 1);
    if (bad < 0) return LIMBER_MEMORY;
    return bad ? lm_fail(&p->failure, LIMBER_STOPPED, "%s", g->failure) : tell_progress(p);
}

/* What is missing at the end: dx, and r of it. */
static void close_cycle(lm_periodic *p)
{
    const lm_integrator *g = p->g;
    int nv = p->sys->nv;
    p->sys->form->difference(p->sys, p->q, g->q, p->dx);
    for (int i = 0; i < nv; i++) p->dx[nv + i] = g->v[i] - p->v[i];
    lm_periodic_coordinates(p, p->dx, p->dx + nv, p->r);
}

limber_status lm_periodic_cycle(lm_periodic *p, int with_tangent)
{
    p->g->opt.step = p->T / p->steps;
    limber_status st = start(p);
    if (with_tangent) lm_periodic_deviate(p);
    p->cycles++;
    for (long k = 1; !st && p->g->clock->t < p->T * (1 - 1e-12); k++) {
        st = one_step(p, with_tangent);
        if (with_tangent && !(k & (k - 1))) lm_periodic_compress(p); /* 1, 2, 4, 8, ... */
    }
    if (st) return st;
    close_cycle(p);
    if (!with_tangent) return LIMBER_OK;
    lm_periodic_arrive(p);
    p->P_steps = p->steps;
    return LIMBER_OK;
}
