/* Constants of a beam element whose section may vary: docs/theory/beam-sections.md.
 *
 * All integrals along the element are taken at Gauss points xi in 0..1. Integrals up to a point, for
 * the displacements inside, are those of the polynomial through the values at the same points: what
 * is then summed over the points has the full order 2n of the rule. The number of points is doubled
 * until the result stands still. */
#include "elem/beam_shape_int.h"

#include <math.h>
#include <string.h>

enum { LEAST = 4, MOST = LM_BEAM_POINTS }; /* 4 points integrate a uniform element exactly */
#define PI   3.14159265358979323846
#define SAME 1e-12 /* relative change that ends the doubling; the finer result is then far better */

typedef struct rule {
    int n;
    double x[MOST], w[MOST];
    double S[MOST][MOST]; /* S[i][j]: weight of the value at j in the integral from 0 to x_i */
} rule;

/* Legendre polynomials P[0..n](z). */
static void legendre(int n, double z, double *P)
{
    P[0] = 1;
    P[1] = z;
    for (int k = 2; k <= n; k++) P[k] = ((2 * k - 1) * z * P[k - 1] - (k - 1) * P[k - 2]) / k;
}

/* Points are the zeros of P_n(2x - 1); f = sum over k < n of c_k P_k with
 * c_k = (2k + 1) sum_j w_j P_k(z_j) f_j, and the integral of P_k from 0 to x is
 * (P_{k+1} - P_{k-1})/(4k + 2), of P_0 it is x. */
static void gauss(int n, rule *r)
{
    double P[MOST][MOST + 1];
    r->n = n;
    for (int i = 0; i < n; i++) {
        double z = -cos(PI * (i + 0.75) / (n + 0.5)), slope = 1;
        for (int step = 0; step < 4; step++) { /* Newton's method: 3 steps reach rounding */
            legendre(n, z, P[i]);
            slope = n * (P[i][n - 1] - z * P[i][n]) / (1 - z * z);
            z -= P[i][n] / slope;
        }
        legendre(n, z, P[i]);
        r->x[i] = (1 + z) / 2;
        r->w[i] = 1 / ((1 - z * z) * slope * slope);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = r->x[i];
            for (int k = 1; k < n; k++) sum += P[j][k] * (P[i][k + 1] - P[i][k - 1]) / 2;
            r->S[i][j] = r->w[j] * sum;
        }
}

static double up_to(const rule *r, int i, const double *f)
{
    double sum = 0;
    for (int j = 0; j < r->n; j++) sum += r->S[i][j] * f[j];
    return sum;
}

/* Two end values joined by a stiffness c(x): the displacement between them is
 * (1 - eta) q_a + eta q_b with eta' ~ 1/c. */
static void bar(const rule *r, double L, const double *flex, const double *mass, double *k,
                double m[3])
{
    double whole = 0;
    for (int i = 0; i < r->n; i++) whole += r->w[i] * flex[i];
    *k = 1 / (L * whole);
    m[0] = m[1] = m[2] = 0;
    for (int i = 0; i < r->n; i++) {
        double eta = up_to(r, i, flex) / whole, dm = L * r->w[i] * mass[i];
        m[0] += dm * (1 - eta) * (1 - eta);
        m[1] += dm * (1 - eta) * eta;
        m[2] += dm * eta * eta;
    }
}

/* What bending in one plane needs at the points. */
typedef struct plane {
    double flex[MOST], shear[MOST]; /* 1/EI, 1/GA */
    double rhoA[MOST], rhoI[MOST];
} plane;

/* What comes out of it; the members of lm_beam_shape with the same names. */
typedef struct bending {
    double *k, *m, *bow, *turn, *shear;
} bending;

/* Stiffness over the end rotations (b_a, b_b) against the chord; sum[] is the sum of the end moments
 * for b_a = 1 and for b_b = 1. Inverse of the flexibility
 *   (alpha gamma; gamma beta) + G (1 1; 1 1):
 * alpha, beta, gamma of bending with M = -(1-xi) m_a + xi m_b, G of the shear force -(m_a + m_b)/L.
 * Sums and differences are formed before the division so that nothing cancels on short elements,
 * where G is large. */
