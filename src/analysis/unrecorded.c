/* Analyses on the way to a state that another one is about: nothing of them is recorded. */
#include "analysis/modes.h"

#include <stdio.h>

limber_status lm_run_unrecorded(lm_run *run, const lm_spec_analysis *a)
{
    lm_h5 *file = run->file;
    limber_summary keep = *run->sum;
    const limber_run_options *opt = run->opt;
    limber_run_options here = *opt;
    int resuming = run->resuming;
    here.until = 0; /* the entry's own counts */
    run->opt = &here;
    run->file = NULL;
    run->resuming = 0;
    snprintf(run->sum->analysis, sizeof run->sum->analysis, "%s",
             lm_analysis_name(a->type)); /* for messages */
    limber_status st = a->type == LM_ANALYSIS_DYNAMICS ? lm_dynamics(run, a) : lm_statics(run, a);
    snprintf(keep.reason, sizeof keep.reason, "%s", run->sum->reason);
    keep.iterations = run->sum->iterations;
    *run->sum = keep;
    run->opt = opt;
    run->file = file;
    run->resuming = resuming;
    return st;
}

limber_status lm_find_equilibrium(lm_run *run)
{
    const lm_spec *spec = run->model->spec;
    lm_spec_analysis a = {.type = LM_ANALYSIS_STATICS, .tolerance = 1e-4, .load_steps = 1};
    for (int i = spec->analyses.n - 1; i >= 0; i--)
        if (spec->analyses.at[i].type == LM_ANALYSIS_STATICS) a = spec->analyses.at[i];
    return lm_run_unrecorded(run, &a);
}
