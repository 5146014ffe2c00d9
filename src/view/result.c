#include "view/result.h"

#include <limber/status.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- texts ---- */

static void let_go(lm_result *r)
{
    lm_free(r->held);
    r->held = NULL;
}

/* Into the arena; "" where there is none. -1 when the file cannot be read. */
static int attribute(lm_result *r, const char *object, const char *name, const char **to)
{
    char *text = NULL;
    int rc = lm_h5_read_attr_text(r->file, object, name, &text);
    r->held = text;
    *to = rc ? "" : lm_arena_str(&r->arena, text);
    let_go(r);
    return rc < 0 ? -1 : 0;
}

static int read_texts(lm_result *r)
{
    char *text = NULL;
    int bad = attribute(r, "/", "title", &r->title);
    bad |= attribute(r, "/", "formulation", &r->formulation);
    bad |= attribute(r, "/", "status", &r->status);
    bad |= attribute(r, "/", "reason", &r->reason);
    bad |= attribute(r, "/", "model_file", &r->model_file);
    bad |= attribute(r, "/", "options", &r->options);
    int rc = lm_h5_read_text(r->file, "/model", &text);
    r->held = text;
    r->text = rc ? "" : lm_arena_str(&r->arena, text);
    let_go(r);
    return bad || rc < 0 ? -1 : 0;
}

static void keep_message(void *result, const lm_message *m)
{
    lm_result *r = result;
    *LM_PUSH(&r->arena, &r->messages) = *m;
}

static int read_messages(lm_result *r)
{
    char *text = NULL;
    int rc = lm_h5_read_text(r->file, LM_RESULT_MESSAGES, &text);
    r->held = text;
    char *kept = rc ? NULL : lm_arena_str(&r->arena, text);
    let_go(r);
    if (kept) lm_diag_parse(kept, keep_message, r);
    return rc < 0 ? -1 : 0;
}

/* dynamics_3 -> dynamics */
static const char *type_of(lm_arena *a, const char *name)
{
    size_t n = strlen(name), digits = 0;
    while (digits < n && strchr("0123456789", name[n - 1 - digits])) digits++;
    if (digits && digits + 1 < n && name[n - 1 - digits] == '_') n -= digits + 1;
    return lm_arena_strn(a, name, n);
}

/* Only analyses have a status. */
static int read_analyses(lm_result *r)
{
    int n = 0, bad = 0;
    char **names = NULL;
    if (lm_h5_list(r->file, "/", &n, &names)) return -1;
    r->held = names;
    const char **kept = LM_NEW_N(&r->arena, const char *, n);
    for (int i = 0; i < n; i++) kept[i] = lm_arena_str(&r->arena, names[i]);
    let_go(r);
    for (int i = 0; i < n && !bad; i++) {
        char *status = NULL;
        lm_result_analysis a = {.group = lm_arena_printf(&r->arena, "/%s", kept[i]),
                                .name = kept[i],
                                .type = type_of(&r->arena, kept[i])};
        int rc =
            strlen(kept[i]) > 40 ? 1 : lm_h5_read_attr_text(r->file, a.group, "status", &status);
        lm_free(status);
        bad = rc < 0;
        if (rc) continue;
        bad = attribute(r, a.group, "status", &a.status) ||
              attribute(r, a.group, "reason", &a.reason);
        if (!bad) *LM_PUSH(&r->arena, &r->analyses) = a;
    }
    return bad ? -1 : 0;
}

/* ---- the model ---- */

/* The values of --set in the options that the file was made with; they are stored as one text. */
static int find_sets(lm_arena *a, const char *options, const char ***sets)
{
    static const char *const next[] = {" --set ", " --until ", " --formulation "};
    int n = 0, most = 0;
    char *text = lm_arena_printf(a, " %s", options), *at = text;
    for (const char *p = text; (p = strstr(p, next[0])); p++) most++;
    *sets = LM_NEW_N(a, const char *, most);
    while ((at = strstr(at, next[0]))) {
        at += strlen(next[0]);
        char *end = at + strlen(at);
        for (int k = 0; k < 3; k++) {
            char *stop = strstr(at, next[k]);
            if (stop && stop < end) end = stop;
        }
        (*sets)[n++] = lm_arena_strn(a, at, (size_t)(end - at));
        at = end;
    }
    return n;
}

/* The model's own text; those of included files are behind it (model/include.c) and are read anew. */
static size_t own_size(const char *text)
{
    const char *end = strstr(text, "\n...\n");
    return end ? (size_t)(end - text) + 1 : strlen(text);
}

