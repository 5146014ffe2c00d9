/* Inside the campbell analysis: what its files share. Theory: docs/theory/campbell.md. */
#ifndef LM_ANALYSIS_CAMPBELL_H
#define LM_ANALYSIS_CAMPBELL_H

#include "analysis/run.h"
#include "analysis/spectrum.h"

/* Of the shift: a double root 0 comes out with half of the digits. */
#define LM_CAMPBELL_ZERO 1e-6
/* Numbers that a node's circles take. */
enum { LM_CAMPBELL_ORBITS = 8, LM_CAMPBELL_LOOSE = 8 };

/* One branch at one speed. */
typedef struct lm_branch_point {
    double re, im; /* s in the axes asked for; NAN: the branch is not among the lowest there */
    double whirl;  /* of the orbits seen from the ground: 1 forward, -1 backward circles, 0 lines */
    double off;    /* accuracy */
    int rank;      /* of the root, by |s| */
    int asked;     /* 1: among the lowest ones that were asked for */
} lm_branch_point;

typedef struct lm_critical {
    double speed;
    int branch;              /* from 0 */
    double frequency, whirl; /* rad/s, seen from the ground */
    int exact;               /* the root is 0 there: K is symmetric as far as it matters */
} lm_critical;

/* Speeds between which a root grows. */
typedef struct lm_unstable {
    double from, to;
    int branch;
} lm_unstable;

/* What of a branch passes through 0 at a critical speed, at the last speed where it was not 0. */
typedef struct lm_passing {
    int known; /* 0: not yet; 1: the branch was shown, and it was 0 there; 2: value is not 0 */
    double speed, value, whirl;
} lm_passing;

/* A shape that is followed from speed to speed. */
typedef struct lm_track {
    int number;           /* of the branch, from 0; -1: not yet among the lowest */
    int cluster;          /* equal roots have equal ones */
    int across;           /* it moves across the axis */
    int listed;           /* it was among the lowest that were asked for */
    int alive;            /* found at the last speed */
    double re, im, sense; /* sense * im is continuous through 0 */
    double seen;          /* im in the axes asked for */
    int root;             /* at the last speed */
    lm_passing passed;
    double last_re, last_im, last_speed, speed;
    double *x, *y; /* [nv] */
} lm_track;

/* Values of the stiffness in turning axes, of shapes at rest in the rotor. */
typedef struct lm_still {
    double speed;
    int n, room, below;    /* values; most; those below 0 at the last speed of the list */
    double rho, scale;     /* of T = (K + rho M)^-1 M; the matrix is divided by it */
    int basis;             /* vectors of it */
    double *V, *MV, *TV;   /* [nv x room] basis of unit mass */
    double *small;         /* [basis x n] the shapes in it */
    double *lambda;        /* [n] ascending */
    double *w, *x, *value; /* [nv], [nv], [room] */
    int nloose;
    double *loose; /* [nv x LM_CAMPBELL_LOOSE] M times shapes that nothing holds at any speed */
} lm_still;

typedef struct lm_campbell {
    lm_run *run;
    const lm_spec_analysis *a;
    lm_model quiet; /* the model without gravity across the axis */
    lm_system *own; /* its system; NULL: the run's */
    lm_system *sys;
    double *inputs; /* loads fixed in space across the axis, taken back; NULL: none */
    lm_steady steady;
    lm_spectrum spectrum;
    int fixed;         /* axes that stand still */
    int shifts;        /* ... by shifting roots, because coordinates are relative */
    int looks;         /* between speeds, that are still worth while */
    int asked;         /* roots to list */
    double blind;      /* vibrations above this were not looked at for critical speeds; INFINITY */
    double unclear;    /* a speed at which a value changed its sign without a zero; 0: none */
    int mixed;         /* an orbit was neither a circle nor a line, when shifting */
    int nspeeds, done; /* of the list; computed */
    int every; /* ... of which are asked for: the list is made finer for branches to be followed */
    double *speed;
    int room, nbranches;    /* most of them; found */
    lm_branch_point *point; /* [nspeeds][room] */
    int ncritical;
    lm_critical *critical;
    int ntracks;
    lm_track *track;      /* [room of roots, twice] */
    double *seen;         /* [roots] im in the axes asked for */
    double *whirl;        /* [roots] of the present roots */
    int *across;          /* [roots] 1: it moves across the axis, where unbalance acts */
    double *circles;      /* [roots][8 nodes] forward and backward circles of the nodes */
    double *along;        /* [roots] squares of what moves along and about the axis */
    double *centre;       /* [roots] ... of nodes on the axis */
    int *match;           /* [roots] track of each */
    unsigned char *shown; /* [roots] 1: it is among those asked for */
    unsigned char *taken; /* [tracks] */
    double *score;        /* [tracks x roots] */
    double *work;         /* for orbits */
    lm_still still;
    int nanchors, *anchor; /* speeds searched anew */
    int *nbasis;
    double **basis;  /* shapes found there */
    double periodic; /* what shapes leave of the equations at another angle of the drive */
    int nunstable;
    lm_unstable *unstable; /* [nspeeds + criticals] */
    int *grows;            /* [nspeeds] branch that grows there; -1: none */
    lm_arena arena;
} lm_campbell;

