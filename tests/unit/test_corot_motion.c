/* The corotational beam element: rigid motions, damping, weight, and the independence of lanes. */
#include "unit/corot_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static motion rigidly(motion m, const lm_m3 *Q, lm_v3 shift)
{
    for (int i = 0; i < 2; i++) {
        m.x[i] = v3_add(m3_v(Q, m.x[i]), shift);
        m.R[i] = m3_mul(Q, &m.R[i]);
    }
    for (int i = 0; i < 4; i++) m.v[i] = m3_v(Q, m.v[i]), m.a[i] = m3_v(Q, m.a[i]);
    return m;
}

static void test_rigid_motion(void **unused)
{
    (void)unused;
    for (int n = 0; n < 200; n++) {
        element e = random_element(n % 2, 0.7);
        motion m = at_rest(random_motion(&e, 0, 0)), bent = random_motion(&e, 0.2, 0.5);
        lm_m3 Q = lm_rot_axis_angle(rnd3(1), 7 * rnd());
        motion turned = rigidly(m, &Q, rnd3(1)), other = rigidly(bent, &Q, rnd3(1));
        double f[12], V = energy(&e, &bent, gravity).V;
        residual(&e, &turned, v3(0, 0, 0), f);
        for (int i = 0; i < 12; i++) assert_true(fabs(f[i]) < 2e-14);
        assert_true(fabs(energy(&e, &turned, gravity).V) < 1e-29);
        assert_true(fabs(energy(&e, &other, gravity).V - V) < 1e-14);
    }
}

/* Everything turned, gravity too: forces and tangent turn with it. */
static void test_turned_state(void **unused)
{
    (void)unused;
    for (int n = 0; n < 50; n++) {
        element e = random_element(n % 2, 0.7);
        motion m = random_motion(&e, 0.2, 0.5);
        lm_m3 Q = lm_rot_axis_angle(rnd3(1), 7 * rnd());
        motion t = rigidly(m, &Q, rnd3(1));
        double f[12], ft[12], J[12][12], Jt[12][12], w[3] = {1.1, 0.9, 0.7};
        residual(&e, &m, gravity, f);
        residual(&e, &t, m3_v(&Q, gravity), ft);
        tangent(&e, &m, gravity, w, J);
        tangent(&e, &t, m3_v(&Q, gravity), w, Jt);
        for (int r = 0; r < 12; r++) {
            double want = v3_get(m3_v(&Q, v3_from(f + r / 3 * 3)), r % 3);
            assert_true(fabs(ft[r] - want) < 2e-14);
            for (int c = 0; c < 12; c++)
                assert_true(fabs(Jt[c][r] - turned_entry(&Q, J, r, c)) < 2e-13);
        }
    }
}

/* Velocities and accelerations of a rigid body that turns about the point o. */
static motion spinning(motion m, lm_v3 o, lm_v3 w, lm_v3 al)
{
    for (int i = 0; i < 2; i++) {
        lm_v3 r = v3_sub(m.x[i], o), v = v3_cross(w, r);
        m.v[2 * i] = v, m.v[2 * i + 1] = w;
        m.a[2 * i] = v3_add(v3_cross(al, r), v3_cross(w, v)), m.a[2 * i + 1] = al;
    }
    return m;
}

/* The undeformed element as a rigid body: m a_c, and J al + w x J w about the mass centre. */
static void test_rigid_body_inertia(void **unused)
{
    (void)unused;
    element e = uniform_element(&bar);
    double mass = bar.rA * bar.L, I = mass * bar.L * bar.L / 12;
    for (int n = 0; n < 50; n++) {
        lm_v3 o = rnd3(1), w = rnd3(2), al = rnd3(2);
        e.centred = n % 2;
        motion m = spinning(random_motion(&e, 0, 0), o, w, al);
        double f[12];
        residual(&e, &m, v3(0, 0, 0), f);
        lm_m3 J0 = m3_diag(0);
        J0.m[0] = (bar.rIy + bar.rIz) * bar.L, J0.m[4] = I + bar.rIy * bar.L,
        J0.m[8] = I + bar.rIz * bar.L;
        lm_m3 RJ = m3_mul(&m.R[0], &J0), Rt = m3_t(&m.R[0]), J = m3_mul(&RJ, &Rt);
        lm_v3 c = v3_mul(0.5, v3_add(m.x[0], m.x[1])), r = v3_sub(c, o);
        lm_v3 force = v3_mul(mass, v3_add(v3_cross(al, r), v3_cross(w, v3_cross(w, r))));
        lm_v3 moment = v3_add(m3_v(&J, al), v3_cross(w, m3_v(&J, w)));
        lm_v3 F = v3(0, 0, 0), N = F;
        for (int i = 0; i < 2; i++) {
            lm_v3 fi = v3_from(f + 6 * i);
            F = v3_add(F, fi);
            N = v3_add(N, v3_add(v3_from(f + 6 * i + 3), v3_cross(v3_sub(m.x[i], c), fi)));
        }
        assert_true(v3_norm(v3_sub(F, force)) < 1e-13);
        assert_true(v3_norm(v3_sub(N, moment)) < 1e-13);
    }
}

