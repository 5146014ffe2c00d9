/* Divide and conquer: accelerations of bodies that are joined by constraints, by a binary tree of
 * assemblies (docs/theory/dca.md).
 *
 * Body i has n_i accelerations a_i and takes forces on its handles h, places that joints hold:
 *
 *     M_i a_i = f_i + sum over its handles of B_h^T F_h,      A_h = B_h a_i + gamma_h    [6] each
 *
 * Row k of the joint between handles p and q (either may be the ground):
 *
 *     G_p . A_p + G_q . A_q = c,       F_p -= G_p lam,  F_q -= G_q lam.
 *
 * An assembly of bodies is known by the accelerations of its outer handles, A = Z F + z: those on which
 * joints still wait. Two assemblies become one through the joints between them; the tree is balanced by
 * work. Sums are made in the order of the tree: the same bits for any number of threads. */
#ifndef LM_FORM_DCA_H
#define LM_FORM_DCA_H

#include "base/mem.h"
#include "base/pool.h"

enum { LM_DCA_GROUND = -1 };

typedef struct lm_dca lm_dca;

/* What is joined to what; constant. */
typedef struct lm_dca_topology {
    int nbodies, nhandles, njoints;
    const int *size;        /* [nbodies] n_i */
    const int *handle_body; /* [nhandles] ascending: the handles of a body follow one another */
    const int (*joint)[2];  /* [njoints] handles or LM_DCA_GROUND */
    const int *most_rows;   /* [njoints] rows that a joint may have, 0 included */
} lm_dca_topology;

/* What one evaluation needs, asked for by the tasks, several at a time when there are threads. */
typedef struct lm_dca_numbers {
    void *ctx;
    /* M [n n] (column-major, symmetric, positive definite) and f [n] of a body; for each of its handles B
     * [6 n] (column-major, 6 rows) and gamma [6], one handle behind the other. 0, or 1: not to be had. */
    int (*body)(void *ctx, int worker, int body, double *M, double *f, double *B, double *gamma);
    /* Rows of a joint: G [rows][12] (of the first handle, of the second), c [rows]; returns the number of
     * rows, which may differ from one evaluation to the next. */
    int (*joint)(void *ctx, int worker, int joint, double (*G)[12], double *c);
} lm_dca_numbers;

/* NULL: no memory. The arena must live as long. */
lm_dca *lm_dca_new(lm_arena *arena, const lm_dca_topology *t);
/* a: accelerations of all bodies one behind the other; lam: most_rows places for each joint, one joint
 * behind the other (those of rows that are not there: 0). 0; 1: a body's mass, or what two assemblies
 * leave of the accelerations between them, is singular: *where = body, or nbodies + joint. */
int lm_dca_solve(lm_dca *d, const lm_dca_numbers *numbers, double *a, double *lam, int *where);
/* Later evaluations use the threads of this pool (NULL: the caller alone): the same bits with any. The
 * functions of lm_dca_numbers are then called by several threads, with `worker` below lm_pool_threads.
 * 0; -1: no memory, the caller is alone. */
int lm_dca_use_pool(lm_dca *d, lm_pool *pool);
/* The tree for reports: levels from leaves to root, and the work of an evaluation (multiplications). */
int lm_dca_depth(const lm_dca *d);
double lm_dca_work(const lm_dca *d);
double lm_dca_span(const lm_dca *d); /* ... along the longest way from a leaf to the root */

#endif
