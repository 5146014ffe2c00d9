/* Roots of the projected problem, and the basis it is projected on. */
#include "analysis/spectrum.h"

#include "analysis/modes.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 12, SHIFTS = 8 };
#define NEW      1e-6 /* part of a vector that is new to the basis */
#define CORRECTS 1e-3 /* ... of a correction */
#define ACCURATE 1e-9 /* what is left of the equations */
#define FLOOR    1e3  /* of what is left, over what is allowed, at most */
#define MARGIN   10   /* of an estimate of rounding */
#define EQUAL    1e-7
#define ZERO     1e-6 /* of the shift */
#define NO_REAL  1e-12
#define INERTIA  1e-13 /* of the largest mass or damping of a unit vector: less is rounding */
#define OPPOSITE 1e-3  /* of a root */
#define ABOVE    100   /* times the low roots: the shift goes no further */
#define HIGH     1e3   /* times the shift: so far up a root may be infinite */

/* ---- beginning ---- */

static int reserve(lm_spectrum *p)
{
    size_t nv = (size_t)p->nv, room = (size_t)p->room, kept = (size_t)(p->count + p->more);
    size_t small = 3 * room * room + 8 * room * room + 4 * room + 2 * room;
    p->V = LM_NEW_N(&p->arena, double, 4 * nv * room + 1);
    p->small = LM_NEW_N(&p->arena, double, small + 1);
    p->b = LM_NEW_N(&p->arena, double, 3 * (size_t)p->n + nv + room + 1);
    p->root = LM_NEW_N(&p->arena, lm_root, kept + 1);
    double *shapes = LM_NEW_N(&p->arena, double, 4 * nv * kept + 1);
    if (!p->V || !p->small || !p->b || !p->root || !shapes) return -1;
    p->MV = p->V + nv * room, p->CV = p->MV + nv * room, p->KV = p->CV + nv * room;
    p->c = p->b + p->n, p->w = p->c + p->n, p->t = p->w + p->n;
    for (size_t i = 0; i < kept; i++) {
        lm_root *r = &p->root[i];
        r->x = shapes + 4 * nv * i;
        r->y = r->x + nv, r->Mx = r->y + nv, r->My = r->Mx + nv;
    }
    return 0;
}

limber_status lm_spectrum_begin(lm_spectrum *p, lm_steady *steady, int count)
{
    const lm_system *sys = steady->sys;
    *p = (lm_spectrum){.steady = steady, .nv = sys->nv, .n = sys->nv + sys->nl, .seed = 20240229};
    p->nfree = sys->nv;
    for (int k = 0; k < sys->nl; k++) p->nfree -= sys->active[k];
    p->count = count < 2 * p->nfree ? count : 2 * p->nfree;
    p->more = 4;
    int wide = 10 * (p->count + p->more) + 20;
    p->room = wide < p->nfree ? wide : p->nfree;
    return reserve(p) ? LIMBER_MEMORY : LIMBER_OK;
}

void lm_spectrum_free(lm_spectrum *p) { lm_arena_free(&p->arena); }

/* ---- the matrix at the shift ---- */

static double trace(const lm_spectrum *p, const double *A)
{
    const lm_pattern *w = &p->steady->pencil.pattern;
    double sum = 0;
    for (int i = 0; i < p->nv; i++) {
        int k = lm_pattern_find(w, i, i);
        double u = p->steady->unit[i] / p->steady->size;
        if (k >= 0) sum += fabs(A[k]) * u * u;
    }
    return sum;
}

static void first_shift(lm_spectrum *p)
{
    const lm_pencil *k = &p->steady->pencil;
    double mass = trace(p, k->M), stiffness = trace(p, k->K);
    if (p->sigma > 0) return;
    p->sigma = mass > 0 && stiffness > 0 ? 1e-2 * sqrt(stiffness / mass) : 1;
}

