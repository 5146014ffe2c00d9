/* Inside the recursive dynamics: data, and what forward dynamics and mass matrix share. */
#ifndef LM_FORM_RECURSIVE_INT_H
#define LM_FORM_RECURSIVE_INT_H

#include "form/recursive.h"

/* Spatial vectors are (linear, angular) about the origin of their own link, in world axes: along a
 * chain of any length nothing is larger than what is near the link. */

/* ---- data: arrays in tree order, split by the pass that reads them ---- */

/* A symmetric matrix. */
typedef struct sym3 {
    double xx, yy, zz, xy, xz, yz;
} sym3;

typedef struct joint {
    int parent, kind, p, u;
    int side;         /* axis and constant axes, -1: a ball whose constant axes are the parent's */
    int slot;         /* its accumulator */
    int first_body;   /* of those sorted by link; its bodies end where those of the next begin */
    short leaf;       /* no link hangs on it */
    short opens_slot; /* the first one that adds to its parent's accumulator */
    lm_v3 at;
} joint;

typedef struct side {
    int straight; /* E is the identity */
    lm_m3 E;
    lm_v3 axis;
} side;

/* All bodies of a link together: mass, first moment, inertia about the link's origin, link axes. */
typedef struct seat {
    double m;
    lm_v3 mc;
    sym3 J;
} seat;

/* A body where its load acts. */
typedef struct hook {
    int f; /* number of the body */
    lm_v3 r;
} hook;

typedef struct state {
    lm_m3 R;
    lm_v3 w;
    lm_v3 d;   /* from the parent's origin to the link's */
    lm_v3 rel; /* relative to the parent: angular velocity of a turn or ball, velocity of a slide */
} state;

/* What the way outwards needs. Turn and slide: ddu = h - g . A with the acceleration A of the link at
 * ddu = 0. Ball: angular acceleration h - W a. */
typedef struct gain {
    union {
        lm_m3 W;
        double g[6];
    };
    lm_v3 h; /* turn, slide: h.x */
} gain;

typedef struct twist {
    lm_v3 v, w;
} twist;

/* Inertia ((V, H), (H^T, J)) and wrench (pv, pa) of a link with all that hangs on it. */
typedef struct bundle {
    sym3 V, J;
    lm_m3 H;
    lm_v3 pv, pa;
    double sv, sa; /* size of V and J before subtractions: what rounding errors are measured by */
} bundle;

struct lm_recursive {
    int n, nu;
    joint *joint; /* [n + 1], the last one for its first_body */
    side *side;
    seat *seat;     /* [n] */
    hook *hook;     /* [bodies on links], sorted by link */
    state *state;   /* [-1..n), the ground first; lm_recursive_move */
    gain *gain;     /* [n]; forward */
    lm_m3 *spin;    /* [n] of balls with something added: ddu = h - W a - spin alpha; forward */
    twist *acc;     /* [-1..n) accelerations less gravity; forward, inverse */
    bundle *bundle; /* [slots] passed on from link to parent, then free for others */
};

/* ---- symmetric matrices ---- */

static inline lm_v3 sym_v(const sym3 *S, lm_v3 x)
{
    return v3(S->xx * x.x + S->xy * x.y + S->xz * x.z, S->xy * x.x + S->yy * x.y + S->yz * x.z,
              S->xz * x.x + S->yz * x.y + S->zz * x.z);
}

static inline void sym_add(sym3 *S, const sym3 *T)
{
    S->xx += T->xx, S->yy += T->yy, S->zz += T->zz;
    S->xy += T->xy, S->xz += T->xz, S->yz += T->yz;
}

static inline void sym_sub(sym3 *S, const sym3 *T)
{
    S->xx -= T->xx, S->yy -= T->yy, S->zz -= T->zz;
    S->xy -= T->xy, S->xz -= T->xz, S->yz -= T->yz;
}

static inline double sym_trace(const sym3 *S) { return S->xx + S->yy + S->zz; }

