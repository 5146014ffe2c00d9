/* The kinematic tree of a model: as the user wrote it, or by its joints. */
#include "form/joint_links.h"
#include "form/minimal.h"

#include <string.h>

/* A place on the tree: a link, and a constant pose on it. */
typedef struct place {
    int link;
    lm_v3 x;
    lm_m3 R;
} place;

static place ground(void) { return (place){-1, v3(0, 0, 0), m3_identity()}; }

static void shift(place *p, lm_v3 by) { p->x = v3_add(p->x, m3_v(&p->R, by)); }
static void rotate(place *p, const lm_m3 *by) { p->R = m3_mul(&p->R, by); }

/* A link that begins at the place; the place then is the link's frame. */
static int hang(minimal *s, place *p, lm_link_kind kind, lm_v3 axis)
{
    int link = lm_kintree_link(&s->tree, kind, p->link, p->x, p->R, axis);
    *p = ground();
    p->link = link;
    return link < 0 ? -1 : 0;
}

/* ---- as written ---- */

typedef struct writer {
    minimal *s;
    place *made;         /* [products] */
    unsigned char *done; /* [products] */
    LM_VEC(min_arg) args;
} writer;

static int write_product(writer *w, int product, int inverse, int fresh, place *p);

static lm_v3 unit_axis(int k) { return v3(k == 0, k == 1, k == 2); }

/* One scalar argument: a constant moves the place, anything else is a link. */
static int write_scalar(writer *w, const lm_expr *e, double sign, lm_link_kind kind, lm_v3 axis,
                        place *p)
{
    if (e->constant) {
        lm_m3 Q = lm_rot_axis_angle(axis, sign * e->value);
        if (kind == LM_LINK_TURN)
            rotate(p, &Q);
        else
            shift(p, v3_mul(sign * e->value, axis));
        return 0;
    }
    min_arg *a = LM_PUSH(&w->s->arena, &w->args);
    if (!a) return -1;
    *a = (min_arg){.e = e, .sign = sign, .affine = lm_expr_is_affine(e)};
    return hang(w->s, p, kind, axis);
}

static int write_factor(writer *w, const lm_factor *f, int inverse, int fresh, place *p)
{
    int turned = inverse ^ f->inverse;
    double sign = turned ? -1 : 1;
    switch (f->kind) {
    case LM_FACTOR_FRAME: return write_product(w, f->frame, turned, fresh, p);
    case LM_FACTOR_ROTX:
    case LM_FACTOR_ROTY:
    case LM_FACTOR_ROTZ: {
        lm_v3 axis = unit_axis((int)(f->kind - LM_FACTOR_ROTX));
        return write_scalar(w, &f->arg[0], sign, LM_LINK_TURN, axis, p);
    }
    case LM_FACTOR_ROT:
        return write_scalar(w, &f->arg[0], sign, LM_LINK_TURN, v3_unit(v3_from(f->axis)), p);
    default:
        for (int k = 0; k < 3; k++)
            if (write_scalar(w, &f->arg[k], sign, LM_LINK_SLIDE, unit_axis(k), p)) return -1;
        return 0;
    }
}

/* Inputs of an argument that has no expression. */
static lm_expr *inputs_only(minimal *s, const lm_product *product)
{
    lm_expr *e = LM_NEW(&s->arena, lm_expr);
    if (e) *e = (lm_expr){.ninputs = product->ninputs, .inputs = product->inputs};
    return e;
}

/* A frame that a C function gives: three slides, and three turns from the attitude where it is. */
static int write_external(writer *w, const lm_product *product, int inverse, place *p)
{
    minimal *s = w->s;
    int row = 6 * s->external.uses.n;
    lm_expr *e = inputs_only(s, product);
    min_use *use = LM_PUSH(&s->arena, &s->external.uses);
    if (!e || !use) return -1;
    *use = (min_use){.product = (int)(product - s->m->spec->products.at),
                     .frame = product->external - 1,
                     .inverse = inverse};
    for (int k = 0; k < 6; k++) {
        min_arg *a = LM_PUSH(&s->arena, &w->args);
        if (!a) return -1;
        *a = (min_arg){.e = e, .sign = 1, .external = 1 + row + k};
        if (hang(s, p, k < 3 ? LM_LINK_SLIDE : LM_LINK_TURN, unit_axis(k % 3))) return -1;
        if (k == 3) use->turn = p->link;
    }
    return 0;
}

