/* Against which rigid motion of a beam its damping by mass is measured: one that follows the beam, and
 * does not take part in its vibrations (docs/theory/corotational-beam.md).
 *
 * A joint holds a beam if it leads to the ground without passing through the beam, or, where none does, to
 * the heaviest of the bodies that the beam joins if that is heavier than the beam. The reference is
 *   - a section whose rotations are all held: that section;
 *   - else, where two nodes are held: their chord, and along and about it the node that is held so, or the
 *     mean of both;
 *   - else the held section, or any: and what its joints leave free is fitted to the motion of all
 *     nodes, so that no momentum is left in these directions. */
#ifndef LM_FORM_DAMPING_FRAME_H
#define LM_FORM_DAMPING_FRAME_H

#include "form/damping_net.h"

typedef struct damping_row { /* a measure that a joint holds at a node */
    int pair, side, node;
    lm_measure measure;
    int i, j;
} damping_row;

typedef struct damping_frame {
    int first, n; /* nodes of the beam */
    int node[2];  /* a section, or the two ends of the chord; node[1] -1: a section */
    double along; /* share of node[1] in the motion along the chord; node[0] has the rest */
    double about; /* ... in turning about it, unless that is fitted */
    int fitted;   /* there are motions that are fitted */
    int nrows;    /* that hold node[0] */
    damping_row *row;
    double length;   /* of the beam: what makes turns and displacements comparable */
    double *carried; /* [n] masses on the beam beyond its own */
} damping_frame;

/* 0; -1: no memory. */
int damping_frame_make(const damping_net *net, int body, lm_arena *arena, damping_frame *out);
/* Twists (v of node[0], omega) that are fitted, world axes; how many. Poses of pairs by index; NULL: as
 * drawn. `d`: the chord. */
int damping_frame_free(const damping_frame *f, const lm_model *m, const lm_pair_pose *pose, lm_v3 d,
                       double A[6][6]);
/* Z = A (A^T G A)^-1 A^T, [6 6] column-major; zero if there is none. */
void damping_frame_fit(int n, double A[6][6], const double G[36], double Z[36]);

#endif