static int factor_at(lm_spectrum *p, double s)
{
    const lm_pencil *k = &p->steady->pencil;
    const lm_pattern *w = &k->pattern;
    double *to = lm_linear_values(p->steady->lin);
    p->scale = (trace(p, k->K) + s * s * trace(p, k->M)) / (p->nv + 1);
    if (!(p->scale > 0)) p->scale = 1;
    for (int c = 0; c < w->n; c++)
        for (int i = w->colptr[c]; i < w->colptr[c + 1]; i++)
            to[i] = c < p->nv && w->rowind[i] < p->nv
                        ? (s * s * k->M[i] + s * k->C[i] + k->K[i]) / p->scale
                        : k->K[i];
    return lm_linear_factor(p->steady->lin);
}

int lm_spectrum_factor(lm_spectrum *p)
{
    first_shift(p);
    int bad = 1;
    for (int tries = 0; tries < SHIFTS && bad > 0; tries++) {
        bad = factor_at(p, p->sigma);
        if (bad > 0) p->sigma *= 1.37;
    }
    return bad > 0 ? 1 : bad;
}

/* ---- the basis ---- */

static double norm(const lm_spectrum *p, const double *x)
{
    double sum = 0;
    for (int i = 0; i < p->nv; i++) {
        double a = x[i] / p->steady->unit[i];
        sum += a * a;
    }
    return sqrt(sum);
}

/* x as one more vector, if a part of it beyond `least` is new. */
static void extend(lm_spectrum *p, const double *x, double least)
{
    size_t nv = (size_t)p->nv;
    const double *u = p->steady->unit;
    double *v = p->V + nv * (size_t)p->m, before = norm(p, x);
    if (!(before > 0) || p->m == p->room) return;
    for (size_t i = 0; i < nv; i++) v[i] = x[i] / before;
    for (int twice = 0; twice < 2 && p->m > 0; twice++) {
        for (size_t i = 0; i < nv; i++) p->t[i] = v[i] / (u[i] * u[i]);
        lm_dense_tmul(p->m, 1, p->nv, p->V, p->t, p->t + nv);
        lm_dense_mul(p->nv, 1, p->m, p->V, p->t + nv, p->t);
        for (size_t i = 0; i < nv; i++) v[i] -= p->t[i];
    }
    double left = norm(p, v);
    if (!(left > least)) return;
    for (size_t i = 0; i < nv; i++) v[i] /= left;
    p->m++;
}

void lm_spectrum_extend(lm_spectrum *p, int k, const double *X)
{
    for (size_t j = 0; j < (size_t)k; j++) extend(p, X + (size_t)p->nv * j, NEW);
}

/* v moved into the constraints of the present shape. 1: it had to be. */
static int move_into(lm_spectrum *p, double *v)
{
    const lm_system *sys = p->steady->sys;
    const lm_pattern *w = &p->steady->pencil.pattern;
    const double *K = p->steady->pencil.K;
    int row;
    if (lm_pencil_gap(&p->steady->pencil, v, &row) < 1e-13 * p->steady->size) return 0;
    memset(p->b, 0, sizeof(double) * (size_t)p->n);
    for (int r = p->nv; r < p->n; r++)
        for (int k = w->colptr[r]; k < w->colptr[r + 1] && w->rowind[k] < p->nv; k++)
            if (sys->active[r - p->nv]) p->b[r] -= K[k] * v[w->rowind[k]];
    lm_linear_solve(p->steady->lin, p->b);
    for (int i = 0; i < p->nv; i++) v[i] += p->b[i];
    return 1;
}

/* Constraints change with the shape: the basis goes with them. What is then left of a vector that did
 * not belong there is nothing new. */
static void satisfy_constraints(lm_spectrum *p)
{
    size_t nv = (size_t)p->nv;
    int n = p->m, moved = 0;
    for (int j = 0; j < n; j++) {
        double *v = p->V + nv * (size_t)j;
        moved |= move_into(p, v);
        if (!(norm(p, v) > 0.1)) memset(v, 0, sizeof(double) * nv);
    }
    if (!moved) return;
    p->m = 0;
    for (int j = 0; j < n; j++) lm_spectrum_extend(p, 1, p->V + nv * (size_t)j);
}

