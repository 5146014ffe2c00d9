/* Derivatives of the floating-frame body's forces by velocities and by the deformation.
 *
 * With C = [dW] + [W][W] the points' accelerations change by
 *
 *     W_k:     e_k x (W x p) + W x (e_k x p) + 2 e_k x dp
 *     deta_j:  2 W x P_j - 2 e_x (H deta)_j
 *     eta_j:   C P_j - 2 W x e_x (H deta)_j - e_x (H ddeta)_j
 *
 * (terms with H for bending only). Mass times that, u, adds u, p x u and P^T u to a column; eta
 * moves the points of action besides: P_j x f, and d(P_i)/d(eta_j) . f = -H_ij f_x. */
#include "elem/floating_int.h"

#include <string.h>

typedef struct chunk_motion {
    const lm_floating_four *q;
    int n;
    lm_lane3 p[FLOATING_CHUNK], dp[FLOATING_CHUNK], f[FLOATING_CHUNK];
    floating_bend h[FLOATING_CHUNK], hd[FLOATING_CHUNK], hdd[FLOATING_CHUNK]; /* H eta, ... */
} chunk_motion;

/* As points_force, with all that is met on the way. */
LM_LANE_INLINE void motion_at(const lm_floating *f, const lm_floating_motion *m, int first,
                              chunk_motion *c)
{
    int nb = f->nv + f->nw;
    lm_lane3 W = l3_same(m->W);
    c->q = f->four + first;
    c->n = f->nfours - first < FLOATING_CHUNK ? f->nfours - first : FLOATING_CHUNK;
    for (int g = 0; g < c->n; g++) {
        const lm_floating_four *q = &c->q[g];
        bend_times(f, q, m->eta, c->h[g]);
        c->p[g] = points_at(f, q, c->h[g], m->eta);
        c->dp[g] = l3_all(0, 0, 0);
        for (int i = 0; i < nb; i++) c->hd[g][i] = c->hdd[g][i] = lane_all(0);
        lm_lane3 A = l3_add(l3_same(m->a), l3_cross(l3_same(m->dW), c->p[g]));
        if (m->deta) {
            bend_times(f, q, m->deta, c->hd[g]);
            c->dp[g] = points_rate(f, q, c->h[g], m->deta);
            A.x -= lanes_dot(nb, c->hd[g], m->deta);
        }
        if (m->ddeta) {
            bend_times(f, q, m->ddeta, c->hdd[g]);
            A = l3_add(A, points_rate(f, q, c->h[g], m->ddeta));
        }
        lm_lane3 u = l3_add(l3_cross(W, c->p[g]), l3_add(c->dp[g], c->dp[g]));
        c->f[g] = l3_mul(q->mass, l3_add(A, l3_cross(W, u)));
    }
}

/* P_j of the points; j counts v, w, a. */
LM_LANE_INLINE lm_lane3 points_column(const lm_floating *f, const chunk_motion *c, int g, int j)
{
    int nb = f->nv + f->nw;
    const lm_floating_four *q = &c->q[g];
    lm_lane zero = lane_all(0);
    if (j < f->nv) return l3(-c->h[g][j], q->v[j], zero);
    if (j < nb) return l3(-c->h[g][j], zero, q->w[j - f->nv]);
    return l3(q->a[j - nb], zero, zero);
}

/* out [6 + ne] += sum of (u, p x u, P^T u). */
static void column_add(const lm_floating *f, const chunk_motion *c,
                       const lm_lane3 u[FLOATING_CHUNK], double *out)
{
    int nb = f->nv + f->nw;
    lm_lane3 F = l3_all(0, 0, 0), M = F;
    for (int g = 0; g < c->n; g++) F = l3_add(F, u[g]), M = l3_add(M, l3_cross(c->p[g], u[g]));
    v3_acc(out, l3_sum(F));
    v3_acc(out + 3, l3_sum(M));
    out += 6;
    for (int i = 0; i < f->nv; i++) {
        lm_lane sum = lane_all(0);
        for (int g = 0; g < c->n; g++) sum += c->q[g].v[i] * u[g].y - c->h[g][i] * u[g].x;
        out[i] += lane_sum(sum);
    }
    for (int i = f->nv; i < nb; i++) {
        lm_lane sum = lane_all(0);
        for (int g = 0; g < c->n; g++) sum += c->q[g].w[i - f->nv] * u[g].z - c->h[g][i] * u[g].x;
        out[i] += lane_sum(sum);
    }
    for (int i = 0; i < f->na; i++) {
        lm_lane sum = lane_all(0);
        for (int g = 0; g < c->n; g++) sum += c->q[g].a[i] * u[g].x;
        out[nb + i] += lane_sum(sum);
    }
}

/* ---- by velocities ---- */

