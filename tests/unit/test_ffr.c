/* Floating frames (docs/theory/ffr.md): accelerations by divide and conquer against one dense system and
 * against the equations, for every topology; what the formulation refuses. */
#include "api/api.h"
#include "base/pool.h"
#include "form/form.h"
#include "support/run_model.h"

static double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }

typedef struct made {
    limber_model *model;
    limber_messages *msg;
    lm_system *sys;
} made;

static const struct {
    const char *model, *set[3];
} topology[] = {
    {"rod_chain", {"N=1"}},      {"rod_chain", {"N=13"}},     {"flexible_chain", {"N=1"}},
    {"flexible_chain", {"N=9"}}, {"branched_tree", {"D=3"}},  {"four_bar_assembly", {NULL}},
    {"a02_four_bars", {NULL}},   {"a04_bricard", {NULL}},     {"tapered_beam", {NULL}},
    {"robot_arm", {NULL}},       {"rope", {"N=17"}},          {"crane_rope", {"N=12"}},
    {"heavy_top", {NULL}},       {"swinging_arch", {NULL}},   {"ladder_frame", {NULL}},
    {"gantry_crane", {NULL}},    {"a03_andrews", {NULL}},     {"a05_governor", {NULL}},
    {"cardan_shaft", {NULL}},    {"two_link_arm", {NULL}},    {"screw_jack", {NULL}},
    {"satellite", {NULL}},       {"spring_pendulum", {NULL}}, {"flexible_crane", {NULL}},
};
enum { TOPOLOGIES = sizeof topology / sizeof *topology };

static void load(made *m, const char *name, const char *const *set)
{
    char path[400];
    limber_load_options o = limber_load_options_default();
    snprintf(path, sizeof path, "%s/%s.yaml", getenv("MODELS"), name);
    m->msg = limber_messages_new();
    while (set[o.set_count]) o.set_count++;
    o.set = set;
    limber_status st = limber_model_load(path, &o, &m->model, m->msg);
    if (st) limber_messages_print(m->msg, stderr);
    assert_int_equal(st, LIMBER_OK);
}

