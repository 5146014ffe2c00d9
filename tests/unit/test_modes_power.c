/* Modes beside a power graph and controllers: springs, inertias, dampers and laws that follow the motion take
 * part as in a linearised model; states of their own are held, and a note says so. */
#include "support/listen.h"

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
enum { FORMS = 5 };

/* ---- closed forms ---- */

#define PENDULUM                                                                                   \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -10]\n"                                                                       \
    "bodies: {arm: {type: rigid, mass: 1, inertia: [0.01, 0.1, 0.1], com: [0, 0, -0.5]}}\n"        \
    "joints: {a: {type: revolute, between: [ground, arm], axis: y}}\n"                             \
    "analysis: {type: modes}\n"                                                                    \
    "power:\n"                                                                                     \
    "  shaft: {type: 1, domain: rotation}\n"                                                       \
    "  out: {type: port, joint: a, on: shaft}\n"

/* (k + m g s) / (J + m s^2 + I), and d over twice the root of their product. */
static void pendulum(const char *text, double stiffness, double inertia, double damping)
{
    double k = 5 + stiffness, m = 0.35 + inertia;
    char said[SAID];
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = forms[f]});
        assert_int_equal(r.rows, 1);
        assert_near(table_get(&r, 0, "omega"), sqrt(k / m), 1e-9 * sqrt(k / m));
        assert_near(table_get(&r, 0, "damping_ratio"), damping / (2 * sqrt(k * m)), 1e-9);
        table_free(&r);
    }
    assert_int_equal(run_listen(&(run_how){.text = text}, said), LIMBER_OK);
    assert_null(strstr(said, "linearize"));
}

static void elements_on_a_shaft(void **unused)
{
    (void)unused;
    pendulum(PENDULUM "  spring: {type: C, stiffness: 1000, on: shaft}\n", 1000, 0, 0);
    pendulum(PENDULUM "  flywheel: {type: I, inertia: 2, on: shaft}\n", 0, 2, 0);
    pendulum(PENDULUM "  damper: {type: R, resistance: 0.3, on: shaft}\n", 0, 0, 0.3);
    pendulum(PENDULUM "  gear: {type: TF, modulus: 3, from: shaft, to: fast}\n"
                      "  fast: {type: 1}\n"
                      "  spring: {type: C, stiffness: 20, on: fast}\n"
                      "  flywheel: {type: I, inertia: 0.05, on: fast}\n"
                      "  damper: {type: R, resistance: 0.03, on: fast}\n",
             180, 0.45, 0.27);
}

/* ---- linearised models ---- */

/* The sum of the rates of two joints, through a gear each, turns a rotor; gravity. */
#define DIFFERENTIAL                                                                               \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 1.1, inertia: [0.1, 0.2, 0.3], com: [0.2, 0, -0.3], frames: {tip: "  \
    "[1, 0, 0]}}\n"                                                                                \
    "  b: {type: rigid, position: [1, 0, 0], mass: 0.6, inertia: [0.01, 0.02, 0.03], com: [0.5, "  \
    "0, -0.1]}\n"                                                                                  \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, between: [ground, a], axis: y, stiffness: 50}\n"                        \
    "  B: {type: revolute, between: [a.tip, b], axis: y, stiffness: 20, damping: 0.01}\n"          \
    "power:\n"                                                                                     \
    "  one: {type: 1, domain: rotation}\n"                                                         \
    "  p: {type: port, joint: A, on: one}\n"                                                       \
    "  up: {type: TF, modulus: 3, from: one, to: sum}\n"                                           \
    "  other: {type: 1, domain: rotation}\n"                                                       \
    "  q: {type: port, joint: B, on: other}\n"                                                     \
    "  down: {type: TF, modulus: -2, from: other, to: sum}\n"                                      \
    "  sum: {type: 0, domain: rotation}\n"                                                         \
    "  out: {type: 1, domain: rotation}\n"                                                         \
    "  shaft: {type: bond, from: sum, to: out}\n"                                                  \
    "  rotor: {type: I, inertia: 0.05, on: out}\n"                                                 \
    "  loss: {type: R, resistance: 0.03, on: out}\n"                                               \
    "  twist: {type: C, stiffness: 20, on: out}\n"                                                 \
    "analysis: {type: modes, about: statics, count: 6}\n"

