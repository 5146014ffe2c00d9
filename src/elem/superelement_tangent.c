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

typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));

/* out (nd x nd) += L R, L: nd x 3, R: 3 x nd; nd is even */
static LM_CLONES void add_product(int nd, const double *restrict L, const double *restrict R,
                                  double *restrict out)
{
    const double *l0 = L, *l1 = L + nd, *l2 = L + 2 * nd;
    for (int j = 0; j < nd; j++, out += nd) {
        double r0 = R[3 * j], r1 = R[3 * j + 1], r2 = R[3 * j + 2];
        if (r0 == 0 && r1 == 0 && r2 == 0) continue;
        for (int i = 0; i < nd; i += 2)
            *(vec2 *)(out + i) += *(const vec2 *)(l0 + i) * r0 + *(const vec2 *)(l1 + i) * r1 +
                                  *(const vec2 *)(l2 + i) * r2;
    }
}

/* Column k of B skew(a), B given by its columns. */
static inline lm_v3 column_cross(const lm_v3 B[3], lm_v3 a, int k)
{
    switch (k) {
    case 0: return v3_sub(v3_mul(a.z, B[1]), v3_mul(a.y, B[2]));
    case 1: return v3_sub(v3_mul(a.x, B[2]), v3_mul(a.z, B[0]));
    default: return v3_sub(v3_mul(a.y, B[0]), v3_mul(a.x, B[1]));
    }
}

