/* The method bdf: published digits of the IFToMM benchmarks over the tolerance, against closed forms
 * and the explicit method where there are no digits, and what is special about a multistep method:
 * rotations that go on and on, starting again, interpolation, singular positions. */
#include "base/mem.h"
#include "support/method_checks.h"
#include "support/over_tolerance.h"
#include "support/run_model.h"

#define PI 3.14159265358979323846

/* ---- A01 to A05 over the tolerance ---- */

static void a01(void **state)
{
    (void)state;
    check_over_tolerance(0, "bdf", 1);
}

static void a02(void **state)
{
    (void)state;
    check_over_tolerance(1, "bdf", 1);
}

static void a03(void **state)
{
    (void)state;
    check_over_tolerance(2, "bdf", 1);
}

static void a04(void **state)
{
    (void)state;
    check_over_tolerance(3, "bdf", 1);
}

static void a05(void **state)
{
    (void)state;
    check_over_tolerance(4, "bdf", 1);
}

/* High order pays: fewer steps than the second-order method, and with a tenth of the tolerance hardly
 * more. */
static void steps_of_high_order(void **state)
{
    (void)state;
    const char *const analysis[] = {
        "{type: dynamics, until: 0.03, output_step: 1e-3, method: bdf, tolerance: 1e-5}",
        "{type: dynamics, until: 0.03, output_step: 1e-3, method: bdf, tolerance: 1e-6}",
        "{type: dynamics, until: 0.03, output_step: 1e-3, tolerance: 1e-5}"};
    long steps[3];
    for (int i = 0; i < 3; i++) {
        table r = run_model(&(run_how){.model = "a03_andrews", .analysis = analysis[i]});
        steps[i] = r.sum.steps;
        table_free(&r);
    }
    assert_under((double)steps[1], 2 * (double)steps[0]);
    assert_under(8 * (double)steps[0], (double)steps[2]);
}

/* ---- singular positions ---- */

/* All posts of A02 turn together, whatever their number: closed by energy. */
static void windows(void **state)
{
    static const char *const sets[] = {"N=1", "N=3", "N=20"};
    static const double count[] = {1, 3, 20};
    (void)state;
    for (int i = 0; i < 3; i++) {
        table r = run_model(
            &(run_how){.model = "a02_four_bars",
                       .set = {sets[i]},
                       .analysis = "{type: dynamics, until: 10, output_step: 0.1, method: bdf}"});
        double n = count[i], J = (n + 1) / 3 + n, weight = 9.81 * ((n + 1) / 2 + n);
        for (int k = 0; k < r.rows; k += 10) {
            double y = table_get(&r, k, "y"); /* rate from the height */
            double rate = sqrt(1 + 2 * weight * (1 - y) / J), energy = table_get(&r, k, "energy");
            assert_near(energy, table_first(&r, "energy"), 1e-3 * J * rate * rate);
        }
        assert_under(table_drift(&r, "straight"), 1e-6); /* no window has folded */
        table_free(&r);
    }
}

/* ---- rotations ---- */

/* A rotor that speeds up makes almost 500 turns: q_ref moves some eight hundred times. */
static void turns_are_counted(void **state)
{
    (void)state;
    table r = run_rotor("bdf");
    for (int i = 0; i < r.rows; i += 20) {
        double rate, angle = rotor_angle(table_get(&r, i, "t"), &rate);
        assert_near(table_get(&r, i, "angle"), angle, 1e-6);
        assert_near(table_get(&r, i, "rate"), rate, 1e-7);
        assert_near(table_get(&r, i, "x"), 1 / 9.0 + (1 - 1 / 9.0) * cos(angle), 1e-6);
    }
    assert_true(table_last(&r, "angle") > 450 * 2 * PI);
    table_free(&r);
}

