/* What the benchmarks share: a model of models/ with another analysis, a run of it in memory with
 * the integrator in reach (counters, time by phase), CPU time, files for the numbers.
 *
 * Every benchmark prints Markdown tables on standard output and, given a folder as its argument,
 * writes the same numbers as CSV there. It is run from the source root. Models that cannot be read
 * are skipped with a message. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "analysis/dynamics.h"
#include "analysis/run.h"
#include "api/api.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- threads ---- */

/* Others use this machine so much that the clock on the wall tells nothing: shares of time by phase and
 * threads are then left out. Processor time is as good as ever. */
static inline int bench_busy(void)
{
    double load;
    return getloadavg(&load, 1) == 1 && load > 1.5 * (double)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Numbers of threads to measure: 2, 4, 8, as far as this machine has processors; 2 in any case, and none
 * where it is busy. */
enum { BENCH_THREADS = 3 };

typedef struct bench_threads {
    int n, of[BENCH_THREADS];
} bench_threads;

static inline bench_threads bench_threads_here(void)
{
    long most = sysconf(_SC_NPROCESSORS_ONLN);
    bench_threads t = {0};
    if (bench_busy()) return t;
    for (int k = 2; k <= 8 && (k == 2 || k <= most); k *= 2) t.of[t.n++] = k;
    return t;
}

/* Heads of columns with the time by so many threads and how many times faster that is. */
static inline void bench_threads_head(const bench_threads *t)
{
    for (int k = 0; k < t->n; k++) printf(" | %d threads | speedup", t->of[k]);
}

static inline void bench_threads_rule(const bench_threads *t)
{
    for (int k = 0; k < t->n; k++) printf(" | --: | --:");
}

static inline void bench_threads_show(const bench_threads *t, double alone, const double *seconds)
{
    for (int k = 0; k < t->n; k++) printf(" | %9.2f | %7.2f", 1e6 * seconds[k], alone / seconds[k]);
}

static inline void bench_threads_csv(FILE *csv, const double *seconds)
{
    for (int k = 0; k < BENCH_THREADS; k++)
        if (seconds[k] > 0)
            fprintf(csv, ",%.6g", 1e6 * seconds[k]);
        else
            fprintf(csv, ",");
}

/* ---- time ---- */

/* CPU time of this thread: other programs hardly disturb it, nor threads of the BLAS that wait. */
static inline double bench_cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The best of several timings: three at least and 0.3 s, unless they take longer than `most`. */
typedef struct bench_best {
    double seconds; /* the shortest */
    double sum, most;
    int n;
} bench_best;

static inline void bench_best_add(bench_best *b, double seconds)
{
    if (b->n == 0 || seconds < b->seconds) b->seconds = seconds;
    b->sum += seconds;
    b->n++;
}

static inline int bench_best_done(const bench_best *b)
{
    return b->sum >= b->most || (b->n >= 3 && b->sum >= 0.3);
}

/* ---- growth ---- */

/* The exponent p of cost = c size^p, by least squares of the logarithms. */
typedef struct bench_growth {
    double n, x, y, xx, xy;
} bench_growth;

static inline void bench_growth_add(bench_growth *g, double size, double cost)
{
    double x = log(size), y = log(cost);
    g->n++, g->x += x, g->y += y, g->xx += x * x, g->xy += x * y;
}

static inline double bench_exponent(const bench_growth *g)
{
    return g->n > 1 ? (g->n * g->xy - g->x * g->y) / (g->n * g->xx - g->x * g->x) : NAN;
}

/* ---- errors ---- */

/* The largest difference of an output, as a part of its largest value, of the worst of the first n of
 * `columns` outputs at these instants. */
static inline double bench_difference(const double *a, const double *b, int instants, int columns,
                                      int n)
{
    double worst = 0;
    for (int k = 0; k < n; k++) {
        double off = 0, size = 0;
        for (int i = 0; i < instants; i++) {
            off = fmax(off, fabs(a[columns * i + k] - b[columns * i + k]));
            size = fmax(size, fabs(b[columns * i + k]));
        }
        worst = fmax(worst, off / size);
    }
    return worst;
}

/* ---- models ---- */

static inline char *bench_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = size >= 0 ? calloc((size_t)size + 1, 1) : NULL;
    if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
        free(text);
        text = NULL;
    }
    fclose(f);
    return text;
}

/* Where the value of the key `analysis` ends: at the next line that is not indented. */
static inline const char *bench_after_analysis(const char *c)
{
    do {
        c += strcspn(c, "\n");
        c += *c == '\n';
    } while (*c == ' ' || *c == '-');
    return c;
}

/* The model's text with `analysis` in place of its own. */
static inline char *bench_with_analysis(const char *text, const char *analysis)
{
    const char *at = strstr(text, "\nanalysis:");
    char *out = malloc(strlen(text) + strlen(analysis) + 20);
    if (!at || !out) {
        free(out);
        return NULL;
    }
    at++;
    sprintf(out, "%.*sanalysis: %s\n%s", (int)(at - text), text, analysis,
            bench_after_analysis(at));
    return out;
}

