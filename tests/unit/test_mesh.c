/* What the length of elements puts results off by: estimates against true errors, warnings, and what they say to do
 * (docs/theory/mesh.md). */
#include "support/listen.h"

#include <math.h>

/* A column that sways, loaded in space. */
#define SWAYS                                                                                      \
    "limber: 1\n"                                                                                  \
    "parameters: {P: 1, n: 2}\n"                                                                   \
    "sections: {s: {shape: stiffness, EA: 1e7, EIy: 300, EIz: 500, GJ: 400, rhoA: 1.3}}\n"         \
    "bodies:\n"                                                                                    \
    "  a: {type: beam, section: s, from: [0, 0, 0], to: [0, 1.1, 0], elements: n}\n"               \
    "  t: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [0, 1.1, 0]}\n"                     \
    "joints:\n"                                                                                    \
    "  foot: {type: fixed, between: [ground, a.start]}\n"                                          \
    "  head: {type: fixed, between: [a.end, t]}\n"                                                 \
    "  guide: {type: planar, between: [ground, t], axis: y, at: [0, 1.1, 0]}\n"                    \
    "loads: {f: {on: t, force: [900*P, 0, 500*P]}}\n"                                              \
    "analysis: {type: statics}\n"                                                                  \
    "outputs: {x: pos(t).x, z: pos(t).z}\n"

#define GUIDE "  guide: {type: planar, between: [ground, t], axis: y, at: [0, 1.1, 0]}\n"

/* guided 0: the head is free. */
static double sway(const char *formulation, int guided, const char *n, const char *P, char *said)
{
    run_how how = {.text = SWAYS,
                   .formulation = formulation,
                   .set = {n, P},
                   .swap = {{GUIDE, guided ? GUIDE : ""}}};
    table r = run_model(&how);
    double x = table_last(&r, "x"), z = table_last(&r, "z");
    table_free(&r);
    if (said) run_listen(&how, said);
    return hypot(x, z);
}

static void rigid_pieces(void **unused)
{
    static const char *const n[] = {"n=2", "n=4", "n=8"};
    char said[SAID];
    double exact = sway("corotational", 1, "n=32", "P=0.05", NULL);
    (void)unused;
    for (int k = 0; k < 3; k++) {
        double error = fabs(sway("rfe", 1, n[k], "P=0.05", said) / exact - 1);
        if (k == 2) {
            assert_under(error, 0.02);
            assert_null(strstr(said, "rigid pieces"));
            continue;
        }
        double estimate = number_after(said, "puts deflections off by about ") / 100;
        print_message("rfe, %s: off by %.3g, estimated %.3g\n", n[k], error, estimate);
        assert_between(estimate / error, 0.5, 2);
        assert_says(said, "times the 'elements'");
    }
}

static void elements_that_bend_far(void **unused)
{
    char said[SAID];
    double exact = sway("corotational", 0, "n=32", "P=2", NULL);
    double error = fabs(sway("corotational", 0, "n=1", "P=2", said) / exact - 1);
    double estimate = number_after(said, "deflections are off by about ") / 100;
    (void)unused;
    print_message("one element: off by %.3g, estimated %.3g\n", error, estimate);
    assert_between(estimate / error, 1.0 / 3, 3);
    double elements = number_after(said, "write 'elements: ");
    assert_between(elements, 2, 8);
    assert_under(fabs(sway("corotational", 0, "n=4", "P=2", said) / exact - 1), 0.5 * error);
    sway("minimal", 0, "n=1", "P=0.05", said);
    assert_null(strstr(said, "within its elements"));
}

static void waves(void **unused)
{
    static const char *const form[] = {"corotational", "minimal", "elastodynamic", "ffr"};
    char said[SAID];
    run_how how = {
        .text = SWAYS,
        .swap = {{"type: statics", "type: modes, count: 5"},
                 {"planar, between: [ground, t], axis: y, at: [0, 1.1, 0]",
                  "spherical, between: [ground, t]"},
                 {"mass: 2, inertia: [1, 1, 1]", "mass: 0.02, inertia: [1e-3, 1e-3, 1e-3]"}},
        .set = {"n=1", "P=0"}};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        how.formulation = form[k];
        how.set[0] = "n=1";
        run_listen(&how, said);
        assert_says(said, "elements are too long for the waves of modes from ");
        how.set[0] = "n=12";
        run_listen(&how, said);
        assert_null(strstr(said, "too long for the waves"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_pieces),
        cmocka_unit_test(elements_that_bend_far),
        cmocka_unit_test(waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
