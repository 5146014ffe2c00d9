/* The nodal system's state as the coordinates move it, and what is asked of it. */
#include "form/moved.h"

#include <string.h>

int moved_reserve(lm_moved *s, lm_system *sys, nodal *in, lm_arena *a)
{
    s->sys = sys;
    s->in = in;
    s->row = LM_NEW_N(a, int, in->sys.nl);
    s->own = LM_NEW_N(a, int, in->sys.nl);
    s->qi = LM_NEW_N(a, double, in->sys.nq);
    s->vi = LM_NEW_N(a, double, in->sys.nv);
    s->ai = LM_NEW_N(a, double, in->sys.nv);
    s->li = LM_NEW_N(a, double, in->sys.nl);
    s->ri = LM_NEW_N(a, double, in->sys.nv);
    s->tip = LM_NEW_N(a, lm_tip_motion, in->m->nnodes);
    return s->row && s->own && s->qi && s->vi && s->ai && s->li && s->ri && s->tip ? 0 : -1;
}

void moved_put(lm_moved *s, int n)
{
    const lm_tip_motion *m = &s->tip[n];
    v3_put(s->qi + NODE_Q * n, m->x);
    quat_put(s->qi + NODE_Q * n + 3, lm_quat_from_m3(&m->R));
    v3_put(s->vi + NODE_V * n, m->v);
    v3_put(s->vi + NODE_V * n + 3, m->w);
    v3_put(s->ai + NODE_V * n, m->a);
    v3_put(s->ai + NODE_V * n + 3, m->al);
}

/* Continuous angles: those of the nodal positions, nearest to what q remembers. */
static void place_angles(lm_moved *s, const double *q)
{
    nodal *in = s->in;
    double *qi = s->qi;
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

/* What is asked of a system is asked of its nodal system. */
static void pass_on(lm_moved *s)
{
    lm_system *in = &s->in->sys;
    const lm_system *sys = s->sys;
    for (int k = 0; k < sys->nl; k++) in->active[s->row[k]] = sys->active[k];
    in->load_factor = sys->load_factor;
    in->start_loads = sys->start_loads;
    in->inputs = sys->inputs;
    in->along = moved_way(s);
    in->variables = sys->variables;
    in->settle = sys->settle;
    in->hold_ports = sys->hold_ports;
    in->spin = sys->spin;
    in->softness = sys->softness;
    in->regular_mass = sys->regular_mass;
    in->exact_tangent = sys->exact_tangent;
    in->hold_idle = sys->hold_idle;
    in->power_only = sys->power_only;
}

void moved_enter(lm_moved *s, const lm_state *st)
{
    place_angles(s, st->q);
    for (int k = 0; k < s->sys->nl && st->lam; k++) s->li[s->row[k]] = st->lam[k];
    pass_on(s);
}

lm_state moved_inner(const lm_moved *s, const lm_state *st)
{
    return (lm_state){st->t, s->qi, st->v ? s->vi : NULL, st->a ? s->ai : NULL,
                      st->lam ? s->li : NULL};
}

void moved_follow_angles(lm_moved *s, const double *q0, double *q1)
{
    nodal *in = s->in;
    const double *measured = s->qi + NODE_Q * in->m->nnodes;
    int own = s->sys->nq - in->m->nangles;
    memmove(q1 + own, q0 + own, sizeof(double) * (size_t)in->m->nangles);
    for (int k = 0; k < in->ntracked; k++) {
        const lm_coord *c = &in->m->coords[in->tracked[k]];
        int pair = in->m->joints[c->joint].pair;
        lm_v3 G[LM_PAIR_BLOCKS], v[LM_PAIR_BLOCKS];
        pair_velocity(&in->m->pairs[pair], s->vi, v);
        lm_measure_grad(c->measure, c->i, c->j, &in->kin.pair[pair], G);
        double near = q0[own + c->turns] + blocks_dot(G, v);
        q1[own + c->turns] = lm_angle_near(measured[c->turns], near);
    }
}
