/* The model: the mechanism as drawn, in numbers. Compiled once from the spec, then constant and
 * shared by all threads and formulations. No discretisation choice of a formulation is in here
 * except that a beam's nodes are its `elements` + 1 points. */
#ifndef LM_MODEL_MODEL_H
#define LM_MODEL_MODEL_H

#include "base/diag.h"
#include "elem/pair.h"
#include "math/v3.h"
#include "model/spec.h"

/* A node is a point with axes that moves: the mass centre of a rigid body with the body's axes, a
 * node of a beam or of a superelement. */
typedef struct lm_node {
    lm_v3 x;   /* position as drawn */
    lm_quat q; /* orientation as drawn */
    int body;
} lm_node;

typedef struct lm_body {
    const char *name;
    lm_body_type type;
    int first_node, nnodes;
    double mass; /* rigid */
    lm_m3 J;     /* rigid: inertia about the mass centre, body axes */
    lm_v3 com;   /* rigid: mass centre in the body frame */
} lm_body;

enum { LM_GROUND = -1, LM_BETWEEN_NODES = -2 };

/* A frame of spec->frames, same index: fixed to a node, or to the ground. */
typedef struct lm_frame {
    int node; /* LM_GROUND: r and E are in world axes */
    lm_v3 r;  /* from the node, in node axes */
    lm_m3 E;  /* axes of the frame in node axes */
    lm_v3 x;  /* position as drawn, world */
} lm_frame;

/* One constraint equation: measure(a, b) - offset - drive(t) = 0. */
typedef struct lm_row {
    int joint;
    lm_measure measure;
    int i, j;
    double offset;
    int coord;            /* joint coordinate it prescribes (drive or initial value), or -1 */
    const lm_expr *drive; /* NULL: none */
    int initial;          /* index into spec->initial: active only while assembling; else -1 */
    const char *what;     /* "force x", "moment 1", "drive angle": for messages */
} lm_row;

/* A spring-damper-effort along a measure; joint coordinates that carry something, compliant
 * joints, springs and bushings are all made of these. */
typedef struct lm_action {
    const char *owner; /* name of the joint or force */
    int pair;
    lm_measure measure;
    int i;
    int j;
    double offset; /* value of the measure at which the spring is relaxed */
    double stiffness, damping, friction, friction_velocity;
    const lm_expr *effort; /* NULL: none */
    int coord_index;       /* index into coords when it acts on a joint coordinate, else -1 */
} lm_action;

/* Two points with triads on two nodes: a joint, spring or bushing sits on a pair. */
typedef struct lm_pair {
    int node[2]; /* LM_GROUND or a node */
    lm_v3 r[2];  /* the point, from the node, in node axes (ground: world) */
    lm_m3 E[2];  /* the triad in node axes */
} lm_pair;

typedef struct lm_joint {
    const char *name;
    lm_joint_type type;
    int pair;             /* index into pairs */
    int first_row, nrows; /* its constraint rows, drives included; initial rows are elsewhere */
    int first_action, nactions;
    int first_coord, ncoords;
} lm_joint;

typedef struct lm_coord { /* a joint coordinate: what joint(j) measures */
    int joint;
    lm_coord_kind kind;
    lm_measure measure;
    int i, j;
    double offset; /* measure as drawn */
    int turns;     /* >= 0: an angle; index of its continuous value among the state's angles */
} lm_coord;

typedef struct lm_model {
    lm_arena arena; /* owns everything, the spec included */
    const lm_spec *spec;
    lm_v3 gravity;
    int nnodes, nbodies, nframes, npairs, njoints, nrows, nactions, ncoords, nangles;
    lm_node *nodes;
    lm_body *bodies;  /* index = spec body */
    lm_frame *frames; /* index = spec frame */
    lm_pair *pairs;
    lm_joint *joints; /* index = spec joint */
    lm_row *rows;     /* joints' rows in order, then those of initial values */
    lm_action *actions;
    lm_coord *coords;
    double size; /* characteristic length: extent of all points as drawn; 0: a point */
} lm_model;

/* Compile; errors of geometry (frames that should meet and do not, ...) go to `diag`. Takes the
 * memory of `spec` into the model's arena only if it was read into m->arena. 0 or -1. */
int lm_compile(lm_model *m, const lm_spec *spec, lm_diag *diag);

/* Pose of a spec frame as drawn. */
void lm_frame_drawn(const lm_spec *spec, int frame, lm_v3 *x, lm_m3 *R);

#endif
