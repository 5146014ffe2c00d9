#include "analysis/elimination.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

/* Stiffness of the constraints' springs over the largest of what they hold. It is no part of the answer,
 * but its rounding is: well below the stretching of slender beams, which bend far more softly. */
#define PENALTY 0.01
#define FIRM    1e4 /* stiffness over force / size that forces which turn do not bend */

/* ---- pattern ---- */

/* Constraint rows by rows: the pattern is stored by columns. */
static int list_rows(lm_elimination *e)
{
    const lm_pattern *p = &e->sys->pattern;
    e->rows = LM_NEW_N(&e->arena, phi_row, e->sys->nl + 1);
    if (!e->rows) return -1;
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < e->nv; c++)
            for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
                if (p->rowind[k] < e->nv) continue;
                phi_row *r = &e->rows[p->rowind[k] - e->nv];
                if (pass) r->col[r->n] = c, r->place[r->n] = k;
                r->n++;
            }
        for (int k = 0; k < e->sys->nl && pass == 0; k++) {
            phi_row *r = &e->rows[k];
            r->col = LM_NEW_N(&e->arena, int, r->n + 1);
            r->place = LM_NEW_N(&e->arena, int, r->n + 1);
            r->product = LM_NEW_N(&e->arena, int, r->n * r->n + 1);
            if (!r->col || !r->place || !r->product) return -1;
            r->n = 0;
        }
    }
    return 0;
}

/* The pattern of A, both triangles; of its first n unknowns. */
static int whole_pattern(const lm_elimination *e, int n, lm_arena *temp, lm_pattern *whole)
{
    const lm_pattern *p = &e->sys->pattern;
    lm_pattern_builder pb = {.arena = temp};
    for (int c = 0; c < n; c++) {
        lm_pattern_add(&pb, c, c);
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
            if (p->rowind[k] >= n) continue;
            lm_pattern_add(&pb, p->rowind[k], c);
            lm_pattern_add(&pb, c, p->rowind[k]);
        }
    }
    for (int k = 0; k < e->sys->nl; k++)
        for (int i = 0; i < e->rows[k].n; i++)
            for (int j = 0; j < e->rows[k].n; j++)
                lm_pattern_add(&pb, e->rows[k].col[i], e->rows[k].col[j]);
    return lm_pattern_make(&pb, temp, n, whole);
}

/* Motions in an order of little fill, each multiplier after the last motion of its row. */
static int order(lm_elimination *e, lm_arena *temp)
{
    lm_pattern motions;
    int *by = LM_NEW_N(temp, int, e->nv + 1), *head = LM_NEW_N(temp, int, e->nv + 1);
    int *next = LM_NEW_N(temp, int, e->sys->nl + 1), *at = LM_NEW_N(temp, int, e->nv + 1);
    if (!by || !head || !next || !at || whole_pattern(e, e->nv, temp, &motions)) return -1;
    if (e->nv > 0 && amd_order(e->nv, motions.colptr, motions.rowind, by, NULL, NULL) < 0)
        return -1;
    for (int i = 0; i < e->nv; i++) head[i] = -1, at[by[i]] = i;
    int done = 0;
    for (int k = 0; k < e->sys->nl; k++) {
        int last = -1;
        for (int i = 0; i < e->rows[k].n; i++)
            if (at[e->rows[k].col[i]] > last) last = at[e->rows[k].col[i]];
        if (last < 0)
            e->perm[done++] = e->nv + k; /* an empty row */
        else
            next[k] = head[last], head[last] = k;
    }
    for (int i = 0; i < e->nv; i++) {
        e->perm[done++] = by[i];
        for (int k = head[i]; k >= 0; k = next[k]) e->perm[done++] = e->nv + k;
    }
    for (int i = 0; i < e->n; i++) e->inverse[e->perm[i]] = i;
    return 0;
}

