/* From result files to CSV. */
#include "api/api.h"

#include "io/csv.h"
#include "io/h5.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 256 };

/* The group of the last analysis: the last member of the file that has a table of results. */
static int last_group(lm_h5 *f, char *path, size_t size)
{
    int n = 0, found = 0;
    char **names = NULL;
    if (lm_h5_list(f, "/", &n, &names)) return 0;
    for (int i = 0; i < n; i++) {
        char probe[200];
        long rows;
        int cols;
        char **columns = NULL;
        snprintf(probe, sizeof probe, "/%s/results", names[i]);
        if (lm_h5_table_info(f, probe, &rows, &cols, &columns) == 0) {
            found = 1;
            snprintf(path, size, "%s", probe);
            lm_free(columns);
        }
    }
    lm_free(names);
    return found;
}

static int copy_rows(lm_h5 *f, const char *path, lm_csv *csv, long rows, int cols)
{
    double *data = lm_alloc(sizeof(double) * ROWS * (size_t)cols);
    int bad = !data;
    for (long first = 0; first < rows && !bad; first += ROWS) {
        long n = rows - first < ROWS ? rows - first : ROWS;
        bad = lm_h5_read_rows(f, path, first, n, data);
        for (long r = 0; r < n && !bad; r++) bad = lm_csv_row(csv, cols, data + r * cols);
    }
    lm_free(data);
    return bad;
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
    if (!bad) bad = copy_rows(f, path, csv, rows, cols);
    if (bad) snprintf(err, size, "its rows could not be copied");
    if (lm_csv_close(csv, err, size)) bad = 1;
    lm_free(columns);
    return bad ? LIMBER_IO : LIMBER_OK;
}

limber_status limber_export_csv(const char *results, const char *csv, limber_messages *msg)
{
    char err[300] = "", path[200];
    lm_h5 *f = NULL;
    if (lm_h5_open(results, LM_H5_READ, &f, err, sizeof err)) {
        lm_error(&msg->diag, ((lm_loc){results, 0, 0}), "%s", err);
        return LIMBER_IO;
    }
    limber_status st = LIMBER_IO;
    if (!last_group(f, path, sizeof path))
        lm_error(&msg->diag, ((lm_loc){results, 0, 0}), "it holds no results of limber");
    else {
        st = table_to_csv(f, path, csv, err, sizeof err);
        if (st) lm_error(&msg->diag, ((lm_loc){csv, 0, 0}), "%s", err);
    }
    lm_h5_close(f);
    return st;
}
