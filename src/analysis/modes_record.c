/* Modes in the result file: docs/results.md tells the layout. */
#include "analysis/modes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RESULTS, EIGENVALUES, PARTICIPATION, SHAPES, SHAPES_IMAGINARY, POSES, NTABLES };
enum { POSE = LM_POSE_PARTS, TWIST = 6 };

static const char *const table_name[NTABLES] = {"results", "eigenvalues",      "participation",
                                                "shapes",  "shapes_imaginary", "poses"};
static const char *const results_columns[] = {"mode", "frequency", "omega", "damping_ratio"};
static const char *const eigenvalue_columns[] = {"real", "imaginary"};
static const char *const participation_columns[] = {
    "x", "y", "z", "rx", "ry", "rz", "mass_x", "mass_y", "mass_z", "mass_rx", "mass_ry", "mass_rz"};

/* ---- tables ---- */

/* Columns NAME.PART, a name for each pose. -1: the file fails, -2: no memory. */
static int pose_table(lm_run *run, lm_arena *arena, int table, int n, const char *const *part)
{
    char path[96];
    const char *const *names = lm_record_pose_columns(run, arena, n, part);
    if (!names) return -2;
    snprintf(path, sizeof path, "%s/%s", run->tables.group, table_name[table]);
    return lm_h5_table(run->file, path, n * run->sys->nposes, names, 1);
}

static int plain_table(lm_run *run, int table, int n, const char *const *columns)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", run->tables.group, table_name[table]);
    return lm_h5_table(run->file, path, n, columns, 64);
}

/* All tables; a run that is resumed fills them anew. */
static limber_status open_tables(lm_run *run, int id[NTABLES])
{
    static const char *const twist_part[] = {"x", "y", "z", "rx", "ry", "rz"};
    lm_arena arena = {0};
    int bad = 0;
    id[RESULTS] = plain_table(run, RESULTS, 4, results_columns);
    id[EIGENVALUES] = plain_table(run, EIGENVALUES, 2, eigenvalue_columns);
    id[PARTICIPATION] = plain_table(run, PARTICIPATION, 12, participation_columns);
    id[SHAPES] = pose_table(run, &arena, SHAPES, TWIST, twist_part);
    id[SHAPES_IMAGINARY] = pose_table(run, &arena, SHAPES_IMAGINARY, TWIST, twist_part);
    id[POSES] = pose_table(run, &arena, POSES, POSE, lm_pose_part);
    lm_arena_free(&arena);
    for (int i = 0; i < NTABLES; i++) {
        if (id[i] == -2) return LIMBER_MEMORY;
        bad |= id[i] < 0;
    }
    for (int i = 0; i < NTABLES && !bad; i++)
        bad = lm_h5_rows(run->file, id[i]) > 0 && lm_h5_truncate(run->file, id[i], 0);
    return bad ? lm_record_failed(run) : LIMBER_OK;
}

/* ---- shapes as motions of the poses ---- */

/* Central difference of the poses along a motion of size h: out[6 nposes]. */
static int difference(lm_system *sys, const double *q, const double *dx, double h, double *work,
                      double *out)
{
    size_t nv = (size_t)sys->nv, nq = (size_t)sys->nq, np = (size_t)sys->nposes;
    double *step = work, *moved = step + nv, *side[2] = {moved + nq, moved + nq + POSE * np};
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < nv; i++) step[i] = (s ? h : -h) * dx[i];
        if (sys->form->retract(sys, q, step, moved)) return -1;
        sys->form->poses(sys, moved, side[s]);
    }
    for (size_t p = 0; p < np; p++) {
        const double *a = side[0] + POSE * p, *b = side[1] + POSE * p;
        lm_quat back = {a[3], -a[4], -a[5], -a[6]};
        lm_v3 turn = lm_quat_log(quat_mul(quat_from(b + 3), back));
        v3_put(out + TWIST * p, v3_mul(0.5 / h, v3_sub(v3_from(b), v3_from(a))));
        v3_put(out + TWIST * p + 3, v3_mul(0.5 / h, turn));
    }
    return 0;
}

