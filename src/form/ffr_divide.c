/* Beams divided into straight parts, each a body with a floating frame, welded to one another: at the
 * corners of an axis, and into as many as `substructures` says. Where a part ends and the next begins, the
 * node of the model stays with the first and gets a twin, the frame of the second. */
#include "form/ffr.h"

#include <stdio.h>
#include <string.h>

/* The work in a part grows with the cube of its elements, that of welds with their number: where nothing else
 * is said, parts have at most so many. */
enum { ELEMENTS_PER_PART = 8 };

/* Axes of an element as drawn. */
static lm_m3 drawn_axes(const lm_model *m, const lm_element *e)
{
    lm_m3 R = quat_m3(m->nodes[e->node[0]].q);
    return m3_mul(&R, &e->A[0]);
}

/* 1: the axis has a corner, or the sections a jump in attitude, between two elements. */
static int corner(const lm_model *m, int element)
{
    lm_m3 a = drawn_axes(m, &m->elements[element - 1]), b = drawn_axes(m, &m->elements[element]);
    double most = 0;
    for (int i = 0; i < 9; i++) most = fmax(most, fabs(a.m[i] - b.m[i]));
    return most > 1e-9;
}

/* 1: a new part of the beam begins with its k-th element. Modes know what acts on a part's ends; a joint
 * further inside would find too few of them to move by. */
static int begins(const lm_model *m, const lm_beam *b, const unsigned char *joined, int k)
{
    const int *found = m->spec->formulation.frames;
    int parts = found ? found[b - m->beams] : 0;
    if (parts == 0) parts = m->spec->formulation.substructures;
    if (k == 0) return 1;
    if (m->spec->formulation.basis_modes && joined[m->elements[b->first_element + k].node[0]])
        return 1;
    if (parts == 0) parts = (b->nelements + ELEMENTS_PER_PART - 1) / ELEMENTS_PER_PART;
    if (parts > b->nelements) parts = b->nelements;
    return k * parts / b->nelements != (k - 1) * parts / b->nelements ||
           corner(m, b->first_element + k);
}

static int list_parts(ffr_division *d, const lm_model *m)
{
    unsigned char *joined = LM_NEW_N(&d->arena, unsigned char, m->nnodes);
    d->part = LM_NEW_N(&d->arena, ffr_part, m->nelements);
    if (!d->part || !joined) return -1;
    for (int j = 0; j < m->njoints; j++)
        for (int e = 0; e < 2 && m->joints[j].nrows; e++) {
            int node = m->pairs[m->joints[j].pair].node[e];
            if (node >= 0) joined[node] = 1;
        }
    for (int i = 0; i < m->nbodies; i++)
        for (int k = 0; k < m->beams[i].nelements; k++) {
            if (begins(m, &m->beams[i], joined, k))
                d->part[d->nparts++] =
                    (ffr_part){.body = i, .first = m->beams[i].first_element + k};
            d->part[d->nparts - 1].n++;
        }
    return 0;
}

/* ---- welds ---- */

static int reserve(ffr_division *d, const lm_model *from, int welds)
{
    lm_arena *a = &d->arena;
    lm_model *m = &d->model;
    m->nodes = LM_NEW_N(a, lm_node, from->nnodes + welds);
    m->elements = LM_NEW_N(a, lm_element, from->nelements);
    m->pairs = LM_NEW_N(a, lm_pair, from->npairs + welds);
    m->joints = LM_NEW_N(a, lm_joint, from->njoints + from->nelements);
    m->rows = LM_NEW_N(a, lm_row, from->nrows + 6 * welds);
    d->twin = LM_NEW_N(a, int, welds);
    if (!m->nodes || !m->elements || !m->pairs || !m->joints || !m->rows || !d->twin) return -1;
    memcpy(m->nodes, from->nodes, sizeof *m->nodes * (size_t)from->nnodes);
    memcpy(m->elements, from->elements, sizeof *m->elements * (size_t)from->nelements);
    memcpy(m->pairs, from->pairs, sizeof *m->pairs * (size_t)from->npairs);
    memcpy(m->joints, from->joints, sizeof *m->joints * (size_t)from->njoints);
    return 0;
}

