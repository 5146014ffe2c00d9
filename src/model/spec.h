/* The spec: what the model file says, typed and checked, before any mechanics.
 *
 * The reader fills it from YAML by the schema (schema.def), with repetition expanded, includes
 * merged, constants evaluated, every name resolved to an index and every expression parsed. After
 * a successful read nothing in it refers to text any more except for messages. Everything lives in
 * one arena. Indices are into the vectors of lm_spec; -1 means absent. */
#ifndef LM_MODEL_SPEC_H
#define LM_MODEL_SPEC_H

#include <limber/kinematics.h>

#include "base/diag.h"
#include "base/mem.h"
#include "expr/expr.h"

/* A named thing of the file: materials, sections, bodies, joints, ... start with it. */
typedef struct lm_spec_item {
    const char *name; /* after expansion: "link(3)" */
    lm_loc loc;       /* of its key */
    int bad;          /* an error was reported for it: don't report follow-ups */
} lm_spec_item;

typedef struct lm_spec_pose {
    double position[3];
    double axis[3]; /* rotation axis (any length > 0) and angle; angle 0: none */
    double angle;
} lm_spec_pose;

typedef struct lm_spec_material {
    lm_spec_item item;
    double E, G, rho; /* G from nu when nu is given */
    double damping_mass, damping_stiffness;
} lm_spec_material;

typedef enum lm_shape {
    LM_SHAPE_RECTANGLE,
    LM_SHAPE_CIRCLE,
    LM_SHAPE_TUBE,
    LM_SHAPE_BOX,
    LM_SHAPE_GENERAL,
    LM_SHAPE_STIFFNESS
} lm_shape;

/* Dimensions may depend on s (slot LM_SLOT_S); absent ones are the constant NAN. */
enum { LM_SLOT_S = 1 };
typedef struct lm_spec_section {
    lm_spec_item item;
    int material; /* -1 only for shape stiffness */
    lm_shape shape;
    lm_expr height, width, radius, thickness; /* rectangle, box, circle, tube */
    lm_expr A, Iy, Iz, J, ky, kz;             /* general */
    lm_expr EA, EIy, EIz, GJ, GAy, GAz;       /* stiffness */
    lm_expr rhoA, rhoIy, rhoIz;
    double damping_mass, damping_stiffness; /* for shape stiffness, which has no material */
} lm_spec_section;

/* One factor of a frame product (minimal coordinates). */
typedef enum lm_factor_kind {
    LM_FACTOR_FRAME,
    LM_FACTOR_ROTX,
    LM_FACTOR_ROTY,
    LM_FACTOR_ROTZ,
    LM_FACTOR_ROT,
    LM_FACTOR_DISP
} lm_factor_kind;
typedef struct lm_factor {
    lm_factor_kind kind;
    int frame;      /* index into lm_spec.products (FRAME) */
    int inverse;    /* inv(...) of it */
    double axis[3]; /* ROT */
    lm_expr arg[3]; /* angle, or the displacement; slots: 0 = t, 1 + i = coordinate i */
} lm_factor;
typedef struct lm_product { /* a frame of `frames:`, or an unnamed one from `motion:` */
    lm_spec_item item;
    int nfactors;
    lm_factor *factors;
    int external; /* k > 0: no product, but the k-th frame that a C function gives */
    int ninputs;  /* ... and the slots that it depends on, ascending */
    const int *inputs;
} lm_product;

typedef struct lm_spec_node { /* a named frame of a rigid body or a node of a superelement */
    const char *name;
    lm_loc loc;
    lm_spec_pose pose;  /* in body axes */
    int motion;         /* product index, -1: none */
    lm_spec_pose drawn; /* where that puts it at the start, global */
} lm_spec_node;

typedef enum lm_body_type { LM_BODY_RIGID, LM_BODY_BEAM, LM_BODY_SUPERELEMENT } lm_body_type;
/* Of a superelement made from a beam, as the schema has them; automatic: small where the nodes have a
 * `motion`. */
