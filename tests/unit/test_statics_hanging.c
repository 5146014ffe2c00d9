/* Loads that hang by ball joints and universal joints: what turns them about the vertical is neither held nor
 * pushed, and all formulations find the equilibrium; so do other units and other directions of gravity, and
 * loads that have to swing to rest come to where a damped run ends. */
#include "support/listen.h"
#include "support/modes.h"

static const char *const formulations[] = {"corotational", "minimal", "rfe", "ffr"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

#define BOOM                                                                                       \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "sections: {boom: {shape: stiffness, EA: 9e9, EIy: 1.1e9, EIz: 1.3e9, GJ: 8e8, rhoA: 330,\n"   \
    "  rhoIy: 40, rhoIz: 50}}\n"                                                                   \
    "bodies:\n"                                                                                    \
    "  boom: {type: beam, section: boom, from: [0, 0, 0], to: [20, 0, 0], elements: 4}\n"

static const char *const loads[] = {
    /* straight below */
    BOOM
    "  load: {type: rigid, mass: 2000, inertia: [1000, 1000, 1000], position: [20, 0, 0], com: "
    "[0, 0, -1]}\n"
    "joints:\n"
    "  foot: {type: fixed, between: [ground, boom.start]}\n"
    "  hook: {type: spherical, between: [boom.end, load]}\n"
    "outputs: {z: pos(boom.end).z, x: pos(load).x, y: pos(load).y}\n",
    /* off to the side: it has to swing there */
    BOOM "  load: {type: rigid, mass: 1500, inertia: [900, 1000, 1100], position: [20, 0, 0], com: "
         "[0.4, 0.3, -1]}\n"
         "joints:\n"
         "  foot: {type: fixed, between: [ground, boom.start]}\n"
         "  hook: {type: spherical, between: [boom.end, load]}\n"
         "outputs: {z: pos(boom.end).z, x: pos(boom.end).x, y: pos(boom.end).y}\n",
    /* one on the other, both off to the side */
    BOOM "  load: {type: rigid, mass: 1500, inertia: [900, 1000, 1100], position: [20, 0, 0], com: "
         "[0.1, 0.2, -1]}\n"
         "  next: {type: rigid, mass: 700, inertia: [90, 100, 110], position: [20, 0.2, -2], com: "
         "[-0.3, 0.3, -1]}\n"
         "joints:\n"
         "  foot: {type: fixed, between: [ground, boom.start]}\n"
         "  hook: {type: spherical, between: [boom.end, load]}\n"
         "  hook2: {type: spherical, at: [20, 0.2, -2], between: [load, next]}\n"
         "outputs: {z: pos(boom.end).z, x: pos(boom.end).x, y: pos(boom.end).y}\n",
    /* the second one across the first, by a universal joint */
    BOOM "  load: {type: rigid, mass: 1500, inertia: [900, 1000, 1100], position: [20, 0, 0], com: "
         "[-0.7, 0.2, -0.3]}\n"
         "  next: {type: rigid, mass: 700, inertia: [90, 100, 110], position: [19, 0.2, -1], com: "
         "[0.3, 0.9, 0.1]}\n"
         "joints:\n"
         "  foot: {type: fixed, between: [ground, boom.start]}\n"
         "  hook: {type: spherical, between: [boom.end, load]}\n"
         "  hook2: {type: universal, axes: [x, y], at: [19, 0.2, -1], between: [load, next]}\n"
         "outputs: {z: pos(boom.end).z, x: pos(boom.end).x, y: pos(boom.end).y}\n"};
enum { LOADS = sizeof loads / sizeof *loads };

static void in_all_formulations(void **state)
{
    (void)state;
    for (int i = 0; i < LOADS; i++) {
        double x[3] = {0};
        for (int k = 0; k < FORMULATIONS; k++) {
            static const char *const of[] = {"x", "y", "z"};
            char text[3000];
            snprintf(text, sizeof text, "%sanalysis: {type: statics}\n", loads[i]);
            table r = run_model(&(run_how){.text = text, .formulation = formulations[k]});
            for (int j = 0; j < 3; j++) {
                if (k == 0) x[j] = table_last(&r, of[j]);
                assert_near(table_last(&r, of[j]), x[j], k == 2 ? 5e-3 : 1e-4);
            }
            table_free(&r);
        }
        assert_true(x[2] < -0.01);
    }
}

/* What hangs from the tip of a cantilever bends it by its weight alone: m g L^3/(3 EI) + w L^4/(8 EI). */
static void by_weight_alone(void **state)
{
    (void)state;
    static const double mass[LOADS] = {2000, 1500, 2200, 2200};
    for (int i = 0; i < LOADS; i++) {
        char text[3000];
        snprintf(text, sizeof text, "%sanalysis: {type: statics}\n", loads[i]);
        table r = run_model(&(run_how){.text = text, .formulation = "minimal"});
        double w = mass[i] * 9.81 * 8e3 / 3.3e9 + 330 * 9.81 * 16e4 / 8.8e9;
        assert_near(table_last(&r, "z"), -w, 1e-4 * w);
        table_free(&r);
    }
}

/* Gravity along any axis across the boom, and the load below it. */
static void any_gravity(void **state)
{
    (void)state;
    static const char *const of[3][2] = {
        {"gravity: [0, 0, -9.81]", "com: [0, 0, -1]"},
        {"gravity: [0, -9.81, 0]", "com: [0, -1, 0]"},
        {"gravity: [0, 7.2, -6.3]", "com: [0, 0.7525766947068778, -0.6585046078685181]"}};
    double first = 0;
    for (int i = 0; i < 3; i++) {
        char text[3000];
        snprintf(text, sizeof text, "%sanalysis: {type: statics}\n", loads[0]);
        run_how how = {.text = text,
                       .swap = {{"gravity: [0, 0, -9.81]", of[i][0]},
                                {"com: [0, 0, -1]", of[i][1]},
                                {"EIy: 1.1e9, EIz: 1.3e9", "EIy: 1.2e9, EIz: 1.2e9"}}};
        table r = run_model(&how);
        double down = hypot(table_last(&r, "y"), table_last(&r, "z")), g = i == 2 ? 9.5671 : 9.81;
        if (i == 0) first = down;
        assert_true(first > 0.01);
        assert_near(down / first, g / 9.81, 1e-3);
        table_free(&r);
    }
}

#define SOFT(g)                                                                                    \
    "limber: 1\ngravity: " g "\n"                                                                  \
    "sections: {s: {shape: stiffness, EA: 1e5, EIy: 60, EIz: 90, GJ: 50, rhoA: 2, rhoIy: 1e-3,\n"  \
    "  rhoIz: 2e-3, damping: {stiffness: 0.05}}}\n"                                                \
    "bodies:\n"                                                                                    \
    "  post: {type: beam, section: s, from: [0, 0, 0], to: [1, 0.2, 0.1], elements: 3}\n"
#define END "outputs: {x: pos(post.end).x, y: pos(post.end).y, z: pos(post.end).z}\n"

static const char *const damped[] = {
    SOFT("[0.4, -0.3, -9.7]") "  bob: {type: rigid, mass: 1.5, inertia: [0.1, 0.12, 0.15], "
                              "position: "
                              "[1, 0.2, 0.1], com: [0.2, 0.1, -0.3]}\n"
                              "joints:\n"
                              "  foot: {type: fixed, between: [ground, post.start]}\n"
                              "  hook: {type: universal, between: [post.end, bob], axes: [x, y], "
                              "damping: {angle1: 0.5, angle2: 0.5}}\n" END,
    /* a frame with a spring across it */
    SOFT("[0.4, -0.3, -3]") "  top: {type: beam, section: s, from: [1, 0.2, 0.1], to: [1.1, 1.1, "
                            "0.3], elements: 3}\n"
                            "joints:\n"
                            "  foot: {type: fixed, between: [ground, post.start]}\n"
                            "  knee: {type: fixed, between: [post.end, top.start]}\n"
                            "forces:\n"
                            "  stay: {type: spring, between: [\"ground.at(0.2, 0.9, 0.8)\", "
                            "top.end], "
                            "stiffness: 300, damping: 8, length: 0.7}\n" END,
    /* a hanging load on a bushing, and a hinge with a spring */
    SOFT(
        "[0.4, -0.3, -5]") "  arm: {type: rigid, mass: 1.2, inertia: [0.05, 0.06, 0.07], position: "
                           "[1, 0.2, 0.1], com: [0.3, 0.1, 0.1], frames: {tip: [0.4, 0.1, 0.1]}}\n"
                           "  bob: {type: rigid, mass: 0.7, inertia: [0.02, 0.03, 0.04], position: "
                           "[1.4, 0.3, 0.2], com: [0.1, 0.1, -0.2]}\n"
                           "joints:\n"
                           "  foot: {type: fixed, between: [ground, post.start]}\n"
                           "  hinge: {type: revolute, axis: [0.2, 1, 0.3], between: [post.end, "
                           "arm], "
                           "stiffness: 9, damping: 1}\n"
                           "forces:\n"
                           "  pad: {type: bushing, between: [arm.tip, bob], "
                           "stiffness: [500, 700, 400, 6, 8, 5], damping: [20, 30, 20, 0.4, 0.5, "
                           "0.3]}\n" END};
enum { DAMPED = sizeof damped / sizeof *damped };

/* Statics is where a damped run ends. */
static void as_damped_dynamics(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * DAMPED; k++) {
        static const char *const of[] = {"x", "y", "z"},
                                 *const how[] = {
                                     "%sanalysis: {type: statics}\n",
                                     "%sanalysis: {type: dynamics, until: 60, output_step: 10}\n"};
        table r[2];
        for (int i = 0; i < 2; i++) {
            char text[3000];
            snprintf(text, sizeof text, how[i], damped[k / 2]);
            r[i] = run_model(&(run_how){.text = text, .formulation = formulations[k % 2]});
        }
        for (int j = 0; j < 3; j++)
            assert_near(table_last(&r[0], of[j]), table_last(&r[1], of[j]), 1e-5);
        table_free(&r[0]), table_free(&r[1]);
    }
}

