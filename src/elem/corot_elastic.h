/* Deformations and elastic forces of the corotational beam element, seen from its middle section.
 *
 * The middle section turns half way from the one end section to the other, T_m = T_a exp(psi/2),
 * psi = log(T_a^T T_b). In its axes the nodes are c apart. With tau = tan(|psi|/4) along psi, a and b
 * the small rotations of the ends and D = b - a, in its axes,
 *
 *     d(psi) = P D,   d(tau) = (1 + tau^2) D / 4,   the middle turns by  t = (a + b)/2 - tau x D / 2,
 *     dc = dx - t x c .
 *
 * Everything here is in the axes of the middle section. Private to corot_*; the strains are derived in
 * docs/theory/corotational-beam.md. */
#ifndef LM_ELEM_COROT_ELASTIC_H
#define LM_ELEM_COROT_ELASTIC_H

#include "elem/corot_kin.h"

typedef struct corot_mid {
    lm_lanem3 S;     /* axes of the middle section in those of the frame */
    lm_lane3 tau;    /* tan(|psi|/4) along psi */
    lm_lane z1;      /* 1 + tau^2 */
    lm_lane p, r;    /* P x = p x + r tau (tau . x) */
    lm_lane p1, r1;  /* their derivatives by tau^2 */
    lm_lane3 c, psi; /* from a to b; the turn between them */
    lm_lane3 reach;  /* how the length counted along the axis grows with c */
    lm_lane ilength; /* 1 / that length */
    lm_lane extra;   /* that length - L */
    lm_lane3 line;   /* c unwound, as if psi were zero; */
    lm_lane ir;      /* 1 / its length; */
    lm_lane3 lean;   /* (line_z, -line_y) about y, z */
    lm_lane3 w;      /* m = w lean */
    lm_lane3 m, mu;  /* chord against the middle section; the part of it that is not shear */
} corot_mid;

/* Motion of the ends, or a change of them: relative translation, relative turn, turn of the middle. */
typedef struct corot_way {
    lm_lane3 x, turn, mid;
} corot_way;

/* Changes of c and psi. */
typedef struct corot_shift {
    lm_lane3 c, psi;
} corot_shift;

/* Natural forces, and what they do on c and psi. */
typedef struct corot_pull {
    corot_nat n;      /* on the strains; what the bow makes of n.u is in a and b */
    lm_lane3 bend, m; /* on the curvature, on m */
    lm_lane3 y;       /* on the line, */
    lm_lane along;    /* less so much of it */
    lm_lane3 F, M;    /* on c, on psi */
} corot_pull;

/* exp(psi/2) x = x + 2/(1 + tau^2) (tau x x + tau x (tau x x)) */
LM_LANE_INLINE lm_lane3 corot_half_turn(const corot_mid *o, const lm_lane *q, lm_lane3 x)
{
    lm_lane3 y = l3_cross(o->tau, x);
    return l3_add(x, l3_mul(*q, l3_add(y, l3_cross(o->tau, y))));
}

/* psi x (psi x c) */
LM_LANE_INLINE lm_lane3 corot_twice(lm_lane3 a, lm_lane3 b, lm_lane3 c)
{
    return l3_cross(a, l3_cross(b, c));
}

/* A piece of helix as if it were straight, r = c - psi x (psi x c)/24, and its changes. */
LM_LANE_INLINE lm_lane3 corot_unwound(const corot_mid *o, lm_lane3 c)
{
    return l3_sub(c, l3_mul(lane_all(1.0 / 24), corot_twice(o->psi, o->psi, c)));
}
LM_LANE_INLINE lm_lane3 corot_line_change(const corot_mid *o, const corot_shift *d)
{
    lm_lane3 more = l3_add(corot_twice(d->psi, o->psi, o->c), corot_twice(o->psi, d->psi, o->c));
    return l3_sub(corot_unwound(o, d->c), l3_mul(lane_all(1.0 / 24), more));
}

/* m = w (r_z, -r_y), w = s/L + (1 - s)/|r|: shear by the length as drawn, bending by the angle. */
LM_LANE_INLINE lm_lane3 corot_across(lm_lane3 w, lm_lane3 r)
{
    return l3(lane_all(0), w.y * r.z, -(w.z * r.y));
}
LM_LANE_INLINE lm_lane3 corot_across_t(lm_lane3 w, lm_lane3 m)
{
    return l3(lane_all(0), -(w.z * m.z), w.y * m.y);
}
/* The part of m that is not shear: (1 - s) m. */
LM_LANE_INLINE lm_lane3 corot_bent(const lm_corot_const *c, lm_lane3 m)
{
    return l3(lane_all(0), c->stiffy * m.y, c->stiffz * m.z);
}

