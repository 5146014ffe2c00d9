/* Vectors, 3x3 matrices, rotations. The convention sheet of the project:
 *
 *   - matrices are column-major: m[3*col + row];
 *   - quaternions are scalar first, unit, and rotate body axes to world axes: x = R(q) X;
 *   - 6-vectors are (linear, angular); twists and wrenches are in world axes;
 *   - a small rotation psi acts from the left: R -> exp(psi) R, so dR = skew(psi) R and the
 *     angular velocity omega is the one in world axes.
 */
#ifndef LM_MATH_V3_H
#define LM_MATH_V3_H

#include <math.h>

typedef struct lm_v3 {
    double x, y, z;
} lm_v3;

typedef struct lm_m3 {
    double m[9];
} lm_m3;

typedef struct lm_quat {
    double w, x, y, z;
} lm_quat;

static inline lm_v3 v3(double x, double y, double z) { return (lm_v3){x, y, z}; }
static inline lm_v3 v3_from(const double *p) { return (lm_v3){p[0], p[1], p[2]}; }
static inline void v3_put(double *p, lm_v3 a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline void v3_acc(double *p, lm_v3 a) { p[0] += a.x, p[1] += a.y, p[2] += a.z; }
static inline lm_v3 v3_add(lm_v3 a, lm_v3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline lm_v3 v3_sub(lm_v3 a, lm_v3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline lm_v3 v3_mul(double s, lm_v3 a) { return v3(s * a.x, s * a.y, s * a.z); }
static inline lm_v3 v3_neg(lm_v3 a) { return v3(-a.x, -a.y, -a.z); }
static inline double v3_dot(lm_v3 a, lm_v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline lm_v3 v3_cross(lm_v3 a, lm_v3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double v3_norm(lm_v3 a) { return sqrt(v3_dot(a, a)); }
static inline lm_v3 v3_unit(lm_v3 a) { return v3_mul(1.0 / v3_norm(a), a); }
static inline double v3_get(lm_v3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

static inline lm_v3 m3_col(const lm_m3 *A, int j) { return v3_from(A->m + 3 * j); }
static inline lm_m3 m3_cols(lm_v3 a, lm_v3 b, lm_v3 c)
{
    return (lm_m3){{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}};
}
static inline lm_m3 m3_identity(void) { return (lm_m3){{1, 0, 0, 0, 1, 0, 0, 0, 1}}; }
static inline lm_m3 m3_diag(double d) { return (lm_m3){{d, 0, 0, 0, d, 0, 0, 0, d}}; }
static inline lm_v3 m3_v(const lm_m3 *A, lm_v3 x)
{
    const double *m = A->m;
    return v3(m[0] * x.x + m[3] * x.y + m[6] * x.z, m[1] * x.x + m[4] * x.y + m[7] * x.z,
              m[2] * x.x + m[5] * x.y + m[8] * x.z);
}
static inline lm_v3 m3_tv(const lm_m3 *A, lm_v3 x) /* A^T x */
{
    return v3(v3_dot(m3_col(A, 0), x), v3_dot(m3_col(A, 1), x), v3_dot(m3_col(A, 2), x));
}
static inline lm_m3 m3_mul(const lm_m3 *A, const lm_m3 *B)
{
    return m3_cols(m3_v(A, m3_col(B, 0)), m3_v(A, m3_col(B, 1)), m3_v(A, m3_col(B, 2)));
}
static inline lm_m3 m3_t(const lm_m3 *A)
{
    const double *m = A->m;
    return (lm_m3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}
static inline lm_m3 m3_tmul(const lm_m3 *A, const lm_m3 *B) /* A^T B */
{
    return m3_cols(m3_tv(A, m3_col(B, 0)), m3_tv(A, m3_col(B, 1)), m3_tv(A, m3_col(B, 2)));
}
static inline lm_m3 m3_add(lm_m3 A, lm_m3 B)
{
    for (int i = 0; i < 9; i++) A.m[i] += B.m[i];
    return A;
}
static inline lm_m3 m3_scale(double s, lm_m3 A)
{
    for (int i = 0; i < 9; i++) A.m[i] *= s;
    return A;
}
static inline lm_m3 m3_skew(lm_v3 a) /* skew(a) b = a x b */
{
    return (lm_m3){{0, a.z, -a.y, -a.z, 0, a.x, a.y, -a.x, 0}};
}
static inline lm_m3 m3_outer(lm_v3 a, lm_v3 b) /* a b^T */
{
    return m3_cols(v3_mul(b.x, a), v3_mul(b.y, a), v3_mul(b.z, a));
}
/* skew(a) skew(b) = b a^T - (a.b) I */
static inline lm_m3 m3_skew_skew(lm_v3 a, lm_v3 b)
{
    lm_m3 A = m3_outer(b, a);
    double d = v3_dot(a, b);
    A.m[0] -= d, A.m[4] -= d, A.m[8] -= d;
    return A;
}

static inline lm_quat quat_from(const double *p) { return (lm_quat){p[0], p[1], p[2], p[3]}; }
static inline void quat_put(double *p, lm_quat q)
{
    p[0] = q.w, p[1] = q.x, p[2] = q.y, p[3] = q.z;
}
static inline lm_quat quat_mul(lm_quat a, lm_quat b)
{
    return (lm_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline lm_quat quat_back(lm_quat q) { return (lm_quat){q.w, -q.x, -q.y, -q.z}; }
static inline lm_quat quat_turn(lm_quat from, lm_quat to) /* to = quat_turn(from, to) from */
{
    return quat_mul(to, quat_back(from));
}
static inline lm_quat quat_unit(lm_quat q)
{
    double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (lm_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}
static inline lm_m3 quat_m3(lm_quat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z,
           yz = q.y * q.z, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (lm_m3){{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy), 2 * (xy - wz),
                    1 - 2 * (xx + zz), 2 * (yz + wx), 2 * (xz + wy), 2 * (yz - wx),
                    1 - 2 * (xx + yy)}};
}

/* rotation.c */
lm_quat lm_quat_exp(lm_v3 psi); /* rotation vector -> quaternion */
lm_v3 lm_quat_log(lm_quat q);   /* rotation vector, |.| <= pi */
lm_quat lm_quat_from_m3(const lm_m3 *R);
lm_m3 lm_rot_axis_angle(lm_v3 axis, double angle);
/* Inverse of the left tangent operator: d(psi)/dt = Tinv(psi) omega when R = exp(psi) R0. */
lm_m3 lm_rot_tangent_inverse(lm_v3 psi);
lm_v3 lm_rot_tangent_inverse_of(lm_v3 psi, lm_v3 x); /* Tinv(psi) x */
/* Derivative of Tinv(psi) x by psi (side 1), or of Tinv(psi)^T x (side -1). */
lm_m3 lm_rot_tangent_inverse_change(lm_v3 psi, lm_v3 x, double side);
lm_m3 lm_rot_tangent(lm_v3 psi); /* omega = T(psi) d(psi)/dt */
/* A right-handed triad whose third axis is `axis`. */
lm_m3 lm_triad(lm_v3 axis);
/* Angle moved by whole turns to the place nearest to `near`. */
double lm_angle_near(double angle, double near);

#endif
