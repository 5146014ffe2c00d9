/* A blade that centrifugal forces bend, for it is drawn at an angle to the plane of rotation: what its shape is beyond
 * at speed is said, and the advice helps. */
#include "support/listen.h"

#define BLADE                                                                                      \
    "limber: 1\n"                                                                                  \
    "sections: {w: {shape: stiffness, EA: 2e6, EIy: 50, EIz: 80, GJ: 40, rhoA: 1.2, rhoIy: 2e-5, " \
    "rhoIz: 5e-5}}\n"                                                                              \
    "bodies:\n"                                                                                    \
    "  hub: {type: rigid, mass: 10, inertia: [1, 1, 1]}\n"                                         \
    "  a: {type: beam, section: w, from: [0, 0, 0], to: [1, 0, 0.3], elements: ELEMENTS}\n"        \
    "joints:\n"                                                                                    \
    "  d: {type: revolute, between: [ground, hub], axis: z, drive: 10*t}\n"                        \
    "  c: {type: fixed, between: [hub, a.start]}\n"                                                \
    "analysis: {type: campbell, drive: d, speeds: [0, 30, 2], count: 2}\n"                         \
    "formulation: FORMULATION\n"

static void speeds(const char *formulation, const char *elements, char said[SAID], double w[2])
{
    run_how how = {.text = BLADE, .swap = {{"ELEMENTS", elements}, {"FORMULATION", formulation}}};
    run_listen(&how, said);
    table r = run_model(&how);
    for (int i = 0; i < 2; i++) w[i] = table_get(&r, r.rows - 2 + i, "frequency");
    table_free(&r);
}

static void bent(void **state)
{
    char said[SAID], text[100];
    double right[2], w[2];
    (void)state;
    speeds("corotational", "16", said, right);
    assert_null(strstr(said, "turns"));
    speeds("elastodynamic", "8", said, w);
    assert_says(said, "and this formulation is linear in that: compare with 'corotational'");
    speeds("ffr", "8", said, w);
    assert_true(fabs(w[1] / right[1] - 1) > 0.03);
    snprintf(text, sizeof text, "{type: ffr, substructures: %.0f}",
             number_after(said, "write 'formulation: {type: ffr, substructures: "));
    speeds(text, "8", said, w);
    for (int i = 0; i < 2; i++) assert_near(w[i], right[i], 6e-3 * right[i]);
    assert_null(strstr(said, "turns"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
