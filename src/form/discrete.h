/* Discrete state: numbers that the equations see as constants, and that change between steps only.
 *
 * A formulation makes it, reads it in its forces and outputs (sensors LM_SENSOR_STATE, LM_SENSOR_STEP
 * and LM_SENSOR_DELAY, heights of surfaces below slot 0), and with `outputs` puts the values of the
 * expressions that change it into `input`. Nothing in a step writes to it: the dynamics analysis does,
 * once a step has been accepted (docs/theory/discrete-states.md). */
#ifndef LM_FORM_DISCRETE_H
#define LM_FORM_DISCRETE_H

#include "base/mem.h"
#include "model/spec.h"

/* The tool on a surface at the last update. The height that it left at the last cell it passed is not
 * on the surface before it has passed the next one: ahead of the tool and under it the surface is that
 * of earlier passes. */
typedef struct lm_tool {
    double at, left;
    double passed, height; /* that cell, -1: none; what it leaves there */
    double way;            /* cells passed in the step */
} lm_tool;

typedef struct lm_history lm_history; /* history.h */

/* Energy taken and given by an element of the power graph, power of the largest size, and when. */
enum { LM_FLOW_IN, LM_FLOW_OUT, LM_FLOW_LARGEST, LM_FLOW_AT, LM_FLOWS };

typedef struct lm_discrete {
    const lm_spec *spec;
    int n, nsurfaces, ndelays;
    double *block; /* [size] what a checkpoint keeps; all of these lie in it */
    int size;
    double *t, *dt;  /* time of the last update; time since then, while the next one is evaluated */
    double *ahead;   /* in what time a tool passes a cell, when that was measured last; 0: never */
    double *value;   /* [n] of the states */
    double *changed; /* [n] 1: by the last update */
    double *scale;   /* [variables] largest value that each has had, in which errors are measured */
    double *pace;    /* [variables] the same of its rate, where it is a state */
    double *
        moved; /* [variables] what a radian, or the mechanism's size, does to a state through its rate at once:
                    * so often it has the rounding of motions */
    double *flow;          /* [elements][LM_FLOWS] what went through the power graph so far */
    double *settled;       /* 1: the next two hold the last state: */
    double *settled_value; /* [variables] */
    double *settled_slot;  /* [1 + sensors] t and what was sensed */
    lm_tool *tool;         /* [nsurfaces] */
    double *height;        /* of all surfaces; those of surface k begin at lm_discrete_heights */
    /* not in it: */
    lm_history *history;   /* [ndelays] but their heads are */
    double *input;         /* [n + 2 nsurfaces + ndelays] next values of states; at, left of each
                          * surface; what goes into the delays */
    unsigned char *forces; /* [n] 1: a load or effort reads it */
    double *
        least; /* [variables] below which no scale is, by what forces of time will do; the same of paces */
    double *
        known; /* [ndelays] what comes out, before the run has recorded what went in; NAN: not known */
    int nunits;      /* of variables */
    double *of_unit; /* [nunits] the largest scale of each; unit 0 is none */
} lm_discrete;

/* Slots for t and nsensors sensors, with the heights below them; *d NULL: the model has no discrete
 * state. -1: no memory. */
int lm_discrete_make(lm_arena *arena, const lm_spec *spec, int nsensors, lm_discrete **d,
                     double **slots);
/* Longest scratch that its expressions take, for values. */
int lm_discrete_scratch(const lm_spec *spec);
/* The input from the slots. */
void lm_discrete_read(lm_discrete *d, const double *slots, double *scratch);

double *lm_discrete_heights(const lm_discrete *d, int surface);
/* The tool is put down and cuts the cell on which it stands, or moves on and takes material: of each cell on
 * its way what is above the straight line between where it was and where it is now. */
void lm_discrete_place_tool(lm_discrete *d, int surface, double at, double left);
void lm_discrete_move_tool(lm_discrete *d, int surface, double at, double left);

/* The next instant after t at which an update is due, or one of its expressions has a kink. */
double lm_discrete_next(const lm_discrete *d, double t);
/* 1: state k is to be updated at t. */
int lm_discrete_due(const lm_discrete *d, int k, double t);

#endif
