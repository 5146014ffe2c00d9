/* Bending with torsion in a floating frame: the energy against one that is written out here with sines,
 * forces and stiffness as its differences, for bodies of random numbers. */
#include "elem/floating_int.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NV = 3, NW = 4, NA = 2, NT = 3, NE = NV + NW + NA + NT, N = 6 + NE, FOURS = 3 };
enum { AT_W = NV, AT_T = NV + NW + NA };

static double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }

typedef struct body {
    lm_floating f;
    lm_floating_four four[FOURS];
    lm_floating_strain strain[FOURS];
    lm_lane kv[FOURS][NV], kw[FOURS][NW], psi[FOURS][NV], phi[FOURS][NW], t[FOURS][NT],
        gv[FOURS][NV], gw[FOURS][NW], zero[NV * NV + NW + NT];
    double Tt[FOURS][NT], K[NE * NE], none[NE * NE];
} body;

static void draw(lm_lane *to, int n)
{
    for (int i = 0; i < n; i++)
        for (int l = 0; l < LM_LANES; l++) to[i][l] = rnd();
}

/* No mass: forces are elastic alone. */
static void make(body *b)
{
    memset(b, 0, sizeof *b);
    b->f = (lm_floating){.nv = NV, .nw = NW, .na = NA, .nt = NT, .ne = NE, .nfours = FOURS};
    b->f.four = b->four, b->f.strain = b->strain, b->f.K = b->K;
    b->f.Mff = b->none;
    for (int i = 0; i < NE; i++) b->K[i + NE * i] = 2 + rnd();
    for (int k = 0; k < FOURS; k++) {
        const lm_lane *z = b->zero;
        lm_floating_strain *q = &b->strain[k];
        b->four[k] = (lm_floating_four){.v = z, .w = z, .a = z, .turn = z, .Hv = z, .Hw = z};
        draw(&q->dx, 1), draw(&q->bend, 1), draw(&q->shear, 1);
        draw(b->gv[k], NV), draw(b->gw[k], NW);
        draw(b->kv[k], NV), draw(b->kw[k], NW), draw(b->t[k], NT);
        draw(b->psi[k], NV), draw(b->phi[k], NW);
        for (int l = 0; l < LM_LANES; l++) q->stiff[l] = q->bend[l] > 0;
        q->kv = b->kv[k], q->kw = b->kw[k], q->t = b->t[k];
        q->psi = b->psi[k], q->phi = b->phi[k];
        if (k > 0) q->gv = b->gv[k], q->gw = b->gw[k]; /* the first four is without shear */
        draw(q->beyond, 2);
        for (int m = 0; m < 2; m++) q->beyond[m] *= 0.1;
        q->locks = k < 2; /* the last may lock */
        q->kt = 1.5 + rnd();
        for (int i = 0; i < NT; i++) b->Tt[k][i] = rnd();
        q->Tt = b->Tt[k];
    }
}

static double at_lane(const lm_lane *row, int n, int lane, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += row[i][lane] * x[i];
    return sum;
}

/* 1/2 EIz stiff^2 + 1/2 EIy soft^2 less the same at t = 0, where the sum of both squares stays; or of shear. */
static double turned(double more, double a, double w, double t)
{
    double stiff = a * cos(t) + w * sin(t);
    return 0.5 * more * (stiff * stiff - a * a);
}

/* Torsion by the twist between the ends of each four, bending and shear turned by the angle t, and where EIz > EIy
 * by the product of the slopes as well; less what of the curvature in the stiff plane is no energy. */
static double energy(const body *b, const double *eta)
{
    double U = 0;
    for (int i = 0; i < NE; i++) U += 0.5 * b->K[i + NE * i] * eta[i] * eta[i];
    for (int k = 0; k < FOURS; k++) {
        const lm_floating_strain *q = &b->strain[k];
        double c = 0, T = 0, none[2] = {0};
        for (int i = 0; i < NT; i++) T += b->Tt[k][i] * eta[AT_T + i];
        for (int l = 0; l < LM_LANES; l++) {
            double a = at_lane(q->kv, NV, l, eta), w = at_lane(q->kw, NW, l, eta + AT_W);
            double t = at_lane(q->t, NT, l, eta + AT_T);
            if (q->bend[l] > 0)
                t += at_lane(q->psi, NV, l, eta) * at_lane(q->phi, NW, l, eta + AT_W);
            U += turned(q->bend[l], a, w, t);
            if (q->gv)
                U += turned(q->shear[l], at_lane(q->gv, NV, l, eta),
                            at_lane(q->gw, NW, l, eta + AT_W), t);
            c += q->dx[l] * a * at_lane(q->phi, NW, l, eta + AT_W);
            for (int m = 0; m < 2 && q->locks; m++)
                none[m] += q->beyond[m][l] *
                           (q->bend[l] > 0 ? a * cos(t) + w * sin(t) : w * cos(t) - a * sin(t));
        }
        U -= (none[0] * none[0] + none[1] * none[1]) / 2;
        U += ((T + q->kt * c) * (T + q->kt * c) - T * T) / (2 * q->kt);
    }
    return U;
}