static const struct {
    lm_measure measure;
    int i;
    const char *what;
} weld_row[6] = {{LM_POINT, 0, "force x"},       {LM_POINT, 1, "force y"},
                 {LM_POINT, 2, "force z"},       {LM_ANTI, 0, "moment about x"},
                 {LM_ANTI, 1, "moment about y"}, {LM_ANTI, 2, "moment about z"}};

static int weld(ffr_division *d, int joint, int element)
{
    lm_model *m = &d->model;
    int old = m->elements[element].node[0], twin = m->nnodes++, pair = m->npairs++;
    const char *beam = m->bodies[m->nodes[old].body].name;
    size_t size = strlen(beam) + 32;
    char *name = lm_arena_alloc(&d->arena, size);
    if (!name) return -1;
    snprintf(name, size, "%s, weld at its element %d", beam,
             element - m->beams[m->nodes[old].body].first_element + 1);
    m->nodes[twin] = m->nodes[old];
    m->elements[element].node[0] = twin;
    d->twin[twin - d->drawn] = old;
    m->pairs[pair] = (lm_pair){.node = {old, twin}, .E = {m3_identity(), m3_identity()}};
    m->joints[joint] = (lm_joint){.name = name,
                                  .type = LM_JOINT_FIXED,
                                  .pair = pair,
                                  .first_coord = -1,
                                  .first_row = m->nrows,
                                  .nrows = 6};
    for (int k = 0; k < 6; k++)
        m->rows[m->nrows++] = (lm_row){.joint = joint,
                                       .measure = weld_row[k].measure,
                                       .i = weld_row[k].i,
                                       .coord = -1,
                                       .initial = -1,
                                       .what = weld_row[k].what};
    return 0;
}

/* Joints of the model, a place for each element's weld, then the rows of initial values. */
static int join(ffr_division *d, const lm_model *from)
{
    lm_model *m = &d->model;
    m->nrows = 0;
    for (int k = 0; k < from->nrows; k++)
        if (from->rows[k].initial < 0) m->rows[m->nrows++] = from->rows[k];
    for (int k = 0; k < m->nelements; k++)
        m->joints[from->njoints + k] = (lm_joint){.name = "", .pair = 0, .first_coord = -1};
    for (int p = 0; p < d->nparts; p++)
        if (d->part[p].first != m->beams[d->part[p].body].first_element &&
            weld(d, from->njoints + d->part[p].first, d->part[p].first))
            return -1;
    m->njoints += m->nelements;
    for (int k = 0; k < from->nrows; k++)
        if (from->rows[k].initial >= 0) m->rows[m->nrows++] = from->rows[k];
    return 0;
}

/* ---- where moments bend a beam ---- */

/* Axes of the beam's sections about which a node is turned by moments: ABOUT_Z bends along y, ... */
enum { ABOUT_Z = 1, ABOUT_Y = 2, ABOUT_BOTH = 3 };

/* A hinge leaves its axis free, unless something acts along it. */
static int free_axis(const lm_model *m, const lm_joint *j, const lm_pair *p, int side,
                     const lm_m3 *axes)
{
    lm_m3 R = p->node[side] < 0 ? m3_identity() : quat_m3(m->nodes[p->node[side]].q);
    lm_v3 hinge = m3_v(&R, m3_col(&p->E[side], 2));
    if (j->type != LM_JOINT_REVOLUTE && j->type != LM_JOINT_CYLINDRICAL) return 0;
    for (int k = 0; k < j->nactions; k++)
        if (lm_measure_is_rotation(m->actions[j->first_action + k].measure)) return 0;
    for (int k = 0; k < j->nrows; k++)
        if (m->rows[j->first_row + k].drive) return 0;
    if (fabs(v3_dot(hinge, m3_col(axes, 2))) > 1 - 1e-9) return ABOUT_Z;
    return fabs(v3_dot(hinge, m3_col(axes, 1))) > 1 - 1e-9 ? ABOUT_Y : 0;
}

