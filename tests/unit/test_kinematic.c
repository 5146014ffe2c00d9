/* Mechanisms that drives determine are not integrated: rows are right to rounding, however far apart they are,
 * against closed forms of a slider-crank (crank r, rod l; phi' = w is constant). */
#include "support/file_runs.h"

#define CRANK(drive)                                                                               \
    "limber: 1\n"                                                                                  \
    "parameters: {w: 200, r: 0.15, l: 0.4}\n"                                                      \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  crank: {type: rigid, mass: 0.3, inertia: [1e-4, 1e-3, 1e-3], com: [r/2, 0, 0]}\n"           \
    "  rod: {type: rigid, mass: 0.8, inertia: [1e-4, 1e-2, 1e-2], position: [r, 0, 0],\n"          \
    "        com: [l/2, 0, 0]}\n"                                                                  \
    "  slider: {type: rigid, mass: 0.5, inertia: [1e-4, 1e-4, 1e-4], position: [r + l, 0, 0]}\n"   \
    "joints:\n"                                                                                    \
    "  main: {type: revolute, between: [ground, crank], axis: z, drive: \"" drive "\"}\n"          \
    "  pin: {type: revolute, between: [crank, rod], axis: z, at: [r, 0, 0]}\n"                     \
    "  wrist: {type: revolute, between: [rod, slider], axis: z, at: [r + l, 0, 0]}\n"              \
    "  guide: {type: prismatic, between: [ground, slider], axis: x, damping: 3,\n"                 \
    "          effort: \"5*cos(40*t)\"}\n"                                                         \
    "outputs: {x: pos(slider).x, v: vel(slider).x, a: acc(slider).x, M: moment(main).z,\n"         \
    "          p: 0}\n"
#define SPAN "analysis: {type: dynamics, until: 2, output_step: 0.05}\n"

static const char *const forms[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
enum { FORMS = 5 };

/* Of the slider and of the torque, by virtual power of all bodies, at the crank angle p. */
static void closed_form(double t, double p, double w, double out[4])
{
    const double r = 0.15, l = 0.4, g = 9.81;
    double s = sin(p), c = cos(p), sb = -r * s / l, cb = sqrt(1 - sb * sb);
    double bp = -r * c / (l * cb); /* rod angle b: sin b = sb; b' = bp p' */
    double bpp = (sb * bp * bp + r * s / l) / cb;
    double xp = -r * s - l * sb * bp, xpp = -r * c - l * (cb * bp * bp + sb * bpp);
    double a = xpp * w * w;
    /* centre of the rod: x = r cos p + l/2 cos b, y = r sin p + l/2 sin b */
    double ux = -r * s - 0.5 * l * sb * bp, uy = r * c + 0.5 * l * cb * bp;
    double ax = (-r * c - 0.5 * l * (cb * bp * bp + sb * bpp)) * w * w;
    double ay = (-r * s + 0.5 * l * (-sb * bp * bp + cb * bpp)) * w * w;
    double F = 5 * cos(40 * t) - 3 * xp * w;
    double M = 0.8 * (ax * ux + (ay + g) * uy) + 1e-2 * bpp * w * w * bp + (0.5 * a - F) * xp +
               0.3 * g * 0.5 * r * c;
    out[0] = r * c + l * cb, out[1] = xp * w, out[2] = a, out[3] = M;
}

static void rows_are_exact(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        table t = run_model(&(run_how){.text = CRANK("0.3 + w*t") SPAN, .formulation = forms[f]});
        assert_string_equal(t.sum.method, "kinematic");
        assert_int_equal(t.rows, 41);
        for (int i = 0; i < t.rows; i++) {
            double right[4], time = table_get(&t, i, "t");
            closed_form(time, 0.3 + 200 * time, 200, right);
            assert_near(table_get(&t, i, "x"), right[0], 1e-11);
            assert_near(table_get(&t, i, "v"), right[1], 1e-9);
            assert_near(table_get(&t, i, "a"), right[2], 1e-6);
            assert_near(table_get(&t, i, "M"), right[3], 1e-7);
        }
        assert_under(t.sum.energy_error, 1e-3);
        assert_true(t.sum.steps < 5000);
        table_free(&t);
    }
}

/* Not where there is something to integrate, or the user says how. */
static void chosen_where_nothing_moves_freely(void **state)
{
    (void)state;
    table t = run_model(&(run_how){
        .text = CRANK("w*t/20") "analysis: {type: dynamics, until: 0.1, method: radau}\n"});
    assert_string_equal(t.sum.method, "radau");
    table_free(&t);
    t = run_model(&(run_how){.text = CRANK("w*t/20") "blocks: {y: {type: filter, input: "
                                                     "joint(guide), time_constant: 0.1}}\n"
                                                     "analysis: {type: dynamics, until: 0.1}\n"});
    assert_string_equal(t.sum.method, "radau");
    table_free(&t);
    t = run_model(&(run_how){.text = CRANK("w*t/20") "analysis: {type: dynamics, until: 0.1}\n",
                             .swap = {{", drive: \"w*t/20\"", ""}}});
    assert_string_equal(t.sum.method, "generalized-alpha");
    table_free(&t);
}

/* A crank as long as its rod, led through the position where the slider is free to stay at the centre, goes on as
 * it came, x = 2 r cos p; one longer than its rod locks. */
static void singular_positions(void **state)
{
    static const char *const square[] = {"r: 0.15, l: 0.4", "r: 0.15, l: 0.15"};
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        table t =
            run_model(&(run_how){.text = CRANK("7.3*t") "analysis: {type: dynamics, until: 2}\n",
                                 .swap = {{square[0], square[1]}},
                                 .formulation = forms[f]});
        for (int i = 0; i < t.rows; i++)
            assert_near(table_get(&t, i, "x"), 0.3 * cos(7.3 * table_get(&t, i, "t")), 1e-6);
        table_free(&t);
        table locked =
            run_model(&(run_how){.text = CRANK("3*t") "analysis: {type: dynamics, until: 2}\n",
                                 .swap = {{square[0], "r: 0.15, l: 0.12"}},
                                 .formulation = forms[f],
                                 .may_stop = 1});
        assert_int_equal(locked.sum.status, LIMBER_STOPPED);
        assert_near(locked.sum.t, asin(0.8) / 3, 1e-3);
        assert_non_null(
            strstr(locked.sum.reason, "the drives lead where the joints do not follow"));
        table_free(&locked);
    }
}

