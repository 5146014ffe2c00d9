/* Private to the formulation `ffr`: floating frames (docs/theory/ffr.md).
 *
 * A unit is a rigid body, a node of a superelement, or a straight part of a beam: a frame with six motions,
 * and for a part of a beam the coordinates eta of its deformation in that frame (elem/floating.h). The nodes
 * of the nodal system (form/nodal.h), with its joints, forces and sensors, are places on the units; the
 * inertia and the elasticity of beams are the units' own.
 *
 * q = for each unit x (3), unit quaternion (4), eta; then the continuous joint angles.
 * v = for each unit velocity (3), angular velocity (3), world axes, d(eta)/dt. */
#ifndef LM_FORM_FFR_H
#define LM_FORM_FFR_H

#include "form/dca.h"
#include "form/ffr_basis.h"
#include "form/moved.h"

enum { FRAME_Q = 7, FRAME_V = 6, FRAME_LINKS = 4, PLACE_LINKS = 6 };

typedef struct ffr_unit {
    const lm_floating *f; /* NULL: rigid, or a node of a superelement */
    int body;
    int ne;
    int *node; /* of its places; rigid: the one node */
    int nodes;
    int q, v;          /* where its numbers begin */
    int base;          /* first link of its frame in the tree: three slides and a ball */
    lm_m3 axes;        /* as drawn */
    int first_element; /* of the part; -1: rigid */
    double spin;       /* inertia about its axis that it is lent where a regular mass is wanted */
} ffr_unit;

/* A node: which place of which unit it is, the links that move it there, and the derivative of how far
 * bending draws it back along the unit's axis: gradient by (eta_v, eta_w), its rate, the rate of that. */
typedef struct ffr_node {
    int unit, place;
    int links; /* first of PLACE_LINKS, -1: it is fixed to the frame */
    int held;  /* a joint, force or sensor of a force takes hold of it */
    double *draw[3];
    double slope[2]; /* v', -w' of the section */
    double *tilt
        [3]; /* gradient of v' by eta_v, of -w' by eta_w, of both by eta_a; its rate, the rate of that */
    double turn[3][2]; /* of the first angle: gradient by them, its rate, the rate of that */
} ffr_node;

/* The model with its beams divided into straight parts that are welded to each other. */
typedef struct ffr_division {
    lm_arena arena;
    lm_model model;
    int nparts;
    ffr_part *part;
    int drawn; /* nodes of the original */
    int *twin; /* [model.nnodes - drawn] the node that each added one was made of */
} ffr_division;

/* In a part: how far a section turns, its axis where that turns more by shear; how far it stretches; how far it is
 * twisted, and an element of it; how far it turns in bending along y and along z. */
typedef struct ffr_extent {
    double turn, stretch, twist, in_element, along[2];
    double bent; /* error of a deflection by that turn, of one frame */
} ffr_extent;

/* By how much stiffnesses across a beam differ with the direction. */
typedef struct ffr_unlike {
    double bending; /* |EIz - EIy| / (EIz + EIy) */
    double
        shear; /* EI |1/GAy - 1/GAz| / L^2 with the harmonic mean of both EI, L that of the beam; of no shear 0 */
    double soft; /* the smaller EI/(GA L^2) */
    double thin; /* |EIz - EIy| / GJ */
    int weak;    /* it is weak in bending along y: 0, z: 1 */
    int slopes; /* 1: slopes of the sections at its nodes are coordinates, which follow this shear */
} ffr_unlike;

/* How far the nodes of beams turn in their frames. */
typedef struct ffr_small {
    lm_small base;
    const struct ffr *of;
    ffr_extent *most;   /* [bodies] of its parts; stretch: in the state that was looked at last */
    int *parts;         /* [bodies] */
    ffr_unlike *unlike; /* [bodies] */
} ffr_small;

