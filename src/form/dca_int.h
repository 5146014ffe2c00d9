/* Inside of the divide and conquer tree: what dca_plan.c decides, dca_make.c lays out in memory and
 * dca.c computes. Equations: docs/theory/dca.md. */
#ifndef LM_FORM_DCA_INT_H
#define LM_FORM_DCA_INT_H

#include "base/pool.h"
#include "form/dca.h"
#include "form/dca_dense.h"

/* A port is where an assembly is held from outside: a handle, of 6 accelerations, or a whole body, of
 * n accelerations, when that is less than what its handles would add up to (dca_plan.c). */
typedef struct dca_port {
    int body, handle; /* handle -1: the whole body */
    int n;
    int waiting; /* joints that are not closed yet (while planning) */
} dca_port;

/* One end of a joint in the node that closes it. */
typedef struct dca_end {
    int kid;   /* which of the node's kids holds the port, 0 or 1; -1: the ground */
    int at, n; /* the port among the accelerations of the kid */
    double *g; /* [ld n] rows of the joint on the port's accelerations */
    double *B; /* port of a whole body: the handle moves with B a + gamma; NULL: it is the handle */
    double *gamma;
} dca_end;

typedef struct dca_joint {
    int joint, most, ld; /* rows at most; ld of g */
    int row, rows;       /* in the node, at the last evaluation */
    size_t lam;          /* its multipliers among all */
    dca_end end[2];
} dca_joint;

/* Ports that a node takes over from a kid: n accelerations. */
typedef struct dca_piece {
    int kid, from, to, n;
} dca_piece;

/* A node of the tree: a body, or what one or two kids become when joints are closed.
 *
 * Zhat [ld n]: the columns of Z and, in row n, z^T; behind it the diagonal that Z had before joints were
 * closed, [n]. F [ld]: forces on the ports, then 1, then zeros, so that Zhat^T F = Z F + z. */
typedef struct dca_node {
    int kid[2]; /* -1: none */
    int n, ld;
    int first_port, nports; /* in lm_dca.node_ports */
    int body;               /* leaf: the body; else -1 */
    int whole;              /* leaf: its port is the whole body; Zhat is kept for the way down */
    int first_joint, njoints, rows; /* joints that are closed here, rows at most */
    int first_piece, npieces;
    int ldL;      /* of L: pad(size of the body) or pad(rows) */
    int now_rows; /* at the last evaluation */
    int kept;     /* Zhat is at Z; else on the stack of the worker, at `on_stack` */
    double *Z;
    double *F; /* [ld] */
    double *L; /* [ldL ..] factor of M or of S = G Z G^T */
    double *W; /* leaf: [ld size] (L^-1 B^T)^T, (L^-1 f)^T; else [ld rows] -(L^-1 G Z)^T and
                      -(L^-1 (G z - c))^T */
    size_t on_stack;
    double *B, *gamma; /* leaf whose port is the whole body: of all its handles */
    double work;       /* multiplications of this node, both ways */
} dca_node;

/* Scratch of one worker. */
typedef struct dca_worker {
    double *stack;             /* Zhat of nodes within a task */
    double *M, *f, *B, *gamma; /* of a body */
    double *T[2];              /* [ld rows] -Zhat G^T of both kids; leaf: W and L, if not kept */
    double *least;             /* what pivots are compared with */
    double *x, *c;             /* accelerations or multipliers; right sides of rows */
    double (*G)[12], *Gt;      /* rows of a joint; those of one end, by columns */
} dca_worker;

/* Sizes of a worker's scratch, in doubles. */
typedef struct dca_scratch {
    size_t stack, M, B, gamma, T, x, G;
} dca_scratch;

/* Nodes first .. last: a subtree whose work is not worth being divided, or a single node above. */
typedef struct dca_task {
    int first, last;
} dca_task;

struct lm_dca {
    lm_arena *arena;
    lm_dca_topology t; /* copied */
    size_t *a_at;      /* [nbodies] accelerations of a body among all */
    size_t *lam_at;    /* [njoints] */
    size_t nlam;
    int *handle_first; /* [nbodies + 1] handles of a body */

    dca_node *node; /* children before parents, subtrees one behind the other */
    int nnodes;
    dca_port *port;
    int nports;
    int *port_of;     /* [nhandles] -1: nothing is joined to it */
    int *node_ports;  /* ports of nodes */
    dca_joint *joint; /* by nodes */
    int njoints;
    dca_piece *piece;
    int npieces;
    int levels;
    double work, span;

    dca_task *task; /* children before parents */
    int ntasks;
    int *failed; /* [ntasks] 0, or 1 + *where; -1: a task below it failed */

    dca_scratch need;
    dca_worker *worker;
    int nworkers;

    lm_pool *pool;
    lm_task_tree tree; /* of tasks */
    struct {
        const lm_dca_numbers *numbers;
        double *a, *lam;
    } now; /* the evaluation that runs */
};

/* dca_graph.c */
int dca_body(const lm_dca_topology *t, int joint, int side); /* -1: the ground */
int dca_joined(const lm_dca_topology *t, int joint); /* it may have rows, and some on a body */
int dca_links(const lm_dca_topology *t, int joint);  /* ... and is between two different bodies */
int dca_ports(lm_dca *d);
/* The place of each body in a walk along chains, from their ends where there are any. */
int dca_walk(const lm_dca *d, int *place);

/* dca_plan.c */
/* The tree of nodes with their joints, pieces and work; no numbers. These: 0, or -1, no memory. */
int dca_plan(lm_dca *d);

/* dca_make.c */
/* Memory of nodes, tasks, one worker. */
int dca_make(lm_dca *d);
int dca_add_workers(lm_dca *d, int n);

#endif
