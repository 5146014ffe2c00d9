#include "expr/expr_between.h"

#include "expr/expr_priv.h"

int lm_between_make(lm_arena *arena, const lm_expr *e, lm_between *b)
{
    int n = e->nops + 1;
    *b = (lm_between){.e = e};
    for (int i = 0; i < e->nops; i++)
        if (e->ops[i].code == LM_OP_SLOT && e->ops[i].a >= b->nslots) b->nslots = e->ops[i].a + 1;
    b->of = LM_NEW_N(arena, unsigned char, n);
    b->arg = LM_NEW_N(arena, int, 4 * n);
    b->first = LM_NEW_N(arena, double, 2 * n + lm_expr_scratch(e, 0) + b->nslots);
    b->slot = LM_NEW_N(arena, lm_bound, b->nslots + 1);
    b->bound = LM_NEW_N(arena, lm_bound, n);
    if (!b->of || !b->arg || !b->first || !b->slot || !b->bound) return -1;
    b->last = b->first + n, b->scratch = b->last + n;
    b->inside = b->scratch + lm_expr_scratch(e, 0);
    lm_bounds_plan(e, 1, b->of, b->arg, b->arg + 3 * n);
    return 0;
}

/* Just inside the interval: what jumps at its end has the value from before. */
#define INSIDE 1e-9

static void values(lm_between *b, const double *from, const double *to, double *out)
{
    double *slots = b->inside;
    for (int k = 0; k < b->nslots; k++) slots[k] = from[k] + INSIDE * (to[k] - from[k]);
    for (int i = 0; i < b->e->nops; i++) {
        const lm_op *op = &b->e->ops[i];
        out[i] = b->scratch[op->dst] = lm_op_value(op, b->scratch, slots);
    }
}

/* Over the interval as the unit of time. A bulge is an eighth of the second difference, and changes the slope by a
 * half of it; twice that is taken, because of what is no parabola. */
static lm_bound path(double from, double to, double bend)
{
    double way = to - from, more = fabs(bend);
    return (lm_bound){.u = {fmin(from, to) - 0.25 * more, fmax(from, to) + 0.25 * more},
                      .d = {way - more, way + more}};
}

static void find_bounds(lm_between *b, const double *from, const double *to, const double *bend)
{
    values(b, from, to, b->first);
    values(b, to, from, b->last);
    for (int k = 0; k < b->nslots; k++) b->slot[k] = path(from[k], to[k], bend[k]);
    lm_bounds(b->e, b->of, b->arg, b->slot, LM_BOUND_SLACK, b->first, b->last, b->bound);
}

int lm_between_open(lm_between *b, const double *from, const double *to, const double *bend,
                    const unsigned char *skip)
{
    int guard = 0;
    find_bounds(b, from, to, bend);
    for (int i = 0; i < b->e->nops; i++) {
        if (!b->e->ops[i].guard) continue;
        if (b->of[i] != LM_BOUND_OTHER && b->bound[i].open && !skip[guard]) return 1;
        guard++;
    }
    return 0;
}

lm_bound lm_between_bound(lm_between *b, const double *from, const double *to, const double *bend)
{
    find_bounds(b, from, to, bend);
    lm_bound out = b->bound[b->e->nops - 1];
    for (int i = 0; i < b->e->nops; i++)
        out.open |= b->e->ops[i].guard && b->of[i] != LM_BOUND_OTHER && b->bound[i].open;
    return out;
}

int lm_between_unbounded(const lm_between *b) { return b->of[b->e->nops - 1] == LM_BOUND_OTHER; }