typedef enum lm_deformations {
    LM_DEFORMATIONS_AUTOMATIC,
    LM_DEFORMATIONS_SMALL,
    LM_DEFORMATIONS_LARGE
} lm_deformations;

typedef struct lm_spec_body {
    lm_spec_item item;
    lm_body_type type;
    lm_spec_pose pose; /* rigid, superelement: of the body frame */
    int motion;        /* rigid: product index or -1 */
    int nnodes;        /* rigid: named frames; superelement: nodes */
    lm_spec_node *nodes;
    /* rigid */
    double mass, inertia[6], com[3]; /* Ixx Iyy Izz Ixy Ixz Iyz about the mass centre */
    /* beam */
    int section, end_section; /* -1: none */
    int npoints;
    double (*points)[3]; /* axis: `from`, `to` or `points` */
    int elements;
    int timoshenko;
    int has_y_axis;
    double y_axis[3];
    /* superelement */
    const char *mass_file, *stiffness_file, *damping_file; /* resolved paths, or NULL */
    int beam_section; /* generated from a beam: section, length; else -1 */
    double beam_length;
    int beam_deformations;    /* lm_deformations */
    const char *frame;        /* "mean", "chord", a node's name */
    int frame_product;        /* ... or a product index; else -1 */
    lm_spec_pose frame_drawn; /* where that puts the frame at the start, global */
} lm_spec_body;

/* A frame that something refers to; every distinct one stands once in lm_spec.frames. */
typedef enum lm_frame_kind {
    LM_FRAME_GROUND,    /* the ground itself: in a joint, the point that meets the other frame */
    LM_FRAME_GROUND_AT, /* a fixed point */
    LM_FRAME_BODY,      /* body frame of a rigid body or superelement */
    LM_FRAME_NODE,      /* named frame or node: nodes[node] of the body */
    LM_FRAME_BEAM_NODE, /* node 0..elements of a beam (start = 0, end = elements) */
    LM_FRAME_BEAM_AT    /* s in 0..1 along a beam, not at a node */
} lm_frame_kind;
typedef struct lm_spec_frame {
    const char *name; /* canonical text */
    lm_frame_kind kind;
    int body, node;
    double s;
    double position[3]; /* GROUND_AT */
} lm_spec_frame;

/* Joint types; the coordinates of b relative to a that each has are in joint_coords (spec.c). */
typedef enum lm_joint_type {
    LM_JOINT_FIXED,
    LM_JOINT_REVOLUTE,
    LM_JOINT_PRISMATIC,
    LM_JOINT_CYLINDRICAL,
    LM_JOINT_SPHERICAL,
    LM_JOINT_UNIVERSAL,
    LM_JOINT_PLANAR,
    LM_JOINT_INLINE,
    LM_JOINT_DISTANCE,
    LM_JOINTS
} lm_joint_type;

/* Kinds of joint coordinate: an angle about the axis, a displacement along it.
 *   revolute {angle}  prismatic, inline, distance {displacement}  cylindrical {angle, displacement}
 *   universal {angle1, angle2}  planar {angle, x, y}  fixed, spherical {} */
typedef enum lm_coord_kind {
    LM_COORD_ANGLE,
    LM_COORD_DISPLACEMENT,
    LM_COORD_ANGLE1,
    LM_COORD_ANGLE2,
    LM_COORD_X,
    LM_COORD_Y
} lm_coord_kind;
enum { LM_JOINT_COORDS = 3 };
int lm_joint_coord_count(lm_joint_type type);
lm_coord_kind lm_joint_coord(lm_joint_type type, int i);
const char *lm_coord_name(lm_coord_kind kind); /* "angle", "displacement", "angle1", ... */

