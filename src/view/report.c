#include "view/report_int.h"

#include "io/out.h"
#include "view/difference.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What the page contains once, on a line of its own, where the data go. */
static const char marker[] = "<!--limber:data-->";

/* The whole file; what of it the JSON may take, and Base64's 4 characters for 3 bytes. */
enum { MOST_FILE = 30000000, ROOM_FOR_JSON = 2500000 };

lm_report *lm_report_new(int runs, size_t page)
{
    lm_report *r = lm_alloc(sizeof *r);
    if (!r) return NULL;
    r->names = lm_alloc(sizeof *r->names * (size_t)runs);
    if (!r->names) {
        lm_free(r);
        return NULL;
    }
    size_t taken = page + ROOM_FOR_JSON;
    r->budget = taken < MOST_FILE / 2 ? (MOST_FILE - taken) / 4 * 3 : MOST_FILE / 4;
    r->budget -= r->budget / 20; /* estimates are estimates */
    r->runs_left = runs;
    return r;
}

void lm_report_free(lm_report *r)
{
    if (!r) return;
    if (r->has_first) lm_result_close(&r->first);
    lm_json_free(&r->runs);
    lm_json_free(&r->head);
    lm_blobs_free(&r->blobs);
    lm_free(r->names);
    lm_free(r);
}

void lm_report_note(lm_report *r, const char *fmt, ...)
{
    va_list args;
    if (r->nnotes == LM_REPORT_NOTES) return;
    va_start(args, fmt);
    vsnprintf(r->notes[r->nnotes++], sizeof r->notes[0], fmt, args);
    va_end(args);
}

/* ---- one analysis ---- */

/* Bytes of the columns of a table, as many as they may take. */
static size_t table_bytes(const lm_rows *t)
{
    size_t n = (size_t)t->kept * (size_t)t->ncols;
    return n * 8 <= LM_REPORT_FINE ? n * 8 : n * 4;
}

/* Rows to show: all of them, unless there are very many, or the outputs alone would take more than
 * half of the room. What they take is not there for the poses. 0, 1. */
static int choose_stride(lm_report_part *p)
{
    lm_rows t;
    int rc = lm_rows_open(&t, p->file->file, p->a->group, "results");
    p->stride = 1;
    if (!rc) {
        while (t.kept > LM_REPORT_ROWS || (t.kept > 100 && table_bytes(&t) > p->budget / 2))
            lm_rows_thin(&t, ++p->stride);
        size_t bytes = table_bytes(&t);
        p->budget -= bytes < p->budget / 2 ? bytes : p->budget / 2;
    }
    lm_rows_close(&t);
    return rc < 0;
}

static int put_motion(lm_report_part *p)
{
    const lm_model *m = p->scene ? p->scene->m : NULL;
    int bad = lm_report_poses(p);
    if (!bad) bad = lm_report_tables(p);
    if (!bad) bad = lm_report_vectors(p, "joint_forces", m ? m->njoints : -1);
    if (!bad) bad = lm_report_vectors(p, "load_forces", m ? m->spec->loads.n : -1);
    lm_json_key_null(p->j, "modes");
    return bad ? bad : lm_report_power(p);
}

static int put_modes(lm_report_part *p)
{
    static const char *const none[] = {"poses", "colours", "joint_forces", "load_forces", "power"};
    for (int i = 0; i < 5; i++) lm_json_key_null(p->j, none[i]);
    int bad = lm_report_tables(p);
    return bad ? bad : lm_report_modes(p);
}

static int put_analysis(lm_report_part *p)
{
    lm_json_open(p->j, '{');
    lm_json_key_text(p->j, "name", p->a->name);
    lm_json_key_text(p->j, "type", p->a->type);
    lm_json_key_text(p->j, "status", p->a->status);
    lm_json_key_text(p->j, "reason", p->a->reason);
    lm_json_key_open(p->j, "summary", '[');
    int bad = lm_report_summary(p);
    lm_json_close(p->j, ']');
    if (!bad) bad = choose_stride(p);
    if (!bad) bad = strcmp(p->a->type, "modes") ? put_motion(p) : put_modes(p);
    lm_json_close(p->j, '}');
    return bad;
}

