/* A model with all its flexible bodies taken rigid: the mechanism whose motion is the rigid motion of the
 * original. Joints, rows, actions, loads and coordinates are the same, by the same indices. */
#ifndef LM_FORM_RIGID_MODEL_H
#define LM_FORM_RIGID_MODEL_H

#include "model/model.h"

typedef struct lm_rigid_model {
    lm_arena arena; /* owns what is not the original's */
    lm_model model;
    lm_spec spec;
    int *node; /* [nodes of the original] the one of `model` that carries it, */
    lm_v3 *r;  /* where it is in that one's axes, */
    lm_m3 *E;  /* and how its axes stand in them */
} lm_rigid_model;

/* 0, or -1: no memory. The original must outlive it. */
int lm_rigid_model_make(lm_rigid_model *r, const lm_model *from);
void lm_rigid_model_free(lm_rigid_model *r);

/* A body of it: mass, mass centre and inertia, and the node in its mass centre as drawn. */
void lm_rigid_body(const lm_model *from, int body, lm_body *b, lm_node *n);

#endif
