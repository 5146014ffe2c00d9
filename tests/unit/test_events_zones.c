/* Zones of force that are passed at speed: however narrow, by every method and with rows however far apart, the
 * work done in them is the change of energy. */
#include "support/file_runs.h"

static const char *const methods[] = {"radau", "generalized-alpha", "newmark", "bdf", "explicit"};
static const double rows[] = {0.5, 0.1, 0.013};
enum { METHODS = 5, BDF = 3, ROWS = 3 };

static double last_number(const char *csv)
{
    const char *p = strrchr(csv, ',');
    return p ? strtod(p + 1, NULL) : NAN;
}

static double speed_at_end(const char *mass, const char *effort, double rate, const char *analysis)
{
    char text[1000], results[SCRATCH_PATH], csv[SCRATCH_PATH];
    limber_summary sum;
    snprintf(text, sizeof text,
             "limber: 1\n"
             "bodies: {m: {type: rigid, mass: %s, inertia: [1, 1, 1]}}\n"
             "joints: {g: {type: prismatic, between: [ground, m], axis: x, effort: \"%s\"}}\n"
             "initial: {g: {rate: %g}}\n"
             "analysis: {type: dynamics, %s}\n"
             "outputs: {v: rate(g)}\n",
             mass, effort, rate, analysis);
    limber_model *model = model_of_text(text);
    file_run into = {0};
    assert_int_equal(run_into_files(model, &into, &sum), LIMBER_OK);
    limber_model_free(model);
    file_run_paths(results, csv);
    char *all = file_read(csv, NULL);
    double v = last_number(all);
    free(all);
    return v;
}

/* Speed at the end of a mass of 2 that starts at 0 with 1.7. */
static double speed_behind(const char *effort, const char *method, double row)
{
    char how[100];
    snprintf(how, sizeof how, "until: 2, output_step: %g, method: %s", row, method);
    return speed_at_end("2", effort, 1.7, how);
}

/* The force F over a length 2w with 2 F w = 0.3: v^2 = 1.7^2 + 0.3. bdf holds positions to its tolerance, which
 * are those at which the force begins and ends. */
static void check_zone(const char *how, double w)
{
    char effort[200];
    double exact = sqrt(1.7 * 1.7 + 0.3);
    snprintf(effort, sizeof effort, how, w, w, 0.15 / w);
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < ROWS; k++) {
            double off = fabs(speed_behind(effort, methods[m], rows[k]) - exact);
            if (!(off < (m == BDF ? 3e-4 : 3e-10)))
                fail_msg("%s, rows each %g: '%s' is %.3g off", methods[m], rows[k], effort, off);
        }
}

static void zones(void **state)
{
    static const char *const how[] = {
        "if(abs(joint(g) - 1.2) < %.9g, 0*%.9g + %.12g, 0)",
        "if(joint(g) > 1.2 - %.9g and joint(g) < 1.2 + %.9g, %.12g, 0)",
        "if((joint(g) - 1.2)^2 < %.9g*%.9g, %.12g, 0)"}; /* its guard shows no change at a corner */
    (void)state;
    for (int i = 0; i < 3; i++)
        for (double w = 1e-1; w > 0.9e-6; w *= 0.1) check_zone(how[i], w);
}

/* A mass of 1 with the speed 1 meets a force that takes `work` over a length w from 0.5 on, in runs so long that
 * the steps that nothing else asks for would be 10^6 times as long as the force would take to throw it back. */
static void check_far_end(const char *how, int runs, double w, double work, double exact)
{
    static const double until[] = {4, 600, 3600};
    char effort[200];
    snprintf(effort, sizeof effort, how, w, work / w, w);
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < runs; k++) {
            char analysis[100];
            snprintf(analysis, sizeof analysis,
                     "until: %g, output_step: %g, tolerance: 1e-7, method: %s", until[k], until[k],
                     methods[m]);
            double off = fabs(speed_at_end("1", effort, 1, analysis) - exact);
            if (!(off < 1e-6)) fail_msg("%s, '%s': %.3g off", analysis, effort, off);
        }
}

static void far_ends(void **state)
{
    static const char *const even =
        "if(joint(g) > 0.5 and joint(g) < 0.5 + %.3g, -(%.9g) + 0*%.3g, 0)";
    static const char *const wedge =
        "if(joint(g) > 0.5 and joint(g) < 0.5 + %.3g, -2*(%.9g)*(joint(g) - 0.5)/%.3g, 0)";
    (void)state;
    for (double w = 1e-5; w > 0.9e-8; w *= 0.1) {
        check_far_end(even, 3, w, 0.1, sqrt(0.8));
        check_far_end(even, 3, w, 0.4, sqrt(0.2));
        check_far_end(even, 3, w, -0.4, sqrt(1.8));
        check_far_end(even, 3, w, 0.6, -1); /* it does not come through */
    }
    for (double w = 1e-5; w > 0.9e-6; w *= 0.1) { /* steps are not smaller than 10^-13 of the run */
        check_far_end(wedge, 2, w, 0.1, sqrt(0.8));
        check_far_end(wedge, 2, w, 0.4, sqrt(0.2));
    }
}

