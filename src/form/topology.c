/* Topology: a spanning tree of joints, the constraints that are independent, the mobility, and the
 * initial configuration by following the tree.
 *
 * The rows of tree joints are always independent. Every other row (joints that close loops, drives,
 * initial values) is written in the free motions z of the tree and taken up only when it adds to
 * the rank: Gaussian elimination row by row, with sparse rows. Lengths are measured in the model's
 * size, so that one threshold serves translations and rotations. */
#include "form/nodal.h"

#include "math/eliminate.h"

#include <stdlib.h>
#include <string.h>

struct lm_tree {
    int n;               /* nodes */
    int *parent, *joint; /* [n] parent node or LM_GROUND; its joint, -1: free root */
    int *carrier;        /* [n] the node it is carried by as drawn: its parent, or another node of
                          * the same flexible body; LM_GROUND: none */
    int *depth;          /* [n] */
    int *order;          /* [n] parents before children */
    int *first, *nfree;  /* [n] free motions of the node against its parent */
    double (*S)[6][6];   /* [n] their directions, scaled twists: S[k] is direction k */
    int ndof;
    unsigned char *is_tree; /* [njoints] */
    int ncand;              /* rows that may be redundant */
    int *cand;              /* [ncand] loop rows first, then drives, then initial values */
    lm_eliminator *eliminator;
    double size; /* unit of length */
};

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

/* A row as a linear form on the scaled twist (v/L, omega) of one side's node. */
static void row_form(const nodal *s, int row, int side, double L, double u[6])
{
    const lm_row *r = &s->m->rows[row];
    lm_v3 G[LM_PAIR_BLOCKS];
    lm_measure_grad(r->measure, r->i, r->j, &s->kin.pair[s->m->joints[r->joint].pair], G);
    double unit = lm_measure_is_rotation(r->measure) ? 1 : 1 / L;
    v3_put(u, v3_mul(unit * L, G[2 * side]));
    v3_put(u + 3, v3_mul(unit, G[2 * side + 1]));
}

static double dot6(const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < 6; i++) s += a[i] * b[i];
    return s;
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
                row_form(s, joint->first_row + k, side, t->size, rows[nrows++]);
    }
    return complement(rows, nrows, S);
}

static void free_motions(nodal *s, int node)
{
    lm_tree *t = s->tree;
    t->nfree[node] = nodal_tree_free(s, node, t->S[node]);
    t->first[node] = t->ndof;
    t->ndof += t->nfree[node];
}

/* ---- which rows are independent ---- */

/* Add a form on a node's twist to the eliminator's row, in the motions between the node and its parent,
 * and carry it to the parent: v_c = v_p + omega x (x_c - x_p). */
static int climb(const nodal *s, const double *q, int node, double u[6])
{
    const lm_tree *t = s->tree;
    for (int k = 0; k < t->nfree[node]; k++) {
        double c = dot6(u, t->S[node][k]);
        if (c != 0) lm_eliminate_add(t->eliminator, t->first[node] + k, c);
    }
    int up = t->parent[node];
    if (up < 0) return up;
    lm_v3 d = v3_mul(1 / t->size, v3_sub(node_x(q, node), node_x(q, up)));
    v3_acc(u + 3, v3_cross(d, v3_from(u)));
    return up;
}

static int row_independent(const nodal *s, const double *q, int row)
{
    const lm_tree *t = s->tree;
    const int *node = s->m->pairs[s->m->joints[s->m->rows[row].joint].pair].node;
    int n[2] = {node[0], node[1]};
    double u[2][6];
    for (int side = 0; side < 2; side++) row_form(s, row, side, t->size, u[side]);
    double scale = sqrt(fmax(dot6(u[0], u[0]), dot6(u[1], u[1])));
    while (n[0] != n[1]) { /* the forms cancel at the common ancestor */
        int depth0 = n[0] < 0 ? 0 : t->depth[n[0]], depth1 = n[1] < 0 ? 0 : t->depth[n[1]];
        int side = n[0] < 0 || depth0 < depth1;
        n[side] = climb(s, q, n[side], u[side]);
    }
    return lm_eliminate_row(t->eliminator, scale);
}

/* How much elimination fills the rows depends on the pivots, and so on the position. While the
 * mechanism is assembled, room is made as it is needed, and in the end for several times as much;
 * later, in the time loop, nothing is allocated. */