/* A beam on a hub that a geared rotor, or what it comes to on the hub, makes heavier. */
#define HUB(hub, joint, elements)                                                                  \
    "limber: 1\n"                                                                                  \
    "sections: {s: {shape: stiffness, EA: 1e6, EIy: 100, EIz: 230, GJ: 80, rhoA: 1, rhoIy: 1e-4, " \
    "rhoIz: 1e-4}}\n"                                                                              \
    "bodies:\n"                                                                                    \
    "  hub: {type: rigid, mass: 1, inertia: [0.1, 0.1, " hub "]}\n"                                \
    "  b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0.2, 0.1], elements: " elements "}\n"  \
    "joints:\n"                                                                                    \
    "  h: {type: revolute, between: [ground, hub], axis: z, " joint "}\n"                          \
    "  c: {type: fixed, between: [hub, b.start]}\n"
#define HUB_GRAPH                                                                                  \
    "power:\n"                                                                                     \
    "  s: {type: 1, domain: rotation}\n"                                                           \
    "  p: {type: port, joint: h, on: s}\n"                                                         \
    "  gear: {type: TF, from: s, to: r, modulus: 10}\n"                                            \
    "  r: {type: 1, domain: rotation}\n"                                                           \
    "  J: {type: I, inertia: 2e-3, on: r}\n"                                                       \
    "  R: {type: R, resistance: 4e-3, on: r}\n"                                                    \
    "  C: {type: C, stiffness: 0.2, on: s}\n"
#define SIX "analysis: {type: modes, count: 6}\n"

/* A servo that looks at another joint: neither K nor D is symmetric, and a mode grows. */
#define SERVO                                                                                      \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 1.1, inertia: [0.1, 0.2, 0.3], com: [0.2, 0.1, 0], frames: {tip: "   \
    "[0.3, 0, 0]}}\n"                                                                              \
    "  b: {type: rigid, position: [0.3, 0, 0], mass: 0.6, inertia: [0.01, 0.02, 0.03], com: "      \
    "[0.5, 0, 0], frames: {tip: [1, 0, 0]}}\n"                                                     \
    "  c: {type: rigid, position: [1.3, 0, 0], mass: 0.6, inertia: [0.01, 0.02, 0.03], com: "      \
    "[0.3, 0, 0]}\n"                                                                               \
    "blocks: {angle: {type: signal, value: 2*joint(B) + joint(A)}}\n"                              \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, between: [ground, a], axis: z, stiffness: 50, effort: \"-3*angle - "    \
    "0.2*rate(B)\"}\n"                                                                             \
    "  B: {type: revolute, between: [a.tip, b], axis: z, stiffness: 30}\n"                         \
    "  C: {type: revolute, between: [b.tip, c], axis: z, stiffness: 40}\n"                         \
    "power:\n"                                                                                     \
    "  s: {type: 1, domain: rotation}\n"                                                           \
    "  p: {type: port, joint: C, on: s}\n"                                                         \
    "  gear: {type: TF, from: s, to: r, modulus: 10}\n"                                            \
    "  r: {type: 1, domain: rotation}\n"                                                           \
    "  J: {type: I, inertia: 2e-3, on: r}\n"                                                       \
    "  R: {type: R, resistance: 4e-3, on: r}\n"                                                    \
    "  C: {type: C, stiffness: 0.2, on: s}\n" SIX

