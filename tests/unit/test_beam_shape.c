/* Element constants of beams: closed forms of uniform elements, tapers against exact integrals,
 * rigid-body inertia, definiteness. */
#include "elem/beam.h"
#include "math/v3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void close_to(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected)))
        fail_msg("%.17g, expected %.17g (off by %.3g)", found, expected,
                 fabs(found / expected - 1));
}
#define near(found, expected) close_to(found, expected, 1e-13)

/* ---- sections that vary ---- */

static const lm_section plain = {.EA = 3e8,
                                 .EIy = 2e4,
                                 .EIz = 5e4,
                                 .GJ = 7e3,
                                 .GAy = 6e7,
                                 .GAz = 4e7,
                                 .rhoA = 11,
                                 .rhoIy = 3e-3,
                                 .rhoIz = 8e-3};

static void uniform_at(void *ctx, double s, lm_section *out)
{
    (void)s;
    *out = *(const lm_section *)ctx;
}

/* Linear in s: height h0 (1 - c s), width w. */
typedef struct wedge {
    double h, w, c;
    lm_elastic m;
} wedge;

static void wedge_at(void *ctx, double s, lm_section *out)
{
    const wedge *p = ctx;
    *out = lm_section_rectangle(&p->m, p->h * (1 - p->c * s), p->w);
}

static void mirrored_wedge_at(void *ctx, double s, lm_section *out) { wedge_at(ctx, 1 - s, out); }

/* Everything different, nothing polynomial. */
static void wild_at(void *ctx, double s, lm_section *out)
{
    (void)ctx;
    *out = (lm_section){.EA = 3e8 * exp(-s),
                        .EIy = 2e4 / (1 + s),
                        .EIz = 5e4 * (1 + 0.5 * sin(3 * s)),
                        .GJ = 7e3 * (2 - s * s),
                        .GAy = 6e6 * (1 + s),
                        .GAz = 4e6 * cosh(s),
                        .rhoA = 11 + 5 * sin(2 * s),
                        .rhoIy = 3e-2 * exp(s),
                        .rhoIz = 8e-2 * (2 - s)};
}

static double upper(const double m[10], int i, int j)
{
    static const int row[] = {0, 4, 7, 9};
    return i <= j ? m[row[i] + j - i] : m[row[j] + i - j];
}

/* ---- uniform elements ---- */

static void uniform_stiffness(void **state)
{
    (void)state;
    double L = 0.7;
    lm_section s = plain;
    lm_beam_shape e, t;
    lm_beam_shape_make(uniform_at, &s, L, 0, &e);
    lm_beam_shape_make(uniform_at, &s, L, 1, &t);
    near(e.L, L);
    near(e.ka, s.EA / L);
    near(e.kt, s.GJ / L);
    for (int i = 0; i < 3; i++) {
        near(e.kz[i], (i == 1 ? 2 : 4) * s.EIz / L);
        near(e.ky[i], (i == 1 ? 2 : 4) * s.EIy / L);
        double Pz = 12 * s.EIz / (s.GAy * L * L), Py = 12 * s.EIy / (s.GAz * L * L);
        near(t.kz[i], (i == 1 ? 2 - Pz : 4 + Pz) * s.EIz / (L * (1 + Pz)));
        near(t.ky[i], (i == 1 ? 2 - Py : 4 + Py) * s.EIy / (L * (1 + Py)));
    }
    near(t.ka, e.ka);
    near(t.kt, e.kt);
}

/* Hermite's cubics: rhoA L/420 (156 22L 54 -13L ...) + rhoI/(30 L) (36 3L -36 3L ...). */
static void uniform_mass(void **state)
{
    (void)state;
    double L = 0.7;
    lm_section s = plain;
    lm_beam_shape e;
    lm_beam_shape_make(uniform_at, &s, L, 0, &e);
    const double a[10] = {156,    22 * L,     54,  -13 * L, 4 * L * L,
                          13 * L, -3 * L * L, 156, -22 * L, 4 * L * L};
    const double b[10] = {36, 3 * L, -36, 3 * L, 4 * L * L, -3 * L, -L * L, 36, -3 * L, 4 * L * L};
    for (int i = 0; i < 10; i++) {
        int mixed = i == 1 || i == 3 || i == 5 || i == 8;
        near(e.mz[i], s.rhoA * L / 420 * a[i] + s.rhoIz / (30 * L) * b[i]);
        near(e.my[i], (mixed ? -1 : 1) * (s.rhoA * L / 420 * a[i] + s.rhoIy / (30 * L) * b[i]));
    }
    for (int i = 0; i < 3; i++) {
        near(e.mx[i], s.rhoA * L / (i == 1 ? 6 : 3));
        near(e.mt[i], (s.rhoIy + s.rhoIz) * L / (i == 1 ? 6 : 3));
    }
}

