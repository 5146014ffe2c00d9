/* Time response: step, put rows on the output grid, keep the energy balance, checkpoint. */
#include "analysis/events.h"
#include "analysis/mesh.h"
#include "analysis/range.h"
#include "analysis/rigid_motion.h"
#include "analysis/small.h"
#include "analysis/turns.h"
#include "analysis/zones.h"
#include "form/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- energy ---- */

static int energies(lm_dynamics_run *d, lm_energy *e)
{
    lm_integrator *g = d->g;
    lm_state s = {g->clock->t, g->q, g->v, g->a, g->lam};
    return g->sys->form->energy(g->sys, &s, e);
}

/* The largest energy that has gone into a form or out of it. */
static double exchanged(const lm_energy *first, const lm_energy *now)
{
    double form[5] = {now->kinetic - first->kinetic, now->elastic - first->elastic,
                      now->gravity - first->gravity, now->stored - first->stored,
                      now->largest - first->largest};
    double most = now->kinetic;
    for (int i = 0; i < 5; i++) most = fmax(most, fabs(form[i]));
    return most;
}

/* Measured after every step, too: rows may lie where all of it has come back. */
static void note_exchanged(lm_dynamics_state *k, const lm_energy *now, double work)
{
    k->exchanged = fmax(k->exchanged, fmax(exchanged(&k->first, now), fabs(work)));
}

/* Power and losses now; those of before where a function of the user fails in this very state. */
static void take_power(lm_dynamics_run *d)
{
    lm_energy e;
    if (energies(d, &e)) return;
    d->k->power1 = e.power, d->k->loss1 = e.dissipation;
    note_exchanged(d->k, &e, 0);
}

static double total(const lm_energy *e) { return e->kinetic + e->elastic + e->gravity + e->stored; }

/* Work and losses over the last step by the trapezoidal rule, as accurate as the step itself. */
static void integrate_power(lm_dynamics_run *d)
{
    if (!d->g->sys->works) return;
    double h = d->g->clock->h;
    d->k->power0 = d->k->power1, d->k->loss0 = d->k->loss1;
    take_power(d);
    d->k->work0 = d->k->work, d->k->lost0 = d->k->lost;
    int own = d->g->ops->lands_on_outputs || d->g->ops->at; /* the method integrates them itself */
    d->k->work += own ? d->g->work : 0.5 * h * (d->k->power0 + d->k->power1);
    d->k->lost += own ? d->g->lost : 0.5 * h * (d->k->loss0 + d->k->loss1);
}

/* The discrete state has changed, and with it the forces. */
static void refresh_power(lm_dynamics_run *d)
{
    if (d->g->sys->works && d->g->sys->discrete) take_power(d);
}

/* After a start the powers are those of the new instant; an impulse's work is its energy. */
static void restart_power(lm_dynamics_run *d, double before)
{
    lm_energy e;
    d->energy[0] = d->energy[1] = 0;
    if (energies(d, &e)) return;
    d->k->power0 = d->k->power1 = e.power;
    d->k->loss0 = d->k->loss1 = e.dissipation;
    if (!isnan(before)) {
        d->k->work += total(&e) - before;
        d->energy[0] = before, d->energy[1] = total(&e);
    }
    d->k->work0 = d->k->work, d->k->lost0 = d->k->lost;
}

/* ---- rows ---- */

/* Outputs lie on the grid k * output_step, and the end is one of them. */
static double output_time(const lm_dynamics_run *d, double k)
{
    double t = k * d->dt;
    return t > d->until - 1e-9 * d->dt ? d->until : t;
}

