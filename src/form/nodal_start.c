/* The initial configuration, by following the tree. */
#include "form/nodal_tree.h"

#include <string.h>

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
