/* A table of names: text to index in order of insertion, by hashing. Memory is the arena's. */
#ifndef LM_MODEL_NAMES_H
#define LM_MODEL_NAMES_H

#include "base/mem.h"

#include <stdint.h>

typedef struct lm_names {
    LM_VEC(const char *) list; /* name of index i */
    uint64_t *slots;           /* open addressing: hash << 32 | 1 + index, 0 = free */
    int nslots;                /* a power of two */
} lm_names;

/* Index of the name, or -1. */
int lm_names_find(const lm_names *t, const char *name);
/* Index of a new name (the text must stay), or of the one that is there: then *old = 1. */
int lm_names_add(lm_arena *arena, lm_names *t, const char *name, int *old);

#endif
