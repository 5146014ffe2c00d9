/* The insides of the public types. */
#ifndef LM_API_API_H
#define LM_API_API_H

#include <limber/limber.h>

#include "model/model.h"

struct limber_messages {
    lm_diag diag;
};

struct limber_model {
    lm_model m;
    lm_diag said; /* while it was loaded */
    char changed[80];
};

/* model.c: the equations of a model in a formulation by name; NULL: the model's own. */
struct lm_system;
limber_status lm_create_system(const lm_model *m, const char *formulation, lm_diag *diag,
                               struct lm_system **out);

/* run.c: the state at the start and room for rows, in a run with a system; what a run holds given back. */
struct lm_run;
limber_status lm_prepare(struct lm_run *run);
void lm_release(struct lm_run *run);

/* result_file.c: open or make run->file, where the options name one. */
limber_status lm_open_results(struct lm_run *run);

/* targets.c. -1, with a sentence in err, when a file (`what` it is: "CSV file") would replace the result file or
 * the model (NULL: none), or cannot be written where it should be. */
int lm_target_refuse(const char *what, const char *path, const char *results, const char *model,
                     char *err, size_t size);
/* -1, with a sentence in err, when the folder cannot be made or written to; it is made on the way. */
int lm_folder_refuse(const char *folder, char *err, size_t size);
/* All of them that the options of a run name. */
limber_status lm_check_files(struct lm_run *run);

/* report.c. -1, with a sentence in err, when no report can be made: this build has no page for it. */
int lm_report_refuse(char *err, size_t size);

/* A drawing of the model in the state q of sys; both may be NULL: as drawn. */
limber_status lm_draw(const lm_model *m, struct lm_system *sys, const double *q,
                      const limber_check_info *info, limber_status checked, const char *html,
                      lm_diag *diag);

#endif
