/* Divide and conquer: chains, trees, loops, hubs against the equations of all bodies and joints solved at
 * once; depth and work of the tree; what it must refuse; the same bits with threads; memory. */
#include "form/dca.h"

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BODIES = 40000, JOINTS = 40010, HANDLES = 80010 };

/* A system while it is put together, and its numbers. */
typedef struct setup {
    lm_arena arena;
    lm_dca_topology t;
    int size[BODIES], handle_body[HANDLES], joint[JOINTS][2], most[JOINTS], rows[JOINTS];
    int joint_body[JOINTS][2], joint_place[JOINTS][2]; /* place: which handle of the body */
    int handles[BODIES];
    int massless, unknown; /* bodies, -1: none */
    double *M[BODIES], *f[BODIES], *B[BODIES], *gamma[BODIES], *G[JOINTS], *c[JOINTS];
} setup;

static setup *s; /* too large for the stack */
static uint64_t seed;

static double noise(void) /* -1 .. 1 */
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / (double)(1ULL << 52) - 1;
}

static int pick(int n) { return (int)((noise() + 1) / 2 * n) % n; }

/* ---- putting a system together ---- */

static void begin(uint64_t k)
{
    lm_arena_free(&s->arena);
    memset(&s->t, 0, sizeof s->t);
    memset(s->handles, 0, sizeof s->handles);
    s->massless = s->unknown = -1;
    seed = k + 1;
}

static int body(int size)
{
    assert_true(s->t.nbodies < BODIES);
    s->size[s->t.nbodies] = size;
    return s->t.nbodies++;
}

enum { NEW = -1, GROUND = -1 };

/* A joint between handles of two bodies; place NEW: a handle of its own. */
static int joint_at(int a, int place_a, int b, int place_b, int rows)
{
    const int j = s->t.njoints++, bodies[2] = {a, b}, places[2] = {place_a, place_b};
    assert_true(j < JOINTS);
    for (int k = 0; k < 2; k++) {
        s->joint_body[j][k] = bodies[k];
        if (bodies[k] == GROUND) continue;
        s->joint_place[j][k] = places[k] == NEW ? s->handles[bodies[k]] : places[k];
        if (s->joint_place[j][k] >= s->handles[bodies[k]])
            s->handles[bodies[k]] = s->joint_place[j][k] + 1;
    }
    s->most[j] = s->rows[j] = rows;
    return j;
}

static int joint(int a, int b, int rows) { return joint_at(a, NEW, b, NEW, rows); }

static double *numbers(int n)
{
    double *p = LM_NEW_N(&s->arena, double, n + 1);
    assert_non_null(p);
    for (int i = 0; i < n; i++) p[i] = noise();
    return p;
}

/* Symmetric, eigenvalues about 1 to n. */
static double *mass(int n)
{
    double *A = numbers(n * n), *M = numbers(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double x = i == j ? 1 : 0;
            for (int k = 0; k < n; k++) x += A[i + n * k] * A[j + n * k];
            M[i + n * j] = x;
        }
    return M;
}

/* Handles that move with the body, roughly, and with its shapes. */
static double *handles_of(int n, int handles)
{
    double *B = numbers(6 * n * handles);
    for (int k = 0; k < n * handles; k++)
        for (int i = 0; i < 6; i++) B[6 * k + i] = 0.3 * B[6 * k + i] + (k % n == i);
    return B;
}

/* The motion of one handle less that of the other, roughly, from some direction on. With numbers that are
 * all random the equations are often singular to 1e-8, and no two ways to solve them agree to 1e-10. */
static double *rows_of(int rows)
{
    double *G = numbers(12 * rows);
    const int first = pick(6);
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < 12; i++)
            G[12 * k + i] = 0.2 * G[12 * k + i] + ((first + k) % 6 == i % 6 ? (i < 6 ? 1 : -1) : 0);
    return G;
}

