/* The linearised model in the result file (docs/results.md) and in Matrix Market files. */
#include "analysis/linearize.h"
#include "io/out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 400 };

typedef struct names {
    const char **state, **motion, **input, **output;
} names;

typedef struct matrix {
    const char *name; /* in the group; of files with '_' for '/' */
    int rows, cols;
    const double *A;
    const char **columns;
} matrix;

enum { NMATRICES = 9, FIRST_ORDER = 4 };

/* States of a machine, and of motions without mass that dampers hold, are not all positions and velocities: there is no form of
 * second order. */
static int count_matrices(const lm_linearized *l)
{
    return l->ns != 2 * l->n2 ? FIRST_ORDER : NMATRICES;
}

/* ---- names ---- */

static int name_all(const lm_linearized *l, lm_arena *arena, names *to)
{
    const lm_spec *spec = l->sys->model->spec;
    char text[NAME];
    int missing = 0;
    to->state = LM_NEW_N(arena, const char *, l->ns + 1);
    to->input = LM_NEW_N(arena, const char *, l->nu + 1);
    to->output = LM_NEW_N(arena, const char *, l->ny + 1);
    if (!to->state || !to->input || !to->output) return -1;
    to->motion = to->state;
    for (int i = 0; i < l->ns; i++) {
        lm_linearized_state_name(l, i, text, sizeof text);
        missing |= !(to->state[i] = lm_arena_str(arena, text));
    }
    for (int i = 0; i < l->nu; i++) {
        lm_input_name(spec, &l->input[i], text, sizeof text);
        missing |= !(to->input[i] = lm_arena_str(arena, text));
    }
    for (int i = 0; i < l->ny; i++) to->output[i] = spec->outputs.at[l->output[i]].item.name;
    return missing ? -1 : 0;
}

static void list_matrices(const lm_linearized *l, const names *x, matrix to[NMATRICES])
{
    int n = l->n2, ns = l->ns;
    const matrix all[NMATRICES] = {{"A", ns, ns, l->A, x->state},
                                   {"B", ns, l->nu, l->B, x->input},
                                   {"C", l->ny, ns, l->C, x->state},
                                   {"D", l->ny, l->nu, l->D1, x->input},
                                   {"second_order/M", n, n, l->M, x->motion},
                                   {"second_order/D", n, n, l->D, x->motion},
                                   {"second_order/K", n, n, l->K, x->motion},
                                   {"second_order/B", n, l->nu, l->B2, x->input},
                                   {"second_order/S", n, n, l->S, x->motion}};
    memcpy(to, all, sizeof all);
}

/* ---- the result file ---- */

/* Tables are written row by row. Without columns there is none. */
static int put_matrix(lm_run *run, const matrix *m, double *row)
{
    if (m->cols == 0) return 0;
    int id = lm_record_table(run, m->name, m->cols, (const char *const *)m->columns), bad = id < 0;
    for (int r = 0; r < m->rows && !bad; r++) {
        for (int c = 0; c < m->cols; c++) row[c] = m->A[(size_t)m->rows * (size_t)c + (size_t)r];
        bad = lm_h5_append(run->file, id, row);
    }
    return bad;
}

/* Names, a line each. -1: the file fails, -2: no memory. */
static int put_names(lm_run *run, const char *what, int n, const char *const *name)
{
    char path[96];
    size_t size = 1, used = 0;
    for (int i = 0; i < n; i++) size += strlen(name[i]) + 1;
    char *text = lm_alloc(size);
    if (!text) return -2;
    for (int i = 0; i < n; i++) used += (size_t)snprintf(text + used, size - used, "%s\n", name[i]);
    snprintf(path, sizeof path, "%s/%s", run->tables.group, what);
    int bad = lm_h5_write_text(run->file, path, text);
    lm_free(text);
    return bad ? -1 : 0;
}

static const char *const pole_columns[] = {"real", "imaginary", "frequency", "damping_ratio"};

static int put_poles(lm_run *run, const lm_linearized *l, const char *table)
{
    int id = lm_record_table(run, table, 4, pole_columns), bad = id < 0;
    for (int i = 0; i < l->npoles && !bad; i++) {
        const lm_pole *p = &l->pole[i];
        double size = hypot(p->re, p->im);
        double row[4] = {p->re, p->im, p->im > 0 ? size / (2 * acos(-1.0)) : 0,
                         size > 0 ? -p->re / size : 0};
        bad = lm_h5_append(run->file, id, row);
    }
    return bad;
}

