/* Events: forces that change their branch with the state do so at the end of a step, at the right instant
 * (docs/theory/events.md). */
#include "base/mem.h"
#include "expr/expr.h"
#include "io/h5.h"
#include "support/file_runs.h"

#define RAIL                                                                                       \
    "limber: 1\n"                                                                                  \
    "bodies: {bob: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"             \
    "joints: {rail: {type: prismatic, between: [ground, bob], axis: y, at: [0, 0, 0], effort: "
#define END                                                                                        \
    "}}\n"                                                                                         \
    "analysis: {type: dynamics, until: 1}\n"                                                       \
    "outputs: {y: joint(rail), v: rate(rail)}\n"

/* ---- guards of expressions ---- */

static lm_symbol symbol(void *ctx, const char *name, double *value, int *slot)
{
    static const char *const names[] = {"t", "x", "y"};
    (void)ctx, (void)value;
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0) {
            *slot = i;
            return LM_SYM_SLOT;
        }
    return LM_SYM_NONE;
}

static int guards_of(const char *text, double t, double x, double y, double *out)
{
    lm_arena arena = {0};
    lm_diag diag = {0};
    lm_expr e = {0};
    lm_expr_env env = {.symbol = symbol};
    double slots[3] = {t, x, y}, scratch[200];
    assert_int_equal(lm_expr_parse(&arena, &diag, &env, text, (lm_loc){0}, &e), 0);
    int n = lm_expr_guard_count(&e);
    assert_true(lm_expr_scratch(&e, 0) <= 200);
    lm_expr_guards(&e, slots, scratch, out);
    lm_arena_free(&arena);
    return n;
}

static void guard(const char *text, double x, double y, double expected)
{
    double out[8] = {0};
    if (guards_of(text, 0.5, x, y, out) != 1) fail_msg("'%s' has not one guard", text);
    assert_near(out[0], expected, 1e-14);
}

/* Of several. */
static void bit(const char *text, double x, int j, double expected)
{
    double out[8] = {0};
    assert_true(guards_of(text, 0.5, x, 0, out) > j);
    if (fabs(out[j] - expected) > 1e-14) fail_msg("'%s', %d: %g", text, j, out[j]);
}

/* No two of 32 integers have the same signs, and each changes one. */
static void bits_of_pieces(void **state)
{
    double out[8], next[8];
    (void)state;
    for (int i = -16; i < 16; i++)
        for (int k = i + 1; k < i + 32; k++) {
            int n = guards_of("floor(x)", 0, i + 0.4, 0, out), differ = 0;
            guards_of("floor(x)", 0, k + 0.4, 0, next);
            for (int j = 0; j < n; j++) differ += (out[j] > 0) != (next[j] > 0);
            assert_true(k == i + 1 ? differ == 1 : differ > 0);
        }
}

static void values_of_guards(void **state)
{
    double out[8];
    (void)state;
    guard("max(0, 3*(x - y))", 2, 5, 9);
    guard("abs(x)*2", -3, 0, -3);
    guard("sign(x + t)", -1, 0, -0.5);
    guard("if(x > y and t > 1, 2, 3)", 4, 1, 3);
    bit("floor(x)", 2.25, 0, -0.375);  /* between 1 and 3, as half of that */
    bit("floor(x)", 2.25, 1, -0.0625); /* just above 2 */
    bit("floor(x)", -0.25, 0, 0.375);
    bit("mod(x, 2)", 3.5, 0, -0.375);
    bit("pwl(x, 0,0, 1,0, 2,5)", -3, 0, 3);
    bit("pwl(x, 0,0, 1,0, 2,5)", 0.4, 0, -0.4);
    bit("pwl(x, 0,0, 1,0, 2,5)", 1.75, 0, -0.25);
    bit("pwl(x, 0,0, 1,0, 2,5)", 2.5, 1, -1.5);
    guard("max(0, sin(3*t))", 0, 0, -sin(1.5)); /* its instants are not known beforehand */
    guard("t - (x > 0) + 1", 2, 0, 2);
    assert_int_equal(guards_of("min(x, y, 1)", 0, 3, 2, out), 2);
    assert_near(out[0], 1, 0);
    assert_near(out[1], 1, 0);
}

