/* Power graphs: causality of every bond, the states that come out, and the closed form of what the
 * variables' equations say. */
#include "power_net.h"

#define HEAD "limber: 1\n"
#define ARM                                                                                        \
    HEAD "bodies: {arm: {type: rigid, mass: 1, inertia: [1, 1, 1], frames: {tip: [1, 0, 0]}}}\n"   \
         "joints: {elbow: {type: revolute, between: [ground, arm], axis: z}}\n"

static void close_to(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * (1 + fabs(expected))))
        fail_msg("%.15g, expected %.15g", found, expected);
}

/* ---- circuits ---- */

/* Charge of u = R q' + L q'' + q/C from rest. */
static double series_charge(double u, double R, double C, double L, double t)
{
    double d = R / (2 * L), w = sqrt(1 / (L * C) - d * d);
    return u * C * (1 - exp(-d * t) * (cos(w * t) + d / w * sin(w * t)));
}

static void rlc_series(void **state)
{
    (void)state;
    net w;
    net_open(&w, HEAD "power:\n"
                      "  loop: {type: 1, domain: electric}\n"
                      "  battery: {type: Se, effort: 24, on: loop}\n"
                      "  copper: {type: R, resistance: 2, on: loop}\n"
                      "  plates: {type: C, capacitance: 0.1, on: loop}\n"
                      "  coil: {type: I, inertia: 0.5, on: loop}\n"
                      "outputs: {i: flow(loop), u: effort(coil), p: power(battery), q: "
                      "state(plates), k: state(coil)}\n");
    assert_false(net_stroke_at(&w, "battery", 0)); /* gives its effort */
    assert_false(net_stroke_at(&w, "copper", 0));
    assert_false(net_stroke_at(&w, "plates", 0));
    assert_true(net_stroke_at(&w, "coil", 0)); /* gives the flow */
    assert_int_equal(net_count(&w, LM_VARIABLE_STATE), 2);
    assert_int_equal(net_count(&w, LM_VARIABLE_RATE), 0);
    assert_int_equal(w.n, 2 + 5); /* the outputs; all else is put in */
    close_to(net_output(&w, "u"), 24, 1e-14);
    net_run(&w, 1.3, 1000);
    close_to(net_output(&w, "q"), series_charge(24, 2, 0.1, 0.5, 1.3), 1e-10);
    double h = 1e-4,
           i = (series_charge(24, 2, 0.1, 0.5, 1.3 + h) - series_charge(24, 2, 0.1, 0.5, 1.3 - h)) /
               (2 * h);
    close_to(net_output(&w, "i"), i, 1e-6);
    close_to(net_output(&w, "p"), 24 * net_output(&w, "i"), 1e-13);
    close_to(net_output(&w, "k"), 0.5 * net_output(&w, "i"), 1e-13);
    close_to(net_effort(&w, "copper"), 2 * net_flow(&w, "copper"), 1e-13);
    assert_int_equal(net_element(&w, "coil")->domain, LM_DOMAIN_ELECTRIC);
    net_close(&w);
}

/* The dual: a current on a node with R, C and L has the flow of the coil as the charge above. */
static void rlc_parallel(void **state)
{
    (void)state;
    net w;
    net_open(&w, HEAD "power:\n"
                      "  node: {type: 0}\n"
                      "  pump: {type: Sf, flow: 24, on: node}\n"
                      "  leak: {type: R, resistance: 1/2, on: node}\n"
                      "  tank: {type: C, capacitance: 0.5, on: node}\n"
                      "  line: {type: I, inertia: 0.1, on: node}\n");
    assert_true(net_stroke_at(&w, "pump", 0));
    assert_true(net_stroke_at(&w, "leak", 0));
    assert_false(net_stroke_at(&w, "tank", 0));
    assert_true(net_stroke_at(&w, "line", 0));
    assert_int_equal(w.n, 2);
    net_run(&w, 1.3, 1000);
    close_to(w.x[net_element(&w, "line")->state], series_charge(24, 2, 0.1, 0.5, 1.3), 1e-10);
    net_close(&w);
}

/* A bridge of resistances: nodes l, r against ground, solved by hand:
 *     (u - l)/1 + (r - l)/5 - l/3 = 0      (u - r)/2 + (l - r)/5 - r/4 = 0 */
