/* Eigenvalues against the speed of a drive: the Campbell diagram. */
#include "analysis/campbell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFINEMENTS = 60, LEAST_STEPS = 40, MOST_CRITICAL = 200, MOST_FOLLOWED = 36 };
#define PERIODIC  1e-5
#define JUMP      1e-5 /* of the speed: what is left at a zero of a branch that goes on */
#define NO_STEADY 1e-3 /* above this roots of an instant say nothing of critical speeds */

/* ---- beginning ---- */

/* Coordinates that are no vectors in space: roots of axes that stand still are had by shifting. */
static int relative(const lm_campbell *c)
{
    const unsigned char *kind = c->steady.pencil.kind;
    for (int i = 0; i < c->sys->nv; i += 3)
        if (!(kind[i] & LM_VECTOR)) return 1;
    return 0;
}

static limber_status reserve(lm_campbell *c)
{
    const lm_spectrum *p = &c->spectrum;
    size_t nv = (size_t)c->sys->nv, roots = (size_t)(p->count + p->more);
    c->room = 4 * (int)roots + 40;
    size_t room = (size_t)c->room;
    c->point = LM_NEW_N(&c->arena, lm_branch_point, (size_t)c->nspeeds * room);
    c->critical = LM_NEW_N(&c->arena, lm_critical, MOST_CRITICAL);
    c->track = LM_NEW_N(&c->arena, lm_track, room);
    c->whirl = LM_NEW_N(&c->arena, double, 4 * roots + 1);
    c->circles =
        LM_NEW_N(&c->arena, double, LM_CAMPBELL_ORBITS *roots *(size_t)c->sys->model->nnodes + 1);
    c->shown = LM_NEW_N(&c->arena, unsigned char, roots + 1);
    c->match = LM_NEW_N(&c->arena, int, 2 * roots + 1);
    c->taken = LM_NEW_N(&c->arena, unsigned char, room);
    c->score = LM_NEW_N(&c->arena, double, 2 * room * (roots + 1));
    c->work = LM_NEW_N(&c->arena, double, lm_campbell_whirl_room(c->sys));
    double *shapes = LM_NEW_N(&c->arena, double, 2 * nv * room + 1);
    if (!c->point || !c->critical || !c->track || !c->whirl || !c->match || !c->taken ||
        !c->score || !c->work || !shapes || !c->circles || !c->shown)
        return LIMBER_MEMORY;
    c->seen = c->whirl + roots, c->along = c->seen + roots, c->centre = c->along + roots;
    c->across = c->match + roots;
    c->looks = 2 * c->nspeeds + 20;
    for (size_t i = 0; i < room; i++) {
        c->track[i].x = shapes + 2 * nv * i, c->track[i].y = c->track[i].x + nv;
        c->track[i].number = -1;
    }
    for (size_t i = 0; i < (size_t)c->nspeeds * room; i++)
        c->point[i] = (lm_branch_point){NAN, NAN, NAN, NAN, 0, 0};
    return LIMBER_OK;
}

static limber_status list_speeds(lm_campbell *c)
{
    const double *s = c->a->speeds;
    int asked = (int)s[2];
    c->every = c->fixed && asked > 1 ? (LEAST_STEPS + asked - 2) / (asked - 1) : 1;
    c->nspeeds = (asked - 1) * c->every + 1;
    c->speed = LM_NEW_N(&c->arena, double, c->nspeeds + 1);
    c->grows = LM_NEW_N(&c->arena, int, c->nspeeds + 1);
    if (!c->speed || !c->grows) return LIMBER_MEMORY;
    for (int k = 0; k < c->nspeeds; k++)
        c->speed[k] = c->nspeeds > 1 ? s[0] + (s[1] - s[0]) * k / (c->nspeeds - 1) : s[0];
    return LIMBER_OK;
}

/* Forces that depend on reactions leave the multipliers' columns other than the constraints' rows. */
static limber_status refuse_reactive(lm_campbell *c)
{
    const lm_pencil *p = &c->steady.pencil;
    const lm_pattern *w = &c->sys->pattern;
    lm_state at = lm_steady_state(&c->steady);
    int nv = c->sys->nv;
    if (lm_pencil_evaluate(&c->steady.pencil, &at, 1))
        return lm_stop(c->run, LIMBER_STOPPED, "campbell: the forces cannot be evaluated");
    for (int r = nv; r < w->n; r++)
        for (int k = w->colptr[r]; k < w->colptr[r + 1] && w->rowind[k] < nv; k++) {
            int mirror = c->sys->active[r - nv] ? lm_pattern_find(w, r, w->rowind[k]) : -1;
            double other = mirror < 0 ? 0 : p->k[mirror];
            if (fabs(p->k[k] - other) > 1e-12 * (1 + fabs(other)))
                return lm_stop(c->run, LIMBER_STOPPED,
                               "campbell: a force depends on a reaction, which this analysis "
                               "cannot take; use 'linearize'");
        }
    return LIMBER_OK;
}

