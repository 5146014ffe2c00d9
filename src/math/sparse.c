#include "math/sparse.h"

#include <limits.h>
#include <string.h>

int lm_pattern_add(lm_pattern_builder *b, int row, int col)
{
    if (b->at.n == INT_MAX / 2) b->failed = 1;
    if (b->failed) return -1;
    void *grown = lm_vec_grow(b->arena, b->at.at, b->at.n, &b->at.cap, sizeof *b->at.at);
    if (!grown) {
        b->failed = 1;
        return -1;
    }
    b->at.at = grown;
    b->at.at[b->at.n].row = row;
    b->at.at[b->at.n++].col = col;
    return 0;
}

int lm_pattern_block(lm_pattern_builder *b, int row, int col, int nr, int nc)
{
    for (int c = 0; c < nc; c++)
        for (int r = 0; r < nr; r++)
            if (lm_pattern_add(b, row + r, col + c)) return -1;
    return 0;
}

/* Sort by row, then stably by column (two counting sorts), then drop repetitions. */
int lm_pattern_make(lm_pattern_builder *b, lm_arena *arena, int n, lm_pattern *p)
{
    int m = b->at.n;
    *p = (lm_pattern){.n = n};
    if (b->failed) return -1;
    p->colptr = LM_NEW_N(arena, int, n + 1);
    p->rowind = LM_NEW_N(arena, int, m);
    int *start = lm_alloc(sizeof(int) * (size_t)(n + 1)),
        *byrow = lm_alloc(sizeof(int) * (size_t)m);
    int *row = lm_alloc(sizeof(int) * (size_t)m);
    int failed = !p->colptr || !p->rowind || !start || !byrow || !row;
    if (!failed) {
        for (int k = 0; k < m; k++) start[b->at.at[k].row + 1]++;
        for (int i = 0; i < n; i++) start[i + 1] += start[i];
        for (int k = 0; k < m; k++) byrow[start[b->at.at[k].row]++] = k;
        memset(start, 0, sizeof(int) * (size_t)(n + 1));
        for (int k = 0; k < m; k++) start[b->at.at[k].col + 1]++;
        for (int i = 0; i < n; i++) start[i + 1] += start[i];
        for (int k = 0; k < m; k++) row[start[b->at.at[byrow[k]].col]++] = b->at.at[byrow[k]].row;
        for (int c = 0, k = 0; c < n; c++) { /* start[c] is now the end of column c */
            p->colptr[c] = p->nnz;
            for (; k < start[c]; k++)
                if (p->nnz == p->colptr[c] || p->rowind[p->nnz - 1] != row[k])
                    p->rowind[p->nnz++] = row[k];
        }
        p->colptr[n] = p->nnz;
    }
    lm_free(start);
    lm_free(byrow);
    lm_free(row);
    return failed ? -1 : 0;
}

int lm_pattern_find(const lm_pattern *p, int row, int col)
{
    int lo = p->colptr[col], hi = p->colptr[col + 1] - 1;
    while (lo <= hi) {
        int mid = lo + (hi - lo) / 2;
        if (p->rowind[mid] == row) return mid;
        if (p->rowind[mid] < row)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return -1;
}

void lm_sparse_mul(const lm_pattern *p, const double *values, double s, const double *x, double *y)
{
    for (int c = 0; c < p->n; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++)
            y[p->rowind[k]] += s * values[k] * x[c];
}

void lm_sparse_mul_t(const lm_pattern *p, const double *values, const double *x, double *y)
{
    for (int c = 0; c < p->n; c++) {
        double sum = 0;
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) sum += values[k] * x[p->rowind[k]];
        y[c] = sum;
    }
}
