/* The order of elimination and its structure, once for a pattern: a quotient graph of groups, least
 * degree first, then the rows that each group's elimination touches. */
#include "solve/block.h"

#include <stdlib.h>
#include <string.h>

/* More fill than so many unknowns touched per group on average: not a case for this solver. */
enum { MOST_FILL = 60 };

typedef struct list {
    int *at, n, cap;
} list;

/* A group that is not yet eliminated knows neighbours it shares an entry with (vars) and eliminated
 * groups whose neighbours are its neighbours (elems). */
typedef struct order {
    lm_arena arena;
    int n;
    const lm_groups *g;
    int *size;          /* unknowns of the group */
    list *vars, *elems; /* [n] */
    list *reach;        /* [n] of an eliminated group: what it touched */
    int *mark, stamp;   /* [n] */
    int *degree;        /* [n] -1: eliminated */
    int *blocked;       /* [n] groups that must go before */
    list *unblocks;     /* [n] */
    int *heap, *heap_degree, nheap, heap_cap;
    int *sequence, done; /* groups in order */
    long fill;
    int failed;
} order;

static int push(order *o, list *l, int v)
{
    int *grown = lm_vec_grow(&o->arena, l->at, l->n, &l->cap, sizeof *l->at);
    if (!grown) {
        o->failed = 1;
        return -1;
    }
    l->at = grown;
    l->at[l->n++] = v;
    return 0;
}

/* ---- least degree first: a heap with outdated entries, ties by number ---- */

static int before(const order *o, int d, int v, int i)
{
    return d < o->heap_degree[i] || (d == o->heap_degree[i] && v < o->heap[i]);
}

static void heap_put(order *o, int i, int d, int v) { o->heap_degree[i] = d, o->heap[i] = v; }

static void heap_push(order *o, int v)
{
    if (o->nheap == o->heap_cap) {
        int cap = 2 * o->heap_cap + 64;
        int *heap = LM_NEW_N(&o->arena, int, cap), *deg = LM_NEW_N(&o->arena, int, cap);
        if (!heap || !deg) {
            o->failed = 1;
            return;
        }
        if (o->nheap) {
            memcpy(heap, o->heap, sizeof(int) * (size_t)o->nheap);
            memcpy(deg, o->heap_degree, sizeof(int) * (size_t)o->nheap);
        }
        o->heap = heap, o->heap_degree = deg, o->heap_cap = cap;
    }
    int i = o->nheap++, d = o->degree[v];
    for (; i > 0 && before(o, d, v, (i - 1) / 2); i = (i - 1) / 2)
        heap_put(o, i, o->heap_degree[(i - 1) / 2], o->heap[(i - 1) / 2]);
    heap_put(o, i, d, v);
}

static int heap_pop(order *o, int *degree)
{
    int top = o->heap[0], i = 0;
    *degree = o->heap_degree[0];
    int v = o->heap[--o->nheap], d = o->heap_degree[o->nheap];
    for (int c = 1; c < o->nheap; c = 2 * i + 1) {
        if (c + 1 < o->nheap && before(o, o->heap_degree[c + 1], o->heap[c + 1], c)) c++;
        if (before(o, d, v, c)) break;
        heap_put(o, i, o->heap_degree[c], o->heap[c]);
        i = c;
    }
    heap_put(o, i, d, v);
    return top;
}

/* ---- the quotient graph ---- */

static int start(order *o, const lm_pattern *p, const lm_groups *g)
{
    size_t n = (size_t)g->n;
    *o = (order){.n = g->n, .g = g};
    lm_arena *a = &o->arena;
    o->size = LM_NEW_N(a, int, n), o->mark = LM_NEW_N(a, int, n), o->degree = LM_NEW_N(a, int, n);
    o->blocked = LM_NEW_N(a, int, n), o->sequence = LM_NEW_N(a, int, n);
    o->vars = LM_NEW_N(a, list, n), o->elems = LM_NEW_N(a, list, n),
    o->reach = LM_NEW_N(a, list, n);
    o->unblocks = LM_NEW_N(a, list, n);
    if (!o->size || !o->mark || !o->degree || !o->blocked || !o->sequence || !o->vars ||
        !o->elems || !o->reach || !o->unblocks)
        return -1;
    for (int i = 0; i < p->n; i++) o->size[g->of[i]]++;
    for (int c = 0; c < p->n; c++) /* both directions, repeated: cleaned on first use */
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
            int a1 = g->of[c], b1 = g->of[p->rowind[k]];
            if (a1 == b1) continue;
            list *la = &o->vars[a1], *lb = &o->vars[b1];
            if (!la->n || la->at[la->n - 1] != b1) push(o, la, b1);
            if (!lb->n || lb->at[lb->n - 1] != a1) push(o, lb, a1);
        }
    for (int v = 0; v < o->n; v++)
        for (int k = g->after_start[v]; k < g->after_start[v + 1]; k++) {
            push(o, &o->unblocks[g->after[k]], v);
            o->blocked[v]++;
        }
    return o->failed ? -1 : 0;
}

/* Neighbours of v through entries and eliminated groups, each once, into `out` (unless NULL), and
 * the number of their unknowns. Lists lose what is no longer of use. */
