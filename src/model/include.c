/* Files: the model and what it includes. */
#include "model/library.h"
#include "model/reader.h"

#include <errno.h>
#include <limber/status.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- reading a file --- */

static int cannot_open(lm_reader *r, lm_loc loc, const char *shown, const char *why)
{
    if (loc.line)
        lm_error(r->diag, loc, "cannot read '%s': %s", lm_quoted(r, shown), why);
    else
        lm_error(r->diag, loc, "cannot read the model file: %s", why);
    return -1;
}

static const char *errno_text(void)
{
    switch (errno) {
    case ENOENT: return "there is no such file";
    case EACCES: return "permission denied";
    case EISDIR: return "it is a directory";
    default: return strerror(errno);
    }
}

/* The whole stream, at most LM_YAML_BYTES. */
static int read_stream(lm_reader *r, FILE *f, lm_loc loc, const char *shown, char **text,
                       size_t *size)
{
    size_t cap = (size_t)1 << 16, n = 0;
    char *buffer = lm_arena_alloc(r->arena, cap + 1);
    for (;;) {
        n += fread(buffer + n, 1, cap - n, f);
        if (ferror(f)) return cannot_open(r, loc, shown, errno_text());
        if (n < cap) break;
        if (n > LM_YAML_BYTES) return cannot_open(r, loc, shown, "it is larger than 64 MiB");
        char *grown = lm_arena_alloc(r->arena, 2 * cap + 1);
        memcpy(grown, buffer, n);
        buffer = grown;
        cap *= 2;
    }
    buffer[n] = 0;
    *text = buffer;
    *size = n;
    return 0;
}

/* `shown` is the name of the file in messages: as the user wrote it. */
static int read_whole(lm_reader *r, const char *path, const char *shown, lm_loc loc, char **text,
                      size_t *size)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    if (!f) return cannot_open(r, loc, shown, errno_text());
    r->stream = f;
    int rc = -1;
    if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode))
        cannot_open(r, loc, shown, "it is a directory");
    else if (loc.line && !S_ISREG(st.st_mode))
        cannot_open(r, loc, shown, "it is not a regular file");
    else
        rc = read_stream(r, f, loc, shown, text, size);
    r->stream = NULL;
    fclose(f);
    return rc;
}

/* --- the tree of a file --- */

static lm_yaml *parse(lm_reader *r, const char *name, const char *text, size_t size)
{
    int memory = 0;
    lm_loc whole = {name, 0, 0};
    if (lm_yaml_check_text(r->diag, text, size, name)) return NULL;
    int errors = r->diag->errors, mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    if (mark) { /* byte order mark */
        text += 3;
        size -= 3;
    }
    lm_yaml *root = lm_yaml_parse(r->arena, r->diag, &r->yaml, text, size, name, &memory);
    if (memory) longjmp(r->fail, 1);
    if (!root && r->diag->errors > errors) return NULL;
    if (!root || lm_yaml_is_null(root)) {
        lm_error(r->diag, whole, "the file is empty; a model begins with 'limber: 1'");
        return NULL;
    }
    if (root->kind == LM_YAML_MAP) return root;
    lm_error(r->diag, root->loc, "a model file is a mapping that begins with 'limber: 1', found %s",
             lm_found(r, root));
    return NULL;
}

static const char *folder_of(lm_reader *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return "";
    return lm_arena_strn(r->arena, path, slash == path ? 1 : (size_t)(slash - path));
}

static const char *real_path(lm_reader *r, const char *path)
{
    char buffer[PATH_MAX];
    return realpath(*path ? path : ".", buffer) ? lm_arena_str(r->arena, buffer) : NULL;
}

/* --- includes --- */

static int inside(const char *folder, const char *path)
{
    size_t n = folder ? strlen(folder) : 0;
    if (!n) return 0;
    if (folder[n - 1] == '/') n--; /* the root folder */
    return strncmp(folder, path, n) == 0 && path[n] == '/';
}

/* "a.yaml -> b.yaml -> a.yaml" */
static const char *chain(lm_reader *r, int from, int to)
{
    const char *text = r->files.at[to].name;
    for (int i = from;; i = r->files.at[i].parent) {
        text = lm_arena_printf(&r->scratch, "%s -> %s", r->files.at[i].name, text);
        if (i == to) return text;
    }
}

/* 1: the file is there already (after an error, when it is on the way to itself). */
static int loaded(lm_reader *r, int parent, const char *real, lm_loc loc, int *rc)
{
    for (int i = 0; i < r->files.n; i++) {
        if (!r->files.at[i].real || strcmp(r->files.at[i].real, real) != 0) continue;
        for (int k = parent; k >= 0; k = r->files.at[k].parent) {
            if (k != i) continue;
            lm_error(r->diag, loc, "the includes go in a circle: %s", chain(r, parent, i));
            *rc = -1;
        }
        return 1;
    }
    return 0;
}

static int load_file(lm_reader *r, const char *path, const char *shown, const char *real,
                     int parent, lm_loc loc, const char *text, size_t size);

/* --- files that are part of the program --- */

static const lm_library_file *library_file(const char *name)
{
    for (int i = 0; i < lm_library_count; i++)
        if (strcmp(lm_library[i].name, name) == 0) return &lm_library[i];
    return NULL;
}

