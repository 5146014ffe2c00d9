/* Equations of blocks. They are written in the expression language itself, over the names of the
 * block's parts, `self` for what it gives, and constants; so derivatives and switching instants come
 * from there. The equations, with what they mean: docs/theory/blocks.md. */
#include "model/blocks.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct constant {
    const char *name;
    const double *at;
    int n; /* > 0: name1 to nameN */
} constant;

typedef struct writer {
    lm_reader *r;
    const lm_named *entry;
    int block;
    lm_spec_block b; /* a copy */
    const constant *constants;
} writer;

/* --- names in equations --- */

static int find_constant(const writer *w, const char *name, double *value)
{
    for (const constant *k = w->constants; k && k->name; k++) {
        size_t len = strlen(k->name);
        if (strncmp(name, k->name, len) != 0) continue;
        if (!k->n && !name[len]) return *value = *k->at, 1;
        int i = isdigit((unsigned char)name[len]) ? atoi(name + len) : 0;
        if (i >= 1 && i <= k->n) return *value = k->at[i - 1], 1;
    }
    return 0;
}

static int part_of(const writer *w, const char *part)
{
    const char *name = lm_arena_printf(&w->r->scratch, "%s.%s", w->entry->name, part);
    return lm_names_find(&w->r->blocks.names, name);
}

static lm_symbol local_symbol(void *ctx, const char *name, double *value, int *slot)
{
    const writer *w = ctx;
    if (find_constant(w, name, value)) return LM_SYM_CONSTANT;
    int i = strcmp(name, "self") == 0 ? w->block : part_of(w, name);
    if (i < 0) return LM_SYM_NONE;
    *slot = lm_block_slot(w->r, i);
    return LM_SYM_SLOT;
}

static int parse(writer *w, const char *text, lm_expr *out)
{
    const lm_expr_env env = {.ctx = w, .symbol = local_symbol};
    lm_reader *r = w->r;
    return lm_expr_parse(r->arena, r->diag, &env, lm_arena_str(r->arena, text), w->entry->key->loc,
                         out);
}

/* The equation of a variable, the update of a state; part NULL: of what the block gives. */
static lm_expr *equation_of(const writer *w, const char *part)
{
    const lm_spec *spec = w->r->spec;
    const lm_spec_block *b = &spec->blocks.at[part ? part_of(w, part) : w->block];
    if (b->delay >= 0) return &spec->delays.at[b->delay].input;
    return b->variable >= 0 ? &spec->variables.at[b->variable].expr
                            : &spec->states.at[b->state].update;
}

static int set(writer *w, const char *part, const char *text)
{
    lm_expr e; /* the vectors of sensors and names may grow */
    if (parse(w, text, &e)) return -1;
    *equation_of(w, part) = e;
    return 0;
}

/* The user's expression for a part. */
static int copy_node(writer *w, const lm_yaml *node, const char *key, const char *part)
{
    lm_expr e;
    w->r->key = key;
    int rc = lm_read_expr(w->r, node, LM_SCOPE_SENSORS, &e);
    w->r->key = NULL;
    if (!rc) *equation_of(w, part) = e;
    return rc;
}

static int copy(writer *w, const char *key, const char *part)
{
    return copy_node(w, lm_yaml_get(w->entry->value, key, NULL), key, part);
}

/* --- integrator, pid --- */

static int integrator(writer *w)
{
    if (!lm_block_limited(&w->b)) return copy(w, "input", NULL);
    const double *limits = w->b.limits.at;
    const constant k[] = {{"low", limits, 0}, {"high", limits + 1, 0}, {NULL, NULL, 0}};
    w->constants = k;
    int rc = copy(w, "input", "input");
    if (set(w, NULL, "if((self >= high and input > 0) or (self <= low and input < 0), 0, input)"))
        rc = -1;
    w->constants = NULL;
    return rc;
}

