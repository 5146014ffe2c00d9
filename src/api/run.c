/* Running a model's analyses into a result file. */
#include "api/api.h"
#include "api/dividing.h"

#include "analysis/effects.h"
#include "analysis/mesh.h"
#include "analysis/range.h"
#include "analysis/turns.h"
#include "io/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

limber_run_options limber_run_options_default(void) { return (limber_run_options){0}; }

/* ---- analyses ---- */

/* Its group in the result file: the first of a type by its name, others by their place too. */
static void analysis_group(const lm_run *run, const lm_spec_analysis *a, int first, char group[40])
{
    if (first)
        snprintf(group, 40, "/%s", lm_analysis_name(a->type));
    else
        snprintf(group, 40, "/%s_%d", lm_analysis_name(a->type), run->index + 1);
}

static int has_computed(limber_status st)
{
    return st == LIMBER_OK || st == LIMBER_STOPPED || st == LIMBER_INTERRUPTED;
}

static limber_status one_analysis(lm_run *run, const lm_spec_analysis *a, int first)
{
    snprintf(run->sum->analysis, sizeof run->sum->analysis, "%s", lm_analysis_name(a->type));
    analysis_group(run, a, first, run->tables.group);
    run->diag->analysis = run->tables.group + 1;
    limber_status st = lm_analysis_hands_on(a->type) ? lm_record_begin(run) : LIMBER_OK;
    if (!st) st = lm_analyse(run, a);
    if (has_computed(st) && !run->again) lm_effect_mesh(run, a->type);
    return st;
}

/* While resuming, analyses that are done are passed over. One that hands on a state is repeated without
 * writing: that state is needed to the bit. */
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
        if (lm_analysis_hands_on(a->type)) st = lm_run_again(run, a);
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
    int type = lm_analysis_find(run->opt->analysis);
    if (type < 0) {
        lm_error(run->diag, ((lm_loc){0}), "unknown analysis '%s'", run->opt->analysis);
        return LIMBER_INPUT;
    }
    *a = lm_analysis_defaults((lm_analysis_type)type, (lm_loc){spec->file, 0, 0});
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

limber_status lm_prepare(lm_run *run)
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
    if (lm_range_make(run) || lm_turns_make(run) || lm_mesh_make(run) || lm_quality_make(run)) return LIMBER_MEMORY;
    return lm_initial_state(run);
}

/* 1: the last analysis has stopped before there was a table of its results. */
static int without_results(const lm_run *run)
{
    char err[300];
    lm_rows t = {0};
    lm_h5 *f = NULL;
    if (!run->tables.group[0] || lm_h5_open(run->opt->results, LM_H5_READ, &f, err, sizeof err))
        return 0;
    int none = lm_rows_open(&t, f, run->tables.group, "results") > 0;
    if (!none) lm_rows_close(&t);
    lm_h5_close(f);
    return none;
}

/* The CSV of the last analysis. Where that has no results, an older file of the name would be taken for
 * them: it goes. */
static limber_status make_csv(const lm_run *run, limber_status done, limber_messages *msg)
{
    const char *path = run->opt->csv;
    struct stat old;
    if (done == LIMBER_OK || !without_results(run))
        return limber_export_csv(run->opt->results, path, msg);
    if (strcmp(path, "-") == 0 || stat(path, &old) || !S_ISREG(old.st_mode)) return LIMBER_OK;
    if (remove(path) == 0) return LIMBER_OK;
    lm_error(&msg->diag, ((lm_loc){0}), "%s is of an earlier run and cannot be removed: %s", path,
             strerror(errno));
    return LIMBER_IO;
}