typedef struct lm_spec_coord { /* what a joint coordinate carries */
    int has_drive, has_effort;
    lm_expr drive;                      /* of t only */
    lm_expr effort;                     /* of t and sensors */
    double stiffness, damping;          /* 0: none */
    double friction, friction_velocity; /* Coulomb limit, smoothing rate; 0: none */
    int has_port;
    lm_expr port; /* effort of the power graph on it, of variables */
} lm_spec_coord;

typedef struct lm_spec_joint {
    lm_spec_item item;
    lm_joint_type type;
    int frame[2];
    int has_axis;
    double axis[3], axis2[3]; /* unit; axis2: second axis of a universal joint */
    int has_at;
    double at[3];
    int assemble;
    int cut;       /* a tree of joints does not go through it */
    int compliant; /* constraint replaced by springs */
    double compliant_stiffness[2], compliant_damping[2]; /* translation, rotation */
    lm_spec_coord coord[LM_JOINT_COORDS];
} lm_spec_joint;

typedef struct lm_spec_load {
    lm_spec_item item;
    int frame;
    int has_force, has_torque;
    lm_expr force[3], torque[3]; /* of t and sensors */
    int local;                   /* axes: local (follower) */
    int port;                    /* made for a port of the power graph, of variables */
} lm_spec_load;

typedef enum lm_force_type { LM_FORCE_SPRING, LM_FORCE_BUSHING } lm_force_type;
typedef struct lm_spec_force {
    lm_spec_item item;
    lm_force_type type;
    int frame[2];
    double stiffness[6], damping[6]; /* spring: [0] only */
    double length;                   /* spring: NAN = initial distance */
    int has_port;
    lm_expr port; /* spring: force of the power graph that pushes the frames apart, of variables */
} lm_spec_force;

/* Initial values by joint coordinate or by coordinate of `coordinates`. */
typedef struct lm_spec_initial {
    lm_loc loc;
    int joint, coordinate; /* one of them >= 0 */
    int coord;             /* which coordinate of the joint */
    int has_value, has_rate;
    double value, rate;
} lm_spec_initial;
typedef struct lm_spec_velocity {
    lm_loc loc;
    int body;
    double linear[3], angular[3];
} lm_spec_velocity;

typedef struct lm_spec_coordinate { /* of `coordinates:` */
    lm_spec_item item;
    double value, rate;
    int has_rate;
} lm_spec_coordinate;

/* Discrete state: numbers that are constant within a step and change after it. */
typedef struct lm_spec_state { /* of `states:` */
    lm_spec_item item;
    double value;   /* at the start */
    double every;   /* updated at the multiples of this time; 0: after each step */
    int has_update; /* 0: only the program that runs the model changes it */
    int at_start;   /* 1: updated once at the start of a run as well */
    lm_expr update; /* of t, sensors, states and dt */
} lm_spec_state;
typedef struct lm_spec_surface { /* of `surfaces:` */
    lm_spec_item item;
    double from, to;
    int cells, periodic;
    lm_expr height;   /* at the start, of s (slot LM_SLOT_S), 0 at `from` and 1 at `to` */
    lm_expr at, left; /* where the tool is, and the height that it leaves there; as update */
    lm_grid grid;
} lm_spec_surface;

/* Variables: numbers that are solved together with the motion, one equation each (form/machine.h):
 * signals and states of controllers, efforts, flows and states of the power graph. */
typedef enum lm_variable_kind {
    LM_VARIABLE_STATE, /* x' = expr */
    LM_VARIABLE_VALUE, /* x = expr, in which x itself may stand */
    LM_VARIABLE_RATE   /* x = d(expr)/dt; expr of t, states, joint(), rate(), pos, vel, omega */
} lm_variable_kind;
/* How a variable follows the motion of the mechanism, beside its equation (integrals.c). */
typedef enum lm_follows {
    LM_FOLLOWS_NOT,
    LM_FOLLOWS_INTEGRAL, /* a state: it is `integral` and a constant; a value: `integral` is what it is the
                          * rate of */
    LM_FOLLOWS_SOMEHOW /* a state: by velocities of which no integral is known */
} lm_follows;

