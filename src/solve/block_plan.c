/* The structure of the factors, once for a pattern and an order: the rows that each group's elimination
 * touches, the tree of groups, where each entry of the matrix goes, which ranges of nodes are tasks. */
#include "solve/block.h"

#include <stdlib.h>
#include <string.h>

/* Nanoseconds of work of a task, where there is so much: handing one over takes some hundreds. The tasks
 * of a solution are smaller, for there is less to share. */
static const double FACTOR_TASK = 4e4, SOLVE_TASK = 2e4;

typedef struct builder {
    lm_arena *arena; /* of the plan */
    const lm_pattern *p;
    const lm_groups *g;
    lm_block_plan *plan;
    int *place;   /* [groups] place in the sequence */
    int *new_of;  /* [n] new number of each unknown of the pattern */
    int *node_of; /* [n] node of each new number */
    int *mark;    /* [n] */
} builder;

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Number the unknowns along a sequence of groups. */
static void number(builder *b, const int *sequence)
{
    lm_block_plan *plan = b->plan;
    int *count = b->mark; /* of each node's unknowns, then where its next one goes */
    memset(count, 0, sizeof(int) * (size_t)plan->n);
    for (int k = 0; k < plan->nnodes; k++) b->place[sequence[k]] = k;
    for (int i = 0; i < plan->n; i++) count[b->place[b->g->of[i]]]++;
    for (int k = 0, at = 0; k < plan->nnodes; k++) {
        plan->nodes[k].first = at;
        plan->nodes[k].m = count[k];
        at += count[k];
        count[k] = plan->nodes[k].first;
    }
    for (int i = 0; i < plan->n; i++) {
        int k = b->place[b->g->of[i]], to = count[k]++;
        b->new_of[i] = to;
        plan->old_of[to] = i;
        b->node_of[to] = k;
    }
    memset(b->mark, 0, sizeof(int) * (size_t)plan->n);
}

static void note_row(builder *b, int k, int row, int *rows, int *n)
{
    const lm_block_node *node = &b->plan->nodes[k];
    if (row < node->first + node->m || b->mark[row] == k + 1) return;
    b->mark[row] = k + 1;
    rows[(*n)++] = row;
}

/* Entries of each unknown's row and column, as one list: the symmetric structure. */
typedef struct symmetric {
    int *start, *at;
} symmetric;

static int make_symmetric(const lm_pattern *p, lm_arena *arena, symmetric *s)
{
    s->start = LM_NEW_N(arena, int, p->n + 2);
    s->at = LM_NEW_N(arena, int, 2 * p->nnz + 1);
    if (!s->start || !s->at) return -1;
    for (int c = 0; c < p->n; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
            s->start[c + 2]++;
            s->start[p->rowind[k] + 2]++;
        }
    for (int i = 0; i <= p->n; i++) s->start[i + 1] += s->start[i];
    for (int c = 0; c < p->n; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
            s->at[s->start[c + 1]++] = p->rowind[k]; /* in the end start[c + 1] ends list c */
            s->at[s->start[p->rowind[k] + 1]++] = c;
        }
    return 0;
}

/* Rows of every node: those of its own entries and those its children leave it. */
static int find_rows(builder *b, const symmetric *s, lm_arena *temp)
{
    lm_block_plan *plan = b->plan;
    int *rows = LM_NEW_N(temp, int, plan->n + 1);
    if (!rows) return -1;
    for (int k = 0; k < plan->nnodes; k++) plan->nodes[k].child = plan->nodes[k].sibling = -1;
    for (int k = 0; k < plan->nnodes; k++) {
        lm_block_node *node = &plan->nodes[k];
        int n = 0;
        for (int i = node->first; i < node->first + node->m; i++) {
            int old = plan->old_of[i];
            for (int e = s->start[old]; e < s->start[old + 1]; e++)
                note_row(b, k, b->new_of[s->at[e]], rows, &n);
        }
        for (int c = node->child; c >= 0; c = plan->nodes[c].sibling)
            for (int i = 0; i < plan->nodes[c].r; i++)
                note_row(b, k, plan->nodes[c].rows[i], rows, &n);
        qsort(rows, (size_t)n, sizeof *rows, ascending);
        node->r = n;
        node->rows = lm_arena_copy(b->arena, rows, sizeof(int) * (size_t)n);
        if (!node->rows) return -1;
        node->parent = n ? b->node_of[rows[0]] : -1;
        if (!n) continue;
        node->sibling = plan->nodes[node->parent].child;
        plan->nodes[node->parent].child = k;
    }
    memset(b->mark, 0, sizeof(int) * (size_t)plan->n);
    return 0;
}

