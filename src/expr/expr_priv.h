/* Private to expr/: operations, the parser's state, and what its files share.
 *
 * The way of an expression: expr_parse.c reads the grammar (names, calls and references in
 * expr_name.c, functions in expr_call.c) and builds values with expr_build.c, which folds constants
 * and emits operations that refer to earlier ones by index. expr_finish.c drops what is not needed
 * and replaces indices by registers. Then expr_eval.c and expr_deriv.c run the list. */
#ifndef LM_EXPR_PRIV_H
#define LM_EXPR_PRIV_H

#include "expr/expr.h"

#include <math.h>
#include <stdint.h>

enum {
    LM_OP_SLOT,    /* slots[a] */
    LM_OP_CONST,   /* k */
    LM_OP_TABLE,   /* piecewise cubic tab[b] at a */
    LM_OP_IF,      /* a ? b : c */
    LM_OP_NORM,    /* sqrt(a^2 + b^2 + c^2) */
    LM_OP_SURFACE, /* height of grid at a */
#define LM_OP1(CODE, value, first, second)         LM_OP_##CODE,
#define LM_OP2(CODE, value, fa, fb, faa, fab, fbb) LM_OP_##CODE,
#include "expr/expr_ops.def"
    LM_OP_COUNT
};

/* y + b*d + c*d^2 + e*d^3 with d = argument - x. tab[0] holds left of tab[1].x, tab[i] from
 * tab[i].x on; tab[0].x = tab[1].x. */
typedef struct lm_piece {
    double x, y, b, c, e;
} lm_piece;

/* a, b, c are registers (while parsing: indices of earlier operations), except SLOT: a is the slot,
 * TABLE: b is the number of pieces. The value depends on inputs lo[0] <= i < hi[0] at most, its
 * k-th argument on lo[k] <= i < hi[k]; lo == hi: no derivatives. An expression has fewer inputs
 * than LM_EXPR_LENGTH/2 characters can name, so 16 bits are enough. */
struct lm_op {
    uint16_t code;
    uint16_t lo[4], hi[4];
    uint16_t guard; /* 1: it has one, see expr_guard.c */
    int dst, a, b, c;
    union {
        double k;
        const lm_piece *tab;
        const lm_grid *grid;
    };
};

/* Values the list above needs. */
static inline double lm_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
static inline int lm_second_is_min(double a, double b) { return b < a || (isnan(b) && !isnan(a)); }
static inline int lm_second_is_max(double a, double b) { return b > a || (isnan(b) && !isnan(a)); }

static inline double lm_powi(double x, int n)
{
    if (n == 2) return x * x;
    double r = 1;
    for (int m = n < 0 ? -n : n; m; m >>= 1, x *= x)
        if (m & 1) r *= x;
    return n < 0 ? 1 / r : r;
}

