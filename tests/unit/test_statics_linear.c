/* Statics in one step, with the stiffness of the start. */
#include "support/run_model.h"

/* P L^3/3EI and P L^2/2EI however large the load; of rigid finite elements 1 - 1/(4 n^2) of the first,
 * for small loads: joint coordinates bend what poses move straight. */
static void cantilever(void **state)
{
    static const struct {
        const char *formulation, *load;
        double k, part;
    } list[] = {{"corotational", "k=4", 4, 1},
                {"minimal", "k=4", 4, 1},
                {"rfe", "k=1e-4", 1e-4, 1 - 1.0 / 64}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        double k = list[i].k;
        table r = run_model(&(run_how){.model = "cantilever_tip_force",
                                       .set = {list[i].load, "N=4"},
                                       .formulation = list[i].formulation,
                                       .analysis = "{type: statics, linear: true}"});
        assert_int_equal(r.rows, 1);
        assert_near(table_last(&r, "u"), 0, 1e-8);
        assert_near(table_last(&r, "w"), list[i].part * k / 3, 1e-9 * k);
        assert_near(table_last(&r, "angle"), k / 2, 1e-9 * k);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cantilever),
                                       cmocka_unit_test(against_the_whole_path),
                                       cmocka_unit_test(pendulum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