static lm_system *create(made *m, int dense)
{
    lm_system *sys;
    ((lm_spec *)m->model->m.spec)->formulation.algorithm_dense = dense;
    limber_status st = lm_form_get(LM_FORM_FFR)->create(&m->model->m, &m->msg->diag, &sys);
    if (st) limber_messages_print(m->msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    return sys;
}

typedef struct numbers {
    double *q, *v, *a, *lam, *b, *mu, *r, *dx;
} numbers;

static numbers reserve(const lm_system *sys)
{
    size_t n = (size_t)(sys->nv + sys->nl + sys->nq);
    double *at = calloc(8 * n, sizeof *at);
    assert_non_null(at);
    return (numbers){at,         at + n,     at + 2 * n, at + 3 * n,
                     at + 4 * n, at + 5 * n, at + 6 * n, at + 7 * n};
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void compare(const char *name, const char *what, const double *x, const double *y, int n)
{
    double size = fmax(largest(y, n), 1e-300), most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    if (!(most <= 1e-10 * size)) print_error("%s, %s: %g of %g\n", name, what, most, size);
    assert_true(most <= 1e-10 * size);
}

/* What the accelerations leave of the equations, over the largest of the forces without them. */
static void satisfied(const char *name, lm_system *sys, const numbers *x)
{
    double *zero = x->dx;
    for (int i = 0; i < sys->nv; i++) zero[i] = 0;
    lm_state at = {0.1, x->q, x->v, x->a, x->lam}, rest = {0.1, x->q, x->v, zero, zero};
    assert_int_equal(sys->form->residual(sys, &rest, x->r, NULL, NULL), 0);
    double force = fmax(largest(x->r, sys->nv), largest(x->lam, sys->nl));
    assert_int_equal(sys->form->residual(sys, &at, x->r, NULL, NULL), 0);
    if (!(largest(x->r, sys->nv) <= 1e-10 * force))
        print_error("%s: residual %g of %g\n", name, largest(x->r, sys->nv), force);
    assert_true(largest(x->r, sys->nv) <= 1e-10 * force);
    assert_int_equal(sys->form->constraint_accel(sys, &at, x->r), 0);
    if (!(largest(x->r, sys->nl) <= 1e-10 * largest(x->a, sys->nv)))
        print_error("%s: constraints %g\n", name, largest(x->r, sys->nl));
    assert_true(largest(x->r, sys->nl) <= 1e-10 * largest(x->a, sys->nv));
}

static void check_topology(int k)
{
    made m = {0};
    const char *name = topology[k].model;
    load(&m, name, topology[k].set);
    lm_system *dca = create(&m, 0), *dense = create(&m, 1);
    numbers x = reserve(dca);
    dca->form->initial(dca, x.q, x.v);
    /* joints that are redundant agree in the drawn position only */
    double by = dca->form->select_rows(dca, 0, x.q, 0) > 0 ? 0 : 0.03;
    for (int i = 0; i < dca->nv; i++) x.dx[i] = by * rnd();
    dca->form->retract(dca, x.q, x.dx, x.q);
    for (int i = 0; i < dca->nv; i++) x.v[i] += 0.3 * rnd();
    assert_true(dca->form->select_rows(dca, 0.1, x.q, 0) >= 0);
    memcpy(dense->active, dca->active, (size_t)dca->nl);
    lm_state at = {0.1, x.q, x.v, NULL, NULL};
    assert_int_equal(dense->form->accelerations(dense, &at, x.b, x.mu), 0);
    assert_int_equal(dca->form->accelerations(dca, &at, x.a, x.lam), 0);
    satisfied(name, dca, &x);
    compare(name, "accelerations", x.a, x.b, dca->nv);
    compare(name, "multipliers", x.lam, x.mu, dca->nl);
    free(x.q);
    dca->form->destroy(dca);
    dense->form->destroy(dense);
    limber_model_free(m.model);
    limber_messages_free(m.msg);
}

static void accelerations(void **unused)
{
    (void)unused;
    srand(7);
    for (int k = 0; k < TOPOLOGIES; k++) check_topology(k);
}

/* A body without mass is left to the sparse matrix; the run does not notice. */
static void massless_body(void **unused)
{
    made m = {0};
    const char *none[1] = {NULL};
    (void)unused;
    load(&m, "slider_crank_flexible", none);
    lm_system *sys = create(&m, 0);
    numbers x = reserve(sys);
    sys->form->initial(sys, x.q, x.v);
    sys->form->select_rows(sys, 0, x.q, 0);
    lm_state at = {0, x.q, x.v, NULL, NULL};
    assert_int_equal(sys->form->accelerations(sys, &at, x.a, x.lam), 1);
    free(x.q);
    sys->form->destroy(sys);
    limber_model_free(m.model);
    limber_messages_free(m.msg);
}

/* The same bits by any number of threads, more than there are bodies included. */
static void threads(void **unused)
{
    static const char *const of[][3] = {{"flexible_chain", "N=3", NULL},
                                        {"flexible_chain", "N=300", NULL},
                                        {"branched_tree", "D=6", NULL}};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        made m = {0};
        load(&m, of[k][0], of[k] + 1);
        lm_system *sys = create(&m, 0);
        numbers x = reserve(sys);
        sys->form->initial(sys, x.q, x.v);
        sys->form->select_rows(sys, 0, x.q, 0);
        for (int i = 0; i < sys->nv; i++) x.v[i] += 0.1 * rnd();
        lm_state at = {0.1, x.q, x.v, NULL, NULL};
        assert_int_equal(sys->form->accelerations(sys, &at, x.b, x.mu), 0);
        for (int n = 2; n <= 8; n += 3) {
            sys->pool = lm_pool_create(n);
            assert_non_null(sys->pool);
            for (int turn = 0; turn < 5; turn++) {
                assert_int_equal(sys->form->accelerations(sys, &at, x.a, x.lam), 0);
                assert_memory_equal(x.a, x.b, sizeof(double) * (size_t)sys->nv);
                assert_memory_equal(x.lam, x.mu, sizeof(double) * (size_t)sys->nl);
            }
            lm_pool_destroy(sys->pool);
        }
        free(x.q);
        sys->form->destroy(sys);
        limber_model_free(m.model);
        limber_messages_free(m.msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations),
        cmocka_unit_test(massless_body),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
