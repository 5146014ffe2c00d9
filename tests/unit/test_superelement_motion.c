/* Superelements that move: rigid motion against Newton and Euler, and the pendulum made of one
 * element in four minimal coordinates. */
#include "support/ode.h"
#include "test_superelement_env.h"

/* ---- rigid motion ---- */

/* No deformation, no forces but those of Newton and Euler, for any angle. */
static void check_rigid(body *b, double angle)
{
    const rod *r = &some_rod;
    double f[DOFS], m = r->rhoA * r->L, d[DOFS], J = m * r->L * r->L / 12;
    lm_v3 g = v3(0, -9.81, 1), c = rnd3(3), v = rnd3(1), w = rnd3(1), a = rnd3(1), dw = rnd3(1);
    lm_m3 Q = lm_rot_axis_angle(rnd3(1), angle);
    state s = rigid_state(b, c, Q, v, w, a, dw);
    lm_super_state st = view(&s);
    lm_super_energy e = energies(b, &s, g);
    assert_int_equal(lm_super_deformation(&b->s, &st, b->scratch, d), 0);
    for (int i = 0; i < 6 * b->s.n; i++) assert_under(fabs(d[i]), 4e-15);
    assert_under(e.elastic, 1e-25);
    assert_under(e.dissipation, 1e-25);
    lm_v3 rG = m3_v(&Q, v3(r->L / 2, 0, 0)), xG = v3_add(c, rG), F = v3(0, 0, 0), M = F;
    lm_v3 vG = v3_add(v, v3_cross(w, rG));
    lm_v3 aG = v3_add(a, v3_add(v3_cross(dw, rG), v3_cross(w, v3_cross(w, rG))));
    residual(b, &s, g, f);
    for (int i = 0; i < b->s.poses; i++) {
        lm_v3 arm = v3_sub(s.x[i], xG), force = v3_from(f + 6 * i);
        F = v3_add(F, force);
        M = v3_add(M, v3_add(v3_from(f + 6 * i + 3), v3_cross(arm, force)));
    }
    lm_m3 Jb = (lm_m3){{r->rhoJ * r->L, 0, 0, 0, J, 0, 0, 0, J}};
    lm_v3 wb = m3_tv(&Q, w), Jw = m3_v(&Jb, wb);
    lm_v3 euler = v3_add(m3_v(&Jb, m3_tv(&Q, dw)), v3_cross(wb, Jw));
    assert_under(v3_norm(v3_sub(F, v3_mul(m, v3_sub(aG, g)))), 1e-12);
    assert_under(v3_norm(v3_sub(M, m3_v(&Q, euler))), 1e-12);
    assert_near(e.kinetic, 0.5 * (m * v3_dot(vG, vG) + v3_dot(wb, Jw)), 1e-13);
    assert_near(e.gravity, -m * v3_dot(g, xG), 1e-12);
    assert_near(e.gravity_power, m * v3_dot(g, vG), 1e-12);
}

static void test_rigid(void **unused)
{
    static body b;
    (void)unused;
    srand(5);
    for (int k = 0; k < 4; k++)
        for (int n = 2; n <= 5; n++) {
            make_rod(&b, n, some_rod, kinds[k]);
            for (int i = 0; i < n; i++) b.R0[i] = rnd_turn(3);
            assert_int_equal(lm_super_setup(&b.s), 0);
            b.s.beta = 1;
            b.s.alpha = 1;
            assert_near(b.s.mass, 1.4, 1e-14);
            assert_under(v3_norm(v3_sub(b.s.moment, v3(1.4, 0, 0))), 1e-14);
            for (int turn = -8; turn <= 8; turn++) check_rigid(&b, turn * atan(1.0));
        }
}

