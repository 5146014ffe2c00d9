/* Spec -> model: poses as drawn, nodes, and the pairs that joints and forces sit on. */
#include "model/compile.h"

#include <limber/status.h>

static lm_m3 pose_axes(const lm_spec_pose *p)
{
    return lm_rot_axis_angle(v3_from(p->axis), p->angle);
}

void lm_frame_drawn(const lm_spec *spec, int frame, lm_v3 *x, lm_m3 *R)
{
    const lm_spec_frame *f = &spec->frames.at[frame];
    *x = v3(0, 0, 0);
    *R = m3_identity();
    if (f->kind == LM_FRAME_GROUND) return;
    if (f->kind == LM_FRAME_GROUND_AT) {
        *x = v3_from(f->position);
        return;
    }
    const lm_spec_body *b = &spec->bodies.at[f->body];
    if (b->type == LM_BODY_BEAM) {
        if (f->kind == LM_FRAME_BEAM_AT)
            lm_beam_drawn(b, f->s, x, R);
        else
            lm_beam_node_drawn(b, f->node, x, R);
        return;
    }
    *x = v3_from(b->pose.position);
    *R = pose_axes(&b->pose);
    if (f->kind == LM_FRAME_NODE) {
        const lm_spec_pose *p = &b->nodes[f->node].pose;
        lm_m3 E = pose_axes(p);
        if (b->type == LM_BODY_SUPERELEMENT && b->nodes[f->node].motion >= 0) {
            *x = v3_from(b->nodes[f->node].drawn.position);
            *R = pose_axes(&b->nodes[f->node].drawn);
            return;
        }
        *x = v3_add(*x, m3_v(R, v3_from(p->position)));
        *R = m3_mul(R, &E);
    }
}

/* Nodes where the body's frame puts them, or where their own motions do; and behind them the
 * corotational frame, where the user moves it. */
static void compile_super_nodes(lm_model *m, int body, lm_v3 x, const lm_m3 *R)
{
    const lm_spec_body *s = &m->spec->bodies.at[body];
    for (int k = 0; k < s->nnodes; k++) {
        const lm_spec_node *n = &s->nodes[k];
        lm_m3 E = pose_axes(&n->pose), A = m3_mul(R, &E), D = pose_axes(&n->drawn);
        if (n->motion >= 0)
            lm_add_node(m, body, v3_from(n->drawn.position), &D);
        else
            lm_add_node(m, body, v3_add(x, m3_v(R, v3_from(n->pose.position))), &A);
    }
    lm_m3 F = pose_axes(&s->frame_drawn);
    if (s->frame_product >= 0) lm_add_node(m, body, v3_from(s->frame_drawn.position), &F);
}

static void compile_body(lm_model *m, int i)
{
    const lm_spec_body *s = &m->spec->bodies.at[i];
    lm_body *b = &m->bodies[i];
    *b = (lm_body){.name = s->item.name, .type = s->type, .first_node = m->nnodes};
    lm_v3 x = v3_from(s->pose.position);
    lm_m3 R = pose_axes(&s->pose);
    if (s->type == LM_BODY_RIGID) {
        const double *I = s->inertia;
        b->mass = s->mass;
        b->com = v3_from(s->com);
        b->J = (lm_m3){{I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}};
        lm_add_node(m, i, v3_add(x, m3_v(&R, b->com)), &R);
    } else if (s->type == LM_BODY_BEAM) {
        lm_cut_beam(m, i);
    } else {
        compile_super_nodes(m, i, x, &R);
    }
    b->nnodes = m->nnodes - b->first_node;
}

int lm_compile_pair(lm_model *m, const int node[2], const lm_v3 at[2], const lm_m3 E[2])
{
    lm_pair *p = &m->pairs[m->npairs];
    for (int s = 0; s < 2; s++) {
        p->node[s] = node[s];
        p->r[s] = at[s];
        p->E[s] = E[s];
        if (node[s] < 0) continue;
        lm_m3 A = quat_m3(m->nodes[node[s]].q);
        p->r[s] = m3_tv(&A, v3_sub(at[s], m->nodes[node[s]].x));
        p->E[s] = m3_tmul(&A, &E[s]);
    }
    return m->npairs++;
}

/* Of the radius of gyration: places nearer than that are one; a box below that says nothing about sizes. */
#define ROUNDING 1e-12
#define POINT    1e-2

