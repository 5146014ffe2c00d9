/* Steady rotation near a critical speed: the rotor is taken as balanced in the shapes that are critical.
 *
 * Of the tangent K of the equilibrium the shapes Phi with |mu| < NEAR W^2,
 *
 *     K Phi = M Phi mu,    Phi^T M Phi = 1,
 *
 * are found by inverse iteration, and those up to FAR W^2 in which unbalance bends the rotor by more than
 * BENT. Their mu are those of K^-1 M, of which they are the largest: what is mixed of shapes far above and
 * below 0 cannot look like one near it. Unbalance would bend the rotor by about e W^2/mu in them, without a limit
 * at the critical speed itself and to another branch of solutions behind it. Their part of the forces is
 * taken back, and their part d of the motion from rest is made 0:
 *
 *     K dx = -(r - M Phi Phi^T r),    dx += -Phi Phi^T M (d + dx).                                  */
#include "analysis/steady.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

enum { SHAPES = LM_STEADY_SHAPES, ROUNDS = 6 };
#define NEAR 0.02 /* of W^2: a hundredth of the speed on either side */
#define FAR  0.2  /* ... a tenth of it, where the unbalance is large */
#define BENT 1e-3 /* of the size: roots change with the square of it */
#define BENDS                                                                                      \
    0.3 /* of the size, or in radians, at the ends of that range: no unbalance, but a shape */
#define GUARD 1e-7 /* of W^2 M, where the tangent is singular */

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* y = M x. */
static void mass(const lm_steady *s, const double *x, double *y)
{
    const lm_pattern *p = &s->sys->pattern;
    int nv = s->sys->nv;
    memset(y, 0, sizeof(double) * (size_t)nv);
    for (int c = 0; c < nv; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1] && p->rowind[k] < nv; k++)
            y[p->rowind[k]] += s->pencil.m[k] * x[c];
}

/* x = K^-1 b, b in units of the equations. */
static void solve(lm_steady *s, const double *b, double *x)
{
    size_t nv = (size_t)s->sys->nv, n = nv + (size_t)s->sys->nl;
    for (size_t i = 0; i < n; i++) s->x[i] = i < nv ? b[i] / s->scale : 0;
    lm_linear_solve(s->lin, s->x);
    memcpy(x, s->x, sizeof(double) * nv);
}

/* Columns of X become orthonormal in M; those without mass are left out. Returns how many stay. */
static int orthonormal(const lm_steady *s, int n, double *X, double *MX)
{
    size_t nv = (size_t)s->sys->nv;
    int kept = 0;
    for (int j = 0; j < n; j++) {
        double *x = X + nv * (size_t)kept, *Mx = MX + nv * (size_t)kept, size = 0, left = 0;
        memmove(x, X + nv * (size_t)j, sizeof(double) * nv);
        for (int pass = 0; pass < 3; pass++) {
            for (int k = 0; k < kept && pass; k++) {
                double f = dot(MX + nv * (size_t)k, x, (int)nv);
                for (size_t i = 0; i < nv; i++) x[i] -= f * X[nv * (size_t)k + i];
            }
            mass(s, x, Mx);
            left = sqrt(fmax(0, dot(x, Mx, (int)nv)));
            if (!(left > 0) || !isfinite(left) || (pass && left < 1e-6 * size)) break;
            if (!pass) size = left;
            if (pass == 2)
                for (size_t i = 0; i < nv; i++) x[i] /= left, Mx[i] /= left;
        }
        if (left > 1e-6 * size && isfinite(left) && size > 0) kept++;
    }
    return kept;
}

/* Columns of the eigenvectors in the order of |mu|, those below `limit`, into `order`. How many. A pair has
 * its real and imaginary part one behind the other. */
static int order_values(int n, const double *re, const double *im, double limit, int *order)
{
    int kept = 0;
    for (int j = 0; j < n; j++) {
        double theta = hypot(re[j], im[j]);
        if (!(theta * limit > 1)) continue;
        int at = kept++;
        for (; at > 0 && hypot(re[order[at - 1]], im[order[at - 1]]) < theta; at--)
            order[at] = order[at - 1];
        order[at] = j;
    }
    return kept;
}

/* The shapes with |mu| < limit: real vectors that span them, first in X, in the order of s->mu. X is
 * orthonormal. How many; -1: no memory. */
