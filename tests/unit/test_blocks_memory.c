/* Blocks with a memory: delays against closed forms, relays, runs that are resumed; and that steps with
 * blocks take no memory. */
#include "support/file_runs.h"
#include "test_blocks_env.h"

/* ---- delay ---- */

static double late_sine(double t) { return t < 1 ? 0 : sin(2 * (t - 1)); }
static double late_early(double t) { return t < 1 ? -3 : sin(2 * (t - 1)); }

/* 100 samples in a period of pi, 32 in the delay. */
static void delay_of_a_sine(void **state)
{
    static const char text[] =
        ALONE "blocks:\n"
              "  d: {type: delay, input: sin(2*t), time: 1, samples: 32}\n"
              "  e: {type: delay, input: sin(2*t), time: 1, samples: 64, initial: -3}\n"
              "outputs: {d: d, e: e}\n";
    static const char *const how[] = {RADAU("7"), "{type: dynamics, until: 7, output_step: 0.01}",
                                      "{type: dynamics, until: 7, step: 0.5, output_step: 0.01}",
                                      "{type: dynamics, until: 7, method: bdf}",
                                      "{type: dynamics, until: 2, method: explicit}"};
    (void)state;
    for (int i = 0; i < 5; i++) {
        table r = run(text, how[i]);
        double d = off(&r, "d", late_sine), e = off(&r, "e", late_early);
        print_message("delay of a sine, %s: %.2g; twice the samples: %.2g\n", how[i], d, e);
        assert_under(d, 1e-6);
        assert_under(e, 1e-7);
        table_free(&r);
    }
}

/* Late in a run an input begins from nothing: there the rounding of its time is more than the tolerance times the
 * largest input so far. A triangle of area 1 goes through the filter as it is. */
static void late_beginning(void **state)
{
    static const char text[] = "limber: 1\n"
                               "bodies: {b: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
                               "joints: {s: {type: prismatic, between: [ground, b], axis: x}}\n"
                               "blocks:\n"
                               "  p: {type: signal, value: '100*max(0, 1 - abs(t - 700)/1e-2)'}\n"
                               "  f: {type: filter, input: p, time_constant: 1e-3}\n"
                               "  d: {type: delay, input: f, time: 300}\n"
                               "loads: {f: {on: b, force: [d, 0, 0]}}\n"
                               "outputs: {v: rate(s)}\n";
    (void)state;
    table r = run(text, "{type: dynamics, until: 2000, output_step: 100, tolerance: 1e-8}");
    assert_near(table_last(&r, "v"), 0.5, 1e-8);
    assert_near(table_at(&r, "v", 900), 0, 1e-14);
    assert_under((double)r.sum.steps,
                 2500); /* 1825; 3431 when the unit of length was made by first traces */
    table_free(&r);
    r = run(text, "{type: dynamics, until: 2000, output_step: 100, tolerance: 1e-6, method: bdf}");
    assert_near(table_last(&r, "v"), 0.5, 1e-6);
    table_free(&r);
}

/* A state that follows another one, or a delay, is measured before it has values: a step by the time since its input
 * has set in gently would take a hundred times as many. Closed form of the end: all has settled; the integral is late
 * by the time constants and the delays. */
static void gentle_beginnings(void **state)
{
    static const char head[] = "limber: 1\nblocks:\n"
                               "  u: {type: signal, value: 'step(t, 1, 0, 2, 1)'}\n",
                      tail[] = "  i: {type: integrator, input: g}\noutputs: {g: g, i: i}\n";
    static const struct {
        const char *blocks;
        double late;
    } of[] = {
        {"  f: {type: filter, input: u, time_constant: 0.1}\n"
         "  g: {type: filter, input: f, time_constant: 0.1, order: 2}\n",
         0},
        {"  d: {type: delay, input: u, time: 0.3}\n"
         "  f: {type: filter, input: d, time_constant: 0.1}\n"
         "  g: {type: filter, input: f, time_constant: 0.1, order: 2}\n",
         0.3},
        {"  f: {type: filter, input: u, time_constant: 0.1}\n"
         "  d: {type: delay, input: f, time: 0.3}\n"
         "  g: {type: filter, input: d, time_constant: 0.1, order: 2}\n",
         0.3},
    };
    static const char *const method[] = {"generalized-alpha", "newmark", "radau", "bdf"};
    static const long most[] = {5000, 5000, 300, 1500};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 4; m++) {
            char text[1000], how[200];
            snprintf(text, sizeof text, "%s%s%s", head, of[k].blocks, tail);
            snprintf(how, sizeof how, "{type: dynamics, until: 5, output_step: 1, method: %s}",
                     method[m]);
            table r = run(text, how);
            print_message("%s, blocks %d: %ld steps\n", method[m], k, r.sum.steps);
            assert_under((double)r.sum.steps, (double)most[m]);
            assert_near(table_last(&r, "g"), 1, 1e-5);
            assert_near(table_last(&r, "i"), 3.2585786437627 - of[k].late, 2e-5);
            table_free(&r);
        }
}

