/* Beams of a model: sections from expressions of s, tapers and defaults; the axis cut into elements,
 * with corners, arcs and chords. */
#include "model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static void close_to(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected)))
        fail_msg("%.17g, expected %.17g (off by %.3g)", found, expected,
                 fabs(found / expected - 1));
}
#define near(found, expected) close_to(found, expected, 1e-13)

static const lm_elastic steel = {2.1e11, 2.1e11 / 2.6, 7800}; /* nu 0.3 */

typedef struct loaded {
    lm_model m;
    lm_diag diag;
    double scratch[64];
} loaded;

/* A model of beams; sections `bar` and `wedge` and those given. */
static void load(loaded *l, const char *sections, const char *bodies)
{
    char text[4000];
    lm_spec *spec = NULL;
    snprintf(text, sizeof text,
             "limber: 1\n"
             "materials:\n"
             "  steel: {E: 2.1e11, nu: 0.3, rho: 7800, damping: {mass: 0.2, stiffness: 1e-5}}\n"
             "  same: {E: 2.1e11, nu: 0.3, rho: 7800, damping: {mass: 0.2, stiffness: 1e-5}}\n"
             "sections:\n"
             "  bar: {material: steel, shape: rectangle, height: 0.02, width: 0.01}\n"
             "  wedge: {material: steel, shape: rectangle, height: 0.05*(1 - 0.6*s), width: 0.02}\n"
             "%sbodies:\n%s",
             sections, bodies);
    memset(l, 0, sizeof *l);
    int rc = lm_read_text(&l->m.arena, &l->diag, text, strlen(text), "m.yaml", NULL, &spec);
    if (!rc) rc = lm_compile(&l->m, spec, &l->diag);
    if (rc) fail_msg("%s", l->diag.list.n ? l->diag.list.at[0].text : "?");
    assert_true(l->m.section_scratch <= 64);
}

static void drop(loaded *l)
{
    lm_arena arena = l->m.arena;
    lm_arena_free(&arena);
    lm_diag_free(&l->diag);
}

/* ---- sections ---- */

static lm_section at(loaded *l, double s)
{
    lm_section c;
    lm_beam_section(&l->m, 0, s, l->scratch, &c);
    return c;
}

static void expressions_of_s(void **state)
{
    (void)state;
    loaded l;
    load(&l,
         "  a: {material: steel, shape: rectangle, height: \"0.05*(1 - 0.5*s)\", "
         "width: 0.01 + 0.02*s^2}\n",
         "  b: {type: beam, section: a, from: [0, 0, 0], to: [2, 0, 0]}\n");
    for (int i = 0; i <= 4; i++) {
        double s = 0.25 * i;
        lm_section c = at(&l, s),
                   d = lm_section_rectangle(&steel, 0.05 * (1 - 0.5 * s), 0.01 + 0.02 * s * s);
        near(c.EA, d.EA);
        near(c.EIy, d.EIy);
        near(c.GJ, d.GJ);
        near(c.GAy, d.GAy);
        near(c.rhoIz, d.rhoIz);
    }
    near(l.m.beams[0].damping_mass, 0.2);
    near(l.m.beams[0].damping_stiffness, 1e-5);
    drop(&l);
}

/* Dimensions are interpolated, not stiffnesses; the two sections may depend on s themselves. */
static void taper(void **state)
{
    (void)state;
    loaded l;
    load(&l,
         "  a: {material: steel, shape: tube, radius: 0.04, thickness: 0.004}\n"
         "  b: {material: same, shape: tube, radius: 0.02 + 0.01*s, thickness: 0.002}\n",
         "  b: {type: beam, section: a, end_section: b, from: [0, 0, 0], to: [2, 0, 0]}\n");
    for (int i = 0; i <= 4; i++) {
        double s = 0.25 * i;
        lm_section c = at(&l, s),
                   d = lm_section_tube(&steel, (1 - s) * 0.04 + s * (0.02 + 0.01 * s),
                                       (1 - s) * 0.004 + s * 0.002);
        near(c.EIy, d.EIy);
        near(c.GAz, d.GAz);
        near(c.Wz, d.Wz);
        assert_int_equal(c.round, 1);
    }
    drop(&l);
}

