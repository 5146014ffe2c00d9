/* Direct solution of the sparse systems of one pattern: symbolic once, numeric often.
 *
 * Block elimination (block.h) where the groups of unknowns allow it, else KLU, whose factorisation
 * re-uses the pivots of an earlier one; when that loses accuracy (pivot growth), new pivots are
 * chosen. Which of them, and in which order of elimination, is decided by the model and its key `solver`,
 * never by the number of threads: that must not show in the results. */
#ifndef LM_SOLVE_LINEAR_H
#define LM_SOLVE_LINEAR_H

#include "form/form.h"

typedef struct lm_linear lm_linear;

/* groups NULL: by KLU. */
lm_linear *lm_linear_create(const lm_pattern *p, const lm_groups *groups);
/* The same with the solver and the threads of a system, and its units: the matrix is factored as
 * D A D with powers of two on the diagonal of D, so that pivots and the estimate of the condition
 * do not depend on the units of length and mass. p has one or two unknowns for each of the system. */
lm_linear *lm_linear_create_for(const lm_system *sys, const lm_pattern *p, const lm_groups *groups);
void lm_linear_destroy(lm_linear *l);
double *lm_linear_values(lm_linear *l); /* [nnz] fill, then factor */
/* Typical mass, or stiffness, of the next matrices beside constraint directions of size 1; 1 at first. */
void lm_linear_set_mass(lm_linear *l, double mass);

/* 0; 1: singular (to rounding); 2: a value is not a finite number; -1: out of memory. */
int lm_linear_factor(lm_linear *l);
/* The scales D (powers of two) of a system's matrix [M Phi^T; Phi 0] whose M is of size mass for lengths:
 * each of them `each` times. 0: all of them are 1, and d is left as it is. */
int lm_linear_scales(const lm_system *sys, double mass, int each, double *d);
void lm_linear_solve(lm_linear *l, double *x); /* x: right side in, solution out */
/* The same of n right sides (1 or 2), one behind the other, as well as the factors are: enough for
 * corrections that are repeated. */
void lm_linear_correct(lm_linear *l, int n, double *x);
double lm_linear_rcond(lm_linear *l); /* cheap estimate of the last factor */
/* Direction (unit largest entry) that the matrix hardly moves, by inverse iteration on the last
 * values with a small shift; 0, or -1. */
int lm_linear_null_vector(lm_linear *l, double *x);

long lm_linear_full_factors(const lm_linear *l); /* times that pivots were chosen anew */
void lm_linear_new_pivots(lm_linear *l);         /* choose pivots anew at the next factorisation */

#endif
