/* The path of equilibria from the present one to the full load, point by point.
 *
 * A point of the path has a direction (t, t_f), of unit length in
 *
 *     ds^2 = mean over all nodes of (dx/size)^2 + dpsi^2, plus (unit df)^2.
 *
 * The next one is predicted along it and corrected by Newton's method either at the load factor
 * wanted, or (Riks) in the plane normal to the direction,
 *
 *     K x = -r - df p,    t . x + t_f df = 0,
 *
 * so that points at which the load factor turns are passed like any others: x = a + df b with K a = -r
 * and K b = -p, one factorisation. */
#include "analysis/statics.h"

#include <math.h>
#include <string.h>

enum { HOLDS = 3 }; /* times that free motions are looked at again at one point */
enum { ITERATIONS = 16, POINTS = 1000, LOCATE = 40 };
#define LONGEST       0.6 /* predicted motion: over the size or in radians */
#define SHORTEST      1e-8
#define BEND          0.2   /* correction over prediction where the path is not a simple one */
#define BUCKLING_STEP 0.002 /* of the load factor */
#define STIFFEST      1e-3  /* least unit of the load factor */
#define CONVERGED     1e-10 /* correction, in the same units */
#define UNBALANCED    1e-7  /* residual of a point that is none of the path */
#define FLOOR         1e-7  /* correction at which one that shrinks no more is rounding */

typedef struct path {
    lm_statics_search *s;
    double unit;      /* of the load factor, in arc length */
    double ds;        /* longest next step */
    double predicted; /* motion and load of the last, the larger of both */
    double corrected; /* sum of its corrections, likewise */
    int iterations;   /* they took */
} path;

/* t . x of two motions: mean over the nodes, of which each has two threes. */
static double dot(const lm_statics_search *s, const double *a, const double *b)
{
    double sum = 0, unit = 1 / (s->size * s->size);
    for (int i = 0; i < s->sys->nv; i++) sum += a[i] * b[i] * (s->sys->angular[i] ? 1 : unit);
    return s->sys->nv > 0 ? 6 * sum / s->sys->nv : 0;
}

/* Direction of the path at s->now, on along that of `before` (NULL: towards larger loads), and its
 * stability. 1: singular. */
static int direct(path *w, const lm_point *before)
{
    lm_statics_search *s = w->s;
    double *b = s->x;
    lm_statics_take_force(s);
    if (lm_statics_evaluate(s, 1) || lm_statics_factor(s, 0, 1)) return 1;
    lm_statics_rhs(s, s->p, b);
    lm_statics_solve(s, b);
    double motion = sqrt(dot(s, b, b)), sign = 1;
    if (!isfinite(motion)) return 1;
    if (!before) w->unit = fmax(motion, STIFFEST);
    double length = hypot(motion, w->unit);
    if (before && dot(s, b, before->t) + w->unit * w->unit * before->t_factor < 0) sign = -1;
    for (int i = 0; i < s->n; i++) s->now.t[i] = sign * b[i] / length;
    s->now.t_factor = sign / length;
    s->now.negative = lm_stability_lost(s->stab);
    return 0;
}

/* One correction into s->x, the change of the load factor with it; the size of its motion or NAN. */
static double correction(path *w, int by_load, double *change)
{
    lm_statics_search *s = w->s;
    double *a = s->x, *b = s->x + s->n;
    if (lm_statics_evaluate(s, !by_load) || lm_statics_factor(s, 0, 0)) return NAN;
    lm_statics_rhs(s, s->r, a);
    if (!by_load) lm_statics_rhs(s, s->p, b);
    lm_statics_solve(s, a);
    *change = 0;
    if (!by_load) {
        lm_statics_solve(s, b);
        double along = w->unit * w->unit * s->last.t_factor;
        *change = -dot(s, s->last.t, a) / (dot(s, s->last.t, b) + along);
        for (int i = 0; i < s->n; i++) a[i] += *change * b[i];
    }
    s->iterations++;
    return lm_motion_norm(s->sys, s->size, a);
}

/* 1: it stands still out of balance. Motions that were free when they were last looked at are held in the
 * matrix; loads may have given them a stiffness since, as a weight gives it to a rope. */
static int held_back(const lm_statics_search *s)
{
    return s->stab->nfree > 0 && s->residual > fmax(UNBALANCED, 100 * s->floor);
}

