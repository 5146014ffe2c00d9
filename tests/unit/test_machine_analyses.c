/* Statics, modes, and what is refused, of machines with controllers and power graphs; runs that are
 * resumed. */
#include "support/file_runs.h"
#include "support/modes.h"

#include <unistd.h>

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
enum { FORMS = 5 };

#define BOX(joint)                                                                                 \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies: {box: {type: rigid, mass: 3, inertia: [1, 1, 1]}}\n"                                  \
    "joints: {way: {type: prismatic, between: [ground, box], axis: y" joint "}}\n"
#define STATICS "analysis: {type: statics}\n"

static char results[SCRATCH_PATH];

static int set_up(void **state)
{
    (void)state;
    int bad = scratch_make("machine_analyses");
    scratch_path(results, "results.h5");
    return bad;
}

/* ---- what is said ---- */

/* Status and messages of a run into a file. */
static limber_status run_text(const char *text, const char *formulation, char *said, size_t size)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    opt.results = results;
    opt.formulation = formulation;
    unlink(results);
    limber_status st = limber_run(model, &opt, &sum, msg);
    size_t used = (size_t)snprintf(said, size, "%s\n", sum.reason);
    for (int i = 0; i < limber_messages_count(msg) && used < size; i++)
        used +=
            (size_t)snprintf(said + used, size - used, "%s\n", limber_messages_get(msg, i).text);
    limber_model_free(model);
    limber_messages_free(msg);
    return st;
}

static void says(const char *text, const char *formulation, limber_status expected,
                 const char *message)
{
    char said[4000];
    limber_status st = run_text(text, formulation, said, sizeof said);
    if (st != expected || !strstr(said, message))
        fail_msg("%s, status %d: '%s' is not among\n%s", formulation ? formulation : "", (int)st,
                 message, said);
}

/* ---- statics: values ---- */

/* F = 10 y - F/2 with y = x + 2: 100 x = 20 (x + 2)/3 - m g. */
static void effort_by_a_loop(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){
            .text =
                BOX(", stiffness: 100, effort: F") "blocks:\n"
                                                   "  y: {type: signal, value: joint(way) + 2}\n"
                                                   "  F: {type: signal, value: 10*y - 0.5*F}\n"
                                                   "outputs: {x: joint(way), y: y, F: F}\n" STATICS,
            .formulation = forms[f]});
        double x = (40. / 3 - 3 * 9.81) / (100 - 20. / 3);
        assert_near(table_last(&r, "x"), x, 1e-12);
        assert_near(table_last(&r, "y"), x + 2, 1e-12);
        assert_near(table_last(&r, "F"), 20 * (x + 2) / 3, 1e-11);
        table_free(&r);
    }
}

/* A law of its own reaction, and one that is not linear: F = 50 - F^3/100 - 2 R, where R = m g - F is what
 * the spring of the joint carries. */
static void nonlinear_loop(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = BOX(", stiffness: 1000, effort: F") "blocks:\n"
                                                    "  F: {type: signal, value: 50 - F^3/100 + "
                                                    "2000*joint(way)}\n"
                                                    "outputs: {x: joint(way), F: F}\n" STATICS});
    double F = table_last(&r, "F"), x = table_last(&r, "x");
    assert_near(F - (50 - F * F * F / 100 + 2000 * x), 0, 1e-10);
    assert_near(1000 * x, F - 3 * 9.81, 1e-10);
    table_free(&r);
}

/* A bending arm on a controller: m g/2 L cos(a) is the torque, as far as the arm is straight. */
static void controlled_beam(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "materials: {steel: {E: 2.1e12, nu: 0.3, rho: 7850}}\n"
        "sections: {bar: {material: steel, shape: rectangle, height: 0.04, width: 0.02}}\n"
        "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 4}}\n"
        "joints: {elbow: {type: revolute, between: [ground, arm.start], axis: z, effort: u}}\n"
        "blocks: {u: {type: signal, value: \"80*(0.5 - joint(elbow)) - 6*rate(elbow)\"}}\n"
        "outputs: {a: joint(elbow), u: u}\n" STATICS;
    double a = 0.1, half = 0.5 * 7850 * 0.04 * 0.02 * 9.81;
    for (int i = 0; i < 30; i++) a -= (80 * (0.5 - a) - half * cos(a)) / (-80 + half * sin(a));
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = forms[f]});
        assert_near(table_last(&r, "a"), a, 2e-5); /* it bends by a thousandth */
        assert_near(table_last(&r, "u"), 80 * (0.5 - table_last(&r, "a")), 1e-10);
        table_free(&r);
    }
}

