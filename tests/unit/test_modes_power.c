/* What modes leave out beside a power graph is said with its number. */
#include "support/listen.h"

#define PENDULUM                                                                                   \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -10]\n"                                                                       \
    "bodies: {arm: {type: rigid, mass: 1, inertia: [0.01, 0.1, 0.1], com: [0, 0, -0.5]}}\n"        \
    "joints: {a: {type: revolute, between: [ground, arm], axis: y}}\n"                             \
    "analysis: {type: modes}\n"                                                                    \
    "power:\n"                                                                                     \
    "  shaft: {type: 1, domain: rotation}\n"                                                       \
    "  out: {type: port, joint: a, on: shaft}\n"

/* (k + m g s) / (J + m s^2): 1005 / 0.35 in place of 5 / 0.35. */
static void springs_are_said(void **unused)
{
    static const char *const formulation[] = {"corotational", "minimal", "rfe", "ffr"};
    char said[SAID];
    (void)unused;
    for (int f = 0; f < 4; f++) {
        run_how how = {.text = PENDULUM "  spring: {type: C, stiffness: 1000, on: shaft}\n",
                       .formulation = formulation[f]};
        assert_int_equal(run_listen(&how, said), LIMBER_OK);
        assert_near(number_after(said, "mode 1 would have about "), sqrt(1005 / 0.35) / 6.2831853,
                    1e-3);
        assert_near(number_after(said, "Hz, not "), sqrt(5 / 0.35) / 6.2831853, 1e-4);
    }
}

static void others_hold_nothing(void **unused)
{
    static const char *const text[] = {PENDULUM "  damper: {type: R, resistance: 3, on: shaft}\n",
                                       PENDULUM "  flywheel: {type: I, inertia: 2, on: shaft}\n"};
    char said[SAID];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(run_listen(&(run_how){.text = text[k]}, said), LIMBER_OK);
        assert_null(strstr(said, "would have about"));
        if (k == 1)
            assert_says(said, "of the mechanism alone"); /* a damper is one of the mechanism */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_are_said),
        cmocka_unit_test(others_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
