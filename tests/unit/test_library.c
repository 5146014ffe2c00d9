/* Motors, gears and friction of the library. */
#include "test_library_env.h"

/* ---- motors ---- */

/* y = current, speed. */
static void dc_equations(const void *context, double t, const double *y, double *dy)
{
    const double *limit = context;
    double u = 60 * sin(20 * t);
    dy[0] = (clamp(u, *limit) - 0.5 * y[0] - 0.1 * y[1]) / 1e-3;
    dy[1] = (0.1 * y[0] - 1e-5 * y[1]) / 1e-4;
}

static void dc_motor(void **state)
{
    (void)state;
    double limit = INFINITY;
    follows(
        INCLUDE("motors") "power:\n"
                          "  mains: {type: 0, domain: electric}\n"
                          "  grid: {type: Se, effort: 60*sin(20*t), on: mains}\n"
                          "  m: {use: dc_motor, ports: {terminals: mains, shaft: free}}\n"
                          "outputs: {y0: m.current, y1: flow(m.rotor)}\n" DYNAMICS("0.2", "0.01"),
        &(other_opinion){dc_equations, &limit, 2, 2000, {0}}, 1e-6);
}

/* The amplifier gives 48 of the 60 that are asked for. */
static void dc_motor_driven(void **state)
{
    (void)state;
    double limit = 48;
    follows(
        INCLUDE(
            "motors") "power:\n"
                      "  m: {use: dc_motor_driven, with: {u: 60*sin(20*t)}, ports: {shaft: free}}\n"
                      "outputs: {y0: flow(m.winding), y1: flow(m.inertia)}\n" DYNAMICS("0.2",
                                                                                       "0.01"),
        &(other_opinion){dc_equations, &limit, 2, 2000, {0}}, 1e-6);
}

/* y = i_d, i_q, speed, integrals of both controllers; U, the asked i_q. */
static void pm_equations(const void *context, double t, const double *y, double *dy)
{
    const double *c = context, R = 0.3, Ld = 5e-4, Lq = 6e-4, psi = 0.02, n = 4, wc = 2000;
    (void)t;
    double id = y[0], iq = y[1], we = n * y[2];
    double vd = -wc * Ld * id + y[3] - we * Lq * iq;
    double vq = wc * Lq * (c[1] - iq) + y[4] + we * (Ld * id + psi);
    double share = c[0] / fmax(c[0], hypot(vd, vq)), ud = share * vd, uq = share * vq;
    dy[0] = (ud - R * id + we * Lq * iq) / Ld;
    dy[1] = (uq - R * iq - we * (Ld * id + psi)) / Lq;
    dy[2] = (1.5 * n * (psi * iq + (Ld - Lq) * id * iq) - 1e-5 * y[2]) / 5e-5;
    dy[3] = -wc * R * id + (ud - vd) * R / Ld;
    dy[4] = wc * R * (c[1] - iq) + (uq - vq) * R / Lq;
}

#define PM_MOTOR(with, until, rows)                                                                \
    INCLUDE("motors")                                                                              \
    "power:\n"                                                                                     \
    "  m: {use: pm_motor, with: {" with "}, ports: {shaft: free}}\n"                               \
    "outputs: {y0: m.i_d, y1: m.i_q, y2: flow(m.rotor), y3: m.integral_d, y4: m.integral_q,\n"     \
    "  torque: m.shaft_torque, mechanic: effort(m.inertia) + effort(m.bearings),\n"                \
    "  u: \"sqrt(m.u_d^2 + m.u_q^2)\"}\n" DYNAMICS(until, rows)

/* A torque of 1.2 asks for 10 A. It runs up to where the voltage is at its limit, which brings up i_d too
 * and so the torque of saliency. */
static void pm_motor_at_its_limit(void **state)
{
    (void)state;
    double c[2] = {27, 10};
    const char *text = PM_MOTOR("torque: 1.2", "0.05", "0.001");
    follows(text, &(other_opinion){pm_equations, c, 5, 200, {0}}, 1e-6);
    table r = run_model(&(run_how){.text = text});
    assert_near(table_last(&r, "u"), 27, 1e-9);
    assert_true(table_range(&r, "y0") > 0.5); /* saliency counts */
    for (int i = 0; i < r.rows; i++)
        assert_near(table_get(&r, i, "torque"), table_get(&r, i, "mechanic"), 1e-9);
    table_free(&r);
}

