/* The method radau: its formulas, order 5 in time with and without drives, the published digits of the
 * IFToMM benchmarks over the tolerance, deflections of flexible bodies, and what every method owes:
 * kinks, rows between the steps, work, resumption, failures with a reason. */
#include "api/api.h"
#include "base/mem.h"
#include "solve/radau.h"
#include "support/method_checks.h"
#include "support/over_tolerance.h"
#include "support/run_model.h"
#include "support/scratch.h"

#define PI 3.14159265358979323846

/* ---- formulas ---- */

/* Collocation of order 3 at the stages, 5 at the end; A^-1 = T Lambda T^-1. */
static void formulas(void **state)
{
    const radau_method *m = radau_formulas();
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int k = 1; k <= (i < 2 ? 3 : 5); k++) {
            double sum = 0;
            for (int j = 0; j < 3; j++) sum += m->A[i][j] * pow(m->c[j], k - 1);
            assert_near(sum, pow(m->c[i], k) / k, 1e-15);
        }
    const double L[3][3] = {{m->real, 0, 0}, {0, m->re, -m->im}, {0, m->im, m->re}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 27; k++)
                sum +=
                    m->T[i][k / 9] * L[k / 9][k / 3 % 3] * m->Ti[k / 3 % 3][k % 3] * m->A[k % 3][j];
            assert_near(sum, i == j, 3e-14);
        }
    /* the error estimate: zero up to third powers, -1/10 of the fourth */
    for (int k = 1; k <= 4; k++) {
        double sum = k == 1;
        for (int j = 0; j < 3; j++) sum += m->e[j] * pow(m->c[j], k);
        assert_near(sum, k < 4 ? 0 : -0.1, 2e-14);
    }
}

/* Cubics are reproduced; the integral over the whole step is Radau's rule. */
static void polynomials(void **state)
{
    const radau_method *m = radau_formulas();
    const double node[4] = {0, m->c[0], m->c[1], m->c[2]};
    double w[4];
    (void)state;
    for (double x = -0.3; x < 2.1; x += 0.4) {
        double value = 0, square = 0, integral = 0;
        radau_interpolate(4, x, w);
        for (int i = 0; i < 4; i++) value += w[i] * (2 - node[i] + 3 * pow(node[i], 3));
        assert_near(value, 2 - x + 3 * x * x * x, 1e-13);
        radau_interpolate(3, x, w);
        for (int i = 0; i < 4; i++) square += w[i] * (1 - node[i] * node[i]);
        assert_near(square, 1 - x * x, 1e-13);
        radau_integrate(x, w);
        for (int i = 0; i < 4; i++) integral += w[i] * (2 - node[i] + 3 * pow(node[i], 3));
        assert_near(integral, 2 * x - x * x / 2 + 0.75 * pow(x, 4), 1e-13);
    }
    radau_integrate(1, w);
    assert_near(w[0], 0, 1e-15);
    for (int i = 0; i < 3; i++) assert_near(w[i + 1], m->A[2][i], 1e-15);
}

/* ---- local coordinates ---- */

static const char two_bodies[] =
    "limber: 1\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
    "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 2, 0]}\n"
    "joints: {pin: {type: spherical, between: [a, b], at: [1, 1, 0]}}\n"
    "analysis: {type: dynamics, until: 1}\n";

