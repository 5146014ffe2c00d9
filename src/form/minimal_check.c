#include "form/minimal_check.h"

#include "expr/expr_smooth.h"

#include <stdio.h>
#include <string.h>

/* ---- smooth arguments ---- */

/* Positions near the start at which nothing vanishes or coincides by chance; k = 0 is the start. */
static void near_start(const double *q0, int n, int k, double *q)
{
    for (int i = 0; i < n; i++) {
        double part = fmod(0.618034 * (i + 1) + 0.414214 * k, 1); /* anything without a pattern */
        q[i] = q0[i] + (k ? (0.05 + 0.1 * part) * fmax(fabs(q0[i]), 1) : 0);
    }
}

/* The text without the blanks before it, and its place. */
static const char *as_written(const lm_expr *e, lm_loc *loc)
{
    int blanks = (int)strspn(e->text, " ");
    *loc = e->loc;
    loc->col += blanks;
    return e->text + blanks;
}

static void report_rough(const minimal *s, const lm_expr *e, const lm_rough *r, lm_diag *diag)
{
    static const char why[] = "a frame's velocity would jump there, which takes an infinite force";
    lm_loc loc;
    const char *text = as_written(e, &loc);
    switch (r->kind) {
    case LM_ROUGH_INPUT:
        lm_error(diag, loc,
                 "'%.80s' may have a corner or a jump at some value of coordinate '%s' because of "
                 "%s; if "
                 "so, %s; use %s, or another function that is smooth by itself",
                 text, s->m->spec->coordinates.at[r->slot - 1].item.name, r->what, why, r->remedy);
        break;
    case LM_ROUGH_UNSEEN:
        lm_error(diag, loc,
                 "'%.80s' may have corners or jumps because of %s, at instants that are not known "
                 "beforehand; if so, %s; use %s, or another function that is smooth by itself",
                 text, r->what, why, r->remedy);
        break;
    default:
        lm_error(diag, loc,
                 "'%.80s' %s at t = %.6g: %s; use step(t, t0, y0, t1, y1) or spline(t, ..), whose "
                 "slopes are continuous",
                 text, r->kind == LM_ROUGH_JUMP ? "jumps" : "has a corner", r->t, why);
    }
}

/* Frames that stand in several products have their arguments in the list more than once. */
static int seen_before(const minimal *s, int k)
{
    for (int i = 0; i < k; i++)
        if (s->arg[i].e == s->arg[k].e) return 1;
    return 0;
}

/* The end of the longest motion; a model without one is looked at for all times. */
static double last_instant(const lm_spec *spec)
{
    double until = 0;
    for (int i = 0; i < spec->analyses.n; i++)
        if (spec->analyses.at[i].type == LM_ANALYSIS_DYNAMICS)
            until = fmax(until, spec->analyses.at[i].until);
    return until > 0 ? until : INFINITY;
}

static int refuse_rough(minimal *s, const double *q0, lm_diag *diag)
{
    double until = last_instant(s->m->spec);
    for (int k = 0; k < s->tree.nu; k++) {
        lm_rough r;
        if (s->arg[k].external) continue;
        near_start(q0, s->written, 1, s->slots + 1);
        if (lm_expr_rough(s->arg[k].e, s->slots, until, &r)) return -1;
        if (r.kind != LM_ROUGH_NOT && !seen_before(s, k)) report_rough(s, s->arg[k].e, &r, diag);
    }
    return 0;
}

/* ---- finite arguments ---- */

/* What is not finite of the argument at the start, NULL: all is. The equations take its value, its
 * gradient (velocities) and its Hessian (accelerations). */
static const char *not_finite(minimal *s, const min_arg *arg)
{
    const lm_expr *e = arg->e;
    const double *g = s->grad + arg->first, *H = s->hess + arg->hess;
    double sum = lm_expr_hess(e, s->slots, s->scratch, s->grad + arg->first, s->hess + arg->hess);
    for (int i = 0; i < e->ninputs; i++) sum += fabs(g[i]);
    if (!isfinite(sum)) return "value or slope";
    for (int i = 0; i < e->ninputs * e->ninputs; i++) sum += fabs(H[i]);
    return isfinite(sum) ? NULL : "second derivative";
}

