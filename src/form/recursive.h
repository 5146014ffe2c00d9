/* Recursive dynamics of rigid bodies on a kinematic tree (docs/theory/recursive.md).
 *
 *     M(p) ddu + bias(p, du) = tau + X^T f
 *
 * Forward dynamics (articulated bodies) and inverse dynamics (Newton-Euler) cost O(links), the mass
 * matrix (composite bodies) O(links * depth). Conventions are those of the tree: world axes; the rates
 * of a ball are the components of the relative angular velocity in the axes before the ball. Links may
 * be without a body: several in a row make a universal or a cylindrical joint or a free body.
 *
 * The tree is copied at creation and moves by itself, from p and du to no more than the algorithms
 * need: half of what lm_kintree_move writes. Nothing here allocates after creation. */
#ifndef LM_FORM_RECURSIVE_H
#define LM_FORM_RECURSIVE_H

#include "base/mem.h"
#include "form/kintree.h"
#include "math/v3.h"

typedef struct lm_recursive lm_recursive;

/* A rigid body fixed to a link; a link may carry several, or none. */
typedef struct lm_tree_body {
    int link; /* -1: the ground, without effect */
    lm_v3 r;  /* mass centre and body axes on the link */
    lm_m3 E;
    double mass;
    lm_m3 J; /* about the mass centre, body axes */
} lm_tree_body;

typedef struct lm_tree_load {
    const double *tau; /* [nu] forces along the rates; NULL: none */
    /* [6 * bodies] force and moment at each mass centre, world; NULL: none. For what acts on bodies from
     * outside the joints: springs between bodies, contact, drag. */
    const double *f;
    lm_v3 gravity;
    /* Forward dynamics: a symmetric matrix beside M, as motors (inertia of rotors) and implicit
     * integrators have it (c_D D + c_K K of the springs in the joints): a linearly implicit step takes
     * stiff springs at the cost of an explicit one. [3 * nu]: for each rate of a ball its row of three,
     * for other rates one number and two that are not read. NULL: none. */
    const double *added;
} lm_tree_load;

/* recursive.c */
/* NULL: no memory. The arena must live as long. The tree needs no tips and no lm_kintree_finish. */
lm_recursive *lm_recursive_new(lm_arena *arena, const lm_kintree *t, const lm_tree_body *bodies,
                               int n);

/* The state for all that follows; du NULL: at rest. */
void lm_recursive_move(lm_recursive *r, const double *p, const double *du);

/* recursive_forward.c */
/* ddu [nu] under the load; may be load->tau itself. 0, or 1: nothing has mass that the rate *massless
 * moves (or a position is not finite), and ddu is unchanged. */
int lm_recursive_forward(lm_recursive *r, const lm_tree_load *load, double *ddu, int *massless);

/* recursive.c, called by tests and benches only */
/* The tau [nu] that is needed, beside load->f and gravity, for the accelerations ddu (NULL: 0).
 * load->tau is not read. For drives that are to follow a prescribed motion, and to check the forward
 * dynamics, which it undoes. */
void lm_recursive_inverse(lm_recursive *r, const lm_tree_load *load, const double *ddu,
                          double *tau);

/* The mass matrix M [nu * nu], column-major, both triangles. For small systems, where
 * a dense factor costs no more, and for tests; forward dynamics does not need it. */
void lm_recursive_mass(lm_recursive *r, double *M);

#endif