/* Of each node the child with the most work below it, -1: none. */
static int *heaviest(const lm_block_plan *plan, lm_arena *temp)
{
    int n = plan->nnodes, *heavy = LM_NEW_N(temp, int, n + 1);
    double *work = LM_NEW_N(temp, double, n + 1);
    if (!heavy || !work) return NULL;
    for (int k = 0; k < n; k++) heavy[k] = -1;
    for (int k = 0; k < n; k++) {
        const lm_block_node *node = &plan->nodes[k];
        work[k] += lm_block_front_work(node->m, node->r);
        if (node->parent < 0) continue;
        work[node->parent] += work[k];
        int *best = &heavy[node->parent];
        if (*best < 0 || work[k] > work[*best]) *best = k;
    }
    return heavy;
}

/* The same tree with every subtree contiguous, the heaviest branch first: a new sequence of groups. */
static int postorder(const builder *b, const int *sequence, lm_arena *temp, int *out)
{
    const lm_block_plan *plan = b->plan;
    int n = plan->nnodes, *size = LM_NEW_N(temp, int, n + 1),
        *free_end = LM_NEW_N(temp, int, n + 1);
    int *begin = LM_NEW_N(temp, int, n + 1), *heavy = heaviest(plan, temp);
    if (!size || !free_end || !begin || !heavy) return -1;
    for (int k = 0; k < n; k++) {
        size[k] += 1;
        if (plan->nodes[k].parent >= 0) size[plan->nodes[k].parent] += size[k];
    }
    /* from the last to the first: a node stands at the end of the range of its subtree */
    int roots = n;
    for (int k = n - 1; k >= 0; k--) {
        int p = plan->nodes[k].parent, *end = p < 0 ? &roots : &free_end[p];
        if (p >= 0 && heavy[p] == k)
            begin[k] = begin[p];
        else
            begin[k] = *end -= size[k];
        free_end[k] = begin[k] + size[k] - 1;
        out[free_end[k]] = sequence[k];
    }
    return 0;
}

static int find_places(builder *b)
{
    lm_block_plan *plan = b->plan;
    for (int k = 0; k < plan->nnodes; k++) {
        lm_block_node *node = &plan->nodes[k];
        node->to_parent = LM_NEW_N(b->arena, int, node->r);
        if (!node->to_parent) return -1;
        if (node->parent < 0) continue;
        const lm_block_node *up = &plan->nodes[node->parent];
        for (int i = 0, j = 0; i < node->r; i++) {
            int row = node->rows[i];
            if (row < up->first + up->m)
                node->to_parent[i] = row - up->first;
            else {
                while (up->rows[j] != row) j++;
                node->to_parent[i] = up->m + j;
            }
        }
    }
    return 0;
}

static int place_in_front(const lm_block_node *node, int row)
{
    if (row < node->first + node->m) return row - node->first;
    int lo = 0, hi = node->r - 1;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (node->rows[mid] < row)
            lo = mid + 1;
        else
            hi = mid;
    }
    return node->m + lo;
}

/* Each entry of the pattern belongs to the node that is eliminated first. */
static int find_entries(builder *b)
{
    lm_block_plan *plan = b->plan;
    const lm_pattern *p = b->p;
    plan->from = LM_NEW_N(b->arena, int, p->nnz + 1);
    plan->to = LM_NEW_N(b->arena, int, p->nnz + 1);
    if (!plan->from || !plan->to) return -1;
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < p->n; c++)
            for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
                int j = b->new_of[c], i = b->new_of[p->rowind[k]];
                lm_block_node *node = &plan->nodes[b->node_of[i < j ? i : j]];
                if (pass == 0) {
                    node->nent++;
                    continue;
                }
                int at = node->entry + node->nent++;
                plan->from[at] = k;
                plan->to[at] =
                    place_in_front(node, i) + (node->m + node->r) * place_in_front(node, j);
            }
        for (int k = 0, at = 0; k < plan->nnodes && pass == 0; k++) {
            plan->nodes[k].entry = at;
            at += plan->nodes[k].nent;
            plan->nodes[k].nent = 0;
        }
    }
    return 0;
}

/* Where each update waits: a node takes its children's updates off the stack of its task and leaves
 * its own there. Stacks of tasks are apart from each other by a line of the cache. */
