/* Where a root grows: the limits of the unstable ranges of speed.
 *
 * Speeds of the list say between which two of them a limit is, and so does a speed between two critical ones
 * with none of the list between: there a shaft with two stiffnesses is unstable. A limit is found by halving
 * until growth is rounding, then, where the growing root vibrates and its real part goes on smoothly below 0, by
 * the secant method for that. */
#include "analysis/campbell.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 48, SECANTS = 8 };
#define GROWS 1e-6 /* of |s|: a real part that is no rounding */
#define CLOSE 1e-10
#define ZERO  1e-11

typedef struct point {
    double speed;
    int branch; /* that grows there; -1: none */
} point;

/* Below this a real part is rounding: what is left of the equations moves s^2, by that part of
 * sigma^2 + s^2. */
double lm_campbell_least_growth(const lm_campbell *c, double re, double im, double off)
{
    double sigma = c->spectrum.sigma, size = fmax(hypot(re, im), 0.01 * sigma);
    return fmax(GROWS * size, off * (sigma * sigma + size * size) / size);
}

/* The root that grows most at a speed; -1: none. */
static limber_status growing(lm_campbell *c, double speed, int *root)
{
    limber_status st = lm_campbell_roots(c, speed);
    double most = 0;
    *root = -1;
    for (int r = 0; r < c->spectrum.wanted && !st; r++) {
        const lm_root *o = &c->spectrum.root[r];
        if (!(o->re > lm_campbell_least_growth(c, o->re, o->im, o->off)) || o->re < most) continue;
        most = o->re, *root = r;
    }
    return st;
}

/* ---- the secant method ---- */

typedef struct shape {
    double re, im, *x, *y; /* [nv] */
} shape;

static void remember(const lm_campbell *c, const lm_root *r, shape *s)
{
    size_t bytes = sizeof(double) * (size_t)c->sys->nv;
    s->re = r->re, s->im = r->im;
    memcpy(s->x, r->x, bytes);
    memcpy(s->y, r->y, bytes);
}

/* The root that goes on with a shape, which passes 0 as its conjugate; -1: none. */
static int same_root(const lm_campbell *c, const shape *s)
{
    int best = -1;
    double most = 0.3;
    for (int r = 0; r < c->spectrum.found; r++) {
        const lm_root *o = &c->spectrum.root[r];
        double xx = 0, yy = 0, xy = 0, yx = 0;
        for (int i = 0; i < c->sys->nv; i++) {
            xx += s->x[i] * o->Mx[i], yy += s->y[i] * o->My[i];
            xy += s->x[i] * o->My[i], yx += s->y[i] * o->Mx[i];
        }
        double like = fmax(hypot(xx + yy, xy - yx), hypot(xx - yy, xy + yx));
        double far = fmin(hypot(o->re - s->re, o->im - s->im), hypot(o->re - s->re, o->im + s->im));
        like /= 1 + far / (c->spectrum.sigma + hypot(s->re, s->im));
        if (like > most) most = like, best = r;
    }
    return best;
}

/* From a speed at which a root grows hardly to where it does not. */
static limber_status smooth_limit(lm_campbell *c, double stable, double *limit)
{
    size_t nv = (size_t)c->sys->nv;
    shape s = {.x = LM_NEW_N(&c->arena, double, 2 * nv + 1)};
    double w0 = *limit, w1 = w0 + 0.01 * (w0 - stable) + 1e-4 * fabs(w0) * (w0 > stable ? 1 : -1);
    int r;
    if (!s.x) return LIMBER_MEMORY;
    s.y = s.x + nv;
    limber_status st = growing(c, w0, &r);
    if (st || r < 0 || c->spectrum.root[r].im == 0) return st;
    remember(c, &c->spectrum.root[r], &s);
    double f0 = s.re, size = hypot(s.re, s.im);
    for (int k = 0; k < SECANTS; k++) {
        st = lm_campbell_roots(c, w1);
        r = st ? -1 : same_root(c, &s);
        if (r < 0) return st;
        remember(c, &c->spectrum.root[r], &s);
        if (fabs(s.re) < ZERO * size || s.re == f0) break;
        double next = w1 - s.re * (w1 - w0) / (s.re - f0);
        if ((next - stable) * (w0 - stable) <= 0) return st;
        w0 = w1, f0 = s.re, w1 = next;
    }
    if (fabs(s.re) < 1e-9 * size) *limit = w1;
    return st;
}

