/* The spanning tree of joints, and how its nodes may move against their parents. */
#include "form/nodal_tree.h"

#include <string.h>

/* ---- making the tree ---- */

static int has_rows(const lm_model *m, int j) { return m->joints[j].nrows > 0; }

/* Adjacency of vertices (ground = 0, node n = n + 1) through joints, in compressed lists. */
typedef struct adjacency {
    int *start, *joint;
} adjacency;

static int make_adjacency(const lm_model *m, lm_arena *arena, adjacency *g)
{
    g->start = LM_NEW_N(arena, int, m->nnodes + 3);
    g->joint = LM_NEW_N(arena, int, 2 * m->njoints + 1);
    if (!g->start || !g->joint) return -1;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < m->njoints; j++) {
            if (!has_rows(m, j) || m->joints[j].cut) continue;
            for (int e = 0; e < 2; e++) {
                int v = m->pairs[m->joints[j].pair].node[e] + 1;
                if (pass == 0)
                    g->start[v + 2]++;
                else /* ends with start[v + 1] = end of v, so that v begins at start[v] */
                    g->joint[g->start[v + 1]++] = j;
            }
        }
        if (pass == 0)
            for (int v = 0; v <= m->nnodes + 1; v++) g->start[v + 1] += g->start[v];
    }
    return 0;
}

/* Hang a node on vertex v by joint j; its place in the order is the caller's. */
static void hang(lm_tree *t, int node, int v, int j)
{
    t->parent[node] = t->carrier[node] = v;
    t->joint[node] = j;
    t->depth[node] = v < 0 ? 1 : t->depth[v] + 1;
    t->is_tree[j] = 1;
}

/* Hang the unvisited neighbours of vertex v into the tree. */
static int visit(const lm_model *m, lm_tree *t, const adjacency *g, int v, int done)
{
    for (int k = g->start[v + 1]; k < g->start[v + 2]; k++) { /* vertex number is v + 1 */
        int j = g->joint[k];
        const int *node = m->pairs[m->joints[j].pair].node;
        int other = node[0] == v ? node[1] : node[0];
        if (other < 0 || t->depth[other] >= 0) continue;
        hang(t, other, v, j);
        t->order[done++] = other;
    }
    return done;
}

/* 1: the body's nodes are joined to each other, by joints that are not in the model file. */
static int joined_inside(const lm_model *m, int body)
{
    const lm_beam *b = &m->beams[body];
    int own = m->spec->joints.n, found = 0;
    if (m->njoints == own) return 0;
    int end = m->bodies[body].first_node + m->bodies[body].nnodes;
    for (int k = 0; k < b->nelements && !found; k++) {
        int j = own + b->first_element + k;
        found = has_rows(m, j) && m->pairs[m->joints[j].pair].node[1] < end;
    }
    return found;
}

/* The other nodes of a flexible body: free of each other, but together as drawn. Neighbours first. */
static int visit_body(const lm_model *m, lm_tree *t, int v, int done)
{
    const lm_body *b = &m->bodies[m->nodes[v].body];
    if (joined_inside(m, m->nodes[v].body)) return done;
    for (int away = 1; away < b->nnodes; away++)
        for (int side = -1; side <= 1; side += 2) {
            int other = v + side * away;
            if (other < b->first_node || other >= b->first_node + b->nnodes) continue;
            if (t->depth[other] >= 0) continue;
            t->carrier[other] = v;
            t->depth[other] = 1;
            t->order[done++] = other;
        }
    return done;
}

/* Breadth first, so that paths to the root are short. */
static int grow(const lm_model *m, lm_tree *t, const adjacency *g, int root, int done)
{
    int next = done;
    if (root == LM_GROUND)
        done = visit(m, t, g, root, done);
    else
        t->order[done++] = root;
    while (next < done) {
        int v = t->order[next++];
        done = visit(m, t, g, v, done);
        done = visit_body(m, t, v, done);
    }
    return done;
}

/* A joint that is to be cut, and is in no loop that could be: the tree goes through it after all. */
static int grow_through_cuts(const lm_model *m, lm_tree *t, const adjacency *g, int done)
{
    for (int j = 0; j < m->njoints; j++) {
        const int *node = m->pairs[m->joints[j].pair].node;
        if (!m->joints[j].cut || !has_rows(m, j)) continue;
        for (int e = 0; e < 2; e++) {
            int known = node[e] < 0 || t->depth[node[e]] >= 0, other = node[1 - e];
            if (!known || other < 0 || t->depth[other] >= 0) continue;
            hang(t, other, node[e], j);
            done = grow(m, t, g, other, done);
            j = -1; /* again from the first: more may be within reach */
            break;
        }
    }
    return done;
}

static int alloc_tree(lm_tree *t, const lm_model *m, lm_arena *arena)
{
    t->n = m->nnodes;
    t->parent = LM_NEW_N(arena, int, t->n);
    t->joint = LM_NEW_N(arena, int, t->n);
    t->carrier = LM_NEW_N(arena, int, t->n);
    t->depth = LM_NEW_N(arena, int, t->n);
    t->order = LM_NEW_N(arena, int, t->n + 1);
    t->first = LM_NEW_N(arena, int, t->n);
    t->nfree = LM_NEW_N(arena, int, t->n);
    t->S = lm_arena_alloc(arena, sizeof *t->S * (size_t)t->n);
    t->is_tree = LM_NEW_N(arena, unsigned char, m->njoints);
    t->cand = LM_NEW_N(arena, int, m->nrows);
    return t->parent && t->joint && t->carrier && t->depth && t->order && t->first && t->nfree &&
                   t->S && t->is_tree && t->cand
               ? 0
               : -1;
}

