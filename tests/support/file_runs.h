/* Runs that write results and outputs into the folder of scratch.h, are stopped after a step and resumed;
 * and the memory that runs take. What goes wrong fails the test. */
#ifndef TESTS_FILE_RUNS_H
#define TESTS_FILE_RUNS_H

#include "support/run_model.h"
#include "support/scratch.h"

typedef struct file_run {
    const char *formulation;
    int resume;                      /* what is there; else the files are new */
    long last;                       /* stop after this step; 0: none */
    void (*also)(limber_step *step); /* at the end of each step, or NULL */
} file_run;

void file_run_paths(char results[SCRATCH_PATH], char csv[SCRATCH_PATH]);
/* `sum` may be NULL. */
limber_status run_into_files(limber_model *model, const file_run *how, limber_summary *sum);

limber_model *model_of_text(const char *text);

/* Outputs of a run in one go, and of one that is stopped after two steps and resumed, are the same to the
 * bit. `resume` and `last` of `how` do not count. */
void assert_resumes_to_the_bit(limber_model *model, const file_run *how, long first, long second);

/* A run to the end, without files, allocates nothing between two steps. `sum` may be NULL. */
void assert_steps_take_no_memory(const char *text, long first, long second, limber_summary *sum);

/* Reading and running a model, each allocation failing in turn, alone and with all after it: the status says
 * so, and nothing is lost. */
void assert_survives_lack_of_memory(const char *text);

#endif
