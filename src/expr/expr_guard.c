/* Where an expression changes its branch, other than at instants that are known beforehand: guards, numbers
 * whose change of sign is such a change.
 *
 *     min, max, a < b, a <= b ..   a - b
 *     abs, sign                    a
 *     floor, mod, pwl              a tent over each piece, alternately above and below zero: its zeros are
 *                                  the integers, the multiples of b, the knots
 *
 * Of the last ones several are passed at once where the argument is fast, and an even number would not show. So they
 * have more than one guard: guard j changes at the numbers k = 2^j (2 m + 1), and the last one at all that are left.
 * These are the bits of Gray's code: each k changes one of them, and no two pieces within 2^n have the same signs.
 *
 * `if`, `and`, `or`, `not` decide on what comparisons say, which have guards already; a == b holds at single
 * instants only. spline and step have no corners, and those of a surface are too many to stop at. */
#include "expr/expr_priv.h"

#include <float.h>

/* How a value changes in time: not at all; along a straight line; the same, beginning again with a
 * period; constant but for jumps that have guards; in any other way. Decisions on the first three happen at
 * instants that expr_kink.c lists. */
typedef enum way { STANDS, STRAIGHT, RESTARTS, JUMPS, FREE } way;

/* Of a sum. */
static way both(way a, way b)
{
    if (a == STANDS || a == b) return a == RESTARTS && b == RESTARTS ? FREE : b;
    return b == STANDS ? a : FREE;
}

/* Of the arguments from `first` on together. */
static way of_arguments(const lm_op *op, const unsigned char *reg, int first)
{
    const int arg[3] = {op->a, op->b, op->c};
    way w = STANDS;
    for (int i = first; i < lm_op_arity[op->code]; i++) w = both(w, (way)reg[arg[i]]);
    return w;
}

static way of_value(const lm_op *op, const unsigned char *reg)
{
    if (op->code == LM_OP_SLOT) return op->a == LM_SLOT_T ? STRAIGHT : FREE;
    if (op->code == LM_OP_SURFACE) return FREE; /* its heights change, too */
    way w = of_arguments(op, reg, 0);
    if (w == STANDS || w == JUMPS || lm_op_is_sum(op->code)) return w;
    if (op->code >= LM_OP_LT && op->code <= LM_OP_OR) return JUMPS;
    switch (op->code) {
    case LM_OP_NOT:
    case LM_OP_SIGN:
    case LM_OP_FLOOR: return JUMPS;
    case LM_OP_IF: return of_arguments(op, reg, 1) == STANDS ? JUMPS : FREE;
    case LM_OP_MOD: return reg[op->a] == STRAIGHT && reg[op->b] == STANDS ? RESTARTS : FREE;
    default: return FREE;
    }
}

/* Straight pieces with different slopes: pwl. */
int lm_table_has_corner(const lm_op *op)
{
    int corner = 0;
    for (int i = 0; i < op->b; i++) {
        if (op->tab[i].c != 0 || op->tab[i].e != 0) return 0;
        corner |= i > 0 && op->tab[i].b != op->tab[i - 1].b;
    }
    return corner;
}

static int is_guard(const lm_op *op, const unsigned char *reg)
{
    switch (op->code) {
    case LM_OP_TABLE: return lm_table_has_corner(op) && reg[op->a] == FREE;
    case LM_OP_MOD: {
        way w = of_arguments(op, reg, 0);
        return w == FREE || w == RESTARTS || (w == STRAIGHT && reg[op->b] != STANDS);
    }
    case LM_OP_ABS:
    case LM_OP_SIGN:
    case LM_OP_FLOOR:
    case LM_OP_MIN:
    case LM_OP_MAX:
    case LM_OP_LT:
    case LM_OP_LE:
    case LM_OP_GT:
    case LM_OP_GE: return of_arguments(op, reg, 0) == FREE;
    default: return 0;
    }
}

enum { BITS = 6 }; /* for floor and mod */

