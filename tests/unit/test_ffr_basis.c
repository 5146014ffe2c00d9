/* Bases of beams in floating frames: splines and modes, their frequencies, stiffness, inertia,
 * shortening. */
#include "form/ffr_basis.h"
#include "math/eigen.h"

#include "support/failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static void close_to(double found, double expected, double tolerance, const char *what, int line)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected)))
        fail_msg("line %d: %s is %.12g, expected %.12g (off by %.3g)", line, what, found, expected,
                 found / expected - 1);
}
#define near(found, expected, tolerance) close_to(found, expected, tolerance, #found, __LINE__)

/* ---- models ---- */

typedef struct made {
    lm_model m;
    lm_diag diag;
    double scratch[64];
    lm_arena arena;
    lm_floating f;
} made;

static const char sections[] =
    "materials:\n"
    "  steel: {E: 2.1e11, nu: 0.3, rho: 7800}\n"
    "  dull: {E: 2.1e11, nu: 0.3, rho: 7800, damping: {mass: 2, stiffness: 1e-4}}\n"
    "sections:\n"
    "  unit: {shape: stiffness, EA: 1e4, EIy: 1, EIz: 1, GJ: 1, rhoA: 1}\n"
    "  flat: {shape: stiffness, EA: 1e4, EIy: 4, EIz: 1, GJ: 2, rhoA: 1, rhoIy: 1e-3, rhoIz: "
    "2e-3,\n"
    "         GAy: 40, GAz: 30}\n"
    "  wedge: {material: steel, shape: rectangle, height: 0.04 - 0.03*s, width: 0.02}\n"
    "  none: {shape: stiffness, EA: 1e4, EIy: 1, EIz: 1, GJ: 1, rhoA: 0}\n"
    "  bar: {material: dull, shape: rectangle, height: 0.04, width: 0.02}\n";

static void load(made *b, const char *formulation, const char *bodies)
{
    char text[4000];
    lm_spec *spec = NULL;
    snprintf(text, sizeof text, "limber: 1\nformulation: {type: ffr%s}\n%sbodies:\n%s", formulation,
             sections, bodies);
    memset(b, 0, sizeof *b);
    int rc = lm_read_text(&b->m.arena, &b->diag, text, strlen(text), "m.yaml", NULL, &spec);
    if (!rc) rc = lm_compile(&b->m, spec, &b->diag);
    if (rc) fail_msg("%s", b->diag.list.n ? b->diag.list.at[0].text : "?");
    assert_true(b->m.section_scratch <= 64);
}

static ffr_part whole(const made *b, int body)
{
    return (ffr_part){
        .body = body, .first = b->m.beams[body].first_element, .n = b->m.beams[body].nelements};
}

static int build(made *b, const ffr_part *p)
{
    return ffr_basis_make(&b->m, p, &b->arena, b->scratch, &b->diag, &b->f);
}

/* One beam along x; `keys` is its section and more. */
static void make(made *b, const char *formulation, const char *keys, double L, int elements)
{
    char body[300];
    snprintf(body, sizeof body,
             "  b: {type: beam, section: %s, from: [0, 0, 0], to: [%.17g, 0, 0], elements: %d}\n",
             keys, L, elements);
    load(b, formulation, body);
    ffr_part p = whole(b, 0);
    if (build(b, &p)) fail_msg("%s", b->diag.list.n ? b->diag.list.at[0].text : "?");
}

static void drop(made *b)
{
    lm_arena arena = b->m.arena;
    lm_arena_free(&arena);
    lm_arena_free(&b->arena);
    lm_diag_free(&b->diag);
}

/* ---- frequencies ---- */

enum { MOST = 64 };

static double *block(const lm_floating *f, const double *A, int first, int n)
{
    double *out = calloc((size_t)(n * n), sizeof *out);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) out[i + n * j] = A[first + i + f->ne * (first + j)];
    return out;
}

/* Angular frequencies of n coordinates from `first` on: K x = w^2 M x; ascending. */
static void frequencies(const lm_floating *f, const double *K, int first, int n, double *w)
{
    double *A = block(f, K, first, n), *B = block(f, f->Mff, first, n);
    assert_int_equal(lm_symmetric_eigen(n, A, B, w), 0);
    for (int i = 0; i < n; i++) w[i] = sqrt(w[i]);
    free(A), free(B);
}

