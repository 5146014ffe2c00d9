#include "support/over_tolerance.h"

#include "support/iftomm.h"
#include "support/run_model.h"

typedef struct benchmark {
    const char *model;
    double until, every;
    double digits; /* of the references */
    int tightest;  /* 10^-tightest is the last tolerance */
    double share;  /* of the tolerance that the error may be */
    const known *at;
} benchmark;

/* A02 passes ten singular positions, where below 1e-6 rounding errors rule. */
static const benchmark benchmarks[IFTOMM_MODELS] = {
    {"a01_pendulum", 10, 0.1, 1e-10, 8, 2, known_a01},
    {"a02_four_bars", 10, 0.1, 1e-9, 6, 10, known_a02},
    {"a03_andrews", 0.03, 3e-4, 1e-10, 8, 2, known_a03},
    {"a04_bricard", 9, 0.1, 1e-10, 8, 2, known_a04},
    {"a05_governor", 10, 0.1, 6e-9, 7, 2, known_a05},
};

static double largest_error(const benchmark *b, const table *r)
{
    double most = 0;
    for (const known *k = b->at; k->output; k++)
        most = fmax(most, fabs(table_at(r, k->output, k->t) - k->value));
    return most;
}

void check_over_tolerance(int i, const char *method, double constraint_share)
{
    const benchmark *b = &benchmarks[i];
    char analysis[200];
    for (int d = 3; d <= b->tightest; d++) {
        double tolerance = pow(10, -d);
        snprintf(analysis, sizeof analysis,
                 "{type: dynamics, until: %g, output_step: %g, method: %s, tolerance: %g}",
                 b->until, b->every, method, tolerance);
        table r = run_model(&(run_how){.model = b->model, .analysis = analysis});
        assert_under(largest_error(b, &r), b->share * tolerance + b->digits);
        assert_under(r.sum.energy_error, 20 * tolerance);
        assert_under(r.sum.constraint_error, constraint_share * tolerance);
        assert_string_equal(r.sum.method, method);
        table_free(&r);
    }
}