/* integral' = ki e + (u - v)/Tt;  filtered' = (e - filtered)/Tf;  derivative = kd (e - filtered)/Tf. */
static int pid_continuous(writer *w)
{
    const lm_spec_block *b = &w->b;
    int rc = 0, limited = lm_block_limited(b), filtered = b->filter > 0;
    const char *v = lm_arena_printf(&w->r->scratch, "kp*input%s%s", b->ki != 0 ? " + integral" : "",
                                    b->kd != 0 ? " + derivative" : "");
    if (b->ki != 0)
        rc |=
            set(w, "integral", limited ? "ki*input + (self - unlimited)/anti_windup" : "ki*input");
    if (b->kd != 0 && filtered)
        rc |= set(w, "filtered",
                  b->has_rate ? "(rate - filtered)/filter" : "(input - filtered)/filter");
    if (b->kd != 0)
        rc |= set(w, "derivative",
                  !b->has_rate ? "kd*(input - filtered)/filter"
                  : filtered   ? "kd*filtered"
                               : "kd*rate");
    if (!limited) return rc | set(w, NULL, v);
    return rc | set(w, "unlimited", v) | set(w, NULL, "min(max(unlimited, low), high)");
}

/* All states change at once, so that each update holds those of the others that it needs. */
static int pid_sampled(writer *w)
{
    const lm_spec_block *b = &w->b;
    lm_arena *a = &w->r->scratch;
    int rc = 0, limited = lm_block_limited(b);
    const char *I = limited ? "integral + ki*every*input + track*(self - unlimited)"
                            : "integral + ki*every*input";
    const char *D = b->has_rate ? "(filter*derivative + every*kd*rate)/(filter + every)"
                                : "(filter*derivative + kd*(input - error))/(filter + every)";
    const char *v = "kp*input";
    if (b->ki != 0) v = lm_arena_printf(a, "%s + (%s)", v, I);
    if (b->kd != 0) v = lm_arena_printf(a, "%s + (%s)", v, D);
    if (b->ki != 0) rc |= set(w, "integral", I);
    if (b->kd != 0) rc |= set(w, "derivative", D);
    if (b->kd != 0 && !b->has_rate) rc |= set(w, "error", "input");
    if (!limited) return rc | set(w, NULL, v);
    return rc | set(w, "unlimited", v) |
           set(w, NULL, lm_arena_printf(a, "min(max(%s, low), high)", v));
}

static int pid(writer *w)
{
    const lm_spec_block *b = &w->b;
    double none = 0, track = b->anti_windup > 0 ? fmin(1, b->every / b->anti_windup) : 0;
    const double *limits = lm_block_limited(b) ? b->limits.at : &none;
    const constant k[] = {{"kp", &b->kp, 0},       {"ki", &b->ki, 0},
                          {"kd", &b->kd, 0},       {"filter", &b->filter, 0},
                          {"every", &b->every, 0}, {"anti_windup", &b->anti_windup, 0},
                          {"track", &track, 0},    {"low", limits, 0},
                          {"high", limits + 1, 0}, {NULL, NULL, 0}};
    int rc = copy(w, "input", "input");
    if (b->has_rate && copy(w, "rate", "rate")) rc = -1;
    w->constants = k;
    if (lm_block_sampled(b) ? pid_sampled(w) : pid_continuous(w)) rc = -1;
    w->constants = NULL;
    return rc;
}

/* --- linear systems --- */

/* "c1*x1 + c2*x2 + ..." without terms that are 0; "0": there are none. */
static const char *sum(writer *w, const char *c, const double *values, const char *x, int n)
{
    const char *text = NULL;
    for (int i = 0; i < n; i++) {
        if (values[i] == 0) continue;
        const char *term = lm_arena_printf(&w->r->scratch, "%s%d*%s%d", c, i + 1, x, i + 1);
        text = text ? lm_arena_printf(&w->r->scratch, "%s + %s", text, term) : term;
    }
    return text ? text : "0";
}

/* Scales of the states of a transfer function: w[k] for the k-th derivative, k = 0..n, w[n] = 1; a[0..n]
 * the denominator with a[0] = 1. Missing coefficients lie on a straight line between their neighbours in
 * logarithms, those at the end on that of the last two. */
