/* Time integrators: one interface, so that the dynamics analysis is written once.
 *
 * An integrator owns the state at the end of the last accepted step (t, q, v, a, lam), the one at
 * its start (for interpolation), and all its history, in one block of doubles: a snapshot is a copy
 * of that block. */
#ifndef LM_SOLVE_INTEGRATOR_H
#define LM_SOLVE_INTEGRATOR_H

#include "base/clock.h"
#include "form/form.h"
#include "solve/linear.h"

typedef struct lm_integrator_options {
    double t0, until;
    double tolerance;
    double step;       /* fixed step, 0: error-controlled */
    double first_step; /* first guess of an error-controlled run */
    double largest_step;
    double rho_inf;
    lm_method method;
} lm_integrator_options;

typedef struct lm_step_stats {
    long steps, rejected, iterations, jacobians;
    double phi;               /* largest constraint violation seen (relative) */
    double smallest, largest; /* accepted step sizes */
} lm_step_stats;

/* Seconds spent, for --profile. */
typedef struct lm_phases {
    int on;
    double residual, jacobian, factor, solve;
} lm_phases;

typedef struct lm_integrator lm_integrator;

/* The impulse over a step of a force that a method sees at the places x of it: sum w f, with a local error of
 * that order. */
typedef struct lm_rule {
    int n, order;
    double x[5], w[5];
} lm_rule;

typedef struct lm_integrator_ops {
    const char *name;
    int lands_on_outputs; /* 1: cannot interpolate, steps end at every output instant */
    /* One accepted step, not beyond `limit`. 0; 1: cannot go on (failure text); < 0: memory. */
    int (*step)(lm_integrator *g, double limit);
    void (*destroy)(lm_integrator *g);
    /* The state at a time within the last step, where the method knows better than
     * lm_integrator_at; NULL: it does not. Such a method integrates the work itself: after a step,
     * and after this, g->work and g->lost are counted from the start of the step. */
    int (*at)(lm_integrator *g, double t, double *q, double *v, double *a, double *lam);
    int always_solves; /* 1: lm_integrator_at solves for accelerations and multipliers as lm_integrator_row does */
    int at_ends;                    /* 1: a step knows the forces at its ends only */
    const lm_rule *rule;            /* NULL: that of the trapezoid */
    int (*order)(lm_integrator *g); /* of a multistep method in the last step; NULL: it is none */
    int start_up; /* steps that it costs to start again, as checkpoints ask for; 0: none */
} lm_integrator_ops;

/* The state block: numbers that survive a checkpoint. */
typedef struct lm_clock {
    double t, h;      /* now, and the size of the last accepted step */
    double h_next;    /* the size to try next */
    double h_history; /* step to which the predictor's history belongs; 0: none */
    double err_last;  /* last error ratio, for step control */
    double jerk;      /* largest third derivative of late, for step control */
    double size;      /* unit of length of the error norm */
    double reach;     /* span of the filter of vibrations over the step; 0: not known yet */
    double fresh;     /* 1: the next step starts from new factors; 2: and from new pivots */
    double restart;   /* 1: take up consistent accelerations before the next step */
    double order;     /* explicit: column of the extrapolation table aimed at */
    double speed;     /* unit of velocity of the error norm (per unit of length): largest seen */
} lm_clock;

struct lm_integrator {
    const lm_integrator_ops *ops;
    lm_system *sys;
    lm_linear *lin;
    lm_linear *row; /* factors for lm_integrator_row; NULL: it interpolates */
    lm_integrator_options opt;
    double *block;     /* everything below lives here, then comes the method's own */
    size_t block_size; /* in doubles */
    lm_clock *clock;
    double *q, *v, *a, *lam;     /* at clock->t */
    double *q0, *v0, *a0, *lam0; /* at clock->t - clock->h */
    double *dx;                  /* motion of the last step: q = retract(q0, dx) */
    lm_step_stats stats;
    lm_phases profile;
    double work, lost; /* over the last step, where the method integrates them itself */
    char failure[640]; /* what went wrong, by name */
    int regular; /* 1: constraints are independent where it works: no softness of the mass matrix */
    int unsolved;     /* 1: ... that no acceleration solves the equations */
    double *x;        /* [5 (nv + nl) + nq] right sides and solutions */
    double *solved;   /* [6 nv + 2 nl + nq] scratch of rows */
    double mass_unit; /* typical mass: scales the constrained mass matrix; 0: not known yet */
    double *pose;     /* [7 nposes] scratch */
    double *settled;  /* [2 nv] scratch of motions without mass; NULL: there are none */
};

