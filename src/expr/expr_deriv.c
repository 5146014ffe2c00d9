/* Exact first and second derivatives: forward mode over the list of operations. Register r has its
 * value v[r], gradient g[r][n] and the lower triangle of its Hessian h[r][n][n]; of those only the
 * part in the operation's range of inputs is defined. For f(a, b, ...)
 *
 *   f_i  = sum_a f_a a_i
 *   f_ij = sum_a f_a a_ij + sum_ab f_ab a_i b_j
 *
 * A factor that is exactly zero (the branch of an `if` not taken, a clamp beyond its end) takes no
 * part. An infinite factor (sqrt at 0) must not turn the zeros of unrelated inputs into NaN: when
 * the fast pass gives a NaN, a second one takes 0 times anything as 0. */
#include "expr/expr_priv.h"

#include <float.h>

typedef struct pass {
    int n, order, careful;
    double *v, *g, *h;
    const double *slots;
} pass;

/* Partial derivatives of one operation. second: aa, ab, bb, ac, bc, cc. */
typedef struct partials {
    double first[3], second[6];
} partials;

/* ---- formulas of expr_ops.def that need more than a line ---- */

static double pow_a(double a, double b) { return b == 0 ? 0 : b * pow(a, b - 1); }
static double pow_aa(double a, double b)
{
    return b == 0 || b == 1 ? 0 : b * (b - 1) * pow(a, b - 2);
}

/* log(a) a^b and its like exist for a > 0, and as limits 0 at a = 0. */
static double pow_b(double a, double b, double f)
{
    return a > 0 ? log(a) * f : a == 0 && b > 0 ? 0 : NAN;
}
static double pow_ab(double a, double b)
{
    return a > 0 ? pow(a, b - 1) * (1 + b * log(a)) : a == 0 && b > 1 ? 0 : NAN;
}
static double pow_bb(double a, double b, double f)
{
    return a > 0 ? log(a) * log(a) * f : a == 0 && b > 0 ? 0 : NAN;
}

static double inverse_r2(double a, double b)
{
    double r2 = a * a + b * b;
    return r2 > 0 ? 1 / r2 : 0;
}
static double inverse_r4(double a, double b) { return inverse_r2(a, b) * inverse_r2(a, b); }

/* f = |x|: f_i = x_i/f, f_ij = (delta_ij - f_i f_j)/f; all zero at x = 0. */
static void norm_partials(const double x[3], double f, partials *to)
{
    *to = (partials){0};
    if (!(f > 0)) return;
    for (int i = 0, ij = 0; i < 3; i++) {
        to->first[i] = x[i] / f;
        for (int j = 0; j <= i; j++, ij++)
            to->second[ij] = ((i == j) - to->first[i] * to->first[j]) / f;
    }
}

/* Fills *to, second only when order > 1, and returns the number of arguments. */
static inline int op_partials(const lm_op *op, const pass *w, double f, partials *to)
{
    const double *v = w->v;
    int order = w->order;
    double *first = to->first, *second = to->second;
    switch (op->code) {
    case LM_OP_TABLE: {
        double out[2];
        lm_table_derivs(op->tab, op->b, v[op->a], out);
        first[0] = out[0];
        second[0] = out[1];
        return 1;
    }
    case LM_OP_SURFACE:
        lm_grid_value(op->grid, w->slots + op->grid->first, v[op->a], &first[0]);
        second[0] = 0;
        return 1;
    case LM_OP_IF:
        *to = (partials){0};
        if (!isnan(v[op->a])) first[v[op->a] != 0 ? 1 : 2] = 1;
        return 3;
    case LM_OP_NORM: norm_partials((double[3]){v[op->a], v[op->b], v[op->c]}, f, to); return 3;
#define LM_OP1(CODE, value, fx, fxx)                                                               \
    case LM_OP_##CODE: {                                                                           \
        const double x = v[op->a], k = op->k, d = fx;                                              \
        (void)x, (void)k;                                                                          \
        first[0] = d;                                                                              \
        if (order > 1) second[0] = fxx;                                                            \
        return 1;                                                                                  \
    }
#define LM_OP2(CODE, value, fa, fb, faa, fab, fbb)                                                 \
    case LM_OP_##CODE: {                                                                           \
        const double a = v[op->a], b = v[op->b];                                                   \
        (void)a, (void)b;                                                                          \
        first[0] = fa;                                                                             \
        first[1] = fb;                                                                             \
        if (order > 1) second[0] = faa, second[1] = fab, second[2] = fbb;                          \
        return 2;                                                                                  \
    }