/* What is smooth, announced, or decided by others. */
static void no_guards(void **state)
{
    static const char *const texts[] = {"x*y + sin(x)",
                                        "step(x, 0, 0, 1, 1)",
                                        "spline(x, 0,0, 1,1, 2,0)",
                                        "pwl(x, 0,0, 1,1, 2,2)*0 + x",
                                        "max(0, t - 1)",
                                        "floor(3*t) + mod(t, 0.5)",
                                        "pwl(t, 0,0, 1,5)*x",
                                        "if(mod(t, 1) < 0.5, x, y)",
                                        "x == y"};
    double out[8];
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int n = guards_of(texts[i], 0.3, 0.2, 0.1, out);
        int expected = 2 * (strncmp(texts[i], "pwl(x", 5) == 0); /* level beyond its ends */
        if (n != expected) fail_msg("'%s' has %d guards", texts[i], n);
    }
    /* the two are one operation, and what they decide has none */
    assert_int_equal(guards_of("if(floor(x) > 1 and not (floor(x) == 3), 1, 2)", 0, 1.5, 0, out),
                     6);
}

/* ---- runs ---- */

typedef struct events {
    int n;
    double at[64][3];
    limber_summary sum;
    char *names, *csv;
} events;

/* The text with another analysis. */
static const char *with(const char *text, const char *how)
{
    static char all[4000];
    const char *at = strstr(text, "analysis: {type: dynamics, until: 1}");
    assert_non_null(at);
    snprintf(all, sizeof all, "%.*sanalysis: {type: dynamics, %s}%s", (int)(at - text), text, how,
             strchr(at, '\n'));
    return all;
}

static events read_events(const limber_summary *sum)
{
    events r = {.sum = *sum};
    char results[SCRATCH_PATH], csv[SCRATCH_PATH];
    lm_h5 *f;
    long rows = 0;
    int cols = 0;
    char err[200], **columns = NULL;
    file_run_paths(results, csv);
    assert_int_equal(lm_h5_open(results, LM_H5_READ, &f, err, sizeof err), 0);
    if (lm_h5_table_info(f, "/dynamics/events", &rows, &cols, &columns) == 0) {
        double *data = malloc(sizeof(double) * 3 * (size_t)(rows + 1));
        assert_int_equal(cols, 3);
        assert_int_equal(rows, sum->events);
        if (rows) assert_int_equal(lm_h5_read_rows(f, "/dynamics/events", 0, rows, data), 0);
        r.n = (int)rows;
        for (int i = 0; i < 3 * rows && i < 3 * 64; i++) r.at[i / 3][i % 3] = data[i];
        free(data);
        assert_int_equal(lm_h5_read_text(f, "/dynamics/event_names", &r.names), 0);
    }
    lm_free(columns);
    lm_h5_close(f);
    r.csv = file_read(csv, NULL);
    return r;
}

static void events_free(events *r)
{
    lm_free(r->names);
    free(r->csv);
}

static events run_events(const char *text, const char *formulation, const char *how)
{
    limber_summary sum;
    limber_model *model = model_of_text(with(text, how));
    file_run into = {.formulation = formulation};
    assert_int_equal(run_into_files(model, &into, &sum), LIMBER_OK);
    limber_model_free(model);
    return read_events(&sum);
}

static double last_of(const events *r, int column)
{
    const char *p = r->csv + strlen(r->csv) - 1;
    while (p[-1] != '\n') p--;
    for (int i = 0; i < column; i++) p = strchr(p, ',') + 1;
    return strtod(p, NULL);
}

static const char *const methods[] = {"method: generalized-alpha", "method: radau", "method: bdf",
                                      "method: explicit"};
enum { METHODS = 4 };

/* ---- closed forms ---- */

/* Falls 1 under gravity 10 onto a spring. Contact lasts from where x = 0 with speed u downwards until
 * x = 0 again: x = -g/w^2 (1 - cos(w s)) - u/w sin(w s), and tan(w s/2) = -u w/g there, s > pi/w. */
