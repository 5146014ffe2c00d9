/* Expressions: values, kinks, references and sensors, memory. */
#include "test_expr_env.h"

#include <locale.h>

typedef struct sample {
    const char *text;
    double value;
} sample;

static void close_to(const char *text, double found, double expected)
{
    int same = isnan(expected)   ? isnan(found)
               : isinf(expected) ? found == expected
                                 : fabs(found - expected) <= 4e-16 * fabs(expected);
    if (!same) fail_msg("%s = %.17g, not %.17g", text, found, expected);
}

/* At t = 1.5, x = 3, y = -2, z = 0.25. */
static void check(const sample *s, int n)
{
    world w;
    world_open(&w);
    w.slots[0] = 1.5;
    w.slots[1] = 3;
    w.slots[2] = -2;
    w.slots[3] = 0.25;
    for (int i = 0; i < n; i++) close_to(s[i].text, eval(&w, s[i].text), s[i].value);
    world_close(&w);
}

#define CHECK(...) check((const sample[]){__VA_ARGS__}, COUNT(((const sample[]){__VA_ARGS__})))

static void numbers(void **state)
{
    (void)state;
    CHECK({"1", 1}, {"1.5", 1.5}, {".5", .5}, {"1e-3", 1e-3}, {"1E5", 1e5}, {"1e+2", 100},
          {"7.", 7}, {"3.e2", 300}, {" \t 12 \n", 12}, {"1e-999", 0}, {"007", 7},
          {"0.1000000000000000055511151231257827", .1}, {"pi", M_PI}, {"30*deg", M_PI / 6},
          {"1.7976931348623157e308", 1.7976931348623157e308});
}

static void precedence(void **state)
{
    (void)state;
    CHECK({"1 + 2*3", 7}, {"(1 + 2)*3", 9}, {"2 - 3 - 4", -5}, {"24/4/3", 2}, {"24/4*3", 18},
          {"2^3^2", 512}, {"(2^3)^2", 64}, {"-2^2", -4}, {"(-2)^2", 4}, {"2^-1", .5},
          {"2^-2^2", 1. / 16}, {"-x^2", -9}, {"2*-3", -6}, {"2--3", 5}, {"--3", 3}, {"-+-3", 3},
          {"2*x^2", 18}, {"-x*y", 6}, {"1 < 2", 1}, {"1 + 1 < 2", 0}, {"(1 < 2) == 0 or 1", 1});
    CHECK({"not 1 == 2", 1}, {"not 1 and 0", 0}, {"not (1 and 0)", 1}, {"1 or 0 and 0", 1},
          {"(1 or 0) and 0", 0}, {"not not 3", 1}, {"1 + not 0", 2}, {"x > 2 and y < 0", 1},
          {"x > 2 and not y < 0", 0}, {"-x < -2", 1}, {"x-1", 2}, {"x -1", 2}, {"x- -1", 4});
}

static void comparisons(void **state)
{
    (void)state;
    CHECK({"1 < 1", 0}, {"1 <= 1", 1}, {"1 > 1", 0}, {"1 >= 1", 1}, {"1 == 1", 1}, {"1 != 1", 0},
          {"x < 3", 0}, {"x <= 3", 1}, {"x > 3", 0}, {"x >= 3", 1}, {"x == 3", 1}, {"x != 3", 0},
          {"3 < x", 0}, {"2<x", 1}, {"x==y+5", 1});
    CHECK({"0 and 1", 0}, {"2 and 3", 1}, {"0 or 0", 0}, {"0 or 5", 1}, {"x and y", 1},
          {"x and 0", 0}, {"0*x or y", 1}, {"0*x or 0*y", 0}, {"not x", 0}, {"not (x - 3)", 1},
          {"if(1, 2, 3)", 2}, {"if(0, 2, 3)", 3}, {"if(x > 0, y, z)", -2}, {"if(x < 0, y, z)", .25},
          {"if(x - 3, 1, 2)", 2});
}

