/* Mechanisms on servo motors: against equations written by hand, prescribed motion, rigid designs and the
 * poles of the machine at rest. */
#include "models_apart.h"
#include "support/ode.h"
#include "support/run_model.h"

static const double PI = 3.14159265358979323846, g = 9.81;

/* ---- slider-crank ---- */

/* The rigid machine: angle, rate, current, integral of the controller. */
static void crank_rates(const void *context, double t, const double *y, double *dy)
{
    const double r = 0.5, l = 1, H = 0.005, W = 0.05, rho = 7800, n = 30, kp = 30, ki = 300;
    const double R = 0.5, L = 1e-3, K = 0.1, b = 1e-4;
    double mc = rho * H * W * r, mr = rho * H * W * l, Ir = mr * (l * l + H * H) / 12;
    double s = sin(y[0]), c = cos(y[0]), sf = r / l * s, cf = sqrt(1 - sf * sf),
           k = r * c / (l * cf);
    double dk =
        r / l * (-s * cf + c * sf * k) / (cf * cf); /* of the rod's angle, over the crank's */
    double X = r * s + 0.5 * l * sf * k, dX = r * c + 0.5 * l * (cf * k * k + sf * dk);
    double Y = 0.5 * r * c, dY = -0.5 * r * s, x = fmin(t, 1);
    double J = mc * (r * r / 3 + H * H / 12) + mr * (X * X + Y * Y) + Ir * k * k;
    double dJ = 2 * mr * (X * dX + Y * dY) + 2 * Ir * k * dk;
    double torque = n * K * y[2] - n * n * b * y[1] - g * (0.5 * mc * r * c + mr * Y);
    double error = 2 * PI * x * x * (3 - 2 * x) - y[1], volts = kp * error + ki * y[3];
    (void)context;
    J += n * n * (1e-4 + 1e-5) + 1e-4;
    dy[0] = y[1];
    dy[1] = (torque - 0.5 * dJ * y[1] * y[1]) / J;
    dy[2] = (volts - R * y[2] - K * n * y[1]) / L;
    dy[3] = error;
}

#define BAR(name, length, from)                                                                    \
    "  " name ": {type: rigid, mass: 7800*H*W*" length ", inertia: [1, 1, 7800*H*W*" length        \
    "*(" length "^2 + H^2)/12], position: [" from ", 0, 0], frames: {start: [-" length             \
    "/2, 0, 0], end: [" length "/2, 0, 0]}}\n"

static run_how rigid_crank(void)
{
    return (run_how){
        .model = "servo_slider_crank",
        .swap = {
            {"  crank: {type: beam, section: strip, from: [0, 0, 0], to: [L1, 0, 0], elements: "
             "n1}\n",
             BAR("crank", "L1", "L1/2")},
            {"  rod: {type: beam, section: strip, from: [L1, 0, 0], to: [L1 + L2, 0, 0], "
             "elements: n2}\n",
             BAR("rod", "L2", "L1 + L2/2")},
            {"  deflection: deflection(rod, 0.5).y\n  moment: section(rod, 0.5).Mz\n", ""}}};
}

/* Against equations written by hand; and stiff beams approach rigid bars. */
static void slider_crank_rigid(void **state)
{
    static const char *const E[] = {"E: 2.1e12,", "E: 2.1e13,"};
    double y[4] = {0}, off[2];
    (void)state;
    run_how how = rigid_crank();
    how.analysis = "{type: dynamics, until: 1.5, output_step: 0.01, tolerance: 1e-6}";
    table r = run_model(&how);
    for (int i = 0; i < r.rows; i++) {
        if (i) ode_rk4(crank_rates, NULL, 4, y, 0.01 * (i - 1), 0.01 * i, 100);
        double slider = 0.5 * cos(y[0]) + sqrt(1 - 0.25 * sin(y[0]) * sin(y[0]));
        assert_near(table_get(&r, i, "crank"), y[0], 1e-7);
        assert_near(table_get(&r, i, "rate"), y[1], 1e-6);
        assert_near(table_get(&r, i, "slider"), slider, 1e-7);
        assert_near(table_get(&r, i, "current"), y[2], 1e-6 * 4.7); /* tolerance, largest current */
    }
    for (int i = 0; i < 2; i++) {
        table beams = run_model(&(run_how){.model = "servo_slider_crank",
                                           .swap = {{"E: 2.1e11,", E[i]}},
                                           .analysis = "{type: dynamics, until: 1.5, output_step: "
                                                       "0.01, tolerance: 1e-6}"});
        off[i] = apart(&r, &beams, "slider");
        table_free(&beams);
    }
    assert_under(off[1], 2e-4);
    assert_between(off[0] / off[1], 8, 12); /* as they bend, with 1/E */
    table_free(&r);
}

/* ---- gains ---- */

/* With higher gains the motor leads the crank as a drive does. */
static void slider_crank_gains(void **state)
{
    static const char *const set[][2] = {{"kp=300", "ki=3000"}, {"kp=3000", "ki=30000"}};
    static const char *const names[] = {"slider", "deflection", NULL};
    double off[2];
    (void)state;
    table aim = run_model(&(run_how){
        .model = "slider_crank_flexible",
        .swap = {{"crank.start], axis: z",
                  "crank.start], axis: z, drive: \"2*pi*(min(t, 1)^3 - min(t, 1)^4/2 + max(t - 1, "
                  "0))\""},
                 {"rho: 7800}", "rho: 7800, damping: {stiffness: 2e-4}}"}},
        .analysis = "{type: dynamics, until: 1.5, output_step: 0.01, method: radau, tolerance: "
                    "1e-6}"});
    for (int i = 0; i < 2; i++) {
        table r = run_model(&(run_how){.model = "servo_slider_crank",
                                       .set = {set[i][0], set[i][1]},
                                       .analysis = "{type: dynamics, until: 1.5, output_step: "
                                                   "0.01, tolerance: 1e-6}"});
        off[i] = apart_most(&aim, &r, names);
        table_free(&r);
    }
    assert_under(off[1], 0.02);
    assert_between(off[0] / off[1], 8, 12);
    table_free(&aim);
}

