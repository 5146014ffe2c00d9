/* Which motions are independent, and how the others follow them. */
#include "analysis/linearize.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define STEP 1e-3 /* of differences, over the size or in radians; two of them, extrapolated */

/* ---- the state ---- */

/* Rows of Z that are as independent of each other as can be: always the one of which most is left
 * beside those taken (Gram-Schmidt on rows, in units of each kind); of equal ones the first. */
static int choose_rows(lm_linearized *l, const double *Z)
{
    size_t nv = (size_t)l->sys->nv, n = (size_t)l->n;
    double *T = lm_alloc(sizeof(double) * (nv * n + nv + 1)), *left = T ? T + nv * n : NULL;
    if (!T) return -1;
    for (size_t i = 0; i < nv; i++)
        for (size_t j = 0; j < n; j++) {
            T[n * i + j] = Z[nv * j + i] / l->m.unit[i];
            left[i] += T[n * i + j] * T[n * i + j];
        }
    for (size_t k = 0; k < n; k++) {
        size_t best = 0;
        for (size_t i = 1; i < nv; i++)
            if (left[i] > left[best] * (1 + 1e-6)) best = i;
        const double *e = T + n * best;
        double norm = 0;
        for (size_t j = 0; j < n; j++) norm += e[j] * e[j];
        l->state[k] = (int)best;
        for (size_t i = 0; i < nv; i++) {
            double *x = T + n * i, dot = 0;
            if (i == best || left[i] < 0) continue;
            for (size_t j = 0; j < n; j++) dot += x[j] * e[j];
            left[i] = 0;
            for (size_t j = 0; j < n; j++) {
                x[j] -= dot / norm * e[j];
                left[i] += x[j] * x[j];
            }
        }
        left[best] = -1;
    }
    lm_free(T);
    return 0;
}

static void sort(int n, int *x)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
            int keep = x[j];
            x[j] = x[j - 1];
            x[j - 1] = keep;
        }
}

/* ---- idle rotations ---- */

/* A = the inertia that idle rotations (lm_body.idle) have been given, B = all; 0, 1, -1. */
static int idle_inertia(const lm_linearized *l, double *A, double *B)
{
    lm_system *sys = l->sys;
    const lm_pattern *p = &sys->pattern;
    const lm_integrator *g = l->m.g;
    lm_state s = {l->t, g->q, l->m.zero, l->m.zero, g->lam};
    size_t nv = (size_t)sys->nv;
    double *with = lm_alloc(sizeof(double) * 2 * (size_t)(p->nnz + 1)), *none = with + p->nnz;
    if (!with) return -1;
    int bad = sys->form->jacobian(sys, &s, 1, 0, 0, with);
    sys->hold_idle = 1;
    bad = bad || sys->form->jacobian(sys, &s, 1, 0, 0, none);
    sys->hold_idle = 0;
    for (int c = 0; c < sys->nv; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1] && p->rowind[k] < sys->nv; k++) {
            A[nv * (size_t)c + (size_t)p->rowind[k]] = with[k] - none[k];
            B[nv * (size_t)c + (size_t)p->rowind[k]] = with[k];
        }
    lm_free(with);
    return bad;
}

/* A = sum c c^T by pivots: the vectors c into l->idle, so that c . v = 0 without idle rotations. */
static void idle_vectors(lm_linearized *l, double *A, const double *B)
{
    size_t nv = (size_t)l->sys->nv, moving = nv - (size_t)l->sys->nvariables;
    while (l->nidle < l->n) {
        size_t at = 0;
        double most = 1e-7;
        for (size_t i = 0; i < moving; i++)
            if (A[nv * i + i] > most * B[nv * i + i]) at = i, most = A[nv * i + i] / B[nv * i + i];
        if (most <= 1e-7) return;
        double *c = l->idle + nv * (size_t)l->nidle++, root = sqrt(A[nv * at + at]);
        for (size_t i = 0; i < nv; i++) c[i] = A[nv * at + i] / root;
        for (size_t i = 0; i < nv; i++)
            for (size_t j = 0; j < nv; j++) A[nv * i + j] -= c[i] * c[j];
        double unit = l->m.unit[at] / root; /* of the size of constraints */
        for (size_t i = 0; i < nv; i++) c[i] *= unit;
    }
}

