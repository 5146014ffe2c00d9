/* Minimal coordinates: the slider-crank in seven and the hinged beam in 25 coordinates at three correct
 * digits, and what a step costs over the number of coordinates. */
#include "bench.h"

#include <math.h>

enum { INSTANTS = 40, OUTPUTS = 3 };

/* ---- three correct digits ---- */

typedef struct task {
    const char *label, *model, *set;
    double until;
    const char *output[OUTPUTS];
} task;

static const task tasks[] = {
    {"slider-crank, 4 s, one element each",
     "slider_crank_minimal",
     NULL,
     4,
     {"crank", "slider", "bend"}},
    {"hinged beam, 20 s, one element", "hinged_superelements", "N=1", 20, {"theta", "deflection"}},
    {"hinged beam, 20 s, five nodes",
     "hinged_superelement_five_nodes",
     NULL,
     20,
     {"theta", "deflection"}},
    {"hinged beam, 20 s, four elements",
     "hinged_superelements",
     "N=4",
     20,
     {"theta", "deflection"}},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

typedef struct path {
    double at[INSTANTS][OUTPUTS];
} path;

typedef struct result {
    int coordinates;
    long steps, rejected, iterations;
    double cpu, error, tolerance; /* cpu 0: not run */
} result;

static int outputs_of(const task *c)
{
    int n = 0;
    while (n < OUTPUTS && c->output[n]) n++;
    return n;
}

/* One run from the text on. */
static int run_once(const task *c, double tolerance, path *p, result *r)
{
    char analysis[160];
    bench_run b;
    int bad = 0;
    double start = bench_cpu();
    snprintf(analysis, sizeof analysis,
             "{type: dynamics, until: %g, output_step: %g, tolerance: %g}", c->until, c->until,
             tolerance);
    limber_model *model = bench_load(c->model, c->set, analysis);
    if (!model) return -1;
    if (bench_open(&b, model, 0)) {
        limber_model_free(model);
        return -1;
    }
    for (int i = 0; i < INSTANTS && !bad; i++) {
        bad = bench_advance(&b, c->until * (i + 1) / INSTANTS);
        for (int k = 0; k < OUTPUTS && c->output[k]; k++)
            p->at[i][k] = bench_output(&b, c->output[k]);
    }
    if (bad) fprintf(stderr, "%s, tolerance %g: %s\n", c->label, tolerance, b.sum.reason);
    r->cpu = bench_cpu() - start;
    r->coordinates = b.run.sys->nv;
    r->steps = b.d.g->stats.steps, r->rejected = b.d.g->stats.rejected;
    r->iterations = b.d.g->stats.iterations;
    bench_close(&b);
    limber_model_free(model);
    return bad;
}

/* The loosest tolerance of 1e-1, 5e-2, 2e-2, ... with three correct digits; best of several runs. */
static void measure(const task *c, result *r)
{
    static const double digit[] = {1, 0.5, 0.2};
    bench_best best = {.most = 1};
    path tight, p;
    if (run_once(c, 1e-7, &tight, r)) {
        r->cpu = 0;
        return;
    }
    for (int k = 0; k < 15; k++) {
        r->tolerance = digit[k % 3] * pow(10, -1 - k / 3);
        if (run_once(c, r->tolerance, &p, r)) continue;
        r->error = bench_difference(p.at[0], tight.at[0], INSTANTS, OUTPUTS, outputs_of(c));
        if (r->error <= 1e-3) break;
    }
    while (!bench_best_done(&best) && !run_once(c, r->tolerance, &p, r))
        bench_best_add(&best, r->cpu);
    r->cpu = best.seconds;
}

static void show(const result *r)
{
    printf("%-35s | %11s | %9s | %6s | %8s | %10s | %7s | %7s\n", "task", "coordinates",
           "tolerance", "steps", "rejected", "iterations", "CPU, ms", "error");
    printf("--- | --: | --: | --: | --: | --: | --: | --:\n");
    for (int i = 0; i < TASKS; i++)
        if (r[i].cpu > 0)
            printf("%-35s | %11d | %9.0e | %6ld | %8ld | %10ld | %7.2f | %7.1e\n", tasks[i].label,
                   r[i].coordinates, r[i].tolerance, r[i].steps, r[i].rejected, r[i].iterations,
                   1e3 * r[i].cpu, r[i].error);
}

/* ---- cost over the number of coordinates ---- */

static const int elements[] = {1, 2, 4, 8, 16, 32};
enum { SIZES = sizeof elements / sizeof *elements, STEPS = 200 };
static const double STEP = 1e-3;

typedef struct cost {
    int coordinates;
    double ready, step, iterations,
        jacobians; /* seconds; seconds, numbers per step. step 0: not run */
    double residual, jacobian, factor, solve; /* shares, profiled */
} cost;

/* Steps after the first, which makes the first factors. */
static int steps_once(const limber_model *model, int profile, cost *r)
{
    bench_run b;
    double start = bench_cpu();
    if (bench_open(&b, model, profile)) return -1;
    r->ready = bench_cpu() - start;
    int bad = bench_advance(&b, STEP);
    lm_integrator *g = b.d.g;
    long iterations = g->stats.iterations, jacobians = g->stats.jacobians, steps = g->stats.steps;
    double before[4] = {g->profile.residual, g->profile.jacobian, g->profile.factor,
                        g->profile.solve};
    double wall = lm_seconds();
    start = bench_cpu();
    bad |= bench_advance(&b, STEP * (STEPS + 1));
    steps = g->stats.steps - steps;
    r->step = (bench_cpu() - start) / (double)steps;
    wall = lm_seconds() - wall;
    r->coordinates = g->sys->nv;
    r->iterations = (double)(g->stats.iterations - iterations) / (double)steps;
    r->jacobians = (double)(g->stats.jacobians - jacobians) / (double)steps;
    r->residual = (g->profile.residual - before[0]) / wall;
    r->jacobian = (g->profile.jacobian - before[1]) / wall;
    r->factor = (g->profile.factor - before[2]) / wall;
    r->solve = (g->profile.solve - before[3]) / wall;
    bench_close(&b);
    return bad;
}

static void measure_cost(int n, cost *r)
{
    char set[20], analysis[120];
    bench_best best = {.most = 2};
    cost once;
    snprintf(set, sizeof set, "N=%d", n);
    snprintf(analysis, sizeof analysis, "{type: dynamics, until: %g, step: %g, output_step: %g}",
             STEP * (STEPS + 1), STEP, STEP);
    limber_model *model = bench_load("hinged_superelements", set, analysis);
    if (!model) return;
    if (steps_once(model, 1, r) == 0) {
        r->ready = INFINITY;
        while (!bench_best_done(&best) && !steps_once(model, 0, &once)) {
            bench_best_add(&best, once.step * STEPS);
            r->ready = fmin(r->ready, once.ready);
        }
        r->step = best.seconds / STEPS;
    } else
        r->step = 0;
    limber_model_free(model);
}

/* Of one iteration, of 4 elements and more. */
static double growth(const cost *r)
{
    bench_growth g = {0};
    for (int i = 0; i < SIZES; i++)
        if (r[i].step > 0 && elements[i] >= 4)
            bench_growth_add(&g, r[i].coordinates, r[i].step / r[i].iterations);
    return bench_exponent(&g);
}

static void show_shares(const cost *r)
{
    printf(" | %6.1f %% | %6.1f %% | %4.1f %% | %3.0f %%", 100 * r->residual, 100 * r->jacobian,
           100 * r->factor, 100 * r->solve);
}

static void show_cost(const cost *r)
{
    const int shares = !bench_busy();
    printf("%8s | %11s | %8s | %9s | %10s | %9s | %12s%s\n", "elements", "coordinates", "ready, s",
           "us/step", "iterations", "Jacobians", "us/iteration",
           shares ? " | residual | Jacobian | factor | solve" : "");
    printf("--: | --: | --: | --: | --: | --: | --:%s\n", shares ? " | --: | --: | --: | --:" : "");
    for (int i = 0; i < SIZES; i++) {
        if (r[i].step <= 0) continue;
        printf("%8d | %11d | %8.4f | %9.1f | %10.2f | %9.3f | %12.1f", elements[i],
               r[i].coordinates, r[i].ready, 1e6 * r[i].step, r[i].iterations, r[i].jacobians,
               1e6 * r[i].step / r[i].iterations);
        if (shares) show_shares(&r[i]);
        printf("\n");
    }
    printf("\nThe cost of one iteration grows with the number of coordinates to the power **%.2f** "
           "(least squares\nover 4 to 32 elements).\n",
           growth(r));
}

static void write_csv(int argc, char **argv, const result *r, const cost *k)
{
    FILE *csv = bench_csv(argc, argv, "minimal",
                          "task,coordinates,tolerance,steps,iterations,seconds,error_or_ready");
    for (int i = 0; i < TASKS; i++)
        if (r[i].cpu > 0)
            fprintf(csv, "\"%s\",%d,%g,%ld,%ld,%.6g,%.3g\n", tasks[i].label, r[i].coordinates,
                    r[i].tolerance, r[i].steps, r[i].iterations, r[i].cpu, r[i].error);
    for (int i = 0; i < SIZES; i++)
        if (k[i].step > 0)
            fprintf(csv, "\"step of %d elements\",%d,,1,%.6g,%.6g,%.3g\n", elements[i],
                    k[i].coordinates, k[i].iterations, k[i].step, k[i].ready);
    fclose(csv);
}

int main(int argc, char **argv)
{
    static result r[TASKS];
    static cost k[SIZES];
    for (int i = 0; i < TASKS; i++) measure(&tasks[i], &r[i]);
    printf(
        "### Minimal coordinates: three correct digits\n\n"
        "At the loosest tolerance of 1e-1, 5e-2, 2e-2, ... whose error is below 1e-3: the largest "
        "one at %d instants,\nas a part of the largest value, of the angle and of the deflection "
        "(slider-crank: also of the slider),\nagainst a run with tolerance 1e-7. CPU time is all "
        "of it, from the text of the model to the last step.\n\n",
        INSTANTS);
    show(r);
    for (int i = 0; i < SIZES; i++) measure_cost(elements[i], &k[i]);
    printf("\n### Minimal coordinates: cost over the number of coordinates\n\n"
           "The hinged beam of 1 to 32 superelements, fixed steps of 1 ms.\n\n");
    show_cost(k);
    write_csv(argc, argv, r, k);
    return 0;
}
