/* The linearised system: reactions at rest, then M, D and K from the seam. */
#include "analysis/modes.h"

#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REFINEMENTS = 2, ALGEBRAIC = 20, UNSOLVED = 3 };
#define ROUNDING 1e-13

/* ---- products with a block of the matrix ---- */

void lm_modes_mul(const lm_modes *m, const double *A, const double *x, double *y)
{
    const lm_pattern *p = &m->sys->pattern;
    int nv = m->sys->nv;
    memset(y, 0, sizeof(double) * (size_t)nv);
    for (int c = 0; c < nv; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1] && p->rowind[k] < nv; k++)
            y[p->rowind[k]] += A[k] * x[c];
}

double lm_modes_form(const lm_modes *m, const double *A, const double *x, double *size)
{
    const lm_pattern *p = &m->sys->pattern;
    int nv = m->sys->nv;
    double sum = 0, squares = 0;
    for (int c = 0; c < nv; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1] && p->rowind[k] < nv; k++) {
            double term = x[p->rowind[k]] * A[k] * x[c];
            sum += term;
            squares += term * term;
        }
    if (size) *size = sqrt(squares);
    return sum;
}

/* A_ii without sign, lengths in the unit of length. */
static double diagonal(const lm_modes *m, const double *A, int i)
{
    int k = lm_pattern_find(&m->sys->pattern, i, i);
    return k >= 0 ? fabs(A[k]) * m->unit[i] * m->unit[i] : 0;
}

double lm_modes_trace(const lm_modes *m, const double *A)
{
    double sum = 0;
    for (int i = 0; i < m->sys->nv; i++) sum += diagonal(m, A, i);
    return sum;
}

int lm_modes_reduce(const lm_modes *m, const double *A, int n, const double *Y, const double *X,
                    double *out)
{
    size_t nv = (size_t)m->sys->nv;
    double *AX = lm_alloc(sizeof(double) * nv * (size_t)n);
    if (!AX) return -1;
    for (size_t j = 0; j < (size_t)n; j++) lm_modes_mul(m, A, X + nv * j, AX + nv * j);
    lm_dense_tmul(n, n, m->sys->nv, Y, AX, out);
    lm_free(AX);
    return 0;
}

/* ---- the state at rest ---- */

/* y[nl] = -Phi a for the active rows. */
static void minus_phi(const lm_modes *m, const double *a, double *y)
{
    const lm_pattern *p = &m->sys->pattern;
    int nv = m->sys->nv;
    memset(y, 0, sizeof(double) * (size_t)m->sys->nl);
    for (int c = 0; c < nv; c++)
        for (int k = p->colptr[c + 1] - 1; k >= p->colptr[c] && p->rowind[k] >= nv; k--)
            y[p->rowind[k] - nv] -= m->M[k] * a[c];
}

/* 1: the last change g->x of values is small, each over its own size. All else is linear in them; and near
 * rest accelerations and rates are rounding, which never settles. */
static int settled(const lm_modes *m, double tolerance)
{
    const lm_integrator *g = m->g;
    const lm_spec_variable *x = m->sys->model->spec->variables.at;
    int first = m->sys->nv - m->sys->nvariables;
    double size = 1;
    for (int i = first; i < m->sys->nv; i++) size = fmax(size, fmax(fabs(g->a[i]), fabs(m->v0[i])));
    for (int i = first; i < m->sys->nv; i++)
        if (x[i - first].kind == LM_VARIABLE_VALUE &&
            !(fabs(g->x[i]) <= tolerance * fabs(g->a[i]) + ROUNDING * size))
            return 0;
    return 1;
}

/* Reactions of the state at rest: M a + Phi^T lam = f(q, v = 0) with Phi a = 0. Drives hold their
 * coordinate. Solved for the change, so that repeating it removes what the matrix leaves out. */
