/* Private to the nodal formulation ("corotational" in the model file): every node's pose is its own
 * unknown, joints are constraints.
 *
 * q = for each node x (3) and unit quaternion (4), then the continuous values of joint angles.
 * v = for each node the velocity (3) and angular velocity (3), world axes. */
#ifndef LM_FORM_NODAL_H
#define LM_FORM_NODAL_H

#include "elem/corot_beam.h"
#include "form/form.h"

enum { NODE_Q = 7, NODE_V = 6 };

typedef struct nodal_rigid { /* mass at a node */
    int node;
    double mass;
    lm_m3 J, idle;
    int xdiag[3]; /* places of the translational diagonal in the matrix */
    int rot[3];   /* places of the columns of the rotational 3x3 block */
} nodal_rigid;

typedef struct nodal_block { /* a 3x3 block in the matrix: place of each column's first entry */
    int col[3];
} nodal_block;

/* A rigid piece of a beam, fixed to a node that is not its mass centre. */
typedef struct nodal_lump {
    int node;
    double mass;
    lm_v3 c;      /* mass centre from the node, node axes */
    lm_m3 J;      /* inertia about the mass centre, node axes */
    lm_v3 axis;   /* of the beam, node axes */
    double spare; /* inertia about it where a regular mass is wanted and there is none; else 0 */
    nodal_block at[2][2]; /* blocks (x, psi) of the node in the matrix */
} nodal_lump;

/* Beams as rigid pieces and springs (form/rfe.h): the model with a joint in the middle of each element,
 * behind those of the model file and in the order of the elements. */
typedef struct nodal_division {
    lm_arena arena; /* owns what is not the original model's */
    lm_model model;
    int first_joint;
    int nlumps;
    nodal_lump *lumps;
} nodal_division;

/* Beams that are no corotational elements: who knows their energies and the forces in them. */
typedef struct nodal_floating {
    void *ctx;
    /* At a state that has been entered, added to *e; -1: of all beams. */
    void (*energy)(void *ctx, const lm_state *st, int body, lm_energy *e);
    int (*last)(void *ctx, int element);  /* of the elements that are one body with this one */
    const double *(*residual)(void *ctx); /* of the nodes at the state, without the beams */
    /* NULL where beams move with more than their nodes. Else these are all that there is to an element: the
     * forces on its two nodes, world axes, and their derivatives as [column][row]. */
    void (*element_force)(void *ctx, const lm_state *st, int element, double f[12]);
    void (*element_tangent)(void *ctx, const lm_state *st, int element, double cM, double cD,
                            double cK, double J[12][12]);
} nodal_floating;

typedef struct nodal_row { /* places of a constraint row: entries of Phi, of Phi^T, diagonal */
    int at[12], tr[12];    /* -1: not in the pattern (zero) */
    int diag;
    int tree; /* belongs to the spanning tree: always active */
} nodal_row;

/* Derivative of a sensor with respect to the state: at most two nodes, and multipliers. */
enum { SENSOR_ROWS = 9 };
typedef struct sensor_grad {
    int node[2]; /* -1: none */
    double dq[2][6], dv[2][6], da[2][6];
    int nrows, row[SENSOR_ROWS];
    double dlam[SENSOR_ROWS];
} sensor_grad;

typedef struct nodal_load { /* a load, or the expression part of it */
    const lm_spec_load *spec;
    const lm_frame *frame;
    nodal_block rot; /* psi-psi block of its node, for dead loads; follower: x-psi too */
    nodal_block xrot;
} nodal_load;

/* One (force, sensor) coupling: rows of the nodes the force acts on, columns of what it senses. */
typedef struct nodal_coupling {
    int sensor;               /* index of the sensor */
    nodal_block block[4][4];  /* [row block][column block]; rows: x,psi of force node a, b */
    int lam[SENSOR_ROWS][12]; /* places in multiplier columns */
} nodal_coupling;

typedef struct nodal_expr { /* expressions of a force with all their couplings */
    int ncoupling;
    nodal_coupling *coupling;
} nodal_expr;

typedef struct nodal_guarded { /* an expression with guards */
    const lm_expr *e;
    int first;     /* of the system's guards */
    int of, index; /* what it is, and whose: nodal_guards.c */
} nodal_guarded;

