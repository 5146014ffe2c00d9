/* Newton's method for the start of the periodic motion: (1 - dP/dx) d = P(x) - x. */
#include "analysis/periodic.h"

#include "math/eigen.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { MOST_CYCLES = 40, HALVINGS = 6 };
#define NOTHING                                                                                    \
    1e-7 /* singular values of 1 - P, over the largest and 1: nothing holds the motion */
#define CLOSED   1e-10 /* what is missing at the end of the period, over the size of the motion */
#define ROUNDING 1e-8  /* where it does not become less any more, it may be so much */
#define OPEN     1e-6  /* of motions that are not independent */
#define GOOD     0.1   /* contraction with an old matrix that is worth another cycle without it */

static double norm(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Largest of the motion itself over a period: velocities times T / 2 pi, and 1. */
static double motion(const lm_periodic *p)
{
    double most = 0, omega = 2 * acos(-1.0) / p->T;
    for (int i = 0; i < p->sys->nv; i++) most = fmax(most, fabs(p->g->v[i]) / (p->unit[i] * omega));
    return fmax(1, most);
}

/* ---- the linear system ---- */

/* 1 - P = U sigma V^T. 0; 1: does not converge; -1: no memory. */
static int decompose(lm_periodic *p)
{
    int n = 2 * p->n;
    double want;
    for (int i = 0; i < n * n; i++) p->A[i] = -p->P[i];
    for (int i = 0; i < n; i++) p->A[i * n + i] += 1;
    LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', n, n, p->A, n, p->sigma, p->U, n, p->Vt, n,
                        &want, -1);
    double *work = lm_alloc(sizeof(double) * (size_t)(want + 1));
    if (!work) return -1;
    lm_lapack_lock();
    lapack_int info = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', n, n, p->A, n, p->sigma, p->U,
                                          n, p->Vt, n, work, (lapack_int)want);
    lm_lapack_unlock();
    lm_free(work);
    p->nfree = 0;
    for (int i = 0; i < n; i++) p->nfree += p->sigma[i] <= NOTHING * fmax(1, p->sigma[0]);
    return info ? 1 : 0;
}

/* The least d with (1 - P) d = r, as far as that can be. */
static void solve(const lm_periodic *p, double *d)
{
    size_t n = 2 * (size_t)p->n;
    memset(d, 0, sizeof(double) * n);
    for (size_t k = 0; k + (size_t)p->nfree < n; k++) {
        double part = 0;
        for (size_t i = 0; i < n; i++) part += p->U[n * k + i] * p->r[i];
        for (size_t i = 0; i < n; i++) d[i] += part / p->sigma[k] * p->Vt[n * i + k];
    }
}

/* The part of r that no change of the start takes away; *which: the motion it belongs to. */
static double drift(const lm_periodic *p, int *which)
{
    size_t n = 2 * (size_t)p->n;
    double most = 0;
    for (size_t k = n - (size_t)p->nfree; k < n; k++) {
        double part = 0;
        for (size_t i = 0; i < n; i++) part += p->U[n * k + i] * p->r[i];
        if (fabs(part) > most) most = fabs(part), *which = (int)k;
    }
    return most;
}

/* The velocity that moves most in the free motion k. */
static int mover(const lm_periodic *p, int k)
{
    size_t n = 2 * (size_t)p->n, nv = (size_t)p->sys->nv;
    double most = 0;
    int best = 0;
    for (size_t i = 0; i < nv; i++) {
        double x = 0, w = 0;
        for (size_t j = 0; j < (size_t)p->n; j++) {
            x += p->Z[nv * j + i] * p->Vt[n * j + (size_t)k];
            w += p->Z[nv * j + i] * p->Vt[n * (j + (size_t)p->n) + (size_t)k];
        }
        if (hypot(x, w) > most * (1 + 1e-6)) most = hypot(x, w), best = (int)i;
    }
    return best;
}

/* ---- the start is moved ---- */

/* try = start moved by s d, on the constraints. 0; 1: not possible; -1: memory. */
static int move(lm_periodic *p, const double *d, double s)
{
    lm_integrator *g = p->g;
    lm_system *sys = p->sys;
    size_t nv = (size_t)sys->nv, n = (size_t)p->n;
    double *step = p->xi, moved, gap, change, omega = 2 * acos(-1.0) / p->T;
    memset(step, 0, sizeof(double) * nv);
    lm_copy(p->try_v, p->v, sys->nv);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < nv; i++) {
            double z = p->unit[i] * p->Z[nv * j + i];
            step[i] += s * d[j] * z;
            p->try_v[i] += s * (omega * d[n + j] * z + d[j] * p->G[nv * j + i]);
        }
    if (sys->form->retract(sys, p->q, step, p->try_q)) return 1;
    int bad = lm_project_position(g, 0, p->try_q, &moved, &gap);
    if (!bad) bad = lm_project_velocity(g, 0, p->try_q, p->try_v, &change);
    return bad;
}