static int turns_by_joint(const lm_model *m, const lm_joint *j, const lm_pair *p, int side,
                          const lm_m3 *axes)
{
    int turns = 0;
    if (v3_norm(p->r[side]) > 0) return ABOUT_BOTH; /* forces have an arm */
    for (int k = 0; k < j->nrows; k++)
        turns |= lm_measure_is_rotation(m->rows[j->first_row + k].measure);
    for (int k = 0; k < j->nactions; k++)
        turns |= lm_measure_is_rotation(m->actions[j->first_action + k].measure);
    return turns ? ABOUT_BOTH & ~free_axis(m, j, p, side, axes) : 0;
}

/* Marks of all nodes, by joints, forces and loads. */
static void mark_turned(const lm_model *m, unsigned char *turned, const lm_m3 *axes)
{
    for (int j = 0; j < m->njoints; j++) {
        const lm_pair *p = &m->pairs[m->joints[j].pair];
        for (int e = 0; e < 2 && m->joints[j].nrows + m->joints[j].nactions; e++)
            if (p->node[e] >= 0)
                turned[p->node[e]] |=
                    (unsigned char)turns_by_joint(m, &m->joints[j], p, e, &axes[p->node[e]]);
    }
    for (int k = 0; k < m->nactions; k++) {
        const lm_pair *p = &m->pairs[m->actions[k].pair];
        int whole = m->actions[k].coord_index < 0 && lm_measure_is_rotation(m->actions[k].measure);
        for (int e = 0; e < 2; e++)
            if (p->node[e] >= 0 && (whole || v3_norm(p->r[e]) > 0)) turned[p->node[e]] = ABOUT_BOTH;
    }
    for (int k = 0; k < m->spec->loads.n; k++) {
        const lm_spec_load *l = &m->spec->loads.at[k];
        const lm_frame *f = &m->frames[l->frame];
        if (f->node >= 0 && (l->has_torque || v3_norm(f->r) > 0)) turned[f->node] = ABOUT_BOTH;
    }
}

/* EI/GA of an element by its stiffness EI/(L (1 + P)) (4 + P, 2 - P), P = 12 EI/(GA L^2). */
static double shear_length2(const double k[3], double L)
{
    double p = 3 * (k[0] + k[2] - 2 * k[1]) / (k[0] + k[2] + 2 * k[1]) - 1;
    return p * L * L / 12;
}

/* 1/GA = shear_length2 / EI. */
static double bending(const double k[3], double L) { return (k[0] + k[2] - 2 * k[1]) * L / 4; }

/* Of an element, with squares of lengths that are not yet divided by that of the beam. */
static ffr_unlike unlike(const lm_beam_shape *s, int timoshenko)
{
    double EIz = bending(s->kz, s->L), EIy = bending(s->ky, s->L);
    double z = shear_length2(s->kz, s->L), y = shear_length2(s->ky, s->L);
    double differ = timoshenko ? fabs(z / EIz - y / EIy) : 0;
    return (ffr_unlike){.bending = fabs(EIz - EIy) / (EIz + EIy),
                        .thin = fabs(EIz - EIy) / (s->kt * s->L),
                        .weak = EIy < EIz,
                        .shear = differ * 2 / (1 / EIz + 1 / EIy),
                        .soft = fmax(fmin(y, z), 0)};
}

static ffr_unlike most_unlike(const lm_model *m, int body, double *length)
{
    const lm_beam *b = &m->beams[body];
    ffr_unlike most = {.soft = INFINITY};
    *length = 0;
    for (int k = b->first_element; k < b->first_element + b->nelements; k++) {
        ffr_unlike of = unlike(&m->elements[k].shape, m->spec->bodies.at[body].timoshenko);
        most.bending = fmax(most.bending, of.bending);
        if (of.thin > most.thin) most.thin = of.thin, most.weak = of.weak;
        most.shear = fmax(most.shear, of.shear);
        most.soft = fmin(most.soft, of.soft);
        *length += m->elements[k].shape.L;
    }
    most.shear /= *length * *length;
    most.soft /= *length * *length;
    return most;
}

