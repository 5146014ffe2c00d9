/* Drives whose value or rate jumps: a crank is led, an arm hangs on its end. */
#include "support/run_model.h"

#define PLANE                                                                                      \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  crank: {type: rigid, mass: 0.3, inertia: [1e-4, 1e-3, 1e-3], com: [0.1, 0, 0]}\n"           \
    "  arm: {type: rigid, mass: 0.8, inertia: [1e-4, 1e-2, 1e-2], position: [0.2, 0, 0],\n"        \
    "        com: [0.1, 0, 0]}\n"                                                                  \
    "outputs: {angle: joint(main), w: rate(main), w2: rate(pin), E: energy.kinetic}\n"             \
    "joints:\n"                                                                                    \
    "  pin: {type: revolute, between: [crank, arm], axis: z, at: [0.2, 0, 0]}\n"                   \
    "  main: {type: revolute, between: [ground, crank], axis: z, drive: \""
#define END "\"}\n"

static const char *const methods[] = {"radau", "generalized-alpha", "newmark", "bdf", "explicit"};
static const char *const forms[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
enum { METHODS = 5, FORMS = 5 };

typedef struct result {
    limber_status status;
    char first[1000]; /* message */
    int messages;
} result;

static void write_text(char *all, size_t size, const char *drive, const char *method)
{
    snprintf(all, size,
             "%s%s%sanalysis: {type: dynamics, until: 1, output_step: 0.1, tolerance: 1e-7, "
             "method: %s}\n",
             PLANE, drive, END, method);
}

static result run(const char *drive, const char *method, const char *form)
{
    char all[3000];
    limber_messages *msg = limber_messages_new();
    limber_run_options opt = limber_run_options_default();
    limber_model *model = NULL;
    limber_summary sum;
    result r = {0};
    write_text(all, sizeof all, drive, method);
    opt.formulation = form;
    assert_int_equal(limber_model_parse(all, strlen(all), "crank", NULL, &model, msg), LIMBER_OK);
    r.status = limber_run(model, &opt, &sum, msg);
    r.messages = limber_messages_count(msg);
    if (r.messages) snprintf(r.first, sizeof r.first, "%s", limber_messages_get(msg, 0).text);
    limber_model_free(model);
    limber_messages_free(msg);
    return r;
}

/* Each spelling of a value that jumps, and where. */
static void jumps_are_refused(void **state)
{
    static const struct {
        const char *drive, *says;
    } of[] = {
        {"mod(2*t, 1.1)", "jumps from 1.1 to 0 at t = 0.55"},
        {"floor(3*t^2)", "jumps from 0 to 1 at t = 0.57735"},
        {"if(t > 0.55, 1, 0)", "jumps from 0 to 1 at t = 0.55"},
        {"if(sin(7*t) > 0.3, 0, 1)", "jumps from 1 to 0 at t = 0.0435275"},
        {"t + 0.2*(t*t > 0.3)", "at t = 0.547723"},
        {"sign(t - 0.4)", "jumps from -1 to 1 at t = 0.4"},
        {"if(t > 0, 1, 0)", "jumps from 0 to 1 at t = 0"},
        {"if(t >= 1, 1, t)+if(t >= 1, 1, 0)", "jumps from 1 to 2 at t = 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int f = 0; f < FORMS; f++) {
            result r = run(of[i].drive, methods[i % METHODS], forms[f]);
            assert_int_equal(r.status, LIMBER_INPUT);
            if (!strstr(r.first, "joint 'main': its drive jumps") || !strstr(r.first, of[i].says))
                fail_msg("%s: '%s' is not in: %s", of[i].drive, of[i].says, r.first);
        }
}

/* What does not jump is not said to: fast, steep, with corners of higher order, behind the end. */
static void smooth_drives_pass(void **state)
{
    static const char *const drive[] = {
        "sin(300*t)",         "step(t, 0.1, 0, 0.4, 1)", "abs(t - 0.3)^2.5", "if(t > 1, 1, 0)",
        "pwl(t, 0, 0, 1, 1)", "max(0, t - 0.35)^2",      "1e6 + t",          "0.7",
        "1e3+1e-6*sin(t)",    "100 + 1e-6*sin(t)",       "1 + 1e-9*sin(t)",  "1e5 + 1e-3*sin(10*t)",
        "1e6 + 0.1*t"};
    (void)state;
    for (size_t i = 0; i < sizeof drive / sizeof *drive; i++) {
        result r = run(drive[i], "radau", "corotational");
        if (r.status || r.messages) fail_msg("%s: %s", drive[i], r.first);
    }
}

static table run_table(const char *drive, const char *method, const char *form)
{
    char all[3000];
    write_text(all, sizeof all, drive, method);
    return run_model(&(run_how){.text = all, .formulation = form});
}

/* The crank stops at once: about the pin the arm keeps its momentum, J w + m c (r w + c w) = (J + m c^2) w2. The
 * corner of the second is not at an instant that its expression announces. */
static void impulses(void **state)
{
    static const char *const drive[] = {"pwl(t, 0, 0, 0.55, 0.55, 2, 0.55)",
                                        "min(t^2, 0.3025)/1.1 + 0*t"};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int m = 0; m < METHODS; m++)
            for (int f = 0; f < FORMS; f++) {
                table r = run_table(drive[k], methods[m], forms[f]);
                double w2 = table_last(&r, "w2");
                if (k == 0) assert_near(w2, 0.034 / 0.018, 2e-5);
                assert_near(table_last(&r, "E"), 0.5 * 0.018 * w2 * w2, 1e-7);
                assert_near(table_last(&r, "angle"), drive[k][0] == 'p' ? 0.55 : 0.275, 1e-7);
                assert_under(r.sum.energy_error, 1e-4);
                table_free(&r);
                result said = run(drive[k], methods[m], forms[f]);
                assert_non_null(strstr(said.first, "joint 'main': the rate of its drive jumps"));
                assert_non_null(strstr(said.first, "to 0 at t = 0.55"));
            }
}

/* A corner at the end or at the start changes nothing. */
static void corners_at_the_ends(void **state)
{
    static const char *const drive[] = {"pwl(t, 0, 0, 1, 1)", "max(0, t)", "abs(t)",
                                        "min(t^2, 1)/2 + t/2"};
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < METHODS; m++)
            for (int f = 0; f < FORMS; f++) {
                table r = run_table(drive[k], methods[m], forms[f]);
                assert_int_equal(r.rows, 11);
                assert_near(table_last(&r, "t"), 1, 0);
                assert_near(table_last(&r, "angle"), 1, 1e-9);
                assert_near(table_first(&r, "w"), k == 3 ? 0.5 : 1, 1e-9);
                assert_near(table_last(&r, "w"), k == 3 ? 1.5 : 1, 1e-7);
                table_free(&r);
            }
}

