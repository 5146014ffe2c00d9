/* Spec -> model: poses as drawn, nodes, and the pairs that joints and forces sit on. */
#include "model/model.h"

#include "model/compile.h"

#include <string.h>

static lm_m3 pose_axes(const lm_spec_pose *p)
{
    return lm_rot_axis_angle(v3_from(p->axis), p->angle);
}

/* ---- the axis of a beam ---- */

/* x along the piece, z nearest the global z (y nearest the global y when x is vertical), or y near
 * `y_axis`. */
lm_m3 lm_beam_axes(const lm_spec_body *b, lm_v3 along)
{
    double length = v3_norm(along);
    if (length == 0) return m3_identity(); /* an error elsewhere */
    lm_v3 x = v3_mul(1 / length, along), y = v3(0, 1, 0), z = v3_cross(x, v3_from(b->y_axis));
    if (b->has_y_axis && v3_norm(z) > 0)
        y = v3_cross(v3_unit(z), x);
    else if (fabs(x.x) + fabs(x.y) > 1e-9)
        y = v3_unit(v3_cross(v3(0, 0, 1), x));
    else
        y = v3_unit(v3_sub(y, v3_mul(v3_dot(y, x), x)));
    return m3_cols(x, y, v3_cross(x, y));
}

/* The drawn axis is a row of segments. Each is cut into equal elements, at least one, so that the
 * longest element is as short as `elements` allows. With fewer elements than segments the elements
 * are chords between points at equal distances along the axis. The struct is a cursor that stands
 * on one segment. */
typedef struct axis {
    const lm_spec_body *b;
    int n, nsegments;
    int chords;      /* 1: fewer elements than segments */
    double total;    /* length of the drawn axis */
    double small, h; /* lengths of element: with h they are few enough, with small too many */
    int extra;       /* segments that get one element more than h gives them */
    /* the segment */
    int segment, first, count, left; /* its number, first element, elements; extras left */
    double done, len;                /* length before it, its length */
} axis;

/* Places on the axis that one element joins. */
typedef struct piece {
    lm_v3 x[2];
    double s[2];
    lm_m3 E;
} piece;

static lm_v3 corner(const axis *a, int i) { return v3_from(a->b->points[i]); }

static double segment_length(const axis *a, int i)
{
    return v3_norm(v3_sub(corner(a, i + 1), corner(a, i)));
}

static double count_all(const axis *a, double h)
{
    double n = 0;
    for (int i = 0; i < a->nsegments; i++) n += ceil(segment_length(a, i) / h);
    return n;
}

/* The shortest length h with sum of ceil(length/h) <= n, by bisection. Segments whose number jumps
 * there are as long as each other per element; the first of them take what is left over. */
static void spread(axis *a)
{
    a->small = 0.4 * a->total / a->n;
    a->h = a->total;
    if (a->chords || a->nsegments == 1) return;
    while (a->h - a->small > 1e-12 * a->h) {
        double middle = 0.5 * (a->small + a->h);
        *(count_all(a, middle) <= a->n ? &a->h : &a->small) = middle;
    }
    a->extra = a->n - (int)count_all(a, a->h);
}

static void load_segment(axis *a)
{
    a->len = segment_length(a, a->segment);
    if (a->chords) return;
    a->count = a->nsegments == 1 ? a->n : (int)ceil(a->len / a->h);
    if (a->left > 0 && ceil(a->len / a->small) > a->count) a->count++, a->left--;
}

static void first_segment(axis *a)
{
    a->segment = a->first = 0;
    a->left = a->extra;
    a->done = 0;
    load_segment(a);
}

static void next_segment(axis *a)
{
    a->first += a->count;
    a->done += a->len;
    a->segment++;
    load_segment(a);
}

static axis axis_open(const lm_spec_body *b)
{
    axis a = {.b = b, .n = b->elements, .nsegments = b->npoints - 1};
    for (int i = 0; i < a.nsegments; i++) a.total += segment_length(&a, i);
    int usable = a.total > 0 && isfinite(a.total); /* if not, no counting; an error elsewhere */
    a.chords = a.n < a.nsegments || !usable;
    spread(&a);
    first_segment(&a);
    return a;
}

