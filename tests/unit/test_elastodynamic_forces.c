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
    listen_to(BEAM("80", "40", SPRING("1e9")) STATICS, "P=-110", said);
    assert_says(said, shared);
    assert_near(number_after(said, "its axial force is "), -110, 1e-3);
    assert_near(number_after(said, "which the bending stiffness is for, and "), -0.2196, 1e-4);
    assert_false(says(BEAM("80", "40", SPRING("2e4")) STATICS, "P=-110", shared));
    listen_to(BEAM("80", "40", ENDS) STATICS, "P=1500", said);
    assert_says(said, shared);
    assert_near(fabs(number_after(said, "is for, and ")), 750, 0.01);
    assert_false(says(BEAM("80", "40", ENDS) STATICS, "P=10", shared));
    assert_true(
        says(BEAM("80", "40",
                  BLADE(", o: {type: fixed, between: [hub.o, b.end]}")) "analysis: {type: "
                                                                        "dynamics, until: 0.05}\n",
             "W=60", shared));
    assert_false(says(BEAM("80", "40", BLADE("")) SPEEDS, "W=30", shared));
}

#define TORSION(what)                                                                              \
    BEAM("50", "4e4",                                                                              \
         "}\njoints: {a: {type: universal, axes: [y, z], between: [ground, b.start]}, e: "         \
         "{type: cylindrical, between: [ground, b.end], axis: x, effort: {angle: P}}}\n")          \
    what
#define ACROSS(EIz, what) BEAM(EIz, "40", CLAMP TIP "force: [0, P, 0]}}\n") what

/* Buckling by a torque, 2 pi EI/L between the ends, and across, 4.013 sqrt(EI GJ)/L^2. At a quarter of these a
 * sixteenth of the stiffness is at stake, and nothing is said; with equal stiffnesses a moment does no harm. */
static void moments(void **state)
{
    (void)state;
    assert_true(says(TORSION(STATICS), "P=280", "a torque of up to 280"));
    assert_false(says(TORSION(STATICS), "P=78", "a torque of"));
    assert_true(says(ACROSS("5e4", STATICS), "P=160", "(lateral buckling)"));
    assert_false(says(ACROSS("5e4", STATICS), "P=45", "(lateral buckling)"));
    assert_false(says(ACROSS("50", STATICS), "P=160", "(lateral buckling)"));
}

/* Frequencies know all of it: nothing is said, and they are those of corotational beams. */
static void frequencies(void **state)
{
    static const struct {
        const char *text, *set;
        double tolerance;
    } loaded[] = {
        {BEAM("80", "40", SPRING("1e9")) MODES, "P=-110", 1e-6},
        {BEAM("80", "40", BLADE(", o: {type: fixed, between: [hub.o, b.end]}")) SPEEDS, "W=60",
         1e-4},
        {TORSION(MODES), "P=200", 1e-6},
        {ACROSS("5e4", MODES), "P=160", 0.02},
    };
    char said[SAID];
    (void)state;
    for (int k = 0; k < 4; k++) {
        run_how how = {.text = loaded[k].text, .set = {loaded[k].set}};
        listen_to(how.text, how.set[0], said);
        assert_null(strstr(said, shared));
        assert_null(strstr(said, "changes its stiffness"));
        how.formulation = "elastodynamic";
        table e = run_model(&how);
        how.formulation = "corotational";
        table c = run_model(&how);
        for (int i = 0; i < c.rows; i++) {
            double right = table_get(&c, i, "frequency");
            assert_near(table_get(&e, i, "frequency") / right, 1, loaded[k].tolerance);
        }
        table_free(&e);
        table_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sharing), cmocka_unit_test(moments),
                                       cmocka_unit_test(frequencies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
