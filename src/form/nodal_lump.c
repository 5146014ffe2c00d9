/* Rigid pieces of beams that are divided into rigid finite elements (docs/theory/rfe.md).
 *
 * With rho = R c from the node to the mass centre, J in world axes,
 *     f = m (a + alpha x rho + omega x (omega x rho) - g)
 *     n = rho x f + J alpha + omega x J omega
 * are the force at the node and the moment about it. */
#include "form/nodal.h"

/* Motion of a piece, world axes. */
typedef struct lump_motion {
    lm_v3 rho, w, al;
    lm_v3 pull; /* f over the mass */
    lm_m3 J;
} lump_motion;

static lump_motion motion_of(const nodal *s, const lm_state *st, const nodal_lump *l)
{
    const lm_m3 *R = &s->kin.R[l->node];
    int at = NODE_V * l->node;
    lump_motion k = {.rho = m3_v(R, l->c)};
    lm_v3 g = v3_mul(s->sys.load_factor, s->m->gravity), a = v3(0, 0, 0);
    if (st->a) a = v3_from(st->a + at), k.al = v3_from(st->a + at + 3);
    if (st->v) k.w = v3_from(st->v + at + 3);
    lm_m3 Rt = m3_t(R), RJ = m3_mul(R, &l->J);
    k.J = m3_mul(&RJ, &Rt);
    lm_v3 spin = v3_cross(k.w, v3_cross(k.w, k.rho));
    k.pull = v3_add(v3_add(a, v3_cross(k.al, k.rho)), v3_sub(spin, g));
    return k;
}

void nodal_lump_pattern(const nodal *s, lm_pattern_builder *pb)
{
    for (int k = 0; k < s->nlumps; k++) {
        int at = NODE_V * s->lumps[k].node;
        lm_pattern_block(pb, at, at, NODE_V, NODE_V);
    }
}

void nodal_lump_places(nodal *s)
{
    for (int k = 0; k < s->nlumps; k++) {
        nodal_lump *l = &s->lumps[k];
        for (int b = 0; b < 4; b++)
            l->at[b / 2][b % 2] = nodal_find_block(&s->sys.pattern, NODE_V * l->node + 3 * (b / 2),
                                                   NODE_V * l->node + 3 * (b % 2));
    }
}

void nodal_lump_residual(nodal *s, const lm_state *st, double *r)
{
    for (int k = 0; k < s->nlumps; k++) {
        const nodal_lump *l = &s->lumps[k];
        lump_motion m = motion_of(s, st, l);
        lm_v3 f = v3_mul(l->mass, m.pull), h = m3_v(&m.J, m.w);
        lm_v3 n = v3_add(v3_cross(m.rho, f), v3_add(m3_v(&m.J, m.al), v3_cross(m.w, h)));
        v3_acc(r + NODE_V * l->node, f);
        v3_acc(r + NODE_V * l->node + 3, n);
    }
}

/* Derivatives of f and n by the velocity omega: with w x (x x rho) + x x (w x rho) = -B x. nw: comes in
 * as that of the inertia about the mass centre. */
static void by_spin(const lump_motion *m, double mass, lm_m3 *fw, lm_m3 *nw)
{
    lm_m3 W = m3_skew(m->w), P = m3_skew(m->rho);
    lm_m3 B = m3_add(m3_mul(&W, &P), m3_skew(v3_cross(m->w, m->rho)));
    *fw = m3_scale(-mass, B);
    lm_m3 arm = m3_mul(&P, fw);
    *nw = m3_add(*nw, arm);
}

/* ... by a rotation psi of the node, with which rho turns. */
static void by_turn(const lump_motion *m, double mass, lm_m3 *fp, lm_m3 *np)
{
    lm_m3 W = m3_skew(m->w), A = m3_skew(m->al), P = m3_skew(m->rho);
    lm_m3 WW = m3_mul(&W, &W), C = m3_add(A, WW), CP = m3_mul(&C, &P);
    *fp = m3_scale(-mass, CP);
    lm_m3 arm = m3_mul(&P, fp), lever = m3_skew_skew(m->pull, m->rho);
    *np = m3_add(*np, m3_add(arm, m3_scale(mass, lever)));
}

void nodal_lump_jacobian(nodal *s, const lm_state *st, double cM, double cD, double cK,
                         double *values)
{
    for (int k = 0; k < s->nlumps; k++) {
        const nodal_lump *l = &s->lumps[k];
        lump_motion m = motion_of(s, st, l);
        lm_m3 I = m3_identity(), P = m3_skew(m.rho), arm = m3_skew_skew(m.rho, m.rho), fw, nw, fp,
              np;
        nodal_add_block(values, &l->at[0][0], cM * l->mass, &I);
        nodal_add_block(values, &l->at[0][1], -cM * l->mass, &P);
        nodal_add_block(values, &l->at[1][0], cM * l->mass, &P);
        nodal_add_block(values, &l->at[1][1], -cM * l->mass, &arm);
        nodal_add_block(values, &l->at[1][1], cM, &m.J);
        if (s->sys.regular_mass && l->spare > 0) {
            lm_v3 axis = m3_v(&s->kin.R[l->node], l->axis);
            lm_m3 spin = m3_outer(axis, axis);
            nodal_add_block(values, &l->at[1][1], cM * l->spare, &spin);
        }
        if (cD == 0 && cK == 0) continue;
        nodal_spin_tangent(&m.J, m.w, m.al, &nw, &np);
        by_spin(&m, l->mass, &fw, &nw);
        by_turn(&m, l->mass, &fp, &np);
        nodal_add_block(values, &l->at[0][1], cD, &fw);
        nodal_add_block(values, &l->at[1][1], cD, &nw);
        nodal_add_block(values, &l->at[0][1], cK, &fp);
        nodal_add_block(values, &l->at[1][1], cK, &np);
    }
}

