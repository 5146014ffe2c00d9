/* Places between the nodes of a beam: how the axis and the section there move with the element's
 * nodes. The displacements are those that the element's stiffness and mass are made of
 * (docs/theory/beam-results.md). */
#include "form/nodal.h"

#include "form/nodal_jet.h"

/* ---- the share of each deformation in the displacement at a place ---- */

/* Integrals over the element from 0 to xi. */
typedef struct flexibility {
    double EA, GJ;
    double Iz[3], Iy[3]; /* of 1/EI, x/EI, x^2/EI */
    double Ay, Az;       /* of 1/GA */
} flexibility;

/* Gauss's rule of four points on pieces: exact for a uniform section, near enough for a taper. */
static flexibility integrate(const lm_model *m, int body, const lm_element *e, double xi,
                             double *scratch)
{
    static const double z[] = {0.3399810435848563, 0.8611363115940526},
                        weight[] = {0.6521451548625461, 0.3478548451374538};
    enum { PIECES = 16 };
    int shear = m->spec->bodies.at[body].timoshenko;
    flexibility f = {0};
    for (int k = 0; k < 4 * PIECES; k++) {
        double side = k % 2 ? 1 : -1, at = k / 4 + 0.5 + side * 0.5 * z[k / 2 % 2];
        double x = xi * at / PIECES, w = 0.5 * xi / PIECES * weight[k / 2 % 2];
        lm_section c;
        lm_beam_section(m, body, (1 - x) * e->s[0] + x * e->s[1], scratch, &c);
        f.EA += w / c.EA;
        f.GJ += w / c.GJ;
        for (int i = 0; i < 3; i++) {
            double power = i == 0 ? w : i == 1 ? w * x : w * x * x;
            f.Iz[i] += power / c.EIz;
            f.Iy[i] += power / c.EIy;
        }
        f.Ay += shear ? w / c.GAy : 0;
        f.Az += shear ? w / c.GAz : 0;
    }
    return f;
}

/* Deflection and turn of the section for a unit turn of either end against the chord:
 *   phi = b_a + L C0,  v = L (b_a xi + L (xi C0 - C1)) - (m_a + m_b) int 1/GA
 * with C0, C1 the integrals of the curvature and of x times it. k: stiffness of the end turns. */
static void bending(const double k[3], double L, double xi, const double I[3], double A,
                    double deflect[2], double turn[2])
{
    for (int e = 0; e < 2; e++) {
        double ma = k[e], mb = k[e + 1], ba = e == 0;
        double C0 = mb * I[1] - ma * (I[0] - I[1]), C1 = mb * I[2] - ma * (I[1] - I[2]);
        turn[e] = ba + L * C0;
        deflect[e] = L * (ba * xi + L * (xi * C0 - C1)) - (ma + mb) * A;
    }
}

void nodal_place_make(const lm_model *m, int body, double s, double *scratch, nodal_place *p)
{
    *p = (nodal_place){0};
    p->element = lm_beam_locate(m, body, s, &p->xi);
    const lm_element *e = &m->elements[p->element];
    const lm_beam_shape *c = &e->shape;
    flexibility f = integrate(m, body, e, p->xi, scratch);
    p->axial = f.EA * c->L * c->ka;
    p->twist = f.GJ * c->L * c->kt;
    bending(c->kz, c->L, p->xi, f.Iz, f.Ay, p->deflect_z, p->turn_z);
    bending(c->ky, c->L, p->xi, f.Iy, f.Az, p->deflect_y, p->turn_y);
}

/* ---- rotation vectors ---- */

/* atan(t)/t and two derivatives with respect to z = t^2, from 2 z f' + f = 1/(1 + z) and its
 * derivative; near 0, where these lose digits, from the series. */
static jet atan_over(jet z)
{
    double f = 0, f1 = 0, f2 = 0, x = z.x;
    if (x > 0.03) {
        f = atan(sqrt(x)) / sqrt(x);
        f1 = (1 / (1 + x) - f) / (2 * x);
        f2 = -(1 / ((1 + x) * (1 + x)) + 3 * f1) / (2 * x);
        return jet_of(z, f, f1, f2);
    }
    for (int k = 12; k >= 0; k--) { /* Horner, with both derivatives */
        f2 = f2 * x + 2 * f1;
        f1 = f1 * x + f;
        f = f * x + (k % 2 ? -1.0 : 1.0) / (2 * k + 1);
    }
    return jet_of(z, f, f1, f2);
}

/* Rotation vector b of the axes T against E, in E's axes: exp(b) = E^T T. With w = cos(|b|/2),
 * 1 + trace = 4 w^2, and tau = tan(|b|/4) b/|b| = skew part / (4 w^2 + 4 w). */
