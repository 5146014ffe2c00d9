#include "form/kintree.h"

/* ---- building ---- */

static int link_rates(lm_link_kind kind) { return kind == LM_LINK_BALL ? 3 : 1; }
static int link_positions(lm_link_kind kind) { return kind == LM_LINK_BALL ? 4 : 1; }

static int is_identity(const lm_m3 *E)
{
    for (int k = 0; k < 9; k++)
        if (E->m[k] != (k % 4 == 0)) return 0;
    return 1;
}

static int is_zero(lm_v3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

/* The axis of coordinates that it is, or -1. */
static int unit_axis(lm_v3 a)
{
    for (int k = 0; k < 3; k++)
        if (a.x == (k == 0) && a.y == (k == 1) && a.z == (k == 2)) return k;
    return -1;
}

int lm_kintree_link(lm_kintree *t, lm_link_kind kind, int parent, lm_v3 at, lm_m3 E, lm_v3 axis)
{
    lm_link *l = LM_PUSH(t->arena, &t->links);
    if (!l) return -1;
    *l = (lm_link){.kind = kind,
                   .parent = parent,
                   .at = at,
                   .E = E,
                   .axis = axis,
                   .p = t->np,
                   .u = t->nu,
                   .straight = is_identity(&E),
                   .centred = is_zero(at),
                   .along = unit_axis(axis)};
    t->np += link_positions(kind);
    t->nu += link_rates(kind);
    return t->links.n - 1;
}

static int push_columns(lm_kintree *t, int link)
{
    if (link < 0) return 0;
    if (push_columns(t, t->links.at[link].parent)) return -1;
    for (int k = 0; k < link_rates(t->links.at[link].kind); k++) {
        lm_column *c = LM_PUSH(t->arena, &t->columns);
        if (!c) return -1;
        *c = (lm_column){t->links.at[link].u + k, link, k};
    }
    return 0;
}

int lm_kintree_tip(lm_kintree *t, int link, lm_v3 r, lm_m3 E)
{
    int first = t->columns.n;
    lm_tip *tip = LM_PUSH(t->arena, &t->tips);
    if (!tip || push_columns(t, link)) return -1;
    *tip = (lm_tip){link, r, E, first, t->columns.n - first, is_identity(&E), is_zero(r)};
    return t->tips.n - 1;
}

int lm_kintree_finish(lm_kintree *t)
{
    t->motion = LM_NEW_N(t->arena, lm_link_motion, t->links.n + 1);
    return t->motion ? 0 : -1;
}

/* ---- motion ---- */

/* A place fixed to a moving frame: d from its origin. */
static void carry(const lm_link_motion *m, lm_v3 d, lm_v3 *x, lm_v3 *v, lm_v3 *a)
{
    lm_v3 wd = v3_cross(m->w, d);
    *x = v3_add(m->x, d);
    *v = v3_add(m->v, wd);
    *a = v3_add(m->a, v3_add(v3_cross(m->al, d), v3_cross(m->w, wd)));
}

/* R = E turned about its own axis k: the other two columns turn in their plane. */
static void turn_about(const lm_m3 *E, int k, double u, lm_m3 *R)
{
    int i = k == 2 ? 0 : k + 1, j = k == 0 ? 2 : k - 1;
    double c = cos(u), s = sin(u);
    for (int r = 0; r < 3; r++) {
        double a = E->m[3 * i + r], b = E->m[3 * j + r];
        R->m[3 * i + r] = c * a + s * b;
        R->m[3 * j + r] = c * b - s * a;
        R->m[3 * k + r] = E->m[3 * k + r];
    }
}

static void turn(const lm_link *l, const lm_m3 *E, double u, double du, double ddu,
                 lm_link_motion *m)
{
    lm_v3 e = m->e[0];
    if (l->along >= 0)
        turn_about(E, l->along, u, &m->R);
    else {
        lm_m3 Q = lm_rot_axis_angle(l->axis, u);
        m->R = m3_mul(E, &Q);
    }
    m->w = v3_add(m->w_before, v3_mul(du, e));
    m->al = v3_add(m->al_before, v3_mul(ddu, e));
    m->al = v3_add(m->al, v3_mul(du, v3_cross(m->w_before, e)));
}

/* d: from the parent's origin to where the slide begins */
static void slide(const lm_m3 *E, const lm_link_motion *parent, lm_v3 d, double u, double du,
                  double ddu, lm_link_motion *m)
{
    lm_v3 e = m->e[0];
    m->R = *E;
    m->w = m->w_before;
    m->al = m->al_before;
    carry(parent, v3_add(d, v3_mul(u, e)), &m->x, &m->v, &m->a);
    m->v = v3_add(m->v, v3_mul(du, e));
    m->a = v3_add(m->a, v3_add(v3_mul(ddu, e), v3_mul(2 * du, v3_cross(m->w, e))));
}

static void ball(const lm_m3 *E, const double *p, const double *du, const double *ddu,
                 lm_link_motion *m)
{
    lm_m3 Q = quat_m3(quat_from(p));
    lm_v3 w = du ? m3_v(E, v3_from(du)) : v3(0, 0, 0);
    m->R = m3_mul(E, &Q);
    m->w = v3_add(m->w_before, w);
    m->al = v3_add(m->al_before, v3_cross(m->w_before, w));
    if (ddu) m->al = v3_add(m->al, m3_v(E, v3_from(ddu)));
}

static void move_link(const lm_link *l, const lm_link_motion *up, const double *p, const double *du,
                      const double *ddu, lm_link_motion *m)
{
    lm_v3 d = l->centred ? v3(0, 0, 0) : m3_v(&up->R, l->at);
    lm_m3 product;
    const lm_m3 *E = &up->R;
    if (!l->straight) product = m3_mul(&up->R, &l->E), E = &product;
    m->w_before = up->w;
    m->al_before = up->al;
    if (l->kind == LM_LINK_BALL)
        for (int k = 0; k < 3; k++) m->e[k] = m3_col(E, k);
    else
        m->e[0] = l->along >= 0 ? m3_col(E, l->along) : m3_v(E, l->axis);
    if (l->kind == LM_LINK_SLIDE) {
        slide(E, up, d, p[l->p], du ? du[l->u] : 0, ddu ? ddu[l->u] : 0, m);
        return;
    }
    if (l->centred)
        m->x = up->x, m->v = up->v, m->a = up->a;
    else
        carry(up, d, &m->x, &m->v, &m->a);
    if (l->kind == LM_LINK_TURN)
        turn(l, E, p[l->p], du ? du[l->u] : 0, ddu ? ddu[l->u] : 0, m);
    else
        ball(E, p + l->p, du ? du + l->u : NULL, ddu ? ddu + l->u : NULL, m);
}

void lm_kintree_move_links(lm_kintree *t, int first, int n, const double *p, const double *du,
                           const double *ddu)
{
    static const lm_link_motion ground = {.R = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    for (int i = first; i < first + n; i++) {
        const lm_link *l = &t->links.at[i];
        move_link(l, l->parent < 0 ? &ground : &t->motion[l->parent], p, du, ddu, &t->motion[i]);
    }
}

void lm_kintree_move(lm_kintree *t, const double *p, const double *du, const double *ddu)
{
    lm_kintree_move_links(t, 0, t->links.n, p, du, ddu);
}

void lm_kintree_tip_motion(const lm_kintree *t, int tip, lm_tip_motion *out)
{
    const lm_tip *p = &t->tips.at[tip];
    if (p->link < 0) {
        *out = (lm_tip_motion){.x = p->r, .R = p->E};
        return;
    }
    const lm_link_motion *m = &t->motion[p->link];
    if (p->centred)
        out->x = m->x, out->v = m->v, out->a = m->a;
    else
        carry(m, m3_v(&m->R, p->r), &out->x, &out->v, &out->a);
    out->R = p->straight ? m->R : m3_mul(&m->R, &p->E);
    out->w = m->w;
    out->al = m->al;
}

/* ---- partial velocities and their derivatives ---- */

void lm_kintree_partial(const lm_kintree *t, const lm_column *c, const lm_tip_motion *tip,
                        double *X)
{
    const lm_link_motion *m = &t->motion[c->link];
    lm_v3 e = m->e[c->axis];
    int slides = t->links.at[c->link].kind == LM_LINK_SLIDE;
    v3_put(X, slides ? e : v3_cross(e, v3_sub(tip->x, m->x)));
    v3_put(X + 3, slides ? v3(0, 0, 0) : e);
}

/* A change of u that stays in time moves the tip by c(t) and turns it by e(t), which is carried with
 * the parent by a slide and with the link itself by a turn or ball (so that the components of a ball's
 * angular velocity stay): velocity and acceleration change by dc/dt and d2c/dt2, and
 * d omega = de/dt + e x omega. A change that begins with a rate and from zero, t c(t), gives the
 * derivatives by the rate. */
static void slide_jet(const lm_link_motion *m, lm_jet *j)
{
    lm_v3 e = m->e[0], de = v3_cross(m->w, e);
    v3_put(j->Xv, de);
    v3_put(j->Xa, v3_add(v3_cross(m->al, e), v3_cross(m->w, de)));
    v3_put(j->Xc, v3_mul(2, de));
    for (int i = 3; i < 6; i++) j->Xv[i] = j->Xa[i] = j->Xc[i] = 0;
}

static void turn_jet(const lm_link_motion *m, lm_v3 e, const lm_tip_motion *tip, lm_jet *j)
{
    lm_v3 x = v3_sub(tip->x, m->x), v = v3_sub(tip->v, m->v), a = v3_sub(tip->a, m->a);
    lm_v3 de = v3_cross(m->w, e), dde = v3_add(v3_cross(m->al, e), v3_cross(m->w, de));
    lm_v3 dec = v3_add(v3_cross(m->w_before, e), de);
    v3_put(j->Xv, v3_add(v3_cross(de, x), v3_cross(e, v)));
    v3_put(j->Xv + 3, v3_add(de, v3_cross(e, tip->w)));
    v3_put(j->Xa, v3_add(v3_cross(dde, x), v3_add(v3_mul(2, v3_cross(de, v)), v3_cross(e, a))));
    v3_put(j->Xa + 3, v3_add(dde, v3_add(v3_cross(de, tip->w), v3_cross(e, tip->al))));
    v3_put(j->Xc, v3_add(v3_cross(dec, x), v3_mul(2, v3_cross(e, v))));
    v3_put(j->Xc + 3, v3_add(dec, v3_cross(e, tip->w)));
}

void lm_kintree_jet(const lm_kintree *t, const lm_column *c, const lm_tip_motion *tip, lm_jet *j)
{
    const lm_link_motion *m = &t->motion[c->link];
    lm_kintree_partial(t, c, tip, j->X);
    if (t->links.at[c->link].kind == LM_LINK_SLIDE)
        slide_jet(m, j);
    else
        turn_jet(m, m->e[c->axis], tip, j);
}

/* With j nearer to the root the whole column i turns with it, (e_j x c_i, e_j x e_i). Else only the tip
 * moves, by c_j, and c_i = e_i x (x - x_i) changes by e_i x c_j. */
double lm_kintree_geometric(const lm_kintree *t, const lm_column *i, const lm_column *j,
                            const lm_tip_motion *tip, const double *f)
{
    int i_slides = t->links.at[i->link].kind == LM_LINK_SLIDE;
    int j_slides = t->links.at[j->link].kind == LM_LINK_SLIDE;
    lm_v3 ei = t->motion[i->link].e[i->axis], ej = t->motion[j->link].e[j->axis];
    double X[6];
    if (j->link < i->link) {
        if (j_slides) return 0;
        lm_kintree_partial(t, i, tip, X);
        return v3_dot(v3_cross(ej, v3_from(X)), v3_from(f)) +
               v3_dot(v3_cross(ej, v3_from(X + 3)), v3_from(f + 3));
    }
    if (i_slides) return 0;
    lm_kintree_partial(t, j, tip, X);
    return v3_dot(v3_cross(ei, v3_from(X)), v3_from(f));
}

/* ---- positions ---- */

void lm_kintree_retract(const lm_kintree *t, const double *p0, const double *d, double *p1)
{
    for (int i = 0; i < t->links.n; i++) {
        const lm_link *l = &t->links.at[i];
        if (l->kind == LM_LINK_BALL) {
            lm_quat turned = quat_mul(lm_quat_exp(v3_from(d + l->u)), quat_from(p0 + l->p));
            quat_put(p1 + l->p, quat_unit(turned));
        } else
            p1[l->p] = p0[l->p] + d[l->u];
    }
}

void lm_kintree_difference(const lm_kintree *t, const double *p0, const double *p1, double *d)
{
    for (int i = 0; i < t->links.n; i++) {
        const lm_link *l = &t->links.at[i];
        if (l->kind == LM_LINK_BALL) {
            v3_put(d + l->u, lm_quat_log(quat_turn(quat_from(p0 + l->p), quat_from(p1 + l->p))));
        } else
            d[l->u] = p1[l->p] - p0[l->p];
    }
}

void lm_kintree_local_rate(const lm_kintree *t, const double *xi, const double *du, double *rate)
{
    for (int i = 0; i < t->links.n; i++) {
        const lm_link *l = &t->links.at[i];
        if (l->kind == LM_LINK_BALL)
            v3_put(rate + l->u, lm_rot_tangent_inverse_of(v3_from(xi + l->u), v3_from(du + l->u)));
        else
            rate[l->u] = du[l->u];
    }
}
