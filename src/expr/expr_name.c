/* Names: symbols, sensors and references, and the suggestions for those that are not known. */
#include "expr/expr_priv.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

typedef LM_VEC(char) text;

static void append(lm_parser *p, text *to, const char *s)
{
    for (; *s; s++) *LM_PUSH(p->arena, to) = *s;
}

int lm_parse_is_sensor(const lm_parser *p, const char *name)
{
    return p->env->is_sensor && p->env->is_sensor(p->env->ctx, name);
}

static lm_symbol lookup(const lm_parser *p, const char *name, double *value, int *slot)
{
    return p->env->symbol ? p->env->symbol(p->env->ctx, name, value, slot) : LM_SYM_NONE;
}

static int known(const lm_parser *p, const char *name)
{
    double value;
    int slot;
    return lookup(p, name, &value, &slot) != LM_SYM_NONE;
}

static const char *const *env_names(const lm_parser *p, int *n)
{
    *n = 0;
    return p->env->names ? p->env->names(p->env->ctx, n) : NULL;
}

/* ---- unknown names ---- */

/* Names with points differ before the last point or after it, not on both sides. */
static int likely(const char *name, const char *other)
{
    const char *a = strrchr(name, '.'), *b = strrchr(other, '.');
    if (!a) return 1;
    if (!b) return 0;
    return strcmp(a, b) == 0 ||
           (a - name == b - other && !strncmp(name, other, (size_t)(a - name)));
}

/* The nearest name of the environment and the language. */
static const char *suggestion(lm_parser *p, const char *name)
{
    if (p->diag->list.n >= LM_DIAG_MOST || strcmp(name, "t") == 0) return NULL;
    int nown, nlanguage;
    const char *const *own = env_names(p, &nown);
    const char *const *language = lm_expr_names(&nlanguage);
    const char **all = LM_NEW_N(p->arena, const char *, nown + nlanguage);
    int n = 0;
    for (int i = 0; i < nown; i++)
        if (strcmp(own[i], name) != 0 && likely(name, own[i])) all[n++] = own[i];
    for (int i = 0; i < nlanguage; i++)
        if (likely(name, language[i])) all[n++] = language[i];
    return lm_nearest(name, all, n);
}

_Noreturn void lm_parse_unknown(lm_parser *p, int pos, const char *kind, const char *name)
{
    const char *hint = p->env->hint;
    const char *near = p->quiet || p->env->hint_is_remedy ? NULL : suggestion(p, name);
    lm_parse_fail(p, pos, "unknown %s '%.100s'%s%s%s%s%s", kind, name, hint ? ": " : "",
                  hint ? hint : "", near ? "; did you mean '" : "", near ? near : "",
                  near ? "'?" : "");
}

/* ---- references: name(index)(index, ...).name ... ---- */

_Noreturn void lm_parse_not_constant(lm_parser *p, int pos, const char *name)
{
    lm_parse_fail(p, pos,
                  "'%.100s' is not a constant; only numbers and parameters can be used here", name);
}

/* Canonical text of a number: integers as %d, others as %.17g with a point in every locale. */
static void append_number(lm_parser *p, text *to, double value, int pos)
{
    if (!isfinite(value)) lm_parse_fail(p, pos, "the value here is not a finite number");
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", value == 0 ? 0 : value);
    char *point = strchr(digits, localeconv()->decimal_point[0]);
    if (point) *point = '.';
    append(p, to, digits);
}

static double constant_value(lm_parser *p)
{
    p->constants_only++;
    lm_value a = lm_parse_value(p);
    p->constants_only--;
    return a.k;
}

static void group(lm_parser *p, text *to)
{
    int open = p->pos++;
    lm_parse_enter(p, open);
    append(p, to, "(");
    for (;;) {
        lm_parse_peek(p);
        int pos = p->pos;
        append_number(p, to, constant_value(p), pos);
        if (lm_parse_peek(p) != ',') break;
        p->pos++;
        append(p, to, ",");
    }
    lm_parse_close(p, open);
    append(p, to, ")");
    p->depth--;
}

