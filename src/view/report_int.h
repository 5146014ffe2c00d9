/* Private to the report: what report*.c share. */
#ifndef LM_VIEW_REPORT_INT_H
#define LM_VIEW_REPORT_INT_H

#include "view/blobs.h"
#include "view/report.h"
#include "view/scene.h"

enum {
    LM_REPORT_ROWS = 20000,   /* most frames of an analysis */
    LM_REPORT_FINE = 2 << 20, /* tables of more bytes are stored with 4 bytes a number */
    LM_REPORT_NOTES = 16
};

struct lm_report {
    lm_json runs, head;
    lm_blobs blobs;
    int nruns, runs_left;
    char (*names)[120]; /* of the runs */
    size_t budget;      /* bytes of blobs that the file may hold */
    int drawing;
    char title[300];
    int nnotes;
    char notes[LM_REPORT_NOTES][400];
    lm_result first; /* what the other runs are compared with */
    int has_first;
};

/* One analysis on its way into the report. All functions below: 0, 1 (the file cannot be read, its
 * error says why) or 2 (no memory). */
typedef struct lm_report_part {
    lm_report *r;
    lm_json *j;
    const lm_result *file;
    const lm_result_analysis *a;
    const lm_scene *scene; /* NULL: none */
    size_t budget;         /* bytes for its poses and colours */
    int colours;           /* 1: of this run */
    long stride;           /* of its rows; poses that do not fit make it larger */
} lm_report_part;

void lm_report_note(lm_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* report_tables.c */
int lm_report_tables(lm_report_part *p);
/* The blob of a table NAME.fx ... NAME.mz, as "key": VECTORS. */
int lm_report_vectors(lm_report_part *p, const char *key, int expected);
/* report_poses.c: "poses" and "colours" */
int lm_report_poses(lm_report_part *p);
/* report_modes.c: "modes" */
int lm_report_modes(lm_report_part *p);
/* report_power.c: "graph" of a run (NULL: none is known), "power" of an analysis */
int lm_report_graph(lm_report *r, const lm_spec *spec);
int lm_report_power(lm_report_part *p);
/* summary.c: the rows of "summary" */
int lm_report_summary(lm_report_part *p);
void lm_report_put_fact(lm_json *j, const lm_report_fact *f);
/* POSES of one frame, for a drawing. */
int lm_report_one_pose(lm_report *r, const lm_scene *s, const double *pose);

#endif
