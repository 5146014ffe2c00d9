/* Beams: sections in numbers, and the shapes of the elements. The axis is cut in compile.c. */
#include "model/model.h"

#include <stddef.h>
#include <string.h>

int lm_beam_locate(const lm_model *m, int body, double s, double *xi)
{
    const lm_beam *b = &m->beams[body];
    int low = b->first_element, high = low + b->nelements - 1;
    while (low < high) { /* the last element that begins at or, within rounding, before s */
        int middle = low + (high - low + 1) / 2;
        if (m->elements[middle].s[0] <= s + 1e-12)
            low = middle;
        else
            high = middle - 1;
    }
    const double *at = m->elements[low].s;
    *xi = fmax(0, fmin(1, (s - at[0]) / (at[1] - at[0])));
    return low;
}

/* ---- sections ---- */

typedef struct dimension {
    const char *name;
    size_t offset; /* of its expression in lm_spec_section */
    double absent; /* its value when it is left out */
    int positive;  /* 1: greater than 0, 0: 0 or greater */
} dimension;

enum { DIMENSIONS = 9 };
#define DIM(name) #name, offsetof(lm_spec_section, name)

static const dimension dimensions[][DIMENSIONS + 1] = {
    [LM_SHAPE_RECTANGLE] = {{DIM(height), NAN, 1}, {DIM(width), NAN, 1}},
    [LM_SHAPE_CIRCLE] = {{DIM(radius), NAN, 1}},
    [LM_SHAPE_TUBE] = {{DIM(radius), NAN, 1}, {DIM(thickness), NAN, 1}},
    [LM_SHAPE_BOX] = {{DIM(height), NAN, 1}, {DIM(width), NAN, 1}, {DIM(thickness), NAN, 1}},
    [LM_SHAPE_GENERAL] = {{DIM(A), NAN, 1},
                          {DIM(Iy), NAN, 1},
                          {DIM(Iz), NAN, 1},
                          {DIM(J), NAN, 1},
                          {DIM(ky), 1, 1},
                          {DIM(kz), 1, 1}},
    [LM_SHAPE_STIFFNESS] = {{DIM(EA), NAN, 1},
                            {DIM(EIy), NAN, 1},
                            {DIM(EIz), NAN, 1},
                            {DIM(GJ), NAN, 1},
                            {DIM(GAy), INFINITY, 1},
                            {DIM(GAz), INFINITY, 1},
                            {DIM(rhoA), NAN, 0},
                            {DIM(rhoIy), 0, 0},
                            {DIM(rhoIz), 0, 0}},
};

static const lm_expr *dimension_expr(const lm_spec_section *c, const dimension *d)
{
    return (const lm_expr *)((const char *)c + d->offset);
}

static int is_absent(const lm_expr *e) { return e->constant && isnan(e->value); }

static void dimensions_at(const lm_spec_section *c, double s, double *scratch,
                          double out[DIMENSIONS])
{
    const double slots[LM_SLOT_S + 1] = {[LM_SLOT_S] = s};
    const dimension *d = dimensions[c->shape];
    for (int i = 0; d[i].name; i++) {
        const lm_expr *e = dimension_expr(c, &d[i]);
        out[i] = is_absent(e) ? d[i].absent : lm_expr_eval(e, slots, scratch);
    }
}

static void make_section(const lm_spec *spec, const lm_spec_section *c, const double d[DIMENSIONS],
                         lm_section *out)
{
    lm_elastic m = {0, 0, 0};
    if (c->material >= 0) {
        const lm_spec_material *of = &spec->materials.at[c->material];
        m = (lm_elastic){of->E, of->G, of->rho};
    }
    switch (c->shape) {
    case LM_SHAPE_RECTANGLE: *out = lm_section_rectangle(&m, d[0], d[1]); break;
    case LM_SHAPE_CIRCLE: *out = lm_section_circle(&m, d[0]); break;
    case LM_SHAPE_TUBE: *out = lm_section_tube(&m, d[0], d[1]); break;
    case LM_SHAPE_BOX: *out = lm_section_box(&m, d[0], d[1], d[2]); break;
    case LM_SHAPE_GENERAL: *out = lm_section_general(&m, d[0], d[1], d[2], d[3], d[4], d[5]); break;
    case LM_SHAPE_STIFFNESS:
        *out = lm_section_stiffness((lm_section){.EA = d[0],
                                                 .EIy = d[1],
                                                 .EIz = d[2],
                                                 .GJ = d[3],
                                                 .GAy = d[4],
                                                 .GAz = d[5],
                                                 .rhoA = d[6],
                                                 .rhoIy = d[7],
                                                 .rhoIz = d[8]});
        break;
    }
}

