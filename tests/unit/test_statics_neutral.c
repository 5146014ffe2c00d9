/* Statics of mechanisms that are neutral without loads: these alone hold them, and the path of equilibria
 * begins with a fork. */
#include "support/run_model.h"

#define DEG (3.14159265358979323846 / 180)

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr"};
enum { FORMS = 4 };

/* ---- two bars ---- */

/* The first bar is free to turn about the origin, the second hangs on it by a spring. A weight at the end and
 * a pull to the side where the bars meet are in balance as drawn. The spring gives way, and both turn. */
static const char bars[] =
    "limber: 1\n"
    "parameters: {start: -50*deg, k: 80, P: 10, H: -2*P*cos(start)/sin(start), c: cos(start), s: "
    "sin(start)}\n"
    "bodies:\n"
    "  first: {type: rigid, mass: 1, inertia: [1, 1, 1], frames: {end: [c, s, 0]}}\n"
    "  second: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [c, s, 0], frames: {end: [c, "
    "s, 0]}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, first], axis: z}\n"
    "  knee: {type: revolute, between: [first.end, second], axis: z, stiffness: k}\n"
    "loads:\n"
    "  pull: {on: first.end, force: [H, 0, 0]}\n"
    "  weight: {on: second.end, force: [0, -P, 0]}\n"
    "analysis: {type: statics}\n"
    "outputs: {turn: joint(pin), bend: joint(knee)}\n";

/* Moments about the knee and about the pin, by hand. H sin + 2 P cos falls as the bars turn where they hang,
 * so they are stable, and grows where they stand. */
static void two_bars(void **state)
{
    static const double start[] = {-70, -50, -20, 20, 50, 70}, k[] = {80, 800};
    (void)state;
    for (int i = 0; i < 6 * 2 * 3; i++) {
        char set[2][40];
        double from = start[i % 6] * DEG, P = 10, H = -2 * P * cos(from) / sin(from);
        double spring = k[i / 6 % 2];
        snprintf(set[0], sizeof set[0], "start=%g*deg", start[i % 6]);
        snprintf(set[1], sizeof set[1], "k=%g", spring);
        table r = run_model(
            &(run_how){.text = bars, .set = {set[0], set[1]}, .formulation = forms[i / 12]});
        double a = from + table_last(&r, "turn"), b = a + table_last(&r, "bend");
        assert_near(table_last(&r, "t"), 1, 0);
        assert_near(spring * table_last(&r, "bend"), -P * cos(b), 1e-7);
        assert_near(H * sin(a) + P * (cos(a) + cos(b)), 0, 1e-7);
        assert_between(fabs(table_last(&r, "turn")), 1e-4, 0.5);
        table_free(&r);
    }
}

/* ---- crane ---- */

static double crane(int form, const char *rise, const char *n, double *bend)
{
    table r = run_model(&(run_how){.model = "hydraulic_crane",
                                   .set = {rise, n},
                                   .formulation = forms[form],
                                   .analysis = "{type: statics}"});
    double y = table_last(&r, "tip_y");
    assert_near(table_last(&r, "t"), 1, 0);
    *bend = table_last(&r, "bend");
    table_free(&r);
    return y;
}

/* The pressures of the cylinder stand still: without loads the boom and the load at its rope are free. Pieces
 * bend by 1/(4 n^2) less. Up to 22 degrees the boom is stable. */
static void crane_of_every_rise(void **state)
{
    static const char *const rise[] = {"rise=5*deg", "rise=20*deg", "rise=25*deg", "rise=50*deg"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        double bend, other;
        double y = crane(0, rise[i], "n=4", &bend);
        assert_near(crane(1, rise[i], "n=4", &other), y, 1e-9);
        assert_near(other, bend, 1e-9);
        assert_near(crane(2, rise[i], "n=4", &other), y, 4e-3);
        assert_near((1 - other / bend) * 4 * 4 * 4, 1, 0.1);
        assert_near(crane(3, rise[i], "n=4", &other), y, 1e-5);
        assert_near(other, bend, 1e-6);
    }
}

static void crane_of_every_mesh(void **state)
{
    static const char *const n[] = {"n=2", "n=8", "n=16"};
    double bend, fine;
    (void)state;
    double y = crane(0, "rise=20*deg", "n=4", &fine);
    for (int i = 0; i < 3 * 2; i++) {
        assert_near(crane(i / 3, "rise=20*deg", n[i % 3], &bend), y, 1e-6);
        assert_near(bend, fine, 1e-7);
    }
}

/* ---- spin ---- */

/* A beam with two bending stiffnesses between a ball and a universal joint can spin about its axis. A couple
 * turns it until its weak axis takes the moment: by an angle that does not depend on the size of the couple,
 * against a stiffness that goes with its square. */
static const char spins[] =
    "limber: 1\n"
    "parameters: {S: 4, M: 3}\n"
    "sections: {s: {shape: stiffness, EA: 3408.58, GJ: 30, EIy: 10.8, EIz: 10.4, rhoA: 1, rhoIy: "
    "1e-3, rhoIz: 1e-3}}\n"
    "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 16, y_axis: "
    "[0.2, 0.5, 0.8]}}\n"
    "joints:\n"
    "  c: {type: spherical, between: [ground, b.start]}\n"
    "  d: {type: universal, between: [b.end, ground], axes: [[1, 0, 0], [0, 1, 0]]}\n"
    "loads: {l: {on: b.end, torque: [0, M, 0]}}\n"
    "formulation: {type: ffr, substructures: S}\n"
    "analysis: {type: statics}\n"
    "outputs: {f: force(c), My: \"section(b, 0.6).My\", Mz: \"section(b, 0.6).Mz\"}\n";

static void spin_to_the_weak_axis(void **state)
{
    static const char *const frames[] = {"S=1", "S=4", "S=8", "S=16"};
    static const char *const couple[] = {"M=3", "M=8"};
    static const double axial[] = {-2.9918, -17.013}; /* corotational, 64 elements */
    (void)state;
    for (int i = 0; i < 2 * (4 + FORMS - 1); i++) {
        int k = i / 2, ffr = k < 4;
        table r = run_model(&(run_how){.text = spins,
                                       .set = {couple[i % 2], ffr ? frames[k] : "S=1"},
                                       .formulation = ffr ? NULL : forms[k - 4]});
        int hinges = !ffr && !strcmp(forms[k - 4], "rfe");
        double M = i % 2 ? 8 : 3, coarse = k == 0 || hinges ? 0.02 : 0.005;
        assert_near(table_last(&r, "f.x"), axial[i % 2], coarse * -axial[i % 2]);
        assert_near(table_last(&r, "f.z"), -M, 1e-6 * M);
        assert_under(fabs(table_last(&r, "My")), 1e-6 * M);
        assert_between(fabs(table_last(&r, "Mz")), 0.4 * M, 0.8 * M);
        assert_true(r.sum.iterations < 100);
        table_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_bars), cmocka_unit_test(crane_of_every_rise),
        cmocka_unit_test(crane_of_every_mesh), cmocka_unit_test(spin_to_the_weak_axis)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
