/* How the forces of damping by mass turn and move with their structure: the part of K that is left to
 * Newton's method (nodal_drag.c), and that small deviations from a motion must have. With F = C V' and the
 * forces r = F - B^T R^T F
 *
 *     dr/dq = (1 - B^T R^T) dC/dq V'  +  dr/dq at constant C,
 *
 * both by central differences: the first of the mass of one element or rigid piece, the second of the arms
 * and of the reference, which joints and the nodes that they lead to move, too. */
#include "form/nodal_drag.h"

#include <string.h>

#define STEP 2e-6 /* over the length of the structure's beams or in radians */

typedef struct turn {
    nodal *s;
    nodal_damped *d;
    const lm_state *st; /* the state */
    lm_state at;        /* ... one beside it */
    double w, *values;
} turn;

/* The state with motion i of a node by h, and the kinematics that its forces read. */
static void move(const turn *t, int node, int i, double h)
{
    nodal *s = t->s;
    const damping_frame *f = &t->d->frame;
    double step[6] = {0}, *q = s->drag_q;
    step[i] = i < 3 ? h * f->length : h;
    v3_put(q + NODE_Q * node, v3_add(node_x(t->st->q, node), v3_from(step)));
    quat_put(q + NODE_Q * node + 3,
             quat_unit(quat_mul(lm_quat_exp(v3_from(step + 3)), node_quat(t->st->q, node))));
    s->kin.R[node] = quat_m3(node_quat(q, node));
    for (int r = 0; r < f->nrows && f->fitted; r++) {
        const int *ends = s->m->pairs[f->row[r].pair].node;
        if (ends[0] == node || ends[1] == node) nodal_kinematics_of(s, q, f->row[r].pair);
    }
}

static void move_back(const turn *t, int node) { move(t, node, 0, 0); }

/* The forces into the column of a velocity; they are 0 again. */
static void put_column(const turn *t, int node, int i)
{
    const lm_pattern *p = &t->s->sys.pattern;
    const damping_frame *f = &t->d->frame;
    double *r = t->s->drag_turn, over = t->w / (2 * STEP * (i < 3 ? f->length : 1));
    int c = NODE_V * node + i;
    for (int k = p->colptr[c]; k < p->colptr[c + 1] && p->rowind[k] < t->s->sys.nv; k++)
        t->values[k] += over * r[p->rowind[k]];
    for (int k = 0; k < f->n; k++) memset(r + NODE_V * f->list[k], 0, sizeof(double) * NODE_V);
}

/* ---- the mass ---- */

/* F [12] += w C V' of a link. */
static void link_force(const turn *t, const nodal_drag_link *l, double w, double F[12])
{
    const nodal *s = t->s;
    const double *x = t->d->rel + 6 * l->i, *y = t->d->rel + 6 * l->j;
    double own[36], next[36], other[36];
    if (l->lump) {
        nodal_lump_mass(l->lump, own);
        nodal_block_turn(&s->kin.R[l->lump->node], 0, own, next);
        nodal_block_times(w * l->alpha, next, 0, x, F);
        return;
    }
    nodal_natural now;
    nodal_beam_natural(s, &t->at, l->element, &now);
    nodal_element_mass(&s->m->elements[l->element], &now.R, own, next, other);
    nodal_block_times(w * l->alpha, own, 0, x, F);
    nodal_block_times(w * l->alpha, next, 0, y, F);
    nodal_block_times(w * l->alpha, next, 1, x, F + 6);
    nodal_block_times(w * l->alpha, other, 0, y, F + 6);
}

/* r = (1 - B^T R^T) F for the forces of a link. */
static void balance(const turn *t, const nodal_drag_link *l, const double F[12])
{
    const nodal_damped *d = t->d;
    double h[6] = {0}, *r = t->s->drag_turn;
    for (int e = 0; e < 2; e++) {
        int k = e ? l->j : l->i;
        lm_v3 force = v3_from(F + 6 * e), moment = v3_from(F + 6 * e + 3);
        v3_acc(h, force);
        v3_acc(h + 3, v3_add(moment, v3_cross(d->arm[k], force)));
        for (int i = 0; i < 6; i++) r[NODE_V * d->frame.list[k] + i] += F[6 * e + i];
    }
    for (int k = 0; k < d->frame.n; k++)
        if (nodal_is_reference(&d->frame, k))
            nodal_block_times(-1, d->B[k], 1, h, r + NODE_V * d->frame.list[k]);
}

static void turn_link(const turn *t, const nodal_drag_link *l)
{
    for (int e = 0; e < (l->lump ? 1 : 2); e++) {
        int node = t->d->frame.list[e ? l->j : l->i];
        for (int i = 0; i < NODE_V; i++) {
            double F[12] = {0};
            for (int side = -1; side < 2; side += 2) {
                move(t, node, i, side * STEP);
                link_force(t, l, side, F);
            }
            balance(t, l, F);
            put_column(t, node, i);
        }
        move_back(t, node);
    }
}

/* ---- arms and the reference ---- */

static void follow_node(const turn *t, int node)
{
    for (int i = 0; i < NODE_V; i++) {
        for (int side = -1; side < 2; side += 2) {
            move(t, node, i, side * STEP);
            nodal_drag_follow(t->s, &t->at, t->d);
            nodal_drag_push(&t->at, t->d);
            nodal_drag_add(t->d, side, t->s->drag_turn);
        }
        put_column(t, node, i);
    }
    move_back(t, node);
}

static void follow(const turn *t)
{
    const damping_frame *f = &t->d->frame;
    for (int k = 0; k < f->n; k++) follow_node(t, f->list[k]);
    for (int r = 0; r < f->nrows; r++) {
        int node = nodal_drag_beside(t->s, f, r), seen = node < 0;
        for (int b = 0; b < r; b++) seen |= nodal_drag_beside(t->s, f, b) == node;
        if (!seen) follow_node(t, node);
    }
}

static int moves(const nodal_damped *d, const lm_state *st)
{
    for (int i = 0; i < NODE_V * d->frame.n; i++)
        if (st->v[NODE_V * d->frame.list[i / NODE_V] + i % NODE_V] != 0) return 1;
    return 0;
}

void nodal_drag_turn(nodal *s, const lm_state *st, double cK, double *values)
{
    if (!s->ndamped || !st->v) return;
    memcpy(s->drag_q, st->q, sizeof(double) * (size_t)s->sys.nq);
    memset(s->drag_turn, 0, sizeof(double) * (size_t)s->sys.nv);
    for (int k = 0; k < s->ndamped; k++) {
        nodal_damped *d = &s->damped[k];
        turn t = {.s = s, .d = d, .st = st, .at = *st, .w = cK, .values = values};
        t.at.q = s->drag_q;
        if (!moves(d, st)) continue;
        nodal_drag_enter(s, st, d);
        for (int l = 0; l < d->nlinks; l++) turn_link(&t, &d->link[l]);
        follow(&t);
        nodal_drag_enter(s, st, d);
    }
}