/* S - a b^T, where a and b have the same direction. */
static inline void sym_sub_outer(sym3 *S, lm_v3 a, lm_v3 b)
{
    S->xx -= a.x * b.x, S->yy -= a.y * b.y, S->zz -= a.z * b.z;
    S->xy -= a.x * b.y, S->xz -= a.x * b.z, S->yz -= a.y * b.z;
}

static inline lm_m3 sym_m3(const sym3 *S)
{
    return (lm_m3){{S->xx, S->xy, S->xz, S->xy, S->yy, S->yz, S->xz, S->yz, S->zz}};
}

/* The matrix whose columns are a, b, c, where it is symmetric. */
static inline sym3 sym_cols(lm_v3 a, lm_v3 b, lm_v3 c)
{
    return (sym3){a.x, b.y, c.z, b.x, c.x, c.y};
}

/* R S R^T */
static inline sym3 sym_turn(const lm_m3 *R, const sym3 *S)
{
    lm_m3 full = sym_m3(S), T = m3_mul(R, &full);
    lm_v3 t[3], q[3];
    for (int k = 0; k < 3; k++) {
        t[k] = v3(T.m[k], T.m[3 + k], T.m[6 + k]);
        q[k] = v3(R->m[k], R->m[3 + k], R->m[6 + k]);
    }
    return (sym3){v3_dot(t[0], q[0]), v3_dot(t[1], q[1]), v3_dot(t[2], q[2]),
                  v3_dot(t[0], q[1]), v3_dot(t[0], q[2]), v3_dot(t[1], q[2])};
}

/* ---- motion ---- */

/* R E, out of the way of what is hot */
static __attribute__((noinline, unused)) const lm_m3 *turned(const lm_m3 *R, const lm_m3 *E,
                                                             lm_m3 *to)
{
    *to = m3_mul(R, E);
    return to;
}

/* The axes before a link's motion, world: the parent's, or made in `to`. */
static inline const lm_m3 *axes_before(const lm_recursive *r, const joint *j, lm_m3 *to)
{
    const lm_m3 *R = &r->state[j->parent].R;
    if (j->side < 0 || r->side[j->side].straight) return R;
    return turned(R, &r->side[j->side].E, to);
}

/* Axis of a turn or slide, world: its motion leaves it where it is. */
static inline lm_v3 axis_of(const lm_recursive *r, const joint *j, const state *s)
{
    return m3_v(&s->R, r->side[j->side].axis);
}

/* The acceleration of a link at ddu = 0 when its parent turns with w and has no acceleration. */
static inline twist bias(const joint *j, const state *s, lm_v3 w)
{
    twist c = {v3_cross(w, v3_cross(w, s->d)), {0, 0, 0}};
    lm_v3 wr = v3_cross(w, s->rel);
    if (j->kind == LM_LINK_SLIDE)
        c.v = v3_add(c.v, v3_mul(2, wr));
    else
        c.w = wr;
    return c;
}

/* The same when the parent has acceleration `up`. */
static inline twist carried(const joint *j, const state *s, lm_v3 w, const twist *up)
{
    twist c = bias(j, s, w);
    c.v = v3_add(c.v, v3_add(up->v, v3_cross(up->w, s->d)));
    c.w = v3_add(c.w, up->w);
    return c;
}

/* Force and moment about the link's origin of the loads on its bodies. */
static inline twist pushed(const lm_recursive *r, const joint *j, const state *s, const double *f)
{
    twist sum = {{0, 0, 0}, {0, 0, 0}};
    if (!f) return sum;
    for (const hook *h = r->hook + j[0].first_body; h < r->hook + j[1].first_body; h++) {
        lm_v3 F = v3_from(f + 6 * h->f), M = v3_from(f + 6 * h->f + 3);
        sum.v = v3_add(sum.v, F);
        sum.w = v3_add(sum.w, v3_add(M, v3_cross(m3_v(&s->R, h->r), F)));
    }
    return sum;
}

