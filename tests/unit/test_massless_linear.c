/* Linearised models with parts without mass: what stiffness alone holds follows at once, what dampers hold is of
 * first order. All is the limit of parts with little mass; rates that inputs make at once are said. */
#include "support/linear.h"
#include "support/listen.h"

#include <complex.h>

static const char *const form[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
enum { FORMS = 5 };

/* ---- closed forms ---- */

/* k1 from the wall to a point without mass, k2 on to a mass, a damper c between the point and the ground; the
 * force acts on the point. With c = 0: k = k1 k2/(k1 + k2), x = k2/(k1 + k2) F/(k - m w^2), and the point
 * follows F at once, with 1/(k1 + k2). */
#define SPRINGS                                                                                    \
    "limber: 1\n"                                                                                  \
    "parameters: {c: 0}\n"                                                                         \
    "sections:\n"                                                                                  \
    "  a: {shape: stiffness, EA: 300, EIy: 1, EIz: 1, GJ: 1, rhoA: 0}\n"                           \
    "  b: {shape: stiffness, EA: 200, EIy: 1, EIz: 1, GJ: 1, rhoA: 0}\n"                           \
    "bodies:\n"                                                                                    \
    "  left: {type: beam, section: a, from: [0, 0, 0], to: [1, 0, 0], elements: 1}\n"              \
    "  right: {type: beam, section: b, from: [1, 0, 0], to: [2, 0, 0], elements: 1}\n"             \
    "  m: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [2, 0, 0]}\n"                       \
    "joints:\n"                                                                                    \
    "  A: {type: fixed, between: [ground, left.start]}\n"                                          \
    "  B: {type: fixed, between: [left.end, right.start]}\n"                                       \
    "  C: {type: fixed, between: [right.end, m]}\n"                                                \
    "  G: {type: prismatic, between: [ground, m], axis: x, at: [2, 0, 0]}\n"                       \
    "forces: {d: {type: bushing, between: [\"ground.at(1, 0, 0)\", left.end], damping: [c, 0, 0, " \
    "0, 0, 0]}}\n"                                                                                 \
    "loads: {f: {on: left.end, force: [0, 0, 0]}}\n"

static void point_between_springs(void **state)
{
    static const char text[] = SPRINGS
        "outputs: {x: pos(m).x, p: pos(left.end).x, v: vel(m).x, N: 'section(left, 0.5).N'}\n";
    double k1 = 300, k2 = 200, m = 2, k = k1 * k2 / (k1 + k2), re[60], im[60];
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        if (f == 2) continue; /* two divisions in one: its springs are halves */
        linear *s = linear_of(NULL, text, form[f], 0);
        int in = linear_input(s, "f.force.x"), ny = s->l.ny;
        assert_int_equal(s->l.ns, 2);
        assert_int_equal(s->l.npoles, 1);
        assert_near(s->l.pole[0].im, sqrt(k / m), 1e-9);
        assert_near(s->l.pole[0].re, 0, 1e-9);
        for (double hz = 0; hz < 4; hz += 0.7) {
            double w = 2 * PI * hz, x = k2 / (k1 + k2) / (k - m * w * w);
            assert_int_equal(lm_linearized_transfer(&s->l, hz, re, im), 0);
            assert_near(re[ny * in + linear_output(s, "x")], x, 1e-8 * fabs(x));
            assert_near(re[ny * in + linear_output(s, "p")], (1 + k2 * x) / (k1 + k2), 1e-8);
            assert_near(im[ny * in + linear_output(s, "v")], w * x, 1e-8 * (1 + w * fabs(x)));
            assert_near(re[ny * in + linear_output(s, "N")], k1 * (1 + k2 * x) / (k1 + k2), 1e-6);
        }
        linear_done(s);
    }
}

