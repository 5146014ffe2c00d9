/* Point masses in linearised models: rotations that nothing notices are no states and have no poles. */
#include "support/run_model.h"

enum { MOST = 60 };

typedef struct poles {
    int n, states;
    double re[MOST], omega[MOST];
} poles;

static void note(void *context, const limber_mode *m)
{
    poles *p = context;
    assert_true(p->n < MOST);
    p->re[p->n] = m->real;
    p->omega[p->n++] = m->omega;
}

static poles poles_of(const char *text, const char *formulation)
{
    poles p = {0};
    limber_messages *msg = limber_messages_new();
    limber_run_options opt = limber_run_options_default();
    limber_model *model;
    limber_summary sum;
    opt.formulation = formulation;
    opt.pole = note;
    opt.pole_context = &p;
    assert_int_equal(limber_model_parse(text, strlen(text), "points", NULL, &model, msg),
                     LIMBER_OK);
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_OK);
    p.states = sum.states;
    limber_model_free(model);
    limber_messages_free(msg);
    return p;
}

static const char *const form[] = {"corotational", "minimal"};

/* omega^2 = g/L, twice, whatever way it hangs. */
static void pendulum(void **state)
{
    static const char *const body[] = {"position: [1, 0.2, 0.1]", "com: [1, 0.2, 0.1]"};
    double g = sqrt(0.3 * 0.3 + 0.5 * 0.5 + 9.81 * 9.81), L = sqrt(1.05);
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [0.3, -0.5, -9.81]\n"
                 "bodies: {p: {type: rigid, mass: 2, %s}}\n"
                 "joints: {j: {type: spherical, between: [ground, p], at: [0, 0, 0]}}\n"
                 "analysis: {type: linearize, about: statics}\noutputs: {x: pos(p).x}\n",
                 body[k / 2]);
        poles p = poles_of(text, form[k % 2]);
        assert_int_equal(p.states, 4);
        assert_int_equal(p.n, 2);
        for (int i = 0; i < 2; i++) {
            assert_near(p.omega[i], sqrt(g / L), 1e-7);
            assert_under(fabs(p.re[i]), 1e-7);
        }
    }
}

/* Two masses m1, m2 on lengths a, b: det(K - w^2 M) = 0 of the double pendulum in the plane, twice. */
static void chain(void **state)
{
    static const char text[] =
        "limber: 1\ngravity: [0.3, -0.5, -9.81]\nbodies:\n"
        "  p: {type: rigid, mass: 2, position: [1, 0.2, 0.1]}\n"
        "  r: {type: rigid, mass: 3, position: [2, 0.2, 0.1]}\n"
        "joints:\n"
        "  j: {type: spherical, between: [ground, p], at: [0, 0, 0]}\n"
        "  k: {type: spherical, between: [p, r], at: [1, 0.2, 0.1]}\n"
        "analysis: {type: linearize, about: statics}\noutputs: {x: pos(p).x}\n";
    double g = sqrt(0.3 * 0.3 + 0.5 * 0.5 + 9.81 * 9.81), a = sqrt(1.05), b = 1, m1 = 2, m2 = 3;
    double A = m1 * a * b, B = -(m1 + m2) * g * (a + b), C = (m1 + m2) * g * g;
    double root = sqrt(B * B - 4 * A * C);
    double w[2] = {sqrt((-B - root) / (2 * A)), sqrt((-B + root) / (2 * A))};
    (void)state;
    for (int f = 0; f < 2; f++) {
        poles p = poles_of(text, form[f]);
        assert_int_equal(p.states, 8);
        assert_int_equal(p.n, 4);
        for (int i = 0; i < 4; i++) assert_near(p.omega[i], w[i / 2], 1e-6);
    }
}

#define ON_A_BEAM(joint, about)                                                                    \
    "limber: 1\ngravity: [0.3, -0.5, -9.81]\n"                                                     \
    "sections:\n  s: {shape: stiffness, EA: 1e6, EIy: 100, EIz: 150, GJ: 80, rhoA: 1, rhoIy: "     \
    "1e-4, rhoIz: 2e-4}\n"                                                                         \
    "bodies:\n  p: {type: rigid, mass: 2, position: [1, 0.2, 0.1]}\n"                              \
    "  rod: {type: beam, section: s, from: [0, 0, 0], to: [1, 0.2, 0.1], elements: 4}\n"           \
    "joints:\n  w: {type: fixed, between: [ground, rod.start]}\n"                                  \
    "  j: {type: " joint ", between: [rod.end, p]}\n"                                              \
    "analysis: {type: linearize, about: " about "}\noutputs: {x: pos(p).x}\n"

/* A ball joint at a point mass is as good as a weld. */
static void on_a_beam(void **state)
{
    static const char *const text[2][2] = {
        {ON_A_BEAM("fixed", "statics"), ON_A_BEAM("spherical", "statics")},
        {ON_A_BEAM("fixed", "initial"), ON_A_BEAM("spherical", "initial")}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        poles welded = poles_of(text[k / 2][0], form[k % 2]);
        poles ball = poles_of(text[k / 2][1], form[k % 2]);
        assert_int_equal(ball.states, 48);
        assert_int_equal(ball.n, welded.n);
        for (int i = 0; i < ball.n; i++) assert_near(ball.omega[i] / welded.omega[i], 1, 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum),
        cmocka_unit_test(chain),
        cmocka_unit_test(on_a_beam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
