/* Forces of time that act briefly on a body at rest or in uniform motion deliver their impulse: however they are
 * written, by every method and with rows however far apart (docs/theory/events.md). */
#include "expr/expr_resolve.h"
#include "support/file_runs.h"

#include <math.h>

#define ROOT_PI 1.77245385090551602730

/* ---- the search ---- */

static lm_symbol symbol(void *ctx, const char *name, double *value, int *slot)
{
    (void)ctx, (void)value;
    *slot = LM_SLOT_T;
    return strcmp(name, "t") == 0 ? LM_SYM_SLOT : LM_SYM_NONE;
}

static lm_resolution resolve(const char *text, double until)
{
    lm_arena arena = {0};
    lm_diag diag = {0};
    lm_expr e = {0};
    lm_expr_env env = {.symbol = symbol};
    lm_resolution r;
    assert_int_equal(lm_expr_parse(&arena, &diag, &env, text, (lm_loc){0}, &e), 0);
    assert_int_equal(lm_expr_resolve(&e, until, &r), 0);
    assert_true(r.complete);
    lm_arena_free(&arena);
    return r;
}

static void corners(void **state)
{
    double first = asin(0.9);
    (void)state;
    lm_resolution r = resolve("max(0, sin(t) - 0.9)", 7);
    assert_int_equal(r.ncorners, 2);
    assert_near(r.corner[0], first, 1e-15);
    assert_near(r.corner[1], 3.14159265358979323846 - first, 2e-15);
    lm_resolution_free(&r);
    r = resolve("floor(t*t)", 2); /* at the roots of 1, 2, 3 */
    assert_int_equal(r.ncorners, 3);
    for (int i = 0; i < 3; i++) assert_near(r.corner[i], sqrt(1.0 + i), 1e-15);
    lm_resolution_free(&r);
    r = resolve("if(t < 1, 0, abs(cos(t)))", 1.5);
    assert_int_equal(r.ncorners, 0);
    lm_resolution_free(&r);
    r = resolve("if(t < 2, 0, abs(cos(t))) + if(t < 2, 0, 1)*abs(cos(t))",
                3); /* pi/2 has no part */
    assert_int_equal(r.ncorners, 0);
    lm_resolution_free(&r);
    r = resolve("if(floor(t*t) == 3, 1, 0)", 2.2); /* equality does not hide what jumps in it */
    assert_int_equal(r.ncorners, 4);
    lm_resolution_free(&r);
    r = resolve("max(0, 1 - ((t - 7)/1e-3)^4)", 2000); /* from -1e25 */
    assert_int_equal(r.ncorners, 2);
    assert_near(r.corner[0], 6.999, 1e-14);
    assert_near(r.corner[1], 7.001, 1e-14);
    lm_resolution_free(&r);
    r = resolve("if(cos(t) > 0.9999995, 1, 0)", 6); /* one instant but for rounding */
    assert_int_equal(r.ncorners, 2);
    assert_true(cos(r.corner[0]) > 0.9999995 && cos(r.corner[1]) < 0.9999995);
    assert_near(r.corner[1], r.corner[0], 1e-11);
    lm_resolution_free(&r);
    r = resolve("pwl(t*t, 0,0, 1,0, 1.0002,1, 1.0004,0)", 3);
    assert_int_equal(r.ncorners, 3);
    assert_near(r.corner[1], sqrt(1.0002), 1e-15);
    lm_resolution_free(&r);
}

/* No step from anywhere goes over a bell curve whose width is a ten-millionth of the run: alone, and before and
 * behind a corner that is found in the same piece. */
