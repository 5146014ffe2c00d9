/* The seam: what a formulation gives to the integrators and analyses, and all they know of it.
 *
 * A system has nq numbers q that describe its position, nv velocities v and accelerations a, and
 * nl multipliers lam, one for each constraint row. Its equations are
 *
 *     residual:    M(q) a - f(t, q, v) + Phi_q^T lam = 0          [nv]
 *     constraint:  phi(t, q) = 0                                   [nl]
 *
 * Positions move by retract(q, dx): dx has nv entries and need not be added component-wise
 * (rotations). A constraint row can be inactive (redundant, or used only while assembling): then
 * its equation is lam = 0. All callbacks return 0, > 0 (this state cannot be evaluated: try a
 * smaller step) or < 0 (stop). None of them allocates. */
#ifndef LM_FORM_FORM_H
#define LM_FORM_FORM_H

#include <limber/status.h>

#include "base/diag.h"
#include "base/pool.h"
#include "form/discrete.h"
#include "form/timing.h"
#include "math/sparse.h"
#include "math/units.h"
#include "model/model.h"

typedef struct lm_system lm_system;

/* One state, as the callbacks see it; pointers may be NULL where a callback does not need them. */
typedef struct lm_state {
    double t;
    const double *q, *v, *a, *lam;
} lm_state;

/* A straight way through a state: to retract(q, s dx), v + s dv, a + s da; any of these may be NULL: 0. */
typedef struct lm_way {
    lm_state at;
    const double *dx, *dv, *da;
    double s;   /* where the state in question is */
    int number; /* another one: another way */
} lm_way;

typedef struct lm_energy {
    double kinetic, elastic, gravity;
    double power;       /* of loads, efforts and drives: work done on the system */
    double stored;      /* in storages of the power graph */
    double largest;     /* in one of these */
    double dissipation; /* power lost in dampers and friction, >= 0 */
} lm_energy;

/* A drive that goes at a constant rate, whatever its expression says; all other drives hold. */
typedef struct lm_spin {
    const lm_expr *drive; /* lm_row.drive of its row */
    double t0, value;     /* the value that it has at that time */
    double rate;
} lm_spin;

/* Some bodies turn steadily about a line. The others stand still, or are moved from where they rest, and
 * that deviation goes round with the rotation (whirl of a bearing under unbalance). */
typedef struct lm_turning {
    lm_v3 point, axis; /* of the line; a unit vector */
    double rate;
    const unsigned char *body; /* [bodies] 1: turns */
    const double *rest;        /* [nq] positions where the others rest; NULL: where they are */
} lm_turning;

/* What three velocities are that make one vector, noted with the first of them; 0: single numbers. */
enum { LM_VECTOR = 1, LM_VECTOR_ANGULAR = 2, LM_VECTOR_TURNS = 4 };

typedef struct lm_ports lm_ports;

