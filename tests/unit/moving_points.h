/* Beam elements as solids of points: displacements inside them without the kernel's functions. */
#ifndef TESTS_MOVING_POINTS_H
#define TESTS_MOVING_POINTS_H

#include "elem/moving_beam.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* n numbers against n others, over the largest of them. */
static inline void same_numbers(const char *what, int n, const double *found,
                                const double *expected, double tolerance)
{
    double most = 0, off = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(expected[i]));
        off = fmax(off, fabs(found[i] - expected[i]));
    }
    assert_true(most > 0);
    if (!(off <= tolerance * most)) fail_msg("%s: off by %.3g", what, off / most);
}

/* ---- elements: a solid of rectangular sections, thick, so that their inertia counts ---- */

typedef struct solid {
    double L, height, width, taper; /* both sides fall to 1 - taper; height along y */
    int timoshenko;
    lm_elastic m;
} solid;

static const solid solids[] = {{1.3, 0.40, 0.25, 0.0, 0, {50, 20, 2}},
                               {1.3, 0.40, 0.25, 0.0, 1, {50, 20, 2}},
                               {0.9, 0.30, 0.45, 0.4, 0, {50, 20, 2}},
                               {0.9, 0.30, 0.45, 0.4, 1, {50, 20, 2}}};
enum { SOLIDS = sizeof solids / sizeof *solids };

static inline void solid_at(void *ctx, double s, lm_section *out)
{
    const solid *p = ctx;
    double f = 1 - p->taper * s;
    *out = lm_section_rectangle(&p->m, f * p->height, f * p->width);
}

static inline void element(const solid *s, lm_moving_beam *e)
{
    solid copy = *s;
    lm_moving_beam_make(solid_at, &copy, s->L, s->timoshenko, e);
}

/* ---- the same element by points of its volume ---- */

enum { PANELS = 6, NX = 4 * PANELS, STEPS = 16 };
enum { U, V, W, RX, RY, RZ };

/* Displacements of the axis and rotations of the sections at places along x, over the 12 nodal
 * displacements, by integrating the strains of the element's end forces in small steps; H: integral
 * from a to here of v' v'^T + w' w'^T, less the same of the shear angles. */
typedef struct fields {
    const solid *s;
    lm_beam_shape shape;
    double x[NX], dx[NX], f[NX][6][12], H[NX][12][12], all[12][12]; /* all: H at b */
} fields;

/* Strains for the unit displacement j: derivatives of u, rx, rz; shear of v; the same of ry, w. */
typedef struct strains {
    double u, rx, kz, gy, ky, gz;
} strains;

static inline strains strains_at(const fields *F, double x, int j)
{
    lm_section s;
    solid copy = *F->s;
    const lm_beam_shape *e = &F->shape;
    double L = e->L, g = x / L, d[12] = {0};
    d[j] = 1;
    solid_at(&copy, g, &s);
    double cz = (d[7] - d[1]) / L, cy = -(d[8] - d[2]) / L; /* rotations of the chord */
    double az = d[5] - cz, bz = d[11] - cz, ay = d[4] - cy, by = d[10] - cy;
    double maz = e->kz[0] * az + e->kz[1] * bz, mbz = e->kz[1] * az + e->kz[2] * bz;
    double may = e->ky[0] * ay + e->ky[1] * by, mby = e->ky[1] * ay + e->ky[2] * by;
    double shear = F->s->timoshenko;
    return (strains){e->ka * (d[6] - d[0]) / s.EA,      e->kt * (d[9] - d[3]) / s.GJ,
                     (g * mbz - (1 - g) * maz) / s.EIz, -shear * (maz + mbz) / (L * s.GAy),
                     (g * mby - (1 - g) * may) / s.EIy, shear * (may + mby) / (L * s.GAz)};
}

static inline double simpson(double h, double a, double b, double c)
{
    return h / 6 * (a + 4 * b + c);
}

