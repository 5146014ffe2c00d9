/* Reading tables of result files. */
#ifndef LM_IO_ROWS_H
#define LM_IO_ROWS_H

#include "io/h5.h"

/* Some of the rows of a table: every `stride`-th, and the last. */
typedef struct lm_rows {
    lm_h5 *file;
    char path[96];
    long rows; /* of the table */
    int ncols;
    char **columns; /* one block of memory: lm_free */
    long stride;
    long kept;
} lm_rows;

/* 0; 1: there is no such table; -1: it cannot be read. */
int lm_rows_open(lm_rows *t, lm_h5 *f, const char *group, const char *table);
void lm_rows_close(lm_rows *t);
void lm_rows_thin(lm_rows *t, long stride);
/* Row number in the table of the i-th that is kept. */
long lm_rows_index(const lm_rows *t, long i);
/* Those kept from first on, n of them, row by row. -1 as lm_h5_read_rows. */
int lm_rows_read(const lm_rows *t, long first, long n, double *data);

#endif