/* A filter behind a delay begins from nothing when the first of the signal arrives: each method goes on there. */
static void late_filter(void **state)
{
    static const char text[] = "limber: 1\nblocks:\n"
                               "  u: {type: signal, value: sin(0.05*t)}\n"
                               "  d: {type: delay, input: u, time: 0.5}\n"
                               "  f: {type: filter, input: d, time_constant: 2}\n"
                               "outputs: {f: f}\n";
    static const char *const how[] = {
        "{type: dynamics, until: 70, output_step: 10, method: generalized-alpha, tolerance: 1e-6}",
        "{type: dynamics, until: 70, output_step: 10, method: bdf, tolerance: 1e-6}",
        "{type: dynamics, until: 70, output_step: 10, method: radau, tolerance: 1e-6}"};
    double w = 0.05, T = 2, t = 69.5, n = 1 + w * T * w * T;
    double f = (sin(w * t) - w * T * cos(w * t) + w * T * exp(-t / T)) / n;
    (void)state;
    for (int i = 0; i < 3; i++) {
        table r = run(text, how[i]);
        assert_near(table_last(&r, "f"), f, 1e-6);
        table_free(&r);
    }
}

/* x' = -x(t - 1) with x = 1 before: polynomials from interval to interval. */
static double steps(double t)
{
    double x = 1, fact = 1;
    for (int k = 1; k < 20 && t - (k - 1) > 0; k++) {
        fact *= k;
        x += (k % 2 ? -1 : 1) * pow(t - (k - 1), k) / fact;
    }
    return x;
}

static void delayed_feedback(void **state)
{
    (void)state;
    table r = run(ALONE "blocks:\n"
                        "  x: {type: integrator, input: -late, initial: 1}\n"
                        "  late: {type: delay, input: x, time: 1}\n"
                        "outputs: {x: x, late: late}\n",
                  RADAU("6"));
    double worst = off(&r, "x", steps);
    print_message("x' = -x(t - 1): %.2g\n", worst);
    assert_under(worst, 1e-5);
    table_free(&r);
}

/* Two delays in a row, the second of a signal that reads the first, start at what goes in at t = 0. */
static void delays_in_a_row(void **state)
{
    (void)state;
    table r = run(ALONE "blocks:\n"
                        "  one: {type: delay, input: 3 + t, time: 0.2}\n"
                        "  s: {type: signal, value: 2*one}\n"
                        "  two: {type: delay, input: s, time: 0.3}\n"
                        "outputs: {two: two}\n",
                  RADAU("1"));
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t");
        assert_near(table_get(&r, i, "two"), 2 * (3 + fmax(0, t - 0.5)), 1e-8);
    }
    table_free(&r);
}

/* Many periods in a delay, of the time and of a state: nothing is sampled too coarsely, whatever the rows and
 * the method. The oscillator turns at w = 300; 10 samples in the delay would see nothing of it. */
static double quick(double t) { return t < 0.5 ? 0 : sin(300 * (t - 0.5)); }

static void delay_of_many_periods(void **state)
{
    static const char text[] = ALONE "blocks:\n"
                                     "  x: {type: integrator, input: 300*y}\n"
                                     "  y: {type: integrator, input: -300*x, initial: 1}\n"
                                     "  s: {type: signal, value: sin(300*t)}\n"
                                     "  d: {type: delay, input: s, time: 0.5, samples: 10}\n"
                                     "  e: {type: delay, input: x, time: 0.5, samples: 10}\n"
                                     "outputs: {d: d, e: e, x: x}\n";
    static const char *const how[] = {
        "{type: dynamics, until: 0.7, output_step: 0.01, method: radau, tolerance: 1e-7}",
        "{type: dynamics, until: 0.7, output_step: 0.07, method: radau, tolerance: 1e-7}",
        "{type: dynamics, until: 0.7, output_step: 0.5, method: explicit, tolerance: 1e-7}"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        table r = run(text, how[i]);
        print_message("%s: %.2g, %.2g\n", how[i], off(&r, "d", quick), off(&r, "e", quick));
        assert_under(off(&r, "d", quick), 1e-11);
        assert_under(off(&r, "e", quick), 1e-6);
        table_free(&r);
    }
}

