/* Expressions: gradients and Hessians against finite differences and complex steps. */
#include "test_expr_env.h"

#include <complex.h>

enum { MOST_INPUTS = 8 };

/* xorshift: the same points on every machine */
static uint64_t seed = 88172645463325252u;
static double uniform(double a, double b)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return a + (b - a) * (double)(seed >> 11) * 0x1p-53;
}
static int choose(int n) { return (int)uniform(0, n); }

static double value_at(world *w, const lm_expr *e, int input, double x, double *grad)
{
    double *slot = &w->slots[e->inputs[input]], old = *slot;
    *slot = x;
    double f =
        grad ? lm_expr_grad(e, w->slots, w->scratch, grad) : lm_expr_eval(e, w->slots, w->scratch);
    *slot = old;
    return f;
}

/* Fourth-order central differences of the value (component < 0) or of a gradient component. */
static double difference(world *w, const lm_expr *e, int input, int component)
{
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
    double x = w->slots[e->inputs[input]], h = 1e-4 * (1 + fabs(x)), sum = 0, grad[MOST_INPUTS];
    for (int i = 0; i < 4; i++) {
        double f = value_at(w, e, input, x + at[i] * h, component < 0 ? NULL : grad);
        sum += weight[i] * (component < 0 ? f : grad[component]);
    }
    return sum / h;
}

static void near(const char *text, const char *what, double found, double expected, double tol)
{
    if (!(fabs(found - expected) <= tol * (1 + fabs(expected))))
        fail_msg("%s: %s %.12g, not %.12g", text, what, found, expected);
}

static void check_point(world *w, const lm_expr *e)
{
    double grad[MOST_INPUTS], again[MOST_INPUTS], hess[MOST_INPUTS * MOST_INPUTS];
    int n = e->ninputs;
    double f = lm_expr_hess(e, w->slots, w->scratch, grad, hess);
    assert_true(f == lm_expr_eval(e, w->slots, w->scratch));
    assert_true(f == lm_expr_grad(e, w->slots, w->scratch, again));
    assert_memory_equal(grad, again, sizeof *grad * (size_t)n);
    for (int i = 0; i < n; i++) {
        near(e->text, "first derivative", grad[i], difference(w, e, i, -1), 1e-9);
        for (int j = 0; j < n; j++) {
            assert_true(hess[i * n + j] == hess[j * n + i]);
            near(e->text, "second derivative", hess[i * n + j], difference(w, e, j, i), 1e-8);
        }
    }
}

/* x, y, z, omega, t and sensors within [a, b] */
static void check(const char *text, double a, double b)
{
    world w;
    world_open(&w);
    lm_expr e = parse(&w, text);
    assert_true(e.ninputs > 0 && e.ninputs <= MOST_INPUTS);
    for (int k = 0; k < 200; k++) {
        for (int i = 0; i < SLOTS; i++) w.slots[i] = uniform(a, b);
        check_point(&w, &e);
    }
    world_close(&w);
}

static void smooth_functions(void **state)
{
    (void)state;
    static const char *const anywhere[] = {
        "sin(x)",
        "cos(x*y)",
        "atan(x + 2*y)",
        "sinh(x)*y",
        "cosh(x - y)",
        "tanh(x*z)",
        "exp(x*y - z)",
        "x + y",
        "x - y",
        "x*y",
        "x/(4 + y)",
        "3 - x",
        "2*x",
        "x/7",
        "5/(3 + x)",
        "x^2",
        "x^3",
        "x^-2*0 + x",
        "(x + 3)^-2",
        "(x*y)^5",
        "2^x",
        "2^(x*y)",
        "(3 + x)^2.5",
        "(3 + x)^(y*z)",
        "sqrt(4 + x*y)",
        "log(4 + x - y)",
        "log(2 + sin(x + y))",
        "atan2(3 + x, y)",
        "atan2(y, -3 - x)",
        "asin(x/2)",
        "acos(x*y/3)",
        "tan(x*y/2)",
        "x*x",
        "x*y*z*omega*t",
        "(x + y + z + omega + t)^3",
        "norm(pos(a))^2 + norm(vel(a))",
        "x*sin(omega*t + y)*exp(-z*t)",
        "mod(7 + x/4, 20)",
        "mod(50 + x, 100)",
        "mod(7 + x/10, 2 + y/20)",
        "spline(x, -2,1, -0.5,3, 0.7,-1, 2,0)",
        "step(x*y, -2, 1, 2, 5)",
        "step(x, -4 + y, z, 4 + t, omega)",
        "step(x, -3, y, 5, z)",
    };
    for (int i = 0; i < COUNT(anywhere); i++) check(anywhere[i], -1.2, 1.2);
    check("x^2.5 + y^x + log(x*y)/sqrt(z)", 0.5, 2);
    check("x^-3 + x^40 + y^-0.5", 0.8, 1.05);
}

