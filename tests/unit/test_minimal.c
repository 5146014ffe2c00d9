/* Minimal coordinates: kinematics as written against published and independent values, kinematics by
 * the joints against the corotational formulation. */
#include "support/run_model.h"

/* ---- as written ---- */

/* One superelement, theta_dot and tip deflection: with gravity by equations (13) to (15) those of
 * reference/benchmarks.md, section 1; with gravity by its potential from Lagrange's equations by hand
 * (test_superelement_motion.c). */
typedef struct moment {
    double t, rate, deflection;
} moment;

#define PAPER "\nformulation: {type: minimal, elastic_forces: paper}"

static void check_one(const char *frame, const moment expected[3])
{
    table r = run_model(&(run_how){.model = "superelement_pendulum",
                                   .swap = {{"frame: base}", frame}},
                                   .analysis = "{type: dynamics, until: 1.5, output_step: 0.5, "
                                               "method: bdf, tolerance: 1e-9}"});
    for (int k = 0; k < 3; k++) {
        assert_near(table_at(&r, "rate", expected[k].t), expected[k].rate, 1e-8);
        assert_near(table_at(&r, "deflection", expected[k].t), expected[k].deflection, 1e-8);
    }
    table_free(&r);
}

static void one_superelement(void **state)
{
    static const moment node[] = {{0.5, -0.05017542, 0.00071573},
                                  {1.0, -0.10029872, 0.00272301},
                                  {1.5, -0.15021691, 0.00561772}};
    static const moment mean[] = {{0.5, -0.05020396, 0.00056315},
                                  {1.0, -0.10041233, 0.00201667},
                                  {1.5, -0.15053423, 0.00364955}};
    static const moment potential[] = {{0.5, -0.05017664, 0.00070424},
                                       {1.0, -0.10030609, 0.00266765},
                                       {1.5, -0.15024053, 0.00545434}};
    (void)state;
    check_one("frame: start}" PAPER, node);
    check_one("frame: mean}" PAPER, mean);
    check_one("frame: base}", potential);
    check_one("frame: start}", potential);
}

/* The mean of both ends, written out. */
static void mean_of_ends(void **state)
{
    static const char how[] = "{type: dynamics, until: 1.5, output_step: 0.5, method: bdf, "
                              "tolerance: 1e-9}";
    (void)state;
    table a = run_model(&(run_how){.model = "superelement_pendulum",
                                   .swap = {{"frame: base}", "frame: mean}"}},
                                   .analysis = how});
    table b = run_model(&(run_how){
        .model = "superelement_pendulum",
        .swap = {{"frame: base}", "frame: \"base * disp((L + q1)/2, q2/2, q3/2) * rotz(q6/2)\"}"}},
        .analysis = how});
    assert_under(table_distance(&a, &b, "rate"), 1e-8);
    assert_under(table_distance(&a, &b, "deflection"), 1e-8);
    table_free(&a);
    table_free(&b);
}

/* Relative and absolute coordinates describe the same motion. */
static void relative_and_absolute(void **state)
{
    static const char how[] =
        "{type: dynamics, until: 3, output_step: 0.1, method: bdf, tolerance: 1e-10}";
    (void)state;
    table a =
        run_model(&(run_how){.model = "hinged_superelements", .set = {"N=1"}, .analysis = how});
    table b = run_model(&(run_how){.model = "hinged_superelement_absolute", .analysis = how});
    assert_under(table_distance(&a, &b, "theta"), 1e-8);
    assert_under(table_distance(&a, &b, "rate"), 1e-7);
    assert_under(table_distance(&a, &b, "deflection"), 1e-6);
    table_free(&a);
    table_free(&b);
}

/* Four elements in a row do what one cannot: theta(20) by the geometrically exact beam is 20.3943. */
static void hinged_beam(void **state)
{
    (void)state;
    table four = run_model(&(run_how){.model = "hinged_superelements"});
    assert_near(table_at(&four, "theta", 5), 1.5602, 0.002);
    assert_near(table_at(&four, "theta", 20), 20.3943, 0.02);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < four.rows; i++) {
        if (table_get(&four, i, "t") < 10.05) continue;
        low = fmin(low, table_get(&four, i, "rate"));
        high = fmax(high, table_get(&four, i, "rate"));
    }
    assert_between(low, 1.330, 1.345);
    assert_between(high, 1.373, 1.389);
    table_free(&four);
}