typedef struct nodal_kin { /* kinematics of the last evaluated state */
    lm_m3 *R;              /* [nnodes] */
    lm_pair_pose *pair;    /* [npairs] */
} nodal_kin;

/* Four elements of beams, side by side. */
typedef struct nodal_group {
    lm_corot_const *c;
    int n; /* elements in use: the lanes behind them repeat the last */
    int node[LM_LANES][2];
    int at[LM_LANES][2 * NODE_V][2]; /* [column][node of the rows]: place of the first entry */
} nodal_group;

typedef struct nodal_beams {
    int ngroups,
        nconst; /* ngroups: those with places in the matrix; none where beams are divided */
    nodal_group *groups; /* of all elements: places on beams are theirs in any case */
    int spinless;        /* some element has no inertia about its axis */
} nodal_beams;

typedef struct nodal_natural { /* deformation of an element, and its frame */
    double u;
    lm_v3 b[2];
    lm_m3 R;
} nodal_natural;

/* A place in an element of a beam, and how it moves when the ends turn against the chord. */
typedef struct nodal_place {
    int element;
    double xi;                      /* along the element, 0..1 */
    double axial, twist;            /* share in the stretch, in the turn of b about x */
    double deflect_z[2], turn_z[2]; /* along y and about z, for b_az = 1 and for b_bz = 1 */
    double deflect_y[2], turn_y[2]; /* along -z and about y, for b_ay = 1 and for b_by = 1 */
} nodal_place;

/* What a sensor of a beam has to know: its place, and more by its kind. */
typedef struct nodal_gauge {
    int node[2]; /* start and end of the beam */
    nodal_place place;
    lm_m3 A[2];             /* deflection: axes of the chord, in the axes of start and end */
    lm_v3 drawn;            /* deflection, tip: what it measures as drawn, without this */
    lm_section cut, end[2]; /* section: at the place, and at the ends of its element */
} nodal_gauge;

typedef struct frame_kin { /* motion of a frame, world axes */
    lm_v3 x, v, a, w, al;
    lm_v3 rho; /* from its node */
    lm_m3 R;
} frame_kin;

extern const lm_form lm_form_corotational; /* nodal.c */

/* nodal_make.c: a nodal system of any model, for another formulation to move its nodes; or of a divided one, which
 * it owns from then on, also when this fails; or with beams that are left to `floating`. */
limber_status nodal_create(const lm_model *m, nodal_division *division,
                           const nodal_floating *floating, lm_diag *diag, lm_system **out);
void nodal_destroy(lm_system *sys);

typedef struct lm_tree lm_tree;

typedef struct nodal {
    lm_system sys;
    lm_arena arena;
    const lm_model *m;
    int nrigid;
    nodal_rigid *rigid;
    nodal_beams beams;
    nodal_division *division;       /* NULL: beams are made of corotational elements */
    const nodal_floating *floating; /* ... unless this is there */
    int nlumps;
    nodal_lump *lumps; /* of the division */
    int ndamped;
    struct nodal_damped *damped; /* structures with damping by mass (nodal_drag.h) */
    struct nodal_damped **drag;  /* [nelements] the one that the element belongs to, or NULL */
    int *drag_index;             /* [nnodes] place of a node among those of its structure */
    double *drag_force;          /* [nv] these forces at the last residual */
    double *drag_q, *drag_turn;  /* [nq], [nv] scratch of nodal_drag_turn.c */
    int *super_first;            /* [nsupers] first node of each superelement */
    int **super_at;              /* [nsupers][columns] place of the first entry of each column */
    double *super_scratch, *super_block;
    lm_super *super_elastic; /* [nsupers] without mass, for the paper's elastic forces; or NULL */
    double *super_other;     /* their forces or matrix */
    nodal_row *row;          /* [nl] */
    nodal_block (*row_block)[4][4];    /* [nl] geometric stiffness of constraints */
    nodal_block (*action_block)[4][4]; /* [nactions] */
    nodal_expr *action_expr;           /* [nactions] */
    int nloads;
    nodal_load *load;
    nodal_expr *load_expr; /* [nloads] */
    nodal_kin kin;
    double *slots;               /* values of t and the sensors; below them heights of surfaces */
    unsigned char *force_sensor; /* [nsensors] used by an effort or load */
    unsigned char *reactive;     /* [nactions] its effort depends on a reaction */
    int sensing;                 /* sensors of forces are being read: see nodal_reaction */
    double *scratch;             /* for expressions, order 2 */
    int ntimed;                  /* expressions that may have kinks in time */
    const lm_expr **timed;
    int nguarded; /* expressions that change their branch with the state */
    nodal_guarded *guarded;
    unsigned char *guard_sensor; /* [nsensors] used by these, and by no effort or load */
    int guards_read_forces;      /* ... reactions, section forces or energies */
    double *egrad;               /* gradient of one expression */
    int *pushed;                 /* [nodes] scratch of nodal_ports.c */
    int ntracked;                /* joint angles that something asks for: kept continuous in q */
    int *tracked;                /* [ntracked] index into model->coords */
    int *initial_of;             /* [ncoords] index into spec->initial, -1: none */
    nodal_place **place;         /* [nframes] of frames on beams between nodes, else NULL */
    nodal_gauge **gauge;         /* [nsensors] of sensors of beams, else NULL */
    lm_tree *tree;
    const double *coordinate, *coordinate_rate; /* of the user's coordinates, NULL: none */
} nodal;

