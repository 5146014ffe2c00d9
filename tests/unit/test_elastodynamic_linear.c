/* What is linear in `elastodynamic` is so exactly, the rigid motion goes on at any speed, and what linear
 * displacements leave out is said with a number that is right (docs/theory/elastodynamic.md). */
#include "support/linear.h"
#include "support/listen.h"

/* ---- frozen matrices ---- */

/* Nothing is symmetric; the axis of rotation has a general direction. */
static const char spinner[] =
    "limber: 1\n"
    "gravity: [1, -9.81, 2]\n"
    "sections: {bar: {shape: stiffness, EA: 1e5, EIy: 40, EIz: 90, GJ: 30, GAy: 4e4, GAz: 3e4,\n"
    "  rhoA: 0.4, rhoIy: 1e-3, rhoIz: 2e-3}}\n"
    "bodies:\n"
    "  arm: {type: beam, section: bar, from: [0.2, 0.1, -0.1], to: [0.9, 0.5, 0.3], elements: 3,\n"
    "    theory: timoshenko}\n"
    "  tip: {type: rigid, mass: 0.3, inertia: [0.01, 0.02, 0.025], position: [0.9, 0.5, 0.3],\n"
    "    com: [0.1, 0.05, -0.07]}\n"
    "joints:\n"
    "  hub: {type: revolute, between: [ground, arm.start], axis: [0.3, -0.5, 0.8], at: [0.2, 0.1,\n"
    "    -0.1], drive: W*t}\n"
    "  weld: {type: fixed, between: [arm.end, tip], at: [0.9, 0.5, 0.3]}\n"
    "analysis: {type: linearize}\n"
    "outputs: {x: pos(tip).x}\n"
    "parameters: {W: 12}\n";

/* Poles do not know how the bodies vibrate. */
static void frozen_poles(void **state)
{
    (void)state;
    linear *s = linear_of(NULL, spinner, "elastodynamic", 0);
    const lm_system *sys = s->run.sys;
    int n = s->l.npoles, nv = sys->nv;
    double *pole = calloc((size_t)(2 * n + nv), sizeof *pole), *dx = pole + 2 * n;
    for (int i = 0; i < n; i++) pole[2 * i] = s->l.pole[i].re, pole[2 * i + 1] = s->l.pole[i].im;
    for (int k = 1; k <= 3; k++) {
        for (int i = 0; i < nv; i++) dx[i] = 0.1 * sin(i * i + k);
        sys->form->retract(s->run.sys, s->q, dx, s->q);
        for (int i = 0; i < nv; i++) s->run.v[i] += cos(3 * i + k);
        linear_solve_again(s);
        assert_int_equal(s->l.npoles, n);
        for (int i = 0; i < n; i++) {
            double size = hypot(pole[2 * i], pole[2 * i + 1]);
            assert_under(fabs(s->l.pole[i].re - pole[2 * i]) / size, 1e-10);
            assert_under(fabs(s->l.pole[i].im - pole[2 * i + 1]) / size, 1e-10);
        }
    }
    free(pole);
    linear_done(s);
}

/* Drives hold at rest: their speed has no part in modes. */
static void modes_without_speed(void **state)
{
    (void)state;
    run_how how = {.text = spinner,
                   .formulation = "elastodynamic",
                   .analysis = "{type: modes, count: 6}",
                   .set = {"W=0"}};
    table a = run_model(&how);
    how.set[0] = "W=50";
    table b = run_model(&how);
    for (int k = 0; k < a.rows; k++)
        assert_near(table_get(&b, k, "omega") / table_get(&a, k, "omega"), 1, 1e-10);
    table_free(&a);
    table_free(&b);
}

/* ---- superposition ---- */

