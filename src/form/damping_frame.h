/* Against which rigid motion damping by mass is measured: one that follows a structure, beams and other bodies
 * that are welded to each other, and does not take part in its vibrations
 * (docs/theory/corotational-beam.md).
 *
 * A joint holds a structure if it leads to the ground without passing through the structure, or, where none
 * does, to the heaviest of those that the structure joins if that is heavier than it. The reference is
 *   - a section whose rotations are all held: that section;
 *   - else, where two points are held: their chord, and along and about it the point that is held so, or
 *     the mean of both;
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

typedef struct damping_mass { /* a mass on the structure beyond its own, where a joint is */
    int k;                    /* of its nodes */
    lm_v3 r;                  /* from there, node axes */
    double mass;
} damping_mass;

typedef struct damping_frame {
    int n;           /* nodes of the structure */
    const int *list; /* [n] ascending, of the net */
    int node[2];     /* a section, or the two ends of the chord; node[1] -1: a section */
    int at[2];       /* ... their places in `list` */
    lm_v3 r[2];      /* ... to the ends of the chord, node axes */
    double along;    /* share of node[1] in the motion along the chord; node[0] has the rest */
    double about;    /* ... in turning about it, unless that is fitted */
    int fitted;      /* there are motions that are fitted */
    int nrows;
    damping_row *row;
    double length; /* of the beams: what makes turns and displacements comparable */
    int ncarried;
    damping_mass *carried;
} damping_frame;

/* Of structure `own`; `list` is copied to the arena. 0; -1: no memory. */
int damping_frame_make(const damping_net *net, int own, lm_arena *arena, damping_frame *out);
/* damping_check.c: warns of superelements whose frame is not what holds them and, unless the rigid motion is
 * known, of bushings that hold in part. 0; -1: no memory. */
int damping_check(const lm_model *m, int known, lm_diag *diag);
/* Twists (v at the base, omega) that are fitted, world axes; how many. The base is the end of the chord d at
 * node[0], or the node itself. Poses of pairs by index; NULL: as drawn. */
int damping_frame_free(const damping_frame *f, const lm_model *m, const lm_pair_pose *pose, lm_v3 d,
                       double A[6][6]);
/* Z = A (A^T G A)^-1 A^T, [6 6] column-major; zero if there is none. */
void damping_frame_fit(int n, double A[6][6], const double G[36], double Z[36]);

#endif
