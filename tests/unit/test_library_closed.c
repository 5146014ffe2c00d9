/* Motors and gears of the library against closed forms. */
#include "test_library_env.h"

/* ---- motors ---- */

/* A step of the voltage: L J w'' + (R J + L b) w' + (R b + K^2) w = K U from rest, with poles that swing
 * (R = 0.5) or do not (R = 2). */
static void dc_step(const char *text, double R, double *off)
{
    const double L = 1e-3, K = 0.1, J = 1e-4, b = 1e-5, U = 12;
    double s = (R * J + L * b) / (2 * L * J), p = (R * b + K * K) / (L * J), d = s * s - p;
    double x = sqrt(fabs(d)), end = K * U / (R * b + K * K);
    table r = run_model(&(run_how){.text = text});
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t"), e = exp(-s * t);
        double c = d < 0 ? cos(x * t) : cosh(x * t), q = (d < 0 ? sin(x * t) : sinh(x * t)) / x;
        double w = end * (1 - e * (c + s * q)), rate = end * e * p * q;
        off[0] = fmax(off[0], fabs(table_get(&r, i, "w") - w) / end);
        off[1] = fmax(off[1], fabs(table_get(&r, i, "i") - (J * rate + b * w) / K) / (U / R));
    }
    assert_near(table_last(&r, "w"), end, 1e-4 * end);
    table_free(&r);
}

#define DC_STEP(R)                                                                                 \
    INCLUDE("motors")                                                                              \
    "power:\n"                                                                                     \
    "  m: {use: dc_motor_driven, with: {u: 12, R: " R "}, ports: {shaft: free}}\n"                 \
    "outputs: {w: flow(m.rotor), i: m.current}\n" DYNAMICS("0.2", "0.001")

static void dc_motor_step(void **state)
{
    (void)state;
    double off[2] = {0};
    dc_step(DC_STEP("0.5"), 0.5, off);
    dc_step(DC_STEP("2"), 2, off);
    print_message("  speed off by %.1e, current by %.1e\n", off[0], off[1]);
    assert_under(off[0], 1e-8);
    assert_under(off[1], 1e-8);
}

/* 0.3 N m against viscous friction: speed, voltages and what the supply gives. */
static void pm_motor_at_rest(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = INCLUDE("motors") "power:\n"
                                  "  m: {use: pm_motor, with: {torque: 0.3, b: 0.01}, ports: "
                                  "{shaft: free}}\n"
                                  "outputs: {w: flow(m.rotor), iq: m.i_q, id: m.i_d, ud: m.u_d, "
                                  "uq: m.u_q, torque: m.shaft_torque,\n"
                                  "  p: power(m.d_voltage) + power(m.q_voltage)}\n" DYNAMICS(
                                      "0.2", "0.01")});
    double iq = 0.3 / (1.5 * 4 * 0.02), w = 30;
    assert_near(table_last(&r, "iq"), iq, 1e-8);
    assert_near(table_last(&r, "id"), 0, 1e-8);
    assert_near(table_last(&r, "torque"), 0.3, 1e-8);
    assert_near(table_last(&r, "w"), w, 1e-6);
    assert_near(table_last(&r, "ud"), -4 * w * 6e-4 * iq, 1e-6);
    assert_near(table_last(&r, "uq"), 0.3 * iq + 4 * w * 0.02, 1e-6);
    assert_near(table_last(&r, "p"), 0.3 * w + 1.5 * 0.3 * iq * iq, 1e-5);
    table_free(&r);
}

/* ---- play ---- */

/* A torque drives the input through the gap, the flanks bounce, and again: without loss the twist beyond
 * the gap is d'' = a free and d'' = a - w^2 d in contact, and repeats itself. */
typedef struct bounce {
    double a, w, speed, first, contact, flight;
} bounce;

static bounce bounce_of(double a, double w, double gap)
{
    bounce b = {.a = a, .w = w, .first = sqrt(gap / a)};
    b.speed = a * b.first;
    b.contact = 2 * (M_PI - atan(b.speed * w / a)) / w;
    b.flight = 2 * b.speed / a;
    return b;
}

static double depth(const bounce *b, double t)
{
    double s = t - b->first;
    if (s < 0) return b->speed * s + b->a * s * s / 2;
    s = fmod(s, b->contact + b->flight);
    if (s < b->contact)
        return b->a / (b->w * b->w) * (1 - cos(b->w * s)) + b->speed / b->w * sin(b->w * s);
    s -= b->contact;
    return -b->speed * s + b->a * s * s / 2;
}

static void backlash_contacts(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = INCLUDE("gears") "power:\n"
                                 "  shaft: {type: 1}\n"
                                 "  push: {type: Se, effort: 0.1, on: shaft}\n"
                                 "  g: {use: gearbox_backlash, with: {J_out: 0.1, dissipation: 0}, "
                                 "ports: {input: shaft, output: free}}\n"
                                 "outputs: {twist: state(g.twist), out: flow(g.wheel)}\n" DYNAMICS(
                                     "0.1", "0.0005")});
    double most = 0;
    bounce b = bounce_of(0.1 / (100 * 1e-5), sqrt(1e4 * (1 / 0.1 + 1 / 0.1)), 2e-3);
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t");
        most = fmax(most, fabs(table_get(&r, i, "twist") - 1e-3 - depth(&b, t)));
        if (t < b.first) assert_near(table_get(&r, i, "out"), 0, 1e-14);
    }
    int contacts = 1 + (int)((0.1 - b.first) / (b.contact + b.flight));
    int parts = contacts - (0.1 - b.first < (contacts - 1) * (b.contact + b.flight) + b.contact);
    print_message("  twist off by %.1e, %d events\n", most / 2e-3, (int)r.sum.events);
    assert_under(most, 1e-6 * 2e-3);
    assert_int_equal(r.sum.events, contacts + parts);
    table_free(&r);
}

/* ---- screw ---- */

/* Turned at constant speed against 1000 N, and with it: efficiency 0.9 and 2 - 1/0.9. */
static void ball_screw_efficiency(void **state)
{
    static const char *const load[] = {"-1000", "1000"};
    double h = 0.01 / (2 * M_PI);
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[800];
        snprintf(text, sizeof text,
                 INCLUDE("gears") "power:\n"
                                  "  shaft: {type: 1}\n"
                                  "  turn: {type: Sf, flow: 20, on: shaft}\n"
                                  "  s: {use: ball_screw, with: {friction: 0}, ports: {shaft: "
                                  "shaft, nut: free}}\n"
                                  "  load: {type: Se, effort: %s, on: s.carriage}\n"
                                  "outputs: {torque: effort(turn), v: flow(s.carriage), F: "
                                  "s.force}\n" DYNAMICS("0.1", "0.01"),
                 load[k]);
        table r = run_model(&(run_how){.text = text});
        double torque = k ? -1000 * h * (2 - 1 / 0.9) : 1000 * h / 0.9;
        assert_near(table_last(&r, "torque"), torque, 1e-7);
        assert_near(table_last(&r, "F"), k ? -1000 : 1000, 1e-4);
        assert_near(table_last(&r, "v"), 20 * h, 1e-8);
        table_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dc_motor_step),
        cmocka_unit_test(pm_motor_at_rest),
        cmocka_unit_test(backlash_contacts),
        cmocka_unit_test(ball_screw_efficiency),
    };
    return cmocka_run_group_tests(tests, library_set_up, scratch_tear_down);
}
