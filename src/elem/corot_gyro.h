/* Sections that spin, between the nodes; private to corot_*.c. The element's mass matrix sees inertia about the
 * chord; the axis has slopes psi against it, and with W the spin that adds to the kinetic energy
 *
 *     W psi_y^T (g_y rho_y + h_y omega_y) + W^2 psi_y^T s_y psi_y / 2  and that of z,
 *
 * rho the ends' rates of turning across, against the chord, omega_y their mean in space. W is the sections' spin; what
 * sections in shear have of it from a chord that spins across counts half (G(tilts); docs/theory/corotational-beam.md).
 * All is made of the sections' axes and the chord, in whatever axes: no frame. */
#ifndef LM_ELEM_COROT_GYRO_H
#define LM_ELEM_COROT_GYRO_H

#include "elem/corot_kin.h"

/* ---- numbers ---- */

LM_LANE_INLINE lm_lane1 corot_g_add(lm_lane1 a, lm_lane1 b) { return (lm_lane1){a.s + b.s}; }
LM_LANE_INLINE lm_lane1 corot_g_mul(lm_lane1 a, lm_lane1 b) { return (lm_lane1){a.s * b.s}; }
LM_LANE_INLINE lm_lane1 corot_g_scale(double f, lm_lane1 a) { return (lm_lane1){f * a.s}; }
LM_LANE_INLINE lm_lane1 corot_g_two_(lm_lane1 f, lm_lane1 a, lm_lane1 g, lm_lane1 b)
{
    return (lm_lane1){f.s * a.s + g.s * b.s};
}
#define corot_g_two(f, a, g, b) corot_g_two_((lm_lane1){f}, a, (lm_lane1){g}, b)
LM_LANE_INLINE lm_lane3 corot_g_add3(lm_lane3 a, lm_lane3 b) { return l3_add(a, b); }
LM_LANE_INLINE lm_lane3 corot_g_sub3(lm_lane3 a, lm_lane3 b) { return l3_sub(a, b); }
LM_LANE_INLINE lm_lane3 corot_g_mul3(lm_lane1 f, lm_lane3 a) { return l3_mul(f.s, a); }
LM_LANE_INLINE lm_lane1 corot_g_dot(lm_lane3 a, lm_lane3 b) { return (lm_lane1){l3_dot(a, b)}; }
LM_LANE_INLINE lm_lane3 corot_g_cross(lm_lane3 a, lm_lane3 b) { return l3_cross(a, b); }

#define G(name) corot_g_##name
#define SC      lm_lane1
#define VC      lm_lane3
#include "elem/corot_gyro_body.h"
#undef G
#undef SC
#undef VC

/* ---- numbers v with their changes d ---- */

typedef struct corot_pair1 {
    lm_lane v, d;
} corot_pair1;
typedef struct corot_pair3 {
    lm_lane3 v, d;
} corot_pair3;

