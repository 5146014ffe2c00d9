/* Work and precision: steps, CPU time and error of A01 to A05 against their reference values, over
 * the tolerance, for generalized-alpha and the explicit method. */
#include "bench.h"
#include "support/iftomm.h"

#include <math.h>

typedef struct problem {
    const char *label, *model, *set;
    double until;
    const known *at; /* as far as it runs */
} problem;

static const problem problems[] = {
    {"A01 pendulum", "a01_pendulum", NULL, 10, known_a01},
    {"A02 four-bars, N = 2", "a02_four_bars", "N=2", 10, known_a02},
    {"A03 Andrews", "a03_andrews", NULL, 0.03, known_a03},
    {"A04 Bricard", "a04_bricard", NULL, 9, known_a04},
    {"A05 governor, 1 s", "a05_governor", NULL, 1, known_a05},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

/* Tolerances 10^-first .. 10^-last, as long as a run takes, or can be expected to take, less than
 * LONGEST. */
typedef struct method {
    const char *name;
    int first, last;
    double growth; /* of the time from one tolerance to the next, to be expected */
} method;

static const method methods[] = {{"generalized-alpha", 3, 8, 3.2}, {"explicit", 6, 12, 1.3}};
enum { METHODS = sizeof methods / sizeof methods[0], LOOSEST = 3, TIGHTEST = 12 };
static const double LONGEST = 5; /* seconds */

typedef enum outcome { NOT_ASKED, DONE, TOO_LONG, STOPPED } outcome;

typedef struct result {
    outcome how;
    long steps, rejected;
    double cpu, error;
} result;

typedef result results[METHODS][TIGHTEST + 1];

/* ---- measuring ---- */

/* Stop a run that takes too long; `context`: the CPU time at its start. */
static int give_up(void *context, const limber_progress *progress)
{
    (void)progress;
    return bench_cpu() - *(const double *)context > LONGEST;
}

/* Advance from one instant with known values to the next; the largest error met. */
static outcome run_once(const problem *p, const limber_model *model, result *r)
{
    bench_run b;
    int bad = 0;
    double start = bench_cpu();
    if (bench_open(&b, model, 0)) return STOPPED;
    b.opt.progress = give_up;
    b.opt.progress_context = &start;
    start = bench_cpu();
    r->error = 0;
    for (const known *k = p->at; k->output && k->t <= p->until && !bad; k++) {
        if (b.d.g->clock->t < k->t) bad = bench_advance(&b, k->t);
        r->error = fmax(r->error, fabs(bench_output(&b, k->output) - k->value));
    }
    r->cpu = bench_cpu() - start;
    r->steps = b.d.g->stats.steps;
    r->rejected = b.d.g->stats.rejected;
    r->how = !bad ? DONE : give_up(&start, NULL) ? TOO_LONG : STOPPED;
    if (r->how == STOPPED) fprintf(stderr, "%s stops: %s\n", p->label, b.sum.reason);
    bench_close(&b);
    return r->how;
}

static void measure(const problem *p, const char *name, int digits, result *r)
{
    char analysis[200];
    bench_best best = {.most = 0.3};
    snprintf(analysis, sizeof analysis,
             "{type: dynamics, until: %g, output_step: %g, method: %s, tolerance: 1e-%d}", p->until,
             p->until, name, digits);
    limber_model *model = bench_load(p->model, p->set, analysis);
    while (model && !bench_best_done(&best)) {
        if (run_once(p, model, r) != DONE) break;
        bench_best_add(&best, r->cpu);
        r->cpu = best.seconds;
    }
    limber_model_free(model);
}

static void measure_all(const problem *p, results r)
{
    for (int m = 0; m < METHODS; m++) {
        double expected = 0;
        for (int d = methods[m].first; d <= methods[m].last; d++) {
            result *k = &r[m][d];
            if (expected > LONGEST)
                k->how = TOO_LONG;
            else
                measure(p, methods[m].name, d, k);
            expected = methods[m].growth * (k->cpu > 0 ? k->cpu : expected);
        }
    }
}

/* ---- showing ---- */

static void show_result(const result *r)
{
    static const char *const words[] = {"", "", "too long", "stops"};
    if (r->how == DONE)
        printf(" | %8ld | %8ld | %9.4f | %8.1e", r->steps, r->rejected, r->cpu, r->error);
    else
        printf(" | %8s | %8s | %9s | %8s", "", "", words[r->how], "");
}

static void show(const problem *p, results r)
{
    printf("\n**%s**\n\n%9s", p->label, "tolerance");
    for (int m = 0; m < METHODS; m++)
        printf(" | %8s | %8s | %9s | %8s", m ? "ex.steps" : "steps", "rejected", "CPU, s", "error");
    printf("\n--:");
    for (int m = 0; m < METHODS; m++) printf(" | --: | --: | --: | --:");
    printf("\n");
    for (int d = LOOSEST; d <= TIGHTEST; d++) {
        printf("%7s%-2d", "1e-", d);
        for (int m = 0; m < METHODS; m++) show_result(&r[m][d]);
        printf("\n");
    }
    fflush(stdout);
}

static void write_csv(FILE *csv, const problem *p, results r)
{
    for (int m = 0; m < METHODS; m++)
        for (int d = LOOSEST; d <= TIGHTEST; d++)
            if (r[m][d].how == DONE)
                fprintf(csv, "\"%s\",%s,1e-%d,%ld,%ld,%.6g,%.4g\n", p->label, methods[m].name, d,
                        r[m][d].steps, r[m][d].rejected, r[m][d].cpu, r[m][d].error);
}

int main(int argc, char **argv)
{
    FILE *csv = bench_csv(argc, argv, "work_precision",
                          "mechanism,method,tolerance,steps,rejected,cpu_seconds,error");
    printf("### Work and precision\n\n"
           "Left generalized-alpha (the default of rigid mechanisms), right explicit. Error: the "
           "largest one over the\n"
           "reference values, in metres (A03: rad). Too long: more than %g s.\n",
           LONGEST);
    for (int i = 0; i < PROBLEMS; i++) {
        results r = {0};
        measure_all(&problems[i], r);
        show(&problems[i], r);
        write_csv(csv, &problems[i], r);
    }
    fclose(csv);
    return 0;
}
