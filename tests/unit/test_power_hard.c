/* Machines that are hard to solve: laws with corners and exponentials in loops, states that follow at once,
 * storages without losses, kinks, relays that are quick, samples at the very end. */
#include "support/run_model.h"
#include "support/scratch.h"

#define DYNAMICS(until, rows)                                                                      \
    "analysis: {type: dynamics, until: " until ", output_step: " rows ", tolerance: 1e-6}\n"

static double worst(const table *r, const char *output, double (*exact)(double t))
{
    double most = 0;
    for (int i = 0; i < r->rows; i++)
        most = fmax(most, fabs(table_get(r, i, output) - exact(table_get(r, i, "t"))));
    return most;
}

/* ---- loops ---- */

/* A resistor and a diode at 5 sin t: u = 100 i + v, i = 1e-12 (exp(v/0.025) - 1). */
static void diode(void **state)
{
    static const char text[] = "limber: 1\npower:\n"
                               "  n: {type: 1, domain: electric}\n"
                               "  u: {type: Se, effort: 5*sin(t), on: n}\n"
                               "  r: {type: R, resistance: 100, on: n}\n"
                               "  d: {type: R, flow: \"1e-12*(exp(e/0.025) - 1)\", on: n}\n"
                               "outputs: {v: effort(d), i: flow(d)}\n" DYNAMICS("6.5", "0.1");
    (void)state;
    for (int m = 0; m < 3; m++) {
        static const char *const how[] = {"radau", "bdf", "generalized-alpha"};
        char analysis[160];
        snprintf(analysis, sizeof analysis,
                 "{type: dynamics, until: 6.5, output_step: 0.1, method: %s}", how[m]);
        table r = run_model(&(run_how){.text = text, .analysis = analysis});
        for (int i = 0; i < r.rows; i++) {
            double v = table_get(&r, i, "v"), c = table_get(&r, i, "i");
            assert_near(100 * c + v, 5 * sin(table_get(&r, i, "t")), 1e-9);
            assert_near(c, 1e-12 * (exp(v / 0.025) - 1), 1e-9 * (1e-3 + fabs(c)));
        }
        table_free(&r);
    }
}

/* Four edges of a valve and a load between its sides, no volume anywhere: the pressures add up to that of the
 * supply, at every opening. */
static void bridge_of_orifices(void **state)
{
    static const char text[] =
        "limber: 1\ninclude: library/hydraulics.yaml\npower:\n"
        "  s: {type: 0, domain: hydraulic}\n"
        "  u: {type: Se, effort: 1.4e7, on: s}\n"
        "  v: {use: servo_valve, with: {spool: 0.8*sin(3*t), leakage: 1e-2},\n"
        "    ports: {supply: s, tank: tk.inlet, a: l, b: m}}\n"
        "  tk: {use: tank}\n  l: {type: 0}\n  load: {type: 1, domain: hydraulic}\n"
        "  b1: {type: bond, from: l, to: load}\n  b2: {type: bond, from: load, to: m}\n"
        "  m: {type: 0}\n  R: {type: R, resistance: 5e9, on: load}\n"
        "outputs: {sum: effort(l) + effort(m), off: effort(l) - effort(m) - "
        "5e9*flow(R)}\n" DYNAMICS("2", "0.1");
    (void)state;
    table r = run_model(&(run_how){.text = text});
    for (int i = 0; i < r.rows; i++) {
        assert_near(table_get(&r, i, "sum"), 1.4e7, 1);
        assert_near(table_get(&r, i, "off"), 0, 1e-2);
    }
    table_free(&r);
}

/* A valve that opens at 150 bar on a pump: it must be looked for there. */
static double relieved(double t) { return 1.5e7 + 2e9 * 1e-4 * (1 + 0.5 * sin(5 * t)); }

static void relief(void **state)
{
    static const char text[] =
        "limber: 1\ninclude: library/hydraulics.yaml\npower:\n"
        "  line: {type: 0, domain: hydraulic}\n"
        "  pump: {type: Sf, flow: 1e-4*(1 + 0.5*sin(5*t)), on: line}\n"
        "  rel: {use: relief_valve, ports: {inlet: line, outlet: tk.inlet}}\n"
        "  tk: {use: tank}\noutputs: {p: effort(line)}\n" DYNAMICS("2", "0.1");
    (void)state;
    table r = run_model(&(run_how){.text = text});
    assert_under(worst(&r, "p", relieved), 1e-3);
    table_free(&r);
}