static void functions(void **state)
{
    (void)state;
    CHECK({"sin(x)", sin(3)}, {"cos(x)", cos(3)}, {"tan(x)", tan(3)}, {"asin(z)", asin(.25)},
          {"acos(z)", acos(.25)}, {"atan(x)", atan(3)}, {"atan2(x, y)", atan2(3, -2)},
          {"sinh(x)", sinh(3)}, {"cosh(x)", cosh(3)}, {"tanh(x)", tanh(3)}, {"exp(x)", exp(3)},
          {"log(x)", log(3)}, {"sqrt(x)", sqrt(3)}, {"abs(y)", 2}, {"sign(y)", -1}, {"sign(x)", 1},
          {"sign(0*x)", 0}, {"floor(y + 0.5)", -2}, {"floor(2.5)", 2});
    CHECK({"sin(3)", sin(3)}, {"atan2(3, -2)", atan2(3, -2)}, {"min(3, 1, 2)", 1},
          {"max(3, 1, 2)", 3}, {"min(x, y, z)", -2}, {"max(y, z, x)", 3}, {"min(x, 1)", 1},
          {"max(1, x)", 3}, {"mod(7, 3)", 1}, {"mod(-7, 3)", 2}, {"mod(7, -3)", -2},
          {"mod(-7, -3)", -1}, {"mod(x, 2)", 1}, {"mod(y, 0.75)", .25}, {"mod(6, 3)", 0},
          {"step + 1", 1.25}, {"step(step, 0, 0, 1, 1)", .15625});
    CHECK({"x^2", 9}, {"x^3", 27}, {"x^-2", 1. / 9}, {"y^3", -8}, {"y^-1", -.5},
          {"y^31", -2147483648.}, {"y^33", -8589934592.}, {"x^0.5", pow(3, .5)}, {"2^x", 8},
          {"x^y", pow(3, -2)}, {"x^0", 1}, {"x^1", 3}, {"(x - 3)^0", 1}, {"3^33", pow(3, 33)},
          {"0^x", 0}, {"0^0", 1});
}

static void not_a_number(void **state)
{
    (void)state;
    CHECK({"1/0", INFINITY}, {"x/(x - 3)", INFINITY}, {"log(-1)", NAN}, {"sqrt(y)", NAN},
          {"mod(x, 0)", NAN}, {"huge*huge", INFINITY}, {"10^400", INFINITY},
          {"huge*x*10", INFINITY}, {"min(x, log(y))", NAN}, {"min(log(y), x)", NAN},
          {"max(x, log(y))", NAN});
    /* what is not chosen does not matter */
    CHECK({"if(y > 0, log(y), 5)", 5}, {"if(y < 0, 5, sqrt(y))", 5}, {"y > 0 and log(y)", 0},
          {"y < 0 or log(y)", 1}, {"y < 0 and log(y)", NAN}, {"if(log(y), 1, 2)", NAN},
          {"not log(y)", NAN}, {"log(y) < 1", 0}, {"if(nan, 1, 2)", NAN}, {"nan or 1", NAN});
}

static void steps_and_tables(void **state)
{
    (void)state;
    CHECK({"step(x, 0, 5, 1, 7)", 7}, {"step(y, 0, 5, 1, 7)", 5}, {"step(z, 0, 0, 1, 1)", .15625},
          {"step(z, 0, 0, 0.25, 1)", 1}, {"step(z, 0.25, 3, 1, 1)", 3},
          {"step(0.5, 0, 2, 1, 4)", 3}, {"step(x, y, 0, 8, 10)", 5},
          {"step(x, 0, z, 4, y)", .15625 * .25 + .84375 * -2}, {"step(x, x, y, 4, 1)", -2},
          {"step(x, 0, y, x, z)", .25}, {"step(1/0, 0, 1, 1, 2)", 2},
          {"step(z, 0, 0, 1e-200, 1)", 1}, {"step(1e-200*z, 0, 0, 1e-200, 1)", .15625});
    CHECK({"pwl(x, 0,0, 5,200, 10,0)", 120}, {"pwl(y, 0,7, 5,200)", 7}, {"pwl(x, 0,0, 1,4)", 4},
          {"pwl(x, 0,0, 3,9, 4,1)", 9}, {"pwl(2.5, 2,10, 3,20)", 15}, {"pwl(x, 1,42)", 42},
          {"pwl(1/0, 0,1, 2,3)", 3}, {"pwl(-1/0, 0,1, 2,3)", 1}, {"pwl(log(-1), 0,1, 2,3)", NAN},
          {"pwl(x, 0,0, L,1, 2*L,L)", 1.5}, {"spline(x, 1,42)", 42});
    /* natural spline through (0,0) (1,1) (2,0): m = -3 at the middle */
    CHECK({"spline(0.5, 0,0, 1,1, 2,0)", .6875}, {"spline(1, 0,0, 1,1, 2,0)", 1},
          {"spline(1.5, 0,0, 1,1, 2,0)", .6875}, {"spline(x, 0,0, 1,1, 2,0)", -1.5},
          {"spline(y, 0,0, 1,1, 2,0)", -3}, {"spline(x, 0,1, 10,21)", 7},
          {"spline(y, 0,1, 10,21)", -3}, {"spline(1/0, 0,1, 10,21)", INFINITY});
}

