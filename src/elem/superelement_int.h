/* Private to the superelement: one evaluation, all of it in the axes of the corotational frame.
 *
 * A motion z = (y_1, phi_1, y_2, ...) of the nodes turns the frame by eta = G z and moves its place
 * by h z (one node, or the mean of all). What deforms is the rest,
 *
 *     (P z)_i = (y_i - h z - eta x arm_i, phi_i - eta),   dd = (I, T_i) P z
 *
 * with arm_i from the frame's place to node i and T_i = Tinv(b_i), the tangent of the logarithm. */
#ifndef LM_ELEM_SUPERELEMENT_INT_H
#define LM_ELEM_SUPERELEMENT_INT_H

#include "elem/superelement.h"
#include "math/clones.h"

#include <stddef.h>

/* Small products of vectors and matrices become part of the function. */
#if defined(__GNUC__)
#define SUPER_FLAT __attribute__((flatten))
#else
#define SUPER_FLAT
#endif

/* Vectors per node are 6-vectors (linear, angular). m = 6 n, nd = 6 poses. */
typedef struct super_work {
    const lm_super *s;
    int m, nd;
    lm_m3 A;     /* R* */
    lm_v3 place; /* world: mean of the x, or that of the frame's node */
    lm_v3 Omega; /* spin of the frame, G V */
    lm_v3 slide; /* velocity of its place, h V */
    lm_v3 mu;    /* frame torque of the inertia forces, sum of V x pi */
    lm_v3 force; /* sums of the deformation forces g: force, and moment about the place */
    lm_v3 moment;
    lm_v3 down;             /* gravity by its potential, in the axes of the frame; else zero */
    lm_v3 first;            /* then: first moment of the mass about the frame's place */
    lm_v3 torque;           /* on the frame: what G^T brings to the nodes beside `moment` */
    double W;               /* mean: length of the sum of quaternions */
    double l;               /* chord: its length */
    lm_v3 t[2];             /* chord: section directions of both ends, chord axes */
    int follows;            /* the pose whose turn is the frame's own, -1: none */
    double *quat;           /* [4n] mean: quaternions of R*^T R_i R_0i^T */
    double *G;              /* [3 x nd] */
    double *arm;            /* [3n] */
    double *d, *ddot;       /* [m] deformations and, where they damp, their rates */
    double *V, *acc;        /* [nd] twists; accelerations less gravity */
    double *stress;         /* [m] K d + C ddot */
    double *force_on_nodes; /* [m] g = (I, T_i)^T stress */
    double *pi;             /* [m] M V */
    double *f;              /* [nd] residual */
    double *tmp[2];         /* [nd] */
    /* tangent only */
    lm_m3 *T;                /* [n] Tinv(b_i) */
    double *S;               /* [3 x nd] d(G V)/dz at fixed V */
    double *left_G, *left_S; /* [nd x 3] their factors */
    double *right_G;         /* [3 x nd] factor of G^T */
    double *BU;              /* [nd x 6] */
    double *Z;               /* [6 x nd] */
} super_work;

/* Share out the scratch and find the frame; ... and the deformations, velocities, accelerations. */
int super_begin_frame(const lm_super *s, const lm_super_state *st, double *scratch, super_work *w);
int super_begin(const lm_super *s, const lm_super_state *st, lm_v3 g, double *scratch,
                super_work *w);
/* Gravity by its potential: taken from `stress` and added to f, before and after the stress is projected. */
lm_v3 super_first_moment(super_work *w);
/* out [m] = scale M (y, 0, y, 0, ...) */
void super_uniform(super_work *w, lm_v3 y, double scale, double *out);
/* pi and mu */
void super_momenta(super_work *w);
/* Residual in the frame's axes, and what leads to it: these, too. */
void super_forces(super_work *w);
/* out [m] += scale * (damping matrix) x */
void super_damp(const lm_super *s, const double *x, double scale, double *out);
int super_is_damped(const lm_super *s);
/* out = P z;  f += P^T g, which leaves the sums of g in w */
void super_project(const super_work *w, const double *z, double *out);
void super_project_back(super_work *w, const double *g, double *f);
/* y [n] += scale * A x, A dense n x n with leading dimension n, a multiple of 6 */
void super_multiply(int n, const double *restrict A, const double *restrict x, double scale,
                    double *restrict y);

