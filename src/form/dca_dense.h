/* Small dense products and factors of the divide and conquer tree, for matrices of 1 to some 60 rows.
 *
 * Column-major; the distance ld of columns is a multiple of four, and so is the number of rows that a
 * product is asked for: rows up to there are padding, which holds zeros. Everything is inlined into
 * functions marked LM_CLONES. */
#ifndef LM_FORM_DCA_DENSE_H
#define LM_FORM_DCA_DENSE_H

#include "math/clones.h"

#include <math.h>
#include <stddef.h>

#define DCA_INLINE static inline __attribute__((always_inline, unused))

typedef double dca_vec4 __attribute__((vector_size(32), aligned(8), may_alias));

#define DCA_AT(p) (*(dca_vec4 *)(p))
#define DCA_OF(p) (*(const dca_vec4 *)(p))

DCA_INLINE int dca_pad(int n) { return (n + 3) & ~3; }

/* A factor of a product: element (i, k) stands at p[i by_row + k by_col]. */
typedef struct dca_factor {
    const double *p;
    int by_row, by_col;
} dca_factor;

/* ---- C -= A B^T (plus: +=), tiles of 8 or 4 rows and 4, 2 or 1 columns ---- */

#define DCA_STEP(c, a, b) ((c) = plus ? (c) + (a) * (b) : (c) - (a) * (b))

DCA_INLINE void dca_tile84(int plus, int k, const double *A, int lda, dca_factor B, double *C,
                           int ldc)
{
    double *C1 = C + ldc, *C2 = C1 + ldc, *C3 = C2 + ldc;
    dca_vec4 c0 = DCA_OF(C), d0 = DCA_OF(C + 4), c1 = DCA_OF(C1), d1 = DCA_OF(C1 + 4);
    dca_vec4 c2 = DCA_OF(C2), d2 = DCA_OF(C2 + 4), c3 = DCA_OF(C3), d3 = DCA_OF(C3 + 4);
    for (int i = 0; i < k; i++, A += lda, B.p += B.by_col) {
        const dca_vec4 a = DCA_OF(A), b = DCA_OF(A + 4);
        const double x0 = B.p[0], x1 = B.p[B.by_row], x2 = B.p[2 * B.by_row],
                     x3 = B.p[3 * B.by_row];
        DCA_STEP(c0, a, x0), DCA_STEP(d0, b, x0);
        DCA_STEP(c1, a, x1), DCA_STEP(d1, b, x1);
        DCA_STEP(c2, a, x2), DCA_STEP(d2, b, x2);
        DCA_STEP(c3, a, x3), DCA_STEP(d3, b, x3);
    }
    DCA_AT(C) = c0, DCA_AT(C + 4) = d0, DCA_AT(C1) = c1, DCA_AT(C1 + 4) = d1;
    DCA_AT(C2) = c2, DCA_AT(C2 + 4) = d2, DCA_AT(C3) = c3, DCA_AT(C3 + 4) = d3;
}

DCA_INLINE void dca_tile44(int plus, int k, const double *A, int lda, dca_factor B, double *C,
                           int ldc)
{
    double *C1 = C + ldc, *C2 = C1 + ldc, *C3 = C2 + ldc;
    dca_vec4 c0 = DCA_OF(C), c1 = DCA_OF(C1), c2 = DCA_OF(C2), c3 = DCA_OF(C3);
    for (int i = 0; i < k; i++, A += lda, B.p += B.by_col) {
        const dca_vec4 a = DCA_OF(A);
        DCA_STEP(c0, a, B.p[0]), DCA_STEP(c1, a, B.p[B.by_row]);
        DCA_STEP(c2, a, B.p[2 * B.by_row]), DCA_STEP(c3, a, B.p[3 * B.by_row]);
    }
    DCA_AT(C) = c0, DCA_AT(C1) = c1, DCA_AT(C2) = c2, DCA_AT(C3) = c3;
}