LM_LANE_INLINE lm_lane3 corot_lean(const lm_corot_const *c, const corot_mid *o,
                                   const corot_shift *d)
{
    lm_lane3 r = corot_line_change(o, d);
    lm_lane inverse = -(o->ir * o->ir * o->ir * l3_dot(o->line, r));
    lm_lane3 more = l3_mul(inverse, corot_bent(c, o->lean));
    return l3_add(corot_across(o->w, r), more);
}

/* Length: l^2 less the squares of c_y, c_z as far as they are shear, which leaves c_x where all is. */
LM_LANE_INLINE void corot_mid_length(const lm_corot_const *c, const corot_kin *k, corot_mid *o)
{
    lm_lane more = k->u * (k->u + 2.0 * c->L) -
                   ((1.0 - c->alongy) * o->c.y * o->c.y + (1.0 - c->alongz) * o->c.z * o->c.z);
    lm_lane length = lane_sqrt(c->LL + more);
    o->extra = more / (length + c->L);
    o->ilength = 1.0 / length;
    o->reach = l3_mul(o->ilength, l3(o->c.x, c->alongy * o->c.y, c->alongz * o->c.z));
}

LM_LANE_INLINE void corot_middle(const lm_corot_const *c, const corot_kin *k, corot_mid *o)
{
    corot_end e;
    const lm_lanem3 Sa = {k->a.x, k->a.y, l3_cross(k->a.x, k->a.y)};
    const lm_lanem3 Sb = {k->b.x, k->b.y, l3_cross(k->b.x, k->b.y)};
    corot_log(lm3_tmul(Sa, Sb), &e);
    o->tau = e.tau;
    o->psi = corot_rotvec(&e);
    o->z1 = 1.0 + l3_dot(e.tau, e.tau);
    o->p = e.f * o->z1, o->r = e.g * o->z1 - 1.0;
    o->p1 = e.f + 0.5 * o->r, o->r1 = e.g + 0.5 * (3.0 * e.g2 * o->z1 - 1.0);
    const lm_lane q = 2.0 / o->z1, l = c->L + k->u;
    o->S.x = lm3_v(Sa, corot_half_turn(o, &q, l3_all(1, 0, 0)));
    o->S.y = lm3_v(Sa, corot_half_turn(o, &q, l3_all(0, 1, 0)));
    o->S.z = lm3_v(Sa, corot_half_turn(o, &q, l3_all(0, 0, 1)));
    o->c = l3_mul(l, l3(o->S.x.x, o->S.y.x, o->S.z.x));
    corot_mid_length(c, k, o);
    o->line = corot_unwound(o, o->c);
    o->ir = 1.0 / lane_sqrt(l3_dot(o->line, o->line));
    o->w =
        l3(lane_all(0), c->iL + c->stiffy * (o->ir - c->iL), c->iL + c->stiffz * (o->ir - c->iL));
    o->lean = corot_across(l3_all(1, 1, 1), o->line);
    o->m = corot_across(o->w, o->line);
    o->mu = corot_bent(c, o->m);
}

/* P x = p x + r tau (tau . x): d(psi) of a relative turn x. P is symmetric. */
LM_LANE_INLINE lm_lane3 corot_turn(const corot_mid *o, lm_lane3 x)
{
    return l3_add(l3_mul(o->p, x), l3_mul(o->r * l3_dot(o->tau, x), o->tau));
}

/* V in the axes of the frame. */
LM_LANE_INLINE corot_way corot_way_of(const corot_mid *o, const corot_vec *V)
{
    lm_lane3 a = lm3_tv(o->S, V->ra), b = lm3_tv(o->S, V->rb), D = l3_sub(b, a);
    lm_lane3 sum = l3_sub(l3_add(a, b), l3_cross(o->tau, D));
    return (corot_way){lm3_tv(o->S, l3_sub(V->xb, V->xa)), D, l3_mul(lane_all(0.5), sum)};
}
LM_LANE_INLINE corot_shift corot_shift_of(const corot_mid *o, const corot_way *w)
{
    return (corot_shift){l3_sub(w->x, l3_cross(w->mid, o->c)), corot_turn(o, w->turn)};
}

/* a, b = m -+ kappa/2 */
LM_LANE_INLINE corot_nat corot_ends(const lm_lane *u, lm_lane3 m, lm_lane3 kappa)
{
    lm_lane3 h = l3_mul(lane_all(0.5), kappa);
    return (corot_nat){*u, l3_sub(m, h), l3_add(m, h)};
}

/* The strains: kappa = psi - psi x mu is the mean of the curvature. */
LM_LANE_INLINE corot_nat corot_strains(const lm_corot_const *c, const corot_mid *o, corot_bow *bow)
{
    corot_nat d = corot_ends(&o->extra, o->m, l3_sub(o->psi, l3_cross(o->psi, o->mu)));
    *bow = corot_bow_of(c, d.a, d.b);
    d.u += 0.5 * corot_bow_dot(bow, d.a, d.b);
    return d;
}

