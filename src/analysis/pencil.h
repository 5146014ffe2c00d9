/* Small deviations y from steady rotation, in axes that turn uniformly at a rate Omega or stand still:
 *
 *     delta v = y. + B y,    delta a = y.. + (B + Omega) y. + Omega B y
 *     M y.. + C y. + K y + Phi^T dlam = 0,    Phi y = 0
 *     C = D + M (B + Omega),    K = K* + D B + M Omega B
 *
 * with the seam's M, D, K* of the rotation. Omega and B act on the vectors of three among the
 * velocities: B = Omega - (omega x on rotation vectors of a body that turns at omega). So the products
 * fill columns of three; the pattern is the system's with these filled. Theory: docs/theory/campbell.md. */
#ifndef LM_ANALYSIS_PENCIL_H
#define LM_ANALYSIS_PENCIL_H

#include "form/form.h"

typedef struct lm_pencil {
    lm_system *sys;
    lm_pattern pattern;
    int *place;                /* [nnz of the system's] where each entry is in it */
    const unsigned char *kind; /* [nv] of lm_form.turn */
    const double *axis;        /* [nv] */
    double *m, *d, *k;         /* [nnz of the system's] M, D, K*, with the constraint blocks */
    double *M, *C, *K;         /* [nnz] the constraint blocks in K only */
} lm_pencil;

/* 0, or -1: no memory (of the arena). kind and axis must stay. */
int lm_pencil_make(lm_pencil *p, lm_arena *arena, lm_system *sys, const unsigned char *kind,
                   const double *axis);
/* Evaluate m, d, k at a state, those of Newton's method or of vibrations. 0; 1: it cannot be evaluated. */
int lm_pencil_evaluate(lm_pencil *p, const lm_state *s, int vibrations);
/* M, C and K from m, d, k: bodies turn at `rate`, the axes at `axes`. */
void lm_pencil_turn(lm_pencil *p, double rate, double axes);
/* K alone for the equilibrium in rotation: K* + D dv/dq + M da/dq, v(q) and a(q) those of lm_form.turn
 * near the rest positions. */
void lm_pencil_tangent(lm_pencil *p, double rate);
/* y += s A x for the nv x nv block. */
void lm_pencil_mul(const lm_pencil *p, const double *A, double s, const double *x, double *y);
/* All three at once. */
void lm_pencil_mul_all(const lm_pencil *p, const double *x, double *Mx, double *Cx, double *Kx);
/* Largest |entry| of Phi x, and its row. */
double lm_pencil_gap(const lm_pencil *p, const double *x, int *row);

#endif