/* Inputs that jump, at instants that no one announces: the jumps come out later by the delay, as steps of what
 * integrates them. u jumps where x = sin t passes 0.5 upwards (t = pi/6) and downwards (5 pi/6), of the state
 * and of the time; z is its integral, through two delays in a row. */
static double late_ramp(double t)
{
    double a = M_PI / 6 + 0.4, b = 5 * M_PI / 6 + 0.4;
    return fmin(fmax(t - a, 0), b - a);
}

static void delay_of_jumps(void **state)
{
    static const char text[] =
        ALONE "blocks:\n"
              "  x: {type: integrator, input: y}\n"
              "  y: {type: integrator, input: -x, initial: 1}\n"
              "  one: {type: delay, input: 'if(x > 0.5, 1, 0)', time: 0.25}\n"
              "  two: {type: delay, input: one, time: 0.15}\n"
              "  z: {type: integrator, input: two}\n"
              "  timed: {type: delay, input: 'if(sin(t) > 0.5, 1, 0)', time: 0.4}\n"
              "  zt: {type: integrator, input: timed}\n"
              "outputs: {z: z, zt: zt}\n";
    static const char *const how[] = {
        "{type: dynamics, until: 4, output_step: 0.01, method: radau, tolerance: 1e-9}",
        "{type: dynamics, until: 4, output_step: 0.37, method: radau, tolerance: 1e-9}",
        "{type: dynamics, until: 4, output_step: 0.1, method: explicit, tolerance: 1e-9}",
        "{type: dynamics, until: 4, output_step: 0.1, method: bdf, tolerance: 1e-9}"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        table r = run(text, how[i]);
        print_message("%s: %.2g, %.2g\n", how[i], off(&r, "z", late_ramp),
                      off(&r, "zt", late_ramp));
        assert_under(off(&r, "z", late_ramp), 2e-8);
        assert_under(off(&r, "zt", late_ramp), 1e-9);
        table_free(&r);
    }
}

/* Two delays in a loop, x' = -x(t - 1) - x(t - 0.3)/2 with x = 1 before, against steps of Runge-Kutta's method
 * that are parts of both delays. */
static void two_delays_in_a_loop(void **state)
{
    enum { N = 2000, ROWS = 6 };
    static double x[N * ROWS + 1];
    double h = 1.0 / N, worst = 0;
    (void)state;
    x[0] = 1;
    for (int i = 0; i < N * ROWS;
         i++) { /* the right side is known: Simpson, with the cubic through four values */
        double f[3];
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int j = 0; j < 2; j++) {
                int at = i - (j ? N * 3 / 10 : N);
                double a = at < 0 ? 1 : x[at], b = at + 1 <= 0 ? 1 : x[at + 1];
                double l = at < 1 ? a : x[at - 1], r = at + 2 <= 0 ? 1 : x[at + 2];
                if (at == 0) l = 2 * a - b;
                double mid = (9 * (a + b) - l - r) / 16;
                sum -= (j ? 0.5 : 1) * (k == 0 ? a : k == 2 ? b : at < 0 ? 1 : mid);
            }
            f[k] = sum;
        }
        x[i + 1] = x[i] + h / 6 * (f[0] + 4 * f[1] + f[2]);
    }
    table r = run(ALONE "blocks:\n"
                        "  x: {type: integrator, input: -one - two/2, initial: 1}\n"
                        "  one: {type: delay, input: x, time: 1}\n"
                        "  two: {type: delay, input: x, time: 0.3}\n"
                        "outputs: {x: x}\n",
                  "{type: dynamics, until: 6, output_step: 0.1, method: radau, tolerance: 1e-9}");
    for (int i = 0; i < r.rows; i++) {
        int at = (int)lround(table_get(&r, i, "t") * N);
        worst = fmax(worst, fabs(table_get(&r, i, "x") - x[at]));
    }
    print_message("two delays in a loop: %.2g\n", worst);
    assert_under(worst, 1e-6);
    table_free(&r);
}

