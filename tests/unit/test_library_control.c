/* Axes of the library with their controllers. */
#include "test_library_env.h"

/* An arm of 0.5 kg m^2 about its joint, and a box of 50 kg on rails. */
#define ARM                                                                                        \
    INCLUDE("control")                                                                             \
    "bodies: {arm: {type: rigid, mass: 2, inertia: [1, 1, 0.5]}}\n"
#define ELBOW(effort)                                                                              \
    "joints: {elbow: {type: revolute, between: [ground, arm], axis: z, effort: " effort "}}\n"

typedef struct pi_part { /* a controller with limits that does not wind up */
    double kp, ki, limit;
} pi_part;

/* Its output for an error and the integral; *rate: of the integral. */
static double pi_of(pi_part c, double error, double integral, double *rate)
{
    double v = c.kp * error + integral, y = clamp(v, c.limit);
    *rate = c.ki * error + (y - v) * c.ki / c.kp;
    return y;
}

/* ---- PID ---- */

/* y = angle, rate, integral. */
static void pid_equations(const void *context, double t, const double *y, double *dy)
{
    double e = 0.3 * sin(4 * t) - y[0], rate = 1.2 * cos(4 * t) - y[1];
    double v = 100 * e + y[2] + 10 * rate, u = clamp(v, 12);
    (void)context;
    dy[0] = y[1];
    dy[1] = u / 0.5;
    dy[2] = 50 * e + (u - v) / sqrt(10. / 50);
}

static void pid_position(void **state)
{
    (void)state;
    follows(ARM ELBOW(
                "c.u") "blocks: {c: {use: pid_position, with: {axis: elbow, limit: 12, "
                       "reference: 0.3*sin(4*t), reference_rate: 1.2*cos(4*t)}}}\n"
                       "outputs: {y0: joint(elbow), y1: rate(elbow), y2: c.u.integral}\n" DYNAMICS(
                           "1", "0.02"),
            &(other_opinion){pid_equations, NULL, 3, 2000, {0}}, 1e-6);
}

/* ---- servo axes ---- */

/* y = current, rate and angle of the joint, integral. */
static void axis_equations(const void *context, double t, const double *y, double *dy)
{
    double n = 50, K = 0.1, wanted = 0.6 * sin(3 * t), pace = 1.8 * cos(3 * t);
    double e = wanted - y[2], v = 100 * e + y[3] + (pace - y[1]), pid = clamp(v, 48);
    double u = clamp(pid + K * n * pace, 48);
    (void)context;
    dy[0] = (u - 0.5 * y[0] - K * n * y[1]) / 1e-3;
    dy[1] = (n * K * y[0] - n * n * 1e-5 * y[1]) / (0.5 + 1e-3 + n * n * 1.1e-4);
    dy[2] = y[1];
    dy[3] = 200 * e + (pid - v) / sqrt(1. / 200);
}

static void servo_axis(void **state)
{
    (void)state;
    follows(ARM ELBOW("0") "power: {a: {use: servo_axis, with: {axis: elbow, reference: "
                           "0.6*sin(3*t), reference_rate: 1.8*cos(3*t)}}}\n"
                           "outputs: {y0: a.motor.current, y1: rate(elbow), y2: joint(elbow), y3: "
                           "a.pid.integral}\n" DYNAMICS("1", "0.02"),
            &(other_opinion){axis_equations, NULL, 4, 2000, {0}}, 1e-6);
}

/* With kp alone and, all but, without inductance the poles are those of
 *     I s^2 + n^2 (b + K^2/R) s + n K kp/R :
 * overshoot of a small step, and what a constant torque leaves as an error. */
static void servo_axis_by_poles(void **state)
{
    (void)state;
    static const char text[] = ARM ELBOW(
        "\"if(t < 1, 0, -5)\"") "power: {a: {use: servo_axis, with: {axis: elbow, "
                                "reference: 0.01, L: 1e-7, kp: 1000, ki: 0, kd: 0}}}\n"
                                "outputs: {angle: joint(elbow), error: a.error}\n" DYNAMICS(
                                    "2", "0.0005");
    double n = 50, K = 0.1, R = 0.5, I = 0.501 + n * n * 1.1e-4, k = n * K * 1000 / R;
    double d = n * n * (1e-5 + K * K / R), w = sqrt(k / I), z = d / (2 * w * I);
    table r = run_model(&(run_how){.text = text});
    double most = 0;
    for (int i = 0; i < r.rows; i++) most = fmax(most, table_get(&r, i, "angle"));
    assert_near(most / 0.01 - 1, exp(-M_PI * z / sqrt(1 - z * z)), 2e-4);
    assert_near(table_at(&r, "error", 0.9995), 0, 1e-9);
    assert_near(table_last(&r, "error"), 5 / k, 1e-9);
    table_free(&r);
}

