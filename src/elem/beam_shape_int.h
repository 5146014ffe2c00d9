/* The displacement functions of a beam element at the points of its integrals, for kernels that
 * integrate more than lm_beam_shape holds: docs/theory/beam-sections.md. */
#ifndef LM_ELEM_BEAM_SHAPE_INT_H
#define LM_ELEM_BEAM_SHAPE_INT_H

#include "elem/beam.h"

enum { LM_BEAM_POINTS = 64 }; /* the most points of an element */

/* One point. Functions of bending are over (y_a, psi_za, y_b, psi_zb) and (z_a, psi_ya, z_b,
 * psi_yb), of stretch and torsion over the values at a and b. Rotations are positive about their
 * axes; slopes are derivatives by x of the axis' displacement. */
typedef struct lm_beam_point {
    double x, dx; /* place, 0 < x < L; its share of the length */
    lm_section s;
    double mass, first; /* from node a to here: mass, integral of rhoA x */
    double u[2], rx[2];
    double v[4], rz[4], dv[4];
    double w[4], ry[4], dw[4];
} lm_beam_point;

/* Shape of the element as lm_beam_shape_make gives it, and p[LM_BEAM_POINTS] at the points of the
 * same rule. Returns their number. */
int lm_beam_points(lm_section_at *at, void *ctx, double L, int timoshenko, lm_beam_shape *out,
                   lm_beam_point *p);

#endif
