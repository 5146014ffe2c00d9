#include "expr/expr_jump.h"

#include <math.h>

enum { CELLS = 1000, KINKS_MOST = 20000, EVALUATIONS_MOST = 400000 };

#define BESIDE   1e-9  /* of the time: where the sides of an instant are looked at */
#define POINT    1e-11 /* ...: intervals without length */
#define VALUE    1e-9  /* of the range of values: no jump */
#define SLOPE    1e-6  /* of the largest slope: no jump */
#define ROUNDING 1e-14 /* of the largest value */

typedef struct scan {
    const lm_expr *e;
    double until, *scratch;
    double range, steepest; /* of the values; the largest slope */
    double rounding;        /* of a value */
    double last;            /* instant that was found */
    long left;              /* evaluations */
    int (*found)(void *context, const lm_jump *jump);
    void *context;
} scan;

static void look(scan *s, double t, double u[3])
{
    s->left--;
    lm_expr_time(s->e, t, s->scratch, u);
}

/* Value and slope at t, continued from the distance d beside it. */
static void side(scan *s, double t, double d, double out[2])
{
    double u[3];
    look(s, t + d, u);
    out[0] = u[0] - d * (u[1] - 0.5 * d * u[2]);
    out[1] = u[1] - d * u[2];
}

static double clean(const scan *s, double u) { return fabs(u) < 1e-12 * s->range ? 0 : u; }

/* The two sides of an instant, looked at from the distance d. At 0 the side before is the value of the very
 * instant, and at the end the value behind. */
static void sides(scan *s, double t, double d, lm_jump *j)
{
    side(s, t, d, j->after);
    side(s, t, -d, j->before);
    if (t <= 0) j->before[0] = lm_expr_eval(s->e, &t, s->scratch), j->before[1] = j->after[1];
    if (t >= s->until) j->after[0] = lm_expr_eval(s->e, &t, s->scratch);
    j->before[0] = clean(s, j->before[0]);
    j->after[0] = clean(s, j->after[0]);
}

static double height(const lm_jump *j, int of) { return fabs(j->after[of] - j->before[of]); }

/* An instant that has none other within `room`. What becomes less from nearer by is steep, and no jump. */
static int compare(scan *s, double t, double room, int known)
{
    double d = fmin(BESIDE * s->until, 0.25 * room);
    lm_jump far = {0}, j = {.t = t, .known = known};
    sides(s, t, d, &far);
    sides(s, t, 0.01 * d, &j);
    double least = fmax(VALUE * s->range, s->rounding);
    j.value = height(&j, 0) > fmax(least, 0.5 * height(&far, 0));
    int corner = height(&j, 1) > fmax(SLOPE * s->steepest, 0.5 * height(&far, 1));
    return j.value || corner ? s->found(s->context, &j) : 0;
}

/* The instant between a and b, to rounding: at its middle the expression is as on one of the sides. */
static double locate(scan *s, double a, const double A[3], double b, const double B[3])
{
    for (int i = 0; i < 60; i++) {
        double m = 0.5 * (a + b), M[3], off[2] = {0, 0};
        if (!(m > a && m < b)) break;
        look(s, m, M);
        for (int k = 0; k < 2; k++) {
            double unit = k == 0 ? s->range : s->steepest;
            off[0] += fabs(M[k] - A[k]) / unit, off[1] += fabs(M[k] - B[k]) / unit;
        }
        if (off[0] < off[1])
            a = m;
        else
            b = m;
    }
    return 0.5 * (a + b);
}

static int halve(scan *s, double a, const double A[3], double b, const double B[3])
{
    double m = 0.5 * (a + b), h = b - a, M[3];
    look(s, m, M);
    double value = B[0] - A[0] - h / 6 * (A[1] + 4 * M[1] + B[1]);
    double slope = B[1] - A[1] - h / 6 * (A[2] + 4 * M[2] + B[2]);
    double least = fmax(0.1 * VALUE * s->range, s->rounding);
    int agree = !(fabs(value) > least || fabs(slope) > 0.1 * SLOPE * s->steepest);
    if (agree || s->left < 0) return 0;
    if (h < POINT * s->until) {
        if (m - s->last < 2 * BESIDE * s->until) return 0;
        s->last = m;
        return compare(s, locate(s, a, A, b, B), INFINITY, 0);
    }
    int stop = halve(s, a, A, m, M);
    return stop ? stop : halve(s, m, M, b, B);
}

/* Between two instants, whose sides are looked at elsewhere. */
static int between(scan *s, double from, double to)
{
    double d = fmin(BESIDE * s->until, 0.25 * (to - from)), a = from + d, A[3], B[3];
    double cell = s->until / CELLS;
    int n = (int)fmax(1, ceil((to - from) / cell)), stop = 0;
    look(s, a, A);
    for (int i = 1; i <= n && !stop; i++) {
        double b = i < n ? from + i * (to - from) / n : to - d;
        look(s, b, B);
        stop = halve(s, a, A, b, B);
        for (int k = 0; k < 3; k++) A[k] = B[k];
        a = b;
    }
    return stop;
}

static void measure(scan *s)
{
    double t = 0, u[3], least = lm_expr_eval(s->e, &t, s->scratch), most = least;
    for (int i = 0; i <= CELLS; i++) {
        look(s, s->until * i / CELLS, u);
        if (u[0] < least) least = u[0];
        if (u[0] > most) most = u[0];
        if (fabs(u[1]) > s->steepest && isfinite(u[1])) s->steepest = fabs(u[1]);
    }
    s->range = most > least ? most - least : 0;
    s->rounding = ROUNDING * fmax(fabs(least), fabs(most));
    s->steepest = fmax(s->steepest, s->range / s->until);
}

/* The next instant that is known, none but the end behind the last one. */
static double next_known(const scan *s, double t)
{
    return fmin(lm_expr_next_kink(s->e, t + POINT * s->until), s->until);
}

static int all(scan *s)
{
    double before = 0, t = next_known(s, 0), next;
    int stop = compare(s, 0, t, 1);
    for (int k = 0; k < KINKS_MOST && t < s->until && !stop; k++, t = next) {
        next = next_known(s, t);
        stop = compare(s, t, fmin(next - t, t - before), 1);
        before = t;
    }
    for (t = 0; t < s->until && !stop && s->left > 0; t = next)
        stop = between(s, t, next = next_known(s, t));
    int known = lm_expr_next_kink(s->e, s->until * (1 - POINT)) <= s->until * (1 + POINT);
    return stop ? stop : compare(s, s->until, s->until - before, known);
}

int lm_expr_jumps(const lm_expr *e, double until, int (*found)(void *context, const lm_jump *jump),
                  void *context)
{
    scan s = {.e = e,
              .until = until,
              .last = -until,
              .left = EVALUATIONS_MOST,
              .found = found,
              .context = context};
    if (e->constant || !e->nops || !(until > 0)) return 0;
    s.scratch = lm_alloc(sizeof(double) * (size_t)(lm_expr_scratch(e, 2) + 1));
    if (!s.scratch) return -1;
    measure(&s);
    int stop = s.range > 0 ? all(&s) : 0;
    lm_free(s.scratch);
    return stop;
}