static limber_status not_closed(lm_periodic *p)
{
    char name[160];
    int which = 0;
    double size = p->nfree ? drift(p, &which) : 0;
    if (size > 0.5 * norm(2 * p->n, p->r)) {
        p->sys->form->describe_motion(p->sys, mover(p, which), name, sizeof name);
        return lm_fail(&p->failure, LIMBER_STOPPED,
                       "no periodic motion: nothing holds the motion of %s, it goes on by "
                       "%.3g (relative) in each period of %.6g, or a free vibration has "
                       "this very period (resonance: a multiplier is 1); hold or damp "
                       "that motion, or change the speed",
                       name, size, p->T);
    }
    return lm_fail(&p->failure, LIMBER_STOPPED,
                   "no periodic motion found: after %d periods of %.6g the end still "
                   "misses the start by %.3g (relative); more 'steps', damping, or "
                   "'initial' values nearer to the motion may help",
                   p->cycles, p->T, norm(2 * p->n, p->r));
}

/* Motions that constraints and drives prescribe come back by themselves, or never. */
static limber_status check_prescribed(lm_periodic *p)
{
    char name[160];
    double most = 0, omega = 2 * acos(-1.0) / p->T;
    int nv = p->sys->nv, worst = 0;
    for (int i = 0; i < 2 * nv; i++) {
        double off = fabs(p->dx[i]) / (p->unit[i % nv] * (i < nv ? 1 : omega));
        if (off > most) most = off, worst = i % nv;
    }
    if (most <= OPEN * motion(p)) return LIMBER_OK;
    p->sys->form->describe_motion(p->sys, worst, name, sizeof name);
    return lm_fail(&p->failure, LIMBER_STOPPED,
                   "no periodic motion: %s is not back after the period of %.6g, by %.3g "
                   "(relative): the drives take it elsewhere; give a 'period' after which "
                   "they all repeat",
                   name, p->T, most);
}

/* ---- Newton ---- */

/* Matrix, and what 1 - P makes of it. */
static limber_status with_matrix(lm_periodic *p)
{
    limber_status st = lm_periodic_basis(p);
    if (!st) st = lm_periodic_cycle(p, 1);
    if (st || p->n == 0) return st;
    int bad = decompose(p);
    if (bad < 0) return LIMBER_MEMORY;
    return bad ? lm_fail(&p->failure, LIMBER_STOPPED,
                         "the singular values of the period's matrix do not converge")
               : LIMBER_OK;
}

static void swap(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        double keep = a[i];
        a[i] = b[i], b[i] = keep;
    }
}

/* One correction of the start, halved while it leads away. *rate: the contraction. */
static limber_status correct(lm_periodic *p, double *d, double *rate)
{
    double before = norm(2 * p->n, p->r), s = 1;
    limber_status st = LIMBER_OK;
    solve(p, d);
    for (int k = 0; k <= HALVINGS; k++, s *= 0.5) {
        int bad = move(p, d, s);
        if (bad < 0) return LIMBER_MEMORY;
        if (bad) continue;
        swap(p->sys->nq, p->q, p->try_q);
        swap(p->sys->nv, p->v, p->try_v);
        st = lm_periodic_cycle(p, 0);
        if (st && st != LIMBER_STOPPED) return st;
        double now = st ? INFINITY : norm(2 * p->n, p->r);
        *rate = before > 0 ? now / before : 0;
        if (now < 2 * before || before < ROUNDING) return st;
        swap(p->sys->nq, p->q, p->try_q);
        swap(p->sys->nv, p->v, p->try_v);
    }
    return st ? st : not_closed(p);
}

limber_status lm_periodic_solve(lm_periodic *p)
{
    double *d = lm_alloc(sizeof(double) * (2 * (size_t)p->n + 1)), rate = 0;
    limber_status st = !d ? LIMBER_MEMORY : p->P_steps ? lm_periodic_cycle(p, 0) : with_matrix(p);
    int closed = 0;
    for (int it = 0; !st && !closed && p->n > 0; it++) {
        double size = motion(p), off = norm(2 * p->n, p->r);
        closed = off <= CLOSED * size || (off <= ROUNDING * size && it > 1 && rate > GOOD);
        if (closed) break;
        if (it > MOST_CYCLES)
            st = not_closed(p);
        else if (it > 0 && rate > GOOD)
            st = with_matrix(p);
        if (!st && it > 2 && rate > 0.5 && p->nfree) {
            int which;
            if (drift(p, &which) > 0.9 * norm(2 * p->n, p->r)) st = not_closed(p);
        }
        if (!st) st = correct(p, d, &rate);
    }
    lm_free(d);
    return st ? st : check_prescribed(p);
}