static void transfer_scales(const double *a, int n, double *w)
{
    int last = n; /* derivative n has the coefficient a[0] = 1 */
    double ratio = 1;
    w[n] = 1;
    for (int k = n - 1; k >= 0; k--) {
        if (a[n - k] == 0) continue;
        w[k] = fabs(a[n - k]);
        ratio = pow(w[k] / w[last], 1.0 / (last - k));
        for (int i = last - 1; i > k; i--) w[i] = w[i + 1] * ratio;
        last = k;
    }
    for (int k = last - 1; k >= 0; k--) w[k] = w[k + 1] * ratio;
}

/* With z the solution of z^(n) + a_1 z^(n-1) + ... + a_n z = u and x_k+1 = w_k z^(k),
 *   x_k' = w_k-1/w_k x_k+1,   x_n' = w_n-1 (u - sum a_n-k/w_k x_k+1),
 *   y = d u + sum (b_n-k - d a_n-k)/w_k x_k+1.  The w make all x of the size of u. */
static int transfer_function(writer *w)
{
    const lm_spec_block *b = &w->b;
    lm_arena *arena = &w->r->scratch;
    int n = lm_block_order(b), rc = copy(w, "input", "input"), shift = n + 1 - b->numerator.cols;
    double *a = LM_NEW_N(arena, double, 5 * (n + 1)), *scale = a + n + 1, *back = scale + n + 1;
    double *out = back + n + 1, *up = out + n + 1, lead = b->denominator.at[0];
    for (int i = 0; i <= n; i++) a[i] = b->denominator.at[i] / lead;
    double d = shift ? 0 : b->numerator.at[0] / lead;
    transfer_scales(a, n, scale);
    for (int k = 0; k < n; k++) {
        double bk = n - k >= shift ? b->numerator.at[n - k - shift] / lead : 0;
        back[k] = a[n - k] / scale[k];
        out[k] = (bk - d * a[n - k]) / scale[k];
        up[k] = scale[k] / scale[k + 1];
    }
    const constant k[] = {
        {"back", back, n}, {"out", out, n}, {"up", up, n}, {"direct", &d, 0}, {NULL, NULL, 0}};
    w->constants = k;
    for (int i = 1; i < n; i++)
        rc |=
            set(w, lm_arena_printf(arena, "x%d", i), lm_arena_printf(arena, "up%d*x%d", i, i + 1));
    if (n)
        rc |= set(w, lm_arena_printf(arena, "x%d", n),
                  lm_arena_printf(arena, "up%d*(input - (%s))", n, sum(w, "back", back, "x", n)));
    rc |= set(w, NULL,
              lm_arena_printf(arena, "%s%s", d != 0 ? "direct*input + " : "",
                              sum(w, "out", out, "x", n)));
    w->constants = NULL;
    return rc;
}

/* Row i of [P Q] [x; u]. */
static int matrix_row(writer *w, const char *part, const lm_spec_matrix *P, const lm_spec_matrix *Q,
                      int i)
{
    const double *p = P->at + i * P->cols, *q = Q->rows ? Q->at + i * Q->cols : NULL;
    const constant k[] = {{"p", p, P->cols}, {"q", q, Q->cols}, {NULL, NULL, 0}};
    w->constants = k;
    const char *text = lm_arena_printf(&w->r->scratch, "%s + %s", sum(w, "p", p, "x", P->cols),
                                       q ? sum(w, "q", q, "u", Q->cols) : "0");
    int rc = set(w, lm_arena_printf(&w->r->scratch, "%s%d", part, i + 1), text);
    w->constants = NULL;
    return rc;
}

static int state_space(writer *w)
{
    const lm_spec_block *b = &w->b;
    const lm_yaml *inputs = lm_yaml_get(w->entry->value, "inputs", NULL);
    int rc = 0;
    for (int i = 0; i < b->ninputs; i++)
        rc |=
            copy_node(w, inputs->items[i], "inputs", lm_arena_printf(&w->r->scratch, "u%d", i + 1));
    for (int i = 0; i < b->a.rows; i++) rc |= matrix_row(w, "x", &b->a, &b->b, i);
    for (int i = 0; i < b->c.rows; i++) rc |= matrix_row(w, "y", &b->c, &b->d, i);
    return rc;
}

