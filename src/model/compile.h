/* Private to the compiler: its parts. */
#ifndef LM_MODEL_COMPILE_H
#define LM_MODEL_COMPILE_H

#include "model/model.h"

/* Add a pair of points `at` with triads E, all in world axes as drawn; returns its index. */
int lm_compile_pair(lm_model *m, const int node[2], const lm_v3 at[2], const lm_m3 E[2]);
/* compile_frame.c: nodes that beams need beyond their own, first of all; then where a frame sits. */
void lm_compile_extras(lm_model *m, lm_diag *diag);
void lm_compile_frame(lm_model *m, int i);
void lm_compile_joint(lm_model *m, int i, lm_diag *diag);
void lm_compile_force(lm_model *m, int i, lm_diag *diag);
void lm_compile_initial(lm_model *m);

#endif