/* From the predicted point onto the path. 0; 1: not found near it. */
static int correct(path *w, int by_load)
{
    lm_statics_search *s = w->s;
    double before = INFINITY, earlier = INFINITY, change = 0;
    int held = 0;
    w->corrected = 0;
    for (int it = 0; it < ITERATIONS; it++) {
        if (lm_statics_tell(s)) return 1;
        double motion = correction(w, by_load, &change);
        double size = fmax(motion, fmin(w->unit, 1) * fabs(change));
        w->corrected += fmax(motion, w->unit * fabs(change));
        w->iterations = it + 1;
        if (!(w->corrected <= fmax(w->predicted, FLOOR))) return 1; /* NAN too */
        if (lm_statics_move(s, s->x)) return 1;
        s->now.factor += change;
        int ends = size <= CONVERGED || (size > 0.5 * before && size < FLOOR);
        if (ends && !held_back(s)) return 0;
        if (ends && (++held > HOLDS || lm_statics_factor(s, 0, 1))) return 1;
        /* corrections along stiff beams and across them take turns: each kind must fall */
        if (size > earlier && size > 0.05 * w->predicted) return 1;
        earlier = before, before = size;
    }
    return 1;
}

/* From s->last along its direction by `ds`, to the load factor `target` when it is one. */
static int advance(path *w, double ds, double target)
{
    lm_statics_search *s = w->s;
    int by_load = !isnan(target);
    lm_point_copy(s, &s->now, &s->last);
    for (int i = 0; i < s->n; i++) s->x[i] = ds * s->last.t[i];
    w->predicted =
        fmax(lm_motion_norm(s->sys, s->size, s->x), w->unit * fabs(ds * s->last.t_factor));
    s->now.factor = by_load ? target : s->last.factor + ds * s->last.t_factor;
    if (lm_statics_move(s, s->x)) return 1;
    return correct(w, by_load) || direct(w, &s->last);
}

/* 1: stable, and the load factor grows: there is nothing nearby that the path could be lost to. */
static int is_simple(const path *w)
{
    const lm_statics_search *s = w->s;
    return s->last.negative == 0 && s->now.negative == 0 && s->last.t_factor > 0 &&
           s->now.t_factor > 0;
}

/* 1: a long step from a stable point to an unstable one, with no turn between them. The path of a
 * structure with a small imperfection turns off where the perfect one buckles, and it is only by small
 * steps that it is not mistaken for that one. */
static int leaves_stability(const lm_statics_search *s)
{
    return s->last.negative == 0 && s->now.negative > 0 && s->now.t_factor * s->last.t_factor > 0 &&
           fabs(s->now.factor - s->last.factor) > BUCKLING_STEP;
}

/* The same, but not beyond the load factor `end`: then to it, by the part of the way it lies at. Where
 * the path is not a simple one, it is taken in small steps: loops lie close to each other. */
static int advance_within(path *w, double *ds, double target, double end)
{
    lm_statics_search *s = w->s;
    if (advance(w, *ds, target)) return 1;
    if (s->now.factor > end) {
        *ds *= (end - s->last.factor) / (s->now.factor - s->last.factor);
        if (advance(w, *ds, end)) return 1;
    }
    if (!is_simple(w) && w->corrected > fmax(BEND * w->predicted, FLOOR)) return 1;
    return leaves_stability(s);
}

/* ---- what lies between two points ---- */

/* Where between s->last and s->now, `ds` along, the load factor turns; both points stay. */
static void find_turn(path *w, double ds)
{
    lm_statics_search *s = w->s;
    double a = 0, b = 1, ta = s->last.t_factor, tb = s->now.t_factor, best = s->last.factor;
    int side = 0, mover = lm_stability_mover(s->stab, s->now.t);
    if ((s->now.factor - best) * ta > 0) best = s->now.factor;
    lm_point_copy(s, &s->spare, &s->now);
    for (int k = 0; k < LOCATE && b - a > 1e-6; k++) { /* regula falsi, Illinois */
        double c = (a * tb - b * ta) / (tb - ta);
        if (advance(w, c * ds, NAN)) break;
        best = s->now.factor;
        mover = lm_stability_mover(s->stab, s->now.t);
        if (fabs(s->now.t_factor) < 1e-9) break;
        if (s->now.t_factor * tb > 0) {
            b = c, tb = s->now.t_factor;
            if (side == -1) ta *= 0.5;
            side = -1;
        } else {
            a = c, ta = s->now.t_factor;
            if (side == 1) tb *= 0.5;
            side = 1;
        }
    }
    lm_point_copy(s, &s->now, &s->spare);
    s->most = fmax(s->most, best);
    if (s->nlimits == 0) s->limit_mover = mover;
    if (s->nlimits < LM_LIMITS) s->limit[s->nlimits] = best;
    s->nlimits++;
}

