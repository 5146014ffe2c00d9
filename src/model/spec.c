#include "model/spec.h"

#include "model/schema.h"

static const struct {
    int n;
    lm_coord_kind kind[LM_JOINT_COORDS];
} joint_coords[LM_JOINTS] = {
    [LM_JOINT_FIXED] = {0, {0}},
    [LM_JOINT_REVOLUTE] = {1, {LM_COORD_ANGLE}},
    [LM_JOINT_PRISMATIC] = {1, {LM_COORD_DISPLACEMENT}},
    [LM_JOINT_CYLINDRICAL] = {2, {LM_COORD_ANGLE, LM_COORD_DISPLACEMENT}},
    [LM_JOINT_SPHERICAL] = {0, {0}},
    [LM_JOINT_UNIVERSAL] = {2, {LM_COORD_ANGLE1, LM_COORD_ANGLE2}},
    [LM_JOINT_PLANAR] = {3, {LM_COORD_ANGLE, LM_COORD_X, LM_COORD_Y}},
    [LM_JOINT_INLINE] = {1, {LM_COORD_DISPLACEMENT}},
    [LM_JOINT_DISTANCE] = {1, {LM_COORD_DISPLACEMENT}},
};

int lm_joint_coord_count(lm_joint_type type) { return joint_coords[type].n; }
lm_coord_kind lm_joint_coord(lm_joint_type type, int i) { return joint_coords[type].kind[i]; }

const char *lm_coord_name(lm_coord_kind kind)
{
    static const char *const names[] = {"angle", "displacement", "angle1", "angle2", "x", "y"};
    return names[kind];
}

const char *lm_element_type_name(lm_element_type type)
{
    static const char *const names[] = {
        [LM_ELEMENT_SE] = "Se",    [LM_ELEMENT_SF] = "Sf",  [LM_ELEMENT_R] = "R",
        [LM_ELEMENT_C] = "C",      [LM_ELEMENT_I] = "I",    [LM_ELEMENT_TF] = "TF",
        [LM_ELEMENT_GY] = "GY",    [LM_ELEMENT_ZERO] = "0", [LM_ELEMENT_ONE] = "1",
        [LM_ELEMENT_PORT] = "port"};
    return names[type];
}

lm_spec_analysis lm_analysis_defaults(lm_analysis_type type, lm_loc loc)
{
    lm_spec_analysis a = {
        .type = type, .loc = loc, .method = LM_METHOD_AUTOMATIC, .at = -1, .drive = -1};
    lm_schema_presets(LM_OBJECT_ANALYSIS, &a);
    return a;
}

lm_spec_formulation lm_formulation_defaults(lm_formulation_type type)
{
    lm_spec_formulation f = {.type = type};
    lm_schema_presets(LM_OBJECT_FORMULATION, &f);
    return f;
}
