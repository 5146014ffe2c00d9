/* Work and precision: CPU time and error of rigid and of flexible mechanisms, by every formulation and
 * several methods.
 *
 * Rigid ones over the tolerance, against their reference values. Flexible ones twice: over the tolerance on
 * one mesh, against the same formulation at a tight tolerance, which is the error of the steps; and over the
 * mesh, against corotational beams on a finer one, which is all of the error.
 *
 *     work_precision [FOLDER [PROBLEM ...]] */
#include "bench.h"
#include "support/iftomm.h"

#include <math.h>

enum { INSTANTS = 40, OUTPUTS = 3, FORMULATIONS = 5, METHODS = 3, LEVELS = 5 };

static const char *const formulations[FORMULATIONS] = {"corotational", "minimal", "rfe", "ffr",
                                                       "elastodynamic"};
enum { RIGID = 4 }; /* of these have something to do without beams */

typedef struct problem {
    const char *name, *label, *model, *set;
    double until;
    const known *at; /* rigid: reference values, as far as it runs. NULL: flexible */
    const char *output[OUTPUTS];
    const char *coarse; /* parameters of the coarsest mesh */
    int level;          /* how often it is halved for the error of the steps */
    const char *rfe;    /* that formulation as it is written, where not by its name alone */
} problem;

#define STRETCHES "{type: rfe, springs: all}"

