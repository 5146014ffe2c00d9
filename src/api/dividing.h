/* Bodies that a run divides by itself, where they deform too far for a formulation of small deformations. */
#ifndef LM_API_DIVIDING_H
#define LM_API_DIVIDING_H

#include "analysis/run.h"

typedef struct lm_dividing {
    lm_model model; /* of the user, with */
    lm_spec spec;   /* ... frames in its formulation */
    limber_run_options opt;
    int *frames;  /* [bodies] */
    int messages; /* there before the run */
} lm_dividing;

/* The run goes on with copies of its model and options. */
limber_status lm_dividing_begin(lm_run *run, lm_dividing *d);
/* Back to the beginning. */
void lm_dividing_anew(lm_run *run, lm_dividing *d);
/* Notes of the beams that were divided. */
void lm_dividing_tell(const lm_run *run, const lm_dividing *d);
void lm_dividing_end(lm_dividing *d);

#endif
