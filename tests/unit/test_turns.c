/* Rotations beyond half a turn, which a rotation vector takes for others: they are said, and the remedy that is
 * named is right. */
#include "support/listen.h"

static const char *const form[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
enum { FORMS = 5 };

#define BAR(elements)                                                                              \
    "limber: 1\n"                                                                                  \
    "parameters: {T: 25}\n"                                                                        \
    "sections: {w: {shape: stiffness, EA: 1e6, EIy: 10, EIz: 12, GJ: 5, rhoA: 1, rhoIy: 1e-3, "    \
    "rhoIz: 1e-3}}\n"                                                                              \
    "bodies: {b: {type: beam, section: w, from: [0, 0, 0], to: [1, 0, 0], elements: " elements     \
    "}}\n"                                                                                         \
    "joints: {c: {type: fixed, between: [ground, b.start]}}\n"                                     \
    "loads: {T: {on: b.end, torque: [T, 0, 0]}}\n"                                                 \
    "analysis: {type: statics}\n"                                                                  \
    "outputs: {r: rot(b.end).x, T: \"section(b, 0.5).T\"}\n"
#define HELD(by)                                                                                   \
    "limber: 1\n"                                                                                  \
    "parameters: {W: 6.5}\n"                                                                       \
    "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1.2, 1.5]}}\n" by                             \
    "analysis: {type: dynamics, until: 3, output_step: 0.1, tolerance: 1e-7}\n"                    \
    "outputs: {w: omega(b).z}\n"
#define BUSHING                                                                                    \
    "forces: {bu: {type: bushing, between: [ground, b], stiffness: [100, 100, 100, 2, 2, 3]}}\n"   \
    "initial: {velocity: {b: {angular: [0, 0, W]}}}\n"
#define HINGE                                                                                      \
    "joints: {h: {type: revolute, between: [ground, b], axis: z, stiffness: 3}}\n"                 \
    "initial: {h: {rate: W}}\n"

static int says(const char *text, const char *set, const char *formulation, const char *what)
{
    char said[SAID];
    run_listen(&(run_how){.text = text, .set = {set}, .formulation = formulation}, said);
    return strstr(said, what) != NULL;
}

/* An element twisted by 2.4 rad is told of, one by 1.6 rad is not; of eight none is by 0.75 rad. */
static void elements(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        if (f == 2) continue; /* linear: it has a warning of its own */
        assert_int_equal(says(BAR("1"), "T=12", form[f], "an element of it turns by up to 2.4"), 1);
        assert_int_equal(says(BAR("1"), "T=8", form[f], "an element of it turns"), 0);
        assert_int_equal(says(BAR("8"), "T=30", form[f], "an element of it turns"), 0);
        if (f == 3) continue; /* rfe */
        table r = run_model(&(run_how){.text = BAR("8"), .formulation = form[f]});
        assert_near(table_last(&r, "r"), 25.0 / 5 - 2 * 3.14159265358979323846, 1e-9);
        assert_near(table_last(&r, "T"), 25, 1e-7);
        table_free(&r);
    }
}

/* A bushing turned to and fro by 2.8 rad is left alone. A hinge counts turns: W cos(sqrt(k/J) t). */
static void springs(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        assert_int_equal(says(HELD(BUSHING), "W=6.5", form[f], "'bu' turns its springs"), 1);
        assert_int_equal(says(HELD(BUSHING), "W=4.0", form[f], "'bu' turns its springs"), 0);
        assert_int_equal(says(HELD(HINGE), "W=6.5", form[f], "turns"), 0);
        table r = run_model(&(run_how){.text = HELD(HINGE), .formulation = form[f]});
        assert_near(table_last(&r, "w"), 6.5 * cos(sqrt(2) * 3), 1e-5);
        table_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements), cmocka_unit_test(springs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
