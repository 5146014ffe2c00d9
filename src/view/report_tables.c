/* Tables and vectors of an analysis. */
#include "view/report_int.h"

#include <string.h>

enum { STEPS = 4000 }; /* most rows of them */

/* A table in memory, column by column. */
typedef struct columns {
    const char *const *names;
    int ncols;
    long rows;
    double *data; /* [ncols][rows] */
    long thinned;
} columns;

static int put_columns(lm_report_part *p, const char *name, const columns *c)
{
    size_t n = (size_t)c->rows;
    int fine = n * (size_t)c->ncols * 8 <= LM_REPORT_FINE, bad = 0;
    void *work = lm_alloc(16 * n);
    if (!work) return 2;
    lm_json_key_open(p->j, name, '{');
    lm_json_key_open(p->j, "columns", '[');
    for (int i = 0; i < c->ncols; i++) lm_json_text(p->j, c->names[i]);
    lm_json_close(p->j, ']');
    lm_json_key_long(p->j, "rows", c->rows);
    lm_json_key_open(p->j, "blobs", '[');
    for (int i = 0; i < c->ncols && !bad; i++) {
        int width = fine || i == 0 ? 8 : 4;
        int id = lm_blobs_numbers(&p->r->blobs, c->data + n * (size_t)i, n, width, work);
        bad = id < 0 ? 2 : 0;
        lm_json_long(p->j, id);
    }
    lm_json_close(p->j, ']');
    lm_json_key_text(p->j, "type", fine ? "f8" : "f4");
    lm_json_key_long(p->j, "thinned", c->thinned);
    lm_json_close(p->j, '}');
    lm_free(work);
    return bad;
}

/* The rows that are kept, as columns behind the `before` first ones. */
static int read_columns(const lm_rows *t, int before, double *data)
{
    enum { BLOCK = 1024 };
    size_t cols = (size_t)t->ncols, kept = (size_t)t->kept;
    double *rows = lm_alloc(sizeof(double) * cols * BLOCK);
    int bad = rows ? 0 : 2;
    for (size_t first = 0; first < kept && !bad; first += BLOCK) {
        size_t n = kept - first < BLOCK ? kept - first : BLOCK;
        bad = lm_rows_read(t, (long)first, (long)n, rows) ? 1 : 0;
        for (size_t c = 0; c < cols && !bad; c++)
            for (size_t i = 0; i < n; i++)
                data[((size_t)before + c) * kept + first + i] = rows[cols * i + c];
    }
    lm_free(rows);
    return bad;
}

/* A table; where its rows belong to those of `results` but do not say so, that one's first column
 * comes first. */
static int put_table(lm_report_part *p, const char *name, lm_rows *t, const lm_rows *results)
{
    int own = t == results || t->rows != results->rows, before = own ? 0 : 1, bad = 0;
    size_t ncols = (size_t)(t->ncols + before);
    if (t->rows == results->rows) lm_rows_thin(t, p->stride);
    columns c = {.ncols = (int)ncols, .rows = t->kept, .thinned = 1};
    const char **names = lm_alloc(sizeof *names * ncols);
    c.data = lm_alloc(sizeof(double) * ncols * (size_t)t->kept);
    if (!names || !c.data) bad = 2;
    if (!bad && before) {
        lm_rows first = *results;
        double *all = lm_alloc(sizeof(double) * (size_t)(results->ncols * t->kept));
        lm_rows_thin(&first, t->stride);
        bad = all ? read_columns(&first, 0, all) : 2;
        if (!bad) memcpy(c.data, all, sizeof(double) * (size_t)t->kept);
        lm_free(all);
        names[0] = results->columns[0];
    }
    if (!bad) bad = read_columns(t, before, c.data);
    for (int i = 0; i < t->ncols && !bad; i++) names[before + i] = t->columns[i];
    c.names = names;
    if (!bad) bad = put_columns(p, name, &c);
    lm_free(names);
    lm_free(c.data);
    return bad;
}

/* ---- steps ---- */

/* Of every `thin` rows the one with the smallest and the one with the largest `step`, in order. */
static long thin_steps(double *data, long rows, int ncols, int step, long thin)
{
    long kept = 0;
    for (long first = 0; first < rows; first += thin) {
        long end = first + thin < rows ? first + thin : rows, low = first, high = first;
        for (long i = first; i < end; i++) {
            if (data[step * rows + i] < data[step * rows + low]) low = i;
            if (data[step * rows + i] > data[step * rows + high]) high = i;
        }
        long pick[2] = {low < high ? low : high, low < high ? high : low};
        for (int k = 0; k < 1 + (low != high); k++, kept++)
            for (int c = 0; c < ncols; c++) data[c * rows + kept] = data[c * rows + pick[k]];
    }
    for (int c = 1; c < ncols; c++) /* close the gaps between the columns */
        memmove(data + c * kept, data + c * rows, sizeof(double) * (size_t)kept);
    return kept;
}

static int put_steps(lm_report_part *p)
{
    lm_rows t;
    int rc = lm_rows_open(&t, p->file->file, p->a->group, "steps"), step = 0;
    if (rc || t.rows == 0) {
        lm_rows_close(&t);
        return rc < 0 ? 1 : 0;
    }
    while (step < t.ncols && strcmp(t.columns[step], "step") != 0) step++;
    columns c = {.names = (const char *const *)t.columns, .ncols = t.ncols, .thinned = 1};
    c.data = lm_alloc(sizeof(double) * (size_t)t.ncols * (size_t)t.rows);
    int bad = c.data ? read_columns(&t, 0, c.data) : 2;
    c.rows = t.rows;
    if (!bad && step < t.ncols && t.rows > STEPS) {
        c.thinned = (2 * t.rows + STEPS - 1) / STEPS;
        c.rows = thin_steps(c.data, t.rows, t.ncols, step, c.thinned);
    }
    if (!bad) bad = put_columns(p, "steps", &c);
    lm_free(c.data);
    lm_rows_close(&t);
    return bad;
}

