/* Which assemblies become one, and in which order: contraction of the graph of bodies and joints.
 *
 * In each round assemblies that neighbour each other are merged in pairs, all those whose result is ready
 * within twice the time of the first (time: multiplications along the longest way from a leaf). So chains
 * halve in each round, and light bodies wait for no heavy ones. What hangs on a hub by one bundle of joints
 * may join it even if others do so in the same round. Pairs that would be held in more places than the
 * larger one is now wait, as long as there are others; in a tree there always are. */
#include "form/dca_int.h"

#include <stdlib.h>
#include <string.h>

/* Accelerations of two ends of a chain: an assembly may have as many however small it was before. */
enum { CHAIN = 12 };

/* A joint that waits, between assemblies u < v. An assembly is known by its first body in the order of
 * the walk. */
typedef struct waiting {
    int u, v, joint;
} waiting;

/* All joints that wait between two assemblies. */
typedef struct edge {
    int u, v, first, count; /* in plan.wait */
    int n;                  /* accelerations of the result */
    int ok;
    double ready; /* multiplications until the result is there */
} edge;

enum { UNTOUCHED, HUB, MERGED }; /* in this round */

typedef struct plan {
    lm_dca *d;
    const lm_dca_topology *t;
    int *port_at; /* [nports] its place in the assembly it belongs to */
    int *touched; /* [nports] */
    int *place;   /* [nbodies] of a body in the walk */
    int *rep;     /* [nbodies] by place: the assembly, or a place nearer to it */
    int *node_of; /* [nbodies] by place, of assemblies */
    int *degree, *state;
    double *ready; /* [nodes] */
    int *level;
    waiting *wait;
    int nwait;
    edge *edges;
    int nedges;
    LM_VEC(int) ports;
    LM_VEC(dca_piece) pieces;
} plan;

/* ---- nodes ---- */

static int assembly(plan *p, int place)
{
    int *rep = p->rep;
    while (rep[place] != place) {
        rep[place] = rep[rep[place]];
        place = rep[place];
    }
    return place;
}

static double leaf_work(int size, int n, int ld)
{
    const double s = size, w = ld;
    return s * s * s / 6 + w * s * s / 2 + w * n * s + (w * s + s * s / 2);
}

/* All of a closing but what each joint adds. */
static double closing_work(int rows, int n)
{
    const double r = rows, w = dca_pad(n + 1);
    return r * r * r / 6 + w * r * r / 2 + w * n * r + (w * r + r * r / 2);
}

/* One end of a joint: T = Zhat g^T, S += g T, and on the way down g^T lam; from a whole body also g. */
static double end_work(const plan *p, int j, int port, int ld, int all_rows)
{
    const double rows = p->t->most_rows[j], n = p->d->port[port].n;
    return rows * n * (ld + all_rows + 1 + (p->d->port[port].handle < 0 ? 6 : 0));
}

static int new_node(plan *p, int a, int b)
{
    lm_dca *d = p->d;
    dca_node *node = &d->node[d->nnodes];
    *node = (dca_node){.kid = {a, b},
                       .body = -1,
                       .first_joint = d->njoints,
                       .first_port = p->ports.n,
                       .first_piece = p->pieces.n};
    return d->nnodes++;
}

static int take_port(plan *p, dca_node *node, int port)
{
    int *at = lm_vec_grow(p->d->arena, p->ports.at, p->ports.n, &p->ports.cap, sizeof *at);
    if (!at) return -1;
    p->ports.at = at;
    at[p->ports.n++] = port;
    p->port_at[port] = node->n;
    node->n += p->d->port[port].n;
    node->nports++;
    return 0;
}

static void finish_node(plan *p, int index, double work)
{
    dca_node *node = &p->d->node[index];
    double before = 0;
    int level = 0;
    for (int s = 0; s < 2; s++) {
        if (node->kid[s] < 0) continue;
        before = fmax(before, p->ready[node->kid[s]]);
        if (p->level[node->kid[s]] > level) level = p->level[node->kid[s]];
    }
    node->ld = dca_pad(node->n + 1);
    node->work = work;
    p->d->work += work;
    p->ready[index] = before + work;
    p->level[index] = level + 1;
    p->d->span = fmax(p->d->span, p->ready[index]);
    if (level + 1 > p->d->levels) p->d->levels = level + 1;
}

