/* From the graph with its causality to the spec: states and their equations, what sensors ask for,
 * elements, and efforts on the mechanism. */
#include "model/power.h"

#include <math.h>

static void set_up(lm_equations *x, lm_reader *r, const int *region)
{
    lm_spec *s = r->spec;
    size_t ne = (size_t)s->elements.n, nb = (size_t)s->bonds.n;
    int unnamed = 0;
    *x = (lm_equations){.r = r, .s = s, .region = region};
    x->rank = LM_NEW_N(r->arena, int, ne + 1);
    x->strong = LM_NEW_N(r->arena, int, ne + 1);
    x->entry = LM_NEW_N(r->arena, int, ne + 1);
    x->bond_entry = LM_NEW_N(r->arena, int, nb + 1);
    x->q = LM_NEW_N(r->arena, lm_quantity, 2 * nb + 1);
    x->modulus = LM_NEW_N(r->arena, lm_modulus, (size_t)r->power_in.n + 1);
    for (int i = 0; i < 2 * s->bonds.n; i++) x->q[i].variable = -1;
    for (int k = 0; k < r->power_in.n; k++) {
        const lm_power_in *in = &r->power_in.at[k];
        if (in->element >= 0) x->entry[in->element] = k;
        if (in->bond >= 0) x->bond_entry[in->bond] = k;
        if (in->bond >= 0 && in->from >= 0 && in->element >= 0) x->bond_entry[in->bond + 1] = k;
    }
    for (int i = 0; i < s->elements.n; i++) {
        const lm_spec_element *e = &s->elements.at[i];
        if (region[i] == i && e->domain == LM_DOMAIN_NONE) x->rank[i] = unnamed++;
        int shared = e->type == LM_ELEMENT_ONE ? LM_POWER_FLOW : LM_POWER_EFFORT;
        for (int b = 0; b < e->nbonds; b++)
            if (lm_bond_giver(&s->bonds.at[e->bond[b]], shared) != i) x->strong[i] = e->bond[b];
    }
}

/* --- states --- */

static int is_storage(const lm_power_in *in)
{
    return in->type == LM_ELEMENT_C || in->type == LM_ELEMENT_I;
}

static void make_states(lm_equations *x)
{
    lm_reader *r = x->r;
    for (int k = 0; k < r->power_in.n; k++) {
        const lm_power_in *in = &r->power_in.at[k];
        if (!is_storage(in)) continue;
        lm_spec_element *e = &x->s->elements.at[in->element];
        double slope = lm_power_slope(in);
        int is_c = in->type == LM_ELEMENT_C;
        if (slope == 0)
            e->law = in->law;
        else
            lm_linear_expr(
                r, lm_linear_sum(r, slope, lm_linear_slot(r, LM_SLOT_S), 0, lm_linear_constant(0)),
                is_c ? "q/C" : "p/I", &e->law);
        if (e->derivative) continue;
        e->state = lm_power_variable(
            x, in->bond, is_c ? LM_KIND_Q_DISPLACEMENT : LM_KIND_Q_MOMENTUM, LM_VARIABLE_STATE);
        x->s->variables.at[e->state].initial = in->initial;
    }
}

/* q' = f, p' = e */
static void make_state_equations(lm_equations *x)
{
    for (int k = 0; k < x->r->power_in.n; k++) {
        const lm_power_in *in = &x->r->power_in.at[k];
        if (!is_storage(in) || x->s->elements.at[in->element].derivative) continue;
        int which = in->type == LM_ELEMENT_C ? LM_POWER_FLOW : LM_POWER_EFFORT;
        lm_linear form = lm_power_get(x, in->bond, which);
        lm_power_set(x, x->s->elements.at[in->element].state, form);
    }
}

/* --- sensors --- */

