/* Smooth forces in narrow zones of the state that are passed at speed, with no option set: by every method the work
 * done in them is the change of energy. */
#include "support/file_runs.h"

static const char *const methods[] = {"radau", "generalized-alpha", "newmark", "bdf", "explicit"};
enum { METHODS = 5 };

static double last_number(const char *csv)
{
    const char *p = strrchr(csv, ',');
    return p ? strtod(p + 1, NULL) : NAN;
}

/* Speed at the end of a mass of 2 that starts at 0 with 1.7; `more`: loads or blocks. */
static double speed_behind(const char *effort, const char *more, const char *analysis,
                           limber_summary *sum)
{
    char text[2000], results[SCRATCH_PATH], csv[SCRATCH_PATH];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "bodies: {m: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
             "joints: {g: {type: prismatic, between: [ground, m], axis: x%s}}\n"
             "%sinitial: {g: {rate: 1.7}}\n"
             "analysis: {type: dynamics, until: 2, output_step: 0.5, %s}\n"
             "outputs: {v: rate(g)}\n",
             effort, more, analysis);
    limber_model *model = model_of_text(text);
    file_run into = {0};
    assert_int_equal(run_into_files(model, &into, sum), LIMBER_OK);
    limber_model_free(model);
    file_run_paths(results, csv);
    char *all = file_read(csv, NULL);
    double v = last_number(all);
    free(all);
    return v;
}

/* Of the impulse of a force that does the work 0.3. */
static double error_of(double v)
{
    double exact = sqrt(1.7 * 1.7 + 0.3);
    return fabs(v - exact) / (exact - 1.7);
}

/* Bells, smooth rectangles, and hats about 1.2 of the width w that do the work 0.3. */
static const char *const bells[] = {
    "%.12g/sqrt(pi)*exp(-((x - 1.2)/%.12g)^2)", "%.12g*2/pi/(1 + ((x - 1.2)/%.12g)^2)^2",
    "%.12g*(step((x - 1.2)/%.12g, 0,0, 1,1) - step((x - 1.2)/W, 1,0, 2,1))",
    "%.12g/2*(tanh((x - 1.2)/%.12g) - tanh((x - 1.2)/W - 1))",
    "(x > 0.3)*%.12g/sqrt(pi)*exp(-((x - 1.2)/%.12g)^2)"};

static void put_bell(char *out, size_t size, int k, double w, const char *place)
{
    char text[200];
    size_t n = 0;
    snprintf(text, sizeof text, bells[k], 0.3 / w, w);
    for (const char *p = text; *p; p++) {
        int inside = p > text && p[-1] == 'e';
        if (*p == 'x' && !inside)
            n += (size_t)snprintf(out + n, size - n, "%s", place);
        else if (*p == 'W')
            n += (size_t)snprintf(out + n, size - n, "%.12g", w);
        else
            n += (size_t)snprintf(out + n, size - n, "%c", *p);
    }
}

static void spellings(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++)
        for (double w = 1e-2; w > 0.9e-5; w *= 0.1)
            for (int m = 0; m < METHODS; m++) {
                char bell[400], effort[500], how[60];
                limber_summary sum;
                put_bell(bell, sizeof bell, k, w, "joint(g)");
                snprintf(effort, sizeof effort, ", effort: \"%s\"", bell);
                snprintf(how, sizeof how, "method: %s", methods[m]);
                double off = error_of(speed_behind(effort, "", how, &sum));
                if (!(off < 1.5e-3)) fail_msg("%s, '%s': %.3g off", methods[m], bell, off);
            }
}

static void loads_and_signals(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        char bell[400], more[500], how[60];
        limber_summary sum;
        snprintf(how, sizeof how, "method: %s", methods[m]);
        put_bell(bell, sizeof bell, 0, 1e-3, "pos(m).x");
        snprintf(more, sizeof more, "loads: {f: {on: m, force: [\"%s\", 0, 0]}}\n", bell);
        double load = error_of(speed_behind("", more, how, &sum));
        put_bell(bell, sizeof bell, 0, 1e-3, "joint(g)");
        snprintf(more, sizeof more, "blocks: {F: {type: signal, value: \"%s\"}}\n", bell);
        double signal = error_of(speed_behind(", effort: F", more, how, &sum));
        if (!(load < 1e-3 && signal < 1e-3))
            fail_msg("%s: load %.3g, signal %.3g off", methods[m], load, signal);
    }
}

/* The error goes with the tolerance, where the method has a high order. */
static void tolerances(void **state)
{
    (void)state;
    for (double tolerance = 1e-4; tolerance > 0.9e-8; tolerance *= 1e-2) {
        char bell[400], effort[500], how[60];
        limber_summary sum;
        put_bell(bell, sizeof bell, 0, 1e-3, "joint(g)");
        snprintf(effort, sizeof effort, ", effort: \"%s\"", bell);
        snprintf(how, sizeof how, "method: radau, tolerance: %g", tolerance);
        double off = error_of(speed_behind(effort, "", how, &sum));
        if (!(off < fmax(tolerance, 1e-8))) fail_msg("%s: %.3g off", how, off);
    }
}

/* A force that changes as slowly as the motion asks for no steps of its own. */
static void wide_forces(void **state)
{
    limber_summary curved, straight;
    (void)state;
    speed_behind(", effort: \"0.2*sin(joint(g)/3)\"", "", "method: radau", &curved);
    speed_behind(", effort: 0.2*joint(g)/3", "", "method: radau", &straight);
    assert_true(curved.steps <= straight.steps + 5);
    assert_int_equal(curved.rejected, straight.rejected);
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("events_narrow");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spellings),
                                       cmocka_unit_test(loads_and_signals),
                                       cmocka_unit_test(tolerances), cmocka_unit_test(wide_forces)};
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
