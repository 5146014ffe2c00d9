/* A few threads that work through trees of tasks.
 *
 * Tasks are numbered children before parents: parent[i] > i, or -1 at a root. Upwards each task runs
 * after its children, downwards after its parent; which thread takes which task is left to chance. So
 * tasks write into memory of their own and read that of those before them, and what they compute does
 * not depend on the number of threads. A pool belongs to one run at a time, and tasks use no pool. */
#ifndef LM_BASE_POOL_H
#define LM_BASE_POOL_H

#include "base/mem.h"

typedef struct lm_pool lm_pool;

/* The calling thread is one of them: 1 starts none. Where the system gives fewer, these have to do.
 * NULL: no memory. */
lm_pool *lm_pool_create(int threads);
void lm_pool_destroy(lm_pool *p);      /* NULL: nothing */
int lm_pool_threads(const lm_pool *p); /* of a pool that is NULL: 1 */

/* A tree (or several) of tasks, made once and run often, by one pool at a time. */
typedef struct lm_task_tree {
    int n;
    int *parent;  /* [n] */
    int *child;   /* [n] the first one, -1: none */
    int *sibling; /* [n] the next child of the same parent, -1: none */
    int *nchild;  /* [n] */
    int *waiting; /* [n] children that have not run yet; scratch of a run */
    int *ready;   /* [n] tasks that can run now; scratch of a run */
} lm_task_tree;

/* Memory is the arena's; `parent` is copied. 0, or -1: no memory. */
int lm_task_tree_make(lm_task_tree *t, int n, const int *parent, lm_arena *arena);

/* worker: 0 .. lm_pool_threads - 1, no two at once with the same number; 0 is the caller. */
typedef void lm_task(void *context, int task, int worker);

/* Run all tasks; they are done on return. A pool that is NULL: by the caller, in order. */
void lm_pool_up(lm_pool *p, lm_task_tree *t, lm_task *run, void *context);
void lm_pool_down(lm_pool *p, lm_task_tree *t, lm_task *run, void *context);

#endif
