/* Expressions put into expressions: the operations of a finished one are built again, with the values
 * of another in the place of a slot. */
#include "expr/expr_priv.h"

#include <string.h>

typedef struct builder {
    lm_parser p;
    int slot;              /* replaced ... */
    const lm_expr *inside; /* ... by this, NULL: nothing is */
} builder;

static int registers(const lm_expr *e)
{
    int n = 0;
    for (int i = 0; i < e->nops; i++)
        if (e->ops[i].dst >= n) n = e->ops[i].dst + 1;
    return n;
}

static lm_value replay(builder *b, const lm_expr *e);

static lm_value build_op(builder *b, const lm_op *op, const lm_value *reg)
{
    lm_parser *p = &b->p;
    switch (op->code) {
    case LM_OP_SLOT:
        if (b->inside && op->a == b->slot) {
            builder inner = {.p = *p};
            lm_value n = replay(&inner, b->inside);
            *p = inner.p;
            return n;
        }
        return lm_value_slot(p, op->a);
    case LM_OP_CONST: return lm_value_constant(op->k);
    case LM_OP_TABLE: return lm_value_table(p, reg[op->a], op->tab, op->b);
    case LM_OP_SURFACE: return lm_value_surface(p, reg[op->a], op->grid);
    case LM_OP_IF:
    case LM_OP_NORM: return lm_value_ternary(p, op->code, reg[op->a], reg[op->b], reg[op->c]);
    default: break;
    }
    if (lm_op_arity[op->code] == 1) return lm_value_unary(p, op->code, reg[op->a], op->k);
    return lm_value_binary(p, op->code, reg[op->a], reg[op->b]);
}

/* A constant stands for its value where it is an argument; alone it has no operations. */
static lm_value replay(builder *b, const lm_expr *e)
{
    if (e->constant) return lm_value_constant(e->value);
    lm_value *reg = LM_NEW_N(b->p.arena, lm_value, (size_t)registers(e) + 1), last = {-1, 0};
    for (int i = 0; i < e->nops; i++) last = reg[e->ops[i].dst] = build_op(b, &e->ops[i], reg);
    return last;
}

int lm_expr_compose(lm_arena *arena, const lm_expr *e, int slot, const lm_expr *inside,
                    lm_expr *out)
{
    lm_diag quiet = {0};
    jmp_buf bail;
    builder b = {.slot = slot, .inside = inside};
    b.p = (lm_parser){.arena = arena, .diag = &quiet, .text = e->text ? e->text : "", .quiet = 1};
    b.p.len = (int)strlen(b.p.text);
    b.p.loc = e->loc;
    b.p.bail = &bail;
    memset(out, 0, sizeof *out);
    if (setjmp(bail)) return -1;
    lm_parse_finish(&b.p, replay(&b, e), out);
    return 0;
}
