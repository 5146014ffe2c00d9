/* The order of the items in each layer, and where their bonds leave them. */
#include "view/bond_graph_int.h"

#include <string.h>

enum { SWEEPS = 24 };

/* ---- boxes ---- */

static int links_on(const lm_bg_scope *s, int item, int side)
{
    int n = 0;
    for (int i = 0; i < s->links.n; i++) n += (side ? s->links.at[i].a : s->links.at[i].b) == item;
    return n;
}

/* As high as the bonds on its sides need it. */
static void size_items(lm_bg_scope *s)
{
    for (int i = 0; i < s->items.n; i++) {
        lm_bg_item *x = &s->items.at[i];
        if (x->kind == LM_BG_GROUP) {
            x->w = x->group->w;
            x->h = x->group->h;
            x->half = x->w / 2;
            x->up = x->down = x->h / 2;
        } else if (x->kind == LM_BG_ELEMENT) {
            int n = links_on(s, i, 0), m = links_on(s, i, 1);
            double room = LM_BG_PITCH * (n > m ? n : m) + 6;
            if (x->h < room) x->h = room;
            x->up = x->h / 2 + (x->nhung[0] ? LM_BG_HANG + LM_BG_NODE : 0);
            x->down = x->h / 2 + (x->nhung[1] ? LM_BG_HANG + LM_BG_NODE : 0);
        }
    }
}

/* ---- ends of links at groups ---- */

/* Where the bond comes out of the group, from the middle of its box. */
static double way_out(const lm_bg_scope *group, int bond)
{
    for (int i = 0; i < group->edges.n; i++) {
        const lm_bg_edge *e = &group->edges.at[i];
        if (e->bond != bond || e->hung) continue;
        const lm_bg_item *a = &group->items.at[e->a], *b = &group->items.at[e->b];
        return (a->kind == LM_BG_TERMINAL ? a->y : b->y) - group->h / 2;
    }
    return 0;
}

static void group_ends(lm_bg_scope *s)
{
    for (int i = 0; i < s->links.n; i++) {
        lm_bg_link *l = &s->links.at[i];
        const lm_bg_item *a = &s->items.at[l->a], *b = &s->items.at[l->b];
        int bond = s->edges.at[l->edge].bond;
        if (a->kind == LM_BG_GROUP) l->ya = way_out(a->group, bond);
        if (b->kind == LM_BG_GROUP) l->yb = way_out(b->group, bond);
    }
}

/* Place of a link's end: of the item in its layer, and within a group. */
static double end_place(const lm_bg_scope *s, const lm_bg_link *l, int at_b)
{
    const lm_bg_item *x = &s->items.at[at_b ? l->b : l->a];
    double y = at_b ? l->yb : l->ya;
    return x->place + (x->kind == LM_BG_GROUP && x->h > 0 ? y / x->h : 0);
}

/* ---- order ---- */

static void number(lm_bg_scope *s)
{
    for (int l = 0; l < s->nlayers; l++)
        for (int i = 0; i < s->layers[l].n; i++) s->items.at[s->layers[l].item[i]].place = i;
}

static long crossings(const lm_bg_scope *s)
{
    long n = 0;
    for (int i = 0; i < s->links.n; i++)
        for (int k = i + 1; k < s->links.n; k++) {
            const lm_bg_link *p = &s->links.at[i], *q = &s->links.at[k];
            if (s->items.at[p->a].layer != s->items.at[q->a].layer) continue;
            double a = end_place(s, p, 0) - end_place(s, q, 0);
            double b = end_place(s, p, 1) - end_place(s, q, 1);
            n += a * b < 0;
        }
    return n;
}

/* Mean place of the neighbours on one side (0: left); its own where there are none. */
static double barycentre(const lm_bg_scope *s, int item, int side)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < s->links.n; i++) {
        const lm_bg_link *l = &s->links.at[i];
        if ((side ? l->a : l->b) != item) continue;
        sum += end_place(s, l, side);
        n++;
    }
    return n ? sum / n : s->items.at[item].place;
}

