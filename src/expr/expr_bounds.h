/* Bounds of expressions of the time over an interval of it: interval arithmetic with slopes
 * (docs/theory/events.md). */
#ifndef LM_EXPR_BOUNDS_H
#define LM_EXPR_BOUNDS_H

#include "expr/expr.h"

typedef struct lm_span {
    double lo, hi;
} lm_span;

/* Of an operation. Nothing is known where it is infinite. */
typedef struct lm_bound {
    lm_span u, d; /* value, slope in time; a jump is an infinite slope */
    int open;     /* 1: it has a branch to choose, or a corner, within the interval */
} lm_bound;

/* What an operation depends on. */
enum { LM_BOUND_CONSTANT, LM_BOUND_TIMED, LM_BOUND_OTHER };

/* Differences within this part of the larger end count as having one sign in lm_bounds where an interval ends at
 * the very root of a guard, but for what the state there is off by. */
#define LM_BOUND_SLACK 1e-10

/* of[nops]: what each operation depends on; arg[3 nops]: the operations that are its arguments, -1: none. all: 1:
 * every slot is a function of the time; 0: that of t alone. reg: scratch, as for lm_expr_eval but integers. */
void lm_bounds_plan(const lm_expr *e, int all, unsigned char *of, int *arg, int *reg);
/* Bounds out[nops] of the operations that depend on such slots at most, which are within `slots`; rounding: the
 * part above, 0: none, where ends are beside roots; first, last [nops]: values at both ends of the interval. */
void lm_bounds(const lm_expr *e, const unsigned char *of, const int *arg, const lm_bound *slots,
               double rounding, const double *first, const double *last, lm_bound *out);
/* How fast an operation changes with its argument k at most, those within x. */
double lm_bounds_slope(const lm_op *op, const lm_bound x[3], int k, double rounding);
/* That of the slot of t over an interval. */
static inline lm_bound lm_bound_of_time(double from, double to)
{
    return (lm_bound){.u = {from, to}, .d = {1, 1}};
}

/* 1: never zero but at an end. */
static inline int lm_span_has_sign(lm_span s, double rounding)
{
    return s.lo >= 0 || s.hi <= 0 || s.lo >= -rounding * s.hi || s.hi <= -rounding * s.lo;
}

#endif
