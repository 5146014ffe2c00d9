/* How exact machines are: balances of energy at a tolerance of 1e-6, and circuits against closed forms at
 * falling tolerances. */
#include "test_library_env.h"

/* ---- balance of energy ---- */

#define MOTORS   "limber: 1\ninclude: [library/motors.yaml, library/gears.yaml]\n"
#define ANALYSIS "analysis: {type: dynamics, until: 1}\n" /* each run has its own */
#define RIGID_ARM                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies: {arm: {type: rigid, mass: 1, inertia: [0.02, 0.1, 0.1], position: [0.3, 0, 0]}}\n"    \
    "joints: {elbow: {type: revolute, between: [ground, arm], axis: z, at: [0, 0, 0]}}\n"

static const char dc_arm[] = MOTORS RIGID_ARM ANALYSIS
    "power:\n"
    "  m: {use: dc_motor_driven, with: {u: 24*sin(6*t)}, ports: {shaft: g.input}}\n"
    "  g: {use: gear, with: {ratio: 20}, ports: {output: elbow}}\n";

static const char dq_arm[] = MOTORS RIGID_ARM ANALYSIS
    "power:\n"
    "  m: {use: pm_motor, with: {torque: 0.5*sin(6*t)}, ports: {shaft: g.input}}\n"
    "  g: {use: gear, with: {ratio: 20}, ports: {output: elbow}}\n";

static const char flexible_arm[] = MOTORS ANALYSIS
    "gravity: [0, -9.81, 0]\n"
    "materials: {alu: {E: 7e10, nu: 0.3, rho: 2700}}\n"
    "sections: {bar: {material: alu, shape: rectangle, height: 0.02, width: 0.01}}\n"
    "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [0.8, 0, 0], elements: 2}}\n"
    "joints: {elbow: {type: revolute, between: [ground, arm.start], axis: z}}\n"
    "power:\n"
    "  m: {use: dc_motor_driven, with: {u: 24*sin(6*t)}, ports: {shaft: g.input}}\n"
    "  g: {use: gearbox_elastic, with: {ratio: 20, stiffness: 2e3, damping: 1}, ports: {output: "
    "elbow}}\n";

static const char hydraulic[] = INCLUDE("hydraulics") ANALYSIS
    "bodies: {box: {type: rigid, mass: 200, inertia: [1, 1, 1]}}\n"
    "joints: {way: {type: prismatic, between: [ground, box], axis: x, stiffness: 1e5}}\n"
    "power: {ax: {use: hydraulic_axis, with: {spool: 0.5*sin(20*t)}, ports: {rod: way}}}\n";

static const char robot[] = INCLUDE("control") ANALYSIS RIGID_ARM
    "power: {r: {use: robot_joint, with: {axis: elbow, reference: 0.2*sin(5*t), "
    "reference_rate: cos(5*t)}}}\n";

static void closes(const char *what, const char *text, const char *formulation, const char *how)
{
    char analysis[200];
    snprintf(analysis, sizeof analysis, "{type: dynamics, tolerance: 1e-6, output_step: 0.05, %s}",
             how);
    table r = run_model(&(run_how){.text = text, .formulation = formulation, .analysis = analysis});
    print_message("  %s, %s, %s: %.1e in %d steps\n", what, formulation, how, r.sum.energy_error,
                  (int)r.sum.steps);
    assert_true(r.sum.steps > 20);
    assert_under(r.sum.energy_error, 1e-5);
    table_free(&r);
}

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};

static void balance_of_a_motor_with_an_arm(void **state)
{
    (void)state;
    for (int f = 0; f < 4; f++) closes("dc motor", dc_arm, forms[f], "until: 1, method: radau");
    closes("dc motor", dc_arm, "elastodynamic", "until: 0.06, method: radau");
    closes("dc motor", dc_arm, "corotational", "until: 1, method: bdf");
}

static void balance_of_a_dq_motor(void **state)
{
    (void)state;
    for (int f = 0; f < 4; f++) closes("dq motor", dq_arm, forms[f], "until: 0.5, method: radau");
    closes("dq motor", dq_arm, "minimal", "until: 0.5, method: bdf");
}

static void balance_of_a_flexible_arm(void **state)
{
    (void)state;
    for (int f = 0; f < 5; f++)
        closes("flexible arm", flexible_arm, forms[f], "until: 0.06, method: radau");
    closes("flexible arm", flexible_arm, "ffr", "until: 0.02, method: bdf");
    closes("flexible arm", flexible_arm, "ffr", "until: 0.004, method: generalized-alpha");
}

static void balance_of_a_hydraulic_axis(void **state)
{
    (void)state;
    for (int f = 0; f < 4; f++)
        closes("hydraulic axis", hydraulic, forms[f], "until: 0.3, method: radau");
}

static void balance_of_a_robot_joint(void **state)
{
    (void)state;
    closes("robot joint", robot, "corotational", "until: 0.5, method: radau");
    closes("robot joint", robot, "minimal", "until: 0.5, method: bdf");
}

