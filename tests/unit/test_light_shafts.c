/* Critical speeds of a disc on a shaft that is light beside it, whose sections have no inertia of their own: its
 * torsion has next to no mass, or none. None is false and none is missing, whatever the mass of the shaft, the
 * list of speeds, `count`, the unbalance, the units and the formulation. */
#include "support/modes.h"

#include <math.h>

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
enum { NFORMS = 5, RFE = 2, MOST = 12 };

typedef struct found {
    limber_summary sum;
    int n;
    double speed[MOST];
} found;

static void add(void *to, const limber_critical *x)
{
    found *f = to;
    if (f->n < MOST) f->speed[f->n] = x->speed;
    f->n++;
}

static void find(found *f, const char *text, const char *formulation)
{
    *f = (found){0};
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_run_options opt = limber_run_options_default();
    opt.formulation = formulation;
    opt.critical = add, opt.critical_context = f;
    limber_status st = limber_run(model, &opt, &f->sum, msg);
    if (st) fail_msg("%s: status %d: %s", formulation, (int)st, f->sum.reason);
    limber_model_free(model);
    limber_messages_free(msg);
}

/* ---- a disc in the middle of a shaft ---- */

#define L  0.9
#define M  6.3
#define EI 1500.0

typedef struct rotor {
    double rhoA, EIz, e; /* along the shaft; of one plane, EI of the other; eccentricity */
    int mm;              /* in mm, t, s, and not in m, kg, s */
    int speeds, count;
} rotor;

static void write_rotor(char *text, size_t size, const rotor *r)
{
    double l = r->mm ? 1e3 : 1, t = r->mm ? 1e-3 : 1, J = t * l * l;
    snprintf(text, size,
             "limber: 1\n"
             "sections: {s: {shape: stiffness, EA: 1e8, EIy: %.17g, EIz: %.17g, GJ: %.17g, rhoA: "
             "%.17g}}\n"
             "bodies:\n"
             "  motor: {type: rigid, mass: %g, inertia: [%g, %g, %g]}\n"
             "  shaft: {type: beam, section: s, from: [0, 0, 0], to: [%g, 0, 0], elements: 4}\n"
             "  disc: {type: rigid, mass: %.17g, inertia: [%g, %g, %g], position: [%g, 0, 0], com: "
             "[0, %g, %g]}\n"
             "joints:\n"
             "  drive: {type: revolute, between: [ground, motor], axis: x, drive: 5*t}\n"
             "  coupling: {type: universal, between: [motor, shaft.start], axes: [y, z]}\n"
             "  hub: {type: fixed, between: [shaft.node(2), disc]}\n"
             "  bearing: {type: inline, between: [ground, shaft.end], axis: x}\n"
             "analysis: {type: campbell, drive: drive, speeds: [0, 200, %d], count: %d}\n",
             EI * l * l, r->EIz * l * l, 3000 * l * l, r->rhoA * t / l, t, 0.01 * J, 0.01 * J,
             0.01 * J, L * l, M * t, 0.05 * J, 0.03 * J, 0.03 * J, L * l / 2, r->e * l,
             r->e * l / 2, r->speeds, r->count);
}

/* 48 EI/L^3 = (M + 17/35 rhoA L) W^2, by the deflection of a force in the middle: at most. */
static double closed_form(const rotor *r, double bending)
{
    return sqrt(48 * bending / (L * L * L * (M + 17 * r->rhoA * L / 35)));
}

