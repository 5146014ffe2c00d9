/* Which of the compiled kernels this processor runs; places, which need no lanes. */
#include "elem/floating_int.h"

#include <string.h>

#if defined __x86_64__
#define CALL(name, ...)                                                                            \
    (__builtin_cpu_supports("avx2") ? lm_floating_##name##_avx2(__VA_ARGS__)                       \
                                    : lm_floating_##name##_base(__VA_ARGS__))
#else
#define CALL(name, ...) lm_floating_##name##_base(__VA_ARGS__)
#endif

void lm_floating_residual(const lm_floating *f, const lm_floating_motion *m, double *r)
{
    CALL(residual, f, m, r);
}

void lm_floating_mass(const lm_floating *f, const double *eta, double *M) { CALL(mass, f, eta, M); }

void lm_floating_tangent(const lm_floating *f, const lm_floating_motion *m, double *D, double *K)
{
    CALL(tangent, f, m, D, K);
}

void lm_floating_energies(const lm_floating *f, lm_v3 v, lm_v3 W, const double *eta,
                          const double *deta, lm_floating_energy *e)
{
    CALL(energies, f, v, W, eta, deta, e);
}

static double dot(int n, const double *a, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * x[i];
    return sum;
}

/* Displacement across (along axis 1 or 2) of the n coordinates `eta`; *shorter += eta^T H eta /
 * 2. */
static double across(int n, const double *shape, const double *H, const double *eta, int axis,
                     double *shorter, double *P)
{
    for (int i = 0; i < n; i++) {
        double h = dot(n, H + n * i, eta);
        *shorter += 0.5 * h * eta[i];
        if (P) P[3 * i] = -h, P[3 * i + axis] = shape[i];
    }
    return dot(n, shape, eta);
}

lm_v3 lm_floating_position(const lm_floating *f, const lm_floating_place *at, const double *eta,
                           double *P)
{
    int nb = f->nv + f->nw;
    double shorter = 0;
    if (P) memset(P, 0, sizeof *P * (size_t)(3 * f->ne));
    double y = across(f->nv, at->v, at->Hv, eta, 1, &shorter, P);
    double z = across(f->nw, at->w, at->Hw, eta + f->nv, 2, &shorter, P ? P + 3 * f->nv : NULL);
    for (int i = 0; i < f->na && P; i++) P[3 * (nb + i)] = at->a[i];
    return v3(at->x0 + dot(f->na, at->a, eta + nb) - shorter, y, z);
}
