/* The two-node corotational beam element, four elements at a time (one per lane).
 *
 * An element joins two nodes with poses (x_i, R_i). Its frame R* follows the chord and the mean of
 * the two sections' y axes; inertia and weight are seen from it. The strains are those of Reissner's
 * beam, seen from the section half way between the ends: rotations b_i of the end sections against the
 * chord, whose difference is the mean curvature, and the elongation u of the axis, which is bowed
 * between the nodes. All forces are exact derivatives of
 *
 *     elastic energy  ka u^2/2 + kt (b_bx - b_ax)^2/2 + bending forms in (b_az, b_bz), (b_ay, b_by),
 *                     less what the change of curvature along the element takes
 *     kinetic energy  V^T M V / 2, V the nodal velocities in R* axes, M consistent; it depends on
 *                     the chord's length, with which the chord turns when its ends move
 *     gravity         -g . (m_a x_a + m_b x_b + R* h), h the first moment of the mass about the
 *                     chord, bending included
 *
 * so that energy and momentum are kept, and a rigid motion strains nothing. The formulas are in
 * docs/theory/corotational-beam.md.
 *
 * No function here allocates or fails. Where a section stands across the chord (no frame), or is
 * turned by half a turn against it, the numbers become infinite or NaN: the caller looks at them.
 * Structures with lanes are aligned to 32 bytes; a group with fewer than four elements repeats one
 * of them in its free lanes. */
#ifndef LM_ELEM_COROT_BEAM_H
#define LM_ELEM_COROT_BEAM_H

#include "elem/beam.h"
#include "math/lane.h"
#include "math/v3.h"

/* Constants of four elements: lm_beam_shape by lanes, with what is derived from it. Groups of
 * equal elements may share one. Filled by lm_corot_const_set. */
typedef struct lm_corot_const {
    lm_lane L, LL;          /* length, its square */
    lm_lane ka, kt;         /* axial, torsion */
    lm_lane kz[3], ky[3];   /* bending */
    lm_lane beta;           /* stiffness-proportional damping, s */
    lm_lane mx[3], mt[3];   /* mass along x, inertia about x */
    lm_lane mz[10], my[10]; /* mass in xy, in xz, of the undeformed element */
    lm_lane iL;             /* 1 / length */
    lm_lane stiffy,
        stiffz;        /* 1 - s, s: share of shear in equal rotations about y, z of both ends */
    lm_lane bend[3];   /* of a constant curvature: over the relative turn of the ends */
    lm_lane relief[3]; /* 1, s about y, s about z */
    lm_lane alongz, alongy;     /* 1 - s^2, of the chord's directions z, y across those axes */
    lm_lane bowz[3], bowy[3];   /* arc of the bent axis less its chord */
    lm_lane turnz[3], turny[3]; /* change of mz, my with the length */
    lm_lane m[2];               /* mass at each node */
    lm_lane hx;                 /* first moment of the mass beyond that of m, along the chord, */
    lm_lane hz[2], hy[2];       /* along y per b_iz, along z per b_iy */
    lm_lane im, ht[2]; /* lm_corot_const_centre: 1 / mass; first moment along section i's x */
    lm_lane arc;       /* and how bending draws it along the chord */
    lm_lane gyroy[4], gyroz[4], meany[2], meanz[2], spiny[3], spinz[3]; /* of sections that spin */
    lm_lane A[2][9]; /* node axes -> section axes: T_i = R_i A_i */
    int straight;    /* 1: A is the identity in all lanes */
    int damped;      /* 1: beta is not zero in some lane */
    int spun;        /* 1: some lane has inertia about its axis */
    int sheared;     /* 1: some lane has shear */
    int centred;     /* 1: lm_corot_const_centre was called for some lane */
} lm_corot_const;

/* Motion of the two nodes of four elements, in world axes. */
typedef struct lm_corot_state {
    lm_lane x[2][3]; /* positions */
    lm_lane R[2][9]; /* rotations, column-major */
    lm_lane v[2][6]; /* velocity, angular velocity */
    lm_lane a[2][6]; /* acceleration, angular acceleration */
} lm_corot_state;

/* Aa, Ab: the section axes of the undeformed element as seen from the axes of its nodes. All lanes
 * must be set before the first use, the structure being zero before. */
void lm_corot_const_set(lm_corot_const *c, int lane, const lm_beam_shape *s, const lm_m3 *Aa,
                        const lm_m3 *Ab, double beta);

/* After lm_corot_const_set: the mass centre of the bent element x_c moves as a point should,
 *
 *     kinetic energy  m x_c'^2 / 2 + V^T M' V / 2,   m x_c = sum_i m_i x_i + h_i T_i ex - arc e d,
 *
 * M' being M without the translation, and gravity acts there. The same for small motions; but
 * forces do not change with a uniform velocity, weight and acceleration are the same thing, and a
 * beam that is swung around is loaded along its length and not at its nodes alone, which makes
 * few elements do. */
void lm_corot_const_centre(lm_corot_const *c, int lane);

/* Forces and moments of the residual M a - f: inertia + elastic + damping - gravity. */
void lm_corot_residual(const lm_corot_const *c, const lm_corot_state *s, const double g[3],
                       lm_lane f[2][6]);

/* J[column][row] = cM df/da + cD df/dv + cK df/d(motion), exact; motion = (dx_a, psi_a, dx_b,
 * psi_b), R -> exp(psi) R, with v and a held. Symmetric parts only where mechanics says so. */
void lm_corot_tangent(const lm_corot_const *c, const lm_corot_state *s, const double g[3],
                      double cM, double cD, double cK, lm_lane J[12][12]);

typedef struct lm_corot_energies {
    lm_lane kinetic, elastic, gravity;
    lm_lane dissipation; /* power lost in damping, >= 0 */
} lm_corot_energies;

void lm_corot_energy(const lm_corot_const *c, const lm_corot_state *s, const double g[3],
                     lm_corot_energies *e);

/* Elongation u of the axis and rotation vectors of the sections against the frame, and the frame: for
 * places between the nodes. Velocities and accelerations are not read. */
void lm_corot_natural(const lm_corot_const *c, const lm_corot_state *s, lm_lane *u, lm_lane b[2][3],
                      lm_lane Rstar[9]);

#endif
