/* Cross sections against closed forms, published constants and integration over the shape. */
#include "elem/section.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static void close_to(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected)))
        fail_msg("%.17g, expected %.17g (off by %.3g)", found, expected,
                 fabs(found / expected - 1));
}
#define ROUNDING              1e-14
#define near(found, expected) close_to(found, expected, ROUNDING)

static const lm_elastic steel = {2.1e11, 2.1e11 / 2.6, 7800}; /* nu 0.3 */

static void rectangle(void **state)
{
    (void)state;
    double h = 0.06, w = 0.02;
    lm_section s = lm_section_rectangle(&steel, h, w);
    near(s.EA, 2.1e11 * h * w);
    near(s.EIz, 2.1e11 * w * h * h * h / 12); /* height is along y: bending in xy */
    near(s.EIy, 2.1e11 * h * w * w * w / 12);
    near(s.rhoA, 7800 * h * w);
    near(s.rhoIz, 7800 * w * h * h * h / 12);
    near(s.rhoIy, 7800 * h * w * w * w / 12);
    near(s.GAy, 13.0 / 15.3 * steel.G * h * w);
    near(s.GAz, s.GAy);
    near(s.A, h * w);
    near(s.Wz, w * h * h / 6);
    near(s.Wy, h * w * w / 6);
    assert_int_equal(s.round, 0);
}

static void circle_and_tube(void **state)
{
    (void)state;
    double R = 0.03, t = 0.004, r = R - t, nu = 0.3;
    lm_section c = lm_section_circle(&steel, R), p = lm_section_tube(&steel, R, t);
    near(c.EA, 2.1e11 * PI * R * R);
    near(c.EIy, 2.1e11 * PI * pow(R, 4) / 4);
    near(c.EIz, c.EIy);
    near(c.GJ, steel.G * PI * pow(R, 4) / 2);
    near(c.GAy, 7.8 / 8.8 * steel.G * PI * R * R);
    near(c.Wy, PI * pow(R, 3) / 4);
    assert_int_equal(c.round, 1);
    near(p.EA, 2.1e11 * PI * (R * R - r * r));
    near(p.EIz, 2.1e11 * PI * (pow(R, 4) - pow(r, 4)) / 4);
    near(p.GJ, steel.G * PI * (pow(R, 4) - pow(r, 4)) / 2);
    near(p.Wz, PI * (pow(R, 4) - pow(r, 4)) / (4 * R));
    near(p.rhoIy + p.rhoIz, 7800 * PI * (pow(R, 4) - pow(r, 4)) / 2);
    /* the factor of the thin tube is 2 (1 + nu)/(4 + 3 nu), and differs from it by O(t^2) */
    lm_section thin = lm_section_tube(&steel, R, 1e-6 * R);
    close_to(thin.GAy / (steel.G * thin.A), 2 * (1 + nu) / (4 + 3 * nu), 1e-11);
    near(thin.A, 2 * PI * R * 1e-6 * R * (1 - 0.5e-6));
}

/* Integrals of y^2 and z^2 over a box by Simpson's rule in strips, exact for the cubics in it. */
static double strips(double from, double to, double width)
{
    double m = 0.5 * (from + to);
    return (to - from) / 6 * width * (from * from + 4 * m * m + to * to);
}

static void box(void **state)
{
    (void)state;
    double h = 0.08, w = 0.05, t = 0.006;
    lm_section s = lm_section_box(&steel, h, w, t);
    double Iz = 2 * (strips(0, h / 2 - t, 2 * t) + strips(h / 2 - t, h / 2, w));
    double Iy = 2 * (strips(0, w / 2 - t, 2 * t) + strips(w / 2 - t, w / 2, h));
    near(s.A, h * w - (h - 2 * t) * (w - 2 * t));
    near(s.EIz, 2.1e11 * Iz);
    near(s.EIy, 2.1e11 * Iy);
    near(s.Wz, Iz / (h / 2));
    near(s.Wy, Iy / (w / 2));
    near(s.rhoIz, 7800 * Iz);
    double Am = (h - t) * (w - t), U = 2 * (h + w - 2 * t); /* Bredt */
    near(s.GJ, steel.G * 4 * Am * Am * t / U);
}

/* Cowper's (1966) factor of a box with a thin wall, b flange, h web between middle lines. */
static double cowper_box(double nu, double h, double b)
{
    double m = b / h, n = b / h;
    return 10 * (1 + nu) * (1 + 3 * m) * (1 + 3 * m) /
           ((12 + 72 * m + 150 * m * m + 90 * m * m * m) +
            nu * (11 + 66 * m + 135 * m * m + 90 * m * m * m) +
            10 * n * n * ((3 + nu) * m + 3 * m * m));
}

