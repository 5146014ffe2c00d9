/* Run a model of models/ (or a text) through the public API and look at its table of results.
 *
 *     table r = run_model(&(run_how){.model = "rod_chain", .set = {"N=8"},
 *                                    .analysis = "{type: dynamics, until: 1, tolerance: 1e-9}"});
 *     assert_near(table_at(&r, "x", 0.25), 7.950878694, 1e-9);
 *     table_free(&r);
 *
 * Whatever goes wrong on the way fails the test with the messages of the library. */
#ifndef TESTS_RUN_MODEL_H
#define TESTS_RUN_MODEL_H

#include <limber/limber.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUN_SETS = 12, RUN_SWAPS = 12 };

typedef struct run_how {
    const char *model;              /* models/MODEL.yaml; or */
    const char *text;               /* the model itself */
    const char *set[RUN_SETS];      /* "NAME=value", as --set */
    const char *analysis;           /* takes the place of the model's analysis */
    const char *swap[RUN_SWAPS][2]; /* text for text, each found exactly once */
    double until;                   /* as --until */
    const char *formulation;        /* as --formulation */
    const char *results;            /* of run_listen: a file in SCRATCH; NULL: none, and no outputs */
    int may_stop;                   /* a solver that stops does not fail the test */
} run_how;

typedef struct table {
    limber_summary sum;
    int rows, cols;
    char **name;  /* [cols], "t" first */
    double *data; /* [rows][cols] */
    char *header;
} table;

/* The text that is run, with `swap` and `analysis` in it; to be freed. */
char *run_model_text(const run_how *how);
table run_model(const run_how *how);
void table_free(table *r);

/* Column number, or a failed test. */
int table_col(const table *r, const char *name);
double table_get(const table *r, int row, const char *name);
/* The value in the row whose time is t (within rounding), in the first, in the last row. */
double table_at(const table *r, const char *name, double t);
double table_first(const table *r, const char *name);
double table_last(const table *r, const char *name);
/* Largest |value - value in the first row|. */
double table_drift(const table *r, const char *name);
/* Largest less smallest value of a column. */
double table_range(const table *r, const char *name);
/* Largest difference of a column between two tables with the same rows. */
double table_distance(const table *a, const table *b, const char *name);
/* The same over all columns but t. */
double table_distance_all(const table *a, const table *b);

#define assert_near(value, expected, tolerance)                                                    \
    assert_near_at((value), (expected), (tolerance), #value, __FILE__, __LINE__)
#define assert_under(value, limit) assert_under_at((value), (limit), #value, __FILE__, __LINE__)
#define assert_between(value, low, high)                                                           \
    assert_between_at((value), (low), (high), #value, __FILE__, __LINE__)

void assert_near_at(double value, double expected, double tolerance, const char *what,
                    const char *file, int line);
void assert_under_at(double value, double limit, const char *what, const char *file, int line);
void assert_between_at(double value, double low, double high, const char *what, const char *file,
                       int line);

#endif
