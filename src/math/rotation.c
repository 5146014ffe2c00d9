#include "math/v3.h"

#include <stddef.h>

/* sin(x)/x and friends by series near 0: the closed forms lose digits there. */
lm_quat lm_quat_exp(lm_v3 psi)
{
    double a2 = v3_dot(psi, psi), s, c;
    if (a2 < 1e-4) {
        /* sin(a/2)/a and cos(a/2): the next terms are below rounding */
        double h2 = 0.25 * a2;
        s = 0.5 * (1 - h2 / 6 * (1 - h2 / 20 * (1 - h2 / 42)));
        c = 1 - h2 / 2 * (1 - h2 / 12 * (1 - h2 / 30));
    } else {
        double a = sqrt(a2);
        s = sin(0.5 * a) / a;
        c = cos(0.5 * a);
    }
    return (lm_quat){c, s * psi.x, s * psi.y, s * psi.z};
}

lm_v3 lm_quat_log(lm_quat q)
{
    double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    if (q.w < 0) q = (lm_quat){-q.w, -q.x, -q.y, -q.z};
    double s = n < 1e-9 ? 2.0 / q.w : 2.0 * atan2(n, q.w) / n;
    return v3(s * q.x, s * q.y, s * q.z);
}

/* Shepperd: divide by the largest of the four components. */
lm_quat lm_quat_from_m3(const lm_m3 *R)
{
    const double *m = R->m;
    double t = m[0] + m[4] + m[8];
    lm_quat q;
    if (t > 0)
        q = (lm_quat){1 + t, m[5] - m[7], m[6] - m[2], m[1] - m[3]};
    else if (m[0] >= m[4] && m[0] >= m[8])
        q = (lm_quat){m[5] - m[7], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]};
    else if (m[4] >= m[8])
        q = (lm_quat){m[6] - m[2], m[1] + m[3], 1 - m[0] + m[4] - m[8], m[5] + m[7]};
    else
        q = (lm_quat){m[1] - m[3], m[2] + m[6], m[5] + m[7], 1 - m[0] - m[4] + m[8]};
    return quat_unit(q);
}

lm_m3 lm_rot_axis_angle(lm_v3 axis, double angle)
{
    if (angle == 0) return m3_identity();
    return quat_m3(lm_quat_exp(v3_mul(angle, v3_unit(axis))));
}

/* c(a) = (1 - (a/2) cot(a/2)) / a^2 and, unless NULL, c1 = c'(a) / a.
 * c = sum of |B_2k| a^(2k-2) / (2k)!, whose terms fall by 4 pi^2; the closed forms lose digits for
 * small a. */
static void log_coefficients(double a2, double *c, double *c1)
{
    static const double series[] = {1.0 / 12,
                                    1.0 / 720,
                                    1.0 / 30240,
                                    1.0 / 1209600,
                                    1.0 / 47900160,
                                    691.0 / 1307674368000,
                                    1.0 / 74724249600,
                                    3617.0 / 10670622842880000,
                                    43867.0 / 5109094217170944000,
                                    174611.0 / 802857662698291200000.0};
    enum { N = sizeof series / sizeof *series };
    double sum = 0, slope = 0;
    if (a2 < 1) {
        for (int k = N - 1; k >= 0; k--) sum = sum * a2 + series[k];
        if (c1)
            for (int k = N - 1; k >= 1; k--) slope = slope * a2 + 2 * k * series[k];
    } else {
        double h = 0.5 * sqrt(a2), s = h / sin(h), t = h / tan(h);
        sum = (1 - t) / a2;
        slope = (t + s * s - 2) / (a2 * a2);
    }
    *c = sum;
    if (c1) *c1 = slope;
}

/* T^-1 = I - 1/2 skew(psi) + (1 - (a/2) cot(a/2)) / a^2 skew(psi)^2 */
lm_m3 lm_rot_tangent_inverse(lm_v3 psi)
{
    double c;
    log_coefficients(v3_dot(psi, psi), &c, NULL);
    lm_m3 T = m3_add(m3_scale(-0.5, m3_skew(psi)), m3_scale(c, m3_skew_skew(psi, psi)));
    return m3_add(m3_identity(), T);
}

/* Without the matrix: x + psi x (c psi x x - x/2). */
lm_v3 lm_rot_tangent_inverse_of(lm_v3 psi, lm_v3 x)
{
    double c;
    log_coefficients(v3_dot(psi, psi), &c, NULL);
    lm_v3 inner = v3_sub(v3_mul(c, v3_cross(psi, x)), v3_mul(0.5, x));
    return v3_add(x, v3_cross(psi, inner));
}

lm_m3 lm_rot_tangent_inverse_change(lm_v3 psi, lm_v3 x, double side)
{
    double c, c1;
    log_coefficients(v3_dot(psi, psi), &c, &c1);
    lm_v3 px = v3_cross(psi, x);
    lm_m3 first = m3_add(m3_skew(px), m3_skew_skew(psi, x));
    lm_m3 D = m3_add(m3_scale(0.5 * side, m3_skew(x)), m3_scale(-c, first));
    return m3_add(D, m3_scale(c1, m3_outer(v3_cross(psi, px), psi)));
}

/* T = I + (1 - cos a)/a^2 skew(psi) + (a - sin a)/a^3 skew(psi)^2 */
lm_m3 lm_rot_tangent(lm_v3 psi)
{
    double a2 = v3_dot(psi, psi), c1, c2;
    if (a2 < 1e-4) {
        c1 = 0.5 * (1 - a2 / 12 * (1 - a2 / 30));
        c2 = 1.0 / 6 * (1 - a2 / 20 * (1 - a2 / 42));
    } else {
        double a = sqrt(a2);
        c1 = (1 - cos(a)) / a2;
        c2 = (a - sin(a)) / (a2 * a);
    }
    lm_m3 T = m3_add(m3_scale(c1, m3_skew(psi)), m3_scale(c2, m3_skew_skew(psi, psi)));
    return m3_add(m3_identity(), T);
}

lm_m3 lm_triad(lm_v3 axis)
{
    lm_v3 e3 = v3_unit(axis);
    /* start from the global axis that is least along e3, so that x gives (y, z, x) and so on */
    double ax = fabs(e3.x), ay = fabs(e3.y), az = fabs(e3.z);
    lm_v3 s = az >= ax && az >= ay ? v3(1, 0, 0) : ax >= ay ? v3(0, 1, 0) : v3(0, 0, 1);
    lm_v3 e1 = v3_unit(v3_sub(s, v3_mul(v3_dot(s, e3), e3)));
    return m3_cols(e1, v3_cross(e3, e1), e3);
}

double lm_angle_near(double angle, double near)
{
    const double turn = 6.283185307179586476925286766559;
    return angle + turn * floor((near - angle) / turn + 0.5);
}
