/* Measures: gradient, Hessian and bias against differences at random poses. */
#include "elem/pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }
static lm_v3 rnd3(double s) { return v3(s * rnd(), s * rnd(), s * rnd()); }

typedef struct state { /* nodes' poses and the pair's places on them */
    lm_v3 x[2], r[2];
    lm_quat q[2];
    lm_m3 E[2];
} state;

static lm_pair_pose pose(const state *s)
{
    lm_m3 R[2] = {quat_m3(s->q[0]), quat_m3(s->q[1])};
    lm_pair_pose p;
    for (int k = 0; k < 2; k++) p.rho[k] = m3_v(&R[k], s->r[k]);
    p.d = v3_sub(v3_add(s->x[1], p.rho[1]), v3_add(s->x[0], p.rho[0]));
    p.e = m3_mul(&R[0], &s->E[0]);
    p.f = m3_mul(&R[1], &s->E[1]);
    return p;
}

static state random_state(double tilt)
{
    state s;
    for (int k = 0; k < 2; k++) {
        s.x[k] = rnd3(1);
        s.r[k] = rnd3(1);
        s.q[k] = lm_quat_exp(rnd3(1.5));
        s.E[k] = quat_m3(lm_quat_exp(rnd3(1)));
    }
    /* b's triad near a's, turned by `tilt` at most, so that angles are well defined */
    lm_m3 Ra = quat_m3(s.q[0]), Rb = quat_m3(s.q[1]), T = quat_m3(lm_quat_exp(rnd3(tilt)));
    lm_m3 e = m3_mul(&Ra, &s.E[0]), f = m3_mul(&e, &T);
    s.E[1] = m3_tmul(&Rb, &f);
    return s;
}

static state moved(state s, const lm_v3 v[4], double h)
{
    for (int k = 0; k < 2; k++) {
        s.x[k] = v3_add(s.x[k], v3_mul(h, v[2 * k]));
        s.q[k] = quat_unit(quat_mul(lm_quat_exp(v3_mul(h, v[2 * k + 1])), s.q[k]));
    }
    return s;
}

static void check(lm_measure m, int i, int j, double tilt)
{
    state s = random_state(tilt);
    lm_v3 v[4] = {rnd3(1), rnd3(1), rnd3(1), rnd3(1)}, G[4], Gp[4], Gm[4];
    lm_m3 H[4][4];
    double h = 1e-6;
    lm_pair_pose p = pose(&s);
    state sp = moved(s, v, h), sm = moved(s, v, -h);
    lm_pair_pose pp = pose(&sp), pm = pose(&sm);
    double rate = 0,
           fd = (lm_measure_value(m, i, j, &pp) - lm_measure_value(m, i, j, &pm)) / (2 * h);
    lm_measure_grad(m, i, j, &p, G);
    for (int k = 0; k < 4; k++) rate += v3_dot(G[k], v[k]);
    assert_true(fabs(rate - fd) < 1e-7 * (1 + fabs(fd)));
    unsigned set = lm_measure_hess(m, i, j, &p, H);
    assert_int_equal(set, lm_measure_blocks(m));
    lm_measure_grad(m, i, j, &pp, Gp);
    lm_measure_grad(m, i, j, &pm, Gm);
    double bias = 0;
    for (int r = 0; r < 4; r++) {
        lm_v3 d = v3(0, 0, 0), f = v3_mul(1 / (2 * h), v3_sub(Gp[r], Gm[r]));
        for (int c = 0; c < 4; c++)
            if (set >> (4 * r + c) & 1) d = v3_add(d, m3_v(&H[r][c], v[c]));
        assert_true(v3_norm(v3_sub(d, f)) < 2e-7 * (1 + v3_norm(f)));
        bias += v3_dot(d, v[r]);
    }
    assert_true(fabs(bias - lm_measure_bias(m, i, j, &p, v)) < 1e-12 * (1 + fabs(bias)));
}

