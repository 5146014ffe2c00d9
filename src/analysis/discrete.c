/* After an accepted step: inputs of delays are recorded, tools take material, states are updated, the
 * caller's function is called.
 * This is the only place where the discrete state changes during a run, so that no trial of a step,
 * no iteration and no rejected step can. */
#include "analysis/dynamics.h"

#include "form/machine.h"

#include <math.h>
#include <string.h>

enum { PIECES_MOST = 100000 }; /* of a step, along which a tool is followed */

#define FIRST_WAY 1e-9 /* of the run, over which a tool is looked ahead of the first time */

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

/* How many cells a tool is away from where it stands, when the motion goes on as it does for a time s; INFINITY:
 * that cannot be evaluated. */
static double cells_ahead(lm_dynamics_run *d, double s)
{
    lm_system *sys = d->g->sys;
    const lm_discrete *x = sys->discrete;
    lm_state ahead = {d->g->clock->t + s, d->q, d->v, d->a, d->lam};
    double most = 0;
    if (lm_dynamics_ahead(d, s, NULL) || sys->form->outputs(sys, &ahead, d->outputs))
        return INFINITY;
    for (int k = 0; k < x->nsurfaces; k++) {
        double way = fabs(tool_input(x, k)[0] - x->tool[k].at);
        most = fmax(most, isfinite(way) ? way / x->spec->surfaces.at[k].grid.width : INFINITY);
    }
    return most;
}

/* s is doubled until a tool has passed a cell, so that one which turns round on the way is seen. */
double lm_discrete_tools_limit(lm_dynamics_run *d, double limit)
{
    lm_integrator *g = d->g;
    const lm_discrete *x = g->sys->discrete;
    if (!x || !x->nsurfaces || g->opt.step > 0) return limit;
    double room = limit - g->clock->t, least = FIRST_WAY * d->until, good = 0, before = 0;
    double s = fmin(fmax(0.25 * *x->ahead, least), 0.5 * room), cells = cells_ahead(d, s);
    while (cells > 1 && s > 0.01 * least) s *= 0.25, cells = cells_ahead(d, s);
    while (cells <= 1 && s < room) {
        good = s, before = cells;
        cells = cells_ahead(d, s *= 2);
    }
    int far = cells > 1; /* that is why the search ended */
    if (far && good > 0) s = good + (s - good) * (1 - before) / (cells - before);
    *x->ahead = far ? s : fmax(*x->ahead, s);
    return far ? fmin(limit, g->clock->t + s) : limit;
}

/* The inputs at t within the last step, or at its end. */
static limber_status evaluate_within(lm_dynamics_run *d, double t)
{
    lm_state s = present(d, t);
    if (t < d->g->clock->t) {
        s = (lm_state){t, d->q, d->v, d->a, d->lam};
        if (lm_integrator_at(d->g, t, d->q, d->v, d->a, d->lam))
            return lm_stop(d->run, LIMBER_INTERNAL, "at t = %.6g: the state cannot be interpolated",
                           t);
    }
    return lm_discrete_evaluate(d, &s);
}

/* Cells passed in the step whose end has been evaluated. */
static limber_status measure_ways(lm_dynamics_run *d, double h, double *most)
{
    lm_discrete *x = d->g->sys->discrete;
    for (int k = 0; k < x->nsurfaces; k++) {
        const lm_spec_surface *s = &x->spec->surfaces.at[k];
        double cells = (tool_input(x, k)[0] - x->tool[k].at) / s->grid.width;
        if (s->periodic && fabs(cells) > s->cells)
            return lm_stop(d->run, LIMBER_STOPPED,
                           "at t = %.6g: in a step of %.3g the tool goes round surface '%s' more "
                           "than once; take a smaller 'step'",
                           d->g->clock->t, h, s->item.name);
        x->tool[k].way = cells;
        *most = fmax(*most, fabs(cells));
    }
    return LIMBER_OK;
}

/* In how many pieces each way is straight but for a part of a cell: a parabola is off the line between its ends
 * by that many cells in the middle of the step, which has been evaluated. */
