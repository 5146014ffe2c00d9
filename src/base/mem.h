/* Memory: one allocator for the whole library, with counting and failure on demand, and arenas.
 *
 * Every allocation of the library goes through lm_alloc, so that a test can prove that the time
 * loop allocates nothing and that each failing allocation ends in a clear status. An arena hands
 * out zeroed memory that lives until lm_arena_free. When an arena runs out of memory it jumps to
 * the handler set by the owner (the reader and the compiler use that: no NULL checks inside); an
 * arena without a handler returns NULL. */
#ifndef LM_BASE_MEM_H
#define LM_BASE_MEM_H

#include <setjmp.h>
#include <stddef.h>
#include <string.h>

void *lm_alloc(size_t size); /* zeroed; NULL on failure; size 0 gives a valid pointer */
void *lm_realloc(void *p, size_t size);
void lm_free(void *p);

/* memcpy for n doubles, of which there may be none at NULL. */
static inline void lm_copy(double *to, const double *from, int n)
{
    if (n) memcpy(to, from, sizeof(double) * (size_t)n);
}

/* Test hooks. */
long lm_mem_allocs(void);         /* allocations made so far in this process */
long lm_mem_live(void);           /* allocations not freed yet */
void lm_mem_fail_after(long k);   /* the k-th allocation from now (1 = next) fails; 0 = never */
void lm_mem_fail_all(int sticky); /* 1: once one failed, all later ones fail too */

typedef struct lm_arena {
    struct lm_block *head; /* newest block first */
    jmp_buf *on_fail;      /* longjmp(…, 1) here when out of memory, or NULL */
    size_t used;           /* bytes handed out */
    size_t limit;          /* most bytes it may hand out, 0 = no limit; past it: as out of memory */
} lm_arena;

void *lm_arena_alloc(lm_arena *a, size_t size);
/* So much, all together, can be had without asking for memory. 0, -1. */
int lm_arena_reserve(lm_arena *a, size_t size);
void *lm_arena_copy(lm_arena *a, const void *data, size_t size);
char *lm_arena_str(lm_arena *a, const char *s);
char *lm_arena_strn(lm_arena *a, const char *s, size_t n);
char *lm_arena_printf(lm_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void lm_arena_free(lm_arena *a);

#define LM_NEW(arena, type)      ((type *)lm_arena_alloc((arena), sizeof(type)))
#define LM_NEW_N(arena, type, n) ((type *)lm_arena_alloc((arena), sizeof(type) * (size_t)(n)))

/* A growing array inside an arena: LM_PUSH(arena, v) returns a pointer to a new zeroed element.
 * Declare as: struct { T *at; int n, cap; } v; */
#define LM_VEC(T)                                                                                  \
    struct {                                                                                       \
        T *at;                                                                                     \
        int n, cap;                                                                                \
    }
void *lm_vec_grow(lm_arena *a, void *at, int n, int *cap, size_t size);
#define LM_PUSH(arena, v)                                                                          \
    ((v)->at = lm_vec_grow((arena), (v)->at, (v)->n, &(v)->cap, sizeof *(v)->at),                  \
     &(v)->at[(v)->n++])

#endif