static void end_stop(void **state)
{
    static const char text[] = "gravity: [0, -10, 0]\n" RAIL "\"max(0, -2e3*joint(rail))\"" END
                               "initial: {rail: {displacement: 1}}\n";
    /* for the method of second order the vibration in contact counts, not the events */
    static const double most[METHODS] = {INFINITY, 90, 420, 300};
    double g = 10, w = sqrt(2e3 / 2), fall = sqrt(2 / g), u = g * fall;
    double contact = 2 * (3.14159265358979323846 - atan(u * w / g)) / w;
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        char how[160];
        snprintf(how, sizeof how, "until: 2, output_step: 0.01, tolerance: 1e-5, %s", methods[m]);
        events r = run_events(text, NULL, how);
        assert_int_equal(r.n, 4);
        assert_near(r.at[0][0], fall, m == 2 ? 1e-6 : 1e-11); /* bdf is not exact for parabolas */
        assert_near(r.at[1][0], fall + contact, 1e-5);
        assert_near(r.at[2][0], 3 * fall + contact, 3e-5);
        for (int i = 0; i < 4; i++) assert_true(r.at[i][2] == (i % 2 ? 1 : -1));
        assert_under(r.sum.energy_error, 1e-5);
        assert_under((double)r.sum.steps, most[m]);
        assert_non_null(strstr(r.names, "effort of 'rail': max(0, -2e3*joint(rail))"));
        events_free(&r);
    }
    events r =
        run_events(text, NULL, "until: 2, output_step: 0.01, tolerance: 1e-11, method: radau");
    assert_near(r.at[1][0], fall + contact, 1e-9);
    assert_near(r.at[2][0], 3 * fall + contact, 1e-9);
    assert_near(r.at[3][0], 3 * fall + 2 * contact, 1e-9);
    assert_under(r.sum.energy_error, 1e-9);
    events_free(&r);
}

/* A constant force towards the middle: a quarter of the period is sqrt(2 x0 m/F). */
static void bang_bang(void **state)
{
    static const char text[] =
        RAIL "\"if(joint(rail) > 0, -2, 2)\"" END "initial: {rail: {displacement: 0.5}}\n";
    static const double most[METHODS] = {120, 120, 600,
                                         300}; /* the last one steps from row to row */
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        char how[160];
        snprintf(how, sizeof how, "until: 20, output_step: 0.1, tolerance: 1e-6, %s", methods[m]);
        events r = run_events(text, NULL, how);
        double off = m == 2 ? 1e-6 : 1e-9;
        assert_int_equal(r.n, 10);
        for (int i = 0; i < 10; i++) assert_near(r.at[i][0], 1 + 2 * i, off);
        assert_near(last_of(&r, 1), 0.5, off);
        assert_under(r.sum.energy_error, 1e-9);
        assert_under((double)r.sum.steps, most[m]);
        assert_int_equal(r.sum.rejected, 0);
        events_free(&r);
    }
}

/* Play of 0.2 between two springs: across it in 0.2/v, then half a vibration. */
static void backlash(void **state)
{
    static const char text[] = RAIL "\"-pwl(joint(rail), -1.1,-200, -0.1,0, 0.1,0, 1.1,200)\"" END
                                    "initial: {rail: {rate: 1}}\n";
    double half = 3.14159265358979323846 / 10, t = 0.1;
    (void)state;
    events r =
        run_events(text, NULL, "until: 5, output_step: 0.05, tolerance: 1e-10, method: radau");
    assert_int_equal(r.n, 19);
    for (int i = 0; i < r.n; i++) {
        assert_near(r.at[i][0], t, 1e-8);
        t += i % 2 ? 0.2 : half;
    }
    assert_under(r.sum.energy_error, 1e-9);
    events_free(&r);
}

/* A state with hysteresis switches where its update says so: at +-0.1, with the force +-2 on 2 kg. The
 * speed there grows: v^2 = v0^2 + 2 a d with 0.1 first, then the way out and back is symmetric. */
static void relay(void **state)
{
    static const char text[] =
        RAIL "\"2*(2*on - 1)\"" END
             "states: {on: {value: 1, update: 'if(joint(rail) > 0.1, 0, if(joint(rail) < -0.1, 1, "
             "on))'}}\n";
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        char how[160];
        double t = sqrt(0.2), v = sqrt(0.2), off = m == 2 ? 1e-6 : 1e-10;
        snprintf(how, sizeof how, "until: 5, output_step: 0.1, tolerance: 1e-6, %s", methods[m]);
        events r = run_events(text, NULL, how);
        assert_near(r.at[0][0], t, off);         /* on past 0.1, */
        assert_near(r.at[1][0], t + 2 * v, off); /* back there, */
        double u = sqrt(v * v + 0.4);
        assert_near(r.at[2][0], t + v + u, off); /* and 0.2 further off */
        assert_near(r.at[3][0], t + v + 3 * u, off);
        assert_under(r.sum.energy_error, 1e-9);
        events_free(&r);
    }
}

/* Friction that holds the body where the spring is too weak, 10 x < 2: the sign changes without end, and
 * steps go over that. */
