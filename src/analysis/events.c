#include "analysis/events.h"
#include "analysis/zones.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    PIECES = LM_EVENT_PLACES - 1, /* of a step, between which signs are compared */
    FIRST = 8,       /* parts of the way from one event to the next, of which a step takes one */
    AHEAD_OF = 2,    /* the same of a prediction, which have twice the length each time, */
    MOST_AHEAD = 40, /* at most */
    AGAIN = 20,      /* times that a found change is looked at again */
    TRIES = 8,       /* of one step that goes over an event */
    DIPS = 10,       /* tries to find where a guard comes to zero and goes back */
    MOST_RUSH = 20,  /* events of chatter before a guard is left alone; dense ones count 7, */
    MUTE = 50,       /* for so many steps */
    MOST_BACK = 20,  /* steps taken back for a guard that has no event, before it is left alone */
    VAIN = 4         /* cuts in vain before there is a pause */
};

/* Share of a step over which the state may be moved on without one; time between events that only chatter
 * makes, over the length of the run; quick ones, which are chatter where a guard stays below a part of its
 * largest value. */
#define NEAR   1e-5
#define SLIVER 1e-9 /* of the time between two events */
#define DENSE  1e-9
#define QUICK  1e-5
#define HELD   1e-2

/* Part of its largest value below which a guard that goes to and fro has come to rest. */
#define NOISE 1e-15

/* ---- guards along a path ---- */

/* A path: from `at` on by Taylor's series, or through the last step by the method's interpolation. */
typedef enum path { AHEAD, INSIDE } path;

static void measure_jerk(lm_dynamics_run *d)
{
    const lm_integrator *g = d->g;
    double h = g->clock->h;
    for (int i = 0; i < g->sys->nv; i++) d->events->jerk[i] = h > 0 ? (g->a[i] - g->a0[i]) / h : 0;
}

static int guards_at(lm_dynamics_run *d, path p, double t, double *out)
{
    lm_integrator *g = d->g;
    int bad = p == AHEAD ? lm_dynamics_ahead(d, t - g->clock->t, d->events->jerk)
                         : lm_trial_inside(d, t, d->events->all);
    lm_state s = {t, d->q, d->v, d->a, d->lam};
    return bad ? bad : g->sys->form->guards(g->sys, &s, out);
}

int lm_events_guards(lm_dynamics_run *d, double t, double *out)
{
    return guards_at(d, INSIDE, t, out);
}

static int guards_now(lm_dynamics_run *d, double *out)
{
    const lm_integrator *g = d->g;
    lm_state s = {g->clock->t, g->q, g->v, g->a, g->lam};
    return g->sys->form->guards(g->sys, &s, out);
}

/* The same at the start of a step. Where one is exactly zero, as at an instant of output, its sign is that from
 * before. */
static int guards_start(lm_dynamics_run *d)
{
    lm_events *x = d->events;
    if (guards_now(d, x->start)) return 1;
    for (int i = 0; i < x->n; i++)
        if (x->start[i] == 0) x->start[i] = 1e-300 * x->of[i].sign;
    return 0;
}

static int flipped(const lm_events *x, int i, const double *a, const double *b)
{
    const lm_watch *w = &x->of[i];
    double size = fmax(w->far, fmax(fabs(a[i]), fabs(b[i])));
    if (w->mute > 0 || size <= NOISE * w->most) return 0;
    return (a[i] < 0 && b[i] > 0) || (a[i] > 0 && b[i] < 0);
}

/* Zero says nothing: the sign is that from before. */
static void keep_signs(const lm_events *x, double *to, const double *from)
{
    for (int i = 0; i < x->n; i++)
        if (from[i] != 0) to[i] = from[i];
}

/* The root of guard i between ta and tb, where it has the values a and b of different signs; the end on the
 * far side of it, within tol. Regula falsi (Illinois), and bisection now and then. */
static double root(lm_dynamics_run *d, path p, int i, double ta, double a, double tb, double b,
                   double tol)
{
    double *g = d->events->probe;
    for (int it = 0, side = 0; it < 100 && tb - ta > tol; it++) {
        double t = it % 4 == 3 ? 0.5 * (ta + tb) : tb - b * (tb - ta) / (b - a);
        if (!(t > ta && t < tb)) t = 0.5 * (ta + tb);
        if (!(t > ta && t < tb) || guards_at(d, p, t, g)) break;
        int far = (g[i] > 0) == (b > 0) && g[i] != 0;
        if (far)
            tb = t, b = g[i];
        else
            ta = t, a = g[i];
        if (far && side == 1) a *= 0.5;
        if (!far && side == -1) b *= 0.5;
        side = far ? 1 : -1;
    }
    return tb;
}

