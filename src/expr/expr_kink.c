/* Where an expression is not smooth in time. While parsing, each value knows its form in t if it
 * is affine (or affine with a period, as mod(t, T)); an operation with a corner or a jump at some
 * value of its argument then gives the instants. */
#include "expr/expr_priv.h"

enum { STEPS_MOST = 1000 }; /* steps of floor within one period that are listed */

static lm_affine checked(lm_affine f)
{
    f.known = f.known && isfinite(f.c0) && isfinite(f.c1) && isfinite(f.start) &&
              isfinite(f.period) && f.period >= 0;
    return f;
}

/* f + sign*g */
lm_affine lm_affine_sum(lm_affine f, lm_affine g, double sign)
{
    int same = f.start == g.start && f.period == g.period;
    lm_affine base = f.c1 != 0 ? f : g;
    base.known = f.known && g.known && (f.c1 == 0 || g.c1 == 0 || same);
    base.c0 = f.c0 + sign * g.c0;
    base.c1 = f.c1 + sign * g.c1;
    return checked(base);
}

lm_affine lm_affine_scale(lm_affine f, double k)
{
    f.c0 *= k;
    f.c1 *= k;
    return checked(f);
}

/* f modulo m: starts anew whenever f is a multiple of m, rising from 0 or falling from m (m < 0:
 * rising from m or falling from 0). */
lm_affine lm_affine_mod(lm_affine f, double m)
{
    if (!f.known || f.period > 0 || f.c1 == 0) return (lm_affine){0};
    lm_affine r = {.known = m != 0,
                   .c0 = (f.c1 > 0) == (m > 0) ? 0 : m,
                   .c1 = f.c1,
                   .start = -f.c0 / f.c1,
                   .period = fabs(m / f.c1)};
    r.known = r.known && r.period > 0;
    return checked(r);
}

static void record(lm_parser *p, int op, double t, double period)
{
    if (isfinite(t) && isfinite(period))
        *LM_PUSH(p->arena, &p->kinks) = (lm_kink){t + 0.0, period, op};
}

void lm_kink_at(lm_parser *p, int op, lm_affine f, double value)
{
    if (!f.known || f.c1 == 0) return;
    double tau = (value - f.c0) / f.c1;
    if (f.period == 0)
        record(p, op, tau, 0);
    else if (tau >= 0 && tau <= f.period)
        record(p, op, f.start + tau, f.period);
}

void lm_kink_every(lm_parser *p, int op, lm_affine f, double value)
{
    if (!f.known || f.c1 == 0 || value == 0 || !isfinite(value)) return;
    if (f.period == 0) {
        double period = fabs(value / f.c1);
        if (period > 0) record(p, op, -f.c0 / f.c1, period);
        return;
    }
    double a = f.c0 / value, b = (f.c0 + f.c1 * f.period) / value;
    double first = ceil(fmin(a, b)), last = floor(fmax(a, b));
    if (!(last - first < STEPS_MOST)) return;
    for (double j = first; j <= last; j++) lm_kink_at(p, op, f, j * value);
    record(p, op, f.start, f.period);
}

/* The first of the instants k->t + j*k->period after t. Rounding may put the guess for j one off;
 * a period below the resolution of t makes every instant one of them. */
static double next_periodic(const lm_kink *k, double t)
{
    double j = floor((t - k->t) / k->period);
    if (!isfinite(j)) return INFINITY;
    for (int i = -1; i <= 2; i++) {
        double at = k->t + (j + i) * k->period;
        if (at > t) return at;
    }
    return nextafter(t, INFINITY);
}

/* The first index of [low, high) from which on the instants have a period, or are after t. */
static int search(const lm_kink *k, int low, int high, double t)
{
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (k[mid].period == 0 && k[mid].t <= t)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

double lm_expr_next_kink(const lm_expr *e, double t)
{
    const lm_kink *k = e->kinks;
    int after = search(k, 0, e->nkinks, t);
    double next = after < e->nkinks && k[after].period == 0 ? k[after].t : INFINITY;
    if (isnan(t)) return INFINITY;
    for (int i = search(k, after, e->nkinks, INFINITY); i < e->nkinks; i++) {
        double at = next_periodic(&k[i], t);
        if (at < next) next = at;
    }
    return next;
}
