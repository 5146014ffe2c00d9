/* Private to statics: the state of a search for equilibrium, its equations, its two ways.
 *
 * The equations at the load factor f are affine in it,
 *
 *     r(q, lam, f) = r(q, lam, 0) + f p(q, lam) = 0,    phi(q) = 0,
 *
 * with f on gravity, loads and efforts. Where the stiffness holds every motion that p pushes, the
 * path of equilibria q(f) is followed (arc_length.c), from a small load on where the loads themselves
 * hold a motion that is neutral without them (neutral.c); a mechanism that something must first come
 * to hold slides downhill (descent.c). */
#ifndef LM_ANALYSIS_STATICS_H
#define LM_ANALYSIS_STATICS_H

#include "analysis/run.h"
#include "analysis/stability.h"
#include "analysis/statics_machine.h"

typedef struct lm_point { /* a point of the path, and its direction by arc length */
    double factor;
    double *q, *lam;
    double *t, t_factor; /* [nv + nl], d(q, lam)/ds; d(factor)/ds */
    int negative;        /* unstable motions */
} lm_point;

enum { LM_LIMITS = 8 }; /* limit points remembered */
#define LM_NO_LOAD 1e-4 /* load factor of a turn that is none of a structure */

typedef struct lm_statics_search {
    lm_run *run;
    lm_system *sys; /* the run's, or of a machine `rest` */
    lm_rest *rest;  /* NULL: the model has no variables */
    lm_linear *lin;
    lm_stability *stab;
    lm_arena arena;
    int load_steps, n; /* n = nv + nl */
    double size;       /* unit of length */
    double span;       /* largest coordinate as drawn */
    int loaded;        /* 1: there are loads */
    double force;      /* unit of force: the largest of loads, and of reactions in equilibrium */
    double scale;      /* of the equilibrium equations in the matrix: 1 / typical stiffness */
    double mu;         /* regularisation of a descent, over force / size */
    lm_point now, last, base, spare;
    lm_point start;   /* without loads */
    lm_point turned;  /* the last point before the load factor first turns ... */
    long turned_rows; /* ... rows recorded up to it ... */
    int snapped;      /* ... 1: from which the mechanism has slid to the full load */
    double *zero;     /* [nv] velocities and accelerations */
    double *r, *p;    /* [n] residual, d(residual)/d(factor) */
    double *x;        /* [2 n] right sides, solutions */
    double *rhs;      /* [2 n] scratch of solutions */
    double *way;      /* [nv] motion of a step of a descent */
    int *diag;        /* [nv] places of the diagonal in the matrix */
    double residual;  /* largest, over the unit of force, and of phi, over that of length: of the */
    double gap;       /* last evaluation */
    double floor;     /* residual that rounding makes, at the last state examined */
    long iterations;
    long rows;            /* recorded before */
    limber_status status; /* not LIMBER_OK: out of memory, or the caller stopped the run */

    int nlimits; /* turns of the load factor along the path */
    double limit[LM_LIMITS];
    int limit_mover; /* what gives way at the first of them */
    double lost_at;  /* load factor at which stability was first lost, other than at a turn; NAN */
    int lost_mover;  /* the motion in which it was */
    double most;     /* largest load factor reached */
    double broke_at; /* load factor at which the path broke off; NAN */
    int broke_mover; /* what moves most there */
    int points;      /* of the path, so far */
    int neutral;     /* motions free at its start, that loads may come to hold */
    int mover;       /* what moves most, for messages */
    int opened;      /* constraint that was redundant until it opened; -1: none */
} lm_statics_search;

/* equilibrium.c */

/* s->r, residual and gap at s->now; with_load: s->p too. 0; 1: the state cannot be evaluated. */
int lm_statics_evaluate(lm_statics_search *s, int with_load);
/* s->now is in equilibrium: its reactions count for the unit of force from here on. */
void lm_statics_take_force(lm_statics_search *s);
/* The matrix at s->now with mu times the unit of stiffness on every motion, and the motions that
 * nothing holds held; factored. examine: look for these, for stability and for the rounding floor
 * first (overwrites s->x). 0; 1: singular or cannot be evaluated (status: no memory). */
int lm_statics_factor(lm_statics_search *s, double mu, int examine);
/* -r as a right side of the matrix, into x. */
void lm_statics_rhs(const lm_statics_search *s, const double *r, double *x);
/* The solution for this right side by the last factors, multipliers out of the matrix's scale. */
void lm_statics_solve(lm_statics_search *s, double *x);
/* Move s->now by x[n]. 0, or 1. */
int lm_statics_move(lm_statics_search *s, const double *x);
void lm_point_copy(const lm_statics_search *s, lm_point *to, const lm_point *from);
/* s->now, as the run's system sees it. 0, or 1. */
int lm_statics_state(lm_statics_search *s, lm_state *st);
/* 1: at s->now a redundant constraint is open, which was redundant in a singular position only: rows are selected
 * anew, and s->now is to be closed or given up. */
int lm_statics_opens(lm_statics_search *s);
/* Record s->now as a row of results. */
limber_status lm_statics_put(lm_statics_search *s);
/* statics_linear.c */

/* From here on loads and efforts change in full by what they read, as a stiffness does: sys->start_loads. 0, or 1. */
int lm_statics_start_loads(lm_statics_search *s);
/* The row that the displacements and reactions x[n] from s->last make under the full load, to first order.
 * LIMBER_INTERNAL: a state cannot be evaluated. */
limber_status lm_statics_put_linear(lm_statics_search *s, const double *x);
/* Progress; status when the caller stops the run. */
limber_status lm_statics_tell(lm_statics_search *s);

/* descent.c: equilibrium at s->now.factor from s->now. 0; 1: not found (s->mover: what moves). */
int lm_statics_descend(lm_statics_search *s);

/* Newton's method from nearby, where s->r is known; motions that are neutral there held. 0; 1: not found,
 * s->now stays as it was. */
int lm_statics_polish(lm_statics_search *s);

/* neutral.c: from s->start, where motions are free, to an equilibrium under a small load that holds some of
 * them. 0; 1: there is none. */
int lm_statics_leave_neutral(lm_statics_search *s);

/* At s->now, without loads, examined: 1: the loads push a motion that is neutral there by forces of the second
 * order (s->mover), against no stiffness of the first. No path begins. */
int lm_statics_pushes_neutral(lm_statics_search *s);

/* arc_length.c: from the equilibrium s->now to the load factor 1. 0; 1: the path does not get there
 * (s->last: the last point on it). */
int lm_statics_follow(lm_statics_search *s);

#endif
