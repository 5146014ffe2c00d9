#include "expr/expr_bounds.h"

#include "expr/expr_priv.h"

#define TOUCHES 1e-14 /* of a value: an integer that a curve touches and does not pass */

static const lm_span whole = {-INFINITY, INFINITY}, none = {0, 0};

static lm_span span(double a, double b) { return a <= b ? (lm_span){a, b} : (lm_span){b, a}; }

static lm_span checked(lm_span s) { return isnan(s.lo) || isnan(s.hi) ? whole : s; }

static lm_span hull(lm_span a, lm_span b) { return (lm_span){fmin(a.lo, b.lo), fmax(a.hi, b.hi)}; }

static lm_span sum(lm_span a, lm_span b) { return checked((lm_span){a.lo + b.lo, a.hi + b.hi}); }

static lm_span scaled(lm_span a, double k)
{
    return k == 0 ? none : checked(span(k * a.lo, k * a.hi));
}

/* What is zero stays zero, whatever it is multiplied by. */
static double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static lm_span product(lm_span a, lm_span b)
{
    double p = times(a.lo, b.lo), q = times(a.lo, b.hi), r = times(a.hi, b.lo),
           s = times(a.hi, b.hi);
    return checked((lm_span){fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s))});
}

static lm_span inverse(lm_span a)
{
    return a.lo > 0 || a.hi < 0 ? (lm_span){1 / a.hi, 1 / a.lo} : whole;
}

static int has(lm_span s, double x) { return s.lo < x && x < s.hi; }

static int is_point(lm_span s) { return s.lo == s.hi; }

/* ---- one argument ---- */

static double first_derivative(const lm_op *op, double x)
{
    const double k = op->k, v[1] = {x},
                 f = lm_op_value(&(lm_op){.code = op->code, .k = k}, v, NULL);
    (void)k, (void)f;
    switch (op->code) {
#define LM_OP1(CODE, value, first, second)                                                         \
    case LM_OP_##CODE: {                                                                           \
        return first;                                                                              \
    }
#include "expr/expr_ops.def"
    default: return NAN;
    }
}

static double value_of(const lm_op *op, double x)
{
    return lm_op_value(&(lm_op){.code = op->code, .k = op->k}, &x, NULL);
}

typedef double function(const lm_op *op, double x);

/* Of a function that is monotone on either side of x = 0 (values and derivatives of all but sine, cosine and
 * step), without a pole in x. */
static lm_span on_both_sides(function *f, const lm_op *op, lm_span x)
{
    lm_span s = span(f(op, x.lo), f(op, x.hi));
    if (has(x, 0)) s = hull(s, span(f(op, 0), f(op, 0)));
    return isfinite(s.lo) && isfinite(s.hi) ? s : whole;
}

/* Of cos(x - shift). */
static lm_span cosine(lm_span x, double shift)
{
    static const double pi = 3.14159265358979323846;
    double a = (x.lo - shift) / pi, b = (x.hi - shift) / pi;
    lm_span s = span(cos(x.lo - shift), cos(x.hi - shift));
    if (!(b - a < 2)) return (lm_span){-1, 1};
    if (floor(0.5 * b) > floor(0.5 * a)) s.hi = 1;
    if (floor(0.5 * (b - 1)) > floor(0.5 * (a - 1))) s.lo = -1;
    return s;
}

static lm_bound of_sine(int code, lm_span x)
{
    static const double right = 1.57079632679489661923;
    if (code == LM_OP_SIN) return (lm_bound){.u = cosine(x, right), .d = cosine(x, 0)};
    return (lm_bound){.u = cosine(x, 0), .d = cosine(x, -right)};
}

static lm_span rise_of_step(const lm_op *op, lm_span x)
{
    lm_span in = {fmin(fmax(x.lo, 0), 1), fmin(fmax(x.hi, 0), 1)};
    lm_span s = span(first_derivative(op, in.lo), first_derivative(op, in.hi));
    if (x.lo < 0 || x.hi >= 1) s = hull(s, none);
    if (has(in, 0.5)) s.hi = 1.5;
    return s;
}

