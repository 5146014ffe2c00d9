#include "analysis/statics_machine.h"

#include "form/machine.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 30 };
#define CONVERGED 1e-13 /* change of a variable over its largest value */
#define FLOOR     1e-9  /* change at which one that shrinks no more is rounding */

/* ---- variables ---- */

/* The machine's view of a state, with the variables as they are now. */
static lm_state view(lm_rest *s, const lm_state *st)
{
    memcpy(s->q, st->q, sizeof(double) * (size_t)s->in->nq);
    memcpy(s->q + s->in->nq, s->x, sizeof(double) * (size_t)s->n);
    s->machine->load_factor = s->sys.load_factor;
    s->machine->start_loads = s->sys.start_loads;
    s->machine->softness = s->sys.softness;
    return (lm_state){st->t, s->q, s->held, s->a, st->lam};
}

static int factor(lm_rest *s, double cK)
{
    double *to = lm_linear_values(s->lin);
    for (int i = 0; i < s->block.nnz; i++) to[i] = s->values[s->block_from[i]];
    s->scale = cK;
    if (lm_linear_factor(s->lin) == 0) return 0;
    s->scale = 0;
    return 1;
}

/* The correction of x for the residual in s->r, into s->z; its size. */
static double correction(lm_rest *s)
{
    double size = 0;
    for (int k = 0; k < s->n; k++) s->z[k] = -s->scale * s->r[s->in->nv + k];
    lm_linear_solve(s->lin, s->z);
    for (int k = 0; k < s->n; k++) {
        s->most[k] = fmax(s->most[k], fmax(fabs(s->x[k]), fabs(s->x[k] + s->z[k])));
        double part = s->most[k] > 0 ? fabs(s->z[k]) / s->most[k] : 0;
        if (!(part <= size)) size = part; /* keeps NaN */
    }
    return size;
}

/* Newton's method for F = 0, with old factors as long as they serve; the residual at the solution is left
 * in s->r, and phi as `residual` gives it. */
static int solve(lm_rest *s, const lm_state *st, double *phi, double *rate)
{
    lm_system *m = s->machine;
    double last = INFINITY;
    for (int it = 0; it < ITERATIONS; it++) {
        lm_state at = view(s, st);
        if (m->form->residual(m, &at, s->r, phi, rate)) return 1;
        if (s->scale == 0 && (m->form->jacobian(m, &at, 0, 0, 1, s->values) || factor(s, 1)))
            return 1;
        double size = correction(s);
        if (!isfinite(size)) return 1;
        if (size <= CONVERGED || (size < FLOOR && size > 0.5 * last)) return 0;
        for (int k = 0; k < s->n; k++) s->x[k] += s->z[k];
        if (size > 0.01 * last) s->scale = 0;
        last = size;
    }
    return 1;
}

static int settle(lm_rest *s, const lm_state *st, double *phi, double *rate)
{
    size_t bytes = sizeof(double) * (size_t)s->n;
    s->machine->steady = 1;
    s->unsolved = solve(s, st, phi, rate);
    s->machine->steady = 0;
    if (s->unsolved) {
        memcpy(s->x, s->good, bytes);
        s->scale = 0;
        return 1;
    }
    memcpy(s->good, s->x, bytes);
    return 0;
}

int lm_rest_holds(const lm_rest *s, int k)
{
    const lm_spec_variable *x = &s->sys.model->spec->variables.at[k];
    return x->kind == LM_VARIABLE_STATE && x->follows_motion != LM_FOLLOWS_INTEGRAL;
}

void lm_rest_track(lm_rest *s, const lm_state *st)
{
    lm_state at = view(s, st);
    lm_machine_track(s->machine, &at);
}

int lm_rest_state(lm_rest *s, const lm_state *st, lm_state *machine)
{
    int nv = s->in->nv;
    if (settle(s, st, NULL, NULL)) return 1;
    *machine = view(s, st);
    for (int k = 0; k < s->n; k++) {
        int state = s->sys.model->spec->variables.at[k].kind == LM_VARIABLE_STATE;
        s->a[nv + k] = state ? 0 : s->x[k];
        if (state && !lm_rest_holds(s, k)) s->held[nv + k] = s->x[k];
    }
    return 0;
}

/* ---- the equations ---- */

static int residual(lm_system *sys, const lm_state *st, double *r, double *phi, double *rate)
{
    lm_rest *s = (lm_rest *)sys;
    if (settle(s, st, phi, rate)) return 1;
    memcpy(r, s->r, sizeof(double) * (size_t)sys->nv);
    return 0;
}

