/* Bounds of expressions of the time over an interval: no value and no slope is outside of them. */
#include "expr/expr_bounds.h"
#include "test_expr_env.h"

#include <math.h>

enum { INTERVALS = 400, SAMPLES = 40, OPS = 64 };

static unsigned long long seed = 7;

static double between(double lo, double hi)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return lo + (hi - lo) * (double)(seed >> 11) / (double)(1ULL << 53);
}

/* Of the whole expression, without the help of its values at the ends. */
static lm_bound bounds(const lm_expr *e, double from, double to)
{
    static int arg[3 * OPS], reg[4 * OPS];
    static unsigned char of[OPS];
    static double unknown[OPS];
    lm_bound out[OPS], slots[FIRST_SENSOR] = {0};
    assert_true(e->nops <= OPS && lm_expr_scratch(e, 0) <= 4 * OPS);
    for (int i = 0; i < OPS; i++) unknown[i] = NAN;
    slots[LM_SLOT_T] = lm_bound_of_time(from, to);
    lm_bounds_plan(e, 0, of, arg, reg);
    lm_bounds(e, of, arg, slots, 0, unknown, unknown, out);
    return out[e->nops - 1];
}

static double at(world *w, const lm_expr *e, double t)
{
    w->slots[LM_SLOT_T] = t;
    return lm_expr_eval(e, w->slots, w->scratch);
}

static void check(world *w, const lm_expr *e, const char *text, double from, double to)
{
    lm_bound b = bounds(e, from, to);
    double step = (to - from) / SAMPLES, last = at(w, e, from);
    for (int k = 1; k <= SAMPLES; k++) {
        double y = at(w, e, from + k * step), slope = (y - last) / step, off = 1e-9 / step;
        if (!(y >= b.u.lo - 1e-9 && y <= b.u.hi + 1e-9))
            fail_msg("%s in %g .. %g: %g is not in %g .. %g", text, from, to, y, b.u.lo, b.u.hi);
        if (!(slope >= b.d.lo - off && slope <= b.d.hi + off))
            fail_msg("%s in %g .. %g: slope %g, not in %g .. %g", text, from, to, slope, b.d.lo,
                     b.d.hi);
        last = y;
    }
}

static void nothing_is_outside(void **state)
{
    static const char *const texts[] = {
        "sin(t)",
        "cos(2*t - 1)",
        "sin(5*t)*cos(t) - 0.3*t",
        "exp(-t)*sin(3*t)",
        "tanh(2*t)",
        "sqrt(t + 3)",
        "1/(t + 3)",
        "t^2",
        "t^3 - t",
        "(t + 2.5)^1.5",
        "atan(3*t)",
        "atan2(t, 2)",
        "atan2(2, t)",
        "log(t + 3)",
        "asin(t/3)",
        "acos(t/3)",
        "tan(t/2)",
        "sinh(t) - cosh(t)",
        "abs(t - 0.3)",
        "min(t, 1 - t)",
        "max(sin(3*t), 0.2)",
        "step(t, -1, 0, 1, 3)",
        "pwl(t, -1,0, 0,2, 1.5,-1)",
        "spline(t, -2,0, -1,1, 0,-1, 1,0.5, 2,0)",
        "if(t < 0.2, sin(t), sin(0.2) + 2*(t - 0.2))",
        "3 - 2*t",
        "t/4 - abs(t)*t",
    };
    world w;
    (void)state;
    world_open(&w);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        lm_expr e = parse(&w, texts[i]);
        for (int k = 0; k < INTERVALS; k++) {
            double from = between(-2, 2), size = pow(10, between(-3, 0.5));
            check(&w, &e, texts[i], from, fmin(from + size, 2));
        }
    }
    world_close(&w);
}

/* And they are not wider than that where the interval is short. */
static void short_intervals_are_known(void **state)
{
    static const char *const texts[] = {"sin(3*t)", "cos(t)*exp(t/2)", "t^3", "atan(3*t)",
                                        "spline(t, -2,0, -1,1, 0,-1, 1,0.5, 2,0)"};
    world w;
    (void)state;
    world_open(&w);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        lm_expr e = parse(&w, texts[i]);
        for (int k = 0; k < INTERVALS; k++) {
            double from = between(-1.9, 1.9);
            lm_bound b = bounds(&e, from, from + 1e-3);
            assert_true(b.u.hi - b.u.lo < 0.05);
            assert_true(b.d.hi - b.d.lo < 0.2);
        }
    }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_outside),
                                       cmocka_unit_test(short_intervals_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