/* Between a speed at which nothing grows and one at which something does. */
static limber_status find_limit(lm_campbell *c, double stable, double unstable, double *limit)
{
    double a = stable, b = unstable;
    limber_status st = LIMBER_OK;
    int root;
    for (int k = 0; k < HALVINGS && fabs(b - a) > CLOSE * fabs(b) && !st; k++) {
        double w = 0.5 * (a + b);
        st = growing(c, w, &root);
        *(root < 0 ? &a : &b) = w;
    }
    *limit = b;
    return st ? st : smooth_limit(c, stable, limit);
}

/* ---- ranges ---- */

static void basis_at(lm_campbell *c, int k)
{
    int at = 0;
    for (int i = 0; i < c->nanchors; i++)
        if (c->anchor[i] <= k) at = c->anchor[i];
    lm_campbell_take_basis(c, at);
}

static int between(double x, double a, double b) { return (x - a) * (x - b) < 0; }

/* A speed between two critical ones that are both between speeds k - 1 and k of the list. */
static limber_status add_between(lm_campbell *c, int k, point *p, int *n)
{
    limber_status st = LIMBER_OK;
    int down = c->speed[k] < c->speed[k - 1];
    for (int j = 0; j + 1 < c->ncritical && !st; j++) {
        int i = down ? c->ncritical - 2 - j : j, root;
        const lm_critical *x = &c->critical[i];
        double w = 0.5 * (x[0].speed + x[1].speed), e = 1e-9 * fabs(w);
        double from = c->speed[k - 1] + (down ? e : -e), to = c->speed[k] + (down ? -e : e);
        if (!between(x[0].speed, from, to) || !between(x[1].speed, from, to)) continue;
        if (x[1].speed - x[0].speed < 1e-6 * fabs(w)) continue;
        st = growing(c, w, &root);
        p[(*n)++] = (point){w, root < 0 ? -1 : x[0].branch};
    }
    return st;
}

static limber_status add_range(lm_campbell *c, const point *p, int n, int first, int last)
{
    double from = p[first].speed, to = p[last].speed;
    limber_status st = LIMBER_OK;
    basis_at(c, c->done - 1);
    if (first > 0) st = find_limit(c, p[first - 1].speed, from, &from);
    if (!st && last + 1 < n) st = find_limit(c, p[last + 1].speed, to, &to);
    if (st == LIMBER_MEMORY) return st;
    c->unstable[c->nunstable++] = (lm_unstable){from, to, p[first].branch};
    return LIMBER_OK;
}

limber_status lm_campbell_stability(lm_campbell *c)
{
    size_t room = (size_t)c->nspeeds + (size_t)c->ncritical + 1;
    point *p = LM_NEW_N(&c->arena, point, room);
    limber_status st = LIMBER_OK;
    int n = 0;
    c->unstable = LM_NEW_N(&c->arena, lm_unstable, room);
    if (!p || !c->unstable) return LIMBER_MEMORY;
    for (int k = 0; k < c->done && !st; k++) {
        if (k > 0 && c->grows[k] < 0 && c->grows[k - 1] < 0) {
            basis_at(c, k - 1);
            st = add_between(c, k, p, &n);
        }
        p[n++] = (point){c->speed[k], c->grows[k]};
    }
    for (int i = 0, j; i < n && st != LIMBER_MEMORY; i = j + 1) {
        for (j = i; p[i].branch >= 0 && j + 1 < n && p[j + 1].branch >= 0;) j++;
        if (p[i].branch >= 0) st = add_range(c, p, n, i, j);
    }
    basis_at(c, c->done - 1);
    return st == LIMBER_MEMORY ? st : LIMBER_OK;
}