static void natural(const rule *r, double L, const plane *p, double k[3], double sum[2])
{
    double alpha = 0, beta = 0, gamma = 0, G = 0;
    for (int i = 0; i < r->n; i++) {
        double x = r->x[i], f = L * r->w[i] * p->flex[i];
        alpha += f * (1 - x) * (1 - x);
        gamma -= f * (1 - x) * x;
        beta += f * x * x;
        G += r->w[i] * p->shear[i] / L;
    }
    double det = alpha * beta - gamma * gamma + G * (alpha + beta - 2 * gamma);
    k[0] = (beta + G) / det;
    k[1] = -(gamma + G) / det;
    k[2] = (alpha + G) / det;
    sum[0] = (beta - gamma) / det; /* k[0] + k[1] */
    sum[1] = (alpha - gamma) / det;
}

/* Displacement functions at point i over (v_a, phi_a, v_b, phi_b): N of the deflection v, R of the
 * section's rotation phi. In an element with v = 0 at both ends and end rotations b_a, b_b
 *   phi = b_a + L C0,   v = L (b_a xi + L (xi C0 - C1)) - (m_a + m_b) int_0^xi 1/GA,
 * C0 and C1 the integrals from 0 to xi of the curvature kappa = M/EI and of xi kappa. */
static void shape_functions(const rule *r, double L, const plane *p, const double k[3],
                            const double sum[2], int i, double N[4], double R[4])
{
    double x = r->x[i], J[3] = {0, 0, 0}, g = 0;
    for (int j = 0; j < r->n; j++) {
        double f = r->S[i][j] * p->flex[j];
        J[0] += f;
        J[1] += f * r->x[j];
        J[2] += f * r->x[j] * r->x[j];
        g += r->S[i][j] * p->shear[j];
    }
    for (int e = 0; e < 2; e++) { /* b_a = 1, then b_b = 1 */
        double ma = k[e], mb = k[e + 1], ba = e == 0;
        double C0 = mb * J[1] - ma * (J[0] - J[1]), C1 = mb * J[2] - ma * (J[1] - J[2]);
        R[2 * e + 1] = ba + L * C0;
        N[2 * e + 1] = L * (ba * x + L * (x * C0 - C1)) - sum[e] * g;
    }
    /* b = phi - (v_b - v_a)/L */
    N[0] = 1 - x + (N[1] + N[3]) / L;
    N[2] = x - (N[1] + N[3]) / L;
    R[0] = (R[1] + R[3] - 1) / L;
    R[2] = -R[0];
}

/* Half the square of the axis' slope v' = phi - V/GA for b_a = 1, b_b = 1, integrated: how much the
 * axis is longer than its chord. */
static void add_bow(double dx, const double R[4], const double shear[2], double bow[3])
{
    double slope[2] = {R[1] - shear[0], R[3] - shear[1]};
    bow[0] += dx * slope[0] * slope[0];
    bow[1] += dx * slope[0] * slope[1];
    bow[2] += dx * slope[1] * slope[1];
}

/* The functions above turn the chord by (v_b - v_a)/L; a chord of length l turns by (v_b - v_a)/l.
 * With k = L/l - 1, D = v_b - v_a, the deflection grows by k D n, the rotation by k D r,
 *   n = -(N_1 + N_3)/L,   r = (1 - R_1 - R_3)/L :
 * what that adds to the kinetic energy, over D and S = phi_a + phi_b. x counts from the mass centre:
 * what k D n of a tapered element does to its translation is left out. */
static void add_turn(double x, double L, double dm, double dI, const double N[4], const double R[4],
                     double turn[3])
{
    double n = -(N[1] + N[3]) / L, r = (1 - R[1] - R[3]) / L;
    double both = dm * n * n + dI * r * r;
    turn[0] += 2 * (both + dm * n * x);
    turn[1] += 0.5 * (dI * r - L * both);
    turn[2] += both;
}

static double mass_centre(const rule *r, const double *rhoA)
{
    double mass = 0, moment = 0;
    for (int i = 0; i < r->n; i++) mass += r->w[i] * rhoA[i], moment += r->w[i] * rhoA[i] * r->x[i];
    return mass > 0 ? moment / mass : 0.5;
}

