/* From the coordinates of the units to the motion of the nodes. */
#include "form/ffr.h"

#include <string.h>

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- places ---- */

static void times(int n, const double *H, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] = -dot(n, H + (size_t)n * (size_t)i, x);
}

/* Gradient of the shortening by (eta_v, eta_w), as eta (or its rates) makes it. */
static void draw(const lm_floating *f, const lm_floating_place *at, const double *eta, double *out)
{
    times(f->nv, at->Hv, eta, out);
    times(f->nw, at->Hw, eta + f->nv, out + f->nv);
}

/* Gradients of the slopes x = v' and y = -w' of the section, (dv - Gv eta_a, -dw + Gw eta_a, -Gv^T eta_v,
 * Gw^T eta_w); with rates instead of eta, and without what is constant, their rates. */
static void tilt(const lm_floating *f, const lm_floating_place *at, const double *eta, int constant,
                 double *out)
{
    const double *a = eta + f->nv + f->nw;
    double *v = out, *w = v + f->nv, *av = w + f->nw, *aw = av + f->na;
    for (int k = 0; k < f->nv; k++) v[k] = constant ? at->dv[k] : 0;
    for (int k = 0; k < f->nw; k++) w[k] = constant ? -at->dw[k] : 0;
    for (int j = 0; j < f->na; j++) {
        const double *Gv = at->Gv + j * f->nv, *Gw = at->Gw + j * f->nw;
        for (int k = 0; k < f->nv; k++) v[k] -= Gv[k] * a[j];
        for (int k = 0; k < f->nw; k++) w[k] += Gw[k] * a[j];
        av[j] = -dot(f->nv, Gv, eta);
        aw[j] = dot(f->nw, Gw, eta + f->nv);
    }
}

/* Such a gradient times rates, added. */
static void tilt_along(const lm_floating *f, const double *gradient, const double *rate,
                       double slope[2])
{
    const double *w = gradient + f->nv, *av = w + f->nw, *a = rate + f->nv + f->nw;
    slope[0] += dot(f->nv, gradient, rate) + dot(f->na, av, a);
    slope[1] += dot(f->nw, w, rate + f->nv) + dot(f->na, av + f->na, a);
}

/* Entry k of them, k < nv + nw + na. */
static void tilt_by(const lm_floating *f, const ffr_node *n, int order, int k, double g[2])
{
    const double *t = n->tilt[order];
    g[0] = k < f->nv || k >= f->nv + f->nw ? t[k] : 0;
    g[1] = k < f->nv ? 0 : k < f->nv + f->nw ? t[k] : t[k + f->na];
}

/* What moves a place linearly with eta: along x (without shortening), y, z, about x. */
static void linear(const lm_floating *f, const lm_floating_place *at, const double *eta,
                   double u[PLACE_LINKS])
{
    const double *v = eta, *w = v + f->nv, *a = w + f->nw, *t = a + f->na;
    u[3] = u[4] = 0;
    u[0] = dot(f->na, at->a, a);
    u[1] = dot(f->nv, at->v, v);
    u[2] = dot(f->nw, at->w, w);
    u[5] = dot(f->nt, at->t, t);
}

/* The angle about z is x (1 + lean y^2 / 2) with the slopes x = v', y = -w', here in their places. */
static void lean(double factor, ffr_node *n, double *p, double *du, double *ddu)
{
    double x = p[3], y = p[4], dx = du[3], dy = du[4];
    n->slope[0] = x, n->slope[1] = y;
    n->turn[0][0] = 1 + factor * y * y / 2;
    n->turn[0][1] = factor * x * y;
    n->turn[1][0] = factor * y * dy;
    n->turn[1][1] = factor * (dx * y + x * dy);
    n->turn[2][0] = factor * (dy * dy + y * ddu[4]);
    n->turn[2][1] = factor * (ddu[3] * y + 2 * dx * dy + x * ddu[4]);
    p[3] = x * n->turn[0][0];
    du[3] = n->turn[0][0] * dx + n->turn[0][1] * dy;
    ddu[3] =
        n->turn[0][0] * ddu[3] + n->turn[0][1] * ddu[4] + n->turn[1][0] * dx + n->turn[1][1] * dy;
}