static void multiply(lm_spectrum *p, int from)
{
    size_t nv = (size_t)p->nv;
    for (size_t j = (size_t)from; j < (size_t)p->m; j++)
        lm_pencil_mul_all(&p->steady->pencil, p->V + nv * j, p->MV + nv * j, p->CV + nv * j,
                          p->KV + nv * j);
}

/* ---- the projected problem ---- */

typedef struct small_root {
    double re, im, size;
    int col, pair; /* of the eigenvectors; pair 1: x = V[col] - i V[col + 1] */
} small_root;

static int by_size(const void *a, const void *b)
{
    const small_root *r = a, *s = b;
    if (fabs(r->size - s->size) > 1e-11 * fmax(r->size, s->size)) return r->size < s->size ? -1 : 1;
    return r->re != s->re ? (r->re > s->re ? -1 : 1) : r->col - s->col;
}

/* A double root 0 comes out as two real ones, with half of the digits: together they are one pair. */
static int merge_zeros(const lm_spectrum *p, int n, small_root *root)
{
    int kept = 0, alone = 0;
    for (int j = 0; j < n; j++) {
        int zero = root[j].pair == 0 && root[j].size < ZERO * p->sigma;
        if (zero && alone) {
            alone = 0;
            continue;
        }
        if (zero) root[j].re = root[j].size = 0;
        alone = zero;
        root[kept++] = root[j];
    }
    return kept;
}

/* The roots s = sigma + 1/mu; those that are infinite are left out. */
static int collect(const lm_spectrum *p, int n, const double *re, const double *im,
                   small_root *root)
{
    double most = 0;
    int count = 0;
    for (int j = 0; j < n; j++) most = fmax(most, hypot(re[j], im[j]));
    for (int j = 0; j < n; j++) {
        double size = re[j] * re[j] + im[j] * im[j];
        if (im[j] < 0 || !(sqrt(size) > 1e-13 * most)) continue;
        small_root r = {p->sigma + re[j] / size, im[j] / size, 0, j, im[j] > 0};
        r.size = hypot(r.re, r.im);
        root[count++] = r;
    }
    qsort(root, (size_t)count, sizeof *root, by_size);
    return merge_zeros(p, count, root);
}

/* |z^H A z| of z = x + i y; y NULL: none. */
static double quadratic_form(int m, const double *A, const double *x, const double *y)
{
    double re = 0, im = 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            re += A[m * j + i] * (x[i] * x[j] + (y ? y[i] * y[j] : 0));
            im += A[m * j + i] * (y ? x[i] * y[j] - y[i] * x[j] : 0);
        }
    return hypot(re, im);
}

/* 1: the shape has mass or damping, more than rounding of the largest: mass, damping of a unit vector. */
static int has_inertia(int m, const double *M, const double *C, const double largest[2],
                       const double *x, const double *y)
{
    double size = 0;
    for (int i = 0; i < m; i++) size += x[i] * x[i] + (y ? y[i] * y[i] : 0);
    return quadratic_form(m, M, x, y) > INERTIA * largest[0] * size ||
           quadratic_form(m, C, x, y) > INERTIA * largest[1] * size;
}

/* Roots far above the shift whose shapes have no mass and no damping but for rounding are infinite. There mu = 0
 * is a double value, which rounding moves by its square root: mu alone does not say it. Vectors are (x, s x). */
static int leave_out_infinite(const lm_spectrum *p, const double *M, const double *C,
                              const double *vectors, int n, small_root *root)
{
    int m = p->m, kept = 0;
    double largest[2] = {0};
    for (int i = 0; i < m * m; i++) {
        largest[0] = fmax(largest[0], fabs(M[i]));
        largest[1] = fmax(largest[1], fabs(C[i]));
    }
    for (int j = 0; j < n; j++) {
        const double *x = vectors + 2 * m * root[j].col, *y = root[j].pair ? x + 2 * m : NULL;
        int half = root[j].size > 1 ? m : 0; /* the larger one */
        if (root[j].size < HIGH * p->sigma ||
            has_inertia(m, M, C, largest, x + half, y ? y + half : NULL))
            root[kept++] = root[j];
    }
    return kept;
}