static void refuse_infinite(minimal *s, const double *q0, lm_diag *diag)
{
    s->slots[LM_SLOT_T] = 0;
    memcpy(s->slots + 1, q0, sizeof(double) * (size_t)s->written);
    for (int k = 0; k < s->tree.nu; k++) {
        const lm_expr *e = s->arg[k].e;
        if (s->arg[k].external || e->constant || seen_before(s, k)) continue;
        const char *what = not_finite(s, &s->arg[k]);
        if (!what) continue;
        int timed = lm_expr_uses(e, LM_SLOT_T), moved = e->ninputs > timed;
        lm_loc loc;
        const char *text = as_written(e, &loc);
        lm_error(diag, loc, "'%.80s' has no finite %s at %s%s%s; %swrite it differently", text,
                 what, timed ? "t = 0" : "", timed && moved ? " and " : "",
                 moved ? "the initial values of the coordinates" : "",
                 moved ? "start elsewhere or " : "");
    }
}

/* ---- independent coordinates ---- */

/* Columns of partial velocities, one for each coordinate, made orthogonal one after the other. Nothing is
 * left of a column that those before it make up, and the factors used on the way are the combination
 * that moves nothing. */
typedef struct basis {
    int rows, n;
    double *column; /* [n][rows] orthonormal as far as they are done */
    double *factor; /* [n][n] row j: which original columns, in what measure, made column j */
} basis;

enum { COORDINATES_MOST = 200 }; /* beyond, a singular mass matrix is all that is noticed */

static const double NOTHING = 1e-9; /* of the length of a column */

/* dX of all nodes by the coordinates; lengths in units of the mechanism's size. */
static void fill_columns(const minimal *s, basis *b)
{
    double size = s->m->size > 0 ? s->m->size : 1;
    memset(b->column, 0, sizeof(double) * (size_t)b->rows * (size_t)b->n);
    for (int n = 0; n < s->m->nnodes; n++)
        for (int k = s->moved.node[n].first; k < s->moved.node[n].first + s->moved.node[n].n; k++) {
            double *to = b->column + (size_t)b->rows * (size_t)s->moved.cols[k] + 6 * n;
            for (int i = 0; i < 6; i++) to[i] = s->moved.jets[k].X[i] / (i < 3 ? size : 1);
        }
}

/* Three sums side by side do not wait for each other; n is a multiple of 6. */
static double dot(const double *a, const double *b, int n)
{
    double sum[3] = {0};
    for (int i = 0; i < n; i += 3)
        for (int k = 0; k < 3; k++) sum[k] += a[i + k] * b[i + k];
    return sum[0] + sum[1] + sum[2];
}

/* a += f b */
static void add(double *a, double f, const double *b, int n)
{
    for (int i = 0; i < n; i++) a[i] += f * b[i];
}

/* Take the columns before out of column j; with `note`, note which of the original ones that are. */
static void reduce(basis *b, int j, int note)
{
    int m = b->rows, n = b->n;
    double *x = b->column + (size_t)j * (size_t)m, *f = b->factor + (size_t)j * (size_t)n;
    for (int i = 0; i < j; i++) {
        const double *y = b->column + (size_t)i * (size_t)m;
        double c = dot(x, y, m);
        if (c == 0) continue;
        add(x, -c, y, m);
        if (note) add(f, -c, b->factor + (size_t)i * (size_t)n, n);
    }
}

/* Gram and Schmidt; a column of which little is left is reduced again, so that rounding does not count.
 * 1: nothing is left of it. */
static int orthogonalize(basis *b, int j, int note)
{
    int m = b->rows, n = b->n;
    double *x = b->column + (size_t)j * (size_t)m, *f = b->factor + (size_t)j * (size_t)n;
    double length = sqrt(dot(x, x, m));
    f[j] = 1;
    reduce(b, j, note);
    double left = sqrt(dot(x, x, m));
    if (left < 0.1 * length) {
        reduce(b, j, note);
        left = sqrt(dot(x, x, m));
    }
    if (!(left > NOTHING * length)) return 1;
    for (int i = 0; i < m; i++) x[i] /= left;
    for (int i = 0; note && i < n; i++) f[i] /= left;
    return 0;
}

/* The first dependent coordinate at this position, -1: none, or a position that cannot be. */
static int find_dependent(minimal *s, basis *b, const double *q, int note)
{
    lm_state at = {0, q, NULL, NULL, NULL};
    if (minimal_place(s, &at)) return -1;
    minimal_partials(s);
    fill_columns(s, b);
    memset(b->factor, 0, sizeof(double) * (size_t)b->n * (size_t)b->n);
    for (int j = 0; j < b->n; j++) {
        const double *x = b->column + (size_t)j * (size_t)b->rows;
        if (!isfinite(dot(x, x, b->rows))) return -1;
        if (orthogonalize(b, j, note)) return j;
    }
    return -1;
}

