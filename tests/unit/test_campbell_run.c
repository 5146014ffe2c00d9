/* The campbell analysis in a run: what is refused, what is left out with a warning, its place in a list,
 * lack of memory. */
#include "support/listen.h"
#include "support/modes.h"

#include <unistd.h>

#define ROTOR                                                                                      \
    "sections: {s: {shape: stiffness, EA: 1e6, EIy: 40, EIz: 40, GJ: 30, rhoA: 2, rhoIy: 1e-3, "   \
    "rhoIz: 1e-3}}\n"                                                                              \
    "bodies:\n"                                                                                    \
    "  hub: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"                                    \
    "  blade: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 2}\n"             \
    "joints:\n"                                                                                    \
    "  shaft: {type: revolute, between: [ground, hub], axis: z, drive: 3*t}\n"                     \
    "  root: {type: fixed, between: [hub, blade.start]}\n"

#define CAMPBELL "analysis: {type: campbell, drive: shaft, speeds: [0, 10, 3], count: 2}\n"

static limber_status run(const char *text, const char *formulation, limber_summary *sum, char *said,
                         size_t size)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_run_options opt = limber_run_options_default();
    opt.formulation = formulation;
    limber_status st = limber_run(model, &opt, sum, msg);
    said[0] = 0;
    for (int i = 0; i < limber_messages_count(msg); i++) {
        size_t used = strlen(said);
        snprintf(said + used, size - used, "%s\n", limber_messages_get(msg, i).text);
    }
    limber_model_free(model);
    limber_messages_free(msg);
    return st;
}

static void check_said(const char *text, limber_status expected, const char *part)
{
    limber_summary sum;
    char said[4000];
    assert_int_equal(run(text, NULL, &sum, said, sizeof said), expected);
    if (!strstr(said, part)) fail_msg("not said: '%s'; but: %s", part, said);
}

static void says_nothing(void **state)
{
    (void)state;
    limber_summary sum;
    char said[4000];
    assert_int_equal(run("limber: 1\n" ROTOR CAMPBELL, NULL, &sum, said, sizeof said), LIMBER_OK);
    assert_string_equal(said, "");
    assert_int_equal(sum.speeds, 3);
    assert_int_equal(sum.branches, 2);
    assert_string_equal(sum.frame, "rotating");
}

/* Gravity along the axis takes part, across it there is no steady state. */
static void gravity(void **state)
{
    (void)state;
    limber_summary sum;
    char said[4000];
    check_said("limber: 1\ngravity: [0, -9.81, 0]\n" ROTOR CAMPBELL, LIMBER_OK,
               "gravity across the axis of joint 'shaft' is left out");
    assert_int_equal(
        run("limber: 1\ngravity: [0, 0, -9.81]\n" ROTOR CAMPBELL, NULL, &sum, said, sizeof said),
        LIMBER_OK);
    assert_string_equal(said, "");
}

/* How far it would bend the blade at rest: by w L^3/(6 EI) at its end, two digits of which are written (modes of
 * a floating frame are 1 % softer); a rotor that it bends far is refused. */
static void gravity_with_a_number(void **state)
{
    static const char *const forms[] = {"corotational", "minimal", "ffr"};
    (void)state;
    double sag = 2 * 9.81 / (6 * 40), got;
    limber_summary sum;
    char said[4000];
    for (int f = 0; f < 3; f++) {
        assert_int_equal(run("limber: 1\ngravity: [0, -9.81, 0]\n" ROTOR CAMPBELL, forms[f], &sum,
                             said, sizeof said),
                         LIMBER_OK);
        got = number_after(said, "bend the model by ");
        assert_near(got / sag, 1, 0.02);
        assert_int_equal(run("limber: 1\ngravity: [0, -19.62, 0]\n" ROTOR CAMPBELL, forms[f], &sum,
                             said, sizeof said),
                         LIMBER_INPUT);
        got = number_after(said, "moves the model by ");
        assert_near(got / (2 * sag), 1, 0.04);
    }
}

/* A load in axes of the blade turns with it; one fixed in space does not. */
static void loads(void **state)
{
    (void)state;
    limber_summary sum;
    char said[4000];
    check_said("limber: 1\n" ROTOR "loads: {f: {on: blade.end, force: [0, 2, 1]}}\n" CAMPBELL,
               LIMBER_OK, "what load 'f' exerts across the axis");
    assert_int_equal(run("limber: 1\n" ROTOR
                         "loads: {f: {on: blade.end, force: [0, 2, 1], axes: local}}\n" CAMPBELL,
                         NULL, &sum, said, sizeof said),
                     LIMBER_OK);
    assert_null(strstr(said, "left out"));
}

