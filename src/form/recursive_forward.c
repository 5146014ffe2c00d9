#include "form/recursive_int.h"

/* ---- forward dynamics, inwards: inertia and wrench of all that hangs on a link ---- */

/* Below this part of what was subtracted from, an inertia is rounding error. */
static const double MASSLESS = 1e-13;

/* One column S: U = I S, D = S.U + what is added; ddu = h - g.A, h = (tau - S.p) / D, g = U / D.
 * Passed on: I - U g^T, p + (I - U g^T) c + U h. */
static int pass_scalar(const lm_recursive *r, int i, const lm_tree_load *load, bundle *b)
{
    const joint *j = &r->joint[i];
    const state *s = &r->state[i];
    int slides = j->kind == LM_LINK_SLIDE;
    lm_v3 e = axis_of(r, j, s);
    lm_v3 Uv = slides ? sym_v(&b->V, e) : m3_v(&b->H, e);
    lm_v3 Ua = slides ? m3_tv(&b->H, e) : sym_v(&b->J, e);
    double D = v3_dot(e, slides ? Uv : Ua) + (load->added ? load->added[3 * j->u] : 0);
    if (!(D > MASSLESS * (slides ? b->sv : b->sa))) return 1;
    double h = ((load->tau ? load->tau[j->u] : 0) - v3_dot(e, slides ? b->pv : b->pa)) / D;
    lm_v3 gv = v3_mul(1 / D, Uv), ga = v3_mul(1 / D, Ua);
    twist c = bias(j, s, r->state[j->parent].w);
    sym_sub_outer(&b->V, Uv, gv);
    sym_sub_outer(&b->J, Ua, ga);
    for (int k = 0; k < 3; k++) v3_acc(b->H.m + 3 * k, v3_mul(-v3_get(ga, k), Uv));
    b->pv = v3_add(b->pv, v3_add(v3_mul(h, Uv), v3_add(sym_v(&b->V, c.v), m3_v(&b->H, c.w))));
    b->pa = v3_add(b->pa, v3_add(v3_mul(h, Ua), v3_add(m3_tv(&b->H, c.v), sym_v(&b->J, c.w))));
    v3_put(r->gain[i].g, gv);
    v3_put(r->gain[i].g + 3, ga);
    r->gain[i].h.x = h;
    return 0;
}

/* Lower factor of a symmetric matrix, J = L diag(D) L^T. */
typedef struct factor3 {
    double yx, zx, zy;
    lm_v3 inverse; /* of D */
} factor3;

static inline int factor(const sym3 *J, double least, factor3 *L)
{
    double ix = 1 / J->xx;
    L->yx = J->xy * ix, L->zx = J->xz * ix;
    double dy = J->yy - L->yx * J->xy, zy = J->yz - L->zx * J->xy, iy = 1 / dy;
    L->zy = zy * iy;
    double dz = J->zz - L->zx * J->xz - L->zy * zy;
    L->inverse = v3(ix, iy, 1 / dz);
    return !(J->xx > least && dy > least && dz > least);
}

static inline lm_v3 factor_solve(const factor3 *L, lm_v3 b)
{
    double y = b.y - L->yx * b.x, z = (b.z - L->zx * b.x - L->zy * y) * L->inverse.z;
    y = y * L->inverse.y - L->zy * z;
    return v3(b.x * L->inverse.x - L->yx * y - L->zx * z, y, z);
}

/* What is added to the inertia of a ball, world axes. */
static __attribute__((noinline)) sym3 added_to_ball(const lm_recursive *r, const joint *j,
                                                    const double *added)
{
    const double *a = added + 3 * j->u;
    lm_m3 A = {{a[0], a[1], a[2], a[1], a[4], a[5], a[2], a[5], a[8]}}, to;
    const lm_m3 *E = axes_before(r, j, &to);
    lm_m3 T = m3_mul(E, &A), Et = m3_t(E);
    A = m3_mul(&T, &Et);
    return sym_cols(m3_col(&A, 0), m3_col(&A, 1), m3_col(&A, 2));
}

/* With A added, D = J + A and G = D^-1 J, more is passed on than V - H W: H - H G = W^T A and
 * J - J G = A G, forms without differences of large numbers; c is the acceleration at ddu = 0. */
static __attribute__((noinline)) void pass_added(const factor3 *L, const sym3 *A, const gain *g,
                                                 twist c, lm_m3 *G, bundle *b)
{
    lm_m3 full = sym_m3(&b->J), add = sym_m3(A), AG;
    *G = m3_cols(factor_solve(L, m3_col(&full, 0)), factor_solve(L, m3_col(&full, 1)),
                 factor_solve(L, m3_col(&full, 2)));
    AG = m3_mul(&add, G);
    b->pa = v3_add(b->pa, sym_v(&b->J, g->h));
    b->H = m3_tmul(&g->W, &add);
    b->J = sym_cols(m3_col(&AG, 0), m3_col(&AG, 1), m3_col(&AG, 2));
    b->pv = v3_add(b->pv, m3_v(&b->H, c.w));
    b->pa = v3_add(b->pa, v3_add(m3_tv(&b->H, c.v), sym_v(&b->J, c.w)));
}

