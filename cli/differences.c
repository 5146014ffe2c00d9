/* Lists of differences of two runs. */
#include "compare.h"

#include "list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void differences_add(void *list, const limber_difference *d)
{
    differences *l = list;
    limber_difference *at = list_grow(l->at, l->n, &l->room, sizeof *at);
    l->failed |= !at;
    if (!at) return;
    l->at = at;
    l->at[l->n++] = *d;
}

double difference_part(const limber_difference *d)
{
    return d->scale > 0 ? d->largest / d->scale : d->largest > 0 ? INFINITY : 0;
}

const char *in_percent(double part, char *text, size_t size)
{
    snprintf(text, size, part < 1e-9 ? "0" : part < 0.1 ? "%.2g" : "%.0f", 100 * part);
    return text;
}

enum { POLES = 10 }; /* the slowest; faster ones are the mesh's own in the end */

static int counts(const limber_difference *d)
{
    return strncmp(d->output, "pole ", 5) != 0 || atoi(d->output + 5) <= POLES;
}

const limber_difference *differences_worst(const differences *l)
{
    const limber_difference *worst = NULL;
    for (int i = 0; i < l->n; i++) {
        const limber_difference *d = &l->at[i];
        if (counts(d) && (!worst || !(difference_part(d) <= difference_part(worst)))) worst = d;
    }
    return worst;
}

const limber_difference *differences_find(const differences *l, const limber_difference *like)
{
    for (int i = 0; i < l->n; i++)
        if (!strcmp(l->at[i].output, like->output) && !strcmp(l->at[i].analysis, like->analysis))
            return &l->at[i];
    return NULL;
}

limber_status differences_read(const job *reference, const job *other, differences *l,
                               limber_messages *msg)
{
    limber_status st =
        limber_compare_results(reference->results, other->results, differences_add, l, msg);
    return st ? st : l->failed ? LIMBER_MEMORY : LIMBER_OK;
}

void differences_enlarge(differences *l, const differences *own)
{
    for (int i = 0; i < l->n; i++) {
        const limber_difference *d = differences_find(own, &l->at[i]);
        if (d && d->scale > l->at[i].scale) l->at[i].scale = d->scale;
    }
}

limber_status differences_of(const job *reference, const job *other, differences *l,
                             limber_messages *msg)
{
    differences own = {0};
    limber_status st = differences_read(reference, other, l, msg);
    if (!st) st = differences_read(other, other, &own, msg);
    if (!st) differences_enlarge(l, &own);
    free(own.at);
    return st;
}