typedef struct ffr {
    lm_system sys;
    lm_moved moved; /* the equations in terms of the coordinates */
    lm_arena arena;
    const lm_model *m; /* divided */
    ffr_division *division;
    nodal *in;
    nodal_floating hooks; /* what the nodal system asks of beams */
    int nunits;
    ffr_unit *unit;
    ffr_node *node;     /* [nodes] */
    int most;           /* largest number of a unit's velocities */
    lm_kintree tree;    /* frames, then what moves the places in them */
    lm_task_tree tasks; /* units, some in each */
    int *held, nheld;   /* nodes that something holds */
    /* the last state */
    double t;
    const double *q, *v;
    double *p, *du, *ddu;             /* of the tree */
    double *zero;                     /* [most] */
    double *unit_r, *unit_D, *unit_K; /* of one unit */
    double *world[3];                 /* ... M, D, K in world axes */
    struct ffr_accel *accel;          /* NULL: by the sparse matrix */
    ffr_small small;
} ffr;
MOVED_BEGINS(ffr);

extern const lm_form lm_form_ffr; /* ffr.c */

/* ffr_divide.c; NULL: no memory */
ffr_division *ffr_divide(const lm_model *m);
void ffr_division_free(ffr_division *d);
ffr_unlike ffr_unlike_of(const lm_model *m, const ffr_division *d, int body);

/* ffr_make.c */
limber_status ffr_create(const lm_model *m, lm_diag *diag, lm_system **out);
void ffr_destroy(lm_system *sys);

/* ffr_pattern.c */
int ffr_make_pattern(ffr *s);

/* ffr_groups.c */
int ffr_make_groups(ffr *s);

/* ffr_kin.c */
/* The state of tree and nodal system, and the latter's view of it: of the nodes that are held, which is
 * enough for the equations; or of all. */
lm_state ffr_enter(ffr *s, const lm_state *st);
lm_state ffr_enter_all(ffr *s, const lm_state *st);
void ffr_partials(ffr *s); /* X of the jets of the nodes that are held, at the state */
void ffr_jets(ffr *s);     /* ... and the rest of them */
/* X of one node, [6] for each coordinate of its unit, `step` doubles apart */
void ffr_node_partials(const ffr *s, int node, double *X, size_t step);
/* How eta moves the links of a place: gradient of link k by eta, [ne] */
void ffr_gradient(const ffr *s, const ffr_node *n, int link, double *g);
/* X^T ri of a unit, [6 + ne] */
void ffr_project(const ffr *s, const ffr_unit *u, const double *ri, double *r);
/* Motion of a unit's frame, body axes. */
lm_floating_motion ffr_unit_motion(const ffr *s, const ffr_unit *u, const lm_state *st);

/* ffr_jacobian.c */
int ffr_jacobian(lm_system *sys, const lm_state *st, double cM, double cD, double cK,
                 double *values);
int ffr_matrices(lm_system *sys, const lm_state *st, double *M, double *D, double *K);
/* Mass of a unit, world axes, [n n]: of beams; of rigid bodies. */
void ffr_unit_mass(const ffr *s, const ffr_unit *u, const double *q, double *M);

/* ffr.c: forces of a beam, added */
void ffr_unit_residual(const ffr *s, const ffr_unit *u, const lm_state *st, double *r);

/* ffr_results.c */
int ffr_outputs(lm_system *sys, const lm_state *st, double *out);
int ffr_guards(lm_system *sys, const lm_state *st, double *out);
void ffr_describe_guard(const lm_system *sys, int i, char *text, size_t size);
int ffr_energy(lm_system *sys, const lm_state *st, lm_energy *e);
void ffr_forces(lm_system *sys, const lm_state *st, double *joint, double *load);
void ffr_beam_forces(lm_system *sys, const lm_state *st, double *out);
void ffr_poses(lm_system *sys, const double *q, double *pose);
void ffr_describe_pose(const lm_system *sys, int i, char *text, size_t size);
void ffr_describe(const lm_system *sys, int i, char *text, size_t size);
void ffr_describe_motion(const lm_system *sys, int i, char *text, size_t size);
/* nodal_floating */
void ffr_body_energy(void *ctx, const lm_state *st, int body, lm_energy *e);
int ffr_last_element(void *ctx, int element);
const double *ffr_node_residual(void *ctx);

/* ffr_small.c; -1: no memory */
int ffr_make_small(ffr *s);

/* ffr_accel.c */
int ffr_make_accel(ffr *s);
int ffr_accelerations(lm_system *sys, const lm_state *st, double *a, double *lam);

#endif