DCA_INLINE void dca_tile82(int plus, int k, const double *A, int lda, dca_factor B, double *C,
                           int ldc)
{
    double *C1 = C + ldc;
    dca_vec4 c0 = DCA_OF(C), d0 = DCA_OF(C + 4), c1 = DCA_OF(C1), d1 = DCA_OF(C1 + 4);
    for (int i = 0; i < k; i++, A += lda, B.p += B.by_col) {
        const dca_vec4 a = DCA_OF(A), b = DCA_OF(A + 4);
        const double x0 = B.p[0], x1 = B.p[B.by_row];
        DCA_STEP(c0, a, x0), DCA_STEP(d0, b, x0);
        DCA_STEP(c1, a, x1), DCA_STEP(d1, b, x1);
    }
    DCA_AT(C) = c0, DCA_AT(C + 4) = d0, DCA_AT(C1) = c1, DCA_AT(C1 + 4) = d1;
}

DCA_INLINE void dca_tile42(int plus, int k, const double *A, int lda, dca_factor B, double *C,
                           int ldc)
{
    double *C1 = C + ldc;
    dca_vec4 c0 = DCA_OF(C), c1 = DCA_OF(C1);
    for (int i = 0; i < k; i++, A += lda, B.p += B.by_col) {
        const dca_vec4 a = DCA_OF(A);
        DCA_STEP(c0, a, B.p[0]), DCA_STEP(c1, a, B.p[B.by_row]);
    }
    DCA_AT(C) = c0, DCA_AT(C1) = c1;
}

DCA_INLINE void dca_tile41(int plus, int k, const double *A, int lda, dca_factor B, double *C)
{
    dca_vec4 c = DCA_OF(C);
    for (int i = 0; i < k; i++, A += lda, B.p += B.by_col) DCA_STEP(c, DCA_OF(A), B.p[0]);
    DCA_AT(C) = c;
}

/* n columns of 8 or 4 rows */
DCA_INLINE void dca_rows8(int plus, int n, int k, const double *A, int lda, dca_factor B, double *C,
                          int ldc)
{
    for (; n >= 4; n -= 4, B.p += 4 * B.by_row, C += 4 * ldc)
        dca_tile84(plus, k, A, lda, B, C, ldc);
    if (n >= 2) {
        dca_tile82(plus, k, A, lda, B, C, ldc);
        n -= 2, B.p += 2 * B.by_row, C += 2 * ldc;
    }
    if (n) {
        dca_tile41(plus, k, A, lda, B, C);
        dca_tile41(plus, k, A + 4, lda, B, C + 4);
    }
}

DCA_INLINE void dca_rows4(int plus, int n, int k, const double *A, int lda, dca_factor B, double *C,
                          int ldc)
{
    for (; n >= 4; n -= 4, B.p += 4 * B.by_row, C += 4 * ldc)
        dca_tile44(plus, k, A, lda, B, C, ldc);
    if (n >= 2) {
        dca_tile42(plus, k, A, lda, B, C, ldc);
        n -= 2, B.p += 2 * B.by_row, C += 2 * ldc;
    }
    if (n) dca_tile41(plus, k, A, lda, B, C);
}

/* C [m n] -+= A [m k] B^T, B [n k]; m a multiple of four */
DCA_INLINE void dca_product(int plus, int m, int n, int k, const double *A, int lda, dca_factor B,
                            double *C, int ldc)
{
    int i = 0;
    for (; i + 8 <= m; i += 8) dca_rows8(plus, n, k, A + i, lda, B, C + i, ldc);
    if (i < m) dca_rows4(plus, n, k, A + i, lda, B, C + i, ldc);
}

/* ---- factors ---- */

/* Columns j to end of A [ld n], rows from j (a multiple of four) down, have lost what is left of them:
 * A = L L^T there. On the diagonal stands 1 / L_jj. Returns end, or the column whose pivot is no more
 * than tol least[column]. */
