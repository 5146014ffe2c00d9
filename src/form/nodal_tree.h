/* Private to the spanning tree of joints and to what follows it: the rows that are independent, the
 * initial configuration. Others ask by the functions of form/nodal.h. */
#ifndef LM_FORM_NODAL_TREE_H
#define LM_FORM_NODAL_TREE_H

#include "form/nodal.h"
#include "math/eliminate.h"

struct lm_tree {
    int n;               /* nodes */
    int *parent, *joint; /* [n] parent node or LM_GROUND; its joint, -1: free root */
    int *carrier;        /* [n] the node it is carried by as drawn: its parent, or another node of
                          * the same flexible body; LM_GROUND: none */
    int *depth;          /* [n] */
    int *order;          /* [n] parents before children */
    int *first, *nfree;  /* [n] free motions of the node against its parent */
    double (*S)[6][6];   /* [n] their directions, scaled twists: S[k] is direction k */
    int ndof;
    unsigned char *is_tree; /* [njoints] */
    int ncand;              /* rows that may be redundant */
    int *cand;              /* [ncand] loop rows first, then drives, then initial values */
    lm_eliminator *eliminator;
    double size; /* unit of length */
};

static inline double dot6(const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < 6; i++) s += a[i] * b[i];
    return s;
}

/* nodal_tree.c: a row as a linear form on the scaled twist (v/L, omega) of one side's node. */
void nodal_row_form(const nodal *s, int row, int side, double L, double u[6]);

#endif
