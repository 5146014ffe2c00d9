/* Steps over forces that act in narrow zones of the state (docs/theory/events.md). */
#include "analysis/zones.h"
#include "form/machine.h"

#include <math.h>

/* Of the impulse of a force, over the tolerance: what a step may have wrong. */
#define PART 0.1
/* Of that: with which steps are taken back by methods to which it costs a new start. */
#define MUCH 3.0
/* Of the energy, over the tolerance: a step with less of a force's work in it need not be right. */
#define COUNTS 1e-3

/* Of the impulse of a zone: less than that in a step is behind it. What lasts so many times as long as it took at
 * first is none. */
#define OVER    1e-9
#define LASTING 20.0
/* Of the step that the method wants: what a zone allows at most. */
#define IDLE 10.0
/* Of the run: steps shorter than that go over no zone but that which has made them so. */
#define SHORT 1e-6
/* ... and shorter than that none is asked for. */
#define LEAST 1e-12

enum {
    TRIES = 20, /* of a step */
    HEAD = 2,   /* numbers before them in the block */
    OWN = 8     /* numbers that each force has in the block */
};

/* ---- making ---- */

static int count(const lm_system *sys)
{
    int n = 0;
    while (sys->form->ports->forcing(sys, n)) n++;
    return n;
}

/* Room for its slots and scratch. */
static void measure_expr(const lm_expr *e, int *nslots, int *scratch)
{
    int n = e->ninputs ? e->inputs[e->ninputs - 1] + 1 : 0;
    if (n > *nslots) *nslots = n;
    if (lm_expr_scratch(e, 0) > *scratch) *scratch = lm_expr_scratch(e, 0);
}

static int is_equation(const lm_system *sys, const lm_expr *e)
{
    for (int k = 0; k < sys->nvariables; k++)
        if (e == &sys->model->spec->variables.at[k].expr) return 1;
    return 0;
}

/* The guards of its expression. Equations of variables that have some bend at those. */
static void find_guards(const lm_system *sys, lm_zone *z)
{
    const lm_expr *e;
    int first;
    for (int k = 0; (e = sys->form->ports->guarded(sys, k, &first)); k++)
        if (e == z->between.e) z->first = first, z->nguards = lm_expr_guard_count(e);
    z->by_events = z->nguards > 0 && is_equation(sys, z->between.e);
}

static int share_out(lm_zones *x, const lm_system *sys, int most)
{
    lm_arena *a = &x->arena;
    int scratch = 1;
    x->of = LM_NEW_N(a, lm_zone, most + 1);
    x->block = LM_NEW_N(a, double, HEAD + OWN * most);
    if (!x->of || !x->block) return -1;
    for (int k = 0; k < most; k++) {
        lm_zone *z = &x->of[x->n];
        if (lm_between_make(a, sys->form->ports->forcing(sys, k), &z->between)) return -1;
        if (lm_between_unbounded(&z->between)) continue;
        measure_expr(z->between.e, &x->nslots, &scratch);
        z->range = x->block + HEAD + OWN * x->n++;
        z->impulse = z->range + 1, z->span = z->range + 2, z->rest = z->range + 3,
        z->since = z->range + 4, z->mark = z->range + 5, z->last = z->range + 6,
        z->branch = z->range + 7;
        find_guards(sys, z);
        x->all |= lm_trial_needs(sys, z->between.e);
    }
    for (int k = 0; k < sys->nvariables && x->n; k++) {
        const lm_spec_variable *v = &sys->model->spec->variables.at[k];
        measure_expr(&v->expr, &x->nslots, &scratch);
        x->all |= v->kind == LM_VARIABLE_STATE && lm_trial_needs(sys, &v->expr);
    }
    x->size = HEAD + OWN * x->n;
    x->longest = x->block, x->idle = x->block + 1;
    *x->longest = INFINITY;
    x->t = LM_NEW_N(a, double, LM_ZONE_NODES);
    x->slots = LM_NEW_N(a, double, LM_ZONE_NODES *(x->nslots + 1));
    x->piece = LM_NEW_N(a, lm_zone_piece, LM_ZONE_PIECES);
    x->bend = LM_NEW_N(a, double, x->nslots + 1);
    x->guards = LM_NEW_N(a, double, sys->nguards + 1);
    x->scratch = LM_NEW_N(a, double, scratch);
    return x->t && x->slots && x->piece && x->bend && x->guards && x->scratch ? 0 : -1;
}

limber_status lm_zones_open(lm_dynamics_run *d)
{
    const lm_system *sys = d->g->sys;
    int none = !sys->form->guards || !sys->form->ports || d->g->opt.step > 0;
    int n = none || (sys->mobility == 0 && !sys->nvariables) ? 0 : count(sys);
    lm_arena arena = {0};
    if (n == 0) return LIMBER_OK;
    lm_zones *x = LM_NEW(&arena, lm_zones);
    if (!x) return LIMBER_MEMORY;
    x->arena = arena;
    d->zones = x;
    return share_out(x, sys, n) ? LIMBER_MEMORY : lm_trial_open(d);
}

