/* Elastic energy of the floating-frame body beyond eta^T K eta / 2: bending in two planes twists, and a
 * twisted section bends along its own axes (docs/theory/ffr.md).
 *
 * Of four points along the axis, dx the length of each:
 *
 *     U = T c + kt c^2 / 2 + sum (EIz - EIy) dx [ a b sin t cos t - (a^2 - b^2) sin^2 t / 2 ],
 *     c = sum dx a phi,   T = Tt . eta_t,   t = tau, or tau + psi phi where EIz > EIy
 *
 * with the curvatures a, b of bending along y and z, the section's slopes psi, phi and its twist tau. c is
 * what bending in both planes adds to the twist between the ends of the four, whose stiffness is kt and
 * whose torque by the coordinates alone is T. The rest is what the energy of bending changes by where (a, b)
 * is seen from axes that are turned by t. psi phi b is of the third order in the curvature along y; a strip
 * multiplies it by a large moment. */
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

/* psi and phi: slopes along y and z. The section is seen turned by t + psi phi where EIz > EIy. */
typedef struct point4 {
    seen t;
    lm_lane a, b, psi, phi;
    double c, T;
} point4;

LM_LANE_INLINE point4 strain_at(const lm_floating *f, const lm_floating_strain *q,
                                const double *eta)
{
    const double *w = eta + f->nv, *t = w + f->nw + f->na;
    point4 p = {.a = lanes_dot(f->nv, q->kv, eta), .b = lanes_dot(f->nw, q->kw, w)};
    p.psi = q->stiff * lanes_dot(f->nv, q->psi, eta);
    p.phi = lanes_dot(f->nw, q->phi, w);
    p.t = see(lanes_dot(f->nt, q->t, t) + p.psi * p.phi);
    p.c = lane_sum(q->dx * p.a * p.phi);
    for (int i = 0; i < f->nt; i++) p.T += q->Tt[i] * t[i];
    return p;
}

#define rows_add(n, row, f, to) rows_add_(n, row, (lm_lane1){f}, to)

LM_LANE_INLINE void rows_add_(int n, const lm_lane *row, lm_lane1 factor, lm_lane *to)
{
    for (int i = 0; i < n; i++) to[i] += factor.s * row[i];
}

/* to [nv + nw + na + nt] += f times the angle's gradient by eta. */
#define angle_add(f, q, p, by, to) angle_add_(f, q, p, (lm_lane1){by}, to)

LM_LANE_INLINE void angle_add_(const lm_floating *f, const lm_floating_strain *q, const point4 *p,
                               lm_lane1 by, lm_lane *to)
{
    rows_add(f->nv, q->psi, by.s * q->stiff * p->phi, to);
    rows_add(f->nw, q->phi, by.s * p->psi, to + f->nv);
    rows_add(f->nt, q->t, by.s, to + f->nv + f->nw + f->na);
}

void FLOATING(strain_forces)(const lm_floating *f, const double *eta, double *r)
{
    lm_lane on[LM_FLOATING_MOST], *w = on + f->nv;
    for (int i = 0; i < f->ne; i++) on[i] = lane_all(0);
    for (int k = 0; k < f->nfours; k++) {
        const lm_floating_strain *q = &f->strain[k];
        point4 p = strain_at(f, q, eta);
        lm_lane S = lane_all(p.T + q->kt * p.c) * q->dx, square = 0.5 * (p.a * p.a - p.b * p.b);
        rows_add(f->nv, q->kv, p.phi * S + q->bend * (p.b * p.t.s - p.a * p.t.q), on);
        rows_add(f->nw, q->kw, q->bend * (p.a * p.t.s + p.b * p.t.q), w);
        rows_add(f->nw, q->phi, p.a * S, w);
        angle_add(f, q, &p, q->bend * (p.a * p.b * p.t.s1 - square * p.t.q1), on);
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

/* The angle's share: U'' h h^T + g h^T + h g^T + U' d2t, with its gradient h and what it makes of the
 * forces by the curvatures, g. */
static void seen_turned(const lm_floating *f, const lm_floating_strain *q, const point4 *p, int ld,
                        double *K)
{
    lm_lane h[LM_FLOATING_MOST], g[LM_FLOATING_MOST];
    const seen *t = &p->t;
    lm_lane a = p->a, b = p->b, square = 0.5 * (a * a - b * b);
    for (int i = 0; i < f->ne; i++) h[i] = g[i] = lane_all(0);
    angle_add(f, q, p, lane_all(1), h);
    angle_add(f, q, p, 0.5 * q->bend * (a * b * t->s2 - square * t->q2), g);
    rows_add(f->nv, q->kv, q->bend * (b * t->s1 - a * t->q1), g);
    rows_add(f->nw, q->kw, q->bend * (a * t->s1 + b * t->q1), g + f->nv);
    for (int j = 0; j < f->ne; j++)
        for (int i = 0; i < f->ne; i++) K[i + ld * j] += lane_sum(g[i] * h[j] + h[i] * g[j]);
    outer_add(K, ld, 0, f->nv, q->psi, f->nv, f->nw, q->phi,
              q->bend * q->stiff * (a * b * t->s1 - square * t->q1));
}

static void seen_bent(const lm_floating *f, const lm_floating_strain *q, const point4 *p, int ld,
                      double *K)
{
    int nv = f->nv, nw = f->nw;
    outer_add(K, ld, 0, nv, q->kv, 0, nv, q->kv, -q->bend * p->t.q);
    outer_add(K, ld, nv, nw, q->kw, nv, nw, q->kw, q->bend * p->t.q);
    outer_add(K, ld, 0, nv, q->kv, nv, nw, q->kw, q->bend * p->t.s);
}

void FLOATING(strain_tangent)(const lm_floating *f, const double *eta, int ld, double *K)
{
    for (int k = 0; k < f->nfours; k++) {
        const lm_floating_strain *q = &f->strain[k];
        point4 p = strain_at(f, q, eta);
        twist_by_bending(f, q, &p, ld, K);
        seen_bent(f, q, &p, ld, K);
        seen_turned(f, q, &p, ld, K);
    }
}
