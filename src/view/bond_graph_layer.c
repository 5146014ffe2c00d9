/* Items, edges and layers of a group. */
#include "view/bond_graph_int.h"

static int is_junction(const lm_spec_element *e)
{
    return e->type == LM_ELEMENT_ZERO || e->type == LM_ELEMENT_ONE;
}

static int is_one_port(const lm_spec_element *e)
{
    return e->nbonds == 1 && !is_junction(e) && e->type != LM_ELEMENT_TF &&
           e->type != LM_ELEMENT_GY;
}

/* The junction of the same group that a one-port hangs on; -1: none. */
static int hangs_on(const lm_bg *g, int element)
{
    const lm_spec_element *e = &g->spec->elements.at[element];
    if (!is_one_port(e)) return -1;
    const lm_spec_bond *b = &g->spec->bonds.at[e->bond[0]];
    int other = b->from == element ? b->to : b->from;
    int same = g->scope_of[other] == g->scope_of[element];
    return same && is_junction(&g->spec->elements.at[other]) ? other : -1;
}

/* ---- which one-ports stand in the skeleton ---- */

/* Bonds of a junction by the side they are on: [0] come to it, [1] leave it; without those to one-ports
 * that hang on it. */
static void count_ways(const lm_bg *g, int junction, int n[2])
{
    const lm_spec_element *e = &g->spec->elements.at[junction];
    n[0] = n[1] = 0;
    for (int i = 0; i < e->nbonds; i++) {
        const lm_spec_bond *b = &g->spec->bonds.at[e->bond[i]];
        int other = b->from == junction ? b->to : b->from;
        if (hangs_on(g, other) != junction) n[b->from == junction]++;
    }
}

static int fits_side(const lm_spec_element *e, int side)
{
    if (side == 1) return e->type == LM_ELEMENT_PORT;
    return e->type == LM_ELEMENT_SE || e->type == LM_ELEMENT_SF;
}

/* 1: of the one-ports on its junction it is the first source and nothing else leads there, or the first
 * port and nothing else leads on. */
static int stands(const lm_bg *g, int element)
{
    int junction = hangs_on(g, element), n[2];
    const lm_spec_element *e = &g->spec->elements.at[element];
    if (junction < 0) return 1;
    int side = e->type == LM_ELEMENT_PORT;
    if (!fits_side(e, side)) return 0;
    count_ways(g, junction, n);
    if (n[side]) return 0;
    const lm_spec_element *j = &g->spec->elements.at[junction];
    for (int i = 0; i < j->nbonds; i++) {
        const lm_spec_bond *b = &g->spec->bonds.at[j->bond[i]];
        int other = b->from == junction ? b->to : b->from;
        if (fits_side(&g->spec->elements.at[other], side) && hangs_on(g, other) == junction)
            return other == element;
    }
    return 0;
}

/* ---- items and edges ---- */

/* The item that holds an element; -1: it is elsewhere, or hangs. */
static int item_of(const lm_bg *g, const lm_bg_scope *s, int element)
{
    for (int i = 0; i < s->items.n; i++) {
        const lm_bg_item *x = &s->items.at[i];
        if (x->kind == LM_BG_ELEMENT && x->element == element) return i;
        if (x->kind == LM_BG_GROUP && lm_bg_inside(g->scope_of[element], x->group)) return i;
    }
    return -1;
}

static lm_bg_edge *add_edge(lm_bg *g, lm_bg_scope *s, int bond, int a, int b)
{
    lm_bg_edge *e = LM_PUSH(g->arena, &s->edges);
    *e = (lm_bg_edge){.bond = bond, .a = a, .b = b, .forward = 1};
    return e;
}

/* The end of a bond that goes on outside, on the side that the group around has chosen. */
static void add_terminal(lm_bg *g, lm_bg_scope *s, int bond, int item, int leaves)
{
    int forward = 1, side = leaves ? 1 : 0;
    for (int i = 0; i < s->parent->edges.n; i++) {
        const lm_bg_edge *e = &s->parent->edges.at[i];
        if (e->bond == bond) forward = e->forward;
    }
    if (!forward) side = 1 - side;
    int terminal = s->items.n;
    *LM_PUSH(g->arena, &s->items) = (lm_bg_item){.kind = LM_BG_TERMINAL, .side = side};
    lm_bg_edge *e =
        side ? add_edge(g, s, bond, item, terminal) : add_edge(g, s, bond, terminal, item);
    e->forward = forward;
}

