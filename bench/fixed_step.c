/* Speed with a fixed step: CPU time per step, Newton iterations, Jacobians, time by phase, and how
 * the cost of a step grows with the length of a chain. */
#include "bench.h"

#include <math.h>

typedef struct fixed_case {
    const char *label, *model, *set;
    double h;
    int steps;
    int links; /* of a chain; 0: something else */
} fixed_case;

static const fixed_case cases[] = {
    {"A01 pendulum", "a01_pendulum", NULL, 1e-3, 10000, 0},
    {"A02 four-bars, N = 2", "a02_four_bars", "N=2", 1e-3, 10000, 0},
    {"A02 four-bars, N = 40", "a02_four_bars", "N=40", 1e-3, 2000, 0},
    {"A02 four-bars, N = 1000", "a02_four_bars", "N=1000", 1e-3, 100, 0},
    {"A03 Andrews", "a03_andrews", NULL, 1e-5, 3000, 0},
    {"A04 Bricard", "a04_bricard", NULL, 1e-3, 10000, 0},
    {"A05 governor", "a05_governor", NULL, 1e-3, 10000, 0},
    {"slider-crank", "slider_crank", NULL, 1e-4, 2000, 0},
    {"rod chain, 10", "rod_chain", "N=10", 1e-3, 60, 10},
    {"rod chain, 100", "rod_chain", "N=100", 1e-3, 60, 100},
    {"rod chain, 1000", "rod_chain", "N=1000", 1e-3, 60, 1000},
    {"rod chain, 10000", "rod_chain", "N=10000", 1e-3, 60, 10000},
};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct fixed_result {
    int bodies, unknowns;
    long steps;                   /* after the first, which makes the first factors; 0: not run */
    double open, step;            /* CPU seconds to get ready; per step */
    double iterations, jacobians; /* per step */
    long rejected;
    double wall, residual, jacobian, factor, solve; /* profiled: seconds of all steps */
    char stopped[512];                              /* why it did not reach the end */
} fixed_result;

/* ---- measuring ---- */

/* Counters and time by phase of the steps since `s` and `p` were taken. */
static void count(const lm_integrator *g, const lm_step_stats *s, const lm_phases *p,
                  fixed_result *r)
{
    r->steps = g->stats.steps - s->steps;
    r->iterations = (double)(g->stats.iterations - s->iterations) / (double)r->steps;
    r->jacobians = (double)(g->stats.jacobians - s->jacobians) / (double)r->steps;
    r->rejected = g->stats.rejected;
    r->residual = g->profile.residual - p->residual;
    r->jacobian = g->profile.jacobian - p->jacobian;
    r->factor = g->profile.factor - p->factor;
    r->solve = g->profile.solve - p->solve;
}

/* One run with the clocks of the phases on; it counts if it was faster than those before. */
static int profiled_once(const fixed_case *c, const limber_model *model, fixed_result *r)
{
    bench_run b;
    double cpu = bench_cpu();
    if (bench_open(&b, model, 1)) return -1;
    r->open = bench_cpu() - cpu;
    r->bodies = model->m.nbodies;
    r->unknowns = b.run.sys->nv + b.run.sys->nl;
    bench_advance(&b, c->h);
    lm_step_stats s = b.d.g->stats;
    lm_phases p = b.d.g->profile;
    double start = lm_seconds();
    if (bench_advance(&b, c->h * c->steps))
        snprintf(r->stopped, sizeof r->stopped, "%s", b.sum.reason);
    double wall = lm_seconds() - start;
    if (r->steps == 0 || wall < r->wall) {
        r->wall = wall;
        count(b.d.g, &s, &p, r);
    }
    bench_close(&b);
    return r->steps > 0 ? 0 : -1;
}

static int profiled(const fixed_case *c, const limber_model *model, fixed_result *r)
{
    bench_best best = {.most = 1};
    while (!bench_best_done(&best)) {
        double start = bench_cpu();
        if (profiled_once(c, model, r)) return -1;
        bench_best_add(&best, bench_cpu() - start);
    }
    return 0;
}

static void timed(const fixed_case *c, const limber_model *model, fixed_result *r)
{
    bench_best best = {.most = 4};
    while (!bench_best_done(&best)) {
        bench_run b;
        if (bench_open(&b, model, 0)) return;
        bench_advance(&b, c->h);
        double start = bench_cpu();
        bench_advance(&b, c->h * c->steps);
        bench_best_add(&best, bench_cpu() - start);
        bench_close(&b);
    }
    r->step = best.seconds / (double)r->steps;
}

