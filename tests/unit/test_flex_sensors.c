/* Sensors of flexible bodies against closed forms and against each other: section forces and stress,
 * deflection, tip, places between nodes, nodes where something is joined, energies by body. */
#include "support/run_model.h"

#include <stdio.h>

#define PI 3.14159265358979323846

/* A beam of 2 m along x, so stiff that what its bending moves is felt in the tenth digit only. */
#define L    2.0
#define H    0.04
#define W    0.02
#define RHO  7800.0
#define G    9.81
#define E    2.1e13
#define IY   (H * W * W * W / 12)
#define IZ   (W * H * H * H / 12)
#define LOAD (RHO * H * W * G) /* weight per length */

#define SECTIONS                                                                                   \
    "limber: 1\n"                                                                                  \
    "materials: {steel: {E: 2.1e13, nu: 0.3, rho: 7800}}\n"                                        \
    "sections:\n"                                                                                  \
    "  bar: {material: steel, shape: rectangle, height: 0.04, width: 0.02}\n"                      \
    "  pipe: {material: steel, shape: tube, radius: 0.03, thickness: 0.005}\n"                     \
    "  wedge: {material: steel, shape: rectangle, height: 0.06 - 0.04*s, width: 0.02}\n"

#define PLACES                                                                                     \
    "outputs:\n"                                                                                   \
    "  N(k=0..20): section(arm, k/20).N\n"                                                         \
    "  Vy(k=0..20): section(arm, k/20).Vy\n"                                                       \
    "  Vz(k=0..20): section(arm, k/20).Vz\n"                                                       \
    "  T(k=0..20): section(arm, k/20).T\n"                                                         \
    "  My(k=0..20): section(arm, k/20).My\n"                                                       \
    "  Mz(k=0..20): section(arm, k/20).Mz\n"

static const char cantilever[] = SECTIONS
    "parameters: {n: 1, Fx: 0, Fy: 0, Fz: 0, Tx: 0, gx: 0, gy: 0, gz: 0}\n"
    "gravity: [gx, gy, gz]\n"
    "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0], elements: n}}\n"
    "joints: {clamp: {type: fixed, between: [ground, arm.start]}}\n"
    "loads: {pull: {on: arm.end, force: [Fx, Fy, Fz], torque: [Tx, 0, 0]}}\n"
    "analysis: {type: statics}\n" PLACES "  stress: section(arm, 0).stress\n"
    "  mid: section(arm, 0.5).stress\n";

static double at(const table *r, const char *name, int k)
{
    char column[40];
    snprintf(column, sizeof column, "%s(%d)", name, k);
    return table_last(r, column);
}

/* ---- section forces in equilibrium ---- */

/* Load by load: together they also work on what the others bend. */
static void pull_and_twist(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.text = cantilever, .set = {"Fx=3000", "n=3"}}),
          twisted = run_model(&(run_how){.text = cantilever, .set = {"Tx=7", "n=3"}});
    for (int k = 0; k <= 20; k++) {
        assert_near(at(&r, "N", k), 3000, 1e-5);
        assert_near(at(&twisted, "T", k), 7, 1e-9);
    }
    assert_near(table_last(&r, "stress"), 3000 / (H * W), 0.1);
    table_free(&r);
    table_free(&twisted);
}

static void tip_force(void **state)
{
    (void)state;
    static const char *const cuts[] = {"n=1", "n=3"};
    for (int i = 0; i < 2; i++) {
        table r = run_model(&(run_how){.text = cantilever, .set = {cuts[i], "Fy=100", "Fz=-50"}});
        for (int k = 0; k <= 20; k++) {
            double left = L * (1 - k / 20.0);
            assert_near(at(&r, "N", k), 0, 3e-2); /* the forces along the turned sections */
            assert_near(at(&r, "Vy", k), 100, 1e-5);
            assert_near(at(&r, "Vz", k), -50, 1e-5);
            assert_near(at(&r, "Mz", k), 100 * left, 1e-4);
            assert_near(at(&r, "My", k), 50 * left, 1e-4); /* w'' = -My/EI */
        }
        assert_near(at(&r, "N", 0), 0, 1e-5); /* the first section has not turned */
        double stress = 100 / (H * W * W / 6) + 200 / (W * H * H / 6);
        assert_near(table_last(&r, "stress"), stress, 1e-6 * stress);
        table_free(&r);
    }
}

