/* Chatter: the arm of models/machining_arm.yaml against the linear theory of regenerative cutting
 * (docs/theory/discrete-states.md), with the receptance of the arm from its own matrices. */
#include "api/api.h"
#include "form/form.h"
#include "support/run_model.h"

#include <complex.h>

static const double feed = 1e-4, speed = 11, cut = 8e8, thrust = 0.5;

/* ---- the receptance ---- */

typedef struct arm {
    int n, y; /* unknowns; which of them is the height of the tool */
    double *M, *D, *K;
    double complex *Z, *x;
} arm;

static void dense(lm_system *sys, const lm_state *s, const double c[3], double *A)
{
    const lm_pattern *p = &sys->pattern;
    double *values = calloc((size_t)p->nnz, sizeof *values);
    assert_int_equal(sys->form->jacobian(sys, s, c[0], c[1], c[2], values), 0);
    for (int j = 0; j < p->n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            A[p->rowind[k] * p->n + j] = values[k];
    free(values);
}

/* The matrices as drawn, without a cut. Those of the constraints are in all three. */
static arm make_arm(void)
{
    char path[512];
    limber_model *model = NULL;
    lm_system *sys = NULL;
    limber_messages *msg = limber_messages_new();
    limber_load_options load = {.set = (const char *[]){"width=0"}, .set_count = 1};
    snprintf(path, sizeof path, "%s/machining_arm.yaml", getenv("MODELS"));
    assert_int_equal(limber_model_load(path, &load, &model, msg), LIMBER_OK);
    assert_int_equal(lm_form_get(LM_FORM_COROTATIONAL)->create(&model->m, &msg->diag, &sys), 0);
    arm r = {.n = sys->nv + sys->nl};
    size_t n = (size_t)r.n, nv = (size_t)sys->nv;
    double *q = calloc((size_t)sys->nq + 2 * n, sizeof *q), *zero = q + sys->nq;
    lm_state s = {0, q, zero, zero, zero + nv};
    assert_int_equal(sys->form->initial(sys, q, zero), 0);
    r.M = calloc(3 * n * n, sizeof *r.M), r.D = r.M + n * n, r.K = r.D + n * n;
    r.Z = calloc(n * n + n, sizeof *r.Z), r.x = r.Z + n * n;
    dense(sys, &s, (const double[]){1, 0, 0}, r.M);
    dense(sys, &s, (const double[]){0, 1, 0}, r.D);
    dense(sys, &s, (const double[]){0, 0, 1}, r.K);
    for (size_t i = 0; i < n * n; i++) /* constraints are counted once, with K */
        if (i / n >= nv || i % n >= nv) r.M[i] = r.D[i] = 0;
    for (int b = 0; b < model->m.nbodies; b++)
        if (strcmp(model->m.bodies[b].name, "tool") == 0)
            r.y = 6 * model->m.bodies[b].first_node + 1;
    free(q);
    sys->form->destroy(sys);
    limber_model_free(model);
    limber_messages_free(msg);
    return r;
}

static void free_arm(arm *r)
{
    free(r->M);
    free(r->Z);
}

static void eliminate(double complex *A, double complex *x, int n)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(A[i * n + k]) > cabs(A[p * n + k])) p = i;
        for (int j = 0; j < n && p != k; j++) {
            double complex a = A[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = a;
        }
        double complex b = x[k];
        x[k] = x[p], x[p] = b;
        for (int i = k + 1; i < n; i++) {
            double complex f = A[i * n + k] / A[k * n + k];
            if (f == 0) continue;
            for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= A[k * n + j] * x[j];
        x[k] /= A[k * n + k];
    }
}

/* G(s): height of the tool over chip thickness and width, by the cutting force. */
static double complex receptance(arm *r, double complex s)
{
    int n = r->n;
    for (int i = 0; i < n * n; i++) r->Z[i] = s * s * r->M[i] + s * r->D[i] + r->K[i];
    for (int i = 0; i < n; i++) r->x[i] = 0;
    r->x[r->y - 1] = cut;
    r->x[r->y] = thrust * cut;
    eliminate(r->Z, r->x, n);
    return r->x[r->y];
}

/* y = width G (y one turn ago - y): the root of 1 + width (1 - exp(-s T)) G(s) has the vibration. */
static double complex loop(arm *r, double complex s, double rate)
{
    return (1 - cexp(-s / rate)) * receptance(r, s);
}

/* The least width at which a vibration neither decays nor grows, and its frequency: there the loop is
 * real, -1/width. */
static double critical_width(arm *r, double rate, double *omega)
{
    double best = INFINITY, step = 2, before = cimag(loop(r, I * step, rate));
    for (double w = 2 * step; w < 1500; w += step) {
        double now = cimag(loop(r, I * w, rate));
        if (before * now <= 0) {
            double a = w - step, b = w, fa = before;
            for (int k = 0; k < 40; k++) {
                double m = 0.5 * (a + b), fm = cimag(loop(r, I * m, rate));
                if (fa * fm <= 0)
                    b = m;
                else
                    a = m, fa = fm;
            }
            double real = creal(loop(r, I * a, rate));
            if (real < 0 && -1 / real < best) best = -1 / real, *omega = a;
        }
        before = now;
    }
    return best;
}

/* The root next to where the search begins, by Newton's method with a difference for the slope. */
static double complex vibration(arm *r, double rate, double width, double complex s)
{
    for (int k = 0; k < 50; k++) {
        double complex h = 1e-5 * cabs(s), f = 1 + width * loop(r, s, rate);
        double complex slope = width * (loop(r, s + h, rate) - loop(r, s - h, rate)) / (2 * h);
        s -= f / slope;
        if (cabs(f / slope) < 1e-9 * cabs(s)) return s;
    }
    fail_msg("there is no such vibration");
    return s;
}

