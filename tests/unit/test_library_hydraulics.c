/* Hydraulic components of the library. */
#include "test_library_env.h"

/* Flow through an edge with the factor k, linear below 1e4 Pa. */
static double edge(double k, double dp) { return k * dp / pow(dp * dp + 1e8, 0.25); }

/* ---- valves and volumes ---- */

/* Oil in a rigid volume runs out through an orifice that closes: y = pressure. */
static void orifice_equations(const void *context, double t, const double *y, double *dy)
{
    (void)context;
    dy[0] = -1.4e9 / 1e-3 * edge((1 - 2 * t) * 0.6 * 1e-6 * sqrt(2. / 850), y[0]);
}

static void orifice(void **state)
{
    (void)state;
    follows(
        INCLUDE("hydraulics") "power:\n"
                              "  v: {use: oil_volume, with: {start: 1e7}, ports: {inlet: free}}\n"
                              "  o: {use: orifice, with: {opening: 1 - 2*t}, ports: {inlet: "
                              "v.node, outlet: "
                              "t.inlet}}\n"
                              "  t: {use: tank}\n"
                              "outputs: {y0: effort(v.node)}\n" DYNAMICS("0.3", "0.02"),
        &(other_opinion){orifice_equations, NULL, 1, 4000, {1e7}}, 1e-6);
}

/* A bladder fills another through a throttle: y = oil in each. */
static void gas_equations(const void *context, double t, const double *y, double *dy)
{
    double p1 = 5e6 * pow(1e-3 / (1e-3 - y[0]), 1.4), p2 = 5e6 * pow(1e-3 / (1e-3 - y[1]), 1.4);
    (void)context;
    (void)t;
    dy[0] = -(p1 - p2) / 1e10;
    dy[1] = (p1 - p2) / 1e10;
}

static void accumulator_and_throttle(void **state)
{
    (void)state;
    double q = 1e-3 * (1 - pow(0.5, 1 / 1.4));
    follows(
        INCLUDE("hydraulics") "power:\n"
                              "  a: {use: accumulator, with: {start: 1e7}, ports: {inlet: free}}\n"
                              "  b: {use: accumulator}\n"
                              "  c: {use: throttle, ports: {inlet: a.node, outlet: b.inlet}}\n"
                              "outputs: {y0: state(a.gas), y1: state(b.gas)}\n" DYNAMICS("2",
                                                                                         "0.1"),
        &(other_opinion){gas_equations, NULL, 2, 1000, {q, 0}}, 1e-6);
}

/* A pump fills a volume until the relief valve opens: y = pressure. */
static void relief_equations(const void *context, double t, const double *y, double *dy)
{
    (void)context;
    (void)t;
    dy[0] = 1.4e9 / 1e-3 * (1.6e-6 * 150 - 1e-12 * y[0] - fmax(y[0] - 1.5e7, 0) / 2e9);
}

static void pump_and_relief_valve(void **state)
{
    (void)state;
    static const char text[] =
        INCLUDE("hydraulics") "power:\n"
                              "  p: {use: pump, ports: {outlet: v.inlet}}\n"
                              "  v: {use: oil_volume}\n"
                              "  r: {use: relief_valve, ports: {inlet: v.node, outlet: t.inlet}}\n"
                              "  t: {use: tank}\n"
                              "outputs: {y0: effort(v.node)}\n" DYNAMICS("0.1", "0.005");
    follows(text, &(other_opinion){relief_equations, NULL, 1, 2000, {0}}, 1e-6);
    table r = run_model(&(run_how){.text = text});
    double p = (1.6e-6 * 150 + 1.5e7 / 2e9) / (1e-12 + 1 / 2e9); /* at rest */
    assert_near(table_last(&r, "y0"), p, 1e-7 * p);
    table_free(&r);
}

/* y = speed, pressure. */
static void shaft_equations(const void *context, double t, const double *y, double *dy)
{
    (void)context;
    (void)t;
    dy[0] = (20 - 1e-3 * y[0] - 1.6e-6 * y[1]) / 1e-4;
    dy[1] = 1.4e9 / 1e-4 * (1.6e-6 * y[0] - 1e-12 * y[1] - y[1] / 5e10);
}