/* Components bring initial values that do not count where their states follow from others. */
static void volumes_on_one_line(void **state)
{
    static const char text[] =
        "limber: 1\ninclude: library/hydraulics.yaml\npower:\n"
        "  a: {use: accumulator, with: {start: 1e7}, ports: {inlet: free}}\n"
        "  v: {use: oil_volume, ports: {inlet: a.node}}\n"
        "outputs: {pa: effort(a.node), pv: effort(v.node)}\n" DYNAMICS("1", "0.1");
    (void)state;
    table r = run_model(&(run_how){.text = text});
    assert_near(table_last(&r, "pa"), 1e7, 1e-3);
    assert_near(table_last(&r, "pv"), 1e7, 1e-3);
    table_free(&r);
}

/* ---- states that follow at once ---- */

static double tau;
static double voltage(double t)
{
    return (sin(t) - tau * cos(t) + tau * exp(-t / tau)) / (1 + tau * tau);
}
static double current(double t) { return (sin(t) - voltage(t)) / tau; }

static void stiff_circuits(void **state)
{
    static const char text[] = "limber: 1\nparameters: {tau: 1}\npower:\n"
                               "  n: {type: 1, domain: electric}\n"
                               "  u: {type: Se, effort: sin(t), on: n}\n"
                               "  r: {type: R, resistance: tau, on: n}\n"
                               "  c: {type: C, capacitance: 1, on: n}\n"
                               "outputs: {v: effort(c), i: flow(r)}\n" DYNAMICS("6.5", "0.1");
    static const double taus[] = {1, 1e-2, 1e-4, 1e-6};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char set[40];
        tau = taus[k];
        snprintf(set, sizeof set, "tau=%g", tau);
        table r = run_model(&(run_how){.text = text, .set = {set}});
        assert_under(worst(&r, "v", voltage), 1e-7);
        assert_under(worst(&r, "i", current), 2e-5); /* the cube of the step, 0.1, of its rate */
        assert_under(r.sum.energy_error, 1e-6);
        table_free(&r);
    }
}

/* ---- energies ---- */

static double charge(double t) { return cos(t); }

static void without_losses(void **state)
{
    static const char text[] = "limber: 1\npower:\n"
                               "  n: {type: 1, domain: electric}\n"
                               "  c: {type: C, capacitance: 1, initial: 1, on: n}\n"
                               "  l: {type: I, inertia: 1, on: n}\n"
                               "outputs: {q: state(c)}\n" DYNAMICS("20", "0.5");
    (void)state;
    table r = run_model(&(run_how){.text = text});
    assert_under(worst(&r, "q", charge), 1e-5);
    assert_between(r.sum.energy_error, 0, 1e-5);
    table_free(&r);
}

/* Play between two springs: the stored energy has a corner of its law inside. */
static void energy_over_corners(void **state)
{
    static const char text[] =
        "limber: 1\npower:\n"
        "  n: {type: 1, domain: translation}\n"
        "  c: {type: C, effort: \"pwl(q, -1.1,-200, -0.1,0, 0.1,0, 1.1,200)\", initial: 0.4, on: "
        "n}\n"
        "  m: {type: I, inertia: 2, on: n}\n"
        "outputs: {q: state(c)}\n"
        "analysis: {type: dynamics, until: 5, output_step: 0.05, tolerance: 1e-9}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    assert_near(table_range(&r, "q"), 0.8, 1e-3);
    assert_under(r.sum.energy_error, 1e-8);
    table_free(&r);
}

/* ---- instants ---- */

