/* Calls of functions: arguments, their number, and what each function is made of. */
#include "expr/expr_priv.h"

#include <limits.h>
#include <string.h>

enum { PAIRS_MOST = 64 }; /* more arguments of min, max: their crossings are not looked for */

typedef const lm_piece *make_table(lm_arena *arena, const double *xy, int n);

static lm_value build_unary(lm_parser *p, const lm_fn *fn, int pos, const lm_argument *arg, int n)
{
    (void)pos, (void)n;
    return lm_value_unary(p, fn->code, arg[0].value, 0);
}

static lm_value build_binary(lm_parser *p, const lm_fn *fn, int pos, const lm_argument *arg, int n)
{
    (void)pos, (void)n;
    return lm_value_binary(p, fn->code, arg[0].value, arg[1].value);
}

static lm_value build_if(lm_parser *p, const lm_fn *fn, int pos, const lm_argument *arg, int n)
{
    (void)pos, (void)n;
    return lm_value_ternary(p, fn->code, arg[0].value, arg[1].value, arg[2].value);
}

/* min, max: two at a time. Any two of the arguments may cross. */
static lm_value build_extreme(lm_parser *p, const lm_fn *fn, int pos, const lm_argument *arg, int n)
{
    (void)pos;
    lm_value r = arg[0].value;
    for (int i = 1; i < n; i++) r = lm_value_binary(p, fn->code, r, arg[i].value);
    if (r.op < 0 || n > PAIRS_MOST) return r;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            lm_affine f = lm_value_affine(p, arg[i].value), g = lm_value_affine(p, arg[j].value);
            lm_kink_at(p, r.op, lm_affine_sum(f, g, -1), 0);
        }
    return r;
}

/* y0 (1 - s) + y1 s with s = 3 r^2 - 2 r^3, r = (x - x0)/(x1 - x0) kept within 0 and 1. */
static lm_value varying_step(lm_parser *p, const lm_argument *arg)
{
    lm_value x = arg[0].value, x0 = arg[1].value, y0 = arg[2].value, x1 = arg[3].value,
             y1 = arg[4].value;
    lm_value from = lm_value_binary(p, LM_OP_SUB, x, x0);
    lm_value width = lm_value_binary(p, LM_OP_SUB, x1, x0);
    lm_value s = lm_value_unary(p, LM_OP_SMOOTH, lm_value_binary(p, LM_OP_DIV, from, width), 0);
    if (s.op >= 0) {
        lm_kink_at(p, s.op, lm_value_affine(p, from), 0);
        lm_kink_at(p, s.op, lm_affine_sum(lm_value_affine(p, x), lm_value_affine(p, x1), -1), 0);
    }
    lm_value rest = lm_value_binary(p, LM_OP_SUB, lm_value_constant(1), s);
    return lm_value_binary(p, LM_OP_ADD, lm_value_binary(p, LM_OP_MUL, y0, rest),
                           lm_value_binary(p, LM_OP_MUL, y1, s));
}

static lm_value build_step(lm_parser *p, const lm_fn *fn, int pos, const lm_argument *arg, int n)
{
    (void)fn, (void)pos;
    lm_value x0 = arg[1].value, x1 = arg[3].value;
    if (x0.op < 0 && x1.op < 0 && !(x0.k < x1.k))
        lm_parse_fail(p, arg[1].pos, "step needs x0 < x1, found x0 = %g, x1 = %g", x0.k, x1.k);
    for (int i = 1; i < n; i++)
        if (arg[i].value.op >= 0) return varying_step(p, arg);
    const lm_piece *tab = lm_table_step(p->arena, x0.k, arg[2].value.k, x1.k, arg[4].value.k);
    return tab ? lm_value_table(p, arg[0].value, tab, 3) : varying_step(p, arg);
}

/* The constants after the first argument; x must increase. */
static double *knots(lm_parser *p, const lm_fn *fn, int pos, const lm_argument *arg, int n)
{
    if (n < 3 || n % 2 == 0)
        lm_parse_fail(p, pos, "%s needs x,y pairs after its argument", fn->name);
    double *xy = LM_NEW_N(p->arena, double, n - 1);
    for (int i = 0; i < n - 1; i++) {
        lm_value a = arg[i + 1].value;
        if (a.op >= 0)
            lm_parse_fail(p, arg[i + 1].pos, "the points of %s must be constants", fn->name);
        if (!isfinite(a.k))
            lm_parse_fail(p, arg[i + 1].pos, "the points of %s must be finite numbers", fn->name);
        xy[i] = a.k;
        if (i >= 2 && i % 2 == 0 && xy[i] <= xy[i - 2])
            lm_parse_fail(p, arg[i + 1].pos, "the x values of %s must increase: %g follows %g",
                          fn->name, xy[i], xy[i - 2]);
    }
    return xy;
}