/* CSV, report and VTK from the result file of a run that ended with `done`. */
static limber_status make_files(const lm_run *run, limber_status done, const limber_model *model,
                                limber_messages *msg)
{
    const limber_run_options *o = run->opt;
    limber_view_options how = limber_view_options_default();
    limber_status st = LIMBER_OK, one;
    how.model = model;
    if (o->csv && (one = make_csv(run, done, msg))) st = one;
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
    limber_status st = run->opt->analysis ? named_analysis(run, &one) : lm_refuse_analyses(run);
    if (!st) st = lm_check_files(run);
    if (!st) st = lm_prepare(run);
    if (!st) st = lm_open_results(run);
    run->resuming = run->opt->resume && run->file;
    if (!st) st = run->opt->analysis ? one_analysis(run, &one, 1) : model_analyses(run);
    if (!st && run->file && lm_h5_write_attr_text(run->file, "/", "status", "done"))
        st = lm_record_failed(run);
    run->diag->analysis = NULL;
    return st;
}

/* With the last messages; a file that has been refused stays as it is. */
static limber_status close_results(lm_run *run, limber_status st)
{
    if (!run->file) return st;
    if (has_computed(st)) {
        limber_status kept = lm_record_messages(run);
        if (!st) st = kept;
    }
    int bad = lm_h5_close(run->file);
    run->file = NULL;
    return !st && bad ? lm_stop(run, LIMBER_IO, "%s could not be completed", run->opt->results)
                      : st;
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

void lm_release(lm_run *run)
{
    if (run->sys) run->sys->form->destroy(run->sys);
    lm_free(run->q);
    lm_free(run->row);
    lm_free(run->pose);
    lm_free(run->forces);
    lm_free(run->doubt);
    lm_range_free(run);
    lm_turns_free(run);
    lm_mesh_free(run);
    lm_pool_destroy(run->pool);
    lm_diag_sort(run->diag);
}

/* The whole run, with bodies in as many pieces as run->frames says. */
static limber_status attempt(lm_run *run)
{
    memset(run->sum, 0, sizeof *run->sum);
    limber_status st = lm_create_system(run->model, run->opt->formulation, run->diag, &run->sys);
    if (st) return st;
    snprintf(run->sum->formulation, sizeof run->sum->formulation, "%s", run->sys->form->name);
    run->sum->unknowns = run->sys->nv;
    run->sum->constraints = run->sys->nl;
    st = start_threads(run);
    return st ? st : run_all(run);
}

/* Runs that find deformations too large for the pieces of a body begin anew with more of them. */
static limber_status run_until_small(lm_run *run, lm_dividing *d)
{
    enum { HASTY = 4, MOST = 7 }; /* attempts that stop at once; all of them */
    for (int k = 1;; k++) {
        if (k == MOST) run->frames = NULL;
        run->patient = k > HASTY;
        limber_status st = attempt(run);
        int over = !run->again || (st != LIMBER_OK && st != LIMBER_STOPPED);
        if (over && has_computed(st)) lm_dividing_tell(run, d);
        st = close_results(run, st);
        if (over) return st;
        lm_dividing_anew(run, d);
    }
}

limber_status limber_run(const limber_model *model, const limber_run_options *options,
                         limber_summary *summary, limber_messages *msg)
{
    limber_run_options defaults = limber_run_options_default();
    limber_summary local;
    lm_dividing dividing;
    lm_run run = {.model = &model->m,
                  .opt = options ? options : &defaults,
                  .diag = &msg->diag,
                  .sum = summary ? summary : &local,
                  .started = lm_seconds(),
                  .loaded = &model->said,
                  .said = msg->diag.list.n};
    run.flushed = run.started;
    memset(run.sum, 0, sizeof *run.sum);
    limber_status st = lm_dividing_begin(&run, &dividing);
    if (!st) st = run_until_small(&run, &dividing);
    if (has_computed(st) && run.opt->results && make_files(&run, st, model, msg) && !st)
        st = LIMBER_IO;
    if (!st && run.diag->out_of_memory) st = LIMBER_MEMORY;
    if (st == LIMBER_MEMORY && !run.sum->reason[0]) lm_stop(&run, st, "out of memory");
    run.sum->status = st;
    run.sum->seconds = lm_seconds() - run.started;
    lm_release(&run);
    lm_dividing_end(&dividing);
    return st;
}
