/* The model: the mechanism as drawn, in numbers. Compiled once from the spec, then constant and
 * shared by all threads and formulations. No discretisation choice of a formulation is in here
 * except that a beam's nodes are its `elements` + 1 points, and those where something is joined. */
#ifndef LM_MODEL_MODEL_H
#define LM_MODEL_MODEL_H

#include <limber/limber.h>

#include "base/diag.h"
#include "elem/beam.h"
#include "elem/pair.h"
#include "elem/superelement.h"
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
    lm_m3 idle;  /* rigid: part of J about axes without inertia that nothing turns it about */
    lm_v3 com;   /* rigid: mass centre in the body frame */
    int super;   /* superelement: index into supers; else -1 */
} lm_body;

/* One element of a beam: element k of a beam lies between its nodes k and k + 1. Its axes as drawn
 * are x along the chord, y and z by the rule for the beam's local axes; they follow either node
 * rigidly: axes = (axes of node e) A[e]. */
typedef struct lm_element {
    lm_beam_shape shape; /* shape.L is the distance of the two nodes as drawn */
    double s[2];         /* its ends, by length along the drawn axis of the beam, in 0..1 */
    int node[2];
    lm_m3 A[2];
    int straight; /* both A are the identity */
} lm_element;

/* A node that a beam has beyond those of its `elements`: something is joined there, by at(s). */
typedef struct lm_beam_extra {
    double s;
    double at; /* the same counted in divisions, see lm_beam_division */
} lm_beam_extra;

typedef struct lm_beam {
    int first_element, nelements;           /* nelements 0: the body is no beam */
    int nextra;                             /* nelements is `elements` + nextra */
    const lm_beam_extra *extra;             /* [nextra] from start to end */
    double length;                          /* sum of the elements' lengths */
    double damping_mass, damping_stiffness; /* Rayleigh: C = damping_mass M + damping_stiffness K */
} lm_beam;

enum { LM_GROUND = -1, LM_BETWEEN_NODES = -2 };

/* A frame of spec->frames, same index: fixed to a node, or to the ground; or, where only sensors
 * look at it, between the nodes of a beam or following those of a superelement. */
typedef struct lm_frame {
    int node;   /* LM_GROUND, LM_BETWEEN_NODES: r and E are in world axes as drawn */
    lm_v3 r;    /* from the node, in node axes */
    lm_m3 E;    /* axes of the frame in node axes */
    lm_v3 x;    /* position as drawn, world */
    int joined; /* a joint, force or load takes hold of it, or reads it */
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
    int port;              /* 1: the effort is that of a port of the power graph */
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
    int cut; /* where a loop is cut in a tree of joints, it is here */
} lm_joint;

typedef struct lm_coord { /* a joint coordinate: what joint(j) measures */
    int joint;
    lm_coord_kind kind;
    lm_measure measure;
    int i, j;
    double offset; /* measure as drawn */
    int turns;     /* >= 0: an angle; index of its continuous value among the state's angles */
} lm_coord;

struct limber_step;

typedef struct lm_model {
    lm_arena arena; /* owns everything, the spec included */
    const lm_spec *spec;
    lm_v3 gravity;
    int nnodes, nbodies, nframes, npairs, njoints, nrows, nactions, ncoords, nangles, nelements;
    lm_node *nodes;
    lm_body *bodies;      /* index = spec body */
    lm_beam *beams;       /* index = spec body */
    lm_element *elements; /* beam by beam, from start to end */
    int section_scratch;  /* doubles of scratch that lm_beam_section takes */
    lm_super *supers;     /* superelements, in the order of the bodies */
    int nsupers;
    lm_frame *frames; /* index = spec frame */
    lm_pair *pairs;
    lm_joint *joints; /* index = spec joint */
    lm_row *rows;     /* joints' rows in order, then those of initial values */
    lm_action *actions;
    lm_coord *coords;
    /* Characteristic length: extent of all points as drawn; where that is small against the radius of
     * gyration, the latter; 0: all are in one place. */
    double size;
    int point; /* 1: that extent is nothing, or small against the radius of gyration */
    /* Called once per accepted step of a dynamics analysis, see limber_model_on_step; NULL: not. */
    int (*on_step)(void *context, struct limber_step *step);
    void *on_step_context;
} lm_model;

/* Compile; errors of geometry (frames that should meet and do not, ...) go to `diag`. Takes the
 * memory of `spec` into the model's arena only if it was read into m->arena. 0 or -1. */
int lm_compile(lm_model *m, const lm_spec *spec, lm_diag *diag);
/* The same where the arena has no handler of its own: 0, LIMBER_INPUT or LIMBER_MEMORY. */
int lm_compile_safely(lm_model *m, const lm_spec *spec, lm_diag *diag);

/* Halve the elements of all beams, and tolerances and time steps, so many times. -1: that many elements
 * cannot be. */
int lm_refine(lm_spec *spec, int mesh, int time);
/* Change one thing (vary.c), named in `text`. How many entries of the file that is; 0: there are none;
 * -1: no memory. */
int lm_vary(lm_spec *spec, limber_change change, char *text, size_t size);

/* Pose of a spec frame as drawn. */
void lm_frame_drawn(const lm_spec *spec, int frame, lm_v3 *x, lm_m3 *R);

/* ---- beams (compile_beam.c) ---- */

/* Section of a beam at s in 0..1 along it, by length of its drawn axis. `scratch` has
 * m->section_scratch doubles and may be NULL when that is 0. */
void lm_beam_section(const lm_model *m, int body, double s, double *scratch, lm_section *out);
/* The same from the sections' numbers; end_section -1: no taper. */
void lm_section_eval(const lm_spec *spec, int section, int end_section, double s, double *scratch,
                     lm_section *out);
/* The element (index into m->elements) that holds the place s of a beam, and where in it, 0..1. */
int lm_beam_locate(const lm_model *m, int body, double s, double *xi);

/* The compiler's part: nodes and elements of one beam. Errors of its section, taper and axis go to
 * `diag`. `scratch` as for lm_beam_section. */
void lm_compile_beam(lm_model *m, int body, double *scratch, lm_diag *diag);
/* Doubles of scratch for every section of the model. */
int lm_section_scratch(const lm_spec *spec);

/* ---- the axes of beams (beam_axis.c) ---- */

/* Where a node lies along its beam, 0..1 by length: node/elements unless the axis has corners. */
double lm_beam_node_s(const lm_spec_body *b, int node);
/* The place s counted in divisions: 2.5 is in the middle between node(2) and node(3). */
double lm_beam_division(const lm_spec_body *b, double s);
/* The node that lies at s, or -1. */
int lm_beam_node_at(const lm_spec_body *b, double s);
/* Pose of a place s between nodes as drawn, with the axes of its element. */
void lm_beam_drawn(const lm_spec_body *b, double s, lm_v3 *x, lm_m3 *R);
/* Axes with x along that vector, y and z by the rule for the local axes of this beam. */
lm_m3 lm_beam_axes(const lm_spec_body *b, lm_v3 along);

/* ---- nodes of beams (compile_frame.c) ---- */

/* The k of node(k) for an index into m->nodes, or -1 and *s for a node at at(s). */
int lm_beam_node_name(const lm_model *m, int node, double *s);

/* ---- superelements (compile_superelement.c) ---- */

/* The compiler's part: matrices, read and checked or made from a beam, and frames of all of them.
 * `scratch` as for lm_beam_section. */
void lm_compile_superelements(lm_model *m, double *scratch, lm_diag *diag);

#endif
