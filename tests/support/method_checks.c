#include "support/method_checks.h"

void check_kinks(const char *method)
{
    static const char machine[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  crank: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0.5, 0]}\n"
        "  link: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 1, 0]}\n"
        "joints:\n"
        "  motor: {type: revolute, between: [ground, crank], axis: z, at: [0, 0, 0],\n"
        "          drive: 'pwl(t, 0, 0, 0.5, 1, 1.2, 0.3, 2, 0.3)'}\n"
        "  elbow: {type: revolute, between: [crank, link], axis: z, at: [0, 1, 0], damping: 0.05,\n"
        "          effort: 'pwl(t, 0, 0, 0.7, 2, 0.9, -1, 2, 0)'}\n"
        "analysis: {type: dynamics, until: 2, output_step: 0.02, method: METHOD}\n"
        "outputs: {angle: joint(elbow), rate: rate(elbow), motor: moment(motor).z}\n";
    char how[64];
    snprintf(how, sizeof how, "%s, tolerance: 1e-7", method);
    table a = run_model(&(run_how){.text = machine, .swap = {{"METHOD", how}}});
    table b =
        run_model(&(run_how){.text = machine, .swap = {{"METHOD", "explicit, tolerance: 1e-11"}}});
    assert_under(table_distance(&a, &b, "angle"), 1e-6);
    assert_under(table_distance(&a, &b, "rate"), 1e-5);
    assert_under(table_distance(&a, &b, "motor"), 1e-3);
    assert_under(a.sum.energy_error, 1e-6);
    table_free(&a);
    table_free(&b);
}

void check_stops_with_a_reason(const char *method)
{
    static const char arm[] =
        "limber: 1\n"
        "bodies: {arm: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
        "joints: {pivot: {type: revolute, between: [ground, arm], axis: z, at: [0, 0, 0],\n"
        "                 effort: EFFORT}}\n"
        "initial: {pivot: {rate: 1}}\n"
        "analysis: {type: dynamics, until: 5, output_step: 0.01, method: METHOD}\n"
        "outputs: {angle: joint(pivot)}\n";
    table r =
        run_model(&(run_how){.text = arm,
                             .swap = {{"METHOD", method}, {"EFFORT", "sqrt(0.5 - joint(pivot))"}},
                             .may_stop = 1});
    assert_int_equal(r.sum.status, LIMBER_STOPPED);
    assert_non_null(strstr(r.sum.reason, "not a finite number (body arm)"));
    assert_near(r.sum.t, 0.4687, 1e-3);
    table_free(&r);
    /* the angle runs away in finite time */
    r = run_model(&(run_how){.text = arm,
                             .swap = {{"METHOD", method}, {"EFFORT", "3/(1.5 - joint(pivot))^3"}},
                             .may_stop = 1});
    assert_int_equal(r.sum.status, LIMBER_STOPPED);
    assert_non_null(strstr(r.sum.reason, "even with a step of"));
    assert_non_null(strstr(r.sum.reason, "body arm"));
    table_free(&r);
}

table run_rotor(const char *method)
{
    static const char rotor[] =
        "limber: 1\n"
        "bodies: {rotor: {type: rigid, mass: 1, inertia: [2, 2, 3], com: [0.1, 0, 0],\n"
        "                 frames: {mark: [1, 0, 0]}}}\n"
        "joints: {axle: {type: revolute, between: [ground, rotor], axis: [1, 2, 2], effort: 0.3}}\n"
        "initial: {axle: {rate: 3}}\n"
        "analysis: {type: dynamics, until: 200, output_step: 1, method: METHOD, tolerance: 1e-7}\n"
        "outputs: {angle: joint(axle), rate: rate(axle), x: pos(rotor.mark).x}\n";
    return run_model(&(run_how){.text = rotor, .swap = {{"METHOD", method}}});
}

/* Inertia about the axis: J_com + m d^2, d the distance of the mass centre from it. */
double rotor_angle(double t, double *rate)
{
    double J = 2 * (1 + 4) / 9.0 + 3 * 4 / 9.0 + 0.01 * (1 - 1 / 9.0), a = 0.3 / J;
    *rate = 3 + a * t;
    return 3 * t + 0.5 * a * t * t;
}

void check_rows_between_steps(const char *method, double step, long most_steps,
                              pendulum_limits most)
{
    static const char pendulum[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {bob: {type: rigid, mass: 2, position: [-1, 0, 0]}}\n"
        "joints: {pivot: {type: revolute, between: [ground, bob], axis: z, at: [0, 0, 0]}}\n"
        "analysis: {type: dynamics, until: 3, output_step: STEP, method: METHOD}\n"
        "outputs: {x: pos(bob).x, y: pos(bob).y, v: norm(vel(bob)), ax: acc(bob).x,\n"
        "          ay: acc(bob).y, pull: norm(force(pivot))}\n";
    char apart[32];
    snprintf(apart, sizeof apart, "%g", step);
    table r =
        run_model(&(run_how){.text = pendulum, .swap = {{"METHOD", method}, {"STEP", apart}}});
    double x = 0, v = 0, a = 0, pull = 0;
    assert_true(r.rows == lround(3 / step) + 1 && r.sum.steps < most_steps);
    for (int i = 0; i < r.rows; i++) {
        double px = table_get(&r, i, "x"), py = table_get(&r, i, "y"), v2 = -2 * 9.81 * py;
        double tension = -9.81 * py + v2; /* over the mass; points to the pivot */
        double speed = table_get(&r, i, "v");
        x = fmax(x, fabs(hypot(px, py) - 1));
        v = fmax(v, fabs(speed * speed - v2));
        a = fmax(a, fabs(table_get(&r, i, "ax") + tension * px));
        a = fmax(a, fabs(table_get(&r, i, "ay") + tension * py + 9.81));
        pull = fmax(pull, fabs(table_get(&r, i, "pull") / 2 - tension));
    }
    assert_under(x, most.length);
    assert_under(v, most.square);
    assert_under(a, most.acceleration);
    assert_under(pull, most.acceleration);
    table_free(&r);
}

void check_free_rotation(const char *method, const double tolerance[2], double most)
{
    static const char *const models[] = {"satellite", "heavy_top"};
    static const double until[] = {30, 1};
    for (int i = 0; i < 2; i++) {
        char coarse[160], fine[160];
        const char *form =
            "{type: dynamics, until: %g, output_step: %g, method: %s, tolerance: %g}";
        snprintf(coarse, sizeof coarse, form, until[i], until[i] / 100, method, tolerance[i]);
        snprintf(fine, sizeof fine, form, until[i], until[i] / 100, "explicit", 1e-11);
        table a = run_model(&(run_how){.model = models[i], .analysis = coarse});
        table b = run_model(&(run_how){.model = models[i], .analysis = fine});
        assert_under(table_distance(&a, &b, "x"), most);
        assert_under(table_distance(&a, &b, "y"), most);
        assert_under(table_distance(&a, &b, "z"), most);
        assert_under(a.sum.energy_error, most);
        table_free(&a);
        table_free(&b);
    }
}
