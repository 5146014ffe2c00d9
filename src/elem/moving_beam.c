/* A beam element in a known rigid motion: docs/theory/elastodynamic.md.
 *
 * A point (x, y, z) of the element is displaced by f = N delta,
 *
 *     f = (u + z ry - y rz,  v - z rx,  w + y rx),
 *
 * with the functions u, v, w of the axis and rx, ry, rz of the sections of lm_beam_points. Sections
 * are in principal axes, integrals of y, z and yz vanish, so that of a 3x3 matrix B
 *
 *     int rho N^T B N dV = B11 (rhoA u u + rhoIy ry ry + rhoIz rz rz)
 *                        + B22 (rhoA v v + rhoIy rx rx) + B33 (rhoA w w + rhoIz rx rx)
 *                        + B12 (rhoA u v - rhoIy ry rx) + B13 (rhoA u w - rhoIz rz rx)
 *                        + B23 rhoA v w,      B21, B31, B32 with the factors exchanged.
 *
 * B = I gives m, skew(w) gives c, skew(al) + skew(w) skew(w) gives k(al) + k(w^2). */
#include "elem/moving_beam.h"

#include "elem/beam_shape_int.h"

#include <string.h>

enum { Y, Z }; /* rhoIy, rhoIz */

/* Degrees of freedom of the functions. */
static const int along[] = {0, 6}, twist[] = {3, 9};         /* u; rx */
static const int xy[] = {1, 5, 7, 11}, xz[] = {2, 4, 8, 10}; /* v and rz; w and ry */

/* ---- constants ---- */

static void outer(double c, int n, const double *f, int m, const double *g, double *to)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) to[m * i + j] += c * (f[i] * g[j]);
}

static void add_products(const lm_beam_point *p, lm_moving_beam *e)
{
    double dm = p->dx * p->s.rhoA, dI[2] = {p->dx * p->s.rhoIy, p->dx * p->s.rhoIz};
    outer(dm, 2, p->u, 2, p->u, e->uu);
    outer(dm, 2, p->u, 4, p->v, e->uv);
    outer(dm, 2, p->u, 4, p->w, e->uw);
    outer(dm, 4, p->v, 4, p->v, e->vv);
    outer(dm, 4, p->v, 4, p->w, e->vw);
    outer(dm, 4, p->w, 4, p->w, e->ww);
    for (int i = Y; i <= Z; i++) {
        outer(dI[i], 2, p->rx, 2, p->rx, e->xx[i]);
        outer(dI[i], 4, p->rz, 2, p->rx, e->zx[i]);
        outer(dI[i], 4, p->ry, 2, p->rx, e->yx[i]);
        outer(dI[i], 4, p->rz, 4, p->ry, e->zy[i]);
    }
    outer(dI[Y], 4, p->ry, 4, p->ry, e->yy);
    outer(dI[Z], 4, p->rz, 4, p->rz, e->zz);
}

static void add_loads(const lm_beam_point *p, lm_moving_beam *e)
{
    double dm = p->dx * p->s.rhoA, dI[2] = {p->dx * p->s.rhoIy, p->dx * p->s.rhoIz};
    const double one = 1;
    e->mass += dm;
    e->first += dm * p->x;
    outer(dm, 2, p->u, 1, &one, e->u0);
    outer(dm, 4, p->v, 1, &one, e->v0);
    outer(dm, 4, p->w, 1, &one, e->w0);
    outer(dm, 2, p->u, 1, &p->x, e->ux);
    outer(dm, 4, p->v, 1, &p->x, e->vx);
    outer(dm, 4, p->w, 1, &p->x, e->wx);
    outer(dI[Y], 2, p->rx, 1, &one, e->rx0[Y]);
    outer(dI[Z], 2, p->rx, 1, &one, e->rx0[Z]);
    outer(dI[Y], 4, p->ry, 1, &one, e->ry0);
    outer(dI[Z], 4, p->rz, 1, &one, e->rz0);
}

/* Axial forces in the element: N' = rhoA (a0.x + B11 x), the ends' own part linear. They are normal to the
 * sections, and an axis that shears is longer than what they see by the squares of the shear angles. */
