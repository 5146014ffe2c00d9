/* Mass-proportional damping of beams: alpha M on the velocities relative to a rigid motion that follows
 * the beam (form/damping_frame.h).
 *
 * With the nodes' twists V, their rigid motions R about node[0] of the frame and the reference xi = B V, the
 * velocities are V' = V - R xi, and the beam has the forces
 *
 *     f = alpha M V'  on its nodes,   -B^T h,  h = R^T f,  on those that xi is made of,
 *
 * M the consistent mass of its elements, turning with their chords, or that of its rigid pieces. Since B R is
 * the identity a rigid motion of the whole beam is not damped and momentum is kept, and the power lost is
 * alpha V'^T M V'.
 *
 * What the joints leave free is fitted: xi = b V + A w, and w leaves no momentum A^T W^T (V - R xi) with the
 * weights W = M R as drawn, turning with node[0]. Those of the deformed beam would take a straight beam that
 * is bent a little for one that can turn about its chord. */
#include "form/nodal_drag.h"

#include <string.h>

/* y += f A x, or A^T x. */
static void add_times(double f, const double *A, int At, const double *x, double *y)
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

static lm_v3 chord(const damping_frame *f, const lm_state *st)
{
    if (f->node[1] < 0) return v3(0, 0, 0);
    return v3_sub(node_x(st->q, f->node[1]), node_x(st->q, f->node[0]));
}

/* B of the nodes: b, or Z W^T + (1 - Z G) b with G = sum of W^T R. */
static void make_reference(const nodal *s, const lm_state *st, nodal_damped *d)
{
    const damping_frame *f = &d->frame;
    lm_v3 along = chord(f, st);
    double A[6][6], G[36] = {0}, keep[36] = {0}, W[36], R[36];
    int n = damping_frame_free(f, s->m, s->kin.pair, along, A);
    memset(d->B, 0, sizeof(double) * 36 * (size_t)f->n);
    for (int k = 0; k < f->n && n; k++) {
        nodal_block_turn(&s->kin.R[f->node[0]], 0, d->weight[k], W);
        nodal_block_rigid(d->arm[k], R);
        nodal_block_product(1, W, 1, R, 0, G);
    }
    damping_frame_fit(n, A, G, d->Z);
    for (int i = 0; i < 6; i++) keep[7 * i] = 1;
    nodal_block_product(-1, d->Z, 0, G, 0, keep);
    for (int k = 0; k < f->n && n; k++) {
        nodal_block_turn(&s->kin.R[f->node[0]], 0, d->weight[k], W);
        nodal_block_product(1, d->Z, 0, W, 1, d->B[k]);
    }
    for (int c = 0; c < 12; c++) {
        int e = c / 6, k = f->node[e] - f->first;
        double unit[6] = {0}, xi[6];
        if (f->node[e] < 0) break;
        unit[c % 6] = 1;
        carried_by(f, along, e, unit, xi);
        add_times(1, keep, 0, xi, d->B[k] + 6 * (c % 6));
    }
}

/* Mass, arms and reference at a state. */
static void enter(const nodal *s, const lm_state *st, nodal_damped *d)
{
    const damping_frame *f = &d->frame;
    for (int k = 0; k < f->n; k++)
        d->arm[k] = v3_sub(node_x(st->q, f->first + k), node_x(st->q, f->node[0]));
    nodal_damped_mass(s, st, d);
    make_reference(s, st, d);
}

/* ---- forces ---- */

/* V' and alpha M V' at the state, and h of these forces. */
static void forces(const nodal *s, const lm_state *st, nodal_damped *d, double h[6])
{
    const damping_frame *f = &d->frame;
    double xi[6] = {0};
    enter(s, st, d);
    for (int k = 0; k < f->n; k++) add_times(1, d->B[k], 0, st->v + NODE_V * (f->first + k), xi);
    for (int k = 0; k < f->n; k++) {
        const double *v = st->v + NODE_V * (f->first + k);
        lm_v3 w = v3_from(xi + 3), moved = v3_add(v3_from(xi), v3_cross(w, d->arm[k]));
        v3_put(d->rel + 6 * k, v3_sub(v3_from(v), moved));
        v3_put(d->rel + 6 * k + 3, v3_sub(v3_from(v + 3), w));
    }
    memset(h, 0, sizeof(double) * 6);
    memset(d->force, 0, sizeof(double) * 6 * (size_t)f->n);
    for (int k = 0; k < f->n; k++) {
        double *to = d->force + 6 * k;
        add_times(d->alpha, d->own[k], 0, d->rel + 6 * k, to);
        if (k + 1 < f->n) add_times(d->alpha, d->next[k], 0, d->rel + 6 * k + 6, to);
        if (k > 0) add_times(d->alpha, d->next[k - 1], 1, d->rel + 6 * k - 6, to);
        v3_acc(h, v3_from(to));
        v3_acc(h + 3, v3_add(v3_from(to + 3), v3_cross(d->arm[k], v3_from(to))));
    }
}