/* ---- simulations ---- */

/* Root mean square of the vibration about the steady cut, over two turns. */
static double amplitude(const table *r, double mean, double turn)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < r->rows; i++) {
        double t = table_get(r, i, "t") * speed, y = table_get(r, i, "y") - mean;
        if (t >= turn && t < turn + 2) sum += y * y, n++;
    }
    return sqrt(sum / n);
}

/* How fast the vibration grows, 1/s, from the sixth turn to the sixteenth. */
static double growth(arm *r, double width, const char *analysis, const char *cells)
{
    char set[40];
    snprintf(set, sizeof set, "width=%.17g", width);
    table t = run_model(&(run_how){.model = "machining_arm",
                                   .set = {set},
                                   .analysis = analysis,
                                   .swap = {{"cells: 360", cells}}});
    double mean = width * feed * creal(receptance(r, 1e-3));
    double rate = speed / 10 * log(amplitude(&t, mean, 16) / amplitude(&t, mean, 6));
    table_free(&t);
    return rate;
}

/* ---- tests ---- */

/* Narrow cuts are stable and wide ones are not, and the vibrations grow as the theory says; numerical
 * damping of the steps and straight lines between the cells take a little away. */
static void stable_below_the_limit(void **state)
{
    static const double share[] = {0.8, 0.95, 1.05, 1.25};
    arm *r = *state;
    double omega = 0, limit = critical_width(r, speed, &omega);
    for (int i = 0; i < 4; i++) {
        double rate = growth(r, share[i] * limit, NULL, "cells: 360");
        double theory = creal(vibration(r, speed, share[i] * limit, I * omega));
        assert_true(share[i] < 1 ? rate < -0.1 && theory < 0 : rate > 0.1 && theory > 0);
        assert_between(rate - theory, -0.04, 0.01);
    }
}

/* With small errors and many cells the difference goes away: the delay is one turn. */
static void rate_converges(void **state)
{
    static const char fine[] = "{type: dynamics, until: 2, output_step: 0.001, tolerance: 1e-9}";
    arm *r = *state;
    double omega = 0, limit = critical_width(r, speed, &omega);
    double theory = creal(vibration(r, speed, 1.1 * limit, I * omega));
    double coarse = growth(r, 1.1 * limit, fine, "cells: 180");
    assert_near(growth(r, 1.1 * limit, fine, "cells: 1440"), theory, 0.004 * theory);
    assert_under(coarse - theory, -0.02);
}

/* Whatever the speed, below -1/(2 min Re G) nothing grows; for one mode that is 2 zeta (1 + zeta) k. */
static void limit_of_all_speeds(void **state)
{
    arm *r = *state;
    double least = 0, omega = 0, at = 0;
    for (double w = 300; w < 600; w += 1) {
        double real = creal(receptance(r, I * w));
        if (real < least) least = real, at = w;
    }
    double bound = -1 / (2 * least), some = INFINITY;
    for (double rate = 9; rate < 12; rate += 0.25)
        some = fmin(some, critical_width(r, rate, &omega));
    assert_between(some / bound, 1, 1.02);
    /* the pole of the first mode: 1/G is zero there */
    double complex s = I * at, h = 1e-5 * at;
    for (int k = 0; k < 30; k++) {
        double complex f = 1 / receptance(r, s);
        s -= f * 2 * h / (1 / receptance(r, s + h) - 1 / receptance(r, s - h));
    }
    double complex slope = (1 / receptance(r, s + h) - 1 / receptance(r, s - h)) / (2 * h);
    double zeta = -creal(s) / cabs(s);
    double k = creal(slope / (2 * I * cimag(s))) * cabs(s) * cabs(s); /* 1/G = m (s^2 + ...) */
    assert_between(zeta, 0.02, 0.06);
    assert_near(2 * zeta * (1 + zeta) * k / bound, 1, 0.1);
}

/* The same motion in minimal coordinates. */
static void same_in_minimal(void **state)
{
    (void)state;
    run_how how = {.model = "machining_arm", .until = 0.3, .set = {"width=5e-4"}};
    table a = run_model(&how);
    how.formulation = "minimal";
    table b = run_model(&how);
    assert_under(table_distance(&a, &b, "y"), 1e-10);
    assert_true(table_last(&a, "thickest") > feed);
    assert_near(table_last(&b, "thickest"), table_last(&a, "thickest"), 1e-10);
    table_free(&a);
    table_free(&b);
}

/* Far above the limit the tool leaves the cut and comes back: the vibration stays finite, and no chip is
 * thicker than what several turns have left. */
static void leaves_the_cut(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.model = "machining_arm", .set = {"width=1.2e-3"}});
    double thinnest = 0;
    for (int i = 0; i < r.rows; i++) thinnest = fmin(thinnest, table_get(&r, i, "chip"));
    assert_under(thinnest, -feed);
    assert_between(table_last(&r, "thickest"), 2 * feed, 20 * feed);
    table_free(&r);
}

static int set_up(void **state)
{
    static arm r;
    r = make_arm();
    *state = &r;
    return 0;
}

static int tear_down(void **state)
{
    free_arm(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stable_below_the_limit), cmocka_unit_test(rate_converges),
        cmocka_unit_test(limit_of_all_speeds),    cmocka_unit_test(same_in_minimal),
        cmocka_unit_test(leaves_the_cut),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
