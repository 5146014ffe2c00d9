/* Block elimination: chains, trees and loops of nodes with joints, against the known solution; the
 * size of the factors; what it must refuse. */
#include "solve/block.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A mechanism-like matrix: nodes of 6 unknowns, joints of 5 rows between a node and its parent. */
typedef struct mesh {
    lm_arena arena;
    lm_pattern p;
    lm_groups g;
    double *values;
    int nodes, joints;
    const struct link *links;
} mesh;

static unsigned long long seed;

static double noise(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / (double)(1ULL << 53) - 0.5;
}

enum { V = 6, ROWS = 5, MOST = 4000 };
typedef struct link {
    int a, b, loop; /* b -1: the ground; loop: not in the tree */
} link;

static int row_of(const mesh *m, int joint) { return V * m->nodes + ROWS * joint; }

static void pattern(mesh *m, const link *l)
{
    lm_pattern_builder pb = {.arena = &m->arena};
    for (int n = 0; n < m->nodes; n++) lm_pattern_block(&pb, V * n, V * n, V, V);
    for (int j = 0; j < m->joints; j++)
        for (int side = 0; side < 2; side++) {
            int n = side ? l[j].b : l[j].a;
            if (n < 0) continue;
            lm_pattern_block(&pb, row_of(m, j), V * n, ROWS, V);
            lm_pattern_block(&pb, V * n, row_of(m, j), V, ROWS);
        }
    assert_int_equal(lm_pattern_make(&pb, &m->arena, row_of(m, m->joints), &m->p), 0);
}

/* Loop joints come after every node. */
static void groups(mesh *m, const link *l)
{
    int loops = 0;
    m->g.of = LM_NEW_N(&m->arena, int, m->p.n);
    m->g.n = m->nodes;
    for (int i = 0; i < V * m->nodes; i++) m->g.of[i] = i / V;
    for (int j = 0; j < m->joints; j++) {
        for (int k = 0; k < ROWS; k++)
            m->g.of[row_of(m, j) + k] = l[j].loop ? m->nodes + loops : l[j].a;
        loops += l[j].loop;
    }
    m->g.n += loops;
    m->g.after_start = LM_NEW_N(&m->arena, int, m->g.n + 1);
    m->g.after = LM_NEW_N(&m->arena, int, loops * m->nodes + 1);
    for (int g = 0, at = 0; g < m->g.n; g++) {
        for (int n = 0; n < m->nodes && g >= m->nodes; n++) m->g.after[at++] = n;
        m->g.after_start[g + 1] = at;
    }
}

/* A row of a joint: the node's motion less its parent's, roughly. */
static double row_value(const mesh *m, int row, int col)
{
    int k = row - V * m->nodes, own = m->links[k / ROWS].a == col / V;
    return (k % ROWS == col % V ? (own ? 1 : -1) : 0) + 0.1 * noise();
}

/* Positive mass blocks, full constraint rows; unsymmetric by a little. */
static void fill(mesh *m)
{
    m->values = LM_NEW_N(&m->arena, double, m->p.nnz);
    for (int c = 0; c < m->p.n; c++)
        for (int k = m->p.colptr[c]; k < m->p.colptr[c + 1]; k++) {
            int r = m->p.rowind[k], motion = V * m->nodes;
            if (r >= motion) m->values[k] = row_value(m, r, c);
            if (r < motion && c < motion) m->values[k] = r == c ? 4 : 0.3 * noise();
            if (r < motion && c >= motion) { /* the transpose, nearly */
                int t = lm_pattern_find(&m->p, c, r);
                m->values[k] = m->values[t] * (1 + 0.01 * noise());
            }
        }
}

static void make(mesh *m, int nodes, const link *l, int joints)
{
    *m = (mesh){.nodes = nodes, .joints = joints, .links = l};
    pattern(m, l);
    groups(m, l);
    fill(m);
}

static void check_solution(mesh *m, lm_block_solver *b)
{
    double *x = LM_NEW_N(&m->arena, double, m->p.n), *y = LM_NEW_N(&m->arena, double, m->p.n);
    for (int i = 0; i < m->p.n; i++) x[i] = noise();
    lm_sparse_mul(&m->p, m->values, 1, x, y);
    lm_block_solve(b, 1, y);
    for (int i = 0; i < m->p.n; i++)
        if (!(fabs(x[i] - y[i]) < 1e-8)) fail_msg("unknown %d: %g is not %g", i, y[i], x[i]);
    /* two right sides together: the same bits as one by one */
    double *pair = LM_NEW_N(&m->arena, double, 2 * m->p.n);
    lm_sparse_mul(&m->p, m->values, 1, x, pair + m->p.n);
    for (int i = 0; i < m->p.n; i++) pair[i] = x[i];
    lm_block_solve(b, 2, pair);
    lm_block_solve(b, 1, x);
    assert_memory_equal(pair, x, sizeof(double) * (size_t)m->p.n);
    assert_memory_equal(pair + m->p.n, y, sizeof(double) * (size_t)m->p.n);
}

static void check_mesh(int nodes, const link *l, int joints)
{
    mesh m;
    int no_order;
    make(&m, nodes, l, joints);
    lm_block_solver *b = lm_block_create(&m.p, &m.g, LM_ORDER_ENDS, NULL, &no_order);
    assert_non_null(b);
    for (int again = 0; again < 3; again++) {
        fill(&m);
        assert_int_equal(lm_block_factor(b, m.values), 0);
        assert_true(lm_block_error(b) < 1e-11);
        assert_true(lm_block_rcond(b) > 0 && lm_block_rcond(b) <= 1);
        check_solution(&m, b);
    }
    lm_block_destroy(b);
    lm_arena_free(&m.arena);
}

