/* States and surfaces: they change once per accepted step, from one set of values, at the right instants,
 * and a resumed run has them to the bit. */
#include "base/mem.h"
#include "expr/expr.h"
#include "form/discrete.h"
#include "support/failing.h"
#include "support/run_model.h"
#include "support/scratch.h"

#include <unistd.h>

/* A mass on a rail with a force by a state, in a model whose steps are rejected now and then. */
#define RAIL                                                                                       \
    "bodies: {bob: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}}\n"             \
    "joints: {rail: {type: prismatic, between: [ground, bob], axis: y, at: [0, 0, 0]}}\n"

static const struct {
    const char *how;
    int rejects; /* steps are rejected in the model `bumps` */
} methods[] = {
    {"method: generalized-alpha, tolerance: 1e-5", 1},
    {"method: radau, tolerance: 1e-6", 1},
    {"method: bdf, tolerance: 1e-5", 1},
    {"method: explicit, tolerance: 1e-6", 0},
    {"step: 0.01", 0},
    {"method: newmark, step: 0.01", 0},
};
enum { METHODS = sizeof methods / sizeof *methods };

static table run_with(const char *text, const char *how, double until)
{
    char analysis[200];
    snprintf(analysis, sizeof analysis, "{type: dynamics, until: %g, output_step: %g, %s}", until,
             until / 20, how);
    return run_model(&(run_how){.text = text, .analysis = analysis});
}

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
        table r = run_with(bumps, methods[i].how, 2);
        double n = (double)r.sum.steps - 1;
        assert_true(r.sum.rejected > 0 || !methods[i].rejects);
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
        table a = run_with(bumps, methods[i].how, 2), b = run_with(plain, methods[i].how, 2);
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
        table r = run_with(sampled, methods[i].how, 1);
        double off = strstr(methods[i].how, "bdf") ? 1e-4 : 1e-9;
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
        table r = run_with(text, methods[i].how, 1);
        double off = strstr(methods[i].how, "bdf") ? 1e-5 : 1e-10; /* the others are exact here */
        double when = table_last(&r, "when"), t = 1 - when;
        assert_between(when, 0.5, 0.95);
        assert_true(table_last(&r, "hit") == 1 && table_first(&r, "hit") == 0);
        assert_near(table_last(&r, "y"), table_last(&r, "where") - t + 4 * t * t, off);
        assert_near(table_last(&r, "v"), -1 + 8 * t, off);
        assert_under(r.sum.energy_error, off);
        table_free(&r);
    }
}

/* ---- surfaces ---- */

/* A grid of heights below a slot 0 that holds x. */
static void reads_a_surface(void **state)
{
    (void)state;
    const double h[] = {1, 3, 2, 7};
    lm_grid open = {.from = 1, .to = 4, .width = 1, .cells = 4},
            round = {.from = 1, .to = 5, .width = 1, .cells = 4, .periodic = 1};
    double slope;
    assert_near(lm_grid_value(&open, h, 1.5, &slope), 2, 1e-15);
    assert_near(slope, 2, 1e-15);
    assert_near(lm_grid_value(&open, h, 0, &slope), 1, 0);
    assert_true(slope == 0);
    assert_near(lm_grid_value(&open, h, 9, &slope), 7, 0);
    assert_near(lm_grid_value(&open, h, 4, &slope), 7, 0);
    assert_near(lm_grid_value(&round, h, 4.25, &slope), 5.5, 1e-15);
    assert_near(slope, -6, 1e-15);
    assert_near(lm_grid_value(&round, h, 0.5, NULL), 4, 1e-15);
    assert_near(lm_grid_value(&round, h, 1.5 + 4e6, NULL), 2, 1e-8);
    assert_true(isnan(lm_grid_value(&round, h, NAN, NULL)));
    assert_true(isnan(lm_grid_value(&open, h, INFINITY, NULL)));
}

static lm_symbol time_alone(void *grid, const char *name, double *value, int *slot)
{
    (void)grid, (void)value;
    *slot = LM_SLOT_T;
    return strcmp(name, "t") == 0 ? LM_SYM_SLOT : LM_SYM_NONE;
}

