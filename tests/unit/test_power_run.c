/* Power graphs together with mechanisms, run as models: against equations written out by hand. */
#include "support/ode.h"
#include "support/run_model.h"
#include "support/scratch.h"

#define DYNAMICS "analysis: {type: dynamics, until: 1, output_step: 0.05, tolerance: 1e-8}\n"
#define ARM                                                                                        \
    "limber: 1\n"                                                                                  \
    "bodies: {arm: {type: rigid, mass: 1, inertia: [0.2, 0.2, 0.2], frames: {tip: [1, 0, 0]}}}\n"  \
    "joints: {elbow: {type: revolute, between: [ground, arm], axis: z, damping: 0.05}}\n"
#define BOX                                                                                        \
    "limber: 1\n"                                                                                  \
    "bodies: {box: {type: rigid, mass: 3, inertia: [1, 1, 1], position: [2, 0, 0]}}\n"             \
    "joints: {way: {type: prismatic, between: [ground, box], axis: x, at: [0, 0, 0]}}\n"

static int set_up(void **state)
{
    (void)state;
    return scratch_make("power");
}

static void follows(const table *r, const char *name, double t, double expected, double tolerance)
{
    double found = table_at(r, name, t);
    if (!(fabs(found - expected) <= tolerance * (1 + fabs(expected))))
        fail_msg("%s at %g: %.12g, expected %.12g", name, t, found, expected);
}

/* ---- a motor with a gear on an arm ---- */

#define MOTOR_WITH_GEAR                                                                            \
    "power:\n"                                                                                     \
    "  loop: {type: 1, domain: electric}\n"                                                        \
    "  battery: {type: Se, effort: 24, on: loop}\n"                                                \
    "  copper: {type: R, resistance: 0.5, on: loop}\n"                                             \
    "  winding: {type: I, inertia: 0.02, on: loop}\n"                                              \
    "  motor: {type: GY, modulus: 0.1, from: loop, to: rotor}\n"                                   \
    "  rotor: {type: 1}\n"                                                                         \
    "  J: {type: I, inertia: 1e-3, on: rotor}\n"                                                   \
    "  bearing: {type: R, resistance: 1e-3, on: rotor}\n"                                          \
    "  gear: {type: TF, modulus: 1/20, from: rotor, to: out}\n"

typedef struct drive {
    double u, R, L, K, J, n, b, inertia, damping, k;
} drive;

/* Rigid: y = current, angle, rate of the arm; the rotor turns n times as fast. */
static void rigid_gear(const void *context, double t, const double *y, double *dy)
{
    const drive *d = context;
    (void)t;
    double w = d->n * y[2];
    dy[0] = (d->u - d->R * y[0] - d->K * w) / d->L;
    dy[1] = y[2];
    dy[2] =
        (d->n * (d->K * y[0] - d->b * w) - d->damping * y[2]) / (d->inertia + d->n * d->n * d->J);
}

static void motor_with_rigid_gear(void **state)
{
    (void)state;
    static const char text[] = ARM MOTOR_WITH_GEAR
        "  out: {type: 1}\n"
        "  hinge: {type: port, joint: elbow, on: out}\n"
        "outputs: {a: joint(elbow), w: rate(elbow), i: flow(loop), p: power(battery), s: "
        "state(J)}\n" DYNAMICS;
    static const char *const forms[] = {"corotational", "minimal"};
    drive d = {24, 0.5, 0.02, 0.1, 1e-3, 20, 1e-3, 0.2, 0.05, 0};
    double y[3] = {0, 0, 0}, t0 = 0;
    table r[2];
    for (int f = 0; f < 2; f++) r[f] = run_model(&(run_how){.text = text, .formulation = forms[f]});
    for (double t = 0.1; t < 1.05; t += 0.45) {
        ode_rk4(rigid_gear, &d, 3, y, t0, t, 4000);
        t0 = t;
        for (int f = 0; f < 2; f++) {
            follows(&r[f], "i", t, y[0], 2e-6);
            follows(&r[f], "a", t, y[1], 2e-6);
            follows(&r[f], "w", t, y[2], 2e-6);
            follows(&r[f], "p", t, 24 * y[0], 2e-6);
            follows(&r[f], "s", t, 1e-3 * 20 * y[2], 2e-6);
        }
    }
    for (int f = 0; f < 2; f++) table_free(&r[f]);
}

/* Compliant: y = current, angle, rate of the arm, momentum of the rotor, twist at the output. */
static void compliant_gear(const void *context, double t, const double *y, double *dy)
{
    const drive *d = context;
    (void)t;
    double w = y[3] / d->J, torque = d->k * y[4];
    dy[0] = (d->u - d->R * y[0] - d->K * w) / d->L;
    dy[1] = y[2];
    dy[2] = (torque - d->damping * y[2]) / d->inertia;
    dy[3] = d->K * y[0] - d->b * w - torque / d->n;
    dy[4] = w / d->n - y[2];
}

