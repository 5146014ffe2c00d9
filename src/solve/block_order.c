/* The order of elimination, once for a pattern: a quotient graph of groups, from which the group with
 * the least key is taken again and again.
 *
 * Keys: the degree (unknowns that the group's elimination touches), which keeps the work small, and the
 * time at which the group would be finished if every branch of the tree had a processor of its own,
 *
 *     finish(v) = max over groups u eliminated before that touch v of finish(u) + work of v's front .
 *
 * What is finished first, goes first: groups that wait for nobody, no two of them neighbours, then their
 * neighbours, which now touch the neighbours' neighbours. On a path half of the groups go in each of
 * these rounds, on a tree the leaves and half of those that have two neighbours (rake and compress): the
 * tree of eliminations has depth O(log n), balanced by work. */
#include "solve/block.h"

/* More fill than so many unknowns touched per group on average: not a case for this solver. */
enum { MOST_FILL = 60 };

typedef struct list {
    int *at, n, cap;
} list;

typedef struct key {
    double major, minor;
    int v;
} key;

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
    lm_block_order by;
    double *ready; /* [n] when all that it waits for is finished, ns */
    key *key;      /* [n] of the groups' latest entries in the heap */
    key *heap;
    int nheap, heap_cap;
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

/* ---- least key first: a heap with outdated entries, ties by number ---- */

static key key_of(const order *o, int v)
{
    double finish = o->ready[v] + lm_block_front_work(o->size[v], o->degree[v]);
    if (o->by == LM_ORDER_TREE) return (key){finish, 0, v};
    return (key){o->degree[v], o->by == LM_ORDER_MIDDLE ? finish : 0, v};
}

static int before(const key *a, const key *b)
{
    if (a->major != b->major) return a->major < b->major;
    if (a->minor != b->minor) return a->minor < b->minor;
    return a->v < b->v;
}

static void heap_push(order *o, int v)
{
    key *grown = lm_vec_grow(&o->arena, o->heap, o->nheap, &o->heap_cap, sizeof *grown);
    if (!grown) {
        o->failed = 1;
        return;
    }
    o->heap = grown;
    int i = o->nheap++;
    key k = o->key[v] = key_of(o, v);
    for (; i > 0 && before(&k, &o->heap[(i - 1) / 2]); i = (i - 1) / 2)
        o->heap[i] = o->heap[(i - 1) / 2];
    o->heap[i] = k;
}

static key heap_pop(order *o)
{
    key top = o->heap[0], k = o->heap[--o->nheap];
    int i = 0;
    for (int c = 1; c < o->nheap; c = 2 * i + 1) {
        if (c + 1 < o->nheap && before(&o->heap[c + 1], &o->heap[c])) c++;
        if (before(&k, &o->heap[c])) break;
        o->heap[i] = o->heap[c];
        i = c;
    }
    o->heap[i] = k;
    return top;
}

static int outdated(const order *o, const key *k)
{
    const key *now = &o->key[k->v];
    return o->degree[k->v] < 0 || k->major != now->major || k->minor != now->minor;
}

/* ---- the quotient graph ---- */

static int start(order *o, const lm_pattern *p, const lm_groups *g)
{
    size_t n = (size_t)g->n;
    lm_arena *a = &o->arena;
    o->size = LM_NEW_N(a, int, n), o->mark = LM_NEW_N(a, int, n), o->degree = LM_NEW_N(a, int, n);
    o->blocked = LM_NEW_N(a, int, n);
    o->ready = LM_NEW_N(a, double, n), o->key = LM_NEW_N(a, key, n);
    o->vars = LM_NEW_N(a, list, n), o->elems = LM_NEW_N(a, list, n),
    o->reach = LM_NEW_N(a, list, n);
    o->unblocks = LM_NEW_N(a, list, n);
    if (!o->size || !o->mark || !o->degree || !o->blocked || !o->ready || !o->key || !o->vars ||
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

/* u has lost its neighbour v and has got those of v. */
static void update(order *o, int u, int v)
{
    int kept = 0;
    if (o->reach[v].n == 1) { /* v had no other: no need to look at all neighbours of a hub */
        o->degree[u] -= o->size[v];
        return;
    }
    for (int k = 0; k < o->elems[u].n; k++)
        if (o->reach[o->elems[u].at[k]].n) o->elems[u].at[kept++] = o->elems[u].at[k];
    o->elems[u].n = kept;
    push(o, &o->elems[u], v);
    o->degree[u] = neighbours(o, u, NULL);
}

static void eliminate(order *o, int v)
{
    list *reach = &o->reach[v];
    int degree = neighbours(o, v, reach);
    double finish = o->ready[v] + lm_block_front_work(o->size[v], degree);
    o->fill += degree;
    o->degree[v] = -1;
    o->sequence[o->done++] = v;
    for (int k = 0; k < o->elems[v].n; k++) /* absorbed by the new one */
        o->reach[o->elems[v].at[k]].n = 0;
    for (int i = 0; i < reach->n && !o->failed; i++) {
        int u = reach->at[i];
        update(o, u, v);
        if (finish > o->ready[u]) o->ready[u] = finish;
        if (!o->blocked[u]) heap_push(o, u);
    }
    for (int k = 0; k < o->unblocks[v].n; k++) {
        int u = o->unblocks[v].at[k];
        if (--o->blocked[u] == 0 && o->degree[u] >= 0) heap_push(o, u);
    }
}

/* 0, 1: no order, -1: no memory. */
static int eliminate_all(order *o)
{
    for (int v = 0; v < o->n; v++) {
        if (o->size[v] > LARGEST_GROUP) return 1;
        o->degree[v] = neighbours(o, v, NULL);
        if (!o->blocked[v]) heap_push(o, v);
    }
    while (o->nheap && !o->failed) {
        key k = heap_pop(o);
        if (outdated(o, &k)) continue;
        eliminate(o, k.v);
        if (o->fill > (long)MOST_FILL * (o->n + 10)) return 1;
    }
    return o->failed ? -1 : o->done < o->n;
}

int lm_block_sequence(const lm_pattern *p, const lm_groups *g, lm_block_order by, int *sequence)
{
    order o = {.n = g->n, .g = g, .by = by, .sequence = sequence};
    int bad = start(&o, p, g);
    if (!bad) bad = eliminate_all(&o);
    lm_arena_free(&o.arena);
    return bad;
}
