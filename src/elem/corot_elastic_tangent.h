/* Derivatives of the elastic and damping forces, in the axes of the middle section. Private to
 * corot_beam_tangent.c. With t the turn of the middle that goes with a motion, velocities seen from it
 * change by -t x V, and the forces turn with it. */
#ifndef LM_ELEM_COROT_ELASTIC_TANGENT_H
#define LM_ELEM_COROT_ELASTIC_TANGENT_H

#include "elem/corot_forces.h"

/* What a motion of the ends changes: of c, psi, tau and of P. */
typedef struct corot_step {
    corot_way way;
    corot_shift d;
    lm_lane3 tau;
    lm_lane z; /* of tau^2 */
} corot_step;

LM_LANE_INLINE corot_step corot_step_of(const corot_mid *o, const corot_way *way)
{
    corot_step s = {*way, corot_shift_of(o, way), l3_mul(0.25 * o->z1, way->turn), o->z1};
    s.z = 2.0 * l3_dot(o->tau, s.tau);
    return s;
}

/* Change of P x. */
LM_LANE_INLINE lm_lane3 corot_turn_change(const corot_mid *o, const corot_step *s, lm_lane3 x)
{
    lm_lane along = l3_dot(o->tau, x);
    lm_lane on = s->z * o->r1 * along + o->r * l3_dot(s->tau, x);
    return l3_add(l3_mul(s->z * o->p1, x),
                  l3_add(l3_mul(on, o->tau), l3_mul(o->r * along, s->tau)));
}

/* Change of the rates c', psi' of the velocities w in the world. */
LM_LANE_INLINE corot_shift corot_rate_change(const corot_mid *o, const corot_step *s,
                                             const corot_way *w)
{
    const lm_lane3 t = s->way.mid;
    lm_lane3 x = l3_cross(w->x, t), turn = l3_cross(w->turn, t);
    lm_lane3 sum = l3_add(w->mid, l3_mul(lane_all(0.5), l3_cross(o->tau, w->turn)));
    lm_lane3 both = l3_add(l3_cross(s->tau, w->turn), l3_cross(o->tau, turn));
    lm_lane3 mid = l3_sub(l3_cross(sum, t), l3_mul(lane_all(0.5), both));
    return (corot_shift){l3_sub(x, l3_add(l3_cross(mid, o->c), l3_cross(w->mid, s->d.c))),
                         l3_add(corot_turn_change(o, s, w->turn), corot_turn(o, turn))};
}

/* Of the line, at fixed c', psi'. */
LM_LANE_INLINE lm_lane3 corot_line_rate(const corot_mid *o, const corot_shift *d,
                                        const corot_shift *r)
{
    lm_lane3 a = l3_add(corot_twice(d->psi, r->psi, o->c), corot_twice(r->psi, d->psi, o->c));
    lm_lane3 b = l3_add(corot_twice(d->psi, o->psi, r->c), corot_twice(o->psi, d->psi, r->c));
    lm_lane3 e = l3_add(corot_twice(r->psi, o->psi, d->c), corot_twice(o->psi, r->psi, d->c));
    return l3_mul(lane_all(-1.0 / 24), l3_add(a, l3_add(b, e)));
}

/* Of m, at fixed c', psi':  1/|r| changes by -(r . r')/|r|^3. */
LM_LANE_INLINE lm_lane3 corot_lean_rate(const lm_corot_const *c, const corot_mid *o,
                                        const corot_shift *d, const corot_shift *r)
{
    const lm_lane3 one = l3_all(1, 1, 1);
    lm_lane3 a = corot_line_change(o, d), b = corot_line_change(o, r),
             ab = corot_line_rate(o, d, r);
    lm_lane q = o->ir * o->ir * o->ir, pa = l3_dot(o->line, a), pb = l3_dot(o->line, b);
    lm_lane both = 3.0 * q * o->ir * o->ir * pa * pb - q * (l3_dot(a, b) + l3_dot(o->line, ab));
    lm_lane3 bend = l3_mul(both, o->lean);
    bend = l3_sub(bend, l3_mul(q * pa, corot_across(one, b)));
    bend = l3_sub(bend, l3_mul(q * pb, corot_across(one, a)));
    return l3_add(corot_across(o->w, ab), corot_bent(c, bend));
}