/* ---- one run ---- */

/* Analyses that are animated share what is left for this run. */
static int animated(const lm_result *f, int from)
{
    int n = 0;
    for (int i = from; i < f->analyses.n; i++) n += strcmp(f->analyses.at[i].type, "modes") != 0;
    return n ? n : 1;
}

static int put_analyses(lm_report *r, const lm_result *f, const lm_scene *scene)
{
    size_t left = r->budget > r->blobs.used ? r->budget - r->blobs.used : 0;
    size_t end = r->blobs.used + left / (size_t)(r->runs_left > 0 ? r->runs_left : 1);
    int bad = 0;
    lm_json_key_open(&r->runs, "analyses", '[');
    for (int i = 0; i < f->analyses.n && !bad; i++) {
        size_t rest = end > r->blobs.used ? end - r->blobs.used : 0;
        lm_report_part p = {.r = r,
                            .j = &r->runs,
                            .file = f,
                            .a = &f->analyses.at[i],
                            .scene = scene,
                            .colours = r->nruns == 0,
                            .budget = rest / 20 * 19 / (size_t)animated(f, i)};
        bad = put_analysis(&p);
    }
    lm_json_close(&r->runs, ']');
    return bad;
}

static int name_taken(const lm_report *r, const char *name)
{
    for (int i = 0; i < r->nruns; i++)
        if (!strcmp(r->names[i], name)) return 1;
    return 0;
}

/* A name of its own for this run: that of the file, with a number where another has it. */
static const char *name_run(lm_report *r, const char *name)
{
    char *to = r->names[r->nruns];
    snprintf(to, sizeof r->names[0], "%.100s", name);
    for (int k = 2; name_taken(r, to); k++)
        snprintf(to, sizeof r->names[0], "%.100s (%d)", name, k);
    return to;
}

typedef struct run_head {
    const char *name, *file, *title, *formulation, *status, *reason, *text;
} run_head;

static void put_head(lm_report *r, const run_head *h)
{
    lm_json *j = &r->runs;
    lm_json_open(j, '{');
    lm_json_key_text(j, "name", name_run(r, h->name));
    lm_json_key_text(j, "file", h->file);
    lm_json_key_text(j, "title", h->title);
    lm_json_key_text(j, "formulation", h->formulation);
    lm_json_key_text(j, "status", h->status);
    lm_json_key_text(j, "reason", h->reason);
    lm_json_key_text(j, "model", h->text);
    if (!r->title[0])
        snprintf(r->title, sizeof r->title, "%.290s", h->title[0] ? h->title : h->name);
}

static void put_difference(void *json, const limber_difference *d)
{
    lm_json *j = json;
    lm_json_open(j, '{');
    lm_json_key_text(j, "analysis", d->analysis);
    lm_json_key_text(j, "output", d->output);
    lm_json_key_number(j, "scale", d->scale);
    lm_json_key_number(j, "largest", d->largest);
    lm_json_key_number(j, "at", d->at);
    lm_json_close(j, '}');
}

/* How far this run is from the first. */
static int put_differences(lm_report *r, const lm_result *f)
{
    if (!r->has_first) {
        lm_json_key_null(&r->runs, "differences");
        return 0;
    }
    lm_json_key_open(&r->runs, "differences", '[');
    int bad = lm_difference(&r->first, f->file, put_difference, &r->runs);
    lm_json_close(&r->runs, ']');
    return bad;
}

