/* Floating frames by divide and conquer: time of one evaluation of the accelerations of a chain of N links
 * in motion, against N: links of four spline elements, of four modes, rigid ones; by one thread and by
 * several, and by one dense system. Rigid chains also in joint angles: by the formulation `minimal`, and by the
 * recursive algorithm alone. The times of the kernels make a model of more processors.
 *
 *     ffr [FOLDER]        the chains
 *     ffr --model FILE [NAME=VALUE ...]
 *                         a model with its dynamics: accelerations, us/evaluation, s/run, steps */
#include "base/pool.h"
#include "bench.h"
#include "form/dca.h"
#include "form/recursive.h"

#include <stdint.h>
#include <unistd.h>

enum { CHAINS = 16, KERNEL = 8, ROWS = 5, MOST = 40, PROCESSORS = 6 };
/* Longest chains by other algorithms, which take long or lose too many digits beyond. */
enum { DENSE = 32, MINIMAL = 4096, RECURSIVE = 16384 };

static const int power[CHAINS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 17};

typedef struct kind {
    const char *name, *model, *formulation, *swap[2];
    double bytes; /* of memory for a link */
} kind;

/* Rods that are thick: of those of the model, which have no inertia about their axis, ffr lends them some
 * and solves the tree several times. */
static const kind splines = {
    "links of 4 spline elements", "flexible_chain", "{type: ffr}", {NULL, NULL}, 7e4};
static const kind modes = {
    "links of 4 modes", "flexible_chain", "{type: ffr, basis: modes}", {NULL, NULL}, 7e4};
static const kind rods = {"rigid links", "rod_chain", "{type: ffr}", {"[0, I", "[I/20, I"}, 3e4};
static const kind slender = {
    "rods without thickness", "rod_chain", "{type: ffr}", {NULL, NULL}, 3e4};
static const kind angles = {"joint angles", "rod_chain", "minimal", {"[0, I", "[I/20, I"}, 3e4};

typedef struct chain {
    limber_model *model;
    limber_messages *msg;
    lm_system *sys;
    double *q, *v, *a, *lam, *spare;
} chain;

typedef struct timing {
    int n, size;                      /* links; accelerations of a link */
    double one;                       /* seconds of an evaluation: processor time of one thread */
    double threads[BENCH_THREADS];    /* several threads, by the clock */
    double dense, minimal, recursive; /* one thread, other algorithms; 0: not measured */
} timing;

/* ---- chains ---- */

static uint64_t seed = 1;

static double noise(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / (double)(1ULL << 53) - 0.5;
}

/* A copy of the text with the first `from` replaced. */
static char *swapped(const char *text, const char *const swap[2])
{
    const char *at = swap[0] ? strstr(text, swap[0]) : text;
    if (!at) return NULL;
    char *out = malloc(strlen(text) + (swap[0] ? strlen(swap[1]) : 0) + 1);
    if (!out || !swap[0]) return out ? strcpy(out, text) : NULL;
    sprintf(out, "%.*s%s%s", (int)(at - text), text, swap[1], at + strlen(swap[0]));
    return out;
}

static limber_model *parse(const kind *k, int n, limber_messages *msg)
{
    char path[200], set[20], more[200];
    const char *sets = set;
    limber_load_options options = {.set = &sets, .set_count = 1};
    limber_model *model = NULL;
    snprintf(path, sizeof path, "models/%s.yaml", k->model);
    snprintf(set, sizeof set, "N=%d", n);
    snprintf(more, sizeof more, "{type: dynamics, until: 1}\nformulation: %s", k->formulation);
    char *own = bench_read(path), *text = own ? bench_with_analysis(own, more) : NULL;
    char *full = text ? swapped(text, k->swap) : NULL;
    if (full) limber_model_parse(full, strlen(full), path, &options, &model, msg);
    free(own), free(text), free(full);
    return model;
}

/* A state in motion: bent a little, all velocities different. */
static int set_moving(chain *c)
{
    lm_system *sys = c->sys;
    const size_t nv = (size_t)sys->nv;
    c->q = calloc((size_t)sys->nq + 3 * nv + (size_t)sys->nl, sizeof *c->q);
    if (!c->q) return -1;
    c->v = c->q + sys->nq, c->a = c->v + nv, c->spare = c->a + nv, c->lam = c->spare + nv;
    sys->form->initial(sys, c->q, c->v);
    if (sys->form->select_rows(sys, 0, c->q, 0) < 0) return -1;
    for (size_t i = 0; i < nv; i++) c->spare[i] = 1e-3 * noise(), c->v[i] += 0.1 * noise();
    return sys->form->retract(sys, c->q, c->spare, c->q);
}

