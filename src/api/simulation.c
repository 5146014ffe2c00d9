/* A dynamics analysis step by step, in memory. */
#include "api/api.h"

#include "analysis/dynamics.h"
#include "analysis/mesh.h"
#include "analysis/range.h"
#include "analysis/rigid_motion.h"
#include "analysis/small.h"
#include "analysis/turns.h"

#include <stdio.h>
#include <string.h>

struct limber_simulation {
    lm_run run;
    limber_run_options opt;
    limber_summary sum;
    limber_messages said; /* since the start */
    int told;             /* what an elastic motion does to a known one */
    lm_loc loc;
    lm_dynamics_run d;
    double *q; /* state handed over to the dynamics */
};

static const lm_spec_analysis *first_dynamics(const lm_spec *spec)
{
    for (int i = 0; i < spec->analyses.n; i++)
        if (spec->analyses.at[i].type == LM_ANALYSIS_DYNAMICS) return &spec->analyses.at[i];
    return NULL;
}

/* What cannot be run is refused first, as in a run of the whole list. */
static limber_status refuse(limber_simulation *s, const lm_spec_analysis *dynamics)
{
    limber_status st = LIMBER_OK;
    for (const lm_spec_analysis *a = s->run.model->spec->analyses.at; a <= dynamics && !st; a++)
        if (lm_analysis_hands_on(a->type)) st = lm_refuse_analysis(&s->run, a);
    return st;
}

/* The dynamics start where the analyses before them in the list end. */
static limber_status run_before(limber_simulation *s, const lm_spec_analysis *dynamics)
{
    limber_status st = LIMBER_OK;
    for (const lm_spec_analysis *a = s->run.model->spec->analyses.at; a < dynamics && !st; a++)
        if (lm_analysis_hands_on(a->type)) st = lm_analyse(&s->run, a);
    return st;
}

static limber_status open(limber_simulation *s, const lm_model *m, lm_diag *diag)
{
    const lm_spec_analysis *a = first_dynamics(m->spec);
    if (!a) {
        lm_error(diag, ((lm_loc){m->spec->file, 0, 0}), "the model has no 'dynamics' analysis");
        return LIMBER_INPUT;
    }
    limber_status st = lm_create_system(m, NULL, diag, &s->run.sys);
    if (!st) st = refuse(s, a);
    if (st) return st;
    s->q = lm_alloc(sizeof(double) * (size_t)(s->run.sys->nq + s->run.sys->nv + 1));
    if (!s->q) return LIMBER_MEMORY;
    s->run.q = s->q;
    s->run.v = s->q + s->run.sys->nq;
    s->loc = a->loc;
    if (lm_range_make(&s->run) || lm_turns_make(&s->run) || lm_mesh_make(&s->run) ||
        lm_quality_make(&s->run))
        return LIMBER_MEMORY;
    st = lm_initial_state(&s->run);
    if (!st) st = run_before(s, a);
    return st ? st : lm_dynamics_open(&s->run, a, &s->d);
}

/* How large deformations are now, which the formulation takes to be small. */
static void look(limber_simulation *s)
{
    lm_small_look(&s->run, s->d.g->q);
    lm_range_look(&s->run, s->d.g->q, s->d.g->v);
    lm_turns_look(&s->run, s->d.g->q);
    lm_mesh_look(&s->run, s->d.g->q);
    lm_left_out_look(&s->run, &(lm_state){.t = s->d.g->clock->t, .q = s->d.g->q});
}

limber_status limber_simulation_new(const limber_model *model, limber_simulation **sim,
                                    limber_messages *msg)
{
    limber_simulation *s = lm_alloc(sizeof *s);
    *sim = NULL;
    if (!s) return LIMBER_MEMORY;
    s->opt = limber_run_options_default();
    s->run = (lm_run){.model = &model->m,
                      .opt = &s->opt,
                      .diag = &msg->diag,
                      .sum = &s->sum,
                      .started = lm_seconds()};
    limber_status st = open(s, &model->m, &msg->diag);
    if (st) {
        if (s->sum.reason[0]) lm_error(&msg->diag, ((lm_loc){0}), "%s", s->sum.reason);
        limber_simulation_free(s);
        return st;
    }
    s->run.diag = &s->said.diag;
    if (lm_diag_reserve(s->run.diag)) {
        limber_simulation_free(s);
        return LIMBER_MEMORY;
    }
    look(s);
    *sim = s;
    return LIMBER_OK;
}

limber_status limber_simulation_advance(limber_simulation *sim, double t)
{
    lm_dynamics_run *d = &sim->d;
    sim->sum.reason[0] = 0;
    if (!(t >= d->g->clock->t) || t > d->until * (1 + 1e-12))
        return lm_stop(&sim->run, LIMBER_INPUT, "time %.6g is not between %.6g and the end, %.6g",
                       t, d->g->clock->t, d->until);
    limber_status st = lm_dynamics_advance(d, t < d->until ? t : d->until);
    look(sim);
    return st;
}

double limber_simulation_time(const limber_simulation *sim) { return sim->d.g->clock->t; }

limber_status limber_simulation_outputs(limber_simulation *sim, double *values)
{
    lm_integrator *g = sim->d.g;
    lm_state s = {g->clock->t, g->q, g->v, g->a, g->lam};
    if (g->sys->form->outputs(g->sys, &s, values)) return LIMBER_STOPPED;
    lm_quality_outputs(&sim->run, values, s.t);
    return LIMBER_OK;
}

const limber_messages *limber_simulation_messages(limber_simulation *sim)
{
    lm_diag *diag = &sim->said.diag;
    lm_small_warn(&sim->run);
    lm_range_warn(&sim->run);
    lm_turns_warn(&sim->run);
    lm_mesh_warn(&sim->run, LM_ANALYSIS_DYNAMICS);
    lm_quality_end(&sim->run);
    lm_quality_motion(&sim->d, sim->loc);
    int before = diag->list.n;
    if (!sim->told) lm_rigid_motion_warn(&sim->run, 1, 0, sim->loc);
    sim->told |= diag->list.n > before;
    return &sim->said;
}

const char *limber_simulation_reason(const limber_simulation *sim) { return sim->sum.reason; }

void limber_simulation_free(limber_simulation *sim)
{
    if (!sim) return;
    lm_dynamics_close(&sim->d);
    if (sim->run.sys) sim->run.sys->form->destroy(sim->run.sys);
    lm_free(sim->q);
    lm_range_free(&sim->run);
    lm_turns_free(&sim->run);
    lm_mesh_free(&sim->run);
    lm_free(sim->run.doubt);
    lm_diag_free(&sim->said.diag);
    lm_free(sim);
}
