/* What formulations share of a model: where all runs of a comparison use the same code, their agreement says nothing of
 * it. */
#ifndef LM_FORM_SHARING_H
#define LM_FORM_SHARING_H

#include <limber/limber.h>

#include "model/model.h"

/* The pieces that occur in a model, one after another. */
void lm_pieces(const lm_model *m, void (*each)(void *context, const limber_piece *piece),
               void *context);

/* The part of deflections that the mesh of a formulation is off by where that falls with h^2 only; 0: faster. */
double lm_mesh_error(const lm_model *m, lm_formulation_type type);

#endif
