/* Superelement kernel: forces against the derivatives of the energies, the tangent against
 * differences, invariances, frames. */
#include "test_superelement_env.h"

static const int sizes[] = {2, 3, 5};

/* Run `check` for every kind of frame and number of nodes. */
static void for_all(void (*check)(body *b))
{
    static body b;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++) {
            make_random(&b, sizes[i], kinds[k]);
            check(&b);
        }
}

/* ---- tangent ---- */

/* Central differences by the motion, the twists or the accelerations. */
static void difference(body *b, const state *s, lm_v3 g, char what, int col, double *out)
{
    double h = 1e-5, z[DOFS] = {0}, f[2][DOFS];
    for (int side = 0; side < 2; side++) {
        double step = side ? -h : h;
        state t = *s;
        z[col] = 1;
        if (what == 'K') t = moved(b, t, z, step);
        if (what == 'D') t.v[col] += step;
        if (what == 'M') t.a[col] += step;
        residual(b, &t, g, f[side]);
    }
    for (int i = 0; i < 6 * b->s.poses; i++) out[i] = (f[0][i] - f[1][i]) / (2 * h);
}

static void compare_tangent(body *b, const state *s, char what)
{
    static double J[DOFS * DOFS];
    int nd = 6 * b->s.poses;
    double fd[DOFS], most = 0, error = 0;
    lm_v3 g = v3(1, -9, 3);
    lm_super_state st = view(s);
    assert_int_equal(
        lm_super_tangent(&b->s, &st, g, what == 'M', what == 'D', what == 'K', b->scratch, J), 0);
    for (int j = 0; j < nd; j++) {
        difference(b, s, g, what, j, fd);
        for (int i = 0; i < nd; i++) {
            error = fmax(error, fabs(fd[i] - J[nd * j + i]));
            most = fmax(most, fabs(fd[i]));
        }
    }
    assert_true(most > 0.01);
    assert_under(error / most, 2e-9);
}

static void check_tangent(body *b)
{
    for (int damped = 0; damped < 2; damped++) {
        if (damped) damp(b);
        for (int n = 0; n < 5; n++) {
            state s = random_state(b, 0.3, n ? 0.6 : 0);
            compare_tangent(b, &s, 'K');
            compare_tangent(b, &s, 'D');
            compare_tangent(b, &s, 'M');
        }
    }
}

/* cM, cD, cK together give the sum. */
static void check_combination(body *b)
{
    static double J[4][DOFS * DOFS];
    int nd = 6 * b->s.poses;
    damp(b);
    state s = random_state(b, 0.3, 0.5);
    lm_super_state st = view(&s);
    const double c[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, -3, 0.5}};
    for (int k = 0; k < 4; k++)
        lm_super_tangent(&b->s, &st, v3(1, 2, 3), c[k][0], c[k][1], c[k][2], b->scratch, J[k]);
    for (int i = 0; i < nd * nd; i++)
        assert_near(J[3][i], 2 * J[0][i] - 3 * J[1][i] + 0.5 * J[2][i], 1e-10);
}

/* The scratch is enough, and nothing is read from it that was not written before. */
static void check_scratch(body *b)
{
    static double J[2][DOFS * DOFS], f[2][DOFS];
    int nd = 6 * b->s.poses, n = lm_super_scratch(b->s.n);
    double *exact = malloc(sizeof(double) * (size_t)n);
    assert_non_null(exact);
    damp(b);
    state s = random_state(b, 0.3, 0.5);
    lm_super_state st = view(&s);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < n; i++) exact[i] = k ? NAN : 1e9;
        assert_int_equal(lm_super_residual(&b->s, &st, v3(1, 2, 3), exact, f[k]), 0);
        for (int i = 0; i < n; i++) exact[i] = k ? NAN : 1e9;
        assert_int_equal(lm_super_tangent(&b->s, &st, v3(1, 2, 3), 1, 2, 3, exact, J[k]), 0);
    }
    assert_memory_equal(f[0], f[1], sizeof(double) * (size_t)nd);
    assert_memory_equal(J[0], J[1], sizeof(double) * (size_t)(nd * nd));
    free(exact);
}

static void test_tangent(void **unused)
{
    (void)unused;
    srand(1);
    for_all(check_tangent);
    for_all(check_combination);
    for_all(check_scratch);
}

/* Slender and stiff, small deformations: what a model looks like. */
static void test_tangent_rod(void **unused)
{
    static body b;
    (void)unused;
    srand(2);
    for (int k = 0; k < 4; k++) {
        make_rod(&b, 3, some_rod, kinds[k]);
        b.s.beta = 0.01;
        state s = random_state(&b, 0.01, 0.02);
        compare_tangent(&b, &s, 'K');
        compare_tangent(&b, &s, 'D');
    }
}

