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

typedef struct lm_event_search lm_event_search;

struct lm_events {
    int n;
    int all;                 /* 1: guards need accelerations or reactions */
    lm_event_search *search; /* for changes that come and go between two places */
    int warned;              /* 1: of events without end */
    double *block;           /* [size] what a checkpoint keeps; these lie in it: */
    int size;
    double *count; /* events so far */
    double *vain;  /* steps in a row that were cut for an event that did not come */
    double *pause; /* steps for which none is cut */
    lm_watch *of;  /* [n] */
    /* not in it: */
    int cause;                                  /* the guard whose change was found last */
    double *start, *before, *was, *now, *probe; /* [n] values of guards */
    double *jerk;                               /* [nv] */
};

/* Guards within the last step. 0, or 1. */
int lm_events_guards(lm_dynamics_run *d, double t, double *out);

/* events_between.c; 0, -1: no memory */
enum { LM_EVENT_PLACES = 6 }; /* of a step, at which guards are compared: its start and five more */
int lm_event_search_open(lm_dynamics_run *d);
void lm_event_search_close(lm_event_search *s);
/* The state whose guards have just been evaluated is place k of the step. */
void lm_event_search_note(lm_dynamics_run *d, int k, double t);
/* A time before `until` at which a guard has another sign than at the start and at the places up to there, which
 * have the same; INFINITY: there is none. */
double lm_event_search_first(lm_dynamics_run *d, double until, double tol);
/* Guards at the start; where one is zero there, with the sign from behind it. */
void lm_event_search_start(const lm_dynamics_run *d, double *out);

/* NULL in d->events: there is nothing to look for. */
limber_status lm_events_open(lm_dynamics_run *d);
void lm_events_close(lm_dynamics_run *d);
/* One step, not beyond limit; *push > 0: so much further on there is an event. *made 0: that is at its very
 * start, and no step was made. */
limber_status lm_events_step(lm_dynamics_run *d, double limit, double *push, int *made);
/* Move the state on by push, over the event, and record it. */
limber_status lm_events_cross(lm_dynamics_run *d, double push);

#endif
