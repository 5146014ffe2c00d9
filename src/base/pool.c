#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* How often an idle thread looks for work before it goes to sleep, some 20 us: waking one takes longer
 * than the pause between two parts of a solution, but not than that between two steps. */
enum { LOOKS = 500 };

struct worker {
    lm_pool *pool;
    pthread_t thread;
    int number;
};

struct lm_pool {
    int n;                  /* threads, the caller's included */
    struct worker *workers; /* [n]; 0, the caller, has no thread here */
    int looks;
    /* changes when there is something new to do or to know; written under the lock, read while
     * looking for work without it */
    atomic_uint news;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t wake;
    int sleeping, quit;
    lm_task_tree *tree; /* what runs now */
    lm_task *run;
    void *context;
    int down, nready, left;
};

/* ---- trees ---- */

int lm_task_tree_make(lm_task_tree *t, int n, const int *parent, lm_arena *arena)
{
    *t = (lm_task_tree){.n = n};
    t->parent = lm_arena_copy(arena, parent, sizeof(int) * (size_t)n);
    t->child = LM_NEW_N(arena, int, n), t->sibling = LM_NEW_N(arena, int, n);
    t->nchild = LM_NEW_N(arena, int, n);
    t->waiting = LM_NEW_N(arena, int, n), t->ready = LM_NEW_N(arena, int, n);
    if (!t->parent || !t->child || !t->sibling || !t->nchild || !t->waiting || !t->ready) return -1;
    for (int i = 0; i < n; i++) t->child[i] = t->sibling[i] = -1;
    for (int i = n - 1; i >= 0; i--) {
        int up = parent[i];
        if (up < 0) continue;
        t->sibling[i] = t->child[up];
        t->child[up] = i;
        t->nchild[up]++;
    }
    return 0;
}

/* ---- running; all with the lock ---- */

static void tell(lm_pool *p)
{
    atomic_fetch_add(&p->news, 1);
    if (p->sleeping) pthread_cond_broadcast(&p->wake);
}

/* Until there is news: look for a while, then sleep. */
static void wait_for_news(lm_pool *p)
{
    unsigned seen = atomic_load(&p->news);
    pthread_mutex_unlock(&p->lock);
    for (int k = 0; k < p->looks && atomic_load_explicit(&p->news, memory_order_relaxed) == seen;
         k++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    pthread_mutex_lock(&p->lock);
    p->sleeping++;
    while (atomic_load(&p->news) == seen) pthread_cond_wait(&p->wake, &p->lock);
    p->sleeping--;
}

/* Tasks that this one has kept waiting. */
static void finish(lm_pool *p, int task)
{
    lm_task_tree *t = p->tree;
    int more = 0, up = t->parent[task];
    if (p->down)
        for (int c = t->child[task]; c >= 0; c = t->sibling[c], more++) t->ready[p->nready++] = c;
    else if (up >= 0 && --t->waiting[up] == 0)
        t->ready[p->nready++] = up, more = 1;
    p->left--;
    if (more > 1 || p->left == 0) tell(p); /* one of them is for this thread */
}

/* The caller (worker 0) works until all is done, the others until they are told to quit. */
static void work(lm_pool *p, int worker)
{
    pthread_mutex_lock(&p->lock);
    for (;;) {
        if (p->nready) {
            int task = p->tree->ready[--p->nready];
            lm_task *run = p->run;
            void *context = p->context;
            pthread_mutex_unlock(&p->lock);
            run(context, task, worker);
            pthread_mutex_lock(&p->lock);
            finish(p, task);
        } else if (worker == 0 ? p->left == 0 : p->quit)
            break;
        else
            wait_for_news(p);
    }
    pthread_mutex_unlock(&p->lock);
}

/* The first tasks, so that the lowest number comes first. */
static void begin(lm_pool *p)
{
    lm_task_tree *t = p->tree;
    p->nready = 0;
    p->left = t->n;
    for (int i = t->n - 1; i >= 0; i--) {
        t->waiting[i] = t->nchild[i];
        if (p->down ? t->parent[i] < 0 : t->nchild[i] == 0) t->ready[p->nready++] = i;
    }
}

static void run_tree(lm_pool *p, lm_task_tree *t, lm_task *run, void *context, int down)
{
    pthread_mutex_lock(&p->lock);
    p->tree = t, p->run = run, p->context = context, p->down = down;
    begin(p);
    if (p->nready > 1) tell(p);
    pthread_mutex_unlock(&p->lock);
    work(p, 0);
}

void lm_pool_up(lm_pool *p, lm_task_tree *t, lm_task *run, void *context)
{
    if (p && p->n > 1 && t->n > 1)
        run_tree(p, t, run, context, 0);
    else
        for (int i = 0; i < t->n; i++) run(context, i, 0);
}

void lm_pool_down(lm_pool *p, lm_task_tree *t, lm_task *run, void *context)
{
    if (p && p->n > 1 && t->n > 1)
        run_tree(p, t, run, context, 1);
    else
        for (int i = t->n - 1; i >= 0; i--) run(context, i, 0);
}

/* ---- threads ---- */

static void *thread_main(void *argument)
{
    struct worker *w = argument;
    work(w->pool, w->number);
    return NULL;
}

/* Signals are the caller's: threads of the pool take none. */
static void start_threads(lm_pool *p, int threads)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (p->n = 1; p->n < threads; p->n++) {
        struct worker *w = &p->workers[p->n];
        *w = (struct worker){.pool = p, .number = p->n};
        if (pthread_create(&w->thread, NULL, thread_main, w)) break;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

lm_pool *lm_pool_create(int threads)
{
    lm_pool *p = lm_alloc(sizeof *p);
    if (!p) return NULL;
    p->workers = lm_alloc(sizeof *p->workers * (size_t)(threads > 1 ? threads : 1));
    if (!p->workers) {
        lm_free(p);
        return NULL;
    }
    /* with more threads than processors, one that looks for work takes time from one that has it */
    p->looks = threads <= sysconf(_SC_NPROCESSORS_ONLN) ? LOOKS : 0;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    start_threads(p, threads);
    return p;
}

void lm_pool_destroy(lm_pool *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->quit = 1;
    tell(p);
    pthread_mutex_unlock(&p->lock);
    for (int i = 1; i < p->n; i++) pthread_join(p->workers[i].thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    lm_free(p->workers);
    lm_free(p);
}

int lm_pool_threads(const lm_pool *p) { return p ? p->n : 1; }