static void close_chain(chain *c)
{
    if (c->sys) c->sys->form->destroy(c->sys);
    free(c->q);
    limber_model_free(c->model);
    limber_messages_free(c->msg);
}

/* 0, or -1 after a message. */
static int open_chain(chain *c, const kind *k, int n, int by_dense)
{
    *c = (chain){.msg = limber_messages_new()};
    c->model = parse(k, n, c->msg);
    if (c->model) ((lm_spec *)c->model->m.spec)->formulation.algorithm_dense = by_dense;
    if (c->model && !lm_create_system(&c->model->m, NULL, &c->msg->diag, &c->sys) && !set_moving(c))
        return 0;
    bench_skipped(k->name, c->msg);
    close_chain(c);
    return -1;
}

/* ---- one evaluation ---- */

static void must(int bad)
{
    if (!bad) return;
    fprintf(stderr, "this state cannot be evaluated\n");
    exit(1);
}

/* Where the formulation has no such function: forces without acceleration, divided by the mass. */
static void evaluate(void *context)
{
    chain *c = context;
    lm_system *sys = c->sys;
    lm_state s = {0, c->q, c->v, NULL, NULL};
    if (sys->form->accelerations) {
        must(sys->form->accelerations(sys, &s, c->a, c->lam));
        return;
    }
    memset(c->spare, 0, sizeof *c->spare * (size_t)sys->nv);
    s.a = c->spare;
    must(sys->form->residual(sys, &s, c->a, NULL, NULL));
    for (int i = 0; i < sys->nv; i++) c->a[i] = -c->a[i];
    must(sys->form->divide_by_mass(sys, 0, c->q, c->a));
}

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Shortens `best` if calls in a row, at least 5 ms of them, take less each by this clock. */
static void series(void (*what)(void *), void *context, double (*clock)(void), double *best)
{
    double spent = 0;
    for (int calls = 1; spent < 0.005; calls *= 2) {
        const double start = clock();
        for (int k = 0; k < calls; k++) what(context);
        spent = clock() - start;
        if (spent >= 0.005) *best = fmin(*best, spent / calls);
    }
}

/* Processor time: the best of the series that 0.15 s hold, and of two at least. */
static double alone(void (*what)(void *), void *context)
{
    double best = 1e300;
    what(context);
    const double end = wall() + 0.15;
    for (int k = 0; k < 2 || wall() < end; k++) series(what, context, bench_cpu, &best);
    return best;
}

/* Numbers of threads, and a pool for each. */
typedef struct pools {
    bench_threads threads;
    lm_pool *of[BENCH_THREADS];
} pools;

/* One thread and several in turn, since the speed of the machine changes with what else it does. The time of
 * one thread is processor time, what it would take on an idle machine; for several only the clock counts. */
static void with_threads(chain *c, const pools *p, timing *t)
{
    evaluate(c);
    const double end = wall() + 0.15 * (1 + p->threads.n);
    t->one = 1e300;
    for (int i = 0; i < p->threads.n; i++) t->threads[i] = 1e300;
    for (int k = 0; k < 2 || wall() < end; k++) {
        c->sys->pool = NULL;
        series(evaluate, c, bench_cpu, &t->one);
        for (int i = 0; i < p->threads.n; i++) {
            c->sys->pool = p->of[i];
            series(evaluate, c, wall, &t->threads[i]);
        }
    }
    c->sys->pool = NULL;
}

/* By another formulation or algorithm. */
static double other(const kind *k, int n, int by_dense)
{
    chain c;
    if (open_chain(&c, k, n, by_dense)) return 0;
    double seconds = alone(evaluate, &c);
    close_chain(&c);
    return seconds;
}

/* ---- the recursive algorithm alone ---- */

typedef struct hinges {
    lm_arena arena;
    lm_kintree t;
    lm_recursive *r;
    double *p, *du, *ddu;
} hinges;

static void recurse(void *context)
{
    hinges *h = context;
    const lm_tree_load load = {.gravity = {0, -9.81, 0}};
    int massless;
    lm_recursive_move(h->r, h->p, h->du);
    must(lm_recursive_forward(h->r, &load, h->ddu, &massless));
}