static double straight_pieces(const lm_discrete *x)
{
    static const double part = 0.01;
    double most = 1;
    for (int k = 0; k < x->nsurfaces; k++) {
        double width = x->spec->surfaces.at[k].grid.width;
        double half = (tool_input(x, k)[0] - x->tool[k].at) / width;
        most = fmax(most, sqrt(fabs(half - 0.5 * x->tool[k].way) / part));
    }
    return most;
}

/* Follow the tools from the last update to the end of the step, there and back. */
static limber_status sweep(lm_dynamics_run *d)
{
    lm_discrete *x = d->g->sys->discrete;
    double t0 = *x->t, end = d->g->clock->t, h = end - t0, most = 1;
    limber_status st = evaluate_within(d, end);
    if (!st) st = measure_ways(d, h, &most);
    if (!st) st = evaluate_within(d, t0 + 0.5 * h);
    int pieces = (int)fmin(ceil(fmax(most, straight_pieces(x))), PIECES_MOST);
    for (int i = 1; i <= pieces && !st; i++) {
        st = evaluate_within(d, i < pieces ? t0 + h * i / pieces : end);
        for (int k = 0; k < x->nsurfaces && !st; k++)
            lm_discrete_move_tool(x, k, tool_input(x, k)[0], tool_input(x, k)[1]);
        if (!st) st = lm_dynamics_progress(d);
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

/* ---- relays ---- */

/* Switches: updated after each step and at the start, and the same again if their input is. */
static int is_relay(const lm_discrete *x, int i)
{
    const lm_spec_state *s = &x->spec->states.at[i];
    return s->at_start && s->every == 0;
}

static int has_sampled(const lm_discrete *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->changed[i] != 0 && x->spec->states.at[i].every > 0) return 1;
    return 0;
}

/* A sample turns the switches that read it at its own instant, and these turn others. */
static limber_status turn_relays(lm_dynamics_run *d, double t, int *jumped)
{
    lm_discrete *x = d->g->sys->discrete;
    lm_state s = present(d, t);
    limber_status st = LIMBER_OK;
    int turned = has_sampled(x);
    for (int round = 0; round < x->n && turned && !st; round++) {
        turned = 0;
        st = lm_discrete_evaluate(d, &s);
        for (int i = 0; i < x->n && !st; i++) {
            if (!is_relay(x, i) || x->value[i] == x->input[i]) continue;
            x->value[i] = x->input[i];
            x->changed[i] = turned = 1;
            if (x->forces[i]) *jumped = 1;
        }
    }
    return st;
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
    lm_discrete *x = g->sys->discrete;
    int n = g->sys->nvariables, first = g->sys->nv - n;
    if (n == 0) return;
    double lasts = starting ? time_of_rates(g, dt) : 0;
    for (int k = 0; k < n; k++) {
        int state = x->spec->variables.at[k].kind == LM_VARIABLE_STATE;
        double value = fabs(state ? g->v[first + k] : lm_machine_value(g->sys, k));
        if (!isfinite(value)) value = 0;
        if (state && starting) value = fmax(value, lasts * fabs(g->a[first + k]));
        x->scale[k] = fmax(x->scale[k], fmax(value, LM_SCALE_NONE));
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
    return turn_relays(d, t, jumped);
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
        x->changed[i] = x->spec->states.at[i].at_start && x->value[i] != x->input[i];
        if (x->changed[i] == 0) continue;
        x->value[i] = x->input[i];
        changed = 1;
    }
    if (!st) st = turn_relays(d, *x->t, &changed);
    for (int i = 0; i < x->n; i++) x->changed[i] = 0;
    if (changed && !st) st = lm_discrete_start_again(d);
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
    *x->ahead = 0;
    return st;
}

double lm_discrete_limit(const lm_dynamics_run *d, double t, double *kink)
{
    const lm_integrator *g = d->g;
    const lm_discrete *x = g->sys->discrete;
    double limit = INFINITY;
    if (!x) return limit;
    *kink = fmin(*kink, lm_discrete_next(x, t));
    return fmin(limit, lm_delays_limit(d, t, kink));
}
