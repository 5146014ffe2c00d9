/* Mechanisms that move by their dimensions only: which constraints are independent depends on every lever arm. */
#include "support/run_model.h"

/* A coupler on three cranks, the origins of all bodies anywhere: it moves where the cranks are parallel and equal. Three
 * revolute joints close two loops in the plane; three rows of either hold across the plane again, and of parallel cranks
 * the third holds nothing new. */
#define CRANKS                                                                                     \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.1, 0.3, 0]}\n"                   \
    "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1.05, 0.4, 0]}\n"                  \
    "  c: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [2.2, 0.6, 0]}\n"                   \
    "  d: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.7, 1.1, 0]}\n"                   \
    "joints:\n"                                                                                    \
    "  a0: {type: revolute, between: [ground, a], axis: z, at: [0, 0, 0]}\n"                       \
    "  b0: {type: revolute, between: [ground, b], axis: z, at: [1, 0, 0]}\n"                       \
    "  c0: {type: revolute, between: [ground, c], axis: z, at: [2, 0, 0]}\n"                       \
    "  a1: {type: revolute, between: [a, d], axis: z, at: [0.2, 1, 0]}\n"                          \
    "  b1: {type: revolute, between: [b, d], axis: z, at: [1.2, 1, 0]}\n"                          \
    "  c1: {type: revolute, between: [c, d], axis: z, at: [%g, 1, 0]}\n"                           \
    "formulation: %s\n"                                                                            \
    "analysis: {type: dynamics, until: 1}\n"

static limber_check_info checked(double at, const char *formulation)
{
    char text[2000];
    limber_check_info info;
    limber_model *model = NULL;
    limber_messages *msg = limber_messages_new();
    snprintf(text, sizeof text, CRANKS, at, formulation);
    assert_int_equal(limber_model_parse(text, strlen(text), "cranks", NULL, &model, msg),
                     LIMBER_OK);
    assert_int_equal(limber_check(model, &info, msg), LIMBER_OK);
    limber_model_free(model);
    limber_messages_free(msg);
    return info;
}

static void parallel_cranks(void **state)
{
    static const char *const form[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
    (void)state;
    for (int f = 0; f < 5; f++) {
        assert_int_equal(checked(2.2, form[f]).mobility, 1);
        assert_int_equal(checked(2.25, form[f]).mobility, 0);
    }
    assert_int_equal(checked(2.2, "corotational").redundant, 7);
    assert_int_equal(checked(2.25, "corotational").redundant, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parallel_cranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
