/* Poles and transfer functions, by the equations of second order of y alone:
 *
 *     w = y. - S y:    M y.. + (D - M S) y. + (K - D S) y = B2 u  */
#include "analysis/linearize.h"

#include "math/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 5 };
#define ZERO 1e-6 /* a double root comes out with half of the digits only */

static double trace(int n, const double *A)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)n; i++) sum += fabs(A[(size_t)n * i + i]);
    return sum;
}

/* D - M S and K - D S. */
static void of_position(const lm_linearized *l, double *D, double *K)
{
    size_t N = (size_t)l->n * (size_t)l->n;
    lm_dense_mul(l->n, l->n, l->n, l->M, l->S, D);
    lm_dense_mul(l->n, l->n, l->n, l->D, l->S, K);
    for (size_t i = 0; i < N; i++) {
        D[i] = l->D[i] - D[i];
        K[i] = l->K[i] - K[i];
    }
}

/* ---- poles ---- */

typedef struct roots {
    const lm_linearized *l;
    int undamped;
    double *D, *K;   /* [n x n] */
    double *T, *V;   /* [2n x 2n] */
    double *re, *im; /* [2n] eigenvalues of T, then the roots */
    double s0;       /* the shift; roots near it are the accurate ones */
} roots;

static int is_zero(const roots *e, int j) { return hypot(e->re[j], e->im[j]) <= ZERO * e->s0; }

/* s = s0 + 1/mu. 1: s0 is a root, or too near to one. */
static int find(roots *e, double s0)
{
    double most = 0;
    int bad = lm_modes_shifted_inverse(e->l->n, e->l->M, e->D, e->K, s0, e->T);
    if (!bad) bad = lm_general_eigen(2 * e->l->n, e->T, e->re, e->im, e->V);
    for (int j = 0; j < 2 * e->l->n && !bad; j++) most = fmax(most, hypot(e->re[j], e->im[j]));
    if (!bad && !(most < 1e3 / s0)) bad = 1;
    for (int j = 0; j < 2 * e->l->n && !bad; j++) {
        double re = e->re[j], im = e->im[j], size = re * re + im * im;
        e->re[j] = s0 + re / size;
        e->im[j] = -im / size;
    }
    e->s0 = s0;
    return bad;
}

/* The shift comes down to the slowest of the roots. */
static int find_near_slowest(roots *e)
{
    int n = e->l->n, bad = 1;
    double mass = trace(n, e->l->M), damping = trace(n, e->D), stiffness = trace(n, e->K);
    double s0 = stiffness > 0 ? sqrt(stiffness / mass) : damping > 0 ? damping / mass : 1;
    for (int k = 0; k < PASSES; k++) {
        bad = find(e, s0);
        for (int tries = 0; tries < 8 && bad > 0; tries++) bad = find(e, s0 *= 1.37);
        if (bad) return bad;
        double least = INFINITY;
        for (int j = 0; j < 2 * n; j++)
            if (!is_zero(e, j)) least = fmin(least, hypot(e->re[j], e->im[j]));
        if (!(least < 0.1 * s0)) break;
        s0 = least;
    }
    return bad;
}

/* Of the motion of eigenvector j what moves most. */
static int mover(const roots *e, int j)
{
    const lm_linearized *l = e->l;
    size_t two = 2 * (size_t)l->n;
    const double *re = e->V + two * (size_t)j, *im = e->im[j] != 0 ? re + two : NULL;
    double most = 0;
    int best = 0;
    for (int i = 0; i < l->n; i++) {
        double size = hypot(re[i], im ? im[i] : 0) / l->m.unit[l->state[i]];
        if (size > most * (1 + 1e-6)) most = size, best = i;
    }
    return best;
}

static int slower(const void *a, const void *b)
{
    const lm_pole *p = a, *q = b;
    double x = hypot(p->re, p->im), y = hypot(q->re, q->im);
    if (fabs(x - y) > 1e-9 * fmax(x, y)) return x < y ? -1 : 1;
    return p->re != q->re ? (p->re < q->re ? -1 : 1)
                          : (p->mover > q->mover) - (p->mover < q->mover);
}

