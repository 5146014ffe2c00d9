/* M, D and K at once, as integrators that keep them apart ask for them, against one by one. */
#include "support/run_model.h"

#include "api/api.h"
#include "form/form.h"

enum { SIZE = 60 };

static double draw(void) { return 2.0 * rand() / RAND_MAX - 1; }

/* A state near the start, with velocities, accelerations and multipliers of any kind. */
static void draw_state(lm_system *sys, double *q, double *v, double *a, double *lam)
{
    double dx[SIZE];
    assert_int_equal(sys->form->initial(sys, q, v), 0);
    for (int i = 0; i < sys->nv; i++) dx[i] = 0.1 * draw(), v[i] = draw(), a[i] = draw();
    for (int i = 0; i < sys->nl; i++) lam[i] = draw();
    assert_int_equal(sys->form->retract(sys, q, dx, q), 0);
}

static void same(const double *a, const double *b, int n, double relative)
{
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(b[i]));
    assert_true(size > 0);
    for (int i = 0; i < n; i++) assert_under(fabs(a[i] - b[i]), relative * size);
}

static void check_system(lm_system *sys)
{
    double q[2 * SIZE], v[SIZE], a[SIZE], lam[SIZE], *all[3], *one;
    int nnz = sys->pattern.nnz;
    size_t bytes = sizeof(double) * (size_t)nnz;
    assert_true(sys->nv + sys->nl <= SIZE);
    draw_state(sys, q, v, a, lam);
    lm_state st = {0.3, q, v, a, lam};
    for (int k = 0; k < 3; k++) assert_non_null(all[k] = malloc(bytes));
    assert_non_null(one = malloc(bytes));
    assert_int_equal(sys->form->matrices(sys, &st, all[0], all[1], all[2]), 0);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(sys->form->jacobian(sys, &st, k == 0, k == 1, k == 2, one), 0);
        same(all[k], one, nnz, 1e-15);
    }
    assert_int_equal(sys->form->jacobian(sys, &st, 1, 0.2, 3, one), 0);
    for (int i = 0; i < nnz; i++) all[0][i] += 0.2 * all[1][i] + 3 * all[2][i];
    /* sums in another order; rows of constraints would count thrice */
    if (sys->nl == 0) same(all[0], one, nnz, 1e-13);
    for (int k = 0; k < 3; k++) free(all[k]);
    free(one);
}

static void check_model(const char *name, const char *set)
{
    char path[300];
    limber_messages *msg = limber_messages_new();
    limber_load_options options = {.set = &set, .set_count = set != NULL};
    limber_model *model = NULL;
    lm_system *sys = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", getenv("MODELS"), name);
    assert_int_equal(limber_model_load(path, &options, &model, msg), LIMBER_OK);
    assert_int_equal(lm_form_get(LM_FORM_MINIMAL)->create(&model->m, &msg->diag, &sys), LIMBER_OK);
    check_system(sys);
    sys->form->destroy(sys);
    limber_model_free(model);
    limber_messages_free(msg);
}

/* With frames given, on the chord and on a node; without constraints. */
static void written(void **state)
{
    (void)state;
    srand(3);
    check_model("slider_crank_minimal", NULL);
    check_model("hinged_superelements", "N=2");
    check_model("hinged_superelement_five_nodes", NULL);
}

/* With a loop that is a constraint. */
static void by_joints(void **state)
{
    (void)state;
    srand(4);
    check_model("slider_crank", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(written), cmocka_unit_test(by_joints)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
