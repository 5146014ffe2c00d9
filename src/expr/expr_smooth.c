#include "expr/expr_smooth.h"

#include "expr/expr_priv.h"

#include <string.h>

/* ---- operations ---- */

static const struct {
    int code;
    const char *what, *remedy;
} rough[] = {
    {LM_OP_ABS, "abs", "sqrt(x^2 + d^2) with a small d"},
    {LM_OP_SIGN, "sign", "step(x, x0, y0, x1, y1)"},
    {LM_OP_FLOOR, "floor", "step(x, x0, y0, x1, y1)"},
    {LM_OP_MOD, "mod", "the argument as it is (angles may go on beyond a turn)"},
    {LM_OP_MIN, "min", "step(x, x0, y0, x1, y1)"},
    {LM_OP_MAX, "max", "step(x, x0, y0, x1, y1)"},
    {LM_OP_LT, "a comparison", "step(x, x0, y0, x1, y1)"},
    {LM_OP_LE, "a comparison", "step(x, x0, y0, x1, y1)"},
    {LM_OP_GT, "a comparison", "step(x, x0, y0, x1, y1)"},
    {LM_OP_GE, "a comparison", "step(x, x0, y0, x1, y1)"},
    {LM_OP_EQ, "a comparison", "step(x, x0, y0, x1, y1)"},
    {LM_OP_NE, "a comparison", "step(x, x0, y0, x1, y1)"},
    {LM_OP_AND, "and", "step(x, x0, y0, x1, y1)"},
    {LM_OP_OR, "or", "step(x, x0, y0, x1, y1)"},
    {LM_OP_NOT, "not", "step(x, x0, y0, x1, y1)"},
    {LM_OP_IF, "if", "step(x, x0, y0, x1, y1)"},
    {LM_OP_TABLE, "pwl", "spline(x, ..) through the same points"},
    {LM_OP_SURFACE, "a surface", "spline(x, ..)"},
};

/* pwl, unless its points lie on a line; step and spline have slopes that do not jump. */
static int has_corner(const lm_op *op)
{
    for (int i = 0; i + 1 < op->b; i++) {
        double x = op->tab[i + 1].x, d = x - op->tab[i].x, left[2];
        const lm_piece *p = &op->tab[i], *r = &op->tab[i + 1];
        left[0] = p->y + d * (p->b + d * (p->c + d * p->e));
        left[1] = p->b + d * (2 * p->c + d * 3 * p->e);
        double size = fabs(p->b) + fabs(r->b) + fabs(d * p->c) + fabs(d * d * p->e);
        if (fabs(left[1] - r->b) > 1e-9 * size) return 1;
        if (fabs(left[0] - r->y) > 1e-9 * (fabs(p->y) + fabs(r->y) + fabs(d) * size)) return 1;
    }
    return 0;
}

static int rough_entry(const lm_op *op)
{
    if (op->code == LM_OP_TABLE && !has_corner(op)) return -1;
    for (size_t i = 0; i < sizeof rough / sizeof *rough; i++)
        if (rough[i].code == op->code) return (int)i;
    return -1;
}

/* ---- what registers depend on ---- */

typedef struct value {
    int input;     /* slot other than t that it depends on, 0: none */
    char timed;    /* depends on t */
    char flat;     /* piecewise constant */
    char straight; /* c0 + c1 t, so that the instants of what it decides are known */
    char periodic; /* ... beginning again with a period */
} value;

static value joined(value a, value b)
{
    return (value){.input = a.input ? a.input : b.input,
                   .timed = a.timed | b.timed,
                   .flat = a.flat & b.flat,
                   .straight = a.straight & b.straight &&
                               !((a.periodic || b.periodic) && a.timed && b.timed),
                   .periodic = a.periodic | b.periodic};
}

static int is_linear(int code)
{
    return code == LM_OP_ADDC || code == LM_OP_RSUB || code == LM_OP_MULC || code == LM_OP_DIVC ||
           code == LM_OP_ADD || code == LM_OP_SUB;
}

static int is_decision(int code)
{
    return (code >= LM_OP_LT && code <= LM_OP_OR) || code == LM_OP_NOT || code == LM_OP_SIGN ||
           code == LM_OP_FLOOR;
}

