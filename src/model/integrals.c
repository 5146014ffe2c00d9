/* States that are integrals of the motion: x' is a sum of constants times rates of joint coordinates, of
 * positions and of distances, so that x follows them, x = x(0) + I(q) - I(q(0)). Where a mechanism is sought
 * at rest, such a state is a function of its position, as the displacement of a spring is. */
#include "model/power.h"

#include <string.h>

enum { REPLACED = 500 }; /* values in one expression, one inside the other */

static const lm_spec_sensor *sensor_at(const lm_spec *s, int slot)
{
    return slot == LM_SLOT_T ? NULL : &s->sensors.at[slot - 1];
}

/* The value behind a slot that has an equation of its own to put in; NULL: none. */
static const lm_spec_variable *value_at(const lm_spec *s, int slot)
{
    const lm_spec_sensor *q = sensor_at(s, slot);
    if (!q || q->kind != LM_SENSOR_VARIABLE) return NULL;
    const lm_spec_variable *v = &s->variables.at[q->variable];
    return v->kind == LM_VARIABLE_VALUE && !v->follows_motion ? v : NULL;
}

static int first_value(const lm_spec *s, const lm_expr *e)
{
    for (int i = 0; i < e->ninputs; i++)
        if (value_at(s, e->inputs[i])) return e->inputs[i];
    return 0;
}

/* Values in the expression are replaced by what they are. -1: a loop, or too long. */
static int expand(lm_reader *r, lm_expr *e)
{
    for (int n = 0, slot; (slot = first_value(r->spec, e)); n++) {
        const lm_spec_variable *v = value_at(r->spec, slot);
        lm_expr out;
        if (n == REPLACED || v->implicit || lm_expr_uses(&v->expr, slot) ||
            lm_expr_compose(r->arena, e, slot, &v->expr, &out))
            return -1;
        *e = out;
    }
    return 0;
}

/* The slot of what a rate is the rate of: its own for a value with an integral; 0: none is known. */
static int integral_slot(lm_reader *r, int slot)
{
    const lm_spec_sensor *q = sensor_at(r->spec, slot);
    if (!q) return 0;
    lm_spec_sensor of = *q;
    switch (q->kind) {
    case LM_SENSOR_RATE: of.kind = LM_SENSOR_JOINT; break;
    case LM_SENSOR_COORDINATE_RATE: of.kind = LM_SENSOR_COORDINATE; break;
    case LM_SENSOR_VEL:
        if (q->frame[1] >= 0) return 0;
        of.kind = LM_SENSOR_POS;
        break;
    case LM_SENSOR_VARIABLE: return r->spec->variables.at[q->variable].follows_motion ? slot : 0;
    default: return 0;
    }
    return lm_sensor_same(r, &of);
}

/* Sum of the integrals of the terms. 0; -1: one has none, or there is something beside rates. */
static int sum_up(lm_reader *r, const lm_expr *e, lm_linear *sum)
{
    if (e->constant || !e->ninputs || !lm_expr_is_affine(e)) return -1;
    int last = e->inputs[e->ninputs - 1];
    double *slots = LM_NEW_N(r->arena, double, (size_t)last + 1);
    double *grad = LM_NEW_N(r->arena, double, e->ninputs);
    double *scratch = LM_NEW_N(r->arena, double, (size_t)lm_expr_scratch(e, 1) + 1);
    *sum = lm_linear_constant(0);
    if (lm_expr_grad(e, slots, scratch, grad) != 0) return -1;
    for (int i = 0; i < e->ninputs; i++) {
        int slot = integral_slot(r, e->inputs[i]);
        if (!slot) return -1;
        *sum = lm_linear_sum(r, 1, *sum, grad[i], lm_linear_slot(r, slot));
    }
    return 0;
}

static int integrate(lm_reader *r, int k)
{
    lm_expr e = r->spec->variables.at[k].expr;
    lm_linear sum;
    if (expand(r, &e) || sum_up(r, &e, &sum)) return -1;
    lm_linear_expr(r, sum, r->spec->variables.at[k].name, &e);
    for (int i = 0; i < sum.n; i++) { /* distances */
        const lm_spec_sensor *q = sensor_at(r->spec, sum.term[i].slot);
        lm_expr out;
        if (q->kind != LM_SENSOR_VARIABLE) continue;
        if (lm_expr_compose(r->arena, &e, sum.term[i].slot,
                            &r->spec->variables.at[q->variable].integral, &out))
            return -1;
        e = out;
    }
    r->spec->variables.at[k].integral = e;
    return 0;
}

