/* Models of rigid finite elements against what must hold, and against the corotational formulation:
 * the ladder frame, the linkage with an assembly error, the crane with a rope. */
#include "support/run_model.h"

/* Largest difference of a column over its largest value. */
static double relative(const table *a, const table *b, const char *name)
{
    double most = 0;
    for (int i = 0; i < a->rows; i++) most = fmax(most, fabs(table_get(a, i, name)));
    return table_distance(a, b, name) / most;
}

static table run_as(const char *formulation, const char *model, const char *set,
                    const char *analysis)
{
    return run_model(
        &(run_how){.model = model, .set = {set}, .analysis = analysis, .formulation = formulation});
}

/* ---- ladder frame ---- */

/* Weight of cab, engine, payload, rails and tubes. */
static double ladder_weight(void)
{
    double rails = 2 * (3 + 4.2) * 3.152e-3, tube = M_PI * (0.07 * 0.07 - 0.064 * 0.064);
    return 9.81 * (1600 + 4000 + 7850 * (rails + 5 * 0.8 * tube));
}

static double wheels(const table *r)
{
    return table_last(r, "wheel_fl") + table_last(r, "wheel_fr") + table_last(r, "wheel_rl") +
           table_last(r, "wheel_rr");
}

static void ladder_statics(void **state)
{
    static const char *const column[] = {"wheel_fl",     "wheel_rr",    "twist_front", "twist_rear",
                                         "hinge_moment", "hinge_force", "bend"};
    static const char *const form[] = {"corotational", "rfe"};
    (void)state;
    table raised[2];
    for (int f = 0; f < 2; f++) {
        table level = run_as(form[f], "ladder_frame", "lift=0", "{type: statics}");
        raised[f] = run_as(form[f], "ladder_frame", "n=6", "{type: statics}");
        assert_near(wheels(&level) / ladder_weight(), 1, 1e-6);
        assert_near(wheels(&raised[f]) / ladder_weight(), 1, 1e-6);
        assert_near(table_last(&level, "wheel_fl") / table_last(&level, "wheel_fr"), 1, 1e-6);
        assert_under(fabs(table_last(&level, "twist_rear")), 1e-9);
        /* the raised wheel and its diagonal take over from the other two */
        double more = table_last(&raised[f], "wheel_fl") - table_last(&level, "wheel_fl");
        assert_between(more, 5000, 5700);
        assert_under(table_last(&raised[f], "wheel_rl"), 0.65 * table_last(&level, "wheel_rl"));
        assert_between(table_last(&raised[f], "twist_rear"), -0.063, -0.060);
        table_free(&level);
    }
    table fine = run_as("rfe", "ladder_frame", "n=12", "{type: statics}");
    for (int i = 0; i < 7; i++) {
        double exact = table_last(&raised[0], column[i]);
        double error = table_last(&raised[1], column[i]) / exact - 1;
        assert_under(fabs(error), 0.005);
        assert_under(fabs(table_last(&fine, column[i]) / exact - 1), fmax(fabs(error) / 3, 2e-4));
    }
    table_free(&fine);
    for (int f = 0; f < 2; f++) table_free(&raised[f]);
}

/* Rails that do not stretch hold the frame square: it is stretch that lets the results meet. */
static void ladder_modes(void **state)
{
    (void)state;
    static const char *const analysis = "{type: modes, count: 10, about: statics}";
    table exact = run_as("corotational", "ladder_frame", "n=12", analysis);
    table coarse = run_as("rfe", "ladder_frame", "n=6", analysis);
    table fine = run_model(&(run_how){
        .model = "ladder_frame",
        .set = {"n=12"},
        .analysis = analysis,
        .swap = {{"limber: 1\n", "limber: 1\nformulation: {type: rfe, springs: all}\n"}}});
    for (int i = 0; i < 10; i++) {
        double omega = table_get(&exact, i, "omega");
        double error = table_get(&coarse, i, "omega") / omega - 1;
        assert_under(fabs(error), 0.02);
        assert_under(fabs(table_get(&fine, i, "omega") / omega - 1), fmax(fabs(error) / 3, 2e-4));
    }
    table_free(&exact);
    table_free(&coarse);
    table_free(&fine);
}

