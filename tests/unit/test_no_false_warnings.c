/* What is right is not called doubtful: models in which a measure of doubt has nothing to go by. */
#include "support/listen.h"

/* A source that jumps gives its storage the energy in an instant: e (f0 + f1)/2 = 5 (4 - 1)/2 = 7.5. A row at that
 * instant shows the far side, as its energies do. */
static const char jump[] = "limber: 1\n"
                           "power:\n"
                           "  s: {type: Sf, flow: 'if(t>1,2,1)', on: j}\n"
                           "  j: {type: 1, domain: rotation}\n"
                           "  l: {type: I, inertia: 5, on: j}\n"
                           "analysis: {type: dynamics, until: 2, output_step: 0.1}\n"
                           "outputs: {i: flow(l), p: state(l)}\n";

/* All rows lie where the motion has come to rest again: the energy that was exchanged is seen between them. */
static const char rests[] =
    "limber: 1\n"
    "bodies: {cart: {type: rigid, mass: 2}}\n"
    "joints: {rail: {type: prismatic, between: [ground, cart], axis: x, effort: '-8*flt - 20*ig - "
    "5*rate(rail) - 60*joint(rail)'}}\n"
    "blocks:\n"
    "  flt: {type: filter, input: joint(rail), time_constant: 0.1}\n"
    "  ig: {type: integrator, input: joint(rail)}\n"
    "loads: {l: {on: cart, force: [3, 0, 0]}}\n"
    "analysis: {type: dynamics, until: 200, output_step: 50, tolerance: 1e-9}\n"
    "outputs: {x: joint(rail)}\n";

/* Half a million steps over a pulse of some milliseconds, in seconds. */
static const char pulse[] = "limber: 1\n"
                            "bodies: {b: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
                            "joints: {s: {type: prismatic, between: [ground, b], axis: x}}\n"
                            "loads: {f: {on: b, force: ['1/cosh((t - 432.1)*1e3)^2', 0, 0]}}\n"
                            "analysis: {type: dynamics, until: 2000, output_step: 200}\n"
                            "outputs: {x: rate(s)}\n";

static void says_not(const char *text, const char *what)
{
    char said[SAID];
    run_listen(&(run_how){.text = text}, said);
    if (strstr(said, what)) fail_msg("%s", said);
}

static void no_energy_is_missing(void **state)
{
    (void)state;
    says_not(jump, "balance is violated");
    says_not(rests, "balance is violated");
    table r = run_model(&(run_how){.text = jump});
    assert_near(table_at(&r, "i", 1), 2, 1e-12);
    assert_near(table_at(&r, "p", 1), 10, 1e-12);
    assert_near(table_at(&r, "i", 0.9), 1, 1e-12);
    assert_under(r.sum.energy_error, 1e-9);
    table_free(&r);
    r = run_model(&(run_how){.text = rests});
    assert_under(r.sum.energy_error, 1e-6);
    table_free(&r);
}

static void a_pulse_is_no_standstill(void **state)
{
    (void)state;
    says_not(pulse, "hardly any progress");
}

/* Two million corners of which one matters are said before the first step; two thousand are not. */
#define TEETH(rate)                                                                                \
    "limber: 1\n"                                                                                  \
    "bodies: {b: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"                                    \
    "joints: {s: {type: prismatic, between: [ground, b], axis: x}}\n"                              \
    "loads: {f: {on: b, force: ['if(floor(t*" rate ") == 777, 5, 0)', 0, 0]}}\n"                   \
    "analysis: {type: dynamics, until: 2, output_step: 1}\n"                                       \
    "outputs: {x: rate(s)}\n"

static int interrupt(void *context, const limber_progress *p)
{
    (void)context, (void)p;
    return 1;
}

static int says_steps(const char *text)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_run_options opt = {.progress = interrupt};
    int said = 0;
    assert_int_equal(limber_model_parse(text, strlen(text), "teeth.yaml", NULL, &model, msg), 0);
    limber_run(model, &opt, NULL, msg);
    for (int i = 0; i < limber_messages_count(msg); i++)
        said |= strstr(limber_messages_get(msg, i).text, "takes some 2e+06 steps") != NULL;
    limber_model_free(model);
    limber_messages_free(msg);
    return said;
}

static void costs_are_said(void **state)
{
    (void)state;
    assert_int_equal(says_steps(TEETH("1e6")), 1);
    assert_int_equal(says_steps(TEETH("1e3")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_energy_is_missing),
                                       cmocka_unit_test(a_pulse_is_no_standstill),
                                       cmocka_unit_test(costs_are_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