static void random_numbers(void)
{
    for (int b = 0; b < s->t.nbodies; b++) {
        const int n = s->size[b], h = s->handles[b];
        s->M[b] = mass(n);
        if (b == s->massless)
            for (int i = 0; i < n; i++) s->M[b][i + n * (n - 1)] = s->M[b][n - 1 + n * i] = 0;
        s->f[b] = numbers(n);
        s->B[b] = handles_of(n, h);
        s->gamma[b] = numbers(6 * h);
    }
    for (int j = 0; j < s->t.njoints; j++) {
        s->G[j] = rows_of(s->most[j]);
        s->c[j] = numbers(s->most[j]);
    }
}

static int handle_of(const int *first, int j, int side)
{
    const int b = s->joint_body[j][side];
    return b == GROUND ? LM_DCA_GROUND : first[b] + s->joint_place[j][side];
}

/* The tree; numbers are drawn. */
static lm_dca *finish(void)
{
    int *first = LM_NEW_N(&s->arena, int, s->t.nbodies + 1), n = 0;
    for (int b = 0; b < s->t.nbodies; b++) {
        first[b] = n;
        for (int k = 0; k < s->handles[b]; k++) s->handle_body[n++] = b;
    }
    for (int j = 0; j < s->t.njoints; j++)
        for (int side = 0; side < 2; side++) s->joint[j][side] = handle_of(first, j, side);
    s->t.nhandles = n;
    s->t.size = s->size;
    s->t.handle_body = s->handle_body;
    s->t.joint = (const int(*)[2])s->joint;
    s->t.most_rows = s->most;
    random_numbers();
    return lm_dca_new(&s->arena, &s->t);
}

static int give_body(void *ctx, int worker, int b, double *M, double *f, double *B, double *gamma)
{
    const size_t n = (size_t)s->size[b], h = (size_t)s->handles[b], d = sizeof(double);
    (void)ctx, (void)worker;
    memcpy(M, s->M[b], d * n * n);
    memcpy(f, s->f[b], d * n);
    memcpy(B, s->B[b], d * 6 * n * h);
    memcpy(gamma, s->gamma[b], d * 6 * h);
    return b == s->unknown;
}

static int give_joint(void *ctx, int worker, int j, double (*G)[12], double *c)
{
    const size_t rows = (size_t)s->rows[j];
    (void)ctx, (void)worker;
    memcpy(G, s->G[j], sizeof(double) * 12 * rows);
    memcpy(c, s->c[j], sizeof(double) * rows);
    return s->rows[j];
}

static const lm_dca_numbers given = {NULL, give_body, give_joint};

/* ---- all at once: [M C^T; C 0] [a; lam] = [f; c - G gamma], C = G B ---- */

typedef struct solution {
    int na, nl; /* multipliers of all rows that joints may have */
    double *a, *lam;
} solution;

static solution room(void)
{
    solution x = {0};
    for (int b = 0; b < s->t.nbodies; b++) x.na += s->size[b];
    for (int j = 0; j < s->t.njoints; j++) x.nl += s->most[j];
    x.a = numbers(x.na), x.lam = numbers(x.nl);
    return x;
}

static void dense_bodies(double *K, double *r, int n, int *at)
{
    for (int b = 0, o = 0; b < s->t.nbodies; o += s->size[b++]) {
        const int m = s->size[b];
        at[b] = o;
        for (int i = 0; i < m; i++) {
            r[o + i] = s->f[b][i];
            for (int k = 0; k < m; k++) K[o + i + n * (o + k)] = s->M[b][i + m * k];
        }
    }
}

static void dense_row(double *K, double *r, int n, const int *at, int j, int k, int row)
{
    r[row] = s->c[j][k];
    for (int side = 0; side < 2; side++) {
        const int b = s->joint_body[j][side];
        if (b == GROUND) continue;
        const int m = s->size[b], h = s->joint_place[j][side];
        const double *G = s->G[j] + 12 * k + 6 * side;
        for (int i = 0; i < 6; i++) r[row] -= G[i] * s->gamma[b][6 * h + i];
        for (int c = 0; c < m; c++) {
            double x = 0;
            for (int i = 0; i < 6; i++) x += G[i] * s->B[b][6 * m * h + 6 * c + i];
            K[row + n * (at[b] + c)] += x;
            K[at[b] + c + n * row] += x;
        }
    }
}

