/* Corotational frames: where they are, how they turn with the nodes, and how that changes.
 *
 * G z is the turn of the frame, in its own axes, that belongs to a motion z = (y_i, phi_i) of the
 * nodes in the same axes. Below, chi_i = phi_i - G z is the turn of node i against the frame. */
#include "elem/superelement_int.h"

#include <string.h>

static lm_m3 total_rotation(const lm_super *s, const lm_super_state *st, int i)
{
    if (s->plain) return st->R[i];
    lm_m3 R0t = m3_t(&s->R0[i]);
    return m3_mul(&st->R[i], &R0t);
}

/* Add B chi_i to the rows `row` of `out` (leading dimension ld): B on phi_i, and -B G. */
static SUPER_FLAT void add_relative(const super_work *w, double *out, int ld, int row, int i,
                                    double scale, const lm_m3 *B)
{
    super_add(out, ld, row, 6 * i + 3, scale, *B);
    for (int j = 0; j < w->nd; j++) {
        lm_v3 g = v3_from(w->G + 3 * j);
        if (g.x == 0 && g.y == 0 && g.z == 0) continue;
        v3_acc(out + (size_t)ld * (size_t)j + row, v3_mul(-scale, m3_v(B, g)));
    }
}

/* ---- mean of all nodes ----
 *
 * With beta_i = (w_i, v_i) the quaternion of node i against the frame, the frame is where
 * sum of v_i = 0; then W = sum of w_i is the length of the summed quaternions. From
 * d(v_i) = (w_i - [v_i]) chi_i / 2 and d(w_i) = -v_i . chi_i / 2 follows
 *
 *     G z = sum of (w_i - [v_i]) phi_i / W,     dW = -sum of v_i . phi_i / 2. */

