/* From the layout to shapes. */
#include "view/bond_graph_int.h"

#include <math.h>

enum { SPACE = 3, BARB = 9, HALF_STROKE = 6, SWATCH = 12 };

static lm_graph_shape *add(lm_bg *g, lm_graph_kind kind, int of, int n, const lm_graph_point *p)
{
    lm_graph_shape *s = LM_PUSH(g->arena, &g->out->shapes);
    *s = (lm_graph_shape){.kind = kind, .of = of, .n = n};
    s->p = lm_arena_copy(g->arena, p, sizeof *p * (size_t)n);
    return s;
}

/* A line of text around (or from) x, on the line y. */
static lm_graph_shape *add_text(lm_bg *g, const char *text, double size, int bold, int middle,
                                double x, double y)
{
    double w = lm_bg_text_width(text, size, bold), from = middle ? x - w / 2 : x;
    lm_graph_point p[2] = {{from, y - 0.78 * size}, {from + w, y + 0.22 * size}};
    lm_graph_shape *s = add(g, LM_GRAPH_TEXT, -1, 2, p);
    s->text = text;
    s->size = size;
    s->bold = bold;
    s->middle = middle;
    return s;
}

/* ---- nodes ---- */

static void add_node(lm_bg *g, int element, double w, double h, double x, double y)
{
    const lm_spec_element *e = &g->spec->elements.at[element];
    const char *label[2];
    lm_graph_point p[2] = {{x - w / 2, y - h / 2}, {x + w / 2, y + h / 2}};
    lm_graph_shape *box = add(g, LM_GRAPH_NODE, element, 2, p);
    box->domain = g->domain[element];
    box->wrong = e->derivative;
    box->port = e->type == LM_ELEMENT_PORT;
    lm_bg_labels(g, element, label);
    lm_graph_shape *type = add_text(g, label[0], LM_BG_TYPE, 1, 1, x, y - 2);
    type->of = element;
    type->wrong = e->derivative;
    add_text(g, label[1], LM_BG_NAME, 0, 1, x, y + 13)->of = element;
}

static void add_hung(lm_bg *g, const lm_bg_scope *s, const lm_bg_edge *e)
{
    const lm_spec_bond *b = &g->spec->bonds.at[e->bond];
    const lm_bg_item *junction = &s->items.at[e->a];
    int leaf = b->from == junction->element ? b->to : b->from;
    lm_graph_point end = e->points[e->npoints - 1];
    lm_bg_item box = lm_bg_element_item(g, leaf);
    double middle = end.y + (end.y < junction->y ? -1 : 1) * box.h / 2;
    add_node(g, leaf, box.w, box.h, s->x + end.x, s->y + middle);
}

/* Boxes of groups, the outer ones first. */
static void add_groups(lm_bg *g, lm_bg_scope *s)
{
    if (s->parent) {
        lm_graph_point p[2] = {{s->x, s->y}, {s->x + s->w, s->y + s->h}};
        add(g, LM_GRAPH_GROUP, s->depth - 1, 2, p);
        add_text(g, s->name, LM_BG_NAME, 0, 0, s->x + LM_BG_PAD, s->y + 17);
    }
    for (int i = 0; i < s->items.n; i++) {
        const lm_bg_item *x = &s->items.at[i];
        if (x->kind != LM_BG_GROUP) continue;
        x->group->x = s->x + x->x - x->w / 2;
        x->group->y = s->y + x->y - x->h / 2;
        add_groups(g, x->group);
    }
}

static void add_nodes(lm_bg *g, const lm_bg_scope *s)
{
    for (int i = 0; i < s->items.n; i++) {
        const lm_bg_item *x = &s->items.at[i];
        if (x->kind == LM_BG_GROUP) add_nodes(g, x->group);
        if (x->kind == LM_BG_ELEMENT) add_node(g, x->element, x->w, x->h, s->x + x->x, s->y + x->y);
    }
    for (int i = 0; i < s->edges.n; i++)
        if (s->edges.at[i].hung) add_hung(g, s, &s->edges.at[i]);
}

/* ---- bonds ---- */

typedef struct line {
    LM_VEC(lm_graph_point) p;
} line;

/* The part of the bond in one group, in the bond's direction. Parts meet at the borders. */
static void add_part(lm_bg *g, const lm_bg_scope *s, int bond, line *l)
{
    for (int i = 0; i < s->edges.n; i++) {
        const lm_bg_edge *e = &s->edges.at[i];
        if (e->bond != bond) continue;
        for (int k = 0; k < e->npoints; k++) {
            lm_graph_point p = e->points[e->forward ? k : e->npoints - 1 - k];
            p.x += s->x;
            p.y += s->y;
            const lm_graph_point *last = l->p.n ? &l->p.at[l->p.n - 1] : NULL;
            if (!last || hypot(p.x - last->x, p.y - last->y) > 0.5) *LM_PUSH(g->arena, &l->p) = p;
        }
        return;
    }
}

