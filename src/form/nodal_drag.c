/* Mass-proportional damping of beams: alpha M on the velocities relative to a rigid motion that follows
 * the structure (form/damping_frame.h).
 *
 * With the nodes' twists V, their rigid motions R about the base of the frame and the reference xi = B V, the
 * velocities are V' = V - R xi, and the structure has the forces
 *
 *     f = C V'  on its nodes,   -B^T h,  h = R^T f,  on those that xi is made of,
 *
 * C the sum of alpha M, M the consistent mass of the elements, turning with their chords, or that of rigid
 * pieces. Since B R is the identity a rigid motion of the whole structure is not damped and momentum is kept,
 * and the power lost is V'^T C V'.
 *
 * What the joints leave free is fitted: xi = b V + A w, and w leaves no momentum A^T W^T (V - R xi) with the
 * weights W = M R of all bodies as drawn, turning with node[0]. Those of the deformed structure would take a
 * straight beam that is bent a little for one that can turn about its chord. */
#include "form/nodal_drag.h"

#include <string.h>

void nodal_block_times(double f, const double *A, int At, const double *x, double *y)
{
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 6; k++) y[r] += f * (At ? A[k + 6 * r] : A[r + 6 * k]) * x[k];
}

/* ---- the reference ---- */

/* Its part that is not fitted, from the twist x of node[e]; d is the chord. */
static void carried_by(const damping_frame *f, lm_v3 d, int e, const double *x, double xi[6])
{
    lm_v3 v = v3_from(x), w = v3_from(x + 3);
    if (f->node[1] >= 0) {
        double share = 1 / v3_dot(d, d), along = e ? f->along : -f->along;
        lm_v3 slide = v3_mul(along * share * v3_dot(d, v), d);
        lm_v3 turn = v3_mul((e ? f->about : 1 - f->about) * share * v3_dot(d, w), d);
        w = f->fitted ? v3(0, 0, 0) : turn;
        w = v3_add(w, v3_mul(e ? share : -share, v3_cross(d, v)));
        v = e ? slide : v3_add(v, slide);
    }
    v3_put(xi, v), v3_put(xi + 3, w);
}

/* From a node of the frame to its end of the chord. */
static lm_v3 lever(const nodal *s, const damping_frame *f, int e)
{
    return m3_v(&s->kin.R[f->node[e]], f->r[e]);
}

static lm_v3 base(const nodal *s, const lm_state *st, const damping_frame *f, int e)
{
    return v3_add(node_x(st->q, f->node[e]), lever(s, f, e));
}

static lm_v3 chord(const nodal *s, const lm_state *st, const damping_frame *f)
{
    if (f->node[1] < 0) return v3(0, 0, 0);
    return v3_sub(base(s, st, f, 1), base(s, st, f, 0));
}

/* B += (1 - Z G) b of node[e]. */
static void add_carried(const nodal *s, nodal_damped *d, lm_v3 along, int e, const double keep[36])
{
    const damping_frame *f = &d->frame;
    lm_v3 arm = lever(s, f, e);
    for (int c = 0; c < 6; c++) {
        double unit[6] = {0}, xi[6];
        unit[c] = 1;
        v3_put(unit, v3_add(v3_from(unit), v3_cross(v3_from(unit + 3), arm)));
        carried_by(f, along, e, unit, xi);
        nodal_block_times(1, keep, 0, xi, d->B[f->at[e]] + 6 * c);
    }
}

/* B of the nodes: b, or Z W^T + (1 - Z G) b with G = sum of W^T R. */
static void make_reference(const nodal *s, const lm_state *st, nodal_damped *d)
{
    const damping_frame *f = &d->frame;
    const lm_m3 *axes = &s->kin.R[f->node[0]];
    lm_v3 along = chord(s, st, f);
    double A[6][6], G[36] = {0}, keep[36] = {0}, W[36], R[36];
    int n = damping_frame_free(f, s->m, s->kin.pair, along, A);
    memset(d->B, 0, sizeof(double) * 36 * (size_t)f->n);
    for (int k = 0; k < f->n && n; k++) {
        nodal_block_turn(axes, 0, d->weight[k], W);
        nodal_block_rigid(d->arm[k], R);
        nodal_block_product(1, W, 1, R, 0, G);
    }
    damping_frame_fit(n, A, G, d->Z);
    for (int i = 0; i < 6; i++) keep[7 * i] = 1;
    nodal_block_product(-1, d->Z, 0, G, 0, keep);
    for (int k = 0; k < f->n && n; k++) {
        nodal_block_turn(axes, 0, d->weight[k], W);
        nodal_block_product(1, d->Z, 0, W, 1, d->B[k]);
    }
    for (int e = 0; e < 2 && f->node[e] >= 0; e++) add_carried(s, d, along, e, keep);
}