static int refuse(const lm_equations *x, const lm_power_request *q, const char *why)
{
    static const char *const words[] = {"effort", "flow", "power", "state"};
    const char *name = x->r->power_in.at[q->entry].item.name;
    lm_error(x->r->diag, q->loc, "%s(%s): %s", words[q->what], name, why);
    return -1;
}

/* The bond that is asked about, or -1 after an error. */
static int asked_bond(const lm_equations *x, const lm_power_request *q)
{
    const lm_power_in *in = &x->r->power_in.at[q->entry];
    if (q->what == LM_POWER_STATE) {
        if (is_storage(in)) return in->bond;
        return refuse(x, q, "only a C (displacement) and an I (momentum) have a state");
    }
    if (in->element < 0 || !lm_power_is_junction(in->type)) return in->bond;
    int shared = in->type == LM_ELEMENT_ONE ? LM_POWER_FLOW : LM_POWER_EFFORT;
    if (q->what == shared) return x->s->elements.at[in->element].bond[0];
    return refuse(x, q,
                  in->type == LM_ELEMENT_ONE
                      ? "the bonds of a 1-junction have one flow, but different efforts; name one "
                        "of the elements on it"
                      : "the bonds of a 0-junction have one effort, but different flows; name one "
                        "of the elements on it");
}

static lm_linear state_form(lm_equations *x, const lm_power_in *in)
{
    const lm_spec_element *e = &x->s->elements.at[in->element];
    if (!e->derivative) return lm_power_form(x, e->state);
    lm_linear f =
        lm_power_get(x, in->bond, in->type == LM_ELEMENT_C ? LM_POWER_EFFORT : LM_POWER_FLOW);
    return lm_linear_sum(x->r, 1 / lm_power_slope(in), f, 0, f);
}

static void answer(lm_equations *x, const lm_power_request *q)
{
    static const int kinds[] = {LM_KIND_Q_EFFORT, LM_KIND_Q_FLOW, LM_KIND_Q_POWER};
    lm_reader *r = x->r;
    const lm_power_in *in = &r->power_in.at[q->entry];
    int bond = asked_bond(x, q);
    if (bond < 0) return;
    lm_spec_variable *v = &x->s->variables.at[q->variable];
    int is_c = in->type == LM_ELEMENT_C;
    v->unit = lm_power_unit(x, bond,
                            q->what != LM_POWER_STATE ? kinds[q->what]
                            : is_c                    ? LM_KIND_Q_DISPLACEMENT
                                                      : LM_KIND_Q_MOMENTUM);
    if (q->what == LM_POWER_STATE) {
        lm_power_set(x, q->variable, state_form(x, in));
    } else if (q->what != LM_POWER_PRODUCT) {
        lm_power_set(x, q->variable, lm_power_get(x, bond, q->what));
    } else {
        lm_expr e;
        const char *effort = lm_linear_text(r, lm_power_get(x, bond, LM_POWER_EFFORT));
        const char *flow = lm_linear_text(r, lm_power_get(x, bond, LM_POWER_FLOW));
        lm_power_expr(r, lm_arena_printf(r->arena, "%s*%s", effort, flow),
                      x->s->variables.at[q->variable].name, &e);
        x->s->variables.at[q->variable].expr = e;
    }
}

/* --- elements and ports --- */

static void fill_elements(lm_equations *x)
{
    lm_reader *r = x->r;
    for (int i = 0; i < x->s->elements.n; i++) {
        lm_spec_element *e = &x->s->elements.at[i];
        for (int k = 0; k < 2; k++) {
            lm_expr_constant(&e->effort[k], 0);
            lm_expr_constant(&e->flow[k], 0);
        }
        if (lm_power_is_junction((int)e->type)) continue;
        for (int k = 0; k < e->nbonds; k++) {
            lm_linear effort = lm_power_get(x, e->bond[k], LM_POWER_EFFORT);
            lm_linear flow = lm_power_get(x, e->bond[k], LM_POWER_FLOW);
            lm_power_find_pending(x);
            lm_linear_expr(r, effort, e->item.name, &e->effort[k]);
            lm_linear_expr(r, flow, e->item.name, &e->flow[k]);
        }
    }
}

