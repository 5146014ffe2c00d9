/* A pose between two instants, by polynomials of fifth degree through its velocity and acceleration at both. */
#include "analysis/rigid_motion.h"

/* Value, slope and curvature at x of the quintic that has p, v h, a h^2 at both ends. */
static void quintic(const double p[2], const double v[2], const double a[2], double h, double x,
                    double out[3])
{
    double V[2] = {v[0] * h, v[1] * h}, A[2] = {a[0] * h * h, a[1] * h * h};
    double D = p[1] - p[0];
    double c3 = 10 * D - 6 * V[0] - 4 * V[1] - 1.5 * A[0] + 0.5 * A[1];
    double c4 = -15 * D + 8 * V[0] + 7 * V[1] + 1.5 * A[0] - A[1];
    double c5 = 6 * D - 3 * (V[0] + V[1]) - 0.5 * (A[0] - A[1]);
    out[0] = p[0] + x * (V[0] + x * (0.5 * A[0] + x * (c3 + x * (c4 + x * c5))));
    out[1] = (V[0] + x * (A[0] + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)))) / h;
    out[2] = (A[0] + x * (6 * c3 + x * (12 * c4 + x * 20 * c5))) / (h * h);
}

static lm_quat half(lm_v3 w, lm_quat q) /* (0, w) q / 2 */
{
    lm_quat p = quat_mul((lm_quat){0, w.x, w.y, w.z}, q);
    return (lm_quat){0.5 * p.w, 0.5 * p.x, 0.5 * p.y, 0.5 * p.z};
}

/* The quaternion and its derivatives at one end: q. = w q/2, q.. = al q/2 - |w|^2 q/4. */
static void turn_end(const double *q, const double *w, const double *al, double sign,
                     double out[3][4])
{
    lm_quat p = quat_from(q);
    p = (lm_quat){sign * p.w, sign * p.x, sign * p.y, sign * p.z};
    double ww = 0.25 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    lm_quat d = half(v3_from(w), p), dd = half(v3_from(al), p);
    quat_put(out[0], p);
    quat_put(out[1], d);
    quat_put(out[2], (lm_quat){dd.w - ww * p.w, dd.x - ww * p.x, dd.y - ww * p.y, dd.z - ww * p.z});
}

/* Of the unit quaternion along Q: w = 2 vec(Q. Q^*)/|Q|^2, and its rate. */
static void turn_of(const lm_quat Q[3], double *q, double *w, double *al)
{
    lm_quat p = quat_turn(Q[0], Q[1]), r = quat_turn(Q[0], Q[2]), s = quat_turn(Q[1], Q[1]);
    double n = Q[0].w * Q[0].w + Q[0].x * Q[0].x + Q[0].y * Q[0].y + Q[0].z * Q[0].z;
    double dn = 2 * p.w; /* d|Q|^2/dt */
    lm_v3 a = v3(p.x, p.y, p.z), b = v3_add(v3(r.x, r.y, r.z), v3(s.x, s.y, s.z));
    quat_put(q, quat_unit(Q[0]));
    v3_put(w, v3_mul(2 / n, a));
    v3_put(al, v3_sub(v3_mul(2 / n, b), v3_mul(2 * dn / (n * n), a)));
}

void lm_pose_between(const lm_known_pose end[2], double h, double x, double *q, double *v,
                     double *a)
{
    double Q[2][3][4], o[3], same = 0, mid[3][4];
    for (int i = 0; i < 3; i++) {
        quintic((double[]){end[0].q[i], end[1].q[i]}, (double[]){end[0].v[i], end[1].v[i]},
                (double[]){end[0].a[i], end[1].a[i]}, h, x, o);
        q[i] = o[0], v[i] = o[1], a[i] = o[2];
    }
    for (int i = 3; i < 7; i++) same += end[0].q[i] * end[1].q[i];
    turn_end(end[0].q + 3, end[0].v + 3, end[0].a + 3, 1, Q[0]);
    turn_end(end[1].q + 3, end[1].v + 3, end[1].a + 3, same < 0 ? -1 : 1, Q[1]);
    for (int i = 0; i < 4; i++) {
        quintic((double[]){Q[0][0][i], Q[1][0][i]}, (double[]){Q[0][1][i], Q[1][1][i]},
                (double[]){Q[0][2][i], Q[1][2][i]}, h, x, o);
        for (int d = 0; d < 3; d++) mid[d][i] = o[d];
    }
    lm_quat all[3] = {quat_from(mid[0]), quat_from(mid[1]), quat_from(mid[2])};
    turn_of(all, q + 3, v + 3, a + 3);
}
