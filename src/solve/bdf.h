/* Private to the method `bdf`: bdf.c is the integrator, bdf_start.c has errors and starts,
 * bdf_newton.c the equations of a step, bdf_vector.c what IDA does with vectors, bdf_hop.c the way
 * over singular positions. */
#ifndef LM_SOLVE_BDF_H
#define LM_SOLVE_BDF_H

#include "solve/integrator.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>

enum { BDF_ORDERS = 5 };

/* How Newton's iteration ended. */
typedef enum bdf_result {
    BDF_CONVERGED,
    BDF_SLOW,
    BDF_DIVERGED,
    BDF_NOT_FINITE,
    BDF_NO_MEMORY
} bdf_result;

/* Numbers that a checkpoint keeps, in the state block. */
typedef struct bdf_memory {
    double slow; /* the step size of late */
    double calm; /* the least echo of late */
    double
        turn; /* behind a start: the way on which its forces may turn the motion, over the unit of length; */
    double turned_at;   /* when they will have, if they last; */
    double way;         /* and the way made since then */
    double t, h, order; /* of the last good step before a singular position; order 0: none */
} bdf_memory;

typedef struct bdf_vectors bdf_vectors;

typedef struct bdf {
    lm_integrator base;
    bdf_memory *past; /* in the state block, and so are */
    double *past_q;   /* [nq] q_ref of the last good step */
    double *past_y;   /* [BDF_ORDERS + 1][2 nv] its polynomial: derivatives of (xi, v) at its end */

    /* IDA's. Its unknowns are y = (xi, v, lam), with q = retract(q_ref, xi). */
    SUNContext context;
    SUNNonlinearSolver newton;
    SUNNonlinSolSysFn system; /* IDA's way to bdf_residual() */
    bdf_vectors *vectors;     /* all of them, IDA's too */
    N_Vector y, yp, res, dky;
    void *ida;
    double *q_ref;
    int *turn, nturns; /* first ones of three local coordinates that are a rotation */

    /* Since IDA was started: */
    int started;    /* 0: it must be, before the next step */
    long steps;     /* made */
    long errors;    /* times that the error test rejected one */
    double h_first; /* the first step tried */
    int low;        /* steps with a low order */
    int clean;      /* last steps that rounding errors did not rule */
    int wary;       /* the last step came near a singular position */
    int hopped;     /* it was a hop: bdf_follow() knows the way, not IDA */

    /* Measures: */
    double unit;    /* of length */
    double allowed; /* error of a step */
    double reach;   /* largest coordinate of a body, at the last start */
    double echo;    /* size of the motions that errors of size 1 in the constraints cause */

    /* The step being tried: */
    double *q;        /* [nq] */
    double *slip;     /* [nv] what the position constraints add to the local rates */
    double *rate;     /* [nv] */
    double *gap;      /* [nl] violation of the positions */
    double factor_cj; /* of the factors in use; 0: none */
    double turned;    /* motion since they were made */
    bdf_result why;   /* the last failure */
    int finite;       /* 0: the failure text names a force that is not finite */
} bdf;

/* Positions at t, retract(q_ref, xi) with y = (xi, v), into b->q. */
int bdf_place(bdf *b, const double *q_ref, const double *y, double t);
/* Weights of the errors, as IDA wants them: an IDAEwtFn. */
int bdf_weights(N_Vector y, N_Vector w, void *b);
/* Count the steps in which rounding errors do not rule, more than elsewhere in this mechanism. */
void bdf_note_noise(bdf *b);
double bdf_least_step(const lm_integrator *s);
/* Whether the local coordinates have gone so far that q_ref should be moved. */
int bdf_is_far(const bdf *b);
/* Start IDA, with a first step smaller than usual by `less`. 0; > 0: as lm_consistent_acceleration, or
 * IDA does not want to; < 0: memory. */
int bdf_start(bdf *b, double limit, double less);

/* Vectors of length n, all zero; NULL: memory, or there are no more. */
bdf_vectors *bdf_vectors_new(long n);
void bdf_vectors_free(bdf_vectors *all);
N_Vector bdf_vectors_next(bdf_vectors *all, SUNContext context);

/* The nonlinear solver that IDA calls, and the residual that it asks IDA for. */
SUNNonlinearSolver bdf_newton_new(bdf *b);
int bdf_residual(double t, N_Vector y, N_Vector yp, N_Vector res, void *b);
/* The echo of errors in the constraints, by the present factors. */
double bdf_echo(bdf *b);

/* Keep the polynomial of the last step, if it was a good one. */
void bdf_remember(bdf *b);
/* Its state at a later time, into b->q and b->res (xi, v). */
int bdf_follow(bdf *b, double t);
/* Take the state behind the singular position that is in the way, at *end, unless the constraints
 * change it there by more than `most`. 0; 1: there is no such position, or it cannot be left behind;
 * < 0: memory. */
int bdf_hop(bdf *b, double limit, double most, double *end);

#endif
