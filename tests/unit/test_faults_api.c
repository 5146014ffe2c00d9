/* The public interface under hands that have not read the manual. */
#include "base/mem.h"
#include "support/run_model.h"

#include <limber/limber.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define BOB                                                                                        \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies: {bob: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}}\n"       \
    "joints: {pivot: {type: revolute, between: [ground, bob], axis: z, at: [0, 0, 0]}}\n"          \
    "outputs: {angle: joint(pivot), y: pos(bob).y}\n"
#define DYNAMICS "analysis: {type: dynamics, until: 1, output_step: 0.25}\n"

static limber_messages *msg;

static limber_model *parse(const char *text)
{
    limber_model *model = NULL;
    limber_status st = limber_model_parse(text, strlen(text), "m.yaml", NULL, &model, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    return model;
}

static int says(const char *part)
{
    for (int i = 0; i < limber_messages_count(msg); i++)
        if (strstr(limber_messages_get(msg, i).text, part)) return 1;
    return 0;
}

static int new_messages(void **state)
{
    (void)state;
    msg = limber_messages_new();
    return msg ? 0 : -1;
}

/* Every test gives back all it took. */
static int free_messages(void **state)
{
    (void)state;
    limber_messages_free(msg);
    return lm_mem_live() == 0 ? 0 : -1;
}

static void wrong_texts_give_no_model(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "\n",
                                        "limber: 1",
                                        "nonsense",
                                        "limber: 2\n",
                                        "[1, 2",
                                        BOB "analysis: {type: dynamics}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int model;
        limber_model *out = (limber_model *)(void *)&model; /* must not stay */
        limber_messages *own = limber_messages_new();
        limber_status st =
            limber_model_parse(texts[i], strlen(texts[i]), "m.yaml", NULL, &out, own);
        assert_int_equal(st, LIMBER_INPUT);
        assert_null(out);
        assert_true(limber_messages_errors(own) > 0);
        assert_string_equal(limber_messages_get(own, 0).file, "m.yaml");
        limber_messages_free(own);
    }
    limber_model_free(NULL);
    limber_messages_free(NULL);
    limber_simulation_free(NULL);
}

static void a_run_needs_no_options(void **state)
{
    (void)state;
    limber_model *model = parse(BOB DYNAMICS);
    assert_int_equal(limber_run(model, NULL, NULL, msg), LIMBER_OK);
    limber_summary sum;
    assert_int_equal(limber_run(model, NULL, &sum, msg), LIMBER_OK);
    assert_true(sum.t == 1);
    assert_int_equal(sum.rows, 5);
    assert_string_equal(sum.reason, "");
    assert_string_equal(sum.analysis, "dynamics");
    limber_model_free(model);
}

static void a_csv_file_needs_results(void **state)
{
    (void)state;
    limber_model *model = parse(BOB DYNAMICS);
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    opt.csv = "never.csv";
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_INPUT);
    assert_int_equal(sum.status, LIMBER_INPUT);
    assert_true(says("a result file"));
    assert_int_equal(access("never.csv", F_OK), -1);
    limber_model_free(model);
}

static void analyses_by_name(void **state)
{
    (void)state;
    limber_model *model = parse(BOB);
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    opt.analysis = "statics";
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_OK);
    assert_string_equal(sum.analysis, "statics");
    opt.analysis = "dynamics"; /* without an end */
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_INPUT);
    opt.until = 0.5;
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_OK);
    assert_true(sum.t == 0.5);
    assert_int_equal(sum.rows, 1001);
    opt.analysis = "magic";
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_INPUT);
    assert_true(says("unknown analysis 'magic'"));
    opt.analysis = "campbell"; /* the model does not say what turns */
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_INPUT);
    opt.analysis = NULL; /* there is none in the model */
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_INPUT);
    opt.analysis = "statics";
    opt.formulation = "magic";
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_UNSUPPORTED);
    assert_true(says("unknown formulation 'magic'"));
    limber_model_free(model);
}

/* Times that lie behind, beyond, or nowhere are refused and change nothing. */
static void simulations_go_forward(void **state)
{
    (void)state;
    limber_model *model = parse(BOB DYNAMICS);
    limber_simulation *sim;
    double before[2], after[2];
    assert_int_equal(limber_simulation_new(model, &sim, msg), LIMBER_OK);
    assert_true(limber_simulation_time(sim) == 0);
    assert_int_equal(limber_simulation_advance(sim, 0.3), LIMBER_OK);
    assert_true(fabs(limber_simulation_time(sim) - 0.3) < 1e-12);
    assert_int_equal(limber_simulation_outputs(sim, before), LIMBER_OK);
    const double wrong[] = {0.1, -1, 1.5, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(limber_simulation_advance(sim, wrong[i]), LIMBER_INPUT);
        assert_true(strstr(limber_simulation_reason(sim), "is not between") != NULL);
    }
    assert_int_equal(limber_simulation_outputs(sim, after), LIMBER_OK);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(limber_simulation_advance(sim, limber_simulation_time(sim)), LIMBER_OK);
    assert_int_equal(limber_simulation_advance(sim, 1), LIMBER_OK);
    assert_int_equal(limber_simulation_advance(sim, 1), LIMBER_OK);
    assert_true(limber_simulation_time(sim) == 1);
    limber_simulation_free(sim);
    limber_model_free(model);
}

