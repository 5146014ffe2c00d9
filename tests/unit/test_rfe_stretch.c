/* Rigid finite elements stretch and shear by default: rods in space against shooting, drawn either way,
 * statically indeterminate trusses, frames and rings against closed forms and corotational beams. */
#include "support/run_model.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static table run_with(const run_how *how, const char *options)
{
    char first[200];
    run_how h = *how;
    int k = 0;
    while (h.swap[k][0]) k++;
    snprintf(first, sizeof first, "limber: 1\nformulation: {type: rfe%s%s}\n", *options ? ", " : "",
             options);
    h.swap[k][0] = "limber: 1\n";
    h.swap[k][1] = first;
    return run_model(&h);
}

static const char *const both[] = {"coordinates: joint", "coordinates: absolute"};

/* ---- rods in space ---- */

#define ROD(theory, section, from, to, root, tip)                                                  \
    "limber: 1\n"                                                                                  \
    "parameters: {N: 16}\n"                                                                        \
    "sections: {s: {shape: stiffness, " section ", GJ: 1e3, EIy: 1e4, EIz: 4e4, rhoA: 1}}\n"       \
    "bodies: {b: {type: beam, theory: " theory ", section: s, from: [" from "], to: [" to "],\n"   \
    "             elements: N, y_axis: y}}\n"                                                      \
    "joints: {c: {type: fixed, between: [ground, b." root "]}}\n"                                  \
    "loads: {f: {on: b." tip ", force: [3e3, -1e4, 5e3], torque: [0, -1e4, 0]}}\n"                 \
    "analysis: {type: statics, tolerance: 1e-10}\n"                                                \
    "outputs: {p: pos(b." tip "), m: moment(c)}\n"
#define SHEAR             "timoshenko", "EA: 1e6, GAy: 2e5, GAz: 5e4"
#define STRETCH           "euler-bernoulli", "EA: 1e5"
#define APPLY(macro, ...) macro(__VA_ARGS__)

/* Tip and moment at the root. Reissner's rod with these stiffnesses, integrated from the root
 * (DOP853, 1e-12), the moment there found so that the moment at the tip is the load's. */
static const struct rod {
    const char *there, *back; /* drawn from the root, to the root */
    double p[3], m[3];
} rods[] = {
    {APPLY(ROD, SHEAR, "0,0,0", "1,0,0", "start", "end"),
     APPLY(ROD, SHEAR, "1,0,0", "0,0,0", "end", "start"),
     {0.82118484, -0.33418885, 0.45582629},
     {2887.3186594, -12738.44534, -7209.2818757}},
    {APPLY(ROD, STRETCH, "0,0,0", "1,0,0", "start", "end"),
     APPLY(ROD, STRETCH, "1,0,0", "0,0,0", "end", "start"),
     {0.9055595, -0.25627477, 0.44679047},
     {3186.5308362, -13187.426084, -8286.7706701}},
};

static const char *const columns[] = {"p.x", "p.y", "p.z", "m.x", "m.y", "m.z"};

static void rod_end(const char *text, const char *n, double out[6])
{
    table r = run_with(&(run_how){.text = text, .set = {n}}, "");
    for (int i = 0; i < 6; i++) out[i] = table_last(&r, columns[i]);
    table_free(&r);
}

/* The error falls with the square of the division, so that two divisions give the limit. */
static void rods_in_space(void **state)
{
    double c[6], f[6], g[6];
    (void)state;
    for (int k = 0; k < COUNT(rods); k++) {
        const struct rod *rod = &rods[k];
        rod_end(rod->there, "N=24", c);
        rod_end(rod->there, "N=48", f);
        rod_end(rod->there, "N=96", g);
        for (int i = 0; i < 6; i++) {
            /* the joint's force on the beam is the opposite of what the root carries inside */
            double exact = i < 3 ? rod->p[i] : -rod->m[i - 3], size = i < 3 ? 1 : 1e4;
            assert_near((4 * g[i] - f[i]) / 3, exact, 3e-6 * size);
            assert_between((f[i] - c[i]) / (g[i] - f[i]), 3.7, 4.3);
        }
    }
}

static void drawn_either_way(void **state)
{
    double there[6], back[6];
    (void)state;
    for (int k = 0; k < COUNT(rods); k++) {
        rod_end(rods[k].there, "N=8", there);
        rod_end(rods[k].back, "N=8", back);
        for (int i = 0; i < 6; i++) assert_near(back[i], there[i], i < 3 ? 1e-8 : 1e-4);
    }
}

