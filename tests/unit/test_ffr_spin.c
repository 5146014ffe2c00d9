/* Beams in floating frames that spin: what the inertia of their sections does, against closed forms and
 * against corotational meshes. */
#include "support/run_model.h"

/* The frequency of a table of campbell at that speed that is nearest to `near`. */
static double frequency(const table *r, double speed, double near)
{
    double best = INFINITY;
    for (int i = 0; i < r->rows; i++) {
        double f = table_get(r, i, "frequency");
        if (table_get(r, i, "speed") == speed && fabs(f - near) < fabs(best - near)) best = f;
    }
    return best;
}

/* A blade about an axis through its root. */
#define BLADE                                                                                      \
    "limber: 1\n"                                                                                  \
    "parameters: {ax: 0, ay: 0, az: 1, W: 40, n: 8, taper: 0, EIy: 60, EIz: 500}\n"                \
    "sections:\n"                                                                                  \
    "  s: {shape: stiffness, EA: 2e9, EIy: EIy, EIz: EIz, GJ: 80*(1 - taper*s/2), rhoA: 2, "       \
    "rhoIy: 0.004*(1 - taper*s), rhoIz: 0.02*(1 - taper*s)}\n"                                     \
    "bodies:\n"                                                                                    \
    "  hub: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"                                    \
    "  blade: {type: beam, section: s, from: [0.3, 0, 0], to: [1.3, 0, 0], elements: n}\n"         \
    "joints:\n"                                                                                    \
    "  shaft: {type: revolute, between: [ground, hub], axis: [ax, ay, az], drive: W*t}\n"          \
    "  root: {type: fixed, between: [hub, blade.start], at: [0.3, 0, 0]}\n"                        \
    "analysis: {type: campbell, drive: shaft, speeds: [0, W, 2], count: 7}\n"

/* Torsion: w^2 = w0^2 + W^2 (jz - jy)/(jy + jz) about z, the contrary about y: a flat section wants to lie
 * in the plane of rotation. The blade is stiff, so that bending does not turn its sections. */
static void blades_twist(void **unused)
{
    static const char *const basis[] = {"type: ffr", "type: ffr, basis: modes, modes: 3"};
    (void)unused;
    for (int b = 0; b < 2; b++)
        for (int about_z = 0; about_z < 2; about_z++) {
            char formulation[80];
            snprintf(formulation, sizeof formulation, "limber: 1\nformulation: {%s}\n", basis[b]);
            table r = run_model(&(run_how){
                .text = BLADE,
                .set = {about_z ? "az=1" : "az=0", about_z ? "ay=0" : "ay=1", "EIy=5e7", "EIz=5e7"},
                .swap = {{"limber: 1\n", formulation}}});
            double turn = 2 * 3.14159265358979, rest = turn * frequency(&r, 0, 14.45);
            double change = 1600 * 0.016 / 0.024 * (about_z ? 1 : -1);
            double expected = sqrt(rest * rest + change);
            assert_near(turn * frequency(&r, 40, expected / turn), expected, 1e-6 * expected);
            table_free(&r);
        }
}

/* Every frequency of a tapered blade about each of its axes, by splines and by modes. */
static void blades_about_each_axis(void **unused)
{
    static const char *const axis[3][3] = {
        {"ax=1", "ay=0", "az=0"}, {"ax=0", "ay=1", "az=0"}, {"ax=0", "ay=0", "az=1"}};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        run_how how = {.text = BLADE,
                       .set = {axis[k][0], axis[k][1], axis[k][2], "taper=0.6", "n=32"},
                       .formulation = "corotational"};
        table fine = run_model(&how);
        for (int b = 0; b < 2; b++) {
            run_how other = how;
            other.formulation = NULL;
            other.set[4] = "n=8";
            other.swap[0][0] = "limber: 1\n";
            other.swap[0][1] = b ? "limber: 1\nformulation: {type: ffr, basis: modes, modes: 6}\n"
                                 : "limber: 1\nformulation: ffr\n";
            table r = run_model(&other);
            for (int i = 0; i < fine.rows; i++) {
                double f = table_get(&fine, i, "frequency"), W = table_get(&fine, i, "speed");
                if (f < 45) assert_near(frequency(&r, W, f), f, (b ? 1e-3 : 2.5e-3) * f + 1e-6);
            }
            table_free(&r);
        }
        table_free(&fine);
    }
}

