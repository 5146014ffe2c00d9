#include "form/rigid_model.h"

/* ---- inertia ---- */

/* Mass, static moment about the origin and inertia about `c`, world axes as drawn. */
typedef struct weight {
    double mass;
    lm_v3 moment;
    lm_m3 J;
} weight;

/* Velocities of two nodes, in the axes R, of a turn about the world axis i through c. */
static void turn_field(const lm_m3 *R, const lm_v3 x[2], lm_v3 c, int i, double phi[12])
{
    lm_v3 e = v3(i == 0, i == 1, i == 2), turn = m3_tv(R, e);
    for (int k = 0; k < 2; k++) {
        v3_put(phi + 6 * k, m3_tv(R, v3_cross(e, v3_sub(x[k], c))));
        v3_put(phi + 6 * k + 3, turn);
    }
}

/* Consistent mass knows rigid motions exactly: J_ij = phi_i^T M phi_j. */
static void add_element(const lm_model *m, const lm_element *e, lm_v3 c, weight *w)
{
    double M[12][12], phi[3][12];
    lm_v3 x[2] = {m->nodes[e->node[0]].x, m->nodes[e->node[1]].x};
    lm_m3 R = quat_m3(m->nodes[e->node[0]].q);
    R = m3_mul(&R, &e->A[0]);
    lm_beam_matrices(&e->shape, NULL, M);
    for (int i = 0; i < 3; i++) turn_field(&R, x, c, i, phi[i]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 12; k++)
                for (int l = 0; l < 12; l++) w->J.m[i + 3 * j] += phi[i][k] * M[k][l] * phi[j][l];
}

static weight weigh_beam(const lm_model *m, int body)
{
    const lm_beam *b = &m->beams[body];
    weight w = {0};
    for (int k = b->first_element; k < b->first_element + b->nelements; k++) {
        const lm_element *e = &m->elements[k];
        const double *mx = e->shape.mx;
        const double at[2] = {mx[0] + mx[1], mx[1] + mx[2]};
        for (int i = 0; i < 2; i++) {
            w.mass += at[i];
            w.moment = v3_add(w.moment, v3_mul(at[i], m->nodes[e->node[i]].x));
        }
    }
    lm_v3 c = w.mass > 0 ? v3_mul(1 / w.mass, w.moment) : m->nodes[m->bodies[body].first_node].x;
    for (int k = b->first_element; k < b->first_element + b->nelements; k++)
        add_element(m, &m->elements[k], c, &w);
    return w;
}

/* A superelement's, about its mass centre, in the axes of its frame. */
static lm_m3 super_inertia(const lm_super *s, lm_v3 c)
{
    lm_m3 J = {{0}};
    int n = 6 * s->n;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++) {
                    lm_v3 ei = v3(i == 0, i == 1, i == 2), ej = v3(j == 0, j == 1, j == 2);
                    lm_v3 vi = v3_cross(ei, v3_sub(s->X[k / 6], c));
                    lm_v3 vj = v3_cross(ej, v3_sub(s->X[l / 6], c));
                    double a = k % 6 < 3 ? v3_get(vi, k % 6) : v3_get(ei, k % 6 - 3);
                    double b = l % 6 < 3 ? v3_get(vj, l % 6) : v3_get(ej, l % 6 - 3);
                    J.m[i + 3 * j] += a * s->M[(size_t)l * (size_t)n + (size_t)k] * b;
                }
    return J;
}

/* ---- bodies and nodes ---- */

/* The one node of a beam: its mass centre, with the axes of its start. */
static void rigid_beam(const lm_model *from, int body, lm_body *b, lm_node *n)
{
    const lm_node *start = &from->nodes[from->bodies[body].first_node];
    lm_m3 R = quat_m3(start->q);
    weight w = weigh_beam(from, body);
    lm_m3 JR = m3_mul(&w.J, &R);
    b->mass = w.mass;
    b->J = m3_tmul(&R, &JR);
    *n = (lm_node){w.mass > 0 ? v3_mul(1 / w.mass, w.moment) : start->x, start->q, body};
    b->com = m3_tv(&R, v3_sub(n->x, start->x));
}

static void rigid_super(const lm_model *from, int body, lm_body *b, lm_node *n)
{
    const lm_super *s = &from->supers[b->super];
    const lm_node *first = &from->nodes[from->bodies[body].first_node];
    lm_m3 R = quat_m3(first->q), back = m3_t(&s->R0[0]);
    R = m3_mul(&R, &back); /* of the body frame as drawn */
    b->mass = s->mass;
    b->com = s->mass > 0 ? v3_mul(1 / s->mass, s->moment) : s->X[0];
    b->J = super_inertia(s, b->com);
    lm_v3 at = v3_sub(b->com, s->X[0]);
    *n = (lm_node){v3_add(first->x, m3_v(&R, at)), lm_quat_from_m3(&R), body};
}

void lm_rigid_body(const lm_model *from, int body, lm_body *b, lm_node *n)
{
    *b = from->bodies[body];
    if (b->type == LM_BODY_RIGID) *n = from->nodes[b->first_node];
    if (b->type == LM_BODY_BEAM) rigid_beam(from, body, b, n);
    if (b->type == LM_BODY_SUPERELEMENT) rigid_super(from, body, b, n);
}