static double recursive(int n)
{
    hinges h = {0};
    const double I = 1. / 12;
    const lm_m3 J = {{I / 20, 0, 0, 0, I, 0, 0, 0, I}};
    h.t.arena = &h.arena;
    lm_tree_body *body = LM_NEW_N(&h.arena, lm_tree_body, n);
    double *numbers = LM_NEW_N(&h.arena, double, 3 * (size_t)n);
    if (!body || !numbers) abort();
    h.p = numbers, h.du = h.p + n, h.ddu = h.du + n;
    for (int i = 0; i < n; i++) {
        lm_kintree_link(&h.t, LM_LINK_TURN, i - 1, v3(i ? 1 : 0, 0, 0), m3_identity(), v3(0, 0, 1));
        body[i] = (lm_tree_body){i, v3(0.5, 0, 0), m3_identity(), 1, J};
        h.p[i] = 1e-3 * noise(), h.du[i] = 0.1 * noise();
    }
    h.r = lm_recursive_new(&h.arena, &h.t, body, n);
    if (!h.r) abort();
    double seconds = alone(recurse, &h);
    lm_arena_free(&h.arena);
    return seconds;
}

/* ---- the tree alone ---- */

/* Bodies that are all alike, and whose numbers are copied. */
typedef struct tree {
    lm_arena arena;
    lm_dca *d;
    int size;
    double *a, *lam;
    double M[MOST * MOST], f[MOST], B[12 * MOST], gamma[12], G[ROWS][12], c[ROWS];
} tree;

static int give_body(void *ctx, int worker, int b, double *M, double *f, double *B, double *gamma)
{
    const tree *t = ctx;
    const size_t n = (size_t)t->size;
    (void)worker, (void)b;
    memcpy(M, t->M, sizeof *M * n * n);
    memcpy(f, t->f, sizeof *f * n);
    memcpy(B, t->B, sizeof *B * 12 * n);
    memcpy(gamma, t->gamma, sizeof t->gamma);
    return 0;
}

static int give_joint(void *ctx, int worker, int j, double (*G)[12], double *c)
{
    const tree *t = ctx;
    (void)worker, (void)j;
    memcpy(G, t->G, sizeof t->G);
    memcpy(c, t->c, sizeof t->c);
    return ROWS;
}

static void draw(tree *t)
{
    const int n = t->size;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            t->M[i + n * j] = t->M[j + n * i] = i == j ? 2 + i % 3 : 0.1 * noise();
        t->f[i] = noise();
    }
    for (int i = 0; i < 12 * n; i++) t->B[i] = 0.3 * noise() + (i / 6 % n == i % 6);
    for (int i = 0; i < 12; i++) t->gamma[i] = noise();
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < 12; i++)
            t->G[r][i] = 0.1 * noise() + (i % 6 == r ? (i < 6 ? 1 : -1) : 0);
}

static void plan(tree *t, int n, int size)
{
    int *sizes = malloc(sizeof *sizes * (size_t)n), *body = malloc(sizeof *body * 2 * (size_t)n);
    int *rows = malloc(sizeof *rows * (size_t)n), (*joint)[2] = malloc(sizeof *joint * (size_t)n);
    if (!sizes || !body || !rows || !joint || size > MOST) abort();
    *t = (tree){.size = size};
    for (int i = 0; i < n; i++) {
        sizes[i] = size, rows[i] = ROWS;
        body[2 * i] = body[2 * i + 1] = i;
        joint[i][0] = i ? 2 * i - 1 : LM_DCA_GROUND, joint[i][1] = 2 * i;
    }
    const lm_dca_topology top = {n, 2 * n, n, sizes, body, (const int(*)[2])joint, rows};
    t->d = lm_dca_new(&t->arena, &top);
    t->a = LM_NEW_N(&t->arena, double, (size_t)n *(size_t)size);
    t->lam = LM_NEW_N(&t->arena, double, (size_t)n *ROWS);
    if (!t->d || !t->a || !t->lam) abort();
    free(sizes), free(body), free(rows), free(joint);
    draw(t);
}

static void solve(void *context)
{
    tree *t = context;
    const lm_dca_numbers numbers = {t, give_body, give_joint};
    int where;
    must(lm_dca_solve(t->d, &numbers, t->a, t->lam, &where));
}

/* ---- more processors ---- */

