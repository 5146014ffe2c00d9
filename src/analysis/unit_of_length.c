/* The unit of length of a single point, which has no size; and what states of machines are measured in that
 * stand until a force of time moves them. */
#include "analysis/dynamics.h"
#include "form/machine.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-9
#define AT_LEAST 1e-3 /* part of what forces of time move it by while they change */

/* How far points go within the time tau, as they move now. */
static double reach(const lm_integrator *g, double tau)
{
    double most = 0;
    for (int i = 0; i < g->sys->nv - g->sys->nvariables; i++)
        if (!g->sys->angular[i])
            most = fmax(most, fabs(g->v[i]) * tau + 0.5 * fabs(g->a[i]) * tau * tau);
    return most;
}

/* How far forces take the point in the next output step from where it is now: those of time may act for less
 * than that, between kinks that come soon. Nothing where there are no such accelerations; -1: no memory. */
static int look_ahead(lm_dynamics_run *d)
{
    enum { PIECES = 8 };
    lm_integrator *g = d->g;
    double t = g->clock->t, end = t + d->dt, v = 0, x = 0, same = 1e-12 * d->until;
    d->k->ahead = 0;
    for (int i = 0; i < PIECES && t < end; i++) {
        double to = fmin(end, lm_system_next_kink(g->sys, t + same)), h = to - t;
        int bad = lm_consistent_acceleration(g, t + 0.5 * h, g->q, g->v, d->a, d->lam);
        if (bad) return bad < 0 ? -1 : 0;
        double a = 0;
        for (int k = 0; k < g->sys->nv - g->sys->nvariables; k++)
            if (!g->sys->angular[k]) a = fmax(a, fabs(d->a[k]));
        x += h * (v + 0.5 * h * a);
        v += h * a;
        t = to;
    }
    d->k->ahead = x + v * (end - t);
    return 0;
}

limber_status lm_follow_size(lm_dynamics_run *d)
{
    const lm_integrator *g = d->g;
    double tau = d->dt, unit = fmax(d->k->unit, d->least_unit), span = d->run->model->size;
    double rounding = 1e-12 * v3_norm(d->run->model->gravity) * tau * tau;
    if (!d->run->model->point || g->sys->nposes == 0) return LIMBER_OK;
    g->sys->form->poses(g->sys, g->q, d->pose);
    for (int i = 0; i < 7 * g->sys->nposes; i++)
        if (i % 7 < 3) {
            unit = fmax(unit, fabs(d->pose[i] - d->pose0[i]));
            span = fmax(span, fabs(d->pose0[i]));
        }
    double least = rounding + 1e-12 * span;
    int starts = g->clock->h == 0; /* then it may be about to move */
    double way = starts ? tau * lm_speed_norm(g->sys, 1, g->v) : reach(g, tau);
    if (g->stats.steps == 0 && way > least) unit = fmax(unit, reach(g, tau));
    d->k->unit = unit;
    if (unit <= least && way <= least) d->k->rested = g->clock->t;
    if (starts && d->k->rested == g->clock->t && look_ahead(d)) return LIMBER_MEMORY;
    if (g->clock->t <= d->k->rested + tau) unit = fmax(unit, d->k->ahead);
    if (unit <= least) unit = span; /* it stands: forces that cancel leave this */
    d->g->clock->size = unit > 0 ? unit : 1;
    return LIMBER_OK;
}

double lm_first_step(const lm_dynamics_run *d)
{
    double t = d->g->clock->t, same = 1e-12 * d->until, most = fmax(d->first_step, 1e-3 * d->dt);
    int points = d->run->model->point && d->k->rested > t - d->dt;
    double room = points ? lm_system_next_kink(d->g->sys, t + same) - t : INFINITY;
    return fmin(most,
                fmax(1e-3 * room, 10 * same)); /* no shorter than what counts as one instant */
}

/* ---- what forces of time will do ---- */

/* The state of the start, with the accelerations and reactions of nothing. */
static lm_state at_start(lm_dynamics_run *d, double t)
{
    lm_integrator *g = d->g;
    memset(d->a, 0, sizeof(double) * (size_t)g->sys->nv);
    memset(d->lam, 0, sizeof(double) * (size_t)g->sys->nl);
    return (lm_state){t, g->q, g->v, d->a, d->lam};
}

