/* The result file of a run: made with its header, or opened again where the run that wrote it can go on. */
#include "api/api.h"

#include "analysis/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* Pieces of the bodies that the run has divided by itself, for one that continues it. */
static int write_frames(lm_run *run)
{
    lm_arena arena = {0};
    int n = run->model->nbodies, any = 0;
    size_t size = 12 * (size_t)(n + 1), at = 0;
    const int *frames = run->model->spec->formulation.frames;
    for (int i = 0; i < n && frames; i++) any |= frames[i];
    if (!any) return 0;
    char *text = lm_arena_alloc(&arena, size);
    for (int i = 0; i < n && text; i++)
        at += (size_t)snprintf(text + at, size - at, "%d ", frames[i]);
    int bad = !text || lm_h5_write_attr_text(run->file, "/", "frames", text);
    lm_arena_free(&arena);
    return bad;
}

static int write_header(lm_run *run)
{
    lm_h5 *f = run->file;
    const lm_spec *spec = run->model->spec;
    int bad = lm_h5_write_attr_text(f, "/", "format", LM_RESULT_FORMAT);
    bad |= lm_h5_write_attr_text(f, "/", "version", LIMBER_VERSION);
    bad |= lm_h5_write_attr_text(f, "/", "title", spec->title);
    bad |= lm_h5_write_attr_text(f, "/", "model_file", spec->file);
    bad |= lm_h5_write_attr_text(f, "/", "formulation", run->sys->form->name);
    bad |= lm_h5_write_attr_text(f, "/", "options", run->opt->settings ? run->opt->settings : "");
    bad |= lm_h5_write_attr_text(f, "/", "analysis", run->opt->analysis ? run->opt->analysis : "");
    bad |= lm_h5_write_attr_text(f, "/", "status", "running");
    bad |= lm_h5_write_text(f, "/model", spec->text);
    return bad || write_frames(run);
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

limber_status lm_open_results(lm_run *run)
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
    if (run->opt->resume) {
        limber_status st = check_resumable(run);
        return st ? st : lm_restore_messages(run);
    }
    return write_header(run) ? lm_record_failed(run) : write_data_files(run);
}
