/* Sensors of the motion of frames, of joints and energies, with their derivatives. Those of flexible
 * bodies are in nodal_flex.c; what has no node of its own has no derivative here either, and Newton's
 * method does without.
 *
 * A frame fixed to a node at rho = R r has, in world axes,
 *   x = xn + rho                       v = vn + w x rho            a = an + al x rho + w x (w x rho)
 * and its small motions are dx = dxn + psi x rho, psi. A relative sensor is seen from a second
 * frame g: in g's axes, as an observer fixed to g sees it. */
#include "form/history.h"
#include "form/nodal.h"

#include <string.h>

static frame_kin on_node(const nodal *s, const lm_state *st, const lm_frame *f)
{
    frame_kin k = {0};
    int n = f->node;
    k.rho = m3_v(&s->kin.R[n], f->r);
    k.R = m3_mul(&s->kin.R[n], &f->E);
    k.x = v3_add(node_x(st->q, n), k.rho);
    if (st->v) {
        k.w = v3_from(st->v + NODE_V * n + 3);
        k.v = v3_add(v3_from(st->v + NODE_V * n), v3_cross(k.w, k.rho));
    }
    if (st->a) {
        k.al = v3_from(st->a + NODE_V * n + 3);
        k.a = v3_add(v3_from(st->a + NODE_V * n), v3_cross(k.al, k.rho));
        k.a = v3_add(k.a, v3_cross(k.w, v3_cross(k.w, k.rho)));
    }
    return k;
}

static frame_kin frame_state(const nodal *s, const lm_state *st, int frame)
{
    const lm_frame *f = &s->m->frames[frame];
    frame_kin k = {.x = f->r, .R = f->E};
    if (f->node == LM_BETWEEN_NODES) nodal_flex_frame(s, st, frame, &k);
    return f->node < 0 ? k : on_node(s, st, f);
}

/* The vector in world axes that is then taken into g's axes (g: at rest for an absolute sensor). */
static lm_v3 kinematic_vector(lm_sensor_kind kind, const frame_kin *f, const frame_kin *g)
{
    lm_v3 d = v3_sub(f->x, g->x), dv = v3_sub(f->v, g->v), rel, wd;
    switch (kind) {
    case LM_SENSOR_POS: return d;
    case LM_SENSOR_VEL: return v3_sub(dv, v3_cross(g->w, d));
    case LM_SENSOR_OMEGA: return v3_sub(f->w, g->w);
    case LM_SENSOR_ALPHA: return v3_sub(v3_sub(f->al, g->al), v3_cross(g->w, v3_sub(f->w, g->w)));
    default: /* acceleration: minus transport, minus Coriolis */
        rel = v3_sub(dv, v3_cross(g->w, d));
        wd = v3_add(v3_cross(g->al, d), v3_cross(g->w, v3_cross(g->w, d)));
        return v3_sub(v3_sub(v3_sub(f->a, g->a), wd), v3_mul(2, v3_cross(g->w, rel)));
    }
}

/* tip(beam) is the position of the end as the start sees it, less the same as drawn. */
static lm_sensor_kind motion_kind(const lm_spec_sensor *c)
{
    return c->kind == LM_SENSOR_TIP ? LM_SENSOR_POS : c->kind;
}

static frame_kin observer(const nodal *s, const lm_state *st, const lm_spec_sensor *c)
{
    if (c->frame[1] >= 0 && s->m->frames[c->frame[1]].node != LM_GROUND)
        return frame_state(s, st, c->frame[1]);
    frame_kin g = {.R = m3_identity()};
    if (c->frame[1] >= 0) g.x = s->m->frames[c->frame[1]].r;
    return g;
}

