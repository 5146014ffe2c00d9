#include "form/history.h"

#include <math.h>
#include <string.h>

/* Chebyshev's extrema: (1 - cos(k pi/4))/2, with weights (-1)^k, half of it at the ends. */
const double lm_piece_node[LM_PIECE_NODES] = {0, 0.14644660940672624, 0.5, 0.85355339059327376, 1};

/* ---- making ---- */

/* Room for the least number of pieces in a delay, and as many again for steps and what is forgotten late. */
static int first_room(const lm_spec_delay *s) { return s->samples / 2 + 64; }

int lm_history_make(lm_discrete *d, lm_arena *arena, double *heads)
{
    d->history = LM_NEW_N(arena, lm_history, d->ndelays + 1);
    if (!d->history) return -1;
    for (int i = 0; i < d->ndelays; i++, heads += LM_HISTORY_HEAD) {
        const lm_spec_delay *s = &d->spec->delays.at[i];
        lm_history *h = &d->history[i];
        *h = (lm_history){.begun = heads,
                          .start = heads + 1,
                          .before = heads + 2,
                          .size = heads + 3,
                          .count = heads + 4,
                          .bend = heads + 5,
                          .arena = arena};
        *h->before = s->has_initial ? s->initial : 0;
        h->scratch = LM_NEW_N(arena, double, lm_expr_scratch(&s->input, 0) + 1);
        if (!h->scratch || (!s->of_time && lm_history_grow(h, first_room(s)))) return -1;
    }
    return 0;
}

int lm_history_grow(lm_history *h, int room)
{
    if (room <= h->room) return 0;
    lm_history_piece *more = LM_NEW_N(h->arena, lm_history_piece, room);
    if (!more) return -1;
    /* a checkpoint may have said already how many there will be */
    size_t n = (size_t)fmin(*h->count, h->room);
    if (n) memcpy(more, h->piece, sizeof *more * n);
    h->piece = more;
    h->room = room;
    return 0;
}

/* ---- recording ---- */

void lm_history_begin(lm_discrete *d, int delay, double t, double value)
{
    const lm_spec_delay *s = &d->spec->delays.at[delay];
    lm_history *h = &d->history[delay];
    *h->begun = 1;
    *h->start = t;
    *h->before = s->has_initial ? s->initial : value;
    *h->size = fabs(value);
    *h->count = 0;
    *h->bend = 0;
}

static void forget(lm_history *h, double since)
{
    int n = (int)*h->count, old = 0;
    while (old < n && h->piece[old].t1 < since) old++;
    memmove(h->piece, h->piece + old, sizeof *h->piece * (size_t)(n - old));
    *h->count = n - old;
}

int lm_history_put(lm_history *h, const lm_history_piece *piece, double since)
{
    if ((int)*h->count == h->room) {
        forget(h, since);
        if (2 * (int)*h->count > h->room && lm_history_grow(h, 2 * h->room)) return -1;
    }
    h->piece[(int)*h->count] = *piece;
    *h->count += 1;
    return 0;
}

/* ---- reading ---- */

double lm_piece_value(const lm_history_piece *p, double x)
{
    static const double weight[LM_PIECE_NODES] = {0.5, -1, 1, -1, 0.5};
    double above = 0, below = 0;
    for (int i = 0; i < LM_PIECE_NODES; i++) {
        double s = x - lm_piece_node[i];
        if (s == 0) return p->u[i];
        above += weight[i] / s * p->u[i];
        below += weight[i] / s;
    }
    return above / below;
}

/* Of the polynomial: the first row of the differentiation matrix of these nodes, and the same from the other end. */
double lm_piece_slope(const lm_history_piece *p, int end)
{
    double sum = 0;
    for (int i = 1; i < LM_PIECE_NODES; i++) {
        double w = (i % 2 ? 1 : -1) * (i == LM_PIECE_NODES - 1 ? 1 : 2);
        int k = end ? LM_PIECE_NODES - 1 - i : i, from = end ? LM_PIECE_NODES - 1 : 0;
        sum += w * (p->u[k] - p->u[from]) / lm_piece_node[i];
    }
    return end ? -sum : sum;
}

/* The last piece that begins at or before t; -1: none. */
static int piece_at(const lm_history *h, double t)
{
    int low = -1, high = (int)*h->count;
    while (high - low > 1) {
        int mid = low + (high - low) / 2;
        if (h->piece[mid].t0 <= t)
            low = mid;
        else
            high = mid;
    }
    return low;
}

double lm_discrete_delayed(const lm_discrete *d, int delay, double t)
{
    const lm_spec_delay *s = &d->spec->delays.at[delay];
    const lm_history *h = &d->history[delay];
    double then = t - s->time;
    if (*h->begun == 0 && isfinite(d->known[delay])) return d->known[delay];
    if (*h->begun == 0 || then < *h->start) return *h->before;
    if (s->of_time) return lm_expr_eval(&s->input, &then, h->scratch);
    int i = piece_at(h, then);
    if (i < 0) return *h->before;
    const lm_history_piece *p = &h->piece[i];
    return lm_piece_value(p, fmin(1, (then - p->t0) / (p->t1 - p->t0)));
}

double lm_history_next(const lm_discrete *d, int delay, double t)
{
    const lm_history *h = &d->history[delay];
    double T = d->spec->delays.at[delay].time, first = *h->start + T;
    if (*h->begun == 0) return INFINITY;
    if (first > t) return first; /* the first of the input arrives */
    for (int i = piece_at(h, t - T); i < (int)*h->count; i++)
        if (i >= 0 && h->piece[i].breaks != 0 && h->piece[i].t0 + T > t) return h->piece[i].t0 + T;
    return INFINITY;
}
