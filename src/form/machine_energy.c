/* Energies of a machine: those of the mechanism, what sources of the power graph give, what its
 * resistances take, what its storages hold. */
#include "form/machine_int.h"

#include <math.h>

/* Effort times flow of an element, at the values last sensed. */
static double power_of(machine *s, int element, const double *slots)
{
    const lm_spec_element *e = &s->spec->elements.at[element];
    return lm_expr_eval(&e->effort[0], slots, s->scratch) *
           lm_expr_eval(&e->flow[0], slots, s->scratch);
}

/* Integral of the law by Lobatto's rule with five points, exact for laws up to the seventh power. It sees the
 * ends, behind which a law may have turned. */
static double integral(machine *s, const lm_expr *law, double from, double to)
{
    static const double at[3] = {0, 0.65465367070797709, 1};
    static const double weight[3] = {32. / 45, 49. / 90, 0.1};
    double slots[2] = {0, 0}, half = 0.5 * (to - from), sum = 0;
    for (int i = 0; i < 3; i++)
        for (int side = -1; side <= (i ? 1 : -1); side += 2) {
            slots[LM_SLOT_S] = from + half * (1 + side * at[i]);
            sum += weight[i] * half * lm_expr_eval(law, slots, s->scratch);
        }
    return sum;
}

/* Halves until both agree with the whole within `off`; at the corner of a law only the piece with the corner. */
static double stored_between(machine *s, const lm_expr *law, double from, double to, double whole,
                             double off, int depth)
{
    double middle = 0.5 * (from + to);
    double one = integral(s, law, from, middle), two = integral(s, law, middle, to);
    if (depth == 0 || !(fabs(one + two - whole) > off)) return one + two;
    return stored_between(s, law, from, middle, one, off, depth - 1) +
           stored_between(s, law, middle, to, two, off, depth - 1);
}

static double stored(machine *s, const lm_expr *law, double x)
{
    const double middle[2] = {0, 0.5 * x}, end[2] = {0, x};
    if (lm_expr_is_affine(law)) return x * lm_expr_eval(law, middle, s->scratch);
    double size = fabs(x) * (fabs(lm_expr_eval(law, middle, s->scratch)) +
                             fabs(lm_expr_eval(law, end, s->scratch)));
    return stored_between(s, law, 0, x, integral(s, law, 0, x), 1e-14 * size, 40);
}

/* Displacement or momentum of a storage: that of its state. In derivative causality, where laws are linear,
 * it follows from the effort or flow that it is given. */
static double held(machine *s, const lm_spec_element *e, const double *slots)
{
    const double one[2] = {0, 1};
    if (e->state >= 0) return s->x[e->state];
    const lm_expr *given = e->type == LM_ELEMENT_C ? &e->effort[0] : &e->flow[0];
    return lm_expr_eval(given, slots, s->scratch) / lm_expr_eval(&e->law, one, s->scratch);
}

int machine_energy(lm_system *sys, const lm_state *st, lm_energy *e)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    int bad = s->in->form->energy(s->in, &in, e);
    const double *slots = s->in->form->ports->slots(s->in);
    for (int i = 0; i < s->spec->elements.n && !bad; i++) {
        const lm_spec_element *x = &s->spec->elements.at[i];
        switch (x->type) {
        case LM_ELEMENT_SE:
        case LM_ELEMENT_SF: e->power += power_of(s, i, slots); break;
        case LM_ELEMENT_R: e->dissipation += power_of(s, i, slots); break;
        case LM_ELEMENT_C:
        case LM_ELEMENT_I:
            if (sys->power_only) break;
            double energy = stored(s, &x->law, held(s, x, slots));
            e->stored += energy;
            e->largest = fmax(e->largest, energy);
            break;
        default: break;
        }
    }
    return bad;
}

int machine_powers(lm_system *sys, const lm_state *st, double *out)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    lm_energy e;
    s->in->power_only = 1; /* what is wanted are the sensors that this reads */
    int bad = s->in->form->energy(s->in, &in, &e);
    s->in->power_only = sys->power_only;
    const double *slots = s->in->form->ports->slots(s->in);
    for (int i = 0; i < s->spec->elements.n; i++) {
        lm_element_type type = s->spec->elements.at[i].type;
        int junction = type == LM_ELEMENT_ZERO || type == LM_ELEMENT_ONE;
        out[i] = bad || junction ? 0 : power_of(s, i, slots);
    }
    return bad;
}
