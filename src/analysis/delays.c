/* What goes into delays: after each accepted step the input is recorded along the method's own interpolation, in
 * pieces that are halved until polynomials are right within the tolerance of the run (docs/theory/blocks.md). */
#include "analysis/dynamics.h"
#include "expr/expr_jump.h"
#include "form/history.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    DEEPEST = 40, /* halvings */
    JUMP_AT = 6,  /* every so many of them a jump is looked for */
    CORNER = 14   /* so many are a corner */
};

/* Of the tolerance of the run: what polynomials may be off, in parts of the largest input; not less than
 * rounding of inputs that are small differences. */
#define SHARE 1e-2
#define LEAST 1e-10

/* Between two instants that count as one, over the length of the run. */
#define ROUNDING 1e-14

struct lm_delays {
    int ncorner, room;
    double *
        corner; /* [ncorner] ascending: where inputs of the time have corners, later by the delay */
};

/* ---- inputs of the time ---- */

static int put_corner(lm_delays *x, double t)
{
    if (x->ncorner == x->room) {
        int room = x->room ? 2 * x->room : 64;
        double *more = lm_realloc(x->corner, sizeof(double) * (size_t)room);
        if (!more) return -1;
        x->corner = more;
        x->room = room;
    }
    int k = x->ncorner++;
    for (; k > 0 && x->corner[k - 1] > t; k--) x->corner[k] = x->corner[k - 1];
    x->corner[k] = t;
    return 0;
}

typedef struct search {
    lm_delays *x;
    double later;
} search;

static int found(void *context, const lm_jump *j)
{
    search *s = context;
    return put_corner(s->x, j->t + s->later);
}

limber_status lm_delays_open(lm_dynamics_run *d)
{
    const lm_discrete *x = d->g->sys->discrete;
    if (!x || x->ndelays == 0) return LIMBER_OK;
    d->delays = lm_alloc(sizeof *d->delays);
    if (!d->delays) return LIMBER_MEMORY;
    for (int k = 0; k < x->ndelays; k++) {
        const lm_spec_delay *s = &x->spec->delays.at[k];
        search to = {d->delays, s->time};
        if (s->of_time && s->time < d->until &&
            lm_expr_jumps(&s->input, d->until - s->time, found, &to) < 0)
            return LIMBER_MEMORY;
    }
    return LIMBER_OK;
}

void lm_delays_close(lm_dynamics_run *d)
{
    if (d->delays) lm_free(d->delays->corner);
    lm_free(d->delays);
    d->delays = NULL;
}

static double next_corner(const lm_delays *x, double t)
{
    int low = -1, high = x ? x->ncorner : 0;
    while (high - low > 1) {
        int mid = low + (high - low) / 2;
        if (x->corner[mid] <= t)
            low = mid;
        else
            high = mid;
    }
    return x && high < x->ncorner ? x->corner[high] : INFINITY;
}

/* ---- pieces ---- */

/* The part of a step that is recorded for one delay. */
typedef struct record {
    lm_dynamics_run *d;
    int k;
    double from, to; /* the step */
    int breaks;      /* 1: the next piece begins at a jump or corner */
    int first;       /* 1: it is the first of the step */
    limber_status status;
} record;

static double input_of(const lm_discrete *x, int k)
{
    return x->input[x->n + 2 * x->nsurfaces + k];
}

/* The input at a time of the step. */
static double input_at(record *r, double t)
{
    lm_dynamics_run *d = r->d;
    lm_integrator *g = d->g;
    lm_state s = {t, g->q, g->v, g->a, g->lam};
    if (r->status) return 0;
    if (t <= r->from)
        s = (lm_state){t, g->q0, g->v0, g->a0, g->lam0};
    else if (t < r->to) {
        s = (lm_state){t, d->q, d->v, d->a, d->lam};
        if (lm_integrator_at(g, t, d->q, d->v, d->a, d->lam))
            r->status = lm_stop(d->run, LIMBER_INTERNAL,
                                "at t = %.6g: the state cannot be interpolated", t);
    }
    if (!r->status) r->status = lm_discrete_evaluate(d, &s);
    return r->status ? 0 : input_of(g->sys->discrete, r->k);
}

static lm_history *history_of(const record *r) { return &r->d->g->sys->discrete->history[r->k]; }