static const problem problems[] = {
    {.name = "a01", .label = "A01 pendulum", .model = "a01_pendulum", .until = 10, .at = known_a01},
    {.name = "a02",
     .label = "A02 four-bars, N = 2",
     .model = "a02_four_bars",
     .set = "N=2",
     .until = 10,
     .at = known_a02},
    {.name = "a03",
     .label = "A03 Andrews' mechanism",
     .model = "a03_andrews",
     .until = 0.03,
     .at = known_a03},
    {.name = "a04", .label = "A04 Bricard", .model = "a04_bricard", .until = 9, .at = known_a04},
    {.name = "a05",
     .label = "A05 governor, 1 s",
     .model = "a05_governor",
     .until = 1,
     .at = known_a05},
    {.name = "flexible_pendulum",
     .label = "flexible pendulum, 5 s",
     .model = "flexible_pendulum",
     .until = 5,
     .output = {"tip_x", "tip_y", "deflection"},
     .coarse = "n=2",
     .level = 2},
    {.name = "spin_up",
     .label = "spin-up, 20 s",
     .model = "spin_up",
     .until = 20,
     .output = {"u1", "u2"},
     .coarse = "n=2",
     .level = 2,
     .rfe = STRETCHES},
    {.name = "slider_crank",
     .label = "flexible slider-crank, 0.5 s",
     .model = "slider_crank_flexible",
     .until = 0.5,
     .output = {"slider", "deflection"},
     .coarse = "n1=1 n2=2",
     .level = 2},
    {.name = "chain",
     .label = "chain of 10 flexible links, 0.25 s",
     .model = "flexible_chain",
     .until = 0.25,
     .output = {"x", "y", "first_y"},
     .coarse = "N=10 n=1",
     .level = 2},
    {.name = "two_link_arm",
     .label = "two links in space, 3 s",
     .model = "two_link_arm",
     .until = 3,
     .output = {"tip_x", "tip_z", "bend_y"},
     .coarse = "n=2",
     .level = 2,
     .rfe = STRETCHES},
    {.name = "servo_slider_crank",
     .label = "slider-crank with motor and controller, 1 s",
     .model = "servo_slider_crank",
     .until = 1,
     .output = {"slider", "deflection", "current"},
     .coarse = "n1=1 n2=2",
     .level = 2},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* Tolerances 10^-first .. 10^-last, the first `least` of them in any case, then as long as a run can be
 * expected to take less than LONGEST. (With very loose ones generalized-alpha may shake up vibrations that
 * it must follow, and take longer than with tighter ones.) */
typedef struct method {
    const char *name;
    int first, least, last;
    double growth; /* of the time from one tolerance to the next, to be expected */
} method;

static const method methods[METHODS] = {
    {"radau", 2, 1, 10, 1.5}, {"generalized-alpha", 2, 3, 8, 3.2}, {"explicit", 4, 1, 12, 1.3}};

/* Seconds: of a run that is measured, and of one that others are compared with. */
static const double LONGEST = 0.5, LONGEST_MESH = 1, LONGEST_REFERENCE = 10;
/* Tolerances: of the runs that others on the same mesh, and on coarser ones, are compared with; of the
 * tightest that are compared; of the runs over the mesh. */
static const double TIGHT = 1e-8, TIGHT_FINE = 1e-6, TIGHTEST = 1e-6, MESH = 1e-4;

typedef struct path {
    double at[INSTANTS][OUTPUTS];
} path;

/* One run, as asked for and as it went. */
typedef struct work {
    const problem *p;
    int formulation, halved;
    const char *method;
    double tolerance, longest;
    const char *how; /* "done", "too long", "stops", "refused" */
    int elements, unknowns;
    long steps, rejected;
    double cpu, error;
    double start; /* CPU time */
    path path;
} work;

/* ---- one run ---- */

/* Stop a run that takes too long. */
static int give_up(void *context, const limber_progress *progress)
{
    const work *w = context;
    (void)progress;
    return bench_cpu() - w->start > w->longest;
}

static limber_model *load(const work *w)
{
    char analysis[300];
    const problem *p = w->p;
    const char *form = formulations[w->formulation];
    if (p->rfe && strcmp(form, "rfe") == 0) form = p->rfe;
    snprintf(
        analysis, sizeof analysis,
        "{type: dynamics, until: %g, output_step: %g, method: %s, tolerance: %g}\nformulation: %s",
        p->until, p->until, w->method, w->tolerance, form);
    return bench_load_fine(p->model, p->at ? p->set : p->coarse, w->halved, analysis);
}

/* From one instant with known values to the next; the largest error met. */
static int follow_known(bench_run *b, work *w)
{
    int bad = 0;
    w->error = 0;
    for (const known *k = w->p->at; k->output && k->t <= w->p->until && !bad; k++) {
        if (b->d.g->clock->t < k->t) bad = bench_advance(b, k->t);
        w->error = fmax(w->error, fabs(bench_output(b, k->output) - k->value));
    }
    return bad;
}

static int follow_path(bench_run *b, work *w)
{
    for (int i = 0; i < INSTANTS; i++) {
        if (bench_advance(b, w->p->until * (i + 1) / INSTANTS)) return -1;
        for (int k = 0; k < OUTPUTS && w->p->output[k]; k++)
            w->path.at[i][k] = bench_output(b, w->p->output[k]);
    }
    return 0;
}

/* CPU time is that from the compiled model to the last instant. */
static int run_once(work *w, const limber_model *model)
{
    bench_run b;
    w->how = "refused";
    w->start = bench_cpu();
    if (bench_open(&b, model, 0)) return -1;
    b.opt.progress = give_up;
    b.opt.progress_context = w;
    int bad = w->p->at ? follow_known(&b, w) : follow_path(&b, w);
    w->cpu = bench_cpu() - w->start;
    w->elements = model->m.nelements;
    w->unknowns = b.run.sys->nv + b.run.sys->nl;
    w->steps = b.d.g->stats.steps;
    w->rejected = b.d.g->stats.rejected;
    w->how = !bad ? "done" : give_up(w, NULL) ? "too long" : "stops";
    if (bad && !give_up(w, NULL))
        fprintf(stderr, "%s, %s, %s, %g: %s\n", w->p->label, formulations[w->formulation],
                w->method, w->tolerance, b.sum.reason);
    bench_close(&b);
    return bad;
}

/* 0, or -1 if it did not come to its end; best of several. */
static int measure(work *w)
{
    bench_best best = {.most = 0.06};
    limber_model *model = load(w);
    int bad = !model;
    if (bad) w->how = "refused";
    while (!bad && !bench_best_done(&best)) {
        bad = run_once(w, model);
        bench_best_add(&best, w->cpu);
        w->cpu = best.seconds;
        if (w->longest == LONGEST_REFERENCE) break;
    }
    limber_model_free(model);
    return bad;
}

/* ---- curves ---- */

static int outputs_of(const problem *p)
{
    int n = 0;
    while (n < OUTPUTS && p->output[n]) n++;
    return n;
}

static void compare(work *w, const path *with)
{
    if (with)
        w->error =
            bench_difference(w->path.at[0], with->at[0], INSTANTS, OUTPUTS, outputs_of(w->p));
}

static void write_row(FILE *csv, const work *w, const char *kind)
{
    const int done = strcmp(w->how, "done") == 0;
    fprintf(csv, "%s,\"%s\",%s,%s,%s,%.0e,%d,%d,%ld,%ld,", w->p->name, w->p->label, kind,
            formulations[w->formulation], w->method, w->tolerance, w->elements, w->unknowns,
            w->steps, w->rejected);
    if (done)
        fprintf(csv, "%.6g,%.4g,%s\n", w->cpu, w->error, w->how);
    else
        fprintf(csv, ",,%s\n", w->how);
    fflush(csv);
}

/* Tighter and tighter, as long as runs end in time. */
static void over_tolerance(FILE *csv, const problem *p, int formulation, const method *m,
                           const path *with)
{
    double expected = 0;
    for (int d = m->first; d <= m->last; d++) {
        work w = {p, formulation, .halved = p->level, .method = m->name, .longest = LONGEST};
        w.tolerance = pow(10, -d);
        if (expected > LONGEST && d >= m->first + m->least) return;
        if (with && w.tolerance < 0.9 * TIGHTEST && strcmp(m->name, "radau") == 0) return;
        int bad = measure(&w);
        if (!bad) compare(&w, with);
        write_row(csv, &w, p->at ? "values" : "steps");
        if (strcmp(w.how, "refused") == 0) return;
        expected = m->growth * (w.cpu > 0 ? w.cpu : expected);
    }
}

/* The same formulation on the same mesh, with short steps. */
static void measure_steps(FILE *csv, const problem *p, int formulation)
{
    work tight = {p, formulation, .halved = p->level, .method = "radau"};
    tight.tolerance = TIGHT, tight.longest = LONGEST_REFERENCE;
    if (!p->at && measure(&tight)) {
        write_row(csv, &tight, "reference");
        return;
    }
    for (int m = 0; m < METHODS; m++)
        over_tolerance(csv, p, formulation, &methods[m], p->at ? NULL : &tight.path);
}

/* Corotational beams on a finer mesh than all others. */
static void measure_mesh(FILE *csv, const problem *p)
{
    work fine = {p, .halved = LEVELS, .method = "radau"};
    fine.tolerance = TIGHT_FINE, fine.longest = LONGEST_REFERENCE;
    if (measure(&fine)) {
        write_row(csv, &fine, "reference");
        return;
    }
    for (int f = 0; f < FORMULATIONS; f++) {
        double last = 0;
        for (int level = 0; level < LEVELS && 2 * last < LONGEST_MESH; level++) {
            work w = {p, f, .halved = level, .method = "radau"};
            w.tolerance = MESH, w.longest = LONGEST_MESH;
            int bad = measure(&w);
            if (!bad) compare(&w, &fine.path);
            write_row(csv, &w, "mesh");
            last = w.cpu;
        }
    }
}

static int asked(int argc, char **argv, const char *name)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], name) == 0) return 1;
    return argc < 3;
}

int main(int argc, char **argv)
{
    FILE *csv = bench_csv(argc, argv, "work_precision",
                          "problem,title,kind,formulation,method,tolerance,elements,unknowns,steps,"
                          "rejected,cpu_seconds,error,outcome");
    for (int i = 0; i < PROBLEMS; i++) {
        const problem *p = &problems[i];
        if (!asked(argc, argv, p->name)) continue;
        for (int f = 0; f < (p->at ? RIGID : FORMULATIONS); f++) measure_steps(csv, p, f);
        if (!p->at) measure_mesh(csv, p);
    }
    fclose(csv);
    return 0;
}
