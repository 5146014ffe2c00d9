/* The linear solver of a Newton step on chains of 1 to 4096 flexible links: the balanced tree by one and
 * several threads, the order from both ends that is taken by default, the one from the ground, KLU; whole
 * runs with fixed steps; and a model of more processors than this machine may have. */
#include "bench.h"
#include "solve/block.h"

enum { SIZES = 7, RUNS = 3, SOLVERS = 4 };

static const int sizes[SIZES] = {1, 4, 16, 64, 256, 1024, 4096};
static const int runs[RUNS] = {16, 128, 1024};
static const lm_solver solvers[SOLVERS] = {LM_SOLVER_TREE, LM_SOLVER_AUTOMATIC, LM_SOLVER_BLOCK,
                                           LM_SOLVER_KLU};

/* Microseconds for factors and one solution. */
typedef struct step {
    int unknowns;
    double cpu[SOLVERS];  /* one thread */
    double wall[SOLVERS]; /* several threads; 0: not measured */
    int depth, ground_depth;
    double share; /* of the tree's longest way to a root in all of its work, estimated */
} step;

typedef struct chain {
    limber_model *model;
    bench_run b;
    double *values, *x;
} chain;

/* ---- one Newton step ---- */

/* The matrix of a step of 1 ms, after three of them. */
static int open_chain(chain *c, int links)
{
    char set[20];
    const double h = 1e-3;
    snprintf(set, sizeof set, "N=%d", links);
    c->model = bench_load("flexible_chain", set, "{type: dynamics, until: 0.1, step: 1e-3}");
    if (!c->model || bench_open(&c->b, c->model, 0)) return -1;
    if (bench_advance(&c->b, 3 * h)) return -1;
    const lm_integrator *g = c->b.d.g;
    lm_system *sys = g->sys;
    lm_state s = {g->clock->t, g->q, g->v, g->a, g->lam};
    c->values = calloc((size_t)sys->pattern.nnz, sizeof(double));
    c->x = calloc((size_t)(sys->nv + sys->nl), sizeof(double));
    if (!c->values || !c->x) return -1;
    return sys->form->jacobian(sys, &s, 1, h / 2, h * h / 4, c->values);
}

static void close_chain(chain *c)
{
    free(c->values);
    free(c->x);
    bench_close(&c->b);
    limber_model_free(c->model);
}

static void one_step(const chain *c, lm_linear *l)
{
    const lm_pattern *p = &c->b.run.sys->pattern;
    for (int i = 0; i < p->n; i++) c->x[i] = 1 + 0.5 * (i % 3);
    if (lm_linear_factor(l)) abort();
    lm_linear_correct(l, 1, c->x);
}

/* Microseconds, the shortest of many timings, of several steps each where one is soon over. Elapsed time
 * of threads is disturbed by all that runs beside them: more and shorter timings. */
static double time_steps(const chain *c, lm_linear *l, int threads)
{
    double (*now)(void) = threads > 1 ? lm_seconds : bench_cpu;
    int calls = threads > 1 ? 1 : 1 + 20000 / c->b.run.sys->pattern.n;
    bench_best best = {.most = 1};
    one_step(c, l);
    while (!bench_best_done(&best) || (threads > 1 && best.sum < 1)) {
        double start = now();
        for (int k = 0; k < calls; k++) one_step(c, l);
        bench_best_add(&best, now() - start);
    }
    return 1e6 * best.seconds / calls;
}

static double measure_solver(const chain *c, lm_solver solver, lm_pool *pool)
{
    const lm_system *own = c->b.run.sys;
    lm_system how = {.solver = solver, .pool = pool};
    lm_linear *l = lm_linear_create_for(&how, &own->pattern, &own->groups);
    if (!l) abort();
    memcpy(lm_linear_values(l), c->values, sizeof(double) * (size_t)own->pattern.nnz);
    double time = time_steps(c, l, lm_pool_threads(pool));
    lm_linear_destroy(l);
    return time;
}

static void measure_plan(const lm_system *sys, step *s)
{
    lm_arena arena = {0};
    lm_block_plan tree, ground;
    if (lm_block_plan_make(&sys->pattern, &sys->groups, LM_ORDER_TREE, &arena, &tree) ||
        lm_block_plan_make(&sys->pattern, &sys->groups, LM_ORDER_ENDS, &arena, &ground))
        abort();
    s->depth = tree.depth, s->ground_depth = ground.depth;
    s->share = tree.path / tree.work;
    lm_arena_free(&arena);
}

static void measure_step(int links, lm_pool *pool, step *s)
{
    chain c = {0};
    if (open_chain(&c, links)) exit(1);
    s->unknowns = c.b.run.sys->pattern.n;
    measure_plan(c.b.run.sys, s);
    for (int k = 0; k < SOLVERS; k++) {
        s->cpu[k] = measure_solver(&c, solvers[k], NULL);
        if (k < 2 && lm_pool_threads(pool) > 1) s->wall[k] = measure_solver(&c, solvers[k], pool);
    }
    close_chain(&c);
}

