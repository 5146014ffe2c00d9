/* Rates of storages in derivative causality, x = d(f)/dt: what f is, and who feels x. Where f jumps, x is an
 * impulse (docs/theory/machine.md). */
#include "form/machine_int.h"

#include <string.h>

static int is_rate(const machine *s, int k)
{
    return s->spec->variables.at[k].kind == LM_VARIABLE_RATE;
}

/* The sensors at the state. 1: it cannot be evaluated. */
static int sense(machine *s, const lm_state *st)
{
    lm_state in = machine_enter(s, st);
    return s->in->form->residual(s->in, &in, s->track_r, s->track_r + s->in->nv, NULL) != 0;
}

int lm_machine_rated(lm_system *sys, const lm_state *st, double *out)
{
    machine *s = (machine *)sys;
    if (sense(s, st)) return 1;
    const double *slots = s->in->form->ports->slots(s->in);
    for (int k = 0; k < s->n; k++)
        out[k] =
            is_rate(s, k) ? lm_expr_eval(&s->spec->variables.at[k].expr, slots, s->scratch) : 0;
    return 0;
}

int lm_machine_rate_guard_count(const lm_system *sys)
{
    const machine *s = (const machine *)sys;
    int n = 0;
    for (int k = 0; k < s->n; k++)
        if (is_rate(s, k)) n += lm_expr_guard_count(&s->spec->variables.at[k].expr);
    return n;
}

int lm_machine_rate_guards(lm_system *sys, const lm_state *st, double *out)
{
    machine *s = (machine *)sys;
    if (sense(s, st)) return 1;
    const double *slots = s->in->form->ports->slots(s->in);
    for (int k = 0; k < s->n; k++) {
        const lm_expr *e = &s->spec->variables.at[k].expr;
        if (!is_rate(s, k)) continue;
        lm_expr_guards(e, slots, s->scratch, out);
        out += lm_expr_guard_count(e);
    }
    return 0;
}

/* 1: the equation of variable k reads one that feels the impulse. */
static int reads_felt(const machine *s, int k)
{
    const machine_row *row = &s->row[k];
    for (int i = 0; i < row->nterms; i++) {
        const machine_term *t = &row->term[i];
        if ((t->kind == TERM_VALUE || t->kind == TERM_RATE) && s->felt[t->of]) return 1;
    }
    return 0;
}

int lm_machine_acts(lm_system *sys, int k)
{
    machine *s = (machine *)sys;
    memset(s->felt, 0, (size_t)s->n);
    s->felt[k] = 1;
    for (int more = 1; more;) {
        more = 0;
        for (int i = 0; i < s->n; i++) {
            if (s->felt[i] || !reads_felt(s, i)) continue;
            if (s->spec->variables.at[i].kind == LM_VARIABLE_STATE) return 1;
            s->felt[i] = 1;
            more = 1;
        }
    }
    for (int i = 0; i < s->npushes; i++)
        if (s->felt[s->push[i].variable]) return 1;
    return 0;
}

void lm_machine_set_impulse(lm_system *sys, const double *impulse)
{
    ((machine *)sys)->impulse = impulse;
}
