/* Loops of values with several solutions go on along the branch they are on, as far as there is one, whatever the
 * method and its steps. */
#include "support/run_model.h"

#define PI 3.14159265358979323846

/* f of f^3 - 3 f = e on the upper (side 1) or lower (-1) branch, which ends where side*e = -2. */
static double branch(double e, int side)
{
    double s = side * e;
    if (s > 2) return side * 2 * cosh(acosh(s / 2) / 3);
    return side * 2 * cos(acos(fmax(-1, s / 2)) / 3);
}

/* A resistance whose law turns back, on a source: down the upper branch to its end, along the lower one to its
 * own. */
static void source(void **state)
{
    static const char *const methods[] = {"radau", "generalized-alpha", "bdf", "explicit"};
    static const char *const rows[] = {"1", "0.25", "0.05"};
    (void)state;
    for (int k = 0; k < 12; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "power:\n"
                 "  j: {type: 1, domain: electric}\n"
                 "  src: {type: Se, effort: \"4*cos(2*t)\", on: j}\n"
                 "  r: {type: R, effort: \"f^3 - 3*f\", on: j}\n"
                 "analysis: {type: dynamics, until: 4, output_step: %s, method: %s}\n"
                 "outputs: {f: flow(r)}\n",
                 rows[k % 3], methods[k / 3]);
        table r = run_model(&(run_how){.text = text});
        for (int i = 0; i < r.rows; i++) {
            double t = table_get(&r, i, "t"), phase = fmod(2 * t, 2 * PI);
            int lower = phase > 2 * PI / 3 && phase < 5 * PI / 3;
            assert_near(table_get(&r, i, "f"), branch(4 * cos(2 * t), lower ? -1 : 1), 1e-8);
        }
        assert_true(r.sum.events >= 1);
        table_free(&r);
    }
}

/* A capacitor behind it goes to and fro between the branches. The ends of these are events. */
static double oscillator(double until, int steps)
{
    double e = 3, h = until / steps;
    int side = 1;
    for (int i = 0; i < steps; i++) {
        double t = i * h, k = (0.3 * sin(2 * t) - branch(e, side)) / 0.5;
        double to = e + h * (0.3 * sin(2 * t + h) - branch(e + h / 2 * k, side)) / 0.5;
        if (side * to < -2) { /* a part of the step on either branch */
            double part = (e + 2 * side) / (e - to);
            side = -side;
            to = -side * -2.0 + (1 - part) * h * (0.3 * sin(2 * t + h) - branch(to, side)) / 0.5;
        }
        e = to;
    }
    return e;
}

static void capacitor(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "power:\n"
        "  n: {type: 0, domain: electric}\n"
        "  src: {type: Sf, flow: 0.3*sin(2*t), on: n}\n"
        "  c: {type: C, capacitance: 0.5, initial_effort: 3, on: n}\n"
        "  r: {type: R, effort: \"f^3 - 3*f\", on: n}\n"
        "analysis: {type: dynamics, until: 2, output_step: 0.1, tolerance: 1e-7, method: radau}\n"
        "outputs: {e: effort(n), f: flow(r)}\n";
    (void)state;
    double e = oscillator(2, 200000);
    table r = run_model(&(run_how){.text = text});
    print_message("  %.10g, %.10g\n", table_last(&r, "e"), e);
    assert_near(table_last(&r, "e"), e, 2e-5);
    assert_int_equal(r.sum.events, 1);
    assert_under(r.sum.energy_error, 1e-6);
    table_free(&r);
}

/* The same behind a joint that turns, behind a delay of a state, and two loops that leave their branches at
 * different instants. */
#define LOOP(name, effort)                                                                         \
    "  j" name ": {type: 1, domain: electric}\n"                                                   \
    "  s" name ": {type: Se, effort: \"" effort "\", on: j" name "}\n"                             \
    "  r" name ": {type: R, effort: \"f^3 - 3*f\", on: j" name "}\n"
#define TURNING                                                                                    \
    "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"                                    \
    "joints: {h: {type: revolute, between: [ground, b], axis: z}}\n"                               \
    "initial: {h: {rate: 2}}\n"
#define DELAYED                                                                                    \
    "blocks:\n"                                                                                    \
    "  x: {type: integrator, input: -2*y, initial: 4}\n"                                           \
    "  y: {type: integrator, input: 2*x}\n"                                                        \
    "  d: {type: delay, input: x, time: 0.3}\n"

static void behind_other_things(void **state)
{
    static const struct {
        const char *text;
        double late[2];
    } of[] = {
        {TURNING "power:\n" LOOP("a", "4*cos(joint(h))") "outputs: {f0: flow(ra)}\n", {0}},
        {DELAYED "power:\n" LOOP("a", "d") "outputs: {f0: flow(ra)}\n", {0.3}},
        {TURNING DELAYED "power:\n" LOOP("a", "4*cos(joint(h))")
             LOOP("b", "d") "outputs: {f0: flow(ra), f1: flow(rb)}\n",
         {0, 0.3}},
    };
    static const char *const how[] = {"output_step: 1, method: radau",
                                      "output_step: 0.05, method: bdf",
                                      "output_step: 0.25, method: explicit"};
    (void)state;
    for (int k = 0; k < 9; k++) {
        char text[2000], name[3] = "f0";
        snprintf(text, sizeof text,
                 "limber: 1\n%sanalysis: {type: dynamics, until: 4, tolerance: 1e-7, %s}\n",
                 of[k / 3].text, how[k % 3]);
        table r = run_model(&(run_how){.text = text});
        for (int i = 0; i < r.rows * (r.cols - 1); i++) {
            name[1] = (char)('0' + i % (r.cols - 1));
            double t =
                fmax(0, table_get(&r, i / (r.cols - 1), "t") - of[k / 3].late[i % (r.cols - 1)]);
            double phase = fmod(2 * t, 2 * PI);
            int lower = phase > 2 * PI / 3 && phase < 5 * PI / 3;
            assert_near(table_get(&r, i / (r.cols - 1), name),
                        branch(4 * cos(2 * t), lower ? -1 : 1), 1e-5);
        }
        table_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(source), cmocka_unit_test(capacitor),
                                       cmocka_unit_test(behind_other_things)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
