/* Inside the kernels of the floating-frame body: four points at a time. */
#ifndef LM_ELEM_FLOATING_INT_H
#define LM_ELEM_FLOATING_INT_H

#include "elem/floating.h"

/* Each kernel is compiled twice, as floating_avx2.c tells. */
#if defined LM_LANE_AVX2
#define FLOATING(name) lm_floating_##name##_avx2
#else
#define FLOATING(name) lm_floating_##name##_base
#endif

#define FLOATING_DECLARE(isa)                                                                      \
    void lm_floating_residual_##isa(const lm_floating *f, const lm_floating_motion *m, double *r); \
    void lm_floating_mass_##isa(const lm_floating *f, const double *eta, double *M);               \
    void lm_floating_tangent_##isa(const lm_floating *f, const lm_floating_motion *m, double *D,   \
                                   double *K);                                                     \
    void lm_floating_energies_##isa(const lm_floating *f, lm_v3 v, lm_v3 W, const double *eta,     \
                                    const double *deta, lm_floating_energy *e);                    \
    /* floating_strain.c: forces on eta, energy, stiffness [ne ne], columns ld apart; added */     \
    void lm_floating_strain_forces_##isa(const lm_floating *f, const double *eta, double *r);      \
    double lm_floating_strain_energy_##isa(const lm_floating *f, const double *eta);               \
    void lm_floating_strain_tangent_##isa(const lm_floating *f, const double *eta, int ld,         \
                                          double *K);
FLOATING_DECLARE(base)
FLOATING_DECLARE(avx2)

/* floating_stretch.c: forces on eta, energy, stiffness [ne ne] of K, columns ld apart; added */
void lm_floating_elastic_forces(const lm_floating *f, const double *eta, double *r);
double lm_floating_elastic_energy(const lm_floating *f, const double *eta);
void lm_floating_elastic_tangent(const lm_floating *f, const double *eta, int ld, double *K);

/* The fours are worked through in chunks: an entry of a matrix is summed over the chunk in a
 * register and over the lanes once. */
enum { FLOATING_CHUNK = 4 };

typedef lm_lane floating_bend[LM_FLOATING_MOST]; /* a value for each coordinate of bending */

#define lane_sum(a) lane_sum_((lm_lane1){a})

LM_LANE_INLINE double lane_sum_(lm_lane1 a) { return (a.s[0] + a.s[1]) + (a.s[2] + a.s[3]); }
LM_LANE_INLINE lm_v3 l3_sum(lm_lane3 a) { return v3(lane_sum(a.x), lane_sum(a.y), lane_sum(a.z)); }
LM_LANE_INLINE lm_lane3 l3_same(lm_v3 a) { return l3_all(a.x, a.y, a.z); }

LM_LANE_INLINE lm_lane lanes_dot(int n, const lm_lane *a, const double *x)
{
    lm_lane sum = lane_all(0);
    for (int i = 0; i < n; i++) sum += a[i] * x[i];
    return sum;
}

/* h = (Hv x_v, Hw x_w). */
LM_LANE_INLINE void bend_times(const lm_floating *f, const lm_floating_four *q, const double *x,
                               lm_lane *h)
{
    for (int i = 0; i < f->nv; i++) h[i] = lanes_dot(f->nv, q->Hv + i * f->nv, x);
    for (int i = 0; i < f->nw; i++) h[f->nv + i] = lanes_dot(f->nw, q->Hw + i * f->nw, x + f->nv);
}

/* P x with the h of eta: the velocity of the points for the rates x. */
LM_LANE_INLINE lm_lane3 points_rate(const lm_floating *f, const lm_floating_four *q,
                                    const lm_lane *h, const double *x)
{
    int nb = f->nv + f->nw;
    return l3(lanes_dot(f->na, q->a, x + nb) - lanes_dot(nb, h, x), lanes_dot(f->nv, q->v, x),
              lanes_dot(f->nw, q->w, x + f->nv));
}

/* p(eta): as P eta, but the shortening is half of h . eta. */
LM_LANE_INLINE lm_lane3 points_at(const lm_floating *f, const lm_floating_four *q, const lm_lane *h,
                                  const double *eta)
{
    lm_lane3 p = points_rate(f, q, h, eta);
    p.x += q->x0 + 0.5 * lanes_dot(f->nv + f->nw, h, eta);
    return p;
}

/* y = A x with the diagonal blocks of A [ne ne]. */
LM_LANE_INLINE void blocks_add(const lm_floating *f, const double *A, const double *x, double *y)
{
    const int size[4] = {f->nv, f->nw, f->na, f->nt};
    for (int b = 0, at = 0; b < 4; at += size[b], b++)
        for (int j = at; j < at + size[b]; j++)
            for (int i = at; i < at + size[b]; i++) y[i] += A[i + f->ne * j] * x[j];
}

#endif
