#include "io/rows.h"

#include "base/mem.h"

#include <stdio.h>

int lm_rows_open(lm_rows *t, lm_h5 *f, const char *group, const char *table)
{
    *t = (lm_rows){.file = f, .stride = 1};
    snprintf(t->path, sizeof t->path, "%.48s/%.40s", group, table);
    int rc = lm_h5_table_info(f, t->path, &t->rows, &t->ncols, &t->columns);
    t->kept = rc ? 0 : t->rows;
    return rc;
}

void lm_rows_close(lm_rows *t)
{
    lm_free(t->columns);
    t->columns = NULL;
}

void lm_rows_thin(lm_rows *t, long stride)
{
    t->stride = stride;
    t->kept = t->rows ? (t->rows - 1 + stride - 1) / stride + 1 : 0;
}

long lm_rows_index(const lm_rows *t, long i)
{
    long row = i * t->stride;
    return row < t->rows ? row : t->rows - 1;
}

/* A narrow table is read as a whole and picked from, a wide one row by row. */
enum { NARROW = 4096 };

static int read_block(const lm_rows *t, long first, long n, double *data)
{
    long from = lm_rows_index(t, first), to = lm_rows_index(t, first + n - 1);
    size_t cols = (size_t)t->ncols;
    double *all = lm_alloc(sizeof(double) * cols * (size_t)(to - from + 1));
    if (!all) return -1;
    int rc = lm_h5_read_rows(t->file, t->path, from, to - from + 1, all);
    for (long i = 0; i < n && !rc; i++)
        memcpy(data + cols * (size_t)i, all + cols * (size_t)(lm_rows_index(t, first + i) - from),
               sizeof(double) * cols);
    lm_free(all);
    return rc;
}

int lm_rows_read(const lm_rows *t, long first, long n, double *data)
{
    if (n <= 0) return 0;
    if (t->stride == 1) return lm_h5_read_rows(t->file, t->path, first, n, data);
    if (t->ncols * t->stride <= NARROW) return read_block(t, first, n, data);
    int rc = 0;
    for (long i = 0; i < n && !rc; i++)
        rc = lm_h5_read_rows(t->file, t->path, lm_rows_index(t, first + i), 1,
                             data + (size_t)t->ncols * (size_t)i);
    return rc;
}