static void spline_frequencies(void **state)
{
    (void)state;
    static const struct {
        int n;
        double w[3];
    } known[] = {{4, {3.51628, 22.09462, 62.97037}}, {8, {3.51603, 22.03745, 61.76368}}};
    for (int k = 0; k < 2; k++) {
        made b;
        double w[MOST];
        make(&b, "", "unit", 1, known[k].n);
        assert_int_equal(b.f.nv, known[k].n);
        for (int plane = 0; plane < 2; plane++) {
            frequencies(&b.f, b.f.K, plane * b.f.nv, b.f.nv, w);
            for (int i = 0; i < 3; i++) assert_true(fabs(w[i] - known[k].w[i]) < 0.5000001e-5);
        }
        drop(&b);
    }
}

/* cos x cosh x = -1 */
static const double clamped_free[] = {1.8751040687119611, 4.694091132974174, 7.854757438237613,
                                      10.995540734875467};

/* First frequencies of a rod with one end held: w_i = (i - 1/2) pi c/L =: x_i c/L. Elements of
 * length h that stretch evenly make them too high by (x h/L)^2/24 at most, and mass points on
 * such shapes too. */
static void check_rod(const double *w, int count, double c_over_L, double h_over_L, double share)
{
    for (int i = 0; i < count; i++) {
        double x = (i + 0.5) * PI, error = w[i] / (x * c_over_L) - 1;
        double bound = x * h_over_L * x * h_over_L / 24;
        if (!(error > 0.5 * bound && error < share * bound))
            fail_msg("rod, mode %d: error %.3e, bound %.3e", i + 1, error, bound);
    }
}

static void mode_frequencies(void **state)
{
    (void)state;
    static const int elements[] = {1, 4, 7, 20}, mesh[] = {32, 32, 56, 40};
    for (int k = 0; k < 4; k++) {
        made b;
        double w[MOST];
        make(&b, ", basis: modes", "unit", 2, elements[k]);
        assert_int_equal(b.f.nv, 5); /* four modes, and the static shape */
        assert_int_equal(b.f.nw, 5);
        for (int plane = 0; plane < 2; plane++) {
            frequencies(&b.f, b.f.K, plane * 5, 5, w);
            for (int i = 0; i < 4; i++)
                near(w[i], clamped_free[i] * clamped_free[i] / 4, i < 2 ? 1e-6 : 2e-5);
        }
        assert_int_equal(b.f.na, 3); /* two modes, and the static shape */
        frequencies(&b.f, b.f.K, 10, 3, w);
        check_rod(w, 2, 100. / 2, 1. / mesh[k], 2);
        /* largest displacement 1: a quarter of the mass of 2 in bending, half of it along the axis */
        for (int i = 0; i < 12; i++)
            if (i % 5 < 4 || i == 11)
                near(b.f.Mff[i + b.f.ne * i], i < 10 ? 0.5 : 1, i < 10 ? 1e-4 : 1e-2);
        drop(&b);
    }
}

/* Torsion, with and without inertia of the sections. */
static void torsion(void **state)
{
    (void)state;
    made b;
    double w[MOST];
    static const char *const basis[] = {"", ", basis: modes"};
    for (int k = 0; k < 2; k++) {
        make(&b, basis[k], "flat", 2, 8);
        int first = b.f.nv + b.f.nw + b.f.na;
        assert_null(b.f.spare);
        frequencies(&b.f, b.f.K, first, b.f.nt, w);
        check_rod(w, 2, sqrt(2 / 3e-3) / 2, k ? 1. / 32 : 1. / 8, k ? 2 : 1.1);
        drop(&b);
        make(&b, basis[k], "unit", 2, 8);
        assert_non_null(b.f.spare);
        for (int i = 0; i < b.f.ne; i++) {
            assert_true((b.f.spare[i] > 0) == (i >= first));
            assert_true((b.f.Mff[i + b.f.ne * i] > 0) == (i < first));
        }
        if (k) near(b.f.spare[first], 0.01 / 16, 1e-3); /* l^2 and half of the mass */
        if (!k) near(b.f.spare[first], 0.01 / 16 * 0.25 * 2 / 3, 1e-12); /* l^2 m 2/3 */
        drop(&b);
    }
}

/* ---- statics ---- */

static void solve(const lm_floating *f, int first, int n, double *x)
{
    double *A = block(f, f->K, first, n);
    assert_int_equal(lm_dense_solve(n, A, 1, x), 0);
    free(A);
}

