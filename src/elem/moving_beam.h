/* A beam element that vibrates about a known rigid motion: docs/theory/elastodynamic.md.
 *
 * Element axes: origin at node a, x along the chord, y and z the principal axes of the sections;
 * they move rigidly with angular velocity w and angular acceleration al. The small displacements
 * delta = (u_a, theta_a, u_b, theta_b), element axes, obey
 *
 *     m delta.. + 2 c delta. + (k + k(al) + k(w^2) + kg) delta = nodal forces - q .
 *
 * Matrices are [row][column]: K[i][j] is the force i for the displacement j, the same as those of
 * lm_beam_matrices, where both are symmetric. c and k(al) are skew, all others symmetric. */
#ifndef LM_ELEM_MOVING_BEAM_H
#define LM_ELEM_MOVING_BEAM_H

#include "elem/beam.h"
#include "math/v3.h"

/* Constants of one element. Blocks of products are row by row over the functions of two motions,
 * the first ones' in the rows: u and rx over nodes a and b, v and rz over (y_a, psi_za, y_b,
 * psi_zb), w and ry over (z_a, psi_ya, z_b, psi_yb). All are computed by lm_moving_beam_make. */
typedef struct lm_moving_beam {
    double L, mass;
    double first;    /* integral of rhoA x */
    double bends[2]; /* parts of equal rotations of both ends about y, z that are no shear */
    double k[12][12], m[12][12];
    double uu[4], uv[8], uw[8], vv[16], vw[16], ww[16]; /* integrals of rhoA u u, ... */
    /* of products of rotations, times rhoIy [0], times rhoIz [1] */
    double xx[2][4], zx[2][8], yx[2][8], zy[2][16];
    double yy[16], zz[16];                           /* times rhoIy, times rhoIz */
    double u0[2], ux[2], v0[4], vx[4], w0[4], wx[4]; /* of rhoA u, of rhoA u x, ... */
    double rx0[2][2], ry0[4], rz0[4]; /* of rx times rhoIy, rhoIz; of rhoIy ry; of rhoIz rz */
    /* of v' v' - (v' - rz) (v' - rz) and w' w' - (w' + ry) (w' + ry) times an axial force: 1 at a, 1 at b (linear to 0), and, zero at both
     * ends, that of the element's own mass under the accelerations 1 and x along x */
    double dv[4][16], dw[4][16];
    /* second derivatives of the integrals of strains of second order, times a shear force Vy, Vz, a torque, and
     * moments My, Mz that are 1 at a or b (linear to 0): LM_MOVING_VY ... */
    double second[7][12][12];
} lm_moving_beam;

enum {
    LM_MOVING_VY,
    LM_MOVING_VZ,
    LM_MOVING_T,
    LM_MOVING_MYA,
    LM_MOVING_MYB,
    LM_MOVING_MZA,
    LM_MOVING_MZB
};

/* Element as of lm_beam_shape_make. */
void lm_moving_beam_make(lm_section_at *at, void *ctx, double L, int timoshenko,
                         lm_moving_beam *out);

/* The rigid motion, element axes. */
typedef struct lm_moving_motion {
    lm_v3 a0; /* acceleration of node a, less gravity */
    lm_v3 w, al;
    double axial[2]; /* axial force at a and b, tension positive; read when stiffening */
    double stretch;  /* strain of the axis, by which it is longer than L where its slopes count */
    int stiffening;  /* 0: without kg, the equations of displacements of first order */
} lm_moving_motion;

void lm_moving_beam_mass(const lm_moving_beam *e, double M[12][12]);
void lm_moving_beam_stiffness(const lm_moving_beam *e, double K[12][12]); /* elastic k alone */

/* 2 c(w), k + k(al) + k(w^2) + kg, and the forces q that the rigid motion takes. Between its ends
 * the axial force of kg is linear plus what the mass of the element itself makes in this motion: it
 * is exact everywhere when axial[1] - axial[0] = mass a0.x - first (w.y^2 + w.z^2). */
void lm_moving_beam_matrices(const lm_moving_beam *e, const lm_moving_motion *m, double C2[12][12],
                             double K[12][12], double q[12]);

/* Small vibrations about the state in which its ends are displaced by d and the force in its middle is `force`
 * (element axes), in the axes of the section half way between them: the elastic stiffness, and that of the moments and shear
 * forces. `axes`: these in the element's own. */
typedef struct lm_moving_deformed {
    lm_m3 axes;
    double material[12][12], geometric[12][12];
} lm_moving_deformed;
void lm_moving_beam_deformed(const lm_moving_beam *e, const double d[12], lm_v3 force,
                             lm_moving_deformed *out);
/* moving_beam_deformed.c: the constants `second` of an element with the stiffness k, from its points. */
typedef struct lm_beam_point lm_beam_point;
void lm_moving_beam_second(const lm_beam_point *p, int n, lm_moving_beam *e);

/* How much an axis that keeps its length and has the displacements d falls short along x, to second order. */
double lm_moving_beam_shortening(const lm_moving_beam *e, const double d[12]);

/* Mass, and its first moment along x about node a. */
void lm_moving_beam_inertia(const lm_moving_beam *e, double *mass, double *first);

#endif
