/* Statics in one step, with the stiffness of the start. */
#include "support/run_model.h"

/* P L^3/3EI and P L^2/2EI however large the load, no force along the axis, half the work of the load;
 * of rigid finite elements 1 - 1/(4 n^2) of that. */
static void cantilever(void **state)
{
    static const char *const formulation[] = {"corotational", "minimal", "rfe"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        double part = i == 2 ? 1 - 1.0 / 64 : 1;
        table r = run_model(&(run_how){
            .model = "cantilever_tip_force",
            .set = {"k=4", "N=4", "EA=1e4"},
            .formulation = formulation[i],
            .swap = {{"  angle: ", "  N: section(beam, 0.7).N\n  M: section(beam, 0.25).Mz\n  U: "
                                   "energy.elastic\n  F: force(clamp).y\n  angle: "}},
            .analysis = "{type: statics, linear: true}"});
        assert_int_equal(r.rows, 1);
        assert_near(table_last(&r, "u"), 0, 1e-6);
        assert_near(table_last(&r, "w"), part * 4.0 / 3, 1e-9);
        assert_near(table_last(&r, "angle"), 2, 1e-9);
        assert_near(table_last(&r, "N"), 0, 1e-2); /* EA 1e4, slopes of 2 */
        assert_near(table_last(&r, "M"), 3, 1e-6);
        assert_near(table_last(&r, "F"), -4, 1e-6);
        assert_near(table_last(&r, "U"), part * 8.0 / 3, 1e-3);
        table_free(&r);
    }
}

/* What bends far is softer at first than later. */
static void against_the_whole_path(void **state)
{
    (void)state;
    table whole = run_model(&(run_how){.model = "cantilever_tip_force"});
    table one = run_model(
        &(run_how){.model = "cantilever_tip_force", .analysis = "{type: statics, linear: true}"});
    assert_true(table_last(&one, "w") > 4 * table_last(&whole, "w"));
    table_free(&whole);
    table_free(&one);
}

/* A motion that nothing holds has no linear answer. */
static void pendulum(void **state)
{
    static const char text[] =
        "limber: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {bob: {type: rigid, mass: 1, position: [1, 0, 0]}}\n"
        "joints: {p: {type: revolute, between: [ground, bob], axis: z, "
        "at: [0, 0, 0]}}\n"
        "analysis: {type: statics, linear: true}\noutputs: {x: pos(bob).x}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text, .may_stop = 1});
    assert_non_null(strstr(r.sum.reason, "p"));
    assert_int_equal(r.rows, 0);
    table_free(&r);
}

/* What comes after starts where the linear analysis did. */
static void goes_on_from_the_start(void **state)
{
    (void)state;
    table r = run_model(
        &(run_how){.model = "cantilever_tip_force",
                   .set = {"k=1"},
                   .analysis = "[{type: statics, linear: true}, {type: dynamics, until: 0.01}]"});
    assert_near(table_first(&r, "w"), 0, 1e-12);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever), cmocka_unit_test(against_the_whole_path),
        cmocka_unit_test(pendulum), cmocka_unit_test(goes_on_from_the_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