static void make_items(lm_bg *g, lm_bg_scope *s)
{
    for (int i = 0; i < g->spec->elements.n; i++)
        if (g->scope_of[i] == s && stands(g, i))
            *LM_PUSH(g->arena, &s->items) = lm_bg_element_item(g, i);
    for (int i = 0; i < s->groups.n; i++)
        *LM_PUSH(g->arena, &s->items) = (lm_bg_item){.kind = LM_BG_GROUP, .group = s->groups.at[i]};
}

static void make_edges(lm_bg *g, lm_bg_scope *s)
{
    for (int k = 0; k < g->spec->bonds.n; k++) {
        const lm_spec_bond *b = &g->spec->bonds.at[k];
        int in[2] = {lm_bg_inside(g->scope_of[b->from], s), lm_bg_inside(g->scope_of[b->to], s)};
        int a = in[0] ? item_of(g, s, b->from) : -1, c = in[1] ? item_of(g, s, b->to) : -1;
        if (in[0] && in[1] && a >= 0 && c >= 0 && a != c) add_edge(g, s, k, a, c);
        if (in[0] && !in[1]) add_terminal(g, s, k, a, 1);
        if (in[1] && !in[0]) add_terminal(g, s, k, c, 0);
    }
}

/* ---- one-ports that hang ---- */

/* Sources and inertias first: they come above. */
static int rank(lm_element_type t)
{
    static const int order[] = {
        [LM_ELEMENT_SE] = 0,  [LM_ELEMENT_SF] = 0,  [LM_ELEMENT_I] = 1,  [LM_ELEMENT_C] = 2,
        [LM_ELEMENT_R] = 3,   [LM_ELEMENT_TF] = 4,  [LM_ELEMENT_GY] = 4, [LM_ELEMENT_ZERO] = 4,
        [LM_ELEMENT_ONE] = 4, [LM_ELEMENT_PORT] = 4};
    return order[t];
}

static int find_hung(const lm_bg *g, int junction, int *list)
{
    int n = 0;
    for (int r = 0; r <= 4; r++)
        for (int i = 0; i < g->spec->elements.n; i++)
            if (rank(g->spec->elements.at[i].type) == r && hangs_on(g, i) == junction &&
                !stands(g, i))
                list[n++] = i;
    return n;
}

static double row_width(const lm_bg *g, const int *element, int n)
{
    double w = 0;
    for (int i = 0; i < n; i++) w += lm_bg_element_item(g, element[i]).w + (i ? LM_BG_GAP : 0);
    return w;
}

static void hang(lm_bg *g, lm_bg_scope *s, int index)
{
    lm_bg_item *x = &s->items.at[index];
    int *list = LM_NEW_N(g->arena, int, g->spec->elements.n + 1);
    int n = find_hung(g, x->element, list);
    x->nhung[0] = (n + 1) / 2;
    x->nhung[1] = n / 2;
    x->hung[0] = list;
    x->hung[1] = list + x->nhung[0];
    for (int k = 0; k < 2; k++) {
        double room = LM_BG_PITCH * x->nhung[k] + 6, row = row_width(g, x->hung[k], x->nhung[k]);
        if (x->w < room) x->w = room;
        if (x->half < row / 2) x->half = row / 2;
        if (x->half < x->w / 2) x->half = x->w / 2;
        for (int i = 0; i < x->nhung[k]; i++) {
            int bond = g->spec->elements.at[x->hung[k][i]].bond[0];
            lm_bg_edge *e = add_edge(g, s, bond, index, -1);
            e->hung = 1;
            e->forward = g->spec->bonds.at[bond].from == x->element;
        }
    }
}

/* ---- layers ---- */

static void turn(lm_bg_edge *e)
{
    int a = e->a;
    e->a = e->b;
    e->b = a;
    e->forward = !e->forward;
}

/* Depth first; an edge back to an item that is still open closes a circle and is turned. */
static void visit(lm_bg_scope *s, int item, char *state)
{
    state[item] = 1;
    for (int i = 0; i < s->edges.n; i++) {
        lm_bg_edge *e = &s->edges.at[i];
        if (e->hung || e->a != item) continue;
        if (state[e->b] == 1)
            turn(e);
        else if (!state[e->b])
            visit(s, e->b, state);
    }
    state[item] = 2;
}

