/* Running a model's analyses into a result file, and checking a model. */
#include "api/api.h"

#include "analysis/campbell.h"
#include "analysis/linearize.h"
#include "analysis/periodic.h"
#include "analysis/run.h"
#include "io/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

limber_run_options limber_run_options_default(void) { return (limber_run_options){0}; }

/* ---- the result file ---- */

/* FNV-1a, 64 bits. */
static uint64_t fingerprint(const void *data, size_t size)
{
    const unsigned char *p = data;
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * 1099511628211u;
    return h;
}

/* The matrix files of the model, a line each: fingerprint of the numbers, and name. What else a run
 * depends on is in the model's text and the options. NULL: no memory. */
static const char *data_files(const lm_run *run, lm_arena *arena)
{
    const lm_spec *spec = run->model->spec;
    const lm_super *last = NULL;
    const char *text = "";
    for (int i = 0; i < spec->bodies.n && text; i++) {
        const lm_spec_body *b = &spec->bodies.at[i];
        if (b->type != LM_BODY_SUPERELEMENT) continue;
        const lm_super *s = &run->model->supers[run->model->bodies[i].super];
        const char *const path[] = {b->mass_file, b->stiffness_file, b->damping_file};
        const double *const matrix[] = {s->M, s->K, s->C};
        size_t size = sizeof(double) * (size_t)(6 * s->n) * (size_t)(6 * s->n);
        int again = last && last->K == s->K; /* repeated bodies share theirs */
        last = s;
        for (int k = 0; k < 3 && text && !again; k++)
            if (path[k])
                text = lm_arena_printf(arena, "%s%016" PRIx64 " %s\n", text,
                                       fingerprint(matrix[k], size), path[k]);
    }
    return text;
}

/* The file that the first line says in which two such lists differ; "": they are the same. */
static const char *changed_file(const char *now, const char *then, lm_arena *arena)
{
    if (strcmp(now, then) == 0) return "";
    while (*now && *then) {
        size_t n = strcspn(now, "\n"), m = strcspn(then, "\n");
        if (n != m || memcmp(now, then, n) != 0) break;
        now += n + 1, then += m + 1;
    }
    const char *line = *now ? now : then;
    size_t name = strcspn(line, " ") + 1, end = strcspn(line, "\n");
    return lm_arena_strn(arena, line + name, end - name);
}

static limber_status write_data_files(lm_run *run)
{
    lm_arena arena = {0};
    const char *text = data_files(run, &arena);
    limber_status st = text ? LIMBER_OK : LIMBER_MEMORY;
    if (!st && *text && lm_h5_write_text(run->file, "/data_files", text))
        st = lm_record_failed(run);
    lm_arena_free(&arena);
    return st;
}

/* 1: a matrix file is not what it was when the results in f were made. Its name goes into `name`. */
static int data_changed(const lm_run *run, lm_h5 *f, char *name, size_t size)
{
    lm_arena arena = {0};
    char *then = NULL;
    int missing = lm_h5_read_text(f, "/data_files", &then);
    const char *now = data_files(run, &arena);
    const char *changed = now ? changed_file(now, missing ? "" : then, &arena) : NULL;
    if (!changed) run->diag->out_of_memory = 1;
    snprintf(name, size, "%s", changed ? changed : "");
    lm_free(then);
    lm_arena_free(&arena);
    return name[0] != 0;
}

static int write_header(lm_run *run)
{
    lm_h5 *f = run->file;
    const lm_spec *spec = run->model->spec;
    int bad = lm_h5_write_attr_text(f, "/", "format", "limber results 1");
    bad |= lm_h5_write_attr_text(f, "/", "version", LIMBER_VERSION);
    bad |= lm_h5_write_attr_text(f, "/", "title", spec->title);
    bad |= lm_h5_write_attr_text(f, "/", "model_file", spec->file);
    bad |= lm_h5_write_attr_text(f, "/", "formulation", run->sys->form->name);
    bad |= lm_h5_write_attr_text(f, "/", "options", run->opt->settings ? run->opt->settings : "");
    bad |= lm_h5_write_attr_text(f, "/", "analysis", run->opt->analysis ? run->opt->analysis : "");
    bad |= lm_h5_write_attr_text(f, "/", "status", "running");
    bad |= lm_h5_write_text(f, "/model", spec->text);
    return bad;
}

enum { WHY = 500 };

/* Why the run in a file cannot be resumed: that takes the same model text, matrix files and options.
 * NULL: it can; *stopped 1: but its solver had stopped, and would stop again. `said`: for the answer. */
