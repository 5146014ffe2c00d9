/* Rigid finite elements (paper 003): beams as chains of rigid elements joined by springs.
 *
 * A beam with the nodes 0..n becomes n + 1 rigid elements, one around each node, which meet in the
 * middle of each of its n divisions; there a spring-damper element joins them, with the flexibility of
 * the division (docs/theory/rfe.md). What comes out of this is a model of rigid bodies, joints and
 * springs, and the equations are those of the other formulations: in joint coordinates (minimal.h), or
 * in the poses of all rigid elements (nodal.h), where long chains stay sparse. */
#ifndef LM_FORM_RFE_H
#define LM_FORM_RFE_H

#include "form/nodal.h"

/* Only create and name are its own: a system has those of its equations. */
extern const lm_form lm_form_rfe;

/* How to divide, beyond what the model says. */
typedef struct rfe_rule {
    int all; /* springs along and across the axis, too */
    const unsigned char
        *spring;         /* [joints after the division] springs in place of constraints; NULL */
    double stiffness[2]; /* of those: against displacements, rotations */
} rfe_rule;

/* rfe_divide.c: divide the beams of a model; NULL: no memory. The model stays in use. */
nodal_division *rfe_divide(const lm_model *m, const rfe_rule *rule);
void rfe_division_free(nodal_division *d);

#endif
