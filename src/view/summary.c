/* The summary of an analysis: what can be told from its tables of whether to trust it. */
#include "view/report_int.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lm_report_put_fact(lm_json *j, const lm_report_fact *f)
{
    lm_json_open(j, '{');
    lm_json_key_text(j, "label", f->label);
    lm_json_key_text(j, "value", f->value);
    lm_json_key_text(j, "verdict", f->verdict);
    lm_json_close(j, '}');
}

static void fact(lm_report_part *p, const char *label, const char *verdict, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void fact(lm_report_part *p, const char *label, const char *verdict, const char *fmt, ...)
{
    lm_report_fact f = {.label = label, .verdict = verdict};
    va_list args;
    va_start(args, fmt);
    vsnprintf(f.value, sizeof f.value, fmt, args);
    va_end(args);
    lm_report_put_fact(p->j, &f);
}

static const char *verdict(double x, double good, double fair)
{
    return x <= good ? "good" : x <= fair ? "fair" : "bad";
}

/* ---- tables, row by row ---- */

typedef void visitor(void *ctx, const lm_rows *t, const double *row, long i);

/* 0, 1 or 2 as everywhere; a missing table is no failure. */
static int visit(lm_report_part *p, const char *table, visitor *see, void *ctx)
{
    lm_rows t;
    int rc = lm_rows_open(&t, p->file->file, p->a->group, table);
    long block = rc ? 1 : 1 + 65536 / t.ncols;
    double *rows = rc ? NULL : lm_alloc(sizeof(double) * (size_t)t.ncols * (size_t)block);
    int bad = rc < 0 ? 1 : rc || rows ? 0 : 2;
    for (long first = 0; !rc && !bad && first < t.rows; first += block) {
        long n = t.rows - first < block ? t.rows - first : block;
        bad = lm_rows_read(&t, first, n, rows) ? 1 : 0;
        for (long i = 0; i < n && !bad; i++) see(ctx, &t, rows + i * t.ncols, first + i);
    }
    lm_free(rows);
    lm_rows_close(&t);
    return bad;
}

static double get(const lm_rows *t, const double *row, const char *column)
{
    for (int i = 0; i < t->ncols; i++)
        if (!strcmp(t->columns[i], column)) return row[i];
    return NAN;
}

/* ---- results: how far, and whether all of it are numbers ---- */

typedef struct outputs {
    long rows;
    double last;
    int bad; /* column in which something is no number, 0: none */
    long bad_rows;
    char name[80];
} outputs;

static void see_outputs(void *ctx, const lm_rows *t, const double *row, long i)
{
    outputs *o = ctx;
    int bad = 0;
    o->rows = i + 1;
    o->last = row[0];
    for (int c = 1; c < t->ncols && !bad; c++)
        if (!isfinite(row[c])) bad = c;
    if (!bad) return;
    if (!o->bad_rows++) {
        o->bad = bad;
        snprintf(o->name, sizeof o->name, "%.70s", t->columns[bad]);
    }
}

/* ---- energy ---- */

typedef struct balance {
    double first[4]; /* kinetic, elastic, gravity, stored at the start */
    double imbalance, exchanged, phi;
    long rows;
} balance;

/* The largest imbalance, and the largest energy that went from one form into another. What single storages
 * of a power graph give each other is in no table: what all of them hold stands for it. */
static void see_energy(void *ctx, const lm_rows *t, const double *row, long i)
{
    balance *b = ctx;
    const double now[4] = {get(t, row, "kinetic"), get(t, row, "elastic"), get(t, row, "gravity"),
                           get(t, row, "stored")};
    if (i == 0) memcpy(b->first, now, sizeof now);
    b->rows = i + 1;
    b->imbalance = fmax(b->imbalance, fabs(get(t, row, "balance")));
    b->phi = fmax(b->phi, get(t, row, "constraint"));
    b->exchanged = fmax(b->exchanged, fmax(now[0], fabs(get(t, row, "work"))));
    b->exchanged = fmax(b->exchanged, fabs(now[3]));
    for (int k = 0; k < 4; k++) b->exchanged = fmax(b->exchanged, fabs(now[k] - b->first[k]));
}

/* The number that the run told at its end; before it, or where the file does not say, that of the
 * tables. */
static int tell_energy(lm_report_part *p, const balance *b)
{
    double rounding = 0, part;
    for (int k = 0; k < 4; k++) rounding += fmax(0, 1e-13 * fabs(b->first[k]));
    if (!isfinite(b->imbalance) || !isfinite(b->exchanged)) {
        fact(p, "energy balance", "bad", "not a number");
        return 0;
    }
    int rc = lm_h5_read_attr_num(p->file->file, p->a->group, "energy_error", &part);
    if (rc || !strcmp(p->a->status, "running"))
        part = b->imbalance > rounding ? b->imbalance / b->exchanged : 0;
    fact(p, "energy balance", verdict(part, 1e-3, 1e-2), "%.1e of the exchanged energy", part);
    return rc < 0;
}

/* ---- steps ---- */

typedef struct steps {
    long rows;
    double iterations, rejected, error, smallest, largest;
} steps;

static void see_steps(void *ctx, const lm_rows *t, const double *row, long i)
{
    steps *s = ctx;
    double h = get(t, row, "step");
    s->rows = i + 1;
    s->iterations = get(t, row, "iterations");
    s->rejected = get(t, row, "rejected");
    s->error = fmax(s->error, get(t, row, "error"));
    s->smallest = i ? fmin(s->smallest, h) : h;
    s->largest = i ? fmax(s->largest, h) : h;
}

static void tell_steps(lm_report_part *p, const steps *s)
{
    double n = (double)s->rows, rate = s->rejected / (n + s->rejected);
    fact(p, "steps", verdict(rate, 0.1, 0.4), "%ld, %.0f rejected", s->rows, s->rejected);
    fact(p, "step size", "", "%.2g to %.2g", s->smallest, s->largest);
    fact(p, "convergence", verdict(s->iterations / n, 5, 10), "%.1f iterations a step",
         s->iterations / n);
}

/* ---- modes ---- */

typedef struct modes {
    long n, grows, rigid;
    double lowest, highest;
} modes;

static void see_modes(void *ctx, const lm_rows *t, const double *row, long i)
{
    modes *m = ctx;
    double f = get(t, row, "frequency"), damping = get(t, row, "damping_ratio");
    m->n = i + 1;
    m->grows += damping < -1e-9;
    m->rigid += f == 0 && damping == 0;
    if (f > 0 && m->lowest == 0) m->lowest = f;
    m->highest = fmax(m->highest, f);
}

static int tell_modes(lm_report_part *p)
{
    modes m = {0};
    char *about = NULL;
    int bad = visit(p, "results", see_modes, &m);
    if (bad) return bad;
    int rc = lm_h5_read_attr_text(p->file->file, p->a->group, "about", &about);
    fact(p, "modes", "", "%ld%s%s", m.n, rc ? "" : " about the state: ", rc ? "" : about);
    lm_free(about);
    if (m.highest > 0) fact(p, "frequencies", "", "%.6g to %.6g Hz", m.lowest, m.highest);
    if (m.rigid) fact(p, "rigid motions", "", "%ld", m.rigid);
    fact(p, "stability", m.grows ? "bad" : "good", m.grows ? "%ld modes grow" : "no mode grows",
         m.grows);
    return rc < 0;
}

/* ---- campbell ---- */

typedef struct diagram {
    double branches, from, to; /* speeds between which a branch grows */
    char critical[160];
} diagram;

static void see_roots(void *ctx, const lm_rows *t, const double *row, long i)
{
    diagram *d = ctx;
    double re = get(t, row, "real"), im = get(t, row, "imaginary"), speed = get(t, row, "speed");
    if (i == 0) d->from = NAN;
    d->branches = fmax(d->branches, get(t, row, "mode"));
    if (!(re > 1e-6 * hypot(re, im))) return;
    if (isnan(d->from)) d->from = speed;
    d->to = speed;
}

static void see_critical(void *ctx, const lm_rows *t, const double *row, long i)
{
    diagram *d = ctx;
    size_t used = strlen(d->critical);
    snprintf(d->critical + used, sizeof d->critical - used, "%s%.6g", i ? ", " : "",
             get(t, row, "speed"));
}

static int tell_campbell(lm_report_part *p)
{
    diagram d = {.from = NAN};
    char *frame = NULL;
    int bad = visit(p, "roots", see_roots, &d);
    if (!bad) bad = visit(p, "critical_speeds", see_critical, &d);
    if (bad) return bad;
    int rc = lm_h5_read_attr_text(p->file->file, p->a->group, "frame", &frame);
    fact(p, "branches", "", "%.0f%s%s", d.branches, rc ? "" : ", axes: ", rc ? "" : frame);
    lm_free(frame);
    fact(p, "critical speeds", "", "%s", d.critical[0] ? d.critical : "none");
    if (isnan(d.from))
        fact(p, "stability", "good", "no branch grows");
    else
        fact(p, "stability", "bad", "unstable from speed %.6g to %.6g", d.from, d.to);
    return rc < 0;
}

/* ---- periodic motion ---- */

static void see_multipliers(void *ctx, const lm_rows *t, const double *row, long i)
{
    double *largest = ctx;
    if (i == 0) *largest = get(t, row, "modulus"); /* they are sorted */
}

static int tell_periodic(lm_report_part *p)
{
    double largest = 0, period = 0;
    char *word = NULL;
    int bad = visit(p, "multipliers", see_multipliers, &largest);
    if (bad) return bad;
    int rc = lm_h5_read_attr_num(p->file->file, p->a->group, "period", &period);
    if (rc == 0) fact(p, "period", "", "%.6g", period);
    if (rc >= 0) rc = lm_h5_read_attr_text(p->file->file, p->a->group, "stability", &word);
    if (rc == 0)
        fact(p, "stability",
             !strcmp(word, "stable")     ? "good"
             : !strcmp(word, "unstable") ? "bad"
                                         : "fair",
             "%s, largest multiplier %.4g", word, largest);
    lm_free(word);
    return rc < 0;
}

/* ---- all ---- */

/* Of this analysis, or of the model. */
static int count_warnings(const lm_report_part *p)
{
    int n = 0;
    for (int i = 0; i < p->file->messages.n; i++) {
        const lm_message *m = &p->file->messages.at[i];
        if (m->analysis[0] && strcmp(m->analysis, p->a->name) != 0) continue;
        n += m->severity == LM_WARNING;
    }
    return n;
}

static void tell_status(lm_report_part *p)
{
    const char *status = p->a->status;
    int done = !strcmp(status, "done"), stopped = !strcmp(status, "stopped");
    int warnings = count_warnings(p);
    char with[40] = "";
    if (warnings && done)
        snprintf(with, sizeof with, ", with %d warning%s", warnings, warnings == 1 ? "" : "s");
    fact(p, "status",
         stopped             ? "bad"
         : done && !warnings ? "good"
                             : "fair",
         "%.60s%s%s%.90s", status, with, p->a->reason[0] ? ": " : "", p->a->reason);
}

static int tell_motion(lm_report_part *p)
{
    outputs o = {0};
    balance b = {0};
    steps s = {0};
    int statics = !strcmp(p->a->type, "statics");
    int bad = visit(p, "results", see_outputs, &o);
    if (!bad) bad = visit(p, "energy", see_energy, &b);
    if (!bad) bad = visit(p, "steps", see_steps, &s);
    if (bad) return bad;
    if (o.rows && statics)
        fact(p, "load factor", o.last >= 1 ? "good" : "bad", "%.6g", o.last);
    else
        fact(p, "rows", "", o.rows ? "%ld, up to t = %.6g" : "%ld", o.rows, o.last);
    if (b.rows && !statics && tell_energy(p, &b)) return 1;
    if (b.rows)
        fact(p, "constraints", isnan(b.phi) ? "bad" : verdict(b.phi, 1e-6, 1e-3),
             "violated by %.1e at most", b.phi);
    if (s.rows) tell_steps(p, &s);
    if (o.bad_rows)
        fact(p, "outputs", "bad", "%s is not a number in %ld row%s", o.name, o.bad_rows,
             o.bad_rows == 1 ? "" : "s");
    return 0;
}

int lm_report_summary(lm_report_part *p)
{
    tell_status(p);
    if (!strcmp(p->a->type, "modes")) return tell_modes(p);
    if (!strcmp(p->a->type, "campbell")) return tell_campbell(p);
    int periodic = !strcmp(p->a->type, "periodic");
    if (periodic && tell_periodic(p)) return 1;
    int motion = periodic || !strcmp(p->a->type, "dynamics") || !strcmp(p->a->type, "statics");
    return motion ? tell_motion(p) : 0;
}