/* ---- closed forms ---- */

typedef struct circuit {
    const char *name, *text;
    double (*y)(double t); /* of the output y */
    double size;
} circuit;

/* L q'' + R q' + q/C = 12, L = 0.01, R = 2, C = 1e-3: poles -100 +- 300 i. */
static double rlc(double t)
{
    double e = exp(-100 * t);
    return 12 * (1 - e * (cos(300 * t) + sin(300 * t) / 3));
}

/* A volume of oil that empties through a throttle, time constant V/B R = 1/140. */
static double discharge(double t) { return 1e7 * exp(-140 * t); }

/* A closed valve at the end of a line, oil of inertia I and capacity C: the flow turns into pressure. */
static double hammer(double t)
{
    double I = 850 * 10 / 1e-4, C = 1e-3 / 1.4e9;
    return 1e-4 * sqrt(I / C) * sin(t / sqrt(I * C));
}

static const circuit circuits[] = {
    {"rlc",
     "limber: 1\n"
     "power:\n"
     "  loop: {type: 1, domain: electric}\n"
     "  battery: {type: Se, effort: 12, on: loop}\n"
     "  coil: {type: I, inertia: 0.01, on: loop}\n"
     "  copper: {type: R, resistance: 2, on: loop}\n"
     "  plates: {type: C, capacitance: 1e-3, on: loop}\n"
     "outputs: {y: effort(plates)}\n" ANALYSIS,
     rlc, 12},
    {"discharge",
     INCLUDE("hydraulics") "power:\n"
                           "  v: {use: oil_volume, with: {start: 1e7}, ports: {inlet: free}}\n"
                           "  r: {use: throttle, ports: {inlet: v.node, outlet: t.inlet}}\n"
                           "  t: {use: tank}\n"
                           "outputs: {y: effort(v.node)}\n" ANALYSIS,
     discharge, 1e7},
    {"water hammer",
     INCLUDE(
         "hydraulics") "power:\n"
                       "  pipe: {type: 1, domain: hydraulic}\n"
                       "  moving: {type: I, inertia: 850*10/1e-4, initial_flow: 1e-4, on: pipe}\n"
                       "  last: {type: bond, from: pipe, to: v.node}\n"
                       "  v: {use: oil_volume, ports: {inlet: free}}\n"
                       "outputs: {y: effort(v.node)}\n" ANALYSIS,
     hammer, 1.1e6},
};
enum { CIRCUITS = sizeof circuits / sizeof circuits[0] };

static double off_of(const circuit *c, const char *how, const char *tolerance, int *steps)
{
    char analysis[200];
    double most = 0;
    snprintf(analysis, sizeof analysis, "{type: dynamics, output_step: 0.001, %s, tolerance: %s}",
             how, tolerance);
    table r = run_model(&(run_how){.text = c->text, .analysis = analysis});
    for (int i = 0; i < r.rows; i++)
        most = fmax(most, fabs(table_get(&r, i, "y") - c->y(table_get(&r, i, "t"))));
    *steps = (int)r.sum.steps;
    table_free(&r);
    return most / c->size;
}

/* A hundred times less tolerance, at least ten times less error, down to what steps from row to row leave;
 * and never more than a hundred tolerances. */
static void falls_with_the_tolerance(const char *how, int tolerances)
{
    static const char *const texts[] = {"1e-4", "1e-6", "1e-8"};
    for (int k = 0; k < CIRCUITS; k++) {
        double before = INFINITY;
        for (int i = 0; i < tolerances; i++) {
            int steps;
            double off = off_of(&circuits[k], how, texts[i], &steps);
            print_message("  %s, %s, %s: off by %.1e in %d steps\n", circuits[k].name, how,
                          texts[i], off, steps);
            assert_under(off, 100 * atof(texts[i]));
            assert_under(off, fmax(before / 10, 1e-9));
            before = off;
        }
    }
}

static void circuits_by_radau(void **state)
{
    (void)state;
    falls_with_the_tolerance("until: 0.05, method: radau", 3);
}

static void circuits_by_bdf(void **state)
{
    (void)state;
    falls_with_the_tolerance("until: 0.05, method: bdf", 3);
}

static void circuits_by_generalized_alpha(void **state)
{
    (void)state;
    falls_with_the_tolerance("until: 0.001, method: generalized-alpha", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balance_of_a_motor_with_an_arm),
        cmocka_unit_test(balance_of_a_dq_motor),
        cmocka_unit_test(balance_of_a_flexible_arm),
        cmocka_unit_test(balance_of_a_hydraulic_axis),
        cmocka_unit_test(balance_of_a_robot_joint),
        cmocka_unit_test(circuits_by_radau),
        cmocka_unit_test(circuits_by_bdf),
        cmocka_unit_test(circuits_by_generalized_alpha),
    };
    return cmocka_run_group_tests(tests, library_set_up, scratch_tear_down);
}