/* With the integral nothing is left. */
static void servo_axis_under_load(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = ARM ELBOW("-5") "power: {a: {use: servo_axis, with: {axis: elbow, reference: "
                                "0.2}}}\n"
                                "outputs: {error: a.error, u: a.u}\n" DYNAMICS("15", "1")});
    assert_near(table_last(&r, "error"), 0, 1e-8);
    assert_near(table_last(&r, "u"), 0.5 * 5 / (50 * 0.1), 1e-5);
    table_free(&r);
}

/* y = current, speed of the screw, of the box, strain, position, integral. */
static void linear_equations(const void *context, double t, const double *y, double *dy)
{
    double h = 0.01 / (2 * M_PI), stretch = h * y[1] - y[2], force = 1e6 * y[3] + 1e4 * stretch;
    double wanted = 0.05 * sin(4 * t), pace = 0.2 * cos(4 * t), e = wanted - y[4];
    double v = 2000 * e + y[5] + 20 * (pace - y[2]), pid = clamp(v, 48);
    double drag = hypot(0.05, (1 / 0.9 - 1) * h * force) * tanh(y[1] / 0.5);
    (void)context;
    dy[0] = (clamp(pid + 0.1 / h * pace, 48) - 0.5 * y[0] - 0.1 * y[1]) / 1e-3;
    dy[1] = (0.1 * y[0] - 1e-5 * y[1] - drag - h * force) / 3e-4;
    dy[2] = force / 51;
    dy[3] = stretch;
    dy[4] = y[2];
    dy[5] = 5000 * e + (pid - v) / sqrt(20. / 5000);
}

static void servo_axis_linear(void **state)
{
    (void)state;
    follows(
        INCLUDE("control") "bodies: {box: {type: rigid, mass: 50, inertia: [1, 1, 1]}}\n"
                           "joints: {way: {type: prismatic, between: [ground, box], axis: x}}\n"
                           "power: {a: {use: servo_axis_linear, with: {axis: way, stiffness: 1e6, "
                           "reference: 0.05*sin(4*t), reference_rate: 0.2*cos(4*t)}}}\n"
                           "outputs: {y0: a.motor.current, y1: flow(a.screw.screw), y2: rate(way), "
                           "y3: state(a.screw.strain), y4: joint(way), y5: "
                           "a.pid.integral}\n" DYNAMICS_AT("0.2", "0.01", "1e-6"),
        &(other_opinion){linear_equations, NULL, 6, 4000, {0}}, 1e-6);
}

/* ---- robot joints ---- */

typedef struct elastic { /* gearbox and friction between motor and arm */
    double torque;       /* at the output */
    double w[2];         /* accelerations of motor and arm */
} elastic;

static elastic elastic_of(double drive, double J, double w_motor, double w_arm, double twist)
{
    double torque = 1e4 * twist + 5 * (w_motor / 100 - w_arm);
    return (elastic){torque,
                     {(drive - 1e-5 * w_motor - torque / 100) / (J + 1e-5),
                      (torque - 2 * tanh(w_arm / 0.01)) / (0.5 + 1e-3)}};
}

static double speed_wanted(double t, double angle, double twist)
{
    double n = 100, e = n * (0.2 * sin(5 * t) - angle - twist);
    return clamp(30 * e + n * cos(5 * t), 300);
}

/* y = current, speeds of motor and arm, angle, twist, integrals of speed and current. */
static void robot_equations(const void *context, double t, const double *y, double *dy)
{
    double current = pi_of((pi_part){0.1, 2, 20}, speed_wanted(t, y[3], y[4]) - y[1], y[5], &dy[5]);
    double u = pi_of((pi_part){1, 500, 48}, current - y[0], y[6], &dy[6]);
    elastic x = elastic_of(0.1 * y[0], 1e-4, y[1], y[2], y[4]);
    (void)context;
    dy[0] = (u - 0.5 * y[0] - 0.1 * y[1]) / 1e-3;
    dy[1] = x.w[0];
    dy[2] = x.w[1];
    dy[3] = y[2];
    dy[4] = y[1] / 100 - y[2];
}

#define REFERENCE "axis: elbow, reference: 0.2*sin(5*t), reference_rate: cos(5*t)"

