/* Frames: the node each sits on. A joint, force or load at BEAM.at(s) between the beam's own nodes
 * gets a node there, and so does what an effort or load reads: the equations have its derivative
 * then. Any other sensor is content with a place between nodes. */
#include "model/compile.h"

#include <stdlib.h>

/* Something joined nearer to a node than this, in divisions of the beam, is fixed to it: an element
 * between them would be so stiff that its forces drown in rounding. Beyond what is rounding of the
 * drawing itself there is a warning: that much of the beam becomes rigid. */
#define NEAR_NODE 1e-3
#define SAME_NODE 1e-6

/* ---- who takes hold of a frame ---- */

typedef struct user { /* of a frame: for messages */
    const char *what, *verb;
    const lm_spec_item *item;
} user;

/* A superelement's own frame follows all its nodes and is carried by none. */
static void check_super(const lm_model *m, const user *u, int frame, lm_diag *diag)
{
    const lm_spec_frame *f = &m->spec->frames.at[frame];
    if (f->kind != LM_FRAME_BODY) return;
    const lm_spec_body *b = &m->spec->bodies.at[f->body];
    if (b->type != LM_BODY_SUPERELEMENT) return;
    lm_error(diag, u->item->loc, "%s '%s': '%s' is a superelement; %s one of its nodes, as %s.%s",
             u->what, u->item->name, f->name, u->verb, f->name, b->nodes[0].name);
}

/* A place on a beam between nodes that something is fixed to. */
typedef struct held {
    int frame, body;
    lm_loc loc;
    lm_beam_extra extra;
} held;
typedef LM_VEC(held) held_list;

static void take(lm_model *m, const user *u, int frame, held_list *list, lm_diag *diag)
{
    const lm_spec_frame *f = &m->spec->frames.at[frame];
    check_super(m, u, frame, diag);
    m->frames[frame].joined = 1;
    if (f->kind != LM_FRAME_BEAM_AT) return;
    double at = lm_beam_division(&m->spec->bodies.at[f->body], f->s);
    *LM_PUSH(&m->arena, list) = (held){frame, f->body, u->item->loc, {f->s, at}};
}

/* Frames of beams that an expression of a force reads. */
static void take_sensors(lm_model *m, const user *u, const lm_expr *e, held_list *list,
                         lm_diag *diag)
{
    for (int i = 0; i < e->ninputs; i++) {
        if (e->inputs[i] == LM_SLOT_T) continue;
        const lm_spec_sensor *c = &m->spec->sensors.at[e->inputs[i] - 1];
        for (int k = 0; k < 2; k++)
            if (c->frame[k] >= 0 && m->spec->frames.at[c->frame[k]].kind == LM_FRAME_BEAM_AT)
                take(m, u, c->frame[k], list, diag);
    }
}

static void list_held(lm_model *m, held_list *list, lm_diag *diag)
{
    const lm_spec *s = m->spec;
    for (int i = 0; i < s->joints.n; i++) {
        const lm_spec_joint *j = &s->joints.at[i];
        const user u = {"joint", "join it by", &j->item};
        for (int k = 0; k < 2; k++) take(m, &u, j->frame[k], list, diag);
        for (int c = 0; c < LM_JOINT_COORDS; c++)
            if (j->coord[c].has_effort) take_sensors(m, &u, &j->coord[c].effort, list, diag);
    }
    for (int i = 0; i < s->forces.n; i++) {
        const user u = {"force", "let it act on", &s->forces.at[i].item};
        for (int k = 0; k < 2; k++) take(m, &u, s->forces.at[i].frame[k], list, diag);
    }
    for (int i = 0; i < s->loads.n; i++) {
        const lm_spec_load *l = &s->loads.at[i];
        const user u = {"load", "let it act on", &l->item};
        take(m, &u, l->frame, list, diag);
        for (int k = 0; k < 3; k++) {
            if (l->has_force) take_sensors(m, &u, &l->force[k], list, diag);
            if (l->has_torque) take_sensors(m, &u, &l->torque[k], list, diag);
        }
    }
}

/* ---- nodes beyond those of `elements` ---- */

static int by_place(const void *p, const void *q)
{
    const held *a = p, *b = q;
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    return (a->extra.at > b->extra.at) - (a->extra.at < b->extra.at);
}

