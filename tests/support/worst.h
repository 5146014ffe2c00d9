/* The output of a result file that is farthest from another's, for limber_compare_results. */
#ifndef TESTS_WORST_H
#define TESTS_WORST_H

#include <limber/limber.h>
#include <stdio.h>

typedef struct worst {
    double part; /* of the scale */
    char output[160];
    int n; /* outputs that were compared */
} worst;

static inline void keep_worst(void *context, const limber_difference *d)
{
    worst *w = context;
    double part = d->scale > 0 ? d->largest / d->scale : 0;
    w->n++;
    if (part <= w->part) return;
    w->part = part;
    snprintf(w->output, sizeof w->output, "%s", d->output);
}

#endif
