/* The equations of the power graph, as variables.
 *
 * Causality says of every effort and flow which end of its bond gives it. So each is found by asking
 * that end: a source by its expression, a storage by its state, a resistance by its law, a junction
 * or a transformer by other bonds, and so on. Most answers are linear and are put into each other as
 * forms (power_linear.c); what is not linear, or long, becomes a variable. A question that comes back
 * to itself is an algebraic loop: the quantity becomes a variable whose equation has itself on the
 * right, and the solver finds it. */
#include "model/power.h"

#include <math.h>
#include <string.h>

enum {
    TERMS = 4,    /* longest form that is put into others */
    SUM = 200,    /* longest form at all */
    DEPTH = 100,  /* questions inside each other */
    LOOP_NEAR = 6 /* digits that a loop may cancel before it is left to the solver */
};

/* --- variables --- */

static const char *bond_name(const lm_equations *x, int bond)
{
    const lm_power_in *in = &x->r->power_in.at[x->bond_entry[bond]];
    if (bond == in->bond) return in->item.name;
    return lm_arena_printf(x->r->arena, "%s (to)", in->item.name);
}

static int region_of(const lm_equations *x, int bond)
{
    const lm_spec_bond *b = &x->s->bonds.at[bond];
    int from = lm_power_is_junction((int)x->s->elements.at[b->from].type);
    return x->region[from ? b->from : b->to];
}

int lm_power_unit(const lm_equations *x, int bond, int kind)
{
    int region = region_of(x, bond), domain = (int)x->s->elements.at[region].domain;
    int number = domain != LM_DOMAIN_NONE ? domain - 1 : LM_DOMAIN_THERMAL + x->rank[region];
    return 1 + LM_KINDS_Q * number + kind;
}

int lm_power_variable(const lm_equations *x, int bond, int kind, lm_variable_kind type)
{
    static const char *const words[] = {"effort", "flow", "displacement", "momentum", "power"};
    const lm_power_in *in = &x->r->power_in.at[x->bond_entry[bond]];
    const char *name = lm_arena_printf(x->r->arena, "%s %s", bond_name(x, bond), words[kind]);
    int k = lm_new_variable(x->r, name, in->item.loc, type);
    lm_domain domain = x->s->elements.at[region_of(x, bond)].domain;
    x->s->variables.at[k].unit = lm_power_unit(x, bond, kind);
    int mechanical = domain == LM_DOMAIN_ROTATION ? 1 : domain == LM_DOMAIN_TRANSLATION ? 2 : 0;
    x->s->variables.at[k].momentum = kind == LM_KIND_Q_MOMENTUM ? 1 + mechanical : 0;
    if (kind == LM_KIND_Q_DISPLACEMENT) x->s->variables.at[k].moves = mechanical;
    return k;
}

lm_linear lm_power_form(const lm_equations *x, int variable)
{
    return lm_linear_slot(x->r, lm_sensor_variable(x->r, variable, 0));
}

/* A variable that has this text as its equation. */
static lm_linear text_variable(const lm_equations *x, int bond, int kind, const char *text)
{
    int k = lm_power_variable(x, bond, kind, LM_VARIABLE_VALUE);
    lm_expr e;
    lm_power_expr(x->r, text, x->s->variables.at[k].name, &e);
    x->s->variables.at[k].expr = e;
    return lm_power_form(x, k);
}

void lm_power_set(const lm_equations *x, int variable, lm_linear form)
{
    lm_expr e;
    lm_linear_expr(x->r, form, x->s->variables.at[variable].name, &e);
    x->s->variables.at[variable].expr = e;
}

/* The slot of a form: its own, or that of a variable that is made for it. */
static int as_slot(const lm_equations *x, lm_linear form, int bond, int kind)
{
    int slot = lm_linear_is_slot(form);
    if (slot >= 0) return slot;
    return text_variable(x, bond, kind, lm_linear_text(x->r, form)).term[0].slot;
}

