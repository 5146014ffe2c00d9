/* Forces of the corotational beam element in the axes of its frame. Private to corot_*.c. */
#ifndef LM_ELEM_COROT_FORCES_H
#define LM_ELEM_COROT_FORCES_H

#include "elem/corot_centre.h"
#include "elem/corot_elastic.h"

/* What the forces are made of; the tangent needs the parts again. */
typedef struct corot_local {
    corot_bending_mass mass;
    corot_vec V, A, P;   /* velocities, accelerations, momenta M V */
    corot_vec rate;      /* of V: A - w x V */
    corot_thin Ml;       /* (dM/dl) V */
    lm_lane3 w;          /* spin of the frame, G V */
    lm_lane3 g;          /* gravity */
    lm_lane3 h;          /* first moment of the mass about the chord */
    corot_nat n;         /* forces of the weight on the sections' rotations */
    corot_mid mid;       /* the middle section */
    corot_nat d, rate_d; /* strains; their rates where there is damping */
    corot_bow bow;       /* change of the bow's length with the strains */
    corot_way way;       /* motion of the ends where there is damping */
    corot_shift shift;   /* rates of c and psi with it */
    corot_pull pull;     /* elastic and damping forces */
    lm_lane3 m;          /* moment on the frame; the nodes see -G^T m */
} corot_local;

/* Inertia but for its part -G^T sum P_k x V_k:
 *   F_k = (M (A - w x V))_k + w x P_k - [rotations only] V_k x P_k
 *         + l' (dM/dl V)_k - V^T dM/dl V / 2 [on the length] */
LM_LANE_INLINE corot_vec corot_inertia(const lm_corot_const *c, corot_local *q)
{
    corot_vec wV = corot_vec_cross(q->w, &q->V);
    q->rate = corot_vec_sub(&q->A, &wV);
    corot_vec F = corot_mass(c, &q->mass, &q->rate);
    F.xa = l3_add(F.xa, l3_cross(q->w, q->P.xa));
    F.xb = l3_add(F.xb, l3_cross(q->w, q->P.xb));
    F.ra = l3_add(F.ra, l3_cross(l3_sub(q->w, q->V.ra), q->P.ra));
    F.rb = l3_add(F.rb, l3_cross(l3_sub(q->w, q->V.rb), q->P.rb));
    const lm_lane rate = q->V.xb.x - q->V.xa.x, pull = 0.5 * corot_thin_dot(&q->Ml, &q->V);
    corot_thin more = corot_thin_mul(&rate, &q->Ml);
    corot_thin_add(&more, &F);
    F.xa.x += pull, F.xb.x -= pull;
    return F;
}

/* n -= dh/db . g: the weight works on the bending. */
LM_LANE_INLINE void corot_weight_sub(const lm_corot_const *c, lm_lane3 g, corot_nat *n)
{
    n->a.y -= c->hy[0] * g.z, n->a.z -= c->hz[0] * g.y;
    n->b.y -= c->hy[1] * g.z, n->b.z -= c->hz[1] * g.y;
}

/* Natural forces at the nodes, F += (...): moments act on the sections and back on the frame. */
LM_LANE_INLINE void corot_natural_t_add(const corot_kin *k, const corot_nat *n, corot_vec *F,
                                        lm_lane3 *m)
{
    lm_lane3 ma = corot_tinv_t(&k->a, n->a), mb = corot_tinv_t(&k->b, n->b);
    F->xa.x -= n->u, F->xb.x += n->u;
    F->ra = l3_add(F->ra, ma);
    F->rb = l3_add(F->rb, mb);
    *m = l3_add(*m, l3_add(ma, mb));
}

/* Elastic and damping forces, K_n (d + beta d') and what the bow makes of its first part. */
LM_LANE_INLINE void corot_elastic(const lm_corot_const *c, const corot_kin *k, corot_local *q)
{
    corot_middle(c, k, &q->mid);
    q->d = corot_strains(c, &q->mid, &q->bow);
    corot_nat d = q->d;
    if (c->damped) {
        q->way = corot_way_of(&q->mid, &q->V);
        q->shift = corot_shift_of(&q->mid, &q->way);
        q->rate_d = corot_strain_rates(c, &q->mid, &q->bow, &q->shift);
        d = corot_nat_add_scaled(d, &c->beta, q->rate_d);
    }
    q->pull.n = corot_stiffness(c, &d);
    corot_bow_add(&q->bow, &q->pull.n.u, &q->pull.n);
    const lm_lane3 kappa = l3_sub(q->d.b, q->d.a);
    corot_curvature_add(corot_relief_moment(c, &kappa), &q->pull.n);
    corot_pull_all(c, &q->mid, &q->pull);
}

/* Inertia and weight of the element without those of lm_corot_const_centre; q is filled on the way. */
LM_LANE_INLINE corot_vec corot_local_forces(const lm_corot_const *c, const lm_corot_state *s,
                                            const double g[3], const corot_kin *k, corot_local *q)
{
    q->V = corot_to_frame(&k->E, s->v);
    q->A = corot_to_frame(&k->E, s->a);
    q->g = lm3_tv(k->E, l3_all(g[0], g[1], g[2]));
    corot_mass_now(c, k, &q->mass);
    q->P = corot_mass(c, &q->mass, &q->V);
    q->Ml = corot_thin_of(q->mass.dz, q->mass.dy, &q->V);
    q->w = corot_spin(k, &q->V);
    corot_vec F = corot_inertia(c, q);

    const corot_nat no = {0};
    q->n = no;
    corot_weight_sub(c, q->g, &q->n);
    q->h = corot_sag(c, corot_rotvec(&k->a), corot_rotvec(&k->b));
    q->h.x = c->hx;
    q->m = l3_add(l3_cross(q->h, q->g), corot_vec_cross_sum(&q->P, &q->V));
    corot_natural_t_add(k, &q->n, &F, &q->m);
    F.xa = l3_sub(F.xa, l3_mul(c->m[0], q->g));
    F.xb = l3_sub(F.xb, l3_mul(c->m[1], q->g));
    corot_spin_t_sub(k, q->m, &F);
    return F;
}

#endif