/* ---- a linkage with an assembly error ---- */

static double largest(const table *r, const char *name)
{
    double most = 0;
    for (int i = 0; i < r->rows; i++) most = fmax(most, fabs(table_get(r, i, name)));
    return most;
}

/* Without the error only inertia strains the bars; with it, energy and forces are there from the start,
 * the energy as the square of the gap. */
static void assembly_error(void **state)
{
    static const char *const form[] = {"corotational", "rfe"};
    (void)state;
    table wide[2];
    for (int f = 0; f < 2; f++) {
        table none = run_as(form[f], "four_bar_assembly", "gap=0", NULL);
        table half = run_as(form[f], "four_bar_assembly", "gap=2.5e-3",
                            "{type: dynamics, until: 0.02, output_step: 0.02}");
        wide[f] = run_as(form[f], "four_bar_assembly", "gap=5e-3", NULL);
        assert_under(table_first(&none, "elastic"), 1e-18);
        assert_under(largest(&none, "elastic"), 3e-5);
        assert_under(largest(&wide[f], "open"), 1e-8);
        assert_between(table_first(&wide[f], "elastic"), 0.0235, 0.0241);
        assert_near(table_first(&wide[f], "elastic") / table_first(&half, "elastic"), 4, 0.05);
        assert_between(fabs(table_first(&wide[f], "force_D.z")), 9.9, 10.1);
        assert_near(table_last(&wide[f], "crank"), 40 * M_PI / 180, 1e-6);
        table_free(&none);
        table_free(&half);
    }
    assert_under(relative(&wide[0], &wide[1], "force_D.z"), 0.015);
    assert_under(relative(&wide[0], &wide[1], "elastic"), 0.015);
    assert_under(relative(&wide[0], &wide[1], "rocker"), 2e-4);
    table fine = run_as("rfe", "four_bar_assembly", "n=8", NULL);
    assert_under(relative(&wide[0], &fine, "force_D.z"), 0.004);
    assert_under(relative(&wide[0], &fine, "elastic"), 0.004);
    table_free(&fine);
    for (int f = 0; f < 2; f++) table_free(&wide[f]);
}

/* ---- crane ---- */

static void crane_hangs(void **state)
{
    static const char *const form[] = {"corotational", "rfe"};
    const double g = 9.81, area = 0.16 * 0.2 - 0.144 * 0.184, boom = 7850 * area * 6;
    (void)state;
    for (int f = 0; f < 2; f++) {
        table r = run_as(form[f], "crane_rope", NULL, "{type: statics}");
        assert_near(table_last(&r, "pull"), g * (400 + 0.9 * 2.5), 1e-4 * g * 400);
        /* the boom's head turns by 0.01: second order in it */
        double moment = g * 6 * (400 + 0.9 * 5 + boom / 2);
        assert_near(fabs(table_last(&r, "root_moment")), moment, 1e-3 * moment);
        assert_near(table_last(&r, "load_y"), 0, 1e-9);
        table_free(&r);
    }
}

static void crane_slews(void **state)
{
    (void)state;
    table exact = run_as("corotational", "crane_rope", NULL, NULL);
    table rfe = run_as("rfe", "crane_rope", NULL, NULL);
    assert_under(relative(&exact, &rfe, "load_x"), 0.001);
    assert_under(relative(&exact, &rfe, "load_y"), 0.001);
    assert_under(relative(&exact, &rfe, "swing"), 0.002);
    assert_under(relative(&exact, &rfe, "root_moment"), 0.02);
    assert_between(largest(&exact, "swing"), 0.5, 3);
    table_free(&exact);
    table_free(&rfe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ladder_statics), cmocka_unit_test(ladder_modes),
        cmocka_unit_test(assembly_error), cmocka_unit_test(crane_hangs),
        cmocka_unit_test(crane_slews),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