/* Within the limit the loop is a low pass: i_q = 5 (1 - exp(-2000 t)), i_d = 0. */
static void pm_motor_currents(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.text = PM_MOTOR("current: 5", "0.004", "0.0002")});
    double most = 0;
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t");
        most = fmax(most, fabs(table_get(&r, i, "y1") - 5 * (1 - exp(-2000 * t))));
        assert_near(table_get(&r, i, "y0"), 0, 1e-9);
    }
    print_message("  i_q off by %.1e, energy balance %.1e\n", most / 5, r.sum.energy_error);
    assert_under(most, 5e-6);
    table_free(&r);
}

/* ---- gears ---- */

/* A torque on the input of a free gear: output speed n torque t/(J_out + n^2 J_in). */
static void gear(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = INCLUDE("gears") "power:\n"
                                 "  shaft: {type: 1}\n"
                                 "  push: {type: Se, effort: 0.2, on: shaft}\n"
                                 "  g: {use: gear, ports: {input: shaft, output: free}}\n"
                                 "outputs: {w: flow(g.wheel)}\n" DYNAMICS("1", "0.1")});
    assert_near(table_last(&r, "w"), 10 * 0.2 / (1e-4 + 100 * 1e-5), 1e-6);
    table_free(&r);
}

typedef struct two_masses {
    double n, k, c, gap, J1, J2; /* c: damping, with a gap dissipation */
} two_masses;

#define PUSHED_SHAFT                                                                               \
    "power:\n"                                                                                     \
    "  shaft: {type: 1}\n"                                                                         \
    "  push: {type: Se, effort: 0.3*sin(40*t) + 0.1, on: shaft}\n"

static double push_of(double t) { return 0.3 * sin(40 * t) + 0.1; }

/* y = speed of input, of output, twist at the output. */
static void twist_equations(const void *context, double t, const double *y, double *dy)
{
    const two_masses *m = context;
    double rate = y[0] / m->n - y[1];
    double spring = m->k * (fmax(y[2] - m->gap / 2, 0) + fmin(y[2] + m->gap / 2, 0));
    double torque = spring + (m->gap > 0 ? fabs(spring) : 1) * m->c * rate;
    dy[0] = (push_of(t) - torque / m->n) / m->J1;
    dy[1] = torque / m->J2;
    dy[2] = rate;
}

#define GEARBOX(type)                                                                              \
    INCLUDE("gears")                                                                               \
    PUSHED_SHAFT                                                                                   \
    "  g: {use: " type ", ports: {input: shaft, output: load}}\n"                                  \
    "  load: {type: 1}\n"                                                                          \
    "  J: {type: I, inertia: 0.099, on: load}\n"                                                   \
    "outputs: {y0: flow(g.pinion), y1: flow(load), y2: state(g.twist)}\n" DYNAMICS("0.3", "0.01")

static void gearbox_elastic(void **state)
{
    (void)state;
    two_masses m = {100, 1e4, 5, 0, 1e-5, 0.1};
    follows(GEARBOX("gearbox_elastic, with: {J_in: 1e-5}"),
            &(other_opinion){twist_equations, &m, 3, 1000, {0}}, 1e-6);
}

static void gearbox_backlash(void **state)
{
    (void)state;
    two_masses m = {100, 1e4, 0.5, 2e-3, 1e-5, 0.1};
    follows(GEARBOX("gearbox_backlash"), &(other_opinion){twist_equations, &m, 3, 10000, {0}},
            1e-5);
}

#define TABLE(mass)                                                                                \
    "bodies: {table: {type: rigid, mass: " mass ", inertia: [1, 1, 1]}}\n"                         \
    "joints: {way: {type: prismatic, between: [ground, table], axis: x}}\n"

/* y = speed of the screw, of the nut, strain. */
static void screw_equations(const void *context, double t, const double *y, double *dy)
{
    double h = 0.01 / (2 * M_PI), rate = h * y[0] - y[1], force = 1e6 * y[2] + 1e3 * rate;
    double drag = hypot(0.05, (1 / 0.9 - 1) * h * force) * tanh(y[0] / 0.5);
    (void)context;
    dy[0] = (push_of(t) - drag - h * force) / 2e-4;
    dy[1] = force / 20;
    dy[2] = rate;
}

static void ball_screw(void **state)
{
    (void)state;
    follows(INCLUDE("gears") TABLE("19") PUSHED_SHAFT
            "  s: {use: ball_screw, with: {stiffness: 1e6, damping: 1e3}, ports: {shaft: shaft, "
            "nut: way}}\n"
            "outputs: {y0: flow(s.screw), y1: rate(way), y2: state(s.strain)}\n" DYNAMICS("0.3",
                                                                                          "0.01"),
            &(other_opinion){screw_equations, NULL, 3, 1000, {0}}, 1e-6);
}