static void collect(lm_linearized *l, const roots *e)
{
    for (int j = 0; j < 2 * l->n; j++) {
        double re = e->re[j], im = e->im[j];
        int zero = is_zero(e, j), first = j + 1 < 2 * l->n && im != 0 && im == -e->im[j + 1];
        int col = first || im == 0 ? j : j - 1;
        lm_pole p = {.mover = mover(e, col), .col = col};
        if (!zero && im != 0 && !first) continue; /* its pair has been taken */
        if (!zero) p.re = re, p.im = fabs(im);
        if (e->undamped && fabs(re) < 1e-7 * fabs(im)) p.re = 0;
        l->pole[l->npoles++] = p;
        j += first && !zero;
    }
    qsort(l->pole, (size_t)l->npoles, sizeof *l->pole, slower);
}

/* ---- vectors ---- */

/* (y, w) of the solver's (y, y.): w = y. - S y. */
static void to_state(const lm_linearized *l, const double *from, double *to)
{
    size_t n = (size_t)l->n;
    memcpy(to, from, sizeof(double) * 2 * n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) to[n + i] -= l->S[n * j + i] * from[j];
}

/* The same for left vectors, z^T (y, y.) = z'^T (y, w): y. = w + S y. */
static void to_left_state(const lm_linearized *l, const double *from, double *to)
{
    size_t n = (size_t)l->n;
    memcpy(to, from, sizeof(double) * 2 * n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) to[j] += l->S[n * j + i] * from[n + i];
}

/* Column k of the right vectors and row k of the inverse of all of them, which are the left ones; those of
 * a pair, re + i im and its inverse's rows a, b: z = (a - i b)/2. */
static void put_vectors(lm_linearized *l, const roots *e, const double *inverse, int k, double *row)
{
    size_t two = 2 * (size_t)l->n, at = two * (size_t)k;
    const lm_pole *p = &l->pole[k];
    for (int part = 0; part < 2; part++) {
        size_t col = (size_t)p->col + (size_t)part;
        if (part == 1 && p->im == 0) break;
        double f = p->im == 0 ? 1 : part ? -0.5 : 0.5;
        to_state(l, e->V + two * col, l->right[part] + at);
        for (size_t i = 0; i < two; i++) row[i] = f * inverse[two * i + col];
        to_left_state(l, row, l->left[part] + at);
    }
    if (p->im > 0 && e->im[p->col] < 0) /* the solver's pair begins with the conjugate */
        for (size_t i = 0; i < two; i++) l->right[1][at + i] *= -1, l->left[1][at + i] *= -1;
}

/* Free motions have a double root and one vector: then there is no inverse, and no left vectors. */
static int vectors(lm_linearized *l, const roots *e, lm_arena *temp)
{
    size_t two = 2 * (size_t)l->n;
    int most = l->npoles < LM_POLE_VECTORS ? l->npoles : LM_POLE_VECTORS;
    double *copy = LM_NEW_N(temp, double, two *two), *inverse = LM_NEW_N(temp, double, two *two);
    double *row = LM_NEW_N(temp, double, two);
    for (int k = 0; k < 2; k++) {
        l->right[k] = LM_NEW_N(&l->arena, double, two *(size_t)most + 1);
        l->left[k] = LM_NEW_N(&l->arena, double, two *(size_t)most + 1);
        if (!l->right[k] || !l->left[k]) return -1;
    }
    if (!copy || !inverse || !row) return -1;
    for (int i = 0; i < l->npoles; i++)
        if (l->pole[i].re == 0 && l->pole[i].im == 0) return 0;
    memcpy(copy, e->V, sizeof(double) * two * two);
    for (size_t i = 0; i < two; i++) inverse[two * i + i] = 1;
    int bad = lm_dense_solve((int)two, copy, (int)two, inverse);
    if (bad) return bad < 0 ? -1 : 0;
    for (int k = 0; k < most; k++) put_vectors(l, e, inverse, k, row);
    l->nvectors = most;
    return 0;
}

