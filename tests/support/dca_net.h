/* Bodies and joints for divide and conquer, put together one by one, with random numbers; the same
 * equations solved all at once. */
#ifndef TESTS_DCA_NET_H
#define TESTS_DCA_NET_H

#include "form/dca.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BODIES = 40000, JOINTS = 40010, HANDLES = 80010 };

/* A system while it is put together, and its numbers. */
typedef struct dca_net {
    lm_arena arena;
    lm_dca_topology t;
    int size[BODIES], handle_body[HANDLES], joint[JOINTS][2], most[JOINTS], rows[JOINTS];
    int joint_body[JOINTS][2], joint_place[JOINTS][2]; /* place: which handle of the body */
    int handles[BODIES];
    int massless, unknown; /* bodies, -1: none */
    double *M[BODIES], *f[BODIES], *B[BODIES], *gamma[BODIES], *G[JOINTS], *c[JOINTS];
} dca_net;

extern dca_net *net; /* made and freed by these, before and after a group of tests */
int net_open(void **state);
int net_close(void **state);

/* A new one; all that is random in it follows from k. */
void net_begin(uint64_t k);
int net_pick(int n); /* 0 .. n - 1 */
int net_body(int size);

enum { NEW = -1, GROUND = -1 };

/* A joint between handles of two bodies; place NEW: a handle of its own. */
int net_joint_at(int a, int place_a, int b, int place_b, int rows);
int net_joint(int a, int b, int rows);
/* Bodies one behind the other, the first of which is returned; joints of 5 rows. */
int net_chain(int n, int size, int size_change);
/* Each body hangs on one of those before it (of the last `reach`). */
void net_tree(int n, int size, int size_change, int reach);

/* The tree of assemblies; numbers are drawn, which net_given hands out. */
lm_dca *net_finish(void);
extern const lm_dca_numbers net_given;

typedef struct solution {
    int na, nl; /* multipliers of all rows that joints may have */
    double *a, *lam;
} solution;

solution net_room(void);
/* Solve, without an allocation; the solution is that of all equations at once. */
void net_compare(lm_dca *d);
/* Finish and compare, twice with numbers of their own. */
void net_check(void);

#endif
