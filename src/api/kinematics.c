/* Transforms for users who write kinematics in C. */
#include <limber/kinematics.h>

#include "model/pose.h"

static limber_pose turn(lm_v3 axis, double angle)
{
    return lm_pose_given(&(lm_pose){v3(0, 0, 0), lm_rot_axis_angle(axis, angle)});
}

limber_pose limber_pose_disp(double x, double y, double z)
{
    return lm_pose_given(&(lm_pose){v3(x, y, z), m3_identity()});
}

limber_pose limber_pose_rotx(double angle) { return turn(v3(1, 0, 0), angle); }
limber_pose limber_pose_roty(double angle) { return turn(v3(0, 1, 0), angle); }
limber_pose limber_pose_rotz(double angle) { return turn(v3(0, 0, 1), angle); }

limber_pose limber_pose_mul(limber_pose a, limber_pose b)
{
    lm_pose A = lm_pose_from(&a), B = lm_pose_from(&b), P = lm_pose_mul(&A, &B);
    return lm_pose_given(&P);
}
