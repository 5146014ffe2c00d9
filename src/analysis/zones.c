/* Steps over forces that act in narrow zones of the state (docs/theory/events.md). */
#include "analysis/zones.h"
#include "form/machine.h"

#include <math.h>

/* Of the impulse of a force, over the tolerance: what a step may have wrong. */
#define PART 0.1
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

enum {
    TRIES = 20, /* of a step */
    OWN = 7     /* numbers that each force has in the block */
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

static int share_out(lm_zones *x, const lm_system *sys, int most)
{
    lm_arena *a = &x->arena;
    int scratch = 1;
    x->of = LM_NEW_N(a, lm_zone, most + 1);
    x->block = LM_NEW_N(a, double, 1 + OWN * most);
    if (!x->of || !x->block) return -1;
    for (int k = 0; k < most; k++) {
        lm_zone *z = &x->of[x->n];
        if (lm_between_make(a, sys->form->ports->forcing(sys, k), &z->between)) return -1;
        if (lm_between_unbounded(&z->between)) continue;
        measure_expr(z->between.e, &x->nslots, &scratch);
        z->range = x->block + 1 + OWN * x->n++;
        z->impulse = z->range + 1, z->span = z->range + 2, z->rest = z->range + 3,
        z->since = z->range + 4, z->mark = z->range + 5, z->last = z->range + 6;
    }
    for (int k = 0; k < sys->nvariables && x->n; k++)
        measure_expr(&sys->model->spec->variables.at[k].expr, &x->nslots, &scratch);
    x->size = 1 + OWN * x->n;
    x->longest = x->block;
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

void lm_zones_begin(lm_dynamics_run *d)
{
    lm_zones *x = d->zones;
    double t = d->g->clock->t;
    x->known = !lm_zone_node(d, 0, t);
    for (int k = 0; k < x->n && d->g->clock->h == 0 && !(*x->longest < INFINITY); k++)
        *x->of[k].rest = lm_zone_value(x, &x->of[k], 0);
}

/* How far the middle one of three values is from the chord, the part x of the way along. */
static double off_chord(const double f[3], double x)
{
    return fabs(f[1] - (1 - x) * f[0] - x * f[2]);
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
    return !(h * off_chord(p, (peak - t0) / h) <= COUNTS * g->opt.tolerance * energy);
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
        if (!(h * off_chord(rate, (peak - t0) / h) <= most)) return 1;
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

/* It is behind: the force is what it was before, or lasts. */
static int is_over(const lm_zones *x, double t)
{
    int over = 1;
    for (int k = 0; k < x->n; k++) {
        const lm_zone *z = &x->of[k];
        over &= *z->last <= OVER * *z->impulse || t > *z->since + LASTING * *z->span;
    }
    return over;
}

static void forget(lm_zones *x)
{
    *x->longest = INFINITY;
    for (int k = 0; k < x->n; k++) *x->of[k].impulse = *x->of[k].span = *x->of[k].mark = 0;
}

static int order(const lm_dynamics_run *d) { return d->g->ops->rule ? d->g->ops->rule->order : 3; }

/* The step that the error allows, if it goes with h to the order of the method, and what is allowed with h. */
static double fitting(const lm_dynamics_run *d, double h, double ratio, double least, double most)
{
    double grow = ratio > 0 ? 0.9 * pow(ratio, -1.0 / (order(d) - 1)) : most;
    return h * fmin(fmax(grow, least), most);
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
        if (!lm_zone_is_narrow(d, z) && !(*z->impulse > 0)) continue;
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
    if (plain || (*x->longest > 2 * own && is_over(x, t0 + h))) forget(x);
    for (int k = 0; k < x->n && !(*x->longest < INFINITY); k++)
        *x->of[k].rest = lm_zone_value(x, &x->of[k], 2);
    return INFINITY;
}

double lm_zones_check(lm_dynamics_run *d, double t0)
{
    lm_zones *x = d->zones;
    double end = d->g->clock->t, h = end - t0;
    lm_zone_impulse m = {0};
    int plain = 1;
    if (h < SHORT * d->until && !(*x->longest < INFINITY)) x->known = 0;
    if (!x->known || lm_zone_node(d, 1, t0 + 0.5 * h) || lm_zone_node(d, 2, end)) {
        x->known = 0;
        return INFINITY;
    }
    double ratio = worst_ratio(d, t0, &plain, &m);
    if (!(ratio > 1)) return accept(d, t0, plain, ratio);
    if (!matters(d, t0, m.peak)) return accept(d, t0, plain, 0);
    double less = fitting(d, h, ratio, 0.05, 0.7), room = m.first - t0;
    *x->longest = order(d) > 3 ? m.cell : 0.05 * m.cell;
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
