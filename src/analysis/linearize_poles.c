/* Poles and transfer functions, by the equations of second order of y alone:
 *
 *     w = y. - S y:    M y.. + (D - M S) y. + (K - D S) y = B2 u,
 *
 * those of a machine, and where motions have no mass, whose states are not all positions and velocities, by A
 * itself. */
#include "analysis/linearize.h"

#include "math/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 5 };
#define LOWEST                                                                                     \
    1e-6 /* shift over the first, of stiffness over mass: what is slower is rounding of these */
#define ZERO 1e-6 /* a double root comes out with half of the digits only */

static double trace(int n, const double *A)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)n; i++) sum += fabs(A[(size_t)n * i + i]);
    return sum;
}

/* 1: states are not all positions and velocities, those of a machine or of motions without mass that dampers hold. */
static int by_states(const lm_linearized *l) { return l->ns != 2 * l->n2; }

/* D - M S and K - D S. */
static void of_position(const lm_linearized *l, double *D, double *K)
{
    size_t N = (size_t)l->n2 * (size_t)l->n2;
    lm_dense_mul(l->n2, l->n2, l->n2, l->M, l->S, D);
    lm_dense_mul(l->n2, l->n2, l->n2, l->D, l->S, K);
    for (size_t i = 0; i < N; i++) {
        D[i] = l->D[i] - D[i];
        K[i] = l->K[i] - K[i];
    }
}

/* ---- poles ---- */

typedef struct roots {
    const lm_linearized *l;
    int ns;
    int machine;
    int undamped;
    double *D, *K;   /* [n x n] */
    double *T, *V;   /* [ns x ns] */
    double *re, *im; /* [ns] eigenvalues of T, then the roots */
    double *inverse; /* [ns x ns] of V; NULL: there is none */
    double s0;       /* the shift; roots near it are the accurate ones */
} roots;

static int is_zero(const roots *e, int j) { return hypot(e->re[j], e->im[j]) <= ZERO * e->s0; }

/* s = s0 + 1/mu. 1: s0 is a root, or too near to one. */
static int find(roots *e, double s0)
{
    double most = 0;
    int bad = e->machine ? lm_linearized_shifted_inverse(e->l, s0, e->T)
                         : lm_modes_shifted_inverse(e->l->n2, e->l->M, e->D, e->K, s0, e->T);
    if (!bad) bad = lm_general_eigen(e->ns, e->T, e->re, e->im, e->V);
    for (int j = 0; j < e->ns && !bad; j++) most = fmax(most, hypot(e->re[j], e->im[j]));
    if (!bad && !(most < 1e3 / s0)) bad = 1;
    for (int j = 0; j < e->ns && !bad; j++) {
        double re = e->re[j], im = e->im[j], size = re * re + im * im;
        e->re[j] = s0 + re / size;
        e->im[j] = -im / size;
    }
    e->s0 = s0;
    return bad;
}

static double first_shift(const roots *e)
{
    int n = e->l->n2;
    if (e->machine) return lm_linearized_speed(e->l);
    double mass = trace(n, e->l->M), damping = trace(n, e->D), stiffness = trace(n, e->K);
    return stiffness > 0 ? sqrt(stiffness / mass) : damping > 0 ? damping / mass : 1;
}

/* The shift comes down to the slowest of the roots. */
static int find_near_slowest(roots *e)
{
    int bad = 1;
    double s0 = first_shift(e), lowest = LOWEST * s0;
    for (int k = 0; k < PASSES; k++) {
        bad = find(e, s0);
        for (int tries = 0; tries < 8 && bad > 0; tries++) bad = find(e, s0 *= 1.37);
        if (bad) return bad;
        double least = INFINITY;
        for (int j = 0; j < e->ns; j++)
            if (!is_zero(e, j)) least = fmin(least, hypot(e->re[j], e->im[j]));
        least = fmax(least, lowest);
        if (!(least < 0.1 * s0)) break;
        s0 = least;
    }
    return bad;
}

/* |z_i x_i| of the left and right eigenvectors j: what state i has to do with the pole, in no units. */
static double share(const roots *e, int j, int i)
{
    size_t ns = (size_t)e->ns, at = (size_t)i, col = (size_t)j;
    const double *x = e->V + ns * col, *z = e->inverse + ns * at;
    if (e->im[j] == 0) return fabs(x[at] * z[col]);
    return 0.5 * hypot(x[at], x[ns + at]) * hypot(z[col], z[col + 1]);
}

