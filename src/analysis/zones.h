/* Forces that act in narrow zones of the state: what the method makes of their impulse over a step is compared with
 * what it is along the motion (docs/theory/events.md). */
#ifndef LM_ANALYSIS_ZONES_H
#define LM_ANALYSIS_ZONES_H

#include "analysis/dynamics.h"
#include "expr/expr_between.h"

/* A force: an effort, a component of a load, or the equation of a variable. */
typedef struct lm_zone {
    lm_between between;
    double *range; /* how far it has changed of late */
    double *impulse,
        *span; /* of the zone that it is in: its impulse and length in time, as far as known */
    double *since, *mark; /* when its impulse has doubled the last time, and to what */
    double *last;         /* impulse in the last step */
    double *rest;         /* what the force was before */
    double *
        branch; /* 1: it goes on with another branch since an event, and its impulse is looked at */
    int first, nguards; /* its guards */
    int by_events;      /* 1: it is looked at behind these only */
} lm_zone;

/* Of a step, between two nodes; what its coordinates bend by follows from three of them. */
typedef struct lm_zone_piece {
    int from, to, triple[3];
    int fine; /* 1: the force is smooth there, and its integral is that through five values */
    double integral; /* of the force less that before the zone */
    double way;      /* ... of its size */
    double doubt;    /* how far the integral may be off */
} lm_zone_piece;

struct lm_zones {
    lm_arena arena;
    int n, nslots;
    lm_zone *of;
    double *
        block; /* [size] what a checkpoint keeps: `longest`, `idle`, then the numbers of each force */
    int size;
    double *longest; /* step that zones allow */
    double *idle;    /* steps in a row that they would have allowed to be longer */
    int all;         /* 1: forces or rates of states need accelerations or reactions */
    int known;       /* 1: the slots at the start of the step are */
    int nnodes, npieces;
    double *t, *slots; /* [nodes], [nodes][nslots] */
    lm_zone_piece *piece;
    double *bend, *guards, *scratch;
};

/* Of the impulse of a force over a step. */
typedef struct lm_zone_impulse {
    double size;   /* of the force less what it was before the zone, over the step, */
    double length; /* ... and how long most of that takes */
    double off;    /* by how much the method has it wrong */
    double first;  /* when the force begins to change, */
    double cell;   /* ... in such intervals */
    double peak;   /* where it is farthest from the chord over the step */
} lm_zone_impulse;

/* The last node is for one more look. */
enum { LM_ZONE_NODES = 200, LM_ZONE_PIECES = 100 };

/* zones_impulse.c */
double lm_zone_value(lm_zones *x, const lm_zone *z, int node);
int lm_zone_node(lm_dynamics_run *d, int k, double t); /* the state at t is node k. 0, or 1 */
/* 1: the force may change within a small part of the step, of which the nodes 0, 1, 2 are known: its start, middle
 * and end. */
int lm_zone_is_narrow(lm_dynamics_run *d, lm_zone *z);
/* To a part `accuracy` of its size, or of `least`. 0, or 1: it cannot be had. */
int lm_zone_measure(lm_dynamics_run *d, lm_zone *z, double accuracy, double least,
                    lm_zone_impulse *out);

/* zones.c; NULL in d->zones: there are none. */
limber_status lm_zones_open(lm_dynamics_run *d);
void lm_zones_close(lm_dynamics_run *d);
double lm_zones_reach(const lm_dynamics_run *d);    /* the longest step; INFINITY: any */
void lm_zones_begin(lm_dynamics_run *d);            /* before a step */
void lm_zones_event(lm_dynamics_run *d, int guard); /* its sign changes */
/* Where the step that has been made from t on should end instead; INFINITY: it is good. */
double lm_zones_check(lm_dynamics_run *d, double t);
limber_status lm_zones_step(lm_dynamics_run *d, double limit); /* one that is good */

#endif
