/* The sparse solver: right answers, pivots that have become bad, singular matrices and what they do
 * not move. */
#include "solve/linear.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 777;
static double rnd(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)seed / 9223372036854775808.0;
}

typedef struct matrix {
    lm_arena arena;
    lm_pattern p;
    lm_linear *lin;
} matrix;

/* A band of the given half width, with some entries far away. */
static void make(matrix *m, int n, int width, int far)
{
    memset(m, 0, sizeof *m);
    lm_pattern_builder b = {.arena = &m->arena};
    for (int i = 0; i < n; i++)
        for (int k = -width; k <= width; k++)
            if (i + k >= 0 && i + k < n) lm_pattern_add(&b, i, i + k);
    for (int k = 0; k < far; k++)
        lm_pattern_add(&b, (int)((0.5 + 0.499 * rnd()) * n), (int)((0.5 + 0.499 * rnd()) * n));
    assert_int_equal(lm_pattern_make(&b, &m->arena, n, &m->p), 0);
    m->lin = lm_linear_create(&m->p, NULL);
    assert_non_null(m->lin);
}

static void drop(matrix *m)
{
    lm_linear_destroy(m->lin);
    lm_arena_free(&m->arena);
}

static void fill(matrix *m, double diagonal)
{
    double *v = lm_linear_values(m->lin);
    for (int k = 0; k < m->p.nnz; k++) v[k] = rnd();
    for (int i = 0; i < m->p.n; i++) v[lm_pattern_find(&m->p, i, i)] += diagonal;
}

/* Solve for a known x, one and two right sides. */
static void check_solution(matrix *m, double limit)
{
    int n = m->p.n;
    const double *v = lm_linear_values(m->lin);
    double *x = calloc((size_t)n, sizeof(double)), *b = calloc((size_t)n * 2, sizeof(double));
    for (int i = 0; i < n; i++) x[i] = rnd();
    lm_sparse_mul(&m->p, v, 1, x, b);
    lm_sparse_mul(&m->p, v, -3, x, b + n);
    lm_linear_correct(m->lin, 2, b);
    for (int i = 0; i < n; i++) {
        if (!(fabs(b[i] - x[i]) < limit)) fail_msg("%d: %.3g off", i, b[i] - x[i]);
        if (!(fabs(b[n + i] + 3 * x[i]) < 3 * limit)) fail_msg("second, %d", i);
    }
    memset(b, 0, sizeof(double) * (size_t)n);
    lm_sparse_mul(&m->p, v, 1, x, b);
    lm_linear_solve(m->lin, b);
    for (int i = 0; i < n; i++) assert_true(fabs(b[i] - x[i]) < limit);
    free(x);
    free(b);
}

static void solves(void **state)
{
    (void)state;
    matrix m;
    for (int n = 1; n < 300; n = 2 * n + 1) {
        make(&m, n, 2, n / 2);
        fill(&m, 5);
        assert_int_equal(lm_linear_factor(m.lin), 0);
        assert_true(lm_linear_rcond(m.lin) > 1e-4);
        check_solution(&m, 1e-12);
        drop(&m);
    }
}

/* New numbers of the same kind are factored with the old pivots. */
static void keeps_its_pivots(void **state)
{
    (void)state;
    matrix m;
    make(&m, 60, 2, 20);
    for (int k = 0; k < 20; k++) {
        fill(&m, 6);
        assert_int_equal(lm_linear_factor(m.lin), 0);
        check_solution(&m, 1e-12);
    }
    assert_int_equal(lm_linear_full_factors(m.lin), 1);
    lm_linear_new_pivots(m.lin);
    assert_int_equal(lm_linear_factor(m.lin), 0);
    assert_int_equal(lm_linear_full_factors(m.lin), 2);
    check_solution(&m, 1e-12);
    drop(&m);
}

/* [1 1; 1 e] with e -> 1, then the pivot 1 -> tiny: klu_refactor reports success all the same. */
static void changes_pivots_that_went_bad(void **state)
{
    (void)state;
    for (double tiny = 1e-2; tiny > 1e-30; tiny *= 1e-4) {
        matrix m;
        make(&m, 30, 1, 0);
        fill(&m, 5);
        assert_int_equal(lm_linear_factor(m.lin), 0);
        double *v = lm_linear_values(m.lin);
        for (int i = 0; i < 30; i++)
            for (int j = i - 1; j <= i + 1; j++)
                if (j >= 0 && j < 30) v[lm_pattern_find(&m.p, i, j)] = i == j ? tiny : 1;
        assert_int_equal(lm_linear_factor(m.lin), 0);
        check_solution(&m, 1e-8);
        drop(&m);
    }
}

