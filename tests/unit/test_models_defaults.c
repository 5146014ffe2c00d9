/* What the default settings promise: three digits, of the small deflections of flexible bodies too. */
#include "support/run_model.h"

typedef struct promise {
    const char *model, *analysis; /* without tolerance */
    const char *output[4];
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

static void check(const promise *p)
{
    char fine[160];
    snprintf(fine, sizeof fine, "%s, tolerance: 1e-6}", p->analysis);
    char plain[160];
    snprintf(plain, sizeof plain, "%s}", p->analysis);
    table a = run_model(&(run_how){.model = p->model, .analysis = plain});
    table b = run_model(&(run_how){.model = p->model, .analysis = fine});
    for (int i = 0; i < 4 && p->output[i]; i++) {
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
        {"flexible_chain", "{type: dynamics, until: 0.5, output_step: 0.05", {"x", "y"}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) check(&list[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_digits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