/* ---- small loads: closed forms ---- */

/* A rod pulled at its end, uniform or tapered, and the force along it. */
static void pulled(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 50*(1 + s), GJ: 1, EIy: 1, EIz: 2, rhoA: 1}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [2, 0, 0], elements: 3}}\n"
        "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
        "loads: {f: {on: b.end, force: [1e-3, 0, 0]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {x: tip(b).x, N: \"section(b, 0.4).N\", E: energy.elastic}\n";
    (void)state;
    double u = 1e-3 * 2 / 50 * log(2); /* 1 + s from 1 to 2 */
    for (int k = 0; k < 2; k++) {
        table r = run_with(&(run_how){.text = text}, both[k]);
        assert_near(table_last(&r, "x") / u, 1, 1e-6);
        assert_near(table_last(&r, "N"), 1e-3, 1e-12);
        assert_near(table_last(&r, "E") / (0.5e-3 * u), 1, 1e-6);
        table_free(&r);
    }
}

/* Three bars meet in a pin that is pulled askew, one too many to hold it: with the directions e and
 * the stiffnesses k = EA/L, sum k e e^T u = F and N = k e.u. */
static void truss(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {n: 2}\n"
        "sections:\n"
        "  s: {shape: stiffness, EA: 1e6, GJ: 1e3, EIy: 1e2, EIz: 2e2, rhoA: 1}\n"
        "  t: {shape: stiffness, EA: 2e6, GJ: 1e3, EIy: 1e2, EIz: 2e2, rhoA: 1}\n"
        "bodies:\n"
        "  a: {type: beam, section: s, from: [-1, 0, 0], to: [0, -1, 0], elements: n}\n"
        "  b: {type: beam, section: t, from: [0, 0, 0], to: [0, -1, 0], elements: n}\n"
        "  c: {type: beam, section: s, from: [0.7, 0, 0], to: [0, -1, 0], elements: n}\n"
        "  k: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, -1, 0]}\n"
        "joints:\n"
        "  a1: {type: revolute, axis: z, between: [ground, a.start]}\n"
        "  b1: {type: revolute, axis: z, between: [ground, b.start]}\n"
        "  c1: {type: revolute, axis: z, between: [ground, c.start]}\n"
        "  a2: {type: revolute, axis: z, between: [k, a.end]}\n"
        "  b2: {type: revolute, axis: z, between: [k, b.end]}\n"
        "  c2: {type: fixed, between: [k, c.end]}\n"
        "loads: {f: {on: k, force: [1e-2, -3e-2, 0]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {p: pos(k), Na: \"section(a, 0.6).N\", Nb: \"section(b, 0.6).N\",\n"
        "          Nc: \"section(c, 0.3).N\"}\n";
    static const double d[3][2] = {{1, -1}, {0, -1}, {-0.7, -1}}, EA[3] = {1e6, 2e6, 1e6};
    static const char *const names[] = {"Na", "Nb", "Nc"};
    double K[3] = {0}, k[3], e[3][2];
    (void)state;
    for (int i = 0; i < 3; i++) {
        double L = hypot(d[i][0], d[i][1]);
        k[i] = EA[i] / L;
        for (int j = 0; j < 2; j++) e[i][j] = d[i][j] / L;
        K[0] += k[i] * e[i][0] * e[i][0];
        K[1] += k[i] * e[i][0] * e[i][1];
        K[2] += k[i] * e[i][1] * e[i][1];
    }
    double det = K[0] * K[2] - K[1] * K[1], F[2] = {1e-2, -3e-2};
    double u[2] = {(K[2] * F[0] - K[1] * F[1]) / det, (K[0] * F[1] - K[1] * F[0]) / det};
    for (int c = 0; c < 2; c++) {
        table r = run_with(&(run_how){.text = text}, both[c]);
        for (int i = 0; i < 3; i++)
            assert_near(table_last(&r, names[i]), k[i] * (e[i][0] * u[0] + e[i][1] * u[1]), 1e-8);
        assert_near(table_last(&r, "p.x") / u[0], 1, 1e-6);
        table_free(&r);
    }
}