const char *lm_parse_reference(lm_parser *p)
{
    text to = {0};
    for (;;) {
        if (!lm_parse_is_word(lm_parse_peek(p), 1))
            lm_parse_fail(p, p->pos, "expected a name, found %s", lm_parse_found(p));
        append(p, &to, lm_parse_word(p));
        while (lm_parse_peek(p) == '(') group(p, &to);
        if (lm_parse_peek(p) != '.') break;
        p->pos++;
        append(p, &to, ".");
    }
    *LM_PUSH(p->arena, &to) = 0;
    return to.at;
}

/* ---- sensors ---- */

/* Is the argument that starts here a reference, and not an expression? One that starts with a name
 * is, unless an operator follows (or, where it may be a call, the name is that of a function). */
static int is_reference(lm_parser *p, int may_be_call)
{
    lm_parser ahead = *p;
    if (!lm_parse_is_word(lm_parse_peek(&ahead), 1)) return 0;
    const char *name = lm_parse_word(&ahead);
    if (may_be_call && lm_parse_peek(&ahead) == '(' && lm_fn_find(name)) return 0;
    int open = 0;
    for (char c; (c = lm_parse_peek(&ahead)); ahead.pos++) {
        if (open == 0 && strchr(",)+-*/^<>=!", c)) return strchr(",)", c) != NULL;
        open += (c == '(') - (c == ')');
    }
    return 1;
}

/* A frame, body or joint, or a number. From the second argument on a parameter's name is its value:
 * deflection(rod, s0). */
static const char *sensor_argument(lm_parser *p, int index)
{
    int start = (lm_parse_peek(p), p->pos);
    text number = {0};
    double value;
    if (is_reference(p, index > 0)) {
        const char *reference = lm_parse_reference(p);
        int slot;
        if (index == 0 || lookup(p, reference, &value, &slot) != LM_SYM_CONSTANT) return reference;
    } else {
        value = constant_value(p);
    }
    append_number(p, &number, value, start);
    *LM_PUSH(p->arena, &number) = 0;
    return number.at;
}

static void sensor_arguments(lm_parser *p, lm_sensor_call *call)
{
    const int most = (int)(sizeof call->args / sizeof *call->args);
    int open = p->pos++;
    lm_parse_enter(p, open);
    while (lm_parse_peek(p) != ')') {
        if (call->nargs == most)
            lm_parse_fail(p, p->pos, "%.100s has more than %d arguments", call->fn, most);
        call->args[call->nargs] = sensor_argument(p, call->nargs);
        call->nargs++;
        if (lm_parse_peek(p) != ',') break;
        p->pos++;
        if (lm_parse_peek(p) == ')') lm_parse_fail(p, p->pos, "expected a value, found ')'");
    }
    lm_parse_close(p, open);
    p->depth--;
}

void lm_parse_sensor(lm_parser *p, const char *fn, int pos, lm_sensor_call *call)
{
    if (p->constants_only) lm_parse_not_constant(p, pos, fn);
    *call = (lm_sensor_call){.fn = fn, .component = "", .loc = lm_parse_loc(p, pos)};
    if (lm_parse_peek(p) == '(') sensor_arguments(p, call);
    if (lm_parse_peek(p) != '.') return;
    p->pos++;
    if (!lm_parse_is_word(lm_parse_peek(p), 1))
        lm_parse_fail(p, p->pos, "expected a component after '.', found %s", lm_parse_found(p));
    call->component = lm_parse_word(p);
}

lm_value lm_parse_sensor_slot(lm_parser *p, const lm_sensor_call *call)
{
    int slot = 0;
    if (!p->env->sensor || p->env->sensor(p->env->ctx, call, &slot)) {
        p->reported = 1;
        longjmp(*p->bail, 1);
    }
    return lm_value_slot(p, slot);
}

static lm_value sensor(lm_parser *p, const char *fn, int pos)
{
    lm_sensor_call call;
    lm_parse_sensor(p, fn, pos, &call);
    return lm_parse_sensor_slot(p, &call);
}

/* ---- symbols ---- */