/* out = f A c, c a column of the eigenvectors, A [nv x m]. */
static void combine(const lm_spectrum *p, const double *A, const double *c, double f, double *out)
{
    lm_dense_mul(p->nv, 1, p->m, A, c, out);
    if (f != 1)
        for (int i = 0; i < p->nv; i++) out[i] *= f;
}

static double mass_of(const lm_spectrum *p, const lm_root *r)
{
    double mass = 0;
    for (int i = 0; i < p->nv; i++) mass += r->x[i] * r->Mx[i] + r->y[i] * r->My[i];
    return mass;
}

static void put_root(lm_spectrum *p, const small_root *s, const double *vectors, lm_root *r)
{
    const double *c = vectors + 2 * (size_t)p->m * (size_t)s->col, *d = c + 2 * (size_t)p->m;
    r->re = s->re, r->im = s->im;
    combine(p, p->V, c, 1, r->x);
    combine(p, p->MV, c, 1, r->Mx);
    if (s->pair) {
        combine(p, p->V, d, -1, r->y);
        combine(p, p->MV, d, -1, r->My);
    } else {
        memset(r->y, 0, sizeof(double) * (size_t)p->nv);
        memset(r->My, 0, sizeof(double) * (size_t)p->nv);
    }
    double mass = mass_of(p, r), size = hypot(norm(p, r->x), norm(p, r->y));
    double f = 1 / (mass > 0 ? sqrt(mass) : size > 0 ? size : 1);
    for (int i = 0; i < p->nv; i++) r->x[i] *= f, r->y[i] *= f, r->Mx[i] *= f, r->My[i] *= f;
}

/* A real part that is rounding. */
static void clean(const lm_spectrum *p, lm_root *r)
{
    if (fabs(r->re) < NO_REAL * fmax(r->im, p->sigma) && r->im > 0) r->re = 0;
}

/* z -= (f + i g) o, for shape and M times shape. */
static void subtract(int n, double f, double g, const double *ox, const double *oy, double *x,
                     double *y)
{
    for (int i = 0; i < n; i++) {
        x[i] -= f * ox[i] - g * oy[i];
        y[i] -= f * oy[i] + g * ox[i];
    }
}

int lm_spectrum_equal(const lm_root *r, const lm_root *o)
{
    double size = hypot(r->re, r->im);
    return hypot(o->re - r->re, o->im - r->im) <= EQUAL * size && size > 0;
}

/* One grows as the other decays: what is not damped and not held has both. */
static int opposite(const lm_root *r, const lm_root *o)
{
    return r->im == 0 && o->im == 0 && fabs(r->re + o->re) <= OPPOSITE * fabs(r->re - o->re);
}

/* Shapes of equal roots are any that span the same space: orthogonal ones are taken. */
static void part_equal(const lm_spectrum *p, int j)
{
    lm_root *r = &p->root[j];
    int parted = 0;
    for (int k = 0; k < j; k++) {
        const lm_root *o = &p->root[k];
        double f = 0, g = 0;
        if (!lm_spectrum_equal(r, o)) continue;
        for (int i = 0; i < p->nv; i++) {
            f += o->x[i] * r->Mx[i] + o->y[i] * r->My[i];
            g += o->x[i] * r->My[i] - o->y[i] * r->Mx[i];
        }
        if (f * f + g * g > 1 - 1e-6) continue; /* no space beside it */
        subtract(p->nv, f, g, o->x, o->y, r->x, r->y);
        subtract(p->nv, f, g, o->Mx, o->My, r->Mx, r->My);
        parted = 1;
    }
    double mass = parted ? mass_of(p, r) : 0;
    for (int i = 0; i < p->nv && mass > 0; i++) {
        r->x[i] /= sqrt(mass), r->y[i] /= sqrt(mass);
        r->Mx[i] /= sqrt(mass), r->My[i] /= sqrt(mass);
    }
}

