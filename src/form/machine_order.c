/* Which variables follow from others without a loop, and in which order: Tarjan's strongly connected sets,
 * each of which comes out behind those that it reads. */
#include "form/machine_int.h"

typedef struct walk {
    const machine *s;
    int *number, *low; /* [n] order of visits, 0: not yet; earliest that can be reached */
    int *next;         /* [n] the next input to look at */
    unsigned char *open;
    int *stack, *path, nstack, npath, visits;
} walk;

/* The variable behind a slot that has to be known first; -1: none. */
static int reads(const machine *s, int slot)
{
    if (slot == LM_SLOT_T) return -1;
    const lm_spec_sensor *c = &s->spec->sensors.at[slot - 1];
    if (c->kind != LM_SENSOR_VARIABLE) return -1;
    return s->spec->variables.at[c->variable].kind == LM_VARIABLE_STATE ? -1 : c->variable;
}

static void visit(walk *w, int k)
{
    w->number[k] = w->low[k] = ++w->visits;
    w->stack[w->nstack++] = w->path[w->npath++] = k;
    w->open[k] = 1;
}

static int reads_itself(const machine *s, int k)
{
    const lm_expr *e = &s->spec->variables.at[k].expr;
    for (int i = 0; i < e->ninputs; i++)
        if (reads(s, e->inputs[i]) == k) return 1;
    return 0;
}

/* Rates read no values (power_rate.c): all of a loop are such. */
static void close_loop(machine *s, const int *member, int n)
{
    machine_loop *l = &s->loop[s->nloops];
    l->n = n;
    l->member = s->nloops ? l[-1].member + l[-1].n : s->members;
    for (int i = 0; i < n; i++) {
        l->member[i] = member[i];
        s->follows[member[i]] = 1;
    }
    if (n > s->loop_most) s->loop_most = n;
    s->order[s->norder++] = -1 - s->nloops++;
}

/* The set of which k was visited first: one that follows, or a loop. */
static void close_set(walk *w, machine *s, int k)
{
    int n = 0, one;
    do {
        one = w->stack[--w->nstack];
        w->open[one] = 0;
        n++;
    } while (one != k);
    if (n > 1 || reads_itself(s, k)) {
        close_loop(s, w->stack + w->nstack, n);
        return;
    }
    s->follows[k] = 1;
    s->order[s->norder++] = k;
}

static void leave(walk *w, machine *s)
{
    int k = w->path[--w->npath], above = w->npath ? w->path[w->npath - 1] : -1;
    if (w->low[k] == w->number[k]) close_set(w, s, k);
    if (above >= 0 && w->low[k] < w->low[above]) w->low[above] = w->low[k];
}

static void explore(walk *w, machine *s, int from)
{
    visit(w, from);
    while (w->npath) {
        int k = w->path[w->npath - 1];
        const lm_expr *e = &s->spec->variables.at[k].expr;
        if (w->next[k] == e->ninputs) {
            leave(w, s);
            continue;
        }
        int j = reads(s, e->inputs[w->next[k]++]);
        if (j < 0) continue;
        if (!w->number[j])
            visit(w, j);
        else if (w->open[j] && w->number[j] < w->low[k])
            w->low[k] = w->number[j];
    }
}

static int note_slots(machine *s)
{
    s->slot = LM_NEW_N(&s->arena, int, s->n);
    if (!s->slot) return -1;
    for (int i = 0; i < s->spec->sensors.n; i++) {
        const lm_spec_sensor *c = &s->spec->sensors.at[i];
        if (c->kind == LM_SENSOR_VARIABLE) s->slot[c->variable] = 1 + i;
    }
    return 0;
}

int machine_make_order(machine *s)
{
    lm_arena temp = {0};
    int n = s->n, *room = LM_NEW_N(&temp, int, 5 * n);
    walk w = {.s = s, .open = LM_NEW_N(&temp, unsigned char, n)};
    s->order = LM_NEW_N(&s->arena, int, n);
    s->follows = LM_NEW_N(&s->arena, unsigned char, n);
    s->loop = LM_NEW_N(&s->arena, machine_loop, n);
    s->members = LM_NEW_N(&s->arena, int, n);
    s->loop_start = LM_NEW_N(&s->arena, double, n);
    s->loop_slots = LM_NEW_N(&s->arena, double, s->spec->sensors.n + 1);
    int bad = !room || !w.open || !s->order || !s->follows || !s->loop || !s->members ||
              !s->loop_start || !s->loop_slots || note_slots(s);
    w.number = room, w.low = room + n, w.next = w.low + n, w.stack = w.next + n;
    w.path = w.stack + n;
    for (int k = 0; k < n && !bad; k++)
        if (!w.number[k] && s->spec->variables.at[k].kind != LM_VARIABLE_STATE) explore(&w, s, k);
    lm_arena_free(&temp);
    size_t m = (size_t)s->loop_most;
    if (!bad) s->loop_room = LM_NEW_N(&s->arena, double, 6 * m + m * m);
    return bad || !s->loop_room ? -1 : 0;
}
