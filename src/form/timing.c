#include "form/timing.h"

#include <math.h>

enum { CHAIN_MOST = 20 }; /* rounds of putting expressions into each other */

typedef LM_VEC(const lm_expr *) list;

typedef struct builder {
    const lm_spec *spec;
    lm_timing *x;
    list exprs;
    int written; /* of these so many read no sensors, but coordinates written by hand */
    const lm_expr **of_variable; /* as functions of the time alone; NULL: they are not */
} builder;

/* ---- what is known ---- */

static int is_timed(const lm_expr *e)
{
    return e->constant || e->ninputs == 0 || (e->ninputs == 1 && e->inputs[0] == LM_SLOT_T);
}

/* What stands in a slot as a function of the time; NULL: that is not known. */
static const lm_expr *content(const builder *b, int slot)
{
    const lm_spec_sensor *s =
        slot > 0 && slot <= b->spec->sensors.n ? &b->spec->sensors.at[slot - 1] : NULL;
    if (!s) return NULL;
    if (s->kind == LM_SENSOR_VARIABLE) return b->of_variable[s->variable];
    if (s->kind == LM_SENSOR_DELAY) return b->x->delayed[s->state];
    if (s->kind != LM_SENSOR_JOINT) return NULL;
    const lm_spec_coord *c = &b->spec->joints.at[s->joint].coord[s->coord];
    return c->has_drive ? &c->drive : NULL;
}

/* e with everything put in that is known; e itself where that is nothing. */
static const lm_expr *filled(builder *b, const lm_expr *e)
{
    for (int round = 0; round < CHAIN_MOST; round++) {
        int k = 0;
        while (k < e->ninputs && !content(b, e->inputs[k])) k++;
        if (k == e->ninputs) return e;
        lm_expr *more = LM_NEW(&b->x->arena, lm_expr);
        if (lm_expr_compose(&b->x->arena, e, e->inputs[k], content(b, e->inputs[k]), more))
            return e;
        e = more;
    }
    return e;
}

static lm_symbol time_symbol(void *ctx, const char *name, double *value, int *slot)
{
    (void)ctx, (void)name, (void)value;
    *slot = LM_SLOT_T;
    return LM_SYM_SLOT;
}

/* e(t - delay); NULL: that cannot be. */
static const lm_expr *delayed(builder *b, const lm_expr *e, double delay)
{
    const lm_expr_env env = {.symbol = time_symbol};
    lm_arena *a = &b->x->arena;
    lm_diag quiet = {0};
    lm_expr *shift = LM_NEW(a, lm_expr), *out = LM_NEW(a, lm_expr);
    if (!lm_expr_uses(e, LM_SLOT_T)) return e;
    if (lm_expr_parse(a, &quiet, &env, lm_arena_printf(a, "t - %.17g", delay), e->loc, shift))
        return NULL;
    return lm_expr_compose(a, e, LM_SLOT_T, shift, out) ? NULL : out;
}

/* Signals, and what comes out of delays, one after the other as far as that goes. */
static void find_known(builder *b)
{
    const lm_spec *spec = b->spec;
    for (int found = 1; found;) {
        found = 0;
        for (int k = 0; k < spec->variables.n; k++) {
            const lm_spec_variable *v = &spec->variables.at[k];
            if (b->of_variable[k] || v->kind != LM_VARIABLE_VALUE || v->implicit) continue;
            const lm_expr *e = filled(b, &v->expr);
            if (is_timed(e)) b->of_variable[k] = e, found = 1;
        }
        for (int k = 0; k < spec->delays.n; k++) {
            if (b->x->delayed[k]) continue;
            const lm_expr *e = filled(b, &spec->delays.at[k].input);
            if (is_timed(e)) b->x->delayed[k] = delayed(b, e, spec->delays.at[k].time);
            found |= b->x->delayed[k] != NULL;
        }
    }
}

/* ---- what counts ---- */

static void note(builder *b, const lm_expr *e, int has)
{
    if (has && !e->constant && e->nops) *LM_PUSH(&b->x->arena, &b->exprs) = e;
}

static void note_products(builder *b)
{
    for (int i = 0; i < b->spec->products.n; i++)
        for (int k = 0; k < b->spec->products.at[i].nfactors; k++) {
            const lm_factor *f = &b->spec->products.at[i].factors[k];
            int n = f->kind == LM_FACTOR_DISP ? 3 : f->kind == LM_FACTOR_FRAME ? 0 : 1;
            for (int c = 0; c < n; c++) note(b, &f->arg[c], 1);
        }
}