/* A blade that is soft in shear, about z: flapping with torsion, coupled by the momentum of the sections
 *
 *   - 2 L = GA (w' - c)^2 + EI c'^2 + GJ t'^2 + N (2 w' c - c^2) - rhoA w.^2 - J (c.^2 + W^2 c^2) - Jx t.^2
 *           - (J - Jz) W^2 t^2 + 4 J W c. t,      c the slope of the section, t its twist, N the centrifugal force,
 *
 * by polynomials of eighth degree in six elements. What limber's finest mesh leaves is of second order. */
static void blades_shear(void **unused)
{
    static const char *const n[] = {"n=8", "n=16", "n=32"};
    static const double expected[4] = {8.362342443, 23.868963406, 45.889712805, 47.439055147};
    (void)unused;
    double f[3][4];
    for (int k = 0; k < 3; k++) {
        table r =
            run_model(&(run_how){.text = BLADE,
                                 .set = {n[k], "EIy=60", "EIz=5e4"},
                                 .swap = {{"limber: 1\n", "limber: 1\nformulation: ffr\n"},
                                          {"{type: beam,", "{type: beam, theory: timoshenko,"},
                                          {"GJ: 80*", "GAy: 2e6, GAz: 6e3, GJ: 800*"}}});
        for (int i = 0; i < 4; i++) f[k][i] = frequency(&r, 40, expected[i]);
        table_free(&r);
    }
    for (int i = 0; i < 4; i++) {
        double even = (f[0][i] - 20 * f[1][i] + 64 * f[2][i]) / 45; /* without h^2 and h^4 */
        assert_near(even, expected[i], 2e-6 * expected[i]);
        assert_between(log2((f[1][i] - expected[i]) / (f[2][i] - expected[i])), 1.5, 2.5);
    }
}

/* A thick shaft on two points, spun through a universal joint. Rayleigh's equation with the couples of the
 * spinning sections: (rhoA + j k^2) w^2 - 2 j k^2 W w - EI k^4 = 0, k = n pi/L; in axes that turn with
 * the shaft |w - W|. */
static void shafts_whirl(void **unused)
{
    static const char *const model =
        "limber: 1\n"
        "sections:\n"
        "  bar: {shape: stiffness, EA: 4e6, EIy: 900, EIz: 900, GJ: 700, rhoA: 3, rhoIy: 0.009, "
        "rhoIz: 0.009}\n"
        "bodies:\n"
        "  hub: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
        "  shaft: {type: beam, section: bar, from: [0, 0, 0], to: [1.3, 0, 0], elements: 12}\n"
        "joints:\n"
        "  motor: {type: revolute, between: [ground, hub], axis: x, drive: 500*t}\n"
        "  A: {type: universal, between: [hub, shaft.start], axes: [y, z]}\n"
        "  B: {type: inline, between: [ground, shaft.end], axis: x}\n"
        "formulation: {type: ffr, substructures: 1}\n"
        "analysis: {type: campbell, drive: motor, speeds: [0, 500, 2], count: 8}\n";
    const double pi = 3.14159265358979, EI = 900, rhoA = 3, j = 0.009, L = 1.3;
    (void)unused;
    table r = run_model(&(run_how){.text = model});
    for (int n = 1; n <= 2; n++)
        for (int forward = -1; forward <= 1; forward += 2)
            for (double W = 0; W <= 500; W += 500) {
                double k = n * pi / L, m = rhoA + j * k * k, b = forward * j * k * k * W;
                double w = (b + sqrt(b * b + m * EI * k * k * k * k)) / m;
                double expected = fabs(w - forward * W) / (2 * pi);
                assert_near(frequency(&r, W, expected), expected,
                            1e-5 * (n == 1 ? w : 20 * w) / (2 * pi));
            }
    for (int i = 0; i < r.rows; i++) assert_under(fabs(table_get(&r, i, "damping_ratio")), 1e-9);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blades_twist),
        cmocka_unit_test(blades_about_each_axis),
        cmocka_unit_test(blades_shear),
        cmocka_unit_test(shafts_whirl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
