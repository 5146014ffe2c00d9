/* Whether an expression may change its branch between two states of a motion whose guards have the same signs
 * (docs/theory/events.md). */
#ifndef LM_EXPR_BETWEEN_H
#define LM_EXPR_BETWEEN_H

#include "expr/expr_bounds.h"

typedef struct lm_between {
    const lm_expr *e;
    int nslots;               /* slots that it reads are below */
    unsigned char *of;        /* [nops] */
    int *arg;                 /* [3 nops] */
    double *first, *last;     /* [nops] values at both ends */
    double *scratch, *inside; /* [nslots] */
    lm_bound *slot;           /* [nslots] */
    lm_bound *bound;          /* [nops] */
} lm_between;

/* 0; -1: no memory. */
int lm_between_make(lm_arena *arena, const lm_expr *e, lm_between *b);
/* 1: some guard other than those with skip[] may change its sign. Slots go from `from` to `to` along parabolas
 * that differ from straight lines by as much as bend[] says, their second differences. */
int lm_between_open(lm_between *b, const double *from, const double *to, const double *bend,
                    const unsigned char *skip);
/* Bounds of its value over the same interval, as the unit of time, open if some guard is; at its ends b->first, b->last of the last
 * operation. */
lm_bound lm_between_bound(lm_between *b, const double *from, const double *to, const double *bend);
/* 1: it reads what has no bounds, the height of a surface. */
int lm_between_unbounded(const lm_between *b);

#endif
