/* Shapes of beams in floating frames: from the elements of a model to lm_floating. */
#ifndef LM_FORM_FFR_BASIS_H
#define LM_FORM_FFR_BASIS_H

#include "elem/floating.h"
#include "model/model.h"

/* A straight part of a beam: n elements of m->elements from `first` on, between n + 1 nodes. Its
 * floating frame is that of its first node. */
typedef struct ffr_part {
    int body;
    int first, n;
    /* [n + 1] A moment takes hold of that node: about z (1), about y (2), both (3). Its slope v', w'
     * is then a coordinate of its own in a basis of splines, whose moments are continuous at the
     * other nodes and zero at the end. NULL: none. */
    const unsigned char *turned;
} ffr_part;

/* The basis that spec->formulation asks for (basis, modes, stiffening). 0; -1: no memory; 1:
 * errors in `diag`. `scratch` as for lm_beam_section. */
int ffr_basis_make(const lm_model *m, const ffr_part *part, lm_arena *arena, double *scratch,
                   lm_diag *diag, lm_floating *out);
/* 1: both parts give the same lm_floating (same sections along it, lengths, theory, damping), so
 * that one will do for both. */
int ffr_basis_same(const lm_model *m, const ffr_part *a, const ffr_part *b);

#endif