void nodal_drag_follow(const nodal *s, const lm_state *st, nodal_damped *d)
{
    const damping_frame *f = &d->frame;
    lm_v3 from = base(s, st, f, 0);
    for (int k = 0; k < f->n; k++) d->arm[k] = v3_sub(node_x(st->q, f->list[k]), from);
    make_reference(s, st, d);
}

/* Mass, arms and reference at a state. */
static void enter(const nodal *s, const lm_state *st, nodal_damped *d)
{
    nodal_damped_mass(s, st, d);
    nodal_drag_follow(s, st, d);
}

/* ---- forces ---- */

/* y += C x */
static void add_damping(const nodal_damped *d, const double *x, double *y)
{
    for (int k = 0; k < d->frame.n; k++)
        if (d->has_mass[k]) nodal_block_times(1, d->own[k], 0, x + 6 * k, y + 6 * k);
    for (int k = 0; k < d->nlinks; k++) {
        const nodal_drag_link *l = &d->link[k];
        if (l->lump) continue;
        nodal_block_times(1, d->next[k], 0, x + 6 * l->j, y + 6 * l->i);
        nodal_block_times(1, d->next[k], 1, x + 6 * l->i, y + 6 * l->j);
    }
}

void nodal_drag_push(const lm_state *st, nodal_damped *d)
{
    const damping_frame *f = &d->frame;
    double xi[6] = {0};
    for (int k = 0; k < f->n; k++)
        if (nodal_is_reference(f, k))
            nodal_block_times(1, d->B[k], 0, st->v + NODE_V * f->list[k], xi);
    for (int k = 0; k < f->n; k++) {
        const double *v = st->v + NODE_V * f->list[k];
        lm_v3 w = v3_from(xi + 3), moved = v3_add(v3_from(xi), v3_cross(w, d->arm[k]));
        v3_put(d->rel + 6 * k, v3_sub(v3_from(v), moved));
        v3_put(d->rel + 6 * k + 3, v3_sub(v3_from(v + 3), w));
    }
    memset(d->h, 0, sizeof d->h);
    memset(d->force, 0, sizeof(double) * 6 * (size_t)f->n);
    add_damping(d, d->rel, d->force);
    for (int k = 0; k < f->n; k++) {
        const double *to = d->force + 6 * k;
        v3_acc(d->h, v3_from(to));
        v3_acc(d->h + 3, v3_add(v3_from(to + 3), v3_cross(d->arm[k], v3_from(to))));
    }
}

void nodal_drag_enter(const nodal *s, const lm_state *st, nodal_damped *d)
{
    enter(s, st, d);
    nodal_drag_push(st, d);
}

void nodal_drag_add(const nodal_damped *d, double w, double *out)
{
    for (int k = 0; k < d->frame.n; k++) {
        double *to = out + NODE_V * d->frame.list[k];
        for (int i = 0; i < 6; i++) to[i] += w * d->force[6 * k + i];
        if (nodal_is_reference(&d->frame, k)) nodal_block_times(-w, d->B[k], 1, d->h, to);
    }
}

/* y += M x of both nodes of an element, by its blocks. */
static void element_times(double M[3][36], const double x[12], double y[12])
{
    nodal_block_times(1, M[0], 0, x, y), nodal_block_times(1, M[1], 0, x + 6, y);
    nodal_block_times(1, M[1], 1, x, y + 6), nodal_block_times(1, M[2], 0, x + 6, y + 6);
}

/* What balances the fitted part, -W Z^T h, is the inertia of every mass as drawn in the rigid acceleration
 * Z^T h: the share of an element, whose acceleration against it is rel. */
static void add_balance(const nodal *s, const lm_element *e, const nodal_damped *d, double rel[12],
                        double f[12])
{
    const damping_frame *frame = &d->frame;
    lm_m3 drawn = quat_m3(s->m->nodes[frame->node[0]].q);
    lm_m3 back = m3_t(&drawn), T = m3_mul(&s->kin.R[frame->node[0]], &back);
    double M[3][36], now[3][36], y[6] = {0}, field[12];
    nodal_block_times(-1, d->Z, 1, d->h, y);
    nodal_drag_drawn_mass(s, frame, e, M);
    for (int k = 0; k < 3; k++) nodal_block_turn(&T, 0, M[k], now[k]);
    for (int i = 0; i < 2; i++) {
        lm_v3 w = v3_from(y + 3), arm = s->m->nodes[e->node[i]].x;
        arm = m3_v(&T, v3_sub(arm, nodal_drag_drawn_base(s, frame)));
        v3_put(field + 6 * i, v3_add(v3_from(y), v3_cross(w, arm)));
        v3_put(field + 6 * i + 3, w);
    }
    for (int i = 0; i < 12; i++) rel[i] += field[i];
    element_times(now, field, f);
}

/* On the nodes of one element, as it adds to the forces of the structure, and the acceleration of which they
 * are the inertia. With floating frames the state is that of the last residual. */
