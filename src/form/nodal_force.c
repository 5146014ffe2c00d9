/* Forces: inertia, gravity, constraints, actions and loads -> the residual. */
#include "form/nodal.h"

#include <string.h>

/* Values of the sensors that forces use, into the slots their expressions read: first those of the
 * motion, then reactions, which may contain efforts that depend on the motion; variables that follow from
 * either as soon as they can. */
void nodal_sense(nodal *s, const lm_state *st, const unsigned char *used)
{
    s->slots[LM_SLOT_T] = st->t;
    s->sensing = 1;
    for (int pass = 0; pass < 2; pass++) {
        int some = pass == 0;
        for (int i = 0; i < s->m->spec->sensors.n; i++) {
            if (!used[i]) continue;
            lm_sensor_kind k = s->m->spec->sensors.at[i].kind;
            int reaction = k == LM_SENSOR_FORCE || k == LM_SENSOR_MOMENT;
            if (reaction == pass) s->slots[1 + i] = nodal_sensor(s, st, i), some = 1;
        }
        if (s->sys.settle && some) s->sys.settle->run(s->sys.settle->ctx, s->slots);
    }
    s->sensing = 0;
}

action_law nodal_action(nodal *s, const lm_state *st, const lm_action *a, double value, double rate)
{
    (void)st;
    action_law f = {.w = a->stiffness * value + a->damping * rate,
                    .dw_value = a->stiffness,
                    .dw_rate = a->damping,
                    .elastic = 0.5 * a->stiffness * value * value,
                    .dissipation = a->damping * rate * rate};
    if (a->friction != 0) {
        double th = tanh(rate / a->friction_velocity);
        f.w += a->friction * th;
        f.dw_rate += a->friction * (1 - th * th) / a->friction_velocity;
        f.dissipation += a->friction * th * rate;
    }
    if (a->effort) {
        int first = 6 * s->nloads, i = a->coord_index;
        double effort = lm_expr_eval(a->effort, s->slots, s->scratch);
        f.effort = nodal_load_value(s, first + 2 * i + a->port, effort);
        if (s->sys.inputs && !a->port) f.effort += s->sys.inputs[first + i];
        f.w -= f.effort;
    }
    return f;
}

/* A load's force and moment at its frame, world axes, load factor included. */
void nodal_load_wrench(nodal *s, const nodal_load *l, lm_v3 *F, lm_v3 *M)
{
    const lm_expr *force = l->spec->force, *torque = l->spec->torque;
    double f[3] = {0, 0, 0}, m[3] = {0, 0, 0}, *slots = s->slots;
    int at = 6 * (int)(l - s->load);
    for (int i = 0; i < 3; i++) {
        if (l->spec->has_force)
            f[i] = nodal_load_value(s, at + i, lm_expr_eval(&force[i], slots, s->scratch));
        if (l->spec->has_torque)
            m[i] = nodal_load_value(s, at + 3 + i, lm_expr_eval(&torque[i], slots, s->scratch));
        if (!s->sys.inputs) continue;
        f[i] += s->sys.inputs[at + i];
        m[i] += s->sys.inputs[at + 3 + i];
    }
    *F = v3_from(f);
    *M = v3_from(m);
    if (!l->spec->local) return;
    lm_m3 E = l->frame->E;
    if (l->frame->node >= 0) E = m3_mul(&s->kin.R[l->frame->node], &l->frame->E);
    *F = m3_v(&E, *F);
    *M = m3_v(&E, *M);
}

/* m a - m g and J alpha + omega x J omega, world axes. */
static void inertia(nodal *s, const lm_state *st, double *r)
{
    lm_v3 g = v3_mul(s->sys.load_factor, s->m->gravity);
    for (int k = 0; k < s->nrigid; k++) {
        const nodal_rigid *b = &s->rigid[k];
        const lm_m3 *R = &s->kin.R[b->node];
        int at = NODE_V * b->node;
        v3_acc(r + at, v3_mul(b->mass, v3_sub(v3_from(st->a + at), g)));
        lm_v3 w = m3_tv(R, v3_from(st->v + at + 3)), al = m3_tv(R, v3_from(st->a + at + 3));
        lm_v3 h = v3_add(m3_v(&b->J, al), v3_cross(w, m3_v(&b->J, w)));
        if (s->sys.hold_idle > 0) h = v3_sub(h, m3_v(&b->idle, al));
        v3_acc(r + at + 3, m3_v(R, h));
    }
}

static void scatter(const lm_pair *p, double w, const lm_v3 G[LM_PAIR_BLOCKS], double *r)
{
    for (int e = 0; e < 2; e++) {
        if (p->node[e] < 0) continue;
        v3_acc(r + NODE_V * p->node[e], v3_mul(w, G[2 * e]));
        v3_acc(r + NODE_V * p->node[e] + 3, v3_mul(w, G[2 * e + 1]));
    }
}

