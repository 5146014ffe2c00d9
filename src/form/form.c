/* The list of formulations. */
#include "form/form.h"

#include <math.h>

#include "form/elastodynamic.h"
#include "form/ffr.h"
#include "form/machine.h"
#include "form/minimal.h"
#include "form/nodal.h"
#include "form/rfe.h"

static const lm_form *const forms[LM_FORMULATIONS] = {
    [LM_FORM_COROTATIONAL] = &lm_form_corotational,
    [LM_FORM_MINIMAL] = &lm_form_minimal,
    [LM_FORM_ELASTODYNAMIC] = &lm_form_elastodynamic,
    [LM_FORM_RFE] = &lm_form_rfe,
    [LM_FORM_FFR] = &lm_form_ffr,
};

const lm_form *lm_form_get(lm_formulation_type type) { return forms[type]; }
const char *lm_form_name(lm_formulation_type type) { return forms[type]->name; }

limber_status lm_system_create(const lm_form *form, const lm_model *model, lm_diag *diag,
                               lm_system **sys)
{
    limber_status st = form->create(model, diag, sys);
    return st || !model->spec->variables.n ? st : lm_machine_make(sys);
}

double lm_system_reach(const lm_system *sys, double t)
{
    return sys->timing ? lm_timing_reach(sys->timing, t, NULL) : INFINITY;
}

double lm_system_next_kink(const lm_system *sys, double t)
{
    double next = sys->form->next_kink(sys, t);
    if (sys->timing) next = fmin(next, lm_timing_next(sys->timing, t));
    int low = 0, high = sys->ncorner;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sys->corner[middle] > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low < sys->ncorner ? fmin(next, sys->corner[low]) : next;
}
