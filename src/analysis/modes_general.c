/* Modes with damping, or with forces that have no potential, on a basis of undamped modes: on
 * all of them (exact) or on the lowest (a projection).
 *
 *   damped:    (s^2 M + s D + K) x = 0
 *   undamped:  K x = lambda M x, lambda = -s^2, K or M not symmetric
 *
 * Both by a real shift and the inverse, so that the eigenvalues near zero are the accurate ones. */
#include "analysis/modes.h"

#include "math/eigen.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef struct root {
    double re, im; /* s, im >= 0 */
    double key;    /* order in the list */
    int col, pair; /* its vector: column of V; 1: with col + 1 as imaginary part, -1: minus that */
} root;

typedef struct general {
    lm_modes *m;
    const double *Y;
    int npure; /* rigid motions that nothing couples to: X's columns pure[.] */
    int *pure;
    int n; /* the others, gathered in Xb, Yb */
    double *Xb, *Yb;
    double *M, *D, *K, *T, *V, *re, *im;
    int size;  /* of T: n, or 2 n when damped */
    double s0; /* unit of s, and the shift */
    int nroots;
    root *roots;
    lm_arena arena;
} general;

static double largest(size_t n, const double *A)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(A[i]));
    return most;
}

/* ---- rigid motions ---- */

/* Columns of G^T for the rigid motion j: its couplings by A, without rounding. */
static void couplings(int n, const double *A, double rounding, int j, int rows, int row, double *Gt)
{
    size_t N = (size_t)n;
    double floor = rounding * largest(N * N, A);
    for (size_t i = 0; i < N; i++) {
        double a = A[N * (size_t)j + i], b = A[N * i + (size_t)j];
        Gt[(size_t)rows * (2 * i) + (size_t)row] = fabs(a) > floor ? a : 0;
        Gt[(size_t)rows * (2 * i + 1) + (size_t)row] = fabs(b) > floor ? b : 0;
    }
}

/* Turn the z rigid shapes so that those which D and K leave alone stand apart: they have the double
 * root s = 0, which the eigensolver would smear. */
static limber_status separate(general *e, int first, int z, const double *D, const double *K)
{
    lm_modes *m = e->m;
    size_t nv = (size_t)m->sys->nv, n = (size_t)m->n, Z = (size_t)z;
    double *X = m->X + nv * (size_t)first;
    double *Gt = lm_alloc(sizeof(double) * Z * 4 * n), *V = lm_alloc(sizeof(double) * Z * Z);
    double *XV = lm_alloc(sizeof(double) * nv * Z);
    int rank = 0, bad = !Gt || !V || !XV ? -1 : 0;
    for (int j = 0; j < z && !bad; j++) {
        couplings(m->n, D, 1e-10, first + j, z, j, Gt);
        couplings(m->n, K, 1e-12, first + j, z, j, Gt + Z * 2 * n);
    }
    if (!bad) bad = lm_null_space(z, 4 * m->n, Gt, 1e-8, V, &rank);
    if (!bad && rank > 0) {
        lm_dense_mul((int)nv, z, z, X, V, XV);
        memcpy(X, XV, sizeof(double) * nv * Z);
    }
    for (int j = rank; j < z && !bad; j++) e->pure[e->npure++] = first + j;
    lm_free(Gt);
    lm_free(V);
    lm_free(XV);
    return bad < 0 ? LIMBER_MEMORY : bad ? LIMBER_INTERNAL : LIMBER_OK;
}

static limber_status find_rigid(general *e)
{
    lm_modes *m = e->m;
    size_t N = (size_t)m->n * (size_t)m->n;
    int first = 0, z = 0;
    limber_status st = LIMBER_OK;
    while (first < m->n && m->lambda[first] < -m->slack[first]) first++;
    while (first + z < m->n && m->lambda[first + z] <= m->slack[first + z]) z++;
    if (z == 0 || m->implicit) return st;
    double *D = lm_alloc(sizeof(double) * 2 * N), *K = D ? D + N : NULL;
    if (!D || lm_modes_reduce(m, m->D, m->n, m->X, m->X, D) ||
        lm_modes_reduce(m, m->K, m->n, m->X, m->X, K))
        st = LIMBER_MEMORY;
    if (!st) st = separate(e, first, z, D, K);
    lm_free(D);
    return st;
}

