/* Forces that bending notices and elastodynamic does not know: holds that share a load as their stiffness wants it,
 * torques, moments that bend across. They are said with numbers, and nothing is said where they do not matter. */
#include "support/listen.h"

#define BEAM(EIz, GJ, more)                                                                        \
    "limber: 1\n"                                                                                  \
    "parameters: {P: 0, W: 30}\n"                                                                  \
    "sections: {w: {shape: stiffness, EA: 2e6, EIy: 50, EIz: " EIz ", GJ: " GJ                     \
    ", rhoA: 1.2, rhoIy: 2e-5, rhoIz: 5e-5}}\n"                                                    \
    "bodies: {b: {type: beam, section: w, from: [0, 0, 0], to: [1, 0, 0], elements: 8}" more
#define CLAMP   "}\njoints: {a: {type: fixed, between: [ground, b.start]}}\n"
#define STATICS "analysis: {type: statics}\n"
#define MODES   "analysis: {type: modes, about: statics, count: 4}\n"
#define SPEEDS  "analysis: {type: campbell, drive: d, speeds: [0, W, 3], count: 4}\n"
#define TIP     "loads: {F: {on: b.end, "

static const char shared[] = "rigid bodies do not tell how a load is shared";

static void listen_to(const char *text, const char *set, char said[SAID])
{
    run_listen(&(run_how){.text = text, .set = {set}, .formulation = "elastodynamic"}, said);
}

static int says(const char *text, const char *set, const char *what)
{
    char said[SAID];
    listen_to(text, set, said);
    return strstr(said, what) != NULL;
}

/* A spring beside the beam takes k/(k + EA/L) of the load; two ends share it by halves; at speed a blade that is
 * held at both ends is pulled at one and pressed at the other. One hold, or none that is stiff: nothing is said. */
static void sharing(void **state)
{
#define SPRING(k)                                                                                  \
    CLAMP "forces: {k: {type: bushing, between: [ground, b.end], stiffness: [" k                   \
          ", 0, 0, 0, 0, 0]}}\n" TIP "force: [P, 0, 0]}}\n"
#define ENDS                                                                                       \
    "}\njoints: {a: {type: spherical, between: [ground, b.start]}, e: {type: "                     \
    "spherical, between: [ground, b.end]}}\nloads: {F: {on: b.at(0.5), force: [P, 0, 0]}}\n"
#define BLADE(outer)                                                                               \
    ", hub: {type: rigid, mass: 10, inertia: [1, 1, 1], frames: {o: [1, 0, 0]}}}\n"                \
    "joints: {d: {type: revolute, between: [ground, hub], axis: z, drive: 20*t},\n"                \
    "  i: {type: fixed, between: [hub, b.start]}" outer "}\n"
    char said[SAID];
    (void)state;
    listen_to(BEAM("80", "40", SPRING("1e9")) MODES, "P=-110", said);
    assert_says(said, shared);
    assert_near(number_after(said, "its axial force is "), -110, 1e-3);
    assert_near(number_after(said, "which the bending stiffness is for, and "), -0.2196, 1e-4);
    assert_false(says(BEAM("80", "40", SPRING("2e4")) MODES, "P=-110", shared));
    listen_to(BEAM("80", "40", ENDS) STATICS, "P=1500", said);
    assert_says(said, shared);
    assert_near(fabs(number_after(said, "is for, and ")), 750, 0.01);
    assert_false(says(BEAM("80", "40", ENDS) STATICS, "P=10", shared));
    assert_true(says(BEAM("80", "40", BLADE(", o: {type: fixed, between: [hub.o, b.end]}")) SPEEDS,
                     "W=60", shared));
    assert_false(says(BEAM("80", "40", BLADE("")) SPEEDS, "W=30", shared));
}

/* Buckling by a torque, 2 pi EI/L between the ends, and across, 4.013 sqrt(EI GJ)/L^2. At a quarter of these a
 * sixteenth of the stiffness is at stake, and nothing is said; with equal stiffnesses a moment does no harm. */
static void moments(void **state)
{
    static const char *const torsion =
        BEAM("50", "4e4",
             "}\njoints: {a: {type: universal, axes: [y, z], between: [ground, b.start]}, e: "
             "{type: cylindrical, between: [ground, b.end], axis: x, effort: {angle: P}}}\n") MODES;
    static const char *const across = BEAM("5e4", "40", CLAMP TIP "force: [0, P, 0]}}\n") MODES;
    static const char *const even = BEAM("50", "40", CLAMP TIP "force: [0, P, 0]}}\n") MODES;
    (void)state;
    assert_true(says(torsion, "P=280", "a torque of up to 280"));
    assert_false(says(torsion, "P=78", "a torque of"));
    assert_true(says(across, "P=160", "(lateral buckling)"));
    assert_false(says(across, "P=45", "(lateral buckling)"));
    assert_false(says(even, "P=160", "(lateral buckling)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sharing), cmocka_unit_test(moments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
