/* Linearised machines: states, poles and transfer functions against equations written out by hand, in every
 * formulation. */
#include "math/eigen.h"
#include "support/linear.h"
#include "support/ode.h"

#include <complex.h>

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
enum { FORMS = 5 };

/* ---- poles ---- */

/* The poles of the model are the eigenvalues of A, n by n row by row, those with im >= 0. */
static void poles_are(const char *text, const char *formulation, int n, const double *A)
{
    double copy[36], re[6], im[6], V[36];
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) copy[n * j + i] = A[n * i + j];
    assert_int_equal(lm_general_eigen(n, copy, re, im, V), 0);
    table r = run_model(&(run_how){.text = text, .formulation = formulation});
    assert_int_equal(r.sum.states, n);
    for (int j = 0; j < n; j++) {
        double off = INFINITY, size = fmax(1, hypot(re[j], im[j]));
        if (im[j] < 0) continue;
        for (int i = 0; i < r.rows; i++)
            off = fmin(off, hypot(table_get(&r, i, "real") - re[j],
                                  table_get(&r, i, "imaginary") - im[j]));
        count++;
        if (!(off <= 1e-9 * size))
            fail_msg("%s: no pole %.12g + %.12g i; the nearest is off by %g",
                     formulation ? formulation : "", re[j], im[j], off);
    }
    assert_int_equal(r.rows, count);
    table_free(&r);
}

static void circuit(void **state)
{
    (void)state;
    static const char text[] = "limber: 1\n"
                               "power:\n"
                               "  loop: {type: 1, domain: electric}\n"
                               "  source: {type: Se, effort: 5, on: loop}\n"
                               "  R: {type: R, resistance: 3, on: loop}\n"
                               "  L: {type: I, inertia: 0.5, on: loop}\n"
                               "  C: {type: C, capacitance: 0.02, on: loop}\n"
                               "outputs: {i: flow(loop), q: state(C)}\n"
                               "analysis: {type: linearize}\n";
    /* flux, charge */
    const double A[] = {-3 / 0.5, -1 / 0.02, 1 / 0.5, 0};
    for (int f = 0; f < FORMS; f++) poles_are(text, forms[f], 2, A);
}

/* A motor of R, L, K with a rotor J behind a gear of N on an arm. */
#define R_ 0.5
#define L_ 0.02
#define K_ 0.1
#define J_ 1e-3
#define B_ 1e-3
#define N_ 20.0
#define I_ 0.2
#define D_ 0.05
#define ARM(voltage, gear)                                                                         \
    "limber: 1\n"                                                                                  \
    "bodies: {arm: {type: rigid, mass: 1, inertia: [0.2, 0.2, 0.2], frames: {tip: [1, 0, 0]}}}\n"  \
    "joints: {elbow: {type: revolute, between: [ground, arm], axis: z, damping: 0.05, effort: "    \
    "0}}\n"                                                                                        \
    "power:\n"                                                                                     \
    "  loop: {type: 1, domain: electric}\n"                                                        \
    "  battery: {type: Se, effort: " voltage ", on: loop}\n"                                       \
    "  copper: {type: R, resistance: 0.5, on: loop}\n"                                             \
    "  winding: {type: I, inertia: 0.02, on: loop}\n"                                              \
    "  motor: {type: GY, modulus: 0.1, from: loop, to: rotor}\n"                                   \
    "  rotor: {type: 1}\n"                                                                         \
    "  J: {type: I, inertia: 1e-3, on: rotor}\n"                                                   \
    "  bearing: {type: R, resistance: 1e-3, on: rotor}\n"                                          \
    "  gear: {type: TF, modulus: 1/20, from: rotor, to: out}\n" gear                               \
    "  hinge: {type: port, joint: elbow, on: out}\n"                                               \
    "outputs: {a: joint(elbow), w: rate(elbow), i: flow(loop), u: effort(battery), torque: "       \
    "effort(hinge), e: effort(J)}\n"