/* Published matrices with Phi = 12 EI/(GA L^2) (Przemieniecki, 1968, section 11.4). */
static void timoshenko_mass(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++) {
        double L = (double[]){2, 0.5, 0.05}[c];
        lm_section s = plain;
        s.GAy = 1e7, s.GAz = 3e6;
        lm_beam_shape e;
        lm_beam_shape_make(uniform_at, &s, L, 1, &e);
        for (int plane = 0; plane < 2; plane++) {
            double P = 12 * (plane ? s.EIy / s.GAz : s.EIz / s.GAy) / (L * L);
            double m = s.rhoA * L / ((1 + P) * (1 + P));
            double r = (plane ? s.rhoIy : s.rhoIz) / (L * (1 + P) * (1 + P));
            double A = 13.0 / 35 + 7 * P / 10 + P * P / 3, B = 9.0 / 70 + 3 * P / 10 + P * P / 6;
            double C = (11.0 / 210 + 11 * P / 120 + P * P / 24) * L;
            double D = (13.0 / 420 + 3 * P / 40 + P * P / 24) * L;
            double E = (1.0 / 105 + P / 60 + P * P / 120) * L * L;
            double F = (1.0 / 140 + P / 60 + P * P / 120) * L * L;
            double G = 6.0 / 5, H = (1.0 / 10 - P / 2) * L;
            double J = (2.0 / 15 + P / 6 + P * P / 3) * L * L;
            double K = (1.0 / 30 + P / 6 - P * P / 6) * L * L;
            double sign = plane ? -1 : 1;
            const double expected[10] = {m * A + r * G,           sign * (m * C + r * H),
                                         m * B - r * G,           sign * (-m * D + r * H),
                                         m * E + r * J,           sign * (m * D - r * H),
                                         -m * F - r * K,          m * A + r * G,
                                         sign * (-m * C - r * H), m * E + r * J};
            /* rounding grows with Phi through the shear part of the displacement functions */
            for (int i = 0; i < 10; i++)
                close_to(plane ? e.my[i] : e.mz[i], expected[i], 1e-13 * (1 + P));
        }
    }
}

/* Rigid in shear is the limit of stiff in shear. */
static void shear_limit(void **state)
{
    (void)state;
    lm_section s = plain;
    lm_beam_shape e, t, u;
    lm_beam_shape_make(uniform_at, &s, 1.3, 0, &e);
    s.GAy = s.GAz = 1e16;
    lm_beam_shape_make(uniform_at, &s, 1.3, 1, &t);
    s.GAy = s.GAz = INFINITY;
    lm_beam_shape_make(uniform_at, &s, 1.3, 1, &u);
    for (int i = 0; i < 3; i++) {
        close_to(t.kz[i], e.kz[i], 1e-9);
        close_to(t.ky[i], e.ky[i], 1e-9);
    }
    for (int i = 0; i < 10; i++) close_to(t.mz[i], e.mz[i], 1e-9);
    assert_memory_equal(&u, &e, sizeof e);
}

/* ---- tapers ---- */

/* Cantilever clamped at a, tip force F along y: with v_a = phi_a = 0 the tip's (v, phi) from the
 * natural stiffness, whose rotations against the chord are b_a = -v/L, b_b = phi - v/L. */
static void tip_of_cantilever(const lm_beam_shape *e, const double k[3], double F, double M,
                              double *v, double *phi)
{
    double L = e->L, a = (k[0] + 2 * k[1] + k[2]) / (L * L), b = -(k[1] + k[2]) / L, c = k[2];
    double det = a * c - b * b;
    *v = (c * F - b * M) / det;
    *phi = (a * M - b * F) / det;
}

