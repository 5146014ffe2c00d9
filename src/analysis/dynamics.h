/* Private to the dynamics analysis and its checkpoints. */
#ifndef LM_ANALYSIS_DYNAMICS_H
#define LM_ANALYSIS_DYNAMICS_H

#include "analysis/run.h"

/* Numbers of the loop that a checkpoint keeps. */
typedef struct lm_dynamics_state {
    double next;                     /* index of the next output row */
    double since_checkpoint;         /* steps */
    double work, lost, work0, lost0; /* now, and at the start of the last step */
    double power0, power1, loss0, loss1;
    double energy0;
    lm_energy first; /* at the start */
    double exchanged, imbalance;
    double unit;   /* of length, for a model that is a single point */
    double rested; /* when such a point stood the last time; -INFINITY: it never did */
    double ahead;  /* how far it goes in the output step after that */
    double balance, lost_most, lost_at; /* of the last row; its largest change, and when */
    double noise;                       /* of energies, beyond that of their sizes */
    double jump_at, jump[2];            /* the largest jump of the energy: when, from and to */
    double mark_t, mark_steps, mark_rejected, stall_said; /* where progress was measured last */
} lm_dynamics_state;

typedef struct lm_events lm_events;
typedef struct lm_zones lm_zones;
typedef struct lm_drives lm_drives;
typedef struct lm_delays lm_delays;
typedef struct lm_impulses lm_impulses;

typedef struct lm_dynamics_run {
    lm_run *run;
    lm_integrator *g;
    lm_dynamics_state *k;
    lm_events *events; /* events.h; NULL: none are looked for */
    lm_zones *zones;   /* zones.h; NULL: no force of the state is curved */
    double *kept; /* the integrator's block at the start of the step; NULL: none is taken back */
    lm_step_stats kept_stats; /* ... and its statistics */
    double until, dt, last, first_step, interval;
    double least_unit; /* of length, for a model that is a single point */
    double brief;      /* in what time forces of time make states what they will be; 0: none do */
    double largest;    /* steps are no longer than this */
    double cap;        /* steps end here at the latest; INFINITY: no such place */
    int redundant;     /* inactive constraint rows */
    int lands;         /* 1: steps end at every row */
    int left_branch;   /* 1: of that was warned */
    double left_singular;    /* when it was seen to have left a singular position; 0: never */
    int samples_last;        /* 1: something is sampled at the very end */
    double *q, *v, *a, *lam; /* interpolated state */
    double *pose, *pose0;    /* body poses now and at the start */
    double *outputs;         /* of the model, for what happens after a step */
    char *snapshot;          /* the last checkpoint, in memory */
    size_t snapshot_size, snapshot_room;
    double *extremes; /* part of it */
    int snapshot_taken;
    double *powers;        /* scratch of power_flow.c */
    lm_impulses *impulses; /* of impulses.c; NULL: there can be none */
    lm_delays *delays;     /* of delays.c; NULL: there are none */
    lm_drives *drives;     /* of drives.c; NULL: there are none */
    lm_timing *timing;     /* of the model's expressions */
    lm_integrator *probe; /* of algebraic.c; NULL: no force depends on accelerations or reactions */
    int several;          /* 1: of several accelerations was warned */
    double energy[2];     /* before and after the last start again */
    int jump_said, missing_said; /* 1: of energy that jumps, that is missing was warned */
    double mark_seconds;         /* when progress was measured last */
} lm_dynamics_run;

limber_status lm_dynamics_open(lm_run *run, const lm_spec_analysis *a, lm_dynamics_run *d);
limber_status lm_dynamics_advance(lm_dynamics_run *d, double t);
void lm_dynamics_close(lm_dynamics_run *d);

/* Up to ten times a second, the caller's function; it may interrupt the run. */
limber_status lm_dynamics_progress(lm_dynamics_run *d);
/* One step, not beyond limit. */
limber_status lm_dynamics_step(lm_dynamics_run *d, double limit);
/* The state by s further on, without a step, into d->q, v, a and lam; jerk NULL: none. 1: there is none. */
int lm_dynamics_ahead(lm_dynamics_run *d, double s, const double *jerk);
/* That state, by s further on, becomes the present one; the powers are those of now. */
void lm_dynamics_carry(lm_dynamics_run *d, double s);

/* trial.c */
limber_status lm_trial_open(lm_dynamics_run *d);
void lm_trial_begin(lm_dynamics_run *d);     /* before a step */
void lm_trial_take_back(lm_dynamics_run *d); /* ... and it is as if it had been rejected */
/* The state at a time within the last step, into d->q and v; all: 1: its accelerations and reactions, too, into
 * d->a and lam, which are those at the end of the step else. 0, or 1. */
int lm_trial_inside(lm_dynamics_run *d, double t, int all);
/* 1: an expression may depend on accelerations or reactions. */
int lm_trial_needs(const lm_system *sys, const lm_expr *e);
int lm_trial_guards_need(const lm_system *sys); /* ... some guard */

/* discrete.c: the discrete state, and the caller's own function, after an accepted step. */
limber_status lm_discrete_begin(lm_dynamics_run *d);
/* The step is over and the next one begins at t, the present time or just behind a kink there. *jumped
 * 1: a state on which forces depend has left its value, and the integrator has to start again. */
limber_status lm_discrete_step(lm_dynamics_run *d, double t, int *jumped);
/* Where the next step has to end at the latest; *kink: the same for instants at which it starts anew. */
double lm_discrete_limit(const lm_dynamics_run *d, double t, double *kink);

