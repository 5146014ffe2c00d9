/* Rates of storages in derivative causality.
 *
 * The rate of an expression of t, states and the mechanism's positions and velocities is known by the
 * chain rule. Values are not differentiated by the solver; so their own equations take their place,
 * until none is left. */
#include "model/power.h"

enum { REPLACED = 500 }; /* values in one expression, one inside the other */

static const lm_spec_sensor *sensor_at(const lm_spec *s, int slot)
{
    return slot >= 1 && slot <= s->sensors.n ? &s->sensors.at[slot - 1] : NULL;
}

/* 1: the rate of such a sensor is known. */
static int has_rate(const lm_spec *s, const lm_spec_sensor *q)
{
    switch (q->kind) {
    case LM_SENSOR_POS:
    case LM_SENSOR_VEL:
    case LM_SENSOR_OMEGA: return q->frame[1] < 0;
    case LM_SENSOR_JOINT:
    case LM_SENSOR_RATE:
    case LM_SENSOR_COORDINATE: return 1;
    case LM_SENSOR_VARIABLE: return s->variables.at[q->variable].kind == LM_VARIABLE_STATE;
    default: return 0;
    }
}

static int refuse(lm_reader *r, int element, const char *why, const char *what)
{
    const lm_spec_element *e = &r->spec->elements.at[element];
    int is_c = e->type == LM_ELEMENT_C;
    lm_error(r->diag, e->item.loc,
             "the %s of %s is set by other elements (derivative causality), and its rate is not "
             "known: it depends on %s%s%s%s; put a small R or C between them",
             is_c ? "effort" : "flow", lm_power_title(r, element), what ? "'" : "",
             what ? what : "", what ? "', " : "", why);
    return -1;
}

/* The first input without a rate: its slot, or 0. */
static int first_without(const lm_spec *s, const lm_expr *e)
{
    for (int i = 0; i < e->ninputs; i++) {
        const lm_spec_sensor *q = sensor_at(s, e->inputs[i]);
        if (q && !has_rate(s, q)) return e->inputs[i];
    }
    return 0;
}

int lm_power_expand_rate(lm_reader *r, int element, lm_expr *e)
{
    lm_spec *s = r->spec;
    const char *name = e->text;
    for (int n = 0, slot; (slot = first_without(s, e)); n++) {
        const lm_spec_sensor *q = sensor_at(s, slot);
        if (q->kind != LM_SENSOR_VARIABLE)
            return refuse(r, element, "a sensor that is no position or velocity", NULL);
        const lm_spec_variable *v = &s->variables.at[q->variable];
        if (v->kind == LM_VARIABLE_RATE)
            return refuse(r, element, "which is a rate itself", v->name);
        lm_expr out;
        if (n == REPLACED || lm_expr_uses(&v->expr, slot) ||
            lm_expr_compose(r->arena, e, slot, &v->expr, &out))
            return refuse(r, element, "which is part of an algebraic loop", v->name);
        *e = out;
    }
    e->text = name;
    return 0;
}