/* Evaluating bodies is shared by p processors evenly; a tree of work W and longest way D takes
 * (W - D)/p + D (Brent's bound). `each` and `unit`: seconds per body, and per multiplication. */
static double predicted(double each, double unit, int n, int p, const tree *t)
{
    const double W = lm_dca_work(t->d), D = lm_dca_span(t->d);
    return each * ceil((double)n / p) + unit * ((W - D) / p + D);
}

static void show_model(FILE *csv, const kind *k, const timing *list)
{
    static const int p[PROCESSORS] = {1, 2, 4, 8, 16, 64};
    static tree t, one;
    const int n = list[KERNEL].n, size = list[KERNEL].size;
    plan(&t, n, size), plan(&one, 1, size);
    const double unit = alone(solve, &t) / lm_dca_work(t.d), leaf = unit * lm_dca_work(one.d);
    const double merge = unit * lm_dca_work(t.d) / n - leaf;
    const double each = list[KERNEL].one / n - leaf - merge;
    printf(
        "\nA **model**, from times of kernels at %d %s: %.2f us for the numbers of a body, %.2f us "
        "for its leaf of the tree, %.2f us for a merge.\n\n",
        n, k->name, 1e6 * each, 1e6 * leaf, 1e6 * merge);
    lm_arena_free(&t.arena), lm_arena_free(&one.arena);
    printf("%6s | %6s | %11s", "links", "levels", "work / span");
    for (int i = 0; i < PROCESSORS; i++) printf(" | %4d proc.", p[i]);
    printf("\n--: | --: | --: | --: | --: | --: | --: | --: | --:\n");
    for (int e = 4; e <= 16; e += 4) {
        plan(&t, 1 << e, size);
        printf("%6d | %6d | %11.1f", 1 << e, lm_dca_depth(t.d),
               lm_dca_work(t.d) / lm_dca_span(t.d));
        for (int i = 0; i < PROCESSORS; i++) {
            const double us = 1e6 * predicted(each, unit, 1 << e, p[i], &t);
            printf(" | %10.1f", us);
            fprintf(csv, "%s,%d,%d,%.6g\n", k->name, 1 << e, p[i], us);
        }
        printf("\n");
        lm_arena_free(&t.arena);
    }
}

/* ---- showing ---- */

static void show_number(double us)
{
    if (us > 0)
        printf(" | %10.2f", us);
    else
        printf(" | %10s", "");
}

static void show(FILE *csv, const kind *k, const bench_threads *threads, const timing *t)
{
    printf("%6d | %12.2f | %8.2f", t->n, 1e6 * t->one, 1e6 * t->one / t->n);
    bench_threads_show(threads, t->one, t->threads);
    show_number(1e6 * t->dense);
    if (k == &rods) show_number(1e6 * t->minimal), show_number(1e6 * t->recursive);
    printf("\n");
    fflush(stdout);
    fprintf(csv, "%s,%d,%d,%.6g", k->name, t->size, t->n, 1e6 * t->one);
    bench_threads_csv(csv, t->threads);
    fprintf(csv, ",%.6g,%.6g,%.6g\n", 1e6 * t->dense, 1e6 * t->minimal, 1e6 * t->recursive);
}

/* Of chains of `from` links and more. */
static double exponent(const timing *list, int n, int from)
{
    bench_growth g = {0};
    for (int k = 0; k < n; k++)
        if (list[k].n >= from) bench_growth_add(&g, list[k].n, list[k].one);
    return bench_exponent(&g);
}

/* The shortest chain from which on two threads are so much faster; 0: none. */
static int crossover(const timing *list, int n, double gain)
{
    int from = 0;
    for (int k = 0; k < n; k++)
        if (list[k].one < gain * list[k].threads[0])
            from = 0;
        else if (!from)
            from = list[k].n;
    return from;
}

static void say_from(const char *what, int from)
{
    if (from)
        printf("; %s from %d links on", what, from);
    else
        printf("; %s: not reached", what);
}

static int measure(const kind *k, int n, const pools *p, timing *t)
{
    chain c;
    *t = (timing){.n = n};
    if (open_chain(&c, k, n, 0)) return -1;
    t->size = c.sys->nv / n;
    with_threads(&c, p, t);
    close_chain(&c);
    if (n <= DENSE) t->dense = other(k, n, 1);
    if (k == &rods && n <= RECURSIVE) t->recursive = recursive(n);
    if (k == &rods && n <= MINIMAL) t->minimal = other(&angles, n, 0);
    return 0;
}