/* Not beyond `limit`: where a tool has passed a cell, if the motion goes on as it does. */
double lm_discrete_tools_limit(lm_dynamics_run *d, double limit);

/* The inputs of all that changes with it. */
limber_status lm_discrete_evaluate(lm_dynamics_run *d, const lm_state *s);
/* Consistent accelerations and powers once more: something that forces depend on has changed. */
limber_status lm_discrete_start_again(lm_dynamics_run *d);

/* delays.c: what goes into delays, recorded after a step; limits as lm_discrete_limit */
limber_status lm_delays_open(lm_dynamics_run *d);
limber_status lm_delays_begin(lm_dynamics_run *d);
limber_status lm_delays_record(lm_dynamics_run *d);
double lm_delays_limit(const lm_dynamics_run *d, double t, double *kink);
void lm_delays_close(lm_dynamics_run *d);

/* power_flow.c: energy through the elements of the power graph */
limber_status lm_power_flow_open(lm_dynamics_run *d);
limber_status lm_power_flow_step(lm_dynamics_run *d);
limber_status lm_power_flow_close(lm_dynamics_run *d); /* into the file */

/* The same of an impulse by which velocities have become those of now; before: [nv]. */
void lm_power_flow_jump(lm_dynamics_run *d, const double *before);
/* One that was found out otherwise. */
void lm_power_flow_put(lm_dynamics_run *d, const double *energy);

/* impulses.c: storages in derivative causality whose momentum or charge jumps */
limber_status lm_impulses_open(lm_dynamics_run *d);
limber_status lm_impulses_step(lm_dynamics_run *d); /* stops if it has gone over one */
void lm_impulses_before(lm_dynamics_run *d);        /* the present state is the one before a jump */
limber_status lm_impulses_after(lm_dynamics_run *d, double t); /* ... and the one behind it, at t */
void lm_impulses_close(lm_dynamics_run *d);

/* drives.c */
limber_status lm_drives_open(lm_dynamics_run *d); /* refuses what jumps; after rows are selected */
/* The run has started again at the instant `to` from the state at t; `work` of the impulse: says which rates
 * have jumped. */
int lm_drives_impulse(lm_dynamics_run *d, double t, double to, double work); /* 1: some have */
/* g->failure names the drive whose acceleration has no bound, if that is the reason. */
void lm_drives_explain(lm_dynamics_run *d);
/* How far behind a corner at t the motion goes on: 0, or where the acceleration of a drive has come down from
 * infinity, so that steps can follow it; not up to `next`. */
double lm_drives_behind(const lm_dynamics_run *d, double t, double next);
unsigned char *
lm_drives_said(const lm_dynamics_run *d); /* [constraints] warned of; NULL: nothing to */
void lm_drives_close(lm_dynamics_run *d);

/* algebraic.c: forces that depend on accelerations or reactions */
limber_status lm_algebraic_open(lm_dynamics_run *d);
void lm_algebraic_start(lm_dynamics_run *d);
limber_status lm_algebraic_step(lm_dynamics_run *d); /* stops where there is no solution */
void lm_algebraic_explain(lm_dynamics_run *d);       /* ... or names that in g->failure */
void lm_algebraic_close(lm_dynamics_run *d);

/* unit_of_length.c */
/* How far forces of time may move a point: the least unit. Before the start. */
limber_status lm_unit_open(lm_dynamics_run *d);
/* 1: the forces on the state of the start are others at the time t, just behind it, as those of if(t > 0, 1, 0). */
int lm_forces_jump(lm_dynamics_run *d, double t);
/* The error norm's unit of length is the mechanism's size. A single point has none: then it is how
 * far the point has moved, to begin with in one output step (all through that step, and through that in which it
 * leaves its rest); where it stands, how far off it is. */
limber_status lm_follow_size(lm_dynamics_run *d);
/* The size to try after a start in between. A single point that stands has no unit of length yet, and its
 * error none; it may be left alone again at the next kink. */
double lm_first_step(const lm_dynamics_run *d);

/* quality.c */
void lm_quality_begin(lm_dynamics_run *d);               /* at the start */
void lm_quality_corners(lm_dynamics_run *d, lm_loc loc); /* many steps ahead are said, once */
double lm_quality_energy(const lm_dynamics_state *k);    /* missing over exchanged energy */
void lm_quality_balance(lm_dynamics_run *d, double time, double balance);
void lm_quality_motion(lm_dynamics_run *d, lm_loc loc); /* the warnings at the end */
void lm_quality_jump(lm_dynamics_run *d, double t);     /* d->energy is of a start there */
void lm_quality_progress(lm_dynamics_run *d);

/* checkpoint.c. A checkpoint is taken in memory every `interval` steps, and the integrator then
 * forgets what is not in it (its factors); it is written with the next flush. Resuming drops the
 * rows written after it and repeats them, to the same bits. */
limber_status lm_checkpoint_open(lm_dynamics_run *d);    /* after drives are known */
limber_status lm_checkpoint_reserve(lm_dynamics_run *d); /* room for all that there may be */
void lm_checkpoint_take(lm_dynamics_run *d);
limber_status lm_checkpoint_write(lm_dynamics_run *d);
/* *found 0: there is none, the run was ended before its first one; the tables are then empty. */
limber_status lm_checkpoint_read(lm_dynamics_run *d, int *found);

/* method.c; NULL: no memory */
lm_integrator *lm_method_integrator(const lm_spec_analysis *a, lm_system *sys, double until);
/* Parts of an interval of brief forces that a step of it may take. */
double lm_method_fineness(const lm_spec_analysis *a, const lm_system *sys);

#endif
