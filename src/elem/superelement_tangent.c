/* Superelement: the exact tangent cM df/da + cD df/dv + cK df/d(motion).
 *
 * Everything that goes through the frame has rank 3 or 6, so only the blocks of K, M and C cost
 * n^2 work each:
 *
 *     Kt = P^T B P + cM M + cD D
 *        + G^T right_G + left_G G + left_S S + cK d(G^T (mu - moment))
 *
 * with P = I - U (h; G), U the six rigid motions. A motion z changes the components of a world
 * vector by dV = [V] eta, and the axes of the forces by -[f] eta, eta = G z: these are in left_G.
 * The derivation is in docs/theory/superelement.md. */
#include "elem/superelement_int.h"

#include <string.h>

typedef struct coefficients {
    double M, D, K;
} coefficients;

/* ---- low-rank terms ---- */

/* out (nd x nd) += scale * L R, L: nd x 3, R: three rows of a matrix with `rows` rows */
static void add_product(int nd, const double *restrict L, const double *restrict R, int rows,
                        double scale, double *restrict out)
{
    const double *l0 = L, *l1 = L + nd, *l2 = L + 2 * nd;
    for (int j = 0; j < nd; j++) {
        double *col = out + (size_t)nd * (size_t)j;
        double r0 = scale * R[rows * j], r1 = scale * R[rows * j + 1], r2 = scale * R[rows * j + 2];
        for (int i = 0; i < nd; i++) col[i] += r0 * l0[i] + r1 * l1[i] + r2 * l2[i];
    }
}

/* out += G^T R, R: 3 x nd */
static void add_through_G(const super_work *w, const double *R, double *out)
{
    for (int j = 0; j < w->nd; j++) {
        lm_v3 r = v3_from(R + 3 * j);
        double *col = out + (size_t)w->nd * (size_t)j;
        for (int i = 0; i < w->nd; i++) col[i] += v3_dot(v3_from(w->G + 3 * i), r);
    }
}

/* Columns k of the stacks [x_1], [x_2], ...: what turning the axes about k does to the vectors. */
static void turned(int n, const double *x, int k, double *out)
{
    lm_v3 e = v3(k == 0, k == 1, k == 2);
    for (int i = 0; i < n; i += 3) v3_put(out + i, v3_cross(v3_from(x + i), e));
}

static void axpy(int n, double c, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] += c * x[i];
}

/* ---- elastic and damping forces ---- */

/* What a deformation rate becomes when the body deforms at fixed V (3 x 3 on its own node):
 * d(ddot_u) = -Omega x du, d(ddot_b) = (d Tinv(b) (V_R - Omega)) T (P z)_R. */
static lm_m3 rate_change(const super_work *w, int block)
{
    int i = block / 2;
    if (block % 2 == 0) return m3_skew(v3_neg(w->Omega));
    lm_v3 relative = v3_sub(v3_from(w->V + 6 * i + 3), w->Omega);
    lm_m3 D = lm_rot_tangent_inverse_change(v3_from(w->d + 6 * i + 3), relative, 1);
    return m3_mul(&D, &w->T[i]);
}

static lm_m3 damping_block(const lm_super *s, int row, int col)
{
    int m = 6 * s->n;
    lm_m3 C = m3_scale(s->beta, super_block(s->K, m, row, col));
    if (s->alpha != 0) C = m3_add(C, m3_scale(s->alpha, super_block(s->M, m, row, col)));
    return s->C ? m3_add(C, super_block(s->C, m, row, col)) : C;
}

/* B = (I, T)^T [ (cK K + cD C) (I, T) + cK C (rate change) ] + cK (0, d(T^T) stress T), written to
 * the corner of out; the rest of it is zero. */