static void note_sizes(lm_events *x, const double *now)
{
    for (int i = 0; i < x->n; i++) {
        lm_watch *w = &x->of[i];
        w->far = fmax(w->far, fabs(now[i]));
        w->most = fmax(w->most, w->far);
        if (now[i] != 0) w->sign = now[i] > 0 ? 1 : -1;
    }
}

/* The first change of a sign between `from`, where the guards are x->was, and `to`, where they are x->now. What
 * changes twice in between shows at the changes of others: a zone |x - c| < w at its middle, where |x - c| has
 * its corner. */
static double first_between(lm_dynamics_run *d, path p, double from, double to, double tol)
{
    lm_events *x = d->events;
    for (double first = INFINITY;; to = first) {
        double least = first;
        for (int i = 0; i < x->n; i++) {
            if (!flipped(x, i, x->was, x->now)) continue;
            double at = root(d, p, i, from, x->was[i], to, x->now[i], tol);
            if (at < least) least = at, x->cause = i;
        }
        if (!(least < first) || guards_at(d, p, least, x->now)) return least;
        first = least;
    }
}

/* Time and value of a guard, and the vertex of the parabola through three of them. */
typedef struct point {
    double t, g;
} point;

static point vertex(const point k[3])
{
    double s = (k[1].g - k[0].g) / (k[1].t - k[0].t), r = (k[2].g - k[1].g) / (k[2].t - k[1].t);
    double bend = (r - s) / (k[2].t - k[0].t), t = 0.5 * (k[0].t + k[1].t - s / bend);
    return (point){t, k[0].g + (t - k[0].t) * (s + bend * (t - k[1].t))};
}

/* Guard i, times `sign`, is positive at three points of the path. Where it seems to come to zero between them,
 * the root at which it changes; INFINITY: it does not. */
static double dip(lm_dynamics_run *d, path p, int i, double sign, point k[3], double tol)
{
    static const double close = 0.1;
    for (int it = 0; it < DIPS; it++) {
        point v = vertex(k);
        double least = fmin(k[0].g, fmin(k[1].g, k[2].g)), *g = d->events->probe;
        if (!(v.t > k[0].t && v.t < k[2].t && v.g < close * least)) break;
        if (guards_at(d, p, v.t, g)) break;
        int second = v.t > k[1].t;
        v.g = sign * g[i];
        if (v.g < 0) return root(d, p, i, k[second].t, sign * k[second].g, v.t, sign * v.g, tol);
        if (!(v.g < k[1].g))
            k[second ? 2 : 0] = v;
        else
            k[second ? 0 : 2] = k[1], k[1] = v;
    }
    return INFINITY;
}

/* The first change between `earlier`, where the guards are x->before, and `to`, of those that have one sign
 * there and at `from`: a zone that is entered and left. */
static double first_dip(lm_dynamics_run *d, path p, double earlier, double from, double to,
                        double tol)
{
    lm_events *x = d->events;
    double first = INFINITY;
    for (int i = 0; i < x->n; i++) {
        double s = x->was[i] > 0 ? 1 : -1;
        point k[3] = {{earlier, s * x->before[i]}, {from, s * x->was[i]}, {to, s * x->now[i]}};
        if (x->of[i].mute > 0 || !(k[0].g > 0 && k[1].g > 0 && k[2].g > 0)) continue;
        double at = dip(d, p, i, s, k, tol);
        if (at < first) first = at, x->cause = i;
    }
    return first;
}

/* End of piece k of a path. That of a prediction has short ones first: under a large force it soon turns back. */
static double piece_end(path p, double ta, double tb, int k, int pieces)
{
    if (k == pieces) return tb;
    return ta + (tb - ta) * (p == AHEAD ? ldexp(1, k - pieces) : (double)k / pieces);
}