static void add_slopes(const lm_beam_point *p, lm_moving_beam *e)
{
    double s = p->x / e->L, force[4] = {1 - s, s, p->mass - s * e->mass, p->first - s * e->first};
    double sv[4], sw[4];
    for (int k = 0; k < 4; k++) sv[k] = p->dv[k] - p->rz[k], sw[k] = p->dw[k] + p->ry[k];
    for (int i = 0; i < 4; i++) {
        double f = p->dx * force[i];
        outer(f, 4, p->dv, 4, p->dv, e->dv[i]);
        outer(f, 4, p->dw, 4, p->dw, e->dw[i]);
        outer(-f, 4, sv, 4, sv, e->dv[i]);
        outer(-f, 4, sw, 4, sw, e->dw[i]);
    }
}

/* ---- matrices ---- */

/* A += a P in rows `row`, columns `col`; += b P^T in the mirrored place. */
static inline void add_pair(double A[12][12], int n, const int *row, int m, const int *col,
                            const double *P, double a, double b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            A[row[i]][col[j]] += a * P[m * i + j];
            A[col[j]][row[i]] += b * P[m * i + j];
        }
}

/* A += a P + b Q on the diagonal. */
static inline void add_square(double A[12][12], int n, const int *dof, const double *P, double a,
                              const double *Q, double b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[dof[i]][dof[j]] += a * P[n * i + j] + b * Q[n * i + j];
}

/* A += int rho N^T B N dV, off the diagonal of B. */
static void add_mixed(const lm_moving_beam *e, const lm_m3 *B, double A[12][12])
{
    const double *b = B->m; /* columns: b[3 j + i] */
    add_pair(A, 2, along, 4, xy, e->uv, b[3], b[1]);
    add_pair(A, 2, along, 4, xz, e->uw, b[6], b[2]);
    add_pair(A, 4, xy, 4, xz, e->vw, b[7], b[5]);
    add_pair(A, 4, xz, 2, twist, e->yx[Y], -b[3], -b[1]);
    add_pair(A, 4, xy, 2, twist, e->zx[Z], -b[6], -b[2]);
}

/* ... on the diagonal. */
static void add_plain(const lm_moving_beam *e, const lm_m3 *B, double A[12][12])
{
    const double *b = B->m;
    add_square(A, 2, along, e->uu, b[0], e->uu, 0);
    add_square(A, 2, twist, e->xx[Y], b[4], e->xx[Z], b[8]);
    add_square(A, 4, xy, e->vv, b[4], e->zz, b[0]);
    add_square(A, 4, xz, e->ww, b[8], e->yy, b[0]);
}

/* The sections' points move by theta x (theta x rho)/2 besides, rho = (0, y, z), where the rigid
 * motion needs the force rho_density B rho: with J = diag(0, rhoIz, rhoIy) per length
 *     theta^T (sym(B J) - tr(B J) I) theta / 2 . */
static void add_turned_sections(const lm_moving_beam *e, const lm_m3 *B, double A[12][12])
{
    const double *b = B->m;
    add_square(A, 2, twist, e->xx[Z], -b[4], e->xx[Y], -b[8]);
    add_square(A, 4, xy, e->zz, -b[4], e->zz, 0);
    add_square(A, 4, xz, e->yy, -b[8], e->yy, 0);
    add_pair(A, 4, xz, 2, twist, e->yx[Z], b[3] / 2, b[3] / 2);
    add_pair(A, 4, xy, 2, twist, e->zx[Y], b[6] / 2, b[6] / 2);
    add_pair(A, 4, xy, 4, xz, e->zy[Y], b[7] / 2, b[7] / 2);
    add_pair(A, 4, xy, 4, xz, e->zy[Z], b[5] / 2, b[5] / 2);
}

/* int N (v'^2 - (v' - rz)^2 + w'^2 - (w' + ry)^2) dx: the axis is shorter than its arc by half of the slopes'
 * squares, and longer by half of those of the shear angles (Reissner's beam). */