static void shear_of_a_box(void **state)
{
    (void)state;
    double nu = 0.3;
    for (int i = 0; i < 3; i++) { /* thin wall: the error is of the order of t */
        double h = 1, w = (double[]){0.4, 1, 2.5}[i], t = 1e-7;
        lm_section s = lm_section_box(&steel, h, w, t);
        close_to(s.GAy / (steel.G * s.A), cowper_box(nu, h, w), 1e-6);
        close_to(s.GAz / (steel.G * s.A), cowper_box(nu, w, h), 1e-6);
    }
    /* the hole closes: a rectangle */
    lm_section full = lm_section_box(&steel, 3, 1, 0.5), solid = lm_section_rectangle(&steel, 3, 1);
    near(full.GAy, solid.GAy);
    near(full.EIz, solid.EIz);
    near(full.EA, solid.EA);
    /* S = int Q^2/(2t) dy + flanges, with Q by summing what lies above y: nu = 0, thick wall */
    const lm_elastic nu0 = {2, 1, 1};
    double h = 1, w = 0.7, t = 0.15, S = 0, I = 0, Q = 0;
    int n = 200000;
    for (int i = n - 1; i >= 0; i--) { /* upper half, from the top down */
        double y = (i + 0.5) * h / 2 / n, dy = h / 2 / n;
        double width = y > h / 2 - t ? w : 2 * t, dQ = y * width * dy;
        S += 2 * (Q + dQ / 2) * (Q + dQ / 2) / (2 * t) * dy;
        Q += dQ;
        I += 2 * y * y * width * dy;
    }
    for (int i = 0; i < n; i++) {
        double in = w - 2 * t, z = ((i + 0.5) / n - 0.5) * in, q = z * (h - t) / 2;
        S += 2 * q * q * t * in / n;
    }
    lm_section s = lm_section_box(&nu0, h, w, t);
    close_to(s.GAy, I * I / S, 1e-8);
}

static void torsion_of_a_rectangle(void **state)
{
    (void)state;
    /* the square, Timoshenko and Goodier: 0.1406 a^4; more digits from the plain series */
    close_to(lm_torsion_rectangle(1, 1), 0.1406, 2e-4);
    for (int i = 0; i < 5; i++) {
        double a = (double[]){1, 1.2, 2, 5, 40}[i], b = 1, sum = 0;
        for (int n = 4001; n >= 1; n -= 2) sum += tanh(n * PI * a / (2 * b)) / pow(n, 5);
        double J = a * b * b * b * (1.0 / 3 - 64 * b / (pow(PI, 5) * a) * sum);
        close_to(lm_torsion_rectangle(a, b), J, 1e-13);
        near(lm_torsion_rectangle(b, a), lm_torsion_rectangle(a, b));
    }
    /* a thin strip: t^3 (l - 0.630 t)/3 */
    close_to(lm_torsion_rectangle(1000, 1), (1000 - 0.63025) / 3, 1e-8);
    /* the Princeton beam */
    lm_elastic al = {71.7e9, 71.7e9 / 2.62, 2700};
    lm_section s = lm_section_rectangle(&al, 12.377e-3, 3.2024e-3);
    close_to(s.GJ, 3.1033, 2e-5);
    close_to(s.EIy, 2.4287, 2e-5);
    close_to(s.EIz, 36.279, 2e-5);
}

static void stress(void **state)
{
    (void)state;
    lm_section r = lm_section_rectangle(&steel, 0.06, 0.02), c = lm_section_circle(&steel, 0.01);
    double N = -900, My = 30, Mz = -40, worst = 0;
    for (int i = 0; i < 4; i++) { /* the corners */
        double y = i & 1 ? 0.03 : -0.03, z = i & 2 ? 0.01 : -0.01;
        double sigma = N / r.A + My * z / (r.EIy / 2.1e11) - Mz * y / (r.EIz / 2.1e11);
        worst = fmax(worst, fabs(sigma));
    }
    near(lm_section_stress(&r, N, My, Mz), worst);
    near(lm_section_stress(&c, 0, My, Mz), 50 / (PI * 1e-6 / 4));
    near(lm_section_stress(&c, N, 0, 0), 900 / (PI * 1e-4));
    lm_section g = lm_section_general(&steel, 1, 2, 3, 4, 0.5, 0.25);
    assert_true(isnan(lm_section_stress(&g, N, My, Mz)));
    near(g.A, 1);
    near(g.GAy, 0.5 * steel.G);
    near(g.GAz, 0.25 * steel.G);
    near(g.EIy, 2 * 2.1e11);
    near(g.EIz, 3 * 2.1e11);
    near(g.GJ, 4 * steel.G);
    assert_true(isnan(g.Wy) && isnan(g.Wz));
}

/* Lengths in mm and N, with density in t/mm^3, give the same beam. */
static void units(void **state)
{
    (void)state;
    lm_elastic mm = {steel.E * 1e-6, steel.G * 1e-6, steel.rho * 1e-12};
    lm_section a = lm_section_box(&steel, 0.08, 0.05, 0.006), b = lm_section_box(&mm, 80, 50, 6);
    near(b.EA, a.EA);
    near(b.EIy, a.EIy * 1e6);
    near(b.GJ, a.GJ * 1e6);
    near(b.GAz, a.GAz);
    near(b.rhoA, a.rhoA * 1e-6);
    near(b.rhoIz, a.rhoIz);
    near(b.Wz, a.Wz * 1e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangle),
        cmocka_unit_test(circle_and_tube),
        cmocka_unit_test(box),
        cmocka_unit_test(shear_of_a_box),
        cmocka_unit_test(torsion_of_a_rectangle),
        cmocka_unit_test(stress),
        cmocka_unit_test(units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
