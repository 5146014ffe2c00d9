#include "form/moved.h"

#include <string.h>

lm_mix lm_mix_one(double cM, double cD, double cK, double *to)
{
    return (lm_mix){.n = 1,
                    .to = {to},
                    .c = {{cM, cD, cK}},
                    .damping = cD != 0 || cK != 0,
                    .stiffness = cK != 0};
}

lm_mix lm_mix_each(double *M, double *D, double *K)
{
    return (lm_mix){.n = 3,
                    .to = {M, D, K},
                    .c = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                    .damping = 1,
                    .stiffness = 1};
}

/* ---- making ---- */

/* Nodes whose rows share an entry with the columns of node n; seen: scratch, all below n. */
static int list_near(lm_moved *s, int n, int *seen, int stamp, lm_arena *arena)
{
    const lm_pattern *p = &s->in->sys.pattern;
    moved_node *node = &s->node[n];
    for (int pass = 0; pass < 2; pass++, stamp++) {
        node->nnear = 0;
        for (int c = NODE_V * n; c < NODE_V * (n + 1); c++)
            for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++) {
                int other = p->rowind[i] / NODE_V;
                if (p->rowind[i] >= s->in->sys.nv || seen[other] == stamp) continue;
                seen[other] = stamp;
                if (pass) node->near[node->nnear] = other;
                node->nnear++;
            }
        if (pass == 0) node->near = LM_NEW_N(arena, int, node->nnear);
        if (!node->near) return -1;
    }
    return 0;
}

/* Where the entries of the nodal matrices go, which are used by blocks of 6x6, column by column: M of
 * a node and one near it, then D and K. Entries of constraints have no such place. */
static int place_blocks(lm_moved *s, int *near_at, lm_arena *arena)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int blocks = 0;
    s->block_at = LM_NEW_N(arena, int, p->nnz);
    if (!s->block_at) return -1;
    for (int i = 0; i < p->nnz; i++) s->block_at[i] = -1;
    for (int n = 0; n < s->in->m->nnodes; n++) {
        moved_node *node = &s->node[n];
        node->block = blocks;
        for (int k = 0; k < node->nnear; k++) near_at[node->near[k]] = blocks++;
        for (int c = 0; c < NODE_V; c++)
            for (int i = p->colptr[NODE_V * n + c]; i < p->colptr[NODE_V * n + c + 1]; i++) {
                int r = p->rowind[i];
                if (r < s->in->sys.nv)
                    s->block_at[i] = MOVED_BLOCK * near_at[r / NODE_V] + NODE_V * c + r % NODE_V;
            }
    }
    s->block = LM_NEW_N(arena, double, (size_t)MOVED_BLOCK *(size_t)blocks);
    return s->block ? 0 : -1;
}

int moved_make(lm_moved *s, lm_arena *arena)
{
    int nodes = s->in->m->nnodes, nnz = s->in->sys.pattern.nnz;
    int *scratch = LM_NEW_N(arena, int, nodes);
    if (!scratch) return -1;
    for (int n = 0; n < nodes; n++)
        if (list_near(s, n, scratch, 2 * n + 1, arena)) return -1;
    s->K = LM_NEW_N(arena, double, nnz);
    s->M = LM_NEW_N(arena, double, nnz);
    s->D = LM_NEW_N(arena, double, nnz);
    s->place = LM_NEW_N(arena, int, s->sys->nv + s->sys->nl);
    if (!s->K || !s->M || !s->D || !s->place) return -1;
    return place_blocks(s, scratch, arena);
}

/* ---- the tangent ---- */

/* The nodal matrices by blocks of 6x6; where D is not asked for, nor is K, and M alone is used. */
static void gather(lm_moved *s, const lm_mix *w)
{
    int nnz = s->in->sys.pattern.nnz;
    for (int i = 0; i < nnz; i++) {
        if (s->block_at[i] < 0) continue;
        double *B = s->block + s->block_at[i];
        B[0] = s->M[i];
        if (!w->damping) continue;
        B[36] = s->D[i];
        B[72] = s->K[i];
    }
}