/* ---- statics: states ---- */

#define COIL                                                                                       \
    "power:\n"                                                                                     \
    "  loop: {type: 1, domain: electric}\n"                                                        \
    "  copper: {type: R, resistance: 2, on: loop}\n"                                               \
    "  battery: {type: Se, effort: 20, on: loop}\n"                                                \
    "  winding: {type: I, inertia: 0.1, initial: 1, on: loop}\n"                                   \
    "  motor: {type: GY, modulus: 1.5, from: loop, to: rod}\n"                                     \
    "  rod: {type: 1}\n"                                                                           \
    "  push: {type: port, joint: way, on: rod}\n"                                                  \
    "outputs: {x: joint(way), i: flow(loop), u: effort(winding), f: effort(push), a: "             \
    "acc(box).y}\n"

/* The flux 1 is a current of 10: a force of 15, and the voltages are in balance. */
static void current_is_held(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(
            &(run_how){.text = BOX(", stiffness: 100") COIL STATICS, .formulation = forms[f]});
        assert_near(table_last(&r, "x"), (15 - 3 * 9.81) / 100, 1e-12);
        assert_near(table_last(&r, "i"), 10, 1e-12);
        assert_near(table_last(&r, "f"), 15, 1e-12);
        assert_near(table_last(&r, "u"), 0, 1e-12);
        table_free(&r);
    }
    says(BOX(", stiffness: 100") COIL STATICS, NULL, LIMBER_OK, "1 state of controllers and power");
}

/* What comes after starts with the same values, and at rest where the states are those of rest. */
static void into_a_run(void **state)
{
    (void)state;
    static const char *const names[] = {"x", "i", "f", "u", "a"};
    table s = run_model(&(run_how){.text = BOX(", stiffness: 100") COIL STATICS});
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){
            .text = BOX(", stiffness: 100") COIL
            "analysis: [{type: statics}, {type: dynamics, until: 0.5, tolerance: 1e-6}]\n",
            .formulation = forms[f]});
        for (int i = 0; i < 5; i++) {
            assert_near(table_first(&r, names[i]), table_last(&s, names[i]), 1e-11);
            assert_under(table_drift(&r, names[i]), 1e-10);
        }
        table_free(&r);
    }
    table_free(&s);
}

#define SPRING(initial)                                                                            \
    "power:\n"                                                                                     \
    "  rod: {type: 1}\n"                                                                           \
    "  spring: {type: C, stiffness: 500, on: rod, initial: " initial "}\n"                         \
    "  push: {type: port, joint: way, on: rod}\n"                                                  \
    "outputs: {x: joint(way), q: state(spring)}\n"

/* A C on a joint follows it: from its displacement at the start to where it balances the weight. */
static void spring_of_the_graph(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        if (!strcmp(forms[f], "elastodynamic")) continue;
        table r =
            run_model(&(run_how){.text = BOX("") SPRING("0") STATICS, .formulation = forms[f]});
        assert_near(table_last(&r, "x"), -3 * 9.81 / 500, 1e-12);
        assert_near(table_last(&r, "q"), -3 * 9.81 / 500, 1e-12);
        table_free(&r);
    }
    table r = run_model(&(run_how){.text = BOX("") SPRING("-3*9.81/500") STATICS});
    assert_near(table_last(&r, "x"), 0, 1e-12);
    table_free(&r);
}

/* ---- modes ---- */