/* --- expressions of the user --- */

/* A linear expression as a form: 1, and 0 when it is not one. */
static int affine_form(const lm_equations *x, const lm_expr *e, lm_linear *out)
{
    lm_reader *r = x->r;
    *out = lm_linear_constant(e->value);
    if (e->constant) return 1;
    if (e->ninputs > TERMS || e->inputs[0] < 0 || !lm_expr_is_affine(e)) return 0;
    int last = e->inputs[e->ninputs - 1];
    double *slots = LM_NEW_N(r->arena, double, (size_t)last + 1), grad[TERMS];
    double *scratch = LM_NEW_N(r->arena, double, (size_t)lm_expr_scratch(e, 1) + 1);
    *out = lm_linear_constant(lm_expr_grad(e, slots, scratch, grad));
    for (int i = 0; i < e->ninputs; i++)
        *out = lm_linear_sum(r, 1, *out, grad[i], lm_linear_slot(r, e->inputs[i]));
    return 1;
}

/* The expression of a key, in which `own` stands for a slot; kind -1: it is a modulus. */
static lm_linear user_form(lm_equations *x, int bond, const char *key, const char *own,
                           int own_slot, int kind)
{
    lm_reader *r = x->r;
    int entry = x->bond_entry[bond];
    lm_where where;
    lm_expr e;
    lm_linear form;
    if (lm_enter(r, &r->power, &r->power.entries.at[entry], &where)) return lm_linear_constant(0);
    r->own_name = own;
    r->own_slot = own_slot;
    int rc = lm_power_read_law(r, entry, key, LM_SCOPE_SENSORS, &e);
    r->own_name = NULL;
    lm_leave(r, &r->power.entries.at[entry], rc);
    if (rc) return lm_linear_constant(0);
    if (affine_form(x, &e, &form)) return form;
    int k = lm_power_variable(x, bond, kind < 0 ? LM_KIND_Q_EFFORT : kind, LM_VARIABLE_VALUE);
    if (kind < 0) {
        x->s->variables.at[k].name =
            lm_arena_printf(r->arena, "%s %s", r->power_in.at[entry].item.name, key);
        x->s->variables.at[k].unit = 0;
    }
    x->s->variables.at[k].expr = e;
    return lm_power_form(x, k);
}

/* form times (or over) the modulus m, which may change in time. */
static lm_linear times_modulus(lm_equations *x, lm_linear m, lm_linear form, int divide, int bond,
                               int which)
{
    if (!m.n) return lm_linear_sum(x->r, divide ? 1 / m.c0 : m.c0, form, 0, m);
    const char *text = lm_arena_printf(x->r->arena, divide ? "%s/%s" : "%s*%s",
                                       lm_linear_text(x->r, form), lm_linear_text(x->r, m));
    return text_variable(x, bond, which, text);
}

/* --- elements --- */

/* A slot of the mechanism: rate(joint), vel(frame).x ... */
static lm_linear sensed(const lm_equations *x, const char *fn, const char *of,
                        const char *component, lm_loc loc)
{
    lm_sensor_call call = {.fn = fn, .args = {of}, .nargs = 1, .component = component, .loc = loc};
    int slot = 0;
    lm_sensor_slot(x->r, &call, &slot);
    return lm_linear_slot(x->r, slot);
}