/* Loop rows first, then drives, then initial values: the later are blamed for a conflict. */
static void list_candidates(lm_tree *t, const lm_model *m)
{
    for (int pass = 0; pass < 3; pass++)
        for (int k = 0; k < m->nrows; k++) {
            int kind = m->rows[k].initial >= 0 ? 2 : m->rows[k].drive ? 1 : 0;
            if (kind == pass && !nodal_tree_row(t, k, m)) t->cand[t->ncand++] = k;
        }
}

/* A small system gets room for whatever rows elimination may make. */
static lm_eliminator *make_eliminator(const lm_tree *t, lm_arena *arena)
{
    enum { SMALL = 1 << 16 };
    size_t cols = NODE_V * (size_t)t->n, all = (size_t)t->ncand * cols;
    return lm_eliminate_make(arena, (int)cols, t->ncand, all < SMALL ? all : SMALL);
}

lm_tree *nodal_tree_make(const lm_model *m, lm_arena *arena)
{
    lm_tree *t = LM_NEW(arena, lm_tree);
    adjacency g;
    if (!t || alloc_tree(t, m, arena) || make_adjacency(m, arena, &g)) return NULL;
    for (int n = 0; n < t->n; n++) t->depth[n] = t->parent[n] = t->carrier[n] = t->joint[n] = -1;
    int done = grow_through_cuts(m, t, &g, grow(m, t, &g, LM_GROUND, 0));
    for (int n = 0; n < t->n; n++)
        if (t->depth[n] < 0) {
            t->depth[n] = 1;
            done = grow_through_cuts(m, t, &g, grow(m, t, &g, n, done));
        }
    t->size = m->size > 0 ? m->size : 1;
    list_candidates(t, m);
    t->eliminator = make_eliminator(t, arena);
    return t->eliminator ? t : NULL;
}

int nodal_tree_row(const lm_tree *t, int row, const lm_model *m)
{
    const lm_row *r = &m->rows[row];
    return t->is_tree[r->joint] && !r->drive && r->initial < 0;
}

int nodal_tree_uses(const lm_tree *t, int joint) { return t->is_tree[joint]; }
int nodal_tree_parent(const lm_tree *t, int node) { return t->parent[node]; }
int nodal_tree_carrier(const lm_tree *t, int node) { return t->carrier[node]; }
int nodal_tree_joint(const lm_tree *t, int node) { return t->joint[node]; }
int nodal_tree_depth(const lm_tree *t, int node) { return node < 0 ? 0 : t->depth[node]; }
int nodal_tree_order(const lm_tree *t, int k) { return t->order[k]; }

/* ---- free motions of a tree joint ---- */

void nodal_row_form(const nodal *s, int row, int side, double L, double u[6])
{
    const lm_row *r = &s->m->rows[row];
    lm_v3 G[LM_PAIR_BLOCKS];
    lm_measure_grad(r->measure, r->i, r->j, &s->kin.pair[s->m->joints[r->joint].pair], G);
    double unit = lm_measure_is_rotation(r->measure) ? 1 : 1 / L;
    v3_put(u, v3_mul(unit * L, G[2 * side]));
    v3_put(u + 3, v3_mul(unit, G[2 * side + 1]));
}

/* Orthonormal complement of the rows, by Gram-Schmidt twice over rows and unit vectors. */
static int complement(double rows[6][6], int nrows, double S[6][6])
{
    double Q[6][6];
    int n = 0, nfree = 0;
    for (int k = 0; k < nrows + 6 && n < 6; k++) {
        double u[6] = {0};
        if (k < nrows)
            memcpy(u, rows[k], sizeof u);
        else
            u[k - nrows] = 1;
        double before = sqrt(dot6(u, u));
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < n; i++) {
                double c = dot6(Q[i], u);
                for (int j = 0; j < 6; j++) u[j] -= c * Q[i][j];
            }
        double left = sqrt(dot6(u, u));
        if (left <= (k < nrows ? 1e-10 : 1e-3) * before) continue;
        for (int j = 0; j < 6; j++) Q[n][j] = u[j] / left;
        if (k >= nrows) memcpy(S[nfree++], Q[n], sizeof Q[n]);
        n++;
    }
    return nfree;
}

int nodal_tree_free(const nodal *s, int node, double S[6][6])
{
    const lm_tree *t = s->tree;
    double rows[6][6];
    int nrows = 0, j = t->joint[node];
    if (j >= 0) {
        const lm_joint *joint = &s->m->joints[j];
        int side = s->m->pairs[joint->pair].node[1] == node;
        for (int k = 0; k < joint->nrows; k++)
            if (!s->m->rows[joint->first_row + k].drive)
                nodal_row_form(s, joint->first_row + k, side, t->size, rows[nrows++]);
    }
    return complement(rows, nrows, S);
}