/* Several ports may act on one coordinate: their efforts add up. */
static void joint_port(lm_equations *x, const lm_power_in *in, lm_linear effort, lm_linear *sums)
{
    lm_spec_coord *c = &x->s->joints.at[in->joint].coord[in->coordinate];
    lm_linear *sum = &sums[in->joint * LM_JOINT_COORDS + in->coordinate];
    *sum = c->has_port ? lm_linear_sum(x->r, 1, *sum, 1, effort) : effort;
    c->has_port = 1;
    lm_linear_expr(x->r, *sum, in->item.name, &c->port);
}

static void frame_port(lm_equations *x, const lm_power_in *in, lm_linear effort)
{
    lm_reader *r = x->r;
    int torque = lm_power_has(in, "torque");
    lm_spec_load l = {.item = in->item, .frame = in->frame, .port = 1};
    l.has_torque = torque;
    l.has_force = !torque;
    for (int i = 0; i < 3; i++) {
        double d = torque ? in->torque[i] : in->force[i];
        lm_expr *on = torque ? l.torque : l.force, *off = torque ? l.force : l.torque;
        lm_linear_expr(r, lm_linear_sum(r, d, effort, 0, effort), in->item.name, &on[i]);
        lm_expr_constant(&off[i], 0);
    }
    x->s->elements.at[in->element].load = x->s->loads.n;
    *LM_PUSH(r->arena, &x->s->loads) = l;
}

static void distance_port(lm_equations *x, const lm_power_in *in, lm_linear effort)
{
    lm_spec_force f = {.item = in->item,
                       .type = LM_FORCE_SPRING,
                       .frame = {in->between[0], in->between[1]},
                       .length = NAN,
                       .has_port = 1};
    lm_linear_expr(x->r, effort, in->item.name, &f.port);
    x->s->elements.at[in->element].force = x->s->forces.n;
    *LM_PUSH(x->r->arena, &x->s->forces) = f;
}

static void fill_ports(lm_equations *x)
{
    lm_reader *r = x->r;
    lm_linear *sums = LM_NEW_N(r->arena, lm_linear, (size_t)x->s->joints.n * LM_JOINT_COORDS + 1);
    for (int k = 0; k < r->power_in.n; k++) {
        const lm_power_in *in = &r->power_in.at[k];
        if (in->type != LM_ELEMENT_PORT) continue;
        lm_linear effort = lm_power_get(x, in->bond, LM_POWER_EFFORT);
        if (in->joint >= 0)
            joint_port(x, in, effort, sums);
        else if (in->frame >= 0)
            frame_port(x, in, effort);
        else
            distance_port(x, in, effort);
    }
}

/* The rates of storages in derivative causality, when all values have their equations. */
static int fill_rates(lm_equations *x)
{
    int rc = 0;
    for (int i = 0; i < x->rates.n; i++) {
        const lm_rate *d = &x->rates.at[i];
        lm_expr e;
        lm_linear_expr(x->r, d->form, x->s->variables.at[d->variable].name, &e);
        if (lm_power_expand_rate(x->r, d->element, &e)) {
            lm_expr_constant(&e, 0);
            rc = -1;
        }
        x->s->variables.at[d->variable].expr = e;
    }
    return rc;
}

void lm_power_equations(lm_reader *r, const int *region)
{
    lm_equations x;
    int first = r->spec->variables.n, errors = r->diag->errors;
    set_up(&x, r, region);
    make_states(&x);
    make_state_equations(&x);
    fill_elements(&x);
    for (int i = 0; i < r->power_requests.n; i++) answer(&x, &r->power_requests.at[i]);
    lm_power_find_pending(&x);
    fill_ports(&x);
    if (x.failed || r->diag->errors > errors || fill_rates(&x)) return;
    lm_power_check(r, first);
}
