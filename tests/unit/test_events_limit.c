/* States that come to a limit at which a force changes its branch, and stay there: what their guards say then is
 * rounding, and no reason to take steps back. Friction of LuGre's kind, whose bristles bend as far as they go. */
#include "support/run_model.h"

static const char *const methods[] = {"radau", "bdf", "generalized-alpha", "newmark", "explicit"};
enum { METHODS = 5 };

static const double s0 = 2000, s1 = 2.8, mu = 0.3, J = 0.05;

static double normal(double t)
{
    return t < 0.1 ? 0 : t < 1.1 ? 10 * (1 - cos(M_PI * (t - 0.1))) : 20;
}

/* y = angle, speed, bristles. */
static void rates(double t, const double *y, double *dy)
{
    dy[0] = y[1];
    dy[2] = y[1] - s0 * fabs(y[1]) * y[2] / mu;
    dy[1] = -normal(t) * (s0 * y[2] + s1 * dy[2]) / J;
}

/* Runge and Kutta's method. */
static double angle(double until, int steps)
{
    double y[3] = {0, 10, 0}, h = until / steps;
    for (int i = 0; i < steps; i++) {
        double k[4][3], x[3], t = i * h;
        rates(t, y, k[0]);
        for (int s = 1; s < 4; s++) {
            double c = s == 3 ? 1 : 0.5;
            for (int j = 0; j < 3; j++) x[j] = y[j] + c * h * k[s - 1][j];
            rates(t + c * h, x, k[s]);
        }
        for (int j = 0; j < 3; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
    return y[0];
}

static void brake(void **state)
{
    double exact = angle(3, 1500000);
    (void)state;
    for (int m = 0; m < METHODS - 1; m++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "parameters: {s0: 2000, s1: 2.8, mu: 0.3}\n"
                 "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 0.05]}}\n"
                 "joints: {j: {type: revolute, between: [ground, b], axis: z,\n"
                 "  effort: -N*(s0*z + s1*zd)}}\n"
                 "blocks:\n"
                 "  N: {type: signal, value: \"if(t < 0.1, 0, if(t < 1.1, 10*(1 - cos(pi*(t - "
                 "0.1))), 20))\"}\n"
                 "  zd: {type: signal, value: rate(j) - s0*abs(rate(j))*z/mu}\n"
                 "  z: {type: integrator, input: zd}\n"
                 "initial: {j: {rate: 10}}\n"
                 "analysis: {type: dynamics, until: 3, output_step: 0.1, tolerance: 1e-4, method: "
                 "%s}\n"
                 "outputs: {a: joint(j)}\n",
                 methods[m]);
        table r = run_model(&(run_how){.text = text});
        assert_near(table_last(&r, "a"), exact, 2e-5);
        assert_true(r.sum.steps + r.sum.rejected < 4000);
        table_free(&r);
    }
}

/* The elasto-plastic variant: the bristles reach mu(v)/s0 as the body slides. */
static void stick_slip(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        char text[1600];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "parameters: {s0: 2000, s1: 2.8, ka: 0.71, F: 4, v: 0.1}\n"
                 "bodies: {b: {type: rigid, mass: 0.016, inertia: [1, 1, 1], position: [1, 0, "
                 "0]}}\n"
                 "joints: {j: {type: prismatic, between: [ground, b], axis: x,\n"
                 "  effort: 100*(v*t - joint(j)) - F*(s0*z + s1*zd)}}\n"
                 "blocks:\n"
                 "  mu: {type: signal, value: \"pwl(abs(rate(j)), 0,0.6, 0.1,0.3, 1.2,0.3)\"}\n"
                 "  al: {type: signal, value: \"if(z*rate(j) < 0, 0, if(abs(z) < ka*mu/s0, 0, "
                 "if(abs(z) < mu/s0,\n"
                 "    0.5*sin(pi*(s0*abs(z)/(mu*(1 - ka)) - (1 + ka)/(2*(1 - ka)))) + 0.5, "
                 "1)))\"}\n"
                 "  zd: {type: signal, value: rate(j)*(1 - al*sign(rate(j))*z*s0/mu)}\n"
                 "  z: {type: integrator, input: zd}\n"
                 "initial: {j: {rate: v}}\n"
                 "analysis: {type: dynamics, until: 0.4, output_step: 0.02, tolerance: 1e-6, "
                 "method: %s}\n"
                 "outputs: {x: joint(j)}\n",
                 methods[m]);
        table r = run_model(&(run_how){.text = text});
        /* by radau and bdf at a tolerance of 1e-10 */
        assert_near(table_last(&r, "x"), 0.0266767523538, 1e-8);
        assert_true(r.sum.steps + r.sum.rejected < 40000);
        table_free(&r);
    }
}

