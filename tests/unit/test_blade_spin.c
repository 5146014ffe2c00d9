/* A blade that is soft in shear in both planes, clamped to a hub that turns about an axis across it, along it, and across
 * it at a setting angle, against small motions about the stretched blade by Lagrange's equations,
 *
 *   L = rhoA |r.|^2/2 + omega^T J omega/2 - (GAy (v' - cz)^2 + GAz (w' + cy)^2 + EIy cy'^2 + EIz cz'^2 + GJ cx'^2)/2
 *       - N (cz v' - cy w' - (cy^2 + cz^2)/2) + M (cy cz' - cz cy')/2,
 *
 * v, w the deflection, c the section's rotation vector, omega = W - c x W + c x (c x W)/2 + c. - c x c./2 in its axes,
 * N(x) the centrifugal force, M(x) the torque by which inclined sections want to turn into the plane of rotation. The
 * numbers below are roots of the determinant of the forces at the tip, integrated from the root by Runge and Kutta's
 * method with 100 and 200 steps, extrapolated. What limber's finest mesh leaves is of second order: shear is constant in an
 * element. */
#include "support/run_model.h"

static const char blade[] =
    "limber: 1\n"
    "parameters: {ax: 0, ay: 0, az: 0, set: 0, GJ: 800, n: 8}\n"
    "sections:\n"
    "  s: {shape: stiffness, EA: 2e9, EIy: 60, EIz: 150, GJ: GJ, GAy: 9e3, GAz: 6e3, rhoA: 2, "
    "rhoIy: 0.004, rhoIz: 0.02}\n"
    "bodies:\n"
    "  hub: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "  blade: {type: beam, theory: timoshenko, section: s, from: [0.3, 0, 0], to: [1.3, 0, 0], "
    "elements: n, y_axis: [0, cos(set), sin(set)]}\n"
    "joints:\n"
    "  shaft: {type: revolute, between: [ground, hub], axis: [ax, ay, az], drive: 40*t}\n"
    "  root: {type: fixed, between: [hub, blade.start], at: [0.3, 0, 0]}\n"
    "analysis: {type: campbell, drive: shaft, speeds: [0, 40, 2], count: 6}\n";

enum { MODES = 4 };
typedef struct spin {
    const char *axis, *set, *GJ;
    double expected[MODES];
} spin;

/* With GJ 8e6 the blade does not twist by its setting angle. */
static const spin spins[] = {
    {"az=1", "set=0", "GJ=800", {6.488764137, 8.362343923, 23.868967130, 26.640079447}},
    {"ay=1", "set=0", "GJ=800", {5.471396119, 8.928725451, 23.091013253, 26.936807651}},
    {"ax=1", "set=0", "GJ=800", {2.234380741, 10.105020979, 12.721797238, 25.831342337}},
    {"az=1", "set=0.6", "GJ=8e6", {6.123388051, 8.592926618, 23.600365350, 26.817240756}},
};

/* The frequency at full speed that is nearest to `near`. */
static double frequency(const table *r, double near)
{
    double best = INFINITY;
    for (int i = 0; i < r->rows; i++) {
        const double f = table_get(r, i, "frequency");
        if (table_get(r, i, "speed") > 20 && fabs(f - near) < fabs(best - near)) best = f;
    }
    return best;
}

static void check(const spin *s, const char *formulation)
{
    static const char *const n[] = {"n=8", "n=16", "n=32"};
    double f[3][MODES];
    for (int k = 0; k < 3; k++) {
        table r = run_model(&(run_how){
            .text = blade, .formulation = formulation, .set = {s->axis, s->set, s->GJ, n[k]}});
        for (int i = 0; i < MODES; i++) f[k][i] = frequency(&r, s->expected[i]);
        table_free(&r);
    }
    for (int i = 0; i < MODES; i++) {
        const double even = (f[0][i] - 20 * f[1][i] + 64 * f[2][i]) / 45; /* without h^2 and h^4 */
        assert_near(even, s->expected[i], 2e-6 * s->expected[i]);
        assert_between(log2((f[1][i] - s->expected[i]) / (f[2][i] - s->expected[i])), 1.9, 2.1);
    }
}

static void frequencies(void **unused)
{
    static const char *const form[] = {"corotational", "minimal", "ffr", "elastodynamic"};
    (void)unused;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) check(&spins[i], form[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frequencies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