static const char *not_resumable(const lm_run *run, lm_h5 *f, int *stopped, char said[WHY])
{
    char *text = NULL, *options = NULL, *analysis = NULL, *status = NULL, *version = NULL;
    const char *why = NULL, *now = run->opt->settings ? run->opt->settings : "";
    const char *this = run->opt->analysis ? run->opt->analysis : "";
    char name[400];
    if (lm_h5_read_text(f, "/model", &text) || lm_h5_read_attr_text(f, "/", "options", &options) ||
        lm_h5_read_attr_text(f, "/", "analysis", &analysis) ||
        lm_h5_read_attr_text(f, "/", "version", &version) ||
        lm_h5_read_attr_text(f, "/", "status", &status))
        why = "it was not written by limber, or the run ended before it began; run it anew";
    else if (strcmp(text, run->model->spec->text) != 0)
        why = "the model file has changed since; run it anew";
    else if (data_changed(run, f, name, sizeof name)) {
        snprintf(said, WHY, "'%s', a matrix file of the model, has changed since; run it anew",
                 name);
        why = said;
    } else if (strcmp(version, LIMBER_VERSION) != 0)
        why = "another version of limber wrote it; run it anew";
    else if (strcmp(analysis, this) != 0)
        why = "it holds another analysis; use the same command, or run it anew";
    else if (strcmp(options, now) != 0)
        why = "it was run with other options; use the same ones, or run it anew";
    else if (strcmp(status, "done") == 0)
        why = "the run is complete; 'limber export' makes a CSV file of it";
    *stopped = status && strcmp(status, "stopped") == 0;
    lm_free(text);
    lm_free(options);
    lm_free(analysis);
    lm_free(status);
    lm_free(version);
    return why;
}

static limber_status check_resumable(lm_run *run)
{
    int stopped;
    char said[WHY];
    const char *why = not_resumable(run, run->file, &stopped, said);
    if (!why) return run->diag->out_of_memory ? LIMBER_MEMORY : LIMBER_OK;
    lm_error(run->diag, ((lm_loc){run->opt->results, 0, 0}), "cannot resume: %s", why);
    return LIMBER_INPUT;
}

/* Whether making the file anew throws away an interrupted run of the same model. */
static int loses_a_run(const lm_run *run)
{
    lm_h5 *old = NULL;
    int stopped;
    char said[WHY];
    if (access(run->opt->results, F_OK) || lm_h5_open(run->opt->results, LM_H5_READ, &old, NULL, 0))
        return 0;
    int loses = !not_resumable(run, old, &stopped, said) && !stopped;
    lm_h5_close(old);
    return loses;
}

static limber_status open_results(lm_run *run)
{
    char err[300];
    lm_h5_mode mode = run->opt->resume ? LM_H5_UPDATE : LM_H5_CREATE;
    if (!run->opt->results) return LIMBER_OK;
    int loses = !run->opt->resume && loses_a_run(run);
    if (lm_h5_open(run->opt->results, mode, &run->file, err, sizeof err)) {
        lm_error(run->diag, ((lm_loc){0}), "%s", err); /* it names the file */
        return LIMBER_IO;
    }
    if (loses)
        lm_warning(run->diag, ((lm_loc){run->opt->results, 0, 0}),
                   "this run replaces an interrupted one, which --resume would have continued");
    if (run->opt->resume) return check_resumable(run);
    return write_header(run) ? lm_record_failed(run) : write_data_files(run);
}

/* ---- analyses ---- */

/* Its group in the result file: the first of a type by its name, others by their place too. */
static void analysis_group(const lm_run *run, const lm_spec_analysis *a, int first, char group[40])
{
    if (first)
        snprintf(group, 40, "/%s", lm_analysis_name(a->type));
    else
        snprintf(group, 40, "/%s_%d", lm_analysis_name(a->type), run->index + 1);
}

/* 1: it leaves another state than it was given, and rows of it. */
static int hands_on(const lm_spec_analysis *a)
{
    return a->type == LM_ANALYSIS_DYNAMICS || a->type == LM_ANALYSIS_STATICS ||
           a->type == LM_ANALYSIS_PERIODIC;
}

