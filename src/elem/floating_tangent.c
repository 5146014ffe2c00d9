/* Derivatives of the floating-frame body's forces by velocities and by the deformation.
 *
 * With C = [dW] + [W][W] the points' accelerations change by
 *
 *     W_k:     e_k x (W x p) + W x (e_k x p) + 2 e_k x dp
 *     deta_j:  2 W x P_j - 2 e_x (H deta)_j
 *     eta_j:   C P_j - 2 W x e_x (H deta)_j - e_x (H ddeta)_j
 *
 * (terms with H for bending only). Mass times that, u, adds u, p x u and P^T u to a column; eta
 * moves the points of action besides: P_j x f, and d(P_i)/d(eta_j) . f = -H_ij f_x.
 *
 * Of the sections (floating_turn.h), w changes by x and al by y, besides what turns with them,
 *
 *     W_k:     x = e,               y = e x (w - W)
 *     rate_k:  x = e_k,             y = w_(k-1) x e_k + e_k x (w - w_k)
 *     angle_k: x = w_k x e_k,       y = al_k x e_k + (w_k x e_k) x (w - w_k)
 *
 * and N by J y + x x J w + w x J x, with an angle by e_k x N besides; that is on the frame. On an
 * angle l it is e_l times it, and where e_l turns with the angle k < l, (e_k x e_l) . N more. */
#include "elem/floating_turn.h"

#include <string.h>

typedef struct chunk_motion {
    const lm_floating_four *q;
    int n;
    lm_lane3 p[FLOATING_CHUNK], dp[FLOATING_CHUNK], f[FLOATING_CHUNK];
    floating_bend h[FLOATING_CHUNK], hd[FLOATING_CHUNK], hdd[FLOATING_CHUNK]; /* H eta, ... */
    turned s[FLOATING_CHUNK];
} chunk_motion;

/* The change of forces by one velocity or coordinate: mass times that of the points' acceleration;
 * moments of the sections on the frame, on their three angles. */
typedef struct change {
    lm_lane3 u[FLOATING_CHUNK], n[FLOATING_CHUNK];
    lm_lane on[FLOATING_CHUNK][3];
} change;

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
        if (sections_have_inertia(f)) sections_move(f, q, m, &c->s[g]);
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

/* What sections without inertia, and the points of a twist, have. */
static void no_points(change *d)
{
    for (int g = 0; g < FLOATING_CHUNK; g++) d->u[g] = l3_all(0, 0, 0);
}

static void no_sections(change *d)
{
    for (int g = 0; g < FLOATING_CHUNK; g++) {
        d->n[g] = l3_all(0, 0, 0);
        for (int l = 0; l < 3; l++) d->on[g][l] = lane_all(0);
    }
}

/* The change of N by x and y of w and al. */
LM_LANE_INLINE void section_change(const chunk_motion *c, int g, const lm_lane3 *x,
                                   const lm_lane3 *y, change *d)
{
    const turned *s = &c->s[g];
    const lm_floating_four *q = &c->q[g];
    lm_lane3 n = l3_add(inertia_times(q, s, *y), l3_cross(*x, s->spin));
    d->n[g] = l3_add(n, l3_cross(s->w[3], inertia_times(q, s, *x)));
}

LM_LANE_INLINE void on_angles(const chunk_motion *c, int g, change *d)
{
    for (int l = 0; l < 3; l++) d->on[g][l] = l3_dot(c->s[g].e[l], d->n[g]);
}

/* out [6 + ne] += sum of (u, p x u + n, P^T u + turn on). */
static void column_add(const lm_floating *f, const chunk_motion *c, const change *d, double *out)
{
    int nb = f->nv + f->nw;
    lm_lane3 F = l3_all(0, 0, 0), M = F;
    const lm_lane3 *u = d->u;
    for (int g = 0; g < c->n; g++) {
        F = l3_add(F, u[g]);
        M = l3_add(M, l3_add(l3_cross(c->p[g], u[g]), d->n[g]));
    }
    v3_acc(out, l3_sum(F));
    v3_acc(out + 3, l3_sum(M));
    out += 6;
    for (int i = 0; i < f->nv; i++) {
        lm_lane sum = lane_all(0);
        for (int g = 0; g < c->n; g++) {
            const lm_floating_four *q = &c->q[g];
            sum += q->v[i] * u[g].y - c->h[g][i] * u[g].x + q->turn[i] * d->on[g][0];
        }
        out[i] += lane_sum(sum);
    }
    for (int i = f->nv; i < nb; i++) {
        lm_lane sum = lane_all(0);
        for (int g = 0; g < c->n; g++) {
            const lm_floating_four *q = &c->q[g];
            sum += q->w[i - f->nv] * u[g].z - c->h[g][i] * u[g].x + q->turn[i] * d->on[g][1];
        }
        out[i] += lane_sum(sum);
    }
    for (int i = 0; i < f->na; i++) {
        lm_lane sum = lane_all(0);
        for (int g = 0; g < c->n; g++) sum += c->q[g].a[i] * u[g].x;
        out[nb + i] += lane_sum(sum);
    }
    for (int i = 0; i < f->nt; i++) {
        lm_lane sum = lane_all(0);
        for (int g = 0; g < c->n; g++) sum += c->q[g].turn[nb + i] * d->on[g][2];
        out[nb + f->na + i] += lane_sum(sum);
    }
}

