#include "expr/expr_resolve.h"

#include "expr/expr_bounds.h"
#include "expr/expr_priv.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELLS_MOST = 100000, /* that are looked at */
    KINKS_MOST = 20000,  /* known instants at which the search begins */
    HALVED_MOST = 33,    /* times */
    CELLS = 2,           /* that a step may go over */
    BISECTIONS = 100
};

#define RESTS    0.5   /* of the run at least: between brief forces */
#define STRAIGHT 0.25  /* part of its range by which an operation may bend within a cell */
#define SAME     1e-12 /* of the run: instants that are one */
#define FLAT     1e-6  /* part of its size that counts as its range, at least */
#define BESIDE   1e-13 /* of the run: where the ends of a cell are looked at, */
#define THIN     1e-3  /* or of the cell */
#define ASIDE    1e-14 /* of the run: where steps end beside a corner */
#define DOUBT    1e-12 /* ...: for which rounding may decide a sign, at most */

typedef struct cell {
    double from, to;
} cell;

typedef struct cells {
    cell *at;
    int n, room;
} cells;

typedef struct search {
    const lm_expr *e;
    double until;
    unsigned char *of, *used; /* [nops] what each depends on; 1: its value counts in the cell */
    int *arg;                 /* [3 nops] */
    double *scratch;
    double *first, *last;   /* [nops] values at the ends of a cell */
    double *guard0, *guard; /* [nops] guards there */
    double *least, *most;   /* [nops] of the values so far */
    double *scale;          /* [nops] by which they change where that counts in the cell */
    lm_bound *bound;        /* [nops] */
    cells now, next, done;
    cells corner; /* `to` is the instant */
    long left;    /* cells that may be looked at */
} search;

static int put(cells *c, double from, double to)
{
    if (c->n == c->room) {
        int room = c->room ? 2 * c->room : 64;
        cell *more = lm_alloc(sizeof *more * (size_t)room);
        if (!more) return -1;
        if (c->n) memcpy(more, c->at, sizeof *more * (size_t)c->n);
        lm_free(c->at);
        c->at = more;
        c->room = room;
    }
    c->at[c->n++] = (cell){from, to};
    return 0;
}

/* ---- values ---- */

/* Of all operations of the time, and the guards of those that decide. */
static void evaluate(search *s, double t, double *value, double *guard)
{
    const lm_expr *e = s->e;
    for (int i = 0; i < e->nops; i++) {
        const lm_op *op = &e->ops[i];
        value[i] = guard[i] = NAN;
        if (s->of[i] == LM_BOUND_OTHER) continue;
        guard[i] = lm_guard_value(op, s->scratch);
        value[i] = s->scratch[op->dst] = lm_op_value(op, s->scratch, &t);
        if (value[i] < s->least[i]) s->least[i] = value[i];
        if (value[i] > s->most[i]) s->most[i] = value[i];
    }
}

static double beside(const search *s, const cell *c)
{
    return fmin(BESIDE * s->until, THIN * (c->to - c->from));
}

/* ---- what counts ---- */

/* By which an operation bends that counts as much: own, and of what it is put into. */
static double own_range(const search *s, int i)
{
    double range = s->most[i] - s->least[i], size = fmax(fabs(s->most[i]), fabs(s->least[i]));
    return fmax(isfinite(range) ? range : 0, FLAT * (isfinite(size) ? size : 0));
}

static void use(search *s, int i, int k, double scale)
{
    int a = s->arg[3 * i + k];
    if (a < 0) return;
    s->scale[a] = s->used[a] ? fmin(s->scale[a], scale) : scale;
    s->used[a] = 1;
}

static int is_zero(const search *s, int i)
{
    return i >= 0 && s->of[i] != LM_BOUND_OTHER && s->bound[i].u.lo == 0 && s->bound[i].u.hi == 0;
}

/* Arguments of an operation that is not one of the time alone, or of `if`: the branch that is taken. */
static void use_all(search *s, int i, double scale)
{
    const int *a = s->arg + 3 * i, code = s->e->ops[i].code;
    int timed = code == LM_OP_IF && s->of[a[0]] != LM_BOUND_OTHER;
    lm_span c = timed ? s->bound[a[0]].u : (lm_span){0, 1};
    if (code == LM_OP_MUL && (is_zero(s, a[0]) || is_zero(s, a[1]))) {
        use(s, i, is_zero(s, a[0]) ? 0 : 1, INFINITY);
        return;
    }
    use(s, i, 0, code == LM_OP_IF ? INFINITY : scale);
    if (code != LM_OP_IF || c.lo != 0 || c.hi != 0) use(s, i, 1, scale);
    if (code != LM_OP_IF || (c.lo <= 0 && c.hi >= 0)) use(s, i, 2, scale);
}

