/* Steady rotation: a model whose bodies turn with a driven joint at a constant speed, in the shape that
 * centrifugal forces give it.
 *
 * With v(q) and a(q) the velocities and accelerations of the rotation W about the line of the joint,
 * the shape is the solution of
 *
 *     r(q, v(q), a(q), lam) = 0,    phi(q) = 0
 *
 * found by Newton's method, from speed to speed. The drive stands at its value at t = 0, the others are
 * held at theirs. Theory: docs/theory/campbell.md. */
#ifndef LM_ANALYSIS_STEADY_H
#define LM_ANALYSIS_STEADY_H

#include "analysis/pencil.h"
#include "solve/linear.h"

/* Shapes that are critical at one speed, at most. */
enum { LM_STEADY_SHAPES = 4 };

typedef struct lm_steady_known lm_steady_known;

typedef struct lm_steady {
    lm_system *sys;
    lm_steady_known *known; /* of a system with a companion: that one's rotation; else NULL */
    int joint;              /* that turns */
    lm_spin spin;
    lm_turning turning;
    double sense; /* 1: b turns in a; -1: b stands still, and a turns the other way round */
    double speed; /* rate of the drive */
    double *q, *v, *a, *lam;
    double size, *unit; /* of length; [nv] 1 for angles, the size for lengths */
    double scale;       /* of the equations in the matrix: a typical stiffness */
    lm_pencil pencil;   /* at the state, of the last Newton step */
    lm_linear *lin;     /* of the pencil's pattern */
    double *x;          /* [nv + nl] */
    double *pose;       /* [7 nposes] */
    double *keep;       /* [nq + nl + nv] */
    double *start;      /* [nq] positions at rest */
    double *turned;     /* [nq] of lm_steady_turn: as turned, before the shape is found anew; */
    double changed;     /* what that changes, in units of lengths or angles */
    int settled;        /* 1: that was tried; 2: they are the equilibrium without rotation */
    double *away;       /* [nv] motion from there */
    int nshapes;        /* critical ones near the speed, in which the rotor is balanced */
    double *shape;      /* [3 nv LM_STEADY_SHAPES] these, M times these, and room */
    double mu[LM_STEADY_SHAPES]; /* ascending */
    double held;                 /* part of the mass in the matrix */
    int singular;                /* the matrix was, at the last step */
    long iterations;
    lm_failure failure;
    lm_arena arena;
} lm_steady;

/* For a joint of the model with a drive of its angle, from the assembled positions q, whose independent
 * constraints are active. LIMBER_OK, LIMBER_MEMORY; LIMBER_INPUT with `failure` where the model does
 * not turn as a whole. lm_steady_free in any case. The system has its drive from then on. */
limber_status lm_steady_begin(lm_steady *s, lm_system *sys, int joint, const double *q);
void lm_steady_free(lm_steady *s); /* the system has its own drives again */

/* The shape at another speed, from the present one on. LIMBER_OK, LIMBER_MEMORY, or LIMBER_STOPPED with
 * `failure`: there is none (the state is that of the last speed at which there was). */
limber_status lm_steady_find(lm_steady *s, double speed);

/* The same speed where the drive stands further on, by a small angle. */
limber_status lm_steady_turn(lm_steady *s, double angle);

/* After lm_steady_find failed: `failure` says so where the shape depends on where the drive stands. */
void lm_steady_explain(lm_steady *s);

/* How far the loads of another system of the same model would move the model at rest, in units of its size or
 * rad; NAN: nothing holds it. The speed is 0 then. */
limber_status lm_steady_sag(lm_steady *s, lm_system *loaded, double *sag);

/* v, a at the positions q. 0; 1: the coordinates cannot say it. */
int lm_steady_motion(lm_steady *s, const double *q);
lm_state lm_steady_state(const lm_steady *s);

/* The row of the drive of a joint's angle; NULL: there is none. */
const lm_row *lm_steady_drive(const lm_model *m, int joint);

/* steady_bodies.c: which bodies turn with a joint. 0; else 1 + index of a joint that lets none of it
 * (it holds a body that turns to one that does not). */
int lm_steady_bodies(const lm_model *m, int joint, unsigned char *turns);
/* 1: the a side of the joint turns, because b is what stands on the ground. work [bodies]. */
int lm_steady_a_turns(const lm_model *m, int joint, unsigned char *work);
/* The line of a joint as drawn. */
void lm_steady_line(const lm_model *m, int joint, lm_v3 *point, lm_v3 *axis);

/* steady_balance.c: shapes that are critical near the speed, after factoring. */
int lm_steady_near(lm_steady *s); /* 0, or -1: no memory */
/* None of them, where the forces r in them are no unbalance. */
void lm_steady_judge(lm_steady *s, const double *r);
/* Part of the mass that keeps the matrix regular beside them. */
double lm_steady_guard(const lm_steady *s);
/* Their part of the forces r; their part of the motion from rest after dx. */
void lm_steady_take_back(const lm_steady *s, double *r);
void lm_steady_balance(const lm_steady *s, double *dx);

/* steady_known.c: the companion's rotation, which a system that has one must be told: begin, follow to
 * s->speed, and no more of it. Nothing for other systems. */
limber_status lm_steady_known_begin(lm_steady *s);
limber_status lm_steady_known_find(lm_steady *s);
limber_status lm_steady_known_turn(lm_steady *s, double angle);
const char *lm_steady_known_failure(const lm_steady *s); /* "": none */
void lm_steady_known_free(lm_steady *s);

#endif