/* The frame that a sensor looks at, and the one it looks from. */
static void look(const nodal *s, const lm_state *st, int sensor, frame_kin *f, frame_kin *g)
{
    const lm_spec_sensor *c = &s->m->spec->sensors.at[sensor];
    if (c->kind != LM_SENSOR_TIP) {
        *f = frame_state(s, st, c->frame[0]);
        *g = observer(s, st, c);
        return;
    }
    const int *end = s->gauge[sensor]->node;
    *f = on_node(s, st, &(lm_frame){.node = end[1], .E = m3_identity()});
    *g = on_node(s, st, &(lm_frame){.node = end[0], .E = m3_identity()});
}

static double kinematic(const nodal *s, const lm_state *st, int sensor)
{
    const lm_spec_sensor *c = &s->m->spec->sensors.at[sensor];
    frame_kin f, g;
    look(s, st, sensor, &f, &g);
    if (c->kind == LM_SENSOR_ROT) {
        lm_m3 Q = m3_tmul(&g.R, &f.R);
        return v3_get(lm_quat_log(lm_quat_from_m3(&Q)), c->component);
    }
    return v3_dot(m3_col(&g.R, c->component), kinematic_vector(motion_kind(c), &f, &g));
}

static int coord_index(const nodal *s, const lm_spec_sensor *c)
{
    return s->m->joints[c->joint].first_coord + c->coord;
}

static double coord_rate(const nodal *s, const lm_state *st, int coord)
{
    const lm_coord *c = &s->m->coords[coord];
    int pair = s->m->joints[c->joint].pair;
    lm_v3 G[LM_PAIR_BLOCKS], v[LM_PAIR_BLOCKS];
    lm_measure_grad(c->measure, c->i, c->j, &s->kin.pair[pair], G);
    pair_velocity(&s->m->pairs[pair], st->v, v);
    return blocks_dot(G, v);
}

/* Everything the joint exerts on b, at b's point: constraints, drives, springs, efforts. A force that
 * reads a reaction does not see efforts that themselves depend on reactions: it would define itself. */
void nodal_reaction(nodal *s, const lm_state *st, int joint, lm_v3 *F, lm_v3 *M)
{
    const lm_joint *j = &s->m->joints[joint];
    const lm_pair_pose *p = &s->kin.pair[j->pair];
    lm_v3 G[LM_PAIR_BLOCKS];
    *F = *M = v3(0, 0, 0);
    for (int k = 0; k < j->nrows + j->nactions; k++) {
        double w;
        if (k < j->nrows) {
            const lm_row *row = &s->m->rows[j->first_row + k];
            if (!st->lam) continue;
            lm_measure_grad(row->measure, row->i, row->j, p, G);
            w = st->lam[j->first_row + k];
        } else {
            int index = j->first_action + k - j->nrows;
            const lm_action *a = &s->m->actions[index];
            double value, rate;
            lm_measure_grad(a->measure, a->i, a->j, p, G);
            lm_action seen = *a;
            if (s->sensing && s->reactive[index]) seen.effort = NULL;
            nodal_action_measure(s, st, a, G, &value, &rate);
            w = nodal_action(s, st, &seen, value, rate).w;
        }
        *F = v3_sub(*F, v3_mul(w, G[LM_XB]));
        *M = v3_sub(*M, v3_mul(w, v3_sub(G[LM_PB], v3_cross(p->rho[1], G[LM_XB]))));
    }
}

void nodal_forces(lm_system *sys, const lm_state *st, double *joint, double *load)
{
    nodal *s = (nodal *)sys;
    lm_v3 F, M;
    nodal_kinematics(s, st->q);
    nodal_sense(s, st, s->force_sensor);
    for (int i = 0; i < s->m->spec->joints.n; i++) {
        nodal_reaction(s, st, i, &F, &M);
        v3_put(joint + 6 * i, F);
        v3_put(joint + 6 * i + 3, M);
    }
    for (int i = 0; i < s->nloads; i++) {
        nodal_load_wrench(s, &s->load[i], &F, &M);
        v3_put(load + 6 * i, F);
        v3_put(load + 6 * i + 3, M);
    }
}

