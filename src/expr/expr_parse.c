/* The grammar: an operator-precedence parser that builds values as it reads.
 *
 *   value      = number | name ... | '(' expression ')'
 *   expression = values joined by, from loose to tight:
 *                or; and; not; < <= > >= == !=; + -; * /; unary + -; ^ (from the right)
 *
 * An error jumps to p->bail: there is nothing to clean up, all memory is the arena's. */
#include "expr/expr_priv.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_POWER };

static const struct infix {
    const char *text;
    int level, code;
} operators[] = {
    /* those that start like others come first */
    {"<=", LEVEL_COMPARE, LM_OP_LE}, {">=", LEVEL_COMPARE, LM_OP_GE},
    {"==", LEVEL_COMPARE, LM_OP_EQ}, {"!=", LEVEL_COMPARE, LM_OP_NE},
    {"<", LEVEL_COMPARE, LM_OP_LT},  {">", LEVEL_COMPARE, LM_OP_GT},
    {"+", LEVEL_SUM, LM_OP_ADD},     {"-", LEVEL_SUM, LM_OP_SUB},
    {"*", LEVEL_PRODUCT, LM_OP_MUL}, {"/", LEVEL_PRODUCT, LM_OP_DIV},
    {"^", LEVEL_POWER, LM_OP_POW},   {"and", LEVEL_AND, LM_OP_AND},
    {"or", LEVEL_OR, LM_OP_OR},
};

static lm_value expression(lm_parser *p, int level);

/* ---- places and messages ---- */

static int column_of(const lm_parser *p, int pos)
{
    return (p->loc.col > 0 ? p->loc.col : 1) + pos;
}

lm_loc lm_parse_loc(const lm_parser *p, int pos)
{
    lm_loc loc = p->loc;
    if (loc.line > 0) loc.col = column_of(p, pos);
    return loc;
}

_Noreturn void lm_parse_fail(lm_parser *p, int pos, const char *fmt, ...)
{
    if (!p->quiet) {
        char text[600];
        va_list args;
        va_start(args, fmt);
        vsnprintf(text, sizeof text, fmt, args);
        va_end(args);
        lm_error(p->diag, lm_parse_loc(p, pos), "%s", text);
    }
    p->reported = 1;
    longjmp(*p->bail, 1);
}

int lm_parse_is_word(char c, int first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && c >= '0' && c <= '9');
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Length of the UTF-8 character at s, 0 when it is not one or cannot be shown. */
static int shown(const char *s)
{
    unsigned char c = (unsigned char)*s;
    if (c < 0x80) return c >= 0x20 && c < 0x7f;
    int n = c >= 0xf0 && c < 0xf8 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
    if (c >= 0xf8) n = 0;
    for (int i = 1; i < n; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80) return 0;
    return n;
}

const char *lm_parse_found(lm_parser *p)
{
    enum { MOST = 40 };
    char c = lm_parse_peek(p);
    const char *s = p->text + p->pos;
    if (!c) return "the end of the expression";
    int n = c == '.' && is_digit(s[1]);
    while (lm_parse_is_word(s[n], 0) && n <= MOST) n++;
    if (n > MOST) return lm_arena_printf(p->arena, "'%.*s...'", MOST, s);
    if (n > 0) return lm_arena_printf(p->arena, "'%.*s'", n, s);
    n = shown(s);
    if (n > 0) return lm_arena_printf(p->arena, "'%.*s'", n, s);
    return lm_arena_printf(p->arena, "the byte 0x%02x", (unsigned char)c);
}

/* Operators of other languages. */
static void foreign_operator(lm_parser *p)
{
    static const char *const list[][2] = {
        {"=", "use '==' to compare"}, {"**", "use '^' for powers"},
        {"&", "use 'and'"},           {"|", "use 'or'"},
        {"!", "use 'not'"},           {"%", "use mod(a, b)"},
    };
    const char *s = p->text + p->pos;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strncmp(s, list[i][0], strlen(list[i][0])) == 0)
            lm_parse_fail(p, p->pos, "'%s' is not an operator here; %s", list[i][0], list[i][1]);
}

static void unexpected_comma(lm_parser *p)
{
    const char *s = p->text + p->pos;
    if (p->pos > 0 && is_digit(s[-1]) && is_digit(s[1]))
        lm_parse_fail(p, p->pos, "unexpected ','; decimal numbers are written with a point");
    lm_parse_fail(p, p->pos, "unexpected ','");
}