/* How the strains' rates change with the place at fixed c', psi'. */
LM_LANE_INLINE corot_nat corot_rate_strains(const lm_corot_const *c, const corot_local *q,
                                            const corot_shift *d)
{
    const corot_mid *o = &q->mid;
    const corot_shift *r = &q->shift;
    lm_lane3 m = corot_lean_rate(c, o, d, r), mu = corot_bent(c, m);
    lm_lane3 mud = corot_bent(c, corot_lean(c, o, d)), mur = corot_bent(c, corot_lean(c, o, r));
    lm_lane3 kappa =
        l3_neg(l3_add(l3_add(l3_cross(d->psi, mur), l3_cross(r->psi, mud)), l3_cross(o->psi, mu)));
    lm_lane3 w = l3(d->c.x, c->alongy * d->c.y, c->alongz * d->c.z);
    lm_lane u = o->ilength * (l3_dot(w, r->c) - l3_dot(o->reach, r->c) * l3_dot(o->reach, d->c));
    return corot_ends(&u, m, kappa);
}

LM_LANE_INLINE lm_lane3 corot_relief_change(const lm_corot_const *c, const lm_lane3 *kappa,
                                            const lm_lane3 *d)
{
    const lm_lane *C = c->bend;
    lm_lane M[3] = {lane_all(0), lane_all(0), lane_all(0)};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const corot_relief r = corot_relief_of(c, kappa, i);
        const lm_lane x = (&kappa->x)[j], y = (&kappa->x)[k], dx = (&d->x)[j], dy = (&d->x)[k];
        const lm_lane dD = 4.0 * (C[k] * x * dx + C[j] * y * dy);
        const lm_lane dq = (r.diff * (dx * y + x * dy) - r.q * dD) / r.D;
        const lm_lane dj = r.diff * dy - 2.0 * C[k] * (dq * x + r.q * dx);
        const lm_lane dk = r.diff * dx - 2.0 * C[j] * (dq * y + r.q * dy);
        M[j] -= c->relief[i] * (dq * r.gj + r.q * dj);
        M[k] -= c->relief[i] * (dq * r.gk + r.q * dk);
    }
    return l3_from(M);
}

/* The strains change by e: of the natural forces, those of the bow for a change at times f. */
LM_LANE_INLINE corot_nat corot_pull_change(const corot_local *q, const lm_corot_const *c,
                                           const corot_nat *e, const corot_nat *place)
{
    corot_nat n = corot_stiffness(c, e);
    corot_bow_add(&q->bow, &n.u, &n);
    const corot_bow more = corot_bow_of(c, place->a, place->b);
    corot_bow_add(&more, &q->pull.n.u, &n);
    const lm_lane3 kappa = l3_sub(q->d.b, q->d.a), d = l3_sub(place->b, place->a);
    corot_curvature_add(corot_relief_change(c, &kappa, &d), &n);
    return n;
}

/* Change of the force on the line for a shift d that changes the force on m by m. */
LM_LANE_INLINE lm_lane3 corot_line_pull(const lm_corot_const *c, const corot_local *q,
                                        const corot_shift *d, lm_lane3 m)
{
    const corot_mid *o = &q->mid;
    const corot_pull *f = &q->pull;
    const lm_lane3 one = l3_all(1, 1, 1), r = corot_line_change(o, d), stiff = corot_bent(c, f->m);
    lm_lane ir3 = o->ir * o->ir * o->ir, on = l3_dot(o->line, r);
    lm_lane along = ir3 * (l3_dot(stiff, corot_across(one, r)) + l3_dot(corot_bent(c, o->lean), m));
    along -= 3.0 * o->ir * o->ir * on * f->along;
    lm_lane3 y = l3_sub(corot_across_t(o->w, m), l3_mul(ir3 * on, corot_across_t(one, stiff)));
    return l3_sub(y, l3_add(l3_mul(along, o->line), l3_mul(f->along, r)));
}