/* One element carries the exact parabola of its own weight. */
static void own_weight(void **state)
{
    (void)state;
    static const char *const cuts[] = {"n=1", "n=4"};
    for (int i = 0; i < 2; i++) {
        table r = run_model(
                  &(run_how){.text = cantilever, .set = {cuts[i], "gy=-9.81", "gz=4.905"}}),
              hanging = run_model(&(run_how){.text = cantilever, .set = {cuts[i], "gx=9.81"}});
        for (int k = 0; k <= 20; k++) {
            double left = L * (1 - k / 20.0);
            assert_near(at(&hanging, "N", k), LOAD * left, 1e-5);
            assert_near(at(&r, "Vy", k), -LOAD * left, 1e-5);
            assert_near(at(&r, "Vz", k), LOAD * left / 2, 1e-5);
            assert_near(at(&r, "Mz", k), -LOAD * left * left / 2, 1e-4);
            assert_near(at(&r, "My", k), -LOAD * left * left / 4, 1e-4);
        }
        table_free(&r);
        table_free(&hanging);
    }
}

/* A taper: the ends of each element are in exact balance, between them the cubic is close. */
static void tapered(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.text = cantilever,
                                   .set = {"gy=-9.81", "n=5"},
                                   .swap = {{"section: bar", "section: wedge"}}});
    for (int k = 0; k <= 20; k++) {
        double s = k / 20.0, q0 = RHO * W * G * (0.06 - 0.04 * s), q1 = RHO * W * G * 0.02;
        double left = L * (1 - s), V = left * (q0 + q1) / 2;
        double M = left * left * (q0 / 6 + q1 / 3); /* trapezoid about its wide end */
        assert_near(at(&r, "Vy", k), -V, 1e-5);
        assert_near(at(&r, "Mz", k), -M, k % 4 ? 1e-3 : 1e-5);
    }
    table_free(&r);
}

/* Moments of a tube add as vectors. The load sits between nodes: the force jumps there. */
static void round_section(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = cantilever,
        .set = {"Fy=30", "Fz=40", "n=3"},
        .swap = {{"section: bar", "section: pipe"}, {"on: arm.end", "on: arm.at(0.6)"}}});
    double I = PI / 4 * (pow(0.03, 4) - pow(0.025, 4));
    assert_near(table_last(&r, "stress"), 50 * 1.2 * 0.03 / I, 1);
    assert_near(table_last(&r, "mid"), 50 * 0.2 * 0.03 / I, 1);
    assert_near(at(&r, "Vy", 11), 30, 1e-6);
    assert_near(at(&r, "Vy", 12), 0, 1e-6); /* on the node: what is behind it */
    assert_near(at(&r, "Mz", 12), 0, 1e-6);
    table_free(&r);
}

/* A beam stretched by a fifth: the arms of the forces are stretched too. */
static void stretched(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = "limber: 1\n"
                "sections: {rubber: {shape: stiffness, EA: 1000, EIy: 1e4, EIz: 1e4, GJ: 1e4,"
                " rhoA: 1}}\n"
                "bodies: {arm: {type: beam, section: rubber, from: [0, 0, 0], to: [1, 0, 0],"
                " elements: 1}}\n"
                "joints: {clamp: {type: fixed, between: [ground, arm.start]}}\n"
                "loads: {pull: {on: arm.end, force: [200, 10, 0]}}\n"
                "analysis: {type: statics}\n"
                "outputs:\n"
                "  M: section(arm, 0.25).Mz\n"
                "  x: pos(arm.end).x - pos(arm.at(0.25)).x\n"
                "  y: pos(arm.end).y - pos(arm.at(0.25)).y\n"});
    double x = table_last(&r, "x"), y = table_last(&r, "y");
    assert_near(x, 0.75 * 1.2, 1e-4);
    assert_near(table_last(&r, "M"), 10 * x - 200 * y, 5e-3); /* unstretched: off by 0.2 */
    table_free(&r);
}

