/* The formulation `ffr` behind the seam. */
#include "form/ffr.h"

#include <string.h>

/* ---- positions ---- */

static void frame_start(ffr *s, const ffr_unit *u, double *q, double *v)
{
    int n = u->node[0];
    if (n >= s->division->drawn) n = s->division->twin[n - s->division->drawn];
    lm_m3 drawn = quat_m3(s->m->nodes[n].q), now = quat_m3(node_quat(s->moved.qi, n)),
          back = m3_t(&drawn);
    lm_m3 turn = m3_mul(&now, &back), R = m3_mul(&turn, &u->axes);
    memcpy(q + u->q, s->moved.qi + NODE_Q * n, 3 * sizeof(double));
    quat_put(q + u->q + 3, lm_quat_from_m3(&R));
    memcpy(v + u->v, s->moved.vi + NODE_V * n, FRAME_V * sizeof(double));
}

/* Nodes as the nodal formulation starts them: bodies as drawn, moved by the joints. */
static int initial(lm_system *sys, double *q, double *v)
{
    ffr *s = (ffr *)sys;
    int own = sys->nq - s->m->nangles;
    memset(q, 0, sizeof(double) * (size_t)sys->nq);
    memset(v, 0, sizeof(double) * (size_t)sys->nv);
    int bad = nodal_initial(&s->in->sys, s->moved.qi, s->moved.vi);
    if (bad) return bad;
    for (int i = 0; i < s->nunits; i++) frame_start(s, &s->unit[i], q, v);
    memcpy(q + own, s->moved.qi + NODE_Q * s->m->nnodes, sizeof(double) * (size_t)s->m->nangles);
    return 0;
}

/* Where remembered angles end exactly is measured from the poses. */
static int count_turns(lm_system *sys, const double *q0, const double *dx, double *q1)
{
    ffr *s = (ffr *)sys;
    int own = s->sys.nq - s->m->nangles;
    lm_state at = {s->t, q1, dx, NULL, NULL};
    memmove(q1 + own, q0 + own, sizeof(double) * (size_t)s->m->nangles);
    if (!s->in->ntracked) return 0;
    ffr_enter(s, &at);
    moved_follow_angles(&s->moved, q1, q1);
    return 0;
}

static int retract(lm_system *sys, const double *q0, const double *dx, double *q1)
{
    ffr *s = (ffr *)sys;
    double sum = 0;
    for (int i = 0; i < sys->nv; i++) sum += dx[i];
    if (!isfinite(sum)) return 1;
    for (int i = 0; i < s->nunits; i++) {
        const ffr_unit *u = &s->unit[i];
        const double *d = dx + u->v, *from = q0 + u->q;
        double *to = q1 + u->q;
        lm_quat turned = quat_mul(lm_quat_exp(v3_from(d + 3)), quat_from(from + 3));
        v3_put(to, v3_add(v3_from(from), v3_from(d)));
        quat_put(to + 3, quat_unit(turned));
        for (int k = 0; k < u->ne; k++) to[FRAME_Q + k] = from[FRAME_Q + k] + d[FRAME_V + k];
    }
    return count_turns(sys, q0, dx, q1);
}

static void difference(const lm_system *sys, const double *q0, const double *q1, double *dx)
{
    const ffr *s = (const ffr *)sys;
    for (int i = 0; i < s->nunits; i++) {
        const ffr_unit *u = &s->unit[i];
        const double *from = q0 + u->q, *to = q1 + u->q;
        v3_put(dx + u->v, v3_sub(v3_from(to), v3_from(from)));
        v3_put(dx + u->v + 3, lm_quat_log(quat_turn(quat_from(from + 3), quat_from(to + 3))));
        for (int k = 0; k < u->ne; k++)
            dx[u->v + FRAME_V + k] = to[FRAME_Q + k] - from[FRAME_Q + k];
    }
}

static void local_rate(const lm_system *sys, const double *xi, const double *v, double *rate)
{
    const ffr *s = (const ffr *)sys;
    memcpy(rate, v, sizeof(double) * (size_t)sys->nv);
    for (int i = 0; i < s->nunits; i++) {
        int at = s->unit[i].v + 3;
        v3_put(rate + at, lm_rot_tangent_inverse_of(v3_from(xi + at), v3_from(v + at)));
    }
}

/* Velocities of a frame turn with it; deformations are measured in it. */
static void carry(const lm_system *sys, const double *q0, const double *q1, const double *w,
                  double *out)
{
    const ffr *s = (const ffr *)sys;
    memmove(out, w, sizeof(double) * (size_t)sys->nv);
    for (int i = 0; i < s->nunits; i++) {
        const ffr_unit *u = &s->unit[i];
        lm_m3 R = quat_m3(quat_turn(quat_from(q0 + u->q + 3), quat_from(q1 + u->q + 3)));
        for (int k = u->v; k < u->v + FRAME_V; k += 3) v3_put(out + k, m3_v(&R, v3_from(out + k)));
    }
}