void lm_zones_close(lm_dynamics_run *d)
{
    if (!d->zones) return;
    lm_arena arena = d->zones->arena;
    lm_arena_free(&arena);
    d->zones = NULL;
}

/* ---- steps ---- */

double lm_zones_reach(const lm_dynamics_run *d) { return d->zones ? *d->zones->longest : INFINITY; }

/* Forces that are in no zone are at rest at a node. */
static void rest_at(lm_zones *x, int node)
{
    for (int k = 0; k < x->n && !(*x->longest < INFINITY); k++)
        if (*x->of[k].branch == 0) *x->of[k].rest = lm_zone_value(x, &x->of[k], node);
}

void lm_zones_begin(lm_dynamics_run *d)
{
    lm_zones *x = d->zones;
    double t = d->g->clock->t;
    x->known = !lm_zone_node(d, 0, t);
    if (d->g->clock->h == 0) rest_at(x, 0);
}

void lm_zones_event(lm_dynamics_run *d, int guard)
{
    lm_zones *x = d->zones;
    for (int k = 0; x && k < x->n; k++)
        if (guard >= x->of[k].first && guard < x->of[k].first + x->of[k].nguards)
            *x->of[k].branch = 1, *x->idle = 0;
}

/* How far the middle one of three values is from the chord, the part x of the way along. */
static double off_chord(const double f[3], double x)
{
    return fabs(f[1] - (1 - x) * f[0] - x * f[2]);
}

/* What of three such values a step may have wrong. A multistep method begins with order 1. */
static double unsure(const lm_dynamics_run *d, const double f[3], double x)
{
    if (!d->g->ops->order) return off_chord(f, x);
    return fmax(fabs(f[1] - f[0]), fabs(f[2] - f[0]));
}

/* What counts as no work: beside the energy that moves. */
static int does_work(lm_dynamics_run *d, double t0, double peak)
{
    lm_integrator *g = d->g;
    double h = g->clock->t - t0, p[3], t[3] = {t0, peak, g->clock->t};
    double energy = fmax(d->k->exchanged, d->k->first.kinetic);
    if (!g->sys->works) return 0;
    g->sys->power_only = 1;
    for (int k = 0; k < 3; k++) {
        lm_state s = {t[k], d->q, d->v, d->a, d->lam};
        p[k] =
            lm_trial_inside(d, t[k], g->sys->algebraic) ? NAN : lm_integrator_energy(g, &s).power;
    }
    g->sys->power_only = 0;
    return !(h * unsure(d, p, (peak - t0) / h) <= COUNTS * g->opt.tolerance * energy);
}

static int changes_states(lm_dynamics_run *d, double t0, double peak)
{
    const lm_system *sys = d->g->sys;
    lm_zones *x = d->zones;
    double h = d->g->clock->t - t0;
    const int node[3] = {0, LM_ZONE_NODES - 1, 2};
    if (sys->nvariables && lm_zone_node(d, node[1], peak)) return 1;
    for (int k = 0; k < sys->nvariables; k++) {
        const lm_spec_variable *v = &sys->model->spec->variables.at[k];
        double rate[3];
        if (v->kind != LM_VARIABLE_STATE) continue;
        for (int i = 0; i < 3; i++)
            rate[i] = lm_expr_eval(&v->expr, x->slots + node[i] * x->nslots, x->scratch);
        double most = COUNTS * d->g->opt.tolerance * lm_variable_scale(sys, k);
        if (!(h * unsure(d, rate, (peak - t0) / h) <= most)) return 1;
    }
    return 0;
}

/* A force that is next to nothing need not be followed: at its peak, beside what that of the others does there. */
static int matters(lm_dynamics_run *d, double t0, double peak)
{
    return does_work(d, t0, peak) || changes_states(d, t0, peak);
}

/* Of the impulse of the zone what a step of length h has by its length. */
static double share(const lm_zone *z, double h)
{
    return *z->span > 0 ? *z->impulse * fmin(1, h / *z->span) : 0;
}

/* The zone as the largest impulse shows it that a step has had since it was found. */
static void remember(lm_zone *z, double t, const lm_zone_impulse *m)
{
    *z->last = m->size;
    if (m->size <= *z->impulse) return;
    *z->impulse = m->size;
    *z->span = fmax(*z->span, m->length);
    if (m->size > 2 * *z->mark) *z->mark = m->size, *z->since = t;
}

/* It is behind: the force is what it was before, or lasts; on a branch of its own: so long that the method's own
 * steps are short enough. */
