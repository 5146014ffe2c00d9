/* What floating frames are worth (docs/ffr-results.md): against references, against other formulations, and
 * against what happens without geometric stiffening. */
#include "support/run_model.h"

/* run_model in `ffr` with options; of models that do not name a formulation themselves. */
static table run_ffr(const run_how *how, const char *options)
{
    char first[200];
    run_how h = *how;
    int k = 0;
    while (h.swap[k][0]) k++;
    snprintf(first, sizeof first, "limber: 1\nformulation: {type: ffr%s%s}\n", options ? ", " : "",
             options ? options : "");
    h.swap[k][0] = "limber: 1\n";
    h.swap[k][1] = first;
    return run_model(&h);
}

static void near_table(const table *r, const char *x, const char *y, const double at[4][3],
                       double tolerance)
{
    for (int i = 0; i < 4; i++) {
        assert_near(table_at(r, x, at[i][0]), at[i][1], tolerance);
        assert_near(table_at(r, y, at[i][0]), at[i][2], tolerance);
    }
}

/* Independent computation (benchmarks of the reference, section 5), by explicit steps and the tree. */
static void rigid_chains(void **unused)
{
    static const struct {
        const char *n;
        double at[4][3];
    } chain[] = {
        {"N=1",
         {{.25, .897540708, -.440931602},
          {.5, -.090229209, -.995921026},
          {.75, -.941402791, -.337284429},
          {1, -.999966588, -.008174518}}},
        {"N=2",
         {{.25, 1.926820576, -.281262121},
          {.5, 1.296688536, -1.405779923},
          {.75, -.742604236, -1.758097034},
          {1, -1.662115136, -1.041466637}}},
        {"N=8",
         {{.25, 7.950878694, -.306575614},
          {.5, 7.637870757, -1.226425000},
          {.75, 6.836434266, -2.755921870},
          {1, 5.183553317, -4.878764573}}},
    };
    (void)unused;
    for (int k = 0; k < 3; k++) {
        table r = run_ffr(&(run_how){.model = "rod_chain",
                                     .set = {chain[k].n},
                                     .analysis = "{type: dynamics, until: 1, output_step: 0.25, "
                                                 "method: explicit, tolerance: 1e-9}"},
                          NULL);
        near_table(&r, "x", "y", chain[k].at, 3e-9);
        table_free(&r);
    }
}

/* Geometrically exact beams give this within 5e-6; one body of four spline intervals. */
static void flexible_link(void **unused)
{
    static const double at[4][3] = {{.25, .897733, -.440545},
                                    {.5, -.089757, -.995969},
                                    {.75, -.941503, -.337009},
                                    {1, -.999970, -.007551}};
    (void)unused;
    table r = run_ffr(&(run_how){.model = "flexible_chain",
                                 .set = {"N=1", "E=7e9", "rho=2700"},
                                 .analysis = "{type: dynamics, until: 1, output_step: 0.25, "
                                             "tolerance: 1e-6}"},
                      NULL);
    near_table(&r, "x", "y", at, 1.5e-5);
    table_free(&r);
}

/* A chain of three links against corotational elements, both refined. */
static void flexible_chain(void **unused)
{
    run_how how = {.model = "flexible_chain",
                   .set = {"N=3", "n=8"},
                   .analysis = "{type: dynamics, until: 0.8, output_step: 0.02, tolerance: 1e-6}"};
    (void)unused;
    table a = run_model(&how), b = run_ffr(&how, "substructures: 4");
    assert_true(table_distance(&a, &b, "x") < 3e-4 * 3);
    assert_true(table_distance(&a, &b, "y") < 3e-4 * 3);
    table_free(&a);
    table_free(&b);
}

/* With the shortening of a bent axis a spinning beam is stiffened; without it, it flies apart. */
static void stiffening(void **unused)
{
    (void)unused;
    table r = run_ffr(&(run_how){.model = "spin_up"}, NULL);
    assert_near(table_at(&r, "u2", 5), -0.46847, 0.0025 * 0.46847);
    assert_near(table_at(&r, "u2", 10), -0.3629, 0.003 * 0.3629);
    assert_near(table_last(&r, "u1"), 5.1432e-4, 0.005 * 5.1432e-4);
    table_free(&r);
    r = run_ffr(&(run_how){.model = "spin_up"}, "substructures: 4");
    assert_near(table_at(&r, "u2", 5), -0.46847, 0.0005 * 0.46847);
    assert_near(table_at(&r, "u2", 10), -0.3629, 0.0005 * 0.3629);
    table_free(&r);
    r = run_ffr(&(run_how){.model = "spin_up", .may_stop = 1, .swap = {{"until: 20", "until: 10"}}},
                "stiffening: false");
    assert_true(fabs(table_last(&r, "u2")) > 10);
    table_free(&r);
}

