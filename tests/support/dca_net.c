#include "support/dca_net.h"

#include <lapacke.h>

dca_net *net; /* too large for the stack */
static uint64_t seed;

static double noise(void) /* -1 .. 1 */
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / (double)(1ULL << 52) - 1;
}

int net_pick(int n) { return (int)((noise() + 1) / 2 * n) % n; }

/* ---- putting a system together ---- */

void net_begin(uint64_t k)
{
    lm_arena_free(&net->arena);
    memset(&net->t, 0, sizeof net->t);
    memset(net->handles, 0, sizeof net->handles);
    net->massless = net->unknown = -1;
    seed = k + 1;
}

int net_body(int size)
{
    assert_true(net->t.nbodies < BODIES);
    net->size[net->t.nbodies] = size;
    return net->t.nbodies++;
}

int net_joint_at(int a, int place_a, int b, int place_b, int rows)
{
    const int j = net->t.njoints++, bodies[2] = {a, b}, places[2] = {place_a, place_b};
    assert_true(j < JOINTS);
    for (int k = 0; k < 2; k++) {
        net->joint_body[j][k] = bodies[k];
        if (bodies[k] == GROUND) continue;
        net->joint_place[j][k] = places[k] == NEW ? net->handles[bodies[k]] : places[k];
        if (net->joint_place[j][k] >= net->handles[bodies[k]])
            net->handles[bodies[k]] = net->joint_place[j][k] + 1;
    }
    net->most[j] = net->rows[j] = rows;
    return j;
}

int net_joint(int a, int b, int rows) { return net_joint_at(a, NEW, b, NEW, rows); }

static double *numbers(int n)
{
    double *p = LM_NEW_N(&net->arena, double, n + 1);
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
    const int first = net_pick(6);
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < 12; i++)
            G[12 * k + i] = 0.2 * G[12 * k + i] + ((first + k) % 6 == i % 6 ? (i < 6 ? 1 : -1) : 0);
    return G;
}

static void random_numbers(void)
{
    for (int b = 0; b < net->t.nbodies; b++) {
        const int n = net->size[b], h = net->handles[b];
        net->M[b] = mass(n);
        if (b == net->massless)
            for (int i = 0; i < n; i++) net->M[b][i + n * (n - 1)] = net->M[b][n - 1 + n * i] = 0;
        net->f[b] = numbers(n);
        net->B[b] = handles_of(n, h);
        net->gamma[b] = numbers(6 * h);
    }
    for (int j = 0; j < net->t.njoints; j++) {
        net->G[j] = rows_of(net->most[j]);
        net->c[j] = numbers(net->most[j]);
    }
}

static int handle_of(const int *first, int j, int side)
{
    const int b = net->joint_body[j][side];
    return b == GROUND ? LM_DCA_GROUND : first[b] + net->joint_place[j][side];
}

lm_dca *net_finish(void)
{
    int *first = LM_NEW_N(&net->arena, int, net->t.nbodies + 1), n = 0;
    for (int b = 0; b < net->t.nbodies; b++) {
        first[b] = n;
        for (int k = 0; k < net->handles[b]; k++) net->handle_body[n++] = b;
    }
    for (int j = 0; j < net->t.njoints; j++)
        for (int side = 0; side < 2; side++) net->joint[j][side] = handle_of(first, j, side);
    net->t.nhandles = n;
    net->t.size = net->size;
    net->t.handle_body = net->handle_body;
    net->t.joint = (const int(*)[2])net->joint;
    net->t.most_rows = net->most;
    random_numbers();
    return lm_dca_new(&net->arena, &net->t);
}

static int give_body(void *ctx, int worker, int b, double *M, double *f, double *B, double *gamma)
{
    const size_t n = (size_t)net->size[b], h = (size_t)net->handles[b], d = sizeof(double);
    (void)ctx, (void)worker;
    memcpy(M, net->M[b], d * n * n);
    memcpy(f, net->f[b], d * n);
    memcpy(B, net->B[b], d * 6 * n * h);
    memcpy(gamma, net->gamma[b], d * 6 * h);
    return b == net->unknown;
}

static int give_joint(void *ctx, int worker, int j, double (*G)[12], double *c)
{
    const size_t rows = (size_t)net->rows[j];
    (void)ctx, (void)worker;
    memcpy(G, net->G[j], sizeof(double) * 12 * rows);
    memcpy(c, net->c[j], sizeof(double) * rows);
    return net->rows[j];
}

