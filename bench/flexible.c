/* Flexible mechanisms: CPU time and error of chains of 1 to 1000 flexible links with fixed steps of
 * 1 ms and with error-controlled ones that err as little, time by phase, growth with the length; a
 * pendulum, a spin-up and a slider-crank; next to the times of other programs for the same tasks. */
#include "bench.h"

#include <math.h>

enum { INSTANTS = 10, OUTPUTS = 4 };

/* What a run is measured by: some outputs at equal intervals of time. */
typedef struct path {
    double at[INSTANTS][OUTPUTS];
} path;

typedef struct task {
    const char *label, *model, *set;
    double until, step, tight; /* fixed step; step of the run that errors are taken from, 0: none */
    const char *output[OUTPUTS];
    double others[3]; /* CPU seconds of MBDyn, Chrono, Exudyn; 0: not known */
    int links;        /* of a chain */
} task;

#define CHAIN(n, tight, ...)                                                                       \
    {                                                                                              \
        "chain, " #n, "flexible_chain", "N=" #n, 0.5, 1e-3, tight,                                 \
            {"x", "y", "first_x", "first_y"}, {__VA_ARGS__}, n                                     \
    }

static const task chains[] = {
    CHAIN(1, 1e-4, .03, .05, .006),
    CHAIN(2, 1e-4, .07, .10, .012),
    CHAIN(5, 1e-4, .19, .25, .026),
    CHAIN(10, 1e-4, .35, .54, .048),
    CHAIN(20, 1e-4, .81, 1.1, .105),
    CHAIN(50, 1e-4, 2.02, 2.8, .24),
    CHAIN(100, 1e-4, 4.74, 6.0, .46),
    CHAIN(200, 2.5e-4, 0),
    CHAIN(500, 0, 0),
    CHAIN(1000, 0, 0),
};

static const task others[] = {
    {"pendulum, 20 s, 8 elements",
     "flexible_pendulum",
     NULL,
     20,
     1e-3,
     1e-4,
     {"tip_x", "tip_y"},
     {.71, .36, .06},
     0},
    {"spin-up, 20 s, 8 elements",
     "spin_up",
     NULL,
     20,
     1e-3,
     2e-4,
     {"u1", "u2"},
     {.26, .64, .13},
     0},
    {"slider-crank, 1 s, 4 + 8 elements",
     "slider_crank_flexible",
     NULL,
     1,
     1e-3,
     1e-5,
     {"slider", "deflection"},
     {.49, .76, .08},
     0},
};
enum { CHAINS = sizeof chains / sizeof *chains, OTHERS = sizeof others / sizeof *others };

typedef struct result {
    double cpu; /* seconds from the text to the end; 0: not run */
    int elements;
    long steps, iterations, rejected;
    double error;                                   /* against the tight run; NAN: none */
    double wall, residual, jacobian, factor, solve; /* profiled */
} result;

/* A run that takes longer is given up, in CPU seconds. */
static const double LONGEST = 6;

/* Chains of more links take the tolerance that was found for this many, and of yet more are run with
 * fixed steps only. */
enum { MOST_SEARCHED = 50, MOST_CONTROLLED = 200 };

typedef struct row {
    result fixed, controlled;
    double tolerance; /* of `controlled` */
} row;

/* ---- measuring ---- */

static double distance(const path *a, const path *b)
{
    double most = 0;
    for (int i = 0; i < INSTANTS; i++)
        for (int k = 0; k < OUTPUTS; k++) most = fmax(most, fabs(a->at[i][k] - b->at[i][k]));
    return most;
}

/* Stop a run that takes too long; `context`: the CPU time at its start. */
static int give_up(void *context, const limber_progress *progress)
{
    (void)progress;
    return bench_cpu() - *(const double *)context > LONGEST;
}

/* Advance from instant to instant; a run that stops or is given up says so. */
static int follow(const task *c, const char *options, bench_run *b, path *p)
{
    double start = bench_cpu();
    memset(p, 0, sizeof *p);
    for (int i = 0; i < INSTANTS; i++) {
        if (bench_advance(b, c->until * (i + 1) / INSTANTS)) {
            fprintf(stderr, "%s, %s: %s\n", c->label, options,
                    give_up(&start, NULL) ? "takes too long" : b->sum.reason);
            return -1;
        }
        for (int k = 0; k < OUTPUTS && c->output[k]; k++)
            p->at[i][k] = bench_output(b, c->output[k]);
    }
    return 0;
}