static void place_links(ffr *s, const ffr_unit *u, ffr_node *n, const lm_state *st)
{
    const lm_floating *f = u->f;
    const lm_floating_place *at = &f->place[n->place];
    const double *eta = st->q + u->q + FRAME_Q, *rate = st->v ? st->v + u->v + FRAME_V : s->zero,
                 *next = st->a ? st->a + u->v + FRAME_V : s->zero;
    const lm_link *l = &s->tree.links.at[n->links];
    double *p = s->p + l->p, *du = s->du + l->u, *ddu = s->ddu + l->u;
    int bends = f->nv + f->nw;
    linear(f, at, eta, p);
    linear(f, at, rate, du);
    linear(f, at, next, ddu);
    draw(f, at, eta, n->draw[0]);
    draw(f, at, rate, n->draw[1]);
    draw(f, at, next, n->draw[2]);
    tilt(f, at, eta, 1, n->tilt[0]);
    tilt(f, at, rate, 0, n->tilt[1]);
    tilt(f, at, next, 0, n->tilt[2]);
    p[3] = dot(f->nv, n->tilt[0], eta), p[4] = dot(f->nw, n->tilt[0] + f->nv, eta + f->nv);
    tilt_along(f, n->tilt[0], rate, du + 3);
    tilt_along(f, n->tilt[0], next, ddu + 3);
    tilt_along(f, n->tilt[1], rate, ddu + 3);
    p[0] += 0.5 * dot(bends, n->draw[0], eta);
    du[0] += dot(bends, n->draw[0], rate);
    ddu[0] += dot(bends, n->draw[0], next) + dot(bends, n->draw[1], rate);
    lean(at->lean, n, p, du, ddu);
}

static void place_frame(ffr *s, const ffr_unit *u, const lm_state *st)
{
    const lm_link *l = &s->tree.links.at[u->base];
    memcpy(s->p + l->p, st->q + u->q, FRAME_Q * sizeof(double));
    memcpy(s->du + l->u, st->v ? st->v + u->v : s->zero, FRAME_V * sizeof(double));
    memcpy(s->ddu + l->u, st->a ? st->a + u->v : s->zero, FRAME_V * sizeof(double));
}

static void put_tip(ffr *s, int n)
{
    lm_kintree_tip_motion(&s->tree, n, &s->moved.tip[n]);
    moved_put(&s->moved, n);
}

/* A unit's frame, and those of its places that are asked for. */
static void place_unit(ffr *s, const ffr_unit *u, const lm_state *st, int all)
{
    place_frame(s, u, st);
    lm_kintree_move_links(&s->tree, u->base, FRAME_LINKS, s->p, s->du, s->ddu);
    for (int k = 0; k < u->nodes; k++) {
        ffr_node *n = &s->node[u->node[k]];
        if (!all && !n->held) continue;
        if (n->links >= 0) {
            place_links(s, u, n, st);
            lm_kintree_move_links(&s->tree, n->links, PLACE_LINKS, s->p, s->du, s->ddu);
        }
        put_tip(s, u->node[k]);
    }
}

/* Units by themselves: some of them are one task of the pool. */
typedef struct unit_job {
    ffr *s;
    const lm_state *st;
    int all;
} unit_job;

static void place_some(void *ctx, int task, int worker)
{
    const unit_job *job = ctx;
    int from = (int)((long)job->s->nunits * task / job->s->tasks.n);
    int to = (int)((long)job->s->nunits * (task + 1) / job->s->tasks.n);
    (void)worker;
    for (int i = from; i < to; i++) place_unit(job->s, &job->s->unit[i], job->st, job->all);
}

static lm_state enter(ffr *s, const lm_state *st, int all)
{
    unit_job job = {s, st, all};
    s->t = st->t;
    s->q = st->q, s->v = st->v;
    lm_pool_up(s->sys.pool, &s->tasks, place_some, &job);
    moved_enter(&s->moved, st);
    return moved_inner(&s->moved, st);
}

lm_state ffr_enter(ffr *s, const lm_state *st) { return enter(s, st, 0); }
lm_state ffr_enter_all(ffr *s, const lm_state *st) { return enter(s, st, 1); }

lm_floating_motion ffr_unit_motion(const ffr *s, const ffr_unit *u, const lm_state *st)
{
    const lm_link_motion *frame = &s->tree.motion[u->base + 3];
    lm_v3 g = v3_mul(s->sys.load_factor, s->m->gravity);
    return (lm_floating_motion){.a = m3_tv(&frame->R, v3_sub(frame->a, g)),
                                .W = m3_tv(&frame->R, frame->w),
                                .dW = m3_tv(&frame->R, frame->al),
                                .eta = st->q + u->q + FRAME_Q,
                                .deta = st->v ? st->v + u->v + FRAME_V : NULL,
                                .ddeta = st->a ? st->a + u->v + FRAME_V : NULL};
}

/* ---- columns ---- */

