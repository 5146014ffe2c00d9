#include "analysis/turns.h"

#include <math.h>
#include <string.h>

/* Angles from which on the user is told, rad. */
#define ELEMENT 2.0
#define SPRING  3.0

typedef struct turning {
    int node[2]; /* LM_GROUND or a node */
    lm_m3 E[2];  /* the triad on it */
    int body;    /* of an element; -1: springs */
    lm_loc loc;
    const char *name;
    double most; /* largest angle seen */
    int told;
} turning;

struct lm_turns {
    lm_arena arena;
    LM_VEC(turning) of;
    double *pose; /* [7 nposes] */
};

/* ---- what turns ---- */

static void add_elements(const lm_run *run, lm_turns *t)
{
    const lm_model *m = run->model;
    for (int b = 0; b < m->nbodies; b++) {
        const lm_beam *beam = &m->beams[b];
        const lm_spec_item *item = &m->spec->bodies.at[b].item;
        for (int k = 0; k < beam->nelements; k++) {
            const lm_element *e = &m->elements[beam->first_element + k];
            *LM_PUSH(&t->arena, &t->of) = (turning){.node = {e->node[0], e->node[1]},
                                                    .E = {e->A[0], e->A[1]},
                                                    .body = b,
                                                    .loc = item->loc,
                                                    .name = item->name};
        }
    }
}

/* Where the joint or force of this name stands in the file. */
static lm_loc place_of(const lm_spec *spec, const char *owner)
{
    for (int i = 0; i < spec->joints.n; i++)
        if (strcmp(spec->joints.at[i].item.name, owner) == 0) return spec->joints.at[i].item.loc;
    for (int i = 0; i < spec->forces.n; i++)
        if (strcmp(spec->forces.at[i].item.name, owner) == 0) return spec->forces.at[i].item.loc;
    return (lm_loc){spec->file, 0, 0};
}

static void add_springs(const lm_run *run, lm_turns *t)
{
    const lm_model *m = run->model;
    int last = -1;
    for (int k = 0; k < m->nactions; k++) {
        const lm_action *a = &m->actions[k];
        const lm_pair *p = &m->pairs[a->pair];
        if (a->measure != LM_ROTVEC || a->stiffness == 0 || a->pair == last) continue;
        last = a->pair;
        *LM_PUSH(&t->arena, &t->of) = (turning){.node = {p->node[0], p->node[1]},
                                                .E = {p->E[0], p->E[1]},
                                                .body = -1,
                                                .loc = place_of(m->spec, a->owner),
                                                .name = a->owner};
    }
}

int lm_turns_make(lm_run *run)
{
    jmp_buf oom;
    lm_turns *t = lm_alloc(sizeof *t);
    run->turns = t;
    if (!t) return -1;
    t->arena.on_fail = &oom;
    if (setjmp(oom)) {
        lm_turns_free(run);
        return -1;
    }
    if (run->sys->nposes >= run->model->nnodes) {
        add_elements(run, t);
        add_springs(run, t);
    }
    t->pose = LM_NEW_N(&t->arena, double, 7 * run->sys->nposes + 1);
    t->arena.on_fail = NULL;
    return 0;
}

void lm_turns_free(lm_run *run)
{
    if (!run->turns) return;
    lm_arena arena = run->turns->arena;
    lm_arena_free(&arena);
    lm_free(run->turns);
    run->turns = NULL;
}

/* ---- at a state ---- */

static lm_m3 triad(const double *pose, int node, const lm_m3 *E)
{
    if (node < 0) return *E;
    lm_m3 R = quat_m3(quat_from(pose + 7 * node + 3));
    return m3_mul(&R, E);
}

void lm_turns_look(lm_run *run, const double *q)
{
    lm_turns *t = run->turns;
    if (!t || t->of.n == 0) return;
    run->sys->form->poses(run->sys, q, t->pose);
    for (int k = 0; k < t->of.n; k++) {
        turning *x = &t->of.at[k];
        lm_m3 e = triad(t->pose, x->node[0], &x->E[0]), f = triad(t->pose, x->node[1], &x->E[1]);
        double trace = v3_dot(m3_col(&e, 0), m3_col(&f, 0)) + v3_dot(m3_col(&e, 1), m3_col(&f, 1)) +
                       v3_dot(m3_col(&e, 2), m3_col(&f, 2));
        double angle = acos(fmax(-1, fmin(1, 0.5 * (trace - 1))));
        if (angle > x->most) x->most = angle;
    }
}

size_t lm_turns_size(const lm_run *run) { return run->turns ? (size_t)run->turns->of.n : 0; }

void lm_turns_keep(const lm_run *run, double *to)
{
    for (int k = 0; run->turns && k < run->turns->of.n; k++) to[k] = run->turns->of.at[k].most;
}

void lm_turns_put_back(lm_run *run, const double *from)
{
    for (int k = 0; run->turns && k < run->turns->of.n; k++) run->turns->of.at[k].most = from[k];
}

/* ---- warnings ---- */

static int same_place(lm_loc a, lm_loc b)
{
    return a.line == b.line && a.col == b.col && a.file && b.file && strcmp(a.file, b.file) == 0;
}

static const turning *worst_of_line(lm_turns *t, int first)
{
    turning *most = &t->of.at[first];
    for (int k = first; k < t->of.n; k++) {
        turning *x = &t->of.at[k];
        if (!same_place(x->loc, t->of.at[first].loc)) continue;
        if (x->most > most->most) most = x;
        x->told = 1;
    }
    return most;
}

void lm_turns_warn(lm_run *run)
{
    lm_turns *t = run->turns;
    for (int k = 0; t && k < t->of.n; k++) {
        const turning *x = &t->of.at[k];
        if (x->told || x->most <= (x->body < 0 ? SPRING : ELEMENT)) continue;
        x = worst_of_line(t, k);
        if (x->body >= 0)
            lm_warning(run->diag, x->loc,
                       "beam '%s': an element of it turns by up to %.3g rad from end to end; it is "
                       "not right for so much, and from half a turn on an angle is taken for "
                       "another one: give it more 'elements'",
                       x->name, x->most);
        else
            lm_warning(run->diag, x->loc,
                       "'%s' turns its springs by up to %.3g rad: they measure a rotation vector, "
                       "which jumps to the other side at half a turn; for larger angles take a "
                       "joint with 'stiffness', whose angle counts turns",
                       x->name, x->most);
    }
}
