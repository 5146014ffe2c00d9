/* One linearised model in memory, and what its tests ask of it. */
#ifndef TESTS_LINEAR_H
#define TESTS_LINEAR_H

#include "support/modes.h"

#include "analysis/linearize.h"

typedef struct linear {
    limber_messages *msg;
    limber_model *model;
    limber_run_options opt;
    limber_summary sum;
    lm_run run;
    double *q;
    lm_input *input;
    int *output;
    lm_linearized l;
} linear;

/* About the initial state, moving (or at rest) as it is; all inputs and outputs. Fails the test if
 * it does. `text`: the model itself; else models/MODEL.yaml. */
linear *linear_of(const char *model, const char *text, const char *formulation, int at_rest);
/* The same asked again, about s->q as it is now. */
void linear_solve_again(linear *s);
void linear_done(linear *s);

/* Entry of a column-major matrix. */
static inline double entry(const double *A, int rows, int r, int c) { return A[rows * c + r]; }
/* Numbers of a state, an input, an output by name; a failed test if there is none. */
int linear_state(const linear *s, const char *name);
int linear_input(const linear *s, const char *name);
int linear_output(const linear *s, const char *name);

/* The largest error of accelerations, reactions and outputs along all directions, against central
 * differences of the nonlinear model on its constraints; each over the largest of its kind along
 * positions, velocities or inputs. */
typedef struct linear_errors {
    double da, dlam, outputs;
} linear_errors;
linear_errors linear_check(linear *s, double h);

#endif