void lm_section_eval(const lm_spec *spec, int section, int end_section, double s, double *scratch,
                     lm_section *out)
{
    const lm_spec_section *c = &spec->sections.at[section];
    double d[DIMENSIONS] = {0}, end[DIMENSIONS] = {0};
    dimensions_at(c, s, scratch, d);
    if (end_section >= 0) {
        dimensions_at(&spec->sections.at[end_section], s, scratch, end);
        for (int i = 0; i < DIMENSIONS; i++)
            if (d[i] != end[i]) d[i] = (1 - s) * d[i] + s * end[i];
    }
    make_section(spec, c, d, out);
}

void lm_beam_section(const lm_model *m, int body, double s, double *scratch, lm_section *out)
{
    const lm_spec_body *b = &m->spec->bodies.at[body];
    lm_section_eval(m->spec, b->section, b->end_section, s, scratch, out);
}

int lm_section_scratch(const lm_spec *spec)
{
    int most = 0;
    for (int i = 0; i < spec->sections.n; i++) {
        const lm_spec_section *c = &spec->sections.at[i];
        for (const dimension *d = dimensions[c->shape]; d->name; d++) {
            int n = lm_expr_scratch(dimension_expr(c, d), 0);
            if (n > most) most = n;
        }
    }
    return most;
}

/* ---- what can be wrong ---- */

/* 1 when an error stands there already: the beams of a repetition share one place. */
static int reported(const lm_diag *diag, lm_loc loc)
{
    for (int i = 0; i < diag->list.n; i++) {
        const lm_message *m = &diag->list.at[i];
        if (m->loc.line == loc.line && m->loc.col == loc.col && m->loc.file && loc.file &&
            strcmp(m->loc.file, loc.file) == 0)
            return 1;
    }
    return 0;
}

/* The dimensions of a section at s, each by itself and the wall in its outline. */
static int check_dimensions(const lm_spec_section *c, const lm_spec_body *b, double s,
                            const double v[DIMENSIONS], lm_diag *diag)
{
    const dimension *d = dimensions[c->shape];
    int wall = -1;
    for (int i = 0; d[i].name; i++) {
        const lm_expr *e = dimension_expr(c, &d[i]);
        if (d[i].offset == offsetof(lm_spec_section, thickness)) wall = i;
        if (is_absent(e) || (isfinite(v[i]) && (d[i].positive ? v[i] > 0 : v[i] >= 0))) continue;
        if (!reported(diag, e->loc))
            lm_error(diag, e->loc,
                     "'%s' in section '%s' is %.6g at s = %.6g along beam '%s'; it must be %s",
                     d[i].name, c->item.name, isnan(v[i]) ? NAN : v[i], s, b->item.name,
                     d[i].positive ? "greater than 0" : "0 or greater");
        return -1;
    }
    double most = wall == 1 ? v[0] : wall == 2 ? fmin(v[0], v[1]) / 2 : INFINITY;
    if (wall < 0 || v[wall] <= most * (1 + 1e-12)) return 0;
    if (!reported(diag, c->thickness.loc))
        lm_error(diag, c->thickness.loc,
                 "'thickness' in section '%s' is %.6g at s = %.6g along beam '%s', more than %s "
                 "(%.6g)",
                 c->item.name, v[wall], s, b->item.name,
                 wall == 1 ? "the radius" : "half of height or width", most);
    return -1;
}

/* Dimensions that are right and numbers that are not: 1e-200^4. */
static int check_numbers(const lm_spec_section *c, const lm_spec_body *b, double s,
                         const lm_section *at, lm_diag *diag)
{
    static const char *const names[] = {"EA", "EIy", "EIz", "GJ", "GAy", "GAz"};
    const double v[] = {at->EA, at->EIy, at->EIz, at->GJ, at->GAy, at->GAz};
    for (int i = 0; i < 6; i++) {
        if (v[i] > 0 && (i > 3 || isfinite(v[i]))) continue;
        if (!reported(diag, c->item.loc))
            lm_error(diag, c->item.loc,
                     "section '%s' is too large or too small for numbers: %s is %.6g at s = %.6g "
                     "along beam '%s'",
                     c->item.name, names[i], v[i], s, b->item.name);
        return -1;
    }
    return 0;
}

/* The beam's section as lm_beam_shape_make asks for it, checked on the way. */
typedef struct along {
    const lm_spec *spec;
    const lm_spec_body *b;
    double s[2]; /* the element */
    double *scratch;
    lm_diag *diag;
    int bad; /* a message was given; what is computed then is not used */
} along;