static const char bracket[] =
    "limber: 1\n"
    "parameters: {F: 0, G: 0}\n"
    "sections: {s: {shape: stiffness, EA: 2e4, EIy: 3, EIz: 5, GJ: 4, rhoA: 1, rhoIy: 1e-3,\n"
    "  rhoIz: 2e-3}}\n"
    "bodies:\n"
    "  arm: {type: beam, section: s, from: [0, 0, 0], to: [1, 0.3, 0.2], elements: 3}\n"
    "  plate: {type: rigid, mass: 1, inertia: [1, 2, 3], position: [1, 0.3, 0.2],\n"
    "    frames: {tip: {position: [0.5, 0.2, -0.3]}}}\n"
    "joints:\n"
    "  c: {type: fixed, between: [ground, arm.start], at: [0, 0, 0]}\n"
    "  d: {type: fixed, between: [plate, arm.end], at: [1, 0.3, 0.2]}\n"
    "loads:\n"
    "  f: {on: plate.tip, force: [0.3*F, 0.7*F, 1.1*F]}\n"
    "  g: {on: plate, force: [0.9*G, 0.2*G, -0.5*G], torque: [0.1*G, 0, -0.2*G]}\n"
    "analysis: {type: statics, linear: true}\n"
    "outputs: {x: pos(plate.tip).x - 1.5, y: pos(plate.tip).y - 0.5, tx: tip(arm).x,\n"
    "  r: rot(plate).x, M: moment(c).x, N: \"section(arm, 0.5).N\"}\n";

static void superposition(void **state)
{
    static const char *const column[] = {"x", "y", "tx", "r", "M", "N"};
    char said[SAID];
    (void)state;
    run_how how = {.text = bracket, .formulation = "elastodynamic"};
    how.set[0] = "F=1", how.set[1] = "G=0";
    table f = run_model(&how);
    how.set[0] = "F=2";
    table twice = run_model(&how);
    how.set[0] = "F=0", how.set[1] = "G=3";
    table g = run_model(&how);
    how.set[0] = "F=1";
    table both = run_model(&how);
    for (int i = 0; i < 6; i++) {
        double a = table_last(&f, column[i]), b = table_last(&g, column[i]);
        double size = fabs(a) + fabs(b);
        assert_under(fabs(table_last(&twice, column[i]) - 2 * a) / size, 1e-8);
        assert_under(fabs(table_last(&both, column[i]) - a - b) / size, 1e-8);
    }
    how.set[0] = "F=20";
    assert_int_equal(run_listen(&how, said), LIMBER_OK);
    assert_says(said, "against the rigid motion, and this formulation is linear");
    table_free(&f);
    table_free(&twice);
    table_free(&g);
    table_free(&both);
}

/* ---- the rigid motion ---- */

/* In motion. Two loads on a cantilever that a drive turns, p and s, each alone and together. */
#define LOADED(bodies, joints)                                                                     \
    "limber: 1\n"                                                                                  \
    "parameters: {p: 0, s: 0, space: 0}\n"                                                         \
    "sections: {s: {shape: stiffness, EA: 1e6, EIy: 40, EIz: 60, GJ: 30, rhoA: 2, rhoIy: 1e-3, "   \
    "rhoIz: 1e-3}}\n"                                                                              \
    "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 2}" bodies     \
    "}\n"                                                                                          \
    "joints: {" joints "}\n"                                                                       \
    "loads: {f: {on: b.end, force: [0, p*sin(7*t), space*p*sin(9*t)]}, g: {on: b.node(1), force: " \
    "[0, s*cos(11*t), space*s], torque: [space*s, 0, 0]}}\n"                                       \
    "analysis: {type: dynamics, until: 0.3, output_step: 0.02, tolerance: 1e-9}\n"                 \
    "formulation: {type: elastodynamic, stiffening: false}\n"                                      \
    "outputs: {y: pos(b.end).y}\n"
#define CLAMPED "c: {type: fixed, between: [ground, b.start]}"
#define BODY(at, com)                                                                              \
    ", k: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], position: " at ", frames: {a: " com  \
    "}}"
#define ON ", w: {type: fixed, between: [b.end, k.a]}"

static const struct {
    const char *text, *space;
    int exact;
} moving[] = {
    {LOADED("", CLAMPED), "space=0", 1},
    {LOADED("", "c: {type: revolute, between: [ground, b.start], axis: z, drive: 3*t^2}"),
     "space=0", 1},
    {LOADED(BODY("[1, 0, 0]", "[0, 0, 0]"), CLAMPED ON), "space=0", 1},
    {LOADED("", CLAMPED), "space=1", 0}, /* rotations in space */
    {LOADED(BODY("[1, 0.2, 0]", "[0, -0.2, 0]"), CLAMPED ON), "space=0", 0},
};

