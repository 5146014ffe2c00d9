/* Natural frequencies and mode shapes about a state at rest: the assembled initial state, where the
 * analysis before has ended, or the static equilibrium near it. */
#include "analysis/modes.h"

#include "analysis/effects.h"
#include "analysis/mesh.h"
#include "form/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DENSE = 600 };    /* velocities up to which the dense solver is the quicker one */
#define COARSE      0.02 /* error of a frequency by the mesh of which the user is told */
#define MEANINGLESS 0.15 /* ... beyond which it is only known to be large */

/* ---- solving ---- */

static limber_status undamped(lm_modes *m, double **Y)
{
    int general = m->damped || m->skew;
    /* some more than asked for: equal ones come together, and shapes with damping are made of
     * them */
    int wanted = general ? m->count + m->count / 2 + 20 : m->count + m->count / 8 + 4;
    int few = m->nfree < 2 * wanted + 20, small = m->sys->nv <= DENSE && !m->large;
    limber_status st;
    int dense = small || few || m->implicit; /* Lanczos takes the inner product of a symmetric M */
    if (dense)
        st = lm_modes_dense(m, Y);
    else {
        st = lm_modes_large(m, wanted);
        *Y = m->X;
    }
    if (!st) lm_modes_rayleigh(m);
    if (!st && dense && !m->skew) st = lm_modes_sharpen(m);
    return st ? st : lm_modes_turn_equal(m);
}

limber_status lm_modes_solve(lm_modes *m, double t, const double *q)
{
    double *Y = NULL, softness = m->sys->softness;
    limber_status st = lm_modes_linearise(m, t, q);
    if (!st) st = undamped(m, &Y);
    if (!st)
        st = m->n > 0 && (m->damped || m->skew) ? lm_modes_general(m, Y) : lm_modes_undamped(m);
    if (!st) st = lm_modes_finish(m);
    m->sys->softness = softness;
    return st;
}

void lm_modes_free(lm_modes *m)
{
    if (m->g) m->g->ops->destroy(m->g);
    lm_condensed_destroy(m->condensed);
    lm_arena_free(&m->arena);
}

/* ---- what is said about them ---- */

limber_mode lm_modes_public(const lm_modes *m, int i)
{
    const lm_mode *o = &m->mode[i];
    limber_mode p = {.number = i + 1, .kind = o->kind, .real = o->re, .imaginary = o->im};
    if (o->kind == LIMBER_MODE_VIBRATES) {
        p.omega = hypot(o->re, o->im);
        p.frequency = p.omega / (2 * acos(-1.0));
        p.damping_ratio = o->re == 0 ? 0 : -o->re / p.omega;
    } else if (o->kind != LIMBER_MODE_RIGID)
        p.damping_ratio = o->kind == LIMBER_MODE_GROWS ? -1 : 1;
    memcpy(p.participation, o->participation, sizeof p.participation);
    memcpy(p.effective_mass, o->mass, sizeof p.effective_mass);
    m->sys->form->describe_motion(m->sys, o->mover, p.moves, sizeof p.moves);
    return p;
}

static void warn_unbalanced(lm_run *run, const lm_modes *m, lm_loc loc)
{
    char name[160];
    if (m->at_rest) return;
    m->sys->form->describe(m->sys, m->unbalanced_at, name, sizeof name);
    lm_warning(run->diag, loc,
               "modes: the state is not an equilibrium: a force of %.3g is not balanced (%s); the "
               "modes are those of the state held there, use 'about: statics' for those of the "
               "equilibrium",
               m->unbalanced, name);
}

/* A mode grows where its exponent does, beyond rounding. */
static int grows(const lm_mode *o)
{
    return o->kind == LIMBER_MODE_GROWS ||
           (o->kind == LIMBER_MODE_VIBRATES && o->re > 1e-8 * o->im);
}