static limber_status put_row(lm_dynamics_run *d, double t)
{
    lm_integrator *g = d->g;
    lm_energy e;
    int bad = lm_integrator_row(g, t, d->q, d->v, d->a, d->lam);
    if (bad < 0) return LIMBER_MEMORY;
    if (bad)
        return lm_stop(d->run, LIMBER_INTERNAL, "at t = %.6g: the state cannot be interpolated", t);
    /* an instant at which the run has just started again is shown from behind */
    double h = g->clock->h, side = h > 0 ? t : fmax(t, g->clock->t);
    lm_state s = {side, d->q, d->v, d->a, d->lam};
    double x = h > 0 ? 1 - (g->clock->t - t) / h : 1;
    if (x > 1) x = 1;
    double work = d->k->work, lost = d->k->lost;
    if (x < 1 && g->ops->at) {
        work = d->k->work0 + g->work;
        lost = d->k->lost0 + g->lost;
    } else if (x < 1) {
        work = d->k->work0 + h * x * (d->k->power0 + 0.5 * x * (d->k->power1 - d->k->power0));
        lost = d->k->lost0 + h * x * (d->k->loss0 + 0.5 * x * (d->k->loss1 - d->k->loss0));
    }
    g->sys->form->energy(g->sys, &s, &e);
    lm_small_look(d->run, d->q);
    lm_range_look(d->run, d->q, s.v);
    lm_turns_look(d->run, d->q);
    lm_mesh_look(d->run, d->q);
    lm_left_out_look(d->run, &s);
    if (!d->run->patient && lm_small_divide(d->run))
        return lm_stop(d->run, LIMBER_STOPPED, "beams are divided further");
    double balance = total(&e) - d->k->energy0 - work + lost;
    note_exchanged(d->k, &e, work);
    if (!(fabs(balance) <= d->k->imbalance)) d->k->imbalance = fabs(balance); /* keeps NaN */
    lm_quality_balance(d, t, balance);
    lm_balance b = {e, work, lost, balance, g->stats.phi};
    return lm_record_row(d->run, &s, t, &b);
}

/* Rows up to `now`, rounding included. */
static limber_status put_rows_to(lm_dynamics_run *d, double now)
{
    if (d->k->next > d->last || output_time(d, d->k->next) > now) return LIMBER_OK;
    lm_constraint_gap(d->g);
    while (d->k->next <= d->last && output_time(d, d->k->next) <= now) {
        limber_status st = put_row(d, output_time(d, d->k->next));
        if (st) return st;
        d->k->next += 1;
    }
    return LIMBER_OK;
}

/* Rows up to the present time. `before` a kink at which states may change, the row of that very instant
 * waits: it shows the new ones. */
static limber_status put_rows(lm_dynamics_run *d, int before)
{
    double eps = 1e-12 * fmax(d->dt, fabs(d->g->clock->t) * 1e-3), now = d->g->clock->t + eps;
    if (before && d->g->sys->discrete) now = d->g->clock->t - eps;
    return put_rows_to(d, now);
}

/* ---- the loop ---- */

static limber_status start(lm_dynamics_run *d, double t, int keep_step)
{
    lm_energy e;
    double before = NAN;
    if (keep_step) {
        energies(d, &e);
        before = total(&e);
    }
    lm_copy(d->v, d->g->v, d->g->sys->nv);
    int bad = lm_integrator_start(d->g, t, keep_step);
    if (bad < 0) return LIMBER_MEMORY;
    if (bad) return lm_stop(d->run, LIMBER_STOPPED, "%s", d->g->failure);
    if (keep_step) lm_power_flow_jump(d, d->v);
    lm_algebraic_start(d);
    restart_power(d, before);
    lm_scale_variables(d->g, d->dt, 1);
    return LIMBER_OK;
}

/* A redundant constraint that opens was not redundant: the mechanism has left a singular position.
 * Choose anew and go on from a state that satisfies all. */
static limber_status watch_redundant(lm_dynamics_run *d)
{
    lm_integrator *g = d->g;
    lm_system *sys = g->sys;
    int row = 0, before = d->redundant;
    double moved, gap,
        off = d->redundant ? sys->form->hidden_violation(sys, g->clock->t, g->q, &row) : 0;
    if (off < 1e-7) return LIMBER_OK;
    d->redundant = sys->form->select_rows(sys, g->clock->t, g->q, 0);
    if (d->redundant < 0) return LIMBER_MEMORY;
    int bad = lm_project_position(g, g->clock->t, g->q, &moved, &gap);
    if (bad < 0) return LIMBER_MEMORY;
    if (bad || sys->form->hidden_violation(sys, g->clock->t, g->q, &row) > 1e-5) {
        char name[160];
        sys->form->describe(sys, sys->nv + row, name, sizeof name);
        return lm_stop(d->run, LIMBER_STOPPED,
                       "at t = %.6g: the joints contradict each other and the mechanism locks: %s",
                       g->clock->t, name);
    }
    if (d->redundant < before && d->left_singular == 0) d->left_singular = g->clock->t;
    limber_status st = start(d, g->clock->t, 1);
    if (!st) lm_quality_jump(d, g->clock->t);
    return st;
}