static void wheatstone(void **state)
{
    (void)state;
    net w;
    net_open(&w, HEAD "power:\n"
                      "  top: {type: 0}\n  left: {type: 0}\n  right: {type: 0}\n"
                      "  tl: {type: 1}\n  tr: {type: 1}\n  lr: {type: 1}\n"
                      "  u: {type: Se, effort: 10, on: top}\n"
                      "  b1: {type: bond, from: top, to: tl}\n"
                      "  b2: {type: bond, from: tl, to: left}\n"
                      "  b3: {type: bond, from: top, to: tr}\n"
                      "  b4: {type: bond, from: tr, to: right}\n"
                      "  b5: {type: bond, from: left, to: lr}\n"
                      "  b6: {type: bond, from: lr, to: right}\n"
                      "  R1: {type: R, resistance: 1, on: tl}\n"
                      "  R2: {type: R, resistance: 2, on: tr}\n"
                      "  R3: {type: R, resistance: 3, on: left}\n"
                      "  R4: {type: R, resistance: 4, on: right}\n"
                      "  R5: {type: R, resistance: 5, on: lr}\n"
                      "outputs: {l: effort(left), r: effort(b6), i: flow(b5)}\n");
    double a11 = 1 + 1 / 5. + 1 / 3., a22 = 1 / 2. + 1 / 5. + 1 / 4., a12 = -1 / 5.;
    double det = a11 * a22 - a12 * a12;
    double l = (10 * a22 - a12 * 5) / det, r = (a11 * 5 - a12 * 10) / det;
    close_to(net_output(&w, "l"), l, 1e-13);
    close_to(net_output(&w, "r"), r, 1e-13);
    close_to(net_output(&w, "i"), (l - r) / 5, 1e-13);
    assert_int_equal(net_count(&w, LM_VARIABLE_STATE), 0);
    for (int i = 0; i < w.s->bonds.n; i++) assert_in_range(w.s->bonds.at[i].stroke, 0, 1);
    net_close(&w);
}

/* Two coils in series: the second in derivative causality, together one of L1 + L2. */
static void two_inductors(void **state)
{
    (void)state;
    net w;
    net_open(&w, HEAD "power:\n"
                      "  loop: {type: 1}\n"
                      "  u: {type: Se, effort: \"10*sin(3*t)\", on: loop}\n"
                      "  R: {type: R, resistance: 2, on: loop}\n"
                      "  L1: {type: I, inertia: 0.3, on: loop}\n"
                      "  L2: {type: I, inertia: 0.5, on: loop}\n"
                      "outputs: {k: state(L2)}\n");
    assert_true(net_stroke_at(&w, "L1", 0));
    assert_false(net_stroke_at(&w, "L2", 0));
    assert_int_equal(net_element(&w, "L1")->derivative, 0);
    assert_int_equal(net_element(&w, "L2")->derivative, 1);
    assert_int_equal(net_element(&w, "L2")->state, -1);
    assert_int_equal(net_count(&w, LM_VARIABLE_STATE), 1);
    assert_int_equal(net_count(&w, LM_VARIABLE_RATE), 1);
    net_run(&w, 0.9, 400);
    double L = 0.8, R = 2, om = 3, Z2 = R * R + om * om * L * L, t = 0.9;
    double i = 10 / Z2 * (R * sin(om * t) - om * L * cos(om * t) + om * L * exp(-R * t / L));
    close_to(net_flow(&w, "L2"), i, 1e-10);
    close_to(net_output(&w, "k"), 0.5 * i, 1e-10);
    close_to(net_effort(&w, "L1") / 0.3, net_effort(&w, "L2") / 0.5, 1e-12);
    net_close(&w);
}

/* Two plates in parallel behind a resistance; the one that starts charged keeps its state. */
static void two_capacitors(void **state)
{
    (void)state;
    net w;
    net_open(&w, HEAD "power:\n"
                      "  in: {type: 1}\n  node: {type: 0}\n"
                      "  b: {type: bond, from: in, to: node}\n"
                      "  u: {type: Se, effort: 5, on: in}\n"
                      "  R: {type: R, resistance: 2, on: in}\n"
                      "  C1: {type: C, capacitance: 0.3, on: node}\n"
                      "  C2: {type: C, stiffness: 1/0.5, on: node, initial_effort: 1}\n");
    assert_true(net_element(&w, "C1")->derivative);
    assert_false(net_element(&w, "C2")->derivative);
    assert_true(net_stroke_at(&w, "C1", 0));
    close_to(w.x[net_element(&w, "C2")->state], 0.5, 1e-15);
    net_run(&w, 1.1, 400);
    close_to(net_effort(&w, "C1"), 5 - 4 * exp(-1.1 / (2 * 0.8)), 1e-11);
    close_to(net_flow(&w, "C1") / 0.3, net_flow(&w, "C2") / 0.5, 1e-12);
    net_close(&w);
}