/* What comes in through ports of the power graph. It is external to the mechanism, which the sensor is
 * of; `energy` leaves it out, as the balance of a machine has the sources of the graph in its place. */
static double port_power(nodal *s, const lm_state *st)
{
    double sum = 0;
    for (int k = 0; k < s->m->nactions; k++) {
        const lm_action *a = &s->m->actions[k];
        lm_v3 G[LM_PAIR_BLOCKS], v[LM_PAIR_BLOCKS];
        if (!a->port) continue;
        lm_measure_grad(a->measure, a->i, a->j, &s->kin.pair[a->pair], G);
        pair_velocity(&s->m->pairs[a->pair], st->v, v);
        double rate = blocks_dot(G, v), value = nodal_action_value(s, st->q, a);
        sum += nodal_action(s, st, a, value, rate).effort * rate;
    }
    for (int k = 0; k < s->nloads; k++) {
        lm_v3 F, M;
        if (!s->load[k].spec->port || s->load[k].frame->node < 0) continue;
        nodal_load_wrench(s, &s->load[k], &F, &M);
        frame_kin f = on_node(s, st, s->load[k].frame);
        sum += v3_dot(F, f.v) + v3_dot(M, f.w);
    }
    return sum;
}

static double energy_sensor(nodal *s, const lm_state *st, const lm_spec_sensor *c)
{
    lm_energy e;
    if (c->body >= 0)
        nodal_body_energy(s, st, c->body, &e);
    else if (s->sys.form->energy(&s->sys, st, &e))
        return NAN;
    if (c->kind == LM_SENSOR_POWER) return e.power + port_power(s, st);
    switch (c->component) {
    case LM_ENERGY_KINETIC: return e.kinetic;
    case LM_ENERGY_ELASTIC: return e.elastic;
    case LM_ENERGY_GRAVITY: return e.gravity;
    default: return e.kinetic + e.elastic + e.gravity;
    }
}

double nodal_sensor(nodal *s, const lm_state *st, int i)
{
    const lm_spec_sensor *c = &s->m->spec->sensors.at[i];
    lm_v3 F, M;
    switch (c->kind) {
    case LM_SENSOR_JOINT: return nodal_coord(s, st->q, coord_index(s, c));
    case LM_SENSOR_RATE: return coord_rate(s, st, coord_index(s, c));
    case LM_SENSOR_ACCEL: return nodal_coord_accel(s, st, coord_index(s, c));
    case LM_SENSOR_VARIABLE: return s->sys.variables ? s->sys.variables[c->variable] : 0;
    case LM_SENSOR_VARIABLE_RATE:
        return s->sys.variables ? s->sys.variables[s->m->spec->variables.n + c->variable] : 0;
    case LM_SENSOR_FORCE:
    case LM_SENSOR_MOMENT:
        nodal_reaction(s, st, c->joint, &F, &M);
        return v3_get(c->kind == LM_SENSOR_FORCE ? F : M, c->component);
    case LM_SENSOR_ENERGY:
    case LM_SENSOR_POWER: return energy_sensor(s, st, c);
    case LM_SENSOR_POS:
    case LM_SENSOR_VEL:
    case LM_SENSOR_ACC:
    case LM_SENSOR_ROT:
    case LM_SENSOR_OMEGA:
    case LM_SENSOR_ALPHA: return kinematic(s, st, i);
    case LM_SENSOR_TIP: return kinematic(s, st, i) - v3_get(s->gauge[i]->drawn, c->component);
    case LM_SENSOR_DEFLECTION: return nodal_deflection(s, st, s->gauge[i], c->component);
    case LM_SENSOR_SECTION: return nodal_section(s, st, s->gauge[i], c->component);
    case LM_SENSOR_COORDINATE: return s->coordinate ? s->coordinate[c->coordinate] : NAN;
    case LM_SENSOR_COORDINATE_RATE:
        return s->coordinate_rate ? s->coordinate_rate[c->coordinate] : NAN;
    case LM_SENSOR_STATE: return s->sys.discrete->value[c->state];
    case LM_SENSOR_STEP: return *s->sys.discrete->dt;
    case LM_SENSOR_DELAY: return lm_discrete_delayed(s->sys.discrete, c->state, st->t);
    default: return NAN; /* refused when the system was made */
    }
}

