/* The corotational beam element whose sections have inertia about its axis: the forces are those of the kinetic energy,
 * the tangent is that of the forces, and a section that shear has turned against the chord has the energy of a rigid
 * disc, wherever it spins to. */
#include "unit/corot_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static element spun_element(int n)
{
    element e = random_element(n % 2, 0);
    fill(e.s.gyroy, 4, 0), fill(e.s.gyroz, 4, 0);
    fill(e.s.meany, 2, 0.5), fill(e.s.meanz, 2, 0.5);
    fill(e.s.spiny, 3, 0), fill(e.s.spinz, 3, 0);
    return e;
}

static void momenta(const element *e, const motion *m, double p[12])
{
    for (int i = 0; i < 12; i++) {
        motion a = changed(*m, 1, i, 0.5), b = changed(*m, 1, i, -0.5);
        p[i] = energy(e, &a, gravity).T - energy(e, &b, gravity).T;
    }
}

static const double h = 1e-3, step[4] = {1e-3, -1e-3, 2e-3, -2e-3};

/* d/dt dT/dv - dT/d(motion) - [rotations] w x dT/dw, by differences of the energy alone. */
static void forces_of_energy(void **unused)
{
    (void)unused;
    for (int n = 0; n < 50; n++) {
        element e = spun_element(n);
        motion m = random_motion(&e, 0.2, 0.5), still = at_rest(m);
        double f[12], f0[12], p[12], pk[4][12];
        residual(&e, &m, gravity, f);
        residual(&e, &still, gravity, f0);
        momenta(&e, &m, p);
        for (int k = 0; k < 4; k++) {
            motion mk = later(m, step[k]);
            momenta(&e, &mk, pk[k]);
        }
        for (int i = 0; i < 12; i++) {
            double T[4], gyro = 0;
            for (int k = 0; k < 4; k++) {
                motion mk = moved(m, i, step[k]);
                T[k] = energy(&e, &mk, gravity).T;
            }
            if (i % 6 > 2) gyro = v3_get(v3_cross(m.v[i / 3], v3_from(p + 3 * (i / 3))), i % 3);
            double want = slope(h, pk[0][i], pk[1][i], pk[2][i], pk[3][i]) -
                          slope(h, T[0], T[1], T[2], T[3]) - gyro;
            assert_true(fabs(f[i] - f0[i] - want) < 1e-8);
        }
    }
}

static void tangent_of_forces(void **unused)
{
    (void)unused;
    for (int n = 0; n < 20; n++) {
        element e = spun_element(n);
        motion m = random_motion(&e, 0.2, 0.5);
        for (int kind = 0; kind < 3; kind++) {
            double J[12][12], f[4][12], w[3] = {kind == 0, kind == 1, kind == 2};
            tangent(&e, &m, gravity, w, J);
            for (int c = 0; c < 12; c++) {
                for (int k = 0; k < 4; k++) {
                    motion mk = changed(m, kind, c, step[k]);
                    residual(&e, &mk, gravity, f[k]);
                }
                for (int r = 0; r < 12; r++)
                    assert_true(fabs(J[c][r] - slope(h, f[0][r], f[1][r], f[2][r], f[3][r])) <
                                1e-8);
            }
        }
    }
}

/* Turned as a whole the element has the same energy: moment of momentum is kept. */
static void energy_of_turned(void **unused)
{
    (void)unused;
    for (int n = 0; n < 20; n++) {
        element e = spun_element(n);
        motion m = random_motion(&e, 0.2, 0.5), t = m;
        lm_m3 Q = rotation(rnd3(3));
        for (int i = 0; i < 2; i++) t.x[i] = m3_v(&Q, m.x[i]), t.R[i] = m3_mul(&Q, &m.R[i]);
        for (int i = 0; i < 4; i++) t.v[i] = m3_v(&Q, m.v[i]);
        assert_true(fabs(energy(&e, &t, gravity).T - energy(&e, &m, gravity).T) < 1e-13);
    }
}

static const lm_section soft = {.EA = 100,
                                .EIy = 1,
                                .EIz = 2,
                                .GJ = 1,
                                .GAy = 1,
                                .GAz = 2,
                                .rhoA = 1,
                                .rhoIy = 0.3,
                                .rhoIz = 0.7};

static void softly(void *unused, double s, lm_section *out)
{
    (void)unused, (void)s;
    *out = soft;
}

/* Both sections of a short element lean by `tilt` across the chord, all turns with W: what the energy is larger than
 * that of discs with the inertia J about axes that lean so. */
static double too_much(lm_v3 tilt, lm_v3 W)
{
    element e = {.A = {m3_identity(), m3_identity()}};
    const double L = 0.01;
    lm_beam_shape_make(softly, NULL, L, 1, &e.s);
    motion m = {.x = {v3(0, 0, 0), v3(L, 0, 0)}, .v = {{0}}};
    m.R[0] = m.R[1] = rotation(tilt);
    m.v[1] = m.v[3] = W, m.v[2] = v3_cross(W, m.x[1]);
    const lm_m3 Tt = m3_t(&m.R[0]);
    const lm_v3 w = m3_v(&Tt, W), across = v3(0, W.y, W.z);
    const double discs =
        (soft.rhoIy + soft.rhoIz) * w.x * w.x + soft.rhoIy * w.y * w.y + soft.rhoIz * w.z * w.z;
    const double axis = soft.rhoA * L * L / 3 * v3_dot(across, across);
    return energy(&e, &m, v3(0, 0, 0)).T / L - 0.5 * (discs + axis);
}

static void discs_that_lean(void **unused)
{
    (void)unused;
    for (int n = 0; n < 200; n++) {
        lm_v3 tilt = rnd3(1), W = rnd3(1);
        tilt.x = 0;
        assert_true(fabs(too_much(v3_mul(0.01, tilt), W)) < 4e-6); /* of third order, no more */
        assert_true(fabs(too_much(v3_mul(0.001, tilt), W)) < 4e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_energy),
        cmocka_unit_test(tangent_of_forces),
        cmocka_unit_test(energy_of_turned),
        cmocka_unit_test(discs_that_lean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
