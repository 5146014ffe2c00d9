/* A machine at rest, as modes see it: the mechanism alone, whose variables follow small motions of it.
 *
 * Of the variables the values and rates y (LM_VARIABLE_VALUE, LM_VARIABLE_RATE) and the states s that are
 * integrals of the motion are functions of the motion x; other states are held. From the machine's matrices
 *
 *     Y y + (M_y x.. + D_y x. + K_y x + Q_y lam + N_y s. + E_y s) = 0,    s = S x,
 *
 * and what these exert gives M, D, K and the columns of the reactions one term each. (docs/theory/modes.md) */
#ifndef LM_ANALYSIS_MODES_MACHINE_H
#define LM_ANALYSIS_MODES_MACHINE_H

#include "form/form.h"

typedef struct lm_condensed {
    lm_system sys; /* the mechanism's numbers */
    lm_arena arena;
    lm_form form;
    lm_system *in;         /* the mechanism, its variables frozen */
    double *M, *D, *K, *Q; /* [nnz] what the variables add */
    double *own;           /* [nnz of in] */
    int *place;            /* [nnz of in] entries of this matrix */
    double *rest;          /* [nv] accelerations at which the variables are frozen */
    double *work;          /* [nv] */
    int held, first_held;  /* states that act and are held; the first of them */
    int by_itself; /* a storage that moves by itself: nothing of the machine takes part; -1: none */
} lm_condensed;

/* Of the machine in the state, whose arrays are copied; from then on its mechanism is frozen (lm_machine_freeze).
 * LIMBER_OK, LIMBER_MEMORY, or LIMBER_STOPPED where the variables have no finite derivatives. */
limber_status lm_condensed_create(lm_system *machine, const lm_state *st, lm_condensed **out);
void lm_condensed_destroy(lm_condensed *s);

#endif
