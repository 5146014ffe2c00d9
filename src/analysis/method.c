/* The method of integration for a model and an analysis, where the user names none, too. */
#include "analysis/dynamics.h"

#include <math.h>

/* Where nothing is said: vibrations of flexible bodies take high order to be followed to three digits, with
 * steps that the error decides; so does a motion of rigid ones to more than five. */
#define TIGHT 1e-5

static lm_method choose_method(const lm_spec_analysis *a, const lm_system *sys)
{
    if (a->method != LM_METHOD_AUTOMATIC) return a->method;
    int machine = sys->nvariables || sys->model->spec->blocks.n;
    int high = sys->flexible || machine || a->tolerance < TIGHT;
    return high && a->step == 0 ? LM_METHOD_RADAU : LM_METHOD_GENERALIZED_ALPHA;
}

/* Rigid bodies that drives lead, and nothing else that has a state: there is nothing to integrate. */
static int is_driven(const lm_spec_analysis *a, const lm_system *sys)
{
    return a->method == LM_METHOD_AUTOMATIC && a->step == 0 && sys->mobility == 0 && sys->nl > 0 &&
           !sys->flexible && !sys->massless && !sys->nvariables && !sys->discrete &&
           !sys->model->spec->blocks.n;
}

static lm_integrator *create_integrator(const lm_spec_analysis *a, lm_system *sys, double until)
{
    lm_integrator_options opt = {.until = until,
                                 .tolerance = a->tolerance,
                                 .step = a->step,
                                 .first_step = 1e-2 * fmin(a->output_step, 1e-2 * until),
                                 .largest_step = a->max_step > 0 ? fmin(a->max_step, until) : until,
                                 .rho_inf = a->rho_inf,
                                 .method = choose_method(a, sys)};
    if (is_driven(a, sys)) return lm_kinematic_create(sys, &opt);
    switch (opt.method) {
    case LM_METHOD_BDF: return lm_bdf_create(sys, &opt);
    case LM_METHOD_RADAU: return lm_radau_create(sys, &opt);
    case LM_METHOD_EXPLICIT: return lm_extrapolation_create(sys, &opt);
    default: return lm_genalpha_create(sys, &opt);
    }
}

/* Its linear systems are solved as the analysis says. */
lm_integrator *lm_method_integrator(const lm_spec_analysis *a, lm_system *sys, double until)
{
    sys->solver = a->solver;
    lm_integrator *g = create_integrator(a, sys, until);
    sys->solver = LM_SOLVER_AUTOMATIC;
    return g;
}

/* Parts of an interval in which a brief force of time bends by a quarter that a step may take: so many that the
 * method delivers its impulse to 1e-6 (docs/theory/events.md). */
double lm_method_fineness(const lm_spec_analysis *a, const lm_system *sys)
{
    if (is_driven(a, sys)) return 1; /* no force of time moves anything */
    switch (choose_method(a, sys)) {
    case LM_METHOD_RADAU:
    case LM_METHOD_EXPLICIT: return 0.2;
    case LM_METHOD_BDF: return 0.02;
    default: return 0.005;
    }
}
