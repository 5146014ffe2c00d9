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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(accelerations_of_all_rows),
                                       cmocka_unit_test(accelerations_of_free_motions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
