/* Transforms for users who write kinematics in C. */
#include <limber/kinematics.h>

#include "math/v3.h"

static limber_pose pose_of(lm_v3 x, const lm_m3 *R)
{
    limber_pose p;
    v3_put(p.position, x);
    for (int i = 0; i < 9; i++) p.rotation[i] = R->m[i];
    return p;
}

static limber_pose turn(lm_v3 axis, double angle)
{
    lm_m3 R = lm_rot_axis_angle(axis, angle);
    return pose_of(v3(0, 0, 0), &R);
}

limber_pose limber_pose_disp(double x, double y, double z)
{
    lm_m3 I = m3_identity();
    return pose_of(v3(x, y, z), &I);
}

limber_pose limber_pose_rotx(double angle) { return turn(v3(1, 0, 0), angle); }
limber_pose limber_pose_roty(double angle) { return turn(v3(0, 1, 0), angle); }
limber_pose limber_pose_rotz(double angle) { return turn(v3(0, 0, 1), angle); }

limber_pose limber_pose_mul(limber_pose a, limber_pose b)
{
    lm_m3 A, B;
    for (int i = 0; i < 9; i++) A.m[i] = a.rotation[i], B.m[i] = b.rotation[i];
    lm_m3 R = m3_mul(&A, &B);
    return pose_of(v3_add(v3_from(a.position), m3_v(&A, v3_from(b.position))), &R);
}
