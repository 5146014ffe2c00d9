/* Undamped modes of a small system: the motions that the constraints leave as a dense basis, and
 * the symmetric eigenproblem on it. */
#include "analysis/modes.h"

#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

limber_status lm_modes_basis(const lm_modes *m, int columns, double *Z, int *rank)
{
    const lm_system *sys = m->sys;
    const lm_pattern *p = &sys->pattern;
    size_t nv = (size_t)sys->nv, na = 0;
    double *A = lm_alloc(sizeof(double) * (nv * (size_t)(sys->nl + 1) + 1));
    if (!A) return LIMBER_MEMORY;
    for (int k = 0; k < sys->nl; k++) { /* one column of A for each active row */
        if (!sys->active[k]) continue;
        double *a = A + nv * na++, sum = 0;
        for (int i = 0; i < sys->nv; i++) {
            int at =
                columns ? lm_pattern_find(p, i, sys->nv + k) : lm_pattern_find(p, sys->nv + k, i);
            a[i] = at < 0 ? 0 : m->K[at] * m->unit[i];
            sum += a[i] * a[i];
        }
        for (size_t i = 0; i < nv && sum > 0; i++) a[i] /= sqrt(sum);
    }
    int bad = lm_null_space(sys->nv, (int)na, A, 1e-9, Z, rank);
    for (size_t j = 0; j < nv; j++)
        for (size_t i = 0; i < nv && !bad; i++) Z[nv * j + i] *= m->unit[i];
    lm_free(A);
    return bad < 0 ? LIMBER_MEMORY : bad ? LIMBER_INTERNAL : LIMBER_OK;
}

static double trace(int n, const double *A)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)n; i++) sum += fabs(A[(size_t)n * i + i]);
    return sum;
}

static void symmetrise(int n, double *A)
{
    size_t N = (size_t)n;
    for (size_t c = 0; c < N; c++)
        for (size_t r = 0; r < c; r++)
            A[N * c + r] = A[N * r + c] = 0.5 * (A[N * c + r] + A[N * r + c]);
}

/* M c = mu (K + sigma M) c, so that motions without stiffness and without mass are both regular:
 * omega^2 = 1/mu - sigma. C: vectors, mu ascending. 0; 1: sigma is too small; -1 no memory. */
static int shifted(int n, const double *M, const double *K, double sigma, double *C, double *work,
                   double *mu)
{
    size_t N = (size_t)n * (size_t)n;
    memcpy(C, M, sizeof(double) * N);
    for (size_t i = 0; i < N; i++) work[i] = K[i] + sigma * M[i];
    return lm_symmetric_eigen(n, C, work, mu);
}

/* Where K + sigma M is singular, a motion may have neither mass nor stiffness. V: vectors of K +
 * sigma M, those motions first; *empty: how many. sigma may also meet an unstable motion, which
 * has mass. */
static int without_both(int n, const double *M, const double *K, double sigma, double *V,
                        double *work, double *w, int *empty)
{
    size_t N = (size_t)n;
    memset(work, 0, sizeof(double) * N * N);
    for (size_t i = 0; i < N; i++) work[N * i + i] = 1;
    for (size_t i = 0; i < N * N; i++) V[i] = K[i] + sigma * M[i];
    int bad = lm_symmetric_eigen(n, V, work, w), zeros = 0;
    double least = 1e-13 * (trace(n, K) + sigma * trace(n, M)), mass = 0;
    while (!bad && zeros < n && fabs(w[zeros]) <= least) zeros++;
    lm_dense_mul(n, zeros, n, M, V, work);
    for (size_t i = 0; i < N * (size_t)zeros; i++) mass = fmax(mass, fabs(work[i]));
    *empty = mass <= 1e-12 * trace(n, M) ? zeros : 0;
    return bad;
}

/* The first shift: stiffness over mass as a whole, more where motions are unstable. 0; 1: there
 * is none, and *empty motions have neither mass nor stiffness (C: all motions, those first); -1:
 * no memory. */
static int first_shift(int n, const double *M, const double *K, double *sigma, double *C,
                       double *work, double *mu, int *empty)
{
    double mass = trace(n, M), stiffness = trace(n, K);
    *sigma = mass > 0 && stiffness > 0 ? stiffness / mass : 1;
    int bad = shifted(n, M, K, *sigma, C, work, mu);
    for (int k = 0; k < 20 && bad > 0; k++) {
        bad = without_both(n, M, K, *sigma, C, work, mu, empty);
        if (bad || *empty) return bad ? bad : 1;
        bad = shifted(n, M, K, *sigma *= 10, C, work, mu);
    }
    return bad;
}