static int write_factors(writer *w, const lm_product *product, int inverse, int fresh, place *p)
{
    if (product->external) return write_external(w, product, inverse, p);
    for (int k = 0; k < product->nfactors; k++) {
        const lm_factor *f = &product->factors[inverse ? product->nfactors - 1 - k : k];
        if (write_factor(w, f, inverse, fresh && k == 0, p)) return -1;
    }
    return 0;
}

/* The product from the place on; `fresh`: from the ground, where frames with a name are shared. */
static int write_product(writer *w, int product, int inverse, int fresh, place *p)
{
    const lm_product *x = &w->s->m->spec->products.at[product];
    if (inverse || !fresh) return write_factors(w, x, inverse, 0, p);
    if (!w->done[product]) {
        w->made[product] = ground();
        if (write_factors(w, x, 0, 1, &w->made[product])) return -1;
        w->done[product] = 1;
    }
    *p = w->made[product];
    return 0;
}

/* The product that a node of a body follows, -1: none. */
static int node_product(const lm_spec_body *b, int k)
{
    if (b->type == LM_BODY_RIGID) return b->motion;
    if (b->type != LM_BODY_SUPERELEMENT) return -1;
    return k < b->nnodes ? b->nodes[k].motion : b->frame_product;
}

static int write_tips(writer *w, lm_diag *diag)
{
    const lm_model *m = w->s->m;
    for (int i = 0; i < m->nbodies; i++) {
        const lm_spec_body *b = &m->spec->bodies.at[i];
        for (int k = 0; k < m->bodies[i].nnodes; k++) {
            place p = ground();
            int product = node_product(b, k);
            if (product < 0) {
                lm_error(
                    diag, b->item.loc,
                    b->type == LM_BODY_BEAM
                        ? "body '%s': a beam has no 'motion'; with 'coordinates' write it as a "
                          "superelement, 'beam: {section, length}', or leave 'coordinates' out"
                        : "body '%s' has no 'motion'; with 'coordinates' every body says how "
                          "it moves",
                    b->item.name);
                return 1;
            }
            if (write_product(w, product, 0, 1, &p)) return -1;
            if (b->type == LM_BODY_RIGID) shift(&p, m->bodies[i].com);
            if (lm_kintree_tip(&w->s->tree, p.link, p.x, p.R) < 0) return -1;
        }
    }
    return 0;
}

/* Arguments that are affine: most are, a coordinate alone or a length and a coordinate. */
static void note_slopes(minimal *s)
{
    for (int k = 0; k < s->tree.nu; k++) {
        min_arg *a = &s->arg[k];
        double *slope = s->slope + a->first;
        if (!a->affine) continue;
        a->offset = a->sign * lm_expr_grad(a->e, s->slots, s->scratch, slope); /* slots are zero */
        for (int i = 0; i < a->e->ninputs; i++) slope[i] *= a->sign;
    }
}

/* Room for gradients and Hessians of the arguments. */
static int reserve_arguments(minimal *s)
{
    int inputs = 0, squares = 0, most = 0, scratch = 1;
    for (int k = 0; k < s->tree.nu; k++) {
        const lm_expr *e = s->arg[k].e;
        s->arg[k].first = inputs;
        s->arg[k].hess = squares;
        inputs += e->ninputs;
        squares += e->ninputs * e->ninputs;
        most = e->ninputs > most ? e->ninputs : most;
        int need = lm_expr_scratch(e, 2);
        scratch = need > scratch ? need : scratch;
    }
    s->slots = LM_NEW_N(&s->arena, double, 1 + s->written);
    s->scratch = LM_NEW_N(&s->arena, double, scratch);
    s->grad = LM_NEW_N(&s->arena, double, inputs);
    s->dot = LM_NEW_N(&s->arena, double, inputs);
    s->next = LM_NEW_N(&s->arena, double, inputs);
    s->hess = LM_NEW_N(&s->arena, double, squares);
    s->hess_low = LM_NEW_N(&s->arena, double, most *most + most);
    s->slope = LM_NEW_N(&s->arena, double, inputs);
    if (!s->slots || !s->scratch || !s->grad || !s->dot || !s->next || !s->hess || !s->hess_low ||
        !s->slope)
        return -1;
    note_slopes(s);
    return 0;
}