/* Points at random rarely meet a corner; values are kept away from those. */
static void pieces(void **state)
{
    (void)state;
    check("abs(x)*y", 0.1, 1);
    check("abs(x)*y", -1, -0.1);
    check("min(x*y, x + 5, 7) + max(x*y, x + 5)", -1, 1);
    check("if(x > 2, x*y, log(x - 3)) + if(x < 2, log(x - 9), x^2*y)", 2.1, 4);
    check("if(x > 2, log(x - 9), x*y)", 0, 1.9);
    check("pwl(x*y, 0,0, 1,3, 9,-4)*z", 1.1, 2.9);
    check("step(x, 0,1, 1,5)*y + sign(x)*y + floor(x)*z", 1.1, 1.9);
    check("step(x, 0,y, 2 + z,5)", 1, 1.9);
    check("step(x, 0,1, 1,5)*y + sign(x)*y + (x > 0)*z + (x > 0 and y > 0)*x", -1, -0.1);
    check("not (x > 9)*y + y*(not x)", 0.1, 1);
}

/* ---- particular points ---- */

typedef struct point {
    const char *text; /* in x, and possibly y = 0 */
    double x, f, d, dd;
} point;

static void derivatives_at(const point *p)
{
    world w;
    world_open(&w);
    lm_expr e = parse(&w, p->text);
    double grad[2], hess[4];
    w.slots[1] = p->x;
    double f = lm_expr_hess(&e, w.slots, w.scratch, grad, hess);
    const double found[3] = {f, grad[0], hess[0]}, expected[3] = {p->f, p->d, p->dd};
    for (int i = 0; i < 3; i++)
        if (!(found[i] == expected[i] || (isnan(found[i]) && isnan(expected[i]))))
            fail_msg("%s at %g: derivative %d is %g, not %g", p->text, p->x, i, found[i],
                     expected[i]);
    if (e.ninputs == 2) assert_true(grad[1] == 0 && hess[1] == 0 && hess[3] == 0);
    world_close(&w);
}

static void particular_points(void **state)
{
    (void)state;
    const point list[] = {
        {"x^2", 0, 0, 0, 2},
        {"x^3", 0, 0, 0, 0},
        {"x^2", -3, 9, -6, 2},
        {"x^3", -2, -8, 12, -12},
        {"x^-1", -2, -.5, -.25, -.25},
        {"x^33", -1, -1, 33, -1056},
        {"x^2.5", 0, 0, 0, 0},
        {"x^1.5", 0, 0, 0, INFINITY},
        {"x^40", 0, 0, 0, 0},
        {"0^x", 2, 0, 0, 0},
        {"sqrt(x)", 0, 0, INFINITY, -INFINITY},
        {"abs(x)", 0, 0, 0, 0},
        {"abs(x)", -2, 2, -1, 0},
        {"sign(x)", 0, 0, 0, 0},
        {"sqrt(x^2)", 0, 0, 0, INFINITY},
        /* chosen branches only */
        {"if(x > 0, log(x), x^2)", -1, 1, -2, 2},
        {"if(x > 0, sqrt(x), 0)", 0, 0, 0, 0},
        {"if(x <= 0, x, sqrt(x))", 0, 0, 1, 0},
        {"if(log(x), 1, 2)", -1, NAN, 0, 0},
        {"min(x, 2*x)", 0, 0, 1, 0},
        {"max(x, 3)", 1, 3, 0, 0},
        {"(x > 0 and log(x) > 0)*x", -1, 0, 0, 0},
        /* knots: from the right */
        {"pwl(x, 0,0, 1,2, 3,0)", 1, 2, -1, 0},
        {"pwl(x, 0,0, 1,2, 3,0)", 0, 0, 2, 0},
        {"pwl(x, 0,0, 1,2, 3,0)", 3, 0, 0, 0},
        {"pwl(x, 0,0, 1,2, 3,0)", -1, 0, 0, 0},
        {"pwl(x, 0,0, 1,2)*0 + pwl(x, 0,5)", 7, 5, 0, 0},
        {"step(x, 0,1, 2,5)", 0, 1, 0, 6},
        {"step(x, 0,1, 2,5)", 2, 5, 0, 0},
        {"step(x, 0,1, 2,5)", 1, 3, 3, 0},
        {"step(x, y,1, y,5)", 7, 5, 0, 0},
        {"spline(x, 0,1, 1,3)", -4, -7, 2, 0},
        {"floor(x)*x", 1.5, 1.5, 1, 0},
        {"mod(x, 3)", 7, 1, 1, 0},
        /* an infinite slope keeps to its own input */
        {"sqrt(x) + 0*y", 0, 0, INFINITY, -INFINITY},
        {"if(1, x, y) + 0*sqrt(y + 4)", 2, 2, 1, 0},
        {"(sqrt(x) + 1 + y - y)^2", 0, 1, INFINITY, NAN},
        {"atan2(x, y)", 0, 0, 0, 0},
        {"atan2(x, y - 0*y)", 0, 0, 0, 0},
    };
    for (int i = 0; i < COUNT(list); i++) derivatives_at(&list[i]);
}

