/* Kinematics of the corotational beam element: frame, deformations, and the maps between nodal
 * motions and them. Everything here is in the axes of the element's frame R*. Private to the
 * corot_*.c files; docs/theory/corotational-beam.md has the derivations. */
#ifndef LM_ELEM_COROT_KIN_H
#define LM_ELEM_COROT_KIN_H

#include "elem/corot_beam.h"

/* The kernels are compiled once for every processor and once for those with AVX2. */
#if defined LM_LANE_AVX2
#define COROT(name) lm_corot_##name##_avx2
#else
#define COROT(name) lm_corot_##name##_base
#endif

#define COROT_DECLARE(isa)                                                                         \
    void lm_corot_residual_##isa(const lm_corot_const *, const lm_corot_state *, const double[3],  \
                                 lm_lane[2][6]);                                                   \
    void lm_corot_tangent_##isa(const lm_corot_const *, const lm_corot_state *, const double[3],   \
                                double, double, double, lm_lane[12][12]);                          \
    void lm_corot_energy_##isa(const lm_corot_const *, const lm_corot_state *, const double[3],    \
                               lm_corot_energies *);                                               \
    void lm_corot_natural_##isa(const lm_corot_const *, const lm_corot_state *, lm_lane *,         \
                                lm_lane[2][3], lm_lane[9]);
COROT_DECLARE(base)
COROT_DECLARE(avx2)

/* Anything with a part for each node and kind: velocities, momenta, forces. */
typedef struct corot_vec {
    lm_lane3 xa, ra, xb, rb; /* translation and rotation of a, of b */
} corot_vec;

/* Natural coordinates or the forces that belong to them. */
typedef struct corot_nat {
    lm_lane u;
    lm_lane3 a, b;
} corot_nat;

/* An end section against the frame. */
typedef struct corot_end {
    lm_lane3 x, y;      /* its x and y axes */
    lm_lane3 tau;       /* tan(|b|/4) along the rotation vector b */
    lm_lane f, g, g2;   /* f = atan(t)/t, g = (1 - f)/t^2, g2 = (1/3 - g)/t^2 at t = |tau| */
    lm_lane eta1, eta2; /* its share in the frame's spin about the chord: y_2/p_2, -y_1/p_2 */
} corot_end;

typedef struct corot_kin {
    lm_lanem3 E;  /* R* */
    lm_lane u;    /* change of the chord's length */
    lm_lane il;   /* 1 / length */
    lm_lane ip;   /* 1 / p_2, p the sum of the sections' y axes (p_3 = 0) */
    lm_lane skew; /* p_1 / p_2 */
    corot_end a, b;
} corot_kin;

/* f, g, g2 from z = t^2 in 0..1. g2 = 1/5 - z/7 + z^2/9 - ... as a ratio of polynomials that
 * interpolates it at Chebyshev points: f is right to 4e-17, and no case has to be told apart. */
LM_LANE_INLINE void corot_atan(lm_lane1 t2, corot_end *e)
{
    lm_lane z = t2.s;
    lm_lane z2 = z * z, z4 = z2 * z2;
    lm_lane p = (0.19999999999999823 + 0.4093251863184503 * z) +
                z2 * (0.281379664609616 + 0.07407762781291066 * z) +
                z4 * (0.0059345611948277335 + 1.292649671014127e-06 * z);
    lm_lane q = (1.0 + 2.7609116458758134 * z) + z2 * (2.823422514638619 + 1.3078241563275619 * z) +
                z4 * (0.26560932388806846 + 0.0179764483597439 * z);
    e->g2 = p / q;
    e->g = 1.0 / 3 - z * e->g2;
    e->f = 1.0 - z * e->g;
}

/* Logarithm of S = exp(b): with w = cos(|b|/2), 1 + tr S = 4 w^2 and the skew part of S is
 * 4 w sin(|b|/2) n, so tan(|b|/4) n = sin(|b|/2) n / (1 + w) needs one root and one division. */
LM_LANE_INLINE void corot_log(lm_lanem3 S, corot_end *e)
{
    lm_lane s = 1.0 + (S.x.x + S.y.y + S.z.z);
    lm_lane3 skew = l3(S.y.z - S.z.y, S.z.x - S.x.z, S.x.y - S.y.x);
    e->tau = l3_mul(1.0 / (s + 2.0 * lane_sqrt(s)), skew);
    e->x = S.x;
    e->y = S.y;
    corot_atan((lm_lane1){l3_dot(e->tau, e->tau)}, e);
}

/* The rotation vector b = 4 atan(t)/t tau. */
LM_LANE_INLINE lm_lane3 corot_rotvec(const corot_end *e) { return l3_mul(4.0 * e->f, e->tau); }

