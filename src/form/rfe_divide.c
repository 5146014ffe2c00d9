/* Beams divided into rigid elements and springs. */
#include "form/rfe.h"

#include <stdio.h>
#include <string.h>

/* ---- what a division weighs and how it yields ---- */

/* Flexibility of a length: integrals of 1/EIy, ... over it. */
typedef struct flexibility {
    double turn[3];  /* about y, z, x */
    double shift[3]; /* along y, z, x */
} flexibility;

/* Gauss' rule with five points on 0..1. */
static const double gauss_x[5] = {0.04691007703066800, 0.23076534494715845, 0.5,
                                  0.76923465505284155, 0.95308992296933200};
static const double gauss_w[5] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                  0.23931433524968324, 0.11846344252809454};

/* Shear by Timoshenko's theory only; rigid in shear: 0. */
static void add_flexibility(flexibility *f, const lm_section *c, int shear, double ds)
{
    const double turn[3] = {c->EIy, c->EIz, c->GJ};
    for (int i = 0; i < 3; i++) f->turn[i] += ds / turn[i];
    f->shift[0] += shear ? ds / c->GAy : 0;
    f->shift[1] += shear ? ds / c->GAz : 0;
    f->shift[2] += ds / c->EA;
}

/* Mass, static moment and inertia about the node, node axes, of a slice at r with the axes A. */
typedef struct weight {
    double mass;
    lm_v3 moment;
    lm_m3 J;
    double spin, length; /* inertia about the axis of its slices, length of beam */
    lm_v3 axis;
} weight;

static void add_slice(weight *w, const lm_section *c, lm_v3 r, const lm_m3 *A, double ds)
{
    double m = c->rhoA * ds;
    double own[3] = {ds * (c->rhoIy + c->rhoIz), ds * c->rhoIy, ds * c->rhoIz};
    w->mass += m;
    w->spin += own[0];
    w->length += ds;
    w->axis = m3_col(A, 0);
    w->moment = v3_add(w->moment, v3_mul(m, r));
    lm_m3 steiner = m3_scale(-m, m3_skew_skew(r, r));
    w->J = m3_add(w->J, steiner);
    for (int i = 0; i < 3; i++) {
        lm_v3 e = m3_col(A, i);
        w->J = m3_add(w->J, m3_scale(own[i], m3_outer(e, e)));
    }
}

/* The half of an element at its end `e`: to the weight of that end's node and the flexibility. */
static void add_half(const lm_model *m, const lm_element *el, int e, double *scratch, weight *w,
                     flexibility *f)
{
    int body = m->nodes[el->node[0]].body, shear = m->spec->bodies.at[body].timoshenko;
    double half = 0.5 * el->shape.L, sign = e ? -1 : 1;
    for (int k = 0; k < 5; k++) {
        double x = half * gauss_x[k], ds = half * gauss_w[k]; /* from the node */
        double part = x / el->shape.L, at = e ? 1 - part : part;
        lm_section c;
        lm_beam_section(m, body, el->s[0] + at * (el->s[1] - el->s[0]), scratch, &c);
        add_flexibility(f, &c, shear, ds);
        add_slice(&w[el->node[e]], &c, v3_mul(sign * x, m3_col(&el->A[e], 0)), &el->A[e], ds);
    }
}

static nodal_lump lump_of(int node, const weight *w)
{
    nodal_lump l = {.node = node, .mass = w->mass, .J = w->J, .axis = w->axis};
    if (w->spin == 0) l.spare = 0.01 * w->mass * w->length * w->length;
    if (w->mass == 0) return l;
    l.c = v3_mul(1 / w->mass, w->moment);
    lm_m3 steiner = m3_scale(w->mass, m3_skew_skew(l.c, l.c));
    l.J = m3_add(l.J, steiner);
    return l;
}

static int weigh(nodal_division *d, flexibility *f)
{
    const lm_model *m = &d->model;
    lm_arena temp = {0};
    double *scratch = LM_NEW_N(&temp, double, m->section_scratch + 1);
    weight *w = LM_NEW_N(&temp, weight, m->nnodes);
    int failed = !scratch || !w;
    for (int k = 0; k < m->nelements && !failed; k++)
        for (int e = 0; e < 2; e++) add_half(m, &m->elements[k], e, scratch, w, &f[k]);
    for (int n = 0; n < m->nnodes && !failed; n++)
        if (m->beams[m->nodes[n].body].nelements) d->lumps[d->nlumps++] = lump_of(n, &w[n]);
    lm_arena_free(&temp);
    return failed ? -1 : 0;
}