void ffr_gradient(const ffr *s, const ffr_node *n, int link, double *g)
{
    const lm_floating *f = s->unit[n->unit].f;
    const lm_floating_place *at = &f->place[n->place];
    double *v = g, *w = v + f->nv, *a = w + f->nw, *t = a + f->na, of[2];
    memset(g, 0, sizeof(double) * (size_t)f->ne);
    for (int i = 0; i < f->nv; i++) v[i] = link == 0 ? n->draw[0][i] : link == 1 ? at->v[i] : 0;
    for (int i = 0; i < f->nw; i++)
        w[i] = link == 0 ? n->draw[0][f->nv + i] : link == 2 ? at->w[i] : 0;
    for (int i = 0; i < f->na && link == 0; i++) a[i] = at->a[i];
    for (int i = 0; i < f->nt && link == 5; i++) t[i] = at->t[i];
    for (int k = 0; k < f->nv + f->nw + f->na && (link == 3 || link == 4); k++) {
        tilt_by(f, n, 0, k, of);
        g[k] = link == 3 ? n->turn[0][0] * of[0] + n->turn[0][1] * of[1] : of[1];
    }
}

static void add(double *to, double f, const double *from)
{
    for (int i = 0; i < 6; i++) to[i] += f * from[i];
}

/* Axes of a place: those of its slides, which are the frame's, and of its turns about z, y, x. Slides and
 * turns meet in the place itself, so that a slide moves it along its axis, and a turn turns it. */
static void eta_partials(const ffr *s, const ffr_node *n, double *X, size_t step)
{
    const lm_floating *f = s->unit[n->unit].f;
    const lm_floating_place *at = &f->place[n->place];
    const lm_link_motion *m = &s->tree.motion[n->links];
    lm_v3 x = m[0].e[0], y = m[1].e[0], z = m[2].e[0], none = v3(0, 0, 0);
    lm_v3 about_v = v3_mul(n->turn[0][0], m[3].e[0]);
    lm_v3 about_w = v3_add(m[4].e[0], v3_mul(n->turn[0][1], m[3].e[0]));
    double of[2];
    for (int k = 0; k < f->nv + f->nw + f->na; k++) {
        tilt_by(f, n, 0, k, of);
        v3_put(X + (size_t)k * step + 3, v3_add(v3_mul(of[0], about_v), v3_mul(of[1], about_w)));
    }
    for (int i = 0; i < f->nv; i++, X += step) {
        v3_put(X, v3_add(v3_mul(n->draw[0][i], x), v3_mul(at->v[i], y)));
    }
    for (int i = 0; i < f->nw; i++, X += step) {
        v3_put(X, v3_add(v3_mul(n->draw[0][f->nv + i], x), v3_mul(at->w[i], z)));
    }
    for (int i = 0; i < f->na; i++, X += step) {
        v3_put(X, v3_mul(at->a[i], x));
    }
    for (int i = 0; i < f->nt; i++, X += step) {
        v3_put(X, none);
        v3_put(X + 3, v3_mul(at->t[i], m[5].e[0]));
    }
}

void ffr_node_partials(const ffr *s, int node, double *X, size_t step)
{
    const ffr_node *n = &s->node[node];
    const ffr_unit *u = &s->unit[n->unit];
    lm_v3 arm = v3_sub(s->moved.tip[node].x, s->tree.motion[u->base + 3].x);
    for (size_t k = 0; k < 3; k++) {
        lm_v3 e = v3(k == 0, k == 1, k == 2);
        v3_put(X + k * step, e);
        v3_put(X + k * step + 3, v3(0, 0, 0));
        v3_put(X + (3 + k) * step, v3_cross(e, arm));
        v3_put(X + (3 + k) * step + 3, e);
    }
    X += FRAME_V * step;
    if (n->links >= 0)
        eta_partials(s, n, X, step);
    else
        for (int k = 0; k < u->ne; k++, X += step) memset(X, 0, 6 * sizeof(double));
}

void ffr_partials(ffr *s)
{
    for (int h = 0; h < s->nheld; h++)
        ffr_node_partials(s, s->held[h], s->moved.jets[s->moved.node[s->held[h]].first].X,
                          sizeof(lm_jet) / sizeof(double));
}

