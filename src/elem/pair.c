#include "elem/pair.h"

/* A rotation measure depends on psi_b - psi_a through g: rate = g . (omega_b - omega_a), and
 * dg = A psi_a + B psi_b. */
typedef struct rot_part {
    double value;
    lm_v3 g;
    lm_m3 A, B;
} rot_part;

/* e . f:  g = f x e,  A = -skew(f) skew(e),  B = skew(e) skew(f). */
static rot_part dot_part(lm_v3 e, lm_v3 f, int tangent)
{
    rot_part p;
    p.value = v3_dot(e, f);
    p.g = v3_cross(f, e);
    if (tangent) {
        p.A = m3_scale(-1, m3_skew_skew(f, e));
        p.B = m3_skew_skew(e, f);
    }
    return p;
}

static rot_part combine(double s, const rot_part *p, double t, const rot_part *q, int tangent)
{
    rot_part r;
    r.value = s * p->value + t * q->value;
    r.g = v3_add(v3_mul(s, p->g), v3_mul(t, q->g));
    if (tangent) {
        r.A = m3_add(m3_scale(s, p->A), m3_scale(t, q->A));
        r.B = m3_add(m3_scale(s, p->B), m3_scale(t, q->B));
    }
    return r;
}

/* angle = atan2(S, C): g = (C gS - S gC)/n, n = S^2 + C^2, and
 * dg = (gS dC + C dgS - gC dS - S dgC)/n - g dn/n with dS = gS.(psi_b - psi_a), likewise dC. */
static rot_part angle_part(const rot_part *S, const rot_part *C, int tangent)
{
    double n = S->value * S->value + C->value * C->value;
    rot_part p = combine(C->value / n, S, -S->value / n, C, tangent);
    p.value = atan2(S->value, C->value);
    if (!tangent) return p;
    lm_v3 dn = v3_add(v3_mul(2 * S->value, S->g), v3_mul(2 * C->value, C->g));
    lm_m3 X = m3_add(m3_outer(S->g, C->g), m3_scale(-1, m3_outer(C->g, S->g)));
    X = m3_scale(1 / n, m3_add(X, m3_scale(-1, m3_outer(p.g, dn))));
    p.B = m3_add(p.B, X);
    p.A = m3_add(p.A, m3_scale(-1, X));
    return p;
}

/* Twist about the third axis: S = f1.e2 - f2.e1, C = f1.e1 + f2.e2. */
static rot_part twist_part(const lm_pair_pose *p, int tangent)
{
    lm_v3 e1 = m3_col(&p->e, 0), e2 = m3_col(&p->e, 1), f1 = m3_col(&p->f, 0),
          f2 = m3_col(&p->f, 1);
    rot_part a = dot_part(e2, f1, tangent), b = dot_part(e1, f2, tangent);
    rot_part c = dot_part(e1, f1, tangent), d = dot_part(e2, f2, tangent);
    rot_part S = combine(1, &a, -1, &b, tangent), C = combine(1, &c, 1, &d, tangent);
    return angle_part(&S, &C, tangent);
}

/* The cross of a universal joint has the axes e1 (on a) and f2 (on b). */
static rot_part universal_part(lm_measure m, const lm_pair_pose *p, int tangent)
{
    lm_v3 e1 = m3_col(&p->e, 0), e2 = m3_col(&p->e, 1), e3 = m3_col(&p->e, 2);
    lm_v3 f1 = m3_col(&p->f, 0), f2 = m3_col(&p->f, 1), f3 = m3_col(&p->f, 2);
    int first = m == LM_ANGLE1;
    rot_part S = first ? dot_part(e3, f2, tangent) : dot_part(e1, f3, tangent);
    rot_part C = first ? dot_part(e2, f2, tangent) : dot_part(e1, f1, tangent);
    return angle_part(&S, &C, tangent);
}

/* theta = log(e^T f). In a's axes its rate is Tinv(theta) (omega_b - omega_a). */
static lm_v3 rotvec(const lm_pair_pose *p)
{
    lm_m3 Q = m3_tmul(&p->e, &p->f);
    return lm_quat_log(lm_quat_from_m3(&Q));
}

/* With u the unit vector i:  g = e w,  w = Tinv(theta)^T u = Tinv(-theta) u. */
static rot_part rotvec_part(int i, const lm_pair_pose *p, int tangent)
{
    lm_v3 th = rotvec(p), u = v3(i == 0, i == 1, i == 2);
    rot_part r = {.value = v3_get(th, i),
                  .g = m3_v(&p->e, lm_rot_tangent_inverse_of(v3_neg(th), u))};
    if (!tangent) return r;
    /* dw/dtheta, then theta' = Tinv e^T (psi_b - psi_a); and the triad e turns with psi_a */
    lm_m3 W = lm_rot_tangent_inverse_change(th, u, -1), T = lm_rot_tangent_inverse(th);
    lm_m3 X = m3_mul(&W, &T), et = m3_t(&p->e);
    X = m3_mul(&X, &et);
    X = m3_mul(&p->e, &X);
    r.B = X;
    r.A = m3_add(m3_scale(-1, X), m3_scale(-1, m3_skew(r.g)));
    return r;
}

