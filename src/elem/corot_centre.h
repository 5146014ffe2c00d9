/* The mass centre of a bent element as a point, in the axes of the frame; private to corot_*.c.
 *
 *     m x_c = sum_i m_i x_i + h_i t_i - arc e d,   e = (t_a - t_b) . d,
 *
 * t_i the sections' x axes, d the chord. The last part is of second order: bending
 * draws the mass along the chord by less than the tangents alone would have it
 * (docs/theory/corotational-beam.md). Nothing of this knows the frame, whose own motion does not matter. */
#ifndef LM_ELEM_COROT_CENTRE_H
#define LM_ELEM_COROT_CENTRE_H

#include "elem/corot_kin.h"

/* Chord and tangents with their first and second rates. */
typedef struct corot_centre {
    lm_lane3 d, d1, d2;
    lm_lane3 t[2], t1[2], t2[2];
    lm_lane3 s, s1, s2; /* t_a - t_b */
    lm_lane e, e1, e2;
} corot_centre;

LM_LANE_INLINE void corot_centre_place(const lm_corot_const *c, const corot_kin *k, corot_centre *o)
{
    const lm_lane l = c->L + k->u;
    o->d = l3_mul(l, l3_all(1, 0, 0));
    o->t[0] = k->a.x, o->t[1] = k->b.x;
    o->s = l3_sub(o->t[0], o->t[1]);
    o->e = o->s.x * l;
}

LM_LANE_INLINE void corot_centre_speed(const corot_vec *V, corot_centre *o)
{
    o->d1 = l3_sub(V->xb, V->xa);
    o->t1[0] = l3_cross(V->ra, o->t[0]), o->t1[1] = l3_cross(V->rb, o->t[1]);
    o->s1 = l3_sub(o->t1[0], o->t1[1]);
    o->e1 = o->s1.x * o->d.x + l3_dot(o->s, o->d1);
}

LM_LANE_INLINE void corot_centre_rates(const corot_vec *V, const corot_vec *A, corot_centre *o)
{
    corot_centre_speed(V, o);
    o->d2 = l3_sub(A->xb, A->xa);
    o->t2[0] = l3_add(l3_cross(A->ra, o->t[0]), l3_cross(V->ra, o->t1[0]));
    o->t2[1] = l3_add(l3_cross(A->rb, o->t[1]), l3_cross(V->rb, o->t1[1]));
    o->s2 = l3_sub(o->t2[0], o->t2[1]);
    o->e2 = o->s2.x * o->d.x + 2.0 * l3_dot(o->s1, o->d1) + l3_dot(o->s, o->d2);
}

/* The first moment of the mass, but for that of the nodes. */
LM_LANE_INLINE lm_lane3 corot_centre_moment(const lm_corot_const *c, const corot_centre *o)
{
    lm_lane3 h = l3_add(l3_mul(c->ht[0], o->t[0]), l3_mul(c->ht[1], o->t[1]));
    return l3_sub(h, l3_mul(c->arc * o->e, o->d));
}

/* m x_c'. */
LM_LANE_INLINE lm_lane3 corot_centre_momentum(const lm_corot_const *c, const corot_vec *V,
                                              const corot_centre *o)
{
    lm_lane3 p = l3_add(l3_mul(c->m[0], V->xa), l3_mul(c->m[1], V->xb));
    p = l3_add(p, l3_add(l3_mul(c->ht[0], o->t1[0]), l3_mul(c->ht[1], o->t1[1])));
    lm_lane3 drawn = l3_add(l3_mul(o->e1, o->d), l3_mul(o->e, o->d1));
    return l3_sub(p, l3_mul(c->arc, drawn));
}

/* x_c''. */
LM_LANE_INLINE lm_lane3 corot_centre_acceleration(const lm_corot_const *c, const corot_vec *A,
                                                  const corot_centre *o)
{
    lm_lane3 a = l3_add(l3_mul(c->m[0], A->xa), l3_mul(c->m[1], A->xb));
    a = l3_add(a, l3_add(l3_mul(c->ht[0], o->t2[0]), l3_mul(c->ht[1], o->t2[1])));
    lm_lane3 drawn = l3_add(l3_mul(o->e2, o->d), l3_mul(2.0 * o->e1, o->d1));
    drawn = l3_add(drawn, l3_mul(o->e, o->d2));
    return l3_mul(c->im, l3_sub(a, l3_mul(c->arc, drawn)));
}

/* F += the acceleration a at the nodes' masses, and `load`, a less gravity, at the rest. Lanes without a centre
 * have im = 0, ht = 0, arc = 0: nothing is added. */
LM_LANE_INLINE void corot_centre_add(const lm_corot_const *c, const corot_centre *o, lm_lane3 a,
                                     lm_lane3 load, corot_vec *F)
{
    const lm_lane along = c->arc * l3_dot(o->d, load);
    lm_lane3 w = l3_add(l3_mul(along, o->s), l3_mul(c->arc * o->e, load)), y = l3_mul(along, o->d);
    F->xa = l3_add(F->xa, l3_add(l3_mul(c->m[0], a), w));
    F->xb = l3_add(F->xb, l3_sub(l3_mul(c->m[1], a), w));
    F->ra = l3_add(F->ra, l3_cross(o->t[0], l3_sub(l3_mul(c->ht[0], load), y)));
    F->rb = l3_add(F->rb, l3_cross(o->t[1], l3_add(l3_mul(c->ht[1], load), y)));
}

#endif