static void bells(void **state)
{
    static const char *const text[] = {
        "exp(-((t - 37.123)/1e-5)^2)",
        "max(0, t*t - 1) + exp(-((t - 37.123)/1e-5)^2)",
        "max(0, t*t - 6400) + exp(-((t - 37.123)/1e-5)^2)",
    };
    double w = 1e-5, at = 37.123;
    (void)state;
    for (int k = 0; k < 3; k++) {
        lm_resolution r = resolve(text[k], 100);
        assert_int_equal(r.ncorners, k > 0);
        assert_true(r.ncells < 400);
        assert_near(r.end[r.ncells - 1], 100, 0);
        for (double t = 0; t < at - 5 * w;
             t = fmin(t + 0.01, lm_resolution_reach(&r, t, 2) + 1e-12))
            assert_true(lm_resolution_reach(&r, t, 2) < at + w);
        for (double t = at - 2 * w; t < at + 2 * w; t += 0.1 * w)
            assert_true(lm_resolution_reach(&r, t, 2) < t + 2 * w);
        lm_resolution_free(&r);
    }
}

/* ---- runs ---- */

typedef struct pulse {
    const char *effort, *more;
    double until, impulse;
} pulse;

static const pulse pulses[] = {
    {"if(t > 31.4 and t < 31.40001, 1e5, 0)", "", 100, 1},
    {"if(t > 3, if(cos(t) > 0.999, if(t < 7, 5, 0), 0), 0)", "", 10, 0.44725},
    {"1e3*step(t, 3, 0, 3.001, 1)*step(t, 3.001, 1, 3.002, 0)", "", 10, 1},
    {"1e4*spline(t, 0,0, 2,0, 2.001,1, 2.002,0, 10,0)", "", 10, NAN},
    {"1e3*pwl(t, 2,0, 2.001,1, 2.003,0)", "", 10, 1.5},
    {"pwl(sin(t), -1,0, 0.99,0, 0.995,1, 1,0)", "", 10, NAN},
    {"max(0, sin(5*t) - 0.9)", "", 20, 0.191780887921618404},
    {"1e6*max(0, min(t - 3, 3.001 - t))", "", 10, 0.25},
    {"1e3*max(0, 1 - abs(t - 3)/1e-4)", "", 10, 0.1},
    {"if(mod(t*t, 7) < 0.01, 100, 0)", "", 10, NAN},
    {"if(floor(t*t) == 30, 1, 0)", "", 10, 0.0905388},
    {"1e3*exp(-((t - 3)/1e-3)^2)", "", 10, ROOT_PI},
    {"1e3*exp(-((mod(t, 2) - 1)/1e-3)^2)", "", 6, 3 * ROOT_PI},
    {"1e3*exp(-((10 - t)/1e-3)^2)", "", 10, ROOT_PI / 2},
    {"exp(-((t - 3)/1e-2)^2)*sin(400*t)^2", "", 10, NAN},
    {"sin(t)^200", "", 10, NAN},
    {"s3",
     "blocks: {s1: {type: signal, value: 'mod(t, 5)'}, s2: {type: lookup, input: s1, points: "
     "[[0, 0], [2, 0], [2.00001, 1e5], [2.00003, 1e5], [2.00004, 0], [5, 0]]}, "
     "s3: {type: gain, input: s2, gain: 2}}\n",
     10, 12},
    {"5*w",
     "blocks: {s: {type: signal, value: 'exp(-((t - 3)/1e-3)^2)'}, "
     "w: {type: switch, input: s, on: 0.6, off: 0.5, values: [0, 1]}}\n",
     9, NAN},
    {"5*d", "blocks: {d: {type: delay, input: 'if(t > 1 and t < 1.001, 1000, 0)', time: 2}}\n", 9,
     5},
    {"100*max(0, 1 - ((t - 7)/1e-3)^2)", "", 2000, 0.4 / 3},
    {"1e6*max(0, 1e-6 - (t - 777.7)^2)", "", 2000, 4e-3 / 3},
    {"1e15*max(0, 1e-6 - (t - 77.7)^2)^3", "", 200, 32e-6 / 35},
    {"1000*max(0, 1 - ((t - 7.3)/1e-3)^4)", "", 100, 1.6},
    {"1e12*max(0, 1e-11 - 2*sin(pi*t/500)^2)", "", 2000, 0.0189803344911342},
    {"if(cos(0.01*t) > 0.9999995, 10, 0)", "", 2000, NAN},
    {"d2",
     "blocks: {p: {type: signal, value: '100*max(0, 1 - ((t - 7)/1e-2)^2)'}, "
     "d1: {type: delay, input: p, time: 300, initial: 0}, "
     "d2: {type: delay, input: 2*d1 + p, time: 500}}\n",
     2000, 4},
    {"d2",
     "blocks: {d2: {type: delay, input: d1, time: 5}, p: {type: signal, value: 't < 0.5'}, "
     "d1: {type: delay, input: p, time: 3, initial: 2}}\n",
     9, 16.5},
};
enum { PULSES = sizeof pulses / sizeof pulses[0] };

