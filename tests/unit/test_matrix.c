/* Every formulation with every analysis and every method: a cell of this matrix runs and agrees with the
 * others, or it is refused with one message. */
#include "support/run_model.h"
#include "support/scratch.h"
#include "support/worst.h"

static const char *const forms[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
enum { FORMS = 5 };

typedef struct cell {
    const char *text, *formulation, *analysis;
} cell;

/* A result file, or the one error. */
typedef struct outcome {
    limber_status status;
    char path[SCRATCH_PATH];
    char error[400];
} outcome;

static void refused(const limber_messages *msg, const char *what, char *error, size_t size)
{
    int n = 0;
    for (int i = 0; i < limber_messages_count(msg); i++)
        if (limber_messages_get(msg, i).severity == LIMBER_ERROR && n++ == 0)
            snprintf(error, size, "%s", limber_messages_get(msg, i).text);
    if (n != 1) fail_msg("%s: %d messages, not one", what, n);
}

static outcome run(const cell *c)
{
    limber_messages *msg = limber_messages_new();
    limber_run_options o = limber_run_options_default();
    limber_model *model = NULL;
    outcome x = {0};
    char text[4000], name[40], what[200];
    static int number;
    snprintf(text, sizeof text, "%sanalysis: %s\n", c->text, c->analysis);
    snprintf(name, sizeof name, "%d.h5", ++number);
    snprintf(what, sizeof what, "%s in %s", c->analysis, c->formulation);
    scratch_path(x.path, name);
    limber_status st = limber_model_parse(text, strlen(text), "m.yaml", NULL, &model, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    o.formulation = c->formulation;
    o.results = x.path;
    limber_summary sum;
    x.status = limber_run(model, &o, &sum, msg);
    int no = x.status == LIMBER_INPUT || x.status == LIMBER_UNSUPPORTED;
    if (x.status && !no) fail_msg("%s stopped: %s", what, sum.reason);
    if (no) refused(msg, what, x.error, sizeof x.error);
    limber_model_free(model);
    limber_messages_free(msg);
    return x;
}

/* The slowest poles: the others are the mesh's own. */
static void keep_slow(void *context, const limber_difference *d)
{
    if (strstr(d->output, "pole ") && atoi(d->output + 5) > 4) return;
    keep_worst(context, d);
}

static void agrees(const outcome *reference, const outcome *other, const cell *c, double most)
{
    limber_messages *msg = limber_messages_new();
    worst w = {0};
    assert_int_equal(limber_compare_results(reference->path, other->path, keep_slow, &w, msg),
                     LIMBER_OK);
    limber_messages_free(msg);
    if (w.n == 0 && !strstr(c->analysis, "campbell")) fail_msg("nothing was compared");
    if (!(w.part <= most))
        fail_msg("%s in %s: %s is off by %.2g, more than %.2g", c->analysis, c->formulation,
                 w.output, w.part, most);
}

/* ---- a rod that turns with a hub ---- */

#define ROD                                                                                        \
    "limber: 1\n"                                                                                  \
    "materials: {steel: {E: 2e9, nu: 0.3, rho: 7800, damping: {stiffness: 1e-4}}}\n"               \
    "sections: {bar: {material: steel, shape: rectangle, height: 0.01, width: 0.02}}\n"            \
    "bodies: {rod: {type: beam, section: bar, from: [0.1, 0, 0], to: [0.6, 0, 0], elements: 8}}\n" \
    "joints: {hub: {type: revolute, between: [ground, rod.start], axis: z, at: [0, 0, 0],\n"       \
    "  drive: 20*t}}\n"                                                                            \
    "loads: {push: {on: rod.end, force: [0, \"0.2*sin(20*t)\", 0.1]}}\n"                           \
    "outputs: {tip: pos(rod.end), root: \"section(rod, 0).Mz\"}\n"

/* Rigid pieces with springs err by about 1/(2n)^2 of frequencies and deflections, the tip by its deflection
 * times that; what is linear about the rigid motion by (deflection/length)^2 = 1e-4; splines of one body and
 * the others by what the mesh leaves. The state about which a moving rod is linearised is known within the
 * tolerance, 1e-4 of its size, and so are its poles, times 10. */
static const double rod_off[FORMS] = {0, 1e-3, 5e-3, 3e-2, 5e-3};

static void analyses(void **state)
{
    static const char *const how[] = {"{type: statics}",
                                      "{type: modes, count: 4}",
                                      "[{type: statics}, {type: linearize}]",
                                      "{type: linearize, at: 0.1}",
                                      "{type: campbell, drive: hub, speeds: [0, 20, 3], count: 3}",
                                      "{type: periodic, period: 2*pi/20}",
                                      "{type: dynamics, until: 0.3, output_step: 0.01}"};
    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
        outcome reference = {0};
        for (int f = 0; f < FORMS; f++) {
            cell c = {ROD, forms[f], how[i]};
            outcome x = run(&c);
            assert_int_equal(x.status, LIMBER_OK);
            if (f == 0) reference = x;
            /* over three periods the phase of a vibration runs away by 6 pi times the error of its frequency */
            agrees(&reference, &x, &c, i == 6 ? 6 * rod_off[f] : rod_off[f]);
        }
    }
}

/* The tolerance is that of motions, 1e-6 of the rod's length and 1e-4 of its deflection; the moment follows
 * from curvatures, in the fourth mode a hundred times that. */
static void methods(void **state)
{
    static const char *const how[] = {"radau", "generalized-alpha", "newmark", "bdf", "explicit"};
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        outcome reference = {0};
        for (int i = 0; i < 5; i++) {
            char analysis[160];
            snprintf(
                analysis, sizeof analysis,
                "{type: dynamics, until: 0.03, output_step: 1e-3, tolerance: 1e-6, method: %s}",
                how[i]);
            cell c = {ROD, forms[f], analysis};
            outcome x = run(&c);
            assert_int_equal(x.status, LIMBER_OK);
            if (i == 0) reference = x;
            agrees(&reference, &x, &c, 1e-2);
        }
    }
}

