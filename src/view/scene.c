#include "view/scene.h"

#include "math/eigen.h"

#include <string.h>

/* ---- places ---- */

/* A node's axes are those of its pose; its place is off by the mass centre of a rigid body. */
static lm_place place(const lm_model *m, int node, lm_v3 r, const lm_m3 *E)
{
    if (node < 0) return (lm_place){-1, r, lm_quat_from_m3(E)};
    return (lm_place){node, v3_add(r, m->bodies[m->nodes[node].body].com), lm_quat_from_m3(E)};
}

lm_place lm_place_of_frame(const lm_model *m, int frame)
{
    const lm_frame *f = &m->frames[frame];
    return place(m, f->node, f->r, &f->E);
}

lm_place lm_place_of_pair(const lm_model *m, int pair, int side)
{
    const lm_pair *p = &m->pairs[pair];
    return place(m, p->node[side], p->r[side], &p->E[side]);
}

/* ---- the box ---- */

static void extend(lm_scene *s, lm_v3 x)
{
    for (int i = 0; i < 3; i++) {
        double v = v3_get(x, i);
        if (v < s->low[i]) s->low[i] = v;
        if (v > s->high[i]) s->high[i] = v;
    }
}

static void extend_place(lm_scene *s, lm_place p)
{
    if (p.pose < 0) {
        extend(s, p.at);
        return;
    }
    const double *rest = s->rest + 7 * p.pose;
    lm_m3 R = quat_m3(quat_from(rest + 3));
    extend(s, v3_add(v3_from(rest), m3_v(&R, p.at)));
}

static void make_box(lm_scene *s)
{
    const lm_model *m = s->m;
    for (int i = 0; i < 3; i++) s->low[i] = INFINITY, s->high[i] = -INFINITY;
    for (int n = 0; n < m->nnodes; n++) {
        extend(s, v3_from(s->rest + 7 * n));
        extend(s, m->nodes[n].x); /* the mass centre */
    }
    for (int i = 0; i < m->npairs; i++)
        for (int e = 0; e < 2; e++) extend_place(s, lm_place_of_pair(m, i, e));
    for (int i = 0; i < m->spec->frames.n; i++) extend_place(s, lm_place_of_frame(m, i));
    if (m->nnodes == 0 && m->npairs == 0) extend(s, v3(0, 0, 0));
    s->size = v3_norm(v3_sub(v3_from(s->high), v3_from(s->low)));
    if (!(s->size > 0)) s->size = 1;
}

/* ---- rigid bodies ---- */

static void touch(lm_scene *s, lm_place p)
{
    if (p.pose < 0) return;
    int body = s->m->nodes[p.pose].body;
    lm_scene_body *b = &s->bodies[body];
    if (s->m->bodies[body].type != LM_BODY_RIGID) return;
    for (int i = 0; i < b->npoints; i++)
        if (v3_norm(v3_sub(b->points[i], p.at)) <= 1e-9 * s->size) return;
    lm_v3 *points = LM_NEW_N(&s->arena, lm_v3, b->npoints + 1);
    if (b->npoints) memcpy(points, b->points, sizeof *points * (size_t)b->npoints);
    points[b->npoints++] = p.at;
    b->points = points;
}

static void touch_all(lm_scene *s)
{
    const lm_model *m = s->m;
    for (int i = 0; i < m->npairs; i++)
        for (int e = 0; e < 2; e++) touch(s, lm_place_of_pair(m, i, e));
    for (int i = 0; i < m->spec->loads.n; i++)
        touch(s, lm_place_of_frame(m, m->spec->loads.at[i].frame));
}

/* Of the same mass and inertia at uniform density: I_x = m (b^2 + c^2)/5, so that
 * a^2 = 5/(2m) (I_y + I_z - I_x). */
