/* `limber compare --refine`: finer meshes and steps, and what else a result may hang on. */
#ifndef LIMBER_CLI_REFINE_H
#define LIMBER_CLI_REFINE_H

#include "compare.h"

enum { LEVELS = 7, VARIATIONS = 12 };
#define STILL  1e-3 /* of the range of each output */
#define SUDDEN 0.05 /* a change after which one below STILL is not yet believed */
#define HANGS  5e-3 /* a change that is said once more */

/* The model in other terms, or in another formulation on two finer meshes. */
typedef struct variation {
    job *job, *coarser; /* coarser: on the mesh before; may be NULL */
    int other;          /* 1: in another formulation */
    const job *against;
    differences change; /* against the run that differs from it in this alone */
    differences last;   /* between the two meshes */
} variation;

typedef struct study {
    const args *a;
    const char *folder;
    limber_messages *msg;
    job level[LEVELS];
    differences change[LEVELS]; /* of each level against the one before */
    int finest;
    job steps_only;               /* mesh of the user, steps of the finest level */
    differences off[LEVELS];      /* of each level against the finest */
    differences by_mesh, by_time; /* parts of the error of the user's settings */
    pieces pieces, changed;       /* of the model; of that with beams for superelements */
    const char *formulation;      /* of all of these runs */
    job jobs[2 * VARIATIONS];
    variation varied[VARIATIONS];
    int njobs, nvaried;
} study;

/* The largest difference; its output. */
double worst_part(const differences *l, const char **output);

/* vary.c. 0; -1 after a message. */
int vary(study *s);
void vary_free(study *s);
void show_varied(const study *s);
/* What no run has tested, and what hangs on a choice. */
void show_doubts(const study *s);
void show_varied_json(const study *s); /* ", ..." */

#endif
