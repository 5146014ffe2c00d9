/* One modes analysis in memory, and what its tests ask of it. */
#ifndef TESTS_MODES_H
#define TESTS_MODES_H

#include "support/run_model.h"

#include "analysis/modes.h"
#include "api/api.h"

#define PI 3.14159265358979323846

typedef struct solved {
    limber_messages *msg;
    limber_model *model;
    limber_run_options opt;
    limber_summary sum;
    lm_run run;
    double *q;
    lm_modes m;
} solved;

limber_model *modes_parse(const char *text, limber_messages *msg);
/* The numbers of a table in a result file, which has these rows and columns; to be freed. */
double *read_table(lm_h5 *f, const char *path, long rows, int cols);
/* The modes of the assembled initial state, by the sparse solver if large; fails the test if it
 * does. */
solved *modes_of(const char *text, int count, int large);
void modes_done(solved *s);
limber_mode mode(const solved *s, int i);

/* Runs the model into `results` with each allocation failing in turn: a status, nothing lost. */
void every_allocation_fails(const char *text, const char *results);

/* omega of mode i, relative to what it should be. */
void check_omega(const solved *s, int i, double omega, double tolerance);
/* Shapes satisfy the constraints, have unit mass and are orthogonal in M and K. */
void check_shapes(const solved *s, double tolerance);

/* For qsort of doubles. */
int ascending(const void *a, const void *b);

/* A text that grows. */
typedef struct writer {
    char *at;
    size_t n, room;
} writer;

void print(writer *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
