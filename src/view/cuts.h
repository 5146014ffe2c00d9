/* Section forces and stress at the nodes of beams, from the poses of the nodes alone.
 *
 * The elastic forces f of an element's ends follow from its poses (the kernel of elem/corot_beam.h).
 * They are not yet what the section transmits: a load p spread along the element, weight less inertia,
 * adds its fixed-end forces. But p is known too: at a node to which nothing else is fixed, the forces
 * of the elements on both sides are in balance with what is spread along their halves,
 *
 *     f_left + f_right = p (L_left + L_right)/2,
 *
 * whatever p consists of. At other nodes it is extrapolated. An element then has the end forces
 *     F_a = f_a - L (7 p_a + 3 p_b)/20 across the chord, - L (2 p_a + p_b)/6 along it,
 *     M_a = m_a - L^2/60 e x (3 p_a + 2 p_b)
 * and those of b with a and b exchanged and the opposite moment; e along the chord. Exact for a p that
 * is linear along the beam, up to what bending turns.
 *
 * Where the forces F, M in the middle of the elements are given, p follows from those of neighbours, and, each half of an element being rigid with the axis e of its node,
 *     F_a = -F - p_a L/2,  M_a = -M - L/2 e x F - L^2/8 e x p_a,
 *     F_b =  F - p_b L/2,  M_b =  M - L/2 e x F + L^2/8 e x p_b. */
#ifndef LM_VIEW_CUTS_H
#define LM_VIEW_CUTS_H

#include "view/result.h"

enum {
    LM_CUT_STRESS, /* as section(beam, s).stress; NAN where the outline is not known */
    LM_CUT_N,
    LM_CUT_VY,
    LM_CUT_VZ,
    LM_CUT_T,
    LM_CUT_MY,
    LM_CUT_MZ,
    LM_CUTS
};
extern const char *const lm_cut_name[LM_CUTS];

typedef struct lm_cuts lm_cuts;

/* NULL: no memory. */
lm_cuts *lm_cuts_new(const lm_model *m);
void lm_cuts_free(lm_cuts *c);
/* Values of a frame: nodes of all beams, in the order of the bodies, from start to end. */
int lm_cuts_count(const lm_cuts *c);
/* Take the forces in the middle of the elements from the table beam_forces of this analysis, if it has
 * one: where a formulation writes it, they do not follow from the poses. 0; 1: it cannot be read; 2: no
 * memory. */
int lm_cuts_open(lm_cuts *c, lm_h5 *file, const char *group);
/* out[LM_CUTS][count] at these poses (7 numbers per node of the model), `row` of their table. Where something is fixed to a
 * node inside of a beam the larger of both sides. -1: the table cannot be read. */
int lm_cuts_eval(lm_cuts *c, long row, const double *pose, double *out);

#endif
