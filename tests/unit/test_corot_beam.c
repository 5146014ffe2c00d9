/* The corotational beam element: its forces against its energies, its tangent against differences
 * of its forces, and the linear limit. */
#include "unit/corot_case.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void check_log(lm_v3 b)
{
    lm_m3 S = rotation(b);
    lm_lane m[9];
    corot_end e;
    for (int i = 0; i < 9; i++) m[i] = lane_all(S.m[i]);
    corot_log(lm3_from(m), &e);
    lm_lane3 r = corot_rotvec(&e), x = corot_tinv(&e, l3_all(1, 2, 3)),
             xt = corot_tinv_t(&e, l3_all(1, 2, 3));
    double w = cos(0.5 * v3_norm(b)), tol = 4 * DBL_EPSILON / (w * w);
    lm_m3 T = lm_rot_tangent_inverse(b);
    lm_v3 y = m3_v(&T, v3(1, 2, 3)), yt = m3_tv(&T, v3(1, 2, 3));
    assert_true(v3_norm(v3_sub(v3(r.x[0], r.y[1], r.z[2]), b)) < tol * (0.1 + v3_norm(b)));
    assert_true(v3_norm(v3_sub(v3(x.x[0], x.y[1], x.z[2]), y)) < 16 * tol);
    assert_true(v3_norm(v3_sub(v3(xt.x[0], xt.y[1], xt.z[2]), yt)) < 16 * tol);
}

/* The rotation vector and its tangent operator, from nothing to almost half a turn; the matrix
 * alone leaves an uncertainty of rounding/cos^2(|b|/2). */
static void test_log(void **unused)
{
    (void)unused;
    check_log(v3(0, 0, 0));
    for (int n = 0; n < 20000; n++) {
        double angle = n % 2 ? 3.1 * rand() / RAND_MAX : pow(10, -12.0 * rand() / RAND_MAX);
        check_log(v3_mul(angle, v3_unit(rnd3(1))));
    }
}

static void check_tangent(const element *e, double strain, double tilt)
{
    motion m = random_motion(e, strain, tilt);
    for (int kind = 0; kind < 3; kind++) {
        double J[12][12], w[3] = {kind == 0, kind == 1, kind == 2}, h = 1e-3, size = 0, worst = 0;
        tangent(e, &m, gravity, w, J);
        for (int c = 0; c < 12; c++) {
            double f[4][12], step[4] = {h, -h, 2 * h, -2 * h};
            for (int k = 0; k < 4; k++) {
                motion mk = changed(m, kind, c, step[k]);
                residual(e, &mk, gravity, f[k]);
            }
            for (int r = 0; r < 12; r++) {
                double d = slope(h, f[0][r], f[1][r], f[2][r], f[3][r]);
                size = fmax(size, fabs(d));
                worst = fmax(worst, fabs(d - J[c][r]));
            }
        }
        assert_true(worst < 1e-9 * size);
    }
}

static void test_tangent(void **unused)
{
    (void)unused;
    for (int n = 0; n < 40; n++) {
        element e = random_element(n % 2, n % 4 < 2 ? 0.7 : 0);
        check_tangent(&e, 0.2, 0.5);
        check_tangent(&e, 0.01, 0.01);
        check_tangent(&e, 0, 0);
    }
}

/* The three parts add up, and a mass matrix alone is the same one. */
static void test_tangent_parts(void **unused)
{
    (void)unused;
    element e = random_element(0, 0.7);
    motion m = random_motion(&e, 0.2, 0.5);
    double J[4][12][12], w[4][3] = {{0.3, 0, 0}, {0, -1.1, 0}, {0, 0, 0.8}, {0.3, -1.1, 0.8}};
    for (int k = 0; k < 4; k++) tangent(&e, &m, gravity, w[k], J[k]);
    for (int i = 0; i < 144; i++) {
        int c = i / 12, r = i % 12;
        assert_true(fabs(J[0][c][r] + J[1][c][r] + J[2][c][r] - J[3][c][r]) < 1e-13);
        assert_true(fabs(J[0][c][r] - J[0][r][c]) < 1e-14);
    }
}

/* At rest: forces are the gradient of elastic energy and gravity. */
static void test_potential(void **unused)
{
    (void)unused;
    for (int n = 0; n < 50; n++) {
        element e = random_element(n % 2, 0.7);
        motion m = at_rest(random_motion(&e, 0.2, 0.6));
        double f[12], h = 1e-3;
        residual(&e, &m, gravity, f);
        for (int i = 0; i < 12; i++) {
            double E[4], step[4] = {h, -h, 2 * h, -2 * h};
            for (int k = 0; k < 4; k++) {
                motion mk = moved(m, i, step[k]);
                energies en = energy(&e, &mk, gravity);
                E[k] = en.V + en.G;
            }
            assert_true(fabs(slope(h, E[0], E[1], E[2], E[3]) - f[i]) < 1e-9);
        }
    }
}