static jet3 rotation_vector(const jet_axes *E, const jet_axes *T)
{
    jet S[3][3], w2 = {1, 0, 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) S[i][j] = jet3_dot(E->e[i], T->e[j]);
    for (int i = 0; i < 3; i++) w2 = jet_add(w2, S[i][i]);
    jet3 skew =
        jet3_of(jet_sub(S[2][1], S[1][2]), jet_sub(S[0][2], S[2][0]), jet_sub(S[1][0], S[0][1]));
    jet over = jet_add(w2, jet_scale(2, jet_power(w2, 0.5)));
    jet3 tau = jet3_mul(jet_power(over, -1), skew);
    return jet3_mul(jet_scale(4, atan_over(jet3_dot(tau, tau))), tau);
}

/* Sums over k of (-z)^k / (2k + first)!: sin(t)/t with first 1, (1 - cos t)/t^2 with first 2, at
 * z = t^2 up to half a turn and more. */
static jet trig_series(jet z, int first)
{
    enum { TERMS = 16 };
    double c[TERMS], f = 0, f1 = 0, f2 = 0;
    c[0] = 1.0 / first;
    for (int k = 1; k < TERMS; k++) c[k] = -c[k - 1] / ((2 * k + first) * (2 * k + first - 1));
    for (int k = TERMS - 1; k >= 0; k--) {
        f2 = f2 * z.x + 2 * f1;
        f1 = f1 * z.x + f;
        f = f * z.x + c[k];
    }
    return jet_of(z, f, f1, f2);
}

/* exp(b) = I + sin t/t [b] + (1 - cos t)/t^2 [b]^2, t = |b|. */
static jet_axes turned(const jet_axes *E, jet3 b)
{
    jet z = jet3_dot(b, b), A = trig_series(z, 1), B = trig_series(z, 2);
    jet_axes T;
    for (int i = 0; i < 3; i++) {
        jet3 e = {.x = v3(i == 0, i == 1, i == 2)}, y = jet3_cross(b, e);
        e = jet3_add(e, jet3_add(jet3_mul(A, y), jet3_mul(B, jet3_cross(b, y))));
        T.e[i] = jet_axes_v(E, e);
    }
    return T;
}

/* ---- motion of a place ---- */

typedef struct node_motion {
    jet3 x;
    jet_axes T; /* section axes */
} node_motion;

static lm_v3 part(const double *v, int node, int angular)
{
    return v ? v3_from(v + NODE_V * node + 3 * angular) : v3(0, 0, 0);
}

static node_motion motion_of(const nodal *s, const lm_state *st, int node, const lm_m3 *A)
{
    lm_m3 T = m3_mul(&s->kin.R[node], A);
    return (node_motion){{node_x(st->q, node), part(st->v, node, 0), part(st->a, node, 0)},
                         jet_turning(&T, part(st->v, node, 1), part(st->a, node, 1))};
}

/* e1 along the chord, e3 normal to it and to the sum of both sections' y axes. */
static jet_axes chord_axes(const node_motion n[2], jet3 d)
{
    jet_axes E;
    E.e[0] = jet3_unit(d);
    E.e[2] = jet3_unit(jet3_cross(E.e[0], jet3_add(n[0].T.e[1], n[1].T.e[1])));
    E.e[1] = jet3_cross(E.e[2], E.e[0]);
    return E;
}

static jet weighed(const double w[2], jet3 a, jet3 b, int i)
{
    return jet_add(jet_scale(w[0], jet3_get(a, i)), jet_scale(w[1], jet3_get(b, i)));
}

void nodal_place_motion(const nodal *s, const lm_state *st, const nodal_place *p, frame_kin *out)
{
    const lm_element *e = &s->m->elements[p->element];
    const double L = e->shape.L, twist[2] = {1 - p->twist, p->twist};
    node_motion n[2];
    for (int i = 0; i < 2; i++) n[i] = motion_of(s, st, e->node[i], &e->A[i]);
    jet3 d = jet3_sub(n[1].x, n[0].x);
    jet_axes E = chord_axes(n, d);
    jet3 a = rotation_vector(&E, &n[0].T), b = rotation_vector(&E, &n[1].T);
    jet along = jet_scale(p->axial, jet_power(jet3_dot(d, d), 0.5)); /* xi L + axial (l - L) */
    along.x += (p->xi - p->axial) * L;
    jet3 at = jet3_of(along, weighed(p->deflect_z, a, b, 2),
                      jet_scale(-1, weighed(p->deflect_y, a, b, 1)));
    jet3 turn =
        jet3_of(weighed(twist, a, b, 0), weighed(p->turn_y, a, b, 1), weighed(p->turn_z, a, b, 2));
    jet3 x = jet3_add(n[0].x, jet_axes_v(&E, at));
    jet_axes T = turned(&E, turn);
    *out = (frame_kin){.x = x.x, .v = x.v, .a = x.a};
    jet_turn_of(&T, &out->R, &out->w, &out->al);
}

lm_m3 nodal_chord_axes(const nodal *s, const lm_state *st, const int node[2], const lm_m3 A[2])
{
    const lm_state at = {.q = st->q};
    node_motion n[2];
    for (int i = 0; i < 2; i++) n[i] = motion_of(s, &at, node[i], &A[i]);
    jet_axes E = chord_axes(n, jet3_sub(n[1].x, n[0].x));
    return m3_cols(E.e[0].x, E.e[1].x, E.e[2].x);
}
