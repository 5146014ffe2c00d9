/* Storages in derivative causality take an impulse where what others set jumps: their flow by a modulus, their
 * effort by a source. What ends in sources has its work counted; what the mechanism or another storage would feel is
 * refused, as the motion behind it depends on how the change is made (docs/theory/machine.md). */
#include "analysis/dynamics.h"
#include "form/machine.h"

#include <math.h>
#include <string.h>

/* Jumps over the larger value, beside what goes on between the two instants: less is rounding. */
#define JUMP 1e-6

struct lm_impulses {
    int n, nguards;
    double t; /* the state before a jump */
    double *q, *v, *a, *lam;
    double *was, *now; /* [variables] what rates are the rates of; then the impulses */
    double *rate;      /* [variables] the largest of each on both sides */
    double *guard[3];  /* [nguards] at the start, in between, at the end of a step */
    double *energy[4]; /* [elements] */
};

limber_status lm_impulses_open(lm_dynamics_run *d)
{
    const lm_system *sys = d->g->sys;
    const lm_spec *spec = d->run->model->spec;
    int any = 0;
    for (int k = 0; k < sys->nvariables; k++) any |= spec->variables.at[k].kind == LM_VARIABLE_RATE;
    if (!any) return LIMBER_OK;
    lm_impulses *x = d->impulses = lm_alloc(sizeof *x);
    if (!x) return LIMBER_MEMORY;
    x->n = sys->nvariables;
    x->nguards = lm_machine_rate_guard_count(sys);
    int nv = sys->nv, room = sys->nq + 2 * nv + sys->nl + 3 * x->n + 3 * x->nguards;
    x->q = lm_alloc(sizeof(double) * (size_t)(room + 4 * spec->elements.n + 1));
    if (!x->q) return LIMBER_MEMORY;
    x->v = x->q + sys->nq, x->a = x->v + nv, x->lam = x->a + nv;
    x->was = x->lam + sys->nl, x->now = x->was + x->n;
    x->rate = x->now + x->n;
    for (int i = 0; i < 3; i++) x->guard[i] = x->rate + x->n + i * x->nguards;
    for (int i = 0; i < 4; i++) x->energy[i] = x->guard[2] + x->nguards + i * spec->elements.n;
    return LIMBER_OK;
}

void lm_impulses_close(lm_dynamics_run *d)
{
    if (d->impulses) lm_free(d->impulses->q);
    lm_free(d->impulses);
    d->impulses = NULL;
}

/* ---- what jumps ---- */

/* What rates are the rates of at a state, and the largest of each rate. 1: it cannot be evaluated. */
static int measure(lm_dynamics_run *d, const lm_state *s, double *rated)
{
    lm_impulses *x = d->impulses;
    if (lm_machine_rated(d->g->sys, s, rated)) return 1;
    for (int k = 0; k < x->n; k++)
        x->rate[k] = fmax(x->rate[k], fabs(lm_machine_value(d->g->sys, k)));
    return 0;
}

/* The first of the rates whose integral jumps between two states, and that the mechanism or a state feels; -1:
 * none, -2: they cannot be evaluated. x->now becomes the jumps of all. */
static int felt_jump(lm_dynamics_run *d, const lm_state *before, const lm_state *after, int *any)
{
    lm_impulses *x = d->impulses;
    double dt = after->t - before->t;
    int first = -1;
    *any = 0;
    memset(x->rate, 0, sizeof(double) * (size_t)x->n);
    if (measure(d, before, x->was) || measure(d, after, x->now)) return -2;
    for (int k = 0; k < x->n; k++) {
        double jump = x->now[k] - x->was[k], size = fmax(fabs(x->now[k]), fabs(x->was[k]));
        if (!(fabs(jump) > JUMP * size + 4 * dt * x->rate[k])) jump = 0;
        if (jump != 0 && first < 0 && lm_machine_acts(d->g->sys, k)) first = k;
        *any |= jump != 0;
        x->now[k] = jump;
    }
    return first;
}

static limber_status refuse(const lm_dynamics_run *d, int k, double t)
{
    const lm_impulses *x = d->impulses;
    return lm_stop(
        d->run, LIMBER_STOPPED,
        "at t = %.6g: '%s' is an impulse: what it is the rate of jumps from %.6g to %.6g, "
        "as a modulus or source changes at once in front of a storage that others lead "
        "(derivative causality). How the motion goes on depends on how the change is "
        "made: let it happen in a finite time ('step'), or put a small C or R between",
        t, d->run->model->spec->variables.at[k].name, x->was[k], x->was[k] + x->now[k]);
}

/* ---- inside a step ---- */

/* A step may end where a guard is 0, and which branch holds there is the expression's matter: so reaching 0 and
 * leaving it count as well. */
