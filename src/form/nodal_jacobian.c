/* The matrix cM M + cD D + cK K with the constraint blocks: pattern once, numbers often. */
#include "form/nodal.h"

#include <string.h>

/* ---- pattern ---- */

/* First velocity of block b (x or psi) of a pair's side; -1 on the ground. */
static int block_start(const int node[2], int b)
{
    int n = node[b / 2];
    return n < 0 ? -1 : NODE_V * n + 3 * (b % 2);
}

static void add_blocks(lm_pattern_builder *pb, const int rows[2], const int cols[2], unsigned set)
{
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            int i = block_start(rows, r), j = block_start(cols, c);
            if (i >= 0 && j >= 0 && set >> (4 * r + c) & 1) lm_pattern_block(pb, i, j, 3, 3);
        }
}

nodal_block nodal_find_block(const lm_pattern *p, int i, int j)
{
    nodal_block b = {{-1, -1, -1}};
    for (int c = 0; c < 3 && i >= 0 && j >= 0; c++) b.col[c] = lm_pattern_find(p, i, j + c);
    return b;
}

static void find_blocks(const lm_pattern *p, const int rows[2], const int cols[2], unsigned set,
                        nodal_block out[4][4])
{
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            int in = set >> (4 * r + c) & 1;
            out[r][c] = nodal_find_block(p, in ? block_start(rows, r) : -1, block_start(cols, c));
        }
}

/* Entries of a constraint row that can differ from zero: 12 of them by block and component. */
static int row_entry(const lm_row *row, const lm_pair *p, int k)
{
    int b = k / 3, c = k % 3;
    if (p->node[b / 2] < 0) return 0;
    if (lm_measure_is_rotation(row->measure)) return b % 2;
    if (row->measure != LM_POINT) return 1;
    return b % 2 ? c != row->i : c == row->i;
}

static const lm_pair *row_pair(const nodal *s, int k)
{
    return &s->m->pairs[s->m->joints[s->m->rows[k].joint].pair];
}

static unsigned action_set(lm_measure m)
{
    return lm_measure_is_rotation(m) ? lm_measure_blocks(m) : 0xffff;
}

static void row_pattern(const nodal *s, lm_pattern_builder *pb, int k)
{
    const lm_row *row = &s->m->rows[k];
    const lm_pair *p = row_pair(s, k);
    for (int e = 0; e < 12; e++) {
        if (!row_entry(row, p, e)) continue;
        int col = block_start(p->node, e / 3) + e % 3;
        lm_pattern_add(pb, s->sys.nv + k, col);
        lm_pattern_add(pb, col, s->sys.nv + k);
    }
    if (!s->row[k].tree) lm_pattern_add(pb, s->sys.nv + k, s->sys.nv + k);
    add_blocks(pb, p->node, p->node, lm_measure_blocks(row->measure));
}

static void row_places(nodal *s, int k)
{
    const lm_row *row = &s->m->rows[k];
    const lm_pair *p = row_pair(s, k);
    const lm_pattern *pat = &s->sys.pattern;
    for (int e = 0; e < 12; e++) {
        int in = row_entry(row, p, e), col = in ? block_start(p->node, e / 3) + e % 3 : -1;
        s->row[k].at[e] = in ? lm_pattern_find(pat, s->sys.nv + k, col) : -1;
        s->row[k].tr[e] = in ? lm_pattern_find(pat, col, s->sys.nv + k) : -1;
    }
    s->row[k].diag = s->row[k].tree ? -1 : lm_pattern_find(pat, s->sys.nv + k, s->sys.nv + k);
    find_blocks(pat, p->node, p->node, lm_measure_blocks(row->measure), s->row_block[k]);
}

/* Couplings of a force on `rows` to everything its sensors sense. */
static void coupling_pattern(const nodal *s, lm_pattern_builder *pb, const int rows[2],
                             const nodal_expr *e)
{
    for (int k = 0; k < e->ncoupling; k++) {
        sensor_grad g;
        nodal_sensor_deps(s, e->coupling[k].sensor, &g);
        add_blocks(pb, rows, g.node, 0xffff);
        for (int l = 0; l < g.nrows; l++)
            for (int b = 0; b < 4; b++)
                if (block_start(rows, b) >= 0)
                    lm_pattern_block(pb, block_start(rows, b), s->sys.nv + g.row[l], 3, 1);
    }
}