/* Place in A of the entry (r, c), old numbers. */
static int place(const lm_elimination *e, int r, int c)
{
    int i = e->inverse[r], j = e->inverse[c], up = i < j;
    if (i == j) return i;
    if (up) i = e->inverse[c], j = e->inverse[r];
    int low = e->start[i], high = e->start[i + 1] - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (e->index[mid] < j)
            low = mid + 1;
        else
            high = mid;
    }
    return e->n + low + (up ? e->nz : 0);
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int renumber(lm_elimination *e, lm_arena *temp)
{
    size_t n = (size_t)e->n;
    lm_pattern whole;
    e->perm = LM_NEW_N(&e->arena, int, n + 1);
    e->inverse = LM_NEW_N(&e->arena, int, n + 1);
    e->start = LM_NEW_N(&e->arena, int, n + 2);
    e->to = LM_NEW_N(&e->arena, int, e->sys->pattern.nnz + 1);
    if (!e->perm || !e->inverse || !e->start || !e->to) return -1;
    if (order(e, temp) || whole_pattern(e, e->n, temp, &whole)) return -1;
    e->nz = (whole.nnz - e->n) / 2;
    e->index = LM_NEW_N(&e->arena, int, e->nz + 1);
    e->A = LM_NEW_N(&e->arena, double, n + 2 * (size_t)e->nz + 1);
    if (!e->index || !e->A) return -1;
    for (int i = 0, at = 0; i < e->n; i++) {
        int c = e->perm[i];
        for (int k = whole.colptr[c]; k < whole.colptr[c + 1]; k++) {
            int j = e->inverse[whole.rowind[k]];
            if (j < i) e->index[at++] = j;
        }
        e->start[i + 1] = at;
        qsort(e->index + e->start[i], (size_t)(at - e->start[i]), sizeof(int), compare_ints);
    }
    return 0;
}

static void find_places(lm_elimination *e)
{
    const lm_pattern *p = &e->sys->pattern;
    for (int c = 0; c < p->n; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) e->to[k] = place(e, p->rowind[k], c);
    for (int k = 0; k < e->sys->nl; k++)
        for (int i = 0; i < e->rows[k].n; i++)
            for (int j = 0; j < e->rows[k].n; j++)
                e->rows[k].product[i * e->rows[k].n + j] =
                    place(e, e->rows[k].col[i], e->rows[k].col[j]);
}

/* Elimination tree and the lengths of the columns of L (T. Davis, LDL). */
static int symbolic(lm_elimination *e)
{
    size_t n = (size_t)e->n;
    int **ints[] = {&e->parent, &e->lowest, &e->mark, &e->stack, &e->reach, &e->count};
    double **doubles[] = {&e->D, &e->y, &e->z, &e->product};
    for (int i = 0; i < 6; i++)
        if (!(*ints[i] = LM_NEW_N(&e->arena, int, n + 1))) return -1;
    for (int i = 0; i < 4; i++)
        if (!(*doubles[i] = LM_NEW_N(&e->arena, double, n + 1))) return -1;
    if (!(e->first = LM_NEW_N(&e->arena, int, n + 2))) return -1;
    for (int k = 0; k < e->n; k++) {
        e->parent[k] = -1;
        e->mark[k] = k;
        for (int p = e->start[k]; p < e->start[k + 1]; p++)
            for (int i = e->index[p]; e->mark[i] != k; i = e->parent[i]) {
                if (e->parent[i] < 0) e->parent[i] = k;
                e->count[i]++;
                e->mark[i] = k;
            }
    }
    for (int k = 0; k < e->n; k++) {
        e->first[k + 1] = e->first[k] + e->count[k];
        e->lowest[k] = k;
    }
    for (int k = 0; k < e->n; k++) {
        int up = e->parent[k];
        if (up >= 0 && e->lowest[k] < e->lowest[up]) e->lowest[up] = e->lowest[k];
    }
    size_t fill = (size_t)e->first[e->n] + 1;
    e->row = LM_NEW_N(&e->arena, int, fill);
    e->L = LM_NEW_N(&e->arena, double, fill);
    e->U = LM_NEW_N(&e->arena, double, fill);
    return e->row && e->L && e->U ? 0 : -1;
}

int lm_elimination_prepare(lm_elimination *e)
{
    lm_arena temp = {0};
    int bad = list_rows(e) || renumber(e, &temp);
    lm_arena_free(&temp);
    if (bad) return -1;
    find_places(e);
    return symbolic(e);
}

/* ---- numbers ---- */

/* Stiffness of a constraint's spring: PENALTY times the largest that its motions have, or, where
 * they have none, that anything has; in mechanisms of rigid bodies, where all stiffness is that of forces which
 * turn, so much more that these leave it little. */