/* A limit that only an output reads, reached within 10^-6 of the time after a step: what that step had left open in
 * the constraints is no error of the next one, which is far shorter. */
static void limited_output(void **state)
{
    static const char *const names[] = {"a", "b", "p"};
    double last[2][3];
    (void)state;
    for (int m = 0; m < 2; m++) {
        char text[1500];
        snprintf(
            text, sizeof text,
            "limber: 1\n"
            "gravity: [0, -9.81, 0]\n"
            "bodies:\n"
            "  a: {type: rigid, mass: 1.5, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0],\n"
            "    frames: {e: [0.5, 0, 0]}}\n"
            "  b: {type: rigid, mass: 1.5, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\n"
            "joints:\n"
            "  j: {type: revolute, between: [ground, a], axis: z, at: [0, 0, 0], effort: c}\n"
            "  k: {type: revolute, between: [a.e, b], axis: z, at: [1, 0, 0]}\n"
            "blocks:\n"
            "  c: {type: pid, input: sin(t)-joint(j), kp: 30, ki: 10, kd: 2, limits: [-20, 20],"
            " every: 0.02}\n"
            "  it: {type: integrator, input: joint(k), limits: [-1, 1]}\n"
            "power:\n"
            "  n: {type: 1, domain: rotation}\n"
            "  S: {type: Se, effort: sin(3*t), on: n}\n"
            "  I: {type: I, inertia: 0.1, on: n}\n"
            "analysis: {type: dynamics, until: 3, output_step: 0.01, tolerance: 1e-7, method: "
            "%s}\n"
            "outputs: {a: joint(j), b: joint(k), p: state(I), it: it}\n",
            methods[m]);
        table r = run_model(&(run_how){.text = text});
        for (int i = 0; i < 3; i++) last[m][i] = table_last(&r, names[i]);
        assert_near(table_last(&r, "it"), -1, 1e-12);
        table_free(&r);
    }
    for (int i = 0; i < 3; i++) assert_near(last[0][i], last[1][i], 1e-7);
}

/* A rod slides on its tip with a friction that goes with |N|, and N passes zero: a kink whose instant follows from
 * the reaction alone. */
static void reaction_vanishes(void **state)
{
    static const char *const how[] = {"radau", "explicit"};
    double last[2][2];
    (void)state;
    for (int m = 0; m < 2; m++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "gravity: [0, -9.81, 0]\n"
                 "bodies:\n"
                 "  rod: {type: rigid, mass: 1, inertia: [0.001, 1/12, 1/12],\n"
                 "    position: [cos(60*deg)/2, sin(60*deg)/2, 0],\n"
                 "    orientation: {axis: z, angle: 60*deg}, frames: {tip: [-0.5, 0, 0]}}\n"
                 "joints:\n"
                 "  pl: {type: planar, between: [ground, rod], axis: z}\n"
                 "  tip: {type: inline, between: [ground, rod.tip], axis: x}\n"
                 "loads: {fr: {on: rod.tip,\n"
                 "  force: [\"-1.3*abs(force(tip).y)*sign(vel(rod.tip).x)\", 0, 0]}}\n"
                 "initial: {pl: {rate: {x: -4, angle: 0}}}\n"
                 "analysis: {type: dynamics, until: 0.06, tolerance: 1e-8, method: %s}\n"
                 "outputs: {x: pos(rod.tip).x, angle: joint(pl).angle}\n",
                 how[m]);
        table r = run_model(&(run_how){.text = text});
        last[m][0] = table_last(&r, "x"), last[m][1] = table_last(&r, "angle");
        if (m == 0) assert_true(r.sum.steps + r.sum.rejected < 1000);
        table_free(&r);
    }
    for (int i = 0; i < 2; i++) assert_near(last[0][i], last[1][i], 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(brake), cmocka_unit_test(stick_slip),
                                       cmocka_unit_test(limited_output),
                                       cmocka_unit_test(reaction_vanishes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
