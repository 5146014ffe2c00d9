/* Rows of results into the file. */
#include "analysis/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

limber_status lm_stop(lm_run *run, limber_status status, const char *fmt, ...)
{
    va_list args;
    char *reason = run->sum->reason;
    size_t size = sizeof run->sum->reason;
    const lm_system *sys = run->sys;
    if (status == LIMBER_STOPPED && sys && sys->in_trouble) {
        snprintf(reason, size, "%s, last at t = %.6g, and smaller steps did not lead past it",
                 sys->trouble, sys->trouble_at);
        return status;
    }
    va_start(args, fmt);
    vsnprintf(reason, size, fmt, args);
    va_end(args);
    if (status == LIMBER_STOPPED && sys && sys->trouble[0])
        snprintf(reason + strlen(reason), size - strlen(reason), " (%s, last at t = %.6g)",
                 sys->trouble, sys->trouble_at);
    return status;
}

limber_status lm_record_failed(lm_run *run)
{
    return lm_stop(run, LIMBER_IO, "%s", lm_h5_error(run->file));
}

static const char *const energy_columns[] = {"kinetic", "elastic",    "gravity", "stored",
                                             "work",    "dissipated", "balance", "constraint"};
enum { ENERGY_COLUMNS = 8, STEP_COLUMNS = 5 };
const char *const lm_pose_part[LM_POSE_PARTS] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
static const char *const step_columns[] = {"t", "step", "iterations", "error", "rejected"};

/* Rows per chunk: about 64 kB, so that a table is neither many tiny pieces nor late on disk. */
static int block_rows(int ncols)
{
    int n = 8192 / (ncols > 0 ? ncols : 1);
    return n < 1 ? 1 : n > 1024 ? 1024 : n;
}

static int make_table(lm_run *run, const char *name, int n, const char *const *columns)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", run->tables.group, name);
    return lm_h5_table(run->file, path, n, columns, block_rows(n));
}

const char *const *lm_record_pose_columns(const lm_run *run, lm_arena *arena, int n,
                                          const char *const *part)
{
    const lm_system *sys = run->sys;
    char whose[200];
    const char **names = LM_NEW_N(arena, const char *, n * sys->nposes + 1);
    for (int i = 0; names && i < n * sys->nposes; i++) {
        if (i % n == 0) sys->form->describe_pose(sys, i / n, whose, sizeof whose);
        names[i] = lm_arena_printf(arena, "%s.%s", whose, part[i % n]);
        if (!names[i]) return NULL;
    }
    return names;
}

/* The tables whose columns have names: t and the outputs, and the poses. */
static int named_tables(lm_run *run, lm_arena *arena)
{
    const lm_spec *spec = run->model->spec;
    int nout = spec->outputs.n, npose = run->sys->nposes;
    const char **names = LM_NEW_N(arena, const char *, 1 + nout);
    const char *const *poses = lm_record_pose_columns(run, arena, LM_POSE_PARTS, lm_pose_part);
    if (!names || !poses) return -1;
    names[0] = "t";
    for (int i = 0; i < nout; i++) names[1 + i] = spec->outputs.at[i].item.name;
    run->tables.results = make_table(run, "results", 1 + nout, names);
    run->tables.poses = npose ? make_table(run, "poses", LM_POSE_PARTS * npose, poses) : -1;
    return 0;
}

/* Columns NAME.fx ... NAME.mz for n named things; no table for none of them. A file that is resumed
 * and has rows, but no such table, is of a version that did not record it. */