/* ---- joints and springs ---- */

/* What the measures of a spring-damper element are called; its third axis is the beam's. */
static const char *const force_names[3] = {"force x", "force y", "force z"};
static const char *const across_names[2] = {"force along y", "force along z"};

/* Point and triad (y, z, x of the element) in the middle of the element, on both of its nodes. `back`:
 * the second node is a, on whose axis an inline joint slides. */
static void middle_pair(const lm_element *e, int back, lm_pair *p)
{
    for (int i = 0; i < 2; i++) {
        lm_v3 x = m3_col(&e->A[i], 0);
        int side = back ? !i : i;
        p->node[side] = e->node[i];
        p->r[side] = v3_mul((i ? -0.5 : 0.5) * e->shape.L, x);
        p->E[side] = m3_cols(m3_col(&e->A[i], 1), m3_col(&e->A[i], 2), x);
    }
}

static void add_row(lm_model *m, int joint, lm_measure measure, int i, const char *what)
{
    m->rows[m->nrows++] = (lm_row){
        .joint = joint, .measure = measure, .i = i, .coord = -1, .initial = -1, .what = what};
    m->joints[joint].nrows++;
}

static void add_spring(lm_model *m, int joint, lm_measure measure, int i, double stiffness,
                       double damping)
{
    const lm_joint *j = &m->joints[joint];
    m->actions[m->nactions++] = (lm_action){.owner = j->name,
                                            .pair = j->pair,
                                            .measure = measure,
                                            .i = i,
                                            .stiffness = stiffness,
                                            .damping = damping,
                                            .coord_index = -1};
    m->joints[joint].nactions++;
}

/* The element's spring-damper element: `all` yields along and, by Timoshenko's theory, across. */
static void join_middle(lm_model *m, int joint, const flexibility *f, int all, double beta)
{
    lm_joint *j = &m->joints[joint];
    int across = all && f->shift[0] > 0 && f->shift[1] > 0;
    j->first_row = m->nrows;
    j->first_action = m->nactions;
    j->type = all ? LM_JOINT_INLINE : LM_JOINT_SPHERICAL;
    if (!all)
        for (int i = 0; i < 3; i++) add_row(m, joint, LM_POINT, i, force_names[i]);
    else if (!across)
        for (int i = 0; i < 2; i++) add_row(m, joint, LM_ALONG, i, across_names[i]);
    for (int i = 0; i < 3; i++)
        add_spring(m, joint, LM_ROTVEC, i, 1 / f->turn[i], beta / f->turn[i]);
    for (int i = across ? 0 : 2; i < 3 && all; i++)
        add_spring(m, joint, across ? LM_MEAN : LM_ALONG, i, 1 / f->shift[i], beta / f->shift[i]);
}

static int name_middle(nodal_division *d, int element, lm_joint *j)
{
    const lm_model *m = &d->model;
    const lm_body *b = &m->bodies[m->nodes[m->elements[element].node[0]].body];
    int k = element - m->beams[b - m->bodies].first_element;
    size_t size = strlen(b->name) + 32;
    char *name = lm_arena_alloc(&d->arena, size);
    if (!name) return -1;
    snprintf(name, size, "%s, spring %d", b->name, k + 1);
    j->name = name;
    return 0;
}

/* The rows and actions of a joint of the model; rows become springs where the rule says so. */
static void copy_joint(lm_model *m, const lm_model *from, int joint, const rfe_rule *rule)
{
    lm_joint *j = &m->joints[joint];
    int first = m->nrows, own = m->nactions, spring = rule->spring && rule->spring[joint];
    for (int k = 0; k < from->joints[joint].nactions; k++)
        m->actions[m->nactions++] = from->actions[from->joints[joint].first_action + k];
    for (int k = 0; k < from->joints[joint].nrows; k++) {
        const lm_row *r = &from->rows[from->joints[joint].first_row + k];
        if (!spring || r->drive) {
            m->rows[m->nrows++] = *r;
            continue;
        }
        m->actions[m->nactions++] =
            (lm_action){.owner = j->name,
                        .pair = j->pair,
                        .measure = r->measure,
                        .i = r->i,
                        .j = r->j,
                        .offset = r->offset,
                        .stiffness = rule->stiffness[lm_measure_is_rotation(r->measure)],
                        .coord_index = -1};
    }
    j->first_row = first, j->nrows = m->nrows - first;
    j->first_action = own, j->nactions = m->nactions - own;
}

