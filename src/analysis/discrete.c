/* After an accepted step: inputs of delays are recorded, tools take material, states are updated, the
 * caller's function is called.
 * This is the only place where the discrete state changes during a run, so that no trial of a step,
 * no iteration and no rejected step can. */
#include "analysis/dynamics.h"

#include "form/machine.h"

#include <math.h>
#include <string.h>

enum { PIECES_MOST = 100000 }; /* of a step, along which a tool is followed */

/* A method that can interpolate follows the tool through long steps; but a periodic surface has to be
 * up to date when the tool comes round. */
static const double turn_share = 0.25, cells_without_interpolation = 2;

/* Words for input i. */
static limber_status not_finite(lm_dynamics_run *d, int i, double t)
{
    const lm_discrete *x = d->g->sys->discrete;
    const lm_spec *spec = x->spec;
    int k = i - x->n, j = k - 2 * x->nsurfaces;
    if (k < 0)
        return lm_stop(d->run, LIMBER_STOPPED,
                       "at t = %.6g: the update of state '%s' is not a finite number", t,
                       spec->states.at[i].item.name);
    if (j >= 0)
        return lm_stop(d->run, LIMBER_STOPPED,
                       "at t = %.6g: the input of delay '%s' is not a finite number", t,
                       spec->delays.at[j].item.name);
    return lm_stop(d->run, LIMBER_STOPPED,
                   "at t = %.6g: '%s' of surface '%s' is not a finite number", t,
                   k % 2 ? "left" : "at", spec->surfaces.at[k / 2].item.name);
}

limber_status lm_discrete_evaluate(lm_dynamics_run *d, const lm_state *s)
{
    lm_system *sys = d->g->sys;
    const lm_discrete *x = sys->discrete;
    if (sys->form->outputs(sys, s, d->outputs))
        return lm_stop(d->run, LIMBER_STOPPED,
                       "at t = %.6g: the outputs cannot be evaluated after the step", s->t);
    for (int i = 0; x && i < x->n + 2 * x->nsurfaces + x->ndelays; i++)
        if (!isfinite(x->input[i])) return not_finite(d, i, s->t);
    return LIMBER_OK;
}

static lm_state present(const lm_dynamics_run *d, double t)
{
    const lm_integrator *g = d->g;
    return (lm_state){t, g->q, g->v, g->a, g->lam};
}

/* ---- surfaces ---- */

static const double *tool_input(const lm_discrete *x, int k) { return x->input + x->n + 2 * k; }

static void place_tools(lm_discrete *x)
{
    for (int k = 0; k < x->nsurfaces; k++)
        lm_discrete_place_tool(x, k, tool_input(x, k)[0], tool_input(x, k)[1]);
}

/* Cells passed in the step whose end has been evaluated; the rate is kept for the next one. */
static limber_status measure_way(lm_dynamics_run *d, double h, double *most)
{
    lm_discrete *x = d->g->sys->discrete;
    *most = 0;
    for (int k = 0; k < x->nsurfaces; k++) {
        const lm_spec_surface *s = &x->spec->surfaces.at[k];
        double cells = fabs(tool_input(x, k)[0] - x->tool[k].at) / s->grid.width;
        if (s->periodic && cells > s->cells)
            return lm_stop(d->run, LIMBER_STOPPED,
                           "at t = %.6g: in a step of %.3g the tool goes round surface '%s' more "
                           "than once; take a smaller 'step'",
                           d->g->clock->t, h, s->item.name);
        x->tool[k].rate = h > 0 ? cells / h : 0;
        *most = fmax(*most, cells);
    }
    return LIMBER_OK;
}

/* Follow the tools from the last update to the end of the step, a cell at a time at most. */
static limber_status sweep(lm_dynamics_run *d)
{
    lm_integrator *g = d->g;
    lm_discrete *x = g->sys->discrete;
    double t0 = *x->t, h = g->clock->t - t0, most;
    lm_state end = present(d, g->clock->t);
    limber_status st = lm_discrete_evaluate(d, &end);
    if (!st) st = measure_way(d, h, &most);
    if (st) return st;
    int pieces = (int)fmin(fmax(ceil(most), 1), PIECES_MOST);
    for (int i = 1; i <= pieces && !st; i++) {
        double t = t0 + h * i / pieces;
        lm_state s = i < pieces ? (lm_state){t, d->q, d->v, d->a, d->lam} : end;
        if (i < pieces && lm_integrator_at(g, t, d->q, d->v, d->a, d->lam))
            return lm_stop(d->run, LIMBER_INTERNAL, "at t = %.6g: the state cannot be interpolated",
                           t);
        st = lm_discrete_evaluate(d, &s);
        for (int k = 0; k < x->nsurfaces && !st; k++)
            lm_discrete_move_tool(x, k, tool_input(x, k)[0], tool_input(x, k)[1]);
    }
    return st;
}

