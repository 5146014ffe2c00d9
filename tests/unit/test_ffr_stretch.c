/* Beams in floating frames that stretch and bend: what the force along a bent axis has of the force across,
 * against a rod by shooting and against corotational meshes, and the energy of motion. */
#include "support/run_model.h"

/* ---- in the plane ---- */

/* Hinges at both ends, a couple at one. EI = 10.8, EA = 3408.58. The axial reaction follows from the
 * shortening of the bent axis, so an error of the axial force stays whole. */
static const char couple[] =
    "limber: 1\n"
    "parameters: {k: 4}\n"
    "sections: {s: {shape: stiffness, EA: 3408.58, GJ: 30, EIy: 10.8, EIz: 10.8, rhoA: 1}}\n"
    "bodies: {b: {type: beam, theory: euler-bernoulli, section: s, from: [0, 0, 0], to: [1, 0, 0], "
    "elements: 16}}\n"
    "joints:\n"
    "  c: {type: revolute, between: [ground, b.start], axis: z}\n"
    "  d: {type: revolute, between: [b.end, ground], axis: z}\n"
    "loads: {l: {on: b.end, torque: [0, 0, 3]}}\n"
    "formulation: {type: ffr, substructures: k}\n"
    "analysis: {type: statics}\n"
    "outputs: {f: force(c)}\n";

/* Elastica with stretch: th' = m/EI, x' = (1 + N/EA) cos th, N along the axis, by Runge-Kutta's method and
 * Newton's. */
static const double by_shooting = -2.7890312529;

static double axial(const char *frames, const char *formulation)
{
    table r = run_model(
        &(run_how){.text = couple,
                   .set = {frames},
                   .swap = {{"formulation: {type: ffr, substructures: k}\n", formulation}}});
    double f = table_last(&r, "f.x");
    table_free(&r);
    return f;
}

static void reaction_between_hinges(void **state)
{
    static const char *const frames[] = {"k=1", "k=2", "k=4", "k=8", "k=16"};
    static const double bound[] = {1e-2, 2e-3, 1.2e-3, 4e-4, 1.2e-4};
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_near(axial(frames[i], "formulation: {type: ffr, substructures: k}\n"), by_shooting,
                    bound[i]);
    for (int i = 0; i < 3; i++)
        assert_near(axial(frames[i],
                          "formulation: {type: ffr, basis: modes, modes: 3, substructures: k}\n"),
                    by_shooting, 2 * bound[i]);
}

/* ---- in space ---- */

static const char in_space[] =
    "limber: 1\n"
    "parameters: {k: 4, n: 16}\n"
    "gravity: [1.7, -9.9, 30.4]\n"
    "sections: {s: {shape: stiffness, EA: 3408.58, GJ: 30, EIy: 10.8, EIz: 10.4, rhoA: 1}}\n"
    "bodies: {b: {type: beam, theory: euler-bernoulli, section: s, "
    "points: [[0, 0, 0], [0.8, 0.5, -0.33]], elements: n, y_axis: [0.2, 0.5, 0.8]}}\n"
    "joints:\n"
    "  c: {type: spherical, between: [ground, b.start]}\n"
    "  d: {type: universal, between: [b.at(0.625), ground], axes: [[1, 0, 0], [0, 1, 0]]}\n"
    "loads: {l: {on: b.end, torque: [4.3, -5.6, -3.8]}}\n"
    "formulation: {type: ffr, substructures: k}\n"
    "analysis: {type: statics}\n"
    "outputs: {x: force(c).x, y: force(c).y, z: force(c).z}\n";

/* The largest difference of the reaction's components. */
static double reaction_apart(const table *a, const table *b)
{
    double x = table_last(a, "x") - table_last(b, "x"), y = table_last(a, "y") - table_last(b, "y");
    return fmax(fmax(fabs(x), fabs(y)), fabs(table_last(a, "z") - table_last(b, "z")));
}

static void reaction_in_space(void **state)
{
    static const char *const frames[] = {"k=4", "k=8", "k=16"};
    static const double bound[] = {0.025, 0.009, 0.004}; /* of 7.7 */
    (void)state;
    table exact =
        run_model(&(run_how){.text = in_space, .set = {"n=64"}, .formulation = "corotational"});
    for (int i = 0; i < 3; i++) {
        table r = run_model(&(run_how){.text = in_space, .set = {frames[i]}});
        assert_under(reaction_apart(&r, &exact), bound[i]);
        table_free(&r);
    }
    table_free(&exact);
}

/* ---- in motion ---- */

/* A soft rod that swings with a heavy body, whose joint is off its axis. */
static const char swings[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "sections: {s: {shape: stiffness, EA: 300, GJ: 3, EIy: 3, EIz: 1.3, rhoA: 1, rhoIy: 1e-3, "
    "rhoIz: 1e-3}}\n"
    "bodies:\n"
    "  b: {type: beam, theory: euler-bernoulli, section: s, from: [0, 0, 0], to: [0.8, 0.3, -0.2], "
    "y_axis: [0.2, 0.5, 0.8], elements: 4}\n"
    "  m: {type: rigid, mass: 2, inertia: [0.05, 0.06, 0.07], position: [0.9, 0.5, -0.1]}\n"
    "joints:\n"
    "  c: {type: spherical, between: [ground, b.start]}\n"
    "  w: {type: fixed, between: [b.end, m], at: [0.8, 0.3, -0.2]}\n"
    "formulation: {type: ffr, substructures: 2}\n"
    "analysis: {type: dynamics, until: 0.3, output_step: 0.01, tolerance: 1e-8}\n"
    "outputs: {e: energy.total, tip: pos(b.end), elastic: energy.elastic}\n";

static void energy_is_kept(void **state)
{
    static const char *const formulation[] = {"formulation: {type: ffr, substructures: 2}\n",
                                              "formulation: {type: ffr, basis: modes, modes: 2}\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        table r = run_model(&(run_how){.text = swings, .swap = {{formulation[0], formulation[i]}}});
        assert_under(table_drift(&r, "e"), 1e-8 * table_range(&r, "elastic"));
        table_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaction_between_hinges),
        cmocka_unit_test(reaction_in_space),
        cmocka_unit_test(energy_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
