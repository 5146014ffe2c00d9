/* Branches: shapes followed from speed to speed.
 *
 * The likeness of two shapes is |x1^H M x2|^2, or with the conjugate of one of them: a root that passes
 * through 0 comes back as its pair. Where roots are equal, shapes are any of those they span, and the
 * likeness is that of the spaces. Where it does not tell, speeds between are looked at. */
#include "analysis/campbell.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 6 };
#define LIKE     0.75 /* below this a look between is worth while */
#define ALIKE    0.3  /* below this it is another shape */
#define EQUAL    1e-7
#define SURPRISE 0.25 /* weight of a frequency that is not where it was going */
#define TIE      1e-3 /* weight of the likeness of the shapes alone */
#define NEAR     5    /* a root moves by no more times the change of speed */

/* ---- likeness ---- */

/* Of a shape and a root's, and of a shape and the conjugate of it. */
static void overlap(int nv, const lm_track *t, const lm_root *r, double like[2])
{
    double xx = 0, yy = 0, xy = 0, yx = 0;
    for (int i = 0; i < nv; i++) {
        xx += t->x[i] * r->Mx[i], yy += t->y[i] * r->My[i];
        xy += t->x[i] * r->My[i], yx += t->y[i] * r->Mx[i];
    }
    like[0] = fmin(1, (xx + yy) * (xx + yy) + (xy - yx) * (xy - yx));
    like[1] = fmin(1, (xx - yy) * (xx - yy) + (xy + yx) * (xy + yx));
}

/* How far a root at `im` is from where a track was going; *unit: what is no surprise. */
static double distance(const lm_track *t, double re, double im, double speed, double *unit)
{
    double known = t->speed != t->last_speed && isfinite(t->last_im);
    double part = known ? (speed - t->speed) / (t->speed - t->last_speed) : 0;
    double at_im = t->im + (known ? part * (t->im - t->last_im) : 0);
    double at_re = t->re + (known ? part * (t->re - t->last_re) : 0);
    *unit = fabs(speed - t->speed) + 0.1 * hypot(t->re, t->im);
    return hypot(at_re - re, at_im - im);
}

/* The same, 0..1. */
static double surprise(const lm_track *t, double re, double im, double speed)
{
    double unit, far = distance(t, re, im, speed, &unit);
    return unit > 0 ? fmin(1, far / unit) : 0;
}

/* Likeness, as the better of both; *turned: the root has passed through 0. The conjugate of forward
 * whirl is backward whirl: it counts only where the root was near 0. */
static double likeness(int nv, const lm_track *t, const lm_root *r, double speed, int *turned)
{
    double like[2];
    overlap(nv, t, r, like);
    int near = t->im + r->im <= NEAR * fabs(speed - t->speed);
    double same = like[0] - SURPRISE * surprise(t, r->re, r->im, speed);
    double other = like[1] - SURPRISE * surprise(t, r->re, -r->im, speed);
    *turned = near && other > same + 1e-9;
    return like[*turned];
}

static int equal(double re1, double im1, double re2, double im2)
{
    return hypot(re1 - re2, im1 - im2) <= EQUAL * fmax(hypot(re1, im1), hypot(re2, im2));
}

/* Likeness of the spaces of equal roots. */
static void score_all(lm_campbell *c, double speed)
{
    const lm_spectrum *p = &c->spectrum;
    int n = p->found, turned;
    double *plain = c->score + c->ntracks * n;
    for (int t = 0; t < c->ntracks; t++)
        for (int r = 0; r < n; r++)
            plain[n * t + r] = likeness(p->nv, &c->track[t], &p->root[r], speed, &turned);
    for (int t = 0; t < c->ntracks; t++)
        for (int r = 0; r < n; r++) {
            double sum = 0;
            int tracks = 0, roots = 0;
            for (int i = 0; i < c->ntracks; i++) {
                if (c->track[i].cluster != c->track[t].cluster) continue;
                tracks++, roots = 0;
                for (int j = 0; j < n; j++) {
                    if (!equal(p->root[j].re, p->root[j].im, p->root[r].re, p->root[r].im))
                        continue;
                    roots++;
                    sum += plain[n * i + j];
                }
            }
            int few = tracks < roots ? tracks : roots;
            c->score[n * t + r] = few ? fmin(1, sum / few) : 0;
        }
}

