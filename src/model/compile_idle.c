/* Rotations of rigid bodies that have no inertia and that nothing notices: those of a point mass about its
 * centre, or about the line on which all lies that it is joined to. They get an inertia of their own,
 *
 *     J + J_u u u^T,
 *
 * which changes nothing else: J is the same about all axes across u, no force has a moment about u, so that
 * the spin w.u keeps its value, which is zero. */
#include "model/compile.h"

#include <math.h>

#define ON_LINE 1e-9  /* of the mechanism's size, distance from a line that is rounding */
#define NOTHING 1e-10 /* of the inertia about other axes: no inertia */

/* What takes hold of a body: where, and on the way which line (unit vector u, 0: none as yet). */
typedef struct idle {
    const lm_model *m;
    int node;
    lm_v3 u;
    int ok;
} idle;

static void see_point(idle *b, lm_v3 r)
{
    double most = ON_LINE * b->m->size;
    if (v3_norm(r) <= most) return;
    if (v3_norm(b->u) == 0) b->u = v3_unit(r);
    b->ok &= v3_norm(v3_cross(b->u, r)) <= most;
}

static void see_points(idle *b)
{
    for (int k = 0; k < b->m->npairs; k++)
        for (int e = 0; e < 2; e++)
            if (b->m->pairs[k].node[e] == b->node) see_point(b, b->m->pairs[k].r[e]);
    for (int k = 0; k < b->m->spec->loads.n; k++) {
        const lm_spec_load *l = &b->m->spec->loads.at[k];
        const lm_frame *f = &b->m->frames[l->frame];
        if (f->node != b->node) continue;
        b->ok &= !l->has_torque && !l->local;
        see_point(b, f->r);
    }
}

/* Anything without a pattern: poses at which no derivative vanishes by chance. */
static lm_v3 any_vector(int k)
{
    return v3(sin(1.0 + 2.1 * k), cos(0.3 + 3.7 * k), sin(2.2 + 1.3 * k));
}

/* 1: at a pose of both sides the measure does not change with the rotation. */
static int indifferent(const idle *b, const lm_pair *p, lm_measure what, int i, int j, int pose)
{
    lm_v3 G[LM_PAIR_BLOCKS];
    int side = p->node[1] == b->node;
    lm_m3 R[2];
    for (int e = 0; e < 2; e++) R[e] = quat_m3(lm_quat_exp(any_vector(2 * pose + e)));
    double size = b->m->size > 0 ? b->m->size : 1;
    lm_pair_pose at = {.d = v3_mul(size, any_vector(7 + pose)),
                       .rho = {m3_v(&R[0], p->r[0]), m3_v(&R[1], p->r[1])},
                       .e = m3_mul(&R[0], &p->E[0]),
                       .f = m3_mul(&R[1], &p->E[1])};
    lm_measure_grad(what, i, j, &at, G);
    lm_v3 turn = G[side ? LM_PB : LM_PA], u = m3_v(&R[side], b->u);
    double unit = lm_measure_is_rotation(what) ? 1 : size;
    double change = v3_norm(b->u) > 0 ? fabs(v3_dot(turn, u)) : v3_norm(turn);
    return change <= 10 * ON_LINE * unit;
}

static void see_measure(idle *b, int pair, lm_measure what, int i, int j)
{
    const lm_pair *p = &b->m->pairs[pair];
    if (p->node[0] != b->node && p->node[1] != b->node) return;
    for (int pose = 0; pose < 3; pose++) b->ok &= indifferent(b, p, what, i, j, pose);
}

static void see_measures(idle *b)
{
    const lm_model *m = b->m;
    for (int k = 0; k < m->nrows; k++) {
        const lm_row *r = &m->rows[k];
        see_measure(b, m->joints[r->joint].pair, r->measure, r->i, r->j);
    }
    for (int k = 0; k < m->nactions; k++) {
        const lm_action *a = &m->actions[k];
        see_measure(b, a->pair, a->measure, a->i, a->j);
    }
}

/* The axis about which a body has no inertia, where it has some about the others; zero: there is none. */
static lm_v3 null_axis(const lm_m3 *J)
{
    lm_v3 best = v3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        lm_v3 n = v3_cross(m3_col(J, i), m3_col(J, (i + 1) % 3));
        if (v3_norm(n) > v3_norm(best)) best = n;
    }
    return v3_norm(best) > 0 ? v3_unit(best) : best;
}

static double inertia_about(const lm_m3 *J, lm_v3 u) { return v3_dot(u, m3_v(J, u)); }

/* Mass of all rigid bodies: a measure for one that has none. */
static double rigid_mass(const lm_model *m)
{
    double sum = 0;
    for (int i = 0; i < m->nbodies; i++) sum += m->bodies[i].mass;
    return sum > 0 ? sum : 1;
}

static void add_idle(const lm_model *m, lm_body *body)
{
    double polar = body->J.m[0] + body->J.m[4] + body->J.m[8], L = m->size > 0 ? m->size : 1;
    double own = 1e-2 * L * L * (body->mass > 0 ? body->mass : rigid_mass(m));
    idle b = {.m = m, .node = body->first_node, .u = v3(0, 0, 0), .ok = 1};
    see_points(&b);
    if (v3_norm(b.u) == 0 && polar > 0) b.u = null_axis(&body->J);
    if (polar > 0 && !(v3_norm(b.u) > 0 && inertia_about(&body->J, b.u) <= NOTHING * polar)) return;
    if (b.ok) see_measures(&b);
    if (!b.ok) return;
    body->idle = v3_norm(b.u) > 0 ? m3_scale(own, m3_outer(b.u, b.u)) : m3_diag(own);
    body->J = m3_add(body->J, body->idle);
}

/* Coordinates that a user writes turn bodies as they like. */
void lm_compile_idle(lm_model *m)
{
    for (int i = 0; i < m->nbodies && !m->spec->coordinates.n; i++)
        if (m->bodies[i].type == LM_BODY_RIGID) add_idle(m, &m->bodies[i]);
}
