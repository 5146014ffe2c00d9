/* Expressions: every message with its column, and texts that are too deep or too long. */
#include "test_expr_env.h"

#include <time.h>

typedef struct sample {
    const char *text;
    int column; /* the text starts at column 10 */
    const char *message;
} sample;

static void check_message(const world *w, const sample *s)
{
    if (w->diag.list.n != 1) fail_msg("%.60s: %d messages", s->text, w->diag.list.n);
    const lm_message *m = &w->diag.list.at[0];
    if (strcmp(m->text, s->message) != 0 || m->loc.col != s->column)
        fail_msg("%.60s: column %d, %s", s->text, m->loc.col, m->text);
    assert_true(m->severity == LM_ERROR && m->loc.line == 7);
    assert_string_equal(m->loc.file, "m.yaml");
}

static void check_with(const sample *s, const char *hint, int reference)
{
    world w;
    world_open(&w);
    w.env.hint = hint;
    if (hint) w.env.is_sensor = NULL;
    lm_expr e;
    const lm_loc loc = {"m.yaml", 7, 10};
    if (reference)
        assert_null(lm_expr_reference(&w.arena, &w.diag, &w.env, s->text, loc));
    else
        assert_int_equal(lm_expr_parse(&w.arena, &w.diag, &w.env, s->text, loc, &e), -1);
    check_message(&w, s);
    world_close(&w);
}

#define CHECK(...)                                                                                 \
    do {                                                                                           \
        const sample list[] = {__VA_ARGS__};                                                       \
        for (int n = 0; n < COUNT(list); n++) check_with(&list[n], NULL, 0);                       \
    } while (0)

static void values_and_operators(void **state)
{
    (void)state;
    CHECK({"", 10, "empty expression"}, {"  ", 10, "empty expression"},
          {"1 +", 13, "expected a value, found the end of the expression"},
          {"1 + * 2", 14, "expected a value, found '*'"}, {"()", 11, "expected a value, found ')'"},
          {"and 1", 10, "expected a value, found 'and'"},
          {"1 + or", 14, "expected a value, found 'or'"},
          {"sin(,1)", 14, "expected a value, found ','"},
          {"min(1,)", 16, "expected a value, found ')'"},
          {"-", 11, "expected a value, found the end of the expression"},
          {"not", 13, "expected a value, found the end of the expression"});
    CHECK({"x = 3", 12, "'=' is not an operator here; use '==' to compare"},
          {"x ** 3", 12, "'**' is not an operator here; use '^' for powers"},
          {"x && y", 12, "'&' is not an operator here; use 'and'"},
          {"x || y", 12, "'|' is not an operator here; use 'or'"},
          {"!x", 10, "'!' is not an operator here; use 'not'"},
          {"x ! y", 12, "'!' is not an operator here; use 'not'"},
          {"x % 2", 12, "'%' is not an operator here; use mod(a, b)"},
          {"sin(x = 2)", 16, "'=' is not an operator here; use '==' to compare"});
    CHECK({"1 < x < 2", 16, "comparisons cannot be chained; write a < b and b < c"},
          {"x == y == z", 17, "comparisons cannot be chained; write a < b and b < c"},
          {"x $ y", 12, "unexpected '$'"}, {"$", 10, "expected a value, found '$'"},
          {"x \xc2\xb7 y", 12, "unexpected '\xc2\xb7'"},
          {"x\xe2\x88\x92y", 11, "unexpected '\xe2\x88\x92'"},
          {"x \xff", 12, "unexpected the byte 0xff"},
          {"\x07", 10, "expected a value, found the byte 0x07"},
          {"x \xe2\x88", 12, "unexpected the byte 0xe2"}, {"x; y", 11, "unexpected ';'"},
          {"x.y", 11, "'x' has no components"}, {"x . y", 12, "unexpected '.'"},
          {"(x).y", 13, "unexpected '.'"});
}

