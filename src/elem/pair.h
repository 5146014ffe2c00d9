/* Measures: scalar functions of two poses a and b. Everything that joins two bodies is made of
 * them: a constraint is a measure that vanishes, a drive one that is prescribed, a spring, bushing
 * or joint torque one that carries a force. Pure functions; the formulas are in docs/theory/joints.md.
 *
 * A pair has a point and a triad on either side: d = xb - xa, e_i the triad on a, f_i on b, and rho
 * the vectors from the two nodes to the points. Derivatives are with respect to the nodes' small
 * motions (xa, psi_a, xb, psi_b), four blocks of three in that order (LM_PAIR_BLOCKS). */
#ifndef LM_ELEM_PAIR_H
#define LM_ELEM_PAIR_H

#include "math/v3.h"

typedef enum lm_measure {
    LM_POINT,  /* world component i of d */
    LM_ALONG,  /* e_i . d */
    LM_MEAN,   /* (e_i + f_i)/2 . d: neither side comes first */
    LM_LENGTH, /* |d| */
    LM_DOT,    /* e_i . f_j */
    LM_ANTI,   /* sine-like rotation about e_i: (f_j . e_k - f_k . e_j)/2 with ijk cyclic */
    LM_TWIST,  /* angle of b against a about the third axis */
    LM_ANGLE1, /* universal joint: cross against a, about e_1 */
    LM_ANGLE2, /* universal joint: b against the cross, about f_2 */
    LM_ROTVEC, /* component i of the rotation vector of b against a, in a's axes */
    LM_SPIN    /* of dampers: only its rate is defined, e_i . (omega_b - omega_a); the value is 0 */
} lm_measure;

enum { LM_XA, LM_PA, LM_XB, LM_PB, LM_PAIR_BLOCKS };

typedef struct lm_pair_pose {
    lm_v3 d, rho[2];
    lm_m3 e, f; /* columns are the axes */
} lm_pair_pose;

/* Value; angles in (-pi, pi]. */
double lm_measure_value(lm_measure m, int i, int j, const lm_pair_pose *p);

/* Gradient: rate of the measure = sum over blocks of G . (velocity block). */
void lm_measure_grad(lm_measure m, int i, int j, const lm_pair_pose *p, lm_v3 G[LM_PAIR_BLOCKS]);

/* The three components of LM_ROTVEC together, and their gradients by psi_b (by psi_a the opposite). */
void lm_measure_rotvec(const lm_pair_pose *p, double value[3], lm_v3 g[3]);

/* Derivative of the gradient: dG[r] = sum_c H[r][c] (motion block c). Not symmetric, because small
 * rotations do not commute. Blocks outside the returned set (bit 4*r + c) are not written. */
unsigned lm_measure_hess(lm_measure m, int i, int j, const lm_pair_pose *p,
                         lm_m3 H[LM_PAIR_BLOCKS][LM_PAIR_BLOCKS]);
/* The same set without the numbers. */
unsigned lm_measure_blocks(lm_measure m);

/* (Hv) . v, the part of the second time derivative that is not G . acceleration. */
double lm_measure_bias(lm_measure m, int i, int j, const lm_pair_pose *p,
                       const lm_v3 v[LM_PAIR_BLOCKS]);

/* 1 when the measure is an angle or rotation (its force is a moment). */
static inline int lm_measure_is_rotation(lm_measure m) { return m >= LM_DOT; }
/* 1 when the value is only known up to whole turns. */
static inline int lm_measure_is_angle(lm_measure m) { return m >= LM_TWIST && m <= LM_ANGLE2; }

#endif
