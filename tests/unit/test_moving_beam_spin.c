/* Frequencies of rotating beams and spinning shafts from chains of elements in a known rigid motion,
 * against published tables and closed forms. */
#include "elem/moving_beam.h"
#include "math/eigen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static void close_to(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected)))
        fail_msg("%.12g, expected %.12g (off by %.3g)", found, expected,
                 fabs(found / expected - 1));
}

enum { UX = 1, UY = 2, UZ = 4, RX = 8, RY = 16, RZ = 32 }; /* motions of a node */
enum { MOST = 64, DOFS = 6 * (MOST + 1) };

/* A uniform beam of length 1 along x that rotates with w about its start. */
typedef struct chain {
    lm_section s;
    int n;                   /* elements */
    lm_v3 w;                 /* with stiffening: along x or across it */
    int stiffening;          /* axial force of the free end */
    int nodes, starts, ends; /* motions that all nodes, the first, the last may have */
} chain;

static void uniform_at(void *ctx, double s, lm_section *out)
{
    (void)s;
    *out = *(const lm_section *)ctx;
}

/* Numbers of the equations, -1: held. */
static int number(const chain *c, int eq[DOFS])
{
    int count = 0;
    for (int i = 0; i <= c->n; i++) {
        int may = c->nodes;
        if (i == 0) may &= c->starts;
        if (i == c->n) may &= c->ends;
        for (int k = 0; k < 6; k++) eq[6 * i + k] = may >> k & 1 ? count++ : -1;
    }
    return count;
}

static void scatter(const int *eq, double A[12][12], int n, double *to)
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            if (eq[i] >= 0 && eq[j] >= 0) to[n * eq[j] + eq[i]] += A[i][j];
}