/* Counters and, where the clocks of the phases were on, their times. */
static void count(const lm_integrator *g, int profile, double wall, result *r)
{
    r->steps = g->stats.steps, r->iterations = g->stats.iterations, r->rejected = g->stats.rejected;
    if (!profile) return;
    r->wall = wall;
    r->residual = g->profile.residual, r->jacobian = g->profile.jacobian;
    r->factor = g->profile.factor, r->solve = g->profile.solve;
}

/* One run from the text on; with `profile`, the clocks of the phases instead of CPU time. */
static int run_once(const task *c, const char *options, int profile, path *p, result *r)
{
    char analysis[200];
    bench_run b;
    double start = bench_cpu();
    snprintf(analysis, sizeof analysis, "{type: dynamics, until: %g, output_step: %g, %s}",
             c->until, c->until, options);
    limber_model *model = bench_load(c->model, c->set, analysis);
    if (!model) return -1;
    if (bench_open(&b, model, profile)) {
        limber_model_free(model);
        return -1;
    }
    double ready = bench_cpu(), wall = lm_seconds();
    b.opt.progress = give_up;
    b.opt.progress_context = &ready;
    int bad = follow(c, options, &b, p);
    if (!profile) r->cpu = bench_cpu() - start;
    count(b.d.g, profile, lm_seconds() - wall, r);
    r->elements = model->m.nelements;
    bench_close(&b);
    limber_model_free(model);
    return bad;
}

/* The best of several runs; error against `tight` if there is one. */
static int measure(const task *c, const char *options, const path *tight, result *r)
{
    bench_best best = {.most = 1};
    path p;
    while (!bench_best_done(&best)) {
        if (run_once(c, options, 0, &p, r)) {
            r->cpu = 0;
            return -1;
        }
        bench_best_add(&best, r->cpu);
    }
    r->cpu = best.seconds;
    r->error = tight ? distance(&p, tight) : NAN;
    return 0;
}

/* The loosest tolerance of 1e-2, 5e-3, 2e-3, ... whose error is not above that of the fixed steps. */
static void find_tolerance(const task *c, const path *tight, row *m)
{
    static const double digit[] = {1, 0.5, 0.2};
    char options[60];
    for (int k = 0; k < 9; k++) {
        path p;
        m->tolerance = digit[k % 3] * pow(10, -2 - k / 3);
        snprintf(options, sizeof options, "tolerance: %g", m->tolerance);
        if (run_once(c, options, 0, &p, &m->controlled)) continue;
        if (distance(&p, tight) <= m->fixed.error) break;
    }
    measure(c, options, tight, &m->controlled);
}

/* Fixed steps, profiled ones, error-controlled ones of this tolerance (0: as accurate as the fixed). */
static void measure_task(const task *c, double tolerance, row *m)
{
    char options[60];
    path tight, p;
    result ignored;
    int has_tight = 0;
    if (c->tight > 0) {
        snprintf(options, sizeof options, "step: %g", c->tight);
        has_tight = run_once(c, options, 0, &tight, &ignored) == 0;
    }
    snprintf(options, sizeof options, "step: %g", c->step);
    if (measure(c, options, has_tight ? &tight : NULL, &m->fixed)) return;
    run_once(c, options, 1, &p, &m->fixed);
    m->tolerance = tolerance;
    if (!has_tight || c->links > MOST_CONTROLLED) return;
    if (tolerance > 0) {
        snprintf(options, sizeof options, "tolerance: %g", tolerance);
        measure(c, options, &tight, &m->controlled);
    } else
        find_tolerance(c, &tight, m);
}

static void measure_all(row *chain, row *other)
{
    double found = 0;
    for (int i = 0; i < CHAINS; i++) {
        measure_task(&chains[i], chains[i].links > MOST_SEARCHED ? found : 0, &chain[i]);
        found = chain[i].tolerance;
    }
    for (int i = 0; i < OTHERS; i++) measure_task(&others[i], 0, &other[i]);
}

/* ---- the growth of the cost ---- */

/* Of chains of 10 links and more. */
static double growth(const row *m)
{
    bench_growth g = {0};
    for (int i = 0; i < CHAINS; i++)
        if (m[i].fixed.cpu > 0 && chains[i].links >= 10)
            bench_growth_add(&g, chains[i].links, m[i].fixed.cpu);
    return bench_exponent(&g);
}

