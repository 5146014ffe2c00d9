/* What cannot be run is refused before anything is computed or written. */
#include "analysis/refuse.h"

#include "analysis/periodic.h"
#include "analysis/steady.h"

#include <math.h>

/* The first beam with an element that has no mass, NULL: none. */
static const char *weightless(const lm_model *m)
{
    for (int i = 0; i < m->nbodies; i++)
        for (int k = 0; k < m->beams[i].nelements; k++)
            if (m->elements[m->beams[i].first_element + k].shape.mx[0] == 0)
                return m->bodies[i].name;
    return NULL;
}

limber_status lm_refuse_dynamics(lm_run *run, const lm_spec_analysis *a)
{
    double until = run->opt->until > 0 ? run->opt->until : a->until;
    double rows = until / fmin(a->output_step, until);
    if (a->method == LM_METHOD_BDF && a->step > 0) {
        lm_error(
            run->diag, a->loc,
            "method 'bdf' chooses its steps itself: leave 'step' out and give a 'tolerance', or "
            "use a method with fixed steps ('generalized-alpha', 'newmark')");
        return LIMBER_UNSUPPORTED;
    }
    if (a->method == LM_METHOD_EXPLICIT && run->sys && run->sys->massless) {
        lm_error(
            run->diag, a->loc,
            "method 'explicit' needs inertia for every motion, and a beam here has none, or none "
            "about its own axis: give its section rhoA, rhoIy and rhoIz, or use 'radau' or "
            "'generalized-alpha'");
        return LIMBER_UNSUPPORTED;
    }
    const char *light = a->method == LM_METHOD_BDF ? weightless(run->model) : NULL;
    if (light) {
        lm_error(run->diag, a->loc,
                 "method 'bdf' follows motions without mass with too large errors, and beam '%s' "
                 "has none: use 'radau' or 'generalized-alpha', or give its section rhoA",
                 light);
        return LIMBER_UNSUPPORTED;
    }
    if (rows <= LM_OUTPUT_ROWS) return LIMBER_OK;
    lm_error(run->diag, a->loc,
             "up to t = %.6g in output steps of %.6g makes %.3g rows of output; at most %d are "
             "possible: raise 'output_step' or end earlier",
             until, a->output_step, rows, LM_OUTPUT_ROWS);
    return LIMBER_INPUT;
}

/* Of a circuit or a controller alone nothing vibrates that `modes` could show. */
limber_status lm_refuse_modes(lm_run *run, const lm_spec_analysis *a)
{
    if (!run->sys || run->model->nbodies > 0) return LIMBER_OK;
    lm_error(
        run->diag, a->loc,
        "'modes' are those of bodies, and the model has none: use 'linearize' for the poles of "
        "controllers and the power graph");
    return LIMBER_UNSUPPORTED;
}

static int remembers(const lm_system *sys)
{
    const lm_discrete *d = sys ? sys->discrete : NULL;
    return d && (d->n || d->nsurfaces || d->ndelays);
}

/* What changes between steps only has no derivative. */
limber_status lm_refuse_periodic(lm_run *run, const lm_spec_analysis *a)
{
    double T;
    const lm_system *sys = run->sys;
    const char *why = NULL;
    if (sys && sys->nvariables) why = "controllers and power graphs";
    if (remembers(sys))
        why =
            "states, surfaces, sampled blocks, switches and delays, which remember what has been,";
    if (run->model->on_step) why = "a function of the program that is called after steps";
    if (why) {
        lm_error(run->diag, a->loc, "'periodic' cannot follow %s through a period: use 'dynamics'",
                 why);
        return LIMBER_UNSUPPORTED;
    }
    if (sys && !sys->form->difference) {
        lm_error(run->diag, a->loc, "'periodic' is not possible with the formulation '%s'",
                 sys->form->name);
        return LIMBER_UNSUPPORTED;
    }
    return lm_periodic_period(run, a, &T);
}

limber_status lm_refuse_campbell(lm_run *run, const lm_spec_analysis *a)
{
    const lm_model *m = run->model;
    if (run->sys && run->sys->nvariables) {
        lm_error(run->diag, a->loc,
                 "'campbell' does not know controllers and power graphs: use 'linearize' for the "
                 "poles of the whole machine at one speed, or leave them out");
        return LIMBER_UNSUPPORTED;
    }
    if (a->drive < 0) {
        lm_error(run->diag, a->loc,
                 "the model has no 'campbell' analysis, which says what turns and how fast: add "
                 "one, for example 'analysis: {type: campbell, drive: JOINT, speeds: [0, 100, "
                 "21]}'");
        return LIMBER_INPUT;
    }
    if (!lm_steady_drive(m, a->drive)) {
        lm_error(run->diag, a->loc,
                 "campbell: joint '%s' has no drive of its angle: give it one, for example "
                 "'drive: 0*t'; its speed is that of the analysis",
                 m->joints[a->drive].name);
        return LIMBER_INPUT;
    }
    if (!run->sys || run->sys->form->turn) return LIMBER_OK;
    lm_error(run->diag, a->loc, "'campbell' is not possible with the formulation '%s'",
             run->sys->form->name);
    return LIMBER_UNSUPPORTED;
}