/* ---- derivatives ---- */

static int is_kinematic(lm_sensor_kind k) { return k <= LM_SENSOR_ALPHA || k == LM_SENSOR_TIP; }
static int is_reaction(lm_sensor_kind k) { return k == LM_SENSOR_FORCE || k == LM_SENSOR_MOMENT; }

void nodal_sensor_deps(const nodal *s, int i, sensor_grad *g)
{
    const lm_spec_sensor *c = &s->m->spec->sensors.at[i];
    memset(g, 0, sizeof *g);
    g->node[0] = g->node[1] = -1;
    if (c->kind == LM_SENSOR_TIP) {
        g->node[0] = s->gauge[i]->node[1];
        g->node[1] = s->gauge[i]->node[0];
    } else if (is_kinematic(c->kind)) {
        g->node[0] = s->m->frames[c->frame[0]].node;
        if (c->frame[1] >= 0) g->node[1] = s->m->frames[c->frame[1]].node;
    } else if (c->joint >= 0) {
        const lm_joint *j = &s->m->joints[c->joint];
        for (int e = 0; e < 2; e++) g->node[e] = s->m->pairs[j->pair].node[e];
        if (is_reaction(c->kind))
            for (int k = 0; k < j->nrows; k++) g->row[g->nrows++] = j->first_row + k;
    }
}

/* Contribution of one small quantity to a linear form: sum u . delta. The sensor of frame f is
 * L = u . (vector); its derivative with respect to the frame's x, psi, v, w, a, al is carried to
 * the node by the rules at the top of the file. */
typedef struct frame_form {
    lm_v3 x, psi, v, w, a, al;
} frame_form;

static void to_node(const frame_kin *k, const frame_form *u, double dq[6], double dv[6],
                    double da[6])
{
    /* x:  psi x rho;  v: w x rho;  a: al x rho + w x (w x rho);  rho turns with psi */
    lm_v3 wr = v3_cross(k->w, k->rho);
    v3_acc(dq, u->x);
    v3_acc(dq + 3, v3_add(u->psi, v3_cross(k->rho, u->x)));
    /* v depends on psi through rho: w x (psi x rho) */
    v3_acc(dq + 3, v3_cross(k->rho, v3_cross(u->v, k->w)));
    lm_v3 ua = v3_add(v3_cross(u->a, k->al), v3_cross(v3_cross(u->a, k->w), k->w));
    v3_acc(dq + 3, v3_cross(k->rho, ua));
    v3_acc(dv, u->v);
    v3_acc(dv + 3, v3_add(u->w, v3_cross(k->rho, u->v)));
    /* a depends on w: dw x (w x rho) + w x (dw x rho) */
    v3_acc(dv + 3, v3_add(v3_cross(wr, u->a), v3_cross(k->rho, v3_cross(u->a, k->w))));
    v3_acc(da, u->a);
    v3_acc(da + 3, v3_add(u->al, v3_cross(k->rho, u->a)));
}