/* The arguments together; those of `if` that decide are its condition alone, in *deciding. */
static value gather(const lm_op *op, const value *v, value *deciding)
{
    const int reg[3] = {op->a, op->b, op->c};
    int n = lm_op_arity[op->code];
    value all = {.flat = 1, .straight = 1};
    for (int i = 0; i < n; i++) all = joined(all, v[reg[i]]);
    *deciding = op->code == LM_OP_IF ? v[op->a] : all;
    if (op->code == LM_OP_SLOT && op->a == LM_SLOT_T) return (value){.timed = 1, .straight = 1};
    if (op->code == LM_OP_SLOT) return (value){.input = op->a};
    if (n == 0) return all;
    int restarts = op->code == LM_OP_MOD && v[op->a].straight && !v[op->b].timed;
    all.straight = restarts || (is_linear(op->code) && all.straight) || (!all.timed && !all.input);
    all.periodic |= (char)restarts;
    all.flat = is_decision(op->code) || all.flat;
    return all;
}

static int look(const lm_expr *e, value *v, lm_rough *out)
{
    for (const lm_op *op = e->ops; op < e->ops + e->nops; op++) {
        value decides, result = gather(op, v, &decides);
        int k = rough_entry(op);
        v[op->dst] = result;
        if (k < 0) continue;
        /* what is piecewise constant jumps where it was made, which has been looked at */
        int unseen = decides.timed && !decides.flat && !decides.straight;
        if (!decides.input && !unseen) continue;
        *out = (lm_rough){.kind = decides.input ? LM_ROUGH_INPUT : LM_ROUGH_UNSEEN,
                          .what = rough[k].what,
                          .remedy = rough[k].remedy,
                          .slot = decides.input};
        return 1;
    }
    return 0;
}

/* ---- instants ---- */

enum { INSTANTS_MOST = 1000 };

/* Value, gradient and the rate of both in time, on one side of an instant. */
typedef struct side {
    double u, *g, *H;
} side;

static lm_rough_kind compare(const lm_expr *e, const side *a, const side *b, double apart, int time)
{
    double slope = fabs(a->g[time]) + fabs(b->g[time]), size = fabs(a->u) + fabs(b->u);
    if (fabs(a->u - b->u) > 2 * apart * slope + 1e-9 * size) return LM_ROUGH_JUMP;
    for (int i = 0; i < e->ninputs; i++) {
        double turn = fabs(a->H[e->ninputs * i + time]) + fabs(b->H[e->ninputs * i + time]);
        double most = fabs(a->g[i]) + fabs(b->g[i]);
        if (fabs(a->g[i] - b->g[i]) > 2 * apart * turn + 1e-9 * most) return LM_ROUGH_CORNER;
    }
    return LM_ROUGH_NOT;
}

static void watch(const lm_expr *e, double *slots, double until, double *room, lm_rough *out)
{
    size_t n = (size_t)e->ninputs;
    side a = {0, room, room + 2 * n}, b = {0, room + n, room + 2 * n + n * n};
    double t = 0, *scratch = room + 2 * n + 2 * n * n;
    for (int k = 0; k < INSTANTS_MOST; k++) {
        t = lm_expr_next_kink(e, t);
        if (!isfinite(t) || t > until - 1e-12 * until) return; /* at the end nothing moves on */
        double apart = 1e-7 * fmax(t, 1e-3);
        slots[LM_SLOT_T] = t - apart;
        a.u = lm_expr_hess(e, slots, scratch, a.g, a.H);
        slots[LM_SLOT_T] = t + apart;
        b.u = lm_expr_hess(e, slots, scratch, b.g, b.H);
        out->kind = compare(e, &a, &b, 2 * apart, 0);
        out->t = t;
        if (out->kind != LM_ROUGH_NOT) return;
    }
}

int lm_expr_rough(const lm_expr *e, double *slots, double until, lm_rough *out)
{
    *out = (lm_rough){.kind = LM_ROUGH_NOT};
    if (e->constant || !e->nops) return 0;
    size_t n = (size_t)e->ninputs, scratch = (size_t)lm_expr_scratch(e, 2);
    value *v = lm_alloc(sizeof *v * (size_t)e->nops);
    double *room = lm_alloc(sizeof(double) * (2 * n + 2 * n * n + scratch));
    int bad = !v || !room ? -1 : 0;
    if (!bad && !look(e, v, out) && e->inputs[0] == LM_SLOT_T) watch(e, slots, until, room, out);
    lm_free(v);
    lm_free(room);
    return bad;
}
