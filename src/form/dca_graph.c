/* The graph of bodies and joints: where assemblies can be held, and a walk along its chains. */
#include "form/dca_int.h"

int dca_body(const lm_dca_topology *t, int joint, int side)
{
    const int h = t->joint[joint][side];
    return h < 0 ? -1 : t->handle_body[h];
}

int dca_joined(const lm_dca_topology *t, int j)
{
    const int *h = t->joint[j];
    return t->most_rows[j] > 0 && (h[0] >= 0 || h[1] >= 0);
}

int dca_links(const lm_dca_topology *t, int j)
{
    const int a = dca_body(t, j, 0), b = dca_body(t, j, 1);
    return t->most_rows[j] > 0 && a >= 0 && b >= 0 && a != b;
}

/* ---- ports ---- */

/* A body as a whole takes n accelerations up to its last joint, its handles 6 each, but each only up to its
 * own: half of them on average. */
static int whole_body(int n, int handles) { return handles > 0 && (n <= 6 || n <= 3 * handles); }

static void add_port(lm_dca *d, int body, int handle, int n)
{
    d->port[d->nports] = (dca_port){.body = body, .handle = handle, .n = n};
    d->nports++;
}

static void ports_of(lm_dca *d, int b, const int *joints)
{
    const int first = d->handle_first[b], end = d->handle_first[b + 1], n = d->t.size[b];
    int handles = 0;
    for (int h = first; h < end; h++) handles += joints[h] > 0;
    const int whole = whole_body(n, handles);
    if (whole) add_port(d, b, -1, n);
    for (int h = first; h < end; h++) {
        d->port_of[h] = -1;
        if (!joints[h]) continue;
        if (!whole) add_port(d, b, h, 6);
        d->port_of[h] = d->nports - 1;
        d->port[d->nports - 1].waiting += joints[h];
    }
}

int dca_ports(lm_dca *d)
{
    const lm_dca_topology *t = &d->t;
    int *joints = LM_NEW_N(d->arena, int, t->nhandles + 1); /* on a handle */
    d->port = LM_NEW_N(d->arena, dca_port, t->nhandles + 1);
    d->port_of = LM_NEW_N(d->arena, int, t->nhandles + 1);
    if (!joints || !d->port || !d->port_of) return -1;
    for (int j = 0; j < t->njoints; j++)
        for (int s = 0; s < 2; s++)
            if (dca_joined(t, j) && t->joint[j][s] >= 0) joints[t->joint[j][s]]++;
    for (int b = 0; b < t->nbodies; b++) ports_of(d, b, joints);
    return 0;
}

/* ---- the walk ---- */

typedef struct graph {
    int *first; /* [nbodies + 1] */
    int *next;  /* neighbours of a body */
    int *stack;
} graph;

static int make_graph(const lm_dca *d, graph *g)
{
    const lm_dca_topology *t = &d->t;
    g->first = LM_NEW_N(d->arena, int, t->nbodies + 2);
    g->next = LM_NEW_N(d->arena, int, 2 * t->njoints + 1);
    g->stack = LM_NEW_N(d->arena, int, 2 * t->njoints + t->nbodies + 1);
    if (!g->first || !g->next || !g->stack) return -1;
    for (int j = 0; j < t->njoints; j++)
        for (int s = 0; s < 2 && dca_links(t, j); s++) g->first[dca_body(t, j, s) + 2]++;
    for (int b = 0; b < t->nbodies; b++) g->first[b + 2] += g->first[b + 1];
    for (int j = 0; j < t->njoints; j++)
        for (int s = 0; s < 2 && dca_links(t, j); s++)
            g->next[g->first[dca_body(t, j, s) + 1]++] = dca_body(t, j, !s);
    return 0;
}

static void walk_from(const graph *g, int start, int *place, int *n)
{
    int top = 0;
    g->stack[top++] = start;
    while (top) {
        const int b = g->stack[--top];
        if (place[b] >= 0) continue;
        place[b] = (*n)++;
        for (int i = g->first[b + 1] - 1; i >= g->first[b]; i--)
            if (place[g->next[i]] < 0) g->stack[top++] = g->next[i];
    }
}

int dca_walk(const lm_dca *d, int *place)
{
    graph g;
    int n = 0;
    if (make_graph(d, &g)) return -1;
    for (int b = 0; b < d->t.nbodies; b++) place[b] = -1;
    for (int b = 0; b < d->t.nbodies; b++)
        if (g.first[b + 1] - g.first[b] <= 1 && place[b] < 0) walk_from(&g, b, place, &n);
    for (int b = 0; b < d->t.nbodies; b++)
        if (place[b] < 0) walk_from(&g, b, place, &n);
    return 0;
}