/* Damping takes energy out of every motion but a rigid one, of the bent element too. */
static void test_damping(void **unused)
{
    (void)unused;
    for (int n = 0; n < 100; n++) {
        element e = random_element(n % 2, 0.7), undamped = e;
        motion m = random_motion(&e, 0.2, 0.5);
        double f[12], f0[12];
        undamped.beta = 0;
        assert_true(energy(&e, &m, gravity).loss > 0);
        m = spinning(m, rnd3(1), rnd3(2), rnd3(2));
        assert_true(fabs(energy(&e, &m, gravity).loss) < 1e-28);
        residual(&e, &m, gravity, f);
        residual(&undamped, &m, gravity, f0);
        for (int i = 0; i < 12; i++) assert_true(fabs(f[i] - f0[i]) < 3e-14);
    }
}

static void halving(void *unused, double s, lm_section *out) /* in height along y */
{
    (void)unused;
    double h = 1 - 0.5 * s;
    *out = (lm_section){.EA = 3 * h, .EIy = h, .EIz = h * h * h, .GJ = h, .rhoA = 2 * h};
    out->GAy = out->GAz = INFINITY;
}

static element tapered(void)
{
    element e = {.A = {m3_identity(), m3_identity()}};
    lm_beam_shape_make(halving, NULL, 1.5, 0, &e.s);
    return e;
}

/* Total force and moment about node a. */
static void total(const motion *m, const double f[12], lm_v3 *F, lm_v3 *N)
{
    *F = v3_add(v3_from(f), v3_from(f + 6));
    *N = v3_add(v3_add(v3_from(f + 3), v3_from(f + 9)),
                v3_cross(v3_sub(m->x[1], m->x[0]), v3_from(f + 6)));
}

/* The weight is m g however the element is bent; undeformed it acts at the mass centre (here at
 * 4/9 of the length), and an element that falls carries nothing. */
static void test_weight(void **unused)
{
    (void)unused;
    for (int n = 0; n < 50; n++) {
        element e = tapered();
        e.centred = n % 2;
        motion m = at_rest(random_motion(&e, 0.2, 0.5)), flat = at_rest(random_motion(&e, 0, 0));
        double f[12], mass = 1.5 * e.s.L;
        lm_v3 F, N, S = v3_mul(-4.0 / 9 * mass, v3_sub(flat.x[1], flat.x[0]));
        residual(&e, &m, gravity, f);
        total(&m, f, &F, &N);
        assert_true(v3_norm(v3_add(F, v3_mul(mass, gravity))) < 3e-14);
        residual(&e, &flat, gravity, f);
        total(&flat, f, &F, &N);
        assert_true(v3_norm(v3_sub(N, v3_cross(S, gravity))) < 1e-12);
        flat.a[0] = flat.a[2] = gravity;
        residual(&e, &flat, gravity, f);
        for (int i = 0; i < 12; i++) assert_true(fabs(f[i]) < 3e-14);
    }
}

/* With the mass centre as a point, a bent and moving element feels neither a uniform velocity nor
 * the difference between weight and acceleration. */
static void test_boost(void **unused)
{
    (void)unused;
    element e = uniform_element(&bar);
    e.centred = 1;
    for (int n = 0; n < 50; n++) {
        motion m = random_motion(&e, 0.2, 0.5), b = m;
        double f[12], fb[12];
        lm_v3 c = rnd3(3);
        residual(&e, &m, v3(0, 0, 0), f);
        for (int i = 0; i < 4; i += 2) b.v[i] = v3_add(m.v[i], c), b.a[i] = v3_add(m.a[i], gravity);
        residual(&e, &b, gravity, fb);
        for (int i = 0; i < 12; i++) assert_true(fabs(f[i] - fb[i]) < 5e-14);
    }
}

/* Constants that are set again are as new. */
static void test_set_again(void **unused)
{
    (void)unused;
    element e = random_element(0, 0.7);
    e.centred = 0;
    lm_corot_const fresh = constants(&e), c = fresh;
    for (int k = 0; k < LM_LANES; k++) lm_corot_const_centre(&c, k);
    assert_memory_not_equal(&c, &fresh, sizeof c);
    for (int k = 0; k < LM_LANES; k++) put_const(&c, k, &e);
    assert_memory_equal(&c, &fresh, sizeof c);
}

