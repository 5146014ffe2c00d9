/* Do the equations of the power graph determine its unknowns?
 *
 * Unknown are the values, the rates, and x' of each state. Sets of them that depend on each other
 * must have a regular matrix of derivatives; when it is singular wherever one looks, the equations
 * contradict each other or leave something open. Only cancellation can make them so: causality has
 * given every unknown its equation. */
#include "model/power.h"

#include <math.h>
#include <string.h>

enum { PLACES = 6, LARGEST = 300, NAMED = 6 };
#define TINY 1e-12 /* a pivot that is only rounding */

typedef struct check {
    lm_reader *r;
    lm_spec *s;
    int first;
    int *low, *number; /* [variables] Tarjan's, 0: not seen */
    int *stack, nstack, count;
    int *path, *edge; /* [variables] the way to where we are, and the input looked at next */
    int *member;      /* [variables] place in the component, -1: not in it */
    double *slots;
} check;

/* Of the rate of an expression the derivatives go to x' of states; otherwise to values and rates. */
static int unknown(const check *c, int variable, int slot)
{
    if (slot < 1 || slot > c->s->sensors.n) return -1;
    const lm_spec_sensor *q = &c->s->sensors.at[slot - 1];
    if (q->kind == LM_SENSOR_VARIABLE_RATE) return q->variable;
    if (q->kind != LM_SENSOR_VARIABLE) return -1;
    int state = c->s->variables.at[q->variable].kind == LM_VARIABLE_STATE;
    return state == (c->s->variables.at[variable].kind == LM_VARIABLE_RATE) ? q->variable : -1;
}

/* --- the matrix of a component --- */

/* Columns scaled to 1, so that farads are not taken for nothing. */
static void scale_columns(double *a, int n)
{
    for (int j = 0; j < n; j++) {
        double big = 0;
        for (int i = 0; i < n; i++) big = fmax(big, fabs(a[i * n + j]));
        for (int i = 0; big > 0 && i < n; i++) a[i * n + j] /= big;
    }
}

static void swap_rows(double *a, int n, int k, int p)
{
    for (int j = 0; k != p && j < n; j++) {
        double t = a[k * n + j];
        a[k * n + j] = a[p * n + j];
        a[p * n + j] = t;
    }
}

static void swap_columns(double *a, int n, int k, int p)
{
    for (int i = 0; k != p && i < n; i++) {
        double t = a[i * n + k];
        a[i * n + k] = a[i * n + p];
        a[i * n + p] = t;
    }
}

/* By elimination with full pivoting. */
static int is_singular(double *a, int n)
{
    scale_columns(a, n);
    for (int k = 0; k < n; k++) {
        int row = k, column = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(a[i * n + j]) > fabs(a[row * n + column])) row = i, column = j;
        if (fabs(a[row * n + column]) < TINY) return 1;
        swap_rows(a, n, k, row);
        swap_columns(a, n, k, column);
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (int j = k; f != 0 && j < n; j++) a[i * n + j] -= f * a[k * n + j];
        }
    }
    return 0;
}

/* Row of variable v: its unknown minus its equation, scaled to 1. 0; 1: not a finite number. */
static int fill_row(const check *c, int v, int n, double *row)
{
    lm_reader *r = c->r;
    const lm_expr *e = &c->s->variables.at[v].expr;
    memset(row, 0, sizeof *row * (size_t)n);
    row[c->member[v]] = 1;
    if (e->constant) return 0;
    double *grad = LM_NEW_N(&r->scratch, double, (size_t)e->ninputs + 1), big = 0;
    double *scratch = LM_NEW_N(&r->scratch, double, (size_t)lm_expr_scratch(e, 1) + 1);
    lm_expr_grad(e, c->slots, scratch, grad);
    for (int i = 0; i < e->ninputs; i++) {
        int k = unknown(c, v, e->inputs[i]);
        if (!isfinite(grad[i])) return 1;
        if (k >= 0 && c->member[k] >= 0) row[c->member[k]] -= grad[i];
    }
    for (int j = 0; j < n; j++) big = fmax(big, fabs(row[j]));
    for (int j = 0; big > 0 && j < n; j++) row[j] /= big;
    return 0;
}

/* A number between -2 and 2, always the same ones. */
static double arbitrary(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return 4.0 * (double)(*seed >> 8) / 16777216.0 - 2;
}

