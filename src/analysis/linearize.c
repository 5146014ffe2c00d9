/* The linearised model about a state: matrices, poles, transfer functions. */
#include "analysis/linearize.h"

#include "analysis/effects.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHANGE 0.01 /* of the matrices, that is said */
#define OFF    0.01 /* of frequencies, that is said */
#define SHAPED                                                                                     \
    0.6 /* error of frequencies over the rotation of beams: docs/theory/elastodynamic.md */

enum { MOST = 1000, MOST_VELOCITIES = 6000 }; /* independent motions; everything is dense */

/* ---- solving ---- */

static limber_status reserve(lm_linearized *l)
{
    const lm_model *m = l->sys->model;
    size_t nv = (size_t)l->sys->nv, n = (size_t)l->n, nu = (size_t)l->nu, ny = (size_t)l->ny;
    size_t k = 2 * n + nu, nl = (size_t)l->sys->nl; /* A, B, C before they are cut */
    size_t inputs = 6 * (size_t)m->spec->loads.n + (size_t)(m->ncoords + m->spec->variables.n);
    struct {
        double **at;
        size_t size;
    } want[] = {{&l->Z, nv * n},    {&l->Kz, nv * n},    {&l->G, nv * n},     {&l->Py, nv * n},
                {&l->Pw, nv * n},   {&l->S, n * n},      {&l->OZ, n * n},     {&l->OG, n * n},
                {&l->M, n * n},     {&l->D, n * n},      {&l->K, n * n},      {&l->B2, n * nu},
                {&l->dx, nv * k},   {&l->dv, nv * k},    {&l->da, nv * k},    {&l->dlam, nl * k},
                {&l->A, 4 * n * n}, {&l->B, 2 * n * nu}, {&l->C, ny * 2 * n}, {&l->D1, ny * nu},
                {&l->u, inputs}};
    l->state = LM_NEW_N(&l->arena, int, n + 1);
    l->row = LM_NEW_N(&l->arena, int, nl + 1);
    l->keep = LM_NEW_N(&l->arena, int, 2 * n + 1);
    int missing = !l->state || !l->row || !l->keep;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        missing |= !(*want[i].at = LM_NEW_N(&l->arena, double, want[i].size + 1));
    return missing ? LIMBER_MEMORY : LIMBER_OK;
}

static limber_status state(lm_linearized *l)
{
    lm_modes *m = &l->m;
    m->sys = l->sys;
    m->states = l->states;
    limber_status st =
        l->v ? lm_modes_linearise_moving(m, l->t, l->q, l->v) : lm_modes_linearise(m, l->t, l->q);
    if (st == LIMBER_STOPPED) return lm_fail(&l->failure, LIMBER_STOPPED, "%s", m->failure.text);
    l->n = l->n2 = m->nfree;
    l->moving = l->n - l->sys->nvariables;
    if (!st && (l->n > MOST || l->sys->nv > MOST_VELOCITIES))
        return lm_fail(&l->failure, LIMBER_STOPPED,
                       "%d independent motions of %d in all are too many for dense "
                       "matrices (at most %d of %d): use fewer elements",
                       l->n, l->sys->nv, MOST, MOST_VELOCITIES);
    return st;
}

/* Without accelerations no force is left over but rounding. */
static int balanced(const lm_linearized *l)
{
    const lm_modes *m = &l->m;
    const lm_system *sys = l->sys;
    lm_integrator *g = m->g;
    lm_state s = {g->clock->t, g->q, l->v ? g->v : m->v0, m->a0, g->lam};
    if (sys->form->residual(g->sys, &s, g->x, NULL, NULL)) return 0;
    for (int i = 0; i < sys->nv - sys->nvariables; i++)
        if (!(fabs(g->x[i]) * m->unit[i] <= m->rounding * m->size)) return 0;
    return 1;
}

/* The largest acceleration, as a velocity per second over the size; of states the largest rate, over their
 * value where that is more than 1. What has no mass is accelerated by rounding. */
static void find_rest(lm_linearized *l)
{
    const lm_system *sys = l->sys;
    int moving = sys->nv - sys->nvariables;
    for (int i = sys->massless && balanced(l) ? moving : 0; i < sys->nv; i++) {
        double a = fabs(l->m.g->a[i]) / l->m.unit[i];
        if (i >= moving) {
            if (sys->model->spec->variables.at[i - moving].kind != LM_VARIABLE_STATE) continue;
            a /= fmax(1, fabs(l->m.v0[i]));
            if (a > l->rest_states) l->rest_states = a, l->rest_state_at = i;
        }
        if (a > l->rest) l->rest = a, l->rest_at = i;
    }
}

