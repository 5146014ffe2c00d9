/* Coordinates of the items of a group, and the lines of its bonds. */
#include "view/bond_graph_int.h"

#include <math.h>

enum { PASSES = 12 };

/* ---- heights ---- */

typedef struct pool {
    double sum, weight;
    int n;
} pool;

/* The heights next to those wanted that keep the order and the distances: with the distances taken off,
 * min sum w (z - wanted)^2 with z rising; neighbours in the wrong order are pooled at their mean. */
static void settle(lm_bg_scope *s, const lm_bg_layer *l, const double *wanted, const double *weight,
                   pool *p)
{
    double off = 0;
    int n = 0;
    for (int i = 0; i < l->n; i++) {
        const lm_bg_item *x = &s->items.at[l->item[i]];
        if (i) off += s->items.at[l->item[i - 1]].down + LM_BG_GAP + x->up;
        p[n++] = (pool){weight[i] * (wanted[i] - off), weight[i], 1};
        while (n > 1 && p[n - 2].sum / p[n - 2].weight > p[n - 1].sum / p[n - 1].weight) {
            p[n - 2].sum += p[n - 1].sum;
            p[n - 2].weight += p[n - 1].weight;
            p[n - 2].n += p[n - 1].n;
            n--;
        }
    }
    off = 0;
    for (int i = 0, k = 0, left = p[0].n; i < l->n; i++, left--) {
        if (!left) left = p[++k].n;
        lm_bg_item *x = &s->items.at[l->item[i]];
        if (i) off += s->items.at[l->item[i - 1]].down + LM_BG_GAP + x->up;
        x->y = p[k].sum / p[k].weight + off;
    }
}

/* Where the neighbours on these sides (bits: 1 left, 2 right) want it, and how many want it. */
static double wish(const lm_bg_scope *s, int item, int sides, double *weight)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < s->links.n; i++) {
        const lm_bg_link *l = &s->links.at[i];
        if (l->b == item && sides & 1) sum += s->items.at[l->a].y + l->ya - l->yb, n++;
        if (l->a == item && sides & 2) sum += s->items.at[l->b].y + l->yb - l->ya, n++;
    }
    int lane = s->items.at[item].kind == LM_BG_LANE; /* long bonds are to be straight */
    *weight = n ? (lane ? 4.0 * n : n) : 0.01;
    return n ? sum / n : s->items.at[item].y;
}

static void settle_layer(lm_bg_scope *s, int layer, int sides, double *work, pool *p)
{
    const lm_bg_layer *l = &s->layers[layer];
    double *wanted = work, *weight = work + l->n;
    for (int i = 0; i < l->n; i++) wanted[i] = wish(s, l->item[i], sides, &weight[i]);
    if (l->n) settle(s, l, wanted, weight, p);
}

/* Room to move an item by dy in its layer. */
static int may_move(const lm_bg_scope *s, const lm_bg_item *x, double dy)
{
    const lm_bg_layer *l = &s->layers[x->layer];
    if (x->place > 0 && dy < 0) {
        const lm_bg_item *over = &s->items.at[l->item[x->place - 1]];
        if (x->y + dy - x->up < over->y + over->down + LM_BG_GAP) return 0;
    }
    if (x->place + 1 < l->n && dy > 0) {
        const lm_bg_item *under = &s->items.at[l->item[x->place + 1]];
        if (x->y + dy + x->down + LM_BG_GAP > under->y - under->up) return 0;
    }
    return 1;
}

/* Steps of a few pixels look like mistakes: an item with one bond on its left goes level with it. */
static void straighten(lm_bg_scope *s)
{
    enum { SMALL = 6 };
    for (int l = 1; l < s->nlayers; l++)
        for (int i = 0; i < s->layers[l].n; i++) {
            const lm_bg_link *only = NULL;
            int item = s->layers[l].item[i], n = 0;
            lm_bg_item *x = &s->items.at[item];
            for (int k = 0; k < s->links.n; k++)
                if (s->links.at[k].b == item) only = &s->links.at[k], n++;
            if (n != 1) continue;
            double dy = s->items.at[only->a].y + only->ya - x->y - only->yb;
            if (fabs(dy) <= SMALL && may_move(s, x, dy)) x->y += dy;
        }
}