const lm_dca_numbers net_given = {NULL, give_body, give_joint};

/* ---- all at once: [M C^T; C 0] [a; lam] = [f; c - G gamma], C = G B ---- */

solution net_room(void)
{
    solution x = {0};
    for (int b = 0; b < net->t.nbodies; b++) x.na += net->size[b];
    for (int j = 0; j < net->t.njoints; j++) x.nl += net->most[j];
    x.a = numbers(x.na), x.lam = numbers(x.nl);
    return x;
}

static void dense_bodies(double *K, double *r, int n, int *at)
{
    for (int b = 0, o = 0; b < net->t.nbodies; o += net->size[b++]) {
        const int m = net->size[b];
        at[b] = o;
        for (int i = 0; i < m; i++) {
            r[o + i] = net->f[b][i];
            for (int k = 0; k < m; k++) K[o + i + n * (o + k)] = net->M[b][i + m * k];
        }
    }
}

static void dense_row(double *K, double *r, int n, const int *at, int j, int k, int row)
{
    r[row] = net->c[j][k];
    for (int side = 0; side < 2; side++) {
        const int b = net->joint_body[j][side];
        if (b == GROUND) continue;
        const int m = net->size[b], h = net->joint_place[j][side];
        const double *G = net->G[j] + 12 * k + 6 * side;
        for (int i = 0; i < 6; i++) r[row] -= G[i] * net->gamma[b][6 * h + i];
        for (int c = 0; c < m; c++) {
            double x = 0;
            for (int i = 0; i < 6; i++) x += G[i] * net->B[b][6 * m * h + 6 * c + i];
            K[row + n * (at[b] + c)] += x;
            K[at[b] + c + n * row] += x;
        }
    }
}

static solution dense(void)
{
    solution x = net_room();
    int *at = calloc((size_t)net->t.nbodies + 1, sizeof *at), n = x.na, row = x.na;
    for (int j = 0; j < net->t.njoints; j++) n += net->rows[j];
    double *K = calloc((size_t)n * (size_t)n + 1, sizeof *K), *r = calloc((size_t)n + 1, sizeof *r);
    lapack_int *pivots = calloc((size_t)n + 1, sizeof *pivots);
    assert_true(at && K && r && pivots);
    dense_bodies(K, r, n, at);
    for (int j = 0; j < net->t.njoints; j++)
        for (int k = 0; k < net->rows[j]; k++) dense_row(K, r, n, at, j, k, row++);
    if (n) assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 1, K, n, pivots, r, n), 0);
    memcpy(x.a, r, sizeof(double) * (size_t)x.na);
    memset(x.lam, 0, sizeof(double) * (size_t)x.nl);
    for (int j = 0, o = 0, from = x.na; j < net->t.njoints; o += net->most[j++])
        for (int k = 0; k < net->rows[j]; k++) x.lam[o + k] = r[from++];
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

void net_compare(lm_dca *d)
{
    solution got = net_room(), right = dense();
    int where = -1;
    const long before = lm_mem_allocs();
    assert_int_equal(lm_dca_solve(d, &net_given, got.a, got.lam, &where), 0);
    assert_int_equal(lm_mem_allocs(), before);
    const double off =
        fmax(difference(got.na, got.a, right.a), difference(got.nl, got.lam, right.lam));
    if (!(off < 1e-10)) fail_msg("relative error %g", off);
    worst = fmax(worst, off);
}

void net_check(void)
{
    lm_dca *d = net_finish();
    assert_non_null(d);
    net_compare(d);
    random_numbers();
    net_compare(d);
}

/* ---- systems ---- */

int net_chain(int n, int size, int size_change)
{
    int first = net->t.nbodies;
    for (int i = 0; i < n; i++) {
        int b = net_body(size + (size_change ? net_pick(size_change) : 0));
        if (i) net_joint(b - 1, b, 5);
    }
    return first;
}

void net_tree(int n, int size, int size_change, int reach)
{
    int first = net->t.nbodies;
    for (int i = 0; i < n; i++) {
        int b = net_body(size + (size_change ? net_pick(size_change) : 0));
        if (i) net_joint(first + i - 1 - net_pick(i < reach ? i : reach), b, 1 + net_pick(5));
    }
}

int net_open(void **state)
{
    (void)state;
    net = calloc(1, sizeof *net);
    return net ? 0 : -1;
}

int net_close(void **state)
{
    (void)state;
    print_message("largest relative error %g\n", worst);
    lm_arena_free(&net->arena);
    free(net);
    return 0;
}