static void put_messages(lm_json *j, const lm_result *f)
{
    static const char *const word[] = {"error", "warning", "note"};
    lm_json_key_open(j, "messages", '[');
    for (int i = 0; f && i < f->messages.n; i++) {
        const lm_message *m = &f->messages.at[i];
        lm_json_open(j, '{');
        lm_json_key_text(j, "severity", word[m->severity]);
        lm_json_key_text(j, "analysis", m->analysis);
        lm_json_key_text(j, "file", m->loc.file ? m->loc.file : "");
        lm_json_key_long(j, "line", m->loc.line);
        lm_json_key_long(j, "column", m->loc.col);
        lm_json_key_text(j, "text", m->text);
        lm_json_close(j, '}');
    }
    lm_json_close(j, ']');
}

static int put_run(lm_report *r, const lm_result *f, const lm_scene *scene)
{
    const char *slash = strrchr(f->path, '/');
    put_head(r, &(run_head){f->name, slash ? slash + 1 : f->path, f->title, f->formulation,
                            f->status, f->reason, f->text});
    put_messages(&r->runs, f);
    lm_json_key(&r->runs, "scene");
    if (scene)
        lm_scene_json(&r->runs, scene, f->pose_names);
    else
        lm_json_null(&r->runs);
    int bad = lm_report_graph(r, f->model ? f->model->spec : NULL);
    if (!bad) bad = put_analyses(r, f, scene);
    if (!bad) bad = put_differences(r, f);
    lm_json_close(&r->runs, '}');
    r->nruns++;
    r->runs_left--;
    return bad;
}

static limber_status explain(const lm_result *f, int bad, char *err, size_t size)
{
    if (bad == 1)
        snprintf(err, size, "%s; the file is damaged or incomplete: run the model again",
                 lm_h5_error(f->file));
    if (bad == 2) snprintf(err, size, "%s: out of memory", f->path);
    return bad == 1 ? LIMBER_INPUT : LIMBER_MEMORY;
}

limber_status lm_report_add(lm_report *r, const char *path, const lm_result_how *how, char *err,
                            size_t size)
{
    lm_result other, *f = r->has_first ? &other : &r->first;
    lm_scene scene = {0};
    int bad = lm_result_open(f, path, how, err, size);
    if (bad) return bad == 1 ? LIMBER_INPUT : LIMBER_MEMORY;
    if (f->model && lm_scene_make(&scene, f->model)) bad = 2;
    if (!f->model)
        lm_report_note(r, "%s cannot be drawn: the model in it could not be read again (%s)",
                       f->name, f->why);
    if (!bad) bad = put_run(r, f, f->model ? &scene : NULL);
    if (!bad && r->runs.failed) bad = 2;
    limber_status st = bad ? explain(f, bad, err, size) : LIMBER_OK;
    lm_scene_free(&scene);
    if (st || f == &other) lm_result_close(f);
    r->has_first |= !st;
    return st;
}

/* ---- a drawing ---- */

static int put_drawing(lm_report *r, const lm_drawing *d, const lm_scene *scene)
{
    lm_json *j = &r->runs;
    const lm_spec *spec = d->model->spec;
    put_head(r, &(run_head){d->name, spec->file, spec->title, "", "done", "", spec->text});
    put_messages(j, NULL);
    lm_json_key(j, "scene");
    lm_scene_json(j, scene, d->pose_names);
    if (lm_report_graph(r, spec)) return 2;
    lm_json_key_open(j, "analyses", '[');
    lm_json_open(j, '{');
    lm_json_key_text(j, "name", "initial state");
    lm_json_key_text(j, "type", "statics");
    lm_json_key_text(j, "status", "done");
    lm_json_key_text(j, "reason", "");
    lm_json_key_open(j, "summary", '[');
    for (int i = 0; i < d->nfacts; i++) lm_report_put_fact(j, &d->facts[i]);
    lm_json_close(j, ']');
    lm_json_key_long(j, "rows", 1);
    lm_json_key_open(j, "tables", '{');
    lm_json_close(j, '}');
    int bad = lm_report_one_pose(r, scene, d->pose ? d->pose : scene->rest);
    static const char *const none[] = {"colours", "joint_forces", "load_forces", "modes", "power"};
    for (int i = 0; i < 5; i++) lm_json_key_null(j, none[i]);
    lm_json_close(j, '}');
    lm_json_close(j, ']');
    lm_json_key_null(j, "differences");
    lm_json_close(j, '}');
    r->nruns++;
    return bad;
}