/* What the others come to: by 1D integrals. */
static double impulse_of(int i)
{
    const pulse *p = &pulses[i];
    double sum = 0;
    if (strncmp(p->effort, "if(t > 3,", 9) == 0) return 10 * acos(0.999);
    if (strncmp(p->effort, "if(floor", 8) == 0) return sqrt(31) - sqrt(30);
    if (strncmp(p->effort, "if(mod", 6) == 0) {
        for (int k = 0; k < 15; k++) sum += 100 * (sqrt(7 * k + 0.01) - sqrt(7 * k));
        return sum;
    }
    if (strncmp(p->effort, "if(cos", 6) == 0) return 7000 * acos(0.9999995);
    if (strcmp(p->effort, "5*w") == 0) return 5e-3 * (sqrt(log(2)) + sqrt(-log(0.6)));
    return p->impulse; /* NAN: as the first run says */
}

static const struct {
    const char *name, *tolerance;
    double off;
} methods[] = {{"radau", "1e-8", 1e-6},
               {"bdf", "1e-4", 1e-6},
               {"explicit", "1e-8", 1e-6},
               {"generalized-alpha", "1e-4", 1e-6}, /* of second order, at the default tolerance */
               {"newmark", "1e-4", 1e-6}};
enum { METHODS = 5 };

static double last_number(const char *csv)
{
    const char *p = strrchr(csv, ',');
    return p ? strtod(p + 1, NULL) : NAN;
}

/* Momentum at the end of a mass of 2 that starts with the speed v. */
static double momentum(const pulse *p, int method, double row, double v)
{
    char text[2000], results[SCRATCH_PATH], csv[SCRATCH_PATH];
    limber_summary sum;
    snprintf(
        text, sizeof text,
        "limber: 1\n"
        "bodies: {m: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
        "joints: {g: {type: prismatic, between: [ground, m], axis: x, effort: \"%s\"}}\n"
        "initial: {g: {rate: %.17g}}\n%s"
        "analysis: {type: dynamics, until: %g, output_step: %.17g, method: %s, tolerance: %s}\n"
        "outputs: {v: rate(g)}\n",
        p->effort, v, p->more, p->until, row, methods[method].name, methods[method].tolerance);
    limber_model *model = model_of_text(text);
    file_run into = {0};
    limber_status st = run_into_files(model, &into, &sum);
    if (st != LIMBER_OK)
        fail_msg("%s, rows each %g: '%s': %s", methods[method].name, row, p->effort, sum.reason);
    limber_model_free(model);
    file_run_paths(results, csv);
    char *all = file_read(csv, NULL);
    double end = last_number(all);
    free(all);
    return 2 * end;
}

static void check(int i, int method, double row, double v, double *exact)
{
    double got = momentum(&pulses[i], method, row, v) - 2 * v;
    if (isnan(*exact)) *exact = got;
    /* the natural spline swings over the whole run: that is followed to the tolerance by low order */
    int low = method >= 3 && strstr(pulses[i].effort, "spline") != NULL;
    double off = low ? 1e-4 : methods[method].off;
    /* errors are over all of the motion */
    if (!(fabs(got - *exact) <= off * (fabs(*exact) + 2 * v)))
        fail_msg("%s, rows each %g: '%s' delivers %.10g, not %.10g", methods[method].name, row,
                 pulses[i].effort, got, *exact);
}

static void delivered(void **state)
{
    (void)state;
    for (int i = 0; i < PULSES; i++) {
        double exact = impulse_of(i), until = pulses[i].until;
        for (int m = 0; m < METHODS; m++)
            for (int k = 0; k < 3; k++)
                check(i, m, k == 0 ? until : k == 1 ? until / 10 : until / 500, 0, &exact);
    }
}