/* db = Tinv dtheta, exp(b + db) = exp(dtheta) exp(b):
 *   Tinv = I - skew(b)/2 + (1 - (|b|/2) cot(|b|/2))/|b|^2 skew(b)^2
 *        = I - 2 f skew(tau) + (f + g) skew(tau)^2 */
LM_LANE_INLINE lm_lane3 corot_tinv(const corot_end *e, lm_lane3 x)
{
    lm_lane3 y = l3_cross(e->tau, x);
    lm_lane3 z = l3_sub(l3_mul(e->f + e->g, y), l3_mul(2.0 * e->f, x));
    return l3_add(x, l3_cross(e->tau, z));
}
LM_LANE_INLINE lm_lane3 corot_tinv_t(const corot_end *e, lm_lane3 x) /* Tinv^T x */
{
    lm_lane3 y = l3_cross(e->tau, x);
    lm_lane3 z = l3_add(l3_mul(e->f + e->g, y), l3_mul(2.0 * e->f, x));
    return l3_add(x, l3_cross(e->tau, z));
}

LM_LANE_INLINE lm_lanem3 corot_section(const lm_corot_const *c, const lm_corot_state *s, int i)
{
    lm_lanem3 R = lm3_from(s->R[i]);
    return c->straight ? R : lm3_mul(R, lm3_from(c->A[i]));
}

/* Frame and deformations:  e1 = (x_b - x_a)/l,  p = T_a ey + T_b ey,  e3 = e1 x p / |e1 x p|. */
LM_LANE_INLINE void corot_kinematics(const lm_corot_const *c, const lm_corot_state *s, corot_kin *k)
{
    lm_lanem3 Ta = corot_section(c, s, 0), Tb = corot_section(c, s, 1);
    lm_lane3 d = l3_sub(l3_from(s->x[1]), l3_from(s->x[0]));
    lm_lane ll = l3_dot(d, d), l = lane_sqrt(ll), sum = l + c->L, r = 1.0 / (l * sum);
    k->il = r * sum;
    k->u = (ll - c->LL) * (r * l); /* l - L without the cancellation */
    k->E.x = l3_mul(k->il, d);
    lm_lane3 n = l3_cross(k->E.x, l3_add(Ta.y, Tb.y));
    k->ip = 1.0 / lane_sqrt(l3_dot(n, n));
    k->E.z = l3_mul(k->ip, n);
    k->E.y = l3_cross(k->E.z, k->E.x);
    corot_log(lm3_tmul(k->E, Ta), &k->a);
    corot_log(lm3_tmul(k->E, Tb), &k->b);
    k->skew = k->ip * (k->a.y.x + k->b.y.x);
    k->a.eta1 = k->ip * k->a.y.y, k->a.eta2 = -(k->ip * k->a.y.x);
    k->b.eta1 = k->ip * k->b.y.y, k->b.eta2 = -(k->ip * k->b.y.x);
}

/* How the bow's length changes with the end sections' rotations: bow b. Elongation of the axis
 * u = l - L + b^T bow b / 2. */
typedef struct corot_bow {
    lm_lane az, bz, ay, by;
} corot_bow;

LM_LANE_INLINE corot_bow corot_bow_of(const lm_corot_const *c, lm_lane3 a, lm_lane3 b)
{
    return (corot_bow){c->bowz[0] * a.z + c->bowz[1] * b.z, c->bowz[1] * a.z + c->bowz[2] * b.z,
                       c->bowy[0] * a.y + c->bowy[1] * b.y, c->bowy[1] * a.y + c->bowy[2] * b.y};
}
LM_LANE_INLINE lm_lane corot_bow_dot(const corot_bow *s, lm_lane3 a, lm_lane3 b)
{
    return (s->az * a.z + s->bz * b.z) + (s->ay * a.y + s->by * b.y);
}

LM_LANE_INLINE corot_nat corot_natural(const lm_corot_const *c, const corot_kin *k, corot_bow *bow)
{
    corot_nat d = {k->u, corot_rotvec(&k->a), corot_rotvec(&k->b)};
    *bow = corot_bow_of(c, d.a, d.b);
    d.u += 0.5 * corot_bow_dot(bow, d.a, d.b);
    return d;
}

/* Spin of the frame G V: the chord turns with its ends, and e3 . p = 0 stays true. */
LM_LANE_INLINE lm_lane3 corot_spin(const corot_kin *k, const corot_vec *V)
{
    lm_lane w2 = k->il * (V->xa.z - V->xb.z), w3 = k->il * (V->xb.y - V->xa.y);
    lm_lane w1 = k->a.eta1 * V->ra.x + k->a.eta2 * V->ra.y + k->b.eta1 * V->rb.x +
                 k->b.eta2 * V->rb.y + k->skew * w2;
    return l3(w1, w2, w3);
}

