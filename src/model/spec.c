#include "model/spec.h"

static const struct {
    int n;
    lm_coord_kind kind[LM_JOINT_COORDS];
} joint_coords[] = {
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
