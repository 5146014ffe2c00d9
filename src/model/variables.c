/* Variables: the rates of what an expression reads, where its own rate is wanted. */
#include "model/reader.h"

int lm_new_variable(lm_reader *r, const char *name, lm_loc loc, lm_variable_kind kind)
{
    lm_spec_variable v = {.name = name, .loc = loc, .kind = kind};
    lm_expr_constant(&v.expr, 0);
    lm_expr_constant(&v.integral, 0);
    *LM_PUSH(r->arena, &r->spec->variables) = v;
    return r->spec->variables.n - 1;
}

/* The kind of sensor that is the time derivative of another; -1: none is known. */
static int rate_kind(const lm_reader *r, const lm_spec_sensor *s)
{
    switch (s->kind) {
    case LM_SENSOR_JOINT: return LM_SENSOR_RATE;
    case LM_SENSOR_RATE: return LM_SENSOR_ACCEL;
    case LM_SENSOR_POS: return LM_SENSOR_VEL;
    case LM_SENSOR_VEL: return LM_SENSOR_ACC;
    case LM_SENSOR_OMEGA: return LM_SENSOR_ALPHA;
    case LM_SENSOR_COORDINATE: return LM_SENSOR_COORDINATE_RATE;
    case LM_SENSOR_VARIABLE:
        return r->spec->variables.at[s->variable].kind == LM_VARIABLE_STATE
                   ? LM_SENSOR_VARIABLE_RATE
                   : -1;
    default: return -1;
    }
}

/* Constant between steps: its rate is zero. */
static int is_held(lm_sensor_kind k) { return k == LM_SENSOR_STATE || k == LM_SENSOR_STEP; }

static int note_rates(lm_reader *r, lm_spec_variable *x)
{
    int *rate = LM_NEW_N(r->arena, int, x->expr.ninputs + 1);
    for (int i = 0; i < x->expr.ninputs; i++) {
        if (x->expr.inputs[i] == LM_SLOT_T) continue;
        lm_spec_sensor s = r->spec->sensors.at[x->expr.inputs[i] - 1];
        int kind = rate_kind(r, &s);
        if (kind < 0 || is_held(s.kind)) {
            lm_error(r->diag, x->loc,
                     "%s: the rate of '%s' is wanted, which depends on something whose rate is not "
                     "known",
                     x->name, x->expr.text ? x->expr.text : "an expression");
            return -1;
        }
        s.kind = (lm_sensor_kind)kind;
        rate[i] = lm_sensor_same(r, &s);
    }
    x->rate = rate;
    return 0;
}

void lm_finish_variables(lm_reader *r)
{
    for (int k = 0; k < r->spec->variables.n; k++)
        if (r->spec->variables.at[k].kind == LM_VARIABLE_RATE)
            note_rates(r, &r->spec->variables.at[k]);
}