static void rigid_velocity(const lm_system *sys, const double *q, const double twist[6], double *v)
{
    const ffr *s = (const ffr *)sys;
    memset(v, 0, sizeof(double) * (size_t)sys->nv);
    for (int i = 0; i < s->nunits; i++) {
        const ffr_unit *u = &s->unit[i];
        lm_v3 w = v3_from(twist + 3);
        v3_put(v + u->v, v3_add(v3_from(twist), v3_cross(w, v3_from(q + u->q))));
        v3_put(v + u->v + 3, w);
    }
}

/* Deformations stay as they are in their frames. */
static int turn(lm_system *sys, const double *q, const lm_turning *how, double *v, double *a,
                unsigned char *kind, double *axis)
{
    const ffr *s = (const ffr *)sys;
    memset(v, 0, sizeof(double) * (size_t)sys->nv);
    memset(a, 0, sizeof(double) * (size_t)sys->nv);
    memset(kind, 0, (size_t)sys->nv);
    for (int i = 0; i < s->nunits; i++) {
        const ffr_unit *u = &s->unit[i];
        int turns = how->body[s->m->nodes[u->node[0]].body];
        nodal_turn_frame(how, turns, q + u->q, how->rest ? how->rest + u->q : NULL, v + u->v,
                         a + u->v, kind + u->v, axis + u->v);
    }
    return 0;
}

/* ---- equations ---- */

void ffr_unit_residual(const ffr *s, const ffr_unit *u, const lm_state *st, double *r)
{
    const lm_m3 *R = &s->tree.motion[u->base + 3].R;
    lm_floating_motion m = ffr_unit_motion(s, u, st);
    double own[FRAME_V + LM_FLOATING_MOST];
    lm_floating_residual(u->f, &m, own);
    v3_acc(r, m3_v(R, v3_from(own)));
    v3_acc(r + 3, m3_v(R, v3_from(own + 3)));
    for (int k = 0; k < u->ne; k++) r[FRAME_V + k] += own[FRAME_V + k];
}

static int residual(lm_system *sys, const lm_state *st, double *r, double *phi, double *rate)
{
    ffr *s = (ffr *)sys;
    lm_state inner = ffr_enter(s, st);
    int bad = nodal_residual(&s->in->sys, &inner, s->moved.ri, phi, rate);
    for (int i = 0; i < s->nunits; i++) { /* also where it fails: which force is not finite */
        const ffr_unit *u = &s->unit[i];
        ffr_project(s, u, s->moved.ri, r + u->v);
        if (u->f) ffr_unit_residual(s, u, st, r + u->v);
    }
    if (bad) return bad;
    for (int i = 0; i < sys->nv; i++)
        if (!isfinite(r[i])) return 1;
    return 0;
}

static int constraint_rate(lm_system *sys, const lm_state *st, double *rate)
{
    ffr *s = (ffr *)sys;
    lm_state inner = ffr_enter(s, st);
    return nodal_constraint_rate(&s->in->sys, &inner, rate);
}

static int constraint_accel(lm_system *sys, const lm_state *st, double *accel)
{
    ffr *s = (ffr *)sys;
    lm_state inner = ffr_enter(s, st);
    return nodal_constraint_accel(&s->in->sys, &inner, accel);
}

/* Which rows are independent is asked of the nodes as if each moved freely: the shapes of a beam let its
 * ends do so. */
static int select_rows(lm_system *sys, double t, const double *q, int assembling)
{
    ffr *s = (ffr *)sys;
    lm_state at = {t, q, NULL, NULL, NULL};
    ffr_enter(s, &at);
    int redundant = nodal_select_rows(&s->in->sys, t, s->moved.qi, assembling);
    if (redundant < 0) return redundant;
    memcpy(sys->active, s->in->sys.active, (size_t)sys->nl);
    sys->mobility = s->in->sys.mobility + sys->nv - s->in->sys.nv;
    return redundant;
}

static double hidden_violation(lm_system *sys, double t, const double *q, int *which)
{
    ffr *s = (ffr *)sys;
    lm_state at = {t, q, NULL, NULL, NULL};
    ffr_enter(s, &at);
    return nodal_hidden_violation(&s->in->sys, t, s->moved.qi, which);
}

static double next_kink(const lm_system *sys, double t)
{
    return nodal_next_kink(&((const ffr *)sys)->in->sys, t);
}

const lm_form lm_form_ffr = {
    .name = "ffr",
    .create = ffr_create,
    .destroy = ffr_destroy,
    .initial = initial,
    .retract = retract,
    .count_turns = count_turns,
    .difference = difference,
    .local_rate = local_rate,
    .carry = carry,
    .residual = residual,
    .jacobian = ffr_jacobian,
    .matrices = ffr_matrices,
    .accelerations = ffr_accelerations,
    .constraint_rate = constraint_rate,
    .constraint_accel = constraint_accel,
    .select_rows = select_rows,
    .hidden_violation = hidden_violation,
    .outputs = ffr_outputs,
    .energy = ffr_energy,
    .forces = ffr_forces,
    .beam_forces = ffr_beam_forces,
    .poses = ffr_poses,
    .describe_pose = ffr_describe_pose,
    .describe = ffr_describe,
    .describe_motion = ffr_describe_motion,
    .next_kink = next_kink,
    .guards = ffr_guards,
    .describe_guard = ffr_describe_guard,
    .rigid_velocity = rigid_velocity,
    .turn = turn,
    .ports = &moved_ports,
};