/* ---- rigid bodies: the equations are the same ---- */

#define CRANK                                                                                      \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  crank: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, 0]}\n"        \
    "  rod: {type: rigid, mass: 1, inertia: [0.01, 0.05, 0.05], position: [0.5, 0, 0]}\n"          \
    "  slider: {type: rigid, mass: 2, inertia: [0.01, 0.01, 0.01], position: [0.8, 0, 0]}\n"       \
    "joints:\n"                                                                                    \
    "  pivot: {type: revolute, between: [ground, crank], axis: z, at: [0, 0, 0],\n"                \
    "    stiffness: 40, damping: 0.5, effort: \"5 + sin(8*t)\"}\n"                                 \
    "  pin: {type: revolute, between: [crank, rod], axis: z, at: [0.2, 0, 0]}\n"                   \
    "  wrist: {type: revolute, between: [rod, slider], axis: z, at: [0.8, 0, 0]}\n"                \
    "  guide: {type: prismatic, between: [ground, slider], axis: x}\n"                             \
    "initial: {pivot: {angle: 0.4}}\n"                                                             \
    "outputs: {x: pos(slider).x, a: joint(pivot), push: force(guide)}\n"

static void rigid_loop(void **state)
{
    static const char *const how[] = {"{type: statics}", "[{type: statics}, {type: modes}]",
                                      "[{type: statics}, {type: linearize}]",
                                      "{type: dynamics, until: 1, output_step: 0.01}"};
    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
        outcome reference = {0};
        for (int f = 0; f < FORMS; f++) {
            cell c = {CRANK, forms[f], how[i]};
            outcome x = run(&c);
            assert_int_equal(x.status, LIMBER_OK);
            if (f == 0) reference = x;
            agrees(&reference, &x, &c, i < 3 ? 1e-7 : 1e-4);
        }
    }
}

/* ---- a machine ---- */

#define SERVO                                                                                      \
    "limber: 1\n"                                                                                  \
    "include: library/motors.yaml\n"                                                               \
    "bodies: {arm: {type: rigid, mass: 2, inertia: [0.01, 0.2, 0.2], position: [0.5, 0, 0]}}\n"    \
    "joints: {hinge: {type: revolute, between: [ground, arm], axis: z, at: [0, 0, 0]}}\n"          \
    "blocks:\n"                                                                                    \
    "  servo: {type: pid, input: \"1 - exp(-5*t) - joint(hinge)\", kp: 100, ki: 50, kd: 10,\n"     \
    "    limits: [-48, 48]}\n"                                                                     \
    "power:\n"                                                                                     \
    "  motor: {use: dc_motor_driven, with: {u: servo}, ports: {shaft: rotor}}\n"                   \
    "  rotor: {type: 1, domain: rotation}\n"                                                       \
    "  gear: {type: TF, modulus: 1/50, from: rotor, to: output}\n"                                 \
    "  output: {type: 1, domain: rotation}\n"                                                      \
    "  drive: {type: port, joint: hinge, on: output}\n"                                            \
    "outputs: {angle: joint(hinge), volts: servo, current: motor.current}\n"

static void machine(void **state)
{
    static const char *const how[] = {"{type: dynamics, until: 1, output_step: 0.01}",
                                      "{type: linearize}", "{type: modes}"};
    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
        outcome reference = {0};
        for (int f = 0; f < FORMS; f++) {
            cell c = {SERVO, forms[f], how[i]};
            outcome x = run(&c);
            assert_int_equal(x.status, LIMBER_OK);
            if (f == 0) reference = x;
            agrees(&reference, &x, &c, i == 1 ? 1e-7 : 1e-4);
        }
    }
}

static void refusals(void **state)
{
    static const char *const how[] = {"{type: campbell, drive: hinge, speeds: [0, 20, 3]}",
                                      "{type: periodic, period: 1}"};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < FORMS; f++) {
            cell c = {SERVO, forms[f], how[i]};
            outcome x = run(&c);
            assert_true(x.status == LIMBER_INPUT || x.status == LIMBER_UNSUPPORTED);
            assert_true(strlen(x.error) > 40);
        }
    for (int f = 1; f < FORMS; f++) { /* poses by hand are for minimal coordinates only */
        static const char text[] = "limber: 1\ncoordinates: {a: {}}\n"
                                   "bodies: {arm: {type: rigid, mass: 1, inertia: [1, 1, 1], "
                                   "motion: \"rotz(a)*disp(1, 0, 0)\"}}\n";
        cell c = {text, forms[f], "{type: dynamics, until: 0.1}"};
        outcome x = run(&c);
        if (f == 1) {
            assert_int_equal(x.status, LIMBER_OK);
            continue;
        }
        assert_true(x.status == LIMBER_INPUT || x.status == LIMBER_UNSUPPORTED);
        assert_non_null(strstr(x.error, "minimal"));
    }
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("matrix");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(analyses), cmocka_unit_test(methods),  cmocka_unit_test(rigid_loop),
        cmocka_unit_test(machine),  cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