/* EI = EI0 (1 - c xi)^3, a = 1 - c:
 *   v/F = L^3/EI0 int (1-xi)^2/(1-c xi)^3, phi/F = L^2/EI0 int (1-xi)/(1-c xi)^3,
 *   phi/M = L/EI0 int 1/(1-c xi)^3, and shear L/GA0 int 1/(1-c xi). */
static void check_wedge(double c, double tolerance)
{
    wedge p = {0.05, 0.02, c, {2.1e11, 8e10, 7800}};
    double L = 1.2, a = 1 - c;
    lm_section root = lm_section_rectangle(&p.m, p.h, p.w);
    double vF = (-log(a) + 2 * a - 1.5 - a * a / 2) / (c * c * c) * L * L * L / root.EIz;
    double phiF = ((1 / a - 1) - a / 2 * (1 / (a * a) - 1)) / (c * c) * L * L / root.EIz;
    double phiM = (1 / (a * a) - 1) / (2 * c) * L / root.EIz;
    double shear = -log(a) / c * L / root.GAy, v, phi;
    lm_beam_shape e;
    for (int timoshenko = 0; timoshenko < 2; timoshenko++) {
        lm_beam_shape_make(wedge_at, &p, L, timoshenko, &e);
        tip_of_cantilever(&e, e.kz, 1, 0, &v, &phi);
        close_to(v, vF + timoshenko * shear, tolerance);
        close_to(phi, phiF, tolerance);
        tip_of_cantilever(&e, e.kz, 0, 1, &v, &phi);
        close_to(phi, phiM, tolerance);
        close_to(v, phiF, tolerance); /* Maxwell */
    }
    close_to(1 / e.ka, -log(a) / c * L / root.EA, tolerance);
    close_to(e.mx[0] + 2 * e.mx[1] + e.mx[2], root.rhoA * L * (1 - c / 2), tolerance);
}

static void taper_exact(void **state)
{
    (void)state;
    check_wedge(0.1, 1e-12);
    check_wedge(0.5, 1e-12);
    check_wedge(0.75, 1e-12);
    check_wedge(0.95, 1e-10); /* to a twentieth of the height in one element */
    check_wedge(-3, 1e-12);
}

/* Mass against a reference of its own: the displacement of the tapered cantilever element by
 * integrating EI v'' = M twice with small steps. */
static void taper_mass(void **state)
{
    (void)state;
    wedge p = {0.05, 0.02, 0.6, {2.1e11, 8e10, 7800}};
    double L = 1.2;
    lm_beam_shape e;
    lm_beam_shape_make(wedge_at, &p, L, 1, &e);
    enum { N = 4000 };
    for (int q = 0; q < 4; q++) { /* kinetic energy of a unit velocity of each end coordinate */
        double end[4] = {0, 0, 0, 0};
        end[q] = 1;
        double chord = (end[2] - end[0]) / L, ba = end[1] - chord, bb = end[3] - chord;
        double ma = e.kz[0] * ba + e.kz[1] * bb, mb = e.kz[1] * ba + e.kz[2] * bb;
        double v = end[0], phi = end[1], sum = 0;
        for (int i = 0; i < N; i++) { /* two-point Gauss for the mass, midpoint for the rest */
            double h = L / N, x = (i + 0.5) / N;
            lm_section s;
            wedge_at(&p, x, &s);
            double kappa = (mb * x - ma * (1 - x)) / s.EIz, gamma = -(ma + mb) / (L * s.GAy);
            double vm = v + h / 2 * (phi + gamma) + h * h / 8 * kappa, pm = phi + h / 2 * kappa;
            sum += h * (s.rhoA * vm * vm + s.rhoIz * pm * pm);
            v += h * (phi + gamma) + h * h / 2 * kappa;
            phi += h * kappa;
        }
        assert_true(fabs(v - end[2]) < 1e-6); /* arrives where it should */
        close_to(upper(e.mz, q, q), sum, 1e-6);
    }
}

