/* The linearize analysis in a run: the state it is about, result files, matrices, lack of memory. */
#include "support/linear.h"

#include <unistd.h>

#define SWING                                                                                      \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies: {rod: {type: rigid, mass: 3, inertia: [0.1, 0.1, 0.25], position: [0, -0.8, 0]}}\n"   \
    "joints: {pivot: {type: revolute, between: [ground, rod], axis: z, at: [0, 0, 0], effort: 0, " \
    "damping: 0.3}}\n"                                                                             \
    "outputs: {angle: joint(pivot), reaction: force(pivot).y}\n"                                   \
    "initial: {pivot: {angle: 1.1, rate: 0.5}}\n"

static double square(double angle) { return 3 * 9.81 * 0.8 * cos(angle) / (0.25 + 3 * 0.64); }

/* Frequencies of the pole pair at an angle, A = [0 1; -square -0.3/J]. */
static void check_pole(const table *r, double angle)
{
    double re = -0.15 / (0.25 + 3 * 0.64);
    assert_int_equal(r->rows, 1);
    assert_near(table_get(r, 0, "real"), re, 1e-9);
    assert_near(table_get(r, 0, "imaginary"), sqrt(square(angle) - re * re), 1e-9);
}

/* ---- the state ---- */

static void about_the_initial_state(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.text = SWING "analysis: {type: linearize}\n"});
    check_pole(&r, 1.1);
    assert_int_equal(r.sum.states, 2);
    assert_int_equal(r.sum.inputs, 1);
    assert_int_equal(r.sum.outputs, 2);
    assert_int_equal(r.sum.poles, 1);
    table_free(&r);
}

static void about_the_equilibrium(void **state)
{
    (void)state;
    static const char *const analysis[] = {"{type: linearize, about: statics}",
                                           "[{type: statics}, {type: linearize}]"};
    for (int i = 0; i < 2; i++) {
        table r = run_model(
            &(run_how){.text = SWING "analysis: {type: statics}\n", .analysis = analysis[i]});
        check_pole(&r, 0);
        assert_int_equal(r.sum.linearized_at_rest, 1);
        table_free(&r);
    }
}

/* A stiffness of 25 z, where z is what an integrator starts from and keeps. */
static void states_at_rest(void **state)
{
    (void)state;
    table r = run_model(
        &(run_how){.text = "limber: 1\n"
                           "bodies: {m: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                           "joints: {p: {type: prismatic, between: [ground, m], axis: x, effort: "
                           "'30 - 25*z*joint(p)'}}\n"
                           "blocks: {z: {type: integrator, input: 0*rate(p), initial: 4}}\n"
                           "analysis: {type: linearize, about: statics}\n"});
    assert_int_equal(r.rows, 2);
    assert_near(table_get(&r, 1, "real"), 0, 1e-9);
    assert_near(table_get(&r, 1, "imaginary"), 10, 1e-9);
    table_free(&r);
}

/* At the end of a run, in its middle, and without one in the list: the same states. */
static void about_a_state_of_a_run(void **state)
{
    (void)state;
#define RUN "{type: dynamics, until: 0.6, output_step: 0.6, tolerance: 1e-10}"
    static const char text[] = SWING "analysis: " RUN "\n";
    table end = run_model(&(run_how){.text = text});
    double angle = table_last(&end, "angle");
    static const char *const analysis[] = {
        "[" RUN ", {type: linearize}]", "[" RUN ", {type: linearize, at: 0.6}]",
        "[{type: dynamics, until: 1, tolerance: 1e-10}, {type: linearize, at: 0.6}]"};
    for (int i = 0; i < 3; i++) {
        table r = run_model(&(run_how){.text = text, .analysis = analysis[i]});
        check_pole(&r, angle);
        assert_near(r.sum.t, 0.6, 1e-15);
        table_free(&r);
    }
    table_free(&end);
}

/* What comes after a linearisation starts where it would without it. */
static void in_a_list(void **state)
{
    (void)state;
    static const char text[] = SWING "analysis: " RUN "\n";
    table a = run_model(&(run_how){.text = text});
    table b = run_model(
        &(run_how){.text = text,
                   .analysis = "[{type: linearize, at: 0.2}, {type: linearize, about: statics}, "
                               "{type: modes}, " RUN "]"});
    assert_near(table_distance_all(&a, &b), 0, 0);
    assert_int_equal(b.sum.states, 2);
    table_free(&a);
    table_free(&b);
}

/* ---- transfer functions ---- */

static void transfer_table(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = SWING "analysis: {type: linearize, about: statics, frequencies: [0.01, 10, 31], "
                      "outputs: [angle]}\n"});
    double J = 0.25 + 3 * 0.64;
    assert_int_equal(r.rows, 31);
    assert_int_equal(r.cols, 3);
    assert_near(table_get(&r, 0, "frequency"), 0.01, 1e-17);
    assert_near(table_get(&r, 10, "frequency"), 0.1, 1e-15);
    assert_near(table_get(&r, 30, "frequency"), 10, 0);
    for (int i = 0; i < 31; i++) {
        double w = 2 * PI * table_get(&r, i, "frequency");
        double re = J * (square(0) - w * w), im = 0.3 * w;
        double size = table_get(&r, i, "angle/pivot.effort.magnitude");
        assert_near(size * hypot(re, im), 1, 1e-9);
        assert_near(table_get(&r, i, "angle/pivot.effort.phase"), -atan2(im, re), 1e-9);
    }
    table_free(&r);
}