static void left_out(void **state)
{
    (void)state;
    loaded l;
    load(&l, "  a: {material: steel, shape: general, A: 0.01, Iy: 1e-5, Iz: 2e-5, J: 3e-5}\n",
         "  b: {type: beam, section: a, from: [0, 0, 0], to: [2, 0, 0]}\n");
    lm_section c = at(&l, 0.5);
    near(c.GAy, steel.G * 0.01); /* ky = kz = 1 */
    near(c.GAz, steel.G * 0.01);
    near(c.rhoIz, 7800 * 2e-5);
    assert_true(isnan(c.Wy));
    drop(&l);
    load(&l,
         "  a: {shape: stiffness, EA: 1e6, EIy: 10*(2 - s), EIz: 30, GJ: 40, rhoA: 2, rhoIz: 7, "
         "GAz: 1e4, damping: {mass: 3, stiffness: 4}}\n",
         "  b: {type: beam, section: a, from: [0, 0, 0], to: [2, 0, 0]}\n");
    c = at(&l, 0.25);
    near(c.EIy, 17.5);
    assert_true(isinf(c.GAy)); /* rigid in shear */
    near(c.GAz, 1e4);
    assert_true(c.rhoIy == 0); /* no rotary inertia */
    near(c.rhoIz, 7);
    assert_true(isnan(c.A) && isnan(lm_section_stress(&c, 1, 0, 0)));
    near(l.m.beams[0].damping_mass, 3);
    near(l.m.beams[0].damping_stiffness, 4);
    drop(&l);
    /* infinite at both ends of a taper, at s = 0 and 1 too */
    load(&l,
         "  a: {shape: stiffness, EA: 1, EIy: 1, EIz: 1, GJ: 1, rhoA: 2}\n"
         "  b: {shape: stiffness, EA: 2, EIy: 3, EIz: 1, GJ: 1, rhoA: 0}\n",
         "  b: {type: beam, section: a, end_section: b, from: [0, 0, 0], to: [2, 0, 0]}\n");
    for (int i = 0; i <= 2; i++) {
        c = at(&l, 0.5 * i);
        assert_true(isinf(c.GAy) && isinf(c.GAz));
        near(c.EIy, 1 + i);
    }
    drop(&l);
}

/* ---- the axis ---- */

static void same3(lm_v3 a, lm_v3 b, double tolerance)
{
    if (!(v3_norm(v3_sub(a, b)) <= tolerance))
        fail_msg("(%g %g %g), expected (%g %g %g)", a.x, a.y, a.z, b.x, b.y, b.z);
}

/* Axes of an element as drawn, from either node. */
static lm_m3 element_axes(const lm_model *m, const lm_element *e, int end)
{
    lm_m3 R = quat_m3(m->nodes[e->node[end]].q);
    return m3_mul(&R, &e->A[end]);
}

static void check_geometry(const lm_model *m, int body)
{
    const lm_beam *b = &m->beams[body];
    double length = 0;
    for (int k = 0; k < b->nelements; k++) {
        const lm_element *e = &m->elements[b->first_element + k];
        lm_v3 d = v3_sub(m->nodes[e->node[1]].x, m->nodes[e->node[0]].x);
        assert_int_equal(e->node[0], m->bodies[body].first_node + k);
        assert_int_equal(e->node[1], e->node[0] + 1);
        assert_true(e->shape.L == v3_norm(d)); /* to the bit: no strain as drawn */
        lm_m3 E = element_axes(m, e, 0), F = element_axes(m, e, 1);
        for (int i = 0; i < 3; i++) same3(m3_col(&F, i), m3_col(&E, i), 1e-14);
        double rounded = 1e-15 * v3_norm(m->nodes[e->node[1]].x) / e->shape.L;
        same3(m3_col(&E, 0), v3_unit(d), 1e-14 + rounded);
        assert_true(k == 0 ? e->s[0] == 0 : e->s[0] == e[-1].s[1]);
        near(e->s[0] - lm_beam_node_s(&m->spec->bodies.at[body], k) + 1, 1);
        assert_int_equal(lm_beam_node_at(&m->spec->bodies.at[body], e->s[0]), k);
        assert_int_equal(lm_beam_node_at(&m->spec->bodies.at[body], (e->s[0] + e->s[1]) / 2), -1);
        length += e->shape.L;
    }
    assert_true(m->elements[b->first_element + b->nelements - 1].s[1] == 1);
    assert_int_equal(lm_beam_node_at(&m->spec->bodies.at[body], 1), b->nelements);
    near(b->length, length);
}

/* Tip of a cantilever clamped at its start under F and M there: rotations against the chord are
 * b_a = -v/L and b_b = phi - v/L. */
static void tip_of_cantilever(const lm_beam_shape *e, const double k[3], double F, double M,
                              double *v, double *phi)
{
    double L = e->L, a = (k[0] + 2 * k[1] + k[2]) / (L * L), b = -(k[1] + k[2]) / L, c = k[2];
    double det = a * c - b * b;
    *v = (c * F - b * M) / det;
    *phi = (a * M - b * F) / det;
}

