/* Superelement: a flexible body with N nodes and constant matrices, in a frame that follows it.
 *
 * Mass M and stiffness K (6N x 6N, node by node ux uy uz rx ry rz, axes of the undeformed body
 * frame) come from any finite element program. With the pose (x*, R*) of the corotational frame,
 *
 *     u_i = R*^T (x_i - x*) - X_i      b_i = log(R*^T R_i R_0i^T)      d = (u_1, b_1, u_2, ...)
 *     U = 1/2 d^T K d                  T = 1/2 V^T M V,   V = nodal twists in the axes of R*
 *
 * and all forces are exact derivatives of these two, the motion of the frame included: they are in
 * equilibrium with themselves, and the power of the inertia forces is dT/dt. Damping acts on dd/dt,
 * so a rigid motion dissipates nothing. Gravity is -g . (mass times mass centre of the deformed body),
 * and its forces are derivatives, too. The formulas are in docs/theory/superelement.md. Pure
 * functions: no memory, no history; the caller lends `scratch`. */
#ifndef LM_ELEM_SUPERELEMENT_H
#define LM_ELEM_SUPERELEMENT_H

#include "elem/corot_beam.h"

typedef enum lm_super_frame {
    LM_SUPER_MEAN,  /* mean rotation and mean displacement of all nodes */
    LM_SUPER_CHORD, /* x through the first and the last node, roll of both end sections */
    LM_SUPER_NODE,  /* moves with node `frame_node` */
    LM_SUPER_GIVEN  /* is itself given: one more pose behind those of the nodes */
} lm_super_frame;

/* A superelement made of a beam, as what it is: corotational elements from node to node, which bend and
 * turn by any amount (elem/corot_beam.h). Beside their own forces there is damping on the deformations d, by
 * mass and of a file: that of `damper`, the same body with that C, without M and K; NULL: none. */
typedef struct lm_super_chain {
    const lm_corot_const *group; /* elements, LM_LANES in each: node i to node i + 1 */
    const struct lm_super *damper;
} lm_super_chain;

typedef struct lm_super {
    int n;               /* nodes */
    const lm_v3 *X;      /* [n] undeformed positions in the body frame */
    const lm_m3 *R0;     /* [n] undeformed axes of the nodes in the body frame */
    const double *K, *M; /* 6n x 6n, symmetric, column-major */
    const double *C;     /* the same, or NULL; damping is C + alpha M + beta K */
    double alpha, beta;
    lm_super_frame frame;
    int frame_node;              /* LM_SUPER_NODE */
    const lm_super_chain *chain; /* NULL: linear in its frame, by K and M */
    int paper_gravity; /* 1: by equations (13) to (15) of the paper, without a potential */
    /* by lm_super_setup */
    int plain;     /* 1: all R0 are identities */
    int poses;     /* in a state: n, and one more for LM_SUPER_GIVEN */
    lm_v3 X_place; /* the frame's place: mean of the X, or that of its node */
    lm_m3 E0;      /* LM_SUPER_CHORD: axes with x along the undeformed chord */
    int along_x;   /* 1: E0 is the identity */
    double mass;
    lm_v3 moment; /* mass times mass centre of the undeformed body, body frame */
} lm_super;

/* Fill in what follows from the rest. -1: a chord of length zero. */
int lm_super_setup(lm_super *s);

/* Nodes in world axes, and behind them the frame for LM_SUPER_GIVEN. */
typedef struct lm_super_state {
    const double *x; /* positions; the next one is `stride` numbers further */
    int stride;
    const lm_m3 *R;  /* orientations */
    const double *v; /* twists (linear, angular), 6 a node; NULL: at rest */
    const double *a; /* their time derivatives; NULL: zero */
} lm_super_state;

typedef struct lm_super_energy {
    double kinetic, elastic;
    double gravity; /* -g . mass * (mass centre of the deformed body) */
    double
        gravity_power;  /* of the gravity forces as applied: -d(gravity)/dt, but not the paper's */
    double dissipation; /* power lost in damping, >= 0 */
} lm_super_energy;

/* Numbers of scratch that the functions below need for n nodes. */
int lm_super_scratch(int n);

/* All of them: 0, or 1 when there is no frame to this shape (chord of length zero, rotations of
 * more than half a turn inside the body). Then the step should be smaller. */

/* f [6 poses] = inertia - gravity + elastic + damping forces on the nodes, world axes; for
 * LM_SUPER_GIVEN the last six are on the frame. */
int lm_super_residual(const lm_super *s, const lm_super_state *st, lm_v3 g, double *scratch,
                      double *f);

/* out (dense, column-major, leading dimension 6 poses) = cM df/da + cD df/dv + cK df/d(dx, psi)
 * with x -> x + dx, R -> exp(psi) R at fixed v and a. */
int lm_super_tangent(const lm_super *s, const lm_super_state *st, lm_v3 g, double cM, double cD,
                     double cK, double *scratch, double *out);

/* The tangent in terms of n coordinates that move the poses: with the matrices M, D and K of
 * lm_super_tangent and, for coordinate i, z_i = (X, Xv, Xa, Xc), four times 6 poses numbers, world axes,
 *
 *     M_ij = X_i . M X_j      D_ij = X_i . (D X_j + M Xc_j)      K_ij = X_i . (K X_j + D Xv_j + M Xa_j)
 *
 * (n x n, column-major), without making those matrices. D and K may both be NULL: then only X counts. The
 * z_i stand LM_SUPER_MOTION times 6 poses apart; the room behind each is for what becomes of it. */
enum { LM_SUPER_MOTION = 7 };
int lm_super_reduce(const lm_super *s, const lm_super_state *st, lm_v3 g, int n, double *z,
                    double *scratch, double *M, double *D, double *K);
int lm_super_reduce_scratch(int n); /* for n nodes */

int lm_super_energies(const lm_super *s, const lm_super_state *st, lm_v3 g, double *scratch,
                      lm_super_energy *e);

/* Pose and twist of the corotational frame; either may be NULL. */
typedef struct lm_super_pose {
    lm_v3 x, v, omega;
    lm_m3 R;
} lm_super_pose;
int lm_super_frame_pose(const lm_super *s, const lm_super_state *st, double *scratch,
                        lm_super_pose *pose);

/* How far a body is from the small deformations for which it is right: about the relative error of the
 * displacements of its nodes (docs/theory/superelement.md). */
double lm_super_range(const lm_super *s, const lm_super_state *st, double *scratch);

/* Constants of the elements of a chain: `group` [groups of LM_LANES elements], zero before. */
int lm_super_chain_groups(int n);
void lm_super_chain_set(const lm_super *s, const lm_beam_shape *shape, lm_corot_const *group);

/* Deformations d [6n] of the nodes in the axes of the frame; for tests. */
int lm_super_deformation(const lm_super *s, const lm_super_state *st, double *scratch, double *d);

#endif
