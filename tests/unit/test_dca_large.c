/* Divide and conquer of many bodies: what the equations leave over, depth and work of the tree, the same
 * bits with threads. */
#include "support/dca_net.h"

/* ---- large systems: what the equations leave over ---- */

/* Row k of joint j at the handles of body b: adds G A to *sum, and G B lam to what the body feels. */
static void row_residual(int j, int k, const int *at, const solution *x, double lam, double *sum,
                         double *felt)
{
    for (int side = 0; side < 2; side++) {
        const int b = net->joint_body[j][side];
        if (b == GROUND) continue;
        const int m = net->size[b], h = net->joint_place[j][side];
        const double *G = net->G[j] + 12 * k + 6 * side;
        for (int i = 0; i < 6; i++) {
            *sum += G[i] * net->gamma[b][6 * h + i];
            for (int c = 0; c < m; c++) {
                const double B = net->B[b][6 * m * h + 6 * c + i];
                *sum += G[i] * B * x->a[at[b] + c];
                felt[at[b] + c] += G[i] * B * lam;
            }
        }
    }
}

/* The largest of M a + C^T lam - f and of C a + G gamma - c; all numbers are about 1. */
static double residual(const solution *x)
{
    int *at = LM_NEW_N(&net->arena, int, net->t.nbodies + 1);
    double *felt = LM_NEW_N(&net->arena, double, x->na + 1), most = 0;
    for (int b = 0; b < net->t.nbodies; b++) at[b + 1] = at[b] + net->size[b];
    for (int j = 0, o = 0; j < net->t.njoints; o += net->most[j++])
        for (int k = 0; k < net->rows[j]; k++) {
            double sum = -net->c[j][k];
            row_residual(j, k, at, x, x->lam[o + k], &sum, felt);
            most = fmax(most, fabs(sum));
        }
    for (int b = 0; b < net->t.nbodies; b++)
        for (int i = 0; i < net->size[b]; i++) {
            double sum = felt[at[b] + i] - net->f[b][i];
            for (int k = 0; k < net->size[b]; k++)
                sum += net->M[b][i + net->size[b] * k] * x->a[at[b] + k];
            most = fmax(most, fabs(sum));
        }
    return most;
}

static void test_large(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        net_begin((uint64_t)(8300 + kind));
        if (kind < 2) net_chain(20000, 6, 0), net_joint(GROUND, 0, 5);
        if (kind == 1) net_joint(GROUND, 19999, 5);
        if (kind == 2) net_tree(20000, 6, 0, 1 << 20);
        lm_dca *d = net_finish();
        solution x = net_room();
        int where;
        assert_non_null(d);
        assert_int_equal(lm_dca_solve(d, &net_given, x.a, x.lam, &where), 0);
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
            net_begin(9000);
            net_chain(1 << k, 6, 0);
            if (held) net_joint(GROUND, 0, 5);
            lm_dca *d = net_finish();
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
    net_begin(9100);
    for (int i = 0; i < N; i++) order[i] = net_body(6);
    for (int i = N - 1; i > 0; i--) {
        int j = net_pick(i + 1), t = order[i];
        order[i] = order[j], order[j] = t;
    }
    for (int i = 1; i < N; i++) net_joint(order[i - 1], order[i], 5);
    lm_dca *d = net_finish();
    assert_int_equal(lm_dca_depth(d), 13);
}

static void test_depth_of_trees(void **state)
{
    (void)state;
    const int reach[] = {2, 5, 50, 1 << 20};
    for (int n = 100; n <= 30000; n *= 7)
        for (int r = 0; r < 4; r++) {
            net_begin((uint64_t)(9200 + r));
            net_tree(n, 6, 0, reach[r]);
            lm_dca *d = net_finish();
            print_message("tree of %d, reach %d: %d levels, %.2f log2 n\n", n, reach[r],
                          lm_dca_depth(d), lm_dca_depth(d) / log_2(n));
            assert_true(lm_dca_depth(d) <= 2.5 * log_2(n));
        }
}

static double work_of(int kind, int n)
{
    net_begin((uint64_t)(9300 + kind));
    if (kind == 0) net_chain(n, 6, 0);
    if (kind == 1) net_chain(n, 22, 0);
    if (kind == 2) net_tree(n, 6, 0, 1 << 20);
    if (kind == 3) {
        net_body(6);
        for (int i = 1; i < n; i++) net_joint(0, net_body(6), 5);
    }
    for (int j = 0; j < net->t.njoints; j++) net->most[j] = net->rows[j] = 5;
    return lm_dca_work(net_finish());
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

/* ---- threads ---- */

static void test_threads(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        net_begin((uint64_t)(11000 + kind));
        if (kind == 0) net_chain(3000, 6, 0), net_joint(GROUND, 0, 5);
        if (kind == 1) net_tree(3000, 6, 20, 1 << 20);
        if (kind == 2)
            for (int i = 0; i < 3000; i++) net_chain(1 + net_pick(3), 6, 0);
        lm_dca *d = net_finish();
        solution one = net_room(), many = net_room();
        int where = -1, bad = -1;
        assert_int_equal(lm_dca_solve(d, &net_given, one.a, one.lam, &where), 0);
        for (int threads = 1; threads <= 5; threads++) {
            lm_pool *pool = lm_pool_create(threads);
            assert_non_null(pool);
            assert_int_equal(lm_dca_use_pool(d, pool), 0);
            for (int again = 0; again < 5; again++) {
                assert_int_equal(lm_dca_solve(d, &net_given, many.a, many.lam, &where), 0);
                assert_memory_equal(one.a, many.a, sizeof(double) * (size_t)one.na);
                assert_memory_equal(one.lam, many.lam, sizeof(double) * (size_t)one.nl);
            }
            net->unknown = 1234;
            assert_int_equal(lm_dca_solve(d, &net_given, many.a, many.lam, &bad), 1);
            assert_int_equal(bad, 1234);
            net->unknown = -1;
            assert_int_equal(lm_dca_use_pool(d, NULL), 0);
            lm_pool_destroy(pool);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large),          cmocka_unit_test(test_depth_of_chains),
        cmocka_unit_test(test_depth_shuffled), cmocka_unit_test(test_depth_of_trees),
        cmocka_unit_test(test_work_is_linear), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, net_open, net_close);
}
