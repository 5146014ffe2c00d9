/* The tangent of a superelement in terms of a few coordinates, against the matrices of all its poses. */
#include "test_superelement_env.h"

#include <math.h>

enum { COORDINATES = 5 };

typedef struct matrices {
    double M[DOFS * DOFS], D[DOFS * DOFS], K[DOFS * DOFS];
} matrices;

static const lm_v3 gravity = {1, -9, 3};

static void all_poses(body *b, const lm_super_state *st, matrices *A)
{
    assert_int_equal(lm_super_tangent(&b->s, st, gravity, 1, 0, 0, b->scratch, A->M), 0);
    assert_int_equal(lm_super_tangent(&b->s, st, gravity, 0, 1, 0, b->scratch, A->D), 0);
    assert_int_equal(lm_super_tangent(&b->s, st, gravity, 0, 0, 1, b->scratch, A->K), 0);
}

/* x . A y */
static double form(int nd, const double *x, const double *A, const double *y)
{
    double sum = 0;
    for (int j = 0; j < nd; j++)
        for (int i = 0; i < nd; i++) sum += x[i] * A[nd * j + i] * y[j];
    return sum;
}

static void draw_motions(int nd, double *z)
{
    for (int i = 0; i < LM_SUPER_MOTION * nd * COORDINATES; i++) z[i] = NAN; /* room behind each */
    for (int c = 0; c < COORDINATES; c++)
        for (int i = 0; i < 4 * nd; i++) z[LM_SUPER_MOTION * nd * c + i] = rnd();
}

static void compare(int nd, const matrices *A, const double *z, const matrices *found)
{
    double most[3] = {0}, error[3] = {0};
    for (int j = 0; j < COORDINATES; j++)
        for (int i = 0; i < COORDINATES; i++) {
            const double *x = z + LM_SUPER_MOTION * nd * i, *X = z + LM_SUPER_MOTION * nd * j;
            const double *Xv = X + nd, *Xa = Xv + nd, *Xc = Xa + nd;
            int at = COORDINATES * j + i;
            const double right[3] = {
                form(nd, x, A->M, X), form(nd, x, A->D, X) + form(nd, x, A->M, Xc),
                form(nd, x, A->K, X) + form(nd, x, A->D, Xv) + form(nd, x, A->M, Xa)};
            const double is[3] = {found->M[at], found->D[at], found->K[at]};
            for (int k = 0; k < 3; k++) {
                most[k] = fmax(most[k], fabs(right[k]));
                error[k] = fmax(error[k], fabs(is[k] - right[k]));
            }
        }
    for (int k = 0; k < 3; k++) assert_under(error[k], 1e-13 * most[k]);
}

/* With scratch of the size that is asked for, and nothing in it. */
static void check(body *b)
{
    static double z[LM_SUPER_MOTION * DOFS * COORDINATES], used[sizeof z / sizeof *z];
    static matrices A, found, mass;
    int nd = 6 * b->s.poses, n = lm_super_reduce_scratch(b->s.n);
    double *scratch = malloc(sizeof(double) * (size_t)n);
    assert_non_null(scratch);
    for (int i = 0; i < n; i++) scratch[i] = NAN;
    state s = random_state(b, 0.3, 0.6);
    lm_super_state st = view(&s);
    all_poses(b, &st, &A);
    draw_motions(nd, z);
    memcpy(used, z, sizeof z);
    assert_int_equal(
        lm_super_reduce(&b->s, &st, gravity, COORDINATES, used, scratch, found.M, found.D, found.K),
        0);
    compare(nd, &A, z, &found);
    memcpy(used, z, sizeof z);
    assert_int_equal(
        lm_super_reduce(&b->s, &st, gravity, COORDINATES, used, scratch, mass.M, NULL, NULL), 0);
    assert_memory_equal(mass.M, found.M, sizeof(double) * COORDINATES * COORDINATES);
    free(scratch);
}

static void of_any_frame(void **unused)
{
    static body b;
    (void)unused;
    srand(5);
    for (int k = 0; k < 4; k++)
        for (int n = 2; n <= 5; n++)
            for (int damped = 0; damped < 2; damped++) {
                make_random(&b, n, kinds[k]);
                if (damped) damp(&b);
                check(&b);
            }
}

/* A chord without length. */
static void without_frame(void **unused)
{
    static body b;
    static double z[LM_SUPER_MOTION * DOFS], scratch[20 * DOFS * DOFS];
    double M, D, K;
    (void)unused;
    make_random(&b, 3, LM_SUPER_CHORD);
    state s = random_state(&b, 0, 0);
    s.x[2] = s.x[0];
    lm_super_state st = view(&s);
    assert_true(lm_super_reduce_scratch(3) <= 20 * DOFS * DOFS);
    assert_int_equal(lm_super_reduce(&b.s, &st, gravity, 1, z, scratch, &M, &D, &K), 1);
    assert_int_equal(lm_super_reduce(&b.s, &st, gravity, 1, z, scratch, &M, NULL, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_any_frame),
                                       cmocka_unit_test(without_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