static void check(const rotor *r, int form, const double *same)
{
    char text[2000];
    found got;
    int two = r->EIz != EI;
    write_rotor(text, sizeof text, r);
    find(&got, text, forms[form]);
    if (got.n != 1 + two)
        fail_msg("%s, rhoA %g, EIz %g, e %g, mm %d, %d speeds: %d critical speeds, the first %g",
                 forms[form], r->rhoA, r->EIz, r->e, r->mm, r->speeds, got.n, got.speed[0]);
    for (int k = 0; k <= two; k++) {
        if (r->rhoA < 1)
            assert_near(got.speed[k] / closed_form(r, k ? r->EIz : EI), 1,
                        form == RFE ? 0.05 : 2e-5);
        assert_near(got.speed[k] / same[k], 1, 1e-7);
    }
    assert_int_equal(isfinite(got.sum.unstable_from), two);
    if (!two) return;
    assert_near(got.sum.unstable_from / got.speed[0], 1, 1e-6);
    assert_near(got.sum.unstable_to / got.speed[1], 1, 1e-6);
}

/* With 2 to 41 speeds, balanced and not, in both units. */
static void check_all(double rhoA, double EIz, int form, int first)
{
    static const int speeds[] = {2, 9, 41}, counts[] = {4, 1, 12};
    rotor r = {rhoA, EIz, 0, 0, 9, 4};
    char text[2000];
    found same;
    write_rotor(text, sizeof text, &r);
    find(&same, text, forms[form]);
    assert_int_equal(same.n, 1 + (EIz != EI));
    for (int k = first; k < first + 2; k++) {
        r.speeds = speeds[k % 3], r.count = counts[k / 3 % 3];
        r.mm = k % 2, r.e = k / 2 % 2 ? 2e-5 : 0;
        check(&r, form, same.speed);
    }
}

static const double rhoA[] = {10, 0.1, 1e-2, 1e-4, 1e-6, 0};

static void two_stiffnesses(void **state)
{
    (void)state;
    for (int f = 0; f < NFORMS; f++)
        for (int k = 0; k < 6; k++) check_all(rhoA[k], 2300, f, f + k);
}

static void round_shafts(void **state)
{
    (void)state;
    for (int f = 0; f < NFORMS; f++)
        for (int k = 0; k < 6; k++) check_all(rhoA[k], EI, f, f + 2 * k + 1);
}

/* ---- fewer roots than asked for ---- */

#define POINT                                                                                      \
    "limber: 1\n"                                                                                  \
    "sections: {s: {shape: stiffness, EA: 1e8, EIy: 1500, EIz: 1500, GJ: 3000, rhoA: 0}}\n"        \
    "bodies:\n"                                                                                    \
    "  h: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01]}\n"                                   \
    "  b: {type: beam, section: s, from: [0, 0, 0], to: [0.9, 0, 0], elements: 4}\n"               \
    "  d: {type: rigid, mass: 6.3, position: [0.9, 0, 0]}\n"                                       \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, between: [ground, h], axis: x, drive: 5*t}\n"                           \
    "  u: {type: fixed, between: [h, b.start]}\n"                                                  \
    "  hub: {type: fixed, between: [b.end, d]}\n"                                                  \
    "analysis: {type: campbell, drive: A, speeds: [0, 200, 4], count: %d, frame: %s}\n"

/* A point mass on a shaft without mass has three. */
static void all_there_are(void **state)
{
    (void)state;
    static const int count[] = {1, 3, 4, 10, 100};
    double W = sqrt(3 * EI / (M * L * L * L));
    for (int f = 0; f < NFORMS; f++)
        for (int k = 0; k < 5; k++) {
            char text[2000];
            found got;
            snprintf(text, sizeof text, POINT, count[k], k % 2 ? "rotating" : "fixed");
            find(&got, text, forms[f]);
            if (k > 0) assert_int_equal(got.sum.branches, 3);
            assert_int_equal(got.sum.roots_available, count[k] < 3 ? -1 : 3);
            assert_int_equal(got.n, k % 2 ? 1 : 2);
            for (int i = 0; i < got.n; i++)
                assert_near(got.speed[i] / W, 1, f == RFE ? 0.05 : 1e-6);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_stiffnesses),
                                       cmocka_unit_test(round_shafts),
                                       cmocka_unit_test(all_there_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
