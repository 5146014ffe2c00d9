/* What rows of results hold, wherever in a step they lie. */
#include "support/run_model.h"

/* A pendulum with a disk that is driven on it: accelerations and reactions of each row answer its own angle,
 * those of the row at the end, too, where the last step ends. */
static void accelerations_of_all_rows(void **state)
{
    static const char *const text =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  rod: {type: rigid, mass: 2, inertia: [1, 1, 0.5], com: [0.5, 0, 0], frames: {end: [1, "
        "0, 0]}}\n"
        "  disk: {type: rigid, mass: 3, inertia: [1, 1, 0.2], position: [1, 0, 0]}\n"
        "joints:\n"
        "  pin: {type: revolute, between: [ground, rod], axis: z}\n"
        "  motor: {type: revolute, between: [rod.end, disk], axis: z, drive: sin(5*t)}\n"
        "analysis: {type: dynamics, until: 1, output_step: 0.05, tolerance: 1e-4, method: radau}\n"
        "outputs:\n"
        "  driven: accel(motor) + 25*sin(5*t)\n"
        "  swing: 4.2*accel(pin) - 5*sin(5*t) + 9.81*4*cos(joint(pin))\n"
        "  torque: moment(motor).z - 0.2*(accel(pin) - 25*sin(5*t))\n";
    static const char *const form[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
    (void)state;
    for (int f = 0; f < 5; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = form[f]});
        assert_under(table_drift(&r, "driven"), 1e-11);
        assert_under(table_drift(&r, "swing"), 1e-10);
        assert_under(table_drift(&r, "torque"), 1e-11);
        assert_near(table_last(&r, "swing"), 0, 1e-10);
        table_free(&r);
    }
}

/* So do those of a pendulum without constraints, in joint coordinates. */
static void accelerations_of_free_motions(void **state)
{
    static const char *const text =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  rod: {type: rigid, mass: 2, inertia: [1, 1, 0.5], com: [0.5, 0, 0]}\n"
        "joints: {pin: {type: revolute, between: [ground, rod], axis: z, effort: 3*sin(7*t)}}\n"
        "analysis: {type: dynamics, until: 1, output_step: 0.05, tolerance: 1e-4, method: radau}\n"
        "outputs: {swing: accel(pin) - 3*sin(7*t) + 9.81*cos(joint(pin))}\n";
    static const char *const form[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
    (void)state;
    for (int f = 0; f < 5; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = form[f]});
        assert_near(table_first(&r, "swing"), 0, 1e-10);
        assert_under(table_drift(&r, "swing"), 1e-10);
        table_free(&r);
    }
}

static const char *const forms[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};

/* The largest |value| of a column. */
static double table_most(const table *r, const char *name)
{
    double most = 0;
    for (int i = 0; i < r->rows; i++) most = fmax(most, fabs(table_get(r, i, name)));
    return most;
}

/* A load on a body that cannot move has no part in the steps, and is carried in full at each row. */
static void loads_that_move_nothing(void **state)
{
    static const char *const method[] = {"generalized-alpha",
                                         "newmark",
                                         "bdf",
                                         "radau",
                                         "explicit",
                                         "generalized-alpha, rho_inf: 1"};
    (void)state;
    for (int f = 0; f < 5; f++)
        for (int m = 0; m < 6; m++) {
            char text[1200];
            snprintf(
                text, sizeof text,
                "limber: 1\n"
                "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1]}, c: {type: rigid, mass: "
                "1, inertia: [1, 1, 1], position: [2, 0, 0]}}\n"
                "joints: {j: {type: fixed, between: [ground, b]}, k: {type: revolute, between: "
                "[ground, c], axis: z}}\n"
                "initial: {k: {rate: 1}}\n"
                "loads: {l: {on: b, force: [\"sin(6*t)\", 0, 0]}}\n"
                "analysis: {type: dynamics, until: 1, output_step: 0.07, method: %s}\n"
                "outputs: {f: force(j).x + sin(6*t), fx: force(j).x}\n",
                method[m]);
            table r = run_model(&(run_how){.text = text, .formulation = forms[f]});
            assert_between(table_most(&r, "fx"), 0.9, 1.1);
            assert_under(table_most(&r, "f"), 1e-13);
            table_free(&r);
        }
}

/* Where nothing is damped, a method's own accelerations and multipliers swing about the true ones, the more the
 * shorter the steps: rows do not. Those between the steps, too (0.0137 is no multiple of one). */
static void undamped_methods(void **state)
{
    static const char *const how[] = {
        "method: newmark, step: 1e-4",    "method: newmark, tolerance: 1e-8",
        "rho_inf: 1, step: 1e-4",         "rho_inf: 1, tolerance: 1e-8",
        "rho_inf: 0.99, tolerance: 1e-5", "method: bdf, tolerance: 1e-5",
        "method: radau, tolerance: 1e-5", "tolerance: 1e-5"};
    (void)state;
    for (int f = 0; f < 5; f++)
        for (int m = 0; m < 8; m++) {
            char text[1400];
            snprintf(
                text, sizeof text,
                "limber: 1\n"
                "gravity: [0, -9.81, 0]\n"
                "bodies: {arm: {type: rigid, mass: 2, inertia: [0.01, 0.2, 0.2], com: [0.5, 0, "
                "0]}}\n"
                "joints: {hinge: {type: revolute, between: [ground, arm], axis: z}}\n"
                "initial: {hinge: {angle: 0.3, rate: 0.7}}\n"
                "analysis: {type: dynamics, until: 0.3, output_step: 0.0137, %s}\n"
                "outputs:\n"
                "  swing: 0.7*accel(hinge) + 9.81*cos(joint(hinge))\n"
                "  along: force(hinge).x + cos(joint(hinge))*rate(hinge)^2 + "
                "sin(joint(hinge))*accel(hinge)\n"
                "  up: force(hinge).y - 19.62 + sin(joint(hinge))*rate(hinge)^2 - "
                "cos(joint(hinge))*accel(hinge)\n",
                how[m]);
            table r = run_model(&(run_how){.text = text, .formulation = forms[f]});
            assert_under(table_most(&r, "swing"), 1e-12);
            assert_under(table_most(&r, "along"), 1e-12);
            assert_under(table_most(&r, "up"), 1e-12);
            table_free(&r);
        }
}

/* A mass on a stiff damped mount at the end of a pendulum: errors of the interpolated positions, times the
 * stiffness, are not accelerations. The reference is radau at a tight tolerance. */
static void stiff_mounts(void **state)
{
    static const char *const text =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  rod: {type: rigid, mass: 2, inertia: [0.1, 0.3, 0.3], com: [0.5, 0, 0], frames: {end: "
        "[1, "
        "0, 0]}}\n"
        "  tip: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"
        "joints: {pin: {type: revolute, between: [ground, rod], axis: z}}\n"
        "forces: {m: {type: bushing, between: [rod.end, tip], stiffness: [1e9, 1e9, 1e9, 1e7, 1e7, "
        "1e7], damping: [1e3, 1e3, 1e3, 100, 100, 100]}}\n"
        "analysis: {type: dynamics, until: 1, output_step: 0.01}\n"
        "outputs: {a: accel(pin), f: force(pin).x}\n";
    (void)state;
    table exact = run_model(
        &(run_how){.text = text,
                   .analysis = "{type: dynamics, until: 1, output_step: 0.01, method: radau, "
                               "tolerance: 1e-10}"});
    table r = run_model(&(run_how){.text = text});
    assert_under(table_distance(&r, &exact, "a"), 4e-3 * table_most(&exact, "a"));
    assert_under(table_distance(&r, &exact, "f"), 4e-3 * table_most(&exact, "f"));
    table_free(&exact);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_of_all_rows),
        cmocka_unit_test(accelerations_of_free_motions), cmocka_unit_test(loads_that_move_nothing),
        cmocka_unit_test(undamped_methods), cmocka_unit_test(stiff_mounts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
