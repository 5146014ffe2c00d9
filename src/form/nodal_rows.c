/* The constraints that are independent, and the mobility.
 *
 * The rows of tree joints are always independent. Every other row (joints that close loops, drives,
 * initial values) is written in the free motions z of the tree and taken up only when it adds to
 * the rank: Gaussian elimination row by row, with sparse rows. Lengths are measured in the model's
 * size, so that one threshold serves translations and rotations. */
#include "form/nodal_tree.h"

static void free_motions(nodal *s, int node)
{
    lm_tree *t = s->tree;
    t->nfree[node] = nodal_tree_free(s, node, t->S[node]);
    t->first[node] = t->ndof;
    t->ndof += t->nfree[node];
}

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
    for (int side = 0; side < 2; side++) nodal_row_form(s, row, side, t->size, u[side]);
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