static void coupling_places(nodal *s, const int rows[2], nodal_expr *e)
{
    for (int k = 0; k < e->ncoupling; k++) {
        nodal_coupling *c = &e->coupling[k];
        sensor_grad g;
        nodal_sensor_deps(s, c->sensor, &g);
        find_blocks(&s->sys.pattern, rows, g.node, 0xffff, c->block);
        for (int l = 0; l < g.nrows; l++)
            for (int i = 0; i < 12; i++) {
                int r = block_start(rows, i / 3);
                c->lam[l][i] =
                    r < 0 ? -1 : lm_pattern_find(&s->sys.pattern, r + i % 3, s->sys.nv + g.row[l]);
            }
    }
}

static void load_nodes(const nodal_load *l, int rows[2])
{
    rows[0] = l->frame->node;
    rows[1] = -1;
}

static void collect(nodal *s, const unsigned char *skip, lm_pattern_builder *pb)
{
    int rows[2];
    for (int k = 0; k < s->nrigid; k++) {
        int at = NODE_V * s->rigid[k].node;
        for (int c = 0; c < 3; c++) lm_pattern_add(pb, at + c, at + c);
        lm_pattern_block(pb, at + 3, at + 3, 3, 3);
    }
    nodal_beam_pattern(s, pb);
    nodal_lump_pattern(s, pb);
    nodal_drag_pattern(s, pb);
    nodal_super_pattern(s, skip, pb);
    for (int k = 0; k < s->m->nrows; k++) row_pattern(s, pb, k);
    for (int k = 0; k < s->m->nactions; k++) {
        const int *node = s->m->pairs[s->m->actions[k].pair].node;
        add_blocks(pb, node, node, action_set(s->m->actions[k].measure));
        coupling_pattern(s, pb, node, &s->action_expr[k]);
    }
    for (int k = 0; k < s->nloads; k++) {
        load_nodes(&s->load[k], rows);
        if (rows[0] < 0) continue;
        lm_pattern_block(pb, NODE_V * rows[0], NODE_V * rows[0] + 3, 6, 3);
        coupling_pattern(s, pb, rows, &s->load_expr[k]);
    }
    for (int i = 0; i < s->m->spec->sensors.n && s->m->spec->variables.n; i++) {
        sensor_grad g; /* what a variable reads is held, though nothing acts on it */
        if (!s->force_sensor[i]) continue;
        nodal_sensor_deps(s, i, &g);
        for (int e = 0; e < 2; e++)
            if (g.node[e] >= 0) lm_pattern_add(pb, NODE_V * g.node[e], NODE_V * g.node[e]);
    }
}

static void places(nodal *s)
{
    const lm_pattern *p = &s->sys.pattern;
    int rows[2];
    for (int k = 0; k < s->nrigid; k++) {
        int at = NODE_V * s->rigid[k].node;
        for (int c = 0; c < 3; c++) {
            s->rigid[k].xdiag[c] = lm_pattern_find(p, at + c, at + c);
            s->rigid[k].rot[c] = lm_pattern_find(p, at + 3, at + 3 + c);
        }
    }
    for (int k = 0; k < s->m->nrows; k++) row_places(s, k);
    for (int k = 0; k < s->m->nactions; k++) {
        const int *node = s->m->pairs[s->m->actions[k].pair].node;
        find_blocks(p, node, node, action_set(s->m->actions[k].measure), s->action_block[k]);
        coupling_places(s, node, &s->action_expr[k]);
    }
    for (int k = 0; k < s->nloads; k++) {
        load_nodes(&s->load[k], rows);
        if (rows[0] < 0) continue;
        s->load[k].xrot = nodal_find_block(p, NODE_V * rows[0], NODE_V * rows[0] + 3);
        s->load[k].rot = nodal_find_block(p, NODE_V * rows[0] + 3, NODE_V * rows[0] + 3);
        coupling_places(s, rows, &s->load_expr[k]);
    }
}

