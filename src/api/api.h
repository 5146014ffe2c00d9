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

/* -1, with a sentence in err, when a CSV file would replace the result file or the model (NULL: none),
 * or cannot be written where it should be. */
int lm_csv_refuse(const char *csv, const char *results, const char *model, char *err, size_t size);

#endif
