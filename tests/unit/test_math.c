/* Rotations against their definitions, near zero, near pi and beyond; sparse patterns against a
 * dense matrix. */
#include "math/sparse.h"
#include "math/v3.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 12345;
static double rnd(void) /* -1 .. 1, the same on every machine */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)seed / 9223372036854775808.0;
}
static lm_v3 rnd3(double s) { return v3(s * rnd(), s * rnd(), s * rnd()); }

static double distance(lm_v3 a, lm_v3 b) { return v3_norm(v3_sub(a, b)); }

static double difference(lm_m3 A, lm_m3 B)
{
    double most = 0;
    for (int i = 0; i < 9; i++) most = fmax(most, fabs(A.m[i] - B.m[i]));
    return most;
}

static void under(double value, double limit)
{
    if (!(value <= limit)) fail_msg("%.3g, not under %.3g", value, limit);
}

static const double sizes[] = {0,    1e-300, 1e-160, 1e-20, 1e-9, 1e-6, 0.005, 0.00999999,
                               0.01, 0.0101, 0.1,    1,     2,    3,    3.14,  3.1415926};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static lm_v3 turned(lm_v3 psi, lm_v3 x) /* Rodrigues, in long double */
{
    long double p[3] = {psi.x, psi.y, psi.z}, v[3] = {x.x, x.y, x.z}, c[3], out[3];
    long double a = sqrtl(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), dot = 0;
    if (a == 0) return x;
    for (int i = 0; i < 3; i++) p[i] /= a;
    for (int i = 0; i < 3; i++) dot += p[i] * v[i];
    for (int i = 0; i < 3; i++)
        c[i] = p[(i + 1) % 3] * v[(i + 2) % 3] - p[(i + 2) % 3] * v[(i + 1) % 3];
    for (int i = 0; i < 3; i++)
        out[i] = cosl(a) * v[i] + sinl(a) * c[i] + (1 - cosl(a)) * dot * p[i];
    return v3((double)out[0], (double)out[1], (double)out[2]);
}

static void exponential_turns(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        lm_v3 psi = v3_mul(i < 4 * SIZES ? sizes[i % SIZES] : 20 * rnd(), v3_unit(rnd3(1)));
        lm_v3 x = rnd3(1);
        lm_quat q = lm_quat_exp(psi);
        lm_m3 R = quat_m3(q), RtR = m3_tmul(&R, &R);
        under(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1), 1e-15);
        under(difference(RtR, m3_identity()), 2e-15);
        under(distance(m3_v(&R, x), turned(psi, x)), 4e-15 * (1 + v3_norm(psi)));
        under(difference(R, lm_rot_axis_angle(v3_mul(7, psi), v3_norm(psi))), 1e-14);
    }
    under(difference(lm_rot_axis_angle(v3(0, 0, 0), 0), m3_identity()), 0);
}

/* Back from the quaternion, and from the matrix. */
static void logarithm_inverts(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        lm_v3 psi =
            v3_mul(i < 4 * SIZES ? sizes[i % SIZES] : 3.1415 * fabs(rnd()), v3_unit(rnd3(1)));
        lm_quat q = lm_quat_exp(psi), minus = {-q.w, -q.x, -q.y, -q.z};
        lm_m3 R = quat_m3(q);
        under(distance(lm_quat_log(q), psi), 2e-15 * (v3_norm(psi) + DBL_MIN));
        under(distance(lm_quat_log(minus), psi), 2e-15 * (v3_norm(psi) + DBL_MIN)); /* same turn */
        lm_quat back = lm_quat_from_m3(&R);
        under(difference(quat_m3(back), R), 2e-15);
    }
    /* half a turn about each axis, where the trace says nothing */
    for (int k = 0; k < 3; k++) {
        lm_v3 axis = v3(k == 0, k == 1, k == 2);
        lm_m3 R = lm_rot_axis_angle(axis, 3.14159265358979323846);
        lm_quat q = lm_quat_from_m3(&R);
        under(fabs(fabs(v3_dot(axis, v3(q.x, q.y, q.z))) - 1), 1e-15);
    }
}

static void product_is_composition(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        lm_quat a = lm_quat_exp(rnd3(3)), b = lm_quat_exp(rnd3(3));
        lm_m3 A = quat_m3(a), B = quat_m3(b);
        under(difference(quat_m3(quat_mul(a, b)), m3_mul(&A, &B)), 2e-15);
        lm_v3 x = rnd3(1), y = rnd3(1);
        lm_m3 X = m3_skew(x), Y = m3_skew(y);
        under(distance(m3_v(&X, y), v3_cross(x, y)), 1e-16);
        under(difference(m3_mul(&X, &Y), m3_skew_skew(x, y)), 5e-16);
        lm_m3 At = m3_t(&A);
        under(distance(m3_v(&At, x), m3_tv(&A, x)), 0);
    }
}