limber_status lm_report_draw(lm_report *r, const lm_drawing *d)
{
    lm_scene scene;
    r->drawing = 1;
    if (lm_scene_make(&scene, d->model)) return LIMBER_MEMORY;
    int bad = put_drawing(r, d, &scene);
    lm_scene_free(&scene);
    return bad || r->runs.failed ? LIMBER_MEMORY : LIMBER_OK;
}

/* ---- the file ---- */

static void make_head(lm_report *r)
{
    lm_json *j = &r->head;
    lm_json_open(j, '{');
    lm_json_key_text(j, "format", "limber report 1");
    lm_json_key_text(j, "version", LIMBER_VERSION);
    lm_json_key_text(j, "title", r->title);
    lm_json_key_text(j, "kind", r->drawing ? "drawing" : "report");
    lm_json_key_open(j, "blobs", '[');
    for (int i = 0; i < r->blobs.n; i++) {
        const lm_blob *b = &r->blobs.at[i];
        lm_json_open(j, '[');
        lm_json_long(j, (long)b->offset);
        lm_json_long(j, (long)b->size);
        lm_json_long(j, (long)b->raw);
        lm_json_close(j, ']');
    }
    lm_json_close(j, ']');
    lm_json_key_open(j, "notes", '[');
    for (int i = 0; i < r->nnotes; i++) lm_json_text(j, r->notes[i]);
    lm_json_close(j, ']');
    lm_json_key_open(j, "runs", '[');
}

static void put_text(lm_out *out, const char *text) { lm_out_put(out, text, strlen(text)); }

static void put_base64(lm_out *out, const unsigned char *data, size_t n)
{
    enum { BLOCK = 3 * 8192 };
    char text[4 * 8192];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t part = n - at < BLOCK ? n - at : BLOCK;
        lm_out_put(out, text, lm_base64(data + at, part, text));
    }
}

static void put_data(lm_out *out, const lm_report *r)
{
    put_text(out, "<script type=\"application/json\" id=\"limber-report\">");
    lm_out_put(out, r->head.text, r->head.used);
    lm_out_put(out, r->runs.text, r->runs.used);
    put_text(out, "]}</script>\n<script type=\"application/octet-stream\" id=\"limber-blobs\">");
    put_base64(out, r->blobs.data, r->blobs.used);
    put_text(out, "</script>\n");
}

/* The marker; NULL unless it is there. The page is no C text: it may hold zeros. */
static const char *find_marker(const char *page, size_t size)
{
    size_t n = strlen(marker);
    for (const char *p = page; size >= n && p <= page + size - n; p++) {
        p = memchr(p, marker[0], (size_t)(page + size - n - p) + 1);
        if (!p) return NULL;
        if (!memcmp(p, marker, n)) return p;
    }
    return NULL;
}

limber_status lm_report_write(lm_report *r, const char *page, size_t page_size, const char *path,
                              char *err, size_t size)
{
    lm_out *out = NULL;
    const char *at = find_marker(page, page_size);
    if (!at) {
        snprintf(err, size, "the page of the report has no line %s", marker);
        return LIMBER_INPUT;
    }
    make_head(r);
    if (r->head.failed || r->runs.failed) {
        snprintf(err, size, "%s: out of memory", path);
        return LIMBER_MEMORY;
    }
    if (lm_out_open(path, &out, err, size)) return LIMBER_IO;
    lm_out_put(out, page, (size_t)(at - page));
    put_data(out, r);
    at += strlen(marker);
    lm_out_put(out, at, page_size - (size_t)(at - page));
    return lm_out_close(out, err, size) ? LIMBER_IO : LIMBER_OK;
}
