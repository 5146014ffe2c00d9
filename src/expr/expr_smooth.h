/* Is an expression smooth enough to be the motion of something? Its value and its slope must not jump,
 * or a velocity would; a second derivative that jumps is a force that does, and harmless. */
#ifndef LM_EXPR_SMOOTH_H
#define LM_EXPR_SMOOTH_H

#include "expr/expr.h"

typedef enum lm_rough_kind {
    LM_ROUGH_NOT,   /* smooth as far as can be seen */
    LM_ROUGH_INPUT, /* an operation has a corner or a jump at some value of an input other than t */
    LM_ROUGH_UNSEEN, /* ... of t, at instants that are not known */
    LM_ROUGH_CORNER, /* the slope jumps at the instant t */
    LM_ROUGH_JUMP    /* the value jumps at the instant t */
} lm_rough_kind;

typedef struct lm_rough {
    lm_rough_kind kind;
    const char *what;   /* the operation, "abs", "a comparison"; INPUT and UNSEEN */
    const char *remedy; /* ... and what to write instead */
    int slot;           /* the input; INPUT */
    double t;           /* CORNER, JUMP */
} lm_rough;

/* 0, or -1: no memory. Operations are looked at one by one: abs, sign, floor, mod, min, max, comparisons,
 * if, and pwl of anything but the time count as rough wherever they stand. Those of the time are rough
 * where value or gradient of the whole differ on both sides of an instant between 0 and `until`, these
 * two excepted; `slots` holds generic values of the other inputs, slots[LM_SLOT_T] is used. */
int lm_expr_rough(const lm_expr *e, double *slots, double until, lm_rough *out);

#endif
