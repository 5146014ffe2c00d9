/* Which entries the matrix of a machine at rest has: those of the mechanism, and where an effort that a
 * variable gives depends on an unknown that it reads, itself or through other variables. */
#include "analysis/statics_machine.h"

#include <stdlib.h>
#include <string.h>

/* Unknowns and equations of the machine are those of the mechanism (before the variables), the variables,
 * the multipliers. */
static int variable(const lm_rest *s, int unknown)
{
    int k = unknown - s->in->nv;
    return k >= 0 && k < s->n ? k : -1;
}

static int inner(const lm_rest *s, int unknown)
{
    return unknown < s->in->nv ? unknown : unknown - s->n;
}

/* ---- what each variable reads ---- */

typedef struct reading {
    int *start; /* [n + 1] */
    int *what;  /* unknowns of the machine, those of variable k from start[k] on */
    int *stack;
    int *seen; /* [n + unknowns] by whom last, + 1 */
} reading;

/* Equations x = f of values, and of states that are integrals of the motion: others are held. Rates
 * are zero unless it moves. */
static int follows(const lm_rest *s, int k)
{
    const lm_spec_variable *x = &s->sys.model->spec->variables.at[k];
    return x->kind == LM_VARIABLE_VALUE || (x->kind == LM_VARIABLE_RATE && s->moving) ||
           (x->kind == LM_VARIABLE_STATE && !lm_rest_holds(s, k));
}

static int read_rows(const lm_rest *s, lm_arena *temp, reading *to)
{
    const lm_pattern *p = &s->machine->pattern;
    int *fill = LM_NEW_N(temp, int, s->n + 1);
    to->start = LM_NEW_N(temp, int, s->n + 1);
    to->stack = LM_NEW_N(temp, int, s->n + 1);
    to->seen = LM_NEW_N(temp, int, p->n + 1);
    if (!fill || !to->start || !to->stack || !to->seen) return -1;
    for (int i = 0; i < p->nnz; i++) {
        int k = variable(s, p->rowind[i]);
        if (k >= 0) to->start[k + 1]++;
    }
    for (int k = 0; k < s->n; k++) to->start[k + 1] += to->start[k];
    to->what = LM_NEW_N(temp, int, to->start[s->n] + 1);
    if (!to->what) return -1;
    for (int c = 0; c < p->n; c++)
        for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++) {
            int k = variable(s, p->rowind[i]);
            if (k >= 0) to->what[to->start[k] + fill[k]++] = c;
        }
    return 0;
}

/* ---- couplings ---- */

typedef LM_VEC(rest_coupling) couplings;

/* The rows that variable k pushes, against the unknown `column`. */
static int couple(const lm_rest *s, int k, int column, lm_arena *temp, couplings *to)
{
    const lm_pattern *p = &s->machine->pattern;
    int own = s->in->nv + k;
    for (int e = p->colptr[own]; e < p->colptr[own + 1]; e++) {
        if (p->rowind[e] >= s->in->nv) break;
        rest_coupling *grown = lm_vec_grow(temp, to->at, to->n, &to->cap, sizeof *grown);
        if (!grown) return -1;
        to->at = grown;
        to->at[to->n++] =
            (rest_coupling){.column = column, .row = p->rowind[e], .variable = k, .from = e};
    }
    return 0;
}

static int pushes(const lm_rest *s, int k)
{
    const lm_pattern *p = &s->machine->pattern;
    int first = p->colptr[s->in->nv + k];
    return first < p->colptr[s->in->nv + k + 1] && p->rowind[first] < s->in->nv;
}