/* The slider-crank of section 2 with beams of several elements: the second opinion. */
static const char fine_slider_crank[] =
    "limber: 1\n"
    "materials: {soft: {E: 2.1e6, nu: 0.3, rho: 7.8e-3}}\n"
    "sections: {bar: {material: soft, shape: rectangle, height: 3, width: 3}}\n"
    "bodies:\n"
    "  crank: {type: beam, section: bar, from: [0, 0, 0], to: [10, 0, 0], elements: 6}\n"
    "  rod: {type: beam, section: bar, from: [10, 0, 0], to: [30, 0, 0], elements: 8}\n"
    "  slider: {type: rigid, mass: 5, position: [30, 0, 0]}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, crank.start], axis: z}\n"
    "  pin: {type: revolute, between: [crank.end, rod.start], axis: z}\n"
    "  wrist: {type: revolute, between: [rod.end, slider], axis: z}\n"
    "  guide: {type: prismatic, between: [ground, slider], axis: x}\n"
    "loads: {motor: {on: crank.start, torque: [0, 0, \"if(t < 1, 500*(1 - cos(2*pi*t)), 0)\"]}}\n"
    "analysis: {type: dynamics, until: 2, output_step: 0.02, tolerance: 1e-6}\n"
    "outputs: {rate: rate(pivot), slider: pos(slider).x, energy: energy.total, bend: "
    "tip(crank).y}\n";

/* The crank's frame in its middle is nearer to the truth than at its origin, as the paper finds. */
static void slider_crank(void **state)
{
    static const char analysis[] = "{type: dynamics, until: 2, output_step: 0.02, tolerance: 1e-9}";
    (void)state;
    table fine = run_model(&(run_how){.text = fine_slider_crank, .analysis = analysis});
    table middle = run_model(&(run_how){.model = "slider_crank_minimal", .analysis = analysis});
    table origin = run_model(&(run_how){.model = "slider_crank_minimal",
                                        .analysis = analysis,
                                        .swap = {{"frame: middle}", "frame: pivot}"}}});
    double a = table_distance(&middle, &fine, "bend"), b = table_distance(&origin, &fine, "bend");
    assert_under(a, 0.5 * b);
    assert_near(table_last(&fine, "energy"), 665.591, 0.01);
    assert_near(table_last(&middle, "energy"), 665.591, 0.05);
    assert_near(table_at(&fine, "slider", 1), 22.63449, 1e-4);
    assert_near(table_at(&middle, "slider", 1), 22.63449, 2e-3);
    table_free(&fine);
    table_free(&middle);
    table_free(&origin);
}

/* A driven frame: a pendulum whose pivot is moved by an expression of time, and the same by a joint. */
static void driven_frame(void **state)
{
    static const char written[] =
        "limber: 1\ngravity: [0, -9.81, 0]\ncoordinates: {q: {value: 0.3}}\n"
        "frames: {pivot: \"disp(0.2*sin(3*t), 0.1*cos(5*t), 0)\", arm: pivot * rotz(q)}\n"
        "bodies: {bob: {type: rigid, mass: 2, inertia: [0, 0.1, 0.1], com: [0, -1, 0], motion: "
        "arm}}\n"
        "analysis: {type: dynamics, until: 2, output_step: 0.1, tolerance: 1e-7}\n"
        "outputs: {x: pos(bob).x, v: vel(bob).y, a: acc(bob).x, turn: \"q - 0.3\"}\n";
    static const char jointed[] =
        "limber: 1\ngravity: [0, -9.81, 0]\n"
        "bodies:\n  cart: {type: rigid, mass: 1}\n  lift: {type: rigid, mass: 1}\n"
        "  bob: {type: rigid, mass: 2, inertia: [0, 0.1, 0.1], com: [0, -1, 0]}\n"
        "joints:\n  s: {type: prismatic, between: [ground, cart], axis: x, drive: 0.2*sin(3*t)}\n"
        "  u: {type: prismatic, between: [cart, lift], axis: y, drive: 0.1*cos(5*t)}\n"
        "  p: {type: revolute, between: [lift, bob], axis: z}\n"
        "initial: {p: {angle: 0.3}}\n"
        "analysis: {type: dynamics, until: 2, output_step: 0.1, tolerance: 1e-7}\n"
        "outputs: {x: pos(bob).x, v: vel(bob).y, a: acc(bob).x, turn: \"joint(p) - 0.3\"}\n";
    (void)state;
    table a = run_model(&(run_how){.text = written}), b = run_model(&(run_how){.text = jointed});
    assert_under(table_distance(&a, &b, "x"), 1e-6);
    assert_under(table_distance(&a, &b, "v"), 1e-5);
    assert_under(table_distance(&a, &b, "turn"), 1e-6);
    assert_under(table_distance(&a, &b, "a"), 1e-4);
    assert_under(a.sum.energy_error, 1e-6); /* with the work of what moves the pivot */
    table_free(&a);
    table_free(&b);
}

