#include "view/vtk.h"

#include "io/out.h"
#include "view/cuts.h"
#include "view/scene.h"
#include "view/vtu.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { VTK_VERTEX = 1, VTK_LINE = 3 };

typedef struct writer {
    lm_result file;
    lm_scene scene;
    lm_cuts *cuts;
    lm_arena arena;
    const char *folder;
    lm_vtu vtu; /* what is the same in all files; per file arrays are added behind */
    int npoints, ncells;
    float *points;    /* [3 npoints] */
    float *field[11]; /* displacement, rotation; 7 cuts; of modes four vectors in the first */
    int32_t *connect, *offset, *body;
    uint8_t *type;
    double *values; /* cuts of one frame */
    char *err;
    size_t size;
} writer;

static const char *const vector_name[] = {"displacement", "rotation"};
static const char *const shape_name[] = {"shape", "shape_rotation", "shape_imaginary",
                                         "shape_imaginary_rotation"};

/* ---- the grid ---- */

static void count_cells(writer *w)
{
    const lm_model *m = w->scene.m;
    w->npoints = m->nnodes;
    w->ncells = m->nelements;
    for (int i = 0; i < m->nbodies; i++) {
        const lm_scene_body *b = &w->scene.bodies[i];
        int rigid = m->bodies[i].type == LM_BODY_RIGID;
        w->npoints += b->npoints;
        w->ncells += rigid + b->npoints + b->nedges;
    }
}

static void add_cell(writer *w, int *cell, int *place, int type, int body, int a, int b)
{
    w->connect[(*place)++] = a;
    if (type == VTK_LINE) w->connect[(*place)++] = b;
    w->offset[*cell] = *place;
    w->type[*cell] = (uint8_t)type;
    w->body[(*cell)++] = body;
}

static void add_body(writer *w, int i, int *cell, int *place, int *point)
{
    const lm_model *m = w->scene.m;
    const lm_scene_body *b = &w->scene.bodies[i];
    const lm_beam *beam = &m->beams[i];
    int first = m->bodies[i].first_node;
    for (int k = 0; k < beam->nelements; k++) {
        const int *node = m->elements[beam->first_element + k].node;
        add_cell(w, cell, place, VTK_LINE, i, node[0], node[1]);
    }
    for (int k = 0; k < b->nedges; k++)
        add_cell(w, cell, place, VTK_LINE, i, first + b->edges[k][0], first + b->edges[k][1]);
    if (m->bodies[i].type == LM_BODY_RIGID) add_cell(w, cell, place, VTK_VERTEX, i, first, 0);
    for (int k = 0; k < b->npoints; k++) add_cell(w, cell, place, VTK_LINE, i, first, (*point)++);
}

static const char **body_names(writer *w)
{
    const lm_model *m = w->scene.m;
    const char **names = LM_NEW_N(&w->arena, const char *, m->nbodies);
    for (int i = 0; i < m->nbodies; i++) names[i] = m->bodies[i].name;
    return names;
}

static void make_grid(writer *w)
{
    const lm_model *m = w->scene.m;
    lm_arena *a = &w->arena;
    int cell = 0, place = 0, point = m->nnodes;
    count_cells(w);
    w->points = LM_NEW_N(a, float, 3 * w->npoints);
    for (int i = 0; i < 11; i++) w->field[i] = LM_NEW_N(a, float, (i < 4 ? 3 : 1) * w->npoints);
    w->connect = LM_NEW_N(a, int32_t, 2 * w->ncells);
    w->offset = LM_NEW_N(a, int32_t, w->ncells);
    w->body = LM_NEW_N(a, int32_t, w->ncells);
    w->type = LM_NEW_N(a, uint8_t, w->ncells);
    w->values = LM_NEW_N(a, double, LM_CUTS *lm_cuts_count(w->cuts));
    for (int i = 0; i < m->nbodies; i++) add_body(w, i, &cell, &place, &point);
    lm_vtu *v = &w->vtu;
    size_t np = (size_t)w->npoints, nc = (size_t)w->ncells;
    *v = (lm_vtu){.npoints = w->npoints, .ncells = w->ncells};
    v->bodies = body_names(w);
    v->nbodies = m->nbodies;
    lm_vtu_add(v, LM_VTU_POINTS, "points", "Float32", 3, w->points, 12 * np);
    lm_vtu_add(v, LM_VTU_CELLS, "connectivity", "Int32", 1, w->connect, 4 * (size_t)place);
    lm_vtu_add(v, LM_VTU_CELLS, "offsets", "Int32", 1, w->offset, 4 * nc);
    lm_vtu_add(v, LM_VTU_CELLS, "types", "UInt8", 1, w->type, nc);
    lm_vtu_add(v, LM_VTU_CELL, "body", "Int32", 1, w->body, 4 * nc);
}