/* Drives that come to rest: there is nothing to balance any more, and the mechanism stands. */
static void comes_to_rest(void **state)
{
    static const char *const drive[] = {"1 + step(t, 0, 0, 1, 1) - step(t, 2, 0, 3, 1)",
                                        "if(t < 1, 0.5*sin(pi*t)^2, 0) + 1",
                                        "step(t, 1, 0, 1.5, 0.3) - step(t, 2, 0, 2.5, 0.3) + 1"};
    char text[3000];
    (void)state;
    for (int k = 0; k < 3 * FORMS; k++) {
        snprintf(text, sizeof text, "%sanalysis: {type: dynamics, until: 5, output_step: 0.1}\n",
                 CRANK("DRIVE"));
        table t =
            run_model(&(run_how){.text = text,
                                 .swap = {{"DRIVE", drive[k / FORMS]},
                                          {", damping: 3,\n          effort: \"5*cos(40*t)\"", ""},
                                          {"gravity: [0, -9.81, 0]", "gravity: [0, 0, -9.81]"}},
                                 .formulation = forms[k % FORMS]});
        assert_string_equal(t.sum.method, "kinematic");
        assert_near(table_last(&t, "t"), 5, 0);
        assert_near(table_last(&t, "x"), 0.15 * cos(1) + sqrt(0.16 - pow(0.15 * sin(1), 2)), 1e-12);
        assert_near(table_last(&t, "v"), 0, 1e-12);
        assert_near(table_last(&t, "M"), 0, 1e-9);
        assert_true(t.sum.steps < 2000);
        table_free(&t);
    }
}

static void resumes(void **state)
{
    (void)state;
    limber_model *model = model_of_text(CRANK("w*t") SPAN);
    for (int f = 0; f < FORMS; f++)
        assert_resumes_to_the_bit(model, &(file_run){.formulation = forms[f]}, 40, 100);
    limber_model_free(model);
    assert_steps_take_no_memory(CRANK("w*t") SPAN, 20, 200, NULL);
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("kinematic");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_exact),
        cmocka_unit_test(chosen_where_nothing_moves_freely),
        cmocka_unit_test(singular_positions),
        cmocka_unit_test(comes_to_rest),
        cmocka_unit_test(resumes),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
