/* A hinged shaft that spins, with rotary inertia: its frequencies seen from the ground are the roots of
 *     (rhoA + rhoI k^2) f^2 - 2 rhoI W k^2 f - EI k^4 = 0,   k = n pi/L,
 * and errors fall with the fourth power of the elements' size. With shear they are those of
 *     (GA k^2 - rhoA f^2) (EI k^2 + GA - rhoI f^2 + 2 rhoI W f) = GA^2 k^2. */
#include "support/listen.h"

static const char shaft[] =
    "limber: 1\n"
    "parameters: {N: 4, GA: 1e12}\n"
    "sections: {s: {shape: stiffness, EA: 1e7, GJ: 3e6, EIy: 500, EIz: 500, GAy: GA, GAz: GA, "
    "rhoA: 2, rhoIy: 0.02, rhoIz: 0.02}}\n"
    "bodies:\n"
    "  b: {type: beam, section: s, from: [0, 0, 0], to: [1.3, 0, 0], elements: N, y_axis: y, "
    "theory: timoshenko}\n"
    "  cup: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "joints:\n"
    "  d: {type: revolute, between: [ground, cup], at: [0, 0, 0], axis: x, drive: \"200*t\"}\n"
    "  u: {type: universal, between: [cup, b.start], at: [0, 0, 0], axes: [y, z]}\n"
    "  T: {type: inline, between: [ground, b.end], axis: x}\n"
    "analysis: {type: campbell, drive: d, speeds: [0, 200, 2], count: 6, frame: fixed}\n";

static const char *const form[] = {"corotational", "minimal", "ffr", "elastodynamic"};
enum { FORMS = 4 };

/* Of the listed frequencies at the last speed the one nearest to `exact`, Hz, less it. */
static double miss(const char *elements, const char *shear, const char *formulation, double exact)
{
    table t =
        run_model(&(run_how){.text = shaft, .formulation = formulation, .set = {elements, shear}});
    double best = INFINITY;
    for (int i = 0; i < t.rows; i++) {
        const double off = table_get(&t, i, "frequency") - exact;
        if (table_get(&t, i, "speed") > 100 && fabs(off) < fabs(best)) best = off;
    }
    table_free(&t);
    return best;
}

static void frequencies(void **state)
{
    const double pi = 3.14159265358979323846, k = pi / 1.3;
    const double a = 2 + 0.02 * k * k, b = 0.02 * 200 * k * k,
                 root = sqrt(b * b + a * 500 * pow(k, 4));
    (void)state;
    for (int way = -1; way < 2; way += 2)
        for (int i = 0; i < FORMS; i++) {
            const double exact = (root + way * b) / a / (2 * pi);
            const double e4 = miss("N=4", "GA=1e12", form[i], exact);
            const double e8 = miss("N=8", "GA=1e12", form[i], exact);
            assert_between(log2(e4 / e8), 3.7, 4.3);
            assert_under(fabs(e8), 0.003);
        }
}

/* Shear angles do not vanish with the elements' size: the moment of momentum is along the sections, not the chords.
 * Nor are the slopes of the sections those in equilibrium without their own moments, on whatever mesh. What is left is
 * of second order, that of the rates of shear and of these moments within an element. */
static void with_shear(void **state)
{
    const double pi = 3.14159265358979323846, k = pi / 1.3, GA = 4e4, W = 200;
    (void)state;
    for (int way = -1; way < 2; way += 2) {
        double f = way < 0 ? 60 : 110;
        for (int i = 0; i < 50; i++) { /* Newton's method, by differences */
            double F[2];
            for (int j = 0; j < 2; j++) {
                const double g = way * (f + j * 1e-5);
                F[j] = (GA * k * k - 2 * g * g) * (500 * k * k + GA - 0.02 * g * g + 0.04 * W * g) -
                       GA * GA * k * k;
            }
            f -= F[0] * 1e-5 / (F[1] - F[0]);
        }
        for (int i = 0; i < FORMS; i++) {
            const double e8 = miss("N=8", "GA=4e4", form[i], f / (2 * pi));
            const double e16 = miss("N=16", "GA=4e4", form[i], f / (2 * pi));
            assert_between(log2(e8 / e16), 1.4, 2.3);
            assert_under(fabs(e16), 0.003);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frequencies), cmocka_unit_test(with_shear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