#define RIGID     "  out: {type: 1}\n"
#define COMPLIANT "  out: {type: 0}\n  shaft: {type: C, stiffness: 200, on: out}\n"
#define SERVO                                                                                      \
    "blocks: {servo: {type: pid, input: 0.5 - joint(elbow), kp: 40, ki: 25, kd: 6, filter: "       \
    "0.02}}\n"
#define LINEARIZE "analysis: {type: linearize}\n"

#define INERTIA (I_ + N_ * N_ * J_)
#define DAMPING (D_ + N_ * N_ * B_)

/* The rotor is in derivative causality: it adds to the inertia of the arm and is no state. */
static void motor_with_rigid_gear(void **state)
{
    (void)state;
    /* current, rate, angle */
    const double A[] = {-R_ / L_, -N_ * K_ / L_, 0, N_ * K_ / INERTIA, -DAMPING / INERTIA, 0, 0, 1,
                        0};
    for (int f = 0; f < FORMS; f++) poles_are(ARM("24", RIGID) LINEARIZE, forms[f], 3, A);
}

static void motor_with_compliant_gear(void **state)
{
    (void)state;
    /* current, speed of the rotor, twist, rate, angle; the sum of angles is free, twice 0 */
    const double A[] = {-R_ / L_, -K_ / L_, 0,
                        0,        0, /**/
                        K_ / J_,  -B_ / J_, -200 / (N_ * J_),
                        0,        0, /**/
                        0,        1 / N_,   0,
                        -1,       0, /**/
                        0,        0,        200 / I_,
                        -D_ / I_, 0, /**/
                        0,        0,        0,
                        1,        0};
    for (int f = 0; f < FORMS; f++) poles_are(ARM("24", COMPLIANT) LINEARIZE, forms[f], 5, A);
}

static void position_servo(void **state)
{
    (void)state;
    const double kp = 40, ki = 25, kd = 6, Tf = 0.02;
    /* current, rate, angle, integral, filtered error */
    const double A[] = {-R_ / L_,
                        -N_ * K_ / L_,
                        -(kp + kd / Tf) / L_,
                        1 / L_,
                        -kd / Tf / L_, /**/
                        N_ * K_ / INERTIA,
                        -DAMPING / INERTIA,
                        0,
                        0,
                        0, /**/
                        0,
                        1,
                        0,
                        0,
                        0, /**/
                        0,
                        0,
                        -ki,
                        0,
                        0, /**/
                        0,
                        0,
                        -1 / Tf,
                        0,
                        -1 / Tf};
    for (int f = 0; f < FORMS; f++) poles_are(ARM("servo", RIGID) SERVO LINEARIZE, forms[f], 5, A);
}

/* e = 2 f + f^3 where the flow is wanted: a loop that is solved at the state, q/C = 12 at f = 2. */
static void nonlinear_loop(void **state)
{
    (void)state;
    static const char text[] = "limber: 1\n"
                               "power:\n"
                               "  node: {type: 0, domain: electric}\n"
                               "  C: {type: C, capacitance: 0.5, initial: 6, on: node}\n"
                               "  lamp: {type: R, effort: 2*f + f^3, on: node}\n"
                               "outputs: {i: flow(lamp), u: effort(lamp)}\n" LINEARIZE;
    const double A[] = {-1 / (0.5 * (2 + 3 * 4))};
    poles_are(text, NULL, 1, A);
}

/* ---- states, inputs and outputs ---- */

static void states_are_listed_once(void **state)
{
    (void)state;
    static const char *const names[] = {"body arm turning about z",
                                        "body arm turning about z, rate", "state winding momentum",
                                        "state servo.integral", "state servo.filtered"};
    linear *s = linear_of(NULL, ARM("servo", RIGID) SERVO LINEARIZE, NULL, 0);
    int found = 0;
    assert_int_equal(s->l.ns, 5);
    for (int i = 0; i < 5; i++) found |= 1 << linear_state(s, names[i]);
    assert_int_equal(found, 31);
    linear_done(s);
}

