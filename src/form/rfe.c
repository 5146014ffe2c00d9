/* The formulation `rfe`: how a model is divided, and in which coordinates it is solved. */
#include "form/rfe.h"

#include "form/minimal.h"

/* In joint coordinates the matrix of a chain is full: above so many of them, poses are cheaper. */
enum { MOST_JOINT_COORDINATES = 20 };

static void refuse(const lm_model *m, lm_diag *diag)
{
    const lm_spec *spec = m->spec;
    if (spec->formulation.closure_spring && m->nelements == 0)
        lm_error(
            diag, spec->formulation.loc,
            "'closure: spring' takes the stiffness of the springs from the beams, and there are "
            "none: use 'closure: constraint', or write 'compliant' at the joint that shall "
            "yield");
    if (spec->coordinates.n)
        lm_error(diag, spec->coordinates.at[0].item.loc,
                 "'coordinates' need the formulation 'minimal'; in 'rfe' the joints describe the "
                 "mechanism");
}

/* Hinges that only bend would make another beam of it than the model says. */
static void refuse_shearless(const lm_model *m, lm_diag *diag)
{
    for (int b = 0; b < m->nbodies && m->spec->formulation.springs_bending; b++) {
        const lm_spec_body *body = &m->spec->bodies.at[b];
        if (m->bodies[b].type != LM_BODY_BEAM || !body->timoshenko) continue;
        lm_error(diag, m->spec->formulation.loc,
                 "'springs: bending' leaves out the shear of beam '%s', which 'theory: timoshenko' "
                 "asks for: use 'springs: all' (the default), or 'theory: euler-bernoulli'",
                 body->item.name);
        return;
    }
}

/* Springs in place of the joints that close loops: far stiffer than any of the beams' own. */
static int note_springs(const lm_model *m, lm_arena *a, const nodal_division *d, rfe_rule *rule)
{
    const lm_tree *t = nodal_tree_make(&d->model, a);
    unsigned char *spring = LM_NEW_N(a, unsigned char, d->model.njoints);
    if (!t || !spring) return -1;
    for (int j = 0; j < d->model.njoints; j++) spring[j] = !nodal_tree_uses(t, j);
    double times = m->spec->formulation.closure_stiffness;
    for (int k = 0; k < m->nelements; k++) {
        const lm_beam_shape *e = &m->elements[k].shape;
        double bend = fmax(e->kt, fmax(e->ky[0], e->kz[0]));
        rule->stiffness[0] = fmax(rule->stiffness[0], times * e->ka);
        rule->stiffness[1] = fmax(rule->stiffness[1], times * bend);
    }
    rule->spring = spring;
    return 0;
}

/* NULL: no memory. */
static nodal_division *divide(const lm_model *m)
{
    lm_arena temp = {0};
    rfe_rule rule = {.all = !m->spec->formulation.springs_bending};
    nodal_division *d = rfe_divide(m, &rule);
    if (d && m->spec->formulation.closure_spring) {
        int failed = note_springs(m, &temp, d, &rule);
        rfe_division_free(d);
        d = failed ? NULL : rfe_divide(m, &rule);
    }
    lm_arena_free(&temp);
    return d;
}

/* Joint coordinates: six less the rows of the joint on which each node hangs; drives do not count. */
static int count_coordinates(const nodal *s)
{
    int n = 0;
    for (int k = 0; k < s->m->nnodes; k++) {
        int j = nodal_tree_joint(s->tree, k);
        n += NODE_V;
        for (int i = 0; j >= 0 && i < s->m->joints[j].nrows; i++)
            n -= !s->m->rows[s->m->joints[j].first_row + i].drive;
    }
    return n;
}

/* A load or effort reads a reaction or the forces in a section: only poses have them. */
static int reads_forces(const nodal *s)
{
    for (int i = 0; i < s->m->spec->sensors.n; i++) {
        lm_sensor_kind k = s->m->spec->sensors.at[i].kind;
        if (s->force_sensor[i] &&
            (k == LM_SENSOR_FORCE || k == LM_SENSOR_MOMENT || k == LM_SENSOR_SECTION))
            return 1;
    }
    return 0;
}

