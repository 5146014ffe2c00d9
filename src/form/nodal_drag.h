/* Inside nodal_drag.c and nodal_drag_make.c: a beam with mass-proportional damping. Blocks are 6 x 6,
 * column-major. */
#ifndef LM_FORM_NODAL_DRAG_H
#define LM_FORM_NODAL_DRAG_H

#include "form/damping_frame.h"
#include "form/nodal.h"

typedef struct nodal_drag_block {
    int i, j;       /* nodes of the beam: of its rows, of its columns */
    int at[NODE_V]; /* place of the first entry of each column */
} nodal_drag_block;

typedef struct nodal_damped {
    damping_frame frame;
    double alpha;
    int element;             /* the first */
    const nodal_lump *lumps; /* [n] its rigid pieces; NULL: it is made of elements */
    double (*weight)[36];    /* [n] mass times rigid motions about node[0], drawn, in its axes */
    int nblocks;
    nodal_drag_block *block; /* in the matrix */
    /* of the last state: */
    lm_v3 *arm;                     /* [n] from node[0] */
    double (*own)[36], (*next)[36]; /* [n] mass: of node k, of nodes k and k + 1 */
    double (*B)[36];                /* [n] the reference by the node's twist */
    double (*push)[36];             /* [n] mass times rigid motions */
    double (*lead)[36];             /* [n] see make_leads */
    double Z[36];                   /* of the fit */
    double *rel, *force;            /* [6 n] v' and M v' */
} nodal_damped;

/* 1: the reference moves with node k of the beam. */
static inline int nodal_is_reference(const damping_frame *f, int k)
{
    int node = f->first + k;
    return f->fitted || node == f->node[0] || node == f->node[1];
}

/* C += f A B; At, Bt: transposed. */
void nodal_block_product(double f, const double *A, int At, const double *B, int Bt, double *C);
/* The twist of a place in a rigid motion. */
void nodal_block_rigid(lm_v3 arm, double *R);
/* T X T^T of the four quarters; back: T^T X T. */
void nodal_block_turn(const lm_m3 *T, int back, const double *X, double *out);
void nodal_block_add(const double *X, double *to);

/* Mass of an element with the axes T: of its first node, of both (rows of the first), of the second. */
void nodal_element_mass(const lm_element *e, const lm_m3 *T, double own[36], double next[36],
                        double other[36]);
/* own and next at a state; NULL: as drawn. */
void nodal_damped_mass(const nodal *s, const lm_state *st, nodal_damped *d);
/* push, of own, next and arm. */
void nodal_damped_push(nodal_damped *d);

#endif