#include "expr/expr_ops.def"
    default: return 0;
    }
}

/* ---- the chain rule ---- */

static double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

/* out[lo..hi) += f*x */
static void add_row(const pass *w, double *out, double f, const double *x, int lo, int hi)
{
    if (w->careful)
        for (int i = lo; i < hi; i++) out[i] += times(f, x[i]);
    else
        for (int i = lo; i < hi; i++) out[i] += f * x[i];
}

/* Lower triangle of out += f x y^T, symmetric: x in [xlo, xhi), y in [ylo, yhi). With x and y
 * different arguments the sum is f (x y^T + y x^T). */
static void add_cross(const pass *w, double *out, double f, const double *x, int xlo, int xhi,
                      const double *y, int ylo, int yhi)
{
    for (int i = xlo; i < xhi; i++) {
        double fx = w->careful ? times(f, x[i]) : f * x[i];
        for (int j = ylo; j < yhi; j++) {
            double term = w->careful ? times(fx, y[j]) : fx * y[j];
            out[i > j ? i * w->n + j : j * w->n + i] += i == j ? 2 * term : term;
        }
    }
}

static void add_square(const pass *w, double *out, double f, const double *x, int lo, int hi)
{
    for (int i = lo; i < hi; i++)
        add_row(w, out + i * w->n, w->careful ? times(f, x[i]) : f * x[i], x, lo, i + 1);
}

static double *gradient(const pass *w, int reg) { return w->g + (size_t)reg * (size_t)w->n; }
static double *hessian(const pass *w, int reg)
{
    return w->h + (size_t)reg * (size_t)w->n * (size_t)w->n;
}

static void clear(const pass *w, const lm_op *op)
{
    int lo = op->lo[0], hi = op->hi[0];
    double *g = gradient(w, op->dst);
    for (int i = lo; i < hi; i++) g[i] = 0;
    if (w->order < 2) return;
    double *h = hessian(w, op->dst);
    for (int i = lo; i < hi; i++)
        for (int j = lo; j <= i; j++) h[i * w->n + j] = 0;
}

/* The same for one argument in the fast pass, without clearing first: most operations. */
static void compose(const pass *w, const lm_op *op, double first, double second)
{
    int lo = op->lo[0], hi = op->hi[0];
    double *g = gradient(w, op->dst);
    const double *ga = gradient(w, op->a);
    for (int i = lo; i < hi; i++) g[i] = first * ga[i];
    if (w->order < 2) return;
    double *h = hessian(w, op->dst);
    const double *ha = hessian(w, op->a);
    for (int i = lo; i < hi; i++)
        for (int j = lo, ij = i * w->n + lo; j <= i; j++, ij++)
            h[ij] = first * ha[ij] + second * ga[i] * ga[j];
}

static void add_second(const pass *w, const lm_op *op, const partials *d, int args)
{
    const int reg[3] = {op->a, op->b, op->c};
    double *out = hessian(w, op->dst);
    for (int a = 0, ab = 0; a < args; a++) {
        const double *ga = gradient(w, reg[a]), *ha = hessian(w, reg[a]);
        int lo = op->lo[a + 1], hi = op->hi[a + 1];
        if (d->first[a] != 0)
            for (int i = lo; i < hi; i++)
                add_row(w, out + i * w->n, d->first[a], ha + i * w->n, lo, i + 1);
        for (int b = 0; b < a; b++, ab++)
            if (d->second[ab] != 0)
                add_cross(w, out, d->second[ab], ga, lo, hi, gradient(w, reg[b]), op->lo[b + 1],
                          op->hi[b + 1]);
        if (d->second[ab] != 0) add_square(w, out, d->second[ab], ga, lo, hi);
        ab++;
    }
}