static limber_status analyse(lm_run *run, const lm_spec_analysis *a)
{
    if (a->type == LM_ANALYSIS_MODES) return lm_modes_analysis(run, a);
    if (a->type == LM_ANALYSIS_LINEARIZE) return lm_linearize(run, a);
    if (a->type == LM_ANALYSIS_CAMPBELL) return lm_campbell_analysis(run, a);
    if (a->type == LM_ANALYSIS_PERIODIC) return lm_periodic_analysis(run, a);
    return a->type == LM_ANALYSIS_DYNAMICS ? lm_dynamics(run, a) : lm_statics(run, a);
}

static limber_status one_analysis(lm_run *run, const lm_spec_analysis *a, int first)
{
    const char *type = lm_analysis_name(a->type);
    snprintf(run->sum->analysis, sizeof run->sum->analysis, "%s", type);
    analysis_group(run, a, first, run->tables.group);
    limber_status st = hands_on(a) ? lm_record_begin(run, type, first) : LIMBER_OK;
    return st ? st : analyse(run, a);
}

/* While resuming, analyses that are done are passed over; their end state comes with the file. */
static limber_status pass_over(lm_run *run, const lm_spec_analysis *a, int first, int *done)
{
    char group[40];
    char *status = NULL;
    limber_status st = LIMBER_OK;
    *done = 0;
    analysis_group(run, a, first, group);
    int missing = lm_h5_read_attr_text(run->file, group, "status", &status);
    if (missing < 0) return lm_record_failed(run);
    if (missing)
        run->resuming = 0;
    else if (strcmp(status, "done") == 0) {
        *done = 1;
        /* repeat it without writing: the state it hands on is needed to the bit */
        lm_h5 *file = run->file;
        limber_summary keep = *run->sum;
        run->file = NULL;
        run->resuming = 0;
        if (hands_on(a)) st = analyse(run, a);
        run->file = file;
        run->resuming = 1;
        *run->sum = keep;
    }
    lm_free(status);
    return st;
}

static int seen_before(const lm_spec *spec, int index)
{
    for (int i = 0; i < index; i++)
        if (spec->analyses.at[i].type == spec->analyses.at[index].type) return 1;
    return 0;
}

static limber_status model_analyses(lm_run *run)
{
    const lm_spec *spec = run->model->spec;
    limber_status st = LIMBER_OK;
    for (int i = 0; i < spec->analyses.n && !st; i++) {
        int done = 0, first = !seen_before(spec, i);
        run->index = i;
        if (run->resuming) st = pass_over(run, &spec->analyses.at[i], first, &done);
        if (!st && !done) {
            st = one_analysis(run, &spec->analyses.at[i], first);
            run->resuming = 0;
        }
    }
    return st;
}

/* One analysis by name: the model's own entry of that type, or its defaults. */
static limber_status named_analysis(lm_run *run, lm_spec_analysis *a)
{
    const lm_spec *spec = run->model->spec;
    int type = -1;
    for (int i = 0; i <= LM_ANALYSIS_PERIODIC; i++)
        if (strcmp(run->opt->analysis, lm_analysis_name((lm_analysis_type)i)) == 0) type = i;
    if (type < 0) {
        lm_error(run->diag, ((lm_loc){0}), "unknown analysis '%s'", run->opt->analysis);
        return LIMBER_INPUT;
    }
    *a = (lm_spec_analysis){.type = (lm_analysis_type)type,
                            .loc = {spec->file, 0, 0},
                            .tolerance = 1e-4,
                            .rho_inf = 0.8,
                            .load_steps = 1,
                            .count = 10,
                            .at = -1,
                            .drive = -1};
    for (int i = spec->analyses.n - 1; i >= 0; i--)
        if ((int)spec->analyses.at[i].type == type) *a = spec->analyses.at[i], run->index = i;
    if (type == LM_ANALYSIS_DYNAMICS && !(a->until > 0 || run->opt->until > 0)) {
        lm_error(run->diag, a->loc,
                 "the model has no 'dynamics' analysis: give its end by --until");
        return LIMBER_INPUT;
    }
    if (a->output_step <= 0) a->output_step = run->opt->until / 1000;
    return lm_refuse_analysis(run, a);
}

static limber_status refuse_analyses(lm_run *run)
{
    const lm_spec *spec = run->model->spec;
    limber_status st = LIMBER_OK;
    for (int i = 0; i < spec->analyses.n; i++) {
        limber_status one = lm_refuse_analysis(run, &spec->analyses.at[i]);
        if (!st) st = one;
    }
    return st;
}