static void test_derivatives(void **unused)
{
    (void)unused;
    for (int n = 0; n < 200; n++) {
        for (int i = 0; i < 3; i++) {
            check(LM_POINT, i, 0, 3);
            check(LM_ALONG, i, 0, 3);
            check(LM_MEAN, i, 0, 3);
            check(LM_ANTI, i, 0, 3);
            check(LM_ROTVEC, i, 0, 1);
            check(LM_ROTVEC, i, 0, 1e-3);
            for (int j = 0; j < 3; j++) check(LM_DOT, i, j, 3);
        }
        check(LM_LENGTH, 0, 0, 3);
        check(LM_TWIST, 2, 0, 0.8);
        check(LM_ANGLE1, 0, 0, 0.8);
        check(LM_ANGLE2, 1, 0, 0.8);
    }
}

/* The axes of dampers turn with a. */
static void check_spin(int i)
{
    state s = random_state(3);
    lm_v3 v[4] = {rnd3(1), rnd3(1), rnd3(1), rnd3(1)}, G[4], Gp[4], Gm[4];
    lm_m3 H[4][4];
    double h = 1e-6;
    state sp = moved(s, v, h), sm = moved(s, v, -h);
    lm_pair_pose p = pose(&s), pp = pose(&sp), pm = pose(&sm);
    assert_true(lm_measure_value(LM_SPIN, i, 0, &p) == 0);
    lm_measure_grad(LM_SPIN, i, 0, &p, G);
    lm_measure_grad(LM_SPIN, i, 0, &pp, Gp);
    lm_measure_grad(LM_SPIN, i, 0, &pm, Gm);
    double rate = 0, is = v3_dot(m3_col(&p.e, i), v3_sub(v[3], v[1]));
    for (int k = 0; k < 4; k++) rate += v3_dot(G[k], v[k]);
    assert_true(fabs(rate - is) < 1e-14);
    unsigned set = lm_measure_hess(LM_SPIN, i, 0, &p, H);
    for (int r = 0; r < 4; r++) {
        lm_v3 d = v3(0, 0, 0), f = v3_mul(1 / (2 * h), v3_sub(Gp[r], Gm[r]));
        for (int c = 0; c < 4; c++)
            if (set >> (4 * r + c) & 1) d = v3_add(d, m3_v(&H[r][c], v[c]));
        assert_true(v3_norm(v3_sub(d, f)) < 2e-7 * (1 + v3_norm(f)));
    }
}

static void test_spin(void **unused)
{
    (void)unused;
    for (int n = 0; n < 100; n++) check_spin(n % 3);
}

/* A turn by phi about the axis is measured as phi, with the right sign. */
static void test_signs(void **unused)
{
    (void)unused;
    for (int k = -5; k <= 5; k++) {
        double phi = 0.6 * k;
        lm_pair_pose p = {.e = m3_identity()};
        p.f = lm_rot_axis_angle(v3(0, 0, 1), phi);
        assert_true(fabs(lm_measure_value(LM_TWIST, 2, 0, &p) - phi) < 1e-14);
        assert_true(fabs(lm_measure_value(LM_ROTVEC, 2, 0, &p) - phi) < 1e-14);
        assert_true(fabs(lm_measure_value(LM_ANTI, 2, 0, &p) - sin(phi)) < 1e-14);
        /* universal: turn about e1 by phi, then about the new f2 by 0.3 */
        lm_m3 A = lm_rot_axis_angle(v3(1, 0, 0), phi), B = lm_rot_axis_angle(v3(0, 1, 0), 0.3);
        p.f = m3_mul(&A, &B);
        assert_true(fabs(lm_measure_value(LM_ANGLE1, 0, 0, &p) - phi) < 1e-14);
        assert_true(fabs(lm_measure_value(LM_ANGLE2, 1, 0, &p) - 0.3) < 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
