/* Shapes: mass, sign, order, how they take part in motions of the whole. */
#include "analysis/modes.h"

#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void scale(size_t n, double s, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] *= s;
}

static void add(size_t n, double s, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) y[i] += s * x[i];
}

/* ---- undamped modes ---- */

limber_status lm_modes_reserve(lm_modes *m, int n)
{
    m->n = n;
    m->X = LM_NEW_N(&m->arena, double, (size_t)m->sys->nv *(size_t)n + 1);
    m->lambda = LM_NEW_N(&m->arena, double, n + 1);
    m->slack = LM_NEW_N(&m->arena, double, n + 1);
    return m->X && m->lambda && m->slack ? LIMBER_OK : LIMBER_MEMORY;
}

double lm_modes_largest(const lm_modes *m, const double *x)
{
    double most = 0;
    for (int i = 0; i < m->sys->nv; i++) most = fmax(most, fabs(x[i]) / m->unit[i]);
    return most;
}

/* Rounding of the terms of x^T K x, and of the state and its reactions, whose moments are in
 * balance to m->moment only and are themselves rounded. Rigid motions of beams with 10 to 1000
 * elements come out at a fiftieth of it. And rounding of x itself: in floating frames a rigid motion
 * bends nothing, so that there are no terms but those of deformations that are rounding. Where nodes move by
 * other coordinates, entries of K are sums in which those of the nodes cancel: the third part is what these
 * leave of the stiffest. */
double lm_modes_slack(const lm_modes *m, const double *x, double *lambda)
{
    double turn = 0, size, moment = m->at_rest ? m->moment : 0;
    *lambda = lm_modes_form(m, m->K, x, &size);
    for (int i = 0; i < m->sys->nv; i++) {
        double s = x[i] / m->unit[i];
        turn += s * s;
    }
    double most = lm_modes_largest(m, x), off = 1e2 * DBL_EPSILON * most;
    return 1e2 * DBL_EPSILON * (size + 10 * m->force * m->size * turn) + moment * turn +
           10 * DBL_EPSILON * m->stiffest * most * most + m->stiffness * off * off;
}

static void swap(lm_modes *m, int i, int j)
{
    size_t nv = (size_t)m->sys->nv;
    double *a = m->X + nv * (size_t)i, *b = m->X + nv * (size_t)j, keep;
    for (size_t k = 0; k < nv; k++) keep = a[k], a[k] = b[k], b[k] = keep;
    keep = m->lambda[i], m->lambda[i] = m->lambda[j], m->lambda[j] = keep;
    keep = m->slack[i], m->slack[i] = m->slack[j], m->slack[j] = keep;
}

void lm_modes_rayleigh(lm_modes *m)
{
    size_t nv = (size_t)m->sys->nv;
    for (int j = 0; j < m->n; j++) {
        double *x = m->X + nv * (size_t)j;
        scale(nv, 1 / sqrt(lm_modes_form(m, m->M, x, NULL)), x);
        m->slack[j] = lm_modes_slack(m, x, &m->lambda[j]);
    }
    for (int j = 1; j < m->n; j++)
        for (int i = j; i > 0 && m->lambda[i] < m->lambda[i - 1]; i--) swap(m, i, i - 1);
}

/* K c = lambda M c in the span of n shapes: a small problem whose rounding is small. */
int lm_modes_ritz(lm_modes *m, const double *A, int first, int n)
{
    size_t nv = (size_t)m->sys->nv, N = (size_t)n * (size_t)n;
    double *X = m->X + nv * (size_t)first, *XC = lm_alloc(sizeof(double) * nv * (size_t)n);
    double *K = lm_alloc(sizeof(double) * (2 * N + (size_t)n)), *M = K ? K + N : NULL;
    int bad = !K || !XC || lm_modes_reduce(m, A, n, X, X, K) || lm_modes_reduce(m, m->M, n, X, X, M)
                  ? -1
                  : lm_symmetric_eigen(n, K, M, K + 2 * N);
    if (!bad) {
        lm_dense_mul((int)nv, n, n, X, K, XC);
        memcpy(X, XC, sizeof(double) * nv * (size_t)n);
    }
    lm_free(K);
    lm_free(XC);
    return bad;
}

/* ---- shapes of equal frequency ---- */

static int is_zero(const lm_modes *m, int j) { return fabs(m->lambda[j]) <= m->slack[j]; }

static int are_equal(const lm_modes *m, int i, int j)
{
    if (is_zero(m, i) || is_zero(m, j)) return is_zero(m, i) && is_zero(m, j);
    double most = fmax(fabs(m->lambda[i]), fabs(m->lambda[j]));
    double noise = 0.03 * fmax(m->slack[i], m->slack[j]);
    return fabs(m->lambda[i] - m->lambda[j]) <= fmax(1e-9 * most, noise);
}

