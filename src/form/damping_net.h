/* What hangs together without a beam: the parts into which a mechanism falls when one body is taken away.
 *
 * A search in depth from the ground goes through the joints once. What is below a body in its tree stays
 * connected to the rest without it only by a joint to something above it. */
#ifndef LM_FORM_DAMPING_NET_H
#define LM_FORM_DAMPING_NET_H

#include "model/model.h"

enum { DAMPING_REST = -1 }; /* the part above a body, with the ground if that is anywhere */

typedef struct damping_net {
    const lm_model *m;
    int *first,
        *joint;       /* joints that hold something, by body; the ground is behind the last body */
    int *up;          /* [nbodies + 1] the body above in the tree, -1: a root */
    int *seen, *last; /* ... its place in the search, and that of the last one below it */
    int *low;         /* ... the first place that it and those below it have a joint to */
    int *top;         /* ... the root */
    double *mass;     /* ... its own */
    double *below;    /* ... with all below it */
} damping_net;

/* By the first `njoints` joints of the model. 0; -1: no memory. */
int damping_net_make(const lm_model *m, int njoints, lm_arena *arena, damping_net *out);
/* The side of a joint that is on the body, one of its two. */
int damping_net_side(const damping_net *net, int body, int joint);
/* The part that is behind a joint of a body: DAMPING_REST, or by the body below it with which it begins. */
int damping_net_part(const damping_net *net, int body, int joint);
double damping_net_mass(const damping_net *net, int body, int part);
/* The part that holds a body: the one with the ground, or else the heaviest that is heavier than it; -2: none. */
int damping_net_holder(const damping_net *net, int body);
/* 1: the action is a spring of a compliant joint. */
int damping_is_compliant(const lm_action *a);

#endif
