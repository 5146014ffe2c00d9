/* Bodies in one place are as large as their radii of gyration, however rounding or a small eccentricity moves them:
 * frequencies, equilibria and motions in closed form, for every place of the center of mass and in any units. */
#include "support/run_model.h"

#define PI 3.14159265358979323846
#define BODY                                                                                       \
    "limber: 1\n"                                                                                  \
    "parameters: {e: 0, m: 1, kg: 1, N: \"kg*m\"}\n"                                               \
    "bodies: {b: {type: rigid, mass: 10*kg, inertia: [kg*m^2, kg*m^2, 1.5*kg*m^2], com: [e*m, "    \
    "0, 0]}}\n"
#define BUSHING                                                                                    \
    "forces: {k: {type: bushing, between: [ground, b], stiffness: [1000*N/m, 2000*N/m, "           \
    "3000*N/m, 300*N*m, 400*N*m, 500*N*m]}}\n"

static const char modes[] = BODY BUSHING "analysis: {type: modes}\n"
                                         "outputs: {x: pos(b).x}\n";
static const char swing[] = BODY BUSHING "loads: {F: {on: b, force: [N, 0, 0]}}\n"
                                         "analysis: {type: dynamics, until: 1, output_step: 0.1}\n"
                                         "outputs: {x: pos(b).x/m}\n";
static const char hung[] =
    BODY "gravity: [0, 0, -9.81*m]\n"
         "joints: {p: {type: prismatic, between: [ground, b], axis: z, stiffness: 100*N/m}}\n"
         "analysis: {type: statics}\n"
         "outputs: {z: joint(p)/m}\n";

static const char *const place[] = {"e=0",    "e=0.1*cos(90*deg)", "e=1e-8", "e=1e-5", "e=1e-4",
                                    "e=-1e-3"};
static const char *const unit[][2] = {
    {"m=1", "kg=1"}, {"m=1000", "kg=1e-3"}, {"m=1e-3", "kg=1000"}, {"m=10", "kg=1e6"}};
static const char *const form[] = {NULL, "minimal", "rfe"};
enum { PLACES = 6, UNITS = 4, FORMS = 3 };

/* Every place, unit and formulation. */
static int next(int k, const char *text, run_how *how)
{
    if (k == PLACES * UNITS * FORMS) return 0;
    *how = (run_how){
        .text = text,
        .set = {place[k % PLACES], unit[k / PLACES % UNITS][0], unit[k / PLACES % UNITS][1]},
        .formulation = form[k / PLACES / UNITS]};
    return 1;
}

static void frequencies(void **unused)
{
    const double square[6] = {100, 200, 300, 300, 500 / 1.5, 400};
    run_how how;
    (void)unused;
    for (int k = 0; next(k, modes, &how); k++) {
        table t = run_model(&how);
        assert_int_equal(t.rows, 6);
        for (int i = 0; i < 6; i++) {
            double f = sqrt(square[i]) / (2 * PI);
            assert_near(table_get(&t, i, "frequency"), f, 5e-5 * f);
        }
        table_free(&t);
    }
}

static void equilibrium(void **unused)
{
    run_how how;
    (void)unused;
    for (int k = 0; next(k, hung, &how); k++) {
        table t = run_model(&how);
        assert_near(table_last(&t, "z"), -0.981, 1e-9);
        table_free(&t);
    }
}

static void motion(void **unused)
{
    run_how how;
    (void)unused;
    for (int k = 0; next(k, swing, &how); k++) {
        table t = run_model(&how);
        assert_near(table_last(&t, "x"), 1e-3 * (1 - cos(10.)), 1e-6);
        table_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies),
        cmocka_unit_test(equilibrium),
        cmocka_unit_test(motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