typedef struct lm_spec_variable {
    const char *name; /* "motor.winding momentum", for messages */
    lm_loc loc;
    lm_variable_kind kind;
    double initial;  /* of a state; of others the first guess */
    lm_expr expr;    /* of t and sensors */
    int implicit;    /* 1: a value that is to make `rest` 0; expr is itself + rest */
    lm_expr rest;    /* apart, as the sum would round it away */
    const int *rate; /* RATE: slot of the rate of each input of expr; 0: of t */
    int unit;        /* variables of one unit are compared with each other; 0: with none */
    int moves;       /* 1: an angle, 2: a length: the displacement of a C in a mechanism */
    int momentum;    /* of an I: 1, of one that turns 2, of a mass 3 */
    lm_follows follows_motion;
    lm_expr integral; /* of positions of the mechanism */
} lm_spec_variable;

/* Blocks of controllers: each gives one number, its name in expressions (docs/theory/blocks.md). What
 * stands in a block beside that, such as `pid.integral`, follows the blocks of the file in
 * lm_spec.blocks, as signals. */
typedef enum lm_block_type {
    LM_BLOCK_SIGNAL,     /* value */
    LM_BLOCK_GAIN,       /* gain * input */
    LM_BLOCK_INTEGRATOR, /* initial + integral of input */
    LM_BLOCK_PID,
    LM_BLOCK_TRANSFER_FUNCTION,
    LM_BLOCK_STATE_SPACE,
    LM_BLOCK_FILTER,  /* low pass */
    LM_BLOCK_LOOKUP,  /* table of one input */
    LM_BLOCK_SAMPLED, /* zero-order hold */
    LM_BLOCK_DELAY,   /* input some time ago */
    LM_BLOCK_SWITCH   /* relay with hysteresis */
} lm_block_type;
typedef struct lm_spec_matrix { /* a list is a matrix of one row */
    int rows, cols;             /* 0: not given */
    double *at;                 /* row by row */
} lm_spec_matrix;
typedef struct lm_spec_block {
    lm_spec_item item;
    lm_block_type type;
    double initial, gain, every; /* every 0: in continuous time */
    lm_spec_matrix limits;       /* low, high */
    double kp, ki, kd;           /* pid, and times: of the filter of the derivative, */
    double filter, anti_windup;  /* of tracking at the limits; 0: none */
    int has_rate;
    lm_spec_matrix numerator, denominator; /* highest power first */
    lm_spec_matrix a, b, c, d, start;      /* state space: A, B, C, D, states at the start */
    double frequency, time_constant,
        damping; /* filter; time_constant also where frequency is given */
    int order;
    lm_spec_matrix points; /* x, y */
    int spline;
    double time;
    int samples, has_initial;
    double on, off;
    lm_spec_matrix values; /* off, on */
    int ninputs;           /* state space */
    /* What its name stands for, one of them >= 0; none: several outputs. */
    int variable, state, delay;
} lm_spec_block;
typedef struct lm_spec_delay {
    lm_spec_item item;
    double time;
    int samples; /* of the input in that time, at least */
    int of_time; /* 1: the input is an expression of t alone */
    int has_initial;
    double initial; /* before that time; else the input at the start */
    lm_expr input;  /* of t and sensors */
} lm_spec_delay;

/* The power graph: elements joined by bonds, each of which carries an effort and a flow whose product
 * is the power that goes from its first end to its second. */
