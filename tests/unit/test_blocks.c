/* Blocks of controllers in whole models: responses against closed forms and recursions. What is refused:
 * tests/broken; blocks with a memory: test_blocks_memory.c. */
#include "test_blocks_env.h"

/* ---- linear blocks ---- */

static double lag(double t) { return 1 - exp(-t / 0.3); }

/* y'' + 2 z w y' + w^2 y = w^2, w = 2 pi 1.5, z = 0.2 */
static double ring(double t)
{
    double w = 2 * PI * 1.5, z = 0.2, s = z * w, d = w * sqrt(1 - z * z);
    return 1 - exp(-s * t) * (cos(d * t) + s / d * sin(d * t));
}

/* (2 s + 3)/((s + 1)(s + 4)) of a step: 3/4 - 1/3 e^-t - 5/12 e^-4t */
static double two_poles(double t) { return 0.75 - exp(-t) / 3 - 5 * exp(-4 * t) / 12; }

/* (s^2 + 1)/(s^2 + 3 s + 2) of a step: 1/2 - 2 e^-t + 5/2 e^-2t */
static double direct(double t) { return 0.5 - 2 * exp(-t) + 2.5 * exp(-2 * t); }

static double ramp(double t) { return t * t / 2; }

static void step_responses(void **state)
{
    (void)state;
    table r = run(
        ALONE "blocks:\n"
              "  one: {type: signal, value: 1}\n"
              "  lag: {type: filter, input: one, time_constant: 0.3}\n"
              "  ring: {type: filter, input: one, frequency: 1.5, order: 2, damping: 0.2}\n"
              "  two: {type: transfer_function, input: 1, numerator: [0, 2, 3], denominator: [1, "
              "5, 4]}\n"
              "  same: {type: transfer_function, input: one, numerator: [4, 6], denominator: [2, "
              "10, 8]}\n"
              "  direct: {type: transfer_function, input: one, numerator: [1, 0, 1], denominator: "
              "[1, 3, 2]}\n"
              "  double: {type: transfer_function, input: one, numerator: [1], denominator: [1, 0, "
              "0]}\n"
              "  gain: {type: transfer_function, input: one, numerator: [3], denominator: [2]}\n"
              "  twice: {type: gain, input: two, gain: 2}\n"
              "  sum: {type: integrator, input: t}\n"
              "  ss: {type: state_space, inputs: [one], A: [[-1, 0], [0, -4]], B: [[1], [1]], C: "
              "[[1/3, 5/3]]}\n"
              "outputs: {lag: lag, ring: ring, two: two, same: same, direct: direct, double: "
              "double, gain: gain, twice: twice, sum: sum, ss: ss, x: ss.x1, x1: two.x1, input: "
              "two.input, y: ss.y1}\n",
        RADAU("2"));
    assert_under(off(&r, "lag", lag), 1e-6);
    assert_under(off(&r, "ring", ring), 1e-6);
    assert_under(off(&r, "two", two_poles), 1e-6);
    assert_under(off(&r, "same", two_poles), 1e-6);
    assert_under(off(&r, "ss", two_poles), 1e-6);
    assert_under(off(&r, "direct", direct), 1e-6);
    assert_under(off(&r, "double", ramp), 1e-6);
    assert_under(off(&r, "sum", ramp), 1e-6);
    assert_near(table_last(&r, "gain"), 1.5, 1e-12);
    assert_near(table_last(&r, "twice"), 2 * table_last(&r, "two"), 1e-12);
    assert_near(table_last(&r, "y"), table_last(&r, "ss"), 0);
    assert_near(table_last(&r, "x"), 1 - exp(-2), 1e-6);
    assert_near(table_last(&r, "input"), 1, 1e-12);
    table_free(&r);
}

/* Poles at -1e4 and -1e-2 with unit gain: 1 - (T1 e^-t/T1 - T2 e^-t/T2)/(T1 - T2). The states are all
 * of the size of the input: x1 is y. */
static double spread(double t)
{
    double a = 1e2, b = 1e-4;
    return 1 - (a * exp(-t / a) - b * exp(-t / b)) / (a - b);
}

static void spread_coefficients(void **state)
{
    (void)state;
    table r = run(ALONE "blocks:\n"
                        "  y: {type: transfer_function, input: 1, numerator: [1], denominator: "
                        "[1e-2, 100.0001, 1]}\n"
                        "outputs: {y: y, x1: y.x1, x2: y.x2}\n",
                  RADAU("200"));
    assert_under(off(&r, "y", spread), 1e-6);
    assert_near(table_last(&r, "x1"), table_last(&r, "y"), 1e-12);
    assert_under(table_range(&r, "x2"), 1.001);
    assert_true(table_range(&r, "x2") > 0.5);
    table_free(&r);
}