/* The three columns of a block of 3 x 3 in a matrix with leading dimension ld. */
static inline void block_columns(const double *A, int ld, int row, int col, lm_v3 B[3])
{
    const double *a = A + (size_t)ld * (size_t)col + row;
    for (int k = 0; k < 3; k++) B[k] = v3_from(a + (size_t)ld * (size_t)k);
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
 * the corner of out (leading dimension ld). */
static SUPER_FLAT void deformation_blocks(const super_work *w, coefficients c, int ld, double *out)
{
    const lm_super *s = w->s;
    int damped = super_is_damped(s);
    for (int i = 0; i < s->n; i++) w->T[i] = lm_rot_tangent_inverse(v3_from(w->d + 6 * i + 3));
    for (int col = 0; col < 2 * s->n; col++) {
        lm_m3 X = damped ? rate_change(w, col) : (lm_m3){{0}};
        for (int row = 0; row < 2 * s->n; row++) {
            lm_m3 B = super_block(s->K, w->m, 3 * row, 3 * col);
            if (c.K != 1) B = m3_scale(c.K, B);
            lm_m3 C = damped ? damping_block(s, 3 * row, 3 * col) : X;
            if (damped) B = m3_add(B, m3_scale(c.D, C));
            if (col % 2) B = m3_mul(&B, &w->T[col / 2]);
            if (damped) B = m3_add(B, m3_scale(c.K, m3_mul(&C, &X)));
            if (row % 2) B = m3_tmul(&w->T[row / 2], &B);
            super_put(out, ld, 3 * row, 3 * col, B);
        }
    }
    for (int i = 0; i < s->n && c.K != 0; i++) {
        const double *b = w->d + 6 * i + 3, *moment = w->stress + 6 * i + 3;
        lm_m3 D = lm_rot_tangent_inverse_change(v3_from(b), v3_from(moment), -1);
        super_add(out, ld, 6 * i + 3, 6 * i + 3, c.K, m3_mul(&D, &w->T[i]));
    }
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

/* B U, nd x 6: sums of the columns, those of turns with the arms. */
static SUPER_FLAT void rigid_columns(super_work *w, const double *B)
{
    size_t nd = (size_t)w->nd;
    memset(w->BU, 0, sizeof(double) * 6 * nd);
    for (int i = 0; i < w->m; i += 6) {
        lm_v3 arm = v3_neg(v3_from(w->arm + i / 2)), y[3], phi[3];
        for (int row = 0; row < w->m; row += 3) {
            block_columns(B, w->nd, row, i, y);
            block_columns(B, w->nd, row, i + 3, phi);
            for (int k = 0; k < 3; k++) {
                double *to = w->BU + nd * (size_t)k + row;
                v3_acc(to, y[k]);
                v3_acc(to + 3 * nd, v3_add(phi[k], column_cross(y, arm, k)));
            }
        }
    }
}

/* U^T x of the rows of some columns: sums of forces and moments about the frame's place. */
static void rigid_sums(const super_work *w, const double *x, lm_v3 *force, lm_v3 *moment)
{
    *force = *moment = v3(0, 0, 0);
    for (int i = 0; i < w->m; i += 6) {
        lm_v3 f = v3_from(x + i);
        *force = v3_add(*force, f);
        *moment = v3_add(*moment, v3_from(x + i + 3));
        *moment = v3_add(*moment, v3_cross(v3_from(w->arm + i / 2), f));
    }
}

/* Z = U^T B - (U^T B U) (h; G), 6 x nd */
static void rigid_rows(super_work *w, const double *B)
{
    int place = super_place(w->s), n = w->s->n;
    lm_v3 F[6], M[6], f, m;
    for (int k = 0; k < 6; k++) rigid_sums(w, w->BU + w->nd * k, &F[k], &M[k]);
    for (int j = 0; j < w->nd; j++) {
        f = m = v3(0, 0, 0);
        if (j < w->m) rigid_sums(w, B + (size_t)w->nd * (size_t)j, &f, &m);
        double c[6] = {0};
        if (j % 6 < 3) c[j % 6] = place < 0 ? 1.0 / n : place == j / 6;
        v3_put(c + 3, v3_from(w->G + 3 * j));
        for (int k = 0; k < 6; k++) {
            if (c[k] == 0) continue;
            f = v3_sub(f, v3_mul(c[k], F[k]));
            m = v3_sub(m, v3_mul(c[k], M[k]));
        }
        v3_put(w->Z + 6 * j, f);
        v3_put(w->Z + 6 * j + 3, m);
    }
}

/* The parts of -B U (h; G) - (h; G)^T Z that go through h: columns and rows of one node, scale 1, or
 * of all of them. */
static void project_slide(const super_work *w, int node, double scale, double *out)
{
    for (int k = 0; k < 3; k++) {
        double *col = out + (size_t)w->nd * (size_t)(6 * node + k);
        axpy(w->nd, -scale, w->BU + w->nd * k, col);
    }
    for (int j = 0; j < w->nd; j++)
        v3_acc(out + (size_t)w->nd * (size_t)j + 6 * node, v3_mul(-scale, v3_from(w->Z + 6 * j)));
}

/* out = P^T out P = out - B U (h; G) - (h; G)^T Z; what goes through G into left_G and right_G */
static void project_both_sides(super_work *w, double *out)
{
    int place = super_place(w->s), n = w->s->n;
    rigid_columns(w, out);
    rigid_rows(w, out);
    if (place >= 0) project_slide(w, place, 1, out);
    for (int i = 0; i < n && place < 0; i++) project_slide(w, i, 1.0 / n, out);
    axpy(3 * w->nd, -1, w->BU + 3 * w->nd, w->left_G);
    for (int j = 0; j < w->nd; j++) v3_acc(w->right_G + 3 * j, v3_neg(v3_from(w->Z + 6 * j + 3)));
}

/* The arms change with the deformation, and with them the moment of the forces g about the frame:
 * right_G += c sum of [g_i] du_i */
static SUPER_FLAT void moving_arms(super_work *w, double c)
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

/* out (leading dimension ld) += cM M + cD (derivative by V at fixed Omega and G):
 * -M [Omega] + [Omega] M - (0, [omega_i] M_Ri - [pi_Ri]) */
static SUPER_FLAT void inertia_blocks(const super_work *w, coefficients c, int ld, double *out)
{
    lm_v3 M[3];
    for (int col = 0; col < w->m; col += 3)
        for (int row = 0; row < w->m; row += 3) {
            lm_v3 spin = row % 6 ? v3_sub(w->Omega, v3_from(w->V + row)) : w->Omega;
            double *to = out + (size_t)ld * (size_t)col + row;
            block_columns(w->s->M, w->m, row, col, M);
            for (int k = 0; k < 3; k++, to += ld) {
                lm_v3 D = v3_sub(v3_cross(spin, M[k]), column_cross(M, w->Omega, k));
                v3_acc(to, v3_add(v3_mul(c.M, M[k]), v3_mul(c.D, D)));
            }
        }
    for (int i = 3; i < w->m; i += 6) super_add(out, ld, i, i, c.D, m3_skew(v3_from(w->pi + i)));
}

/* right_G += c d(mu)/dV = c (sum over i of [V_i] M_ij - [pi_j]) */
static SUPER_FLAT void torque_of_rates(super_work *w, double c)
{
    const double *M = w->s->M;
    for (int col = 0; col < w->m; col++, M += w->m) {
        lm_v3 sum = v3(0, 0, 0);
        for (int row = 0; row < w->m; row += 3)
            sum = v3_add(sum, v3_cross(v3_from(w->V + row), v3_from(M + row)));
        v3_acc(w->right_G + 3 * col, v3_mul(c, sum));
    }
    for (int j = 0; j < w->m; j += 3)
        super_add(w->right_G, 3, 0, j, -c, m3_skew(v3_from(w->pi + j)));
}

/* Column k of what the frame's turning does to the inertia forces, with dV = V x e_k and dpi = M dV:
 *     with the spin      d(f)/d(Omega) e_k = dpi - pi x e_k, for twists (cD, into `twists`) and for shapes
 *                        at fixed twists (cK, through d(G V));
 *     with the axes      [a] e_k in the accelerations, dV in the twists, -[f] e_k in the forces (cK). */
static void frame_column(super_work *w, int k, coefficients c, double *twists)
{
    double *d = twists + (size_t)w->nd * (size_t)k;
    double *dV = w->tmp[0], *dpi = w->tmp[1], *x = w->BU;
    double *g = w->left_G + (size_t)w->nd * (size_t)k, *s = w->left_S + (size_t)w->nd * (size_t)k;
    lm_v3 e = v3(k == 0, k == 1, k == 2), dmu = v3(0, 0, 0);
    turned(w->nd, w->V, k, dV);
    lm_v3 dO = super_turn(w, dV);
    memset(dpi, 0, sizeof(double) * (size_t)w->m);
    super_multiply(w->m, w->s->M, dV, 1, dpi);
    for (int i = 0; i < w->m; i += 3) {
        lm_v3 V = v3_from(w->V + i), dVi = v3_from(dV + i), pi = v3_from(w->pi + i);
        lm_v3 dp = v3_from(dpi + i), spun = v3_sub(dp, v3_cross(pi, e));
        lm_v3 spin = i % 6 ? v3_sub(w->Omega, V) : w->Omega, dspin = i % 6 ? v3_sub(dO, dVi) : dO;
        lm_v3 own = v3_add(v3_cross(dspin, pi), v3_cross(spin, dp));
        v3_acc(d + i, v3_mul(c.D, spun));
        v3_acc(g + i, v3_mul(c.K, own));
        v3_acc(s + i, v3_mul(c.K, spun));
        dmu = v3_add(dmu, v3_add(v3_cross(dVi, pi), v3_cross(V, dp)));
        v3_put(x + i, v3_sub(v3_sub(v3_cross(v3_from(w->acc + i), e), v3_cross(dO, V)),
                             v3_cross(w->Omega, dVi)));
    }
    if (c.K == 0) return;
    super_multiply(w->m, w->s->M, x, c.K, g);
    for (int i = 0; i < w->nd; i += 3) v3_acc(g + i, v3_mul(-c.K, v3_cross(v3_from(w->f + i), e)));
    super_turn_back(w, v3_mul(c.K, dmu), g);
}

/* ---- all together ---- */

/* out = A out A^T block by block: columns are mixed, then rows. */
static SUPER_FLAT void to_world_axes(const super_work *w, int size, double *out)
{
    lm_m3 A = w->A;
    const double *a = A.m;
    int nd = w->nd;
    for (int col = 0; col < size; col += 3) {
        double *c0 = out + (size_t)nd * (size_t)col, *c1 = c0 + nd, *c2 = c1 + nd;
        for (int i = 0; i < size; i += 2) {
            vec2 x = *(vec2 *)(c0 + i), y = *(vec2 *)(c1 + i), z = *(vec2 *)(c2 + i);
            *(vec2 *)(c0 + i) = x * a[0] + y * a[3] + z * a[6];
            *(vec2 *)(c1 + i) = x * a[1] + y * a[4] + z * a[7];
            *(vec2 *)(c2 + i) = x * a[2] + y * a[5] + z * a[8];
        }
        for (double *c = c0; c <= c2; c += nd)
            for (int i = 0; i < size; i += 3) v3_put(c + i, m3_v(&A, v3_from(c + i)));
    }
}

/* cM M alone */
static int mass_tangent(const lm_super *s, const lm_super_state *st, double cM, double *scratch,
                        double *out)
{
    super_work w;
    int rc = super_begin_frame(s, st, scratch, &w);
    if (rc) return rc;
    for (int j = 0; j < w.m; j++)
        axpy(w.m, cM, s->M + (size_t)w.m * (size_t)j, out + (size_t)w.nd * (size_t)j);
    to_world_axes(&w, w.m, out);
    return 0;
}

/* ---- gravity ---- */

/* A turn eta changes gamma by gamma x eta, and with it the forces on the deformations, the weight at the
 * frame's place and the torque gamma x first; so does a deformation through `first`:
 *     c [ -P^T diag(I, T)^T M (gamma x eta) - m h^T (gamma x eta)
 *         + G^T ((gamma x eta) x first + gamma x sum_i [M diag(I, T) P z]_Ti) ] */
static void gravity_columns(super_work *w, double c)
{
    lm_v3 force = w->force, moment = w->moment; /* of the forces themselves: keep them */
    int place = super_place(w->s), n = w->s->n;
    double *x = w->tmp[1];
    for (int k = 0; k < 3; k++) {
        double *to = w->left_G + (size_t)w->nd * (size_t)k;
        lm_v3 turned_down = v3_cross(w->down, v3(k == 0, k == 1, k == 2));
        lm_v3 weight = v3_mul(-c * w->s->mass, turned_down);
        super_uniform(w, turned_down, -c, x);
        for (int i = 3; i < w->m; i += 6) v3_put(x + i, m3_tv(&w->T[i / 6], v3_from(x + i)));
        super_project_back(w, x, to);
        super_turn_back(w, v3_mul(c, v3_cross(turned_down, w->first)), to);
        if (place >= 0) v3_acc(to + 6 * place, weight);
        for (int i = 0; i < n && place < 0; i++) v3_acc(to + 6 * i, v3_mul(1.0 / n, weight));
    }
    w->force = force;
    w->moment = moment;
}

/* Rows e_k . (gamma x sum_i [M diag(I, T) P z]_Ti) = (P^T diag^T M (e_k x gamma)) . z */
static void gravity_rows(super_work *w, double c)
{
    lm_v3 force = w->force, moment = w->moment;
    double *x = w->tmp[1], *row = w->BU;
    for (int k = 0; k < 3; k++) {
        super_uniform(w, v3_cross(v3(k == 0, k == 1, k == 2), w->down), c, x);
        for (int i = 3; i < w->m; i += 6) v3_put(x + i, m3_tv(&w->T[i / 6], v3_from(x + i)));
        memset(row, 0, sizeof(double) * (size_t)w->nd);
        super_project_back(w, x, row);
        for (int j = 0; j < w->nd; j++) w->right_G[3 * j + k] += row[j];
    }
    w->force = force;
    w->moment = moment;
}

static void gravity_tangent(super_work *w, double c)
{
    if (v3_dot(w->down, w->down) == 0) return;
    gravity_columns(w, c);
    gravity_rows(w, c);
}

/* ---- all forces ---- */

/* Elastic and damping forces, gravity. */
static void deformation_tangent(super_work *w, coefficients c, double *out)
{
    deformation_blocks(w, c, w->nd, out);
    project_both_sides(w, out);
    if (c.K == 0) return;
    moving_arms(w, c.K);
    damping_through_frame(w, c.K);
    gravity_tangent(w, c.K);
}

static void inertia_tangent(super_work *w, coefficients c, double *out)
{
    if (c.M != 0 || c.D != 0) inertia_blocks(w, c, w->nd, out);
    if (c.D != 0) torque_of_rates(w, c.D);
    for (int k = 0; k < 3; k++) frame_column(w, k, c, w->left_G);
}

/* out += G^T right_G + left_G G + left_S S */
static void add_through_frame(super_work *w, double *out)
{
    double *Gt = w->Z; /* no longer needed */
    for (int j = 0; j < w->nd; j++)
        for (int k = 0; k < 3; k++) Gt[w->nd * k + j] = w->G[3 * j + k];
    add_product(w->nd, Gt, w->right_G, out);
    add_product(w->nd, w->left_G, w->G, out);
    add_product(w->nd, w->left_S, w->S, out);
}

static int chain_tangent(const lm_super *s, const lm_super_state *st, lm_v3 g, coefficients c,
                         double *scratch, double *out)
{
    const lm_super *damper = s->chain->damper;
    int rc = 0;
    if (damper && (c.D != 0 || c.K != 0))
        rc = lm_super_tangent(damper, st, v3(0, 0, 0), 0, c.D, c.K, scratch, out);
    else
        memset(out, 0, sizeof(double) * 36 * (size_t)s->poses * (size_t)s->poses);
    if (!rc) super_chain_tangent(s, st, g, c.M, c.D, c.K, out);
    return rc;
}

int lm_super_tangent(const lm_super *s, const lm_super_state *st, lm_v3 g, double cM, double cD,
                     double cK, double *scratch, double *out)
{
    super_work w;
    coefficients c = {cM, cD, cK};
    size_t nd = 6 * (size_t)s->poses, three = sizeof(double) * 3 * nd;
    if (s->chain) return chain_tangent(s, st, g, c, scratch, out);
    memset(out, 0, sizeof(double) * nd * nd);
    if (cD == 0 && cK == 0) return mass_tangent(s, st, cM, scratch, out);
    int rc = super_begin(s, st, g, scratch, &w);
    if (rc) return rc;
    memset(w.left_G, 0, three);
    memset(w.left_S, 0, three);
    memset(w.right_G, 0, three);
    memset(w.S, 0, three);
    if (cK != 0) {
        super_forces(&w);
        super_frame_rate(&w, w.S);
    } else
        super_momenta(&w);
    if (cK != 0 || super_is_damped(s)) deformation_tangent(&w, c, out);
    inertia_tangent(&w, c, out);
    add_through_frame(&w, out);
    if (cK != 0) super_frame_second(&w, v3_sub(w.torque, w.moment), cK, out);
    to_world_axes(&w, w.nd, out);
    return 0;
}

/* ---- in parts ---- */

void super_tangent_parts(super_work *w, const super_parts *p)
{
    const coefficients stiffness = {0, 0, 1}, damping = {0, 1, 0}, both = {0, 1, 1};
    size_t nd = (size_t)w->nd, m = (size_t)w->m, three = sizeof(double) * 3 * nd;
    super_forces(w);
    super_frame_rate(w, w->S);
    memset(p->D.left_G, 0, three);
    memset(p->D.right_G, 0, three);
    memset(p->K.left_G, 0, three);
    memset(p->K.left_S, 0, three);
    memset(p->K.right_G, 0, three);
    w->left_G = p->K.left_G, w->left_S = p->K.left_S, w->right_G = p->K.right_G;
    deformation_blocks(w, stiffness, w->m, p->K.blocks);
    moving_arms(w, 1);
    damping_through_frame(w, 1);
    gravity_tangent(w, 1);
    for (int k = 0; k < 3; k++) frame_column(w, k, both, p->D.left_G);
    if (p->second) {
        memset(p->second, 0, sizeof(double) * nd * nd);
        super_frame_second(w, v3_sub(w->torque, w->moment), 1, p->second);
    }
    w->right_G = p->D.right_G;
    memset(p->D.blocks, 0, sizeof(double) * m * m);
    inertia_blocks(w, damping, w->m, p->D.blocks);
    torque_of_rates(w, 1);
    if (p->damping) deformation_blocks(w, damping, w->m, p->damping);
}