static int regular_somewhere(check *c, const int *part, int n)
{
    double *a = LM_NEW_N(&c->r->scratch, double, (size_t)n *(size_t)n);
    /* a valve opens at 1e7, a diode at 1 */
    static const double size[] = {1, 1, 1, 1e-3, 1e-6, 1e3, 1e6, 1e7, 1e8, 1e9};
    enum { SIZES = sizeof size / sizeof size[0] };
    unsigned seed = 1;
    for (int place = 0; place < PLACES * SIZES; place++) {
        int bad = 0;
        for (int i = 0; i <= c->s->sensors.n; i++)
            c->slots[i] = size[place % SIZES] * arbitrary(&seed);
        for (int i = 0; i < n; i++) bad |= fill_row(c, part[i], n, a + i * n);
        if (bad || !is_singular(a, n)) return 1;
    }
    return 0;
}

static int report(const check *c, const int *part, int n)
{
    lm_reader *r = c->r;
    const char *text = "";
    int loc = part[0];
    for (int i = 0; i < n && i < NAMED; i++)
        text = lm_arena_printf(&r->scratch, "%s%s'%s'", text, i ? ", " : "",
                               c->s->variables.at[part[i]].name);
    lm_error(r->diag, c->s->variables.at[loc].loc,
             "the equations of the power graph do not determine %s%s: a loop of bonds, TF and GY "
             "closes without an R, C or I in it; remove a bond that is there twice, or put one of "
             "them into the loop",
             text, n > NAMED ? " ..." : "");
    return -1;
}

static int check_part(check *c, const int *part, int n)
{
    int ours = 0;
    for (int i = 0; i < n; i++) ours |= part[i] >= c->first;
    if (!ours || n > LARGEST) return 0;
    for (int i = 0; i < n; i++) c->member[part[i]] = i;
    int rc = regular_somewhere(c, part, n) ? 0 : report(c, part, n);
    for (int i = 0; i < n; i++) c->member[part[i]] = -1;
    return rc;
}

/* --- components of variables that depend on each other (Tarjan) --- */

static void visit(check *c, int v)
{
    c->low[v] = c->number[v] = ++c->count;
    c->stack[c->nstack++] = v;
    c->edge[v] = 0;
}

/* The next variable that v depends on, -1: no more. */
static int next_edge(check *c, int v)
{
    const lm_expr *e = &c->s->variables.at[v].expr;
    while (c->edge[v] < e->ninputs) {
        int k = unknown(c, v, e->inputs[c->edge[v]++]);
        if (k >= 0) return k;
    }
    return -1;
}

static int finish_part(check *c, int v)
{
    int n = 0, top = c->nstack;
    do {
        n++;
        c->number[c->stack[--top]] += 1 << 30; /* done: no longer on the stack */
    } while (c->stack[top] != v);
    c->nstack = top;
    return check_part(c, c->stack + top, n);
}

static int walk(check *c, int root)
{
    int depth = 0, rc = 0;
    visit(c, root);
    c->path[0] = root;
    while (depth >= 0) {
        int v = c->path[depth], k = next_edge(c, v);
        if (k >= 0 && !c->number[k]) {
            visit(c, k);
            c->path[++depth] = k;
        } else if (k >= 0) {
            if (c->number[k] < c->low[v]) c->low[v] = c->number[k];
        } else {
            if (c->low[v] == c->number[v] && finish_part(c, v)) rc = -1;
            if (depth-- && c->low[v] < c->low[c->path[depth]]) c->low[c->path[depth]] = c->low[v];
        }
    }
    return rc;
}

int lm_power_check(lm_reader *r, int first)
{
    lm_spec *s = r->spec;
    size_t n = (size_t)s->variables.n;
    check c = {.r = r, .s = s, .first = first};
    int *memory = LM_NEW_N(r->arena, int, 6 * n + 6);
    c.low = memory;
    c.number = memory + n;
    c.stack = memory + 2 * n;
    c.path = memory + 3 * n;
    c.edge = memory + 4 * n;
    c.member = memory + 5 * n;
    c.slots = LM_NEW_N(r->arena, double, (size_t)s->sensors.n + 1);
    for (size_t i = 0; i < n; i++) c.member[i] = -1;
    int rc = 0;
    for (int v = 0; v < s->variables.n; v++)
        if (!c.number[v] && walk(&c, v)) rc = -1;
    return rc;
}