/* Bending in one plane: natural stiffness and consistent mass, upper triangle by rows. */
static void bend(const rule *r, double L, const plane *p, bending to)
{
    double sum[2], N[4], R[4], centre = mass_centre(r, p->rhoA);
    natural(r, L, p, to.k, sum);
    memset(to.m, 0, 10 * sizeof *to.m);
    for (int c = 0; c < 3; c++) to.bow[c] = to.turn[c] = 0;
    *to.shear = 0;
    for (int i = 0; i < r->n; i++) {
        shape_functions(r, L, p, to.k, sum, i, N, R);
        double dx = L * r->w[i], dm = dx * p->rhoA[i], dI = dx * p->rhoI[i], *m = to.m;
        double f = p->shear[i] / L, shear[2] = {f * sum[0], f * sum[1]};
        for (int a = 0; a < 4; a++)
            for (int b = a; b < 4; b++) *m++ += dm * N[a] * N[b] + dI * R[a] * R[b];
        *to.shear += r->w[i] * (shear[0] + shear[1]);
        add_bow(dx, R, shear, to.bow);
        add_turn(r->x[i] - centre, L, dm, dI, N, R, to.turn);
    }
}

/* Rotations about y turn z towards -x: as a slope dz/dx they count negative. */
static void slopes_to_rotations(double m[10], double turn[3])
{
    static const int mixed[] = {1, 3, 5,
                                8}; /* (z_a, psi_a) (z_a, psi_b) (psi_a, z_b) (z_b, psi_b) */
    for (int i = 0; i < 4; i++) m[mixed[i]] = -m[mixed[i]];
    turn[1] = -turn[1];
}

/* The element's sections at the points of a rule. */
typedef struct samples {
    lm_section s[MOST];
    plane xy, xz;
    double axial[MOST], twist[MOST], polar[MOST]; /* 1/EA, 1/GJ, inertia about x */
} samples;

static void sample(lm_section_at *at, void *ctx, int timoshenko, const rule *r, samples *to)
{
    for (int i = 0; i < r->n; i++) {
        at(ctx, r->x[i], &to->s[i]);
        const lm_section *s = &to->s[i];
        to->axial[i] = 1 / s->EA;
        to->twist[i] = 1 / s->GJ;
        to->polar[i] = s->rhoIy + s->rhoIz;
        to->xy.flex[i] = 1 / s->EIz;
        to->xz.flex[i] = 1 / s->EIy;
        to->xy.shear[i] = timoshenko ? 1 / s->GAy : 0;
        to->xz.shear[i] = timoshenko ? 1 / s->GAz : 0;
        to->xy.rhoA[i] = to->xz.rhoA[i] = s->rhoA;
        to->xy.rhoI[i] = s->rhoIz;
        to->xz.rhoI[i] = s->rhoIy;
    }
}

/* Rotations at point i per rotation of the ends, and their derivatives along the element. */
static void turns(const rule *r, double L, const plane *p, int i, double R[2], double dR[2])
{
    double k[3], sum[2], N[4], all[4];
    natural(r, L, p, k, sum);
    shape_functions(r, L, p, k, sum, i, N, all);
    R[0] = all[1], R[1] = all[3];
    dR[0] = p->flex[i] * (k[1] * r->x[i] - k[0] * (1 - r->x[i]));
    dR[1] = p->flex[i] * (k[2] * r->x[i] - k[1] * (1 - r->x[i]));
}

/* What the sections' spin W has of the slopes psi = sum_i P_i psi_i and of the rates rho = sum_j Q_j rho_j, f the
 * inertia about the other axis across and F' that about the axis, 0 in the mean over the twist:
 *   g_ij = int f P_i Q_j + F P_i Q_j',   spin = g + g^T - int f P_i P_j,   mean_i = int f P_i.
 * The chord's own rate is the mean of the ends' rates less that of rho: gyro_ij = g_ij - mean_i / 2. */
