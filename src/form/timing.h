/* What the forces and motions of a model do in time, as far as that is known before a run: where their
 * expressions change and how fast, those of signals that follow from the time alone put into others
 * (docs/theory/events.md). */
#ifndef LM_FORM_TIMING_H
#define LM_FORM_TIMING_H

#include "expr/expr_resolve.h"
#include "model/model.h"

typedef struct lm_timing {
    lm_arena arena;
    int n;
    double fine;           /* cells to a step where a brief force changes: the method's */
    const lm_expr **expr;  /* [n] */
    lm_resolution *of;     /* [n] */
    unsigned char *silent; /* [n] 1: instants that the system does not announce */
    const lm_expr *
        *delayed; /* [delays] what comes out of each as a function of the time; NULL: it is not */
} lm_timing;

/* NULL in *out: nothing depends on time. 0; -1: no memory. */
int lm_timing_make(const lm_spec *spec, double until, lm_timing **out);
void lm_timing_free(lm_timing *x);
/* The first corner or jump after t that is not announced by the expressions as they are written. */
double lm_timing_next(const lm_timing *x, double t);
/* Where a step from t has to end at the latest, so that it goes over nothing unseen; *which: because of that
 * expression, unless NULL. */
double lm_timing_reach(const lm_timing *x, double t, const lm_expr **which);

#endif