void nodal_drag_forces(const nodal *s, const lm_state *st, int element, double rel[12],
                       double f[12])
{
    nodal_damped *d = s->drag[element];
    const lm_element *e = &s->m->elements[element];
    double alpha = s->m->beams[s->m->nodes[e->node[0]].body].damping_mass, M[3][36];
    nodal_natural now;
    if (!s->floating) nodal_drag_enter(s, st, d);
    for (int i = 0; i < 12; i++)
        rel[i] = alpha * d->rel[6 * s->drag_index[e->node[i / 6]] + i % 6], f[i] = 0;
    nodal_beam_natural(s, st, element, &now);
    nodal_element_mass(e, &now.R, M[0], M[1], M[2]);
    element_times(M, rel, f);
    if (d->frame.fitted) add_balance(s, e, d, rel, f);
}

void nodal_drag_residual(nodal *s, const lm_state *st, double *r)
{
    if (!s->ndamped) return;
    memset(s->drag_force, 0, sizeof(double) * (size_t)s->sys.nv);
    for (int b = 0; b < s->ndamped && st->v; b++) {
        nodal_drag_enter(s, st, &s->damped[b]);
        nodal_drag_add(&s->damped[b], 1, s->drag_force);
    }
    for (int i = 0; i < s->sys.nv; i++) r[i] += s->drag_force[i];
}

double nodal_drag_power(nodal *s, const lm_state *st)
{
    double lost = 0;
    for (int b = 0; b < s->ndamped && st->v; b++) {
        nodal_damped *d = &s->damped[b];
        nodal_drag_enter(s, st, d);
        for (int i = 0; i < 6 * d->frame.n; i++) lost += d->rel[i] * d->force[i];
    }
    return lost;
}

/* ---- the matrix ---- */

/* C R, and lead = C R - B^T (R^T C R), of the nodes. */
static void make_leads(nodal_damped *d)
{
    double all[36] = {0}, R[36];
    memset(d->push, 0, sizeof(double) * 36 * (size_t)d->frame.n);
    for (int k = 0; k < d->frame.n; k++) {
        if (!d->has_mass[k]) continue;
        nodal_block_rigid(d->arm[k], R);
        nodal_block_product(1, d->own[k], 0, R, 0, d->push[k]);
    }
    for (int k = 0; k < d->nlinks; k++) {
        const nodal_drag_link *l = &d->link[k];
        if (l->lump) continue;
        nodal_block_rigid(d->arm[l->j], R);
        nodal_block_product(1, d->next[k], 0, R, 0, d->push[l->i]);
        nodal_block_rigid(d->arm[l->i], R);
        nodal_block_product(1, d->next[k], 1, R, 0, d->push[l->j]);
    }
    for (int k = 0; k < d->frame.n; k++) {
        nodal_block_rigid(d->arm[k], R);
        nodal_block_product(1, R, 1, d->push[k], 0, all);
    }
    memcpy(d->lead, d->push, sizeof(double) * 36 * (size_t)d->frame.n);
    for (int k = 0; k < d->frame.n; k++)
        if (nodal_is_reference(&d->frame, k))
            nodal_block_product(-1, d->B[k], 1, all, 0, d->lead[k]);
}

/* P^T C P = C - B^T (C R)^T - lead B: the part of it that a block stands for. */
static void damping_block(const nodal_damped *d, const nodal_drag_block *b, double X[36])
{
    memset(X, 0, sizeof(double) * 36);
    if (b->link == DRAG_OWN) memcpy(X, d->own[b->i], sizeof(double) * 36);
    if (b->link >= 0) {
        const double *next = d->next[b->link];
        int forth = d->link[b->link].i == b->i;
        for (int k = 0; k < 36; k++) X[k] = next[forth ? k : k / 6 + 6 * (k % 6)];
    }
    if (b->link != DRAG_REFERENCE) return;
    if (nodal_is_reference(&d->frame, b->i))
        nodal_block_product(-1, d->B[b->i], 1, d->push[b->j], 1, X);
    if (nodal_is_reference(&d->frame, b->j))
        nodal_block_product(-1, d->lead[b->i], 0, d->B[b->j], 0, X);
}

/* cD P^T C P, P = 1 - R B. How the forces turn with the structure Newton absorbs; nodal_drag_turn.c has it. */
void nodal_drag_jacobian(nodal *s, const lm_state *st, double cD, double *values)
{
    for (int k = 0; k < s->ndamped && st->v && cD != 0; k++) {
        nodal_damped *d = &s->damped[k];
        enter(s, st, d);
        make_leads(d);
        for (const nodal_drag_block *b = d->block; b < d->block + d->nblocks; b++) {
            double X[36];
            damping_block(d, b, X);
            for (int i = 0; i < 36; i++) values[b->at[i / 6] + i % 6] += cD * X[i];
        }
    }
}
