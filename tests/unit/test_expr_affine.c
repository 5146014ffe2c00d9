/* Expressions that are sums of constants times inputs: recognised, with the same slopes everywhere. */
#include "test_expr_env.h"

/* The gradient is the same at two places, and tells the value at the second from that at the first. */
static void check_slopes(world *w, const char *text, const lm_expr *e)
{
    double scratch[200], g[2][8], u[2], sum;
    assert_true(lm_expr_scratch(e, 1) <= 200 && e->ninputs <= 8);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < SLOTS; i++) w->slots[i] = k ? 0.7 * i - 3 : 0;
        u[k] = lm_expr_grad(e, w->slots, scratch, g[k]);
    }
    sum = u[0];
    for (int i = 0; i < e->ninputs; i++) {
        if (g[0][i] != g[1][i]) fail_msg("%s: slope %g and %g", text, g[0][i], g[1][i]);
        sum += g[0][i] * w->slots[e->inputs[i]];
    }
    if (!(fabs(u[1] - sum) <= 1e-14 * (1 + fabs(u[1]))))
        fail_msg("%s: %g, not %g", text, u[1], sum);
}

static void affine(void **state)
{
    static const char *const yes[] = {"x",
                                      "t",
                                      "3*x - 2*y + 1",
                                      "(L + x)/2",
                                      "-(x - (y - t))/4",
                                      "2*(x + 3*(y - 5))",
                                      "x - x/3",
                                      "L*sin(k)*x"};
    static const char *const no[] = {"x*y",
                                     "x^2",
                                     "sin(x)",
                                     "1/x",
                                     "abs(x)",
                                     "if(x < 1, x, y)",
                                     "pwl(t, 0,0, 1,1)",
                                     "max(x, y)",
                                     "mod(x, 2)",
                                     "2*x + cos(t)"};
    world w;
    (void)state;
    world_open(&w);
    for (int i = 0; i < COUNT(yes); i++) {
        lm_expr e = parse(&w, yes[i]);
        if (!lm_expr_is_affine(&e)) fail_msg("%s is affine", yes[i]);
        check_slopes(&w, yes[i], &e);
    }
    for (int i = 0; i < COUNT(no); i++) {
        lm_expr e = parse(&w, no[i]);
        if (lm_expr_is_affine(&e)) fail_msg("%s is not affine", no[i]);
    }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(affine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