/* With the damper the point is a state of first order: m s^2 + k2 - k2^2/(k1 + k2 + c s) = 0. */
static void point_on_a_damper(void **state)
{
    static const char text[] = "c: 40";
    char all[2000];
    const char *base = SPRINGS "outputs: {x: pos(m).x, p: vel(left.end).x}\n",
               *at = strstr(base, "c: 0");
    double k1 = 300, k2 = 200, m = 2, c = 40, re[60], im[60];
    (void)state;
    snprintf(all, sizeof all, "%.*s%s%s", (int)(at - base), base, text, at + 4);
    for (int f = 0; f < FORMS; f++) {
        if (f == 2) continue;
        linear *s = linear_of(NULL, all, form[f], 0);
        int in = linear_input(s, "f.force.x"), ny = s->l.ny;
        assert_int_equal(s->l.ns, 3);
        for (int i = 0; i < s->l.npoles; i++) {
            double x = s->l.pole[i].re, y = s->l.pole[i].im;
            double br = k1 + k2 + c * x, bi = c * y, b2 = br * br + bi * bi;
            assert_near(m * (x * x - y * y) + k2 - k2 * k2 * br / b2, 0, 1e-6);
            assert_near(2 * m * x * y + k2 * k2 * bi / b2, 0, 1e-6);
        }
        double w = 2 * PI * 1.1, q = k2 - m * w * w; /* (k1 + k2 + i c w - k2^2/q) p = F */
        double dr = k1 + k2 - k2 * k2 / q, di = c * w, d2 = dr * dr + di * di;
        assert_int_equal(lm_linearized_transfer(&s->l, 1.1, re, im), 0);
        assert_near(re[ny * in + linear_output(s, "x")], k2 / q * dr / d2, 1e-9);
        assert_near(re[ny * in + linear_output(s, "p")], w * di / d2, 1e-8); /* i w p */
        assert_near(im[ny * in + linear_output(s, "p")], w * dr / d2, 1e-8);
        linear_done(s);
    }
}

/* Two points: what stiffness alone holds, p, between the wall and what a damper holds, d, with a spring on to the
 * mass; the force acts on p. With k = k1 k2/(k1 + k2): m s^2 + k3 - k3^2/(k + k3 + c s) = 0. */
#define THREE                                                                                      \
    "limber: 1\n"                                                                                  \
    "sections:\n"                                                                                  \
    "  a: {shape: stiffness, EA: 300, EIy: 1, EIz: 1, GJ: 1, rhoA: 0}\n"                           \
    "  b: {shape: stiffness, EA: 200, EIy: 1, EIz: 1, GJ: 1, rhoA: 0}\n"                           \
    "  c: {shape: stiffness, EA: 500, EIy: 1, EIz: 1, GJ: 1, rhoA: 0}\n"                           \
    "bodies:\n"                                                                                    \
    "  r1: {type: beam, section: a, from: [0, 0, 0], to: [1, 0, 0], elements: 1}\n"                \
    "  r2: {type: beam, section: b, from: [1, 0, 0], to: [2, 0, 0], elements: 1}\n"                \
    "  r3: {type: beam, section: c, from: [2, 0, 0], to: [3, 0, 0], elements: 1}\n"                \
    "  m: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [3, 0, 0]}\n"                       \
    "joints:\n"                                                                                    \
    "  A: {type: fixed, between: [ground, r1.start]}\n"                                            \
    "  B: {type: fixed, between: [r1.end, r2.start]}\n"                                            \
    "  C: {type: fixed, between: [r2.end, r3.start]}\n"                                            \
    "  D: {type: fixed, between: [r3.end, m]}\n"                                                   \
    "  G: {type: prismatic, between: [ground, m], axis: x, at: [3, 0, 0]}\n"                       \
    "forces: {d: {type: bushing, between: [\"ground.at(2, 0, 0)\", r2.end], damping: [40, 0, 0, "  \
    "0, 0, 0]}}\n"                                                                                 \
    "loads: {f: {on: r1.end, force: [0, 0, 0]}}\n"                                                 \
    "outputs: {x: pos(m).x, p: pos(r1.end).x, d: pos(r2.end).x, v: vel(r2.end).x}\n"

static void point_behind_a_point_on_a_damper(void **state)
{
    double k1 = 300, k2 = 200, k3 = 500, m = 2, c = 40, k = k1 * k2 / (k1 + k2), re[60], im[60];
    double w = 2 * PI * 1.1, part = k2 / (k1 + k2);
    double complex s = I * w, D = k + k3 + c * s - k3 * k3 / (k3 + m * s * s), d = part / D;
    double complex expected[4] = {k3 / (k3 + m * s * s) * d, (1 + k2 * d) / (k1 + k2), d, s * d};
    static const char *const name[] = {"x", "p", "d", "v"};
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        if (f == 2) continue;
        linear *l = linear_of(NULL, THREE, form[f], 0);
        int in = linear_input(l, "f.force.x"), ny = l->l.ny;
        assert_int_equal(l->l.ns, 3);
        for (int i = 0; i < l->l.npoles; i++) {
            double complex x = l->l.pole[i].re + I * l->l.pole[i].im;
            double complex left = m * x * x + k3 - k3 * k3 / (k + k3 + c * x);
            assert_near(cabs(left), 0, 1e-6);
        }
        assert_int_equal(lm_linearized_transfer(&l->l, 1.1, re, im), 0);
        for (int o = 0; o < 4; o++) {
            int at = ny * in + linear_output(l, name[o]);
            assert_near(cabs(re[at] + I * im[at] - expected[o]), 0, 1e-8);
        }
        linear_done(l);
    }
}

