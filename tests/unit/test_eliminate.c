/* Independent rows among sparse ones, against a dense elimination with full pivoting. */
#include "math/eliminate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 30, COLS = 20 };

static uint64_t seed = 1;
static double rnd(void) /* -1 .. 1, the same on every machine */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)seed / 9223372036854775808.0;
}

/* Rank of the first n rows, by taking the largest number left as the pivot until all are rounding. */
static int dense_rank(int n, double rows[ROWS][COLS])
{
    double A[ROWS][COLS];
    memcpy(A, rows, sizeof A);
    for (int rank = 0;; rank++) {
        int p = -1, c = -1;
        double most = 1e-9;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < COLS; j++)
                if (fabs(A[i][j]) > most) most = fabs(A[i][j]), p = i, c = j;
        if (p < 0) return rank;
        for (int i = 0; i < n; i++) {
            double f = i == p ? 0 : A[i][c] / A[p][c];
            for (int j = 0; j < COLS; j++) A[i][j] -= f * A[p][j];
        }
        memset(A[p], 0, sizeof A[p]);
    }
}

/* Few numbers in each row; every third row is a sum of rows before it. */
static void make_rows(double rows[ROWS][COLS])
{
    memset(rows, 0, sizeof(double[ROWS][COLS]));
    for (int i = 0; i < ROWS; i++) {
        int mixed = i % 3 == 2;
        for (int k = 0; k < 3; k++) {
            double f = rnd();
            if (!mixed) rows[i][(int)((rnd() + 1) * COLS / 2)] = f;
            const double *from = mixed ? rows[(int)((rnd() + 1) * i / 2)] : NULL;
            for (int j = 0; j < COLS && mixed; j++) rows[i][j] += f * from[j];
        }
    }
}

static int feed(lm_eliminator *e, const double *row)
{
    for (int j = 0; j < COLS; j++)
        if (row[j] != 0) lm_eliminate_add(e, j, row[j]);
    return lm_eliminate_row(e, 1);
}

/* Each row is told apart rightly, and asking again allocates nothing. */
static void test_rank(void **state)
{
    (void)state;
    double rows[ROWS][COLS];
    lm_arena arena = {0};
    lm_eliminator *e = lm_eliminate_make(&arena, COLS, ROWS, ROWS * COLS);
    assert_non_null(e);
    long before = lm_mem_allocs();
    int dependent = 0;
    for (int turn = 0; turn < 50; turn++) {
        make_rows(rows);
        lm_eliminate_begin(e);
        for (int i = 0; i < ROWS; i++) {
            int rank = lm_eliminate_rank(e), independent = feed(e, rows[i]);
            assert_int_equal(lm_eliminate_rank(e), rank + independent);
            assert_int_equal(lm_eliminate_rank(e), dense_rank(i + 1, rows));
            dependent += !independent;
        }
        assert_in_range(lm_eliminate_used(e), lm_eliminate_rank(e), ROWS * COLS);
    }
    assert_true(dependent > 50 * ROWS / 3);
    assert_int_equal(lm_mem_allocs(), before);
    lm_arena_free(&arena);
}

/* Too little room is said, harms nothing, and can be made. */
static void test_room(void **state)
{
    (void)state;
    static const double full[COLS] = {1, 2, 3, 4}, next[COLS] = {0, 0, 1, 1};
    lm_arena arena = {0};
    lm_eliminator *e = lm_eliminate_make(&arena, COLS, ROWS, 5);
    assert_int_equal(feed(e, full), 1);
    assert_int_equal(feed(e, next), -1);
    assert_int_equal(lm_eliminate_rank(e), 1);
    assert_int_equal(lm_eliminate_used(e), 4);
    assert_int_equal(lm_eliminate_reserve(e, &arena, 2), 0);
    assert_int_equal(feed(e, next), 1);
    assert_int_equal(feed(e, full), 0);
    lm_mem_fail_after(1);
    assert_int_equal(lm_eliminate_reserve(e, &arena, 1000), -1);
    lm_mem_fail_after(0);
    assert_int_equal(feed(e, next), 0); /* what it knew it still knows */
    lm_arena_free(&arena);
    assert_int_equal(lm_mem_live(), 0);
}

/* Numbers that are not finite count too: they must not be written beyond the room. */
static void test_not_finite(void **state)
{
    (void)state;
    static const double fine[COLS] = {1, 1};
    double bad[COLS] = {0, NAN, 1, NAN};
    lm_arena arena = {0};
    lm_eliminator *e = lm_eliminate_make(&arena, COLS, ROWS, 4);
    assert_int_equal(feed(e, fine), 1);
    assert_int_equal(feed(e, bad), -1); /* three numbers, room for two */
    assert_int_equal(lm_eliminate_used(e), 2);
    lm_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