limber_status lm_linearized_equations(lm_linearized *l)
{
    l->sys->exact_tangent = 1;
    limber_status st = state(l);
    l->sys->still = !l->v; /* the state has set it back */
    if (!st) st = reserve(l);
    if (!st) find_rest(l);
    if (!st) st = lm_linearized_motion(l);
    if (!st) lm_linearized_states(l);
    if (!st && l->v) st = lm_linearized_tangent(l);
    if (!st) st = lm_linearized_matrices(l);
    l->sys->exact_tangent = 0;
    return st;
}

limber_status lm_linearized_solve(lm_linearized *l)
{
    double softness = l->sys->softness;
    limber_status st = lm_linearized_equations(l);
    if (!st) st = lm_linearized_outputs(l);
    if (!st) lm_linearized_cut(l);
    if (!st) st = lm_linearized_poles(l);
    l->sys->softness = softness;
    l->sys->still = 0;
    return st;
}

void lm_linearized_free(lm_linearized *l)
{
    lm_modes_free(&l->m);
    lm_arena_free(&l->arena);
}

void lm_linearized_state_name(const lm_linearized *l, int i, char *text, size_t size)
{
    int at = l->keep[i], velocity = l->state[at % l->n];
    size_t used = 0;
    if (velocity >= l->sys->nv - l->sys->nvariables) used = (size_t)snprintf(text, size, "state ");
    l->sys->form->describe_motion(l->sys, velocity, text + used, size - used);
    if (used) return;
    used = strlen(text);
    if (at >= l->n) snprintf(text + used, size - used, ", rate");
}

/* ---- the state to be linearised about ---- */

typedef struct place {
    int at_rest; /* static equilibrium: drives hold */
    double t;
} place;

/* The dynamics before this analysis, or its defaults; *index: where in the list, -1. */
static lm_spec_analysis dynamics_before(const lm_run *run, int *index)
{
    const lm_spec *spec = run->model->spec;
    lm_spec_analysis a = lm_analysis_defaults(LM_ANALYSIS_DYNAMICS, (lm_loc){spec->file, 0, 0});
    *index = -1;
    for (int i = 0; i < spec->analyses.n && i < run->index; i++)
        if (spec->analyses.at[i].type == LM_ANALYSIS_DYNAMICS) a = spec->analyses.at[i], *index = i;
    return a;
}

/* The state at the time t of the dynamics before this analysis, begun anew from where it began. */
static limber_status run_to(lm_run *run, double t)
{
    int index;
    lm_spec_analysis a = dynamics_before(run, &index);
    limber_status st = lm_initial_state(run);
    for (int i = 0; i < index && !st; i++) {
        const lm_spec_analysis *before = &run->model->spec->analyses.at[i];
        if (lm_analysis_hands_on(before->type)) st = lm_run_unrecorded(run, before);
    }
    a.until = a.output_step = t;
    return st || t == 0 ? st : lm_run_unrecorded(run, &a);
}

static int after_statics(const lm_run *run)
{
    const lm_spec *spec = run->model->spec;
    if (run->opt->analysis) return 0; /* this analysis alone */
    for (int i = run->index - 1; i >= 0; i--) {
        const lm_spec_analysis *before = &spec->analyses.at[i];
        if (before->type == LM_ANALYSIS_STATICS) return !before->linear;
        if (lm_analysis_hands_on(before->type)) return 0;
    }
    return 0;
}

static limber_status find_place(lm_run *run, const lm_spec_analysis *a, place *p)
{
    *p = (place){after_statics(run), run->t};
    if (a->about_statics) {
        *p = (place){1, 0};
        return lm_find_equilibrium(run);
    }
    if (a->at < 0 || a->at == run->t) return LIMBER_OK;
    *p = (place){0, a->at};
    return run_to(run, a->at);
}

/* ---- what is asked ---- */

static int list_inputs(const lm_spec *spec, const lm_spec_analysis *a, lm_input *out)
{
    if (a->ninputs == 0) return lm_inputs_named(spec, NULL, out);
    int n = 0;
    for (int i = 0; i < a->ninputs; i++)
        n += lm_inputs_named(spec, a->inputs[i], out ? out + n : NULL);
    return n;
}

static int list_outputs(const lm_spec *spec, const lm_spec_analysis *a, int *out)
{
    if (a->noutputs == 0) return lm_outputs_named(spec, NULL, out);
    int n = 0;
    for (int i = 0; i < a->noutputs; i++)
        n += lm_outputs_named(spec, a->outputs[i], out ? out + n : NULL);
    return n;
}