/* How many of the first mu are zero within rounding: motions without mass. */
static int count_massless(int n, const double *mu)
{
    int k = 0;
    while (k < n && mu[k] <= 1e-14 * mu[n - 1]) k++;
    return k;
}

/* The shift decides which modes are accurate: those not much above it. The first shows where the
 * wanted modes are; come down to them. */
static int solve(const lm_modes *m, int n, const double *M, const double *K, double *C,
                 double *work, double *mu, int *massless, int *empty)
{
    double sigma;
    int bad = first_shift(n, M, K, &sigma, C, work, mu, empty);
    if (bad) return bad;
    *massless = count_massless(n, mu);
    int last = n - m->count > *massless ? n - m->count : *massless; /* the highest of the wanted */
    if (last == n) return 0;
    double lowest = 1 / mu[n - 1] - sigma, highest = 1 / mu[last] - sigma;
    double better = fmax(fmax(fabs(highest), 3 * fmax(0, -lowest)), 1e-12 * sigma);
    if (better > 1e-2 * sigma) return 0;
    bad = shifted(n, M, K, better, C, work, mu);
    if (bad > 0) bad = shifted(n, M, K, sigma, C, work, mu);
    if (!bad) *massless = count_massless(n, mu);
    return bad;
}

/* Those that are massless but for rounding, which the shift may lift above zero: c moves next to nothing
 * of the mass, against the size of its motion. */
static int lacks_mass(const lm_modes *m, int n, const double *Z, const double *c, double *x)
{
    lm_dense_mul(m->sys->nv, 1, n, Z, c, x);
    double size = lm_modes_largest(m, x);
    return lm_modes_form(m, m->M, x, NULL) <= 1e-13 * lm_modes_trace(m, m->M) * size * size;
}

/* X = Z C without the massless ones; the largest mu, the lowest frequency, comes last. */
static limber_status shapes(lm_modes *m, int n, int massless, const double *Z, const double *C)
{
    size_t nv = (size_t)m->sys->nv;
    double *x = lm_alloc(sizeof(double) * (nv + 1));
    if (!x) return LIMBER_MEMORY;
    while (m->sys->massless && massless < n &&
           lacks_mass(m, n, Z, C + (size_t)n * (size_t)massless, x))
        massless++;
    lm_free(x);
    m->available = n - massless;
    if (lm_modes_reserve(m, n - massless)) return LIMBER_MEMORY;
    lm_dense_mul((int)nv, m->n, n, Z, C + (size_t)n * (size_t)massless, m->X);
    return LIMBER_OK;
}

/* Leave the first `empty` of the motions Z V out, for good: Z [nv x n] becomes what is left. */
static limber_status leave_out(lm_modes *m, int n, int empty, double *Z, const double *V)
{
    size_t nv = (size_t)m->sys->nv;
    double *ZV = lm_alloc(sizeof(double) * nv * (size_t)n), most = 0;
    if (!ZV) return LIMBER_MEMORY;
    lm_dense_mul((int)nv, n, n, Z, V, ZV);
    for (size_t i = 0; i < nv; i++) {
        double size = fabs(ZV[i]) / m->unit[i];
        if (size > most * (1 + 1e-6)) most = size, m->left_out_at = (int)i;
    }
    m->left_out += empty;
    memcpy(Z, ZV + nv * (size_t)empty, sizeof(double) * nv * (size_t)(n - empty));
    lm_free(ZV);
    return LIMBER_OK;
}

/* Modes on the motions Z [nv x n]; *empty > 0: none yet, motions were left out of Z. */
static limber_status reduced(lm_modes *m, int n, double *Z, int *empty)
{
    size_t N = (size_t)n * (size_t)n;
    double *M = lm_alloc(sizeof(double) * (4 * N + (size_t)n + 1));
    double *K = M ? M + N : NULL, *C = M ? M + 2 * N : NULL;
    int massless = 0,
        bad = !M || lm_modes_reduce(m, m->M, n, Z, Z, M) || lm_modes_reduce(m, m->K, n, Z, Z, K)
                  ? -1
                  : 0;
    limber_status st = LIMBER_OK;
    if (!bad && n > 0) {
        symmetrise(n, M);
        symmetrise(n, K);
        bad = solve(m, n, M, K, C, C + N, C + 2 * N, &massless, empty);
    }
    if (bad < 0)
        st = LIMBER_MEMORY;
    else if (*empty)
        st = leave_out(m, n, *empty, Z, C);
    else if (bad)
        st = lm_fail(&m->failure, LIMBER_STOPPED,
                     "the mass matrix is not positive: no modes can be found");
    else
        st = shapes(m, n, massless, Z, C);
    lm_free(M);
    return st;
}

