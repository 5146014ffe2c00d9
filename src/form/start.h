/* The initial state as a property of the model (docs/theory/initial-state.md): where its bodies are and how they
 * move at t = 0 when each of them is rigid. Coordinates and rates of joints that `initial` and the drives do not
 * give are those of the drawing and zero; in closed loops their change is the least one. The same for all
 * formulations and divisions of beams. */
#ifndef LM_FORM_START_H
#define LM_FORM_START_H

#include "model/model.h"

typedef struct lm_start_body {
    lm_v3 drawn, x; /* a point of the body as drawn, and where it is */
    lm_m3 R;        /* rotation from the drawing */
    lm_v3 v, w;     /* velocity of the point, angular velocity */
} lm_start_body;

typedef struct lm_start {
    lm_arena arena;
    lm_start_body *body;      /* [bodies] */
    double *value, *rate;     /* [coords] */
    unsigned char *chosen[2]; /* [joints] 1: the least change chose its values; its rates */
    int nfree[2];             /* motions that it chose among */
    int open[2];              /* 1: rigid bodies have no such positions; no such velocities. Then
                                   * coordinates are as written along the joint tree, and loops do not fit */
    double correction,
        speed;     /* of given velocities: the largest that the joints need, and the largest
                                   * of them, lengths over the size of the model */
    int corrected; /* the entry of spec->velocities that needs it, -1: they fit */
} lm_start;

/* 0, or -1: no memory. Also then: lm_start_free. */
int lm_start_make(lm_start *s, const lm_model *m);
void lm_start_free(lm_start *s);
/* What of such a correction is rounding, where velocities are hardly any: no motion of the model within its
 * dynamics analysis. */
double lm_start_rounding(const lm_spec *spec);
/* The unit of lengths beside angles: the largest distance of two joint points as drawn. */
double lm_start_length(const lm_model *m);

#endif