/* Arguments of one of the time: what moves it by its scale. One that chooses says nothing before it has, and of
 * two that are equal for a while, as integers are, bounds of both do not tell. */
static void use_timed(search *s, int i, double scale)
{
    const int *a = s->arg + 3 * i, code = s->e->ops[i].code;
    int open = s->bound[i].open || code == LM_OP_EQ || code == LM_OP_NE;
    lm_bound x[3] = {0};
    for (int k = 0; k < 3 && a[k] >= 0; k++) x[k] = s->bound[a[k]];
    for (int k = 0; k < 3 && a[k] >= 0; k++) {
        double slope = open ? 0 : lm_bounds_slope(&s->e->ops[i], x, k, 0);
        if (open || slope != 0) use(s, i, k, slope != 0 ? scale / slope : INFINITY);
    }
}

/* Operations whose value changes that of the whole, and by how much they may for that to count: of `if` the
 * branch that is taken, of max() the larger, of a product nothing where a factor is zero. */
static void find_used(search *s)
{
    const lm_expr *e = s->e;
    memset(s->used, 0, (size_t)e->nops);
    s->used[e->nops - 1] = 1;
    s->scale[e->nops - 1] = INFINITY;
    for (int i = e->nops - 1; i >= 0; i--) {
        if (!s->used[i] || s->of[i] == LM_BOUND_CONSTANT) continue;
        if (!lm_op_is_sum(e->ops[i].code)) s->scale[i] = fmin(s->scale[i], own_range(s, i));
        if (s->of[i] == LM_BOUND_OTHER)
            use_all(s, i, INFINITY);
        else if (e->ops[i].code == LM_OP_IF)
            use_all(s, i, s->scale[i]);
        else
            use_timed(s, i, s->scale[i]);
    }
}

/* ---- cells ---- */

static int decides(int code)
{
    switch (code) {
    case LM_OP_ABS:
    case LM_OP_SIGN:
    case LM_OP_FLOOR:
    case LM_OP_MOD:
    case LM_OP_TABLE:
    case LM_OP_MIN:
    case LM_OP_MAX:
    case LM_OP_LT:
    case LM_OP_LE:
    case LM_OP_GT:
    case LM_OP_GE: return 1;
    default: return 0;
    }
}

static int opposite(double a, double b) { return (a < 0 && b > 0) || (a > 0 && b < 0); }

/* The instant at which guard i changes its sign, to rounding. */
static double locate(search *s, int i, double from, double to)
{
    double a = s->guard0[i];
    for (int k = 0; k < BISECTIONS; k++) {
        double t = 0.5 * (from + to);
        if (!(t > from && t < to)) break;
        evaluate(s, t, s->last, s->guard);
        if (opposite(a, s->guard[i]))
            to = t;
        else
            from = t;
    }
    return to;
}

static int bends(const search *s, int i, double width)
{
    const lm_bound *b = &s->bound[i];
    if (b->d.lo == b->d.hi || lm_op_is_sum(s->e->ops[i].code)) return 0;
    return !(width * (b->d.hi - b->d.lo) <= STRAIGHT * s->scale[i]);
}

/* What is added up to an operation, at its largest: its rounding is a part of that. */
static double magnitude(const search *s, int i)
{
    const lm_op *op = i < 0 ? NULL : &s->e->ops[i];
    if (!op || s->of[i] == LM_BOUND_OTHER) return 0;
    const int *a = s->arg + 3 * i;
    double most = fabs(s->last[i]), factor = 1;
    if (!lm_op_is_sum(op->code)) return most;
    if (op->code == LM_OP_MULC) factor = fabs(op->k);
    if (op->code == LM_OP_DIVC) factor = 1 / fabs(op->k);
    for (int k = 0; k < 2; k++) most = fmax(most, factor * magnitude(s, a[k]));
    return most;
}

/* 1: guard i has the sign of `side` at t, and not by rounding. */
static int is_sure(search *s, int i, double t, double side)
{
    evaluate(s, t, s->last, s->guard);
    double size = fmax(magnitude(s, s->arg[3 * i]), magnitude(s, s->arg[3 * i + 1]));
    return side * s->guard[i] > 0 && fabs(s->guard[i]) > 4 * DBL_EPSILON * size;
}

/* The instant of operation i at t, where its guard changes its sign from a. Where rounding decides that sign for
 * longer than ends of steps are away, both ends of it, which a run takes as one. */
