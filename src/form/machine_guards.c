/* Where variables change their branch: the guards (expr/expr.h) of their equations. */
#include "form/machine_int.h"

#include <stdio.h>

void machine_count_guards(machine *s)
{
    s->sys.nguards = s->in->form->guards ? s->in->nguards : 0;
    for (int k = 0; k < s->n; k++)
        s->sys.nguards += lm_expr_guard_count(&s->spec->variables.at[k].expr);
    if (s->in->form->guards) s->sys.nguards += s->nloops;
}

int machine_guards(lm_system *sys, const lm_state *st, double *out)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    s->loop_left = 0;
    int bad = s->in->form->guards(s->in, &in, out), at = s->in->nguards;
    const double *slots = s->in->form->ports->slots(s->in);
    for (int k = 0; k < s->n && !bad; k++) {
        const lm_expr *e = &s->spec->variables.at[k].expr;
        lm_expr_guards(e, slots, s->scratch, out + at);
        at += lm_expr_guard_count(e);
    }
    /* the values of a loop have no continuation where its branch turns back */
    for (int i = 0; i < s->nloops && !bad; i++) out[at + i] = s->loop_left == 1 + i ? -1 : 1;
    return bad;
}

const lm_expr *machine_guarded(const lm_system *sys, int k, int *first)
{
    const machine *s = (const machine *)sys;
    const lm_expr *e;
    int n = 0;
    while ((e = s->in->form->ports->guarded(s->in, n, first)) && n < k) n++;
    if (e) return e;
    *first = s->in->nguards;
    for (int i = 0; i < s->n; i++) {
        e = &s->spec->variables.at[i].expr;
        int count = lm_expr_guard_count(e);
        if (count && n++ == k) return e;
        *first += count;
    }
    return NULL;
}

enum { CHAIN = 20 }; /* values that follow from each other */

/* Whether a value follows from the time alone. */
static int is_timed(const lm_spec *spec, int k, int depth)
{
    const lm_spec_variable *v = &spec->variables.at[k];
    if (v->kind != LM_VARIABLE_VALUE || v->implicit || depth == CHAIN) return 0;
    for (int i = 0; i < v->expr.ninputs; i++) {
        int slot = v->expr.inputs[i];
        const lm_spec_sensor *s = slot > 0 ? &spec->sensors.at[slot - 1] : NULL;
        if (slot < 0 || (s && s->kind != LM_SENSOR_VARIABLE)) return 0;
        if (s && !is_timed(spec, s->variable, depth + 1)) return 0;
    }
    return 1;
}

static int is_forcing(const lm_spec *spec, int k)
{
    return lm_expr_bends(&spec->variables.at[k].expr) && !is_timed(spec, k, 0);
}

const lm_expr *machine_forcing(const lm_system *sys, int k)
{
    const machine *s = (const machine *)sys;
    const lm_expr *e;
    int n = 0;
    while ((e = s->in->form->ports->forcing(s->in, n)) && n < k) n++;
    for (int i = 0; i < s->n && !e; i++)
        if (is_forcing(s->spec, i) && n++ == k) e = &s->spec->variables.at[i].expr;
    return e;
}

void machine_describe_guard(const lm_system *sys, int i, char *text, size_t size)
{
    const machine *s = (const machine *)sys;
    if (i < s->in->nguards) {
        s->in->form->describe_guard(s->in, i, text, size);
        return;
    }
    int k = 0;
    for (i -= s->in->nguards; k < s->n; k++) {
        int n = lm_expr_guard_count(&s->spec->variables.at[k].expr);
        if (i < n) break;
        i -= n;
    }
    if (k == s->n) {
        snprintf(text, size, "branch of the loop through %s",
                 s->spec->variables.at[s->loop[i].member[0]].name);
        return;
    }
    const lm_spec_variable *x = &s->spec->variables.at[k];
    snprintf(text, size, "%s: %s", x->name, x->expr.text ? x->expr.text : "");
}