static void in_uniform_motion(void **state)
{
    (void)state;
    for (int i = 0; i < PULSES; i++) {
        double exact = impulse_of(i);
        for (int m = 0; m < METHODS; m++) check(i, m, pulses[i].until, 0.5, &exact);
    }
}

/* ---- other places than the effort of a joint ---- */

static double end_of(const char *text, const char *said)
{
    char results[SCRATCH_PATH], csv[SCRATCH_PATH];
    limber_summary sum;
    limber_model *model = model_of_text(text);
    file_run into = {0};
    limber_status st = run_into_files(model, &into, &sum);
    if (st != LIMBER_OK) fail_msg("%s: %s", said, sum.reason);
    limber_model_free(model);
    file_run_paths(results, csv);
    char *all = file_read(csv, NULL);
    double end = last_number(all);
    free(all);
    return end;
}

/* On a body that nothing holds, and on states of machines, all of which stand until then. The impulse is 1/2. */
static void places(void **state)
{
    static const char *const models[] = {
        "bodies: {m: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
        "loads: {p: {on: m, force: [\"%s\", 0, 0]}}\noutputs: {v: vel(m).x}\n",
        "power: {j: {type: 1, domain: translation}, e: {type: Se, effort: \"%s\", on: j}, "
        "m: {type: I, inertia: 2, on: j}}\noutputs: {v: flow(m)}\n",
        "blocks: {p: {type: integrator, input: \"0.5*%s\"}}\noutputs: {v: p}\n"};
    static const char *const forces[] = {
        "1e3*step(t, 3, 0, 3.0005, 1)*step(t, 3.0005, 1, 3.001, 0)",
        "1e3*step(t, 0, 0, 0.0005, 1)*step(t, 0.0005, 1, 0.001, 0)",
        "1250*max(0, 1 - abs(t - 3)/0.0005)^1.5", "if(t > 0 and t < 0.001, 500, 0)"};
    static const char *const tolerances[] = {"1e-4", "1e-8"};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int f = 0; f < 4; f++)
            for (int m = 0; m < METHODS; m++)
                for (int k = 0; k < 2; k++) {
                    char model[800], text[1200], said[200];
                    int order2 = m == 3 || m == 4;
                    if (k && order2) continue; /* takes its time */
                    snprintf(model, sizeof model, models[i], forces[f]);
                    snprintf(text, sizeof text,
                             "limber: 1\n%sanalysis: {type: dynamics, until: 7, output_step: 7, "
                             "method: %s, tolerance: %s}\n",
                             model, methods[m].name, tolerances[k]);
                    snprintf(said, sizeof said, "%s %s, %d: '%s'", methods[m].name, tolerances[k],
                             i, forces[f]);
                    double v = end_of(text, said);
                    if (!(fabs(v - 0.25) <= 1e-6 * 0.25)) fail_msg("%s gives %.10g", said, v);
                }
}

/* A coil behind a resistance, whose current decays behind a brief voltage: it is measured by what the voltage
 * makes of it, and not by what it would until the next row. */
static void current(void **state)
{
    double exact = 500 * (exp(4e-3) - 1) * exp(-2);
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 3; k++) {
            char text[600], said[100];
            snprintf(
                text, sizeof text,
                "limber: 1\npower: {j: {type: 1, domain: electric}, e: {type: Se, effort: "
                "\"if(t > 99.5 and t < 99.501, 1000, 0)\", on: j}, r: {type: R, resistance: 2, "
                "on: j}, m: {type: I, inertia: 0.5, on: j}}\noutputs: {i: flow(m)}\n"
                "analysis: {type: dynamics, until: 100, output_step: %d, method: %s}\n",
                k == 0   ? 1
                : k == 1 ? 10
                         : 100,
                methods[m].name);
            snprintf(said, sizeof said, "%s, rows %d", methods[m].name, k);
            double i = end_of(text, said);
            if (!(fabs(i - exact) <= 1e-4)) fail_msg("%s: %.10g, not %.10g", said, i, exact);
        }
}

