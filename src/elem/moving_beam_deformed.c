/* Small vibrations of an element about a deformed state: docs/theory/elastodynamic.md.
 *
 * Seen from the section half way between the ends, where c leads from a to b, the deformations are
 *
 *     the length of c,   m = (0, c_z, -c_y)/L,   kappa - kappa x mu,    mu = (1 - s) m: what of m bends,
 *
 * kappa the rotation of b against a. They change by B (du, psi): B^T k B.
 *
 * Of second order Reissner's strains are
 *
 *     -theta x u' + theta x (theta x e1)/2,   -theta x theta'/2,
 *
 * on which shear forces and moments do work. What the axial force does is in lm_moving_beam_matrices. */
#include "elem/moving_beam.h"

#include "elem/beam_shape_int.h"

#include <string.h>

/* Second derivative of the potential s a b. */
static void add_product(double s, const double a[12], const double b[12], double K[12][12])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) K[i][j] += s * (a[i] * b[j] + b[i] * a[j]);
}

/* ---- constants ---- */

typedef struct fields { /* at a point, over the displacements of the ends: u', theta, theta' */
    double du[3][12], th[3][12], dth[3][12];
} fields;

/* The curvatures are the moments of the displacements over the stiffnesses. */
static fields fields_at(const lm_moving_beam *e, const lm_beam_point *p)
{
    static const int xy[] = {1, 5, 7, 11}, xz[] = {2, 4, 8, 10};
    const double EI[3] = {p->s.GJ, p->s.EIy, p->s.EIz};
    double s = p->x / e->L;
    fields f = {.du = {{[0] = -1 / e->L, [6] = 1 / e->L}}};
    for (int i = 0; i < 2; i++) f.th[0][3 + 6 * i] = p->rx[i];
    for (int i = 0; i < 4; i++) {
        f.du[1][xy[i]] = p->dv[i], f.th[2][xy[i]] = p->rz[i];
        f.du[2][xz[i]] = p->dw[i], f.th[1][xz[i]] = p->ry[i];
    }
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 12; j++)
            f.dth[k][j] = (s * e->k[9 + k][j] - (1 - s) * e->k[3 + k][j]) / EI[k];
    return f;
}

static void add_strains(const lm_moving_beam *e, const lm_beam_point *p, double second[7][12][12])
{
    fields f = fields_at(e, p);
    double dx = p->dx, b = p->x / e->L * dx, a = dx - b, *x = f.th[0], *y = f.th[1], *z = f.th[2];
    add_product(dx, x, f.du[2], second[LM_MOVING_VY]);
    add_product(0.5 * dx, x, y, second[LM_MOVING_VY]);
    add_product(-dx, z, f.du[0], second[LM_MOVING_VY]);
    add_product(dx, y, f.du[0], second[LM_MOVING_VZ]);
    add_product(-dx, x, f.du[1], second[LM_MOVING_VZ]);
    add_product(0.5 * dx, x, z, second[LM_MOVING_VZ]);
    add_product(-0.5 * dx, y, f.dth[2], second[LM_MOVING_T]);
    add_product(0.5 * dx, z, f.dth[1], second[LM_MOVING_T]);
    for (int end = 0; end < 2; end++) {
        double s = 0.5 * (end ? b : a);
        add_product(-s, z, f.dth[0], second[LM_MOVING_MYA + end]);
        add_product(s, x, f.dth[2], second[LM_MOVING_MYA + end]);
        add_product(-s, x, f.dth[1], second[LM_MOVING_MZA + end]);
        add_product(s, y, f.dth[0], second[LM_MOVING_MZA + end]);
    }
}

void lm_moving_beam_second(const lm_beam_point *p, int n, lm_moving_beam *e)
{
    for (int i = 0; i < n; i++) add_strains(e, &p[i], e->second);
}

/* ---- the deformed element ---- */

typedef struct middle { /* section half way between the ends, as they are displaced */
    lm_m3 axes;
    lm_v3 c, kappa,
        m;       /* in its axes: from a to b, b turned against a, both turned against the chord */
    lm_v3 bends; /* part of m that is bending, not shear */
    lm_v3 per_length; /* of m: what bends is an angle, what shears a strain */
} middle;

