/* Components of the library against equations that the test writes out and integrates by itself. */
#ifndef TEST_LIBRARY_ENV_H
#define TEST_LIBRARY_ENV_H

#include "support/ode.h"
#include "support/run_model.h"
#include "support/scratch.h"

#define INCLUDE(file)         "limber: 1\ninclude: library/" file ".yaml\n"
#define DYNAMICS(until, rows) DYNAMICS_AT(until, rows, "1e-8")
#define DYNAMICS_AT(until, rows, tolerance)                                                        \
    "analysis: {type: dynamics, until: " until ", output_step: " rows ", tolerance: " tolerance    \
    "}\n"

static inline int library_set_up(void **state)
{
    (void)state;
    return scratch_make("library");
}

typedef struct other_opinion {
    ode_fn f;
    const void *context;
    int n;              /* states */
    int steps;          /* Runge-Kutta steps from row to row */
    double y[ODE_MOST]; /* at the start */
} other_opinion;

/* Largest difference between the outputs y0, y1, ... of the run and the states of the same number, in
 * parts of the range of each; outputs that the model does not have are left out. */
static inline double difference(const table *r, const other_opinion *o)
{
    double y[ODE_MOST], most = 0, worst[ODE_MOST] = {0};
    char name[16];
    memcpy(y, o->y, sizeof y);
    for (int row = 0; row < r->rows; row++) {
        double t = r->data[row * r->cols];
        if (row) ode_rk4(o->f, o->context, o->n, y, r->data[(row - 1) * r->cols], t, o->steps);
        for (int k = 1; k < r->cols; k++)
            for (int i = 0; i < o->n; i++) {
                snprintf(name, sizeof name, "y%d", i);
                if (strcmp(r->name[k], name) != 0) continue;
                double off = fabs(r->data[row * r->cols + k] - y[i]) / table_range(r, name);
                worst[i] = off > worst[i] ? off : worst[i];
                if (!(off <= most)) most = off; /* a NaN stays */
            }
    }
    for (int i = 0; i < o->n; i++)
        if (worst[i] > 0) print_message("  y%d off by %.1e of its range\n", i, worst[i]);
    return most;
}

/* Run the model and hold it against the equations; the balance of energy must close too. */
static inline void follows(const char *text, const other_opinion *o, double limit)
{
    table r = run_model(&(run_how){.text = text});
    double off = difference(&r, o);
    print_message("  largest %.1e, energy balance %.1e\n", off, r.sum.energy_error);
    assert_under(off, limit);
    assert_under(r.sum.energy_error, 1e-5);
    table_free(&r);
}

static inline double clamp(double x, double most) { return fmin(fmax(x, -most), most); }

#endif
