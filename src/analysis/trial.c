/* A step that may be taken back: the state of the integrator is one block. */
#include "analysis/dynamics.h"

#include <string.h>

limber_status lm_trial_open(lm_dynamics_run *d)
{
    if (d->kept) return LIMBER_OK;
    d->kept = lm_alloc(sizeof(double) * d->g->block_size);
    return d->kept ? LIMBER_OK : LIMBER_MEMORY;
}

void lm_trial_begin(lm_dynamics_run *d)
{
    memcpy(d->kept, d->g->block, sizeof(double) * d->g->block_size);
    d->kept_stats = d->g->stats;
}

/* As if the step had been rejected. A method whose history is not in its block has to start again. */
void lm_trial_take_back(lm_dynamics_run *d)
{
    lm_integrator *g = d->g;
    memcpy(g->block, d->kept, sizeof(double) * g->block_size);
    g->stats.steps = d->kept_stats.steps;
    g->stats.smallest = d->kept_stats.smallest, g->stats.largest = d->kept_stats.largest;
    g->stats.rejected++;
    if (g->ops->start_up) lm_integrator_refresh(g);
}

enum { CHAIN = 20 }; /* values that follow from each other */

static int needs(const lm_spec *spec, const lm_expr *e, int depth);

static int sensor_needs(const lm_spec *spec, const lm_spec_sensor *s, int depth)
{
    switch (s->kind) {
    case LM_SENSOR_POS:
    case LM_SENSOR_VEL:
    case LM_SENSOR_ROT:
    case LM_SENSOR_OMEGA:
    case LM_SENSOR_JOINT:
    case LM_SENSOR_RATE:
    case LM_SENSOR_COORDINATE:
    case LM_SENSOR_COORDINATE_RATE:
    case LM_SENSOR_STATE:
    case LM_SENSOR_STEP: return 0;
    case LM_SENSOR_VARIABLE: break;
    default: return 1;
    }
    const lm_spec_variable *v = &spec->variables.at[s->variable];
    if (v->kind == LM_VARIABLE_STATE) return 0;
    return v->kind != LM_VARIABLE_VALUE || v->implicit || depth == CHAIN ||
           needs(spec, &v->expr, depth + 1);
}

static int needs(const lm_spec *spec, const lm_expr *e, int depth)
{
    for (int i = 0; i < e->ninputs; i++) {
        int slot = e->inputs[i];
        if (slot < 0) return 1;
        if (slot > 0 && sensor_needs(spec, &spec->sensors.at[slot - 1], depth)) return 1;
    }
    return 0;
}

int lm_trial_needs(const lm_system *sys, const lm_expr *e)
{
    const lm_spec *spec = sys->model->spec;
    for (int k = 0; k < spec->variables.n; k++)
        if (spec->variables.at[k].implicit) return 1; /* its loop is solved from there on */
    return needs(spec, e, 0);
}

int lm_trial_guards_need(const lm_system *sys)
{
    const lm_expr *e;
    int first, some = 0;
    for (int k = 0; (e = sys->form->ports->guarded(sys, k, &first)); k++)
        some |= lm_trial_needs(sys, e);
    return some;
}

/* The work up to there is not asked for. */
int lm_trial_inside(lm_dynamics_run *d, double t, int all)
{
    lm_integrator *g = d->g;
    lm_system *sys = g->sys;
    int works = sys->works;
    lm_copy(d->a, g->a, sys->nv);
    lm_copy(d->lam, g->lam, sys->nl);
    sys->works = 0;
    int bad = lm_integrator_at(g, t, d->q, d->v, all ? d->a : NULL, all ? d->lam : NULL);
    sys->works = works;
    return bad;
}
