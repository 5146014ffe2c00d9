/* The divide and conquer tree: time of one evaluation of the accelerations of a chain of N bodies with
 * revolute joints (5 rows), held at one end, against N: rigid bodies (6 accelerations) and flexible ones
 * (22), by one thread and by several, and by the equations of all bodies and joints solved at once. Numbers
 * of bodies and joints are copied: what is timed is the tree. */
#include "form/dca.h"
#include "base/pool.h"
#include "bench.h"

#include <lapacke.h>

enum { POWERS = 17, ROWS = 5, KINDS = 16, LARGEST = 22, DENSE = 6 };

/* The numbers of a few bodies and joints, which the chain repeats. */
typedef struct sample {
    double M[LARGEST * LARGEST], f[LARGEST], B[2 * 6 * LARGEST], gamma[12], G[ROWS][12], c[ROWS];
} sample;

typedef struct chain {
    lm_arena arena;
    int n, size;
    lm_dca *d;
    double *a, *lam;
    const sample *samples;
} chain;

typedef struct timing {
    double make, one, dense;       /* seconds of processor time */
    double wall;                   /* by the clock on the wall: one thread */
    double threads[BENCH_THREADS]; /* several */
    double bytes, parallel;        /* memory; work / span */
    int levels;
} timing;

/* ---- the chain ---- */

static uint64_t seed = 1;

static double noise(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / (double)(1ULL << 53) - 0.5;
}

static void draw(sample *s, int size)
{
    for (int i = 0; i < size; i++) {
        for (int j = 0; j <= i; j++)
            s->M[i + size * j] = s->M[j + size * i] = i == j ? 2 + i % 3 : 0.1 * noise();
        s->f[i] = noise();
    }
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 6 * size; i++)
            s->B[6 * size * h + i] = 0.3 * noise() + (i / 6 == i % 6);
    for (int i = 0; i < 12; i++) s->gamma[i] = noise();
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < 12; i++)
            s->G[r][i] = 0.1 * noise() + (i % 6 == r ? (i < 6 ? 1 : -1) : 0);
        s->c[r] = noise();
    }
}

static int give_body(void *ctx, int worker, int b, double *M, double *f, double *B, double *gamma)
{
    const chain *c = ctx;
    const sample *s = &c->samples[b % KINDS];
    const size_t n = (size_t)c->size;
    (void)worker;
    memcpy(M, s->M, sizeof *M * n * n);
    memcpy(f, s->f, sizeof *f * n);
    memcpy(B, s->B, sizeof *B * 12 * n);
    memcpy(gamma, s->gamma, sizeof s->gamma);
    return 0;
}

static int give_joint(void *ctx, int worker, int j, double (*G)[12], double *c)
{
    const sample *s = &((const chain *)ctx)->samples[j % KINDS];
    (void)worker;
    memcpy(G, s->G, sizeof s->G);
    memcpy(c, s->c, sizeof s->c);
    return ROWS;
}

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Body i has handles 2 i and 2 i + 1; joint i is at its first one. */
static int open_chain(chain *c, int n, int size, const sample *samples, timing *t)
{
    *c = (chain){.n = n, .size = size, .samples = samples};
    int *sizes = malloc(sizeof *sizes * (size_t)n), *body = malloc(sizeof *body * 2 * (size_t)n);
    int *rows = malloc(sizeof *rows * (size_t)n), (*joint)[2] = malloc(sizeof *joint * (size_t)n);
    if (!sizes || !body || !rows || !joint) abort();
    for (int i = 0; i < n; i++) {
        sizes[i] = size, rows[i] = ROWS;
        body[2 * i] = body[2 * i + 1] = i;
        joint[i][0] = i ? 2 * i - 1 : LM_DCA_GROUND, joint[i][1] = 2 * i;
    }
    const lm_dca_topology top = {n, 2 * n, n, sizes, body, (const int(*)[2])joint, rows};
    const double start = bench_cpu();
    c->d = lm_dca_new(&c->arena, &top);
    t->make = bench_cpu() - start;
    t->bytes = (double)c->arena.used;
    c->a = LM_NEW_N(&c->arena, double, (size_t)n *(size_t)size);
    c->lam = LM_NEW_N(&c->arena, double, (size_t)n *ROWS);
    free(sizes), free(body), free(rows), free(joint);
    return c->d && c->a && c->lam ? 0 : -1;
}