/* phi of a row; angles are compared at the turn nearest to what is prescribed. */
static double row_value(const nodal *s, const lm_row *row, const lm_pair_pose *p, double t)
{
    double target = row->drive || row->initial >= 0 ? nodal_row_target(s, row, t, 0) : row->offset;
    double value = lm_measure_value(row->measure, row->i, row->j, p);
    if (lm_measure_is_angle(row->measure)) value = lm_angle_near(value, target);
    return value - target;
}

static void constraints(nodal *s, const lm_state *st, double *r, double *phi, double *rate)
{
    for (int k = 0; k < s->m->nrows; k++) {
        const lm_row *row = &s->m->rows[k];
        int pair = s->m->joints[row->joint].pair;
        double lam = st->lam ? st->lam[k] : 0;
        if (!s->sys.active[k]) {
            if (phi) phi[k] = lam;
            if (rate) rate[k] = 0;
            continue;
        }
        const lm_pair_pose *p = &s->kin.pair[pair];
        lm_v3 G[LM_PAIR_BLOCKS], v[LM_PAIR_BLOCKS];
        if (phi) phi[k] = row_value(s, row, p, st->t);
        if (!rate && lam == 0) continue;
        lm_measure_grad(row->measure, row->i, row->j, p, G);
        if (lam != 0) scatter(&s->m->pairs[pair], lam, G, r);
        if (!rate) continue;
        pair_velocity(&s->m->pairs[pair], st->v, v);
        rate[k] = blocks_dot(G, v);
        if (row->drive) rate[k] -= nodal_row_target(s, row, st->t, 1);
    }
}

/* 1: these three are plain springs against the three components of one rotation vector. */
static int turn_together(const lm_action *a)
{
    for (int i = 0; i < 3; i++)
        if (a[i].measure != LM_ROTVEC || a[i].i != i || a[i].pair != a->pair || a[i].effort ||
            a[i].friction != 0)
            return 0;
    return 1;
}

/* ... which has one logarithm. */
static void turning_springs(nodal *s, const lm_state *st, const lm_action *a, double *r)
{
    const int *node = s->m->pairs[a->pair].node;
    double value[3];
    lm_v3 g[3], w[2] = {{0}}, sum = v3(0, 0, 0);
    lm_measure_rotvec(&s->kin.pair[a->pair], value, g);
    for (int e = 0; e < 2; e++)
        if (node[e] >= 0) w[e] = v3_from(st->v + NODE_V * node[e] + 3);
    for (int i = 0; i < 3; i++) {
        double rate = v3_dot(g[i], v3_sub(w[1], w[0]));
        double moment = a[i].stiffness * (value[i] - a[i].offset) + a[i].damping * rate;
        sum = v3_add(sum, v3_mul(moment, g[i]));
    }
    if (node[0] >= 0) v3_acc(r + NODE_V * node[0] + 3, v3_neg(sum));
    if (node[1] >= 0) v3_acc(r + NODE_V * node[1] + 3, sum);
}

static void actions(nodal *s, const lm_state *st, double *r)
{
    for (int k = 0; k < s->m->nactions; k++) {
        const lm_action *a = &s->m->actions[k];
        if (k + 2 < s->m->nactions && turn_together(a)) {
            turning_springs(s, st, a, r);
            k += 2;
            continue;
        }
        const lm_pair *pair = &s->m->pairs[a->pair];
        lm_v3 G[LM_PAIR_BLOCKS];
        double value, rate;
        lm_measure_grad(a->measure, a->i, a->j, &s->kin.pair[a->pair], G);
        nodal_action_measure(s, st, a, G, &value, &rate);
        scatter(pair, nodal_action(s, st, a, value, rate).w, G, r);
    }
}

static void loads(nodal *s, double *r)
{
    for (int k = 0; k < s->nloads; k++) {
        const nodal_load *l = &s->load[k];
        int n = l->frame->node;
        if (n < 0) continue;
        lm_v3 F, M, rho = m3_v(&s->kin.R[n], l->frame->r);
        nodal_load_wrench(s, l, &F, &M);
        v3_acc(r + NODE_V * n, v3_neg(F));
        v3_acc(r + NODE_V * n + 3, v3_neg(v3_add(M, v3_cross(rho, F))));
    }
}

int nodal_residual(lm_system *sys, const lm_state *st, double *r, double *phi, double *rate)
{
    nodal *s = (nodal *)sys;
    memset(r, 0, sizeof(double) * (size_t)sys->nv);
    nodal_kinematics(s, st->q);
    nodal_sense(s, st, s->force_sensor);
    inertia(s, st, r);
    nodal_beam_residual(s, st, r);
    nodal_lump_residual(s, st, r);
    nodal_drag_residual(s, st, r);
    if (nodal_super_residual(s, st, r)) return 1;
    constraints(s, st, r, phi, rate);
    actions(s, st, r);
    loads(s, r);
    for (int i = 0; i < sys->nv; i++)
        if (!isfinite(r[i])) return 1;
    return 0;
}