static void deformation_blocks(const super_work *w, coefficients c, double *out)
{
    const lm_super *s = w->s;
    int damped = super_is_damped(s);
    memset(out, 0, sizeof(double) * (size_t)w->nd * (size_t)w->nd);
    for (int col = 0; col < 2 * s->n; col++) {
        lm_m3 X = damped ? rate_change(w, col) : (lm_m3){{0}};
        for (int row = 0; row < 2 * s->n; row++) {
            lm_m3 B = m3_scale(c.K, super_block(s->K, w->m, 3 * row, 3 * col));
            lm_m3 C = damped ? damping_block(s, 3 * row, 3 * col) : X;
            if (damped) B = m3_add(B, m3_scale(c.D, C));
            if (col % 2) B = m3_mul(&B, &w->T[col / 2]);
            if (damped) B = m3_add(B, m3_scale(c.K, m3_mul(&C, &X)));
            if (row % 2) B = m3_tmul(&w->T[row / 2], &B);
            super_put(out, w->nd, 3 * row, 3 * col, B);
        }
    }
    for (int i = 0; i < s->n; i++) {
        const double *b = w->d + 6 * i + 3, *moment = w->stress + 6 * i + 3;
        lm_m3 D = lm_rot_tangent_inverse_change(v3_from(b), v3_from(moment), -1);
        super_add(out, w->nd, 6 * i + 3, 6 * i + 3, c.K, m3_mul(&D, &w->T[i]));
    }
}

/* Row r of (h; G) is the r-th of the six rigid motions in z. */
static double rigid_part(const super_work *w, int r, int j)
{
    int place = super_place(w->s);
    if (r >= 3) return w->G[3 * j + r - 3];
    if (j % 6 != r) return 0;
    return place < 0 ? 1.0 / w->s->n : place == j / 6;
}

/* The rigid motion r: translations, then turns about the frame's place. */
static void rigid_motion(const super_work *w, int r, double *out)
{
    lm_v3 e = v3(r % 3 == 0, r % 3 == 1, r % 3 == 2), zero = v3(0, 0, 0);
    for (int i = 0; i < w->m; i += 6) {
        v3_put(out + i, r < 3 ? e : v3_cross(e, v3_from(w->arm + i / 2)));
        v3_put(out + i + 3, r < 3 ? zero : e);
    }
}

/* BU = B U and Z = U^T B - (U^T B U) (h; G) */
static void rigid_products(super_work *w, const double *B)
{
    double *u = w->tmp[0];
    memset(w->BU, 0, sizeof(double) * 6 * (size_t)w->nd);
    for (int r = 0; r < 6; r++) {
        rigid_motion(w, r, u);
        double *bu = w->BU + (size_t)w->nd * (size_t)r;
        for (int j = 0; j < w->m; j++) {
            const double *col = B + (size_t)w->nd * (size_t)j;
            double sum = 0;
            for (int i = 0; i < w->m; i++) bu[i] += u[j] * col[i], sum += u[i] * col[i];
            w->Z[6 * j + r] = sum;
        }
        for (int j = w->m; j < w->nd; j++) w->Z[6 * j + r] = 0;
    }
    for (int r = 0; r < 6; r++) {
        rigid_motion(w, r, u);
        for (int k = 0; k < 6; k++) {
            const double *bu = w->BU + (size_t)w->nd * (size_t)k;
            double ubu = 0;
            for (int i = 0; i < w->m; i++) ubu += u[i] * bu[i];
            for (int j = 0; j < w->nd; j++) w->Z[6 * j + r] -= ubu * w->rigid[6 * j + k];
        }
    }
}

/* out = P^T out P = out - B U (h; G) - (h; G)^T Z */
static void project_both_sides(super_work *w, double *out)
{
    for (int j = 0; j < w->nd; j++)
        for (int r = 0; r < 6; r++) w->rigid[6 * j + r] = rigid_part(w, r, j);
    rigid_products(w, out);
    add_product(w->nd, w->BU, w->rigid, 6, -1, out);
    add_product(w->nd, w->BU + 3 * w->nd, w->rigid + 3, 6, -1, out);
    for (int j = 0; j < w->nd; j++)
        for (int i = 0; i < w->nd; i++) {
            double sum = 0;
            for (int r = 0; r < 6; r++) sum += w->rigid[6 * i + r] * w->Z[6 * j + r];
            out[(size_t)w->nd * (size_t)j + (size_t)i] -= sum;
        }
}

/* The arms change with the deformation, and with them the moment of the forces g about the frame:
 * right_G += c sum of [g_i] du_i */