static void place_updates(lm_block_plan *plan)
{
    const lm_block_tasks *tasks = &plan->factor;
    for (int t = 0; t < tasks->n; t++) {
        size_t top = plan->stack;
        for (int k = tasks->start[t]; k < tasks->start[t + 1]; k++) {
            lm_block_node *node = &plan->nodes[k];
            node->update = top;
            for (int c = node->child; c >= tasks->start[t]; c = plan->nodes[c].sibling)
                node->update = plan->nodes[c].update;
            top = node->update + (size_t)node->r * (size_t)node->r;
            if (top > plan->stack) plan->stack = top;
        }
        if (tasks->n > 1) plan->stack = (plan->stack + 15) / 8 * 8;
    }
}

static int measure(lm_block_plan *plan, lm_arena *arena, lm_arena *temp)
{
    size_t n = (size_t)plan->nnodes + 1;
    double *factor = LM_NEW_N(temp, double, n), *solve = LM_NEW_N(temp, double, n);
    double *path = LM_NEW_N(temp, double, n);
    int *depth = LM_NEW_N(temp, int, n);
    if (!factor || !solve || !path || !depth) return -1;
    for (int k = 0; k < plan->nnodes; k++) {
        const lm_block_node *node = &plan->nodes[k];
        size_t m = (size_t)node->m, r = (size_t)node->r;
        factor[k] = lm_block_front_work(node->m, node->r);
        solve[k] = lm_block_solve_work(node->m, node->r);
        path[k] += factor[k], depth[k] += 1;
        int up = node->parent >= 0 ? node->parent : plan->nnodes;
        if (path[k] > path[up]) path[up] = path[k];
        if (depth[k] > depth[up]) depth[up] = depth[k];
        if (node->m + node->r > plan->largest) plan->largest = node->m + node->r;
        plan->work += factor[k];
        plan->doubles += m * m + 2 * m * r;
    }
    plan->path = path[plan->nnodes], plan->depth = depth[plan->nnodes];
    return lm_block_tasks_make(plan, factor, FACTOR_TASK, arena, &plan->factor) ||
                   lm_block_tasks_make(plan, solve, SOLVE_TASK, arena, &plan->solve)
               ? -1
               : 0;
}

static int reserve(builder *b, lm_arena *temp)
{
    lm_block_plan *plan = b->plan;
    plan->n = b->p->n;
    plan->nnodes = b->g->n;
    plan->nodes = LM_NEW_N(b->arena, lm_block_node, plan->nnodes);
    plan->old_of = LM_NEW_N(b->arena, int, plan->n + 1);
    b->place = LM_NEW_N(temp, int, plan->nnodes + 1);
    b->new_of = LM_NEW_N(temp, int, plan->n + 1);
    b->node_of = LM_NEW_N(temp, int, plan->n + 1);
    b->mark = LM_NEW_N(temp, int, plan->n + plan->nnodes + 1);
    return plan->nodes && plan->old_of && b->place && b->new_of && b->node_of && b->mark ? 0 : -1;
}

/* The plan along a sequence of groups, in two passes: the second one has subtrees contiguous. */
static int build(builder *b, const int *sequence, lm_arena *temp)
{
    lm_arena *arena = b->arena;
    symmetric s;
    int *final = LM_NEW_N(temp, int, b->g->n + 1);
    if (!final || reserve(b, temp) || make_symmetric(b->p, temp, &s)) return -1;
    b->arena = temp;
    number(b, sequence);
    if (find_rows(b, &s, temp) || postorder(b, sequence, temp, final)) return -1;
    b->arena = arena;
    number(b, final);
    if (find_rows(b, &s, temp) || find_places(b) || find_entries(b)) return -1;
    if (measure(b->plan, arena, temp)) return -1;
    place_updates(b->plan);
    return lm_block_outlets_make(b->plan, arena);
}

int lm_block_plan_make(const lm_pattern *p, const lm_groups *g, lm_block_order order,
                       lm_arena *arena, lm_block_plan *plan)
{
    lm_arena temp = {0};
    builder b = {.arena = arena, .p = p, .g = g, .plan = plan};
    *plan = (lm_block_plan){0};
    int *sequence = LM_NEW_N(&temp, int, g->n + 1);
    int bad = sequence ? lm_block_sequence(p, g, order, sequence) : -1;
    if (!bad) bad = build(&b, sequence, &temp);
    lm_arena_free(&temp);
    return bad;
}