/* ---- resuming ---- */

/* Histories, held values and integrals are part of checkpoints. */
static void resumes_to_the_bit(void **state)
{
    static const char text[] =
        WHEEL("u + late - 0.3*pid") "blocks:\n"
                                    "  u: {type: sampled, value: -joint(axle), every: 0.11}\n"
                                    "  late: {type: delay, input: sin(t) - 0.2*rate(axle), time: "
                                    "0.7, samples: 20}\n"
                                    "  pid: {type: pid, input: joint(axle), kp: 1, ki: 0.1, kd: "
                                    "0.2}\n"
                                    "analysis: {type: dynamics, until: 30, output_step: 0.1, "
                                    "method: radau, tolerance: 1e-4}\n"
                                    "outputs: {a: joint(axle), u: u, late: late, pid: pid}\n";
    (void)state;
    limber_model *model = model_of_text(text);
    assert_resumes_to_the_bit(model, &(file_run){0}, 300, 550);
    limber_model_free(model);
}

/* A history that has outgrown the room that it had at the start, jumps in it. */
static void long_history_resumes(void **state)
{
    static const char text[] = WHEEL(
        "late") "initial: {axle: {rate: 1}}\n"
                "blocks:\n"
                "  x: {type: integrator, input: 300*y}\n"
                "  y: {type: integrator, input: -300*x, initial: 1}\n"
                "  late: {type: delay, input: 'x + if(y > 0.9, 1, 0) - joint(axle)', time: 1, "
                "samples: 10}\n"
                "analysis: {type: dynamics, until: 2, output_step: 0.05, method: radau}\n"
                "outputs: {a: joint(axle), late: late}\n";
    (void)state;
    limber_model *model = model_of_text(text);
    assert_resumes_to_the_bit(model, &(file_run){0}, 700, 1000);
    limber_model_free(model);
}

/* ---- switch ---- */

/* A wheel pushed back and forth by 2 and -1 as its angle passes -0.5 and 1: a chain of parabolas, whose
 * ends are the roots of quadratic equations. */
static void relay_on_a_wheel(void **state)
{
    (void)state;
    table r = run(WHEEL("push") "initial: {axle: {angle: 0.9, rate: 1}}\n"
                                "blocks:\n"
                                "  push: {type: switch, input: joint(axle), on: -0.5, off: 1, "
                                "values: [-1, 2], initial: 1}\n"
                                "  back: {type: switch, input: joint(axle), on: 1, off: -0.5}\n"
                                "outputs: {a: joint(axle), push: push, back: back}\n",
                  "{type: dynamics, until: 20, output_step: 0.013, method: radau}");
    double t0 = 0, a0 = 0.9, v0 = 1, u = 2, worst = 0;
    for (int i = 0; i < r.rows - 1; i++) {
        double t = table_get(&r, i, "t");
        for (;;) {
            double goal = u > 0 ? 1 : -0.5; /* a0 + v0 s + u s^2/2 = goal, on the way there */
            double s = (sqrt(v0 * v0 + 2 * u * (goal - a0)) * (u > 0 ? 1 : -1) - v0) / u;
            if (t0 + s > t) break;
            v0 += u * s, a0 = goal, t0 += s;
            u = u > 0 ? -1 : 2;
        }
        double s = t - t0;
        worst = fmax(worst, fabs(table_get(&r, i, "a") - (a0 + v0 * s + u * s * s / 2)));
        assert_true(table_get(&r, i, "push") == u);
        assert_true(table_get(&r, i, "back") == (u < 0));
    }
    print_message("relay: %.2g\n", worst);
    assert_true(t0 > 10);
    assert_under(worst, 1e-8);
    table_free(&r);
}

/* An integrator that runs up and down between 1 and -0.5 at the rates 2 and -1: up in 0.75, down in
 * 1.5. */
static double saw(double t)
{
    double first = 0.5, rest = fmod(t - first, 2.25);
    if (t < first) return 2 * t;
    return rest < 1.5 ? 1 - rest : -0.5 + 2 * (rest - 1.5);
}