DCA_INLINE int dca_factor_panel(int j, int end, double *A, int ld, double tol, const double *least)
{
    for (int c = j; c < end; c++) {
        double *col = A + ld * c, p = col[c];
        if (!(p > tol * least[c] && p < INFINITY)) return c;
        p = 1 / sqrt(p);
        for (int i = j; i < ld; i += 4) DCA_AT(col + i) = DCA_OF(col + i) * p;
        col[c] = p;
        for (int d = c + 1; d < end; d++) {
            const double x = col[d];
            double *to = A + ld * d;
            for (int i = j; i < ld; i += 4) DCA_AT(to + i) -= DCA_OF(col + i) * x;
        }
    }
    return end;
}

/* Lower triangle of A [ld n] -> L, A = L L^T, with reciprocals on the diagonal; above it: anything.
 * -1, or the first row that the rows before it imply. */
DCA_INLINE int dca_cholesky(int n, double *A, int ld, double tol, const double *least)
{
    for (int j = 0; j < n; j += 4) {
        const int end = j + 4 < n ? j + 4 : n;
        double *P = A + j + ld * j;
        dca_product(0, ld - j, end - j, j, A + j, ld, (dca_factor){A + j, 1, ld}, P, ld);
        int bad = dca_factor_panel(j, end, A, ld, tol, least);
        if (bad < end) return bad;
    }
    return -1;
}

/* X [m n] -> X L^-T; m a multiple of four */
DCA_INLINE void dca_solve_right(int m, int n, const double *L, int ld, double *X, int ldx)
{
    for (int j = 0; j < n; j += 4) {
        const int end = j + 4 < n ? j + 4 : n;
        dca_product(0, m, end - j, j, X, ldx, (dca_factor){L + j, 1, ld}, X + ldx * j, ldx);
        for (int c = j; c < end; c++) {
            double *x = X + ldx * c;
            for (int d = j; d < c; d++)
                for (int i = 0; i < m; i += 4)
                    DCA_AT(x + i) -= DCA_OF(X + ldx * d + i) * L[c + ld * d];
            for (int i = 0; i < m; i += 4) DCA_AT(x + i) *= L[c + ld * c];
        }
    }
}

/* ---- vectors ---- */

DCA_INLINE void dca_zero(double *p, int n) /* n a multiple of four, here and below */
{
    for (int i = 0; i < n; i += 4) DCA_AT(p + i) = (dca_vec4){0, 0, 0, 0};
}

DCA_INLINE void dca_copy(int n, const double *from, double *to) /* any n */
{
    int i = 0;
    for (; i + 4 <= n; i += 4) DCA_AT(to + i) = DCA_OF(from + i);
    for (; i < n; i++) to[i] = from[i];
}

DCA_INLINE void dca_add(int n, double f, const double *x, double *y) /* y += f x */
{
    for (int i = 0; i < n; i += 4) DCA_AT(y + i) += f * DCA_OF(x + i);
}

DCA_INLINE void dca_add_squares(int n, double f, const double *x, double *y) /* y += f x^2 */
{
    for (int i = 0; i < n; i += 4) DCA_AT(y + i) += f * (DCA_OF(x + i) * DCA_OF(x + i));
}

DCA_INLINE double dca_dot(int m, const double *a, const double *b)
{
    dca_vec4 s = {0, 0, 0, 0};
    for (int i = 0; i < m; i += 4) s += DCA_OF(a + i) * DCA_OF(b + i);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* x [n], with zeros up to ld -> L^-T x */
DCA_INLINE void dca_solve_back(int n, const double *L, int ld, double *x)
{
    for (int j = (n - 1) & ~3; j >= 0; j -= 4) {
        const int end = j + 4 < n ? j + 4 : n;
        for (int c = j; c < end; c++) x[c] -= dca_dot(ld - j - 4, L + ld * c + j + 4, x + j + 4);
        for (int c = end - 1; c >= j; c--) {
            for (int i = c + 1; i < end; i++) x[c] -= L[i + ld * c] * x[i];
            x[c] *= L[c + ld * c];
        }
    }
}

#endif
