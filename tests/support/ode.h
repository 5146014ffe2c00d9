/* A second opinion for the tests: textbook integration of small systems of equations that are
 * written out by hand. Nothing of the library is used here. */
#ifndef TESTS_ODE_H
#define TESTS_ODE_H

enum { ODE_MOST = 16 };

typedef void (*ode_fn)(const void *context, double t, const double *y, double *dy);

/* The classical Runge-Kutta method of order 4 with `steps` equal steps from t0 to t1. */
void ode_rk4(ode_fn f, const void *context, int n, double *y, double t0, double t1, int steps);

/* x with A x = b by Gauss elimination with pivoting; A is n by n, row by row. Both are destroyed. */
void ode_solve(int n, double *A, double *b, double *x);

#endif
