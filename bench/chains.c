/* Chains of flexible links by every formulation: what a step of fixed size costs over the number of links,
 * and how it grows. */
#include "bench.h"

#include <math.h>

enum { FORMULATIONS = 5, SIZES = 10, STEPS = 60 };
static const double STEP = 1e-3;
/* CPU seconds of the steps of a chain, to be expected: longer ones are left out. */
static const double LONGEST = 4;

static const char *const formulations[FORMULATIONS] = {"corotational", "minimal", "rfe", "ffr",
                                                       "elastodynamic"};

typedef struct cost {
    int links, unknowns;
    double ready, step; /* seconds: to get ready, for a step. step 0: not run */
    double iterations;  /* of a step */
} cost;

/* Steps after the first two, which make the first factors. */
static int run_once(const limber_model *model, cost *r)
{
    bench_run b;
    double start = bench_cpu();
    if (bench_open(&b, model, 0)) return -1;
    r->ready = bench_cpu() - start;
    int bad = bench_advance(&b, 2 * STEP);
    const lm_integrator *g = b.d.g;
    long iterations = g->stats.iterations, steps = g->stats.steps;
    start = bench_cpu();
    bad |= bench_advance(&b, STEP * (STEPS + 2));
    steps = g->stats.steps - steps;
    r->step = (bench_cpu() - start) / (double)steps;
    r->iterations = (double)(g->stats.iterations - iterations) / (double)steps;
    r->unknowns = b.run.sys->nv + b.run.sys->nl;
    if (bad) fprintf(stderr, "%d links: %s\n", r->links, b.sum.reason);
    bench_close(&b);
    return bad;
}

static int measure(const char *formulation, cost *r)
{
    char set[20], analysis[160];
    bench_best best = {.most = 0.1};
    int bad = 0;
    snprintf(set, sizeof set, "N=%d", r->links);
    snprintf(analysis, sizeof analysis,
             "{type: dynamics, until: %g, step: %g, output_step: %g}\nformulation: %s",
             STEP * (STEPS + 2), STEP, STEP * (STEPS + 2), formulation);
    limber_model *model = bench_load("flexible_chain", set, analysis);
    if (!model) return -1;
    while (!bad && !bench_best_done(&best)) {
        bad = run_once(model, r);
        bench_best_add(&best, r->step * STEPS);
    }
    r->step = bad ? 0 : best.seconds / STEPS;
    limber_model_free(model);
    return bad;
}

/* Chains of 1, 2, 4, ... links, as long as the next one can be expected to end in time. */
static void measure_all(const char *formulation, cost r[SIZES])
{
    double expected = 0;
    for (int k = 0; k < SIZES && expected < LONGEST; k++) {
        r[k].links = 1 << k;
        if (measure(formulation, &r[k])) return;
        double grown = k && r[k - 1].step > 0 ? r[k].step / r[k - 1].step : 2;
        expected = fmax(grown, 2) * (r[k].step * STEPS + r[k].ready);
    }
}

static double growth(const cost r[SIZES], int from)
{
    bench_growth g = {0};
    for (int k = 0; k < SIZES; k++)
        if (r[k].step > 0 && r[k].links >= from) bench_growth_add(&g, r[k].links, r[k].step);
    return bench_exponent(&g);
}

static void show_head(void)
{
    printf(
        "### Chains of flexible links by every formulation: microseconds for a fixed step\n\n%5s",
        "links");
    for (int f = 0; f < FORMULATIONS; f++) printf(" | %13s", formulations[f]);
    printf("\n--:");
    for (int f = 0; f < FORMULATIONS; f++) printf(" | --:");
    printf("\n");
}

static void show(cost r[FORMULATIONS][SIZES])
{
    show_head();
    for (int k = 0; k < SIZES; k++) {
        printf("%5d", 1 << k);
        for (int f = 0; f < FORMULATIONS; f++)
            if (r[f][k].step > 0)
                printf(" | %13.1f", 1e6 * r[f][k].step);
            else
                printf(" | %13s", "");
        printf("\n");
    }
    printf("exponent, from 8 links on");
    for (int f = 0; f < FORMULATIONS; f++) printf(" | **%.2f**", growth(r[f], 8));
    printf("\n");
}

int main(int argc, char **argv)
{
    static cost r[FORMULATIONS][SIZES];
    FILE *csv = bench_csv(argc, argv, "chains",
                          "formulation,links,unknowns,step_seconds,iterations,ready_seconds");
    for (int f = 0; f < FORMULATIONS; f++) {
        measure_all(formulations[f], r[f]);
        for (int k = 0; k < SIZES; k++)
            if (r[f][k].step > 0)
                fprintf(csv, "%s,%d,%d,%.6g,%.4g,%.6g\n", formulations[f], r[f][k].links,
                        r[f][k].unknowns, r[f][k].step, r[f][k].iterations, r[f][k].ready);
    }
    show(r);
    fclose(csv);
    return 0;
}
