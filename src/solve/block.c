#include "solve/block.h"

#include <math.h>
#include <string.h>

/* Factors with a larger backward error are not used: pivots within groups did not suffice, as near a
 * singular position of a loop. (The inverse D solves less exactly than triangular factors would, by the
 * condition of a group: 1e-14 to 1e-12 is common, and it grows with the square of a chain's length.) */
static double worst_error(int n) { return 1e-11 * fmax(1, n / 1e3 * (n / 1e3)); }

struct lm_block_solver {
    const lm_pattern *p;
    lm_arena arena;
    lm_block_plan plan;
    double *front, *stack; /* scratch of the factorisation */
    double *x;             /* [2 n] right sides in the order of elimination */
    double *proof;         /* [3 n] */
    double least, most;    /* pivots */
    double error;          /* backward error of the factors */
};

/* Memory is read in ascending order on both ways. */
static void lay_out(lm_block_plan *plan, double *at)
{
    for (int k = 0; k < plan->nnodes; k++) {
        plan->nodes[k].Z = at;
        at += plan->nodes[k].m * plan->nodes[k].r;
    }
    for (int k = plan->nnodes - 1; k >= 0; k--) {
        plan->nodes[k].DW = at;
        at += plan->nodes[k].m * (plan->nodes[k].m + plan->nodes[k].r);
    }
}

lm_block_solver *lm_block_create(const lm_pattern *p, const lm_groups *g, int *no_order)
{
    lm_arena arena = {0};
    lm_block_solver *b = LM_NEW(&arena, lm_block_solver);
    *no_order = 0;
    if (!b) return NULL;
    b->p = p;
    int bad = lm_block_plan_make(p, g, &arena, &b->plan);
    if (!bad) {
        lm_block_plan *plan = &b->plan;
        size_t n = (size_t)p->n, f = (size_t)plan->largest;
        double *at = LM_NEW_N(&arena, double, plan->doubles + 1);
        b->front = LM_NEW_N(&arena, double, f *f + 1); /* solutions use its first f */
        b->stack = LM_NEW_N(&arena, double, plan->stack + 1);
        b->x = LM_NEW_N(&arena, double, 2 * n + 1);
        b->proof = LM_NEW_N(&arena, double, 3 * n + 1);
        if (!at || !b->front || !b->stack || !b->x || !b->proof) bad = -1;
        if (!bad) lay_out(plan, at);
    }
    if (bad) {
        *no_order = bad > 0;
        lm_arena_free(&arena);
        return NULL;
    }
    b->arena = arena;
    return b;
}

void lm_block_destroy(lm_block_solver *b)
{
    if (!b) return;
    lm_arena arena = b->arena;
    lm_arena_free(&arena);
}

/* ---- small dense products ---- */

#define INLINE static inline __attribute__((always_inline))
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define CLONES                                                                                     \
    __attribute__((target_clones("avx2", "default"))) /* the same bits: no fused products */
#else
#define CLONES
#endif

typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));

/* `rows` rows (8, 4, 2 or 1) of y -= A x, with A's columns ld apart. */
INLINE void rows8(int n, const double *A, int ld, const double *x, double *y)
{
    vec4 a = *(vec4 *)y, b = *(vec4 *)(y + 4);
    for (int j = 0; j < n; j++, A += ld) {
        a -= *(const vec4 *)A * x[j];
        b -= *(const vec4 *)(A + 4) * x[j];
    }
    *(vec4 *)y = a;
    *(vec4 *)(y + 4) = b;
}

INLINE void rows4(int n, const double *A, int ld, const double *x, double *y)
{
    vec4 a = *(vec4 *)y;
    for (int j = 0; j < n; j++, A += ld) a -= *(const vec4 *)A * x[j];
    *(vec4 *)y = a;
}

INLINE void rows2(int n, const double *A, int ld, const double *x, double *y)
{
    vec2 a = *(vec2 *)y;
    for (int j = 0; j < n; j++, A += ld) a -= *(const vec2 *)A * x[j];
    *(vec2 *)y = a;
}

