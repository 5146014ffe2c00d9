/* Private to the formulation `elastodynamic`: beams in a known rigid motion (docs/theory/elastodynamic.md).
 *
 * A nodal system (form/nodal.h) with its joints, rigid bodies, springs and loads, in which the elements of
 * beams are linear in the displacement from the rigid motion (elem/moving_beam.h). That motion is the
 * companion's: the same model with all bodies rigid. What of it the elements need at one time is a stage;
 * the last few are kept, as the stages of an implicit step ask for theirs again and again. */
#ifndef LM_FORM_ELASTODYNAMIC_H
#define LM_FORM_ELASTODYNAMIC_H

#include "elem/moving_beam.h"
#include "form/nodal.h"
#include "form/rigid_model.h"

typedef struct elasto_node { /* a node in the rigid motion, world axes */
    lm_v3 x, v, w, a, al;
    lm_quat q;
} elasto_node;

typedef struct elasto_element { /* an element there; vectors and matrices in its axes */
    lm_m3 R;
    lm_v3 w, al;
    double axial;                       /* force in its middle, of the rigid motion */
    double C[12][12], K[12][12], q[12]; /* 2 c and damping, k + k(E) + k(W^2) + kg, loads */
} elasto_element;

enum { ELASTO_STAGES = 4 };

typedef struct elasto_stage {
    double t, load_factor;
    int still, version;
    long used; /* 0: never */
    elasto_node *node;
    elasto_element *element;
} elasto_stage;

typedef struct elasto_const { /* of an element; equal ones share it */
    lm_moving_beam beam;
    double M[12][12], K[12][12], C[12][12]; /* mass, elastic stiffness, damping */
    double by_stiffness;                    /* of the damping */
    int damped;                             /* C is not zero */
    double
        spin; /* inertia about its axis in place of none, where a regular mass is wanted; else 0 */
} elasto_const;

/* A node whose displacement follows that of another one, or of the ground (-1), through an element from its
 * start to its end (forward) or back; or a joint (-1). */
typedef struct elasto_link {
    int from, to, element, forward;
} elasto_link;

typedef struct elasto {
    nodal_floating hooks;
    nodal *in; /* the system itself */
    lm_rigid_model rigid;
    const elasto_const **of; /* [elements] */
    elasto_stage stage[ELASTO_STAGES];
    elasto_stage *now; /* that of the state that is being evaluated */
    long clock;
    int stiffening, damped;
    double turned; /* largest rotation of a node against the rigid motion in this residual */
    double *q, *v, *a, *r; /* the nodal system in the rigid motion, its residual without beams */
    nodal_block *inner; /* [nodes] rotations of nodes of flexible bodies in the matrix; else -1 */
    double *cq, *czero, *clam; /* the companion at rest */
    double *euler;             /* [bodies] elasto_euler_load of beams */
    elasto_link *path;         /* [npath] from the ground through the mechanism */
    int npath, positions;      /* positions: 1: an output is made of positions */
    lm_v3 *shift;              /* [nodes] of second order */
    double *out;               /* [2 outputs] scratch */
    lm_left_out left_out;
    lm_small small;            /* of twist of second order */
    unsigned char *spans;      /* [bodies] 1: a beam with joints or springs at both ends */
    unsigned char *free_start; /* [bodies] 1: a beam that is reached from its end */
    lm_arena arena;
} elasto;

extern const lm_form lm_form_elastodynamic;

static inline elasto *elasto_of(const lm_system *sys)
{
    return ((const nodal *)sys)->floating->ctx;
}

/* elastodynamic_make.c */
limber_status elasto_create(const lm_model *m, lm_diag *diag, lm_system **out);
void elasto_destroy(lm_system *sys);

/* elastodynamic_stage.c: the stage of this time becomes e->now. 0, > 0, < 0 as the seam. */
int elasto_enter(elasto *e, double t);
/* The system in the rigid motion, as the seam asks. */
int elasto_linear_about(lm_system *sys, double t, double *q, double *v, double *a, double *lam);

/* elastodynamic_second.c: what is left out is noted in e->left_out, at a result. */
int elasto_second_make(elasto *e, const lm_model *m);
void elasto_second_look(elasto *e, const lm_state *st);
double elasto_euler_load(const elasto *e, const lm_beam *b);
void elasto_note_axial(elasto *e, int body, double euler, double force);

/* elastodynamic_forces.c */
int elasto_forces_make(elasto *e, const lm_model *m);
/* elastodynamic_ends.c */
int elasto_ends_make(elasto *e);
double elasto_slow_inertia(const elasto *e); /* of lm_held_ends, from the elements */
void elasto_note_ends(elasto *e, const lm_state *st);
/* Displacements of an element's ends against the rigid motion, in its axes: translation, rotation. */
void elasto_ends(const elasto *e, const double *q, int k, double d[12]);

/* elastodynamic.c: as nodal_floating asks. */
void elasto_element_force(void *ctx, const lm_state *st, int element, double f[12]);
void elasto_element_tangent(void *ctx, const lm_state *st, int element, double cM, double cD,
                            double cK, double J[12][12]);
void elasto_energy(void *ctx, const lm_state *st, int body, lm_energy *e);

/* In an element's axes, [column][row]: derivatives by d.., d. and, of what is measured along them, by d; and
 * J <- R J R^T, block by block. */
void elasto_own_tangent(const elasto_element *el, const elasto_const *c, double cM, double cD,
                        double cK, double J[12][12]);
void elasto_to_world(const lm_m3 *R, double J[12][12]);
/* Half of skew(r), r the moments e->r at the nodes of flexible bodies: what the moments that balance these add
 * to the tangent. */
void elasto_add_moments(const elasto *e, double cK, double *values);

/* elastodynamic_deformed.c: tangents of small vibrations about the deformed state. */
static inline int elasto_about_deformed(const elasto *e)
{
    return e->in->sys.vibrations && !e->in->sys.undeformed && e->stiffening;
}
void elasto_deformed_tangent(const elasto *e, const lm_state *st, int element, double cM, double cD,
                             double cK, double J[12][12]);
/* What the moments of beams add to the tangent, as joints, springs, loads and rigid bodies need them. */
int elasto_add_outer_moments(elasto *e, const lm_state *st, double cK, double *values);

#endif