typedef enum lm_element_type {
    LM_ELEMENT_SE, /* source of effort */
    LM_ELEMENT_SF, /* source of flow */
    LM_ELEMENT_R,
    LM_ELEMENT_C,
    LM_ELEMENT_I,
    LM_ELEMENT_TF,
    LM_ELEMENT_GY,
    LM_ELEMENT_ZERO, /* one effort, flows that sum up to zero */
    LM_ELEMENT_ONE,  /* one flow, efforts that sum up to zero */
    LM_ELEMENT_PORT  /* to the mechanism: the bond's effort acts on it, its flow is its rate */
} lm_element_type;
const char *lm_element_type_name(lm_element_type type); /* "Se", "R", "1", "port", ... */
typedef enum lm_domain {
    LM_DOMAIN_NONE,
    LM_DOMAIN_ROTATION,    /* torque, angular velocity */
    LM_DOMAIN_TRANSLATION, /* force, velocity */
    LM_DOMAIN_ELECTRIC,    /* voltage, current */
    LM_DOMAIN_HYDRAULIC,   /* pressure, volume flow */
    LM_DOMAIN_THERMAL      /* temperature, entropy flow */
} lm_domain;
typedef struct lm_spec_bond {
    int from, to; /* elements */
    int stroke;   /* 1: the causal stroke is at `to`, which is given the effort; 0: at `from` */
} lm_spec_bond;
typedef struct lm_spec_element {
    lm_spec_item item;
    lm_element_type type;
    lm_domain domain;
    int nbonds;
    const int *bond;            /* [nbonds] into lm_spec.bonds */
    int derivative;             /* C, I: in derivative causality */
    int state;                  /* C, I: variable of its displacement or momentum, -1: derivative */
    lm_expr effort[2], flow[2]; /* of its bonds, of t and sensors; [1]: second bond of TF, GY */
    lm_expr law;      /* C, I: effort or flow as an expression of LM_SLOT_S alone, the state */
    int joint, coord; /* PORT on a joint, else -1 */
    int load, force;  /* PORT on a frame, between two frames; else -1 */
} lm_spec_element;

/* Sensors: quantities an expression can ask for. Slot of sensor i in an expression: 1 + i. */
typedef enum lm_sensor_kind {
    LM_SENSOR_POS,
    LM_SENSOR_VEL,
    LM_SENSOR_ACC,
    LM_SENSOR_ROT,
    LM_SENSOR_OMEGA,
    LM_SENSOR_ALPHA,
    LM_SENSOR_JOINT,
    LM_SENSOR_RATE,
    LM_SENSOR_FORCE,
    LM_SENSOR_MOMENT,
    LM_SENSOR_DEFLECTION,
    LM_SENSOR_TIP,
    LM_SENSOR_SECTION,
    LM_SENSOR_ENERGY,
    LM_SENSOR_POWER,
    LM_SENSOR_COORDINATE,
    LM_SENSOR_COORDINATE_RATE,
    LM_SENSOR_STATE, /* value of a state */
    LM_SENSOR_STEP,  /* dt: time since the last update */
    LM_SENSOR_ACCEL, /* second derivative of a joint coordinate */
    LM_SENSOR_VARIABLE,
    LM_SENSOR_VARIABLE_RATE, /* of a state */
    LM_SENSOR_DELAY          /* of lm_spec.delays: number `state` */
} lm_sensor_kind;
/* 1: depends on accelerations or reactions. */
static inline int lm_sensor_is_algebraic(lm_sensor_kind k)
{
    return k == LM_SENSOR_ACC || k == LM_SENSOR_ALPHA || k == LM_SENSOR_ACCEL ||
           k == LM_SENSOR_FORCE || k == LM_SENSOR_MOMENT || k == LM_SENSOR_SECTION;
}

enum {
    LM_SECTION_N,
    LM_SECTION_VY,
    LM_SECTION_VZ,
    LM_SECTION_T,
    LM_SECTION_MY,
    LM_SECTION_MZ,
    LM_SECTION_STRESS
}; /* component of LM_SENSOR_SECTION */
enum { LM_ENERGY_KINETIC, LM_ENERGY_ELASTIC, LM_ENERGY_GRAVITY, LM_ENERGY_TOTAL };
enum { LM_POWER_EXTERNAL };
typedef struct lm_spec_sensor {
    lm_sensor_kind kind;
    int frame[2]; /* second: -1 = relative to the ground, global axes */
    int joint, coord;
    int body; /* deflection, tip, section, energy; energy: -1 = the whole model */
    double s;
    int coordinate;
    int state;
    int variable;
    int component; /* 0 1 2 for x y z, or an enum above */
    lm_loc loc;
} lm_spec_sensor;