/* ---- the reduced problem ---- */

static int is_pure(const general *e, int j)
{
    for (int k = 0; k < e->npure; k++)
        if (e->pure[k] == j) return 1;
    return 0;
}

static limber_status gather(general *e)
{
    lm_modes *m = e->m;
    size_t nv = (size_t)m->sys->nv, n = (size_t)(m->n - e->npure), N = n * n;
    e->n = (int)n;
    e->size = m->damped ? 2 * e->n : e->n;
    size_t S = (size_t)e->size;
    e->Xb = LM_NEW_N(&e->arena, double, nv *n + 1);
    e->Yb = LM_NEW_N(&e->arena, double, nv *n + 1);
    e->M = LM_NEW_N(&e->arena, double, 3 * N + 1);
    e->T = LM_NEW_N(&e->arena, double, S *S + 1);
    e->V = LM_NEW_N(&e->arena, double, S *S + 1);
    e->re = LM_NEW_N(&e->arena, double, 2 * S + 1);
    e->roots = LM_NEW_N(&e->arena, root, S + 1);
    if (!e->Xb || !e->Yb || !e->M || !e->T || !e->V || !e->re || !e->roots) return LIMBER_MEMORY;
    e->D = e->M + N, e->K = e->D + N, e->im = e->re + S;
    for (size_t j = 0, to = 0; j < (size_t)m->n; j++) {
        if (is_pure(e, (int)j)) continue;
        memcpy(e->Xb + nv * to, m->X + nv * j, sizeof(double) * nv);
        memcpy(e->Yb + nv * to++, e->Y + nv * j, sizeof(double) * nv);
    }
    return lm_modes_reduce(m, m->M, e->n, e->Yb, e->Xb, e->M) ||
                   lm_modes_reduce(m, m->D, e->n, e->Yb, e->Xb, e->D) ||
                   lm_modes_reduce(m, m->K, e->n, e->Yb, e->Xb, e->K)
               ? LIMBER_MEMORY
               : LIMBER_OK;
}

/* The unit of s: where the wanted modes are. */
static double unit_of_s(const general *e)
{
    const lm_modes *m = e->m;
    size_t N = (size_t)e->n * (size_t)e->n;
    int last = (m->count < m->n ? m->count : m->n) - 1;
    double lambda = fabs(m->lambda[last]);
    if (lambda > m->slack[last]) return sqrt(lambda);
    double mass = largest(N, e->M), damping = largest(N, e->D), stiffness = largest(N, e->K);
    return damping > 0 ? damping / mass : stiffness > 0 ? sqrt(stiffness / mass) : 1;
}

/* R [n x k] = (K + s0 D + s0^2 M)^-1 R. */
static int solve_shifted(int n, const double *M, const double *D, const double *K, double s0, int k,
                         double *R)
{
    size_t N = (size_t)n * (size_t)n;
    double *P = lm_alloc(sizeof(double) * N);
    if (!P) return -1;
    for (size_t i = 0; i < N; i++) P[i] = K[i] + s0 * D[i] + s0 * s0 * M[i];
    int bad = lm_dense_solve(n, P, k, R);
    lm_free(P);
    return bad;
}

