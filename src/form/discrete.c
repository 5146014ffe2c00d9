#include "form/discrete.h"

#include "form/history.h"

#include <math.h>
#include <string.h>

static int longest(const lm_expr *e, int most)
{
    int n = lm_expr_scratch(e, 0);
    return n > most ? n : most;
}

int lm_discrete_scratch(const lm_spec *spec)
{
    int n = 1;
    for (int i = 0; i < spec->states.n; i++) n = longest(&spec->states.at[i].update, n);
    for (int i = 0; i < spec->surfaces.n; i++) {
        n = longest(&spec->surfaces.at[i].height, n);
        n = longest(&spec->surfaces.at[i].at, n);
        n = longest(&spec->surfaces.at[i].left, n);
    }
    for (int i = 0; i < spec->delays.n; i++) n = longest(&spec->delays.at[i].input, n);
    return n;
}

/* ---- making ---- */

double *lm_discrete_heights(const lm_discrete *d, int surface)
{
    return d->height + d->spec->cells + d->spec->surfaces.at[surface].grid.first;
}

static void start_values(lm_discrete *d, double *scratch)
{
    for (int i = 0; i < d->spec->variables.n; i++) d->scale[i] = 1;
    for (int i = 0; i < d->n; i++) d->value[i] = d->spec->states.at[i].value;
    for (int k = 0; k < d->nsurfaces; k++) {
        const lm_spec_surface *s = &d->spec->surfaces.at[k];
        double *height = lm_discrete_heights(d, k);
        for (int i = 0; i < s->cells; i++) {
            double slots[2] = {0, i * s->grid.width / (s->to - s->from)};
            height[i] = lm_expr_eval(&s->height, slots, scratch);
        }
        d->tool[k].passed = -1;
    }
}

static int units(const lm_spec *spec)
{
    int most = 0;
    for (int i = 0; i < spec->variables.n; i++)
        if (spec->variables.at[i].unit > most) most = spec->variables.at[i].unit;
    return most + 1;
}

int lm_discrete_make(lm_arena *arena, const lm_spec *spec, int nsensors, lm_discrete **out,
                     double **slots)
{
    int n = spec->states.n, m = spec->surfaces.n, x = spec->variables.n, delays = spec->delays.n;
    int tools = m * (int)(sizeof(lm_tool) / sizeof(double));
    int any = n || m || x || delays;
    int flows = LM_FLOWS * spec->elements.n;
    int last = x ? 1 + x + 1 + nsensors : 0;
    int size =
        any ? 3 + 2 * n + 3 * x + flows + last + tools + LM_HISTORY_HEAD * delays + spec->cells : 0;
    double *block = LM_NEW_N(arena, double, (size_t)size + (size_t)nsensors + 1);
    *out = NULL;
    if (!block) return -1;
    *slots = block + size;
    if (!size) return 0;
    lm_discrete *d = LM_NEW(arena, lm_discrete);
    double *scratch = LM_NEW_N(arena, double, lm_discrete_scratch(spec));
    if (!d || !scratch) return -1;
    *d = (lm_discrete){.spec = spec, .n = n, .nsurfaces = m, .ndelays = delays, .size = size};
    d->block = block;
    d->t = block, d->dt = block + 1;
    d->ahead = block + 2;
    d->value = block + 3, d->changed = d->value + n;
    d->scale = d->changed + n;
    d->pace = d->scale + x;
    d->moved = d->pace + x;
    d->flow = d->moved + x;
    d->settled = d->flow + flows;
    d->settled_value = d->settled + 1, d->settled_slot = d->settled_value + x;
    d->tool = (lm_tool *)(void *)(d->flow + flows + last);
    d->height = *slots - spec->cells;
    d->input = LM_NEW_N(arena, double, n + 2 * m + delays + 1);
    d->forces = LM_NEW_N(arena, unsigned char, n + 1);
    d->nunits = units(spec);
    d->of_unit = LM_NEW_N(arena, double, d->nunits);
    d->least = LM_NEW_N(arena, double, 2 * x + 1);
    d->known = LM_NEW_N(arena, double, delays + 1);
    if (!d->input || !d->forces || !d->of_unit || !d->least || !d->known) return -1;
    for (int k = 0; k < delays; k++) d->known[k] = NAN;
    if (lm_history_make(d, arena, (double *)(void *)(d->tool + m))) return -1;
    start_values(d, scratch);
    *out = d;
    return 0;
}