/* A servo at the end of its move: what the steps before have left open of the joint is closed there. */
static void servo_over_a_kink(void **state)
{
    static const char text[] =
        "limber: 1\ninclude: library/motors.yaml\n"
        "bodies: {arm: {type: rigid, mass: 2, inertia: [0.01, 0.2, 0.2], position: [0.5, 0, 0]}}\n"
        "joints: {hinge: {type: revolute, between: [ground, arm], axis: z, at: [0, 0, 0]}}\n"
        "blocks:\n  ref: {type: signal, value: \"step(t, 0, 0, 5, 1)\"}\n"
        "  servo: {type: pid, input: ref - joint(hinge), kp: 100, ki: 50, kd: 10, limits: [-48, "
        "48]}\n"
        "power:\n  motor: {use: dc_motor_driven, with: {u: servo, L: 5e-5}, ports: {shaft: "
        "rotor}}\n"
        "  rotor: {type: 1, domain: rotation}\n"
        "  gear: {type: TF, modulus: 1/50, from: rotor, to: output}\n"
        "  output: {type: 1, domain: rotation}\n"
        "  drive: {type: port, joint: hinge, on: output}\n"
        "outputs: {angle: joint(hinge), i: motor.current}\n"
        "analysis: {type: dynamics, until: 8, output_step: 0.1, tolerance: 1e-4}\n";
    static const char *const forms[] = {"corotational", "minimal", "ffr", "rfe"};
    (void)state;
    double angle = 0;
    for (int f = 0; f < 4; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = forms[f]});
        if (f == 0) angle = table_last(&r, "angle");
        assert_near(table_last(&r, "angle"), angle, 1e-5);
        assert_under((double)r.sum.steps, 400);
        table_free(&r);
    }
}

/* A relay whose period is a hundred thousandth of the run goes between its thresholds all the time. */
static void quick_relay(void **state)
{
    static const char text[] =
        "limber: 1\nblocks:\n"
        "  x: {type: integrator, input: \"if(r > 0, -1, 2)\"}\n"
        "  r: {type: switch, input: x, on: 1e-4, off: -5e-5}\n"
        "outputs: {x: x, r: r}\nanalysis: {type: dynamics, until: 3, output_step: 1e-2}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    for (int i = 0; i < r.rows; i++)
        assert_between(table_get(&r, i, "x"), -5e-5 - 1e-10, 1e-4 + 1e-10);
    double period = 1.5e-4 / 2 + 1.5e-4;
    assert_near((double)r.sum.events, 2 * 3 / period, 3); /* each threshold once */
    table_free(&r);
}

static void switch_that_nothing_reads(void **state)
{
    static const char text[] =
        "limber: 1\nblocks:\n"
        "  x: {type: integrator, input: 1}\n"
        "  r: {type: switch, input: x, on: 2.533, off: 0}\n"
        "outputs: {r: r}\nanalysis: {type: dynamics, until: 6, output_step: 0.1}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    assert_true(table_at(&r, "r", 2.5) == 0 && table_at(&r, "r", 2.6) == 1);
    table_free(&r);
}

/* Samples at the end of the run are in its last row; and none of them costs time. */
static void samples(void **state)
{
    static const char text[] = "limber: 1\nblocks:\n"
                               "  x: {type: integrator, input: 1}\n"
                               "  s: {type: sampled, value: x, every: 0.007}\n"
                               "outputs: {x: x, s: s}\n"
                               "analysis: {type: dynamics, until: 0.35, output_step: 0.01}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    assert_near(table_last(&r, "s"), 0.35, 1e-14);
    assert_near(table_at(&r, "s", 0.34), 0.336, 1e-14);
    assert_near(table_last(&r, "x"), 0.35, 1e-14);
    table_free(&r);
}

/* ---- what cannot be ---- */

static void contradiction(void **state)
{
    static const char text[] =
        "limber: 1\nblocks:\n  a: {type: signal, value: b}\n"
        "  b: {type: signal, value: a + 1}\noutputs: {a: a}\n" DYNAMICS("1", "0.1");
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    (void)state;
    assert_int_equal(limber_model_parse(text, strlen(text), "m.yaml", NULL, &model, msg),
                     LIMBER_OK);
    assert_int_equal(limber_run(model, NULL, NULL, msg), LIMBER_INPUT);
    assert_non_null(strstr(limber_messages_get(msg, 0).text, "depends on itself"));
    limber_model_free(model);
    limber_messages_free(msg);
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("hard");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diode),
        cmocka_unit_test(bridge_of_orifices),
        cmocka_unit_test(relief),
        cmocka_unit_test(volumes_on_one_line),
        cmocka_unit_test(stiff_circuits),
        cmocka_unit_test(without_losses),
        cmocka_unit_test(energy_over_corners),
        cmocka_unit_test(servo_over_a_kink),
        cmocka_unit_test(quick_relay),
        cmocka_unit_test(switch_that_nothing_reads),
        cmocka_unit_test(samples),
        cmocka_unit_test(contradiction),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
