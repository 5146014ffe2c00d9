/* What goes through the elements of the power graph: energy over each step by Simpson's rule. */
#include "analysis/dynamics.h"
#include "analysis/power.h"

#include <math.h>
#include <string.h>

static lm_power_flow flow_of(const lm_dynamics_run *d, int i)
{
    const lm_spec_element *e = &d->run->model->spec->elements.at[i];
    const double *f = d->g->sys->discrete->flow + LM_FLOWS * i;
    return (lm_power_flow){e->item.name,   (int)e->type,       f[LM_FLOW_IN],
                           f[LM_FLOW_OUT], f[LM_FLOW_LARGEST], f[LM_FLOW_AT]};
}

static void put_flow(const lm_dynamics_run *d, int i, const lm_power_flow *flow)
{
    double *f = d->g->sys->discrete->flow + LM_FLOWS * i;
    f[LM_FLOW_IN] = flow->in;
    f[LM_FLOW_OUT] = flow->out;
    f[LM_FLOW_LARGEST] = flow->largest;
    f[LM_FLOW_AT] = flow->at;
}

limber_status lm_power_flow_open(lm_dynamics_run *d)
{
    const lm_system *sys = d->g->sys;
    int n = d->run->model->spec->elements.n;
    if (!sys->form->powers) return LIMBER_OK;
    d->powers = lm_alloc(sizeof(double) * 3 * (size_t)(n + 1));
    for (int i = 0; i < LM_FLOWS * n; i++) sys->discrete->flow[i] = 0;
    return d->powers ? LIMBER_OK : LIMBER_MEMORY;
}

/* After a step, whose start and end the integrator holds. */
limber_status lm_power_flow_step(lm_dynamics_run *d)
{
    lm_integrator *g = d->g;
    lm_system *sys = g->sys;
    int n = d->run->model->spec->elements.n;
    double h = g->clock->h, t = g->clock->t, *p[3] = {d->powers, d->powers + n, d->powers + 2 * n};
    if (!sys->form->powers || !(h > 0)) return LIMBER_OK;
    if (lm_integrator_at(g, t - 0.5 * h, d->q, d->v, d->a, d->lam))
        return lm_stop(d->run, LIMBER_INTERNAL, "at t = %.6g: the state cannot be interpolated", t);
    const lm_state st[3] = {{t - h, g->q0, g->v0, g->a0, g->lam0},
                            {t - 0.5 * h, d->q, d->v, d->a, d->lam},
                            {t, g->q, g->v, g->a, g->lam}};
    for (int k = 0; k < 3; k++)
        if (sys->form->powers(sys, &st[k], p[k])) return LIMBER_OK;
    for (int i = 0; i < n; i++) {
        lm_power_flow f = flow_of(d, i);
        lm_power_flow_add(&f, h / 6 * (p[0][i] + 4 * p[1][i] + p[2][i]), p[2][i], t);
        put_flow(d, i, &f);
    }
    return LIMBER_OK;
}

void lm_power_flow_put(lm_dynamics_run *d, const double *energy)
{
    for (int i = 0; i < d->run->model->spec->elements.n; i++) {
        lm_power_flow f = flow_of(d, i);
        if (energy[i] == 0) continue;
        lm_power_flow_add(&f, energy[i], 0, d->g->clock->t);
        put_flow(d, i, &f);
    }
}

/* Efforts go with accelerations along a straight line, so that an impulse dv gives each element
 * e(dv) f, less what there is without it, at the mean of both velocities. */
void lm_power_flow_jump(lm_dynamics_run *d, const double *before)
{
    lm_integrator *g = d->g;
    lm_system *sys = g->sys;
    int n = d->run->model->spec->elements.n, moved = 0;
    double *p[2] = {d->powers, d->powers + n};
    if (!sys->form->powers) return;
    for (int i = 0; i < sys->nv; i++) {
        double dv = g->v[i] - before[i];
        moved |= fabs(dv) > 1e-12 * (fabs(g->v[i]) + fabs(before[i]));
        d->v[i] = 0.5 * (g->v[i] + before[i]);
        d->a[i] = dv;
    }
    for (int k = 0; k < 2 && moved; k++) {
        lm_state s = {g->clock->t, g->q, d->v, d->a, g->lam};
        if (sys->form->powers(sys, &s, p[k])) return;
        memset(d->a, 0, sizeof(double) * (size_t)sys->nv);
    }
    for (int i = 0; i < n && moved; i++) p[0][i] -= p[1][i];
    if (moved) lm_power_flow_put(d, p[0]);
}

/* Junctions are left out: they take nothing. */
limber_status lm_power_flow_close(lm_dynamics_run *d)
{
    const lm_spec *spec = d->run->model->spec;
    int n = 0;
    if (!d->g->sys->form->powers) return LIMBER_OK;
    lm_power_flow *flow = lm_alloc(sizeof *flow * (size_t)(spec->elements.n + 1));
    if (!flow) return LIMBER_MEMORY;
    for (int i = 0; i < spec->elements.n; i++) {
        lm_element_type type = spec->elements.at[i].type;
        if (type != LM_ELEMENT_ZERO && type != LM_ELEMENT_ONE) flow[n++] = flow_of(d, i);
    }
    limber_status st = lm_record_power(d->run, n, flow);
    lm_free(flow);
    return st;
}
