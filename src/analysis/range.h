/* Superelements beyond what they are right for: deformations that are not small, and rotation at a notable
 * part of their frequencies, which linear bodies do not stiffen under. */
#ifndef LM_ANALYSIS_RANGE_H
#define LM_ANALYSIS_RANGE_H

#include "analysis/run.h"

/* run->range; NULL where there are no superelements. 0; -1: no memory. */
int lm_range_make(lm_run *run);
void lm_range_free(lm_run *run);
/* Remember the largest of the errors that are estimated at a state of the results; v NULL: at rest. */
void lm_range_look(lm_run *run, const double *q, const double *v);
/* What is remembered of them: lm_range_size doubles, kept, and put back. */
size_t lm_range_size(const lm_run *run);
void lm_range_keep(const lm_run *run, double *to);
void lm_range_put_back(lm_run *run, const double *from);
/* After an analysis: a warning for each body that is off by more than 2 %, once in a run. */
void lm_range_warn(lm_run *run);

#endif
