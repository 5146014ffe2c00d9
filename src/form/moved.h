/* A nodal system whose nodes move by other coordinates than their own poses: how its equations look in
 * these.
 *
 * With the partial velocities X = dV/dv of the nodes (and what else a jet holds, form/kintree.h), the nodal
 * residual r(x, V, A) with its derivatives K, D, M and the nodes' motion x(q), V(q, v), A(q, v, a),
 *
 *     residual        X^T r
 *     d(X^T r)/dq = X^T (K X + D Xv + M Xa) + (dX/dq)^T r
 *     d(X^T r)/dv = X^T (D X + M Xc)                      d(X^T r)/da = X^T M X .
 *
 * All but (dX/dq)^T r is here. */
#ifndef LM_FORM_MOVED_H
#define LM_FORM_MOVED_H

#include "form/kintree.h"
#include "form/nodal.h"

#include <stddef.h>

/* Columns of a node: the coordinates that move it; none: nothing acts on it. */
typedef struct moved_node {
    int first, n; /* in cols, jets */
    int nnear;    /* nodes that its motion exerts forces on */
    int *near;
    int block; /* the first of their blocks */
} moved_node;

enum { MOVED_BLOCK = 3 * NODE_V * NODE_V };

/* A superelement whose tangent is made in terms of the coordinates at once (elem/superelement.h). */
typedef struct moved_body {
    int super, n; /* coordinates */
    int *col;     /* [n] */
    int *jet;     /* [n][poses] the motions of its poses, or -1 */
} moved_body;

/* An entry of the nodal matrices and its place among the blocks. */
typedef struct moved_entry {
    int from, to;
} moved_entry;

typedef struct lm_moved {
    lm_system *sys; /* of the coordinates */
    nodal *in;
    int *row; /* [nl] row of the nodal system */
    int *own; /* [nodal nl] the other way round, or -1 */
    /* the nodal system at the last state: what it is given, its residual, the motion of its nodes */
    double *qi, *vi, *ai, *li, *ri;
    lm_tip_motion *tip; /* [nodes] */
    moved_node *node;   /* [nodes] */
    int *cols;
    lm_jet *jets;
    double *M, *D, *K;  /* nodal matrices */
    double *block;      /* M, D and K, 6x6 each, of nodes and those near them */
    moved_entry *entry; /* where the entries of M go there */
    int nentries;
    int *place; /* [nv + nl] place of each row in one column of the matrix */
    int nbodies;
    moved_body *body;
    unsigned char *skip;   /* [superelements] 1: is one of those bodies; NULL: none is */
    double *z, *reduced;   /* of one body: motions of its poses; M, D and K */
    struct moved_way *way; /* of the nodes, where sys->along is one of the coordinates */
    int *unknown;          /* [nv] scratch of moved_ports.c */
    double *force;         /* [nodal velocities] the same */
} lm_moved;

/* What is wanted: one matrix, c[0][0] M + c[0][1] D + c[0][2] K (n = 1), or M, D and K each into its own
 * array (n = 3, c the identity). */
typedef struct lm_mix {
    int n;
    double *to[3];
    double c[3][3];
    int damping, stiffness; /* D, K are in some of them */
} lm_mix;

/* moved.c */
lm_mix lm_mix_one(double cM, double cD, double cK, double *to);
lm_mix lm_mix_each(double *M, double *D, double *K);

/* Lists of near nodes and room, when node, cols and jets are known. 0, -1. */
int moved_make(lm_moved *s, lm_arena *arena);
/* Then, where it pays: superelements by moved_bodies. Near nodes become those that other forces connect. */
int moved_choose_bodies(lm_moved *s, lm_arena *arena);
/* The nodal matrices that are wanted, at the nodal state. Before moved_add, moved_bodies, moved_multipliers. */
int moved_matrices(lm_moved *s, const lm_state *inner, const lm_mix *w);
/* Where the rows of a column are: sets place. A row that is not in the column keeps some other place of
 * the matrix: adding a zero there does nothing, so entries that are zero need no place of their own. */
void moved_column(lm_moved *s, int col);
/* The part that the motion j of a node has in the column set, with the entries of constraint rows; X is all
 * that is read of jets where only M is wanted. */
void moved_add(lm_moved *s, int node, const lm_jet *j, const lm_mix *w);
/* The part of the bodies, by all jets. 0, or 1: there is no frame to the shape of one of them. */
int moved_bodies(lm_moved *s, const lm_state *inner, const lm_mix *w);
/* The columns of the multipliers. */
void moved_multipliers(lm_moved *s, const lm_mix *w);

/* X . f of two 6-vectors. */
static inline double moved_dot(const double *X, const double *f)
{
    return ((X[0] * f[0] + X[1] * f[1]) + (X[2] * f[2] + X[3] * f[3])) +
           (X[4] * f[4] + X[5] * f[5]);
}

/* moved_nodes.c */
/* Room for the nodal state, and for row and own, which the caller fills; sys, in. 0, -1. */
int moved_reserve(lm_moved *s, lm_system *sys, nodal *in, lm_arena *arena);
/* The motion tip[node] into qi, vi, ai. */
void moved_put(lm_moved *s, int node);
/* When all nodes are put: the rest of the nodal state, and what is asked of the system. Joint angles that are
 * kept continuous stand behind the coordinates in q; their values in qi are those nearest to what q
 * remembers, with the kinematics of their joints. */
void moved_enter(lm_moved *s, const lm_state *st);
/* The nodal system's view of a state. */
lm_state moved_inner(const lm_moved *s, const lm_state *st);
/* The way of these angles from q0 by the nodal motion vi, into q1, after moved_enter. */
void moved_follow_angles(lm_moved *s, const double *q0, double *q1);

/* moved_along.c: room; 0, -1. */
int moved_make_way(lm_moved *s, lm_arena *arena);
/* 1: sys->along is a way that the nodes' own is not known of: its state is to be entered, its jets made,
 * and moved_set_way called, before anything on it is asked of the nodal system. */
int moved_wants_way(const lm_moved *s);
void moved_set_way(lm_moved *s, const lm_state *inner);
/* The way of the nodes at the present place of sys->along; NULL: there is none. */
const lm_way *moved_way(lm_moved *s);

/* moved_ports.c: the seam of variables (lm_ports), by the jets of the last matrices, of systems that begin
 * like this */
typedef struct moved_system {
    lm_system sys;
    lm_moved moved;
} moved_system;
#define MOVED_BEGINS(type)                                                                         \
    _Static_assert(offsetof(type, moved) == offsetof(moved_system, moved), "begins otherwise")
extern const lm_ports moved_ports;

#endif
