/* The list of formulations: the only place that names them. */
#include "form/form.h"

#include "form/elastodynamic.h"
#include "form/ffr.h"
#include "form/machine.h"
#include "form/minimal.h"
#include "form/nodal.h"
#include "form/rfe.h"

static const struct {
    const char *name;
    const lm_form *form;
} forms[] = {
    [LM_FORM_COROTATIONAL] = {"corotational", &lm_form_corotational},
    [LM_FORM_MINIMAL] = {"minimal", &lm_form_minimal},
    [LM_FORM_ELASTODYNAMIC] = {"elastodynamic", &lm_form_elastodynamic},
    [LM_FORM_RFE] = {"rfe", &lm_form_rfe},
    [LM_FORM_FFR] = {"ffr", &lm_form_ffr},
};

const lm_form *lm_form_get(lm_formulation_type type) { return forms[type].form; }
const char *lm_form_name(lm_formulation_type type) { return forms[type].name; }

limber_status lm_system_create(const lm_form *form, const lm_model *model, lm_diag *diag,
                               lm_system **sys)
{
    limber_status st = form->create(model, diag, sys);
    return st || !model->spec->variables.n ? st : lm_machine_make(diag, sys);
}