static int put_instant(search *s, int i, double t, double a, double room)
{
    double side = a < 0 ? -1 : 1, d = 0.1 * ASIDE * s->until;
    while (d < room && !(is_sure(s, i, t - d, side) && is_sure(s, i, t + d, -side))) d *= 2;
    if (d <= 0.5 * ASIDE * s->until || d >= room) return put(&s->corner, t, t);
    return put(&s->corner, t - d, t - d) || put(&s->corner, t + d, t + d) ? -1 : 0;
}

/* Divide a cell at the corner of operation i. */
static int put_corner(search *s, const cell *c, int i, double off)
{
    double a = s->guard0[i], t = locate(s, i, c->from + off, c->to - off);
    if (put_instant(s, i, t, a, fmin(DOUBT * s->until, fmin(t - c->from, c->to - t)))) return -1;
    if (put(&s->next, c->from, t)) return -1;
    return put(&s->next, t, c->to);
}

static int halve(search *s, const cell *c)
{
    double middle = 0.5 * (c->from + c->to);
    return put(&s->next, c->from, middle) || put(&s->next, middle, c->to) ? -1 : 0;
}

/* An operation that has a branch to choose in the cell and changes it: that one, or -1. *unclear: there is one
 * that may, or that bends. */
static int judge(const search *s, double width, int *unclear)
{
    int root = -1;
    *unclear = 0;
    for (int i = 0; i < s->e->nops; i++) {
        if (!s->used[i] || s->of[i] != LM_BOUND_TIMED) continue;
        int open = s->bound[i].open && decides(s->e->ops[i].code);
        *unclear |= open || bends(s, i, width);
        if (open && root < 0 && opposite(s->guard0[i], s->guard[i])) root = i;
    }
    return root;
}

/* The cell is done with, or goes in two pieces into s->next. */
static int look(search *s, const cell *c)
{
    double width = c->to - c->from, off = beside(s, c), from = c->from + off, to = c->to - off;
    int unclear, smallest = ldexp(width, HALVED_MOST) < s->until;
    evaluate(s, from, s->first, s->guard0);
    evaluate(s, to, s->last, s->guard);
    lm_bound time = lm_bound_of_time(from, to);
    lm_bounds(s->e, s->of, s->arg, &time, 0, s->first, s->last, s->bound);
    find_used(s);
    s->left--;
    int root = judge(s, width, &unclear);
    if (root >= 0 && !smallest) return put_corner(s, c, root, off);
    if (root >= 0 && put_instant(s, root, locate(s, root, from, to), 0, 0)) return -1;
    return unclear && !smallest ? halve(s, c) : put(&s->done, c->from, c->to);
}

/* Level by level, so that what is left over when there are too many cells is alike everywhere. */
static int look_at_all(search *s)
{
    while (s->now.n) {
        for (int i = 0; i < s->now.n; i++) {
            const cell *c = &s->now.at[i];
            if (s->left > 0 ? look(s, c) : put(&s->done, c->from, c->to)) return -1;
        }
        cells old = s->now;
        s->now = s->next;
        s->next = old;
        s->next.n = 0;
    }
    return 0;
}

/* The cells between instants that are known. 1: these are too many. */
static int begin(search *s)
{
    double same = SAME * s->until, from = 0;
    for (int k = 0; k < KINKS_MOST; k++) {
        double to = lm_expr_next_kink(s->e, from + same);
        int last = !(to < s->until - same);
        if (put(&s->now, from, last ? s->until : to)) return -1;
        if (last) return 0;
        from = to;
    }
    s->now.n = 0;
    return 1;
}

static int by_end(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    return (x->to > y->to) - (x->to < y->to);
}

/* ---- brief forces ---- */

/* 1: i is a function of the time alone and the whole, or put into one of something else. */
static int is_root(const search *s, int i)
{
    int root = i == s->e->nops - 1;
    for (int k = 3 * i + 3; k < 3 * s->e->nops; k++)
        root |= s->arg[k] == i && s->of[k / 3] == LM_BOUND_OTHER;
    return root && s->of[i] == LM_BOUND_TIMED;
}

/* 1: no function of the time that counts in the cell changes there. */
static int rests(search *s, const unsigned char *root, const cell *c)
{
    double off = beside(s, c), from = c->from + off, to = c->to - off;
    evaluate(s, from, s->first, s->guard0);
    evaluate(s, to, s->last, s->guard);
    lm_bound time = lm_bound_of_time(from, to);
    lm_bounds(s->e, s->of, s->arg, &time, 0, s->first, s->last, s->bound);
    find_used(s);
    for (int i = 0; i < s->e->nops; i++) {
        const lm_span *u = &s->bound[i].u;
        if (root[i] && s->used[i] && !(u->hi - u->lo <= FLAT * (s->most[i] - s->least[i])))
            return 0;
    }
    return 1;
}