/* Forces on the coordinates of a unit by those on its places. */
void ffr_project(const ffr *s, const ffr_unit *u, const double *ri, double *r)
{
    memset(r, 0, sizeof(double) * (size_t)(FRAME_V + u->ne));
    for (int k = 0; k < u->nodes; k++) {
        const ffr_node *n = &s->node[u->node[k]];
        if (!n->held) continue;
        lm_v3 F = v3_from(ri + NODE_V * u->node[k]), M = v3_from(ri + NODE_V * u->node[k] + 3);
        lm_v3 arm = v3_sub(s->moved.tip[u->node[k]].x, s->tree.motion[u->base + 3].x);
        v3_acc(r, F);
        v3_acc(r + 3, v3_add(M, v3_cross(arm, F)));
        if (n->links < 0) continue;
        const lm_floating *f = u->f;
        const lm_floating_place *at = &f->place[n->place];
        const lm_link_motion *m = &s->tree.motion[n->links];
        double x = v3_dot(m[0].e[0], F), y = v3_dot(m[1].e[0], F), z = v3_dot(m[2].e[0], F);
        double mz = v3_dot(m[3].e[0], M), my = v3_dot(m[4].e[0], M), mx = v3_dot(m[5].e[0], M);
        my += n->turn[0][1] * mz, mz *= n->turn[0][0];
        double *to = r + FRAME_V;
        const double *tilt_a = n->tilt[0] + f->nv + f->nw;
        for (int i = 0; i < f->nv; i++)
            *to++ += n->draw[0][i] * x + at->v[i] * y + n->tilt[0][i] * mz;
        for (int i = f->nv; i < f->nv + f->nw; i++)
            *to++ += n->draw[0][i] * x + at->w[i - f->nv] * z + n->tilt[0][i] * my;
        for (int i = 0; i < f->na; i++)
            *to++ += at->a[i] * x + tilt_a[i] * mz + tilt_a[f->na + i] * my;
        for (int i = 0; i < f->nt; i++) *to++ += at->t[i] * mx;
    }
}

/* Of the k-th entry of the gradient of what is no linear function of eta: its rate, or (2) the rate of that. */
static double gradient_rate(const lm_floating *f, const ffr_node *n, int link, int order, int k)
{
    double g[3][2];
    if (link == 0) return k < f->nv + f->nw ? n->draw[order][k] : 0;
    for (int i = 0; i <= order; i++) tilt_by(f, n, i, k, g[i]);
    if (link == 4) return g[order][1];
    double sum = 0;
    for (int e = 0; e < 2; e++)
        sum += order == 1 ? n->turn[1][e] * g[0][e] + n->turn[0][e] * g[1][e]
                          : n->turn[2][e] * g[0][e] + 2 * n->turn[1][e] * g[1][e] +
                                n->turn[0][e] * g[2][e];
    return sum;
}

/* A link's position u is a function of eta; V = sum X_u du, A = sum X_u ddu + ...:
 *     dV/d(eta) = Xv u' + X u'.     dA/d(eta) = Xa u' + Xc u'. + X u'..     dA/d(deta) = Xc u' + 2 X u'. */
static void eta_jets(const ffr *s, const ffr_node *n, int link, const lm_jet *u, lm_jet *jets)
{
    const lm_floating *f = s->unit[n->unit].f;
    double g[LM_FLOATING_MOST];
    ffr_gradient(s, n, link, g);
    for (int k = 0; k < f->ne; k++) {
        lm_jet *j = &jets[k];
        if (g[k] != 0) {
            add(j->X, g[k], u->X);
            add(j->Xv, g[k], u->Xv);
            add(j->Xa, g[k], u->Xa);
            add(j->Xc, g[k], u->Xc);
        }
        if ((link != 0 && link != 3 && link != 4) || k >= f->nv + f->nw + f->na) continue;
        double rate = gradient_rate(f, n, link, 1, k), next = gradient_rate(f, n, link, 2, k);
        add(j->Xv, rate, u->X);
        add(j->Xa, rate, u->Xc);
        add(j->Xa, next, u->X);
        add(j->Xc, 2 * rate, u->X);
    }
}

void ffr_jets(ffr *s)
{
    for (int h = 0; h < s->nheld; h++) {
        int i = s->held[h];
        const ffr_node *n = &s->node[i];
        const lm_column *c = s->tree.columns.at + s->tree.tips.at[i].first;
        const moved_node *own = &s->moved.node[i];
        lm_jet *jets = s->moved.jets + own->first, u;
        memset(jets, 0, sizeof *jets * (size_t)own->n);
        for (int k = 0; k < FRAME_V; k++)
            lm_kintree_jet(&s->tree, &c[k], &s->moved.tip[i], &jets[k]);
        for (int l = 0; l < PLACE_LINKS && n->links >= 0; l++) {
            lm_kintree_jet(&s->tree, &c[FRAME_V + l], &s->moved.tip[i], &u);
            eta_jets(s, n, l, &u, jets + FRAME_V);
        }
    }
}