/* -r_x F_x^-1 F_q, a column at a time. */
static void add_couplings(lm_rest *s, double *to)
{
    const lm_pattern *p = &s->machine->pattern;
    int nv = s->in->nv;
    for (int i = 0; i < s->ncouplings;) {
        int column = s->coupling[i].column;
        memset(s->z, 0, sizeof(double) * (size_t)s->n);
        for (int e = p->colptr[column]; e < p->colptr[column + 1]; e++) {
            int k = p->rowind[e] - nv;
            if (k >= 0 && k < s->n) s->z[k] = s->values[e];
        }
        lm_linear_solve(s->lin, s->z);
        for (; i < s->ncouplings && s->coupling[i].column == column; i++) {
            const rest_coupling *c = &s->coupling[i];
            to[c->to] -= s->values[c->from] * s->z[c->variable];
        }
    }
}

static int jacobian(lm_system *sys, const lm_state *st, double cM, double cD, double cK, double *to)
{
    lm_rest *s = (lm_rest *)sys;
    lm_system *m = s->machine;
    (void)cM;
    (void)cD; /* nothing moves */
    if (settle(s, st, NULL, NULL)) return 1;
    lm_state at = view(s, st);
    m->steady = 1;
    int bad = m->form->jacobian(m, &at, 0, 0, cK, s->values);
    m->steady = 0;
    if (bad || factor(s, cK)) return 1;
    memset(to, 0, sizeof(double) * (size_t)sys->pattern.nnz);
    for (int i = 0; i < m->pattern.nnz; i++)
        if (s->place[i] >= 0) to[s->place[i]] = s->values[i];
    add_couplings(s, to);
    return 0;
}

/* ---- what the mechanism knows itself ---- */

static int retract(lm_system *sys, const double *q0, const double *dx, double *q1)
{
    lm_system *in = ((lm_rest *)sys)->in;
    return in->form->retract(in, q0, dx, q1);
}

static int select_rows(lm_system *sys, double t, const double *q, int assembling)
{
    lm_system *in = ((lm_rest *)sys)->in;
    return in->form->select_rows(in, t, q, assembling);
}

static double hidden_violation(lm_system *sys, double t, const double *q, int *row)
{
    lm_system *in = ((lm_rest *)sys)->in;
    return in->form->hidden_violation(in, t, q, row);
}

static void poses(lm_system *sys, const double *q, double *pose)
{
    lm_system *in = ((lm_rest *)sys)->in;
    in->form->poses(in, q, pose);
}

static void describe(const lm_system *sys, int i, char *text, size_t size)
{
    const lm_system *in = ((const lm_rest *)sys)->in;
    in->form->describe(in, i, text, size);
}

static void describe_motion(const lm_system *sys, int i, char *text, size_t size)
{
    const lm_system *in = ((const lm_rest *)sys)->in;
    in->form->describe_motion(in, i, text, size);
}

/* ---- making ---- */

static int reserve(lm_rest *s)
{
    size_t nq = (size_t)s->machine->nq, nv = (size_t)s->machine->nv, n = (size_t)s->n;
    double *at = LM_NEW_N(&s->arena, double,
                          nq + 4 * nv + (size_t)s->machine->nl + 4 * n +
                              (size_t)s->machine->pattern.nnz + 1);
    if (!at) return -1;
    s->q = at, s->a = s->q + nq, s->held = s->a + nv, s->r = s->held + nv;
    s->x = s->r + nv + (size_t)s->machine->nl, s->good = s->x + n, s->most = s->good + n;
    s->z = s->most + n, s->values = s->z + n;
    return 0;
}

lm_rest *lm_rest_create(lm_system *machine, const double *v, int moving)
{
    lm_arena arena = {0};
    lm_rest *s = LM_NEW(&arena, lm_rest);
    if (!s) return NULL;
    lm_state none = {0, NULL, NULL, NULL, NULL};
    *s = (lm_rest){.arena = arena, .machine = machine, .n = machine->nvariables, .moving = moving};
    s->in = lm_machine_hold(machine, &none);
    s->sys = *s->in;
    s->sys.form = &s->form;
    s->sys.groups = (lm_groups){0};
    s->form = (lm_form){.name = s->in->form->name,
                        .residual = residual,
                        .jacobian = jacobian,
                        .retract = retract,
                        .select_rows = select_rows,
                        .hidden_violation = hidden_violation,
                        .poses = poses,
                        .describe = describe,
                        .describe_motion = describe_motion};
    if (reserve(s) || lm_rest_build(s)) {
        lm_rest_destroy(s);
        return NULL;
    }
    for (int k = 0; k < s->n; k++) {
        const lm_spec_variable *x = &machine->model->spec->variables.at[k];
        s->held[s->in->nv + k] = v[s->in->nv + k];
        s->x[k] = s->good[k] = x->kind == LM_VARIABLE_VALUE   ? x->initial
                               : x->kind == LM_VARIABLE_STATE ? v[s->in->nv + k]
                                                              : 0;
    }
    return s;
}

void lm_rest_destroy(lm_rest *s)
{
    if (!s) return;
    lm_linear_destroy(s->lin);
    lm_arena arena = s->arena;
    lm_arena_free(&arena);
}
