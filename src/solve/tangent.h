/* How small deviations from a motion go on over the steps of the method `radau`.
 *
 * A deviation is a motion xi, as retract takes it, from the positions, and dv from the velocities, on
 * the constraints. What a step makes of it is the derivative of the step itself: the equations of its
 * three stages are linearised where they were solved (docs/theory/periodic.md). */
#ifndef LM_SOLVE_TANGENT_H
#define LM_SOLVE_TANGENT_H

#include "solve/integrator.h"

typedef struct lm_tangent lm_tangent;

lm_tangent *lm_tangent_create(lm_system *sys); /* NULL: no memory */
void lm_tangent_destroy(lm_tangent *t);

/* n deviations xi, dv [nv x n] at the start of the last step of g, made by lm_radau_create, become
 * those at its end. 0; 1: the step has no derivative (it passes a singular position, or forces cannot
 * be evaluated there); < 0: memory. */
int lm_tangent_step(lm_tangent *t, lm_integrator *g, int n, double *xi, double *dv);

/* How the rates of the constraints change with the positions, at the present state of g: their
 * derivative N along a motion, so that dv belongs to xi when Phi dv + N xi = 0. It stands in the rows of
 * the constraints of the tangent's pattern, which is a little wider than the system's: values[its nnz].
 * 0; 1: cannot be evaluated. */
const lm_pattern *lm_tangent_pattern(const lm_tangent *t);
int lm_tangent_constraints(lm_tangent *t, lm_integrator *g, double *values);

#endif