/* The value of a symbol, if there is one of that name. */
static int symbol(lm_parser *p, const char *name, int pos, lm_value *r)
{
    double value = 0;
    int slot = 0;
    switch (lookup(p, name, &value, &slot)) {
    case LM_SYM_CONSTANT: *r = lm_value_constant(value); return 1;
    case LM_SYM_SLOT:
        if (p->constants_only) lm_parse_not_constant(p, pos, name);
        *r = lm_value_slot(p, slot);
        return 1;
    default: return 0;
    }
}

/* The reference at pos, or NULL and nothing read when it is none. */
static const char *try_reference(lm_parser *p, int pos)
{
    const lm_parser before = *p;
    jmp_buf bail;
    p->bail = &bail;
    p->quiet = 1;
    p->pos = pos;
    if (setjmp(bail)) {
        *p = before;
        return NULL;
    }
    const char *reference = lm_parse_reference(p);
    p->bail = before.bail;
    p->quiet = before.quiet;
    return reference;
}

/* Is there a symbol that begins with this name and character, name(...) or name.x? */
static int begins(const lm_parser *p, const char *name, char next)
{
    int n;
    const char *const *names = env_names(p, &n);
    size_t length = strlen(name);
    for (int i = 0; i < n; i++)
        if (strncmp(names[i], name, length) == 0 && names[i][length] == next) return 1;
    return 0;
}

/* name(...) that is no function and no sensor: the k-th of a repeated symbol, such as q(k-1). */
static lm_value indexed(lm_parser *p, const char *name, int pos)
{
    int open = p->pos;
    lm_value r;
    const char *reference = try_reference(p, pos);
    if (reference && symbol(p, reference, pos, &r)) return r;
    if (p->quiet) lm_parse_fail(p, pos, "unknown"); /* looking twice at each level takes for ever */
    if (known(p, name))
        lm_parse_fail(p, open, "missing operator before '(': '%.100s' is not a function", name);
    if (!begins(p, name, '(')) lm_parse_unknown(p, pos, "function", name);
    p->pos = pos;
    lm_parse_unknown(p, pos, "name", lm_parse_reference(p));
}

/* name.name ... that is no sensor: a symbol whose name has points in it, such as m1.current. 0: it is
 * none, and nothing has been read beyond the first name. */
static int dotted(lm_parser *p, const char *name, int pos, lm_value *r)
{
    const lm_parser before = *p;
    const char *reference = try_reference(p, pos);
    if (reference && symbol(p, reference, pos, r)) return 1;
    int meant = reference && !p->quiet &&
                (begins(p, name, '.') || (!known(p, name) && suggestion(p, reference)));
    if (meant) lm_parse_unknown(p, pos, "name", reference);
    *p = before;
    return 0;
}

static int named_constant(const char *name, lm_value *r)
{
#define LM_NAMED(constant, k, doc)                                                                 \
    if (strcmp(name, #constant) == 0) return *r = lm_value_constant(k), 1;
#include "expr/expr_ops.def"
    return 0;
}

lm_value lm_parse_name(lm_parser *p)
{
    int pos = p->pos;
    const char *name = lm_parse_word(p);
    const lm_fn *fn = lm_fn_find(name);
    int is_sensor = lm_parse_is_sensor(p, name);
    char next = lm_parse_peek(p);
    lm_value r;
    if (next == '(' && fn) return lm_parse_call(p, fn, pos);
    if (is_sensor && (next == '(' || next == '.')) return sensor(p, name, pos);
    if (named_constant(name, &r)) return r;
    if (next == '(') return indexed(p, name, pos);
    int member = next == '.' && lm_parse_is_word(p->text[p->pos + 1], 1);
    if (member && dotted(p, name, pos, &r)) return r;
    if (symbol(p, name, pos, &r)) {
        if (member) lm_parse_fail(p, p->pos, "'%.100s' has no components", name);
        return r;
    }
    if (is_sensor) return sensor(p, name, pos);
    if (fn) lm_parse_fail(p, pos, "'%s' is a function: write %s(%s)", name, name, fn->signature);
    lm_parse_unknown(p, pos, "name", name);
}