static int has_pole(const lm_op *op, lm_span x)
{
    static const double pi = 3.14159265358979323846;
    if (op->code == LM_OP_TAN) return floor(x.lo / pi + 0.5) != floor(x.hi / pi + 0.5);
    int divides =
        op->code == LM_OP_RDIV || ((op->code == LM_OP_POWI || op->code == LM_OP_POWC) && op->k < 0);
    return divides && x.lo <= 0 && x.hi >= 0;
}

/* Value, and derivative by the argument. */
static lm_bound of_function(const lm_op *op, lm_span x)
{
    if (!isfinite(x.lo) || !isfinite(x.hi)) {
        int limited = op->code == LM_OP_SIN || op->code == LM_OP_COS;
        return (lm_bound){.u = limited ? (lm_span){-1, 1} : whole, .d = whole};
    }
    if (op->code == LM_OP_SIN || op->code == LM_OP_COS) return of_sine(op->code, x);
    if (has_pole(op, x)) return (lm_bound){.u = whole, .d = whole};
    lm_bound b = {.u = on_both_sides(value_of, op, x)};
    b.d = op->code == LM_OP_SMOOTH ? rise_of_step(op, x) : on_both_sides(first_derivative, op, x);
    return b;
}

/* ---- tables ---- */

/* Of y + b d + c d^2 + e d^3 between two arguments: at its ends, and where the derivative vanishes. */
static lm_bound of_piece(const lm_piece *p, double from, double to)
{
    double at[5] = {from - p->x, to - p->x, from - p->x, from - p->x, from - p->x};
    int n = 2;
    lm_span in = span(at[0], at[1]);
    double bend = p->e != 0 ? -p->c / (3 * p->e) : NAN, under = p->c * p->c - 3 * p->b * p->e;
    if (has(in, bend)) at[n++] = bend;
    double far = -(p->c + copysign(sqrt(fmax(under, 0)), p->c));
    double root[2] = {under >= 0 && p->e != 0 ? far / (3 * p->e) : NAN,
                      under >= 0 && far != 0 ? p->b / far : NAN};
    for (int k = 0; k < 2; k++)
        if (has(in, root[k])) at[n++] = root[k];
    lm_bound b = {.u = {INFINITY, -INFINITY}, .d = {INFINITY, -INFINITY}};
    for (int i = 0; i < n; i++) {
        double d = at[i], u = p->y + d * (p->b + d * (p->c + d * p->e));
        double s = p->b + d * (2 * p->c + d * 3 * p->e);
        b.u = hull(b.u, span(u, u));
        b.d = hull(b.d, span(s, s));
    }
    return b;
}

static lm_bound of_table(const lm_op *op, lm_span x, double rounding)
{
    lm_bound b = {.u = {INFINITY, -INFINITY}, .d = {INFINITY, -INFINITY}};
    if (!isfinite(x.lo) || !isfinite(x.hi)) return (lm_bound){.u = whole, .d = whole, .open = 1};
    double slack = rounding * (x.hi - x.lo);
    int low = (int)(lm_table_find(op->tab, op->b, x.lo + slack) - op->tab);
    int high = (int)(lm_table_find(op->tab, op->b, x.hi - slack) - op->tab);
    for (int i = low; i <= high; i++) {
        double from = i > low ? op->tab[i].x : x.lo, to = i < high ? op->tab[i + 1].x : x.hi;
        lm_bound p = of_piece(&op->tab[i], from, to);
        b.u = hull(b.u, p.u);
        b.d = hull(b.d, p.d);
    }
    b.open = high > low && lm_table_has_corner(op);
    return b;
}

/* ---- decisions ---- */

static lm_bound open_jump(lm_span u) { return (lm_bound){.u = u, .d = whole, .open = 1}; }

