#include "base/mem.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static atomic_long allocs, live, fail_in;
static atomic_int fail_sticky, failed;

static int fails(void)
{
    atomic_fetch_add(&allocs, 1);
    if (atomic_load(&failed) && atomic_load(&fail_sticky)) return 1;
    if (atomic_load(&fail_in) > 0 && atomic_fetch_sub(&fail_in, 1) == 1) {
        atomic_store(&failed, 1);
        return 1;
    }
    return 0;
}

/* Ask for large pages where memory is large: small ones cost a table walk every 4 KiB. */
static void prefer_large_pages(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 4096, from = ((uintptr_t)p + page - 1) & ~(page - 1);
    const uintptr_t to = ((uintptr_t)p + size) & ~(page - 1);
    if (size >= (size_t)1 << 22) madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)p, (void)size;
#endif
}

void *lm_alloc(size_t size)
{
    if (fails() || size > PTRDIFF_MAX) return NULL;
    void *p = calloc(1, size ? size : 1);
    if (!p) return NULL;
    atomic_fetch_add(&live, 1);
    prefer_large_pages(p, size);
    return p;
}

void *lm_realloc(void *p, size_t size)
{
    if (!p) return lm_alloc(size);
    if (fails() || size > PTRDIFF_MAX) return NULL;
    return realloc(p, size ? size : 1);
}

void lm_free(void *p)
{
    if (!p) return;
    atomic_fetch_sub(&live, 1);
    free(p);
}

long lm_mem_allocs(void) { return atomic_load(&allocs); }
long lm_mem_live(void) { return atomic_load(&live); }

void lm_mem_fail_after(long k)
{
    atomic_store(&failed, 0);
    atomic_store(&fail_in, k);
}

void lm_mem_fail_all(int sticky) { atomic_store(&fail_sticky, sticky); }

/* Arena: blocks that double in size; an allocation larger than a block gets its own. */
struct lm_block {
    struct lm_block *next;
    size_t size, used;
    _Alignas(64) char data[];
};

static void *out_of_memory(lm_arena *a)
{
    if (a->on_fail) longjmp(*a->on_fail, 1);
    return NULL;
}

/* A block with room for `need` bytes at the head. 0, -1. */
static int make_room(lm_arena *a, size_t need)
{
    struct lm_block *b = a->head;
    if (b && b->size - b->used >= need) return 0;
    size_t want = b ? b->size * 2 : 4096;
    if (want > (size_t)1 << 24) want = (size_t)1 << 24;
    if (want < need) want = need;
    b = lm_alloc(sizeof(struct lm_block) + want);
    if (!b) return -1;
    b->size = want;
    b->next = a->head;
    a->head = b;
    return 0;
}

int lm_arena_reserve(lm_arena *a, size_t size) { return make_room(a, size); }

void *lm_arena_alloc(lm_arena *a, size_t size)
{
    size_t need = (size + 15) & ~(size_t)15;
    if (need < size || (a->limit && a->used + need > a->limit)) return out_of_memory(a);
    if (make_room(a, need)) return out_of_memory(a);
    struct lm_block *b = a->head;
    void *p = b->data + b->used;
    b->used += need;
    a->used += need;
    return p;
}

void *lm_arena_copy(lm_arena *a, const void *data, size_t size)
{
    void *p = lm_arena_alloc(a, size);
    if (p && size) memcpy(p, data, size);
    return p;
}

char *lm_arena_strn(lm_arena *a, const char *s, size_t n)
{
    char *p = lm_arena_alloc(a, n + 1);
    if (p && n) memcpy(p, s, n);
    return p;
}

char *lm_arena_str(lm_arena *a, const char *s) { return lm_arena_strn(a, s, strlen(s)); }

char *lm_arena_printf(lm_arena *a, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *p = lm_arena_alloc(a, (size_t)n + 1);
    if (!p) return NULL;
    va_start(args, fmt);
    vsnprintf(p, (size_t)n + 1, fmt, args);
    va_end(args);
    return p;
}

void lm_arena_free(lm_arena *a)
{
    for (struct lm_block *b = a->head; b;) {
        struct lm_block *next = b->next;
        lm_free(b);
        b = next;
    }
    a->head = NULL;
    a->used = 0;
}

void *lm_vec_grow(lm_arena *a, void *at, int n, int *cap, size_t size)
{
    if (n < *cap) return at;
    int want = *cap ? 2 * *cap : 8;
    void *p = lm_arena_alloc(a, size * (size_t)want);
    if (!p) return NULL;
    if (n) memcpy(p, at, size * (size_t)n);
    *cap = want;
    return p;
}
