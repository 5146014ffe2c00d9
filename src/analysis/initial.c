/* The starting state: the drawing moved by `initial` along the joint tree, closed at the loops, and
 * velocities that fit the constraints. */
#include "analysis/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUNNING = 0, POSITIONS = 1, VELOCITIES = 2 };

/* A drive that the other joints already determine has nothing to move. */
static limber_status check_drives(lm_run *run)
{
    const lm_model *m = run->model;
    for (int k = 0; k < m->nrows; k++) {
        if (run->sys->active[k] || !m->rows[k].drive) continue;
        const lm_spec_joint *j = &m->spec->joints.at[m->rows[k].joint];
        lm_error(run->diag, j->item.loc,
                 "joint '%s': its drive prescribes a motion that the other joints and drives "
                 "already determine; remove this drive or another one",
                 j->item.name);
        return LIMBER_INPUT;
    }
    return LIMBER_OK;
}

/* Values given twice over, or that the loops do not allow. */
static limber_status check_initial(lm_run *run, lm_integrator *g, int what)
{
    const lm_model *m = run->model;
    lm_state s = {0, g->q, g->v, g->a, g->lam};
    for (int k = 0; k < m->nrows; k++) {
        int i = m->rows[k].initial;
        if (i < 0 || run->sys->active[k]) continue;
        const lm_spec_initial *in = &m->spec->initial.at[i];
        if (what == POSITIONS ? !in->has_value : !in->has_rate) continue;
        run->sys->active[k] = 1;
        if (what == POSITIONS)
            run->sys->form->residual(run->sys, &s, g->x, g->x + run->sys->nv, NULL);
        else
            run->sys->form->constraint_rate(run->sys, &s, g->x + run->sys->nv);
        run->sys->active[k] = 0;
        double off = fabs(g->x[run->sys->nv + k]);
        if (off < 1e-8) continue;
        lm_error(run->diag, in->loc,
                 "initial: the %s of joint '%s' contradicts the other joints and initial values by "
                 "%.6g; leave it out or correct it",
                 what == POSITIONS ? "value" : "rate", m->joints[m->rows[k].joint].name, off);
        return LIMBER_INPUT;
    }
    return LIMBER_OK;
}

static limber_status singular(lm_run *run, lm_integrator *g, int bad)
{
    if (bad < 0) return LIMBER_MEMORY;
    lm_loc whole = {run->model->spec->file, 0, 0};
    lm_explain_mass(g, 0, bad);
    lm_error(run->diag, whole, "%s", g->failure);
    return LIMBER_INPUT;
}

static limber_status positions(lm_run *run, lm_integrator *g)
{
    lm_system *sys = run->sys;
    lm_loc whole = {run->model->spec->file, 0, 0};
    double moved, gap = 0;
    char name[160];
    int row = 0;
    if (sys->form->select_rows(sys, 0, g->q, POSITIONS) < 0) return LIMBER_MEMORY;
    int bad = lm_check_mass(g, 0, g->q, g->v);
    if (bad) return singular(run, g, bad);
    bad = lm_project_position(g, 0, g->q, &moved, &gap);
    if (bad < 0) return LIMBER_MEMORY;
    if (bad) {
        lm_error(run->diag, whole,
                 "the mechanism cannot be assembled: its joints stay %.3g apart (relative to its "
                 "size); check the initial values and the lengths of closed loops",
                 gap);
        return LIMBER_INPUT;
    }
    if (moved > 0.01 && sys->form->select_rows(sys, 0, g->q, POSITIONS) < 0) return LIMBER_MEMORY;
    limber_status st = check_initial(run, g, POSITIONS);
    if (st) return st;
    double hidden = sys->form->hidden_violation(sys, 0, g->q, &row);
    if (hidden > 1e-6) {
        sys->form->describe(sys, sys->nv + row, name, sizeof name);
        lm_error(run->diag, whole,
                 "the joints contradict each other: %s is determined by the others and misses its "
                 "place by %.3g (relative); the mechanism locks as drawn",
                 name, hidden);
        return LIMBER_INPUT;
    }
    return check_drives(run);
}

static limber_status velocities(lm_run *run, lm_integrator *g)
{
    const lm_spec *spec = run->model->spec;
    double change, speed = lm_motion_norm(run->sys, g->clock->size, g->v);
    if (run->sys->form->select_rows(run->sys, 0, g->q, VELOCITIES) < 0) return LIMBER_MEMORY;
    int bad = lm_project_velocity(g, 0, g->q, g->v, &change);
    if (bad) return singular(run, g, bad);
    limber_status st = check_initial(run, g, VELOCITIES);
    if (st) return st;
    if (spec->velocities.n && !spec->project && change > 1e-6 * fmax(speed, 1e-300)) {
        lm_error(run->diag, spec->velocities.at[0].loc,
                 "initial: the velocities do not fit the joints: a correction of %.3g (relative to "
                 "the size of the mechanism, per second) is needed; correct them or write "
                 "'project: true'",
                 change);
        return LIMBER_INPUT;
    }
    return LIMBER_OK;
}

void lm_warn_immobile(lm_run *run)
{
    const lm_model *m = run->model;
    if (run->sys->mobility > 0) return;
    for (int k = 0; k < m->nrows; k++)
        if (m->rows[k].drive) return;
    lm_warning(run->diag, ((lm_loc){m->spec->file, 0, 0}),
               "the joints leave the mechanism no motion (mobility 0): it stands still");
}

limber_status lm_initial_state(lm_run *run)
{
    lm_system *sys = run->sys;
    lm_integrator *g = lm_solver_create(sys);
    if (!g) return LIMBER_MEMORY;
    g->clock->size = run->model->size > 0 ? run->model->size : 1;
    sys->form->initial(sys, g->q, g->v);
    limber_status st = positions(run, g);
    if (!st) st = velocities(run, g);
    if (!st && sys->form->select_rows(sys, 0, g->q, RUNNING) < 0) st = LIMBER_MEMORY;
    memcpy(run->q, g->q, sizeof(double) * (size_t)sys->nq);
    memcpy(run->v, g->v, sizeof(double) * (size_t)sys->nv);
    g->ops->destroy(g);
    return st;
}
