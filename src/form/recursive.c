#include "form/recursive_int.h"

#include <string.h>

/* ---- creation ---- */

/* c = r in the link's axes: J about the link's origin = E J E^T + m (c.c - c c^T) */
static void seat_body(seat *s, const lm_tree_body *b)
{
    lm_m3 T = m3_mul(&b->E, &b->J), Et = m3_t(&b->E), J = m3_mul(&T, &Et);
    J = m3_add(J, m3_scale(-b->mass, m3_skew_skew(b->r, b->r)));
    sym3 add = sym_cols(m3_col(&J, 0), m3_col(&J, 1), m3_col(&J, 2));
    s->m += b->mass;
    s->mc = v3_add(s->mc, v3_mul(b->mass, b->r));
    sym_add(&s->J, &add);
}

static void seat_bodies(lm_recursive *r, const lm_tree_body *bodies, int n)
{
    for (int k = 0; k < n; k++)
        if (bodies[k].link >= 0) {
            seat_body(&r->seat[bodies[k].link], &bodies[k]);
            r->joint[bodies[k].link + 1].first_body++;
        }
    for (int i = 0; i < r->n; i++) r->joint[i + 1].first_body += r->joint[i].first_body;
    int seated = r->joint[r->n].first_body;
    for (int k = n - 1; k >= 0; k--) /* each joint's end becomes its beginning */
        if (bodies[k].link >= 0)
            r->hook[--r->joint[bodies[k].link + 1].first_body] = (hook){k, bodies[k].r};
    for (int i = 0; i < r->n; i++) r->joint[i].first_body = r->joint[i + 1].first_body;
    r->joint[r->n].first_body = seated;
}

static int is_straight(const lm_m3 *E)
{
    lm_m3 one = m3_identity();
    return memcmp(E->m, one.m, sizeof one.m) == 0;
}

static void copy_tree(lm_recursive *r, const lm_kintree *t)
{
    int sides = 0;
    for (int i = 0; i < r->n; i++) {
        const lm_link *l = &t->links.at[i];
        int straight = is_straight(&l->E);
        r->joint[i] = (joint){.parent = l->parent,
                              .kind = (int)l->kind,
                              .p = l->p,
                              .u = l->u,
                              .side = -1,
                              .leaf = 1,
                              .at = l->at};
        if (l->parent >= 0) r->joint[l->parent].leaf = 0;
        if (l->kind == LM_LINK_BALL && straight) continue;
        r->joint[i].side = sides;
        r->side[sides++] = (side){straight, l->E, l->axis};
    }
}

/* An accumulator for each link from when its last child adds to it until it is passed on: a chain
 * needs two, whatever its length, and they stay in the nearest cache. Free ones are listed in `idle`.
 * Returns how many. */
static int assign_slots(lm_recursive *r, int *idle)
{
    int slots = 0, n_idle = 0;
    for (int i = 0; i < r->n; i++) r->joint[i].slot = -1;
    for (int i = r->n - 1; i >= 0; i--) {
        joint *j = &r->joint[i], *up = j->parent < 0 ? NULL : &r->joint[j->parent];
        if (j->leaf) j->slot = n_idle ? idle[--n_idle] : slots++;
        if (up && up->slot < 0) {
            up->slot = n_idle ? idle[--n_idle] : slots++;
            j->opens_slot = 1;
        }
        idle[n_idle++] = j->slot;
    }
    return slots;
}