/* Velocities of the poses when the coordinates move with dx: differences of two sizes, whose
 * error of second order cancels. Exact to about 1e-12, whatever the formulation's coordinates
 * are. */
static int pose_motion(const lm_modes *m, const double *dx, double *work, double *out)
{
    lm_system *sys = m->sys;
    size_t n = TWIST * (size_t)sys->nposes;
    double most = 0, *coarse = work, *rest = work + n;
    for (int i = 0; i < sys->nv; i++) most = fmax(most, fabs(dx[i]) / m->unit[i]);
    memset(out, 0, sizeof(double) * n);
    if (most == 0) return 0;
    double h = 1e-3 / most;
    if (difference(sys, m->g->q, dx, h, rest, coarse)) return -1;
    if (difference(sys, m->g->q, dx, 0.5 * h, rest, out)) return -1;
    for (size_t i = 0; i < n; i++) out[i] = (4 * out[i] - coarse[i]) / 3;
    return 0;
}

static int put_shape(lm_run *run, const lm_modes *m, int table, const double *dx, double *work)
{
    size_t n = TWIST * (size_t)m->sys->nposes;
    memset(work, 0, sizeof(double) * n);
    if (dx && pose_motion(m, dx, work + n, work)) return -1;
    return lm_h5_append(run->file, table, work);
}

/* ---- rows ---- */

static int put_mode(lm_run *run, const lm_modes *m, int i, const int id[NTABLES], double *work)
{
    limber_mode p = lm_modes_public(m, i);
    double row[12] = {p.number, p.frequency, p.omega, p.damping_ratio};
    int bad = lm_h5_append(run->file, id[RESULTS], row);
    row[0] = p.real, row[1] = p.imaginary;
    bad |= lm_h5_append(run->file, id[EIGENVALUES], row);
    memcpy(row, p.participation, sizeof p.participation);
    memcpy(row + 6, p.effective_mass, sizeof p.effective_mass);
    bad |= lm_h5_append(run->file, id[PARTICIPATION], row);
    bad |= put_shape(run, m, id[SHAPES], m->mode[i].shape, work);
    bad |= put_shape(run, m, id[SHAPES_IMAGINARY], m->mode[i].imag, work);
    return bad;
}

static int put_attributes(lm_run *run, const lm_modes *m, const char *about)
{
    const char *group = run->tables.group;
    char name[40];
    int bad = lm_h5_write_attr_text(run->file, group, "about", about);
    bad |= lm_h5_write_attr_text(run->file, group, "method", m->method);
    bad |= lm_h5_write_attr_num(run->file, group, "unbalanced_force", m->unbalanced);
    for (int d = 0; d < 6; d++) {
        snprintf(name, sizeof name, "total_%s", participation_columns[6 + d]);
        bad |= lm_h5_write_attr_num(run->file, group, name, m->total[d]);
    }
    return bad;
}

limber_status lm_modes_record(lm_run *run, const lm_modes *m, const char *about)
{
    lm_system *sys = m->sys;
    size_t room = (size_t)sys->nv + (size_t)sys->nq + (2 * POSE + 3 * TWIST) * (size_t)sys->nposes;
    int id[NTABLES];
    if (!run->file) return LIMBER_OK;
    limber_status st = open_tables(run, id);
    if (st) return st;
    double *work = lm_alloc(sizeof(double) * (room + 1));
    if (!work) return LIMBER_MEMORY;
    sys->form->poses(sys, m->g->q, work);
    int bad = put_attributes(run, m, about) || lm_h5_append(run->file, id[POSES], work);
    for (int i = 0; i < m->found && !bad; i++) bad = put_mode(run, m, i, id, work);
    lm_free(work);
    return bad ? lm_record_failed(run) : LIMBER_OK;
}
