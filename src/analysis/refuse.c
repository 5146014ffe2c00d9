/* What cannot be run is refused before anything is computed or written. */
#include "analysis/run.h"

#include <math.h>

enum { MOST_ROWS = 100000000 }; /* of a result, as in the reader */

const char *lm_analysis_name(lm_analysis_type type)
{
    static const char *const names[] = {"dynamics", "statics", "modes", "linearize", "campbell"};
    return names[type];
}

static limber_status refuse_dynamics(lm_run *run, const lm_spec_analysis *a)
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
            "method 'explicit' needs inertia for every motion, and a beam here has none about its "
            "own axis: give its section rhoIy and rhoIz, or use 'generalized-alpha'");
        return LIMBER_UNSUPPORTED;
    }
    if (rows <= MOST_ROWS) return LIMBER_OK;
    lm_error(run->diag, a->loc,
             "up to t = %.6g in output steps of %.6g makes %.3g rows of output; at most %d are "
             "possible: raise 'output_step' or end earlier",
             until, a->output_step, rows, MOST_ROWS);
    return LIMBER_INPUT;
}

/* Accelerations are a matter of the state. */
static limber_status refuse_linearize(lm_run *run, const lm_spec_analysis *a)
{
    if (!run->sys || !run->sys->massless) return LIMBER_OK;
    lm_error(run->diag, a->loc,
             "'linearize' needs inertia for every motion, and a beam here has none about its own "
             "axis: give its section rhoIy and rhoIz");
    return LIMBER_UNSUPPORTED;
}

limber_status lm_refuse_analysis(lm_run *run, const lm_spec_analysis *a)
{
    if (a->type == LM_ANALYSIS_DYNAMICS) return refuse_dynamics(run, a);
    if (a->type == LM_ANALYSIS_LINEARIZE) return refuse_linearize(run, a);
    if (a->type == LM_ANALYSIS_STATICS || a->type == LM_ANALYSIS_MODES) return LIMBER_OK;
    lm_error(
        run->diag, a->loc,
        "analysis '%s' is not in this version; 'dynamics', 'statics', 'modes' and 'linearize' are",
        lm_analysis_name(a->type));
    return LIMBER_UNSUPPORTED;
}
