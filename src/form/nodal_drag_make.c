/* Mass-proportional damping of beams: what is made once, and the mass in blocks. */
#include "form/nodal_drag.h"

#include <string.h>

/* ---- blocks ---- */

void nodal_block_product(double f, const double *A, int At, const double *B, int Bt, double *C)
{
    for (int c = 0; c < 6; c++)
        for (int k = 0; k < 6; k++) {
            double b = f * (Bt ? B[c + 6 * k] : B[k + 6 * c]);
            for (int r = 0; r < 6; r++) C[r + 6 * c] += b * (At ? A[k + 6 * r] : A[r + 6 * k]);
        }
}

void nodal_block_rigid(lm_v3 arm, double *R)
{
    lm_m3 S = m3_skew(arm);
    memset(R, 0, sizeof(double) * 36);
    for (int i = 0; i < 6; i++) R[7 * i] = 1;
    for (int k = 0; k < 9; k++) R[k % 3 + 6 * (3 + k / 3)] = -S.m[k];
}

void nodal_block_turn(const lm_m3 *T, int back, const double *X, double *out)
{
    lm_m3 left = back ? m3_t(T) : *T, right = back ? *T : m3_t(T);
    for (int q = 0; q < 4; q++) {
        lm_m3 A;
        int at = 3 * (q % 2) + 18 * (q / 2);
        for (int k = 0; k < 9; k++) A.m[k] = X[at + k % 3 + 6 * (k / 3)];
        A = m3_mul(&left, &A);
        A = m3_mul(&A, &right);
        for (int k = 0; k < 9; k++) out[at + k % 3 + 6 * (k / 3)] = A.m[k];
    }
}

void nodal_element_mass(const lm_element *e, const lm_m3 *T, double own[36], double next[36],
                        double other[36])
{
    double M[12][12], *out[3] = {own, next, other};
    lm_beam_matrices(&e->shape, NULL, M);
    for (int q = 0; q < 3; q++) {
        double X[36];
        for (int k = 0; k < 36; k++) X[k] = M[6 * (q > 0) + k / 6][6 * (q > 1) + k % 6];
        nodal_block_turn(T, 0, X, out[q]);
    }
}

void nodal_block_add(const double *X, double *to)
{
    for (int k = 0; k < 36; k++) to[k] += X[k];
}

/* ---- mass ---- */

static lm_m3 node_axes(const nodal *s, const lm_state *st, int node)
{
    return st ? s->kin.R[node] : quat_m3(s->m->nodes[node].q);
}

static lm_m3 element_axes(const nodal *s, const lm_state *st, int element)
{
    nodal_natural now;
    const lm_element *e = &s->m->elements[element];
    lm_m3 R = node_axes(s, NULL, e->node[0]);
    if (!st) return m3_mul(&R, &e->A[0]);
    nodal_beam_natural(s, st, element, &now);
    return now.R;
}

/* Of a rigid piece, about its node and in its axes. */
static void lump_mass(const nodal_lump *l, double X[36])
{
    lm_m3 C = m3_scale(l->mass, m3_skew(l->c)), J = m3_scale(-l->mass, m3_skew_skew(l->c, l->c));
    J = m3_add(l->J, J);
    memset(X, 0, sizeof(double) * 36);
    for (int k = 0; k < 9; k++) {
        int at = k % 3 + 6 * (k / 3);
        X[at] = k % 4 ? 0 : l->mass;
        X[at + 3] = C.m[k];
        X[at + 18] = -C.m[k];
        X[at + 21] = J.m[k];
    }
}

void nodal_damped_mass(const nodal *s, const lm_state *st, nodal_damped *d)
{
    const damping_frame *f = &d->frame;
    double own[36], other[36];
    memset(d->own, 0, sizeof(double) * 36 * (size_t)f->n);
    for (int k = 0; k < f->n && d->lumps; k++) {
        lm_m3 T = node_axes(s, st, f->first + k);
        lump_mass(&d->lumps[k], own);
        nodal_block_turn(&T, 0, own, d->own[k]);
    }
    for (int k = 0; k + 1 < f->n && !d->lumps; k++) {
        lm_m3 T = element_axes(s, st, d->element + k);
        nodal_element_mass(&s->m->elements[d->element + k], &T, own, d->next[k], other);
        nodal_block_add(own, d->own[k]), nodal_block_add(other, d->own[k + 1]);
    }
}

void nodal_damped_push(nodal_damped *d)
{
    double R[36];
    memset(d->push, 0, sizeof(double) * 36 * (size_t)d->frame.n);
    for (int k = 0; k < d->frame.n; k++) {
        nodal_block_rigid(d->arm[k], R);
        nodal_block_product(1, d->own[k], 0, R, 0, d->push[k]);
        if (k > 0) nodal_block_product(1, d->next[k - 1], 0, R, 0, d->push[k - 1]);
        if (k + 1 < d->frame.n) nodal_block_product(1, d->next[k], 1, R, 0, d->push[k + 1]);
    }
}

/* ---- the pattern ---- */

/* Blocks (i, j): velocities of node j make forces on node i. */
static int list_blocks(nodal_damped *d, lm_arena *a)
{
    const damping_frame *f = &d->frame;
    int references = 0;
    for (int k = 0; k < f->n; k++) references += nodal_is_reference(f, k);
    d->block = LM_NEW_N(a, nodal_drag_block, f->n * (f->fitted ? f->n : 3 + 2 * references));
    for (int j = 0; j < f->n && d->block; j++)
        for (int i = 0; i < f->n; i++)
            if ((i - j <= 1 && j - i <= 1) || nodal_is_reference(f, i) || nodal_is_reference(f, j))
                d->block[d->nblocks++] = (nodal_drag_block){.i = i, .j = j};
    return d->block ? 0 : -1;
}