/* Derivatives of u . kinematic_vector with respect to f's and g's quantities (u fixed in g). */
static void kinematic_forms(lm_sensor_kind kind, lm_v3 u, const frame_kin *f, const frame_kin *g,
                            frame_form *F, frame_form *G)
{
    lm_v3 d = v3_sub(f->x, g->x), dv = v3_sub(f->v, g->v), uw = v3_cross(u, g->w);
    lm_v3 y = kinematic_vector(kind, f, g);
    switch (kind) {
    case LM_SENSOR_POS: F->x = u; break;
    case LM_SENSOR_VEL:
        F->v = u;
        F->x = v3_neg(uw);
        G->w = v3_neg(v3_cross(d, u));
        break;
    case LM_SENSOR_OMEGA: F->w = u; break;
    case LM_SENSOR_ALPHA:
        F->al = u;
        F->w = v3_neg(uw);
        G->w = v3_neg(v3_cross(v3_sub(f->w, g->w), u));
        break;
    default: { /* a - ag - al x d - w x (w x d) - 2 w x (dv - w x d) = ... + w x (w x d) - 2 w x dv */
        lm_v3 wd = v3_cross(g->w, d);
        F->a = u;
        F->v = v3_mul(-2, uw);
        F->x = v3_add(v3_neg(v3_cross(u, g->al)), v3_cross(uw, g->w));
        G->al = v3_neg(v3_cross(d, u));
        G->w = v3_add(v3_cross(wd, u), v3_cross(d, uw));
        G->w = v3_sub(G->w, v3_mul(2, v3_cross(dv, u)));
    }
    }
    /* g's own x, v, a enter only through differences; u = R_g e turns with psi_g */
    G->x = v3_neg(F->x);
    G->v = v3_neg(F->v);
    G->a = v3_neg(F->a);
    if (kind == LM_SENSOR_OMEGA || kind == LM_SENSOR_ALPHA) {
        G->w = v3_sub(G->w, F->w);
        G->al = v3_sub(G->al, F->al);
    }
    G->psi = v3_cross(u, y);
}

static void kinematic_grad(nodal *s, const lm_state *st, int sensor, sensor_grad *g)
{
    const lm_spec_sensor *c = &s->m->spec->sensors.at[sensor];
    frame_kin f, o;
    frame_form F = {0}, G = {0};
    look(s, st, sensor, &f, &o);
    if (c->kind == LM_SENSOR_ROT) {
        lm_pair_pose p = {.e = o.R, .f = f.R};
        lm_v3 B[LM_PAIR_BLOCKS];
        lm_measure_grad(LM_ROTVEC, c->component, 0, &p, B);
        F.psi = B[LM_PB];
        G.psi = B[LM_PA];
    } else
        kinematic_forms(motion_kind(c), m3_col(&o.R, c->component), &f, &o, &F, &G);
    if (g->node[0] >= 0) to_node(&f, &F, g->dq[0], g->dv[0], g->da[0]);
    if (g->node[1] >= 0) to_node(&o, &G, g->dq[1], g->dv[1], g->da[1]);
}

/* dq of a sum over blocks: out += w * H^T u */
static void add_transposed(unsigned set, lm_m3 H[4][4], double w, const lm_v3 u[4], sensor_grad *g)
{
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            if (set >> (4 * r + c) & 1)
                v3_acc(g->dq[c / 2] + 3 * (c % 2), v3_mul(w, m3_tv(&H[r][c], u[r])));
}

static void coord_grad(nodal *s, const lm_state *st, const lm_spec_sensor *c, sensor_grad *g)
{
    const lm_coord *k = &s->m->coords[coord_index(s, c)];
    int pair = s->m->joints[k->joint].pair;
    lm_v3 G[4], v[4];
    lm_m3 H[4][4];
    lm_measure_grad(k->measure, k->i, k->j, &s->kin.pair[pair], G);
    for (int b = 0; b < 4; b++)
        v3_put((c->kind == LM_SENSOR_JOINT ? g->dq : g->dv)[b / 2] + 3 * (b % 2), G[b]);
    if (c->kind == LM_SENSOR_JOINT) return;
    pair_velocity(&s->m->pairs[pair], st->v, v);
    unsigned set = lm_measure_hess(k->measure, k->i, k->j, &s->kin.pair[pair], H);
    add_transposed(set, H, 1, v, g);
}

