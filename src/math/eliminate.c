#include "math/eliminate.h"

#include <math.h>
#include <string.h>

typedef struct kept_row {
    int pivot, n;
    size_t first; /* its entries are col[first .. first + n), val[...] */
} kept_row;

struct lm_eliminator {
    int cols, nrows;
    double *work;     /* [cols] the row that is being written or reduced; zero outside `support` */
    int *support;     /* [cols] its columns */
    char *in;         /* [cols] 1: in `support` */
    int *row_of;      /* [cols] kept row with that pivot, -1 */
    int *heap, nheap; /* [cols] kept rows that still have to be subtracted, the oldest first */
    int nsupport;
    kept_row *rows;
    size_t used, room; /* entries of all kept rows */
    int *col;
    double *val;
};

lm_eliminator *lm_eliminate_make(lm_arena *arena, int cols, int rows, size_t entries)
{
    lm_eliminator *e = LM_NEW(arena, lm_eliminator);
    if (!e) return NULL;
    e->cols = cols;
    e->room = entries;
    e->work = LM_NEW_N(arena, double, cols);
    e->support = LM_NEW_N(arena, int, cols);
    e->in = LM_NEW_N(arena, char, cols);
    e->row_of = LM_NEW_N(arena, int, cols);
    e->heap = LM_NEW_N(arena, int, cols);
    e->rows = LM_NEW_N(arena, kept_row, rows);
    e->col = LM_NEW_N(arena, int, entries);
    e->val = LM_NEW_N(arena, double, entries);
    if (!e->work || !e->support || !e->in || !e->row_of || !e->heap || !e->rows || !e->col ||
        !e->val)
        return NULL;
    lm_eliminate_begin(e);
    return e;
}

int lm_eliminate_reserve(lm_eliminator *e, lm_arena *arena, size_t more)
{
    if (more <= e->room - e->used) return 0;
    size_t room = e->used + more > 2 * e->room ? e->used + more : 2 * e->room;
    int *col = LM_NEW_N(arena, int, room);
    double *val = LM_NEW_N(arena, double, room);
    if (!col || !val) return -1;
    memcpy(col, e->col, sizeof *col * e->used);
    memcpy(val, e->val, sizeof *val * e->used);
    e->col = col;
    e->val = val;
    e->room = room;
    return 0;
}

void lm_eliminate_begin(lm_eliminator *e)
{
    e->nrows = 0;
    e->used = 0;
    for (int i = 0; i < e->cols; i++) e->row_of[i] = -1;
}

int lm_eliminate_rank(const lm_eliminator *e) { return e->nrows; }
size_t lm_eliminate_used(const lm_eliminator *e) { return e->used; }

/* ---- the rows to subtract: each enters once, when its pivot's column is first touched ---- */

static void heap_push(lm_eliminator *e, int r)
{
    int i = e->nheap++;
    for (; i > 0 && e->heap[(i - 1) / 2] > r; i = (i - 1) / 2) e->heap[i] = e->heap[(i - 1) / 2];
    e->heap[i] = r;
}

static int heap_pop(lm_eliminator *e)
{
    int top = e->heap[0], last = e->heap[--e->nheap], i = 0;
    for (int c = 1; c < e->nheap; c = 2 * i + 1) {
        if (c + 1 < e->nheap && e->heap[c + 1] < e->heap[c]) c++;
        if (e->heap[c] >= last) break;
        e->heap[i] = e->heap[c];
        i = c;
    }
    e->heap[i] = last;
    return top;
}

void lm_eliminate_add(lm_eliminator *e, int col, double x)
{
    if (!e->in[col]) {
        e->in[col] = 1;
        e->support[e->nsupport++] = col;
        if (e->row_of[col] >= 0) heap_push(e, e->row_of[col]);
    }
    e->work[col] += x;
}

/* ---- one row ---- */

/* Subtract the kept rows in their order: a row has no entry in the pivots of those before it. */
static void subtract_kept(lm_eliminator *e)
{
    while (e->nheap) {
        const kept_row *r = &e->rows[heap_pop(e)];
        double f = e->work[r->pivot];
        if (f == 0) continue;
        for (int k = 0; k < r->n; k++)
            lm_eliminate_add(e, e->col[r->first + (size_t)k], -f * e->val[r->first + (size_t)k]);
        e->work[r->pivot] = 0;
    }
}

/* Keep what is left of the row, without rounding, divided by its pivot. */
static int keep(lm_eliminator *e, int pivot, int count, double least)
{
    if ((size_t)count > e->room - e->used) return -1;
    kept_row *r = &e->rows[e->nrows];
    *r = (kept_row){.pivot = pivot, .first = e->used};
    for (int k = 0; k < e->nsupport; k++) {
        int c = e->support[k];
        if (fabs(e->work[c]) <= least) continue;
        e->col[e->used + (size_t)r->n] = c;
        e->val[e->used + (size_t)r->n++] = e->work[c] / e->work[pivot];
    }
    e->used += (size_t)r->n;
    e->row_of[pivot] = e->nrows++;
    return 1;
}

int lm_eliminate_row(lm_eliminator *e, double scale)
{
    double best = 0, least = 1e-13 * scale;
    int pivot = -1, count = 0;
    subtract_kept(e);
    for (int k = 0; k < e->nsupport; k++) {
        double a = fabs(e->work[e->support[k]]);
        if (!(a <= least)) count++;
        if (a > best) best = a, pivot = e->support[k];
    }
    int result = best > 1e-8 * scale ? keep(e, pivot, count, least) : 0;
    for (int k = 0; k < e->nsupport; k++) {
        e->work[e->support[k]] = 0;
        e->in[e->support[k]] = 0;
    }
    e->nsupport = 0;
    return result;
}
