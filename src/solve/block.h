/* Block elimination: the sparse systems of mechanisms, eliminated node by node.
 *
 * The unknowns come in groups (lm_groups): a node's six motions, with the rows of the joint it hangs
 * on. Groups are eliminated in an order of least degree (on a chain or a tree: from the ends inwards),
 * so that the work and the memory are linear in the number of nodes. A group with m unknowns whose
 * elimination touches r later ones keeps the dense matrices
 *
 *     D = A11^-1  [m x m],    W = D A12  [m x r],    Z = A21 D  [r x m]
 *
 * and a solution is nothing but small dense products: b2 -= Z b1 on the way in, x1 = D b1 - W x2 on
 * the way out. Pivots are searched within a group only; the backward error of every factorisation is
 * measured on one system, and the caller takes another solver when it is not small. */
#ifndef LM_SOLVE_BLOCK_H
#define LM_SOLVE_BLOCK_H

#include "math/sparse.h"

enum { LARGEST_GROUP = 64 }; /* unknowns; a larger one makes no plan */

/* What is decided once, for a pattern. Unknowns are numbered anew, in order of elimination. */
typedef struct lm_block_node {
    int first, m;    /* its unknowns, new numbers */
    int r;           /* later unknowns it touches */
    int *rows;       /* [r] their new numbers, ascending */
    int *to_parent;  /* [r] their places in the parent's front */
    int parent;      /* node of rows[0]; -1: a root */
    int child;       /* its newest child, -1: none */
    int sibling;     /* the parent's next older child, -1: none */
    int entry, nent; /* its entries of the matrix in lm_block_plan.from, .to */
    double *Z;       /* [r x m] all Z in the order of the way in */
    double *DW;      /* [m x (m + r)] D and W, all of them in the order of the way out */
} lm_block_node;

typedef struct lm_block_plan {
    int n, nnodes;
    lm_block_node *nodes; /* children before parents; a subtree is contiguous */
    int *old_of;          /* [n] number in the pattern of the unknown with this new number */
    int *from, *to;       /* [nnz] place in the pattern's values, place in the front */
    size_t stack;         /* doubles needed for the updates that wait for their parents */
    int largest;          /* size of the largest front, m + r */
    size_t doubles;       /* of all D, W, Z */
} lm_block_plan;

/* block_order.c; memory is the arena's. 0; 1: no good order (too much fill, or none that the
 * `after`s allow); -1: no memory. */
int lm_block_plan_make(const lm_pattern *p, const lm_groups *g, lm_arena *arena,
                       lm_block_plan *plan);

typedef struct lm_block_solver lm_block_solver;

/* NULL: no memory, or (*no_order 1) the groups give no good order. */
lm_block_solver *lm_block_create(const lm_pattern *p, const lm_groups *g, int *no_order);
void lm_block_destroy(lm_block_solver *b);
/* 0; 1: some group's block is singular, or the backward error too large. */
int lm_block_factor(lm_block_solver *b, const double *values);
/* nrhs (1 or 2) right sides in, one behind the other; solutions out. */
void lm_block_solve(lm_block_solver *b, int nrhs, double *x);
double lm_block_error(const lm_block_solver *b); /* backward error of the factors, about */
double lm_block_rcond(const lm_block_solver *b); /* smallest over largest pivot */

#endif