/* A source on a capacitance: its flow is C u'. */
static void source_on_a_storage(void **state)
{
    (void)state;
    net w;
    net_open(&w, HEAD "blocks: {gain: {type: signal, value: 3*t}}\n"
                      "power:\n"
                      "  node: {type: 0}\n"
                      "  u: {type: Se, effort: gain*t, on: node}\n"
                      "  C: {type: C, capacitance: 0.2, on: node}\n");
    w.t = 1.5;
    net_solve(&w);
    close_to(net_flow(&w, "C"), 0.2 * 6 * 1.5, 1e-13);
    close_to(net_flow(&w, "u"), 0.2 * 6 * 1.5, 1e-13);
    net_close(&w);
}

/* ---- transformers and gyrators ---- */

static void chain_of_transformers(void **state)
{
    (void)state;
    net w;
    net_open(&w, HEAD "parameters: {N: 4}\n"
                      "power:\n"
                      "  j(k=0..N): {type: 1}\n"
                      "  g(k=1..N): {type: TF, modulus: 1/(k + 1), from: j(k-1), to: j(k)}\n"
                      "  u: {type: Se, effort: 2, on: j(0)}\n"
                      "  R: {type: R, resistance: 7, on: j(N)}\n"
                      "outputs: {i: flow(u), p: power(g(4))}\n");
    /* f_to = m f_from: the flow falls by 2*3*4*5 = 120, the effort grows by it */
    close_to(net_effort(&w, "R"), 240, 1e-13);
    close_to(net_flow(&w, "R"), 240. / 7, 1e-13);
    close_to(net_output(&w, "i"), 120 * 240. / 7, 1e-13);
    close_to(net_output(&w, "p"), 240 * 240. / 7, 1e-13);
    for (int k = 1; k <= 4; k++) {
        char name[24];
        snprintf(name, sizeof name, "g(%d)", k);
        assert_true(net_stroke_at(&w, name, 0) != net_stroke_at(&w, name, 1));
        const lm_spec_element *g = net_element(&w, name);
        close_to(net_eval(&w, &g->effort[0]) * net_eval(&w, &g->flow[0]),
                 net_eval(&w, &g->effort[1]) * net_eval(&w, &g->flow[1]), 1e-13);
    }
    net_close(&w);
}

/* A gyrator whose modulus changes turns an inductance into a capacitance. */
static void modulated_gyrator(void **state)
{
    (void)state;
    net w;
    net_open(&w, HEAD "power:\n"
                      "  a: {type: 1}\n  b: {type: 1}\n"
                      "  u: {type: Se, effort: 3, on: a}\n"
                      "  Ra: {type: R, resistance: 2, on: a}\n"
                      "  m: {type: GY, modulus: \"1 + t^2\", from: a, to: b}\n"
                      "  J: {type: I, inertia: 0.5, on: b, initial_flow: 4}\n");
    assert_int_equal(net_stroke_at(&w, "m", 0), net_stroke_at(&w, "m", 1));
    w.t = 2;
    net_solve(&w);
    double r = 5, i = (3 - r * 4) / 2;
    close_to(net_flow(&w, "u"), i, 1e-13);
    close_to(net_effort(&w, "J"), r * i, 1e-13);
    close_to(w.rate[net_element(&w, "J")->state], r * i, 1e-13);
    w.t = 0;
    net_solve(&w);
    close_to(net_effort(&w, "J"), (3 - 4) / 2., 1e-13);
    net_close(&w);
}

/* ---- laws that are not linear ---- */

static void nonlinear_laws(void **state)
{
    (void)state;
    net w;
    /* e = 2 f + f^3 on a source of effort of 12 is at f = 2; q = sqrt(e) ... */
    net_open(&w, HEAD "parameters: {c: 2}\n"
                      "power:\n"
                      "  a: {type: 0}\n"
                      "  u: {type: Se, effort: 12, on: a}\n"
                      "  R: {type: R, effort: \"c*f + f^3\", on: a}\n"
                      "  G: {type: R, flow: \"e^2/4\", on: a}\n"
                      "  line: {type: R, effort: 3*f + 1, on: a}\n"
                      "  b: {type: 1}\n"
                      "  v: {type: Sf, flow: 2, on: b}\n"
                      "  S: {type: R, effort: \"c*f + f^3 + t\", on: b}\n"
                      "  V: {type: R, flow: \"e/2 + e^3/8\", on: b}\n");
    close_to(net_flow(&w, "R"), 2, 1e-12);
    close_to(net_flow(&w, "G"), 36, 1e-12);
    close_to(net_flow(&w, "line"), 11 / 3., 1e-12);
    close_to(net_effort(&w, "S"), 12, 1e-12);
    close_to(net_effort(&w, "V"), 2, 1e-12);
    close_to(net_flow(&w, "u"), 2 + 36 + 11 / 3., 1e-12);
    net_close(&w);
}