static double allowed(const record *r)
{
    double part = fmax(SHARE * r->d->g->opt.tolerance, LEAST);
    return part * *history_of(r)->size;
}

/* Between the last piece and the step that begins with this one something may have happened. */
static int breaks_at_start(const record *r, const lm_history_piece *next)
{
    const lm_history *h = history_of(r);
    if (*h->count == 0) return 0;
    const lm_history_piece *last = &h->piece[(int)*h->count - 1];
    double tol = 10 * allowed(r), h0 = last->t1 - last->t0, h1 = next->t1 - next->t0;
    if (fabs(next->u[0] - last->u[LM_PIECE_NODES - 1]) > tol) return 1;
    double bend = lm_piece_slope(next, 0) / h1 - lm_piece_slope(last, 1) / h0;
    return fabs(bend) * fmin(h0, h1) > 10 * tol;
}

static void put(record *r, lm_history_piece *p)
{
    const lm_spec_delay *s = &r->d->g->sys->discrete->spec->delays.at[r->k];
    lm_history *h = history_of(r);
    p->breaks = r->breaks || (r->first && breaks_at_start(r, p));
    r->breaks = r->first = 0;
    if (lm_history_put(h, p, r->from - s->time) || lm_checkpoint_reserve(r->d))
        r->status = LIMBER_MEMORY;
    if (!r->status) r->status = lm_dynamics_progress(r->d); /* pieces can be very many */
}

/* The largest difference of the polynomial, at places with no order, between its nodes. */
static double off(record *r, const lm_history_piece *p)
{
    static const double at[3] = {0.0583, 0.3107, 0.6713};
    double most = 0;
    for (int i = 0; i < 3; i++) {
        double u = input_at(r, p->t0 + at[i] * (p->t1 - p->t0));
        *history_of(r)->size = fmax(*history_of(r)->size, fabs(u));
        most = fmax(most, fabs(u - lm_piece_value(p, at[i])));
    }
    return most;
}

/* By how much the input is off because its time is rounded. */
static double rounded(const lm_history_piece *p)
{
    double slope = 0;
    for (int i = 1; i < LM_PIECE_NODES; i++) {
        double dt = (lm_piece_node[i] - lm_piece_node[i - 1]) * (p->t1 - p->t0);
        slope = fmax(slope, fabs(p->u[i] - p->u[i - 1]) / dt);
    }
    return 4 * DBL_EPSILON * fabs(p->t1) * slope;
}

/* Between a and b, where the input has the values ua and ub: the place at which it jumps, from *a to *b. */
static int find_jump(record *r, double *a, double ua, double *b, double ub)
{
    double least = ROUNDING * r->d->until, slope = fabs(ub - ua) / (*b - *a);
    while (*b - *a > least && !r->status) {
        double t = 0.5 * (*a + *b), u = input_at(r, t);
        if (!(t > *a && t < *b)) break;
        if (fabs(u - ua) > fabs(ub - u))
            *b = t, ub = u;
        else
            *a = t, ua = u;
    }
    return fabs(ub - ua) > 10 * (allowed(r) + slope * (*b - *a));
}

static void halve(record *r, double a, double ua, double b, double ub, int depth);

static void divide(record *r, double a, double ua, double b, double ub, int depth)
{
    double left = a, right = b;
    if (depth % JUMP_AT == JUMP_AT - 1 && find_jump(r, &left, ua, &right, ub)) {
        if (left > a) halve(r, a, ua, left, input_at(r, left), depth + 1);
        r->breaks = 1;
        if (right < b) halve(r, right, input_at(r, right), b, ub, depth + 1);
        return;
    }
    double t = 0.5 * (a + b), u = input_at(r, t);
    halve(r, a, ua, t, u, depth + 1);
    halve(r, t, u, b, ub, depth + 1);
}

static void note_bend(lm_history *h, const lm_history_piece *p)
{
    double half = 0.5 * (p->t1 - p->t0), bend = fabs(p->u[0] - 2 * p->u[2] + p->u[4]);
    if (*h->size > 0) *h->bend = fmax(*h->bend, bend / (half * half * *h->size));
}

