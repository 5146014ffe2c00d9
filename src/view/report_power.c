/* The power graph of a run and what went through it. */
#include "view/report_int.h"

#include "view/bond_graph.h"

#include <stdio.h>
#include <string.h>

int lm_report_graph(lm_report *r, const lm_spec *spec)
{
    lm_bond_graph g = {0};
    int none = spec ? lm_bond_graph_make(&g, spec) : 1;
    char *svg = none ? NULL : lm_bond_graph_svg(&g);
    int bad = none == 2 || (!none && !svg) ? 2 : 0;
    if (svg)
        lm_json_key_text(&r->runs, "graph", svg);
    else
        lm_json_key_null(&r->runs, "graph");
    lm_free(svg);
    lm_bond_graph_free(&g);
    return bad;
}

/* From the first to the last row of the results. 0, 1. */
static int duration(const lm_report_part *p, double *length)
{
    lm_rows t;
    int rc = lm_rows_open(&t, p->file->file, p->a->group, "results"), bad = rc < 0;
    *length = 0;
    if (!rc && t.rows > 1) {
        double *row = lm_alloc(sizeof(double) * (size_t)t.ncols);
        bad = row ? 0 : 2;
        for (int i = 0; i < 2 && !bad; i++) {
            bad = lm_h5_read_rows(p->file->file, t.path, i ? t.rows - 1 : 0, 1, row) ? 1 : 0;
            if (!bad) *length += i ? row[0] : -row[0];
        }
        lm_free(row);
    }
    lm_rows_close(&t);
    return bad;
}

/* A line "TYPE NAME"; the next one. */
static char *put_name(lm_json *j, char *line)
{
    char *end = strchr(line, '\n'), *blank = strchr(line, ' ');
    if (end) *end = 0;
    if (blank && (!end || blank < end))
        *blank = 0;
    else
        blank = NULL;
    lm_json_key_text(j, "type", line);
    lm_json_key_text(j, "name", blank ? blank + 1 : "");
    return end ? end + 1 : line + strlen(line);
}

static int put_elements(lm_report_part *p, const lm_rows *t, char *names)
{
    static const char *const keys[] = {"in", "out", "largest", "at"};
    double row[5], length;
    int bad = duration(p, &length);
    lm_json_key_open(p->j, "power", '{');
    lm_json_key_number(p->j, "duration", length);
    lm_json_key_open(p->j, "elements", '[');
    for (long i = 0; i < t->rows && !bad; i++) {
        bad = lm_rows_read(t, i, 1, row) ? 1 : 0;
        if (bad) break;
        lm_json_open(p->j, '{');
        names = put_name(p->j, names);
        for (int k = 0; k < 4; k++) lm_json_key_number(p->j, keys[k], row[1 + k]);
        lm_json_close(p->j, '}');
    }
    lm_json_close(p->j, ']');
    lm_json_close(p->j, '}');
    return bad;
}

int lm_report_power(lm_report_part *p)
{
    lm_rows t;
    char path[96], *names = NULL;
    int rc = lm_rows_open(&t, p->file->file, p->a->group, "power"), bad = rc < 0;
    snprintf(path, sizeof path, "%.40s/power_elements", p->a->group);
    int missing = rc ? 1 : lm_h5_read_text(p->file->file, path, &names);
    if (missing < 0) bad = 1;
    if (!missing && t.ncols == 5 && t.rows > 0)
        bad = put_elements(p, &t, names);
    else
        lm_json_key_null(p->j, "power");
    lm_free(names);
    lm_rows_close(&t);
    return bad;
}
