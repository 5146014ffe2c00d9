/* The expression language of the model file: parse once, evaluate without allocation, exact first
 * and second derivatives.
 *
 * An expression is a list of operations over *slots*: slot numbers are given out by the caller's
 * environment (slot 0 is always the time t; others are sensors, coordinates, s along a beam ...).
 * Evaluation reads the slots' values from an array indexed by slot number; derivatives are with
 * respect to the slots that the expression really uses, e->inputs[0..ninputs), in ascending order.
 * The heights of surfaces lie below slot 0 (see lm_grid); they count as constants in derivatives.
 * Constants (numbers, parameters, pi, deg) are folded.  */
#ifndef LM_EXPR_EXPR_H
#define LM_EXPR_EXPR_H

#include "base/diag.h"
#include "base/mem.h"

typedef struct lm_op lm_op; /* private to expr/ */

typedef struct lm_expr {
    const char *text; /* source, for messages */
    lm_loc loc;       /* of its first character */
    const lm_op *ops; /* operations in order of evaluation; the last one is the value */
    int nops;
    int ninputs;                 /* number of distinct slots used */
    const int *inputs;           /* [ninputs] their numbers, ascending */
    int constant;                /* 1: no inputs at all, `value` holds */
    double value;                /* valid when constant */
    const struct lm_kink *kinks; /* private: places where the expression may not be smooth in t */
    int nkinks;
} lm_expr;

/* Heights over a line, which change between evaluations: `cells` numbers in slots[first],
 * slots[first + 1] ..., with first < 0. Height i stands at from + i*width; between them the surface is
 * straight. A periodic one begins again at `to`, another goes on level beyond its ends. */
typedef struct lm_grid {
    double from, to, width;
    int cells, periodic, first;
} lm_grid;

/* The height at x, and unless NULL its slope there; of two slopes the one to the right. */
double lm_grid_value(const lm_grid *g, const double *height, double x, double *slope);

/* What a name in an expression can be. */
typedef enum lm_symbol { LM_SYM_NONE, LM_SYM_CONSTANT, LM_SYM_SLOT } lm_symbol;

/* A sensor call as it stands in the text. pos(link(k-1).end, ground).x with k = 3 arrives as
 * fn "pos", args {"link(2).end", "ground"}, component "x"; energy.kinetic as fn "energy", nargs 0,
 * component "kinetic"; joint(pin) has component "". Arguments are canonical texts: blanks dropped,
 * the expressions in parentheses and bare numeric arguments evaluated, integers printed as %d and
 * other numbers as %.17g. */
typedef struct lm_sensor_call {
    const char *fn;
    const char *args[4];
    int nargs;
    const char *component;
    lm_loc loc;
} lm_sensor_call;

/* Where names come from. All callbacks may be NULL (nothing of that kind is known). */
typedef struct lm_expr_env {
    void *ctx;
    /* Set *value or *slot and say which. */
    lm_symbol (*symbol)(void *ctx, const char *name, double *value, int *slot);
    /* 1 when `name` is the name of a sensor function. */
    int (*is_sensor)(void *ctx, const char *name);
    /* Give out a slot for the sensor: 0, or -1 after an lm_error. */
    int (*sensor)(void *ctx, const lm_sensor_call *call, int *slot);
    /* The surface of that name, which stays; NULL after an lm_error. */
    const lm_grid *(*surface)(void *ctx, const char *name, lm_loc loc);
    /* All symbol and sensor names known here, for suggestions. */
    const char *const *(*names)(void *ctx, int *n);
    /* Why sensors or t are not allowed here, for the message; NULL: a plain 'unknown name'. */
    const char *hint;
    int hint_is_remedy; /* 1: it says what to write; no name is suggested */
} lm_expr_env;

enum {
    LM_EXPR_DEPTH = 200,     /* deepest nesting of parentheses, calls and unary operators */
    LM_EXPR_LENGTH = 100000, /* longest text in bytes */
    LM_SLOT_T = 0            /* the slot of the time */
};

/* Parse `text` into *e (arena memory). On an error: one lm_error in `diag` whose column points at
 * the offending character (loc is that of the first character of the text), and -1. */
int lm_expr_parse(lm_arena *arena, lm_diag *diag, const lm_expr_env *env, const char *text,
                  lm_loc loc, lm_expr *e);

/* An expression that is just a number. */
void lm_expr_constant(lm_expr *e, double value);

/* Canonical text of a reference such as 'link(k-1).end' or 'ground.at(x,0,0)' (see
 * lm_sensor_call); NULL after an lm_error. Only symbols that are constants are allowed inside. */
const char *lm_expr_reference(lm_arena *arena, lm_diag *diag, const lm_expr_env *env,
                              const char *text, lm_loc loc);

/* Number of doubles of scratch that evaluation of the given order (0, 1, 2) needs. */
int lm_expr_scratch(const lm_expr *e, int order);

/* Value. NaN or infinity are results like others (log(-1), 1/0); the caller decides. */
double lm_expr_eval(const lm_expr *e, const double *slots, double *scratch);
/* Value and gradient grad[ninputs]. */
double lm_expr_grad(const lm_expr *e, const double *slots, double *scratch, double *grad);
/* Value, gradient and Hessian hess[ninputs*ninputs] (symmetric, both triangles filled). */
double lm_expr_hess(const lm_expr *e, const double *slots, double *scratch, double *grad,
                    double *hess);

/* Value and first two time derivatives of an expression whose only possible input is t. At 0 they are those
 * behind it: a motion that begins there with a corner begins with the slope that it goes on with. */
void lm_expr_time(const lm_expr *e, double t, double *scratch, double out[3]);

/* The first instant > t at which the expression is not smooth as a function of t (knots of pwl and
 * spline, ends of step, comparisons, abs, sign, min, max, floor, whose arguments are affine in t),
 * or INFINITY. */
double lm_expr_next_kink(const lm_expr *e, double t);

/* Guards: continuous functions of the slots whose changes of sign are the changes of branch that
 * lm_expr_next_kink does not announce: of comparisons, min, max, abs, sign, floor, mod and pwl whose
 * arguments depend on other slots than t, or on t along no straight line. Scratch as for lm_expr_eval.
 * Zero and NaN tell nothing. */
int lm_expr_guard_count(const lm_expr *e);
void lm_expr_guards(const lm_expr *e, const double *slots, double *scratch, double *out);

/* *out = e with the expression `inside` in the place of a slot. 0; -1: it becomes too large. */
int lm_expr_compose(lm_arena *arena, const lm_expr *e, int slot, const lm_expr *inside,
                    lm_expr *out);

/* 1 when the expression uses the slot. */
int lm_expr_uses(const lm_expr *e, int slot);

/* 1 when it reads heights of a surface, which change in time. */
int lm_expr_reads_surface(const lm_expr *e);

/* 1 when the value is a sum of constants times inputs and a constant, as written: its gradient is the
 * same everywhere. */
int lm_expr_is_affine(const lm_expr *e);

/* 1 when it is none such, and depends on more than the time. */
int lm_expr_bends(const lm_expr *e);

/* Names of all functions and constants of the language, for suggestions and docs. */
const char *const *lm_expr_names(int *n);

#endif