static void add_axial(const lm_moving_beam *e, const double force[4], double stretch,
                      double A[12][12])
{
    double v[16], w[16], slope[] = {1 / (1 + stretch), 1};
    for (int i = 0; i < 16; i++) {
        double by = (1 + stretch) * slope[i / 4 % 2] * slope[i % 2];
        v[i] = w[i] = 0;
        for (int f = 0; f < 4; f++) {
            v[i] += by * force[f] * e->dv[f][i];
            w[i] += by * force[f] * e->dw[f][i];
        }
    }
    add_square(A, 4, xy, v, 1, v, 0);
    add_square(A, 4, xz, w, 1, w, 0);
}

/* q = int rho N^T (a0 + B r') dV, r' = (x, y, z). */
static void loads(const lm_moving_beam *e, lm_v3 a, const lm_m3 *B, double q[12])
{
    const double *b = B->m;
    for (int i = 0; i < 2; i++) {
        q[along[i]] = a.x * e->u0[i] + b[0] * e->ux[i];
        q[twist[i]] = b[5] * e->rx0[Z][i] - b[7] * e->rx0[Y][i];
    }
    for (int i = 0; i < 4; i++) {
        q[xy[i]] = a.y * e->v0[i] + b[1] * e->vx[i] - b[3] * e->rz0[i];
        q[xz[i]] = a.z * e->w0[i] + b[2] * e->wx[i] + b[6] * e->ry0[i];
    }
}

/* ---- the functions of the header ---- */

void lm_moving_beam_make(lm_section_at *at, void *ctx, double L, int timoshenko,
                         lm_moving_beam *out)
{
    lm_beam_shape shape;
    lm_beam_point p[LM_BEAM_POINTS];
    int n = lm_beam_points(at, ctx, L, timoshenko, &shape, p);
    double mass[12][12];
    memset(out, 0, sizeof *out);
    out->L = L;
    out->bends[0] = 1 - shape.sheary, out->bends[1] = 1 - shape.shearz;
    for (int i = 0; i < n; i++) add_products(&p[i], out), add_loads(&p[i], out);
    for (int i = 0; i < n; i++) add_slopes(&p[i], out);
    lm_beam_matrices(&shape, out->k, mass);
    lm_moving_beam_second(p, n, out);
    const lm_m3 identity = m3_identity();
    add_plain(out, &identity, out->m);
}

void lm_moving_beam_mass(const lm_moving_beam *e, double M[12][12])
{
    memcpy(M, e->m, sizeof e->m);
}

void lm_moving_beam_stiffness(const lm_moving_beam *e, double K[12][12])
{
    memcpy(K, e->k, sizeof e->k);
}

void lm_moving_beam_matrices(const lm_moving_beam *e, const lm_moving_motion *m, double C2[12][12],
                             double K[12][12], double q[12])
{
    const lm_m3 W2 = m3_skew(v3_mul(2, m->w));
    const lm_m3 B = m3_add(m3_skew(m->al), m3_skew_skew(m->w, m->w));
    memset(C2, 0, sizeof e->k);
    add_mixed(e, &W2, C2);
    memcpy(K, e->k, sizeof e->k);
    add_plain(e, &B, K);
    add_mixed(e, &B, K);
    if (m->stiffening) {
        const double force[4] = {m->axial[0], m->axial[1], m->a0.x, (1 + m->stretch) * B.m[0]};
        add_turned_sections(e, &B, K);
        add_axial(e, force, m->stretch, K);
    }
    loads(e, m->a0, &B, q);
}

void lm_moving_beam_inertia(const lm_moving_beam *e, double *mass, double *first)
{
    *mass = e->mass;
    *first = e->first;
}

double lm_moving_beam_shortening(const lm_moving_beam *e, const double d[12])
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            sum += d[xy[i]] * (e->dv[0][4 * i + j] + e->dv[1][4 * i + j]) * d[xy[j]];
            sum += d[xz[i]] * (e->dw[0][4 * i + j] + e->dw[1][4 * i + j]) * d[xz[j]];
        }
    return 0.5 * sum;
}