/* superelement_tangent.c: the tangent in parts. For a motion z in the frame's axes
 *
 *     K z = P^T blocks P z + G^T right_G z + left_G G z + left_S S z + second z
 *     D z = P^T damping P z + blocks z + G^T right_G z + left_G G z
 *
 * `damping` NULL: there is none; `second` NULL: the frame follows a pose. */
typedef struct super_side {
    double *blocks;           /* [m x m] */
    double *left_G, *right_G; /* [nd x 3], [3 x nd] */
    double *left_S;           /* [nd x 3] of K */
} super_side;
typedef struct super_parts {
    super_side K, D;
    double *damping; /* [m x m] symmetric */
    double *second;  /* [nd x nd] */
} super_parts;
void super_tangent_parts(super_work *w, const super_parts *p); /* after super_begin */

/* superelement_chain.c: as the public functions, of the elements alone: f, out and e are added to. */
void super_chain_forces(const lm_super *s, const lm_super_state *st, lm_v3 g, double *f);
void super_chain_tangent(const lm_super *s, const lm_super_state *st, lm_v3 g, double cM, double cD,
                         double cK, double *out);
void super_chain_energies(const lm_super *s, const lm_super_state *st, lm_v3 g, lm_super_energy *e);
double super_chain_range(const lm_super *s, const lm_super_state *st);

/* superelement_frame.c: w->A, w->place and w->G from the poses. */
int super_frame(super_work *w, const lm_super_state *st);
/* 3 x nd: derivative of G V along a motion at fixed V */
void super_frame_rate(super_work *w, double *S);
/* out (nd x nd) += scale * derivative of G^T m along a motion at fixed m */
void super_frame_second(const super_work *w, lm_v3 m, double scale, double *out);

/* Node (first or only) at which the frame sits, -1: mean of all. */
static inline int super_place(const lm_super *s)
{
    switch (s->frame) {
    case LM_SUPER_MEAN: return -1;
    case LM_SUPER_CHORD: return 0;
    case LM_SUPER_NODE: return s->frame_node;
    default: return s->n;
    }
}
/* G z */
static inline lm_v3 super_turn(const super_work *w, const double *z)
{
    lm_v3 eta = v3(0, 0, 0);
    if (w->follows >= 0) return v3_from(z + 6 * w->follows + 3);
    for (int j = 0; j < w->nd; j++) eta = v3_add(eta, v3_mul(z[j], v3_from(w->G + 3 * j)));
    return eta;
}
/* f += G^T m */
static inline void super_turn_back(const super_work *w, lm_v3 m, double *f)
{
    if (w->follows >= 0)
        v3_acc(f + 6 * w->follows + 3, m);
    else
        for (int j = 0; j < w->nd; j++) f[j] += v3_dot(v3_from(w->G + 3 * j), m);
}
/* h z */
static inline lm_v3 super_slide(const super_work *w, const double *z)
{
    int place = super_place(w->s);
    if (place >= 0) return v3_from(z + 6 * place);
    lm_v3 sum = v3(0, 0, 0);
    for (int i = 0; i < w->s->n; i++) sum = v3_add(sum, v3_from(z + 6 * i));
    return v3_mul(1.0 / w->s->n, sum);
}
/* A block of 3 x 3 in a matrix with leading dimension ld. */
static inline lm_m3 super_block(const double *A, int ld, int row, int col)
{
    const double *a = A + (size_t)ld * (size_t)col + row;
    return m3_cols(v3_from(a), v3_from(a + ld), v3_from(a + 2 * ld));
}
static inline void super_put(double *A, int ld, int row, int col, lm_m3 B)
{
    for (int j = 0; j < 3; j++) v3_put(A + (size_t)ld * (size_t)(col + j) + row, m3_col(&B, j));
}
static inline void super_add(double *A, int ld, int row, int col, double scale, lm_m3 B)
{
    for (int j = 0; j < 3; j++)
        v3_acc(A + (size_t)ld * (size_t)(col + j) + row, v3_mul(scale, m3_col(&B, j)));
}

#endif