void nodal_lump_energy(const nodal *s, const lm_state *st, int body, lm_energy *e)
{
    for (int k = 0; k < s->nlumps; k++) {
        const nodal_lump *l = &s->lumps[k];
        if (body >= 0 && s->m->nodes[l->node].body != body) continue;
        nodal_rigid_energy(s, st, l->node, l->c, l->mass, &l->J, e);
    }
}

/* ---- springs ---- */

static const lm_joint *middle(const nodal *s, int element)
{
    return &s->m->joints[s->division->first_joint + element];
}

double nodal_lump_elastic(nodal *s, const lm_state *st, const lm_beam *b)
{
    double sum = 0;
    for (int k = b->first_element; k < b->first_element + b->nelements; k++) {
        const lm_joint *j = middle(s, k);
        for (int i = j->first_action; i < j->first_action + j->nactions; i++) {
            const lm_action *a = &s->m->actions[i];
            lm_v3 G[LM_PAIR_BLOCKS];
            double value, rate;
            lm_measure_grad(a->measure, a->i, a->j, &s->kin.pair[a->pair], G);
            nodal_action_measure(s, st, a, G, &value, &rate);
            sum += nodal_action(s, st, a, value, 0).elastic;
        }
    }
    return sum;
}

/* 1: the pair of the element's joint goes from its second node to its first. */
static int goes_back(const nodal *s, int element)
{
    return s->m->pairs[middle(s, element)->pair].node[0] != s->m->elements[element].node[0];
}

/* From the end of the piece before to that of the piece behind, where the springs yield along and
 * across. */
static lm_v3 opening(const nodal *s, int element)
{
    lm_v3 d = s->kin.pair[middle(s, element)->pair].d;
    return goes_back(s, element) ? v3_neg(d) : d;
}

/* What the piece behind exerts on the piece before; the moment about the end of the piece behind. */
static void middle_forces(nodal *s, const lm_state *st, int element, lm_v3 *F, lm_v3 *M)
{
    nodal_reaction(s, st, s->division->first_joint + element, F, M);
    if (goes_back(s, element)) {
        *M = v3_sub(*M, v3_cross(opening(s, element), *F));
        return;
    }
    *F = v3_neg(*F);
    *M = v3_neg(*M);
}

void nodal_lump_forces(lm_system *sys, const lm_state *st, double *out)
{
    nodal *s = (nodal *)sys;
    nodal_kinematics(s, st->q);
    for (int k = 0; k < s->m->nelements; k++) {
        lm_v3 F, M;
        middle_forces(s, st, k, &F, &M);
        v3_put(out + 6 * k, F);
        v3_put(out + 6 * k + 3, M);
    }
}

/* What the part behind exerts in the middle of the element, brought to the place: on the way lies a
 * piece of the beam, which has weight and inertia, and a share of what the springs yield, which stretches and
 * shears the element evenly. */
void nodal_lump_section(nodal *s, const lm_state *st, const nodal_gauge *g, lm_v3 *F, lm_v3 *M)
{
    const lm_element *e = &s->m->elements[g->place.element];
    int far = g->place.xi > 0.5, n = e->node[far];
    const lm_m3 *R = &s->kin.R[n];
    double from = far ? g->place.xi - 1 : g->place.xi, hinge = far ? -0.5 : 0.5;
    double len = (hinge - from) * e->shape.L; /* from the place to the middle, along the axis */
    lm_v3 x = m3_v(R, m3_col(&e->A[far], 0));
    nodal_lump piece = {.node = n,
                        .c = v3_mul(0.5 * (from + hinge) * e->shape.L, m3_col(&e->A[far], 0))};
    lump_motion m = motion_of(s, st, &piece);
    lm_v3 load = v3_mul(-len * g->cut.rhoA, m.pull);
    middle_forces(s, st, g->place.element, F, M);
    lm_v3 open = v3_mul(1 - g->place.xi, opening(s, g->place.element));
    *M = v3_add(*M, v3_cross(open, *F));
    *M = v3_add(*M, v3_cross(v3_mul(len, x), *F));
    *M = v3_add(*M, v3_cross(v3_mul(0.5 * len, x), load));
    *F = v3_add(*F, load);
}

/* The pieces turn against each other evenly along the element, as its springs have it. The chord knows less:
 * the hinge slides along one of the pieces. */
lm_m3 nodal_lump_axes(const nodal *s, const nodal_place *p)
{
    const lm_element *e = &s->m->elements[p->element];
    lm_m3 T[2];
    for (int i = 0; i < 2; i++) T[i] = m3_mul(&s->kin.R[e->node[i]], &e->A[i]);
    lm_m3 between = m3_tmul(&T[0], &T[1]);
    lm_v3 psi = lm_quat_log(lm_quat_from_m3(&between));
    lm_m3 share = quat_m3(lm_quat_exp(v3_mul(p->xi, psi)));
    return m3_mul(&T[0], &share);
}