static inline double lm_mod(double a, double b)
{
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* 1: the value is affine where the arguments are. */
int lm_op_is_sum(int code);
extern const unsigned char lm_op_arity[LM_OP_COUNT]; /* how many of a, b, c are registers */
double lm_op_value(const lm_op *op, const double *v, const double *slots);

/* Tables (expr_table.c): n knots xy = x0, y0, x1, y1 ... give n + 1 pieces; NULL when a coefficient
 * is not finite. out: value and two derivatives. */
const lm_piece *lm_table_pwl(lm_arena *arena, const double *xy, int n);
const lm_piece *lm_table_spline(lm_arena *arena, const double *xy, int n);
const lm_piece *lm_table_step(lm_arena *arena, double x0, double y0, double x1, double y1);
/* The last piece that starts at or before x. */
const lm_piece *lm_table_find(const lm_piece *tab, int pieces, double x);
double lm_table_value(const lm_piece *tab, int pieces, double x);
void lm_table_derivs(const lm_piece *tab, int pieces, double x, double out[2]);

/* How a value depends on t, if that is known: c0 + c1*t when period is 0; else c0 + c1*tau, where
 * tau in [0, period) is the time since the last of the instants start + j*period. */
typedef struct lm_affine {
    int known;
    double c0, c1, start, period;
} lm_affine;

/* The instant t, or with period > 0 all t + j*period. In a finished expression those without a
 * period come first, in ascending order. */
typedef struct lm_kink {
    double t, period;
    int op; /* index while parsing */
} lm_kink;

/* A value while parsing: the constant k when op < 0, else an operation. */
typedef struct lm_value {
    int op;
    double k;
} lm_value;

typedef struct lm_argument {
    lm_value value;
    int pos; /* of its first character */
} lm_argument;

typedef struct lm_parser {
    lm_arena *arena;
    lm_diag *diag;
    const lm_expr_env *env;
    const char *text;
    int len, pos;
    lm_loc loc;
    int depth;
    int constants_only; /* inside a reference: slots are errors */
    int quiet;          /* do not report errors */
    int reported;       /* an error was reported, or would have been */
    jmp_buf *bail;      /* where an error goes */
    LM_VEC(lm_op) ops;
    LM_VEC(lm_affine) forms;  /* [ops.n] */
    LM_VEC(int) slots;        /* operations that are slots */
    LM_VEC(lm_argument) args; /* a stack: arguments of the calls being read */
    LM_VEC(lm_kink) kinks;
} lm_parser;

/* Errors and characters (expr_parse.c). Positions are offsets into the text. */
_Noreturn void lm_parse_fail(lm_parser *p, int pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
const char *lm_parse_found(lm_parser *p); /* what stands here, for messages */
lm_loc lm_parse_loc(const lm_parser *p, int pos);
char lm_parse_peek(lm_parser *p); /* next character that is not blank, 0 at the end */
const char *lm_parse_word(lm_parser *p);
int lm_parse_is_word(char c, int first);
void lm_parse_close(lm_parser *p, int open); /* the ')' of the '(' at open */
void lm_parse_enter(lm_parser *p, int pos);  /* one level deeper; p->depth-- leaves */
lm_value lm_parse_value(lm_parser *p);       /* a whole expression */

/* Names (expr_name.c). */
lm_value lm_parse_name(lm_parser *p);
const char *lm_parse_reference(lm_parser *p);
_Noreturn void lm_parse_unknown(lm_parser *p, int pos, const char *kind, const char *name);
int lm_parse_is_sensor(const lm_parser *p, const char *name);
_Noreturn void lm_parse_not_constant(lm_parser *p, int pos, const char *name);

/* Functions (expr_call.c). */
typedef struct lm_fn {
    const char *name;
    int code, least, most;
    const char *signature;
    lm_value (*build)(lm_parser *p, const struct lm_fn *fn, int pos, const lm_argument *arg, int n);
} lm_fn;
const lm_fn *lm_fn_find(const char *name);
lm_value lm_parse_call(lm_parser *p, const lm_fn *fn, int pos);
/* Arguments and component of the sensor whose name has been read; then its slot. */
void lm_parse_sensor(lm_parser *p, const char *fn, int pos, lm_sensor_call *call);
lm_value lm_parse_sensor_slot(lm_parser *p, const lm_sensor_call *call);

/* Values (expr_build.c). */
lm_value lm_value_constant(double k);
lm_value lm_value_slot(lm_parser *p, int slot);
lm_value lm_value_unary(lm_parser *p, int code, lm_value a, double k);
lm_value lm_value_binary(lm_parser *p, int code, lm_value a, lm_value b);
lm_value lm_value_ternary(lm_parser *p, int code, lm_value a, lm_value b, lm_value c);
lm_value lm_value_table(lm_parser *p, lm_value a, const lm_piece *tab, int pieces);
lm_value lm_value_surface(lm_parser *p, lm_value a, const lm_grid *grid);
lm_affine lm_value_affine(const lm_parser *p, lm_value a);

/* Instants where the value is not smooth (expr_kink.c). */
lm_affine lm_affine_sum(lm_affine f, lm_affine g, double sign);
lm_affine lm_affine_scale(lm_affine f, double k);
lm_affine lm_affine_mod(lm_affine f, double m);
void lm_kink_at(lm_parser *p, int op, lm_affine f, double value);    /* where f = value */
void lm_kink_every(lm_parser *p, int op, lm_affine f, double value); /* where f = j*value */

/* Find the operations that have guards (expr_guard.c); reg: scratch, one for each register. */
void lm_guard_mark(lm_op *ops, int n, unsigned char *reg);
/* The guard that an operation has or would have, from its arguments in v. */
double lm_guard_value(const lm_op *op, const double *v);
int lm_table_has_corner(const lm_op *op); /* straight pieces with different slopes: pwl */

/* Turn the parsed operations into *e (expr_finish.c). */
void lm_parse_finish(lm_parser *p, lm_value result, lm_expr *e);

#endif
