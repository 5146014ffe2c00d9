/* States and surfaces: they change once per accepted step, from one set of values, at the right instants,
 * and a resumed run has them to the bit. What a surface is, by itself and under a tool: test_surface.c. */
#include "support/file_runs.h"
#include "support/methods.h"

/* A mass on a rail with a force by a state, in a model whose steps are rejected now and then. */
#define RAIL                                                                                       \
    "bodies: {bob: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}}\n"             \
    "joints: {rail: {type: prismatic, between: [ground, bob], axis: y, at: [0, 0, 0]}}\n"

/* ---- once per accepted step ---- */

/* A ball that bounces on a hard floor: its steps are tried too large again and again. */
static const char bumps[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n" RAIL
    "loads: {floor: {on: bob, force: [0, \"1e4*max(0, -pos(bob).y)^1.5\", 0]}}\n"
    "states:\n"
    "  count: {update: count + 1}\n"
    "  clock: {update: clock + dt}\n"
    "  late: {update: t}\n"
    "  a: {value: 1, update: b}\n"
    "  b: {value: 2, update: a}\n"
    "analysis: {type: dynamics, until: 1}\n"
    "outputs: {y: pos(bob).y, count: count, clock: clock, late: late, a: a, b: b}\n";

/* A row shows the values that held in the step that ends there: the last update comes after it. */
static void counts_accepted_steps(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        table r = run_method(bumps, run_methods[i].how, 2);
        double n = (double)r.sum.steps - 1;
        assert_true(r.sum.rejected > 0 || !run_methods[i].rejects);
        assert_true(table_last(&r, "count") == n);
        assert_true(n > 20);
        assert_near(table_last(&r, "clock"), table_last(&r, "late"), 1e-12);
        assert_between(table_last(&r, "late"), 1, 2);
        int odd = (int)n % 2;
        assert_true(table_last(&r, "a") == (odd ? 2 : 1));
        assert_true(table_last(&r, "b") == (odd ? 1 : 2));
        assert_true(table_first(&r, "a") == 1 && table_first(&r, "count") == 0);
        table_free(&r);
    }
}

/* States that nothing depends on change nothing. */
static void watching_changes_nothing(void **state)
{
    (void)state;
    char plain[sizeof bumps];
    const char *from = strstr(bumps, "states:"), *to = strstr(bumps, "analysis:");
    snprintf(plain, sizeof plain, "%.*s%s", (int)(from - bumps), bumps, to);
    char *end = strstr(plain, ", count: count");
    assert_non_null(end);
    strcpy(end, "}\n");
    for (int i = 0; i < METHODS; i++) {
        table a = run_method(bumps, run_methods[i].how, 2),
              b = run_method(plain, run_methods[i].how, 2);
        assert_int_equal(a.sum.steps, b.sum.steps);
        assert_true(table_distance(&a, &b, "y") == 0);
        table_free(&a);
        table_free(&b);
    }
}

/* ---- instants ---- */

static const char sampled[] =
    "limber: 1\n" RAIL "states: {u: {every: 0.05, update: -20*pos(bob).y - 2*vel(bob).y}}\n"
    "loads: {control: {on: bob, force: [0, u, 0]}}\n"
    "analysis: {type: dynamics, until: 1}\n"
    "outputs: {y: pos(bob).y, v: vel(bob).y, u: u}\n";

/* Between samples the force is constant: y and v of the samples follow a recursion. A row at the
 * instant of a sample shows the new force. */
static void sampled_control(void **state)
{
    (void)state;
    const double h = 0.05;
    for (int i = 0; i < METHODS; i++) {
        double y = 1, v = 0, u = 0;
        table r = run_method(sampled, run_methods[i].how, 1);
        double off = strstr(run_methods[i].how, "bdf") ? 1e-4 : 1e-9;
        for (int k = 1; k < 20; k++) {
            y += h * v + 0.5 * h * h * u;
            v += h * u;
            u = -20 * y - 2 * v;
            assert_near(table_at(&r, "y", k * h), y, off);
            assert_near(table_at(&r, "v", k * h), v, 20 * off);
            assert_near(table_at(&r, "u", k * h), u, 40 * off);
        }
        table_free(&r);
    }
}

/* A state that stood still and changes is a jump of the force, at the end of a step that nobody knew
 * of before: the motion goes on with consistent accelerations. */