static void differentiate(const pass *w, const lm_op *op)
{
    if (op->code == LM_OP_SLOT) {
        clear(w, op);
        gradient(w, op->dst)[op->lo[0]] = 1;
        return;
    }
    partials d;
    const int reg[3] = {op->a, op->b, op->c};
    int args = op_partials(op, w, w->v[op->dst], &d);
    if (args == 1 && !w->careful && d.first[0] != 0) {
        compose(w, op, d.first[0], w->order > 1 ? d.second[0] : 0);
        return;
    }
    clear(w, op);
    for (int a = 0; a < args; a++)
        if (d.first[a] != 0)
            add_row(w, gradient(w, op->dst), d.first[a], gradient(w, reg[a]), op->lo[a + 1],
                    op->hi[a + 1]);
    if (w->order > 1) add_second(w, op, &d, args);
}

static void sweep(const pass *w, const lm_expr *e)
{
    for (const lm_op *op = e->ops, *end = op + e->nops; op < end; op++) {
        w->v[op->dst] = lm_op_value(op, w->v, w->slots);
        if (op->lo[0] < op->hi[0]) differentiate(w, op);
    }
}

/* ---- results ---- */

/* Copy the derivatives of the last operation out; 1 when one of them is NaN. */
static int copy_out(const pass *w, const lm_op *op, double *grad, double *hess)
{
    int n = w->n, bad = 0;
    const double *g = gradient(w, op->dst), *h = w->order > 1 ? hessian(w, op->dst) : NULL;
    for (int i = 0; i < n; i++) {
        int inside = i >= op->lo[0] && i < op->hi[0];
        grad[i] = inside ? g[i] : 0;
        bad |= isnan(grad[i]);
        for (int j = 0; h && j <= i; j++) {
            double value = inside && j >= op->lo[0] ? h[i * n + j] : 0;
            hess[i * n + j] = hess[j * n + i] = value;
            bad |= isnan(value);
        }
    }
    return bad;
}

static double derivatives(const lm_expr *e, int order, const double *slots, double *scratch,
                          double *grad, double *hess)
{
    if (e->constant) return e->value;
    const lm_op *last = &e->ops[e->nops - 1];
    size_t registers = (size_t)last->dst + 1, n = (size_t)e->ninputs;
    pass w = {
        .n = e->ninputs, .order = order, .v = scratch, .g = scratch + registers, .slots = slots};
    w.h = order > 1 ? w.g + registers * n : NULL;
    sweep(&w, e);
    if (copy_out(&w, last, grad, hess)) {
        w.careful = 1;
        sweep(&w, e);
        copy_out(&w, last, grad, hess);
    }
    return w.v[last->dst];
}

double lm_expr_grad(const lm_expr *e, const double *slots, double *scratch, double *grad)
{
    return derivatives(e, 1, slots, scratch, grad, NULL);
}

double lm_expr_hess(const lm_expr *e, const double *slots, double *scratch, double *grad,
                    double *hess)
{
    return derivatives(e, 2, slots, scratch, grad, hess);
}

void lm_expr_time(const lm_expr *e, double t, double *scratch, double out[3])
{
    out[0] = e->value;
    out[1] = out[2] = 0;
    if (e->constant) return;
    if (e->ninputs != 1 || e->inputs[0] != LM_SLOT_T) {
        out[0] = out[1] = out[2] = NAN; /* not a function of time alone */
        return;
    }
    out[0] = derivatives(e, 2, &t, scratch, &out[1], &out[2]);
    if (t != 0 || !isfinite(out[0] + out[1] + out[2])) return;
    t = DBL_MIN;
    out[0] = derivatives(e, 2, &t, scratch, &out[1], &out[2]);
}
