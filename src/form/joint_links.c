#include "form/joint_links.h"

const lm_joint_links lm_joint_links_of[LM_JOINTS] = {
    [LM_JOINT_FIXED] = {0, {{0}}},
    [LM_JOINT_REVOLUTE] = {1, {{LM_LINK_TURN, 2, 0}}},
    [LM_JOINT_PRISMATIC] = {1, {{LM_LINK_SLIDE, 2, 0}}},
    [LM_JOINT_CYLINDRICAL] = {2, {{LM_LINK_SLIDE, 2, 1}, {LM_LINK_TURN, 2, 0}}},
    [LM_JOINT_SPHERICAL] = {1, {{LM_LINK_BALL, 0, -1}}},
    [LM_JOINT_UNIVERSAL] = {2, {{LM_LINK_TURN, 0, 0}, {LM_LINK_TURN, 1, 1}}},
    [LM_JOINT_PLANAR] = {3, {{LM_LINK_SLIDE, 0, 1}, {LM_LINK_SLIDE, 1, 2}, {LM_LINK_TURN, 2, 0}}},
    [LM_JOINT_INLINE] = {2, {{LM_LINK_SLIDE, 2, 0}, {LM_LINK_BALL, 0, -1}}},
    [LM_JOINT_DISTANCE] = {-1, {{0}}},
};
