#include "math/eigen.h"

#include "base/mem.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

/* Of OpenBLAS; cblas.h may be that of another library with the same functions. */
extern int openblas_get_num_threads(void);
extern void openblas_set_num_threads(int n);

/* ---- the lock ---- */

static pthread_once_t made = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock;
static int depth, threads; /* guarded by the lock */

static void make_lock(void)
{
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &how);
    pthread_mutexattr_destroy(&how);
}

void lm_lapack_lock(void)
{
    pthread_once(&made, make_lock);
    pthread_mutex_lock(&lock);
    if (depth++ > 0) return;
    threads = openblas_get_num_threads();
    if (threads != 1) openblas_set_num_threads(1);
}

void lm_lapack_unlock(void)
{
    if (--depth == 0 && threads != 1) openblas_set_num_threads(threads);
    pthread_mutex_unlock(&lock);
}

/* ---- eigenvalues ---- */

/* LAPACK says how much workspace it wants as a double. */
static double *workspace(double wanted) { return lm_alloc(sizeof(double) * (size_t)(wanted + 1)); }

static int outcome(lapack_int info, const double *work) { return !work ? -1 : info ? 1 : 0; }

int lm_symmetric_eigen(int n, double *A, double *B, double *w)
{
    double want;
    lapack_int iwant, info = 0;
    if (n == 0) return 0;
    LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'L', n, A, n, B, n, w, &want, -1, &iwant, -1);
    double *work = workspace(want);
    lapack_int *iwork = lm_alloc(sizeof(lapack_int) * (size_t)iwant);
    if (work && iwork) {
        lm_lapack_lock();
        info = LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'L', n, A, n, B, n, w, work,
                                   (lapack_int)want, iwork, iwant);
        lm_lapack_unlock();
    }
    int rc = outcome(info, iwork ? work : NULL);
    lm_free(work);
    lm_free(iwork);
    return rc;
}

int lm_general_eigen(int n, double *A, double *re, double *im, double *V)
{
    double want, unused;
    lapack_int info = 0;
    if (n == 0) return 0;
    LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', n, A, n, re, im, &unused, 1, V, n, &want, -1);
    double *work = workspace(want);
    if (work) {
        lm_lapack_lock();
        info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', n, A, n, re, im, &unused, 1, V, n,
                                  work, (lapack_int)want);
        lm_lapack_unlock();
    }
    int rc = outcome(info, work);
    lm_free(work);
    return rc;
}

/* ---- linear algebra ---- */

int lm_dense_solve_in(int n, double *A, int m, double *X, int *pivots)
{
    _Static_assert(sizeof(lapack_int) == sizeof(int), "LAPACK with 32-bit integers");
    if (n == 0 || m == 0) return 0;
    lm_lapack_lock();
    lapack_int info = LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, m, A, n, pivots, X, n);
    lm_lapack_unlock();
    return info ? 1 : 0;
}

int lm_dense_solve(int n, double *A, int m, double *X)
{
    if (n == 0 || m == 0) return 0;
    int *pivots = lm_alloc(sizeof *pivots * (size_t)n);
    if (!pivots) return -1;
    int bad = lm_dense_solve_in(n, A, m, X, pivots);
    lm_free(pivots);
    return bad;
}

/* A P = Q R with pivoting: the diagonal of R falls, and the columns of Q behind the rank are the
 * basis. */
static lapack_int qr(int n, int m, double *A, double tol, double *Z, int *rank, double *tau,
                     lapack_int *pivots, double *work, lapack_int size)
{
    size_t rows = (size_t)n;
    int most = n < m ? n : m;
    lapack_int info = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, A, n, pivots, tau, work, size);
    for (*rank = 0; *rank < most; ++*rank)
        if (!(fabs(A[rows * (size_t)*rank + (size_t)*rank]) > tol * fabs(A[0]))) break;
    memcpy(Z, A, sizeof(double) * rows * (size_t)*rank);
    if (info) return info;
    return LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, n, *rank, Z, n, tau, work, size);
}

int lm_null_space(int n, int m, double *A, double tol, double *Z, int *rank)
{
    double want[2];
    lapack_int info = 0;
    *rank = 0;
    if (n == 0) return 0;
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, A, n, NULL, NULL, &want[0], -1);
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, n, n, Z, n, NULL, &want[1], -1);
    double most = fmax(want[0], want[1]), *work = workspace(most);
    double *tau = lm_alloc(sizeof(double) * (size_t)n);
    lapack_int *pivots = lm_alloc(sizeof *pivots * (size_t)(m + 1)); /* 0: free to move */
    if (work && tau && pivots) {
        lm_lapack_lock();
        info = qr(n, m, A, tol, Z, rank, tau, pivots, work, (lapack_int)most);
        lm_lapack_unlock();
    }
    int rc = outcome(info, tau && pivots ? work : NULL);
    lm_free(work);
    lm_free(tau);
    lm_free(pivots);
    return rc;
}

static void mul(CBLAS_TRANSPOSE ta, int m, int n, int k, const double *A, const double *B,
                double *C)
{
    if (m == 0 || n == 0) return;
    memset(C, 0, sizeof(double) * (size_t)m * (size_t)n);
    if (k == 0) return;
    lm_lapack_lock();
    cblas_dgemm(CblasColMajor, ta, CblasNoTrans, m, n, k, 1, A, ta == CblasNoTrans ? m : k, B, k, 0,
                C, m);
    lm_lapack_unlock();
}

void lm_dense_mul(int m, int n, int k, const double *A, const double *B, double *C)
{
    mul(CblasNoTrans, m, n, k, A, B, C);
}

void lm_dense_tmul(int m, int n, int k, const double *A, const double *B, double *C)
{
    mul(CblasTrans, m, n, k, A, B, C);
}