static solution dense(void)
{
    solution x = room();
    int *at = calloc((size_t)s->t.nbodies + 1, sizeof *at), n = x.na, row = x.na;
    for (int j = 0; j < s->t.njoints; j++) n += s->rows[j];
    double *K = calloc((size_t)n * (size_t)n + 1, sizeof *K), *r = calloc((size_t)n + 1, sizeof *r);
    lapack_int *pivots = calloc((size_t)n + 1, sizeof *pivots);
    assert_true(at && K && r && pivots);
    dense_bodies(K, r, n, at);
    for (int j = 0; j < s->t.njoints; j++)
        for (int k = 0; k < s->rows[j]; k++) dense_row(K, r, n, at, j, k, row++);
    if (n) assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 1, K, n, pivots, r, n), 0);
    memcpy(x.a, r, sizeof(double) * (size_t)x.na);
    memset(x.lam, 0, sizeof(double) * (size_t)x.nl);
    for (int j = 0, o = 0, from = x.na; j < s->t.njoints; o += s->most[j++])
        for (int k = 0; k < s->rows[j]; k++) x.lam[o + k] = r[from++];
    free(at), free(K), free(r), free(pivots);
    return x;
}

/* ---- comparing ---- */

static double difference(int n, const double *a, const double *b)
{
    double off = 0, size = 0;
    for (int i = 0; i < n; i++) {
        off = fmax(off, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
        if (isnan(a[i])) return NAN;
    }
    return off / fmax(size, 1e-300);
}

static double worst;

static void compare(lm_dca *d)
{
    solution got = room(), right = dense();
    int where = -1;
    const long before = lm_mem_allocs();
    assert_int_equal(lm_dca_solve(d, &given, got.a, got.lam, &where), 0);
    assert_int_equal(lm_mem_allocs(), before);
    const double off =
        fmax(difference(got.na, got.a, right.a), difference(got.nl, got.lam, right.lam));
    if (!(off < 1e-10)) fail_msg("relative error %g", off);
    worst = fmax(worst, off);
}

static void check(void)
{
    lm_dca *d = finish();
    assert_non_null(d);
    compare(d);
    random_numbers();
    compare(d);
}

/* ---- systems ---- */

/* Bodies one behind the other; joints of 5 rows. */
static int chain(int n, int size, int size_change)
{
    int first = s->t.nbodies;
    for (int i = 0; i < n; i++) {
        int b = body(size + (size_change ? pick(size_change) : 0));
        if (i) joint(b - 1, b, 5);
    }
    return first;
}

/* Each body hangs on one of those before it (of the last `reach`). */
static void tree(int n, int size, int size_change, int reach)
{
    int first = s->t.nbodies;
    for (int i = 0; i < n; i++) {
        int b = body(size + (size_change ? pick(size_change) : 0));
        if (i) joint(first + i - 1 - pick(i < reach ? i : reach), b, 1 + pick(5));
    }
}

static void test_nothing(void **state)
{
    (void)state;
    begin(1);
    check(); /* no bodies at all */
    begin(2);
    body(6);
    check();
    begin(3);
    body(17), body(6), body(1);
    check();
    begin(4); /* joints without rows, and from the ground to the ground */
    body(6), body(22);
    joint(0, 1, 0);
    joint(GROUND, GROUND, 0);
    check();
}

static void test_chains(void **state)
{
    (void)state;
    const int lengths[] = {1, 2, 3, 4, 5, 7, 16, 33, 60};
    for (int size = 6; size <= 30; size += 8)
        for (int k = 0; k < 9; k++)
            for (int held = 0; held < 4; held++) { /* free, one end, the other, both */
                const int n = lengths[k];
                if (n * size > 500) continue;
                begin((uint64_t)(100 * size + 10 * k + held));
                chain(n, size, 0);
                if (held & 1) joint(GROUND, 0, 3);
                if (held & 2) joint(n - 1, GROUND, size == 6 && n == 1 ? 2 : 3);
                check();
            }
}

static void test_sizes(void **state)
{
    (void)state;
    for (int k = 0; k < 30; k++) {
        begin((uint64_t)(1000 + k));
        chain(8, 1 + k, 0); /* with 5 rows to a body of fewer accelerations there is no solution */
        for (int j = 0; j < s->t.njoints; j++) s->most[j] = s->rows[j] = k < 5 ? 1 : 5;
        joint(GROUND, 3, 1);
        check();
        begin((uint64_t)(1100 + k));
        chain(12, 6, 25);
        joint(0, GROUND, 5);
        check();
    }
}

static void test_trees(void **state)
{
    (void)state;
    for (int k = 0; k < 60; k++) {
        begin((uint64_t)(2000 + k));
        tree(3 + pick(30), 6, k % 2 ? 15 : 0, k % 3 ? 5 : 1000);
        if (k % 5) joint(GROUND, pick(s->t.nbodies), 5);
        check();
    }
    for (int k = 0; k < 3; k++) {
        begin((uint64_t)(2100 + k));
        tree(200, 6, 0, k ? 5 : 200);
        joint(0, GROUND, 5);
        check();
    }
}

/* Rows of a few joints fewer, so that loops can be closed. */
static void test_loops(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) { /* rings */
        begin((uint64_t)(3000 + k));
        const int n = 2 + k;
        chain(n, 6, k % 2 ? 10 : 0);
        for (int j = 0; j < s->t.njoints; j++) s->most[j] = s->rows[j] = 4;
        joint(n - 1, 0, 3);
        if (k % 3 == 0) joint(GROUND, 0, 3);
        check();
    }
    for (int k = 0; k < 60; k++) { /* trees with joints across, also two between the same bodies */
        begin((uint64_t)(3100 + k));
        const int n = 5 + pick(40);
        tree(n, 8, k % 2 ? 10 : 0, k % 3 ? 4 : 1000);
        for (int i = 0; i < n / 3; i++) {
            const int a = pick(n), b = pick(n);
            joint(a, i % 4 == 3 ? GROUND : b, 1 + (i % 5 == 0));
        }
        check();
    }
}