/* A joint in the middle of an element, or springs in its place. */
static void spring_middle(lm_model *m, int joint, const rfe_rule *rule)
{
    lm_joint *j = &m->joints[joint];
    if (!rule->spring || !rule->spring[joint]) return;
    for (int k = 0; k < j->nrows; k++) {
        const lm_row *r = &m->rows[j->first_row + k];
        add_spring(m, joint, r->measure, r->i, rule->stiffness[0], 0);
    }
    m->nrows -= j->nrows;
    j->nrows = 0;
}

/* Actions of springs and bushings: those of no joint. */
static int copy_forces(lm_model *m, const lm_model *from)
{
    lm_arena temp = {0};
    unsigned char *joined = LM_NEW_N(&temp, unsigned char, from->nactions);
    for (int j = 0; j < from->njoints && joined; j++)
        for (int k = 0; k < from->joints[j].nactions; k++)
            joined[from->joints[j].first_action + k] = 1;
    for (int k = 0; k < from->nactions && joined; k++)
        if (!joined[k]) m->actions[m->nactions++] = from->actions[k];
    int failed = !joined;
    lm_arena_free(&temp);
    return failed ? -1 : 0;
}

static int join(nodal_division *d, const lm_model *from, const flexibility *f, const rfe_rule *rule)
{
    lm_model *m = &d->model;
    for (int j = 0; j < from->njoints; j++) copy_joint(m, from, j, rule);
    for (int k = 0; k < m->nelements; k++) {
        int joint = from->njoints + k, pair = from->npairs + k;
        m->joints[joint] = (lm_joint){.pair = pair, .first_coord = -1}; /* it has none */
        const lm_beam *beam = &m->beams[m->nodes[m->elements[k].node[0]].body];
        middle_pair(&m->elements[k], (k - beam->first_element) % 2, &m->pairs[pair]);
        if (name_middle(d, k, &m->joints[joint])) return -1;
        join_middle(m, joint, &f[k], rule->all, beam->damping_stiffness);
        spring_middle(m, joint, rule);
    }
    m->njoints += m->nelements, m->npairs += m->nelements;
    for (int k = 0; k < from->nrows; k++)
        if (from->rows[k].initial >= 0) m->rows[m->nrows++] = from->rows[k];
    return copy_forces(m, from);
}

/* ---- making ---- */

static int reserve(nodal_division *d, const lm_model *from)
{
    lm_arena *a = &d->arena;
    lm_model *m = &d->model;
    int n = from->nelements;
    m->pairs = LM_NEW_N(a, lm_pair, from->npairs + n);
    m->joints = LM_NEW_N(a, lm_joint, from->njoints + n);
    m->rows = LM_NEW_N(a, lm_row, from->nrows + 3 * n);
    m->actions = LM_NEW_N(a, lm_action, from->nactions + from->nrows + 9 * n);
    d->lumps = LM_NEW_N(a, nodal_lump, from->nnodes);
    if (!m->pairs || !m->joints || !m->rows || !m->actions || !d->lumps) return -1;
    memcpy(m->pairs, from->pairs, sizeof *m->pairs * (size_t)from->npairs);
    memcpy(m->joints, from->joints, sizeof *m->joints * (size_t)from->njoints);
    m->nrows = m->nactions = 0;
    return 0;
}

nodal_division *rfe_divide(const lm_model *m, const rfe_rule *rule)
{
    lm_arena arena = {0};
    nodal_division *d = LM_NEW(&arena, nodal_division);
    if (!d) return NULL;
    d->arena = arena;
    d->model = *m;
    d->first_joint = m->njoints;
    flexibility *f = LM_NEW_N(&d->arena, flexibility, m->nelements);
    if (!f || reserve(d, m) || weigh(d, f) || join(d, m, f, rule)) {
        rfe_division_free(d);
        return NULL;
    }
    return d;
}

void rfe_division_free(nodal_division *d)
{
    if (!d) return;
    lm_arena arena = d->arena;
    lm_arena_free(&arena);
}
