/* Bodies in one place have no size: errors of their positions are measured by how far they move, and no rotation
 * counts as a motion. */
#include "support/run_model.h"

/* A slider that moves by a micrometre, on which a rotor turns: x = x0 cos(5 t). A hundred times the tolerance: errors of
 * some hundred steps add up. */
static void small_motion_of_what_turns(void **state)
{
    static const char *const method[] = {"radau", "bdf", "explicit", "generalized-alpha",
                                         "newmark"};
    (void)state;
    for (int k = 0; k < 5; k++) {
        char analysis[200];
        snprintf(analysis, sizeof analysis,
                 "{type: dynamics, until: 2, output_step: 0.5, method: %s, tolerance: 1e-6}",
                 method[k]);
        table r = run_model(&(run_how){
            .text = "limber: 1\n"
                    "bodies:\n"
                    "  slider: {type: rigid, mass: 2, inertia: [1, 1, 1]}\n"
                    "  rotor: {type: rigid, mass: 2, inertia: [1, 1, 1]}\n"
                    "joints:\n"
                    "  g: {type: prismatic, between: [ground, slider], axis: x, stiffness: 100}\n"
                    "  k: {type: revolute, between: [slider, rotor], axis: z}\n"
                    "initial: {g: {displacement: 1e-6}, k: {rate: 1}}\n"
                    "analysis: {type: dynamics}\n"
                    "outputs: {x: joint(g), v: rate(g)}\n",
            .analysis = analysis});
        for (int i = 0; i < r.rows; i++) {
            double t = table_get(&r, i, "t");
            assert_near(table_get(&r, i, "x"), 1e-6 * cos(5 * t), 1e-4 * 1e-6);
            assert_near(table_get(&r, i, "v"), -5e-6 * sin(5 * t), 1e-4 * 5e-6);
        }
        table_free(&r);
    }
}

/* A force that changes in the course of the run, in a second as in a nanosecond: P x/T = 1/2, P v = 0 at the end for
 * P = 2 pi/T. */
static void duration_of_the_run(void **state)
{
    static const char *const method[] = {"radau", "bdf", "explicit", "generalized-alpha",
                                         "newmark"};
    (void)state;
    for (int k = 0; k < 10; k++) {
        char analysis[200];
        snprintf(analysis, sizeof analysis,
                 "{type: dynamics, until: T, output_step: T/4, method: %s, tolerance: 1e-6}",
                 method[k / 2]);
        table r = run_model(&(run_how){
            .text = "limber: 1\n"
                    "parameters: {T: 1, P: 2*pi/T}\n"
                    "bodies: {m: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
                    "joints: {g: {type: prismatic, between: [ground, m], axis: x, effort: "
                    "sin(P*t)}}\n"
                    "analysis: {type: dynamics}\n"
                    "outputs: {x: joint(g)*P/T, v: rate(g)*P}\n",
            .set = {k % 2 ? "T=2^-30" : "T=1"},
            .analysis = analysis});
        assert_near(table_last(&r, "x"), 0.5, 1e-6);
        assert_near(table_last(&r, "v"), 0, 1e-6);
        table_free(&r);
    }
}

/* Bodies in one place that a drive moves away from second 1 on: the size of the mechanism is that way, whichever
 * method, and not the first trace of it. */
static void driven_point(void **state)
{
    static const char *const method[] = {"radau", "bdf", "generalized-alpha", "newmark"};
    double y[4];
    (void)state;
    for (int k = 0; k < 4; k++) {
        char analysis[200];
        snprintf(analysis, sizeof analysis,
                 "{type: dynamics, until: 4, output_step: 1, method: %s, tolerance: 1e-5}",
                 method[k]);
        table r = run_model(&(run_how){
            .text =
                "limber: 1\n"
                "bodies: {m: {type: rigid, mass: 2, inertia: [1, 1, 1]}, n: {type: rigid, mass: 1, "
                "inertia: [1, 1, 1]}}\n"
                "joints:\n"
                "  g: {type: prismatic, between: [ground, m], axis: x, drive: 'step(t, 1, 0, 2, "
                "1)'}\n"
                "  k: {type: prismatic, between: [m, n], axis: x, stiffness: 16}\n"
                "analysis: {type: dynamics}\n"
                "outputs: {x: joint(g), y: joint(k)}\n",
            .analysis = analysis});
        assert_near(table_last(&r, "x"), 1, 1e-9);
        y[k] = table_last(&r, "y");
        assert_near(y[k], y[0], 1e-5);
        assert_true(fabs(y[0]) > 0.01);
        assert_under((double)r.sum.steps, 40000);
        table_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_motion_of_what_turns),
                                       cmocka_unit_test(duration_of_the_run),
                                       cmocka_unit_test(driven_point)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
