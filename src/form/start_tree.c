/* Bodies and joints as a kinematic tree that begins as drawn. */
#include "form/joint_links.h"
#include "form/start_int.h"

static start_place ground(void) { return (start_place){-1, v3(0, 0, 0), m3_identity()}; }
static void shift(start_place *p, lm_v3 by) { p->x = v3_add(p->x, m3_v(&p->R, by)); }
static void rotate(start_place *p, const lm_m3 *by) { p->R = m3_mul(&p->R, by); }

/* ---- forests ---- */

int start_root(const start *s, int joint, int what)
{
    while (s->joint[joint].group[what] != joint) joint = s->joint[joint].group[what];
    return joint;
}

void start_unite(start *s, int a, int b, int what)
{
    a = start_root(s, a, what), b = start_root(s, b, what);
    if (a == b) return;
    s->joint[a > b ? a : b].group[what] = a < b ? a : b;
}

/* ---- links ---- */

static int add_vars(start *s, start_var v, lm_link_kind kind)
{
    for (int k = 0; k < (kind == LM_LINK_BALL ? 3 : 1); k++) {
        start_var *to = LM_PUSH(&s->arena, &s->var);
        v.axis = k;
        *to = v;
    }
    return 0;
}

/* A link at the place, which then is the link's frame. */
static void hang(start *s, start_place *p, lm_link_kind kind, int axis, start_var v)
{
    lm_v3 e = v3(axis == 0, axis == 1, axis == 2);
    v.link = lm_kintree_link(&s->tree, kind, p->link, p->x, p->R, e);
    v.unit = kind == LM_LINK_SLIDE ? s->L : 1;
    add_vars(s, v, kind);
    *p = ground();
    p->link = v.link;
}

/* Six free motions: of a body that nothing holds, or of a distance. */
static void hang_six(start *s, start_place *p, int joint, int sign)
{
    start_var v = {.joint = joint, .coord = -1, .sign = sign};
    if (sign < 0) hang(s, p, LM_LINK_BALL, 0, v);
    for (int k = 0; k < 3; k++) hang(s, p, LM_LINK_SLIDE, sign > 0 ? k : 2 - k, v);
    if (sign > 0) hang(s, p, LM_LINK_BALL, 0, v);
}

/* What `initial` and drives say of a coordinate. */
static void note_given(const start *s, int joint, int c, start_var *v)
{
    const lm_spec *spec = s->m->spec;
    const lm_spec_coord *k = &spec->joints.at[joint].coord[c];
    double d[3] = {0, 0, 0};
    for (int i = 0; i < spec->initial.n; i++) {
        const lm_spec_initial *in = &spec->initial.at[i];
        if (in->joint != joint || in->coord != c) continue;
        if (in->has_value)
            v->set[START_VALUE] = START_BY_INITIAL, v->target[START_VALUE] = in->value;
        if (in->has_rate) v->set[START_RATE] = START_BY_INITIAL, v->target[START_RATE] = in->rate;
    }
    if (k->has_drive) {
        lm_expr_time(&k->drive, 0, s->du, d); /* du: scratch while the tree grows */
        for (int i = 0; i < 2; i++) v->set[i] = START_BY_DRIVE, v->target[i] = d[i];
    }
}

static void hang_links(start *s, start_place *p, int j, int sign)
{
    const lm_joint *joint = &s->m->joints[j];
    const lm_joint_links *links = &lm_joint_links_of[joint->type];
    for (int k = 0; k < links->n; k++) {
        const lm_joint_link *l = &links->link[sign > 0 ? k : links->n - 1 - k];
        start_var v = {.joint = j, .coord = -1, .sign = sign};
        if (l->coord >= 0) {
            v.coord = joint->first_coord + l->coord;
            note_given(s, j, l->coord, &v);
            for (int i = 0; i < 2; i++) v.target[i] *= sign;
        }
        hang(s, p, l->kind, l->axis, v);
    }
}