/* Rate of the distance of two frames: (d . v)/|d| with d = x_b - x_a, v = v_b - v_a. */
static lm_linear distance_rate(const lm_equations *x, const lm_power_in *in)
{
    static const char *const axis[] = {"x", "y", "z"};
    lm_reader *r = x->r;
    const char *a = x->s->frames.at[in->between[0]].name, *b = x->s->frames.at[in->between[1]].name;
    const char *dot = "0", *square = "0";
    for (int i = 0; i < 3; i++) {
        lm_linear d = lm_linear_sum(r, 1, sensed(x, "pos", b, axis[i], in->item.loc), -1,
                                    sensed(x, "pos", a, axis[i], in->item.loc));
        lm_linear v = lm_linear_sum(r, 1, sensed(x, "vel", b, axis[i], in->item.loc), -1,
                                    sensed(x, "vel", a, axis[i], in->item.loc));
        const char *dt = lm_linear_text(r, d);
        dot = lm_arena_printf(r->arena, "%s+%s*%s", dot, dt, lm_linear_text(r, v));
        square = lm_arena_printf(r->arena, "%s+%s^2", square, dt);
    }
    lm_linear rate = text_variable(x, in->bond, LM_KIND_Q_FLOW,
                                   lm_arena_printf(r->arena, "(%s)/sqrt(%s)", dot, square));
    lm_spec_variable *v = &x->s->variables.at[x->s->sensors.at[rate.term[0].slot - 1].variable];
    v->follows_motion = LM_FOLLOWS_INTEGRAL;
    lm_power_expr(r, lm_arena_printf(r->arena, "sqrt(%s)", square), v->name, &v->integral);
    return rate;
}

static lm_linear port_flow(const lm_equations *x, const lm_power_in *in)
{
    static const char *const axis[] = {"x", "y", "z"};
    lm_reader *r = x->r;
    if (in->joint >= 0) {
        const lm_spec_joint *j = &x->s->joints.at[in->joint];
        int several = lm_joint_coord_count(j->type) > 1;
        return sensed(x, "rate", j->item.name,
                      several ? lm_coord_name(lm_joint_coord(j->type, in->coordinate)) : "",
                      in->item.loc);
    }
    if (in->frame < 0) return distance_rate(x, in);
    int torque = lm_power_has(in, "torque");
    lm_linear sum = lm_linear_constant(0);
    for (int i = 0; i < 3; i++) {
        double c = torque ? in->torque[i] : in->force[i];
        if (c == 0) continue;
        sum = lm_linear_sum(r, 1, sum, c,
                            sensed(x, torque ? "omega" : "vel", x->s->frames.at[in->frame].name,
                                   axis[i], in->item.loc));
    }
    return sum;
}

/* e = law(f) where f is asked for: the flow x that solves x = x + (e - law(x)). */
static lm_linear implicit_law(lm_equations *x, int bond, int which, const char *key,
                              const char *own)
{
    lm_quantity *q = &x->q[2 * bond + which];
    if (q->variable < 0) q->variable = lm_power_variable(x, bond, which, LM_VARIABLE_VALUE);
    int slot = lm_sensor_variable(x->r, q->variable, 0);
    lm_linear law = user_form(x, bond, key, own, slot, !which);
    lm_linear given = lm_power_get(x, bond, !which);
    double c = lm_linear_coefficient(law, slot);
    lm_linear rest = lm_linear_sum(x->r, 1, given, -1, lm_linear_without(x->r, law, slot));
    if (c != 0) return lm_linear_sum(x->r, 1 / c, rest, 0, rest);
    return lm_linear_sum(x->r, 1, lm_linear_slot(x->r, slot), 1, rest);
}

static lm_linear resistance(lm_equations *x, const lm_power_in *in, int which)
{
    lm_reader *r = x->r;
    int b = in->bond;
    if (lm_power_has(in, "resistance")) {
        lm_linear R = user_form(x, b, "resistance", NULL, 0, -1);
        if (which == LM_POWER_FLOW && !R.n && R.c0 == 0) {
            lm_error(r->diag, in->item.loc,
                     "R '%s' has resistance 0 and is given its effort, so that its flow is "
                     "infinite; remove it or give it a resistance",
                     in->item.name);
            x->failed = 1;
            return lm_linear_constant(0);
        }
        return times_modulus(x, R, lm_power_get(x, b, !which), which == LM_POWER_FLOW, b, which);
    }
    int gives = lm_power_has(in, "effort") ? LM_POWER_EFFORT : LM_POWER_FLOW;
    const char *key = gives == LM_POWER_EFFORT ? "effort" : "flow";
    const char *own = gives == LM_POWER_EFFORT ? "f" : "e";
    if (gives != which) return implicit_law(x, b, which, key, own);
    int slot = as_slot(x, lm_power_get(x, b, !which), b, !which);
    return user_form(x, b, key, own, slot, which);
}