static int rest_reactions(lm_modes *m)
{
    lm_integrator *g = m->g;
    lm_system *sys = m->sys;
    int nv = sys->nv, rounds = sys->algebraic ? ALGEBRAIC : REFINEMENTS;
    int bad = lm_factor_mass(g, g->clock->t, g->q, m->v0);
    for (int it = 0; it <= rounds && !bad; it++) {
        if (it > 0 && sys->algebraic) { /* laws of accelerations and variables need not be linear */
            lm_copy(g->a0, g->a, nv);
            bad = lm_factor_mass(g, g->clock->t, g->q, m->v0);
            if (bad) break;
        }
        lm_state s = {g->clock->t, g->q, m->v0, g->a, g->lam};
        if (sys->form->residual(sys, &s, g->x, NULL, NULL)) return 2;
        for (int i = 0; i < nv; i++) g->x[i] *= -1 / g->mass_unit;
        minus_phi(m, g->a, g->x + nv);
        for (int k = 0; k < sys->nl; k++)
            if (!sys->active[k]) g->x[nv + k] = -g->lam[k] / g->mass_unit;
        lm_linear_solve(g->lin, g->x);
        for (int i = 0; i < nv; i++) g->a[i] += g->x[i];
        for (int k = 0; k < sys->nl; k++) g->lam[k] += g->mass_unit * g->x[nv + k];
        if (sys->nvariables && it >= REFINEMENTS && settled(m, ROUNDING)) break;
        if (sys->nvariables && it == rounds && !settled(m, 1e-6)) return UNSOLVED;
    }
    return bad;
}

/* Largest force in r; *moment the largest moment. */
static double force_norm(const lm_modes *m, const double *r, int *at, double *moment)
{
    double most = 0;
    for (int i = 0; i < m->sys->nv - m->sys->nvariables; i++) {
        double f = fabs(r[i]) * m->unit[i] / m->size;
        if (f > most && at) *at = i;
        most = fmax(most, f);
        if (moment) *moment = fmax(*moment, fabs(r[i]) * m->unit[i]);
    }
    return most;
}

/* What is out of balance, against the forces that are there: loads, springs, reactions. */
static int balance(lm_modes *m)
{
    lm_integrator *g = m->g;
    lm_system *sys = m->sys;
    int nv = sys->nv, bad = 0;
    double *r = g->x, *r0 = g->x + nv, factor = sys->load_factor;
    lm_state free = {g->clock->t, g->q, m->v0, m->a0, NULL};
    lm_state held = {g->clock->t, g->q, m->v0, m->a0, g->lam};
    bad |= sys->form->residual(sys, &free, r, NULL, NULL);
    m->force = fmax(m->force, force_norm(m, r, NULL, NULL));
    sys->load_factor = 0;
    bad |= sys->form->residual(sys, &free, r0, NULL, NULL);
    sys->load_factor = factor;
    m->force = fmax(m->force, force_norm(m, r0, NULL, NULL));
    for (int i = 0; i < nv; i++) r0[i] -= r[i];
    m->force = fmax(m->force, force_norm(m, r0, NULL, NULL));
    bad |= sys->form->residual(sys, &held, r, NULL, NULL);
    m->unbalanced = force_norm(m, r, &m->unbalanced_at, &m->moment);
    return bad;
}

static limber_status not_finite(lm_modes *m)
{
    m->g->failure[0] = 0;
    lm_explain_mass(m->g, m->g->clock->t, 2);
    return lm_fail(&m->failure, LIMBER_STOPPED, "%s", m->g->failure);
}

/* ---- what kind of matrices they are ---- */

/* Largest entry of each row, lengths in the unit of length. */
static void row_sizes(const lm_modes *m, const double *A, double *size)
{
    const lm_pattern *p = &m->sys->pattern;
    int nv = m->sys->nv;
    memset(size, 0, sizeof(double) * (size_t)nv);
    for (int c = 0; c < nv; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1] && p->rowind[k] < nv; k++) {
            int r = p->rowind[k];
            double a = fabs(A[k]) * m->unit[r] * m->unit[c];
            size[r] = fmax(size[r], a);
            size[c] = fmax(size[c], a);
        }
}

/* 1: A is not symmetric beyond rounding and `allowed`. Second derivatives with respect to rotations
 * are not symmetric either where moments are not in balance, by those moments. */
static int not_symmetric(const lm_modes *m, const double *A, double allowed, double *size)
{
    const lm_pattern *p = &m->sys->pattern;
    int nv = m->sys->nv;
    row_sizes(m, A, size);
    for (int c = 0; c < nv; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1] && p->rowind[k] < nv; k++) {
            int r = p->rowind[k], mirror = lm_pattern_find(p, c, r);
            double unit = m->unit[r] * m->unit[c], a = unit * A[k];
            double b = mirror < 0 ? 0 : unit * A[mirror];
            double rounding = 1e-13 * sqrt(size[r] * size[c]) + 1e-8 * fmax(fabs(a), fabs(b));
            if (fabs(a - b) > rounding + 1.01 * allowed) return 1;
        }
    return 0;
}