typedef struct lm_spec_output {
    lm_spec_item item; /* a vector sensor without component gives three: name.x name.y name.z */
    lm_expr expr;
} lm_spec_output;

typedef enum lm_formulation_type {
    LM_FORM_COROTATIONAL,
    LM_FORM_MINIMAL,
    LM_FORM_ELASTODYNAMIC,
    LM_FORM_RFE,
    LM_FORM_FFR,
    LM_FORMULATIONS /* how many there are */
} lm_formulation_type;
typedef enum lm_rfe_coordinates {
    LM_RFE_AUTOMATIC,
    LM_RFE_JOINT,
    LM_RFE_ABSOLUTE
} lm_rfe_coordinates;
typedef struct lm_spec_formulation {
    lm_loc loc;
    int given; /* 0: not in the file (type holds the default) */
    lm_formulation_type type;
    int basis_modes;     /* ffr: basis: modes (1) or spline (0, default) */
    int modes;           /* ffr: number of modes per bending direction, default 4 */
    int substructures;   /* ffr: parts of each beam with a frame of their own; 0: by itself */
    const int *frames;   /* ffr: [bodies] the same of each beam, found by a run; 0, or NULL: not */
    int algorithm_dense; /* ffr: algorithm: dense (1) or dca (0, default) */
    int closure_spring;  /* rfe: closure: spring (1) or constraint (0, default) */
    double closure_stiffness; /* rfe: of those springs, times the stiffest division's */
    int springs_bending;      /* rfe: springs: bending (1) or all (0, default) */
    lm_rfe_coordinates rfe_coordinates;
    int elastic_paper; /* minimal: elastic_forces: paper (1) or consistent (0, default) */
    int stiffening;    /* elastodynamic, ffr: geometric stiffening, default 1 */
} lm_spec_formulation;

typedef enum lm_analysis_type {
    LM_ANALYSIS_DYNAMICS,
    LM_ANALYSIS_STATICS,
    LM_ANALYSIS_MODES,
    LM_ANALYSIS_LINEARIZE,
    LM_ANALYSIS_CAMPBELL,
    LM_ANALYSIS_PERIODIC,
    LM_ANALYSES /* how many there are */
} lm_analysis_type;
typedef enum lm_method {
    LM_METHOD_GENERALIZED_ALPHA,
    LM_METHOD_BDF,
    LM_METHOD_NEWMARK,
    LM_METHOD_EXPLICIT,
    LM_METHOD_RADAU,
    LM_METHOD_AUTOMATIC /* not said: by the model */
} lm_method;
/* Of the linear systems. */
typedef enum lm_solver {
    LM_SOLVER_AUTOMATIC,
    LM_SOLVER_TREE,
    LM_SOLVER_BLOCK,
    LM_SOLVER_KLU
} lm_solver;
enum { LM_OUTPUT_ROWS = 100000000 }; /* of a result, at most */
typedef struct lm_spec_analysis {
    lm_loc loc;
    lm_analysis_type type;
    double until, output_step; /* dynamics; output_step default until/1000 */
    double tolerance;
    double step;     /* 0: error-controlled */
    double max_step; /* 0: no such limit */
    lm_method method;
    double rho_inf;
    lm_solver solver;      /* dynamics */
    int load_steps;        /* statics */
    int count;             /* modes, campbell, periodic */
    double period;         /* periodic: 0: by the drive */
    int steps;             /* periodic: in a period; 0: by the tolerance */
    int about_statics;     /* modes, linearize */
    double at;             /* linearize: time; < 0: where the analysis before has ended */
    int linear;            /* statics: in one step */
    int ninputs, noutputs; /* linearize: names as written */
    const char **inputs, **outputs;
    int drive;             /* campbell: joint */
    double speeds[3];      /* campbell: from, to, count */
    int frame_fixed;       /* campbell: axes that stand still */
    double frequencies[3]; /* linearize: from, to, count; count 0: no transfer functions */
} lm_spec_analysis;