/* ---- all that hangs on a link ---- */

/* Inertia and centrifugal forces of the bodies of link i, and their loads. */
static inline void add_bodies(const lm_recursive *r, int i, const double *f, bundle *b)
{
    const seat *m = &r->seat[i];
    const state *s = &r->state[i];
    lm_v3 c = m3_v(&s->R, m->mc);
    sym3 J = sym_turn(&s->R, &m->J);
    b->V.xx += m->m, b->V.yy += m->m, b->V.zz += m->m;
    b->H.m[1] -= c.z, b->H.m[2] += c.y, b->H.m[3] += c.z; /* H - skew(c) */
    b->H.m[5] -= c.x, b->H.m[6] -= c.y, b->H.m[7] += c.x;
    sym_add(&b->J, &J);
    b->pv = v3_add(b->pv, v3_cross(s->w, v3_cross(s->w, c)));
    b->pa = v3_add(b->pa, v3_cross(s->w, sym_v(&J, s->w)));
    if (!f) return;
    twist load = pushed(r, &r->joint[i], s, f);
    b->pv = v3_sub(b->pv, load.v);
    b->pa = v3_sub(b->pa, load.w);
}

/* What link i carries, and by what to measure its rounding errors: links without mass pass on what is
 * left after subtractions, which can be all error. */
static inline bundle *gather(const lm_recursive *r, int i, const double *f)
{
    const joint *j = &r->joint[i];
    bundle *b = &r->bundle[j->slot];
    if (j->leaf) *b = (bundle){0};
    int empty = r->seat[i].m == 0 && sym_trace(&r->seat[i].J) == 0;
    if (!empty || f) add_bodies(r, i, f, b);
    double sv = sym_trace(&b->V), sa = sym_trace(&b->J);
    b->sv = empty && b->sv > sv ? b->sv : sv;
    b->sa = empty && b->sa > sa ? b->sa : sa;
    return b;
}

/* About a point that is -d away: H' = H - V [d], J' = J + [d] H' + ([d] H)^T, pa' = pa + d x pv. */
static inline void hand_on(const bundle *b, lm_v3 d, int opens, bundle *up)
{
    lm_m3 V = sym_m3(&b->V), H;
    lm_v3 x = m3_col(&V, 0), y = m3_col(&V, 1), z = m3_col(&V, 2);
    lm_v3 hx = m3_col(&b->H, 0), hy = m3_col(&b->H, 1), hz = m3_col(&b->H, 2);
    lm_v3 nx = v3_sub(hx, v3_sub(v3_mul(d.z, y), v3_mul(d.y, z)));
    lm_v3 ny = v3_sub(hy, v3_sub(v3_mul(d.x, z), v3_mul(d.z, x)));
    lm_v3 nz = v3_sub(hz, v3_sub(v3_mul(d.y, x), v3_mul(d.x, y)));
    H = m3_cols(nx, ny, nz);
    hx = v3_cross(d, hx), hy = v3_cross(d, hy), hz = v3_cross(d, hz);
    nx = v3_cross(d, nx), ny = v3_cross(d, ny), nz = v3_cross(d, nz);
    sym3 J = {b->J.xx + nx.x + hx.x, b->J.yy + ny.y + hy.y, b->J.zz + nz.z + hz.z,
              b->J.xy + ny.x + hx.y, b->J.xz + nz.x + hx.z, b->J.yz + nz.y + hy.z};
    lm_v3 pa = v3_add(b->pa, v3_cross(d, b->pv));
    double sa = b->sa + 2 * v3_dot(d, d) * b->sv;
    if (opens) {
        *up = (bundle){b->V, J, H, b->pv, pa, b->sv, sa};
        return;
    }
    sym_add(&up->V, &b->V);
    sym_add(&up->J, &J);
    up->H = m3_add(up->H, H);
    up->pv = v3_add(up->pv, b->pv);
    up->pa = v3_add(up->pa, pa);
    up->sv += b->sv, up->sa += sa;
}

#endif