/* A row for each of the slowest poles: real parts over the states, then imaginary ones. */
static int put_vectors(lm_run *run, const lm_linearized *l, const char *table, double *const v[2],
                       const names *x, lm_arena *arena)
{
    int ns = l->ns, bad = 0;
    const char **columns = LM_NEW_N(arena, const char *, 2 * ns);
    double *row = LM_NEW_N(arena, double, 2 * ns);
    if (!columns || !row) return -2;
    for (int i = 0; i < 2 * ns; i++) {
        columns[i] =
            lm_arena_printf(arena, "%s, %s", x->state[i % ns], i < ns ? "real" : "imaginary");
        if (!columns[i]) return -2;
    }
    int id = lm_record_table(run, table, 2 * ns, columns);
    if (id < 0) return id;
    for (int k = 0; k < l->nvectors && !bad; k++) {
        for (int part = 0; part < 2; part++)
            memcpy(row + part * ns, v[part] + (size_t)ns * (size_t)k, sizeof(double) * (size_t)ns);
        bad = lm_h5_append(run->file, id, row);
    }
    return bad;
}

/* frequency, then magnitude and phase of each output by each input. */
static int transfer_table(lm_run *run, const lm_linearized *l, const names *x, lm_arena *arena)
{
    int n = 1 + 2 * l->ny * l->nu, at = 1;
    const char **columns = LM_NEW_N(arena, const char *, n);
    if (!columns) return -2;
    columns[0] = "frequency";
    for (int o = 0; o < l->ny; o++)
        for (int i = 0; i < l->nu; i++)
            for (int part = 0; part < 2; part++) {
                const char *text = lm_arena_printf(arena, "%s/%s.%s", x->output[o], x->input[i],
                                                   part ? "phase" : "magnitude");
                if (!text) return -2;
                columns[at++] = text;
            }
    return lm_record_table(run, "results", n, columns);
}

/* One frequency; at a pole there is no response. */
static int transfer_row(const lm_linearized *l, double f, double *row, double *work)
{
    size_t count = (size_t)l->ny * (size_t)l->nu;
    double *re = work, *im = work + count;
    int bad = lm_linearized_transfer(l, f, re, im);
    if (bad < 0) return -2;
    row[0] = f;
    for (int o = 0; o < l->ny; o++)
        for (int i = 0; i < l->nu; i++) {
            size_t from = (size_t)l->ny * (size_t)i + (size_t)o;
            double *to = row + 1 + 2 * (l->nu * o + i);
            to[0] = bad ? NAN : hypot(re[from], im[from]);
            to[1] = bad ? NAN : atan2(im[from], re[from]);
        }
    return 0;
}

/* At equal ratios from the first frequency to the last. */
static int put_transfer(lm_run *run, const lm_spec_analysis *a, const lm_linearized *l,
                        const names *x, lm_arena *arena)
{
    const double *f = a->frequencies;
    size_t count = (size_t)l->ny * (size_t)l->nu;
    int id = transfer_table(run, l, x, arena), bad = id < 0 ? id : 0, last = (int)f[2] - 1;
    double *row = LM_NEW_N(arena, double, 1 + 4 * count + 1),
           *work = row ? row + 1 + 2 * count : NULL;
    if (!row) return -2;
    for (int i = 0; i <= last && !bad; i++) {
        double at =
            i == last && i > 0 ? f[1] : f[0] * pow(f[1] / f[0], last ? (double)i / last : 0);
        bad = transfer_row(l, at, row, work);
        if (!bad) bad = lm_h5_append(run->file, id, row);
    }
    return bad;
}

static int put_attributes(lm_run *run, const lm_linearized *l)
{
    const char *group = run->tables.group;
    int bad = lm_h5_write_attr_text(run->file, group, "about", l->v ? "motion" : "rest");
    bad |= lm_h5_write_attr_num(run->file, group, "t", l->t);
    return bad ? -1 : 0;
}

