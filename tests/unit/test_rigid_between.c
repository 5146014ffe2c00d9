/* Poses between two instants of a known motion: polynomials of fifth degree are exact, other motions are met to the
 * order of such polynomials, and an end whose quaternion has the other sign is the same end. */
#include "analysis/rigid_motion.h"
#include "support/run_model.h"

typedef struct pose {
    double q[7], v[6], a[6];
} pose;

static pose between(const pose *from, const pose *to, double h, double x)
{
    const lm_known_pose end[2] = {{from->q, from->v, from->a}, {to->q, to->v, to->a}};
    pose out;
    lm_pose_between(end, h, x, out.q, out.v, out.a);
    return out;
}

static double difference(int n, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* ---- translation ---- */

static pose shifted(double t)
{
    static const double c[3][6] = {
        {0.3, -1, 2, 0.7, -1.1, 0.4}, {-2, 0.6, 0.9, -1.3, 0.2, 1.7}, {1, 0, -0.5, 1.9, 0.8, -2.1}};
    pose p = {.q[3] = 1};
    for (int i = 0; i < 3; i++)
        for (int k = 5; k >= 0; k--) {
            p.q[i] = p.q[i] * t + c[i][k];
            if (k > 0) p.v[i] = p.v[i] * t + k * c[i][k];
            if (k > 1) p.a[i] = p.a[i] * t + k * (k - 1) * c[i][k];
        }
    return p;
}

static void fifth_degree(void **state)
{
    (void)state;
    pose from = shifted(0.4), to = shifted(1.1);
    for (double x = 0; x < 1.01; x += 0.125) {
        pose p = between(&from, &to, 0.7, x), exact = shifted(0.4 + 0.7 * x);
        assert_under(difference(7, p.q, exact.q), 1e-13);
        assert_under(difference(6, p.v, exact.v), 1e-12);
        assert_under(difference(6, p.a, exact.a), 1e-11);
    }
}

/* ---- rotation ---- */

/* About n at the rate w, and within that about m at the rate u: omega = w n + u R m, and its rate w n x u R m. */
static pose turned(double t)
{
    const lm_v3 n = {0.6, 0, 0.8}, m = {0, 1, 0}, none = {0, 0, 0};
    const double w = 1.3, u = -0.9;
    lm_quat turn = lm_quat_exp(v3_mul(w * t, n));
    lm_m3 R = quat_m3(turn);
    lm_v3 about_n = v3_mul(w, n), about_m = v3_mul(u, m3_v(&R, m));
    pose p;
    v3_put(p.q, none), v3_put(p.v, none), v3_put(p.a, none);
    quat_put(p.q + 3, quat_mul(turn, lm_quat_exp(v3_mul(u * t, m))));
    v3_put(p.v + 3, v3_add(about_n, about_m));
    v3_put(p.a + 3, v3_cross(about_n, about_m));
    return p;
}

static void errors(double t, double h, double sign, double most[3])
{
    pose from = turned(t), to = turned(t + h);
    for (int i = 3; i < 7; i++) to.q[i] *= sign;
    most[0] = most[1] = most[2] = 0;
    for (double x = 0.125; x < 1; x += 0.125) {
        pose p = between(&from, &to, h, x), exact = turned(t + h * x);
        double off[3] = {difference(4, p.q + 3, exact.q + 3), difference(3, p.v + 3, exact.v + 3),
                         difference(3, p.a + 3, exact.a + 3)};
        for (int i = 0; i < 3; i++) most[i] = fmax(most[i], off[i]);
    }
}

/* Errors fall as h^6, h^5 and h^4. */
static void order_of_rotations(void **state)
{
    (void)state;
    for (int sign = -1; sign < 2; sign += 2) {
        double coarse[3], fine[3];
        errors(0.3, 0.4, sign, coarse);
        errors(0.3, 0.2, sign, fine);
        for (int i = 0; i < 3; i++) {
            assert_between(log2(coarse[i] / fine[i]), 5.5 - i, 6.5 - i);
            assert_under(coarse[i], i == 0 ? 1e-7 : i == 1 ? 1e-6 : 1e-4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fifth_degree),
                                       cmocka_unit_test(order_of_rotations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
