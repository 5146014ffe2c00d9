/* Rotations that approach half a turn where only a rotation vector measures them: from end to end of a beam
 * element, between the frames of a bushing or of a compliant joint. Beyond pi it jumps to the other side. */
#ifndef LM_ANALYSIS_TURNS_H
#define LM_ANALYSIS_TURNS_H

#include "analysis/run.h"

typedef struct lm_turns lm_turns;

/* run->turns; NULL where there are none. 0; -1: no memory. */
int lm_turns_make(lm_run *run);
void lm_turns_free(lm_run *run);
/* Remember the largest at a state. */
void lm_turns_look(lm_run *run, const double *q);
/* What is remembered: lm_turns_size doubles, kept, and put back. */
size_t lm_turns_size(const lm_run *run);
void lm_turns_keep(const lm_run *run, double *to);
void lm_turns_put_back(lm_run *run, const double *from);
/* After an analysis: a warning for each line of the model that comes near half a turn, once in a run. */
void lm_turns_warn(lm_run *run);

#endif