static void add_spin(const double P[2], const double Q[2], const double dQ[2], double f, double F,
                     double gyro[4], double mean[2], double spin[3])
{
    for (int i = 0; i < 2; i++) {
        mean[i] += f * P[i];
        for (int j = 0; j < 2; j++) {
            const double g = P[i] * (f * Q[j] + F * dQ[j]);
            gyro[2 * i + j] += g - 0.5 * f * P[i];
            spin[i + j] += (i == j ? 2 : 1) * g - (i <= j ? f * P[i] * P[j] : 0);
        }
    }
}

static void spun(const rule *r, const samples *s, double L, lm_beam_shape *out)
{
    double whole = 0, mean = 0;
    for (int i = 0; i < 4; i++) out->gyroy[i] = out->gyroz[i] = 0;
    for (int i = 0; i < 2; i++) out->meany[i] = out->meanz[i] = 0;
    for (int i = 0; i < 3; i++) out->spiny[i] = out->spinz[i] = 0;
    for (int i = 0; i < r->n; i++) {
        whole += r->w[i] * s->twist[i];
        mean += r->w[i] * s->twist[i] * L * up_to(r, i, s->polar);
    }
    for (int i = 0; i < r->n; i++) {
        double P[2], Q[2], dP[2], dQ[2], dx = L * r->w[i];
        const double F = dx * (L * up_to(r, i, s->polar) - mean / whole);
        turns(r, L, &s->xy, i, P, dP);
        turns(r, L, &s->xz, i, Q, dQ);
        add_spin(P, Q, dQ, dx * s->xy.rhoI[i], F, out->gyroy, out->meany, out->spiny);
        add_spin(Q, P, dP, dx * s->xz.rhoI[i], F, out->gyroz, out->meanz, out->spinz);
    }
}

static void make(const rule *r, const samples *s, double L, lm_beam_shape *out)
{
    out->L = L;
    bar(r, L, s->axial, s->xy.rhoA, &out->ka, out->mx);
    bar(r, L, s->twist, s->polar, &out->kt, out->mt);
    bend(r, L, &s->xy, (bending){out->kz, out->mz, out->bowz, out->turnz, &out->shearz});
    bend(r, L, &s->xz, (bending){out->ky, out->my, out->bowy, out->turny, &out->sheary});
    slopes_to_rotations(out->my, out->turny);
    spun(r, s, L, out);
}

static int same(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (fabs(a[i] - b[i]) > SAME * fabs(b[i])) return 0;
    return 1;
}

/* Doubles the points until the shape stands still; r and s are those of the last round. */
static void converge(lm_section_at *at, void *ctx, double L, int timoshenko, rule *r, samples *s,
                     lm_beam_shape *out)
{
    for (int n = LEAST; n <= MOST; n *= 2) {
        lm_beam_shape before = *out;
        gauss(n, r);
        sample(at, ctx, timoshenko, r, s);
        make(r, s, L, out);
        if (n > LEAST && same(&before.ka, &out->ka, 1) && same(&before.kt, &out->kt, 1) &&
            same(before.kz, out->kz, 3) && same(before.ky, out->ky, 3) &&
            same(before.mx, out->mx, 3) && same(before.mt, out->mt, 3) &&
            same(before.mz, out->mz, 10) && same(before.my, out->my, 10))
            return;
    }
}

void lm_beam_shape_make(lm_section_at *at, void *ctx, double L, int timoshenko, lm_beam_shape *out)
{
    rule r;
    samples s;
    *out = (lm_beam_shape){0};
    converge(at, ctx, L, timoshenko, &r, &s, out);
}

/* ---- functions at the points ---- */

static void bar_functions(const rule *r, const double *flex, int i, double f[2])
{
    double whole = 0;
    for (int j = 0; j < r->n; j++) whole += r->w[j] * flex[j];
    f[1] = up_to(r, i, flex) / whole;
    f[0] = 1 - f[1];
}

/* N, R and the slope of the axis, v' = phi - V/GA against the chord, which itself turns by
 * (v_b - v_a)/L. */
