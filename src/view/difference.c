#include "view/difference.h"

#include "base/mem.h"
#include "view/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct comparison {
    const lm_result_analysis *analysis;
    const lm_model *model; /* may be NULL */
    lm_scales scales;      /* of the reference */
    lm_table a, b;         /* reference, other */
    void (*each)(void *context, const limber_difference *d);
    void *context;
} comparison;

static int find_column(const lm_table *x, const char *name)
{
    for (int i = 1; i < x->t.ncols; i++)
        if (strcmp(x->t.columns[i], name) == 0) return i;
    return -1;
}

/* Length of the part that the components of a vector share: "tip" of "tip.x"; 0: no vector. */
static size_t stem(const char *name)
{
    size_t n = strlen(name);
    int component = n > 2 && name[n - 2] == '.' && strchr("xyz", name[n - 1]);
    return component ? n - 2 : 0;
}

static double column_scale(const comparison *c, int column)
{
    const lm_table *x = &c->a;
    double low = INFINITY, high = -INFINITY;
    for (long i = 0; i < x->t.rows; i++) {
        double y = lm_table_cell(x, i, column);
        low = fmin(low, y), high = fmax(high, y);
    }
    return high >= low ? lm_scales_output(&c->scales, x->t.columns[column], low, high) : 0;
}

/* The largest of the components of a vector: one that stays near zero is no measure. */
static double output_scale(const comparison *c, int column)
{
    const lm_table *x = &c->a;
    size_t n = stem(x->t.columns[column]);
    double most = column_scale(c, column);
    for (int i = 1; i < x->t.ncols && n; i++)
        if (stem(x->t.columns[i]) == n && strncmp(x->t.columns[i], x->t.columns[column], n) == 0)
            most = fmax(most, column_scale(c, i));
    return most;
}

/* ---- differences ---- */

static void note(limber_difference *d, double off, double at)
{
    d->rms += off * off;
    d->rows++;
    if (isnan(d->largest)) return; /* once no number, always none */
    if (!(fabs(off) <= d->largest)) d->largest = fabs(off), d->at = at;
}

static void tell(const comparison *c, limber_difference *d)
{
    snprintf(d->analysis, sizeof d->analysis, "%s", c->analysis->name);
    d->rms = d->rows ? sqrt(d->rms / (double)d->rows) : 0;
    if (d->rows) c->each(c->context, d);
}

/* Rows of the same instant; both go upwards. */
static void compare_output(const comparison *c, int column)
{
    int other = find_column(&c->b, c->a.t.columns[column]);
    limber_difference d = {0};
    if (other < 0) return;
    snprintf(d.output, sizeof d.output, "%s", c->a.t.columns[column]);
    d.scale = output_scale(c, column);
    for (long i = 0, j = 0; i < c->a.t.rows && j < c->b.t.rows;) {
        double t = lm_table_cell(&c->a, i, 0), s = lm_table_cell(&c->b, j, 0),
               near = 1e-9 * fmax(fabs(t), 1e-3);
        if (fabs(t - s) <= near)
            note(&d, lm_table_cell(&c->b, j, other) - lm_table_cell(&c->a, i, column), t);
        i += t <= s + near;
        j += s <= t + near;
    }
    tell(c, &d);
}

static double root_size(const lm_table *x, long row, int re, int im)
{
    return hypot(lm_table_cell(x, row, re), re == im ? 0 : lm_table_cell(x, row, im));
}

/* The row of the other file with the pole that is nearest to one of the reference, among those that are not taken.
 * Poles that one formulation has and another has not would shift all behind them. */
static long nearest(const comparison *c, long row, const unsigned char *taken)
{
    long best = -1;
    double least = INFINITY;
    for (long j = 0; j < c->b.t.rows; j++) {
        double off = hypot(lm_table_cell(&c->b, j, 0) - lm_table_cell(&c->a, row, 0),
                           lm_table_cell(&c->b, j, 1) - lm_table_cell(&c->a, row, 1));
        if (!taken[j] && off < least) least = off, best = j;
    }
    return best;
}

