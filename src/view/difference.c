#include "view/difference.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A table in memory. */
typedef struct table {
    lm_rows t;
    double *data;
} table;

typedef struct comparison {
    const lm_result_analysis *analysis;
    const lm_model *model; /* may be NULL */
    double energy;         /* the largest that went from one form into another */
    table a, b;            /* reference, other */
    void (*each)(void *context, const limber_difference *d);
    void *context;
} comparison;

static void table_free(table *x)
{
    lm_rows_close(&x->t);
    lm_free(x->data);
    *x = (table){0};
}

/* 0; 1: there is none; -1: it cannot be read; -2: no memory. */
static int table_read(lm_h5 *f, const char *group, const char *name, table *x)
{
    *x = (table){0};
    int rc = lm_rows_open(&x->t, f, group, name);
    if (rc) return rc;
    x->data = lm_alloc(sizeof(double) * (size_t)(x->t.rows + 1) * (size_t)x->t.ncols);
    rc = !x->data ? -2 : lm_rows_read(&x->t, 0, x->t.rows, x->data) ? -1 : 0;
    if (rc) table_free(x);
    return rc;
}

static double cell(const table *x, long row, int column)
{
    return x->data[row * x->t.ncols + column];
}

static int find_column(const table *x, const char *name)
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

/* Range of a column, not less than a thousandth of its size: what stays the same has rounding for its range.
 * Where rows are no course of time, its size. */
static double column_scale(const table *x, int column, int sizes)
{
    double low = INFINITY, high = -INFINITY, most = 0;
    for (long i = 0; i < x->t.rows; i++) {
        double y = cell(x, i, column);
        low = fmin(low, y), high = fmax(high, y), most = fmax(most, fabs(y));
    }
    return sizes ? most : x->t.rows ? fmax(high - low, 1e-3 * most) : 0;
}

/* The largest of the components of a vector: one that stays near zero is no measure. */
static double output_scale(const table *x, int column, int sizes)
{
    size_t n = stem(x->t.columns[column]);
    double most = column_scale(x, column, sizes);
    for (int i = 1; i < x->t.ncols && n; i++)
        if (stem(x->t.columns[i]) == n && strncmp(x->t.columns[i], x->t.columns[column], n) == 0)
            most = fmax(most, column_scale(x, i, sizes));
    return most;
}

/* ---- what is small ---- */

/* An energy that is kept, or a point that stays in a plane, has rounding for its range. What it is small
 * against: the energies that come and go, the mechanism's size. */
static double least_scale(const comparison *c, const char *output)
{
    const lm_spec *spec = c->model ? c->model->spec : NULL;
    double least = 0, size = spec && c->model->size > 0 ? c->model->size : 1;
    for (int i = 0; spec && i < spec->outputs.n; i++) {
        const lm_expr *e = &spec->outputs.at[i].expr;
        if (strcmp(spec->outputs.at[i].item.name, output) != 0) continue;
        for (int k = 0; k < e->ninputs; k++) {
            if (e->inputs[k] == LM_SLOT_T) continue;
            lm_sensor_kind kind = spec->sensors.at[e->inputs[k] - 1].kind;
            if (kind == LM_SENSOR_ENERGY) least = fmax(least, c->energy);
            if (kind == LM_SENSOR_POS) least = fmax(least, 1e-6 * size);
            if (kind == LM_SENSOR_JOINT || kind == LM_SENSOR_ROT)
                least = fmax(least, 1e-6 * fmin(1, size));
        }
    }
    return least;
}

static int read_energy(lm_h5 *f, comparison *c)
{
    static const char *const forms[] = {"kinetic", "elastic", "gravity", "stored"};
    table x;
    int rc = table_read(f, c->analysis->group, "energy", &x);
    if (rc) return rc < 0 ? rc : 0;
    for (int i = 0; i < x.t.ncols; i++)
        for (int k = 0; k < 4; k++)
            if (strcmp(x.t.columns[i], forms[k]) == 0)
                c->energy = fmax(c->energy, column_scale(&x, i, 0));
    table_free(&x);
    return 0;
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
static void compare_output(const comparison *c, int column, int sizes)
{
    int other = find_column(&c->b, c->a.t.columns[column]);
    limber_difference d = {0};
    if (other < 0) return;
    snprintf(d.output, sizeof d.output, "%s", c->a.t.columns[column]);
    d.scale = fmax(output_scale(&c->a, column, sizes), least_scale(c, d.output));
    for (long i = 0, j = 0; i < c->a.t.rows && j < c->b.t.rows;) {
        double t = cell(&c->a, i, 0), s = cell(&c->b, j, 0), near = 1e-9 * fmax(fabs(t), 1e-3);
        if (fabs(t - s) <= near) note(&d, cell(&c->b, j, other) - cell(&c->a, i, column), t);
        i += t <= s + near;
        j += s <= t + near;
    }
    tell(c, &d);
}

/* Row by row: modes by their frequency, poles by their place. */
static void compare_rows(const comparison *c, const char *word, int poles)
{
    int x = poles ? 0 : find_column(&c->a, "frequency"), y = poles ? 1 : x;
    /* Files of different models may have other tables under this name. */
    if (x < 0 || y >= c->a.t.ncols || y >= c->b.t.ncols) return;
    if (strcmp(c->a.t.columns[y], c->b.t.columns[y]) != 0) return;
    for (long i = 0; i < c->a.t.rows && i < c->b.t.rows; i++) {
        limber_difference d = {.scale = hypot(cell(&c->a, i, x), poles ? cell(&c->a, i, y) : 0)};
        snprintf(d.output, sizeof d.output, "%s %ld", word, i + 1);
        double off = cell(&c->b, i, x) - cell(&c->a, i, x);
        note(&d, poles ? hypot(off, cell(&c->b, i, y) - cell(&c->a, i, y)) : off, (double)(i + 1));
        tell(c, &d);
    }
}

static int is(const comparison *c, const char *type)
{
    return strcmp(c->analysis->type, type) == 0;
}

static int compare_analysis(lm_h5 *reference, lm_h5 *other, comparison *c)
{
    int poles = is(c, "linearize"), modes = is(c, "modes");
    const char *name = poles ? "poles" : "results";
    int rc = is(c, "campbell") ? 1 : table_read(reference, c->analysis->group, name, &c->a);
    if (rc) return rc;
    rc = table_read(other, c->analysis->group, name, &c->b);
    if (!rc && !poles && !modes) {
        rc = read_energy(reference, c);
        for (int i = 1; i < c->a.t.ncols && !rc; i++) compare_output(c, i, is(c, "statics"));
    } else if (!rc)
        compare_rows(c, poles ? "pole" : "mode", poles);
    table_free(&c->b);
    table_free(&c->a);
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