/* All that the value of k depends on, through other values too. */
static int couple_all(const lm_rest *s, int k, reading *x, lm_arena *temp, couplings *to)
{
    int depth = 0;
    x->stack[depth++] = k;
    x->seen[s->in->nv + k] = k + 1;
    while (depth > 0) {
        int j = x->stack[--depth];
        for (int i = x->start[j]; i < x->start[j + 1]; i++) {
            int c = x->what[i], other = variable(s, c);
            if (x->seen[c] == k + 1) continue;
            x->seen[c] = k + 1;
            if (other >= 0 && follows(s, other)) x->stack[depth++] = other;
            if (other < 0 && couple(s, k, c, temp, to)) return -1;
        }
    }
    return 0;
}

static int by_column(const void *a, const void *b)
{
    const rest_coupling *x = a, *y = b;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static int find_couplings(lm_rest *s, lm_arena *temp)
{
    reading x;
    couplings list = {0};
    if (read_rows(s, temp, &x)) return -1;
    for (int k = 0; k < s->n; k++)
        if (follows(s, k) && pushes(s, k) && couple_all(s, k, &x, temp, &list)) return -1;
    s->ncouplings = list.n;
    s->coupling = lm_arena_copy(&s->arena, list.at, sizeof *list.at * (size_t)list.n);
    if (!s->coupling && list.n) return -1;
    if (list.n) qsort(s->coupling, (size_t)list.n, sizeof *s->coupling, by_column);
    return 0;
}

/* ---- patterns ---- */

static int make_pattern(lm_rest *s, lm_arena *temp)
{
    const lm_pattern *p = &s->machine->pattern;
    lm_pattern_builder pb = {.arena = temp};
    for (int c = 0; c < p->n; c++)
        for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++)
            if (variable(s, c) < 0 && variable(s, p->rowind[i]) < 0)
                lm_pattern_add(&pb, inner(s, p->rowind[i]), inner(s, c));
    for (int i = 0; i < s->ncouplings; i++)
        lm_pattern_add(&pb, s->coupling[i].row, inner(s, s->coupling[i].column));
    if (lm_pattern_make(&pb, &s->arena, s->sys.nv + s->sys.nl, &s->sys.pattern)) return -1;
    s->place = LM_NEW_N(&s->arena, int, p->nnz + 1);
    if (!s->place) return -1;
    for (int c = 0; c < p->n; c++)
        for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++) {
            int own = variable(s, c) >= 0 || variable(s, p->rowind[i]) >= 0;
            s->place[i] =
                own ? -1 : lm_pattern_find(&s->sys.pattern, inner(s, p->rowind[i]), inner(s, c));
        }
    for (int i = 0; i < s->ncouplings; i++)
        s->coupling[i].to =
            lm_pattern_find(&s->sys.pattern, s->coupling[i].row, inner(s, s->coupling[i].column));
    return 0;
}

/* F_x. */
static int make_block(lm_rest *s, lm_arena *temp)
{
    const lm_pattern *p = &s->machine->pattern;
    lm_pattern_builder pb = {.arena = temp};
    int nv = s->in->nv;
    for (int k = 0; k < s->n; k++)
        for (int i = p->colptr[nv + k]; i < p->colptr[nv + k + 1]; i++)
            if (variable(s, p->rowind[i]) >= 0) lm_pattern_add(&pb, p->rowind[i] - nv, k);
    if (lm_pattern_make(&pb, &s->arena, s->n, &s->block)) return -1;
    s->block_from = LM_NEW_N(&s->arena, int, s->block.nnz + 1);
    if (!s->block_from) return -1;
    for (int k = 0; k < s->n; k++)
        for (int i = s->block.colptr[k]; i < s->block.colptr[k + 1]; i++)
            s->block_from[i] = lm_pattern_find(p, nv + s->block.rowind[i], nv + k);
    s->lin = lm_linear_create(&s->block, NULL);
    return s->lin ? 0 : -1;
}

int lm_rest_build(lm_rest *s)
{
    lm_arena temp = {0};
    int bad = find_couplings(s, &temp) || make_pattern(s, &temp) || make_block(s, &temp);
    lm_arena_free(&temp);
    return bad ? -1 : 0;
}