static void warn_unstable(lm_run *run, const lm_modes *m, lm_loc loc)
{
    int n = 0, most = 5;
    for (int i = 0; i < m->found; i++) {
        const lm_mode *o = &m->mode[i];
        if (!grows(o) || ++n > most) continue;
        lm_warning(run->diag, loc, "mode %d is unstable: it grows like exp(%.4g t)%s", i + 1, o->re,
                   o->im > 0 ? " while it vibrates" : "");
    }
    if (n > most) lm_warning(run->diag, loc, "%d more modes are unstable", n - most);
}

/* Stiffnesses that differ too much: 1 - 1 = 1e-16, and that may be as much as a soft mode has. */
static void warn_rounding(lm_run *run, const lm_modes *m, lm_loc loc)
{
    for (int j = 0; j < m->n && j < m->count; j++) {
        double off = m->slack[j] / fabs(m->lambda[j]);
        if (!(off > 0.01 && off < 1)) continue; /* beyond that it counts as 0 */
        lm_warning(
            run->diag, loc,
            "rounding may change the frequency of mode %d by up to %.2g %%: parts of the model are "
            "too stiff for it, perhaps elements too short",
            j + 1, 50 * off);
        return;
    }
}

static void warn_left_out(lm_run *run, const lm_modes *m, lm_loc loc)
{
    char name[160];
    if (!m->left_out) return;
    m->sys->form->describe_motion(m->sys, m->left_out_at, name, sizeof name);
    lm_warning(run->diag, loc,
               "%d motion%s (mostly %s) %s neither mass nor stiffness and %s left out", m->left_out,
               m->left_out == 1 ? "" : "s", name, m->left_out == 1 ? "has" : "have",
               m->left_out == 1 ? "is" : "are");
}

/* Elements are too long for the waves of a mode. */
static void warn_mesh(lm_run *run, const lm_modes *m, lm_loc loc)
{
    double most = 0;
    int first = -1, worst = 0;
    for (int i = 0; i < m->found; i++) {
        const lm_mode *o = &m->mode[i];
        double mass = lm_modes_form(m, m->M, o->shape, NULL), omega = hypot(o->re, o->im);
        if (o->kind != LIMBER_MODE_VIBRATES || !(mass > 0)) continue;
        double off = lm_mesh_mode(run, m->sys, run->q, o->shape, omega, mass);
        if (off > most) most = off, worst = i;
        if (first < 0 && off > COARSE) first = i;
    }
    lm_effect_part(run, "waves as short as elements (mesh)", "", most);
    if (first < 0) return;
    char off[64] = "means nothing";
    if (most < MEANINGLESS) snprintf(off, sizeof off, "is off by about %.2g %%", 100 * most);
    lm_warning(run->diag, loc,
               "modes: elements are too long for the waves of modes from %d on: the frequency of "
               "mode %d %s; give beams %.0f times the 'elements'",
               first + 1, worst + 1, off, lm_mesh_times(run, most));
}

/* What of a machine takes no part. */
static void say_held(lm_run *run, const lm_modes *m, lm_loc loc)
{
    const lm_spec *spec = run->sys->model->spec;
    const lm_condensed *s = m->condensed;
    if (!s) return;
    if (s->by_itself >= 0)
        lm_diag_add(
            run->diag, LM_NOTE, loc,
            "modes: of the mechanism alone, without controllers and power graph: '%s' moves by "
            "itself; use 'linearize' for the poles of the whole machine",
            spec->variables.at[s->by_itself].name);
    else if (s->held)
        lm_diag_add(run->diag, LM_NOTE, loc,
                    "modes: of the mechanism with what of controllers and power graph follows its "
                    "motion; %d state%s of its own ('%s'%s) %s held; use 'linearize' for the poles "
                    "of the whole machine",
                    s->held, s->held == 1 ? "" : "s", spec->variables.at[s->first_held].name,
                    s->held == 1 ? "" : ", ...", s->held == 1 ? "is" : "are");
    else if (spec->delays.n)
        lm_diag_add(run->diag, LM_NOTE, loc,
                    "modes: of the mechanism with what of controllers and power graph follows its "
                    "motion; what comes out of delays is held");
}

