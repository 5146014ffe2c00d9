/* What the default settings promise: three digits of every output of every model, of the small
 * deflections of flexible bodies and of forces, too. */
#include "support/run_model.h"

typedef struct promise {
    const char *model, *analysis; /* without tolerance */
    const char *but[2];           /* outputs that are constant in truth, or looked at below */
    double most;                  /* largest error over the range; 0: 1e-3 */
} promise;

static double range(const table *r, const char *name)
{
    double low = INFINITY, high = -INFINITY, most = 0;
    for (int i = 0; i < r->rows; i++) {
        double x = table_get(r, i, name);
        low = fmin(low, x);
        high = fmax(high, x);
        most = fmax(most, fabs(x));
    }
    return fmin(most, high - low);
}

/* The model with this analysis, whose text still lacks `tolerance` and its end. */
static table run_to(const char *model, const char *analysis, const char *tolerance,
                    const char *const *set)
{
    char text[160];
    snprintf(text, sizeof text, "%s%s}%s", analysis, tolerance, *analysis == '[' ? "]" : "");
    run_how how = {.model = model, .analysis = text};
    for (int i = 0; set && set[i]; i++) how.set[i] = set[i];
    return run_model(&how);
}

static int is_left_out(const promise *p, const char *name)
{
    for (int i = 0; i < 2 && p->but[i]; i++)
        if (!strcmp(p->but[i], name)) return 1;
    return 0;
}

static void check(const promise *p)
{
    double most = p->most > 0 ? p->most : 1e-3;
    table a = run_to(p->model, p->analysis, "", NULL);
    table b = run_to(p->model, p->analysis, ", tolerance: 1e-6", NULL);
    for (int i = 1; i < b.cols; i++) {
        const char *name = b.name[i];
        if (is_left_out(p, name)) continue;
        double off = table_distance(&a, &b, name), limit = most * range(&b, name);
        if (off > limit) print_message("%s: ", p->model);
        assert_under_at(off, limit, name, __FILE__, __LINE__);
    }
    table_free(&a);
    table_free(&b);
}

