/* Beams without mass are springs in every analysis: critical speeds and periodic motion against closed forms,
 * methods that cannot take them refused with that cause. */
#include "support/listen.h"

#define EI 2000.0
#define M  5.0
#define IP 0.04 /* of the disc, about the shaft */
#define ID 0.03 /* ... across it */

static const char *const forms[] = {"corotational", "minimal", "ffr", "elastodynamic", "rfe"};
enum { FORMS = 5, RFE = 4 };

/* A disc at the end of a shaft without mass, of length 1. */
#define OVERHUNG(joint, more)                                                                      \
    "limber: 1\n"                                                                                  \
    "sections: {s: {shape: stiffness, EA: 3e7, EIy: 2000, EIz: 2000, GJ: 1500, rhoA: 0, damping: " \
    "{stiffness: 2e-3}}}\n"                                                                        \
    "bodies:\n"                                                                                    \
    "  b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 4}\n"                 \
    "  m: {type: rigid, mass: 5, inertia: [0.04, 0.03, 0.03], position: [1, 0, 0]}\n"              \
    "joints:\n"                                                                                    \
    "  A: " joint "\n"                                                                             \
    "  B: {type: fixed, between: [b.end, m]}\n" more

/* Four rigid pieces with springs between them are stiffer than the shaft. */
static double own_error(int form) { return form == RFE ? 0.02 : 0; }

/* (k11 - m W^2)(k22 - (Id - Ip) W^2) = k12^2, of the clamped shaft: 12, -6, 4 EI. */
static double critical_speed(void)
{
    double a = M * (ID - IP), b = -EI * (4 * M + 12 * (ID - IP)), c = 12 * EI * EI;
    return sqrt((-b - sqrt(b * b - 4 * a * c)) / (2 * a));
}

static void keep(void *to, const limber_critical *x)
{
    double *w = to;
    if (isnan(*w)) *w = x->speed;
}

static void critical_speeds(void **state)
{
    static const char text[] =
        OVERHUNG("{type: revolute, between: [ground, b.start], axis: x, drive: 10*t}",
                 "analysis: {type: campbell, drive: A, speeds: [0, 100, 6], count: 4}\n");
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        limber_messages *msg = limber_messages_new();
        limber_model *model = NULL;
        limber_run_options opt = limber_run_options_default();
        limber_summary sum;
        double speed = NAN;
        opt.formulation = forms[f];
        opt.critical = keep, opt.critical_context = &speed;
        assert_int_equal(limber_model_parse(text, sizeof text - 1, "m", NULL, &model, msg),
                         LIMBER_OK);
        assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_OK);
        assert_near(speed / critical_speed(), 1, 1e-5 + own_error(f));
        limber_model_free(model);
        limber_messages_free(msg);
    }
}

/* A force 0.5 sin(8 t) at the disc, small: |x| = F |c22| / |c11 c22 - c12^2| with damping by stiffness. */
static void periodic_motion(void **state)
{
    static const char text[] = OVERHUNG("{type: fixed, between: [ground, b.start]}",
                                        "loads: {f: {on: m, force: [0, 0, 0.5*sin(8*t)]}}\n"
                                        "analysis: {type: periodic, period: 2*pi/8}\n"
                                        "outputs: {z: pos(m).z}\n");
    double w = 8, re = EI, im = EI * w * 2e-3; /* EI (1 + i w beta) */
    double a = 12 * re - w * w * M, ai = 12 * im, d = 4 * re - w * w * ID, di = 4 * im;
    double nr = a * d - ai * di - 36 * (re * re - im * im), ni = a * di + ai * d - 72 * re * im;
    double x = 0.5 * hypot(d, di) / hypot(nr, ni);
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = forms[f]});
        double most = 0;
        for (int i = 0; i < r.rows; i++) most = fmax(most, fabs(table_get(&r, i, "z")));
        assert_near(most / x, 1, 1e-3 + 2 * own_error(f));
        table_free(&r);
    }
}

static void refused(void **state)
{
    static const char text[] =
        OVERHUNG("{type: fixed, between: [ground, b.start]}", "outputs: {z: pos(m).z}\n");
    static const char *const cause[2][2] = {
        {"{type: dynamics, until: 0.1, method: bdf}", "beam 'b' has none"},
        {"{type: dynamics, until: 0.1, method: explicit}", "needs inertia for every motion"}};
    (void)state;
    for (int f = 0; f < FORMS; f++)
        for (int k = 0; k < 2; k++) {
            limber_messages *msg = limber_messages_new();
            limber_model *model = NULL;
            limber_run_options opt = limber_run_options_default();
            limber_summary sum;
            char all[2000];
            snprintf(all, sizeof all, "%sanalysis: %s\n", text, cause[k][0]);
            opt.formulation = forms[f];
            assert_int_equal(limber_model_parse(all, strlen(all), "m", NULL, &model, msg),
                             LIMBER_OK);
            assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_UNSUPPORTED);
            assert_non_null(strstr(limber_messages_get(msg, 0).text, cause[k][1]));
            limber_model_free(model);
            limber_messages_free(msg);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(critical_speeds),
                                       cmocka_unit_test(periodic_motion),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