/* What is open in it is not so by the choice. */
static lm_bound chosen(lm_bound b)
{
    b.open = 0;
    return b;
}

static lm_bound point(double x) { return (lm_bound){.u = {x, x}}; }

/* Integers of x: its first and last one but for rounding. A curve may touch one. */
static lm_span integers(lm_span x, double rounding)
{
    double slack = fmax(rounding, TOUCHES) * fmax(1, x.hi - x.lo);
    return (lm_span){floor(x.lo + slack), floor(x.hi - slack)};
}

static lm_bound of_abs(lm_bound a, double rounding)
{
    if (a.u.lo >= 0 || a.u.hi <= 0 || lm_span_has_sign(a.u, rounding)) {
        double s = a.u.lo + a.u.hi >= 0 ? 1 : -1;
        return (lm_bound){.u = scaled(a.u, s), .d = scaled(a.d, s)};
    }
    double most = fmax(-a.u.lo, a.u.hi);
    return (lm_bound){.u = {0, most}, .d = hull(a.d, scaled(a.d, -1)), .open = 1};
}

static lm_bound of_sign(lm_bound a, double rounding)
{
    if (is_point(a.u)) return point(lm_sign(a.u.lo));
    if (!lm_span_has_sign(a.u, rounding)) return open_jump((lm_span){-1, 1});
    return point(a.u.lo + a.u.hi > 0 ? 1 : -1);
}

static lm_bound of_floor(lm_bound a, double rounding)
{
    lm_span n = integers(a.u, rounding);
    if (!isfinite(n.lo) || !isfinite(n.hi)) return open_jump(whole);
    return n.lo >= n.hi ? point(n.lo) : open_jump(n);
}

static lm_bound of_mod(lm_bound a, lm_bound b, double rounding)
{
    lm_span n = integers(product(a.u, inverse(b.u)), rounding);
    if (!(n.lo >= n.hi) || !isfinite(n.lo)) return open_jump(hull(none, b.u));
    return (lm_bound){.u = sum(a.u, scaled(b.u, -n.lo)), .d = sum(a.d, scaled(b.d, -n.lo))};
}

/* 1 or -1: which of the two is larger all along; 0: neither. Equal ones: 1. */
static int larger(lm_bound a, lm_bound b, double rounding)
{
    lm_span d = sum(a.u, scaled(b.u, -1));
    if (!lm_span_has_sign(d, rounding)) return 0;
    return d.lo + d.hi >= 0 ? 1 : -1;
}

static lm_bound of_extreme(lm_bound a, lm_bound b, int side, int first)
{
    if (first) return chosen(first == side ? a : b);
    lm_span u = side > 0 ? (lm_span){fmax(a.u.lo, b.u.lo), fmax(a.u.hi, b.u.hi)}
                         : (lm_span){fmin(a.u.lo, b.u.lo), fmin(a.u.hi, b.u.hi)};
    return (lm_bound){.u = u, .d = hull(a.d, b.d), .open = 1};
}

/* Equality lasts, or holds at single instants. */
static lm_bound of_comparison(int code, lm_bound a, lm_bound b, int first)
{
    int same = is_point(a.u) && is_point(b.u) && a.u.lo == b.u.lo;
    if (same) return point(code == LM_OP_LE || code == LM_OP_GE || code == LM_OP_EQ);
    if (code == LM_OP_EQ || code == LM_OP_NE) return point(code == LM_OP_NE);
    if (!first) return open_jump((lm_span){0, 1});
    return point((first > 0) == (code == LM_OP_GT || code == LM_OP_GE));
}

/* 1, 0, or -1: it is not decided. */
static int truth(lm_bound a)
{
    if (is_point(a.u)) return a.u.lo != 0;
    return a.u.lo > 0 || a.u.hi < 0 ? 1 : -1;
}

