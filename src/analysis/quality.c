/* What makes results doubtful is said, and not left to their reader to notice: outputs that are no numbers,
 * constraints that are violated, energy that is missing, runs that get nowhere (docs/results.md). */
#include "analysis/dynamics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VIOLATED 1e-3 /* of the mechanism's size, or radians */
#define MISSING  1e-2 /* of the exchanged energy */
#define JUMP     1e-3 /* of it, too */

/* ---- rows ---- */

int lm_quality_make(lm_run *run)
{
    run->doubt = lm_alloc(sizeof(double) * lm_quality_size(run));
    return run->doubt ? 0 : -1;
}

size_t lm_quality_size(const lm_run *run) { return 2 * (size_t)run->model->spec->outputs.n + 1; }

/* The constraint that is violated most. */
static int worst_row(const lm_run *run, const lm_state *s)
{
    lm_system *sys = run->sys;
    double most = -1, size = run->model->size > 0 ? run->model->size : 1;
    double *r = lm_alloc(sizeof(double) * (size_t)(sys->nv + sys->nl + 1));
    int row = -1;
    if (r && sys->nl && !sys->form->residual(sys, s, r, r + sys->nv, NULL))
        for (int k = 0; k < sys->nl; k++) {
            double gap = fabs(r[sys->nv + k]) / (sys->angular[sys->nv + k] ? 1 : size);
            if (sys->active[k] && !(gap <= most)) most = gap, row = k;
        }
    lm_free(r);
    return row;
}

static void warn_violated(lm_run *run, const lm_state *s, double time, double phi)
{
    char name[160] = "";
    int row = worst_row(run, s);
    if (row >= 0) run->sys->form->describe(run->sys, run->sys->nv + row, name, sizeof name);
    lm_warning(run->diag, ((lm_loc){run->model->spec->file, 0, 0}),
               "up to t = %.6g constraints are violated by %.2g (of the mechanism's size, or "
               "radians)%s%s: "
               "its joints have come apart, and what follows is another mechanism; give a smaller "
               "'tolerance' or 'step'",
               time, phi, name[0] ? ", most of all " : "", name);
}

void lm_quality_row(lm_run *run, const lm_state *s, double time, double phi)
{
    double *said = run->doubt ? run->doubt + 2 * run->model->spec->outputs.n : NULL;
    if (!said || *said != 0 || phi <= VIOLATED) return;
    *said = 1;
    warn_violated(run, s, time, phi);
}

void lm_quality_outputs(lm_run *run, const double *value, double time)
{
    double *d = run->doubt;
    for (int i = 0; d && i < run->model->spec->outputs.n; i++)
        if (!isfinite(value[i]) && d[2 * i + 1]++ == 0) d[2 * i] = time;
}

void lm_quality_end(lm_run *run)
{
    const lm_spec *spec = run->model->spec;
    double *d = run->doubt;
    for (int i = 0; d && i < spec->outputs.n; i++) {
        const lm_spec_output *o = &spec->outputs.at[i];
        double rows = d[2 * i + 1];
        if (!(rows > 0)) continue;
        d[2 * i + 1] = NAN; /* that has been said */
        lm_warning(run->diag, o->item.loc,
                   "output '%s' is not a finite number in %.0f row%s, first at t = %.6g: its "
                   "expression has no value there (a division by zero, the root or logarithm of a "
                   "negative number, a number that is too large)",
                   o->item.name, rows, rows == 1 ? "" : "s", d[2 * i]);
    }
}

void lm_quality_anew(lm_run *run)
{
    if (run->doubt) memset(run->doubt, 0, sizeof(double) * lm_quality_size(run));
}

/* ---- energy ---- */

/* Positions are rounded by as much as they are far from the origin, and forces do work on that. */
void lm_quality_begin(lm_dynamics_run *d)
{
    lm_integrator *g = d->g;
    double force = g->mass_unit * v3_norm(d->run->model->gravity) * g->sys->nposes;
    for (int k = 0; k < g->sys->nl; k++)
        if (g->sys->active[k] && !g->sys->angular[g->sys->nv + k])
            force = fmax(force, fabs(g->lam[k]));
    d->k->noise = 1e-15 * force * lm_integrator_reach(g);
}

/* What cannot be told from rounding: of large energies that stay, of bodies far from the origin. */
static double rounding(const lm_dynamics_state *k)
{
    const lm_energy *e = &k->first;
    return 1e-13 * (fabs(e->kinetic) + fabs(e->gravity) + fabs(e->elastic) + fabs(e->stored)) +
           k->noise;
}

/* Motions that exchange hardly more than rounding are no measure. */
double lm_quality_energy(const lm_dynamics_state *k)
{
    double unit = rounding(k);
    if (isnan(k->imbalance)) return NAN;
    return k->imbalance > unit ? k->imbalance / fmax(k->exchanged, 1e4 * unit) : 0;
}

/* A row is made: where most of what is missing went. */
void lm_quality_balance(lm_dynamics_run *d, double time, double balance)
{
    lm_dynamics_state *k = d->k;
    double change = fabs(balance - k->balance);
    if (change > k->lost_most) k->lost_most = change, k->lost_at = time;
    k->balance = balance;
}

/* The run has started again behind a kink, an event or a change of the discrete state. */
void lm_quality_jump(lm_dynamics_run *d, double t)
{
    lm_dynamics_state *k = d->k;
    if (!(fabs(d->energy[1] - d->energy[0]) > fabs(k->jump[1] - k->jump[0]))) return;
    k->jump[0] = d->energy[0], k->jump[1] = d->energy[1];
    k->jump_at = t;
}