/* The number of chains measured: as long as they take no more than half of the memory. */
static int sweep(FILE *csv, const kind *k, const pools *p, timing *list)
{
    const double room = 0.5 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    int n = 0;
    printf("### Floating frames: chains of %s\n\n", k->name);
    printf("%6s | %12s | %8s", "links", "us/evaluation", "us each");
    bench_threads_head(&p->threads);
    printf(" | %10s%s\n--: | --: | --:", "dense, us",
           k == &rods ? " | minimal, us | recursive, us" : "");
    bench_threads_rule(&p->threads);
    printf(" | --:%s\n", k == &rods ? " | --: | --:" : "");
    for (; n < CHAINS && k->bytes * (1 << power[n]) < room; n++) {
        if (measure(k, 1 << power[n], p, &list[n])) break;
        show(csv, k, &p->threads, &list[n]);
    }
    printf(
        "\n%d accelerations a link. Exponent of the time by one thread: **%.3f** from 16 links on, "
        "%.3f from 1024 on",
        list[0].size, exponent(list, n, 16), exponent(list, n, 1024));
    if (p->threads.n) {
        say_from("two threads faster", crossover(list, n, 1));
        say_from("1.7 times", crossover(list, n, 1.7));
    }
    printf(".\n");
    return n;
}

static int show_chains(int argc, char **argv)
{
    static const kind *const all[] = {&splines, &modes, &rods};
    static timing list[CHAINS];
    FILE *csv = bench_csv(argc, argv, "ffr",
                          "chain,accelerations,links,one_thread_us,threads_2_us,"
                          "threads_4_us,threads_8_us,dense_us,minimal_us,recursive_us");
    FILE *model = bench_csv(argc, argv, "ffr_processors", "chain,links,processors,predicted_us");
    pools p = {.threads = bench_threads_here()};
    for (int i = 0; i < p.threads.n; i++)
        if (!(p.of[i] = lm_pool_create(p.threads.of[i]))) return 1;
    for (int i = 0; i < 3; i++) {
        if (sweep(csv, all[i], &p, list) > KERNEL) show_model(model, all[i], list);
        if (i < 2) printf("\n");
    }
    printf("\nRods without thickness (%s.yaml as it is), 1024 of them: %.2f us each.\n",
           slender.model, 1e6 * other(&slender, 1024, 0) / 1024);
    for (int i = 0; i < p.threads.n; i++) lm_pool_destroy(p.of[i]);
    fclose(csv), fclose(model);
    return 0;
}

/* ---- one model ---- */

static int run_once(const limber_model *model, bench_best *run, bench_best *one, long counts[2])
{
    bench_run b;
    double start = bench_cpu();
    if (bench_open(&b, model, 0)) return -1;
    int bad = bench_advance(&b, model->m.spec->analyses.at[0].until);
    bench_best_add(run, bench_cpu() - start);
    const lm_integrator *g = b.d.g;
    lm_system *sys = b.run.sys;
    counts[0] = sys->nv, counts[1] = g->stats.steps;
    if (sys->form->accelerations && !bad) {
        chain c = {.sys = sys, .q = g->q, .v = g->v};
        c.a = calloc((size_t)(sys->nv + sys->nl), sizeof *c.a), c.lam = c.a + sys->nv;
        bench_best_add(one, alone(evaluate, &c));
        free(c.a);
    }
    bench_close(&b);
    return bad;
}

static int show_one(const char *path, const char *const *set, size_t sets)
{
    limber_messages *msg = limber_messages_new();
    limber_load_options options = {.set = set, .set_count = (int)sets};
    limber_model *model = NULL;
    bench_best run = {.most = 10}, one = {.most = 10};
    long counts[2];
    int bad = limber_model_load(path, &options, &model, msg) != LIMBER_OK;
    if (bad) limber_messages_print(msg, stderr);
    for (int k = 0; k < 3 && !bad; k++) bad = run_once(model, &run, &one, counts);
    if (!bad) printf("%ld %.6g %.6g %ld\n", counts[0], 1e6 * one.seconds, run.seconds, counts[1]);
    limber_model_free(model);
    limber_messages_free(msg);
    return bad;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--model") == 0)
        return show_one(argv[2], (const char *const *)argv + 3, (size_t)argc - 3);
    return show_chains(argc, argv);
}