/* F -= G^T m: what a moment on the frame means at the nodes. */
LM_LANE_INLINE void corot_spin_t_sub(const corot_kin *k, lm_lane3 m, corot_vec *F)
{
    lm_lane ty = k->il * m.z, tz = k->il * (m.y + k->skew * m.x);
    F->xa.y += ty, F->xb.y -= ty;
    F->xa.z -= tz, F->xb.z += tz;
    F->ra.x -= k->a.eta1 * m.x, F->ra.y -= k->a.eta2 * m.x;
    F->rb.x -= k->b.eta1 * m.x, F->rb.y -= k->b.eta2 * m.x;
}

LM_LANE_INLINE corot_nat corot_nat_add_scaled(corot_nat d, const lm_lane *f, corot_nat e)
{
    lm_lane s = *f;
    return (corot_nat){d.u + s * e.u, l3_add(d.a, l3_mul(s, e.a)), l3_add(d.b, l3_mul(s, e.b))};
}

/* Natural forces K_n d. */
LM_LANE_INLINE corot_nat corot_stiffness(const lm_corot_const *c, const corot_nat *d)
{
    lm_lane t = c->kt * (d->b.x - d->a.x);
    return (corot_nat){
        c->ka * d->u,
        l3(-t, c->ky[0] * d->a.y + c->ky[1] * d->b.y, c->kz[0] * d->a.z + c->kz[1] * d->b.z),
        l3(t, c->ky[1] * d->a.y + c->ky[2] * d->b.y, c->kz[1] * d->a.z + c->kz[2] * d->b.z)};
}

/* Forces on the chord's length and on the rotations b: what the elongation does turns sections. */
LM_LANE_INLINE void corot_bow_add(const corot_bow *s, const lm_lane *force, corot_nat *n)
{
    const lm_lane N = *force;
    n->a.y += N * s->ay, n->a.z += N * s->az;
    n->b.y += N * s->by, n->b.z += N * s->bz;
}

/* Symmetric 4x4 matrix (upper triangle by rows) times vector, in place. */
LM_LANE_INLINE void corot_sym4(const lm_lane m[10], lm_lane *p, lm_lane *q, lm_lane *r, lm_lane *s)
{
    lm_lane a = *p, b = *q, c = *r, d = *s;
    *p = m[0] * a + m[1] * b + m[2] * c + m[3] * d;
    *q = m[1] * a + m[4] * b + m[5] * c + m[6] * d;
    *r = m[2] * a + m[5] * b + m[7] * c + m[8] * d;
    *s = m[3] * a + m[6] * b + m[8] * c + m[9] * d;
}

/* Bending mass of the element as long as it is now, and its derivative by the length: over D^2 and
 * over D S in each plane, D the difference of the ends' velocities across, S the sum of their
 * rotations' rates. */
typedef struct corot_bending_mass {
    lm_lane mz[10], my[10];
    lm_lane dz[2], dy[2];
} corot_bending_mass;

/* m += k (t0 + k t2) D^2 / 2 + k t1 D S over (y_a, psi_a, y_b, psi_b), k = L/l - 1, dk/dl = -L/l^2. */
LM_LANE_INLINE void corot_turn_mass(const lm_lane m0[10], const lm_lane t[3], const lm_lane kl[2],
                                    lm_lane m[10], lm_lane d[2])
{
    const lm_lane k = kl[0], k2 = k * t[2], p = k * (t[0] + k2), q = k * t[1];
    m[0] = m0[0] + p, m[2] = m0[2] - p, m[7] = m0[7] + p;
    m[1] = m0[1] - q, m[3] = m0[3] - q, m[5] = m0[5] + q, m[8] = m0[8] + q;
    m[4] = m0[4], m[6] = m0[6], m[9] = m0[9];
    d[0] = kl[1] * (t[0] + 2.0 * k2), d[1] = kl[1] * t[1];
}

LM_LANE_INLINE void corot_mass_now(const lm_corot_const *c, const corot_kin *k,
                                   corot_bending_mass *m)
{
    const lm_lane less = -(k->u * k->il), kl[2] = {less, -(1.0 + less) * k->il};
    corot_turn_mass(c->mz, c->turnz, kl, m->mz, m->dz);
    corot_turn_mass(c->my, c->turny, kl, m->my, m->dy);
}

/* Momenta M V. */
LM_LANE_INLINE corot_vec corot_mass(const lm_corot_const *c, const corot_bending_mass *m,
                                    const corot_vec *V)
{
    corot_vec P = *V;
    P.xa.x = c->mx[0] * V->xa.x + c->mx[1] * V->xb.x;
    P.xb.x = c->mx[1] * V->xa.x + c->mx[2] * V->xb.x;
    P.ra.x = c->mt[0] * V->ra.x + c->mt[1] * V->rb.x;
    P.rb.x = c->mt[1] * V->ra.x + c->mt[2] * V->rb.x;
    corot_sym4(m->mz, &P.xa.y, &P.ra.z, &P.xb.y, &P.rb.z);
    corot_sym4(m->my, &P.xa.z, &P.ra.y, &P.xb.z, &P.rb.y);
    return P;
}