static void norm_at_zero(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    lm_expr e = parse(&w, "3*norm(vel(a))");
    double grad[3], hess[9];
    assert_true(lm_expr_hess(&e, w.slots, w.scratch, grad, hess) == 0);
    for (int i = 0; i < 9; i++) assert_true(hess[i] == 0 && grad[i % 3] == 0);
    world_close(&w);
}

static void functions_of_time(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    lm_expr e = parse(&w, "L*sin(3*t) + t^2");
    double out[3];
    lm_expr_time(&e, 0.4, w.scratch, out);
    near(e.text, "value", out[0], 2 * sin(1.2) + .16, 1e-15);
    near(e.text, "rate", out[1], 6 * cos(1.2) + .8, 1e-15);
    near(e.text, "acceleration", out[2], -18 * sin(1.2) + 2, 1e-15);
    e = parse(&w, "x + t");
    lm_expr_time(&e, 0.4, w.scratch, out);
    assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[2]));
    world_close(&w);
}

/* ---- random trees: gradients by complex steps of an evaluator of its own ---- */

enum { LEAVES = 5 };
static const char *const leaf_names[LEAVES] = {"t", "x", "y", "z", "omega"};

typedef struct tree {
    char text[4000];
    int n;
} tree;

static void put(tree *s, const char *text)
{
    s->n += snprintf(s->text + s->n, sizeof s->text - (size_t)s->n, "%s", text);
    assert_true(s->n < (int)sizeof s->text - 100);
}

static void put_number(tree *s, double x)
{
    char digits[40];
    snprintf(digits, sizeof digits, x < 0 ? "(%.17g)" : "%.17g", x);
    put(s, digits);
}

typedef double complex (*unary)(double complex);
static double complex square_c(double complex x) { return x * x; }
static double complex cube_c(double complex x) { return x * x * x; }
static double complex inverse_c(double complex x) { return 1 / x; }
static double complex abs_c(double complex x) { return creal(x) < 0 ? -x : x; }
static double complex neg_c(double complex x) { return -x; }
static double complex positive_c(double complex x) { return creal(x) > 0 ? x : 0; }
static double complex smooth_c(double complex x)
{
    return creal(x) <= 0 ? 0 : creal(x) >= 1 ? 1 : x * x * (3 - 2 * x);
}
static double complex ramp_c(double complex x)
{
    return creal(x) <= -1   ? 2
           : creal(x) < 0.5 ? 2 - 2 * (x + 1)
           : creal(x) < 2   ? -1 + (x - 0.5)
                            : 0.5;
}

static const struct {
    const char *before, *after;
    unary f;
} unaries[] = {
    {"sin(", ")", csin},
    {"cos(", ")", ccos},
    {"tan(", ")", ctan},
    {"atan(", ")", catan},
    {"sinh(", ")", csinh},
    {"cosh(", ")", ccosh},
    {"tanh(", ")", ctanh},
    {"exp(", ")", cexp},
    {"log(", ")", clog},
    {"sqrt(", ")", csqrt},
    {"asin(", ")", casin},
    {"acos(", ")", cacos},
    {"(", ")^2", square_c},
    {"(", ")^3", cube_c},
    {"1/(", ")", inverse_c},
    {"abs(", ")", abs_c},
    {"-(", ")", neg_c},
    {"max(", ", 0)", positive_c},
    {"(", ")^-1", inverse_c},
    {"step(", ", 0,0, 1,1)", smooth_c},
    {"pwl(", ", -1,2, 0.5,-1, 2,0.5)", ramp_c},
};

