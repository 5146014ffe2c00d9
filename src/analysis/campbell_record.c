/* The Campbell diagram in the result file (docs/results.md). */
#include "analysis/campbell.h"

#include <math.h>
#include <stdio.h>

static const char *const result_columns[] = {"speed", "mode", "frequency", "damping_ratio"};
static const char *const root_columns[] = {"speed", "mode", "real", "imaginary", "whirl"};
static const char *const critical_columns[] = {"speed", "mode", "frequency", "whirl"};

/* Frequency and damping as modes have them: |s|, and none for a root that does not vibrate. */
static int put_point(lm_run *run, const int id[2], double speed, int mode, const lm_branch_point *p)
{
    double size = hypot(p->re, p->im);
    double row[4] = {speed, mode, p->im > 0 ? size / (2 * acos(-1.0)) : 0,
                     size > 0 ? 0 - p->re / size : 0};
    double root[5] = {speed, mode, p->re, p->im, p->whirl};
    run->sum->rows++;
    return lm_h5_append(run->file, id[0], row) || lm_h5_append(run->file, id[1], root);
}

static int put_critical(const lm_campbell *c)
{
    lm_run *run = c->run;
    int id = lm_record_table(run, "critical_speeds", 4, critical_columns), bad = id < 0;
    for (int i = 0; i < c->ncritical && !bad; i++) {
        const lm_critical *x = &c->critical[i];
        double row[4] = {x->speed, x->branch + 1, x->frequency / (2 * acos(-1.0)), x->whirl};
        bad = lm_h5_append(run->file, id, row);
    }
    return bad;
}

static int put_attributes(const lm_campbell *c)
{
    lm_run *run = c->run;
    const char *group = run->tables.group;
    int bad =
        lm_h5_write_attr_text(run->file, group, "drive", run->model->joints[c->a->drive].name);
    bad |= lm_h5_write_attr_text(run->file, group, "frame", c->fixed ? "fixed" : "rotating");
    bad |= lm_h5_write_attr_num(run->file, group, "periodic", c->periodic);
    return bad;
}

limber_status lm_campbell_record(lm_campbell *c)
{
    lm_run *run = c->run;
    if (!run->file) return LIMBER_OK;
    int id[2] = {lm_record_table(run, "results", 4, result_columns),
                 lm_record_table(run, "roots", 5, root_columns)};
    int bad = id[0] < 0 || id[1] < 0 || put_attributes(c);
    for (int k = 0; k < c->done && !bad; k += c->every)
        for (int n = 0; n < c->nbranches && !bad; n++) {
            const lm_branch_point *p = &c->point[c->room * k + n];
            if (!isnan(p->re)) bad = put_point(run, id, c->speed[k], n + 1, p);
        }
    if (!bad) bad = put_critical(c);
    return bad ? lm_record_failed(run) : LIMBER_OK;
}
