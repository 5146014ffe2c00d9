#include "model/names.h"

#include <string.h>

/* FNV-1a with a final mix, so that names that differ in their last digit spread. */
static uint32_t hash(const char *s)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

static int index_in(uint64_t slot) { return (int)(slot & 0xffffffffu) - 1; }

/* The slot that holds the name, or the free one where it belongs. */
static uint64_t *slot_of(const lm_names *t, const char *name, uint32_t h)
{
    uint32_t mask = (uint32_t)t->nslots - 1, i = h & mask;
    for (; t->slots[i]; i = (i + 1) & mask)
        if (t->slots[i] >> 32 == h && strcmp(t->list.at[index_in(t->slots[i])], name) == 0) break;
    return &t->slots[i];
}

int lm_names_find(const lm_names *t, const char *name)
{
    return t->nslots ? index_in(*slot_of(t, name, hash(name))) : -1;
}

static void grow(lm_arena *arena, lm_names *t)
{
    int n = t->nslots ? 2 * t->nslots : 16;
    uint64_t *old = t->slots;
    uint32_t mask = (uint32_t)n - 1;
    t->slots = LM_NEW_N(arena, uint64_t, n);
    for (int k = 0; k < t->nslots; k++) {
        uint32_t i = (uint32_t)(old[k] >> 32) & mask;
        while (old[k] && t->slots[i]) i = (i + 1) & mask;
        if (old[k]) t->slots[i] = old[k];
    }
    t->nslots = n;
}

int lm_names_add(lm_arena *arena, lm_names *t, const char *name, int *old)
{
    if (2 * (t->list.n + 1) > t->nslots) grow(arena, t);
    uint32_t h = hash(name);
    uint64_t *slot = slot_of(t, name, h);
    *old = *slot != 0;
    if (*old) return index_in(*slot);
    *LM_PUSH(arena, &t->list) = name;
    *slot = (uint64_t)h << 32 | (uint64_t)t->list.n;
    return t->list.n - 1;
}