static int add_leaf(plan *p, int body, int *port)
{
    int index = new_node(p, -1, -1);
    dca_node *node = &p->d->node[index];
    node->body = body;
    for (; *port < p->d->nports && p->d->port[*port].body == body; ++*port) {
        node->whole = p->d->port[*port].handle < 0;
        if (take_port(p, node, *port)) return -1;
    }
    const int size = p->t->size[body];
    finish_node(p, index, leaf_work(size, node->n, dca_pad(node->n + 1)));
    p->node_of[p->place[body]] = index;
    return 0;
}

/* ---- closing joints ---- */

static void add_joint(plan *p, dca_node *node, int j, int single)
{
    lm_dca *d = p->d;
    dca_joint *to = &d->joint[d->njoints++];
    *to = (dca_joint){.joint = j, .most = p->t->most_rows[j], .ld = dca_pad(p->t->most_rows[j])};
    for (int s = 0; s < 2; s++) {
        int h = p->t->joint[j][s];
        dca_end *e = &to->end[s];
        e->kid = -1;
        if (h < 0) continue;
        const int port = p->d->port_of[h];
        const int place = p->place[p->d->port[port].body];
        e->kid = single ? 0 : p->node_of[assembly(p, place)] == node->kid[1];
        e->at = p->port_at[port];
        e->n = p->d->port[port].n;
        p->d->port[port].waiting--;
    }
    node->njoints++;
    node->rows += to->most;
}

static dca_piece *add_piece(plan *p, dca_node *node, dca_piece piece)
{
    dca_piece *at = lm_vec_grow(p->d->arena, p->pieces.at, p->pieces.n, &p->pieces.cap, sizeof *at);
    if (!at) return NULL;
    p->pieces.at = at;
    at[p->pieces.n] = piece;
    node->npieces++;
    return &at[p->pieces.n++];
}

/* Ports on which joints still wait; neighbours in the kid that stay neighbours are one piece. */
static int take_over(plan *p, dca_node *node)
{
    for (int s = 0; s < 2; s++) {
        const dca_node *kid = node->kid[s] < 0 ? NULL : &p->d->node[node->kid[s]];
        dca_piece *last = NULL;
        for (int i = 0; kid && i < kid->nports; i++) {
            const int port = p->ports.at[kid->first_port + i];
            if (!p->d->port[port].waiting) continue;
            const int from = p->port_at[port], n = p->d->port[port].n;
            if (last && last->from + last->n == from)
                last->n += n;
            else {
                last = add_piece(p, node, (dca_piece){s, from, node->n, n});
                if (!last) return -1;
            }
            if (take_port(p, node, port)) return -1;
        }
    }
    return 0;
}

static double joints_work(const plan *p, const dca_node *node)
{
    double work = closing_work(node->rows, node->n);
    for (int i = 0; i < node->njoints; i++) {
        const dca_joint *j = &p->d->joint[node->first_joint + i];
        for (int s = 0; s < 2; s++)
            if (j->end[s].kid >= 0)
                work += end_work(p, j->joint, p->d->port_of[p->t->joint[j->joint][s]],
                                 p->d->node[node->kid[j->end[s].kid]].ld, node->rows);
    }
    return work;
}

static int own_body(const lm_dca_topology *t, int j)
{
    return dca_body(t, j, 0) < 0 ? dca_body(t, j, 1) : dca_body(t, j, 0);
}

/* Joints of single bodies: to the ground, or from one handle to another. */
static int close_own(plan *p)
{
    const lm_dca_topology *t = p->t;
    int *first = LM_NEW_N(p->d->arena, int, t->nbodies + 2), *by_body;
    by_body = LM_NEW_N(p->d->arena, int, t->njoints + 1);
    if (!first || !by_body) return -1;
    for (int j = 0; j < t->njoints; j++)
        if (dca_joined(t, j) && !dca_links(t, j)) first[own_body(t, j) + 2]++;
    for (int b = 0; b < t->nbodies; b++) first[b + 2] += first[b + 1];
    for (int j = 0; j < t->njoints; j++)
        if (dca_joined(t, j) && !dca_links(t, j)) by_body[first[own_body(t, j) + 1]++] = j;
    for (int b = 0; b < t->nbodies; b++) {
        if (first[b] == first[b + 1]) continue;
        const int index = new_node(p, p->node_of[p->place[b]], -1);
        dca_node *node = &p->d->node[index];
        for (int i = first[b]; i < first[b + 1]; i++) add_joint(p, node, by_body[i], 1);
        if (take_over(p, node)) return -1;
        finish_node(p, index, joints_work(p, node));
        p->node_of[p->place[b]] = index;
    }
    return 0;
}

