/* What is slow in a motion: F = (M + H^2/4 K)^-1 M, with the constraints.
 *
 * F leaves motions that are slow against the span H as they are and takes a vibration of frequency
 * omega down by 1 + (omega H/2)^2. Step control uses it to tell vibrations that are too small to
 * matter from motions that must be followed (docs/theory/generalized-alpha.md). */
#ifndef LM_SOLVE_FILTER_H
#define LM_SOLVE_FILTER_H

#include "form/form.h"
#include "solve/linear.h"

typedef struct lm_filter {
    lm_system *sys;
    lm_linear *lin;
    double *mass; /* [nnz] */
    double *x;    /* [2 (nv + nl)] */
    double span;  /* H; 0: not made */
} lm_filter;

int lm_filter_init(lm_filter *f, lm_system *sys); /* 0, -1: no memory */
void lm_filter_free(lm_filter *f);
/* 0; > 0: there is no filter at this state. */
int lm_filter_make(lm_filter *f, const lm_state *s, double span);
void lm_filter_apply(lm_filter *f, double *motion); /* [nv] */

#endif