/* A force across the end is carried exactly, whatever the number of elements, the taper and the
 * theory: integral of (L - x)^2/EI, and of 1/GA. */
static void tip_load_is_exact(void **state)
{
    (void)state;
    static const int elements[] = {1, 2, 4, 7};
    /* wedge: EI = EI_0 (1 - c x)^3, int (1-x)^2/(1-cx)^3 = (-ln(1-c) - c - c^2/2)/c^3 for L = 1 */
    double c = 0.75, whole_wedge = (-log(1 - c) - c - c * c / 2) / (c * c * c);
    double EI = 2.1e11 * 0.02 * pow(0.04, 3) / 12;
    const struct {
        const char *keys;
        double L, v;
    } beam[] = {{"unit", 3, 9},
                {"flat", 2, 8. / 3},
                {"flat, theory: timoshenko", 2, 8. / 3 + 2. / 40},
                {"wedge", 1, whole_wedge / EI}};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++) {
            made b;
            make(&b, "", beam[k].keys, beam[k].L, elements[i]);
            double x[MOST] = {0};
            for (int j = 0; j < b.f.nv; j++) x[j] = b.f.place[elements[i]].v[j];
            assert_true(x[b.f.nv - 1] == 1);
            solve(&b.f, 0, b.f.nv, x);
            near(x[b.f.nv - 1], beam[k].v, 1e-10);
            drop(&b);
        }
}

/* Under a tip load every point of the axis is where it belongs: v = (L x^2/2 - x^3/6)/EI + x/GA. */
static void between_the_nodes(void **state)
{
    (void)state;
    made b;
    make(&b, "", "flat, theory: timoshenko", 2, 3);
    double x[6] = {0, 0, 1, 0, 0, 1};
    solve(&b.f, 0, 3, x);
    solve(&b.f, 3, 3, x + 3);
    for (int k = 0; k < b.f.nfours; k++)
        for (int l = 0; l < LM_LANES; l++) {
            double at = b.f.four[k].x0[l], v = 0, w = 0;
            for (int i = 0; i < 3; i++)
                v += b.f.four[k].v[i][l] * x[i], w += b.f.four[k].w[i][l] * x[3 + i];
            near(v, at * at - at * at * at / 6 + at / 40, 1e-12);
            near(w, (at * at - at * at * at / 6) / 4 + at / 30, 1e-12);
        }
    drop(&b);
}

/* Turned nodes: a moment at the end, and one within, are carried exactly; each plane has its own. */
static void turned_nodes_carry_moments(void **state)
{
    (void)state;
    static const unsigned char turned[] = {0, 0, 3, 0, 1};
    made b;
    load(&b, "", "  b: {type: beam, section: unit, from: [0, 0, 0], to: [2, 0, 0], elements: 4}\n");
    ffr_part p = whole(&b, 0);
    p.turned = turned;
    assert_int_equal(build(&b, &p), 0);
    assert_int_equal(b.f.nv, 6);
    assert_int_equal(b.f.nw, 5);
    for (int k = 0; k < 3; k++) { /* nodes 2, 4 about z, node 2 about y */
        int node = k == 1 ? 4 : 2, first = k < 2 ? 0 : 6, n = k < 2 ? 6 : 5;
        const lm_floating_place *at = &b.f.place[node], *tip = &b.f.place[4];
        double x[6] = {0}, a = 0.5 * node, end = 0, slope = 0; /* x^2/2 up to a, then straight */
        for (int j = 0; j < n; j++) x[j] = (first ? at->dw : at->dv)[j];
        solve(&b.f, first, n, x);
        for (int j = 0; j < n; j++) {
            end += (first ? tip->w : tip->v)[j] * x[j];
            slope += (first ? tip->dw : tip->dv)[j] * x[j];
        }
        near(end, a * a / 2 + a * (2 - a), 1e-12);
        near(slope, a, 1e-12);
    }
    drop(&b);
}

/* ---- the irregular beam ---- */