/* ---- one frame ---- */

static void put_float3(float *to, lm_v3 x)
{
    to[0] = (float)x.x, to[1] = (float)x.y, to[2] = (float)x.z;
}

/* What a small motion does to a point of a body: for poses themselves the arm is zero. */
typedef void place_point(writer *w, int point, int pose, lm_v3 at, const double *data);

static void each_point(writer *w, place_point *put, const double *data)
{
    const lm_model *m = w->scene.m;
    int point = m->nnodes;
    for (int n = 0; n < m->nnodes; n++) put(w, n, n, v3(0, 0, 0), data);
    for (int i = 0; i < m->nbodies; i++)
        for (int k = 0; k < w->scene.bodies[i].npoints; k++)
            put(w, point++, m->bodies[i].first_node, w->scene.bodies[i].points[k], data);
}

static lm_v3 point_at(const double *pose, lm_v3 at)
{
    lm_m3 R = quat_m3(quat_from(pose + 3));
    return v3_add(v3_from(pose), m3_v(&R, at));
}

static void put_position(writer *w, int point, int pose, lm_v3 at, const double *row)
{
    put_float3(w->points + 3 * point, point_at(row + 7 * pose, at));
}

static void put_displacement(writer *w, int point, int pose, lm_v3 at, const double *row)
{
    const double *now = row + 7 * pose, *rest = w->scene.rest + 7 * pose;
    lm_quat back = {rest[3], -rest[4], -rest[5], -rest[6]};
    lm_v3 moved = v3_sub(point_at(now, at), point_at(rest, at));
    put_float3(w->field[0] + 3 * point, moved);
    put_float3(w->field[1] + 3 * point, lm_quat_log(quat_mul(quat_from(now + 3), back)));
}

/* Cuts stand at the nodes of beams, beam by beam. */
static int put_cuts(writer *w, long number, const double *row)
{
    const lm_model *m = w->scene.m;
    int count = lm_cuts_count(w->cuts), k = 0;
    for (int q = 0; q < LM_CUTS; q++)
        for (int i = 0; i < w->npoints; i++) w->field[4 + q][i] = NAN;
    if (!count) return 0;
    if (lm_cuts_eval(w->cuts, number, row, w->values)) return -1;
    for (int b = 0; b < m->nbodies; b++)
        for (int n = 0; n < m->bodies[b].nnodes && m->beams[b].nelements; n++, k++)
            for (int q = 0; q < LM_CUTS; q++)
                w->field[4 + q][m->bodies[b].first_node + n] = (float)w->values[q * count + k];
    return 0;
}

static int write_file(writer *w, const lm_vtu *v, const char *name, long number)
{
    char path[1200];
    int n = snprintf(path, sizeof path, "%s/%s_%06ld.vtu", w->folder, name, number);
    if (n >= (int)sizeof path) return snprintf(w->err, w->size, "the path is too long"), -1;
    return lm_vtu_write(v, path, w->err, w->size);
}

static int write_frame(writer *w, const char *name, long number, double time, const double *row)
{
    lm_vtu v = w->vtu;
    size_t np = (size_t)w->npoints;
    each_point(w, put_position, row);
    each_point(w, put_displacement, row);
    for (int i = 0; i < 2; i++)
        lm_vtu_add(&v, LM_VTU_POINT, vector_name[i], "Float32", 3, w->field[i], 12 * np);
    for (int q = 0; q < LM_CUTS; q++)
        lm_vtu_add(&v, LM_VTU_POINT, lm_cut_name[q], "Float32", 1, w->field[4 + q], 4 * np);
    v.value[v.nvalues].name = "TimeValue";
    v.value[v.nvalues++].value = time;
    return write_file(w, &v, name, number);
}

