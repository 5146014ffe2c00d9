/* What the kinematics as written must be: arguments whose slopes do not jump and that are finite at
 * the start, and coordinates each of which moves something that the others do not. */
#ifndef LM_FORM_MINIMAL_CHECK_H
#define LM_FORM_MINIMAL_CHECK_H

#include "form/minimal.h"

/* Errors go to `diag`; -1: no memory. The columns have been made. */
int minimal_check(minimal *s, lm_diag *diag);

#endif
