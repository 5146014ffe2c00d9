/* Damping by mass of a structure does not depend on how it is cut into beams that are welded to each other:
 * alpha/(2 omega) in every mode of a structure of beams, and the same decay as uncut where bodies without
 * damping are part of it; nothing is taken from rigid motions. Section forces depend neither on cuts nor on
 * which end is the start. */
#include "support/modes.h"

#define ALPHA 3.0

static const char *const formulations[] = {"corotational",
                                           "minimal",
                                           "{type: rfe, coordinates: absolute}",
                                           "{type: rfe, coordinates: joint}",
                                           "ffr",
                                           "{type: ffr, substructures: 2}"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations, MODES = 10 };

#define BEAM(name, from, to)                                                                       \
    name ": {type: beam, section: s, from: " from ", to: " to ", elements: "
#define WELD(name, a, b) name ": {type: fixed, between: [" a ", " b "]}"

static table modes_by(const char *formulation, const char *bodies, const char *joints)
{
    char text[3000];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "sections: {s: {shape: stiffness, EA: 1e6, EIy: 500, EIz: 4e4, GJ: 1e4, rhoA: 2,\n"
             "  rhoIy: 2e-4, rhoIz: 1e-3, damping: {mass: %g}}}\n"
             "bodies: {%s}\njoints: {%s}\nformulation: %s\n"
             "analysis: {type: modes, count: %d}\n",
             ALPHA, bodies, joints, formulation, MODES);
    return run_model(&(run_how){.text = text});
}

/* Frequencies and rates of decay of the modes that vibrate; how many. */
static int decays(const char *formulation, const char *bodies, const char *joints, double *omega,
                  double *decay)
{
    table r = modes_by(formulation, bodies, joints);
    int n = 0;
    for (int i = 0; i < r.rows; i++) {
        double w = table_get(&r, i, "omega");
        if (w < 1) continue;
        omega[n] = w, decay[n++] = w * table_get(&r, i, "damping_ratio");
    }
    table_free(&r);
    return n;
}

/* Beams alone, welded: half of alpha everywhere. */
static const struct {
    const char *bodies, *joints;
    int least;
} structure[] = {
    /* a cantilever in two, clamped at either end, and in four that are drawn either way */
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     WELD("c", "ground", "a.start") ", " WELD("w", "a.end", "b.start"), 10},
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     WELD("c", "ground", "b.end") ", " WELD("w", "b.start", "a.end"), 10},
    /* ... in a stiff bushing */
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     WELD("c", "ground", "a.start") "}\nforces: {w: {type: bushing, between: [a.end, b.start],\n"
                                    "  stiffness: [1e9, 1e9, 1e9, 1e8, 1e8, 1e8]}",
     10},
    {BEAM("a", "[0.4, 0, 0]", "[0, 0, 0]") "2}, " BEAM(
         "b", "[0.4, 0, 0]",
         "[0.7, 0, 0]") "2}, " BEAM("d", "[1.5, 0, 0]",
                                    "[1.1, 0, 0]") "2}, " BEAM("e", "[0.7, 0, 0]",
                                                               "[1.1, 0, 0]") "2}",
     WELD("c", "ground", "a.end") ", " WELD("w", "a.start", "b.start") ", " WELD(
         "x", "b.end", "e.start") ", " WELD("y", "d.end", "e.end"),
     10},
    /* hinged at one end and at both, driven, on a slide, free */
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     "c: {type: revolute, between: [ground, a.start], axis: [0, 1, 0.3]}, " WELD("w", "a.end",
                                                                                 "b.start"),
     9},
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     "c: {type: spherical, between: [ground, b.end]}, " WELD("w", "a.end", "b.start"), 7},
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     "c: {type: revolute, between: [ground, a.start], axis: y}, d: {type: inline, between: [b.end, "
     "ground], axis: x}, " WELD("w", "a.end", "b.start"),
     10},
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     "c: {type: revolute, between: [ground, b.end], axis: y, drive: 0}, " WELD("w", "a.end",
                                                                               "b.start"),
     10},
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     "c: {type: prismatic, between: [ground, a.start], axis: z}, " WELD("w", "a.end", "b.start"),
     9},
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     WELD("w", "a.end", "b.start"), 4},
    /* welds that yield a little are welds */
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     WELD("c", "ground", "a.start") ", w: {type: fixed, between: [a.end, b.start], compliant: "
                                    "{stiffness: 1e9}}",
     10},
    /* a pin away from the beam, and a slide at the other end towards it */
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     "c: {type: revolute, between: [ground, a.start], axis: y, at: [0.1, 0, -0.3]}, d: {type: "
     "inline, between: [b.end, ground], axis: [1.4, 0, 0.3]}, " WELD("w", "a.end", "b.start"),
     10},
    {BEAM("a", "[0, 0, 0]", "[0.5, 0, 0]") "3}, " BEAM("b", "[0.5, 0, 0]", "[1.5, 0, 0]") "5}",
     "c: {type: inline, between: [a.start, ground], axis: [1.6, 0, 0.4]}, d: {type: revolute, "
     "between: "
     "[ground, b.end], axis: y, at: [1.6, 0, 0.4]}, " WELD("w", "a.end", "b.start"),
     10},
    /* portal frames: clamped feet, hinged feet; a leg that is skew */
    {BEAM("l", "[0, 0, 0]", "[0, 0, 1]") "3}, " BEAM("t", "[0, 0, 1]", "[1.4, 0, 1]") "4}, " BEAM(
         "r", "[1.7, 0.3, 0]", "[1.4, 0, 1]") "3}",
     WELD("c", "ground", "l.start") ", " WELD("d", "ground", "r.start") ", " WELD(
         "w", "l.end", "t.start") ", " WELD("x", "t.end", "r.end"),
     10},
    {BEAM("l", "[0, 0, 0]", "[0, 0, 1]") "3}, " BEAM("t", "[0, 0, 1]", "[1.4, 0, 1]") "4}, " BEAM(
         "r", "[1.4, 0, 0]", "[1.4, 0, 1]") "3}",
     "c: {type: revolute, between: [ground, l.start], axis: y}, d: {type: revolute, between: "
     "[ground, r.start], axis: y}, " WELD("w", "l.end", "t.start") ", " WELD("x", "t.end", "r.end"),
     10},
    /* a T at a place between nodes, clamped or free; a closed frame */
    {BEAM("l", "[0, 0, 0]", "[0, 0, 1]") "4}, " BEAM("t", "[0, 0, 0.6]", "[0.8, 0.2, 0.6]") "4}",
     WELD("c", "ground", "l.start") ", " WELD("w", "l.at(0.6)", "t.start"), 10},
    {BEAM("l", "[0, 0, 0]", "[0, 0, 1]") "4}, " BEAM("t", "[0, 0, 0.5]", "[0.8, 0.2, 0.5]") "4}",
     WELD("w", "l.node(2)", "t.start"), 4},
    {BEAM("p", "[0, 0, 0]", "[1, 0, 0]") "3}, " BEAM("q", "[1, 0, 0]", "[1, 0.7, 0.1]") "3}, " BEAM(
         "r", "[1, 0.7, 0.1]", "[0, 0, 0]") "3}",
     "h: {type: revolute, between: [ground, p.start], axis: [1, 1, 1]}, " WELD(
         "w", "p.end", "q.start") ", " WELD("x", "q.end", "r.start") ", " WELD("y", "r.end",
                                                                               "p.start"),
     9}};