/* Bending frequencies of a mesh of beam elements, node 0 clamped, by their 12 by 12 matrices. */
static void mesh_frequencies(const made *b, int plane, double *w, int count)
{
    static const int dofs[2][4] = {{1, 5, 7, 11}, {2, 4, 8, 10}};
    int ne = b->m.nelements, n = 2 * ne;
    double *A = calloc((size_t)(n * n), sizeof *A), *B = calloc((size_t)(n * n), sizeof *B);
    double *all = calloc((size_t)n, sizeof *all);
    for (int e = 0; e < ne; e++) {
        double K[12][12], M[12][12];
        lm_beam_matrices(&b->m.elements[e].shape, K, M);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                int r = 2 * e - 2 + i, c = 2 * e - 2 + j;
                if (r < 0 || c < 0) continue;
                A[r + n * c] += K[dofs[plane][i]][dofs[plane][j]];
                B[r + n * c] += M[dofs[plane][i]][dofs[plane][j]];
            }
    }
    assert_int_equal(lm_symmetric_eigen(n, A, B, all), 0);
    for (int i = 0; i < count; i++) w[i] = sqrt(all[i]);
    free(A), free(B), free(all);
}

/* Height 40 to 10 mm, width 20 mm, length 1: errors of one body against a fine mesh. */
static void irregular_beam(void **state)
{
    (void)state;
    static const struct {
        const char *basis;
        int elements;
        double most[2][4]; /* relative errors of the first modes, along y and z */
    } cases[] = {
        {"", 4, {{8e-4, 9e-3, 2e-2, 9e-2}, {2e-4, 4e-3, 3e-2, 3e-2}}},
        {"", 8, {{5e-5, 7e-4, 4e-3, 1e-2}, {8e-6, 2e-4, 2e-3, 6e-3}}},
        {"", 16, {{3e-6, 4e-5, 2e-4, 7e-4}, {5e-7, 1e-5, 8e-5, 3e-4}}},
        {", basis: modes", 4, {{1e-6, 5e-6, 2e-5, 5e-5}, {1e-6, 5e-6, 2e-5, 5e-5}}},
    };
    double fine[2][4], w[MOST];
    made b;
    make(&b, "", "wedge", 1, 60);
    for (int plane = 0; plane < 2; plane++) mesh_frequencies(&b, plane, fine[plane], 4);
    drop(&b);
    for (int k = 0; k < 4; k++) {
        make(&b, cases[k].basis, "wedge", 1, cases[k].elements);
        for (int plane = 0; plane < 2; plane++) {
            frequencies(&b.f, b.f.K, plane * b.f.nv, b.f.nv, w);
            for (int i = 0; i < 4; i++) {
                double error = w[i] / fine[plane][i] - 1;
                assert_true(error > -2e-7 && error < cases[k].most[plane][i]);
            }
        }
        drop(&b);
    }
}

/* ---- inertia ---- */

static double inertia_of_points(const lm_floating *f, int power)
{
    double sum = 0;
    for (int k = 0; k < f->nfours; k++)
        for (int l = 0; l < LM_LANES; l++) sum += f->four[k].mass[l] * pow(f->four[k].x0[l], power);
    return sum;
}

/* Wedge of heights h (1 - c x), width b: closed forms of mass, moments and the sections' own
 * inertia. */
static void inertia_of_a_wedge(void **state)
{
    (void)state;
    static const char *const basis[] = {"", ", basis: modes"};
    for (int k = 0; k < 2; k++) {
        made b;
        make(&b, basis[k], "wedge", 1, 3);
        double h = 0.04, width = 0.02, c = 0.75, rho = 7800, area = rho * h * width;
        near(b.f.mass, area * (1 - c / 2), 1e-13);
        near(inertia_of_points(&b.f, 0), area * (1 - c / 2), 1e-13);
        near(inertia_of_points(&b.f, 1), area * (0.5 - c / 3), 1e-13);
        near(inertia_of_points(&b.f, 2), area * (1. / 3 - c / 4), 1e-13);
        double Jz = rho * width * h * h * h / 12 * (1 - pow(1 - c, 4)) / (4 * c);
        double Jy = area * width * width / 12 * (1 - c / 2);
        near(b.f.J[1], Jy, 1e-13);
        near(b.f.J[2], Jz, 1e-13);
        near(b.f.J[0], Jy + Jz, 1e-13);
        drop(&b);
    }
}

/* Twist = x; the turn of the sections under a tip load, phi = (L x - x^2/2)/EI: integrals of J
 * times these, and of J t^2. */
