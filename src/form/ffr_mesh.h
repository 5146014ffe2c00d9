/* Inside ffr_basis_make: a straight part of a beam as a mesh of elements, a basis by its values
 * at the nodes of that mesh, and what follows from them by integration along the axis. */
#ifndef LM_FORM_FFR_MESH_H
#define LM_FORM_FFR_MESH_H

#include "form/ffr_basis.h"

typedef struct ffr_mesh {
    const lm_model *m;
    const ffr_part *part;
    double *scratch; /* of lm_beam_section */
    int per;         /* elements of the mesh in one of the model */
    int intervals;   /* of four Gauss points each, in an element of the model */
    int n;           /* elements of the mesh */
    lm_beam_shape *shape;
    double (*s)[2]; /* [n] their ends along the beam */
} ffr_mesh;

/* The basis at the nodes of the mesh: for each node a row of values, one for each coordinate. */
typedef struct ffr_shapes {
    int nv, nw, na, nt;
    double *v, *w; /* rows 2 k and 2 k + 1: deflection and slope of the section at node k */
    double *a, *t; /* row k: displacement along the axis, twist */
} ffr_shapes;

/* 1: moments act at that node of the part and bend it in the plane xy (about_z), or xz. */
int ffr_is_turned(const ffr_part *p, int node, int about_z);

/* The elements of the mesh; all else of `g` is set. 0, or -1: no memory in `temp`. */
int ffr_mesh_make(ffr_mesh *g, lm_arena *temp);
/* The memory of the rows, whose sizes are set. */
int ffr_shapes_reserve(const ffr_mesh *g, lm_arena *temp, ffr_shapes *b);

/* Memory of an lm_floating that is being made. */
typedef struct ffr_store {
    lm_lane *lanes;   /* of the fours, one behind the other: v, w, a, turn, Hv, Hw */
    double *values;   /* of the places: v, w, a, dv, dw, t, Hv, Hw, Gv, Gw */
    lm_lane *strains; /* of the fours: kv, kw, psi, phi, t, gv, gw; NULL: without stiffening */
    double *torques;  /* of the fours: Tt */
    double *Mff, *K, *C, *spare;
    double *Sv, *Sw; /* without stiffening not set */
} ffr_store;

int ffr_mesh_reserve(const ffr_mesh *g, const ffr_shapes *b, lm_arena *arena, ffr_store *s,
                     lm_floating *out);
/* Points, places, inertia and stiffness. 0, or -1: no memory in `temp`. */
int ffr_mesh_integrate(const ffr_mesh *g, const ffr_shapes *b, lm_arena *temp, ffr_store *s,
                       lm_floating *out);

/* How far a stretch sets a bent axis off across: the integral of a_j' times the slope of coordinate k, at the
 * nodes of the mesh [n + 1] [na] [nv], [nw]. 0, or -1: no memory. */
int ffr_mesh_set_off(const ffr_mesh *g, const ffr_shapes *b, lm_arena *temp, double *D[2]);

/* ffr_stretch.c: S and G, from points, places and stiffness. 0, or -1: no memory in `temp`. */
int ffr_stretch_make(const ffr_mesh *g, const ffr_shapes *b, lm_arena *temp, ffr_store *s,
                     lm_floating *out);

/* ffr_modes.c: natural modes of the mesh, clamped at its first node. 0; -1: no memory; 1: errors in
 * `diag`. */
int ffr_modes_make(const ffr_mesh *g, lm_arena *temp, lm_diag *diag, ffr_shapes *b);

#endif