static double scan(lm_dynamics_run *d, path p, double ta, double tb, int pieces, double tol)
{
    lm_events *x = d->events;
    double from = ta, earlier = ta;
    lm_copy(x->was, x->start, x->n);
    for (int k = 1; k <= pieces; k++) {
        double to = piece_end(p, ta, tb, k, pieces);
        int whole = p == INSIDE && to >= d->g->clock->t;
        if (whole ? guards_now(d, x->now) : guards_at(d, p, to, x->now)) return INFINITY;
        if (p == INSIDE) note_sizes(x, x->now);
        if (p == INSIDE) lm_event_search_note(d, k, to);
        double first = first_between(d, p, from, to, tol);
        if (!(first < INFINITY) && k > 1) first = first_dip(d, p, earlier, from, to, tol);
        if (first < INFINITY) return first;
        lm_copy(x->before, x->was, x->n);
        keep_signs(x, x->was, x->now);
        earlier = from, from = to;
    }
    return INFINITY;
}

/* A change between places that have the same signs, if there is one: it and its return are found from there. */
static double before_that(lm_dynamics_run *d, double ta, double until, double first, double tol)
{
    lm_events *x = d->events;
    int cause = x->cause;
    double at = lm_event_search_first(d, until, tol);
    if (at < INFINITY && !guards_at(d, INSIDE, at, x->now)) {
        lm_event_search_start(d, x->was);
        at = first_between(d, INSIDE, ta, at, tol);
        if (at < first) return at;
    }
    x->cause = cause;
    return first;
}

/* The first change of a sign between ta, where the guards are x->start, and tb; INFINITY: there is none. What
 * is before a change is looked at again by shorter pieces: the far end of a zone that throws back is crossed
 * twice before the near one. */
static double first_change(lm_dynamics_run *d, path p, double ta, double tb, int pieces, double tol)
{
    double first = scan(d, p, ta, tb, pieces, tol);
    for (int i = 0; i < AGAIN && first < INFINITY; i++) {
        int cause = d->events->cause;
        double earlier = scan(d, p, ta, first, pieces, tol);
        if (!(earlier < first - tol)) {
            d->events->cause = cause;
            break;
        }
        first = earlier;
    }
    return p == INSIDE ? before_that(d, ta, fmin(first, tb), first, tol) : first;
}

/* ---- steps ---- */

static double rounding(const lm_dynamics_run *d) { return 1e-14 * d->until; }

/* How far behind the event at `first` the state is moved: by rounding, but no share that counts of the ways from
 * the last event and to the next one, over which forces may be large. */
static double beyond(lm_dynamics_run *d, double first)
{
    lm_events *x = d->events;
    double most = rounding(d), least = 4 * DBL_EPSILON * d->g->clock->t, last = -d->until;
    int cause = x->cause;
    for (int i = 0; i < x->n; i++) last = fmax(last, x->of[i].last);
    if (guards_at(d, AHEAD, first, x->now)) return most;
    keep_signs(x, x->start, x->now);
    double next = scan(d, AHEAD, first, first + most / SLIVER, AHEAD_OF, 0);
    x->cause = cause;
    return fmin(most, fmax(SLIVER * fmin(next - first, first - last), least));
}

static void take_back(lm_dynamics_run *d)
{
    lm_trial_take_back(d);
    measure_jerk(d);
}

static int takes_a_part(const lm_dynamics_run *d)
{
    return d->g->clock->h == 0 && d->g->ops->at_ends;
}

/* The step that is to be expected, up to `limit`, or that of which it takes a part: what a method wants may be far
 * longer. */
static double reach(const lm_dynamics_run *d, double limit)
{
    const lm_clock *c = d->g->clock;
    double room = limit - c->t, whole = takes_a_part(d) ? FIRST : 1;
    if (!d->g->ops->start_up) return fmin(whole * fmin(c->h_next, d->g->opt.largest_step), room);
    return fmin(fmin(c->h > 0 ? 2 * c->h : DENSE * d->until, d->g->opt.largest_step), room);
}

/* Pieces of a prediction over the length h: the first no longer than the forces take to turn the motion back. */
static int pieces_ahead(const lm_dynamics_run *d, double h)
{
    const lm_integrator *g = d->g;
    double v = lm_speed_norm(g->sys, g->clock->size, g->v);
    double a = lm_speed_norm(g->sys, g->clock->size, g->a), back = h * a / fmax(v, 1e-300);
    return back > 1 ? (int)fmin(AHEAD_OF + ceil(log2(back)), MOST_AHEAD) : AHEAD_OF;
}

/* A step that goes over a jump of a force is rejected, made smaller, and rejected again: so it is aimed at
 * the event that the present motion leads to, up to `limit`. Not always: what only seems to lead to one must
 * not cut every step. */