/* One node is a rigid body, its mass centre where M says. */
static void test_one_node(void **unused)
{
    static body b;
    double m = 3, f[6];
    lm_v3 c = v3(0.3, -0.2, 0.5), w = v3(1, 2, -1), g = v3(0, 0, -2);
    lm_m3 S = m3_skew(c), Jc = (lm_m3){{2, 0.1, 0, 0.1, 3, 0.2, 0, 0.2, 4}};
    lm_m3 J = m3_add(Jc, m3_scale(-m, m3_skew_skew(c, c))), mS = m3_scale(m, S);
    (void)unused;
    make_random(&b, 1, LM_SUPER_MEAN);
    memset(b.K, 0, sizeof b.K);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            b.M[6 * j + i] = i == j ? m : 0;
            b.M[6 * (j + 3) + i] = -mS.m[3 * j + i]; /* v_G = v - [c] omega */
            b.M[6 * j + i + 3] = mS.m[3 * j + i];
            b.M[6 * (j + 3) + i + 3] = J.m[3 * j + i];
        }
    assert_int_equal(lm_super_setup(&b.s), 0);
    assert_near(b.s.mass, m, 1e-14);
    assert_under(v3_norm(v3_sub(b.s.moment, v3_add(v3_mul(m, b.X[0]), v3_mul(m, c)))), 1e-14);
    state s = {.x = {v3(1, 2, 3)}, .R = {b.R0[0]}};
    v3_put(s.v + 3, w);
    residual(&b, &s, g, f);
    lm_v3 aG = v3_cross(w, v3_cross(w, c)), F = v3_mul(m, v3_sub(aG, g));
    lm_v3 M = v3_add(v3_cross(c, F), v3_cross(w, m3_v(&Jc, w)));
    assert_under(v3_norm(v3_sub(v3_from(f), F)), 1e-13);
    assert_under(v3_norm(v3_sub(v3_from(f + 3), M)), 1e-13);
    lm_v3 xG = v3_add(s.x[0], c);
    assert_near(energies(&b, &s, g).gravity, -m * v3_dot(g, xG), 1e-13);
}

/* ---- pendulum ----
 *
 * The beam of paper 000, hinged at its first node, in the coordinates q = (angle of the first
 * section, tip displacements u and v and tip rotation as seen from it). The equations of motion are
 * the kernel's forces projected with the partial velocities. */

enum { COORDS = 4, WORK = 2 * COORDS, STATES };
static const double pendulum_length = 141.42;

typedef struct pendulum {
    body *b;
    state s;
    double partial[2 * 6][COORDS]; /* (d, theta) of both nodes by coordinate */
} pendulum;

/* Node motions from q, its rates p and accelerations a. */
static void pendulum_move(pendulum *w, const double *q, const double *p, const double *a)
{
    lm_m3 R = lm_rot_axis_angle(v3(0, 0, 1), q[0]);
    lm_v3 z = v3(0, 0, 1), r = m3_v(&R, v3(pendulum_length + q[1], q[2], 0)), zr = v3_cross(z, r);
    lm_v3 rate = m3_v(&R, v3(p[1], p[2], 0)), ex = m3_col(&R, 0), ey = m3_col(&R, 1);
    lm_v3 bias = v3_add(v3_mul(-p[0] * p[0], r), v3_mul(2 * p[0], v3_cross(z, rate)));
    memset(w->partial, 0, sizeof w->partial);
    memset(&w->s, 0, sizeof w->s);
    w->s.x[1] = r;
    w->s.R[0] = R;
    w->s.R[1] = lm_rot_axis_angle(z, q[0] + q[3]);
    w->partial[5][0] = w->partial[11][0] = w->partial[11][3] = 1;
    for (int k = 0; k < 3; k++) {
        w->partial[6 + k][0] = v3_get(zr, k);
        w->partial[6 + k][1] = v3_get(ex, k);
        w->partial[6 + k][2] = v3_get(ey, k);
    }
    for (int i = 0; i < 12; i++)
        for (int l = 0; l < COORDS; l++) {
            w->s.v[i] += w->partial[i][l] * p[l];
            w->s.a[i] += w->partial[i][l] * a[l];
        }
    v3_acc(w->s.a + 6, bias);
}

/* Generalised residual. */
static void pendulum_residual(pendulum *w, const double *q, const double *p, const double *a,
                              double out[COORDS])
{
    double f[DOFS];
    pendulum_move(w, q, p, a);
    residual(w->b, &w->s, v3(0, -9.81, 0), f);
    for (int l = 0; l < COORDS; l++) {
        out[l] = 0;
        for (int i = 0; i < 12; i++) out[l] += w->partial[i][l] * f[i];
    }
}

