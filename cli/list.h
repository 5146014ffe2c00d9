/* Lists that grow: { T *at; int n, room, failed; }. */
#ifndef LIMBER_CLI_LIST_H
#define LIMBER_CLI_LIST_H

#include <stddef.h>

/* The items `at` of `size` bytes, with room for one behind the n that are there. NULL: no memory, and
 * they stay where they are. */
void *list_grow(void *at, int n, int *room, size_t size);

#endif