/* ---- deflection ---- */

static const char supported[] = SECTIONS
    "parameters: {n: 8}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0], elements: n}}\n"
    "joints:\n"
    "  left: {type: spherical, between: [ground, arm.start]}\n"
    "  right: {type: inline, between: [ground, arm.end], axis: x}\n"
    "  roll: {type: planar, between: [ground, arm.node(1)], axis: z}\n"
    "analysis: {type: statics}\n"
    "outputs:\n"
    "  y(k=0..20): deflection(arm, k/20).y\n"
    "  axial: deflection(arm, 1).x\n"
    "  aside: deflection(arm, 0.5).z\n"
    "  moment: section(arm, 0.5).Mz\n"
    "  shear: section(arm, 0).Vy\n";

static double sag(double x) { return LOAD * x * (L * L * L - 2 * L * x * x + x * x * x) / 24; }

static void simply_supported(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.text = supported});
    double most = 5 * LOAD * pow(L, 4) / 384 / (E * IZ), h = L / 8;
    double bubble = LOAD * pow(h, 4) / 384 / (E * IZ); /* of the load within an element */
    assert_near(at(&r, "y", 10), -most, 1e-8 * most);
    for (int k = 0; k <= 20; k++)
        assert_near(at(&r, "y", k), -sag(L * k / 20.0) / (E * IZ),
                    2 * k % 5 ? bubble : 1e-8 * most);
    assert_near(table_last(&r, "moment"), LOAD * L * L / 8, 1e-6);
    assert_near(table_last(&r, "shear"), -LOAD * L / 2, 1e-6);
    assert_near(table_last(&r, "aside"), 0, 1e-16);
    assert_near(table_last(&r, "axial"), 0, 1e-9);
    table_free(&r);
}

/* Shear adds q L^2 / (8 k G A) in the middle. */
static void simply_supported_shear(void **state)
{
    (void)state;
    double k = 10 * 1.3 / (12 + 11 * 0.3), most = 5 * LOAD * pow(L, 4) / 384 / (E * IZ);
    double shear = LOAD * L * L / 8 / (k * E / 2.6 * H * W);
    table r = run_model(&(run_how){.text = supported,
                                   .swap = {{"type: beam,", "type: beam, theory: timoshenko,"}}});
    assert_near(at(&r, "y", 10), -most - shear, 1e-8 * most);
    table_free(&r);
}

/* ---- places between nodes ---- */

#define WEDGE_ARM                                                                                  \
    SECTIONS                                                                                       \
    "parameters: {n: 1}\n"                                                                         \
    "bodies: {arm: {type: beam, section: wedge, from: [0, 0, 0], to: [2, 0, 0], elements: n,"      \
    " theory: timoshenko}}\n"                                                                      \
    "joints: {clamp: {type: fixed, between: [ground, arm.start]}}\n"                               \
    "loads: {pull: {on: arm.end, force: [0.01, 0.1, -0.06], torque: [0.1, 0, 0]}}\n"               \
    "analysis: {type: statics}\n"                                                                  \
    "outputs: {x: pos(arm.at(0.4)), r: rot(arm.at(0.4)), tip: tip(arm), end: pos(arm.end),"        \
    " d: \"deflection(arm, 0.4)\"}\n"