static double spring(lm_elimination *e, const phi_row *r, const double *values, double most,
                     double unit)
{
    double near = 0, square = 0;
    for (int i = 0; i < r->n; i++) {
        double phi = values[r->place[i]], w = lm_weight(e, r->col[i]);
        if (phi == 0) continue;
        near = fmax(near, fabs(e->A[e->inverse[r->col[i]]]) / w);
        square = fmax(square, phi * phi / w);
    }
    if (near < 1e-9 * most) near = most;
    double stiffness = fmax(PENALTY * near, FIRM * unit);
    e->softest = fmin(e->softest, stiffness);
    return square > 0 ? stiffness / square : 0;
}

static void add_springs(lm_elimination *e, const double *values, double unit)
{
    double most = 0, *p = e->product;
    for (int i = 0; i < e->nv; i++) most = fmax(most, fabs(e->A[e->inverse[i]]) / lm_weight(e, i));
    if (most == 0) most = 1;
    e->softest = INFINITY;
    for (int k = 0; k < e->sys->nl; k++) p[k] = spring(e, &e->rows[k], values, most, unit);
    for (int k = 0; k < e->sys->nl; k++) {
        const phi_row *r = &e->rows[k];
        if (!e->sys->active[k]) {
            e->A[e->inverse[e->nv + k]] = -1;
            continue;
        }
        for (int i = 0; i < r->n; i++)
            for (int j = 0; j < r->n; j++)
                e->A[r->product[i * r->n + j]] += p[k] * values[r->place[i]] * values[r->place[j]];
    }
}

int lm_elimination_assemble(lm_elimination *e, const double *values, double unit)
{
    double sum = 0;
    memset(e->A, 0, sizeof(double) * ((size_t)e->n + 2 * (size_t)e->nz));
    for (int k = 0; k < e->sys->pattern.nnz; k++) e->A[e->to[k]] += values[k];
    add_springs(e, values, unit);
    for (int k = 0; k < e->n + 2 * e->nz; k++) sum += e->A[k];
    return isfinite(sum) ? 0 : 1;
}

/* The columns of L that row k takes part in, ascending along the tree; returns where in `reach`. */
static int reach_of(lm_elimination *e, int k)
{
    int top = e->n;
    e->mark[k] = k;
    for (int p = e->start[k]; p < e->start[k + 1]; p++) {
        int i = e->index[p], len = 0;
        for (; e->mark[i] != k; i = e->parent[i]) {
            e->stack[len++] = i;
            e->mark[i] = k;
        }
        while (len > 0) e->reach[--top] = e->stack[--len];
    }
    return top;
}

void lm_elimination_begin(lm_elimination *e)
{
    memset(e->count, 0, sizeof(int) * (size_t)e->n);
    memset(e->y, 0, sizeof(double) * (size_t)e->n);
    memset(e->z, 0, sizeof(double) * (size_t)e->n);
    for (int i = 0; i < e->n; i++) e->mark[i] = -1;
}

void lm_elimination_row(lm_elimination *e, int k)
{
    double *low = e->y, *up = e->z;
    int top = reach_of(e, k);
    for (int p = e->start[k]; p < e->start[k + 1]; p++) {
        low[e->index[p]] = e->A[e->n + p];
        up[e->index[p]] = e->A[e->n + e->nz + p];
    }
    e->D[k] = e->A[k];
    for (; top < e->n; top++) {
        int i = e->reach[top], end = e->first[i] + e->count[i];
        double l = low[i] / e->D[i], u = up[i];
        low[i] = up[i] = 0;
        for (int p = e->first[i]; p < end; p++) {
            low[e->row[p]] -= l * e->U[p];
            up[e->row[p]] -= e->L[p] * u;
        }
        e->D[k] -= l * u;
        e->row[end] = k;
        e->L[end] = l;
        e->U[end] = u;
        e->count[i]++;
    }
}

/* U is stored with the pivots in it. */
void lm_elimination_solve(const lm_elimination *e, double *x)
{
    for (int i = 0; i < e->n; i++)
        for (int p = e->first[i]; p < e->first[i] + e->count[i]; p++)
            x[e->row[p]] -= e->L[p] * x[i];
    for (int i = e->n - 1; i >= 0; i--) {
        for (int p = e->first[i]; p < e->first[i] + e->count[i]; p++)
            x[i] -= e->U[p] * x[e->row[p]];
        x[i] /= e->D[i];
    }
}
