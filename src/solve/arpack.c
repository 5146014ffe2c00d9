#include "solve/arpack.h"

#include "base/mem.h"
#include "math/eigen.h"

#include <arpack/arpack.h>
#include <string.h>

enum { SHIFT_INVERT = 3 };

typedef struct work {
    double *V, *workd, *workl;
    int *select;
    int iparam[11], ipntr[14], lworkl;
} work;

static int reserve(const lm_lanczos *p, work *w)
{
    size_t n = (size_t)p->n, basis = (size_t)p->basis;
    w->lworkl = p->basis * (p->basis + 8);
    w->V = lm_alloc(sizeof(double) * n * basis);
    w->workd = lm_alloc(sizeof(double) * 3 * n);
    w->workl = lm_alloc(sizeof(double) * (size_t)w->lworkl);
    w->select = lm_alloc(sizeof(int) * basis);
    return w->V && w->workd && w->workl && w->select ? 0 : -1;
}

static void release(work *w)
{
    lm_free(w->V);
    lm_free(w->workd);
    lm_free(w->workl);
    lm_free(w->select);
}

/* ARPACK asks for products, one after the other, until it is done. 0, 2 or its info. */
static int iterate(const lm_lanczos *p, work *w, int *info)
{
    int ido = 0;
    *info = 1; /* start from p->start */
    for (;;) {
        dsaupd_c(&ido, "G", p->n, p->which, p->wanted, p->tolerance, p->start, p->basis, w->V, p->n,
                 w->iparam, w->ipntr, w->workd, w->workl, w->lworkl, info);
        double *x = w->workd + w->ipntr[0] - 1, *y = w->workd + w->ipntr[1] - 1;
        if (ido == -1) { /* B x is not there yet */
            p->multiply(p->context, x, y);
            if (p->solve(p->context, y, y)) return 2;
        } else if (ido == 1) {
            if (p->solve(p->context, w->workd + w->ipntr[2] - 1, y)) return 2;
        } else if (ido == 2)
            p->multiply(p->context, x, y);
        else
            return 0;
    }
}

static int run(const lm_lanczos *p, work *w, double *lambda, double *X, int *found)
{
    int info, rc;
    w->iparam[0] = 1; /* exact shifts */
    w->iparam[2] = p->restarts;
    w->iparam[3] = 1;
    w->iparam[6] = SHIFT_INVERT;
    rc = iterate(p, w, &info);
    if (rc) return rc;
    if (info < 0 || info > 2) return 3;
    *found = w->iparam[4];
    if (*found == 0) return 1;
    memset(lambda, 0, sizeof(double) * (size_t)p->wanted);
    dseupd_c(1, "A", w->select, lambda, X, p->n, p->sigma, "G", p->n, p->which, p->wanted,
             p->tolerance, p->start, p->basis, w->V, p->n, w->iparam, w->ipntr, w->workd, w->workl,
             w->lworkl, &info);
    if (info) return 3;
    return *found < p->wanted ? 1 : 0;
}

int lm_lanczos_run(const lm_lanczos *p, double *lambda, double *X, int *found)
{
    work w = {0};
    int rc = reserve(p, &w);
    *found = 0;
    if (!rc) {
        lm_lapack_lock(); /* ARPACK keeps its state in static variables */
        rc = run(p, &w, lambda, X, found);
        lm_lapack_unlock();
    }
    release(&w);
    return rc;
}
