/* How much the matrices change along the motion.
 *
 * The state a little before and after, q(+-h), v(+-h), is linearised with the same independent motions. Their
 * deviations x' are components in axes that coincide with the global ones there; carried back to the axes of
 * the state they are
 *
 *     x = T x',    T = [Q 0; Q_G Q],    Q = E carry Z',  Q_G = E carry G',
 *
 * so that A' is T A' T^-1 there, and A. is had by differences. In the time 1/sigma of the slowest motions it
 * changes the poles by the order of (A - sigma)^-1 A. (A - sigma)^-1, which has no unit but those of the
 * states. Where it is 0 the linear system is time-invariant, and its poles tell stability. */
#include "analysis/linearize.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define STEP 1e-3 /* of the differences, over the size or in radians of the motion */

/* ---- the state beside ---- */

/* Along the motion by h, to second order: what is left is of third in positions. */
static int move(const lm_linearized *l, double h, double *q, double *v)
{
    const lm_integrator *g = l->m.g;
    for (int i = 0; i < l->sys->nv; i++) v[i] = h * (g->v[i] + h / 2 * g->a[i]);
    int bad = l->sys->form->retract(l->sys, g->q, v, q);
    for (int i = 0; i < l->sys->nv; i++) v[i] = g->v[i] + h * g->a[i];
    return bad;
}

/* T of the states of b, which are back in the axes of those of l. */
static void carried_back(const lm_linearized *l, const lm_linearized *b, double *T, double *work)
{
    lm_system *sys = l->sys;
    size_t n = (size_t)l->n, nv = (size_t)sys->nv, ns = (size_t)l->ns;
    double *z = work, *g = work + nv;
    for (size_t j = 0; j < ns; j++) {
        size_t from = (size_t)l->keep[j], of = from % n;
        sys->form->carry(sys, b->m.g->q, l->m.g->q, b->Z + nv * of, z);
        sys->form->carry(sys, b->m.g->q, l->m.g->q, b->G + nv * of, g);
        for (size_t i = 0; i < ns; i++) {
            size_t to = (size_t)l->keep[i], at = (size_t)l->state[to % n];
            int same = (from < n) == (to < n);
            T[ns * j + i] = same ? z[at] : from < n ? g[at] : 0;
        }
    }
}

/* out += w T A' T^-1. 0; 1: singular; -1: no memory. work [2 ns ns]. */
static int add_similar(int ns, const double *T, const double *A, double w, double *out,
                       double *work)
{
    size_t n = (size_t)ns;
    double *X = work, *Tt = work + n * n;
    for (size_t i = 0; i < n; i++) /* X = (T A')^T, T^T Y^T = X */
        for (size_t j = 0; j < n; j++) {
            X[n * i + j] = 0;
            for (size_t k = 0; k < n; k++) X[n * i + j] += T[n * k + i] * A[n * j + k];
            Tt[n * i + j] = T[n * j + i];
        }
    int bad = lm_dense_solve(ns, Tt, ns, X);
    if (bad) return bad;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) out[n * j + i] += w * X[n * i + j];
    return 0;
}

/* out += w A at h from the state, in its axes. */
static limber_status add_beside(const lm_linearized *l, double h, double w, double *out)
{
    size_t ns = (size_t)l->ns, nv = (size_t)l->sys->nv, nq = (size_t)l->sys->nq;
    double *work = lm_alloc(sizeof(double) * (3 * ns * ns + 3 * nv + nq + 1));
    if (!work) return LIMBER_MEMORY;
    double *T = work + 2 * ns * ns, *v = T + ns * ns, *q = v + 3 * nv;
    lm_linearized b = {.sys = l->sys, .t = l->t + h, .q = q, .v = v, .states_of = l->state};
    limber_status st = move(l, h, q, v) ? LIMBER_STOPPED : lm_linearized_equations(&b);
    if (!st && b.n != l->n) st = LIMBER_STOPPED;
    if (!st) {
        lm_linearized_cut(&b);
        carried_back(l, &b, T, v + nv);
        int bad = add_similar(l->ns, T, b.A, w, out, work);
        st = bad < 0 ? LIMBER_MEMORY : bad ? LIMBER_STOPPED : LIMBER_OK;
    }
    lm_linearized_free(&b);
    lm_free(work);
    return st;
}