/* Of two masses on two springs each answers to its own force alone. */
static void transfer_of_two(void **state)
{
    static const char *const name[] = {"a", "b"};
    (void)state;
    table r = run_model(&(run_how){
        .text = "limber: 1\n"
                "bodies: {m: {type: rigid, mass: 1, inertia: [1, 1, 1]}, n: {type: rigid, mass: 2, "
                "inertia: [1, 1, 1]}}\n"
                "joints: {p: {type: prismatic, between: [ground, m], axis: x, stiffness: 100, "
                "damping: 1, effort: 0}, q: {type: prismatic, between: [ground, n], axis: y, "
                "stiffness: 300, damping: 2, effort: 0}}\n"
                "outputs: {a: joint(p), b: joint(q)}\n"
                "analysis: {type: linearize, inputs: [p.effort, q.effort], frequencies: [1, 4, "
                "3]}\n"});
    assert_int_equal(r.cols, 9);
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 2; k++) {
                char column[60];
                double w = 2 * PI * table_get(&r, row, "frequency");
                double re = (i ? 300 : 100) - (i ? 2 : 1) * w * w, im = (i ? 2 : 1) * w;
                snprintf(column, sizeof column, "%s/%s.effort.magnitude", name[i], k ? "q" : "p");
                double size = table_get(&r, row, column);
                assert_near(size * hypot(re, im), i == k, 1e-9);
                snprintf(column, sizeof column, "%s/%s.effort.phase", name[i], k ? "q" : "p");
                if (i == k) assert_near(table_get(&r, row, column), -atan2(im, re), 1e-9);
            }
    table_free(&r);
}

/* ---- files ---- */

static char results[300], folder[300];

static void paths(void)
{
    const char *scratch = getenv("SCRATCH") ? getenv("SCRATCH") : "/tmp";
    snprintf(results, sizeof results, "%s/linearize_%ld.h5", scratch, (long)getpid());
    snprintf(folder, sizeof folder, "%s/linearize_%ld", scratch, (long)getpid());
}

static void check_text(lm_h5 *f, const char *path, const char *expected)
{
    char *text = NULL;
    assert_int_equal(lm_h5_read_text(f, path, &text), 0);
    assert_string_equal(text, expected);
    lm_free(text);
}

/* A file of numbers in columns, as other programs read it. */
static void check_matrix(const char *name, int rows, int cols, const double *by_rows)
{
    char path[400], line[100];
    int r = 0, c = 0;
    snprintf(path, sizeof path, "%s/linearize_%s", folder, name);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    assert_string_equal(line, "%%MatrixMarket matrix array real general\n");
    assert_int_equal(fscanf(in, "%d %d", &r, &c), 2);
    assert_int_equal(r, rows);
    assert_int_equal(c, cols);
    for (int k = 0; k < rows * cols; k++) {
        double x;
        assert_int_equal(fscanf(in, "%lf", &x), 1);
        assert_near(x, by_rows[cols * (k % rows) + k / rows], 0);
    }
    fclose(in);
    unlink(path);
}