/* Take what is left of w[k] beside the `have` columns of B into B, if that is more than `least`. */
static int take(size_t k, size_t have, double *B, double *w, double least)
{
    for (int twice = 0; twice < 2; twice++)
        for (size_t j = 0; j < have; j++) add(k, -dot(k, B + k * j, w), B + k * j, w);
    double norm = sqrt(dot(k, w, w));
    if (!(norm > least)) return 0;
    for (size_t i = 0; i < k; i++) B[k * have + i] = w[i] / norm;
    return 1;
}

typedef struct turning {
    const lm_modes *m;
    size_t k;             /* shapes of equal frequency */
    const double *X;      /* [nv x k] as they are */
    double *B;            /* [k x k] orthonormal: the new ones are Y = X B */
    double *Y, *left, *w; /* [nv x k]; [nv] of each row of X^2 what Y does not have yet; [k] */
    size_t have;
} turning;

/* The next new shape: what is left of the direction w. */
static void next_shape(turning *t, double least)
{
    size_t nv = (size_t)t->m->sys->nv;
    if (t->have == t->k || !take(t->k, t->have, t->B, t->w, least)) return;
    double *y = t->Y + nv * t->have;
    lm_dense_mul((int)nv, 1, (int)t->k, t->X, t->B + t->k * t->have, y);
    for (size_t i = 0; i < nv; i++) t->left[i] -= y[i] * y[i];
    t->have++;
}

/* The row with most left, in units of its kind: the first that comes near. */
static size_t pivot_row(const turning *t)
{
    size_t best = 0;
    double most = -1;
    for (size_t i = 0; i < (size_t)t->m->sys->nv; i++) {
        double left = t->left[i] / (t->m->unit[i] * t->m->unit[i]);
        if (left > most * (1 + 1e-6)) most = left, best = i;
    }
    return best;
}

/* First the shape that carries all of the momentum along x, then all along y of what is left,
 * and so on; then those that move one place most. */
static void turn(turning *t)
{
    const lm_modes *m = t->m;
    size_t nv = (size_t)m->sys->nv, k = t->k, before = k;
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < nv; i++) t->left[i] += t->X[nv * j + i] * t->X[nv * j + i];
    for (size_t d = 0; d < 6 && m->rigid; d++) {
        for (size_t j = 0; j < k; j++) t->w[j] = dot(nv, t->X + nv * j, m->Mrigid + nv * d);
        next_shape(t, 1e-5 * sqrt(m->total[d]));
    }
    while (t->have < k && t->have != before) {
        size_t row = pivot_row(t);
        before = t->have;
        for (size_t j = 0; j < k; j++) t->w[j] = t->X[nv * j + row];
        next_shape(t, 0);
    }
}

static limber_status turn_group(lm_modes *m, int first, int n)
{
    size_t nv = (size_t)m->sys->nv, k = (size_t)n;
    double *X = m->X + nv * (size_t)first;
    double *B = lm_alloc(sizeof(double) * (k * k + k + nv)), *Y = lm_alloc(sizeof(double) * nv * k);
    if (B && Y) {
        turning t = {m, k, X, B, Y, B + k * k, B + k * k + nv, 0};
        turn(&t);
        if (t.have == k) memcpy(X, Y, sizeof(double) * nv * k);
    }
    limber_status st = B && Y ? LIMBER_OK : LIMBER_MEMORY;
    lm_free(B);
    lm_free(Y);
    return st;
}

limber_status lm_modes_turn_equal(lm_modes *m)
{
    limber_status st = LIMBER_OK;
    for (int i = 0, end; i < m->n && i < m->count && !st; i = end) {
        for (end = i + 1; end < m->n && are_equal(m, i, end);) end++;
        if (end > i + 1) st = turn_group(m, i, end - i);
    }
    return st;
}

/* ---- the list ---- */

limber_status lm_modes_new(lm_modes *m, int found, int complex)
{
    size_t nv = (size_t)m->sys->nv;
    m->found = found;
    m->mode = LM_NEW_N(&m->arena, lm_mode, found + 1);
    if (!m->mode) return LIMBER_MEMORY;
    for (int j = 0; j < found; j++) {
        m->mode[j].shape = LM_NEW_N(&m->arena, double, nv + 1);
        if (complex) m->mode[j].imag = LM_NEW_N(&m->arena, double, nv + 1);
        if (!m->mode[j].shape || (complex && !m->mode[j].imag)) return LIMBER_MEMORY;
    }
    return LIMBER_OK;
}

