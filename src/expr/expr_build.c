/* Nodes: constants are folded, the rest becomes operations. With each operation goes its form in t,
 * and the instants at which it is not smooth. */
#include "expr/expr_priv.h"

#include <string.h>

enum {
    LOOK_BACK = 32,       /* how far an equal operation is looked for */
    POWER_BY_PRODUCT = 32 /* largest integer exponent that is multiplied out */
};

lm_value lm_value_constant(double k) { return (lm_value){-1, k}; }

lm_affine lm_value_affine(const lm_parser *p, lm_value a)
{
    if (a.op >= 0) return p->forms.at[a.op];
    return (lm_affine){.known = isfinite(a.k) != 0, .c0 = a.k};
}

static int same(const lm_op *o, const lm_op *q)
{
    return o->code == q->code && o->a == q->a && o->b == q->b && o->c == q->c &&
           memcmp(&o->k, &q->k, sizeof o->k) == 0;
}

/* Append an operation, or find it among the last ones. *fresh: it is new. */
static lm_value emit(lm_parser *p, lm_op op, lm_affine form, int *fresh)
{
    *fresh = 0;
    for (int i = p->ops.n - 1; i >= 0 && i >= p->ops.n - LOOK_BACK; i--)
        if (same(&op, &p->ops.at[i])) return (lm_value){i, 0};
    *fresh = 1;
    *LM_PUSH(p->arena, &p->ops) = op;
    *LM_PUSH(p->arena, &p->forms) = form;
    return (lm_value){p->ops.n - 1, 0};
}

static int operand(lm_parser *p, lm_value a)
{
    if (a.op >= 0) return a.op;
    int fresh;
    return emit(p, (lm_op){.code = LM_OP_CONST, .k = a.k}, lm_value_affine(p, a), &fresh).op;
}

lm_value lm_value_slot(lm_parser *p, int slot)
{
    for (int i = 0; i < p->slots.n; i++)
        if (p->ops.at[p->slots.at[i]].a == slot) return (lm_value){p->slots.at[i], 0};
    lm_affine form = {.known = slot == LM_SLOT_T, .c1 = 1};
    *LM_PUSH(p->arena, &p->ops) = (lm_op){.code = LM_OP_SLOT, .a = slot};
    *LM_PUSH(p->arena, &p->forms) = form;
    *LM_PUSH(p->arena, &p->slots) = p->ops.n - 1;
    return (lm_value){p->ops.n - 1, 0};
}

/* ---- one argument ---- */

static lm_affine unary_form(int code, lm_affine f, double k)
{
    const lm_affine constant = {.known = isfinite(k) != 0, .c0 = k}, unknown = {0};
    switch (code) {
    case LM_OP_ADDC: return lm_affine_sum(f, constant, 1);
    case LM_OP_RSUB: return lm_affine_sum(constant, f, -1);
    case LM_OP_MULC: return lm_affine_scale(f, k);
    case LM_OP_DIVC: return lm_affine_scale(f, 1 / k);
    default: return unknown;
    }
}

static void unary_kinks(lm_parser *p, int op, int code, lm_affine f)
{
    if (code == LM_OP_FLOOR) lm_kink_every(p, op, f, 1);
    if (code == LM_OP_ABS || code == LM_OP_SIGN || code == LM_OP_NOT) lm_kink_at(p, op, f, 0);
}

lm_value lm_value_unary(lm_parser *p, int code, lm_value a, double k)
{
    lm_op op = {.code = (uint16_t)code, .k = k};
    if (a.op < 0) return lm_value_constant(lm_op_value(&op, &a.k, NULL));
    op.a = a.op;
    lm_affine f = lm_value_affine(p, a);
    int fresh;
    lm_value r = emit(p, op, unary_form(code, f, k), &fresh);
    if (fresh) unary_kinks(p, r.op, code, f);
    return r;
}

lm_value lm_value_table(lm_parser *p, lm_value a, const lm_piece *tab, int pieces)
{
    if (a.op < 0) return lm_value_constant(lm_table_value(tab, pieces, a.k));
    lm_affine f = lm_value_affine(p, a);
    *LM_PUSH(p->arena, &p->ops) = (lm_op){.code = LM_OP_TABLE, .a = a.op, .b = pieces, .tab = tab};
    *LM_PUSH(p->arena, &p->forms) = (lm_affine){0};
    for (int i = 1; i < pieces; i++) lm_kink_at(p, p->ops.n - 1, f, tab[i].x);
    return (lm_value){p->ops.n - 1, 0};
}

/* Where it has corners as a function of time is not looked at: there is one at every height. */
lm_value lm_value_surface(lm_parser *p, lm_value a, const lm_grid *grid)
{
    lm_op op = {.code = LM_OP_SURFACE, .a = operand(p, a)};
    int fresh;
    op.grid = grid;
    return emit(p, op, (lm_affine){0}, &fresh);
}