static void numbers(void **state)
{
    (void)state;
    CHECK({"2pi", 11, "missing operator between '2' and 'pi'"},
          {"2 pi", 12, "missing operator before 'pi'"}, {"x y", 12, "missing operator before 'y'"},
          {"x 2", 12, "missing operator before '2'"}, {"x .5", 12, "missing operator before '.5'"},
          {"2(3)", 11, "missing operator before '('"},
          {"(2)(3)", 13, "missing operator before '('"},
          {"0x10", 11, "missing operator between '0' and 'x10'"},
          {"1_000", 11, "missing operator between '1' and '_000'"},
          {"2exp(1)", 11, "missing operator between '2' and 'exp'"});
    CHECK({"1.2.3", 10, "malformed number '1.2.3'"}, {"1..2", 10, "malformed number '1..2'"},
          {"1e", 10, "the exponent of '1e' has no digits"},
          {"1e+", 10, "the exponent of '1e' has no digits"},
          {"1 + 2.5E-x", 14, "the exponent of '2.5E' has no digits"},
          {"1e999", 10, "number '1e999' is too large"},
          {"1,5", 11, "unexpected ','; decimal numbers are written with a point"},
          {"x, 5", 11, "unexpected ','"}, {",", 10, "expected a value, found ','"},
          {".", 10, "expected a value, found '.'"}, {"1 + .", 14, "expected a value, found '.'"},
          {"1e5.2", 10, "malformed number '1e5.2'"});
}

static void parentheses(void **state)
{
    (void)state;
    CHECK({"2*x + (1", 18, "expected ')' to close '(' at column 16"},
          {"(1, 2)", 12, "expected ')' to close '(' at column 10, found ','"},
          {"((1)", 14, "expected ')' to close '(' at column 10"}, {"1)", 11, "')' without '('"},
          {"sin(x", 15, "expected ')' to close '(' at column 13"},
          {"sin(x y)", 16, "missing operator before 'y'"},
          {"pos(a", 15, "expected ')' to close '(' at column 13"},
          {"pos(a b).x", 16, "missing operator before 'b'"},
          {"pos(link(k).x", 23, "expected ')' to close '(' at column 13"});
}

static void names(void **state)
{
    (void)state;
    CHECK({"2*omga", 12, "unknown name 'omga'; did you mean 'omega'?"},
          {"qqqqqq", 10, "unknown name 'qqqqqq'"},
          {"sn(x)", 10, "unknown function 'sn'; did you mean 'sin'?"},
          {"hydraulic(3)", 10, "unknown function 'hydraulic'"},
          {"velo(a).x", 10, "unknown function 'velo'; did you mean 'vel'?"},
          {"crank.start", 10, "unknown name 'crank'"},
          {"sin", 10, "'sin' is a function: write sin(x)"},
          {"sin x", 10, "'sin' is a function: write sin(x)"},
          {"if", 10, "'if' is a function: write if(condition, then, else)"},
          {"L(3)", 11, "missing operator before '(': 'L' is not a function"},
          {"pi(3)", 12, "missing operator before '('"});
    CHECK({"q(17)", 10, "unknown name 'q(17)'; did you mean 'q(1)'?"},
          {"q(kk)", 12, "unknown name 'kk'"},
          {"q(t)", 12, "'t' is not a constant; only numbers and parameters can be used here"},
          {"q(1/0)", 12, "the value here is not a finite number"}, {"q", 10, "unknown name 'q'"},
          {"q(1", 13, "expected ')' to close '(' at column 11"});
}

static void hints(void **state)
{
    (void)state;
    const char *hint = "only parameters can be used here";
    const sample list[] = {
        {"1 + u", 14, "unknown name 'u': only parameters can be used here"},
        {"omga", 10,
         "unknown name 'omga': only parameters can be used here; did you mean 'omega'?"},
        {"energy.kin", 10,
         "unknown name 'energy': only parameters can be used here; did you mean 'energy'?"},
    };
    for (int i = 0; i < 2; i++) check_with(&list[i], hint, 0);
    world w;
    world_open(&w);
    w.env = (lm_expr_env){.hint = hint};
    lm_expr e;
    const sample t = {"t + 1", 10, "unknown name 't': only parameters can be used here"};
    lm_expr_parse(&w.arena, &w.diag, &w.env, t.text, (lm_loc){"m.yaml", 7, 10}, &e);
    check_message(&w, &t);
    lm_diag_free(&w.diag);
    const sample s = {"norm(velocity(a))", 15,
                      "unknown name 'velocity': only parameters can be used here"};
    lm_expr_parse(&w.arena, &w.diag, &w.env, s.text, (lm_loc){"m.yaml", 7, 10}, &e);
    check_message(&w, &s);
    world_close(&w);
}

