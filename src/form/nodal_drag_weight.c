/* What rigid motions weigh: mass times rigid motions of the nodes of a structure, of all its bodies as drawn. */
#include "form/nodal_drag.h"

#include <string.h>

#define SPIN 5e-7 /* inertia about the axis for sections without, over mass times length squared */

typedef struct weigher {
    const nodal *s;
    nodal_damped *d;
    double (*W)[36]; /* [n] world axes */
    lm_v3 *arm;      /* [n] from the base */
} weigher;

static lm_m3 drawn_axes(const nodal *s, int node) { return quat_m3(s->m->nodes[node].q); }

/* W_i += M_ij R_j */
static void weigh(weigher *w, int i, const double *M, int Mt, int j)
{
    double R[36];
    nodal_block_rigid(w->arm[j], R);
    nodal_block_product(1, M, Mt, R, 0, w->W[i]);
}

/* A rigid mass fixed to a node. */
static void weigh_rigid(weigher *w, int node, const nodal_lump *l)
{
    double own[36], M[36];
    lm_m3 T = drawn_axes(w->s, node);
    int k = w->s->drag_index[node];
    nodal_lump_mass(l, own);
    nodal_block_turn(&T, 0, own, M);
    weigh(w, k, M, 0, k);
}

lm_v3 nodal_drag_drawn_base(const nodal *s, const damping_frame *f)
{
    lm_m3 R = drawn_axes(s, f->node[0]);
    return v3_add(s->m->nodes[f->node[0]].x, m3_v(&R, f->r[0]));
}

/* Sections that have no inertia about the axis get a little, so that there is a mean of their turning. */
void nodal_drag_drawn_mass(const nodal *s, const damping_frame *f, const lm_element *e,
                           double M[3][36])
{
    lm_m3 R = drawn_axes(s, e->node[0]), T = m3_mul(&R, &e->A[0]);
    nodal_element_mass(e, &T, M[0], M[1], M[2]);
    if (e->shape.mt[0] > 0) return;
    double mass = e->shape.mx[0] + e->shape.mx[2];
    lm_v3 axis = m3_col(&T, 0);
    lm_m3 J = m3_scale(SPIN * f->length * f->length * mass, m3_outer(axis, axis));
    for (int k = 0; k < 9; k++)
        M[0][21 + k % 3 + 6 * (k / 3)] += J.m[k], M[2][21 + k % 3 + 6 * (k / 3)] += J.m[k];
}

static void weigh_element(weigher *w, const lm_element *e)
{
    double M[3][36];
    int i = w->s->drag_index[e->node[0]], j = w->s->drag_index[e->node[1]];
    nodal_drag_drawn_mass(w->s, &w->d->frame, e, M);
    weigh(w, i, M[0], 0, i), weigh(w, i, M[1], 0, j);
    weigh(w, j, M[1], 1, i), weigh(w, j, M[2], 0, j);
}

/* The matrix of a superelement is in the axes of its frame, as drawn those of the first node less what they
 * are turned there. */
static void weigh_super(weigher *w, const lm_body *b)
{
    const lm_super *u = &w->s->m->supers[b->super];
    lm_m3 T = drawn_axes(w->s, b->first_node), back = m3_t(&u->R0[0]);
    T = m3_mul(&T, &back);
    for (int i = 0; i < u->n; i++)
        for (int j = 0; j < u->n; j++) {
            double own[36], M[36];
            for (int k = 0; k < 36; k++) own[k] = u->M[6 * i + k % 6 + 6 * u->n * (6 * j + k / 6)];
            nodal_block_turn(&T, 0, own, M);
            weigh(w, w->s->drag_index[b->first_node + i], M, 0,
                  w->s->drag_index[b->first_node + j]);
        }
}

static void weigh_body(weigher *w, int body)
{
    const lm_model *m = w->s->m;
    const lm_body *b = &m->bodies[body];
    const lm_beam *beam = &m->beams[body];
    if (b->type == LM_BODY_RIGID)
        weigh_rigid(w, b->first_node, &(nodal_lump){.mass = b->mass, .J = b->J});
    if (b->super >= 0) weigh_super(w, b);
    for (int k = 0; k < beam->nelements && !w->s->nlumps; k++)
        weigh_element(w, &m->elements[beam->first_element + k]);
    for (int k = 0; k < w->s->nlumps; k++) {
        const nodal_lump *l = &w->s->lumps[k];
        if (m->nodes[l->node].body != body) continue;
        weigh_rigid(w, l->node, l);
        double spin = 2 * SPIN * w->d->frame.length * w->d->frame.length * l->mass;
        if (l->spare > 0)
            weigh_rigid(w, l->node, &(nodal_lump){.J = m3_scale(spin, m3_outer(l->axis, l->axis))});
    }
}

static void find_arms(weigher *w)
{
    const damping_frame *f = &w->d->frame;
    const lm_node *node = w->s->m->nodes;
    lm_v3 base = nodal_drag_drawn_base(w->s, f);
    for (int k = 0; k < f->n; k++) w->arm[k] = v3_sub(node[f->list[k]].x, base);
}

int nodal_drag_weights(const nodal *s, const damping_net *net, int own, lm_arena *temp,
                       nodal_damped *d)
{
    const damping_frame *f = &d->frame;
    weigher w = {.s = s,
                 .d = d,
                 .W = lm_arena_alloc(temp, sizeof(double) * 36 * (size_t)f->n),
                 .arm = LM_NEW_N(temp, lm_v3, f->n)};
    if (!w.W || !w.arm) return -1;
    find_arms(&w);
    for (int b = 0; b < s->m->nbodies; b++)
        if (net->of[b] == own) weigh_body(&w, b);
    for (int k = 0; k < f->ncarried; k++)
        weigh_rigid(&w, f->list[f->carried[k].k],
                    &(nodal_lump){.mass = f->carried[k].mass, .c = f->carried[k].r});
    lm_m3 axes = drawn_axes(s, f->node[0]);
    for (int k = 0; k < f->n; k++) nodal_block_turn(&axes, 1, w.W[k], d->weight[k]);
    return 0;
}
