#include "analysis/rigid_motion.h"

#include <math.h>
#include <string.h>

enum { MOST = 240 }; /* velocities; everything is dense */

size_t lm_rank_size(const lm_system *sys)
{
    size_t n = sys->nv <= MOST ? (size_t)sys->nv : 0;
    return n * n + (n ? (size_t)sys->pattern.nnz + n + 2 * (size_t)sys->nl : 0);
}

/* The active rows of Phi into A [n x n], lengths in units of the size; how many. */
static int gather(const lm_system *sys, const double *values, int *place, double *A)
{
    const lm_pattern *p = &sys->pattern;
    double size = sys->model->size > 0 ? sys->model->size : 1;
    int n = sys->nv, rows = 0;
    for (int k = 0; k < sys->nl; k++) place[k] = sys->active[k] ? rows++ : -1;
    if (rows != n) return rows;
    memset(A, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int c = 0; c < n; c++)
        for (int e = p->colptr[c]; e < p->colptr[c + 1]; e++) {
            int row = p->rowind[e] < n ? -1 : place[p->rowind[e] - n];
            double unit = sys->angular[p->rowind[e]] ? 1 : size;
            if (row >= 0) A[row * n + c] = values[e] * (sys->angular[c] ? 1 : size) / unit;
        }
    return rows;
}

static void swap_rows(double *A, int n, int i, int j)
{
    for (int c = 0; c < n; c++) {
        double keep = A[i * n + c];
        A[i * n + c] = A[j * n + c];
        A[j * n + c] = keep;
    }
}

/* Gaussian elimination with the largest pivot of each column. */
static int sign_of(double *A, int n)
{
    int sign = 1;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        if (fabs(A[best * n + k]) < 1e-12) return 0;
        if (best != k) swap_rows(A, n, k, best), sign = -sign;
        if (A[k * n + k] < 0) sign = -sign;
        for (int i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (int c = k; c < n && f != 0; c++) A[i * n + c] -= f * A[k * n + c];
        }
    }
    return sign;
}

int lm_rank_sign(lm_system *sys, double t, const double *q, double *work)
{
    if (sys->nv > MOST || sys->nv == 0) return 0;
    size_t n = (size_t)sys->nv;
    double *values = work + n * n, *zero = values + sys->pattern.nnz;
    memset(zero, 0, sizeof(double) * (n + (size_t)sys->nl));
    lm_state s = {t, q, zero, zero, zero + n};
    if (sys->form->jacobian(sys, &s, 0, 0, 1, values)) return 0;
    int *place = (int *)(zero + n + sys->nl);
    return gather(sys, values, place, work) == sys->nv ? sign_of(work, sys->nv) : 0;
}
