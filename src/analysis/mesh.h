/* Meshes that are too coarse, by what results show: beams that bend far within an element, rigid pieces where the
 * moment changes along a beam, modes with waves as short as elements (docs/theory/mesh.md). */
#ifndef LM_ANALYSIS_MESH_H
#define LM_ANALYSIS_MESH_H

#include "analysis/run.h"

typedef struct lm_mesh lm_mesh;

/* run->mesh; NULL where there are no beams. 0; -1: no memory. */
int lm_mesh_make(lm_run *run);
void lm_mesh_free(lm_run *run);
/* Remember what the deformations at a state of the results make of the error. */
void lm_mesh_look(lm_run *run, const double *q);
/* What is remembered: lm_mesh_size doubles, kept, and put back. */
size_t lm_mesh_size(const lm_run *run);
void lm_mesh_keep(const lm_run *run, double *to);
void lm_mesh_put_back(lm_run *run, const double *from);
/* After an analysis: a warning beyond 2 % of deflections, once in a run; the estimates for whoever compares. */
void lm_mesh_warn(lm_run *run, lm_analysis_type type);
/* By how much the mesh puts the frequency omega of the mode x [nv] about q off; mass: x^T M x. */
double lm_mesh_mode(lm_run *run, lm_system *sys, const double *q, const double *x, double omega,
                    double mass);
/* How many times the elements leave a quarter of a per cent of an error. */
double lm_mesh_times(const lm_run *run, double error);

#endif
