/* The least change that equations allow: min 1/2 sum w_i x_i^2 with C x = -phi, of rows that may depend on each
 * other. They are taken up one after the other; one that those before it imply is left out, and by how much it
 * contradicts them is the misfit. Dense, for tens to hundreds of unknowns. */
#ifndef LM_MATH_LEAST_H
#define LM_MATH_LEAST_H

#include "base/mem.h"

typedef struct lm_least {
    int n, m;        /* unknowns, rows */
    double *C, *phi; /* [m][n], [m] */
    double *w;       /* [n] weights */
    double *Q,
        *T; /* rows that are independent: orthonormal [rank][n]; row k as the sum of T[k][l] Q_l */
    double *y;      /* x = Q^T y satisfies them */
    int rank, *row; /* [rank] which they are */
    int nfree;
    double *Z;      /* [nfree][n] orthonormal, what they leave */
    double *x;      /* [n] */
    double misfit;  /* the largest |C x + phi| */
    int misfitting; /* its row, -1: none */
    double *left;   /* [n] scratch */
} lm_least;

/* 0, -1. */
int lm_least_make(lm_least *e, lm_arena *arena, int n, int m);
static inline double *lm_least_row(const lm_least *e, int k)
{
    return e->C + (size_t)k * (size_t)e->n;
}
/* Q, T, Z and the shortest x of the first `rows` of them. */
void lm_least_solve(lm_least *e, int rows);
/* The x of least change, after that. 0; 1: the weights do not determine it; -1: memory. */
int lm_least_change(lm_least *e);

#endif
