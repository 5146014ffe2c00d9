/* The modes analysis in a run: turned models, result files, lists, interruptions, lack of
 * memory. */
#include "support/modes.h"

#include <complex.h>

#include <unistd.h>

/* ---- the same model, turned ---- */

typedef struct turned {
    double R[3][3], axis[3], angle;
} turned;

static turned turn_about(double x, double y, double z, double angle)
{
    turned t = {{{0}}, {x, y, z}, angle};
    double n = sqrt(x * x + y * y + z * z), u[3] = {x / n, y / n, z / n};
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t.R[i][j] = u[i] * u[j] * (1 - c) + (i == j ? c : 0);
    t.R[2][1] += s * u[0], t.R[1][2] -= s * u[0];
    t.R[0][2] += s * u[1], t.R[2][0] -= s * u[1];
    t.R[1][0] += s * u[2], t.R[0][1] -= s * u[2];
    return t;
}

static void vector(writer *out, const turned *t, double x, double y, double z)
{
    double v[3];
    for (int i = 0; i < 3; i++) v[i] = t->R[i][0] * x + t->R[i][1] * y + t->R[i][2] * z;
    print(out, "[%.17g, %.17g, %.17g]", v[0], v[1], v[2]);
}

/* Two bodies hanging one from the other, the upper one held by a spring with damper. */
static char *spatial_pendulum(const turned *t)
{
    writer s = {0};
    print(&s, "limber: 1\ngravity: ");
    vector(&s, t, 0, 0, -9.81);
    for (int k = 0; k < 2; k++) {
        print(&s, k ? "\n" : "\nbodies:\n");
        print(
            &s,
            "  b%d: {type: rigid, mass: 2, inertia: [0.3, 0.2, 0.1], com: [0.05, 0, -0.4], frames: "
            "{end: [0, 0, -1]}, orientation: {axis: [%.17g, %.17g, %.17g], angle: %.17g}, "
            "position: ",
            k, t->axis[0], t->axis[1], t->axis[2], t->angle);
        vector(&s, t, 0, 0, -k);
        print(&s, "}");
    }
    print(&s, "\njoints:\n  p: {type: universal, between: [ground, b0], axes: [");
    vector(&s, t, 1, 0, 0);
    print(&s, ", ");
    vector(&s, t, 0, 1, 0);
    print(&s, "]}\n  q: {type: spherical, between: [b0.end, b1]}\n"
              "forces:\n  f: {type: bushing, between: [b0.end, b1], stiffness: [0, 0, 0, 2, 2, 2], "
              "damping: [0, 0, 0, 0.1, 0.1, 0.1]}\n"
              "analysis: {type: modes, about: statics}\n");
    return s.at;
}

static void turned_model(void **state)
{
    (void)state;
    turned straight = turn_about(0, 0, 1, 0), aslant = turn_about(1, -2, 0.7, 1.1);
    char *text[2] = {spatial_pendulum(&straight), spatial_pendulum(&aslant)};
    table a = run_model(&(run_how){.text = text[0]}), b = run_model(&(run_how){.text = text[1]});
    assert_int_equal(a.rows, 5);
    assert_int_equal(b.rows, 5);
    for (int i = 0; i < 5; i++) {
        double w = table_get(&a, i, "omega");
        assert_true(w > 0.1 && table_get(&a, i, "damping_ratio") > 1e-4);
        assert_near(table_get(&b, i, "omega"), w, 1e-9 * w);
        assert_near(table_get(&b, i, "damping_ratio"), table_get(&a, i, "damping_ratio"), 1e-9);
    }
    table_free(&a);
    table_free(&b);
    free(text[0]);
    free(text[1]);
}

/* ---- about an equilibrium ---- */

/* A pulled blade is stiff by its tension, which a linear statics before it knows nothing of. */
static void about_the_whole_equilibrium(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 3e5, GJ: 900, EIy: 15, EIz: 42, rhoA: 1.3, rhoIy: "
        "2e-3, rhoIz: 4e-3}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [0.8, 0.3, 0.2], elements: 8, "
        "y_axis: [0.1, 1, 0.3]}}\n"
        "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
        "loads: {l: {on: b.end, force: [480, 180, 123]}}\n"
        "analysis: [{type: statics, linear: %s}, {type: modes, about: statics, count: 3}]\n";
    double first[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        char all[1000];
        snprintf(all, sizeof all, text, k ? "true" : "false");
        table r = run_model(&(run_how){.text = all});
        first[k] = table_get(&r, 0, "frequency");
        table_free(&r);
    }
    assert_near(first[0], 7.18, 0.02); /* 2.46 in the state of the linear statics */
    assert_near(first[1], first[0], 1e-9);
}