/* A natural spline is twice continuously differentiable and has no curvature at its ends. */
static void spline_is_smooth(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    lm_expr e = parse(&w, "spline(t, -1,2, 0,1, 0.5,4, 2,-1, 2.5,0, 4,3)");
    const double knots[] = {-1, 0, 0.5, 2, 2.5, 4}, values[] = {2, 1, 4, -1, 0, 3};
    for (int i = 0; i < 6; i++) {
        double left[3], at[3];
        lm_expr_time(&e, knots[i] - 1e-9, w.scratch, left);
        lm_expr_time(&e, knots[i], w.scratch, at);
        assert_true(at[0] == values[i]);
        assert_true(fabs(left[0] - at[0]) < 1e-7 && fabs(left[1] - at[1]) < 1e-6);
        assert_true(fabs(left[2] - at[2]) < 1e-6);
        if (i == 0 || i == 5) assert_true(fabs(at[2]) < 1e-12);
    }
    world_close(&w);
}

static void other_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) return;
    CHECK({"1.5", 1.5}, {"2.25e1", 22.5});
    setlocale(LC_NUMERIC, "C");
}

static void constant_and_inputs(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    lm_expr e = parse(&w, "L*(N + 1) - pi*0");
    assert_true(e.constant && e.ninputs == 0 && e.nops == 0 && e.value == 8);
    assert_int_equal(lm_expr_scratch(&e, 2), 0);
    assert_string_equal(e.text, "L*(N + 1) - pi*0");
    e = parse(&w, "omega*x + if(0, z, y) + x^0");
    const int inputs[] = {1, 2, 4};
    assert_true(!e.constant && e.ninputs == 3);
    assert_memory_equal(e.inputs, inputs, sizeof inputs);
    assert_true(lm_expr_uses(&e, 4) && !lm_expr_uses(&e, 3) && !lm_expr_uses(&e, LM_SLOT_T));
    e = parse(&w, "if(1, 2, abs(t - 1))");
    assert_true(e.constant && e.nkinks == 0 && e.value == 2);
    lm_expr_constant(&e, 4);
    double out[3];
    lm_expr_time(&e, 1, NULL, out);
    assert_true(lm_expr_eval(&e, NULL, NULL) == 4 && out[0] == 4 && out[1] == 0 && out[2] == 0);
    assert_true(isinf(lm_expr_next_kink(&e, 0)) && lm_expr_grad(&e, NULL, NULL, NULL) == 4);
    assert_int_equal(lm_expr_parse(&w.arena, &w.diag, NULL, "2*pi", (lm_loc){0}, &e), 0);
    assert_true(e.value == 2 * M_PI);
    world_close(&w);
}

/* Suggestions and docs get every function, constant and word, each once. */
static void list_of_names(void **state)
{
    (void)state;
    static const char *const some[] = {"sin",     "atan2", "if",  "spline", "norm",
                                       "surface", "pi",    "deg", "not"};
    int n;
    const char *const *names = lm_expr_names(&n);
    assert_int_equal(n, 15 + 2 + 8 + 2 + 3);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) assert_string_not_equal(names[i], names[j]);
    for (int i = 0, found = 0; i < COUNT(some); i++, assert_int_equal(found, i))
        for (int j = 0; j < n; j++) found += strcmp(some[i], names[j]) == 0;
}

/* Many terms need few registers. */
static void scratch_is_small(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    char text[4000] = "x", term[40];
    for (int i = 1; i < 100; i++) {
        snprintf(term, sizeof term, " + %d*sin(y + %d)", i, i);
        strcat(text, term);
    }
    lm_expr e = parse(&w, text);
    assert_true(lm_expr_scratch(&e, 0) < 10);
    assert_int_equal(lm_expr_scratch(&e, 2), lm_expr_scratch(&e, 0) * (1 + 2 + 4));
    lm_expr once = parse(&w, "sin(x)"), twice = parse(&w, "sin(x)*sin(x) + cos(sin(x))");
    assert_int_equal(twice.nops, once.nops + 3);
    world_close(&w);
}

/* ---- kinks ---- */