/* Stable: equal keys keep their order. */
static void sort_by(int n, int *item, double *key)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && key[k] < key[k - 1]; k--) {
            double t = key[k];
            int x = item[k];
            key[k] = key[k - 1];
            key[k - 1] = t;
            item[k] = item[k - 1];
            item[k - 1] = x;
        }
}

static void sweep(lm_bg_scope *s, int side, double *key)
{
    for (int i = 1; i < s->nlayers; i++) {
        lm_bg_layer *l = &s->layers[side ? s->nlayers - 1 - i : i];
        for (int k = 0; k < l->n; k++) key[k] = barycentre(s, l->item[k], side);
        sort_by(l->n, l->item, key);
        for (int k = 0; k < l->n; k++) s->items.at[l->item[k]].place = k;
    }
}

/* Items in the order in which walking along the links meets them: parts of the graph that have nothing
 * to do with each other stay apart. */
static void walk(lm_bg_scope *s, int item, char *seen)
{
    lm_bg_layer *l = &s->layers[s->items.at[item].layer];
    seen[item] = 1;
    l->item[l->n++] = item;
    for (int i = 0; i < s->links.n; i++) {
        const lm_bg_link *k = &s->links.at[i];
        if (k->a == item && !seen[k->b]) walk(s, k->b, seen);
        if (k->b == item && !seen[k->a]) walk(s, k->a, seen);
    }
}

static void first_order(lm_bg *g, lm_bg_scope *s)
{
    char *seen = LM_NEW_N(g->arena, char, s->items.n + 1);
    s->layers = LM_NEW_N(g->arena, lm_bg_layer, s->nlayers);
    for (int l = 0; l < s->nlayers; l++) {
        int n = 0;
        for (int i = 0; i < s->items.n; i++) n += s->items.at[i].layer == l;
        s->layers[l].item = LM_NEW_N(g->arena, int, n + 1);
    }
    for (int i = 0; i < s->items.n; i++)
        if (!seen[i]) walk(s, i, seen);
    number(s);
}

static void copy_order(const lm_bg_scope *s, int *keep, int back)
{
    for (int l = 0, at = 0; l < s->nlayers; at += s->layers[l++].n) {
        int *item = s->layers[l].item;
        size_t size = sizeof(int) * (size_t)s->layers[l].n;
        memcpy(back ? item : keep + at, back ? keep + at : item, size);
    }
}

static void best_order(lm_bg *g, lm_bg_scope *s)
{
    int *keep = LM_NEW_N(g->arena, int, s->items.n + 1);
    double *key = LM_NEW_N(g->arena, double, s->items.n + 1);
    long least = crossings(s);
    copy_order(s, keep, 0);
    for (int i = 0; i < SWEEPS && least > 0; i++) {
        sweep(s, i % 2, key);
        long n = crossings(s);
        if (n >= least) continue;
        least = n;
        copy_order(s, keep, 0);
    }
    copy_order(s, keep, 1);
    number(s);
}

/* ---- ends of links at elements ---- */

/* Side by side, in the order of where they go. */
static void spread_ends(lm_bg_scope *s, int item, int side, int *list, double *key)
{
    int n = 0;
    for (int i = 0; i < s->links.n; i++)
        if ((side ? s->links.at[i].a : s->links.at[i].b) == item) {
            key[n] = end_place(s, &s->links.at[i], side);
            list[n++] = i;
        }
    sort_by(n, list, key);
    for (int i = 0; i < n; i++) {
        double y = LM_BG_PITCH * (i - 0.5 * (n - 1));
        if (side)
            s->links.at[list[i]].ya = y;
        else
            s->links.at[list[i]].yb = y;
    }
}

void lm_bg_order(lm_bg *g, lm_bg_scope *s)
{
    int *list = LM_NEW_N(g->arena, int, s->links.n + 1);
    double *key = LM_NEW_N(g->arena, double, s->links.n + 1);
    size_items(s);
    group_ends(s);
    first_order(g, s);
    best_order(g, s);
    for (int i = 0; i < s->items.n; i++)
        for (int side = 0; side < 2 && s->items.at[i].kind == LM_BG_ELEMENT; side++)
            spread_ends(s, i, side, list, key);
}