/* A mass of 2 with the speed 1 passes what lies between two places at which guards are looked at: hats whose ends
 * change none by themselves, zones of which the guard only just passes zero, ends that fall on the places. The force
 * may be zero at both ends of a step. The speed is that of the work. */
static void between_places(void **state)
{
    double c = 0.99999999, d = acos(c) / acos(-1.);
    const struct {
        const char *effort;
        double work;
    } of[] = {{"pwl(joint(g), 3,0, 3.05,20, 3.1,0)", 1},
              {"pwl(joint(g), 3,0, 3.0005,2000, 3.001,0)", 1},
              {"1e9*max(0, joint(g) - 3)*max(0, 3.001 - joint(g))", 1. / 6},
              {"1e12*max(0, sin(joint(g)*pi) - 0.99999999)*(joint(g) < 2)",
               1e12 * 2 * (sin(acos(-1.) * d) / acos(-1.) - c * d)},
              {"if(mod(joint(g), 2) > 1.999, 1000, 0)*(joint(g) < 9)", 4},
              {"if(mod(joint(g), 2) > 1.9, 1000, 0)*(joint(g) < 9)", 400},
              {"if(mod(joint(g) - 0.25, 0.5) > 0.49, 100, 0)*(joint(g) < 1)", 2}};
    static const double row[] = {1, 10, 0.7};
    (void)state;
    for (int i = 0; i < 7; i++)
        for (int m = 0; m < METHODS; m++)
            for (int k = 0; k < 3; k++) {
                char how[100];
                snprintf(how, sizeof how, "until: 10, output_step: %g, method: %s", row[k],
                         methods[m]);
                double exact = sqrt(1 + of[i].work);
                double off = fabs(speed_at_end("2", of[i].effort, 1, how) - exact);
                if (!(off < 1e-4 * exact)) fail_msg("%s, '%s': %.3g off", how, of[i].effort, off);
            }
}

/* Force is zero at both ends of a zone and curved in it, so that a step from one end to the other sees none; a mass of
 * 2 passes one every metre, and each does the work 4/3 A W. As an effort, and as a signal. */
static void check_passes(double A, double W, double until, const char *method, int as_signal)
{
    char force[200], how[500];
    double work = 4. / 3 * A * W, v = sqrt(9 + work), t = 0.5 / 3, start = 3;
    while (t < until) t += 1 / v, start = v, v = sqrt(v * v + work);
    snprintf(force, sizeof force, "%g*max(0, 1 - ((mod(joint(g), 1) - 0.5)/%g)^2)", A, W);
    int n = snprintf(how, sizeof how, "until: %g, method: %s", until, method);
    if (as_signal)
        snprintf(how + n, sizeof how - (size_t)n, "}\nblocks: {F: {type: signal, value: \"%s\"}",
                 force);
    double off = fabs(speed_at_end("2", as_signal ? "F" : force, 3, how) - start) / (start - 3);
    if (!(off < 1e-3)) fail_msg("%s, '%s': %.3g of the gain off", how, force, off);
}

static void passes(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        check_passes(30, 1e-3, 60, methods[m], 0);
        check_passes(300, 1e-4, 20, methods[m], 0);
        check_passes(300, 1e-5, 20, methods[m], 0);
        check_passes(300, 1e-4, 20, methods[m], 1);
    }
}

/* A mass of 2 falls 1 onto a stiff stop, again and again: after 22 contacts it stands at its highest place. In contact
 * the depth is g/w^2 (1 - cos(w s)) + u/w sin(w s). */
static void contacts(void **state)
{
    double g = 9.81, fall = sqrt(2 / g), pi = acos(-1.);
    (void)state;
    for (double k = 1e6; k < 2e8; k *= 1e2) {
        double w = sqrt(k / 2), contact = 2 * (pi - atan(g * fall * w / g)) / w;
        char effort[100], how[100];
        snprintf(effort, sizeof effort, "max(0, -%g*(joint(g) + 1)) - 19.62", k);
        for (int m = 0; m < METHODS; m++) {
            snprintf(how, sizeof how, "until: %.12g, method: %s", 22 * (2 * fall + contact),
                     methods[m]);
            double off = fabs(speed_at_end("2", effort, 0, how));
            if (!(off < 5e-3)) fail_msg("%s, '%s': %.3g off", how, effort, off);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("events_zones");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(zones), cmocka_unit_test(far_ends),
                                       cmocka_unit_test(between_places), cmocka_unit_test(passes),
                                       cmocka_unit_test(contacts)};
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
