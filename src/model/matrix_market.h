/* Matrix Market files: square matrices of real numbers. */
#ifndef LM_MODEL_MATRIX_MARKET_H
#define LM_MODEL_MATRIX_MARKET_H

#include "base/diag.h"

typedef struct lm_matrix_file {
    const char *path;
    const char *what; /* for messages: "stiffness of superelement 'arm'" */
    lm_loc loc;       /* where the model names it: for a file that cannot be read */
    int n;            /* rows and columns that it must have, */
    const char *size; /* and why: "6 for each of its 2 nodes" */
} lm_matrix_file;

/* Read n x n numbers into A, column-major: `coordinate` or `array`, `real` or `integer` (Fortran's
 * 1.5D+3 too), `general` or `symmetric` (either triangle, both halves are filled in). The file is
 * read as a stream, its declared sizes are checked before anything else, and no memory is taken.
 * 0, or -1 after an error with file and line in `diag`; A is then undefined. */
int lm_matrix_market_read(const lm_matrix_file *file, double *A, lm_diag *diag);

#endif
