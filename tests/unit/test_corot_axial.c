/* Beams under axial force, and stretched ones that turn: the bow of the corotational element's axis
 * and the length of its chord in the kinetic energy. Against closed forms and published numbers, with
 * the order in which errors fall. */
#include "unit/corot_chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define PI 3.14159265358979323846

static const uniform strip = {1, 1e8, 1, 1, 1, 1, 0, 0};

/* An error that is documented: not more, and not much less. */
static void assert_error(double error, double documented)
{
    if (!(fabs(error) < 1.05 * documented && fabs(error) > 0.9 * documented))
        fail_msg("error %.4g, documented %.4g", error, documented);
}

static void assert_order(double coarse, double fine, double least)
{
    double order = log2(fabs(coarse / fine));
    if (!(order > least)) fail_msg("order %.3g, not %.3g", order, least);
}

/* --- a force at the tip, and buckling ----------------------------------------------------------- */

/* P L^2/EI = 10 at the tip, inextensible (Mattiasson 1981): u = .55499560, w = .81060902. */
static double tip_error(int n, int bow)
{
    chain c = chain_of(n, strip, 0, 0);
    for (int i = 0; i < 3 && !bow; i++) c.e.s.bowz[i] = 0;
    for (int k = 1; k <= 20; k++) {
        c.force[1] = 0.5 * k;
        assert_int_not_equal(chain_settle(&c, 20), -1);
    }
    return hypot(1 - c.q[n][0] - 0.55499560, c.q[n][1] - 0.81060902);
}

static void test_elastica(void **unused)
{
    (void)unused;
    const double with[3] = {5.22e-4, 3.38e-5, 2.05e-6}, without[3] = {8.19e-3, 1.85e-3, 4.49e-4};
    for (int k = 0; k < 3; k++) assert_error(tip_error(4 << k, 0), without[k]);
    for (int k = 0; k < 3; k++) assert_error(tip_error(4 << k, 1), with[k]);
    assert_order(tip_error(4, 1), tip_error(8, 1), 3.9);
    assert_order(tip_error(8, 1), tip_error(16, 1), 3.9);
}

/* Whether the straight chain under the force P is unstable; the first node clamped, or hinged and
 * the last one held across. */
static int buckled(const element *e, int n, int hinged, double P)
{
    static double J[CHAIN_DOFS * CHAIN_DOFS], f[CHAIN_DOFS];
    const double w[3] = {0, 0, 1}, rigid = 1e12;
    const int dof[4] = {UY, RZ, UY + 6, RZ + 6}, N = 2 * n + 2;
    chain c = chain_of(n, strip, 0, 0);
    double K[12][12];
    c.e = *e;
    memset(J, 0, sizeof J);
    for (int i = 0; i <= n; i++) c.q[i][0] = i * (e->s.L - P / e->s.ka);
    for (int i = 0; i < n; i++) {
        motion m = chain_motion(&c, i);
        tangent(&c.e, &m, v3(0, 0, 0), w, K);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) J[(2 * i + a) * N + 2 * i + b] += K[dof[b]][dof[a]];
    }
    J[0] += rigid, J[hinged ? (N - 2) * N + N - 2 : N + 1] += rigid;
    return chain_solve(N, J, f) > 0;
}

/* Relative error of the smallest unstable force. */
static double buckling_error(const element *e, int n, int hinged, double exact)
{
    double low = 0.5 * exact, high = 2 * exact;
    while (high - low > 1e-12 * exact) {
        double P = 0.5 * (low + high);
        *(buckled(e, n, hinged, P) ? &high : &low) = P;
    }
    return low / exact - 1;
}

static double euler_error(int n, int hinged, int bow)
{
    uniform u = strip;
    u.L = 1.0 / n;
    element e = uniform_element(&u);
    for (int i = 0; i < 3 && !bow; i++) e.s.bowz[i] = 0;
    return buckling_error(&e, n, hinged, hinged ? PI * PI : PI * PI / 4);
}

static void test_buckling(void **unused)
{
    (void)unused;
    const double with[2][4] = {{7.52e-3, 5.12e-4, 3.28e-5, 2.08e-6},
                               {0.216, 7.52e-3, 5.12e-4, 3.29e-5}},
                 without[2][4] = {{0.216, 0.0524, 0.0129, 3.22e-3}, {0, 0.216, 0.0524, 0.0129}};
    for (int hinged = 0; hinged < 2; hinged++) {
        for (int k = 0; k < 4; k++) {
            assert_error(euler_error(1 << k, hinged, 1), with[hinged][k]);
            if (hinged && k == 0) continue; /* one straight chord between hinges does not buckle */
            assert_error(euler_error(1 << k, hinged, 0), without[hinged][k]);
        }
        assert_order(euler_error(2, hinged, 1), euler_error(4, hinged, 1), 3.8);
        assert_order(euler_error(4, hinged, 1), euler_error(8, hinged, 1), 3.9);
    }
}

static void soft_in_shear(void *unused, double s, lm_section *out)
{
    (void)unused, (void)s;
    *out = (lm_section){.EA = 1e8, .EIy = 1, .EIz = 1, .GJ = 1, .rhoA = 1, .GAy = 50, .GAz = 50};
}