/* 1: forces depend on reactions, so that the columns of the multipliers are not Phi^T. */
static int reactive(const lm_modes *m)
{
    const lm_pattern *p = &m->sys->pattern;
    int nv = m->sys->nv;
    for (int c = nv; c < nv + m->sys->nl; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1] && p->rowind[k] < nv; k++) {
            int mirror = m->sys->active[c - nv] ? lm_pattern_find(p, c, p->rowind[k]) : -1;
            double other = mirror < 0 ? 0 : m->K[mirror];
            if (fabs(m->K[k] - other) > 1e-12 * (1 + fabs(other))) return 1;
        }
    return 0;
}

static int any(const lm_modes *m, const double *A)
{
    const lm_pattern *p = &m->sys->pattern;
    for (int c = 0; c < m->sys->nv; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1] && p->rowind[k] < m->sys->nv; k++)
            if (A[k] != 0) return 1;
    return 0;
}

static int all_finite(const lm_modes *m)
{
    double sum = 0;
    for (int k = 0; k < m->sys->pattern.nnz; k++)
        sum += fabs(m->M[k]) + fabs(m->D[k]) + fabs(m->K[k]);
    return isfinite(sum);
}

/* ---- */

static limber_status reserve(lm_modes *m)
{
    size_t nv = (size_t)m->sys->nv, nnz = (size_t)m->sys->pattern.nnz;
    m->g = lm_integrator_at_rest(m->sys);
    m->zero = m->v0 = m->a0 = LM_NEW_N(&m->arena, double, nv + 1);
    if (m->sys->nvariables) {
        m->v0 = LM_NEW_N(&m->arena, double, nv + 1);
        m->a0 = LM_NEW_N(&m->arena, double, nv + 1);
    }
    m->unit = LM_NEW_N(&m->arena, double, nv + 1);
    m->M = LM_NEW_N(&m->arena, double, nnz + 1);
    m->D = LM_NEW_N(&m->arena, double, nnz + 1);
    m->K = LM_NEW_N(&m->arena, double, nnz + 1);
    m->rigid = LM_NEW_N(&m->arena, double, 6 * nv + 1);
    m->Mrigid = LM_NEW_N(&m->arena, double, 6 * nv + 1);
    return m->g && m->zero && m->v0 && m->a0 && m->unit && m->M && m->D && m->K && m->rigid &&
                   m->Mrigid
               ? LIMBER_OK
               : LIMBER_MEMORY;
}

static void rigid_motions(lm_modes *m)
{
    lm_system *sys = m->sys;
    const lm_form *form = sys->form;
    size_t nv = (size_t)sys->nv;
    lm_state rest = {m->g->clock->t, m->g->q, m->v0, m->a0, NULL};
    int bad = !form->rigid_velocity && !form->rigid_momentum;
    for (size_t d = 0; d < 6 && !bad; d++) {
        double twist[6] = {0};
        twist[d] = 1;
        if (!form->rigid_velocity) {
            sys->hold_idle = 1;
            bad = form->rigid_momentum(sys, &rest, twist, m->Mrigid + nv * d, &m->total[d]);
            sys->hold_idle = 0;
            continue;
        }
        form->rigid_velocity(m->sys, m->g->q, twist, m->rigid + nv * d);
        lm_modes_mul(m, m->M, m->rigid + nv * d, m->Mrigid + nv * d);
        for (size_t i = 0; i < nv; i++) m->total[d] += m->rigid[nv * d + i] * m->Mrigid[nv * d + i];
    }
    if (bad) m->rigid = m->Mrigid = NULL;
}

/* At rest, rotations of point masses that are none (lm_body.idle) have no mass, and stiffness among that of
 * the other motions. */
static int hold_idle(lm_modes *m, const lm_state *s)
{
    lm_system *sys = m->sys;
    int some = 0;
    for (int i = 0; i < sys->model->nbodies; i++)
        for (int k = 0; k < 9; k += 4) some |= sys->model->bodies[i].idle.m[k] > 0;
    if (!some) return 0;
    double mass = lm_modes_trace(m, m->M), stiffness = lm_modes_trace(m, m->K);
    sys->hold_idle = mass > 0 && stiffness > 0 ? stiffness / mass : 1;
    int bad =
        sys->form->jacobian(sys, s, 1, 0, 0, m->M) || sys->form->jacobian(sys, s, 0, 0, 1, m->K);
    sys->hold_idle = 0;
    return bad;
}

