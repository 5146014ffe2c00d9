/* The scene: what is drawn of a model, in the terms of docs/dev/report-format.md. Poses are the
 * model's nodes in their order, as the result file has them. */
#ifndef LM_VIEW_SCENE_H
#define LM_VIEW_SCENE_H

#include "model/model.h"
#include "view/json.h"

typedef struct lm_place { /* a point with axes, fixed to a pose (-1: the ground) */
    int pose;
    lm_v3 at;
    lm_quat q;
} lm_place;

typedef struct lm_outline {
    double height, width; /* along y and z; of a round one the diameter */
    double wall;          /* 0: solid */
    int round;
} lm_outline;

enum { LM_LOOPS = 2 };
typedef struct lm_profile { /* outline of a section in its axes, y z y z ... */
    const char *name;
    lm_outline outline;
    int nloops;
    int n[LM_LOOPS]; /* points of each loop */
    double *loop[LM_LOOPS];
} lm_profile;

typedef struct lm_scene_body {
    int *profile;  /* beam: [nelements + 1] outline at each node */
    int npoints;   /* rigid: where something touches it, body axes */
    lm_v3 *points; /* ... */
    int ellipsoid; /* rigid: 1: it has mass and a possible inertia */
    double axes[3];
    lm_quat q;
    int nedges;      /* superelement: lines between its nodes */
    int (*edges)[2]; /* ... */
} lm_scene_body;

typedef struct lm_scene {
    lm_arena arena;
    const lm_model *m;
    double *rest; /* [7 nnodes] as drawn */
    LM_VEC(lm_profile) profiles;
    lm_scene_body *bodies;  /* [nbodies] */
    double low[3], high[3]; /* box around all points as drawn */
    double size;            /* its diagonal, > 0 */
} lm_scene;

/* 0 or -1: no memory. `m` must outlive the scene. */
int lm_scene_make(lm_scene *s, const lm_model *m);
void lm_scene_free(lm_scene *s);
lm_place lm_place_of_frame(const lm_model *m, int frame);
lm_place lm_place_of_pair(const lm_model *m, int pair, int side);

/* The object SCENE; `names` [nnodes] of the poses. */
void lm_scene_json(lm_json *j, const lm_scene *s, const char *const *names);

/* scene_profile.c: the outline of a beam at each of its nodes. Like all that makes a scene it leaves
 * by the arena's on_fail when memory runs out. */
void lm_scene_profiles(lm_scene *s, int body, double *scratch);

#endif
