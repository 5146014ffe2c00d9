/* Outlines of beams: the true ones where the section has a shape, a rectangle of equal stiffness where
 * it is known by numbers only. */
#include "view/scene.h"

#include <string.h>

enum { ROUND = 24 }; /* points of a circle */

static double value(const lm_expr *e, double s, double *scratch)
{
    const double slots[LM_SLOT_S + 1] = {[LM_SLOT_S] = s};
    return lm_expr_eval(e, slots, scratch);
}

/* Sides of the rectangle with these second moments: h^2 = 12 Iz/A. Kept within what looks like a
 * beam of that length. */
static lm_outline equivalent(const lm_section *c, double length)
{
    double side[2] = {sqrt(12 * c->EIz / c->EA), sqrt(12 * c->EIy / c->EA)};
    for (int i = 0; i < 2; i++) {
        if (!(side[i] > length / 200)) side[i] = length / 200;
        if (side[i] > length / 5) side[i] = length / 5;
    }
    return (lm_outline){.height = side[0], .width = side[1]};
}

static lm_outline shape_at(const lm_spec_section *c, double s, double *scratch)
{
    lm_outline o = {0};
    if (c->shape == LM_SHAPE_CIRCLE || c->shape == LM_SHAPE_TUBE) {
        o.height = o.width = 2 * value(&c->radius, s, scratch);
        o.round = 1;
    } else {
        o.height = value(&c->height, s, scratch);
        o.width = value(&c->width, s, scratch);
    }
    if (c->shape == LM_SHAPE_TUBE || c->shape == LM_SHAPE_BOX)
        o.wall = value(&c->thickness, s, scratch);
    return o;
}

static double blend(double s, double a, double b) { return (1 - s) * a + s * b; }

static lm_outline outline_at(const lm_scene *s, int body, double at, double *scratch)
{
    const lm_spec *spec = s->m->spec;
    const lm_spec_body *b = &spec->bodies.at[body];
    const lm_spec_section *c = &spec->sections.at[b->section];
    if (c->shape >= LM_SHAPE_GENERAL) {
        lm_section numbers;
        lm_beam_section(s->m, body, at, scratch, &numbers);
        return equivalent(&numbers, s->m->beams[body].length);
    }
    lm_outline o = shape_at(c, at, scratch);
    if (b->end_section < 0) return o;
    lm_outline e = shape_at(&spec->sections.at[b->end_section], at, scratch);
    return (lm_outline){blend(at, o.height, e.height), blend(at, o.width, e.width),
                        blend(at, o.wall, e.wall), o.round};
}

/* One loop, counter-clockwise seen from the end of x. */
static void put_loop(lm_scene *s, lm_profile *p, double height, double width)
{
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const double turn = 6.283185307179586 / ROUND;
    int round = p->outline.round, n = round ? ROUND : 4;
    double *to = LM_NEW_N(&s->arena, double, 2 * n);
    for (int i = 0; i < n; i++) {
        to[2 * i] = 0.5 * height * (round ? cos(turn * i) : corner[i][0]);
        to[2 * i + 1] = 0.5 * width * (round ? sin(turn * i) : corner[i][1]);
    }
    p->n[p->nloops] = n;
    p->loop[p->nloops++] = to;
}

static int add_profile(lm_scene *s, const char *name, const lm_outline *o)
{
    lm_profile p = {.name = name, .outline = *o};
    double inner[2] = {o->height - 2 * o->wall, o->width - 2 * o->wall};
    double least = 1e-6 * (o->height + o->width); /* a wall that leaves a hole */
    put_loop(s, &p, o->height, o->width);
    if (o->wall > 0 && inner[0] > least && inner[1] > least) put_loop(s, &p, inner[0], inner[1]);
    *LM_PUSH(&s->arena, &s->profiles) = p;
    return s->profiles.n - 1;
}

static int is_like(const lm_profile *p, const char *name, const lm_outline *o)
{
    return p->outline.height == o->height && p->outline.width == o->width &&
           p->outline.wall == o->wall && p->outline.round == o->round && !strcmp(p->name, name);
}

/* The profile with this outline; those of the nodes and beams just before are looked at first, and a
 * long way back is not worth it. */
static int find_profile(lm_scene *s, const char *name, const lm_outline *o)
{
    for (int i = s->profiles.n - 1; i >= 0 && i >= s->profiles.n - 64; i--)
        if (is_like(&s->profiles.at[i], name, o)) return i;
    return add_profile(s, name, o);
}

void lm_scene_profiles(lm_scene *s, int body, double *scratch)
{
    const lm_beam *beam = &s->m->beams[body];
    const lm_element *e = &s->m->elements[beam->first_element];
    const lm_spec *spec = s->m->spec;
    const char *name = spec->sections.at[spec->bodies.at[body].section].item.name;
    int *to = s->bodies[body].profile = LM_NEW_N(&s->arena, int, beam->nelements + 1);
    for (int k = 0; k <= beam->nelements; k++) {
        double at = k < beam->nelements ? e[k].s[0] : e[k - 1].s[1];
        lm_outline o = outline_at(s, body, at, scratch);
        to[k] = find_profile(s, name, &o);
    }
}