static double pose_distance(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* xi + eps rate leads where a motion eps v of the moved bodies leads; carried vectors turn with them. */
static void check_charts(lm_system *sys)
{
    enum { MOST = 64 };
    double q[MOST], p[MOST], p1[MOST], p2[MOST], xi[MOST], v[MOST], rate[MOST], eps = 1e-5;
    double small[MOST], w[MOST];
    assert_true(sys->nq <= MOST && sys->nv <= MOST);
    assert_int_equal(sys->form->initial(sys, q, v), 0);
    for (int i = 0; i < sys->nv; i++) xi[i] = 0.7 * sin(1.0 + 2 * i), v[i] = cos(3.0 * i);
    sys->form->local_rate(sys, xi, v, rate);
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < sys->nv; i++) small[i] = xi[i] + side * eps * rate[i];
        sys->form->retract(sys, q, small, side < 0 ? p1 : p2);
    }
    for (int i = 0; i < sys->nq; i++) p1[i] = (p2[i] - p1[i]) / (2 * eps);
    sys->form->retract(sys, q, xi, p);
    double motion[2][MOST];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < sys->nv; i++) small[i] = (k ? eps : -eps) * v[i];
        sys->form->retract(sys, p, small, motion[k]);
    }
    for (int i = 0; i < sys->nq; i++) motion[0][i] = (motion[1][i] - motion[0][i]) / (2 * eps);
    assert_under(pose_distance(p1, motion[0], sys->nq), 1e-9);
    /* the rotation vector itself is not turned by its rotation; going back undoes it */
    sys->form->carry(sys, q, p, xi, w);
    for (int i = 0; i < sys->nv; i++)
        if (sys->angular[i]) assert_near(w[i], xi[i], 1e-14);
    sys->form->carry(sys, q, p, v, w);
    assert_true(pose_distance(v, w, sys->nv) > 0.1);
    sys->form->carry(sys, p, q, w, w);
    assert_under(pose_distance(v, w, sys->nv), 1e-14);
}

static void local_coordinates(void **state)
{
    (void)state;
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    lm_system *sys = NULL;
    assert_int_equal(
        limber_model_parse(two_bodies, strlen(two_bodies), "m.yaml", NULL, &model, msg), LIMBER_OK);
    const lm_form *form = lm_form_get(LM_FORM_COROTATIONAL);
    assert_int_equal(form->create(&model->m, &msg->diag, &sys), LIMBER_OK);
    check_charts(sys);
    form->destroy(sys);
    limber_model_free(model);
    limber_messages_free(msg);
}

/* ---- order ---- */

/* Errors with steps h, h/2, h/4 of the outputs at the end against tight extrapolation. */
static void orders(const run_how *how, const char *const *output, double until, double h,
                   double least)
{
    char analysis[200];
    run_how run = *how;
    run.analysis = analysis;
    snprintf(analysis, sizeof analysis,
             "{type: dynamics, until: %g, output_step: %g, method: explicit, tolerance: 1e-12}",
             until, until);
    table fine = run_model(&run);
    double error[3] = {0};
    for (int i = 0; i < 3; i++) {
        snprintf(analysis, sizeof analysis,
                 "{type: dynamics, until: %g, output_step: %g, method: radau, step: %.17g}", until,
                 until, h / (1 << i));
        table r = run_model(&run);
        for (int k = 0; output[k]; k++)
            error[i] =
                fmax(error[i], fabs(table_last(&r, output[k]) - table_last(&fine, output[k])));
        table_free(&r);
    }
    table_free(&fine);
    assert_true(error[2] > 1e-12); /* above rounding: the ratios mean something */
    assert_between(log2(error[0] / error[1]), least, 7);
    assert_between(log2(error[1] / error[2]), least, 7);
}

static void order_of_a_pendulum(void **state)
{
    static const char *const output[] = {"x", "y", NULL};
    (void)state;
    orders(&(run_how){.model = "a01_pendulum"}, output, 1.2, 0.06, 4.7);
}

