/* A step that may be taken back: the state of the integrator is one block. */
#include "analysis/dynamics.h"

#include <string.h>

limber_status lm_trial_open(lm_dynamics_run *d)
{
    if (d->kept) return LIMBER_OK;
    d->kept = lm_alloc(sizeof(double) * d->g->block_size);
    return d->kept ? LIMBER_OK : LIMBER_MEMORY;
}

void lm_trial_begin(lm_dynamics_run *d)
{
    memcpy(d->kept, d->g->block, sizeof(double) * d->g->block_size);
    d->kept_stats = d->g->stats;
}

/* As if the step had been rejected. A method whose history is not in its block has to start again. */
void lm_trial_take_back(lm_dynamics_run *d)
{
    lm_integrator *g = d->g;
    memcpy(g->block, d->kept, sizeof(double) * g->block_size);
    g->stats.steps = d->kept_stats.steps;
    g->stats.smallest = d->kept_stats.smallest, g->stats.largest = d->kept_stats.largest;
    g->stats.rejected++;
    if (g->ops->start_up) lm_integrator_refresh(g);
}

/* The work up to there is not asked for. */
int lm_trial_inside(lm_dynamics_run *d, double t, int all)
{
    lm_integrator *g = d->g;
    lm_system *sys = g->sys;
    int works = sys->works;
    lm_copy(d->a, g->a, sys->nv);
    lm_copy(d->lam, g->lam, sys->nl);
    sys->works = 0;
    int bad = lm_integrator_at(g, t, d->q, d->v, all ? d->a : NULL, all ? d->lam : NULL);
    sys->works = works;
    return bad;
}