/* Gauss without pivoting: the mass matrix is positive. */
static void solve(double A[COORDS][COORDS], double x[COORDS])
{
    for (int k = 0; k < COORDS; k++)
        for (int i = k + 1; i < COORDS; i++) {
            double c = A[i][k] / A[k][k];
            for (int j = k; j < COORDS; j++) A[i][j] -= c * A[k][j];
            x[i] -= c * x[k];
        }
    for (int i = COORDS - 1; i >= 0; i--) {
        for (int j = i + 1; j < COORDS; j++) x[i] -= A[i][j] * x[j];
        x[i] /= A[i][i];
    }
}

/* y = (q, p, work of gravity): the residual is linear in the accelerations, so five evaluations give them. */
static void pendulum_rate(pendulum *w, const double *y, double *dy)
{
    double A[COORDS][COORDS], bias[COORDS], column[COORDS], a[COORDS] = {0};
    pendulum_residual(w, y, y + COORDS, a, bias);
    for (int l = 0; l < COORDS; l++) {
        a[l] = 1;
        pendulum_residual(w, y, y + COORDS, a, column);
        a[l] = 0;
        for (int i = 0; i < COORDS; i++) A[i][l] = column[i] - bias[i];
    }
    for (int i = 0; i < COORDS; i++) dy[i] = y[COORDS + i], dy[COORDS + i] = -bias[i];
    solve(A, dy + COORDS);
    dy[WORK] = energies(w->b, &w->s, v3(0, -9.81, 0)).gravity_power;
}

static void runge_kutta(pendulum *w, double *y, double h)
{
    enum { N = STATES };
    static const double place[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double k[5][N] = {{0}}, x[N], sum[N] = {0};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < N; i++) x[i] = y[i] + h * place[s] * k[s][i];
        pendulum_rate(w, x, k[s + 1]);
        for (int i = 0; i < N; i++) sum[i] += weight[s] * k[s + 1][i];
    }
    for (int i = 0; i < N; i++) y[i] += h / 6 * sum[i];
}

static const rod paper_beam = {141.42,     2.1e6 * 9, 2.1e6 * 6.75, 2 * 2.1e6 * 6.75 / 2.6,
                               7.8e-3 * 9, 0};

/* Rate of the hinge angle and tip deflection at 0.5, 1.0, 1.5 s. What gravity did as applied is the
 * kinetic and elastic energy at the end: by its potential that is what this lost, but not by the paper. */
static void check_pendulum(lm_super_frame frame, int paper, int steps, const double expected[3][2])
{
    static body b;
    pendulum w = {.b = &b};
    double y[STATES] = {0}, zero[COORDS] = {0};
    make_rod(&b, 2, paper_beam, frame);
    b.s.paper_gravity = paper;
    lm_v3 g = v3(0, -9.81, 0);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < steps; i++) runge_kutta(&w, y, 0.5 / steps);
        assert_near(y[COORDS], expected[k][0], 5.1e-9);
        assert_near(y[2], expected[k][1], 5.1e-9);
    }
    pendulum_move(&w, y, y + COORDS, zero);
    lm_super_energy e = energies(&b, &w.s, g);
    assert_near(e.kinetic + e.elastic, y[WORK], 1e-9 * y[WORK]);
    if (!paper) assert_near(-e.gravity, y[WORK], 1e-9 * y[WORK]);
    if (paper) assert_between(fabs(-e.gravity / y[WORK] - 1), 1e-6, 1e-4);
}

static void test_pendulum_node(void **unused)
{
    static const double expected[3][2] = {
        {-0.05017542, 0.00071573}, {-0.10029872, 0.00272301}, {-0.15021691, 0.00561772}};
    (void)unused;
    check_pendulum(LM_SUPER_NODE, 1, 1000, expected);
}

static void test_pendulum_mean(void **unused)
{
    static const double expected[3][2] = {
        {-0.05020396, 0.00056315}, {-0.10041233, 0.00201667}, {-0.15053423, 0.00364955}};
    (void)unused;
    check_pendulum(LM_SUPER_MEAN, 1, 1000, expected);
}