static lm_value table(lm_parser *p, const lm_fn *fn, int pos, const lm_argument *arg, int n,
                      make_table *make)
{
    const double *xy = knots(p, fn, pos, arg, n);
    int points = (n - 1) / 2;
    const lm_piece *tab = make(p->arena, xy, points);
    if (!tab) lm_parse_fail(p, pos, "the points of %s are too far apart or too steep", fn->name);
    return lm_value_table(p, arg[0].value, tab, points + 1);
}

static lm_value build_pwl(lm_parser *p, const lm_fn *fn, int pos, const lm_argument *arg, int n)
{
    return table(p, fn, pos, arg, n, lm_table_pwl);
}

static lm_value build_spline(lm_parser *p, const lm_fn *fn, int pos, const lm_argument *arg, int n)
{
    return table(p, fn, pos, arg, n, lm_table_spline);
}

static const lm_fn functions[] = {
#define LM_FN1(name, CODE, value, first, second, doc) {#name, LM_OP_##CODE, 1, 1, "x", build_unary},
#define LM_FN2(name, CODE, signature, doc, value, fa, fb, faa, fab, fbb)                           \
    {#name, LM_OP_##CODE, 2, 2, signature, build_binary},
#define LM_FNX(name, CODE, least, most, signature, build, doc)                                     \
    {#name, LM_OP_##CODE, least, most, signature, build},
#include "expr/expr_ops.def"
};

const lm_fn *lm_fn_find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    return NULL;
}

/* norm(pos(body)): the three components of one sensor. */
static lm_value norm(lm_parser *p, int open)
{
    static const char *const components[3] = {"x", "y", "z"};
    lm_sensor_call call;
    lm_value part[3];
    lm_parse_peek(p);
    int pos = p->pos;
    const char *name = lm_parse_word(p);
    if (name[0] && !lm_parse_is_sensor(p, name) && !lm_fn_find(name) && p->env->hint)
        lm_parse_unknown(p, pos, "name", name);
    if (!lm_parse_is_sensor(p, name))
        lm_parse_fail(p, pos, "norm takes a vector sensor, as in norm(pos(body))");
    lm_parse_sensor(p, name, pos, &call);
    if (call.component[0])
        lm_parse_fail(p, pos, "norm takes a vector sensor without a component, found '.%.100s'",
                      call.component);
    lm_parse_close(p, open);
    for (int i = 0; i < 3; i++) {
        call.component = components[i];
        part[i] = lm_parse_sensor_slot(p, &call);
    }
    return lm_value_ternary(p, LM_OP_NORM, part[0], part[1], part[2]);
}

/* surface(work, x): the heights are not in the expression, only where they lie. */
static lm_value surface(lm_parser *p, int pos, int open)
{
    if (p->constants_only) lm_parse_not_constant(p, pos, "surface");
    if (!lm_parse_is_word(lm_parse_peek(p), 1))
        lm_parse_fail(p, p->pos, "expected the name of a surface, found %s", lm_parse_found(p));
    int at = p->pos;
    const char *name = lm_parse_reference(p);
    if (lm_parse_peek(p) != ',')
        lm_parse_fail(p, pos, "surface takes 2 arguments (name, x): surface(%.60s, x)", name);
    p->pos++;
    lm_value x = lm_parse_value(p);
    lm_parse_close(p, open);
    if (!p->env->surface) lm_parse_fail(p, pos, "surface cannot be used here");
    const lm_grid *grid = p->env->surface(p->env->ctx, name, lm_parse_loc(p, at));
    if (!grid) {
        p->reported = 1;
        longjmp(*p->bail, 1);
    }
    return lm_value_surface(p, x, grid);
}

static void check_number(lm_parser *p, const lm_fn *fn, int pos, int n)
{
    if (n >= fn->least && n <= fn->most) return;
    const char *what = fn->least == 1 ? "argument" : "arguments";
    const char *more = fn->most == INT_MAX ? " or more" : "";
    int list = fn->most > 1 && fn->most < INT_MAX;
    lm_parse_fail(p, pos, "%s %s %d%s %s%s%s%s, found %d", fn->name, *more ? "needs" : "takes",
                  fn->least, more, what, list ? " (" : "", list ? fn->signature : "",
                  list ? ")" : "", n);
}

lm_value lm_parse_call(lm_parser *p, const lm_fn *fn, int pos)
{
    int open = p->pos++, base = p->args.n;
    lm_value r;
    lm_parse_enter(p, open);
    if (!fn->build) {
        r = fn->code == LM_OP_SURFACE ? surface(p, pos, open) : norm(p, open);
    } else {
        for (int more = lm_parse_peek(p) != ')'; more;) {
            int start = (lm_parse_peek(p), p->pos);
            lm_value value = lm_parse_value(p);
            *LM_PUSH(p->arena, &p->args) = (lm_argument){value, start};
            more = lm_parse_peek(p) == ',';
            p->pos += more;
        }
        lm_parse_close(p, open);
        int n = p->args.n - base;
        check_number(p, fn, pos, n);
        r = fn->build(p, fn, pos, n ? &p->args.at[base] : NULL, n);
    }
    p->args.n = base;
    p->depth--;
    return r;
}
