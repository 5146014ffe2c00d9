/* The equations of the independent motions: inputs, reduction, and what accelerations and reactions
 * answer to each of them. */
#include "analysis/linearize.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

/* ---- inputs ---- */

int lm_linearized_input_at(const lm_linearized *l, int i)
{
    const lm_model *m = l->sys->model;
    const lm_input *in = &l->input[i];
    if (in->load >= 0) return 6 * in->load + in->component;
    int efforts = 6 * m->spec->loads.n;
    if (in->block >= 0) return efforts + m->ncoords + m->spec->blocks.at[in->block].variable;
    return efforts + m->joints[in->joint].first_coord + in->coord;
}

/* Forces that are there, so that an input can be set off against them: a power of 2. */
static double force_unit(const lm_linearized *l, const double *r)
{
    double most = 1;
    int moving = l->sys->nv - l->sys->nvariables;
    for (int i = 0; i < moving; i++) most = fmax(most, fabs(r[i]) * l->m.unit[i] / l->m.size);
    return exp2(ceil(log2(most)));
}

/* F = -dr/du. The residual is linear in the values of loads and efforts. */
static int input_forces(lm_linearized *l, double *F)
{
    lm_system *sys = l->sys;
    const lm_integrator *g = l->m.g;
    const double *v = l->v ? g->v : l->m.v0, *a = l->v ? g->a : l->m.a0;
    lm_state s = {l->t, g->q, v, a, g->lam}, free = {l->t, g->q, v, l->m.a0, NULL};
    double *r = g->x;
    if (sys->form->residual(sys, &free, r, NULL, NULL)) return 1;
    double unit = force_unit(l, r);
    int bad = 0;
    sys->inputs = l->u;
    for (int k = 0; k < l->nu && !bad; k++) {
        double *f = F + (size_t)sys->nv * (size_t)k, *u = &l->u[lm_linearized_input_at(l, k)];
        if (l->input[k].block >= 0) { /* x = f + u */
            int x = sys->model->spec->blocks.at[l->input[k].block].variable;
            f[sys->nv - sys->nvariables + x] = 1;
            continue;
        }
        for (int side = -1; side < 2 && !bad; side += 2) {
            *u = side * unit;
            bad = sys->form->residual(sys, &s, r, NULL, NULL);
            for (int i = 0; i < sys->nv; i++) f[i] -= side * r[i] / (2 * unit);
        }
        *u = 0;
    }
    sys->inputs = NULL;
    return bad;
}

/* ---- directions ---- */

/* xi, dv and the given part of da along each y and w; inputs move nothing. */
static void directions(lm_linearized *l)
{
    size_t block = (size_t)l->sys->nv * (size_t)l->n, bytes = sizeof(double) * block;
    memcpy(l->dx, l->Z, bytes);
    memcpy(l->dv, l->G, bytes);
    memcpy(l->da, l->Py, bytes);
    memcpy(l->dv + block, l->Z, bytes);
    memcpy(l->da + block, l->Pw, bytes);
}

/* R [nv x k] = M da + D dv + K xi - F u. */
static void unbalanced(const lm_linearized *l, const double *F, double *R, double *work)
{
    size_t nv = (size_t)l->sys->nv;
    int k = 2 * l->n + l->nu;
    for (int j = 0; j < k; j++) {
        size_t at = nv * (size_t)j;
        double *r = R + at;
        lm_modes_mul(&l->m, l->m.M, l->da + at, r);
        lm_modes_mul(&l->m, l->m.D, l->dv + at, work);
        for (size_t i = 0; i < nv; i++) r[i] += work[i];
        lm_modes_mul(&l->m, l->m.K, l->dx + at, work);
        for (size_t i = 0; i < nv; i++) r[i] += work[i];
        for (size_t i = 0; i < nv && j < l->n; i++) r[i] += l->Kz[at + i];
        for (size_t i = 0; i < nv && j >= 2 * l->n; i++) r[i] -= F[nv * (size_t)(j - 2 * l->n) + i];
    }
}

/* ---- the reduced equations ---- */

/* Mr alpha = -Y^T R: alpha [n x k] into Rr, which holds Y^T R. */
static limber_status accelerate(lm_linearized *l, double *Rr)
{
    size_t N = (size_t)l->n * (size_t)l->n, k = 2 * (size_t)l->n + (size_t)l->nu;
    double *copy = lm_alloc(sizeof(double) * (N + 1));
    if (!copy) return LIMBER_MEMORY;
    memcpy(copy, l->M, sizeof(double) * N);
    int bad = lm_dense_solve(l->n, copy, (int)k, Rr);
    lm_free(copy);
    if (bad < 0) return LIMBER_MEMORY;
    for (size_t i = 0; i < (size_t)l->n * k; i++) {
        Rr[i] = 0 - Rr[i]; /* no -0 */
        bad |= !isfinite(Rr[i]);
    }
    return bad ? lm_fail(&l->failure, LIMBER_STOPPED, "a free motion has no mass") : LIMBER_OK;
}

