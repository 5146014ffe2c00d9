/* SUNDIALS' serial vectors with another norm; and with sums of our own, because libraries of
 * distributions are often compiled without optimisation. */
#include "solve/bdf.h"

#include <math.h>

/* In place of the root mean square: the largest weighted error, entries taken in threes as the vectors
 * they are. It depends neither on how many other bodies there are, nor on the axes. */
static realtype largest(N_Vector x, N_Vector w)
{
    const double *a = NV_DATA_S(x), *u = NV_DATA_S(w);
    sunindextype n = NV_LENGTH_S(x);
    double most = 0;
    for (sunindextype i = 0; i < n; i += 3) {
        double sum = 0;
        for (sunindextype k = i; k < i + 3 && k < n; k++) sum += a[k] * u[k] * a[k] * u[k];
        if (!(sum <= most)) most = sum;
    }
    return isfinite(most) ? sqrt(most) : 1e100; /* what is no number is no good step */
}

static void linear_sum(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z)
{
    const double *p = NV_DATA_S(x), *q = NV_DATA_S(y);
    double *r = NV_DATA_S(z);
    sunindextype n = NV_LENGTH_S(x);
    for (sunindextype i = 0; i < n; i++) r[i] = a * p[i] + b * q[i];
}

static void scale(realtype c, N_Vector x, N_Vector z)
{
    const double *p = NV_DATA_S(x);
    double *r = NV_DATA_S(z);
    sunindextype n = NV_LENGTH_S(x);
    for (sunindextype i = 0; i < n; i++) r[i] = c * p[i];
}

N_Vector bdf_vector_new(long n, SUNContext context)
{
    N_Vector x = N_VNew_Serial(n, context);
    if (!x) return NULL;
    x->ops->nvwrmsnorm = largest;
    x->ops->nvlinearsum = linear_sum;
    x->ops->nvscale = scale;
    N_VConst(0, x);
    return x;
}
