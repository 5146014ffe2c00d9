/* From the parser's operations to a finished expression: what the result does not need is dropped,
 * inputs are numbered, and each operation gets a register that is free again after its last use.
 * Registers keep the scratch small: a sum of a hundred sensors needs three, not two hundred. */
#include "expr/expr_priv.h"

#include <limits.h>
#include <stdlib.h>

const unsigned char lm_op_arity[LM_OP_COUNT] = {
    [LM_OP_TABLE] = 1,
    [LM_OP_IF] = 3,
    [LM_OP_NORM] = 3,
    [LM_OP_SURFACE] = 1,
#define LM_OP1(CODE, value, first, second)         [LM_OP_##CODE] = 1,
#define LM_OP2(CODE, value, fa, fb, faa, fab, fbb) [LM_OP_##CODE] = 2,
#include "expr/expr_ops.def"
};

/* Piecewise constant: no derivatives. */
static int is_flat(int code)
{
    switch (code) {
    case LM_OP_CONST:
    case LM_OP_NOT:
    case LM_OP_SIGN:
    case LM_OP_FLOOR:
    case LM_OP_LT:
    case LM_OP_LE:
    case LM_OP_GT:
    case LM_OP_GE:
    case LM_OP_EQ:
    case LM_OP_NE:
    case LM_OP_AND:
    case LM_OP_OR: return 1;
    default: return 0;
    }
}

typedef struct plan {
    int *last; /* per operation: the last one that uses it; -1: none */
    int *reg;  /* per operation: its register */
    int *free; /* stack of free registers */
    int nfree, registers, live;
} plan;

static void find_live(const lm_parser *p, int result, plan *w)
{
    for (int i = 0; i < p->ops.n; i++) w->last[i] = -1;
    w->last[result] = p->ops.n;
    for (int i = result; i >= 0; i--) {
        const lm_op *op = &p->ops.at[i];
        const int arg[3] = {op->a, op->b, op->c};
        if (w->last[i] < 0) continue;
        w->live++;
        for (int j = 0; j < lm_op_arity[op->code]; j++)
            if (w->last[arg[j]] < 0) w->last[arg[j]] = i;
    }
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void collect_inputs(lm_parser *p, const plan *w, lm_expr *e)
{
    int *inputs = LM_NEW_N(p->arena, int, p->slots.n);
    for (int i = 0; i < p->slots.n; i++) {
        int op = p->slots.at[i];
        if (w->last[op] >= 0) inputs[e->ninputs++] = p->ops.at[op].a;
    }
    if (e->ninputs) qsort(inputs, (size_t)e->ninputs, sizeof *inputs, ascending);
    e->inputs = inputs;
}

/* The range of inputs: those of the arguments together; of `if`, those of its branches. */
static void set_range(lm_op *op, const lm_op *ops, const int arg[3], const lm_expr *e)
{
    if (op->code == LM_OP_SLOT) {
        const int *at = bsearch(&op->a, e->inputs, (size_t)e->ninputs, sizeof *at, ascending);
        op->lo[0] = (uint16_t)(at - e->inputs);
        op->hi[0] = (uint16_t)(op->lo[0] + 1);
    }
    if (is_flat(op->code)) return;
    for (int j = op->code == LM_OP_IF; j < lm_op_arity[op->code]; j++) {
        uint16_t lo = ops[arg[j]].lo[0], hi = ops[arg[j]].hi[0];
        op->lo[j + 1] = lo;
        op->hi[j + 1] = hi;
        if (lo == hi) continue;
        int first = op->lo[0] == op->hi[0];
        if (first || lo < op->lo[0]) op->lo[0] = lo;
        if (first || hi > op->hi[0]) op->hi[0] = hi;
    }
}

/* The destination is taken before the arguments are given back: they never coincide. */
static void set_registers(lm_op *op, int i, const int arg[3], plan *w, int result)
{
    int n = lm_op_arity[op->code];
    int *field[3] = {&op->a, &op->b, &op->c};
    op->dst = i == result || !w->nfree ? w->registers++ : w->free[--w->nfree];
    w->reg[i] = op->dst;
    for (int j = 0; j < n; j++) {
        *field[j] = w->reg[arg[j]];
        if (w->last[arg[j]] != i) continue;
        w->free[w->nfree++] = w->reg[arg[j]];
        w->last[arg[j]] = -1; /* given back once, also when it is used twice */
    }
}

static int by_time(const void *a, const void *b)
{
    const lm_kink *x = a, *y = b;
    if ((x->period > 0) != (y->period > 0)) return x->period > 0 ? 1 : -1;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    return (x->period > y->period) - (x->period < y->period);
}

static void collect_kinks(lm_parser *p, const int *reg, lm_expr *e)
{
    lm_kink *k = p->kinks.at;
    int n = 0, m = 0;
    for (int i = 0; i < p->kinks.n; i++)
        if (reg[k[i].op] >= 0) k[n++] = k[i];
    if (n) qsort(k, (size_t)n, sizeof *k, by_time);
    for (int i = 0; i < n; i++)
        if (m == 0 || by_time(&k[m - 1], &k[i]) != 0) k[m++] = k[i];
    e->kinks = k;
    e->nkinks = m;
}

static void check_size(lm_parser *p, const lm_expr *e, const plan *w)
{
    double n = e->ninputs, scratch = w->registers * (1 + n + n * n);
    if (scratch > INT_MAX)
        lm_parse_fail(p, 0, "the expression is too large: it uses %d different quantities",
                      e->ninputs);
}

void lm_parse_finish(lm_parser *p, lm_value result, lm_expr *e)
{
    e->text = lm_arena_strn(p->arena, p->text, (size_t)p->len);
    e->loc = p->loc;
    if (result.op < 0) {
        e->constant = 1;
        e->value = result.k;
        return;
    }
    int n = p->ops.n;
    int *memory = LM_NEW_N(p->arena, int, 3 * (size_t)n);
    plan w = {.last = memory, .reg = memory + n, .free = memory + 2 * n};
    find_live(p, result.op, &w);
    collect_inputs(p, &w, e);
    lm_op *ops = LM_NEW_N(p->arena, lm_op, w.live);
    for (int i = 0; i < n; i++) {
        w.reg[i] = -1;
        if (w.last[i] < 0) continue;
        lm_op *op = &p->ops.at[i];
        const int arg[3] = {op->a, op->b, op->c};
        set_range(op, p->ops.at, arg, e);
        set_registers(op, i, arg, &w, result.op);
        ops[e->nops++] = *op;
    }
    e->ops = ops;
    lm_guard_mark(ops, e->nops, LM_NEW_N(p->arena, unsigned char, w.registers));
    check_size(p, e, &w);
    collect_kinks(p, w.reg, e);
}