/* ---- the limit of little mass ---- */

#define BENT(mass, damping, more)                                                                  \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "sections: {s: {shape: stiffness, EA: 1e5, EIy: 100, EIz: 150, GJ: 80, " mass                  \
    ", damping: {stiffness: " damping "}}}\n"                                                      \
    "bodies:\n"                                                                                    \
    "  hub: {type: rigid, mass: 3, inertia: [0.1, 0.1, 0.1]}\n"                                    \
    "  rod: {type: beam, section: s, from: [0.1, 0, 0], to: [0.8, 0.3, 0.2], elements: 3}\n"       \
    "  tip: {type: rigid, position: [0.8, 0.3, 0.2], mass: 2, inertia: [0.01, 0.02, 0.03]}\n"      \
    "joints:\n"                                                                                    \
    "  w: {type: fixed, between: [hub, rod.start], at: [0.1, 0, 0]}\n"                             \
    "  t: {type: fixed, between: [rod.end, tip]}\n" more

#define TURNS                                                                                      \
    "  axle: {type: revolute, between: [ground, hub], axis: z, drive: \"6*t\"}\n"                  \
    "loads: {f: {on: rod.node(1), force: [0, 0, 0]}}\n"                                            \
    "outputs: {z: pos(tip).z, n: pos(rod.node(2)).z, b: 'section(rod, 0.1).My'}\n"
#define LITTLE "rhoA: 1e-7, rhoIy: 1e-10, rhoIz: 1e-10"

/* At rest and on the way, with damping and without: the slow poles and the transfer function. On the way the bent
 * rod is not in equilibrium, and what is frozen depends on the coordinates, which in rfe and ffr are others
 * without mass. */
static void limit_of_little_mass(void **state)
{
    static const char *const light[] = {BENT(LITTLE, "0", TURNS), BENT(LITTLE, "1e-4", TURNS)};
    static const char *const none[] = {BENT("rhoA: 0", "0", TURNS), BENT("rhoA: 0", "1e-4", TURNS)};
    double re[2][60], im[2][60];
    (void)state;
    for (int k = 0; k < FORMS * 4; k++) {
        int f = k / 4, damped = k % 2, moves = k / 2 % 2;
        if (moves && (f == 2 || f == 3)) continue;
        linear *a = linear_of(NULL, light[damped], form[f], !moves);
        linear *b = linear_of(NULL, none[damped], form[f], !moves);
        assert_true(b->l.ns < a->l.ns);
        for (int i = 0; i < 6; i++) {
            assert_near(a->l.pole[i].im, b->l.pole[i].im, 2e-5 * (1 + b->l.pole[i].im));
            assert_near(a->l.pole[i].re, b->l.pole[i].re, 2e-5 * (1 + b->l.pole[i].im));
        }
        lm_linearized_transfer(&a->l, 1.3, re[0], im[0]);
        lm_linearized_transfer(&b->l, 1.3, re[1], im[1]);
        for (int i = 0; i < a->l.ny * a->l.nu; i++) {
            double size = 1e-4 + hypot(re[1][i], im[1][i]);
            assert_near(re[0][i], re[1][i], 2e-4 * size);
            assert_near(im[0][i], im[1][i], 2e-4 * size);
        }
        linear_done(a);
        linear_done(b);
    }
}

/* Slow poles that are rounding, of a hinge under a weight, cost the others no digits: those of a hinged beam with
 * a free end (Blevins). */
static void slow_poles(void **state)
{
    static const double root[] = {3.92660231, 7.06858275, 10.21017612};
    static const char text[] =
        "limber: 1\ngravity: [0, -10, 0]\n"
        "sections: {s: {shape: stiffness, EA: 1e8, EIy: 1, EIz: 1, GJ: 1, rhoA: 1}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 16}}\n"
        "joints: {p: {type: planar, between: [ground, b.end], axis: z}, h: {type: revolute, "
        "between: "
        "[ground, b.start], axis: z}}\noutputs: {y: pos(b.end).y}\n";
    (void)state;
    for (int f = 0; f < 2; f++) {
        linear *s = linear_of(NULL, text, form[f], 0);
        int found = 0;
        for (int i = 0; i < s->l.npoles && found < 3; i++)
            if (fabs(s->l.pole[i].im / (root[found] * root[found]) - 1) < 3e-4) found++;
        assert_int_equal(found, 3);
        linear_done(s);
    }
}