static int no_file(lm_reader *r, const lm_yaml *node, const char *name)
{
    const char **names = LM_NEW_N(&r->scratch, const char *, lm_library_count + 1);
    for (int i = 0; i < lm_library_count; i++) names[i] = lm_library[i].name;
    if (strncmp(name, "library/", 8) != 0) return cannot_open(r, node->loc, name, errno_text());
    const char *hint = lm_suggest(r, name, names, lm_library_count);
    if (!*hint)
        hint =
            lm_arena_printf(&r->scratch, " (it has %s)", lm_list_names(r, names, lm_library_count));
    lm_error(r->diag, node->loc,
             "cannot read '%s': there is no such file beside the model, nor in the library of the "
             "program%s",
             lm_quoted(r, name), hint);
    return -1;
}

/* The name of such a file stands for its path: no path of a file begins so, they are absolute. */
static int include_library(lm_reader *r, int parent, const lm_yaml *node, const char *name)
{
    const lm_library_file *f = library_file(name);
    int rc = 0;
    if (!f) return no_file(r, node, name);
    if (loaded(r, parent, f->name, node->loc, &rc)) return rc;
    return load_file(r, f->name, f->name, f->name, parent, node->loc, f->text,
                     (size_t)(f->end - f->text));
}

/* A file of the library includes others of it, with or without the name of the folder. */
static int include_sibling(lm_reader *r, int parent, const lm_yaml *node)
{
    const char *name = node->text;
    if (strncmp(name, "library/", 8) != 0) name = lm_arena_printf(r->arena, "library/%s", name);
    return include_library(r, parent, node, name);
}

static int include_one(lm_reader *r, int parent, const lm_yaml *node)
{
    int rc = 0;
    if (lm_read_want(r, node, LM_YAML_SCALAR, "the name of a file")) return -1;
    if (r->files.at[parent].library) return include_sibling(r, parent, node);
    const char *folder = r->files.at[parent].folder, *name = node->text;
    const char *path =
        *name == '/' || !*folder
            ? name
            : lm_arena_printf(r->arena, "%s%s%s", folder, strcmp(folder, "/") ? "/" : "", name);
    const char *real = real_path(r, path);
    if (!real) return include_library(r, parent, node, name);
    int allowed = r->options && r->options->allow_outside_includes;
    if (!allowed && !inside(r->real_folder, real)) {
        lm_error(r->diag, node->loc,
                 "'%s' is outside the folder of the model; includes must stay "
                 "inside it",
                 lm_quoted(r, name));
        return -1;
    }
    if (loaded(r, parent, real, node->loc, &rc)) return rc;
    if (r->files.n >= LM_INCLUDES) {
        lm_error(r->diag, node->loc, "more than %d files are included", LM_INCLUDES);
        return -1;
    }
    return load_file(r, path, name, real, parent, node->loc, NULL, 0);
}

static int include_all(lm_reader *r, int file)
{
    const lm_yaml *node = lm_yaml_get(r->files.at[file].root, "include", NULL);
    lm_where where = {file ? "an included file" : "the model", NULL, {0}, NULL};
    int rc = 0;
    if (!node || lm_yaml_is_null(node)) return 0;
    r->where = &where;
    r->key = "include";
    if (node->kind == LM_YAML_SCALAR) {
        rc = include_one(r, file, node);
    } else if (lm_read_want(r, node, LM_YAML_LIST, "a list of file names")) {
        rc = -1;
    } else {
        for (int i = 0; i < node->n; i++) {
            r->where = &where;
            r->key = "include";
            if (include_one(r, file, node->items[i])) rc = -1;
        }
    }
    r->where = NULL;
    r->key = NULL;
    return rc;
}

static int load_file(lm_reader *r, const char *path, const char *shown, const char *real,
                     int parent, lm_loc loc, const char *text, size_t size)
{
    char *own = NULL;
    if (!text && read_whole(r, path, shown, loc, &own, &size)) return -1;
    if (text && size > LM_YAML_BYTES) return cannot_open(r, loc, path, "it is larger than 64 MiB");
    text = text ? lm_arena_strn(r->arena, text, size) : own;
    /* the text kept with results holds the included files too, behind the end of the model's own */
    r->spec->text = parent < 0 ? text
                               : lm_arena_printf(r->arena, "%s\n...\n# ---- %s ----\n%s",
                                                 r->spec->text, shown, text);
    int index = r->files.n;
    lm_file *f = LM_PUSH(r->arena, &r->files);
    *f = (lm_file){path, folder_of(r, path), real, NULL, parent, real && *real != '/'};
    lm_yaml *root = parse(r, path, text, size);
    r->files.at[index].root = root;
    if (!root) return -1;
    return include_all(r, index);
}

int lm_load(lm_reader *r, const char *path, const char *text, size_t size)
{
    lm_loc whole = {path, 0, 0};
    const char *real = real_path(r, path);
    r->real_folder = real_path(r, folder_of(r, path));
    if (load_file(r, path, path, real, -1, whole, text, size)) {
        /* What is missing may be in what could not be read. */
        r->params_broken = r->materials.broken = r->sections.broken = 1;
        if (!r->files.n) r->status = LIMBER_IO;
    }
    return r->files.n && r->files.at[0].root ? 0 : -1;
}