static void two_outputs(void **state)
{
    (void)state;
    table r = run(ALONE "blocks:\n"
                        "  s: {type: state_space, inputs: [t, 2], A: [[0, 1], [-4, 0]], B: [[0, "
                        "0], [1, 2]], C: [[1, 0], [0, 1], [0, 0]], D: [[0, 0], [0, 0], [3, 1]], "
                        "initial: [1, 0]}\n"
                        "outputs: {x: s.y1, v: s.y2, d: s.y3, u: s.u2}\n",
                  RADAU("3"));
    /* x'' = -4 x + t + 4, x(0) = 1, x'(0) = 0: x = 1 + t/4 - sin(2t)/8 */
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t");
        assert_near(table_get(&r, i, "x"), 1 + t / 4 - sin(2 * t) / 8, 1e-6);
        assert_near(table_get(&r, i, "v"), 0.25 - cos(2 * t) / 4, 1e-6);
        assert_near(table_get(&r, i, "d"), 3 * t + 2, 1e-10);
        assert_near(table_get(&r, i, "u"), 2, 1e-12);
    }
    table_free(&r);
}

/* ---- integrators ---- */

/* Of sin t from 0 with the limits [0.25, 1.5]; starts at 0.25. */
static double limited(double t)
{
    if (t < acos(-0.25)) return 0.25 + 1 - cos(t);
    if (t < PI) return 1.5;
    return fmax(0.5 - cos(t), t < 2 * PI ? 0.25 : 0);
}

static void integrator_limits(void **state)
{
    (void)state;
    table r = run(ALONE "blocks:\n"
                        "  x: {type: integrator, input: sin(t), initial: 0.25, limits: [0.25, "
                        "1.5]}\n"
                        "outputs: {x: x}\n",
                  RADAU("6.28"));
    assert_under(off(&r, "x", limited), 1e-6);
    table_free(&r);
}

/* ---- pid ---- */

/* A PID with unit inertia, rate of the joint: poles -1, -2, -3; (11 s + 6)/((s+1)(s+2)(s+3)) of a step. */
static double servo(double t) { return 1 + 2.5 * exp(-t) - 8 * exp(-2 * t) + 4.5 * exp(-3 * t); }

static void pid_on_an_inertia(void **state)
{
    (void)state;
    table r = run(WHEEL("pid") "blocks:\n"
                               "  pid: {type: pid, input: 1 - joint(axle), kp: 11, ki: 6, kd: 6, "
                               "rate: -rate(axle)}\n"
                               "outputs: {a: joint(axle), u: pid, i: pid.integral, d: "
                               "pid.derivative}\n",
                  RADAU("5"));
    assert_under(off(&r, "a", servo), 1e-6);
    assert_near(table_first(&r, "u"), 11, 1e-9);
    assert_under(fabs(table_last(&r, "u")), 0.5);
    table_free(&r);
}

/* Of the error 1: kp + ki t + kd/Tf e^-t/Tf; with the default filter kd/kp/10. */
static double pid_step(double t) { return 2 + 0.5 * t + 0.4 / 0.02 * exp(-t / 0.02); }
static double pid_filtered_rate(double t) { return 2 + 0.4 * (1 - exp(-t / 0.5)); }

static void pid_alone(void **state)
{
    (void)state;
    table r = run(ALONE "blocks:\n"
                        "  a: {type: pid, input: 1, kp: 2, ki: 0.5, kd: 0.4}\n"
                        "  b: {type: pid, input: 1, kp: 2, kd: 0.4, rate: 1, filter: 0.5}\n"
                        "  c: {type: pid, input: 1, ki: 2, initial: 7}\n"
                        "outputs: {a: a, b: b, c: c}\n",
                  RADAU("1"));
    assert_under(off(&r, "a", pid_step), 1e-5); /* of 22 at the start */
    assert_under(off(&r, "b", pid_filtered_rate), 1e-6);
    assert_near(table_last(&r, "c"), 9, 1e-9);
    table_free(&r);
}

static double overshoot(const char *limits, const char *more)
{
    char text[1000];
    snprintf(text, sizeof text,
             WHEEL("pid - rate(axle)") "blocks:\n"
                                       "  pid: {type: pid, input: 1 - joint(axle), kp: 4, ki: 1, "
                                       "kd: 2, rate: "
                                       "-rate(axle)%s%s}\n"
                                       "outputs: {a: joint(axle), u: pid}\n",
             limits, more);
    table r = run(text, RADAU("30"));
    double most = 0;
    for (int i = 0; i < r.rows; i++) most = fmax(most, table_get(&r, i, "a") - 1);
    assert_near(table_last(&r, "a"), 1, 0.05);
    table_free(&r);
    return most;
}