lm_recursive *lm_recursive_new(lm_arena *arena, const lm_kintree *t, const lm_tree_body *bodies,
                               int n)
{
    lm_recursive *r = LM_NEW(arena, lm_recursive);
    if (!r) return NULL;
    r->n = t->links.n;
    r->nu = t->nu;
    r->joint = LM_NEW_N(arena, joint, r->n + 1);
    r->side = LM_NEW_N(arena, side, r->n);
    r->seat = LM_NEW_N(arena, seat, r->n);
    r->hook = LM_NEW_N(arena, hook, n);
    r->state = LM_NEW_N(arena, state, r->n + 1);
    r->gain = LM_NEW_N(arena, gain, r->n);
    r->spin = LM_NEW_N(arena, lm_m3, r->n);
    r->acc = LM_NEW_N(arena, twist, r->n + 1);
    int *idle = LM_NEW_N(arena, int, r->n + 1);
    if (!r->joint || !r->side || !r->seat || !r->hook || !r->state || !r->gain || !r->spin ||
        !r->acc || !idle)
        return NULL;
    copy_tree(r, t);
    seat_bodies(r, bodies, n);
    r->bundle = LM_NEW_N(arena, bundle, assign_slots(r, idle));
    if (!r->bundle) return NULL;
    *r->state++ = (state){.R = m3_identity()};
    r->acc++;
    return r;
}

/* ---- motion ---- */

void lm_recursive_move(lm_recursive *r, const double *p, const double *du)
{
    for (int i = 0; i < r->n; i++) {
        const joint *j = &r->joint[i];
        const state *up = &r->state[j->parent];
        state *s = &r->state[i];
        lm_m3 to;
        const lm_m3 *E = axes_before(r, j, &to);
        s->d = m3_v(&up->R, j->at);
        s->w = up->w;
        if (j->kind == LM_LINK_BALL) {
            lm_m3 Q = quat_m3(quat_from(p + j->p));
            s->R = m3_mul(E, &Q);
            s->rel = du ? m3_v(E, v3_from(du + j->u)) : v3(0, 0, 0);
            s->w = v3_add(s->w, s->rel);
            continue;
        }
        lm_v3 axis = r->side[j->side].axis, e = m3_v(E, axis);
        s->rel = du ? v3_mul(du[j->u], e) : v3(0, 0, 0);
        if (j->kind == LM_LINK_TURN) {
            lm_m3 Q = quat_m3(lm_quat_exp(v3_mul(p[j->p], axis)));
            s->R = m3_mul(E, &Q);
            s->w = v3_add(s->w, s->rel);
        } else {
            s->R = *E;
            s->d = v3_add(s->d, v3_mul(p[j->p], e));
        }
    }
}

/* ---- inverse dynamics ---- */

static void accelerate(lm_recursive *r, const double *ddu)
{
    for (int i = 0; i < r->n; i++) {
        const joint *j = &r->joint[i];
        const state *s = &r->state[i];
        twist A = carried(j, s, r->state[j->parent].w, &r->acc[j->parent]);
        if (ddu && j->kind == LM_LINK_BALL) {
            lm_m3 to;
            A.w = v3_add(A.w, m3_v(axes_before(r, j, &to), v3_from(ddu + j->u)));
        } else if (ddu) {
            lm_v3 *part = j->kind == LM_LINK_SLIDE ? &A.v : &A.w;
            *part = v3_add(*part, v3_mul(ddu[j->u], axis_of(r, j, s)));
        }
        r->acc[i] = A;
    }
}

/* Rate of momentum of a link's bodies, and of the moment of momentum about its origin, less loads. */
static twist needed(const lm_recursive *r, int i, const double *f)
{
    const seat *m = &r->seat[i];
    const state *s = &r->state[i];
    const twist *A = &r->acc[i];
    lm_v3 c = m3_v(&s->R, m->mc), w = m3_tv(&s->R, s->w), al = m3_tv(&s->R, A->w);
    lm_v3 turning = v3_add(sym_v(&m->J, al), v3_cross(w, sym_v(&m->J, w)));
    twist load = pushed(r, &r->joint[i], s, f);
    lm_v3 F =
        v3_add(v3_mul(m->m, A->v), v3_add(v3_cross(A->w, c), v3_cross(s->w, v3_cross(s->w, c))));
    lm_v3 M = v3_add(m3_v(&s->R, turning), v3_cross(c, A->v));
    return (twist){v3_sub(F, load.v), v3_sub(M, load.w)};
}