static void heights(lm_bg *g, lm_bg_scope *s)
{
    double *work = LM_NEW_N(g->arena, double, 2 * s->items.n + 2);
    pool *p = LM_NEW_N(g->arena, pool, s->items.n + 1);
    for (int l = 0; l < s->nlayers; l++) settle_layer(s, l, 0, work, p);
    for (int i = 0; i < PASSES; i++) {
        for (int l = 1; l < s->nlayers; l++) settle_layer(s, l, i < 4 ? 1 : 3, work, p);
        for (int l = s->nlayers - 2; l >= 0; l--) settle_layer(s, l, i < 4 ? 2 : 3, work, p);
    }
    for (int l = 1; l < s->nlayers; l++) settle_layer(s, l, 1, work, p);
    for (int i = 0; i < s->items.n; i++) s->items.at[i].y = round(s->items.at[i].y);
    straighten(s);
}

/* ---- the box ---- */

/* A channel between two layers: wider where bonds climb far in it. */
static double channel(const lm_bg_scope *s, int layer)
{
    double most = 0;
    int inner = s->items.at[s->layers[layer].item[0]].kind != LM_BG_TERMINAL &&
                s->items.at[s->layers[layer + 1].item[0]].kind != LM_BG_TERMINAL;
    for (int i = 0; i < s->links.n; i++) {
        const lm_bg_link *l = &s->links.at[i];
        const lm_bg_item *a = &s->items.at[l->a], *b = &s->items.at[l->b];
        if (a->layer == layer) most = fmax(most, fabs(a->y + l->ya - b->y - l->yb));
    }
    double climb = fmin(0.4 * most, 60);
    return (inner ? 2 : 1) * LM_BG_STUB + fmax(climb, inner ? 14 : 4);
}

static void columns(lm_bg_scope *s)
{
    int framed = s->parent != NULL;
    double x = LM_BG_PAD;
    for (int l = 0; l < s->nlayers; l++) {
        lm_bg_layer *c = &s->layers[l];
        for (int i = 0; i < c->n; i++) c->half = fmax(c->half, s->items.at[c->item[i]].half);
        int ends = c->n && s->items.at[c->item[0]].kind == LM_BG_TERMINAL;
        if (ends && l == 0) x = 0;
        c->x = x + c->half;
        for (int i = 0; i < c->n; i++) { /* groups begin together, elements are in the middle */
            lm_bg_item *item = &s->items.at[c->item[i]];
            item->x = item->kind == LM_BG_GROUP ? x + item->half : c->x;
        }
        x = c->x + c->half;
        if (l + 1 < s->nlayers) x += channel(s, l);
        if (l + 1 == s->nlayers && !ends) x += LM_BG_PAD;
    }
    double title = framed ? lm_bg_text_width(s->name, LM_BG_NAME, 0) + 2 * LM_BG_PAD : 0;
    s->w = fmax(x, title);
    for (int i = 0; i < s->items.n; i++) /* a long title leaves room: ends stay at the border */
        if (s->items.at[i].kind == LM_BG_TERMINAL && s->items.at[i].side) s->items.at[i].x = s->w;
}

static void rows(lm_bg_scope *s)
{
    double top = 1e300, bottom = -1e300;
    for (int i = 0; i < s->items.n; i++) {
        top = fmin(top, s->items.at[i].y - s->items.at[i].up);
        bottom = fmax(bottom, s->items.at[i].y + s->items.at[i].down);
    }
    double from = s->parent ? LM_BG_TITLE + 4 : LM_BG_PAD;
    for (int i = 0; i < s->items.n; i++) s->items.at[i].y += from - top;
    s->h = bottom - top + from + LM_BG_PAD;
}