void lm_discrete_read(lm_discrete *d, const double *slots, double *scratch)
{
    double *to = d->input;
    for (int i = 0; i < d->n; i++) {
        const lm_spec_state *s = &d->spec->states.at[i];
        *to++ = s->has_update ? lm_expr_eval(&s->update, slots, scratch) : d->value[i];
    }
    for (int k = 0; k < d->nsurfaces; k++) {
        *to++ = lm_expr_eval(&d->spec->surfaces.at[k].at, slots, scratch);
        *to++ = lm_expr_eval(&d->spec->surfaces.at[k].left, slots, scratch);
    }
    for (int k = 0; k < d->ndelays; k++)
        *to++ = lm_expr_eval(&d->spec->delays.at[k].input, slots, scratch);
}

/* ---- tools ---- */

/* What the tool leaves at a cell goes onto the surface when it passes another one. */
static void pass(lm_tool *tool, double *height, int cell, double left)
{
    if (tool->passed == cell) {
        tool->height = fmin(tool->height, left);
        return;
    }
    if (tool->passed >= 0) {
        double *old = &height[(int)tool->passed];
        *old = fmin(*old, tool->height);
    }
    tool->passed = cell;
    tool->height = left;
}

/* The cell on which the tool stands, -1: it stands between two, or beside the surface. */
static int stands_on(const lm_grid *g, double at)
{
    double u = (at - g->from) / g->width, c = round(u);
    if (fabs(u - c) > 1e-12 * fmax(1, fabs(u))) return -1;
    if (!g->periodic) return c >= 0 && c < g->cells ? (int)c : -1;
    return (int)(c - g->cells * floor(c / g->cells));
}

void lm_discrete_place_tool(lm_discrete *d, int surface, double at, double left)
{
    lm_tool *tool = &d->tool[surface];
    int cell = stands_on(&d->spec->surfaces.at[surface].grid, at);
    tool->at = at;
    tool->left = left;
    if (cell >= 0) pass(tool, lm_discrete_heights(d, surface), cell, left);
}

/* The cells c with u0 < c <= u1, or u1 <= c < u0 on the way back, in the order of the way. */
void lm_discrete_move_tool(lm_discrete *d, int surface, double at, double left)
{
    const lm_grid *g = &d->spec->surfaces.at[surface].grid;
    lm_tool *tool = &d->tool[surface];
    double *height = lm_discrete_heights(d, surface);
    double u0 = (tool->at - g->from) / g->width, u1 = (at - g->from) / g->width;
    double step = u1 > u0 ? 1 : -1, c = u1 > u0 ? floor(u0) + 1 : ceil(u0) - 1;
    double last = g->cells - 1;
    if (!g->periodic) c = step > 0 ? fmax(c, 0) : fmin(c, last);
    for (; step * (u1 - c) >= 0 && u1 != u0; c += step) {
        if (!g->periodic && (c < 0 || c > last)) break;
        int cell = (int)(c - g->cells * floor(c / g->cells));
        pass(tool, height, cell, tool->left + (c - u0) / (u1 - u0) * (left - tool->left));
    }
    lm_discrete_place_tool(d, surface, at, left);
}

/* ---- instants ---- */

/* Multiples of `every` up to t; those within rounding count. */
static double samples(double every, double t) { return floor(t / every + 1e-9); }

int lm_discrete_due(const lm_discrete *d, int k, double t)
{
    double every = d->spec->states.at[k].every;
    return every == 0 || samples(every, t) > samples(every, *d->t);
}

double lm_discrete_next(const lm_discrete *d, double t)
{
    double next = INFINITY;
    for (int i = 0; i < d->n; i++) {
        const lm_spec_state *s = &d->spec->states.at[i];
        if (s->every > 0)
            next = fmin(next, (samples(s->every, t) + 1) * s->every);
        else if (s->has_update)
            next = fmin(next, lm_expr_next_kink(&s->update, t));
    }
    for (int k = 0; k < d->nsurfaces; k++) {
        const lm_spec_surface *s = &d->spec->surfaces.at[k];
        next = fmin(next, lm_expr_next_kink(&s->at, t));
        next = fmin(next, lm_expr_next_kink(&s->left, t));
    }
    for (int k = 0; k < d->ndelays; k++) next = fmin(next, lm_history_next(d, k, t));
    return next;
}
