/* Frames that a C function gives: the same mechanism by expressions and by C, with partial velocities
 * and without; tangents. Functions that fail, are missing or are wrong: test_kinematics_refused.c. */
#include "form/form.h"
#include "support/callback.h"

/* ---- equations at random states ---- */

typedef struct both { /* of the model by expressions, and by C */
    limber_model *model[2];
    lm_system *sys[2];
    double q[NQ], v[NQ], a[NQ], t;
} both;

static double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }

static both open_both(const limber_kinematics *k, int shake)
{
    both b = {.t = 0};
    limber_kinematics with = *k;
    with.context = shake ? &callback_shake : NULL;
    for (int i = 0; i < 2; i++) {
        limber_messages *msg = limber_messages_new();
        b.model[i] = callback_model(i ? callback_by_c : callback_by_expressions, callback_dynamics,
                                    i ? &with : NULL, shake);
        limber_status st =
            lm_form_get(LM_FORM_MINIMAL)->create(&b.model[i]->m, &msg->diag, &b.sys[i]);
        free_messages(msg, st != LIMBER_OK);
        assert_int_equal(st, LIMBER_OK);
        assert_int_equal(b.sys[i]->nv, NQ);
    }
    return b;
}

static void close_both(both *b)
{
    for (int i = 0; i < 2; i++) {
        b->sys[i]->form->destroy(b->sys[i]);
        limber_model_free(b->model[i]);
    }
}

static void wander(both *b)
{
    for (int i = 0; i < NQ; i++) b->q[i] = 1.5 * rnd(), b->v[i] = 2 * rnd(), b->a[i] = 3 * rnd();
    b->t = rnd();
}

static void dense(lm_system *sys, const lm_state *st, int which, double J[NQ][NQ])
{
    double values[NQ * NQ];
    assert_true(sys->pattern.nnz <= NQ * NQ);
    assert_int_equal(sys->form->jacobian(sys, st, which == 2, which == 1, which == 0, values), 0);
    memset(J, 0, sizeof(double) * NQ * NQ);
    for (int c = 0; c < NQ; c++)
        for (int k = sys->pattern.colptr[c]; k < sys->pattern.colptr[c + 1]; k++)
            J[c][sys->pattern.rowind[k]] = values[k];
}

/* Largest difference, as a part of the largest entry or of `size`. */
static double off(const double *x, const double *y, int n, double size)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(x[i]));
        most = fmax(most, fabs(x[i] - y[i]));
    }
    return most / size;
}

typedef struct bound {
    double residual, K, D, M;
} bound;

static void check_equations(const limber_kinematics *k, bound most)
{
    both b = open_both(k, 1);
    double r[2][NQ], J[2][NQ][NQ], limit[] = {most.K, most.D, most.M};
    srand(7);
    for (int turn = 0; turn < 20; turn++) {
        wander(&b);
        lm_state st = {b.t, b.q, b.v, b.a, NULL};
        for (int i = 0; i < 2; i++)
            assert_int_equal(b.sys[i]->form->residual(b.sys[i], &st, r[i], NULL, NULL), 0);
        assert_true(off(r[0], r[1], NQ, 0) < most.residual);
        for (int which = 0; which < 3; which++) {
            for (int i = 0; i < 2; i++) dense(b.sys[i], &st, which, J[i]);
            assert_true(off(J[0][0], J[1][0], NQ * NQ, 0) < limit[which]);
        }
    }
    close_both(&b);
}

/* Against the expressions, whose tangent is held against differences in test_tangent.c. */
static void same_equations(void **state)
{
    static const double scale[NQ + 1] = {0.5, 0.5, 1, 1, 0.3};
    (void)state;
    limber_kinematics scaled = callback_plain;
    scaled.scale = scale;
    check_equations(&callback_plain, (bound){1e-9, 1e-7, 1e-8, 1e-11});
    check_equations(&callback_exact, (bound){1e-11, 1e-9, 1e-10, 1e-14});
    /* shorter steps: rounding in third derivatives, which K has, grows as 1/h^3 */
    check_equations(&scaled, (bound){1e-9, 1e-6, 1e-8, 1e-11});
}

/* What came before has no influence: the same bits after other states were looked at. */
static void no_memory(void **state)
{
    (void)state;
    both b = open_both(&callback_plain, 1);
    double r[NQ], again[NQ], J[NQ][NQ], J_again[NQ][NQ];
    wander(&b);
    both first = b;
    lm_system *sys = b.sys[1];
    lm_state st = {first.t, first.q, first.v, first.a, NULL}, other = {0, b.q, b.v, b.a, NULL};
    sys->form->residual(sys, &st, r, NULL, NULL);
    dense(sys, &st, 0, J);
    for (int i = 0; i < 5; i++) {
        wander(&b);
        other.t = b.t;
        dense(sys, &other, i % 3, J_again);
    }
    dense(sys, &st, 0, J_again);
    sys->form->residual(sys, &st, again, NULL, NULL);
    assert_memory_equal(r, again, sizeof r);
    assert_memory_equal(J, J_again, sizeof J);
    close_both(&b);
}