/* Which state (y, w)[at] is; -1: none. */
static int index_of(const lm_linearized *l, int at)
{
    int low = 0, high = l->ns - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (l->keep[mid] < at)
            low = mid + 1;
        else
            high = mid;
    }
    return l->ns && l->keep[low] == at ? low : -1;
}

/* The state of a machine that has most to do with pole j; of a motion its position stands for both. */
static int partaker(const roots *e, int j)
{
    int moving = e->l->moving, best = 0;
    double most = 0;
    for (int i = 0; i < e->ns && e->inverse; i++) {
        int at = e->l->keep[i], n = e->l->n;
        if (at >= n && at < n + moving) continue;
        int rate = at < n ? index_of(e->l, n + at) : -1;
        double size = share(e, j, i) + (rate >= 0 ? share(e, j, rate) : 0);
        if (size > most * (1 + 1e-6)) most = size, best = i;
    }
    return best;
}

/* Of the motion of eigenvector j what moves most. */
static int mover(const roots *e, int j)
{
    const lm_linearized *l = e->l;
    if (e->machine && (e->inverse || l->moving == 0)) return partaker(e, j);
    size_t ns = (size_t)e->ns;
    const double *re = e->V + ns * (size_t)j, *im = e->im[j] != 0 ? re + ns : NULL;
    double most = 0;
    int best = 0;
    for (int i = 0; i < l->ns && l->keep[i] < l->n; i++) {
        double size = hypot(re[i], im ? im[i] : 0) / l->m.unit[l->state[l->keep[i]]];
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
    for (int j = 0; j < e->ns; j++) {
        double re = e->re[j], im = e->im[j];
        int zero = is_zero(e, j), first = j + 1 < e->ns && im != 0 && im == -e->im[j + 1];
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

/* (y, w) of the solver's (y, y.): w = y. - S y. Those of a machine are of A already. */
static void to_state(const lm_linearized *l, const double *from, double *to)
{
    size_t n = (size_t)l->n2;
    memcpy(to, from, sizeof(double) * (size_t)l->ns);
    for (size_t j = 0; j < n && !by_states(l); j++)
        for (size_t i = 0; i < n; i++) to[n + i] -= l->S[n * j + i] * from[j];
}

/* The same for left vectors, z^T (y, y.) = z'^T (y, w): y. = w + S y. */
static void to_left_state(const lm_linearized *l, const double *from, double *to)
{
    size_t n = (size_t)l->n2;
    memcpy(to, from, sizeof(double) * (size_t)l->ns);
    for (size_t j = 0; j < n && !by_states(l); j++)
        for (size_t i = 0; i < n; i++) to[j] += l->S[n * j + i] * from[n + i];
}

/* Column k of the right vectors and row k of the inverse of all of them, which are the left ones; those of
 * a pair, re + i im and its inverse's rows a, b: z = (a - i b)/2. */
static void put_vectors(lm_linearized *l, const roots *e, int k, double *row)
{
    size_t ns = (size_t)e->ns, at = ns * (size_t)k;
    const lm_pole *p = &l->pole[k];
    for (int part = 0; part < 2; part++) {
        size_t col = (size_t)p->col + (size_t)part;
        if (part == 1 && p->im == 0) break;
        double f = p->im == 0 ? 1 : part ? -0.5 : 0.5;
        to_state(l, e->V + ns * col, l->right[part] + at);
        for (size_t i = 0; i < ns; i++) row[i] = f * e->inverse[ns * i + col];
        to_left_state(l, row, l->left[part] + at);
    }
    if (p->im > 0 && e->im[p->col] < 0) /* the solver's pair begins with the conjugate */
        for (size_t i = 0; i < ns; i++) l->right[1][at + i] *= -1, l->left[1][at + i] *= -1;
}

static int invert(roots *e, lm_arena *temp)
{
    size_t ns = (size_t)e->ns;
    double *copy = LM_NEW_N(temp, double, ns *ns), *inverse = LM_NEW_N(temp, double, ns *ns);
    if (!copy || !inverse) return -1;
    memcpy(copy, e->V, sizeof(double) * ns * ns);
    for (size_t i = 0; i < ns; i++) inverse[ns * i + i] = 1;
    int bad = lm_dense_solve(e->ns, copy, e->ns, inverse);
    e->inverse = bad ? NULL : inverse;
    return bad < 0 ? -1 : 0;
}

/* Free motions have a double root and one vector: then there is no inverse, and no left vectors. */
static int vectors(lm_linearized *l, roots *e, lm_arena *temp)
{
    size_t ns = (size_t)e->ns;
    int most = l->npoles < LM_POLE_VECTORS ? l->npoles : LM_POLE_VECTORS;
    double *row = LM_NEW_N(temp, double, ns);
    for (int k = 0; k < 2; k++) {
        l->right[k] = LM_NEW_N(&l->arena, double, ns *(size_t)most + 1);
        l->left[k] = LM_NEW_N(&l->arena, double, ns *(size_t)most + 1);
        if (!l->right[k] || !l->left[k]) return -1;
    }
    if (!row) return -1;
    for (int i = 0; i < l->npoles; i++)
        if (l->pole[i].re == 0 && l->pole[i].im == 0) return 0;
    if (!e->machine && invert(e, temp)) return -1;
    if (!e->inverse) return 0;
    for (int k = 0; k < most; k++) put_vectors(l, e, k, row);
    l->nvectors = most;
    return 0;
}

limber_status lm_linearized_poles(lm_linearized *l)
{
    size_t n = (size_t)l->n, N = n * n;
    lm_arena temp = {0};
    if (l->ns == 0) return LIMBER_OK;
    double *x = LM_NEW_N(&temp, double, 10 * N + 4 * n);
    l->pole = LM_NEW_N(&l->arena, lm_pole, 2 * n);
    limber_status st = x && l->pole ? LIMBER_OK : LIMBER_MEMORY;
    if (!st) {
        roots e = {.l = l, .D = x, .K = x + N, .T = x + 2 * N, .V = x + 6 * N, .re = x + 10 * N};
        e.im = e.re + 2 * n;
        e.ns = l->ns;
        e.machine = by_states(l);
        if (!e.machine) of_position(l, e.D, e.K);
        e.undamped = !e.machine;
        size_t used = (size_t)l->n2 * (size_t)l->n2;
        for (size_t i = 0; i < used; i++) e.undamped &= e.D[i] == 0;
        int bad = find_near_slowest(&e);
        if (!bad && e.machine) bad = invert(&e, &temp);
        if (!bad) collect(l, &e);
        if (!bad) lm_linearized_followers(l);
        if (!bad) bad = vectors(l, &e, &temp);
        st = bad < 0 ? LIMBER_MEMORY
             : bad   ? lm_fail(&l->failure, LIMBER_STOPPED, "the poles do not converge")
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
    size_t n = (size_t)l->n2, two = 2 * n;
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
    size_t n = (size_t)l->n2;
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

/* y = C x + D1 u. */
static void put_response(const lm_linearized *l, const double *xr, const double *xi, double *re,
                         double *im)
{
    lm_dense_mul(l->ny, l->nu, l->ns, l->C, xr, re);
    lm_dense_mul(l->ny, l->nu, l->ns, l->C, xi, im);
    for (size_t i = 0; i < (size_t)l->ny * (size_t)l->nu; i++) re[i] += l->D1[i];
}

static int machine_transfer(const lm_linearized *l, double f, double *re, double *im)
{
    size_t size = (size_t)l->ns * (size_t)l->nu;
    double *x = lm_alloc(sizeof(double) * (2 * size + 1));
    if (!x) return -1;
    int bad = lm_linearized_response(l, f, x, x + size);
    if (!bad) put_response(l, x, x + size, re, im);
    lm_free(x);
    return bad;
}

int lm_linearized_transfer(const lm_linearized *l, double f, double *re, double *im)
{
    if (by_states(l)) return machine_transfer(l, f, re, im);
    size_t n = (size_t)l->n2, N = n * n, nu = (size_t)l->nu;
    double omega = 2 * acos(-1.0) * f;
    double *x = lm_alloc(sizeof(double) * (6 * N + 6 * n * nu + 1));
    if (!x) return -1;
    double *D = x, *K = D + N, *P = K + N, *R = P + 4 * N, *xr = R + 2 * n * nu;
    double *xi = xr + 2 * n * nu;
    of_position(l, D, K);
    dynamic_stiffness(l, omega, D, K, P);
    for (size_t c = 0; c < nu; c++)
        for (size_t i = 0; i < n; i++) R[2 * n * c + i] = l->B2[n * c + i];
    int bad = lm_dense_solve(2 * l->n2, P, l->nu, R);
    if (!bad) {
        whole_state(l, omega, R, xr, xi);
        put_response(l, xr, xi, re, im);
    }
    lm_free(x);
    return bad;
}