/* Every body with its neighbours in two directions: many outer handles. */
static void test_net(void **state)
{
    (void)state;
    enum { N = 7 };
    begin(3500);
    for (int i = 0; i < N * N; i++) {
        int b = body(7);
        if (i % N) joint(b - 1, b, 2);
        if (i >= N) joint(b - N, b, 3);
    }
    check();
}

static void test_hubs(void **state)
{
    (void)state;
    for (int k = 1; k < 40; k += 3)
        for (int size = 6; size <= 30; size += 12) {
            begin((uint64_t)(4000 + k));
            int hub = body(size);
            for (int i = 0; i < k; i++) joint(hub, chain(1 + pick(4), 6, 6), 5);
            if (k % 2) joint(GROUND, hub, 3);
            check();
        }
}

/* Several joints on a handle: with several bodies, with the ground, with the same body. */
static void test_shared_handles(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        begin((uint64_t)(5000 + k));
        const int n = 4 + pick(20);
        for (int i = 0; i < n; i++) {
            int b = body(k % 2 ? 6 : 14 + pick(8));
            if (i) joint_at(pick(i), pick(2), b, pick(2), 1 + pick(3));
        }
        joint_at(pick(n), 0, GROUND, NEW, 1);
        joint_at(0, 0, n - 1, 0, 1);
        joint_at(0, 0, n - 1, 1, 1);
        joint_at(1, 0, 1, 1, 1); /* a loop within one body */
        check();
    }
}

static void test_welds(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        begin((uint64_t)(6000 + k));
        tree(3 + k, 6, k % 2 ? 20 : 0, 3);
        for (int j = 0; j < s->t.njoints; j++) s->most[j] = s->rows[j] = 6;
        check();
    }
}

