/* Machines that start at rest, with values of their variables that are nearly nothing: what the rounding of the
 * mechanism does to them is no error of a step. */
#include "support/listen.h"

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};

/* An arm on elastic gears falls from rest: the rotors' momenta begin with nothing, and dampers hand the
 * rounding of the joint angles to them. */
#define GEARED                                                                                     \
    "limber: 1\n"                                                                                  \
    "include: [library/gears.yaml]\n"                                                              \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "sections: {s: {shape: stiffness, EA: 1e7, EIy: 2000, EIz: 2000, GJ: 1500, rhoA: 0.5, rhoIy: " \
    "1e-4, rhoIz: 1e-4}}\n"                                                                        \
    "bodies:\n"                                                                                    \
    "  column: {type: rigid, mass: 10, inertia: [0.2, 0.2, 0.1], com: [0, 0, 0.2], frames: "       \
    "{shoulder: [0, 0, 0.4]}}\n"                                                                   \
    "  upper: {type: rigid, mass: 4, inertia: [0.005, 0.09, 0.09], position: [0, 0, 0.4], com: "   \
    "[0.25, 0, 0], frames: {elbow: [0.5, 0, 0]}}\n"                                                \
    "  fore: %s\n"                                                                                 \
    "  load: {type: rigid, mass: 2, inertia: [0.002, 0.002, 0.002], position: [1.1, 0, 0.4]}\n"    \
    "joints:\n"                                                                                    \
    "  j(1): {type: revolute, between: [ground, column], axis: z}\n"                               \
    "  j(2): {type: revolute, between: [column.shoulder, upper], axis: y}\n"                       \
    "  j(3): {type: revolute, between: [upper.elbow, fore.start], axis: y}\n"                      \
    "  grip: {type: fixed, between: [fore.end, load]}\n"                                           \
    "power:\n"                                                                                     \
    "  motor(k=1..3): {type: Se, effort: 0, on: rotor(k)}\n"                                       \
    "  rotor(k=1..3): {type: 1, domain: rotation}\n"                                               \
    "  J(k=1..3): {type: I, inertia: 2e-4, on: rotor(k)}\n"                                        \
    "  box(k=1..3): {use: gearbox_elastic, with: {ratio: 100, stiffness: 5000, damping: 10}, "     \
    "ports: {input: rotor(k), output: j(k)}}\n"                                                    \
    "analysis: {type: dynamics, until: 1, output_step: 0.001, tolerance: %g}\n"                    \
    "outputs: {q2: joint(j(2)), q3: joint(j(3))}\n"

#define STIFF_FORE                                                                                 \
    "{type: rigid, mass: 0.4, inertia: [1e-3, 0.01, 0.01], position: [0.5, 0, 0.4], com: [0.3, "   \
    "0, 0], frames: {start: [0, 0, 0], end: [0.6, 0, 0]}}"
#define BEAM_FORE "{type: beam, section: s, from: [0.5, 0, 0.4], to: [1.1, 0, 0.4], elements: 2}"

static table fall(const char *form, const char *fore, double tolerance)
{
    char text[3500];
    snprintf(text, sizeof text, GEARED, fore, tolerance);
    return run_model(&(run_how){.text = text, .formulation = form});
}

static void rigid_arm(void **state)
{
    (void)state;
    table ref = fall("minimal", STIFF_FORE, 1e-9);
    for (int f = 0; f < 4; f++)
        for (double tolerance = 1e-6; tolerance > 5e-9; tolerance *= 0.1) {
            if (f && tolerance < 5e-7) break; /* all joints are constraints in the first alone */
            table got = fall(forms[f], STIFF_FORE, tolerance);
            assert_under(table_distance_all(&got, &ref), 100 * tolerance);
            table_free(&got);
        }
    table_free(&ref);
}

/* The known motion of the rigid mechanism is computed by itself, at a tight tolerance. */
static void flexible_arm(void **state)
{
    (void)state;
    table ref = fall("corotational", BEAM_FORE, 1e-6);
    table got = fall("elastodynamic", BEAM_FORE, 1e-6);
    assert_under(table_distance_all(&got, &ref), 1e-4);
    table_free(&got), table_free(&ref);
}

/* A crank that its rod cannot follow, and a rotor beside it: what is lost is the known motion, and no number. */
static void known_motion_is_lost(void **state)
{
    char said[SAID];
    (void)state;
    run_how how = {
        .formulation = "elastodynamic",
        .text = "limber: 1\n"
                "sections: {s: {shape: stiffness, EA: 1e6, EIy: 500, EIz: 500, GJ: 500, rhoA: 1}}\n"
                "bodies:\n"
                "  crank: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
                "  rod: {type: beam, section: s, from: [1, 0, 0], to: [1.6, 0, 0], elements: 2}\n"
                "  slider: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1.6, 0, 0]}\n"
                "joints:\n"
                "  c: {type: revolute, between: [ground, crank], axis: z, drive: t}\n"
                "  p: {type: revolute, between: [crank, rod.start], axis: z, at: [1, 0, 0]}\n"
                "  q: {type: revolute, between: [rod.end, slider], axis: z}\n"
                "  g: {type: prismatic, between: [ground, slider], axis: x}\n"
                "power:\n"
                "  on: {type: 1, domain: rotation}\n"
                "  J: {type: I, inertia: 1, on: on}\n"
                "  m: {type: Se, effort: 1, on: on}\n"
                "analysis: {type: dynamics, until: 3}\n"};
    assert_int_equal(run_listen(&how, said), LIMBER_STOPPED);
    assert_says(said, "the rigid motion cannot be followed");
    assert_null(strstr(said, "finite number"));
}