/* 0; 1: the text is no model any more, with the first error in r->why; 2: no memory. */
static int compile(lm_result *r, int allow_outside)
{
    lm_diag diag = {0};
    lm_spec *spec = NULL;
    lm_read_options ro = {.allow_outside_includes = allow_outside};
    const char **sets, *name = r->model_file[0] ? r->model_file : "model";
    ro.nset = find_sets(&r->arena, r->options, &sets);
    ro.set = sets;
    int st = lm_read_text(&r->own.arena, &diag, r->text, own_size(r->text), name, &ro, &spec);
    if (!st) st = lm_compile_safely(&r->own, spec, &diag);
    for (int i = diag.list.n - 1; i >= 0 && st; i--)
        if (diag.list.at[i].severity == LM_ERROR)
            snprintf(r->why, sizeof r->why, "%s", diag.list.at[i].text);
    if (diag.out_of_memory) st = LIMBER_MEMORY;
    lm_diag_free(&diag);
    return st == LIMBER_MEMORY ? 2 : st ? 1 : 0;
}

/* Names of the poses: the columns NAME.x of a table, without the ".x". */
static void name_poses(lm_result *r, lm_rows *t)
{
    r->held = t->columns; /* taken over */
    const char **names = LM_NEW_N(&r->arena, const char *, t->ncols / 7);
    for (int i = 0; i < t->ncols / 7; i++) {
        const char *column = t->columns[7 * i];
        size_t n = strlen(column);
        names[i] = lm_arena_strn(&r->arena, column, n > 2 ? n - 2 : n);
    }
    r->pose_names = names;
    let_go(r);
    t->columns = NULL;
}

/* Where no analysis came so far. */
static void name_bodies(lm_result *r)
{
    const lm_model *m = r->model;
    const char **names = LM_NEW_N(&r->arena, const char *, m->nnodes);
    for (int i = 0; i < m->nnodes; i++) names[i] = m->bodies[m->nodes[i].body].name;
    r->pose_names = names;
}

/* The poses in the file must be those of the model. */
static int check_poses(lm_result *r)
{
    for (int i = 0; i < r->analyses.n; i++) {
        lm_rows t;
        int rc = lm_rows_open(&t, r->file, r->analyses.at[i].group, "poses");
        int fits = rc || t.ncols == 7 * r->model->nnodes;
        if (!rc && fits && !r->pose_names) name_poses(r, &t);
        lm_rows_close(&t);
        if (rc < 0) return -1;
        if (fits) continue;
        snprintf(r->why, sizeof r->why, "%s",
                 "the poses in the file are not those of the model text in it");
        r->model = NULL;
        return 0;
    }
    if (!r->pose_names) name_bodies(r);
    return 0;
}

/* ---- opening ---- */

static void set_name(lm_result *r, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t n = strlen(base);
    if (n > 3 && !strcmp(base + n - 3, ".h5")) n -= 3;
    r->path = lm_arena_str(&r->arena, path);
    r->name = lm_arena_strn(&r->arena, base, n);
}

static int is_limber(lm_result *r, char *err, size_t size)
{
    const char *format;
    if (attribute(r, "/", "format", &format)) return -1;
    if (!strcmp(format, LM_RESULT_FORMAT)) return 1;
    if (!strncmp(format, "limber results", 14))
        snprintf(err, size, "%s was written by another version of limber ('%.40s')", r->path,
                 format);
    else
        snprintf(err, size, "%s holds no results of limber; 'limber run MODEL' makes such files",
                 r->path);
    return 0;
}

/* 0, 1, 2, or -1 for what the file itself says. */
static int read_all(lm_result *r, const lm_result_how *how, char *err, size_t size)
{
    int mine = is_limber(r, err, size);
    if (mine <= 0) return mine ? -1 : 1;
    if (read_texts(r) || read_messages(r) || read_analyses(r)) return -1;
    r->model = how->model;
    if (!r->model) {
        int bad = compile(r, how->allow_outside);
        if (bad == 2) snprintf(err, size, "%s: out of memory", r->path);
        if (bad) return bad == 2 ? 2 : 0;
        r->model = &r->own;
    }
    return check_poses(r);
}

int lm_result_open(lm_result *r, const char *path, const lm_result_how *how, char *err, size_t size)
{
    jmp_buf oom;
    *r = (lm_result){0};
    err[0] = 0;
    r->arena.on_fail = &oom;
    if (setjmp(oom)) {
        snprintf(err, size, "%s: out of memory", path);
        lm_result_close(r);
        return 2;
    }
    set_name(r, path);
    int rc = lm_h5_open(path, LM_H5_READ, &r->file, err, size) ? 1 : read_all(r, how, err, size);
    if (rc < 0)
        snprintf(err, size, "%s; the file is damaged or incomplete: run the model again",
                 lm_h5_error(r->file));
    if (rc) lm_result_close(r);
    r->arena.on_fail = NULL;
    return rc < 0 ? 1 : rc;
}

void lm_result_close(lm_result *r)
{
    let_go(r);
    if (r->file) lm_h5_close(r->file);
    r->file = NULL;
    lm_arena_free(&r->own.arena);
    lm_arena own = r->arena;
    lm_arena_free(&own);
    r->arena = own;
}