/* A beam clamped at both ends, pushed along its axis at a quarter: 3/4 of the force go to the near end. */
static void between_walls(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 1e6, GJ: 1e3, EIy: 1e4, EIz: 2e4, rhoA: 1}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 4}}\n"
        "joints:\n"
        "  c: {type: fixed, between: [ground, b.start]}\n"
        "  d: {type: fixed, between: [ground, b.end]}\n"
        "loads: {f: {on: b.at(0.25), force: [100, 0, 0]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {u: pos(b.at(0.25)).x - 0.25, c: force(c).x, d: force(d).x,\n"
        "          N: \"section(b, 0.6).N\"}\n";
    (void)state;
    for (int k = 0; k < 2; k++) {
        table r = run_with(&(run_how){.text = text}, both[k]);
        assert_near(table_last(&r, "u"), 100 * 0.25 * 0.75 / 1e6, 1e-12);
        assert_near(table_last(&r, "c"), -75, 1e-6);
        assert_near(table_last(&r, "d"), -25, 1e-6);
        assert_near(table_last(&r, "N"), -25, 1e-6);
        table_free(&r);
    }
}

/* A ring pulled apart across its diameter: bending, stretch and shear of a circle,
 *     d = P R^3/EI (pi/4 - 2/pi) + P R pi/4 (1/EA + 1/GA),
 * each a part of its own. A polygon has the limit that two of them give. */
static double ring_growth(int n, const char *formulation)
{
    char text[6000];
    int at = snprintf(
        text, sizeof text,
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 30, GAy: 20, GAz: 40, GJ: 1, EIy: 2, EIz: 1,\n"
        "               rhoA: 1}}\n"
        "bodies:\n"
        "  r: {type: beam, theory: timoshenko, section: s, elements: %d, y_axis: [0.1, 0.2, 0],\n"
        "      points: [",
        n);
    for (int k = 0; k <= n; k++) /* a quarter, from the load's point to the side */
        at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.15g, %.15g, 0]", k ? ", " : "",
                       sin(k * M_PI / 2 / n), cos(k * M_PI / 2 / n));
    snprintf(text + at, sizeof text - (size_t)at,
             "]}\n"
             "joints:\n" /* by symmetry the ends slide without turning */
             "  top: {type: prismatic, between: [ground, r.start], axis: y}\n"
             "  side: {type: prismatic, between: [ground, r.end], axis: x}\n"
             "loads: {f: {on: r.start, force: [0, 0.5e-6, 0]}}\n"
             "analysis: {type: statics, tolerance: 1e-12}\n"
             "outputs: {u: pos(r.start).y - 1}\n");
    table r = run_model(&(run_how){.text = text, .formulation = formulation});
    double u = 2 * table_last(&r, "u");
    table_free(&r);
    return u;
}

static void ring(void **state)
{
    (void)state;
    double P = 1e-6, exact = P * (M_PI / 4 - 2 / M_PI) + P * M_PI / 4 * (1 / 30.0 + 1 / 20.0);
    double c = ring_growth(12, "rfe"), f = ring_growth(24, "rfe");
    assert_near((4 * f - c) / 3 / exact, 1, 2e-4);
    double g = ring_growth(12, NULL), h = ring_growth(24, NULL);
    assert_near((4 * h - g) / 3 / exact, 1, 2e-4);
}

/* ---- frames ---- */

/* Two unequal beams side by side and a third across, in space, all stiffnesses different, shear in
 * both planes: displacements, reactions and section forces against corotational beams. */