int nodal_pattern_without(nodal *s, const unsigned char *skip, lm_arena *arena, lm_pattern *out)
{
    lm_arena temp = {0};
    lm_pattern_builder pb = {.arena = &temp};
    collect(s, skip, &pb);
    int bad = lm_pattern_make(&pb, arena, s->sys.nv + s->sys.nl, out);
    lm_arena_free(&temp);
    return bad;
}

int nodal_make_pattern(nodal *s)
{
    int bad = nodal_pattern_without(s, NULL, &s->arena, &s->sys.pattern);
    if (bad) return bad;
    places(s);
    nodal_beam_places(s);
    nodal_lump_places(s);
    nodal_drag_places(s);
    return nodal_super_places(s);
}

/* ---- numbers ---- */

void nodal_add_block(double *values, const nodal_block *b, double w, const lm_m3 *A)
{
    if (b->col[0] < 0) return;
    for (int c = 0; c < 3; c++) {
        double *to = values + b->col[c];
        for (int r = 0; r < 3; r++) to[r] += w * A->m[3 * c + r];
    }
}

/* J alpha + omega x J omega: by omega, skew(w) J - skew(J w); by psi, the inertia turns. */
void nodal_spin_tangent(const lm_m3 *J, lm_v3 w, lm_v3 al, lm_m3 *D, lm_m3 *K)
{
    lm_m3 W = m3_skew(w), A = m3_skew(al), Jw = m3_skew(m3_v(J, w));
    lm_m3 Ja = m3_skew(m3_v(J, al)), X = m3_mul(J, &W), Y = m3_mul(J, &A);
    lm_m3 Z = m3_add(X, m3_scale(-1, Jw));
    *D = m3_add(m3_mul(&W, J), m3_scale(-1, Jw));
    *K = m3_add(m3_add(Y, m3_scale(-1, Ja)), m3_mul(&W, &Z));
}

/* Rotations that are not there: springs in place of their inertia. */
static lm_m3 held(const nodal *s, const nodal_rigid *b, double cM, double cK)
{
    const lm_m3 *R = &s->kin.R[b->node];
    lm_m3 Rt = m3_t(R), J = m3_mul(R, &b->idle);
    return m3_scale(cK * s->sys.hold_idle - cM, m3_mul(&J, &Rt));
}

static void inertia(nodal *s, const lm_state *st, double cM, double cD, double cK, double *values)
{
    for (int k = 0; k < s->nrigid; k++) {
        const nodal_rigid *b = &s->rigid[k];
        const lm_m3 *R = &s->kin.R[b->node];
        int at = NODE_V * b->node;
        lm_m3 Rt = m3_t(R), J = m3_mul(R, &b->J);
        J = m3_mul(&J, &Rt);
        lm_m3 B = m3_scale(cM, J);
        if (s->sys.hold_idle > 0) B = m3_add(B, held(s, b, cM, cK));
        for (int c = 0; c < 3; c++) values[b->xdiag[c]] += cM * b->mass;
        if (cD != 0 || cK != 0) {
            lm_m3 D, K;
            nodal_spin_tangent(&J, v3_from(st->v + at + 3), v3_from(st->a + at + 3), &D, &K);
            B = m3_add(B, m3_add(m3_scale(cD, D), m3_scale(cK, K)));
        }
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++) values[b->rot[c] + r] += B.m[3 * c + r];
    }
}

