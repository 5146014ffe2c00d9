/* The machines of models/: mechanisms with motors, hydraulics and controllers, and the oscillators that are
 * one bond graph. */
#include "models_apart.h"
#include "support/run_model.h"

static const double g = 9.81;

/* ---- one graph, three models ---- */

/* x and v of m x'' + d x' + k x = F (1 + sin w t). */
static void oscillator(double t, double *x, double *v)
{
    const double m = 2, k = 800, d = 6, F = 10, w = 15, x0 = 0.01, v0 = 0.1;
    double a = d / (2 * m), wd = sqrt(k / m - a * a), b = k - m * w * w;
    double s = F * b / (b * b + d * d * w * w), c = -F * d * w / (b * b + d * d * w * w);
    double p = x0 - F / k - c, q = (v0 - s * w + a * p) / wd, e = exp(-a * t);
    *x = F / k + s * sin(w * t) + c * cos(w * t) + e * (p * cos(wd * t) + q * sin(wd * t));
    *v = w * (s * cos(w * t) - c * sin(w * t)) +
         e * ((q * wd - a * p) * cos(wd * t) - (p * wd + a * q) * sin(wd * t));
}

/* Errors of x over 0.03 and of v over 0.5, about their ranges; of any model of the three. */
static double oscillator_error(const char *model, const char *settings, table *r)
{
    char analysis[120];
    double most = 0;
    snprintf(analysis, sizeof analysis, "{type: dynamics, until: 3, output_step: 0.01%s}",
             settings);
    *r = run_model(&(run_how){.model = model, .analysis = analysis});
    for (int i = 0; i < r->rows; i++) {
        double x, v;
        const double *row = r->data + i * r->cols;
        oscillator(row[0], &x, &v);
        most = fmax(most, fmax(fabs(row[1] - x) / 0.03, fabs(row[2] - v) / 0.5));
    }
    return most;
}

static void same_graph_same_numbers(void **state)
{
    static const char *const settings[] = {"", ", tolerance: 1e-8"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        table mass, circuit;
        assert_under(oscillator_error("mass_spring", settings[i], &mass), i ? 2e-9 : 5e-6);
        oscillator_error("rlc_circuit", settings[i], &circuit);
        assert_int_equal(mass.rows, circuit.rows);
        assert_int_equal(mass.cols, circuit.cols);
        assert_memory_equal(mass.data, circuit.data,
                            sizeof(double) * (size_t)(mass.rows * mass.cols));
        assert_int_equal(mass.sum.steps, circuit.sum.steps);
        assert_under(mass.sum.energy_error, i ? 2e-9 : 5e-6);
        table_free(&mass);
        table_free(&circuit);
    }
}

/* The body on its joint, by the method of the graph and by its own. */
static void mass_on_a_joint(void **state)
{
    table r;
    (void)state;
    assert_under(oscillator_error("mass_on_guide", ", method: radau, tolerance: 1e-8", &r), 5e-8);
    table_free(&r);
    assert_under(oscillator_error("mass_on_guide", "", &r), 1e-5);
    table_free(&r);
}

/* ---- balances ---- */

#define STATICS         "{type: statics}, "
#define STIFFNESS(a, b) "EA: " a ", GAy: " a ", GAz: " a ", EIy: " b ", EIz: " b ", GJ: " b

typedef enum variant { COARSE, FINE, FINE_AND_STIFF, OWN } variant; /* OWN: the model as it is */