static lm_bound of_logic(int code, lm_bound a, lm_bound b)
{
    int x = truth(a), y = truth(b), stop = code == LM_OP_OR;
    if (code == LM_OP_NOT) return x < 0 ? open_jump((lm_span){0, 1}) : point(!x);
    if (x == stop || y == stop) return point(stop);
    return x < 0 || y < 0 ? open_jump((lm_span){0, 1}) : point(!stop);
}

static lm_bound of_if(lm_bound c, lm_bound a, lm_bound b)
{
    int yes = truth(c);
    if (yes >= 0) return chosen(yes ? a : b);
    return open_jump(hull(a.u, b.u));
}

/* ---- several arguments ---- */

static lm_bound of_product(lm_bound a, lm_bound b)
{
    return (lm_bound){.u = product(a.u, b.u), .d = sum(product(a.d, b.u), product(a.u, b.d))};
}

static lm_bound of_power(lm_bound a, lm_bound b)
{
    if (!(a.u.lo > 0)) return (lm_bound){.u = whole, .d = whole};
    const lm_op log_ = {.code = LM_OP_LOG}, exp_ = {.code = LM_OP_EXP};
    lm_bound l = of_function(&log_, a.u);
    l.d = product(l.d, a.d);
    lm_bound x = of_product(l, b), f = of_function(&exp_, x.u);
    f.d = product(f.d, x.d);
    return f;
}

static lm_bound of_angle(lm_bound a, lm_bound b)
{
    if (a.u.lo <= 0 && a.u.hi >= 0 && b.u.lo <= 0) return open_jump((lm_span){-4, 4});
    lm_bound f = {.u = span(atan2(a.u.lo, b.u.lo), atan2(a.u.lo, b.u.hi))};
    f.u = hull(f.u, span(atan2(a.u.hi, b.u.lo), atan2(a.u.hi, b.u.hi)));
    const lm_op square = {.code = LM_OP_POWI, .k = 2};
    lm_span r2 = sum(of_function(&square, a.u).u, of_function(&square, b.u).u);
    lm_span up = sum(product(b.u, a.d), scaled(product(a.u, b.d), -1));
    f.d = product(up, inverse(r2));
    return f;
}

static lm_bound of_norm(const lm_bound x[3])
{
    const lm_op square = {.code = LM_OP_POWI, .k = 2}, root = {.code = LM_OP_SQRT};
    lm_bound s = {0};
    for (int i = 0; i < 3; i++) {
        s.u = sum(s.u, of_function(&square, x[i].u).u);
        s.d = sum(s.d, scaled(product(x[i].u, x[i].d), 2));
    }
    s.u.lo = fmax(s.u.lo, 0);
    lm_bound f = of_function(&root, s.u);
    f.d = product(f.d, s.d);
    return f;
}

static lm_bound of_pair(const lm_op *op, lm_bound a, lm_bound b, double rounding)
{
    switch (op->code) {
    case LM_OP_ADD: return (lm_bound){.u = sum(a.u, b.u), .d = sum(a.d, b.d)};
    case LM_OP_SUB:
        return (lm_bound){.u = sum(a.u, scaled(b.u, -1)), .d = sum(a.d, scaled(b.d, -1))};
    case LM_OP_MUL: return of_product(a, b);
    case LM_OP_DIV: {
        lm_span i = inverse(b.u);
        return of_product(a, (lm_bound){.u = i, .d = scaled(product(product(i, i), b.d), -1)});
    }
    case LM_OP_POW: return of_power(a, b);
    case LM_OP_ATAN2: return of_angle(a, b);
    case LM_OP_MOD: return of_mod(a, b, rounding);
    case LM_OP_MIN: return of_extreme(a, b, -1, larger(a, b, rounding));
    case LM_OP_MAX: return of_extreme(a, b, 1, larger(a, b, rounding));
    case LM_OP_AND:
    case LM_OP_OR: return of_logic(op->code, a, b);
    default: return of_comparison(op->code, a, b, larger(a, b, rounding));
    }
}