/* campbell_quiet.c: c->sys without gravity across the axis; without loads that are fixed in space; what is
 * said of that gravity, or refused. */
limber_status lm_campbell_quiet_gravity(lm_campbell *c);
limber_status lm_campbell_quiet_loads(lm_campbell *c);
limber_status lm_campbell_say_gravity(lm_campbell *c);

/* campbell_roots.c: the roots at a speed into c->spectrum, whirl into c->whirl. LIMBER_OK,
 * LIMBER_MEMORY, LIMBER_STOPPED with a failure in steady or the reason in the summary. */
limber_status lm_campbell_roots(lm_campbell *c, double speed);
limber_status lm_campbell_anchors(lm_campbell *c);
void lm_campbell_take_basis(lm_campbell *c, int k);
/* c->periodic: what the roots and shapes at the present speed leave over with the drive elsewhere. */
limber_status lm_campbell_elsewhere(lm_campbell *c, double angle);

/* campbell_whirl.c: shapes of equal roots become circles, as far as they can; then the sense of the orbits
 * of the turning bodies in shape j: 1, -1, 0 in the axes of the matrices; *across: they move across the
 * axis. */
void lm_campbell_circles(lm_campbell *c);
double lm_campbell_whirl(const lm_campbell *c, int j, int *across);
/* 1: shape j is mostly a motion of the shaft along and about its axis, which has the same frequency in axes that
 * turn and in those that stand still. (Off the axis such motions can go round: flapping blades.) */
int lm_campbell_goes_along(const lm_campbell *c, int j);
/* 1: what turns moves in shape j. */
int lm_campbell_takes_part(const lm_campbell *c, int j);
size_t lm_campbell_whirl_room(const lm_system *sys);
/* A body that stands still and is moved by coordinates that are no vectors in space; -1: none. The
 * spectrum is factored, and its vectors are used. */
int lm_campbell_stands_loose(lm_campbell *c);

/* campbell_branch.c: follow the shapes to a speed; tracks are those there. */
limber_status lm_campbell_follow(lm_campbell *c, double from, double to, int depth);
/* What of a track passes through 0 at a critical speed. */
double lm_campbell_crossing(const lm_campbell *c, double speed, double re, double im, double sense,
                            double seen);
/* The root that has the shape of a track, and the sense it has then; -1: none. */
int lm_campbell_match(const lm_campbell *c, const lm_track *t, double speed, double *sense);

void lm_campbell_keep_critical(lm_campbell *c, int branch, double speed, double whirl, int exact);

/* campbell_still.c: critical speeds in turning axes. */
limber_status lm_campbell_still_begin(lm_campbell *c);
/* Values at a speed into c->still. */
limber_status lm_campbell_still(lm_campbell *c, double speed);
/* Critical speeds between speed k of the list and the one before. */
limber_status lm_campbell_find_still(lm_campbell *c, int k);

/* campbell_stability.c: unstable ranges; critical speeds are in order. */
limber_status lm_campbell_stability(lm_campbell *c);
double lm_campbell_least_growth(const lm_campbell *c, double re, double im, double off);

/* campbell_list.c: whether the roots found at the speed reach all that can be critical up to it, into
 * c->blind; 1: the branch of root r is worth following; in the end branches that are listed get their numbers. */
void lm_campbell_look_far(lm_campbell *c, double speed);
int lm_campbell_counts(const lm_campbell *c, int r);
limber_status lm_campbell_list(lm_campbell *c);

/* campbell_record.c */
limber_status lm_campbell_record(lm_campbell *c);

/* The whole analysis, into the group run->tables.group. */
limber_status lm_campbell_analysis(lm_run *run, const lm_spec_analysis *a);

#endif