/* Frames enough, and large deflections come out: Mattiasson's elastica at P L^2/EI = 10. */
static void elastica(void **unused)
{
    (void)unused;
    table a = run_model(&(run_how){.model = "cantilever_tip_force"});
    table b = run_ffr(&(run_how){.model = "cantilever_tip_force"}, "substructures: 16");
    assert_near(table_last(&b, "u"), table_last(&a, "u"), 1e-3 * fabs(table_last(&a, "u")));
    assert_near(table_last(&b, "w"), table_last(&a, "w"), 1e-3 * fabs(table_last(&a, "w")));
    table_free(&a);
    table_free(&b);
}

/* Loops and branches against corotational elements. */
static void other_topologies(void **unused)
{
    static const struct {
        const char *model, *column;
        double within;
    } of[] = {{"four_bar_assembly", "torque", 2e-3},
              {"branched_tree", "left_x", 1e-3},
              {"branched_tree", "first_x", 1e-3},
              {"rope", "end_y", 1e-3},
              {"rope", "middle_y", 1e-3},
              {"two_link_arm", "tip_x", 1e-4},
              {"swinging_arch", "y", 1e-4},
              {"flexible_crane", "load_z", 1e-3}};
    (void)unused;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        table a = run_model(&(run_how){.model = of[k].model, .formulation = "corotational"});
        table b = run_model(&(run_how){.model = of[k].model, .formulation = "ffr"});
        double range = 0;
        for (int i = 0; i < a.rows; i++) range = fmax(range, fabs(table_get(&a, i, of[k].column)));
        double off = table_distance(&a, &b, of[k].column) / range;
        if (!(off < of[k].within)) print_error("%s %s: %g\n", of[k].model, of[k].column, off);
        assert_true(off < of[k].within);
        table_free(&a);
        table_free(&b);
    }
}

/* The forces in a section follow from what acts behind it, whatever the shapes can do. */
static void section_forces(void **unused)
{
    static const char text[] =
        "limber: 1\n"
        "formulation: ffr\n"
        "gravity: [0, -2, 0]\n"
        "sections: {bar: {shape: stiffness, EA: 1e9, EIy: 5e6, EIz: 3e6, GJ: 4e5, rhoA: 1.5}}\n"
        "bodies: {beam: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0], elements: 5}}\n"
        "joints: {root: {type: fixed, between: [ground, beam.start]}}\n"
        "loads: {tip: {on: beam.end, force: [7, 3, 0], torque: [2, 0, 4]}}\n"
        "analysis: {type: statics, tolerance: 1e-12}\n"
        "outputs: {V0: \"section(beam, 0).Vy\", M0: \"section(beam, 0).Mz\", N: \"section(beam, "
        "0.33).N\",\n"
        "  V: \"section(beam, 0.33).Vy\", M: \"section(beam, 0.33).Mz\", T: \"section(beam, "
        "0.33).T\", F: force(root).y}\n";
    (void)unused;
    table r = run_model(&(run_how){.text = text});
    double left = 2 - 0.66, q = 1.5 * 2;
    assert_near(table_last(&r, "V0"), 3 - 2 * q, 1e-4);
    assert_near(table_last(&r, "M0"), 4 + 2 * 3 - q * 2, 1e-3);
    assert_near(table_last(&r, "N"), 7, 1e-3);
    assert_near(table_last(&r, "T"), 2, 1e-3);
    assert_near(table_last(&r, "V"), 3 - q * left, 2e-3);
    assert_near(table_last(&r, "M"), 4 + left * 3 - q * left * left / 2, 1e-3);
    assert_near(table_last(&r, "F"), q * 2 - 3, 1e-9);
    table_free(&r);
}

