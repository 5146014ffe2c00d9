/* Where a root grows: the limits of the unstable ranges of speed.
 *
 * Speeds of the list say between which two of them a limit is, and so does a speed between two critical ones
 * with none of the list between: there a shaft with two stiffnesses is unstable. A limit is found by halving
 * until growth is rounding, then, where the growing root vibrates and its real part goes on below 0, by false
 * position for that. Where damping is little, what is taken for rounding reaches far beyond the limit, to the
 * other side of speeds of the list: the root is followed until it decays. */
#include "analysis/campbell.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 48, STEPS = 40, REFINEMENTS = 40 };
#define GROWS     1e-6 /* of |s|: a real part that is no rounding */
#define DECAYS    1e-9 /* of |s|: a real part of the other sign */
#define PASSES    1e-3 /* of the speed: a root that is nearly 0 */
#define FROM_ZERO 10   /* of s^2: the way of a real root from 0, times the speed */
#define CLOSE     1e-10
#define ZERO      1e-12

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

/* The root that grows most at a speed; -1: none. sure 0: what is left of the equations does not count. */
static limber_status growing(lm_campbell *c, double speed, int sure, int *root)
{
    limber_status st = lm_campbell_roots(c, speed);
    double most = 0;
    *root = -1;
    for (int r = 0; r < c->spectrum.wanted && !st; r++) {
        const lm_root *o = &c->spectrum.root[r];
        double least = lm_campbell_least_growth(c, o->re, o->im, sure ? o->off : 0);
        if (!(o->re > least) || o->re < most) continue;
        most = o->re, *root = r;
    }
    return st;
}

/* ---- where the real part is 0 ---- */

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

/* The real part of the root that has shape s, which becomes that root's; NAN: there is none. */
static limber_status real_part(lm_campbell *c, double speed, shape *s, double *re)
{
    limber_status st = lm_campbell_roots(c, speed);
    int r = st ? -1 : same_root(c, s);
    *re = NAN;
    if (r < 0) return st;
    remember(c, &c->spectrum.root[r], s);
    *re = s->re;
    return st;
}

/* From x[1], where the root grows hardly, in growing steps to x[0], where it decays; 0 steps: it does not. */
static limber_status find_decay(lm_campbell *c, double stable, shape *s, double x[2], double f[2])
{
    double start = x[1], first = c->speed[0], last = c->speed[c->done - 1], was = start;
    double end = start > stable ? fmin(first, last) : fmax(first, last);
    double way = copysign(1e-5 * fabs(start), stable - start);
    limber_status st = LIMBER_OK;
    for (int k = 0; k < STEPS && !st; k++, way *= 1.5) {
        double w = start + way;
        if ((w - end) * way > 0) w = end;
        if (w == was) break;
        st = real_part(c, w, s, &f[0]);
        x[0] = was = w;
        if (st || isnan(f[0]) || f[0] < -DECAYS * hypot(s->re, s->im)) return st;
        if (f[0] > 0) x[1] = w, f[1] = f[0];
    }
    f[0] = NAN;
    return st;
}

/* In turning axes the root that grows beyond a critical speed passes 0 there, near which rounding decides on
 * its sign. */
static void at_critical(const lm_campbell *c, const shape *s, double *limit)
{
    if (c->fixed && !c->shifts) return;
    for (int i = 0; i < c->ncritical; i++) {
        double w = c->critical[i].speed, near = PASSES * fabs(w);
        if (c->critical[i].whirl < 0 || fabs(w - *limit) > near) continue;
        if (hypot(s->re, s->im) < near) *limit = w;
    }
}

/* A real root that grows at a speed passed 0 at a critical one, where K is singular: its square goes with the way
 * from there, and growth that is still rounding does not say how far that is. */
static void from_critical(const lm_campbell *c, double stable, double speed, double growth,
                          double *limit)
{
    double least = INFINITY, first = *limit;
    for (int i = 0; i < c->ncritical; i++) {
        double w = c->critical[i].speed, off = fabs(w - first), far = fabs(w - speed) * fabs(w);
        int beyond = (w - first) * (stable - first) < 0 && off > PASSES * fabs(w);
        if (!c->critical[i].exact || beyond || far > FROM_ZERO * growth * growth) continue;
        if (off < least) least = off, *limit = w;
    }
}

static int is_zero(const lm_campbell *c, const shape *s)
{
    return hypot(s->re, s->im) < LM_CAMPBELL_ZERO * c->spectrum.sigma;
}

/* A root that grows at *speed, or a little further where that is more than rounding. Something does grow
 * there, even if what is left of the equations hides it. */
static limber_status grower(lm_campbell *c, double stable, double limit, double *speed, int *root)
{
    limber_status st = growing(c, *speed, 1, root);
    for (double more = 1e-6; !st && *root < 0 && more < 1e-3; more *= 4) {
        *speed = limit + copysign(more * limit, limit - stable);
        st = growing(c, *speed, 1, root);
    }
    if (st || *root >= 0) return st;
    *speed = limit;
    return growing(c, limit, 0, root);
}

/* From a speed at which a root grows hardly to where it does not. */
static limber_status smooth_limit(lm_campbell *c, double stable, double *limit)
{
    size_t nv = (size_t)c->sys->nv;
    shape s = {.x = LM_NEW_N(&c->arena, double, 2 * nv + 1)};
    double x[2] = {*limit, *limit}, f[2], w = *limit, g;
    int r, stays = -1;
    if (!s.x) return LIMBER_MEMORY;
    s.y = s.x + nv;
    limber_status st = grower(c, stable, *limit, &x[1], &r);
    if (st || r < 0) return st;
    if (c->spectrum.root[r].im == 0) {
        from_critical(c, stable, x[1], c->spectrum.root[r].re, limit);
        return st;
    }
    remember(c, &c->spectrum.root[r], &s);
    f[1] = s.re;
    at_critical(c, &s, limit);
    st = find_decay(c, stable, &s, x, f);
    if (st || isnan(f[0])) return st;
    for (int k = 0; k < REFINEMENTS && fabs(x[1] - x[0]) > CLOSE * fabs(w); k++) {
        w = x[1] - f[1] * (x[1] - x[0]) / (f[1] - f[0]);
        st = real_part(c, w, &s, &g);
        if (st || isnan(g)) return st;
        int side = g > 0;
        x[side] = w, f[side] = g;
        if (side == stays) f[!side] *= 0.5;
        stays = side;
        if (fabs(g) < ZERO * hypot(s.re, s.im) || is_zero(c, &s)) break;
    }
    *limit = w;
    if (is_zero(c, &s)) at_critical(c, &s, limit); /* its real part is rounding */
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
        st = growing(c, w, 1, &root);
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
        st = growing(c, w, 1, &root);
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