static lm_bound of_single(const lm_op *op, lm_bound a, double rounding)
{
    switch (op->code) {
    case LM_OP_ADDC: return (lm_bound){.u = sum(a.u, span(op->k, op->k)), .d = a.d};
    case LM_OP_RSUB:
        return (lm_bound){.u = sum(span(op->k, op->k), scaled(a.u, -1)), .d = scaled(a.d, -1)};
    case LM_OP_MULC: return (lm_bound){.u = scaled(a.u, op->k), .d = scaled(a.d, op->k)};
    case LM_OP_DIVC: return (lm_bound){.u = scaled(a.u, 1 / op->k), .d = scaled(a.d, 1 / op->k)};
    case LM_OP_ABS: return of_abs(a, rounding);
    case LM_OP_SIGN: return of_sign(a, rounding);
    case LM_OP_FLOOR: return of_floor(a, rounding);
    case LM_OP_NOT: return of_logic(op->code, a, a);
    default: break;
    }
    lm_bound f = op->code == LM_OP_TABLE ? of_table(op, a.u, rounding) : of_function(op, a.u);
    f.d = product(f.d, a.d);
    return f;
}

/* ---- whole expressions ---- */

void lm_bounds_plan(const lm_expr *e, int all, unsigned char *of, int *arg, int *reg)
{
    for (int i = 0; i < e->nops; i++) {
        const lm_op *op = &e->ops[i];
        const int a[3] = {op->a, op->b, op->c};
        int timed = op->code == LM_OP_SLOT && (all || op->a == LM_SLOT_T);
        of[i] = (unsigned char)(timed ? LM_BOUND_TIMED
                                : op->code == LM_OP_SLOT || op->code == LM_OP_SURFACE
                                    ? LM_BOUND_OTHER
                                    : LM_BOUND_CONSTANT);
        for (int k = 0; k < 3; k++) {
            int there = k < lm_op_arity[op->code];
            arg[3 * i + k] = there ? reg[a[k]] : -1;
            if (there && of[reg[a[k]]] > of[i]) of[i] = of[reg[a[k]]];
        }
        reg[op->dst] = i;
    }
}

/* One that only rises or falls is between its values at the ends. */
static void tighten(lm_bound *b, double first, double last)
{
    if (!(b->d.lo >= 0 || b->d.hi <= 0) || !isfinite(first) || !isfinite(last)) return;
    if (!isfinite(b->d.lo) || !isfinite(b->d.hi)) return;
    b->u = span(first, last);
}

static lm_bound of_operation(const lm_op *op, const lm_bound x[3], double rounding)
{
    switch (op->code) {
    case LM_OP_CONST: return point(op->k);
    case LM_OP_IF: return of_if(x[0], x[1], x[2]);
    case LM_OP_NORM: return of_norm(x);
    default: break;
    }
    return lm_op_arity[op->code] == 1 ? of_single(op, x[0], rounding)
                                      : of_pair(op, x[0], x[1], rounding);
}

double lm_bounds_slope(const lm_op *op, const lm_bound x[3], int k, double rounding)
{
    lm_bound one[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < 3; i++) one[i].d = i == k ? (lm_span){1, 1} : none;
    lm_bound f = of_operation(op, one, rounding);
    return fmax(fabs(f.d.lo), fabs(f.d.hi));
}

void lm_bounds(const lm_expr *e, const unsigned char *of, const int *arg, const lm_bound *slots,
               double rounding, const double *first, const double *last, lm_bound *out)
{
    for (int i = 0; i < e->nops; i++) {
        const lm_op *op = &e->ops[i];
        lm_bound x[3] = {0};
        if (of[i] == LM_BOUND_OTHER) continue;
        for (int k = 0; k < 3 && arg[3 * i + k] >= 0; k++) x[k] = out[arg[3 * i + k]];
        out[i] = op->code == LM_OP_SLOT ? slots[op->a] : of_operation(op, x, rounding);
        if (op->code != LM_OP_SLOT && op->code != LM_OP_CONST) tighten(&out[i], first[i], last[i]);
    }
}