static void section_at(void *ctx, double xi, lm_section *out)
{
    along *a = ctx;
    const lm_spec_section *sections = a->spec->sections.at;
    double s = (1 - xi) * a->s[0] + xi * a->s[1], d[DIMENSIONS];
    const int parts[2] = {a->b->section, a->b->end_section};
    for (int k = 0; k < 2 && parts[k] >= 0 && !a->bad; k++) {
        dimensions_at(&sections[parts[k]], s, a->scratch, d);
        a->bad = check_dimensions(&sections[parts[k]], a->b, s, d, a->diag);
    }
    lm_section_eval(a->spec, a->b->section, a->b->end_section, s, a->scratch, out);
    if (!a->bad) a->bad = check_numbers(&sections[a->b->section], a->b, s, out, a->diag);
}

static int same_material(const lm_spec *spec, const lm_spec_section *c, const lm_spec_section *d)
{
    if (c->material == d->material)
        return c->damping_mass == d->damping_mass && c->damping_stiffness == d->damping_stiffness;
    const lm_spec_material *m = &spec->materials.at[c->material],
                           *n = &spec->materials.at[d->material];
    return m->E == n->E && m->G == n->G && m->rho == n->rho && m->damping_mass == n->damping_mass &&
           m->damping_stiffness == n->damping_stiffness;
}

/* A dimension that one of two sections of a shape leaves out as infinite, or NULL. */
static const char *one_sided(const lm_spec_section *c, const lm_spec_section *d)
{
    for (const dimension *k = dimensions[c->shape]; k->name; k++)
        if (isinf(k->absent) && is_absent(dimension_expr(c, k)) != is_absent(dimension_expr(d, k)))
            return k->name;
    return NULL;
}

/* A taper goes from one section to another of the same kind. */
static int check_taper(const lm_spec *spec, const lm_spec_body *b, lm_diag *diag)
{
    static const char *const shapes[] = {"rectangle", "circle",  "tube",
                                         "box",       "general", "stiffness"};
    if (b->end_section < 0) return 0;
    const lm_spec_section *c = &spec->sections.at[b->section],
                          *d = &spec->sections.at[b->end_section];
    const char *missing = NULL;
    int shape = c->shape == d->shape;
    if (shape && same_material(spec, c, d) && !(missing = one_sided(c, d))) return 0;
    if (reported(diag, b->item.loc)) return -1;
    if (!shape)
        lm_error(diag, b->item.loc,
                 "beam '%s' cannot go from section '%s' (%s) to 'end_section' '%s' (%s): a taper "
                 "keeps its shape",
                 b->item.name, c->item.name, shapes[c->shape], d->item.name, shapes[d->shape]);
    else if (missing)
        lm_error(diag, b->item.loc,
                 "beam '%s' cannot go from section '%s' to 'end_section' '%s': only one of them "
                 "has '%s'",
                 b->item.name, c->item.name, d->item.name, missing);
    else
        lm_error(diag, b->item.loc,
                 "beam '%s' cannot go from section '%s' to 'end_section' '%s': a taper keeps its "
                 "%s",
                 b->item.name, c->item.name, d->item.name,
                 c->material < 0 ? "damping" : "material");
    return -1;
}

/* Elements without a length, or along `y_axis`. */
static int check_element(const lm_model *m, const lm_spec_body *b, int k, const lm_element *e,
                         lm_diag *diag)
{
    lm_v3 d = v3_sub(m->nodes[e->node[1]].x, m->nodes[e->node[0]].x), y = v3_from(b->y_axis);
    if (!(e->shape.L > 0)) {
        if (!reported(diag, b->item.loc))
            lm_error(diag, b->item.loc,
                     "element %d of beam '%s' has length zero: with %d elements for %d segments "
                     "its ends fall together; raise 'elements'",
                     k + 1, b->item.name, b->elements, b->npoints - 1);
        return -1;
    }
    double sine = v3_norm(v3_cross(v3_unit(d), y)) / v3_norm(y);
    if (!b->has_y_axis || sine > 1e-6) return 0;
    if (!reported(diag, b->item.loc))
        lm_error(diag, b->item.loc,
                 "'y_axis' of beam '%s' is parallel to it at element %d, from (%.6g, %.6g, %.6g) "
                 "to (%.6g, %.6g, %.6g)",
                 b->item.name, k + 1, m->nodes[e->node[0]].x.x, m->nodes[e->node[0]].x.y,
                 m->nodes[e->node[0]].x.z, m->nodes[e->node[1]].x.x, m->nodes[e->node[1]].x.y,
                 m->nodes[e->node[1]].x.z);
    return -1;
}