/* ---- the collection ---- */

static int open_collection(writer *w, const char *name, lm_out **out)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1000s/%.100s.pvd", w->folder, name);
    if (lm_out_open(path, out, w->err, w->size)) return -1;
    lm_out_printf(*out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                        "byte_order=\"LittleEndian\">\n<Collection>\n");
    return 0;
}

static int close_collection(writer *w, lm_out *out)
{
    lm_out_printf(out, "</Collection>\n</VTKFile>\n");
    return lm_out_close(out, w->err, w->size);
}

static void list_file(lm_out *out, const char *name, long number, double time)
{
    lm_out_printf(out, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"%.100s_%06ld.vtu\"/>\n", time,
                  name, number);
}

/* ---- analyses ---- */

/* All functions below: 0, 1 (the result file cannot be read), 2 (no memory), 3 (w->err says what). */
static int write_series(writer *w, const lm_result_analysis *a, const lm_rows *results,
                        const lm_rows *poses, double *row)
{
    lm_out *list = NULL;
    int bad = open_collection(w, a->name, &list) ? 3 : 0;
    double *pose = row + results->ncols;
    for (long i = 0; i < poses->rows && i < results->rows && !bad; i++) {
        if (lm_rows_read(results, i, 1, row) || lm_rows_read(poses, i, 1, pose)) bad = 1;
        if (!bad && put_cuts(w, i, pose)) bad = 1;
        if (!bad && write_frame(w, a->name, i, row[0], pose)) bad = 3;
        if (!bad) list_file(list, a->name, i, row[0]);
    }
    if (bad)
        lm_out_drop(list);
    else if (close_collection(w, list))
        bad = 3;
    return bad;
}

/* A shape moves a point by u + theta x arm. */
static void put_shape(writer *w, int point, int pose, lm_v3 at, const double *shape)
{
    const double *rest = shape + 12 * w->scene.m->nnodes + 7 * pose;
    lm_v3 arm = v3_sub(point_at(rest, at), v3_from(rest));
    for (int part = 0; part < 2; part++) {
        const double *s = shape + 6 * part * w->scene.m->nnodes + 6 * pose;
        lm_v3 turn = v3_from(s + 3);
        put_float3(w->field[2 * part] + 3 * point, v3_add(v3_from(s), v3_cross(turn, arm)));
        put_float3(w->field[2 * part + 1] + 3 * point, turn);
    }
}

static int write_mode(writer *w, const char *name, long number, const double result[4],
                      const double *data)
{
    lm_vtu v = w->vtu;
    size_t np = (size_t)w->npoints;
    each_point(w, put_position, data + 12 * w->scene.m->nnodes);
    each_point(w, put_shape, data);
    for (int i = 0; i < 4; i++)
        lm_vtu_add(&v, LM_VTU_POINT, shape_name[i], "Float32", 3, w->field[i], 12 * np);
    static const char *const value[] = {"mode", "frequency", "omega", "damping_ratio"};
    for (int i = 0; i < 4; i++) {
        v.value[i].name = value[i];
        v.value[i].value = result[i];
    }
    v.nvalues = 4;
    return write_file(w, &v, name, number);
}

/* data: shape, imaginary part, state that they are about. */
static int write_modes(writer *w, const lm_result_analysis *a, const lm_rows t[4], double *data)
{
    lm_out *list = NULL;
    size_t n = 6 * (size_t)w->scene.m->nnodes;
    int bad = open_collection(w, a->name, &list) ? 3 : 0;
    if (!bad && lm_rows_read(&t[3], 0, 1, data + 2 * n)) bad = 1;
    for (long i = 0; i < t[0].rows && !bad; i++) {
        double result[4];
        if (lm_rows_read(&t[0], i, 1, result) || lm_rows_read(&t[1], i, 1, data) ||
            lm_rows_read(&t[2], i, 1, data + n))
            bad = 1;
        if (!bad && write_mode(w, a->name, i + 1, result, data)) bad = 3;
        if (!bad) list_file(list, a->name, i + 1, result[0]);
    }
    if (bad)
        lm_out_drop(list);
    else if (close_collection(w, list))
        bad = 3;
    return bad;
}