/* Row by row, those near zero against the largest, from which they have their rounding: modes by their frequency, poles by their place. */
static int compare_rows(const comparison *c, const char *word, int poles)
{
    int x = poles ? 0 : find_column(&c->a, "frequency"), y = poles ? 1 : x;
    double most = 0;
    /* Files of different models may have other tables under this name. */
    if (x < 0 || y >= c->a.t.ncols || y >= c->b.t.ncols) return 0;
    if (strcmp(c->a.t.columns[y], c->b.t.columns[y]) != 0) return 0;
    unsigned char *taken = lm_alloc((size_t)c->b.t.rows + 1);
    if (!taken) return -2;
    for (long i = 0; i < c->a.t.rows; i++) most = fmax(most, root_size(&c->a, i, x, y));
    for (long i = 0; i < c->a.t.rows && i < c->b.t.rows; i++) {
        limber_difference d = {.scale = fmax(root_size(&c->a, i, x, y), 1e-7 * most)};
        snprintf(d.output, sizeof d.output, "%s %ld", word, i + 1);
        long j = poles ? nearest(c, i, taken) : i;
        if (j < 0) continue;
        taken[j] = 1;
        double off = lm_table_cell(&c->b, j, x) - lm_table_cell(&c->a, i, x);
        note(&d, poles ? hypot(off, lm_table_cell(&c->b, j, y) - lm_table_cell(&c->a, i, y)) : off,
             (double)(i + 1));
        tell(c, &d);
    }
    lm_free(taken);
    return 0;
}

/* Damping ratios of modes that vibrate; where one is below 1e-4 a part of it means nothing. */
static void compare_damping(const comparison *c)
{
    int f = find_column(&c->a, "frequency"), x = find_column(&c->a, "damping_ratio");
    int y = find_column(&c->b, "damping_ratio");
    for (long i = 0; i < c->a.t.rows && i < c->b.t.rows && f > 0 && x > 0 && y > 0; i++) {
        double here = lm_table_cell(&c->a, i, x), there = lm_table_cell(&c->b, i, y);
        limber_difference d = {.scale = fmax(fabs(here), 1e-4)};
        if (!(lm_table_cell(&c->a, i, f) > 0) || (fabs(here) < 1e-9 && fabs(there) < 1e-9))
            continue;
        snprintf(d.output, sizeof d.output, "damping %ld", i + 1);
        note(&d, there - here, (double)(i + 1));
        tell(c, &d);
    }
}

/* ---- Campbell diagrams ---- */

enum { SPEED, MODE, FREQUENCY };

/* Which of the frequencies at its speed that of a row is, from 1 on. */
static long rank(const lm_table *x, long row)
{
    double f = lm_table_cell(x, row, FREQUENCY);
    long n = 1;
    for (long i = 0; i < x->t.rows; i++) {
        double g = lm_table_cell(x, i, FREQUENCY);
        if (lm_table_cell(x, i, SPEED) != lm_table_cell(x, row, SPEED)) continue;
        n += g < f || (!(g > f) && i < row);
    }
    return n;
}

/* The row of a speed with a rank; -1: there is none. */
static long find_rank(const lm_table *x, double speed, long of)
{
    for (long i = 0; i < x->t.rows; i++) {
        double near = 1e-9 * fmax(fabs(speed), 1e-3);
        if (fabs(lm_table_cell(x, i, SPEED) - speed) <= near && rank(x, i) == of) return i;
    }
    return -1;
}

