/* The lowest roots of a large quadratic eigenvalue problem
 *
 *     (s^2 M + s C + K) x + Phi^T mu = 0,    Phi x = 0
 *
 * of a pencil, at one speed after the other. Some speeds are searched anew (lm_spectrum_search: Krylov
 * spaces of the inverse at a real shift, what was found taken out until nothing lower is left, so that
 * equal roots are all found). Between them the problem is projected on the shapes found at the two
 * speeds around (lm_spectrum_solve), and the basis is extended until every root solves the equations. */
#ifndef LM_ANALYSIS_SPECTRUM_H
#define LM_ANALYSIS_SPECTRUM_H

#include "analysis/steady.h"

typedef struct lm_root {
    double re, im;   /* s, im >= 0 stands for the pair */
    double *x, *y;   /* [nv] the shape x + i y of unit mass, or of unit size where it has no mass */
    double *Mx, *My; /* M times that */
    double off;      /* what is left of the equations, as a part of the shape */
} lm_root;

typedef struct lm_spectrum {
    lm_steady *steady; /* its pencil is at the speed */
    int nv, n, nfree;  /* n: with multipliers; motions that the constraints leave */
    int count, more;   /* roots wanted; kept beyond them */
    double sigma, scale;
    int m, room;           /* vectors of the basis */
    double *V;             /* [nv x room] orthonormal in units of each kind */
    double *MV, *CV, *KV;  /* [nv x room] */
    double *small;         /* the projected problem */
    double *b, *c, *w, *t; /* [n]; t [nv + room] */

    double floor; /* of what is left of the equations, by rounding; over what is allowed */
    int complete; /* the last search has found all roots that are finite */
    int found;
    int wanted;    /* of these: count, and all that are equal or opposite to the last of them */
    lm_root *root; /* [count + more] the lowest, by |s| */
    unsigned long long seed;
    lm_arena arena;
} lm_spectrum;

limber_status lm_spectrum_begin(lm_spectrum *p, lm_steady *steady, int count);
void lm_spectrum_free(lm_spectrum *p);
/* Factor at the shift. 0; 1: singular at all shifts tried; -1: no memory. */
int lm_spectrum_factor(lm_spectrum *p);
/* The basis from nothing: shapes of the lowest roots at the pencil's speed. 0, 1, -1. */
int lm_spectrum_search(lm_spectrum *p);
/* Put k vectors X [nv x k] into the basis as far as they are new. */
void lm_spectrum_extend(lm_spectrum *p, int k, const double *X);
/* The roots at the pencil's speed from the basis, extended as it needs. 0; 1: they do not
 * converge; -1. */
int lm_spectrum_solve(lm_spectrum *p);
/* Roots that are the same but for rounding; 0 is like none. */
int lm_spectrum_equal(const lm_root *r, const lm_root *o);
/* What is left of the equations at the pencil's matrices for a root and shape, over what they make of
 * rounding times 1e9; Mx and My are made anew. */
double lm_spectrum_check(lm_spectrum *p, lm_root *r);

#endif