static const lm_grid *only_surface(void *grid, const char *name, lm_loc loc)
{
    (void)loc;
    assert_string_equal(name, "work(2)");
    return grid;
}

/* In an expression: value, gradient and Hessian by the chain rule, and a fixed place is no constant. */
static void surface_in_an_expression(void **state)
{
    (void)state;
    lm_arena arena = {0};
    lm_diag diag = {0};
    lm_grid g = {.from = 0, .to = 3, .width = 1, .cells = 4, .first = -4};
    lm_expr_env env = {.ctx = &g, .surface = only_surface};
    lm_expr e, fixed;
    double memory[] = {1, 3, 2, 7, 0}, *slots = memory + 4, scratch[64], grad = 0, hess = 0;
    env.symbol = time_alone;
    assert_int_equal(
        lm_expr_parse(&arena, &diag, &env, "5*surface(work(1+1), t^2)^2", (lm_loc){"f", 1, 1}, &e),
        0);
    slots[0] = 1.6; /* t^2 = 2.56: z = 2 + 5*0.56 = 4.8, dz/dt = 5*3.2 = 16, d2z/dt2 = 10 */
    assert_near(lm_expr_eval(&e, slots, scratch), 5 * 4.8 * 4.8, 1e-12);
    assert_near(lm_expr_hess(&e, slots, scratch, &grad, &hess), 5 * 4.8 * 4.8, 1e-12);
    assert_near(grad, 10 * 4.8 * 16, 1e-10);
    assert_near(hess, 10 * 16 * 16 + 10 * 4.8 * 10, 1e-10);
    assert_int_equal(
        lm_expr_parse(&arena, &diag, &env, "surface(work(2), 0.5)", (lm_loc){"f", 1, 1}, &fixed),
        0);
    assert_true(!fixed.constant && fixed.ninputs == 0);
    assert_near(lm_expr_eval(&fixed, slots, scratch), 2, 1e-15);
    memory[1] = 9;
    assert_near(lm_expr_eval(&fixed, slots, scratch), 5, 1e-15);
    lm_diag_free(&diag);
    lm_arena_free(&arena);
}

static lm_spec_surface one_surface(int cells, int periodic)
{
    lm_spec_surface s = {.from = 0, .to = cells, .cells = cells, .periodic = periodic};
    lm_expr_constant(&s.height, 10);
    s.grid = (lm_grid){.to = cells, .width = 1, .cells = cells, .periodic = periodic};
    s.grid.first = -cells;
    return s;
}

static lm_discrete *make_surface(lm_arena *arena, lm_spec *spec, lm_spec_surface *s, double **slots)
{
    lm_discrete *d;
    spec->surfaces.at = s;
    spec->surfaces.n = 1;
    spec->cells = s->cells;
    assert_int_equal(lm_discrete_make(arena, spec, 0, &d, slots), 0);
    return d;
}

/* The last cell passed is still the old one: the tool stands between it and the next. */
static void tool_takes_material(void **state)
{
    (void)state;
    lm_arena arena = {0};
    lm_spec spec = {0};
    lm_spec_surface s = one_surface(6, 0);
    double *slots, *h;
    lm_discrete *d = make_surface(&arena, &spec, &s, &slots);
    h = lm_discrete_heights(d, 0);
    assert_ptr_equal(h, slots - 6);
    assert_true(h[0] == 10 && h[5] == 10);
    lm_discrete_place_tool(d, 0, -1, 8);
    lm_discrete_move_tool(d, 0, 2.5, 4.5); /* 7 at 0, 6 at 1, 5 at 2 */
    assert_true(h[0] == 7 && h[1] == 6 && h[2] == 10 && h[3] == 10);
    lm_discrete_move_tool(d, 0, 2.9, 4);
    assert_true(h[2] == 10);
    lm_discrete_move_tool(d, 0, 3, 20); /* above it: takes nothing */
    assert_true(h[2] == 5 && h[3] == 10);
    lm_discrete_move_tool(d, 0, 0.5, 0);
    assert_true(h[3] == 10); /* what it did not take is there, also on the way back */
    assert_true(h[2] == 5 && h[1] == 6);
    lm_discrete_place_tool(d, 0, 5.5, 1);
    lm_discrete_move_tool(d, 0, 3.5, 1);
    assert_true(h[5] == 1 && h[4] == 10);
    lm_discrete_move_tool(d, 0, 100, 1);
    assert_true(h[4] == 1 && h[5] == 1);
    lm_arena_free(&arena);
}