/* What stands here cannot follow a value. */
static _Noreturn void unexpected(lm_parser *p)
{
    char c = lm_parse_peek(p);
    if (c == ')') lm_parse_fail(p, p->pos, "')' without '('");
    if (c == ',') unexpected_comma(p);
    foreign_operator(p);
    if (lm_parse_is_word(c, 0) || c == '(' || (c == '.' && is_digit(p->text[p->pos + 1])))
        lm_parse_fail(p, p->pos, "missing operator before %s", lm_parse_found(p));
    lm_parse_fail(p, p->pos, "unexpected %s", lm_parse_found(p));
}

static _Noreturn void expected_value(lm_parser *p)
{
    char c = lm_parse_peek(p);
    if (c == '*' && p->pos > 0 && p->text[p->pos - 1] == '*') {
        p->pos--;
        foreign_operator(p);
    }
    if (c == '!') foreign_operator(p);
    lm_parse_fail(p, p->pos, "expected a value, found %s", lm_parse_found(p));
}

/* ---- characters and words ---- */

char lm_parse_peek(lm_parser *p)
{
    const char *s = p->text;
    while (s[p->pos] == ' ' || s[p->pos] == '\t' || s[p->pos] == '\n' || s[p->pos] == '\r')
        p->pos++;
    return s[p->pos];
}

const char *lm_parse_word(lm_parser *p)
{
    int start = p->pos;
    while (lm_parse_is_word(p->text[p->pos], p->pos == start)) p->pos++;
    return lm_arena_strn(p->arena, p->text + start, (size_t)(p->pos - start));
}

static const struct infix *peek_operator(lm_parser *p)
{
    lm_parse_peek(p);
    const char *s = p->text + p->pos;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const struct infix *o = &operators[i];
        size_t n = strlen(o->text);
        if (strncmp(s, o->text, n) != 0) continue;
        if (lm_parse_is_word(*s, 1) && lm_parse_is_word(s[n], 0)) continue;
        return o;
    }
    return NULL;
}

void lm_parse_enter(lm_parser *p, int pos)
{
    if (++p->depth > LM_EXPR_DEPTH)
        lm_parse_fail(p, pos, "the expression is nested more than %d levels deep", LM_EXPR_DEPTH);
}

void lm_parse_close(lm_parser *p, int open)
{
    char c = lm_parse_peek(p);
    if (c == ')') {
        p->pos++;
        return;
    }
    int column = column_of(p, open);
    if (!c) lm_parse_fail(p, p->pos, "expected ')' to close '(' at column %d", column);
    if (c != ',') unexpected(p);
    lm_parse_fail(p, p->pos, "expected ')' to close '(' at column %d, found ','", column);
}

/* ---- numbers ---- */

/* Characters of a number that fit in a message. */
static int brief(int n) { return n < 40 ? n : 40; }

/* strtod reads the decimal point of the locale, which need not be '.'. */
static double to_double(lm_parser *p, const char *s, int n)
{
    char *copy = lm_arena_strn(p->arena, s, (size_t)n);
    char *point = strchr(copy, '.');
    const char *local = localeconv()->decimal_point;
    if (point && local[0] && !local[1]) *point = local[0];
    return strtod(copy, NULL);
}

static lm_value number(lm_parser *p)
{
    const char *s = p->text;
    int start = p->pos, i = start;
    while (is_digit(s[i])) i++;
    if (s[i] == '.') i++;
    while (is_digit(s[i])) i++;
    if (s[i] == 'e' || s[i] == 'E') {
        int sign = s[i + 1] == '+' || s[i + 1] == '-', digits = i + 1 + sign;
        if (is_digit(s[digits]))
            for (i = digits; is_digit(s[i]);) i++;
        else if (!lm_parse_is_word(s[i + 1], 0))
            lm_parse_fail(p, start, "the exponent of '%.*s' has no digits", brief(i + 1 - start),
                          s + start);
    }
    if (s[i] == '.') {
        while (is_digit(s[i]) || s[i] == '.') i++;
        lm_parse_fail(p, start, "malformed number '%.*s'", brief(i - start), s + start);
    }
    double value = to_double(p, s + start, i - start);
    p->pos = i;
    if (lm_parse_is_word(s[i], 1))
        lm_parse_fail(p, i, "missing operator between '%.*s' and %s", brief(i - start), s + start,
                      lm_parse_found(p));
    if (!isfinite(value))
        lm_parse_fail(p, start, "number '%.*s' is too large", brief(i - start), s + start);
    return lm_value_constant(value);
}

/* ---- expressions ---- */