double lm_power_slope(const lm_power_in *in)
{
    if (in->type == LM_ELEMENT_I) return lm_power_has(in, "inertia") ? 1 / in->inertia : 0;
    if (lm_power_has(in, "capacitance")) return 1 / in->capacitance;
    return lm_power_has(in, "stiffness") ? in->stiffness : 0;
}

/* The effort of a C, the flow of an I by its state; in derivative causality the other one, which is
 * the rate of the state: d(C e)/dt, d(I f)/dt. */
static lm_linear storage(lm_equations *x, const lm_power_in *in, int which)
{
    lm_reader *r = x->r;
    const lm_spec_element *e = &x->s->elements.at[in->element];
    double slope = lm_power_slope(in);
    int is_c = in->type == LM_ELEMENT_C;
    if (!e->derivative) {
        int slot = lm_sensor_variable(r, e->state, 0);
        if (slope == 0)
            return user_form(x, in->bond, is_c ? "effort" : "flow", is_c ? "q" : "p", slot, which);
        return lm_linear_sum(r, slope, lm_linear_slot(r, slot), 0, lm_linear_constant(0));
    }
    if (slope == 0) {
        lm_error(r->diag, in->item.loc,
                 "the %s of %s is set by other elements (derivative causality), which only a "
                 "linear law allows; put a small R %s, or make it linear",
                 is_c ? "effort" : "flow", lm_power_title(r, in->element),
                 is_c ? "in series with it" : "beside it on a 0-junction");
        x->failed = 1;
        return lm_linear_constant(0);
    }
    lm_linear state = lm_power_get(x, in->bond, !which);
    state = lm_linear_sum(r, 1 / slope, state, 0, state);
    int k = lm_power_variable(x, in->bond, which, LM_VARIABLE_RATE);
    *LM_PUSH(r->arena, &x->rates) = (lm_rate){k, in->element, state};
    return lm_power_form(x, k);
}

/* What one side of a TF or GY says of bond `side`, from the other side:
 *     TF  e0 = m e1, f1 = m f0      GY  e0 = r f1, e1 = r f0 */
static lm_linear two_port(lm_equations *x, const lm_power_in *in, int bond, int which)
{
    lm_modulus *m = &x->modulus[x->bond_entry[bond]];
    int side = bond != in->bond, other = in->bond + !side;
    if (!m->known) m->form = user_form(x, in->bond, "modulus", NULL, 0, -1);
    m->known = 1;
    int effort = which == LM_POWER_EFFORT;
    if (in->type == LM_ELEMENT_GY)
        return times_modulus(x, m->form, lm_power_get(x, other, !which), !effort, bond, which);
    int divide = effort ? side == 1 : side == 0;
    return times_modulus(x, m->form, lm_power_get(x, other, which), divide, bond, which);
}

/* The effort (flow) on one bond of a 1-junction (0-junction) from those on the others: with bonds
 * that point to it counted +, the sum is zero. */
static lm_linear balance(lm_equations *x, int junction, int bond, int which)
{
    const lm_spec_element *e = &x->s->elements.at[junction];
    int own = x->s->bonds.at[bond].to == junction ? 1 : -1;
    lm_linear sum = lm_linear_constant(0);
    for (int i = 0; i < e->nbonds; i++) {
        int b = e->bond[i];
        if (b == bond) continue;
        int sign = x->s->bonds.at[b].to == junction ? 1 : -1;
        sum = lm_linear_sum(x->r, 1, sum, -sign * own, lm_power_get(x, b, which));
        if (sum.n > SUM) sum = text_variable(x, bond, which, lm_linear_text(x->r, sum));
    }
    return sum;
}