static void constraint_row(nodal *s, const lm_state *st, int k, double cK, double *values)
{
    const lm_row *row = &s->m->rows[k];
    const nodal_row *at = &s->row[k];
    const lm_pair_pose *p = &s->kin.pair[s->m->joints[row->joint].pair];
    lm_v3 G[LM_PAIR_BLOCKS];
    if (!s->sys.active[k]) {
        if (at->diag >= 0) values[at->diag] += 1;
        return;
    }
    if (at->diag >= 0) values[at->diag] -= lm_row_softness(&s->sys, k);
    lm_measure_grad(row->measure, row->i, row->j, p, G);
    for (int e = 0; e < 12; e++) {
        if (at->at[e] < 0) continue;
        double g = v3_get(G[e / 3], e % 3);
        values[at->at[e]] += g;
        values[at->tr[e]] += g;
    }
    double w = st->lam ? cK * st->lam[k] : 0;
    if (w == 0) return;
    lm_m3 H[LM_PAIR_BLOCKS][LM_PAIR_BLOCKS];
    unsigned set = lm_measure_hess(row->measure, row->i, row->j, p, H);
    for (int b = 0; b < 16; b++)
        if (set >> b & 1)
            nodal_add_block(values, &s->row_block[k][b / 4][b % 4], w, &H[b / 4][b % 4]);
}

/* Force blocks G[r] times the derivative of a scalar through the sensors it depends on. */
static void add_coupling(nodal *s, const lm_state *st, const nodal_coupling *c, double w,
                         const lm_v3 G[4], double cM, double cD, double cK, double *values)
{
    sensor_grad g;
    nodal_sensor_grad(s, st, c->sensor, &g);
    for (int col = 0; col < 4; col++) {
        if (g.node[col / 2] < 0) continue;
        const double *dq = g.dq[col / 2] + 3 * (col % 2), *dv = g.dv[col / 2] + 3 * (col % 2),
                     *da = g.da[col / 2] + 3 * (col % 2);
        lm_v3 u = v3(cK * dq[0] + cD * dv[0] + cM * da[0], cK * dq[1] + cD * dv[1] + cM * da[1],
                     cK * dq[2] + cD * dv[2] + cM * da[2]);
        for (int r = 0; r < 4; r++) {
            lm_m3 B = m3_outer(G[r], u);
            nodal_add_block(values, &c->block[r][col], w, &B);
        }
    }
    for (int l = 0; l < g.nrows; l++)
        for (int i = 0; i < 12; i++)
            if (c->lam[l][i] >= 0) values[c->lam[l][i]] += w * g.dlam[l] * v3_get(G[i / 3], i % 3);
}

/* -d(effort) through every sensor in it. */
static void add_effort(nodal *s, const lm_state *st, const lm_expr *e, const nodal_expr *x,
                       double w, const lm_v3 G[4], double cM, double cD, double cK, double *values)
{
    if (x->ncoupling == 0) return;
    lm_expr_grad(e, s->slots, s->scratch, s->egrad);
    for (int k = 0; k < e->ninputs; k++) {
        if (e->inputs[k] == LM_SLOT_T) continue;
        for (int c = 0; c < x->ncoupling; c++)
            if (x->coupling[c].sensor == e->inputs[k] - 1)
                add_coupling(s, st, &x->coupling[c], w * s->egrad[k], G, cM, cD, cK, values);
    }
}

static void action(nodal *s, const lm_state *st, int k, double cM, double cD, double cK,
                   double *values)
{
    const lm_action *a = &s->m->actions[k];
    const lm_pair *pair = &s->m->pairs[a->pair];
    const lm_pair_pose *p = &s->kin.pair[a->pair];
    lm_v3 G[4], v[4], Hv[4] = {{0}};
    lm_m3 H[4][4];
    lm_measure_grad(a->measure, a->i, a->j, p, G);
    unsigned set = lm_measure_hess(a->measure, a->i, a->j, p, H);
    pair_velocity(pair, st->v, v);
    action_law f = nodal_action(s, st, a, nodal_action_value(s, st->q, a), blocks_dot(G, v));
    for (int b = 0; b < 16; b++)
        if (set >> b & 1) Hv[b % 4] = v3_add(Hv[b % 4], m3_tv(&H[b / 4][b % 4], v[b / 4]));
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            if (s->action_block[k][r][c].col[0] < 0) continue;
            lm_v3 u = v3_add(v3_mul(cK * f.dw_value + cD * f.dw_rate, G[c]),
                             v3_mul(cK * f.dw_rate, Hv[c]));
            lm_m3 B = m3_outer(G[r], u);
            nodal_add_block(values, &s->action_block[k][r][c], 1, &B);
            if (set >> (4 * r + c) & 1)
                nodal_add_block(values, &s->action_block[k][r][c], cK * f.w, &H[r][c]);
        }
    if (a->effort && !(a->port && s->sys.hold_ports))
        add_effort(s, st, a->effort, &s->action_expr[k], -nodal_slope_factor(s), G, cM, cD, cK,
                   values);
}