/* The combination as a sum, its smallest part with the factor 1: "2*a - b". */
static void print_combination(const minimal *s, const double *f, char *text, size_t size)
{
    double most = 0, least = INFINITY;
    size_t used = 0;
    int first = 1;
    for (int i = 0; i < s->written; i++) most = fmax(most, fabs(f[i]));
    for (int i = 0; i < s->written; i++)
        if (fabs(f[i]) > 1e-6 * most) least = fmin(least, fabs(f[i]));
    for (int i = 0; i < s->written && used < size; i++) {
        char factor[32] = "";
        double part = fabs(f[i]) / least, lead = 0;
        if (fabs(f[i]) <= 1e-6 * most) continue;
        for (int k = 0; k <= i && lead == 0; k++) lead = fabs(f[k]) > 1e-6 * most ? f[k] : 0;
        if (fabs(part - 1) > 1e-6) snprintf(factor, sizeof factor, "%.4g*", part);
        used += (size_t)snprintf(text + used, size - used, "%s%s%s",
                                 first             ? ""
                                 : f[i] * lead > 0 ? " + "
                                                   : " - ",
                                 factor, s->m->spec->coordinates.at[i].item.name);
        first = 0;
    }
}

/* Is it so at other places as well, or at the start only, a singular position? */
static int is_general(minimal *s, basis *b, const double *q0, double *q)
{
    for (int k = 1; k <= 2; k++) {
        near_start(q0, s->written, k, q);
        if (find_dependent(s, b, q, 0) < 0) return 0;
    }
    return 1;
}

/* A singular start matters where motion starts from it as it is. */
static int starts_moving(const minimal *s)
{
    const lm_spec *spec = s->m->spec;
    return s->sys.nl == 0 && spec->analyses.n && spec->analyses.at[0].type == LM_ANALYSIS_DYNAMICS;
}

static void report_dependent(minimal *s, basis *b, int j, const double *q0, double *q,
                             lm_diag *diag)
{
    const lm_spec_item *item = &s->m->spec->coordinates.at[j].item;
    char text[400] = "";
    print_combination(s, b->factor + (size_t)j * (size_t)b->n, text, sizeof text);
    if (is_general(s, b, q0, q))
        lm_error(diag, item->loc,
                 "the coordinates depend on each other: %s moves nothing, when they change in this "
                 "proportion every body stays where it is; leave out '%s' or another of them",
                 text, item->name);
    else if (starts_moving(s))
        lm_error(diag, item->loc,
                 "%s moves nothing in the position of the start, though it does elsewhere; start "
                 "from another position, or choose coordinates that are not singular here",
                 text);
}

static int refuse_dependent(minimal *s, const double *q0, double *q, lm_diag *diag)
{
    basis b = {.rows = 6 * s->m->nnodes, .n = s->written};
    if (s->external.uses.n || b.n > COORDINATES_MOST) return 0;
    b.column = lm_alloc(sizeof(double) * (size_t)b.rows * (size_t)b.n);
    b.factor = lm_alloc(sizeof(double) * (size_t)b.n * (size_t)b.n);
    int bad = !b.column || !b.factor ? -1 : 0;
    int j = bad ? -1 : find_dependent(s, &b, q0, 0);
    if (j >= 0) j = find_dependent(s, &b, q0, 1);
    if (j >= 0) report_dependent(s, &b, j, q0, q, diag);
    lm_free(b.column);
    lm_free(b.factor);
    return bad;
}

int minimal_check(minimal *s, lm_diag *diag)
{
    int errors = diag->errors;
    if (!s->written) return 0;
    double *q0 = lm_alloc(sizeof(double) * (size_t)(2 * s->sys.nq + s->sys.nv));
    if (!q0) return -1;
    int bad = minimal_start(s, q0, q0 + 2 * s->sys.nq);
    memcpy(q0 + s->sys.nq, q0, sizeof(double) * (size_t)s->sys.nq);
    if (!bad) bad = refuse_rough(s, q0, diag);
    if (!bad && diag->errors == errors) refuse_infinite(s, q0, diag);
    if (!bad && diag->errors == errors) bad = refuse_dependent(s, q0, q0 + s->sys.nq, diag);
    lm_free(q0);
    return bad;
}