/* The current is a state of its own: what the motor exerts is a constant force. */
static void modes_hold_variables(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){.text = BOX(", stiffness: 100") COIL
                                       "analysis: {type: modes, about: statics}\n",
                                       .formulation = forms[f]});
        assert_int_equal(r.rows, 1);
        assert_near(table_get(&r, 0, "omega"), sqrt(100. / 3), 1e-9);
        table_free(&r);
    }
    says(BOX(", stiffness: 100") COIL "analysis: {type: modes}\n", NULL, LIMBER_OK,
         "use 'linearize' for the poles of the whole machine");
}

/* An inertia, a damper and a spring on the ports of a flexible arm, on joints, on a frame, through a gear:
 * the modes are the poles of the whole. */
#define ARM                                                                                        \
    "limber: 1\n"                                                                                  \
    "materials: {alu: {E: 7e10, nu: 0.33, rho: 2700, damping: {stiffness: 1e-5}}}\n"               \
    "sections: {bar: {material: alu, shape: rectangle, height: 0.012, width: 0.02}}\n"             \
    "bodies:\n"                                                                                    \
    "  base: {type: rigid, mass: 2, inertia: [0.02, 0.03, 0.04], com: [0, 0, 0.1]}\n"              \
    "  arm: {type: beam, section: bar, from: [0, 0, 0.3], to: [0.5, 0.1, 0.4], elements: 5}\n"     \
    "  load: {type: rigid, mass: 0.4, inertia: [1e-3, 2e-3, 3e-3], position: [0.5, 0.1, 0.4]}\n"   \
    "joints:\n"                                                                                    \
    "  turn: {type: revolute, between: [ground, base], axis: z}\n"                                 \
    "  lift: {type: revolute, between: [base, arm.start], axis: y, at: [0, 0, 0.3]}\n"             \
    "  grip: {type: revolute, between: [arm.end, load], axis: z, stiffness: 50}\n"                 \
    "analysis: {type: modes, count: 9}\n"
#define ARM_GRAPH                                                                                  \
    "power:\n"                                                                                     \
    "  shaft: {type: 1, domain: rotation}\n"                                                       \
    "  rotor: {type: I, inertia: 0.5, on: shaft}\n"                                                \
    "  loss: {type: R, resistance: 2, on: shaft}\n"                                                \
    "  gear: {type: TF, modulus: 20, from: shaft, to: out}\n"                                      \
    "  out: {type: 1, domain: rotation}\n"                                                         \
    "  twist: {type: C, stiffness: 300, on: out}\n"                                                \
    "  first: {type: port, joint: lift, on: out}\n"                                                \
    "  wheel: {type: 1, domain: rotation}\n"                                                       \
    "  disk: {type: I, inertia: 0.7, on: wheel}\n"                                                 \
    "  second: {type: port, joint: turn, on: wheel}\n"                                             \
    "  rod: {type: 1, domain: translation}\n"                                                      \
    "  lump: {type: I, inertia: 3, on: rod}\n"                                                     \
    "  drag: {type: R, resistance: 5, on: rod}\n"                                                  \
    "  third: {type: port, frame: arm.node(3), force: [0.6, 0, 0.8], on: rod}\n"

static void modes_with_inertia_on_ports(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        run_how how = {.text = ARM ARM_GRAPH, .formulation = forms[f]};
        table with = run_model(&how);
        how.analysis = "{type: linearize}";
        table poles = run_model(&how);
        for (int i = 0; i < with.rows; i++) {
            double omega = table_get(&with, i, "omega"), off = INFINITY;
            double ratio = table_get(&with, i, "damping_ratio");
            double re = -ratio * omega, im = omega * sqrt(1 - ratio * ratio);
            for (int j = 0; j < poles.rows; j++)
                off = fmin(off, hypot(table_get(&poles, j, "real") - re,
                                      table_get(&poles, j, "imaginary") - im));
            assert_under(off, 1e-8 * fmax(1, omega));
        }
        table_free(&with);
        table_free(&poles);
    }
}