/* One element per piece of the taper, chained, is the whole: the tip deflection is exact. */
static void model_taper(void **state)
{
    (void)state;
    loaded l;
    load(&l, "",
         "  b: {type: beam, section: wedge, from: [1, 2, 3], to: [1, 4, 3], elements: 5}\n");
    const lm_beam *b = &l.m.beams[0];
    check_geometry(&l.m, 0);
    assert_int_equal(b->nelements, 5);
    near(b->length, 2);
    double c = 0.6, a = 1 - c, EI0 = 2.1e11 * 0.02 * pow(0.05, 3) / 12, L = 2;
    double expected = (-log(a) + 2 * a - 1.5 - a * a / 2) / (c * c * c) * L * L * L / EI0;
    double v = 0, phi = 0, mass = 0;
    for (int k = 0; k < 5; k++) { /* a unit force at the tip of a chain of cantilevers */
        const lm_element *e = &l.m.elements[b->first_element + k];
        double dv, dphi, arm = L * (1 - e->s[1]);
        assert_int_equal(e->straight, 1);
        tip_of_cantilever(&e->shape, e->shape.kz, 1, arm, &dv, &dphi);
        v += phi * e->shape.L + dv;
        phi += dphi;
        mass += e->shape.mx[0] + 2 * e->shape.mx[1] + e->shape.mx[2];
    }
    close_to(v, expected, 1e-12);
    near(mass, 7800 * 0.02 * 0.05 * (1 - c / 2) * L);
    drop(&l);
}

/* A clamped frame of two legs of 1 and 2 with 6 elements: corners are nodes, the corner's axes lie
 * half way, and the legs' axes follow the rule for local axes. */
static void model_corner(void **state)
{
    (void)state;
    loaded l;
    load(&l, "",
         "  b: {type: beam, section: bar, points: [[0, 0, 0], [0, 0, 1], [2, 0, 1]], "
         "elements: 6}\n"
         "  c: {type: beam, section: bar, points: [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "
         "elements: 3, y_axis: [0, 0, 1]}\n");
    check_geometry(&l.m, 0);
    check_geometry(&l.m, 1);
    const lm_element *e = &l.m.elements[l.m.beams[0].first_element];
    same3(l.m.nodes[2].x, v3(0, 0, 1), 0); /* drawn corners to the bit */
    same3(l.m.nodes[6].x, v3(2, 0, 1), 0);
    near(e[1].s[1], 1.0 / 3);
    for (int k = 0; k < 6; k++) {
        assert_int_equal(e[k].straight, k != 1 && k != 2);
        close_to(e[k].shape.L, 0.5, 1e-15);
        lm_m3 E = element_axes(&l.m, &e[k], 0);
        same3(m3_col(&E, 1), v3(0, 1, 0), 1e-15);
    }
    lm_m3 R = quat_m3(l.m.nodes[2].q);
    same3(m3_col(&R, 0), v3(sqrt(0.5), 0, sqrt(0.5)), 1e-15);
    e = &l.m.elements[l.m.beams[1].first_element]; /* points in line: nothing to see of them */
    for (int k = 0; k < 3; k++) {
        lm_m3 E = element_axes(&l.m, &e[k], 1);
        assert_int_equal(e[k].straight, 1);
        same3(m3_col(&E, 1), v3(0, 0, 1), 1e-15);
        close_to(e[k].shape.L, (double[]){0.5, 0.5, 1}[k], 1e-15);
    }
    drop(&l);
}

/* An arc drawn with 8 segments: one element each, two each, and chords of two. */
static void model_arc(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++) {
        int n = (int[]){8, 16, 4}[c];
        char text[2000];
        int at = snprintf(text, sizeof text,
                          "  b: {type: beam, section: bar, elements: %d, points: [", n);
        for (int i = 0; i <= 8; i++)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "%s[100*sin(%d*pi/32), 0, 100*cos(%d*pi/32)]", i ? ", " : "", i, i);
        snprintf(text + at, sizeof text - (size_t)at, "]}\n");
        loaded l;
        load(&l, "", text);
        check_geometry(&l.m, 0);
        for (int k = 0; k <= n; k++) {
            double angle = k * PI / (4 * n), r = c == 1 && k % 2 ? 100 * cos(PI / 64) : 100;
            same3(l.m.nodes[k].x, v3(r * sin(angle), 0, r * cos(angle)), 1e-11);
            lm_m3 R = quat_m3(l.m.nodes[k].q);
            if (k == 0 || k == n) continue; /* inside, the mean of the elements is the tangent */
            if (c != 1 || k % 2 == 0) same3(m3_col(&R, 0), v3(cos(angle), 0, -sin(angle)), 1e-12);
        }
        near(l.m.beams[0].length, c == 2 ? 800 * sin(PI / 32) : 1600 * sin(PI / 64));
        double xi;
        int e = lm_beam_locate(&l.m, 0, 0.3, &xi);
        const lm_element *in = &l.m.elements[e];
        near(in->s[0] + xi * (in->s[1] - in->s[0]), 0.3);
        lm_v3 x;
        lm_m3 R, E = element_axes(&l.m, in, 0);
        lm_beam_drawn(&l.m.spec->bodies.at[0], 0.3, &x, &R);
        same3(
            x,
            v3_add(v3_mul(1 - xi, l.m.nodes[in->node[0]].x), v3_mul(xi, l.m.nodes[in->node[1]].x)),
            1e-12);
        same3(m3_col(&R, 2), m3_col(&E, 2), 1e-14);
        drop(&l);
    }
}