/* What comes out of delays at the time t, where that is known as a function of the time; else NAN. */
static void know_delays(lm_dynamics_run *d, double t)
{
    lm_discrete *x = d->g->sys->discrete;
    for (int k = 0; x && k < x->ndelays; k++) {
        const lm_expr *e = d->timing->delayed[k];
        double *scratch = NULL;
        x->known[k] = NAN;
        if (!e || t < x->spec->delays.at[k].time) continue;
        scratch = lm_alloc(sizeof(double) * (size_t)(lm_expr_scratch(e, 0) + 1));
        if (scratch) x->known[k] = lm_expr_eval(e, &t, scratch);
        lm_free(scratch);
    }
}

/* The forces on the state of the start at the time t, and the rates of variables. 1: they cannot be had. */
static int forces(lm_dynamics_run *d, double t, double *out)
{
    lm_integrator *g = d->g;
    know_delays(d, t);
    lm_state s = at_start(d, t);
    return g->sys->form->residual(g->sys, &s, out, NULL, NULL);
}

/* How far forces x that act for the time w move what they meet within the time T:
 * (M/T^2 + D/T + K)^-1 x w/T. -1: no memory. */
static int measure(lm_dynamics_run *d, double *x, double w, double T, double *factored)
{
    lm_integrator *g = d->g;
    lm_state s = {0, g->q, g->v, d->a, d->lam};
    int n = g->sys->nv, bad = *factored == T ? 0 : lm_factor_within(g, &s, T);
    *factored = bad ? 0 : T;
    if (bad) return bad < 0 ? bad : 0;
    lm_copy(g->x, x, n);
    memset(g->x + n, 0, sizeof(double) * (size_t)g->sys->nl);
    lm_solve_within(g, T, g->x);
    double turns = 0; /* beside these, what is next to nothing is rounding */
    for (int i = 0; i < n - g->sys->nvariables; i++)
        if (g->sys->angular[i]) turns = fmax(turns, fabs(g->x[i]));
    for (int i = 0; i < n - g->sys->nvariables; i++)
        if (!g->sys->angular[i] && fabs(g->x[i]) > ROUNDING * turns && isfinite(g->x[i]))
            d->least_unit = fmax(d->least_unit, AT_LEAST * w / T * fabs(g->x[i]));
    return 0;
}

/* A state of a machine is measured by such a rate and how far that takes it, at least; *brief: in what time. */
static void measure_states(lm_discrete *x, const double *rate, double w, double *brief)
{
    int n = x ? x->spec->variables.n : 0;
    for (int k = 0; k < n; k++) {
        if (x->spec->variables.at[k].kind != LM_VARIABLE_STATE || !isfinite(rate[k])) continue;
        double way = AT_LEAST * w * fabs(rate[k]);
        if (way > x->least[k]) x->least[k] = way, *brief = w;
        x->least[n + k] = fmax(x->least[n + k], fabs(rate[k]));
    }
}

/* The forces in the middle of the cells of an expression, those of the start apart: within the cell if T is 0. */
static int look_at_cells(lm_dynamics_run *d, const lm_resolution *r, double T)
{
    const lm_system *sys = d->g->sys;
    double *start = d->v, *x = d->q, factored = 0;
    int bad = 0;
    for (int k = 0; k < r->ncells && !bad; k++) {
        double from = k ? r->end[k - 1] : 0, to = r->end[k], w = ldexp(1, ilogb(to - from)),
               most = 0;
        int moving = sys->nv - sys->nvariables;
        if (forces(d, 0.5 * (from + to), x)) continue;
        for (int i = 0; i < sys->nv; i++) {
            x[i] = start[i] - x[i];
            if (i < moving && !sys->angular[i]) most = fmax(most, fabs(x[i]));
        }
        measure_states(sys->discrete, x + moving, w, &d->brief);
        if (!d->run->model->point) continue;
        if (most > 0 && isfinite(most)) bad = measure(d, x, w, T > 0 ? T : w, &factored);
    }
    return bad;
}

/* What comes out of the delays in the state s, long after it has gone in. */
static void pass_delays(lm_dynamics_run *d, const lm_state *s)
{
    lm_system *sys = d->g->sys;
    lm_discrete *x = sys->discrete;
    for (int round = 0; round < x->ndelays && !sys->form->outputs(sys, s, d->outputs); round++)
        for (int k = 0; k < x->ndelays; k++) x->known[k] = x->input[x->n + 2 * x->nsurfaces + k];
}

