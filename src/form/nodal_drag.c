/* Mass-proportional damping of beams: alpha M on the velocities relative to the start section.
 *
 * With the rigid motion of the start section carried along the beam, a node k moves relative to it by
 *     v'_k = v_k - v_s - omega_s x (x_k - x_s),   omega'_k = omega_k - omega_s,
 * and the element adds the forces f = alpha M v' (M its consistent mass, turning with its chord) on
 * its nodes and what balances them on the start section. A clamped beam is damped as textbooks have
 * it, a rigid motion of the whole beam not at all, and momentum is kept. */
#include "form/nodal.h"

#include <string.h>

typedef struct drag { /* one element, in world axes */
    int node[3];      /* a, b, start */
    double alpha;
    double M[12][12];
    lm_v3 arm[2];
    double rel[12], f[12];
} drag;

static double upper(const double *m, int i, int j)
{
    static const int row[] = {0, 3, 5, 6};
    return i <= j ? m[row[i] + j] : m[row[j] + i];
}

/* The mass matrix of an element in its own axes. */
static void local_mass(const lm_beam_shape *s, double M[12][12])
{
    static const int y[] = {1, 5, 7, 11}, z[] = {2, 4, 8, 10};
    memset(M, 0, sizeof(double) * 144);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            M[6 * i][6 * j] = s->mx[i + j];
            M[6 * i + 3][6 * j + 3] = s->mt[i + j];
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            M[y[i]][y[j]] = upper(s->mz, i, j);
            M[z[i]][z[j]] = upper(s->my, i, j);
        }
}

static void turn(const lm_m3 *R, double M[12][12])
{
    for (int i = 0; i < 12; i += 3)
        for (int j = 0; j < 12; j += 3) {
            lm_m3 A, Rt = m3_t(R);
            for (int k = 0; k < 9; k++) A.m[k] = M[i + k % 3][j + k / 3];
            A = m3_mul(R, &A);
            A = m3_mul(&A, &Rt);
            for (int k = 0; k < 9; k++) M[i + k % 3][j + k / 3] = A.m[k];
        }
}

static void open_drag(const nodal *s, const lm_state *st, int body, int k, drag *d)
{
    const lm_beam *b = &s->m->beams[body];
    const lm_element *e = &s->m->elements[b->first_element + k];
    nodal_natural now;
    d->node[0] = e->node[0], d->node[1] = e->node[1], d->node[2] = s->m->bodies[body].first_node;
    d->alpha = b->damping_mass;
    nodal_beam_natural(s, st, b->first_element + k, &now);
    local_mass(&e->shape, d->M);
    turn(&now.R, d->M);
    const double *vs = st->v + NODE_V * d->node[2];
    for (int i = 0; i < 2; i++) {
        const double *v = st->v + NODE_V * d->node[i];
        d->arm[i] = v3_sub(node_x(st->q, d->node[i]), node_x(st->q, d->node[2]));
        lm_v3 carried = v3_add(v3_from(vs), v3_cross(v3_from(vs + 3), d->arm[i]));
        v3_put(d->rel + 6 * i, v3_sub(v3_from(v), carried));
        v3_put(d->rel + 6 * i + 3, v3_sub(v3_from(v + 3), v3_from(vs + 3)));
    }
    for (int i = 0; i < 12; i++) {
        d->f[i] = 0;
        for (int j = 0; j < 12; j++) d->f[i] += d->alpha * d->M[i][j] * d->rel[j];
    }
}

static int is_damped(const nodal *s, int body) { return s->m->beams[body].damping_mass != 0; }

void nodal_drag_residual(nodal *s, const lm_state *st, double *r)
{
    drag d;
    for (int body = 0; body < s->m->nbodies && st->v; body++)
        for (int k = 0; k < s->m->beams[body].nelements && is_damped(s, body); k++) {
            open_drag(s, st, body, k, &d);
            double *start = r + NODE_V * d.node[2];
            for (int i = 0; i < 2; i++) {
                lm_v3 F = v3_from(d.f + 6 * i), M = v3_from(d.f + 6 * i + 3);
                double *to = r + NODE_V * d.node[i];
                v3_acc(to, F), v3_acc(to + 3, M);
                v3_acc(start, v3_neg(F));
                v3_acc(start + 3, v3_neg(v3_add(M, v3_cross(d.arm[i], F))));
            }
        }
}

double nodal_drag_power(nodal *s, const lm_state *st)
{
    double lost = 0;
    drag d;
    for (int body = 0; body < s->m->nbodies && st->v; body++)
        for (int k = 0; k < s->m->beams[body].nelements && is_damped(s, body); k++) {
            open_drag(s, st, body, k, &d);
            for (int i = 0; i < 12; i++) lost += d.f[i] * d.rel[i];
        }
    return lost;
}

/* Relative velocity by the velocities of (a, b, start): P, 12 x 18. */
static void relative(const drag *d, double P[12][18])
{
    memset(P, 0, sizeof(double) * 12 * 18);
    for (int i = 0; i < 12; i++) {
        P[i][i] = 1;
        P[i][12 + i % 6] = -1;
    }
    for (int i = 0; i < 2; i++) {
        lm_m3 A = m3_skew(d->arm[i]); /* -omega x arm = arm x omega */
        for (int k = 0; k < 9; k++) P[6 * i + k % 3][15 + k / 3] = A.m[k];
    }
}

/* cD P^T alpha M P; how the forces turn with the beam is left out, Newton absorbs it. */
static void add_drag(nodal *s, const drag *d, double cD, double *values)
{
    double P[12][18], MP[12][18];
    relative(d, P);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 18; j++) {
            MP[i][j] = 0;
            for (int k = 0; k < 12; k++) MP[i][j] += cD * d->alpha * d->M[i][k] * P[k][j];
        }
    for (int j = 0; j < 18; j++)
        for (int b = 0; b < 3; b++) {
            int at = lm_pattern_find(&s->sys.pattern, NODE_V * d->node[b],
                                     NODE_V * d->node[j / 6] + j % 6);
            for (int i = 0; i < 6; i++)
                for (int k = 0; k < 12; k++) values[at + i] += P[k][6 * b + i] * MP[k][j];
        }
}

void nodal_drag_jacobian(nodal *s, const lm_state *st, double cD, double *values)
{
    drag d;
    for (int body = 0; body < s->m->nbodies && st->v && cD != 0; body++)
        for (int k = 0; k < s->m->beams[body].nelements && is_damped(s, body); k++) {
            open_drag(s, st, body, k, &d);
            add_drag(s, &d, cD, values);
        }
}

void nodal_drag_pattern(const nodal *s, lm_pattern_builder *pb)
{
    for (int body = 0; body < s->m->nbodies; body++)
        for (int k = 0; k < s->m->beams[body].nelements && is_damped(s, body); k++) {
            const int *n = s->m->elements[s->m->beams[body].first_element + k].node;
            int node[3] = {n[0], n[1], s->m->bodies[body].first_node};
            for (int i = 0; i < 9; i++)
                lm_pattern_block(pb, NODE_V * node[i / 3], NODE_V * node[i % 3], NODE_V, NODE_V);
        }
}
