/* Beams: what an element of a beam is made of, in numbers.
 *
 * Local axes: x along the chord of the undeformed element, y and z the principal axes of the
 * section. The deformation of an element is described by seven natural coordinates: the change of
 * length u, and the rotations b_a, b_b (rotation vectors in local axes) of its two end sections
 * against the element's frame. */
#ifndef LM_ELEM_BEAM_H
#define LM_ELEM_BEAM_H

#include "elem/section.h"

/* Constants of one element. Bending in the xy plane goes with rotations about z, bending in the xz
 * plane with rotations about y (positive as everywhere about +y: w' = -b_y). */
typedef struct lm_beam_shape {
    double L;
    double ka;     /* axial: energy ka u^2 / 2 */
    double kt;     /* torsion: energy kt (b_bx - b_ax)^2 / 2 */
    double kz[3];  /* bending in xy: (b_az, b_az), (b_az, b_bz), (b_bz, b_bz) */
    double ky[3];  /* bending in xz: (b_ay, b_ay), (b_ay, b_by), (b_by, b_by) */
    double mx[3];  /* mass along x: (a, a), (a, b), (b, b) */
    double mt[3];  /* inertia about x: (a, a), (a, b), (b, b) */
    double mz[10]; /* mass in xy: upper triangle by rows over (y_a, psi_za, y_b, psi_zb) */
    double my[10]; /* mass in xz: upper triangle by rows over (z_a, psi_ya, z_b, psi_yb) */

    /* Of second order, zero: left out. Arc of the bent axis: longer than its chord by b^T bow b / 2,
     * in xy over (b_az, b_az), (b_az, b_bz), (b_bz, b_bz); in xz over b_y alike. */
    double bowz[3], bowy[3];
    /* Share of shear in equal rotations of both ends against the chord, about z, about y: the section's
     * mean angle against the axis by them. */
    double shearz, sheary;
    /* Bending mass of an element whose chord has the length l: with D = y_b - y_a, S = psi_za +
     * psi_zb, k = L/l - 1, the energy of mz grows by k (t0 + k t2) D^2 / 2 + k t1 D S. */
    double turnz[3], turny[3];
    /* Sections that spin: energy  W psi_y^T (gyroy rho_y + meany omega_y) + W^2 psi_y^T spiny psi_y / 2  and that
     * of z, W the spin, psi the slopes of the ends' axes, rho their rates of turning across, both against the
     * chord, omega_y the mean of the ends' angular velocities about their y. gyro: (a, a), (a, b), (b, a), (b, b);
     * spin: (a, a), (a, b), (b, b). */
    double gyroy[4], gyroz[4], meany[2], meanz[2], spiny[3], spinz[3];
} lm_beam_shape;

/* The section at s along the element; asked for inside only, 0 < s < 1. */
typedef void lm_section_at(void *ctx, double s, lm_section *out);

/* Shape of an element of length L whose section may vary; the stiffness is that of the integrated
 * flexibility, the mass is consistent with the displacements that belong to it. timoshenko 0: rigid
 * in shear. The formulas are in docs/theory/beam-sections.md. */
void lm_beam_shape_make(lm_section_at *at, void *ctx, double L, int timoshenko, lm_beam_shape *out);

/* Stiffness (unless NULL) and mass over (u, psi) of node a, then of node b, in the element's axes: both
 * symmetric. */
void lm_beam_matrices(const lm_beam_shape *e, double K[12][12], double M[12][12]);

#endif