static void halve(record *r, double a, double ua, double b, double ub, int depth)
{
    lm_history_piece p = {.t0 = a, .t1 = b, .u = {ua, 0, 0, 0, ub}};
    if (r->status) return;
    for (int i = 1; i < LM_PIECE_NODES - 1; i++)
        p.u[i] = input_at(r, a + lm_piece_node[i] * (b - a));
    for (int i = 0; i < LM_PIECE_NODES; i++)
        *history_of(r)->size = fmax(*history_of(r)->size, fabs(p.u[i]));
    int fits = off(r, &p) <= fmax(allowed(r), rounded(&p)) || depth >= DEEPEST ||
               b - a <= ROUNDING * r->d->until;
    if (r->status) return;
    if (!fits) {
        divide(r, a, ua, b, ub, depth);
        return;
    }
    if (depth >= CORNER) r->breaks = 1;
    if (depth == 0) note_bend(history_of(r), &p);
    put(r, &p);
}

/* ---- steps ---- */

/* The step from r->from on in equal pieces, none longer than the samples allow. */
static void record_step(record *r)
{
    const lm_spec_delay *s = &r->d->g->sys->discrete->spec->delays.at[r->k];
    double span = r->to - r->from, most = (LM_PIECE_NODES - 1) * s->time / s->samples;
    double n = ceil(span / most - 1e-9), from = r->from, u = input_at(r, from);
    if (!(n > 1)) n = 1;
    for (double i = 1; i <= n && !r->status; i++) {
        double to = i < n ? r->from + span * (i / n) : r->to, next = input_at(r, to);
        halve(r, from, u, to, next, 0);
        from = to, u = next;
    }
}

limber_status lm_delays_record(lm_dynamics_run *d)
{
    const lm_discrete *x = d->g->sys->discrete;
    const lm_clock *c = d->g->clock;
    limber_status st = LIMBER_OK;
    for (int k = 0; k < x->ndelays && !st; k++) {
        const lm_history *h = &x->history[k];
        double last = *h->count > 0 ? h->piece[(int)*h->count - 1].t1 : *h->start;
        record r = {.d = d, .k = k, .from = fmax(c->t - c->h, last), .to = c->t, .first = 1};
        if (x->spec->delays.at[k].of_time || !(r.to > r.from) || !(c->h > 0)) continue;
        record_step(&r);
        st = r.status;
    }
    return st;
}

/* Histories begin with the inputs of this instant. What comes out of one delay may go into another, so
 * that it takes as many rounds as there are delays in a row. */
limber_status lm_delays_begin(lm_dynamics_run *d)
{
    lm_discrete *x = d->g->sys->discrete;
    const lm_integrator *g = d->g;
    limber_status st = LIMBER_OK;
    int changed = x->ndelays > 0;
    for (int round = 0; round <= x->ndelays && changed && !st; round++) {
        lm_state s = {*x->t, g->q, g->v, g->a, g->lam};
        st = lm_discrete_evaluate(d, &s);
        changed = 0;
        for (int k = 0; k < x->ndelays && !st; k++) {
            double before = *x->history[k].before;
            lm_history_begin(x, k, *x->t, input_of(x, k));
            changed |= *x->history[k].before != before;
        }
        if (changed && !st) st = lm_discrete_start_again(d);
    }
    return st;
}

/* A method that cannot interpolate has a cubic between the ends of a step, off by h^4/384 times the fourth
 * derivative, which is about (u''/u)^2 of u. */
static double cubic_limit(const lm_dynamics_run *d, const lm_spec_delay *s, const lm_history *h)
{
    double part = fmax(SHARE * d->g->opt.tolerance, LEAST), most = s->time / s->samples;
    double step = *h->bend > 0 ? sqrt(sqrt(384 * part) / *h->bend) : INFINITY;
    return fmax(1e-4 * most, fmin(step, most));
}

/* All that a step reads is known when it begins. */
double lm_delays_limit(const lm_dynamics_run *d, double t, double *kink)
{
    const lm_integrator *g = d->g;
    const lm_discrete *x = g->sys->discrete;
    double limit = INFINITY;
    if (x->ndelays) *kink = fmin(*kink, next_corner(d->delays, t));
    for (int k = 0; k < x->ndelays; k++) {
        const lm_spec_delay *s = &x->spec->delays.at[k];
        double h = g->ops->lands_on_outputs ? cubic_limit(d, s, &x->history[k]) : s->time;
        if (!s->of_time) limit = fmin(limit, g->clock->t + h);
    }
    return limit;
}
