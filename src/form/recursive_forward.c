#include "form/recursive_int.h"

/* ---- forward dynamics, inwards: inertia and wrench of all that hangs on a link ---- */

/* Below this part of what was subtracted from, an inertia is rounding error. */
static const double MASSLESS = 1e-13;

/* One column S: U = I S, D = S.U; ddu = h - g.A, h = (tau - S.p) / D, g = U / D.
 * Passed on: I - U g^T, p + (I - U g^T) c + U h. */
static int pass_scalar(const lm_recursive *r, int i, const double *tau, bundle *b)
{
    const joint *j = &r->joint[i];
    const state *s = &r->state[i];
    const twist none = {{0, 0, 0}, {0, 0, 0}};
    int slides = j->kind == LM_LINK_SLIDE;
    lm_v3 e = axis_of(r, j, s);
    lm_v3 Uv = slides ? sym_v(&b->V, e) : m3_v(&b->H, e);
    lm_v3 Ua = slides ? m3_tv(&b->H, e) : sym_v(&b->J, e);
    double D = v3_dot(e, slides ? Uv : Ua);
    if (!(D > MASSLESS * (slides ? b->sv : b->sa))) return 1;
    double h = ((tau ? tau[j->u] : 0) - v3_dot(e, slides ? b->pv : b->pa)) / D;
    lm_v3 gv = v3_mul(1 / D, Uv), ga = v3_mul(1 / D, Ua);
    twist c = carried(j, s, r->state[j->parent].w, &none);
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

static inline lm_v3 factor_down(const factor3 *L, lm_v3 b) /* L^-1 b */
{
    double y = b.y - L->yx * b.x;
    return v3(b.x, y, b.z - L->zx * b.x - L->zy * y);
}

static inline lm_v3 factor_up(const factor3 *L, lm_v3 b) /* L^-T D^-1 b */
{
    double z = b.z * L->inverse.z, y = b.y * L->inverse.y - L->zy * z;
    return v3(b.x * L->inverse.x - L->yx * y - L->zx * z, y, z);
}

/* Three columns S = (0, 1) in world axes: D = J, W = J^-1 H^T, h = J^-1 (tau - pa).
 * Passed on: V - H W alone, and the wrench (pv + V c + H h, tau). */
static int pass_ball(const lm_recursive *r, int i, const double *tau, bundle *b)
{
    const joint *j = &r->joint[i];
    const state *s = &r->state[i];
    const double *H = b->H.m;
    lm_v3 w = r->state[j->parent].w, t = v3(0, 0, 0);
    gain *g = &r->gain[i];
    factor3 L;
    if (factor(&b->J, MASSLESS * b->sa, &L)) return 1;
    if (tau) {
        lm_m3 E = axes_before(r, j);
        t = m3_v(&E, v3_from(tau + j->u));
    }
    g->h = factor_up(&L, factor_down(&L, v3_sub(t, b->pa)));
    lm_v3 W[3]; /* by columns: of H^T, rows of H */
    for (int k = 0; k < 3; k++) {
        W[k] = factor_up(&L, factor_down(&L, v3(H[k], H[3 + k], H[6 + k])));
        v3_put(g->W.m + 3 * k, W[k]);
    }
    sym3 HW = sym_cols(m3_v(&b->H, W[0]), m3_v(&b->H, W[1]), m3_v(&b->H, W[2]));
    b->pv = v3_add(b->pv, m3_v(&b->H, g->h));
    b->V.xx -= HW.xx, b->V.yy -= HW.yy, b->V.zz -= HW.zz;
    b->V.xy -= HW.xy, b->V.xz -= HW.xz, b->V.yz -= HW.yz;
    b->pv = v3_add(b->pv, sym_v(&b->V, v3_cross(w, v3_cross(w, s->d))));
    b->pa = t;
    b->H = m3_diag(0);
    b->J = (sym3){0, 0, 0, 0, 0, 0};
    return 0;
}

/* The rate of a ball that moves no mass: the axis nearest to the direction without inertia, which the
 * largest column of the adjugate has. */
static int massless_axis(const lm_recursive *r, const joint *j, const sym3 *J)
{
    lm_m3 full = sym_m3(J), E = axes_before(r, j);
    lm_v3 x = m3_col(&full, 0), y = m3_col(&full, 1), z = m3_col(&full, 2);
    lm_v3 a[3] = {v3_cross(y, z), v3_cross(z, x), v3_cross(x, y)}, best = a[0];
    for (int k = 1; k < 3; k++)
        if (v3_norm(a[k]) > v3_norm(best)) best = a[k];
    lm_v3 e = m3_tv(&E, best);
    int k = fabs(e.y) > fabs(e.x) ? 1 : 0;
    return j->u + (fabs(e.z) > fabs(v3_get(e, k)) ? 2 : k);
}

static int inwards(lm_recursive *r, const lm_tree_load *load, int *massless)
{
    for (int i = r->n - 1; i >= 0; i--) {
        const joint *j = &r->joint[i];
        bundle *b = gather(r, i, load->f);
        int ball = j->kind == LM_LINK_BALL;
        if (ball ? pass_ball(r, i, load->tau, b) : pass_scalar(r, i, load->tau, b)) {
            if (massless) *massless = ball ? massless_axis(r, j, &b->J) : j->u;
            return 1;
        }
        if (j->parent >= 0)
            hand_on(b, r->state[i].d, j->opens_slot, &r->bundle[r->joint[j->parent].slot]);
    }
    return 0;
}

/* ---- forward dynamics, outwards ---- */

static void outwards(lm_recursive *r, double *ddu)
{
    for (int i = 0; i < r->n; i++) {
        const joint *j = &r->joint[i];
        const state *s = &r->state[i];
        const gain *g = &r->gain[i];
        twist A = carried(j, s, r->state[j->parent].w, &r->acc[j->parent]);
        if (j->kind == LM_LINK_BALL) {
            lm_m3 E = axes_before(r, j);
            lm_v3 al = v3_sub(g->h, m3_v(&g->W, A.v));
            v3_put(ddu + j->u, m3_tv(&E, v3_sub(al, A.w)));
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
    outwards(r, ddu);
    return 0;
}