static void arguments(void **state)
{
    (void)state;
    CHECK({"1 + sin(1, 2)", 14, "sin takes 1 argument, found 2"},
          {"sin()", 10, "sin takes 1 argument, found 0"},
          {"atan2(1)", 10, "atan2 takes 2 arguments (y, x), found 1"},
          {"min(1)", 10, "min needs 2 or more arguments, found 1"},
          {"if(1, 2)", 10, "if takes 3 arguments (condition, then, else), found 2"},
          {"step(t, 1, 2, 3)", 10, "step takes 5 arguments (x, x0, y0, x1, y1), found 4"},
          {"step(t, 2, 0, 1, 5)", 18, "step needs x0 < x1, found x0 = 2, x1 = 1"});
    CHECK({"pwl(t)", 10, "pwl needs x,y pairs after its argument"},
          {"pwl()", 10, "pwl needs x,y pairs after its argument"},
          {"pwl(t, 0, 1, 2)", 10, "pwl needs x,y pairs after its argument"},
          {"spline(t, 0)", 10, "spline needs x,y pairs after its argument"},
          {"pwl(t, 0,0, x,1)", 22, "the points of pwl must be constants"},
          {"pwl(t, 0,0, 1,log(-1))", 24, "the points of pwl must be finite numbers"},
          {"pwl(t, 0,0, 2,1, 2,3)", 27, "the x values of pwl must increase: 2 follows 2"},
          {"spline(t, 0,0, 2,1, 1,3)", 30, "the x values of spline must increase: 1 follows 2"},
          {"pwl(t, 0,0, 1,huge, 2,-huge)", 10, "the points of pwl are too far apart or too steep"},
          {"pwl(t, -huge,0, huge,1)", 10, "the points of pwl are too far apart or too steep"});
}

static void sensors(void **state)
{
    (void)state;
    CHECK({"norm(x)", 15, "norm takes a vector sensor, as in norm(pos(body))"},
          {"norm(3)", 15, "norm takes a vector sensor, as in norm(pos(body))"},
          {"norm()", 15, "norm takes a vector sensor, as in norm(pos(body))"},
          {"norm(pos(a).x)", 15, "norm takes a vector sensor without a component, found '.x'"},
          {"norm(pos(a), 2)", 21, "expected ')' to close '(' at column 14, found ','"},
          {"1 + bad(a).x", 14, "no such thing"}, {"norm(bad(a))", 15, "no such thing"},
          {"pos(a).", 17, "expected a component after '.', found the end of the expression"},
          {"pos(a).x.y", 18, "unexpected '.'"},
          {"pos(a,b,c,d,e).x", 22, "pos has more than 4 arguments"},
          {"pos(a, ).x", 17, "expected a value, found ')'"},
          {"pos(,a).x", 14, "expected a value, found ','"});
    CHECK({"pos(link(t)).x", 19,
           "'t' is not a constant; only numbers and parameters can be used here"},
          {"pos(link(pos(a).x)).x", 19,
           "'pos' is not a constant; only numbers and parameters can be used here"},
          {"pos(link(q(2))).x", 19,
           "'q(2)' is not a constant; only numbers and parameters can be used here"},
          {"deflection(rod, t/2).y", 26,
           "'t' is not a constant; only numbers and parameters can be used here"},
          {"deflection(rod, 1/0).y", 26, "the value here is not a finite number"},
          {"pos(a.).x", 16, "expected a name, found ')'"},
          {"pos(a.1).x", 16, "expected a name, found '1'"},
          {"pos(link()).x", 19, "expected a value, found ')'"});
}

static void references(void **state)
{
    (void)state;
    const sample list[] = {
        {"", 10, "expected a name"},
        {"3", 10, "expected a name, found '3'"},
        {"a.", 12, "expected a name, found the end of the expression"},
        {"a.3", 12, "expected a name, found '3'"},
        {"a b", 12, "missing operator before 'b'"},
        {"a(1", 13, "expected ')' to close '(' at column 11"},
        {"a(t)", 12, "'t' is not a constant; only numbers and parameters can be used here"},
        {"a(nan)", 12, "the value here is not a finite number"},
        {"a(1,)", 14, "expected a value, found ')'"},
        {"a(1 2)", 14, "missing operator before '2'"},
        {"a + b", 12, "unexpected '+'"},
    };
    for (int i = 0; i < COUNT(list); i++) check_with(&list[i], NULL, 1);
}

