/* Forces of stiff parts along a way through a state, exact to first order in its length.
 *
 * A beam that turns by theta along a straight way seems to stretch by theta^2/2, and EA makes a force of that
 * which is no part of the derivative; differences of the forces at two places lose what is left of it against
 * the rounding of the positions. So elements and springs go along the way by their tangents at the state,
 *
 *     f(s) = f(q, v, a) + s (K dx + D dv + M da),
 *
 * and their energies by the parabola E + s f . dx + s^2/2 dx . K dx. All else follows the way as it is. */
#include "form/nodal.h"

#include <string.h>

/* A state with one element in all lanes: what comes out is right in the element's own lane. */
void nodal_spread_element(const nodal *s, const lm_state *st, int element, lm_corot_state *c)
{
    for (int e = 0; e < 2; e++) {
        int n = s->m->elements[element].node[e];
        lm_m3 R = quat_m3(node_quat(st->q, n));
        for (int i = 0; i < 3; i++) c->x[e][i] = lane_all(st->q[NODE_Q * n + i]);
        for (int i = 0; i < 9; i++) c->R[e][i] = lane_all(R.m[i]);
        for (int i = 0; i < NODE_V; i++) {
            c->v[e][i] = lane_all(st->v ? st->v[NODE_V * n + i] : 0);
            c->a[e][i] = lane_all(st->a ? st->a[NODE_V * n + i] : 0);
        }
    }
}

/* The part of a direction at an element's nodes; 0: there is none. */
static int at_nodes(const nodal *s, const double *all, int element, double d[2 * NODE_V])
{
    const int *node = s->m->elements[element].node;
    if (!all) return 0;
    for (int e = 0; e < 2; e++)
        memcpy(d + NODE_V * e, all + NODE_V * node[e], sizeof(double) * NODE_V);
    return 1;
}

static void tangent(const nodal *s, const lm_corot_state *c, const double *g, int element,
                    const double by[3], double J[2 * NODE_V][2 * NODE_V])
{
    lm_lane L[2 * NODE_V][2 * NODE_V];
    if (s->floating) {
        s->floating->element_tangent(s->floating->ctx, &s->sys.along->at, element, by[0], by[1],
                                     by[2], J);
        return;
    }
    lm_corot_tangent(s->beams.groups[element / LM_LANES].c, c, g, by[0], by[1], by[2], L);
    for (int i = 0; i < 2 * NODE_V; i++)
        for (int j = 0; j < 2 * NODE_V; j++) J[i][j] = L[i][j][element % LM_LANES];
}

void nodal_along_element(const nodal *s, int element, double f[2 * NODE_V])
{
    const lm_way *w = s->sys.along;
    const double *const way[3] = {w->da, w->dv, w->dx};
    lm_corot_state c;
    lm_lane own[2][NODE_V];
    double g[3], J[2 * NODE_V][2 * NODE_V], d[2 * NODE_V];
    v3_put(g, v3_mul(s->sys.load_factor, s->m->gravity));
    nodal_spread_element(s, &w->at, element, &c);
    if (s->floating)
        s->floating->element_force(s->floating->ctx, &w->at, element, f);
    else {
        lm_corot_residual(s->beams.groups[element / LM_LANES].c, &c, g, own);
        for (int i = 0; i < 2 * NODE_V; i++) f[i] = own[i / NODE_V][i % NODE_V][element % LM_LANES];
    }
    for (int k = 0; k < 3; k++) {
        const double by[3] = {k == 0, k == 1, k == 2};
        if (!at_nodes(s, way[k], element, d)) continue;
        tangent(s, &c, g, element, by, J);
        for (int i = 0; i < 2 * NODE_V; i++)
            for (int j = 0; j < 2 * NODE_V; j++) f[i] += w->s * J[j][i] * d[j];
    }
}

double nodal_along_elastic(const nodal *s, int element)
{
    const lm_way *w = s->sys.along;
    const lm_corot_const *of = s->beams.groups[element / LM_LANES].c;
    const lm_state rest = {w->at.t, w->at.q, NULL, NULL, NULL};
    const double none[3] = {0, 0, 0}, stiffness[3] = {0, 0, 1};
    int l = element % LM_LANES;
    lm_corot_state c;
    lm_corot_energies e;
    lm_lane f[2][NODE_V];
    double J[2 * NODE_V][2 * NODE_V], d[2 * NODE_V];
    nodal_spread_element(s, &rest, element, &c);
    lm_corot_energy(of, &c, none, &e);
    lm_corot_residual(of, &c, none, f);
    double sum = e.elastic[l];
    if (!at_nodes(s, w->dx, element, d)) return sum;
    tangent(s, &c, none, element, stiffness, J);
    for (int i = 0; i < 2 * NODE_V; i++) {
        sum += w->s * f[i / NODE_V][i % NODE_V][l] * d[i];
        for (int j = 0; j < 2 * NODE_V; j++) sum += 0.5 * w->s * w->s * d[i] * J[j][i] * d[j];
    }
    return sum;
}

/* dx and dv of a pair's nodes; zero where there is none. */
static void pair_way(const lm_pair *p, const double *all, lm_v3 out[LM_PAIR_BLOCKS])
{
    for (int b = 0; b < LM_PAIR_BLOCKS; b++) out[b] = v3(0, 0, 0);
    if (all) pair_velocity(p, all, out);
}

/* value(s) = value + s G . dx, rate(s) = rate + s (G . dv + dx . H v). */
static void along_measure(nodal *s, const lm_state *st, const lm_action *a, double *value,
                          double *rate)
{
    const lm_way *w = s->sys.along;
    const lm_pair *pair = &s->m->pairs[a->pair];
    lm_v3 G[LM_PAIR_BLOCKS], v[LM_PAIR_BLOCKS], dx[LM_PAIR_BLOCKS], dv[LM_PAIR_BLOCKS];
    lm_m3 H[LM_PAIR_BLOCKS][LM_PAIR_BLOCKS];
    nodal_kinematics_of(s, w->at.q, a->pair);
    lm_measure_grad(a->measure, a->i, a->j, &s->kin.pair[a->pair], G);
    unsigned set = lm_measure_hess(a->measure, a->i, a->j, &s->kin.pair[a->pair], H);
    pair_way(pair, w->at.v, v);
    pair_way(pair, w->dx, dx);
    pair_way(pair, w->dv, dv);
    *value = nodal_action_value(s, w->at.q, a) + w->s * blocks_dot(G, dx);
    *rate = blocks_dot(G, v) + w->s * blocks_dot(G, dv);
    for (int b = 0; b < 16; b++)
        if (set >> b & 1) *rate += w->s * v3_dot(v[b / 4], m3_v(&H[b / 4][b % 4], dx[b % 4]));
    nodal_kinematics_of(s, st->q, a->pair);
}

void nodal_action_measure(nodal *s, const lm_state *st, const lm_action *a,
                          const lm_v3 G[LM_PAIR_BLOCKS], double *value, double *rate)
{
    lm_v3 v[LM_PAIR_BLOCKS];
    if (s->sys.along) {
        along_measure(s, st, a, value, rate);
        return;
    }
    pair_way(&s->m->pairs[a->pair], st->v, v);
    *value = nodal_action_value(s, st->q, a);
    *rate = blocks_dot(G, v);
}