/* ---- forces ---- */

/* Elastic forces are the derivative of the elastic energy. */
static void check_elastic(body *b)
{
    double f[DOFS], z[DOFS] = {0}, h = 1e-5;
    lm_v3 zero = v3(0, 0, 0);
    state s = random_state(b, 0.3, 0.6);
    memset(s.v, 0, sizeof s.v);
    memset(s.a, 0, sizeof s.a);
    residual(b, &s, zero, f);
    for (int i = 0; i < 6 * b->s.poses; i++) {
        z[i] = 1;
        state p = moved(b, s, z, h), m = moved(b, s, z, -h);
        z[i] = 0;
        double d = (energies(b, &p, zero).elastic - energies(b, &m, zero).elastic) / (2 * h);
        assert_near(f[i], d, 1e-9 * (1 + fabs(d)));
    }
}

/* The state at time t of the motion x + v t + a t^2/2, and the same of the rotation vectors. */
static state at_time(const body *b, const state *s, double t)
{
    state r = *s;
    for (int i = 0; i < b->s.poses; i++) {
        lm_v3 v = v3_from(s->v + 6 * i), a = v3_from(s->a + 6 * i);
        lm_v3 w = v3_from(s->v + 6 * i + 3), c = v3_from(s->a + 6 * i + 3);
        lm_v3 psi = v3_add(v3_mul(t, w), v3_mul(0.5 * t * t, c)), rate = v3_add(w, v3_mul(t, c));
        lm_m3 Q = quat_m3(lm_quat_exp(psi)), T = lm_rot_tangent(psi);
        r.x[i] = v3_add(s->x[i], v3_add(v3_mul(t, v), v3_mul(0.5 * t * t, a)));
        r.R[i] = m3_mul(&Q, &s->R[i]);
        v3_put(r.v + 6 * i, v3_add(v, v3_mul(t, a)));
        v3_put(r.v + 6 * i + 3, m3_v(&T, rate));
    }
    return r;
}

/* Kinetic energy with coordinate l (a displacement, or a component of the rotation vector psi of
 * R = exp(psi) R(0), whose present value is given) moved by dq and its rate by dqdot. */
static double kinetic(body *b, const state *s, double t, int l, double dq, double dqdot)
{
    state r = at_time(b, s, t);
    int i = l / 6, k = l % 6;
    lm_v3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    if (k < 3) {
        r.x[i] = v3_add(r.x[i], v3_mul(dq, e));
        v3_acc(r.v + 6 * i, v3_mul(dqdot, e));
        return energies(b, &r, v3(0, 0, 0)).kinetic;
    }
    lm_v3 w = v3_from(s->v + 6 * i + 3), c = v3_from(s->a + 6 * i + 3);
    lm_v3 psi = v3_add(v3_mul(t, w), v3_mul(0.5 * t * t, c)), rate = v3_add(w, v3_mul(t, c));
    psi = v3_add(psi, v3_mul(dq, e));
    rate = v3_add(rate, v3_mul(dqdot, e));
    lm_m3 Q = quat_m3(lm_quat_exp(psi)), T = lm_rot_tangent(psi);
    r.R[i] = m3_mul(&Q, &s->R[i]);
    v3_put(r.v + 6 * i + 3, m3_v(&T, rate));
    return energies(b, &r, v3(0, 0, 0)).kinetic;
}

/* Inertia forces are those of Lagrange: d/dt (dT/dqdot) - dT/dq, here with T by differences. */
static void check_lagrange(body *b)
{
    double f[DOFS], h = 1e-4;
    memset(b->K, 0, sizeof b->K);
    state s = random_state(b, 0.3, 0.6);
    residual(b, &s, v3(0, 0, 0), f);
    for (int l = 0; l < 6 * b->s.poses; l++) {
        double p[2];
        for (int k = 0; k < 2; k++) { /* T is quadratic in the rates: exact for any step */
            double t = k ? h : -h;
            p[k] = (kinetic(b, &s, t, l, 0, 1) - kinetic(b, &s, t, l, 0, -1)) / 2;
        }
        double dT = (kinetic(b, &s, 0, l, h, 0) - kinetic(b, &s, 0, l, -h, 0)) / (2 * h);
        double force = (p[1] - p[0]) / (2 * h) - dT;
        assert_near(f[l], force, 2e-6 * (1 + fabs(force)));
    }
}

