/* Elastic energy of the floating-frame body beyond eta^T K eta / 2: bending in two planes twists, and a
 * twisted section bends and shears along its own axes (docs/theory/ffr.md).
 *
 * Of four points along the axis, dx the length of each:
 *
 *     U = T c + kt c^2 / 2 + sum (EIz - EIy) dx [ a b sin t cos t - (a^2 - b^2) sin^2 t / 2 ]
 *                          + sum (GAy - GAz) dx [ the same with the shear strains for a, b ]
 *                          - 1/2 sum_m (sum e_m k)^2,
 *     c = sum dx a phi,   T = Tt . eta_t,   t = tau, or tau + psi phi where EIz > EIy,
 *     k = a cos t + b sin t where EIz > EIy, else b cos t - a sin t
 *
 * with the curvatures a, b of bending along y and z, the section's slopes psi, phi and its twist tau. c is
 * what bending in both planes adds to the twist between the ends of the four, whose stiffness is kt and
 * whose torque by the coordinates alone is T. The rest is what the energies of bending and of shear change by
 * where (a, b) is seen from axes that are turned by t. psi phi b is of the third order in the curvature along y; a strip
 * multiplies it by a large moment. k is the curvature in the stiff plane; the two weights e_m find what of it the
 * coordinates of bending cannot take back, which is no energy. */
#include "elem/floating_int.h"

/* What a section sees: s = sin t cos t and q = sin^2 t, with their derivatives by t. */
typedef struct seen {
    lm_lane s, s1, s2, q, q1, q2;
    lm_lane sine, cosine;
} seen;

#define see(t) see_((lm_lane1){t})

/* Of the half of an angle within pi / 2 of a multiple k pi: series. An odd k changes the signs of both. */
LM_LANE_INLINE seen see_(lm_lane1 twist)
{
    const double whole = 0x1.8p52, pi = 0x1.921fb54442d18p1, rest = 0x1.1a62633145c07p-53;
    lm_lane t = twist.s, k = (t * (1 / pi) + whole) - whole, h = 0.5 * ((t - k * pi) - k * rest);
    lm_lane x = h * h, sh = lane_all(1), ch = lane_all(1);
    for (int i = 14; i > 0; i -= 2) {
        sh = 1 - sh * x * (1. / (i * (i + 1)));
        ch = 1 - ch * x * (1. / (i * (i - 1)));
    }
    sh *= h;
    lm_lane odd = k - 2 * ((0.5 * k + whole) - whole), sign = 1 - 2 * odd * odd;
    lm_lane sine = sign * (2 * sh * ch), cosine = sign * (ch * ch - sh * sh);
    lm_lane sin2 = 2 * sine * cosine, cos2 = cosine * cosine - sine * sine;
    return (seen){sine * cosine, cos2, -2 * sin2, sine * sine, sin2, 2 * cos2, sine, cosine};
}

/* Strains along y and z, a = v . eta_v and b = w . eta_w, with the difference of their stiffnesses. */
typedef struct strains {
    const lm_lane *v, *w;
    lm_lane more, a, b;
} strains;

/* The curvature in the stiff plane, k = A a + B b, turn = dk/dt, and what the energy that is none takes off the
 * moment, force. */
typedef struct locking {
    lm_lane A, B, k, turn, force;
} locking;

/* psi and phi: slopes along y and z. The section is seen turned by t + psi phi where EIz > EIy. */
typedef struct point4 {
    seen t;
    strains of[2]; /* curvatures, shear */
    int n;
    lm_lane a, psi, phi;
    lm_lane both, square; /* sums of more a b, more (a^2 - b^2) / 2 */
    locking lock;
    double c, T, spurious; /* ...; energy that is none */
} point4;

LM_LANE_INLINE void look_stiff(const lm_floating_strain *q, point4 *p)
{
    locking *x = &p->lock;
    lm_lane a = p->of[0].a, b = p->of[0].b, soft = 1 - q->stiff;
    x->A = q->stiff * p->t.cosine - soft * p->t.sine;
    x->B = q->stiff * p->t.sine + soft * p->t.cosine;
    x->k = x->A * a + x->B * b;
    x->turn = x->A * b - x->B * a;
    x->force = lane_all(0);
    for (int m = 0; m < 2; m++) {
        double amount = lane_sum(q->beyond[m] * x->k);
        p->spurious += 0.5 * amount * amount;
        x->force -= amount * q->beyond[m];
    }
}

