/* Inside the linearize analysis: what its files share. Theory: docs/theory/linearize.md.
 *
 * About a motion (q, v, a, lam) small deviations xi of the positions, as retract takes them, and dv
 * of the velocities obey
 *
 *     M da + D dv + K xi + Q dlam = F u,    xi. = dv + W xi
 *
 * on the constraints. The state is (y, w): the deviations of n independent positions and velocities,
 * each in axes that turn with its body (rate Omega), and
 *
 *     xi = Z y,    dv = Z w + G y,    da = Z alpha + P (y, w) .
 *
 * Variables of a machine are velocities without positions (form/machine.h): of those that are states w
 * counts and y does not, of the others neither. */
#ifndef LM_ANALYSIS_LINEARIZE_H
#define LM_ANALYSIS_LINEARIZE_H

#include "analysis/modes.h"
#include "model/ports.h"

typedef struct lm_pole {
    double re, im; /* s, im >= 0 */
    int mover;     /* index into `state` of what moves most */
    int col;       /* its eigenvector among those of the solver */
} lm_pole;

enum { LM_POLE_VECTORS = 60 }; /* of the slowest poles */

/* Matrices are column-major; k = 2 n + nu directions: along each y, each w, each input. Of a machine n
 * counts the variables too, until A, B and C are cut to the ns states that there are. */
typedef struct lm_linearized {
    /* what is asked */
    lm_system *sys;
    double t;
    const double *q, *v;  /* v NULL: at rest, drives hold their coordinates */
    const double *states; /* [nvariables] of a machine at rest: values of its states; NULL: 0 */
    int nu, ny;
    const lm_input *input; /* [nu] */
    const int *output;     /* [ny] indices into the model's outputs */
    /* the state and its matrices */
    lm_modes m;
    int n, na;      /* independent motions; constraints that count */
    int moving, ns; /* of the mechanism; states: 2 n without variables */
    int *keep;      /* [ns] which of (y, w) */
    int nidle;      /* rotations that nothing notices, left out of the states */
    double *idle;   /* [nv x nidle] what they are orthogonal to */
    int nmassless;  /* independent motions without mass ... */
    int *kind; /* ... [n] 0: with mass; 1: without, held by dampers; 2: by stiffness alone ... */
    double *T; /* ... [n x n] of the velocities `state` they are T w */
    double *by_input;        /* [n x 2 nu] positions, then rates, that inputs make at once */
    int rated[2];            /* an output, and an input whose rate it shows; -1 */
    int *state, *row;        /* [n] velocities; [na] constraints */
    const int *states_of;    /* [n] the velocities to be taken as `state`; NULL: to be chosen */
    double *Z, *G, *Py, *Pw; /* [nv x n] */
    double *Kz;              /* [nv x n] what K Z lacks; 0 where K is exact */
    double *S, *OZ, *OG;     /* [n x n] y. = w + S y; Omega Z and Omega G of the independent ones */
    int n2; /* n, or, if all without mass are held by stiffness alone, those with mass */
    double *M, *D, *K,
        *B2; /* M w. + D w + K y = B2 u; [n x n], [n x nu]; in the end of n2, as is S */
    double *dx, *dv, *da;   /* [nv x k] */
    double *dlam;           /* [na x k] */
    double *A, *B, *C, *D1; /* [ns x ns], [ns x nu], [ny x ns], [ny x nu] */
    double *u;              /* values of the inputs, as lm_system.inputs has them; 0 but for one */
    double rest, rest_states;   /* largest acceleration left, over the size; of states alone */
    int rest_at, rest_state_at; /* of these velocities */
    int npoles;
    lm_pole *pole;
    int nfollowers,
        first_follower; /* of the poles 0 those of states that follow the motion at a constant
                                     * offset; the pole of the first such state */
    int nvectors;       /* poles, from the slowest on, whose vectors are below; 0: they have none */
    double *right[2],
        *left[2]; /* [ns x nvectors] real and imaginary: A x = s x, z^T A = s z^T, z^T x = 1 */
    lm_failure failure;
    lm_arena arena;
} lm_linearized;