/* The instants after `from`, ended by INFINITY. */
static void kinks(const char *text, double from, const double *expected)
{
    world w;
    world_open(&w);
    lm_expr e = parse(&w, text);
    double t = from;
    for (int i = 0;; i++) {
        double next = lm_expr_next_kink(&e, t);
        if (isinf(expected[i]) ? next != expected[i] : fabs(next - expected[i]) > 1e-14)
            fail_msg("%s: after %g comes %.17g, not %g", text, t, next, expected[i]);
        assert_true(next > t);
        if (isinf(next) || isnan(expected[i + 1])) break;
        t = next;
    }
    world_close(&w);
}
/* END: no more instants; MORE: the list goes on. */
#define END                    INFINITY, NAN
#define MORE                   NAN
#define KINKS(text, from, ...) kinks(text, from, (const double[]){__VA_ARGS__})

static void kinks_of_functions(void **state)
{
    (void)state;
    KINKS("t^2 + sin(t)", -10, END);
    KINKS("pwl(t, 0,0, 5,200, 10,0)", -1, 0, 5, 10, END);
    KINKS("pwl(t, 0,0, 5,200, 10,0)", 0, 5, 10, END);
    KINKS("pwl(1 - 2*t, 0,0, 5,200, 10,0)", -10, -4.5, -2, 0.5, END);
    KINKS("spline((t - 1)/4, 0,0, 1,1, 2,0)", 0, 1, 5, 9, END);
    KINKS("step(t, 1, 0, 2, 5)*x", 0, 1, 2, END);
    KINKS("step(t, 1, y, t + 1, 5)", 0, 1, END);
    KINKS("step(2*t, 1, y, 5, 5)", 0, 0.5, 2.5, END);
    KINKS("if(t < 1, 2, if(t >= 3, x, y))", 0, 1, 3, END);
    KINKS("if(t, 1, 2)", -1, 0, END);
    KINKS("t - 1 and 2 - t", 0, 1, 2, END);
    KINKS("not (t - 1)", 0, 1, END);
    KINKS("abs(3 - t) + sign(t + 1) + abs(x - 2)", -9, -1, 3, END);
    KINKS("min(t, 2 - t, 5)", -9, -3, 1, 5, END);
    KINKS("max(t, 1) + max(t, 1)", 0, 1, END);
    KINKS("t == 4 or t != 5", 0, 4, 5, END);
    KINKS("abs(t - x) + abs(t*t - 4)", -9, END);
    KINKS("abs(t - t) + abs(2*t - t - 1)", -9, 1, END);
}

static void kinks_with_period(void **state)
{
    (void)state;
    KINKS("floor(t)", -1.5, -1, 0, 1, 2, MORE);
    KINKS("floor(2*t - 0.5)", 0, 0.25, 0.75, 1.25, MORE);
    KINKS("mod(t, 0.1)", 1e5, 1e5 + 0.1, MORE);
    KINKS("mod(t, 0.1)", -0.35, -0.3, -0.2, -0.1, 0, 0.1, MORE);
    KINKS("mod(-t, 2)", 0.5, 2, 4, MORE);
    KINKS("mod(t, x)", 0, END);
    KINKS("floor(t) + abs(t - 0.5)", 0, 0.5, 1, 2, 3, MORE);
    /* periodic signals */
    KINKS("pwl(mod(t, 2), 0,0, 0.5,1, 1,0)", 0.1, 0.5, 1, 2, 2.5, 3, 4, 4.5, MORE);
    KINKS("if(mod(t, 1) < 0.25, 1, -1)", 7.1, 7.25, 8, 8.25, MORE);
    KINKS("if(mod(1 - 2*t, 4) < 1, 1, -1)", 0, 0.5, 2, 2.5, 4, MORE);
    KINKS("if(mod(t, -4) < -1, 1, -1)", 0, 3, 4, 7, MORE);
    KINKS("abs(mod(t, 2) - 3)", 0, 2, 4, MORE);
    KINKS("floor(mod(t, 2)*2)", 0, 0.5, 1, 1.5, 2, 2.5, MORE);
    KINKS("abs(mod(t, 2) - mod(t, 2) + mod(t, 2) - 1)", 0, 1, 2, 3, MORE);
    KINKS("abs(mod(t, 2) - t + 0.5)", 0, 2, 4, MORE);
}