/* Forces that follow from states move a point, too: in the time in which forces of time have made these. */
static int look_at_states(lm_dynamics_run *d)
{
    lm_integrator *g = d->g;
    const lm_system *sys = g->sys;
    const lm_discrete *x = sys->discrete;
    int moving = sys->nv - sys->nvariables, some = 0;
    double *start = d->v, *now = d->q, factored = 0;
    double *v = lm_alloc(sizeof(double) * (size_t)sys->nv);
    if (!v) return -1;
    lm_copy(v, g->v, sys->nv);
    for (int k = 0; k < sys->nvariables; k++) v[moving + k] += x->least[k] / AT_LEAST;
    lm_state s = at_start(d, 0);
    s.v = v;
    pass_delays(d, &s);
    int bad = sys->form->residual(g->sys, &s, now, NULL, NULL);
    for (int i = 0; i < sys->nv && !bad; i++) {
        now[i] = start[i] - now[i];
        some = some || (i < moving && !sys->angular[i] && now[i] != 0);
    }
    if (!bad && some) bad = measure(d, now, d->brief, d->until, &factored) < 0 ? -1 : 0;
    lm_free(v);
    return bad < 0 ? bad : 0;
}

/* ---- what drives will do ---- */

/* How far a drive moves its joint in the run. */
static int drive_way(const lm_dynamics_run *d, const lm_expr *drive, double *way)
{
    enum { PLACES = 256 };
    double low = INFINITY, high = -INFINITY;
    double *scratch = lm_alloc(sizeof(double) * (size_t)(lm_expr_scratch(drive, 0) + 1));
    if (!scratch) return -1;
    for (int i = 0; i <= PLACES; i++) {
        double t = d->until * i / PLACES, x = lm_expr_eval(drive, &t, scratch);
        if (isfinite(x)) low = fmin(low, x), high = fmax(high, x);
    }
    lm_free(scratch);
    *way = fmax(high - low, 0);
    return 0;
}

/* What is moved along by a drive is measured by how far that goes. */
static int look_at_drives(lm_dynamics_run *d)
{
    const lm_model *m = d->run->model;
    for (int k = 0; k < m->nrows; k++) {
        const lm_row *r = &m->rows[k];
        double way = 0;
        if (!r->drive || lm_measure_is_rotation(r->measure)) continue;
        if (drive_way(d, r->drive, &way)) return -1;
        d->least_unit = fmax(d->least_unit, way);
    }
    return 0;
}

/* A force that begins so gently that it cannot be told when, as that of a bell curve, would make units of its
 * first traces: the least one is a small part of how far such forces move the point, while they change and to
 * the end of the run. So are the least ones of states. */
limber_status lm_unit_open(lm_dynamics_run *d)
{
    lm_integrator *g = d->g;
    int point = d->run->model->point;
    if (!point && !g->sys->nvariables) return LIMBER_OK;
    int bad = point ? look_at_drives(d) : 0;
    if (!bad && point) bad = lm_factor_mass(g, 0, g->q, g->v);
    if (!bad) bad = forces(d, 0, d->v);
    for (int i = 0; i < d->timing->n && !bad; i++) {
        bad = look_at_cells(d, &d->timing->of[i], 0);
        if (!bad && point) bad = look_at_cells(d, &d->timing->of[i], d->until);
    }
    know_delays(d, -INFINITY);
    if (!bad && g->sys->nvariables) {
        lm_state s = at_start(d, 0);
        lm_machine_follow(g->sys, &s, d->dt, g->sys->discrete->least);
        if (point && d->brief > 0) bad = look_at_states(d);
        know_delays(d, -INFINITY);
    }
    return bad < 0 ? LIMBER_MEMORY : LIMBER_OK;
}

int lm_forces_jump(lm_dynamics_run *d, double t)
{
    double *now = d->v, *next = d->q, most = 0, jump = 0;
    if (forces(d, 0, now) || forces(d, t, next)) return 0;
    for (int i = 0; i < d->g->sys->nv; i++) {
        most = fmax(most, fmax(fabs(now[i]), fabs(next[i])));
        jump = fmax(jump, fabs(now[i] - next[i]));
    }
    return jump > 1e-9 * most;
}