/* One element bends as many do: its displacements are the exact ones of a load at its end. */
static void within_one_element(void **state)
{
    (void)state;
    table one = run_model(&(run_how){.text = WEDGE_ARM}),
          ten = run_model(&(run_how){.text = WEDGE_ARM, .set = {"n=10"}});
    for (int i = 1; i < one.cols; i++) {
        double a = table_last(&one, one.name[i]), b = table_last(&ten, one.name[i]);
        assert_near(a, b, 1e-6 * fabs(b) + 1e-14);
    }
    assert_near(table_last(&ten, "tip.x"), table_last(&ten, "end.x") - L, 1e-15);
    assert_near(table_last(&ten, "tip.z"), table_last(&ten, "end.z"), 1e-18);
    table_free(&one);
    table_free(&ten);
}

/* Each plane has its own stiffness: v = F x^2 (3 L - x)/(6 EIz) + F x/GAy within an element, and z alike. */
static void planes_of_their_own(void **state)
{
    static const char *const forms[] = {"corotational", "minimal", "ffr", "elastodynamic"};
    double x = 0.4 * 2, bend = x * x * (3 * 2 - x) / 6;
    (void)state;
    for (int f = 0; f < 4; f++) {
        table r = run_model(
            &(run_how){.formulation = forms[f],
                       .text = "limber: 1\n"
                               "sections: {s: {shape: stiffness, EA: 1e9, EIy: 3e3, EIz: 5e3, GJ: "
                               "1e3, GAy: 2e3, GAz: 7e3, rhoA: 1}}\n"
                               "bodies: {arm: {type: beam, section: s, from: [0, 0, 0], to: [2, 0, "
                               "0], elements: 1, theory: timoshenko}}\n"
                               "joints: {clamp: {type: fixed, between: [ground, arm.start]}}\n"
                               "loads: {f: {on: arm.end, force: [0, 0.1, -0.06]}}\n"
                               "analysis: {type: statics}\n"
                               "outputs: {p: pos(arm.at(0.4)), turn: rot(arm.at(0.4))}\n"});
        assert_near(table_last(&r, "p.y") / (0.1 * (bend / 5e3 + x / 2e3)), 1, 1e-6);
        assert_near(table_last(&r, "p.z") / (-0.06 * (bend / 3e3 + x / 7e3)), 1, 1e-6);
        assert_near(table_last(&r, "turn.z") / (0.1 * x * (2 - x / 2) / 5e3), 1, 1e-6);
        assert_near(table_last(&r, "turn.y") / (0.06 * x * (2 - x / 2) / 3e3), 1, 1e-6);
        table_free(&r);
    }
}

/* ---- in motion ---- */

/* An arm on a hinge in space, swung and shaken, with a second one at its end. */
#define SWING                                                                                      \
    "limber: 1\n"                                                                                  \
    "materials: {soft: {E: 2e8, nu: 0.3, rho: 1000, damping: {stiffness: 1e-3}}}\n"                \
    "sections:\n"                                                                                  \
    "  bar: {material: soft, shape: rectangle, height: 0.06, width: 0.03}\n"                       \
    "gravity: [2, -9.81, 3]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  arm: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 4}\n"             \
    "  fore: {type: beam, section: bar, from: [1, 0, 0], to: [1, 0.5, 0.5], elements: 3}\n"        \
    "joints:\n"                                                                                    \
    "  base: {type: prismatic, between: [ground, arm.start], axis: [1, 1, 1],\n"                   \
    "         drive: 0.05*sin(20*t)}\n"                                                            \
    "  elbow: {type: revolute, between: [arm.end, fore.start], axis: [0, 1, -1]}\n"                \
    "initial: {elbow: {rate: 6}}\n"