LM_LANE_INLINE point4 strain_at(const lm_floating *f, const lm_floating_strain *q,
                                const double *eta)
{
    const double *w = eta + f->nv, *t = w + f->nw + f->na;
    point4 p = {.of = {{.v = q->kv, .w = q->kw, .more = q->bend},
                       {.v = q->gv, .w = q->gw, .more = q->shear}},
                .n = q->gv ? 2 : 1,
                .both = lane_all(0),
                .square = lane_all(0)};
    for (int i = 0; i < p.n; i++) {
        strains *x = &p.of[i];
        x->a = lanes_dot(f->nv, x->v, eta), x->b = lanes_dot(f->nw, x->w, w);
        p.both += x->more * x->a * x->b;
        p.square += 0.5 * x->more * (x->a * x->a - x->b * x->b);
    }
    p.a = p.of[0].a;
    p.psi = q->stiff * lanes_dot(f->nv, q->psi, eta);
    p.phi = lanes_dot(f->nw, q->phi, w);
    p.t = see(lanes_dot(f->nt, q->t, t) + p.psi * p.phi);
    p.c = lane_sum(q->dx * p.a * p.phi);
    for (int i = 0; i < f->nt; i++) p.T += q->Tt[i] * t[i];
    if (q->locks) look_stiff(q, &p);
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

/* to += the gradient of both s - square q by the strains. */
#define strains_add(f, p, s, q, to) strains_add_(f, p, (lm_lane1){s}, (lm_lane1){q}, to)

LM_LANE_INLINE void strains_add_(const lm_floating *f, const point4 *p, lm_lane1 s, lm_lane1 q,
                                 lm_lane *to)
{
    for (int i = 0; i < p->n; i++) {
        const strains *x = &p->of[i];
        rows_add(f->nv, x->v, x->more * (x->b * s.s - x->a * q.s), to);
        rows_add(f->nw, x->w, x->more * (x->a * s.s + x->b * q.s), to + f->nv);
    }
}

/* to += by times the gradient of k. */
#define stiff_add(f, q, p, by, to) stiff_add_(f, q, p, (lm_lane1){by}, to)

LM_LANE_INLINE void stiff_add_(const lm_floating *f, const lm_floating_strain *q, const point4 *p,
                               lm_lane1 by, lm_lane *to)
{
    const locking *x = &p->lock;
    rows_add(f->nv, q->kv, by.s * x->A, to);
    rows_add(f->nw, q->kw, by.s * x->B, to + f->nv);
    angle_add(f, q, p, by.s * x->turn, to);
}

void FLOATING(strain_forces)(const lm_floating *f, const double *eta, double *r)
{
    lm_lane on[LM_FLOATING_MOST], *w = on + f->nv;
    for (int i = 0; i < f->ne; i++) on[i] = lane_all(0);
    for (int k = 0; k < f->nfours; k++) {
        const lm_floating_strain *q = &f->strain[k];
        point4 p = strain_at(f, q, eta);
        lm_lane S = lane_all(p.T + q->kt * p.c) * q->dx;
        rows_add(f->nv, q->kv, p.phi * S, on);
        rows_add(f->nw, q->phi, p.a * S, w);
        strains_add(f, &p, p.t.s, p.t.q, on);
        angle_add(f, q, &p, p.both * p.t.s1 - p.square * p.t.q1, on);
        if (q->locks) stiff_add(f, q, &p, p.lock.force, on);
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
        U += lane_sum(p.both * p.t.s - p.square * p.t.q) - p.spurious;
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
 * forces by the strains, g. */
static void seen_turned(const lm_floating *f, const lm_floating_strain *q, const point4 *p, int ld,
                        double *K)
{
    lm_lane h[LM_FLOATING_MOST], g[LM_FLOATING_MOST];
    const seen *t = &p->t;
    for (int i = 0; i < f->ne; i++) h[i] = g[i] = lane_all(0);
    angle_add(f, q, p, lane_all(1), h);
    angle_add(f, q, p, 0.5 * (p->both * t->s2 - p->square * t->q2), g);
    strains_add(f, p, t->s1, t->q1, g);
    for (int j = 0; j < f->ne; j++)
        for (int i = 0; i < f->ne; i++) K[i + ld * j] += lane_sum(g[i] * h[j] + h[i] * g[j]);
    outer_add(K, ld, 0, f->nv, q->psi, f->nv, f->nw, q->phi,
              q->stiff * (p->both * t->s1 - p->square * t->q1));
}

static void seen_strained(const lm_floating *f, const point4 *p, int ld, double *K)
{
    int nv = f->nv, nw = f->nw;
    for (int i = 0; i < p->n; i++) {
        const strains *x = &p->of[i];
        outer_add(K, ld, 0, nv, x->v, 0, nv, x->v, -x->more * p->t.q);
        outer_add(K, ld, nv, nw, x->w, nv, nw, x->w, x->more * p->t.q);
        outer_add(K, ld, 0, nv, x->v, nv, nw, x->w, x->more * p->t.s);
    }
}

/* What is no energy: force d2k, by the angle and by the strains, less dr dr^T of both amounts. */
static void not_locked(const lm_floating *f, const lm_floating_strain *q, const point4 *p, int ld,
                       double *K)
{
    lm_lane h[LM_FLOATING_MOST], g[LM_FLOATING_MOST], dk[LM_FLOATING_MOST];
    const locking *x = &p->lock;
    for (int i = 0; i < f->ne; i++) h[i] = g[i] = dk[i] = lane_all(0);
    angle_add(f, q, p, lane_all(1), h);
    angle_add(f, q, p, -0.5 * x->force * x->k, g);
    rows_add(f->nv, q->kv, -x->force * x->B, g);
    rows_add(f->nw, q->kw, x->force * x->A, g + f->nv);
    stiff_add(f, q, p, lane_all(1), dk);
    for (int j = 0; j < f->ne; j++) {
        lm_lane left = lane_all(0);
        for (int m = 0; m < 2; m++) left += q->beyond[m] * lane_sum(q->beyond[m] * dk[j]);
        for (int i = 0; i < f->ne; i++)
            K[i + ld * j] += lane_sum(g[i] * h[j] + h[i] * g[j] - left * dk[i]);
    }
    outer_add(K, ld, 0, f->nv, q->psi, f->nv, f->nw, q->phi, q->stiff * x->force * x->turn);
}

void FLOATING(strain_tangent)(const lm_floating *f, const double *eta, int ld, double *K)
{
    for (int k = 0; k < f->nfours; k++) {
        const lm_floating_strain *q = &f->strain[k];
        point4 p = strain_at(f, q, eta);
        twist_by_bending(f, q, &p, ld, K);
        seen_strained(f, &p, ld, K);
        seen_turned(f, q, &p, ld, K);
        if (q->locks) not_locked(f, q, &p, ld, K);
    }
}
