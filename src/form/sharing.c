#include "form/sharing.h"

#include <stdio.h>
#include <string.h>

/* Names of what a piece consists of: the first few, and how many more. */
typedef struct names {
    char text[160];
    int n;
} names;
enum { SHOWN = 3 };

static void add(names *l, const char *name)
{
    size_t used = strlen(l->text);
    if (l->n++ < SHOWN)
        snprintf(l->text + used, sizeof l->text - used, "%s%.40s", used ? ", " : "", name);
}

static void count_rest(names *l)
{
    size_t used = strlen(l->text);
    if (l->n > SHOWN) snprintf(l->text + used, sizeof l->text - used, " and %d more", l->n - SHOWN);
}

/* ---- what occurs in a model ---- */

static void find_bodies(const lm_spec *s, lm_body_type type, names *l)
{
    for (int i = 0; i < s->bodies.n; i++)
        if (s->bodies.at[i].type == type) add(l, s->bodies.at[i].item.name);
}

static void find_beams(const lm_spec *s, names *l) { find_bodies(s, LM_BODY_BEAM, l); }
static void find_rigid(const lm_spec *s, names *l) { find_bodies(s, LM_BODY_RIGID, l); }

static void find_supers(const lm_spec *s, int generated, names *l)
{
    for (int i = 0; i < s->bodies.n; i++) {
        const lm_spec_body *b = &s->bodies.at[i];
        if (b->type == LM_BODY_SUPERELEMENT && (b->beam_section >= 0) == generated)
            add(l, b->item.name);
    }
}

static void find_generated(const lm_spec *s, names *l) { find_supers(s, 1, l); }
static void find_matrices(const lm_spec *s, names *l) { find_supers(s, 0, l); }

static int is_used(const lm_spec *s, int section)
{
    for (int i = 0; i < s->bodies.n; i++) {
        const lm_spec_body *b = &s->bodies.at[i];
        if (b->section == section || b->end_section == section || b->beam_section == section)
            return 1;
    }
    return 0;
}

static void find_shapes(const lm_spec *s, names *l)
{
    for (int i = 0; i < s->sections.n; i++)
        if (s->sections.at[i].shape < LM_SHAPE_GENERAL && is_used(s, i))
            add(l, s->sections.at[i].item.name);
}

static void find_damping(const lm_spec *s, names *l)
{
    for (int i = 0; i < s->sections.n; i++) {
        const lm_spec_section *c = &s->sections.at[i];
        const lm_spec_material *m = c->material < 0 ? NULL : &s->materials.at[c->material];
        int damped = c->damping_mass > 0 || c->damping_stiffness > 0 ||
                     (m && (m->damping_mass > 0 || m->damping_stiffness > 0));
        if (damped && is_used(s, i)) add(l, m ? m->item.name : c->item.name);
    }
}

static void find_joints(const lm_spec *s, names *l)
{
    for (int i = 0; i < s->joints.n; i++) add(l, s->joints.at[i].item.name);
}

static int has_forces(const lm_spec_joint *j)
{
    int any = j->compliant;
    for (int k = 0; k < LM_JOINT_COORDS; k++) {
        const lm_spec_coord *c = &j->coord[k];
        any |=
            c->has_drive || c->has_effort || c->stiffness > 0 || c->damping > 0 || c->friction > 0;
    }
    return any;
}

static void find_joint_forces(const lm_spec *s, names *l)
{
    for (int i = 0; i < s->joints.n; i++)
        if (has_forces(&s->joints.at[i])) add(l, s->joints.at[i].item.name);
}

static void find_forces(const lm_spec *s, names *l)
{
    for (int i = 0; i < s->forces.n; i++)
        if (!s->forces.at[i].has_port) add(l, s->forces.at[i].item.name);
}

static void find_loads(const lm_spec *s, names *l)
{
    for (int i = 0; i < s->loads.n; i++)
        if (!s->loads.at[i].port) add(l, s->loads.at[i].item.name);
}

static void find_power(const lm_spec *s, names *l)
{
    for (int i = 0; i < s->elements.n; i++)
        if (s->elements.at[i].type != LM_ELEMENT_ZERO && s->elements.at[i].type != LM_ELEMENT_ONE)
            add(l, s->elements.at[i].item.name);
}

static void find_blocks(const lm_spec *s, names *l)
{
    for (int i = 0; i < s->blocks.n; i++) add(l, s->blocks.at[i].item.name);
}

static void find_states(const lm_spec *s, names *l)
{
    for (int i = 0; i < s->states.n; i++) add(l, s->states.at[i].item.name);
    for (int i = 0; i < s->surfaces.n; i++) add(l, s->surfaces.at[i].item.name);
}

static void find_sensors(const lm_spec *s, names *l)
{
    for (int i = 0; i < s->outputs.n; i++) add(l, s->outputs.at[i].item.name);
}

static int has_analysis(const lm_spec *s, lm_analysis_type type)
{
    for (int i = 0; i < s->analyses.n; i++)
        if (s->analyses.at[i].type == type) return 1;
    return 0;
}