/* Rates are the derivatives of what they are the rates of. */
static void rates(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"x", "v"}, {"v", "a"}, {"X", "V"}, {"V", "A"}};
    table r = run_model(&(run_how){
        .text = SWING "analysis: {type: dynamics, until: 0.05, step: 1e-5, output_step: 1e-5}\n"
                      "outputs:\n"
                      "  x: pos(fore.at(0.4))\n"
                      "  v: vel(fore.at(0.4))\n"
                      "  a: acc(fore.at(0.4))\n"
                      "  X: pos(fore.at(0.4), arm.at(0.6))\n"
                      "  V: vel(fore.at(0.4), arm.at(0.6))\n"
                      "  A: acc(fore.at(0.4), arm.at(0.6))\n"});
    for (int p = 0; p < 4; p++)
        for (int c = 0; c < 3; c++) {
            char f[8], rate[8];
            double worst = 0, size = 0;
            snprintf(f, sizeof f, "%s.%c", pairs[p][0], 'x' + c);
            snprintf(rate, sizeof rate, "%s.%c", pairs[p][1], 'x' + c);
            for (int i = 2000; i < r.rows - 1; i++) {
                double d = (table_get(&r, i + 1, f) - table_get(&r, i - 1, f)) / 2e-5;
                worst = fmax(worst, fabs(d - table_get(&r, i, rate)));
                size = fmax(size, fabs(d));
            }
            assert_under(worst, (p % 2 ? 2e-3 : 1e-6) * size);
        }
    table_free(&r);
}

/* What goes through the first section is what the joint exerts, at any moment; hinges carry no
 * moment, a free end nothing, and a node between elements looks the same from both sides. Damping by
 * mass acts along the beam, and back on its first node. */
static void check_balance(const char *damping, int at_joint)
{
    static const char *const same[][2] = {{"F.x", "N"}, {"F.y", "Vy"}, {"F.z", "Vz"},
                                          {"M.x", "T"}, {"M.y", "My"}, {"M.z", "Mz"}};
    table r = run_model(&(run_how){
        .text = SWING "analysis: {type: dynamics, until: 0.3, step: 1e-3, output_step: 0.01}\n"
                      "outputs:\n"
                      "  F: force(base)\n"
                      "  M: moment(base)\n"
                      "  N: section(arm, 0).N\n"
                      "  Vy: section(arm, 0).Vy\n"
                      "  Vz: section(arm, 0).Vz\n"
                      "  T: section(arm, 0).T\n"
                      "  My: section(arm, 0).My\n"
                      "  Mz: section(arm, 0).Mz\n"
                      "  before: section(arm, 0.25 - 1e-9).Mz\n"
                      "  behind: section(arm, 0.25 + 1e-9).Mz\n"
                      "  hinge: section(fore, 0).Mz\n"
                      "  free: section(fore, 1).stress\n"
                      "  whole: energy.total\n"
                      "  sum: energy(arm).total + energy(fore).total\n"
                      "  elastic: energy(arm).elastic\n",
        .swap = {{"damping: {stiffness: 1e-3}", damping}}});
    for (int i = 1; i < r.rows; i++) {
        for (int k = 0; k < 6 && at_joint; k++) /* to what Newton's method leaves of 30 N */
            assert_near(table_get(&r, i, same[k][1]), -table_get(&r, i, same[k][0]), 1e-6);
        assert_near(table_get(&r, i, "before"), table_get(&r, i, "behind"), 1e-6);
        if (at_joint) assert_near(table_get(&r, i, "hinge"), 0, 1e-6);
        assert_near(table_get(&r, i, "free"), 0, 1e-2);
        assert_near(table_get(&r, i, "whole"), table_get(&r, i, "sum"), 1e-12);
        assert_true(table_get(&r, i, "elastic") > 0);
    }
    table_free(&r);
}

static void balance(void **state)
{
    (void)state;
    check_balance("damping: {stiffness: 1e-3}", 1);
    check_balance("damping: {mass: 20, stiffness: 1e-3}", 0);
}