static void evaluate(chain *c)
{
    const lm_dca_numbers numbers = {c, give_body, give_joint};
    int where;
    if (lm_dca_solve(c->d, &numbers, c->a, c->lam, &where)) {
        fprintf(stderr, "singular at %d\n", where);
        exit(1);
    }
}

/* ---- all at once ---- */

/* Lower triangle. Side 0 of joint j is the second handle of body j - 1, side 1 the first of body j. */
static void fill_joint(const chain *c, int j, double *K, double *r, int n)
{
    const sample *s = &c->samples[j % KINDS];
    const int first = c->n * c->size + ROWS * j;
    for (int k = 0; k < ROWS; k++) {
        const int row = first + k;
        r[row] = s->c[k];
        for (int side = 0; side < 2; side++) {
            const int b = j - 1 + side, h = !side;
            if (b < 0) continue;
            const sample *o = &c->samples[b % KINDS];
            const double *G = s->G[k] + 6 * side, *B = o->B + 6 * c->size * h;
            for (int i = 0; i < 6; i++) r[row] -= G[i] * o->gamma[6 * h + i];
            for (int m = 0; m < c->size; m++)
                for (int i = 0; i < 6; i++) K[row + n * (c->size * b + m)] += G[i] * B[6 * m + i];
        }
    }
}

static void fill(const chain *c, double *K, double *r, int n)
{
    memset(K, 0, sizeof *K * (size_t)n * (size_t)n);
    for (int b = 0; b < c->n; b++) {
        const sample *s = &c->samples[b % KINDS];
        const int o = c->size * b;
        memcpy(r + o, s->f, sizeof *r * (size_t)c->size);
        for (int j = 0; j < c->size; j++)
            for (int i = j; i < c->size; i++) K[o + i + n * (o + j)] = s->M[i + c->size * j];
    }
    for (int j = 0; j < c->n; j++) fill_joint(c, j, K, r, n);
}

/* Seconds, filling the matrix included; compares the accelerations with those of the tree. */
static double dense(const chain *c)
{
    const int n = c->n * (c->size + ROWS);
    bench_best best = {.most = 3};
    double *K = malloc(sizeof *K * (size_t)n * (size_t)n), *r = malloc(sizeof *r * (size_t)n);
    lapack_int *pivots = malloc(sizeof *pivots * (size_t)n);
    if (!K || !r || !pivots) abort();
    do {
        const double start = bench_cpu();
        fill(c, K, r, n);
        if (LAPACKE_dsysv(LAPACK_COL_MAJOR, 'L', n, 1, K, n, pivots, r, n)) abort();
        bench_best_add(&best, bench_cpu() - start);
    } while (!bench_best_done(&best));
    const double off = bench_difference(c->a, r, c->n * c->size, 1, 1);
    if (!(off < 1e-9)) fprintf(stderr, "N = %d: the tree is off by %g\n", c->n, off);
    free(K), free(r), free(pivots);
    return best.seconds;
}

/* ---- measuring ---- */

/* The shortest of some series of calls, 20 ms each and one call at least. */
static double time_of(chain *c, double (*clock)(void))
{
    double best = 0;
    evaluate(c);
    for (int series = 0; series < 8; series++) {
        const double start = clock();
        double spent;
        int calls = 0;
        do {
            evaluate(c);
            calls++;
            spent = clock() - start;
        } while (spent < 0.02);
        if (series == 0 || spent / calls < best) best = spent / calls;
    }
    return best;
}