/* From x to x + h, y[6][12]; v' = rz + shear, w' = -ry + shear. */
static inline void step(const fields *F, double x, double h, double y[6][12])
{
    for (int j = 0; j < 12; j++) {
        strains a = strains_at(F, x, j), b = strains_at(F, x + h / 2, j),
                c = strains_at(F, x + h, j);
        y[U][j] += simpson(h, a.u, b.u, c.u);
        y[RX][j] += simpson(h, a.rx, b.rx, c.rx);
        y[V][j] += h * y[RZ][j] + h * h / 6 * (a.kz + 2 * b.kz) + simpson(h, a.gy, b.gy, c.gy);
        y[W][j] += -h * y[RY][j] - h * h / 6 * (a.ky + 2 * b.ky) + simpson(h, a.gz, b.gz, c.gz);
        y[RZ][j] += simpson(h, a.kz, b.kz, c.kz);
        y[RY][j] += simpson(h, a.ky, b.ky, c.ky);
    }
}

static inline void add_slopes(const fields *F, double x, double y[6][12], double c,
                              double H[12][12])
{
    double dv[12], dw[12], gy[12], gz[12];
    for (int j = 0; j < 12; j++) {
        strains a = strains_at(F, x, j);
        gy[j] = a.gy, gz[j] = a.gz;
        dv[j] = y[RZ][j] + a.gy;
        dw[j] = -y[RY][j] + a.gz;
    }
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            H[i][j] += c * (dv[i] * dv[j] + dw[i] * dw[j] - gy[i] * gy[j] - gz[i] * gz[j]);
}

static inline void walk(const fields *F, double from, double to, double y[6][12], double H[12][12])
{
    double h = (to - from) / STEPS;
    for (int k = 0; k < STEPS; k++) {
        double x = from + k * h;
        add_slopes(F, x, y, h / 6, H);
        step(F, x, h / 2, y);
        add_slopes(F, x + h / 2, y, 4 * h / 6, H);
        step(F, x + h / 2, h / 2, y);
        add_slopes(F, x + h, y, h / 6, H);
    }
}

static inline void make_fields(const solid *s, fields *F)
{
    static const double place[] = {-0.86113631159405258, -0.33998104358485626, 0.33998104358485626,
                                   0.86113631159405258},
                        weight[] = {0.34785484513745386, 0.65214515486254614, 0.65214515486254614,
                                    0.34785484513745386};
    solid copy = *s;
    double y[6][12] = {{0}}, H[12][12] = {{0}}, at = 0;
    F->s = s;
    lm_beam_shape_make(solid_at, &copy, s->L, s->timoshenko, &F->shape);
    for (int i = 0; i < 6; i++) y[i][i] = 1;
    for (int i = 0; i < NX; i++) {
        F->x[i] = s->L / PANELS * (i / 4 + (1 + place[i % 4]) / 2);
        F->dx[i] = s->L / PANELS * weight[i % 4] / 2;
        walk(F, at, F->x[i], y, H);
        at = F->x[i];
        memcpy(F->f[i], y, sizeof y);
        memcpy(F->H[i], H, sizeof H);
    }
    walk(F, at, s->L, y, H);
    memcpy(F->all, H, sizeof H);
    for (int i = 0; i < 6; i++) /* arrives at b */
        for (int j = 0; j < 12; j++) assert_true(fabs(y[i][j] - (j == i + 6)) < 1e-10);
}

static inline lm_v3 three(const double f[3][12], const double *d)
{
    double r[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 12; j++) r[i] += f[i][j] * d[j];
    return v3_from(r);
}

/* Four points of the section at place i, two-point Gauss in y and z: exact for squares. */
static inline double section_point(const fields *F, int i, int k, lm_v3 *rho)
{
    double f = 1 - F->s->taper * F->x[i] / F->s->L, h = f * F->s->height, w = f * F->s->width;
    double g = 1 / sqrt(12);
    *rho = v3(0, (k & 1 ? g : -g) * h, (k & 2 ? g : -g) * w);
    return F->s->m.rho * F->dx[i] * h * w / 4;
}

#endif
