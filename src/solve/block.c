#include "solve/block.h"

#include "math/clones.h"
#include "solve/block_dense.h"

/* Factors with a larger backward error are not used: pivots within groups did not suffice, as near a
 * singular position of a loop. 1e-16 to 1e-13 is common, whatever the length of a chain. */
static const double WORST_ERROR = 1e-11;

/* What a task of the factorisation finds. */
typedef struct outcome {
    lm_pivots pivots;
    int singular;
} outcome;

/* One solution, and the matrix by rows, to measure the factors with. */
typedef struct proof {
    double *x;     /* [n] */
    int *start;    /* [n + 1] of the rows */
    int *col;      /* [nnz] */
    int *at;       /* [nnz] places in the pattern's values */
    double *worst; /* [tasks] */
    lm_task_tree tasks;
} proof;

enum { ROWS_OF_A_TASK = 1024 };

struct lm_block_solver {
    const lm_pattern *p;
    lm_arena arena;
    lm_block_plan plan;
    lm_pool *pool;
    size_t scratch;        /* doubles of each worker's part of `front` */
    double *front, *stack; /* scratch of the workers; updates that wait for their parents */
    int wide;              /* n and the outlets of the tasks */
    double *x;             /* [2 wide] right sides in the order of elimination, outlets */
    outcome *outcomes;     /* [tasks of the factorisation] */
    proof proof;
    lm_pivots pivots;
    double error; /* backward error of the factors */
    /* what the tasks work on now */
    const double *values;
    double *rhs;
    int nrhs;
};

/* ---- making ---- */

/* Memory is read in ascending order on both ways. */
static void lay_out(lm_block_plan *plan, double *at)
{
    for (int k = 0; k < plan->nnodes; k++) {
        lm_block_node *node = &plan->nodes[k];
        node->Z = at;
        at += node->m * node->r;
    }
    for (int k = plan->nnodes - 1; k >= 0; k--) {
        plan->nodes[k].DW = at;
        at += plan->nodes[k].m * (plan->nodes[k].m + plan->nodes[k].r);
    }
}

/* The pattern by rows, and stretches of rows as tasks. */
static int make_proof(proof *f, const lm_pattern *p, lm_arena *arena)
{
    size_t nnz = (size_t)p->nnz + 1;
    int tasks = (p->n + ROWS_OF_A_TASK - 1) / ROWS_OF_A_TASK;
    int *none = LM_NEW_N(arena, int, tasks + 1);
    f->x = LM_NEW_N(arena, double, p->n + 1);
    f->worst = LM_NEW_N(arena, double, tasks + 1);
    f->start = LM_NEW_N(arena, int, p->n + 2);
    f->col = LM_NEW_N(arena, int, nnz), f->at = LM_NEW_N(arena, int, nnz);
    if (!none || !f->x || !f->worst || !f->start || !f->col || !f->at) return -1;
    for (int k = 0; k < p->nnz; k++) f->start[p->rowind[k] + 2]++;
    for (int i = 0; i < p->n; i++) f->start[i + 1] += f->start[i];
    for (int c = 0; c < p->n; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
            int to = f->start[p->rowind[k] + 1]++; /* in the end start[i + 1] ends row i */
            f->col[to] = c;
            f->at[to] = k;
        }
    for (int t = 0; t < tasks; t++) none[t] = -1;
    return lm_task_tree_make(&f->tasks, tasks, none, arena);
}

static int reserve(lm_block_solver *b, lm_arena *arena)
{
    lm_block_plan *plan = &b->plan;
    int shared = plan->factor.n > 1 || plan->solve.n > 1; /* else the caller does all of it */
    size_t f = (size_t)plan->largest, workers = shared ? (size_t)lm_pool_threads(b->pool) : 1;
    double *at = LM_NEW_N(arena, double, plan->doubles + 1);
    b->scratch = (f * f + 2 * f + 15) / 8 * 8; /* workers share no line of the cache */
    b->front = LM_NEW_N(arena, double, b->scratch *workers);
    b->stack = LM_NEW_N(arena, double, plan->stack + 1);
    b->wide = plan->n + plan->outlets.start[plan->solve.n];
    b->x = LM_NEW_N(arena, double, 2 * (size_t)b->wide + 1);
    b->outcomes = LM_NEW_N(arena, outcome, plan->factor.n + 1);
    if (!at || !b->front || !b->stack || !b->x || !b->outcomes) return -1;
    lay_out(plan, at);
    return make_proof(&b->proof, b->p, arena);
}