static double quat_dot(lm_quat a, lm_quat b)
{
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

static lm_m3 mean_weight(const super_work *w, int i) /* w_i - [v_i] */
{
    const double *q = w->quat + 4 * i;
    return m3_add(m3_diag(q[0]), m3_skew(v3(-q[1], -q[2], -q[3])));
}

static int mean_frame(super_work *w, const lm_super_state *st)
{
    const lm_super *s = w->s;
    lm_quat first = {0, 0, 0, 0}, sum = {0, 0, 0, 0};
    for (int i = 0; i < s->n; i++) {
        lm_m3 Q = total_rotation(s, st, i);
        lm_quat q = lm_quat_from_m3(&Q);
        if (i == 0) first = q;
        if (quat_dot(q, first) < 0) q = (lm_quat){-q.w, -q.x, -q.y, -q.z};
        sum = (lm_quat){sum.w + q.w, sum.x + q.x, sum.y + q.y, sum.z + q.z};
        quat_put(w->quat + 4 * i, q);
    }
    w->W = sqrt(quat_dot(sum, sum));
    if (!(w->W > 0.1 * s->n)) return 1;
    lm_quat mean = quat_unit(sum), back = quat_back(mean);
    w->A = quat_m3(mean);
    for (int i = 0; i < s->n; i++) {
        quat_put(w->quat + 4 * i, quat_mul(back, quat_from(w->quat + 4 * i)));
        super_add(w->G, 3, 0, 6 * i + 3, 1 / w->W, mean_weight(w, i));
    }
    return 0;
}

/* Add scale * (column vector a) * sum over j of v_j . phi_j to the rows `row`. */
static void mean_add_dW(const super_work *w, double *out, int ld, int row, double scale, lm_v3 a)
{
    for (int j = 0; j < w->s->n; j++)
        super_add(out, ld, row, 6 * j + 3, scale, m3_outer(a, v3_from(w->quat + 4 * j + 1)));
}

/* d(G V) = sum of [-omega_i v_i^T + [omega_i] (w_i - [v_i])] chi_i / 2W - (G V) dW / W */
static void mean_rate(const super_work *w, double *S)
{
    for (int i = 0; i < w->s->n; i++) {
        lm_v3 omega = v3_from(w->V + 6 * i + 3);
        lm_m3 N = mean_weight(w, i), O = m3_skew(omega), Y = m3_mul(&O, &N);
        Y = m3_add(Y, m3_outer(v3_neg(omega), v3_from(w->quat + 4 * i + 1)));
        add_relative(w, S, 3, 0, i, 0.5 / w->W, &Y);
    }
    mean_add_dW(w, S, 3, 0, 0.5 / w->W, w->Omega);
}

/* (G^T m)_i = (w_i m + v_i x m) / W, so
 * d(G^T m)_i = [-m v_i^T - [m] (w_i - [v_i])] chi_i / 2W - (G^T m)_i dW / W */
static void mean_second(const super_work *w, lm_v3 m, double scale, double *out)
{
    lm_m3 cross = m3_skew(v3_neg(m));
    for (int i = 0; i < w->s->n; i++) {
        lm_m3 N = mean_weight(w, i), D = m3_mul(&cross, &N);
        D = m3_add(D, m3_outer(v3_neg(m), v3_from(w->quat + 4 * i + 1)));
        add_relative(w, out, w->nd, 6 * i + 3, i, 0.5 * scale / w->W, &D);
        lm_v3 Gm = v3_mul(1 / w->W, m3_tv(&N, m));
        mean_add_dW(w, out, w->nd, 6 * i + 3, 0.5 * scale / w->W, Gm);
    }
}

/* ---- chord ----
 *
 * Axes of the chord: e1 = (x_b - x_a) / l from the first to the last node, p = t_a + t_b the sum of
 * the end sections' y directions, e3 = e1 x p / |e1 x p|. In these axes p = (p1, p2, 0), and a
 * relative motion rho = y_b - y_a of the ends turns the frame by
 *
 *     eta = ( [sum of (phi_1 t_2 - phi_2 t_1) over both ends - p1 rho_3 / l] / p2,  -rho_3 / l,
 *             rho_2 / l ).
 *
 * The body axes differ from the chord's by the constant E0: R* = [e1 e2 e3] E0^T. */

enum { A, B }; /* first and last node */

static lm_m3 to_body_axes(const lm_super *s, const lm_m3 *B_chord) /* E0 B E0^T */
{
    if (s->along_x) return *B_chord;
    lm_m3 left = m3_mul(&s->E0, B_chord), E0t = m3_t(&s->E0);
    return m3_mul(&left, &E0t);
}

static int chord_node(const super_work *w, int end) { return end == A ? 0 : w->s->n - 1; }

/* Blocks of G in chord axes: on rho, and on the turns of both ends. */
static void chord_turn(const super_work *w, lm_m3 *on_rho, lm_m3 on_turn[2])
{
    double l = w->l, p1 = w->t[A].x + w->t[B].x, p2 = w->t[A].y + w->t[B].y;
    *on_rho = m3_cols(v3(0, 0, 0), v3(0, 0, 1 / l), v3(-p1 / (p2 * l), -1 / l, 0));
    for (int k = 0; k < 2; k++)
        on_turn[k] = m3_cols(v3(w->t[k].y / p2, 0, 0), v3(-w->t[k].x / p2, 0, 0), v3(0, 0, 0));
}

static SUPER_FLAT int chord_frame(super_work *w, const lm_super_state *st)
{
    const lm_super *s = w->s;
    int last = s->n - 1;
    lm_v3 y0 = m3_col(&s->E0, 1), r = v3_sub(v3_from(st->x + st->stride * last), v3_from(st->x));
    lm_v3 undeformed = v3_sub(s->X[last], s->X[0]), t[2];
    for (int k = 0; k < 2; k++) {
        lm_m3 Q = total_rotation(s, st, chord_node(w, k));
        t[k] = m3_v(&Q, y0);
    }
    w->l = v3_norm(r);
    if (!(w->l > 1e-6 * v3_norm(undeformed))) return 1;
    lm_v3 e1 = v3_mul(1 / w->l, r), n = v3_cross(e1, v3_add(t[A], t[B]));
    if (!(v3_norm(n) > 0.05)) return 1;
    lm_v3 e3 = v3_unit(n);
    lm_m3 E = m3_cols(e1, v3_cross(e3, e1), e3), E0t = m3_t(&s->E0), rho, turn[2];
    w->A = s->along_x ? E : m3_mul(&E, &E0t);
    for (int k = 0; k < 2; k++) w->t[k] = m3_tv(&E, t[k]);
    chord_turn(w, &rho, turn);
    lm_m3 along = to_body_axes(s, &rho);
    super_add(w->G, 3, 0, 0, -1, along);
    super_add(w->G, 3, 0, 6 * last, 1, along);
    for (int k = 0; k < 2; k++)
        super_add(w->G, 3, 0, 6 * chord_node(w, k) + 3, 1, to_body_axes(s, &turn[k]));
    return 0;
}

/* Derivative of G^T m in chord axes: rows (force F on b and -F on a, moments on a and b), columns
 * (rho, chi_a, chi_b). From F = (0, m3, -(m2 + m1 p1/p2)) / l, moment_i = m1 (t_2, -t_1, 0) / p2,
 * d(l) = rho_1 and d(t) = chi x t. */
static void chord_second_blocks(const super_work *w, lm_v3 m, lm_m3 J[3][3])
{
    double l = w->l, p1 = w->t[A].x + w->t[B].x, p2 = w->t[A].y + w->t[B].y, c = m.x / p2;
    memset(J, 0, sizeof(lm_m3[3][3]));
    J[0][0].m[1] = -m.z / (l * l);
    J[0][0].m[2] = (m.y + m.x * p1 / p2) / (l * l);
    for (int k = 0; k < 2; k++) {
        lm_v3 t = w->t[k];
        lm_v3 dt1 = v3(0, t.z, -t.y), dt2 = v3(-t.z, 0, t.x); /* d(t_1), d(t_2) = these . chi */
        lm_v3 dF3 = v3_mul(-c / l, v3_sub(dt1, v3_mul(p1 / p2, dt2)));
        J[0][1 + k] = m3_outer(v3(0, 0, 1), dF3);
        for (int i = 0; i < 2; i++) { /* through p2, both ends move with each other */
            lm_v3 to = w->t[i], row1 = v3_mul(-c * to.y / p2, dt2),
                  row2 = v3_mul(c * to.x / p2, dt2);
            if (i == k) row1 = v3_add(row1, v3_mul(c, dt2)), row2 = v3_sub(row2, v3_mul(c, dt1));
            J[1 + i][1 + k] = m3_add(m3_outer(v3(1, 0, 0), row1), m3_outer(v3(0, 1, 0), row2));
        }
    }
}

/* Add scale * (row of blocks on rho, chi_a, chi_b, chord axes) to rows `row` of out. */
static void chord_add(const super_work *w, double *out, int ld, int row, double scale,
                      const lm_m3 blocks[3])
{
    lm_m3 rho = to_body_axes(w->s, &blocks[0]);
    super_add(out, ld, row, 0, -scale, rho);
    super_add(out, ld, row, 6 * (w->s->n - 1), scale, rho);
    for (int k = 0; k < 2; k++) {
        lm_m3 turn = to_body_axes(w->s, &blocks[1 + k]);
        add_relative(w, out, ld, row, chord_node(w, k), scale, &turn);
    }
}

static void chord_second(const super_work *w, lm_v3 m, double scale, double *out)
{
    lm_m3 J[3][3];
    chord_second_blocks(w, m3_tv(&w->s->E0, m), J);
    chord_add(w, out, w->nd, 0, -scale, J[0]);
    chord_add(w, out, w->nd, 6 * (w->s->n - 1), scale, J[0]);
    for (int k = 0; k < 2; k++) chord_add(w, out, w->nd, 6 * chord_node(w, k) + 3, scale, J[1 + k]);
}

/* d(G V) in chord axes, from the eta above with V in place of z: with d(l) = rho_1, d(t) = chi x t and
 * rho, phi_k of V,
 *     d(eta_1) = [p1 rho_3 / l^2 d(l) + sum over both ends of (phi_1 - eta_1) d(t_2)
 *                                                           - (phi_2 + rho_3 / l) d(t_1)] / p2
 *     d(eta_2) = rho_3 / l^2 d(l)        d(eta_3) = -rho_2 / l^2 d(l) . */
static void chord_rate(const super_work *w, double *S)
{
    const lm_m3 *E0 = &w->s->E0;
    int last = w->s->n - 1;
    double l = w->l, p1 = w->t[A].x + w->t[B].x, p2 = w->t[A].y + w->t[B].y;
    lm_v3 rho = m3_tv(E0, v3_sub(v3_from(w->V + 6 * last), v3_from(w->V)));
    double eta1 = v3_dot(m3_col(E0, 0), w->Omega), slope = rho.z / l;
    lm_m3 rows[3] = {{{p1 * slope / (p2 * l), slope / l, -rho.y / (l * l)}}};
    for (int k = 0; k < 2; k++) {
        lm_v3 t = w->t[k], phi = m3_tv(E0, v3_from(w->V + 6 * chord_node(w, k) + 3));
        lm_v3 dt1 = v3(0, t.z, -t.y), dt2 = v3(-t.z, 0, t.x);
        lm_v3 row = v3_sub(v3_mul(phi.x - eta1, dt2), v3_mul(phi.y + slope, dt1));
        rows[1 + k] = m3_outer(v3(1 / p2, 0, 0), row);
    }
    chord_add(w, S, 3, 0, 1, rows);
}

/* ---- all kinds ---- */

/* A frame on a node, or given: it turns as that node does. */
static int node_frame(super_work *w, const lm_super_state *st)
{
    int i = super_place(w->s);
    w->A = i < w->s->n ? total_rotation(w->s, st, i) : st->R[i];
    super_add(w->G, 3, 0, 6 * i + 3, 1, m3_identity());
    w->follows = i;
    return 0;
}

static lm_v3 place_of(const lm_super *s, const lm_super_state *st)
{
    int place = super_place(s);
    if (place >= 0) return v3_from(st->x + st->stride * place);
    /* from the first node, so that a body far away loses no digits */
    lm_v3 first = v3_from(st->x), sum = v3(0, 0, 0);
    for (int i = 1; i < s->n; i++)
        sum = v3_add(sum, v3_sub(v3_from(st->x + st->stride * i), first));
    return v3_add(first, v3_mul(1.0 / s->n, sum));
}

int super_frame(super_work *w, const lm_super_state *st)
{
    memset(w->G, 0, sizeof(double) * 3 * (size_t)w->nd);
    w->place = place_of(w->s, st);
    w->follows = -1;
    switch (w->s->frame) {
    case LM_SUPER_MEAN: return mean_frame(w, st);
    case LM_SUPER_CHORD: return chord_frame(w, st);
    default: return node_frame(w, st);
    }
}

void super_frame_rate(super_work *w, double *S)
{
    memset(S, 0, sizeof(double) * 3 * (size_t)w->nd);
    if (w->s->frame == LM_SUPER_MEAN) mean_rate(w, S);
    if (w->s->frame == LM_SUPER_CHORD) chord_rate(w, S);
}

void super_frame_second(const super_work *w, lm_v3 m, double scale, double *out)
{
    if (w->s->frame == LM_SUPER_MEAN) mean_second(w, m, scale, out);
    if (w->s->frame == LM_SUPER_CHORD) chord_second(w, m, scale, out);
}
