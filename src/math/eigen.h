/* Dense eigenproblems: thin wrappers over LAPACK and BLAS. Matrices are column-major, their
 * leading dimension is the number of rows; what a function overwrites is said with it.
 *
 * While one of these functions works, OpenBLAS is held to one thread: threads do not pay for
 * matrices of this size, and the order of summation would depend on their number. The same lock
 * serves ARPACK, which keeps its state in static variables. */
#ifndef LM_MATH_EIGEN_H
#define LM_MATH_EIGEN_H

void lm_lapack_lock(void); /* may be nested within a thread */
void lm_lapack_unlock(void);

/* All functions return 0, 1 (numbers do not allow it), or -1 (no memory). */

/* A x = w B x with A symmetric, B symmetric and positive definite [n x n]: w[n] ascending,
 * vectors in A, normalised to x^T B x = 1; B is overwritten. 1: B is not positive definite. */
int lm_symmetric_eigen(int n, double *A, double *B, double *w);

/* A x = (re + i im) x, A [n x n] overwritten. Complex pairs stand together, im > 0 first; their
 * vectors are V[j] + i V[j+1]. */
int lm_general_eigen(int n, double *A, double *re, double *im, double *V);

/* X = A^-1 X for A [n x n], X [n x m]; A is overwritten. 1: A is singular. */
int lm_dense_solve(int n, double *A, int m, double *X);
int lm_dense_solve_in(int n, double *A, int m, double *X, int *pivots); /* pivots [n]: scratch */

/* An orthonormal basis of all z with A^T z = 0, A [n x m]: the last n - rank columns of Z [n x n].
 * Columns of A count as dependent where what is left of them is below tol times the largest. A is
 * overwritten. */
int lm_null_space(int n, int m, double *A, double tol, double *Z, int *rank);

/* C [m x n] = A B, A [m x k]; A^T B, A [k x m]. */
void lm_dense_mul(int m, int n, int k, const double *A, const double *B, double *C);
void lm_dense_tmul(int m, int n, int k, const double *A, const double *B, double *C);

#endif