static void sticks(void **state)
{
    static const char text[] =
        RAIL "\"-2*sign(rate(rail)) - 10*joint(rail)\"" END "initial: {rail: {displacement: 1}}\n";
    (void)state;
    for (int m = 0; m < 2; m++) {
        char how[160];
        snprintf(how, sizeof how, "until: 5, output_step: 0.1, tolerance: 1e-5, %s", methods[m]);
        events r = run_events(text, NULL, how);
        /* 1 -> -0.6 -> 0.2, each in half a period */
        double half = 3.14159265358979323846 * sqrt(2 / 10.);
        assert_near(r.at[0][0], half, 1e-3);
        assert_near(last_of(&r, 1), 0.2, 1e-2);
        assert_under((double)r.sum.steps, 20000);
        events_free(&r);
    }
}

/* ---- flexible, all formulations ---- */

static void all_formulations(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "materials: {steel: {E: 2e11, nu: 0.3, rho: 7800}}\n"
        "sections: {bar: {shape: rectangle, width: 0.02, height: 0.01, material: steel}}\n"
        "bodies: {rod: {type: beam, from: [0, 0, 0], to: [1, 0, 0], section: bar, elements: 8}}\n"
        "joints: {clamp: {type: fixed, between: [ground, rod.start]}}\n"
        "loads: {stop: {on: rod.end, force: [0, \"if(pos(rod.end).y > 1e-3, -20, 20)\", 0]}}\n"
        "analysis: {type: dynamics, until: 1}\n"
        "outputs: {y: pos(rod.end).y}\n";
    static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
    double first = 0;
    (void)state;
    for (int i = 0; i < 5; i++) {
        events r = run_events(text, forms[i],
                              "until: 0.02, output_step: 0.001, tolerance: 1e-5, method: radau");
        if (i == 0) first = r.at[0][0];
        assert_true(r.n >= 2);
        assert_near(r.at[0][0], first, 0.02 * first); /* rfe has fewer degrees of freedom */
        assert_non_null(strstr(r.names, "force of load 'stop': if("));
        assert_under(r.sum.energy_error, 1e-4);
        events_free(&r);
    }
}

/* ---- resuming, and what is not looked for ---- */

static void resumes(void **state)
{
    static const char text[] =
        "gravity: [0, -10, 0]\n" RAIL "\"max(0, -2e3*joint(rail)) - 0.1*rate(rail)\"" END
        "initial: {rail: {displacement: 0.1}}\n";
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        char how[160];
        limber_summary sum;
        snprintf(how, sizeof how, "until: 5, output_step: 0.05, tolerance: 1e-5, %s", methods[m]);
        events whole = run_events(text, NULL, how);
        limber_model *model = model_of_text(with(text, how));
        for (int part = 0; part < 3; part++) {
            file_run part_of_it = {.resume = part > 0,
                                   .last = part < 2 ? (part + 1) * whole.sum.steps / 3 : 0};
            assert_int_equal(run_into_files(model, &part_of_it, &sum),
                             part < 2 ? LIMBER_STOPPED : LIMBER_OK);
        }
        events r = read_events(&sum);
        assert_string_equal(r.csv, whole.csv);
        assert_true(whole.n > 20);
        assert_int_equal(r.n, whole.n);
        assert_memory_equal(r.at, whole.at, sizeof r.at);
        limber_model_free(model);
        events_free(&whole);
        events_free(&r);
    }
}

static void not_looked_for(void **state)
{
    static const char text[] =
        RAIL "\"if(joint(rail) > 0, -2, 2)\"" END "initial: {rail: {displacement: 0.1}}\n";
    static const char smooth[] = RAIL "\"-2*joint(rail) + max(0, t - 0.5)\"" END;
    (void)state;
    for (int i = 0; i < 2; i++) {
        events r = run_events(i ? smooth : text, NULL, i ? "until: 1" : "until: 1, step: 0.01");
        assert_null(r.names);
        assert_int_equal(r.sum.events, 0);
        events_free(&r);
    }
}

static void steps_take_no_memory(void **state)
{
    limber_summary sum;
    (void)state;
    const char *text =
        RAIL "\"if(joint(rail) > 0, -2, 2)\"" END "initial: {rail: {displacement: 0.5}}\n";
    assert_steps_take_no_memory(with(text, "until: 20, method: radau"), 10, 50, &sum);
    assert_int_equal(sum.events, 10);
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("events");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_guards),
        cmocka_unit_test(no_guards),
        cmocka_unit_test(bits_of_pieces),
        cmocka_unit_test(end_stop),
        cmocka_unit_test(bang_bang),
        cmocka_unit_test(backlash),
        cmocka_unit_test(relay),
        cmocka_unit_test(sticks),
        cmocka_unit_test(all_formulations),
        cmocka_unit_test(resumes),
        cmocka_unit_test(not_looked_for),
        cmocka_unit_test(steps_take_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