static void robot_joint(void **state)
{
    (void)state;
    follows(ARM ELBOW("0") "power: {r: {use: robot_joint, with: {" REFERENCE "}}}\n"
                           "outputs: {y0: r.motor.current, y1: flow(r.motor.rotor), y2: "
                           "rate(elbow), y3: joint(elbow),\n"
                           "  y4: state(r.gearbox.twist), y5: r.servo.current_wanted.integral, "
                           "y6: r.servo.u.integral}\n" DYNAMICS("0.4", "0.02"),
            &(other_opinion){robot_equations, NULL, 7, 4000, {0}}, 1e-6);
}

/* y = i_q, speeds of motor and arm, angle, twist, integrals of the speed and of i_q; i_d stays 0 as long as
 * the voltage is below its limit. */
static void robot_pm_equations(const void *context, double t, const double *y, double *dy)
{
    double current = pi_of((pi_part){0.1, 2, 20}, speed_wanted(t, y[3], y[4]) - y[1], y[5], &dy[5]);
    elastic x = elastic_of(1.5 * 4 * 0.02 * y[0], 5e-5, y[1], y[2], y[4]);
    double induced = 4 * y[1] * 0.02, u = 2000 * 6e-4 * (current - y[0]) + y[6] + induced;
    (void)context;
    dy[0] = (u - 0.3 * y[0] - induced) / 6e-4;
    dy[1] = x.w[0];
    dy[2] = x.w[1];
    dy[3] = y[2];
    dy[4] = y[1] / 100 - y[2];
    dy[6] = 2000 * 0.3 * (current - y[0]);
}

static void robot_joint_pm(void **state)
{
    (void)state;
    follows(ARM ELBOW("0") "power: {r: {use: robot_joint_pm, with: {U: 100, " REFERENCE "}}}\n"
                           "outputs: {y0: r.motor.i_q, y1: flow(r.motor.rotor), y2: rate(elbow), "
                           "y3: joint(elbow),\n"
                           "  y4: state(r.gearbox.twist), y5: r.current_wanted.integral, y6: "
                           "r.motor.integral_q}\n" DYNAMICS("0.4", "0.02"),
            &(other_opinion){robot_pm_equations, NULL, 7, 4000, {0}}, 1e-6);
}

/* ---- sampled cascade ---- */

typedef struct held { /* a sampled PI: output, integral and value before the limit */
    double y, integral, v;
} held;

static held held_next(held h, pi_part c, double T, double error)
{
    double share = fmin(1, T * c.ki / c.kp);
    h.integral += c.ki * T * error + share * (h.y - h.v);
    h.v = c.kp * error + h.integral;
    h.y = clamp(h.v, c.limit);
    return h;
}

/* With a given motion each loop is the recursion to rounding; it reads what the loop around it gave at
 * the sample before. */
static void sampled_cascade(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = INCLUDE(
            "control") "blocks: {c: {use: cascade_servo_sampled, with: {reference: "
                       "3*t, reference_rate: 3, position: 2*sin(9*t), speed: "
                       "18*cos(9*t), current: 4*sin(50*t), kp_current: 4, ki_current: 100}}}\n"
                       "outputs: {w: c.speed_wanted, i: c.current_wanted, u: c.u}\n" DYNAMICS(
                           "0.1", "1e-4")});
    held outer = {0}, inner = {0};
    double wanted = 0, most = 0;
    int limited = 0;
    for (int k = 0; k < r.rows - 1; k++) {
        double t = table_get(&r, k, "t"), current = 4 * sin(50 * t), asked = outer.y;
        if (k % 5 == 0) {
            outer = held_next(outer, (pi_part){0.1, 2, 20}, 5e-4, wanted - 18 * cos(9 * t));
            wanted = clamp(30 * (3 * t - 2 * sin(9 * t)) + 3, 300);
        }
        inner = held_next(inner, (pi_part){4, 100, 48}, 1e-4, asked - current);
        limited += fabs(inner.y) == 48;
        most = fmax(most, fabs(table_get(&r, k, "w") - wanted) / 300);
        most = fmax(most, fabs(table_get(&r, k, "i") - outer.y) / 20);
        most = fmax(most, fabs(table_get(&r, k, "u") - inner.y) / 48);
    }
    print_message("  off the recursion by %.1e of the limits, %d samples at the limit\n", most,
                  limited);
    assert_between(limited, 10, 900);
    assert_under(most, 1e-13);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pid_position),        cmocka_unit_test(servo_axis),
        cmocka_unit_test(servo_axis_by_poles), cmocka_unit_test(servo_axis_under_load),
        cmocka_unit_test(servo_axis_linear),   cmocka_unit_test(robot_joint),
        cmocka_unit_test(robot_joint_pm),      cmocka_unit_test(sampled_cascade),
    };
    return cmocka_run_group_tests(tests, library_set_up, scratch_tear_down);
}