/* Reissner's beam, where the axial force stands normal to the section, buckles as Haringx has it,
 * P (1 + P/GA) = P_Euler. Shear is constant in an element, where the force makes it follow the slope: a
 * rest of second order, as small as P/GA. */
static void test_buckling_with_shear(void **unused)
{
    (void)unused;
    const double euler = PI * PI / 4, exact = 25 * (sqrt(1 + 4 * euler / 50) - 1);
    for (int n = 2; n <= 16; n *= 2) {
        element e = {.A = {m3_identity(), m3_identity()}};
        lm_beam_shape_make(soft_in_shear, NULL, 1.0 / n, 1, &e.s);
        double rest = buckling_error(&e, n, 0, exact) - euler_error(n, 0, 1);
        assert_error(rest, 0.194 * exact / 50 / (n * n));
    }
}

/* --- stretched elements that turn ----------------------------------------------------------------- */

static void tapering(void *shear, double s, lm_section *out)
{
    double h = 1 - 0.6 * s, G = *(const double *)shear;
    *out = (lm_section){.EA = 3 * h, .EIy = h, .EIz = h * h * h, .GJ = h, .rhoA = 2 * h};
    out->GAy = out->GAz = G * h, out->rhoIy = 0.02 * h, out->rhoIz = 0.03 * h * h * h;
}

/* Undeformed but for its length l, turning with speed w about an axis through its mass centre (along
 * z, or along y); dl: rate of the length. */
static motion turning(double l, double dl, lm_v3 w, double centre)
{
    motion m = {.R = {m3_identity(), m3_identity()}};
    for (int k = 0; k < 2; k++) {
        lm_v3 r = v3((k - centre) * l, 0, 0), v = v3_cross(w, r), out = v3((k - centre) * dl, 0, 0);
        m.x[k] = r;
        m.v[2 * k] = v3_add(v, out), m.v[2 * k + 1] = w;
        m.a[2 * k] = v3_add(v3_cross(w, v), v3_mul(2, v3_cross(w, out)));
    }
    return m;
}

/* The energy of a stretched element that turns as a whole is that of the stretched mass, and rotary
 * inertia does not depend on the stretch. */
static void test_stretched_energy(void **unused)
{
    (void)unused;
    for (int k = 0; k < 8; k++) {
        double L = 1.3, shear = 20, stretch = 0.3 * rnd(), l = L * (1 + stretch);
        element e = {.A = {m3_identity(), m3_identity()}, .centred = k / 4};
        lm_beam_shape_make(tapering, &shear, L, k / 2 % 2, &e.s);
        /* integrals of h = 1 - 0.6 s: mass centre, moments of inertia */
        double mass = 1.4 * L, centre = (0.5 - 0.2) / 0.7,
               J = 2 * L * (1 / 3.0 - 0.6 / 4) - mass * centre * centre,
               h3 = (1 - pow(0.4, 4)) / 2.4;
        double rotary = k % 2 ? 0.02 * 0.7 * L : 0.03 * h3 * L, w = 1.7;
        motion m = turning(l, 0, k % 2 ? v3(0, w, 0) : v3(0, 0, w), centre);
        double T = energy(&e, &m, gravity).T;
        assert_true(fabs(T - 0.5 * w * w * (l * l * J + rotary)) < 2e-13);
    }
}

/* Forces of the same motion, the length changing at the rate dl: as of a straight bar, at the nodes.
 * Rotary inertia makes none. */
static void test_stretched_forces(void **unused)
{
    (void)unused;
    uniform heavy = bar, light = bar;
    light.rIy = light.rIz = 0;
    for (int n = 0; n < 20; n++) {
        double l = bar.L * (1 + 0.2 * rnd()), w = 1.5 * rnd(), dl = n % 2 ? rnd() : 0;
        motion m = turning(l, dl, n % 4 < 2 ? v3(0, 0, w) : v3(0, w, 0), 0.5);
        element e = uniform_element(&heavy), f = uniform_element(&light);
        double F[12], G[12], mass = bar.rA * bar.L, pull = bar.EA * (l / bar.L - 1);
        e.centred = f.centred = n / 4 % 2;
        residual(&e, &m, v3(0, 0, 0), F);
        residual(&f, &m, v3(0, 0, 0), G);
        for (int i = 0; i < 12; i++)
            assert_true(fabs(F[i] - G[i]) < 1e-14); /* not of rotary inertia */
        assert_true(fabs(F[6] - (pull - mass * l * w * w / 12)) < 1e-14);
        assert_true(fabs(F[0] + F[6]) < 1e-14);
        lm_v3 arm = v3_mul(0.5, v3_sub(m.x[1], m.x[0])),
              across = v3_sub(v3_from(F + 6), v3_from(F));
        lm_v3 moment = v3_add(v3_add(v3_from(F + 3), v3_from(F + 9)), v3_cross(arm, across));
        lm_v3 change = v3_mul(mass * l * dl / 6, m.v[1]); /* of the moment of momentum m l^2/12 w */
        assert_true(v3_norm(v3_sub(moment, change)) < 1e-14);
    }
}