typedef struct lm_form {
    const char *name;
    /* Make a system; what the formulation cannot do is refused with errors in `diag`. */
    limber_status (*create)(const lm_model *model, lm_diag *diag, lm_system **sys);
    void (*destroy)(lm_system *sys);
    /* Positions and velocities by the model's drawing and `initial`, not yet made consistent. */
    int (*initial)(lm_system *sys, double *q, double *v);
    /* The state at t that the equations are linear about, whatever that of the system is; variables are left
     * out. NULL: they are not linear. */
    int (*linear_about)(lm_system *sys, double t, double *q, double *v, double *a, double *lam);
    /* q1 = q0 moved by dx; q1 may be q0. */
    int (*retract)(lm_system *sys, const double *q0, const double *dx, double *q1);
    /* Whole turns of the angles that q1 keeps: those nearest to the angles of q0 moved by the velocities dx, with
     * which retract counts them, too; where it starts far away, it miscounts. NULL: q has no such angles. */
    int (*count_turns)(lm_system *sys, const double *q0, const double *dx, double *q1);
    /* dx with q1 = retract(q0, dx), but for whole turns. NULL: the formulation does not know it. */
    void (*difference)(const lm_system *sys, const double *q0, const double *q1, double *dx);
    /* Rate of the local coordinates xi of q = retract(q0, xi) when the velocities are v. */
    void (*local_rate)(const lm_system *sys, const double *xi, const double *v, double *rate);
    /* Velocities or forces w[nv] turned as each body turns on its way from positions q0 to q1; out may
     * be w. */
    void (*carry)(const lm_system *sys, const double *q0, const double *q1, const double *w,
                  double *out);
    /* r[nv] and, unless NULL, phi[nl] and its time derivative rate[nl] (inactive rows: lam, 0). */
    int (*residual)(lm_system *sys, const lm_state *s, double *r, double *phi, double *rate);
    /* cM M + cD D + cK K with the constraint blocks, into values[pattern.nnz]. K and D are the
     * derivatives of the residual with respect to a motion dx and to v. */
    int (*jacobian)(lm_system *sys, const lm_state *s, double cM, double cD, double cK,
                    double *values);
    /* jacobian's M, D and K at once, each with the constraint blocks. NULL: by three calls of it. */
    int (*matrices)(lm_system *sys, const lm_state *s, double *M, double *D, double *K);
    /* x[nv] = M^-1 x of a system with quick_mass and without constraints. 0; 1: some motion has no
     * mass. */
    int (*divide_by_mass)(lm_system *sys, double t, const double *q, double *x);
    /* a[nv] and lam[nl] that the equations ask for at t, q, v, without a matrix. 0; 1: cannot be had so.
     * NULL: the formulation has no such thing. */
    int (*accelerations)(lm_system *sys, const lm_state *s, double *a, double *lam);
    /* d(phi)/dt and d2(phi)/dt2; [nl], 0 for inactive rows. */
    int (*constraint_rate)(lm_system *sys, const lm_state *s, double *rate);
    int (*constraint_accel)(lm_system *sys, const lm_state *s, double *accel);
    /* Choose an independent set of constraint rows at q (sys->active); `assembling` includes the
     * rows of initial values. Returns the number of redundant rows, or < 0. */
    int (*select_rows)(lm_system *sys, double t, const double *q, int assembling);
    /* Largest violation of the inactive rows that should hold by themselves; *row which one. */
    double (*hidden_violation)(lm_system *sys, double t, const double *q, int *row);
    /* The model's outputs, and into sys->discrete->input what changes the discrete state; energies. Non-zero:
     * they cannot be evaluated, and are not numbers. */
    int (*outputs)(lm_system *sys, const lm_state *s, double *out);
    int (*energy)(lm_system *sys, const lm_state *s, lm_energy *e);
    /* What each joint exerts on its b (all of it: constraints, drives, springs, efforts) and each
     * load on its frame: force and moment at that point, world axes, 6 numbers each, in the order
     * of the model. NULL: the formulation does not know them. */
    void (*forces)(lm_system *sys, const lm_state *s, double *joint, double *load);
    /* What the part behind the middle of each element of a beam exerts on the part before it: force
     * and moment there, world axes, 6 numbers each. NULL: that follows from the poses. */
    void (*beam_forces)(lm_system *sys, const lm_state *s, double *out);
    /* Frames of rigid bodies, nodes of flexible ones: x, quaternion; 7 numbers for each of nposes. */
    void (*poses)(lm_system *sys, const double *q, double *pose);
    /* Whose pose i is, as the model file would say it: "arm", "rod.node(3)", "plate.corner". */
    void (*describe_pose)(const lm_system *sys, int i, char *text, size_t size);
    /* A name for equation i (0..nv+nl): "body arm, force y", "joint wrist, moment x". */
    void (*describe)(const lm_system *sys, int i, char *text, size_t size);
    /* A name for velocity i (0..nv): "body arm along y", "body arm turning about z". */
    void (*describe_motion)(const lm_system *sys, int i, char *text, size_t size);
    /* The next instant after t at which an expression of time has a kink. */
    double (*next_kink)(const lm_system *sys, double t);
    /* Guards out[nguards]: a change of sign is one of the branch of some force (expr/expr.h). NULL: the
     * formulation does not tell. */
    int (*guards)(lm_system *sys, const lm_state *s, double *out);
    /* Of which expression guard i is: "effort of 'stop': max(0, -joint(stop))". */
    void (*describe_guard)(const lm_system *sys, int i, char *text, size_t size);
    /* Velocities of everything moving as one rigid body with this twist (linear, angular) about the
     * origin, world axes; NULL: the coordinates cannot say it. */
    void (*rigid_velocity)(const lm_system *sys, const double *q, const double twist[6], double *v);
    /* Where they cannot: p[nv] = M r and r . M r of these velocities r, all the same, at a state at rest (v, a
     * are zeros). 0, 1. NULL: not known either. */
    int (*rigid_momentum)(lm_system *sys, const lm_state *rest, const double twist[6], double *p,
                          double *total);
    /* Of the velocities w that nodes start with (`initial`) less those at q, v, which coordinates that cannot
     * say all of them leave: p[nv] = X^T M w, and the largest of w and of what they start with, lengths over
     * that of the mechanism. a of the state are zeros. 0, 1. NULL: v says all of them. */
    int (*start_left)(lm_system *sys, const lm_state *s, double *p, double *left, double *speed);
    /* v and a [nv] of a steady rotation, and which velocities are vectors: kind [nv], and axis [nv] for
     * each of these the direction of the line in the axes that it has. 0; 1: the coordinates cannot say
     * it. NULL: they never can. */
    int (*turn)(lm_system *sys, const double *q, const lm_turning *how, double *v, double *a,
                unsigned char *kind, double *axis);
    /* Power along the bond of each element of the power graph, of TF and GY along the first: out[elements].
     * NULL: there is none. */
    int (*powers)(lm_system *sys, const lm_state *s, double *out);
    const lm_ports *ports;
} lm_form;