static int merge(plan *p, const edge *e, int u, int v)
{
    const int index = new_node(p, p->node_of[u], p->node_of[v]);
    dca_node *node = &p->d->node[index];
    for (int i = 0; i < e->count; i++) add_joint(p, node, p->wait[e->first + i].joint, 0);
    if (take_over(p, node)) return -1;
    finish_node(p, index, joints_work(p, node));
    p->rep[v] = u;
    p->node_of[u] = index;
    return 0;
}

/* ---- rounds ---- */

static int by_assemblies(const void *a, const void *b)
{
    const waiting *x = a, *y = b;
    if (x->u != y->u) return x->u < y->u ? -1 : 1;
    if (x->v != y->v) return x->v < y->v ? -1 : 1;
    return x->joint < y->joint ? -1 : x->joint > y->joint;
}

/* What merging would give: accelerations of the result, and when it would be ready. */
static void estimate(plan *p, edge *e, int u, int v)
{
    const dca_node *a = &p->d->node[p->node_of[u]], *b = &p->d->node[p->node_of[v]];
    double work = 0;
    int rows = 0, n = a->n + b->n;
    for (int i = 0; i < e->count; i++) rows += p->t->most_rows[p->wait[e->first + i].joint];
    for (int i = 0; i < e->count; i++)
        for (int s = 0; s < 2; s++) {
            const int j = p->wait[e->first + i].joint, port = p->d->port_of[p->t->joint[j][s]];
            const int mine = assembly(p, p->place[p->d->port[port].body]) == u;
            work += end_work(p, j, port, mine ? a->ld : b->ld, rows);
            if (++p->touched[port] == p->d->port[port].waiting) n -= p->d->port[port].n;
        }
    for (int i = 0; i < e->count; i++)
        for (int s = 0; s < 2; s++)
            p->touched[p->d->port_of[p->t->joint[p->wait[e->first + i].joint][s]]] = 0;
    e->n = n;
    e->ready =
        fmax(p->ready[p->node_of[u]], p->ready[p->node_of[v]]) + work + closing_work(rows, n);
    e->ok = n <= CHAIN || n <= a->n || n <= b->n;
}

static void find_edges(plan *p)
{
    for (int i = 0; i < p->nwait; i++) {
        waiting *w = &p->wait[i];
        int u = assembly(p, p->place[dca_body(p->t, w->joint, 0)]);
        int v = assembly(p, p->place[dca_body(p->t, w->joint, 1)]);
        w->u = u < v ? u : v, w->v = u < v ? v : u;
        for (int s = 0; s < 2; s++) p->degree[s ? u : v] = 0, p->state[s ? u : v] = UNTOUCHED;
    }
    qsort(p->wait, (size_t)p->nwait, sizeof *p->wait, by_assemblies);
    p->nedges = 0;
    for (int i = 0; i < p->nwait; i++) {
        const waiting *w = &p->wait[i];
        edge *last = p->nedges ? &p->edges[p->nedges - 1] : NULL;
        if (last && last->u == w->u && last->v == w->v)
            last->count++;
        else {
            p->edges[p->nedges++] = (edge){.u = w->u, .v = w->v, .first = i, .count = 1};
            p->degree[w->u]++, p->degree[w->v]++;
        }
    }
    for (int i = 0; i < p->nedges; i++) estimate(p, &p->edges[i], p->edges[i].u, p->edges[i].v);
}

/* If every pair grows: those that grow least. Returns when the first of the pairs is ready. */
static double choose(plan *p)
{
    int any = 0, least = 0;
    double first = INFINITY;
    for (int i = 0; i < p->nedges; i++) {
        any |= p->edges[i].ok;
        if (i == 0 || p->edges[i].n < least) least = p->edges[i].n;
    }
    for (int i = 0; i < p->nedges; i++) {
        edge *e = &p->edges[i];
        if (!any) e->ok = e->n == least;
        if (e->ok) first = fmin(first, e->ready);
    }
    return first;
}

static int hangs_on(const plan *p, int a, int hub)
{
    return p->degree[a] == 1 && p->state[a] == UNTOUCHED && p->degree[hub] >= 3 &&
           p->state[hub] != MERGED;
}

/* What hangs on a hub, one after the other; 0, -1: no memory. */
static int join_hub(plan *p, edge *e, double until)
{
    int u = assembly(p, e->u), v = assembly(p, e->v);
    const int hub = hangs_on(p, u, v) ? v : u;
    if (!e->ok || !(hangs_on(p, u, v) || hangs_on(p, v, u))) return 0;
    if (p->state[hub] == HUB) estimate(p, e, u, v);
    if (!e->ok || e->ready > until) return 0;
    if (u > v) u ^= v, v ^= u, u ^= v;
    const int degree = p->degree[hub];
    if (merge(p, e, u, v)) return -1;
    p->degree[u] = degree;
    p->state[u] = HUB;
    e->ok = 0;
    return 0;
}