/* Coordinates that are no vectors in space are those of an observer on what carries the body: seen from
 * axes that turn, the small motions of one that stands still are periodic in them. */
static limber_status refuse_loose(lm_campbell *c)
{
    const lm_model *m = c->run->model;
    lm_pencil_turn(&c->steady.pencil, 0, 0);
    int bad = lm_spectrum_factor(&c->spectrum);
    int body = bad ? -1 : lm_campbell_stands_loose(c);
    c->spectrum.sigma = 0;
    if (bad < 0) return LIMBER_MEMORY;
    if (body < 0) return LIMBER_OK;
    lm_error(c->run->diag, c->a->loc,
             "campbell: body '%s' does not turn and can move: the coordinates of the formulation "
             "'%s' cannot take that together with what turns; use 'corotational'",
             m->bodies[body].name, c->sys->form->name);
    return LIMBER_INPUT;
}

static limber_status begin(lm_campbell *c)
{
    limber_status st = lm_campbell_quiet_gravity(c);
    c->fixed = c->a->frame_fixed;
    if (!st) st = lm_steady_begin(&c->steady, c->sys, c->a->drive, c->run->q);
    if (st == LIMBER_INPUT && c->steady.failure.text[0])
        lm_error(c->run->diag, c->a->loc, "campbell: %s", c->steady.failure.text);
    if (!st) st = lm_campbell_quiet_loads(c);
    if (!st && c->own) st = lm_campbell_say_gravity(c);
    if (!st) st = refuse_reactive(c);
    if (!st) st = list_speeds(c);
    if (!st) st = lm_spectrum_begin(&c->spectrum, &c->steady, c->a->count);
    c->asked = c->spectrum.count;
    if (!st) c->shifts = c->fixed && relative(c);
    if (!st) st = reserve(c);
    if (!st) st = lm_campbell_still_begin(c);
    return st || !relative(c) ? st : refuse_loose(c);
}

/* ---- one speed after the other ---- */

static int number_of(lm_campbell *c, lm_track *t)
{
    if (t->number < 0 && c->nbranches < c->room) t->number = c->nbranches++;
    return t->number;
}

static lm_track *track_of(lm_campbell *c, int root)
{
    for (int t = 0; t < c->ntracks; t++)
        if (c->track[t].alive && c->track[t].root == root) return &c->track[t];
    return NULL;
}

/* The roots that were asked for; where the number cuts through equal ones, those that go on with a
 * branch come first. */
static void choose_shown(lm_campbell *c)
{
    const lm_spectrum *p = &c->spectrum;
    int left = p->found < c->asked ? p->found : c->asked, end = left, cut;
    while (end > 0 && end < p->found && lm_spectrum_equal(&p->root[end - 1], &p->root[end])) end++;
    for (cut = end; cut > 0 && end > c->asked; cut--)
        if (!lm_spectrum_equal(&p->root[end - 1], &p->root[cut - 1])) break;
    memset(c->shown, 0, (size_t)p->found);
    for (int r = 0; r < cut; r++, left--) c->shown[r] = 1;
    for (int known = 1; known >= 0; known--)
        for (int r = cut; r < end && left > 0; r++) {
            const lm_track *t = track_of(c, r);
            if (c->shown[r] || !t || (known && !t->listed)) continue;
            c->shown[r] = 1;
            left--;
        }
}

/* The roots at the speed; new branches by frequency. */
static void put_points(lm_campbell *c, int k)
{
    const lm_spectrum *p = &c->spectrum;
    double least = LM_CAMPBELL_ZERO * p->sigma;
    choose_shown(c);
    for (int r = 0; r < p->wanted; r++) {
        lm_track *track = lm_campbell_counts(c, r) ? track_of(c, r) : NULL;
        int n = track ? number_of(c, track) : -1;
        if (n < 0) continue;
        track->listed |= c->shown[r];
        double round = fabs(c->whirl[r]);
        c->mixed |= c->shifts && c->speed[k] != 0 && round > 0.05 && round < 0.9;
        int none = hypot(track->re, track->im) < least;
        c->point[c->room * k + n] = (lm_branch_point){none ? 0 : track->re,
                                                      none && track->seen < least ? 0 : track->seen,
                                                      c->whirl[r],
                                                      p->root[r].off,
                                                      r,
                                                      c->shown[r]};
    }
}