/* The directions that a joint would lock for which springs stand: they move where given velocities ask for it. */
static void hang_springs(start *s, start_place *p, int j, int sign)
{
    const lm_joint_links *links = &lm_joint_links_of[s->m->joints[j].type];
    start_var v = {.joint = j, .coord = -1, .sign = sign};
    int own[6] = {0};
    v.set[START_VALUE] = v.set[START_RATE] = START_BY_SPRING;
    for (int k = 0; k < links->n; k++) {
        const lm_joint_link *l = &links->link[k];
        for (int i = 0; i < 3; i++)
            if (l->kind == LM_LINK_BALL || l->axis == i)
                own[l->kind == LM_LINK_SLIDE ? 3 + i : i] = 1;
    }
    for (int k = 0; k < 6; k++) {
        int i = sign > 0 ? k : 5 - k;
        if (!own[i]) hang(s, p, i < 3 ? LM_LINK_TURN : LM_LINK_SLIDE, i % 3, v);
    }
}

static void hang_gap(start *s, start_place *p, int j, int sign)
{
    start_joint *joint = &s->joint[j];
    if (joint->open[0] == 0 && joint->open[1] == 0 && joint->open[2] == 0) return;
    joint->gap = s->tree.nu;
    for (int k = 0; k < 3; k++)
        hang(s, p, LM_LINK_SLIDE, k, (start_var){.joint = -1, .coord = -1, .sign = sign});
}

/* ---- joints ---- */

/* The joint's triad and point on one side, on the body as drawn. */
static start_place side_of(const start *s, int j, int side)
{
    const lm_pair *pair = &s->m->pairs[s->m->joints[j].pair];
    int n = pair->node[side];
    if (n < 0) return (start_place){-1, pair->r[side], pair->E[side]};
    const lm_node *node = &s->m->nodes[n];
    lm_m3 R = quat_m3(node->q);
    lm_v3 x = v3_add(node->x, m3_v(&R, pair->r[side]));
    return (start_place){-1, v3_sub(x, s->out->body[node->body].drawn), m3_mul(&R, &pair->E[side])};
}

/* From point a to point b in the triad as drawn, of which joints whose points meet close some parts. */
static lm_v3 drawn_apart(const start *s, int j, double open[3])
{
    start_place e[2] = {side_of(s, j, 0), side_of(s, j, 1)};
    lm_joint_type type = s->m->joints[j].type;
    lm_v3 x[2], zero = v3(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        int b = s->joint[j].body[k];
        x[k] = v3_add(e[k].x, b < 0 ? zero : s->out->body[b].drawn);
    }
    lm_v3 d = m3_tv(&e[0].R, v3_sub(x[1], x[0])), gap = d;
    if (type == LM_JOINT_PRISMATIC || type == LM_JOINT_PLANAR || type == LM_JOINT_DISTANCE)
        gap = zero;
    if (type == LM_JOINT_CYLINDRICAL || type == LM_JOINT_INLINE) gap.z = 0;
    if (v3_norm(gap) <= 1e-12 * s->L) return d;
    v3_put(open, gap);
    return v3_sub(d, gap);
}

/* The place goes through the joint from its side `from` to the other. */
static void pass(start *s, int j, int from, start_place *p)
{
    start_place in = side_of(s, j, from), out = side_of(s, j, !from);
    start_joint *joint = &s->joint[j];
    int sign = from == 0 ? 1 : -1;
    lm_v3 keep = drawn_apart(s, j, joint->open);
    joint->sign = sign;
    joint->first = s->tree.nu;
    joint->span = keep;
    shift(p, in.x);
    rotate(p, &in.R);
    if (sign > 0) shift(p, keep), hang_gap(s, p, j, sign), joint->first = s->tree.nu;
    int springs = s->m->spec->joints.at[j].compliant && s->m->spec->velocities.n > 0;
    if (s->m->joints[j].type == LM_JOINT_DISTANCE)
        hang_six(s, p, j, sign);
    else {
        if (springs && sign < 0) hang_springs(s, p, j, sign);
        hang_links(s, p, j, sign);
        if (springs && sign > 0) hang_springs(s, p, j, sign);
    }
    joint->nu = s->tree.nu - joint->first;
    if (sign < 0) hang_gap(s, p, j, sign), shift(p, v3_neg(keep));
    lm_m3 back = m3_t(&out.R);
    rotate(p, &back);
    shift(p, v3_neg(out.x));
}