/* What the loads do together less what each does alone, over the deflection. */
static double apart(int which, double size)
{
    char set[2][20];
    double most = 0, off = 0, y[4];
    table r[4];
    for (int k = 0; k < 4; k++) {
        snprintf(set[0], sizeof set[0], "p=%g", k & 1 ? size : 0);
        snprintf(set[1], sizeof set[1], "s=%g", k & 2 ? size : 0);
        r[k] = run_model(
            &(run_how){.text = moving[which].text, .set = {set[0], set[1], moving[which].space}});
    }
    for (int i = 0; i < r[0].rows; i++) {
        for (int k = 0; k < 4; k++) y[k] = r[k].data[i * r[k].cols + table_col(&r[k], "y")];
        most = fmax(most, fabs(y[3] - y[0]));
        off = fmax(off, fabs(y[3] - y[2] - y[1] + y[0]));
    }
    for (int k = 0; k < 4; k++) table_free(&r[k]);
    return off / most;
}

/* Displacements of beams in a plane superpose; where bodies or rotations in space take part, the rest is of
 * second order: four times the loads, four times as much of the deflection. */
static void superposition_in_motion(void **state)
{
    (void)state;
    for (int i = 0; i < (int)(sizeof moving / sizeof *moving); i++) {
        double once = apart(i, 0.1), four = apart(i, 0.4);
        if (moving[i].exact)
            assert_under(fmax(once, four), 1e-8);
        else
            assert_near(four / once, 4, 0.1);
    }
}

/* Drives alone determine it: after hundreds of turns it is where they say. */
static void long_runs(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 2e7, EIy: 5e4, EIz: 6e4, GJ: 4e4, rhoA: 1.5,\n"
        "  rhoIy: 1e-4, rhoIz: 2e-4}}\n"
        "bodies:\n"
        "  arm: {type: beam, section: s, from: [0.3, 0, 0], to: [2.3, 0, 0], elements: 1}\n"
        "  hub: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
        "joints:\n"
        "  h: {type: revolute, between: [ground, hub], axis: z,\n"
        "    drive: \"200*(t - 2*(1 - exp(-t/2)))\"}\n"
        "  c: {type: fixed, between: [hub, arm.start], at: [0.3, 0, 0]}\n"
        "formulation: {type: elastodynamic}\n"
        "analysis: {type: dynamics, until: 1000}\n";
    (void)state;
    linear *s = linear_of(NULL, text, NULL, 0);
    lm_motion *m = s->run.sys->motion;
    for (int i = 1; i <= 20; i++) {
        lm_state st;
        double t = 0.5123 * i, turned = 200 * (t - 2 * (1 - exp(-t / 2)));
        double w = 200 * (1 - exp(-t / 2)), c = cos(turned), sn = sin(turned);
        assert_int_equal(m->at(m, t, &st), 0); /* the arm's mass centre is node 0 */
        assert_near(st.q[0], 1.3 * c, 1e-9);
        assert_near(st.q[1], 1.3 * sn, 1e-9);
        assert_near(st.v[0] / 260, -w / 200 * sn, 1e-8);
        assert_near(st.a[0] / 52000, (-w * w * c - 100 * exp(-t / 2) * sn) / 40000, 1e-6);
    }
    linear_done(s);
}

/* ---- columns ---- */

static double growth(const char *set, double P)
{
    char text[700];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "sections: {s: {shape: stiffness, EA: 1e7, EIy: 1.3, EIz: 1, GJ: 1, GAy: 1e5,\n"
             "  GAz: %s, rhoA: 1, rhoIy: 1e-3, rhoIz: 2e-3}}\n"
             "bodies: {arm: {type: beam, section: s, from: [0, 0, 0], to: [0, 1, 0], y_axis: [1, 0,"
             " 0],\n  elements: 16, theory: timoshenko}}\n"
             "joints: {c: {type: fixed, between: [ground, arm.start]}}\n"
             "loads: {f: {on: arm.end, force: [0, %.10g, 0]}}\n"
             "analysis: {type: linearize}\n"
             "outputs: {x: tip(arm).x}\n",
             set, -P);
    linear *s = linear_of(NULL, text, "elastodynamic", 0);
    double most = 0;
    for (int i = 0; i < s->l.npoles; i++) most = fmax(most, s->l.pole[i].re);
    linear_done(s);
    return most;
}

