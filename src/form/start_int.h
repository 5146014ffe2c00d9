/* Private to the initial state: joints as links of one kinematic tree.
 *
 * All joints have their links, so that every joint coordinate is a number of the tree. Those that close loops
 * end in the air, and their end has to meet the body that hangs in the tree elsewhere: six equations. */
#ifndef LM_FORM_START_INT_H
#define LM_FORM_START_INT_H

#include "form/kintree.h"
#include "form/start.h"
#include "math/least.h"

enum { START_VALUE, START_RATE };
/* START_BY_SPRING: springs stand for a joint that would lock it */
enum { START_NOT_SET, START_BY_DRIVE, START_BY_INITIAL, START_BY_SPRING };

/* A rate u of the tree. */
typedef struct start_var {
    int joint; /* owner: a joint of the model; from njoints on: a body that nothing holds; -1: a gap */
    int coord;        /* index into the model's coordinates, -1: it has no name */
    int link;         /* of the tree */
    int axis;         /* 0, or 0 1 2 of a ball */
    double sign;      /* of the coordinate: -1 where the tree goes from b to a */
    double unit;      /* 1 rad, or the length L */
    int set[2];       /* who gives value and rate */
    double target[2]; /* in the tree's sense */
} start_var;

typedef struct start_place { /* a place on the tree */
    int link;
    lm_v3 x;
    lm_m3 R;
} start_place;

typedef struct start_joint {
    int body[2];      /* -1: the ground */
    int first, nu;    /* its rates */
    int gap;          /* its first slide that closes a gap of the drawing, -1: none */
    double open[3];   /* their values in the drawing */
    int chord;        /* 1: it closes a loop */
    int tip[2];       /* of a chord: its end, and the place where that belongs */
    int group[2];     /* parent in a forest: joints whose values, whose rates are found together */
    int solved[2];    /* of a root: 1: by equations; 2: for which there is no solution */
    lm_v3 span;       /* distance: from a to b as drawn, in the triad */
    double length[2]; /* its length at the start, and the rate of it */
    int sign;
} start_joint;

typedef struct start {
    lm_start *out;
    lm_arena arena;
    const lm_model *m;
    int nj, nall; /* joints of the model file; and with them one for each body that nothing holds */
    start_joint *joint; /* [nall] */
    LM_VEC(start_var) var;
    lm_kintree tree;
    double L;
    /* by body */
    int *up, *by, *depth; /* parent (-1: the ground), joint on which it hangs */
    int *order, norder;   /* parents first */
    start_place *at;      /* the body on the tree, its drawn point with the axes of the world */
    int *tip;             /* of that, -1: none */
    double *p, *du;       /* of the tree */
} start;

/* start_tree.c: 0, -1 */
int start_grow(start *s);
int start_root(const start *s, int joint, int what);
void start_unite(start *s, int a, int b, int what);

/* Joints that are solved together, in scaled numbers: rates over their units, lengths over L. */
typedef struct start_group {
    start *s;
    lm_arena *arena;
    int root;            /* its joint */
    lm_least e;          /* the equations */
    int *u, *own;        /* [n] rates of the tree; [tree.nu] the other way round, or -1 */
    int nchords, *chord; /* joints */
    int nlengths, *length;
    int npins, *pin;      /* own numbers of what is given: by drives, by `initial`, by springs */
    int nsprings;         /* how many of these and of the lengths springs hold */
    int loose;            /* 1: these move as given velocities ask for */
    int nbodies, *body;   /* whose velocity is given: entries of spec->velocities */
    int placed;           /* 1: given velocities are among them */
    double *g, *lam, *p0; /* [n] gradient, [m], [tree.np] */
} start_group;

/* start_group.c */
int start_group_make(start_group *g, start *s, int root, int what, lm_arena *arena); /* 0, -1 */
/* Rows and violations at s->p. done: the part of the way of what is given; what START_RATE: rates of zero
 * against the given ones. */
void start_group_fill(start_group *g, double done, int what);
/* Q, T, y of the first `rows` of them, for a motion x with C x = -phi; Z of the rest. */
void start_group_solve(start_group *g, int rows);
double start_group_weight(const start_group *g, int i, int what);
/* The motion of least change: into g->x. 0, 1: not determined. */
int start_group_least(start_group *g, int what);
/* Scaled rates g->x into s->du. */
void start_group_rates(start_group *g);

/* start_path.c: values of a group from the drawing to where they are given. 0; 1: no way; -1: memory. */
int start_follow(start_group *g);

/* start_mass.c: rates that are nearest to given velocities by the mass of all bodies. 0, -1 */
int start_project(start_group *g, const double *reference);

/* start.c: the velocity that an entry gives the drawn point of its body, V[6] */
void start_given(const start *s, int entry, double *V);

#endif