/* Variables that follow from sensors of the motion: they are put into their slots once these are known. */
typedef struct lm_settle {
    void *ctx;
    void (*run)(void *ctx, double *slots);
} lm_settle;

/* How a mechanism and the variables of its machine (form/machine.h) see each other. A formulation gives
 * these; all but the first two are valid right after `jacobian` or `matrices` at the same state. */
struct lm_ports {
    /* Values of t and of the sensors that forces and variables read, right after `residual` or `jacobian`. */
    const double *(*slots)(const lm_system *sys);
    /* The k-th expression that has guards, with the number of its first one; NULL: there are no more. */
    const lm_expr *(*guarded)(const lm_system *sys, int k, int *first);
    /* The k-th effort, load or equation of a variable that is no sum of constants times what it reads of the
     * state; NULL: there are no more. Their slots are valid after `guards`. */
    const lm_expr *(*forcing)(const lm_system *sys, int k);
    /* Outputs of the model from given values of all its sensors. */
    void (*evaluate)(lm_system *sys, const double *sensors, double *out);
    /* Unknowns (0..nv+nl) that a sensor depends on, and equations (0..nv) in which the variable behind a
     * sensor stands; [nv + nl] at most. Returns how many. */
    int (*sensed)(const lm_system *sys, int sensor, int *unknown);
    int (*pushed)(const lm_system *sys, int sensor, int *row);
    /* cM da + cD dv + cK dq of the sensor, for the unknowns listed by `sensed` (multipliers: as they are);
     * derivative of the residual by the sensor's value, for the rows listed by `pushed`. */
    void (*sensor_gradient)(lm_system *sys, const lm_state *s, int sensor, double cM, double cD,
                            double cK, double *out);
    void (*push)(lm_system *sys, const lm_state *s, int sensor, double *out);
};

/* A motion that is known before the system's own: that of its companion. */
typedef struct lm_motion lm_motion;
struct lm_motion {
    /* The companion's state at t: its arrays last until the next call. 0, > 0: it cannot be had. */
    int (*at)(lm_motion *m, double t, lm_state *s);
    /* The same at rest there with a part of the loads: no velocities, and the reactions that hold it. NULL:
     * not known. */
    int (*rest)(lm_motion *m, double t, double load_factor, lm_state *s);
    void (*destroy)(lm_motion *m);
    int version;    /* another number: what was said before is void */
    double largest; /* rotation of a node against this motion that results have shown */
};

/* A part of a bending stiffness that moments make, the largest of them, the body. */
typedef struct lm_moment_effect {
    double part, most;
    int body;
} lm_moment_effect;

/* Axial forces of bent beams whose ends cannot follow their foreshortening. */
typedef struct lm_held_ends {
    double *q;      /* [nq] the result in which such forces could be largest; its time */
    double t, most; /* and how large: EA s/L over the load that buckles the beam as a cantilever */
    double inertia; /* of the mass matrix beside the stiffness, small */
    double prestress;  /* work of axial forces in the equations, there */
    double elastic;    /* elastic energy there */
    double off, force; /* of deflections; the axial force */
    int body;          /* the beam */
} lm_held_ends;

