/* What the list of analyses promises: each begins where the one before it ends, in a run and in a simulation
 * alike; one that the model does not have takes the defaults of the file. */
#include "support/run_model.h"

#include "analysis/run.h"
#include "model/schema.h"

#define PART                                                                                       \
    "limber: 1\n"                                                                                  \
    "bodies: {m: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"                                    \
    "loads: {f: {on: m, force: [10*cos(7*t), 0, 0]}}\n"                                            \
    "outputs: {x: pos(m).x, v: vel(m).x}\n"
#define RAIL                                                                                       \
    "joints: {rail: {type: prismatic, between: [ground, m], axis: x, stiffness: 100, damping: "    \
    "2}}\n"
#define CYCLE "{type: periodic, period: 2*pi/7}"
#define SHORT "{type: dynamics, until: 0.5, output_step: 0.1}"

static limber_model *parse(const char *text, limber_messages *msg)
{
    limber_model *model = NULL;
    limber_status st = limber_model_parse(text, strlen(text), "text.yaml", NULL, &model, msg);
    for (int i = 0; st && i < limber_messages_count(msg); i++)
        print_message("%s\n", limber_messages_get(msg, i).text);
    assert_int_equal(st, LIMBER_OK);
    return model;
}

/* The list has the words of the schema, in their order. */
static void names_of_the_schema(void **state)
{
    const lm_key *type = lm_schema_variant(lm_schema_object(LM_OBJECT_ANALYSIS));
    char word[LM_CHOICE_MOST];
    (void)state;
    assert_int_equal(lm_choices_count(type->choices), LM_ANALYSES);
    for (int i = 0; i < LM_ANALYSES; i++) {
        lm_choices_get(type->choices, i, word);
        assert_string_equal(lm_analysis_name((lm_analysis_type)i), word);
        assert_int_equal(lm_analysis_find(word), i);
    }
    assert_int_equal(lm_analysis_find("dynamic"), -1);
}

/* ---- step by step ---- */

/* The state at the start of the dynamics is the one that the analyses before it leave, to the bit. */
static void simulation_follows_the_list(void **state)
{
    static const char *const list[] = {
        PART RAIL "analysis: " SHORT "\n", PART RAIL "analysis: [{type: statics}, " SHORT "]\n",
        PART RAIL "analysis: [" CYCLE ", " SHORT "]\n",
        PART RAIL "analysis: [{type: modes}, {type: statics}, " CYCLE ", " SHORT "]\n"};
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        limber_messages *msg = limber_messages_new();
        limber_model *model = parse(list[i], msg);
        limber_simulation *sim = NULL;
        double first[2], last[2];
        table run = run_model(&(run_how){.text = list[i]});
        assert_int_equal(limber_simulation_new(model, &sim, msg), LIMBER_OK);
        assert_int_equal(limber_simulation_outputs(sim, first), LIMBER_OK);
        assert_int_equal(limber_simulation_advance(sim, 0.5), LIMBER_OK);
        assert_int_equal(limber_simulation_outputs(sim, last), LIMBER_OK);
        assert_near(first[0], table_first(&run, "x"), 0);
        assert_near(first[1], table_first(&run, "v"), 0);
        assert_near(last[0], table_last(&run, "x"), 1e-12);
        limber_simulation_free(sim);
        limber_model_free(model);
        limber_messages_free(msg);
        table_free(&run);
    }
}

/* What a run refuses a simulation refuses too, with the same words. */
static void simulation_refuses_the_same(void **state)
{
    static const char *const list[] = {
        PART RAIL "analysis: [{type: periodic, period: 1}, " SHORT "]\n",
        PART RAIL "states: {n: {update: n + 1}}\nanalysis: [" CYCLE ", " SHORT "]\n"};
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        limber_messages *a = limber_messages_new(), *b = limber_messages_new();
        limber_model *model = parse(list[i], a);
        limber_simulation *sim = NULL;
        limber_status st = limber_run(model, NULL, NULL, a);
        assert_true(st == LIMBER_INPUT || st == LIMBER_UNSUPPORTED);
        assert_int_equal(limber_simulation_new(model, &sim, b), st);
        assert_null(sim);
        assert_int_equal(limber_messages_count(a), limber_messages_count(b));
        assert_string_equal(limber_messages_get(a, 0).text, limber_messages_get(b, 0).text);
        limber_model_free(model);
        limber_messages_free(a);
        limber_messages_free(b);
    }
}