static void pump_with_a_shaft(void **state)
{
    (void)state;
    follows(INCLUDE("hydraulics") "power:\n"
                                  "  shaft: {type: 1}\n"
                                  "  drive: {type: Se, effort: 20, on: shaft}\n"
                                  "  p: {use: pump_shaft, ports: {shaft: shaft, outlet: v.inlet}}\n"
                                  "  v: {use: oil_volume, with: {volume: 1e-4}}\n"
                                  "  r: {use: throttle, with: {resistance: 5e10}, ports: {inlet: "
                                  "v.node, outlet: "
                                  "t.inlet}}\n"
                                  "  t: {use: tank}\n"
                                  "outputs: {y0: flow(p.rotor), y1: effort(v.node)}\n" DYNAMICS(
                                      "0.1", "0.005"),
            &(other_opinion){shaft_equations, NULL, 2, 4000, {0}}, 1e-6);
}

/* ---- cylinders ---- */

typedef struct piston {
    int variable;
} piston;

/* Chamber a is filled through an orifice, b drains through another; a mass of 100 and a spring.
 * y = pressures of both chambers, speed, position: p' = B/V (Q - V'), force A p. */
static void cylinder_equations(const void *context, double t, const double *y, double *dy)
{
    const piston *c = context;
    double Aa = 2e-3, Ab = 1.2e-3, B = 1.4e9, K = 0.6 * 1e-5 * sqrt(2. / 850), v = y[2], x = y[3];
    double Va = c->variable ? 2e-5 + Aa * (0.25 + x) : Aa * 0.25;
    double Vb = c->variable ? 2e-5 + Ab * (0.25 - x) : Ab * 0.25;
    double pa = y[0], pb = y[1], leak = 1e-13 * (pa - pb);
    (void)t;
    dy[0] = B / Va * (edge(K, 1e7 - pa) - leak - Aa * v);
    dy[1] = B / Vb * (leak - edge(K, pb) + Ab * v);
    dy[2] = (Aa * pa - Ab * pb - 100 * v - 5e4 * x) / 102;
    dy[3] = v;
}

#define CYLINDER(type, fill)                                                                       \
    INCLUDE("hydraulics")                                                                          \
    "bodies: {box: {type: rigid, mass: 100, inertia: [1, 1, 1]}}\n"                                \
    "joints: {way: {type: prismatic, between: [ground, box], axis: x, stiffness: 5e4}}\n"          \
    "power:\n"                                                                                     \
    "  mains: {use: tank, with: {pressure: 1e7}, ports: {inlet: free}}\n"                          \
    "  oa: {use: orifice, with: {area: 1e-5}, ports: {inlet: mains.level, outlet: c.a}}\n"         \
    "  c: {use: " type ", with: {start_a: 4e6, start_b: 5e6}, ports: {rod: way, b: free}}\n"       \
    "  ob: {use: orifice, with: {area: 1e-5}, ports: {inlet: c.chamber_b, outlet: t.inlet}}\n"     \
    "  t: {use: tank}\n"                                                                           \
    "outputs: {" fill ", y2: rate(way), y3: joint(way), pa: effort(c.chamber_a),\n"                \
    "  force: effort(c.face_a)}\n" DYNAMICS("0.3", "0.01")

#define PRESSURES "y0: effort(c.chamber_a), y1: effort(c.chamber_b)"

static void cylinder(void **state)
{
    (void)state;
    piston c = {0};
    follows(CYLINDER("cylinder", PRESSURES),
            &(other_opinion){cylinder_equations, &c, 4, 2000, {4e6, 5e6, 0, 0}}, 1e-6);
}

static void cylinder_variable(void **state)
{
    (void)state;
    piston c = {1};
    follows(CYLINDER("cylinder_variable", PRESSURES),
            &(other_opinion){cylinder_equations, &c, 4, 2000, {4e6, 5e6, 0, 0}}, 1e-6);
}

