/* Ropes: beams whose weight matters more than their bending stiffness. The second order of the mass centre's
 * place decides over their stability, at the free end most of all. */
#include "support/run_model.h"

/* Hinged about y, rhoA g h^3/EI up to 4e6. */
#define ROPE                                                                                       \
    "limber: 1\n"                                                                                  \
    "parameters: {N: 20, a: 0}\n"                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "sections: {s: {shape: stiffness, EA: 1e6, EIy: 1e-5, EIz: 1e-5, GJ: 1e-5, rhoA: 0.5,"         \
    " rhoIy: 1e-9, rhoIz: 1e-9}}\n"                                                                \
    "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [0, 0, -2], elements: N}}\n"        \
    "joints: {c: {type: revolute, between: [ground, b.start], axis: y}}\n"                         \
    "initial: {c: {angle: a}}\n"                                                                   \
    "outputs: {x: pos(b.end).x}\n"

static const char *const formulations[] = {"corotational", "minimal"};

/* Zeros of J_0(2 omega sqrt(L/g)), in the plane in which it is hinged; its EI adds 2e-5 of the second one.
 * In the other plane the clamped end adds the root of EI/(rhoA g L^2) and more. */
static void hanging(void **state)
{
    static const double zero[] = {2.404825557695773, 5.520078110286311};
    static const char *const meshes[] = {"N=1", "N=2", "N=5", "N=20"};
    static const double most[][2] = {{5e-6, 5e-3}, {5e-6, 3e-4}, {5e-6, 3e-5}, {5e-6, 3e-5}};
    (void)state;
    for (int f = 0; f < 2; f++)
        for (int n = 0; n < 4; n++) {
            table r = run_model(
                &(run_how){.text = ROPE "analysis: {type: modes, about: statics, count: 4}\n",
                           .set = {meshes[n]},
                           .formulation = formulations[f]});
            for (int i = 0; i < 2; i++) {
                double exact = 0.5 * zero[i] * sqrt(9.81 / 2), w = table_get(&r, 2 * i, "omega");
                assert_near(w / exact, 1, most[n][i]);
            }
            table_free(&r);
        }
}

/* A swing of 0.01 rad at its lowest frequency and others: the sum of modes goes on being small, where the
 * last section turned over. */
static void swinging(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++) {
        run_how how = {.text = ROPE "analysis: {type: dynamics, until: 0.9, output_step: 0.3}\n",
                       .set = {"a=0.01"},
                       .formulation = formulations[f]};
        table coarse = run_model(&how);
        how.set[1] = "N=40";
        table fine = run_model(&how);
        assert_near(table_last(&coarse, "x"), table_last(&fine, "x"), 1e-4);
        assert_near(table_last(&fine, "x"), 0.0196, 1e-4);
        table_free(&coarse);
        table_free(&fine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hanging), cmocka_unit_test(swinging)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
