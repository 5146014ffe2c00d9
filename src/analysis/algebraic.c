/* Forces that depend on accelerations or reactions need not leave a solution (docs/theory/accelerations.md): where there
 * is none, methods jump over the place with a velocity that nothing has brought about. */
#include "analysis/dynamics.h"

#include <math.h>
#include <string.h>

#define JUMP                                                                                       \
    3 /* change of the velocities in a step, over what the accelerations at its ends make of it */

limber_status lm_algebraic_open(lm_dynamics_run *d)
{
    const lm_system *sys = d->g->sys;
    if (!sys->algebraic || sys->nvariables) return LIMBER_OK;
    d->probe = lm_integrator_at_rest(d->g->sys);
    return d->probe ? LIMBER_OK : LIMBER_MEMORY;
}

/* Said once: which of several motions goes on is for limber to choose. */
void lm_algebraic_start(lm_dynamics_run *d)
{
    const lm_integrator *g = d->g;
    if (!d->probe || d->several) return;
    d->probe->mass_unit = g->mass_unit;
    d->several = lm_other_acceleration(d->probe, g->clock->t, g->q, g->v, g->a, g->lam, d->probe->a,
                                       d->probe->lam);
    if (d->several)
        lm_warning(d->run->diag, ((lm_loc){d->run->model->spec->file, 0, 0}),
                   "at t = %.6g several accelerations satisfy the equations of motion: a force "
                   "depends so much on the reaction or acceleration that it causes itself "
                   "(friction that jams, Painleve's paradox); the motion goes on with the one that "
                   "is found from no reactions at all",
                   g->clock->t);
}

/* Consistent accelerations at the end of the step and these velocities, into the probe. */
static limber_status solve_at_end(lm_dynamics_run *d, const double *v)
{
    lm_integrator *p = d->probe;
    const lm_integrator *g = d->g;
    p->clock->size = g->clock->size;
    p->mass_unit = g->mass_unit;
    int bad = lm_consistent_acceleration(p, g->clock->t, g->q, v, p->a, p->lam);
    if (bad < 0) return LIMBER_MEMORY;
    if (bad != 3) return LIMBER_OK;
    lm_explain_mass(p, g->clock->t, bad);
    return lm_stop(d->run, LIMBER_STOPPED, "%s", p->failure);
}

/* A step has been made: the equations have a solution where it ends, also with the velocities that it began
 * with, should these have jumped. */
limber_status lm_algebraic_step(lm_dynamics_run *d)
{
    lm_integrator *g = d->g, *p = d->probe;
    if (!p || g->clock->h == 0) return LIMBER_OK;
    limber_status st = solve_at_end(d, g->v);
    if (st) return st;
    double size = g->clock->size, h = g->clock->h, made = lm_speed_norm(g->sys, size, p->a);
    made = h * fmax(made, lm_speed_norm(g->sys, size, g->a0));
    for (int i = 0; i < g->sys->nv; i++) p->v[i] = g->v[i] - g->v0[i];
    return lm_speed_norm(g->sys, size, p->v) > JUMP * made ? solve_at_end(d, g->v0) : LIMBER_OK;
}

/* The method has given up: because there is no solution ahead? */
void lm_algebraic_explain(lm_dynamics_run *d)
{
    static const double ahead[] = {0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4};
    lm_integrator *g = d->g, *p = d->probe;
    for (int i = 0; i < 6 && p; i++) {
        double s = ahead[i] * d->until, t = g->clock->t + s;
        if (lm_dynamics_ahead(d, s, NULL)) return;
        int bad = lm_consistent_acceleration(p, t, d->q, d->v, p->a, p->lam);
        if (bad == 0) continue;
        lm_copy(p->q, d->q, g->sys->nq);
        lm_copy(p->v, d->v, g->sys->nv);
        if (bad == 3) {
            lm_explain_mass(p, t, bad);
            memcpy(g->failure, p->failure, sizeof g->failure);
        }
        return;
    }
}

void lm_algebraic_close(lm_dynamics_run *d)
{
    if (d->probe) d->probe->ops->destroy(d->probe);
    d->probe = NULL;
}