static void bend_functions(const rule *r, double L, const plane *p, int i, double N[4], double R[4],
                           double slope[4])
{
    double k[3], sum[2];
    natural(r, L, p, k, sum);
    shape_functions(r, L, p, k, sum, i, N, R);
    for (int e = 0; e < 2; e++) slope[2 * e + 1] = R[2 * e + 1] - sum[e] * p->shear[i] / L;
    slope[0] = (slope[1] + slope[3] - 1) / L;
    slope[2] = -slope[0];
}

static void point(const rule *r, const samples *s, double L, int i, lm_beam_point *p)
{
    p->x = L * r->x[i];
    p->dx = L * r->w[i];
    p->s = s->s[i];
    p->mass = p->first = 0;
    for (int j = 0; j < r->n; j++) {
        double dm = L * r->S[i][j] * s->xy.rhoA[j];
        p->mass += dm;
        p->first += dm * L * r->x[j];
    }
    bar_functions(r, s->axial, i, p->u);
    bar_functions(r, s->twist, i, p->rx);
    bend_functions(r, L, &s->xy, i, p->v, p->rz, p->dv);
    bend_functions(r, L, &s->xz, i, p->w, p->ry, p->dw);
    for (int end = 0; end < 2; end++) { /* psi_y = -dz/dx, as a coordinate and as a result */
        p->w[2 * end + 1] = -p->w[2 * end + 1];
        p->dw[2 * end + 1] = -p->dw[2 * end + 1];
        p->ry[2 * end] = -p->ry[2 * end];
    }
}

int lm_beam_points(lm_section_at *at, void *ctx, double L, int timoshenko, lm_beam_shape *out,
                   lm_beam_point *p)
{
    rule r;
    samples s;
    *out = (lm_beam_shape){0};
    converge(at, ctx, L, timoshenko, &r, &s, out);
    for (int i = 0; i < r.n; i++) point(&r, &s, L, i, &p[i]);
    return r.n;
}

/* ---- matrices over the motions of both nodes ---- */

enum { UX, UY, UZ, RX, RY, RZ };

/* Put a symmetric matrix over `count` dofs, upper triangle by rows; sign -1 turns the dof. */
static void put(double A[12][12], int count, const int *dof, const double *sign,
                const double *upper)
{
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++)
            A[dof[j]][dof[i]] = A[dof[i]][dof[j]] = sign[i] * sign[j] * *upper++;
}

/* Bending stiffness over (y_a, psi_a, y_b, psi_b) from that over the rotations against the chord,
 * b_i = psi_i - (y_b - y_a) / L: N^T k N. */
static void expand_bending(const double k[3], double L, double upper[10])
{
    const double N[2][4] = {{1 / L, 1, -1 / L, 0}, {1 / L, 0, -1 / L, 1}};
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++)
            *upper++ = N[0][i] * (k[0] * N[0][j] + k[1] * N[1][j]) +
                       N[1][i] * (k[1] * N[0][j] + k[2] * N[1][j]);
}

/* In the xz plane a positive rotation about y goes with a falling z: there z takes the place of -y. */
void lm_beam_matrices(const lm_beam_shape *e, double K[12][12], double M[12][12])
{
    static const int axial[] = {UX, UX + 6}, torsion[] = {RX, RX + 6};
    static const int xy[] = {UY, RZ, UY + 6, RZ + 6}, xz[] = {UZ, RY, UZ + 6, RY + 6};
    static const double plus[] = {1, 1, 1, 1}, fall[] = {-1, 1, -1, 1};
    if (K) {
        const double ka[] = {e->ka, -e->ka, e->ka}, kt[] = {e->kt, -e->kt, e->kt};
        double bend[10];
        memset(K, 0, sizeof(double) * 144);
        put(K, 2, axial, plus, ka);
        put(K, 2, torsion, plus, kt);
        expand_bending(e->kz, e->L, bend);
        put(K, 4, xy, plus, bend);
        expand_bending(e->ky, e->L, bend);
        put(K, 4, xz, fall, bend);
    }
    memset(M, 0, sizeof(double) * 144);
    put(M, 2, axial, plus, e->mx);
    put(M, 2, torsion, plus, e->mt);
    put(M, 4, xy, plus, e->mz);
    put(M, 4, xz, plus, e->my);
}
