/* Values. */
#include "expr/expr_priv.h"

#include <string.h>

static inline double op_value(const lm_op *op, const double *v, const double *slots)
{
    switch (op->code) {
    case LM_OP_SLOT: return slots[op->a];
    case LM_OP_CONST: return op->k;
    case LM_OP_TABLE: return lm_table_value(op->tab, op->b, v[op->a]);
    case LM_OP_IF: return isnan(v[op->a]) ? v[op->a] : v[op->a] != 0 ? v[op->b] : v[op->c];
    case LM_OP_SURFACE: return lm_grid_value(op->grid, slots + op->grid->first, v[op->a], NULL);
    case LM_OP_NORM: return sqrt(v[op->a] * v[op->a] + v[op->b] * v[op->b] + v[op->c] * v[op->c]);
#define LM_OP1(CODE, value, first, second)                                                         \
    case LM_OP_##CODE: {                                                                           \
        const double x = v[op->a], k = op->k;                                                      \
        (void)k;                                                                                   \
        return value;                                                                              \
    }
#define LM_OP2(CODE, value, fa, fb, faa, fab, fbb)                                                 \
    case LM_OP_##CODE: {                                                                           \
        const double a = v[op->a], b = v[op->b];                                                   \
        return value;                                                                              \
    }
#include "expr/expr_ops.def"
    default: return NAN;
    }
}

double lm_op_value(const lm_op *op, const double *v, const double *slots)
{
    return op_value(op, v, slots);
}

double lm_expr_eval(const lm_expr *e, const double *slots, double *scratch)
{
    if (e->constant) return e->value;
    double value = NAN;
    for (const lm_op *op = e->ops, *end = op + e->nops; op < end; op++)
        scratch[op->dst] = value = op_value(op, scratch, slots);
    return value;
}

void lm_expr_constant(lm_expr *e, double value)
{
    memset(e, 0, sizeof *e);
    e->text = "";
    e->constant = 1;
    e->value = value;
}

/* The last operation has the highest register: expr_finish.c. */
int lm_expr_scratch(const lm_expr *e, int order)
{
    if (e->constant || e->nops == 0) return 0;
    int n = e->ninputs, registers = e->ops[e->nops - 1].dst + 1;
    return registers * (1 + (order > 0 ? n : 0) + (order > 1 ? n * n : 0));
}

int lm_expr_uses(const lm_expr *e, int slot)
{
    for (int i = 0; i < e->ninputs; i++)
        if (e->inputs[i] == slot) return 1;
    return 0;
}

int lm_expr_reads_surface(const lm_expr *e)
{
    for (int i = 0; i < e->nops; i++)
        if (e->ops[i].code == LM_OP_SURFACE) return 1;
    return 0;
}

int lm_op_is_sum(int code)
{
    switch (code) {
    case LM_OP_ADDC:
    case LM_OP_RSUB:
    case LM_OP_MULC:
    case LM_OP_DIVC:
    case LM_OP_ADD:
    case LM_OP_SUB: return 1;
    default: return 0;
    }
}

/* Inputs, constants and sums of these. */
int lm_expr_is_affine(const lm_expr *e)
{
    for (int i = 0; i < e->nops; i++) {
        int code = e->ops[i].code;
        if (code != LM_OP_SLOT && code != LM_OP_CONST && !lm_op_is_sum(code)) return 0;
    }
    return 1;
}

int lm_expr_bends(const lm_expr *e)
{
    int timed = e->ninputs == 0 || (e->ninputs == 1 && e->inputs[0] == LM_SLOT_T);
    return !timed && !lm_expr_is_affine(e);
}

const char *const *lm_expr_names(int *n)
{
    static const char *const names[] = {
#define LM_FN1(name, CODE, value, first, second, doc)                    #name,
#define LM_FN2(name, CODE, signature, doc, value, fa, fb, faa, fab, fbb) #name,
#define LM_FNX(name, CODE, least, most, signature, build, doc)           #name,
#define LM_NAMED(name, value, doc)                                       #name,
#define LM_WORD(name, doc)                                               #name,
#include "expr/expr_ops.def"
    };
    *n = (int)(sizeof names / sizeof *names);
    return names;
}
