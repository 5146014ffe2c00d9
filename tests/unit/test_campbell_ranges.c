/* A blade that centrifugal forces bend, for it is drawn at an angle to the plane of rotation: what its shape is beyond
 * at speed is said, and the advice helps. */
#include "support/listen.h"

#define BLADE                                                                                      \
    "limber: 1\n"                                                                                  \
    "sections: {w: {shape: stiffness, EA: 2e7, EIy: 200, EIz: 300, GJ: 150, rhoA: 6, rhoIy: "      \
    "2e-5, rhoIz: 2e-5}}\n"                                                                        \
    "bodies: {a: {type: beam, section: w, from: [0.3, 0, 0], to: [1.3, 0, 0.3], elements: %s}}\n"  \
    "joints: {d: {type: revolute, between: [ground, a.start], axis: z, at: [0, 0, 0], drive: "     \
    "30*t}}\n"                                                                                     \
    "analysis: {type: campbell, drive: d, speeds: [0, 30, 2], count: 2}\n"                         \
    "formulation: %s\n"                                                                            \
    "outputs: {z: pos(a.end).z}\n"

static void speeds(const char *formulation, const char *elements, char said[SAID], double w[2])
{
    char text[2000];
    snprintf(text, sizeof text, BLADE, elements, formulation);
    run_how how = {.text = text};
    run_listen(&how, said);
    table r = run_model(&how);
    for (int i = 0; i < 2; i++) w[i] = table_get(&r, r.rows - 2 + i, "frequency");
    if (w[0] > w[1]) { /* branches have no order */
        double up = w[0];
        w[0] = w[1], w[1] = up;
    }
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
    assert_says(said, "and this formulation is linear in that, which puts displacements off by about");
    speeds("ffr", "8", said, w);
    assert_true(fabs(w[1] / right[1] - 1) > 0.03);
    snprintf(text, sizeof text, "{type: ffr, substructures: %.0f}",
             number_after(said, "write 'formulation: {type: ffr, substructures: "));
    speeds(text, "8", said, w);
    for (int i = 0; i < 2; i++) assert_near(w[i], right[i], 6e-3 * right[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