static limber_status ask(lm_run *run, const lm_spec_analysis *a, const place *p, lm_linearized *l)
{
    const lm_spec *spec = run->model->spec;
    *l = (lm_linearized){.sys = run->sys, .t = p->t, .q = run->q, .v = p->at_rest ? NULL : run->v};
    l->states = run->v + run->sys->nv - run->sys->nvariables;
    l->nu = list_inputs(spec, a, NULL);
    l->ny = list_outputs(spec, a, NULL);
    lm_input *in = LM_NEW_N(&l->arena, lm_input, l->nu + 1);
    int *out = LM_NEW_N(&l->arena, int, l->ny + 1);
    if (!in || !out) return LIMBER_MEMORY;
    list_inputs(spec, a, in);
    list_outputs(spec, a, out);
    l->input = in;
    l->output = out;
    return LIMBER_OK;
}

/* ---- what is said ---- */

/* What changes between steps only has no part in small deviations. */
static void tell_held(lm_run *run, lm_loc loc)
{
    const lm_discrete *d = run->sys->discrete;
    if (!d || !(d->n || d->ndelays)) return;
    lm_diag_add(
        run->diag, LM_NOTE, loc,
        "linearize: sampled blocks, switches, delays and states are held at their values; the "
        "poles are those of what moves between their changes");
}

/* Poles 0 that a reader would take for free motions. */
static void tell_followers(lm_run *run, const lm_linearized *l, lm_loc loc)
{
    char name[160];
    if (!l->nfollowers) return;
    const char *joint = lm_linearized_followed(l);
    lm_linearized_state_name(l, l->pole[l->first_follower].mover, name, sizeof name);
    if (l->nfollowers > 1)
        lm_diag_add(run->diag, LM_NOTE, loc,
                    "linearize: %d states (%s, ...) follow the motion at constant offsets: their "
                    "poles 0 are no motions",
                    l->nfollowers, name);
    else
        lm_diag_add(run->diag, LM_NOTE, loc,
                    "linearize: %s follows %s%s at a constant offset: its pole 0 is no motion",
                    name, joint ? "joint " : "the motion", joint ? joint : "");
}

/* The state of the controllers or of the power graph that moves off most. */
static void warn_machine(lm_run *run, const lm_linearized *l, lm_loc loc, const char *name)
{
    const char *rest = !l->v && l->m.at_rest
                           ? "the mechanism is in equilibrium, but the machine is not"
                           : "the state is not an equilibrium of the machine";
    lm_warning(run->diag, loc,
               "linearize: %s: a state of its controllers or power graph moves off, mostly %s; "
               "'statics' holds such states at their values: give them those at rest as 'initial', "
               "or let the machine come to rest in 'dynamics' before",
               rest, name);
}

/* Outputs that a state space cannot hold. */
static void warn_rate(lm_run *run, const lm_linearized *l, lm_loc loc)
{
    char name[200];
    if (!l->nmassless || l->nu == 0 || l->ny == 0 || l->rated[0] < 0) return;
    lm_input_name(l->sys->model->spec, &l->input[l->rated[1]], name, sizeof name);
    lm_warning(
        run->diag, loc,
        "linearize: input '%s' moves parts without mass at once, and output '%s' shows its rate, "
        "which no state space holds: D lacks that part; give these parts mass, or leave the "
        "output out",
        name, l->sys->model->spec->outputs.at[l->output[l->rated[0]]].item.name);
}

/* Poles of matrices that are those of an instant only. */
static limber_status warn_change(lm_run *run, const lm_linearized *l, lm_loc loc)
{
    const char *form = l->sys->form->name;
    double change = lm_linearized_change(l);
    if (change < 0) return LIMBER_MEMORY;
    lm_effect_part(run, "the change of its matrices along the motion", "", change);
    if (change > CHANGE)
        lm_warning(
            run->diag, loc,
            "linearize: the matrices change along the motion, by about %.2g of themselves in "
            "the time of the slowest pole: the poles are those of this instant, and do not "
            "tell whether the motion is stable; use 'campbell' for a steady rotation, "
            "'periodic' for a motion that repeats itself%s",
            change,
            strcmp(form, "corotational") == 0
                ? ""
                : ", or 'formulation: corotational', whose axes turn with the bodies");
    return LIMBER_OK;
}

static int moves(const lm_linearized *l)
{
    double speed = 0;
    for (int i = 0; l->v && i < l->sys->nv - l->sys->nvariables; i++)
        speed = fmax(speed, fabs(l->m.g->v[i]) / l->m.unit[i]);
    return speed > 1e-9;
}