/* What a formulation that is linear in displacements leaves out, as far as results have shown it. */
typedef struct lm_left_out {
    /* At a result. */
    void (*look)(struct lm_left_out *o, const lm_state *st);
    const double *euler; /* [bodies] the load that buckles each beam as a cantilever */
    double *axial,
        *stretching; /* [elements] sums over results of the axial force that bending takes, and of that
                                  * which the displacements make */
    int looks;       /* how many results */
    double off, force_by[2];    /* where their means differ most, over `euler`; both means */
    double turn;                /* largest rotation of a beam's node against the rigid motion */
    int shared;                 /* the body there */
    lm_moment_effect moment[2]; /* of torques; of bending moments */
    lm_held_ends ends;
    /* Of the result in `ends`: residual f [nv] of the axial forces if no node moved; and with the displacements
     * dx [nv] that follow from that, what becomes of deflections. */
    void (*shorten)(struct lm_left_out *o, double *f);
    void (*stretch)(struct lm_left_out *o, const double *dx);
    /* The largest rotation of a beam's node by the displacements dx [nv]. */
    double (*turned)(const struct lm_left_out *o, const double *dx);
    double *first,
        *second;        /* [outputs] of positions: what deformation changes, and what more it would
                             * change in second order */
    double shift;       /* the largest displacement of second order */
    double push, force; /* the largest axial force, tension positive, over the load that buckles its
                             * beam as a cantilever; that force */
    int pushed;         /* the body of this beam */
    int stiffening;     /* 1: its effect on bending is in the equations */
    int vibrations; /* 1: results are frequencies about the deformed state, which know forces as displacements
                         * make them; only the shape of that state does not */
} lm_left_out;

/* Deformations that a formulation takes to be small, and how large they have been. */
typedef struct lm_small lm_small;
struct lm_small {
    /* `turn`, `error` made as large as they are at q. */
    void (*look)(lm_small *s, const double *q);
    /* What to write, that those of a body are small: "write '...', or use '...'". */
    void (*remedy)(const lm_small *s, int body, char *text, size_t size);
    /* Into how many pieces a run may divide the body for that; 0: it is not for the run to divide, or is
     * divided as far as it can be. NULL: there is no such thing. */
    int (*divide)(const lm_small *s, int body);
    const char *within; /* "its floating frame": against which they count */
    double most;        /* error beyond which they are not small */
    double *turn;       /* [bodies] the largest rotation of a node of it that was looked at */
    int relative;       /* 1: errors are of deflections, relative; 0: the rotation is the error */
    double *error;      /* [bodies] how far results can be off by it */
    double *extent;     /* [nextent] what `look` remembers beside these, for a checkpoint */
    int nextent;
    unsigned char *told; /* [bodies] 1: the user knows */
};

/* What elements make of a beam between its nodes, for estimates of the error by their length. */
typedef enum lm_mesh_kind {
    LM_MESH_NONE,     /* nothing that such an estimate knows */
    LM_MESH_ELEMENTS, /* corotational: a cubic about the chord */
    LM_MESH_PIECES,   /* rigid pieces, a spring in the middle of each division */
    LM_MESH_LINEAR /* a cubic about a known motion or in a frame: right at the nodes under given loads */
} lm_mesh_kind;

