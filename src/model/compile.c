/* Spec -> model: poses as drawn, nodes, frames, and the pairs that joints and forces sit on. */
#include "model/model.h"

#include "model/compile.h"

#include <string.h>

static lm_m3 pose_axes(const lm_spec_pose *p)
{
    return lm_rot_axis_angle(v3_from(p->axis), p->angle);
}

/* Axes of a straight piece of beam: x along it, z nearest the global z (y nearest the global y
 * when x is vertical), or y near `y_axis`. */
static lm_m3 beam_axes(const lm_spec_body *b, lm_v3 along)
{
    lm_v3 x = v3_unit(along), y, z;
    if (b->has_y_axis) {
        z = v3_unit(v3_cross(x, v3_from(b->y_axis)));
        y = v3_cross(z, x);
    } else if (fabs(x.x) + fabs(x.y) > 1e-9) {
        y = v3_unit(v3_cross(v3(0, 0, 1), x));
        z = v3_cross(x, y);
    } else {
        y = v3(0, 1, 0);
        z = v3_cross(x, y);
    }
    return m3_cols(x, y, z);
}

/* Point at s in 0..1 of the arc length of a beam's axis. */
static void beam_point(const lm_spec_body *b, double s, lm_v3 *x, lm_m3 *R)
{
    double total = 0, done = 0;
    for (int i = 1; i < b->npoints; i++)
        total += v3_norm(v3_sub(v3_from(b->points[i]), v3_from(b->points[i - 1])));
    for (int i = 1; i < b->npoints; i++) {
        lm_v3 p = v3_from(b->points[i - 1]), d = v3_sub(v3_from(b->points[i]), p);
        double len = v3_norm(d);
        if (done + len >= s * total || i == b->npoints - 1) {
            *x = v3_add(p, v3_mul((s * total - done) / len, d));
            *R = beam_axes(b, d);
            return;
        }
        done += len;
    }
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
        beam_point(b, f->kind == LM_FRAME_BEAM_AT ? f->s : (double)f->node / b->elements, x, R);
        return;
    }
    *x = v3_from(b->pose.position);
    *R = pose_axes(&b->pose);
    if (f->kind == LM_FRAME_NODE) {
        const lm_spec_pose *p = &b->nodes[f->node].pose;
        lm_m3 E = pose_axes(p);
        *x = v3_add(*x, m3_v(R, v3_from(p->position)));
        *R = m3_mul(R, &E);
    }
}

static void add_node(lm_model *m, int body, lm_v3 x, const lm_m3 *R)
{
    m->nodes[m->nnodes++] = (lm_node){x, lm_quat_from_m3(R), body};
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
        add_node(m, i, v3_add(x, m3_v(&R, b->com)), &R);
    } else if (s->type == LM_BODY_BEAM) {
        for (int k = 0; k <= s->elements; k++) {
            lm_v3 p;
            lm_m3 A;
            beam_point(s, (double)k / s->elements, &p, &A);
            add_node(m, i, p, &A);
        }
    } else {
        for (int k = 0; k < s->nnodes; k++) {
            lm_m3 E = pose_axes(&s->nodes[k].pose), A = m3_mul(&R, &E);
            add_node(m, i, v3_add(x, m3_v(&R, v3_from(s->nodes[k].pose.position))), &A);
        }
    }
    b->nnodes = m->nnodes - b->first_node;
}

/* The node that carries a frame. */
static int frame_node(const lm_model *m, const lm_spec_frame *f)
{
    if (f->kind == LM_FRAME_GROUND || f->kind == LM_FRAME_GROUND_AT) return LM_GROUND;
    const lm_body *b = &m->bodies[f->body];
    if (b->type == LM_BODY_RIGID) return b->first_node;
    if (f->kind == LM_FRAME_BEAM_NODE || f->kind == LM_FRAME_NODE) return b->first_node + f->node;
    return LM_BETWEEN_NODES;
}

static void compile_frame(lm_model *m, int i)
{
    lm_frame *f = &m->frames[i];
    lm_m3 R;
    lm_frame_drawn(m->spec, i, &f->x, &R);
    f->node = frame_node(m, &m->spec->frames.at[i]);
    if (f->node < 0) {
        f->r = f->x;
        f->E = R;
        return;
    }
    lm_m3 A = quat_m3(m->nodes[f->node].q);
    f->r = m3_tv(&A, v3_sub(f->x, m->nodes[f->node].x));
    f->E = m3_tmul(&A, &R);
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

/* Rotation measures are at most 6 per pair; a joint has at most 6 rows, 3 drives and 9 actions. */
static void reserve(lm_model *m, const lm_spec *s)
{
    int nodes = 0;
    for (int i = 0; i < s->bodies.n; i++) {
        const lm_spec_body *b = &s->bodies.at[i];
        nodes += b->type == LM_BODY_RIGID  ? 1
                 : b->type == LM_BODY_BEAM ? b->elements + 1
                                           : b->nnodes;
    }
    m->nodes = LM_NEW_N(&m->arena, lm_node, nodes);
    m->bodies = LM_NEW_N(&m->arena, lm_body, s->bodies.n);
    m->frames = LM_NEW_N(&m->arena, lm_frame, s->frames.n);
    m->pairs = LM_NEW_N(&m->arena, lm_pair, s->joints.n + s->forces.n);
    m->joints = LM_NEW_N(&m->arena, lm_joint, s->joints.n);
    m->rows = LM_NEW_N(&m->arena, lm_row, 9 * s->joints.n + s->initial.n);
    m->actions = LM_NEW_N(&m->arena, lm_action, 9 * s->joints.n + 6 * s->forces.n);
    m->coords = LM_NEW_N(&m->arena, lm_coord, LM_JOINT_COORDS * s->joints.n);
}

int lm_compile(lm_model *m, const lm_spec *spec, lm_diag *diag)
{
    int errors = diag->errors;
    m->spec = spec;
    m->gravity = v3_from(spec->gravity);
    reserve(m, spec);
    m->nbodies = spec->bodies.n;
    m->nframes = spec->frames.n;
    m->njoints = spec->joints.n;
    for (int i = 0; i < spec->bodies.n; i++) compile_body(m, i);
    for (int i = 0; i < spec->frames.n; i++) compile_frame(m, i);
    m->size = extent(m);
    for (int i = 0; i < spec->joints.n; i++) lm_compile_joint(m, i, diag);
    for (int i = 0; i < spec->forces.n; i++) lm_compile_force(m, i, diag);
    lm_compile_initial(m);
    return diag->errors > errors ? -1 : 0;
}
