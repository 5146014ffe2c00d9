/* A result file as the report and the VTK export see it: its analyses, their tables, and the model that
 * made them, compiled again from the text in the file. */
#ifndef LM_VIEW_RESULT_H
#define LM_VIEW_RESULT_H

#include "base/diag.h"
#include "io/rows.h"
#include "model/model.h"

typedef struct lm_result_analysis {
    const char *group; /* "/dynamics_3" */
    const char *name;  /* "dynamics_3" */
    const char *type;  /* "dynamics" */
    const char *status, *reason;
} lm_result_analysis;

typedef struct lm_result {
    lm_arena arena;
    lm_h5 *file;
    const char *path;
    const char *name; /* of the file, without folder and .h5 */
    const char *title, *formulation, *status, *reason, *text, *model_file, *options;
    LM_VEC(lm_result_analysis) analyses;
    LM_VEC(lm_message) messages;   /* of the run */
    const lm_model *model;         /* NULL: it could not be made again, `why` says why */
    const char *const *pose_names; /* [model->nnodes] */
    char why[400];
    lm_model own; /* the model that was compiled here */
    void *held;   /* memory in use while the arena may run out of its own */
} lm_result;

typedef struct lm_result_how {
    const lm_model
        *model;        /* the model of the file, when the caller has it; NULL: compile its text */
    int allow_outside; /* include files outside the model's folder */
} lm_result_how;

/* 0; 1: this is no result file, or it cannot be read; 2: no memory. A sentence in err then. */
int lm_result_open(lm_result *r, const char *path, const lm_result_how *how, char *err,
                   size_t size);
void lm_result_close(lm_result *r);

#endif
