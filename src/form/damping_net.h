/* What hangs together in a mechanism, for the damping of beams by mass.
 *
 * What holds bodies to each other are joints, and bushings in the directions in which they are stiff beside the
 * beams at their ends; both are called joints here. A bushing that is stiff in all six is a compliant `fixed`
 * joint.
 *
 * Bodies that `fixed` joints weld to each other are one structure; the ground is a structure of its own. Then:
 * the parts into which the mechanism falls when one structure is taken away. A search in depth from the ground
 * goes through the joints once. What is below a structure in its tree stays connected to the rest without it
 * only by a joint to something above it. */
#ifndef LM_FORM_DAMPING_NET_H
#define LM_FORM_DAMPING_NET_H

#include "model/model.h"

enum { DAMPING_REST = -1 }; /* the part above a structure, with the ground if that is anywhere */

typedef struct damping_joint { /* a joint, or behind those of the model a bushing */
    int pair;
    int first_row, nrows;
    int first_action, nactions;
    int fixed;
    double least[2]; /* springs hold from this stiffness on: along, about */
    double most[2];  /* ... of a bushing leave beams free up to this one */
} damping_joint;

typedef struct damping_net {
    const lm_model *m;
    int njoints;
    damping_joint *link;   /* [njoints] */
    int n;                 /* structures; the ground is number n */
    int *of;               /* [nbodies + 1] structure of each body; of the ground */
    int *node_first;       /* [n + 2] */
    int *node;             /* nodes of each structure, ascending */
    int *index;            /* [nnodes] place of a node among those of its structure */
    int *first, *joint;    /* joints that hold something between two structures, by structure */
    int *up;               /* [n + 1] the structure above in the tree, -1: a root */
    int *seen, *last;      /* ... its place in the search, and that of the last one below it */
    int *low;              /* ... the first place that it and those below it have a joint to */
    int *top;              /* ... the root */
    double *mass, *length; /* ... its own mass, and length of its beams */
    double *below;         /* ... mass with all below it */
} damping_net;

/* By the first `njoints` joints of the model. 0; -1: no memory. */
int damping_net_make(const lm_model *m, int njoints, lm_arena *arena, damping_net *out);
/* The side of a joint that is on the structure, one of its two. */
int damping_net_side(const damping_net *net, int own, int joint);
/* The part that is behind a joint of a structure: DAMPING_REST, or by the structure below it with which it
 * begins. */
int damping_net_part(const damping_net *net, int own, int joint);
double damping_net_mass(const damping_net *net, int own, int part);
/* The part that holds a structure: the one with the ground, or else the heaviest that is heavier than it; -2:
 * none. */
int damping_net_holder(const damping_net *net, int own);
/* 1: the action is a spring of this joint that holds, that of a compliant joint or of a stiff bushing. */
int damping_holds(const damping_joint *j, const lm_action *a);

#endif
