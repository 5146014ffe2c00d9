/* Private to generalized-alpha: its state, Newton's method for one step, and the error of a step. */
#ifndef LM_SOLVE_GENALPHA_H
#define LM_SOLVE_GENALPHA_H

#include "solve/filter.h"
#include "solve/integrator.h"

typedef struct genalpha {
    lm_integrator base;
    double am, af, b, c;     /* alpha_m, alpha_f, beta, gamma */
    int rings;               /* next to nothing is damped at high frequency */
    double shift;            /* w(t) = a(t + shift h) */
    double *w, *w0;          /* algorithmic acceleration at the end and start of the step */
    double *a_old, *lam_old; /* one step further back, for the predictor */
    /* scratch, not part of the state */
    double *tq, *tv, *ta, *tw, *tlam, *tdx; /* the step being tried */
    double *tjerk;                          /* its third derivative */
    double factor_cM, factor_h;             /* of the factors in use; 0: none */
    double turned;                          /* motion since they were made */
    int current;                            /* they were made in this step */
    double amplify;       /* motions that errors of the constraints cause, over those errors */
    lm_filter filter;     /* of fast vibrations; its span is 0 when it is outdated */
    double filter_turned; /* motion since it was made */
    double gap;           /* of the positions, to be closed by the second solution */
} genalpha;

/* Below the one ratio of error to allowance the step grows as much as it may, above the other it is
 * repeated. */
#define SMALL_RATIO 0.08
#define MOST_RATIO  1.3
#define HOLD_RATIO  0.7225 /* 0.85^2: the next step is as large as this one */

/* Of the rounding of one operation. */
#define ROUNDING 1e-16

/* genalpha_newton.c */
void genalpha_predict(genalpha *g, double h);
/* New factors for the step h that ends at t, at the trial state: 0, > 0 no factors, < 0 memory. */
int genalpha_factor(genalpha *g, double t, double h);
/* Right sides at the trial state: see there. */
int genalpha_residual(genalpha *g, double t, double h, double cM);
/* Newton's method for the step of size h. `goal`: accepted error of the motion. */
lm_step_result genalpha_iterate(genalpha *g, double t, double h, double goal);
/* Part of the motion in a step that is rounding. */
double genalpha_noise(genalpha *g, double h);

/* genalpha_error.c */
double genalpha_allowance(const genalpha *g, double h); /* error that a step may have */
double genalpha_error(genalpha *g, double t, double h, double allowed, double *now);

#endif