/* All roots of the projected problem, the lowest into p->root. 0, 1, -1. */
static int project(lm_spectrum *p)
{
    int m = p->m, most = p->count + p->more;
    size_t N = (size_t)m * (size_t)m;
    double *M = p->small, *C = M + N, *K = C + N, *T = K + N, *X = T + 4 * N, *re = X + 4 * N;
    double *im = re + 2 * m;
    lm_dense_tmul(m, m, p->nv, p->V, p->MV, M);
    lm_dense_tmul(m, m, p->nv, p->V, p->CV, C);
    lm_dense_tmul(m, m, p->nv, p->V, p->KV, K);
    int bad = lm_modes_shifted_inverse(m, M, C, K, p->sigma, T);
    if (!bad) bad = lm_general_eigen(2 * m, T, re, im, X);
    if (bad) return bad;
    small_root *roots = lm_alloc(sizeof *roots * (2 * (size_t)m + 1));
    if (!roots) return -1;
    int n = collect(p, 2 * m, re, im, roots);
    n = leave_out_infinite(p, M, C, X, n, roots);
    p->found = n < most ? n : most;
    for (int j = 0; j < p->found; j++) {
        put_root(p, &roots[j], X, &p->root[j]);
        clean(p, &p->root[j]);
        part_equal(p, j);
    }
    lm_free(roots);
    p->wanted = p->found < p->count ? p->found : p->count;
    while (p->wanted > 0 && p->wanted < p->found &&
           (lm_spectrum_equal(&p->root[p->wanted - 1], &p->root[p->wanted]) ||
            opposite(&p->root[p->wanted - 1], &p->root[p->wanted])))
        p->wanted++;
    return 0;
}

/* ---- what is left of the equations ---- */

/* b + i c = P(sigma)^-1 P(s) (x + i y), as motions; their size over that of the shape. */
static double left_over(lm_spectrum *p, const lm_root *r)
{
    const lm_pencil *k = &p->steady->pencil;
    double s2re = r->re * r->re - r->im * r->im, s2im = 2 * r->re * r->im;
    const double *x = r->x, *y = r->y;
    memset(p->b, 0, sizeof(double) * 2 * (size_t)p->n); /* c is behind b */
    for (int i = 0; i < p->nv; i++) {
        p->b[i] = s2re * r->Mx[i] - s2im * r->My[i];
        p->c[i] = s2re * r->My[i] + s2im * r->Mx[i];
    }
    lm_pencil_mul(k, k->C, r->re, x, p->b);
    lm_pencil_mul(k, k->C, -r->im, y, p->b);
    lm_pencil_mul(k, k->C, r->re, y, p->c);
    lm_pencil_mul(k, k->C, r->im, x, p->c);
    lm_pencil_mul(k, k->K, 1, x, p->b);
    lm_pencil_mul(k, k->K, 1, y, p->c);
    for (int i = 0; i < p->nv; i++) p->b[i] /= p->scale, p->c[i] /= p->scale;
    lm_linear_solve(p->steady->lin, p->b);
    if (r->im != 0) lm_linear_solve(p->steady->lin, p->c);
    double size = hypot(norm(p, x), norm(p, y));
    return hypot(norm(p, p->b), norm(p, p->c)) / (size > 0 ? size : 1);
}

/* What rounding of K x leaves over: its size is eps |K| |x|, its signs are any. Into w; b and c stay. */
static double rounding(lm_spectrum *p, const lm_root *r)
{
    const lm_pattern *w = &p->steady->pencil.pattern;
    const double *K = p->steady->pencil.K;
    unsigned sign = 1;
    memset(p->w, 0, sizeof(double) * (size_t)p->n);
    for (int c = 0; c < p->nv; c++) {
        double x = hypot(r->x[c], r->y[c]) * DBL_EPSILON / p->scale;
        for (int k = w->colptr[c]; k < w->colptr[c + 1] && w->rowind[k] < p->nv; k++)
            p->w[w->rowind[k]] += fabs(K[k]) * x;
    }
    for (int i = 0; i < p->nv; i++) {
        sign = sign * 1664525u + 1013904223u;
        if (sign >> 31) p->w[i] = -p->w[i];
    }
    lm_linear_solve(p->steady->lin, p->w);
    double size = hypot(norm(p, r->x), norm(p, r->y));
    return norm(p, p->w) / (size > 0 ? size : 1);
}