/* In space, with rotations that do not commute: the local coordinates must be those of the group. */
static void order_of_a_gyroscope(void **state)
{
    static const char gyroscope[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  arm: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "  disc: {type: rigid, mass: 2, inertia: [0.2, 0.1, 0.1], position: [1, 0, 0]}\n"
        "joints:\n"
        "  hip: {type: spherical, between: [ground, arm], at: [0, 0, 0]}\n"
        "  axle: {type: revolute, between: [arm, disc], axis: x, at: [1, 0, 0], damping: 0.002}\n"
        "initial: {axle: {rate: 12}}\n"
        "analysis: {type: dynamics, until: 1}\n"
        "outputs: {angle: joint(axle), x: pos(disc).x, y: pos(disc).y, z: pos(disc).z}\n";
    static const char *const output[] = {"angle", "x", "y", "z", NULL};
    (void)state;
    orders(&(run_how){.text = gyroscope}, output, 1, 0.025, 4.7);
}

/* A loop that a drive moves, and a free pendulum on it. */
static void order_of_a_driven_mechanism(void **state)
{
    static const char machine[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  crank: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0.5, 0]}\n"
        "  link: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 1, 0]}\n"
        "joints:\n"
        "  motor: {type: revolute, between: [ground, crank], axis: z, at: [0, 0, 0],\n"
        "          drive: 2*t + 0.5*sin(3*t)}\n"
        "  elbow: {type: revolute, between: [crank, link], axis: z, at: [0, 1, 0], damping: 0.1}\n"
        "analysis: {type: dynamics, until: 1}\n"
        "outputs: {angle: joint(elbow), rate: rate(elbow), x: pos(link).x}\n";
    static const char *const output[] = {"angle", "x", "rate", NULL};
    (void)state;
    orders(&(run_how){.text = machine}, output, 1, 0.05, 4.7);
}

/* ---- A01 to A05 over the tolerance ---- */

static void iftomm(void **state)
{
    (void)state;
    for (int i = 0; i < IFTOMM_MODELS; i++) check_over_tolerance(i, "radau", 0.01);
}

/* The singular positions of A02 with fixed steps, which end on their grid all the same. */
static void fixed_steps_over_singular_positions(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .model = "a02_four_bars",
        .analysis = "{type: dynamics, until: 10, output_step: 0.1, method: radau, step: 0.005}"});
    assert_near(table_at(&r, "x", 1), -.195020302, 1e-6);
    assert_near(table_at(&r, "y", 1), -.980799206, 1e-6);
    assert_near(table_at(&r, "x", 10), .328458112, 1e-4); /* ten hops, each within the tolerance */
    assert_under(table_drift(&r, "straight"), 1e-6);      /* no window has folded */
    assert_true(r.sum.steps >= 2000);
    table_free(&r);
}

/* A pendulum against a stiff stop, which nobody announces: not a place to hop over. */
static void impacts(void **state)
{
    static const char bell[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {clapper: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}}\n"
        "joints: {pivot: {type: revolute, between: [ground, clapper], axis: z, at: [0, 0, 0],\n"
        "                 effort: '1e6*max(0, -2 - joint(pivot))'}}\n"
        "analysis: {type: dynamics, until: 4, output_step: 0.02, method: METHOD}\n"
        "outputs: {angle: joint(pivot), rate: rate(pivot), energy: energy.total}\n";
    (void)state;
    table a = run_model(&(run_how){.text = bell, .swap = {{"METHOD", "radau, tolerance: 1e-6"}}});
    table b = run_model(&(run_how){.text = bell, .swap = {{"METHOD", "bdf, tolerance: 1e-7"}}});
    int turns = 0; /* it has been at the stop, and back */
    for (int i = 1; i < b.rows; i++)
        turns += table_get(&b, i - 1, "rate") < 0 && table_get(&b, i, "rate") > 0 &&
                 table_get(&b, i, "angle") < -1.5;
    assert_true(turns >= 2);
    assert_under(table_distance(&a, &b, "angle"), 2e-6);
    assert_under(a.sum.energy_error, 1e-5);
    table_free(&a);
    table_free(&b);
}

/* ---- flexible bodies ---- */

/* Largest difference of a column, over its range. */
static double relative_distance(const table *a, const table *b, const char *name)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < b->rows; i++) {
        low = fmin(low, table_get(b, i, name));
        high = fmax(high, table_get(b, i, name));
    }
    return table_distance(a, b, name) / (high - low);
}

/* The default tolerance gives three digits of deflections and of the moments that go with them, in a
 * few thousand steps. */