static void warn_jump(lm_dynamics_run *d)
{
    const lm_dynamics_state *k = d->k;
    double scale = fmax(k->exchanged, 1e7 * rounding(k));
    if (d->jump_said || !(fabs(k->jump[1] - k->jump[0]) > JUMP * scale)) return;
    d->jump_said = 1;
    lm_warning(d->run->diag, ((lm_loc){d->run->model->spec->file, 0, 0}),
               "at t = %.6g the energy jumps from %.6g to %.6g: something on which the motion or a "
               "storage depends (a state, a ratio, a source) changes at once there, and the "
               "difference is booked as work done on the model; let it change in a finite time "
               "('step') where that is not meant (smaller jumps are not mentioned)",
               k->jump_at, k->jump[0], k->jump[1]);
}

/* What linear elastic displacements neglect of energies is of the order of the rotations; more than this factor of
 * them is another cause. */
#define LINEAR 10

void lm_quality_motion(lm_dynamics_run *d, lm_loc loc)
{
    const lm_dynamics_state *k = d->k;
    double part = lm_quality_energy(k);
    char remedy[200];
    warn_jump(d);
    if (d->missing_said || part <= MISSING) return;
    d->missing_said = 1;
    if (d->g->sys->motion && part < LINEAR * d->g->sys->motion->largest)
        snprintf(remedy, sizeof remedy,
                 "'%s' is linear about the rigid motion, and so much is what that neglects; "
                 "compare with 'corotational'",
                 d->g->sys->form->name);
    else
        snprintf(remedy, sizeof remedy,
                 "give a smaller '%s', and see which force jumps or is too steep there",
                 d->g->opt.step > 0 ? "step" : "tolerance");
    lm_warning(d->run->diag, loc,
               "the energy balance is violated: %.2g %% of the exchanged energy is missing, most "
               "of it about t = %.6g: results are no better than that; %s",
               100 * part, k->lost_at, remedy);
}

/* ---- progress ---- */

#define CORNERS   100 /* that are looked at, from each of ... */
#define PLACES    4   /* ... so many instants of the run */
#define EXPENSIVE 5e5 /* steps */

/* In what time on average the next corners of expressions of time follow t; INFINITY: there are fewer. */
static double between_corners(lm_dynamics_run *d, double t)
{
    double to = t;
    for (int i = 0; i < CORNERS && to < d->until; i++)
        to = lm_system_next_kink(d->g->sys, to + 1e-12 * d->until);
    return to < d->until ? (to - t) / CORNERS : INFINITY;
}

/* A step ends at every corner. Said where they are dense all through the run. */
void lm_quality_corners(lm_dynamics_run *d, lm_loc loc)
{
    double apart = 0;
    for (int k = 0; k < PLACES; k++) apart = fmax(apart, between_corners(d, d->until * k / PLACES));
    if (d->until < EXPENSIVE * apart) return;
    lm_diag_add(d->run->diag, LM_NOTE, loc,
                "expressions of time have a jump or corner every %.3g ('floor', 'mod', "
                "comparisons), and a step ends at each: the run takes some %.2g steps at least; if "
                "few of them matter, write these by their instants ('if(t < ..)', 'pwl')",
                apart, d->until / apart);
}

enum { MANY = 20000 }; /* steps, rejected ones included, */
#define SECONDS 120    /* or time in which ... */
#define LITTLE  1e-5   /* ... this part of the motion at least is to be done */
#define PATIENT 10     /* seconds; what takes less is over before anybody asks */

static int is_long(lm_dynamics_run *d)
{
    double now = lm_seconds();
    if (d->mark_seconds == 0) d->mark_seconds = now;
    return now - d->mark_seconds >= SECONDS;
}

static void warn_stall(lm_dynamics_run *d, double made)
{
    const lm_integrator *g = d->g;
    const lm_dynamics_state *k = d->k;
    double t = g->clock->t, left = (d->until - t) / fmax(t - k->mark_t, 1e-300) * made;
    const char *remedy =
        g->opt.step > 0 ? "'step' is that small"
        : strcmp(g->ops->name, "explicit") == 0
            ? "an explicit method takes such steps where something light hangs on something stiff: "
              "try 'method: radau'"
            : "a force that is too steep there or jumps to and fro, or something very light on "
              "something very stiff, asks for such steps";
    lm_warning(d->run->diag, ((lm_loc){d->run->model->spec->file, 0, 0}),
               "there is hardly any progress at t = %.6g: %.0f steps (%.0f of them rejected) for "
               "%.2g of the time, and some %.2g are left at this pace; %s",
               t, made, (double)g->stats.rejected - k->mark_rejected, t - k->mark_t, left, remedy);
}

/* Steps that the error makes small may grow at once: a brief pulse in a long run is no standstill. */
static int may_pass(const lm_dynamics_run *d)
{
    return d->g->opt.step == 0 && lm_seconds() - d->mark_seconds < PATIENT;
}

void lm_quality_progress(lm_dynamics_run *d)
{
    const lm_integrator *g = d->g;
    lm_dynamics_state *k = d->k;
    double made = (double)(g->stats.steps + g->stats.rejected) - k->mark_steps;
    if (k->stall_said || (made < MANY && !is_long(d))) return;
    if (g->clock->t - k->mark_t < LITTLE * d->until) {
        if (may_pass(d)) return;
        k->stall_said = 1;
        warn_stall(d, made);
    }
    k->mark_t = g->clock->t;
    k->mark_steps += made;
    k->mark_rejected = (double)g->stats.rejected;
    d->mark_seconds = lm_seconds();
}
