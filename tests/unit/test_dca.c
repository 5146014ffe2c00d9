/* Divide and conquer: chains, trees, loops, hubs against the equations of all bodies and joints solved at
 * once; what it must refuse; memory. */
#include "support/dca_net.h"

static void test_nothing(void **state)
{
    (void)state;
    net_begin(1);
    net_check(); /* no bodies at all */
    net_begin(2);
    net_body(6);
    net_check();
    net_begin(3);
    net_body(17), net_body(6), net_body(1);
    net_check();
    net_begin(4); /* joints without rows, and from the ground to the ground */
    net_body(6), net_body(22);
    net_joint(0, 1, 0);
    net_joint(GROUND, GROUND, 0);
    net_check();
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
                net_begin((uint64_t)(100 * size + 10 * k + held));
                net_chain(n, size, 0);
                if (held & 1) net_joint(GROUND, 0, 3);
                if (held & 2) net_joint(n - 1, GROUND, size == 6 && n == 1 ? 2 : 3);
                net_check();
            }
}

static void test_sizes(void **state)
{
    (void)state;
    for (int k = 0; k < 30; k++) {
        net_begin((uint64_t)(1000 + k));
        net_chain(8, 1 + k,
                  0); /* with 5 rows to a body of fewer accelerations there is no solution */
        for (int j = 0; j < net->t.njoints; j++) net->most[j] = net->rows[j] = k < 5 ? 1 : 5;
        net_joint(GROUND, 3, 1);
        net_check();
        net_begin((uint64_t)(1100 + k));
        net_chain(12, 6, 25);
        net_joint(0, GROUND, 5);
        net_check();
    }
}

static void test_trees(void **state)
{
    (void)state;
    for (int k = 0; k < 60; k++) {
        net_begin((uint64_t)(2000 + k));
        net_tree(3 + net_pick(30), 6, k % 2 ? 15 : 0, k % 3 ? 5 : 1000);
        if (k % 5) net_joint(GROUND, net_pick(net->t.nbodies), 5);
        net_check();
    }
    for (int k = 0; k < 3; k++) {
        net_begin((uint64_t)(2100 + k));
        net_tree(200, 6, 0, k ? 5 : 200);
        net_joint(0, GROUND, 5);
        net_check();
    }
}

/* Rows of a few joints fewer, so that loops can be closed. */
static void test_loops(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) { /* rings */
        net_begin((uint64_t)(3000 + k));
        const int n = 2 + k;
        net_chain(n, 6, k % 2 ? 10 : 0);
        for (int j = 0; j < net->t.njoints; j++) net->most[j] = net->rows[j] = 4;
        net_joint(n - 1, 0, 3);
        if (k % 3 == 0) net_joint(GROUND, 0, 3);
        net_check();
    }
    for (int k = 0; k < 60; k++) { /* trees with joints across, also two between the same bodies */
        net_begin((uint64_t)(3100 + k));
        const int n = 5 + net_pick(40);
        net_tree(n, 8, k % 2 ? 10 : 0, k % 3 ? 4 : 1000);
        for (int i = 0; i < n / 3; i++) {
            const int a = net_pick(n), b = net_pick(n);
            net_joint(a, i % 4 == 3 ? GROUND : b, 1 + (i % 5 == 0));
        }
        net_check();
    }
}

/* Every body with its neighbours in two directions: many outer handles. */
static void test_net(void **state)
{
    (void)state;
    enum { N = 7 };
    net_begin(3500);
    for (int i = 0; i < N * N; i++) {
        int b = net_body(7);
        if (i % N) net_joint(b - 1, b, 2);
        if (i >= N) net_joint(b - N, b, 3);
    }
    net_check();
}

static void test_hubs(void **state)
{
    (void)state;
    for (int k = 1; k < 40; k += 3)
        for (int size = 6; size <= 30; size += 12) {
            net_begin((uint64_t)(4000 + k));
            int hub = net_body(size);
            for (int i = 0; i < k; i++) net_joint(hub, net_chain(1 + net_pick(4), 6, 6), 5);
            if (k % 2) net_joint(GROUND, hub, 3);
            net_check();
        }
}

/* Several joints on a handle: with several bodies, with the ground, with the same body. */
static void test_shared_handles(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        net_begin((uint64_t)(5000 + k));
        const int n = 4 + net_pick(20);
        for (int i = 0; i < n; i++) {
            int b = net_body(k % 2 ? 6 : 14 + net_pick(8));
            if (i) net_joint_at(net_pick(i), net_pick(2), b, net_pick(2), 1 + net_pick(3));
        }
        net_joint_at(net_pick(n), 0, GROUND, NEW, 1);
        net_joint_at(0, 0, n - 1, 0, 1);
        net_joint_at(0, 0, n - 1, 1, 1);
        net_joint_at(1, 0, 1, 1, 1); /* a loop within one body */
        net_check();
    }
}

static void test_welds(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        net_begin((uint64_t)(6000 + k));
        net_tree(3 + k, 6, k % 2 ? 20 : 0, 3);
        for (int j = 0; j < net->t.njoints; j++) net->most[j] = net->rows[j] = 6;
        net_check();
    }
}