/* Of a table so many that each knot has its own among them. */
static int guards_of(const lm_op *op)
{
    if (op->code == LM_OP_FLOOR || op->code == LM_OP_MOD) return BITS;
    if (op->code != LM_OP_TABLE) return 1;
    int n = 1;
    while ((op->b - 1) >> n) n++;
    return n;
}

void lm_guard_mark(lm_op *ops, int n, unsigned char *reg)
{
    for (int i = 0; i < n; i++) {
        ops[i].guard = (uint16_t)(is_guard(&ops[i], reg) ? guards_of(&ops[i]) : 0);
        reg[ops[i].dst] = (unsigned char)of_value(&ops[i], reg);
    }
}

int lm_expr_guard_count(const lm_expr *e)
{
    int n = 0;
    for (int i = 0; i < e->nops; i++) n += e->ops[i].guard;
    return n;
}

/* ---- values ---- */

static double alternately(double piece, double height)
{
    return fmod(piece, 2) == 0 ? height : -height;
}

/* Over the piece from one integer to the next. */
static double integer_tent(double x)
{
    double below = floor(x);
    return alternately(below, fmin(x - below, below + 1 - x));
}

/* Bit j of n. */
static double integer_bit(double x, int j, int n)
{
    return integer_tent(j + 1 < n ? 0.5 * (ldexp(x, -j) + 1) : ldexp(x, -j));
}

/* Knots are tab[1].x, tab[2].x ...; piece i lies between knots i and i + 1. */
static double knot_tent(const lm_piece *tab, int pieces, double x)
{
    int low = (int)(lm_table_find(tab, pieces, x) - tab);
    double left = low > 0 ? x - tab[low].x : INFINITY;
    double right = low + 1 < pieces ? tab[low + 1].x - x : INFINITY;
    return alternately(low, fmin(left, right));
}

/* The same of knots first, first + stride, ... */
static double some_knots_tent(const lm_piece *tab, int pieces, double x, int first, int stride)
{
    int low = (int)(lm_table_find(tab, pieces, x) - tab);
    int passed = low < first ? 0 : (low - first) / stride + 1, next = first + passed * stride;
    double left = passed > 0 ? x - tab[next - stride].x : INFINITY;
    double right = next < pieces ? tab[next].x - x : INFINITY;
    return alternately(passed, fmin(left, right));
}

/* Zero where it is rounding: of a value that comes to a limit the difference has any sign. */
static double difference(double a, double b)
{
    double d = a - b;
    return fabs(d) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b)) ? 0 : d;
}

double lm_guard_value(const lm_op *op, const double *v)
{
    switch (op->code) {
    case LM_OP_TABLE: return knot_tent(op->tab, op->b, v[op->a]);
    case LM_OP_FLOOR: return integer_tent(v[op->a]);
    case LM_OP_MOD: return integer_tent(v[op->a] / v[op->b]);
    case LM_OP_ABS:
    case LM_OP_SIGN: return v[op->a];
    default: return difference(v[op->a], v[op->b]);
    }
}

static void guard_values(const lm_op *op, const double *v, double *out)
{
    for (int j = 0, n = op->guard; j < n; j++) switch (op->code) {
        case LM_OP_TABLE: out[j] = some_knots_tent(op->tab, op->b, v[op->a], 1 << j, 2 << j); break;
        case LM_OP_FLOOR: out[j] = integer_bit(v[op->a], j, n); break;
        case LM_OP_MOD: out[j] = integer_bit(v[op->a] / v[op->b], j, n); break;
        default: out[j] = lm_guard_value(op, v);
        }
}

void lm_expr_guards(const lm_expr *e, const double *slots, double *scratch, double *out)
{
    for (const lm_op *op = e->ops, *end = op + e->nops; op < end; op++) {
        guard_values(op, scratch, out);
        out += op->guard;
        scratch[op->dst] = lm_op_value(op, scratch, slots);
    }
}