/* ---- the measure ---- */

/* The fastest turn or displacement over the size, 1/s. */
static double rate(const lm_linearized *l)
{
    double most = 0;
    for (int i = 0; i < l->sys->nv - l->sys->nvariables; i++)
        most = fmax(most, fabs(l->m.g->v[i]) / l->m.unit[i]);
    return most;
}

/* The slowest pole that is not 0, but not slower than the motion itself. */
static double slowest(const lm_linearized *l)
{
    double least = INFINITY;
    for (int i = 0; i < l->npoles; i++) {
        double s = hypot(l->pole[i].re, l->pole[i].im);
        if (s > 0) least = fmin(least, s);
    }
    return fmax(least < INFINITY ? least : 0, rate(l));
}

/* How near the poles come to a real shift, over it. */
static double distance(const lm_linearized *l, double sigma)
{
    double least = INFINITY;
    for (int i = 0; i < l->npoles; i++)
        least = fmin(least, hypot(l->pole[i].re - sigma, l->pole[i].im) / sigma);
    return least;
}

/* A shift of the order of the slowest pole and away from those that grow. */
static double choose_shift(const lm_linearized *l)
{
    static const double by[] = {1, 1.7, 0.6, 2.9, 0.35, 5};
    double s = slowest(l), best = s;
    for (int i = 0; i < 6; i++) {
        if (distance(l, best) > 0.4) break;
        if (distance(l, by[i] * s) > distance(l, best)) best = by[i] * s;
    }
    return best;
}

/* Of a state, in which one radian or the size counts as much. */
static double unit(const lm_linearized *l, int i, double sigma)
{
    int k = l->keep[i], at = l->state[k % l->n];
    if (at >= l->sys->nv - l->sys->nvariables) return 1;
    return (k < l->n ? 1 : sigma) * l->m.unit[at];
}

/* The largest entry of R X R, R = (A - sigma)^-1, in units of the states. work [2 ns ns]. */
static double weighed(const lm_linearized *l, const double *X, double *work)
{
    int n = l->ns;
    size_t size = (size_t)n * (size_t)n;
    double sigma = choose_shift(l), most = 0, *R = work, *XR = work + size, *out;
    int bad = lm_linearized_shifted_inverse(l, sigma, R);
    if (bad || !(out = lm_alloc(sizeof(double) * (size + 1)))) return bad > 0 ? 0 : -1;
    lm_dense_mul(n, n, n, X, R, XR);
    lm_dense_mul(n, n, n, R, XR, out);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double part = fabs(out[(size_t)n * (size_t)j + (size_t)i]);
            most = fmax(most, part * unit(l, j, sigma) / unit(l, i, sigma));
        }
    lm_free(out);
    return most;
}

double lm_linearized_change(const lm_linearized *l)
{
    size_t size = (size_t)l->ns * (size_t)l->ns;
    /* those about a known motion are of an instant by definition */
    if (!l->v || l->nmassless || l->ns == 0 || l->sys->companion || rate(l) == 0) return 0;
    double h = STEP / slowest(l), most = 0;
    double *change = lm_alloc(sizeof(double) * (3 * size + 1));
    if (!change) return -1;
    double softness = l->sys->softness;
    limber_status st = add_beside(l, h, 1 / (2 * h), change);
    if (!st) st = add_beside(l, -h, -1 / (2 * h), change);
    l->sys->softness = softness;
    l->sys->still = 0;
    if (!st) most = weighed(l, change, change + size);
    lm_free(change);
    return st == LIMBER_MEMORY ? -1 : most;
}
