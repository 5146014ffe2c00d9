/* Analyses of which nothing is recorded, on the way to a state that another one is about. And analyses that
 * leave the state as it was. */
#include "analysis/mesh.h"
#include "analysis/range.h"
#include "analysis/rigid_motion.h"
#include "analysis/small.h"
#include "analysis/turns.h"

#include <stdio.h>
#include <string.h>

static limber_status without_file(lm_run *run, const lm_spec_analysis *a)
{
    lm_h5 *file = run->file;
    int resuming = run->resuming;
    run->file = NULL;
    run->resuming = 0;
    snprintf(run->sum->analysis, sizeof run->sum->analysis, "%s",
             lm_analysis_name(a->type)); /* for messages */
    limber_status st = lm_analyse(run, a);
    run->file = file;
    run->resuming = resuming;
    return st;
}

limber_status lm_run_again(lm_run *run, const lm_spec_analysis *a)
{
    limber_summary keep = *run->sum;
    limber_status st = without_file(run, a);
    if (st) memcpy(keep.reason, run->sum->reason, sizeof keep.reason);
    *run->sum = keep;
    return st;
}

limber_status lm_run_unrecorded(lm_run *run, const lm_spec_analysis *a)
{
    limber_summary keep = *run->sum;
    const limber_run_options *opt = run->opt;
    limber_run_options here = *opt;
    here.until = 0; /* the entry's own counts */
    here.multiplier = NULL, here.power = NULL;
    run->opt = &here;
    limber_status st = without_file(run, a);
    run->opt = opt;
    memcpy(keep.reason, run->sum->reason, sizeof keep.reason);
    keep.iterations = run->sum->iterations;
    *run->sum = keep;
    return st;
}

limber_status lm_find_equilibrium(lm_run *run)
{
    const lm_spec *spec = run->model->spec;
    lm_spec_analysis a = lm_analysis_defaults(LM_ANALYSIS_STATICS, (lm_loc){0});
    for (int i = spec->analyses.n - 1; i >= 0; i--)
        if (spec->analyses.at[i].type == LM_ANALYSIS_STATICS) a = spec->analyses.at[i];
    a.linear = 0; /* displacements of one step are no equilibrium */
    return lm_run_unrecorded(run, &a);
}

/* The run's state and that of the companion, to be put back. */
static double *keep(const lm_run *run)
{
    size_t own = (size_t)run->sys->nq + (size_t)run->sys->nv;
    double *k = lm_alloc(sizeof(double) * (own + lm_rigid_motion_size(run) + 1));
    if (!k) return NULL;
    memcpy(k, run->q, sizeof(double) * own);
    lm_rigid_motion_keep(run, k + own);
    return k;
}

static limber_status put_back(lm_run *run, const double *k, double t)
{
    size_t own = (size_t)run->sys->nq + (size_t)run->sys->nv;
    memcpy(run->q, k, sizeof(double) * own);
    run->t = t;
    lm_rigid_motion_put_back(run, k + own);
    return run->sys->form->select_rows(run->sys, t, run->q, 0) < 0 ? LIMBER_MEMORY : LIMBER_OK;
}

static int of_vibrations(const lm_spec_analysis *a)
{
    return a->type == LM_ANALYSIS_MODES || a->type == LM_ANALYSIS_CAMPBELL;
}

limber_status lm_run_aside(lm_run *run, const lm_spec_analysis *a, lm_aside *compute, void *context)
{
    double t = run->t, *kept = keep(run);
    lm_left_out *o = run->sys->left_out;
    limber_status st = kept ? lm_record_status(run, "running", "") : LIMBER_MEMORY;
    if (!st) {
        if (o) o->vibrations = of_vibrations(a) && o->stiffening;
        st = compute(run, a, context);
        lm_range_look(run, run->q, run->v);
        lm_range_warn(run);
        lm_turns_look(run, run->q);
        lm_turns_warn(run);
        lm_mesh_look(run, run->q);
        lm_mesh_warn(run, a->type);
        lm_small_warn(run);
        lm_rigid_motion_warn(run, a->type == LM_ANALYSIS_PERIODIC, 0, a->loc);
        if (o) o->vibrations = 0;
        limber_status back = put_back(run, kept, t);
        if (!st) st = back;
    }
    lm_free(kept);
    return lm_record_end(run, st);
}
