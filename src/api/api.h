/* The insides of the public types. */
#ifndef LM_API_API_H
#define LM_API_API_H

#include <limber/limber.h>

#include "model/model.h"

struct limber_messages {
    lm_diag diag;
};

struct limber_model {
    lm_model m;
};

/* The formulation by name, or the model's; NULL after an error in `diag`. */
const struct lm_form *lm_choose_form(const lm_model *m, const char *name, lm_diag *diag);

#endif