typedef struct crossing {
    double speed[2], value[2];
    double sense;
    double whirl; /* near a root 0 orbits are not well defined: that of the speed before */
} crossing;

/* Seen from the ground the vibration goes round once in a turn. */
void lm_campbell_keep_critical(lm_campbell *c, int branch, double speed, double whirl, int exact)
{
    if (c->ncritical == MOST_CRITICAL) return;
    c->critical[c->ncritical++] = (lm_critical){speed, branch, fabs(speed), whirl, exact};
}

/* Where between two speeds a branch passes: by the rule of false position, the end that stays halved. */
static limber_status refine(lm_campbell *c, const lm_track *t, crossing x)
{
    double w = x.speed[1];
    int stays = -1;
    for (int k = 0; k < REFINEMENTS && x.value[1] != x.value[0]; k++) {
        double sense = x.sense, last = w;
        w = x.speed[1] - x.value[1] * (x.speed[1] - x.speed[0]) / (x.value[1] - x.value[0]);
        if (k % 6 == 5) w = 0.5 * (x.speed[0] + x.speed[1]);
        limber_status st = lm_campbell_roots(c, w);
        if (st) return st;
        int r = lm_campbell_match(c, t, w, &sense);
        if (r < 0) return LIMBER_OK;
        const lm_root *root = &c->spectrum.root[r];
        double g = lm_campbell_crossing(c, w, root->re, root->im, sense, c->seen[r]);
        int side = (g > 0) == (x.value[1] > 0);
        x.speed[side] = w, x.value[side] = g;
        if (side == stays) x.value[!side] *= 0.5;
        stays = side;
        if (g == 0 || fabs(w - last) < 1e-10 * fabs(w) ||
            fabs(x.speed[1] - x.speed[0]) < 1e-10 * fabs(w))
            break;
    }
    /* Where shapes of a bent rotor exchange what goes round, the frequency seen from the ground jumps. */
    if (fmin(fabs(x.value[0]), fabs(x.value[1])) > JUMP * fabs(w)) return LIMBER_OK;
    lm_campbell_keep_critical(c, t->number, w, x.whirl, 0);
    return LIMBER_OK;
}

/* What passes at speed k, beside what it was before. A value that is 0 but for rounding waits for the
 * next speed to say which way it goes; at the ends of the list there is none. */
static limber_status look_at_passing(lm_campbell *c, const lm_track *t, lm_passing *p, int k)
{
    double whirl = c->point[c->room * k + t->number].whirl;
    double value = lm_campbell_crossing(c, c->speed[k], t->re, t->im, t->sense, t->seen);
    int none = fabs(value) < LM_CAMPBELL_ZERO * c->spectrum.sigma, counts = !c->fixed || t->across;
    crossing x = {{p->speed, c->speed[k]}, {p->value, value}, t->sense, p->whirl};
    lm_passing was = *p;
    if (!none)
        *p = (lm_passing){2, c->speed[k], value, whirl};
    else if (was.known < 2)
        *p = (lm_passing){1, c->speed[k], 0, whirl};
    if (!counts || (c->shifts && was.whirl > 0)) return LIMBER_OK; /* these by campbell_still.c */
    if (!none && was.known == 2 && value * was.value < 0) return refine(c, t, x);
    if (!none && was.known == 1 && was.speed != 0)
        lm_campbell_keep_critical(c, t->number, was.speed, whirl, 0);
    if (none && was.known == 2 && k == c->nspeeds - 1)
        lm_campbell_keep_critical(c, t->number, c->speed[k], was.whirl, 0);
    return LIMBER_OK;
}

/* Branches that passed through a critical speed on the way to speed k. */
static limber_status find_critical(lm_campbell *c, int k)
{
    limber_status st = LIMBER_OK;
    for (int t = 0; t < c->ntracks && !st; t++) {
        lm_track *track = &c->track[t];
        int shown = track->number >= 0 && track->alive &&
                    isfinite(c->point[c->room * k + track->number].re);
        if (shown)
            st = look_at_passing(c, track, &track->passed, k);
        else
            track->passed.known = 0;
    }
    return st;
}

static void note_unstable(lm_campbell *c, int k)
{
    c->grows[k] = -1;
    for (int n = c->nbranches - 1; n >= 0; n--) {
        const lm_branch_point *p = &c->point[c->room * k + n];
        if (p->re > lm_campbell_least_growth(c, p->re, p->im, p->off)) c->grows[k] = n;
    }
}

