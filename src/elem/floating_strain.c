/* Elastic energy of the floating-frame body beyond eta^T K eta / 2: bending in two planes twists, and a
 * twisted section bends along its own axes (docs/theory/ffr.md).
 *
 * Of four points along the axis, dx the length of each:
 *
 *     U = T c + kt c^2 / 2 + sum (EIz - EIy) dx [ a b sin t cos t - (a^2 - b^2) sin^2 t / 2 ],
 *     c = sum dx a phi,   T = Tt . eta_t
 *
 * with the curvatures a, b of bending along y and z, the section's slope phi along z and its twist t. c is
 * what bending in both planes adds to the twist between the ends of the four, whose stiffness is kt and
 * whose torque by the coordinates alone is T. The rest is what the energy of bending changes by where (a, b)
 * is seen from axes that are turned by t. */
#include "elem/floating_int.h"

/* What a section sees: s = sin t cos t and q = sin^2 t, with their derivatives by t. */
typedef struct seen {
    lm_lane s, s1, s2, q, q1, q2;
} seen;

#define see(t) see_((lm_lane1){t})

/* The angle 2 atan(u / 2) with u = t + t^3 / 12 is t to the fourth order (0.3: 2e-5), needs no sine and
 * turns by it exactly, so that the energy stays positive for every t. */
LM_LANE_INLINE seen see_(lm_lane1 twist)
{
    lm_lane t = twist.s, u = t * (1 + t * t / 12), u1 = 1 + t * t / 4, u2 = t / 2;
    lm_lane n = 1 / (1 + u * u / 4), sine = u * n, cosine = (1 - u * u / 4) * n;
    lm_lane a1 = u1 * n, a2 = u2 * n - u1 * u1 * u * n * n / 2;
    lm_lane sin2 = 2 * sine * cosine, cos2 = cosine * cosine - sine * sine;
    return (seen){sine * cosine, cos2 * a1, cos2 * a2 - 2 * sin2 * a1 * a1,
                  sine * sine,   sin2 * a1, sin2 * a2 + 2 * cos2 * a1 * a1};
}

typedef struct point4 {
    seen t;
    lm_lane a, b, phi;
    double c, T;
} point4;

LM_LANE_INLINE point4 strain_at(const lm_floating *f, const lm_floating_strain *q,
                                const double *eta)
{
    const double *w = eta + f->nv, *t = w + f->nw + f->na;
    point4 p = {.a = lanes_dot(f->nv, q->kv, eta), .b = lanes_dot(f->nw, q->kw, w)};
    p.t = see(lanes_dot(f->nt, q->t, t));
    p.phi = lanes_dot(f->nw, q->phi, w);
    p.c = lane_sum(q->dx * p.a * p.phi);
    for (int i = 0; i < f->nt; i++) p.T += q->Tt[i] * t[i];
    return p;
}

#define rows_add(n, row, f, to) rows_add_(n, row, (lm_lane1){f}, to)

LM_LANE_INLINE void rows_add_(int n, const lm_lane *row, lm_lane1 factor, lm_lane *to)
{
    for (int i = 0; i < n; i++) to[i] += factor.s * row[i];
}

void FLOATING(strain_forces)(const lm_floating *f, const double *eta, double *r)
{
    lm_lane on[LM_FLOATING_MOST], *w = on + f->nv, *t = w + f->nw + f->na;
    for (int i = 0; i < f->ne; i++) on[i] = lane_all(0);
    for (int k = 0; k < f->nfours; k++) {
        const lm_floating_strain *q = &f->strain[k];
        point4 p = strain_at(f, q, eta);
        lm_lane S = lane_all(p.T + q->kt * p.c) * q->dx, square = 0.5 * (p.a * p.a - p.b * p.b);
        rows_add(f->nv, q->kv, p.phi * S + q->bend * (p.b * p.t.s - p.a * p.t.q), on);
        rows_add(f->nw, q->kw, q->bend * (p.a * p.t.s + p.b * p.t.q), w);
        rows_add(f->nw, q->phi, p.a * S, w);
        rows_add(f->nt, q->t, q->bend * (p.a * p.b * p.t.s1 - square * p.t.q1), t);
        for (int i = 0; i < f->nt; i++) r[f->ne - f->nt + i] += q->Tt[i] * p.c;
    }
    for (int i = 0; i < f->ne; i++) r[i] += lane_sum(on[i]);
}

