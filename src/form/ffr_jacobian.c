/* The tangent: that of the nodes' forces (form/moved.h) with the change of the partial velocities, and that
 * of the units' own inertia and elasticity. */
#include "form/ffr.h"

#include <string.h>

/* ---- units ---- */

/* Columns of vectors in body axes [n cols] turned to world axes: the frame's two vectors. */
static void turn_rows(const lm_m3 *R, int n, int cols, double *A)
{
    for (int c = 0; c < cols; c++, A += n) {
        v3_put(A, m3_v(R, v3_from(A)));
        v3_put(A + 3, m3_v(R, v3_from(A + 3)));
    }
}

/* Three columns multiplied by a 3x3 matrix from the right: out = (a b c) B; out may be A. */
static void times3(int n, const double *A, const lm_m3 *B, double *out)
{
    const double *m = B->m;
    for (int r = 0; r < n; r++) {
        double a = A[r], b = A[n + r], c = A[2 * n + r];
        for (int k = 0; k < 3; k++)
            out[n * k + r] = a * m[3 * k] + b * m[3 * k + 1] + c * m[3 * k + 2];
    }
}

/* T M T^T of a mass matrix, T = diag(R, R, 1), in its place. */
static void turn_mass(const lm_m3 *R, int n, double *M)
{
    lm_m3 Rt = m3_t(R);
    turn_rows(R, n, n, M);
    times3(n, M, &Rt, M);
    times3(n, M + 3 * n, &Rt, M + 3 * n);
}

/* Mass of a unit in body axes. */
static void body_mass(const ffr *s, const ffr_unit *u, const double *q, double *M)
{
    int n = FRAME_V + u->ne;
    if (u->f) {
        lm_floating_mass(u->f, q + u->q + FRAME_Q, M);
        if (s->sys.regular_mass) M[(n + 1) * 3] += u->spin;
        for (int k = 0; k < u->ne && u->f->spare && s->sys.regular_mass; k++)
            M[(n + 1) * (FRAME_V + k)] += u->f->spare[k];
        return;
    }
    const lm_body *b = &s->m->bodies[u->body];
    memset(M, 0, sizeof(double) * 36);
    for (int k = 0; k < 3; k++) M[7 * k] = b->mass;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) M[6 * (3 + c) + 3 + r] = b->J.m[3 * c + r];
}

void ffr_unit_mass(const ffr *s, const ffr_unit *u, const double *q, double *M)
{
    lm_m3 R = quat_m3(quat_from(q + u->q + 3));
    body_mass(s, u, q, M);
    turn_mass(&R, FRAME_V + u->ne, M);
}

/* World: r = T r_body(T^T accelerations less gravity, R^T omega, eta); a rotation psi of the frame turns r
 * with it, and in body axes each vector y of the motion by y x R^T psi. */
static void by_turn(const ffr *s, const ffr_unit *u, const lm_floating_motion *m, const double *Mb,
                    const double *Db, double *out)
{
    const lm_m3 *R = &s->tree.motion[u->base + 3].R;
    int n = FRAME_V + u->ne;
    lm_m3 Rt = m3_t(R);
    double part[3 * (FRAME_V + LM_FLOATING_MOST)];
    const struct {
        const double *cols;
        lm_v3 y;
    } term[3] = {{Mb, m->a}, {Mb + 3 * n, m->dW}, {Db, m->W}};
    memset(out, 0, sizeof(double) * 3 * (size_t)n);
    for (int k = 0; k < 3; k++) {
        lm_m3 Y = m3_skew(term[k].y), YR = m3_mul(&Y, &Rt);
        times3(n, term[k].cols, &YR, part);
        for (int i = 0; i < 3 * n; i++) out[i] += part[i];
    }
    turn_rows(R, n, 3, out);
    lm_v3 F = m3_v(R, v3_from(s->unit_r)), N = m3_v(R, v3_from(s->unit_r + 3));
    for (int c = 0; c < 3; c++) {
        lm_v3 e = v3(c == 0, c == 1, c == 2);
        v3_acc(out + n * c, v3_cross(e, F));
        v3_acc(out + n * c + 3, v3_cross(e, N));
    }
}

