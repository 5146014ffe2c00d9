/* Small dense products and inverses for the block solver, inlined where they are used: the compiler makes
 * versions for several processors of the functions that contain them. Column-major. */
#ifndef LM_SOLVE_BLOCK_DENSE_H
#define LM_SOLVE_BLOCK_DENSE_H

#include "solve/block.h"

#include <math.h>
#include <string.h>

#define LM_INLINE static inline __attribute__((always_inline))
typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));

/* 8, 4, 2 or 1 rows of y = A x or, `less`, y -= A x, with A's columns ld apart. */
LM_INLINE void rows8(int less, int n, const double *A, int ld, const double *x, double *y)
{
    vec4 a = {0}, b = {0};
    if (less) a = *(vec4 *)y, b = *(vec4 *)(y + 4);
    for (int j = 0; j < n; j++, A += ld) {
        vec4 p = *(const vec4 *)A * x[j], q = *(const vec4 *)(A + 4) * x[j];
        a = less ? a - p : a + p;
        b = less ? b - q : b + q;
    }
    *(vec4 *)y = a;
    *(vec4 *)(y + 4) = b;
}

LM_INLINE void rows4(int less, int n, const double *A, int ld, const double *x, double *y)
{
    vec4 a = {0};
    if (less) a = *(vec4 *)y;
    for (int j = 0; j < n; j++, A += ld) {
        vec4 p = *(const vec4 *)A * x[j];
        a = less ? a - p : a + p;
    }
    *(vec4 *)y = a;
}

LM_INLINE void rows2(int less, int n, const double *A, int ld, const double *x, double *y)
{
    vec2 a = {0};
    if (less) a = *(vec2 *)y;
    for (int j = 0; j < n; j++, A += ld) {
        vec2 p = *(const vec2 *)A * x[j];
        a = less ? a - p : a + p;
    }
    *(vec2 *)y = a;
}

LM_INLINE void rows1(int less, int n, const double *A, int ld, const double *x, double *y)
{
    double a = less ? *y : 0;
    for (int j = 0; j < n; j++, A += ld) a = less ? a - *A * x[j] : a + *A * x[j];
    *y = a;
}

/* y (m) = A (m x n, columns ld apart) x or, `less`, y -= A x; `less` is a constant. */
LM_INLINE void multiply(int less, int m, int n, const double *A, int ld, const double *x, double *y)
{
    int i = 0;
    for (; i + 8 <= m; i += 8) rows8(less, n, A + i, ld, x, y + i);
    if (m & 4) rows4(less, n, A + i, ld, x, y + i), i += 4;
    if (m & 2) rows2(less, n, A + i, ld, x, y + i), i += 2;
    if (m & 1) rows1(less, n, A + i, ld, x, y + i);
}

/* The same of matrices, C (m x n, ldc), A (m x k, lda), B (k x n, ldb). */
LM_INLINE void multiply_all(int less, int m, int n, int k, const double *A, int lda,
                            const double *B, int ldb, double *C, int ldc)
{
    for (int j = 0; j < n; j++) multiply(less, m, k, A, lda, B + ldb * j, C + ldc * j);
}

/* y (m) += f a */
LM_INLINE void add_multiple(int m, double f, const double *a, double *y)
{
    int i = 0;
    for (; i + 4 <= m; i += 4) *(vec4 *)(y + i) += *(const vec4 *)(a + i) * f;
    if (m & 2) *(vec2 *)(y + i) += *(const vec2 *)(a + i) * f, i += 2;
    if (m & 1) y[i] += a[i] * f;
}

/* y (m) *= f */
LM_INLINE void scale(int m, double f, double *y)
{
    int i = 0;
    for (; i + 4 <= m; i += 4) *(vec4 *)(y + i) *= f;
    if (m & 2) *(vec2 *)(y + i) *= f, i += 2;
    if (m & 1) y[i] *= f;
}

/* Smallest and largest so far. */
typedef struct lm_pivots {
    double least, most;
} lm_pivots;

/* Weights by which the rows of D (m x m) are compared in the search for pivots: rows of joints, which
 * have no positive number on the diagonal, go before those of motions, in units of their largest entries.
 *
 * In [M C^T; C -S] a motion that the joint does not leave must come out as zero in the inverse, to a
 * small part of the compliance of a long chain of such bodies behind it. With rows of C as pivots it is
 * zero; with those of M it is the difference of equal numbers, and the error of a chain grows with the
 * cube of its length. */
LM_INLINE void weigh(int m, const double *D, double *w)
{
    int joints = 0;
    for (int i = 0; i < m; i++) joints += !(D[i + m * i] > 0);
    for (int i = 0; i < m; i++) {
        double most = 0;
        for (int j = 0; j < m && joints; j++) {
            double x = fabs(D[i + m * j]);
            most = most > x ? most : x;
        }
        w[i] = most > 0 ? (D[i + m * i] > 0 ? 1 : 8) / most : 1;
    }
}

/* A (m x m, ld) becomes D = its inverse (m x m, dense), by Gauss and Jordan with row pivots. */
LM_INLINE int invert(int m, const double *A, int ld, double *restrict D, lm_pivots *pivots)
{
    int rows[LARGEST_GROUP];
    double w[LARGEST_GROUP];
    for (int j = 0; j < m; j++) memcpy(D + m * j, A + ld * j, sizeof(double) * (size_t)m);
    weigh(m, D, w);
    for (int k = 0; k < m; k++) {
        int pivot = k;
        double best = w[k] * fabs(D[k + m * k]);
        for (int i = k + 1; i < m; i++) {
            double x = w[i] * fabs(D[i + m * k]);
            if (x > best) best = x, pivot = i;
        }
        double p = D[pivot + m * k];
        w[pivot] = w[k];
        if (!(fabs(p) > 0)) return 1;
        pivots->least = fmin(pivots->least, fabs(p));
        pivots->most = fmax(pivots->most, fabs(p));
        rows[k] = pivot;
        for (int j = 0; j < m && pivot != k; j++) {
            double t = D[k + m * j];
            D[k + m * j] = D[pivot + m * j];
            D[pivot + m * j] = t;
        }
        /* column k of the elimination matrix; its row k, written last: a vector that is read just after
         * one of its numbers was written waits for the memory */
        double inv = 1 / p, *ck = D + m * k;
        scale(m, -inv, ck);
        for (int j = 0; j < m; j++) {
            double *cj = D + m * j, f = cj[k];
            if (j == k || f == 0) continue;
            add_multiple(m, f, ck, cj);
            cj[k] = f * inv;
        }
        ck[k] = inv;
    }
    for (int k = m - 1; k >= 0; k--) { /* row swaps come back as column swaps */
        if (rows[k] == k) continue;
        for (int i = 0; i < m; i++) {
            double t = D[i + m * k];
            D[i + m * k] = D[i + m * rows[k]];
            D[i + m * rows[k]] = t;
        }
    }
    return 0;
}

#endif