/* Make an integrator; NULL for want of memory. `extra` doubles of method's own state follow. */
int lm_integrator_init(lm_integrator *g, const lm_integrator_ops *ops, lm_system *sys,
                       const lm_integrator_options *opt, size_t extra, double **own);
void lm_integrator_free(lm_integrator *g);

lm_integrator *lm_genalpha_create(lm_system *sys, const lm_integrator_options *opt);
/* One that is not stepped: for assembling, projecting and consistent accelerations. */
lm_integrator *lm_integrator_at_rest(lm_system *sys);
lm_integrator *lm_extrapolation_create(lm_system *sys, const lm_integrator_options *opt);
lm_integrator *lm_bdf_create(lm_system *sys, const lm_integrator_options *opt);
/* For systems without a free motion (mobility 0) and without variables. */
lm_integrator *lm_kinematic_create(lm_system *sys, const lm_integrator_options *opt);
lm_integrator *lm_radau_create(lm_system *sys, const lm_integrator_options *opt);

/* Start (or start again after a kink) from g->q, g->v at time t: consistent accelerations and
 * multipliers. Velocities that do not fit the constraints (a drive's velocity jumps) are corrected
 * by an impulse. 0; 1 with failure text; < 0 memory. */
int lm_integrator_start(lm_integrator *g, double t, int keep_step);

/* State at a time within the last step, into q v a lam (any of v a lam may be NULL). 0; 1; < 0: memory. */
int lm_integrator_at(lm_integrator *g, double t, double *q, double *v, double *a, double *lam);
/* The same as results show it: a and lam satisfy the equations of motion with q and v at t, where these have a
 * solution and no stiff body answers to the least error of q with a large force. */
int lm_integrator_row(lm_integrator *g, double t, double *q, double *v, double *a, double *lam);

/* Largest translation (over `size`) or rotation in a motion dx[nv] of the mechanism; and with that of
 * its variables over a step (form/machine.h). */
double lm_speed_norm(const lm_system *sys, double size, const double *dx);
double lm_motion_norm(const lm_system *sys, double size, const double *dx);

/* The present state becomes the start of the next step: q0, v0, a0, lam0. */
void lm_integrator_keep(lm_integrator *g);

/* The largest coordinate of a body, from the origin: what positions are rounded by goes with it. */
double lm_integrator_reach(lm_integrator *g);
/* That over ten times the unit of length, or a tenth of the way that the present speed makes in the time
 * since 0 (radians, units of length), at least 1: factor of limits for rounding errors that have room for a
 * mechanism near the origin whose drives have not gone far. */
double lm_integrator_far(lm_integrator *g);

/* Energies and powers at a state; none where a function of the user fails in it. */
lm_energy lm_integrator_energy(const lm_integrator *g, const lm_state *st);

/* Count an accepted step of size h in the statistics. */
void lm_integrator_count(lm_integrator *g, double h);
/* The same, and the clock is at its end, t. */
void lm_integrator_arrive(lm_integrator *g, double t, double h);

/* How Newton's method for a step ended. */
typedef enum lm_step_result {
    LM_STEP_CONVERGED,
    LM_STEP_SLOW,
    LM_STEP_DIVERGED,
    LM_STEP_NOT_FINITE, /* and has been explained */
    LM_STEP_NO_MEMORY
} lm_step_result;

/* What is taken of the step that is wanted where the room up to the limit is short: all of the room, or
 * half of it, so that no tiny step is left over. */
double lm_step_within(double want, double room);
/* Steps of the user's size: where the next one ends, on the grid of steps or at the limit; and the
 * error of the motion that Newton's method may leave. */
double lm_step_grid_end(const lm_integrator *g, double limit);
double lm_step_grid_goal(const lm_integrator *g);