/* Each allocation on the way to a simulation fails in turn: a status, nothing lost. */
static void simulation_without_memory(void **state)
{
    (void)state;
    limber_messages *msg = limber_messages_new();
    limber_model *model = parse(PART RAIL "analysis: [{type: statics}, {type: periodic, period: "
                                          "2*pi/7, steps: 8}, " SHORT "]\n",
                                msg);
    limber_simulation *sim = NULL;
    long live = lm_mem_live();
    limber_messages *said = limber_messages_new(); /* which make room for themselves */
    long before = lm_mem_allocs();
    assert_int_equal(limber_simulation_new(model, &sim, said), LIMBER_OK);
    long total = lm_mem_allocs() - before;
    limber_simulation_free(sim);
    limber_messages_free(said);
    assert_int_equal(lm_mem_live(), live);
    for (long k = 1; k <= total; k++) {
        limber_messages *own = limber_messages_new();
        lm_mem_fail_after(k);
        limber_status st = limber_simulation_new(model, &sim, own);
        lm_mem_fail_after(0);
        if (st == LIMBER_OK) fail_msg("allocation %ld failed without a word", k);
        assert_null(sim);
        limber_messages_free(own);
        if (lm_mem_live() != live) fail_msg("allocation %ld: %ld leaked", k, lm_mem_live() - live);
    }
    limber_model_free(model);
    limber_messages_free(msg);
}

/* ---- linearised models ---- */

#define SWING                                                                                      \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies: {rod: {type: rigid, mass: 3, inertia: [0.1, 0.1, 0.25], position: [0, -0.8, 0]}}\n"   \
    "joints: {pivot: {type: revolute, between: [ground, rod], axis: z, at: [0, 0, 0], "            \
    "effort: 4*cos(2*t), damping: 3}}\n"                                                           \
    "outputs: {angle: joint(pivot)}\n"                                                             \
    "initial: {pivot: {angle: 0.4}}\n"

/* J s^2 + 3 s + m g r cos(angle) = 0 has the pole pair. */
static double angle_of(const table *r)
{
    double re = table_get(r, 0, "real"), im = table_get(r, 0, "imaginary");
    return acos((re * re + im * im) * (0.25 + 3 * 0.64) / (3 * 9.81 * 0.8));
}

/* A state of the dynamics that begins where a periodic motion begins, not where the model does. */
static void linearized_after_a_cycle(void **state)
{
    (void)state;
#define TURN "{type: periodic, period: pi}"
#define RUN  "{type: dynamics, until: 1, output_step: 0.5, tolerance: 1e-9}"
    table run = run_model(&(run_how){.text = SWING "analysis: [" TURN ", " RUN "]\n"});
    table at = run_model(
        &(run_how){.text = SWING "analysis: [" TURN ", " RUN ", {type: linearize, at: 0.5}]\n"});
    assert_near(angle_of(&at), fabs(table_at(&run, "angle", 0.5)), 1e-6);
    assert_int_equal(at.sum.linearized_at_rest, 0);
    table_free(&at);
    table_free(&run);
}

/* Its start is where the analyses before it end. */
static void linearized_at_the_start(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.text = SWING "analysis: [{type: statics}, " RUN
                                                 ", {type: linearize, at: 0}]\n"});
    assert_near(angle_of(&r), asin(4 / (3 * 9.81 * 0.8)), 1e-6);
    table_free(&r);
    r = run_model(&(run_how){.text = SWING "analysis: [" RUN ", {type: linearize, at: 0}]\n"});
    assert_near(angle_of(&r), 0.4, 1e-9);
    table_free(&r);
}

/* The motion after a static equilibrium is not at rest. */
static void a_cycle_is_not_at_rest(void **state)
{
    (void)state;
    table cycle = run_model(&(run_how){.text = SWING "analysis: " TURN "\n"});
    table r = run_model(
        &(run_how){.text = SWING "analysis: [{type: statics}, " TURN ", {type: linearize}]\n"});
    assert_int_equal(r.sum.linearized_at_rest, 0);
    assert_near(angle_of(&r), fabs(table_first(&cycle, "angle")), 1e-9);
    table_free(&cycle);
    table_free(&r);
}

/* ---- what is told ---- */

typedef struct told {
    int lists, elements;
    double given; /* by the first element */
} told;

static void count(void *context, const limber_power_flow *flow)
{
    told *t = context;
    t->elements++;
    if (flow->number == 1) t->lists++, t->given = flow->out;
}