/* The element seen from its other end. */
static void mirror(void **state)
{
    (void)state;
    wedge p = {0.05, 0.02, 0.6, {2.1e11, 8e10, 7800}};
    lm_beam_shape e, f;
    lm_beam_shape_make(wedge_at, &p, 1.2, 1, &e);
    lm_beam_shape_make(mirrored_wedge_at, &p, 1.2, 1, &f);
    static const double sign[] = {1, -1, 1, -1};
    near(f.ka, e.ka);
    near(f.kt, e.kt);
    for (int i = 0; i < 3; i++) {
        near(f.kz[i], e.kz[2 - i]);
        near(f.ky[i], e.ky[2 - i]);
        near(f.mx[i], e.mx[2 - i]);
        near(f.mt[i], e.mt[2 - i]);
    }
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++) {
            close_to(upper(f.mz, i, j), sign[i] * sign[j] * upper(e.mz, (i + 2) % 4, (j + 2) % 4),
                     1e-12);
            close_to(upper(f.my, i, j), sign[i] * sign[j] * upper(e.my, (i + 2) % 4, (j + 2) % 4),
                     1e-12);
        }
}

/* ---- inertia and definiteness ---- */

static double form(const double m[10], const double v[4])
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sum += v[i] * upper(m, i, j) * v[j];
    return sum;
}

static double form2(const double m[3], double a, double b)
{
    return m[0] * a * a + 2 * m[1] * a * b + m[2] * b * b;
}

/* Twice the kinetic energy of nodes that move with a rigid body: velocity of the origin (the
 * element's start lies at r) and angular velocity, all in the element's axes. */
static double rigid_energy(const lm_beam_shape *e, lm_v3 r, lm_v3 v, lm_v3 w)
{
    lm_v3 va = v3_add(v, v3_cross(w, r)), vb = v3_add(va, v3_cross(w, v3(e->L, 0, 0)));
    return form2(e->mx, va.x, vb.x) + form2(e->mt, w.x, w.x) +
           form(e->mz, (double[]){va.y, w.z, vb.y, w.z}) +
           form(e->my, (double[]){va.z, w.y, vb.z, w.y});
}

/* The same from the section: Simpson's rule over many intervals. */
static double section_energy(lm_section_at *at, void *ctx, double L, lm_v3 r, lm_v3 v, lm_v3 w)
{
    enum { N = 2000 };
    double sum = 0;
    for (int i = 0; i <= N; i++) {
        double x = (double)i / N, weight = (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) * L / (3.0 * N);
        lm_section s;
        at(ctx, x, &s);
        lm_v3 u = v3_add(v, v3_cross(w, v3_add(r, v3(x * L, 0, 0))));
        sum += weight * (s.rhoA * v3_dot(u, u) + (s.rhoIy + s.rhoIz) * w.x * w.x +
                         s.rhoIy * w.y * w.y + s.rhoIz * w.z * w.z);
    }
    return sum;
}

static void rigid_inertia(void **state)
{
    (void)state;
    wedge p = {0.4, 0.2, 0.6, {2.1e11, 8e10, 7800}};
    for (int timoshenko = 0; timoshenko < 2; timoshenko++) {
        lm_beam_shape e, f;
        lm_beam_shape_make(wedge_at, &p, 0.8, timoshenko, &e);
        lm_beam_shape_make(wild_at, NULL, 0.8, timoshenko, &f);
        for (int i = 0; i < 40; i++) {
            double q[9];
            for (int k = 0; k < 9; k++)
                q[k] = i < 9 ? i == k : 2.0 * rand() / RAND_MAX - 1; /* one by one, then any */
            lm_v3 r = v3_from(q), v = v3_from(q + 3), w = v3_from(q + 6);
            double a = section_energy(wedge_at, &p, 0.8, r, v, w);
            double b = section_energy(wild_at, NULL, 0.8, r, v, w);
            if (a == 0) continue;
            close_to(rigid_energy(&e, r, v, w), a, 1e-12);
            close_to(rigid_energy(&f, r, v, w), b, 1e-12);
        }
    }
}