/* Land just before a kink, then start again just behind it: forces are evaluated on their own side. Several
 * expressions may have the same kink but for rounding: those count as one. */
static double step_limit(lm_dynamics_run *d, double *kink)
{
    double limit = fmin(d->until, d->cap), same = 1e-12 * d->until;
    double most = lm_system_reach(d->g->sys, d->g->clock->t + same) - d->g->clock->t;
    d->g->opt.largest_step = fmin(fmin(d->largest, lm_zones_reach(d)), most);
    *kink = lm_system_next_kink(d->g->sys, d->g->clock->t + same);
    limit = fmin(limit, lm_discrete_limit(d, d->g->clock->t + same, kink));
    limit = fmin(limit, *kink - 0.01 * same); /* at the end, too: the last row shows the old side */
    d->samples_last = fabs(*kink - d->until) <= same; /* but what is sampled there */
    if (*kink > d->until - same) *kink = INFINITY;
    if (d->lands && d->k->next <= d->last) limit = fmin(limit, output_time(d, d->k->next));
    return lm_discrete_tools_limit(d, limit);
}

/* Where the run goes on behind a kink: behind all that count as one with it, and where drives have come down from
 * infinite accelerations. */
static double behind(const lm_dynamics_run *d, double kink)
{
    double same = 1e-12 * d->until, last = kink, next = kink;
    for (int i = 0; i < 100; i++) {
        next = lm_system_next_kink(d->g->sys, last);
        lm_discrete_limit(d, last, &next);
        if (!(next <= last + 1.02 * same)) break;
        last = next;
    }
    double drives = lm_drives_behind(d, last, next);
    return last + fmax(0.01 * same, drives);
}

limber_status lm_dynamics_progress(lm_dynamics_run *d)
{
    limber_progress p = {d->g->clock->t, d->until, d->g->clock->h, d->g->stats.steps, 0};
    return lm_run_progress(d->run, &p);
}

static limber_status show_progress(lm_dynamics_run *d)
{
    lm_run *run = d->run;
    double now = lm_seconds();
    limber_status st = lm_dynamics_progress(d);
    if (st || now - run->flushed < 1.0 || !d->snapshot_taken) return st;
    return lm_checkpoint_write(d);
}

limber_status lm_dynamics_step(lm_dynamics_run *d, double limit)
{
    int bad = d->g->ops->step(d->g, limit);
    if (bad < 0) return LIMBER_MEMORY;
    if (!bad) return lm_algebraic_step(d);
    lm_algebraic_explain(d);
    lm_drives_explain(d);
    return lm_stop(d->run, LIMBER_STOPPED, "%s", d->g->failure);
}

/* A step has been made: what is counted and recorded of it. */
static limber_status account(lm_dynamics_run *d, int before)
{
    integrate_power(d);
    limber_status st = lm_follow_size(d);
    if (!st) st = lm_record_step(d->run, d->g);
    if (!st) st = put_rows(d, before);
    return st ? st : lm_power_flow_step(d);
}

/* q (+) (s v + s^2 a/2 + s^3 j/6), and its derivatives; reactions as they changed over the last step. */
int lm_dynamics_ahead(lm_dynamics_run *d, double s, const double *jerk)
{
    const lm_integrator *g = d->g;
    lm_system *sys = g->sys;
    for (int i = 0; i < sys->nv; i++) {
        double j = jerk ? jerk[i] : 0;
        d->v[i] = s * (g->v[i] + s * (0.5 * g->a[i] + s * j / 6));
        d->a[i] = g->a[i] + s * j;
    }
    if (sys->form->retract(sys, g->q, d->v, d->q)) return 1;
    for (int i = 0; i < sys->nv; i++)
        d->v[i] = g->v[i] + s * (g->a[i] + 0.5 * s * (jerk ? jerk[i] : 0));
    double part = jerk && g->clock->h > 0 ? s / g->clock->h : 0;
    for (int k = 0; k < sys->nl; k++) d->lam[k] = g->lam[k] + part * (g->lam[k] - g->lam0[k]);
    return 0;
}