void nodal_drag_pattern(const nodal *s, lm_pattern_builder *pb)
{
    for (int k = 0; k < s->ndamped; k++) {
        const nodal_damped *d = &s->damped[k];
        for (const nodal_drag_block *b = d->block; b < d->block + d->nblocks; b++)
            lm_pattern_block(pb, NODE_V * (d->frame.first + b->i), NODE_V * (d->frame.first + b->j),
                             NODE_V, NODE_V);
    }
}

void nodal_drag_places(nodal *s)
{
    for (int k = 0; k < s->ndamped; k++) {
        const nodal_damped *d = &s->damped[k];
        for (nodal_drag_block *b = d->block; b < d->block + d->nblocks; b++)
            for (int c = 0; c < NODE_V; c++)
                b->at[c] = lm_pattern_find(&s->sys.pattern, NODE_V * (d->frame.first + b->i),
                                           NODE_V * (d->frame.first + b->j) + c);
    }
}

/* ---- making ---- */

static int reserve(nodal_damped *d, lm_arena *a)
{
    size_t n = (size_t)d->frame.n, block = sizeof(double) * 36 * n;
    d->weight = lm_arena_alloc(a, block);
    d->own = lm_arena_alloc(a, block);
    d->next = lm_arena_alloc(a, block);
    d->B = lm_arena_alloc(a, block);
    d->push = lm_arena_alloc(a, block);
    d->lead = lm_arena_alloc(a, block);
    d->arm = LM_NEW_N(a, lm_v3, d->frame.n);
    d->rel = LM_NEW_N(a, double, NODE_V * d->frame.n);
    d->force = LM_NEW_N(a, double, NODE_V * d->frame.n);
    int there = d->weight && d->own && d->next && d->B && d->push && d->lead;
    return there && d->arm && d->rel && d->force ? list_blocks(d, a) : -1;
}

/* Mass points on a node; and a little inertia about the axis for sections that have none, so that there
 * is a mean of their turning. */
static void add_weights(const lm_model *m, nodal_damped *d)
{
    const damping_frame *f = &d->frame;
    for (int k = 0; k < f->n; k++) {
        for (int i = 0; i < 3; i++) d->own[k][7 * i] += f->carried[k];
        if (k + 1 == f->n) break;
        const lm_element *e = &m->elements[d->element + k];
        if (e->shape.mt[0] > 0) continue;
        lm_m3 R = quat_m3(m->nodes[e->node[0]].q), T = m3_mul(&R, &e->A[0]);
        double spin = 5e-7 * f->length * f->length * (e->shape.mx[0] + e->shape.mx[2]);
        lm_m3 J = m3_scale(spin, m3_outer(m3_col(&T, 0), m3_col(&T, 0)));
        for (int i = 0; i < 18; i++) d->own[k + i / 9][21 + i % 3 + 6 * (i % 9 / 3)] += J.m[i % 9];
    }
}

static void drawn_weights(const nodal *s, nodal_damped *d)
{
    const damping_frame *f = &d->frame;
    const lm_node *node = s->m->nodes;
    lm_m3 axes = quat_m3(node[f->node[0]].q);
    nodal_damped_mass(s, NULL, d);
    add_weights(s->m, d);
    for (int k = 0; k < f->n; k++) d->arm[k] = v3_sub(node[f->first + k].x, node[f->node[0]].x);
    nodal_damped_push(d);
    for (int k = 0; k < f->n; k++) nodal_block_turn(&axes, 1, d->push[k], d->weight[k]);
}

/* *lump: of those of rigid pieces, which come in the order of the nodes, the next to look at. */
static int make_drag(nodal *s, const damping_net *net, int body, int *lump)
{
    const lm_beam *beam = &s->m->beams[body];
    nodal_damped *d = &s->damped[s->ndamped];
    if (beam->damping_mass == 0 || !beam->nelements) return 0;
    d->alpha = beam->damping_mass, d->element = beam->first_element;
    if (damping_frame_make(net, body, &s->arena, &d->frame) || reserve(d, &s->arena)) return -1;
    while (*lump < s->nlumps && s->lumps[*lump].node < d->frame.first) ++*lump;
    if (*lump < s->nlumps && s->lumps[*lump].node == d->frame.first) d->lumps = &s->lumps[*lump];
    drawn_weights(s, d);
    s->ndamped++;
    for (int k = 0; k < beam->nelements; k++)
        s->drags[s->ndrags++] = (nodal_drag){.element = d->element + k, .beam = d};
    return 0;
}

int nodal_make_drags(nodal *s)
{
    const lm_model *m = s->m;
    int elements = 0, beams = 0, joints = s->division ? s->division->first_joint : m->njoints;
    if (s->floating) return 0;
    for (int k = 0; k < m->nbodies; k++)
        if (m->beams[k].damping_mass != 0) elements += m->beams[k].nelements, beams++;
    s->drags = LM_NEW_N(&s->arena, nodal_drag, elements);
    s->damped = LM_NEW_N(&s->arena, nodal_damped, beams);
    if (!s->drags || !s->damped) return -1;
    lm_arena temp = {0};
    damping_net net;
    int bad = beams && damping_net_make(m, joints, &temp, &net) ? -1 : 0;
    for (int b = 0, lump = 0; b < m->nbodies && beams && !bad; b++)
        bad = make_drag(s, &net, b, &lump);
    lm_arena_free(&temp);
    return bad;
}