static int wrench_table(lm_run *run, lm_arena *arena, const char *table, int n, int id,
                        const char *(*name)(const lm_model *m, lm_arena *arena, int i))
{
    static const char *const part[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    char path[96], **columns = NULL;
    long rows;
    int ncols;
    if (n == 0) return -1;
    snprintf(path, sizeof path, "%s/%s", run->tables.group, table);
    if (run->resuming && lm_h5_rows(run->file, id) > 0 &&
        lm_h5_table_info(run->file, path, &rows, &ncols, &columns) == 1)
        return -1;
    lm_free(columns);
    const char **names = LM_NEW_N(arena, const char *, 6 * n);
    if (!names) return -2;
    for (int i = 0; i < 6 * n; i++) {
        const char *whose = name(run->model, arena, i / 6);
        names[i] = whose ? lm_arena_printf(arena, "%s.%s", whose, part[i % 6]) : NULL;
        if (!names[i]) return -2;
    }
    int made = make_table(run, table, 6 * n, names);
    return made < 0 ? -3 : made;
}

static const char *joint_name(const lm_model *m, lm_arena *arena, int i)
{
    (void)arena;
    return m->spec->joints.at[i].item.name;
}

static const char *load_name(const lm_model *m, lm_arena *arena, int i)
{
    (void)arena;
    return m->spec->loads.at[i].item.name;
}

/* "rod(3).fx" ...: of the third element of a beam. */
static const char *element_name(const lm_model *m, lm_arena *arena, int i)
{
    int body = m->nodes[m->elements[i].node[0]].body;
    int k = i - m->beams[body].first_element + 1;
    return lm_arena_printf(arena, "%s(%d)", m->bodies[body].name, k);
}

static limber_status wrench_tables(lm_run *run, lm_arena *arena)
{
    const lm_spec *spec = run->model->spec;
    const lm_form *form = run->sys->form;
    lm_tables *t = &run->tables;
    int joints = form->forces ? spec->joints.n : 0, loads = form->forces ? spec->loads.n : 0;
    int elements = form->beam_forces ? run->model->nelements : 0, worst = 0;
    t->joint_forces = wrench_table(run, arena, "joint_forces", joints, t->results, joint_name);
    t->load_forces = wrench_table(run, arena, "load_forces", loads, t->results, load_name);
    t->beam_forces = wrench_table(run, arena, "beam_forces", elements, t->results, element_name);
    const int made[] = {t->joint_forces, t->load_forces, t->beam_forces};
    for (int i = 0; i < 3; i++) worst = made[i] < worst ? made[i] : worst;
    return worst == -2 ? LIMBER_MEMORY : worst == -3 ? lm_record_failed(run) : LIMBER_OK;
}

limber_status lm_record_begin(lm_run *run)
{
    lm_arena arena = {0};
    lm_quality_anew(run);
    if (!run->file) return LIMBER_OK;
    int bad = named_tables(run, &arena);
    run->tables.events = -1;
    run->tables.energy = make_table(run, "energy", ENERGY_COLUMNS, energy_columns);
    run->tables.steps = make_table(run, "steps", STEP_COLUMNS, step_columns);
    limber_status st = LIMBER_OK;
    if (bad)
        st = LIMBER_MEMORY;
    else if (run->tables.results < 0 || (run->tables.poses < 0 && run->sys->nposes > 0) ||
             run->tables.energy < 0 || run->tables.steps < 0)
        st = lm_record_failed(run);
    else
        st = wrench_tables(run, &arena);
    lm_arena_free(&arena);
    return st ? st : lm_record_status(run, "running", "");
}

void lm_record_fill(lm_run *run, const lm_state *s)
{
    lm_system *sys = run->sys;
    const lm_tables *t = &run->tables;
    const lm_spec *spec = run->model->spec;
    double *load = run->forces + 6 * spec->joints.n, *beam = load + 6 * spec->loads.n;
    int bad = sys->form->outputs(sys, s, run->row + 1);
    sys->form->poses(sys, s->q, run->pose);
    if (bad) { /* nor can these */
        for (int i = 0; i < 6 * lm_record_wrenches(run); i++) run->forces[i] = NAN;
        return;
    }
    if (t->joint_forces >= 0 || t->load_forces >= 0) sys->form->forces(sys, s, run->forces, load);
    if (t->beam_forces >= 0) sys->form->beam_forces(sys, s, beam);
}

int lm_record_wrenches(const lm_run *run)
{
    const lm_spec *spec = run->model->spec;
    return spec->joints.n + spec->loads.n + run->model->nelements;
}

limber_status lm_record_put(lm_run *run, double time, const lm_balance *b)
{
    const lm_tables *t = &run->tables;
    const lm_spec *spec = run->model->spec;
    double *load = run->forces + 6 * spec->joints.n, *beam = load + 6 * spec->loads.n;
    double energy[ENERGY_COLUMNS] = {b->e.kinetic, b->e.elastic, b->e.gravity, b->e.stored,
                                     b->work,      b->lost,      b->balance,   b->phi};
    run->row[0] = time;
    int bad = lm_h5_append(run->file, t->results, run->row);
    bad |= lm_h5_append(run->file, t->energy, energy);
    if (t->poses >= 0) bad |= lm_h5_append(run->file, t->poses, run->pose);
    if (t->joint_forces >= 0) bad |= lm_h5_append(run->file, t->joint_forces, run->forces);
    if (t->load_forces >= 0) bad |= lm_h5_append(run->file, t->load_forces, load);
    if (t->beam_forces >= 0) bad |= lm_h5_append(run->file, t->beam_forces, beam);
    return bad ? lm_record_failed(run) : LIMBER_OK;
}

limber_status lm_record_row(lm_run *run, const lm_state *s, double time, const lm_balance *b)
{
    run->sum->rows++;
    lm_quality_row(run, s, time, b->phi);
    if (!run->file) return LIMBER_OK;
    double t0 = run->opt->profile ? lm_seconds() : 0;
    lm_record_fill(run, s);
    lm_quality_outputs(run, run->row + 1, time);
    limber_status st = lm_record_put(run, time, b);
    if (run->opt->profile) run->sum->phase_output += lm_seconds() - t0;
    return st;
}

limber_status lm_record_step(lm_run *run, const lm_integrator *g)
{
    if (!run->file) return LIMBER_OK;
    double row[STEP_COLUMNS] = {g->clock->t, g->clock->h, (double)g->stats.iterations,
                                g->clock->err_last, (double)g->stats.rejected};
    return lm_h5_append(run->file, run->tables.steps, row) ? lm_record_failed(run) : LIMBER_OK;
}

limber_status lm_record_flush(lm_run *run)
{
    if (!run->file) return LIMBER_OK;
    double t0 = lm_seconds();
    int bad = lm_h5_flush(run->file);
    run->flushed = lm_seconds();
    if (run->opt->profile) run->sum->phase_output += run->flushed - t0;
    return bad ? lm_record_failed(run) : LIMBER_OK;
}

/* Names of the guards as one text, a line for each. */
static char *guard_names(const lm_system *sys, lm_arena *arena)
{
    char text[320];
    const char *all = "";
    for (int i = 0; i < sys->nguards && all; i++) {
        sys->form->describe_guard(sys, i, text, sizeof text);
        for (char *p = text; *p; p++)
            if (*p == '\n') *p = ' ';
        all = lm_arena_printf(arena, "%s%s%s", all, i ? "\n" : "", text);
    }
    return (char *)all;
}

limber_status lm_record_events(lm_run *run)
{
    static const char *const columns[] = {"t", "guard", "direction"};
    lm_arena arena = {0};
    char path[96];
    if (!run->file) return LIMBER_OK;
    run->tables.events = make_table(run, "events", 3, columns);
    if (run->tables.events < 0) return lm_record_failed(run);
    if (run->resuming) return LIMBER_OK;
    const char *names = guard_names(run->sys, &arena);
    snprintf(path, sizeof path, "%s/event_names", run->tables.group);
    int bad = names ? lm_h5_write_text(run->file, path, names) : 0;
    limber_status st = !names ? LIMBER_MEMORY : bad ? lm_record_failed(run) : LIMBER_OK;
    lm_arena_free(&arena);
    return st;
}

limber_status lm_record_event(lm_run *run, double t, int guard, double direction)
{
    double row[3] = {t, guard, direction};
    if (!run->file) return LIMBER_OK;
    return lm_h5_append(run->file, run->tables.events, row) ? lm_record_failed(run) : LIMBER_OK;
}

limber_status lm_record_truncate_events(lm_run *run, long rows)
{
    if (!run->file || run->tables.events < 0) return LIMBER_OK;
    return lm_h5_truncate(run->file, run->tables.events, rows) ? lm_record_failed(run) : LIMBER_OK;
}

limber_status lm_record_truncate(lm_run *run, long rows, long steps)
{
    if (!run->file) return LIMBER_OK;
    int bad = lm_h5_truncate(run->file, run->tables.results, rows);
    bad |= lm_h5_truncate(run->file, run->tables.energy, rows);
    if (run->tables.poses >= 0) bad |= lm_h5_truncate(run->file, run->tables.poses, rows);
    bad |= lm_h5_truncate(run->file, run->tables.steps, steps);
    if (run->tables.joint_forces >= 0)
        bad |= lm_h5_truncate(run->file, run->tables.joint_forces, rows);
    if (run->tables.load_forces >= 0)
        bad |= lm_h5_truncate(run->file, run->tables.load_forces, rows);
    if (run->tables.beam_forces >= 0)
        bad |= lm_h5_truncate(run->file, run->tables.beam_forces, rows);
    return bad ? lm_record_failed(run) : LIMBER_OK;
}

limber_status lm_run_progress(lm_run *run, const limber_progress *p)
{
    double now = lm_seconds();
    if (now - run->shown < 0.1) return LIMBER_OK;
    run->shown = now;
    limber_progress told = *p;
    told.elapsed = now - run->started;
    if (!run->opt->progress || !run->opt->progress(run->opt->progress_context, &told))
        return LIMBER_OK;
    int statics = strcmp(run->sum->analysis, "statics") == 0;
    return lm_stop(run, LIMBER_INTERRUPTED, "interrupted at %s%.6g",
                   statics ? "load factor " : "t = ", p->t);
}

limber_status lm_record_status(lm_run *run, const char *status, const char *reason)
{
    if (!run->file) return LIMBER_OK;
    int bad = lm_h5_write_attr_text(run->file, run->tables.group, "status", status);
    bad |= lm_h5_write_attr_text(run->file, run->tables.group, "reason", reason);
    /* the file is done when its last analysis is */
    int done = strcmp(status, "done") == 0;
    bad |= lm_h5_write_attr_text(run->file, "/", "status", done ? "running" : status);
    bad |= lm_h5_write_attr_text(run->file, "/", "reason", reason);
    return bad ? lm_record_failed(run) : lm_record_messages(run);
}

limber_status lm_record_end(lm_run *run, limber_status st)
{
    if (st == LIMBER_IO) return st; /* the file has failed */
    if (st != LIMBER_INTERRUPTED) lm_quality_end(run);
    const char *word = st == LIMBER_INTERRUPTED ? "interrupted" : st ? "stopped" : "done";
    const char *why = st && !run->sum->reason[0] ? limber_status_text(st) : run->sum->reason;
    limber_status written = lm_record_status(run, word, why);
    if (!written) written = lm_record_flush(run);
    return st ? st : written;
}

int lm_record_table(lm_run *run, const char *name, int n, const char *const *columns)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", run->tables.group, name);
    int id = lm_h5_table(run->file, path, n, columns, 64);
    if (id >= 0 && lm_h5_rows(run->file, id) > 0 && lm_h5_truncate(run->file, id, 0)) return -1;
    return id;
}