static void say(lm_run *run, const lm_modes *m, lm_loc loc)
{
    say_held(run, m, loc);
    warn_unbalanced(run, m, loc);
    warn_mesh(run, m, loc);
    warn_left_out(run, m, loc);
    warn_rounding(run, m, loc);
    warn_unstable(run, m, loc);
    if (m->found == 0)
        lm_warning(run->diag, loc,
                   "the joints and drives leave no motion free: there are no modes");
}

/* ---- the analysis ---- */

static int stop(void *context)
{
    limber_progress p = {0};
    return lm_run_progress(context, &p) != LIMBER_OK;
}

/* The mechanism of a machine, with the variables as its small motions from rest in its position make them. */
static limber_status hold_variables(lm_run *run, lm_modes *m, double t)
{
    lm_system *sys = run->sys;
    if (!sys->nvariables) return LIMBER_OK;
    lm_modes rest = {.sys = sys, .states = run->v + sys->nv - sys->nvariables};
    limber_status st = lm_modes_rest(&rest, t, run->q);
    if (st == LIMBER_STOPPED) lm_fail(&m->failure, LIMBER_STOPPED, "%s", rest.failure.text);
    if (!st) {
        lm_state s = {t, run->q, rest.v0, rest.a0, rest.g->lam};
        st = lm_condensed_create(sys, &s, &m->condensed);
        if (!st) m->sys = &m->condensed->sys;
        if (st == LIMBER_STOPPED)
            st = lm_fail(&m->failure, LIMBER_STOPPED,
                         "controllers or power graph give no finite number at this state");
    }
    lm_modes_free(&rest);
    return st;
}

static limber_status compute(lm_run *run, const lm_spec_analysis *a, lm_modes *m)
{
    limber_status st = a->about_statics ? lm_find_equilibrium(run) : LIMBER_OK;
    double t = a->about_statics ? 0 : run->t;
    if (st) return st;
    st = hold_variables(run, m, t);
    if (!st) st = lm_modes_solve(m, t, run->q);
    if (st == LIMBER_STOPPED || st == LIMBER_INTERNAL)
        lm_stop(run, st, "modes: %s",
                m->failure.text[0] ? m->failure.text : limber_status_text(st));
    if (st == LIMBER_INTERRUPTED) lm_stop(run, st, "interrupted while computing modes");
    if (st == LIMBER_MEMORY) lm_stop(run, st, "out of memory");
    return st;
}

/* Everything after the numbers: messages, summary, file, the caller's list. */
static limber_status deliver(lm_run *run, const lm_spec_analysis *a, const lm_modes *m)
{
    limber_summary *sum = run->sum;
    say(run, m, a->loc);
    if (run->diag->out_of_memory) return LIMBER_MEMORY; /* a message was lost */
    snprintf(sum->method, sizeof sum->method, "%s", m->method);
    sum->modes = m->found;
    sum->modes_available = m->available;
    sum->rows += m->found;
    sum->about_statics = a->about_statics;
    memcpy(sum->total_mass, m->total, sizeof sum->total_mass);
    memcpy(sum->captured_mass, m->captured, sizeof sum->captured_mass);
    limber_status st = lm_modes_record(run, m, a->about_statics ? "statics" : "initial");
    for (int i = 0; i < m->found && !st && run->opt->mode; i++) {
        limber_mode p = lm_modes_public(m, i);
        run->opt->mode(run->opt->mode_context, &p);
    }
    return st;
}

static limber_status solve_and_deliver(lm_run *run, const lm_spec_analysis *a, void *context)
{
    limber_status st = compute(run, a, context);
    return st ? st : deliver(run, a, context);
}

limber_status lm_modes_analysis(lm_run *run, const lm_spec_analysis *a)
{
    lm_modes m = {.sys = run->sys, .count = a->count, .stop = stop, .stop_context = run};
    limber_status st = lm_run_aside(run, a, solve_and_deliver, &m);
    lm_modes_free(&m);
    return st;
}