static void test_rows_change(void **state)
{
    (void)state;
    begin(7000);
    tree(30, 6, 12, 6);
    joint(0, GROUND, 6);
    joint(3, 20, 2);
    for (int j = 0; j < s->t.njoints; j++) s->most[j] = s->rows[j] = 6;
    s->most[s->t.njoints - 1] = s->rows[s->t.njoints - 1] = 2;
    lm_dca *d = finish();
    assert_non_null(d);
    for (int k = 0; k < 30; k++) {
        for (int j = 0; j < s->t.njoints; j++) {
            const int least = k == 7 ? 0 : s->most[j] - 2; /* once none at all */
            s->rows[j] = k == 7 ? 0 : least + pick(2 + (j > 0 && j < s->t.njoints - 1));
        }
        compare(d);
    }
}

static void test_components(void **state)
{
    (void)state;
    for (int k = 0; k < 10; k++) {
        begin((uint64_t)(8000 + k));
        for (int i = 0; i < 4; i++) {
            const int first = chain(1 + pick(9), 6, 10);
            if (pick(2)) joint(GROUND, first, 4);
            tree(1 + pick(9), 6, 0, 3);
        }
        check();
    }
}

/* A body whose motion is given takes part by gamma alone. */
static void test_no_accelerations(void **state)
{
    (void)state;
    begin(8100);
    chain(5, 6, 0);
    s->size[2] = 0;
    joint(4, GROUND, 1);
    check();
}

/* Inner bodies light, outer ones heavy: what is lost in Z - W W^T stays in proportion to their ratio. */
static void test_mass_ratio(void **state)
{
    (void)state;
    begin(8200);
    chain(9, 6, 0);
    joint(0, GROUND, 5);
    lm_dca *d = finish();
    for (int b = 0; b < 9; b++)
        for (int i = 0; i < 36; i++) s->M[b][i] *= b % 2 ? 1e-3 : 1;
    compare(d);
}

/* ---- large systems: what the equations leave over ---- */

/* Row k of joint j at the handles of body b: adds G A to *sum, and G B lam to what the body feels. */
static void row_residual(int j, int k, const int *at, const solution *x, double lam, double *sum,
                         double *felt)
{
    for (int side = 0; side < 2; side++) {
        const int b = s->joint_body[j][side];
        if (b == GROUND) continue;
        const int m = s->size[b], h = s->joint_place[j][side];
        const double *G = s->G[j] + 12 * k + 6 * side;
        for (int i = 0; i < 6; i++) {
            *sum += G[i] * s->gamma[b][6 * h + i];
            for (int c = 0; c < m; c++) {
                const double B = s->B[b][6 * m * h + 6 * c + i];
                *sum += G[i] * B * x->a[at[b] + c];
                felt[at[b] + c] += G[i] * B * lam;
            }
        }
    }
}

/* The largest of M a + C^T lam - f and of C a + G gamma - c; all numbers are about 1. */
static double residual(const solution *x)
{
    int *at = LM_NEW_N(&s->arena, int, s->t.nbodies + 1);
    double *felt = LM_NEW_N(&s->arena, double, x->na + 1), most = 0;
    for (int b = 0; b < s->t.nbodies; b++) at[b + 1] = at[b] + s->size[b];
    for (int j = 0, o = 0; j < s->t.njoints; o += s->most[j++])
        for (int k = 0; k < s->rows[j]; k++) {
            double sum = -s->c[j][k];
            row_residual(j, k, at, x, x->lam[o + k], &sum, felt);
            most = fmax(most, fabs(sum));
        }
    for (int b = 0; b < s->t.nbodies; b++)
        for (int i = 0; i < s->size[b]; i++) {
            double sum = felt[at[b] + i] - s->f[b][i];
            for (int k = 0; k < s->size[b]; k++)
                sum += s->M[b][i + s->size[b] * k] * x->a[at[b] + k];
            most = fmax(most, fabs(sum));
        }
    return most;
}