static void kinks_at_the_limits(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    lm_expr e = parse(&w, "floor(t*1e10) + abs(t - 1)");
    assert_true(lm_expr_next_kink(&e, 1e20) == nextafter(1e20, INFINITY));
    assert_true(isinf(lm_expr_next_kink(&e, INFINITY)) && isinf(lm_expr_next_kink(&e, NAN)));
    assert_true(lm_expr_next_kink(&e, -INFINITY) == 1);
    double t = 0.3;
    for (int i = 0; i < 10000; i++) {
        double next = lm_expr_next_kink(&e, t);
        assert_true(next > t && next < t + 1.1e-10);
        t = next;
    }
    e = parse(&w, "abs(huge*t*huge - 1) + mod(t/huge/huge, 1) + mod(t, 1e-320)");
    assert_true(lm_expr_next_kink(&e, 1) > 1);
    world_close(&w);
}

/* ---- sensors and references ---- */

static void sensors(void **state)
{
    (void)state;
    static const char *const samples[][2] = {
        {"pos(link(k-1).end, ground).x", "pos[link(2).end|ground].x"},
        {"energy.kinetic", "energy.kinetic"},
        {"energy . kinetic", "energy.kinetic"},
        {"joint(pin)", "joint[pin]."},
        {"joint( pin ( N * 2 ) ) . angle", "joint[pin(6)].angle"},
        {"vel(cell(i)(j).at(0.5)).y", "vel[cell(1)(2).at(0.5)].y"},
        {"pos(ground.at(0, 1, -L)).z", "pos[ground.at(0,1,-2)].z"},
        {"deflection(rod, 0.5).y", "deflection[rod|0.5].y"},
        {"deflection(rod, x0).y", "deflection[rod|0.5].y"},
        {"deflection(rod, x0/4).y", "deflection[rod|0.125].y"},
        {"deflection(rod, -L).y", "deflection[rod|-2].y"},
        {"deflection(rod, (L)).y", "deflection[rod|2].y"},
        {"deflection(rod, min(x0, 1)).y", "deflection[rod|0.5].y"},
        {"deflection(rod, 1/3).y", "deflection[rod|0.33333333333333331].y"},
        {"deflection(rod, -0).y", "deflection[rod|0].y"},
        {"pos(L, k.end).x", "pos[L|k.end].x"},
        {"pos(step(k)).x", "pos[step(3)].x"},
        {"rate(q(k))", "rate[q(3)]."},
        {"energy", "energy."},
        {"pos().x", "pos.x"},
        {"pos(a, b, c, d).x", "pos[a|b|c|d].x"},
    };
    world w;
    world_open(&w);
    for (int i = 0; i < COUNT(samples); i++) {
        w.nsensors = 0;
        lm_expr e = parse(&w, samples[i][0]);
        assert_string_equal(w.sensors[0], samples[i][1]);
        assert_true(e.ninputs == 1 && e.inputs[0] == FIRST_SENSOR && w.nsensors == 1);
        assert_true(w.sensor_loc.col == 10 && w.sensor_loc.line == 7);
    }
    parse(&w, "2*  pos(a).x");
    assert_int_equal(w.sensor_loc.col, 14);
    world_close(&w);
}

static void norm_of_a_sensor(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    lm_expr e = parse(&w, "2*norm( vel(a, b) )");
    assert_string_equal(w.sensors[0], "vel[a|b].x");
    assert_string_equal(w.sensors[1], "vel[a|b].y");
    assert_string_equal(w.sensors[2], "vel[a|b].z");
    w.slots[FIRST_SENSOR] = 2;
    w.slots[FIRST_SENSOR + 1] = 3;
    w.slots[FIRST_SENSOR + 2] = 6;
    assert_true(lm_expr_eval(&e, w.slots, w.scratch) == 14);
    world_close(&w);
}

static void indexed_symbols(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    w.slots[12] = 5;
    w.slots[13] = 7;
    assert_true(eval(&w, "q(k)*10 + q ( k - 1 )") == 75);
    assert_true(eval(&w, "-q(1 + 1)^2") == -25);
    world_close(&w);
}

static void references(void **state)
{
    (void)state;
    static const char *const samples[][2] = {
        {"ground", "ground"},
        {"  ground ", "ground"},
        {"link(k-1).end", "link(2).end"},
        {"cell(i)(j).at(0.5)", "cell(1)(2).at(0.5)"},
        {"ground.at(0, 1, -L)", "ground.at(0,1,-2)"},
        {"ground.at(0, -0, 0*-1)", "ground.at(0,0,0)"},
        {"link( (k + 1)/2 ) . start", "link(2).start"},
        {"a_1.b(1e3, 0.1)", "a_1.b(1000,0.10000000000000001)"},
        {"big(2147483648*4)", "big(8589934592)"},
        {"sin(1)", "sin(1)"},
        {"beam.node(max(i, j))", "beam.node(2)"},
    };
    world w;
    world_open(&w);
    for (int i = 0; i < COUNT(samples); i++) {
        const char *found =
            lm_expr_reference(&w.arena, &w.diag, &w.env, samples[i][0], (lm_loc){0});
        assert_non_null(found);
        assert_string_equal(found, samples[i][1]);
    }
    world_close(&w);
}

