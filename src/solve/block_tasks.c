/* Tasks for threads: ranges of nodes with enough work each, from the tree alone, so that they are the
 * same for any number of threads.
 *
 * Branches with less than `least` work are not divided, and small branches of the same node go together.
 * A node above them goes on with the task of its one large branch, where there is just one and little
 * beside it, and begins a task of its own where several come together. */
#include "solve/block.h"

typedef struct division {
    const lm_block_plan *plan;
    int *size;           /* [nodes] of the subtree */
    double *below;       /* [nodes] work of the subtree */
    unsigned char *from; /* [nodes] 1: a task begins here */
    double least;
} division;

/* Side branches with less work than this part of `least` do not end the task of the main one. */
static const double LITTLE = 0.1;

static int small(const division *d, int k) { return d->below[k] <= d->least; }

/* Divide the children of a node, whose subtrees fill the nodes first .. end - 1, the heaviest first.
 * Small ones are gathered from the last to the first. */
static void gather(division *d, int first, int end)
{
    double sum = 0;
    for (int k = end - 1; k >= first; k -= d->size[k]) {
        int begin = k - d->size[k] + 1;
        if (!small(d, k)) {
            if (sum > 0) d->from[k + 1] = 1;
            sum = 0;
        } else {
            if (sum > 0 && sum + d->below[k] > d->least) d->from[k + 1] = 1, sum = 0;
            sum += d->below[k];
            if (begin == first) d->from[begin] = 1;
        }
    }
}

/* A node with much work below it, whose children's subtrees fill the nodes first .. k - 1. */
static void divide(division *d, int first, int k)
{
    double sum = 0;
    int large = 0;
    for (int c = k - 1; c >= first; c -= d->size[c])
        if (small(d, c))
            sum += d->below[c];
        else
            large++;
    if (large == 0 && sum <= d->least)
        d->from[first] = 1; /* one task with its children */
    else if (large != 1 || sum > LITTLE * d->least) {
        gather(d, first, k);
        d->from[k] = 1;
    } /* else it goes on with that of the large one, which is the first */
}

static int collect(const division *d, lm_arena *arena, lm_arena *temp, lm_block_tasks *t)
{
    const lm_block_plan *plan = d->plan;
    int n = plan->nnodes, *task_of = LM_NEW_N(temp, int, n + 1);
    for (int k = 0; k < n; k++) t->n += d->from[k];
    int *parent = LM_NEW_N(temp, int, t->n + 1);
    t->start = LM_NEW_N(arena, int, t->n + 1);
    if (!task_of || !parent || !t->start) return -1;
    for (int k = 0, at = 0; k < n; k++) {
        if (d->from[k]) t->start[at++] = k;
        task_of[k] = at - 1;
    }
    t->start[t->n] = n;
    for (int i = 0; i < t->n; i++) {
        int up = plan->nodes[t->start[i + 1] - 1].parent;
        parent[i] = up < 0 ? -1 : task_of[up];
    }
    return lm_task_tree_make(&t->tree, t->n, parent, arena);
}

int lm_block_tasks_make(const lm_block_plan *plan, const double *work, double least,
                        lm_arena *arena, lm_block_tasks *tasks)
{
    lm_arena temp = {0};
    int n = plan->nnodes;
    division d = {.plan = plan, .least = least};
    *tasks = (lm_block_tasks){0};
    d.size = LM_NEW_N(&temp, int, n + 1);
    d.below = LM_NEW_N(&temp, double, n + 1);
    d.from = LM_NEW_N(&temp, unsigned char, n + 1);
    int bad = d.size && d.below && d.from ? 0 : -1;
    for (int k = 0; k < n && !bad; k++) {
        int up = plan->nodes[k].parent;
        d.size[k] += 1;
        d.below[k] += work[k];
        if (up < 0) continue;
        d.size[up] += d.size[k];
        d.below[up] += d.below[k];
    }
    for (int k = 0; k < n && !bad; k++)
        if (!small(&d, k)) divide(&d, k - d.size[k] + 1, k);
    if (!bad) gather(&d, 0, n);
    bad = bad || collect(&d, arena, &temp, tasks) ? -1 : 0;
    lm_arena_free(&temp);
    return bad;
}

/* ---- outlets of the way in ---- */

typedef struct outlets {
    lm_block_plan *plan;
    int *mark; /* [n] task that has a place for this unknown, + 1 */
    int *at;   /* [n] that place */
    int *row;  /* [places] unknown */
    int used;  /* places so far */
} outlets;

/* Where a task that ends before the unknown `end` adds to one. */
static int place_of(outlets *o, int task, int end, int row)
{
    if (row < end) return row;
    if (o->mark[row] != task + 1) {
        o->mark[row] = task + 1;
        o->at[row] = o->plan->n + o->used;
        o->row[o->used++] = row;
    }
    return o->at[row];
}

static void connect(outlets *o, int task)
{
    lm_block_plan *plan = o->plan;
    lm_block_outlets *out = &plan->outlets;
    const lm_block_tasks *tasks = &plan->solve;
    const lm_block_node *last = &plan->nodes[tasks->start[task + 1] - 1];
    int end = last->first + last->m;
    out->start[task] = o->used;
    for (int k = tasks->start[task]; k < tasks->start[task + 1]; k++)
        for (int i = 0; i < plan->nodes[k].r; i++)
            plan->nodes[k].into[i] = place_of(o, task, end, plan->nodes[k].rows[i]);
    for (int c = tasks->tree.child[task]; c >= 0; c = tasks->tree.sibling[c])
        for (int i = out->start[c]; i < out->start[c + 1]; i++)
            out->to[i] = place_of(o, task, end, o->row[i]);
    out->start[task + 1] = o->used;
}

/* No more places than rows of the nodes. */
int lm_block_outlets_make(lm_block_plan *plan, lm_arena *arena)
{
    lm_arena temp = {0};
    size_t n = (size_t)plan->n + 1, rows = 1;
    for (int k = 0; k < plan->nnodes; k++) rows += (size_t)plan->nodes[k].r;
    outlets o = {.plan = plan};
    int *into = LM_NEW_N(arena, int, rows);
    plan->outlets.start = LM_NEW_N(arena, int, plan->solve.n + 1);
    plan->outlets.to = LM_NEW_N(arena, int, rows);
    o.mark = LM_NEW_N(&temp, int, n), o.at = LM_NEW_N(&temp, int, n);
    o.row = LM_NEW_N(&temp, int, rows);
    int bad = into && plan->outlets.start && plan->outlets.to && o.mark && o.at && o.row ? 0 : -1;
    for (int k = 0; k < plan->nnodes && !bad; k++) {
        plan->nodes[k].into = into;
        into += plan->nodes[k].r;
    }
    for (int t = 0; t < plan->solve.n && !bad; t++) connect(&o, t);
    lm_arena_free(&temp);
    return bad;
}