static void space_frame(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {n: 8}\n"
        "sections:\n"
        "  s: {shape: stiffness, EA: 900, GAy: 300, GAz: 110, GJ: 7, EIy: 5, EIz: 11, rhoA: 1}\n"
        "  t: {shape: stiffness, EA: 500, GAy: 90, GAz: 200, GJ: 9, EIy: 8, EIz: 3, rhoA: 1}\n"
        "bodies:\n"
        "  a: {type: beam, theory: timoshenko, section: s, from: [0, 0, 0], to: [0, 1, 0.2],\n"
        "      elements: n}\n"
        "  b: {type: beam, theory: timoshenko, section: t, from: [1, 0, 0], to: [1.2, 1, 0],\n"
        "      elements: n}\n"
        "  c: {type: beam, section: t, from: [0, 1, 0.2], to: [1.2, 1, 0], elements: n}\n"
        "joints:\n"
        "  j1: {type: fixed, between: [ground, a.start]}\n"
        "  j2: {type: fixed, between: [ground, b.start]}\n"
        "  j3: {type: fixed, between: [a.end, c.start]}\n"
        "  j4: {type: fixed, between: [b.end, c.end]}\n"
        "loads: {f: {on: a.end, force: [1e-4, -5e-4, 3e-4], torque: [0, 2e-4, 0]}}\n"
        "analysis: {type: statics, tolerance: 1e-12}\n"
        "outputs:\n"
        "  pa: 1e4*(pos(a.end).x)\n"
        "  pb: 1e4*(pos(a.end).y - 1)\n"
        "  pc: 1e4*(pos(a.end).z - 0.2)\n"
        "  f1: 1e4*force(j1).x\n"
        "  f2: 1e4*force(j1).y\n"
        "  f3: 1e4*force(j1).z\n"
        "  m1: 1e4*moment(j2).x\n"
        "  m2: 1e4*moment(j2).y\n"
        "  m3: 1e4*moment(j2).z\n"
        "  N: \"1e4*section(b, 0.3).N\"\n"
        "  Vy: \"1e4*section(b, 0.3).Vy\"\n"
        "  Vz: \"1e4*section(b, 0.3).Vz\"\n"
        "  T: \"1e4*section(c, 0.3).T\"\n"
        "  My: \"1e4*section(c, 0.7).My\"\n"
        "  Mz: \"1e4*section(a, 0.7).Mz\"\n";
    (void)state;
    table c = run_with(&(run_how){.text = text, .set = {"n=8"}}, "");
    table f = run_with(&(run_how){.text = text, .set = {"n=16"}}, "");
    table r = run_model(&(run_how){.text = text, .set = {"n=16"}});
    for (int i = 1; i < r.cols; i++) {
        double limit = (4 * f.data[i] - c.data[i]) / 3;
        assert_near(limit, r.data[i], 3e-4);
    }
    table_free(&c);
    table_free(&f);
    table_free(&r);
}

/* Shear in both planes of an open rod, by sections with all stiffnesses different. */
static void shear_in_both_planes(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections:\n"
        "  s: {shape: stiffness, EA: 900, GAy: 30, GAz: 11, GJ: 7, EIy: 5e3, EIz: 11e3, rhoA: 1}\n"
        "bodies:\n"
        "  a: {type: beam, theory: timoshenko, section: s, from: [0, 0, 0], to: [2, 0, 0],\n"
        "      elements: 2, y_axis: y}\n"
        "joints: {c: {type: fixed, between: [ground, a.start]}}\n"
        "loads: {f: {on: a.end, force: [0, 1e-6, 1e-6]}}\n"
        "analysis: {type: statics, tolerance: 1e-12}\n"
        "outputs: {y: pos(a.end).y, z: pos(a.end).z}\n";
    double bend = 1e-6 * 8 / 3 * (1 - 1 / 16.0);
    (void)state;
    for (int k = 0; k < 2; k++) {
        table r = run_with(&(run_how){.text = text}, both[k]);
        assert_near(table_last(&r, "y"), 2e-6 / 30 + bend / 11e3, 1e-14);
        assert_near(table_last(&r, "z"), 2e-6 / 11 + bend / 5e3, 1e-14);
        table_free(&r);
    }
}

/* Modes along the axis of a rod that is clamped: (2k - 1) pi/2 sqrt(EA/rhoA)/L. */
static void rings_lengthwise(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 4, GJ: 1e6, EIy: 1e6, EIz: 1e6, rhoA: 1,\n"
        "               rhoIy: 1, rhoIz: 1}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 40}}\n"
        "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
        "analysis: {type: modes, count: 2}\n";
    (void)state;
    table r = run_with(&(run_how){.text = text}, "");
    for (int k = 0; k < 2; k++) {
        double omega = (2 * k + 1) * M_PI / 2 * 2;
        assert_near(table_get(&r, k, "omega") / omega, 1, pow((2 * k + 1) / 40.0, 2));
    }
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_in_space),    cmocka_unit_test(drawn_either_way),
        cmocka_unit_test(pulled),           cmocka_unit_test(truss),
        cmocka_unit_test(between_walls),    cmocka_unit_test(ring),
        cmocka_unit_test(space_frame),      cmocka_unit_test(shear_in_both_planes),
        cmocka_unit_test(rings_lengthwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
