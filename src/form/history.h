/* What goes into delays: pieces of polynomials in time, from the start of the run on, as far back as delays
 * reach. analysis/delays.c records them after accepted steps (docs/theory/blocks.md). */
#ifndef LM_FORM_HISTORY_H
#define LM_FORM_HISTORY_H

#include "form/discrete.h"

enum { LM_PIECE_NODES = 5, LM_HISTORY_HEAD = 6 };

/* From t0 to t1, by its values at the nodes lm_piece_node. */
typedef struct lm_history_piece {
    double t0, t1;
    double breaks; /* 1: value or slope jump where it begins */
    double u[LM_PIECE_NODES];
} lm_history_piece;

struct lm_history {
    double *begun, *start, *before; /* 1: it has; since when; what counts before */
    double *size;                   /* largest input so far */
    double *count;
    double *bend;            /* largest second derivative so far over that size */
    lm_history_piece *piece; /* [room] of which `count` are there, in the order of time */
    int room;
    lm_arena *arena;
    double *scratch; /* of the expression, where the input is one of the time */
};

/* Heads: LM_HISTORY_HEAD numbers for each delay, in the discrete block. -1: no memory. */
int lm_history_make(lm_discrete *d, lm_arena *arena, double *heads);
/* Room for that many pieces. -1: no memory. */
int lm_history_grow(lm_history *h, int room);

/* It begins at t with this input. */
void lm_history_begin(lm_discrete *d, int delay, double t, double value);
/* One piece more. Those that end before `since` may be forgotten; -1: there is no room. */
int lm_history_put(lm_history *h, const lm_history_piece *piece, double since);

/* Where its nodes lie, from 0 to 1; its value where x is between them, and its slope over its length at an end
 * (0 or 1). */
extern const double lm_piece_node[LM_PIECE_NODES];
double lm_piece_value(const lm_history_piece *p, double x);
double lm_piece_slope(const lm_history_piece *p, int end);

/* What comes out of a delay at t: known up to the time of the delay after the present. */
double lm_discrete_delayed(const lm_discrete *d, int delay, double t);
/* The next instant after t at which what comes out may have a corner or jump, corners of expressions of the
 * time apart. */
double lm_history_next(const lm_discrete *d, int delay, double t);

#endif