limber_status lm_linearized_poles(lm_linearized *l)
{
    size_t n = (size_t)l->n, N = n * n;
    lm_arena temp = {0};
    if (n == 0) return LIMBER_OK;
    double *x = LM_NEW_N(&temp, double, 10 * N + 4 * n);
    l->pole = LM_NEW_N(&l->arena, lm_pole, 2 * n);
    limber_status st = x && l->pole ? LIMBER_OK : LIMBER_MEMORY;
    if (!st) {
        roots e = {.l = l, .D = x, .K = x + N, .T = x + 2 * N, .V = x + 6 * N, .re = x + 10 * N};
        e.im = e.re + 2 * n;
        of_position(l, e.D, e.K);
        e.undamped = 1;
        for (size_t i = 0; i < N; i++) e.undamped &= e.D[i] == 0;
        int bad = find_near_slowest(&e);
        if (!bad) collect(l, &e);
        if (!bad) bad = vectors(l, &e, &temp);
        st = bad < 0 ? LIMBER_MEMORY
             : bad   ? lm_linearized_fail(l, "the poles do not converge")
                     : LIMBER_OK;
    }
    lm_arena_free(&temp);
    return st;
}

/* ---- transfer functions ---- */

/* The real form [Pr -Pi; Pi Pr] of P = K' - omega^2 M + i omega D'. */
static void dynamic_stiffness(const lm_linearized *l, double omega, const double *D,
                              const double *K, double *P)
{
    size_t n = (size_t)l->n, two = 2 * n;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double re = K[n * j + i] - omega * omega * l->M[n * j + i], im = omega * D[n * j + i];
            P[two * j + i] = P[two * (n + j) + n + i] = re;
            P[two * j + n + i] = im;
            P[two * (n + j) + i] = -im;
        }
}

/* The state (y, w) of the response y = yr + i yi: w = (i omega - S) y. re, im: [2n x nu]. */
static void whole_state(const lm_linearized *l, double omega, const double *Y, double *re,
                        double *im)
{
    size_t n = (size_t)l->n;
    for (size_t c = 0; c < (size_t)l->nu; c++) {
        const double *yr = Y + 2 * n * c, *yi = yr + n;
        double *xr = re + 2 * n * c, *xi = im + 2 * n * c;
        memcpy(xr, yr, sizeof(double) * n);
        memcpy(xi, yi, sizeof(double) * n);
        for (size_t i = 0; i < n; i++) {
            xr[n + i] = -omega * yi[i];
            xi[n + i] = omega * yr[i];
            for (size_t j = 0; j < n; j++) {
                xr[n + i] -= l->S[n * j + i] * yr[j];
                xi[n + i] -= l->S[n * j + i] * yi[j];
            }
        }
    }
}

int lm_linearized_transfer(const lm_linearized *l, double f, double *re, double *im)
{
    size_t n = (size_t)l->n, N = n * n, nu = (size_t)l->nu, count = (size_t)l->ny * nu;
    double omega = 2 * acos(-1.0) * f;
    double *x = lm_alloc(sizeof(double) * (6 * N + 6 * n * nu + 1));
    if (!x) return -1;
    double *D = x, *K = D + N, *P = K + N, *R = P + 4 * N, *xr = R + 2 * n * nu;
    double *xi = xr + 2 * n * nu;
    of_position(l, D, K);
    dynamic_stiffness(l, omega, D, K, P);
    for (size_t c = 0; c < nu; c++)
        for (size_t i = 0; i < n; i++) R[2 * n * c + i] = l->B2[n * c + i];
    int bad = lm_dense_solve(2 * l->n, P, l->nu, R);
    if (!bad) {
        whole_state(l, omega, R, xr, xi);
        lm_dense_mul(l->ny, l->nu, 2 * l->n, l->C, xr, re);
        lm_dense_mul(l->ny, l->nu, 2 * l->n, l->C, xi, im);
        for (size_t i = 0; i < count; i++) re[i] += l->D1[i];
    }
    lm_free(x);
    return bad;
}
