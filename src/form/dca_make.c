/* The memory of a tree and its tasks. What the way down needs stands in one block, node behind node; the
 * Zhat of nodes within a task only live until their parent has read them, on a stack of the worker. */
#include "form/dca_int.h"

#include <stdint.h>

/* Multiplications of a subtree that one thread does alone: a sixteenth of all, but enough to be worth
 * handing out (15 us), and not more than what balances well (0.3 ms). Measured with 2 to 16 threads. */
static double task_work(const lm_dca *d) { return fmin(1e6, fmax(5e4, d->work / 16)); }

static size_t Z_size(const dca_node *node)
{
    return (size_t)node->ld * (size_t)node->n + (size_t)dca_pad(node->n);
}

/* Memory that is handed out from its start on; without a base it is only counted. */
typedef struct block {
    double *base;
    size_t n;
} block;

static double *take(block *m, size_t n)
{
    double *p = m->base ? m->base + m->n : NULL;
    m->n += (n + 3) & ~(size_t)3;
    return p;
}

static void at_least(size_t *most, size_t n)
{
    if (n > *most) *most = n;
}

/* ---- tasks ---- */

typedef struct subtree {
    double work;
    int first;  /* node */
    int parent; /* -1: a root */
    int task;
} subtree;

static void sum_up(const lm_dca *d, subtree *s)
{
    for (int i = 0; i < d->nnodes; i++) s[i] = (subtree){d->node[i].work, i, -1, -1};
    for (int i = 0; i < d->nnodes; i++)
        for (int k = 1; k >= 0; k--) {
            const int kid = d->node[i].kid[k];
            if (kid < 0) continue;
            s[i].work += s[kid].work;
            s[i].first = s[kid].first;
            s[kid].parent = i;
        }
}

/* Small subtrees under a large node, large nodes, and small trees, several in one task. */
static void cut(lm_dca *d, subtree *s)
{
    const double most = task_work(d);
    double filled = 0; /* work of the trees in the last task, if it may take more */
    for (int i = 0; i < d->nnodes; i++) {
        const int up = s[i].parent, small = s[i].work <= most;
        if (small && up >= 0 && s[up].work <= most) continue;
        const int tree = small && up < 0;
        if (tree && filled > 0 && filled + s[i].work <= most)
            filled += s[i].work;
        else {
            d->task[d->ntasks++].first = small ? s[i].first : i;
            filled = tree ? s[i].work : 0;
        }
        d->task[d->ntasks - 1].last = i;
    }
}

static int make_tasks(lm_dca *d)
{
    subtree *s = LM_NEW_N(d->arena, subtree, d->nnodes + 1);
    int *parent = LM_NEW_N(d->arena, int, d->nnodes + 1);
    d->task = LM_NEW_N(d->arena, dca_task, d->nnodes + 1);
    d->failed = LM_NEW_N(d->arena, int, d->nnodes + 1);
    if (!s || !parent || !d->task || !d->failed) return -1;
    sum_up(d, s);
    cut(d, s);
    for (int k = 0; k < d->ntasks; k++)
        for (int i = d->task[k].first; i <= d->task[k].last; i++) s[i].task = k;
    for (int k = 0; k < d->ntasks; k++) {
        const int up = s[d->task[k].last].parent;
        parent[k] = up < 0 ? -1 : s[up].task;
    }
    return lm_task_tree_make(&d->tree, d->ntasks, parent, d->arena);
}

/* ---- numbers ---- */

/* Places of Zhat: a node's own, behind it those of its kids, which are gone when it is done. */
static void stack_up(lm_dca *d, const dca_task *task, size_t *depth)
{
    for (int i = task->last; i >= task->first; i--) {
        dca_node *node = &d->node[i];
        size_t at = node->on_stack + (node->kept ? 0 : Z_size(node));
        at_least(depth, at);
        for (int k = 0; k < 2; k++) {
            dca_node *kid = node->kid[k] < 0 ? NULL : &d->node[node->kid[k]];
            if (!kid || node->kid[k] < task->first) continue;
            kid->on_stack = at;
            at += kid->kept ? 0 : Z_size(kid);
        }
    }
}

static void lay_out_leaf(lm_dca *d, dca_node *node, block *m)
{
    const int b = node->body, handles = d->handle_first[b + 1] - d->handle_first[b];
    const size_t size = (size_t)d->t.size[b], ld = (size_t)node->ld, h = (size_t)handles;
    node->ldL = dca_pad(d->t.size[b]);
    const size_t L = (size_t)node->ldL * size;
    if (node->whole) {
        node->B = take(m, 6 * h * size);
        node->gamma = take(m, 6 * h);
        at_least(&d->need.T, ld * size);
        at_least(&d->need.T, L);
    } else {
        node->L = take(m, L);
        node->W = take(m, ld * size);
    }
    at_least(&d->need.M, size * size);
    at_least(&d->need.B, 6 * h * size);
    at_least(&d->need.gamma, 6 * h);
    at_least(&d->need.x, (size_t)node->ldL);
}