static int put_file(lm_run *run, const lm_spec_analysis *a, const lm_linearized *l, const names *x,
                    const matrix m[NMATRICES], lm_arena *arena)
{
    int wide = l->ns > l->nu ? l->ns : l->nu, functions = a->frequencies[2] > 0;
    double *row = LM_NEW_N(arena, double, wide + 1);
    if (!row) return -2;
    int bad = put_attributes(run, l);
    if (!bad) bad = functions ? put_transfer(run, a, l, x, arena) : put_poles(run, l, "results");
    if (!bad) bad = put_poles(run, l, "poles");
    if (!bad && l->nvectors) bad = put_vectors(run, l, "right_vectors", l->right, x, arena);
    if (!bad && l->nvectors) bad = put_vectors(run, l, "left_vectors", l->left, x, arena);
    if (!bad) bad = put_names(run, "state_names", l->ns, x->state);
    if (!bad) bad = put_names(run, "input_names", l->nu, x->input);
    if (!bad) bad = put_names(run, "output_names", l->ny, x->output);
    for (int i = 0; i < count_matrices(l) && !bad; i++) bad = put_matrix(run, &m[i], row);
    return bad;
}

/* ---- Matrix Market ---- */

/* FOLDER/linearize_second_order_M.mtx */
static void file_name(const lm_run *run, const char *name, const char *end, char *path, size_t size)
{
    int n = snprintf(path, size, "%s/%s_", run->opt->matrices, run->tables.group + 1);
    for (; *name && n + 1 < (int)size; name++) path[n++] = *name == '/' ? '_' : *name;
    snprintf(path + n, size - (size_t)n, "%s", end);
}

static limber_status close_file(lm_run *run, lm_out *out)
{
    char err[300];
    return lm_out_close(out, err, sizeof err) ? lm_stop(run, LIMBER_IO, "%s", err) : LIMBER_OK;
}

static limber_status open_file(lm_run *run, const char *name, const char *end, lm_out **out)
{
    char path[4096], err[300];
    file_name(run, name, end, path, sizeof path);
    if (lm_out_open(path, out, err, sizeof err)) return lm_stop(run, LIMBER_IO, "%s", err);
    return LIMBER_OK;
}

static limber_status write_matrix(lm_run *run, const matrix *m)
{
    lm_out *out = NULL;
    limber_status st = open_file(run, m->name, ".mtx", &out);
    if (st) return st;
    lm_out_printf(out, "%%%%MatrixMarket matrix array real general\n%d %d\n", m->rows, m->cols);
    for (size_t i = 0; i < (size_t)m->rows * (size_t)m->cols; i++)
        lm_out_printf(out, "%.17g\n", m->A[i]);
    return close_file(run, out);
}

static limber_status write_names(lm_run *run, const lm_linearized *l, const names *x)
{
    lm_out *out = NULL;
    limber_status st = open_file(run, "names", ".txt", &out);
    if (st) return st;
    for (int i = 0; i < l->ns; i++) lm_out_printf(out, "state %d: %.300s\n", i + 1, x->state[i]);
    for (int i = 0; i < l->nu; i++) lm_out_printf(out, "input %d: %.300s\n", i + 1, x->input[i]);
    for (int i = 0; i < l->ny; i++) lm_out_printf(out, "output %d: %.300s\n", i + 1, x->output[i]);
    return close_file(run, out);
}

static limber_status write_files(lm_run *run, const lm_linearized *l, const names *x,
                                 const matrix m[NMATRICES])
{
    limber_status st = write_names(run, l, x);
    for (int i = 0; i < count_matrices(l) && !st; i++) st = write_matrix(run, &m[i]);
    return st;
}

/* ---- */

limber_status lm_linearize_record(lm_run *run, const lm_spec_analysis *a, const lm_linearized *l)
{
    lm_arena arena = {0};
    names x;
    matrix m[NMATRICES];
    limber_status st = name_all(l, &arena, &x) ? LIMBER_MEMORY : LIMBER_OK;
    if (!st) list_matrices(l, &x, m);
    if (!st && run->file) {
        int bad = put_file(run, a, l, &x, m, &arena);
        run->sum->rows += a->frequencies[2] > 0 ? (long)a->frequencies[2] : l->npoles;
        st = bad == -2 ? LIMBER_MEMORY : bad ? lm_record_failed(run) : LIMBER_OK;
    }
    if (!st && run->opt->matrices) st = write_files(run, l, &x, m);
    lm_arena_free(&arena);
    return st;
}