static int wants_joints(const lm_model *m, const nodal *s)
{
    switch (m->spec->formulation.rfe_coordinates) {
    case LM_RFE_JOINT: return 1;
    case LM_RFE_ABSOLUTE: return 0;
    default: return !reads_forces(s) && count_coordinates(s) <= MOST_JOINT_COORDINATES;
    }
}

/* The callbacks of the equations in use under this formulation's name. */
static int rename_form(lm_system *sys, int joints, lm_arena *arena)
{
    lm_form *own = LM_NEW(arena, lm_form);
    if (!own) return -1;
    *own = *sys->form;
    own->name = lm_form_rfe.name;
    own->create = lm_form_rfe.create;
    own->beam_forces = joints ? minimal_beam_forces : nodal_lump_forces;
    sys->form = own;
    return 0;
}

/* ---- loops that the hinges lock ---- */

/* Constraints that the others imply, as drawn; *row the first of them. < 0: no memory. */
static int count_redundant(lm_system *sys, int *row)
{
    lm_arena temp = {0};
    double *q = LM_NEW_N(&temp, double, sys->nq), *v = LM_NEW_N(&temp, double, sys->nv);
    int n = !q || !v || sys->form->initial(sys, q, v) ? -1 : sys->form->select_rows(sys, 0, q, 1);
    for (*row = 0; *row < sys->nl - 1 && sys->active[*row];) ++*row;
    lm_arena_free(&temp);
    return n;
}

/* Constraints that the same mechanism has too many of with beams that yield to everything. */
static int redundant_anyway(const lm_model *m, lm_diag *diag)
{
    lm_system *sys;
    int row;
    if (nodal_create(m, NULL, NULL, diag, &sys)) return -1;
    int n = count_redundant(sys, &row);
    nodal_destroy(sys);
    return n;
}

/* Where the hinges of closed loops leave no motion to what loads them, forces are distributed as the
 * choice of independent rows has it, not as the beams' stiffness would. */
static int warn_locked(const lm_model *m, lm_system *divided, lm_diag *diag)
{
    int row, n = count_redundant(divided, &row);
    if (n <= 0) return n;
    const lm_model *d = divided->model;
    const char *joint = d->joints[d->rows[row].joint].name;
    int anyway = redundant_anyway(m, diag);
    if (anyway < 0) return -1;
    if (n <= anyway) return 0;
    if (m->spec->formulation.springs_bending)
        lm_warning(diag, m->spec->formulation.loc,
                   "beams that only bend lock the loop through '%s': the forces in it follow from "
                   "stretch, and are not right without; use 'springs: all'",
                   joint);
    else
        lm_warning(diag, m->spec->formulation.loc,
                   "the divisions of the beams lock the loop through '%s': beams of one element "
                   "bend in their middle only; give them two or more elements",
                   joint);
    return 0;
}

static limber_status create(const lm_model *m, lm_diag *diag, lm_system **out)
{
    int errors = diag->errors;
    *out = NULL;
    refuse(m, diag);
    refuse_shearless(m, diag);
    if (diag->errors > errors) return LIMBER_UNSUPPORTED;
    nodal_division *d = divide(m);
    if (!d) return LIMBER_MEMORY;
    if (diag->errors > errors) {
        rfe_division_free(d);
        return LIMBER_INPUT;
    }
    lm_system *sys;
    limber_status st = nodal_create(m, d, NULL, diag, &sys);
    if (st) return st;
    if (warn_locked(m, sys, diag) < 0) {
        nodal_destroy(sys);
        return LIMBER_MEMORY;
    }
    int joints = wants_joints(m, (nodal *)sys);
    if (joints) st = minimal_create(sys, diag, &sys);
    if (st) return st;
    lm_arena *arena = joints ? &((minimal *)sys)->arena : &((nodal *)sys)->arena;
    if (rename_form(sys, joints, arena)) {
        sys->form->destroy(sys);
        return LIMBER_MEMORY;
    }
    if (m->nelements && m->spec->formulation.springs_bending)
        sys->stretch = "formulation: {type: rfe, springs: all}";
    *out = sys;
    return LIMBER_OK;
}

const lm_form lm_form_rfe = {.name = "rfe", .create = create};
