/* Where forces change their branch: the guards (expr/expr.h) of efforts, of loads, and of the updates of
 * states on which forces depend. */
#include "form/nodal.h"

#include <stdio.h>

enum { EFFORT, FORCE, TORQUE, UPDATE };

static void add(nodal *s, const lm_expr *e, int of, int index)
{
    int n = lm_expr_guard_count(e);
    if (!n) return;
    s->guarded[s->nguarded++] =
        (nodal_guarded){.e = e, .first = s->sys.nguards, .of = of, .index = index};
    s->sys.nguards += n;
}

static void add_forces(nodal *s)
{
    for (int k = 0; k < s->m->nactions; k++)
        if (s->m->actions[k].effort) add(s, s->m->actions[k].effort, EFFORT, k);
    for (int k = 0; k < s->nloads; k++) {
        const lm_spec_load *l = s->load[k].spec;
        for (int i = 0; i < 3; i++) {
            if (l->has_force) add(s, &l->force[i], FORCE, k);
            if (l->has_torque) add(s, &l->torque[i], TORQUE, k);
        }
    }
}

/* States that forces read, switches, and those that these are made of. */
static void follow_states(const nodal *s, unsigned char *wanted)
{
    const lm_spec *spec = s->m->spec;
    for (int i = 0; i < spec->states.n; i++)
        wanted[i] = s->sys.discrete->forces[i] || spec->states.at[i].at_start;
    for (int found = 1; found;) {
        found = 0;
        for (int i = 0; i < spec->states.n; i++) {
            const lm_expr *e = &spec->states.at[i].update;
            if (!wanted[i] || !spec->states.at[i].has_update) continue;
            for (int k = 0; k < e->ninputs; k++) {
                const lm_spec_sensor *c =
                    e->inputs[k] > 0 ? &spec->sensors.at[e->inputs[k] - 1] : NULL;
                if (!c || c->kind != LM_SENSOR_STATE || wanted[c->state]) continue;
                wanted[c->state] = 1;
                found = 1;
            }
        }
    }
}

/* Those that change at given instants only need no guard. */
static void add_updates(nodal *s, const unsigned char *wanted)
{
    const lm_spec *spec = s->m->spec;
    for (int i = 0; i < spec->states.n; i++) {
        const lm_spec_state *x = &spec->states.at[i];
        int before = s->nguarded;
        if (!wanted[i] || !x->has_update || x->every > 0) continue;
        add(s, &x->update, UPDATE, i);
        for (int k = 0; s->nguarded > before && k < x->update.ninputs; k++)
            if (x->update.inputs[k] > 0) s->guard_sensor[x->update.inputs[k] - 1] = 1;
    }
    for (int i = 0; i < spec->sensors.n; i++) {
        lm_sensor_kind k = spec->sensors.at[i].kind;
        if (s->force_sensor[i]) s->guard_sensor[i] = 0;
        if (s->guard_sensor[i] && (k == LM_SENSOR_FORCE || k == LM_SENSOR_MOMENT ||
                                   k == LM_SENSOR_SECTION || k == LM_SENSOR_ENERGY))
            s->guards_read_forces = 1;
    }
}

int nodal_make_guards(nodal *s)
{
    const lm_spec *spec = s->m->spec;
    unsigned char *wanted = LM_NEW_N(&s->arena, unsigned char, spec->states.n + 1);
    s->guarded =
        LM_NEW_N(&s->arena, nodal_guarded, s->m->nactions + 6 * s->nloads + spec->states.n);
    s->guard_sensor = LM_NEW_N(&s->arena, unsigned char, spec->sensors.n + 1);
    if (!wanted || !s->guarded || !s->guard_sensor) return -1;
    add_forces(s);
    if (s->sys.discrete) follow_states(s, wanted);
    add_updates(s, wanted);
    return 0;
}

const lm_expr *nodal_guarded_expr(const nodal *s, int k, int *first)
{
    if (k >= s->nguarded) return NULL;
    *first = s->guarded[k].first;
    return s->guarded[k].e;
}

static const lm_expr *component(const nodal *s, int k, int i)
{
    const lm_spec_load *l = s->load[k].spec;
    if (i < 3) return l->has_force ? &l->force[i] : NULL;
    return l->has_torque ? &l->torque[i - 3] : NULL;
}

const lm_expr *nodal_forcing(const nodal *s, int k)
{
    for (int i = 0; i < s->m->nactions; i++) {
        const lm_expr *e = s->m->actions[i].effort;
        if (e && lm_expr_bends(e) && k-- == 0) return e;
    }
    for (int i = 0; i < 6 * s->nloads; i++) {
        const lm_expr *e = component(s, i / 6, i % 6);
        if (e && lm_expr_bends(e) && k-- == 0) return e;
    }
    return NULL;
}

int nodal_guards(lm_system *sys, const lm_state *st, double *out)
{
    nodal *s = (nodal *)sys;
    nodal_kinematics(s, st->q);
    nodal_sense(s, st, s->force_sensor);
    for (int i = 0; i < s->m->spec->sensors.n; i++)
        if (s->guard_sensor[i]) s->slots[1 + i] = nodal_sensor(s, st, i);
    for (int k = 0; k < s->nguarded; k++)
        lm_expr_guards(s->guarded[k].e, s->slots, s->scratch, out + s->guarded[k].first);
    return 0;
}

void nodal_describe_guard(const lm_system *sys, int i, char *text, size_t size)
{
    static const char *const of[] = {"effort of", "force of load", "torque of load",
                                     "update of state"};
    const nodal *s = (const nodal *)sys;
    int k = s->nguarded - 1;
    while (k > 0 && s->guarded[k].first > i) k--;
    const nodal_guarded *g = &s->guarded[k];
    const lm_spec *spec = s->m->spec;
    const char *whose = g->of == EFFORT   ? s->m->actions[g->index].owner
                        : g->of == UPDATE ? spec->states.at[g->index].item.name
                                          : spec->loads.at[g->index].item.name;
    snprintf(text, size, "%s '%s': %s", of[g->of], whose, g->e->text);
}