/* A beam that turns steadily, stretched by itself: N = rhoA W^2 (L^2 - x^2)/2, and nothing else. */
static void spinning(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = "limber: 1\n"
                "materials: {steel: {E: 2.1e13, nu: 0.3, rho: 7800, damping: {stiffness: 1e-3}}}\n"
                "sections: {bar: {material: steel, shape: rectangle, height: 0.04, width: 0.02}}\n"
                "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0],"
                " elements: 3}}\n"
                "joints: {axle: {type: revolute, between: [ground, arm.start], axis: z,"
                " drive: 50*t}}\n"
                "analysis: {type: dynamics, until: 0.2, step: 1e-4, output_step: 0.01}\n" PLACES
                "  d: deflection(arm, 0.7)\n"
                "  tip: tip(arm)\n"});
    double most = RHO * H * W * 2500 * L * L / 2;
    for (int k = 0; k <= 20; k++) {
        double s = k / 20.0;
        assert_near(at(&r, "N", k), most * (1 - s * s), 1e-5 * most);
        assert_near(at(&r, "Vy", k), 0, 1e-5 * most);
        assert_near(at(&r, "Mz", k), 0, 1e-5 * most);
    }
    double stretch = most * L * 2 / 3 / (E * H * W);
    assert_near(table_last(&r, "tip.x"), stretch, 1e-5 * stretch);
    assert_near(table_last(&r, "d.y"), 0, 2e-8);
    assert_near(table_last(&r, "d.z"), 0, 1e-18);
    table_free(&r);
}

/* A shaft of one element that is spun up: each section turns all that is behind it. */
static void spun_up(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = "limber: 1\n"
                "materials: {steel: {E: 2.1e13, nu: 0.3, rho: 7800, damping: {stiffness: 1e-3}}}\n"
                "sections: {bar: {material: steel, shape: rectangle, height: 0.04, width: 0.02}}\n"
                "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0],"
                " elements: 1}}\n"
                "joints: {axle: {type: revolute, between: [ground, arm.start], axis: x,"
                " drive: 500*t^2}}\n"
                "analysis: {type: dynamics, until: 0.05, step: 1e-4, output_step: 0.01}\n" PLACES});
    for (int k = 0; k <= 20; k++) {
        double torque = RHO * (IY + IZ) * 1000 * L * (1 - k / 20.0);
        assert_near(at(&r, "T", k), -torque, 1e-6);
    }
    table_free(&r);
}

/* ---- the same in other axes ---- */

/* A curved beam, drawn in axes that are turned by a rotation vector. */
static table turned_arch(double x, double y, double z)
{
    double angle = sqrt(x * x + y * y + z * z), c = cos(angle), s = sin(angle);
    double n[3] = {x / angle, y / angle, z / angle}, R[3][3], v[6][3];
    static const double drawn[6][3] = {{1, 0.3, 0},       {2, 0.2, 0.1}, {0, 1, 0},
                                       {300, -800, 1200}, {-5, 20, 15},  {2, -9.81, 1}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[i][j] = (1 - c) * n[i] * n[j] + (i == j ? c : 0) +
                      (i == j ? 0 : ((j - i + 3) % 3 == 1 ? -s : s) * n[3 - i - j]);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 3; i++)
            v[k][i] = R[i][0] * drawn[k][0] + R[i][1] * drawn[k][1] + R[i][2] * drawn[k][2];
    char text[2000];
    snprintf(
        text, sizeof text,
        "limber: 1\n"
        "materials: {soft: {E: 2e9, nu: 0.3, rho: 7800}}\n"
        "sections: {bar: {material: soft, shape: box, height: 0.06, width: 0.04,"
        " thickness: 0.005}}\n"
        "gravity: [%.17g, %.17g, %.17g]\n"
        "bodies: {arm: {type: beam, section: bar, y_axis: [%.17g, %.17g, %.17g], elements: 5,\n"
        "  points: [[0, 0, 0], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}}\n"
        "joints: {clamp: {type: fixed, between: [ground, arm.start]}}\n"
        "loads: {pull: {on: arm.end, force: [%.17g, %.17g, %.17g],\n"
        "  torque: [%.17g, %.17g, %.17g]}}\n"
        "analysis: {type: statics, tolerance: 1e-8}\n" PLACES "  d: deflection(arm, 0.3)\n"
        "  tip: tip(arm)\n"
        "  stress: section(arm, 0.33).stress\n",
        v[5][0], v[5][1], v[5][2], v[2][0], v[2][1], v[2][2], v[0][0], v[0][1], v[0][2], v[1][0],
        v[1][1], v[1][2], v[3][0], v[3][1], v[3][2], v[4][0], v[4][1], v[4][2]);
    return run_model(&(run_how){.text = text});
}