static void result_file(void **state)
{
    (void)state;
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(SWING "analysis: {type: linearize, about: statics}\n", msg);
    limber_run_options opt = limber_run_options_default();
    char err[200], path[400];
    lm_h5 *f;
    paths();
    opt.results = results;
    opt.matrices = folder;
    assert_int_equal(limber_run(model, &opt, NULL, msg), LIMBER_OK);
    assert_int_equal(lm_h5_open(results, LM_H5_READ, &f, err, sizeof err), 0);
    double *A = read_table(f, "/linearize/A", 2, 2), *B = read_table(f, "/linearize/B", 2, 1);
    double *C = read_table(f, "/linearize/C", 2, 2), *D = read_table(f, "/linearize/D", 2, 1);
    double *M = read_table(f, "/linearize/second_order/M", 1, 1);
    double *K = read_table(f, "/linearize/second_order/K", 1, 1);
    double *poles = read_table(f, "/linearize/poles", 1, 4);
    assert_near(A[0], 0, 0);
    assert_near(A[1], 1, 0);
    assert_near(A[2], -square(0), 1e-11);
    assert_near(K[0] / M[0], square(0), 1e-11);
    assert_near(poles[0], -0.15 / (0.25 + 3 * 0.64), 1e-12);
    check_text(f, "/linearize/state_names",
               "body rod turning about z\nbody rod turning about z, rate\n");
    check_text(f, "/linearize/input_names", "pivot.effort\n");
    check_text(f, "/linearize/output_names", "angle\nreaction\n");
    check_matrix("A.mtx", 2, 2, A);
    check_matrix("B.mtx", 2, 1, B);
    check_matrix("C.mtx", 2, 2, C);
    check_matrix("D.mtx", 2, 1, D);
    check_matrix("second_order_M.mtx", 1, 1, M);
    check_matrix("second_order_K.mtx", 1, 1, K);
    static const char *const rest[] = {"names.txt", "second_order_D.mtx", "second_order_B.mtx",
                                       "second_order_S.mtx"};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/linearize_%s", folder, rest[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0); /* there was nothing else */
    free(A), free(B), free(C), free(D), free(M), free(K), free(poles);
    lm_h5_close(f);
    unlink(results);
    limber_model_free(model);
    limber_messages_free(msg);
}

/* ---- what cannot be ---- */

static void said(const char *text, limber_status expected, const char *message)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_summary sum;
    assert_int_equal(limber_run(model, NULL, &sum, msg), expected);
    int found = strstr(sum.reason, message) != NULL;
    for (int i = 0; i < limber_messages_count(msg); i++)
        found |= strstr(limber_messages_get(msg, i).text, message) != NULL;
    if (!found) limber_messages_print(msg, stderr);
    if (!found) fail_msg("'%s' is not said; reason: %s", message, sum.reason);
    limber_model_free(model);
    limber_messages_free(msg);
}

static void warnings(void **state)
{
    (void)state;
    said("limber: 1\nbodies: {a: {type: rigid, mass: 1}}\njoints: {j: {type: fixed, between: "
         "[ground, a]}}\nanalysis: {type: linearize}\n",
         LIMBER_OK, "leave no motion free");
    said("limber: 1\ngravity: [0, -9.81, 0]\nbodies: {a: {type: rigid, mass: 1, inertia: [1, 1, "
         "1]}}\nanalysis: {type: linearize}\n",
         LIMBER_OK, "the state is not an equilibrium: it moves off, mostly body a along y");
    said("limber: 1\nsections: {s: {shape: stiffness, EA: 1e6, EIy: 1, EIz: 1, GJ: 1, rhoA: 1}}\n"
         "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0]}}\n"
         "analysis: {type: linearize}\n",
         LIMBER_STOPPED, "no stiffness holds it"); /* its spin */
    said("limber: 1\nbodies: {a(k=1..200): {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
         "analysis: {type: linearize}\n",
         LIMBER_STOPPED, "1200 independent motions of 1200 in all are too many");
}

/* ---- memory ---- */

static void allocations(void **state)
{
    (void)state;
    paths();
    every_allocation_fails(SWING "analysis: {type: linearize, at: 0.01, frequencies: [1, 2, 3]}\n",
                           results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(about_the_initial_state),
        cmocka_unit_test(about_the_equilibrium),
        cmocka_unit_test(about_a_state_of_a_run),
        cmocka_unit_test(in_a_list),
        cmocka_unit_test(transfer_table),
        cmocka_unit_test(transfer_of_two),
        cmocka_unit_test(states_at_rest),
        cmocka_unit_test(result_file),
        cmocka_unit_test(warnings),
        cmocka_unit_test(allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