static int undefined; /* a power that the complex logarithm cannot give */

/* Appends a random tree to s and returns its value at the complex point v. */
static double complex grow(tree *s, int depth, const double complex *v)
{
    int kind = depth == 0 ? choose(4) : 2 + choose(12);
    if (kind == 0) {
        double x = uniform(-2, 2);
        put_number(s, x);
        return x;
    }
    if (kind < 4) {
        int i = choose(LEAVES);
        put(s, leaf_names[i]);
        return v[i];
    }
    if (kind < 8) {
        int i = choose(COUNT(unaries));
        put(s, unaries[i].before);
        double complex a = grow(s, depth - 1, v);
        put(s, unaries[i].after);
        return unaries[i].f(a);
    }
    static const char *const middle[] = {" + ", " - ", "*", "/", "^", ", "};
    int op = choose(COUNT(middle)), low = choose(2);
    put(s, op < 5 ? "(" : low ? "min(" : "max(");
    double complex a = grow(s, depth - 1, v);
    put(s, op < 5 ? ")" : "");
    put(s, middle[op]);
    put(s, op < 5 ? "(" : "");
    double complex b = grow(s, depth - 1, v);
    put(s, ")");
    switch (op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: undefined |= !(creal(a) > 0); return cexp(b * clog(a));
    default: return (creal(a) < creal(b)) == low ? a : b;
    }
}

/* The tree that this state of the generator gives, at x + i h e_k. */
static double complex evaluate(uint64_t start, int depth, const double *x, int k, double h, tree *s)
{
    double complex v[LEAVES];
    for (int i = 0; i < LEAVES; i++) v[i] = x[i] + (i == k ? I * h : 0);
    s->n = 0;
    undefined = 0;
    seed = start;
    return grow(s, depth, v);
}

/* 1 when there was something to compare. */
static int check_tree(uint64_t start, int depth)
{
    static tree s;
    double x[LEAVES], grad[LEAVES], hess[LEAVES * LEAVES];
    for (int i = 0; i < LEAVES; i++) x[i] = uniform(-2, 2);
    double complex f = evaluate(start, depth, x, -1, 0, &s);
    world w;
    world_open(&w);
    lm_expr e = parse(&w, s.text);
    memcpy(w.slots, x, sizeof x);
    double found = lm_expr_hess(&e, w.slots, w.scratch, grad, hess);
    int good =
        isfinite(found) && !undefined && fabs(cimag(f)) < 1e-13 && fabs(found) < 1e4 && !e.constant;
    for (int i = 0; i < e.ninputs * e.ninputs; i++)
        good = good && fabs(hess[i]) < 1e6 && fabs(grad[i % e.ninputs]) < 1e5;
    for (int i = 0; good && i < e.ninputs; i++) {
        double exact = cimag(evaluate(start, depth, x, e.inputs[i], 1e-30, &s)) * 1e30;
        near(s.text, "value", found, creal(f), 1e-10);
        near(s.text, "gradient", grad[i], exact, 1e-8);
        for (int j = 0; j < e.ninputs; j++) {
            double h = 1e-5, fd = difference(&w, &e, j, i), fine;
            double *slot = &w.slots[e.inputs[j]], old = *slot, up[LEAVES], down[LEAVES];
            *slot = old + h, lm_expr_grad(&e, w.slots, w.scratch, up);
            *slot = old - h, lm_expr_grad(&e, w.slots, w.scratch, down);
            *slot = old, fine = (up[i] - down[i]) / (2 * h);
            if (!(fabs(fine - fd) < 1e-5 * (1 + fabs(fd)))) continue; /* too near a corner */
            near(s.text, "hessian", hess[i * e.ninputs + j], fd, 1e-4);
        }
    }
    world_close(&w);
    return good;
}

static void random_trees(void **state)
{
    (void)state;
    int done = 0;
    uint64_t next = seed;
    for (int i = 0; i < 20000; i++) {
        seed = next;
        uniform(0, 1);
        next = seed;
        done += check_tree(next * 0x9e3779b97f4a7c15u | 1, 1 + i % 5);
    }
    assert_true(done > 8000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_functions),  cmocka_unit_test(pieces),
        cmocka_unit_test(particular_points), cmocka_unit_test(norm_at_zero),
        cmocka_unit_test(functions_of_time), cmocka_unit_test(random_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