/* Round and round: a cell is taken when the tool comes by, whatever the turn. */
static void tool_goes_round(void **state)
{
    (void)state;
    lm_arena arena = {0};
    lm_spec spec = {0};
    lm_spec_surface s = one_surface(5, 1);
    double *slots;
    lm_discrete *d = make_surface(&arena, &spec, &s, &slots);
    const double *h = lm_discrete_heights(d, 0);
    lm_discrete_place_tool(d, 0, 1003.5, 9);
    for (int k = 0; k < 15; k++) { /* lower by 1 with each turn of five cells */
        double at = 1003.5 + k, turn = floor(k / 5.0);
        double half = k % 5 == 0 && k > 0 ? 0.5 : 0; /* between cells of two turns */
        assert_near(lm_grid_value(&s.grid, h, at, NULL), 10 - turn + half, 1e-12);
        lm_discrete_place_tool(d, 0, at, 9 - turn);
        lm_discrete_move_tool(d, 0, at + 1, 9 - turn);
    }
    for (int i = 0; i < 5; i++) assert_near(h[i], i == 3 ? 8 : 7, 1e-12);
    lm_arena_free(&arena);
}

/* A tool that is led along a wave: what it finds is the wave of one turn ago, in every method, less
 * what straight lines between the cells cut off. */
static void finds_the_last_turn(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {w: 23}\n"
        "bodies: {tool: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {lead: {type: prismatic, between: [ground, tool], axis: y, drive: "
        "0.1*sin(w*t) - 0.6*t}}\n"
        "surfaces: {work: {cells: 400, periodic: true, to: 2, height: 1 + 0.2*s, at: 4*t, left: "
        "pos(tool).y}}\n"
        "analysis: {type: dynamics, until: 1}\n"
        "outputs: {found: 'surface(work, 4*t)', y: pos(tool).y, start: 'surface(work, 0.5)'}\n";
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        table r = run_with(text, methods[i].how, 2);
        /* curvature 0.1 w^2/4^2, cells of 0.005; steps of 0.01 are seen through cubic curves */
        double off = 0.1 * 23 * 23 / 16 * 0.005 * 0.005 / 8 * 1.5;
        for (int k = 0; k < r.rows; k++) {
            double t = table_get(&r, k, "t"), before = t - 0.5;
            double y = 0.1 * sin(23 * before) - 0.6 * before;
            if (before > 0.01) assert_near(table_get(&r, k, "found"), y, off + 2e-6);
            if (before < 0) assert_near(table_get(&r, k, "found"), 1 + 0.4 * t, 1e-12);
        }
        assert_near(table_first(&r, "start"), 1.05, 1e-12);
        table_free(&r);
    }
}

/* The tangent of a force by the surface sees its slope: Newton's method goes on quadratically on a
 * slide of steep heights along which a mass is pressed. */
static void slope_is_in_the_tangent(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies: {m: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.31, 0, 0]}}\n"
        "joints: {rail: {type: prismatic, between: [ground, m], axis: x, at: [0, 0, 0]}}\n"
        "surfaces: {slide: {cells: 11, height: 4*(s - 0.5)^2, at: 5, left: 9}}\n"
        "loads: {push: {on: m, force: ['-5e5*(surface(slide, pos(m).x) - 0.1)', 0, 0]}}\n"
        "analysis: {type: dynamics, until: 1}\n"
        "outputs: {x: pos(m).x}\n";
    (void)state;
    table r = run_with(text, "step: 0.001", 0.05);
    assert_under((double)r.sum.iterations, 3.2 * (double)r.sum.steps);
    table_free(&r);
}

/* ---- resuming ---- */

static char results[SCRATCH_PATH], csv[SCRATCH_PATH];