/* A bar that turns about its end: tan(k) - k per k of stretch, k^2 = rhoA w^2/EA, with as without
 * rotary inertia. The linear stretch of an element leaves an error of second order. */
static double stretch(int n, double rI)
{
    uniform u = {1, 1e5, 300, 400, 400, 2, rI, rI};
    chain c = chain_of(n, u, 0, 0);
    c.speed = 20;
    c.e.centred = 1;
    assert_int_not_equal(chain_settle(&c, 8), -1);
    return c.q[n][0] - 1;
}

static void test_spinning_bar(void **unused)
{
    (void)unused;
    const double k = 20 * sqrt(2e-5), exact = tan(k) / k - 1;
    for (int n = 1; n <= 4; n++) assert_true(fabs(stretch(n, 0.01) - stretch(n, 0)) < 1e-14);
    assert_true(fabs(stretch(1, 0.01) / exact - 1) < 1e-3);
    assert_order(stretch(2, 0.01) - exact, stretch(4, 0.01) - exact, 1.9);
}

/* --- rotating beams ------------------------------------------------------------------------------- */

typedef struct matrices {
    int N;
    double K[CHAIN_DOFS * CHAIN_DOFS], M[CHAIN_DOFS * CHAIN_DOFS];
} matrices;

/* Stiffness and mass across the plane of rotation. Neither the velocities nor the accelerations of
 * the steady motion change with a deflection along the axis of rotation. */
static void assemble_flap(const chain *c, matrices *s)
{
    const double w[2][3] = {{0, 0, 1}, {1, 0, 0}};
    const int dof[4] = {UZ, RY, UZ + 6, RY + 6}, N = s->N = 2 * c->n;
    memset(s->K, 0, sizeof s->K);
    memset(s->M, 0, sizeof s->M);
    for (int i = 0; i < c->n; i++) {
        motion m = chain_motion(c, i);
        double P[2][12][12];
        for (int k = 0; k < 2; k++) tangent(&c->e, &m, v3(0, 0, 0), w[k], P[k]);
        for (int a = i ? 0 : 2; a < 4; a++)
            for (int b = i ? 0 : 2; b < 4; b++) {
                int at = (2 * i - 2 + a) * N + 2 * i - 2 + b;
                s->K[at] += P[0][dof[b]][dof[a]], s->M[at] += P[1][dof[b]][dof[a]];
            }
    }
}

/* By inverse iteration. */
static double lowest_frequency(const matrices *s)
{
    static double A[CHAIN_DOFS * CHAIN_DOFS];
    const int N = s->N;
    double x[CHAIN_DOFS] = {0}, y[CHAIN_DOFS], omega2 = 0;
    x[N - 2] = 1;
    for (int turn = 0; turn < 40; turn++) {
        for (int i = 0; i < N; i++) {
            y[i] = 0;
            for (int j = 0; j < N; j++) y[i] += s->M[i * N + j] * x[j];
        }
        memcpy(A, s->K, sizeof A);
        chain_solve(N, A, y);
        omega2 = x[N - 2] / y[N - 2];
        for (int i = 0; i < N; i++) x[i] = y[i] / y[N - 2];
    }
    return sqrt(omega2);
}

static double flapping(int n, double speed, int bow)
{
    static matrices s;
    chain c = chain_of(n, strip, 0, 0);
    for (int i = 0; i < 3 && !bow; i++) c.e.s.bowy[i] = c.e.s.turny[i] = 0;
    c.speed = speed;
    c.e.centred = 1;
    assert_int_not_equal(chain_settle(&c, 8), -1);
    assemble_flap(&c, &s);
    return lowest_frequency(&s);
}

/* Wright et al. (1982): 7.3604 and 13.1702 at the speeds 6 and 12. */
static void test_flapping(void **unused)
{
    (void)unused;
    static const double speed[] = {6, 12}, published[] = {7.3604, 13.1702};
    static const double with[2][4] = {{3.6e-3, 1.78e-3, 1.73e-4, 1.21e-5},
                                      {7.16e-3, 6.11e-3, 8.94e-4, 7.55e-5}},
                        without[2][4] = {{0.0740, 0.0328, 0.0102, 2.72e-3},
                                         {0.599, 0.0351, 0.0144, 4.34e-3}};
    for (int k = 0; k < 2; k++) {
        double exact = flapping(CHAIN_MOST, speed[k], 1);
        assert_true(fabs(exact - published[k]) < 6e-5);
        for (int i = 0; i < 4; i++) {
            assert_error(flapping(1 << i, speed[k], 1) / exact - 1, with[k][i]);
            assert_error(flapping(1 << i, speed[k], 0) / exact - 1, without[k][i]);
        }
        assert_order(flapping(8, speed[k], 1) - exact, flapping(16, speed[k], 1) - exact, 3.8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastica),
        cmocka_unit_test(test_buckling),
        cmocka_unit_test(test_buckling_with_shear),
        cmocka_unit_test(test_stretched_energy),
        cmocka_unit_test(test_stretched_forces),
        cmocka_unit_test(test_spinning_bar),
        cmocka_unit_test(test_flapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