static void relay_on_an_integrator(void **state)
{
    (void)state;
    table r = run(ALONE "blocks:\n"
                        "  x: {type: integrator, input: slope}\n"
                        "  slope: {type: switch, input: x, on: -0.5, off: 1, values: [-1, 2], "
                        "initial: 1}\n"
                        "outputs: {x: x}\n",
                  "{type: dynamics, until: 20, output_step: 0.013, method: radau}");
    double worst = off(&r, "x", saw);
    print_message("relay on an integrator: %.2g\n", worst);
    assert_under(worst, 1e-8);
    table_free(&r);
}

/* Samples of t are 0.3 at 0.3, those of 1 - t are 1 at 0: the relays turn with them, and the second with the first. */
static double behind_sample(double t) { return t > 0.3 ? 1 - exp(-(t - 0.3) / 0.1) : 0; }
static double behind_start(double t) { return 1 - exp(-t / 0.1); }

static void relay_on_samples(void **state)
{
    static const char text[] = ALONE "blocks:\n"
                                     "  s: {type: sampled, value: t, every: 0.1}\n"
                                     "  w: {type: switch, input: s, on: 0.25, off: -1}\n"
                                     "  v: {type: switch, input: w, on: 0.5, off: -1}\n"
                                     "  f: {type: filter, input: v, time_constant: 0.1}\n"
                                     "  s0: {type: sampled, value: 1 - t, every: 0.1}\n"
                                     "  w0: {type: switch, input: s0, on: 0.95, off: -1}\n"
                                     "  f0: {type: filter, input: w0, time_constant: 0.1}\n"
                                     "outputs: {f: f, f0: f0}\n";
    static const char *const how[] = {
        "{type: dynamics, until: 1, output_step: 0.07, method: radau, tolerance: 1e-9}",
        "{type: dynamics, until: 1, output_step: 0.07, method: bdf, tolerance: 1e-9}",
        "{type: dynamics, until: 1, output_step: 0.07, method: generalized-alpha, tolerance: "
        "1e-9}"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        table r = run(text, how[i]);
        assert_under(off(&r, "f", behind_sample), 1e-7);
        assert_under(off(&r, "f0", behind_start), 1e-7);
        table_free(&r);
    }
}

/* ---- memory ---- */

static const char everything[] = WHEEL(
    "'pid + held + 0.1*two.y1 + late + relay + table'") "blocks:\n"
                                                        "  pid: {type: pid, input: 1 - "
                                                        "joint(axle), kp: 1, ki: 1, kd: 1, limits: "
                                                        "[-1, 1]}\n"
                                                        "  held: {type: pid, input: 1 - "
                                                        "joint(axle), kp: 1, ki: 1, kd: 1, limits: "
                                                        "[-1, 1], every: "
                                                        "0.05}\n"
                                                        "  two: {type: state_space, inputs: [t, "
                                                        "pid], A: [[-1]], B: [[1, 2]], C: [[1], "
                                                        "[2]]}\n"
                                                        "  tf: {type: transfer_function, input: "
                                                        "two.y2, numerator: [1, 2], denominator: "
                                                        "[1, 2, 3]}\n"
                                                        "  late: {type: delay, input: tf, time: "
                                                        "0.1}\n"
                                                        "  relay: {type: switch, input: "
                                                        "joint(axle), on: 0.1, off: 0}\n"
                                                        "  table: {type: lookup, input: late, "
                                                        "points: [[0, 1], [1, 2]], interpolation: "
                                                        "spline}\n"
                                                        "analysis: {type: dynamics, until: 1, "
                                                        "output_step: 0.1, step: 0.01}\n"
                                                        "outputs: {a: joint(axle), late: late}\n";

static void memory(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(everything);
    assert_steps_take_no_memory(everything, 30, 90, NULL);
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("blocks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delay_of_a_sine),
        cmocka_unit_test(late_beginning),
        cmocka_unit_test(gentle_beginnings),
        cmocka_unit_test(late_filter),
        cmocka_unit_test(delayed_feedback),
        cmocka_unit_test(delays_in_a_row),
        cmocka_unit_test(resumes_to_the_bit),
        cmocka_unit_test(delay_of_many_periods),
        cmocka_unit_test(delay_of_jumps),
        cmocka_unit_test(two_delays_in_a_loop),
        cmocka_unit_test(long_history_resumes),
        cmocka_unit_test(relay_on_a_wheel),
        cmocka_unit_test(relay_on_an_integrator),
        cmocka_unit_test(relay_on_samples),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