/* What the violation of constraint row k is measured in: the unit of length, or radians. */
static inline double lm_gap_unit(const lm_integrator *g, int k)
{
    return g->sys->angular[g->sys->nv + k] ? 1 : g->clock->size;
}

/* Ask the next step to start from new factors, so that it depends on the state block alone. */
void lm_integrator_refresh(lm_integrator *g);

/* ---- mass.c ---- */

/* Repetitions that take the softness of loop rows out of a solution. */
enum { LM_MASS_REFINEMENTS = 2 };

/* Solves of the constrained mass matrix; lin is left factored with it. 0; 1 singular; 2 a force or
 * a prescribed motion is not a finite number; < 0 memory. */
int lm_factor_mass_at(lm_integrator *g, const lm_state *s);
int lm_factor_mass(lm_integrator *g, double t, const double *q, const double *v);
/* How far forces x[nv] move a state within the time w: (M/w^2 + D/w + K)^-1 x with the constraints, behind x
 * zeros for these. Factors as above, after one of those; 0, 1, 2 or < 0. */
int lm_factor_within(lm_integrator *g, const lm_state *s, double w);
void lm_solve_within(lm_integrator *g, double w, double *x);
/* The same, and 1 when a free motion has no mass to rounding. */
int lm_check_mass(lm_integrator *g, double t, const double *q, const double *v);
/* massless.c: the same where motions may have stiffness instead; and those put where their forces vanish, q
 * and v of the integrator. 0; 1, 2 as above; -1: no memory. */
int lm_check_massless(lm_integrator *g, double t, const double *q, const double *v);
int lm_settle_massless(lm_integrator *g, double t);
/* Near a singular position the smallest singular value of Phi goes to zero, and rounding errors of the
 * constraints come back as motions, A = 1/sigma times as large. Measured with the factors of g->lin, by one
 * solution with errors of +-1 in the constraints. */
double lm_amplification(lm_integrator *g);
/* The same at a state, factors included: where constraints depend on each other, infinite. 0; < 0: memory. */
int lm_singularity(lm_integrator *g, double t, const double *q, const double *v, double *A);

int lm_project_velocity(lm_integrator *g, double t, const double *q, double *v, double *change);
/* Positions onto the constraints; *gap: violation left. 0; 1: does not converge. */
int lm_project_position(lm_integrator *g, double t, double *q, double *moved, double *gap);

/* Largest relative violation of the constraints at the present state, also into the statistics. */
double lm_constraint_gap(lm_integrator *g);

/* ---- acceleration.c: the same matrix ---- */

/* a and lam of the equations of motion. As above; 3: forces depend on accelerations or reactions in such a
 * way that none solve the equations. */
int lm_consistent_acceleration(lm_integrator *g, double t, const double *q, const double *v,
                               double *a, double *lam);
/* 1: others than a, lam solve them, too, and are put into a1, lam1. */
int lm_other_acceleration(lm_integrator *g, double t, const double *q, const double *v,
                          const double *a, const double *lam, double *a1, double *lam1);

/* ---- row.c ---- */

int lm_row_init(lm_integrator *g); /* 0; -1: no memory */
void lm_row_free(lm_integrator *g);
/* a and lam, interpolated to t, replaced by those that the equations of motion ask for at q and v. 0; < 0: no
 * memory. */
int lm_row_solve(lm_integrator *g, double t, const double *q, const double *v, double *a,
                 double *lam);

/* ---- explain.c ---- */

/* Words for a step that fails even at the size h: `how`, and the equation that is worst (-1: none). */
void lm_explain_step(lm_integrator *g, const char *how, double h, int worst);
/* The same for one that Newton's method ended as `why`; converged: its error was too large. */
void lm_explain_newton(lm_integrator *g, lm_step_result why, double h, int worst);

/* Words for forces that are not finite; r: a residual[nv + ...] in which such a number stands. */
void lm_explain_not_finite(lm_integrator *g, double t, const double *r, int n);
/* Words for a solve of the constrained mass matrix that failed with `bad` > 0. */
void lm_explain_mass(lm_integrator *g, double t, int bad);

#endif