static inline lm_v3 node_x(const double *q, int n) { return v3_from(q + NODE_Q * n); }
static inline lm_quat node_quat(const double *q, int n) { return quat_from(q + NODE_Q * n + 3); }

/* Velocity blocks of a pair's nodes, zero on the ground. */
static inline void pair_velocity(const lm_pair *p, const double *v, lm_v3 out[LM_PAIR_BLOCKS])
{
    for (int s = 0; s < 2; s++) {
        int n = p->node[s];
        out[2 * s] = n < 0 ? v3(0, 0, 0) : v3_from(v + NODE_V * n);
        out[2 * s + 1] = n < 0 ? v3(0, 0, 0) : v3_from(v + NODE_V * n + 3);
    }
}
static inline double blocks_dot(const lm_v3 G[LM_PAIR_BLOCKS], const lm_v3 v[LM_PAIR_BLOCKS])
{
    return v3_dot(G[0], v[0]) + v3_dot(G[1], v[1]) + v3_dot(G[2], v[2]) + v3_dot(G[3], v[3]);
}

/* nodal_kin.c */
void nodal_kinematics(nodal *s, const double *q);
void nodal_kinematics_of(nodal *s, const double *q, int pair);  /* of one pair only */
double nodal_coord(const nodal *s, const double *q, int coord); /* value of a joint coordinate */
double nodal_action_value(const nodal *s, const double *q, const lm_action *a);
int nodal_retract(lm_system *sys, const double *q0, const double *dx, double *q1);
int nodal_count_turns(lm_system *sys, const double *q0, const double *dx, double *q1);
void nodal_difference(const lm_system *sys, const double *q0, const double *q1, double *dx);
void nodal_local_rate(const lm_system *sys, const double *xi, const double *v, double *rate);
void nodal_carry(const lm_system *sys, const double *q0, const double *q1, const double *w,
                 double *out);
double nodal_row_target(const nodal *s, const lm_row *r, double t, int order);

/* nodal_force.c: the force law of an action: w = k (value - offset) + c rate + friction - effort */
typedef struct action_law {
    double w, dw_value, dw_rate;
    double elastic, dissipation, effort; /* energy, power lost, effort */
} action_law;
/* Of a load or effort, whose number in start_loads is `i`, what acts of its value; and of its change. */
static inline double nodal_load_value(const nodal *s, int i, double value)
{
    double f = s->sys.load_factor;
    return s->sys.start_loads ? value - (1 - f) * s->sys.start_loads[i] : f * value;
}
static inline double nodal_slope_factor(const nodal *s)
{
    return s->sys.start_loads ? 1 : s->sys.load_factor;
}

action_law nodal_action(nodal *s, const lm_state *st, const lm_action *a, double value,
                        double rate);