/* Inwards, from the group in which both ends are to that of the second one. */
static void add_inner(lm_bg *g, const lm_bg_scope *s, const lm_bg_scope *outer, int bond, line *l)
{
    if (s == outer) return;
    add_inner(g, s->parent, outer, bond, l);
    add_part(g, s, bond, l);
}

static line trace(lm_bg *g, int bond)
{
    const lm_spec_bond *b = &g->spec->bonds.at[bond];
    const lm_bg_scope *s = g->scope_of[b->from], *end = g->scope_of[b->to];
    line l = {0};
    for (; !lm_bg_inside(end, s); s = s->parent) add_part(g, s, bond, &l);
    add_part(g, s, bond, &l);
    add_inner(g, end, s, bond, &l);
    return l;
}

/* Unit vector from q to p. */
static lm_graph_point towards(lm_graph_point p, lm_graph_point q)
{
    double d = hypot(p.x - q.x, p.y - q.y);
    return (lm_graph_point){(p.x - q.x) / d, (p.y - q.y) / d};
}

static lm_domain bond_domain(const lm_bg *g, const lm_spec_bond *b)
{
    const int end[2] = {b->from, b->to};
    for (int i = 0; i < 2; i++) {
        lm_element_type t = g->spec->elements.at[end[i]].type;
        if (t != LM_ELEMENT_TF && t != LM_ELEMENT_GY) return g->domain[end[i]];
    }
    return LM_DOMAIN_NONE;
}

static void add_bond(lm_bg *g, int bond)
{
    const lm_spec_bond *b = &g->spec->bonds.at[bond];
    line l = trace(g, bond);
    int n = l.p.n;
    if (n < 2) return;
    lm_graph_point *p = l.p.at, out = towards(p[0], p[1]), in = towards(p[n - 1], p[n - 2]);
    p[0] = (lm_graph_point){p[0].x - SPACE * out.x, p[0].y - SPACE * out.y};
    p[n - 1] = (lm_graph_point){p[n - 1].x - SPACE * in.x, p[n - 1].y - SPACE * in.y};
    int wrong = g->spec->elements.at[b->from].derivative || g->spec->elements.at[b->to].derivative;
    lm_graph_point tip = p[n - 1], at = b->stroke ? tip : p[0], along = b->stroke ? in : out;
    lm_graph_point barb = {tip.x - BARB * in.x - 0.55 * BARB * in.y,
                           tip.y - BARB * in.y + 0.55 * BARB * in.x};
    lm_graph_point arrow[2] = {tip, barb};
    lm_graph_point stroke[2] = {{at.x - HALF_STROKE * along.y, at.y + HALF_STROKE * along.x},
                                {at.x + HALF_STROKE * along.y, at.y - HALF_STROKE * along.x}};
    lm_graph_shape *s[3] = {0};
    for (int i = 0; i < 3; i++) {
        if (i == 0) s[i] = add(g, LM_GRAPH_BOND, bond, n, p);
        if (i == 1) s[i] = add(g, LM_GRAPH_ARROW, bond, 2, arrow);
        if (i == 2) s[i] = add(g, LM_GRAPH_STROKE, bond, 2, stroke);
        s[i]->domain = bond_domain(g, b);
        s[i]->wrong = wrong;
    }
}

/* ---- legend ---- */

static double add_key(lm_bg *g, const char *text, lm_domain domain, int wrong, double x, double y)
{
    lm_graph_point p[2] = {{x, y}, {x + SWATCH, y + SWATCH}};
    lm_graph_shape *s = add(g, LM_GRAPH_SWATCH, -1, 2, p);
    s->domain = domain;
    s->wrong = wrong;
    add_text(g, text, LM_BG_NAME, 0, 0, x + SWATCH + 6, y + 10);
    return x + SWATCH + 6 + lm_bg_text_width(text, LM_BG_NAME, 0) + LM_BG_GAP;
}

/* The domains that are there, when it is more than a colour of ink; width of the row. */
static double add_legend(lm_bg *g, double y)
{
    static const char *const names[] = {"",         "rotation",  "translation",
                                        "electric", "hydraulic", "thermal"};
    int used[LM_DOMAIN_THERMAL + 1] = {0}, wrong = 0;
    double x = LM_BG_PAD;
    for (int i = 0; i < g->spec->elements.n; i++) {
        used[g->domain[i]] = 1;
        wrong |= g->spec->elements.at[i].derivative;
    }
    for (int d = 1; d <= LM_DOMAIN_THERMAL; d++)
        if (used[d]) x = add_key(g, names[d], (lm_domain)d, 0, x, y);
    if (wrong) x = add_key(g, "derivative causality", LM_DOMAIN_NONE, 1, x, y);
    return x - LM_BG_PAD;
}

void lm_bg_shapes(lm_bg *g)
{
    add_groups(g, g->top);
    for (int k = 0; k < g->spec->bonds.n; k++) add_bond(g, k);
    add_nodes(g, g->top);
    double legend = add_legend(g, g->top->h + 8);
    g->out->width = fmax(g->top->w, legend);
    g->out->height = g->top->h + (legend > 0 ? 8 + SWATCH + LM_BG_PAD : 0);
}