/* A hardening spring: energy 1/2 p^2/I + q^2/2 + q^4/4 stays. */
static void nonlinear_storage(void **state)
{
    (void)state;
    net w;
    net_open(&w, HEAD "power:\n"
                      "  a: {type: 1}\n"
                      "  m: {type: I, inertia: 2, on: a, initial_flow: 1.5}\n"
                      "  k: {type: C, effort: \"q + q^3\", on: a}\n");
    int p = net_element(&w, "m")->state, q = net_element(&w, "k")->state;
    close_to(w.x[p], 3, 1e-15);
    net_run(&w, 2, 2000);
    double E = w.x[p] * w.x[p] / 4 + w.x[q] * w.x[q] / 2 + pow(w.x[q], 4) / 4;
    close_to(E, 9 / 4., 1e-10);
    double slots[2] = {0, 2}, scratch[64];
    close_to(lm_expr_eval(&net_element(&w, "k")->law, slots, scratch), 10, 1e-15);
    close_to(lm_expr_eval(&net_element(&w, "m")->law, slots, scratch), 1, 1e-15);
    net_close(&w);
}

/* ---- with a mechanism: the test says how it moves ---- */

#define MOTOR                                                                                      \
    "  loop: {type: 1, domain: electric}\n"                                                        \
    "  u: {type: Se, effort: 24, on: loop}\n"                                                      \
    "  Ra: {type: R, resistance: 0.5, on: loop}\n"                                                 \
    "  La: {type: I, inertia: 1e-3, on: loop, initial_flow: 10}\n"

#define GEAR                                                                                       \
    "  motor: {type: GY, modulus: 0.1, from: loop, to: rotor}\n"                                   \
    "  rotor: {type: 1}\n"                                                                         \
    "  J: {type: I, inertia: 1e-4, on: rotor}\n"                                                   \
    "  gear: {type: TF, modulus: 1/100, from: rotor, to: out}\n"

static void move(net *w, lm_sensor_kind kind, double value, double rate)
{
    double *slot = net_slot(w, kind, 0);
    *slot = value;
    w->slot_rate[slot - w->slot] = rate;
    net_solve(w);
}

static const lm_spec_coord *elbow(const net *w)
{
    return &w->s->joints.at[FIND(w->s->joints, "elbow")].coord[0];
}

static void motor_on_a_joint(void **state)
{
    (void)state;
    net w;
    net_open(&w, ARM "power:\n" MOTOR "  motor: {type: GY, modulus: 0.1, from: loop, to: shaft}\n"
                     "  shaft: {type: 1}\n"
                     "  bearing: {type: R, resistance: 0.02, on: shaft}\n"
                     "  hinge: {type: port, joint: elbow, on: shaft}\n");
    assert_true(net_stroke_at(&w, "hinge", 0));
    assert_int_equal(net_element(&w, "shaft")->domain, LM_DOMAIN_ROTATION);
    assert_int_equal(net_count(&w, LM_VARIABLE_STATE), 1);
    move(&w, LM_SENSOR_RATE, 30, 0);
    close_to(net_effort(&w, "hinge"), 0.1 * 10 - 0.02 * 30, 1e-13);
    close_to(net_flow(&w, "hinge"), 30, 1e-15);
    assert_true(elbow(&w)->has_port);
    close_to(net_eval(&w, &elbow(&w)->port), 0.1 * 10 - 0.02 * 30, 1e-13);
    close_to(w.rate[net_element(&w, "La")->state], 24 - 0.5 * 10 - 0.1 * 30, 1e-13);
    net_close(&w);
}