int moved_matrices(lm_moved *s, const lm_state *inner, const lm_mix *w)
{
    lm_system *in = &s->in->sys;
    int bad = nodal_jacobian(in, inner, 1, 0, 0, s->M);
    if (!bad && w->damping) bad = nodal_jacobian(in, inner, 0, 1, 0, s->D);
    if (!bad && w->stiffness) bad = nodal_jacobian(in, inner, 0, 0, 1, s->K);
    if (!w->stiffness) memset(s->K, 0, sizeof(double) * (size_t)in->pattern.nnz);
    if (!bad) gather(s, w);
    return bad;
}

void moved_column(lm_moved *s, int col)
{
    const lm_pattern *p = &s->sys->pattern;
    for (int i = p->colptr[col]; i < p->colptr[col + 1]; i++) s->place[p->rowind[i]] = i;
}

typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));

/* Forces of M, D and K on a node near one that moves as j: f[0] = M X, f[1] = D X + M Xc,
 * f[2] = K X + D Xv + M Xa. */
static void forces(const double *B, const lm_jet *j, double f[3][6])
{
    vec2 sum[3][3] = {{{0}}};
    for (int c = 0; c < 6; c++, B += 6) {
        double X = j->X[c], Xc = j->Xc[c], Xv = j->Xv[c], Xa = j->Xa[c];
        for (int h = 0; h < 3; h++) {
            vec2 M = *(const vec2 *)(B + 2 * h), D = *(const vec2 *)(B + 36 + 2 * h);
            vec2 K = *(const vec2 *)(B + 72 + 2 * h);
            sum[0][h] += M * X;
            sum[1][h] += D * X + M * Xc;
            sum[2][h] += K * X + D * Xv + M * Xa;
        }
    }
    memcpy(f, sum, sizeof sum);
}

/* M X alone: of a jet that knows no more than X. */
static void mass_forces(const double *B, const double *X, double f[6])
{
    vec2 sum[3] = {{0}};
    for (int c = 0; c < 6; c++, B += 6)
        for (int h = 0; h < 3; h++) sum[h] += *(const vec2 *)(B + 2 * h) * X[c];
    memcpy(f, sum, sizeof sum);
}

/* Forces for each matrix that is wanted. */
static void wanted_forces(const double *B, const lm_jet *j, const lm_mix *w, double f[3][6])
{
    const double *c = w->c[0];
    if (!w->damping) {
        mass_forces(B, j->X, f[0]);
        for (int r = 0; r < 6; r++) f[0][r] *= c[0];
        return;
    }
    forces(B, j, f);
    for (int r = 0; r < 6 && w->n == 1; r++)
        f[0][r] = c[0] * f[0][r] + c[1] * f[1][r] + c[2] * f[2][r];
}

/* Forces that one coordinate's motion of node m makes on the nodes near it, and by their partial
 * velocities on the coordinates. */
static void add_motion(lm_moved *s, int m, const lm_jet *j, const lm_mix *w)
{
    const moved_node *node = &s->node[m];
    for (int k = 0; k < node->nnear; k++) {
        const moved_node *other = &s->node[node->near[k]];
        double f[3][6];
        wanted_forces(s->block + (size_t)MOVED_BLOCK * (size_t)(node->block + k), j, w, f);
        for (int t = 0; t < w->n; t++)
            for (int i = other->first; i < other->first + other->n; i++)
                w->to[t][s->place[s->cols[i]]] += moved_dot(s->jets[i].X, f[t]);
    }
}