/* What a C on a joint, or an integral of a rate, follows at a constant offset. */
static void poles_of_offsets(void **state)
{
    (void)state;
    static const char turn[] = "limber: 1\n"
                               "bodies: {a: {type: rigid, mass: 1, inertia: [0.1, 0.2, 0.3]}}\n"
                               "joints: {A: {type: revolute, between: [ground, a], axis: z, "
                               "stiffness: 50}}\n"
                               "power:\n"
                               "  j: {type: 1, domain: rotation}\n"
                               "  p: {type: port, joint: A, on: j}\n"
                               "  C: {type: C, stiffness: 20, on: j}\n"
                               "analysis: {type: linearize}\n";
    char two[1000];
    snprintf(two, sizeof two, "%sblocks: {way: {type: integrator, input: 2*rate(A)}}\n", turn);
    for (int f = 0; f < FORMS; f++) {
        says(turn, forms[f], LIMBER_OK,
             "state C displacement follows joint A at a constant offset: its pole 0 is no motion");
        says(two, forms[f], LIMBER_OK, "2 states (state ");
    }
}

/* A force that answers to accelerations more strongly than there is mass, and against its sign, has no state
 * to linearise about that an iteration finds; no number is made of it. */
static void modes_without_a_state(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++)
        says("limber: 1\ngravity: [0, -9.81, 0]\n"
             "bodies: {box: {type: rigid, mass: 3, inertia: [1, 1, 1]}}\n"
             "joints: {way: {type: prismatic, between: [ground, box], axis: y, stiffness: 100, "
             "effort: \"-40*(1 + acc(box).y^2)^0.5 - 6*sin(5*acc(box).y)\"}}\n"
             "analysis: {type: modes}\n",
             forms[f], LIMBER_STOPPED,
             strcmp(forms[f], "elastodynamic") == 0 ? "no acceleration satisfies the equations"
                                                    : "modes: the accelerations and reactions");
}

/* ---- what cannot be ---- */

static void refused(void **state)
{
    (void)state;
    static const char rotor[] =
        "limber: 1\n"
        "bodies: {disk: {type: rigid, mass: 1, inertia: [1, 1, 2]}}\n"
        "joints: {axle: {type: revolute, between: [ground, disk], axis: z, drive: 0*t}}\n"
        "blocks: {u: {type: filter, input: joint(axle), time_constant: 1}}\n"
        "analysis: {type: campbell, drive: axle, speeds: [0, 1, 2]}\n";
    for (int f = 0; f < FORMS; f++) {
        says(BOX("") COIL "analysis: {type: periodic, period: 1}\n", forms[f], LIMBER_UNSUPPORTED,
             "'periodic' cannot follow controllers and power graphs through a period");
        says(rotor, forms[f], LIMBER_UNSUPPORTED,
             "'campbell' does not know controllers and power graphs");
    }
}

static const char *const memories[] = {"type: sampled, value: -rate(way), every: 0.1",
                                       "type: delay, input: -rate(way), time: 0.1",
                                       "type: switch, input: joint(way), on: -1, off: 1"};

/* Values that change between steps: `periodic` and `elastodynamic` do not know them, `linearize` holds
 * them. */
static void memories_are_refused_or_held(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%sblocks: {u: {%s}}\nanalysis: {type: periodic, period: 1}\n",
                 BOX(", stiffness: 100, effort: u"), memories[i]);
        says(text, NULL, LIMBER_UNSUPPORTED, "which remember what has been");
        snprintf(text, sizeof text, "%sblocks: {u: {%s}}\nanalysis: {type: linearize}\n",
                 BOX(", stiffness: 100, effort: u"), memories[i]);
        says(text, NULL, LIMBER_OK, "are held at their values");
        says(text, "elastodynamic", LIMBER_UNSUPPORTED, "use the corotational formulation");
    }
}