/* ---- memory ---- */

static void evaluation_does_not_allocate(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    lm_expr e =
        parse(&w, "if(x > 0, spline(t, 0,0, 1,1, 2,0), min(x, y)) * omega^2.5 + atan2(x, z)");
    double grad[5], hess[25];
    long before = lm_mem_allocs();
    for (int i = 0; i < 100; i++) {
        w.slots[0] = 0.01 * i;
        lm_expr_eval(&e, w.slots, w.scratch);
        lm_expr_grad(&e, w.slots, w.scratch, grad);
        lm_expr_hess(&e, w.slots, w.scratch, grad, hess);
        lm_expr_next_kink(&e, w.slots[0]);
    }
    assert_int_equal(lm_mem_allocs(), before);
    world_close(&w);
}

static const char *const memory_samples[] = {
    "if(x > 0, spline(t, 0,0, 1,1, 2,0), min(x, y)) * omega^2.5 + norm(pos(link(k-1).end))",
    "sin(x) + omga",
    "q(9) + 1",
    "max(t, 1, 2*t, 3, 4*t, 5, 6*t, 7, 8*t, 9, 10*t) + pos(a.b(k)).x + q(k)",
};

/* One attempt with the k-th allocation failing: 1 when it was reached. */
static int attempt(const char *text, long k, int handler)
{
    static const lm_loc place = {"f", 1, 1};
    world w;
    world_open(&w);
    jmp_buf out;
    lm_expr e;
    lm_mem_fail_after(k);
    volatile int jumped = 0;
    w.arena.limit = 0;
    if (handler) w.arena.on_fail = &out;
    if (handler && setjmp(out)) jumped = 1;
    int rc = jumped ? 1 : lm_expr_parse(&w.arena, &w.diag, &w.env, text, place, &e);
    lm_mem_fail_after(0);
    assert_ptr_equal(w.arena.on_fail, handler ? &out : NULL);
    if (rc == -1) assert_true(w.diag.errors == 1 || w.diag.out_of_memory);
    int failed = jumped || w.diag.out_of_memory ||
                 (w.diag.list.n && strcmp(w.diag.list.at[0].text, "out of memory") == 0);
    world_close(&w);
    return failed;
}

static void failing_allocations(void **state)
{
    (void)state;
    long live = lm_mem_live();
    int failures = 0;
    for (int handler = 0; handler < 2; handler++)
        for (int i = 0; i < COUNT(memory_samples); i++)
            for (long k = 1; k < 50; k++) failures += attempt(memory_samples[i], k, handler);
    assert_true(failures >= 8);
    assert_int_equal(lm_mem_live(), live);
}

/* The arena's own limit fails far more places than its few blocks do. */
static void limited_arena(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(memory_samples); i++)
        for (size_t limit = 16, done = 0; !done; limit += 16) {
            world w;
            world_open(&w);
            lm_expr e;
            w.arena.limit = limit;
            int rc = lm_expr_parse(&w.arena, &w.diag, &w.env, memory_samples[i], (lm_loc){0}, &e);
            int memory = w.diag.list.n && strcmp(w.diag.list.at[0].text, "out of memory") == 0;
            assert_true(rc == 0 || w.diag.errors == 1);
            done = !memory;
            world_close(&w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(precedence),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(functions),
        cmocka_unit_test(not_a_number),
        cmocka_unit_test(steps_and_tables),
        cmocka_unit_test(spline_is_smooth),
        cmocka_unit_test(other_locale),
        cmocka_unit_test(constant_and_inputs),
        cmocka_unit_test(list_of_names),
        cmocka_unit_test(scratch_is_small),
        cmocka_unit_test(kinks_of_functions),
        cmocka_unit_test(kinks_with_period),
        cmocka_unit_test(kinks_at_the_limits),
        cmocka_unit_test(sensors),
        cmocka_unit_test(norm_of_a_sensor),
        cmocka_unit_test(indexed_symbols),
        cmocka_unit_test(references),
        cmocka_unit_test(evaluation_does_not_allocate),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(limited_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
