/* What a system of floating frames tells: outputs, forces, energies, poses and names. */
#include "form/ffr.h"

#include <stdio.h>

/* ---- what the nodal system asks of beams ---- */

static void unit_energy(const ffr *s, const ffr_unit *u, lm_energy *e)
{
    const lm_link_motion *m = &s->tree.motion[u->base + 3];
    const double *rate = s->v ? s->v + u->v + FRAME_V : s->zero;
    lm_floating_energy own;
    lm_floating_energies(u->f, m3_tv(&m->R, m->v), m3_tv(&m->R, m->w), s->q + u->q + FRAME_Q, rate,
                         &own);
    e->kinetic += own.kinetic;
    e->elastic += own.elastic;
    e->dissipation += own.dissipation;
    lm_v3 moment = v3_add(v3_mul(u->f->mass, m->x), m3_v(&m->R, own.moment));
    e->gravity -= v3_dot(s->m->gravity, moment);
}

void ffr_body_energy(void *ctx, const lm_state *st, int body, lm_energy *e)
{
    const ffr *s = ctx;
    (void)st; /* the units have been entered there */
    for (int i = 0; i < s->nunits; i++)
        if (s->unit[i].f && (body < 0 || s->unit[i].body == body)) unit_energy(s, &s->unit[i], e);
}

int ffr_last_element(void *ctx, int element)
{
    const ffr *s = ctx;
    const ffr_unit *u = &s->unit[s->node[s->m->elements[element].node[1]].unit];
    return u->first_element + u->nodes - 2;
}

const double *ffr_node_residual(void *ctx) { return ((const ffr *)ctx)->moved.ri; }

/* ---- the seam ---- */

/* The way of the nodes, where results are asked for on one of the coordinates. */
static void follow_way(ffr *s)
{
    if (!moved_wants_way(&s->moved)) return;
    lm_state inner = ffr_enter(s, &s->sys.along->at);
    ffr_jets(s);
    moved_set_way(&s->moved, &inner);
}

/* The nodal state with the forces on its nodes. */
static int with_forces(ffr *s, const lm_state *st, lm_state *inner)
{
    follow_way(s);
    *inner = ffr_enter_all(s, st);
    return st->a && st->lam && nodal_residual(&s->in->sys, inner, s->moved.ri, NULL, NULL);
}

int ffr_outputs(lm_system *sys, const lm_state *st, double *out)
{
    ffr *s = (ffr *)sys;
    lm_state inner;
    int bad = with_forces(s, st, &inner);
    return bad ? bad : nodal_outputs(&s->in->sys, &inner, out);
}

int ffr_guards(lm_system *sys, const lm_state *st, double *out)
{
    ffr *s = (ffr *)sys;
    lm_state inner;
    int bad = 0;
    if (s->in->guards_read_forces)
        bad = with_forces(s, st, &inner);
    else
        inner = ffr_enter_all(s, st);
    return bad ? bad : nodal_guards(&s->in->sys, &inner, out);
}

void ffr_describe_guard(const lm_system *sys, int i, char *text, size_t size)
{
    nodal_describe_guard(&((const ffr *)sys)->in->sys, i, text, size);
}

int ffr_energy(lm_system *sys, const lm_state *st, lm_energy *e)
{
    ffr *s = (ffr *)sys;
    follow_way(s);
    lm_state inner = ffr_enter(s, st);
    return nodal_energy(&s->in->sys, &inner, e);
}

void ffr_forces(lm_system *sys, const lm_state *st, double *joint, double *load)
{
    ffr *s = (ffr *)sys;
    follow_way(s);
    lm_state inner = ffr_enter_all(s, st);
    nodal_forces(&s->in->sys, &inner, joint, load);
}

void ffr_beam_forces(lm_system *sys, const lm_state *st, double *out)
{
    ffr *s = (ffr *)sys;
    lm_state inner;
    with_forces(s, st, &inner); /* cannot fail where the outputs did not */
    for (int k = 0; k < s->m->nelements; k++) {
        lm_v3 F, M;
        nodal_floating_middle(s->in, &inner, k, &F, &M);
        v3_put(out + 6 * k, F);
        v3_put(out + 6 * k + 3, M);
    }
}

/* Nodes that were added at welds are not told. */
void ffr_poses(lm_system *sys, const double *q, double *pose)
{
    ffr *s = (ffr *)sys;
    lm_state at = {s->t, q, NULL, NULL, NULL};
    ffr_enter_all(s, &at);
    for (int n = 0; n < s->division->drawn; n++) {
        const lm_body *b = &s->m->bodies[s->m->nodes[n].body];
        lm_m3 R = s->moved.tip[n].R;
        v3_put(pose + 7 * n, v3_sub(s->moved.tip[n].x, m3_v(&R, b->com)));
        quat_put(pose + 7 * n + 3, lm_quat_from_m3(&R));
    }
}

void ffr_describe_pose(const lm_system *sys, int i, char *text, size_t size)
{
    nodal_describe_pose(&((const ffr *)sys)->in->sys, i, text, size);
}

/* ---- names ---- */

static const ffr_unit *unit_of(const ffr *s, int i)
{
    int low = 0, high = s->nunits - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (s->unit[middle].v <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return &s->unit[low];
}

/* "bending along y, 2" of the coordinate k of a deformation. */
static void shape_name(const lm_floating *f, int k, char *text, size_t size)
{
    static const char *const kind[4] = {"bending along y", "bending along z", "stretch", "torsion"};
    const int n[4] = {f->nv, f->nw, f->na, f->nt};
    int which = 0;
    while (which < 3 && k >= n[which]) k -= n[which++];
    snprintf(text, size, "%s, %d", kind[which], k + 1);
}

static void describe_unit(const ffr *s, int i, const char *const what[FRAME_V], char *text,
                          size_t size)
{
    const ffr_unit *u = unit_of(s, i);
    char name[96], shape[48];
    int node = u->node[0], drawn = s->division->drawn;
    if (node >= drawn)
        node = s->division->twin[node - drawn]; /* the frame of a part begins there */
    nodal_node_name(s->m, node, name, sizeof name);
    if (i - u->v < FRAME_V) {
        snprintf(text, size, "%s%s", name, what[i - u->v]);
        return;
    }
    shape_name(u->f, i - u->v - FRAME_V, shape, sizeof shape);
    snprintf(text, size, "beam from %s on, %s", name, shape);
}

void ffr_describe(const lm_system *sys, int i, char *text, size_t size)
{
    static const char *const what[FRAME_V] = {", force x",  ", force y",  ", force z",
                                              ", moment x", ", moment y", ", moment z"};
    const ffr *s = (const ffr *)sys;
    if (i < sys->nv)
        describe_unit(s, i, what, text, size);
    else
        nodal_describe(&s->in->sys, s->in->sys.nv + i - sys->nv, text, size);
}

void ffr_describe_motion(const lm_system *sys, int i, char *text, size_t size)
{
    static const char *const what[FRAME_V] = {" along x",         " along y",
                                              " along z",         " turning about x",
                                              " turning about y", " turning about z"};
    describe_unit((const ffr *)sys, i, what, text, size);
}