/* Of all rigid bodies about their own centers of mass. */
static double radius_of_gyration(const lm_model *m)
{
    double mass = 0, polar = 0;
    for (int i = 0; i < m->nbodies; i++) {
        const lm_body *b = &m->bodies[i];
        if (b->type != LM_BODY_RIGID) continue;
        mass += b->mass;
        polar += 0.5 * (b->J.m[0] + b->J.m[4] + b->J.m[8]);
    }
    return mass > 0 ? sqrt(polar / mass) : 0;
}

/* Extent of everything drawn: the largest side of the box around nodes and frames. */
static double extent(const lm_model *m)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double size = 0;
    for (int i = 0; i < m->nnodes + m->nframes; i++) {
        if (i >= m->nnodes && m->spec->frames.at[i - m->nnodes].kind == LM_FRAME_GROUND) continue;
        lm_v3 x = i < m->nnodes ? m->nodes[i].x : m->frames[i - m->nnodes].x;
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], v3_get(x, k));
            hi[k] = fmax(hi[k], v3_get(x, k));
        }
    }
    for (int k = 0; k < 3 && m->nnodes; k++) size = fmax(size, hi[k] - lo[k]);
    return size;
}

/* Bodies near one place are as large as they are. In one place, but for rounding, they have no size. */
static void set_size(lm_model *m)
{
    double box = extent(m), radius = radius_of_gyration(m);
    m->point = box == 0 || box < POINT * radius;
    m->size = !m->point ? box : box > ROUNDING * radius ? radius : 0;
}

/* Rotation measures are at most 6 per pair; a joint has at most 6 rows, 3 drives and 12 actions. */
static void reserve(lm_model *m, const lm_spec *s)
{
    int nodes = 0, elements = 0;
    for (int i = 0; i < s->bodies.n; i++) {
        const lm_spec_body *b = &s->bodies.at[i];
        int cuts = b->type == LM_BODY_BEAM ? b->elements + m->beams[i].nextra : 0;
        elements += cuts;
        nodes += b->type == LM_BODY_RIGID ? 1 : cuts ? cuts + 1 : b->nnodes + 1;
    }
    m->nodes = LM_NEW_N(&m->arena, lm_node, nodes);
    m->bodies = LM_NEW_N(&m->arena, lm_body, s->bodies.n);
    m->elements = LM_NEW_N(&m->arena, lm_element, elements);
    m->pairs = LM_NEW_N(&m->arena, lm_pair, s->joints.n + s->forces.n);
    m->joints = LM_NEW_N(&m->arena, lm_joint, s->joints.n);
    m->rows = LM_NEW_N(&m->arena, lm_row, 9 * s->joints.n + s->initial.n);
    m->actions = LM_NEW_N(&m->arena, lm_action, 12 * s->joints.n + 9 * s->forces.n);
    m->coords = LM_NEW_N(&m->arena, lm_coord, LM_JOINT_COORDS * s->joints.n);
}

int lm_compile(lm_model *m, const lm_spec *spec, lm_diag *diag)
{
    int errors = diag->errors;
    m->spec = spec;
    m->gravity = v3_from(spec->gravity);
    m->beams = LM_NEW_N(&m->arena, lm_beam, spec->bodies.n);
    m->frames = LM_NEW_N(&m->arena, lm_frame, spec->frames.n);
    lm_compile_extras(m, diag);
    reserve(m, spec);
    m->nbodies = spec->bodies.n;
    m->nframes = spec->frames.n;
    m->njoints = spec->joints.n;
    m->section_scratch = lm_section_scratch(spec);
    double *scratch = LM_NEW_N(&m->arena, double, m->section_scratch);
    for (int i = 0; i < spec->bodies.n; i++) {
        compile_body(m, i);
        if (spec->bodies.at[i].type == LM_BODY_BEAM) lm_compile_beam(m, i, scratch, diag);
    }
    lm_compile_superelements(m, scratch, diag);
    for (int i = 0; i < spec->frames.n; i++) lm_compile_frame(m, i);
    set_size(m);
    for (int i = 0; i < spec->joints.n; i++) lm_compile_joint(m, i, diag);
    for (int i = 0; i < spec->forces.n; i++) lm_compile_force(m, i, diag);
    lm_compile_initial(m);
    lm_compile_idle(m);
    return diag->errors > errors ? -1 : 0;
}

int lm_compile_safely(lm_model *m, const lm_spec *spec, lm_diag *diag)
{
    jmp_buf oom;
    int st = LIMBER_OK;
    m->arena.on_fail = &oom;
    if (setjmp(oom))
        st = LIMBER_MEMORY;
    else if (lm_compile(m, spec, diag))
        st = LIMBER_INPUT;
    m->arena.on_fail = NULL;
    return st;
}
