/* Reactions of the joints that the tree goes through. They have no multipliers among the unknowns, but
 * the nodal equations of motion, r + Phi^T lam = 0, must hold for each node alone: from the leaves to the
 * root, a node's own joint carries what is left of its residual. */
#include "form/minimal.h"

enum { MOST = 6 };

/* N x = b in the last column, n x n, symmetric and not negative; what has no pivot is zero: nothing is
 * left of its own diagonal, whose unit may be another than that of the other rows. */
static void solve_small(double N[MOST][MOST + 1], int n, double *x)
{
    double whole[MOST];
    int pivot[MOST];
    for (int i = 0; i < n; i++) whole[i] = N[i][i];
    for (int i = 0; i < n; i++) {
        pivot[i] = N[i][i] > 1e-12 * whole[i];
        for (int r = 0; r < n && pivot[i]; r++) {
            if (r == i) continue;
            double f = N[r][i] / N[i][i];
            for (int c = i; c <= n; c++) N[r][c] -= f * N[i][c];
        }
    }
    for (int i = 0; i < n; i++) x[i] = pivot[i] ? N[i][n] / N[i][i] : 0;
}

/* By the normal equations. */
void minimal_fit(double X[][6], int n, const double *w, double linear, double angular, double *f)
{
    double N[MOST][MOST + 1] = {{0}};
    for (int a = 0; a < n; a++)
        for (int k = 0; k < 6; k++) {
            double weighted = X[a][k] * (k < 3 ? linear : angular);
            for (int b = 0; b < n; b++) N[a][b] += weighted * X[b][k];
            N[a][n] += weighted * w[k];
        }
    solve_small(N, n, f);
}

static void joint_reaction(minimal *s, int node, int joint)
{
    const lm_joint *j = &s->m->joints[joint];
    const lm_pair *pair = &s->m->pairs[j->pair];
    int side = pair->node[1] == node, rows[MOST], n = 0, other = pair->node[!side];
    double size = s->m->size > 0 ? s->m->size : 1, X[MOST][6], left[6], lam[MOST];
    lm_v3 G[MOST][LM_PAIR_BLOCKS];
    for (int k = j->first_row; k < j->first_row + j->nrows && n < MOST; k++) {
        const lm_row *row = &s->m->rows[k];
        if (s->moved.own[k] >= 0) continue;
        lm_measure_grad(row->measure, row->i, row->j, &s->in->kin.pair[j->pair], G[n]);
        v3_put(X[n], G[n][2 * side]);
        v3_put(X[n] + 3, G[n][2 * side + 1]);
        rows[n++] = k;
    }
    for (int i = 0; i < 6; i++) left[i] = -s->moved.ri[NODE_V * node + i];
    minimal_fit(X, n, left, 1, 1 / (size * size), lam);
    for (int a = 0; a < n; a++) {
        s->moved.li[rows[a]] = lam[a];
        if (other < 0) continue;
        v3_acc(s->moved.ri + NODE_V * other, v3_mul(lam[a], G[a][2 * !side]));
        v3_acc(s->moved.ri + NODE_V * other + 3, v3_mul(lam[a], G[a][2 * !side + 1]));
    }
}

void minimal_reactions(minimal *s)
{
    if (s->written) return;
    for (int k = s->m->nnodes - 1; k >= 0; k--) {
        int node = nodal_tree_order(s->in->tree, k), joint = nodal_tree_joint(s->in->tree, node);
        if (joint >= 0 && s->passed[joint]) joint_reaction(s, node, joint);
    }
}