static int modes(writer *w, const lm_result_analysis *a)
{
    static const char *const name[] = {"results", "shapes", "shapes_imaginary", "poses"};
    const int cols[] = {4, 6 * w->scene.m->nnodes, 6 * w->scene.m->nnodes, 7 * w->scene.m->nnodes};
    lm_rows t[4];
    int rc = 0, fits = 1, bad = 0;
    for (int i = 0; i < 4; i++) {
        int one = lm_rows_open(&t[i], w->file.file, a->group, name[i]);
        if (one < 0) rc = -1;
        fits &= !one && t[i].ncols == cols[i] && t[i].rows >= (i == 3 ? 1 : t[0].rows);
    }
    if (rc < 0) bad = 1;
    if (!bad && fits) {
        double *data = lm_alloc(sizeof(double) * 19 * (size_t)w->scene.m->nnodes);
        bad = data ? write_modes(w, a, t, data) : 2;
        lm_free(data);
    }
    for (int i = 0; i < 4; i++) lm_rows_close(&t[i]);
    return bad;
}

static int series(writer *w, const lm_result_analysis *a)
{
    lm_rows t[2];
    int r = lm_rows_open(&t[0], w->file.file, a->group, "results");
    int p = lm_rows_open(&t[1], w->file.file, a->group, "poses"), bad = r < 0 || p < 0;
    if (!bad) bad = lm_cuts_open(w->cuts, w->file.file, a->group);
    if (!bad && !r && !p && t[1].ncols == 7 * w->scene.m->nnodes) {
        double *row = lm_alloc(sizeof(double) * (size_t)(t[0].ncols + t[1].ncols));
        bad = row ? write_series(w, a, &t[0], &t[1], row) : 2;
        lm_free(row);
    }
    lm_rows_close(&t[0]);
    lm_rows_close(&t[1]);
    return bad;
}

/* ---- the file ---- */

static int write_all(writer *w)
{
    jmp_buf oom;
    if (lm_scene_make(&w->scene, w->file.model)) return 2;
    w->cuts = lm_cuts_new(w->file.model);
    if (!w->cuts) return 2;
    w->arena.on_fail = &oom;
    if (setjmp(oom)) return 2;
    make_grid(w);
    w->arena.on_fail = NULL;
    int bad = 0;
    for (int i = 0; i < w->file.analyses.n && !bad; i++) {
        const lm_result_analysis *a = &w->file.analyses.at[i];
        bad = strcmp(a->type, "modes") ? series(w, a) : modes(w, a);
    }
    return bad;
}

static limber_status status_of(writer *w, int bad)
{
    if (bad == 1)
        snprintf(w->err, w->size, "%s; the file is damaged or incomplete: run the model again",
                 lm_h5_error(w->file.file));
    if (bad == 2) snprintf(w->err, w->size, "%s: out of memory", w->file.path);
    return bad == 0 ? LIMBER_OK : bad == 1 ? LIMBER_INPUT : bad == 2 ? LIMBER_MEMORY : LIMBER_IO;
}

limber_status lm_vtk_write(const char *results, const char *folder, const lm_result_how *how,
                           char *err, size_t size)
{
    writer w = {.folder = folder, .err = err, .size = size};
    int bad = lm_result_open(&w.file, results, how, err, size);
    if (bad) return bad == 1 ? LIMBER_INPUT : LIMBER_MEMORY;
    limber_status st;
    if (!w.file.model) {
        snprintf(err, size, "%s cannot be drawn: the model in it could not be read again (%s)",
                 results, w.file.why);
        st = LIMBER_INPUT;
    } else
        st = status_of(&w, write_all(&w));
    lm_cuts_free(w.cuts);
    lm_scene_free(&w.scene);
    lm_arena_free(&w.arena);
    lm_result_close(&w.file);
    return st;
}