/* ---- all tables ---- */

/* What is coded otherwise, or not for the reader. */
static int is_other(const char *name)
{
    static const char *const other[] = {
        "results",     "steps",      "poses", "joint_forces",   "shapes", "shapes_imaginary",
        "load_forces", "checkpoint", "power", "power_elements", "events", "event_names"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (!strcmp(name, other[i])) return 1;
    return strlen(name) > 40;
}

static int put_others(lm_report_part *p, const lm_rows *results)
{
    int n = 0, bad = 0;
    char **names = NULL;
    if (lm_h5_list(p->file->file, p->a->group, &n, &names)) return 1;
    for (int i = 0; i < n && !bad; i++) {
        lm_rows t;
        if (is_other(names[i])) continue;
        int rc = lm_rows_open(&t, p->file->file, p->a->group, names[i]);
        if (rc < 0) bad = 1;
        if (!rc) bad = put_table(p, names[i], &t, results);
        lm_rows_close(&t);
    }
    lm_free(names);
    return bad;
}

int lm_report_tables(lm_report_part *p)
{
    lm_rows results;
    int rc = lm_rows_open(&results, p->file->file, p->a->group, "results"), bad = 0;
    if (rc < 0) bad = 1;
    lm_rows_thin(&results, p->stride);
    lm_json_key_long(p->j, "rows", strcmp(p->a->type, "modes") ? results.kept : 0);
    lm_json_key_open(p->j, "tables", '{');
    if (!rc) bad = put_table(p, "results", &results, &results);
    if (!rc && !bad && strcmp(p->a->type, "linearize")) /* matrices are not for the eye */
        bad = put_others(p, &results);
    if (!bad) bad = put_steps(p);
    lm_json_close(p->j, '}');
    if (!bad && p->stride > 1)
        lm_report_note(p->r, "%s of %s: of its %ld rows one in %ld is here, and the last",
                       p->a->name, p->file->name, results.rows, p->stride);
    lm_rows_close(&results);
    return bad;
}

/* ---- vectors ---- */

/* Without the last bits: 12 significant ones are seen as finely as arrows and plots show. */
static float coarse(double x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if ((bits & 0x7f800000u) == 0x7f800000u) return f;
    bits = (bits + 0x800u) & ~0xfffu;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Order component, frame, thing. */
static int read_vectors(const lm_rows *t, int rounded, float *out)
{
    size_t cols = (size_t)t->ncols, n = cols / 6, kept = (size_t)t->kept;
    size_t block = 1 + (1 << 18) / cols;
    double *rows = lm_alloc(sizeof(double) * cols * block);
    int bad = rows ? 0 : 2;
    for (size_t first = 0; first < kept && !bad; first += block) {
        size_t m = kept - first < block ? kept - first : block;
        bad = lm_rows_read(t, (long)first, (long)m, rows) ? 1 : 0;
        for (size_t k = 0; k < cols * m && !bad; k++) {
            float f = rounded ? coarse(rows[k]) : (float)rows[k];
            out[(k % 6 * kept + first + k / cols) * n + k % cols / 6] = f;
        }
    }
    lm_free(rows);
    return bad;
}

static int put_vectors(lm_report_part *p, const char *key, lm_rows *t)
{
    lm_rows_thin(t, p->stride);
    size_t n = (size_t)t->ncols * (size_t)t->kept;
    int rounded = n * 4 > LM_REPORT_FINE, id = -1, before = p->r->blobs.n;
    float *values = lm_alloc(8 * n);
    int bad = values ? read_vectors(t, rounded, values) : 2;
    if (!bad) {
        lm_split_bytes(values, n, 4, (unsigned char *)(values + n));
        id = lm_blobs_add(&p->r->blobs, values + n, 4 * n);
        if (id < 0) bad = 2;
    }
    lm_free(values);
    if (bad) return bad;
    size_t took = p->r->blobs.at[id].size;
    if (took > p->r->budget / 8) { /* too much for what it shows */
        lm_blobs_cut(&p->r->blobs, before);
        lm_report_note(p->r, "%s of %s are left out, they would take %.0f MB; they are in the file",
                       strcmp(key, "joint_forces") ? "forces of loads" : "forces in joints",
                       p->file->name, 1e-6 * (double)took);
        lm_json_key_null(p->j, key);
        return 0;
    }
    lm_json_key_open(p->j, key, '{');
    lm_json_key_long(p->j, "count", t->ncols / 6);
    lm_json_key_long(p->j, "rows", t->kept);
    lm_json_key_long(p->j, "blob", id);
    lm_json_close(p->j, '}');
    return 0;
}

int lm_report_vectors(lm_report_part *p, const char *key, int expected)
{
    lm_rows t;
    int rc = lm_rows_open(&t, p->file->file, p->a->group, key), bad = rc < 0;
    if (!rc && t.rows > 0 && t.ncols == 6 * expected)
        bad = put_vectors(p, key, &t);
    else
        lm_json_key_null(p->j, key);
    lm_rows_close(&t);
    return bad;
}