/* Efforts of ports are solved for and cannot be given. */
static void ports_are_no_inputs(void **state)
{
    (void)state;
    static const char text[] = "limber: 1\n"
                               "bodies: {a: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
                               "joints: {way: {type: prismatic, between: [ground, a], axis: x}}\n"
                               "loads: {wind: {on: a, force: [1, 0, 0]}}\n"
                               "power:\n"
                               "  rod: {type: 1, domain: translation}\n"
                               "  damper: {type: R, resistance: 3, on: rod}\n"
                               "  tip: {type: port, frame: a, force: [1, 0, 0], on: rod}\n"
                               "outputs: {v: rate(way)}\n" LINEARIZE;
    linear *s = linear_of(NULL, text, NULL, 0);
    assert_int_equal(s->l.nu, 3);
    for (int i = 0; i < 3; i++) {
        char name[80];
        lm_input_name(s->model->m.spec, &s->input[i], name, sizeof name);
        assert_int_equal(strncmp(name, "wind.force.", 11), 0);
    }
    int row = linear_state(s, "body a along x, rate");
    assert_near(entry(s->l.A, s->l.ns, row, row), -1.5, 1e-12);
    assert_near(entry(s->l.B, s->l.ns, row, linear_input(s, "wind.force.x")), 0.5, 1e-12);
    linear_done(s);
}

/* Accelerations and outputs, which read values, along all states and inputs. */
static void against_differences(void **state)
{
    (void)state;
    static const char *const text[] = {ARM("servo", RIGID) SERVO
                                       "initial: {elbow: {rate: 2}}\n" LINEARIZE,
                                       ARM("24", COMPLIANT) LINEARIZE};
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < FORMS; f++)
            for (int rest = 0; rest < 2; rest++) {
                linear *s = linear_of(NULL, text[i], forms[f], rest);
                linear_errors e = linear_check(s, 1e-3);
                assert_under(e.da, 1e-9);
                assert_under(e.outputs, 1e-9);
                linear_done(s);
            }
}

/* rate/torque = (L s + R)/((L s + R)(J s + b) + (N K)^2) */
static void transfer_function(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = ARM("0", RIGID) "analysis: {type: linearize, frequencies: [0.1, 100, 13], inputs: "
                                "[elbow], outputs: [w]}\n"});
    assert_int_equal(r.rows, 13);
    for (int i = 0; i < r.rows; i++) {
        double w = 2 * PI * table_get(&r, i, "frequency"), k = N_ * K_;
        double re = R_ * DAMPING - L_ * INERTIA * w * w + k * k;
        double im = w * (L_ * DAMPING + R_ * INERTIA);
        double size = hypot(L_ * w, R_) / hypot(re, im);
        assert_near(table_get(&r, i, "w/elbow.effort.magnitude") / size, 1, 1e-9);
        double phase = atan2(L_ * w, R_) - atan2(im, re);
        assert_near(table_get(&r, i, "w/elbow.effort.phase"), phase, 1e-9);
    }
    table_free(&r);
}

/* The command of the servo as an input: angle/command = K N G s (T s + 1)/..., with G = kp + ki/s + kd
 * s/(T s + 1); and the voltage, which follows it at once. */
static void from_a_signal(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text =
            ARM("servo", RIGID) "blocks:\n"
                                "  command: {type: signal, value: 0.5}\n"
                                "  servo: {type: pid, input: command - joint(elbow), kp: 40, ki: "
                                "25, kd: 6, filter: 0.02}\n"
                                "analysis: {type: linearize, frequencies: [0.1, 100, 13], inputs: "
                                "[command], outputs: [a, u]}\n"});
    assert_int_equal(r.sum.inputs, 1);
    for (int i = 0; i < r.rows; i++) {
        double _Complex s = 2 * PI * table_get(&r, i, "frequency") * I;
        double _Complex G = 40 + 25 / s + 6 * s / (0.02 * s + 1), k = N_ * K_;
        double _Complex P = k / s / ((L_ * s + R_) * (INERTIA * s + DAMPING) + k * k);
        double _Complex a = P * G / (1 + P * G), u = G / (1 + P * G);
        assert_near(table_get(&r, i, "a/command.magnitude") / cabs(a), 1, 1e-9);
        assert_near(table_get(&r, i, "u/command.magnitude") / cabs(u), 1, 1e-9);
        assert_near(cos(table_get(&r, i, "u/command.phase") - carg(u)), 1, 1e-12);
    }
    table_free(&r);
}