static limber_status tell(lm_campbell *c, int k)
{
    limber_progress now = {.t = c->speed[k], .until = c->speed[c->nspeeds - 1]};
    limber_status st = lm_run_progress(c->run, &now);
    if (st == LIMBER_INTERRUPTED) lm_stop(c->run, st, "interrupted at speed %.6g", c->speed[k]);
    return st;
}

/* In fixed axes branches are followed for their critical speeds: those that can have one within the list
 * are found, however few are asked for. */
static limber_status search_enough(lm_campbell *c)
{
    for (;;) {
        c->blind = INFINITY;
        limber_status st = lm_campbell_anchors(c);
        int count = 2 * c->spectrum.count;
        if (count > MOST_FOLLOWED) count = MOST_FOLLOWED;
        if (st || isinf(c->blind) || count <= c->spectrum.count) return st;
        lm_spectrum_free(&c->spectrum);
        st = lm_spectrum_begin(&c->spectrum, &c->steady, count);
        if (!st) st = reserve(c);
        if (st) return st;
    }
}

static limber_status sweep(lm_campbell *c)
{
    limber_status st = search_enough(c);
    for (int k = 0; k < c->nspeeds && !st; k++) {
        lm_campbell_take_basis(c, k);
        st = lm_campbell_follow(c, k ? c->speed[k - 1] : c->speed[0], c->speed[k], 0);
        if (st) break;
        put_points(c, k);
        lm_campbell_look_far(c, c->speed[k]);
        c->done = k + 1;
        note_unstable(c, k);
        st = c->fixed ? find_critical(c, k) : LIMBER_OK;
        if (!st && (!c->fixed || c->shifts)) st = lm_campbell_find_still(c, k);
        if (!st) st = tell(c, k);
    }
    return st;
}

/* Roots in turning axes that are no constants cannot be shifted to axes that stand still. */
static limber_status refuse_shifting(const lm_campbell *c)
{
    lm_error(c->run->diag, c->a->loc,
             "campbell: what stands still is not the same from all sides (the equations in turning "
             "axes depend on the angle of joint '%s', by %.1e): 'frame: fixed' in the formulation "
             "'%s' has its roots from turning axes and cannot take that; 'corotational' does for a "
             "round rotor",
             c->run->model->joints[c->a->drive].name, c->periodic, c->sys->form->name);
    return LIMBER_INPUT;
}

/* The equations must not depend on where the drive stands: at another angle the same shapes solve them. */
static limber_status check_periodic(lm_campbell *c)
{
    double first = c->speed[0], last = c->speed[c->done - 1];
    limber_status st = lm_campbell_roots(c, fabs(first) > fabs(last) ? first : last);
    if (!st) st = lm_campbell_elsewhere(c, 0.7);
    if (st && st != LIMBER_STOPPED) return st;
    if (c->shifts && c->periodic > PERIODIC) return refuse_shifting(c);
    if (c->periodic > NO_STEADY) c->ncritical = c->nunstable = 0;
    return LIMBER_OK;
}

/* ---- what is said ---- */

static void warn(lm_campbell *c)
{
    lm_diag *diag = c->run->diag;
    for (int i = 0; i < c->nunstable; i++)
        lm_warning(diag, c->a->loc,
                   "campbell: unstable from speed %.8g to %.8g: branch %d grows there",
                   c->unstable[i].from, c->unstable[i].to, c->unstable[i].branch + 1);
    const char *name = c->run->model->joints[c->a->drive].name;
    if (c->periodic > PERIODIC)
        lm_warning(diag, c->a->loc,
                   "campbell: the equations depend on the angle of joint '%s' (by %.1e): "
                   "the coefficients are periodic in the axes that %s, and the roots those of an "
                   "instant%s; %s",
                   name, c->periodic, c->fixed ? "stand still" : "turn",
                   c->periodic > NO_STEADY ? ", which have no critical speeds and no stability"
                                           : "",
                   c->fixed ? "'frame: rotating' goes with a rotor that is not round"
                            : "'frame: fixed' goes with a round rotor");
    if (c->blind < fmax(fabs(c->speed[0]), fabs(c->speed[c->nspeeds - 1])))
        lm_warning(
            diag, c->a->loc,
            "campbell: critical speeds of %s at more than %.6g rad/s are not "
            "looked for: more roots are below that speed than are followed; increase 'count'",
            c->shifts ? "backward whirl" : "vibrations", c->blind);
    if (c->unclear > 0)
        lm_warning(diag, c->a->loc,
                   "campbell: at speed %.8g what holds the rotor jumps to nothing: there may be a "
                   "critical "
                   "speed which is not listed",
                   c->unclear);
    if (c->mixed)
        lm_warning(
            diag, c->a->loc,
            "campbell: 'frame: fixed' shifts the roots of circular whirl by the speed in the "
            "formulation '%s', and some orbits are no circles; use 'corotational'",
            c->sys->form->name);
}