/* world[0..2], which are zero: M, D, K of a unit. */
static void unit_matrices(ffr *s, const ffr_unit *u, const lm_state *st, const lm_mix *w)
{
    int n = FRAME_V + u->ne;
    const lm_m3 *R = &s->tree.motion[u->base + 3].R;
    lm_m3 Rt = m3_t(R);
    lm_floating_motion m = ffr_unit_motion(s, u, st);
    double *D = s->unit_D, *K = s->unit_K;
    body_mass(s, u, st->q, s->world[0]);
    if (w->damping) lm_floating_tangent(u->f, &m, D, w->stiffness ? K : NULL);
    if (w->stiffness) {
        lm_floating_residual(u->f, &m, s->unit_r);
        by_turn(s, u, &m, s->world[0], D, s->world[2] + 3 * n);
        turn_rows(R, n, u->ne, K);
        memcpy(s->world[2] + 6 * n, K, sizeof(double) * (size_t)(n * u->ne));
    }
    turn_mass(R, n, s->world[0]);
    if (!w->damping) return;
    turn_rows(R, n, 3 + u->ne, D);
    times3(n, D, &Rt, s->world[1] + 3 * n);
    memcpy(s->world[1] + 6 * n, D + 3 * n, sizeof(double) * (size_t)(n * u->ne));
}

/* One column of it, at the column set. */
static void add_unit(const ffr *s, const ffr_unit *u, int col, const lm_mix *w)
{
    int n = FRAME_V + u->ne, at = s->moved.place[u->v];
    for (int t = 0; t < w->n; t++)
        for (int k = 0; k < 3; k++) {
            double c = w->c[t][k];
            const double *from = s->world[k] + (size_t)n * (size_t)col;
            if (c == 0) continue;
            for (int r = 0; r < n; r++) w->to[t][at + r] += c * from[r];
        }
}

/* ---- (dX/dq)^T r of places ---- */

/* Changes of the link forces X_i . f with the links' positions, 12 x 12: six of the frame, six of the
 * place. */
typedef struct place_change {
    double G[FRAME_V + PLACE_LINKS][FRAME_V + PLACE_LINKS]; /* [j][i] */
    double along;    /* force along the place's first slide, which is no linear function of eta */
    double about[2]; /* moments about the axes of its first two turns, which are none either */
} place_change;

static void change_of(const ffr *s, int node, place_change *p)
{
    const lm_column *c = s->tree.columns.at + s->tree.tips.at[node].first;
    const double *f = s->moved.ri + NODE_V * node;
    int n = s->tree.tips.at[node].n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            p->G[j][i] = lm_kintree_geometric(&s->tree, &c[i], &c[j], &s->moved.tip[node], f);
    if (n == FRAME_V) return;
    double X[6];
    lm_kintree_partial(&s->tree, &c[FRAME_V], &s->moved.tip[node], X);
    p->along = v3_dot(v3_from(X), v3_from(f)) + v3_dot(v3_from(X + 3), v3_from(f + 3));
    for (int k = 0; k < 2; k++) {
        lm_kintree_partial(&s->tree, &c[FRAME_V + 3 + k], &s->moved.tip[node], X);
        p->about[k] = v3_dot(v3_from(X), v3_from(f)) + v3_dot(v3_from(X + 3), v3_from(f + 3));
    }
}

/* Forces on the coordinates of the unit by those on the links, added. */
static void spread(const ffr *s, const ffr_node *n, const double *f, double factor, double *out)
{
    double g[LM_FLOATING_MOST];
    int ne = s->unit[n->unit].ne;
    for (int i = 0; i < FRAME_V; i++) out[i] += factor * f[i];
    for (int l = 0; l < PLACE_LINKS && n->links >= 0; l++) {
        if (f[FRAME_V + l] == 0) continue;
        ffr_gradient(s, n, l, g);
        for (int e = 0; e < ne; e++) out[FRAME_V + e] += factor * f[FRAME_V + l] * g[e];
    }
}

/* What shortens a bent axis: p->along times its second derivative by eta; block [n n] begins at eta. */
static void by_shortening(const lm_floating *f, const lm_floating_place *place, double along,
                          size_t n, double *block)
{
    for (int e = 0; e < f->nv; e++)
        for (int i = 0; i < f->nv; i++)
            block[n * (size_t)e + (size_t)i] -= along * place->Hv[f->nv * e + i];
    block += (n + 1) * (size_t)f->nv;
    for (int e = 0; e < f->nw; e++)
        for (int i = 0; i < f->nw; i++)
            block[n * (size_t)e + (size_t)i] -= along * place->Hw[f->nw * e + i];
}

/* Second derivatives of the slopes x, y by bending and stretch, times their moments. */
static void by_tilt(const lm_floating *f, const lm_floating_place *place, double x, double y,
                    size_t n, double *block)
{
    size_t v = 0, w = (size_t)f->nv, a = w + (size_t)f->nw;
    for (size_t j = 0; j < (size_t)f->na; j++) {
        for (size_t k = v; k < w; k++) {
            double d = -x * place->Gv[j * w + k];
            block[n * k + a + j] += d, block[n * (a + j) + k] += d;
        }
        for (size_t k = w; k < a; k++) {
            double d = y * place->Gw[j * (a - w) + k - w];
            block[n * k + a + j] += d, block[n * (a + j) + k] += d;
        }
    }
}