/* x = -P^-1 (M w0 + (D + s0 M) x0), w = x0 + s0 x. */
int lm_modes_shifted_inverse(int n, const double *M, const double *D, const double *K, double s0,
                             double *T)
{
    size_t N = (size_t)n, S = 2 * N;
    double *R = lm_alloc(sizeof(double) * 2 * N * N);
    if (!R) return -1;
    for (size_t i = 0; i < N * N; i++) {
        R[i] = -(D[i] + s0 * M[i]);
        R[N * N + i] = -M[i];
    }
    int bad = solve_shifted(n, M, D, K, s0, (int)S, R);
    for (size_t c = 0; c < S && !bad; c++)
        for (size_t r = 0; r < N; r++) {
            T[S * c + r] = R[N * c + r];
            T[S * c + N + r] = s0 * R[N * c + r] + (r == c ? 1 : 0);
        }
    lm_free(R);
    return bad;
}

/* (K + s0^2 M)^-1 M, eigenvalues 1/(lambda + s0^2). */
static int undamped_matrix(general *e, double s0)
{
    memcpy(e->T, e->M, sizeof(double) * (size_t)e->n * (size_t)e->n);
    return solve_shifted(e->n, e->M, e->D, e->K, s0, e->n, e->T);
}

static limber_status eigenvalues(general *e)
{
    double s0 = e->s0 = unit_of_s(e);
    int bad = 1;
    for (int k = 0; k < 8 && bad > 0; k++, s0 *= 1.37) { /* an eigenvalue may sit on the shift */
        bad = e->m->damped ? lm_modes_shifted_inverse(e->n, e->M, e->D, e->K, s0, e->T)
                           : undamped_matrix(e, s0);
        if (!bad) bad = lm_general_eigen(e->size, e->T, e->re, e->im, e->V);
        if (!bad) e->s0 = s0;
    }
    if (bad < 0) return LIMBER_MEMORY;
    return bad ? lm_fail(&e->m->failure, LIMBER_STOPPED, "the eigenvalues do not converge")
               : LIMBER_OK;
}

/* ---- the roots ---- */

static void put_root(general *e, double re, double im, int col, int pair)
{
    double size = re * re + im * im;
    e->roots[e->nroots++] = (root){re, im, im == 0 && re > 0 ? -size : size, col, pair};
}

/* lambda = a - i b, b > 0, with the vector v of column col. Of the four roots +-sqrt(-lambda),
 * conjugates included, two have im > 0: one grows, with v, one decays, with the conjugate of v.
 * Equal lambda that rounding has made a pair are two real ones. */
static void flutter(general *e, double a, double b, int col)
{
    double size = hypot(a, b);
    if (b <= 1e-7 * size) {
        for (int k = 0; k < 2; k++)
            put_root(e, a < 0 ? sqrt(-a) : 0, a < 0 ? 0 : sqrt(a), col + k, 0);
        return;
    }
    double complex s = csqrt(CMPLX(-a, -b)); /* re > 0, im < 0 */
    put_root(e, -creal(s), -cimag(s), col, -1);
    put_root(e, creal(s), -cimag(s), col, 1);
}

static void collect(general *e)
{
    double most = 0, shift = e->m->damped ? e->s0 : -e->s0 * e->s0;
    for (int j = 0; j < e->size; j++) most = fmax(most, hypot(e->re[j], e->im[j]));
    for (int j = 0; j < e->size; j++) {
        double re = e->re[j], im = e->im[j], size = re * re + im * im;
        if (im < 0 || sqrt(size) <= 1e-14 * most) continue; /* the pair's other; infinite */
        double a = shift + re / size, b = -im / size;       /* shift + 1/mu */
        if (e->m->damped)                                   /* b < 0: the conjugate's shape */
            put_root(e, a, fabs(b), j, im == 0 ? 0 : -1);
        else if (im == 0)
            put_root(e, a < 0 ? sqrt(-a) : 0, a < 0 ? 0 : sqrt(a), j, 0);
        else
            flutter(e, a, fabs(b), j);
    }
    for (int i = 1; i < e->nroots; i++)
        for (int j = i; j > 0 && e->roots[j].key < e->roots[j - 1].key; j--) {
            root keep = e->roots[j];
            e->roots[j] = e->roots[j - 1];
            e->roots[j - 1] = keep;
        }
}