static void test_large(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        begin((uint64_t)(8300 + kind));
        if (kind < 2) chain(20000, 6, 0), joint(GROUND, 0, 5);
        if (kind == 1) joint(GROUND, 19999, 5);
        if (kind == 2) tree(20000, 6, 0, 1 << 20);
        lm_dca *d = finish();
        solution x = room();
        int where;
        assert_non_null(d);
        assert_int_equal(lm_dca_solve(d, &given, x.a, x.lam, &where), 0);
        double size = 0;
        for (int i = 0; i < x.nl; i++) size = fmax(size, fabs(x.lam[i]));
        print_message("20000 bodies, kind %d: residual %.2g, multipliers up to %.3g\n", kind,
                      residual(&x), size);
        assert_true(residual(&x) < 1e-11 * fmax(1, size));
    }
}

/* ---- the shape of the tree ---- */

static double log_2(int n) { return log(n) / log(2); }

static void test_depth_of_chains(void **state)
{
    (void)state;
    for (int k = 0; k <= 15; k++)
        for (int held = 0; held < 2; held++) {
            begin(9000);
            chain(1 << k, 6, 0);
            if (held) joint(GROUND, 0, 5);
            lm_dca *d = finish();
            assert_non_null(d);
            /* one level for the leaves, one for the joint with the ground; ends that are cheaper or
             * dearer than the rest may cost one more */
            if (lm_dca_depth(d) > k + 1 + 2 * held) fail_msg("2^%d: %d levels", k, lm_dca_depth(d));
            assert_true(lm_dca_span(d) <= lm_dca_work(d) * (1 + 1e-12));
        }
}

/* A chain whose bodies are numbered at random. */
static void test_depth_shuffled(void **state)
{
    (void)state;
    enum { N = 4096 };
    static int order[N];
    begin(9100);
    for (int i = 0; i < N; i++) order[i] = body(6);
    for (int i = N - 1; i > 0; i--) {
        int j = pick(i + 1), t = order[i];
        order[i] = order[j], order[j] = t;
    }
    for (int i = 1; i < N; i++) joint(order[i - 1], order[i], 5);
    lm_dca *d = finish();
    assert_int_equal(lm_dca_depth(d), 13);
}

static void test_depth_of_trees(void **state)
{
    (void)state;
    const int reach[] = {2, 5, 50, 1 << 20};
    for (int n = 100; n <= 30000; n *= 7)
        for (int r = 0; r < 4; r++) {
            begin((uint64_t)(9200 + r));
            tree(n, 6, 0, reach[r]);
            lm_dca *d = finish();
            print_message("tree of %d, reach %d: %d levels, %.2f log2 n\n", n, reach[r],
                          lm_dca_depth(d), lm_dca_depth(d) / log_2(n));
            assert_true(lm_dca_depth(d) <= 2.5 * log_2(n));
        }
}

static double work_of(int kind, int n)
{
    begin((uint64_t)(9300 + kind));
    if (kind == 0) chain(n, 6, 0);
    if (kind == 1) chain(n, 22, 0);
    if (kind == 2) tree(n, 6, 0, 1 << 20);
    if (kind == 3) {
        body(6);
        for (int i = 1; i < n; i++) joint(0, body(6), 5);
    }
    for (int j = 0; j < s->t.njoints; j++) s->most[j] = s->rows[j] = 5;
    return lm_dca_work(finish());
}

static void test_work_is_linear(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const double less = work_of(kind, 1000), more = work_of(kind, 8000);
        print_message("kind %d: %.0f multiplications a body\n", kind, more / 8000);
        assert_true(fabs(more / less - 8) < 0.08);
    }
}

/* ---- what it must refuse ---- */

static void refused(int where)
{
    lm_dca *d = finish();
    solution x = room();
    int at = -1;
    assert_non_null(d);
    assert_int_equal(lm_dca_solve(d, &given, x.a, x.lam, &at), 1);
    if (where >= 0) assert_int_equal(at, where);
}