/* A velocity of what follows an input at once has its rate in it. */
static void rates_of_inputs(void **state)
{
    char said[SAID];
    (void)state;
    run_listen(&(run_how){.text = SPRINGS "analysis: {type: linearize}\noutputs: {v: vel(m).x}\n"},
               said);
    assert_string_equal(said, "");
    run_listen(
        &(run_how){.text = SPRINGS "analysis: {type: linearize}\noutputs: {v: vel(left.end).x}\n"},
        said);
    assert_says(said, "'f.force.x' moves parts without mass at once, and output 'v'");
    /* a damper gives it a velocity at once, and the rate of the force an acceleration */
    run_how damped = {.text =
                          SPRINGS "analysis: {type: linearize}\noutputs: {v: vel(left.end).x}\n",
                      .set = {"c=40"}};
    run_listen(&damped, said);
    assert_string_equal(said, "");
    damped.text = SPRINGS "analysis: {type: linearize}\noutputs: {a: acc(left.end).x}\n";
    for (int all = 0; all < 2; all++) { /* no motion is without a damper */
        damped.swap[0][0] = all ? "damping: [c, 0, 0, 0, 0, 0]" : NULL;
        damped.swap[0][1] = "damping: [c, c, c, c, c, c]";
        run_listen(&damped, said);
        assert_says(said, "'f.force.x' moves parts without mass at once, and output 'a'");
    }
}

/* What neither mass nor stiffness nor a damper holds. */
static void held_by_nothing(void **state)
{
    char said[SAID];
    (void)state;
    assert_int_not_equal(
        run_listen(
            &(run_how){.text =
                           "limber: 1\nsections: {s: {shape: stiffness, EA: 1e4, EIy: 1, EIz: 1, "
                           "GJ: 1, rhoA: 0}}\n"
                           "bodies:\n"
                           "  rod: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0]}\n"
                           "  m: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
                           "joints:\n"
                           "  A: {type: spherical, between: [ground, rod.start]}\n"
                           "  B: {type: prismatic, between: [ground, m], axis: x, at: [0, 1, 0]}\n"
                           "analysis: {type: linearize}\noutputs: {x: pos(m).x}\n"},
            said),
        LIMBER_OK);
}

/* An angle of two beams without mass with a point mass at its end, at rest: no dampers, and what rounding leaves
 * of gyroscopic forces is none. Across its plane the flexibility is L^3/3EI + l^3/3EI + l^2 L/GJ. */
static void rounding_is_no_damper(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 1e7, EIy: 100, EIz: 230, GJ: 80, rhoA: 0}}\n"
        "bodies:\n"
        "  a: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0]}\n"
        "  b: {type: beam, section: s, from: [1, 0, 0], to: [1, 0.6, 0]}\n"
        "  m: {type: rigid, mass: 2, position: [1, 0.6, 0]}\n"
        "joints:\n"
        "  A: {type: fixed, between: [ground, a.start]}\n"
        "  B: {type: fixed, between: [a.end, b.start]}\n"
        "  C: {type: fixed, between: [b.end, m]}\n"
        "outputs: {z: pos(m).z}\n";
    double flexibility = (1 + 0.6 * 0.6 * 0.6) / 300 + 0.6 * 0.6 / 80;
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        double bound = f == 2 ? 0.05 : 1e-8; /* rigid pieces: h^2 */
        linear *s = linear_of(NULL, text, form[f], 0);
        assert_int_equal(s->l.ns, 6);
        assert_int_equal(s->l.npoles, 3);
        assert_near(s->l.pole[0].re, 0, 1e-9);
        assert_near(s->l.pole[0].im, sqrt(1 / (2 * flexibility)), bound);
        assert_true(s->l.rest == 0); /* "the state is not an equilibrium" */
        linear_done(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(point_between_springs),
                                       cmocka_unit_test(point_on_a_damper),
                                       cmocka_unit_test(point_behind_a_point_on_a_damper),
                                       cmocka_unit_test(limit_of_little_mass),
                                       cmocka_unit_test(slow_poles),
                                       cmocka_unit_test(rounding_is_no_damper),
                                       cmocka_unit_test(rates_of_inputs),
                                       cmocka_unit_test(held_by_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