/* Without outputs and poles. */
limber_status lm_linearized_equations(lm_linearized *l);
/* All of it. LIMBER_OK, LIMBER_MEMORY, LIMBER_INTERNAL, or LIMBER_STOPPED with `failure`. */
limber_status lm_linearized_solve(lm_linearized *l);
void lm_linearized_free(lm_linearized *l);

/* linearize_motion.c: state, Z, G, Py, Pw, S, OZ, OG. */
limber_status lm_linearized_motion(lm_linearized *l);
/* X [nv x k] = [P; E]^-1 X (or its transpose's), P the active rows of the constraints (columns: the
 * directions of their reactions), E the rows of the unit matrix of the state. */
limber_status lm_linearized_split(lm_linearized *l, int columns, int transposed, int k, double *X);
/* linearize_massless.c: kind and T, Z by them; X [n x n] = T^-1 X; from M, D, K, B2: dx, dv, da, A and B;
 * dx, dv, da by the rate of an input, in this column; -1: there is none. */
limber_status lm_linearized_massless(lm_linearized *l);
limber_status lm_linearized_in_states(const lm_linearized *l, double *X);
limber_status lm_linearized_condense(lm_linearized *l);
void lm_linearized_by_rate(lm_linearized *l, int input);
int lm_linearized_column(const lm_linearized *l);
/* linearize_tangent.c: Kz, of a moving state. */
limber_status lm_linearized_tangent(lm_linearized *l);
/* linearize_steady.c: how much the matrices change along the motion, in the axes of the state, within the
 * time of the slowest poles: 0 where they are constant. -1: no memory. Other rows of constraints may be
 * active afterwards. */
double lm_linearized_change(const lm_linearized *l);
/* linearize_undeformed.c: the largest rotation of a beam's node by the forces at this instant, rad, where the
 * matrices are about a motion that knows of none; else 0. -1: no memory. */
double lm_linearized_turn(lm_linearized *l);
/* linearize_matrix.c: the rest up to A and B. */
limber_status lm_linearized_matrices(lm_linearized *l);
/* linearize_output.c: C and D1. */
limber_status lm_linearized_outputs(lm_linearized *l);
/* linearize_poles.c: poles of A, slowest first. */
limber_status lm_linearized_poles(lm_linearized *l);
/* G(2 pi i f), [ny x nu], real and imaginary. 0; 1: f is a pole; -1: no memory. */
int lm_linearized_transfer(const lm_linearized *l, double f, double *re, double *im);
/* linearize_machine.c: 1: (y, w)[i] is a state; ns and keep; A, B and C cut to them. */
int lm_linearized_keeps(const lm_linearized *l, int i);
void lm_linearized_states(lm_linearized *l);
void lm_linearized_cut(lm_linearized *l);
/* Poles 0 that are no motion get the states whose offset they are: nfollowers. And the joint that the first of these
 * follows; NULL: more than one coordinate. */
void lm_linearized_followers(lm_linearized *l);
const char *lm_linearized_followed(const lm_linearized *l);
/* T [ns x ns] = (A - s0)^-1. 0; 1: s0 is a pole; -1: no memory. And what its poles are of the order of. */
int lm_linearized_shifted_inverse(const lm_linearized *l, double s0, double *T);
double lm_linearized_speed(const lm_linearized *l);
/* x [ns x nu] with (2 pi i f - A) x = B. 0, 1, -1 as above. */
int lm_linearized_response(const lm_linearized *l, double f, double *re, double *im);

/* A place in lm_system.inputs. */
int lm_linearized_input_at(const lm_linearized *l, int i);
/* "body arm turning about z", of a velocity ", rate" behind it, "state motor.winding momentum": state i of
 * ns. */
void lm_linearized_state_name(const lm_linearized *l, int i, char *text, size_t size);

/* linearize_record.c: into the result file and, where they are wanted, Matrix Market files. */
limber_status lm_linearize_record(lm_run *run, const lm_spec_analysis *a, const lm_linearized *l);

/* The whole analysis, into the group run->tables.group. */
limber_status lm_linearize(lm_run *run, const lm_spec_analysis *a);

#endif