static double unlikely(const lm_campbell *c, int track, int root, double speed)
{
    const lm_track *t = &c->track[track];
    const lm_root *r = &c->spectrum.root[root];
    int turned;
    likeness(c->spectrum.nv, t, r, speed, &turned);
    return SURPRISE * surprise(t, r->re, turned ? -r->im : r->im, speed);
}

/* A branch that cannot have left the roots that were found. */
static int must_be_there(const lm_campbell *c, const lm_track *t)
{
    const lm_root *last = &c->spectrum.root[c->spectrum.found - 1];
    return t->alive && t->number >= 0 && t->im > 0 &&
           hypot(t->re, t->im) < 0.8 * hypot(last->re, last->im);
}

/* 1: another root has the shape of track t as well, and is hardly farther from where it was going than
 * root r: circles are alike whatever their frequency. */
static int ambiguous(const lm_campbell *c, int track, int r, double speed)
{
    const lm_spectrum *p = &c->spectrum;
    const lm_track *t = &c->track[track];
    const lm_root *mine = &p->root[r];
    double like[2], unit;
    int turned;
    likeness(p->nv, t, mine, speed, &turned);
    double far = distance(t, mine->re, turned ? -mine->im : mine->im, speed, &unit);
    if (far < 0.05 * unit) return 0;
    for (int j = 0; j < p->found; j++) {
        const lm_root *o = &p->root[j];
        if (equal(o->re, o->im, mine->re, mine->im)) continue;
        overlap(p->nv, t, o, like);
        for (int k = 0; k < 2; k++)
            if (like[k] > 0.5 && distance(t, o->re, k ? -o->im : o->im, speed, &unit) < 3 * far)
                return 1;
    }
    return 0;
}

/* The best pairs first; c->match of the roots, -1: none. Returns the least likeness of a track that
 * counts. */
static double assign(lm_campbell *c, double speed)
{
    const lm_spectrum *p = &c->spectrum;
    int n = p->found;
    double least = 1;
    memset(c->taken, 0, (size_t)c->room);
    for (int r = 0; r < n; r++) c->match[r] = -1;
    score_all(c, speed);
    for (;;) {
        int bt = -1, br = -1;
        double best = ALIKE;
        for (int t = 0; t < c->ntracks; t++)
            for (int r = 0; r < n && !c->taken[t]; r++) {
                if (c->match[r] >= 0 || c->score[n * t + r] <= ALIKE) continue;
                double s = c->score[n * t + r] + ALIKE - unlikely(c, t, r, speed);
                s += TIE * c->score[n * (c->ntracks + t) + r]; /* among equal roots */
                if (s > best) best = s, bt = t, br = r;
            }
        if (bt < 0) break;
        c->taken[bt] = 1;
        c->match[br] = bt;
        if (c->track[bt].number >= 0 && br < p->count && p->root[br].im > 0)
            least = fmin(least, c->score[n * bt + br]);
    }
    for (int r = 0; r < n && r < p->count; r++)
        if (c->match[r] >= 0 && c->track[c->match[r]].number >= 0 &&
            ambiguous(c, c->match[r], r, speed))
            least = 0;
    for (int t = 0; t < c->ntracks; t++)
        if (!c->taken[t] && must_be_there(c, &c->track[t])) least = 0;
    return least;
}