/* f . v = d(T + U)/dt + dissipation - power of gravity */
static void check_power(body *b)
{
    double f[DOFS], power = 0, h = 1e-5;
    lm_v3 g = v3(3, -9, 2);
    damp(b);
    state s = random_state(b, 0.3, 0.6), p = at_time(b, &s, h), m = at_time(b, &s, -h);
    residual(b, &s, g, f);
    for (int i = 0; i < 6 * b->s.poses; i++) power += f[i] * s.v[i];
    lm_super_energy e = energies(b, &s, g), ep = energies(b, &p, g), em = energies(b, &m, g);
    double rate = (ep.kinetic + ep.elastic - em.kinetic - em.elastic) / (2 * h);
    assert_near(power, rate + e.dissipation - e.gravity_power, 1e-8 * (1 + fabs(power)));
    assert_true(e.dissipation > 0 && e.kinetic > 0 && e.elastic > 0);
}

static void test_forces(void **unused)
{
    (void)unused;
    srand(3);
    for (int n = 0; n < 3; n++) {
        for_all(check_elastic);
        for_all(check_lagrange);
        for_all(check_power);
    }
}

/* Elastic and damping forces are in equilibrium with themselves, on any shape. */
static void check_equilibrium(body *b)
{
    double f[DOFS];
    damp(b);
    b->s.alpha = 0;
    memset(b->M, 0, sizeof b->M);
    state s = random_state(b, 0.3, 0.6);
    residual(b, &s, v3(0, 0, 0), f);
    lm_v3 F = v3(0, 0, 0), M = F;
    double most = 0;
    for (int i = 0; i < b->s.poses; i++) {
        F = v3_add(F, v3_from(f + 6 * i));
        M = v3_add(M, v3_add(v3_from(f + 6 * i + 3), v3_cross(s.x[i], v3_from(f + 6 * i))));
        most = fmax(most, v3_norm(v3_from(f + 6 * i)));
    }
    assert_true(most > 0.1);
    assert_under(v3_norm(F), 1e-13 * most * 10);
    assert_under(v3_norm(M), 1e-12 * most * 10);
}

/* A model that is turned and shifted gives turned forces. */
static void check_equivariance(body *b)
{
    double f[DOFS], turned[DOFS];
    lm_v3 g = v3(1, 2, 3), shift = rnd3(3);
    lm_m3 Q = rnd_turn(3);
    damp(b);
    state s = random_state(b, 0.3, 0.6), t = s;
    for (int i = 0; i < b->s.poses; i++) {
        t.x[i] = v3_add(shift, m3_v(&Q, s.x[i]));
        t.R[i] = m3_mul(&Q, &s.R[i]);
    }
    for (int i = 0; i < DOFS; i += 3) {
        v3_put(t.v + i, m3_v(&Q, v3_from(s.v + i)));
        v3_put(t.a + i, m3_v(&Q, v3_from(s.a + i)));
    }
    residual(b, &s, g, f);
    residual(b, &t, m3_v(&Q, g), turned);
    assert_near(energies(b, &t, m3_v(&Q, g)).elastic, energies(b, &s, g).elastic, 1e-12);
    for (int i = 0; i < 6 * b->s.poses; i += 3) {
        lm_v3 d = v3_sub(v3_from(turned + i), m3_v(&Q, v3_from(f + i)));
        assert_under(v3_norm(d), 1e-12 * (10 + v3_norm(v3_from(f + i))));
    }
}

static void test_invariance(void **unused)
{
    (void)unused;
    srand(4);
    for (int n = 0; n < 5; n++) {
        for_all(check_equilibrium);
        for_all(check_equivariance);
    }
}

/* ---- frames ---- */

static lm_super_pose pose_of(body *b, const state *s)
{
    lm_super_pose p;
    lm_super_state st = view(s);
    assert_int_equal(lm_super_frame_pose(&b->s, &st, b->scratch, &p), 0);
    return p;
}