/* 1: this place is served by a node `away` divisions from it. */
static int is_near(const lm_model *m, const held *h, double away, lm_diag *diag)
{
    if (away > NEAR_NODE) return 0;
    if (away > SAME_NODE)
        lm_warning(diag, h->loc,
                   "%s is only %.2g of an element away from a node, and is fixed to that: the beam "
                   "is rigid between them; move it onto the node, or change 'elements'",
                   m->spec->frames.at[h->frame].name, away);
    return 1;
}

void lm_compile_extras(lm_model *m, lm_diag *diag)
{
    held_list list = {0};
    list_held(m, &list, diag);
    if (!list.n) return;
    qsort(list.at, (size_t)list.n, sizeof *list.at, by_place);
    lm_beam_extra *extra = LM_NEW_N(&m->arena, lm_beam_extra, list.n);
    int kept = 0;
    for (int i = 0; i < list.n; i++) {
        const held *h = &list.at[i];
        lm_beam *b = &m->beams[h->body];
        double at = h->extra.at;
        if (is_near(m, h, fabs(at - round(at)), diag)) continue;
        if (b->nextra && is_near(m, h, at - extra[kept - 1].at, diag)) continue;
        if (!b->nextra) b->extra = &extra[kept];
        extra[kept++] = h->extra;
        b->nextra++;
    }
}

/* Which node of its beam an extra one is: those of the divisions before it, and extra ones. */
static int extra_place(const lm_beam *b, int i) { return (int)b->extra[i].at + 1 + i; }

/* Index into m->nodes of node(k). */
static int beam_node(const lm_model *m, int body, int k)
{
    const lm_beam *b = &m->beams[body];
    int before = 0;
    while (before < b->nextra && b->extra[before].at < k) before++;
    return m->bodies[body].first_node + k + before;
}

/* The node that serves a place where something is joined. */
static int node_near(const lm_model *m, int body, double s)
{
    const lm_beam *b = &m->beams[body];
    double at = lm_beam_division(&m->spec->bodies.at[body], s);
    if (fabs(at - round(at)) <= NEAR_NODE) return beam_node(m, body, (int)round(at));
    int i = 0;
    while (i + 1 < b->nextra && b->extra[i + 1].at <= at) i++;
    return m->bodies[body].first_node + extra_place(b, i);
}

int lm_beam_node_name(const lm_model *m, int node, double *s)
{
    int body = m->nodes[node].body, k = node - m->bodies[body].first_node;
    const lm_beam *b = &m->beams[body];
    for (int i = 0; i < b->nextra; i++) {
        int at = extra_place(b, i);
        if (at > k) return k - i;
        if (at < k) continue;
        *s = b->extra[i].s;
        return -1;
    }
    return k - b->nextra;
}

/* ---- frames ---- */

/* The node that carries a frame. */
static int frame_node(const lm_model *m, const lm_spec_frame *f, int joined)
{
    if (f->kind == LM_FRAME_GROUND || f->kind == LM_FRAME_GROUND_AT) return LM_GROUND;
    const lm_body *b = &m->bodies[f->body];
    if (b->type == LM_BODY_RIGID) return b->first_node;
    if (f->kind == LM_FRAME_BEAM_NODE) return beam_node(m, f->body, f->node);
    if (f->kind == LM_FRAME_BEAM_AT && joined) return node_near(m, f->body, f->s);
    return f->kind == LM_FRAME_NODE ? b->first_node + f->node : LM_BETWEEN_NODES;
}

void lm_compile_frame(lm_model *m, int i)
{
    lm_frame *f = &m->frames[i];
    const lm_spec_frame *s = &m->spec->frames.at[i];
    lm_m3 R;
    f->node = frame_node(m, s, f->joined);
    if (s->kind == LM_FRAME_BEAM_NODE) {
        f->x = m->nodes[f->node].x;
        f->E = m3_identity();
        return;
    }
    lm_frame_drawn(m->spec, i, &f->x, &R);
    if (f->node < 0) {
        f->r = f->x;
        f->E = R;
        return;
    }
    lm_m3 A = quat_m3(m->nodes[f->node].q);
    f->r = m3_tv(&A, v3_sub(f->x, m->nodes[f->node].x));
    f->E = m3_tmul(&A, &R);
}