/* As a run does: statics that stand before the dynamics give their start. */
static void simulations_start_from_equilibrium(void **state)
{
    (void)state;
    static const char spring[] =
        BOB "forces: {spring: {type: spring, between: ['ground.at(1, 1, 0)', "
            "bob], stiffness: 30, length: 0.5}}\n"
            "analysis: [{type: statics, tolerance: 1e-8}, "
            "{type: dynamics, until: 1, output_step: 0.25}]\n";
    limber_model *model = parse(spring);
    limber_simulation *sim;
    double start[2], end[2];
    assert_int_equal(limber_simulation_new(model, &sim, msg), LIMBER_OK);
    assert_int_equal(limber_simulation_outputs(sim, start), LIMBER_OK);
    assert_int_equal(limber_simulation_advance(sim, 1), LIMBER_OK);
    assert_int_equal(limber_simulation_outputs(sim, end), LIMBER_OK);
    table r = run_model(&(run_how){.text = spring});
    assert_true(start[0] == table_first(&r, "angle"));
    assert_true(fabs(start[0]) > 0.1);    /* it was not drawn in equilibrium, */
    assert_near(end[0], start[0], 1e-10); /* and stays in it */
    table_free(&r);
    limber_simulation_free(sim);
    limber_model_free(model);
}

static void simulations_that_cannot_be(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        limber_status status;
    } wrong[] = {
        {BOB, LIMBER_INPUT},
        {BOB "analysis: {type: statics}\n", LIMBER_INPUT},
        {BOB "analysis: {type: dynamics, until: 1, method: bdf, step: 0.01}\n", LIMBER_UNSUPPORTED},
        {BOB "formulation: elastodynamic\nstates: {n: {value: 0, update: n + 1}}\n" DYNAMICS,
         LIMBER_UNSUPPORTED},
        {"limber: 1\nbodies: {a: {type: rigid, mass: 0}}\n" DYNAMICS, LIMBER_INPUT},
        {BOB "loads: {push: {on: bob, torque: [0, 0, 50]}}\n"
             "analysis: [{type: statics}, {type: dynamics, until: 1}]\n",
         LIMBER_STOPPED},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        limber_model *model = parse(wrong[i].text);
        int errors = limber_messages_errors(msg);
        limber_simulation *sim = (limber_simulation *)(void *)model; /* must not stay */
        assert_int_equal(limber_simulation_new(model, &sim, msg), wrong[i].status);
        assert_null(sim);
        assert_true(limber_messages_errors(msg) > errors);
        limber_model_free(model);
    }
}

/* One that stops stays where it is, with a reason. */
static void a_stopped_simulation_says_why(void **state)
{
    (void)state;
    limber_simulation *sim;
    double values[2];
    limber_model *model =
        parse("limber: 1\n"
              "bodies: {arm: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
              "joints: {pivot: {type: revolute, between: [ground, arm], axis: z, at: [0, 0, 0],\n"
              "                 effort: sqrt(0.5 - joint(pivot))}}\n"
              "initial: {pivot: {rate: 1}}\n"
              "outputs: {angle: joint(pivot), rate: rate(pivot)}\n" DYNAMICS);
    assert_int_equal(limber_simulation_new(model, &sim, msg), LIMBER_OK);
    assert_int_equal(limber_simulation_advance(sim, 1), LIMBER_STOPPED);
    assert_true(strstr(limber_simulation_reason(sim), "not a finite number") != NULL);
    assert_true(fabs(limber_simulation_time(sim) - 0.4687) < 1e-3);
    assert_int_equal(limber_simulation_outputs(sim, values), LIMBER_OK);
    assert_true(fabs(values[0] - 0.5) < 1e-3);
    assert_int_equal(limber_simulation_advance(sim, 1), LIMBER_STOPPED);
    limber_simulation_free(sim);
    limber_model_free(model);
}

/* A model is constant: simulations of it do not disturb each other. */
static void simulations_share_a_model(void **state)
{
    (void)state;
    limber_model *model = parse(BOB DYNAMICS);
    limber_simulation *one, *two;
    double a[2], b[2];
    assert_int_equal(limber_simulation_new(model, &one, msg), LIMBER_OK);
    assert_int_equal(limber_simulation_new(model, &two, msg), LIMBER_OK);
    for (int i = 1; i <= 10; i++)
        assert_int_equal(limber_simulation_advance(one, 0.1 * i), LIMBER_OK);
    assert_true(limber_simulation_time(two) == 0);
    for (int i = 1; i <= 10; i++)
        assert_int_equal(limber_simulation_advance(two, 0.1 * i), LIMBER_OK);
    limber_simulation_outputs(one, a);
    limber_simulation_outputs(two, b);
    assert_memory_equal(a, b, sizeof a);
    limber_simulation_free(one);
    limber_simulation_free(two);
    limber_model_free(model);
}

static void exports_that_fail(void **state)
{
    (void)state;
    assert_int_equal(limber_export_csv("/nowhere/r.h5", "-", msg), LIMBER_INPUT);
    assert_int_equal(limber_export_csv("/nowhere/r.h5", "/nowhere/r.csv", msg), LIMBER_IO);
    assert_int_equal(limber_export_csv("", "-", msg), LIMBER_INPUT);
    assert_int_equal(limber_messages_errors(msg), 3);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, new_messages, free_messages)
    const struct CMUnitTest tests[] = {
        TEST(wrong_texts_give_no_model),  TEST(a_run_needs_no_options),
        TEST(a_csv_file_needs_results),   TEST(analyses_by_name),
        TEST(simulations_go_forward),     TEST(simulations_start_from_equilibrium),
        TEST(simulations_that_cannot_be), TEST(a_stopped_simulation_says_why),
        TEST(simulations_share_a_model),  TEST(exports_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