/* The definitions: where the frame is, and that its twist is the rate of its pose. */
static void check_frame(body *b)
{
    double h = 1e-5;
    state s = random_state(b, 0.2, 0.5), p = at_time(b, &s, h), m = at_time(b, &s, -h);
    lm_super_pose f = pose_of(b, &s), fp = pose_of(b, &p), fm = pose_of(b, &m);
    lm_v3 v = v3_mul(0.5 / h, v3_sub(fp.x, fm.x));
    lm_m3 turn = m3_t(&fm.R), D = m3_mul(&fp.R, &turn);
    lm_v3 w = v3_mul(0.5 / h, lm_quat_log(lm_quat_from_m3(&D))), sum = v3(0, 0, 0);
    assert_under(v3_norm(v3_sub(v, f.v)), 1e-8);
    assert_under(v3_norm(v3_sub(w, f.omega)), 1e-8);
    double d[DOFS];
    lm_super_state st = view(&s);
    assert_int_equal(lm_super_deformation(&b->s, &st, b->scratch, d), 0);
    int n = b->s.n, k = b->s.frame_node;
    for (int i = 0; i < n; i++) sum = v3_add(sum, v3_from(d + 6 * i));
    if (b->s.frame == LM_SUPER_MEAN) assert_under(v3_norm(sum), 1e-14);
    if (b->s.frame == LM_SUPER_NODE)
        for (int i = 0; i < 6; i++) assert_under(fabs(d[6 * k + i]), 1e-14);
    if (b->s.frame == LM_SUPER_GIVEN) assert_under(v3_norm(v3_sub(f.x, s.x[n])), 1e-14);
    if (b->s.frame != LM_SUPER_CHORD) return;
    lm_v3 r = v3_sub(b->X[n - 1], b->X[0]), last = v3_from(d + 6 * (n - 1));
    assert_under(v3_norm(v3_from(d)), 1e-14);
    assert_under(v3_norm(v3_cross(r, last)), 1e-13); /* the chord only changes its length */
}

static void test_frames(void **unused)
{
    (void)unused;
    srand(6);
    for (int n = 0; n < 5; n++) for_all(check_frame);
}

/* A frame on a node is a given frame that moves with it. */
static void test_given_frame(void **unused)
{
    static body on_node, given;
    double f[DOFS], g[DOFS];
    (void)unused;
    srand(7);
    for (int trial = 0; trial < 20; trial++) {
        make_random(&on_node, 3, LM_SUPER_NODE);
        damp(&on_node);
        given = on_node;
        int k = on_node.s.frame_node, last = 3;
        given.s.frame = LM_SUPER_GIVEN;
        assert_int_equal(lm_super_setup(&given.s), 0);
        state s = random_state(&on_node, 0.3, 0.6);
        lm_super_pose p = pose_of(&on_node, &s);
        s.x[last] = p.x;
        s.R[last] = p.R;
        v3_put(s.v + 6 * last, p.v);
        v3_put(s.v + 6 * last + 3, p.omega);
        residual(&on_node, &s, v3(1, 2, 3), f);
        residual(&given, &s, v3(1, 2, 3), g);
        lm_v3 F = v3_from(g + 6 * last), M = v3_from(g + 6 * last + 3);
        v3_acc(g + 6 * k, F);
        v3_acc(g + 6 * k + 3, v3_add(M, v3_cross(v3_sub(p.x, s.x[k]), F)));
        for (int i = 0; i < 6 * last; i++) assert_near(g[i], f[i], 1e-12 * (1 + fabs(f[i])));
    }
}

/* A shape without a frame is refused, not computed. */
static void assert_refused(body *b, const state *s)
{
    static double J[DOFS * DOFS];
    double f[DOFS];
    lm_v3 zero = v3(0, 0, 0);
    lm_super_energy e;
    lm_super_state st = view(s);
    assert_int_equal(lm_super_residual(&b->s, &st, zero, b->scratch, f), 1);
    assert_int_equal(lm_super_tangent(&b->s, &st, zero, 1, 1, 1, b->scratch, J), 1);
    assert_int_equal(lm_super_energies(&b->s, &st, zero, b->scratch, &e), 1);
}

static void test_no_frame(void **unused)
{
    static body b;
    lm_v3 zero = v3(0, 0, 0);
    (void)unused;
    for (int k = 0; k < 3; k++) {
        make_rod(&b, 2, some_rod, kinds[k]);
        state s = rigid_state(&b, zero, m3_identity(), zero, zero, zero, zero), bad = s;
        bad.R[0] = lm_rot_axis_angle(v3(1, 0, 0), kinds[k] == LM_SUPER_MEAN ? -3.13 : 0);
        bad.R[1] = lm_rot_axis_angle(v3(1, 0, 0), 3.13); /* mean: the short way is across pi */
        if (kinds[k] != LM_SUPER_MEAN) assert_refused(&b, &bad);
        bad = s;
        bad.x[1].y = NAN;
        assert_refused(&b, &bad);
        bad = s;
        bad.R[1].m[4] = NAN;
        assert_refused(&b, &bad);
        bad = s;
        bad.x[1] = bad.x[0];
        if (kinds[k] == LM_SUPER_CHORD) assert_refused(&b, &bad);
    }
    b.X[1] = b.X[0];
    b.s.frame = LM_SUPER_CHORD;
    assert_int_equal(lm_super_setup(&b.s), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tangent),  cmocka_unit_test(test_tangent_rod),
        cmocka_unit_test(test_forces),   cmocka_unit_test(test_invariance),
        cmocka_unit_test(test_frames),   cmocka_unit_test(test_given_frame),
        cmocka_unit_test(test_no_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