static void three_digits_of_deflections(void **state)
{
    static const struct {
        const char *model, *output;
        double until, every, steps;
    } cases[] = {{"flexible_pendulum", "deflection", 20, 0.25, 9000},
                 {"slider_crank_flexible", "moment", 1, 0.01, 8000},
                 {"two_link_arm", "bend_z", 3, 0.01, 1000},
                 {"spin_up", "u2", 20, 0.05, 2000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char coarse[160], fine[200];
        int n = snprintf(coarse, sizeof coarse, "{type: dynamics, until: %g, output_step: %g",
                         cases[i].until, cases[i].every);
        snprintf(fine, sizeof fine, "%s, method: radau, tolerance: 1e-6}", coarse);
        snprintf(coarse + n, sizeof coarse - (size_t)n, ", method: radau}");
        table a = run_model(&(run_how){.model = cases[i].model, .analysis = coarse});
        table b = run_model(&(run_how){.model = cases[i].model, .analysis = fine});
        assert_under(relative_distance(&a, &b, cases[i].output), 1e-3);
        assert_under((double)a.sum.steps, cases[i].steps);
        assert_under(a.sum.energy_error, 1e-6);
        table_free(&a);
        table_free(&b);
    }
}

/* ---- rotations ---- */

static void turns_are_counted(void **state)
{
    (void)state;
    table r = run_rotor("radau");
    for (int i = 0; i < r.rows; i += 20) { /* what is wrong in the rate adds up over 250 turns */
        double rate, angle = rotor_angle(table_get(&r, i, "t"), &rate);
        assert_near(table_get(&r, i, "angle"), angle, 3e-9 * angle);
        assert_near(table_get(&r, i, "rate"), rate, 1e-7);
        assert_near(table_get(&r, i, "x"), 1 / 9.0 + (1 - 1 / 9.0) * cos(angle), 5e-6);
    }
    assert_true(table_last(&r, "angle") > 250 * 2 * PI);
    table_free(&r);
}

static void free_rotation(void **state)
{
    (void)state;
    check_free_rotation("radau", (double[]){1e-7, 1e-7}, 1e-6);
}

/* ---- what is between the steps, and where they end ---- */

static void rows_between_steps(void **state)
{
    (void)state;
    check_rows_between_steps("radau, tolerance: 1e-6", 1e-3, 500,
                             (pendulum_limits){1e-6, 1e-5 * 2 * 9.81, 2e-5 * 30});
}

static void kinks(void **state)
{
    (void)state;
    check_kinks("radau");
}

/* The bearings of a driven slider-crank, whose motion no equation of motion decides. */
static void driven_slider_crank(void **state)
{
    static const char *const loads[] = {"piston_x",    "main_bearing", "crank_pin",
                                        "side_thrust", "motor_torque", "motor_power"};
    (void)state;
    table a = run_model(&(run_how){
        .model = "slider_crank",
        .analysis =
            "{type: dynamics, until: 0.2, output_step: 2e-4, method: radau, tolerance: 1e-5}"});
    table b = run_model(&(run_how){.model = "slider_crank",
                                   .analysis = "{type: dynamics, until: 0.2, output_step: 2e-4, "
                                               "method: explicit, tolerance: 1e-10}"});
    for (int i = 0; i < 6; i++) assert_under(relative_distance(&a, &b, loads[i]), 1e-3);
    assert_under(a.sum.energy_error, 1e-3);
    table_free(&a);
    table_free(&b);
}

/* ---- resumption ---- */

static const char shaken[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "sections: {bar: {shape: stiffness, EA: 2e5, EIy: 20, EIz: 20, GJ: 16, rhoA: 1}}\n"
    "bodies: {beam: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 4}}\n"
    "joints: {hinge: {type: revolute, between: [ground, beam.start], axis: z, damping: 0.1,\n"
    "                 effort: 'pwl(t, 0, 0, 1, 3, 2, -2, 4, 0)'}}\n"
    "outputs: {x: pos(beam.end).x, y: pos(beam.end).y, bend: tip(beam).y, pull: "
    "norm(force(hinge)),\n"
    "          work: power.external}\n"
    "analysis: {type: dynamics, until: 4, output_step: 0.01, method: radau, %s}\n";

static char results[SCRATCH_PATH], csv[SCRATCH_PATH];

static limber_status run_shaken(const char *how, int resume,
                                int (*progress)(void *, const limber_progress *), void *context)
{
    char text[2000];
    limber_model *model = NULL;
    limber_summary sum;
    limber_run_options opt = limber_run_options_default();
    limber_messages *msg = limber_messages_new();
    int n = snprintf(text, sizeof text, shaken, how);
    limber_status st = limber_model_parse(text, (size_t)n, "m.yaml", NULL, &model, msg);
    opt.results = results, opt.csv = csv, opt.resume = resume;
    opt.progress = progress, opt.progress_context = context;
    if (!st) st = limber_run(model, &opt, &sum, msg);
    limber_messages_print(msg, stderr);
    limber_model_free(model);
    limber_messages_free(msg);
    return st;
}

/* The first call comes with the first step; the second one a tenth of a second later. */
static int second_call(void *calls, const limber_progress *p)
{
    (void)p;
    return ++*(int *)calls % 2 == 0;
}

static void resumed_to_the_same_bits(void **state)
{
    static const char *const how[] = {"tolerance: 1e-6", "step: 2e-4"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        int calls = 0, segments = 1;
        remove(results);
        assert_int_equal(run_shaken(how[i], 0, NULL, NULL), LIMBER_OK);
        char *expected = file_read(csv, NULL);
        remove(results);
        limber_status st = run_shaken(how[i], 0, second_call, &calls);
        for (; st == LIMBER_INTERRUPTED; segments++)
            st = run_shaken(how[i], 1, segments < 4 ? second_call : NULL, &calls);
        assert_int_equal(st, LIMBER_OK);
        assert_true(segments > 1);
        char *text = file_read(csv, NULL);
        assert_string_equal(text, expected);
        free(text);
        free(expected);
    }
}

/* ---- memory and failures ---- */

static void steps_allocate_nothing(void **state)
{
    char text[2000];
    (void)state;
    long live = lm_mem_live();
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_simulation *sim = NULL;
    int n = snprintf(text, sizeof text, shaken, "tolerance: 1e-4");
    double now[5];
    assert_int_equal(limber_model_parse(text, (size_t)n, "m.yaml", NULL, &model, msg), LIMBER_OK);
    assert_int_equal(limber_simulation_new(model, &sim, msg), LIMBER_OK);
    long before = lm_mem_allocs();
    for (int i = 1; i <= 8; i++) {
        if (limber_simulation_advance(sim, 0.5 * i)) fail_msg("%s", limber_simulation_reason(sim));
        assert_int_equal(limber_simulation_outputs(sim, now), LIMBER_OK);
    }
    assert_int_equal(lm_mem_allocs(), before);
    limber_simulation_free(sim);
    limber_model_free(model);
    limber_messages_free(msg);
    assert_int_equal(lm_mem_live(), live);
}

/* Whichever allocation fails when a simulation is opened: it says so, and nothing is lost. */
static void memory_runs_out(void **state)
{
    char text[2000];
    (void)state;
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    int n = snprintf(text, sizeof text, shaken, "tolerance: 1e-4"), failures = 0;
    assert_int_equal(limber_model_parse(text, (size_t)n, "m.yaml", NULL, &model, msg), LIMBER_OK);
    long live = lm_mem_live();
    for (int k = 1;; k++) {
        limber_simulation *sim = NULL;
        lm_mem_fail_after(k);
        limber_status st = limber_simulation_new(model, &sim, msg);
        lm_mem_fail_after(0);
        limber_simulation_free(sim);
        assert_int_equal(lm_mem_live(), live);
        if (st == LIMBER_OK) break;
        assert_int_equal(st, LIMBER_MEMORY);
        failures++;
    }
    assert_true(failures > 30);
    limber_model_free(model);
    limber_messages_free(msg);
}

static void stops_with_a_reason(void **state)
{
    (void)state;
    check_stops_with_a_reason("radau");
}

/* Positions are rounded by what the distance from the origin makes of it. */
static void far_from_the_origin(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {X: 0}\n"
        "gravity: [0, -9.81, 0]\n"
        "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7800}}\n"
        "sections: {bar: {material: steel, shape: rectangle, height: 0.01, width: 0.02}}\n"
        "bodies:\n"
        "  crank: {type: rigid, mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [X, X, 0],"
        " frames: {pin: [0.1, 0, 0]}}\n"
        "  rod: {type: beam, section: bar, from: [X + 0.1, X, 0], to: [X + 0.6, X, 0]}\n"
        "  slider: {type: rigid, mass: 0.5, inertia: [1e-3, 1e-3, 1e-3],"
        " position: [X + 0.6, X, 0]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [\"ground.at(X, X, 0)\", crank], axis: z}\n"
        "  b: {type: revolute, between: [crank.pin, rod.start], axis: z}\n"
        "  c: {type: revolute, between: [rod.end, slider], axis: z}\n"
        "  d: {type: prismatic, between: [ground, slider], axis: x}\n"
        "initial: {a: {angle: 0.7, rate: 10}}\n"
        "analysis: {type: dynamics, until: 0.2, method: radau}\n"
        "outputs: {angle: joint(a)}\n";
    static const char *const far[] = {"X=1e4", "X=1e6"};
    (void)state;
    table near = run_model(&(run_how){.text = text});
    for (int i = 0; i < 2; i++) {
        table r = run_model(&(run_how){.text = text, .set = {far[i]}});
        assert_near(table_last(&r, "angle"), table_last(&near, "angle"), 1e-5);
        assert_true(r.sum.steps < 1.3 * (double)near.sum.steps);
        table_free(&r);
    }
    table_free(&near);
}

/* The motion so far is the unit of length of a body alone, and small at the start. */
static void short_and_tight(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {rod: {type: rigid, mass: 3, inertia: [0.1, 0.1, 0.2], position: [0, -0.8, 0]}}\n"
        "joints: {pivot: {type: revolute, between: [ground, rod], axis: z, at: [0, 0, 0]}}\n"
        "initial: {pivot: {angle: 1.1, rate: 0.5}}\n"
        "analysis: {type: dynamics, until: 0.1, tolerance: 1e-10}\n"
        "outputs: {angle: joint(pivot), speed: rate(pivot)}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    double w = table_last(&r, "speed"), angle = table_last(&r, "angle");
    assert_string_equal(r.sum.method,
                        "radau"); /* for rigid bodies, too, where the tolerance is tight */
    double J = 0.2 + 3 * 0.64, lifted = 3 * 9.81 * 0.8 * (cos(1.1) - cos(angle));
    assert_near(0.5 * J * (w * w - 0.25), -lifted, 1e-9);
    table_free(&r);
}

static int set_up(void **state)
{
    (void)state;
    if (scratch_make("radau")) return -1;
    scratch_path(results, "r.h5");
    scratch_path(csv, "r.csv");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas),
        cmocka_unit_test(polynomials),
        cmocka_unit_test(local_coordinates),
        cmocka_unit_test(order_of_a_pendulum),
        cmocka_unit_test(order_of_a_gyroscope),
        cmocka_unit_test(order_of_a_driven_mechanism),
        cmocka_unit_test(iftomm),
        cmocka_unit_test(fixed_steps_over_singular_positions),
        cmocka_unit_test(impacts),
        cmocka_unit_test(three_digits_of_deflections),
        cmocka_unit_test(turns_are_counted),
        cmocka_unit_test(free_rotation),
        cmocka_unit_test(rows_between_steps),
        cmocka_unit_test(kinks),
        cmocka_unit_test(driven_slider_crank),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(short_and_tight),
        cmocka_unit_test(resumed_to_the_same_bits),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(stops_with_a_reason),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