void nodal_sense(nodal *s, const lm_state *st, const unsigned char *used);
void nodal_load_wrench(nodal *s, const nodal_load *l, lm_v3 *F, lm_v3 *M);
int nodal_residual(lm_system *sys, const lm_state *st, double *r, double *phi, double *rate);

/* nodal.c: the seam, for formulations that are nodal systems too or have one */
int nodal_constraint_rate(lm_system *sys, const lm_state *st, double *rate);
int nodal_constraint_accel(lm_system *sys, const lm_state *st, double *accel);
double nodal_hidden_violation(lm_system *sys, double t, const double *q, int *which);
int nodal_outputs(lm_system *sys, const lm_state *st, double *out);
int nodal_energy(lm_system *sys, const lm_state *st, lm_energy *e);
void nodal_poses(lm_system *sys, const double *q, double *pose);
void nodal_describe_pose(const lm_system *sys, int i, char *text, size_t size);
void nodal_describe(const lm_system *sys, int i, char *text, size_t size);
void nodal_describe_motion(const lm_system *sys, int i, char *text, size_t size);
double nodal_next_kink(const lm_system *sys, double t);
/* "body arm", or "node 3 of rod" of a flexible body. */
void nodal_node_name(const lm_model *m, int node, char *text, size_t size);
/* Kinetic and gravity energy of a mass whose centre is c from a node, in its axes, added to
 * *e */
void nodal_rigid_energy(const nodal *s, const lm_state *st, int node, lm_v3 c, double mass,
                        const lm_m3 *J, lm_energy *e);

/* nodal_guards.c; the seam but for the first */
int nodal_make_guards(nodal *s);
const lm_expr *nodal_guarded_expr(const nodal *s, int k, int *first);
const lm_expr *nodal_forcing(const nodal *s, int k); /* the k-th that is curved */
int nodal_guards(lm_system *sys, const lm_state *st, double *out);
void nodal_describe_guard(const lm_system *sys, int i, char *text, size_t size);

/* nodal_beam.c */
int nodal_make_beams(nodal *s);
void nodal_beam_pattern(const nodal *s, lm_pattern_builder *pb);
void nodal_beam_places(nodal *s);
void nodal_beam_residual(nodal *s, const lm_state *st, double *r);
void nodal_beam_jacobian(nodal *s, const lm_state *st, double cM, double cD, double cK,
                         double *values);
void nodal_beam_energy(nodal *s, const lm_state *st, lm_energy *e);
void nodal_beam_natural(const nodal *s, const lm_state *st, int element, nodal_natural *out);

/* nodal_lump.c: the rigid pieces of divided beams */
void nodal_lump_pattern(const nodal *s, lm_pattern_builder *pb);
void nodal_lump_places(nodal *s);
void nodal_lump_residual(nodal *s, const lm_state *st, double *r);
void nodal_lump_jacobian(nodal *s, const lm_state *st, double cM, double cD, double cK,
                         double *values);
void nodal_lump_energy(const nodal *s, const lm_state *st, int body, lm_energy *e); /* -1: of all */
/* Force and moment on the section at a place, world axes; the elastic energy of a beam's springs. */
void nodal_lump_section(nodal *s, const lm_state *st, const nodal_gauge *g, lm_v3 *F, lm_v3 *M);
/* Axes of the section at a place of divided beams. */
lm_m3 nodal_lump_axes(const nodal *s, const nodal_place *p);
void nodal_lump_forces(lm_system *sys, const lm_state *st, double *out); /* seam: beam_forces */
double nodal_lump_elastic(nodal *s, const lm_state *st, const lm_beam *b);

/* nodal_drag_make.c */
int nodal_make_drags(nodal *s);
void nodal_drag_pattern(const nodal *s, lm_pattern_builder *pb);
void nodal_drag_places(nodal *s);

/* nodal_drag_turn.c: values += cK times the derivative of the forces by the positions, at the kinematics of
 * the state. */
void nodal_drag_turn(nodal *s, const lm_state *st, double cK, double *values);

/* nodal_drag.c */
/* Forces of damping by mass on an element's two nodes, and the accelerations of which they are the inertia, world
 * axes. */
