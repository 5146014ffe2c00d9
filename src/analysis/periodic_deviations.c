/* Deviations from the motion on their way through a period.
 *
 * They begin as unit deviations along each y and w: 2n columns X. Those of fast vibrations die out
 * within a few steps, numerically where the steps do not resolve them; then X = Q R with fewer columns Q,
 * and only these go on: what they become times R is what X would have become. */
#include "analysis/periodic.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define DEAD 1e-13 /* of a column, over the largest */

static double rate_unit(const lm_periodic *p) { return 2 * acos(-1.0) / p->T; }

void lm_periodic_deviate(lm_periodic *p)
{
    size_t nv = (size_t)p->sys->nv, n = (size_t)p->n, two = 2 * n;
    double omega = rate_unit(p);
    memset(p->xi, 0, sizeof(double) * nv * two);
    memset(p->dv, 0, sizeof(double) * nv * two);
    memset(p->R, 0, sizeof(double) * two * two);
    memcpy(p->dv, p->G, sizeof(double) * nv * n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < nv; i++) {
            double z = p->unit[i] * p->Z[nv * j + i];
            p->xi[nv * j + i] = z;
            p->dv[nv * (n + j) + i] = omega * z;
        }
    for (size_t j = 0; j < two; j++) p->R[two * j + j] = 1;
    p->columns = (int)two;
}

void lm_periodic_coordinates(const lm_periodic *p, const double *xi, const double *dv, double *out)
{
    size_t nv = (size_t)p->sys->nv, n = (size_t)p->n;
    double omega = rate_unit(p);
    for (size_t j = 0; j < n; j++) {
        out[j] = out[n + j] = 0;
        for (size_t i = 0; i < nv; i++) {
            double z = p->Z[nv * j + i] / p->unit[i];
            out[j] += z * xi[i];
            out[n + j] += z * dv[i] / omega;
        }
    }
}

/* ---- fewer columns ---- */

/* Product of columns a and b in units. */
static double product(const lm_periodic *p, size_t a, size_t b)
{
    size_t nv = (size_t)p->sys->nv;
    const double *xa = p->xi + nv * a, *xb = p->xi + nv * b, *va = p->dv + nv * a,
                 *vb = p->dv + nv * b;
    double sum = 0, scale = 1 / (rate_unit(p) * rate_unit(p));
    for (size_t i = 0; i < nv; i++)
        sum += (xa[i] * xb[i] + scale * va[i] * vb[i]) / (p->unit[i] * p->unit[i]);
    return sum;
}

static void swap_columns(lm_periodic *p, size_t a, size_t b, double *square, int *from)
{
    size_t nv = (size_t)p->sys->nv;
    for (size_t i = 0; i < nv && a != b; i++) {
        double x = p->xi[nv * a + i], v = p->dv[nv * a + i];
        p->xi[nv * a + i] = p->xi[nv * b + i], p->xi[nv * b + i] = x;
        p->dv[nv * a + i] = p->dv[nv * b + i], p->dv[nv * b + i] = v;
    }
    double s = square[a];
    int f = from[a];
    square[a] = square[b], square[b] = s;
    from[a] = from[b], from[b] = f;
}

static void scale_column(lm_periodic *p, size_t a, double by)
{
    size_t nv = (size_t)p->sys->nv;
    for (size_t i = 0; i < nv; i++) p->xi[nv * a + i] *= by, p->dv[nv * a + i] *= by;
}

/* Column b less `part` of column a. */
static void take_from(lm_periodic *p, size_t a, size_t b, double part)
{
    size_t nv = (size_t)p->sys->nv;
    for (size_t i = 0; i < nv; i++) {
        p->xi[nv * b + i] -= part * p->xi[nv * a + i];
        p->dv[nv * b + i] -= part * p->dv[nv * a + i];
    }
}

/* X = Q r by Gram-Schmidt, always the largest column first, until what is left is nothing; r [k x k],
 * its first rows filled. Returns their number. */
static size_t orthogonalise(lm_periodic *p, double *r, double *square, int *from)
{
    size_t k = (size_t)p->columns;
    double first = 0;
    memset(r, 0, sizeof(double) * k * k);
    for (size_t j = 0; j < k; j++) square[j] = product(p, j, j), from[j] = (int)j;
    for (size_t i = 0; i < k; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < k; j++)
            if (square[j] > square[best]) best = j;
        double size = sqrt(fmax(0, product(p, best, best)));
        if (i == 0) first = size;
        if (!(size > DEAD * first)) return i;
        swap_columns(p, i, best, square, from);
        scale_column(p, i, 1 / size);
        r[k * (size_t)from[i] + i] = size;
        for (size_t j = i + 1; j < k; j++) {
            double part = product(p, i, j);
            take_from(p, i, j, part);
            r[k * (size_t)from[j] + i] = part;
            square[j] -= part * part;
        }
    }
    return k;
}

void lm_periodic_compress(lm_periodic *p)
{
    size_t k = (size_t)p->columns, two = 2 * (size_t)p->n;
    double *r = p->A, *R = p->U;
    size_t left = orthogonalise(p, r, p->sigma, p->from);
    for (size_t j = 0; j < k; j++) /* rows of r close up */
        for (size_t i = 0; i < left; i++) p->Vt[left * j + i] = r[k * j + i];
    lm_dense_mul((int)left, (int)two, (int)k, p->Vt, p->R, R);
    memcpy(p->R, R, sizeof(double) * left * two);
    p->columns = (int)left;
}

void lm_periodic_arrive(lm_periodic *p)
{
    size_t nv = (size_t)p->sys->nv, two = 2 * (size_t)p->n, k = (size_t)p->columns;
    for (size_t j = 0; j < k; j++)
        lm_periodic_coordinates(p, p->xi + nv * j, p->dv + nv * j, p->A + two * j);
    lm_dense_mul((int)two, (int)two, (int)k, p->A, p->R, p->P);
}