static void place_nodes(lm_rigid_model *r, const lm_model *from, int body)
{
    const lm_body *old = &from->bodies[body];
    int to = r->model.bodies[body].first_node;
    const lm_node *c = &r->model.nodes[to];
    lm_m3 R = quat_m3(c->q);
    for (int n = old->first_node; n < old->first_node + old->nnodes; n++) {
        lm_m3 own = quat_m3(from->nodes[n].q);
        r->node[n] = to;
        r->r[n] = m3_tv(&R, v3_sub(from->nodes[n].x, c->x));
        r->E[n] = m3_tmul(&R, &own);
    }
}

static int make_bodies(lm_rigid_model *r, const lm_model *from)
{
    lm_model *m = &r->model;
    m->nodes = LM_NEW_N(&r->arena, lm_node, from->nbodies + 1);
    m->bodies = lm_arena_copy(&r->arena, from->bodies, sizeof *m->bodies * (size_t)(from->nbodies));
    m->beams = LM_NEW_N(&r->arena, lm_beam, from->nbodies + 1);
    r->node = LM_NEW_N(&r->arena, int, from->nnodes + 1);
    r->r = LM_NEW_N(&r->arena, lm_v3, from->nnodes + 1);
    r->E = LM_NEW_N(&r->arena, lm_m3, from->nnodes + 1);
    if (!m->nodes || !m->bodies || !m->beams || !r->node || !r->r || !r->E) return -1;
    m->nnodes = m->nelements = m->nsupers = 0;
    for (int i = 0; i < from->nbodies; i++) {
        lm_body *b = &m->bodies[i];
        lm_node *n = &m->nodes[m->nnodes];
        lm_rigid_body(from, i, b, n);
        b->type = LM_BODY_RIGID;
        b->first_node = m->nnodes++;
        b->nnodes = 1;
        b->super = -1;
        place_nodes(r, from, i);
    }
    return 0;
}

/* ---- what is fixed to the nodes ---- */

static int make_pairs(lm_rigid_model *r, const lm_model *from)
{
    lm_pair *p = lm_arena_copy(&r->arena, from->pairs, sizeof *p * (size_t)from->npairs);
    if (!p) return -1;
    for (int k = 0; k < from->npairs; k++)
        for (int e = 0; e < 2; e++) {
            int n = p[k].node[e];
            if (n < 0) continue;
            p[k].node[e] = r->node[n];
            p[k].r[e] = v3_add(r->r[n], m3_v(&r->E[n], p[k].r[e]));
            p[k].E[e] = m3_mul(&r->E[n], &p[k].E[e]);
        }
    r->model.pairs = p;
    return 0;
}

/* Frames between nodes are fixed to the body as drawn. */
static int make_frames(lm_rigid_model *r, const lm_model *from)
{
    lm_frame *f = lm_arena_copy(&r->arena, from->frames, sizeof *f * (size_t)from->nframes);
    if (!f) return -1;
    for (int k = 0; k < from->nframes; k++) {
        int n = f[k].node;
        if (n >= 0) {
            f[k].node = r->node[n];
            f[k].r = v3_add(r->r[n], m3_v(&r->E[n], f[k].r));
            f[k].E = m3_mul(&r->E[n], &f[k].E);
        } else if (n == LM_BETWEEN_NODES) {
            int to = r->model.bodies[from->spec->frames.at[k].body].first_node;
            lm_m3 R = quat_m3(r->model.nodes[to].q);
            f[k].node = to;
            f[k].r = m3_tv(&R, v3_sub(f[k].r, r->model.nodes[to].x));
            f[k].E = m3_tmul(&R, &f[k].E);
        }
    }
    r->model.frames = f;
    return 0;
}

/* Outputs are the original's. What measures deformation is measured there. */
static int make_spec(lm_rigid_model *r, const lm_spec *from)
{
    lm_spec *s = &r->spec;
    *s = *from;
    s->outputs.n = 0;
    s->sensors.at =
        lm_arena_copy(&r->arena, from->sensors.at, sizeof *s->sensors.at * (size_t)s->sensors.n);
    if (!s->sensors.at) return -1;
    for (int i = 0; i < s->sensors.n; i++) {
        lm_spec_sensor *c = &s->sensors.at[i];
        if (c->kind >= LM_SENSOR_DEFLECTION && c->kind <= LM_SENSOR_SECTION)
            *c = (lm_spec_sensor){.kind = LM_SENSOR_ENERGY, .body = -1, .loc = c->loc};
    }
    r->model.spec = s;
    return 0;
}

int lm_rigid_model_make(lm_rigid_model *r, const lm_model *from)
{
    *r = (lm_rigid_model){.model = *from};
    r->model.arena = (lm_arena){0};
    return make_bodies(r, from) || make_pairs(r, from) || make_frames(r, from) ||
                   make_spec(r, from->spec)
               ? -1
               : 0;
}

void lm_rigid_model_free(lm_rigid_model *r)
{
    lm_arena arena = r->arena;
    lm_arena_free(&arena);
}