static int is_over(const lm_zones *x, double t)
{
    int over = 1;
    for (int k = 0; k < x->n; k++) {
        const lm_zone *z = &x->of[k];
        int lasts = *z->branch != 0 ? *x->idle > LASTING : t > *z->since + LASTING * *z->span;
        over &= lasts || *z->last <= OVER * *z->impulse;
    }
    return over;
}

static void forget(lm_zones *x)
{
    *x->longest = INFINITY;
    for (int k = 0; k < x->n; k++)
        *x->of[k].impulse = *x->of[k].span = *x->of[k].mark = *x->of[k].branch = 0;
}

static int order(const lm_dynamics_run *d) { return d->g->ops->rule ? d->g->ops->rule->order : 3; }

/* The step that the error allows, if it goes with h to the order of the method, and what is allowed with h. */
static double fitting(const lm_dynamics_run *d, double h, double ratio, double least, double most)
{
    double aim = d->g->ops->start_up ? 0.6 : 0.9;
    double grow = ratio > 0 ? aim * pow(ratio, -1.0 / (order(d) - 1)) : most;
    return h * fmin(fmax(grow, least), most);
}

static int is_looked_at(lm_dynamics_run *d, lm_zone *z)
{
    if (*z->branch != 0 || *z->impulse > 0) return 1;
    return !z->by_events && lm_zone_is_narrow(d, z);
}

/* The largest error of a force, over what it may be, in the step from t0; *out: that force's. */
static double worst_ratio(lm_dynamics_run *d, double t0, int *plain, lm_zone_impulse *out)
{
    lm_zones *x = d->zones;
    double end = d->g->clock->t, worst = 0;
    double part = PART * d->g->opt.tolerance;
    *plain = 1;
    for (int k = 0; k < x->n; k++) {
        lm_zone *z = &x->of[k];
        lm_zone_impulse m;
        if (!is_looked_at(d, z)) continue;
        *plain = 0;
        double h = end - t0;
        if (lm_zone_measure(d, z, part, share(z, h), &m)) continue;
        remember(z, t0, &m);
        double ratio = m.off / (part * (m.size + share(z, h)));
        if (m.off > 0 && ratio > worst) worst = ratio, *out = m;
    }
    return worst;
}

/* The step is good. */
static double accept(lm_dynamics_run *d, double t0, int plain, double ratio)
{
    lm_zones *x = d->zones;
    double h = d->g->clock->t - t0;
    if (*x->longest < INFINITY)
        *x->longest = fitting(d, fmax(h, ratio < 0.1 ? *x->longest : 0), ratio, 0.3, 3);
    double own = fmax(h, d->g->clock->h_next), most = IDLE * own;
    if (*x->longest < INFINITY) *x->longest = fmin(*x->longest, most);
    *x->longest = fmax(*x->longest, LEAST * d->until);
    *x->idle = *x->longest > 2 * own ? *x->idle + 1 : 0;
    if (plain || (*x->longest > 2 * own && is_over(x, t0 + h))) forget(x);
    rest_at(x, 2);
    return INFINITY;
}

static int on_branch(const lm_zones *x)
{
    int some = 0;
    for (int k = 0; k < x->n; k++) some |= *x->of[k].branch != 0;
    return some;
}

double lm_zones_check(lm_dynamics_run *d, double t0)
{
    lm_zones *x = d->zones;
    double end = d->g->clock->t, h = end - t0;
    lm_zone_impulse m = {0};
    int plain = 1;
    if (h < SHORT * d->until && !(*x->longest < INFINITY) && !on_branch(x)) x->known = 0;
    if (!x->known || lm_zone_node(d, 1, t0 + 0.5 * h) || lm_zone_node(d, 2, end)) {
        x->known = 0;
        return INFINITY;
    }
    double ratio = worst_ratio(d, t0, &plain, &m);
    if (!(ratio > (d->g->ops->start_up ? MUCH : 1))) return accept(d, t0, plain, ratio);
    double least = LEAST * d->until;
    if (h <= least || !matters(d, t0, m.peak)) return accept(d, t0, plain, 0);
    double less = fmax(fitting(d, h, ratio, 0.05, 0.7), least), room = m.first - t0;
    *x->longest = fmax(order(d) > 3 ? m.cell : 0.05 * m.cell, least);
    if (room > 0.05 * h) return t0 + room;
    *x->longest = less;
    return t0 + less;
}

limber_status lm_zones_step(lm_dynamics_run *d, double limit)
{
    double t = d->g->clock->t, to = limit;
    if (!d->zones) return lm_dynamics_step(d, limit);
    lm_trial_begin(d);
    lm_zones_begin(d);
    for (int i = 0;; i++) {
        limber_status st = lm_dynamics_step(d, to);
        if (st || i == TRIES) return st;
        double back = lm_zones_check(d, t);
        if (!(back < INFINITY)) return st;
        to = fmin(limit, back);
        lm_trial_take_back(d);
    }
}
