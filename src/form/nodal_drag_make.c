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

void nodal_block_add(double f, const double *X, double *to)
{
    for (int k = 0; k < 36; k++) to[k] += f * X[k];
}

/* ---- mass ---- */

/* Of a rigid piece, about its node and in its axes. */
void nodal_lump_mass(const nodal_lump *l, double X[36])
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
    double own[36], next[36], other[36];
    memset(d->own, 0, sizeof(double) * 36 * (size_t)d->frame.n);
    memset(d->next, 0, sizeof(double) * 36 * (size_t)d->nlinks);
    for (int k = 0; k < d->nlinks; k++) {
        const nodal_drag_link *l = &d->link[k];
        if (l->lump) {
            nodal_lump_mass(l->lump, own);
            nodal_block_turn(&s->kin.R[l->lump->node], 0, own, next);
            nodal_block_add(l->alpha, next, d->own[l->i]);
            continue;
        }
        nodal_natural now;
        nodal_beam_natural(s, st, l->element, &now);
        nodal_element_mass(&s->m->elements[l->element], &now.R, own, next, other);
        nodal_block_add(l->alpha, own, d->own[l->i]);
        nodal_block_add(l->alpha, next, d->next[k]);
        nodal_block_add(l->alpha, other, d->own[l->j]);
    }
}

/* ---- the pattern ---- */

/* 1: the reference couples velocities of node j with forces on node i. */
static int by_reference(const nodal_damped *d, int i, int j)
{
    int of_i = nodal_is_reference(&d->frame, i), of_j = nodal_is_reference(&d->frame, j);
    return (of_i && (of_j || d->has_mass[j])) || (of_j && d->has_mass[i]);
}

static void add_block(nodal_damped *d, int i, int j, int link)
{
    d->block[d->nblocks++] = (nodal_drag_block){.i = i, .j = j, .link = link};
}

/* Blocks (i, j): velocities of node j make forces on node i. */
static int list_blocks(nodal_damped *d, lm_arena *a)
{
    int n = d->frame.n, room = n + 2 * d->nlinks;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) room += by_reference(d, i, j);
    d->block = LM_NEW_N(a, nodal_drag_block, room);
    if (!d->block) return -1;
    for (int k = 0; k < n; k++)
        if (d->has_mass[k]) add_block(d, k, k, DRAG_OWN);
    for (int k = 0; k < d->nlinks; k++)
        if (!d->link[k].lump)
            add_block(d, d->link[k].i, d->link[k].j, k),
                add_block(d, d->link[k].j, d->link[k].i, k);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (by_reference(d, i, j)) add_block(d, i, j, DRAG_REFERENCE);
    return 0;
}

/* Nodes beside the structure: they take part in how the forces turn. */
static void couple_beside(const nodal *s, const damping_frame *f, lm_pattern_builder *pb)
{
    for (int r = 0; r < f->nrows; r++) {
        int n = NODE_V * nodal_drag_beside(s, f, r);
        for (int k = 0; k < f->n && n >= 0; k++) {
            lm_pattern_block(pb, NODE_V * f->list[k], n, NODE_V, NODE_V);
            lm_pattern_block(pb, n, NODE_V * f->list[k], NODE_V, NODE_V);
        }
    }
}

void nodal_drag_pattern(const nodal *s, lm_pattern_builder *pb)
{
    for (int k = 0; k < s->ndamped; k++) {
        const nodal_damped *d = &s->damped[k];
        couple_beside(s, &d->frame, pb);
        for (const nodal_drag_block *b = d->block; b < d->block + d->nblocks; b++)
            lm_pattern_block(pb, NODE_V * d->frame.list[b->i], NODE_V * d->frame.list[b->j], NODE_V,
                             NODE_V);
    }
}

void nodal_drag_places(nodal *s)
{
    for (int k = 0; k < s->ndamped; k++) {
        const nodal_damped *d = &s->damped[k];
        for (nodal_drag_block *b = d->block; b < d->block + d->nblocks; b++)
            for (int c = 0; c < NODE_V; c++)
                b->at[c] = lm_pattern_find(&s->sys.pattern, NODE_V * d->frame.list[b->i],
                                           NODE_V * d->frame.list[b->j] + c);
    }
}

/* ---- making ---- */