/* Momenta dT/dv; T is a quadratic form, so differences are exact. */
static void momenta(const element *e, const motion *m, double p[12])
{
    for (int i = 0; i < 12; i++) {
        motion a = changed(*m, 1, i, 0.5), b = changed(*m, 1, i, -0.5);
        p[i] = energy(e, &a, gravity).T - energy(e, &b, gravity).T;
    }
}

/* Inertia from the kinetic energy alone: d/dt dT/dv - dT/d(motion) - [rotations] w x dT/dw. */
static void test_inertia(void **unused)
{
    (void)unused;
    for (int n = 0; n < 50; n++) {
        element e = random_element(n % 2, 0);
        motion m = random_motion(&e, 0.2, 0.5), still = at_rest(m);
        double f[12], f0[12], p[12], pk[4][12], h = 1e-3, step[4] = {h, -h, 2 * h, -2 * h};
        residual(&e, &m, gravity, f);
        residual(&e, &still, gravity, f0);
        momenta(&e, &m, p);
        for (int k = 0; k < 4; k++) {
            motion mk = later(m, step[k]);
            momenta(&e, &mk, pk[k]);
        }
        for (int i = 0; i < 12; i++) {
            double T[4], gyro = 0;
            for (int k = 0; k < 4; k++) {
                motion mk = moved(m, i, step[k]);
                T[k] = energy(&e, &mk, gravity).T;
            }
            if (i % 6 > 2) gyro = v3_get(v3_cross(m.v[i / 3], v3_from(p + 3 * (i / 3))), i % 3);
            double want = slope(h, pk[0][i], pk[1][i], pk[2][i], pk[3][i]) -
                          slope(h, T[0], T[1], T[2], T[3]) - gyro;
            assert_true(fabs(f[i] - f0[i] - want) < 1e-8);
        }
    }
}

/* Power of the forces = rate of all energy + dissipation, for any motion. */
static void test_power(void **unused)
{
    (void)unused;
    for (int n = 0; n < 100; n++) {
        element e = random_element(n % 2, 0.7);
        motion m = random_motion(&e, 0.2, 0.5);
        double f[12], E[4], power = 0, h = 1e-3, step[4] = {h, -h, 2 * h, -2 * h};
        residual(&e, &m, gravity, f);
        for (int i = 0; i < 12; i++) power += f[i] * v3_get(m.v[i / 3], i % 3);
        for (int k = 0; k < 4; k++) {
            motion mk = later(m, step[k]);
            energies en = energy(&e, &mk, gravity);
            E[k] = en.T + en.V + en.G;
        }
        double rate = slope(h, E[0], E[1], E[2], E[3]) + energy(&e, &m, gravity).loss;
        assert_true(fabs(power - rate) < 1e-8);
    }
}

static void test_linear_limit(void **unused)
{
    (void)unused;
    element e = uniform_element(&bar);
    double K[12][12], M[12][12], J[2][12][12], w[2][3] = {{0, 0, 1}, {1, 0, 0}}, f[12];
    textbook(&bar, K, M);
    for (int n = 0; n < 20; n++) {
        motion m = at_rest(random_motion(&e, 0, 0)), d = m;
        e.centred = n % 2;
        for (int k = 0; k < 2; k++) tangent(&e, &m, v3(0, 0, 0), w[k], J[k]);
        double small[12];
        for (int i = 0; i < 12; i++) d = moved(d, i, small[i] = 1e-8 * rnd());
        residual(&e, &d, v3(0, 0, 0), f);
        for (int r = 0; r < 12; r++) {
            double Kd = 0;
            for (int c = 0; c < 12; c++) {
                double k = turned_entry(&m.R[0], K, r, c);
                assert_true(fabs(J[0][c][r] - k) < 2e-13);
                assert_true(fabs(J[1][c][r] - turned_entry(&m.R[0], M, r, c)) < 2e-14);
                Kd += k * small[c];
            }
            assert_true(fabs(f[r] - Kd) < 1e-13);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log),           cmocka_unit_test(test_tangent),
        cmocka_unit_test(test_tangent_parts), cmocka_unit_test(test_potential),
        cmocka_unit_test(test_inertia),       cmocka_unit_test(test_power),
        cmocka_unit_test(test_linear_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
