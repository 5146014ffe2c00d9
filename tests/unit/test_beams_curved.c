/* Beams drawn as a curve in space, all coefficients different. Under end couples alone there are no shear forces:
 * Timoshenko's beam is one that is rigid in shear. A beam drawn from its other end is the same beam. */
#include "support/listen.h"

enum { SIDES = 16 };

/* A piece of a helix whose pitch grows. */
static void points(char *text, size_t size, int back)
{
    size_t at = 0;
    for (int i = 0; i <= SIDES; i++) {
        const double a = 1.7 * (back ? SIDES - i : i) / SIDES;
        at += (size_t)snprintf(text + at, size - at, "%s[%.15g, %.15g, %.15g]", i ? ", " : "",
                               0.5 * sin(a), 0.5 * (1 - cos(a)), 0.21 * a + 0.05 * a * a);
    }
}

static table bend(const char *theory, int back, const char *load, const char *formulation)
{
    char text[4000], list[2500];
    points(list, sizeof list, back);
    snprintf(text, sizeof text,
             "limber: 1\n"
             "sections: {s: {shape: stiffness, EA: 300, %s GJ: 1.3, EIy: 2, EIz: 5, rhoA: 1, "
             "rhoIy: 0.01, rhoIz: 0.02}}\n"
             "bodies: {b: {type: beam, section: s, %s points: [%s], y_axis: [0.1, 0.2, 1]}}\n"
             "joints: {c: {type: fixed, between: [ground, b.%s]}}\n"
             "loads: {t: {on: b.%s, axes: global, %s}}\n"
             "analysis: {type: statics}\n"
             "outputs: {p: pos(b.%s)}\n",
             *theory ? "GAy: 60, GAz: 90," : "", theory, list, back ? "end" : "start",
             back ? "start" : "end", load, back ? "start" : "end");
    return run_model(&(run_how){.text = text, .formulation = formulation});
}

static void assert_same(table a, table b, double most)
{
    static const char *const name[3] = {"p.x", "p.y", "p.z"};
    for (int i = 0; i < 3; i++)
        assert_under(fabs(table_last(&a, name[i]) - table_last(&b, name[i])), most);
    table_free(&a);
    table_free(&b);
}

static const char couples[] = "torque: [1.1, -0.9, 1.6]",
                  all[] = "force: [2, -3, 4], torque: [1.1, -0.9, 1.6]",
                  shear[] = "theory: timoshenko,";

static void couples_alone(void **state)
{
    (void)state;
    assert_same(bend("", 0, couples, "corotational"), bend(shear, 0, couples, "corotational"),
                6e-6);
    assert_same(bend("", 0, couples, "minimal"), bend(shear, 0, couples, "minimal"), 6e-6);
    assert_same(bend("", 0, couples, "rfe"), bend(shear, 0, couples, "rfe"), 1e-9);
}

static void from_the_other_end(void **state)
{
    static const char *const form[] = {"corotational", "minimal", "rfe"};
    (void)state;
    for (int f = 0; f < 3; f++) {
        assert_same(bend(shear, 0, all, form[f]), bend(shear, 1, all, form[f]), 1e-9);
        assert_same(bend("", 0, all, form[f]), bend("", 1, all, form[f]), 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(couples_alone),
        cmocka_unit_test(from_the_other_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