/* Cells in which a force changes that rests most of the time; they are sorted. */
static int find_brief(search *s, lm_resolution *out)
{
    double still = 0;
    unsigned char *root = lm_alloc((size_t)s->e->nops + 1);
    out->brief = lm_alloc((size_t)s->done.n + 1);
    if (!root || !out->brief) {
        lm_free(root);
        return -1;
    }
    for (int i = 0; i < s->e->nops; i++) root[i] = (unsigned char)is_root(s, i);
    for (int k = 0; k < s->done.n; k++) {
        const cell *c = &s->done.at[k];
        out->brief[k] = !rests(s, root, c);
        if (!out->brief[k]) still += c->to - c->from;
    }
    lm_free(root);
    if (still >= RESTS * s->until) return 0;
    lm_free(out->brief);
    out->brief = NULL;
    return 0;
}

/* The ends of cells in ascending order. -1: no memory. */
static int hand_out(cells *c, double **out, int *n)
{
    *n = c->n;
    *out = lm_alloc(sizeof(double) * (size_t)(c->n + 1));
    if (!*out) return -1;
    if (c->n) qsort(c->at, (size_t)c->n, sizeof *c->at, by_end);
    for (int i = 0; i < c->n; i++) (*out)[i] = c->at[i].to;
    return 0;
}

static int make(search *s)
{
    size_t n = (size_t)s->e->nops;
    s->of = lm_alloc(2 * n);
    s->arg = lm_alloc(4 * n * sizeof *s->arg);
    s->first = lm_alloc(8 * n * sizeof(double));
    s->bound = lm_alloc(n * sizeof *s->bound);
    if (!s->of || !s->arg || !s->first || !s->bound) return -1;
    s->used = s->of + n;
    s->last = s->first + n, s->guard0 = s->last + n, s->guard = s->guard0 + n;
    s->least = s->guard + n, s->most = s->least + n, s->scale = s->most + n;
    s->scratch = s->scale + n;
    for (size_t i = 0; i < n; i++) s->least[i] = INFINITY, s->most[i] = -INFINITY;
    lm_bounds_plan(s->e, 0, s->of, s->arg, s->arg + 3 * n);
    return 0;
}

static int run(search *s, lm_resolution *out)
{
    if (make(s)) return -1;
    int many = begin(s);
    if (many < 0 || look_at_all(s)) return -1;
    out->complete = !many && s->left > 0;
    if (many) return 0;
    if (hand_out(&s->done, &out->end, &out->ncells)) return -1;
    if (hand_out(&s->corner, &out->corner, &out->ncorners)) return -1;
    return find_brief(s, out);
}

int lm_expr_resolve(const lm_expr *e, double until, lm_resolution *out)
{
    search s = {.e = e, .until = until, .left = CELLS_MOST};
    *out = (lm_resolution){.complete = 1};
    if (e->constant || !e->nops || !lm_expr_uses(e, LM_SLOT_T) || !(until > 0)) return 0;
    int bad = run(&s, out);
    lm_free(s.of);
    lm_free(s.arg);
    lm_free(s.first);
    lm_free(s.bound);
    lm_free(s.now.at);
    lm_free(s.next.at);
    lm_free(s.done.at);
    lm_free(s.corner.at);
    if (bad) lm_resolution_free(out);
    return bad;
}

void lm_resolution_free(lm_resolution *r)
{
    lm_free(r->end);
    lm_free(r->corner);
    lm_free(r->brief);
    *r = (lm_resolution){0};
}

/* How long a step may be in cell k. */
static double longest(const lm_resolution *r, int k, double fine)
{
    double width = r->end[k] - (k ? r->end[k - 1] : 0);
    return width * (r->brief && r->brief[k] ? fine : CELLS);
}

double lm_resolution_reach(const lm_resolution *r, double t, double fine)
{
    int k = 0, high = r->ncells;
    while (k < high) { /* the first cell that ends after t */
        int middle = (k + high) / 2;
        if (r->end[middle] > t)
            high = middle;
        else
            k = middle + 1;
    }
    if (k >= r->ncells) return INFINITY;
    double most = t + longest(r, k, fine);
    for (; k + 1 < r->ncells && r->end[k] < most; k++)
        most = fmin(most, fmax(r->end[k], t + longest(r, k + 1, fine)));
    return most;
}
