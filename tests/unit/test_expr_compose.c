/* An expression in the place of a slot gives what the text with it written out gives: value,
 * derivatives, inputs and kinks. */
#include "test_expr_env.h"

static const struct {
    const char *outer, *inside, *both;
} cases[] = {
    {"x", "y", "y"},
    {"3*x + 2", "y*z", "3*(y*z) + 2"},
    {"sin(x)*x^3 - y/x", "1 + z^2", "sin(1 + z^2)*(1 + z^2)^3 - y/(1 + z^2)"},
    {"x + y", "-y", "-y + y"},
    {"x*t", "4", "4*t"},
    {"2*x", "3", "6"},
    {"abs(x - 1)", "2*t", "abs(2*t - 1)"},
    {"if(x > 0.3, y, exp(x))", "t", "if(t > 0.3, y, exp(t))"},
    {"pwl(x, 0,0, 1,2, 2,0)*y", "2*t", "pwl(2*t, 0,0, 1,2, 2,0)*y"},
    {"spline(x, 0,0, 1,2, 2,0, 3,1)", "y + z", "spline(y + z, 0,0, 1,2, 2,0, 3,1)"},
    {"sqrt(x^2 + y^2) + max(x, z)", "y*t", "sqrt((y*t)^2 + y^2) + max(y*t, z)"},
    {"2^x + x^y + mod(x, 2)", "3 + z", "2^(3 + z) + (3 + z)^y + mod(3 + z, 2)"},
    {"y + 1", "z", "y + 1"},
};

static void same(double a, double b)
{
    if (!(fabs(a - b) <= 1e-13 * (1 + fabs(b)))) fail_msg("%.17g, expected %.17g", a, b);
}

static void compare(world *w, const lm_expr *e, const lm_expr *expected)
{
    enum { MOST = 6 };
    double g[2][MOST], h[2][MOST * MOST];
    assert_int_equal(e->constant, expected->constant);
    assert_int_equal(e->ninputs, expected->ninputs);
    for (int i = 0; i < e->ninputs; i++) assert_int_equal(e->inputs[i], expected->inputs[i]);
    if (e->constant) {
        same(e->value, expected->value);
        return;
    }
    double *scratch = LM_NEW_N(&w->arena, double, lm_expr_scratch(e, 2) + 1);
    same(lm_expr_hess(e, w->slots, scratch, g[0], h[0]),
         lm_expr_hess(expected, w->slots, w->scratch, g[1], h[1]));
    for (int i = 0; i < e->ninputs; i++) same(g[0][i], g[1][i]);
    for (int i = 0; i < e->ninputs * e->ninputs; i++) same(h[0][i], h[1][i]);
    for (double t = -1; t < 3; t += 0.37)
        assert_true(lm_expr_next_kink(e, t) == lm_expr_next_kink(expected, t));
}

static void composes(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    for (int i = 0; i < COUNT(cases); i++)
        for (int k = 0; k < 5; k++) {
            lm_expr outer = parse(&w, cases[i].outer), inside = parse(&w, cases[i].inside), e;
            lm_expr both = parse(&w, cases[i].both);
            for (int s = 0; s < 5; s++) w.slots[s] = 0.1 + 0.17 * s + 0.31 * k;
            assert_int_equal(lm_expr_compose(&w.arena, &outer, 1, &inside, &e), 0);
            compare(&w, &e, &both);
            assert_string_equal(e.text, cases[i].outer);
        }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(composes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
