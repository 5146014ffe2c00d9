/* Where an expression of the time jumps, or its slope does. */
#ifndef LM_EXPR_JUMP_H
#define LM_EXPR_JUMP_H

#include "expr/expr.h"

typedef struct lm_jump {
    double t;
    double before[2], after[2]; /* value and slope on both sides */
    int value;                  /* 1: the value jumps; 0: the slope only */
    int known;                  /* 1: lm_expr_next_kink knows the instant */
} lm_jump;

/* Calls `found` for each of them between 0 and `until`, both included, known ones first and then those that a
 * search finds, each in ascending order, until it returns non-zero: that is returned. -1: no memory.
 *
 * At the instants of lm_expr_next_kink both sides are compared. Between them value u and slope u' are compared
 * with integrals of u' and u'' (Simpson's rule): where these do not agree an interval is halved, and what is
 * left of it when it has no length any more is a jump. Two that cancel each other within a thousandth of the
 * time can hide. */
int lm_expr_jumps(const lm_expr *e, double until, int (*found)(void *context, const lm_jump *jump),
                  void *context);

#endif