/* A joint whose axis tumbles: the angle of the pendulum's second joint counts its turns, too. */
static void turns_on_a_moving_axis(void **state)
{
    (void)state;
    static const char spinning[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  arm: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "  disc: {type: rigid, mass: 2, inertia: [0.2, 0.1, 0.1], position: [1, 0, 0]}\n"
        "joints:\n"
        "  hip: {type: spherical, between: [ground, arm], at: [0, 0, 0]}\n"
        "  axle: {type: revolute, between: [arm, disc], axis: x, at: [1, 0, 0], damping: 0.002}\n"
        "initial: {axle: {rate: 60}}\n"
        "analysis: {type: dynamics, until: 4, output_step: 0.02, method: METHOD}\n"
        "outputs: {angle: joint(axle), rate: rate(axle), z: pos(disc).z, x: pos(disc).x}\n";
    table a = run_model(&(run_how){.text = spinning, .swap = {{"METHOD", "bdf, tolerance: 1e-7"}}});
    table b =
        run_model(&(run_how){.text = spinning, .swap = {{"METHOD", "explicit, tolerance: 1e-10"}}});
    assert_true(table_last(&b, "angle") > 30 * 2 * PI);
    assert_under(table_distance(&a, &b, "angle"), 2e-5);
    assert_under(table_distance(&a, &b, "z"), 2e-6);
    assert_under(table_distance(&a, &b, "x"), 2e-6);
    table_free(&a);
    table_free(&b);
}

static void free_rotation(void **state)
{
    (void)state;
    check_free_rotation("bdf", (double[]){1e-7, 1e-6}, 3e-6);
}

/* ---- what is between the steps, and where they end ---- */

static void rows_between_steps(void **state)
{
    (void)state;
    check_rows_between_steps("bdf, tolerance: 1e-7", 1e-4, 3000,
                             (pendulum_limits){1e-8, 1e-6 * 2 * 9.81, 1e-4 * 30});
}

static void kinks(void **state)
{
    (void)state;
    check_kinks("bdf");
}

/* What the bearings of a driven slider-crank carry, and the work of its drive. */
static void driven_slider_crank(void **state)
{
    static const char *const loads[] = {"main_bearing", "crank_pin", "side_thrust", "motor_torque",
                                        "motor_power"};
    (void)state;
    table a = run_model(&(run_how){
        .model = "slider_crank",
        .analysis =
            "{type: dynamics, until: 0.2, output_step: 2e-4, method: bdf, tolerance: 1e-6}"});
    table b = run_model(&(run_how){.model = "slider_crank",
                                   .analysis = "{type: dynamics, until: 0.2, output_step: 2e-4, "
                                               "method: explicit, tolerance: 1e-10}"});
    for (int i = 0; i < 5; i++) {
        double most = 0;
        for (int k = 0; k < b.rows; k++) most = fmax(most, fabs(table_get(&b, k, loads[i])));
        assert_under(table_distance(&a, &b, loads[i]), 1e-5 * most);
    }
    assert_under(a.sum.energy_error, 1e-6);
    table_free(&a);
    table_free(&b);
}

/* Steps that end where a caller wants them: short ones and long ones. */
static void small_advances(void **state)
{
    (void)state;
    static const char whole[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {bob: {type: rigid, mass: 1, position: [-1, 0, 0]}}\n"
        "joints: {pivot: {type: revolute, between: [ground, bob], axis: z, at: [0, 0, 0]}}\n"
        "analysis: {type: dynamics, until: 10, method: bdf, tolerance: 1e-7}\n"
        "outputs: {x: pos(bob).x, y: pos(bob).y}\n";
    long live = lm_mem_live();
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_simulation *sim = NULL;
    assert_int_equal(limber_model_parse(whole, strlen(whole), "m.yaml", NULL, &model, msg), 0);
    assert_int_equal(limber_simulation_new(model, &sim, msg), LIMBER_OK);
    double now[2];
    for (double t = 0, dt = 1e-6; t < 10; dt *= 1.7) {
        t = fmin(t + dt, 10);
        if (limber_simulation_advance(sim, t)) fail_msg("%s", limber_simulation_reason(sim));
        if (t > 0.99 && t < 1) dt = (1 - t) / 1.7;
        assert_int_equal(limber_simulation_outputs(sim, now), LIMBER_OK);
        assert_near(hypot(now[0], now[1]), 1, 1e-8);
    }
    assert_near(now[0], -.2750874626, 1e-6);
    assert_near(now[1], -.9614192051, 1e-6);
    limber_simulation_free(sim);
    limber_model_free(model);
    limber_messages_free(msg);
    assert_int_equal(lm_mem_live(), live);
}

/* ---- starts nearly at rest ---- */

/* An arm on a damped spring is knocked every 5 s. Each knock begins with a force of zero, on an arm whose speed is
 * rounding: what it does on so short a way is not asked for. */
static void knocks(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies: {arm: {type: rigid, mass: 1.3, inertia: [0.01, 0.05, 0.05], com: [0.4, 0, 0], "
        "frames: {tip: [0.8, 0, 0]}}}\n"
        "joints: {h: {type: revolute, between: [ground, arm], axis: z, stiffness: 200, damping: "
        "4}}\n"
        "loads: {knock: {on: arm.tip, force: [0, '2000*max(0, sin(2*pi*t/5) - 0.995)', 0]}}\n"
        "analysis: {type: dynamics, until: 20, output_step: 0.02, method: bdf, tolerance: %s}\n"
        "outputs: {q: joint(h)}\n";
    static const char *const form[] = {"corotational", "minimal"}, *const tolerance[] = {"1e-4",
                                                                                         "1e-7"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char all[1000];
        snprintf(all, sizeof all, text, tolerance[k / 2]);
        table r = run_model(&(run_how){.text = all, .formulation = form[k % 2]});
        double most[4] = {0};
        for (int i = 0; i < r.rows; i++) {
            int knock = (int)fmin(3, table_get(&r, i, "t") / 5);
            most[knock] = fmax(most[knock], table_get(&r, i, "q"));
        }
        assert_near(most[0], 0.0501632, 1e-7); /* as by radau at 1e-10 */
        for (int knock = 1; knock < 4; knock++) assert_near(most[knock], most[0], 1e-7);
        assert_under((double)r.sum.steps, 25000);
        table_free(&r);
    }
}

/* ---- failures ---- */

static void stops_with_a_reason(void **state)
{
    (void)state;
    check_stops_with_a_reason("bdf");
}

/* A fixed step is another method's. */
static void no_fixed_step(void **state)
{
    static const char model_text[] =
        "limber: 1\nbodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
        "analysis: {type: dynamics, until: 1, method: bdf, step: 1e-3}\n";
    (void)state;
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_summary sum;
    assert_int_equal(
        limber_model_parse(model_text, strlen(model_text), "m.yaml", NULL, &model, msg), LIMBER_OK);
    assert_int_equal(limber_run(model, NULL, &sum, msg), LIMBER_UNSUPPORTED);
    assert_non_null(strstr(limber_messages_get(msg, 0).text, "leave 'step' out"));
    limber_model_free(model);
    limber_messages_free(msg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a01),
        cmocka_unit_test(a02),
        cmocka_unit_test(a03),
        cmocka_unit_test(a04),
        cmocka_unit_test(a05),
        cmocka_unit_test(steps_of_high_order),
        cmocka_unit_test(windows),
        cmocka_unit_test(turns_are_counted),
        cmocka_unit_test(turns_on_a_moving_axis),
        cmocka_unit_test(free_rotation),
        cmocka_unit_test(rows_between_steps),
        cmocka_unit_test(kinks),
        cmocka_unit_test(driven_slider_crank),
        cmocka_unit_test(small_advances),
        cmocka_unit_test(knocks),
        cmocka_unit_test(stops_with_a_reason),
        cmocka_unit_test(no_fixed_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