/* The integral that winds up while the torque is at its limit has to be worked off by overshoot. */
static void anti_windup(void **state)
{
    (void)state;
    double without = overshoot(", limits: [-0.25, 0.25]", ", anti_windup: 1e6");
    double with = overshoot(", limits: [-0.25, 0.25]", "");
    print_message("overshoot %.3f, with anti-windup %.3f\n", without, with);
    assert_true(without > 0.4);
    assert_true(with < 0.5 * without);
}

/* ---- tables ---- */

static double table_linear(double t) { return t < 0.5 ? 1 + 4 * t : t < 1 ? 3 - 2 * (t - 0.5) : 2; }

static void lookup(void **state)
{
    (void)state;
    table r = run(ALONE "blocks:\n"
                        "  a: {type: lookup, input: t, points: [[0, 1], [0.5, 3], [1, 2]]}\n"
                        "  b: {type: lookup, input: 2*t, points: [[0, 1], [1, 3], [2, 2]], "
                        "interpolation: spline}\n"
                        "  c: {type: signal, value: \"spline(2*t, 0, 1, 1, 3, 2, 2)\"}\n"
                        "outputs: {a: a, b: b, c: c}\n",
                  RADAU("1.5"));
    assert_under(off(&r, "a", table_linear), 1e-9);
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t");
        assert_near(table_get(&r, i, "b"), t < 1 ? table_get(&r, i, "c") : 2, 1e-9);
    }
    table_free(&r);
}

/* ---- sampled ---- */

static void hold(void **state)
{
    (void)state;
    table r = run(ALONE "blocks:\n"
                        "  s: {type: sampled, value: 1 + t, every: 0.1, initial: 5}\n"
                        "outputs: {s: s}\n",
                  "{type: dynamics, until: 1, output_step: 0.01}");
    for (int i = 0; i < r.rows - 1; i++) { /* the one at the end is not taken any more */
        double t = table_get(&r, i, "t");
        assert_near(table_get(&r, i, "s"), 1 + 0.1 * floor(t / 0.1 + 1e-6), 1e-11);
    }
    table_free(&r);
}

/* A sampled PID with limits on an inertia: between samples the torque is constant and the angle a
 * parabola. What the controller does with the angles it has seen is the recursion to rounding. */
static void sampled_pid(void **state)
{
    const double T = 0.05, kp = 11, ki = 6, kd = 5, Tf = 0.04, lim = 4, Tt = 0.8;
    (void)state;
    table r = run(WHEEL("pid") "blocks:\n"
                               "  pid: {type: pid, input: 1 - joint(axle), kp: 11, ki: 6, kd: 5, "
                               "filter: 0.04, every: 0.05, limits: [-4, 4], anti_windup: 0.8}\n"
                               "outputs: {a: joint(axle), w: rate(axle), u: pid, e: pid.input, i: "
                               "pid.integral, d: pid.derivative}\n",
                  "{type: dynamics, until: 4, output_step: 0.05, method: radau, tolerance: 1e-8}");
    double a = 0, w = 0, I = 0, D = 0, e0 = 0, u = 0, v = 0, worst = 0, motion = 0;
    for (int k = 0; k < r.rows - 1; k++) {
        double e = 1 - table_get(&r, k, "a"); /* the angle that it saw */
        I += ki * T * e + T / Tt * (u - v);
        D = (Tf * D + kd * (e - e0)) / (Tf + T);
        e0 = e;
        v = kp * e + I + D;
        u = fmin(fmax(v, -lim), lim);
        worst = fmax(worst, fabs(table_get(&r, k, "u") - u));
        worst = fmax(worst, fabs(table_get(&r, k, "i") - I));
        worst = fmax(worst, fabs(table_get(&r, k, "d") - D) / 50);
        motion = fmax(motion, fabs(table_get(&r, k, "a") - a));
        a += T * w + 0.5 * T * T * u;
        w += T * u;
    }
    print_message("sampled pid: off the recursion by %.2g, the plant by %.2g\n", worst, motion);
    assert_under(worst, 1e-12);
    assert_under(motion, 1e-9);
    assert_near(a, 1, 0.1);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_responses),
        cmocka_unit_test(spread_coefficients),
        cmocka_unit_test(two_outputs),
        cmocka_unit_test(integrator_limits),
        cmocka_unit_test(pid_on_an_inertia),
        cmocka_unit_test(pid_alone),
        cmocka_unit_test(anti_windup),
        cmocka_unit_test(lookup),
        cmocka_unit_test(hold),
        cmocka_unit_test(sampled_pid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