static void note_discrete(builder *b)
{
    const lm_spec *spec = b->spec;
    for (int i = 0; i < spec->states.n; i++)
        note(b, &spec->states.at[i].update,
             spec->states.at[i].has_update && spec->states.at[i].every == 0);
    for (int i = 0; i < spec->surfaces.n; i++) {
        note(b, &spec->surfaces.at[i].at, 1);
        note(b, &spec->surfaces.at[i].left, 1);
    }
}

static void note_all(builder *b)
{
    const lm_spec *spec = b->spec;
    for (int i = 0; i < spec->joints.n; i++)
        for (int c = 0; c < LM_JOINT_COORDS; c++) {
            const lm_spec_coord *k = &spec->joints.at[i].coord[c];
            note(b, &k->drive, k->has_drive);
            note(b, &k->effort, k->has_effort);
        }
    for (int i = 0; i < spec->loads.n; i++)
        for (int c = 0; c < 3; c++) {
            note(b, &spec->loads.at[i].force[c], spec->loads.at[i].has_force);
            note(b, &spec->loads.at[i].torque[c], spec->loads.at[i].has_torque);
        }
    for (int i = 0; i < spec->variables.n; i++) note(b, &spec->variables.at[i].expr, 1);
    note_discrete(b);
}

/* Those that depend on time, once each. */
static void keep(builder *b)
{
    lm_timing *x = b->x;
    x->expr = LM_NEW_N(&x->arena, const lm_expr *, b->exprs.n);
    x->of = LM_NEW_N(&x->arena, lm_resolution, b->exprs.n);
    x->silent = LM_NEW_N(&x->arena, unsigned char, b->exprs.n);
    for (int i = 0; i < b->exprs.n; i++) {
        const lm_expr *e = i < b->written ? b->exprs.at[i] : filled(b, b->exprs.at[i]);
        if (!lm_expr_uses(e, LM_SLOT_T)) continue;
        x->silent[x->n] = e != b->exprs.at[i];
        x->expr[x->n++] = e;
    }
}

static void build(builder *b)
{
    lm_timing *x = b->x;
    b->of_variable = LM_NEW_N(&x->arena, const lm_expr *, b->spec->variables.n + 1);
    x->delayed = LM_NEW_N(&x->arena, const lm_expr *, b->spec->delays.n + 1);
    find_known(b);
    note_products(b);
    b->written = b->exprs.n;
    note_all(b);
    keep(b);
}

static int search(lm_timing *x, double until)
{
    for (int i = 0; i < x->n; i++)
        if (lm_expr_resolve(x->expr[i], until, &x->of[i])) return -1;
    return 0;
}

int lm_timing_make(const lm_spec *spec, double until, lm_timing **out)
{
    jmp_buf bail;
    lm_timing *volatile x = *out = lm_alloc(sizeof *x);
    if (!x) return -1;
    builder b = {.spec = spec, .x = x};
    x->arena.on_fail = &bail;
    if (setjmp(bail) == 0) {
        build(&b);
        x->arena.on_fail = NULL;
        return search(x, until);
    }
    return -1;
}

void lm_timing_free(lm_timing *x)
{
    if (!x) return;
    for (int i = 0; i < x->n; i++) lm_resolution_free(&x->of[i]);
    lm_arena_free(&x->arena);
    lm_free(x);
}

/* ---- in a run ---- */

static double next_corner(const lm_resolution *r, double t)
{
    int low = 0, high = r->ncorners;
    while (low < high) {
        int middle = (low + high) / 2;
        if (r->corner[middle] > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low < r->ncorners ? r->corner[low] : INFINITY;
}

double lm_timing_next(const lm_timing *x, double t)
{
    double next = INFINITY;
    for (int i = 0; i < x->n; i++) {
        next = fmin(next, next_corner(&x->of[i], t));
        if (x->silent[i]) next = fmin(next, lm_expr_next_kink(x->expr[i], t));
    }
    return next;
}

double lm_timing_reach(const lm_timing *x, double t, const lm_expr **which)
{
    double most = INFINITY;
    for (int i = 0; i < x->n; i++) {
        double reach = lm_resolution_reach(&x->of[i], t, x->fine);
        if (!(reach < most)) continue;
        most = reach;
        if (which) *which = x->expr[i];
    }
    return most;
}