/* ---- in the run ---- */

/* Masses on springs, enough of them for the sparse solver. */
#define ROW                                                                                        \
    "limber: 1\n"                                                                                  \
    "parameters: {N: 101}\n"                                                                       \
    "bodies: {b(k=1..N): {type: rigid, mass: 2, position: [k, 0, 0]}}\n"                           \
    "joints: {j(k=1..N): {type: prismatic, between: [ground, b(k)], axis: x, stiffness: 1}}\n"     \
    "forces: {f(k=2..N): {type: bushing, between: [b(k-1), b(k)], stiffness: [50, 0, 0, 0, 0, "    \
    "0]}}\n"

static char results[300];

static void results_path(void)
{
    const char *scratch = getenv("SCRATCH");
    snprintf(results, sizeof results, "%s/modes_%ld.h5", scratch ? scratch : "/tmp",
             (long)getpid());
}

/* A rod whose mass centre is off its frame: the shape is that of the frame. */
static void result_file(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {rod: {type: rigid, mass: 3, inertia: [0, 0, 0], position: [0, -1, 0], com: [0, "
        "0.4, "
        "0]}}\n"
        "joints: {pivot: {type: revolute, between: [ground, rod], axis: z, at: [0, 0, 0], damping: "
        "0.2}}\n"
        "analysis: {type: modes}\n";
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    char err[200], *about = NULL;
    lm_h5 *f;
    results_path();
    opt.results = results;
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_OK);
    assert_int_equal(sum.modes, 1);
    assert_int_equal(lm_h5_open(results, LM_H5_READ, &f, err, sizeof err), 0);
    double L = 0.6, inertia = 3 * L * L, omega = sqrt(9.81 / L), zeta = 0.2 / (2 * omega * inertia);
    double *r = read_table(f, "/modes/results", 1, 4),
           *e = read_table(f, "/modes/eigenvalues", 1, 2);
    double *p = read_table(f, "/modes/participation", 1, 12);
    double *shape = read_table(f, "/modes/shapes", 1, 6),
           *pose = read_table(f, "/modes/poses", 1, 7);
    double *imag = read_table(f, "/modes/shapes_imaginary", 1, 6);
    assert_near(r[2], omega, 1e-13);
    assert_near(r[3], zeta, 1e-15);
    assert_near(e[0], -zeta * omega, 1e-15);
    assert_near(e[1], omega * sqrt(1 - zeta * zeta), 1e-13);
    assert_near(p[0], sqrt(3), 1e-14); /* the mass centre goes with L phi, phi = 1/(L sqrt m) */
    assert_near(p[6], 3, 1e-13);
    double turn = 1 / sqrt(inertia), sign = shape[5] > 0 ? 1 : -1;
    assert_near(shape[5], sign * turn, 1e-12);
    assert_near(shape[0], sign * turn * 1.0, 1e-12); /* the frame is 1 below the pivot */
    assert_near(shape[1], 0, 1e-12);
    for (int i = 0; i < 6; i++) assert_near(imag[i], 0, 1e-15);
    assert_near(pose[1], -1, 1e-15);
    assert_int_equal(lm_h5_read_attr_text(f, "/modes", "about", &about), 0);
    assert_string_equal(about, "initial");
    lm_free(about);
    assert_int_equal(lm_h5_read_attr_text(f, "/modes", "status", &about), 0);
    assert_string_equal(about, "done");
    lm_free(about);
    free(r), free(e), free(p), free(shape), free(pose), free(imag);
    lm_h5_close(f);
    unlink(results);
    limber_model_free(model);
    limber_messages_free(msg);
}

static int at_once(void *unused, const limber_progress *p)
{
    (void)unused, (void)p;
    return 1;
}

static void interrupted_and_resumed(void **state)
{
    (void)state;
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(ROW "analysis: {type: modes, count: 5}\n", msg);
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    results_path();
    opt.results = results;
    opt.progress = at_once;
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_INTERRUPTED);
    assert_string_equal(sum.reason, "interrupted while computing modes");
    opt.progress = NULL;
    opt.resume = 1;
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_OK);
    assert_int_equal(sum.modes, 5);
    assert_string_equal(sum.method, "lanczos");
    unlink(results);
    limber_model_free(model);
    limber_messages_free(msg);
}