/* omega = T(psi) d(psi)/dt with R = exp(psi) R0, by central differences; Tinv is its inverse. */
static void tangent_operators(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        lm_v3 psi = v3_mul(i < 4 * SIZES ? sizes[i % SIZES] : 6 * rnd(), v3_unit(rnd3(1)));
        lm_v3 rate = rnd3(1);
        lm_m3 T = lm_rot_tangent(psi), Ti = lm_rot_tangent_inverse(psi);
        const double h = 1e-5;
        lm_quat q1 = lm_quat_exp(v3_add(psi, v3_mul(h, rate)));
        lm_quat q0 = lm_quat_exp(v3_sub(psi, v3_mul(h, rate)));
        lm_quat back = {q0.w, -q0.x, -q0.y, -q0.z};
        lm_v3 omega = v3_mul(0.5 / h, lm_quat_log(quat_mul(q1, back)));
        under(distance(m3_v(&T, rate), omega), 1e-9);
        double left = fabs(v3_norm(psi) - 2 * 3.14159265358979323846); /* Tinv has a pole there */
        under(difference(m3_mul(&T, &Ti), m3_identity()), 1e-13 / fmin(1, left));
        under(distance(m3_v(&T, psi), psi), 1e-14);
    }
}

static void triads_are_right_handed(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        lm_v3 axis = i < 6 ? v3(i % 3 == 0, i % 3 == 1, i % 3 == 2) : rnd3(1);
        if (i >= 3 && i < 6) axis = v3_neg(axis);
        lm_m3 E = lm_triad(v3_mul(1e-3 + i, axis)), EtE = m3_tmul(&E, &E);
        under(difference(EtE, m3_identity()), 1e-15);
        under(distance(m3_col(&E, 2), v3_unit(axis)), 1e-15);
        under(distance(v3_cross(m3_col(&E, 0), m3_col(&E, 1)), m3_col(&E, 2)), 1e-15);
    }
}

static void angles_count_turns(void **state)
{
    (void)state;
    const double turn = 6.283185307179586476925286766559;
    for (int i = 0; i < 200; i++) {
        double angle = 3.1 * rnd(), near = angle + 3.1 * rnd() + turn * floor(1000 * rnd());
        double found = lm_angle_near(angle, near), turns = (found - angle) / turn;
        under(fabs(found - near), 0.5 * turn + 1e-9);
        under(fabs(turns - round(turns)), 1e-12);
    }
    assert_true(lm_angle_near(0.25, 0.3) == 0.25); /* no rounding where nothing is to be done */
}

/* ---- sparse ---- */

enum { N = 40 };

static void patterns_hold_what_was_added(void **state)
{
    (void)state;
    lm_arena arena = {0};
    lm_pattern_builder b = {.arena = &arena};
    lm_pattern p;
    static char dense[N][N];
    for (int k = 0; k < 400; k++) { /* many of them twice */
        int r = (int)(20 + 19.9 * rnd()), c = (int)(20 + 19.9 * rnd());
        assert_int_equal(lm_pattern_add(&b, r, c), 0);
        dense[r][c] = 1;
    }
    assert_int_equal(lm_pattern_block(&b, 30, 5, 6, 3), 0);
    for (int r = 30; r < 36; r++)
        for (int c = 5; c < 8; c++) dense[r][c] = 1;
    assert_int_equal(lm_pattern_make(&b, &arena, N, &p), 0);
    int nnz = 0;
    double values[N * N], x[N], y[N], z[N];
    for (int c = 0; c < N; c++)
        for (int r = 0; r < N; r++) {
            int k = lm_pattern_find(&p, r, c);
            assert_int_equal(k >= 0, dense[r][c]);
            if (k < 0) continue;
            assert_int_equal(p.rowind[k], r);
            assert_in_range(k, p.colptr[c], p.colptr[c + 1] - 1);
            values[k] = 100 * r + c;
            nnz++;
        }
    assert_int_equal(p.nnz, nnz);
    for (int i = 0; i < N; i++) x[i] = i + 1, y[i] = z[i] = i;
    lm_sparse_mul(&p, values, -2, x, y);
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++)
            if (dense[r][c]) z[r] -= 2 * (100 * r + c) * x[c];
    for (int i = 0; i < N; i++) assert_true(y[i] == z[i]);
    lm_arena_free(&arena);
}

static void empty_patterns(void **state)
{
    (void)state;
    lm_arena arena = {0};
    lm_pattern p;
    lm_pattern_builder none = {.arena = &arena};
    assert_int_equal(lm_pattern_make(&none, &arena, 0, &p), 0);
    assert_int_equal(p.nnz, 0);
    assert_int_equal(p.colptr[0], 0);
    assert_int_equal(lm_pattern_make(&none, &arena, 3, &p), 0);
    for (int i = 0; i < 3; i++) assert_int_equal(lm_pattern_find(&p, i, i), -1);
    lm_arena_free(&arena);
}

static void patterns_without_memory(void **state)
{
    (void)state;
    long live = lm_mem_live();
    for (int k = 1;; k++) {
        lm_arena arena = {0};
        lm_pattern_builder b = {.arena = &arena};
        lm_pattern p;
        lm_mem_fail_after(k);
        for (int i = 0; i < 1000; i++) lm_pattern_add(&b, i, 999 - i);
        int bad = lm_pattern_make(&b, &arena, 1000, &p);
        lm_mem_fail_after(0);
        lm_arena_free(&arena);
        assert_int_equal(lm_mem_live(), live);
        if (!bad) {
            assert_true(k > 3);
            return;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_turns),
        cmocka_unit_test(logarithm_inverts),
        cmocka_unit_test(product_is_composition),
        cmocka_unit_test(tangent_operators),
        cmocka_unit_test(triads_are_right_handed),
        cmocka_unit_test(angles_count_turns),
        cmocka_unit_test(patterns_hold_what_was_added),
        cmocka_unit_test(empty_patterns),
        cmocka_unit_test(patterns_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