/* A filter of second order of a rate that begins with rounding: its output follows a state that a rate moves, and
 * grows with the cube of the time. In parts of itself its error would be the same in any step. */
#define FILTERED                                                                                   \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  base: {type: rigid, mass: 2, inertia: [0.2, 0.25, 0.3], position: [-0.8, -0.3, -0.4],\n"    \
    "         orientation: {axis: [-0.4, 0.7, 0.5], angle: -2.6}}\n"                               \
    "  arm: {type: rigid, mass: 2, inertia: [0.1, 0.15, 0.12], position: [-0.4, -0.8, -0.4],\n"    \
    "        orientation: {axis: [1.6, -0.9, -0.5], angle: 2.7}}\n"                                \
    "  bob: {type: rigid, mass: 2, inertia: [0.2, 0.25, 0.3], position: [-0.6, -0.2, -0.9]}\n"     \
    "joints:\n"                                                                                    \
    "  cross: {type: universal, between: [ground, base], axes: [[-0.7, 0.7, 0], [0.1, 0.1, 1]]}\n" \
    "  motor: {type: revolute, between: [arm, base], axis: z, at: [-0.3, -0.5, -0.8], drive: "     \
    "-5*t}\n"                                                                                      \
    "  pin: {type: revolute, between: [arm, bob], axis: z, at: [-0.6, -0.9, -0.8]}\n"              \
    "blocks: {slow: {type: filter, input: -rate(pin), time_constant: 1, order: 2}}\n"              \
    "analysis: {type: dynamics, until: 1, output_step: 0.1, tolerance: %g}\n"                      \
    "outputs: {rate: rate(pin), slow: slow}\n"

static table filtered(const char *form, double tolerance)
{
    char text[2000];
    snprintf(text, sizeof text, FILTERED, tolerance);
    return run_model(&(run_how){.text = text, .formulation = form});
}

static void filter_of_a_rate(void **state)
{
    (void)state;
    table ref = filtered("corotational", 1e-7);
    for (int f = 0; f < 4; f++) {
        table got = filtered(forms[f], 1e-6);
        assert_under(table_distance_all(&got, &ref), 1e-4);
        table_free(&got);
    }
    table_free(&ref);
}

/* Nor is that rounding an error of a step or of Newton's method, in however many digits. */
static void filter_of_a_rate_in_many_digits(void **state)
{
    (void)state;
    table ref = filtered("minimal", 1e-10);
    for (int f = 0; f < 2; f++) {
        table got = filtered(forms[f], 1e-9);
        assert_under(table_distance_all(&got, &ref), 1e-7);
        table_free(&got);
    }
    table_free(&ref);
}

/* A filter of a rate that begins with rounding: the state is measured by what a small motion does to it, and has the
 * rounding of motions in each step, however short. */
static void rate_from_rounding(void **state)
{
    static const char text[] =
        "limber: 1\nbodies:\n"
        "  base: {type: rigid, mass: 2, inertia: [0.2, 0.25, 0.3], position: [-0.8, -0.3, -0.4],\n"
        "         orientation: {axis: [-0.4, 0.7, 0.5], angle: -2.6}}\n"
        "  arm: {type: rigid, mass: 2, inertia: [0.1, 0.15, 0.12], position: [-0.4, -0.8, -0.4],\n"
        "        orientation: {axis: [1.6, -0.9, -0.5], angle: 2.7}}\n"
        "  bob: {type: rigid, mass: 2, inertia: [0.2, 0.25, 0.3], position: [-0.6, -0.2, -0.9]}\n"
        "joints:\n"
        "  cross: {type: universal, between: [ground, base], axes: [[-0.7, 0.7, 0], [0.1, 0.1, "
        "1]]}\n"
        "  motor: {type: revolute, between: [arm, base], axis: z, at: [-0.3, -0.5, -0.8], drive: "
        "-5*t}\n"
        "  pin: {type: revolute, between: [arm, bob], axis: z, at: [-0.6, -0.9, -0.8]}\n"
        "blocks:\n  slow: {type: filter, input: -rate(pin), time_constant: 1, order: 1}\n"
        "outputs: {rate: rate(pin), slow: slow}\n"
        "analysis: {type: dynamics, until: 1, output_step: 0.1, tolerance: 1e-8}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    assert_under((double)r.sum.steps, 1000);
    assert_near(table_last(&r, "rate"), 3.80565880757, 1e-8); /* bdf at 1e-9 */
    assert_near(table_last(&r, "slow"), -2.90360009528, 1e-8);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_of_a_rate),   cmocka_unit_test(rigid_arm),
        cmocka_unit_test(flexible_arm),       cmocka_unit_test(known_motion_is_lost),
        cmocka_unit_test(rate_from_rounding), cmocka_unit_test(filter_of_a_rate_in_many_digits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
