/* Loops of rigid bodies that drives and `initial` move far from the drawing: they go where a hand would turn
 * them, not to the mirrored position, or do not start at all. */
#include "support/run_model.h"

/* Drawn at the dead centre: slider at r cos a + sqrt(l^2 - r^2 sin^2 a). */
#define SLIDER_CRANK(drive)                                                                        \
    "limber: 1\n"                                                                                  \
    "parameters: {a: 0, r: 0.15, l: 0.4, w: 0}\n"                                                  \
    "bodies:\n"                                                                                    \
    "  crank: {type: rigid, mass: 0.2, inertia: [0, 4e-4, 4e-4], com: [r/2, 0, 0],\n"              \
    "          frames: {end: [r, 0, 0]}}\n"                                                        \
    "  rod: {type: rigid, mass: 0.5, inertia: [0, 7e-3, 7e-3], position: [r, 0, 0],\n"             \
    "        com: [l/2, 0, 0], frames: {end: [l, 0, 0]}}\n"                                        \
    "  slider: {type: rigid, mass: 0.5, position: [r + l, 0, 0]}\n"                                \
    "joints:\n"                                                                                    \
    "  main: {type: revolute, between: [ground, crank], axis: z" drive "}\n"                       \
    "  pin: {type: revolute, between: [crank.end, rod], axis: z}\n"                                \
    "  wrist: {type: revolute, between: [rod.end, slider], axis: z}\n"                             \
    "  guide: {type: prismatic, between: [ground, slider], axis: x}\n"                             \
    "outputs: {x: pos(slider).x, y: pos(slider).y, v: vel(slider).x}\n"                            \
    "analysis: {type: dynamics, until: 1e-4, output_step: 1e-4}\n"

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};

static void check(const char *text, const char *angle, double a, double w, const char *form)
{
    const double r = 0.15, l = 0.4, root = sqrt(l * l - r * r * sin(a) * sin(a));
    table t = run_model(
        &(run_how){.text = text, .set = {angle, w != 0 ? "w=3" : "w=0"}, .formulation = form});
    assert_near(table_first(&t, "x"), r * cos(a) + root, 1e-12);
    assert_near(table_first(&t, "y"), 0, 1e-12);
    assert_near(table_first(&t, "v"), -w * (r * sin(a) + r * r * sin(a) * cos(a) / root), 1e-10);
    table_free(&t);
}

static void by_a_drive(void **state)
{
    (void)state;
    static const int degrees[] = {-120, 45, 89, 90, 91, 120, 180, 200, 300, 730};
    for (int f = 0; f < 5; f++)
        for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++) {
            char set[40];
            snprintf(set, sizeof set, "a=%d*deg", degrees[i]);
            check(SLIDER_CRANK(", drive: a + w*t"), set, degrees[i] * acos(-1) / 180, 3, forms[f]);
        }
}

static void by_initial(void **state)
{
    (void)state;
    for (int f = 0; f < 4; f++)
        check(SLIDER_CRANK("") "initial: {main: {angle: 120*deg}}\n", "a=0", acos(-1) * 2 / 3, 0,
              forms[f]);
}

/* The crank of this four-bar cannot turn by 120 degrees: an error, not an open loop. */
static void beyond_the_limit(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [1, 1, 1], frames: {end: [0.3, 0, 0]}}\n"
        "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.3, 0, 0],\n"
        "      frames: {end: [0.1, 0.1, 0]}}\n"
        "  c: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0],\n"
        "      frames: {end: [-0.1, 0.1, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, a], axis: z, drive: 120*deg}\n"
        "  B: {type: revolute, between: [a.end, b], axis: z}\n"
        "  C: {type: revolute, between: [b.end, c.end], axis: z}\n"
        "  D: {type: revolute, between: [ground, c], axis: z}\n"
        "analysis: {type: dynamics, until: 0.01}\n";
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_summary sum;
    limber_run_options o = limber_run_options_default();
    assert_int_equal(limber_model_parse(text, sizeof text - 1, "t.yaml", NULL, &model, msg),
                     LIMBER_OK);
    assert_int_equal(limber_run(model, &o, &sum, msg), LIMBER_INPUT);
    assert_int_equal(limber_messages_errors(msg), 1);
    assert_non_null(strstr(limber_messages_get(msg, 0).text, "cannot be assembled"));
    limber_model_free(model);
    limber_messages_free(msg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_a_drive), cmocka_unit_test(by_initial),
                                       cmocka_unit_test(beyond_the_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
