/* Private to the starting state: closing loops that have to bend, or that are driven far from the drawing.
 *
 * The joints alone do not say where the nodes of a flexible body are, nor which of several ways a loop of
 * rigid ones closes: of all positions that satisfy them, the one wanted is that of least elastic energy which
 * is reached from the drawing as a mechanic would reach it, by turning the drives slowly. */
#ifndef LM_ANALYSIS_ASSEMBLE_H
#define LM_ANALYSIS_ASSEMBLE_H

#include "analysis/run.h"

/* assemble_model.c */

/* 1: this node and the next are neighbours in a flexible body. */
int lm_assemble_elastic(const lm_model *m, int node);
/* Largest deformation of flexible bodies at q: a joint tree that reaches a body from both ends leaves
 * all joints closed and the body torn. 0, or -1: no memory. */
int lm_assemble_torn(const lm_run *run, const double *q, double *torn);

/* The mechanism as joints and elastic bodies only. No gravity, loads, springs or
 * efforts act, so that at rest it is unstrained; compliant joints keep their springs, which stand for
 * constraints. Its prescribed coordinates can be steered from where a path starts to their values. */
typedef struct lm_bare {
    lm_arena arena;
    lm_spec spec;
    lm_model model;
    lm_row **rows; /* [nl] the system's, to be steered */
    double *value; /* [nl] what each prescribes in the end */
    double *shift; /* [nl] what each row is away from its value at the start of the path */
    /* [nl] 1: no prescribed coordinate, or one that others prescribe too */
    unsigned char *dependent;
    lm_system *sys;
} lm_bare;

limber_status lm_bare_make(lm_bare *b, const lm_run *run); /* also on failure: lm_bare_free */
void lm_bare_free(lm_bare *b);
/* How far all rows are from their final values at q, into r + nv; r: [2 (nv + nl)]. 0, or 1: the
 * state cannot be evaluated. Which rows are active has to be chosen again. */
int lm_bare_gaps(lm_bare *b, const double *q, double *r);
/* The same, and a path shall start at q; as_drawn: these are the positions of the drawing, where every
 * joint coordinate is zero (so that to an angle of 7 rad it is more than a turn). */
int lm_bare_start(lm_bare *b, const double *q, int as_drawn, double *r);
/* Rows are chosen at the start of the path: those left out follow from others everywhere. */
void lm_bare_note_dependent(lm_bare *b);
/* How far prescribed coordinates are from what is prescribed now that depend on other rows only here, as where
 * a mechanism locks: over the size, in rad. */
double lm_bare_strayed(lm_bare *b, const double *q, double *r, double size);
/* Prescribe the part `done` (0..1) of the way from the start of the path. */
void lm_bare_steer(lm_bare *b, double done);

/* assemble.c */
typedef struct lm_assembly { /* how it ended */
    double done;             /* part of the way, 1: assembled */
    int row;                 /* the constraint that is furthest from its value there, -1: none */
    double gap;              /* how far: a length or an angle, as the row is */
    double stretch;          /* of the neighbouring nodes that were stretched most, relative */
    int node;                /* the first of the two */
    int overstretched;       /* that ended the path */
    int drawn_open;          /* the joint whose ends are drawn farthest apart, -1: none */
    double drawn_gap;        /* how far */
    double energy;           /* elastic energy; 0: to rounding */
    int reaction;            /* the row with the largest reaction, -1: none */
    double force;            /* that reaction */
} lm_assembly;

/* Close the loops on a path from the drawing: g->q, and g->v unless velocities of bodies are prescribed. `out` says
 * how far it came; where that is less than 1, g stays as it was. */
limber_status lm_assemble(lm_run *run, lm_integrator *g, lm_assembly *out);
/* initial_written.c: g->v at g->q of a model with coordinates of the user. */
limber_status lm_written_rates(lm_run *run, lm_integrator *g);
/* Bodies begin to move as rigidly as the joints and drives allow: g->v at g->q. */
limber_status lm_assemble_velocities(lm_run *run, lm_integrator *g);

#endif
