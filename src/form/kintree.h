/* A kinematic tree: frames that hang on one another by turns and slides.
 *
 * A link is its parent's frame, moved by a constant pose and then by its own motion: a turn by the
 * angle u about an axis, a slide by the length u along it, or a ball that turns freely. The motions
 * are given as positions p (one number, or a unit quaternion for a ball), rates du and second rates
 * ddu (one number, or the three components of the relative angular velocity in the axes before the
 * ball). A tip is a place fixed to a link: what the elements of a system act on.
 *
 * For each tip and each rate du_k that moves it, the tree gives the partial velocity (c, e), and with
 * it all that exact tangents need (docs/theory/tree-kinematics.md):
 *
 *     X  = dV/d(du_k) = dA/d(ddu_k) = the small motion that a small change of u_k makes
 *     Xv = dV/du_k   at fixed rates       Xa = dA/du_k   at fixed rates and second rates
 *     Xc = dA/d(du_k) at fixed positions
 *
 * V = (velocity, angular velocity) and A its time derivative, world axes; a change of u_k for a ball is
 * a small rotation about its k-th axis. */
#ifndef LM_FORM_KINTREE_H
#define LM_FORM_KINTREE_H

#include "base/mem.h"
#include "math/v3.h"

typedef enum lm_link_kind { LM_LINK_TURN, LM_LINK_SLIDE, LM_LINK_BALL } lm_link_kind;

typedef struct lm_link {
    lm_link_kind kind;
    int parent; /* -1: the ground; else a link before this one */
    lm_v3 at;   /* constant pose in the parent's axes, before the motion */
    lm_m3 E;
    lm_v3 axis; /* turn, slide: unit, in the axes of E */
    int p, u;   /* its place among the positions, its first rate */
    /* most links are simple: what need not be multiplied */
    int straight; /* 1: E is the identity */
    int centred;  /* 1: `at` is zero */
    int along;    /* the axis is this column of E; -1: none of them */
} lm_link;

typedef struct lm_tip {
    int link; /* -1: fixed to the ground */
    lm_v3 r;  /* place and axes on the link */
    lm_m3 E;
    int first, n;          /* its columns: rates that move it, from the root outwards */
    int straight, centred; /* as those of a link */
} lm_tip;

typedef struct lm_link_motion {
    lm_v3 x, v, a;  /* of the link's origin: the centre of a turn or ball */
    lm_v3 w, al;    /* angular velocity and acceleration */
    lm_v3 w_before; /* angular velocity of the parent */
    lm_v3 al_before;
    lm_v3 e[3]; /* axes of its motion, world */
    lm_m3 R;
} lm_link_motion;

typedef struct lm_tip_motion {
    lm_v3 x, v, a, w, al;
    lm_m3 R;
} lm_tip_motion;

typedef struct lm_column {
    int u;    /* the rate */
    int link; /* whose it is */
    int axis; /* 0, or 0 1 2 of a ball */
} lm_column;

typedef struct lm_jet {
    double X[6], Xv[6], Xa[6], Xc[6];
} lm_jet;

typedef struct lm_kintree {
    lm_arena *arena;
    LM_VEC(lm_link) links;
    LM_VEC(lm_tip) tips;
    LM_VEC(lm_column) columns;
    int np, nu;             /* positions, rates */
    lm_link_motion *motion; /* [links] of the last evaluation */
} lm_kintree;

/* kintree.c */
/* Building: all return an index, or -1 without memory. Then lm_kintree_finish. */
int lm_kintree_link(lm_kintree *t, lm_link_kind kind, int parent, lm_v3 at, lm_m3 E, lm_v3 axis);
int lm_kintree_tip(lm_kintree *t, int link, lm_v3 r, lm_m3 E);
int lm_kintree_finish(lm_kintree *t); /* 0, -1 */

/* Motion of all links; du and ddu may be NULL: at rest. */
void lm_kintree_move(lm_kintree *t, const double *p, const double *du, const double *ddu);
/* The same of n links from `first` on, whose parents have been moved. */
void lm_kintree_move_links(lm_kintree *t, int first, int n, const double *p, const double *du,
                           const double *ddu);
void lm_kintree_tip_motion(const lm_kintree *t, int tip, lm_tip_motion *m);
/* Partial velocity X [6] of a column of a tip that moves as m. */
void lm_kintree_partial(const lm_kintree *t, const lm_column *c, const lm_tip_motion *m, double *X);
void lm_kintree_jet(const lm_kintree *t, const lm_column *c, const lm_tip_motion *m, lm_jet *j);
/* Change of X_i . f with u_j, f a fixed wrench on the tip (force at the tip's place, moment). */
double lm_kintree_geometric(const lm_kintree *t, const lm_column *i, const lm_column *j,
                            const lm_tip_motion *m, const double *f);

/* kintree_force.c */
/* Forces on the rates, r [nu] = X^T f, of the wrenches f [6 tips] on the tips, which move as `tip`;
 * sum [links]: scratch. */
typedef struct lm_wrench {
    lm_v3 F, M;
} lm_wrench;
void lm_kintree_collect(const lm_kintree *t, const lm_tip_motion *tip, const double *f,
                        lm_wrench *sum, double *r);

/* kintree.c */
/* p1 = p0 moved by the small motions d [nu]; p1 may be p0. */
void lm_kintree_retract(const lm_kintree *t, const double *p0, const double *d, double *p1);
/* d with p1 = retract(p0, d). */
void lm_kintree_difference(const lm_kintree *t, const double *p0, const double *p1, double *d);
/* Rate of local coordinates xi [nu] of p = retract(p0, xi) when the rates are du. */
void lm_kintree_local_rate(const lm_kintree *t, const double *xi, const double *du, double *rate);

#endif