/* ---- lines ---- */

static void add(lm_bg_edge *e, double x, double y)
{
    if (e->npoints && fabs(e->points[e->npoints - 1].y - y) < 0.05 && e->npoints > 1 &&
        fabs(e->points[e->npoints - 2].y - y) < 0.05)
        e->npoints--; /* straight on */
    e->points[e->npoints++] = (lm_graph_point){x, y};
}

/* Straight out of a, across the channel, straight into b. */
static void add_link(const lm_bg_scope *s, const lm_bg_link *l, lm_bg_edge *e)
{
    const lm_bg_item *a = &s->items.at[l->a], *b = &s->items.at[l->b];
    const lm_bg_layer *left = &s->layers[a->layer], *right = &s->layers[b->layer];
    double ya = a->y + l->ya, yb = b->y + l->yb;
    if (!e->npoints) add(e, a->x + a->w / 2, ya);
    if (fabs(ya - yb) >= 0.05) {
        int from_end = a->kind == LM_BG_TERMINAL, to_end = b->kind == LM_BG_TERMINAL;
        add(e, left->x + left->half + (from_end ? 0 : LM_BG_STUB), ya);
        add(e, right->x - right->half - (to_end ? 0 : LM_BG_STUB), yb);
    }
    add(e, b->x - b->w / 2, yb);
}

static void lines(lm_bg *g, lm_bg_scope *s)
{
    for (int i = 0; i < s->edges.n; i++) {
        lm_bg_edge *e = &s->edges.at[i];
        if (e->hung) continue;
        int n = s->items.at[e->b].layer - s->items.at[e->a].layer;
        e->points = LM_NEW_N(g->arena, lm_graph_point, 4 * n + 4);
        for (int k = 0; k < s->links.n; k++)
            if (s->links.at[k].edge == i) add_link(s, &s->links.at[k], e);
    }
}

/* From the junction up (or down) to a one-port. */
static void hung_line(lm_bg *g, lm_bg_edge *e, const lm_bg_item *x, int below, int k, double to)
{
    double sign = below ? 1 : -1, from = x->x + LM_BG_PITCH * (k - 0.5 * (x->nhung[below] - 1));
    double y = x->y + sign * x->h / 2, end = y + sign * LM_BG_HANG;
    lm_graph_point p[4] = {
        {from, y}, {from, y + sign * LM_BG_STUB}, {to, end - sign * LM_BG_STUB}, {to, end}};
    e->npoints = fabs(from - to) < 0.05 ? 2 : 4;
    if (e->npoints == 2) p[1] = p[3];
    e->points = lm_arena_copy(g->arena, p, sizeof p);
}

static lm_bg_edge *edge_of(lm_bg_scope *s, int bond)
{
    for (int i = 0; i < s->edges.n; i++)
        if (s->edges.at[i].bond == bond) return &s->edges.at[i];
    return NULL;
}

static void hung_lines(lm_bg *g, lm_bg_scope *s, const lm_bg_item *x, int below)
{
    double w = -LM_BG_GAP;
    for (int k = 0; k < x->nhung[below]; k++)
        w += lm_bg_element_item(g, x->hung[below][k]).w + LM_BG_GAP;
    double at = x->x - w / 2;
    for (int k = 0; k < x->nhung[below]; k++) {
        int leaf = x->hung[below][k];
        double own = lm_bg_element_item(g, leaf).w;
        lm_bg_edge *e = edge_of(s, g->spec->elements.at[leaf].bond[0]);
        if (e) hung_line(g, e, x, below, k, at + own / 2);
        at += own + LM_BG_GAP;
    }
}

void lm_bg_place(lm_bg *g, lm_bg_scope *s)
{
    heights(g, s);
    rows(s);
    columns(s);
    lines(g, s);
    for (int i = 0; i < s->items.n; i++)
        for (int below = 0; below < 2 && s->items.at[i].kind == LM_BG_ELEMENT; below++)
            hung_lines(g, s, &s->items.at[i], below);
}
