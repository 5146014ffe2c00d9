/* A machine: a mechanism in any formulation together with the variables of its controllers and power
 * graph (lm_spec.variables), as one system behind the seam.
 *
 * Variable k is the velocity nv_m + k of the system, behind those of the mechanism. Of a state x' = f
 * the velocity is the value x and the acceleration its rate; of the others, x = f, the acceleration is the
 * value. So the equations
 *
 *     state  a_k - f_k = 0        value  a_k - f_k = 0        rate  a_k - d(f_k)/dt = 0
 *
 * stand with the equations of motion, in which the accelerations are solved for; efforts that variables
 * give enter these as forces of accelerations do. Positions of variables are integrals that nothing
 * reads; except where the system is asked to be `steady` (statics): then those of values are the values,
 * states keep theirs, and rates are zero. The mechanism is asked for values and derivatives of its sensors through lm_ports.
 * docs/theory/machine.md */
#ifndef LM_FORM_MACHINE_H
#define LM_FORM_MACHINE_H

#include "form/form.h"

/* *sys becomes a machine that owns what it was; on an error it is destroyed, and NULL. */
limber_status lm_machine_make(lm_system **sys);

/* The mechanism alone, its states held at the values that they have in the state, until the machine is asked
 * for something again; sys itself where it is no machine. Values still follow from the motion. */
lm_system *lm_machine_hold(lm_system *sys, const lm_state *st);
/* The same with all variables at the values that they have in the state: what they exert is constant. NULL:
 * the state cannot be evaluated. */
lm_system *lm_machine_freeze(lm_system *sys, const lm_state *st);

/* From this position on, states that are integrals of the motion follow it where the machine is steady: the
 * state has their values. */
void lm_machine_track(lm_system *sys, const lm_state *st);

/* The state has been reached: loops of values go on from those that they have in it. */
void lm_machine_keep(lm_system *sys, const lm_state *st);
/* 1: since the last call a loop had no solution near the values that it had in the state kept before, and has
 * left them; with a variable of it. */
int lm_machine_left_branch(lm_system *sys, const char **name);

/* What rates of storages in derivative causality (LM_VARIABLE_RATE) are the rates of: out[variables], 0 for
 * others; and the guards of these, of which there are so many. 0, 1: the state cannot be evaluated. */
int lm_machine_rated(lm_system *sys, const lm_state *st, double *out);
int lm_machine_rate_guard_count(const lm_system *sys);
int lm_machine_rate_guards(lm_system *sys, const lm_state *st, double *out);
/* 1: the mechanism or a state feels variable k, through values too; 0: only sources and storages do. */
int lm_machine_acts(lm_system *sys, int k);
/* Added to the rates in what is evaluated next: [variables]; NULL: nothing. */
void lm_machine_set_impulse(lm_system *sys, const double *impulse);

/* What a variable is measured in: of the values so far of all that have its unit the largest. */
static inline double lm_variable_scale(const lm_system *sys, int k)
{
    return sys->discrete->scale[k];
}

/* Scales are at least what the variables do in answer to small motions of a mechanism of that size, within
 * the time dt (machine_scale.c). */
void lm_machine_reach(lm_system *sys, const lm_state *st, double size, double dt);

/* Where there is nothing to measure a variable by. */
#define LM_SCALE_NONE 1e-13
/* scale[variables] of states that have none, 0, from those of the states that they follow. */
void lm_machine_follow(lm_system *sys, const lm_state *st, double dt, double *scale);

/* The value of variable k in the state that was evaluated last. */
double lm_machine_value(const lm_system *sys, int k);

/* A motion dx of the system's position, of variable k, over what counts as 1: over a step `tick` the
 * position of a state moves by its value times tick, that of another by tick^2. Others count where there is
 * nothing else. */
double lm_variable_motion(const lm_system *sys, int k, double dx);

#endif