static limber_status prepare(lm_run *run)
{
    const lm_system *sys = run->sys;
    const lm_spec *spec = run->model->spec;
    int nout = spec->outputs.n;
    run->q = lm_alloc(sizeof(double) * (size_t)(sys->nq + sys->nv + 1));
    run->row = lm_alloc(sizeof(double) * (size_t)(nout + 1));
    run->pose = lm_alloc(sizeof(double) * (size_t)(7 * sys->nposes + 1));
    run->forces = lm_alloc(sizeof(double) * 6 * (size_t)(lm_record_wrenches(run) + 1));
    if (!run->q || !run->row || !run->pose || !run->forces) return LIMBER_MEMORY;
    run->v = run->q + sys->nq;
    return lm_initial_state(run);
}

/* What can be wrong with the files made of the results is said before a long run, not after it. */
static limber_status check_files(lm_run *run)
{
    const limber_run_options *o = run->opt;
    const char *what = o->csv ? "CSV file" : o->report ? "report" : o->vtk ? "VTK file" : NULL;
    const char *model = run->model->spec->file;
    char err[300] = "";
    limber_status st = LIMBER_IO;
    if (what && !o->results) {
        snprintf(err, sizeof err, "a %s is made from a result file: name one too", what);
        st = LIMBER_INPUT;
    } else if (o->report && lm_report_refuse(err, sizeof err))
        st = LIMBER_UNSUPPORTED;
    if (!err[0] && o->csv && strcmp(o->csv, "-") != 0)
        lm_target_refuse("CSV file", o->csv, o->results, model, err, sizeof err);
    if (!err[0] && o->report)
        lm_target_refuse("report", o->report, o->results, model, err, sizeof err);
    if (!err[0] && o->vtk) lm_folder_refuse(o->vtk, err, sizeof err);
    if (!err[0] && o->matrices) lm_folder_refuse(o->matrices, err, sizeof err);
    if (!err[0]) return LIMBER_OK;
    lm_error(run->diag, ((lm_loc){0}), "%s", err);
    return st;
}

/* CSV, report and VTK from the result file. */
static limber_status make_files(const limber_model *model, const limber_run_options *o,
                                limber_messages *msg)
{
    limber_view_options how = limber_view_options_default();
    limber_status st = LIMBER_OK, one;
    how.model = model;
    if (o->csv && (one = limber_export_csv(o->results, o->csv, msg))) st = one;
    if (o->report && (one = limber_report(&o->results, 1, o->report, &how, msg))) st = one;
    if (o->vtk && (one = limber_export_vtk(o->results, o->vtk, &how, msg))) st = one;
    return st;
}

static limber_status run_all(lm_run *run)
{
    const lm_spec *spec = run->model->spec;
    lm_spec_analysis one;
    if (!run->opt->analysis && spec->analyses.n == 0) {
        lm_error(run->diag, ((lm_loc){spec->file, 0, 0}),
                 "there is nothing to run: add an 'analysis', for example 'analysis: {type: "
                 "dynamics, until: 1}'");
        return LIMBER_INPUT;
    }
    limber_status st = run->opt->analysis ? named_analysis(run, &one) : refuse_analyses(run);
    if (!st) st = check_files(run);
    if (!st) st = prepare(run);
    if (!st) st = open_results(run);
    run->resuming = run->opt->resume && run->file;
    if (!st) st = run->opt->analysis ? one_analysis(run, &one, 1) : model_analyses(run);
    if (!st && run->file && lm_h5_write_attr_text(run->file, "/", "status", "done"))
        st = lm_record_failed(run);
    if (run->file) {
        int bad = lm_h5_close(run->file);
        run->file = NULL;
        if (!st && bad)
            st = lm_stop(run, LIMBER_IO, "%s could not be completed", run->opt->results);
    }
    return st;
}

/* Threads for what can use them; results do not depend on their number. More than some hundreds cost
 * memory and gain nothing. */
static limber_status start_threads(lm_run *run)
{
    int threads = run->opt->threads < 256 ? run->opt->threads : 256;
    if (threads <= 1) return LIMBER_OK;
    run->pool = lm_pool_create(threads);
    run->sys->pool = run->pool;
    return run->pool ? LIMBER_OK : LIMBER_MEMORY;
}

static void release(lm_run *run)
{
    if (run->sys) run->sys->form->destroy(run->sys);
    lm_free(run->q);
    lm_free(run->row);
    lm_free(run->pose);
    lm_free(run->forces);
    lm_pool_destroy(run->pool);
    lm_diag_sort(run->diag);
}