void lm_recursive_inverse(lm_recursive *r, const lm_tree_load *load, const double *ddu, double *tau)
{
    r->acc[-1] = (twist){v3_neg(load->gravity), {0, 0, 0}};
    accelerate(r, ddu);
    for (int i = r->n - 1; i >= 0; i--) {
        const joint *j = &r->joint[i];
        const state *s = &r->state[i];
        bundle *b = &r->bundle[j->slot], *up;
        twist f = needed(r, i, load->f);
        if (!j->leaf) f = (twist){v3_add(f.v, b->pv), v3_add(f.w, b->pa)};
        if (j->kind == LM_LINK_BALL) {
            lm_m3 to;
            v3_put(tau + j->u, m3_tv(axes_before(r, j, &to), f.w));
        } else
            tau[j->u] = v3_dot(axis_of(r, j, s), j->kind == LM_LINK_SLIDE ? f.v : f.w);
        if (j->parent < 0) continue;
        up = &r->bundle[r->joint[j->parent].slot];
        if (j->opens_slot) up->pv = up->pa = v3(0, 0, 0);
        up->pv = v3_add(up->pv, f.v);
        up->pa = v3_add(up->pa, v3_add(f.w, v3_cross(s->d, f.v)));
    }
}

/* ---- mass matrix ---- */

/* Columns of a link's motion about its origin; returns how many. */
static int columns(const lm_recursive *r, int i, twist *S)
{
    const joint *j = &r->joint[i];
    const lm_v3 zero = {0, 0, 0};
    if (j->kind == LM_LINK_BALL) {
        lm_m3 to;
        const lm_m3 *E = axes_before(r, j, &to);
        for (int k = 0; k < 3; k++) S[k] = (twist){zero, m3_col(E, k)};
        return 3;
    }
    lm_v3 e = axis_of(r, j, &r->state[i]);
    S[0] = j->kind == LM_LINK_SLIDE ? (twist){e, zero} : (twist){zero, e};
    return 1;
}

/* Rows and columns of link i with itself and with the links above it: F = I S, carried inwards. */
static void mass_of(const lm_recursive *r, int i, const bundle *b, double *M)
{
    const size_t nu = (size_t)r->nu;
    twist S[3], F[3];
    int n = columns(r, i, S);
    for (int k = 0; k < n; k++) {
        F[k].v = v3_add(sym_v(&b->V, S[k].v), m3_v(&b->H, S[k].w));
        F[k].w = v3_add(m3_tv(&b->H, S[k].v), sym_v(&b->J, S[k].w));
    }
    for (int at = i; at >= 0; at = r->joint[at].parent) {
        int rows = columns(r, at, S);
        size_t col = (size_t)r->joint[i].u, row = (size_t)r->joint[at].u;
        for (int k = 0; k < n; k++)
            for (int l = 0; l < rows; l++) {
                double m = v3_dot(S[l].v, F[k].v) + v3_dot(S[l].w, F[k].w);
                M[(col + (size_t)k) * nu + row + (size_t)l] = m;
                M[(row + (size_t)l) * nu + col + (size_t)k] = m;
            }
        for (int k = 0; k < n; k++) F[k].w = v3_add(F[k].w, v3_cross(r->state[at].d, F[k].v));
    }
}

void lm_recursive_mass(lm_recursive *r, double *M)
{
    memset(M, 0, sizeof(double) * (size_t)r->nu * (size_t)r->nu);
    for (int i = r->n - 1; i >= 0; i--) {
        const joint *j = &r->joint[i];
        bundle *b = gather(r, i, NULL);
        mass_of(r, i, b, M);
        if (j->parent >= 0)
            hand_on(b, r->state[i].d, j->opens_slot, &r->bundle[r->joint[j->parent].slot]);
    }
}
