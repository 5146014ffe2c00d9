/* Mode shapes. */
#include "view/report_int.h"

#include <math.h>
#include <string.h>

enum { TWIST = 6 };

/* One column of a table as numbers in the JSON; nothing where it is missing. */
static int put_column(lm_report_part *p, const char *key, const char *table, const char *column)
{
    lm_rows t;
    int rc = lm_rows_open(&t, p->file->file, p->a->group, table), c = 0;
    double *row = rc ? NULL : lm_alloc(sizeof(double) * (size_t)t.ncols);
    int bad = rc < 0 ? 1 : rc || row ? 0 : 2;
    while (!rc && c < t.ncols && strcmp(t.columns[c], column) != 0) c++;
    lm_json_key_open(p->j, key, '[');
    for (long i = 0; i < t.rows && !rc && !bad && c < t.ncols; i++) {
        bad = lm_rows_read(&t, i, 1, row) ? 1 : 0;
        lm_json_exact(p->j, bad ? NAN : row[c]);
    }
    lm_json_close(p->j, ']');
    lm_free(row);
    lm_rows_close(&t);
    return bad;
}

static int put_rest(lm_report_part *p)
{
    lm_rows t;
    int rc = lm_rows_open(&t, p->file->file, p->a->group, "poses");
    double *row = rc ? NULL : lm_alloc(sizeof(double) * (size_t)t.ncols);
    int bad = rc < 0 ? 1 : rc || row ? 0 : 2;
    lm_json_key_open(p->j, "poses", '[');
    if (!rc && !bad && t.rows > 0) {
        bad = lm_rows_read(&t, 0, 1, row) ? 1 : 0;
        for (int i = 0; i < t.ncols && !bad; i++) lm_json_number(p->j, row[i]);
    }
    lm_json_close(p->j, ']');
    lm_free(row);
    lm_rows_close(&t);
    return bad;
}

/* The pose that moves most, and how: translations first; a shape that only turns says so. */
static void describe(const lm_report_part *p, const double *shape, int poses)
{
    int most[2] = {-1, -1};
    double size[2] = {0, 0};
    for (int i = 0; i < TWIST * poses; i++) {
        int turn = i % TWIST >= 3;
        if (fabs(shape[i]) > size[turn]) size[turn] = fabs(shape[i]), most[turn] = i;
    }
    double length = p->scene->size;
    int turns = size[1] * length > 1e3 * size[0] || most[0] < 0, at = most[turns];
    char text[300] = "";
    if (at >= 0)
        snprintf(text, sizeof text, "%.200s %s %c", p->file->pose_names[at / TWIST],
                 turns ? "turning about" : "along", "xyz"[at % 3]);
    lm_json_text(p->j, text);
}

/* Real and imaginary shapes of all modes, one after the other, as f4. */
static int read_shapes(lm_report_part *p, lm_rows t[2], double *row, float *out)
{
    size_t n = (size_t)t[0].ncols;
    int bad = 0;
    lm_json_key_open(p->j, "describe", '[');
    for (long i = 0; i < t[0].rows && !bad; i++)
        for (int part = 0; part < 2 && !bad; part++) {
            bad = lm_rows_read(&t[part], i, 1, row) ? 1 : 0;
            float *to = out + n * (size_t)(2 * i + part);
            for (size_t k = 0; k < n && !bad; k++) to[k] = (float)row[k];
            if (!bad && part == 0) describe(p, row, t[0].ncols / TWIST);
        }
    lm_json_close(p->j, ']');
    return bad;
}

static int put_shapes(lm_report_part *p, lm_rows t[2])
{
    size_t n = 2 * (size_t)t[0].rows * (size_t)t[0].ncols;
    double *row = lm_alloc(sizeof(double) * (size_t)t[0].ncols);
    float *values = lm_alloc(2 * sizeof(float) * n);
    int bad = row && values ? read_shapes(p, t, row, values) : 2, id = -1;
    if (!bad) {
        lm_split_bytes(values, n, 4, (unsigned char *)(values + n));
        id = lm_blobs_add(&p->r->blobs, values + n, 4 * n);
        if (id < 0) bad = 2;
    }
    lm_json_key_long(p->j, "blob", id);
    lm_free(row);
    lm_free(values);
    return bad;
}

static int put_all(lm_report_part *p, lm_rows t[2])
{
    lm_json_key_open(p->j, "modes", '{');
    lm_json_key_long(p->j, "count", t[0].rows);
    int bad = put_rest(p);
    if (!bad) bad = put_column(p, "frequency", "results", "frequency");
    if (!bad) bad = put_column(p, "damping_ratio", "results", "damping_ratio");
    if (!bad) bad = put_column(p, "real", "eigenvalues", "real");
    if (!bad) bad = put_column(p, "imaginary", "eigenvalues", "imaginary");
    if (!bad) bad = put_shapes(p, t);
    lm_json_close(p->j, '}');
    return bad;
}

int lm_report_modes(lm_report_part *p)
{
    lm_rows t[2];
    int a = lm_rows_open(&t[0], p->file->file, p->a->group, "shapes");
    int b = lm_rows_open(&t[1], p->file->file, p->a->group, "shapes_imaginary");
    int bad = a < 0 || b < 0, fits = !a && !b && t[0].rows > 0 && t[0].rows == t[1].rows &&
                                     t[0].ncols == t[1].ncols && p->scene &&
                                     t[0].ncols == TWIST * p->scene->m->nnodes;
    if (!bad && fits)
        bad = put_all(p, t);
    else
        lm_json_key_null(p->j, "modes");
    lm_rows_close(&t[0]);
    lm_rows_close(&t[1]);
    return bad;
}