/* What is left over is mostly low shapes, which the shift raises by |s/sigma|^2. On a fine mesh rounding
 * leaves more than that: the finest shapes are stiffer than the lowest by the fourth power of their
 * number. */
static double allowed(lm_spectrum *p, const lm_root *r, double off)
{
    double s2 = r->re * r->re + r->im * r->im, low = p->sigma * p->sigma;
    double most = ACCURATE * fmax(1, s2 / low);
    return off <= most ? most : fmax(most, MARGIN * rounding(p, r));
}

double lm_spectrum_check(lm_spectrum *p, lm_root *r)
{
    const lm_pencil *k = &p->steady->pencil;
    size_t bytes = sizeof(double) * (size_t)p->nv;
    memset(r->Mx, 0, bytes);
    memset(r->My, 0, bytes);
    lm_pencil_mul(k, k->M, 1, r->x, r->Mx);
    lm_pencil_mul(k, k->M, 1, r->y, r->My);
    double off = left_over(p, r);
    return ACCURATE * off / allowed(p, r, off);
}

/* One more vector for the basis: as far as it is new it must be more than rounding, and a motion that
 * the constraints allow. */
static void extend_by(lm_spectrum *p, const double *x)
{
    int before = p->m, row;
    extend(p, x, CORRECTS);
    const double *v = p->V + (size_t)p->nv * (size_t)before;
    if (p->m > before && lm_pencil_gap(&p->steady->pencil, v, &row) > 1e-9 * p->steady->size)
        p->m = before;
}

/* The basis gets what the roots lack; *worst: of the roots that are wanted, over what is allowed. */
static void correct(lm_spectrum *p, double *worst)
{
    *worst = 0;
    for (int j = 0; j < p->wanted; j++) {
        lm_root *r = &p->root[j];
        r->off = left_over(p, r);
        double most = allowed(p, r, r->off);
        *worst = fmax(*worst, r->off / most);
        if (r->off <= most) continue;
        memcpy(p->w, p->c, sizeof(double) * (size_t)p->nv);
        extend_by(p, p->b);
        if (r->im != 0) extend_by(p, p->w);
    }
}

/* A basis that has become too large begins again with the roots. */
static void shrink(lm_spectrum *p)
{
    if (p->m + 4 * p->count < p->room || p->room == p->nfree) return;
    p->m = 0;
    for (int j = 0; j < p->found; j++) {
        lm_spectrum_extend(p, 1, p->root[j].x);
        lm_spectrum_extend(p, 1, p->root[j].y);
    }
}

/* The shift goes with the roots, so that none of them is far from it; not with the lowest, which pass through 0,
 * nor with those far above them, from where all of these look like 0. */
static void move_shift(lm_spectrum *p)
{
    int middle = p->found < p->count ? p->found / 2 : p->count / 2, low = p->found > 2 ? 2 : 0;
    const lm_root *r = &p->root[middle > low ? middle : low], *l = &p->root[low];
    if (!p->found) return;
    double size = hypot(r->re, r->im), least = hypot(l->re, l->im);
    least = fmax(least, fabs(p->steady->turning.rate));
    if (least > ZERO * p->sigma) size = fmin(size, ABOVE * least);
    if (size > 0) p->sigma = 0.5 * size;
}

int lm_spectrum_solve(lm_spectrum *p)
{
    double worst = INFINITY, last = INFINITY;
    int from = 0, bad = 0;
    satisfy_constraints(p);
    for (int k = 0; k < ROUNDS && !bad; k++) {
        multiply(p, from);
        bad = project(p);
        if (bad) break;
        from = p->m;
        correct(p, &worst);
        int done = worst <= fmax(1, p->floor), stuck = worst > 0.5 * last;
        if (stuck && !done) p->floor = fmin(2 * worst, FLOOR); /* rounding is reached */
        if (done || stuck || p->m == from) {
            p->m = from; /* corrections that are not needed, or do not help */
            break;
        }
        last = worst;
    }
    if (bad) return bad;
    shrink(p);
    move_shift(p);
    int some = p->found >= p->count || p->complete || p->m == p->nfree;
    return worst <= 1e4 && some ? 0 : 1;
}