static void measure(const fixed_case *c, fixed_result *r)
{
    char analysis[200];
    double until = c->h * c->steps;
    snprintf(analysis, sizeof analysis, "{type: dynamics, until: %g, step: %g, output_step: %g}",
             until, c->h, until);
    limber_model *model = bench_load(c->model, c->set, analysis);
    if (!model) return;
    if (profiled(c, model, r) == 0) timed(c, model, r);
    limber_model_free(model);
}

/* ---- the growth of the cost ---- */

/* Of chains of 100 links and more. */
static double growth(const fixed_result *r, int per_iteration)
{
    bench_growth g = {0};
    for (int i = 0; i < CASES; i++)
        if (r[i].steps && cases[i].links >= 100)
            bench_growth_add(&g, cases[i].links, r[i].step / (per_iteration ? r[i].iterations : 1));
    return bench_exponent(&g);
}

/* ---- showing ---- */

static void show_speed(const fixed_result *r)
{
    printf("%-23s | %6s | %8s | %6s | %6s | %9s | %9s | %9s | %9s\n", "mechanism", "bodies",
           "unknowns", "h", "steps", "us/step", "us/body", "steps/s", "ready, s");
    printf("%s\n", "--- | --: | --: | --: | --: | --: | --: | --: | --:");
    for (int i = 0; i < CASES; i++)
        if (r[i].steps)
            printf("%-23s | %6d | %8d | %6.0e | %6ld | %9.2f | %9.2f | %9.4g | %9.4f\n",
                   cases[i].label, r[i].bodies, r[i].unknowns, cases[i].h, r[i].steps,
                   1e6 * r[i].step, 1e6 * r[i].step / r[i].bodies, 1 / r[i].step, r[i].open);
}

static void show_shares(const fixed_result *k)
{
    double rest = k->wall - k->residual - k->jacobian - k->factor - k->solve, part = 100 / k->wall;
    printf(" | %6.1f %% | %6.1f %% | %4.1f %% | %3.0f %% | %3.0f %%", part * k->residual,
           part * k->jacobian, part * k->factor, part * k->solve, part * rest);
}

static void show_phases(const fixed_result *r)
{
    const int shares = !bench_busy();
    printf("\n### Fixed step: iterations and Jacobians per step%s\n\n",
           shares ? ", share of time by phase" : "");
    printf("%-23s | %10s | %9s | %8s%s\n", "mechanism", "iterations", "Jacobians", "rejected",
           shares ? " | residual | Jacobian | factor | solve |  rest" : "");
    printf("--- | --: | --: | --:%s\n", shares ? " | --: | --: | --: | --: | --:" : "");
    for (int i = 0; i < CASES; i++) {
        if (!r[i].steps) continue;
        printf("%-23s | %10.2f | %9.3f | %8ld", cases[i].label, r[i].iterations, r[i].jacobians,
               r[i].rejected);
        if (shares) show_shares(&r[i]);
        printf("\n");
    }
}

static void show_stops(const fixed_result *r)
{
    for (int i = 0; i < CASES; i++)
        if (r[i].stopped[0])
            printf("\n%s stops: %s. The figures are those of the steps made.\n", cases[i].label,
                   r[i].stopped);
}

static void write_csv(FILE *csv, const fixed_result *r)
{
    for (int i = 0; i < CASES; i++)
        if (r[i].steps)
            fprintf(csv, "\"%s\",%d,%d,%g,%ld,%.6g,%.6g,%.4g,%.4g,%ld,%.4f,%.4f,%.4f,%.4f\n",
                    cases[i].label, r[i].bodies, r[i].unknowns, cases[i].h, r[i].steps, r[i].step,
                    r[i].open, r[i].iterations, r[i].jacobians, r[i].rejected,
                    r[i].residual / r[i].wall, r[i].jacobian / r[i].wall, r[i].factor / r[i].wall,
                    r[i].solve / r[i].wall);
}

int main(int argc, char **argv)
{
    static fixed_result r[CASES];
    FILE *csv = bench_csv(argc, argv, "fixed_step",
                          "mechanism,bodies,unknowns,h,steps,seconds_per_step,seconds_ready,"
                          "iterations_per_step,jacobians_per_step,rejected,share_residual,"
                          "share_jacobian,share_factor,share_solve");
    for (int i = 0; i < CASES; i++) measure(&cases[i], &r[i]);
    printf("### Fixed step: speed\n\n");
    show_speed(r);
    show_stops(r);
    if (isfinite(growth(r, 0)))
        printf("\nCost of a step of a chain grows with its length to the power **%.2f** (least "
               "squares "
               "over 100 to 10000\nlinks); of one Newton iteration, to the power %.2f.\n",
               growth(r, 0), growth(r, 1));
    show_phases(r);
    write_csv(csv, r);
    fclose(csv);
    return 0;
}
