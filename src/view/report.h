/* The report: the JSON and the blobs of docs/dev/report-format.md, put into the page of viewer/.
 *
 *     lm_report *r = lm_report_new(2, size);
 *     lm_report_add(r, "a.h5", &how, err, sizeof err);
 *     lm_report_add(r, "b.h5", &how, err, sizeof err);
 *     lm_report_write(r, page, size, "out.html", err, sizeof err);
 *     lm_report_free(r);
 */
#ifndef LM_VIEW_REPORT_H
#define LM_VIEW_REPORT_H

#include <limber/limber.h>

#include "view/result.h"

typedef struct lm_report lm_report;

/* For that many runs; `page` is the size of the page in bytes. NULL: no memory. */
lm_report *lm_report_new(int runs, size_t page);
void lm_report_free(lm_report *r);

/* A result file: LIMBER_OK, LIMBER_INPUT (no result file, damaged) or LIMBER_MEMORY, with a sentence. */
limber_status lm_report_add(lm_report *r, const char *path, const lm_result_how *how, char *err,
                            size_t size);

typedef struct lm_report_fact { /* a row of the summary */
    const char *label;
    char value[160];
    const char *verdict; /* "good", "fair", "bad" or "" */
} lm_report_fact;

/* A model at rest: one frame. */
typedef struct lm_drawing {
    const lm_model *model;
    const char *name;              /* of the model file */
    const double *pose;            /* [7 nnodes]; NULL: as drawn */
    const char *const *pose_names; /* [nnodes] */
    const lm_report_fact *facts;
    int nfacts;
} lm_drawing;
limber_status lm_report_draw(lm_report *r, const lm_drawing *d);

/* Write the page with the data in it. LIMBER_INPUT: the page has no marker; LIMBER_IO. */
limber_status lm_report_write(lm_report *r, const char *page, size_t page_size, const char *path,
                              char *err, size_t size);

#endif
