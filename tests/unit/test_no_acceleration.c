/* Forces that depend on the reaction that they cause: a carriage on a guide whose mass centre is c off it, the
 * moment of the guide c times its acceleration. With friction in proportion to that moment, over the distance b
 * of two pads, the equation of motion is m a = F - k |a| with k = 2 mu c/b while it slides forwards: one
 * solution for k < 1; for k > 1 two where F > 0, none where F < 0 (Painleve). */
#include "support/run_model.h"

#define CARRIAGE(effort)                                                                           \
    "limber: 1\n"                                                                                  \
    "parameters: {F: -10, k: 1.6}\n"                                                               \
    "bodies: {carriage: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0.1, 0]}}\n"  \
    "joints: {guide: {type: prismatic, between: [ground, carriage], axis: x, effort: \"" effort    \
    "\"}}\n"                                                                                       \
    "initial: {guide: {rate: 1}}\n"                                                                \
    "outputs: {a: acc(carriage).x, v: vel(carriage).x}\n"
#define PADS "F - 10*k*abs(moment(guide).z)*tanh(vel(carriage).x/1e-3)"

static const char *const methods[] = {"radau", "generalized-alpha", "newmark", "bdf", "explicit"};
static const char *const forms[] = {"corotational", "rfe", "ffr", "elastodynamic"};
enum { METHODS = 5, FORMS = 4 };

typedef struct result {
    limber_status status;
    limber_summary sum;
    char first[1000]; /* message */
} result;

static result run(const char *text, const char *method, const char *form)
{
    char all[3000];
    limber_messages *msg = limber_messages_new();
    limber_run_options opt = limber_run_options_default();
    limber_model *model = NULL;
    result r = {0};
    snprintf(all, sizeof all,
             "%sanalysis: {type: dynamics, until: 0.02, output_step: 1e-3, method: %s}\n", text,
             method);
    opt.formulation = form;
    assert_int_equal(limber_model_parse(all, strlen(all), "carriage", NULL, &model, msg),
                     LIMBER_OK);
    r.status = limber_run(model, &opt, &r.sum, msg);
    if (limber_messages_count(msg))
        snprintf(r.first, sizeof r.first, "%s", limber_messages_get(msg, 0).text);
    limber_model_free(model);
    limber_messages_free(msg);
    return r;
}

static void says_why(const char *text, int nforms, double from, double to)
{
    for (int m = 0; m < METHODS; m++)
        for (int f = 0; f < nforms; f++) {
            result r = run(text, methods[m], forms[f]);
            assert_int_equal(r.status, LIMBER_STOPPED);
            assert_between(r.sum.t, from, to);
            assert_non_null(strstr(r.sum.reason, "no acceleration satisfies the equations"));
            assert_non_null(strstr(r.sum.reason, "reaction of joint 'guide'"));
            assert_true(r.sum.steps < 2000);
        }
}

static void none(void **state)
{
    (void)state;
    says_why(CARRIAGE(PADS), FORMS, 0, 0);
}

/* Linearised: the acceleration of a state that moves. */
static void none_for_matrices(void **state)
{
    static const char *const text =
        CARRIAGE("-10 - 16*abs(moment(guide).z)") "analysis: {type: linearize}\n";
    limber_messages *msg = limber_messages_new();
    limber_run_options opt = limber_run_options_default();
    limber_model *model = NULL;
    limber_summary sum;
    (void)state;
    assert_int_equal(limber_model_parse(text, strlen(text), "carriage", NULL, &model, msg),
                     LIMBER_OK);
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_STOPPED);
    assert_non_null(strstr(sum.reason, "no acceleration satisfies the equations"));
    limber_model_free(model);
    limber_messages_free(msg);
}

/* The force turns round after half of the time: from there on there is no solution. Methods come to the end of
 * the step in which that happens. */
static void none_later(void **state)
{
    (void)state;
    says_why(CARRIAGE("10 - 1000*t - 10*k*abs(moment(guide).z)*tanh(vel(carriage).x/1e-3)"),
             FORMS - 1, 0.00999, 0.0125);
}

/* F = a + k |a| from no reactions at all; the other solution, a = F/(1 - k), is said to be there. */
static void two(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        char analysis[200];
        result r = run(CARRIAGE("10 - 16*abs(moment(guide).z)"), methods[m], "corotational");
        assert_int_equal(r.status, LIMBER_OK);
        assert_non_null(strstr(r.first, "several accelerations satisfy the equations"));
        snprintf(analysis, sizeof analysis,
                 "analysis: {type: dynamics, until: 0.02, output_step: 1e-3, method: %s}\n",
                 methods[m]);
        char text[2000];
        snprintf(text, sizeof text, "%s%s", CARRIAGE("10 - 16*abs(moment(guide).z)"), analysis);
        table t = run_model(&(run_how){.text = text});
        assert_near(table_first(&t, "a"), 10 / 2.6, 1e-9);
        assert_near(table_last(&t, "a"), 10 / 2.6, 1e-9);
        assert_near(table_last(&t, "v"), 1 + 0.02 * 10 / 2.6, 1e-6);
        table_free(&t);
    }
}

/* A force that goes with the reaction itself has one solution, a = F + s k a, however steep: putting the last
 * reaction into the force again and again leads away from it for k > 1. Both signs. And a law of which Newton's
 * method goes to and fro without being damped: a + 3 atan(50 (a - 2)) = 1. */
static void steep(void **state)
{
    (void)state;
    table up = run_model(&(run_how){
        .text = CARRIAGE("F + 50*moment(guide).z") "analysis: {type: dynamics, until: 1e-3}\n"});
    table down = run_model(&(run_how){
        .text = CARRIAGE("F - 50*moment(guide).z") "analysis: {type: dynamics, until: 1e-3}\n"});
    double a = table_first(&up, "a"), b = table_first(&down, "a");
    assert_near(fmin(a, b), -10.0 / 6, 1e-9);
    assert_near(fmax(a, b), 10.0 / 4, 1e-9);
    table_free(&up);
    table_free(&down);
    table bent = run_model(&(run_how){
        .text = CARRIAGE("1 - 3*atan(50*(acc(carriage).x - 2))") "analysis: {type: dynamics, "
                                                                 "until: 1e-3}\n"});
    double x = table_first(&bent, "a");
    assert_near(x + 3 * atan(50 * (x - 2)), 1, 1e-8);
    table_free(&bent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none),       cmocka_unit_test(none_for_matrices),
        cmocka_unit_test(none_later), cmocka_unit_test(two),
        cmocka_unit_test(steep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
