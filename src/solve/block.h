/* Block elimination: the sparse systems of mechanisms, eliminated node by node.
 *
 * The unknowns come in groups (lm_groups): a node's six motions, with the rows of the joint it hangs
 * on. A group with m unknowns whose elimination touches r later ones keeps the dense matrices
 *
 *     D = A11^-1  [m x m],    W = D A12  [m x r],    Z = A21 D  [r x m]
 *
 * and a solution is nothing but small dense products: b2 -= Z b1 on the way in, x1 = D b1 - W x2 on
 * the way out. Pivots are searched within a group only; the backward error of every factorisation is
 * measured on one system, and the caller takes another solver when it is not small.
 *
 * Groups and what they wait for form a tree (parent: the first of the later groups that are touched);
 * branches of it are independent of each other, and several threads work on them. What depends on the
 * order is how much work there is and how deep the tree is, see lm_block_order. */
#ifndef LM_SOLVE_BLOCK_H
#define LM_SOLVE_BLOCK_H

#include "base/pool.h"
#include "math/sparse.h"

enum { LARGEST_GROUP = 64 }; /* unknowns; a larger one makes no plan */

/* What goes first: */
typedef enum lm_block_order {
    LM_ORDER_ENDS, /* least degree, of equals the one near the ground: least work; a chain is eaten
                      * from its ground end, as deep as it is long */
    LM_ORDER_MIDDLE, /* least degree, of equals the one that is finished first: the same work, a chain
                      * is eaten from both ends */
    LM_ORDER_TREE    /* what is finished first: depth O(log n), some times the work */
} lm_block_order;

/* What is decided once, for a pattern. Unknowns are numbered anew, in order of elimination. */
typedef struct lm_block_node {
    int first, m;    /* its unknowns, new numbers */
    int r;           /* later unknowns it touches */
    int *rows;       /* [r] their new numbers, ascending */
    int *to_parent;  /* [r] their places in the parent's front */
    int *into;       /* [r] where the way in of a solution adds to them, see lm_block_outlets */
    int parent;      /* node of rows[0]; -1: a root */
    int child;       /* its newest child, -1: none */
    int sibling;     /* the parent's next older child, -1: none */
    int entry, nent; /* its entries of the matrix in lm_block_plan.from, .to */
    size_t update;   /* where its update waits for the parent, in the stacks of the tasks */
    double *Z;       /* [r x m] all Z in the order of the way in */
    double *DW;      /* [m x (m + r)] D and W, all of them in the order of the way out */
} lm_block_node;

/* A task is a range of nodes that one thread works through: a branch, several small ones of the same
 * parent, or a stretch of the tree without large side branches. */
typedef struct lm_block_tasks {
    int n;
    int *start; /* [n + 1] first node of each */
    lm_task_tree tree;
} lm_block_tasks;

/* A task of the way in adds to unknowns of later tasks, as others do at the same time: so it adds to
 * places of its own behind the n unknowns, and the task above it takes these over. */
typedef struct lm_block_outlets {
    int *start; /* [tasks + 1] places of each task */
    int *to;    /* [start[tasks]] where the task above adds each of them: unknown, or n + place */
} lm_block_outlets;

typedef struct lm_block_plan {
    int n, nnodes;
    lm_block_node *nodes; /* children before parents; a subtree is contiguous */
    int *old_of;          /* [n] number in the pattern of the unknown with this new number */
    int *from, *to;       /* [nnz] place in the pattern's values, place in the front */
    size_t stack;         /* doubles needed for the updates that wait for their parents */
    int largest;          /* size of the largest front, m + r */
    size_t doubles;       /* of all D, W, Z */
    lm_block_tasks factor, solve;
    lm_block_outlets outlets;
    double work, path; /* estimated ns of a factorisation: all nodes, the longest way to a root */
    int depth;         /* nodes on the longest way to a root */
} lm_block_plan;

/* block_plan.c; memory is the arena's. 0; 1: no good order (too much fill, or none that the
 * `after`s allow); -1: no memory. */
int lm_block_plan_make(const lm_pattern *p, const lm_groups *g, lm_block_order order,
                       lm_arena *arena, lm_block_plan *plan);
/* block_order.c: the groups in order, sequence[g->n]. Returns as above. */
int lm_block_sequence(const lm_pattern *p, const lm_groups *g, lm_block_order order, int *sequence);
/* block_tasks.c: work[nnodes] that each node takes; tasks of at least so much, where there is. */
int lm_block_tasks_make(const lm_block_plan *plan, const double *work, double least,
                        lm_arena *arena, lm_block_tasks *tasks);

int lm_block_outlets_make(lm_block_plan *plan, lm_arena *arena);

/* Nanoseconds, about, that a front of m + r unknowns takes: the inverse, W and Z, the update, and
 * what is copied. */
static inline double lm_block_front_work(double m, double r)
{
    return 100 + 2 * m * m + 0.4 * m * m * m + 0.4 * m * m * r + 0.2 * m * r * r +
           (m + r) * (m + r);
}

/* The same of a solution. */
static inline double lm_block_solve_work(double m, double r)
{
    return 40 + 0.15 * m * (m + 2 * r) + 2 * r;
}

typedef struct lm_block_solver lm_block_solver;

/* pool: who works on it; NULL: the caller. NULL: no memory, or (*no_order 1) the groups give no good
 * order. */
lm_block_solver *lm_block_create(const lm_pattern *p, const lm_groups *g, lm_block_order order,
                                 lm_pool *pool, int *no_order);
void lm_block_destroy(lm_block_solver *b);
/* 0; 1: some group's block is singular, or the backward error too large. */
int lm_block_factor(lm_block_solver *b, const double *values);
/* nrhs (1 or 2) right sides in, one behind the other; solutions out. */
void lm_block_solve(lm_block_solver *b, int nrhs, double *x);
double lm_block_error(const lm_block_solver *b); /* backward error of the factors, about */
double lm_block_rcond(const lm_block_solver *b); /* smallest over largest pivot */

#endif