/* Branches may be numbered otherwise where they cross: the k-th frequency at each speed. */
static void compare_frequencies(const comparison *c)
{
    long most = 0;
    for (long i = 0; i < c->a.t.rows; i++) most = (long)fmax((double)most, (double)rank(&c->a, i));
    for (long k = 1; k <= most; k++) {
        limber_difference d = {0};
        snprintf(d.output, sizeof d.output, "frequency %ld", k);
        for (long i = 0; i < c->a.t.rows; i++) {
            double speed = lm_table_cell(&c->a, i, SPEED), f = lm_table_cell(&c->a, i, FREQUENCY);
            long j = rank(&c->a, i) == k ? find_rank(&c->b, speed, k) : -1;
            if (j < 0) continue;
            d.scale = fmax(d.scale, f);
            note(&d, lm_table_cell(&c->b, j, FREQUENCY) - f, speed);
        }
        tell(c, &d);
    }
}

/* The k-th in ascending order, from 1 on. */
static double critical(const lm_table *x, long k)
{
    for (long i = 0; i < x->t.rows; i++) {
        double speed = lm_table_cell(x, i, 0);
        long n = 1;
        for (long j = 0; j < x->t.rows; j++) {
            double other = lm_table_cell(x, j, 0);
            n += other < speed || (!(other > speed) && j < i);
        }
        if (n == k) return speed;
    }
    return NAN;
}

/* How many there are; and where they are, if both have as many. */
static void compare_critical_speeds(const comparison *c, const lm_table *a, const lm_table *b)
{
    long most = a->t.rows > b->t.rows ? a->t.rows : b->t.rows;
    limber_difference d = {.output = "critical speeds", .scale = (double)most};
    if (most == 0) return;
    note(&d, (double)(b->t.rows - a->t.rows), 0);
    tell(c, &d);
    for (long k = 1; k <= most && a->t.rows == b->t.rows; k++) {
        double speed = critical(a, k);
        d = (limber_difference){.scale = fmax(fabs(speed), fabs(critical(b, k)))};
        snprintf(d.output, sizeof d.output, "critical speed %ld", k);
        note(&d, critical(b, k) - speed, speed);
        tell(c, &d);
    }
}

/* Files of older versions have no such table where there are none. */
static int compare_critical(const comparison *c, lm_h5 *reference, lm_h5 *other)
{
    lm_table a = {0}, b = {0};
    int rc = lm_table_read(reference, c->analysis->group, "critical_speeds", &a);
    if (rc >= 0) rc = lm_table_read(other, c->analysis->group, "critical_speeds", &b);
    if (rc >= 0) compare_critical_speeds(c, &a, &b);
    lm_table_free(&b);
    lm_table_free(&a);
    return rc < 0 ? rc : 0;
}

static int is(const comparison *c, const char *type)
{
    return strcmp(c->analysis->type, type) == 0;
}

static int compare_analysis(lm_h5 *reference, lm_h5 *other, comparison *c)
{
    int poles = is(c, "linearize"), modes = is(c, "modes");
    const char *name = poles ? "poles" : "results";
    int rc = lm_table_read(reference, c->analysis->group, name, &c->a);
    if (rc) return rc;
    rc = lm_table_read(other, c->analysis->group, name, &c->b);
    if (!rc && is(c, "campbell")) {
        compare_frequencies(c);
        rc = compare_critical(c, reference, other);
    } else if (!rc && !poles && !modes) {
        rc = lm_scales_read(&c->scales, reference, c->analysis->group, &c->a, c->model);
        for (int i = 1; i < c->a.t.ncols && !rc; i++) compare_output(c, i);
    } else if (!rc)
        rc = compare_rows(c, poles ? "pole" : "mode", poles);
    if (!rc && modes) compare_damping(c);
    lm_scales_free(&c->scales);
    lm_table_free(&c->b);
    lm_table_free(&c->a);
    return rc;
}

int lm_difference(const lm_result *reference, lm_h5 *other,
                  void (*each)(void *context, const limber_difference *d), void *context)
{
    int rc = 0;
    for (int i = 0; i < reference->analyses.n && rc >= 0; i++) {
        comparison c = {.analysis = &reference->analyses.at[i],
                        .model = reference->own.spec ? &reference->own : reference->model,
                        .each = each,
                        .context = context};
        rc = compare_analysis(reference->file, other, &c);
    }
    return rc == -2 ? 2 : rc < 0;
}
