/* Inside the modes analysis: what its files share. Theory: docs/theory/modes.md.
 *
 * About a state at rest the system is
 *
 *     M x.. + D x. + K x + Q mu = 0,    Phi x = 0
 *
 * (Q = Phi^T unless forces depend on reactions) and its modes are the motions x = phi exp(s t).
 * All of it comes through the seam; x is a motion as retract takes it. */
#ifndef LM_ANALYSIS_MODES_H
#define LM_ANALYSIS_MODES_H

#include "analysis/modes_machine.h"
#include "analysis/run.h"

typedef struct lm_mode {
    double re, im; /* s; im >= 0 stands for the pair */
    limber_mode_kind kind;
    double *shape, *imag; /* [nv] phi^H M phi = 1; imag is NULL where the shape is real */
    double participation[6], mass[6];
    int mover; /* the velocity that moves most */
} lm_mode;

typedef struct lm_modes {
    /* what is asked */
    lm_system *sys;
    int count;
    int large;           /* 1: the sparse solver whatever the size */
    int (*stop)(void *); /* NULL, or called now and then; not 0: give up */
    void *stop_context;
    /* the state */
    lm_integrator *g; /* q, t and reactions at rest; for its mass and linear solvers too */
    double *zero;     /* [nv] */
    double *v0,
        *a0; /* [nv] the state at rest: 0, but for variables of a machine, which have values */
    const double *states;             /* [nvariables] values of the states among them; NULL: 0 */
    double unbalanced, force, moment; /* largest force left over, present, and left over moment */
    double rounding;                  /* force that is none beside the stiffness */
    int unbalanced_at;
    int at_rest; /* the state is an equilibrium */
    /* the linearised system (modes_matrix.c) */
    double size, *unit;     /* [nv] 1 for angles, the mechanism's size for lengths */
    double *M, *D, *K;      /* [nnz] with the constraint blocks */
    double stiffness;       /* trace of K, lengths in the unit of length */
    double stiffest;        /* its largest entry */
    int nfree;              /* motions that the constraints leave */
    int damped;             /* D is not zero */
    int skew;               /* M, K or the constraint blocks are not symmetric */
    int implicit;           /* M or the constraint blocks are not */
    int reactive;           /* Q is not Phi^T */
    double *rigid, *Mrigid; /* [nv x 6] everything moving as one; NULL: unknown. M times that */
    double total[6];        /* rigid^T M rigid, its diagonal */
    /* undamped modes of the symmetric part: K X = M X lambda, X^T M X = 1, lambda ascending */
    int n;
    double *X, *lambda, *slack; /* [nv x n]; [n]; [n] rounding of lambda */
    int left_out, left_out_at;  /* motions with neither mass nor stiffness, mostly this velocity */
    /* the modes */
    int available; /* how many there are; -1: more than found */
    int found;
    lm_mode *mode; /* [found] */
    double captured[6];
    lm_condensed *condensed; /* sys where the variables of a machine follow its motion; NULL */
    const char *method;
    lm_failure failure;
    lm_arena arena; /* X and all that the modes point to */
} lm_modes;

/* Linearise about g->q at time t and find the modes. LIMBER_OK, LIMBER_MEMORY, LIMBER_INTERRUPTED,
 * or LIMBER_STOPPED with `failure`. Frees in lm_modes_free what it and the caller put there. */
limber_status lm_modes_solve(lm_modes *m, double t, const double *q);
void lm_modes_free(lm_modes *m);

/* modes_matrix.c */
limber_status lm_modes_linearise(lm_modes *m, double t, const double *q);
/* The same about a moving state: g->v, a and lam, and the matrices there. */
limber_status lm_modes_linearise_moving(lm_modes *m, double t, const double *q, const double *v);
/* 1: these are about a known motion without deformation. */
int lm_modes_undeformed(const lm_modes *m);
/* Of the state at rest only g->a and g->lam, by which variables have their values. */
limber_status lm_modes_rest(lm_modes *m, double t, const double *q);
/* y = A x and x^T A x for the nv x nv block of A; *size, unless NULL: the root of the sum of the
 * squares of its terms, in which rounding is measured. */
void lm_modes_mul(const lm_modes *m, const double *A, const double *x, double *y);
double lm_modes_form(const lm_modes *m, const double *A, const double *x, double *size);
/* Sum of the diagonal of A without signs, lengths in the unit of length. */
double lm_modes_trace(const lm_modes *m, const double *A);
/* Y^T A X, [n x n] from [nv x n]; 0, or -1: no memory. */
int lm_modes_reduce(const lm_modes *m, const double *A, int n, const double *Y, const double *X,
                    double *out);

/* Undamped modes of the symmetric part into n, X, lambda. Dense: all of them (and the left basis
 * Y for reduce, X itself unless reactive); large: the lowest `wanted`. */
limber_status lm_modes_dense(lm_modes *m, double **Y);
/* A basis of the motions z with P z = 0, P the active rows (or the active columns, transposed) of the
 * constraint blocks: the last nv - rank columns of Z [nv x nv], orthonormal in units of each kind. */
limber_status lm_modes_basis(const lm_modes *m, int columns, double *Z, int *rank);
/* Improve shapes of it whose lambda, as lm_modes_rayleigh left it, is no more than rounding. */
limber_status lm_modes_sharpen(lm_modes *m);
limber_status lm_modes_large(lm_modes *m, int wanted);
/* Room for n undamped modes. */
limber_status lm_modes_reserve(lm_modes *m, int n);
/* modes_shape.c: lambda from X by Rayleigh's quotient, X to unit mass, sorted; slack. */
void lm_modes_rayleigh(lm_modes *m);
/* Turn the shapes of equal lambda so that they move along the axes as far as they can. */
limber_status lm_modes_turn_equal(lm_modes *m);
/* The best n shapes in the span of those from `first` on, by the stiffness A. 0; 1: they coincide;
 * -1: no memory. */
int lm_modes_ritz(lm_modes *m, const double *A, int first, int n);
/* Largest component, lengths in the unit of length. */
double lm_modes_largest(const lm_modes *m, const double *x);
/* What x^T K x of a shape of unit mass can be off by. */
double lm_modes_slack(const lm_modes *m, const double *x, double *lambda);

/* The list of modes from the undamped ones: themselves, or (modes_general.c) with damping and
 * unsymmetric forces on the basis X, Y. */
limber_status lm_modes_undamped(lm_modes *m);
limber_status lm_modes_general(lm_modes *m, const double *Y);
/* The inverse of the first-order form of (s^2 M + s D + K) x = 0, n unknowns, shifted by s0: T
 * [2n x 2n] for (x, s x), eigenvalues 1/(s - s0). 0; 1: s0 is a root; -1: no memory. */
int lm_modes_shifted_inverse(int n, const double *M, const double *D, const double *K, double s0,
                             double *T);
limber_status lm_modes_new(lm_modes *m, int found, int complex);
/* Phase and sign, participation, what moves most. */
limber_status lm_modes_finish(lm_modes *m);

/* modes_record.c: into the result file. */
limber_status lm_modes_record(lm_run *run, const lm_modes *m, const char *about);
/* One mode as the table and the caller see it. */
limber_mode lm_modes_public(const lm_modes *m, int i);

/* The whole analysis, into the group run->tables.group. */
limber_status lm_modes_analysis(lm_run *run, const lm_spec_analysis *a);

#endif
