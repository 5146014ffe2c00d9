/* Runs of one model in processes of their own, several at a time. */
#ifndef LIMBER_CLI_JOBS_H
#define LIMBER_CLI_JOBS_H

#include <limber/limber.h>

#include "args.h"

enum { EFFECTS = 24 };

/* One run, and what became of it. */
typedef struct job {
    const char *formulation; /* NULL: the model's */
    int mesh, time;          /* how often elements, and tolerances, are halved */
    limber_change change;    /* what else is changed */
    char label[80];          /* what it is called among others */
    char results[600];       /* the result file */
    int done;
    limber_summary sum;
    limber_effect effect[EFFECTS]; /* that it leaves out */
    int neffects;
    char why[600]; /* "" where it has results; else why not */
} job;

/* Run those that are not done, `at_once` of them at a time. -1 after a message on stderr: no processes. */
int jobs_run(const args *a, job *jobs, int n, int at_once);

/* messages.c: what was said of a run that has a result file; free it. NULL: no memory. */
limber_messages *jobs_messages(const job *j);
/* Warnings of the runs, each once with the labels of those it is of; none that is among `shown`. */
void jobs_show_warnings(FILE *out, const job *jobs, int n, const limber_messages *shown);

/* As many as --threads says; else as there are processors. */
int jobs_at_once(const args *a);

/* limber_load_options of the command line. */
limber_load_options jobs_load_options(const args *a);

#endif
