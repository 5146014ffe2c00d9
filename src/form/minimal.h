/* Private to the minimal formulation: the nodal system, seen through a kinematic tree.
 *
 * The nodes of the nodal system (form/nodal.h) with its bodies, forces, joints and sensors stay as
 * they are; only they no longer move freely, but as the tips of a kinematic tree whose motions are
 * functions of the coordinates q and of time. With the partial velocities X = dV/dv of the nodes,
 *
 *     residual   X^T r        constraints   those that the tree does not satisfy by itself
 *
 * (docs/theory/minimal.md). The tree is written by the user (`coordinates`, `frames`, `motion`), or
 * follows the joints. */
#ifndef LM_FORM_MINIMAL_H
#define LM_FORM_MINIMAL_H

#include "form/moved.h"
#include "form/recursive.h"
#include "math/eliminate.h"

/* The argument of a link as the user wrote it: u = sign * e(t, q). */
typedef struct min_arg {
    const lm_expr *e;
    double sign;
    int affine; /* 1: e = offset + sum of slope * input: no second derivatives */
    double offset;
    int first;    /* of its numbers in grad, dot, next */
    int hess;     /* of its Hessian */
    int external; /* k > 0: row k - 1 of what a C function gives; e holds its inputs only */
} min_arg;

/* A place in the tree where a frame is used that a C function gives. */
typedef struct min_use {
    int product;
    int frame;   /* of the function's frames */
    int inverse; /* 1: inv(frame) */
    int turn;    /* the link of its first turn: its E is the attitude */
    lm_v3 x0;    /* pose at the state: where its angles are zero */
    lm_m3 R0;
} min_use;

/* Step of the differences of poses, as a part of a scale. */
#define MINIMAL_POSE_STEP 1e-3

/* Frames that a C function gives. A row is one of the six arguments of a use. */
typedef struct min_external {
    LM_VEC(min_use) uses;
    int nin;                 /* slots (t, coordinates) that they depend on */
    int *in, *at;            /* [nin]; and [1 + written] the other way round, or -1 */
    double *scale;           /* [nin] changes over which the frames move noticeably */
    unsigned char *turns;    /* [nin] 1: they turn at the start */
    double *slot;            /* [1 + written] where the function is called */
    limber_pose *pose;       /* [2 frames] what it gave; at the start */
    limber_twist *twist;     /* [frames][written + 1] */
    double *u, *near;        /* rows [rows], gradients [rows][nin] at four places around a state */
    double *w;               /* [nin] a direction */
    double *G, *dot, *curve; /* [rows][nin] gradients, their rate along the motion, its rate */
    int known;               /* these are known at: 0 no state, 1 the positions, 2 and rates of */
    double *last, *last_v;   /* [1 + written], [written] */
} min_external;

/* A rate of the tree for messages, and where it starts. */
typedef struct min_rate {
    int node;   /* the node it was made for */
    int coord;  /* joint coordinate of the model, -1: none */
    int sign;   /* of that coordinate */
    int joint;  /* -1: a free node */
    char along; /* 'x' 'y' 'z' of a free node or ball */
    int turns;
} min_rate;

/* How a node hangs in a tree that follows the joints. */
typedef struct min_hung {
    int on;       /* another node, or LM_GROUND */
    int first, n; /* the links between them */
} min_hung;

typedef struct minimal {
    lm_system sys;
    lm_moved moved; /* the equations in terms of the coordinates */
    lm_arena arena;
    const lm_model *m;
    nodal *in;
    lm_kintree tree;
    int written;    /* coordinates of the user, 0: the rates of the tree are the coordinates */
    min_arg *arg;   /* [nu] when written */
    min_rate *rate; /* [nu] when not */
    min_hung *hung; /* [nodes] when not */
    unsigned char *passed; /* [joints] the tree goes through it: its rows hold by themselves */
    /* the last state */
    double t;
    double *p, *du, *ddu;          /* of the tree */
    double *phi, *phi_rate;        /* [nodal nl] */
    lm_wrench *wrench;             /* [links] scratch */
    double *ru;                    /* [nu] forces on the rates of the tree */
    double *slots, *scratch;       /* of the arguments */
    double *grad, *dot, *next;     /* of the arguments: du/dq, its rate, its second rate */
    double *slope;                 /* du/dq of those that are affine; as grad */
    double *hess, *hess_low;       /* ... */
    int *col_start, *col_node;     /* by coordinate: nodes it moves */
    int *input_at;                 /* [tree column inputs] place among the node's columns */
    int *input_first;              /* [tree columns] */
    double *sensed, *bent, *trial; /* for forces that read a coordinate */
    min_external external;
    lm_recursive *recursive; /* NULL: not a tree of rigid bodies */
    lm_eliminator *eliminator;
    int *candidate; /* [nl] rows in the order in which they are chosen */
} minimal;
MOVED_BEGINS(minimal);