static void motor_with_compliant_gear(void **state)
{
    (void)state;
    static const char text[] = ARM MOTOR_WITH_GEAR
        "  out: {type: 0}\n"
        "  shaft: {type: C, stiffness: 200, on: out}\n"
        "  hinge: {type: port, joint: elbow, on: out}\n"
        "outputs: {a: joint(elbow), w: rate(elbow), i: flow(loop), q: state(shaft)}\n" DYNAMICS;
    drive d = {24, 0.5, 0.02, 0.1, 1e-3, 20, 1e-3, 0.2, 0.05, 200};
    double y[5] = {0};
    table r = run_model(&(run_how){.text = text});
    ode_rk4(compliant_gear, &d, 5, y, 0, 1, 20000);
    follows(&r, "i", 1, y[0], 1e-5);
    follows(&r, "a", 1, y[1], 1e-5);
    follows(&r, "w", 1, y[2], 1e-5);
    follows(&r, "q", 1, y[4], 1e-5);
    table_free(&r);
}

/* ---- forces on frames ---- */

/* A constant force of the graph on a frame: x = F t^2/(2 m), less what the mass in the graph takes. */
static void force_on_a_frame(void **state)
{
    (void)state;
    static const char text[] =
        BOX "power:\n"
            "  a: {type: 1}\n"
            "  u: {type: Se, effort: 6, on: a}\n"
            "  m: {type: I, inertia: 1, on: a}\n"
            "  pull: {type: port, frame: box, force: [2, 0, 0], on: a}\n"
            "outputs: {x: pos(box).x, e: effort(pull), p: power(pull)}\n" DYNAMICS;
    table r = run_model(&(run_how){.text = text});
    follows(&r, "x", 1, 2 + 6 / 8., 1e-7);
    follows(&r, "e", 1, 4.5, 1e-7);
    follows(&r, "p", 0.5, 4.5 * 0.75, 1e-7);
    table_free(&r);
}

/* A hydraulic cylinder between the ground and the box: y = volume of oil, x, v. */
static void cylinder(const void *context, double t, const double *y, double *dy)
{
    (void)context;
    (void)t;
    double p = y[0] / 1e-9, A = 1e-3;
    dy[0] = 2e-4 - p / 1e9 - A * y[2];
    dy[1] = y[2];
    dy[2] = p * A / 3;
}

static void hydraulic_cylinder(void **state)
{
    (void)state;
    static const char text[] =
        BOX "power:\n"
            "  oil: {type: 0, domain: hydraulic}\n"
            "  pump: {type: Sf, flow: 2e-4, on: oil}\n"
            "  volume: {type: C, capacitance: 1e-9, on: oil}\n"
            "  leak: {type: R, resistance: 1e9, on: oil}\n"
            "  piston: {type: TF, modulus: 1/1e-3, from: oil, to: rod}\n"
            "  rod: {type: 1}\n"
            "  push: {type: port, between: [\"ground.at(0,0,0)\", box], on: rod}\n"
            "outputs: {x: pos(box).x, v: vel(box).x, p: effort(oil), q: state(volume)}\n" DYNAMICS;
    double y[3] = {0, 2, 0};
    table r = run_model(&(run_how){.text = text});
    ode_rk4(cylinder, NULL, 3, y, 0, 1, 20000);
    follows(&r, "x", 1, y[1], 1e-6);
    follows(&r, "v", 1, y[2], 1e-5);
    follows(&r, "p", 1, y[0] / 1e-9, 1e-5);
    table_free(&r);
}

/* ---- graphs beside a mechanism ---- */

/* Coils in series, plates in parallel, a law that must be turned round, and a bridge. */
static void circuits(void **state)
{
    (void)state;
    static const char text[] =
        BOX "power:\n"
            "  loop: {type: 1}\n"
            "  u: {type: Se, effort: \"10*sin(3*t)\", on: loop}\n"
            "  R: {type: R, resistance: 2, on: loop}\n"
            "  L1: {type: I, inertia: 0.3, on: loop}\n"
            "  L2: {type: I, inertia: 0.5, on: loop}\n"
            "  in: {type: 1}\n"
            "  node: {type: 0}\n"
            "  b: {type: bond, from: in, to: node}\n"
            "  uc: {type: Se, effort: 5, on: in}\n"
            "  Rc: {type: R, resistance: 2, on: in}\n"
            "  C1: {type: C, capacitance: 0.3, on: node}\n"
            "  C2: {type: C, stiffness: 1/0.5, on: node, initial_effort: 1}\n"
            "  d: {type: 0}\n"
            "  ud: {type: Se, effort: 3 + 9*t, on: d}\n"
            "  Rd: {type: R, effort: \"2*f + f^3\", on: d}\n"
            "outputs: {i: flow(L2), uC: effort(C1), f: flow(Rd)}\n" DYNAMICS;
    table r = run_model(&(run_how){.text = text});
    double L = 0.8, R = 2, om = 3, Z2 = R * R + om * om * L * L;
    for (double t = 0.25; t < 1.01; t += 0.25) {
        follows(&r, "i", t,
                10 / Z2 * (R * sin(om * t) - om * L * cos(om * t) + om * L * exp(-R * t / L)),
                1e-6);
        follows(&r, "uC", t, 5 - 4 * exp(-t / (2 * 0.8)), 1e-6);
    }
    follows(&r, "f", 0, 1, 1e-9);
    follows(&r, "f", 1, 2, 1e-9);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motor_with_rigid_gear),
        cmocka_unit_test(motor_with_compliant_gear),
        cmocka_unit_test(force_on_a_frame),
        cmocka_unit_test(hydraulic_cylinder),
        cmocka_unit_test(circuits),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
