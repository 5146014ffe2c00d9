/* Rigid finite elements against corotational beams: a beam that is spun up, by either formulation and
 * with more and more elements; what a run costs, and how far the mesh is from the true beam. */
#include "bench.h"

enum { INSTANTS = 80, FINE = 48 };

typedef struct division {
    const char *formulation;
    int elements;
    long unknowns, steps;
    double seconds, error;
} division;

static const char *const output[] = {"u1", "u2"};
enum { OUTPUTS = sizeof output / sizeof *output };

typedef struct path {
    double at[INSTANTS][OUTPUTS];
} path;

/* One run with default settings. */
static int run_once(division *d, path *p)
{
    char analysis[160], set[40];
    bench_run b;
    int bad = 0;
    snprintf(analysis, sizeof analysis,
             "{type: dynamics, until: 20, output_step: 20}\nformulation: %s", d->formulation);
    snprintf(set, sizeof set, "n=%d", d->elements);
    limber_model *model = bench_load("spin_up", set, analysis);
    if (!model) return -1;
    double start = bench_cpu();
    if (bench_open(&b, model, 0)) {
        limber_model_free(model);
        return -1;
    }
    for (int i = 0; i < INSTANTS && !bad; i++) {
        bad = bench_advance(&b, 20.0 * (i + 1) / INSTANTS);
        for (int k = 0; k < OUTPUTS; k++) p->at[i][k] = bench_output(&b, output[k]);
    }
    d->seconds = bench_cpu() - start;
    d->unknowns = b.run.sys->nv + b.run.sys->nl;
    d->steps = b.d.g->stats.steps;
    bench_close(&b);
    limber_model_free(model);
    return bad;
}

static int measure(division *d, const path *fine)
{
    bench_best best = {.most = 1};
    path p;
    while (!bench_best_done(&best)) {
        if (run_once(d, &p)) return -1;
        bench_best_add(&best, d->seconds);
    }
    d->seconds = best.seconds;
    d->error = bench_difference(p.at[0], fine->at[0], INSTANTS, OUTPUTS, OUTPUTS);
    return 0;
}

int main(int argc, char **argv)
{
    static division list[] = {{"corotational", 2, 0, 0, 0, 0},
                              {"corotational", 4, 0, 0, 0, 0},
                              {"corotational", 8, 0, 0, 0, 0},
                              {"{type: rfe, springs: all}", 4, 0, 0, 0, 0},
                              {"{type: rfe, springs: all}", 8, 0, 0, 0, 0},
                              {"{type: rfe, springs: all}", 16, 0, 0, 0, 0},
                              {"{type: rfe, springs: all}", 32, 0, 0, 0, 0},
                              {"{type: rfe, springs: all}", 64, 0, 0, 0, 0}};
    division finest = {"corotational", FINE, 0, 0, 0, 0};
    path fine;
    FILE *csv =
        bench_csv(argc, argv, "division", "formulation,elements,unknowns,steps,seconds,error");
    int bad = run_once(&finest, &fine);
    printf("### Rigid finite elements against corotational beams: spin-up, 20 s\n\n");
    printf("%-26s | %8s | %8s | %6s | %7s | %7s\n", "formulation", "elements", "unknowns", "steps",
           "CPU, s", "error");
    printf("--- | --: | --: | --: | --: | --:\n");
    for (size_t i = 0; i < sizeof list / sizeof *list && !bad; i++) {
        division *d = &list[i];
        if (measure(d, &fine)) continue;
        printf("%-26s | %8d | %8ld | %6ld | %7.3f | %7.1e\n", d->formulation, d->elements,
               d->unknowns, d->steps, d->seconds, d->error);
        fprintf(csv, "\"%s\",%d,%ld,%ld,%.6g,%.6g\n", d->formulation, d->elements, d->unknowns,
                d->steps, d->seconds, d->error);
    }
    fclose(csv);
    return bad ? 1 : 0;
}
