/* Damping by mass in a shaft that spins: it turns with the shaft, and drives whirl beyond a critical speed.
 *
 * In axes that stand still z = y + i z obeys, for a bending mode of frequency w,
 *
 *     z.. + a (z. - i W z) + w^2 z = 0,
 *
 * but for what chords make of it, which goes with the fourth power of an element's length,
 * whose roots s have the real parts of those in axes that turn with the shaft. */
#include "support/linear.h"

#include <complex.h>

enum { SPEED = 400, ALPHA = 2 };

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr"};
enum { NFORMS = 4 };

#define SHAFT(elements)                                                                            \
    "limber: 1\n"                                                                                  \
    "sections: {w: {shape: stiffness, EA: 2e7, EIy: 2000, EIz: 2000, GJ: 1500, rhoA: 6,\n"         \
    "  rhoIy: 2e-9, rhoIz: 2e-9, damping: {mass: 2}}}\n"                                           \
    "bodies:\n"                                                                                    \
    "  hub: {type: rigid, mass: 2, inertia: [.1, .1, .1]}\n"                                       \
    "  a: {type: beam, section: w, from: [0, 0, 0], to: [1, 0, 0], elements: " elements "}\n"
#define DRIVE "  d: {type: revolute, between: [ground, hub], axis: x, drive: 400*t}\n"
#define HINGED                                                                                     \
    "joints:\n" DRIVE "  u: {type: universal, between: [hub, a.start], axes: [y, z]}\n"            \
    "  r: {type: inline, between: [ground, a.end], axis: x}\n"
#define CLAMPED "joints:\n" DRIVE "  u: {type: fixed, between: [hub, a.start]}\n"
#define BUSHING                                                                                    \
    "joints:\n" DRIVE "forces: {u: {type: bushing, between: [hub, a.start],\n"                     \
    "  stiffness: [1e9, 1e9, 1e9, 1e8, 1e8, 1e8]}}\n"
#define CAMPBELL "analysis: {type: campbell, drive: d, speeds: [0, 400, 3], count: 4}\n"

/* Real parts of the two roots. */
static void real_parts(double w, double re[2])
{
    double complex half = ALPHA / 2.0, root = csqrt(half * half - w * w + I * ALPHA * SPEED);
    re[0] = creal(-half + root), re[1] = creal(-half - root);
}

/* The least distance of the real part of a root at a speed to x. */
static double off(const table *r, double x)
{
    double best = INFINITY;
    for (int i = 0; i < r->rows; i++) {
        double w = 2 * PI * table_get(r, i, "frequency"), z = table_get(r, i, "damping_ratio");
        if (table_get(r, i, "speed") == SPEED) best = fmin(best, fabs(-z * w - x));
    }
    return best;
}

static void against_closed_form(const char *text, double tolerance)
{
    for (int k = 0; k < NFORMS; k++) {
        table r = run_model(&(run_how){.text = text, .formulation = forms[k]});
        double w = INFINITY, re[2];
        for (int i = 0; i < r.rows; i++)
            if (table_get(&r, i, "speed") == 0) w = fmin(w, 2 * PI * table_get(&r, i, "frequency"));
        real_parts(w, re);
        assert_true(re[0] > 1);
        assert_under(off(&r, re[0]), tolerance * re[0]);
        assert_under(off(&r, re[1]), tolerance * re[0]);
        assert_near(r.sum.unstable_from / w, 1, 1e-3); /* from the critical speed on */
        table_free(&r);
    }
}

static void roots(void **state)
{
    (void)state;
    against_closed_form(SHAFT("8") HINGED CAMPBELL, 1e-4);
    against_closed_form(SHAFT("8") CLAMPED CAMPBELL, 1e-4);
    against_closed_form(SHAFT("8") BUSHING CAMPBELL, 1e-4);
}

/* ---- periodic motion ---- */

static void keep_largest(void *context, const limber_multiplier *m)
{
    if (m->number == 1) *(double *)context = m->growth;
}

/* Deviations grow as the root of the greatest real part does, in coordinates in which they are periodic, too. */
static void multipliers(void **state)
{
    (void)state;
    for (int k = 0; k < NFORMS; k++) {
        double growth = NAN, re[2], w = INFINITY;
        table r =
            run_model(&(run_how){.text = SHAFT("4") HINGED CAMPBELL, .formulation = forms[k]});
        for (int i = 0; i < r.rows; i++)
            if (table_get(&r, i, "speed") == 0) w = fmin(w, 2 * PI * table_get(&r, i, "frequency"));
        table_free(&r);
        limber_messages *msg = limber_messages_new();
        limber_model *model = modes_parse(
            SHAFT("4") HINGED "analysis: {type: periodic, period: 2*pi/400, tolerance: 1e-7}\n",
            msg);
        limber_run_options o = limber_run_options_default();
        limber_summary sum;
        o.formulation = forms[k];
        o.multiplier = keep_largest;
        o.multiplier_context = &growth;
        assert_int_equal(limber_run(model, &o, &sum, msg), LIMBER_OK);
        real_parts(w, re);
        assert_near(growth / re[0], 1, 1e-3);
        limber_model_free(model);
        limber_messages_free(msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(roots), cmocka_unit_test(multipliers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