/* A distance keeps the length it is drawn with, unless it is driven or yields. */
static void note_length(start *s, int j)
{
    start_joint *joint = &s->joint[j];
    start_var v = {0};
    if (s->m->joints[j].type != LM_JOINT_DISTANCE) return;
    note_given(s, j, 0, &v);
    int free = s->m->spec->joints.at[j].compliant;
    joint->length[START_VALUE] = v3_norm(joint->span);
    for (int i = 0; i < 2; i++)
        if (v.set[i] == START_BY_DRIVE || (v.set[i] && free)) joint->length[i] += v.target[i];
}

/* ---- the tree ---- */

static void place_body(start *s, int body, int up, int by, start_place p)
{
    s->up[body] = up;
    s->by[body] = by;
    s->depth[body] = up < 0 ? 1 : s->depth[up] + 1;
    s->at[body] = p;
    s->order[s->norder++] = body;
}

/* Joints on the body v, -1: the ground, to bodies that have no place yet. */
static void visit(start *s, const int *first, const int *list, int v)
{
    for (int k = first[v + 1]; k < first[v + 2]; k++) {
        int j = list[k], from = s->joint[j].body[0] == v ? 0 : 1;
        int other = s->joint[j].body[!from];
        if (other < 0 || s->depth[other] > 0) continue;
        start_place p = v < 0 ? ground() : s->at[v];
        pass(s, j, from, &p);
        s->joint[j].chord = 0;
        place_body(s, other, v, j, p);
    }
}

static void spread(start *s, const int *first, const int *list, int done)
{
    while (done < s->norder) visit(s, first, list, s->order[done++]);
}

/* A body that nothing holds stays where it is drawn, and others of its part move against it. */
static void hang_base(start *s, int body)
{
    start_place p = {-1, s->out->body[body].drawn, m3_identity()};
    int by = s->nall++;
    s->joint[by] =
        (start_joint){.body = {-1, body}, .gap = -1, .first = s->tree.nu, .nu = 6, .sign = 1};
    s->joint[by].group[0] = s->joint[by].group[1] = by;
    hang_six(s, &p, by, 1);
    place_body(s, body, -1, by, p);
}

/* Which one that is shall not depend on the order of the bodies: the first in the joints that none of them
 * names second; else the first that is named. */
static void grow_free(start *s, const int *first, const int *list, const unsigned char *second)
{
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < s->nj; j++)
            for (int side = 0; side < 2; side++) {
                int b = s->joint[j].body[side], done = s->norder;
                if (b < 0 || s->depth[b] > 0 || (pass == 0 && second[b])) continue;
                hang_base(s, b);
                spread(s, first, list, done);
            }
    for (int b = 0; b < s->m->nbodies; b++)
        if (!s->depth[b]) hang_base(s, b);
}

/* Joints of each body in compressed lists, the ground first. */
static void list_joints(const start *s, int *first, int *list)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < s->nj; j++)
            for (int e = 0; e < 2; e++) {
                int v = s->joint[j].body[e] + 1;
                if (pass == 0)
                    first[v + 2]++;
                else /* ends with first[v + 1] = end of v */
                    list[first[v + 1]++] = j;
            }
        for (int v = 0; v <= s->m->nbodies + 1 && pass == 0; v++) first[v + 1] += first[v];
    }
}

/* Both bodies of a chord and all joints between them are found together. */
static void unite_loop(start *s, int j)
{
    int a = s->joint[j].body[0], b = s->joint[j].body[1];
    while (a != b) {
        int da = a < 0 ? 0 : s->depth[a], db = b < 0 ? 0 : s->depth[b], *deep = da > db ? &a : &b;
        for (int what = 0; what < 2; what++) start_unite(s, j, s->by[*deep], what);
        *deep = s->up[*deep];
    }
}

static void close_loop(start *s, int j)
{
    int a = s->joint[j].body[0], b = s->joint[j].body[1];
    start_place end = a < 0 ? ground() : s->at[a], other = b < 0 ? ground() : s->at[b];
    pass(s, j, 0, &end);
    start_place on = side_of(s, j, 1);
    /* where the joint's point is on b, by the two ways */
    shift(&end, on.x), rotate(&end, &on.R);
    shift(&other, on.x), rotate(&other, &on.R);
    s->joint[j].tip[0] = lm_kintree_tip(&s->tree, end.link, end.x, end.R);
    s->joint[j].tip[1] = lm_kintree_tip(&s->tree, other.link, other.x, other.R);
    unite_loop(s, j);
}