static void test_singular(void **state)
{
    (void)state;
    for (int n = 1; n < 200; n = 2 * n + 1) {
        begin((uint64_t)(10000 + n)); /* a body without mass in one direction */
        chain(n, 6, 10);
        s->massless = n / 2;
        refused(n / 2);
        begin((uint64_t)(10200 + n)); /* numbers that are not to be had */
        chain(n, 6, 10);
        s->unknown = n / 2;
        refused(n / 2);
        begin(
            (uint64_t)(10300 + n)); /* more rows than accelerations, in a chain held at both ends */
        chain(n, 6, 0);
        joint(GROUND, 0, 6);
        const int last = joint(GROUND, n - 1, n + 1);
        refused(n == 1 ? s->t.nbodies + last : -1);
    }
}

/* A row twice, on handles that others hold too. */
static void test_row_twice(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        begin((uint64_t)(10500 + k));
        const int n = 3 + k;
        chain(n, 6 + k % 2 * 12, 0);
        joint_at(n - 1, 0, GROUND, NEW, 1);
        const int a = joint_at(0, 0, n - 1, 0, 1), b = joint_at(0, 0, n - 1, 0, 1);
        lm_dca *d = finish();
        solution x = room();
        int where = -1;
        memcpy(s->G[b], s->G[a], sizeof(double) * 12);
        assert_int_equal(lm_dca_solve(d, &given, x.a, x.lam, &where), 1);
        assert_true(where >= s->t.nbodies && where < s->t.nbodies + s->t.njoints);
        s->rows[b] = 0;
        compare(d);
    }
}

/* ---- threads and memory ---- */

static void test_threads(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        begin((uint64_t)(11000 + kind));
        if (kind == 0) chain(3000, 6, 0), joint(GROUND, 0, 5);
        if (kind == 1) tree(3000, 6, 20, 1 << 20);
        if (kind == 2)
            for (int i = 0; i < 3000; i++) chain(1 + pick(3), 6, 0);
        lm_dca *d = finish();
        solution one = room(), many = room();
        int where = -1, bad = -1;
        assert_int_equal(lm_dca_solve(d, &given, one.a, one.lam, &where), 0);
        for (int threads = 1; threads <= 5; threads++) {
            lm_pool *pool = lm_pool_create(threads);
            assert_non_null(pool);
            assert_int_equal(lm_dca_use_pool(d, pool), 0);
            for (int again = 0; again < 5; again++) {
                assert_int_equal(lm_dca_solve(d, &given, many.a, many.lam, &where), 0);
                assert_memory_equal(one.a, many.a, sizeof(double) * (size_t)one.na);
                assert_memory_equal(one.lam, many.lam, sizeof(double) * (size_t)one.nl);
            }
            s->unknown = 1234;
            assert_int_equal(lm_dca_solve(d, &given, many.a, many.lam, &bad), 1);
            assert_int_equal(bad, 1234);
            s->unknown = -1;
            assert_int_equal(lm_dca_use_pool(d, NULL), 0);
            lm_pool_destroy(pool);
        }
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    begin(12000);
    tree(300, 6, 5, 10);
    joint(0, GROUND, 5);
    assert_non_null(finish());
    int done = 0;
    for (int k = 1; !done; k++) {
        lm_arena arena = {0};
        lm_mem_fail_after(k);
        done = lm_dca_new(&arena, &s->t) != NULL;
        lm_mem_fail_after(0);
        lm_arena_free(&arena);
        if (k == 1) assert_false(done);
    }
}

static int open_setup(void **state)
{
    (void)state;
    s = calloc(1, sizeof *s);
    return s ? 0 : -1;
}

static int close_setup(void **state)
{
    (void)state;
    print_message("largest relative error %g\n", worst);
    lm_arena_free(&s->arena);
    free(s);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_net),
        cmocka_unit_test(test_hubs),
        cmocka_unit_test(test_shared_handles),
        cmocka_unit_test(test_welds),
        cmocka_unit_test(test_rows_change),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_no_accelerations),
        cmocka_unit_test(test_mass_ratio),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_depth_of_chains),
        cmocka_unit_test(test_depth_shuffled),
        cmocka_unit_test(test_depth_of_trees),
        cmocka_unit_test(test_work_is_linear),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_row_twice),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, open_setup, close_setup);
}