struct lm_system {
    const lm_form *form;
    const lm_model *model;
    int nq, nv, nl, nposes;
    lm_pattern pattern;     /* of the (nv + nl) matrix */
    lm_groups groups;       /* of its unknowns, for the block solver */
    lm_solver solver;       /* of linear systems that are made for it now */
    lm_pool *pool;          /* threads that work on it; NULL: the caller's only */
    unsigned char *angular; /* [nv + nl] 1: angle, moment; 0: length, force */
    int nfree, *free; /* [nfree] where the velocities of nodes that move freely begin: three along
                             * axes that no such node turns, three about them */
    unsigned char *active; /* [nl] */
    const int *row;        /* [nl] index of each into model->rows; NULL: the same */
    double load_factor;    /* scales gravity, loads and efforts; 1 except in statics */
    const double
        *start_loads; /* values in the state that statics is linear about: of each load (6), of
                                * each joint coordinate the effort and that of its port (2). What they
                                * change by counts in full, whatever load_factor; NULL: it does not */
    int power_only; /* 1: of `energy` only power and dissipation are wanted, the rest may be left out */
    const double *inputs; /* added to the values of loads and efforts: force and torque of each
                             * load (6), then of each joint coordinate the effort, then to those of
                             * variables; NULL: nothing */
    const double
        *variables; /* values of the model's variables, then the rates of its states; NULL: 0 */
    const lm_way
        *along; /* NULL, or: outputs, forces and energies are asked for on this way, those of stiff
                          * parts exact to first order in s */
    int nways;  /* numbers of ways that were given */
    const lm_settle *settle; /* NULL: there are none that follow */
    int hold_ports;       /* 1: the matrix takes efforts of the power graph's ports as constant */
    const double *corner; /* [ncorner] ascending: corners of drives that next_kink does not know */
    int ncorner;
    const lm_timing *timing; /* NULL: it is not known what happens when */
    int nvariables;          /* the last velocities are those of variables (form/machine.h) */
    int nstates;             /* of which so many are states */
    double tick; /* step of the integration: unit of time of variables; 0: there is none */
    int steady;  /* 1: variables are to be at rest: their values are positions, for statics */
    lm_system *companion; /* a system whose motion this one must be told, as `motion`; NULL: none */
    lm_motion *motion;    /* NULL: the companion rests at its start. Destroyed with the system */
    const char *stretch;  /* what to write, that beams stretch; NULL: they do */
    lm_left_out *left_out; /* NULL: it is not linear */
    lm_small *small;       /* NULL: deformations are of any size, or `motion` knows of them */
    int still;             /* 1: the companion counts as resting where it is, drives hold */
    const lm_spin *spin;   /* a drive at constant rate; NULL: all as written */
    double softness;  /* on the diagonal of loop rows, by lm_row_softness: keeps the matrix regular
                           * where loops are singular; in the matrix only, not in the equations */
    int regular_mass; /* 1: the matrix is wanted regular where a motion has stiffness, but no mass */
    int exact_tangent; /* 1: K is wanted with all terms, those too that Newton's method does without: how
                        * damping by mass turns and moves with its structure */
    int vibrations; /* 1: M, D and K are wanted of small vibrations about the state, right to first order in its
                     * deformation, which those of Newton's method need not be */
    int undeformed; /* 1: K is wanted about form->linear_about, with what the moments within bodies add */
    int massless; /* 1: there are such motions */
    const double *
        held_by; /* [nv] accelerations of the state at rest, for K where it is no equilibrium: of the
                            * loads, what joints carry bends paths, not what accelerates; NULL: all */
    double
        hold_idle; /* > 0: lm_body.idle counts as no inertia but, in the matrix, as stiffness, so many
                       * times as much */
    int quick_mass;        /* 1: divide_by_mass takes time linear in the size, without a matrix */
    int flexible;          /* 1: bodies can vibrate */
    lm_mesh_kind mesh;     /* of its beams */
    int scalar;            /* 1: velocities are single numbers; 0: they come in vectors of three */
    int algebraic;         /* 1: a force depends on accelerations or reactions */
    int works;             /* 1: loads, efforts, drives or dampers can do work */
    int nguards;           /* see form->guards */
    int mobility;          /* degrees of freedom found by the last select_rows */
    lm_discrete *discrete; /* what changes between steps only; NULL: the model has no such thing */
    double noise; /* errors of the residual over those of rounding: 1, or more with differences */
    char trouble[420]; /* why a state beyond the last accepted one could not be evaluated, where the
                        * user's C function is to blame: poses() of a state begins anew */
    double trouble_at; /* ... at this time */
    int in_trouble;    /* 1: so it was with the last one that was tried */
};

/* The model's row behind constraint k of a system. */
static inline const lm_row *lm_system_row(const lm_system *sys, int k)
{
    return &sys->model->rows[sys->row ? sys->row[k] : k];
}

/* The next instant after t at which an expression of time has a kink, or a drive a corner. */
double lm_system_next_kink(const lm_system *sys, double t);
/* Where a step from t has to end at the latest, so that it goes over nothing unseen that follows from the time
 * alone. */
double lm_system_reach(const lm_system *sys, double t);

/* The softness of constraint k: angles are over the unit of length where lengths are 1. */
static inline double lm_row_softness(const lm_system *sys, int k)
{
    double S = sys->angular[sys->nv + k] ? lm_power_of_1024(sys->model->size) : 1;
    return sys->softness / (S * S);
}

/* A system of the model in this formulation, with its variables (form/machine.h) where it has any. */
limber_status lm_system_create(const lm_form *form, const lm_model *model, lm_diag *diag,
                               lm_system **sys);

/* All formulations, by lm_formulation_type. */
const lm_form *lm_form_get(lm_formulation_type type);
const char *lm_form_name(lm_formulation_type type);

#endif
