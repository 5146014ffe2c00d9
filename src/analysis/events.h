/* Events: instants at which a force changes its branch because of the state (docs/theory/events.md). Steps
 * end there, and the next one starts on the other side. For methods with error control that can
 * interpolate; in others, and for guards that change again and again, steps go over them. */
#ifndef LM_ANALYSIS_EVENTS_H
#define LM_ANALYSIS_EVENTS_H

#include "analysis/dynamics.h"

/* Of one guard. */
typedef struct lm_watch {
    double last;  /* time of its last event */
    double rush;  /* events that followed each other quickly */
    double mute;  /* steps for which it is not looked at */
    double again; /* times that it was left alone, one soon after the other */
    double far;   /* its largest size since that event, */
    double most;  /* and ever */
    double sign;  /* its last one; 0: it has been zero so far */
    double back;  /* steps taken back for it since its last event */
} lm_watch;

struct lm_events {
    int n;
    int warned;    /* 1: of events without end */
    double *block; /* [size] what a checkpoint keeps; these lie in it: */
    int size;
    double *count; /* events so far */
    double *vain;  /* steps in a row that were cut for an event that did not come */
    double *pause; /* steps for which none is cut */
    lm_watch *of;  /* [n] */
    /* not in it: */
    int cause;                                  /* the guard whose change was found last */
    double *start, *before, *was, *now, *probe; /* [n] values of guards */
    double *jerk;                               /* [nv] */
    double *kept;        /* the integrator's block at the start of the step */
    lm_step_stats stats; /* ... and its statistics */
};

/* NULL in d->events: there is nothing to look for. */
limber_status lm_events_open(lm_dynamics_run *d);
void lm_events_close(lm_dynamics_run *d);
/* One step, not beyond limit; *push > 0: so much further on there is an event. *made 0: that is at its very
 * start, and no step was made. */
limber_status lm_events_step(lm_dynamics_run *d, double limit, double *push, int *made);
/* Move the state on by push, over the event, and record it. */
limber_status lm_events_cross(lm_dynamics_run *d, double push);

#endif