/* Entries of constraint rows in the columns of node m: the nodal matrices all hold them. */
static void add_rows(lm_moved *s, int m, const lm_jet *j, const lm_mix *w)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int nv = s->in->sys.nv;
    for (int c = 0; c < 6; c++)
        for (int i = p->colptr[NODE_V * m + c + 1] - 1; i >= p->colptr[NODE_V * m + c]; i--) {
            int row = p->rowind[i] - nv;
            if (row < 0) break;
            double x = s->M[i] * j->X[c];
            if (s->own[row] < 0 || x == 0) continue;
            int at = s->place[s->sys->nv + s->own[row]];
            for (int t = 0; t < w->n; t++) w->to[t][at] += x;
        }
}

void moved_add(lm_moved *s, int m, const lm_jet *j, const lm_mix *w)
{
    add_motion(s, m, j, w);
    if (s->sys->nl > 0) add_rows(s, m, j, w);
}

/* Forces on nodes, and the diagonal as in the nodal formulation. */
static void add_multiplier(lm_moved *s, int k, double *values)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int nv = s->in->sys.nv, col = nv + s->row[k];
    values[s->place[s->sys->nv + k]] += s->sys->active[k] ? -s->sys->softness : 1;
    for (int i = p->colptr[col]; i < p->colptr[col + 1]; i++) {
        int r = p->rowind[i];
        if (r >= nv) break;
        const moved_node *n = &s->node[r / NODE_V];
        for (int c = n->first; c < n->first + n->n; c++) {
            double x = s->M[i] * s->jets[c].X[r % NODE_V];
            if (x != 0) values[s->place[s->cols[c]]] += x; /* most are zero */
        }
    }
}

void moved_multipliers(lm_moved *s, const lm_mix *w)
{
    for (int k = 0; k < s->sys->nl; k++) {
        moved_column(s, s->sys->nv + k);
        for (int t = 0; t < w->n; t++) add_multiplier(s, k, w->to[t]);
    }
}

/* ---- angles ---- */

void moved_put(const lm_tip_motion *m, int n, double *qi, double *vi, double *ai)
{
    v3_put(qi + NODE_Q * n, m->x);
    quat_put(qi + NODE_Q * n + 3, lm_quat_from_m3(&m->R));
    v3_put(vi + NODE_V * n, m->v);
    v3_put(vi + NODE_V * n + 3, m->w);
    v3_put(ai + NODE_V * n, m->a);
    v3_put(ai + NODE_V * n + 3, m->al);
}

void moved_angles(lm_moved *s, const double *q, double *qi)
{
    nodal *in = s->in;
    int first = NODE_Q * in->m->nnodes, own = s->sys->nq - in->m->nangles;
    memcpy(qi + first, q + own, sizeof(double) * (size_t)in->m->nangles);
    for (int k = 0; k < in->ntracked; k++) {
        const lm_coord *c = &in->m->coords[in->tracked[k]];
        int pair = in->m->joints[c->joint].pair;
        nodal_kinematics_of(in, qi, pair);
        double value = lm_measure_value(c->measure, c->i, c->j, &in->kin.pair[pair]);
        qi[first + c->turns] = lm_angle_near(value, q[own + c->turns]);
    }
}

void moved_follow_angles(lm_moved *s, const double *q0, const double *d, const double *qi,
                         double *q1)
{
    nodal *in = s->in;
    const double *measured = qi + NODE_Q * in->m->nnodes;
    int own = s->sys->nq - in->m->nangles;
    memmove(q1 + own, q0 + own, sizeof(double) * (size_t)in->m->nangles);
    for (int k = 0; k < in->ntracked; k++) {
        const lm_coord *c = &in->m->coords[in->tracked[k]];
        int pair = in->m->joints[c->joint].pair;
        lm_v3 G[LM_PAIR_BLOCKS], v[LM_PAIR_BLOCKS];
        pair_velocity(&in->m->pairs[pair], d, v);
        lm_measure_grad(c->measure, c->i, c->j, &in->kin.pair[pair], G);
        double near = q0[own + c->turns] + blocks_dot(G, v);
        q1[own + c->turns] = lm_angle_near(measured[c->turns], near);
    }
}
