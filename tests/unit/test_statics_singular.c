/* Statics of mechanisms that are drawn where their joints depend on each other. */
#include "support/listen.h"

static const char *const formulations[] = {"corotational", "minimal", "rfe", "ffr",
                                           "elastodynamic"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

/* All bars on one line; arms of length 1, a coupler of length 2. */
static const char flat[] =
    "limber: 1\n"
    "gravity: [0, 0, -10]\n"
    "bodies:\n"
    "  b0: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0], frames: {e: [1, 0, "
    "0]}}\n"
    "  b1: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0], com: [1, 0, 0], "
    "frames: {e: [2, 0, 0]}}\n"
    "  b2: {type: rigid, mass: 1.3, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0], com: [0.5, 0, "
    "0], "
    "frames: {e: [1, 0, 0]}}\n"
    "joints:\n"
    "  j0: {type: revolute, between: [ground, b0], axis: y, stiffness: 3}\n"
    "  j1: {type: revolute, between: [b0.e, b1], axis: y}\n"
    "  j2: {type: revolute, between: ['ground.at(2,0,0)', b2], axis: y}\n"
    "  j3: {type: revolute, between: [b1.e, b2.e], axis: y}\n"
    "analysis: {type: statics}\n"
    "outputs: {x: pos(b0.e).x, z: pos(b0.e).z, x1: pos(b1.e).x, z1: pos(b1.e).z, U: "
    "energy.total}\n";

/* One constraint counted as redundant, and the coupler grew from 2 to 2.36. */
static void flat_parallelogram(void **unused)
{
    double angle = 1.3;
    (void)unused;
    for (int i = 0; i < 50; i++) /* 3 angle = 10 (0.5 + 1 + 0.65) cos(angle) */
        angle -= (3 * angle - 21.5 * cos(angle)) / (3 + 21.5 * sin(angle));
    for (int f = 0; f < FORMULATIONS; f++) {
        table t = run_model(&(run_how){.text = flat, .formulation = formulations[f]});
        assert_near(table_last(&t, "x"), cos(angle), 1e-8);
        assert_near(table_last(&t, "z"), -sin(angle), 1e-8);
        assert_near(table_last(&t, "x1"), 2 + cos(angle), 1e-8);
        assert_near(table_last(&t, "z1"), -sin(angle), 1e-8);
        assert_near(table_last(&t, "U"), 1.5 * angle * angle - 21.5 * sin(angle), 1e-7);
        table_free(&t);
    }
}

/* Two links drawn taut between ball joints: no finite reactions hold them under their weight. They were let hang
 * 0.4 below, one of them 1.5 times as long. */
static const char taut[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  b0: {type: rigid, mass: 1.5, inertia: [0.06, 0.09, 0.08], com: [0.3, 0.2, 0], "
    "frames: {e: [0.6, 0.4, 0]}}\n"
    "  b1: {type: rigid, mass: 2.3, inertia: [0.08, 0.08, 0.09], position: [0.6, 0.4, 0], "
    "com: [0.3, 0.2, 0], frames: {e: [0.6, 0.4, 0]}}\n"
    "joints:\n"
    "  j0: {type: spherical, between: [ground, b0]}\n"
    "  j1: {type: spherical, between: [b0.e, b1]}\n"
    "  loop: {type: spherical, between: ['ground.at(1.2,0.8,0)', b1.e]}\n"
    "analysis: {type: statics}\n"
    "outputs: {z: pos(b0.e).z}\n";

static void taut_links(void **unused)
{
    char said[SAID];
    (void)unused;
    for (int f = 0; f < FORMULATIONS; f++) {
        assert_int_equal(run_listen(&(run_how){.text = taut, .formulation = formulations[f]}, said),
                         LIMBER_STOPPED);
        assert_says(said, "begins in a singular position");
        assert_says(said, "joint j1, force y");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_parallelogram),
        cmocka_unit_test(taut_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
