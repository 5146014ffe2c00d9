/* Poses of nodes and pairs, and motion by small rotations from the left. */
#include "form/nodal.h"

static void pair_side(const nodal *s, const double *q, const lm_pair *p, int side, lm_v3 *x,
                      lm_v3 *rho, lm_m3 *E)
{
    int n = p->node[side];
    if (n < 0) {
        *x = p->r[side];
        *rho = v3(0, 0, 0);
        *E = p->E[side];
        return;
    }
    *rho = m3_v(&s->kin.R[n], p->r[side]);
    *x = v3_add(node_x(q, n), *rho);
    *E = m3_mul(&s->kin.R[n], &p->E[side]);
}

static void pair_pose(const nodal *s, const double *q, const lm_pair *p, lm_pair_pose *out)
{
    lm_v3 xa, xb;
    pair_side(s, q, p, 0, &xa, &out->rho[0], &out->e);
    pair_side(s, q, p, 1, &xb, &out->rho[1], &out->f);
    out->d = v3_sub(xb, xa);
}

void nodal_kinematics(nodal *s, const double *q)
{
    for (int n = 0; n < s->m->nnodes; n++) s->kin.R[n] = quat_m3(node_quat(q, n));
    for (int p = 0; p < s->m->npairs; p++) pair_pose(s, q, &s->m->pairs[p], &s->kin.pair[p]);
}

void nodal_kinematics_of(nodal *s, const double *q, int pair)
{
    const lm_pair *p = &s->m->pairs[pair];
    for (int e = 0; e < 2; e++)
        if (p->node[e] >= 0) s->kin.R[p->node[e]] = quat_m3(node_quat(q, p->node[e]));
    pair_pose(s, q, p, &s->kin.pair[pair]);
}

/* Continuous angles stand behind the nodes in q. */
static double *angles(const nodal *s, double *q) { return q + NODE_Q * s->m->nnodes; }

double nodal_coord(const nodal *s, const double *q, int coord)
{
    const lm_coord *c = &s->m->coords[coord];
    if (c->turns >= 0) return q[NODE_Q * s->m->nnodes + c->turns];
    const lm_pair_pose *p = &s->kin.pair[s->m->joints[c->joint].pair];
    return lm_measure_value(c->measure, c->i, c->j, p) - c->offset;
}

double nodal_action_value(const nodal *s, const double *q, const lm_action *a)
{
    if (a->coord_index >= 0) return nodal_coord(s, q, a->coord_index);
    return lm_measure_value(a->measure, a->i, a->j, &s->kin.pair[a->pair]) - a->offset;
}

/* A drive and its two time derivatives. */
static void drive_at(const nodal *s, const lm_expr *drive, double t, double d[3])
{
    const lm_spin *spin = s->sys.spin;
    lm_expr_time(drive, spin ? spin->t0 : t, s->scratch, d);
    if (!spin) return;
    d[1] = d[2] = 0;
    if (drive == spin->drive) d[0] = spin->value + spin->rate * (t - spin->t0), d[1] = spin->rate;
}

/* What a row prescribes, or its first or second time derivative. */
double nodal_row_target(const nodal *s, const lm_row *r, double t, int order)
{
    double d[3] = {0, 0, 0};
    if (r->drive) drive_at(s, r->drive, t, d);
    if (r->initial >= 0 && order == 1) return s->m->spec->initial.at[r->initial].rate;
    return order == 0 ? r->offset + d[0] : d[order];
}

/* An angle is followed from its old value by the turn that the motion makes about its axis, so that
 * even several radians per step are counted right. */
int nodal_count_turns(lm_system *sys, const double *q0, const double *dx, double *q1)
{
    nodal *s = (nodal *)sys;
    for (int k = 0; k < s->ntracked; k++) {
        const lm_coord *c = &s->m->coords[s->tracked[k]];
        const lm_pair *p = &s->m->pairs[s->m->joints[c->joint].pair];
        const lm_pair_pose *pose = &s->kin.pair[s->m->joints[c->joint].pair];
        lm_v3 G[LM_PAIR_BLOCKS], d[LM_PAIR_BLOCKS];
        nodal_kinematics_of(s, q1, s->m->joints[c->joint].pair);
        pair_velocity(p, dx, d);
        lm_measure_grad(c->measure, c->i, c->j, pose, G);
        double near = q0[NODE_Q * s->m->nnodes + c->turns] + blocks_dot(G, d);
        double value = lm_measure_value(c->measure, c->i, c->j, pose);
        angles(s, q1)[c->turns] = lm_angle_near(value, near);
    }
    return 0;
}

int nodal_retract(lm_system *sys, const double *q0, const double *dx, double *q1)
{
    nodal *s = (nodal *)sys;
    for (int n = 0; n < s->m->nnodes; n++) {
        const double *d = dx + NODE_V * n;
        lm_quat q = quat_mul(lm_quat_exp(v3_from(d + 3)), node_quat(q0, n));
        v3_put(q1 + NODE_Q * n, v3_add(node_x(q0, n), v3_from(d)));
        quat_put(q1 + NODE_Q * n + 3, quat_unit(q));
        if (!isfinite(d[0] + d[1] + d[2] + d[3] + d[4] + d[5])) return 1;
    }
    return nodal_count_turns(sys, q0, dx, q1); /* reads each old angle before it is replaced */
}

void nodal_difference(const lm_system *sys, const double *q0, const double *q1, double *dx)
{
    const nodal *s = (const nodal *)sys;
    for (int n = 0; n < s->m->nnodes; n++) {
        v3_put(dx + NODE_V * n, v3_sub(node_x(q1, n), node_x(q0, n)));
        v3_put(dx + NODE_V * n + 3, lm_quat_log(quat_turn(node_quat(q0, n), node_quat(q1, n))));
    }
}

/* Translations: xi' = v; rotations: xi' = Tinv(xi) omega. */
void nodal_local_rate(const lm_system *sys, const double *xi, const double *v, double *rate)
{
    for (int i = 0; i < sys->nv; i += NODE_V) {
        v3_put(rate + i, v3_from(v + i));
        v3_put(rate + i + 3, lm_rot_tangent_inverse_of(v3_from(xi + i + 3), v3_from(v + i + 3)));
    }
}

/* Both vectors of a node turn with R1 R0^T. */
void nodal_carry(const lm_system *sys, const double *q0, const double *q1, const double *w,
                 double *out)
{
    const nodal *s = (const nodal *)sys;
    for (int n = 0; n < s->m->nnodes; n++) {
        lm_m3 R = quat_m3(quat_turn(node_quat(q0, n), node_quat(q1, n)));
        for (int i = NODE_V * n; i < NODE_V * n + NODE_V; i += 3)
            v3_put(out + i, m3_v(&R, v3_from(w + i)));
    }
}
