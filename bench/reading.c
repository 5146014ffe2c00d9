/* Reading: CPU time to load chains of many links, from the text to the compiled model. Once as one
 * repetition (models/rod_chain.yaml with a large N), once with every link written out. */
#include "bench.h"

typedef struct reading {
    double seconds; /* 0: not read */
    double megabytes;
    int bodies;
} reading;

static reading load(const char *text, const char *name, const char *set)
{
    reading r = {.megabytes = 1e-6 * (double)strlen(text)};
    limber_load_options options = {.set = &set, .set_count = set != NULL};
    bench_best best = {.most = 3};
    while (!bench_best_done(&best)) {
        limber_messages *msg = limber_messages_new();
        limber_model *model;
        double start = bench_cpu();
        limber_model_parse(text, strlen(text), name, &options, &model, msg);
        bench_best_add(&best, bench_cpu() - start);
        if (model) r.bodies = model->m.nbodies;
        if (!model) bench_skipped(name, msg);
        limber_model_free(model);
        limber_messages_free(msg);
        if (!model) return (reading){0};
    }
    r.seconds = best.seconds;
    return r;
}

static reading repeated(int links)
{
    char set[30];
    const char *path = "models/rod_chain.yaml";
    char *text = bench_read(path);
    limber_messages *none = limber_messages_new();
    reading r = {0};
    snprintf(set, sizeof set, "N=%d", links);
    if (text)
        r = load(text, path, set);
    else
        bench_skipped(path, none);
    limber_messages_free(none);
    free(text);
    return r;
}

/* The same chain, a line for each rod and each pin. */
static char *chain_text(int links)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    fprintf(f, "limber: 1\ntitle: Chain, written out\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int k = 1; k <= links; k++)
        fprintf(f,
                "  rod%d: {type: rigid, mass: 1, inertia: [0, 0.0833333, 0.0833333], "
                "position: [%d, 0, 0], com: [0.5, 0, 0], frames: {end: [1, 0, 0]}}\n",
                k, k - 1);
    fprintf(f, "joints:\n  pin1: {type: revolute, between: [ground, rod1], axis: z}\n");
    for (int k = 2; k <= links; k++)
        fprintf(f, "  pin%d: {type: revolute, between: [rod%d.end, rod%d], axis: z}\n", k, k - 1,
                k);
    fprintf(f, "analysis: {type: dynamics, until: 1}\noutputs: {x: pos(rod%d.end).x}\n", links);
    fclose(f);
    return text;
}

static reading written_out(int links)
{
    char *text = chain_text(links);
    reading r = text ? load(text, "written out", NULL) : (reading){0};
    free(text);
    return r;
}

static void show(FILE *csv, const char *how, int links, const reading *r)
{
    if (r->seconds == 0) return;
    printf("%-11s | %6d | %8.3f | %8.4f | %7.2f\n", how, r->bodies, r->megabytes, r->seconds,
           1e6 * r->seconds / links);
    fflush(stdout);
    fprintf(csv, "%s,%d,%.4g,%.6g\n", how, links, r->megabytes, r->seconds);
}

int main(int argc, char **argv)
{
    FILE *csv = bench_csv(argc, argv, "reading", "chain,links,megabytes,seconds");
    printf("### Reading\n\n%-11s | %6s | %8s | %8s | %7s\n", "chain", "links", "text, MB", "CPU, s",
           "us/link");
    printf("--- | --: | --: | --: | --:\n");
    for (int links = 1000; links <= 100000; links *= 10) {
        reading r = repeated(links);
        show(csv, "repetition", links, &r);
    }
    for (int links = 1000; links <= 100000; links *= 10) {
        reading r = written_out(links);
        show(csv, "written out", links, &r);
    }
    fclose(csv);
    return 0;
}