static int make_room(nodal *s, int assembling, size_t more)
{
    return assembling ? lm_eliminate_reserve(s->tree->eliminator, &s->arena, more) : 0;
}

int nodal_select_rows(lm_system *sys, double time, const double *q, int assembling)
{
    nodal *s = (nodal *)sys;
    lm_tree *t = s->tree;
    int redundant = 0;
    (void)time;
    nodal_kinematics(s, q);
    t->ndof = 0;
    for (int k = 0; k < t->n; k++) free_motions(s, t->order[k]);
    lm_eliminate_begin(t->eliminator);
    for (int k = 0; k < sys->nl; k++) sys->active[k] = (unsigned char)s->row[k].tree;
    for (int k = 0; k < t->ncand; k++) {
        int row = t->cand[k], initial = s->m->rows[row].initial;
        int use = initial < 0 || (assembling == 1 && s->m->spec->initial.at[initial].has_value) ||
                  (assembling == 2 && s->m->spec->initial.at[initial].has_rate);
        if (!use) continue;
        int unfit = make_room(s, assembling, (size_t)t->ndof);
        int independent = unfit ? -1 : row_independent(s, q, row);
        if (independent < 0) return -1;
        sys->active[row] = (unsigned char)independent;
        redundant += !independent;
    }
    sys->mobility = t->ndof - lm_eliminate_rank(t->eliminator);
    size_t spare = 3 * lm_eliminate_used(t->eliminator);
    return make_room(s, assembling, spare) ? -1 : redundant;
}

/* ---- initial configuration by following the tree ---- */

/* The initial value and rate of a coordinate: from its drive at t = 0, or from `initial`. */
void nodal_coord_start(const nodal *s, int joint, int c, double *value, double *rate)
{
    const lm_spec_coord *k = &s->m->spec->joints.at[joint].coord[c];
    double d[3] = {0, 0, 0};
    *value = *rate = 0;
    if (k->has_drive) {
        lm_expr_time(&k->drive, 0, s->scratch, d);
        *value = d[0];
        *rate = d[1];
    }
    int i = s->initial_of[s->m->joints[joint].first_coord + c];
    if (i < 0) return;
    const lm_spec_initial *in = &s->m->spec->initial.at[i];
    if (in->has_value) *value = in->value;
    if (in->has_rate) *rate = in->rate;
}

/* The axis of a coordinate in world axes, and whether it is turned about or moved along. */
static lm_v3 coord_axis(const lm_coord *c, const lm_pair_pose *p, int *turns)
{
    *turns = lm_measure_is_rotation(c->measure);
    if (c->measure == LM_ANGLE2) return m3_col(&p->f, 1);
    if (c->measure == LM_LENGTH) return v3_unit(p->d);
    return m3_col(&p->e, c->measure == LM_TWIST ? 2 : c->i);
}

static void move_node(double *q, int n, lm_v3 point, lm_v3 axis, int turns, double by)
{
    lm_v3 x = node_x(q, n);
    if (!turns) {
        v3_put(q + NODE_Q * n, v3_add(x, v3_mul(by, axis)));
        return;
    }
    lm_quat r = lm_quat_exp(v3_mul(by, axis));
    lm_m3 R = quat_m3(r);
    v3_put(q + NODE_Q * n, v3_add(point, m3_v(&R, v3_sub(x, point))));
    quat_put(q + NODE_Q * n + 3, quat_unit(quat_mul(r, node_quat(q, n))));
}

/* Carry a node with another as drawn. */
static void follow_carrier(const nodal *s, double *q, double *v, int n, int up)
{
    if (up < 0) return;
    lm_m3 R0 = quat_m3(s->m->nodes[up].q), R1 = quat_m3(node_quat(q, up)), R0t = m3_t(&R0);
    lm_m3 turn = m3_mul(&R1, &R0t);
    lm_v3 d = m3_v(&turn, v3_sub(s->m->nodes[n].x, s->m->nodes[up].x));
    v3_put(q + NODE_Q * n, v3_add(node_x(q, up), d));
    lm_quat rel = lm_quat_from_m3(&turn);
    quat_put(q + NODE_Q * n + 3, quat_unit(quat_mul(rel, s->m->nodes[n].q)));
    lm_v3 w = v3_from(v + NODE_V * up + 3);
    v3_put(v + NODE_V * n, v3_add(v3_from(v + NODE_V * up), v3_cross(w, d)));
    v3_put(v + NODE_V * n + 3, w);
}

