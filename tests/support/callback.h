/* A mechanism with two frames that a C function gives, and the same by expressions. */
#ifndef TESTS_CALLBACK_H
#define TESTS_CALLBACK_H

#include "api/api.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { A, B, C, D, NQ, HAND = 0, LEG, FRAMES };

/* Without `analysis`. */
extern const char callback_by_expressions[], callback_by_c[];
extern const char callback_dynamics[]; /* an analysis */

int callback_pose(void *context, double t, const double *q, limber_pose *out);
int callback_partial(void *context, double t, const double *q, limber_twist *column);
extern const limber_kinematics callback_plain, callback_exact; /* exact: with partial velocities */
extern double callback_shake; /* a context: the leg shakes with t */

void free_messages(limber_messages *msg, int show);

limber_status callback_load(const char *text, const char *analysis, const limber_kinematics *k,
                            int shake, limber_model **model, limber_messages *msg);
/* ... which must succeed. */
limber_model *callback_model(const char *text, const char *analysis, const limber_kinematics *k,
                             int shake);
limber_status callback_run(const char *text, const char *analysis, const limber_kinematics *k,
                           limber_run_options *opt, limber_summary *sum);

#endif
