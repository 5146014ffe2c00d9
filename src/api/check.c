/* Checking a model: what can be said of it without running an analysis. */
#include "api/api.h"

#include "analysis/run.h"

static void name_redundant(lm_run *run)
{
    const lm_model *m = run->model;
    lm_system *sys = run->sys;
    for (int k = 0; k < sys->nl; k++) {
        const lm_row *row = lm_system_row(sys, k);
        char name[160];
        if (sys->active[k] || row->initial >= 0) continue;
        sys->form->describe(sys, sys->nv + k, name, sizeof name);
        int own = row->joint < m->spec->joints.n; /* not inside of a beam */
        lm_loc file = {m->spec->file, 0, 0};
        lm_diag_add(run->diag, LM_NOTE, own ? m->spec->joints.at[row->joint].item.loc : file,
                    "%s is redundant: the other constraints imply it; its reaction is taken as 0",
                    name);
    }
}

static void count_constraints(lm_run *run, limber_check_info *info)
{
    const lm_system *sys = run->sys;
    info->unknowns = sys->nv - sys->nvariables;
    info->mobility = sys->mobility;
    info->variables = sys->nvariables;
    for (int k = 0; k < sys->nvariables; k++)
        info->states += run->model->spec->variables.at[k].kind == LM_VARIABLE_STATE;
    info->mechanics = 1;
    for (int k = 0; k < sys->nl; k++) {
        if (lm_system_row(sys, k)->initial >= 0) continue;
        info->constraints++;
        info->redundant += !sys->active[k];
    }
}

static limber_status check(const limber_model *model, const char *html, limber_check_info *info,
                           limber_messages *msg)
{
    const lm_spec *spec = model->m.spec;
    limber_run_options opt = limber_run_options_default();
    limber_summary sum = {0};
    lm_run run = {.model = &model->m, .opt = &opt, .diag = &msg->diag, .sum = &sum};
    *info = (limber_check_info){.bodies = spec->bodies.n,
                                .joints = spec->joints.n,
                                .forces = spec->forces.n,
                                .loads = spec->loads.n,
                                .outputs = spec->outputs.n,
                                .analyses = spec->analyses.n};
    limber_status st = lm_create_system(&model->m, NULL, run.diag, &run.sys);
    if (!st) st = lm_prepare(&run);
    if (!st) {
        count_constraints(&run, info);
        name_redundant(&run);
        lm_warn_immobile(&run);
        st = lm_refuse_analyses(&run);
        if (!st && run.diag->out_of_memory) st = LIMBER_MEMORY; /* a note was lost */
    }
    if (html) {
        const double *q = info->mechanics ? run.q : NULL;
        limber_status drawn = lm_draw(run.model, run.sys, q, info, st, html, run.diag);
        if (!st) st = drawn;
    }
    lm_release(&run);
    return st;
}

limber_status limber_check(const limber_model *model, limber_check_info *info, limber_messages *msg)
{
    return check(model, NULL, info, msg);
}

limber_status limber_check_draw(const limber_model *model, const char *html,
                                limber_check_info *info, limber_messages *msg)
{
    return check(model, html, info, msg);
}
