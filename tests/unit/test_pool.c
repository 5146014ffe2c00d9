/* Trees of tasks on threads: each task once, after those it waits for, whatever the number of threads. */
#include "base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 2000, WORKERS = 16 };

typedef struct job {
    lm_arena arena;
    lm_task_tree tree;
    int parent[MOST];
    int n, down, threads;
    int runs[MOST]; /* plain: written by a task, read by those that wait for it */
    double sum[MOST];
    atomic_int busy[WORKERS], total, wrong;
} job;

static unsigned seed;

static int below(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((uint64_t)(seed >> 8) * (uint64_t)n >> 24);
}

/* far: how much later a parent may come; roots now and then. */
static void grow(job *j, int n, int far)
{
    memset(j, 0, sizeof *j);
    j->n = n;
    for (int i = 0; i < n; i++) {
        int up = i + 1 + below(far);
        j->parent[i] = up < n && below(50) ? up : -1;
    }
    assert_int_equal(lm_task_tree_make(&j->tree, n, j->parent, &j->arena), 0);
}

/* Sums over children, in their order, or over the way to the root. */
static void visit(void *context, int task, int worker)
{
    job *j = context;
    const lm_task_tree *t = &j->tree;
    if (worker < 0 || worker >= j->threads || atomic_fetch_add(&j->busy[worker], 1)) j->wrong++;
    double sum = 1.0 / (1 + task);
    if (j->down && t->parent[task] >= 0) {
        j->wrong += j->runs[t->parent[task]] != j->runs[task] + 1;
        sum += j->sum[t->parent[task]];
    }
    for (int c = t->child[task]; c >= 0 && !j->down; c = t->sibling[c]) {
        j->wrong += j->runs[c] != j->runs[task] + 1;
        sum += j->sum[c];
    }
    j->sum[task] = sum;
    j->runs[task]++;
    j->total++;
    atomic_fetch_sub(&j->busy[worker], 1);
}

static void check_run(job *j, lm_pool *pool, int down)
{
    int before = j->total;
    j->down = down;
    j->threads = lm_pool_threads(pool);
    memset(j->runs, 0, sizeof j->runs);
    memset(j->sum, 0, sizeof j->sum);
    if (down)
        lm_pool_down(pool, &j->tree, visit, j);
    else
        lm_pool_up(pool, &j->tree, visit, j);
    assert_int_equal(j->wrong, 0);
    assert_int_equal(j->total - before, j->n);
    for (int i = 0; i < j->n; i++) assert_int_equal(j->runs[i], 1);
}

static void every_number_of_threads(void **state)
{
    (void)state;
    static job j;
    static double alone[2][MOST];
    static const int sizes[] = {0, 1, 2, 3, 17, 200, MOST}, fars[] = {1, 2, 30, MOST};
    static const int threads[] = {0, 1, 2, 3, 8, WORKERS}; /* 0: no pool */
    for (int k = 0; k < 6; k++) {
        lm_pool *pool = threads[k] ? lm_pool_create(threads[k]) : NULL;
        assert_int_equal(lm_pool_threads(pool), threads[k] ? threads[k] : 1);
        for (int s = 0; s < 7; s++)
            for (int f = 0; f < 4; f++) {
                seed = (unsigned)(10 * s + f);
                grow(&j, sizes[s], fars[f]);
                for (int down = 0; down < 2; down++) {
                    check_run(&j, NULL, down);
                    memcpy(alone[down], j.sum, sizeof j.sum);
                    for (int again = 0; again < 3; again++) {
                        check_run(&j, pool, down);
                        assert_memory_equal(j.sum, alone[down], sizeof j.sum);
                    }
                }
                lm_arena_free(&j.arena);
            }
        lm_pool_destroy(pool);
    }
}

/* Many short runs in a row, in both directions: threads that look for work, sleep and wake. */
static void again_and_again(void **state)
{
    (void)state;
    static job j;
    lm_pool *pool = lm_pool_create(3);
    seed = 5;
    grow(&j, 40, 4);
    for (int k = 0; k < 3000; k++) check_run(&j, pool, k & 1);
    lm_arena_free(&j.arena);
    lm_pool_destroy(pool);
}

static void two_pools_and_none(void **state)
{
    (void)state;
    static job a, b;
    seed = 7;
    grow(&a, 100, 3);
    grow(&b, 100, 90);
    lm_pool *first = lm_pool_create(2), *second = lm_pool_create(4);
    for (int k = 0; k < 50; k++) {
        check_run(&a, first, 0);
        check_run(&b, second, 0);
        check_run(&a, second, 1);
        check_run(&b, NULL, 1);
    }
    lm_pool_destroy(first);
    lm_pool_destroy(second);
    lm_pool_destroy(NULL);
    lm_pool_destroy(lm_pool_create(5)); /* that never worked */
    lm_arena_free(&a.arena);
    lm_arena_free(&b.arena);
}

static void memory_that_fails(void **state)
{
    (void)state;
    long live = lm_mem_live();
    lm_pool *pool = NULL;
    int k = 0;
    while (!pool) {
        lm_mem_fail_after(++k);
        pool = lm_pool_create(2);
        lm_mem_fail_after(0);
        if (!pool) assert_int_equal(lm_mem_live(), live);
    }
    assert_true(k > 1);
    lm_pool_destroy(pool);
    lm_arena arena = {0};
    lm_task_tree tree;
    int parent[2] = {1, -1};
    lm_mem_fail_after(1);
    assert_int_equal(lm_task_tree_make(&tree, 2, parent, &arena), -1);
    lm_mem_fail_after(0);
    lm_arena_free(&arena);
    assert_int_equal(lm_mem_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_threads),
        cmocka_unit_test(again_and_again),
        cmocka_unit_test(two_pools_and_none),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