enum { STRUCTURES = sizeof structure / sizeof *structure };

static void half_of_alpha(void **state)
{
    (void)state;
    for (int i = 0; i < STRUCTURES; i++)
        for (int k = 0; k < FORMULATIONS; k++) {
            double omega[MODES], decay[MODES];
            int n = decays(formulations[k], structure[i].bodies, structure[i].joints, omega, decay);
            assert_true(n >= structure[i].least);
            for (int j = 0; j < n; j++) {
                assert_near(decay[j] / (0.5 * ALPHA), 1, 1e-5);
            }
        }
}

/* With bodies that are not damped: cut and uncut. */
#define BLOCK                                                                                      \
    ", k: {type: rigid, mass: 1.3, inertia: [0.02, 0.03, 0.01], position: [0.5, 0, 0], com: "      \
    "[0.1, "                                                                                       \
    "0.05, 0.02]}"
#define WHOLE BEAM("b", "[0, 0, 0]", "[1.5, 0, 0]") "6}"
#define CUT                                                                                        \
    BEAM("b", "[0, 0, 0]", "[0.5, 0, 0]") "2}, " BEAM("d", "[0.5, 0, 0]", "[1.5, 0, 0]") "4}"
#define HOOK                                                                                       \
    ", hook: {type: rigid, mass: 2, inertia: [0.01, 0.02, 0.03], position: [1.5, 0, 0], com: [0, " \
    "0.1, -0.2]}"