/* ---- runs ---- */

enum { ROWS = 11, COLUMNS = 12 };

/* Outputs at eleven times. */
static void motion(const limber_model *model, double out[ROWS][COLUMNS])
{
    limber_messages *msg = limber_messages_new();
    limber_simulation *sim;
    limber_status st = limber_simulation_new(model, &sim, msg);
    free_messages(msg, st != LIMBER_OK);
    assert_int_equal(st, LIMBER_OK);
    assert_true(limber_model_output_count(model) <= COLUMNS);
    for (int k = 0; k < ROWS; k++) {
        st = limber_simulation_advance(sim, k / (ROWS - 1.0));
        if (st) print_message("%s\n", limber_simulation_reason(sim));
        assert_int_equal(st, LIMBER_OK);
        assert_int_equal(limber_simulation_outputs(sim, out[k]), LIMBER_OK);
    }
    limber_simulation_free(sim);
}

/* Largest difference of an output between both ways, as a part of its largest value. */
static double apart(const char *analysis, const limber_kinematics *k, int shake)
{
    static double x[2][ROWS][COLUMNS];
    limber_kinematics with = *k;
    double most = 0;
    int columns = 0;
    with.context = shake ? &callback_shake : NULL;
    for (int i = 0; i < 2; i++) {
        limber_model *m = callback_model(i ? callback_by_c : callback_by_expressions, analysis,
                                         i ? &with : NULL, shake);
        columns = limber_model_output_count(m);
        motion(m, x[i]);
        limber_model_free(m);
    }
    for (int c = 0; c < columns; c++) {
        double one[2][ROWS];
        for (int r = 0; r < ROWS; r++) one[0][r] = x[0][r][c], one[1][r] = x[1][r][c];
        most = fmax(most, off(one[0], one[1], ROWS, 1e-3));
    }
    return most;
}

static void same_motion(void **state)
{
    static const char tight[] = "{type: dynamics, until: 1, method: bdf, tolerance: 1e-10}";
    static const char usual[] = "{type: dynamics, until: 1, method: bdf, tolerance: 1e-8}";
    static const char statics[] = "[{type: statics}, {type: dynamics, until: 1, step: 0.01}]";
    (void)state;
    assert_true(apart(usual, &callback_plain, 0) < 1e-7);
    assert_true(apart(tight, &callback_exact, 0) < 1e-10);
    assert_true(apart(usual, &callback_plain, 1) < 1e-7);
    assert_true(apart(tight, &callback_exact, 1) < 1e-10);
    assert_true(apart(statics, &callback_plain, 0) < 1e-7);
    assert_true(apart(statics, &callback_exact, 0) < 1e-10);
}

static void keeps_energy(void **state)
{
    static const char how[] = "{type: dynamics, until: 2, tolerance: 1e-7, method: radau}";
    (void)state;
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    assert_int_equal(callback_run(callback_by_c, how, &callback_plain, &opt, &sum), LIMBER_OK);
    assert_true(sum.energy_error < 1e-7);
    assert_true(sum.steps > 10);
}

typedef struct modes {
    int n;
    double omega[NQ];
} modes;

static void note_mode(void *context, const limber_mode *mode)
{
    modes *m = context;
    assert_true(m->n < NQ);
    m->omega[m->n++] = mode->omega;
}

static void same_modes(void **state)
{
    static const char how[] = "[{type: statics}, {type: modes, count: 4, about: statics}]";
    (void)state;
    modes found[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        limber_run_options opt = limber_run_options_default();
        limber_summary sum;
        opt.mode = note_mode;
        opt.mode_context = &found[i];
        assert_int_equal(callback_run(i ? callback_by_c : callback_by_expressions, how,
                                      i ? &callback_plain : NULL, &opt, &sum),
                         LIMBER_OK);
    }
    assert_int_equal(found[0].n, NQ);
    assert_int_equal(found[1].n, NQ);
    assert_true(found[0].omega[NQ - 1] > 1);
    assert_true(off(found[0].omega, found[1].omega, NQ, 0) < 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_equations), cmocka_unit_test(no_memory),
        cmocka_unit_test(same_motion),    cmocka_unit_test(keeps_energy),
        cmocka_unit_test(same_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