/* Writes to state 1, and ends the run after step *last. */
static int bump(void *last, limber_step *step)
{
    step->states[1] += 0.25 * step->dt;
    return step->number == *(const long *)last;
}

static limber_status run_file(limber_model *model, int resume, long last)
{
    limber_summary sum;
    limber_run_options opt = limber_run_options_default();
    limber_messages *msg = limber_messages_new();
    opt.results = results;
    opt.csv = csv;
    opt.resume = resume;
    limber_model_on_step(model, bump, &last);
    limber_status st = limber_run(model, &opt, &sum, msg);
    limber_messages_print(msg, stderr);
    limber_messages_free(msg);
    limber_model_on_step(model, NULL, NULL);
    return st;
}

static limber_model *parse(const char *text)
{
    limber_model *model = NULL;
    limber_messages *msg = limber_messages_new();
    limber_status st = limber_model_parse(text, strlen(text), "model", NULL, &model, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    limber_messages_free(msg);
    return model;
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
        limber_model *model = parse(model_text);
        unlink(results);
        assert_int_equal(run_file(model, 0, -1), LIMBER_OK);
        char *expected = file_read(csv, NULL);
        unlink(results);
        assert_int_equal(run_file(model, 0, 750), LIMBER_STOPPED);
        assert_int_equal(run_file(model, 1, 1600), LIMBER_STOPPED);
        assert_int_equal(run_file(model, 1, -1), LIMBER_OK);
        char *text_again = file_read(csv, NULL);
        assert_string_equal(text_again, expected);
        free(text_again);
        free(expected);
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
    limber_model *model = parse(text);
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
    limber_model *model = parse(bumps);
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

static void load_and_run(void *context)
{
    limber_status *st = context;
    limber_model *model = NULL;
    limber_messages *msg = limber_messages_new();
    *st = LIMBER_MEMORY;
    if (!msg) return;
    *st = limber_model_parse(everything, strlen(everything), "model", NULL, &model, msg);
    if (!*st) *st = limber_run(model, NULL, NULL, msg);
    limber_model_free(model);
    limber_messages_free(msg);
}

static int went_through(void *context)
{
    limber_status st = *(limber_status *)context;
    assert_true(st == LIMBER_OK || st == LIMBER_MEMORY);
    return st == LIMBER_OK;
}

static void memory_runs_out(void **state)
{
    limber_status st;
    (void)state;
    assert_true(fail_in_turn(load_and_run, went_through, &st, 0) > 20);
    assert_true(fail_in_turn(load_and_run, went_through, &st, 1) > 20);
}

static int count_allocations(void *context, limber_step *step)
{
    long *at = context;
    if (step->number == 10) at[0] = lm_mem_allocs();
    if (step->number == 40) at[1] = lm_mem_allocs();
    return 0;
}

static void steps_take_no_memory(void **state)
{
    (void)state;
    long at[2] = {0, -1};
    limber_model *model = parse(everything);
    limber_messages *msg = limber_messages_new();
    limber_model_on_step(model, count_allocations, at);
    assert_int_equal(limber_run(model, NULL, NULL, msg), LIMBER_OK);
    assert_int_equal(at[0], at[1]);
    limber_model_free(model);
    limber_messages_free(msg);
}

static int set_up(void **state)
{
    (void)state;
    if (scratch_make("discrete")) return -1;
    scratch_path(results, "r.h5");
    scratch_path(csv, "r.csv");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_accepted_steps), cmocka_unit_test(watching_changes_nothing),
        cmocka_unit_test(sampled_control),       cmocka_unit_test(jump_at_an_event),
        cmocka_unit_test(reads_a_surface),       cmocka_unit_test(surface_in_an_expression),
        cmocka_unit_test(tool_takes_material),   cmocka_unit_test(tool_goes_round),
        cmocka_unit_test(finds_the_last_turn),   cmocka_unit_test(slope_is_in_the_tangent),
        cmocka_unit_test(resumes_to_the_bit),    cmocka_unit_test(calls_the_function),
        cmocka_unit_test(states_by_name),        cmocka_unit_test(words_for_failures),
        cmocka_unit_test(memory_runs_out),       cmocka_unit_test(steps_take_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