/* Three columns S = (0, 1) in world axes: D = J, W = J^-1 H^T, h = J^-1 (tau - pa).
 * Passed on: V - H W alone, and the wrench (pv + (V - H W) c + H h, tau). */
static int pass_ball(const lm_recursive *r, int i, const lm_tree_load *load, bundle *b)
{
    const joint *j = &r->joint[i];
    const double *H = b->H.m;
    gain *g = &r->gain[i];
    factor3 L;
    sym3 D = b->J, A = {0, 0, 0, 0, 0, 0};
    lm_v3 t = {0, 0, 0}, W[3];
    if (load->added) A = added_to_ball(r, j, load->added), sym_add(&D, &A);
    if (factor(&D, MASSLESS * b->sa, &L)) return 1;
    if (load->tau) {
        lm_m3 to;
        t = m3_v(axes_before(r, j, &to), v3_from(load->tau + j->u));
    }
    g->h = factor_solve(&L, v3_sub(t, b->pa));
    for (int k = 0; k < 3; k++) { /* columns of H^T: rows of H */
        W[k] = factor_solve(&L, v3(H[k], H[3 + k], H[6 + k]));
        v3_put(g->W.m + 3 * k, W[k]);
    }
    sym3 HW = sym_cols(m3_v(&b->H, W[0]), m3_v(&b->H, W[1]), m3_v(&b->H, W[2]));
    twist c = bias(j, &r->state[i], r->state[j->parent].w);
    sym_sub(&b->V, &HW);
    b->pv = v3_add(b->pv, v3_add(m3_v(&b->H, g->h), sym_v(&b->V, c.v)));
    if (load->added) {
        pass_added(&L, &A, g, c, &r->spin[i], b);
        return 0;
    }
    b->pa = t;
    b->H = m3_diag(0);
    b->J = A;
    return 0;
}

/* The rate of a ball that moves no mass: of the axis with the least inertia. */
static int massless_axis(const lm_recursive *r, const joint *j, const sym3 *J)
{
    lm_m3 to;
    const lm_m3 *E = axes_before(r, j, &to);
    double least = HUGE_VAL;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double D = v3_dot(m3_col(E, k), sym_v(J, m3_col(E, k)));
        if (D < least) least = D, axis = k;
    }
    return j->u + axis;
}

static int inwards(lm_recursive *r, const lm_tree_load *load, int *massless)
{
    for (int i = r->n - 1; i >= 0; i--) {
        const joint *j = &r->joint[i];
        bundle *b = gather(r, i, load->f);
        int ball = j->kind == LM_LINK_BALL;
        if (ball ? pass_ball(r, i, load, b) : pass_scalar(r, i, load, b)) {
            if (massless) *massless = ball ? massless_axis(r, j, &b->J) : j->u;
            return 1;
        }
        if (j->parent >= 0)
            hand_on(b, r->state[i].d, j->opens_slot, &r->bundle[r->joint[j->parent].slot]);
    }
    return 0;
}

/* ---- forward dynamics, outwards ---- */

static void outwards(lm_recursive *r, int added, double *ddu)
{
    for (int i = 0; i < r->n; i++) {
        const joint *j = &r->joint[i];
        const state *s = &r->state[i];
        const gain *g = &r->gain[i];
        twist A = carried(j, s, r->state[j->parent].w, &r->acc[j->parent]);
        if (j->kind == LM_LINK_BALL) {
            lm_m3 to;
            lm_v3 al = v3_sub(g->h, m3_v(&g->W, A.v));
            if (added) al = v3_add(al, v3_sub(A.w, m3_v(&r->spin[i], A.w)));
            v3_put(ddu + j->u, m3_tv(axes_before(r, j, &to), v3_sub(al, A.w)));
            A.w = al;
        } else {
            lm_v3 e = axis_of(r, j, s);
            double a = g->h.x - v3_dot(v3_from(g->g), A.v) - v3_dot(v3_from(g->g + 3), A.w);
            lm_v3 *part = j->kind == LM_LINK_SLIDE ? &A.v : &A.w;
            *part = v3_add(*part, v3_mul(a, e));
            ddu[j->u] = a;
        }
        r->acc[i] = A;
    }
}

int lm_recursive_forward(lm_recursive *r, const lm_tree_load *load, double *ddu, int *massless)
{
    if (inwards(r, load, massless)) return 1;
    r->acc[-1] = (twist){v3_neg(load->gravity), {0, 0, 0}};
    outwards(r, load->added != NULL, ddu);
    return 0;
}