/* Columns of Z, free motions, made such that they have no part of c; one less. */
static void leave_out(lm_linearized *l, const double *c, double *Z, int n)
{
    size_t nv = (size_t)l->sys->nv, pivot = 0;
    double *part = l->dv, *last = Z + nv * (size_t)(n - 1); /* dv is not needed yet */
    for (size_t j = 0; j < (size_t)n; j++) {
        part[j] = 0;
        for (size_t i = 0; i < nv; i++) part[j] += c[i] * Z[nv * j + i];
        if (fabs(part[j]) > fabs(part[pivot])) pivot = j;
    }
    const double *p = Z + nv * pivot;
    for (size_t j = 0; j < (size_t)n && part[pivot] != 0; j++)
        for (size_t i = 0; i < nv && j != pivot; i++) Z[nv * j + i] -= part[j] / part[pivot] * p[i];
    memmove(Z + nv * pivot, last, sizeof(double) * nv);
    memset(part, 0, sizeof(double) * (size_t)n);
}

/* Nothing notices idle rotations: they are no states, and count as constraints without reactions. */
static limber_status leave_idle_out(lm_linearized *l, double *Z)
{
    const lm_model *m = l->sys->model;
    size_t nv = (size_t)l->sys->nv;
    int some = 0;
    for (int i = 0; i < m->nbodies; i++)
        for (int k = 0; k < 9; k += 4) some |= m->bodies[i].idle.m[k] > 0;
    if (!some) return LIMBER_OK;
    double *A = lm_alloc(sizeof(double) * (2 * nv * nv + 1));
    l->idle = LM_NEW_N(&l->arena, double, nv *(size_t)l->n + 1);
    int bad = A && l->idle ? idle_inertia(l, A, A + nv * nv) : -1;
    if (!bad) idle_vectors(l, A, A + nv * nv);
    for (int k = 0; k < l->nidle; k++) leave_out(l, l->idle + nv * (size_t)k, Z, l->n - k);
    l->n2 = l->n -= l->nidle;
    l->moving -= l->nidle;
    lm_free(A);
    return bad ? LIMBER_MEMORY : LIMBER_OK;
}

static limber_status choose_state(lm_linearized *l)
{
    size_t nv = (size_t)l->sys->nv;
    int rank = 0;
    double *Z = lm_alloc(sizeof(double) * (nv * nv + 1));
    limber_status st = Z ? lm_modes_basis(&l->m, 0, Z, &rank) : LIMBER_MEMORY;
    for (int k = 0; k < l->sys->nl; k++)
        if (l->sys->active[k]) l->row[l->na++] = k;
    if (!st && rank != l->na)
        st = lm_fail(&l->failure, LIMBER_STOPPED,
                     "the joints are in a singular position: what they leave free is "
                     "not a matter of small motions");
    if (!st) st = leave_idle_out(l, Z + nv * (size_t)rank);
    if (!st && l->states_of)
        memcpy(l->state, l->states_of, sizeof(int) * (size_t)l->n);
    else if (!st && choose_rows(l, Z + nv * (size_t)rank))
        st = LIMBER_MEMORY;
    if (!st) sort(l->n, l->state);
    lm_free(Z);
    return st;
}

limber_status lm_linearized_split(lm_linearized *l, int columns, int transposed, int k, double *X)
{
    const lm_pattern *p = &l->sys->pattern;
    int nv = l->sys->nv;
    size_t N = (size_t)nv, across = transposed ? 1 : N, down = transposed ? N : 1;
    double *A = lm_alloc(sizeof(double) * (N * N + 1));
    if (!A) return LIMBER_MEMORY;
    for (int r = 0; r < l->na; r++)
        for (int i = 0; i < nv; i++) {
            int row = nv + l->row[r];
            int at = columns ? lm_pattern_find(p, i, row) : lm_pattern_find(p, row, i);
            A[across * (size_t)i + down * (size_t)r] = at < 0 ? 0 : l->m.K[at];
        }
    int first = l->na + l->nidle;
    for (int c = 0; c < l->nidle; c++)
        for (size_t i = 0; i < N; i++)
            A[across * i + down * (size_t)(l->na + c)] = l->idle[N * (size_t)c + i];
    for (int j = 0; j < l->n; j++) A[across * (size_t)l->state[j] + down * (size_t)(first + j)] = 1;
    int bad = lm_dense_solve(nv, A, k, X);
    lm_free(A);
    if (bad < 0) return LIMBER_MEMORY;
    return bad ? lm_fail(&l->failure, LIMBER_STOPPED,
                         "the constraints do not determine their motions or reactions")
               : LIMBER_OK;
}