static void robot_arm_gains(void **state)
{
    static const char *const names[] = {"tip_x", "tip_y", "tip_z", "bend_y", NULL};
    static const char *const set[2][6] = {{"kp_turn=15000", "ki_turn=15000", "kd_turn=500",
                                           "kp_rise=7500", "ki_rise=7500", "kd_rise=250"},
                                          {"kp_turn=150000", "ki_turn=150000", "kd_turn=5000",
                                           "kp_rise=75000", "ki_rise=75000", "kd_rise=2500"}};
    double off[2];
    (void)state;
    table aim = run_model(&(run_how){.model = "two_link_arm",
                                     .analysis = "{type: dynamics, until: 3, output_step: 0.01, "
                                                 "method: radau, tolerance: 1e-6}"});
    for (int i = 0; i < 2; i++) {
        run_how how = {.model = "servo_robot_arm",
                       .analysis = "{type: dynamics, until: 3, output_step: 0.01, "
                                   "tolerance: 1e-6}"};
        for (int k = 0; k < 6; k++) how.set[k] = set[i][k];
        table r = run_model(&how);
        off[i] = apart_most(&aim, &r, names);
        table_free(&r);
    }
    assert_under(off[1], 0.01);
    assert_between(off[0] / off[1], 7, 12);
    table_free(&aim);
}

/* ---- two-link arm ---- */

/* Circular frequency and decay of a column after t0, from its zeros and the largest values between. */
static void ringing(const table *r, const char *name, double t0, double *w, double *decay)
{
    double first = 0, last = 0, top = 0, tops[64];
    int n = 0;
    for (int i = 0; i + 1 < r->rows; i++) {
        double t = table_get(r, i, "t"), a = table_get(r, i, name), b = table_get(r, i + 1, name);
        if (t < t0) continue;
        top = fmax(top, fabs(a));
        if (!(a * b < 0)) continue;
        last = t - a * (table_get(r, i + 1, "t") - t) / (b - a);
        if (!n) first = last;
        assert_true(n < 64);
        tops[n++] = top;
        top = 0;
    }
    assert_true(n > 4);
    *w = PI * (n - 1) / (last - first);
    *decay = log(tops[1] / tops[n - 1]) / (n - 2) * *w / PI;
}

#define TIP_SPEED                                                                                  \
    {                                                                                              \
        "outputs:\n", "outputs:\n  vy: vel(load).y\n"                                              \
    }

/* A rigid arm follows as well as its motors do; a flexible one is off by more and rings on, with the
 * frequency and the damping of the machine at rest where the path ends. */
static void flexible_arm_rings(void **state)
{
    const char *analysis = "{type: dynamics, until: 3, output_step: 0.002}";
    double w, decay, nearest = 0, growth = 0;
    (void)state;
    table soft = run_model(
        &(run_how){.model = "two_link_servo_arm", .swap = {TIP_SPEED}, .analysis = analysis});
    table stiff = run_model(&(run_how){.model = "two_link_servo_arm",
                                       .set = {"rigid=1"},
                                       .swap = {TIP_SPEED},
                                       .analysis = analysis});
    table poles =
        run_model(&(run_how){.model = "two_link_servo_arm", .analysis = "{type: linearize}"});
    ringing(&soft, "vy", 2, &w, &decay);
    for (int i = 0; i < poles.rows; i++) {
        double im = table_get(&poles, i, "imaginary");
        if (fabs(im - w) >= fabs(nearest - w)) continue;
        nearest = im;
        growth = table_get(&poles, i, "real");
    }
    assert_near(w, nearest, 0.005 * nearest);
    assert_near(decay, -growth, 0.05 * fabs(growth));
    double most[2] = {0}, after[2] = {0};
    for (int i = 0; i < soft.rows; i++) {
        double e[2] = {table_get(&soft, i, "tip_error"), table_get(&stiff, i, "tip_error")};
        for (int k = 0; k < 2; k++) {
            most[k] = fmax(most[k], e[k]);
            if (table_get(&soft, i, "t") > 1.6) after[k] = fmax(after[k], e[k]);
        }
    }
    assert_between(most[0], 0.010, 0.020);
    assert_under(most[1], 0.003);
    assert_between(after[0], 0.5e-3, 2e-3);
    assert_under(after[1], after[0] / 10);
    table_free(&soft);
    table_free(&stiff);
    table_free(&poles);
}

/* The hold of a sampled controller delays by half a sample: half the time, half the difference. */
static void sampled_controllers(void **state)
{
    static const char *const Ts[] = {"Ts=4e-3", "Ts=2e-3"};
    const char *analysis = "{type: dynamics, until: 0.3, output_step: 0.01}";
    double off[2];
    (void)state;
    table smooth = run_model(&(run_how){.model = "two_link_servo_arm", .analysis = analysis});
    for (int i = 0; i < 2; i++) {
        table r = run_model(&(run_how){
            .model = "two_link_servo_arm", .set = {"sampled=1", Ts[i]}, .analysis = analysis});
        off[i] = table_distance(&smooth, &r, "motor1_error");
        table_free(&r);
    }
    assert_between(off[0] / off[1], 1.8, 2.2);
    table_free(&smooth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_crank_rigid),  cmocka_unit_test(slider_crank_gains),
        cmocka_unit_test(robot_arm_gains),     cmocka_unit_test(flexible_arm_rings),
        cmocka_unit_test(sampled_controllers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
