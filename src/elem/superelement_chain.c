/* Superelements made of a beam: corotational elements from node to node. */
#include "elem/superelement_int.h"

#include <string.h>

int lm_super_chain_groups(int n) { return (n - 1 + LM_LANES - 1) / LM_LANES; }

/* Element of a lane; free lanes repeat the last one. */
static int element_of(const lm_super *s, int group, int lane)
{
    int e = LM_LANES * group + lane;
    return e < s->n - 1 ? e : s->n - 2;
}

static int in_use(const lm_super *s, int group)
{
    int left = s->n - 1 - LM_LANES * group;
    return left < LM_LANES ? left : LM_LANES;
}

/* The sections lie along the undeformed body's axes, so seen from a node they are R_0i^T. */
void lm_super_chain_set(const lm_super *s, const lm_beam_shape *shape, lm_corot_const *group)
{
    for (int k = 0; k < lm_super_chain_groups(s->n); k++)
        for (int l = 0; l < LM_LANES; l++) {
            int e = element_of(s, k, l);
            lm_m3 A = m3_t(&s->R0[e]), B = m3_t(&s->R0[e + 1]);
            lm_corot_const_set(&group[k], l, &shape[e], &A, &B, s->beta);
            if (group[k].m[0][l] + group[k].m[1][l] > 0) lm_corot_const_centre(&group[k], l);
        }
}

static void gather_node(const lm_super_state *st, int node, int end, int l, lm_corot_state *c)
{
    const double *x = st->x + st->stride * node, *R = st->R[node].m;
    for (int i = 0; i < 3; i++) c->x[end][i][l] = x[i];
    for (int i = 0; i < 9; i++) c->R[end][i][l] = R[i];
    for (int i = 0; i < 6; i++) c->v[end][i][l] = st->v ? st->v[6 * node + i] : 0;
    for (int i = 0; i < 6; i++) c->a[end][i][l] = st->a ? st->a[6 * node + i] : 0;
}

static void gather(const lm_super *s, const lm_super_state *st, int group, lm_corot_state *c)
{
    for (int l = 0; l < LM_LANES; l++) {
        int e = element_of(s, group, l);
        gather_node(st, e, 0, l, c);
        gather_node(st, e + 1, 1, l, c);
    }
}

void super_chain_forces(const lm_super *s, const lm_super_state *st, lm_v3 g, double *f)
{
    double gravity[3];
    lm_corot_state c;
    lm_lane own[2][6];
    v3_put(gravity, g);
    for (int k = 0; k < lm_super_chain_groups(s->n); k++) {
        gather(s, st, k, &c);
        lm_corot_residual(&s->chain->group[k], &c, gravity, own);
        for (int l = 0; l < in_use(s, k); l++) {
            double *to = f + 6 * (LM_LANES * k + l);
            for (int i = 0; i < 12; i++) to[i] += own[i / 6][i % 6][l];
        }
    }
}

void super_chain_tangent(const lm_super *s, const lm_super_state *st, lm_v3 g, double cM, double cD,
                         double cK, double *out)
{
    size_t nd = 6 * (size_t)s->poses;
    double gravity[3];
    lm_corot_state c;
    lm_lane J[12][12];
    v3_put(gravity, g);
    for (int k = 0; k < lm_super_chain_groups(s->n); k++) {
        gather(s, st, k, &c);
        lm_corot_tangent(&s->chain->group[k], &c, gravity, cM, cD, cK, J);
        for (int l = 0; l < in_use(s, k); l++) {
            size_t first = 6 * (size_t)(LM_LANES * k + l);
            for (size_t col = 0; col < 12; col++)
                for (size_t row = 0; row < 12; row++)
                    out[nd * (first + col) + first + row] += J[col][row][l];
        }
    }
}

void super_chain_energies(const lm_super *s, const lm_super_state *st, lm_v3 g, lm_super_energy *e)
{
    double gravity[3];
    lm_corot_state c;
    lm_corot_energies own;
    v3_put(gravity, g);
    for (int k = 0; k < lm_super_chain_groups(s->n); k++) {
        gather(s, st, k, &c);
        lm_corot_energy(&s->chain->group[k], &c, gravity, &own);
        for (int l = 0; l < in_use(s, k); l++) {
            e->kinetic += own.kinetic[l];
            e->elastic += own.elastic[l];
            e->gravity += own.gravity[l];
            e->dissipation += own.dissipation[l];
        }
    }
}

/* ---- how far it is right ---- */

/* With the bending angles b_a, b_b of the ends against the chord, s = |b_a + b_b| is what the moment varies
 * along the element and r = |b_b - b_a| its bend: the cubic axis of the element is off by about
 * 0.035 s (s + r) of its deflection. Uniform bending, s = 0, is right to fourth order: r^4 / 2000. */
static double element_range(const lm_lane b[2][3], int l)
{
    double s = hypot(b[0][1][l] + b[1][1][l], b[0][2][l] + b[1][2][l]);
    double r = hypot(b[1][1][l] - b[0][1][l], b[1][2][l] - b[0][2][l]);
    return 0.035 * s * (s + r) + r * r * r * r / 2000;
}

double super_chain_range(const lm_super *s, const lm_super_state *st)
{
    double most = 0;
    lm_corot_state c;
    lm_lane u, b[2][3], R[9];
    for (int k = 0; k < lm_super_chain_groups(s->n); k++) {
        gather(s, st, k, &c);
        lm_corot_natural(&s->chain->group[k], &c, &u, b, R);
        for (int l = 0; l < in_use(s, k); l++) most = fmax(most, element_range(b, l));
    }
    return most;
}

/* A linear body: its nodes turn against the frame by the angles b across their arms, whose part along the arm
 * is a twist and moves no other node. The displacements lack what is of second order in b; of a body that bends
 * little that is mostly how much it falls short, a part of the first order of what it is displaced. */
static double linear_range(const super_work *w)
{
    double most = 0;
    for (int i = 0; i < w->s->n; i++) {
        lm_v3 b = v3_from(w->d + 6 * i + 3), X = v3_sub(w->s->X[i], w->s->X_place);
        double arm = v3_norm(X);
        if (arm > 0) b = v3_mul(1 / arm, v3_cross(X, b));
        most = fmax(most, v3_norm(b));
    }
    return fmax(0.2 * most / (1 + most), 0.8 * most * most / (1 + most * most));
}

double lm_super_range(const lm_super *s, const lm_super_state *st, double *scratch)
{
    super_work w;
    if (s->chain) return super_chain_range(s, st);
    if (super_begin(s, st, v3(0, 0, 0), scratch, &w)) return 1;
    return linear_range(&w);
}
