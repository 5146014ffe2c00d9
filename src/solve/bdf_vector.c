/* The vectors of the method `bdf`: those of SUNDIALS' serial module, but
 * - all memory is taken at once and given out by N_VClone, which does not look whether it got any;
 * - the norm is the one of motions;
 * - sums are ours, because libraries of distributions are often compiled without optimisation. */
#include "solve/bdf.h"

#include <math.h>

/* IDA clones 16 of them, the integrator has 4. */
enum { VECTORS = 24 };

/* What the macros of the serial module look at, and where to find more. */
typedef struct content {
    struct _N_VectorContent_Serial serial;
    bdf_vectors *all;
} content;

struct bdf_vectors {
    long n;
    int used;
    double *data; /* [VECTORS][n] */
    content content[VECTORS];
    struct _generic_N_Vector vector[VECTORS];
};

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

static N_Vector clone(N_Vector x)
{
    return bdf_vectors_next(((content *)x->content)->all, x->sunctx);
}

static void nothing(N_Vector x) { (void)x; } /* all are freed together */

static struct _generic_N_Vector_Ops ops = {
    .nvgetvectorid = N_VGetVectorID_Serial,
    .nvclone = clone,
    .nvdestroy = nothing,
    .nvspace = N_VSpace_Serial,
    .nvgetarraypointer = N_VGetArrayPointer_Serial,
    .nvgetlength = N_VGetLength_Serial,
    .nvlinearsum = linear_sum,
    .nvconst = N_VConst_Serial,
    .nvprod = N_VProd_Serial,
    .nvscale = scale,
    .nvabs = N_VAbs_Serial,
    .nvinv = N_VInv_Serial,
    .nvaddconst = N_VAddConst_Serial,
    .nvwrmsnorm = largest,
    .nvmin = N_VMin_Serial,
};

bdf_vectors *bdf_vectors_new(long n)
{
    bdf_vectors *all = lm_alloc(sizeof *all);
    if (!all) return NULL;
    all->n = n;
    all->data = lm_alloc(sizeof(double) * VECTORS * (size_t)n);
    if (all->data) return all;
    lm_free(all);
    return NULL;
}

void bdf_vectors_free(bdf_vectors *all)
{
    if (all) lm_free(all->data);
    lm_free(all);
}

N_Vector bdf_vectors_next(bdf_vectors *all, SUNContext context)
{
    if (all->used == VECTORS) return NULL;
    int i = all->used++;
    all->content[i].serial.length = all->n;
    all->content[i].serial.data = all->data + all->n * i;
    all->content[i].all = all;
    all->vector[i] =
        (struct _generic_N_Vector){.content = &all->content[i], .ops = &ops, .sunctx = context};
    return &all->vector[i];
}