/* (dM/dl) V in short: on node b, the opposite on a (y, z); on either section (ry, rz). */
typedef struct corot_thin {
    lm_lane y, z, ry, rz;
} corot_thin;

LM_LANE_INLINE corot_thin corot_thin_of(const lm_lane dz[2], const lm_lane dy[2],
                                        const corot_vec *V)
{
    lm_lane y = V->xb.y - V->xa.y, z = V->xb.z - V->xa.z;
    return (corot_thin){dz[0] * y + dz[1] * (V->ra.z + V->rb.z),
                        dy[0] * z + dy[1] * (V->ra.y + V->rb.y), dy[1] * z, dz[1] * y};
}
LM_LANE_INLINE lm_lane corot_thin_dot(const corot_thin *t, const corot_vec *V)
{
    return (t->y * (V->xb.y - V->xa.y) + t->z * (V->xb.z - V->xa.z)) +
           (t->ry * (V->ra.y + V->rb.y) + t->rz * (V->ra.z + V->rb.z));
}
/* r a + s b */
LM_LANE_INLINE corot_thin corot_thin_sum(const lm_lane *r, const corot_thin *a, const lm_lane *s,
                                         const corot_thin *b)
{
    const lm_lane p = *r, q = *s;
    return (corot_thin){p * a->y + q * b->y, p * a->z + q * b->z, p * a->ry + q * b->ry,
                        p * a->rz + q * b->rz};
}
LM_LANE_INLINE void corot_thin_add(const corot_thin *t, corot_vec *F)
{
    F->xa.y -= t->y, F->xb.y += t->y;
    F->xa.z -= t->z, F->xb.z += t->z;
    F->ra.y += t->ry, F->ra.z += t->rz;
    F->rb.y += t->ry, F->rb.z += t->rz;
}
LM_LANE_INLINE corot_thin corot_thin_mul(const lm_lane *factor, const corot_thin *t)
{
    const lm_lane s = *factor;
    return (corot_thin){s * t->y, s * t->z, s * t->ry, s * t->rz};
}

/* First moment that the mass has from bending. */
LM_LANE_INLINE lm_lane3 corot_sag(const lm_corot_const *c, lm_lane3 ba, lm_lane3 bb)
{
    return l3(lane_all(0), c->hz[0] * ba.z + c->hz[1] * bb.z, c->hy[0] * ba.y + c->hy[1] * bb.y);
}

LM_LANE_INLINE corot_vec corot_to_frame(const lm_lanem3 *E, const lm_lane v[2][6])
{
    return (corot_vec){lm3_tv(*E, l3_from(v[0])), lm3_tv(*E, l3_from(v[0] + 3)),
                       lm3_tv(*E, l3_from(v[1])), lm3_tv(*E, l3_from(v[1] + 3))};
}
LM_LANE_INLINE corot_vec corot_vec_cross(lm_lane3 w, const corot_vec *V)
{
    return (corot_vec){l3_cross(w, V->xa), l3_cross(w, V->ra), l3_cross(w, V->xb),
                       l3_cross(w, V->rb)};
}
LM_LANE_INLINE corot_vec corot_vec_add(const corot_vec *a, const corot_vec *b)
{
    return (corot_vec){l3_add(a->xa, b->xa), l3_add(a->ra, b->ra), l3_add(a->xb, b->xb),
                       l3_add(a->rb, b->rb)};
}
LM_LANE_INLINE corot_vec corot_vec_sub(const corot_vec *a, const corot_vec *b)
{
    return (corot_vec){l3_sub(a->xa, b->xa), l3_sub(a->ra, b->ra), l3_sub(a->xb, b->xb),
                       l3_sub(a->rb, b->rb)};
}
/* Sum over the four parts of a_k x b_k. */
LM_LANE_INLINE lm_lane3 corot_vec_cross_sum(const corot_vec *a, const corot_vec *b)
{
    return l3_add(l3_add(l3_cross(a->xa, b->xa), l3_cross(a->ra, b->ra)),
                  l3_add(l3_cross(a->xb, b->xb), l3_cross(a->rb, b->rb)));
}
LM_LANE_INLINE lm_lane corot_vec_dot(const corot_vec *a, const corot_vec *b)
{
    return l3_dot(a->xa, b->xa) + l3_dot(a->ra, b->ra) + l3_dot(a->xb, b->xb) +
           l3_dot(a->rb, b->rb);
}
LM_LANE_INLINE lm_lane corot_nat_dot(const corot_nat *a, const corot_nat *b)
{
    return a->u * b->u + l3_dot(a->a, b->a) + l3_dot(a->b, b->b);
}

#endif