/* --- lanes -------------------------------------------------------------------------------------- */

typedef struct outputs {
    lm_lane f[2][6], J[12][12], u, b[2][3], E[9];
    lm_corot_energies e;
} outputs;

static outputs evaluate(const lm_corot_const *c, const lm_corot_state *s)
{
    outputs o;
    const double g[3] = {gravity.x, gravity.y, gravity.z};
    lm_corot_residual(c, s, g, o.f);
    lm_corot_tangent(c, s, g, 1.1, 0.9, 0.7, o.J);
    lm_corot_natural(c, s, &o.u, o.b, o.E);
    lm_corot_energy(c, s, g, &o.e);
    return o;
}

static void assert_same_lane(const outputs *a, const outputs *b, int lane)
{
    const lm_lane *p = (const lm_lane *)a, *q = (const lm_lane *)b;
    for (size_t i = 0; i < sizeof *a / sizeof *p; i++) {
        double x = p[i][lane], y = q[i][lane];
        assert_memory_equal(&x, &y, sizeof x);
    }
}

/* Four different elements, straight and curved, damped and not, sometimes one without a frame (its
 * sections look along the chord): the others have the same bits as alone. */
static void test_lanes(void **unused)
{
    (void)unused;
    for (int n = 0; n < 20; n++) {
        lm_corot_const c;
        lm_corot_state s;
        element e[LM_LANES];
        motion m[LM_LANES];
        memset(&c, 0, sizeof c);
        for (int k = 0; k < LM_LANES; k++) {
            e[k] = random_element(n < 10 || k == 1, n % 2 && k != 3 ? 0.7 : 0);
            m[k] = random_motion(&e[k], 0.2, 0.5);
        }
        if (n % 5 == 0) {
            lm_v3 e1 = v3_unit(v3_sub(m[2].x[1], m[2].x[0]));
            lm_m3 T = lm_triad(e1);
            e[2].A[0] = e[2].A[1] = m3_identity();
            m[2].R[0] = m[2].R[1] = m3_cols(m3_col(&T, 1), e1, m3_col(&T, 0));
        }
        for (int k = 0; k < LM_LANES; k++) put_const(&c, k, &e[k]), put(&s, k, &m[k]);
        outputs all = evaluate(&c, &s);
        for (int k = 0; k < LM_LANES; k++) {
            lm_corot_const alone = constants(&e[k]);
            for (int j = 0; j < LM_LANES; j++) put(&s, j, &m[k]);
            outputs one = evaluate(&alone, &s);
            if (n % 5 == 0 && k == 2)
                assert_false(fabs(all.f[0][3][k]) + fabs(all.f[0][4][k]) < 1e6);
            else
                assert_same_lane(&all, &one, k);
        }
    }
}

#if defined __x86_64__
static void test_instruction_sets(void **unused)
{
    (void)unused;
    if (!__builtin_cpu_supports("avx2")) skip();
    const double g[3] = {gravity.x, gravity.y, gravity.z};
    for (int n = 0; n < 20; n++) {
        lm_corot_const c;
        lm_corot_state s;
        memset(&c, 0, sizeof c);
        for (int k = 0; k < LM_LANES; k++) {
            element e = random_element(n < 10, n % 2 ? 0.7 : 0);
            motion m = random_motion(&e, 0.2, 0.5);
            put_const(&c, k, &e), put(&s, k, &m);
        }
        outputs o[2];
        lm_corot_residual_base(&c, &s, g, o[0].f), lm_corot_residual_avx2(&c, &s, g, o[1].f);
        lm_corot_tangent_base(&c, &s, g, 1.1, 0.9, 0.7, o[0].J);
        lm_corot_tangent_avx2(&c, &s, g, 1.1, 0.9, 0.7, o[1].J);
        lm_corot_natural_base(&c, &s, &o[0].u, o[0].b, o[0].E);
        lm_corot_natural_avx2(&c, &s, &o[1].u, o[1].b, o[1].E);
        lm_corot_energy_base(&c, &s, g, &o[0].e), lm_corot_energy_avx2(&c, &s, g, &o[1].e);
        for (int k = 0; k < LM_LANES; k++) assert_same_lane(&o[0], &o[1], k);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_turned_state),
        cmocka_unit_test(test_rigid_body_inertia),
        cmocka_unit_test(test_damping),
        cmocka_unit_test(test_weight),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_boost),
        cmocka_unit_test(test_set_again),
#if defined __x86_64__
        cmocka_unit_test(test_instruction_sets),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