/* A value that reads a reaction, one that is not linear, and an inertia; about a loaded equilibrium. */
#define REACTION                                                                                   \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 1.1, inertia: [0.1, 0.2, 0.3], com: [0.2, 0.1, 0], frames: {tip: "   \
    "[0.3, 0, 0]}}\n"                                                                              \
    "  b: {type: rigid, position: [0.3, 0, 0], mass: 0.6, inertia: [0.01, 0.02, 0.03], com: "      \
    "[0.5, 0, 0]}\n"                                                                               \
    "blocks:\n"                                                                                    \
    "  r: {type: signal, value: \"0.05*force(A).y\"}\n"                                            \
    "  w: {type: signal, value: \"0.1*rate(B)*joint(A) + 2*joint(B)^2 + joint(A)\"}\n"             \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, between: [ground, a], axis: z, stiffness: 50}\n"                        \
    "  B: {type: revolute, between: [a.tip, b], axis: z, stiffness: 30, effort: \"r - w\"}\n"      \
    "power:\n"                                                                                     \
    "  s: {type: 1, domain: rotation}\n"                                                           \
    "  p: {type: port, joint: B, on: s}\n"                                                         \
    "  J: {type: I, inertia: 0.1, on: s}\n"                                                        \
    "analysis: {type: modes, about: statics, count: 6}\n"

/* Each mode is a pole. */
static void modes_are_poles(const char *text, const char *formulation, int least)
{
    table m = run_model(&(run_how){.text = text, .formulation = formulation});
    table p =
        run_model(&(run_how){.text = text,
                             .formulation = formulation,
                             .swap = {{"type: modes", "type: linearize"}, {", count: 6", ""}}});
    assert_true(m.rows >= least);
    for (int i = 0; i < m.rows; i++) {
        double omega = table_get(&m, i, "omega"), ratio = table_get(&m, i, "damping_ratio");
        double re = -ratio * omega, im = omega * sqrt(1 - ratio * ratio), off = INFINITY;
        for (int j = 0; j < p.rows; j++)
            off =
                fmin(off, hypot(table_get(&p, j, "real") - re, table_get(&p, j, "imaginary") - im));
        if (!(off <= 1e-8 * hypot(re, im)))
            fail_msg("%s: mode %d, %.12g + %.12g i, is no pole: the nearest is off by %g",
                     formulation, i + 1, re, im, off);
    }
    table_free(&m);
    table_free(&p);
}

static void modes_of_machines(void **unused)
{
    (void)unused;
    for (int f = 0; f < FORMS; f++) {
        if (strcmp(forms[f], "elastodynamic") != 0) /* statics there knows no springs of a graph */
            modes_are_poles(DIFFERENTIAL, forms[f], 2);
        modes_are_poles(HUB("0.1", "stiffness: 50", "6") HUB_GRAPH SIX, forms[f], 6);
        modes_are_poles(SERVO, forms[f], 3);
    }
    modes_are_poles(REACTION, "corotational", 2);
    modes_are_poles(REACTION, "ffr", 2);
}

/* The same by the sparse solver. J n^2 = 0.2, d n^2 = 0.4. */
static void long_beams(void **unused)
{
    (void)unused;
    table a = run_model(&(run_how){.text = HUB("0.1", "stiffness: 50", "110") HUB_GRAPH SIX});
    table b = run_model(&(run_how){.text = HUB("0.3", "stiffness: 50.2, damping: 0.4", "110") SIX});
    assert_string_equal(a.sum.method, "lanczos");
    for (int i = 0; i < 6; i++) {
        assert_near(table_get(&a, i, "damping_ratio"), table_get(&b, i, "damping_ratio"), 1e-8);
        assert_near(table_get(&a, i, "omega"), table_get(&b, i, "omega"),
                    1e-8 * table_get(&b, i, "omega"));
    }
    table_free(&a);
    table_free(&b);
}

/* ---- what takes no part ---- */

static void states_are_held(void **unused)
{
    char said[SAID];
    (void)unused;
    run_how how = {.text = PENDULUM "  motor: {type: GY, modulus: 0.1, from: loop, to: shaft}\n"
                                    "  loop: {type: 1, domain: electric}\n"
                                    "  coil: {type: I, inertia: 0.02, on: loop}\n"
                                    "  rotor: {type: I, inertia: 2, on: shaft}\n"};
    assert_int_equal(run_listen(&how, said), LIMBER_OK);
    assert_says(said, "1 state of its own ('coil momentum') is held");
    table r = run_model(&how);
    assert_near(table_get(&r, 0, "omega"), sqrt(5 / 2.35), 1e-9);
    table_free(&r);
}

/* A rotor behind a soft gear with a damper: held, it would brake the pendulum. */
static void rotors_move_by_themselves(void **unused)
{
    char said[SAID];
    (void)unused;
    run_how how = {.text = PENDULUM "  gear: {type: 0, domain: rotation}\n"
                                    "  out_of: {type: bond, from: rotor, to: gear}\n"
                                    "  into: {type: bond, from: gear, to: shaft}\n"
                                    "  across: {type: bond, from: gear, to: twisting}\n"
                                    "  twisting: {type: 1}\n"
                                    "  twist: {type: C, stiffness: 7, on: twisting}\n"
                                    "  loss: {type: R, resistance: 3, on: twisting}\n"
                                    "  rotor: {type: 1}\n"
                                    "  wheel: {type: I, inertia: 2, on: rotor}\n"};
    assert_int_equal(run_listen(&how, said), LIMBER_OK);
    assert_says(said, "of the mechanism alone");
    table r = run_model(&how);
    assert_near(table_get(&r, 0, "omega"), sqrt(5 / 0.35), 1e-9);
    assert_near(table_get(&r, 0, "damping_ratio"), 0, 1e-9);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_on_a_shaft),
        cmocka_unit_test(modes_of_machines),
        cmocka_unit_test(long_beams),
        cmocka_unit_test(states_are_held),
        cmocka_unit_test(rotors_move_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
