/* Which bodies turn with a driven joint.
 *
 * A joint hands rotation about the line on unless its constraints let one side turn about it alone (a
 * bearing on the line). What no joint decides follows the springs: those that hold a turning body at its
 * axis only, and not against rotation, are bearings, too. */
#include "analysis/steady.h"

#include <math.h>
#include <string.h>

enum { UNKNOWN, TURNS, RESTS };
#define NONE 1e-9 /* of a rate, over that of the rotation */

typedef struct flood {
    const lm_model *m;
    int joint;
    lm_v3 point, axis;
    unsigned char *is; /* [bodies] */
} flood;

/* ---- geometry as drawn ---- */

static void pair_drawn(const lm_model *m, const lm_pair *p, lm_v3 x[2], lm_pair_pose *out)
{
    lm_m3 E[2];
    for (int e = 0; e < 2; e++) {
        int n = p->node[e];
        lm_m3 R = n < 0 ? m3_identity() : quat_m3(m->nodes[n].q);
        out->rho[e] = n < 0 ? v3(0, 0, 0) : m3_v(&R, p->r[e]);
        x[e] = n < 0 ? p->r[e] : v3_add(m->nodes[n].x, out->rho[e]);
        E[e] = m3_mul(&R, &p->E[e]);
    }
    out->d = v3_sub(x[1], x[0]);
    out->e = E[0], out->f = E[1];
}

void lm_steady_line(const lm_model *m, int joint, lm_v3 *point, lm_v3 *axis)
{
    lm_v3 x[2];
    lm_pair_pose p;
    pair_drawn(m, &m->pairs[m->joints[joint].pair], x, &p);
    *point = x[0];
    *axis = m3_col(&p.e, 2);
}

/* Rate of a measure when b turns about the line and a rests, over the unit of its kind. */
static double rate_of(const flood *f, int pair, lm_measure measure, int i, int j)
{
    const lm_pair *p = &f->m->pairs[pair];
    lm_v3 x[2], G[LM_PAIR_BLOCKS];
    lm_pair_pose pose;
    pair_drawn(f->m, p, x, &pose);
    lm_measure_grad(measure, i, j, &pose, G);
    lm_v3 node = v3_sub(x[1], pose.rho[1]);
    double rate = v3_dot(G[LM_XB], v3_cross(f->axis, v3_sub(node, f->point)));
    rate += v3_dot(G[LM_PB], f->axis);
    return lm_measure_is_rotation(measure) || !(f->m->size > 0) ? rate : rate / f->m->size;
}

static double off_line(const flood *f, int pair, int side)
{
    lm_v3 x[2];
    lm_pair_pose pose;
    pair_drawn(f->m, &f->m->pairs[pair], x, &pose);
    return v3_norm(v3_cross(f->axis, v3_sub(x[side], f->point))) /
           (f->m->size > 0 ? f->m->size : 1);
}

static int body_of(const flood *f, int pair, int side)
{
    int n = f->m->pairs[pair].node[side];
    return n < 0 ? -1 : f->m->nodes[n].body;
}

/* ---- who holds whom ---- */

static int joint_holds(const flood *f, int joint)
{
    const lm_joint *j = &f->m->joints[joint];
    for (int k = j->first_row; k < j->first_row + j->nrows; k++) {
        const lm_row *r = &f->m->rows[k];
        if (r->initial < 0 && fabs(rate_of(f, j->pair, r->measure, r->i, r->j)) > NONE) return 1;
    }
    return 0;
}

/* `side`: that of the body which turns. */
static int spring_holds(const flood *f, const lm_action *a, int side)
{
    return off_line(f, a->pair, side) > NONE ||
           fabs(rate_of(f, a->pair, a->measure, a->i, a->j)) > NONE;
}

/* Hand a state on over a pair; 1: something changed, -1: the other side is what it cannot be. */
static int hand_on(const flood *f, int pair, int side, int state)
{
    int from = body_of(f, pair, side), to = body_of(f, pair, !side);
    int is = from < 0 ? RESTS : f->is[from], other = to < 0 ? RESTS : f->is[to];
    if (is != state) return 0;
    if (other == UNKNOWN) {
        f->is[to] = (unsigned char)state;
        return 1;
    }
    return other == state ? 0 : -1;
}

/* Over all joints until nothing changes; > 0: 1 + a joint that holds both kinds. */
static int over_joints(const flood *f)
{
    for (int again = 1; again;) {
        again = 0;
        for (int j = 0; j < f->m->njoints; j++) {
            if (j == f->joint || !joint_holds(f, j)) continue;
            for (int k = 0; k < 4; k++) {
                int did = hand_on(f, f->m->joints[j].pair, k / 2, k % 2 ? TURNS : RESTS);
                if (did < 0) return 1 + j;
                again |= did;
            }
        }
    }
    return 0;
}

/* One body that turns by springs alone; 1: there was one. */
static int over_springs(const flood *f)
{
    for (int k = 0; k < f->m->nactions; k++) {
        const lm_action *a = &f->m->actions[k];
        if (a->pair == f->m->joints[f->joint].pair) continue;
        for (int side = 0; side < 2; side++) {
            int to = body_of(f, a->pair, !side);
            if (to < 0 || f->is[to] != UNKNOWN || !spring_holds(f, a, side)) continue;
            if (hand_on(f, a->pair, side, TURNS) > 0) return 1;
        }
    }
    return 0;
}

/* ---- which side of the drive stands still ---- */

/* What stands on the ground (RESTS) by a pair; 1: one more does. */
static int stands_by(const flood *f, int pair)
{
    for (int side = 0; side < 2 && pair >= 0; side++)
        if (hand_on(f, pair, side, RESTS) > 0) return 1;
    return 0;
}

/* The side that joints and springs connect to the ground without the drive stands still; where both
 * are, or none, b turns in a. */
int lm_steady_a_turns(const lm_model *m, int joint, unsigned char *work)
{
    flood f = {.m = m, .joint = joint, .is = work};
    int drive = m->joints[joint].pair, a = body_of(&f, drive, 0), b = body_of(&f, drive, 1);
    if (a < 0 || b < 0) return b < 0;
    memset(work, UNKNOWN, (size_t)m->nbodies);
    for (int again = 1; again;) {
        again = 0;
        for (int j = 0; j < m->njoints; j++)
            if (m->joints[j].pair != drive) again |= stands_by(&f, m->joints[j].pair);
        for (int k = 0; k < m->nactions; k++)
            if (m->actions[k].pair != drive) again |= stands_by(&f, m->actions[k].pair);
    }
    return work[b] == RESTS && work[a] != RESTS;
}

int lm_steady_bodies(const lm_model *m, int joint, unsigned char *turns)
{
    flood f = {.m = m, .joint = joint, .is = turns};
    int pair = m->joints[joint].pair, b = body_of(&f, pair, 1), a = body_of(&f, pair, 0), bad;
    lm_steady_line(m, joint, &f.point, &f.axis);
    if (lm_steady_a_turns(m, joint, turns)) {
        int standing = b;
        b = a, a = standing;
    }
    memset(turns, UNKNOWN, (size_t)m->nbodies);
    if (b >= 0) turns[b] = TURNS;
    if (a >= 0) turns[a] = RESTS;
    while (!(bad = over_joints(&f)) && over_springs(&f)) {}
    for (int i = 0; i < m->nbodies; i++) turns[i] = turns[i] == TURNS;
    return bad;
}