static void find_start(const lm_spec *s, names *l)
{
    for (int i = 0; i < s->initial.n; i++) {
        const lm_spec_initial *x = &s->initial.at[i];
        add(l, x->joint >= 0 ? s->joints.at[x->joint].item.name
                             : s->coordinates.at[x->coordinate].item.name);
    }
    for (int i = 0; i < s->velocities.n; i++)
        add(l, s->bodies.at[s->velocities.at[i].body].item.name);
    if (s->assemble) add(l, "assemble");
}

static void find_dynamics(const lm_spec *s, names *l)
{
    if (has_analysis(s, LM_ANALYSIS_DYNAMICS)) add(l, "dynamics");
}

static void find_statics(const lm_spec *s, names *l)
{
    if (has_analysis(s, LM_ANALYSIS_STATICS)) add(l, "statics");
}

static void find_eigenvalues(const lm_spec *s, names *l)
{
    if (has_analysis(s, LM_ANALYSIS_MODES)) add(l, "modes");
    if (has_analysis(s, LM_ANALYSIS_LINEARIZE)) add(l, "linearize");
    if (has_analysis(s, LM_ANALYSIS_CAMPBELL)) add(l, "campbell");
    if (has_analysis(s, LM_ANALYSIS_PERIODIC)) add(l, "periodic");
}

/* ---- the list ---- */

/* Formulations with the same number share the code and what it assumes; -1: one or the other, by the model.
 * `corotational` and `minimal` have the same elements in other unknowns, `elastodynamic` linear ones about the
 * rigid motion, `rfe` rigid pieces and springs, `ffr` shapes in floating frames. Joints are constraints or
 * coordinates. All else is one code. */
#define ALL                                                                                        \
    {                                                                                              \
        0, 0, 0, 0, 0                                                                              \
    }
static const struct {
    const char *name, *check;
    void (*find)(const lm_spec *s, names *l);
    int bends, voice[LM_FORMULATIONS];
} list[] = {
    {"beam elements",
     "--refine: other formulations on finer meshes",
     find_beams,
     1,
     {[LM_FORM_COROTATIONAL] = 0,
      [LM_FORM_MINIMAL] = 0,
      [LM_FORM_ELASTODYNAMIC] = 1,
      [LM_FORM_RFE] = 2,
      [LM_FORM_FFR] = 3}},
    {"superelements", "--refine: beams in their place", find_generated, 0, ALL},
    {"matrices from files", "frequencies by the program they are from", find_matrices, 0, ALL},
    {"cross sections", "own values by 'shape: general'", find_shapes, 0, ALL},
    {"material damping", "decay of one mode by hand", find_damping, 0, ALL},
    {"rigid bodies", "mass and inertia by hand", find_rigid, 0, ALL},
    {"joints",
     "'minimal' beside 'corotational'",
     find_joints,
     0,
     {[LM_FORM_COROTATIONAL] = 0,
      [LM_FORM_MINIMAL] = 1,
      [LM_FORM_ELASTODYNAMIC] = 0,
      [LM_FORM_RFE] = -1,
      [LM_FORM_FFR] = 0}},
    {"drives and forces of joints", "energy and momentum; a case by hand", find_joint_forces, 0,
     ALL},
    {"springs and bushings", "energy and momentum; a case by hand", find_forces, 0, ALL},
    {"loads", "their sum against the reactions", find_loads, 0, ALL},
    {"power graph", "the power balance; the machine alone by hand", find_power, 0, ALL},
    {"blocks", "the step response of the controller alone", find_blocks, 0, ALL},
    {"states and surfaces", "their values in the results", find_states, 0, ALL},
    {"start", "the first row of the results", find_start, 0, ALL},
    {"sensors", "another sensor of the same quantity", find_sensors, 0, ALL},
    {"time integration", "--refine: another 'method'", find_dynamics, 0, ALL},
    {"equilibrium", "dynamics with damping that comes to rest", find_statics, 0, ALL},
    {"eigenvalues", "free vibrations in 'dynamics'", find_eigenvalues, 0, ALL},
};
enum { PIECES = sizeof list / sizeof list[0] };

void lm_pieces(const lm_model *m, void (*each)(void *context, const limber_piece *piece),
               void *context)
{
    for (int k = 0; k < PIECES; k++) {
        names l = {0};
        list[k].find(m->spec, &l);
        if (l.n == 0) continue;
        count_rest(&l);
        each(context,
             &(limber_piece){list[k].name, l.text, list[k].voice, list[k].check, list[k].bends});
    }
}

/* Springs in the middle of n pieces: the deflection of a cantilever by a force at its end is
 * 1/(4 n^2) off (docs/theory/rfe.md); shear elements of a polynomial basis have h^2 as well, and less of it. */
double lm_mesh_error(const lm_model *m, lm_formulation_type type)
{
    int least = 0;
    for (int i = 0; i < m->nbodies && type == LM_FORM_RFE; i++) {
        int n = m->beams[i].nelements;
        if (n > 0 && (least == 0 || n < least)) least = n;
    }
    return least > 0 ? 0.25 / least / least : 0;
}