/* The acceleration is infinite at the beginning, but not the rate: all methods go through, with the same motion, and
 * say so. In the middle of the run, and at its start. */
static void infinite_accelerations(void **state)
{
    static const char *const drive[] = {"max(0, t - 0.4)^1.5", "0.5*max(0, t - 0.4)^1.8", "t^1.5"};
    static const char *const where[] = {"at t = 0.4,", "at t = 0.4,", "at t = 0,"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        table same = run_table(drive[k], "explicit", "corotational");
        double w2 = table_last(&same, "w2"), angle = table_last(&same, "angle");
        table_free(&same);
        for (int m = 0; m < METHODS; m++)
            for (int f = 0; f < FORMS; f++) {
                if (k == 2 && f == 2) continue; /* the rigid motion of elastodynamic begins at 0 */
                table r = run_table(drive[k], methods[m], forms[f]);
                assert_near(table_last(&r, "angle"), angle, 1e-7);
                assert_near(table_last(&r, "w2"), w2, 1e-5);
                table_free(&r);
                result said = run(drive[k], methods[m], forms[f]);
                assert_non_null(
                    strstr(said.first, "joint 'main': the acceleration of its drive grows"));
                assert_non_null(strstr(said.first, where[k]));
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_are_refused),
        cmocka_unit_test(smooth_drives_pass),
        cmocka_unit_test(impulses),
        cmocka_unit_test(corners_at_the_ends),
        cmocka_unit_test(infinite_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