/* No function of the poses has the rate e . (omega_b - omega_a): g = e is not a gradient. */
static rot_part spin_part(lm_v3 e) { return (rot_part){.g = e, .A = m3_scale(-1, m3_skew(e))}; }

void lm_measure_rotvec(const lm_pair_pose *p, double value[3], lm_v3 g[3])
{
    lm_v3 th = rotvec(p);
    lm_m3 T = lm_rot_tangent_inverse(v3_neg(th));
    v3_put(value, th);
    for (int i = 0; i < 3; i++) g[i] = m3_v(&p->e, m3_col(&T, i));
}

static rot_part rotation(lm_measure m, int i, int j, const lm_pair_pose *p, int tangent)
{
    if (m == LM_DOT) return dot_part(m3_col(&p->e, i), m3_col(&p->f, j), tangent);
    if (m == LM_TWIST) return twist_part(p, tangent);
    if (m == LM_ROTVEC) return rotvec_part(i, p, tangent);
    if (m == LM_SPIN) return spin_part(m3_col(&p->e, i));
    if (m == LM_ANGLE1 || m == LM_ANGLE2) return universal_part(m, p, tangent);
    int a = (i + 1) % 3, b = (i + 2) % 3;
    rot_part u = dot_part(m3_col(&p->e, b), m3_col(&p->f, a), tangent);
    rot_part w = dot_part(m3_col(&p->e, a), m3_col(&p->f, b), tangent);
    return combine(0.5, &u, -0.5, &w, tangent);
}

static double twist_value(const lm_pair_pose *p)
{
    const double *e = p->e.m, *f = p->f.m;
    double s = v3_dot(v3_from(f), v3_from(e + 3)) - v3_dot(v3_from(f + 3), v3_from(e));
    return atan2(s, v3_dot(v3_from(f), v3_from(e)) + v3_dot(v3_from(f + 3), v3_from(e + 3)));
}

/* Gradient of the twist in closed form: (e3 + f3)/(1 + e3.f3). */
static lm_v3 twist_gradient(const lm_pair_pose *p)
{
    lm_v3 e3 = m3_col(&p->e, 2), f3 = m3_col(&p->f, 2);
    return v3_mul(1 / (1 + v3_dot(e3, f3)), v3_add(e3, f3));
}

static lm_v3 rotation_gradient(lm_measure m, int i, int j, const lm_pair_pose *p)
{
    if (m == LM_DOT) return v3_cross(m3_col(&p->f, j), m3_col(&p->e, i));
    if (m == LM_TWIST) return twist_gradient(p);
    if (m == LM_SPIN) return m3_col(&p->e, i);
    return rotation(m, i, j, p, 0).g;
}

static lm_v3 axis(int i) { return v3(i == 0, i == 1, i == 2); }

/* The axis along which a displacement is measured, (e_i + f_i)/2 or e_i, as its parts on a and b. */
static void axis_parts(lm_measure m, int i, const lm_pair_pose *p, lm_v3 part[2])
{
    part[0] = part[1] = v3(0, 0, 0);
    if (m == LM_ALONG) part[0] = m3_col(&p->e, i);
    if (m != LM_MEAN) return;
    part[0] = v3_mul(0.5, m3_col(&p->e, i));
    part[1] = v3_mul(0.5, m3_col(&p->f, i));
}

/* Force direction on b of the translational measures. */
static lm_v3 direction(lm_measure m, int i, const lm_pair_pose *p)
{
    lm_v3 part[2];
    if (m == LM_POINT) return axis(i);
    if (m == LM_LENGTH) return v3_mul(1 / v3_norm(p->d), p->d);
    axis_parts(m, i, p, part);
    return v3_add(part[0], part[1]);
}

double lm_measure_value(lm_measure m, int i, int j, const lm_pair_pose *p)
{
    if (m == LM_POINT) return v3_get(p->d, i);
    if (m == LM_ALONG || m == LM_MEAN) return v3_dot(direction(m, i, p), p->d);
    if (m == LM_LENGTH) return v3_norm(p->d);
    if (m == LM_DOT) return v3_dot(m3_col(&p->e, i), m3_col(&p->f, j));
    if (m == LM_TWIST) return twist_value(p);
    if (m == LM_ROTVEC) return v3_get(rotvec(p), i);
    return rotation(m, i, j, p, 0).value;
}

void lm_measure_grad(lm_measure m, int i, int j, const lm_pair_pose *p, lm_v3 G[LM_PAIR_BLOCKS])
{
    if (lm_measure_is_rotation(m)) {
        lm_v3 g = rotation_gradient(m, i, j, p);
        G[LM_XA] = G[LM_XB] = v3(0, 0, 0);
        G[LM_PA] = v3_neg(g);
        G[LM_PB] = g;
        return;
    }
    lm_v3 g = direction(m, i, p), part[2];
    G[LM_XA] = v3_neg(g);
    G[LM_XB] = g;
    G[LM_PB] = v3_cross(p->rho[1], g);
    G[LM_PA] = v3_cross(g, p->rho[0]);
    if (m != LM_ALONG && m != LM_MEAN) return;
    axis_parts(m, i, p, part);
    G[LM_PA] = v3_add(G[LM_PA], v3_cross(part[0], p->d));
    if (m == LM_MEAN) G[LM_PB] = v3_add(G[LM_PB], v3_cross(part[1], p->d));
}