/* ---- by the joints ---- */

typedef struct twin {
    const char *model, *analysis, *output[4];
    double tolerance; /* of the outputs, as a part of their largest value */
} twin;

static double largest(const table *r, const char *name)
{
    double most = 0;
    for (int i = 0; i < r->rows; i++) most = fmax(most, fabs(table_get(r, i, name)));
    return most;
}

/* Joints, drives, reactions, loops and flexible bodies, in two formulations. */
static void both_formulations(void **state)
{
    static const twin list[] = {
        {"robot_arm", NULL, {"shoulder", "tip_y", "elbow_torque"}, 1e-4},
        {"heavy_top",
         "{type: dynamics, until: 0.5, output_step: 0.05, tolerance: 1e-6}",
         {"x", "z", "support"},
         1e-4},
        {"slider_crank", NULL, {"piston_x", "main_bearing", "side_thrust"}, 1e-4},
        {"cardan_shaft", NULL, {"output_speed", "torque", "bearing_force"}, 1e-4},
        {"gantry_crane", NULL, {"load_x", "pull", "wheel_rear"}, 1e-4},
        {"a03_andrews", NULL, {"beta", "Phi", "epsilon"}, 1e-4},
        {"a04_bricard", "{type: dynamics, until: 4, output_step: 0.1}", {"x", "y", "vy"}, 1e-4},
        {"a05_governor", "{type: dynamics, until: 2, output_step: 0.1}", {"s", "speed"}, 1e-4},
        {"satellite", "{type: dynamics, until: 5, output_step: 0.1}", {"x", "w1", "w3"}, 1e-4},
        {"spring_pendulum", NULL, {"x", "stretch"}, 1e-4},
        {"two_link_arm", NULL, {"tip_x", "tip_z", "bend_y"}, 1e-3},
        {"flexible_crane", NULL, {"load_x", "sag", "torque"}, 2e-3},
        {"slider_crank_flexible",
         "{type: dynamics, until: 0.3, output_step: 0.01}",
         {"slider", "deflection"},
         1e-3},
        {"cantilever_tip_force", NULL, {"u", "w"}, 1e-7},
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        run_how how = {.model = list[k].model, .analysis = list[k].analysis};
        table a = run_model(&how);
        how.formulation = "minimal";
        table b = run_model(&how);
        for (int i = 0; i < 4 && list[k].output[i]; i++) {
            const char *name = list[k].output[i];
            double off = fabs(table_last(&a, name) - table_last(&b, name));
            if (a.rows == b.rows && table_distance(&a, &b, "t") == 0) /* not load steps */
                off = table_distance(&a, &b, name);
            if (off > list[k].tolerance * largest(&a, name)) print_message("%s: ", list[k].model);
            assert_under_at(off, list[k].tolerance * largest(&a, name), name, __FILE__, __LINE__);
        }
        table_free(&a);
        table_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_superelement),      cmocka_unit_test(mean_of_ends),
        cmocka_unit_test(relative_and_absolute), cmocka_unit_test(hinged_beam),
        cmocka_unit_test(slider_crank),          cmocka_unit_test(driven_frame),
        cmocka_unit_test(both_formulations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
