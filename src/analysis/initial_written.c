/* Rates of coordinates that the user has written, where joints close loops: those given hold, the others are the
 * smallest that the joints allow (docs/theory/initial-state.md). */
#include "analysis/assemble.h"
#include "form/start.h"
#include "math/least.h"

#include <math.h>

#define FITS 1e-9 /* over the largest rate */

typedef struct written {
    lm_run *run;
    lm_system *sys;
    lm_arena arena;
    int n, nrows, *row; /* coordinates; constraints in force */
    int *pin;           /* [n] coordinates whose rate is given, those of `initial` first */
    double *rate;       /* [n] it */
    int npins;
    double L;
    double *v, *phi, *values; /* [nv] zeros, [nl], [pattern.nnz] */
    lm_least e;
} written;

static int is_pinned(const written *w, int i)
{
    for (int k = 0; k < w->npins; k++)
        if (w->pin[k] == i) return 1;
    return 0;
}

static void list_given(written *w)
{
    const lm_spec *spec = w->run->model->spec;
    for (int k = 0; k < w->sys->nl; k++) {
        int i = lm_system_row(w->sys, k)->initial;
        if (i < 0 || spec->initial.at[i].has_rate) w->row[w->nrows++] = k;
    }
    for (int k = 0; k < spec->initial.n; k++) {
        const lm_spec_initial *in = &spec->initial.at[k];
        if (in->coordinate < 0 || !in->has_rate || is_pinned(w, in->coordinate)) continue;
        w->rate[w->npins] = in->rate;
        w->pin[w->npins++] = in->coordinate;
    }
    for (int i = 0; i < w->n; i++) {
        if (!spec->coordinates.at[i].has_rate || is_pinned(w, i)) continue;
        w->rate[w->npins] = spec->coordinates.at[i].rate;
        w->pin[w->npins++] = i;
    }
}

static int reserve(written *w)
{
    const lm_system *sys = w->sys;
    lm_arena *a = &w->arena;
    w->row = LM_NEW_N(a, int, sys->nl + 1);
    w->pin = LM_NEW_N(a, int, w->n + 1);
    w->rate = LM_NEW_N(a, double, w->n + 1);
    w->v = LM_NEW_N(a, double, sys->nv + 1);
    w->phi = LM_NEW_N(a, double, sys->nl + 1);
    w->values = LM_NEW_N(a, double, sys->pattern.nnz + 1);
    if (!w->row || !w->pin || !w->rate || !w->v || !w->phi || !w->values) return -1;
    list_given(w);
    return lm_least_make(&w->e, a, w->n, w->nrows + w->npins);
}

static double unit(const written *w, int i) { return w->sys->angular[i] ? 1 : w->L; }

/* Rows of the joints in scaled rates, with all of them in force. 0, 1: they cannot be evaluated. */
static int fill(written *w, const lm_integrator *g)
{
    lm_system *sys = w->sys;
    lm_state s = {0, g->q, w->v, w->v, g->lam};
    memset(sys->active, 0, (size_t)sys->nl);
    for (int k = 0; k < w->nrows; k++) sys->active[w->row[k]] = 1;
    if (sys->form->jacobian(sys, &s, 0, 0, 0, w->values)) return 1;
    if (sys->form->constraint_rate(sys, &s, w->phi)) return 1;
    for (int k = 0; k < w->nrows; k++) {
        int r = sys->nv + w->row[k];
        double by = 1 / unit(w, r);
        w->e.phi[k] = by * w->phi[w->row[k]];
        for (int i = 0; i < w->n; i++) {
            int at = lm_pattern_find(&sys->pattern, r, i);
            lm_least_row(&w->e, k)[i] = at < 0 ? 0 : by * unit(w, i) * w->values[at];
        }
    }
    for (int k = 0; k < w->npins; k++) {
        lm_least_row(&w->e, w->nrows + k)[w->pin[k]] = 1;
        w->e.phi[w->nrows + k] = -w->rate[k] / unit(w, w->pin[k]);
    }
    for (int i = 0; i < w->n; i++) w->e.w[i] = !is_pinned(w, i);
    return 0;
}

/* A rate that the joints and those before it contradict. */
static limber_status contradicts(const written *w)
{
    const lm_spec *spec = w->run->model->spec;
    int k = w->e.misfitting - w->nrows;
    double most = 0;
    for (int i = 0; i < w->n; i++) most = fmax(most, fabs(w->e.x[i]));
    if (k < 0 || w->e.misfit <= FITS * most) return LIMBER_OK;
    const lm_spec_coordinate *c = &spec->coordinates.at[w->pin[k]];
    lm_error(w->run->diag, c->item.loc,
             "the initial rate of coordinate '%s' contradicts the joints and the other rates by "
             "%.6g; leave it out or correct it",
             c->item.name, w->e.misfit * unit(w, w->pin[k]));
    return LIMBER_INPUT;
}

static limber_status solve(written *w, lm_integrator *g)
{
    if (reserve(w)) return LIMBER_MEMORY;
    if (fill(w, g)) return LIMBER_OK; /* a message follows where that is a mistake */
    lm_least_solve(&w->e, w->e.m);
    limber_status st = contradicts(w);
    int bad = st ? 0 : lm_least_change(&w->e);
    for (int i = 0; i < w->n && !st && !bad; i++) g->v[i] = unit(w, i) * w->e.x[i];
    return bad < 0 ? LIMBER_MEMORY : st;
}

limber_status lm_written_rates(lm_run *run, lm_integrator *g)
{
    written w = {.run = run, .sys = run->sys, .n = run->model->spec->coordinates.n};
    w.L = lm_start_length(run->model);
    unsigned char *active = lm_arena_copy(&w.arena, run->sys->active, (size_t)run->sys->nl);
    limber_status st = active ? solve(&w, g) : LIMBER_MEMORY;
    if (active) memcpy(run->sys->active, active, (size_t)run->sys->nl);
    lm_arena_free(&w.arena);
    return st;
}
