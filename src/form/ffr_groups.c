/* Groups of unknowns for the block solver: the deformations of each unit in each direction, which resist by themselves; its
 * frame with the rows of the joint it hangs on in a spanning tree of units; and each joint that closes a loop
 * on its own, after the frames of the loop. A rigid body
 * without mass gets its inertia from what hangs on it, and comes after that. */
#include "form/ffr.h"

typedef struct unit_tree {
    int *start, *joint;  /* joints of each unit, in compressed lists; 0 is the ground */
    int *parent, *depth; /* [units]; depth 0: not reached yet */
    int *order, done;    /* units, parents before children */
    int *of_joint;       /* [joints] unit that hangs on it, -1: none */
} unit_tree;

static int unit_of(const ffr *s, int joint, int side)
{
    int n = s->m->pairs[s->m->joints[joint].pair].node[side];
    return n < 0 ? -1 : s->node[n].unit;
}

static int list_joints(const ffr *s, lm_arena *a, unit_tree *t)
{
    int units = s->nunits, joints = s->m->njoints;
    t->start = LM_NEW_N(a, int, units + 3);
    t->joint = LM_NEW_N(a, int, 2 * joints + 1);
    t->parent = LM_NEW_N(a, int, units + 1);
    t->depth = LM_NEW_N(a, int, units + 1);
    t->order = LM_NEW_N(a, int, units + 1);
    t->of_joint = LM_NEW_N(a, int, joints + 1);
    if (!t->start || !t->joint || !t->parent || !t->depth || !t->order || !t->of_joint) return -1;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < joints; j++)
            for (int e = 0; e < 2 && s->m->joints[j].nrows; e++) {
                int v = unit_of(s, j, e) + 1;
                if (pass == 0)
                    t->start[v + 2]++;
                else
                    t->joint[t->start[v + 1]++] = j;
            }
        for (int v = 0; v <= units && pass == 0; v++) t->start[v + 2] += t->start[v + 1];
    }
    for (int j = 0; j < joints; j++) t->of_joint[j] = -1;
    return 0;
}

static void visit(const ffr *s, unit_tree *t, int v)
{
    for (int k = t->start[v + 1]; k < t->start[v + 2]; k++) {
        int j = t->joint[k], a = unit_of(s, j, 0), other = a == v ? unit_of(s, j, 1) : a;
        if (other < 0 || t->depth[other]) continue;
        t->parent[other] = v;
        t->depth[other] = v < 0 ? 1 : t->depth[v] + 1;
        t->of_joint[j] = other;
        t->order[t->done++] = other;
    }
}

static void grow(const ffr *s, unit_tree *t)
{
    visit(s, t, -1);
    int next = 0;
    for (int root = 0; root <= s->nunits; root++) {
        while (next < t->done) visit(s, t, t->order[next++]);
        if (root == s->nunits || t->depth[root]) continue;
        t->parent[root] = -1;
        t->depth[root] = 1;
        t->order[t->done++] = root;
    }
}

static int light(const ffr *s, const ffr_unit *u)
{
    const lm_body *b = &s->m->bodies[u->body];
    if (u->f || b->type != LM_BODY_RIGID) return 0;
    double size = b->J.m[0] + b->J.m[4] + b->J.m[8];
    return b->mass == 0 || b->J.m[0] <= 1e-12 * size || b->J.m[4] <= 1e-12 * size ||
           b->J.m[8] <= 1e-12 * size;
}

/* Groups that go before others: counted in pass 0, listed in pass 1. */
static void pairs(const ffr *s, const unit_tree *t, const int *group, const int *own, lm_groups *g,
                  int pass)
{
    int *start = g->after_start + (pass ? 1 : 2);
    for (int j = 0; j < s->m->njoints; j++) {
        if (own[j] < 0 || t->of_joint[j] >= 0) continue;
        int n[2] = {unit_of(s, j, 0), unit_of(s, j, 1)};
        while (n[0] != n[1]) {
            int deep0 = n[0] < 0 ? 0 : t->depth[n[0]], deep1 = n[1] < 0 ? 0 : t->depth[n[1]];
            int *up = deep0 >= deep1 ? &n[0] : &n[1];
            if (pass)
                g->after[start[own[j]]++] = group[*up];
            else
                start[own[j]]++;
            *up = t->parent[*up];
        }
    }
    for (int i = 0; i < s->nunits; i++) {
        const int *of = g->of + s->unit[i].v + FRAME_V;
        for (int k = 0; k < s->unit[i].ne; k++) {
            if (k > 0 && of[k] == of[k - 1]) continue;
            if (pass)
                g->after[start[of[k]]++] = group[i];
            else
                start[of[k]]++;
        }
    }
    for (int i = 0; i < s->nunits; i++) {
        int up = t->parent[i];
        if (up < 0 || !light(s, &s->unit[up])) continue;
        if (pass)
            g->after[start[group[up]]++] = group[i];
        else
            start[group[up]]++;
    }
}

static int list_after(ffr *s, const unit_tree *t, const int *group, const int *own, lm_groups *g)
{
    g->after_start = LM_NEW_N(&s->arena, int, g->n + 3);
    if (!g->after_start) return -1;
    pairs(s, t, group, own, g, 0);
    for (int i = 0; i < g->n + 1; i++) g->after_start[i + 1] += g->after_start[i];
    g->after = LM_NEW_N(&s->arena, int, g->after_start[g->n + 1] + 1);
    if (!g->after) return -1;
    pairs(s, t, group, own, g, 1);
    return 0;
}

/* Bending in each plane, stretch and torsion: of very different stiffness, and hardly coupled. */
static void group_shapes(const ffr_unit *u, lm_groups *g)
{
    if (!u->f) return;
    const int n[4] = {u->f->nv, u->f->nw, u->f->na, u->f->nt};
    int *of = g->of + u->v + FRAME_V;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < n[k]; i++) *of++ = g->n;
        g->n += n[k] > 0;
    }
}

int ffr_make_groups(ffr *s)
{
    lm_groups *g = &s->sys.groups;
    lm_arena temp = {0};
    unit_tree t = {0};
    int *group = LM_NEW_N(&temp, int, s->nunits + 1), *own = LM_NEW_N(&temp, int, s->m->njoints);
    g->of = LM_NEW_N(&s->arena, int, s->sys.nv + s->sys.nl);
    int failed = !group || !own || !g->of || list_joints(s, &temp, &t);
    if (!failed) grow(s, &t);
    g->n = s->nunits;
    for (int k = 0; k < s->nunits && !failed; k++) {
        const ffr_unit *u = &s->unit[t.order[k]];
        group[t.order[k]] = k;
        for (int i = 0; i < FRAME_V; i++) g->of[u->v + i] = k;
        group_shapes(u, g);
    }
    for (int j = 0; j < s->m->njoints && !failed; j++) {
        own[j] = t.of_joint[j] >= 0 ? group[t.of_joint[j]] : -1;
        if (own[j] < 0 && s->m->joints[j].nrows) own[j] = g->n++;
    }
    for (int k = 0; k < s->sys.nl && !failed; k++) {
        int *of = &own[s->m->rows[k].joint]; /* a joint of springs may have an initial value */
        if (*of < 0) *of = g->n++;
        g->of[s->sys.nv + k] = *of;
    }
    failed = failed || list_after(s, &t, group, own, g);
    lm_arena_free(&temp);
    return failed ? -1 : 0;
}
