/* Changes of guards that come and go between two places of a step (docs/theory/events.md). */
#include "analysis/events.h"
#include "expr/expr_between.h"

#include <math.h>

enum {
    DEEP = 48,  /* halvings of the interval between two places */
    LOOKS = 400 /* places looked at in a step */
};

/* Where an interval is divided: not in its middle, where guards of round numbers are zero, which says nothing. */
#define ASIDE 0.4871

typedef struct guarded {
    lm_between between;
    int first; /* number of its first guard */
} guarded;

struct lm_event_search {
    lm_arena arena;
    int n, nslots;
    guarded *of;
    int nplaces, left;
    double *t;             /* [LM_EVENT_PLACES] */
    double *at;            /* [LM_EVENT_PLACES][nslots] slots there */
    double *middle;        /* [DEEP][nslots] */
    double *bend;          /* [nslots] */
    double *sign, *behind; /* [guards] sign at the first place at which it is not zero; values */
    unsigned char *skip;   /* [guards] */
    double tol;
};

static int count(const lm_system *sys, int *first)
{
    int n = 0;
    while (sys->form->ports->guarded(sys, n, first)) n++;
    return n;
}

static int make(lm_event_search *s, const lm_system *sys, int nguards)
{
    int first, n = count(sys, &first);
    s->of = LM_NEW_N(&s->arena, guarded, n + 1);
    if (!s->of) return -1;
    for (; s->n < n; s->n++) {
        guarded *g = &s->of[s->n];
        const lm_expr *e = sys->form->ports->guarded(sys, s->n, &g->first);
        if (lm_between_make(&s->arena, e, &g->between)) return -1;
        if (g->between.nslots > s->nslots) s->nslots = g->between.nslots;
    }
    int m = s->nslots + 1;
    s->t = LM_NEW_N(&s->arena, double, LM_EVENT_PLACES);
    s->at = LM_NEW_N(&s->arena, double, LM_EVENT_PLACES *m);
    s->middle = LM_NEW_N(&s->arena, double, (DEEP + 1) * m);
    s->bend = LM_NEW_N(&s->arena, double, m);
    s->sign = LM_NEW_N(&s->arena, double, 2 * nguards);
    s->skip = LM_NEW_N(&s->arena, unsigned char, nguards);
    s->behind = s->sign ? s->sign + nguards : NULL;
    return s->t && s->at && s->middle && s->bend && s->sign && s->skip ? 0 : -1;
}

int lm_event_search_open(lm_dynamics_run *d)
{
    lm_arena arena = {0};
    lm_event_search *s = LM_NEW(&arena, lm_event_search);
    if (!s) return -1;
    s->arena = arena;
    d->events->search = s;
    return make(s, d->g->sys, d->events->n);
}

void lm_event_search_close(lm_event_search *s)
{
    if (!s) return;
    lm_arena arena = s->arena;
    lm_arena_free(&arena);
}

static void take_slots(const lm_dynamics_run *d, double *to)
{
    const lm_system *sys = d->g->sys;
    lm_copy(to, sys->form->ports->slots(sys), d->events->search->nslots);
}

void lm_event_search_note(lm_dynamics_run *d, int k, double t)
{
    lm_event_search *s = d->events->search;
    s->nplaces = k + 1;
    s->t[k] = t;
    take_slots(d, s->at + k * s->nslots);
}

static int is_open(lm_event_search *s, const double *from, const double *to)
{
    for (int k = 0; k < s->n; k++)
        if (lm_between_open(&s->of[k].between, from, to, s->bend, s->skip + s->of[k].first))
            return 1;
    return 0;
}

/* Second differences at b, nearly. */
static void bend_at(lm_event_search *s, const double *a, const double *b, const double *c)
{
    for (int i = 0; i < s->nslots; i++) s->bend[i] = a[i] - 2 * b[i] + c[i];
}

static int changed(lm_event_search *s, int n)
{
    for (int i = 0; i < n; i++) {
        double sign = s->behind[i] > 0 ? 1 : s->behind[i] < 0 ? -1 : 0;
        if (!s->skip[i] && s->sign[i] * sign < 0) return 1;
        if (s->sign[i] == 0) s->sign[i] = sign;
    }
    return 0;
}

/* The first place behind a change between ta and tb, which have the slots a and b and the bend s->bend; INFINITY:
 * there is none. */
static double look(lm_dynamics_run *d, double ta, const double *a, double tb, const double *b,
                   int level)
{
    lm_event_search *s = d->events->search;
    double *m = s->middle + level * s->nslots, t = ta + ASIDE * (tb - ta);
    if (level == DEEP || tb - ta <= s->tol || !is_open(s, a, b) || s->left-- <= 0) return INFINITY;
    if (lm_events_guards(d, t, s->behind)) return INFINITY;
    if (changed(s, d->events->n)) return t;
    take_slots(d, m);
    bend_at(s, a, m, b);
    double first = look(d, ta, a, t, m, level + 1);
    if (first < INFINITY) return first;
    bend_at(s, a, m, b);
    return look(d, t, m, tb, b, level + 1);
}

void lm_event_search_start(const lm_dynamics_run *d, double *out)
{
    const lm_events *x = d->events;
    for (int i = 0; i < x->n; i++)
        out[i] = x->start[i] != 0 ? x->start[i] : 1e-300 * x->search->sign[i];
}

double lm_event_search_first(lm_dynamics_run *d, double until, double tol)
{
    lm_event_search *s = d->events->search;
    int n = s->nslots, last = s->nplaces - 1;
    s->left = LOOKS;
    s->tol = tol;
    for (int i = 0; i < d->events->n; i++) {
        double at = d->events->start[i];
        s->sign[i] = at > 0 ? 1 : at < 0 ? -1 : 0;
        s->skip[i] = d->events->of[i].mute > 0;
    }
    for (int k = 0; k < last && s->t[k] < until && last > 1; k++) {
        const double *a = s->at + k * n, *b = a + n;
        int middle = k + 1 < last ? k + 1 : k;
        const double *at = s->at + middle * n;
        bend_at(s, at - n, at, at + n);
        double first = look(d, s->t[k], a, s->t[k + 1], b, 0);
        if (first < until) return first;
    }
    return INFINITY;
}
