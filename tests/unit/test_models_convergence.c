/* How results depend on step, tolerance and method; chains of any length; mechanisms with redundant
 * constraints against twins without. */
#include "support/run_model.h"

/* ---- chains ---- */

static void rod_chain_table(void **state)
{
    static const char *const set[] = {"N=1", "N=2", "N=4", "N=8"};
    static const double tip[4][4][2] = {{{0.897540708, -0.440931602},
                                         {-0.090229209, -0.995921026},
                                         {-0.941402791, -0.337284429},
                                         {-0.999966588, -0.008174518}},
                                        {{1.926820576, -0.281262121},
                                         {1.296688536, -1.405779923},
                                         {-0.742604236, -1.758097034},
                                         {-1.662115136, -1.041466637}},
                                        {{3.940362167, -0.307125806},
                                         {3.516440515, -1.217607220},
                                         {2.285683923, -2.854751513},
                                         {-1.001231214, -3.607961551}},
                                        {{7.950878694, -0.306575614},
                                         {7.637870757, -1.226425000},
                                         {6.836434266, -2.755921870},
                                         {5.183553317, -4.878764573}}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        table r = run_model(&(run_how){.model = "rod_chain",
                                       .set = {set[k]},
                                       .analysis = "{type: dynamics, until: 1, output_step: 0.25, "
                                                   "method: explicit, tolerance: 1e-11}"});
        table rough =
            run_model(&(run_how){.model = "rod_chain",
                                 .set = {set[k]},
                                 .analysis = "{type: dynamics, until: 1, output_step: 0.25}"});
        for (int i = 0; i < 4; i++) {
            assert_near(table_get(&r, i + 1, "x"), tip[k][i][0], 6e-10);
            assert_near(table_get(&r, i + 1, "y"), tip[k][i][1], 6e-10);
            assert_near(table_get(&rough, i + 1, "x"), tip[k][i][0], 5e-4);
            assert_near(table_get(&rough, i + 1, "y"), tip[k][i][1], 5e-4);
        }
        assert_under(table_drift(&r, "energy"), 1e-8);
        table_free(&r);
        table_free(&rough);
    }
}

/* ---- order ---- */

/* Errors at the end with steps h, h/2, h/4, against `fine`; columns of the table by name. */
static void observe_order(const run_how *how, const char *options, double h, const table *fine,
                          const char *const *name, int names, double low, double high)
{
    double error[3][8];
    for (int k = 0; k < 3; k++) {
        char analysis[200];
        run_how fixed = *how;
        snprintf(analysis, sizeof analysis,
                 "{type: dynamics, until: %.17g, output_step: %.17g, "
                 "step: %.17g%s}",
                 table_last(fine, "t"), table_last(fine, "t"), h / (1 << k), options);
        fixed.analysis = analysis;
        table r = run_model(&fixed);
        for (int i = 0; i < names; i++)
            error[k][i] = fabs(table_last(&r, name[i]) - table_last(fine, name[i]));
        table_free(&r);
    }
    for (int i = 0; i < names; i++)
        for (int k = 0; k < 2; k++) {
            double order = log2(error[k][i] / error[k + 1][i]);
            if (order < low || order > high)
                fail_msg("%s%s: order %.2f of %s (errors %.3g, %.3g)", how->model, options, order,
                         name[i], error[k][i], error[k + 1][i]);
        }
}

static void order_of_generalized_alpha(void **state)
{
    static const char *const options[] = {"", ", rho_inf: 0", ", rho_inf: 0.5", ", rho_inf: 1",
                                          ", method: newmark"};
    static const char *const name[] = {"x", "y", "pull"};
    const run_how how = {.model = "rod_chain",
                         .set = {"N=2"},
                         .analysis = "{type: dynamics, until: 0.7, output_step: 0.7, method: "
                                     "explicit, tolerance: 1e-11}"};
    (void)state;
    table fine = run_model(&how);
    for (int k = 0; k < 5; k++) {
        observe_order(&how, options[k], 1e-3, &fine, name, 2, 1.9, 2.1);
        /* where nothing is damped at high frequency (rho_inf 1, newmark) the forces ring */
        if (k < 3) observe_order(&how, options[k], 1e-3, &fine, name + 2, 1, 1.9, 2.1);
    }
    table_free(&fine);
}

static void order_in_space(void **state)
{
    static const char *const top[] = {"x", "y", "z", "support"}, *const bricard[] = {"x", "y",
                                                                                     "vy"};
    run_how how = {.model = "heavy_top",
                   .analysis = "{type: dynamics, until: 0.5, output_step: 0.5, method: explicit, "
                               "tolerance: 1e-11}"};
    (void)state;
    table fine = run_model(&how);
    observe_order(&how, "", 5e-4, &fine, top, 4, 1.85, 2.15);
    table_free(&fine);
    how = (run_how){.model = "a04_bricard",
                    .analysis = "{type: dynamics, until: 1, output_step: 1, method: explicit, "
                                "tolerance: 1e-11}"};
    fine = run_model(&how);
    observe_order(&how, "", 2e-3, &fine, bricard, 3, 1.9, 2.1);
    table_free(&fine);
}