/* Forces f at natural forces n and a shift d (times factor): changes of F and M. */
LM_LANE_INLINE corot_pull corot_pull_move(const lm_corot_const *c, const corot_local *q,
                                          const corot_nat *n, const corot_shift *d)
{
    const corot_mid *o = &q->mid;
    const corot_pull *f = &q->pull;
    corot_pull g = {.n = *n};
    corot_pull_all(c, o, &g); /* at the place; then what moves */
    lm_lane3 m = corot_bent(c, l3_cross(d->psi, f->bend));
    lm_lane3 mud = corot_bent(c, corot_lean(c, o, d));
    lm_lane3 along = l3(d->c.x, c->alongy * d->c.y, c->alongz * d->c.z);
    lm_lane3 reach = l3_mul(o->ilength, l3_sub(along, l3_mul(l3_dot(o->reach, d->c), o->reach)));
    lm_lane3 y = corot_line_pull(c, q, d, m);
    lm_lane3 wound = l3_add(corot_twice(d->psi, o->psi, f->y), corot_twice(o->psi, d->psi, f->y));
    wound = l3_sub(corot_unwound(o, y), l3_mul(lane_all(1.0 / 24), wound));
    g.F = l3_add(g.F, l3_add(l3_mul(f->n.u, reach), wound));
    lm_lane3 lean = l3_add(corot_unwind(d->psi, o->c, f->y), corot_unwind(o->psi, d->c, f->y));
    lean = l3_add(lean, corot_unwind(o->psi, o->c, y));
    g.M = l3_add(g.M, l3_sub(lean, l3_cross(mud, f->bend)));
    return g;
}

/* Factors of a tangent: of the place, of the strains (place and beta times velocity), beta times place. */
typedef struct corot_factors {
    lm_lane place, strain, damping;
} corot_factors;

/* Forces on b, moments on a and b, when the ends move by `way`. */
LM_LANE_INLINE void corot_elastic_column(const lm_corot_const *c, const corot_local *q,
                                         const corot_factors *by, const corot_way *way,
                                         lm_lane3 out[3])
{
    const corot_mid *o = &q->mid;
    const corot_pull *f = &q->pull;
    const lm_lane half = lane_all(0.5), at = by->place;
    corot_step s = corot_step_of(o, way);
    corot_nat e = corot_strain_rates(c, o, &q->bow, &s.d), n = {0};
    corot_nat place = corot_nat_add_scaled(n, &at, e);
    n = corot_nat_add_scaled(n, &by->strain, e);
    if (c->damped) {
        corot_shift rate = corot_rate_change(o, &s, &q->way);
        corot_nat r = corot_strain_rates(c, o, &q->bow, &rate);
        corot_nat more = corot_rate_strains(c, q, &s.d);
        const corot_bow bow = corot_bow_of(c, e.a, e.b);
        more.u += corot_bow_dot(&q->bow, more.a, more.b);
        more.u += corot_bow_dot(&bow, q->rate_d.a, q->rate_d.b);
        n = corot_nat_add_scaled(n, &by->damping, r);
        n = corot_nat_add_scaled(n, &by->damping, more);
    }
    n = corot_pull_change(q, c, &n, &place);
    const corot_shift d = {l3_mul(at, s.d.c), l3_mul(at, s.d.psi)};
    corot_pull g = corot_pull_move(c, q, &n, &d);
    lm_lane3 turn = l3_mul(half, l3_cross(f->F, o->c));
    lm_lane3 dturn = l3_mul(half, l3_add(l3_cross(g.F, o->c), l3_cross(f->F, d.c)));
    lm_lane3 M = l3_add(corot_turn(o, f->M), l3_cross(o->tau, turn));
    lm_lane3 dM = l3_add(corot_turn(o, g.M), l3_mul(at, corot_turn_change(o, &s, f->M)));
    dM = l3_add(dM, l3_add(l3_mul(at, l3_cross(s.tau, turn)), l3_cross(o->tau, dturn)));
    const lm_lane3 t = l3_mul(at, way->mid);
    out[0] = l3_add(g.F, l3_cross(t, f->F));
    out[1] = l3_add(l3_sub(dturn, dM), l3_cross(t, l3_sub(turn, M)));
    out[2] = l3_add(l3_add(dturn, dM), l3_cross(t, l3_add(turn, M)));
}

/* Unit motions in the axes of the middle section: 0 of b, 1 a turn of a, 2 a turn of b. */
LM_LANE_INLINE corot_way corot_unit_way(const corot_mid *o, int which, lm_lane3 e)
{
    const lm_lane3 none = l3_all(0, 0, 0);
    const lm_lane half = lane_all(0.5);
    if (which == 0) return (corot_way){e, none, none};
    lm_lane3 turn = which == 1 ? l3_neg(e) : e;
    return (corot_way){none, turn, l3_mul(half, l3_sub(e, l3_cross(o->tau, turn)))};
}

#endif
