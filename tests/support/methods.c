#include "support/methods.h"

const method run_methods[METHODS] = {
    {"method: generalized-alpha, tolerance: 1e-5", 1},
    {"method: radau, tolerance: 1e-6", 1},
    {"method: bdf, tolerance: 1e-5", 1},
    {"method: explicit, tolerance: 1e-6", 0},
    {"step: 0.01", 0},
    {"method: newmark, step: 0.01", 0},
};

table run_method(const char *text, const char *how, double until)
{
    char analysis[200];
    snprintf(analysis, sizeof analysis, "{type: dynamics, until: %g, output_step: %g, %s}", until,
             until / 20, how);
    return run_model(&(run_how){.text = text, .analysis = analysis});
}
