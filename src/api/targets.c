/* Files and folders that results go to: what is wrong with them is said before anything is computed. */
#include "api/api.h"

#include "analysis/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, b) == 0) return 1;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* 0, or why nothing can be written under that name, as an errno. A short name is its own folder's. */
static int unwritable(const char *path)
{
    struct stat st;
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    if (!*path) return ENOENT;
    if (stat(path, &st) == 0) return S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    return access(folder, W_OK) ? errno : 0;
}

int lm_target_refuse(const char *what, const char *path, const char *results, const char *model,
                     char *err, size_t size)
{
    int why = 0;
    if (results && same_file(path, results))
        snprintf(err, size, "%s is the result file: give the %s another name", path, what);
    else if (model && same_file(path, model))
        snprintf(err, size, "%s is the model: give the %s another name", path, what);
    else if ((why = unwritable(path)))
        snprintf(err, size, "cannot write %s: %s", path, strerror(why));
    else
        return 0;
    return -1;
}

int lm_folder_refuse(const char *folder, char *err, size_t size)
{
    struct stat st;
    int why = mkdir(folder, 0777) && errno != EEXIST ? errno : 0;
    if (!why && stat(folder, &st)) why = errno;
    if (!why && !S_ISDIR(st.st_mode)) why = ENOTDIR;
    if (!why && access(folder, W_OK)) why = errno;
    if (why) snprintf(err, size, "cannot write to the folder %s: %s", folder, strerror(why));
    return why ? -1 : 0;
}

/* What can be wrong with the files made of the results is said before a long run, not after it. */
limber_status lm_check_files(lm_run *run)
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
