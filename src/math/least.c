#include "math/least.h"

#include "math/eigen.h"

#include <math.h>

#define INDEPENDENT 1e-8 /* left of a row, relative */

int lm_least_make(lm_least *g, lm_arena *a, int n, int m)
{
    size_t un = (size_t)n, um = (size_t)m, least = un < um ? un : um;
    *g = (lm_least){.n = n, .m = m};
    g->C = lm_arena_alloc(a, sizeof(double) * (um * un + 1));
    g->phi = LM_NEW_N(a, double, m + 1);
    g->Q = lm_arena_alloc(a, sizeof(double) * (least * un + 1));
    g->T = lm_arena_alloc(a, sizeof(double) * (least * least + 1));
    g->y = LM_NEW_N(a, double, n + 1);
    g->row = LM_NEW_N(a, int, n + 1);
    g->Z = lm_arena_alloc(a, sizeof(double) * (un * un + 1));
    g->x = LM_NEW_N(a, double, n + 1);
    g->w = LM_NEW_N(a, double, n + 1);
    g->left = LM_NEW_N(a, double, n + 1);
    return g->C && g->phi && g->Q && g->T && g->y && g->row && g->Z && g->x && g->w && g->left ? 0
                                                                                               : -1;
}

static double dot(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

/* x -= sum c_k B_k, twice for the digits; coef grows by the c. Returns what is left. */
static double reduce(int n, int nb, const double *B, double *x, double *coef)
{
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < nb; k++) {
            double c = dot(n, B + (size_t)k * (size_t)n, x);
            for (int i = 0; i < n && c != 0; i++) x[i] -= c * B[(size_t)k * (size_t)n + (size_t)i];
            if (coef) coef[k] += c;
        }
    return sqrt(dot(n, x, x));
}

static void take_row(lm_least *g, int r, int most)
{
    size_t n = (size_t)g->n;
    double *q = g->Q + (size_t)g->rank * n, *T = g->T + (size_t)g->rank * (size_t)most;
    const double *row = lm_least_row(g, r);
    if (g->rank == most) return;
    memcpy(q, row, sizeof(double) * n);
    memset(T, 0, sizeof(double) * (size_t)most);
    double before = sqrt(dot(g->n, row, row)), left = reduce(g->n, g->rank, g->Q, q, T);
    if (before == 0 || left <= INDEPENDENT * before) return;
    for (int i = 0; i < g->n; i++) q[i] /= left;
    T[g->rank] = left;
    g->y[g->rank] = (-g->phi[r] - dot(g->rank, T, g->y)) / left;
    g->row[g->rank++] = r;
}

/* What is left of the unit vectors, the largest first. */
static void find_free(lm_least *g)
{
    size_t n = (size_t)g->n;
    double *left = g->left;
    for (size_t i = 0; i < n; i++) left[i] = 1;
    for (int k = 0; k < g->rank; k++)
        for (size_t i = 0; i < n; i++) left[i] -= g->Q[(size_t)k * n + i] * g->Q[(size_t)k * n + i];
    for (g->nfree = 0; g->rank + g->nfree < g->n; g->nfree++) {
        double *z = g->Z + (size_t)g->nfree * n;
        size_t best = 0;
        for (size_t i = 1; i < n; i++)
            if (left[i] > left[best] + 1e-9) best = i; /* of equal ones the first */
        memset(z, 0, sizeof(double) * n);
        z[best] = 1;
        reduce(g->n, g->rank, g->Q, z, NULL);
        reduce(g->n, g->nfree, g->Z, z, NULL);
        double size = reduce(g->n, g->rank, g->Q, z, NULL);
        for (size_t i = 0; i < n; i++) z[i] /= size, left[i] -= z[i] * z[i];
    }
}

void lm_least_solve(lm_least *g, int rows)
{
    int most = g->n < g->m ? g->n : g->m;
    g->rank = 0;
    for (int r = 0; r < rows; r++) take_row(g, r, most);
    memset(g->x, 0, sizeof(double) * (size_t)g->n);
    for (int k = 0; k < g->rank; k++)
        for (int i = 0; i < g->n; i++)
            g->x[i] += g->y[k] * g->Q[(size_t)k * (size_t)g->n + (size_t)i];
    g->misfit = 0, g->misfitting = -1;
    for (int r = 0; r < rows; r++) {
        double off = fabs(dot(g->n, lm_least_row(g, r), g->x) + g->phi[r]);
        if (off > g->misfit) g->misfit = off, g->misfitting = r;
    }
    find_free(g);
}

int lm_least_change(lm_least *g)
{
    int n = g->n, k = g->nfree;
    double *A = lm_alloc(sizeof(double) * (size_t)(k * k + k + 1)), *b = A + k * k;
    if (!A) return -1;
    for (int a = 0; a < k; a++)
        for (int i = 0; i < n; i++) {
            double w = g->w[i] * g->Z[(size_t)a * (size_t)n + (size_t)i];
            b[a] -= w * g->x[i];
            for (int c = 0; c < k; c++) A[a + c * k] += w * g->Z[(size_t)c * (size_t)n + (size_t)i];
        }
    int bad = k ? lm_dense_solve(k, A, 1, b) : 0;
    for (int a = 0; a < k && !bad; a++)
        for (int i = 0; i < n; i++) g->x[i] += b[a] * g->Z[(size_t)a * (size_t)n + (size_t)i];
    lm_free(A);
    return bad;
}