void nodal_drag_forces(const nodal *s, const lm_state *st, int element, double rel[12],
                       double f[12]);
void nodal_drag_residual(nodal *s, const lm_state *st, double *r);
void nodal_drag_jacobian(nodal *s, const lm_state *st, double cD, double *values);
double nodal_drag_power(nodal *s, const lm_state *st);

/* nodal_super.c; > 0: there is no frame to the shape of some superelement */
int nodal_make_supers(nodal *s);
/* skip [superelements]: those that are left out; NULL: none. */
void nodal_super_pattern(const nodal *s, const unsigned char *skip, lm_pattern_builder *pb);
int nodal_super_places(nodal *s);
int nodal_super_residual(nodal *s, const lm_state *st, double *r);
int nodal_super_jacobian(nodal *s, const lm_state *st, const unsigned char *skip, double cM,
                         double cD, double cK, double *values);
lm_super_state nodal_super_state(const nodal *s, const lm_state *st, int k);
int nodal_super_energy_of(const nodal *s, const lm_state *st, int k,
                          lm_energy *e); /* added to *e */
void nodal_super_energy(nodal *s, const lm_state *st, lm_energy *e);

/* nodal_jacobian.c */
nodal_block nodal_find_block(const lm_pattern *p, int row, int col);
/* Derivatives of J alpha + omega x J omega, world axes, by omega and by a rotation of the body. */
void nodal_spin_tangent(const lm_m3 *J, lm_v3 w, lm_v3 al, lm_m3 *D, lm_m3 *K);
void nodal_add_block(double *values, const nodal_block *b, double w, const lm_m3 *A);
int nodal_jacobian(lm_system *sys, const lm_state *st, double cM, double cD, double cK,
                   double *values);
/* The matrices one by one, D and K unless NULL, without the superelements to skip (as above); and which
 * entries these leave in the pattern. */
int nodal_matrices(nodal *s, const lm_state *st, const unsigned char *skip, double *M, double *D,
                   double *K);
int nodal_pattern_without(nodal *s, const unsigned char *skip, lm_arena *arena, lm_pattern *out);
int nodal_make_pattern(nodal *s);

/* nodal_sensor.c */
double nodal_sensor(nodal *s, const lm_state *st, int i);
void nodal_sensor_grad(nodal *s, const lm_state *st, int i, sensor_grad *g);
/* Nodes and rows a sensor depends on (the structure of sensor_grad). */
void nodal_sensor_deps(const nodal *s, int i, sensor_grad *g);
void nodal_reaction(nodal *s, const lm_state *st, int joint, lm_v3 *F, lm_v3 *M);
void nodal_forces(lm_system *sys, const lm_state *st, double *joint, double *load);

/* nodal_ports.c: accelerations of joint coordinates, and the seam of variables (lm_ports) */
double nodal_coord_accel(const nodal *s, const lm_state *st, int coord);
void nodal_coord_accel_grad(nodal *s, const lm_state *st, int coord, sensor_grad *g);
/* Nodes on which the variable behind a sensor acts, at most nnodes, and the derivative of their residual:
 * 6 numbers for each. */
int nodal_pushed(const nodal *s, int sensor, int *node);
void nodal_push(nodal *s, int sensor, int n, const int *node, double *out);
extern const lm_ports nodal_ports;

/* nodal_place.c; velocities and accelerations are zero where the state has none */
void nodal_place_make(const lm_model *m, int body, double s, double *scratch, nodal_place *p);
void nodal_place_motion(const nodal *s, const lm_state *st, const nodal_place *p, frame_kin *out);
/* Axes that follow two nodes as an element's frame follows its own: x through both, y by the mean
 * of the two y axes of R_i A_i. */
lm_m3 nodal_chord_axes(const nodal *s, const lm_state *st, const int node[2], const lm_m3 A[2]);

/* nodal_flex.c */
int nodal_make_flex(nodal *s);
void nodal_refuse_flex(const nodal *s, const lm_spec_sensor *c, lm_diag *diag);
/* Motion of a frame that no node carries: between nodes of a beam, or of a superelement. */
/* nodal_ports.c: the outputs from values of all sensors. */
void nodal_evaluate(nodal *s, const double *sensors, double *out);