static void moving_arms(super_work *w, double c)
{
    lm_m3 turn = {{0}};
    int place = super_place(w->s), n = w->s->n;
    lm_m3 all = m3_skew(w->force);
    for (int i = 0; i < n; i++) {
        lm_v3 g = v3_from(w->force_on_nodes + 6 * i);
        turn = m3_add(turn, m3_skew_skew(g, v3_from(w->arm + 3 * i)));
        super_add(w->right_G, 3, 0, 6 * i, c, m3_skew(g));
        if (place < 0) super_add(w->right_G, 3, 0, 6 * i, -c / n, all);
    }
    if (place >= 0) super_add(w->right_G, 3, 0, 6 * place, -c, all);
    for (int j = 0; j < w->nd; j++)
        v3_acc(w->right_G + 3 * j, v3_mul(c, m3_v(&turn, v3_from(w->G + 3 * j))));
}

/* y += scale * P^T (I, T)^T C (I, T) x for x [m] */
static void damp_projected(super_work *w, double *x, double scale, double *y)
{
    lm_v3 force = w->force, moment = w->moment; /* of the forces themselves: keep them */
    double *out = w->BU;
    memset(out, 0, sizeof(double) * (size_t)w->m);
    for (int i = 3; i < w->m; i += 6) v3_put(x + i, m3_v(&w->T[i / 6], v3_from(x + i)));
    super_damp(w->s, x, scale, out);
    for (int i = 3; i < w->m; i += 6) v3_put(out + i, m3_tv(&w->T[i / 6], v3_from(out + i)));
    super_project_back(w, out, y);
    w->force = force;
    w->moment = moment;
}

/* The turning frame in ddot = (I, T) P V: d(P V) = P [V] eta - U_rot d(G)V. */
static void damping_through_frame(super_work *w, double cK)
{
    if (!super_is_damped(w->s)) return;
    for (int k = 0; k < 3; k++) {
        turned(w->nd, w->V, k, w->tmp[0]);
        super_project(w, w->tmp[0], w->tmp[1]);
        damp_projected(w, w->tmp[1], cK, w->left_G + (size_t)w->nd * (size_t)k);
        rigid_motion(w, 3 + k, w->tmp[0]);
        damp_projected(w, w->tmp[0], -cK, w->left_S + (size_t)w->nd * (size_t)k);
    }
}

/* ---- inertia ---- */

/* out += cM M + cD (derivative by V at fixed Omega and G):
 * -M [Omega] + [Omega] M - (0, [omega_i] M_Ri - [pi_Ri]) */
static void inertia_blocks(const super_work *w, coefficients c, double *out)
{
    lm_m3 O = m3_skew(w->Omega);
    for (int col = 0; col < w->m; col += 3)
        for (int row = 0; row < w->m; row += 3) {
            lm_v3 V = v3_from(w->V + row);
            lm_m3 M = super_block(w->s->M, w->m, row, col);
            lm_m3 spin = m3_skew(row % 6 ? v3_sub(w->Omega, V) : w->Omega);
            lm_m3 D = m3_add(m3_mul(&spin, &M), m3_scale(-1, m3_mul(&M, &O)));
            if (row == col && row % 6) D = m3_add(D, m3_skew(v3_from(w->pi + row)));
            super_add(out, w->nd, row, col, 1, m3_add(m3_scale(c.M, M), m3_scale(c.D, D)));
        }
}

/* right_G += c d(mu)/dV = c (sum over i of [V_i] M_ij - [pi_j]) */
static void torque_of_rates(super_work *w, double c)
{
    for (int col = 0; col < w->m; col += 3) {
        lm_m3 sum = m3_skew(v3_neg(v3_from(w->pi + col)));
        for (int row = 0; row < w->m; row += 3) {
            lm_m3 M = super_block(w->s->M, w->m, row, col), V = m3_skew(v3_from(w->V + row));
            sum = m3_add(sum, m3_mul(&V, &M));
        }
        super_add(w->right_G, 3, 0, col, c, sum);
    }
}

/* d(f)/d(Omega) e_k = M (V x e_k) - pi x e_k, for the turning of the frame with the twists (cD) and
 * with the shape at fixed twists (cK). */