static int choose(lm_steady *s, int n, double limit, double *X, const double *MX, double *work)
{
    double H[SHAPES * SHAPES], V[SHAPES * SHAPES], re[SHAPES], im[SHAPES], C[SHAPES * SHAPES];
    size_t nv = (size_t)s->sys->nv;
    int order[SHAPES];
    for (int j = 0; j < n; j++) solve(s, MX + nv * (size_t)j, work + nv * (size_t)j);
    lm_dense_tmul(n, n, (int)nv, MX, work, H);
    int bad = n > 0 ? lm_general_eigen(n, H, re, im, V) : 1;
    if (bad) return bad < 0 ? -1 : 0;
    int kept = order_values(n, re, im, limit, order);
    if (!kept) return 0;
    for (int j = 0; j < kept; j++) {
        memcpy(C + n * j, V + n * order[j], sizeof(double) * (size_t)n);
        s->mu[j] = 1 / hypot(re[order[j]], im[order[j]]);
    }
    lm_dense_mul((int)nv, kept, n, X, C, work);
    memcpy(X, work, sizeof(double) * nv * (size_t)kept);
    return kept;
}

/* The constraint blocks of K stay out of it: motions are allowed ones. */
int lm_steady_near(lm_steady *s)
{
    size_t nv = (size_t)s->sys->nv;
    double W2 = s->speed * s->speed, *MX = s->shape + nv * SHAPES, *work = MX + nv * SHAPES;
    int n = SHAPES;
    s->nshapes = 0;
    if (W2 == 0 || s->settled < 2) return 0;
    for (size_t j = 0; j < SHAPES; j++)
        for (size_t i = 0; i < nv; i++)
            s->shape[nv * j + i] =
                s->unit[i] * sin(1.0 + (double)(j + 1) * (0.7 * (double)i + 0.1));
    for (int k = 0; k < ROUNDS; k++) {
        for (int j = 0; j < n; j++) mass(s, s->shape + nv * (size_t)j, MX + nv * (size_t)j);
        for (int j = 0; j < n; j++) solve(s, MX + nv * (size_t)j, s->shape + nv * (size_t)j);
        n = orthonormal(s, n, s->shape, MX);
    }
    n = choose(s, n, FAR * W2, s->shape, MX, work);
    s->nshapes = n < 0 ? 0 : orthonormal(s, n, s->shape, MX);
    return n < 0 ? -1 : 0;
}

/* The largest motion in the first n shapes that the forces r at rest would make at mu = 1. */
static double bending(const lm_steady *s, int n, const double *r)
{
    size_t nv = (size_t)s->sys->nv;
    double bent = 0;
    for (size_t j = 0; j < (size_t)n; j++) {
        const double *x = s->shape + nv * j;
        double part = fabs(dot(x, r, (int)nv)), most = 0;
        for (size_t i = 0; i < nv; i++) most = fmax(most, fabs(x[i]) / s->unit[i]);
        bent = fmax(bent, part * most);
    }
    return bent;
}

static int below(const lm_steady *s, double limit)
{
    int n = 0;
    while (n < s->nshapes && s->mu[n] < limit) n++;
    return n;
}

/* r at the present shape: at rest it is r - K d. Forces that are no unbalance would bend what turns by
 * much, not near the critical speed only. */
void lm_steady_judge(lm_steady *s, const double *r)
{
    size_t nv = (size_t)s->sys->nv;
    double W2 = s->speed * s->speed, near = NEAR * W2, *rest = s->shape + 2 * nv * SHAPES;
    if (!s->nshapes) return;
    memset(rest, 0, sizeof(double) * nv);
    lm_pencil_mul(&s->pencil, s->pencil.K, 1, s->away, rest);
    for (size_t i = 0; i < nv; i++) rest[i] = r[i] - rest[i];
    double bent = bending(s, s->nshapes, rest);
    if (bent > BENDS * near) {
        s->nshapes = below(s, near);
        if (bending(s, s->nshapes, rest) > BENDS * near) s->nshapes = 0;
        return;
    }
    s->nshapes = below(s, fmin(FAR * W2, fmax(near, bent / BENT)));
}

double lm_steady_guard(const lm_steady *s) { return GUARD * s->speed * s->speed; }

void lm_steady_take_back(const lm_steady *s, double *r)
{
    size_t nv = (size_t)s->sys->nv;
    const double *MX = s->shape + nv * SHAPES;
    double part[SHAPES];
    for (size_t j = 0; j < (size_t)s->nshapes; j++) part[j] = dot(s->shape + nv * j, r, (int)nv);
    for (size_t j = 0; j < (size_t)s->nshapes; j++)
        for (size_t i = 0; i < nv; i++) r[i] -= part[j] * MX[nv * j + i];
}

void lm_steady_balance(const lm_steady *s, double *dx)
{
    size_t nv = (size_t)s->sys->nv;
    const double *MX = s->shape + nv * SHAPES;
    for (size_t j = 0; j < (size_t)s->nshapes; j++) {
        double part = dot(MX + nv * j, dx, (int)nv) + dot(MX + nv * j, s->away, (int)nv);
        for (size_t i = 0; i < nv; i++) dx[i] -= part * s->shape[nv * j + i];
    }
}