/* 1: the equation reads velocities of the mechanism, by other values too. */
static int reads_motion(const lm_spec *s, int k, unsigned char *seen)
{
    const lm_expr *e = &s->variables.at[k].expr;
    seen[k] = 1;
    for (int i = 0; i < e->ninputs; i++) {
        const lm_spec_sensor *q = sensor_at(s, e->inputs[i]);
        if (!q) continue;
        if (q->kind == LM_SENSOR_RATE || q->kind == LM_SENSOR_VEL || q->kind == LM_SENSOR_OMEGA ||
            q->kind == LM_SENSOR_COORDINATE_RATE)
            return 1;
        int other = q->kind == LM_SENSOR_VARIABLE ? q->variable : -1;
        if (other < 0 || seen[other] || s->variables.at[other].kind != LM_VARIABLE_VALUE) continue;
        if (reads_motion(s, other, seen)) return 1;
    }
    return 0;
}

void lm_integrate_variables(lm_reader *r)
{
    int n = r->spec->variables.n;
    unsigned char *seen = LM_NEW_N(r->arena, unsigned char, (size_t)n + 1);
    for (int k = 0; k < n; k++) {
        if (r->spec->variables.at[k].kind != LM_VARIABLE_STATE) continue;
        memset(seen, 0, (size_t)n);
        if (r->spec->variables.at[k].momentum || !reads_motion(r->spec, k, seen)) continue;
        r->spec->variables.at[k].follows_motion =
            integrate(r, k) ? LM_FOLLOWS_SOMEHOW : LM_FOLLOWS_INTEGRAL;
    }
}

/* ---- delays ---- */

enum { INSIDE = 2 }; /* the slot of what goes in, in the expression of what comes out */

static lm_symbol in_and_out(void *ctx, const char *name, double *value, int *slot)
{
    (void)ctx, (void)value;
    *slot = strcmp(name, "u") == 0 ? INSIDE : LM_SLOT_T;
    return LM_SYM_SLOT;
}

/* What comes out of a delay whose input u is a function of the time: u(t - T), and before that what stood in it. */
static int output_of(lm_reader *r, const lm_spec_delay *d, lm_expr *out)
{
    const lm_expr_env env = {.symbol = in_and_out};
    lm_diag quiet = {0};
    lm_expr then, late, frame;
    double zero = 0, *scratch = LM_NEW_N(r->arena, double, lm_expr_scratch(&d->input, 0) + 1);
    double before = d->has_initial ? d->initial : lm_expr_eval(&d->input, &zero, scratch);
    const char *shift = lm_arena_printf(r->arena, "t - %.17g", d->time);
    const char *text = lm_arena_printf(r->arena, "if(t < %.17g, %.17g, u)", d->time, before);
    return lm_expr_parse(r->arena, &quiet, &env, shift, d->input.loc, &then) ||
           lm_expr_parse(r->arena, &quiet, &env, text, d->input.loc, &frame) ||
           lm_expr_compose(r->arena, &d->input, LM_SLOT_T, &then, &late) ||
           lm_expr_compose(r->arena, &frame, INSIDE, &late, out);
}

/* The delay in a slot whose input is one of the time; NULL: none such. */
static const lm_spec_delay *timed_delay(const lm_spec *s, int slot)
{
    const lm_spec_sensor *q = sensor_at(s, slot);
    if (!q || q->kind != LM_SENSOR_DELAY) return NULL;
    return s->delays.at[q->state].of_time ? &s->delays.at[q->state] : NULL;
}

/* Delays of the time in the expression are replaced by what comes out of them. -1: that cannot be. */
static int expand_delays(lm_reader *r, lm_expr *e)
{
    for (int k = 0, n = 0; k < e->ninputs; k++) {
        const lm_spec_delay *d = timed_delay(r->spec, e->inputs[k]);
        lm_expr out, more;
        if (!d) continue;
        if (n++ == REPLACED || output_of(r, d, &out)) return -1;
        if (lm_expr_compose(r->arena, e, e->inputs[k], &out, &more)) return -1;
        *e = more;
        k = -1;
    }
    return 0;
}

static int find_timed(lm_reader *r, lm_spec_delay *d)
{
    lm_expr e = d->input;
    if (d->of_time || expand(r, &e) || expand_delays(r, &e)) return 0;
    int timed = e.ninputs == 0 || (e.ninputs == 1 && e.inputs[0] == LM_SLOT_T);
    if (!timed || lm_expr_reads_surface(&e)) return 0;
    d->input = e;
    return d->of_time = 1;
}

/* One after the other as far as that goes: what goes into a delay may come out of another. */
void lm_find_timed_delays(lm_reader *r)
{
    for (int found = 1; found;) {
        found = 0;
        for (int i = 0; i < r->spec->delays.n; i++) found |= find_timed(r, &r->spec->delays.at[i]);
    }
}