/* M, C, K [n n] column-major. */
static void assemble(const chain *c, const int *eq, int n, double *M, double *C, double *K)
{
    chain copy = *c;
    lm_moving_beam e;
    const double h = 1.0 / c->n, w2 = c->w.y * c->w.y + c->w.z * c->w.z;
    lm_moving_beam_make(uniform_at, &copy.s, h, 0, &e);
    for (int i = 0; i < c->n; i++) {
        double m[12][12], c2[12][12], k[12][12], q[12], x = i * h;
        const lm_v3 r = v3(x, 0, 0);
        const lm_moving_motion in = {.a0 = v3_cross(c->w, v3_cross(c->w, r)),
                                     .w = c->w,
                                     .axial = {c->s.rhoA * w2 * (1 - x * x) / 2,
                                               c->s.rhoA * w2 * (1 - (x + h) * (x + h)) / 2},
                                     .stiffening = c->stiffening};
        lm_moving_beam_mass(&e, m);
        lm_moving_beam_matrices(&e, &in, c2, k, q);
        scatter(eq + 6 * i, m, n, M);
        scatter(eq + 6 * i, c2, n, C);
        scatter(eq + 6 * i, k, n, K);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Frequencies of M x.. + C x. + K x = 0, ascending, as the eigenvalues of (0 I; -K/M -C/M), which
 * must be imaginary. Returns their number. */
static int frequencies(const chain *c, double *w)
{
    int eq[DOFS] = {0}, n = number(c, eq), N = 2 * n, count = 0;
    size_t one = (size_t)n * (size_t)n;
    double *M = calloc(11 * one + (size_t)N * 2, sizeof *M);
    assert_non_null(M);
    double *KC = M + one, *A = KC + 2 * one, *vectors = A + 4 * one, *re = vectors + 4 * one,
           *im = re + N;
    assemble(c, eq, n, M, KC + one, KC);
    assert_int_equal(lm_dense_solve(n, M, N, KC), 0);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < n; i++) {
            A[N * j + n + i] = -KC[n * j + i];
            A[N * j + i] = j == n + i;
        }
    assert_int_equal(lm_general_eigen(N, A, re, im, vectors), 0);
    for (int j = 0; j < N; j++)
        if (im[j] > 0) w[count++] = im[j];
    qsort(w, (size_t)count, sizeof *w, ascending);
    for (int j = 0; j < N; j++)
        if (!(fabs(re[j]) < 1e-6 * w[count - 1])) fail_msg("grows at %g", re[j]);
    free(M);
    return count;
}

/* Length, mass and bending stiffness 1, sections without inertia, A L^2/I = stretch. */
static chain blade(int n, double gamma, double stretch, int nodes, int stiffening)
{
    return (chain){.s = {.EA = stretch,
                         .EIy = 1,
                         .EIz = 1,
                         .GJ = 1,
                         .GAy = INFINITY,
                         .GAz = INFINITY,
                         .rhoA = 1},
                   .n = n,
                   .w = {0, 0, gamma},
                   .stiffening = stiffening,
                   .nodes = nodes,
                   .ends = nodes};
}

static const double gammas[] = {0, 1, 2, 4, 6, 10, 12};
enum { GAMMAS = sizeof gammas / sizeof *gammas };

/* Wright, Smith, Thresher, Wang (1982), hub radius 0. */
static void flap(void **state)
{
    (void)state;
    static const double table[GAMMAS][3] = {{3.5160, 22.0345, 61.6972}, {3.6816, 22.1810, 61.8418},
                                            {4.1373, 22.6149, 62.2732}, {5.5850, 24.2733, 63.9668},
                                            {7.3604, 26.8091, 66.6839}, {11.2023, 33.6404, 74.6493},
                                            {13.1702, 37.6031, 79.6145}};
    double w[DOFS];
    for (int g = 0; g < GAMMAS; g++) {
        chain c = blade(16, gammas[g], 1e6, UZ | RY, 1);
        assert_int_equal(frequencies(&c, w), 32);
        for (int k = 0; k < 3; k++) close_to(w[k], table[g][k], 1e-4);
    }
}

/* Yoo and Shin (1998): bending in the plane of rotation, coupled with stretch by Coriolis forces. */
static void chordwise(void **state)
{
    (void)state;
    static const double table[][2] = {
        {1, 3.5427}, {2, 3.6196}, {5, 4.0581}, {10, 4.9700}, {20, 6.3637}};
    double w[DOFS];
    for (int g = 0; g < 5; g++) {
        chain c = blade(16, table[g][0], 70 * 70, UX | UY | RZ, 1);
        assert_int_equal(frequencies(&c, w), 48);
        close_to(w[0], table[g][1], 1e-3);
    }
}

/* The equations of the paper: flap frequencies do not know the speed, bending in the plane of
 * rotation loses W^2 of omega^2 (no stretch), a bar along x too. */
static void without_stiffening(void **state)
{
    (void)state;
    double w[DOFS], still[DOFS], W = 2;
    chain c = blade(16, 0, 1, UY | RZ, 0);
    frequencies(&c, still);
    c.w.z = W;
    frequencies(&c, w);
    for (int k = 0; k < 3; k++) close_to(w[k] * w[k], still[k] * still[k] - W * W, 1e-9);
    close_to(w[0] * w[0], 3.51601527 * 3.51601527 - W * W, 1e-5);
    c = blade(16, W, 1, UZ | RY, 0);
    frequencies(&c, w);
    for (int k = 0; k < 3; k++) close_to(w[k], still[k], 1e-9);
    c = blade(16, 0.7, 1, UX, 0); /* c = 1 */
    frequencies(&c, w);
    double h = PI / 2 / 16, mesh = h * h / 12; /* consistent mass: omega^2 is higher by this */
    close_to(w[0] * w[0], PI * PI / 4 * (1 + mesh) - 0.49, 1e-5);
}

/* Stretch free and very stiff: Coriolis forces do no work on bending, as if there were none. */
static void stiff_stretch(void **state)
{
    (void)state;
    double w[DOFS], W = 2;
    chain c = blade(16, W, 1e8, UX | UY | RZ, 0);
    frequencies(&c, w);
    close_to(w[0] * w[0], 3.51601527 * 3.51601527 - W * W, 1e-5);
}

/* A hinged blade flaps at the frequency of its rotation, whatever its mesh: the axial force between
 * the nodes of an element has to be the exact one. */
static void hinged(void **state)
{
    (void)state;
    double w[DOFS], W = 5;
    chain c = blade(4, W, 1e6, UZ | RY, 1);
    c.starts = RY;
    frequencies(&c, w);
    close_to(w[0], W, 1e-10);
}

/* Fourth order, as of a beam at rest; an axial force that is linear in the elements makes it second
 * order. */
static void convergence(void **state)
{
    (void)state;
    double w[DOFS], off[2];
    chain c = blade(64, 10, 1e6, UZ | RY, 1);
    frequencies(&c, w);
    double exact = w[1];
    for (int k = 0; k < 2; k++) {
        c.n = k ? 16 : 8;
        frequencies(&c, w);
        off[k] = w[1] / exact - 1;
    }
    assert_true(off[0] > 0 && off[0] / off[1] > 12);
}

/* Simply supported shaft, a Rayleigh beam that spins about its axis: in fixed axes, with
 * k = j pi,   (rhoA + rhoId k^2) w^2 - rhoIp W k^2 w - EI k^4 = 0,   rhoIp = 2 rhoId;
 * seen from the shaft the frequencies are |w - W|. */
static int whirl(const lm_section *s, double W, int modes, double *to)
{
    for (int j = 0; j < modes; j++) {
        double k = (j + 1) * PI, a = s->rhoA + s->rhoIy * k * k, b = s->rhoIy * W * k * k;
        double root = sqrt(b * b + a * s->EIy * k * k * k * k);
        to[2 * j] = fabs((b + root) / a - W);
        to[2 * j + 1] = fabs((b - root) / a - W);
    }
    qsort(to, 2 * (size_t)modes, sizeof *to, ascending);
    return 2 * modes;
}

static void spinning_shaft(void **state)
{
    (void)state;
    const lm_elastic m = {4, 1.6, 1};
    const int bending = UY | UZ | RY | RZ;
    double w[DOFS], expected[8], worst = 0;
    chain c = {.s = lm_section_circle(&m, 0.12), .n = 32, .nodes = bending};
    c.starts = c.ends = RY | RZ;
    for (int i = 0; i < 3; i++) {
        c.w = v3((double[]){0, 0.6, 3}[i], 0, 0); /* below and above the first critical speed */
        c.stiffening = 1;
        frequencies(&c, w);
        int count = whirl(&c.s, c.w.x, 4, expected);
        for (int j = 0; j < count / 2; j++) close_to(w[j], expected[j], 1e-5);
        c.stiffening = 0; /* sections that turn to first order only */
        frequencies(&c, w);
        for (int j = 0; j < count / 2; j++) worst = fmax(worst, fabs(w[j] / expected[j] - 1));
    }
    assert_true(worst > 0.01);
}

/* Spin about the own axis does nothing to the torsion of a shaft; without the second order it loses
 * W^2 of omega^2. */
static void spinning_torsion(void **state)
{
    (void)state;
    const lm_elastic m = {4, 1.6, 1};
    double w[DOFS], W = 0.9;
    chain c = {.s = lm_section_circle(&m, 0.12), .n = 16, .nodes = RX, .ends = RX};
    frequencies(&c, w);
    double still = w[0];
    c.w = v3(W, 0, 0), c.stiffening = 1;
    frequencies(&c, w);
    close_to(w[0], still, 1e-10);
    c.stiffening = 0;
    frequencies(&c, w);
    close_to(w[0] * w[0], still * still - W * W, 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flap),
        cmocka_unit_test(chordwise),
        cmocka_unit_test(without_stiffening),
        cmocka_unit_test(stiff_stretch),
        cmocka_unit_test(hinged),
        cmocka_unit_test(convergence),
        cmocka_unit_test(spinning_shaft),
        cmocka_unit_test(spinning_torsion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
