/* What variables of a machine read of a nodal system, and where they act on it. */
#include "form/nodal.h"

#include <string.h>

/* ---- accelerations of joint coordinates: G . a + (H v) . v ---- */

double nodal_coord_accel(const nodal *s, const lm_state *st, int coord)
{
    const lm_coord *c = &s->m->coords[coord];
    const lm_pair *pair = &s->m->pairs[s->m->joints[c->joint].pair];
    const lm_pair_pose *p = &s->kin.pair[s->m->joints[c->joint].pair];
    lm_v3 G[LM_PAIR_BLOCKS], v[LM_PAIR_BLOCKS], a[LM_PAIR_BLOCKS];
    if (!st->v) return 0;
    lm_measure_grad(c->measure, c->i, c->j, p, G);
    pair_velocity(pair, st->v, v);
    double sum = lm_measure_bias(c->measure, c->i, c->j, p, v);
    if (!st->a) return sum;
    pair_velocity(pair, st->a, a);
    return sum + blocks_dot(G, a);
}

/* The pair when one of its nodes moves by h along component k of a block. */
static lm_pair_pose moved_pair(const lm_pair_pose *p, int block, int k, double h)
{
    lm_pair_pose out = *p;
    lm_v3 step = v3(k == 0 ? h : 0, k == 1 ? h : 0, k == 2 ? h : 0);
    int side = block / 2;
    double sign = side ? 1 : -1;
    if (block % 2 == 0) {
        out.d = v3_add(p->d, v3_mul(sign, step));
        return out;
    }
    lm_m3 R = quat_m3(lm_quat_exp(step));
    out.rho[side] = m3_v(&R, p->rho[side]);
    out.d = v3_add(p->d, v3_mul(sign, v3_sub(out.rho[side], p->rho[side])));
    *(side ? &out.f : &out.e) = m3_mul(&R, side ? &p->f : &p->e);
    return out;
}

/* By velocities H v + H^T v, by motions H^T a and the change of (H v) . v, for which the third
 * derivative of the measure is taken as a difference. */
void nodal_coord_accel_grad(nodal *s, const lm_state *st, int coord, sensor_grad *g)
{
    const lm_coord *c = &s->m->coords[coord];
    int index = s->m->joints[c->joint].pair;
    const lm_pair_pose *p = &s->kin.pair[index];
    lm_v3 G[LM_PAIR_BLOCKS], v[LM_PAIR_BLOCKS], a[LM_PAIR_BLOCKS];
    lm_m3 H[LM_PAIR_BLOCKS][LM_PAIR_BLOCKS];
    lm_measure_grad(c->measure, c->i, c->j, p, G);
    for (int b = 0; b < LM_PAIR_BLOCKS; b++) v3_put(g->da[b / 2] + 3 * (b % 2), G[b]);
    if (!st->v) return;
    pair_velocity(&s->m->pairs[index], st->v, v);
    for (int b = 0; b < LM_PAIR_BLOCKS; b++) a[b] = v3(0, 0, 0);
    if (st->a) pair_velocity(&s->m->pairs[index], st->a, a);
    unsigned set = lm_measure_hess(c->measure, c->i, c->j, p, H);
    for (int b = 0; b < 16; b++) {
        if (!(set >> b & 1)) continue;
        int r = b / 4, k = b % 4;
        v3_acc(g->dv[r / 2] + 3 * (r % 2), m3_v(&H[r][k], v[k]));
        v3_acc(g->dv[k / 2] + 3 * (k % 2), m3_tv(&H[r][k], v[r]));
        v3_acc(g->dq[k / 2] + 3 * (k % 2), m3_tv(&H[r][k], a[r]));
    }
    for (int b = 0; b < 12; b++) {
        const double h = 1e-5;
        lm_pair_pose up = moved_pair(p, b / 3, b % 3, h), down = moved_pair(p, b / 3, b % 3, -h);
        g->dq[b / 6][b % 6] += (lm_measure_bias(c->measure, c->i, c->j, &up, v) -
                                lm_measure_bias(c->measure, c->i, c->j, &down, v)) /
                               (2 * h);
    }
}

/* ---- what is sensed ---- */

static const double *slots(const lm_system *sys) { return ((const nodal *)sys)->slots; }

static const lm_expr *guarded(const lm_system *sys, int k, int *first)
{
    return nodal_guarded_expr((const nodal *)sys, k, first);
}

static const lm_expr *forcing(const lm_system *sys, int k)
{
    return nodal_forcing((const nodal *)sys, k);
}

static int sensed(const lm_system *sys, int sensor, int *unknown)
{
    sensor_grad g;
    int n = 0;
    nodal_sensor_deps((const nodal *)sys, sensor, &g);
    for (int e = 0; e < 2; e++)
        for (int i = 0; g.node[e] >= 0 && i < NODE_V; i++) unknown[n++] = NODE_V * g.node[e] + i;
    for (int k = 0; k < g.nrows; k++) unknown[n++] = sys->nv + g.row[k];
    return n;
}