static void jump_at_an_event(void **state)
{
    static const char text[] =
        "limber: 1\n" RAIL "initial: {rail: {rate: -1}}\n"
        "states:\n"
        "  hit: {update: \"if(pos(bob).y < 0.5, 1, hit)\"}\n"
        "  when: {update: \"if(hit == 0 and pos(bob).y < 0.5, t, when)\"}\n"
        "  where: {update: \"if(hit == 0 and pos(bob).y < 0.5, pos(bob).y, where)\"}\n"
        "  now: {every: 0.07, update: t}\n" /* or else one step is enough for it all */
        "loads: {push: {on: bob, force: [0, 8*hit, 0]}}\n"
        "analysis: {type: dynamics, until: 1}\n"
        "outputs: {y: pos(bob).y, v: vel(bob).y, hit: hit, when: when, where: where}\n";
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        table r = run_method(text, run_methods[i].how, 1);
        double off =
            strstr(run_methods[i].how, "bdf") ? 1e-5 : 1e-10; /* the others are exact here */
        double when = table_last(&r, "when"), t = 1 - when;
        assert_between(when, 0.5, 0.95);
        assert_true(table_last(&r, "hit") == 1 && table_first(&r, "hit") == 0);
        assert_near(table_last(&r, "y"), table_last(&r, "where") - t + 4 * t * t, off);
        assert_near(table_last(&r, "v"), -1 + 8 * t, off);
        assert_under(r.sum.energy_error, off);
        table_free(&r);
    }
}

/* ---- resuming ---- */

/* Writes to state 1. */
static void bump(limber_step *step) { step->states[1] += 0.25 * step->dt; }

/* Fixed steps are as long as they are written, whatever a tool passes in one. */
static void fixed_steps_with_a_tool(void **state)
{
    (void)state;
    table r = run_model(
        &(run_how){.text = "limber: 1\n" RAIL
                           "surfaces: {work: {cells: 50, periodic: true, at: 10*t, left: 0}}\n"
                           "analysis: {type: dynamics, until: 1, output_step: 0.1, step: 0.01}\n"});
    assert_int_equal(r.sum.steps, 100);
    table_free(&r);
}

/* Forces by states, by a surface, and by what a function of the caller leaves in a state. */
static void resumes_to_the_bit(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n" RAIL "states:\n"
        "  n: {update: n + 1}\n"
        "  push: {value: 1}\n"
        "  u: {every: 0.03, update: -5*pos(bob).y + 0.1*u}\n"
        "surfaces: {work: {cells: 50, periodic: true, at: 3*t, left: 0.1*pos(bob).y}}\n"
        "loads: {all: {on: bob, force: [0, '10 + push + u + sin(0.01*n) - 9*surface(work, 3*t)', "
        "0]}}\n"
        "analysis: {type: dynamics, until: 20, output_step: 0.07, %s}\n"
        "outputs: {y: pos(bob).y, n: n, push: push, u: u, h: 'surface(work, 3*t)'}\n";
    static const char *const how[] = {"step: 0.01", "method: radau, tolerance: 1e-3",
                                      "method: generalized-alpha, tolerance: 1e-3"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char model_text[sizeof text + 100];
        snprintf(model_text, sizeof model_text, text, how[i]);
        limber_model *model = model_of_text(model_text);
        assert_resumes_to_the_bit(model, &(file_run){.also = bump}, 750, 1600);
        limber_model_free(model);
    }
}

/* ---- the caller's function ---- */

typedef struct watch {
    long calls, stop_at;
    double t, sum;
    const char *reason;
} watch;

static int look(void *context, limber_step *step)
{
    watch *w = context;
    w->calls++;
    assert_true(step->t > w->t && step->number == w->calls);
    assert_near(step->t - w->t, step->dt, 1e-12);
    w->t = step->t;
    w->sum += step->dt;
    step->reason = w->reason;
    return w->calls == w->stop_at ? 7 : 0;
}

static limber_status run_watched(const char *text, watch *w, limber_summary *sum)
{
    limber_model *model = model_of_text(text);
    limber_messages *msg = limber_messages_new();
    limber_model_on_step(model, look, w);
    limber_status st = limber_run(model, NULL, sum, msg);
    limber_messages_free(msg);
    limber_model_free(model);
    return st;
}

static void calls_the_function(void **state)
{
    static const char with[] = "limber: 1\n" RAIL "gravity: [0, -1, 0]\n"
                               "states: {k: {}}\n"
                               "analysis: {type: dynamics, until: 1, step: 0.1}\n";
    static const char without[] = "limber: 1\n" RAIL "gravity: [0, -1, 0]\n"
                                  "analysis: {type: dynamics, until: 1}\n";
    const char *const texts[] = {with, without};
    (void)state;
    for (int i = 0; i < 2; i++) {
        limber_summary sum;
        watch w = {0};
        assert_int_equal(run_watched(texts[i], &w, &sum), LIMBER_OK);
        assert_int_equal(w.calls, sum.steps);
        assert_near(w.sum, 1, 1e-12);
        w = (watch){.stop_at = 4};
        assert_int_equal(run_watched(texts[i], &w, &sum), LIMBER_STOPPED);
        assert_int_equal(w.calls, 4);
        assert_non_null(strstr(sum.reason, "the step function stopped the run (7)"));
        w = (watch){.stop_at = 2, .reason = "the door is open"};
        assert_int_equal(run_watched(texts[i], &w, &sum), LIMBER_STOPPED);
        assert_non_null(strstr(sum.reason, ": the door is open"));
    }
}

