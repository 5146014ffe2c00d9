/* The periodic steady state found directly, against a run of dynamics over 50 turns with the default
 * settings; with less and less damping, so that transients last longer and longer. */
#include "bench.h"

enum { TURNS = 50, REPEATS = 3 };

static const struct {
    const char *model, *set, *damping;
} cases[] = {{"slider_crank_steady", "loss=5e-5", "0.9 %"},
             {"slider_crank_steady", "loss=1e-5", "0.2 %"},
             {"slider_crank_steady", "loss=2e-6", "0.04 %"},
             {"four_bar_steady", "loss=5e-5", "1.2 %"},
             {"four_bar_steady", "loss=1e-5", "0.2 %"}};
enum { CASES = sizeof cases / sizeof cases[0] };

/* Seconds of one analysis in memory, the best of some; < 0: it fails. */
static double seconds(const char *name, const char *set, const char *analysis, limber_summary *sum)
{
    limber_model *model = bench_load(name, set, analysis);
    limber_messages *msg = limber_messages_new();
    limber_run_options options = limber_run_options_default();
    double best = -1;
    for (int k = 0; k < REPEATS && model && msg; k++) {
        double start = bench_cpu();
        if (limber_run(model, &options, sum, msg)) break;
        double took = bench_cpu() - start;
        if (best < 0 || took < best) best = took;
    }
    limber_model_free(model);
    limber_messages_free(msg);
    return best;
}

static void show(FILE *csv, int i)
{
    char march[200];
    limber_summary found = {0}, marched = {0};
    snprintf(march, sizeof march, "{type: dynamics, until: %d*2*pi/speed, output_step: pi/speed}",
             TURNS);
    double direct = seconds(cases[i].model, cases[i].set, "{type: periodic}", &found);
    double run = seconds(cases[i].model, cases[i].set, march, &marched);
    if (direct < 0 || run < 0) return;
    printf("| %s | %s | %d | %.3g s | %ld | %.3g s | %.3g |\n", cases[i].model, cases[i].damping,
           found.cycles, direct, marched.steps, run, run / direct);
    fprintf(csv, "%s,%s,%d,%.6g,%ld,%.6g\n", cases[i].model, cases[i].set, found.cycles, direct,
            marched.steps, run);
}

int main(int argc, char **argv)
{
    FILE *csv = bench_csv(argc, argv, "periodic", "model,set,cycles,direct_s,steps,marching_s");
    printf("### Periodic steady state against marching %d turns\n\n", TURNS);
    printf(
        "| model | damping of the first vibration | periods run | periodic | steps of %d turns | "
        "time | times faster |\n| --- | --- | --- | --- | --- | --- | --- |\n",
        TURNS);
    for (int i = 0; i < CASES; i++) show(csv, i);
    fclose(csv);
    return 0;
}