/* To the segment with that element, or with that length along the axis. */
static void seek_element(axis *a, int k)
{
    if (k < a->first) first_segment(a);
    while (a->segment + 1 < a->nsegments && k >= a->first + a->count) next_segment(a);
}

static void seek_length(axis *a, double at)
{
    if (at < a->done) first_segment(a);
    while (a->segment + 1 < a->nsegments && at >= a->done + a->len) next_segment(a);
}

static lm_v3 between(lm_v3 p, lm_v3 q, double f) { return v3_add(v3_mul(1 - f, p), v3_mul(f, q)); }

static lm_v3 on_segment(const axis *a, double f)
{
    return between(corner(a, a->segment), corner(a, a->segment + 1), f);
}

static lm_v3 chord_point(axis *a, double s)
{
    seek_length(a, s * a->total);
    return on_segment(a, fmin(1, (s * a->total - a->done) / a->len));
}

static piece axis_element(axis *a, int k)
{
    piece p;
    lm_v3 along;
    for (int e = 0; e < 2; e++) {
        p.s[e] = (double)(k + e) / a->n;
        if (a->chords) {
            p.x[e] = chord_point(a, p.s[e]);
            continue;
        }
        seek_element(a, k);
        double f = (double)(k + e - a->first) / a->count;
        p.x[e] = on_segment(a, f);
        if (a->nsegments > 1) p.s[e] = (a->done + f * a->len) / a->total;
    }
    along = a->chords ? v3_sub(p.x[1], p.x[0])
                      : v3_sub(corner(a, a->segment + 1), corner(a, a->segment));
    p.E = lm_beam_axes(a->b, along);
    return p;
}

/* Largest difference of two matrices. */
static double apart(const lm_m3 *A, const lm_m3 *B)
{
    double d = 0;
    for (int i = 0; i < 9; i++) d = fmax(d, fabs(A->m[i] - B->m[i]));
    return d;
}

/* Half way from one orientation to another: the axes of a node between two elements. */
static lm_m3 mean_axes(const lm_m3 *E, const lm_m3 *F)
{
    if (apart(E, F) < 1e-12) return *E;
    lm_m3 turn = m3_tmul(E, F);
    lm_m3 half = quat_m3(lm_quat_exp(v3_mul(0.5, lm_quat_log(lm_quat_from_m3(&turn)))));
    return m3_mul(E, &half);
}

double lm_beam_node_s(const lm_spec_body *b, int node)
{
    axis a = axis_open(b);
    return node < a.n ? axis_element(&a, node).s[0] : 1;
}

double lm_beam_division(const lm_spec_body *b, double s)
{
    axis a = axis_open(b);
    if (a.chords || a.nsegments == 1) return s * a.n;
    seek_length(&a, s * a.total);
    return a.first + (s * a.total - a.done) / a.len * a.count;
}

int lm_beam_node_at(const lm_spec_body *b, double s)
{
    double at = lm_beam_division(b, s);
    return fabs(at - round(at)) <= 1e-12 * b->elements ? (int)round(at) : -1;
}

void lm_beam_node_drawn(const lm_spec_body *b, int node, lm_v3 *x, lm_m3 *R)
{
    axis a = axis_open(b);
    piece before = axis_element(&a, node > 0 ? node - 1 : 0);
    piece after = axis_element(&a, node < a.n ? node : a.n - 1);
    *x = node < a.n ? after.x[0] : after.x[1];
    *R = mean_axes(&before.E, &after.E);
}