/* A circuit by itself. */
static void without_bodies(void **state)
{
    (void)state;
#define CIRCUIT                                                                                    \
    "limber: 1\n"                                                                                  \
    "power:\n"                                                                                     \
    "  loop: {type: 1, domain: electric}\n"                                                        \
    "  source: {type: Se, effort: 5, on: loop}\n"                                                  \
    "  R: {type: R, resistance: 2, on: loop}\n"                                                    \
    "  C: {type: C, capacitance: 0.25, initial: 1, on: loop}\n"                                    \
    "outputs: {i: flow(loop)}\n"
    table r = run_model(&(run_how){.text = CIRCUIT STATICS});
    assert_near(table_last(&r, "i"), (5 - 1 / 0.25) / 2, 1e-14);
    table_free(&r);
    r = run_model(&(run_how){.text = CIRCUIT "analysis: {type: linearize, about: statics}\n"});
    assert_int_equal(r.rows, 1);
    assert_near(table_get(&r, 0, "real"), -1 / (2 * 0.25), 1e-14);
    table_free(&r);
    says(CIRCUIT "analysis: {type: linearize}\n", NULL, LIMBER_OK,
         "moves off, mostly C displacement");
    says(CIRCUIT "analysis: {type: modes}\n", NULL, LIMBER_UNSUPPORTED,
         "'modes' are those of bodies, and the model has none");
    says(CIRCUIT "analysis: {type: periodic, period: 1}\n", NULL, LIMBER_UNSUPPORTED, "periodic");
}

/* ---- resuming ---- */

#define AXIS                                                                                       \
    BOX(", damping: 0.5")                                                                          \
    "blocks:\n"                                                                                    \
    "  u: {type: pid, input: 0.3*sin(2*t) - late, kp: 60, ki: 20, kd: 9, filter: 0.01, every: "    \
    "0.02, limits: [-50, 50]}\n"                                                                   \
    "  late: {type: delay, input: joint(way), time: 0.03, samples: 12}\n"                          \
    "power:\n"                                                                                     \
    "  loop: {type: 1, domain: electric}\n"                                                        \
    "  amplifier: {type: Se, effort: u + 30*9.81, on: loop}\n"                                     \
    "  copper: {type: R, effort: 10*f + 0.01*f^3, on: loop}\n"                                     \
    "  winding: {type: I, inertia: 0.2, initial: 4, on: loop}\n"                                   \
    "  motor: {type: GY, modulus: 1.5, from: loop, to: rotor}\n"                                   \
    "  rotor: {type: 1}\n"                                                                         \
    "  J: {type: I, inertia: 0.5, on: rotor}\n"                                                    \
    "  push: {type: port, joint: way, on: rotor}\n"                                                \
    "outputs: {x: joint(way), i: flow(loop), u: u, late: late, f: effort(push), r: "               \
    "effort(copper)}\n"                                                                            \
    "analysis: {type: dynamics, until: 3, output_step: 0.05, tolerance: 1e-5}\n"

/* A motor with a nonlinear loop and a rotor in derivative causality, a sampled controller of a delayed
 * measurement. */
static void resumes_to_the_bit(void **state)
{
    (void)state;
    limber_model *model = model_of_text(AXIS);
    for (int f = 0; f < 4; f++) /* elastodynamic knows no samples */
        assert_resumes_to_the_bit(model, &(file_run){.formulation = forms[f]}, 150, 310);
    limber_model_free(model);
}

/* ---- memory ---- */

static void memory_fails(void **state)
{
    (void)state;
    unlink(results);
    every_allocation_fails(BOX(", stiffness: 100") COIL
                           "analysis: [{type: statics}, {type: modes}, {type: linearize}]\n",
                           results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effort_by_a_loop),
        cmocka_unit_test(nonlinear_loop),
        cmocka_unit_test(controlled_beam),
        cmocka_unit_test(current_is_held),
        cmocka_unit_test(into_a_run),
        cmocka_unit_test(spring_of_the_graph),
        cmocka_unit_test(modes_hold_variables),
        cmocka_unit_test(modes_with_inertia_on_ports),
        cmocka_unit_test(modes_without_a_state),
        cmocka_unit_test(poles_of_offsets),
        cmocka_unit_test(refused),
        cmocka_unit_test(memories_are_refused_or_held),
        cmocka_unit_test(without_bodies),
        cmocka_unit_test(resumes_to_the_bit),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
