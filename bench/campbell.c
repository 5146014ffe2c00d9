/* Campbell diagrams: a round shaft with a disk, of more and more beam elements; what a hundred speeds
 * with ten branches cost. */
#include "bench.h"

typedef struct diagram {
    int elements;
    long velocities;
    double seconds;
    int branches, critical;
} diagram;

static int run_once(diagram *d)
{
    char set[40];
    limber_messages *msg = limber_messages_new();
    limber_run_options o = limber_run_options_default();
    limber_summary sum;
    snprintf(set, sizeof set, "elements=%d", d->elements);
    limber_model *model =
        bench_load("jeffcott_rotor", set,
                   "{type: campbell, drive: drive, speeds: [0, 2*omega0, 100], count: 10}");
    if (!model || !msg) return -1;
    double start = bench_cpu();
    limber_status st = limber_run(model, &o, &sum, msg);
    d->seconds = bench_cpu() - start;
    d->velocities = 6L * (d->elements + 1) + 12;
    d->branches = sum.branches;
    d->critical = sum.critical_speeds;
    limber_model_free(model);
    limber_messages_free(msg);
    return st ? -1 : 0;
}

static int measure(diagram *d)
{
    bench_best best = {.most = 3};
    while (!bench_best_done(&best)) {
        if (run_once(d)) return -1;
        bench_best_add(&best, d->seconds);
    }
    d->seconds = best.seconds;
    return 0;
}

int main(int argc, char **argv)
{
    static const int elements[] = {16, 50, 100, 200, 400};
    FILE *csv = bench_csv(argc, argv, "campbell", "elements,velocities,seconds,branches");
    printf("### Campbell diagrams\n\n");
    printf("| beam elements | velocities | seconds | branches | critical speeds |\n");
    printf("| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        diagram d = {.elements = elements[i]};
        if (measure(&d)) return 1;
        printf("| %d | %ld | %.2f | %d | %d |\n", d.elements, d.velocities, d.seconds, d.branches,
               d.critical);
        fprintf(csv, "%d,%ld,%.6g,%d\n", d.elements, d.velocities, d.seconds, d.branches);
    }
    fclose(csv);
    return 0;
}