void lm_beam_drawn(const lm_spec_body *b, double s, lm_v3 *x, lm_m3 *R)
{
    axis a = axis_open(b);
    double at = s * a.n;
    if (!a.chords) {
        seek_length(&a, s * a.total);
        double f = (s * a.total - a.done) / a.len;
        at = a.first + fmin(a.count * f, a.count - 0.5);
    }
    piece p = axis_element(&a, (int)fmax(0, fmin(at, a.n - 1)));
    *x = between(p.x[0], p.x[1], (s - p.s[0]) / (p.s[1] - p.s[0]));
    *R = p.E;
}

static void add_node(lm_model *m, int body, lm_v3 x, const lm_m3 *R)
{
    m->nodes[m->nnodes++] = (lm_node){x, lm_quat_from_m3(R), body};
}

/* Where an element sits on its nodes. The axes E that both share are in A[0]. */
static void join_nodes(const lm_model *m, lm_element *e)
{
    const lm_m3 E = e->A[0], I = m3_identity();
    e->straight = 1;
    for (int k = 0; k < 2; k++) {
        lm_m3 R = quat_m3(m->nodes[e->node[k]].q), A = m3_tmul(&R, &E);
        int same = apart(&A, &I) < 1e-12;
        e->A[k] = same ? I : A;
        e->straight &= same;
    }
    e->shape.L = v3_norm(v3_sub(m->nodes[e->node[1]].x, m->nodes[e->node[0]].x));
}

/* From the last node to the next, which is still to come. */
static void add_element(lm_model *m, double s0, double s1, const lm_m3 *E)
{
    lm_element *e = &m->elements[m->nelements++];
    *e = (lm_element){.node = {m->nnodes - 1, m->nnodes}, .s = {s0, s1}};
    e->A[0] = *E; /* turned to the nodes' axes when both are there */
}

/* The elements of one division, cut where something is joined, and the nodes between them. */
static void cut_division(lm_model *m, int body, const piece *p, int k, int *extra)
{
    const lm_beam *b = &m->beams[body];
    double s = p->s[0];
    for (; *extra < b->nextra && (int)b->extra[*extra].at == k; ++*extra) {
        double next = b->extra[*extra].s, f = (next - p->s[0]) / (p->s[1] - p->s[0]);
        add_element(m, s, next, &p->E);
        add_node(m, body, between(p->x[0], p->x[1], f), &p->E);
        s = next;
    }
    add_element(m, s, p->s[1], &p->E);
}

/* Nodes and elements of a beam, without the elements' shapes. */
static void cut_beam(lm_model *m, int body)
{
    axis a = axis_open(&m->spec->bodies.at[body]);
    lm_beam *b = &m->beams[body];
    piece p = axis_element(&a, 0);
    int extra = 0;
    b->first_element = m->nelements;
    add_node(m, body, p.x[0], &p.E);
    for (int k = 0; k < a.n; k++) {
        cut_division(m, body, &p, k, &extra);
        piece next = axis_element(&a, k + 1 < a.n ? k + 1 : k);
        lm_m3 R = mean_axes(&p.E, &next.E);
        add_node(m, body, p.x[1], &R);
        p = next;
    }
    b->nelements = m->nelements - b->first_element;
    for (int k = 0; k < b->nelements; k++) join_nodes(m, &m->elements[b->first_element + k]);
}

/* ---- drawn poses ---- */

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
            add_node(m, body, v3_from(n->drawn.position), &D);
        else
            add_node(m, body, v3_add(x, m3_v(R, v3_from(n->pose.position))), &A);
    }
    lm_m3 F = pose_axes(&s->frame_drawn);
    if (s->frame_product >= 0) add_node(m, body, v3_from(s->frame_drawn.position), &F);
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
        cut_beam(m, i);
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
    m->actions = LM_NEW_N(&m->arena, lm_action, 12 * s->joints.n + 6 * s->forces.n);
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
    m->size = extent(m);
    for (int i = 0; i < spec->joints.n; i++) lm_compile_joint(m, i, diag);
    for (int i = 0; i < spec->forces.n; i++) lm_compile_force(m, i, diag);
    lm_compile_initial(m);
    return diag->errors > errors ? -1 : 0;
}
