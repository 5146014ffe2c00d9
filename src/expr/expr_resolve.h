/* Where an expression changes in time, and how fast: before a run, so that no step of it goes over what it
 * has not seen (docs/theory/events.md). */
#ifndef LM_EXPR_RESOLVE_H
#define LM_EXPR_RESOLVE_H

#include "expr/expr.h"

/* Intervals in each of which every operation that depends on the time alone is nearly straight, as compared
 * with its range; they begin at 0 and at the end of the one before. */
typedef struct lm_resolution {
    int ncells, ncorners;
    double *end; /* [ncells] ascending, the last is the end of the search */
    unsigned char
        *brief; /* [ncells] 1: it changes there, and rests most of the time; NULL: nowhere */
    double
        *corner;  /* [ncorners] ascending: corners and jumps that lm_expr_next_kink does not know */
    int complete; /* 0: there were too many for all of them to be found */
} lm_resolution;

/* 0; -1: no memory. */
int lm_expr_resolve(const lm_expr *e, double until, lm_resolution *out);
/* Where a step from t has to end at the latest, of the length of so many cells where these are brief. */
double lm_resolution_reach(const lm_resolution *r, double t, double fine);
void lm_resolution_free(lm_resolution *r);

#endif
