/* Private to the reader: the power graph on its way from the file to variables.
 *
 * read_power.c reads the entries of `power` and makes elements and bonds of them; power_domain.c
 * sees to it that torques are not joined to voltages; causality.c decides for each bond which of its
 * ends gives the effort; power_equations.c follows the causality from law to law and writes down the
 * equations, with the linear forms of power_linear.c; power_rate.c differentiates what storages in
 * derivative causality need; power_check.c refuses equations that do not determine their unknowns.
 * docs/theory/power.md says what comes out. */
#ifndef LM_MODEL_POWER_H
#define LM_MODEL_POWER_H

#include "model/reader.h"

/* A slot for the quantity of a law that is read before the graph is known. */
enum { LM_POWER_OWN_SLOT = 1 << 28 };

/* 1: the key was given for the entry. */
int lm_power_has(const lm_power_in *in, const char *key);
/* "0-junction 'tank'", "port 'hinge'"; scratch memory. */
const char *lm_power_title(lm_reader *r, int element);
/* The expression of a key of the entry; own_name and own_slot of the reader are set by the caller. */
int lm_power_read_law(lm_reader *r, int entry, const char *key, lm_scope scope, lm_expr *out);

static inline int lm_power_is_junction(int type)
{
    return type == LM_ELEMENT_ZERO || type == LM_ELEMENT_ONE;
}

/* The element at the other end of a bond. */
static inline int lm_bond_other(const lm_spec_bond *b, int element)
{
    return b->from == element ? b->to : b->from;
}

/* The end of a bond that gives its effort (which 0) or its flow (which 1). */
static inline int lm_bond_giver(const lm_spec_bond *b, int which)
{
    return (b->stroke == 1) == (which == LM_POWER_EFFORT) ? b->from : b->to;
}

/* power_domain.c: spec->elements[].domain. `region` [elements] numbers the parts that TF and GY
 * separate. 0, or -1 after errors. */
int lm_power_domains(lm_reader *r, int *region);

/* causality.c: spec->bonds[].stroke and spec->elements[].derivative. 0, or -1 after an error. */
int lm_power_causality(lm_reader *r);

/* --- power_linear.c: c0 + sum of c * slot; terms are the arena's --- */
typedef struct lm_term {
    int slot;
    double c;
} lm_term;
typedef struct lm_linear {
    double c0;
    int n;
    const lm_term *term;
} lm_linear;
lm_linear lm_linear_constant(double value);
lm_linear lm_linear_slot(lm_reader *r, int slot);
lm_linear lm_linear_sum(lm_reader *r, double a, lm_linear x, double b, lm_linear y); /* a x + b y */
double lm_linear_coefficient(lm_linear x, int slot);
lm_linear lm_linear_without(lm_reader *r, lm_linear x, int slot);
int lm_linear_is_slot(lm_linear x); /* just one: its number, else -1 */
/* "(0.5*_s(3)+2)" and the expression; `what` stands for its text in messages. */
const char *lm_linear_text(lm_reader *r, lm_linear x);
void lm_linear_expr(lm_reader *r, lm_linear x, const char *what, lm_expr *out);
/* An expression of the program's own, with _s(k) for slot k. */
void lm_power_expr(lm_reader *r, const char *text, const char *what, lm_expr *out);

/* --- power_equations.c: questions --- */

/* Kinds of quantity, for their units. */
enum {
    LM_KIND_Q_EFFORT,
    LM_KIND_Q_FLOW,
    LM_KIND_Q_DISPLACEMENT,
    LM_KIND_Q_MOMENTUM,
    LM_KIND_Q_POWER,
    LM_KINDS_Q
};

typedef enum lm_progress { LM_ASKED_NEVER, LM_BEING_FOUND, LM_FOUND } lm_progress;
typedef struct lm_quantity {
    lm_progress progress;
    int variable; /* it is this one, -1: no variable of its own */
    lm_linear form;
} lm_quantity;

typedef struct lm_rate { /* a variable that is the rate of a form */
    int variable, element;
    lm_linear form;
} lm_rate;

typedef struct lm_modulus {
    int known;
    lm_linear form;
} lm_modulus;

typedef struct lm_equations {
    lm_reader *r;
    lm_spec *s;
    const int *region; /* [elements] */
    int *rank;         /* [elements] of a region without a domain: its number, for units */
    int *strong;       /* [elements] of a junction: the bond that brings what all its bonds share */
    int *bond_entry;   /* [bonds] */
    int *entry;        /* [elements] */
    lm_quantity *q;    /* [2 bonds] effort, flow */
    lm_modulus *modulus; /* [entries] of TF, GY */
    LM_VEC(int) pending; /* quantities that are variables still without an equation */
    LM_VEC(lm_rate) rates;
    int depth;
    int failed;
} lm_equations;

/* The effort or flow of a bond (LM_POWER_EFFORT, LM_POWER_FLOW). */
lm_linear lm_power_get(lm_equations *x, int bond, int which);
void lm_power_find_pending(lm_equations *x);
int lm_power_variable(const lm_equations *x, int bond, int kind, lm_variable_kind type);
lm_linear lm_power_form(const lm_equations *x, int variable);
void lm_power_set(const lm_equations *x, int variable, lm_linear form);
int lm_power_unit(const lm_equations *x, int bond, int kind);
double lm_power_slope(const lm_power_in *in); /* 1/C, k, 1/I; 0: its law is not linear */

/* power_compile.c: all questions asked; variables, elements and ports of the spec filled. */
void lm_power_equations(lm_reader *r, const int *region);
/* power_rate.c: put the definitions of values in, until `e` can be differentiated in time. 0, or -1
 * after an error that names the element. */
int lm_power_expand_rate(lm_reader *r, int element, lm_expr *e);
/* power_check.c: from variable `first` on they belong to the graph. 0, or -1 after an error. */
int lm_power_check(lm_reader *r, int first);

#endif
