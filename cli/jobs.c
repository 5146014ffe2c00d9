#include "jobs.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct answer {
    limber_summary sum;
    limber_effect effect[EFFECTS];
    int neffects;
    char why[600];
} answer;

typedef struct process {
    pid_t pid;
    int from; /* the end of a pipe */
    job *of;
} process;
enum { MOST = 64 };

int jobs_at_once(const args *a)
{
    long n = a->threads ? a->threads : sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MOST ? MOST : (int)n;
}

limber_load_options jobs_load_options(const args *a)
{
    limber_load_options lo = limber_load_options_default();
    lo.set = a->set;
    lo.set_count = a->nset;
    lo.allow_outside_includes = a->allow_outside;
    return lo;
}

/* The first error, or why the run has stopped. */
static void explain(answer *x, limber_status st, const limber_messages *msg)
{
    if (st == LIMBER_OK) return;
    snprintf(x->why, sizeof x->why, "%s", x->sum.reason[0] ? x->sum.reason : "it failed");
    for (int i = 0; i < limber_messages_count(msg) && !x->sum.reason[0]; i++) {
        limber_message m = limber_messages_get(msg, i);
        if (m.severity != LIMBER_ERROR) continue;
        snprintf(x->why, sizeof x->why, "%s", m.text);
        return;
    }
}

/* Of several analyses the largest. */
static void add_effect(void *context, const limber_effect *e)
{
    answer *x = context;
    for (int i = 0; i < x->neffects; i++) {
        limber_effect *old = &x->effect[i];
        if (strcmp(old->analysis, e->analysis) || strcmp(old->what, e->what) ||
            strcmp(old->on, e->on) || strcmp(old->output, e->output))
            continue;
        if (e->size > old->size) old->size = e->size;
        return;
    }
    if (x->neffects < EFFECTS) x->effect[x->neffects++] = *e;
}

static void run_here(const args *a, const job *j, answer *x)
{
    limber_messages *msg = limber_messages_new();
    limber_load_options lo = jobs_load_options(a);
    limber_run_options o = limber_run_options_default();
    limber_model *model = NULL;
    if (!msg) {
        snprintf(x->why, sizeof x->why, "out of memory");
        return;
    }
    lo.refine_mesh = j->mesh;
    lo.refine_time = j->time;
    lo.change = j->change;
    limber_status st = limber_model_load(a->file, &lo, &model, msg);
    o.formulation = j->formulation;
    o.results = j->results;
    o.until = a->until;
    o.settings = a->settings;
    o.effect = add_effect;
    o.effect_context = x;
    if (!st) st = limber_run(model, &o, &x->sum, msg);
    explain(x, st, msg);
    limber_model_free(model);
    limber_messages_free(msg);
}

/* 0; -1: no process could be made. */
static int start(const args *a, job *j, process *p)
{
    int ends[2];
    if (pipe(ends)) return -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        answer x = {0};
        close(ends[0]);
        run_here(a, j, &x);
        ssize_t put = write(ends[1], &x, sizeof x);
        _exit(put == (ssize_t)sizeof x ? 0 : 1);
    }
    close(ends[1]);
    if (pid < 0) close(ends[0]);
    *p = (process){pid, ends[0], j};
    return pid < 0 ? -1 : 0;
}

/* The answer is shorter than what a pipe holds. */
static void finish(process *p, int status)
{
    answer x;
    size_t got = 0;
    for (ssize_t n = 1; n > 0 && got<sizeof x; got += n> 0 ? (size_t)n : 0)
        n = read(p->from, (char *)&x + got, sizeof x - got);
    close(p->from);
    p->of->done = 1;
    if (got == sizeof x) {
        p->of->sum = x.sum;
        memcpy(p->of->effect, x.effect, sizeof x.effect);
        p->of->neffects = x.neffects;
        memcpy(p->of->why, x.why, sizeof x.why);
    } else
        snprintf(p->of->why, sizeof p->of->why, "its process ended with %s %d",
                 WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static int await(process *running, int *n)
{
    int status = 0;
    pid_t pid = wait(&status);
    if (pid < 0) return errno == EINTR ? 0 : -1;
    for (int i = 0; i < *n; i++)
        if (running[i].pid == pid) {
            finish(&running[i], status);
            running[i] = running[--*n];
            break;
        }
    return 0;
}

int jobs_run(const args *a, job *jobs, int n, int at_once)
{
    process running[MOST];
    int count = 0, bad = 0;
    for (int next = 0; (next < n || count > 0) && !bad;) {
        if (next < n && jobs[next].done)
            next++;
        else if (next < n && count < at_once) {
            bad = start(a, &jobs[next++], &running[count]);
            if (!bad) count++;
        } else
            bad = await(running, &count);
    }
    if (bad) fprintf(stderr, "limber: cannot start a process: %s\n", strerror(errno));
    return bad;
}