void lm_dynamics_carry(lm_dynamics_run *d, double s)
{
    lm_integrator *g = d->g;
    lm_copy(g->q, d->q, g->sys->nq);
    lm_copy(g->v, d->v, g->sys->nv);
    d->k->work += s * d->k->power1;
    d->k->lost += s * d->k->loss1;
}

/* From before a kink to behind it, without a step. */
static void pass_kink(lm_dynamics_run *d, double to)
{
    double s = to - d->g->clock->t;
    if (!lm_dynamics_ahead(d, s, NULL)) lm_dynamics_carry(d, s);
}

/* Said once: a loop of values goes on where there is another solution. */
static void watch_branches(lm_dynamics_run *d)
{
    const char *name;
    if (!lm_machine_left_branch(d->g->sys, &name) || d->left_branch) return;
    d->left_branch = 1;
    lm_warning(
        d->run->diag, ((lm_loc){d->run->model->spec->file, 0, 0}),
        "at t = %.6g the loop through %s has no solution near its last one (a law turns back) "
        "and jumps to another; which one, a small C or I, or a filter, in the loop decides",
        d->g->clock->t, name);
}

static limber_status one_step(lm_dynamics_run *d)
{
    lm_integrator *g = d->g;
    double kink, limit = step_limit(d, &kink), push = 0;
    int jumped = 0, made = 1;
    limber_status st = d->events ? lm_events_step(d, limit, &push, &made) : lm_zones_step(d, limit);
    if (st) return st;
    int at_kink = g->clock->t >= kink - 0.02e-12 * d->until;
    if (at_kink) push = 0; /* found again behind it */
    double next = at_kink ? behind(d, kink) : g->clock->t + push;
    int at_end = d->samples_last && g->clock->t >= d->until - 1e-12 * d->until;
    if (made) lm_turns_look(d->run, g->q);
    if (made) st = account(d, at_kink || push > 0 || at_end);
    if (!st && made) st = lm_impulses_step(d);
    if (at_kink || push > 0) lm_impulses_before(d);
    if (!st && at_kink) pass_kink(d, next);
    if (!st && push > 0) st = lm_events_cross(d, push);
    if (!st && (made || g->sys->discrete)) st = lm_discrete_step(d, next, &jumped);
    if (!st && (at_kink || push > 0)) st = lm_impulses_after(d, next);
    if (!st) refresh_power(d);
    if (!st) st = watch_redundant(d);
    if (!st && (at_kink || jumped || push > 0)) {
        double work = d->k->work, t = kink - 0.01e-12 * d->until;
        st = start(d, next, 1);
        int driven = !st && at_kink && lm_drives_impulse(d, t, next, d->k->work - work);
        if (!st && !driven) lm_quality_jump(d, next);
        if (!st) st = lm_follow_size(d);
        if (!st) g->clock->h_next = fmin(g->clock->h_next, lm_first_step(d));
        if (!st) st = put_rows(d, 0);
    }
    watch_branches(d);
    if (st) return st;
    lm_quality_progress(d);
    if ((st = lm_record_messages(d->run))) return st;
    if (++d->k->since_checkpoint >= d->interval) lm_checkpoint_take(d);
    return show_progress(d);
}

static void finish(lm_dynamics_run *d)
{
    limber_summary *s = d->run->sum;
    const lm_step_stats *k = &d->g->stats;
    s->t = d->g->clock->t;
    if (d->events) s->events += (long)*d->events->count;
    s->steps += k->steps, s->rejected += k->rejected, s->iterations += k->iterations;
    s->jacobians += k->jacobians;
    s->smallest_step = k->smallest, s->largest_step = k->largest;
    s->constraint_error = fmax(s->constraint_error, k->phi);
    s->energy_error = lm_quality_energy(d->k);
    s->phase_residual += d->g->profile.residual;
    s->phase_jacobian += d->g->profile.jacobian;
    s->phase_factor += d->g->profile.factor;
    s->phase_solve += d->g->profile.solve;
}

static limber_status loop(lm_dynamics_run *d)
{
    limber_status st = LIMBER_OK;
    double end = d->until - 1e-12 * d->until;
    while (!st && d->g->clock->t < end) st = one_step(d);
    if (!st) st = put_rows_to(d, d->until);
    finish(d);
    return st;
}

