/* A sparse square matrix in compressed columns: the pattern is made once, the numbers often. */
#ifndef LM_MATH_SPARSE_H
#define LM_MATH_SPARSE_H

#include "base/mem.h"

typedef struct lm_pattern {
    int n;
    int nnz;
    int *colptr; /* [n + 1] */
    int *rowind; /* [nnz] ascending within a column */
} lm_pattern;

/* Unknowns that belong together (a node with the rows of the joint it hangs on), as a hint to the
 * block solver: each group's diagonal block is regular once the groups it comes `after`, and those
 * only, have been eliminated. n = 0: no such hint. */
typedef struct lm_groups {
    int n;
    int *of;          /* [unknowns] group of each */
    int *after_start; /* [n + 1] */
    int *after;       /* groups that must be eliminated before group g */
} lm_groups;

typedef struct lm_entry {
    int row, col;
} lm_entry;

/* Collects positions, in any order and repeated. */
typedef struct lm_pattern_builder {
    lm_arena *arena; /* must outlive the builder; holds the list too */
    LM_VEC(lm_entry) at;
    int failed;
} lm_pattern_builder;

int lm_pattern_add(lm_pattern_builder *b, int row, int col); /* 0, or -1: no memory */
int lm_pattern_block(lm_pattern_builder *b, int row, int col, int nr, int nc);
int lm_pattern_make(lm_pattern_builder *b, lm_arena *arena, int n, lm_pattern *p);

/* Place of an entry in the array of numbers; -1 when it is not in the pattern. */
int lm_pattern_find(const lm_pattern *p, int row, int col);

/* y = A x of a symmetric matrix, or A^T x of any */
void lm_sparse_mul_t(const lm_pattern *p, const double *values, const double *x, double *y);
/* y += s A x */
void lm_sparse_mul(const lm_pattern *p, const double *values, double s, const double *x, double *y);

#endif
