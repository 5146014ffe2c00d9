/* Inside nodal_drag*.c: a structure with mass-proportional damping. Blocks are 6 x 6,
 * column-major. */
#ifndef LM_FORM_NODAL_DRAG_H
#define LM_FORM_NODAL_DRAG_H

#include "form/damping_frame.h"
#include "form/nodal.h"

typedef struct
    nodal_drag_link { /* a damped element, or a rigid piece of a damped beam: then of node i */
    int i, j;         /* nodes of the structure */
    double alpha;
    int element;
    const nodal_lump *lump; /* NULL: an element */
} nodal_drag_link;

enum { DRAG_OWN = -1, DRAG_REFERENCE = -2 };
typedef struct nodal_drag_block {
    int i, j; /* nodes of the structure: of its rows, of its columns */
    int link; /* whose mass it is; DRAG_OWN: of a node; DRAG_REFERENCE: what the reference does */
    int at[NODE_V]; /* place of the first entry of each column */
} nodal_drag_block;

typedef struct nodal_damped {
    damping_frame frame;
    int nlinks;
    nodal_drag_link *link;
    unsigned char *has_mass; /* [n] damped mass is there */
    double (*weight)
        [36]; /* [n] mass times rigid motions about the base, drawn, in the axes of node[0] */
    int nblocks;
    nodal_drag_block *block; /* in the matrix */
    /* of the last state: */
    lm_v3 *arm;          /* [n] from the base */
    double (*own)[36];   /* [n] alpha times mass: of a node, */
    double (*next)[36];  /* [nlinks] of nodes i and j */
    double (*B)[36];     /* [n] the reference by the node's twist */
    double (*push)[36];  /* [n] alpha times mass times rigid motions */
    double (*lead)[36];  /* [n] see make_leads */
    double Z[36];        /* of the fit */
    double h[6];         /* R^T force */
    double *rel, *force; /* [6 n] V' and C V' */
} nodal_damped;

/* 1: the reference moves with node k of the structure. */
static inline int nodal_is_reference(const damping_frame *f, int k)
{
    return f->fitted || k == f->at[0] || k == f->at[1];
}

/* A node beside the structure that turns or moves the directions which its joints leave free; -1: none. */
static inline int nodal_drag_beside(const nodal *s, const damping_frame *f, int row)
{
    const damping_row *r = &f->row[row];
    return f->fitted && f->node[1] < 0 ? s->m->pairs[r->pair].node[1 - r->side] : -1;
}

/* y += f A x, or A^T x. */
void nodal_block_times(double f, const double *A, int At, const double *x, double *y);
/* C += f A B; At, Bt: transposed. */
void nodal_block_product(double f, const double *A, int At, const double *B, int Bt, double *C);
/* The twist of a place in a rigid motion. */
void nodal_block_rigid(lm_v3 arm, double *R);
/* T X T^T of the four quarters; back: T^T X T. */
void nodal_block_turn(const lm_m3 *T, int back, const double *X, double *out);
/* to += f X */
void nodal_block_add(double f, const double *X, double *to);

/* Mass of an element with the axes T: of its first node, of both (rows of the first), of the second. */
void nodal_element_mass(const lm_element *e, const lm_m3 *T, double own[36], double next[36],
                        double other[36]);
/* Of a rigid piece, about its node and in its axes. */
void nodal_lump_mass(const nodal_lump *l, double X[36]);
/* own and next at a state. */
void nodal_damped_mass(const nodal *s, const lm_state *st, nodal_damped *d);

/* nodal_drag.c: arms and the reference at a state; with these and the mass V' and C V', and h; all of it;
 * out [nv] += w times the forces of the structure. */
void nodal_drag_follow(const nodal *s, const lm_state *st, nodal_damped *d);
void nodal_drag_push(const lm_state *st, nodal_damped *d);
void nodal_drag_enter(const nodal *s, const lm_state *st, nodal_damped *d);
void nodal_drag_add(const nodal_damped *d, double w, double *out);

/* nodal_drag_weight.c: weights of the structure `own`, by arm. 0; -1: no memory in `temp`. */
int nodal_drag_weights(const nodal *s, const damping_net *net, int own, lm_arena *temp,
                       nodal_damped *d);
/* As drawn: the base; mass of an element, as in nodal_element_mass. */
lm_v3 nodal_drag_drawn_base(const nodal *s, const damping_frame *f);
void nodal_drag_drawn_mass(const nodal *s, const damping_frame *f, const lm_element *e,
                           double M[3][36]);

#endif