static void own_inertia(void **state)
{
    (void)state;
    made b;
    make(&b, "", "flat, theory: timoshenko", 2, 5);
    double x[MOST] = {0}, n[3] = {0}, twice = 0;
    int t = b.f.nv + b.f.nw + b.f.na;
    for (int i = 0; i < b.f.nt; i++) x[t + i] = 2 * (i + 1) / 5.;
    x[b.f.nv - 1] = x[b.f.nv + b.f.nw - 1] = 1;
    solve(&b.f, 0, b.f.nv, x);
    solve(&b.f, b.f.nv, b.f.nw, x + b.f.nv);
    for (int k = 0; k < b.f.nfours; k++)
        for (int l = 0; l < LM_LANES; l++) {
            const lm_floating_four *q = &b.f.four[k];
            double angle[3] = {0}; /* about x, y, z */
            for (int i = 0; i < b.f.nv; i++) angle[2] += q->turn[i][l] * x[i];
            for (int i = b.f.nv; i < b.f.nv + b.f.nw; i++) angle[1] += q->turn[i][l] * x[i];
            for (int i = 0; i < b.f.nt; i++) angle[0] += q->turn[b.f.nv + b.f.nw + i][l] * x[t + i];
            for (int a = 0; a < 3; a++) n[a] += q->j[a][l] * angle[a];
            twice += q->j[0][l] * angle[0] * angle[0];
        }
    near(n[0], 3e-3 * 2, 1e-12);
    near(n[1], -1e-3 * 8 / 3 / 4, 1e-12); /* EIy 4: angle -w' */
    near(n[2], 2e-3 * 8 / 3, 1e-12);
    near(twice, 3e-3 * 8 / 3, 1e-12);
    drop(&b);
}

static void damping(void **state)
{
    (void)state;
    made b;
    load(&b, "",
         "  b: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 3}\n"
         "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n");
    ffr_part p = whole(&b, 0);
    assert_int_equal(build(&b, &p), 0);
    assert_non_null(b.f.C);
    for (int i = 0; i < b.f.ne * b.f.ne; i++) assert_true(b.f.C[i] == 1e-4 * b.f.K[i]);
    drop(&b);
    make(&b, "", "wedge", 1, 3);
    assert_null(b.f.C);
    drop(&b);
}

/* ---- shortening ---- */

static double form(int n, const double *A, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += A[i + n * j] * x[i] * x[j];
    return sum;
}

/* The shape of a tip load, v = (3 L x^2 - x^3)/6: v' = L x - x^2/2, and the integral of its
 * square up to x is L^2 x^3/3 - L x^4/4 + x^5/20. */
static void shortening(void **state)
{
    (void)state;
    double L = 2;
    made b;
    make(&b, "", "unit", L, 5);
    for (int node = 0; node <= 5; node++) {
        double v[MOST], x = L * node / 5;
        for (int i = 0; i < 5; i++) {
            double at = L * (i + 1) / 5;
            v[i] = (3 * L * at * at - at * at * at) / 6;
        }
        double known = L * L * x * x * x / 3 - L * pow(x, 4) / 4 + pow(x, 5) / 20;
        near(b.f.place[node].x0, x, 1e-14);
        near(form(5, b.f.place[node].Hv, v), known, 1e-13);
        near(form(5, b.f.place[node].Hw, v), known, 1e-13);
    }
    for (int k = 0; k < b.f.nfours; k++)
        for (int l = 0; l < LM_LANES; l++) {
            double v[MOST], H[MOST], x = b.f.four[k].x0[l];
            for (int i = 0; i < 5; i++) {
                double at = L * (i + 1) / 5;
                v[i] = (3 * L * at * at - at * at * at) / 6;
            }
            for (int i = 0; i < 25; i++) H[i] = b.f.four[k].Hv[i][l];
            near(form(5, H, v), L * L * x * x * x / 3 - L * pow(x, 4) / 4 + pow(x, 5) / 20, 1e-13);
        }
    drop(&b);
    make(&b, ", stiffening: false", "unit", L, 5);
    for (int i = 0; i < 25; i++) assert_true(b.f.place[5].Hv[i] == 0 && b.f.four[4].Hw[i][3] == 0);
    drop(&b);
}

/* The stretch is along the section's normal: v' phi - phi^2/2, or half of v'^2 - (v' - phi)^2. Under a tip
 * load Timoshenko's beam has v' = phi + 1/GA. */
