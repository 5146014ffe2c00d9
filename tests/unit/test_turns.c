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

/* A universal joint on a body that turns round: its angles go on with its rates, whatever coordinates the method
 * has, and so does an effort that reads them. The last values are those of `explicit` at 1e-11. */
#define SHAFTS(effort, tolerance)                                                                  \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -2, -9.81]\n"                                                                    \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 2, inertia: [0.3, 0.2, 0.25], com: [0.3, 0.1, 0]}\n"                 \
    "  b: {type: rigid, mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.7, 0.1, 0.2], com: "      \
    "[0.2, 0, 0.1]}\n"                                                                             \
    "joints:\n"                                                                                    \
    "  j1: {type: revolute, between: [ground, a], axis: [0.2, 1, 0.3]}\n"                          \
    "  j2: {type: universal, between: [a, b], axes: [x, z], at: [0.6, 0, 0.1]" effort "}\n"        \
    "initial: {j1: {angle: 0.5, rate: 2}}\n"                                                       \
    "analysis: {type: dynamics, until: 5, output_step: 0.005, method: bdf, tolerance: " tolerance  \
    "}\n"                                                                                          \
    "outputs: {q: joint(j1), p1: joint(j2).angle1, p2: joint(j2).angle2, r1: rate(j2).angle1, "    \
    "r2: rate(j2).angle2}\n"

static void goes_on(const table *r, const char *angle, const char *rate)
{
    for (int i = 1; i < r->rows; i++) {
        double h = table_get(r, i, "t") - table_get(r, i - 1, "t");
        double mean = 0.5 * (table_get(r, i, rate) + table_get(r, i - 1, rate));
        assert_near(table_get(r, i, angle) - table_get(r, i - 1, angle), h * mean, 0.01);
    }
}

static void far_from_reference(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double q, p1, p2;
    } m[] = {{SHAFTS("", "1e-4"), 2.675537, -10.99507, 7.508532},
             {SHAFTS("", "1e-9"), 2.675537, -10.99507, 7.508532},
             {SHAFTS(", effort: {angle1: \"0.5*joint(j2).angle1\"}", "1e-7"), 1.082266, 25.97689,
              -10.78871}};
    static const char *const of[] = {"corotational", "minimal", "ffr"};
    for (int i = 0; i < 3; i++)
        for (int f = 0; f < 3; f++) {
            table r = run_model(&(run_how){.text = m[i].text, .formulation = of[f]});
            goes_on(&r, "p1", "r1");
            goes_on(&r, "p2", "r2");
            assert_near(table_last(&r, "q"), m[i].q, i ? 1e-5 : 1e-3);
            assert_near(table_last(&r, "p1"), m[i].p1, i ? 1e-4 : 1e-2);
            assert_near(table_last(&r, "p2"), m[i].p2, i ? 1e-4 : 1e-2);
            table_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements), cmocka_unit_test(springs),
                                       cmocka_unit_test(far_from_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