double FLOATING(strain_energy)(const lm_floating *f, const double *eta)
{
    double U = 0;
    for (int k = 0; k < f->nfours; k++) {
        const lm_floating_strain *q = &f->strain[k];
        point4 p = strain_at(f, q, eta);
        lm_lane square = 0.5 * (p.a * p.a - p.b * p.b);
        U += lane_sum(q->bend * (p.a * p.b * p.t.s - square * p.t.q));
        U += (p.T + 0.5 * q->kt * p.c) * p.c;
    }
    return U;
}

/* ---- second derivatives ---- */

/* K += the sum over the lanes of factor a b^T, at row i and column j, and its transpose. */
#define outer_add(K, ld, i, na, a, j, nb, b, factor)                                               \
    outer_add_(K, ld, i, na, a, j, nb, b, (lm_lane1){factor})

LM_LANE_INLINE void outer_add_(double *K, int ld, int row, int na, const lm_lane *a, int col,
                               int nb, const lm_lane *b, lm_lane1 factor)
{
    for (int j = 0; j < nb; j++) {
        lm_lane fb = factor.s * b[j];
        for (int i = 0; i < na; i++) {
            double sum = lane_sum(a[i] * fb);
            K[row + i + ld * (col + j)] += sum;
            if (row != col) K[col + j + ld * (row + i)] += sum;
        }
    }
}

/* The twist by bending: kt dc dc^T + (T + kt c) d2c + dT dc^T + dc dT^T. */
static void twist_by_bending(const lm_floating *f, const lm_floating_strain *q, const point4 *p,
                             int ld, double *K)
{
    int nb = f->nv + f->nw, at = nb + f->na;
    double dc[LM_FLOATING_MOST];
    for (int i = 0; i < f->nv; i++) dc[i] = lane_sum(q->dx * p->phi * q->kv[i]);
    for (int i = 0; i < f->nw; i++) dc[f->nv + i] = lane_sum(q->dx * p->a * q->phi[i]);
    for (int j = 0; j < nb; j++) {
        for (int i = 0; i < nb; i++) K[i + ld * j] += q->kt * dc[i] * dc[j];
        for (int i = 0; i < f->nt; i++) {
            double both = q->Tt[i] * dc[j];
            K[at + i + ld * j] += both;
            K[j + ld * (at + i)] += both;
        }
    }
    outer_add(K, ld, 0, f->nv, q->kv, f->nv, f->nw, q->phi, q->dx * (p->T + q->kt * p->c));
}

static void seen_twisted(const lm_floating *f, const lm_floating_strain *q, const point4 *p, int ld,
                         double *K)
{
    int nv = f->nv, nw = f->nw, nt = f->nt, at = nv + nw + f->na;
    const seen *t = &p->t;
    lm_lane a = p->a, b = p->b, square = 0.5 * (a * a - b * b);
    outer_add(K, ld, 0, nv, q->kv, 0, nv, q->kv, -q->bend * t->q);
    outer_add(K, ld, nv, nw, q->kw, nv, nw, q->kw, q->bend * t->q);
    outer_add(K, ld, 0, nv, q->kv, nv, nw, q->kw, q->bend * t->s);
    outer_add(K, ld, 0, nv, q->kv, at, nt, q->t, q->bend * (b * t->s1 - a * t->q1));
    outer_add(K, ld, nv, nw, q->kw, at, nt, q->t, q->bend * (a * t->s1 + b * t->q1));
    outer_add(K, ld, at, nt, q->t, at, nt, q->t, q->bend * (a * b * t->s2 - square * t->q2));
}

void FLOATING(strain_tangent)(const lm_floating *f, const double *eta, int ld, double *K)
{
    for (int k = 0; k < f->nfours; k++) {
        const lm_floating_strain *q = &f->strain[k];
        point4 p = strain_at(f, q, eta);
        twist_by_bending(f, q, &p, ld, K);
        seen_twisted(f, q, &p, ld, K);
    }
}