static void shortening_with_shear(void **state)
{
    (void)state;
    made b;
    make(&b, "", "flat, theory: timoshenko", 2, 3);
    double x[MOST] = {0}, g = 1. / 40;
    x[2] = 1;
    solve(&b.f, 0, 3, x);
    /* integral over 0..2 of (2 x - x^2/2 + g)^2 - g^2 */
    double known = 32. / 3 - 8 + 32. / 20 + 2 * g * (4 - 8. / 6);
    near(form(3, b.f.place[3].Hv, x), known, 1e-12);
    drop(&b);
}

/* Spinning about z with hub radius 0 (Wright et al. 1982): omega of the flap along z. Without H
 * they stay. */
static void spinning_beam_is_stiffer(void **state)
{
    (void)state;
    static const double known[3] = {7.3604, 26.8091, 66.6839}; /* at 6 */
    static const char *const basis[] = {"", ", basis: modes, modes: 8", ", stiffening: false"};
    for (int k = 0; k < 3; k++) {
        made b;
        double w[MOST];
        make(&b, basis[k], "unit", 1, 12);
        int n = 6 + b.f.ne;
        double *K = calloc((size_t)(n * b.f.ne), sizeof *K), *eta = calloc((size_t)b.f.ne, 8);
        double *square = calloc((size_t)(b.f.ne * b.f.ne), sizeof *square);
        lm_floating_motion m = {.W = {0, 0, 6}, .eta = eta};
        lm_floating_tangent(&b.f, &m, NULL, K);
        for (int j = 0; j < b.f.ne; j++)
            for (int i = 0; i < b.f.ne; i++) square[i + b.f.ne * j] = K[6 + i + n * j];
        frequencies(&b.f, square, b.f.nv, b.f.nw, w);
        for (int i = 0; i < 3; i++)
            near(w[i], k == 2 ? clamped_free[i] * clamped_free[i] : known[i], 3e-4);
        free(K), free(eta), free(square);
        drop(&b);
    }
}

/* ---- places, parts, sharing, mistakes ---- */

/* Node 0 is the frame; the nodal values are those of the nodes. */
static void places(void **state)
{
    (void)state;
    made b;
    make(&b, "", "wedge", 1, 4);
    assert_int_equal(b.f.nplaces, 5);
    for (int node = 0; node <= 4; node++) {
        const lm_floating_place *p = &b.f.place[node];
        near(p->x0, 0.25 * node, 1e-15);
        for (int j = 0; j < 4; j++) {
            double is = j + 1 == node;
            assert_true(fabs(p->v[j] - is) < 1e-9 && fabs(p->w[j] - is) < 1e-9);
            assert_true(fabs(p->a[j] - is) < 1e-9 && fabs(p->t[j] - is) < 1e-9);
            if (node == 0) assert_true(p->dv[j] == 0 && p->Hv[5 * j] == 0 && p->dw[j] == 0);
        }
    }
    drop(&b);
}

/* A part behind a corner, with a node more where something is joined: as a beam of its own. */
static void part_of_a_polyline(void **state)
{
    (void)state;
    made b, c;
    char text[600];
    load(
        &b, "",
        "  p: {type: beam, section: unit, points: [[0, 0, 0], [1, 0, 0], [1, 3, 0]], elements: 4}\n"
        "  r: {type: rigid, mass: 1, position: [1, 0.6, 0]}\n"
        "joints:\n"
        "  j: {type: fixed, between: [p.at(0.4), r]}\n");
    assert_int_equal(b.m.beams[0].nelements, 5);
    int first = 0;
    while (b.m.elements[first].s[0] < 0.25 - 1e-9) first++;
    ffr_part p = {.body = 0, .first = first, .n = 5 - first};
    assert_int_equal(build(&b, &p), 0);
    near(b.f.place[p.n].x0, 3, 1e-14);
    snprintf(text, sizeof text,
             "  p: {type: beam, section: unit, from: [0, 0, 0], to: [3, 0, 0], elements: %d}\n",
             24);
    load(&c, "", text);
    ffr_part q = whole(&c, 0);
    assert_int_equal(build(&c, &q), 0);
    double u[MOST], w[MOST];
    frequencies(&b.f, b.f.K, 0, b.f.nv, u);
    frequencies(&c.f, c.f.K, 0, c.f.nv, w);
    near(u[0], w[0], 1e-3);
    near(u[0], clamped_free[0] * clamped_free[0] / 9, 1e-3);
    drop(&b);
    drop(&c);
}

