/* Floquet multipliers: the eigenvalues of the derivative of a period. */
#include "analysis/periodic.h"

#include "math/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The velocity that moves most in the eigenvector re + i im (NULL: real), positions and velocities. */
static int mover(const lm_periodic *p, const double *re, const double *im)
{
    size_t nv = (size_t)p->sys->nv, n = (size_t)p->n;
    double most = 0;
    int best = 0;
    for (size_t i = 0; i < nv; i++) {
        double square = 0;
        for (size_t half = 0; half < 2; half++) {
            double a = 0, b = 0;
            for (size_t j = 0; j < n; j++) {
                a += p->Z[nv * j + i] * re[half * n + j];
                if (im) b += p->Z[nv * j + i] * im[half * n + j];
            }
            square += a * a + b * b;
        }
        if (square > most * (1 + 1e-6)) most = square, best = (int)i;
    }
    return best;
}

/* The largest first; of equal ones the one that turns least. */
static int larger(const void *a, const void *b)
{
    const lm_multiplier *x = a, *y = b;
    double m = hypot(x->re, x->im), k = hypot(y->re, y->im);
    if (fabs(m - k) > 1e-9 * fmax(m, k)) return m > k ? -1 : 1;
    return x->im != y->im ? (x->im < y->im ? -1 : 1)
                          : (x->mover > y->mover) - (x->mover < y->mover);
}

limber_status lm_periodic_multipliers(lm_periodic *p)
{
    size_t n = 2 * (size_t)p->n;
    p->nmultipliers = 0;
    if (n == 0) return LIMBER_OK;
    double *re = lm_alloc(sizeof(double) * 2 * n), *im = re ? re + n : NULL, *V = p->U;
    if (!re) return LIMBER_MEMORY;
    memcpy(p->A, p->P, sizeof(double) * n * n);
    int bad = lm_general_eigen((int)n, p->A, re, im, V);
    for (size_t j = 0; j < n && !bad; j++) {
        if (im[j] < 0) continue; /* its pair has been taken */
        const double *imag = im[j] > 0 ? V + n * (j + 1) : NULL;
        p->multiplier[p->nmultipliers++] = (lm_multiplier){re[j], im[j], mover(p, V + n * j, imag)};
    }
    lm_free(re);
    if (bad < 0) return LIMBER_MEMORY;
    if (bad) return lm_fail(&p->failure, LIMBER_STOPPED, "the multipliers do not converge");
    qsort(p->multiplier, (size_t)p->nmultipliers, sizeof *p->multiplier, larger);
    return LIMBER_OK;
}

int lm_periodic_verdict(const lm_periodic *p)
{
    double most = p->nmultipliers ? hypot(p->multiplier[0].re, p->multiplier[0].im) : 0;
    return most > 1 + p->margin ? 1 : most < 1 - p->margin ? -1 : 0;
}