/* A rod without inertia about its axis is lent some; the beam beside it must not notice. */
static void lent_inertia(void **unused)
{
    static const char text[] =
        "limber: 1\n"
        "formulation: {type: ffr, algorithm: ALGORITHM}\n"
        "gravity: [0, -9.81, 0]\n"
        "sections: {bar: {shape: stiffness, EA: 1e5, EIy: 5, EIz: 3, GJ: 4, rhoA: 1.5, rhoIy: "
        "1e-3, "
        "rhoIz: 1e-3}}\n"
        "bodies:\n"
        "  beam: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 2}\n"
        "  rod: {type: rigid, mass: 1, inertia: [0, 0.1, 0.1], com: [0.5, 0, 0], position: [0, 2, "
        "0]}\n"
        "joints:\n"
        "  root: {type: fixed, between: [ground, beam.start]}\n"
        "  pin: {type: revolute, between: [ground, rod], axis: z}\n"
        "analysis: {type: dynamics, until: 0.1, output_step: 0.05, method: explicit}\n"
        "outputs: {y: pos(beam.end).y, a: acc(beam.end).y, rod: joint(pin)}\n";
    (void)unused;
    table dca = run_model(&(run_how){.text = text, .swap = {{"ALGORITHM", "dca"}}});
    table dense = run_model(&(run_how){.text = text, .swap = {{"ALGORITHM", "dense"}}});
    assert_true(table_last(&dense, "y") < -0.01);
    assert_true(table_distance(&dca, &dense, "y") < 1e-7);
    assert_near(table_first(&dca, "a"), table_first(&dense, "a"), 1e-6);
    assert_true(table_distance(&dca, &dense, "rod") < 1e-7);
    table_free(&dca);
    table_free(&dense);
}

/* Modes with joints between the ends: the beam is parted there, and moves. */
static void modes_with_supports(void **unused)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "sections: {bar: {shape: stiffness, EA: 1e5, EIy: 50, EIz: 30, GJ: 40, rhoA: 1.5, rhoIy: "
        "1e-3, "
        "rhoIz: 1e-3}}\n"
        "bodies: {beam: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0], elements: 8}}\n"
        "joints:\n"
        "  root: {type: fixed, between: [ground, beam.start]}\n"
        "  b1: {type: inline, between: [ground, beam.node(2)], axis: x}\n"
        "  b2: {type: inline, between: [ground, beam.node(5)], axis: x}\n"
        "analysis: {type: statics}\n"
        "outputs: {y: pos(beam.end).y, reaction: force(b2).y}\n";
    (void)unused;
    table a = run_model(&(run_how){.text = text});
    table b = run_ffr(&(run_how){.text = text}, "basis: modes, modes: 3");
    assert_near(table_last(&b, "y"), table_last(&a, "y"), 0.01 * fabs(table_last(&a, "y")));
    assert_near(table_last(&b, "reaction"), table_last(&a, "reaction"),
                0.01 * fabs(table_last(&a, "reaction")));
    table_free(&a);
    table_free(&b);
}

/* A beam on an elastic foundation has no inertia about its axis: springs hold that motion, as in the nodal
 * formulation, and in dynamics too. */
static void held_by_springs(void **unused)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {N: 24, L: 6, k: 5e4, T: 5}\n"
        "sections: {s: {shape: stiffness, EA: 1e8, EIy: 2000, EIz: 1e6, GJ: 1e4, rhoA: 1}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [0, L, 0], elements: N}}\n"
        "forces:\n"
        "  f(i=0..N): {type: bushing, between: [ground, b.node(i)],\n"
        "              stiffness: [1e3, 1e3, k*L/N, 0, 1, 0]}\n"
        "loads: {p: {on: b.at(0.5), force: [0, 0, -100], torque: [0, T, 0]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {z: pos(b.at(0.5)).z, q: pos(b.at(0.625)).z, twist: rot(b.at(0.5)).y}\n";
    static const char *const column[] = {"z", "q", "twist"};
    const run_how how[] = {
        {.text = text},
        {.text = text, /* without mass nothing turns in a moment */
         .set = {"T=0"},
         .analysis = "{type: dynamics, until: 0.002, output_step: 1e-4, tolerance: 1e-7}"}};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        run_how other = how[k];
        other.formulation = "ffr";
        table a = run_model(&how[k]), b = run_model(&other);
        for (int c = 0; c < 3 - k; c++)
            assert_under(table_distance(&a, &b, column[c]) / fabs(table_last(&a, column[c])), 1e-4);
        table_free(&a);
        table_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_chains),
        cmocka_unit_test(flexible_link),
        cmocka_unit_test(flexible_chain),
        cmocka_unit_test(stiffening),
        cmocka_unit_test(elastica),
        cmocka_unit_test(other_topologies),
        cmocka_unit_test(section_forces),
        cmocka_unit_test(lent_inertia),
        cmocka_unit_test(modes_with_supports),
        cmocka_unit_test(held_by_springs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