enum { ROT_SET = 1 << 5 | 1 << 7 | 1 << 13 | 1 << 15, POINT_SET = 1 << 5 | 1 << 15 };

unsigned lm_measure_blocks(lm_measure m)
{
    if (lm_measure_is_rotation(m)) return ROT_SET;
    return m == LM_POINT ? POINT_SET : 0xffff;
}

static unsigned rotation_hess(lm_measure m, int i, int j, const lm_pair_pose *p,
                              lm_m3 H[LM_PAIR_BLOCKS][LM_PAIR_BLOCKS])
{
    rot_part r = rotation(m, i, j, p, 1);
    H[LM_PB][LM_PA] = r.A;
    H[LM_PB][LM_PB] = r.B;
    H[LM_PA][LM_PA] = m3_scale(-1, r.A);
    H[LM_PA][LM_PB] = m3_scale(-1, r.B);
    return ROT_SET;
}

/* The axis u of a side turns with it: d(u x d) = skew(d) skew(u) psi + skew(u) dd in the row of that
 * side, dd = dxb - dxa - skew(rho_b) psi_b + skew(rho_a) psi_a. */
static void axis_turns(const lm_pair_pose *p, int row, lm_v3 u,
                       lm_m3 H[LM_PAIR_BLOCKS][LM_PAIR_BLOCKS])
{
    lm_m3 S = m3_skew(u), sa = m3_skew(p->rho[0]), sb = m3_skew(p->rho[1]);
    H[row][row] = m3_add(H[row][row], m3_skew_skew(p->d, u));
    H[row][LM_PA] = m3_add(H[row][LM_PA], m3_mul(&S, &sa));
    H[row][LM_PB] = m3_add(H[row][LM_PB], m3_scale(-1, m3_mul(&S, &sb)));
    H[row][LM_XA] = m3_add(H[row][LM_XA], m3_scale(-1, S));
    H[row][LM_XB] = m3_add(H[row][LM_XB], S);
}

/* Translational measures: the direction g changes by dg = P dd + Qa psi_a + Qb psi_b. */
unsigned lm_measure_hess(lm_measure m, int i, int j, const lm_pair_pose *p,
                         lm_m3 H[LM_PAIR_BLOCKS][LM_PAIR_BLOCKS])
{
    if (lm_measure_is_rotation(m)) return rotation_hess(m, i, j, p, H);
    lm_v3 g = direction(m, i, p), part[2];
    lm_m3 ta = m3_scale(-1, m3_skew_skew(g, p->rho[0])), tb = m3_skew_skew(g, p->rho[1]);
    if (m == LM_POINT) {
        H[LM_PA][LM_PA] = ta;
        H[LM_PB][LM_PB] = tb;
        return POINT_SET;
    }
    lm_m3 P = {{0}}, sa = m3_skew(p->rho[0]), sb = m3_skew(p->rho[1]), C[LM_PAIR_BLOCKS];
    if (m == LM_LENGTH)
        P = m3_scale(1 / v3_norm(p->d), m3_add(m3_identity(), m3_scale(-1, m3_outer(g, g))));
    axis_parts(m, i, p, part);
    C[LM_XA] = m3_scale(-1, P);
    C[LM_PA] = m3_add(m3_mul(&P, &sa), m3_skew(v3_neg(part[0])));
    C[LM_XB] = P;
    C[LM_PB] = m3_scale(-1, m3_add(m3_mul(&P, &sb), m3_skew(part[1])));
    for (int c = 0; c < LM_PAIR_BLOCKS; c++) {
        H[LM_XA][c] = m3_scale(-1, C[c]);
        H[LM_XB][c] = C[c];
        H[LM_PB][c] = m3_mul(&sb, &C[c]);
        H[LM_PA][c] = m3_scale(-1, m3_mul(&sa, &C[c]));
    }
    H[LM_PA][LM_PA] = m3_add(H[LM_PA][LM_PA], ta);
    H[LM_PB][LM_PB] = m3_add(H[LM_PB][LM_PB], tb);
    if (m != LM_LENGTH) axis_turns(p, LM_PA, part[0], H);
    if (m == LM_MEAN) axis_turns(p, LM_PB, part[1], H);
    return 0xffff;
}

double lm_measure_bias(lm_measure m, int i, int j, const lm_pair_pose *p,
                       const lm_v3 v[LM_PAIR_BLOCKS])
{
    lm_m3 H[LM_PAIR_BLOCKS][LM_PAIR_BLOCKS];
    unsigned set = lm_measure_hess(m, i, j, p, H);
    double sum = 0;
    for (int r = 0; r < LM_PAIR_BLOCKS; r++)
        for (int c = 0; c < LM_PAIR_BLOCKS; c++)
            if (set >> (4 * r + c) & 1) sum += v3_dot(v[r], m3_v(&H[r][c], v[c]));
    return sum;
}