static int flips(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if ((a[i] > 0) - (a[i] < 0) != (b[i] > 0) - (b[i] < 0)) return 1;
    return 0;
}

static int guards_inside(lm_dynamics_run *d, double t, double *out)
{
    lm_integrator *g = d->g;
    lm_state s = {t, d->q, d->v, d->a, d->lam};
    if (lm_integrator_at(g, t, d->q, d->v, d->a, d->lam)) return 1;
    return lm_machine_rate_guards(g->sys, &s, out);
}

/* The first change of a branch between *a and *b, to rounding. */
static void narrow(lm_dynamics_run *d, double *a, double *b)
{
    lm_impulses *x = d->impulses;
    while (*b - *a > 1e-13 * d->until) {
        double t = 0.5 * (*a + *b);
        if (!(t > *a && t < *b) || guards_inside(d, t, x->guard[1])) break;
        if (flips(x->guard[0], x->guard[1], x->nguards))
            *b = t;
        else
            *a = t;
    }
}

/* The state at a time of the step, kept as the one before. */
static int keep_inside(lm_dynamics_run *d, double t)
{
    lm_impulses *x = d->impulses;
    x->t = t;
    return lm_integrator_at(d->g, t, x->q, x->v, x->a, x->lam);
}

limber_status lm_impulses_step(lm_dynamics_run *d)
{
    lm_impulses *x = d->impulses;
    lm_integrator *g = d->g;
    int any;
    if (!x || x->nguards == 0 || !(g->clock->h > 0)) return LIMBER_OK;
    double a = g->clock->t - g->clock->h, b = g->clock->t;
    lm_state start = {a, g->q0, g->v0, g->a0, g->lam0}, end = {b, g->q, g->v, g->a, g->lam};
    if (lm_machine_rate_guards(g->sys, &start, x->guard[0]) ||
        lm_machine_rate_guards(g->sys, &end, x->guard[2]) ||
        !flips(x->guard[0], x->guard[2], x->nguards))
        return LIMBER_OK;
    narrow(d, &a, &b);
    if (keep_inside(d, a) || lm_integrator_at(g, b, d->q, d->v, d->a, d->lam)) return LIMBER_OK;
    lm_state before = {a, x->q, x->v, x->a, x->lam}, after = {b, d->q, d->v, d->a, d->lam};
    int k = felt_jump(d, &before, &after, &any);
    return k < 0 ? LIMBER_OK : refuse(d, k, b);
}

/* ---- between steps ---- */

void lm_impulses_before(lm_dynamics_run *d)
{
    lm_impulses *x = d->impulses;
    const lm_integrator *g = d->g;
    if (!x) return;
    x->t = g->clock->t;
    lm_copy(x->q, g->q, g->sys->nq);
    lm_copy(x->v, g->v, g->sys->nv);
    lm_copy(x->a, g->a, g->sys->nv);
    lm_copy(x->lam, g->lam, g->sys->nl);
}

/* Powers with the impulses less those without them, on one side of the jump. */
static int work_at(lm_dynamics_run *d, const lm_state *s, double *energy, double *without)
{
    lm_system *sys = d->g->sys;
    lm_machine_set_impulse(sys, d->impulses->now);
    int bad = sys->form->powers(sys, s, energy);
    lm_machine_set_impulse(sys, NULL);
    if (bad || sys->form->powers(sys, s, without)) return 1;
    for (int i = 0; i < d->run->model->spec->elements.n; i++) energy[i] -= without[i];
    return 0;
}

/* Along a straight line from one side to the other: the mean of both. */
static void count_work(lm_dynamics_run *d, const lm_state *before, const lm_state *after)
{
    lm_impulses *x = d->impulses;
    if (!d->g->sys->form->powers || work_at(d, before, x->energy[0], x->energy[1]) ||
        work_at(d, after, x->energy[2], x->energy[3]))
        return;
    for (int i = 0; i < d->run->model->spec->elements.n; i++)
        x->energy[0][i] = 0.5 * (x->energy[0][i] + x->energy[2][i]);
    lm_power_flow_put(d, x->energy[0]);
}

limber_status lm_impulses_after(lm_dynamics_run *d, double t)
{
    lm_impulses *x = d->impulses;
    const lm_integrator *g = d->g;
    int any;
    if (!x) return LIMBER_OK;
    lm_state before = {x->t, x->q, x->v, x->a, x->lam}, after = {t, g->q, g->v, g->a, g->lam};
    int k = felt_jump(d, &before, &after, &any);
    if (k >= 0) return refuse(d, k, t);
    if (any) count_work(d, &before, &after);
    return LIMBER_OK;
}
