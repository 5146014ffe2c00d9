/* Private to the compiler of superelements. */
#ifndef LM_MODEL_COMPILE_SUPERELEMENT_H
#define LM_MODEL_COMPILE_SUPERELEMENT_H

#include "model/model.h"

typedef enum lm_super_matrix_kind {
    LM_SUPER_MASS,
    LM_SUPER_STIFFNESS,
    LM_SUPER_DAMPING
} lm_super_matrix_kind;

typedef struct lm_super_matrix { /* where a matrix comes from */
    lm_super_matrix_kind kind;
    const char *name; /* "mass", ... */
    const char *path;
} lm_super_matrix;

/* Numbers of `work` for the check: this many rows of n = 6 nodes, and n x n. */
enum { LM_SUPER_CHECK_ROWS = 36 };

/* Check a matrix A (n x n) of the body; makes it exactly symmetric. Errors and warnings with
 * numbers go to `diag`; -1 after an error. */
int lm_check_super_matrix(const lm_spec_body *b, const lm_super *s, const lm_super_matrix *matrix,
                          double *A, double *work, lm_diag *diag);

#endif