/* Elements go where they shorten the longest; the first of equals take the odd ones. */
static void spread(void **state)
{
    (void)state;
    static const struct {
        double leg[3];
        int n, count[3];
    } cases[] = {{{1, 1, 1}, 3, {1, 1, 1}},        {{1, 1, 1}, 4, {2, 1, 1}},
                 {{1, 1, 1}, 5, {2, 2, 1}},        {{1, 10, 1}, 5, {1, 3, 1}},
                 {{0.3, 0.1, 0.2}, 6, {3, 1, 2}},  {{0.3, 0.1, 0.2}, 600, {300, 100, 200}},
                 {{1e-6, 1, 1e-3}, 10, {1, 8, 1}}, {{0.1, 0.7, 0.1}, 9, {1, 7, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        double a = cases[i].leg[0], b = cases[i].leg[1], c = cases[i].leg[2];
        snprintf(text, sizeof text,
                 "  b: {type: beam, section: bar, elements: %d, points: [[0, 0, 0], [%.17g, 0, 0], "
                 "[%.17g, %.17g, 0], [%.17g, %.17g, %.17g]]}\n",
                 cases[i].n, a, a, b, a, b, c);
        loaded l;
        load(&l, "", text);
        check_geometry(&l.m, 0);
        int at = l.m.beams[0].first_element;
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < cases[i].count[k]; j++)
                close_to(l.m.elements[at++].shape.L, cases[i].leg[k] / cases[i].count[k], 1e-12);
        assert_int_equal(at, l.m.nelements);
        drop(&l);
    }
}

/* Frames sit on nodes with the nodes' own axes, or between them on the element. */
static void frames(void **state)
{
    (void)state;
    loaded l;
    load(&l, "",
         "  b: {type: beam, section: bar, points: [[0, 0, 0], [0, 0, 1], [2, 0, 1]], elements: 6}\n"
         "outputs: {a: pos(b.node(2)).x, b: pos(b.end).x, c: pos(b.at(0.4)).x}\n");
    assert_int_equal(l.m.nframes, 3);
    const lm_frame *f = l.m.frames;
    const lm_m3 I = m3_identity();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f[i].node, i ? 6 : 2);
        assert_memory_equal(&f[i].E, &I, sizeof I);
        same3(f[i].r, v3(0, 0, 0), 0);
        lm_v3 x;
        lm_m3 R, N = quat_m3(l.m.nodes[f[i].node].q);
        lm_frame_drawn(l.m.spec, i, &x, &R); /* the same without a model */
        same3(x, l.m.nodes[f[i].node].x, 1e-15);
        for (int k = 0; k < 3; k++) same3(m3_col(&R, k), m3_col(&N, k), 1e-15);
    }
    assert_int_equal(f[2].node, LM_BETWEEN_NODES);
    same3(f[2].x, v3(0.2, 0, 1), 1e-15);
    same3(m3_col(&f[2].E, 0), v3(1, 0, 0), 1e-15);
    drop(&l);
}

/* Chords that leave out much of the axis are worth a word, those of an arc are not. */
static void cut_corners(void **state)
{
    (void)state;
    loaded l;
    load(&l, "",
         "  b: {type: beam, section: bar, points: [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "
         "elements: 1}\n");
    assert_int_equal(l.diag.list.n, 1);
    assert_int_equal(l.diag.list.at[0].severity, LM_WARNING);
    assert_non_null(strstr(l.diag.list.at[0].text, "29 % shorter than drawn"));
    drop(&l);
    load(&l, "",
         "  b: {type: beam, section: bar, points: [[0, 0, 0], [1, 0, 0], [2, 0.1, 0]], "
         "elements: 1}\n");
    assert_int_equal(l.diag.list.n, 0);
    drop(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_of_s), cmocka_unit_test(taper),
        cmocka_unit_test(left_out),         cmocka_unit_test(model_taper),
        cmocka_unit_test(model_corner),     cmocka_unit_test(model_arc),
        cmocka_unit_test(spread),           cmocka_unit_test(frames),
        cmocka_unit_test(cut_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