/* Brent's bound of a tree of tasks on p processors: the work, shared, and what is left of the longest
 * way. Neither handing tasks over nor the bandwidth of the memory is in it. */
static double model(const step *s, double p)
{
    return s->cpu[0] * (1 / p + (1 - 1 / p) * s->share);
}

/* Columns of the tree and the default order by so many threads; 1: there are none. */
static void show_threads_head(int threads)
{
    if (threads > 1) printf(" | tree, %d th. | default, %d th.", threads, threads);
}

static void show_steps(FILE *csv, const step *s, int threads)
{
    printf("### The tree as a linear solver: microseconds for factors and one solution\n\n");
    printf("%5s | %8s | %8s | %8s | %8s | %8s", "links", "unknowns", "tree", "default", "ground",
           "KLU");
    show_threads_head(threads);
    printf(" | %5s | %6s | %8s | %8s | %8s\n", "depth", "ground", "p = 4", "p = 16", "p = 64");
    printf("--: | --: | --: | --: | --: | --:%s | --: | --: | --: | --: | --:\n",
           threads > 1 ? " | --: | --:" : "");
    for (int k = 0; k < SIZES; k++, s++) {
        printf("%5d | %8d | %8.1f | %8.1f | %8.1f | %8.1f", sizes[k], s->unknowns, s->cpu[0],
               s->cpu[1], s->cpu[2], s->cpu[3]);
        if (threads > 1) printf(" | %11.1f | %14.1f", s->wall[0], s->wall[1]);
        printf(" | %5d | %6d | %8.1f | %8.1f | %8.1f\n", s->depth, s->ground_depth, model(s, 4),
               model(s, 16), model(s, 64));
        fprintf(csv, "%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%d,%.6g\n", sizes[k], s->unknowns,
                s->cpu[0], s->cpu[1], s->cpu[2], s->cpu[3], s->wall[0], s->wall[1], s->depth,
                s->ground_depth, s->share);
    }
    printf("\nCPU time of one thread; of several the elapsed time, which takes as many idle "
           "processors. *p*: a model, not a\nmeasurement: the time of the tree by one thread, "
           "shared by p processors up to the longest way in it.\n\n");
}

/* ---- whole runs ---- */

/* Seconds of 50 steps of 1 ms; CPU of one thread, elapsed with several. */
static double time_run(int links, const char *solver, int threads)
{
    char set[20], analysis[120];
    limber_run_options o = limber_run_options_default();
    limber_summary sum;
    bench_best best = {.most = 2};
    snprintf(set, sizeof set, "N=%d", links);
    snprintf(analysis, sizeof analysis,
             "{type: dynamics, until: 0.05, output_step: 0.05, step: 1e-3, solver: %s}", solver);
    limber_model *m = bench_load("flexible_chain", set, analysis);
    limber_messages *msg = limber_messages_new();
    if (!m) exit(1);
    o.threads = threads;
    while (!bench_best_done(&best) || (threads > 1 && best.sum < 2)) {
        double start = threads > 1 ? lm_seconds() : bench_cpu();
        if (limber_run(m, &o, &sum, msg)) exit(1);
        bench_best_add(&best, (threads > 1 ? lm_seconds() : bench_cpu()) - start);
    }
    limber_messages_free(msg);
    limber_model_free(m);
    return best.seconds;
}

static void show_runs(int threads)
{
    static const char *const names[] = {"tree", "automatic", "block", "klu"};
    printf("### Chains of flexible links, 50 fixed steps, by linear solver: seconds\n\n");
    printf("%5s | %9s | %9s | %9s | %9s", "links", "tree", "default", "ground", "KLU");
    show_threads_head(threads);
    printf("\n--: | --: | --: | --: | --:%s\n", threads > 1 ? " | --: | --:" : "");
    for (int k = 0; k < RUNS; k++) {
        printf("%5d", runs[k]);
        for (int s = 0; s < SOLVERS; s++) printf(" | %9.4f", time_run(runs[k], names[s], 1));
        for (int s = 0; s < 2 && threads > 1; s++)
            printf(" | %11.4f", time_run(runs[k], names[s], threads));
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    static step s[SIZES];
    FILE *csv = bench_csv(argc, argv, "tree",
                          "links,unknowns,tree_us,default_us,ground_us,klu_us,tree_threads_us,"
                          "default_threads_us,tree_depth,ground_depth,longest_way_share");
    const bench_threads here = bench_threads_here();
    const int threads = here.n ? here.of[here.n - 1] : 1;
    lm_pool *pool = lm_pool_create(threads);
    if (!pool) return 1;
    for (int k = 0; k < SIZES; k++) measure_step(sizes[k], pool, &s[k]);
    lm_pool_destroy(pool);
    show_steps(csv, s, threads);
    show_runs(threads);
    fclose(csv);
    return 0;
}
