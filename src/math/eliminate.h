/* Which of many sparse rows are independent: Gaussian elimination row by row. Rows come in one after
 * the other; one that adds to the rank is kept, reduced and divided by its pivot. Only making it and
 * reserving allocate, so that the same question can be asked again in a time loop. */
#ifndef LM_MATH_ELIMINATE_H
#define LM_MATH_ELIMINATE_H

#include "base/mem.h"

typedef struct lm_eliminator lm_eliminator;

/* For at most `rows` rows of `cols` columns, with room for `entries` numbers in those that are kept;
 * rows * cols is always enough. NULL: no memory. */
lm_eliminator *lm_eliminate_make(lm_arena *arena, int cols, int rows, size_t entries);
/* Room for at least `more` numbers beyond those kept now; it doubles at the least, so that asking
 * before every row costs little. 0; -1: no memory. */
int lm_eliminate_reserve(lm_eliminator *e, lm_arena *arena, size_t more);
void lm_eliminate_begin(lm_eliminator *e);                  /* forget all rows */
void lm_eliminate_add(lm_eliminator *e, int col, double x); /* to the row that is being written */
/* The row is complete; numbers below 1e-8 scale are rounding. 1: independent, kept; 0: the rows
 * before it imply it; -1: it is independent, but there is no room for its entries. */
int lm_eliminate_row(lm_eliminator *e, double scale);
int lm_eliminate_rank(const lm_eliminator *e);
size_t lm_eliminate_used(const lm_eliminator *e); /* numbers kept since lm_eliminate_begin */

#endif