/* The motion begins with the forces behind a jump at the very start. */
static limber_status leave_start(lm_dynamics_run *d)
{
    double next = behind(d, 0);
    return d->g->opt.step == 0 && lm_forces_jump(d, next) ? start(d, next, 1) : LIMBER_OK;
}

static limber_status begin(lm_dynamics_run *d)
{
    lm_run *run = d->run;
    lm_integrator *g = d->g;
    lm_energy e;
    memcpy(g->q, run->q, sizeof(double) * (size_t)g->sys->nq);
    memcpy(g->v, run->v, sizeof(double) * (size_t)g->sys->nv);
    d->redundant = g->sys->form->select_rows(g->sys, 0, g->q, 0);
    if (d->redundant < 0) return LIMBER_MEMORY;
    g->clock->size = run->model->size > 0 ? run->model->size : 1;
    limber_status st = lm_drives_open(d);
    if (!st) st = lm_checkpoint_open(d);
    if (!st) st = lm_rigid_motion_again(run, run->t);
    if (!st) st = lm_unit_open(d);
    double from = st ? 0 : lm_drives_behind(d, 0, lm_system_next_kink(g->sys, 0));
    if (!st) st = start(d, from, 0);
    if (st) return st;
    if (from > 0) lm_drives_impulse(d, 0, from, 0);
    g->sys->form->poses(g->sys, g->q, d->pose0);
    d->k->rested = -INFINITY;
    if (lm_follow_size(d)) return LIMBER_MEMORY;
    lm_warn_immobile(run);
    energies(d, &e);
    d->k->energy0 = total(&e);
    d->k->first = e;
    lm_quality_begin(d);
    int resumed = 0;
    st = lm_discrete_begin(d);
    if (!st && run->resuming) st = lm_checkpoint_read(d, &resumed);
    if (st || resumed) return st;
    st = put_rows(d, 0);
    if (!st) st = leave_start(d);
    if (!st) lm_checkpoint_take(d);
    return st ? st : lm_checkpoint_write(d);
}

/* A companion has the same forces and drives. */
static void share_timing(lm_system *sys, const lm_timing *x)
{
    sys->timing = x;
    if (sys->companion) sys->companion->timing = x;
}

static limber_status open_timing(lm_dynamics_run *d, const lm_spec_analysis *a)
{
    if (lm_timing_make(d->run->model->spec, d->until, &d->timing)) return LIMBER_MEMORY;
    d->timing->fine = lm_method_fineness(a, d->run->sys);
    share_timing(d->run->sys, d->timing);
    return LIMBER_OK;
}

limber_status lm_dynamics_open(lm_run *run, const lm_spec_analysis *a, lm_dynamics_run *d)
{
    lm_system *sys = run->sys;
    size_t nq = (size_t)sys->nq, nv = (size_t)sys->nv, nl = (size_t)sys->nl;
    size_t nout = (size_t)run->model->spec->outputs.n;
    double until = run->opt->until > 0 ? run->opt->until : a->until;
    *d = (lm_dynamics_run){
        .run = run, .until = until, .cap = INFINITY, .dt = fmin(a->output_step, until)};
    d->last = ceil(until / d->dt - 1e-9);
    d->first_step = 1e-2 * fmin(a->output_step, 1e-2 * until);
    d->g = lm_method_integrator(a, sys, until);
    if (d->g) d->largest = d->g->opt.largest_step;
    d->q = lm_alloc(sizeof(double) * (nq + 2 * nv + nl + 14 * (size_t)sys->nposes + nout + 1));
    d->k = lm_alloc(sizeof *d->k);
    limber_status st = d->g ? lm_events_open(d) : LIMBER_MEMORY;
    if (!st) st = lm_zones_open(d);
    if (!st) st = open_timing(d, a);
    if (!st) st = lm_algebraic_open(d);
    if (st) return st;
    /* between the stages of `radau` a state of a machine that follows others quickly is right to the
     * tolerance, but not its rate: the current of a capacitor is a difference of nearly equal voltages */
    d->lands = d->g->ops->lands_on_outputs || (d->g->ops->at && d->g->sys->nvariables > 0);
    st = lm_power_flow_open(d);
    if (st) return st;
    if (!d->q || !d->k) return LIMBER_MEMORY;
    st = lm_delays_open(d);
    if (!st) st = lm_impulses_open(d);
    if (st) return st;
    /* what is forgotten must be cheap against the steps in between */
    double least = 20 * fmax(1, d->g->ops->start_up);
    d->interval = fmin(500, fmax(least, floor(5e5 / (double)(nv + 1))));
    d->v = d->q + nq, d->a = d->v + nv, d->lam = d->a + nv;
    d->pose = d->lam + nl, d->pose0 = d->pose + 7 * sys->nposes;
    d->outputs = d->pose0 + 7 * sys->nposes;
    d->g->profile.on = run->opt->profile;
    snprintf(run->sum->method, sizeof run->sum->method, "%s",
             a->method == LM_METHOD_NEWMARK ? "newmark" : d->g->ops->name);
    return begin(d);
}