/* Their changes. */
LM_LANE_INLINE corot_nat corot_strain_rates(const lm_corot_const *c, const corot_mid *o,
                                            const corot_bow *bow, const corot_shift *d)
{
    lm_lane3 m = corot_lean(c, o, d), mu = corot_bent(c, m);
    lm_lane3 k = l3_sub(d->psi, l3_add(l3_cross(d->psi, o->mu), l3_cross(o->psi, mu)));
    lm_lane u = l3_dot(o->reach, d->c);
    corot_nat e = corot_ends(&u, m, k);
    e.u += corot_bow_dot(bow, e.a, e.b);
    return e;
}

/* With the parts of n on the curvature, on m (through the curvature too), on c and psi. */
/* Moment on psi of a force y on the line. */
LM_LANE_INLINE lm_lane3 corot_unwind(lm_lane3 psi, lm_lane3 c, lm_lane3 y)
{
    lm_lane3 sum = l3_add(corot_twice(y, psi, c), corot_twice(c, psi, y));
    return l3_mul(lane_all(1.0 / 24), sum);
}
LM_LANE_INLINE void corot_pull_all(const lm_corot_const *c, const corot_mid *o, corot_pull *f)
{
    f->bend = l3_mul(lane_all(0.5), l3_sub(f->n.b, f->n.a));
    f->m = l3_add(l3_add(f->n.a, f->n.b), corot_bent(c, l3_cross(o->psi, f->bend)));
    f->along = o->ir * o->ir * o->ir * l3_dot(corot_bent(c, o->lean), f->m);
    f->y = l3_sub(corot_across_t(o->w, f->m), l3_mul(f->along, o->line));
    f->F = l3_add(l3_mul(f->n.u, o->reach), corot_unwound(o, f->y));
    f->M = l3_sub(f->bend, l3_cross(o->mu, f->bend));
    f->M = l3_add(f->M, corot_unwind(o->psi, o->c, f->y));
}

/* What the curvature's change along the element takes from the energy of its mean kappa, by one axis i
 * with j, k after it:
 *     U_i = -s_i N^2/(2 D),   N = (C_j - C_k) kappa_j kappa_k,
 *     D = 12 C_i + 2 (C_k kappa_j^2 + C_j kappa_k^2) :  never more than there is. */
typedef struct corot_relief {
    lm_lane diff, q, D; /* C_j - C_k; N/D */
    lm_lane gj, gk;     /* dU/dkappa_j = -s q gj, and of k alike */
} corot_relief;

LM_LANE_INLINE corot_relief corot_relief_of(const lm_corot_const *c, const lm_lane3 *kappa, int i)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const lm_lane *C = c->bend, x = (&kappa->x)[j], y = (&kappa->x)[k];
    corot_relief r = {.diff = C[j] - C[k]};
    r.D = 12.0 * C[i] + 2.0 * (C[k] * x * x + C[j] * y * y);
    r.q = r.diff * x * y / r.D;
    r.gj = r.diff * y - 2.0 * r.q * C[k] * x;
    r.gk = r.diff * x - 2.0 * r.q * C[j] * y;
    return r;
}
LM_LANE_INLINE lm_lane3 corot_relief_moment(const lm_corot_const *c, const lm_lane3 *kappa)
{
    lm_lane M[3] = {lane_all(0), lane_all(0), lane_all(0)};
    for (int i = 0; i < 3; i++) {
        const corot_relief r = corot_relief_of(c, kappa, i);
        const lm_lane f = c->relief[i] * r.q;
        M[(i + 1) % 3] -= f * r.gj;
        M[(i + 2) % 3] -= f * r.gk;
    }
    return l3_from(M);
}

/* A moment on the curvature kappa = b - a. */
LM_LANE_INLINE void corot_curvature_add(lm_lane3 M, corot_nat *n)
{
    n->a = l3_sub(n->a, M);
    n->b = l3_add(n->b, M);
}

/* Forces at the nodes, added in the axes of the frame: F on b, -F on a; the chord turns the middle by
 * -c x F. */
LM_LANE_INLINE void corot_pull_add(const corot_mid *o, const corot_pull *f, corot_vec *to)
{
    const lm_lane half = lane_all(0.5);
    lm_lane3 turn = l3_mul(half, l3_cross(f->F, o->c));
    lm_lane3 M = l3_add(corot_turn(o, f->M), l3_cross(o->tau, turn));
    lm_lane3 F = lm3_v(o->S, f->F);
    to->xa = l3_sub(to->xa, F);
    to->xb = l3_add(to->xb, F);
    to->ra = l3_add(to->ra, lm3_v(o->S, l3_sub(turn, M)));
    to->rb = l3_add(to->rb, lm3_v(o->S, l3_add(turn, M)));
}

#endif
