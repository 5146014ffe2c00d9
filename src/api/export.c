/* From result files to CSV. */
#include "api/api.h"

#include "io/csv.h"
#include "io/h5.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 256 };

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

/* The table of the last analysis: of the last member of the file that has results. 0; 1: there is
 * none; -1: the file cannot be read. */
static int last_results(lm_h5 *f, char *path, size_t size)
{
    int n = 0, found = 0, bad = 0;
    char **names = NULL;
    if (lm_h5_list(f, "/", &n, &names)) return -1;
    for (int i = 0; i < n && bad >= 0; i++) {
        char group[200], *status = NULL;
        snprintf(group, sizeof group, "/%.190s", names[i]);
        bad = lm_h5_read_attr_text(f, group, "status", &status); /* only analyses have one */
        if (!bad) snprintf(path, size, "%s/results", group);
        found |= !bad;
        lm_free(status);
    }
    lm_free(names);
    return bad < 0 ? -1 : !found;
}

/* 0; -1 when reading failed; what cannot be written is known to the CSV file. */
static int copy_rows(lm_h5 *f, const char *path, lm_csv *csv, long rows, int cols)
{
    double *data = lm_alloc(sizeof(double) * ROWS * (size_t)cols);
    int unread = !data, unwritten = 0;
    for (long first = 0; first < rows && !unread && !unwritten; first += ROWS) {
        long n = rows - first < ROWS ? rows - first : ROWS;
        unread = lm_h5_read_rows(f, path, first, n, data);
        for (long r = 0; r < n && !unread && !unwritten; r++)
            unwritten = lm_csv_row(csv, cols, data + r * cols);
    }
    lm_free(data);
    return unread ? -1 : 0;
}

static limber_status table_to_csv(lm_h5 *f, const char *path, const char *to, char *err,
                                  size_t size)
{
    long rows;
    int cols;
    char **columns = NULL;
    lm_csv *csv = NULL;
    if (lm_h5_table_info(f, path, &rows, &cols, &columns)) {
        snprintf(err, size, "%s", lm_h5_error(f));
        return LIMBER_IO;
    }
    if (lm_csv_open(to, &csv, err, size)) {
        lm_free(columns);
        return LIMBER_IO;
    }
    int bad = lm_csv_header(csv, cols, (const char *const *)columns);
    int unread = bad ? 0 : copy_rows(f, path, csv, rows, cols);
    if (unread) {
        snprintf(err, size, "%s", lm_h5_error(f)[0] ? lm_h5_error(f) : "out of memory");
        lm_csv_drop(csv); /* half a table is worse than none */
    } else if (lm_csv_close(csv, err, size))
        bad = 1;
    lm_free(columns);
    return bad || unread ? LIMBER_IO : LIMBER_OK;
}

limber_status limber_export_csv(const char *results, const char *csv, limber_messages *msg)
{
    char err[300] = "", path[220];
    lm_h5 *f = NULL;
    limber_status st = LIMBER_IO;
    if (strcmp(csv, "-") != 0 &&
        lm_target_refuse("CSV file", csv, results, NULL, err, sizeof err)) {
        lm_error(&msg->diag, ((lm_loc){0}), "%s", err);
        return st;
    }
    int none = lm_h5_open(results, LM_H5_READ, &f, err, sizeof err);
    if (!none) {
        none = last_results(f, path, sizeof path);
        if (none < 0) snprintf(err, sizeof err, "%s", lm_h5_error(f));
        if (none > 0) snprintf(err, sizeof err, "%s holds no results of limber", results);
    }
    st = none ? LIMBER_INPUT : table_to_csv(f, path, csv, err, sizeof err);
    if (st) lm_error(&msg->diag, ((lm_loc){0}), "%s", err); /* it names the file */
    lm_h5_close(f);
    return st;
}