/* A load turns with its frame, or its arm does. */
static void turned_load(nodal *s, const nodal_load *l, lm_v3 rho, double cK, double *values)
{
    lm_v3 F, M;
    nodal_load_wrench(s, l, &F, &M);
    if (l->spec->local) {
        lm_m3 X = m3_skew(F), Y = m3_skew(v3_add(M, v3_cross(rho, F)));
        nodal_add_block(values, &l->xrot, cK, &X);
        nodal_add_block(values, &l->rot, cK, &Y);
    } else {
        lm_m3 X = m3_skew_skew(F, rho);
        nodal_add_block(values, &l->rot, -cK, &X);
    }
}

static void load(nodal *s, const lm_state *st, int k, double cM, double cD, double cK,
                 double *values)
{
    const nodal_load *l = &s->load[k];
    int n = l->frame->node;
    if (n < 0) return;
    lm_v3 rho = m3_v(&s->kin.R[n], l->frame->r);
    if (cK != 0) turned_load(s, l, rho, cK, values);
    if (s->load_expr[k].ncoupling == 0 || (l->spec->port && s->sys.hold_ports)) return;
    lm_m3 E = m3_identity();
    if (l->spec->local) E = m3_mul(&s->kin.R[n], &l->frame->E);
    for (int i = 0; i < 6; i++) { /* each component's expression pushes along its own axis */
        if (i < 3 ? !l->spec->has_force : !l->spec->has_torque) continue;
        lm_v3 e = m3_col(&E, i % 3), G[4] = {{0}};
        if (i < 3) {
            G[0] = e;
            G[1] = v3_cross(rho, e);
        } else
            G[1] = e;
        add_effort(s, st, i < 3 ? &l->spec->force[i] : &l->spec->torque[i - 3], &s->load_expr[k],
                   -nodal_slope_factor(s), G, cM, cD, cK, values);
    }
}

/* One matrix, at kinematics and sensors of the state. */
static int fill(nodal *s, const lm_state *st, const unsigned char *skip, double cM, double cD,
                double cK, double *values)
{
    memset(values, 0, sizeof(double) * (size_t)s->sys.pattern.nnz);
    inertia(s, st, cM, cD, cK, values);
    nodal_beam_jacobian(s, st, cM, cD, cK, values);
    nodal_lump_jacobian(s, st, cM, cD, cK, values);
    nodal_drag_jacobian(s, st, cD, values);
    if (cK != 0 && s->sys.exact_tangent) nodal_drag_turn(s, st, cK, values);
    if (nodal_super_jacobian(s, st, skip, cM, cD, cK, values)) return 1;
    for (int k = 0; k < s->m->nrows; k++) constraint_row(s, st, k, cK, values);
    for (int k = 0; k < s->m->nactions; k++) action(s, st, k, cM, cD, cK, values);
    for (int k = 0; k < s->nloads; k++) load(s, st, k, cM, cD, cK, values);
    return 0;
}

int nodal_jacobian(lm_system *sys, const lm_state *st, double cM, double cD, double cK,
                   double *values)
{
    nodal *s = (nodal *)sys;
    nodal_kinematics(s, st->q);
    nodal_sense(s, st, s->force_sensor);
    return fill(s, st, NULL, cM, cD, cK, values);
}

int nodal_matrices(nodal *s, const lm_state *st, const unsigned char *skip, double *M, double *D,
                   double *K)
{
    nodal_kinematics(s, st->q);
    nodal_sense(s, st, s->force_sensor);
    int bad = fill(s, st, skip, 1, 0, 0, M);
    if (!bad && D) bad = fill(s, st, skip, 0, 1, 0, D);
    if (!bad && K) bad = fill(s, st, skip, 0, 0, 1, K);
    return bad;
}
