/* Whether the matrices of a linearised model are constant along the motion, in the coordinates of a
 * formulation: rotors, at rest, a pendulum with its closed form; and what is said where they are not. */
#include "support/linear.h"

#define HUB "  hub: {type: rigid, mass: 2, inertia: [.1, .1, .1]}\n"
#define DRIVE                                                                                      \
    "  d: {type: revolute, between: [ground, hub], axis: x, drive: 450*t}\n"                       \
    "  u: {type: universal, between: [hub, a.start], axes: [y, z]}\n"

/* Unstable beyond its critical speed: half of it hangs on the joint that stands still in a tree of joints. */
static const char two_bodies[] =
    "limber: 1\nbodies:\n" HUB
    "  a: {type: rigid, mass: 3, inertia: [.01, .04, .04], position: [0.25, 0, 0],\n"
    "    frames: {start: [-.25, 0, 0], e: [.25, 0, 0]}}\n"
    "  b: {type: rigid, mass: 3, inertia: [.01, .04, .05], position: [0.75, 0, 0],\n"
    "    frames: {s: [-.25, 0, 0], e: [.25, 0, 0]}}\n"
    "joints:\n" DRIVE "  m: {type: universal, between: [a.e, b.s], axes: [y, z], stiffness: "
    "{angle1: 2e4, angle2: 3e4}}\n"
    "  r: {type: inline, between: [ground, b.e], axis: x}\n"
    "analysis: {type: linearize}\n";

#define SECTION                                                                                    \
    "limber: 1\n"                                                                                  \
    "sections: {w: {shape: stiffness, EA: 2e7, EIy: 2000, EIz: 2500, GJ: 1500, rhoA: 6,\n"         \
    "  rhoIy: 2e-5, rhoIz: 2e-5}}\n"                                                               \
    "bodies:\n" HUB "  a: {type: beam, section: w, from: [0, 0, 0], to: [1, 0, 0], elements: 4}\n"

static const char shaft[] =
    SECTION "joints:\n" DRIVE "  r: {type: inline, between: [ground, a.end], axis: x}\n"
            "analysis: {type: linearize}\n";

/* Rigid: one that stretches is in no steady rotation at first. */
static const char blade[] =
    "limber: 1\nbodies:\n" HUB
    "  a: {type: rigid, mass: 3, inertia: [.01, .04, .05], position: [0.5, 0, 0]}\n"
    "joints:\n"
    "  d: {type: revolute, between: [ground, hub], axis: z, drive: 100*t}\n"
    "  u: {type: universal, between: [hub, a], at: [0.1, 0, 0], axes: [y, z],\n"
    "    stiffness: {angle1: 200, angle2: 300}}\n"
    "analysis: {type: linearize}\n";

static const char elastic_blade[] =
    SECTION "joints:\n"
            "  d: {type: revolute, between: [ground, hub], axis: z, drive: 100*t}\n"
            "  u: {type: fixed, between: [hub, a.start]}\n"
            "analysis: {type: linearize}\n";

static double change(const char *text, const char *formulation, int at_rest)
{
    linear *s = linear_of(NULL, text, formulation, at_rest);
    double found = lm_linearized_change(&s->l);
    linear_done(s);
    return found;
}

static void constant(void **state)
{
    (void)state;
    static const struct {
        const char *text, *formulation;
    } steady[] = {{two_bodies, "corotational"},
                  {two_bodies, "ffr"},
                  {shaft, "corotational"},
                  {shaft, "ffr"},
                  {shaft, "rfe"},
                  {blade, "corotational"},
                  {blade, "minimal"},
                  {blade, "rfe"},
                  {blade, "ffr"}};
    for (size_t i = 0; i < sizeof steady / sizeof *steady; i++)
        assert_under(change(steady[i].text, steady[i].formulation, 0), 1e-5);
    assert_true(change(shaft, "minimal", 1) == 0);
    assert_true(change(two_bodies, "elastodynamic", 0) == 0);
}

static void periodic(void **state)
{
    (void)state;
    assert_true(change(two_bodies, "minimal", 0) > 0.1);
    assert_true(change(two_bodies, "rfe", 0) > 0.1);
    assert_true(change(shaft, "minimal", 0) > 0.1);
    assert_true(change(elastic_blade, "corotational", 0) > 0.01);
}

/* A = [0 1; -w^2 -c]: (A - s)^-1 A. (A - s)^-1, s = w, has (s + c) d(w^2)/dt / (s (s + c) + w^2)^2 as its largest
 * entry, rates over s. */
static void pendulum(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {rod: {type: rigid, mass: 3, inertia: [0.1, 0.1, 0.25], position: [0, -0.8, 0]}}\n"
        "joints: {pivot: {type: revolute, between: [ground, rod], axis: z, at: [0, 0, 0], damping: "
        "0.3}}\n"
        "initial: {pivot: {angle: 1.1, rate: 0.5}}\n"
        "analysis: {type: linearize}\n";
    double J = 0.25 + 3 * 0.64, k = 3 * 9.81 * 0.8 / J, c = 0.3 / J, s = sqrt(k * cos(1.1));
    double part = s * (s + c) + s * s, expected = (s + c) * k * sin(1.1) * 0.5 / (part * part);
    assert_near(change(text, "minimal", 0) / expected, 1, 1e-5);
}

static int says(const char *text, const char *formulation, const char *message)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_run_options o = limber_run_options_default();
    limber_summary sum;
    int found = 0;
    o.formulation = formulation;
    assert_int_equal(limber_run(model, &o, &sum, msg), LIMBER_OK);
    for (int i = 0; i < limber_messages_count(msg); i++)
        found |= strstr(limber_messages_get(msg, i).text, message) != NULL;
    limber_model_free(model);
    limber_messages_free(msg);
    return found;
}

static void warning(void **state)
{
    (void)state;
    static const char remedy[] = "or 'formulation: corotational', whose axes turn with the bodies";
    assert_true(says(two_bodies, "minimal", "the matrices change along the motion"));
    assert_true(says(two_bodies, "minimal", remedy));
    assert_false(says(two_bodies, "corotational", "change along the motion"));
    assert_false(says(blade, "minimal", "change along the motion"));
    assert_true(says(elastic_blade, "corotational", "change along the motion"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(constant), cmocka_unit_test(periodic),
                                       cmocka_unit_test(pendulum), cmocka_unit_test(warning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