#define CRANK                                                                                      \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  crank: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"                 \
    "  rod: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"                     \
    "  slider: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [3, 0, 0]}\n"                  \
    "joints:\n"                                                                                    \
    "  motor: {type: revolute, between: [ground, crank], axis: z, at: [0, 0, 0], drive: t}\n"      \
    "  pin: {type: revolute, between: [crank, rod], axis: z, at: [1, 0, 0]}\n"                     \
    "  wrist: {type: spherical, between: [rod, slider], at: [3, 0, 0]}\n"                          \
    "  guide: {type: prismatic, between: [ground, slider], axis: x, at: [3, 0, 0]}\n"

static void mechanism_is_refused(void **state)
{
    (void)state;
    check_said(CRANK "analysis: {type: campbell, drive: motor, speeds: [0, 1, 2]}\n", LIMBER_INPUT,
               "does not turn as a whole about the axis of joint 'motor': joint '");
}

static void drive_is_needed(void **state)
{
    (void)state;
    check_said("limber: 1\n"
               "bodies: {hub: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
               "joints: {j: {type: revolute, between: [ground, hub], axis: z}}\n"
               "analysis: {type: campbell, drive: j, speeds: [0, 1, 2]}\n",
               LIMBER_INPUT, "joint 'j' has no drive of its angle: give it one");
}

/* The speed behind a part of a reason. */
static double speed_in(const char *reason, const char *part)
{
    const char *at = strstr(reason, part);
    if (!at) fail_msg("not said: '%s'; but: %s", part, reason);
    return at ? strtod(at + strlen(part), NULL) : NAN;
}

/* A mass on a radial guide whose spring is too soft leaves its place at W = sqrt(k/m) = 10. */
static void divergence(void **state)
{
    (void)state;
    limber_summary sum;
    char said[4000];
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  hub: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
        "  mass: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "joints:\n"
        "  shaft: {type: revolute, between: [ground, hub], axis: z, drive: 0*t}\n"
        "  guide: {type: prismatic, between: [hub, mass], axis: x, stiffness: 200}\n"
        "analysis: {type: campbell, drive: shaft, speeds: [0, 12, 13], count: 1}\n";
    run(text, NULL, &sum, said, sizeof said);
    assert_int_equal(sum.speeds > 9, 1);
    if (!strstr(said, "unstable") && !sum.reason[0]) fail_msg("nothing was said of it: %s", said);
    assert_int_equal(run(text, "elastodynamic", &sum, said, sizeof said), LIMBER_STOPPED);
    assert_between(speed_in(sum.reason, "beyond speed "), 9.5, 10);
    assert_near(speed_in(sum.reason, "(tried "), 10, 1e-9);
}

static int at_once(void *unused, const limber_progress *p)
{
    (void)unused, (void)p;
    return 1;
}

static void interrupted(void **state)
{
    (void)state;
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse("limber: 1\n" ROTOR CAMPBELL, msg);
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    opt.progress = at_once;
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_INTERRUPTED);
    assert_string_equal(sum.reason, "interrupted at speed 0");
    limber_model_free(model);
    limber_messages_free(msg);
}

#define SUPPORTED                                                                                  \
    "limber: 1\n"                                                                                  \
    "bodies: {rotor: {type: rigid, mass: 2, inertia: [1, 1, 1.5]}, frame: {type: rigid, mass: 1, " \
    "inertia: [1, 1, 1]}}\n"                                                                       \
    "joints:\n"                                                                                    \
    "  shaft: {type: revolute, between: [frame, rotor], axis: z, drive: 0*t}\n"                    \
    "forces: {feet: {type: bushing, between: [ground, frame], stiffness: [300, %s, 9e3, 9e3, "     \
    "9e3, "                                                                                        \
    "9e3]}}\n"                                                                                     \
    "analysis: {type: campbell, drive: shaft, speeds: [1, 5, 3], count: 2, frame: %s}\n"

