/* power.external: all that does work on the mechanism, against closed forms and against the energy that
 * it brings. */
#include "support/run_model.h"
#include "support/scratch.h"

static int set_up(void **state)
{
    (void)state;
    return scratch_make("power_external");
}

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
enum { FORMS = sizeof forms / sizeof *forms };

/* ---- ports ---- */

/* An arm with a motor of 3 N m on its joint: w = 30 t. */
static void port_on_a_joint(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies: {arm: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {hinge: {type: revolute, between: [ground, arm], axis: z}}\n"
        "power:\n"
        "  shaft: {type: 1, domain: rotation}\n"
        "  motor: {type: Se, effort: 3, on: shaft}\n"
        "  bearing: {type: R, resistance: 0.02, on: shaft}\n"
        "  out: {type: port, joint: hinge, on: shaft}\n"
        "analysis: {type: dynamics, until: 1, output_step: 0.25, tolerance: 1e-9}\n"
        "outputs: {total: energy.total, external: power.external, out: power(out)}\n";
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = forms[f]});
        for (int i = 0; i < r.rows; i++) {
            double t = table_get(&r, i, "t"), w = 150 * (1 - exp(-0.2 * t));
            assert_near(table_get(&r, i, "external"), (3 - 0.02 * w) * w, 1e-6);
            assert_near(table_get(&r, i, "external"), table_get(&r, i, "out"), 1e-12);
            assert_near(table_get(&r, i, "total"), 0.05 * w * w, 1e-6);
        }
        assert_under(r.sum.energy_error,
                     1e-7); /* of the machine: its sources count, not its ports */
        table_free(&r);
    }
}

/* A force that a source of the graph exerts on a frame and a load on the same body: both are external. */
static void port_on_a_frame(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies: {box: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
        "joints: {way: {type: prismatic, between: [ground, box], axis: x}}\n"
        "loads: {wind: {on: box, force: [1, 0, 0]}}\n"
        "power:\n"
        "  rope: {type: 1, domain: translation}\n"
        "  pull: {type: Se, effort: 5, on: rope}\n"
        "  hook: {type: port, frame: box, force: [1, 0, 0], on: rope}\n"
        "analysis: {type: dynamics, until: 1, output_step: 0.25, tolerance: 1e-9}\n"
        "outputs: {external: power.external, hook: power(hook)}\n";
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = forms[f]});
        for (int i = 0; i < r.rows; i++) {
            double t = table_get(&r, i, "t");
            assert_near(table_get(&r, i, "hook"), 5 * 3 * t, 1e-9);
            assert_near(table_get(&r, i, "external"), 6 * 3 * t, 1e-9);
        }
        assert_under(r.sum.energy_error, 1e-9);
        table_free(&r);
    }
}

/* ---- frames that move by themselves ---- */

/* A bead on a spoke that turns at 2 rad/s: r = cosh 2t, and the spoke gives 2 m w^2 r r'. */
static void spoke_that_turns(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "coordinates: {r: {value: 1}}\n"
        "frames: {spoke: \"rotz(2*t)*disp(r, 0, 0)\"}\n"
        "bodies: {bead: {type: rigid, mass: 3, inertia: [0.1, 0.1, 0.1], motion: spoke}}\n"
        "analysis: {type: dynamics, until: 1, output_step: 0.125, tolerance: 1e-9}\n"
        "outputs: {r: r, speed: rate(r), external: power.external, total: energy.total}\n";
    table r = run_model(&(run_how){.text = text});
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t"), x = cosh(2 * t), v = 2 * sinh(2 * t);
        assert_near(table_get(&r, i, "external") / (1 + 24 * x * v), 24 * x * v / (1 + 24 * x * v),
                    1e-6);
        assert_near(table_get(&r, i, "speed"), v, 1e-6); /* the state is as it was */
        assert_near(table_get(&r, i, "total"), 1.5 * (v * v + 4 * x * x) + 0.2, 1e-5);
    }
    table_free(&r);
}

/* What time does to a bead on a shaken hoop, and what a load does: together the energy that it has. */
static void energy_is_the_integral(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "coordinates: {q: {value: 0.4, rate: 1}, p: {value: 0.1}}\n"
        "frames:\n"
        "  hoop: \"disp(0.1*sin(3*t), 0, 0)*rotz(4*t + 0.3*sin(5*t))\"\n"
        "  bead: \"hoop*roty(-q)*disp(0, 0, -0.5)*rotz(p)\"\n"
        "bodies: {b: {type: rigid, mass: 0.7, inertia: [0.01, 0.02, 0.03, 0.004, 0, 0], motion: "
        "bead, com: [0.05, 0, 0.02]}}\n"
        "loads: {push: {on: b, force: [0.3, 0, 1]}}\n"
        "analysis: {type: dynamics, until: 2, output_step: 0.005, tolerance: 1e-9}\n"
        "outputs: {power: power.external, total: energy.total}\n";
    table r = run_model(&(run_how){.text = text});
    double work = 0, h = 0.005;
    for (int i = 2; i < r.rows; i += 2) {
        work += h / 3 *
                (table_get(&r, i - 2, "power") + 4 * table_get(&r, i - 1, "power") +
                 table_get(&r, i, "power"));
        assert_near(table_get(&r, i, "total") - table_first(&r, "total"), work, 1e-6);
    }
    assert_true(table_range(&r, "power") > 3);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(port_on_a_joint),
        cmocka_unit_test(port_on_a_frame),
        cmocka_unit_test(spoke_that_turns),
        cmocka_unit_test(energy_is_the_integral),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