static lm_value value(lm_parser *p)
{
    char c = lm_parse_peek(p);
    if (is_digit(c) || (c == '.' && is_digit(p->text[p->pos + 1]))) return number(p);
    if (peek_operator(p)) expected_value(p);
    if (lm_parse_is_word(c, 1)) return lm_parse_name(p);
    if (c != '(') expected_value(p);
    int open = p->pos++;
    lm_parse_enter(p, open);
    lm_value a = expression(p, 0);
    lm_parse_close(p, open);
    p->depth--;
    return a;
}

static lm_value unary(lm_parser *p)
{
    char c = lm_parse_peek(p);
    const char *s = p->text + p->pos;
    int word = strncmp(s, "not", 3) == 0 && !lm_parse_is_word(s[3], 0);
    if (c != '-' && c != '+' && !word) return value(p);
    lm_parse_enter(p, p->pos);
    p->pos += word ? 3 : 1;
    lm_value a = expression(p, word ? LEVEL_COMPARE : LEVEL_POWER);
    p->depth--;
    if (word) return lm_value_unary(p, LM_OP_NOT, a, 0);
    return c == '-' ? lm_value_unary(p, LM_OP_MULC, a, -1) : a;
}

/* Values joined by operators of at least the given level. */
static lm_value expression(lm_parser *p, int level)
{
    lm_value a = unary(p);
    for (const struct infix *o; (o = peek_operator(p)) && o->level >= level;) {
        int power = o->level == LEVEL_POWER;
        if (power) lm_parse_enter(p, p->pos);
        p->pos += (int)strlen(o->text);
        lm_value b = expression(p, power ? LEVEL_POWER : o->level + 1);
        if (power) p->depth--;
        a = lm_value_binary(p, o->code, a, b);
        const struct infix *next = o->level == LEVEL_COMPARE ? peek_operator(p) : NULL;
        if (next && next->level == LEVEL_COMPARE)
            lm_parse_fail(p, p->pos, "comparisons cannot be chained; write a < b and b < c");
    }
    return a;
}

lm_value lm_parse_value(lm_parser *p) { return expression(p, 0); }

/* ---- entry points ---- */

typedef enum goal { GOAL_EXPRESSION, GOAL_REFERENCE } goal;

static void check_text(lm_parser *p, goal g)
{
    p->len = (int)strnlen(p->text, LM_EXPR_LENGTH + 1);
    if (p->len > LM_EXPR_LENGTH)
        lm_parse_fail(p, 0, "the expression is longer than %d characters", LM_EXPR_LENGTH);
    if (!lm_parse_peek(p))
        lm_parse_fail(p, 0, g == GOAL_EXPRESSION ? "empty expression" : "expected a name");
}

/* The parser belongs to the caller, so that it lives across the setjmp. */
static int parse(lm_parser *p, goal g, lm_expr *e, const char **reference)
{
    jmp_buf bail;
    p->bail = &bail;
    int own = !p->arena->on_fail;
    if (setjmp(bail)) return -1;
    if (own) p->arena->on_fail = &bail;
    check_text(p, g);
    if (g == GOAL_REFERENCE) {
        *reference = lm_parse_reference(p);
        if (lm_parse_peek(p)) unexpected(p);
        return 0;
    }
    lm_value result = expression(p, 0);
    if (lm_parse_peek(p)) unexpected(p);
    lm_parse_finish(p, result, e);
    return 0;
}

static int run(lm_parser *p, goal g, lm_expr *e, const char **reference)
{
    static const lm_expr_env nothing;
    if (!p->env) p->env = &nothing;
    jmp_buf *handler = p->arena->on_fail;
    int rc = parse(p, g, e, reference);
    p->arena->on_fail = handler;
    if (rc && !p->reported) lm_error(p->diag, p->loc, "out of memory");
    return rc;
}

int lm_expr_parse(lm_arena *arena, lm_diag *diag, const lm_expr_env *env, const char *text,
                  lm_loc loc, lm_expr *e)
{
    lm_parser p = {.arena = arena, .diag = diag, .env = env, .text = text, .loc = loc};
    memset(e, 0, sizeof *e);
    int rc = run(&p, GOAL_EXPRESSION, e, NULL);
    if (rc) memset(e, 0, sizeof *e);
    return rc;
}

const char *lm_expr_reference(lm_arena *arena, lm_diag *diag, const lm_expr_env *env,
                              const char *text, lm_loc loc)
{
    lm_parser p = {.arena = arena, .diag = diag, .env = env, .text = text, .loc = loc};
    const char *reference = NULL;
    return run(&p, GOAL_REFERENCE, NULL, &reference) ? NULL : reference;
}
