/* Groups of unknowns for the block solver: each node with the rows of the joint it hangs on in the
 * spanning tree, and each joint that closes a loop on its own.
 *
 * With M > 0 the matrix [M C^T; C 0] of a node and its joint is regular. The rows of a loop are
 * independent only in the free motions of the whole loop, so they come after all its nodes; a body
 * without mass gets its inertia from those that hang on it, and comes after them. Nodes near the
 * ground have low numbers, and of equals the lower is eliminated first: what is held by the ground
 * stays small, while the inertia gathered from the tips of a long chain would swamp the rest. */
#include "form/nodal.h"

typedef struct pairs_list { /* (group, group that goes before it) */
    LM_VEC(lm_entry) at;
    int failed;
} pairs_list;

static void add_after(lm_arena *a, pairs_list *l, int group, int before)
{
    lm_entry *grown = lm_vec_grow(a, l->at.at, l->at.n, &l->at.cap, sizeof *l->at.at);
    if (!grown) {
        l->failed = 1;
        return;
    }
    l->at.at = grown;
    l->at.at[l->at.n++] = (lm_entry){group, before};
}

/* The nodes between a joint's two sides and their common ancestor. */
static void loop_after(const nodal *s, int joint, int own, const int *group, lm_arena *a,
                       pairs_list *l)
{
    const int *node = s->m->pairs[s->m->joints[joint].pair].node;
    int n[2] = {node[0], node[1]};
    while (n[0] != n[1] && !l->failed) {
        int depth0 = nodal_tree_depth(s->tree, n[0]), depth1 = nodal_tree_depth(s->tree, n[1]);
        int *up = n[0] >= 0 && depth0 >= depth1 ? &n[0] : &n[1];
        add_after(a, l, own, group[*up]);
        *up = nodal_tree_parent(s->tree, *up);
    }
}

/* 1: some free motion of the body against its parent moves no mass (Cholesky's method fails). */
static int lacks_mass(const nodal *s, const nodal_rigid *b)
{
    double S[6][6], A[6][6] = {{0}}, L = s->m->size > 0 ? s->m->size : 1;
    int n = nodal_tree_free(s, b->node, S);
    const lm_m3 *R = &s->kin.R[b->node];
    double unit = b->mass * L * L + b->J.m[0] + b->J.m[4] + b->J.m[8];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            lm_v3 w = m3_tv(R, v3_from(S[i] + 3)), u = m3_tv(R, v3_from(S[j] + 3));
            A[i][j] = v3_dot(w, m3_v(&b->J, u));
            A[i][j] += b->mass * L * L * v3_dot(v3_from(S[i]), v3_from(S[j]));
            for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
            if (i == j && !(A[i][i] > 1e-10 * unit)) return 1;
            A[i][j] = i == j ? sqrt(A[i][i]) : A[i][j] / A[j][j];
        }
    return 0;
}

static void massless_after(nodal *s, const int *group, lm_arena *a, pairs_list *l)
{
    unsigned char *light = LM_NEW_N(a, unsigned char, s->m->nnodes);
    double *q = LM_NEW_N(a, double, s->sys.nq);
    if (!light || !q) {
        l->failed = 1;
        return;
    }
    for (int n = 0; n < s->m->nnodes; n++) { /* as drawn */
        v3_put(q + NODE_Q * n, s->m->nodes[n].x);
        quat_put(q + NODE_Q * n + 3, s->m->nodes[n].q);
    }
    nodal_kinematics(s, q);
    for (int k = 0; k < s->nrigid; k++)
        light[s->rigid[k].node] = (unsigned char)lacks_mass(s, &s->rigid[k]);
    for (int n = 0; n < s->m->nnodes && !l->failed; n++) {
        int up = nodal_tree_parent(s->tree, n);
        if (up >= 0 && light[up]) add_after(a, l, group[up], group[n]);
    }
}

/* Lists by group, from the pairs. */
static int sort_after(nodal *s, const pairs_list *l, lm_groups *g)
{
    g->after_start = LM_NEW_N(&s->arena, int, g->n + 2);
    g->after = LM_NEW_N(&s->arena, int, l->at.n);
    if (!g->after_start || !g->after) return -1;
    for (int k = 0; k < l->at.n; k++) g->after_start[l->at.at[k].row + 2]++;
    for (int i = 0; i <= g->n; i++) g->after_start[i + 1] += g->after_start[i];
    for (int k = 0; k < l->at.n; k++)
        g->after[g->after_start[l->at.at[k].row + 1]++] = l->at.at[k].col;
    return 0;
}

int nodal_make_groups(nodal *s)
{
    const lm_model *m = s->m;
    lm_groups *g = &s->sys.groups;
    lm_arena temp = {0};
    pairs_list l = {0};
    int *of_joint = LM_NEW_N(&temp, int, m->njoints), *group = LM_NEW_N(&temp, int, m->nnodes);
    g->of = LM_NEW_N(&s->arena, int, s->sys.nv + s->sys.nl);
    int failed = !g->of || !of_joint || !group;
    g->n = m->nnodes;
    for (int k = 0; k < m->nnodes && !failed; k++) {
        int n = nodal_tree_order(s->tree, k), joint = nodal_tree_joint(s->tree, n);
        group[n] = k;
        if (joint >= 0) of_joint[joint] = k + 1;
        for (int i = 0; i < NODE_V; i++) g->of[NODE_V * n + i] = k;
    }
    for (int k = 0; k < s->sys.nl && !failed;
         k++) { /* a joint of springs may have an initial value */
        int j = m->rows[k].joint;
        if (of_joint[j]) continue;
        of_joint[j] = ++g->n;
        loop_after(s, j, g->n - 1, group, &temp, &l);
    }
    for (int k = 0; k < s->sys.nl && !failed; k++)
        g->of[s->sys.nv + k] = of_joint[m->rows[k].joint] - 1;
    if (!failed) massless_after(s, group, &temp, &l);
    failed = failed || l.failed || sort_after(s, &l, g);
    lm_arena_free(&temp);
    return failed ? -1 : 0;
}
