/* What differences of an output are measured in: the larger of its range and its size; and where it is zero but for
 * rounding, a millionth of what such quantities come to in this run. */
#ifndef LM_VIEW_SCALE_H
#define LM_VIEW_SCALE_H

#include "io/rows.h"
#include "model/model.h"

/* A table in memory. */
typedef struct lm_table {
    lm_rows t;
    double *data;
} lm_table;

/* 0; 1: there is none; -1: it cannot be read; -2: no memory. */
int lm_table_read(lm_h5 *f, const char *group, const char *name, lm_table *x);
void lm_table_free(lm_table *x);
static inline double lm_table_cell(const lm_table *x, long row, int column)
{
    return x->data[row * x->t.ncols + column];
}

/* What quantities come to in a run. */
typedef struct lm_scales {
    const lm_model *model; /* NULL: not known, and nothing is */
    double length, time;   /* of the mechanism; of the run, 0: nothing moves */
    double force, moment, energy;
    double speed, accel; /* at which stiff beams tremble by rounding, over a millionth */
    double element;      /* length of the shortest of their elements */
    double area;         /* of the thinnest beam; NAN where its shape is not known */
    double reach;        /* largest coordinate, from the origin */
    double *slots;       /* of expressions, with their scratch */
} lm_scales;

/* Of an analysis; `results` is its table. As lm_table_read, but for 1. Also then: lm_scales_free. */
int lm_scales_read(lm_scales *s, lm_h5 *f, const char *group, const lm_table *results,
                   const lm_model *m);
void lm_scales_free(lm_scales *s);
/* Of the output of that name, whose column goes from low to high. */
double lm_scales_output(const lm_scales *s, const char *name, double low, double high);

#endif