/* Poles of a mechanism without the deformation that it has. */
static limber_status warn_undeformed(lm_run *run, lm_linearized *l, lm_loc loc)
{
    double turn = lm_linearized_turn(l), off = SHAPED * turn;
    if (turn < 0) return LIMBER_MEMORY;
    lm_effect_part(run, "the deformation that frozen frequencies do not know", "", off);
    if (off > OFF)
        lm_warning(
            run->diag, loc,
            "linearize: the forces of this instant turn beams by %.3g rad, and the matrices "
            "are those of the undeformed mechanism: frequencies may be off by about %.2g %%, "
            "those of straight beams by less: use 'campbell' for a steady rotation, or "
            "'formulation: corotational'%s",
            turn, 100 * off, moves(l) ? "" : ", or 'about: statics'");
    return LIMBER_OK;
}

static void warn(lm_run *run, const lm_spec_analysis *a, const lm_linearized *l)
{
    lm_loc loc = a->loc;
    warn_rate(run, l, loc);
    char name[160];
    tell_held(run, loc);
    tell_followers(run, l, loc);
    if (l->ns == 0)
        lm_warning(run->diag, loc, "the joints and drives leave no motion free: there is no state");
    if (a->frequencies[2] > 0 && (l->nu == 0 || l->ny == 0))
        lm_warning(run->diag, loc, "transfer functions need an input and an output: there is no %s",
                   l->nu == 0 ? "load and no effort" : "output");
    if (moves(l) || l->rest < 1e-6 || (!l->v && l->m.at_rest && l->rest_states < 1e-6)) return;
    int machine = (!l->v && l->m.at_rest) || l->rest_at >= l->sys->nv - l->sys->nvariables;
    int at = machine ? l->rest_state_at : l->rest_at;
    l->sys->form->describe_motion(l->sys, at, name, sizeof name);
    if (machine) {
        warn_machine(run, l, loc, name);
        return;
    }
    lm_warning(run->diag, loc,
               "linearize: the state is not an equilibrium: it moves off, mostly %s; the matrices "
               "are those of small deviations from that motion at this instant, use 'about: "
               "statics' for those of the equilibrium",
               name);
}

/* Poles for the caller's list. */
static void tell(lm_run *run, const lm_linearized *l)
{
    for (int i = 0; i < l->npoles && run->opt->pole; i++) {
        const lm_pole *p = &l->pole[i];
        limber_mode o = {.number = i + 1, .real = p->re, .imaginary = p->im};
        o.kind = p->im > 0    ? LIMBER_MODE_VIBRATES
                 : p->re == 0 ? LIMBER_MODE_RIGID
                 : p->re > 0  ? LIMBER_MODE_GROWS
                              : LIMBER_MODE_DECAYS;
        if (p->im > 0) o.omega = hypot(p->re, p->im);
        o.frequency = o.omega / (2 * acos(-1.0));
        o.damping_ratio = p->im > 0 ? -p->re / o.omega : p->re == 0 ? 0 : p->re > 0 ? -1 : 1;
        lm_linearized_state_name(l, p->mover, o.moves, sizeof o.moves);
        run->opt->pole(run->opt->pole_context, &o);
    }
}

static limber_status deliver(lm_run *run, const lm_spec_analysis *a, const place *p,
                             lm_linearized *l)
{
    limber_summary *sum = run->sum;
    warn(run, a, l);
    if (warn_undeformed(run, l, a->loc) || warn_change(run, l, a->loc) || run->diag->out_of_memory)
        return LIMBER_MEMORY;
    snprintf(sum->method, sizeof sum->method, "dense");
    sum->t = p->t;
    sum->states = l->ns;
    sum->inputs = l->nu;
    sum->outputs = l->ny;
    sum->poles = l->npoles;
    sum->linearized_at_rest = p->at_rest;
    sum->linearized_at = p->t;
    limber_status st = lm_linearize_record(run, a, l);
    if (!st) tell(run, l);
    return st;
}

static limber_status compute(lm_run *run, const lm_spec_analysis *a, void *unused)
{
    (void)unused;
    place p;
    lm_linearized l;
    limber_status st = find_place(run, a, &p);
    if (st) return st;
    st = ask(run, a, &p, &l);
    if (!st) st = lm_linearized_solve(&l);
    if (st == LIMBER_STOPPED || st == LIMBER_INTERNAL)
        lm_stop(run, st, "linearize: %s",
                l.failure.text[0] ? l.failure.text : limber_status_text(st));
    if (!st) st = deliver(run, a, &p, &l);
    if (st == LIMBER_MEMORY) lm_stop(run, st, "out of memory");
    lm_linearized_free(&l);
    return st;
}

limber_status lm_linearize(lm_run *run, const lm_spec_analysis *a)
{
    return lm_run_aside(run, a, compute, NULL);
}