/* Cholesky's pivots; scaled to a unit diagonal first. */
static void assert_positive(const double m[10])
{
    double a[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            a[i][j] = upper(m, i, j) / sqrt(upper(m, i, i) * upper(m, j, j));
    for (int k = 0; k < 4; k++) {
        assert_true(a[k][k] > 1e-8);
        for (int i = k + 1; i < 4; i++)
            for (int j = k + 1; j < 4; j++) a[i][j] -= a[i][k] * a[k][j] / a[k][k];
    }
}

static void definite(void **state)
{
    (void)state;
    wedge p = {0.4, 0.2, 0.9, {2.1e11, 8e10, 7800}};
    for (int i = 0; i < 8; i++) {
        lm_beam_shape e;
        lm_beam_shape_make(i & 1 ? wedge_at : wild_at, &p, i & 4 ? 2 : 0.05, i & 2, &e);
        assert_true(e.ka > 0 && e.kt > 0);
        assert_true(e.kz[0] > 0 && e.kz[0] * e.kz[2] > e.kz[1] * e.kz[1]);
        assert_true(e.ky[0] > 0 && e.ky[0] * e.ky[2] > e.ky[1] * e.ky[1]);
        assert_true(e.mx[0] > 0 && e.mx[0] * e.mx[2] > e.mx[1] * e.mx[1]);
        assert_true(e.mt[0] > 0 && e.mt[0] * e.mt[2] > e.mt[1] * e.mt[1]);
        assert_positive(e.mz);
        assert_positive(e.my);
    }
}

/* ---- terms of second order ---- */

/* Uniform elements: slopes of the axis (1 - 4x + 3x^2 + Phi (1/2 - x))/(1 + Phi) and its mirror
 * image; and Hermite's cubics for the turning chord. */
static void uniform_second_order(void **state)
{
    (void)state;
    double L = 0.7;
    lm_section s = plain;
    s.GAy = 1e7, s.GAz = 3e6;
    for (int shear = 0; shear < 2; shear++) {
        lm_beam_shape e;
        lm_beam_shape_make(uniform_at, &s, L, shear, &e);
        double P[2] = {shear * 12 * s.EIz / (s.GAy * L * L), shear * 12 * s.EIy / (s.GAz * L * L)};
        for (int k = 0; k < 2; k++) {
            const double *bow = k ? e.bowy : e.bowz, f = L / ((1 + P[k]) * (1 + P[k]));
            near(bow[0], f * (2 / 15.0 + P[k] / 6 + P[k] * P[k] / 12));
            near(bow[1], -f * (1 / 30.0 + P[k] / 6 + P[k] * P[k] / 12));
            near(bow[2], bow[0]);
        }
        if (shear) continue;
        for (int k = 0; k < 2; k++) {
            const double *turn = k ? e.turny : e.turnz, rI = k ? s.rhoIy : s.rhoIz,
                         both = s.rhoA * L / 210 + 6 * rI / (5 * L);
            near(turn[0], 2 * (both + s.rhoA * L / 60));
            close_to(turn[1], (k ? -1 : 1) * (rI - L * both) / 2, 1e-12);
            near(turn[2], both);
        }
    }
}

/* Slope of the axis of any element from its curvature, step by step: the bow is half its square. */
static void bow_of_any_element(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    const double L = 0.9;
    lm_beam_shape e;
    lm_beam_shape_make(wild_at, NULL, L, 1, &e);
    for (int plane = 0; plane < 2; plane++)
        for (int k = 0; k < 3; k++) {
            static const double ends[3][2] = {{1, 0}, {0, 1}, {1, -0.7}};
            const double *K = plane ? e.ky : e.kz, *bow = plane ? e.bowy : e.bowz;
            double a = ends[k][0], b = ends[k][1], ma = K[0] * a + K[1] * b,
                   mb = K[1] * a + K[2] * b, phi = a, sum = 0;
            for (int i = 0; i < STEPS; i++) { /* midpoints */
                lm_section c;
                double x = (i + 0.5) / STEPS, dx = L / STEPS;
                wild_at(NULL, x, &c);
                double kappa = (x * mb - (1 - x) * ma) / (plane ? c.EIy : c.EIz);
                double slope = phi + 0.5 * dx * kappa - (ma + mb) / (L * (plane ? c.GAz : c.GAy));
                sum += dx * slope * slope;
                phi += dx * kappa;
            }
            close_to(bow[0] * a * a + 2 * bow[1] * a * b + bow[2] * b * b, sum, 1e-7);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_stiffness),
        cmocka_unit_test(uniform_mass),
        cmocka_unit_test(timoshenko_mass),
        cmocka_unit_test(shear_limit),
        cmocka_unit_test(taper_exact),
        cmocka_unit_test(taper_mass),
        cmocka_unit_test(mirror),
        cmocka_unit_test(rigid_inertia),
        cmocka_unit_test(definite),
        cmocka_unit_test(uniform_second_order),
        cmocka_unit_test(bow_of_any_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