/* Items that nothing leads to first, so that power runs to the right wherever it can. */
static void break_circles(lm_bg *g, lm_bg_scope *s)
{
    char *state = LM_NEW_N(g->arena, char, s->items.n + 1);
    for (int i = 0; i < s->items.n; i++) {
        int led = 0;
        for (int k = 0; k < s->edges.n; k++) led |= !s->edges.at[k].hung && s->edges.at[k].b == i;
        if (!led && !state[i]) visit(s, i, state);
    }
    for (int i = 0; i < s->items.n; i++)
        if (!state[i]) visit(s, i, state);
}

/* The longest path; ends of bonds from the left are alone in the first layer. */
static int longest_paths(lm_bg_scope *s)
{
    int first = 0, last = 0;
    for (int i = 0; i < s->items.n; i++)
        if (s->items.at[i].kind == LM_BG_TERMINAL && !s->items.at[i].side) first = 1;
    for (int i = 0; i < s->items.n; i++) {
        const lm_bg_item *x = &s->items.at[i];
        s->items.at[i].layer = x->kind == LM_BG_TERMINAL && !x->side ? 0 : first;
    }
    for (int more = 1; more;) {
        more = 0;
        for (int i = 0; i < s->edges.n; i++) {
            const lm_bg_edge *e = &s->edges.at[i];
            if (e->hung || s->items.at[e->b].layer > s->items.at[e->a].layer) continue;
            s->items.at[e->b].layer = s->items.at[e->a].layer + 1;
            more = 1;
        }
    }
    for (int i = 0; i < s->items.n; i++)
        if (s->items.at[i].layer > last) last = s->items.at[i].layer;
    return last;
}

/* How far to the right an item may go; and whether that makes its bonds shorter. */
static int pull_to(const lm_bg_scope *s, int item, int last)
{
    int in = 0, out = 0, to = last;
    for (int i = 0; i < s->edges.n; i++) {
        const lm_bg_edge *e = &s->edges.at[i];
        if (e->hung) continue;
        in += e->b == item;
        out += e->a == item;
        if (e->a == item && s->items.at[e->b].layer - 1 < to) to = s->items.at[e->b].layer - 1;
    }
    return out > in ? to : s->items.at[item].layer;
}

static void shorten(lm_bg_scope *s, int last)
{
    for (int more = 1; more;) {
        more = 0;
        for (int i = 0; i < s->items.n; i++) {
            lm_bg_item *x = &s->items.at[i];
            if (x->kind == LM_BG_TERMINAL) continue;
            int to = pull_to(s, i, last);
            more |= to > x->layer;
            if (to > x->layer) x->layer = to;
        }
    }
}

/* Ends of bonds to the right are alone in the last layer. */
static int right_ends(lm_bg_scope *s, int last)
{
    int any = 0, own = 0;
    for (int i = 0; i < s->items.n; i++) {
        const lm_bg_item *x = &s->items.at[i];
        int right = x->kind == LM_BG_TERMINAL && x->side;
        any |= right;
        if (!right && x->layer > own) own = x->layer;
    }
    if (!any) return last;
    for (int i = 0; i < s->items.n; i++)
        if (s->items.at[i].kind == LM_BG_TERMINAL && s->items.at[i].side)
            s->items.at[i].layer = own + 1;
    return own + 1;
}

/* Links between neighbouring layers, with lanes in those that an edge passes. */
static void make_links(lm_bg *g, lm_bg_scope *s)
{
    for (int i = 0; i < s->edges.n; i++) {
        lm_bg_edge e = s->edges.at[i];
        if (e.hung) continue;
        int to = s->items.at[e.b].layer, a = e.a;
        for (int layer = s->items.at[e.a].layer + 1; layer <= to; layer++) {
            int b = e.b;
            if (layer < to) {
                b = s->items.n;
                *LM_PUSH(g->arena, &s->items) =
                    (lm_bg_item){.kind = LM_BG_LANE, .layer = layer, .up = 4, .down = 4};
            }
            *LM_PUSH(g->arena, &s->links) = (lm_bg_link){.edge = i, .a = a, .b = b};
            a = b;
        }
    }
}

void lm_bg_layers(lm_bg *g, lm_bg_scope *s)
{
    make_items(g, s);
    make_edges(g, s);
    for (int i = 0, n = s->items.n; i < n; i++)
        if (s->items.at[i].kind == LM_BG_ELEMENT) hang(g, s, i);
    break_circles(g, s);
    int last = longest_paths(s);
    shorten(s, last);
    s->nlayers = right_ends(s, last) + 1;
    for (int i = 0; i < s->groups.n; i++) lm_bg_layout(g, s->groups.at[i]);
    make_links(g, s);
}
