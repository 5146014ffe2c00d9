/* Private to the readers of blocks: numbers (blocks_check.c), names (read_blocks.c), equations
 * (blocks_equations.c). */
#ifndef LM_MODEL_BLOCKS_H
#define LM_MODEL_BLOCKS_H

#include "model/reader.h"

/* What has been given must fit together; defaults that follow from other numbers are filled in. 0,
 * -1 after an error. `given` as by lm_read_object. */
int lm_block_check(lm_reader *r, const lm_named *entry, lm_spec_block *b, uint64_t given);

/* The user's expressions of block i and the equations of its parts, when all names are known. */
int lm_block_equations(lm_reader *r, const lm_named *entry, int i);

static inline int lm_block_sampled(const lm_spec_block *b) { return b->every > 0; }
static inline int lm_block_limited(const lm_spec_block *b) { return b->limits.cols > 0; }
/* Order of a transfer function. */
static inline int lm_block_order(const lm_spec_block *b) { return b->denominator.cols - 1; }

#endif