/* ---- the same, with gravity by its potential, from Lagrange's equations by hand ----
 *
 * The frame is the hinge's section: nodal twists there are w1 = q0', (a, b) = (u' - q0' v, v' + q0' (L + u)) and
 * w2 = q0' + c'; the mass is that of linear and cubic interpolation, and so is the mass centre. */

static double hand_kinetic(const double *q, const double *p)
{
    double L = paper_beam.L, w1 = p[0], w2 = p[0] + p[3];
    double a = p[1] - p[0] * q[2], b = p[2] + p[0] * (L + q[1]);
    double bending = 4 * L * L * (w1 * w1 + w2 * w2) - 6 * L * L * w1 * w2 + 156 * b * b +
                     26 * L * w1 * b - 44 * L * b * w2;
    return 0.5 * paper_beam.rhoA * L * (a * a / 3 + bending / 420);
}

/* -d(potential)/dq */
static void hand_forces(const double *q, double *Q)
{
    const rod *r = &paper_beam;
    double L = r->L, W = r->rhoA * L * 9.81, k = r->EI / (L * L * L);
    double x = (L + q[1]) / 2, y = q[2] / 2 - q[3] * L / 12;
    Q[0] = -W * (x * cos(q[0]) - y * sin(q[0]));
    Q[1] = -W * sin(q[0]) / 2 - r->EA / L * q[1];
    Q[2] = -W * cos(q[0]) / 2 - k * (12 * q[2] - 6 * L * q[3]);
    Q[3] = W * cos(q[0]) * L / 12 - k * (4 * L * L * q[3] - 6 * L * q[2]);
}

/* M_ij, by polarisation. */
static void hand_mass(const double *q, double M[COORDS][COORDS])
{
    for (int i = 0; i < COORDS; i++)
        for (int j = 0; j < COORDS; j++) {
            double sum[COORDS] = {0}, less[COORDS] = {0};
            sum[i] += 1, sum[j] += 1, less[i] += 1, less[j] -= 1;
            M[i][j] = 0.5 * (hand_kinetic(q, sum) - hand_kinetic(q, less));
        }
}

/* M q.. = Q + dT/dq - (dM/dt) q.: T is quadratic in q, for which central differences are exact. */
static void hand_rates(const void *none, double t, const double *y, double *dy)
{
    const double *q = y, *p = y + COORDS;
    double M[COORDS][COORDS], A[COORDS][COORDS], B[COORDS][COORDS], Q[COORDS];
    double ahead[COORDS], behind[COORDS];
    (void)none, (void)t;
    hand_forces(q, Q);
    for (int k = 0; k < COORDS; k++) {
        memcpy(ahead, q, sizeof ahead), memcpy(behind, q, sizeof behind);
        ahead[k] += 1, behind[k] -= 1;
        Q[k] += 0.5 * (hand_kinetic(ahead, p) - hand_kinetic(behind, p));
    }
    for (int k = 0; k < COORDS; k++) ahead[k] = q[k] + p[k], behind[k] = q[k] - p[k];
    hand_mass(ahead, A), hand_mass(behind, B), hand_mass(q, M);
    for (int i = 0; i < COORDS; i++)
        for (int j = 0; j < COORDS; j++) Q[i] -= 0.5 * (A[i][j] - B[i][j]) * p[j];
    for (int k = 0; k < COORDS; k++) dy[k] = p[k];
    ode_solve(COORDS, &M[0][0], Q, dy + COORDS);
}

static void test_pendulum_by_hand(void **unused)
{
    double y[2 * COORDS] = {0}, expected[3][2];
    (void)unused;
    for (int k = 0; k < 3; k++) {
        ode_rk4(hand_rates, NULL, 2 * COORDS, y, 0.5 * k, 0.5 * (k + 1), 1000);
        expected[k][0] = y[COORDS], expected[k][1] = y[2];
        print_message("t = %.1f: %.8f, %.8f\n", 0.5 * (k + 1), y[COORDS], y[2]);
    }
    check_pendulum(LM_SUPER_NODE, 0, 1000, (const double(*)[2])expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid),
        cmocka_unit_test(test_one_node),
        cmocka_unit_test(test_pendulum_node),
        cmocka_unit_test(test_pendulum_mean),
        cmocka_unit_test(test_pendulum_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