static double kernel_energy(const body *b, const double *eta)
{
    double zero[NE] = {0};
    lm_floating_energy e;
    lm_floating_energies(&b->f, v3(0, 0, 0), v3(0, 0, 0), eta, zero, &e);
    return e.elastic;
}

static void forces(const body *b, const double *eta, double *r)
{
    lm_floating_motion m = {.eta = eta};
    lm_floating_residual(&b->f, &m, r);
}

static void draw_eta(double *eta, double size)
{
    for (int i = 0; i < NE; i++) eta[i] = size * rnd();
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.15g, expected %.15g", a, b);
}

/* However far the sections turn. */
static void energy_is_that_of_turned_bending(void **state)
{
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        body b;
        double eta[NE];
        make(&b);
        draw_eta(eta, trial < 10 ? 0.15 : 4);
        near(kernel_energy(&b, eta), energy(&b, eta), 1e-13 * kernel_energy(&b, eta));
    }
}

static const double steps[4] = {-1, 1, -2, 2}, weights[4] = {-8. / 12, 8. / 12, 1. / 12, -1. / 12};

static void forces_are_its_gradient(void **state)
{
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        body b;
        double eta[NE], r[N], h = 1e-3;
        make(&b);
        draw_eta(eta, 0.8);
        forces(&b, eta, r);
        for (int i = 0; i < NE; i++) {
            double slope = 0, old = eta[i];
            for (int k = 0; k < 4; k++) {
                eta[i] = old + steps[k] * h;
                slope += weights[k] * kernel_energy(&b, eta) / h;
            }
            eta[i] = old;
            near(r[6 + i], slope, 1e-9);
        }
        for (int i = 0; i < 6; i++) assert_true(r[i] == 0);
    }
}

static void stiffness_is_the_change_of_forces(void **state)
{
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        body b;
        double eta[NE], r[N], K[N * NE], h = 1e-3;
        make(&b);
        draw_eta(eta, 0.8);
        lm_floating_motion m = {.eta = eta};
        lm_floating_tangent(&b.f, &m, NULL, K);
        for (int j = 0; j < NE; j++) {
            double column[N] = {0}, old = eta[j];
            for (int k = 0; k < 4; k++) {
                eta[j] = old + steps[k] * h;
                forces(&b, eta, r);
                for (int i = 0; i < N; i++) column[i] += weights[k] * r[i] / h;
            }
            eta[j] = old;
            for (int i = 0; i < N; i++) near(K[i + N * j], column[i], 1e-8);
        }
    }
}

/* A section whose stiffness is the same about all axes does not care how it is turned. */
static void round_sections_turn_freely(void **state)
{
    (void)state;
    body b;
    double eta[NE], U;
    make(&b);
    draw_eta(eta, 0.5);
    for (int k = 0; k < FOURS; k++) {
        b.strain[k].bend = b.strain[k].shear = lane_all(0);
        b.strain[k].locks = 0;
        for (int i = 0; i < NT; i++) b.Tt[k][i] = 0;
    }
    for (int i = AT_T; i < NE; i++) b.K[i + NE * i] = 0;
    U = kernel_energy(&b, eta);
    for (int i = AT_T; i < NE; i++) eta[i] = 3 * rnd();
    near(kernel_energy(&b, eta), U, 1e-14 * fabs(U));
}

static void both_sets_of_instructions(void **state)
{
    (void)state;
#if defined __x86_64__
    if (!__builtin_cpu_supports("avx2")) skip();
    body b;
    double eta[NE], r[2][NE] = {{0}}, K[2][NE * NE] = {{0}};
    make(&b);
    draw_eta(eta, 1);
    lm_floating_strain_forces_base(&b.f, eta, r[0]);
    lm_floating_strain_forces_avx2(&b.f, eta, r[1]);
    lm_floating_strain_tangent_base(&b.f, eta, NE, K[0]);
    lm_floating_strain_tangent_avx2(&b.f, eta, NE, K[1]);
    assert_memory_equal(r[0], r[1], sizeof r[0]);
    assert_memory_equal(K[0], K[1], sizeof K[0]);
    assert_true(lm_floating_strain_energy_base(&b.f, eta) ==
                lm_floating_strain_energy_avx2(&b.f, eta));
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_that_of_turned_bending),
        cmocka_unit_test(forces_are_its_gradient),
        cmocka_unit_test(stiffness_is_the_change_of_forces),
        cmocka_unit_test(round_sections_turn_freely),
        cmocka_unit_test(both_sets_of_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