ffr_unlike ffr_unlike_of(const lm_model *m, const ffr_division *d, int body)
{
    double length;
    ffr_unlike of = most_unlike(m, body, &length);
    of.slopes = 1;
    for (int p = 0; p < d->nparts; p++)
        for (int k = 1; k <= d->part[p].n && d->part[p].body == body; k++)
            of.slopes &= d->part[p].turned[k] == ABOUT_BOTH;
    return of;
}

/* A spline takes its slopes from the equilibrium of elastic moments alone. In Timoshenko's theory other moments
 * turn the sections against the axis: those of their own inertia, which no finer mesh makes smaller; of axial forces
 * on a beam that is soft in shear, as EI/(GA L^2) tells; and twist those of one with two shear stiffnesses. Their
 * slopes are coordinates then. At 0.01 a rectangular section is a fifth of the length high. */
static int slopes_are_free(const lm_model *m, int body)
{
    const lm_beam *b = &m->beams[body];
    double most = 0, length, inertia = 0;
    int differs = most_unlike(m, body, &length).shear > 0.0003;
    for (int k = b->first_element; k < b->first_element + b->nelements; k++) {
        const lm_beam_shape *s = &m->elements[k].shape;
        most = fmax(most, fmax(shear_length2(s->kz, s->L), shear_length2(s->ky, s->L)));
        inertia = fmax(inertia, s->mt[0] + s->mt[2]);
    }
    return m->spec->bodies.at[body].timoshenko &&
           (inertia > 0 || most > 0.01 * length * length || differs);
}

static void free_slopes(const lm_model *m, const ffr_part *p, unsigned char *turned)
{
    if (m->spec->formulation.basis_modes || !slopes_are_free(m, p->body)) return;
    for (int k = 1; k <= p->n; k++) turned[k] = ABOUT_BOTH;
}

static int list_turned(ffr_division *d)
{
    const lm_model *m = &d->model;
    lm_arena temp = {0};
    unsigned char *turned = LM_NEW_N(&temp, unsigned char, m->nnodes);
    lm_m3 *axes = LM_NEW_N(&temp, lm_m3, m->nnodes);
    int failed = !turned || !axes;
    for (int k = 0; k < m->nelements && !failed; k++)
        for (int e = 0; e < 2; e++) {
            lm_m3 R = quat_m3(m->nodes[m->elements[k].node[e]].q);
            axes[m->elements[k].node[e]] = m3_mul(&R, &m->elements[k].A[e]);
        }
    if (!failed) mark_turned(m, turned, axes);
    for (int p = 0; p < d->nparts && !failed; p++) {
        const lm_element *e = &m->elements[d->part[p].first];
        unsigned char *own = LM_NEW_N(&d->arena, unsigned char, d->part[p].n + 1);
        failed = !own;
        for (int k = 0; k < d->part[p].n && own; k++) own[k + 1] = turned[e[k].node[1]];
        if (own) free_slopes(m, &d->part[p], own);
        d->part[p].turned = own;
    }
    lm_arena_free(&temp);
    return failed ? -1 : 0;
}

ffr_division *ffr_divide(const lm_model *m)
{
    lm_arena arena = {0};
    ffr_division *d = LM_NEW(&arena, ffr_division);
    if (!d) return NULL;
    d->arena = arena;
    d->model = *m;
    d->drawn = m->nnodes;
    int failed = list_parts(d, m), beams = 0;
    for (int i = 0; i < m->nbodies; i++) beams += m->beams[i].nelements > 0;
    if (!failed && d->nparts > beams) failed = reserve(d, m, d->nparts - beams) || join(d, m);
    if (!failed && !list_turned(d)) return d;
    ffr_division_free(d);
    return NULL;
}

void ffr_division_free(ffr_division *d)
{
    if (!d) return;
    lm_arena arena = d->arena;
    lm_arena_free(&arena);
}