void lm_dynamics_close(lm_dynamics_run *d)
{
    if (d->g) d->g->ops->destroy(d->g);
    lm_events_close(d);
    lm_zones_close(d);
    lm_free(d->kept);
    lm_algebraic_close(d);
    lm_drives_close(d);
    if (d->timing) share_timing(d->run->sys, NULL);
    lm_timing_free(d->timing);
    lm_delays_close(d);
    lm_impulses_close(d);
    lm_free(d->q);
    lm_free(d->k);
    lm_free(d->snapshot);
    lm_free(d->extremes);
    lm_free(d->powers);
}

limber_status lm_dynamics_advance(lm_dynamics_run *d, double t)
{
    limber_status st = LIMBER_OK;
    d->cap = t;
    while (!st && d->g->clock->t < t - 1e-12 * d->until) st = one_step(d);
    d->cap = INFINITY;
    return st;
}

/* For the report, which cannot tell it from the tables where storages give each other their energy. */
static limber_status put_energy_error(lm_run *run)
{
    if (!run->file) return LIMBER_OK;
    int bad =
        lm_h5_write_attr_num(run->file, run->tables.group, "energy_error", run->sum->energy_error);
    return bad ? lm_record_failed(run) : LIMBER_OK;
}

/* Which way a mechanism goes on from where it bifurcates is not in its model. */
static void say_singular(const lm_dynamics_run *d, lm_loc loc)
{
    if (d->left_singular == 0) return;
    lm_diag_add(
        d->run->diag, LM_NOTE, loc,
        "the mechanism begins in a singular position of its joints, from which it may go on in "
        "several ways; its loads and speeds there lead next to one, and from t = %.6g on it "
        "follows that: start it away from there, or with all rates, to choose",
        d->left_singular);
}

limber_status lm_dynamics(lm_run *run, const lm_spec_analysis *a)
{
    lm_dynamics_run d = {0};
    limber_status st = lm_dynamics_open(run, a, &d);
    if (!st && lm_diag_reserve(run->diag)) st = LIMBER_MEMORY;
    if (!st) {
        if (!run->resuming) lm_quality_corners(&d, a->loc);
        st = loop(&d);
        limber_status written = st == LIMBER_IO ? st : lm_checkpoint_write(&d);
        if (!written) written = lm_power_flow_close(&d);
        if (!written) written = put_energy_error(run);
        if (!st) st = written;
        if (st == LIMBER_OK || st == LIMBER_STOPPED) lm_quality_motion(&d, a->loc);
        st = lm_record_end(run, st);
        memcpy(run->q, d.g->q, sizeof(double) * (size_t)run->sys->nq);
        memcpy(run->v, d.g->v, sizeof(double) * (size_t)run->sys->nv);
        run->t = d.g->clock->t;
        lm_rigid_motion_warn(run, 1, 0, a->loc);
        say_singular(&d, a->loc);
        if (st == LIMBER_OK || st == LIMBER_STOPPED) lm_small_divide(run);
        lm_small_warn(run);
        lm_range_warn(run);
        lm_turns_warn(run);
        lm_mesh_warn(run, a->type);
    } else if (st == LIMBER_STOPPED || st == LIMBER_MEMORY)
        lm_record_end(run, st);
    lm_dynamics_close(&d);
    return st;
}