/* Positions are known to the rounding of |x|. Constraints between points a short way l apart turn that into an
 * angle, rotational springs into a moment, and constraints into a force, K eps |x| / l^2, which stands in none of
 * their rows. Beams that are stiff along their axis do so without constraints. */
static double drawn_rounding(const lm_modes *m)
{
    const lm_system *sys = m->sys;
    const lm_model *model = sys->model;
    double turn = 0, push = 0, far = 0, l = m->size;
    for (int i = 0; i < sys->nv - sys->nvariables; i++) {
        double *most = sys->angular[i] ? &turn : &push;
        *most = fmax(*most, diagonal(m, m->K, i));
    }
    for (int n = 0; n < model->nnodes; n++) far = fmax(far, v3_norm(model->nodes[n].x));
    for (int k = 0; k < model->nelements; k++) l = fmin(l, model->elements[k].shape.L);
    if (sys->scalar || sys->nl == 0) turn = 0;
    return 16 * DBL_EPSILON * far * fmax(push, turn / (l * l));
}

static limber_status matrices(lm_modes *m, const double *v, const double *a)
{
    lm_integrator *g = m->g;
    lm_system *sys = m->sys;
    lm_state s = {g->clock->t, g->q, v, a, g->lam};
    double stiff = 0, *size = g->x, allowed = m->moment;
    sys->softness = 0;
    sys->vibrations = sys->form->linear_about != NULL;
    int bad =
        sys->form->jacobian(sys, &s, 1, 0, 0, m->M) || sys->form->jacobian(sys, &s, 0, 1, 0, m->D);
    if (v == m->v0) sys->held_by = g->a;
    bad = bad || sys->form->jacobian(sys, &s, 0, 0, 1, m->K) || (v == m->v0 && hold_idle(m, &s));
    sys->held_by = NULL;
    sys->vibrations = 0;
    if (bad || !all_finite(m)) return not_finite(m);
    m->damped = any(m, m->D);
    m->reactive = reactive(m);
    m->implicit = m->reactive || not_symmetric(m, m->M, 0, size);
    m->skew = m->implicit || not_symmetric(m, m->K, allowed, size);
    m->stiffness = lm_modes_trace(m, m->K);
    for (int i = 0; i < sys->nv; i++) m->stiffest = fmax(m->stiffest, diagonal(m, m->K, i));
    row_sizes(m, m->K, size);
    for (int i = 0; i < sys->nv; i++) stiff = fmax(stiff, size[i] / m->size);
    /* springs in balance with each other are a force that the sums do not show */
    m->rounding = 1e-12 * stiff + drawn_rounding(m);
    m->at_rest = m->unbalanced <= 1e-6 * m->force + m->rounding;
    return LIMBER_OK;
}

/* The state in m->g, and the constraints that count there. */
static limber_status begin(lm_modes *m, double t, const double *q)
{
    lm_system *sys = m->sys;
    limber_status st = reserve(m);
    if (st) return st;
    lm_integrator *g = m->g;
    memcpy(g->q, q, sizeof(double) * (size_t)sys->nq);
    g->clock->t = t;
    m->size = g->clock->size = sys->model->size > 0 ? sys->model->size : 1;
    int moving = sys->nv - sys->nvariables;
    for (int i = 0; i < sys->nv; i++) m->unit[i] = sys->angular[i] || i >= moving ? 1 : m->size;
    for (int i = moving; i < sys->nv && m->states; i++) m->v0[i] = m->states[i - moving];
    if (sys->form->select_rows(sys, t, g->q, 0) < 0) return LIMBER_MEMORY;
    m->nfree = sys->nv;
    for (int k = 0; k < sys->nl; k++) m->nfree -= sys->active[k];
    sys->softness = 0;
    return LIMBER_OK;
}

static limber_status no_accelerations(lm_modes *m, double t, int bad)
{
    if (bad < 0) return LIMBER_MEMORY;
    if (bad == UNSOLVED && m->sys->nvariables)
        return lm_fail(&m->failure, LIMBER_STOPPED,
                       "the equations of the controllers and the power graph have no "
                       "solution at this state that Newton's method finds");
    lm_explain_mass(m->g, t, bad);
    return lm_fail(&m->failure, LIMBER_STOPPED, "%s", m->g->failure);
}