static void three_digits_rigid(void **state)
{
    static const promise list[] = {
        {"cardan_shaft", "{type: dynamics, until: 1, output_step: 0.01", {0}, 0},
        {"gantry_crane", "{type: dynamics, until: 10, output_step: 0.02", {0}, 0},
        {"heavy_top", "{type: dynamics, until: 2, output_step: 0.01", {"own_spin", "energy"}, 0},
        {"inclined_plane", "{type: dynamics, until: 2, output_step: 0.01", {"normal_force"}, 0},
        {"robot_arm", "{type: dynamics, until: 2, output_step: 0.01", {0}, 0},
        {"rod_chain", "{type: dynamics, until: 1, output_step: 0.01", {"energy"}, 0},
        {"satellite", "{type: dynamics, until: 30, output_step: 0.1", {0}, 0},
        {"screw_jack", "{type: dynamics, until: 2.5, output_step: 0.01", {0}, 0},
        {"slider_crank", "{type: dynamics, until: 0.2, output_step: 2e-4", {0}, 0},
        {"spring_pendulum", "{type: dynamics, until: 5, output_step: 0.01", {0}, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) check(&list[k]);
}

static void three_digits_flexible(void **state)
{
    static const promise list[] = {
        {"crane_rope", "[{type: statics}, {type: dynamics, until: 3, output_step: 0.05", {0}, 1e-4},
        {"flexible_chain", "{type: dynamics, until: 0.5, output_step: 0.01", {"energy"}, 3e-4},
        {"flexible_crane",
         "[{type: statics}, {type: dynamics, until: 8, output_step: 0.02",
         {0},
         0},
        {"flexible_pendulum", "{type: dynamics, until: 20, output_step: 0.25", {"energy"}, 0},
        {"four_bar_assembly", "{type: dynamics, until: 1.2, output_step: 0.02", {0}, 4e-4},
        {"hinged_beam", "{type: dynamics, until: 20, output_step: 0.02", {0}, 0},
        {"hinged_superelement_absolute",
         "{type: dynamics, until: 20, output_step: 0.02",
         {0},
         1e-4},
        {"hinged_superelement_five_nodes",
         "{type: dynamics, until: 20, output_step: 0.02",
         {0},
         1e-4},
        {"hinged_superelements", "{type: dynamics, until: 20, output_step: 0.02", {0}, 0},
        {"slider_crank_flexible", "{type: dynamics, until: 1, output_step: 0.01", {"energy"}, 0},
        {"slider_crank_minimal", "{type: dynamics, until: 4, output_step: 0.01", {0}, 4e-4},
        {"slider_crank_soft", "{type: dynamics, until: 4, output_step: 0.01", {0}, 5e-4},
        {"spin_up", "{type: dynamics, until: 20, output_step: 0.05", {0}, 3e-4},
        {"superelement_pendulum",
         "{type: dynamics, until: 10, output_step: 0.05",
         {"energy"},
         3e-4},
        {"swinging_arch", "{type: dynamics, until: 2, output_step: 0.02", {"energy"}, 1e-4},
        {"two_link_arm", "{type: dynamics, until: 3, output_step: 0.01", {0}, 1e-4},
        {"unbalanced_shaft",
         "[{type: statics}, {type: dynamics, until: 2.5, output_step: 0.005",
         {0},
         1e-4},
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) check(&list[k]);
}

/* The snap of the linkage, when it is in line at 2.62 s, amplifies whatever error there is before it:
 * with steps that fall a little differently (another tolerance, another order of rounding) the forces
 * after it must still have their digits, with room. */
static void three_digits_after_a_snap(void **state)
{
    static const char *const outputs[] = {"rocker",    "B.x",        "B.z",
                                          "C.z",       "torque",     "force_D.x",
                                          "force_D.y", "moment_D.x", "moment_D.y"};
    static const char *const tolerance[] = {"", ", tolerance: 0.98e-4", ", tolerance: 1.02e-4"};
    const char *analysis = "{type: dynamics, until: 12, output_step: 0.02";
    (void)state;
    table b = run_to("four_bar_misaligned", analysis, ", tolerance: 1e-6", NULL);
    for (int k = 0; k < 3; k++) {
        table a = run_to("four_bar_misaligned", analysis, tolerance[k], NULL);
        for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
            assert_under_at(table_distance(&a, &b, outputs[i]), 5e-4 * range(&b, outputs[i]),
                            outputs[i], __FILE__, __LINE__);
        table_free(&a);
    }
    table_free(&b);
}

/* The hinge's rate of the undamped beam rings in all modes of the mesh for ever: three digits of it
 * take four times the steps, however they are controlled (docs/theory/radau.md). What the steps leave
 * of an error is a third of what a mesh half as fine again takes away. */
static void below_the_mesh(void **state)
{
    const char *analysis = "{type: dynamics, until: 10, output_step: 0.02";
    (void)state;
    static const char *const undamped[] = {"loss=0", NULL}, *const finer[] = {"loss=0", "n=12",
                                                                              NULL};
    table a = run_to("hinged_beam", analysis, "", undamped);
    table b = run_to("hinged_beam", analysis, ", tolerance: 1e-6", undamped);
    table mesh = run_to("hinged_beam", analysis, ", tolerance: 1e-6", finer);
    assert_under(table_distance(&a, &b, "rate"), 0.5 * table_distance(&mesh, &b, "rate"));
    assert_under(table_distance(&a, &b, "rate"), 2.5e-3 * range(&b, "rate"));
    table_free(&a);
    table_free(&b);
    table_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_digits_rigid),
        cmocka_unit_test(three_digits_flexible),
        cmocka_unit_test(three_digits_after_a_snap),
        cmocka_unit_test(below_the_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
