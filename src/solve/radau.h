/* Private to the method `radau`: radau.c is the integrator, radau_error.c the error and the size of
 * steps, radau_newton.c the equations of a step, radau_hop.c the way over singular positions,
 * radau_stage.c the formulas of the method, radau_pair.c the complex one of its two linear systems. */
#ifndef LM_SOLVE_RADAU_H
#define LM_SOLVE_RADAU_H

#include "solve/integrator.h"

enum { RADAU_STAGES = 3 };

/* ---- radau_stage.c ---- */

/* A = radau_A at the nodes c, and A^-1 = T Lambda T^-1 with
 *     Lambda = [ g 0 0; 0 a -b; 0 b a ]:
 * one real eigenvalue, and the complex pair z = a + i b. */
typedef struct radau_method {
    double c[3], A[3][3];
    double T[3][3], Ti[3][3];
    double real, re, im; /* g, a, b */
    double e[3];         /* of the error estimate */
} radau_method;

const radau_method *radau_formulas(void);
/* Weights w with which values at 0, c1, c2, 1 (at = 4) or at c1, c2, 1 (at = 3: w[1..3], w[0] = 0)
 * give their polynomial at x. */
void radau_interpolate(int at, double x, double w[4]);
/* The same, of the integral of the polynomial through four values from 0 to x. */
void radau_integrate(double x, double w[4]);

/* ---- radau_pair.c: a complex system as a real one of twice the size; a small one as it is ---- */

typedef struct radau_complex {
    double re, im;
} radau_complex;

typedef struct radau_pair {
    int n;                /* unknowns */
    radau_complex *dense; /* [n x n] by columns, then its factors; NULL: by lin, as a real one */
    int *pivot;           /* [n] rows that changed places */
    const lm_system *sys;
    double *d;  /* [n] scales of the dense matrix */
    int scaled; /* 0: all of them are 1 */
    lm_arena arena;
    lm_pattern pattern; /* unknowns 2i, 2i + 1: real and imaginary part of unknown i */
    lm_groups groups;
    int (*place)[4]; /* [nnz of the system's pattern] its places: rr, ii, ri, ir; the last -1 */
    lm_linear *lin;
    double *values; /* of lin's matrix */
} radau_pair;

int radau_pair_init(radau_pair *p, const lm_system *sys); /* 0, -1: no memory */
/* The matrix: first all zero, then entry k of the system's pattern, (r, c). */
void radau_pair_clear(radau_pair *p);
static inline void radau_pair_put(radau_pair *p, int r, int c, int k, radau_complex z)
{
    if (p->dense) {
        p->dense[p->n * c + r] = z;
        return;
    }
    const int *at = p->place[k];
    p->values[at[0]] = p->values[at[1]] = z.re;
    if (at[2] < 0) return;
    p->values[at[2]] = -z.im;
    p->values[at[3]] = z.im;
}
void radau_pair_new_pivots(radau_pair *p);
int radau_pair_factor(radau_pair *p, double mass); /* as lm_linear_factor; mass: a typical one */
/* x [2n]: right side in, solution out, real and imaginary parts in turns */
void radau_pair_solve(radau_pair *p, double *x);
void radau_pair_free(radau_pair *p);

/* ---- the integrator ---- */

typedef struct radau {
    lm_integrator base;
    /* In the state block: the stages of the last step; the third one is its end. */
    double *past_x[2], *past_a[2], *past_lam[2];
    double *wary;  /* [1] steps for which a singular position is expected ahead */
    double *pace;  /* [1] the step size of late */
    double *brief; /* [2] until when errors count over a step's way, and the speed at the start */

    /* Scratch. The step being tried; index: stage. */
    double *x[3], *v[3], *a[3]; /* [nv] local coordinates, velocities, accelerations */
    double *lam[3];             /* [nl] */
    double *off[3];             /* [nv] what the constraints on positions add to x */
    double *q, *ref, *qs[3];    /* [nq] scratch, where the factors were made, at the stages */
    double *rate[3];            /* [nv] of the local coordinates */
    double *res[3];             /* [nv + nl] equations of motion, rates of the constraints */
    double *da[3];              /* [nv] changes of the accelerations */
    double *gap[3];             /* [nl] positions */
    double *sol, *sol2;         /* [2 (nv + nl)] right sides and solutions */
    double *err;                /* [2 nv] */
    double open;                /* largest gap of the positions that the velocities do not close */
    double *M, *D, *K;          /* [nnz] where the factors were made */
    radau_pair pair;
    double far;      /* lm_integrator_far at the start of the step */
    double factor_h; /* step of the factors in use; 0: none */
    double turned;   /* motion since M, D and K were made */
    double rate_of;  /* slowest contraction of the last step; negative: its matrices were new */
} radau;

/* ---- radau_newton.c ---- */

/* Stages of a step of size h: the last step's polynomials, continued. */
void radau_predict(radau *g, double h);
/* Velocities and local coordinates of the stages from their accelerations; repeated, as the rates of the
 * coordinates depend on them. */
void radau_follow(radau *g, double h, int times);
/* Solve for the stages of the step of size h to time t; `goal`: accepted error of the motion;
 * `most`: iterations. */
lm_step_result radau_iterate(radau *g, double t, double h, double goal, int most);
/* The equation with the largest residual at the predicted stages; -1. */
int radau_worst_equation(radau *g, double t, double h);

/* ---- radau_hop.c ---- */

/* The state behind a singular position, at time t = now + h, from the last step's polynomials alone
 * and brought onto the constraints: stages, and g->q. 0; 1: it is not behind one; 2: it is too far,
 * the constraints would change it by more than `most`; < 0: memory. */
int radau_hop(radau *g, double t, double h, double most);

/* 1: constraints are much closer to dependent at the start than at the predicted end of the step to t. */
int radau_leaves_singular(radau *g, double t, double h);

/* ---- radau_error.c ---- */

/* Size of the embedded estimate for the step that was just solved. */
double radau_estimate(radau *g, double h);
/* The error of the step that goes with it, over what is allowed: goes with h^5. */
double radau_error_ratio(const radau *g, double h, double estimate);
/* After a start; and what Newton's method may leave then, `goal` or less. */
void radau_behind_start(radau *g);
double radau_goal_of_way(const radau *g, double h, double goal);
/* Error that a step of size h may have: together they stay below the tolerance. */
double radau_allowance(const radau *g, double h);
/* Size of the next step after one of size h. */
double radau_next_size(radau *g, double h, double ratio);

#endif
