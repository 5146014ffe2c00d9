/* Poses that functions of the user give, as vectors and matrices. limber_pose.rotation has its columns
 * one after the other, as lm_m3 has. */
#ifndef LM_MODEL_POSE_H
#define LM_MODEL_POSE_H

#include "math/v3.h"

#include <limber/kinematics.h>

#include <string.h>

/* x = position + R X */
typedef struct lm_pose {
    lm_v3 x;
    lm_m3 R;
} lm_pose;

static inline lm_m3 lm_pose_axes(const limber_pose *p)
{
    lm_m3 R;
    memcpy(R.m, p->rotation, sizeof R.m);
    return R;
}

static inline lm_pose lm_pose_from(const limber_pose *p)
{
    return (lm_pose){v3_from(p->position), lm_pose_axes(p)};
}

static inline limber_pose lm_pose_given(const lm_pose *p)
{
    limber_pose out;
    v3_put(out.position, p->x);
    memcpy(out.rotation, p->R.m, sizeof out.rotation);
    return out;
}

/* b seen from a. */
static inline lm_pose lm_pose_mul(const lm_pose *a, const lm_pose *b)
{
    return (lm_pose){v3_add(a->x, m3_v(&a->R, b->x)), m3_mul(&a->R, &b->R)};
}

/* X = R^T (x - position) */
static inline lm_pose lm_pose_inverse(const lm_pose *p)
{
    return (lm_pose){v3_neg(m3_tv(&p->R, p->x)), m3_t(&p->R)};
}

#endif