static int join_pair(plan *p, edge *e, double until)
{
    if (!e->ok || e->ready > until) return 0;
    if (p->rep[e->u] != e->u || p->state[e->u] || p->rep[e->v] != e->v || p->state[e->v]) return 0;
    if (merge(p, e, e->u, e->v)) return -1;
    p->state[e->u] = MERGED;
    return 0;
}

static int round_of_merges(plan *p)
{
    find_edges(p);
    const double until = 2 * choose(p);
    for (int i = 0; i < p->nedges; i++)
        if (join_hub(p, &p->edges[i], until)) return -1;
    for (int i = 0; i < p->nedges; i++)
        if (join_pair(p, &p->edges[i], until)) return -1;
    int n = 0;
    for (int i = 0; i < p->nwait; i++)
        if (assembly(p, p->wait[i].u) != assembly(p, p->wait[i].v)) p->wait[n++] = p->wait[i];
    p->nwait = n;
    return 0;
}

/* ---- the order of nodes ---- */

/* Subtrees one behind the other, children before parents: numbers of nodes as a walk leaves them. */
static int renumber(plan *p)
{
    lm_dca *d = p->d;
    int *number = LM_NEW_N(d->arena, int, d->nnodes + 1), *stack;
    dca_node *sorted = LM_NEW_N(d->arena, dca_node, d->nnodes + 1);
    stack = LM_NEW_N(d->arena, int, d->nnodes + 1);
    if (!number || !sorted || !stack) return -1;
    int next = d->nnodes, top = 0;
    for (int i = 0; i < p->t->nbodies; i++)
        if (p->rep[i] == i) stack[top++] = p->node_of[i];
    while (top) { /* parents before children, from the last number down */
        const int i = stack[--top];
        number[i] = --next;
        sorted[next] = d->node[i];
        for (int s = 0; s < 2; s++)
            if (d->node[i].kid[s] >= 0) stack[top++] = d->node[i].kid[s];
    }
    for (int i = 0; i < d->nnodes; i++)
        for (int s = 0; s < 2; s++)
            if (sorted[i].kid[s] >= 0) sorted[i].kid[s] = number[sorted[i].kid[s]];
    d->node = sorted;
    d->node_ports = p->ports.at;
    d->piece = p->pieces.at;
    d->npieces = p->pieces.n;
    return 0;
}

static int allocate(plan *p)
{
    lm_arena *a = p->d->arena;
    const int nb = p->t->nbodies, nh = p->t->nhandles, nj = p->t->njoints;
    p->port_at = LM_NEW_N(a, int, nh + 1);
    p->touched = LM_NEW_N(a, int, nh + 1);
    p->place = LM_NEW_N(a, int, nb + 1);
    p->rep = LM_NEW_N(a, int, nb + 1), p->node_of = LM_NEW_N(a, int, nb + 1);
    p->degree = LM_NEW_N(a, int, nb + 1), p->state = LM_NEW_N(a, int, nb + 1);
    p->ready = LM_NEW_N(a, double, 3 * nb + 1), p->level = LM_NEW_N(a, int, 3 * nb + 1);
    p->wait = LM_NEW_N(a, waiting, nj + 1), p->edges = LM_NEW_N(a, edge, nj + 1);
    p->d->node = LM_NEW_N(a, dca_node, 3 * nb + 1); /* leaf, own joints, merge */
    p->d->joint = LM_NEW_N(a, dca_joint, nj + 1);
    return p->port_at && p->touched && p->place && p->rep && p->node_of && p->degree && p->state &&
                   p->ready && p->level && p->wait && p->edges && p->d->node && p->d->joint
               ? 0
               : -1;
}

int dca_plan(lm_dca *d)
{
    plan p = {.d = d, .t = &d->t};
    if (allocate(&p)) return -1;
    if (dca_ports(d) || dca_walk(d, p.place)) return -1;
    int port = 0;
    for (int b = 0; b < d->t.nbodies; b++) {
        p.rep[b] = b;
        if (add_leaf(&p, b, &port)) return -1;
    }
    if (close_own(&p)) return -1;
    for (int j = 0; j < d->t.njoints; j++)
        if (dca_links(p.t, j)) p.wait[p.nwait++].joint = j;
    while (p.nwait)
        if (round_of_merges(&p)) return -1;
    return renumber(&p);
}