static void with_threads(chain *c, lm_pool *const *pool, const bench_threads *n, timing *t)
{
    for (int k = 0; k < n->n; k++) {
        if (lm_dca_use_pool(c->d, pool[k])) exit(1);
        t->threads[k] = time_of(c, wall);
    }
    lm_dca_use_pool(c->d, NULL);
    if (n->n) t->wall = time_of(c, wall);
}

static timing measure(int n, int size, const sample *samples, lm_pool *const *pool,
                      const bench_threads *threads, int with_dense)
{
    timing t = {0};
    chain c;
    if (open_chain(&c, n, size, samples, &t)) {
        fprintf(stderr, "no memory for %d bodies\n", n);
        exit(1);
    }
    t.levels = lm_dca_depth(c.d);
    t.parallel = lm_dca_work(c.d) / lm_dca_span(c.d);
    t.one = time_of(&c, bench_cpu);
    if (with_dense) t.dense = dense(&c);
    with_threads(&c, pool, threads, &t);
    lm_arena_free(&c.arena);
    return t;
}

/* ---- showing ---- */

static void show(FILE *csv, int n, int size, const bench_threads *threads, const timing *t,
                 const timing *before)
{
    char exponent[20] = "", all[20] = "";
    if (before) snprintf(exponent, sizeof exponent, "%.2f", log2(t->one / before->one));
    if (t->dense > 0) snprintf(all, sizeof all, "%.1f", 1e6 * t->dense);
    printf("%6d | %13.2f | %7.0f | %8s", n, 1e6 * t->one, 1e9 * t->one / n, exponent);
    bench_threads_show(threads, t->wall, t->threads);
    printf(" | %11s | %6d | %11.1f | %9.0f\n", all, t->levels, t->parallel, t->bytes / n);
    fflush(stdout);
    fprintf(csv, "%d,%d,%.6g,%.6g", size, n, 1e6 * t->one, 1e6 * t->wall);
    bench_threads_csv(csv, t->threads);
    fprintf(csv, ",%.6g,%d,%.6g,%.6g,%.6g\n", 1e6 * t->dense, t->levels, t->parallel, t->bytes / n,
            1e3 * t->make);
}

static void sweep(FILE *csv, int size, lm_pool *const *pool, const bench_threads *threads)
{
    static sample samples[KINDS];
    timing t = {0}, before = {0};
    for (int k = 0; k < KINDS; k++) draw(&samples[k], size);
    printf("### Divide and conquer: chains of bodies with %d accelerations\n\n", size);
    printf("%6s | %13s | %7s | %8s", "bodies", "us/evaluation", "ns each", "exponent");
    bench_threads_head(threads);
    printf(" | %11s | %6s | %11s | %9s\n", "at once, us", "levels", "work / span", "bytes each");
    printf("--: | --: | --: | --:");
    bench_threads_rule(threads);
    printf(" | --: | --: | --: | --:\n");
    for (int k = 0; k <= POWERS; k++, before = t) {
        t = measure(1 << k, size, samples, pool, threads, k <= DENSE);
        show(csv, 1 << k, size, threads, &t, k ? &before : NULL);
    }
}

int main(int argc, char **argv)
{
    FILE *csv = bench_csv(argc, argv, "dca",
                          "accelerations,bodies,one_thread_us,one_thread_wall_us,threads_2_us,"
                          "threads_4_us,threads_8_us,"
                          "dense_us,levels,work_over_span,bytes_each,plan_ms");
    const bench_threads threads = bench_threads_here();
    lm_pool *pool[BENCH_THREADS] = {0};
    for (int k = 0; k < threads.n; k++)
        if (!(pool[k] = lm_pool_create(threads.of[k]))) return 1;
    sweep(csv, 6, pool, &threads);
    printf("\n");
    sweep(csv, LARGEST, pool, &threads);
    for (int k = 0; k < threads.n; k++) lm_pool_destroy(pool[k]);
    fclose(csv);
    return 0;
}