/* ---- the modes ---- */

static void combine(const general *e, const double *c, double sign, double *x)
{
    size_t nv = (size_t)e->m->sys->nv;
    for (size_t j = 0; j < (size_t)e->n; j++)
        for (size_t i = 0; i < nv; i++) x[i] += sign * c[j] * e->Xb[nv * j + i];
}

static void put_mode(general *e, const root *r, lm_mode *o)
{
    const lm_modes *m = e->m;
    size_t nv = (size_t)m->sys->nv, S = (size_t)e->size;
    double mass, lambda[2] = {0}, slack;
    memset(o->shape, 0, sizeof(double) * nv);
    memset(o->imag, 0, sizeof(double) * nv);
    combine(e, e->V + S * (size_t)r->col, 1, o->shape);
    if (r->pair) combine(e, e->V + S * (size_t)(r->col + 1), r->pair, o->imag);
    mass = lm_modes_form(m, m->M, o->shape, NULL) + lm_modes_form(m, m->M, o->imag, NULL);
    for (size_t i = 0; i < nv && mass > 0; i++) {
        o->shape[i] /= sqrt(mass);
        o->imag[i] /= sqrt(mass);
    }
    slack = lm_modes_slack(m, o->shape, &lambda[0]) + lm_modes_slack(m, o->imag, &lambda[1]);
    o->re = r->re, o->im = r->im;
    if (o->re * o->re + o->im * o->im <= slack + 1e-22 * e->s0 * e->s0)
        o->kind = LIMBER_MODE_RIGID, o->re = o->im = 0;
    else
        o->kind = o->im > 0   ? LIMBER_MODE_VIBRATES
                  : o->re > 0 ? LIMBER_MODE_GROWS
                              : LIMBER_MODE_DECAYS;
}

/* A double root 0 that rounding has made s and -s: the second of the two is no mode of its own. */
static int repeats(const general *e, int k)
{
    const root *r = &e->roots[k];
    for (int i = 0; i < k && r->im == 0; i++)
        if (e->roots[i].im == 0 && fabs(e->roots[i].re + r->re) <= 1e-2 * fabs(r->re)) return 1;
    return 0;
}

/* The list in its order: what grows, rigid motions, then by |s|. */
static limber_status put_modes(general *e)
{
    lm_modes *m = e->m;
    size_t nv = (size_t)m->sys->nv;
    int all = e->npure + e->nroots, next = 0, pure = 0;
    if (m->available >= 0) m->available = all;
    limber_status st = lm_modes_new(m, all < m->count ? all : m->count, 1);
    for (int j = 0; j < m->found && !st; j++) {
        lm_mode *o = &m->mode[j];
        if (pure < e->npure && (next == e->nroots || e->roots[next].key >= 0)) {
            memcpy(o->shape, m->X + nv * (size_t)e->pure[pure++], sizeof(double) * nv);
            o->kind = LIMBER_MODE_RIGID;
            continue;
        }
        put_mode(e, &e->roots[next++], o);
        if (o->kind != LIMBER_MODE_RIGID || !repeats(e, next - 1)) continue;
        m->available -= m->available >= 0;
        all--, j--;
        m->found = all < m->count ? all : m->count;
    }
    return st;
}

limber_status lm_modes_general(lm_modes *m, const double *Y)
{
    general e = {.m = m, .Y = Y};
    e.pure = LM_NEW_N(&e.arena, int, m->n + 1);
    limber_status st = e.pure ? find_rigid(&e) : LIMBER_MEMORY;
    if (!st) st = gather(&e);
    if (!st && e.n > 0) st = eigenvalues(&e);
    if (!st && e.n > 0) collect(&e);
    if (!st) st = put_modes(&e);
    lm_arena_free(&e.arena);
    return st;
}
