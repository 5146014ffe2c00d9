/* Compliant joints: what springs take the place of, and what they do not. */
#include "support/run_model.h"

static const char *const form[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
enum { FORMS = 5 };

/* A drive of the distance prescribes what the joint would hold: nothing is left for a spring. */
static void driven_distance(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [1, -2, -9.81]\n"
        "bodies:\n"
        "  b: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.3, 0.01, 0.02, 0.03], com: [0.1, 0.2, "
        "0], "
        "frames: {p: [0.3, -0.2, 0.1]}}\n"
        "joints:\n"
        "  pull: {type: distance, between: [\"ground.at(1, 0.4, 0.7)\", b.p], drive: 0.2*sin(5*t + "
        "1)}\n"
        "analysis: {type: dynamics, until: 0.5, output_step: 0.1, tolerance: 1e-9}\n"
        "outputs: {x: pos(b), F: force(pull), E: energy.elastic, P: power.external, d: "
        "joint(pull)}\n";
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        table stiff = run_model(&(run_how){.text = text, .formulation = form[f]});
        table soft = run_model(
            &(run_how){.text = text,
                       .formulation = form[f],
                       .swap = {{"drive:", "compliant: {stiffness: 400, damping: 3}, drive:"}}});
        assert_under(table_distance_all(&stiff, &soft), 1e-7);
        table_free(&stiff);
        table_free(&soft);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(driven_distance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