static void turned(void **state)
{
    (void)state;
    table r = turned_arch(0, 0, 1e-12);
    for (int k = 0; k < 3; k++) {
        table t = turned_arch(k == 0 ? 0 : 2.5 - k, k == 0 ? 0 : -1.5, 1.2);
        for (int i = 1; i < r.cols; i++) {
            double a = table_last(&r, r.name[i]), b = table_last(&t, r.name[i]);
            assert_near(b, a, 1e-8 * (fabs(a) + (i > 120 ? 0 : 1000)));
        }
        table_free(&t);
    }
    table_free(&r);
}

/* Carried along without bending: nothing to see, whatever the shape. */
static void carried(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = SECTIONS
        "bodies: {arm: {type: beam, section: bar, elements: 6, y_axis: [0, 0, 1],\n"
        "  points: [[0, 0, 0], [1, 0.3, 0], [1.5, 1, 0.2], [1, 2, 0]]}}\n"
        "joints: {axle: {type: revolute, between: [ground, arm.start], axis: [1, 2, -1]}}\n"
        "initial: {axle: {angle: 2.1}}\n"
        "analysis: {type: dynamics, until: 1e-3, output_step: 1e-3}\n"
        "outputs:\n"
        "  a: deflection(arm, 0.31)\n"
        "  b: deflection(arm, 0.9)\n"
        "  c: tip(arm)\n"
        "  d: section(arm, 0.4).stress\n"});
    for (int i = 1; i < r.cols; i++) assert_near(table_last(&r, r.name[i]), 0, i < 10 ? 1e-14 : 1);
    table_free(&r);
}

/* Slider-crank of paper 001, bending over 5 mm: it falls, and the rod sags below its chord. */
static void slider_crank(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text =
            "limber: 1\n"
            "gravity: [0, -9.81, 0]\n"
            "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7800}}\n"
            "sections: {strip: {material: steel, shape: rectangle, height: 0.005, width: 0.05}}\n"
            "bodies:\n"
            "  crank: {type: beam, section: strip, from: [0, 0, 0], to: [0.5, 0, 0]}\n"
            "  rod: {type: beam, section: strip, from: [0.5, 0, 0], to: [1.5, 0, 0], elements: 8}\n"
            "  slider: {type: rigid, mass: 0, position: [1.5, 0, 0]}\n"
            "joints:\n"
            "  pivot: {type: revolute, between: [ground, crank.start], axis: z}\n"
            "  pin: {type: revolute, between: [crank.end, rod.start], axis: z}\n"
            "  wrist: {type: revolute, between: [rod.end, slider], axis: z}\n"
            "  guide: {type: prismatic, between: [ground, slider], axis: x}\n"
            "analysis: {type: dynamics, until: 0.1, output_step: 0.1}\n"
            "outputs: {sag: \"1000*deflection(rod, 0.5).y\", x: pos(slider).x}\n"});
    assert_near(table_last(&r, "sag"), -1.534, 2e-3);
    assert_near(table_last(&r, "x"), 1.492277, 2e-6);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pull_and_twist),
        cmocka_unit_test(tip_force),
        cmocka_unit_test(own_weight),
        cmocka_unit_test(tapered),
        cmocka_unit_test(round_section),
        cmocka_unit_test(stretched),
        cmocka_unit_test(simply_supported),
        cmocka_unit_test(simply_supported_shear),
        cmocka_unit_test(within_one_element),
        cmocka_unit_test(planes_of_their_own),
        cmocka_unit_test(rates),
        cmocka_unit_test(balance),
        cmocka_unit_test(spinning),
        cmocka_unit_test(spun_up),
        cmocka_unit_test(turned),
        cmocka_unit_test(carried),
        cmocka_unit_test(slider_crank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
