/* A straight beam in a floating frame: large motions of the frame, small deformations in it.
 *
 * Body axes: origin and axes of the frame, x along the undeformed beam, y and z as its
 * sections'. The deformation is eta = (v | w | a | t): bending along y, bending along z,
 * stretch, torsion, nv + nw + na + nt = ne coordinates. A place of the axis that was at x0 e_x
 * is at
 *
 *     p(eta) = (x0 + a^T eta_a - 1/2 eta_v^T Hv eta_v - 1/2 eta_w^T Hw eta_w,  v^T eta_v,  w^T eta_w)
 *
 * H = the integral of slope slope^T from the frame's origin to the place: what a bent axis is
 * shorter than a straight one. Without it (stiffening 0) a spinning beam loses its stiffness.
 * Its section has turned by v'^T eta_v about z, then -w'^T eta_w about y, then t^T eta_t about x.
 *
 * The kinetic energy is that of mass points on the axis, which move by p exactly, and of the
 * sections' own inertia, which turns with them. The elastic energy is eta^T K eta / 2, with what
 * stretch has to do with bending (floating_stretch.c), and what couples bending with torsion
 * (floating_strain.c); damping forces are C d(eta)/dt. All else
 * is derived from these without further approximations, so that energy is conserved
 * (docs/theory/ffr.md). */
#ifndef LM_ELEM_FLOATING_H
#define LM_ELEM_FLOATING_H

#include "math/lane.h"
#include "math/v3.h"

/* The most coordinates that a body may have: the functions below keep arrays of this size. */
enum { LM_FLOATING_MOST = 256 };

/* Values of the basis at a place: shares of each coordinate. */
typedef struct lm_floating_place {
    double x0;
    const double *v, *w, *a;   /* [nv] [nw] [na] displacements */
    const double *dv, *dw, *t; /* [nv] [nw] [nt] v' and w' as the section turns, twist */
    const double *Hv, *Hw;     /* [nv nv] [nw nw] symmetric; zero without stiffening */
    const double *Gv, *Gw; /* [nv na] [nw na] of a stretched axis v' is less by eta_v^T Gv eta_a */
    double lean;           /* the section turns by v' (1 + lean w'^2 / 2) about z */
} lm_floating_place;

/* Four mass points of the axis, one in each lane, with the values of the basis as above. */
typedef struct lm_floating_four {
    lm_lane x0, mass;
    lm_lane j[3];             /* own inertia of the section there, about its axes x, y, z */
    const lm_lane *v, *w, *a; /* [nv] [nw] [na] */
    const lm_lane *turn;      /* [nv + nw + nt] by how much its section turns: v', -w', t */
    const lm_lane *Hv, *Hw;   /* [nv nv] [nw nw] */
} lm_floating_four;

/* What couples bending in the two planes with torsion, at the same points (floating_strain.c). */
typedef struct lm_floating_strain {
    lm_lane dx, bend, shear;  /* length of each point; (EIz - EIy) dx; (GAy - GAz) dx */
    lm_lane stiff;            /* 1 where EIz > EIy, else 0 */
    const lm_lane *kv, *kw;   /* [nv] [nw] curvatures: derivatives of the section's slopes */
    const lm_lane *gv, *gw;   /* [nv] [nw] shear strains v' - psi, w' - phi; NULL: no shear */
    const lm_lane *psi, *phi; /* [nv] [nw] the section's slopes v', w' */
    const lm_lane *t;         /* [nt] its twist */
    lm_lane beyond[2]; /* weights of the curvature in the stiff plane that no bending makes there */
    int locks;         /* 1: `beyond` is set */
    double kt;         /* torsional stiffness between the ends of the four */
    const double *Tt;  /* [nt] torque in it: kt times the twist between its ends */
} lm_floating_strain;

typedef struct lm_floating {
    int nv, nw, na, nt, ne;
    int nfours; /* quadrature points, four at a time */
    const lm_floating_four *four;
    const lm_floating_strain *strain; /* [nfours]; NULL: the elastic energy is eta^T K eta / 2 */
    int nplaces;                      /* nodes of the beam, from start to end */
    const lm_floating_place *place;
    double mass;
    double J[3]; /* of all sections' own inertia in the undeformed state, about x, y, z */
    /* Directions of deformation are not coupled: of Mff, K and C only the diagonal blocks v v, w w,
     * a a, t t are not zero, or not read. */
    const double *Mff; /* [ne ne] mass of eta in the undeformed state */
    const double *K;   /* [ne ne] */
    const double *Sv,
        *Sw; /* [na] [nv nv], [nw nw]: bending less what a stretch makes of it; NULL: none */
    const double *C;     /* [ne ne] damping, NULL: none */
    const double *spare; /* [ne] put on the diagonal of the mass of coordinates without any, where a
                          * regular mass is wanted; NULL: every coordinate has mass */
} lm_floating;

/* Motion of a body, body axes. */
typedef struct lm_floating_motion {
    lm_v3 a;                          /* acceleration of the frame's origin, less gravity */
    lm_v3 W, dW;                      /* angular velocity, its derivative */
    const double *eta, *deta, *ddeta; /* [ne] deta, ddeta NULL: zero */
} lm_floating_motion;

/* r[6 + ne] = forces needed for that motion: on the frame (force, moment about its origin), on
 * eta. */
void lm_floating_residual(const lm_floating *f, const lm_floating_motion *m, double *r);
/* dr/d(a, dW, ddeta) [n n], n = 6 + ne, column-major, both triangles; of eta only. */
void lm_floating_mass(const lm_floating *f, const double *eta, double *M);
/* dr/d(W, deta) [n (3 + ne)] and dr/d(eta) [n ne], column-major; either may be NULL. */
void lm_floating_tangent(const lm_floating *f, const lm_floating_motion *m, double *D, double *K);
/* Energies at the motion of the frame's origin v (body axes), W, eta, deta; moment: sum of mass
 * times p, body axes: gravity's energy is -g . (mass x + R moment). */
typedef struct lm_floating_energy {
    double kinetic, elastic, dissipation;
    lm_v3 moment;
} lm_floating_energy;
void lm_floating_energies(const lm_floating *f, lm_v3 v, lm_v3 W, const double *eta,
                          const double *deta, lm_floating_energy *e);

/* Displaced place and its derivatives: p, and P [3 ne] = dp/d(eta), column-major; P may be NULL.
 * For tests. */
lm_v3 lm_floating_position(const lm_floating *f, const lm_floating_place *at, const double *eta,
                           double *P);

#endif
