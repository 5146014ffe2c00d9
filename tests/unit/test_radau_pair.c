/* The complex system of the method radau: small ones, dense, against those that KLU solves. */
#include "support/run_model.h"

#include "solve/radau.h"

enum { MOST = 16 };

static double draw(void) { return 2.0 * rand() / RAND_MAX - 1; }

/* nv motions, all connected, and nl constraints with a zero diagonal. */
static void make_pattern(lm_system *sys, lm_arena *arena)
{
    lm_pattern_builder b = {.arena = arena};
    int n = sys->nv + sys->nl;
    for (int c = 0; c < n; c++)
        for (int r = 0; r < n; r++)
            if (r < sys->nv || c < sys->nv || r == c) lm_pattern_add(&b, r, c);
    assert_int_equal(lm_pattern_make(&b, arena, n, &sys->pattern), 0);
}

static void draw_matrix(const lm_system *sys, radau_complex *A)
{
    const lm_pattern *p = &sys->pattern;
    for (int c = 0; c < p->n; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
            int moves = c < sys->nv && p->rowind[k] < sys->nv;
            int zero = c >= sys->nv && p->rowind[k] >= sys->nv;
            A[k] = (radau_complex){zero ? 0 : draw(), moves ? draw() : 0};
        }
}

static int factor(radau_pair *p, const lm_pattern *pattern, const radau_complex *A)
{
    radau_pair_clear(p);
    for (int c = 0; c < pattern->n; c++)
        for (int k = pattern->colptr[c]; k < pattern->colptr[c + 1]; k++)
            radau_pair_put(p, pattern->rowind[k], c, k, A[k]);
    return radau_pair_factor(p, 1);
}

/* b = A x */
static void multiply(const lm_pattern *p, const radau_complex *A, const double *x, double *b)
{
    memset(b, 0, sizeof(double) * 2 * (size_t)p->n);
    for (int c = 0; c < p->n; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
            int r = p->rowind[k];
            b[2 * r] += A[k].re * x[2 * c] - A[k].im * x[2 * c + 1];
            b[2 * r + 1] += A[k].re * x[2 * c + 1] + A[k].im * x[2 * c];
        }
}

/* Twice with other numbers: nothing is left of the first. */
static void check(int nv, int nl, lm_solver solver, int dense)
{
    lm_arena arena = {0};
    lm_system sys = {.nv = nv, .nl = nl, .solver = solver};
    radau_pair p = {.n = 0};
    radau_complex A[MOST * MOST + 8 * MOST];
    double x[4 * MOST], b[4 * MOST];
    make_pattern(&sys, &arena);
    assert_int_equal(radau_pair_init(&p, &sys), 0);
    assert_int_equal(p.dense != NULL, dense);
    for (int k = 0; k < 2; k++) {
        draw_matrix(&sys, A);
        for (int i = 0; i < 2 * sys.pattern.n; i++) x[i] = draw();
        multiply(&sys.pattern, A, x, b);
        assert_int_equal(factor(&p, &sys.pattern, A), 0);
        radau_pair_solve(&p, b);
        for (int i = 0; i < 2 * sys.pattern.n; i++) assert_near(b[i], x[i], 1e-11);
    }
    radau_pair_free(&p);
    lm_arena_free(&arena);
}

static void solves(void **unused)
{
    (void)unused;
    srand(3);
    for (int nv = 1; nv <= 12; nv++) {
        check(nv, 0, LM_SOLVER_AUTOMATIC, 1);
        check(nv, nv / 3, LM_SOLVER_AUTOMATIC, 1);
        check(nv, nv / 3, LM_SOLVER_KLU, 0);
    }
    check(MOST + 1, 0, LM_SOLVER_AUTOMATIC, 0);
}

static void singular(void **unused)
{
    lm_arena arena = {0};
    lm_system sys = {.nv = 3, .solver = LM_SOLVER_AUTOMATIC};
    radau_pair p = {.n = 0};
    radau_complex A[9] = {{0, 0}};
    (void)unused;
    make_pattern(&sys, &arena);
    assert_int_equal(radau_pair_init(&p, &sys), 0);
    assert_int_equal(factor(&p, &sys.pattern, A), 1);
    for (int i = 0; i < 9; i++) A[i] = (radau_complex){i % 3 + 1, -(i % 3)}; /* equal columns */
    assert_int_equal(factor(&p, &sys.pattern, A), 1);
    A[0].re = NAN;
    assert_int_equal(factor(&p, &sys.pattern, A), 1);
    radau_pair_free(&p);
    lm_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(singular)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