/* ---- sizes ---- */

static char *repeat(const char *a, int n, const char *middle, const char *b)
{
    size_t la = strlen(a), lb = strlen(b), size = (la + lb) * (size_t)n + strlen(middle) + 1;
    char *text = malloc(size), *s = text;
    assert_non_null(text);
    for (int i = 0; i < n; i++, s += la) memcpy(s, a, la);
    s = stpcpy(s, middle);
    for (int i = 0; i < n; i++, s += lb) memcpy(s, b, lb);
    *s = 0;
    return text;
}

static void rejected(const char *a, int n, const char *middle, const char *b, const char *message)
{
    world w;
    world_open(&w);
    char *text = repeat(a, n, middle, b);
    lm_expr e;
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    int rc = lm_expr_parse(&w.arena, &w.diag, &w.env, text, (lm_loc){"f", 1, 1}, &e);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    assert_int_equal(rc, message ? -1 : 0);
    if (message) assert_string_equal(w.diag.list.at[0].text, message);
    assert_true(to.tv_sec - from.tv_sec < 2);
    free(text);
    world_close(&w);
}

static void deep_and_long(void **state)
{
    (void)state;
    const char *deep = "the expression is nested more than 200 levels deep";
    const char *length = "the expression is longer than 100000 characters";
    static const char *const nests[][3] = {
        {"(", "1", ")"},       {"-", "x", ""},       {"not ", "x", ""},
        {"2^", "x", ""},       {"+", "1", ""},       {"sin(", "x", ")"},
        {"if(1,2,", "x", ")"}, {"max(1,", "x", ")"}, {"2*(1+x<", "x", ")"},
    };
    for (int i = 0; i < COUNT(nests); i++) {
        rejected(nests[i][0], 200, nests[i][1], nests[i][2], NULL);
        rejected(nests[i][0], 201, nests[i][1], nests[i][2], deep);
        rejected(nests[i][0], 10000, nests[i][1], nests[i][2], deep);
        rejected(nests[i][0], 1000000, nests[i][1], nests[i][2], length);
    }
    rejected("x^(", 100, "x", ")", NULL); /* two levels each */
    rejected("x^(", 101, "x", ")", deep);
    rejected("q(", 10000, "1", ")", deep);
    rejected("crankpin(", 9000, "1", ")", "unknown function 'crankpin'");
}

static void long_but_flat(void **state)
{
    (void)state;
    rejected("x+", 49000, "1", "", NULL);
    rejected("x*y-", 24000, "t", "", NULL);
    rejected("", 1, "1", " ", NULL);
    char name[400] = "", *text = repeat("a", 99999, "", "");
    memset(name, 'a', 40);
    world w;
    world_open(&w);
    lm_expr e;
    assert_int_equal(lm_expr_parse(&w.arena, &w.diag, &w.env, text, (lm_loc){0}, &e), -1);
    assert_true(strlen(w.diag.list.at[0].text) < 200);
    free(text);
    text = repeat("9", 99999, "", "");
    assert_int_equal(lm_expr_parse(&w.arena, &w.diag, &w.env, text, (lm_loc){0}, &e), -1);
    assert_string_equal(w.diag.list.at[1].text,
                        "number '9999999999999999999999999999999999999999' is too large");
    free(text);
    world_close(&w);
}

/* A place without a line stays as it is. */
static void no_place(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    lm_expr e;
    lm_expr_parse(&w.arena, &w.diag, &w.env, "(1 + 2", (lm_loc){"--set", 0, 0}, &e);
    assert_string_equal(w.diag.list.at[0].text, "expected ')' to close '(' at column 1");
    assert_int_equal(w.diag.list.at[0].loc.col, 0);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_operators),
        cmocka_unit_test(numbers),
        cmocka_unit_test(parentheses),
        cmocka_unit_test(names),
        cmocka_unit_test(hints),
        cmocka_unit_test(arguments),
        cmocka_unit_test(sensors),
        cmocka_unit_test(references),
        cmocka_unit_test(deep_and_long),
        cmocka_unit_test(long_but_flat),
        cmocka_unit_test(no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
