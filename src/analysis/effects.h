/* What a formulation leaves out, and about how much that is here: for whoever compares runs (limber_effect). */
#ifndef LM_ANALYSIS_EFFECTS_H
#define LM_ANALYSIS_EFFECTS_H

#include "analysis/run.h"

/* A part of what deformation changes of any output; on: the body, or "". */
void lm_effect_part(const lm_run *run, const char *what, const char *on, double part);
/* In the unit of an output. */
void lm_effect_output(const lm_run *run, const char *what, int output, double size);
/* An angle, in all outputs of rotations. */
void lm_effect_angle(const lm_run *run, const char *what, const char *on, double angle);
/* Errors of the mesh that fall slowly, after an analysis. */
void lm_effect_mesh(const lm_run *run, lm_analysis_type type);

#endif