/* On the nodes of one element, as it adds to the forces of the beam. What balances the fitted part acts all
 * along: that of a node is taken by the element before it. */
void nodal_drag_forces(const nodal *s, const lm_state *st, const nodal_drag *of, double rel[12],
                       double f[12])
{
    nodal_damped *d = of->beam;
    int k = of->element - d->element;
    double h[6], y[6] = {0}, own[36], next[36], other[36], W[36];
    nodal_natural now;
    forces(s, st, d, h);
    for (int i = 0; i < 12; i++) rel[i] = d->alpha * d->rel[6 * k + i], f[i] = 0;
    nodal_beam_natural(s, st, of->element, &now);
    nodal_element_mass(&s->m->elements[of->element], &now.R, own, next, other);
    add_times(1, own, 0, rel, f), add_times(1, next, 0, rel + 6, f);
    add_times(1, next, 1, rel, f + 6), add_times(1, other, 0, rel + 6, f + 6);
    add_times(1, d->Z, 1, h, y);
    for (int e = k > 0; e < 2 && d->frame.fitted; e++) {
        nodal_block_turn(&s->kin.R[d->frame.node[0]], 0, d->weight[k + e], W);
        add_times(-1, W, 0, y, f + 6 * e);
    }
}

void nodal_drag_residual(nodal *s, const lm_state *st, double *r)
{
    for (int b = 0; b < s->ndamped && st->v; b++) {
        nodal_damped *d = &s->damped[b];
        double h[6];
        forces(s, st, d, h);
        for (int k = 0; k < d->frame.n; k++) {
            double *to = r + NODE_V * (d->frame.first + k);
            for (int i = 0; i < 6; i++) to[i] += d->force[6 * k + i];
            if (nodal_is_reference(&d->frame, k)) add_times(-1, d->B[k], 1, h, to);
        }
    }
}

double nodal_drag_power(nodal *s, const lm_state *st)
{
    double lost = 0;
    for (int b = 0; b < s->ndamped && st->v; b++) {
        nodal_damped *d = &s->damped[b];
        double h[6];
        forces(s, st, d, h);
        for (int i = 0; i < 6 * d->frame.n; i++) lost += d->rel[i] * d->force[i];
    }
    return lost;
}

/* ---- the matrix ---- */

/* M R, and lead = M R - B^T (R^T M R), of the nodes. */
static void make_leads(nodal_damped *d)
{
    double all[36] = {0}, R[36];
    nodal_damped_push(d);
    for (int k = 0; k < d->frame.n; k++) {
        nodal_block_rigid(d->arm[k], R);
        nodal_block_product(1, R, 1, d->push[k], 0, all);
    }
    memcpy(d->lead, d->push, sizeof(double) * 36 * (size_t)d->frame.n);
    for (int k = 0; k < d->frame.n; k++)
        if (nodal_is_reference(&d->frame, k))
            nodal_block_product(-1, d->B[k], 1, all, 0, d->lead[k]);
}

/* P^T M P = M - B^T (M R)^T - lead B of rows i and columns j. */
static void damping_block(const nodal_damped *d, int i, int j, double X[36])
{
    memset(X, 0, sizeof(double) * 36);
    if (i == j) nodal_block_add(d->own[i], X);
    if (i + 1 == j) nodal_block_add(d->next[i], X);
    for (int k = 0; k < 36 && i == j + 1; k++) X[k] = d->next[j][k / 6 + 6 * (k % 6)];
    if (nodal_is_reference(&d->frame, i)) nodal_block_product(-1, d->B[i], 1, d->push[j], 1, X);
    if (nodal_is_reference(&d->frame, j)) nodal_block_product(-1, d->lead[i], 0, d->B[j], 0, X);
}

/* cD alpha P^T M P, P = 1 - R B; how the forces turn with the beam is left out, Newton absorbs it. */
void nodal_drag_jacobian(nodal *s, const lm_state *st, double cD, double *values)
{
    for (int k = 0; k < s->ndamped && st->v && cD != 0; k++) {
        nodal_damped *d = &s->damped[k];
        enter(s, st, d);
        make_leads(d);
        for (const nodal_drag_block *b = d->block; b < d->block + d->nblocks; b++) {
            double X[36];
            damping_block(d, b->i, b->j, X);
            for (int i = 0; i < 36; i++) values[b->at[i / 6] + i % 6] += cD * d->alpha * X[i];
        }
    }
}