/* tau x' = u - x, or x' = x2/tau, tau x2' = u - x - 2 zeta x2. */
static int filter(writer *w)
{
    const lm_spec_block *b = &w->b;
    const constant k[] = {{"tau", &b->time_constant, 0}, {"zeta", &b->damping, 0}, {NULL, NULL, 0}};
    int rc = copy(w, "input", "input");
    w->constants = k;
    if (b->order == 1)
        rc |= set(w, NULL, "(input - self)/tau");
    else
        rc |= set(w, NULL, "x2/tau") | set(w, "x2", "(input - self - 2*zeta*x2)/tau");
    w->constants = NULL;
    return rc;
}

/* --- tables, switches, gains --- */

static int gain(writer *w)
{
    const constant k[] = {{"gain", &w->b.gain, 0}, {NULL, NULL, 0}};
    int rc = copy(w, "input", "input");
    w->constants = k;
    rc |= set(w, NULL, "gain*input");
    w->constants = NULL;
    return rc;
}

static int lookup(writer *w)
{
    const lm_spec_matrix *p = &w->b.points;
    lm_arena *a = &w->r->scratch;
    int n = p->rows, rc = copy(w, "input", "input");
    const constant k[] = {{"p", p->at, 2 * n}, {NULL, NULL, 0}};
    const char *x =
        w->b.spline ? lm_arena_printf(a, "min(max(input, p1), p%d)", 2 * n - 1) : "input";
    size_t size = strlen(x) + 20 + (size_t)n * 30, used = 0;
    char *text = lm_arena_alloc(a, size);
    used += (size_t)snprintf(text, size, "%s(%s", w->b.spline ? "spline" : "pwl", x);
    for (int i = 1; i <= 2 * n; i++) used += (size_t)snprintf(text + used, size - used, ", p%d", i);
    snprintf(text + used, size - used, ")");
    w->constants = k;
    rc |= set(w, NULL, text);
    w->constants = NULL;
    return rc;
}

/* The input stands in the update as it was written, so that instants at which it passes a threshold can
 * be found from the motion itself. It is compared with the threshold that can change the present value: the
 * other one is no event. */
static int relay(writer *w)
{
    const lm_spec_block *b = &w->b;
    const lm_yaml *node = lm_yaml_get(w->entry->value, "input", NULL);
    lm_expr e;
    if (copy(w, "input", NULL)) return -1; /* what is wrong with it is said at its place */
    double low = b->values.at[0], high = b->values.at[1];
    const char *text =
        lm_arena_printf(w->r->arena, "if((%s) %s if(%s %s %.17g, %.17g, %.17g), %.17g, %.17g)",
                        node->text, b->on >= b->off ? ">=" : "<=", w->entry->name,
                        high > low ? ">" : "<", 0.5 * (low + high), b->off, b->on, high, low);
    if (lm_read_expr_text(w->r, text, node->loc, LM_SCOPE_SENSORS, &e)) return -1;
    *equation_of(w, NULL) = e;
    return 0;
}

int lm_block_equations(lm_reader *r, const lm_named *entry, int i)
{
    writer w = {.r = r, .entry = entry, .block = i, .b = r->spec->blocks.at[i]};
    switch (w.b.type) {
    case LM_BLOCK_SIGNAL:
    case LM_BLOCK_SAMPLED: return copy(&w, "value", NULL);
    case LM_BLOCK_DELAY: return copy(&w, "input", NULL);
    case LM_BLOCK_GAIN: return gain(&w);
    case LM_BLOCK_INTEGRATOR: return integrator(&w);
    case LM_BLOCK_PID: return pid(&w);
    case LM_BLOCK_TRANSFER_FUNCTION: return transfer_function(&w);
    case LM_BLOCK_STATE_SPACE: return state_space(&w);
    case LM_BLOCK_FILTER: return filter(&w);
    case LM_BLOCK_LOOKUP: return lookup(&w);
    case LM_BLOCK_SWITCH: return relay(&w);
    }
    return 0;
}
