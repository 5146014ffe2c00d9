/* Private to machine*.c. */
#ifndef LM_FORM_MACHINE_INT_H
#define LM_FORM_MACHINE_INT_H

#include "form/machine.h"

/* One sensor of the mechanism that variables read: the unknowns it depends on, by numbers of the machine. */
typedef struct machine_sensor {
    int sensor, n;
    double *gradient; /* [n] */
    int *unknown;     /* [n] */
} machine_sensor;

/* One input of an equation: how the equation changes with it. */
typedef struct machine_term {
    int slot;
    int kind;   /* a machine_term_kind */
    int of;     /* variable, or index into sensors */
    int *place; /* [1] or [n of the sensor]: entries of the matrix */
} machine_term;
enum { TERM_CONSTANT, TERM_VALUE, TERM_RATE, TERM_SENSOR };

typedef struct machine_row {
    int nterms; /* inputs of the expression, then for LM_VARIABLE_RATE their rates */
    machine_term *term;
    int nintegral; /* inputs of the integral that a state follows at rest, else 0 */
    machine_term *integral;
    int diagonal;
} machine_row;

/* One variable that acts on the mechanism: the equations in which it stands. */
typedef struct machine_push {
    int variable, rate, sensor, n;
    double *force; /* [n] */
    int *place;    /* [n] */
} machine_push;

/* Values that depend on each other. */
typedef struct machine_loop {
    int n, *member; /* variables */
} machine_loop;

typedef struct machine {
    lm_system sys;
    lm_arena arena;
    lm_form form; /* the mechanism's functions, with those of the machine in their place */
    lm_system *in;
    const lm_spec *spec;
    int n; /* variables */
    int norder,
        *order; /* those that follow from others, in the order in which they do; -1 - i: loop i */
    int nloops, loop_most; /* sets of values that are solved together; values in the largest */
    machine_loop *loop;
    int *members;       /* of all loops */
    double *loop_room;  /* [6 m + m m] for the largest */
    double *loop_start; /* [n] where the search begins */
    double *loop_slots; /* [1 + sensors] what the loop that is followed is to end with */
    int loop_failed;    /* 1: one had no solution since the last call */
    int loop_left;      /* 1 + the loop that had none near its last values since then; 0: none */
    int branch;         /* the same of the states that were kept */
    unsigned char *follows; /* [n] 1: one of these */
    int *slot;              /* [n] in which expressions read the value of each; 0: none does */
    lm_settle settle;       /* what the mechanism calls to have them */
    double *x;              /* [2n] values and rates */
    double *offset;         /* [n] what is added to the integrals of states */
    double *track_r;        /* [nv + nl of the mechanism] scratch */
    int nsensors;
    machine_sensor *sensor;
    machine_row *row; /* [n] */
    int npushes;
    machine_push *push;
    int *inner_place; /* [nnz of the mechanism's matrix] its entries in the machine's */
    double *inner[3]; /* [nnz of the mechanism's matrix] M, D, K, or one matrix in the first */
    double *scratch, *grad, *hess, *coefficient;
    double *reach;         /* [2 n + nsensors] of machine_scale.c */
    const double *impulse; /* [n] added to rates; NULL: nothing */
    unsigned char *felt;   /* [n] scratch of machine_rates.c */
} machine;

/* 1: variable k is a state that follows the position of the mechanism, as the machine is steady. */
static inline int machine_tracks(const machine *s, int k)
{
    const lm_spec_variable *x = &s->spec->variables.at[k];
    return s->sys.steady && x->kind == LM_VARIABLE_STATE &&
           x->follows_motion == LM_FOLLOWS_INTEGRAL;
}

/* machine_order.c */
int machine_make_order(machine *s);
/* machine_loops.c: the values of a set, from what is in the slots; NAN where there are none */
void machine_solve_loop(machine *s, const machine_loop *l, double *slots);
/* machine_make.c */
int machine_build(machine *s);
/* machine_energy.c */
int machine_energy(lm_system *sys, const lm_state *st, lm_energy *e);
int machine_powers(lm_system *sys, const lm_state *st, double *out);
/* machine_guards.c: of the mechanism, then of the variables */
void machine_count_guards(machine *s);
int machine_guards(lm_system *sys, const lm_state *st, double *out);
const lm_expr *machine_guarded(const lm_system *sys, int k, int *first);
const lm_expr *machine_forcing(const lm_system *sys, int k);
void machine_describe_guard(const lm_system *sys, int i, char *text, size_t size);
/* machine.c: the mechanism's view of a state. */
lm_state machine_enter(machine *s, const lm_state *st);

#endif
