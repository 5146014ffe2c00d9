/* The axis of a beam as drawn: its places, its axes, and how it is cut into nodes and elements. */
#include "model/compile.h"

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

/* ---- nodes and elements ---- */

void lm_add_node(lm_model *m, int body, lm_v3 x, const lm_m3 *R)
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
        lm_add_node(m, body, between(p->x[0], p->x[1], f), &p->E);
        s = next;
    }
    add_element(m, s, p->s[1], &p->E);
}

void lm_cut_beam(lm_model *m, int body)
{
    axis a = axis_open(&m->spec->bodies.at[body]);
    lm_beam *b = &m->beams[body];
    piece p = axis_element(&a, 0);
    int extra = 0;
    b->first_element = m->nelements;
    lm_add_node(m, body, p.x[0], &p.E);
    for (int k = 0; k < a.n; k++) {
        cut_division(m, body, &p, k, &extra);
        piece next = axis_element(&a, k + 1 < a.n ? k + 1 : k);
        lm_m3 R = mean_axes(&p.E, &next.E);
        lm_add_node(m, body, p.x[1], &R);
        p = next;
    }
    b->nelements = m->nelements - b->first_element;
    for (int k = 0; k < b->nelements; k++) join_nodes(m, &m->elements[b->first_element + k]);
}
