/* Private to the compiler: its parts. */
#ifndef LM_MODEL_COMPILE_H
#define LM_MODEL_COMPILE_H

#include "model/model.h"

/* Add a pair of points `at` with triads E, all in world axes as drawn; returns its index. */
int lm_compile_pair(lm_model *m, const int node[2], const lm_v3 at[2], const lm_m3 E[2]);
/* beam_axis.c: nodes and elements of a beam, without the elements' shapes */
void lm_cut_beam(lm_model *m, int body);
void lm_add_node(lm_model *m, int body, lm_v3 x, const lm_m3 *R);
/* Pose of a node as drawn. */
void lm_beam_node_drawn(const lm_spec_body *b, int node, lm_v3 *x, lm_m3 *R);
/* compile_frame.c: nodes that beams need beyond their own, first of all; then where a frame sits. */
void lm_compile_extras(lm_model *m, lm_diag *diag);
void lm_compile_frame(lm_model *m, int i);
void lm_compile_joint(lm_model *m, int i, lm_diag *diag);
void lm_compile_force(lm_model *m, int i, lm_diag *diag);
void lm_compile_initial(lm_model *m);
void lm_compile_idle(lm_model *m);

#endif