/* M w. + D w + K y = B2 u with w. = alpha - (Omega dv) of the state. */
static void second_order(lm_linearized *l, const double *Rr, double *work)
{
    size_t n = (size_t)l->n, N = n * n;
    lm_dense_mul(l->n, l->n, l->n, l->M, l->OG, work);
    for (size_t i = 0; i < N; i++) l->K[i] = Rr[i] + work[i];
    lm_dense_mul(l->n, l->n, l->n, l->M, l->OZ, work);
    for (size_t i = 0; i < N; i++) l->D[i] = Rr[N + i] + work[i];
    for (size_t i = 0; i < n * (size_t)l->nu; i++) l->B2[i] = 0 - Rr[2 * N + i];
}

static void first_order(lm_linearized *l, const double *alpha)
{
    size_t n = (size_t)l->n, two = 2 * n;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            l->A[two * j + i] = l->S[n * j + i];
            l->A[two * j + n + i] = alpha[n * j + i] - l->OG[n * j + i];
            l->A[two * (n + j) + n + i] = alpha[n * (n + j) + i] - l->OZ[n * j + i];
        }
        l->A[two * (n + j) + j] = 1;
    }
    for (size_t j = 0; j < (size_t)l->nu; j++)
        memcpy(l->B + two * j + n, alpha + n * (two + j), sizeof(double) * n);
}

/* Reactions: Q dlam = -R, in which nothing is left for the independent motions. */
static limber_status react(lm_linearized *l, double *R)
{
    size_t nv = (size_t)l->sys->nv, na = (size_t)l->na, k = 2 * (size_t)l->n + (size_t)l->nu;
    if (na == 0) return LIMBER_OK;
    for (size_t i = 0; i < nv * k; i++) R[i] = -R[i];
    limber_status st = lm_linearized_split(l, 1, 1, (int)k, R);
    for (size_t j = 0; j < k && !st; j++) memcpy(l->dlam + na * j, R + nv * j, sizeof(double) * na);
    return st;
}

/* The motions whose power the reactions have no part in: Y, Z unless forces depend on reactions. */
static limber_status left_basis(lm_linearized *l, double *Y)
{
    size_t nv = (size_t)l->sys->nv;
    if (!l->m.reactive) {
        memcpy(Y, l->Z, sizeof(double) * nv * (size_t)l->n);
        return LIMBER_OK;
    }
    for (size_t j = 0; j < (size_t)l->n; j++) Y[nv * j + (size_t)(l->na + l->nidle) + j] = 1;
    return lm_linearized_split(l, 1, 0, l->n, Y);
}

static limber_status reduce(lm_linearized *l, const double *F, const double *Y, double *R)
{
    size_t nv = (size_t)l->sys->nv, n = (size_t)l->n, k = 2 * n + (size_t)l->nu;
    double *Rr = lm_alloc(sizeof(double) * (n * k + n * n + nv + 1));
    double *work = Rr ? Rr + n * k : NULL, *Za = R; /* R is not needed between */
    if (!Rr || lm_modes_reduce(&l->m, l->m.M, l->n, Y, l->Z, l->M)) {
        lm_free(Rr);
        return LIMBER_MEMORY;
    }
    unbalanced(l, F, R, work);
    lm_dense_tmul(l->n, (int)k, (int)nv, Y, R, Rr);
    second_order(l, Rr, work);
    limber_status st = l->nmassless ? lm_linearized_condense(l) : accelerate(l, Rr);
    if (!st && !l->nmassless) {
        first_order(l, Rr);
        lm_dense_mul((int)nv, (int)k, l->n, l->Z, Rr, Za);
        for (size_t i = 0; i < nv * k; i++) l->da[i] += Za[i];
    }
    if (!st) {
        unbalanced(l, F, R, work);
        st = react(l, R);
    }
    lm_free(Rr);
    return st;
}

limber_status lm_linearized_matrices(lm_linearized *l)
{
    size_t nv = (size_t)l->sys->nv, n = (size_t)l->n, k = 2 * n + (size_t)l->nu;
    lm_arena temp = {0};
    double *F = LM_NEW_N(&temp, double, nv *(size_t)l->nu + 1);
    double *Y = LM_NEW_N(&temp, double, nv *n + 1), *R = LM_NEW_N(&temp, double, nv *k + 1);
    limber_status st = F && Y && R ? LIMBER_OK : LIMBER_MEMORY;
    if (!st && input_forces(l, F))
        st = lm_fail(&l->failure, LIMBER_STOPPED, "the forces of the inputs cannot be evaluated");
    if (!st) directions(l);
    if (!st) st = left_basis(l, Y);
    if (!st) st = reduce(l, F, Y, R);
    lm_arena_free(&temp);
    return st;
}