/* Reissner's beam: P = GA/2 (sqrt(1 + 4 P_E/GA) - 1) (Haringx), about the softest axis of either kind. */
static void column_with_shear(void **state)
{
    static const double GA[] = {3.2, 6.415, 20};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char set[20];
        snprintf(set, sizeof set, "%g", GA[i]);
        double PE = PI * PI / 4 * 1.3, P = GA[i] / 2 * (sqrt(1 + 4 * PE / GA[i]) - 1);
        if (P > PI * PI / 4) P = PI * PI / 4; /* the other one, stiff in shear */
        assert_under(growth(set, 0.998 * P), 1e-3);
        assert_true(growth(set, 1.002 * P) > 0.05);
    }
}

/* ---- what is said ---- */

static const char strut[] =
    "limber: 1\n"
    "parameters: {P: 0, Q: 0.3}\n"
    "sections: {s: {shape: stiffness, EA: 1e6, EIy: 1, EIz: 1.3, GJ: 1, rhoA: 1, rhoIy: 1e-3,\n"
    "  rhoIz: 1e-3}}\n"
    "bodies:\n"
    "  arm: {type: beam, section: s, from: [0, 0, 0], to: [0.6, 0, 0.8], elements: 8}\n"
    "  end: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.6, 0, 0.8]}\n"
    "joints:\n"
    "  c: {type: fixed, between: [ground, arm.start]}\n"
    "  d: {type: fixed, between: [arm.end, end], at: [0.6, 0, 0.8]}\n"
    "loads: {f: {on: end, force: [-0.6*P - 0.8*Q, 0, -0.8*P + 0.6*Q]}}\n"
    "analysis: {type: statics}\n"
    "outputs: {along: 0.6*pos(end).x + 0.8*pos(end).z, across: -0.8*pos(end).x + 0.6*pos(end).z}\n";

static table run_as_corotational(const run_how *how)
{
    run_how other = *how;
    other.formulation = "corotational";
    return run_model(&other);
}

/* The shortening of a bent beam, carried on to what is fixed to it, is what corotational beams have; also through
 * two beams that are drawn towards each other. */
static void second_order(void **state)
{
    char said[SAID];
    (void)state;
    for (int two = 0; two < 2; two++) {
        double first = 0, second = 0;
        run_how how = {.text = strut, .formulation = "elastodynamic", .results = "second_order.h5"};
        if (two) {
            how.swap[0][0] = "to: [0.6, 0, 0.8], elements: 8}\n";
            how.swap[0][1] = "to: [0.3, 0, 0.4], elements: 4}\n"
                             "  top: {type: beam, section: s, from: [0.6, 0, 0.8], to: [0.3, 0, "
                             "0.4], elements: 4}\n";
            how.swap[1][0] = "between: [arm.end, end]";
            how.swap[1][1] = "between: [top.start, end]";
            how.swap[2][0] = "loads:";
            how.swap[2][1] = "  e: {type: fixed, between: [arm.end, top.end]}\nloads:";
        }
        assert_int_equal(run_listen(&how, said), LIMBER_OK);
        assert_says(said, "output 'along': deformation changes it by");
        assert_null(strstr(said, "'across'"));
        const char *at = strstr(said, "changes it by");
        assert_int_equal(
            sscanf(at, "changes it by %lf in first order and by about %lf", &first, &second), 2);
        table exact = run_as_corotational(&how);
        assert_near(second / (1 - table_last(&exact, "along")), 1, 0.03);
        table_free(&exact);
    }
}

/* Bending about two axes twists a beam, in second order only. */
static void second_order_twist(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 1e6, EIy: 2, EIz: 20, GJ: 1.5, rhoA: 1, rhoIy: "
        "1e-3,\n"
        "  rhoIz: 1e-3}}\n"
        "bodies: {arm: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 10}}\n"
        "joints: {c: {type: fixed, between: [ground, arm.start]}}\n"
        "loads: {f: {on: arm.end, force: [0, 1.6, 0.4]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {twist: rot(arm.end).x}\n";
    char said[SAID];
    (void)state;
    run_how how = {.text = text, .formulation = "elastodynamic"};
    assert_int_equal(run_listen(&how, said), LIMBER_OK);
    double says = number_after(said, "body 'arm' turns by up to ");
    table exact = run_as_corotational(&how);
    assert_near(says / fabs(table_last(&exact, "twist")), 1, 0.1);
    table_free(&exact);
}