static void finds_singular_matrices(void **state)
{
    (void)state;
    matrix m;
    make(&m, 12, 1, 0);
    fill(&m, 4);
    double *v = lm_linear_values(m.lin);
    for (int r = 0; r < 12; r++) { /* column 7 is empty: nothing moves */
        int k = lm_pattern_find(&m.p, r, 7);
        if (k >= 0) v[k] = 0;
    }
    assert_int_equal(lm_linear_factor(m.lin), 1);
    double x[12];
    assert_int_equal(lm_linear_null_vector(m.lin, x), 0);
    for (int i = 0; i < 12; i++) assert_true(i == 7 ? fabs(x[i]) == 1 : fabs(x[i]) < 1e-5);
    fill(&m, 4); /* it can be used further */
    assert_int_equal(lm_linear_factor(m.lin), 0);
    check_solution(&m, 1e-12);
    drop(&m);
}

/* The Laplacian of a free chain: the constant vector is not moved. */
static void finds_a_free_motion(void **state)
{
    (void)state;
    matrix m;
    make(&m, 20, 1, 0);
    double *v = lm_linear_values(m.lin), x[20];
    for (int i = 0; i < 20; i++) {
        v[lm_pattern_find(&m.p, i, i)] = i == 0 || i == 19 ? 1 : 2;
        if (i > 0) v[lm_pattern_find(&m.p, i, i - 1)] = -1;
        if (i < 19) v[lm_pattern_find(&m.p, i, i + 1)] = -1;
    }
    int bad = lm_linear_factor(m.lin);
    assert_true(bad == 1 || lm_linear_rcond(m.lin) < 1e-14);
    assert_int_equal(lm_linear_null_vector(m.lin, x), 0);
    for (int i = 0; i < 20; i++) assert_true(fabs(x[i] / x[0] - 1) < 1e-5);
    drop(&m);
}

static void refuses_numbers_that_are_not_finite(void **state)
{
    (void)state;
    matrix m;
    make(&m, 10, 1, 3);
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        fill(&m, 5);
        lm_linear_values(m.lin)[11] = wrong[k];
        assert_int_equal(lm_linear_factor(m.lin), 2);
        fill(&m, 5);
        assert_int_equal(lm_linear_factor(m.lin), 0);
        check_solution(&m, 1e-12);
    }
    drop(&m);
}

/* Scales of a mechanism with millimetres and tonnes. */
static void bears_bad_scaling(void **state)
{
    (void)state;
    matrix m;
    make(&m, 40, 2, 10);
    fill(&m, 5);
    double *v = lm_linear_values(m.lin);
    for (int c = 0; c < 40; c++)
        for (int k = m.p.colptr[c]; k < m.p.colptr[c + 1]; k++)
            v[k] *= pow(10, m.p.rowind[k] % 7 - 3);
    assert_int_equal(lm_linear_factor(m.lin), 0);
    check_solution(&m, 1e-10);
    drop(&m);
}

static void empty_system(void **state)
{
    (void)state;
    matrix m = {0};
    lm_pattern_builder b = {.arena = &m.arena};
    assert_int_equal(lm_pattern_make(&b, &m.arena, 0, &m.p), 0);
    m.lin = lm_linear_create(&m.p, NULL);
    if (m.lin) {
        double x[1] = {5};
        assert_int_equal(lm_linear_factor(m.lin), 0);
        lm_linear_solve(m.lin, x);
        lm_linear_correct(m.lin, 2, x);
        assert_true(x[0] == 5);
    }
    drop(&m);
}

static void nothing_leaks(void **state)
{
    (void)state;
    assert_int_equal(lm_mem_live(), 0);
    lm_linear_destroy(NULL);
    matrix m;
    make(&m, 5, 1, 0);
    long live = lm_mem_live();
    for (int k = 1; k < 3; k++) {
        lm_mem_fail_after(k);
        assert_null(lm_linear_create(&m.p, NULL));
        lm_mem_fail_after(0);
        assert_int_equal(lm_mem_live(), live);
    }
    drop(&m);
    assert_int_equal(lm_mem_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves),
        cmocka_unit_test(keeps_its_pivots),
        cmocka_unit_test(changes_pivots_that_went_bad),
        cmocka_unit_test(finds_singular_matrices),
        cmocka_unit_test(finds_a_free_motion),
        cmocka_unit_test(refuses_numbers_that_are_not_finite),
        cmocka_unit_test(bears_bad_scaling),
        cmocka_unit_test(empty_system),
        cmocka_unit_test(nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