/* ---- showing ---- */

static void show_error(double error)
{
    if (isfinite(error))
        printf(" | %7.1e", error);
    else
        printf(" | %7s", "");
}

static void show_others(const task *c)
{
    for (int k = 0; k < 3; k++)
        if (c->others[k] > 0)
            printf(" | %6.3g", c->others[k]);
        else
            printf(" | %6s", "");
}

/* Fixed steps left, error-controlled ones in the middle, other programs right. */
static void show_speed(const task *c, const row *m, int n)
{
    printf(
        "%-33s | %8s | %8s | %7s | %10s | %7s | %9s | %6s | %8s | %7s | MBDyn | Chrono | Exudyn\n",
        "task", "elements", "CPU, s", "us each", "iter./step", "error", "tolerance", "steps",
        "CPU, s", "error");
    printf("--- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --:\n");
    for (int i = 0; i < n; i++, c++, m++) {
        const result *f = &m->fixed, *e = &m->controlled;
        if (f->cpu <= 0) continue;
        printf("%-33s | %8d | %8.4f | %7.3f | %10.2f", c->label, f->elements, f->cpu,
               1e6 * f->cpu / (double)f->elements / (double)f->steps,
               (double)f->iterations / (double)f->steps);
        show_error(f->error);
        if (e->cpu > 0)
            printf(" | %9.0e | %6ld | %8.4f", m->tolerance, e->steps, e->cpu);
        else
            printf(" | %9s | %6s | %8s", "", "", "");
        show_error(e->cpu > 0 ? e->error : NAN);
        show_others(c);
        printf("\n");
    }
}

static void show_phases(const task *c, const row *m, int n)
{
    for (int i = 0; i < n; i++, c++, m++) {
        const result *f = &m->fixed;
        if (f->wall <= 0) continue;
        double part = 100 / f->wall,
               rest = f->wall - f->residual - f->jacobian - f->factor - f->solve;
        printf("%-33s | %6.1f %% | %6.1f %% | %4.1f %% | %3.0f %% | %3.0f %%\n", c->label,
               part * f->residual, part * f->jacobian, part * f->factor, part * f->solve,
               part * rest);
    }
}

static void write_csv(FILE *csv, const task *c, const row *m, int n)
{
    for (int i = 0; i < n; i++, c++, m++) {
        const result *f = &m->fixed, *e = &m->controlled;
        if (f->cpu <= 0) continue;
        fprintf(csv, "\"%s\",%d,%g,%ld,%.6g,%ld,%.3g,%g,%ld,%.6g,%.3g,%.4f,%.4f,%.4f,%.4f\n",
                c->label, f->elements, c->step, f->steps, f->cpu, f->iterations, f->error,
                m->tolerance, e->steps, e->cpu, e->error, f->residual / f->wall,
                f->jacobian / f->wall, f->factor / f->wall, f->solve / f->wall);
    }
}

int main(int argc, char **argv)
{
    static row chain[CHAINS], other[OTHERS];
    FILE *csv = bench_csv(argc, argv, "flexible",
                          "task,elements,step,steps,seconds,iterations,error,tolerance,"
                          "controlled_steps,controlled_seconds,controlled_error,share_residual,"
                          "share_jacobian,share_factor,share_solve");
    measure_all(chain, other);
    printf("### Flexible mechanisms: speed\n\n");
    show_speed(chains, chain, CHAINS);
    printf("\n");
    show_speed(others, other, OTHERS);
    printf("\nWith fixed steps the CPU time of a chain grows with its length to the power **%.2f** "
           "(least squares\nover 10 to 1000 links).\n",
           growth(chain));
    if (!bench_busy()) {
        printf("\n### Flexible mechanisms: share of time by phase, fixed steps\n\n");
        printf("%-33s | %8s | %8s | %6s | %5s | %5s\n", "task", "residual", "Jacobian", "factor",
               "solve", "rest");
        printf("--- | --: | --: | --: | --: | --:\n");
        show_phases(chains, chain, CHAINS);
        show_phases(others, other, OTHERS);
    }
    write_csv(csv, chains, chain, CHAINS);
    write_csv(csv, others, other, OTHERS);
    fclose(csv);
    return 0;
}