static limber_branch branch_of(const lm_campbell *c, int n)
{
    limber_branch b = {.number = n + 1};
    for (int place = 0; place < 3; place++) {
        int k = c->done ? place * ((c->done - 1) / c->every) / 2 * c->every : 0;
        const lm_branch_point *p = &c->point[c->room * k + n];
        double size = hypot(p->re, p->im);
        b.speed[place] = c->speed[k];
        b.frequency[place] = p->im > 0 ? size / (2 * acos(-1.0)) : isnan(p->re) ? NAN : 0;
        b.damping_ratio[place] = size > 0 ? 0 - p->re / size : size == 0 ? 0 : NAN;
        b.whirl[place] = p->whirl;
    }
    return b;
}

static void show(const lm_campbell *c)
{
    const limber_run_options *o = c->run->opt;
    for (int n = 0; n < c->nbranches && o->branch; n++) {
        limber_branch b = branch_of(c, n);
        o->branch(o->branch_context, &b);
    }
    for (int i = 0; i < c->ncritical && o->critical; i++) {
        const lm_critical *x = &c->critical[i];
        limber_critical p = {x->speed, x->branch + 1, x->frequency / (2 * acos(-1.0)), x->whirl};
        o->critical(o->critical_context, &p);
    }
}

static int by_speed(const void *a, const void *b)
{
    double x = ((const lm_critical *)a)->speed, y = ((const lm_critical *)b)->speed;
    return (x > y) - (x < y);
}

/* -1: more than were asked for. */
static int roots_available(const lm_campbell *c)
{
    const lm_spectrum *p = &c->spectrum;
    return p->found <= c->a->count && (p->complete || p->m == p->nfree) ? p->found : -1;
}

static limber_status deliver(lm_campbell *c, limber_status st)
{
    limber_summary *sum = c->run->sum;
    warn(c);
    if (c->run->diag->out_of_memory) return LIMBER_MEMORY;
    snprintf(sum->method, sizeof sum->method, "krylov");
    snprintf(sum->frame, sizeof sum->frame, "%s", c->fixed ? "fixed" : "rotating");
    sum->branches = c->nbranches;
    sum->critical_speeds = c->ncritical;
    sum->speeds = c->done ? (c->done - 1) / c->every + 1 : 0;
    sum->roots_available = c->done ? roots_available(c) : -1;
    sum->unstable_from = c->nunstable ? c->unstable[0].from : NAN;
    sum->unstable_to = c->nunstable ? c->unstable[c->nunstable - 1].to : NAN;
    limber_status w = lm_campbell_record(c);
    if (!w) show(c);
    return w ? w : st;
}

static limber_status compute(lm_run *run, const lm_spec_analysis *a)
{
    lm_campbell c = {.run = run, .a = a};
    limber_status st = begin(&c);
    int begun = !st;
    if (!st) st = sweep(&c);
    if (c.ncritical) qsort(c.critical, (size_t)c.ncritical, sizeof *c.critical, by_speed);
    if (begun && st != LIMBER_MEMORY && lm_campbell_list(&c)) st = LIMBER_MEMORY;
    if (!st && c.done) st = lm_campbell_stability(&c);
    if (!st && c.done) st = check_periodic(&c);
    if (st == LIMBER_STOPPED && !run->sum->reason[0]) {
        lm_steady_explain(&c.steady);
        lm_stop(run, st, "campbell: %s", c.steady.failure.text);
    }
    if (begun && (!st || st == LIMBER_STOPPED)) st = deliver(&c, st);
    if (st == LIMBER_MEMORY) lm_stop(run, st, "out of memory");
    run->sys->inputs = NULL;
    lm_spectrum_free(&c.spectrum);
    lm_steady_free(&c.steady);
    run->sys->spin = NULL;
    if (c.own) c.own->form->destroy(c.own);
    lm_arena_free(&c.arena);
    return st;
}

static limber_status from_the_start(lm_run *run, const lm_spec_analysis *a, void *unused)
{
    double softness = run->sys->softness;
    limber_status st = run->t > 0 || run->index > 0 ? lm_initial_state(run) : LIMBER_OK;
    (void)unused;
    run->sys->softness = 0;
    if (!st) st = compute(run, a);
    run->sys->softness = softness;
    return st;
}

limber_status lm_campbell_analysis(lm_run *run, const lm_spec_analysis *a)
{
    return lm_run_aside(run, a, from_the_start, NULL);
}