/* ---- states ---- */

static limber_status call_function(lm_dynamics_run *d, double t, double dt)
{
    const lm_model *m = d->run->model;
    lm_discrete *x = d->g->sys->discrete;
    if (!m->on_step) return LIMBER_OK;
    limber_step step = {.t = t,
                        .dt = dt,
                        .number = d->g->stats.steps,
                        .outputs = d->outputs,
                        .states = x ? x->value : NULL};
    int said = m->on_step(m->on_step_context, &step);
    for (int i = 0; x && i < x->n && !said; i++)
        if (!isfinite(x->value[i]))
            return lm_stop(d->run, LIMBER_STOPPED,
                           "at t = %.6g: the step function set state '%s' to no finite number", t,
                           x->spec->states.at[i].item.name);
    if (!said) return LIMBER_OK;
    if (step.reason) return lm_stop(d->run, LIMBER_STOPPED, "at t = %.6g: %s", t, step.reason);
    return lm_stop(d->run, LIMBER_STOPPED, "at t = %.6g: the step function stopped the run (%d)", t,
                   said);
}

/* The input still holds what was in x->value before: see update. A state that changes after every step
 * follows something smooth; one that stood still and changes jumps. */
static int note_changes(lm_discrete *x)
{
    int jumped = 0;
    for (int i = 0; i < x->n; i++) {
        int changed = x->value[i] != x->input[i];
        if (changed && x->changed[i] == 0 && x->forces[i]) jumped = 1;
        x->changed[i] = changed;
    }
    return jumped;
}

/* All at once: the new values have been computed from the old ones, with which they change places. */
static void update(lm_discrete *x, double t)
{
    for (int i = 0; i < x->n; i++) {
        double old = x->value[i];
        if (lm_discrete_due(x, i, t)) x->value[i] = x->input[i];
        x->input[i] = old;
    }
}

/* ---- variables ---- */

/* Not less than a thousandth of the largest of the same unit. */
static void compare_scales(lm_discrete *x)
{
    static const double part = 1e-3;
    const lm_spec_variable *v = x->spec->variables.at;
    memset(x->of_unit, 0, sizeof(double) * (size_t)x->nunits);
    for (int k = 0; k < x->spec->variables.n; k++)
        x->of_unit[v[k].unit] = fmax(x->of_unit[v[k].unit], x->scale[k]);
    for (int k = 0; k < x->spec->variables.n; k++)
        if (v[k].unit > 0) x->scale[k] = fmax(x->scale[k], part * x->of_unit[v[k].unit]);
}

/* For which the rates of a start last at most: up to the next row, or where a force of the time jumps before. */
static double time_of_rates(const lm_integrator *g, double dt)
{
    double t = g->clock->t, same = 1e-12 * g->opt.until;
    return fmin(dt, lm_system_next_kink(g->sys, t + same) - t);
}

/* Errors of a variable are measured in the largest value it has had. At a start its rate tells how large
 * it may become. */
void lm_scale_variables(lm_integrator *g, double dt, int starting)
{
    static const double least = 1e-13; /* where there is nothing to go by */
    lm_discrete *x = g->sys->discrete;
    int n = g->sys->nvariables, first = g->sys->nv - n;
    if (n == 0) return;
    double lasts = starting ? time_of_rates(g, dt) : 0;
    for (int k = 0; k < n; k++) {
        int state = x->spec->variables.at[k].kind == LM_VARIABLE_STATE;
        double value = fabs(state ? g->v[first + k] : lm_machine_value(g->sys, k));
        if (!isfinite(value)) value = 0;
        if (state && starting) value = fmax(value, lasts * fabs(g->a[first + k]));
        x->scale[k] = fmax(x->scale[k], fmax(value, least));
        if (state) x->pace[k] = fmax(x->pace[k], fabs(g->a[first + k]));
    }
    compare_scales(x);
    lm_state s = {g->clock->t, g->q, g->v, g->a, g->lam};
    lm_machine_keep(g->sys, &s);
    if (starting) lm_machine_reach(g->sys, &s, g->clock->size, dt);
}