static void spin_columns(super_work *w, int k, coefficients c)
{
    double *x = w->tmp[0], *column = w->BU;
    size_t at = (size_t)w->nd * (size_t)k;
    turned(w->m, w->pi, k, column);
    for (int i = 0; i < w->m; i++) column[i] = -column[i];
    turned(w->m, w->V, k, x);
    super_multiply(w->m, w->s->M, x, 1, column);
    axpy(w->m, c.D, column, w->left_G + at);
    axpy(w->m, c.K, column, w->left_S + at);
}

/* y += c (change of the inertia forces with dV), the spin dOmega = G dV and mu included. */
static void inertia_change(super_work *w, const double *dV, double c, double *y)
{
    double *x = w->tmp[0], *dpi = w->BU;
    lm_v3 dO = super_turn(w, dV), dmu = v3(0, 0, 0);
    for (int i = 0; i < w->m; i += 3) {
        lm_v3 a = v3_cross(dO, v3_from(w->V + i)), b = v3_cross(w->Omega, v3_from(dV + i));
        v3_put(x + i, v3_neg(v3_add(a, b)));
    }
    super_multiply(w->m, w->s->M, x, c, y);
    memset(dpi, 0, sizeof(double) * (size_t)w->m);
    super_multiply(w->m, w->s->M, dV, 1, dpi);
    for (int i = 0; i < w->m; i += 3) {
        lm_v3 V = v3_from(w->V + i), dVi = v3_from(dV + i), pi = v3_from(w->pi + i);
        lm_v3 dp = v3_from(dpi + i), spin = w->Omega, dspin = dO;
        if (i % 6) spin = v3_sub(spin, V), dspin = v3_sub(dspin, dVi);
        v3_acc(y + i, v3_mul(c, v3_add(v3_cross(dspin, pi), v3_cross(spin, dp))));
        dmu = v3_add(dmu, v3_add(v3_cross(dVi, pi), v3_cross(V, dp)));
    }
    for (int j = 0; j < w->nd; j++) y[j] += c * v3_dot(v3_from(w->G + 3 * j), dmu);
}

/* Turning axes: [a] eta in the accelerations, [V] eta in the twists, -[f] eta in the forces. */
static void inertia_through_frame(super_work *w, coefficients c)
{
    for (int k = 0; k < 3; k++) {
        double *g = w->left_G + (size_t)w->nd * (size_t)k;
        spin_columns(w, k, c);
        turned(w->m, w->acc, k, w->tmp[0]);
        super_multiply(w->m, w->s->M, w->tmp[0], c.K, g);
        turned(w->nd, w->V, k, w->tmp[1]);
        inertia_change(w, w->tmp[1], c.K, g);
        turned(w->nd, w->f, k, w->tmp[0]);
        axpy(w->nd, -c.K, w->tmp[0], g);
    }
}

/* ---- all together ---- */

static void to_world_axes(const super_work *w, double *out)
{
    lm_m3 At = m3_t(&w->A);
    for (int col = 0; col < w->nd; col += 3)
        for (int row = 0; row < w->nd; row += 3) {
            lm_m3 B = super_block(out, w->nd, row, col), AB = m3_mul(&w->A, &B);
            super_put(out, w->nd, row, col, m3_mul(&AB, &At));
        }
}

int lm_super_tangent(const lm_super *s, const lm_super_state *st, lm_v3 g, double cM, double cD,
                     double cK, double *scratch, double *out)
{
    super_work w;
    coefficients c = {cM, cD, cK};
    int rc = super_begin(s, st, g, scratch, &w);
    if (rc) return rc;
    super_forces(&w);
    super_frame_rate(&w, w.S);
    deformation_blocks(&w, c, out);
    project_both_sides(&w, out);
    size_t three = sizeof(double) * 3 * (size_t)w.nd;
    memset(w.left_G, 0, three);
    memset(w.left_S, 0, three);
    memset(w.right_G, 0, three);
    moving_arms(&w, cK);
    damping_through_frame(&w, cK);
    inertia_blocks(&w, c, out);
    torque_of_rates(&w, cD);
    inertia_through_frame(&w, c);
    add_through_G(&w, w.right_G, out);
    add_product(w.nd, w.left_G, w.G, 3, 1, out);
    add_product(w.nd, w.left_S, w.S, 3, 1, out);
    super_frame_second(&w, v3_sub(w.mu, w.moment), cK, out);
    to_world_axes(&w, out);
    return 0;
}
