/* Mass-proportional damping of beams: alpha M on the velocities relative to the start section.
 *
 * With the rigid motion of the start section carried along the beam, a node k moves relative to it by
 *     v'_k = v_k - v_s - omega_s x (x_k - x_s),   omega'_k = omega_k - omega_s,
 * and the element adds the forces f = alpha M v' (M its consistent mass, turning with its chord) on
 * its nodes and what balances them on the start section. A clamped beam is damped as textbooks have
 * it, a rigid motion of the whole beam not at all, and momentum is kept. */
#include "form/nodal.h"

#include <string.h>

/* ---- making ---- */

int nodal_make_drags(nodal *s)
{
    const lm_model *m = s->m;
    int n = 0;
    if (s->floating) return 0;
    for (int k = 0; k < m->nbodies; k++)
        if (m->beams[k].damping_mass != 0) n += m->beams[k].nelements;
    s->drags = LM_NEW_N(&s->arena, nodal_drag, n);
    if (!s->drags) return -1;
    for (int k = 0; k < m->nelements; k++) {
        const int *node = m->elements[k].node;
        int body = m->nodes[node[0]].body;
        if (m->beams[body].damping_mass == 0) continue;
        s->drags[s->ndrags++] =
            (nodal_drag){.element = k, .node = {node[0], node[1], m->bodies[body].first_node}};
    }
    return 0;
}

void nodal_drag_pattern(const nodal *s, lm_pattern_builder *pb)
{
    for (int k = 0; k < s->ndrags; k++) {
        const int *node = s->drags[k].node;
        for (int i = 0; i < 9; i++)
            lm_pattern_block(pb, NODE_V * node[i / 3], NODE_V * node[i % 3], NODE_V, NODE_V);
    }
}

void nodal_drag_places(nodal *s)
{
    for (int k = 0; k < s->ndrags; k++) {
        nodal_drag *d = &s->drags[k];
        for (int c = 0; c < 3 * NODE_V; c++)
            for (int r = 0; r < 3; r++)
                d->at[c][r] = lm_pattern_find(&s->sys.pattern, NODE_V * d->node[r],
                                              NODE_V * d->node[c / NODE_V] + c % NODE_V);
    }
}

/* ---- one element ---- */

/* Its mass matrix in world axes. */
static void world_mass(const nodal *s, const lm_state *st, int element, double M[12][12])
{
    nodal_natural now;
    nodal_beam_natural(s, st, element, &now);
    lm_beam_matrices(&s->m->elements[element].shape, NULL, M);
    lm_m3 Rt = m3_t(&now.R);
    for (int i = 0; i < 12; i += 3)
        for (int j = 0; j < 12; j += 3) {
            lm_m3 A;
            for (int k = 0; k < 9; k++) A.m[k] = M[j + k / 3][i + k % 3];
            A = m3_mul(&now.R, &A);
            A = m3_mul(&A, &Rt);
            for (int k = 0; k < 9; k++) M[j + k / 3][i + k % 3] = A.m[k];
        }
}

static void arms_of(const lm_state *st, const int node[3], lm_v3 arm[2])
{
    for (int i = 0; i < 2; i++) arm[i] = v3_sub(node_x(st->q, node[i]), node_x(st->q, node[2]));
}

void nodal_drag_forces(const nodal *s, const lm_state *st, const nodal_drag *d, double rel[12],
                       double f[12])
{
    const double *vs = st->v + NODE_V * d->node[2];
    double alpha = s->m->beams[s->m->nodes[d->node[2]].body].damping_mass, M[12][12];
    lm_v3 arm[2];
    world_mass(s, st, d->element, M);
    arms_of(st, d->node, arm);
    for (int i = 0; i < 2; i++) {
        const double *v = st->v + NODE_V * d->node[i];
        lm_v3 carried = v3_add(v3_from(vs), v3_cross(v3_from(vs + 3), arm[i]));
        v3_put(rel + 6 * i, v3_mul(alpha, v3_sub(v3_from(v), carried)));
        v3_put(rel + 6 * i + 3, v3_mul(alpha, v3_sub(v3_from(v + 3), v3_from(vs + 3))));
    }
    for (int i = 0; i < 12; i++) {
        f[i] = 0;
        for (int j = 0; j < 12; j++) f[i] += M[j][i] * rel[j];
    }
}

/* ---- all of them ---- */

void nodal_drag_residual(nodal *s, const lm_state *st, double *r)
{
    for (int k = 0; k < s->ndrags && st->v; k++) {
        const nodal_drag *d = &s->drags[k];
        double rel[12], f[12], *start = r + NODE_V * d->node[2];
        lm_v3 arm[2];
        nodal_drag_forces(s, st, d, rel, f);
        arms_of(st, d->node, arm);
        for (int i = 0; i < 2; i++) {
            lm_v3 F = v3_from(f + 6 * i), M = v3_from(f + 6 * i + 3);
            double *to = r + NODE_V * d->node[i];
            v3_acc(to, F), v3_acc(to + 3, M);
            v3_acc(start, v3_neg(F));
            v3_acc(start + 3, v3_neg(v3_add(M, v3_cross(arm[i], F))));
        }
    }
}

double nodal_drag_power(nodal *s, const lm_state *st)
{
    double lost = 0;
    for (int k = 0; k < s->ndrags && st->v; k++) {
        double rel[12], f[12], sum = 0;
        nodal_drag_forces(s, st, &s->drags[k], rel, f);
        for (int i = 0; i < 12; i++) sum += f[i] * rel[i];
        lost += sum / s->m->beams[s->m->nodes[s->drags[k].node[2]].body].damping_mass;
    }
    return lost;
}

/* Relative velocity by the velocities of (a, b, start): P, 12 x 18. */
static void relative(const lm_v3 arm[2], double P[12][18])
{
    memset(P, 0, sizeof(double) * 12 * 18);
    for (int i = 0; i < 12; i++) {
        P[i][i] = 1;
        P[i][12 + i % 6] = -1;
    }
    for (int i = 0; i < 2; i++) {
        lm_m3 A = m3_skew(arm[i]); /* -omega x arm = arm x omega */
        for (int k = 0; k < 9; k++) P[6 * i + k % 3][15 + k / 3] = A.m[k];
    }
}

/* cD P^T alpha M P; how the forces turn with the beam is left out, Newton absorbs it. */
void nodal_drag_jacobian(nodal *s, const lm_state *st, double cD, double *values)
{
    for (int k = 0; k < s->ndrags && st->v && cD != 0; k++) {
        const nodal_drag *d = &s->drags[k];
        double P[12][18], M[12][12], MP[12][18];
        double c = cD * s->m->beams[s->m->nodes[d->node[2]].body].damping_mass;
        lm_v3 arm[2];
        world_mass(s, st, d->element, M);
        arms_of(st, d->node, arm);
        relative(arm, P);
        memset(MP, 0, sizeof MP);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 18; j++)
                for (int l = 0; l < 12; l++) MP[i][j] += c * M[l][i] * P[l][j];
        for (int j = 0; j < 18; j++)
            for (int i = 0; i < 18; i++)
                for (int l = 0; l < 12; l++)
                    values[d->at[j][i / NODE_V] + i % NODE_V] += P[l][i] * MP[l][j];
    }
}