/* nodal_along.c: on the way sys.along */
void nodal_spread_element(const nodal *s, const lm_state *st, int element, lm_corot_state *c);
/* Forces on the nodes of an element as its residual has them; its elastic energy. */
void nodal_along_element(const nodal *s, int element, double f[2 * NODE_V]);
double nodal_along_elastic(const nodal *s, int element);
/* What a spring-damper sees: of the state, or of the way. G: gradient of its measure in the state. */
void nodal_action_measure(nodal *s, const lm_state *st, const lm_action *a,
                          const lm_v3 G[LM_PAIR_BLOCKS], double *value, double *rate);

void nodal_flex_frame(const nodal *s, const lm_state *st, int frame, frame_kin *out);
double nodal_deflection(const nodal *s, const lm_state *st, const nodal_gauge *g, int component);
/* Force and moment in the middle of an element of a beam that is not corotational, world axes. */
void nodal_floating_middle(const nodal *s, const lm_state *st, int element, lm_v3 *F, lm_v3 *M);
double nodal_section(nodal *s, const lm_state *st, const nodal_gauge *g, int component);
void nodal_body_energy(nodal *s, const lm_state *st, int body, lm_energy *e);

/* nodal_tree.c: the spanning tree of joints */
lm_tree *nodal_tree_make(const lm_model *m, lm_arena *arena);
int nodal_tree_row(const lm_tree *t, int row, const lm_model *m); /* 1: row of a tree joint */
int nodal_tree_uses(const lm_tree *t, int joint);
int nodal_tree_parent(const lm_tree *t, int node);  /* LM_GROUND: a root */
int nodal_tree_carrier(const lm_tree *t, int node); /* the node it is drawn with; LM_GROUND */
int nodal_tree_joint(const lm_tree *t, int node);   /* the joint it hangs on, -1: none */
int nodal_tree_depth(const lm_tree *t, int node);
int nodal_tree_order(const lm_tree *t, int k); /* the k-th node, breadth first from the ground */
/* Free motions S[0..n) of a node against its parent in the tree, at the kinematics last evaluated,
 * as twists (v over the model's size, omega); returns n. */
int nodal_tree_free(const nodal *s, int node, double S[6][6]);

/* nodal_rows.c: independent constraints, mobility */
int nodal_select_rows(lm_system *sys, double t, const double *q, int assembling);

/* nodal_start.c */
int nodal_initial(lm_system *sys, double *q, double *v);

/* nodal_rigid.c */
/* Six velocities and accelerations of a frame at x that turns steadily, or stands still; as lm_form.turn. */
/* x: pose (place, quaternion) of a frame; rest: where it is without rotation, NULL: there. */
void nodal_turn_frame(const lm_turning *how, int turns, const double *x, const double *rest,
                      double *v, double *a, unsigned char *kind, double *axis);
void nodal_rigid_velocity(const lm_system *sys, const double *q, const double twist[6], double *v);
int nodal_turn(lm_system *sys, const double *q, const lm_turning *how, double *v, double *a,
               unsigned char *kind, double *axis);

/* nodal_groups.c */
int nodal_make_groups(nodal *s);

/* The entries of the seam that are the same wherever the poses of nodes are the unknowns, whatever their
 * beams are made of. */
#define NODAL_SEAM                                                                                 \
    .retract = nodal_retract, .count_turns = nodal_count_turns, .difference = nodal_difference,    \
    .local_rate = nodal_local_rate, .carry = nodal_carry,                                          \
    .constraint_rate = nodal_constraint_rate, .constraint_accel = nodal_constraint_accel,          \
    .select_rows = nodal_select_rows, .hidden_violation = nodal_hidden_violation,                  \
    .forces = nodal_forces, .poses = nodal_poses, .describe_pose = nodal_describe_pose,            \
    .describe = nodal_describe, .describe_motion = nodal_describe_motion,                          \
    .next_kink = nodal_next_kink, .describe_guard = nodal_describe_guard,                          \
    .rigid_velocity = nodal_rigid_velocity, .turn = nodal_turn, .ports = &nodal_ports

#endif
