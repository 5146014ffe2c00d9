/* Inertia of the constrained stiffness: in how many motions an equilibrium is unstable, and which
 * motions nothing holds.
 *
 * The matrix of the equilibrium equations, with springs added on the constraints,
 *
 *     A = [ K + Phi^T P Phi   Phi^T ]
 *         [ Phi               0     ]
 *
 * is eliminated without pivoting, A = L D U, each multiplier after the motions of its row; P gives the
 * constrained motions a stiffness until then and changes nothing. By Sylvester's law of inertia the
 * negative entries of D, less one for each constraint, count the motions that lower the potential
 * energy. Where loads have no potential A is not symmetric, and whether the count is odd tells whether
 * a real eigenvalue is negative. A pivot that vanishes against the rounding of its terms belongs to a
 * motion without stiffness. */
#ifndef LM_ANALYSIS_STABILITY_H
#define LM_ANALYSIS_STABILITY_H

#include "form/form.h"

typedef struct lm_stability {
    int negative;   /* motions that lower the energy */
    int symmetric;  /* 1: the loads have a potential */
    int nfree;      /* motions that nothing holds ... */
    int *free;      /* ... [nfree] velocities, one in each, that would hold them all if held */
    int *pivot;     /* [nfree] velocities at which they were found */
    double *held;   /* [nfree] stiffness with which to hold them */
    double *spring; /* [nfree] what has been added to their pivots */
    double unbalanced;
    struct lm_elimination *e;
} lm_stability;

lm_stability *lm_stability_create(const lm_system *sys, double size); /* NULL: no memory */
void lm_stability_destroy(lm_stability *s);

/* Look at `values` of the system's matrix, made with cK = scale alone; force: unit of force, that of
 * the matrix (times scale): stiffness that is nothing against it over the size is none; unbalanced: what
 * part of it is out of balance. 0; 1: a value is not finite. Allocates nothing. */
int lm_stability_examine(lm_stability *s, const double *values, double force, double unbalanced);
/* In how many motions the equilibrium is unstable for certain. */
int lm_stability_lost(const lm_stability *s);

/* The free motion number k, [nv], largest entry 1 (translations over the size). */
void lm_stability_free_motion(const lm_stability *s, int k, double *z);
/* The motion with the least stiffness, by inverse iteration; as above. */
void lm_stability_softest(const lm_stability *s, double *z);
/* The velocity that moves most in z. */
int lm_stability_mover(const lm_stability *s, const double *z);

#endif