static middle middle_of(const lm_moving_beam *e, const double d[12])
{
    lm_v3 a = v3_from(d + 3), b = v3_from(d + 9);
    lm_v3 along = v3_add(v3(e->L, 0, 0), v3_sub(v3_from(d + 6), v3_from(d)));
    middle o = {.axes = quat_m3(lm_quat_exp(v3_mul(0.5, v3_add(a, b)))),
                .kappa = v3_sub(b, a),
                .bends = v3(0, e->bends[0], e->bends[1])};
    o.c = m3_tv(&o.axes, along);
    o.m = v3(0, o.c.z / e->L, -o.c.y / e->L);
    double angle = 1 / v3_norm(o.c), strain = 1 / e->L;
    o.per_length =
        v3(0, strain + o.bends.y * (angle - strain), strain + o.bends.z * (angle - strain));
    return o;
}

static lm_v3 scaled(lm_v3 by, lm_v3 x) { return v3(by.x * x.x, by.y * x.y, by.z * x.z); }

/* What elongates the element: c, of which shear is no part. */
static lm_v3 stretch_direction(const middle *o)
{
    double y = 1 - o->bends.z, z = 1 - o->bends.y;
    return v3_unit(v3(o->c.x, (1 - y * y) * o->c.y, (1 - z * z) * o->c.z));
}

/* Deformations of the ends for the displacement j: column of B over the rows of k. */
static void deformation(const middle *o, int j, double B[12][12])
{
    lm_v3 unit = v3(j % 3 == 0, j % 3 == 1, j % 3 == 2), none = v3(0, 0, 0);
    double sign = j < 6 ? -1 : 1;
    int turns = j / 3 % 2;
    lm_v3 D = turns ? v3_mul(sign, unit) : none, mean = turns ? v3_mul(0.5, unit) : none;
    mean = v3_sub(mean, v3_mul(0.125, v3_cross(o->kappa, D)));
    lm_v3 dc = v3_sub(turns ? none : v3_mul(sign, unit), v3_cross(mean, o->c));
    lm_v3 bow =
        v3_add(v3_cross(D, v3_cross(o->kappa, o->c)), v3_cross(o->kappa, v3_cross(D, o->c)));
    dc = v3_sub(dc, v3_mul(1.0 / 24, bow));
    lm_v3 m = scaled(o->per_length, v3(0, dc.z, -dc.y));
    lm_v3 mixed =
        v3_add(v3_cross(o->kappa, scaled(o->bends, m)), v3_cross(D, scaled(o->bends, o->m)));
    lm_v3 half = v3_mul(0.5, v3_sub(D, mixed)), b[2] = {v3_sub(m, half), v3_add(m, half)};
    B[6][j] = v3_dot(stretch_direction(o), dc);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) B[6 * i + 3 + k][j] = v3_get(b[i], k);
}

static void add_material(const double k[12][12], const double B[12][12], double K[12][12])
{
    for (int j = 0; j < 12; j++) {
        double kB[12] = {0};
        for (int i = 3; i < 12; i++)
            for (int n = 3; n < 12; n++) kB[i] += k[i][n] * B[n][j];
        for (int i = 0; i < 12; i++)
            for (int n = 3; n < 12; n++) K[i][j] += B[n][i] * kB[n];
    }
}

void lm_moving_beam_deformed(const lm_moving_beam *e, const double d[12], lm_v3 force,
                             lm_moving_deformed *out)
{
    double B[12][12] = {{0}}, f[12] = {0};
    middle o = middle_of(e, d);
    memset(out, 0, sizeof *out);
    out->axes = o.axes;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) f[i] += e->k[i][j] * d[j];
    for (int j = 0; j < 12; j++) deformation(&o, j, B);
    add_material(e->k, B, out->material);
    const double stress[] = {force.y, force.z, f[9], -f[4], f[10], -f[5], f[11]};
    for (int n = 0; n < 7; n++)
        for (int i = 0; i < 144; i++)
            out->geometric[i / 12][i % 12] += stress[n] * e->second[n][i / 12][i % 12];
}