static void make_ellipsoid(lm_scene *s, const lm_body *b, lm_scene_body *out)
{
    double A[9], B[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, I[3];
    memcpy(A, b->J.m, sizeof A);
    int rc = b->mass > 0 ? lm_symmetric_eigen(3, A, B, I) : 1;
    if (rc < 0) longjmp(*s->arena.on_fail, 1);
    if (rc || !(I[2] > 0)) return;
    for (int i = 0; i < 3; i++) {
        double square = 2.5 / b->mass * (I[(i + 1) % 3] + I[(i + 2) % 3] - I[i]);
        if (square < -1e-9 * I[2] / b->mass) return; /* no body has such an inertia */
        out->axes[i] = sqrt(fmax(square, 0));
    }
    lm_v3 x = v3_from(A), y = v3_from(A + 3);
    lm_m3 R = m3_cols(x, y, v3_cross(x, y));
    out->q = lm_quat_from_m3(&R);
    out->ellipsoid = 1;
}

/* ---- superelements ---- */

/* The shortest tree that joins the nodes (Prim): as good a picture as points alone allow. */
static void make_edges(lm_scene *s, const lm_body *b, lm_scene_body *out)
{
    int n = b->nnodes;
    const double *x = s->rest + 7 * b->first_node;
    int *near = LM_NEW_N(&s->arena, int, n);
    double *far = LM_NEW_N(&s->arena, double, n); /* from the tree; < 0: in it */
    out->edges = lm_arena_alloc(&s->arena, sizeof *out->edges * (size_t)n);
    for (int i = 0; i < n; i++) far[i] = INFINITY;
    for (int now = 0, k = 1; k < n; k++) {
        int next = -1;
        far[now] = -1;
        for (int i = 0; i < n; i++) {
            if (far[i] < 0) continue;
            double d = v3_norm(v3_sub(v3_from(x + 7 * i), v3_from(x + 7 * now)));
            if (d < far[i]) far[i] = d, near[i] = now;
            if (next < 0 || far[i] < far[next]) next = i;
        }
        out->edges[out->nedges][0] = near[next];
        out->edges[out->nedges++][1] = next;
        now = next;
    }
}

/* ---- all of it ---- */

static void make_rest(lm_scene *s)
{
    const lm_model *m = s->m;
    s->rest = LM_NEW_N(&s->arena, double, 7 * m->nnodes);
    for (int n = 0; n < m->nnodes; n++) {
        const lm_node *k = &m->nodes[n];
        lm_m3 R = quat_m3(k->q);
        v3_put(s->rest + 7 * n, v3_sub(k->x, m3_v(&R, m->bodies[k->body].com)));
        quat_put(s->rest + 7 * n + 3, k->q);
    }
}

static void make_bodies(lm_scene *s)
{
    const lm_model *m = s->m;
    double *scratch = LM_NEW_N(&s->arena, double, m->section_scratch);
    s->bodies = LM_NEW_N(&s->arena, lm_scene_body, m->nbodies);
    touch_all(s);
    for (int i = 0; i < m->nbodies; i++) {
        const lm_body *b = &m->bodies[i];
        if (b->type == LM_BODY_BEAM) lm_scene_profiles(s, i, scratch);
        if (b->type == LM_BODY_RIGID) make_ellipsoid(s, b, &s->bodies[i]);
        if (b->type == LM_BODY_SUPERELEMENT) make_edges(s, b, &s->bodies[i]);
    }
}

int lm_scene_make(lm_scene *s, const lm_model *m)
{
    jmp_buf oom;
    *s = (lm_scene){.m = m};
    s->arena.on_fail = &oom;
    if (setjmp(oom)) {
        lm_scene_free(s);
        return -1;
    }
    make_rest(s);
    make_box(s);
    make_bodies(s);
    s->arena.on_fail = NULL;
    return 0;
}

void lm_scene_free(lm_scene *s)
{
    lm_arena arena = s->arena;
    lm_arena_free(&arena);
    *s = (lm_scene){0};
}
