/* The drawing of a bond graph: groups by names, and the layout from the inside out. */
#include "view/bond_graph_int.h"

#include <string.h>

/* By the number of characters; a letter of three bytes may be as wide as it is high. */
double lm_bg_text_width(const char *text, double size, int bold)
{
    double w = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if ((*p & 0xc0) != 0x80) w += *p >= 0xe0 ? 1.05 : bold ? 0.7 : 0.6;
    return w * size;
}

/* What a port acts on. */
static const char *port_label(const lm_bg *g, const lm_spec_element *e)
{
    const lm_spec *spec = g->spec;
    if (e->joint >= 0) {
        const lm_spec_joint *j = &spec->joints.at[e->joint];
        if (lm_joint_coord_count(j->type) < 2) return j->item.name;
        return lm_arena_printf(g->arena, "%s.%s", j->item.name,
                               lm_coord_name(lm_joint_coord(j->type, e->coord)));
    }
    if (e->load >= 0) return spec->frames.at[spec->loads.at[e->load].frame].name;
    if (e->force < 0) return "port";
    const int *frame = spec->forces.at[e->force].frame;
    return lm_arena_printf(g->arena, "%s, %s", spec->frames.at[frame[0]].name,
                           spec->frames.at[frame[1]].name);
}

void lm_bg_labels(const lm_bg *g, int element, const char *label[2])
{
    const lm_spec_element *e = &g->spec->elements.at[element];
    const char *dot = strrchr(e->item.name, '.');
    label[0] = e->type == LM_ELEMENT_PORT ? port_label(g, e) : lm_element_type_name(e->type);
    label[1] = dot ? dot + 1 : e->item.name;
}

lm_bg_item lm_bg_element_item(const lm_bg *g, int element)
{
    const char *label[2];
    lm_bg_item item = {.kind = LM_BG_ELEMENT, .element = element, .h = LM_BG_NODE};
    lm_bg_labels(g, element, label);
    double type = lm_bg_text_width(label[0], LM_BG_TYPE, 1);
    double name = lm_bg_text_width(label[1], LM_BG_NAME, 0);
    item.w = (type > name ? type : name) + 12;
    if (item.w < LM_BG_NODE) item.w = LM_BG_NODE;
    item.half = item.w / 2;
    item.up = item.down = item.h / 2;
    return item;
}

int lm_bg_inside(const lm_bg_scope *s, const lm_bg_scope *outer)
{
    for (; s; s = s->parent)
        if (s == outer) return 1;
    return 0;
}

/* ---- groups ---- */

/* The group `path` of n characters inside of s, made where it is missing. */
static lm_bg_scope *group(lm_bg *g, lm_bg_scope *s, const char *path, size_t n)
{
    for (int i = 0; i < s->groups.n; i++) {
        lm_bg_scope *c = s->groups.at[i];
        if (strncmp(c->path, path, n) == 0 && !c->path[n]) return c;
    }
    lm_bg_scope *c = LM_NEW(g->arena, lm_bg_scope);
    const char *dot;
    c->path = lm_arena_strn(g->arena, path, n);
    dot = strrchr(c->path, '.');
    c->name = dot ? dot + 1 : c->path;
    c->parent = s;
    c->depth = s->depth + 1;
    *LM_PUSH(g->arena, &s->groups) = c;
    return c;
}

static void make_groups(lm_bg *g)
{
    g->top = LM_NEW(g->arena, lm_bg_scope);
    g->top->path = g->top->name = "";
    g->scope_of = LM_NEW_N(g->arena, lm_bg_scope *, g->spec->elements.n);
    for (int i = 0; i < g->spec->elements.n; i++) {
        const char *name = g->spec->elements.at[i].item.name;
        lm_bg_scope *s = g->top;
        for (const char *p = name; (p = strchr(p, '.')); p++)
            s = group(g, s, name, (size_t)(p - name));
        g->scope_of[i] = s;
    }
}

/* ---- domains ---- */

static int transforms(const lm_spec_element *e)
{
    return e->type == LM_ELEMENT_TF || e->type == LM_ELEMENT_GY;
}

/* One said is that of all bonds and elements up to the next TF or GY; these show the one before them. */
static void spread_domains(lm_bg *g)
{
    const lm_spec *spec = g->spec;
    g->domain = LM_NEW_N(g->arena, lm_domain, spec->elements.n);
    for (int i = 0; i < spec->elements.n; i++) g->domain[i] = spec->elements.at[i].domain;
    for (int more = 1; more;) {
        more = 0;
        for (int k = 0; k < spec->bonds.n; k++) {
            int end[2] = {spec->bonds.at[k].from, spec->bonds.at[k].to};
            for (int i = 0; i < 2; i++) {
                int known = end[i], open = end[1 - i];
                if (g->domain[open] != LM_DOMAIN_NONE || g->domain[known] == LM_DOMAIN_NONE ||
                    transforms(&spec->elements.at[known]) ||
                    (transforms(&spec->elements.at[open]) && i == 1))
                    continue;
                g->domain[open] = g->domain[known];
                more = 1;
            }
        }
    }
}

/* ---- all ---- */

void lm_bg_layout(lm_bg *g, lm_bg_scope *s)
{
    lm_bg_layers(g, s);
    lm_bg_order(g, s);
    lm_bg_place(g, s);
}

int lm_bond_graph_make(lm_bond_graph *out, const lm_spec *spec)
{
    jmp_buf failed;
    lm_bg g = {.arena = &out->arena, .spec = spec, .out = out};
    *out = (lm_bond_graph){0};
    if (spec->elements.n == 0) return 1;
    out->arena.on_fail = &failed;
    if (setjmp(failed)) {
        out->arena.on_fail = NULL;
        return 2;
    }
    make_groups(&g);
    spread_domains(&g);
    lm_bg_layout(&g, g.top);
    lm_bg_shapes(&g);
    out->arena.on_fail = NULL;
    return 0;
}

void lm_bond_graph_free(lm_bond_graph *g)
{
    lm_arena_free(&g->arena);
    *g = (lm_bond_graph){0};
}