static const struct {
    const char *bodies[2], *joints[2];
} pair[] = {
    /* a block in the middle, clamped, hinged, free */
    {{WHOLE BLOCK, CUT BLOCK},
     {WELD("c", "ground", "b.start") ", " WELD("w", "b.node(2)", "k"),
      WELD("c", "ground", "b.start") ", " WELD("w", "b.end", "k") ", " WELD("x", "k", "d.start")}},
    {{WHOLE BLOCK, CUT BLOCK},
     {"c: {type: revolute, between: [ground, b.start], axis: [1, 2, 0]}, " WELD("w", "b.node(2)",
                                                                                "k"),
      "c: {type: revolute, between: [ground, b.start], axis: [1, 2, 0]}, " WELD(
          "w", "b.end", "k") ", " WELD("x", "k", "d.start")}},
    {{WHOLE BLOCK, CUT BLOCK},
     {WELD("w", "b.node(2)", "k"), WELD("w", "b.end", "k") ", " WELD("x", "d.start", "k")}},
    /* the block on a hinge away from the beam, and both ends on hinges */
    {{WHOLE BLOCK, CUT BLOCK},
     {"c: {type: spherical, between: [ground, k], at: [0.5, 0.2, 0.1]}, " WELD("w", "b.node(2)",
                                                                               "k"),
      "c: {type: spherical, between: [ground, k], at: [0.5, 0.2, 0.1]}, " WELD(
          "w", "b.end", "k") ", " WELD("x", "k", "d.start")}},
    {{WHOLE BLOCK, CUT BLOCK},
     {"c: {type: spherical, between: [ground, k], at: [0.5, 0.2, 0.1]}, e: {type: spherical, "
      "between: [b.end, ground]}, " WELD("w", "b.node(2)", "k"),
      "c: {type: spherical, between: [ground, k], at: [0.5, 0.2, 0.1]}, e: {type: spherical, "
      "between: [d.end, ground]}, " WELD("w", "b.end", "k") ", " WELD("x", "k", "d.start")}},
    /* a weight that hangs by a pin, and one beam of two that is not damped */
    {{WHOLE HOOK, CUT HOOK},
     {"c: {type: revolute, between: [ground, b.start], axis: y}, e: {type: spherical, between: "
      "[b.end, hook]}",
      "c: {type: revolute, between: [ground, b.start], axis: y}, e: {type: spherical, between: "
      "[d.end, hook]}, " WELD("w", "b.end", "d.start")}},
    /* in space, a weight on one pin or on two in the same place */
    {{WHOLE HOOK, WHOLE HOOK},
     {"e: {type: spherical, between: [b.end, hook]}",
      "e: {type: spherical, between: [b.end, hook]}, f: {type: spherical, between: [b.end, "
      "hook]}"}}};
enum { PAIRS = sizeof pair / sizeof *pair };

static void same_as_uncut(void **state)
{
    (void)state;
    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < FORMULATIONS - 1; k++) {
            double omega[2][MODES], decay[2][MODES];
            int n[2];
            for (int c = 0; c < 2; c++)
                n[c] = decays(formulations[k], pair[i].bodies[c], pair[i].joints[c], omega[c],
                              decay[c]);
            assert_int_equal(n[0], n[1]);
            for (int j = 0; j < n[0]; j++) {
                double exact = k == 4 ? 2e-3 : 1e-6; /* ffr: other splines */
                if (k == 2 || k == 3) exact = 0.05;  /* rfe: other rigid pieces */
                assert_near(decay[0][j], decay[1][j], exact * decay[0][j]);
            }
        }
}

/* ---- section forces ---- */

/* A heavily damped rod that falls about a hinge at x = 0, the same in three ways. */
#define FALLING                                                                                    \
    "limber: 1\ngravity: [0, 0, -9.81]\n"                                                          \
    "sections: {s: {shape: stiffness, EA: 1e4, EIy: 20, EIz: 30, GJ: 15, rhoA: 2, rhoIy: 2e-3,\n"  \
    "  rhoIz: 3e-3, damping: {mass: 40}}}\nbodies: {%s}\n"                                         \
    "joints: {c: {type: revolute, between: [ground, %s], axis: [0, 1, 0.3]}%s}\n"                  \
    "analysis: {type: dynamics, until: 0.02, step: 5e-4, output_step: 5e-3}\n"                     \
    "outputs: {Vz: \"section(%s).Vz\", My: \"section(%s).My\", V1: \"section(%s).Vz\"}\n"

static const char *const falling[][5] = {
    {BEAM("b", "[0, 0, 0]", "[1, 0, 0]") "4}", "b.start", "", "b, 0.4", "b, 1"},
    {BEAM("b", "[1, 0, 0]", "[0, 0, 0]") "4}", "b.end", "", "b, 0.6", "b, 0"},
    {BEAM("b", "[0, 0, 0]", "[0.5, 0, 0]") "2}, " BEAM("d", "[0.5, 0, 0]", "[1, 0, 0]") "2}",
     "b.start", ", " WELD("w", "b.end", "d.start"), "b, 0.8", "d, 1"}};

/* The signs of Vz and My turn with the axes. */
static void sections_either_way(void **state)
{
    (void)state;
    table first = {0};
    for (int k = 0; k < 3; k++) {
        const char *const *f = falling[k];
        char text[2000];
        snprintf(text, sizeof text, FALLING, f[0], f[1], f[2], f[3], f[3], f[4]);
        table r = run_model(&(run_how){.text = text, .formulation = "corotational"});
        if (k == 0) first = r;
        for (int i = 1; i < r.rows; i++) {
            assert_true(fabs(table_get(&first, i, "Vz")) > 0.05);
            assert_near(fabs(table_get(&r, i, "Vz")), fabs(table_get(&first, i, "Vz")), 1e-7);
            assert_near(fabs(table_get(&r, i, "My")), fabs(table_get(&first, i, "My")), 1e-7);
            assert_near(table_get(&r, i, "V1"), 0, 1e-7); /* the free end */
        }
        if (k > 0) table_free(&r);
    }
    table_free(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(half_of_alpha),
                                       cmocka_unit_test(same_as_uncut),
                                       cmocka_unit_test(sections_either_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