limber_status limber_run(const limber_model *model, const limber_run_options *options,
                         limber_summary *summary, limber_messages *msg)
{
    limber_run_options defaults = limber_run_options_default();
    limber_summary local;
    lm_run run = {.model = &model->m,
                  .opt = options ? options : &defaults,
                  .diag = &msg->diag,
                  .sum = summary ? summary : &local,
                  .started = lm_seconds()};
    memset(run.sum, 0, sizeof *run.sum);
    run.flushed = run.started;
    const lm_form *form = lm_choose_form(&model->m, run.opt->formulation, run.diag);
    limber_status st =
        form ? lm_system_create(form, &model->m, run.diag, &run.sys) : LIMBER_UNSUPPORTED;
    if (!st) {
        snprintf(run.sum->formulation, sizeof run.sum->formulation, "%s", form->name);
        run.sum->unknowns = run.sys->nv;
        run.sum->constraints = run.sys->nl;
        st = start_threads(&run);
        if (!st) st = run_all(&run);
    }
    int computed = st == LIMBER_OK || st == LIMBER_STOPPED || st == LIMBER_INTERRUPTED;
    if (computed && run.opt->results && make_files(model, run.opt, msg) && !st) st = LIMBER_IO;
    if (st == LIMBER_MEMORY && !run.sum->reason[0]) lm_stop(&run, st, "out of memory");
    run.sum->status = st;
    run.sum->seconds = lm_seconds() - run.started;
    release(&run);
    return st;
}

/* ---- check ---- */

static void name_redundant(lm_run *run)
{
    const lm_model *m = run->model;
    lm_system *sys = run->sys;
    for (int k = 0; k < sys->nl; k++) {
        const lm_row *row = lm_system_row(sys, k);
        char name[160];
        if (sys->active[k] || row->initial >= 0) continue;
        sys->form->describe(sys, sys->nv + k, name, sizeof name);
        int own = row->joint < m->spec->joints.n; /* not inside of a beam */
        lm_loc file = {m->spec->file, 0, 0};
        lm_diag_add(run->diag, LM_NOTE, own ? m->spec->joints.at[row->joint].item.loc : file,
                    "%s is redundant: the other constraints imply it; its reaction is taken as 0",
                    name);
    }
}

static void count_constraints(lm_run *run, limber_check_info *info)
{
    const lm_system *sys = run->sys;
    info->unknowns = sys->nv - sys->nvariables;
    info->mobility = sys->mobility;
    info->variables = sys->nvariables;
    for (int k = 0; k < sys->nvariables; k++)
        info->states += run->model->spec->variables.at[k].kind == LM_VARIABLE_STATE;
    info->mechanics = 1;
    for (int k = 0; k < sys->nl; k++) {
        if (lm_system_row(sys, k)->initial >= 0) continue;
        info->constraints++;
        info->redundant += !sys->active[k];
    }
}

static limber_status check(const limber_model *model, const char *html, limber_check_info *info,
                           limber_messages *msg)
{
    const lm_spec *spec = model->m.spec;
    limber_run_options opt = limber_run_options_default();
    limber_summary sum = {0};
    lm_run run = {.model = &model->m, .opt = &opt, .diag = &msg->diag, .sum = &sum};
    *info = (limber_check_info){.bodies = spec->bodies.n,
                                .joints = spec->joints.n,
                                .forces = spec->forces.n,
                                .loads = spec->loads.n,
                                .outputs = spec->outputs.n,
                                .analyses = spec->analyses.n};
    const lm_form *form = lm_choose_form(&model->m, NULL, run.diag);
    limber_status st =
        form ? lm_system_create(form, &model->m, run.diag, &run.sys) : LIMBER_UNSUPPORTED;
    if (!st) st = prepare(&run);
    if (!st) {
        count_constraints(&run, info);
        name_redundant(&run);
        lm_warn_immobile(&run);
        st = refuse_analyses(&run);
        if (!st && run.diag->out_of_memory) st = LIMBER_MEMORY; /* a note was lost */
    }
    if (html) {
        const double *q = info->mechanics ? run.q : NULL;
        limber_status drawn = lm_draw(run.model, run.sys, q, info, st, html, run.diag);
        if (!st) st = drawn;
    }
    release(&run);
    return st;
}

limber_status limber_check(const limber_model *model, limber_check_info *info, limber_messages *msg)
{
    return check(model, NULL, info, msg);
}

limber_status limber_check_draw(const limber_model *model, const char *html,
                                limber_check_info *info, limber_messages *msg)
{
    return check(model, html, info, msg);
}