/* ---- two arguments ---- */

/* x^k: exact by products for small integers, and never through log(x). */
static lm_value power(lm_parser *p, lm_value x, double k)
{
    if (k == 0) return lm_value_constant(1);
    if (k == 1) return x;
    int product = k == floor(k) && fabs(k) <= POWER_BY_PRODUCT;
    return lm_value_unary(p, product ? LM_OP_POWI : LM_OP_POWC, x, k);
}

/* Arithmetic with one constant side; 0 when the operation has no such variant. */
static int with_constant(lm_parser *p, int code, lm_value a, lm_value b, lm_value *r)
{
    lm_value x = a.op < 0 ? b : a;
    double k = a.op < 0 ? a.k : b.k;
    int left = a.op < 0; /* the constant is on the left */
    switch (code) {
    case LM_OP_ADD: *r = k == 0 ? x : lm_value_unary(p, LM_OP_ADDC, x, k); return 1;
    case LM_OP_MUL: *r = k == 1 ? x : lm_value_unary(p, LM_OP_MULC, x, k); return 1;
    case LM_OP_SUB:
        if (left)
            *r = lm_value_unary(p, LM_OP_RSUB, x, k);
        else
            *r = k == 0 ? x : lm_value_unary(p, LM_OP_ADDC, x, -k);
        return 1;
    case LM_OP_DIV:
        if (left)
            *r = lm_value_unary(p, LM_OP_RDIV, x, k);
        else
            *r = k == 1 ? x : lm_value_unary(p, LM_OP_DIVC, x, k);
        return 1;
    case LM_OP_POW: *r = left ? lm_value_unary(p, LM_OP_CPOW, x, k) : power(p, x, k); return 1;
    default: return 0;
    }
}

static int is_comparison(int code)
{
    return code == LM_OP_LT || code == LM_OP_LE || code == LM_OP_GT || code == LM_OP_GE ||
           code == LM_OP_EQ || code == LM_OP_NE;
}

static void binary_kinks(lm_parser *p, int op, int code, lm_value a, lm_value b)
{
    lm_affine f = lm_value_affine(p, a), g = lm_value_affine(p, b);
    if (is_comparison(code)) lm_kink_at(p, op, lm_affine_sum(f, g, -1), 0);
    if (code == LM_OP_MOD && b.op < 0) lm_kink_every(p, op, f, b.k);
    if (code == LM_OP_AND || code == LM_OP_OR) {
        lm_kink_at(p, op, f, 0);
        lm_kink_at(p, op, g, 0);
    }
}

static lm_affine binary_form(int code, lm_affine f, lm_affine g)
{
    if (code == LM_OP_ADD) return lm_affine_sum(f, g, 1);
    if (code == LM_OP_SUB) return lm_affine_sum(f, g, -1);
    if (code == LM_OP_MOD && g.known && g.c1 == 0) return lm_affine_mod(f, g.c0);
    return (lm_affine){0};
}

/* Both constant. x^k as above, so that 3^2 does not depend on whether 3 was folded. */
static lm_value fold(lm_parser *p, int code, double a, double b)
{
    if (code == LM_OP_POW) return power(p, lm_value_constant(a), b);
    const double v[2] = {a, b};
    return lm_value_constant(lm_op_value(&(lm_op){.code = (uint16_t)code, .b = 1}, v, NULL));
}

lm_value lm_value_binary(lm_parser *p, int code, lm_value a, lm_value b)
{
    lm_value r;
    if (a.op < 0 && b.op < 0) return fold(p, code, a.k, b.k);
    if ((a.op < 0 || b.op < 0) && with_constant(p, code, a, b, &r)) return r;
    lm_op op = {.code = (uint16_t)code, .a = operand(p, a), .b = operand(p, b)};
    lm_affine form = binary_form(code, lm_value_affine(p, a), lm_value_affine(p, b));
    int fresh;
    r = emit(p, op, form, &fresh);
    if (fresh) binary_kinks(p, r.op, code, a, b);
    return r;
}

/* ---- three arguments: if and norm ---- */

lm_value lm_value_ternary(lm_parser *p, int code, lm_value a, lm_value b, lm_value c)
{
    if (code == LM_OP_IF && a.op < 0) return isnan(a.k) ? a : a.k != 0 ? b : c;
    lm_op op = {.code = (uint16_t)code, .a = operand(p, a), .b = operand(p, b), .c = operand(p, c)};
    int fresh;
    lm_value r = emit(p, op, (lm_affine){0}, &fresh);
    if (fresh && code == LM_OP_IF) lm_kink_at(p, r.op, lm_value_affine(p, a), 0);
    return r;
}