int lm_campbell_match(const lm_campbell *c, const lm_track *t, double speed, double *sense)
{
    const lm_spectrum *p = &c->spectrum;
    int best = -1, turned;
    double most = 0;
    for (int r = 0; r < p->found; r++) {
        const lm_root *root = &p->root[r];
        double like = likeness(p->nv, t, root, speed, &turned);
        if (like <= ALIKE) continue;
        like += ALIKE - SURPRISE * surprise(t, root->re, turned ? -root->im : root->im, speed);
        if (like > most) most = like, best = r, *sense = turned ? -t->sense : t->sense;
    }
    return best;
}

/* ---- tracks ---- */

static void take(lm_campbell *c, lm_track *t, int root, double speed, int turned)
{
    const lm_root *r = &c->spectrum.root[root];
    size_t bytes = sizeof(double) * (size_t)c->sys->nv;
    t->last_re = t->re, t->last_im = turned ? -t->im : t->im, t->last_speed = t->speed;
    if (turned) t->sense = -t->sense;
    t->re = r->re, t->im = r->im, t->speed = speed;
    t->seen = c->seen[root];
    t->across = c->across[root];
    t->root = root;
    t->alive = 1;
    memcpy(t->x, r->x, bytes);
    memcpy(t->y, r->y, bytes);
}

static lm_track *new_track(lm_campbell *c)
{
    for (int t = 0; t < c->ntracks; t++) /* one that was never shown and is gone */
        if (c->track[t].number < 0 && !c->track[t].alive) return &c->track[t];
    return c->ntracks < c->room ? &c->track[c->ntracks++] : NULL;
}

static void begin_track(lm_campbell *c, int root, double speed)
{
    lm_track *t = new_track(c);
    if (!t) return;
    t->number = -1, t->listed = 0;
    t->sense = 1;
    t->re = t->im = t->speed = NAN;
    t->passed.known = 0;
    take(c, t, root, speed, 0);
    t->last_im = NAN;
}

static void find_clusters(lm_campbell *c)
{
    for (int t = 0; t < c->ntracks; t++) {
        lm_track *k = &c->track[t];
        k->cluster = t;
        for (int i = 0; i < t && k->alive; i++)
            if (c->track[i].alive && equal(k->re, k->im, c->track[i].re, c->track[i].im)) {
                k->cluster = c->track[i].cluster;
                break;
            }
    }
}

static void update(lm_campbell *c, double speed)
{
    const lm_spectrum *p = &c->spectrum;
    int turned;
    for (int t = 0; t < c->ntracks; t++) c->track[t].alive = 0;
    for (int r = 0; r < p->found; r++)
        if (c->match[r] >= 0) {
            lm_track *t = &c->track[c->match[r]];
            int alone = 1;
            for (int i = 0; i < c->ntracks; i++)
                alone &= i == c->match[r] || c->track[i].cluster != t->cluster;
            likeness(p->nv, t, &p->root[r], speed, &turned);
            take(c, t, r, speed, turned && alone);
        }
    for (int r = 0; r < p->found; r++)
        if (c->match[r] < 0) begin_track(c, r, speed);
    find_clusters(c);
}

limber_status lm_campbell_follow(lm_campbell *c, double from, double to, int depth)
{
    limber_status st = lm_campbell_roots(c, to);
    if (st) return st;
    double least = assign(c, to);
    if (least < LIKE && depth < DEEPEST && c->ntracks > 0 && from != to && c->looks > 0) {
        c->looks--;
        double middle = 0.5 * (from + to);
        st = lm_campbell_follow(c, from, middle, depth + 1);
        return st ? st : lm_campbell_follow(c, middle, to, depth + 1);
    }
    update(c, to);
    return LIMBER_OK;
}

/* In axes that turn: the root is at rest in the rotor. In fixed ones: it goes round once per turn. A
 * pair that has become two real roots is beyond. */
double lm_campbell_crossing(const lm_campbell *c, double speed, double re, double im, double sense,
                            double seen)
{
    if (c->fixed) return seen - fabs(speed);
    return im > 0 ? sense * im : -sense * fabs(re);
}