/* Runs on the way to a state tell nothing: the flows are those of the analysis in the list. */
static void only_what_is_listed_is_told(void **state)
{
    static const char *const list[] = {
        "{type: dynamics, until: 1}\n",
        "[{type: dynamics, until: 1}, {type: linearize, at: 0.3}]\n"};
    static const char circuit[] = "limber: 1\n"
                                  "power:\n"
                                  "  loop: {type: 1, domain: electric}\n"
                                  "  source: {type: Se, on: loop, effort: 5}\n"
                                  "  coil: {type: I, on: loop, inertia: 0.2}\n"
                                  "  wire: {type: R, on: loop, resistance: 2}\n"
                                  "analysis: ";
    told t[2] = {{0}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[600];
        limber_messages *msg = limber_messages_new();
        limber_run_options o = limber_run_options_default();
        snprintf(text, sizeof text, "%s%s", circuit, list[i]);
        limber_model *model = parse(text, msg);
        o.power = count;
        o.power_context = &t[i];
        assert_int_equal(limber_run(model, &o, NULL, msg), LIMBER_OK);
        limber_model_free(model);
        limber_messages_free(msg);
    }
    assert_int_equal(t[0].lists, 1);
    assert_int_equal(t[1].lists, 1);
    assert_int_equal(t[1].elements, t[0].elements);
    assert_near(t[1].given, t[0].given, 0);
}

/* ---- defaults ---- */

#define BEAM                                                                                       \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7800}}\n"                                        \
    "sections: {bar: {material: steel, shape: rectangle, height: 0.01, width: 0.02}}\n"            \
    "bodies: {b: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 4}}\n"       \
    "joints: {wall: {type: fixed, between: [ground, b.start]}}\n"                                  \
    "outputs: {tip: pos(b.end).y}\n"
#define BALL                                                                                       \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"                                    \
    "outputs: {y: pos(b).y}\n"

static limber_summary named(const char *text, const char *analysis, double until)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = parse(text, msg);
    limber_run_options o = limber_run_options_default();
    limber_summary sum;
    o.analysis = analysis;
    o.until = until;
    assert_int_equal(limber_run(model, &o, &sum, msg), LIMBER_OK);
    limber_model_free(model);
    limber_messages_free(msg);
    return sum;
}

/* An analysis asked for by name is the same whether the file has an entry without keys or none. */
static void defaults_with_and_without_an_entry(void **state)
{
    static const struct {
        const char *text, *analysis, *entry, *method;
    } list[] = {
        {BEAM, "dynamics", "analysis: {type: dynamics, until: 0.02}\n", "radau"},
        {BALL, "dynamics", "analysis: {type: dynamics, until: 0.02}\n", "generalized-alpha"},
        {BEAM, "statics", "analysis: {type: statics}\n", "newton"},
        {BEAM, "modes", "analysis: {type: modes}\n", "dense"}};
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[1500];
        snprintf(text, sizeof text, "%s%s", list[i].text, list[i].entry);
        limber_summary with = named(text, list[i].analysis, 0.02);
        limber_summary without = named(list[i].text, list[i].analysis, 0.02);
        assert_string_equal(with.method, list[i].method);
        assert_string_equal(without.method, list[i].method);
        assert_int_equal(with.steps, without.steps);
        assert_int_equal(with.rows, without.rows);
        assert_int_equal(with.iterations, without.iterations);
        assert_int_equal(with.modes, without.modes);
    }
}

/* `rho_inf` is a number of generalized-alpha: who gives it means that method. */
static void a_number_of_a_method_chooses_it(void **state)
{
    (void)state;
    limber_summary sum =
        named(BEAM "analysis: {type: dynamics, until: 0.001, rho_inf: 0.5}\n", NULL, 0);
    assert_string_equal(sum.method, "generalized-alpha");
    sum = named(BEAM "analysis: {type: dynamics, until: 0.001, rho_inf: 0.5, method: radau}\n",
                NULL, 0);
    assert_string_equal(sum.method, "radau");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_the_schema),
        cmocka_unit_test(simulation_follows_the_list),
        cmocka_unit_test(simulation_refuses_the_same),
        cmocka_unit_test(simulation_without_memory),
        cmocka_unit_test(linearized_after_a_cycle),
        cmocka_unit_test(linearized_at_the_start),
        cmocka_unit_test(a_cycle_is_not_at_rest),
        cmocka_unit_test(only_what_is_listed_is_told),
        cmocka_unit_test(defaults_with_and_without_an_entry),
        cmocka_unit_test(a_number_of_a_method_chooses_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
