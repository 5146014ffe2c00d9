/* In statics C elements of the power graph follow the motion: a C on a joint is the joint's `stiffness`, behind
 * a transformer n^2 times it, between two joints the spring of their difference; and a machine at rest stays
 * at rest in the run that comes next. */
#include "support/modes.h"

static const char *const formulations[] = {"corotational", "minimal", "rfe", "ffr"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

#define BODIES                                                                                     \
    "limber: 1\ngravity: [0.3, -0.7, -9]\n"                                                        \
    "bodies:\n"                                                                                    \
    "  arm: {type: rigid, mass: 2, inertia: [0.11, 0.1, 0.2], com: [0.5, 0.1, 0.05]}\n"            \
    "  bob: {type: rigid, mass: 3, inertia: [0.02, 0.03, 0.05], position: [1, 0, 0], com: [0.1, "  \
    "0.2, -0.3]}\n"
#define END "outputs: {a: joint(h), b: joint(k), x: pos(bob).x, y: pos(bob).y, z: pos(bob).z}\n"
#define HINGES(kh, kk)                                                                             \
    "joints:\n"                                                                                    \
    "  h: {type: revolute, between: [ground, arm], axis: [0.1, 1, 0.2]" kh "}\n"                   \
    "  k: {type: revolute, between: [arm, bob], at: [1, 0, 0], axis: [0, 1, 0.5]" kk "}\n"

#define SLIDE(kh)                                                                                  \
    "joints:\n"                                                                                    \
    "  h: {type: prismatic, between: [ground, arm], axis: [0.1, -0.4, 0.9]" kh "}\n"               \
    "  k: {type: revolute, between: [arm, bob], at: [1, 0, 0], axis: [0, 1, 0.5], stiffness: "     \
    "70}\n"

/* The same equilibrium of two models, the second by springs of the mechanism. */
static const struct {
    const char *graph, *spring;
} same[] = {
    {BODIES HINGES("", ", stiffness: 70") "power:\n"
                                          "  s: {type: 1, domain: rotation}\n"
                                          "  c: {type: C, stiffness: 90, on: s}\n"
                                          "  r: {type: R, resistance: 3, on: s}\n"
                                          "  p: {type: port, joint: h, on: s}\n",
     BODIES HINGES(", stiffness: 90", ", stiffness: 70")},
    /* n^2 k, by a transformer of the flow n w */
    {BODIES HINGES("", ", stiffness: 70") "power:\n"
                                          "  s: {type: 1, domain: rotation}\n"
                                          "  f: {type: 1, domain: rotation}\n"
                                          "  n: {type: TF, modulus: 3, from: s, to: f}\n"
                                          "  c: {type: C, stiffness: 10, on: f}\n"
                                          "  p: {type: port, joint: h, on: s}\n",
     BODIES HINGES(", stiffness: 90", ", stiffness: 70")},
    /* a law, and a displacement at the start */
    {BODIES HINGES("",
                   ", stiffness: 70") "power:\n"
                                      "  s: {type: 1, domain: rotation}\n"
                                      "  c: {type: C, effort: 60*q + 40*q^3, initial: 0.1, on: s}\n"
                                      "  p: {type: port, joint: h, on: s}\n",
     BODIES HINGES(", effort: '-60*(joint(h)+0.1) - 40*(joint(h)+0.1)^3'", ", stiffness: 70")},
    /* along an axis of the world, from where the frame is at the start */
    {BODIES HINGES(
         "", ", stiffness: 70") "power:\n"
                                "  s: {type: 1, domain: translation}\n"
                                "  c: {type: C, stiffness: 400, on: s}\n"
                                "  p: {type: port, frame: bob, force: [0.6, 0, 0.8], on: s}\n",
     BODIES HINGES("", ", stiffness: 70") "loads:\n"
                                          "  f: {on: bob, force: ['-240*(0.6*(pos(bob).x - 1) + "
                                          "0.8*pos(bob).z)', 0, '-320*(0.6*(pos(bob).x - 1) + "
                                          "0.8*pos(bob).z)']}\n"},
    /* between two joints: the spring of the difference 2 a - b */
    {BODIES HINGES(", stiffness: 40",
                   ", stiffness: 70") "power:\n"
                                      "  s: {type: 1, domain: rotation}\n"
                                      "  u: {type: 1, domain: rotation}\n"
                                      "  v: {type: 1, domain: rotation}\n"
                                      "  z: {type: 0, domain: rotation}\n"
                                      "  n: {type: TF, modulus: 2, from: s, to: z}\n"
                                      "  c: {type: C, stiffness: 55, on: v}\n"
                                      "  zv: {type: bond, from: z, to: v}\n"
                                      "  zu: {type: bond, from: z, to: u}\n"
                                      "  p: {type: port, joint: h, on: s}\n"
                                      "  o: {type: port, joint: k, on: u}\n",
     BODIES HINGES(", stiffness: 40, effort: '-110*(2*joint(h) - joint(k))'",
                   ", stiffness: 70, effort: '55*(2*joint(h) - joint(k))'")},
    /* on a slide, n^2 k by a transformer into rotation: a rack of 0.05 */
    {BODIES SLIDE("") "power:\n"
                      "  s: {type: 1, domain: translation}\n"
                      "  f: {type: 1, domain: rotation}\n"
                      "  n: {type: TF, modulus: 20, from: s, to: f}\n"
                      "  c: {type: C, stiffness: 1.5, on: f}\n"
                      "  p: {type: port, joint: h, on: s}\n",
     BODIES SLIDE(", stiffness: 600")}};
enum { SAME = sizeof same / sizeof *same };

static void as_springs(void **state)
{
    (void)state;
    static const char *const of[] = {"a", "b", "x", "y", "z"};
    for (int i = 0; i < SAME; i++)
        for (int k = 0; k < FORMULATIONS; k++) {
            char text[2][3000];
            snprintf(text[0], sizeof text[0], "%s%sanalysis: {type: statics}\n", same[i].graph,
                     END);
            snprintf(text[1], sizeof text[1], "%s%sanalysis: {type: statics}\n", same[i].spring,
                     END);
            table c = run_model(&(run_how){.text = text[0], .formulation = formulations[k]});
            table s = run_model(&(run_how){.text = text[1], .formulation = formulations[k]});
            assert_true(fabs(table_last(&s, "a")) > 0.01);
            for (int j = 0; j < 5; j++)
                assert_near(table_last(&c, of[j]), table_last(&s, of[j]), 1e-9);
            table_free(&c), table_free(&s);
        }
}

/* What comes next starts in balance and stays there. */
static void stays_at_rest(void **state)
{
    (void)state;
    for (int i = 0; i < SAME; i++)
        for (int k = 0; k < FORMULATIONS; k++) {
            char text[3000];
            snprintf(text, sizeof text,
                     "%s%sanalysis: [{type: statics}, {type: dynamics, until: 0.2, output_step: "
                     "0.1}]\n",
                     same[i].graph, END);
            table r = run_model(&(run_how){.text = text, .formulation = formulations[k]});
            assert_near(table_last(&r, "a"), table_first(&r, "a"), 1e-9);
            assert_near(table_last(&r, "b"), table_first(&r, "b"), 1e-9);
            table_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_springs),
                                       cmocka_unit_test(stays_at_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