LM_LANE_INLINE corot_pair1 corot_d_add(corot_pair1 a, corot_pair1 b)
{
    return (corot_pair1){a.v + b.v, a.d + b.d};
}
LM_LANE_INLINE corot_pair1 corot_d_mul(corot_pair1 a, corot_pair1 b)
{
    return (corot_pair1){a.v * b.v, a.d * b.v + a.v * b.d};
}
LM_LANE_INLINE corot_pair1 corot_d_scale(double f, corot_pair1 a)
{
    return (corot_pair1){f * a.v, f * a.d};
}
LM_LANE_INLINE corot_pair1 corot_d_two_(lm_lane1 f, corot_pair1 a, lm_lane1 g, corot_pair1 b)
{
    return (corot_pair1){f.s * a.v + g.s * b.v, f.s * a.d + g.s * b.d};
}
#define corot_d_two(f, a, g, b) corot_d_two_((lm_lane1){f}, a, (lm_lane1){g}, b)
LM_LANE_INLINE corot_pair3 corot_d_add3(corot_pair3 a, corot_pair3 b)
{
    return (corot_pair3){l3_add(a.v, b.v), l3_add(a.d, b.d)};
}
LM_LANE_INLINE corot_pair3 corot_d_sub3(corot_pair3 a, corot_pair3 b)
{
    return (corot_pair3){l3_sub(a.v, b.v), l3_sub(a.d, b.d)};
}
LM_LANE_INLINE corot_pair3 corot_d_mul3(corot_pair1 f, corot_pair3 a)
{
    return (corot_pair3){l3_mul(f.v, a.v), l3_add(l3_mul(f.d, a.v), l3_mul(f.v, a.d))};
}
LM_LANE_INLINE corot_pair1 corot_d_dot(corot_pair3 a, corot_pair3 b)
{
    return (corot_pair1){l3_dot(a.v, b.v), l3_dot(a.d, b.v) + l3_dot(a.v, b.d)};
}
LM_LANE_INLINE corot_pair3 corot_d_cross(corot_pair3 a, corot_pair3 b)
{
    return (corot_pair3){l3_cross(a.v, b.v), l3_add(l3_cross(a.d, b.v), l3_cross(a.v, b.d))};
}

#define G(name) corot_d_##name
#define SC      corot_pair1
#define VC      corot_pair3
#include "elem/corot_gyro_body.h"
#undef G
#undef SC
#undef VC

/* ---- the element ---- */

LM_LANE_INLINE corot_g_in corot_gyro_in(const corot_kin *k, const corot_vec *V, const corot_vec *A)
{
    const corot_g_in q = {l3_all(1, 0, 0),
                          l3_sub(V->xb, V->xa),
                          l3_sub(A->xb, A->xa),
                          {k->il},
                          {k->a.x, k->b.x},
                          {k->a.y, k->b.y},
                          {l3_cross(k->a.x, k->a.y), l3_cross(k->b.x, k->b.y)},
                          {V->ra, V->rb},
                          {A->ra, A->rb}};
    return q;
}

LM_LANE_INLINE void corot_gyro_put(lm_lane3 F, const lm_lane3 M[2], corot_vec *to)
{
    to->xa = l3_sub(to->xa, F), to->xb = l3_add(to->xb, F);
    to->ra = l3_add(to->ra, M[0]), to->rb = l3_add(to->rb, M[1]);
}

LM_LANE_INLINE void corot_gyro_add(const lm_corot_const *c, const corot_kin *k, const corot_vec *V,
                                   const corot_vec *A, corot_vec *to)
{
    const corot_g_in q = corot_gyro_in(k, V, A);
    lm_lane3 F, M[2];
    corot_g_forces(c, &q, &F, M);
    corot_gyro_put(F, M, to);
}

/* The energy is half of W dT/dW + rho dT/drho + ..., of second degree in the velocities. */
LM_LANE_INLINE lm_lane1 corot_gyro_energy(const lm_corot_const *c, const corot_kin *k,
                                          const corot_vec *V)
{
    const corot_vec none = {0};
    const corot_g_in q = corot_gyro_in(k, V, &none);
    const lm_lane1 W = {0.5 * (l3_dot(V->ra, k->a.x) + l3_dot(V->rb, k->b.x))};
    const lm_lane3 w = l3_mul(q.r.s, l3_cross(q.e, q.D)), w1 = l3_all(0, 0, 0);
    const lm_lane1 W1 = {lane_all(0)};
    corot_g_plane y, z;
    corot_g_planes(c, &q, &w, &w1, &W, &W1, &y, &z);
    lm_lane T = W.s * (y.of_spin.s + z.of_spin.s);
    for (int i = 0; i < 2; i++) {
        T += y.p[i].s * y.rho[i].s + z.p[i].s * z.rho[i].s;
        T += y.own.s * y.om[i].s + z.own.s * z.om[i].s;
    }
    return (lm_lane1){0.5 * T};
}

#endif