static link joints_of[MOST];

static void chains(void **state)
{
    (void)state;
    for (int n = 1; n < 60; n += 7) {
        for (int j = 0; j < n; j++) joints_of[j] = (link){j, j - 1, 0};
        check_mesh(n, joints_of, n);
        for (int j = 0; j < n; j++) joints_of[j] = (link){n - 1 - j, j ? n - j : -1, 0};
        check_mesh(n, joints_of, n);
    }
}

static void trees(void **state)
{
    (void)state;
    for (int n = 3; n < 80; n += 11) {
        for (int j = 0; j < n; j++) joints_of[j] = (link){j, (j - 1) / 3 - (j == 0), 0};
        check_mesh(n, joints_of, n);
    }
    check_mesh(3, joints_of, 0); /* free bodies, no joint at all */
}

/* Joints between the free ends of a tree, with fewer rows than there are motions left. */
static void loops(void **state)
{
    (void)state;
    enum { N = 40 };
    for (int j = 0; j < N; j++) joints_of[j] = (link){j, j % 10 ? j - 1 : -1, 0};
    joints_of[N] = (link){9, 19, 1};
    joints_of[N + 1] = (link){29, 39, 1};
    check_mesh(N, joints_of, N + 2);
}

/* Memory and stack of a chain are linear in its length, whichever way it is numbered. */
static void linear_growth(void **state)
{
    (void)state;
    size_t doubles[2];
    for (int k = 0; k < 2; k++) {
        int n = k ? 2000 : 200;
        lm_arena arena = {0};
        lm_block_plan plan;
        mesh m;
        for (int j = 0; j < n; j++) joints_of[j] = (link){j, j - 1, 0};
        make(&m, n, joints_of, n);
        assert_int_equal(lm_block_plan_make(&m.p, &m.g, LM_ORDER_ENDS, &arena, &plan), 0);
        doubles[k] = plan.doubles;
        assert_true(plan.largest <= 2 * V + ROWS);
        assert_true(plan.stack <= 2 * (V + ROWS) * (V + ROWS));
        lm_arena_free(&arena);
        lm_arena_free(&m.arena);
    }
    assert_true(doubles[1] < 11 * doubles[0] && doubles[1] > 9 * doubles[0]);
}

static void refuses(void **state)
{
    (void)state;
    mesh m;
    int no_order;
    lm_block_solver *b;
    joints_of[0] = (link){0, -1, 0};
    make(&m, 2, joints_of, 1);
    b = lm_block_create(&m.p, &m.g, LM_ORDER_ENDS, NULL, &no_order);
    assert_non_null(b);
    fill(&m);
    for (int k = m.p.colptr[7]; k < m.p.colptr[8]; k++) m.values[k] = 0; /* an empty column */
    assert_int_equal(lm_block_factor(b, m.values), 1);
    fill(&m);
    assert_int_equal(lm_block_factor(b, m.values), 0); /* and recovers */
    check_solution(&m, b);
    lm_block_destroy(b);
    /* groups that wait for each other */
    int start[] = {0, 1, 2}, after[] = {1, 0};
    lm_groups circle = {.n = 2, .of = m.g.of, .after_start = start, .after = after};
    assert_null(lm_block_create(&m.p, &circle, LM_ORDER_ENDS, NULL, &no_order));
    assert_int_equal(no_order, 1);
    lm_arena_free(&m.arena);
}

static void full_graphs_are_left_to_others(void **state)
{
    (void)state;
    enum { N = 300 };
    lm_arena arena = {0};
    lm_pattern p;
    lm_pattern_builder pb = {.arena = &arena};
    int of[N], start[N + 1] = {0}, no_order = 0;
    lm_pattern_block(&pb, 0, 0, N, N);
    assert_int_equal(lm_pattern_make(&pb, &arena, N, &p), 0);
    for (int i = 0; i < N; i++) of[i] = i;
    lm_groups g = {.n = N, .of = of, .after_start = start};
    assert_null(lm_block_create(&p, &g, LM_ORDER_ENDS, NULL, &no_order));
    assert_int_equal(no_order, 1);
    lm_arena_free(&arena);
}

static void memory_that_fails(void **state)
{
    (void)state;
    mesh m;
    int no_order, k = 0;
    lm_block_solver *b = NULL;
    for (int j = 0; j < 5; j++) joints_of[j] = (link){j, j - 1, 0};
    make(&m, 5, joints_of, 5);
    long live = lm_mem_live();
    while (!b) {
        lm_mem_fail_after(++k);
        b = lm_block_create(&m.p, &m.g, LM_ORDER_ENDS, NULL, &no_order);
        lm_mem_fail_after(0);
        if (b) break;
        assert_int_equal(no_order, 0);
        assert_int_equal(lm_mem_live(), live);
    }
    assert_true(k > 2);
    lm_block_destroy(b);
    assert_int_equal(lm_mem_live(), live);
    lm_arena_free(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains),
        cmocka_unit_test(trees),
        cmocka_unit_test(loops),
        cmocka_unit_test(linear_growth),
        cmocka_unit_test(refuses),
        cmocka_unit_test(full_graphs_are_left_to_others),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
