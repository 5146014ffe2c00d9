/* From result files to CSV. */
#include "api/api.h"

#include "io/csv.h"
#include "io/rows.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 256 };

/* The last analysis: the last member of the file that has results. 0; 1: there is none; -1: the file
 * cannot be read. */
static int last_analysis(lm_h5 *f, char *last, size_t size)
{
    int n = 0, found = 0, bad = 0;
    char **names = NULL;
    if (lm_h5_list(f, "/", &n, &names)) return -1;
    for (int i = 0; i < n && bad >= 0; i++) {
        char group[200], *status = NULL;
        snprintf(group, sizeof group, "/%.190s", names[i]);
        bad = lm_h5_read_attr_text(f, group, "status", &status); /* only analyses have one */
        if (!bad) snprintf(last, size, "%s", group);
        found |= !bad;
        lm_free(status);
    }
    lm_free(names);
    return bad < 0 ? -1 : !found;
}

/* 0; -1 when reading failed; what cannot be written is known to the CSV file. */
static int copy_rows(const lm_rows *t, lm_csv *csv)
{
    double *data = lm_alloc(sizeof(double) * ROWS * (size_t)t->ncols);
    int unread = !data, unwritten = 0;
    for (long first = 0; first < t->rows && !unread && !unwritten; first += ROWS) {
        long n = t->rows - first < ROWS ? t->rows - first : ROWS;
        unread = lm_rows_read(t, first, n, data);
        for (long r = 0; r < n && !unread && !unwritten; r++)
            unwritten = lm_csv_row(csv, t->ncols, data + r * t->ncols);
    }
    lm_free(data);
    return unread ? -1 : 0;
}

static limber_status results_to_csv(lm_h5 *f, const char *analysis, const char *to, char *err,
                                    size_t size)
{
    lm_rows t;
    lm_csv *csv = NULL;
    int missing = lm_rows_open(&t, f, analysis, "results");
    if (missing > 0) snprintf(err, size, "%s stopped before it had results", analysis + 1);
    if (missing < 0) snprintf(err, size, "%s", lm_h5_error(f));
    if (missing) return LIMBER_IO;
    if (lm_csv_open(to, &csv, err, size)) {
        lm_rows_close(&t);
        return LIMBER_IO;
    }
    int bad = lm_csv_header(csv, t.ncols, (const char *const *)t.columns);
    int unread = bad ? 0 : copy_rows(&t, csv);
    if (unread) {
        snprintf(err, size, "%s", lm_h5_error(f)[0] ? lm_h5_error(f) : "out of memory");
        lm_csv_drop(csv); /* half a table is worse than none */
    } else if (lm_csv_close(csv, err, size))
        bad = 1;
    lm_rows_close(&t);
    return bad || unread ? LIMBER_IO : LIMBER_OK;
}

limber_status limber_export_csv(const char *results, const char *csv, limber_messages *msg)
{
    char err[300] = "", analysis[220];
    lm_h5 *f = NULL;
    limber_status st = LIMBER_IO;
    if (strcmp(csv, "-") != 0 &&
        lm_target_refuse("CSV file", csv, results, NULL, err, sizeof err)) {
        lm_error(&msg->diag, ((lm_loc){0}), "%s", err);
        return st;
    }
    int none = lm_h5_open(results, LM_H5_READ, &f, err, sizeof err);
    if (!none) {
        none = last_analysis(f, analysis, sizeof analysis);
        if (none < 0) snprintf(err, sizeof err, "%s", lm_h5_error(f));
        if (none > 0) snprintf(err, sizeof err, "%s holds no results of limber", results);
    }
    st = none ? LIMBER_INPUT : results_to_csv(f, analysis, csv, err, sizeof err);
    if (st) lm_error(&msg->diag, ((lm_loc){0}), "%s", err); /* it names the file */
    lm_h5_close(f);
    return st;
}