static void by_spin(const lm_floating *f, const lm_floating_motion *m, const chunk_motion *c,
                    double *D)
{
    lm_lane3 u[FLOATING_CHUNK], W = l3_same(m->W);
    for (int k = 0; k < 3; k++) {
        lm_lane3 e = l3_all(k == 0, k == 1, k == 2);
        for (int g = 0; g < c->n; g++) {
            lm_lane3 p = c->p[g], dp = c->dp[g];
            lm_lane3 A = l3_cross(e, l3_add(l3_cross(W, p), l3_add(dp, dp)));
            u[g] = l3_mul(c->q[g].mass, l3_add(A, l3_cross(W, l3_cross(e, p))));
        }
        column_add(f, c, u, D + (6 + f->ne) * k);
    }
}

static void by_rates(const lm_floating *f, const lm_floating_motion *m, const chunk_motion *c,
                     double *D)
{
    int nb = f->nv + f->nw;
    lm_lane3 u[FLOATING_CHUNK], W2 = l3_same(v3_mul(2, m->W));
    for (int j = 0; j < nb + f->na; j++) {
        for (int g = 0; g < c->n; g++) {
            lm_lane3 A = l3_cross(W2, points_column(f, c, g, j));
            if (j < nb) A.x -= 2 * c->hd[g][j];
            u[g] = l3_mul(c->q[g].mass, A);
        }
        column_add(f, c, u, D + (6 + f->ne) * (3 + j));
    }
}

/* Moment W x (J W + JPsi deta). */
static void own_rates(const lm_floating *f, const lm_floating_motion *m, double *D)
{
    int n = 6 + f->ne;
    lm_v3 spin = own_times(f, m->W);
    if (m->deta) spin = v3_add(spin, spins_of(f, m->deta));
    for (int k = 0; k < 3; k++) {
        lm_v3 e = v3(k == 0, k == 1, k == 2);
        v3_acc(D + n * k + 3, v3_add(v3_cross(e, spin), v3_cross(m->W, own_times(f, e))));
    }
    for (int j = 0; j < f->ne; j++)
        v3_acc(D + n * (3 + j) + 3, v3_cross(m->W, v3_from(f->JPsi + 3 * j)));
}

/* ---- by the deformation ---- */

/* P_j x f and the change of P. */
static void moved_action(const lm_floating *f, const chunk_motion *c, int j, double *out)
{
    lm_lane3 M = l3_all(0, 0, 0);
    for (int g = 0; g < c->n; g++) M = l3_add(M, l3_cross(points_column(f, c, g, j), c->f[g]));
    v3_acc(out + 3, l3_sum(M));
    int in_v = j < f->nv, first = in_v ? 0 : f->nv, n = in_v ? f->nv : f->nw;
    if (j >= f->nv + f->nw) return;
    for (int i = 0; i < n; i++) {
        lm_lane sum = lane_all(0);
        for (int g = 0; g < c->n; g++)
            sum += (in_v ? c->q[g].Hv : c->q[g].Hw)[i + n * (j - first)] * c->f[g].x;
        out[6 + first + i] -= lane_sum(sum);
    }
}

static void by_deformation(const lm_floating *f, const lm_floating_motion *m, const chunk_motion *c,
                           double *K)
{
    int nb = f->nv + f->nw;
    lm_lane3 u[FLOATING_CHUNK], W = l3_same(m->W), dW = l3_same(m->dW);
    for (int j = 0; j < nb + f->na; j++) {
        double *out = K + (6 + f->ne) * j;
        for (int g = 0; g < c->n; g++) {
            lm_lane3 P = points_column(f, c, g, j), wp = l3_cross(W, P);
            if (j < nb) wp.x -= 2 * c->hd[g][j];
            lm_lane3 A = l3_add(l3_cross(dW, P), l3_cross(W, wp));
            if (j < nb) A.x -= c->hdd[g][j];
            u[g] = l3_mul(c->q[g].mass, A);
        }
        column_add(f, c, u, out);
        moved_action(f, c, j, out);
    }
}

/* The diagonal blocks of A to the rows and columns of eta. */
static void blocks_put(const lm_floating *f, const double *A, double *out)
{
    const int size[4] = {f->nv, f->nw, f->na, f->nt};
    for (int b = 0, at = 0; b < 4; at += size[b], b++)
        for (int j = at; j < at + size[b]; j++)
            for (int i = at; i < at + size[b]; i++)
                out[6 + i + (6 + f->ne) * j] += A[i + f->ne * j];
}

void FLOATING(tangent)(const lm_floating *f, const lm_floating_motion *m, double *D, double *K)
{
    size_t n = (size_t)(6 + f->ne), ne = (size_t)f->ne;
    chunk_motion c;
    if (D) memset(D, 0, sizeof *D * n * (3 + ne));
    if (K) memset(K, 0, sizeof *K * n * ne);
    for (int k = 0; k < f->nfours; k += FLOATING_CHUNK) {
        motion_at(f, m, k, &c);
        if (D) by_spin(f, m, &c, D), by_rates(f, m, &c, D);
        if (K) by_deformation(f, m, &c, K);
    }
    if (D) own_rates(f, m, D);
    if (D && f->C) blocks_put(f, f->C, D + 3 * n);
    if (K) blocks_put(f, f->K, K);
    if (K && f->strain) FLOATING(strain_tangent)(f, m->eta, 6 + f->ne, K + 6);
}