/* lambda = omega^2; negative: exp(t sqrt(-lambda)). */
limber_status lm_modes_undamped(lm_modes *m)
{
    size_t nv = (size_t)m->sys->nv;
    limber_status st = lm_modes_new(m, m->n < m->count ? m->n : m->count, 0);
    for (int j = 0; j < m->found && !st; j++) {
        lm_mode *o = &m->mode[j];
        double lambda = m->lambda[j];
        memcpy(o->shape, m->X + nv * (size_t)j, sizeof(double) * nv);
        if (is_zero(m, j))
            o->kind = LIMBER_MODE_RIGID;
        else if (lambda < 0)
            o->kind = LIMBER_MODE_GROWS, o->re = sqrt(-lambda);
        else
            o->kind = LIMBER_MODE_VIBRATES, o->im = sqrt(lambda);
    }
    return st;
}

/* ---- phase, participation ---- */

/* What moves most: the largest velocity of the kind, lengths or angles, that has most of the
 * kinetic energy phi^T M phi; of several the first. */
static int mover(const lm_modes *m, const lm_mode *o, double *Mx)
{
    int nv = m->sys->nv, best = 0;
    double share[2] = {0, 0}, most = 0, *My = Mx + nv;
    lm_modes_mul(m, m->M, o->shape, Mx);
    if (o->imag) lm_modes_mul(m, m->M, o->imag, My);
    for (int i = 0; i < nv; i++)
        share[m->sys->angular[i]] += o->shape[i] * Mx[i] + (o->imag ? o->imag[i] * My[i] : 0);
    for (int i = 0, kind = share[1] > share[0] * (1 + 1e-6); i < nv; i++) {
        double size = hypot(o->shape[i], o->imag ? o->imag[i] : 0);
        if (m->sys->angular[i] == kind && size > most * (1 + 1e-6)) most = size, best = i;
    }
    return best;
}

/* That one is real and positive. */
static void fix_phase(const lm_modes *m, lm_mode *o)
{
    double re = o->shape[o->mover], im = o->imag ? o->imag[o->mover] : 0, length = hypot(re, im);
    if (!(length > 0)) return;
    double c = re / length, s = im / length;
    for (int i = 0; i < m->sys->nv; i++) {
        double x = o->shape[i], y = o->imag ? o->imag[i] : 0;
        o->shape[i] = c * x + s * y;
        if (o->imag) o->imag[i] = c * y - s * x;
    }
}

static void participate(const lm_modes *m, lm_mode *o)
{
    size_t nv = (size_t)m->sys->nv;
    for (size_t d = 0; d < 6 && m->rigid; d++) {
        double re = dot(nv, o->shape, m->Mrigid + nv * d);
        double im = o->imag ? dot(nv, o->imag, m->Mrigid + nv * d) : 0;
        o->participation[d] = re;
        o->mass[d] = re * re + im * im;
    }
}

/* Mass that moves in the motions that the shapes span: for undamped modes the sum of their
 * effective masses. Shapes with damping are not orthogonal, so the part of each that is new is
 * taken. */
static limber_status capture(lm_modes *m)
{
    size_t nv = (size_t)m->sys->nv, most = 2 * (size_t)m->found, have = 0;
    if (!m->rigid) return LIMBER_OK;
    double *B = lm_alloc(sizeof(double) * (nv * most + nv + 1)), *Mx = B ? B + nv * most : NULL;
    if (!B) return LIMBER_MEMORY;
    for (size_t j = 0; j < most; j++) {
        const lm_mode *o = &m->mode[j / 2];
        const double *from = j % 2 ? o->imag : o->shape;
        double *x = B + nv * have;
        if (!from) continue;
        memcpy(x, from, sizeof(double) * nv);
        for (int twice = 0; twice < 2; twice++) {
            lm_modes_mul(m, m->M, x, Mx);
            for (size_t b = 0; b < have; b++) add(nv, -dot(nv, B + nv * b, Mx), B + nv * b, x);
        }
        double mass = lm_modes_form(m, m->M, x, NULL);
        if (!(mass > 1e-12)) continue;
        scale(nv, 1 / sqrt(mass), x);
        for (size_t d = 0; d < 6; d++) {
            double p = dot(nv, x, m->Mrigid + nv * d);
            m->captured[d] += p * p;
        }
        have++;
    }
    lm_free(B);
    return LIMBER_OK;
}

limber_status lm_modes_finish(lm_modes *m)
{
    double *Mx = lm_alloc(sizeof(double) * (2 * (size_t)m->sys->nv + 1));
    if (!Mx) return LIMBER_MEMORY;
    for (int j = 0; j < m->found; j++) {
        m->mode[j].mover = mover(m, &m->mode[j], Mx);
        fix_phase(m, &m->mode[j]);
        participate(m, &m->mode[j]);
    }
    lm_free(Mx);
    return capture(m);
}