/* A closed chamber that is pressed together: the mass of its oil stays, V = V0 exp(-(p - p0)/B). The work of the
 * piston and what is carried make the energy V p^2/2B. */
static void closed_chamber(void **state)
{
    (void)state;
    static const char text[] =
        INCLUDE("hydraulics") "power:\n"
                              "  c: {use: cylinder_variable, with: {start_a: 1e6, leakage: 1e-30},"
                              " ports: {rod: free, a: free, b: free}}\n"
                              "  push: {type: Sf, flow: -0.01*sin(pi*t)^2, on: c.piston}\n"
                              "outputs: {p: effort(c.chamber_a), x: c.x}\n" DYNAMICS("1", "0.02");
    table r = run_model(&(run_how){.text = text});
    double B = 1.4e9, V0 = 2e-5 + 2e-3 * 0.25;
    for (int i = 0; i < r.rows; i++) {
        double p = 1e6 + B * log(V0 / (2e-5 + 2e-3 * table_get(&r, i, "x")));
        assert_near(table_get(&r, i, "p"), p, 1e-6 * p);
    }
    assert_true(table_last(&r, "p") > 1e-2 * B); /* where p/2B is not small */
    assert_under(r.sum.energy_error, 1e-6);
    table_free(&r);
}

/* ---- valve and axis ---- */

/* y = pressures, spool, its rate over w, speed, position. */
static void axis_equations(const void *context, double t, const double *y, double *dy)
{
    double Aa = 2e-3, Ab = 1.2e-3, B = 1.4e9, w = 2 * M_PI * 80, k = 6e-4 / sqrt(3.5e6);
    double ahead = k * (fmax(y[2], 0) + 1e-3), back = k * (fmax(-y[2], 0) + 1e-3);
    double pa = y[0], pb = y[1], ps = 1.4e7, v = y[4], leak = 1e-13 * (pa - pb);
    (void)context;
    double Qa = edge(ahead, ps - pa) - edge(back, pa), Qb = edge(back, ps - pb) - edge(ahead, pb);
    dy[0] = B / (Aa * 0.25) * (Qa - leak - Aa * v);
    dy[1] = B / (Ab * 0.25) * (Qb + leak + Ab * v);
    dy[2] = w * y[3];
    dy[3] = w * (0.5 * sin(20 * t) - y[2] - 1.6 * y[3]);
    dy[4] = (Aa * pa - Ab * pb - 100 * v) / 202;
    dy[5] = v;
}

static void hydraulic_axis(void **state)
{
    (void)state;
    double p = 1.4e7 / 3.2;
    follows(
        INCLUDE("hydraulics") "bodies: {box: {type: rigid, mass: 200, inertia: [1, 1, 1]}}\n"
                              "joints: {way: {type: prismatic, between: [ground, box], axis: x}}\n"
                              "power:\n"
                              "  ax: {use: hydraulic_axis, with: {spool: 0.5*sin(20*t)}, ports: "
                              "{rod: way}}\n"
                              "outputs: {y0: effort(ax.cylinder.chamber_a), y1: "
                              "effort(ax.cylinder.chamber_b), "
                              "y2: ax.valve.place, y3: ax.valve.place.x2, y4: rate(way), y5: "
                              "joint(way)}\n" DYNAMICS("0.5", "0.02"),
        &(other_opinion){axis_equations, NULL, 6, 10000, {1.2 * p, 2 * p, 0, 0, 0, 0}}, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orifice),
        cmocka_unit_test(accumulator_and_throttle),
        cmocka_unit_test(pump_and_relief_valve),
        cmocka_unit_test(pump_with_a_shaft),
        cmocka_unit_test(cylinder),
        cmocka_unit_test(cylinder_variable),
        cmocka_unit_test(closed_chamber),
        cmocka_unit_test(hydraulic_axis),
    };
    return cmocka_run_group_tests(tests, library_set_up, scratch_tear_down);
}