/* Fixed steps of the explicit method are of high order: halving one gains three digits. */
static void order_of_explicit(void **state)
{
    static const char *const step[] = {"0.1", "0.05"};
    double error[2];
    (void)state;
    table fine = run_model(&(run_how){.model = "rod_chain",
                                      .set = {"N=2"},
                                      .analysis = "{type: dynamics, until: 0.8, output_step: 0.8, "
                                                  "method: explicit, tolerance: 1e-12}"});
    for (int k = 0; k < 2; k++) {
        char analysis[200];
        snprintf(analysis, sizeof analysis,
                 "{type: dynamics, until: 0.8, output_step: 0.8, method: explicit, step: %s}",
                 step[k]);
        table r = run_model(&(run_how){.model = "rod_chain", .set = {"N=2"}, .analysis = analysis});
        error[k] = fabs(table_last(&r, "x") - table_last(&fine, "x"));
        table_free(&r);
    }
    assert_under(error[1], fmax(error[0] / 500, 1e-12));
    table_free(&fine);
}

/* ---- tolerance ---- */

/* The error at the end is of the size of the tolerance: not ten times it, and not so much less that
 * the user pays for digits that were not asked for. */
static void error_goes_with_the_tolerance(void **state)
{
    static const double tolerance[] = {1e-3, 1e-4, 1e-5, 1e-6};
    static const char *const model[] = {"a01_pendulum", "rod_chain", "spring_pendulum"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        table fine =
            run_model(&(run_how){.model = model[k],
                                 .analysis = "{type: dynamics, until: 2, output_step: 0.1, method: "
                                             "explicit, tolerance: 1e-11}"});
        for (int i = 0; i < 4; i++) {
            char analysis[200];
            snprintf(analysis, sizeof analysis,
                     "{type: dynamics, until: 2, output_step: 0.1, tolerance: %.17g}",
                     tolerance[i]);
            table r = run_model(&(run_how){.model = model[k], .analysis = analysis});
            double size = k == 1 ? 4 : 1;
            double error =
                fmax(table_distance(&r, &fine, "x"), table_distance(&r, &fine, "y")) / size;
            assert_between(error, 1e-3 * tolerance[i], 10 * tolerance[i]);
            table_free(&r);
        }
        table_free(&fine);
    }
}

/* ---- energy ---- */

/* Without numerical damping the energy of a fixed-step run stays, but for the square of the step. */
static void energy_does_not_leak(void **state)
{
    static const char *const options[] = {"step: 0.01, rho_inf: 1", "step: 0.005, rho_inf: 1",
                                          "step: 0.01, method: newmark",
                                          "step: 0.005, method: newmark"};
    double drift[4];
    (void)state;
    for (int k = 0; k < 4; k++) {
        char analysis[200];
        snprintf(analysis, sizeof analysis, "{type: dynamics, until: 40, output_step: 0.1, %s}",
                 options[k]);
        table r = run_model(&(run_how){.model = "a01_pendulum", .analysis = analysis});
        drift[k] = table_drift(&r, "energy");
        assert_under(drift[k], 9.81 * 5e-3);
        table_free(&r);
    }
    assert_under(drift[1], drift[0] / 3);
    assert_under(drift[3], drift[2] / 3);
}

/* ---- redundant constraints ---- */

/* Windows of revolute joints, and twins whose right joints are points on lines along the pin. */
static void windows_without_redundancy(void **state)
{
    (void)state;
    run_how how = {.model = "a02_four_bars",
                   .set = {"N=3"},
                   .analysis = "{type: dynamics, until: 0.65, output_step: 0.05, method: explicit, "
                               "tolerance: 1e-10}"};
    table r = run_model(&how);
    how.swap[0][0] = "right(k=1..N): {type: revolute";
    how.swap[0][1] = "right(k=1..N): {type: inline";
    table twin = run_model(&how);
    assert_under(table_distance_all(&r, &twin), 1e-8);
    table_free(&r);
    table_free(&twin);
}

/* Andrews' mechanism with the three joints in F as points on a line. */
static void andrews_without_redundancy(void **state)
{
    (void)state;
    run_how how = {.model = "a03_andrews",
                   .analysis = "{type: dynamics, until: 0.03, output_step: 1e-3, method: explicit, "
                               "tolerance: 1e-10}"};
    table r = run_model(&how);
    for (int k = 0; k < 3; k++) {
        static const char *const joint[][2] = {{"F3: {type: revolute", "F3: {type: inline"},
                                               {"F4: {type: revolute", "F4: {type: inline"},
                                               {"F6: {type: revolute", "F6: {type: inline"}};
        how.swap[k][0] = joint[k][0];
        how.swap[k][1] = joint[k][1];
    }
    table twin = run_model(&how);
    assert_under(table_distance_all(&r, &twin), 1e-7);
    table_free(&r);
    table_free(&twin);
}

/* A weld that closes a loop of welds and says nothing new. */
static void doubled_joint(void **state)
{
    (void)state;
    run_how how = {.model = "a01_pendulum",
                   .analysis = "{type: dynamics, until: 2, output_step: 0.1, tolerance: 1e-6}"};
    table r = run_model(&how);
    how.swap[0][0] = "at: [0, 0, 0]}";
    how.swap[0][1] =
        "at: [0, 0, 0]}\n  again: {type: revolute, between: [ground, bob], axis: z, at: "
        "[0, 0, 0]}";
    table twin = run_model(&how);
    assert_under(table_distance_all(&r, &twin), 1e-5);
    table_free(&r);
    table_free(&twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod_chain_table),
        cmocka_unit_test(order_of_generalized_alpha),
        cmocka_unit_test(order_in_space),
        cmocka_unit_test(order_of_explicit),
        cmocka_unit_test(error_goes_with_the_tolerance),
        cmocka_unit_test(energy_does_not_leak),
        cmocka_unit_test(windows_without_redundancy),
        cmocka_unit_test(andrews_without_redundancy),
        cmocka_unit_test(doubled_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