static const struct machine {
    const char *name, *before;
    double until, brief, step; /* all that happens; enough to compare formulations */
    const char *look[8];
    const char *mesh[2][2]; /* settings: coarse, and twice as many elements */
    const char *stiff[2];   /* swapped: beams four times as stiff */
    int sampled;            /* by controllers: not in elastodynamic */
} machines[] = {
    {"servo_slider_crank",
     "",
     1.5,
     0.4,
     0.01,
     {"rate", "slider", "deflection", "voltage", "current"},
     {{"n1=2", "n2=4"}, {"n1=4", "n2=8"}},
     {"E: 2.1e11", "E: 8.4e11"},
     0},
    {"servo_robot_arm",
     "",
     1.5,
     0.6,
     0.01,
     {"angle", "tip_x", "tip_z", "bend_y", "turn_volts", "torque"},
     {{"n=5"}, {"n=10"}},
     {STIFFNESS("1e6", "1e5"), STIFFNESS("4e6", "4e5")},
     0},
    {"two_link_servo_arm",
     "",
     1.5,
     0.4,
     0.01,
     {"tip_x", "tip_error", "bend2", "volts1", "torque1"},
     {{"n=4"}, {"n=8"}},
     {"E: 7e10", "E: 28e10"},
     1},
    {"hydraulic_crane",
     STATICS,
     4,
     1.6,
     0.02,
     {"pressure_a", "pressure_b", "moment", "load_x", "spool"},
     {{"n=2"}, {"n=4"}},
     {"E: 2.1e11", "E: 8.4e11"},
     1},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static table run_machine(const struct machine *m, variant v, const char *settings,
                         const char *formulation)
{
    char analysis[160], form[100];
    run_how how = {.model = m->name, .analysis = analysis};
    int swaps = 0;
    snprintf(analysis, sizeof analysis, "[%s{type: dynamics, until: %g, output_step: %g%s}]",
             m->before, m->until, m->step, settings);
    if (formulation) {
        snprintf(form, sizeof form, "\nformulation: {type: %s}\nanalysis:", formulation);
        how.swap[swaps][0] = "\nanalysis:";
        how.swap[swaps++][1] = form;
    }
    for (int i = 0; i < 2; i++) {
        if (v != OWN) how.set[i] = m->mesh[v != COARSE][i];
        if (v == FINE_AND_STIFF) how.swap[swaps][i] = m->stiff[i];
    }
    return run_model(&how);
}

/* Of the throughput; and three digits with the default settings. */
static void balances_and_tolerance(void **state)
{
    (void)state;
    for (int i = 0; i < MACHINES; i++) {
        table r = run_machine(&machines[i], OWN, "", NULL);
        table fine = run_machine(&machines[i], OWN, ", tolerance: 1e-6", NULL);
        assert_under(r.sum.energy_error, 1e-6);
        assert_under(fine.sum.energy_error, 1e-8);
        assert_under(apart_most(&fine, &r, machines[i].look), 1e-3);
        table_free(&r);
        table_free(&fine);
    }
}

/* ---- formulations ---- */

/* Differences of a formulation from the tables of `corotational`, one for each output. */
static void differences(const struct machine *m, variant v, const char *formulation,
                        const table *corotational, double *off)
{
    table r = run_machine(m, v, ", tolerance: 1e-6", formulation);
    for (int k = 0; m->look[k]; k++) off[k] = apart(&corotational[v], &r, m->look[k]);
    if (strcmp(formulation, "elastodynamic") != 0) /* whose balance lacks what it leaves out */
        assert_under(r.sum.energy_error, 1e-8);
    table_free(&r);
}

/* Ratios of the differences of two variants, all of them within limits. */
static void fall_by(const struct machine *m, const char *formulation, variant v,
                    const table *corotational, double least, double most)
{
    double coarse[8], other[8];
    differences(m, COARSE, formulation, corotational, coarse);
    differences(m, v, formulation, corotational, other);
    for (int k = 0; m->look[k]; k++) {
        print_message("  %s, %s, %s: %.1e, %.1e, ratio %.2f\n", m->name, formulation, m->look[k],
                      coarse[k], other[k], coarse[k] / other[k]);
        assert_between(coarse[k] / other[k], least, most);
    }
}

/* Minimal coordinates have the same equations. Rigid elements have the error of their mesh, with 1/n^2.
 * Floating frames have a mesh too, and with the linear theory leave out what is small with the deformation:
 * of beams four times as stiff on a finer mesh no more than a quarter of the difference is left. Terms of the
 * next order are given a tenth. */
static void formulations(void **state)
{
    (void)state;
    for (int i = 0; i < MACHINES; i++) {
        struct machine m = machines[i];
        table r[OWN];
        double off[8];
        m.until = m.brief;
        for (int v = 0; v < OWN; v++) r[v] = run_machine(&m, (variant)v, ", tolerance: 1e-6", NULL);
        differences(&m, COARSE, "minimal", r, off);
        for (int k = 0; m.look[k]; k++) assert_under(off[k], 1e-6);
        fall_by(&m, "rfe, springs: all", FINE, r, 3.6, 4.4);
        fall_by(&m, "ffr", FINE_AND_STIFF, r, 3.4,
                INFINITY); /* a torque has the least: 8.7e-5, 2.5e-5 */
        if (!m.sampled) fall_by(&m, "elastodynamic", FINE_AND_STIFF, r, 3.6, INFINITY);
        for (int v = 0; v < OWN; v++) table_free(&r[v]);
    }
}

/* Springs in the middle of n rigid pieces: a cantilever with a load at its end bends by 1/(4 n^2) less. */
static void crane_of_rigid_elements(void **state)
{
    static const char *const set[] = {"n=4", "n=8", "n=16"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        double n = 4 << i;
        run_how how = {.model = "hydraulic_crane", .set = {set[i]}, .analysis = "{type: statics}"};
        table r = run_model(&how);
        how.swap[0][0] = "\nanalysis:";
        how.swap[0][1] = "\nformulation: {type: rfe, springs: all}\nanalysis:";
        table piece = run_model(&how);
        double less = 1 - table_last(&piece, "bend") / table_last(&r, "bend");
        assert_near(less * 4 * n * n, 1, 0.1); /* the jib's own weight is a tenth of the load */
        table_free(&r);
        table_free(&piece);
    }
}

/* ---- crane ---- */

static double integral(const table *r, const char *name)
{
    double sum = 0;
    for (int i = 0; i + 1 < r->rows; i++)
        sum += 0.5 * (table_get(r, i + 1, "t") - table_get(r, i, "t")) *
               (table_get(r, i, name) + table_get(r, i + 1, name));
    return sum;
}

static double least(const table *r, const char *name)
{
    double low = INFINITY;
    for (int i = 0; i < r->rows; i++) low = fmin(low, table_get(r, i, name));
    return low;
}

/* Oil in = oil displaced + oil compressed, in each chamber; no chamber without pressure; the forces of
 * the start are those of the statics of the bent boom. */
static void crane_oil_and_forces(void **state)
{
    const double A_a = 7.854e-3, A_b = 4.006e-3, V_a = 6e-3, V_b = 4e-3, B = 1.4e9, m = 800;
    const double A2 = 0.2 * 0.12 - 0.188 * 0.108, leak = 1e-13;
    (void)state;
    table r = run_model(&(run_how){
        .model = "hydraulic_crane",
        .swap = {{"outputs:\n", "outputs:\n  knee_x: pos(boom.end).x\n"
                                "  drop: effort(cylinder.oil_a) - effort(cylinder.oil_b)\n"}}});
    double x = table_last(&r, "stroke"), through = leak * integral(&r, "drop");
    double da = table_last(&r, "pressure_a") - table_first(&r, "pressure_a");
    double db = table_last(&r, "pressure_b") - table_first(&r, "pressure_b");
    assert_near(x, 0.35, 1e-3);
    assert_near(integral(&r, "flow_a"), A_a * x + V_a / B * da + through, 1e-5 * A_a * x);
    assert_near(integral(&r, "flow_b"), A_b * x - V_b / B * db + through, 1e-5 * A_a * x);
    assert_true(least(&r, "pressure_a") > 10e5);
    assert_true(least(&r, "pressure_b") > 10e5);
    double push = A_a * table_first(&r, "pressure_a") - A_b * table_first(&r, "pressure_b");
    assert_near(table_first(&r, "force"), push, 1e-6 * push);
    double arm = table_first(&r, "tip_x") - table_first(&r, "knee_x");
    double moment = g * arm * (m + 7850 * A2 * 3 / 2);
    assert_near(table_first(&r, "moment"), -moment, 2e-3 * moment);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_graph_same_numbers), cmocka_unit_test(mass_on_a_joint),
        cmocka_unit_test(balances_and_tolerance),  cmocka_unit_test(formulations),
        cmocka_unit_test(crane_of_rigid_elements), cmocka_unit_test(crane_oil_and_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