INLINE void rows1(int n, const double *A, int ld, const double *x, double *y)
{
    double a = *y;
    for (int j = 0; j < n; j++, A += ld) a -= *A * x[j];
    *y = a;
}

/* y (m) -= A (m x n, columns ld apart) x */
INLINE void subtract(int m, int n, const double *A, int ld, const double *x, double *y)
{
    int i = 0;
    for (; i + 8 <= m; i += 8) rows8(n, A + i, ld, x, y + i);
    if (m & 4) rows4(n, A + i, ld, x, y + i), i += 4;
    if (m & 2) rows2(n, A + i, ld, x, y + i), i += 2;
    if (m & 1) rows1(n, A + i, ld, x, y + i);
}

/* C (m x n, ldc) -= A (m x k, lda) B (k x n, ldb) */
INLINE void subtract_product(int m, int n, int k, const double *A, int lda, const double *B,
                             int ldb, double *C, int ldc)
{
    for (int j = 0; j < n; j++) subtract(m, k, A, lda, B + ldb * j, C + ldc * j);
}

/* A (m x m, ld) becomes D = its inverse (m x m, dense), by Gauss and Jordan with row pivots. */
INLINE int invert(int m, const double *A, int ld, double *restrict D, lm_block_solver *b)
{
    int rows[LARGEST_GROUP];
    for (int j = 0; j < m; j++) memcpy(D + m * j, A + ld * j, sizeof(double) * (size_t)m);
    for (int k = 0; k < m; k++) {
        int pivot = k;
        for (int i = k + 1; i < m; i++)
            if (fabs(D[i + m * k]) > fabs(D[pivot + m * k])) pivot = i;
        double p = D[pivot + m * k];
        if (!(fabs(p) > 0)) return 1;
        b->least = fmin(b->least, fabs(p));
        b->most = fmax(b->most, fabs(p));
        rows[k] = pivot;
        for (int j = 0; j < m && pivot != k; j++) {
            double t = D[k + m * j];
            D[k + m * j] = D[pivot + m * j];
            D[pivot + m * j] = t;
        }
        double inv = 1 / p, *restrict ck = D + m * k;
        ck[k] = 1;
        for (int i = 0; i < m; i++) ck[i] *= -inv; /* the column of the elimination matrix */
        ck[k] = inv;
        for (int j = 0; j < m; j++) {
            if (j == k) continue;
            double *restrict cj = D + m * j, f = cj[k];
            if (f == 0) continue;
            cj[k] = 0;
            for (int i = 0; i < m; i++) cj[i] += f * ck[i];
        }
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

/* ---- factorisation ---- */

static void assemble(const lm_block_solver *b, const lm_block_node *node, const double *values,
                     double *front)
{
    int f = node->m + node->r;
    memset(front, 0, sizeof(double) * (size_t)f * (size_t)f);
    const int *from = b->plan.from + node->entry, *to = b->plan.to + node->entry;
    for (int k = 0; k < node->nent; k++) front[to[k]] += values[from[k]];
}

/* Add a child's update to its parent's front. */
static void extend(const lm_block_node *child, int f, const double *update, double *front)
{
    int r = child->r;
    const int *to = child->to_parent;
    for (int j = 0; j < r; j++) {
        double *column = front + f * to[j];
        for (int i = 0; i < r; i++) column[to[i]] += update[i + r * j];
    }
}

/* Eliminate the first m of a front; the update goes to `update`. */
INLINE int eliminate(lm_block_solver *b, lm_block_node *node, const double *front, double *update)
{
    int m = node->m, r = node->r, f = m + r;
    double *D = node->DW, *W = D + m * m, *Z = node->Z;
    if (invert(m, front, f, D, b)) return 1;
    memset(W, 0, sizeof(double) * (size_t)(m * r));
    memset(Z, 0, sizeof(double) * (size_t)(m * r));
    subtract_product(m, r, m, D, m, front + f * m, f, W, m); /* W = -D A12 */
    subtract_product(r, m, m, front + m, f, D, m, Z, r);     /* Z = -A21 D */
    for (int j = 0; j < r; j++)
        memcpy(update + r * j, front + m + f * (m + j), sizeof(double) * (size_t)r);
    for (int k = 0; k < m * r; k++) W[k] = -W[k], Z[k] = -Z[k];
    subtract_product(r, r, m, front + m, f, W, m, update, r); /* A22 - A21 W */
    return 0;
}

static CLONES int factor(lm_block_solver *b, const double *values)
{
    lm_block_plan *plan = &b->plan;
    double *top = b->stack;
    b->least = INFINITY;
    b->most = 0;
    for (int k = 0; k < plan->nnodes; k++) {
        lm_block_node *node = &plan->nodes[k];
        assemble(b, node, values, b->front);
        for (int c = node->child; c >= 0; c = plan->nodes[c].sibling) { /* newest first */
            top -= plan->nodes[c].r * plan->nodes[c].r;
            extend(&plan->nodes[c], node->m + node->r, top, b->front);
        }
        if (eliminate(b, node, b->front, top)) return 1;
        top += node->r * node->r;
    }
    return 0;
}

/* How well the factors solve one system: the residual of each equation over the sum of its terms. */
static double backward_error(lm_block_solver *b, const double *values)
{
    const lm_pattern *p = b->p;
    double *x = b->proof, *r = x + p->n, *sum = r + p->n, worst = 0;
    for (int i = 0; i < p->n; i++) {
        x[i] = 1 + 0.25 * (i % 5);
        r[i] = x[i];
        sum[i] = x[i];
    }
    lm_block_solve(b, 1, x);
    for (int c = 0; c < p->n; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
            double term = values[k] * x[c];
            r[p->rowind[k]] -= term;
            sum[p->rowind[k]] += fabs(term);
        }
    for (int i = 0; i < p->n; i++) {
        double e = fabs(r[i]) / sum[i];
        if (!(e <= worst)) worst = e; /* NAN too */
    }
    return worst;
}

int lm_block_factor(lm_block_solver *b, const double *values)
{
    if (factor(b, values)) return 1;
    b->error = backward_error(b, values);
    return !(b->error <= worst_error(b->p->n));
}

double lm_block_error(const lm_block_solver *b) { return b->error; }

double lm_block_rcond(const lm_block_solver *b) { return b->most > 0 ? b->least / b->most : 1; }

/* ---- solution ---- */

/* Right sides lie plan->n apart; each node's matrices are walked through once for all of them. */
static CLONES void way_in(const lm_block_plan *plan, int nrhs, double *rhs, double *y)
{
    for (int k = 0; k < plan->nnodes; k++) {
        const lm_block_node *node = &plan->nodes[k];
        int r = node->r;
        for (double *x = rhs; x < rhs + nrhs * plan->n; x += plan->n) {
            for (int i = 0; i < r; i++) y[i] = x[node->rows[i]];
            subtract(r, node->m, node->Z, r, x + node->first, y);
            for (int i = 0; i < r; i++) x[node->rows[i]] = y[i];
        }
    }
}

static CLONES void way_out(const lm_block_plan *plan, int nrhs, double *rhs, double *y)
{
    for (int k = plan->nnodes - 1; k >= 0; k--) {
        const lm_block_node *node = &plan->nodes[k];
        int m = node->m, r = node->r;
        for (double *x = rhs; x < rhs + nrhs * plan->n; x += plan->n) {
            double *own = x + node->first;
            for (int i = 0; i < m; i++) y[i] = -own[i], own[i] = 0;
            for (int i = 0; i < r; i++) y[m + i] = x[node->rows[i]];
            subtract(m, m + r, node->DW, m, y, own);
        }
    }
}

void lm_block_solve(lm_block_solver *b, int nrhs, double *x)
{
    const lm_block_plan *plan = &b->plan;
    int n = plan->n;
    for (int c = 0; c < nrhs; c++)
        for (int i = 0; i < n; i++) b->x[c * n + i] = x[c * n + plan->old_of[i]];
    way_in(plan, nrhs, b->x, b->front);
    way_out(plan, nrhs, b->x, b->front);
    for (int c = 0; c < nrhs; c++)
        for (int i = 0; i < n; i++) x[c * n + plan->old_of[i]] = b->x[c * n + i];
}