static int neighbours(order *o, int v, list *out)
{
    int total = 0, kept = 0;
    o->mark[v] = ++o->stamp;
    for (int k = 0; k < o->elems[v].n; k++) {
        const list *r = &o->reach[o->elems[v].at[k]];
        for (int i = 0; i < r->n; i++) {
            int u = r->at[i];
            if (o->degree[u] < 0 || o->mark[u] == o->stamp) continue;
            o->mark[u] = o->stamp;
            total += o->size[u];
            if (out) push(o, out, u);
        }
    }
    for (int k = 0; k < o->vars[v].n; k++) {
        int u = o->vars[v].at[k];
        if (o->degree[u] < 0 || o->mark[u] == o->stamp) continue;
        o->mark[u] = o->stamp;
        total += o->size[u];
        o->vars[v].at[kept++] = u; /* an element that covers u makes the entry superfluous */
        if (out) push(o, out, u);
    }
    o->vars[v].n = kept;
    return total;
}

static void eliminate(order *o, int v)
{
    list *reach = &o->reach[v];
    o->fill += neighbours(o, v, reach);
    o->degree[v] = -1;
    o->sequence[o->done++] = v;
    for (int k = 0; k < o->elems[v].n; k++) /* absorbed by the new one */
        o->reach[o->elems[v].at[k]].n = 0;
    for (int i = 0; i < reach->n && !o->failed; i++) {
        int u = reach->at[i], kept = 0;
        for (int k = 0; k < o->elems[u].n; k++)
            if (o->reach[o->elems[u].at[k]].n) o->elems[u].at[kept++] = o->elems[u].at[k];
        o->elems[u].n = kept;
        push(o, &o->elems[u], v);
        o->degree[u] = neighbours(o, u, NULL);
        if (!o->blocked[u]) heap_push(o, u);
    }
    for (int k = 0; k < o->unblocks[v].n; k++) {
        int u = o->unblocks[v].at[k];
        if (--o->blocked[u] == 0 && o->degree[u] >= 0) heap_push(o, u);
    }
}

/* 0, 1: no order, -1: no memory. */
static int least_degree(order *o)
{
    for (int v = 0; v < o->n; v++) {
        if (o->size[v] > LARGEST_GROUP) return 1;
        o->degree[v] = neighbours(o, v, NULL);
        if (!o->blocked[v]) heap_push(o, v);
    }
    while (o->nheap && !o->failed) {
        int degree, v = heap_pop(o, &degree);
        if (o->degree[v] < 0 || degree != o->degree[v]) continue;
        eliminate(o, v);
        if (o->fill > (long)MOST_FILL * (o->n + 10)) return 1;
    }
    return o->failed ? -1 : o->done < o->n;
}

/* ---- from the sequence to the plan ---- */

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

/* The same tree with every subtree contiguous: a new sequence of groups. */
static int postorder(const builder *b, const int *sequence, lm_arena *temp, int *out)
{
    const lm_block_plan *plan = b->plan;
    int n = plan->nnodes, *size = LM_NEW_N(temp, int, n + 1), *begin = LM_NEW_N(temp, int, n + 2);
    if (!size || !begin) return -1;
    for (int k = 0; k < n; k++) {
        size[k] += 1;
        if (plan->nodes[k].parent >= 0) size[plan->nodes[k].parent] += size[k];
    }
    /* from the last to the first: a node stands at the end of the range of its subtree */
    int roots = n;
    for (int k = n - 1; k >= 0; k--) {
        int p = plan->nodes[k].parent, *end = p < 0 ? &roots : &begin[p];
        int last = *end; /* the range that is still free under the parent ends here */
        *end -= size[k];
        out[last - 1] = sequence[k];
        begin[k] = last - 1;
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

/* Most that waits on the stack: a node takes its children's updates off and leaves its own. */
static int measure(lm_block_plan *plan, lm_arena *temp)
{
    size_t now = 0, *under = LM_NEW_N(temp, size_t, plan->nnodes + 1);
    if (!under) return -1;
    for (int k = 0; k < plan->nnodes; k++) {
        const lm_block_node *node = &plan->nodes[k];
        size_t m = (size_t)node->m, r = (size_t)node->r;
        if (now + r * r > plan->stack) plan->stack = now + r * r;
        now = now + r * r - under[k];
        if (node->parent >= 0) under[node->parent] += r * r;
        if (node->m + node->r > plan->largest) plan->largest = node->m + node->r;
        plan->doubles += m * m + 2 * m * r;
    }
    return 0;
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

int lm_block_plan_make(const lm_pattern *p, const lm_groups *g, lm_arena *arena,
                       lm_block_plan *plan)
{
    order o;
    symmetric s;
    builder b = {.arena = arena, .p = p, .g = g, .plan = plan};
    *plan = (lm_block_plan){0};
    int bad = start(&o, p, g);
    if (!bad) bad = least_degree(&o);
    if (!bad) {
        lm_arena *temp = &o.arena;
        int *final = LM_NEW_N(temp, int, g->n + 1);
        bad = !final || reserve(&b, temp) || make_symmetric(p, temp, &s) ? -1 : 0;
        for (int pass = 0; pass < 2 && !bad; pass++) {
            b.arena = pass ? arena : temp;
            number(&b, pass ? final : o.sequence);
            bad = find_rows(&b, &s, temp);
            if (!bad && pass == 0) bad = postorder(&b, o.sequence, temp, final);
        }
        bad = bad || find_places(&b) || find_entries(&b) || measure(plan, temp) ? -1 : 0;
    }
    lm_arena_free(&o.arena);
    return bad;
}