static void apply_joint(nodal *s, double *q, double *v, int n)
{
    int j = s->tree->joint[n];
    if (j < 0) return;
    const lm_joint *joint = &s->m->joints[j];
    const lm_pair *pair = &s->m->pairs[joint->pair];
    double sign = pair->node[1] == n ? 1 : -1;
    for (int c = 0; c < joint->ncoords; c++) {
        double value, rate;
        int turns;
        nodal_coord_start(s, j, c, &value, &rate);
        if (value == 0 && rate == 0) continue;
        nodal_kinematics_of(s, q, joint->pair);
        const lm_pair_pose *p = &s->kin.pair[joint->pair];
        lm_v3 axis = coord_axis(&s->m->coords[joint->first_coord + c], p, &turns);
        int side = sign > 0;
        lm_v3 point = v3_add(pair->node[side] < 0 ? v3(0, 0, 0) : node_x(q, pair->node[side]),
                             pair->node[side] < 0 ? pair->r[side] : p->rho[side]);
        move_node(q, n, point, axis, turns, sign * value);
        lm_v3 spin = v3_mul(turns ? sign * rate : 0, axis);
        lm_v3 slide = v3_mul(turns ? 0 : sign * rate, axis);
        v3_acc(v + NODE_V * n, v3_add(slide, v3_cross(spin, v3_sub(node_x(q, n), point))));
        v3_acc(v + NODE_V * n + 3, spin);
    }
}

static lm_v3 body_origin(const nodal *s, const double *q, int body)
{
    const lm_body *b = &s->m->bodies[body];
    int n = b->first_node;
    lm_m3 R = quat_m3(node_quat(q, n));
    lm_v3 r = b->com; /* of the node from the origin, node axes */
    if (b->type == LM_BODY_SUPERELEMENT)
        r = m3_tv(&s->m->supers[b->super].R0[0], s->m->supers[b->super].X[0]);
    return v3_sub(node_x(q, n), m3_v(&R, r));
}

/* A body's velocity field is that of a rigid body about its frame; a beam's frame is its start. */
static void given_velocities(const nodal *s, const double *q, double *v)
{
    for (int k = 0; k < s->m->spec->velocities.n; k++) {
        const lm_spec_velocity *in = &s->m->spec->velocities.at[k];
        const lm_body *b = &s->m->bodies[in->body];
        lm_v3 w = v3_from(in->angular), x = body_origin(s, q, in->body);
        for (int n = b->first_node; n < b->first_node + b->nnodes; n++) {
            lm_v3 arm = v3_sub(node_x(q, n), x);
            v3_put(v + NODE_V * n, v3_add(v3_from(in->linear), v3_cross(w, arm)));
            v3_put(v + NODE_V * n + 3, w);
        }
    }
}

int nodal_initial(lm_system *sys, double *q, double *v)
{
    nodal *s = (nodal *)sys;
    memset(v, 0, sizeof(double) * (size_t)sys->nv);
    memset(q, 0, sizeof(double) * (size_t)sys->nq);
    for (int n = 0; n < s->m->nnodes; n++) {
        v3_put(q + NODE_Q * n, s->m->nodes[n].x);
        quat_put(q + NODE_Q * n + 3, s->m->nodes[n].q);
    }
    for (int k = 0; k < s->tree->n; k++) {
        int n = s->tree->order[k];
        follow_carrier(s, q, v, n, s->tree->carrier[n]);
        apply_joint(s, q, v, n);
    }
    given_velocities(s, q, v);
    nodal_kinematics(s, q);
    for (int c = 0; c < s->m->ncoords; c++) {
        const lm_coord *k = &s->m->coords[c];
        if (k->turns < 0) continue;
        double value, rate;
        nodal_coord_start(s, k->joint, c - s->m->joints[k->joint].first_coord, &value, &rate);
        double now =
            lm_measure_value(k->measure, k->i, k->j, &s->kin.pair[s->m->joints[k->joint].pair]);
        q[NODE_Q * s->m->nnodes + k->turns] = lm_angle_near(now, value);
    }
    return 0;
}
