/* What the default settings promise: three digits of the motion, of the small deflections of flexible
 * bodies too, and of everything else an error below the mesh's. */
#include "support/run_model.h"

typedef struct promise {
    const char *model, *analysis; /* without tolerance */
    const char *output[8];
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

static void check(const promise *p)
{
    table a = run_to(p->model, p->analysis, "", NULL);
    table b = run_to(p->model, p->analysis, ", tolerance: 1e-6", NULL);
    for (int i = 0; i < 8 && p->output[i]; i++) {
        double off = table_distance(&a, &b, p->output[i]);
        if (off > 1e-3 * range(&b, p->output[i])) print_message("%s: ", p->model);
        assert_under_at(off, 1e-3 * range(&b, p->output[i]), p->output[i], __FILE__, __LINE__);
    }
    table_free(&a);
    table_free(&b);
}

static void three_digits(void **state)
{
    static const promise list[] = {
        {"flexible_pendulum",
         "{type: dynamics, until: 6, output_step: 0.1",
         {"theta", "tip_x", "deflection"}},
        {"hinged_beam", "{type: dynamics, until: 6, output_step: 0.1", {"theta", "deflection"}},
        {"slider_crank_flexible",
         "{type: dynamics, until: 0.3, output_step: 0.01",
         {"slider", "deflection"}},
        {"two_link_arm",
         "{type: dynamics, until: 3, output_step: 0.05",
         {"tip_x", "tip_z", "bend_y", "bend_z"}},
        {"spin_up", "{type: dynamics, until: 20, output_step: 0.25", {"u1", "u2", "rot", "torque"}},
        {"swinging_arch", "{type: dynamics, until: 0.5, output_step: 0.02", {"x", "z", "span"}},
        {"flexible_chain", "{type: dynamics, until: 0.5, output_step: 0.05", {"x", "y", "pull"}},
        {"flexible_crane",
         "[{type: statics}, {type: dynamics, until: 8, output_step: 0.1",
         {"load_x", "load_y", "load_z", "sag", "root_moment", "torque"}},
        {"four_bar_misaligned",
         "{type: dynamics, until: 12, output_step: 0.02",
         {"rocker", "B.x", "B.z", "C.z", "torque", "force_D.x", "force_D.y", "moment_D.x"}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) check(&list[k]);
}

/* Speeds and forces are full of vibrations far above those that a mesh can show right: the steps leave
 * less of an error in them than a mesh half as fine again takes away. */
static void check_mesh(const char *model, const char *analysis, const char *const *finer,
                       const char *output)
{
    table a = run_to(model, analysis, "", NULL);
    table b = run_to(model, analysis, ", tolerance: 1e-6", NULL);
    table mesh = run_to(model, analysis, ", tolerance: 1e-6", finer);
    assert_under(table_distance(&a, &b, output), table_distance(&mesh, &b, output));
    assert_under(table_distance(&a, &b, output), 3e-3 * range(&b, output));
    table_free(&a);
    table_free(&b);
    table_free(&mesh);
}

static void below_the_mesh(void **state)
{
    (void)state;
    check_mesh("hinged_beam", "{type: dynamics, until: 10, output_step: 0.02",
               (const char *[]){"n=12", NULL}, "rate");
    check_mesh("slider_crank_flexible", "{type: dynamics, until: 0.3, output_step: 0.002",
               (const char *[]){"n1=6", "n2=12", NULL}, "moment");
    check_mesh("flexible_crane", "[{type: statics}, {type: dynamics, until: 8, output_step: 0.02",
               (const char *[]){"n=9", NULL}, "pull");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_digits),
                                       cmocka_unit_test(below_the_mesh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
