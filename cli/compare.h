/* `limber compare`: every formulation, or ever finer meshes and steps, against each other. */
#ifndef LIMBER_CLI_COMPARE_H
#define LIMBER_CLI_COMPARE_H

#include "jobs.h"

/* Exit status. */
int command_compare(const args *a, limber_messages *msg);

/* How far the outputs of a run are from those of the reference. */
typedef struct differences {
    limber_difference *at;
    int n, room, failed;
} differences;

void differences_add(void *list, const limber_difference *d);
/* Over its scale; 0 where both are rounding. */
double difference_part(const limber_difference *d);
/* The number of percents of it, in as many digits as tell something. */
const char *in_percent(double part, char *text, size_t size);
/* The largest of them; NULL: there are none. */
const limber_difference *differences_worst(const differences *l);
/* Of a result file against the reference. */
limber_status differences_of(const job *reference, const job *other, differences *l,
                             limber_messages *msg);

/* refine.c */
int compare_refined(const args *a, const char *folder, limber_messages *msg);

#endif