static inline void bench_skipped(const char *what, const limber_messages *msg)
{
    fflush(stdout);
    fprintf(stderr, "skipped: %s\n", what);
    if (limber_messages_errors(msg)) limber_messages_print(msg, stderr);
}

enum { BENCH_SETS = 4 };

/* The parts of "n1=4 n2=8", divided by spaces, in place; their number. */
static inline int bench_split(char *text, const char *part[BENCH_SETS])
{
    int n = 0;
    for (char *c = strtok(text, " "); c && n < BENCH_SETS; c = strtok(NULL, " ")) part[n++] = c;
    return n;
}

/* models/NAME.yaml with this analysis and, unless NULL, the parameters `set` ("N=40", "n1=4 n2=8"), the
 * elements of its beams halved so often; NULL: skip. */
static inline limber_model *bench_load_fine(const char *name, const char *set, int halved,
                                            const char *analysis)
{
    char path[200], sets[200];
    const char *part[BENCH_SETS];
    limber_messages *msg = limber_messages_new();
    limber_load_options options = {.set = part, .refine_mesh = halved};
    limber_model *model = NULL;
    snprintf(path, sizeof path, "models/%s.yaml", name);
    snprintf(sets, sizeof sets, "%s", set ? set : "");
    options.set_count = bench_split(sets, part);
    char *own = bench_read(path);
    char *text = own ? bench_with_analysis(own, analysis) : NULL;
    if (text) limber_model_parse(text, strlen(text), path, &options, &model, msg);
    if (!model) bench_skipped(path, msg);
    free(own);
    free(text);
    limber_messages_free(msg);
    return model;
}

static inline limber_model *bench_load(const char *name, const char *set, const char *analysis)
{
    return bench_load_fine(name, set, 0, analysis);
}

/* ---- runs ---- */

/* The model's dynamics at its start, as limber_simulation has it. */
typedef struct bench_run {
    lm_run run;
    limber_run_options opt;
    limber_summary sum;
    limber_messages *msg;
    lm_dynamics_run d;
    double *q;
} bench_run;

static inline void bench_close(bench_run *b)
{
    lm_dynamics_close(&b->d);
    if (b->run.sys) b->run.sys->form->destroy(b->run.sys);
    lm_free(b->q);
    limber_messages_free(b->msg);
}

static inline limber_status bench_start(bench_run *b, const lm_model *m)
{
    limber_status st = lm_create_system(m, NULL, &b->msg->diag, &b->run.sys);
    if (!st) st = lm_refuse_analysis(&b->run, &m->spec->analyses.at[0]);
    if (st) return st;
    b->q = lm_alloc(sizeof(double) * (size_t)(b->run.sys->nq + b->run.sys->nv + 1));
    if (!b->q) return LIMBER_MEMORY;
    b->run.q = b->q;
    b->run.v = b->q + b->run.sys->nq;
    st = lm_initial_state(&b->run);
    return st ? st : lm_dynamics_open(&b->run, &m->spec->analyses.at[0], &b->d);
}

/* 0, or -1 after a message and with nothing left to close. */
static inline int bench_open(bench_run *b, const limber_model *model, int profile)
{
    *b = (bench_run){.msg = limber_messages_new()};
    b->opt = limber_run_options_default();
    b->opt.profile = profile;
    b->run = (lm_run){.model = &model->m,
                      .opt = &b->opt,
                      .diag = &b->msg->diag,
                      .sum = &b->sum,
                      .started = lm_seconds()};
    limber_status st = bench_start(b, &model->m);
    if (!st) return 0;
    bench_skipped(b->sum.reason[0] ? b->sum.reason : limber_model_title(model), b->msg);
    bench_close(b);
    return -1;
}

/* 0, or -1: it stops, b->sum.reason says why. */
static inline int bench_advance(bench_run *b, double t)
{
    return lm_dynamics_advance(&b->d, t) == LIMBER_OK ? 0 : -1;
}

/* The output of this name at the present state. */
static inline double bench_output(bench_run *b, const char *name)
{
    lm_integrator *g = b->d.g;
    const lm_spec *spec = b->run.model->spec;
    lm_state s = {g->clock->t, g->q, g->v, g->a, g->lam};
    double value = 0;
    double *out = calloc((size_t)spec->outputs.n + 1, sizeof *out);
    if (!out || g->sys->form->outputs(g->sys, &s, out)) abort();
    for (int i = 0; i < spec->outputs.n; i++)
        if (strcmp(spec->outputs.at[i].item.name, name) == 0) value = out[i];
    free(out);
    return value;
}

/* ---- tables ---- */

/* FOLDER/NAME.csv with its first line written, or a file that swallows everything. */
static inline FILE *bench_csv(int argc, char **argv, const char *name, const char *header)
{
    char path[1000] = "/dev/null";
    if (argc > 1) snprintf(path, sizeof path, "%s/%s.csv", argv[1], name);
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(1);
    }
    fprintf(f, "%s\n", header);
    return f;
}

#endif