/* Modes change nothing for the analyses behind them; behind a dynamics they see the drives where
 * they are then. */
static void in_a_list(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {arm: {type: rigid, mass: 1, inertia: [1, 1, 1]}, bob: {type: rigid, mass: 2, "
        "position: [1, -1, 0]}}\n"
        "joints:\n"
        "  lift: {type: prismatic, between: [ground, arm], axis: y, drive: 0.5*t^2}\n"
        "  pin: {type: revolute, between: [arm, bob], axis: z, at: [1, 0, 0]}\n"
        "analysis: {type: modes}\n"
        "outputs: {y: pos(arm).y}\n";
    table r = run_model(&(run_how){
        .text = text, .analysis = "[{type: dynamics, until: 2, output_step: 1}, {type: modes}]"});
    assert_near(table_first(&r, "omega"), sqrt(9.81), 1e-9);
    table_free(&r);
    r = run_model(&(run_how){
        .text = text,
        .analysis = "[{type: modes, about: statics}, {type: dynamics, until: 2, output_step: 1}]"});
    assert_near(table_first(&r, "y"), 0, 1e-15);
    assert_near(table_last(&r, "y"), 2, 1e-9);
    assert_int_equal(r.sum.modes, 1);
    table_free(&r);
}

static void nothing_free(void **state)
{
    (void)state;
    limber_messages *msg = limber_messages_new();
    limber_summary sum;
    limber_model *model = modes_parse("limber: 1\n"
                                      "bodies: {a: {type: rigid, mass: 1}}\n"
                                      "joints: {j: {type: fixed, between: [ground, a]}}\n"
                                      "analysis: {type: modes}\n",
                                      msg);
    assert_int_equal(limber_run(model, NULL, &sum, msg), LIMBER_OK);
    assert_int_equal(sum.modes, 0);
    assert_int_equal(limber_messages_count(msg), 1);
    assert_string_equal(limber_messages_get(msg, 0).text,
                        "the joints and drives leave no motion free: there are no modes");
    limber_model_free(model);
    limber_messages_free(msg);
}

static void allocations(void **state)
{
    (void)state;
    results_path();
    every_allocation_fails(
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {b: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [0, 1, "
        "0]}, c: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
        "joints: {g: {type: prismatic, between: [b, c], axis: x, stiffness: 50, "
        "damping: 0.1}}\n"
        "analysis: {type: modes}\n",
        results);
    every_allocation_fails(ROW "analysis: {type: modes, count: 3}\n", results);
}

/* Two masses of 1 between springs k, a damper c at the first: in a mode s it is (s^2 + c s + 2 k)/k for 1 of the
 * other, out of phase, and takes |1 + that|^2 / (1 + |that|^2) of the mass along. */
static void effective_mass_of_damped_modes(void **state)
{
    (void)state;
    solved *m = modes_of(
        "limber: 1\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
        "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "joints:\n"
        "  A: {type: prismatic, between: [ground, a], axis: x}\n"
        "  B: {type: prismatic, between: [ground, b], axis: x}\n"
        "forces:\n"
        "  k: {type: bushing, between: [ground, a], stiffness: [100, 0, 0, 0, 0, 0], damping: [9, "
        "0, 0, 0, 0, 0]}\n"
        "  l: {type: bushing, between: [a, b], stiffness: [100, 0, 0, 0, 0, 0]}\n",
        2, 0);
    for (int i = 0; i < 2; i++) {
        limber_mode o = mode(m, i);
        double complex s = o.real + I * o.imaginary, other = (s * s + 9 * s + 200) / 100;
        double size = 1 + creal(other) * creal(other) + cimag(other) * cimag(other);
        assert_true(fabs(cimag(other)) > 0.1);
        assert_near(cabs(s * s * other + 100 * (other - 1)), 0, 1e-9);
        assert_near(o.effective_mass[0], cabs(1 + other) * cabs(1 + other) / size, 1e-9);
    }
    modes_done(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(about_the_whole_equilibrium),
        cmocka_unit_test(effective_mass_of_damped_modes),
        cmocka_unit_test(turned_model),
        cmocka_unit_test(result_file),
        cmocka_unit_test(interrupted_and_resumed),
        cmocka_unit_test(in_a_list),
        cmocka_unit_test(nothing_free),
        cmocka_unit_test(allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