/* The elements of a damped beam, or its rigid pieces. */
static void link_beam(nodal *s, int body, nodal_damped *d)
{
    const lm_beam *beam = &s->m->beams[body];
    const lm_element *e = &s->m->elements[beam->first_element];
    double alpha = beam->damping_mass;
    for (int k = 0; k < beam->nelements; k++) s->drag[beam->first_element + k] = d;
    if (alpha == 0) return;
    for (int k = 0; k < beam->nelements && !s->nlumps; k++) {
        int i = s->drag_index[e[k].node[0]], j = s->drag_index[e[k].node[1]];
        d->has_mass[i] = d->has_mass[j] = 1;
        d->link[d->nlinks++] =
            (nodal_drag_link){.i = i, .j = j, .alpha = alpha, .element = beam->first_element + k};
    }
    for (int k = 0; k < s->nlumps; k++) {
        int i = s->drag_index[s->lumps[k].node];
        if (s->m->nodes[s->lumps[k].node].body != body) continue;
        d->has_mass[i] = 1;
        d->link[d->nlinks++] =
            (nodal_drag_link){.i = i, .j = i, .alpha = alpha, .lump = &s->lumps[k]};
    }
}

static int reserve(nodal_damped *d, int links, lm_arena *a)
{
    size_t n = (size_t)d->frame.n, block = sizeof(double) * 36 * n;
    d->weight = lm_arena_alloc(a, block);
    d->own = lm_arena_alloc(a, block);
    d->next = lm_arena_alloc(a, sizeof(double) * 36 * (size_t)links);
    d->B = lm_arena_alloc(a, block);
    d->push = lm_arena_alloc(a, block);
    d->lead = lm_arena_alloc(a, block);
    d->arm = LM_NEW_N(a, lm_v3, d->frame.n);
    d->rel = LM_NEW_N(a, double, NODE_V * d->frame.n);
    d->force = LM_NEW_N(a, double, NODE_V * d->frame.n);
    d->link = LM_NEW_N(a, nodal_drag_link, links);
    d->has_mass = LM_NEW_N(a, unsigned char, d->frame.n);
    int there = d->weight && d->own && d->next && d->B && d->push && d->lead;
    return there && d->arm && d->rel && d->force && d->link && d->has_mass ? 0 : -1;
}

static int make_structure(nodal *s, const damping_net *net, int own, lm_arena *temp)
{
    nodal_damped *d = &s->damped[s->ndamped];
    int links = 1;
    for (int b = 0; b < s->m->nbodies; b++)
        if (net->of[b] == own) links += s->m->beams[b].nelements + 1;
    if (damping_frame_make(net, own, &s->arena, &d->frame) || reserve(d, links, &s->arena))
        return -1;
    for (int b = 0; b < s->m->nbodies; b++)
        if (net->of[b] == own && s->m->beams[b].nelements) link_beam(s, b, d);
    s->ndamped++;
    return nodal_drag_weights(s, net, own, temp, d) || list_blocks(d, &s->arena) ? -1 : 0;
}

/* wanted [structures]: 1 where a beam is damped; how many. */
static int list_wanted(const nodal *s, const damping_net *net, unsigned char *wanted)
{
    int n = 0;
    for (int b = 0; b < s->m->nbodies; b++)
        if (s->m->beams[b].nelements && s->m->beams[b].damping_mass != 0) wanted[net->of[b]] = 1;
    for (int k = 0; k < net->n; k++) n += wanted[k];
    return n;
}

static int make_all(nodal *s, lm_arena *temp)
{
    const lm_model *m = s->m;
    damping_net net;
    unsigned char *wanted = LM_NEW_N(temp, unsigned char, m->nbodies + 1);
    int joints = s->division ? s->division->first_joint : m->njoints;
    if (!wanted || damping_net_make(m, joints, temp, &net)) return -1;
    s->damped = LM_NEW_N(&s->arena, nodal_damped, list_wanted(s, &net, wanted));
    s->drag = lm_arena_alloc(&s->arena, sizeof *s->drag * (size_t)m->nelements);
    s->drag_index = LM_NEW_N(&s->arena, int, m->nnodes);
    s->drag_force = LM_NEW_N(&s->arena, double, s->sys.nv);
    s->drag_turn = LM_NEW_N(&s->arena, double, s->sys.nv);
    s->drag_q = LM_NEW_N(&s->arena, double, s->sys.nq);
    if (!s->damped || !s->drag || !s->drag_index || !s->drag_force || !s->drag_turn || !s->drag_q)
        return -1;
    memcpy(s->drag_index, net.index, sizeof(int) * (size_t)m->nnodes);
    for (int k = 0; k < net.n; k++)
        if (wanted[k] && make_structure(s, &net, k, temp)) return -1;
    return 0;
}

/* Elements that are all there is to a beam have their damping in themselves. */
int nodal_make_drags(nodal *s)
{
    int damped = 0;
    for (int k = 0; k < s->m->nbodies; k++)
        damped |= s->m->beams[k].nelements && s->m->beams[k].damping_mass != 0;
    if (!damped || (s->floating && s->floating->element_force)) return 0;
    lm_arena temp = {0};
    int bad = make_all(s, &temp);
    lm_arena_free(&temp);
    return bad;
}