/* An unbalanced rotor on supports whose axes differ has no steady rotation: the message says why. */
#define UNBALANCED                                                                                 \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  base: {type: rigid, mass: 1, inertia: [1, 1, 1], frames: {l: {position: [0, 0, -0.3], "     \
    "orientation: {axis: z, angle: 0.9}}, r: {position: [0, 0, 0.2], orientation: {axis: z, "      \
    "angle: 1.2}}}}\n"                                                                             \
    "  motor: {type: rigid, mass: 5, inertia: [0.1, 0.1, 0.2]}\n"                                  \
    "  rotor: {type: rigid, mass: 2.85, com: [0.05, 0, -0.066], inertia: [0.088, 0.045, 0.128], "  \
    "frames: {l: [0, 0, -0.3], r: [0, 0, 0.2]}}\n"                                                 \
    "joints:\n"                                                                                    \
    "  weld: {type: fixed, between: [ground, base]}\n"                                             \
    "  shaft: {type: revolute, between: [ground, motor], axis: z, drive: 12*t}\n"                  \
    "forces:\n"                                                                                    \
    "  coupling: {type: bushing, between: [motor, rotor], stiffness: [0, 0, 1e5, 0, 0, 50]}\n"     \
    "  left: {type: bushing, between: [base.l, rotor.l], stiffness: [670, 990, 0, 0, 0, 0]}\n"     \
    "  right: {type: bushing, between: [base.r, rotor.r], stiffness: [720, 1340, 0, 0, 0, 0]}\n"

#define CAMPBELL_150 "analysis: {type: campbell, drive: shaft, speeds: [0, 150, 9], count: 4}\n"

static void no_steady_rotation(void **state)
{
    static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
    (void)state;
    limber_summary sum;
    char said[4000];
    for (int f = 0; f < 5; f++) {
        assert_int_equal(run(UNBALANCED CAMPBELL_150, forms[f], &sum, said, sizeof said),
                         LIMBER_STOPPED);
        if (!strstr(sum.reason, "There is no steady rotation: what stands still is not the same"))
            fail_msg("%s: %s", forms[f], sum.reason);
    }
}

/* A round rotor on supports that differ has constant coefficients in fixed axes only. */
static void unequal_supports(void **state)
{
    (void)state;
    static const char *const frame[] = {"rotating", "fixed"}, *const stiffness[] = {"300", "1200"};
    for (int f = 0; f < 2; f++)
        for (int k = 0; k < 2; k++) {
            limber_summary sum;
            char text[2000], said[4000];
            snprintf(text, sizeof text, SUPPORTED, stiffness[k], frame[f]);
            assert_int_equal(run(text, NULL, &sum, said, sizeof said), LIMBER_OK);
            int warns = strstr(said, "the coefficients are periodic") != NULL;
            assert_int_equal(warns, f == 0 && k == 1);
        }
}

/* Behind dynamics it is the same as alone: it is about the drawing, and the run goes on. */
static void in_a_list(void **state)
{
    (void)state;
    table alone = run_model(&(run_how){.text = "limber: 1\n" ROTOR CAMPBELL});
    table list = run_model(&(run_how){
        .text = "limber: 1\n" ROTOR CAMPBELL,
        .analysis = "[{type: dynamics, until: 0.1}, {type: campbell, drive: shaft, speeds: [0, 10, "
                    "3], count: 2}]"});
    assert_int_equal(alone.rows, 6);
    static const char *const columns[] = {"speed", "mode", "frequency", "damping_ratio"};
    assert_int_equal(alone.cols, 4);
    for (int i = 0; i < 4; i++) assert_string_equal(alone.name[i], columns[i]);
    assert_under(table_distance_all(&alone, &list), 1e-9);
    table_free(&alone);
    table_free(&list);
}

static void lack_of_memory(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/campbell_memory.h5", getenv("SCRATCH"));
    unlink(path);
    every_allocation_fails("limber: 1\n" ROTOR CAMPBELL, path);
    every_allocation_fails("limber: 1\ngravity: [0, 1, 0]\n" ROTOR CAMPBELL, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_nothing),
        cmocka_unit_test(gravity),
        cmocka_unit_test(loads),
        cmocka_unit_test(mechanism_is_refused),
        cmocka_unit_test(drive_is_needed),
        cmocka_unit_test(divergence),
        cmocka_unit_test(gravity_with_a_number),
        cmocka_unit_test(no_steady_rotation),
        cmocka_unit_test(in_a_list),
        cmocka_unit_test(unequal_supports),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