/* What turns a section about z by the slopes x, y, of gradients X, Y: that of x (1 + lean y^2 / 2). */
static void by_lean(const lm_floating *f, const ffr_node *at, double about, size_t n, double *block)
{
    const double *Y = at->tilt[0], *Z = Y + f->na;
    double factor = about * f->place[at->place].lean;
    double xy = factor * at->slope[1], yy = factor * at->slope[0];
    int nv = f->nv, nb = nv + f->nw, all = nb + f->na;
    for (int j = 0; j < all && factor != 0; j++) {
        double xj = j < nv || j >= nb ? Y[j] : 0, yj = j < nv ? 0 : j < nb ? Y[j] : Z[j];
        for (int i = 0; i < all; i++) {
            double xi = i < nv || i >= nb ? Y[i] : 0, yi = i < nv ? 0 : i < nb ? Y[i] : Z[i];
            block[n * (size_t)j + (size_t)i] += xy * (xi * yj + yi * xj) + yy * yi * yj;
        }
    }
}

/* Geometric stiffness of a node into `out` [n n] of its unit, column by column. */
static void geometric(ffr *s, int node, double *out)
{
    const ffr_node *at = &s->node[node];
    const ffr_unit *u = &s->unit[at->unit];
    int n = FRAME_V + u->ne;
    double g[LM_FLOATING_MOST];
    place_change p;
    change_of(s, node, &p);
    for (int j = 0; j < FRAME_V; j++) spread(s, at, p.G[j], 1, out + (size_t)n * (size_t)j);
    for (int l = 0; l < PLACE_LINKS && at->links >= 0; l++) {
        ffr_gradient(s, at, l, g);
        for (int e = 0; e < u->ne; e++)
            if (g[e] != 0)
                spread(s, at, p.G[FRAME_V + l], g[e], out + (size_t)n * (size_t)(FRAME_V + e));
    }
    if (at->links < 0) return;
    const lm_floating_place *place = &u->f->place[at->place];
    double *block = out + (size_t)(n + 1) * FRAME_V;
    by_shortening(u->f, place, p.along, (size_t)n, block);
    by_tilt(u->f, place, at->turn[0][0] * p.about[0], p.about[1] + at->turn[0][1] * p.about[0],
            (size_t)n, block);
    by_lean(u->f, at, p.about[0], (size_t)n, block);
}

/* ---- all ---- */

static void clear_unit(ffr *s, const ffr_unit *u)
{
    size_t n = (size_t)(FRAME_V + u->ne);
    for (int k = 0; k < 3; k++) memset(s->world[k], 0, sizeof(double) * n * n);
}

static void add_columns(ffr *s, const ffr_unit *u, const lm_state *st, const lm_mix *w)
{
    clear_unit(s, u);
    if (u->f) unit_matrices(s, u, st, w);
    for (int k = 0; k < u->nodes && w->stiffness; k++)
        if (s->node[u->node[k]].held) geometric(s, u->node[k], s->world[2]);
    for (int col = 0; col < FRAME_V + u->ne; col++) {
        moved_column(&s->moved, u->v + col);
        add_unit(s, u, col, w);
        for (int k = 0; k < u->nodes; k++) {
            const moved_node *node = &s->moved.node[u->node[k]];
            if (s->node[u->node[k]].held)
                moved_add(&s->moved, u->node[k], &s->moved.jets[node->first + col], w);
        }
    }
}

static int assemble(ffr *s, const lm_state *st, const lm_mix *w)
{
    for (int t = 0; t < w->n; t++) memset(w->to[t], 0, sizeof(double) * (size_t)s->sys.pattern.nnz);
    lm_state inner = ffr_enter(s, st);
    if (w->damping)
        ffr_jets(s);
    else
        ffr_partials(s);
    int bad = moved_matrices(&s->moved, &inner, w);
    if (!bad && w->stiffness) bad = nodal_residual(&s->in->sys, &inner, s->moved.ri, NULL, NULL);
    if (bad) return bad;
    for (int i = 0; i < s->nunits; i++) add_columns(s, &s->unit[i], st, w);
    moved_multipliers(&s->moved, w);
    return 0;
}

int ffr_jacobian(lm_system *sys, const lm_state *st, double cM, double cD, double cK,
                 double *values)
{
    lm_mix w = lm_mix_one(cM, cD, cK, values);
    return assemble((ffr *)sys, st, &w);
}

int ffr_matrices(lm_system *sys, const lm_state *st, double *M, double *D, double *K)
{
    lm_mix w = lm_mix_each(M, D, K);
    return assemble((ffr *)sys, st, &w);
}