/* ---- differences along a direction ---- */

typedef struct line {
    const lm_linearized *l;
    const double *dx, *dv; /* NULL: none */
    int accel;             /* d2 phi/dt2, else d phi/dt */
    double *q, *v, *at;    /* [nq], [nv], [nl] scratch */
} line;

/* out += w phi(s) of the rate or acceleration of the constraints at the place s of the line. */
static int add_place(const line *k, double s, double w, double *out)
{
    const lm_linearized *l = k->l;
    lm_system *sys = l->sys;
    const lm_integrator *g = l->m.g;
    for (int i = 0; i < sys->nv; i++) k->v[i] = k->dx ? s * k->dx[i] : 0;
    if (sys->form->retract(sys, g->q, k->v, k->q)) return 1;
    for (int i = 0; i < sys->nv; i++) k->v[i] = g->v[i] + (k->dv ? s * k->dv[i] : 0);
    lm_state at = {l->t, k->q, k->v, g->a, g->lam};
    int bad = k->accel ? sys->form->constraint_accel(sys, &at, k->at)
                       : sys->form->constraint_rate(sys, &at, k->at);
    for (int r = 0; r < l->na; r++) out[r] += w * k->at[l->row[r]];
    return bad;
}

static double largest(const lm_linearized *l, const double *x, int angles)
{
    double most = 0;
    for (int i = 0; x && i < l->sys->nv - l->sys->nvariables; i++)
        if (!angles || l->sys->angular[i]) most = fmax(most, fabs(x[i]) / l->m.unit[i]);
    return most;
}

/* out[na] = d/ds, by central differences with steps h and h/2. */
static int along(const line *k, double *out)
{
    double speed = largest(k->l, k->l->m.g->v, 0);
    double moves = fmax(largest(k->l, k->dx, 0), largest(k->l, k->dv, 0) / fmax(1, speed));
    double h = STEP / moves;
    int bad = 0;
    memset(out, 0, sizeof(double) * (size_t)k->l->na);
    if (moves == 0) return 0; /* a variable: constraints do not know it */
    for (int side = -1; side < 2 && !bad; side += 2) {
        bad |= add_place(k, side * h, -side / (6 * h), out);
        bad |= add_place(k, side * h / 2, 4 * side / (3 * h), out);
    }
    return bad;
}

/* ---- axes that turn ---- */

/* out += w L(x, y), L the part of the rate of local coordinates x at velocities y that is linear in
 * x. Its odd terms end with it, so that differences are exact. */
static void add_rate(const lm_linearized *l, const double *x, const double *y, double w,
                     double *out, double *work)
{
    const lm_system *sys = l->sys;
    int nv = sys->nv;
    double h = STEP / fmax(1e-300, largest(l, x, 1)), *step = work, *rate = work + nv;
    if (largest(l, x, 1) == 0) return;
    for (int side = -1; side < 2; side += 2) {
        for (int i = 0; i < nv; i++) step[i] = side * h * x[i];
        sys->form->local_rate(sys, step, y, rate);
        for (int i = 0; i < nv; i++) out[i] += w * side / (2 * h) * rate[i];
    }
}

/* out = Omega x: how vectors that turn with their bodies change. */
static int turn(const lm_linearized *l, const double *x, double *out, double *work)
{
    lm_system *sys = l->sys;
    const lm_integrator *g = l->m.g;
    int nv = sys->nv;
    double spin = largest(l, g->v, 1), h = spin > 0 ? STEP / spin : 0;
    double *step = work, *turned = work + nv, *q = work + 2 * nv;
    memset(out, 0, sizeof(double) * (size_t)nv);
    for (int k = 0; k < 4 && h > 0; k++) {
        double side = k % 2 ? 1 : -1, s = side * (k < 2 ? h : h / 2);
        double w = k < 2 ? -side / (6 * h) : 4 * side / (3 * h);
        for (int i = 0; i < nv; i++) step[i] = s * g->v[i];
        if (sys->form->retract(sys, g->q, step, q)) return 1;
        sys->form->carry(sys, g->q, q, x, turned);
        for (int i = 0; i < nv; i++) out[i] += w * turned[i];
    }
    return 0;
}