/* The length of the axis must be a number; one that overflows or vanishes is not. */
static int check_drawn(const lm_spec_body *b, double drawn, lm_diag *diag)
{
    if (drawn > 0 && isfinite(drawn)) return 0;
    if (!reported(diag, b->item.loc))
        lm_error(diag, b->item.loc, "beam '%s' is too %s for numbers: its length is %.6g",
                 b->item.name, drawn > 0 ? "long" : "short", drawn);
    return -1;
}

/* Chords are shorter than the axis they stand for, and so is their mass. */
static void check_length(const lm_beam *beam, const lm_spec_body *b, double drawn, lm_diag *diag)
{
    if (beam->length > 0.99 * drawn || reported(diag, b->item.loc)) return;
    lm_warning(
        diag, b->item.loc,
        "beam '%s' has %d elements for %d segments: they cut its corners and make it %.2g %% "
        "shorter than drawn; with 'elements: %d' every point is a node",
        b->item.name, b->elements, b->npoints - 1, 100 * (1 - beam->length / drawn),
        b->npoints - 1);
}

/* ---- elements ---- */

static int is_uniform(const lm_spec *spec, const lm_spec_body *b)
{
    const lm_spec_section *c = &spec->sections.at[b->section];
    if (b->end_section >= 0 && b->end_section != b->section) return 0;
    for (const dimension *d = dimensions[c->shape]; d->name; d++)
        if (!dimension_expr(c, d)->constant) return 0;
    return 1;
}

static int is_finite(const lm_beam_shape *p)
{
    double sum = p->ka + p->kt;
    for (int i = 0; i < 3; i++) sum += p->kz[i] + p->ky[i] + p->mx[i] + p->mt[i];
    for (int i = 0; i < 10; i++) sum += p->mz[i] + p->my[i];
    return isfinite(sum);
}

/* The shape of an element; `like` is one of the same section and length within rounding, or NULL.
 * Also looks at the section at both ends, which no quadrature point touches. */
static int make_shape(along *a, const lm_element *like, lm_element *e)
{
    lm_section end;
    double L = e->shape.L;
    if (like) {
        e->shape = like->shape;
        e->shape.L = L; /* as the nodes have it: no strain as drawn */
        return 0;
    }
    a->s[0] = e->s[0];
    a->s[1] = e->s[1];
    section_at(a, 0, &end);
    section_at(a, 1, &end);
    if (!a->bad) lm_beam_shape_make(section_at, a, L, a->b->timoshenko, &e->shape);
    if (a->bad || is_finite(&e->shape)) return a->bad;
    if (!reported(a->diag, a->b->item.loc))
        lm_error(a->diag, a->b->item.loc,
                 "the stiffness of beam '%s' is not a finite number (element of length %.6g at s = "
                 "%.6g)",
                 a->b->item.name, L, e->s[0]);
    return -1;
}

static double drawn_length(const lm_spec_body *b)
{
    double sum = 0;
    for (int i = 1; i < b->npoints; i++)
        sum += v3_norm(v3_sub(v3_from(b->points[i]), v3_from(b->points[i - 1])));
    return sum;
}

static void set_damping(const lm_spec *spec, const lm_spec_section *c, lm_beam *beam)
{
    beam->damping_mass = c->damping_mass;
    beam->damping_stiffness = c->damping_stiffness;
    if (c->material < 0) return;
    beam->damping_mass = spec->materials.at[c->material].damping_mass;
    beam->damping_stiffness = spec->materials.at[c->material].damping_stiffness;
}

void lm_compile_beam(lm_model *m, int body, double *scratch, lm_diag *diag)
{
    const lm_spec_body *b = &m->spec->bodies.at[body];
    lm_beam *beam = &m->beams[body];
    along a = {.spec = m->spec, .b = b, .scratch = scratch, .diag = diag};
    const lm_element *made = NULL;
    double drawn = drawn_length(b);
    set_damping(m->spec, &m->spec->sections.at[b->section], beam);
    if (check_drawn(b, drawn, diag) || check_taper(m->spec, b, diag)) return;
    int uniform = is_uniform(m->spec, b);
    for (int k = 0; k < beam->nelements; k++) {
        lm_element *e = &m->elements[beam->first_element + k];
        if (check_element(m, b, k, e, diag)) return;
        int same = uniform && made && fabs(made->shape.L - e->shape.L) <= 1e-9 * e->shape.L;
        if (make_shape(&a, same ? made : NULL, e)) return;
        if (!same) made = e;
        beam->length += e->shape.L;
    }
    check_length(beam, b, drawn, diag);
}