/* Part of a reaction component from one measure with force w: -w (u . G), u on the blocks of b. */
static void reaction_part(const lm_pair_pose *p, lm_measure m, int i, int j, double w, lm_v3 e,
                          int moment, const lm_v3 u[4], lm_v3 G[4], lm_m3 H[4][4], sensor_grad *g)
{
    lm_measure_grad(m, i, j, p, G);
    add_transposed(lm_measure_hess(m, i, j, p, H), H, -w, u, g);
    if (moment) /* rho_b turns: e . ((psi x rho) x G) w */
        v3_acc(g->dq[1] + 3, v3_mul(w, v3_cross(p->rho[1], v3_cross(G[LM_XB], e))));
}

/* A spring or damper on the joint: its force changes with the motion too. (An effort that itself
 * uses sensors does not pass its dependence on: Newton then converges a little slower.) */
static void reaction_law(const lm_action *a, const lm_v3 u[4], const lm_v3 G[4], lm_m3 H[4][4],
                         const lm_v3 v[4], const action_law *f, sensor_grad *g)
{
    double uG = -blocks_dot(G, u);
    for (int b = 0; b < 4; b++) {
        v3_acc(g->dq[b / 2] + 3 * (b % 2), v3_mul(uG * f->dw_value, G[b]));
        v3_acc(g->dv[b / 2] + 3 * (b % 2), v3_mul(uG * f->dw_rate, G[b]));
    }
    add_transposed(lm_measure_blocks(a->measure), H, uG * f->dw_rate, v, g);
}

static void reaction_grad(nodal *s, const lm_state *st, const lm_spec_sensor *c, sensor_grad *g)
{
    const lm_joint *j = &s->m->joints[c->joint];
    const lm_pair_pose *p = &s->kin.pair[j->pair];
    int moment = c->kind == LM_SENSOR_MOMENT;
    lm_v3 e = v3(c->component == 0, c->component == 1, c->component == 2), u[4] = {{0}}, G[4], v[4];
    lm_m3 H[4][4];
    u[LM_XB] = moment ? v3_cross(p->rho[1], e) : e;
    if (moment) u[LM_PB] = e;
    for (int k = 0; k < j->nrows; k++) {
        const lm_row *row = &s->m->rows[j->first_row + k];
        double lam = st->lam ? st->lam[j->first_row + k] : 0;
        reaction_part(p, row->measure, row->i, row->j, lam, e, moment, u, G, H, g);
        g->dlam[k] = -blocks_dot(G, u);
    }
    pair_velocity(&s->m->pairs[j->pair], st->v, v);
    for (int k = 0; k < j->nactions; k++) {
        const lm_action *a = &s->m->actions[j->first_action + k];
        lm_action seen = *a;
        if (s->reactive[j->first_action + k]) seen.effort = NULL;
        lm_measure_grad(a->measure, a->i, a->j, p, G);
        action_law f =
            nodal_action(s, st, &seen, nodal_action_value(s, st->q, a), blocks_dot(G, v));
        reaction_part(p, a->measure, a->i, a->j, f.w, e, moment, u, G, H, g);
        reaction_law(a, u, G, H, v, &f, g);
    }
}

void nodal_sensor_grad(nodal *s, const lm_state *st, int i, sensor_grad *g)
{
    const lm_spec_sensor *c = &s->m->spec->sensors.at[i];
    nodal_sensor_deps(s, i, g);
    if (is_kinematic(c->kind))
        kinematic_grad(s, st, i, g);
    else if (is_reaction(c->kind))
        reaction_grad(s, st, c, g);
    else if (c->kind == LM_SENSOR_JOINT || c->kind == LM_SENSOR_RATE)
        coord_grad(s, st, c, g);
    else if (c->kind == LM_SENSOR_ACCEL)
        nodal_coord_accel_grad(s, st, coord_index(s, c), g);
}