/* y = speed of the rack: all masses are one. */
static void rack_equations(const void *context, double t, const double *y, double *dy)
{
    double r = 0.02;
    (void)context;
    dy[0] = (push_of(t) / r - 3 * y[0]) / (0.5 + 4 + 1e-5 / (r * r));
}

static void rack_pinion(void **state)
{
    (void)state;
    follows(INCLUDE("gears") TABLE("4") PUSHED_SHAFT
            "  p: {use: rack_pinion, with: {b: 3}, ports: {shaft: shaft, rack: way}}\n"
            "outputs: {y0: rate(way)}\n" DYNAMICS("0.3", "0.01"),
            &(other_opinion){rack_equations, NULL, 1, 1000, {0}}, 1e-6);
}

/* y = speeds of the pulleys, stretch. */
static void belt_equations(const void *context, double t, const double *y, double *dy)
{
    double rate = 0.01 * y[0] - 0.03 * y[1], force = 2e5 * y[2] + 20 * rate;
    (void)context;
    dy[0] = (push_of(t) - 0.01 * force) / 1e-5;
    dy[1] = 0.03 * force / 5e-4;
    dy[2] = rate;
}

static void belt_drive(void **state)
{
    (void)state;
    follows(INCLUDE("gears") PUSHED_SHAFT
            "  d: {use: belt_drive, ports: {input: shaft, output: free}}\n"
            "outputs: {y0: flow(d.small), y1: flow(d.large), y2: "
            "state(d.stretch)}\n" DYNAMICS("0.3", "0.01"),
            &(other_opinion){belt_equations, NULL, 3, 2000, {0}}, 1e-6);
}

/* ---- friction ---- */

enum { COULOMB, STRIBECK, LUGRE };

/* A body of 2 that is pushed to and fro: y = speed, position; of LuGre the bristles y2. */
static void sliding(const void *context, double t, const double *y, double *dy)
{
    int kind = *(const int *)context;
    double v = y[0], push = 3 * sin(4 * t), drag = tanh(v / 0.01) + 0.4 * v;
    double g = 1 + 0.5 * exp(-(v / 0.05) * (v / 0.05)), rate = v - 1e4 * fabs(v) * y[2] / g;
    if (kind == STRIBECK) drag = g * tanh(v / 0.01) + 0.4 * v;
    if (kind == LUGRE) drag = 1e4 * y[2] + 100 * rate + 0.4 * v;
    dy[0] = (push - drag) / 2;
    dy[1] = v;
    dy[2] = kind == LUGRE ? rate : 0;
}

#define SLIDING(type, outputs)                                                                     \
    INCLUDE("friction")                                                                            \
    "bodies: {box: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"                                  \
    "joints: {way: {type: prismatic, between: [ground, box], axis: x, effort: 3*sin(4*t)}}\n"      \
    "power:\n"                                                                                     \
    "  slide: {type: 1}\n"                                                                         \
    "  box: {type: port, joint: way, on: slide}\n"                                                 \
    "  r: {use: " type ", ports: {contact: slide}}\n"                                              \
    "outputs: {y0: rate(way), y1: joint(way)" outputs "}\n" DYNAMICS("3", "0.05")

static void coulomb(void **state)
{
    int kind = COULOMB;
    (void)state;
    follows(SLIDING("coulomb, with: {slip: 0.01, viscous: 0.4}", ""),
            &(other_opinion){sliding, &kind, 3, 500, {0}}, 1e-6);
}

static void stribeck(void **state)
{
    int kind = STRIBECK;
    (void)state;
    follows(SLIDING("stribeck, with: {slip: 0.01, stribeck: 0.05, viscous: 0.4}", ""),
            &(other_opinion){sliding, &kind, 3, 500, {0}}, 1e-6);
}

static void lugre(void **state)
{
    int kind = LUGRE;
    (void)state;
    follows(SLIDING("lugre, with: {stribeck: 0.05, viscous: 0.4, stiffness: 1e4, damping: 100}",
                    ", y2: state(r.bristles)"),
            &(other_opinion){sliding, &kind, 3, 5000, {0}}, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dc_motor),
        cmocka_unit_test(dc_motor_driven),
        cmocka_unit_test(pm_motor_at_its_limit),
        cmocka_unit_test(pm_motor_currents),
        cmocka_unit_test(gear),
        cmocka_unit_test(gearbox_elastic),
        cmocka_unit_test(gearbox_backlash),
        cmocka_unit_test(ball_screw),
        cmocka_unit_test(rack_pinion),
        cmocka_unit_test(belt_drive),
        cmocka_unit_test(coulomb),
        cmocka_unit_test(stribeck),
        cmocka_unit_test(lugre),
    };
    return cmocka_run_group_tests(tests, library_set_up, scratch_tear_down);
}