/* Two blocks welded off their centres, below a ball joint: all stiffness is that of their weight and of the
 * reactions in the weld, which turn about the vertical with the whole. */
static const char welded[] =
    "limber: 1\ngravity: [1, 2, -9]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 0.7, inertia: [0.02, 0.03, 0.025], com: [0.2, 0.3, -0.1]}\n"
    "  b: {type: rigid, mass: 0.9, inertia: [0.03, 0.02, 0.04], position: [0.4, 0.6, -0.2], com: "
    "[0.2, 0.3, -0.15]}\n"
    "joints:\n"
    "  hook: {type: spherical, between: [ground, a]}\n"
    "  weld: {type: fixed, between: [a, b], at: [0.4, 0.6, -0.2]}\n"
    "analysis: {type: statics}\n"
    "outputs: {g: energy.gravity}\n";

static void blocks_welded_to_each_other(void **state)
{
    const double x[] = {(0.7 * 0.2 + 0.9 * 0.6) / 1.6, (0.7 * 0.3 + 0.9 * 0.9) / 1.6,
                        (0.7 * -0.1 + 0.9 * -0.35) / 1.6};
    double below = 1.6 * sqrt((1 + 4 + 81) * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    (void)state;
    for (int k = 0; k <= FORMULATIONS; k++) {
        char said[SAID];
        run_how how = {.text = welded,
                       .formulation = k < FORMULATIONS ? formulations[k] : "elastodynamic"};
        table r = run_model(&how);
        assert_near(table_last(&r, "g"), -below, 1e-9);
        assert_int_equal(run_listen(&how, said), LIMBER_OK);
        assert_says(said, "1 motion is neither held nor pushed");
        table_free(&r);
    }
}

/* No load at all: what a stiffness that is none is measured by is rounding of those of the beam. */
static const char idle[] =
    "limber: 1\n"
    "sections: {s: {shape: stiffness, EA: 1e6, EIy: 10, EIz: 10, GJ: 10, rhoA: 1}}\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], frames: {e: [0.5, 0, 0]}}\n"
    "  b: {type: beam, section: s, from: [0.5, 0, 0], to: [0.5, 1, 0]}\n"
    "joints:\n"
    "  j: {type: revolute, between: [ground, a], axis: z}\n"
    "  k: {type: revolute, between: [a.e, b.start], axis: z}\n"
    "analysis: {type: statics}\n";

/* A beam that turns about itself on its pin: elements that are linear about the rigid motion hold it by a
 * little, but the rigid motion stands as drawn. */
static const char on_a_pin[] =
    "limber: 1\ngravity: [-3, 6.5, 7.8]\n"
    "sections: {s: {shape: stiffness, EA: 6e4, EIy: 80, EIz: 80, GJ: 60, rhoA: 2, rhoIy: 2e-3, "
    "rhoIz: 2e-3}}\n"
    "bodies: {b: {type: beam, section: s, from: [0.39, 0.64, 0.02], to: [-0.15, 0.86, -0.19]}}\n"
    "joints: {j: {type: inline, axis: [-0.75, -0.6, -0.27], between: [b.end, "
    "\"ground.at(-0.15, 0.86, -0.19)\"], stiffness: 24}}\n"
    "analysis: {type: statics}\n";

static void free_motions_are_said_alike(void **state)
{
    (void)state;
    for (int k = 0; k <= FORMULATIONS; k++) {
        char said[SAID];
        run_how how = {.text = idle,
                       .formulation = k < FORMULATIONS ? formulations[k] : "elastodynamic"};
        assert_int_equal(run_listen(&how, said), LIMBER_OK);
        assert_says(said, "2 motions are neither held nor pushed");
        how.text = on_a_pin;
        assert_int_equal(run_listen(&how, said), LIMBER_OK);
        assert_says(said, "1 motion is neither held nor pushed");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_all_formulations),
                                       cmocka_unit_test(by_weight_alone),
                                       cmocka_unit_test(any_gravity),
                                       cmocka_unit_test(as_damped_dynamics),
                                       cmocka_unit_test(blocks_welded_to_each_other),
                                       cmocka_unit_test(free_motions_are_said_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
