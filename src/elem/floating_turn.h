/* Inside the kernels of the floating-frame body: sections that turn and have inertia, four at a
 * time, one on each mass point.
 *
 * A section turns about z, then about the y axis that this has turned, then about its own x, by
 * the angles that the nodes have (place_links in form/ffr_kin.c). All vectors are in body axes.
 * With the axes e_k of the three turns, the angular velocities w_k and accelerations al_k behind
 * each of them
 *
 *     w_k = w_(k-1) + e_k rate_k,   al_k = al_(k-1) + e_k next_k + w_(k-1) x e_k rate_k,
 *     w_0 = W, al_0 = dW,
 *
 * and at the end w, al and J = sum of j_i s_i s_i^T over the axes s_i of the section: it needs
 * the moment N = J al + w x J w, on the frame N, on the k-th angle e_k . N. */
#ifndef LM_ELEM_FLOATING_TURN_H
#define LM_ELEM_FLOATING_TURN_H

#include "elem/floating_int.h"

typedef struct turned {
    lm_lane3 e[3], s[3]; /* axes of the turns about z, y, x; of the section */
    lm_lane3 w[4], al[4];
    lm_lane3 spin, N; /* J w, N */
} turned;

/* Sections have inertia about y or z only if they have it about x, and the other way round. */
LM_LANE_INLINE int sections_have_inertia(const lm_floating *f) { return f->J[0] > 0; }

#define lane_turn(angle, sine, cosine) lane_turn_((lm_lane1){angle}, sine, cosine)

/* Sine and cosine by the same operations on every machine: an eighth of the angle, less whole
 * turns, by its series, doubled three times with u = 1 - cos:  sin 2x = 2 sin x (1 - u), u(2x) =
 * 2 sin^2 x. */
LM_LANE_INLINE void lane_turn_(lm_lane1 angle, lm_lane *sine, lm_lane *cosine)
{
    const double round = 6755399441055744.0, turn = 6.283185307179586,
                 rest = 2.4492935982947064e-16;
    lm_lane n = (angle.s * (1 / turn) + round) - round;
    lm_lane x = 0.125 * ((angle.s - n * turn) - n * rest), y = x * x;
    lm_lane s = -1 / 5040. + y * (1 / 362880. + y * (-1 / 39916800. + y * (1 / 6227020800.)));
    lm_lane u = 1 / 720. + y * (-1 / 40320. + y * (1 / 3628800. - y * (1 / 479001600.)));
    s = x * (1 + y * (-1 / 6. + y * (1 / 120. + y * s)));
    u = y * (0.5 + y * (-1 / 24. + y * u));
    for (int k = 0; k < 3; k++) {
        lm_lane twice = 2 * s * (1 - u);
        u = 2 * s * s;
        s = twice;
    }
    *sine = s, *cosine = 1 - u;
}

/* The three angles of eta, or their rates. */
LM_LANE_INLINE void turns_of(const lm_floating *f, const lm_floating_four *q, const double *x,
                             lm_lane turn[3])
{
    turn[0] = lanes_dot(f->nv, q->turn, x);
    turn[1] = lanes_dot(f->nw, q->turn + f->nv, x + f->nv);
    turn[2] = lanes_dot(f->nt, q->turn + f->nv + f->nw, x + f->nv + f->nw + f->na);
}

LM_LANE_INLINE lm_lane3 l3_mix(lm_lane *c, lm_lane3 a, lm_lane *s, lm_lane3 b)
{
    return l3_add(l3_mul(*c, a), l3_mul(*s, b));
}

LM_LANE_INLINE void sections_turn(const lm_floating *f, const lm_floating_four *q,
                                  const double *eta, turned *o)
{
    lm_lane angle[3], s[3], c[3], zero = lane_all(0);
    turns_of(f, q, eta, angle);
    for (int k = 0; k < 3; k++) lane_turn(angle[k], &s[k], &c[k]);
    lm_lane minus = -s[2];
    lm_lane3 across = l3(c[0] * s[1], s[0] * s[1], c[1]); /* z axis behind the first two turns */
    o->e[0] = l3_all(0, 0, 1);
    o->e[1] = l3(-s[0], c[0], zero);
    o->e[2] = l3(c[0] * c[1], s[0] * c[1], -s[1]);
    o->s[0] = o->e[2];
    o->s[1] = l3_mix(&c[2], o->e[1], &s[2], across);
    o->s[2] = l3_mix(&minus, o->e[1], &c[2], across);
}

/* J x */
LM_LANE_INLINE lm_lane3 inertia_times(const lm_floating_four *q, const turned *o, lm_lane3 x)
{
    lm_lane3 y = l3_all(0, 0, 0);
    for (int i = 0; i < 3; i++) y = l3_add(y, l3_mul(q->j[i] * l3_dot(o->s[i], x), o->s[i]));
    return y;
}

/* Angular velocities; rates NULL: zero. */
LM_LANE_INLINE void sections_spin(const lm_floating *f, const lm_floating_four *q, lm_v3 W,
                                  const double *rates, turned *o)
{
    lm_lane rate[3] = {lane_all(0), lane_all(0), lane_all(0)};
    if (rates) turns_of(f, q, rates, rate);
    o->w[0] = l3_same(W);
    for (int k = 0; k < 3; k++) o->w[k + 1] = l3_add(o->w[k], l3_mul(rate[k], o->e[k]));
    o->spin = inertia_times(q, o, o->w[3]);
}

/* All of it. */
LM_LANE_INLINE void sections_move(const lm_floating *f, const lm_floating_four *q,
                                  const lm_floating_motion *m, turned *o)
{
    lm_lane next[3] = {lane_all(0), lane_all(0), lane_all(0)};
    sections_turn(f, q, m->eta, o);
    sections_spin(f, q, m->W, m->deta, o);
    if (m->ddeta) turns_of(f, q, m->ddeta, next);
    o->al[0] = l3_same(m->dW);
    for (int k = 0; k < 3; k++) {
        lm_lane3 own = l3_sub(o->w[k + 1], o->w[k]); /* e_k rate_k */
        own = l3_add(l3_cross(o->w[k], own), l3_mul(next[k], o->e[k]));
        o->al[k + 1] = l3_add(o->al[k], own);
    }
    o->N = l3_add(inertia_times(q, o, o->al[3]), l3_cross(o->w[3], o->spin));
}

/* r += what a moment N on the sections is on eta: turn_i e_k . N. */
LM_LANE_INLINE void sections_back(const lm_floating *f, const lm_floating_four *q, lm_lane3 N,
                                  const turned *o, lm_lane *r)
{
    int nb = f->nv + f->nw;
    lm_lane on[3];
    for (int k = 0; k < 3; k++) on[k] = l3_dot(o->e[k], N);
    for (int i = 0; i < f->nv; i++) r[i] += q->turn[i] * on[0];
    for (int i = f->nv; i < nb; i++) r[i] += q->turn[i] * on[1];
    for (int i = 0; i < f->nt; i++) r[nb + f->na + i] += q->turn[nb + i] * on[2];
}

#endif
