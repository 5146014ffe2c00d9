/* Runs of one model in processes of their own, several at a time. */
#ifndef LIMBER_CLI_JOBS_H
#define LIMBER_CLI_JOBS_H

#include <limber/limber.h>

#include "args.h"

/* One run, and what became of it. */
typedef struct job {
    const char *formulation; /* NULL: the model's */
    int mesh, time;          /* how often elements, and tolerances, are halved */
    char results[600];       /* the result file */
    int done;
    limber_summary sum;
    char why[600]; /* "" where it has results; else why not */
} job;

/* Run those that are not done, `at_once` of them at a time. -1 after a message on stderr: no processes. */
int jobs_run(const args *a, job *jobs, int n, int at_once);

/* As many as --threads says; else as there are processors. */
int jobs_at_once(const args *a);

/* limber_load_options of the command line. */
limber_load_options jobs_load_options(const args *a);

#endif
