/* Inside the periodic analysis: what its files share. Theory: docs/theory/periodic.md.
 *
 * A period T takes the state x = (q, v) on the constraints at t = 0 to P(x). The periodic motion starts
 * where P(x) = x. Deviations from it are (y, w): with S the units of each velocity, Z an orthonormal
 * basis of the motions that the constraints leave (in those units) and omega = 2 pi / T,
 *
 *     xi = S Z y,    dv = omega S Z w + G y,
 *
 * G so that the rates of the constraints stay zero, and orthogonal to Z. */
#ifndef LM_ANALYSIS_PERIODIC_H
#define LM_ANALYSIS_PERIODIC_H

#include "analysis/run.h"
#include "solve/tangent.h"

enum { LM_PERIODIC_MOST = 300, LM_PERIODIC_SAMPLES = 50 };

typedef struct lm_multiplier {
    double re, im; /* im >= 0 stands for the pair */
    int mover;     /* the velocity that moves most */
} lm_multiplier;

typedef struct lm_periodic {
    lm_run *run; /* NULL: nobody to tell of the progress */
    lm_system *sys;
    double T;
    int steps; /* in the period */
    double size;
    lm_integrator *g;
    lm_tangent *tangent;
    double *q, *v;      /* [nq], [nv] the start of the cycle */
    double *unit;       /* [nv] 1 for angles, the mechanism's size for lengths */
    double *Phi;        /* [nnz] constraint blocks */
    double *N;          /* how their rates change with the positions (lm_tangent_constraints) */
    int n, na;          /* independent motions, active constraints */
    double *basis;      /* [nv x nv] its last n columns are Z */
    double *Z, *G;      /* [nv x n] */
    double *xi, *dv;    /* [nv x 2n] `columns` deviations on their way, of which ... */
    double *R;          /* [columns x 2n] ... these parts are those of each y and w at the start */
    int columns, *from; /* [2n] scratch of their order */
    double *P;          /* [2n x 2n] dP/dx */
    int P_steps;        /* steps in the period with which it was made; 0: not yet */
    double *r;          /* [2n] P(x) - x */
    double *dx;         /* [2 nv] the same in all velocities */
    double *sample;     /* [SAMPLES x outputs] of the cycle, where `steps` is a multiple of them */
    double *A, *U, *Vt, *sigma; /* singular values of 1 - P */
    double *try_q, *try_v;
    int nfree;     /* of them nothing */
    int cycles;    /* periods that were run */
    double margin; /* moduli so near to 1 are marginal */
    int nmultipliers;
    lm_multiplier *multiplier; /* largest first; a pair is one */
    lm_failure failure;
    lm_arena arena;
} lm_periodic;

/* From the state q, v, which is consistent at t = 0: reserve memory. Frees in lm_periodic_free. */
limber_status lm_periodic_begin(lm_periodic *p, lm_system *sys, double T, const double *q,
                                const double *v);
void lm_periodic_free(lm_periodic *p);

/* periodic_cycle.c: Z and G at the start. */
limber_status lm_periodic_basis(lm_periodic *p);
/* Run one period from the start: r, dx, and, where it is wanted, P. The basis must be there. */
limber_status lm_periodic_cycle(lm_periodic *p, int with_tangent);

/* periodic_deviations.c: unit deviations along each y and w; what has died out of them taken away; and
 * what they are at the end, P. */
void lm_periodic_deviate(lm_periodic *p);
void lm_periodic_compress(lm_periodic *p);
void lm_periodic_arrive(lm_periodic *p);
/* (y, w) of a deviation: Z^T S^-1 xi, Z^T S^-1 dv / omega. */
void lm_periodic_coordinates(const lm_periodic *p, const double *xi, const double *dv, double *out);

/* periodic_newton.c: the start of the periodic motion, with p->steps in the period. */
limber_status lm_periodic_solve(lm_periodic *p);

/* periodic_period.c: the period, given or by the drives; drives and loads repeat after it. */
limber_status lm_periodic_period(lm_run *run, const lm_spec_analysis *a, double *T);

/* periodic_multipliers.c: eigenvalues of P. */
limber_status lm_periodic_multipliers(lm_periodic *p);
/* 1: unstable, 0: marginal, -1: stable. */
int lm_periodic_verdict(const lm_periodic *p);

/* The whole analysis, into the group run->tables.group. */
limber_status lm_periodic_analysis(lm_run *run, const lm_spec_analysis *a);

#endif