/* A body whose velocity is given moves by all joints on its way to the ground. */
static void unite_given(start *s)
{
    const lm_spec *spec = s->m->spec;
    int base = -1;
    for (int k = 0; k < spec->velocities.n; k++) {
        int b = spec->velocities.at[k].body, last = s->by[b];
        for (; b >= 0; b = s->up[b]) start_unite(s, last, s->by[b], START_RATE);
        if (base >= 0) start_unite(s, base, last, START_RATE);
        base = last;
    }
    for (int b = 0; b < s->m->nbodies && spec->velocities.n; b++) {
        s->tip[b] = lm_kintree_tip(&s->tree, s->at[b].link, s->at[b].x, s->at[b].R);
        if (spec->project) start_unite(s, base, s->by[b], START_RATE);
    }
    for (int k = 0; k < spec->velocities.n; k++)
        s->joint[start_root(s, base, START_RATE)].solved[START_RATE] = 1;
}

static void note_solved(start *s)
{
    for (int j = 0; j < s->nj; j++)
        for (int what = 0; s->joint[j].chord && what < 2; what++)
            s->joint[start_root(s, j, what)].solved[what] = 1;
}

static void describe_joints(start *s, unsigned char *second)
{
    for (int j = 0; j < s->nj; j++) {
        const lm_pair *pair = &s->m->pairs[s->m->joints[j].pair];
        start_joint *joint = &s->joint[j];
        *joint = (start_joint){.gap = -1, .chord = 1, .group = {j, j}, .tip = {-1, -1}};
        for (int e = 0; e < 2; e++)
            joint->body[e] = pair->node[e] < 0 ? -1 : s->m->nodes[pair->node[e]].body;
        if (joint->body[1] >= 0) second[joint->body[1]] = 1;
    }
}

static int reserve(start *s, int **first, int **list, unsigned char **second)
{
    lm_arena *a = &s->arena;
    int nb = s->m->nbodies;
    s->nj = s->nall = s->m->spec->joints.n;
    s->joint = LM_NEW_N(a, start_joint, s->nj + nb + 1);
    s->up = LM_NEW_N(a, int, nb + 1), s->by = LM_NEW_N(a, int, nb + 1);
    s->depth = LM_NEW_N(a, int, nb + 1), s->order = LM_NEW_N(a, int, nb + 1);
    s->at = LM_NEW_N(a, start_place, nb + 1), s->tip = LM_NEW_N(a, int, nb + 1);
    *first = LM_NEW_N(a, int, nb + 4), *list = LM_NEW_N(a, int, 2 * s->nj + 1);
    *second = LM_NEW_N(a, unsigned char, nb + 1);
    int scratch = 1;
    for (int j = 0; j < s->nj; j++)
        for (int c = 0; c < LM_JOINT_COORDS; c++) {
            const lm_spec_coord *k = &s->m->spec->joints.at[j].coord[c];
            if (!k->has_drive) continue;
            int need = lm_expr_scratch(&k->drive, 2);
            scratch = need > scratch ? need : scratch;
        }
    s->du = LM_NEW_N(a, double, scratch);
    return 0;
}

static void grow(start *s)
{
    int *first, *list;
    unsigned char *second;
    reserve(s, &first, &list, &second);
    describe_joints(s, second);
    list_joints(s, first, list);
    visit(s, first, list, -1);
    spread(s, first, list, 0);
    grow_free(s, first, list, second);
    for (int j = 0; j < s->nj; j++)
        if (s->joint[j].chord) close_loop(s, j);
    for (int j = 0; j < s->nj; j++) note_length(s, j);
    note_solved(s);
    unite_given(s);
}

int start_grow(start *s)
{
    jmp_buf oom;
    s->tree.arena = &s->arena;
    s->arena.on_fail = &oom;
    if (setjmp(oom)) {
        s->arena.on_fail = NULL;
        return -1;
    }
    grow(s);
    lm_kintree_finish(&s->tree);
    s->p = LM_NEW_N(&s->arena, double, s->tree.np + 1);
    s->du = LM_NEW_N(&s->arena, double, s->tree.nu + 1);
    s->arena.on_fail = NULL;
    return 0;
}