lm_block_solver *lm_block_create(const lm_pattern *p, const lm_groups *g, lm_block_order order,
                                 lm_pool *pool, int *no_order)
{
    lm_arena arena = {0};
    lm_block_solver *b = LM_NEW(&arena, lm_block_solver);
    *no_order = 0;
    if (!b) return NULL;
    b->p = p;
    b->pool = pool;
    int bad = lm_block_plan_make(p, g, order, &arena, &b->plan);
    if (!bad) bad = reserve(b, &arena);
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

double lm_block_error(const lm_block_solver *b) { return b->error; }

double lm_block_rcond(const lm_block_solver *b)
{
    return b->pivots.most > 0 ? b->pivots.least / b->pivots.most : 1;
}

/* ---- factorisation ---- */

static void assemble(const lm_block_solver *b, const lm_block_node *node, double *front)
{
    int f = node->m + node->r;
    memset(front, 0, sizeof(double) * (size_t)f * (size_t)f);
    const int *from = b->plan.from + node->entry, *to = b->plan.to + node->entry;
    for (int k = 0; k < node->nent; k++) front[to[k]] += b->values[from[k]];
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
LM_INLINE int eliminate(const lm_block_node *node, const double *front, double *update,
                        lm_pivots *pivots)
{
    int m = node->m, r = node->r, f = m + r;
    double *D = node->DW, *W = D + m * m, *Z = node->Z;
    int bad = m == 6    ? invert(6, front, f, D, pivots)
              : m == 11 ? invert(11, front, f, D, pivots)
                        : invert(m, front, f, D, pivots);
    if (bad) return 1;
    multiply_all(0, m, r, m, D, m, front + f * m, f, W, m); /* W = D A12 */
    multiply_all(0, r, m, m, front + m, f, D, m, Z, r);     /* Z = A21 D */
    for (int j = 0; j < r; j++)
        memcpy(update + r * j, front + m + f * (m + j), sizeof(double) * (size_t)r);
    multiply_all(1, r, r, m, front + m, f, W, m, update, r); /* A22 - A21 W */
    return 0;
}

/* Children are added in the order of their list, whoever has worked on them. */
static LM_CLONES int factor_nodes(lm_block_solver *b, int first, int end, double *front,
                                  lm_pivots *pivots)
{
    const lm_block_plan *plan = &b->plan;
    for (int k = first; k < end; k++) {
        const lm_block_node *node = &plan->nodes[k];
        assemble(b, node, front);
        for (int c = node->child; c >= 0; c = plan->nodes[c].sibling)
            extend(&plan->nodes[c], node->m + node->r, b->stack + plan->nodes[c].update, front);
        if (eliminate(node, front, b->stack + node->update, pivots)) return 1;
    }
    return 0;
}

static void factor_task(void *context, int task, int worker)
{
    lm_block_solver *b = context;
    const int *range = b->plan.factor.start + task;
    outcome o = {.pivots = {INFINITY, 0}};
    double *front = b->front + b->scratch * (size_t)worker;
    o.singular = factor_nodes(b, range[0], range[1], front, &o.pivots);
    b->outcomes[task] = o;
}

static int factor(lm_block_solver *b, const double *values)
{
    lm_block_tasks *tasks = &b->plan.factor;
    int singular = 0;
    b->values = values;
    b->pivots = (lm_pivots){INFINITY, 0};
    lm_pool_up(b->pool, &tasks->tree, factor_task, b);
    for (int t = 0; t < tasks->n; t++) {
        const outcome *o = &b->outcomes[t];
        singular |= o->singular;
        b->pivots.least = fmin(b->pivots.least, o->pivots.least);
        b->pivots.most = fmax(b->pivots.most, o->pivots.most);
    }
    return singular;
}

static double proof_side(int i) { return 1 + 0.25 * (i % 5); }

/* The residual of each equation over the sum of its terms, the worst of a stretch of rows; INFINITY where
 * a number is not finite. */
static void proof_task(void *context, int task, int worker)
{
    lm_block_solver *b = context;
    const proof *f = &b->proof;
    int first = task * ROWS_OF_A_TASK, end = first + ROWS_OF_A_TASK;
    double worst = 0;
    (void)worker;
    for (int i = first; i < end && i < b->p->n; i++) {
        double r = proof_side(i), sum = r;
        for (int k = f->start[i]; k < f->start[i + 1]; k++) {
            double term = b->values[f->at[k]] * f->x[f->col[k]];
            r -= term;
            sum += fabs(term);
        }
        double e = fabs(r) / sum;
        if (!(e <= worst)) worst = isnan(e) ? INFINITY : e;
    }
    f->worst[task] = worst;
}

/* How well the factors solve one system. */
static double backward_error(lm_block_solver *b)
{
    proof *f = &b->proof;
    double worst = 0;
    for (int i = 0; i < b->p->n; i++) f->x[i] = proof_side(i);
    lm_block_solve(b, 1, f->x);
    lm_pool_up(b->pool, &f->tasks, proof_task, b);
    for (int t = 0; t < f->tasks.n; t++) worst = fmax(worst, f->worst[t]);
    return worst;
}

int lm_block_factor(lm_block_solver *b, const double *values)
{
    if (factor(b, values)) return 1;
    b->error = backward_error(b);
    return !(b->error <= WORST_ERROR);
}

/* ---- solution ---- */

/* A task's part of a right side, in the order of elimination, and what the tasks below have added to it. */
static void begin_way_in(lm_block_solver *b, int task, const double *rhs, double *x)
{
    const lm_block_plan *plan = &b->plan;
    const int *range = plan->solve.start + task, *out = plan->outlets.start;
    const lm_block_node *last = &plan->nodes[range[1] - 1];
    for (int i = plan->nodes[range[0]].first; i < last->first + last->m; i++)
        x[i] = rhs[plan->old_of[i]];
    for (int i = out[task]; i < out[task + 1]; i++) x[plan->n + i] = 0;
    for (int c = plan->solve.tree.child[task]; c >= 0; c = plan->solve.tree.sibling[c])
        for (int i = out[c]; i < out[c + 1]; i++) x[plan->outlets.to[i]] += x[plan->n + i];
}

/* b2 -= Z b1. Right sides lie `wide` apart; each node's matrices are walked through once for all. */
static LM_CLONES void way_in(lm_block_solver *b, int first, int end, double *y)
{
    for (int k = first; k < end; k++) {
        const lm_block_node *node = &b->plan.nodes[k];
        int m = node->m, r = node->r;
        for (double *x = b->x; x < b->x + b->nrhs * b->wide; x += b->wide) {
            for (int i = 0; i < r; i++) y[i] = x[node->into[i]];
            multiply(1, r, m, node->Z, r, x + node->first, y);
            for (int i = 0; i < r; i++) x[node->into[i]] = y[i];
        }
    }
}

static LM_CLONES void way_out(lm_block_solver *b, int first, int end, double *y)
{
    const lm_block_plan *plan = &b->plan;
    for (int k = end - 1; k >= first; k--) {
        const lm_block_node *node = &plan->nodes[k];
        int m = node->m, r = node->r;
        for (int s = 0; s < b->nrhs; s++) {
            double *x = b->x + s * b->wide, *own = x + node->first, *out = b->rhs + s * plan->n;
            for (int i = 0; i < m; i++) y[i] = own[i];
            for (int i = 0; i < r; i++) y[m + i] = -x[node->rows[i]];
            multiply(0, m, m + r, node->DW, m, y, own); /* D b1 - W x2 */
            for (int i = 0; i < m; i++) out[plan->old_of[node->first + i]] = own[i];
        }
    }
}

static void in_task(void *context, int task, int worker)
{
    lm_block_solver *b = context;
    const int *range = b->plan.solve.start + task;
    for (int s = 0; s < b->nrhs; s++)
        begin_way_in(b, task, b->rhs + s * b->plan.n, b->x + s * b->wide);
    way_in(b, range[0], range[1], b->front + b->scratch * (size_t)worker);
}

static void out_task(void *context, int task, int worker)
{
    lm_block_solver *b = context;
    const int *range = b->plan.solve.start + task;
    way_out(b, range[0], range[1], b->front + b->scratch * (size_t)worker);
}

void lm_block_solve(lm_block_solver *b, int nrhs, double *x)
{
    b->rhs = x;
    b->nrhs = nrhs;
    lm_pool_up(b->pool, &b->plan.solve.tree, in_task, b);
    lm_pool_down(b->pool, &b->plan.solve.tree, out_task, b);
}
