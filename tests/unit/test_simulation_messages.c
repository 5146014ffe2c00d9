/* A simulation says of formulations that take deformations to be small what a run of them says: with a number
 * where results are off, once, and nothing where they are right. */
#include "support/run_model.h"

/* A cantilever that a force at its end bends by P of its length, in the units of small deflections. */
#define CANTILEVER(body)                                                                           \
    "limber: 1\n"                                                                                  \
    "parameters: {P: 1}\n"                                                                         \
    "sections: {s: {shape: stiffness, EA: 1e5, EIy: 10, EIz: 10, GJ: 8, rhoA: 1, rhoIy: 1e-3, "    \
    "rhoIz: 1e-3}}\n"                                                                              \
    "bodies: {arm: " body "}\n"                                                                    \
    "joints: {clamp: {type: fixed, between: [ground, arm.start]}}\n"                               \
    "loads: {p: {on: arm.end, force: [0, '30*P*step(t, 0, 0, 2, 1)', 0]}}\n"                       \
    "analysis: {type: dynamics, until: 2, output_step: 0.5}\n"
#define BEAM "{type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 4}"

static const struct {
    const char *formulation, *text, *says;
} far_bent[] = {
    {"formulation: {type: ffr}\n", CANTILEVER(BEAM), "can put its deflections off by"},
    {"formulation: {type: ffr, substructures: 1}\n", CANTILEVER(BEAM), "substructures: "},
    {"formulation: {type: elastodynamic}\n", CANTILEVER(BEAM), "linear in that"},
    {"formulation: {type: corotational}\n",
     CANTILEVER("{type: superelement, beam: {section: s, length: 1, deformations: small}, "
                "nodes: {middle: [0.5, 0, 0]}, frame: start}"),
     "displacements within it are off by"},
    {"formulation: {type: rfe}\n", CANTILEVER(BEAM), "rigid pieces do not bend"},
    {"formulation: {type: corotational}\n", CANTILEVER(BEAM), NULL},
};

static limber_model *parse(int which, const char *set, limber_messages *msg)
{
    char text[2000];
    const char *sets[] = {set};
    limber_load_options how = {.set = sets, .set_count = 1};
    limber_model *model = NULL;
    snprintf(text, sizeof text, "%s%s", far_bent[which].text, far_bent[which].formulation);
    limber_status st = limber_model_parse(text, strlen(text), "arm.yaml", &how, &model, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    return model;
}

static void told(int which, const char *set, const char *part)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = parse(which, set, msg);
    limber_simulation *sim = NULL;
    assert_int_equal(limber_simulation_new(model, &sim, msg), LIMBER_OK);
    assert_int_equal(limber_messages_count(limber_simulation_messages(sim)), 0);
    for (int k = 1; k <= 4; k++)
        assert_int_equal(limber_simulation_advance(sim, 0.5 * k), LIMBER_OK);
    const limber_messages *said = limber_simulation_messages(sim);
    assert_int_equal(limber_messages_count(said), part ? 1 : 0);
    assert_int_equal(limber_messages_count(limber_simulation_messages(sim)), part ? 1 : 0);
    if (part) assert_non_null(strstr(limber_messages_get(said, 0).text, part));
    limber_simulation_free(sim);
    limber_model_free(model);
    limber_messages_free(msg);
}

static void deformations_that_are_too_large(void **state)
{
    (void)state;
    for (int i = 0; i < (int)(sizeof far_bent / sizeof *far_bent); i++)
        told(i, "P=0.3", far_bent[i].says);
}

static void small_deformations(void **state)
{
    (void)state;
    for (int i = 0; i < (int)(sizeof far_bent / sizeof *far_bent); i++) {
        const char *says =
            far_bent[i].says; /* what rigid pieces lack is a part of any deflection */
        told(i, "P=0.01", says && strstr(says, "rigid pieces") ? says : NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deformations_that_are_too_large),
                                       cmocka_unit_test(small_deformations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