/* Axial forces that an option leaves out: the stiffness changes by the part that is said. */
static void axial_forces(void **state)
{
    char said[SAID], text[sizeof strut + 80];
    double force = 0, part = 0;
    (void)state;
    snprintf(text, sizeof text, "%sformulation: {type: elastodynamic, stiffening: false}\n", strut);
    run_how how = {.text = text, .set = {"P=0.5", "Q=1e-3"}};
    assert_int_equal(run_listen(&how, said), LIMBER_OK);
    const char *at = strstr(said, "is pressed by");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "is pressed by up to %lf, %lf of", &force, &part), 2);
    assert_near(force, 0.5, 1e-3);
    table exact = run_as_corotational(&how), here = run_model(&how);
    double less = 1 - table_last(&here, "across") / table_last(&exact, "across");
    assert_near(part / less, 1, 0.05);
    how.set[0] = "P=4"; /* beyond buckling */
    assert_int_equal(run_listen(&how, said), LIMBER_OK);
    assert_says(said, "leaves buckling out");
    how.text = strut; /* as is said: no plausible answer */
    how.formulation = "elastodynamic";
    assert_int_equal(run_listen(&how, said), LIMBER_STOPPED);
    table_free(&exact);
    table_free(&here);
}

/* A strip under a force at its end turns over at P = 4.0126 sqrt(EIy GJ/(1 - EIy/EIz))/L^2, 2.55 times an even
 * moment; a beam that is as stiff in both planes never does. */
static void lateral_buckling(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {P: 1, EIz: 100}\n"
        "sections: {s: {shape: stiffness, EA: 1e8, EIy: 2, EIz: EIz, GJ: 3, rhoA: 1}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [0.7, 0, 0], elements: 16}}\n"
        "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
        "loads: {f: {on: b.end, force: [0, P, 1e-6*P]}}\n"
        "analysis: {type: statics}\noutputs: {z: pos(b.end).z}\n";
    double L = 0.7, moment = sqrt(2 * 3 / (1 - 2.0 / 100)) / L, most = 4.0126 * moment / L;
    char said[SAID], set[40];
    (void)state;
    run_how how = {.text = text, .formulation = "elastodynamic", .set = {set}};
    snprintf(set, sizeof set, "P=%.9g", 1.1 * most);
    run_listen(&how, said);
    double middle = 1 - 0.5 / 16; /* of the first element */
    assert_near(number_after(said, "a bending moment of up to "), 1.1 * most * L * middle,
                1e-2 * most * L);
    double part = number_after(said, "by a part of the order of "); /* mean of M^2: a third */
    assert_near(part, pow(1.1 * 4.0126 * 2 / PI, 2) / 3, 0.05);
    snprintf(set, sizeof set, "P=%.9g", 0.3 * most);
    run_listen(&how, said);
    assert_null(strstr(said, "lateral"));
    how.set[1] = "EIz=2";
    snprintf(set, sizeof set, "P=%.9g", 1.1 * most);
    run_listen(&how, said);
    assert_null(strstr(said, "lateral"));
}

/* What the second look at positions evaluates must leave no state behind: the energy of the only beam is that of all,
 * in whatever order they are read. */
static void energy_of_a_beam(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .formulation = "elastodynamic",
        .text =
            "limber: 1\n"
            "gravity: [0, -9.81, 0]\n"
            "sections: {s: {shape: stiffness, EA: 1e5, EIy: 50, EIz: 50, GJ: 50, rhoA: 1, rhoIy: "
            "1e-3, rhoIz: 1e-3}}\n"
            "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 2}}\n"
            "joints: {p: {type: fixed, between: [ground, b.start]}}\n"
            "analysis: {type: dynamics, until: 0.1, output_step: 0.02}\n"
            "outputs: {x: pos(b.end).x, one: energy(b).elastic, all: energy.elastic}\n"});
    assert_true(table_last(&r, "all") > 0.1);
    assert_near(table_last(&r, "one"), table_last(&r, "all"), 0);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_of_a_beam), cmocka_unit_test(frozen_poles),
        cmocka_unit_test(lateral_buckling), cmocka_unit_test(modes_without_speed),
        cmocka_unit_test(superposition),    cmocka_unit_test(superposition_in_motion),
        cmocka_unit_test(long_runs),        cmocka_unit_test(column_with_shear),
        cmocka_unit_test(second_order),     cmocka_unit_test(second_order_twist),
        cmocka_unit_test(axial_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
