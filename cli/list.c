#include "list.h"

#include <stdlib.h>

void *list_grow(void *at, int n, int *room, size_t size)
{
    if (n < *room) return at;
    int more = *room ? 2 * *room : 16;
    void *moved = realloc(at, size * (size_t)more);
    if (moved) *room = more;
    return moved;
}