/* With the defaults of the schema; `until` and `output_step` are 0. */
lm_spec_analysis lm_analysis_defaults(lm_analysis_type type, lm_loc loc);
lm_spec_formulation lm_formulation_defaults(lm_formulation_type type); /* the same */

typedef struct lm_spec {
    lm_arena *arena;
    const char *file;  /* as given */
    const char *text;  /* the model file's own text (stored in result files) */
    const char *title; /* "" when absent */
    double gravity[3];
    int assemble; /* top-level `assemble: true` */
    int project;  /* initial: project */
    LM_VEC(lm_spec_material) materials;
    LM_VEC(lm_spec_section) sections;
    LM_VEC(lm_spec_body) bodies;
    LM_VEC(lm_spec_frame) frames;
    LM_VEC(lm_spec_joint) joints;
    LM_VEC(lm_spec_load) loads;
    LM_VEC(lm_spec_force) forces;
    LM_VEC(lm_spec_initial) initial;
    LM_VEC(lm_spec_velocity) velocities;
    LM_VEC(lm_spec_coordinate) coordinates;
    LM_VEC(lm_spec_state) states;
    LM_VEC(lm_spec_surface) surfaces;
    int cells; /* heights of all surfaces */
    LM_VEC(lm_spec_block) blocks;
    LM_VEC(lm_spec_delay) delays;
    LM_VEC(lm_spec_variable) variables;
    LM_VEC(lm_spec_element) elements;
    LM_VEC(lm_spec_bond) bonds;
    LM_VEC(lm_product) products;
    int nexternal;                /* frames that a C function gives */
    const char **external;        /* [nexternal] their names */
    limber_kinematics kinematics; /* ... and that function; all 0: none */
    LM_VEC(lm_spec_sensor) sensors;
    LM_VEC(lm_spec_output) outputs;
    LM_VEC(lm_spec_analysis) analyses; /* at least one when the file has `analysis` */
    lm_spec_formulation formulation;
} lm_spec;

typedef struct lm_read_options {
    const char *const *set; /* "NAME=expression" overrides of parameters (--set) */
    int nset;
    int allow_outside_includes;          /* include files outside the model's folder */
    const limber_kinematics *kinematics; /* for frames that a C function gives; NULL: none */
} lm_read_options;

/* Read a file, or text that is already in memory (`name` stands for the file in messages and gives
 * the folder of includes). All errors go to `diag`; 0 when there were none, else a limber_status
 * (LIMBER_INPUT, LIMBER_IO, LIMBER_MEMORY). *spec is valid only on 0; memory is the arena's in
 * every case. */
int lm_read_file(lm_arena *arena, lm_diag *diag, const char *path, const lm_read_options *options,
                 lm_spec **spec);
int lm_read_text(lm_arena *arena, lm_diag *diag, const char *text, size_t size, const char *name,
                 const lm_read_options *options, lm_spec **spec);

/* external.c: what the C function of the user gives at one state: poses [nexternal], and the columns of
 * partial velocities. 0, or its result, or > 0 for values that cannot be; then `why` says it. */
int lm_external_poses(const lm_spec *spec, double t, const double *q, limber_pose *pose, char *why,
                      size_t size);
int lm_external_partials(const lm_spec *spec, double t, const double *q, limber_twist *column,
                         char *why, size_t size);

/* Generated from the schema. */
#include <stdio.h>
void lm_schema_json(FILE *out);     /* JSON Schema (draft 2020-12) for editors */
void lm_schema_markdown(FILE *out); /* the reference page: a table per object */

#endif
