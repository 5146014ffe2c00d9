/* The extreme eigenvalues of a symmetric operator by ARPACK's implicitly restarted Lanczos
 * method.
 *
 *     A x = lambda B x,   B symmetric, positive semidefinite,
 *
 * through OP = (A - sigma B)^-1 B, whose eigenvalues are mu = 1/(lambda - sigma): those lambda
 * nearest to sigma come first. Vectors are of unit size in B, and orthogonal. */
#ifndef LM_SOLVE_ARPACK_H
#define LM_SOLVE_ARPACK_H

typedef struct lm_lanczos {
    int n; /* length of a vector */
    /* y = (A - sigma B)^-1 Bx, y may be Bx; not 0: stop. y = B x. */
    int (*solve)(void *context, const double *Bx, double *y);
    void (*multiply)(void *context, const double *x, double *y);
    void *context;
    const char *which; /* "LM": the largest |mu|, "SA": the smallest mu, negative ones first */
    double sigma;
    int wanted, basis; /* eigenvalues; vectors to build them from, wanted < basis <= n */
    double tolerance;  /* relative, of mu; 0: rounding */
    int restarts;      /* at most */
    double *start;     /* [n] the first vector, in the range of OP; overwritten */
} lm_lanczos;

/* Into lambda[wanted], X[n x wanted], in no order; *found: how many converged.
 * 0; 1: fewer than wanted converged; 2: `solve` stopped it; 3: ARPACK refuses; -1: no memory. */
int lm_lanczos_run(const lm_lanczos *p, double *lambda, double *X, int *found);

#endif
