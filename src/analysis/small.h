/* Whether deformations that the formulation takes to be small (lm_small) are so. */
#ifndef LM_ANALYSIS_SMALL_H
#define LM_ANALYSIS_SMALL_H

#include "analysis/run.h"

/* 1: bodies a and b are of one line of the model, link(1..100): one to its reader. */
int lm_same_line(const lm_run *run, int a, int b);

/* All of these do nothing for systems whose deformations may be of any size. */

/* Remember how large they are at q, which is a state of the results. */
void lm_small_look(lm_run *run, const double *q);
/* What is remembered: lm_small_size doubles, kept, and put back. */
size_t lm_small_size(const lm_run *run);
void lm_small_keep(const lm_run *run, double *to);
void lm_small_put_back(lm_run *run, const double *from);
/* After an analysis: a warning for each body that has turned too far, once in a run. */
void lm_small_warn(lm_run *run);
/* 1: some body turns too far, and the run begins anew with more pieces (run->again). */
int lm_small_divide(lm_run *run);
/* 1: some body turns too far at q; of the one that turns most the text says so and what to do. */
int lm_small_explain(lm_run *run, const double *q, char *text, size_t size);

#endif