int minimal_write_tree(minimal *s, lm_diag *diag)
{
    int n = s->m->spec->products.n;
    writer w = {.s = s};
    w.made = LM_NEW_N(&s->arena, place, n);
    w.done = LM_NEW_N(&s->arena, unsigned char, n);
    if (!w.made || !w.done) return -1;
    int bad = write_tips(&w, diag);
    if (bad) return bad;
    s->arg = w.args.at;
    return reserve_arguments(s);
}

/* ---- by the joints ---- */

/* 1: the tree can go through this joint: its parts meet as drawn, and it is no spring. */
static int passable(const minimal *s, int joint)
{
    const lm_joint *j = &s->m->joints[joint];
    const lm_pair *p = &s->m->pairs[j->pair];
    lm_v3 x[2];
    lm_m3 E[2];
    int inside = joint >= s->m->spec->joints.n; /* a beam: not in the model file */
    if (!inside && s->m->spec->joints.at[joint].compliant) return 0;
    if (!j->nrows || lm_joint_links_of[j->type].n < 0) return 0;
    for (int e = 0; e < 2; e++) {
        int n = p->node[e];
        lm_m3 R = n < 0 ? m3_identity() : quat_m3(s->m->nodes[n].q);
        lm_v3 at = n < 0 ? v3(0, 0, 0) : s->m->nodes[n].x;
        x[e] = v3_add(at, m3_v(&R, p->r[e]));
        E[e] = m3_mul(&R, &p->E[e]);
    }
    double apart = v3_norm(v3_sub(x[1], x[0])) / (s->m->size > 0 ? s->m->size : 1);
    for (int i = 0; i < 9; i++) apart = fmax(apart, fabs(E[0].m[i] - E[1].m[i]));
    return apart < 1e-9;
}

static int note_rate(minimal *s, min_rate r, int n)
{
    for (int k = 0; k < n; k++) {
        s->rate[s->tree.nu - n + k] = r;
        if (n == 3) s->rate[s->tree.nu - n + k].along = "xyz"[k];
    }
    return 0;
}

/* Six free motions of a node, in the axes of the place. */
static int hang_free(minimal *s, int node, place *p)
{
    for (int k = 0; k < 3; k++) {
        if (hang(s, p, LM_LINK_SLIDE, unit_axis(k))) return -1;
        note_rate(s, (min_rate){node, -1, 0, -1, "xyz"[k], 0}, 1);
    }
    if (hang(s, p, LM_LINK_BALL, unit_axis(0))) return -1;
    return note_rate(s, (min_rate){node, -1, 0, -1, 0, 1}, 3);
}

static int hang_joint(minimal *s, int node, int joint, place *p)
{
    const lm_joint *j = &s->m->joints[joint];
    const lm_pair *pair = &s->m->pairs[j->pair];
    const lm_joint_links *links = &lm_joint_links_of[j->type];
    int side = pair->node[1] == node; /* the node's own: 1 is b, the usual way */
    shift(p, pair->r[!side]);
    rotate(p, &pair->E[!side]);
    for (int k = 0; k < links->n; k++) {
        const lm_joint_link *m = &links->link[side ? k : links->n - 1 - k];
        int known = m->coord >= 0 && m->coord < j->ncoords; /* joints inside of beams have none */
        int coord = known ? j->first_coord + m->coord : -1;
        if (hang(s, p, m->kind, unit_axis(m->axis))) return -1;
        note_rate(s, (min_rate){node, coord, side ? 1 : -1, joint, 0, m->kind != LM_LINK_SLIDE},
                  m->kind == LM_LINK_BALL ? 3 : 1);
    }
    lm_m3 back = m3_t(&pair->E[side]);
    rotate(p, &back);
    shift(p, v3_neg(pair->r[side]));
    return 0;
}