static void same_parts(void **state)
{
    (void)state;
    static const unsigned char turned[] = {0, 0, 0, 0, 1}, other[] = {0, 0, 0, 0, 2};
    made b;
    load(
        &b, "",
        "  a(k=1..3): {type: beam, section: wedge, from: [0.1*k, 7*k, 0],\n"
        "              to: [0.1*k + 0.3, 7*k + 0.5, 0.2]}\n"
        "  other: {type: beam, section: bar, from: [0, 0, 0], to: [0.3, 0.5, 0.2]}\n"
        "  longer: {type: beam, section: wedge, from: [0, 0, 0], to: [0.3, 0.5, 0.2000001]}\n"
        "  finer: {type: beam, section: wedge, from: [0, 0, 0], to: [0.3, 0.5, 0.2], elements: 5}\n"
        "  shear: {type: beam, section: wedge, from: [0, 0, 0], to: [0.3, 0.5, 0.2],\n"
        "          theory: timoshenko}\n");
    ffr_part first = whole(&b, 0);
    for (int body = 0; body < 7; body++) {
        ffr_part p = whole(&b, body);
        assert_int_equal(ffr_basis_same(&b.m, &first, &p), body < 3);
    }
    ffr_part p = first, about_y = first;
    p.turned = turned;
    about_y.turned = other;
    assert_int_equal(ffr_basis_same(&b.m, &first, &p), 0);
    assert_int_equal(ffr_basis_same(&b.m, &about_y, &p), 0);
    assert_int_equal(ffr_basis_same(&b.m, &p, &p), 1);
    p.turned = NULL, p.n = 2;
    ffr_part q = p;
    q.first += 2; /* the other half of a wedge */
    assert_int_equal(ffr_basis_same(&b.m, &p, &q), 0);
    drop(&b);
}

static void refuses(const char *formulation, const char *body, const char *says)
{
    made b;
    load(&b, formulation, body);
    ffr_part p = whole(&b, 0);
    assert_int_equal(build(&b, &p), 1);
    assert_int_equal(b.diag.errors, 1);
    if (!strstr(b.diag.list.at[0].text, says)) fail_msg("%s", b.diag.list.at[0].text);
    drop(&b);
}

static void mistakes(void **state)
{
    (void)state;
    refuses("", "  b: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 65}\n",
            "lower 'elements'");
    refuses(", basis: modes, modes: 100",
            "  b: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0]}\n", "lower 'modes'");
    refuses(", basis: modes", "  b: {type: beam, section: none, from: [0, 0, 0], to: [1, 0, 0]}\n",
            "take 'basis: spline'");
}

/* ---- memory ---- */

typedef struct attempt {
    made *b;
    int rc;
} attempt;

static void act(void *context)
{
    attempt *a = context;
    ffr_part p = whole(a->b, 0);
    a->rc = build(a->b, &p);
}

static int went_through(void *context)
{
    attempt *a = context;
    lm_arena_free(&a->b->arena);
    assert_true(a->rc == 0 || a->rc == -1);
    assert_int_equal(a->b->diag.list.n, 0);
    return a->rc == 0;
}

static void out_of_memory(void **state)
{
    (void)state;
    static const char *const basis[] = {"", ", basis: modes, modes: 3"};
    for (int k = 0; k < 2; k++) {
        made b;
        load(&b, basis[k], "  b: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0]}\n");
        attempt a = {&b, 0};
        assert_true(fail_in_turn(act, went_through, &a, k) > 3);
        drop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spline_frequencies),
        cmocka_unit_test(mode_frequencies),
        cmocka_unit_test(torsion),
        cmocka_unit_test(tip_load_is_exact),
        cmocka_unit_test(between_the_nodes),
        cmocka_unit_test(turned_nodes_carry_moments),
        cmocka_unit_test(irregular_beam),
        cmocka_unit_test(inertia_of_a_wedge),
        cmocka_unit_test(own_inertia),
        cmocka_unit_test(damping),
        cmocka_unit_test(shortening),
        cmocka_unit_test(shortening_with_shear),
        cmocka_unit_test(spinning_beam_is_stiffer),
        cmocka_unit_test(places),
        cmocka_unit_test(part_of_a_polyline),
        cmocka_unit_test(same_parts),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