static void lay_out_joints(lm_dca *d, dca_node *node, block *m)
{
    const size_t rows = (size_t)node->rows;
    node->ldL = dca_pad(node->rows);
    node->L = take(m, (size_t)node->ldL * rows + 4); /* padding of the last rows of a joint */
    node->W = take(m, (size_t)node->ld * rows);
    at_least(&d->need.x, (size_t)node->ldL + 4);
    for (int k = 0; k < 2; k++)
        if (node->kid[k] >= 0) at_least(&d->need.T, (size_t)d->node[node->kid[k]].ld * rows);
    for (int i = 0; i < node->njoints; i++) {
        dca_joint *j = &d->joint[node->first_joint + i];
        j->lam = d->lam_at[j->joint];
        at_least(&d->need.G, (size_t)j->ld);
        for (int s = 0; s < 2; s++)
            if (j->end[s].kid >= 0) j->end[s].g = take(m, (size_t)j->ld * (size_t)j->end[s].n);
    }
}

/* Gives the nodes their memory, or only counts it. */
static void lay_out(lm_dca *d, block *m)
{
    for (int k = 0; k < d->ntasks; k++) {
        for (int i = d->task[k].first; i <= d->task[k].last; i++) {
            dca_node *node = &d->node[i];
            node->kept = node->whole || i == d->task[k].last;
            if (node->body >= 0)
                lay_out_leaf(d, node, m);
            else
                lay_out_joints(d, node, m);
            node->F = take(m, (size_t)node->ld);
            if (node->kept) node->Z = take(m, Z_size(node));
            if (m->base) node->F[node->n] = 1;
        }
        stack_up(d, &d->task[k], &d->need.stack);
    }
}

/* Ends on whole bodies find B and gamma with the leaf. */
static int connect(lm_dca *d)
{
    const dca_node **leaf = LM_NEW_N(d->arena, const dca_node *, d->t.nbodies + 1);
    if (!leaf) return -1;
    for (int i = 0; i < d->nnodes; i++)
        if (d->node[i].body >= 0) leaf[d->node[i].body] = &d->node[i];
    for (int i = 0; i < d->njoints; i++)
        for (int s = 0; s < 2; s++) {
            dca_end *e = &d->joint[i].end[s];
            if (e->kid < 0) continue;
            const int h = d->t.joint[d->joint[i].joint][s], b = d->t.handle_body[h];
            const int k = h - d->handle_first[b];
            if (!leaf[b]->whole) continue;
            e->B = leaf[b]->B + 6 * d->t.size[b] * k;
            e->gamma = leaf[b]->gamma + 6 * k;
        }
    return 0;
}

/* `n` doubles on a multiple of 64 bytes; NULL: no memory. */
static double *aligned(lm_arena *arena, size_t n)
{
    char *p = lm_arena_alloc(arena, sizeof(double) * (n + 8));
    return p ? (double *)(void *)(p + (-(uintptr_t)p & 63)) : NULL;
}

static size_t lay_out_worker(const dca_scratch *need, dca_worker *w, double *base)
{
    block m = {base, 0};
    w->stack = take(&m, need->stack);
    w->M = take(&m, need->M), w->f = take(&m, need->x);
    w->B = take(&m, need->B), w->gamma = take(&m, need->gamma);
    w->T[0] = take(&m, need->T), w->T[1] = take(&m, need->T);
    w->least = take(&m, need->x), w->x = take(&m, need->x), w->c = take(&m, need->x);
    w->Gt = take(&m, 6 * need->G);
    w->G = (double(*)[12])take(&m, 12 * need->G);
    return m.n;
}

int dca_add_workers(lm_dca *d, int n)
{
    dca_worker *all = LM_NEW_N(d->arena, dca_worker, n);
    if (!all) return -1;
    for (int i = 0; i < n; i++) {
        if (i < d->nworkers) {
            all[i] = d->worker[i];
            continue;
        }
        double *base = aligned(d->arena, lay_out_worker(&d->need, &all[i], NULL));
        if (!base) return -1;
        lay_out_worker(&d->need, &all[i], base);
    }
    d->worker = all;
    d->nworkers = n;
    return 0;
}

int dca_make(lm_dca *d)
{
    block m = {0};
    if (make_tasks(d)) return -1;
    lay_out(d, &m);
    m.base = aligned(d->arena, m.n);
    if (!m.base) return -1;
    m.n = 0;
    lay_out(d, &m);
    return connect(d) || dca_add_workers(d, 1) ? -1 : 0;
}