/* The same for the first loss of stability. */
static void find_loss(path *w, double ds)
{
    lm_statics_search *s = w->s;
    double a = 0, b = 1;
    lm_point_copy(s, &s->spare, &s->now);
    s->lost_at = s->now.factor;
    for (int k = 0; k < 12; k++) {
        double c = 0.5 * (a + b);
        if (advance(w, c * ds, NAN)) break;
        s->lost_at = s->now.factor;
        if (s->now.negative > s->last.negative)
            b = c;
        else
            a = c;
    }
    lm_stability_softest(s->stab, s->x);
    s->lost_mover = lm_stability_mover(s->stab, s->x);
    lm_point_copy(s, &s->now, &s->spare);
}

/* ---- the path ---- */

/* The next load factor to land on: a multiple of 1/load_steps, 1 the last. */
static double next_target(const lm_statics_search *s)
{
    double k = fmax(floor(s->last.factor * s->load_steps + 1e-9) + 1, 1);
    return k >= s->load_steps ? 1 : k / s->load_steps;
}

/* Longest way along the direction of s->last that is wanted; *target: it ends at this factor. */
static double choose(const path *w, double *target)
{
    const lm_statics_search *s = w->s;
    double motion = lm_motion_norm(s->sys, s->size, s->last.t), ds = w->ds;
    *target = NAN;
    if (motion > 0) ds = fmin(ds, LONGEST / motion);
    ds = fmin(ds, 1 / (s->load_steps * fabs(s->last.t_factor)));
    double next = next_target(s), to = (next - s->last.factor) / s->last.t_factor;
    if (s->last.t_factor > 0 && next > s->last.factor && to <= 1.05 * ds) {
        ds = to;
        *target = next;
    }
    return ds;
}

/* How sharply the path bends decides on the next step. */
static void adapt(path *w, double ds)
{
    double bend = w->predicted > 0 ? w->corrected / w->predicted : 0;
    double aim = is_simple(w) ? 0.3 : 0.3 * BEND, grow = bend > 0 ? sqrt(aim / bend) : 3;
    if (w->iterations > 9) grow = fmin(grow, 0.8);
    w->ds = fmax(0.5, fmin(3, grow)) * ds;
}

static void note(path *w, double ds)
{
    lm_statics_search *s = w->s;
    int turned = s->now.t_factor * s->last.t_factor < 0, more = turned ? 1 : 0;
    s->most = fmax(s->most, s->now.factor);
    /* the first loss, on a stable path; a turn takes one motion by itself */
    int lost = isnan(s->lost_at) && s->last.negative == 0 && s->now.negative > more;
    if (turned && s->nlimits == 0) {
        lm_point_copy(s, &s->turned, &s->last);
        s->turned_rows = s->run->sum->rows - s->rows;
    }
    if (turned) find_turn(w, ds);
    if (lost) find_loss(w, ds);
    if (turned && fabs(s->lost_at - s->limit[0]) < 1e-3) s->lost_at = NAN; /* it was the turn */
    if (turned || lost) direct(w, &s->last); /* what is held at this point, again */
}

int lm_statics_follow(lm_statics_search *s)
{
    path w = {.s = s, .ds = INFINITY};
    if (direct(&w, NULL)) return 1;
    lm_point_copy(s, &s->last, &s->now);
    while (s->last.factor < 1 && s->points < POINTS && s->last.factor > -fmax(1, 5 * s->most)) {
        double target, ds = choose(&w, &target);
        if (advance_within(&w, &ds, target, next_target(s))) {
            if (s->status) return 1;
            s->run->sum->rejected++;
            w.ds = 0.4 * ds;
            lm_point_copy(s, &s->now, &s->last);
            if (w.predicted < SHORTEST * fmin(1, w.unit)) return 1;
            continue;
        }
        if (lm_statics_opens(s)) {
            lm_point_copy(s, &s->now, &s->last);
            return 1;
        }
        path kept = w;
        note(&w, ds);
        w = kept;
        s->points++;
        adapt(&w, ds);
        if (s->status || (s->status = lm_statics_put(s))) return 1;
        lm_point_copy(s, &s->last, &s->now);
        if (s->neutral && s->nlimits && s->most < LM_NO_LOAD) return 1; /* lost in these motions */
    }
    return s->last.factor < 1;
}