limber_status lm_modes_dense(lm_modes *m, double **Y)
{
    size_t nv = (size_t)m->sys->nv;
    int rank = 0, left = 0, empty = 0;
    double *Z = lm_alloc(sizeof(double) * (nv * nv + 1)), *W = NULL;
    limber_status st = Z ? lm_modes_basis(m, 0, Z, &rank) : LIMBER_MEMORY;
    int n = m->sys->nv - rank;
    if (!st && m->reactive) {
        W = LM_NEW_N(&m->arena, double, nv *nv + 1);
        st = W ? lm_modes_basis(m, 1, W, &left) : LIMBER_MEMORY;
    }
    m->method = "dense";
    if (!st) st = reduced(m, n, Z + nv * (size_t)rank, &empty);
    if (!st && empty) {
        int left_out = empty;
        empty = 0;
        st = reduced(m, n - left_out, Z + nv * (size_t)rank, &empty);
        if (!st && empty)
            st = lm_fail(&m->failure, LIMBER_STOPPED, "motions have neither mass nor stiffness");
    }
    lm_free(Z);
    if (!st && W && (left != rank || m->n != n))
        st = lm_fail(&m->failure, LIMBER_STOPPED,
                     "forces that depend on reactions leave motions undetermined");
    *Y = W ? W + nv * (size_t)rank : m->X;
    return st;
}

/* ---- what rounding of the stiffest leaves ---- */

/* 1: lambda is no zero, and no rounding of terms that cancel: a better shape would have another. */
static int is_doubtful(const lm_modes *m, int j)
{
    double size, lambda = m->lambda[j];
    lm_modes_form(m, m->K, m->X + (size_t)m->sys->nv * (size_t)j, &size);
    return fabs(lambda) > fmax(m->slack[j], 1e8 * DBL_EPSILON * size);
}

/* The shapes [*first, end) whose lambda is below what rounding of K, as the dense solver sees it, may
 * make of 0; end = *first where none of them is in doubt. */
static int doubtful(const lm_modes *m, int *first)
{
    size_t nv = (size_t)m->sys->nv;
    int end = *first = 0, doubt = 0;
    for (; end < m->n; end++) {
        double most = lm_modes_largest(m, m->X + nv * (size_t)end), lambda = m->lambda[end];
        double off = 1e2 * DBL_EPSILON * m->stiffness * most * most;
        if (lambda > off) break;
        if (lambda < -off)
            *first = end + 1;
        else
            doubt |= is_doubtful(m, end);
    }
    return doubt ? end : *first;
}

/* Take out of shape j what it has of the shapes outside [first, end), to first order. */
static void part_from_others(lm_modes *m, int j, int first, int end, double *Kx, double *Mx,
                             double *part)
{
    size_t nv = (size_t)m->sys->nv;
    double *x = m->X + nv * (size_t)j;
    lm_modes_mul(m, m->K, x, Kx);
    lm_modes_mul(m, m->M, x, Mx);
    memset(part, 0, sizeof(double) * nv);
    for (int k = 0; k < m->n; k++) {
        const double *y = m->X + nv * (size_t)k;
        double c = 0;
        if (k >= first && k < end) continue;
        for (size_t i = 0; i < nv; i++) c += y[i] * (Kx[i] - m->lambda[j] * Mx[i]);
        c /= m->lambda[k] - m->lambda[j];
        for (size_t i = 0; i < nv; i++) part[i] += c * y[i];
    }
    for (size_t i = 0; i < nv; i++) x[i] -= part[i];
}

/* Shapes of the dense solver are off by what rounding of the stiffest lambda is over their own, and
 * their quotients by the square of that: much, where terms of K do not cancel and show it. */
limber_status lm_modes_sharpen(lm_modes *m)
{
    size_t nv = (size_t)m->sys->nv;
    double *work = lm_alloc(sizeof(double) * (3 * nv + 1));
    int bad = work ? 0 : -1, first, end;
    for (int pass = 0; pass < 3 && bad == 0; pass++) {
        end = doubtful(m, &first);
        if (end == first) break;
        for (int j = first; j < end; j++)
            part_from_others(m, j, first, end, work, work + nv, work + 2 * nv);
        bad = lm_modes_ritz(m, m->K, first, end - first);
        lm_modes_rayleigh(m);
    }
    lm_free(work);
    return bad < 0 ? LIMBER_MEMORY : LIMBER_OK; /* shapes that coincide are not mixed */
}
