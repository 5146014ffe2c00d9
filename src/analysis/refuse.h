/* Errors for what an analysis cannot do with this model, by type; asked for by the list of analyses.c. Where
 * run->sys is NULL only what the model alone tells. */
#ifndef LM_ANALYSIS_REFUSE_H
#define LM_ANALYSIS_REFUSE_H

#include "analysis/run.h"

limber_status lm_refuse_dynamics(lm_run *run, const lm_spec_analysis *a);
limber_status lm_refuse_modes(lm_run *run, const lm_spec_analysis *a);
limber_status lm_refuse_campbell(lm_run *run, const lm_spec_analysis *a);
limber_status lm_refuse_periodic(lm_run *run, const lm_spec_analysis *a);

#endif