/* What the end that gives it says. */
static lm_linear ask(lm_equations *x, int bond, int which)
{
    int giver = lm_bond_giver(&x->s->bonds.at[bond], which);
    const lm_spec_element *e = &x->s->elements.at[giver];
    const lm_power_in *in = &x->r->power_in.at[x->entry[giver]];
    switch (e->type) {
    case LM_ELEMENT_SE: return user_form(x, bond, "effort", NULL, 0, LM_KIND_Q_EFFORT);
    case LM_ELEMENT_SF: return user_form(x, bond, "flow", NULL, 0, LM_KIND_Q_FLOW);
    case LM_ELEMENT_R: return resistance(x, in, which);
    case LM_ELEMENT_C:
    case LM_ELEMENT_I: return storage(x, in, which);
    case LM_ELEMENT_TF:
    case LM_ELEMENT_GY: return two_port(x, in, bond, which);
    case LM_ELEMENT_PORT: return port_flow(x, in);
    default: break;
    }
    int shared = e->type == LM_ELEMENT_ONE ? LM_POWER_FLOW : LM_POWER_EFFORT;
    return which == shared ? lm_power_get(x, x->strong[giver], which)
                           : balance(x, giver, bond, which);
}

/* --- questions --- */

/* The equation of a variable that may stand on both sides: with a constant factor, x = a x + b, it is
 * b/(1 - a), and with the factor 1 the one that makes b zero. */
static void set_variable(const lm_equations *x, int variable, lm_linear form, int slot)
{
    lm_spec_variable *v = &x->s->variables.at[variable];
    double a = lm_linear_coefficient(form, slot);
    lm_linear rest = lm_linear_without(x->r, form, slot);
    int one = fabs(1 - a) < pow(10, -LOOP_NEAR) * fmax(1, fabs(a));
    if (a != 0 && !one) form = lm_linear_sum(x->r, 1 / (1 - a), rest, 0, rest);
    lm_power_set(x, variable, form);
    v->implicit = one;
    if (one) lm_linear_expr(x->r, rest, v->name, &v->rest);
}

static lm_linear find(lm_equations *x, int bond, int which)
{
    lm_quantity *q = &x->q[2 * bond + which];
    q->progress = LM_BEING_FOUND;
    x->depth++;
    lm_linear form = ask(x, bond, which);
    x->depth--;
    if (q->variable < 0 && form.n > TERMS)
        q->variable = lm_power_variable(x, bond, which, LM_VARIABLE_VALUE);
    if (q->variable >= 0) {
        int slot = lm_sensor_variable(x->r, q->variable, 0);
        set_variable(x, q->variable, form, slot);
        form = lm_linear_slot(x->r, slot);
    }
    q->form = form;
    q->progress = LM_FOUND;
    return form;
}

lm_linear lm_power_get(lm_equations *x, int bond, int which)
{
    lm_quantity *q = &x->q[2 * bond + which];
    if (q->progress == LM_FOUND) return q->form;
    if (q->progress == LM_ASKED_NEVER && x->depth < DEPTH) return find(x, bond, which);
    if (q->variable < 0) {
        q->variable = lm_power_variable(x, bond, which, LM_VARIABLE_VALUE);
        if (q->progress == LM_ASKED_NEVER) *LM_PUSH(x->r->arena, &x->pending) = 2 * bond + which;
    }
    return lm_power_form(x, q->variable);
}

void lm_power_find_pending(lm_equations *x)
{
    for (int i = 0; i < x->pending.n; i++) {
        int k = x->pending.at[i];
        if (x->q[k].progress == LM_ASKED_NEVER) find(x, k / 2, k % 2);
    }
    x->pending.n = 0;
}
