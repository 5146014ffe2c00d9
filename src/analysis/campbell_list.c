/* What of the branches is listed: roots that were asked for, and branches that have a critical speed or
 * grow, however many were asked for. More are followed, so that neither is lost. */
#include "analysis/campbell.h"

#include <math.h>

/* ---- how far is looked ---- */

/* A critical speed up to W has a root of at most this size, as the axes of the matrices see it: backward
 * circles of frequency W are seen from turning axes at 2 W. A fifth more is for damping. */
static double reach_needed(const lm_campbell *c, double speed)
{
    return (c->shifts ? 2.4 : 1.2) * fabs(speed);
}

/* Roots above this are not found; INFINITY: there are no others. */
static double reach(const lm_campbell *c)
{
    const lm_spectrum *p = &c->spectrum;
    if (p->found <= p->count) return INFINITY;
    return hypot(p->root[p->count - 1].re, p->root[p->count - 1].im);
}

void lm_campbell_look_far(lm_campbell *c, double speed)
{
    double far = reach(c), part = c->shifts ? 0.5 : 1;
    if (c->fixed && far < reach_needed(c, speed)) c->blind = fmin(c->blind, part * far);
}

int lm_campbell_counts(const lm_campbell *c, int r)
{
    const lm_root *root = &c->spectrum.root[r];
    double most = fmax(fabs(c->speed[0]), fabs(c->speed[c->nspeeds - 1]));
    if (c->shown[r]) return 1;
    return c->fixed && hypot(root->re, root->im) <= reach_needed(c, most);
}

/* ---- numbers of the branches that are listed ---- */

/* The first root of speed k whose branch has no number and is listed; -1: none. */
static int next_branch(const lm_campbell *c, int k, const unsigned char *keep, const int *number)
{
    const lm_branch_point *p = c->point + (size_t)c->room * (size_t)k;
    int best = -1;
    for (int n = 0; n < c->nbranches; n++) {
        if (isnan(p[n].re) || number[n] >= 0 || !(p[n].asked || keep[n])) continue;
        if (best < 0 || p[n].rank < p[best].rank) best = n;
    }
    return best;
}

static void move_points(lm_campbell *c, const unsigned char *keep, const int *number,
                        lm_branch_point *row)
{
    for (int k = 0; k < c->done; k++) {
        lm_branch_point *p = c->point + (size_t)c->room * (size_t)k;
        for (int n = 0; n < c->room; n++) row[n] = (lm_branch_point){NAN, NAN, NAN, NAN, 0, 0};
        for (int n = 0; n < c->nbranches; n++)
            if (number[n] >= 0 && (p[n].asked || keep[n])) row[number[n]] = p[n];
        for (int n = 0; n < c->room; n++) p[n] = row[n];
    }
}

limber_status lm_campbell_list(lm_campbell *c)
{
    size_t room = (size_t)c->room + 1;
    unsigned char *keep = LM_NEW_N(&c->arena, unsigned char, room);
    int *number = LM_NEW_N(&c->arena, int, room), listed = 0;
    lm_branch_point *row = LM_NEW_N(&c->arena, lm_branch_point, room);
    if (!keep || !number || !row) return LIMBER_MEMORY;
    for (int n = 0; n < c->room; n++) keep[n] = 0, number[n] = -1;
    for (int i = 0; i < c->ncritical; i++) keep[c->critical[i].branch] = 1;
    for (int k = 0; k < c->done; k++)
        if (c->grows[k] >= 0) keep[c->grows[k]] = 1;
    for (int k = 0; k < c->done; k++)
        for (int n; (n = next_branch(c, k, keep, number)) >= 0;) number[n] = listed++;
    move_points(c, keep, number, row);
    for (int i = 0; i < c->ncritical; i++) c->critical[i].branch = number[c->critical[i].branch];
    for (int k = 0; k < c->done; k++)
        if (c->grows[k] >= 0) c->grows[k] = number[c->grows[k]];
    c->nbranches = listed;
    return LIMBER_OK;
}