/* minimal.c */
extern const lm_form lm_form_minimal;
/* A system whose nodes are those of `in`, which it owns from then on, also when this fails. */
limber_status minimal_create(lm_system *in, lm_diag *diag, lm_system **out);

/* minimal_tree.c: the tree as written, or by the joints. */
int minimal_write_tree(minimal *s, lm_diag *diag);
int minimal_grow_tree(minimal *s);
/* Motion of the links of one node, where those of the node on which it hangs have been moved. */
void minimal_move_node(minimal *s, int node, const double *q, const double *v);

/* minimal_make.c: columns and pattern. */
int minimal_make_columns(minimal *s, lm_diag *diag);
int minimal_make_pattern(minimal *s);
int minimal_start(minimal *s, double *q, double *v); /* positions and velocities at the start; 0, -1 */

/* minimal_kin.c */
int minimal_place(minimal *s, const lm_state *st); /* tree and nodal system at it; 0, or > 0 */
void minimal_partials(minimal *s);                 /* X of all jets, at the state */
int minimal_jets(minimal *s, const lm_state *st);  /* ... and the rest of them; 0, or > 0 */
/* Bring the nodal system to the state; *inner: its own view of it. 0, or as minimal_place. */
int minimal_enter(minimal *s, const lm_state *st, lm_state *inner);

/* minimal_external_make.c: at the end of making the system; -1: memory */
int minimal_external_make(minimal *s, lm_diag *diag);

/* minimal_external.c: frames that a C function gives. Where they return an int: 0, or > 0
 * where the function fails, and why is in sys.trouble. */
int minimal_external_place(minimal *s, const lm_state *st); /* at s->slots */
int minimal_external_hessians(minimal *s);                  /* into s->hess, at the same state */
/* Value, gradient and its rate of one argument; and the second rate of the gradient. */
double minimal_external_argument(const minimal *s, int u, double *grad, double *dot);
void minimal_external_curve(const minimal *s, int u, double *out);
/* Parts of it, at external.slot: the poses of s->slots as those where angles are zero; rows; gradients. */
int minimal_external_take(minimal *s);
int minimal_external_u(minimal *s, double *u);
int minimal_external_gradient(minimal *s, int partials, double *G);

/* minimal_results.c: of the seam; beam_forces where beams are divided into rigid elements */
int minimal_outputs(lm_system *sys, const lm_state *st, double *out);
int minimal_guards(lm_system *sys, const lm_state *st, double *out);
void minimal_describe_guard(const lm_system *sys, int i, char *text, size_t size);
void minimal_forces(lm_system *sys, const lm_state *st, double *joint, double *load);
void minimal_beam_forces(lm_system *sys, const lm_state *st, double *out);
int minimal_energy(lm_system *sys, const lm_state *st, lm_energy *e);
void minimal_poses(lm_system *sys, const double *q, double *pose);
void minimal_describe_pose(const lm_system *sys, int i, char *text, size_t size);
void minimal_describe_motion(const lm_system *sys, int i, char *text, size_t size);
void minimal_describe(const lm_system *sys, int i, char *text, size_t size);

/* minimal_jacobian.c */
int minimal_jacobian(lm_system *sys, const lm_state *st, double cM, double cD, double cK,
                     double *values);
int minimal_matrices(lm_system *sys, const lm_state *st, double *M, double *D, double *K);

/* minimal_recursive.c */
int minimal_make_recursive(minimal *s);
int minimal_divide_by_mass(lm_system *sys, double t, const double *q, double *x);

/* minimal_rigid.c: seam */
int minimal_rigid_momentum(lm_system *sys, const lm_state *rest, const double twist[6], double *p,
                           double *total);
int minimal_start_left(lm_system *sys, const lm_state *st, double *p, double *left, double *speed);

/* minimal_turn.c: seam */
int minimal_turn(lm_system *sys, const double *q, const lm_turning *how, double *v, double *a,
                 unsigned char *kind, double *axis);

/* minimal_reaction.c: multipliers of the joints that the tree satisfies by itself */
void minimal_reactions(minimal *s);
/* Factors f [n], n <= 6, for which the sum of f_i X_i comes nearest to w, forces or motions whose linear
 * and angular parts have these weights; those that the others make superfluous are zero. */
void minimal_fit(double X[][6], int n, const double *w, double linear, double angular, double *f);

#endif