static void sensor_gradient(lm_system *sys, const lm_state *st, int sensor, double cM, double cD,
                            double cK, double *out)
{
    sensor_grad g;
    int n = 0;
    nodal_sensor_grad((nodal *)sys, st, sensor, &g);
    for (int e = 0; e < 2; e++)
        for (int i = 0; g.node[e] >= 0 && i < NODE_V; i++)
            out[n++] = cM * g.da[e][i] + cD * g.dv[e][i] + cK * g.dq[e][i];
    for (int k = 0; k < g.nrows; k++) out[n++] = g.dlam[k];
}

/* ---- what is pushed ---- */

static int reads(const nodal_expr *x, int sensor)
{
    for (int c = 0; c < x->ncoupling; c++)
        if (x->coupling[c].sensor == sensor) return 1;
    return 0;
}

static int add_node(int *node, int n, int fresh)
{
    for (int i = 0; i < n; i++)
        if (node[i] == fresh) return n;
    if (fresh >= 0) node[n++] = fresh;
    return n;
}

int nodal_pushed(const nodal *s, int sensor, int *node)
{
    int n = 0;
    for (int k = 0; k < s->m->nactions; k++)
        for (int e = 0; e < 2 && reads(&s->action_expr[k], sensor); e++)
            n = add_node(node, n, s->m->pairs[s->m->actions[k].pair].node[e]);
    for (int k = 0; k < s->nloads; k++)
        if (reads(&s->load_expr[k], sensor)) n = add_node(node, n, s->load[k].frame->node);
    return n;
}

/* d(expression)/d(sensor), the load factor with it. */
static double slope(nodal *s, const lm_expr *e, int sensor)
{
    int at = -1;
    for (int i = 0; i < e->ninputs; i++)
        if (e->inputs[i] == 1 + sensor) at = i;
    if (at < 0) return 0;
    lm_expr_grad(e, s->slots, s->scratch, s->egrad);
    return nodal_slope_factor(s) * s->egrad[at];
}

static double *place(int n, const int *node, int which, double *out)
{
    for (int i = 0; i < n; i++)
        if (node[i] == which) return out + NODE_V * i;
    return NULL;
}

static void push_load(nodal *s, const nodal_load *l, int sensor, double *to)
{
    const lm_spec_load *spec = l->spec;
    double f[3] = {0}, m[3] = {0};
    for (int i = 0; i < 3; i++) {
        if (spec->has_force) f[i] = slope(s, &spec->force[i], sensor);
        if (spec->has_torque) m[i] = slope(s, &spec->torque[i], sensor);
    }
    const lm_m3 *R = &s->kin.R[l->frame->node];
    lm_v3 F = v3_from(f), M = v3_from(m), rho = m3_v(R, l->frame->r);
    if (spec->local) {
        lm_m3 E = m3_mul(R, &l->frame->E);
        F = m3_v(&E, F), M = m3_v(&E, M);
    }
    v3_acc(to, v3_neg(F));
    v3_acc(to + 3, v3_neg(v3_add(M, v3_cross(rho, F))));
}

void nodal_push(nodal *s, int sensor, int n, const int *node, double *out)
{
    lm_v3 G[LM_PAIR_BLOCKS];
    memset(out, 0, sizeof(double) * NODE_V * (size_t)n);
    for (int k = 0; k < s->m->nactions; k++) {
        const lm_action *a = &s->m->actions[k];
        if (!reads(&s->action_expr[k], sensor)) continue;
        double w = -slope(s, a->effort, sensor);
        lm_measure_grad(a->measure, a->i, a->j, &s->kin.pair[a->pair], G);
        for (int b = 0; b < LM_PAIR_BLOCKS; b++) {
            int at = s->m->pairs[a->pair].node[b / 2];
            if (at >= 0) v3_acc(place(n, node, at, out) + 3 * (b % 2), v3_mul(w, G[b]));
        }
    }
    for (int k = 0; k < s->nloads; k++)
        if (reads(&s->load_expr[k], sensor) && s->load[k].frame->node >= 0)
            push_load(s, &s->load[k], sensor, place(n, node, s->load[k].frame->node, out));
}

/* `row` holds the nodes first: there is room, as rows are six times as many. */
static int pushed(const lm_system *sys, int sensor, int *row)
{
    int n = nodal_pushed((const nodal *)sys, sensor, row);
    for (int i = NODE_V * n - 1; i >= 0; i--) row[i] = NODE_V * row[i / NODE_V] + i % NODE_V;
    return NODE_V * n;
}

static void push(lm_system *sys, const lm_state *st, int sensor, double *out)
{
    nodal *s = (nodal *)sys;
    (void)st;
    int n = nodal_pushed(s, sensor, s->pushed);
    nodal_push(s, sensor, n, s->pushed, out);
}

void nodal_evaluate(nodal *s, const double *sensors, double *out)
{
    memcpy(s->slots + 1, sensors, sizeof(double) * (size_t)s->m->spec->sensors.n);
    for (int i = 0; i < s->m->spec->outputs.n; i++)
        out[i] = lm_expr_eval(&s->m->spec->outputs.at[i].expr, s->slots, s->scratch);
}

static void evaluate(lm_system *sys, const double *sensors, double *out)
{
    nodal_evaluate((nodal *)sys, sensors, out);
}

const lm_ports nodal_ports = {
    .slots = slots,
    .guarded = guarded,
    .forcing = forcing,
    .evaluate = evaluate,
    .sensed = sensed,
    .pushed = pushed,
    .sensor_gradient = sensor_gradient,
    .push = push,
};