/* Pose of a node as drawn, seen from another one or from the ground. */
static void shift_as_drawn(const minimal *s, int from, int node, place *p)
{
    const lm_node *n = &s->m->nodes[node];
    lm_v3 x = from < 0 ? v3(0, 0, 0) : s->m->nodes[from].x;
    lm_m3 R = from < 0 ? m3_identity() : quat_m3(s->m->nodes[from].q), N = quat_m3(n->q);
    lm_m3 turn = m3_tmul(&R, &N);
    shift(p, m3_tv(&R, v3_sub(n->x, x)));
    rotate(p, &turn);
}

static int is_driven(const lm_model *m, int joint)
{
    for (int k = 0; joint >= 0 && k < m->joints[joint].nrows; k++)
        if (m->rows[m->joints[joint].first_row + k].drive) return 1;
    return 0;
}

static int carries(const minimal *s, int node)
{
    return node < 0 || s->m->bodies[s->m->nodes[node].body].type == LM_BODY_RIGID ||
           is_driven(s->m, nodal_tree_joint(s->in->tree, node));
}

/* The others of a flexible body are free, but against what? The end by which it hangs turns quickly and by
 * itself where a joint lets it, and all of them would have to make up for that (docs/theory/minimal.md). So
 * it is what carries the flexible bodies: a rigid one, or the ground; or an end that goes as it is driven.
 * next [nodes]: the nearest of these on the way to the ground, known of all nodes before this one. */
static int hangs_on(const minimal *s, int *next, int node)
{
    const lm_tree *t = s->in->tree;
    int joint = nodal_tree_joint(t, node);
    int from = joint >= 0 ? nodal_tree_parent(t, node) : nodal_tree_carrier(t, node);
    next[node] = carries(s, from) ? from : next[from];
    return joint >= 0 ? from : next[node];
}

void minimal_move_node(minimal *s, int node, const double *q, const double *v)
{
    lm_kintree_move_links(&s->tree, s->hung[node].first, s->hung[node].n, q, v, NULL);
}

int minimal_grow_tree(minimal *s)
{
    const lm_model *m = s->m;
    const lm_tree *t = s->in->tree;
    place *at = LM_NEW_N(&s->arena, place, m->nnodes);
    int *next = LM_NEW_N(&s->arena, int, m->nnodes);
    s->hung = LM_NEW_N(&s->arena, min_hung, m->nnodes);
    s->rate = LM_NEW_N(&s->arena, min_rate, NODE_V * m->nnodes);
    s->passed = LM_NEW_N(&s->arena, unsigned char, m->njoints);
    if (!at || !next || !s->hung || !s->rate || !s->passed) return -1;
    for (int k = 0; k < m->nnodes; k++) {
        int n = nodal_tree_order(t, k), joint = nodal_tree_joint(t, n);
        int from = hangs_on(s, next, n), first = s->tree.links.n;
        at[n] = from < 0 ? ground() : at[from];
        int bad;
        if (joint >= 0 && passable(s, joint)) {
            s->passed[joint] = 1;
            bad = hang_joint(s, n, joint, &at[n]);
        } else {
            shift_as_drawn(s, from, n, &at[n]);
            bad = hang_free(s, n, &at[n]);
        }
        if (bad) return -1;
        s->hung[n] = (min_hung){from, first, s->tree.links.n - first};
    }
    for (int n = 0; n < m->nnodes; n++)
        if (lm_kintree_tip(&s->tree, at[n].link, at[n].x, at[n].R) < 0) return -1;
    return 0;
}