void lm_forget_scales(lm_integrator *g)
{
    const lm_discrete *x = g->sys->discrete;
    int n = g->sys->nvariables;
    for (int k = 0; k < n; k++) x->scale[k] = x->least[k], x->pace[k] = x->least[n + k];
    if (g->sys->nvariables) *x->settled = 0;
}

static int is_still(const lm_dynamics_run *d)
{
    const lm_discrete *x = d->g->sys->discrete;
    return !d->run->model->on_step && (!x || x->n + x->nsurfaces + x->ndelays == 0);
}

limber_status lm_discrete_step(lm_dynamics_run *d, double t, int *jumped)
{
    lm_discrete *x = d->g->sys->discrete;
    limber_status st = LIMBER_OK;
    *jumped = 0;
    lm_scale_variables(d->g, d->dt, 0);
    if (is_still(d)) return st;
    double dt = x ? t - *x->t : d->g->clock->h;
    if (x) *x->dt = dt;
    if (x) st = lm_delays_record(d);
    if (!st && x && x->nsurfaces) st = sweep(d);
    lm_state s = present(d, t);
    if (!st) st = lm_discrete_evaluate(d, &s);
    if (!st && x) {
        place_tools(x); /* behind a kink they may be elsewhere, and have not cut on the way */
        update(x, t);
    }
    if (!st) st = call_function(d, t, dt);
    if (st || !x) return st;
    *jumped = note_changes(x);
    *x->t = t;
    return LIMBER_OK;
}

/* ---- the start ---- */

limber_status lm_discrete_start_again(lm_dynamics_run *d)
{
    lm_integrator *g = d->g;
    lm_energy e;
    int bad = lm_integrator_start(g, g->clock->t, 0);
    if (bad < 0) return LIMBER_MEMORY;
    if (bad) return lm_stop(d->run, LIMBER_STOPPED, "%s", g->failure);
    lm_state s = present(d, g->clock->t);
    if (g->sys->form->energy(g->sys, &s, &e)) return LIMBER_OK;
    d->k->power0 = d->k->power1 = e.power;
    d->k->loss0 = d->k->loss1 = e.dissipation;
    return LIMBER_OK;
}

/* States of blocks that sample take their first values from this instant, all at once. */
static limber_status first_samples(lm_dynamics_run *d)
{
    lm_discrete *x = d->g->sys->discrete;
    lm_state s = present(d, *x->t);
    limber_status st = lm_discrete_evaluate(d, &s);
    int changed = 0;
    for (int i = 0; i < x->n && !st; i++) {
        if (!x->spec->states.at[i].at_start || x->value[i] == x->input[i]) continue;
        x->value[i] = x->input[i];
        changed = 1;
    }
    if (changed) st = lm_discrete_start_again(d);
    return changed && !st ? lm_delays_begin(d) : st;
}

limber_status lm_discrete_begin(lm_dynamics_run *d)
{
    lm_discrete *x = d->g->sys->discrete;
    if (!x) return LIMBER_OK;
    *x->t = d->g->clock->t;
    *x->dt = 0;
    limber_status st = lm_delays_begin(d);
    if (!st) st = first_samples(d);
    lm_forget_scales(d->g);
    lm_scale_variables(d->g, d->dt, 1);
    lm_state s = present(d, *x->t);
    if (!st) st = lm_discrete_evaluate(d, &s);
    if (!st) place_tools(x);
    for (int k = 0; k < x->nsurfaces; k++) x->tool[k].rate = 0;
    return st;
}

double lm_discrete_limit(const lm_dynamics_run *d, double t, double *kink)
{
    const lm_integrator *g = d->g;
    const lm_discrete *x = g->sys->discrete;
    double limit = INFINITY;
    if (!x) return limit;
    *kink = fmin(*kink, lm_discrete_next(x, t));
    for (int k = 0; k < x->nsurfaces && g->opt.step == 0; k++) {
        const lm_spec_surface *s = &x->spec->surfaces.at[k];
        double cells = s->periodic ? turn_share * s->cells : INFINITY;
        if (g->ops->lands_on_outputs) cells = fmin(cells, cells_without_interpolation);
        if (x->tool[k].rate > 0) limit = fmin(limit, g->clock->t + cells / x->tool[k].rate);
    }
    return fmin(limit, lm_delays_limit(d, t, kink));
}