/* ---- against a run ---- */

typedef struct affine {
    int n;
    const double *A, *f0;
} affine;

static void deviate(const void *context, double t, const double *x, double *dx)
{
    const affine *p = context;
    (void)t;
    for (int i = 0; i < p->n; i++) {
        dx[i] = p->f0[i];
        for (int j = 0; j < p->n; j++) dx[i] += entry(p->A, p->n, i, j) * x[j];
    }
}

/* The servo is linear: its run is x. = f(x0) + A (x - x0), and C tells the outputs. */
static void follows_the_run(void **state)
{
    (void)state;
    linear *s = linear_of(NULL, ARM("servo", RIGID) SERVO LINEARIZE, NULL, 0);
    const lm_linearized *l = &s->l;
    double x[ODE_MOST] = {0}, f0[ODE_MOST];
    for (int i = 0; i < l->ns; i++) {
        int velocity = l->state[l->keep[i] % l->n];
        f0[i] = l->keep[i] < l->n ? l->m.g->v[velocity] : l->m.g->a[velocity];
    }
    affine p = {l->ns, l->A, f0};
    table r =
        run_model(&(run_how){.text = ARM("servo", RIGID) SERVO
                             "analysis: {type: dynamics, until: 1, output_step: 0.1, tolerance: "
                             "1e-9}\n"});
    static const char *const names[] = {"a", "w", "i", "u", "torque", "e"};
    for (int row = 1; row < r.rows; row++) {
        ode_rk4(deviate, &p, l->ns, x, 0, 0.1, 4000);
        for (int o = 0; o < 6; o++) {
            double y = table_first(&r, names[o]);
            int k = linear_output(s, names[o]);
            for (int j = 0; j < l->ns; j++) y += entry(l->C, l->ny, k, j) * x[j];
            double off = fabs(table_get(&r, row, names[o]) - y) / table_range(&r, names[o]);
            if (!(off < 1e-6)) fail_msg("%s in row %d is off by %g", names[o], row, off);
        }
    }
    table_free(&r);
    linear_done(s);
}

/* ---- about an equilibrium ---- */

/* A spring of the graph that carries the weight. Its twist and the place of the box move together, so that
 * their difference is a state that does not move. */
static void hanging_box(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {box: {type: rigid, mass: 3, inertia: [1, 1, 1]}}\n"
        "joints: {way: {type: prismatic, between: [ground, box], axis: y}}\n"
        "power:\n"
        "  rod: {type: 1}\n"
        "  spring: {type: C, stiffness: 500, initial: -3*9.81/500, on: rod}\n"
        "  damper: {type: R, resistance: 6, on: rod}\n"
        "  push: {type: port, joint: way, on: rod}\n"
        "outputs: {x: joint(way), f: effort(push)}\n"
        "analysis: {type: linearize, about: statics}\n";
    const double A[] = {0, 1, 0, 0, -6. / 3, -500. / 3, 0, 1, 0};
    for (int f = 0; f < FORMS; f++) /* statics does not know such springs in elastodynamic */
        if (strcmp(forms[f], "elastodynamic") != 0) poles_are(text, forms[f], 3, A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circuit),
        cmocka_unit_test(motor_with_rigid_gear),
        cmocka_unit_test(motor_with_compliant_gear),
        cmocka_unit_test(position_servo),
        cmocka_unit_test(nonlinear_loop),
        cmocka_unit_test(states_are_listed_once),
        cmocka_unit_test(ports_are_no_inputs),
        cmocka_unit_test(against_differences),
        cmocka_unit_test(transfer_function),
        cmocka_unit_test(from_a_signal),
        cmocka_unit_test(follows_the_run),
        cmocka_unit_test(hanging_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