/* Variables of the state at rest: what they are in that of m->g. */
static void keep_variables(lm_modes *m)
{
    for (int i = m->sys->nv - m->sys->nvariables; i < m->sys->nv; i++) m->a0[i] = m->g->a[i];
}

static limber_status find_rest(lm_modes *m, double t, const double *q)
{
    lm_system *sys = m->sys;
    limber_status st = begin(m, t, q);
    if (st) return st;
    lm_state s = {t, m->g->q, m->v0, m->a0, NULL};
    if (sys->form->jacobian(sys, &s, 1, 0, 0, m->M)) return not_finite(m);
    int bad = rest_reactions(m);
    if (bad) return no_accelerations(m, t, bad);
    keep_variables(m);
    return LIMBER_OK;
}

/* Whether accelerations and reactions of the state solve M a + Phi^T lam = f. Out of balance, motions without
 * mass have no acceleration that does: then only what has grown beyond the forces is none. */
static limber_status check_rest(lm_modes *m)
{
    lm_integrator *g = m->g;
    lm_system *sys = m->sys;
    char name[160];
    int at = 0;
    lm_state s = {g->clock->t, g->q, m->v0, g->a, g->lam};
    if (sys->form->residual(sys, &s, g->x, NULL, NULL)) return not_finite(m);
    double left = force_norm(m, g->x, &at, NULL);
    double part = sys->algebraic && !sys->massless ? 1e-6 : 10;
    if (left <= part * m->force + m->rounding) return LIMBER_OK;
    sys->form->describe(sys, at, name, sizeof name);
    return lm_fail(
        &m->failure, LIMBER_STOPPED,
        "the accelerations and reactions of the state to linearise about are not found: a "
        "force of %.3g is left over (%s); look at forces that depend on accelerations or "
        "reactions there",
        left, name);
}

static limber_status linearise_at_rest(lm_modes *m, double t, const double *q)
{
    limber_status st = find_rest(m, t, q);
    if (st) return st;
    if (balance(m)) return not_finite(m);
    st = matrices(m, m->v0, m->a0);
    if (!st) st = check_rest(m);
    if (!st) rigid_motions(m);
    return st;
}

limber_status lm_modes_rest(lm_modes *m, double t, const double *q)
{
    double softness = m->sys->softness;
    m->sys->still = 1;
    limber_status st = find_rest(m, t, q);
    m->sys->still = 0;
    m->sys->softness = softness;
    return st;
}

limber_status lm_modes_linearise(lm_modes *m, double t, const double *q)
{
    m->sys->still = 1;
    limber_status st = linearise_at_rest(m, t, q);
    m->sys->still = 0;
    return st;
}

/* Equations that are linear in small displacements have matrices that do not depend on them: those of the
 * motion that the displacements are measured from. Steady rotation (campbell) is taken as it is bent. */
int lm_modes_undeformed(const lm_modes *m)
{
    const lm_motion *known = m->sys->motion;
    return m->sys->form->linear_about && known && known->rest;
}

static int undeformed(lm_modes *m, double *a, double *lam)
{
    lm_integrator *g = m->g;
    if (!lm_modes_undeformed(m)) return 0;
    return m->sys->form->linear_about(m->sys, g->clock->t, g->q, g->v, a, lam);
}

limber_status lm_modes_linearise_moving(lm_modes *m, double t, const double *q, const double *v)
{
    limber_status st = begin(m, t, q);
    double change;
    if (st) return st;
    lm_integrator *g = m->g;
    lm_copy(g->v, v, m->sys->nv);
    int bad = undeformed(m, g->a, g->lam);
    if (!bad) bad = lm_project_velocity(g, t, g->q, g->v, &change);
    if (!bad) bad = lm_consistent_acceleration(g, t, g->q, g->v, g->a, g->lam);
    if (!bad) bad = undeformed(m, g->a, g->lam);
    if (bad) return no_accelerations(m, t, bad);
    for (int i = m->sys->nv - m->sys->nvariables; i < m->sys->nv; i++) m->v0[i] = g->v[i];
    keep_variables(m);
    m->sys->undeformed = lm_modes_undeformed(m);
    st = matrices(m, g->v, g->a);
    m->sys->undeformed = 0;
    return st;
}