/* S = (W - Omega) Z, OZ, OG: rows of the state. */
static int turning_axes(lm_linearized *l, double *work)
{
    size_t nv = (size_t)l->sys->nv, n = (size_t)l->n;
    double *wz = work, *oz = wz + nv, *og = oz + nv, *rest = og + nv;
    const double *v = l->m.g->v;
    for (size_t j = 0; j < n; j++) {
        const double *z = l->Z + nv * j;
        memset(wz, 0, sizeof(double) * nv);
        add_rate(l, z, v, 1, wz, rest);
        add_rate(l, v, z, -1, wz, rest);
        if (turn(l, z, oz, rest) || turn(l, l->G + nv * j, og, rest)) return 1;
        for (size_t i = 0; i < n; i++) {
            size_t at = (size_t)l->state[i];
            l->S[n * j + i] = wz[at] - oz[at];
            l->OZ[n * j + i] = oz[at];
            l->OG[n * j + i] = og[at];
        }
    }
    return 0;
}

/* ---- the dependent motions ---- */

/* X = -[P; E]^-1 [d phi; 0], d phi the differences along the lines. */
static limber_status follow(lm_linearized *l, line *k, const double *dx, const double *dv,
                            double *X)
{
    size_t nv = (size_t)l->sys->nv;
    memset(X, 0, sizeof(double) * nv * (size_t)l->n);
    for (size_t j = 0; j < (size_t)l->n; j++) {
        k->dx = dx ? dx + nv * j : NULL;
        k->dv = dv ? dv + nv * j : NULL;
        if (along(k, X + nv * j))
            return lm_fail(&l->failure, LIMBER_STOPPED,
                           "the constraints cannot be evaluated near the state");
        for (int r = 0; r < l->na; r++) X[nv * j + (size_t)r] *= -1;
    }
    return lm_linearized_split(l, 0, 0, l->n, X);
}

/* Where something moves: G, so that phi. stays 0, Py and Pw, so that phi.. does. */
static limber_status moving(lm_linearized *l)
{
    size_t nv = (size_t)l->sys->nv, nq = (size_t)l->sys->nq, nl = (size_t)l->sys->nl;
    double *work = lm_alloc(sizeof(double) * (5 * nv + nq + nl + 1));
    if (!work) return LIMBER_MEMORY;
    line k = {.l = l, .q = work, .v = work + nq, .at = work + nq + nv};
    limber_status st = l->na ? follow(l, &k, l->Z, NULL, l->G) : LIMBER_OK;
    k.accel = 1;
    if (!st && l->na) st = follow(l, &k, l->Z, l->G, l->Py);
    if (!st && l->na) st = follow(l, &k, NULL, l->Z, l->Pw);
    if (!st && turning_axes(l, work))
        st = lm_fail(&l->failure, LIMBER_STOPPED,
                     "the positions cannot be evaluated near the state");
    lm_free(work);
    return st;
}

limber_status lm_linearized_motion(lm_linearized *l)
{
    size_t nv = (size_t)l->sys->nv;
    limber_status st = choose_state(l);
    if (st || l->n == 0) return st;
    for (size_t j = 0; j < (size_t)l->n; j++) l->Z[nv * j + (size_t)(l->na + l->nidle) + j] = 1;
    st = lm_linearized_split(l, 0, 0, l->n, l->Z);
    if (!st) st = lm_linearized_massless(l);
    if (!st && l->v) st = moving(l);
    if (!st && l->v) st = lm_linearized_in_states(l, l->S);
    if (!st && l->v) st = lm_linearized_in_states(l, l->OZ);
    if (!st && l->v) st = lm_linearized_in_states(l, l->OG);
    return st;
}