/* A gear without compliance carries the rotor's inertia to the joint: derivative causality. */
static void motor_with_rigid_gear(void **state)
{
    (void)state;
    net w;
    net_open(&w, ARM "power:\n" MOTOR GEAR "  out: {type: 1}\n"
                     "  hinge: {type: port, joint: elbow, on: out}\n");
    assert_true(net_element(&w, "J")->derivative);
    assert_false(net_stroke_at(&w, "J", 0));
    assert_int_equal(net_count(&w, LM_VARIABLE_RATE), 1);
    move(&w, LM_SENSOR_RATE, 0.3, 7);
    close_to(net_effort(&w, "J"), 1e-4 * 100 * 7, 1e-13);
    close_to(net_eval(&w, &elbow(&w)->port), 100 * (0.1 * 10 - 1e-4 * 100 * 7), 1e-13);
    net_close(&w);
}

static void motor_with_compliant_gear(void **state)
{
    (void)state;
    net w;
    net_open(&w, ARM "power:\n" MOTOR GEAR "  out: {type: 0}\n"
                     "  shaft: {type: C, stiffness: 1000, on: out, initial: 0.02}\n"
                     "  hinge: {type: port, joint: elbow, on: out}\n");
    assert_false(net_element(&w, "J")->derivative);
    assert_false(net_element(&w, "shaft")->derivative);
    assert_int_equal(net_count(&w, LM_VARIABLE_STATE), 3);
    assert_int_equal(w.n, 3);
    move(&w, LM_SENSOR_RATE, 0.3, 7);
    close_to(net_eval(&w, &elbow(&w)->port), 20, 1e-13);
    close_to(w.rate[net_element(&w, "J")->state], 0.1 * 10 - 20 / 100., 1e-13);
    close_to(w.rate[net_element(&w, "shaft")->state], -0.3, 1e-13);
    net_close(&w);
}

/* Two motors on one joint: their efforts add up. */
static void two_ports_on_a_joint(void **state)
{
    (void)state;
    net w;
    net_open(&w, ARM "power:\n"
                     "  a: {type: 1}\n  b: {type: 1}\n"
                     "  ua: {type: Se, effort: 3*t, on: a}\n"
                     "  ub: {type: Se, effort: rate(elbow), on: b}\n"
                     "  pa: {type: port, joint: elbow, on: a}\n"
                     "  pb: {type: port, joint: elbow, on: b}\n");
    w.t = 2;
    move(&w, LM_SENSOR_RATE, 0.7, 0);
    close_to(net_eval(&w, &elbow(&w)->port), 6.7, 1e-14);
    net_close(&w);
}

/* A cylinder: oil under a pump pushes a slide; pressure times area is the force. */
static void hydraulic_cylinder(void **state)
{
    (void)state;
    net w;
    net_open(&w, HEAD "bodies: {slide: {type: rigid, mass: 3}}\n"
                      "joints: {way: {type: prismatic, between: [ground, slide], axis: x}}\n"
                      "power:\n"
                      "  oil: {type: 0, domain: hydraulic}\n"
                      "  pump: {type: Sf, flow: 1e-3, on: oil}\n"
                      "  volume: {type: C, capacitance: 1e-12, on: oil, initial_effort: 2e6}\n"
                      "  leak: {type: R, resistance: 1e10, on: oil}\n"
                      "  piston: {type: TF, modulus: 1/2e-3, from: oil, to: rod}\n"
                      "  rod: {type: 1}\n"
                      "  push: {type: port, joint: way, on: rod}\n");
    assert_int_equal(net_element(&w, "rod")->domain, LM_DOMAIN_TRANSLATION);
    assert_int_equal(net_element(&w, "push")->domain, LM_DOMAIN_TRANSLATION);
    move(&w, LM_SENSOR_RATE, 0.4, 0);
    close_to(net_eval(&w, &w.s->joints.at[0].coord[0].port), 2e6 * 2e-3, 1e-13);
    double in = 1e-3 - 2e6 / 1e10 - 2e-3 * 0.3;
    move(&w, LM_SENSOR_RATE, 0.3, 0);
    assert_true(fabs(w.rate[net_element(&w, "volume")->state] - in) < 1e-17);
    net_close(&w);
}

