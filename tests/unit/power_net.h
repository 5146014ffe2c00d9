/* The variables of a power graph solved without a mechanism: unknowns are values, rates and x' of the
 * states; Newton's method with the exact derivatives of the expressions, and Runge-Kutta steps. What
 * the mechanism would say (sensors) the test sets. */
#ifndef POWER_NET_H
#define POWER_NET_H

#include "test_reader_env.h"

enum { NET_MOST = 80 };

typedef struct net {
    model m;
    const lm_spec *s;
    int n;
    double x[NET_MOST];    /* value of each variable */
    double rate[NET_MOST]; /* x' of states */
    double slot[NET_MOST * 4], slot_rate[NET_MOST * 4];
    double t;
} net;

static inline double *net_slot(net *w, lm_sensor_kind kind, int component)
{
    for (int i = 0; i < w->s->sensors.n; i++)
        if (w->s->sensors.at[i].kind == kind && w->s->sensors.at[i].component == component)
            return &w->slot[1 + i];
    fail_msg("no such sensor");
    return NULL;
}

static inline void net_fill(net *w)
{
    w->slot[0] = w->t;
    w->slot_rate[0] = 1;
    for (int i = 0; i < w->s->sensors.n; i++) {
        const lm_spec_sensor *q = &w->s->sensors.at[i];
        if (q->kind == LM_SENSOR_VARIABLE) {
            w->slot[1 + i] = w->x[q->variable];
            w->slot_rate[1 + i] = w->rate[q->variable];
        }
        if (q->kind == LM_SENSOR_VARIABLE_RATE) w->slot[1 + i] = w->rate[q->variable];
    }
}

/* Residual of variable v and its derivatives by the unknowns. */
static inline double net_row(net *w, int v, double *row)
{
    static double scratch[100000], grad[NET_MOST * 4];
    const lm_spec_variable *k = &w->s->variables.at[v];
    const lm_expr *e = &k->expr;
    memset(row, 0, sizeof *row * (size_t)w->n);
    row[v] = 1;
    double own = k->kind == LM_VARIABLE_STATE ? w->rate[v] : w->x[v];
    if (e->constant) return k->kind == LM_VARIABLE_RATE ? own : own - e->value;
    assert_true(lm_expr_scratch(e, 1) < 100000);
    double value = lm_expr_grad(e, w->slot, scratch, grad), change = 0;
    for (int i = 0; i < e->ninputs; i++) {
        int slot = e->inputs[i];
        const lm_spec_sensor *q = slot ? &w->s->sensors.at[slot - 1] : NULL;
        int var = q && q->kind == LM_SENSOR_VARIABLE ? q->variable : -1;
        int is_state = var >= 0 && w->s->variables.at[var].kind == LM_VARIABLE_STATE;
        change += grad[i] * w->slot_rate[slot];
        if (k->kind == LM_VARIABLE_RATE) assert_true(var < 0 || is_state);
        if (var >= 0 && is_state == (k->kind == LM_VARIABLE_RATE)) row[var] -= grad[i];
    }
    return own - (k->kind == LM_VARIABLE_RATE ? change : value);
}

static inline void net_eliminate(double *a, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
        assert_true(a[p * n + k] != 0);
        for (int j = 0; j < n; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = t;
        }
        double t = b[k];
        b[k] = b[p];
        b[p] = t;
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

/* All unknowns at w->t and the states of w->x. */
static inline void net_solve(net *w)
{
    static double a[NET_MOST * NET_MOST], b[NET_MOST];
    double last = 0;
    for (int it = 0; it < 60; it++) {
        last = 0;
        net_fill(w);
        for (int v = 0; v < w->n; v++) b[v] = net_row(w, v, a + v * w->n);
        net_eliminate(a, b, w->n);
        for (int v = 0; v < w->n; v++) {
            int state = w->s->variables.at[v].kind == LM_VARIABLE_STATE;
            double *u = state ? &w->rate[v] : &w->x[v];
            *u -= b[v];
            last = fmax(last, fabs(b[v]) / (1 + fabs(*u)));
        }
        if (last < 1e-14) break;
    }
    assert_true(last < 1e-10);
    net_fill(w);
}

static inline void net_open(net *w, const char *text)
{
    memset(w, 0, sizeof *w);
    model_read(&w->m, text);
    w->s = w->m.spec;
    w->n = w->s->variables.n;
    assert_true(w->n <= NET_MOST && w->s->sensors.n < 4 * NET_MOST - 1);
    for (int v = 0; v < w->n; v++) w->x[v] = w->s->variables.at[v].initial;
    net_solve(w);
}

static inline void net_close(net *w) { model_close(&w->m); }

static inline int net_is_state(const net *w, int v)
{
    return w->s->variables.at[v].kind == LM_VARIABLE_STATE;
}

/* One step of the classical Runge-Kutta method. */
static inline void net_step(net *w, double h)
{
    double x0[NET_MOST], sum[NET_MOST] = {0}, t0 = w->t;
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    memcpy(x0, w->x, sizeof x0);
    for (int k = 0; k < 4; k++) {
        w->t = t0 + at[k] * h;
        for (int v = 0; v < w->n; v++)
            if (net_is_state(w, v)) w->x[v] = x0[v] + at[k] * h * (k ? w->rate[v] : 0);
        net_solve(w);
        for (int v = 0; v < w->n; v++) sum[v] += weight[k] * w->rate[v] / 6;
    }
    w->t = t0 + h;
    for (int v = 0; v < w->n; v++)
        if (net_is_state(w, v)) w->x[v] = x0[v] + h * sum[v];
    net_solve(w);
}

static inline void net_run(net *w, double until, int steps)
{
    double h = (until - w->t) / steps;
    for (int i = 0; i < steps; i++) net_step(w, h);
}

static inline double net_eval(net *w, const lm_expr *e)
{
    static double scratch[100000];
    return e->constant ? e->value : lm_expr_eval(e, w->slot, scratch);
}

static inline const lm_spec_element *net_element(const net *w, const char *name)
{
    return &w->s->elements.at[FIND(w->s->elements, name)];
}
static inline double net_effort(net *w, const char *name)
{
    return net_eval(w, &net_element(w, name)->effort[0]);
}
static inline double net_flow(net *w, const char *name)
{
    return net_eval(w, &net_element(w, name)->flow[0]);
}
static inline double net_output(net *w, const char *name)
{
    return net_eval(w, &w->s->outputs.at[FIND(w->s->outputs, name)].expr);
}

/* The causal stroke of the bond of a one-port (or bond `k` of a TF, GY) is at the element: 1. */
static inline int net_stroke_at(const net *w, const char *name, int k)
{
    int i = FIND(w->s->elements, name);
    const lm_spec_bond *b = &w->s->bonds.at[w->s->elements.at[i].bond[k]];
    return (b->to == i) == b->stroke;
}

static inline int net_count(const net *w, lm_variable_kind kind)
{
    int n = 0;
    for (int v = 0; v < w->n; v++) n += w->s->variables.at[v].kind == kind;
    return n;
}

#endif
