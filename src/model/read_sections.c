/* Materials, sections and coordinates. */
#include "model/reader.h"

#include <math.h>

static int read_material(lm_reader *r, const lm_named *entry, void *item)
{
    lm_material_in in = {0};
    uint64_t given;
    int rc = lm_read_object(r, LM_OBJECT_MATERIAL, entry->value, &in, &given);
    int nu = lm_read_given(LM_OBJECT_MATERIAL, given, "nu", -1);
    int G = lm_read_given(LM_OBJECT_MATERIAL, given, "G", -1);
    if (nu == G) {
        lm_error(r->diag, r->where->loc,
                 nu ? "%s has both 'nu' and 'G'; give one of them"
                    : "%s needs 'nu' (Poisson's ratio) or 'G' (shear "
                      "modulus)",
                 lm_where_text(r));
        rc = -1;
    }
    if (nu) in.material.G = in.material.E / (2 * (1 + in.nu));
    *(lm_spec_material *)item = in.material;
    return rc;
}

/* Dimension of a section at s. */
static double at_s(lm_reader *r, const lm_expr *e, double s)
{
    if (e->constant) return e->value;
    const double slots[2] = {0, s};
    return lm_expr_eval(e, slots, LM_NEW_N(&r->scratch, double, lm_expr_scratch(e, 0) + 1));
}

/* A wall must fit into the outline. The compiler looks again where it integrates. */
static int check_wall(lm_reader *r, const lm_spec_section *section)
{
    enum { SAMPLES = 33 };
    int tube = section->shape == LM_SHAPE_TUBE;
    if (!tube && section->shape != LM_SHAPE_BOX) return 0;
    int varies = !section->thickness.constant || !section->radius.constant ||
                 !section->height.constant || !section->width.constant;
    for (int i = 0; i < SAMPLES; i++) {
        double s = (double)i / (SAMPLES - 1), wall = at_s(r, &section->thickness, s);
        double most = tube ? at_s(r, &section->radius, s)
                           : 0.5 * fmin(at_s(r, &section->height, s), at_s(r, &section->width, s));
        if (wall <= most * (1 + 1e-12)) continue;
        lm_error(r->diag, section->thickness.loc, "'thickness' in %s is %s%s, more than %s (%s)",
                 lm_where_text(r), lm_number_text(r, wall),
                 varies ? lm_arena_printf(&r->scratch, " at s = %.4g along the beam", s) : "",
                 tube ? "the radius" : "half of height or width", lm_number_text(r, most));
        return -1;
    }
    return 0;
}

static int read_section(lm_reader *r, const lm_named *entry, void *item)
{
    lm_spec_section *s = item;
    uint64_t given;
    lm_expr *const dimensions[] = {&s->height, &s->width, &s->radius, &s->thickness, &s->A,
                                   &s->Iy,     &s->Iz,    &s->J,      &s->ky,        &s->kz,
                                   &s->EA,     &s->EIy,   &s->EIz,    &s->GJ,        &s->GAy,
                                   &s->GAz,    &s->rhoA,  &s->rhoIy,  &s->rhoIz};
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++)
        lm_expr_constant(dimensions[i], NAN);
    s->material = -1;
    if (lm_read_object(r, LM_OBJECT_SECTION, entry->value, s, &given)) return -1;
    return check_wall(r, s);
}

static int read_coordinate(lm_reader *r, const lm_named *entry, void *item)
{
    uint64_t given;
    lm_spec_coordinate *c = item;
    int rc = lm_read_object(r, LM_OBJECT_COORDINATE, entry->value, item, &given);
    c->has_rate = rc == 0 && lm_read_given(LM_OBJECT_COORDINATE, given, "rate", -1);
    const char *why = lm_names_find(&r->param_names, entry->name) >= 0 ? "is also a parameter"
                      : lm_is_builtin(entry->name) ? "has a meaning in expressions"
                                                   : NULL;
    if (!why) return rc;
    lm_error(r->diag, entry->key->loc, "a coordinate cannot be called '%s': that name %s",
             entry->name, why);
    return -1;
}

void lm_read_materials(lm_reader *r)
{
    LM_READ_TABLE(r, &r->materials, &r->spec->materials, read_material);
}

void lm_read_sections(lm_reader *r)
{
    LM_READ_TABLE(r, &r->sections, &r->spec->sections, read_section);
}

void lm_read_coordinates(lm_reader *r)
{
    LM_READ_TABLE(r, &r->coordinates, &r->spec->coordinates, read_coordinate);
}