/* A force along [0, 3, 4] on a frame, and one that pushes two frames apart. */
static void ports_on_frames(void **state)
{
    (void)state;
    net w;
    net_open(&w, ARM "power:\n"
                     "  a: {type: 1}\n  b: {type: 1}\n  c: {type: 1}\n"
                     "  u(k=1..2): {type: Se, effort: 10*k, on: a}\n"
                     "  pull: {type: port, frame: arm.tip, force: [0, 3, 4], on: a}\n"
                     "  ub: {type: Se, effort: 5, on: b}\n"
                     "  twist: {type: port, frame: arm, torque: z, on: b}\n"
                     "  uc: {type: Se, effort: 7, on: c}\n"
                     "  jack: {type: port, between: [\"ground.at(0,0,1)\", arm.tip], on: c}\n"
                     "loads: {weight: {on: arm, force: [0, -1, 0]}}\n");
    const lm_spec_element *pull = net_element(&w, "pull"), *jack = net_element(&w, "jack");
    assert_int_equal(pull->load, 1);
    assert_int_equal(net_element(&w, "twist")->load, 2);
    const lm_spec_load *l = &w.s->loads.at[1];
    assert_true(l->port && l->has_force && !l->has_torque && !w.s->loads.at[0].port);
    assert_string_equal(l->item.name, "pull");
    close_to(net_eval(&w, &l->force[0]), 0, 1e-15);
    close_to(net_eval(&w, &l->force[1]), 18, 1e-14);
    close_to(net_eval(&w, &l->force[2]), 24, 1e-14);
    *net_slot(&w, LM_SENSOR_VEL, 1) = 2;
    *net_slot(&w, LM_SENSOR_VEL, 2) = 1;
    close_to(net_flow(&w, "pull"), 0.6 * 2 + 0.8 * 1, 1e-15);
    assert_int_equal(jack->force, 0);
    const lm_spec_force *f = &w.s->forces.at[0];
    assert_true(f->has_port && f->stiffness[0] == 0 && isnan(f->length));
    close_to(net_eval(&w, &f->port), 7, 1e-15);
    assert_true(w.s->loads.at[2].has_torque && !w.s->loads.at[2].has_force);
    close_to(net_eval(&w, &w.s->loads.at[2].torque[2]), 5, 1e-15);
    net_close(&w);
}

/* The rate of a distance: with d = (3, 4, 0) and v = (1, 2, 0) it is 11/5. A mass on that port is in
 * derivative causality; its force is the mass times d2|d|/dt2 = (v.v + d.a - (d.v/|d|)^2)/|d|. */
static void rate_of_a_distance(void **state)
{
    (void)state;
    net w;
    net_open(&w, HEAD "bodies: {a: {type: rigid, mass: 1}, b: {type: rigid, mass: 1, position: [1, "
                      "0, 0]}}\n"
                      "power:\n"
                      "  c: {type: 1}\n"
                      "  u: {type: Se, effort: 7, on: c}\n"
                      "  m: {type: I, inertia: 2, on: c}\n"
                      "  jack: {type: port, between: [a, b], on: c}\n");
    static const double d[3] = {3, 4, 0}, v[3] = {1, 2, 0}, acc[3] = {0.5, -1, 0};
    for (int i = 0; i < w.s->sensors.n; i++) {
        const lm_spec_sensor *q = &w.s->sensors.at[i];
        if (q->kind != LM_SENSOR_POS && q->kind != LM_SENSOR_VEL) continue;
        int at_b = strcmp(w.s->frames.at[q->frame[0]].name, "b") == 0,
            pos = q->kind == LM_SENSOR_POS;
        w.slot[1 + i] = at_b ? (pos ? d : v)[q->component] : 0;
        w.slot_rate[1 + i] = at_b ? (pos ? v : acc)[q->component] : 0;
    }
    memset(w.x, 0, sizeof w.x); /* without a distance there was no number */
    memset(w.rate, 0, sizeof w.rate);
    net_solve(&w);
    close_to(net_flow(&w, "jack"), 11 / 5., 1e-14);
    double second = (5 + (1.5 - 4) - 11 / 5. * 11 / 5.) / 5;
    close_to(net_effort(&w, "m"), 2 * second, 1e-13);
    close_to(net_effort(&w, "jack"), 7 - 2 * second, 1e-13);
    net_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rlc_series),
        cmocka_unit_test(rlc_parallel),
        cmocka_unit_test(wheatstone),
        cmocka_unit_test(two_inductors),
        cmocka_unit_test(two_capacitors),
        cmocka_unit_test(source_on_a_storage),
        cmocka_unit_test(chain_of_transformers),
        cmocka_unit_test(modulated_gyrator),
        cmocka_unit_test(nonlinear_laws),
        cmocka_unit_test(nonlinear_storage),
        cmocka_unit_test(motor_on_a_joint),
        cmocka_unit_test(motor_with_rigid_gear),
        cmocka_unit_test(motor_with_compliant_gear),
        cmocka_unit_test(two_ports_on_a_joint),
        cmocka_unit_test(hydraulic_cylinder),
        cmocka_unit_test(ports_on_frames),
        cmocka_unit_test(rate_of_a_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