static void test_rows_change(void **state)
{
    (void)state;
    net_begin(7000);
    net_tree(30, 6, 12, 6);
    net_joint(0, GROUND, 6);
    net_joint(3, 20, 2);
    for (int j = 0; j < net->t.njoints; j++) net->most[j] = net->rows[j] = 6;
    net->most[net->t.njoints - 1] = net->rows[net->t.njoints - 1] = 2;
    lm_dca *d = net_finish();
    assert_non_null(d);
    for (int k = 0; k < 30; k++) {
        for (int j = 0; j < net->t.njoints; j++) {
            const int least = k == 7 ? 0 : net->most[j] - 2; /* once none at all */
            net->rows[j] = k == 7 ? 0 : least + net_pick(2 + (j > 0 && j < net->t.njoints - 1));
        }
        net_compare(d);
    }
}

static void test_components(void **state)
{
    (void)state;
    for (int k = 0; k < 10; k++) {
        net_begin((uint64_t)(8000 + k));
        for (int i = 0; i < 4; i++) {
            const int first = net_chain(1 + net_pick(9), 6, 10);
            if (net_pick(2)) net_joint(GROUND, first, 4);
            net_tree(1 + net_pick(9), 6, 0, 3);
        }
        net_check();
    }
}

/* A body whose motion is given takes part by gamma alone. */
static void test_no_accelerations(void **state)
{
    (void)state;
    net_begin(8100);
    net_chain(5, 6, 0);
    net->size[2] = 0;
    net_joint(4, GROUND, 1);
    net_check();
}

/* Inner bodies light, outer ones heavy: what is lost in Z - W W^T stays in proportion to their ratio. */
static void test_mass_ratio(void **state)
{
    (void)state;
    net_begin(8200);
    net_chain(9, 6, 0);
    net_joint(0, GROUND, 5);
    lm_dca *d = net_finish();
    for (int b = 0; b < 9; b++)
        for (int i = 0; i < 36; i++) net->M[b][i] *= b % 2 ? 1e-3 : 1;
    net_compare(d);
}

/* ---- what it must refuse ---- */

static void refused(int where)
{
    lm_dca *d = net_finish();
    solution x = net_room();
    int at = -1;
    assert_non_null(d);
    assert_int_equal(lm_dca_solve(d, &net_given, x.a, x.lam, &at), 1);
    if (where >= 0) assert_int_equal(at, where);
}

static void test_singular(void **state)
{
    (void)state;
    for (int n = 1; n < 200; n = 2 * n + 1) {
        net_begin((uint64_t)(10000 + n)); /* a body without mass in one direction */
        net_chain(n, 6, 10);
        net->massless = n / 2;
        refused(n / 2);
        net_begin((uint64_t)(10200 + n)); /* numbers that are not to be had */
        net_chain(n, 6, 10);
        net->unknown = n / 2;
        refused(n / 2);
        net_begin(
            (uint64_t)(10300 + n)); /* more rows than accelerations, in a chain held at both ends */
        net_chain(n, 6, 0);
        net_joint(GROUND, 0, 6);
        const int last = net_joint(GROUND, n - 1, n + 1);
        refused(n == 1 ? net->t.nbodies + last : -1);
    }
}

/* A row twice, on handles that others hold too. */
static void test_row_twice(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        net_begin((uint64_t)(10500 + k));
        const int n = 3 + k;
        net_chain(n, 6 + k % 2 * 12, 0);
        net_joint_at(n - 1, 0, GROUND, NEW, 1);
        const int a = net_joint_at(0, 0, n - 1, 0, 1), b = net_joint_at(0, 0, n - 1, 0, 1);
        lm_dca *d = net_finish();
        solution x = net_room();
        int where = -1;
        memcpy(net->G[b], net->G[a], sizeof(double) * 12);
        assert_int_equal(lm_dca_solve(d, &net_given, x.a, x.lam, &where), 1);
        assert_true(where >= net->t.nbodies && where < net->t.nbodies + net->t.njoints);
        net->rows[b] = 0;
        net_compare(d);
    }
}

/* ---- memory ---- */

static void test_no_memory(void **state)
{
    (void)state;
    net_begin(12000);
    net_tree(300, 6, 5, 10);
    net_joint(0, GROUND, 5);
    assert_non_null(net_finish());
    int done = 0;
    for (int k = 1; !done; k++) {
        lm_arena arena = {0};
        lm_mem_fail_after(k);
        done = lm_dca_new(&arena, &net->t) != NULL;
        lm_mem_fail_after(0);
        lm_arena_free(&arena);
        if (k == 1) assert_false(done);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),    cmocka_unit_test(test_chains),
        cmocka_unit_test(test_sizes),      cmocka_unit_test(test_trees),
        cmocka_unit_test(test_loops),      cmocka_unit_test(test_net),
        cmocka_unit_test(test_hubs),       cmocka_unit_test(test_shared_handles),
        cmocka_unit_test(test_welds),      cmocka_unit_test(test_rows_change),
        cmocka_unit_test(test_components), cmocka_unit_test(test_no_accelerations),
        cmocka_unit_test(test_mass_ratio), cmocka_unit_test(test_singular),
        cmocka_unit_test(test_row_twice),  cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, net_open, net_close);
}
