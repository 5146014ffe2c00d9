/* Elimination of the matrix that stability.h describes: pattern once, numbers often. */
#ifndef LM_ANALYSIS_ELIMINATION_H
#define LM_ANALYSIS_ELIMINATION_H

#include "form/form.h"

typedef struct phi_row { /* a constraint row: its entries, and where their products go */
    int n, *col, *place; /* [n] */
    int *product;        /* [n n] into `A` */
} phi_row;

/* Unknowns, motions and multipliers, are numbered anew by the order of elimination. A holds the diagonal
 * [n], then what stands left of it row by row, then, in the same order, what stands above it. */
typedef struct lm_elimination {
    const lm_system *sys;
    lm_arena arena;
    int n, nv;
    double size;
    int *perm, *inverse;     /* [n] old of new, new of old */
    int *start, *index;      /* [n + 1], [nz] pattern left of the diagonal */
    int nz;                  /* entries left of the diagonal */
    double *A;               /* [n + 2 nz] */
    int *to;                 /* [pattern.nnz] place in A */
    double softest;          /* spring of a constraint, in the units of a translation */
    phi_row *rows;           /* [nl] */
    int *parent, *lowest;    /* [n] elimination tree; least descendant, itself included */
    int *mark;               /* [n] scratch */
    int *stack, *reach;      /* [n] scratch */
    int *first, *count;      /* [n + 1], [n] columns of L, rows of U */
    int *row;                /* [first[n]] */
    double *L, *U, *D;       /* [first[n]], [first[n]], [n] */
    double *y, *z, *product; /* [n] scratch */
} lm_elimination;

/* Weight of a motion in norms, old number; multipliers have none. */
static inline double lm_weight(const lm_elimination *e, int old)
{
    if (old >= e->nv) return 0;
    return e->sys->angular[old] ? e->size * e->size : 1;
}

/* Pattern and order into *e, of which sys, arena, n, nv and size are set. 0, or -1: no memory. */
int lm_elimination_prepare(lm_elimination *e);
/* The numbers of A from the system's `values`; `unit` is the stiffness that forces which turn make. 0; 1: one
 * is not finite. */
int lm_elimination_assemble(lm_elimination *e, const double *values, double unit);
/* Ready for row 0. */
void lm_elimination_begin(lm_elimination *e);
/* Row k of L and column k of U by what stands above and left of them; the pivot goes to D[k]. */
void lm_elimination_row(lm_elimination *e, int k);
/* x <- A^-1 x by the factors, new numbers. */
void lm_elimination_solve(const lm_elimination *e, double *x);

#endif