static double aim(lm_dynamics_run *d, double limit)
{
    lm_events *x = d->events;
    double t = d->g->clock->t, to = t + reach(d, limit);
    if (*x->pause > 0) *x->pause -= 1;
    if (*x->pause > 0 || !(to > t)) return INFINITY;
    return first_change(d, AHEAD, t, to, pieces_ahead(d, to - t), 1e-2 * NEAR * (to - t));
}

/* How far on from the present state there is an event, if it is near; 0: none. */
static double near_event(lm_dynamics_run *d, double within)
{
    double t = d->g->clock->t;
    within = fmax(within, 4 * rounding(d));
    measure_jerk(d);
    if (guards_start(d)) return 0;
    double first = first_change(d, AHEAD, t, t + within, AHEAD_OF, 0);
    return first < INFINITY ? first - t + beyond(d, first) : 0;
}

/* The step aimed at an event has been made. */
static void note_aim(lm_events *x, int landed, double push)
{
    if (push > 0)
        *x->vain = 0;
    else if (landed && ++*x->vain > VAIN)
        *x->pause = fmin(ldexp(8, (int)(*x->vain - VAIN)), 64);
}

static void begin_step(lm_dynamics_run *d)
{
    lm_events *x = d->events;
    for (int i = 0; i < x->n; i++)
        if (x->of[i].mute > 0) x->of[i].mute -= 1;
    lm_trial_begin(d);
    measure_jerk(d);
}

/* Not a step, but the event at the start of one: 1 when there is. */
static int at_start(lm_dynamics_run *d, double first, double near, double *push)
{
    double after = first - d->g->clock->t;
    *push = after < near ? near_event(d, fmax(near, 2 * after)) : 0;
    return *push > 0;
}

/* A guard for which steps are taken back again and again and that has no event: it stays about zero, as that of
 * a state which comes to its limit. */
static void note_back(lm_dynamics_run *d)
{
    lm_watch *w = &d->events->of[d->events->cause];
    if (++w->back <= MOST_BACK) return;
    w->again = fmin(w->again + 1, 4);
    w->mute = ldexp(MUTE, (int)w->again);
    w->back = MOST_BACK / 2;
}

/* Steps aimed at `first` or where there seems to be no event, up to `limit`: those that go over one are
 * taken back. */
static limber_status approach(lm_dynamics_run *d, double first, double limit, double near,
                              double *push, int *made)
{
    lm_events *x = d->events;
    /* so far before the event that rounding does not take the end of the step over it */
    double t = d->g->clock->t, short_of = fmax(0.1 * NEAR * (first - t), rounding(d));
    double to = fmin(limit, first - short_of);
    if (takes_a_part(d)) to = fmin(to, t + (first - t) / FIRST); /* a force may be zero at both */
    int again = 0;
    double aimed = to;
    for (int i = 0;; i++) {
        limber_status st = lm_dynamics_step(d, to);
        if (st) return st;
        double end = d->g->clock->t, tol = 1e-3 * NEAR * (end - t);
        first = first_change(d, INSIDE, t, end, PIECES, fmax(tol, rounding(d)));
        if (!(first < INFINITY)) {
            double back = d->zones && again++ < TRIES ? lm_zones_check(d, t) : INFINITY;
            if (back < INFINITY) {
                to = fmin(to, back), i--;
                take_back(d);
                continue;
            }
            *push = near_event(d, fmax(near, NEAR * (end - t)));
            note_aim(x, aimed < limit && end >= aimed, *push);
            return st;
        }
        *x->vain = 0;
        if (i == 0) note_back(d);
        if (i == TRIES) return st; /* over it after all */
        take_back(d);
        if (first - t < near) {
            *made = !at_start(d, first, near, push);
            return *made ? lm_dynamics_step(d, limit) : st;
        }
        aimed = to = t + 0.95 * (first - t);
    }
}

limber_status lm_events_step(lm_dynamics_run *d, double limit, double *push, int *made)
{
    double known = d->g->clock->h > 0 ? reach(d, limit) : 0; /* after a start the jerk is not */
    double near = fmax(NEAR * known, 100 * rounding(d)); /* steps are not smaller than a tenth */
    begin_step(d);
    if (d->zones) lm_zones_begin(d);
    *push = 0;
    *made = 1;
    if (guards_start(d)) return lm_dynamics_step(d, limit);
    lm_event_search_note(d, 0, d->g->clock->t);
    double first = aim(d, limit);
    *made = !at_start(d, first, near, push);
    return *made ? approach(d, first, limit, near, push, made) : LIMBER_OK;
}