static int spoil(void *context, limber_step *step)
{
    (void)context;
    step->states[0] = NAN;
    return 0;
}

/* Step by step in memory the states are those after the update; names and numbers go together. */
static void states_by_name(void **state)
{
    (void)state;
    limber_model *model = model_of_text(bumps);
    limber_simulation *sim = NULL;
    limber_messages *msg = limber_messages_new();
    double out[6];
    assert_int_equal(limber_model_state_count(model), 5);
    assert_string_equal(limber_model_state_name(model, 2), "late");
    assert_int_equal(limber_model_state_index(model, "b"), 4);
    assert_int_equal(limber_model_state_index(model, "c"), -1);
    assert_int_equal(limber_simulation_new(model, &sim, msg), LIMBER_OK);
    assert_int_equal(limber_simulation_advance(sim, 0.25), LIMBER_OK);
    assert_int_equal(limber_simulation_outputs(sim, out), LIMBER_OK);
    assert_true(out[2] == out[3] && out[3] == limber_simulation_time(sim));
    limber_simulation_free(sim);
    limber_model_on_step(model, spoil, NULL);
    limber_summary sum;
    assert_int_equal(limber_run(model, NULL, &sum, msg), LIMBER_STOPPED);
    assert_non_null(strstr(sum.reason, "set state 'count' to no finite number"));
    limber_model_free(model);
    limber_messages_free(msg);
}

/* ---- runs that cannot go on ---- */

static void stops(const char *text, const char *how, const char *expected)
{
    table r = run_model(&(run_how){.text = text, .analysis = how, .may_stop = 1});
    if (!strstr(r.sum.reason, expected)) fail_msg("'%s' is not '%s'", r.sum.reason, expected);
    table_free(&r);
}

static void words_for_failures(void **state)
{
    static const char end[] = "analysis: {type: dynamics, until: 1}\noutputs: {y: pos(bob).y}\n";
    char text[800];
    (void)state;
    snprintf(text, sizeof text, "limber: 1\n%sstates: {k: {update: log(0.3 - t)}}\n%s", RAIL, end);
    stops(text, "{type: dynamics, until: 1, step: 0.1}",
          "at t = 0.3: the update of state 'k' is not a finite number");
    snprintf(text, sizeof text,
             "limber: 1\n%ssurfaces: {w: {cells: 9, periodic: true, at: 20*t, left: 0}}\n%s", RAIL,
             end);
    stops(text, "{type: dynamics, until: 1, step: 0.1}",
          "the tool goes round surface 'w' more than once; take a smaller 'step'");
    snprintf(text, sizeof text,
             "limber: 1\n%ssurfaces: {w: {cells: 9, at: t, left: sqrt(0.5 - t)}}\n%s", RAIL, end);
    stops(text, "{type: dynamics, until: 1, step: 0.1}",
          "at t = 0.6: 'left' of surface 'w' is not a finite number");
}

/* ---- memory ---- */

static const char everything[] =
    "limber: 1\n" RAIL "states: {k(i=1..3): {update: k(i) + i*dt}, u: {every: 0.1, update: t}}\n"
    "surfaces: {work(i=1..2): {cells: 20, periodic: true, at: t, left: pos(bob).y*i}}\n"
    "loads: {f: {on: bob, force: [0, 'k(2) - u - surface(work(2), t)', 0]}}\n"
    "analysis: {type: dynamics, until: 1, step: 0.02}\n"
    "outputs: {a: k(1), b: 'surface(work(1), 0.5)'}\n";

static void memory(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(everything);
    assert_steps_take_no_memory(everything, 10, 40, NULL);
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("discrete");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_accepted_steps), cmocka_unit_test(watching_changes_nothing),
        cmocka_unit_test(sampled_control),       cmocka_unit_test(jump_at_an_event),
        cmocka_unit_test(resumes_to_the_bit),    cmocka_unit_test(fixed_steps_with_a_tool),
        cmocka_unit_test(calls_the_function),    cmocka_unit_test(states_by_name),
        cmocka_unit_test(words_for_failures),    cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
