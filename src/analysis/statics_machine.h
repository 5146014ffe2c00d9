/* A machine at rest, as statics sees it: the mechanism alone, whose variables are functions of its
 * position and reactions.
 *
 * With the states held and all rates zero the values x of the other variables follow from
 *
 *     F(x; q, lam) = 0,    and the equations of equilibrium are    r(q, lam, x(q, lam)) = 0
 *
 * with the stiffness K - r_x F_x^-1 F_q, and F_lam likewise behind the reactions. A system of these
 * equations has the mechanism's own unknowns, and the entries in its matrix by which a variable's effort
 * depends on what it reads. (docs/theory/machine.md) */
#ifndef LM_ANALYSIS_STATICS_MACHINE_H
#define LM_ANALYSIS_STATICS_MACHINE_H

#include "form/form.h"
#include "solve/linear.h"

/* An effort in one row of the matrix that changes with an unknown: entry `to` -= values[from] z[variable]. */
typedef struct rest_coupling {
    int column; /* the unknown, by its number in the machine */
    int row;    /* the same of the equation */
    int variable;
    int from; /* entry of the machine's matrix: the force of the variable */
    int to;   /* entry of this one's */
} rest_coupling;

typedef struct lm_rest {
    lm_system sys; /* the mechanism's numbers */
    lm_arena arena;
    lm_form form;
    lm_system *machine, *in; /* in: its mechanism */
    int n;                   /* variables */
    int moving;              /* 1: rates have entries, too */
    double *q;               /* positions of the machine */
    double *held, *a;        /* velocities: 0, and the states; accelerations: 0, and the values */
    double *r, *values;      /* residual, matrix of the machine */
    double *x, *good, *most; /* [n] values of variables, the last solution, their largest so far */
    double *z;               /* [n] right sides */
    lm_linear *lin;          /* of F_x */
    lm_pattern block;        /* of F_x */
    int *block_from;         /* [block.nnz] entries of the machine's matrix */
    double scale;            /* cK with which it is factored; 0: it is not */
    int *place;              /* [nnz of the machine] entries of this matrix; -1: of variables */
    int ncouplings;
    rest_coupling *coupling; /* [ncouplings] by column */
    int unsolved;            /* 1: the last state had no solution x */
} lm_rest;

/* NULL: no memory. v: velocities of the machine, of which its states are held. moving: the entries are those of
 * small motions too, where rates are not zero. */
lm_rest *lm_rest_create(lm_system *machine, const double *v, int moving);
void lm_rest_destroy(lm_rest *s);
/* From this state on, states that are integrals of the motion follow it. */
void lm_rest_track(lm_rest *s, const lm_state *st);
/* 1: variable k is held: a state that is no integral of the motion. */
int lm_rest_holds(const lm_rest *s, int k);
/* The state of the machine for one of this system: its arrays last until the next call. 0, or 1. */
int lm_rest_state(lm_rest *s, const lm_state *st, lm_state *machine);

/* statics_machine_make.c: pattern, places and couplings; 0, or -1. */
int lm_rest_build(lm_rest *s);

#endif