/* The change by coordinate j of eta, from that by the angle k: out of `by`, times turn_j. */
static int turned_by(const lm_floating *f, int j)
{
    int nb = f->nv + f->nw;
    return j < f->nv ? 0 : j < nb ? 1 : j < nb + f->na ? -1 : 2;
}

static void by_angle(const lm_floating *f, const chunk_motion *c, const change by[3], int j,
                     change *d)
{
    int k = turned_by(f, j), i = k == 2 ? j - f->na : j;
    for (int g = 0; g < c->n && k >= 0; g++) {
        lm_lane turn = c->q[g].turn[i];
        d->n[g] = l3_mul(turn, by[k].n[g]);
        for (int l = 0; l < 3; l++) d->on[g][l] = turn * by[k].on[g][l];
    }
    if (k < 0) no_sections(d);
}

/* ---- by velocities ---- */

static void by_spin(const lm_floating *f, const lm_floating_motion *m, const chunk_motion *c,
                    double *D)
{
    change d;
    lm_lane3 W = l3_same(m->W);
    no_sections(&d);
    for (int k = 0; k < 3; k++) {
        lm_lane3 e = l3_all(k == 0, k == 1, k == 2);
        for (int g = 0; g < c->n; g++) {
            lm_lane3 p = c->p[g], dp = c->dp[g];
            lm_lane3 A = l3_cross(e, l3_add(l3_cross(W, p), l3_add(dp, dp)));
            d.u[g] = l3_mul(c->q[g].mass, l3_add(A, l3_cross(W, l3_cross(e, p))));
            if (!sections_have_inertia(f)) continue;
            lm_lane3 y = l3_cross(e, l3_sub(c->s[g].w[3], W));
            section_change(c, g, &e, &y, &d);
            on_angles(c, g, &d);
        }
        column_add(f, c, &d, D + (6 + f->ne) * k);
    }
}

static void angle_rates(const chunk_motion *c, change by[3])
{
    for (int k = 0; k < 3; k++)
        for (int g = 0; g < c->n; g++) {
            const turned *s = &c->s[g];
            lm_lane3 e = s->e[k], y = l3_cross(e, l3_sub(s->w[3], s->w[k + 1]));
            y = l3_add(y, l3_cross(s->w[k], e));
            section_change(c, g, &e, &y, &by[k]);
            on_angles(c, g, &by[k]);
        }
}

static void by_rates(const lm_floating *f, const lm_floating_motion *m, const chunk_motion *c,
                     double *D)
{
    int nb = f->nv + f->nw, sections = sections_have_inertia(f);
    change d, by[3];
    lm_lane3 W2 = l3_same(v3_mul(2, m->W));
    no_sections(&d);
    if (sections) angle_rates(c, by);
    for (int j = 0; j < (sections ? f->ne : nb + f->na); j++) {
        for (int g = 0; g < c->n && j < nb + f->na; g++) {
            lm_lane3 A = l3_cross(W2, points_column(f, c, g, j));
            if (j < nb) A.x -= 2 * c->hd[g][j];
            d.u[g] = l3_mul(c->q[g].mass, A);
        }
        if (j == nb + f->na) no_points(&d);
        if (sections) by_angle(f, c, by, j, &d);
        column_add(f, c, &d, D + (6 + f->ne) * (3 + j));
    }
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

static void angles(const chunk_motion *c, change by[3])
{
    for (int k = 0; k < 3; k++)
        for (int g = 0; g < c->n; g++) {
            const turned *s = &c->s[g];
            lm_lane3 e = s->e[k], x = l3_cross(s->w[k + 1], e);
            lm_lane3 y = l3_cross(x, l3_sub(s->w[3], s->w[k + 1]));
            y = l3_add(y, l3_cross(s->al[k + 1], e));
            section_change(c, g, &x, &y, &by[k]);
            by[k].n[g] = l3_add(by[k].n[g], l3_cross(e, s->N));
            on_angles(c, g, &by[k]);
            for (int l = k + 1; l < 3; l++) by[k].on[g][l] += l3_dot(l3_cross(e, s->e[l]), s->N);
        }
}

static void by_deformation(const lm_floating *f, const lm_floating_motion *m, const chunk_motion *c,
                           double *K)
{
    int nb = f->nv + f->nw, sections = sections_have_inertia(f);
    change d, by[3];
    lm_lane3 W = l3_same(m->W), dW = l3_same(m->dW);
    no_sections(&d);
    if (sections) angles(c, by);
    for (int j = 0; j < (sections ? f->ne : nb + f->na); j++) {
        double *out = K + (6 + f->ne) * j;
        for (int g = 0; g < c->n && j < nb + f->na; g++) {
            lm_lane3 P = points_column(f, c, g, j), wp = l3_cross(W, P);
            if (j < nb) wp.x -= 2 * c->hd[g][j];
            lm_lane3 A = l3_add(l3_cross(dW, P), l3_cross(W, wp));
            if (j < nb) A.x -= c->hdd[g][j];
            d.u[g] = l3_mul(c->q[g].mass, A);
        }
        if (j == nb + f->na) no_points(&d);
        if (sections) by_angle(f, c, by, j, &d);
        column_add(f, c, &d, out);
        if (j < nb + f->na) moved_action(f, c, j, out);
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
    if (D && f->C) blocks_put(f, f->C, D + 3 * n);
    if (K) lm_floating_elastic_tangent(f, m->eta, 6 + f->ne, K + 6);
    if (K && f->strain) FLOATING(strain_tangent)(f, m->eta, 6 + f->ne, K + 6);
}