/* An integral of the integral of a constant force: its first step, behind the jump, is no worse than
 * the others. */
static void twice(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 2; k++) {
            char text[600];
            snprintf(text, sizeof text,
                     "limber: 1\nblocks: {v: {type: integrator, input: \"if(t > 2.5, 1000, 0)\"}, "
                     "x: {type: integrator, input: v}}\noutputs: {x: x}\n"
                     "analysis: {type: dynamics, until: 2.502, output_step: %g, method: %s}\n",
                     k ? 2.502 : 0.05, methods[m].name);
            double x = end_of(text, methods[m].name);
            double off = m == 3 ? 1e-4 : 3e-6; /* steps that grow are to the tolerance */
            if (!(fabs(x - 2e-3) <= off * 2e-3)) fail_msg("%s: %.10g", methods[m].name, x);
        }
}

/* A state whose rate sets in late in a long run: not as its first traces ask. */
static void late(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        char text[500];
        snprintf(text, sizeof text,
                 "limber: 1\nblocks: {v: {type: integrator, input: "
                 "\"100*max(0, 1 - ((t - 7)/1e-3)^2)\"}}\noutputs: {v: v}\n"
                 "analysis: {type: dynamics, until: 2000, output_step: 200, method: %s}\n",
                 methods[m].name);
        double v = end_of(text, methods[m].name);
        if (!(fabs(v - 0.4 / 3) <= 1e-6 * 0.4 / 3)) fail_msg("%s: %.10g", methods[m].name, v);
    }
}

/* ---- zones of the state ---- */

/* A mass of 2 passes at the speed 1: the zone does the work 0.2, however many pieces it has. */
static void narrow_pieces(void **state)
{
    static const char *const zones[] = {
        "pwl(joint(g), 0.5,0, 0.5005,400, 0.501,0)",
        "pwl(joint(g), 0.5,0, 0.5001,250, 0.5008,250, 0.5009,0)",
        "if(floor(joint(g)/0.01) == 50, 20, 0)",
        "if(mod(joint(g) + 0.5, 10) > 1, if(mod(joint(g) + 0.5, 10) < 1.001, 200, 0), 0)"};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int m = 0; m < METHODS; m++)
            for (int k = 0; k < 2; k++) {
                char text[1200], said[200];
                snprintf(text, sizeof text,
                         "limber: 1\nbodies: {m: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
                         "joints: {g: {type: prismatic, between: [ground, m], axis: x, effort: "
                         "\"%s\"}}\ninitial: {g: {rate: 1}}\noutputs: {v: rate(g)}\n"
                         "analysis: {type: dynamics, until: 4, output_step: %g, method: %s}\n",
                         zones[i], k ? 0.01 : 4, methods[m].name);
                snprintf(said, sizeof said, "%s, '%s'", methods[m].name, zones[i]);
                double v = end_of(text, said);
                if (!(fabs(v - sqrt(1.2)) <= 1e-5)) fail_msg("%s: %.10g", said, v);
            }
}

/* A limit of steps that the user gives. */
static void largest_step(void **state)
{
    static const char *const methods_[] = {"radau", "bdf", "explicit", "generalized-alpha",
                                           "newmark"};
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        char text[500];
        limber_summary sum;
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies: {m: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
                 "joints: {g: {type: prismatic, between: [ground, m], axis: x, effort: 1}}\n"
                 "analysis: {type: dynamics, until: 10, max_step: 0.03, method: %s}\n",
                 methods_[m]);
        limber_model *model = model_of_text(text);
        file_run into = {0};
        assert_int_equal(run_into_files(model, &into, &sum), LIMBER_OK);
        assert_under(sum.largest_step, 0.03 * (1 + 1e-9));
        limber_model_free(model);
    }
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("pulses");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners),       cmocka_unit_test(bells),
        cmocka_unit_test(delivered),     cmocka_unit_test(in_uniform_motion),
        cmocka_unit_test(places),        cmocka_unit_test(current),
        cmocka_unit_test(twice),         cmocka_unit_test(late),
        cmocka_unit_test(narrow_pieces), cmocka_unit_test(largest_step)};
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