/* ---- events ---- */

static void warn(lm_dynamics_run *d, int guard, double t)
{
    char text[200];
    d->g->sys->form->describe_guard(d->g->sys, guard, text, sizeof text);
    lm_warning(d->run->diag, ((lm_loc){d->run->model->spec->file, 0, 0}),
               "from t = %.6g on a branch changes to and fro without end (%s): steps become small, "
               "and the "
               "motion is as exact as they are. What holds something fast needs a force that rises "
               "steeply "
               "instead of jumping ('friction' with 'velocity', a stop with stiffness), a relay "
               "two thresholds",
               t, text);
    d->events->warned = 1;
}

/* Events of one guard that follow each other without end are no instants to stop at: a force that holds
 * something at a place, or a friction that holds it fast. A relay that is quick goes to and fro between its
 * thresholds each time; what holds does not come far. */
static void note_event(lm_dynamics_run *d, int guard, double t)
{
    lm_watch *w = &d->events->of[guard];
    double since = (t - w->last) / d->until;
    w->back = 0;
    int held = since <= QUICK && w->far < HELD * w->most;
    w->rush = since <= DENSE ? w->rush + MOST_RUSH / 3 + 1 : held ? w->rush + 1 : 0;
    w->last = t;
    w->far = 0;
    if (w->rush == 0 && since > 1e-3) w->again = 0;
    if (w->rush <= MOST_RUSH) return;
    if (!d->events->warned) warn(d, guard, t);
    w->again = since > 1e-3 ? 0 : fmin(w->again + 1, 12);
    w->mute = ldexp(MUTE, (int)w->again); /* what holds goes on holding */
    w->rush = MOST_RUSH * 2 / 3;
}

limber_status lm_events_cross(lm_dynamics_run *d, double push)
{
    lm_events *x = d->events;
    lm_integrator *g = d->g;
    double t = g->clock->t + push;
    limber_status st = LIMBER_OK;
    measure_jerk(d);
    if (guards_start(d) || guards_at(d, AHEAD, t, x->now)) return st;
    for (int i = 0; i < x->n && !st; i++) {
        if (x->now[i] != 0) x->of[i].sign = x->now[i] > 0 ? 1 : -1;
        if (!flipped(x, i, x->start, x->now)) continue;
        note_event(d, i, t);
        lm_zones_event(d, i);
        *x->count += 1;
        st = lm_record_event(d->run, t, i, x->now[i] > 0 ? 1 : -1);
    }
    *x->pause = 0;
    lm_dynamics_carry(d, push);
    return st;
}

/* ---- making ---- */

limber_status lm_events_open(lm_dynamics_run *d)
{
    const lm_integrator *g = d->g;
    int n = g->sys->form->guards ? g->sys->nguards : 0;
    if (n == 0 || g->opt.step > 0) return LIMBER_OK;
    lm_events *x = d->events = lm_alloc(sizeof *x);
    if (!x) return LIMBER_MEMORY;
    size_t head = 3, watches = (size_t)n * sizeof(lm_watch) / sizeof(double);
    size_t nv = (size_t)g->sys->nv;
    x->n = n;
    x->all = lm_trial_guards_need(g->sys);
    x->size = (int)(head + watches);
    x->block = lm_alloc(sizeof(double) * (head + watches + 5 * (size_t)n + nv));
    if (!x->block) return LIMBER_MEMORY;
    x->count = x->block, x->vain = x->block + 1, x->pause = x->block + 2;
    x->of = (lm_watch *)(void *)(x->block + head);
    for (int i = 0; i < n; i++) x->of[i].last = -d->until;
    x->start = x->block + x->size;
    x->was = x->start + n, x->now = x->was + n, x->probe = x->now + n;
    x->before = x->probe + n, x->jerk = x->before + n;
    if (lm_event_search_open(d) || lm_trial_open(d)) return LIMBER_MEMORY;
    return lm_record_events(d->run);
}

void lm_events_close(lm_dynamics_run *d)
{
    if (d->events) lm_event_search_close(d->events->search);
    if (d->events) lm_free(d->events->block);
    lm_free(d->events);
    d->events = NULL;
}
