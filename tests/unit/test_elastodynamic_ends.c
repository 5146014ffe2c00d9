/* Beams whose ends are held apart, and causes that are not those of the linear theory: what is said has the right
 * number, and is said once. */
#include "support/listen.h"

static const char apart[] = "its ends cannot approach";

static limber_status says(const char *text, const char *set, char said[SAID])
{
    return run_listen(&(run_how){.text = text, .set = {set}, .formulation = "elastodynamic"}, said);
}

/* ---- ends that are held apart ---- */

#define HELD(start, end, analysis)                                                                 \
    "limber: 1\n"                                                                                  \
    "parameters: {F: 200}\n"                                                                       \
    "sections: {s: {shape: stiffness, EA: 2e6, GJ: 100, EIy: 200, EIz: 400, rhoA: 1}}\n"           \
    "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 16}}\n"        \
    "joints:\n"                                                                                    \
    "  c: {" start ", between: [ground, b.start]}\n"                                               \
    "  d: {" end ", between: [b.end, ground]}\n"                                                   \
    "loads: {l: {on: b.at(0.5), force: [0, 0.3*F, F]}}\n"                                          \
    "analysis: " analysis "\n"                                                                     \
    "outputs: {z: pos(b.at(0.5)).z, axial: force(c).x}\n"
#define PINNED(analysis)  HELD("type: spherical", "type: universal, axes: [y, z]", analysis)
#define CLAMPED(analysis) HELD("type: fixed", "type: fixed", analysis)

/* The number against what corotational beams do, at deflections of 0.6 to 5 % of the length. */
static void check_estimate(const char *text, const char *set)
{
    char said[SAID];
    run_how how = {.text = text, .set = {set}, .formulation = "elastodynamic"};
    table e = run_model(&how);
    how.formulation = "corotational";
    table c = run_model(&how);
    double off = 100 * (table_last(&e, "z") / table_last(&c, "z") - 1);
    assert_int_equal(says(text, set, said), LIMBER_OK);
    assert_says(said, apart);
    assert_near(number_after(said, "deflections are off by about ") / off, 1, 0.05);
    assert_near(number_after(said, "an axial force of about ") / -table_last(&c, "axial"), 1, 0.05);
    table_free(&e);
    table_free(&c);
}

static void estimates(void **state)
{
    (void)state;
    check_estimate(PINNED("{type: statics}"), "F=60");
    check_estimate(PINNED("{type: statics}"), "F=200");
    check_estimate(PINNED("{type: statics}"), "F=1000");
    check_estimate(CLAMPED("{type: statics}"), "F=500");
    check_estimate(CLAMPED("{type: statics}"), "F=1000");
}

/* A load that comes at once: the largest deflection, 0.0399, is 68 % over the right one, 0.0237. */
static void in_motion(void **state)
{
    char said[SAID];
    (void)state;
    says(PINNED("{type: dynamics, until: 0.03}"), "F=200", said);
    assert_says(said, apart);
    assert_between(number_after(said, "deflections are off by about "), 45, 140);
}

/* Little load; an end that slides, at rest and in motion, with a mass or without; and what asks for linear. */
static void no_false_warning(void **state)
{
    static const struct {
        const char *text, *set;
    } quiet[] = {
        {PINNED("{type: statics}"), "F=20"},
        {PINNED("{type: statics, linear: true}"), "F=1000"},
        {HELD("type: fixed", "type: prismatic, axis: x", "{type: statics}"), "F=500"},
        {HELD("type: fixed", "type: prismatic, axis: x", "{type: dynamics, until: 0.01}"), "F=200"},
        {HELD("type: spherical", "type: cylindrical, axis: x", "{type: statics}"), "F=200"},
    };
    char said[SAID];
    (void)state;
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        says(quiet[i].text, quiet[i].set, said);
        if (strstr(said, apart)) fail_msg("%zu: %s", i, said);
    }
}

/* ---- other causes ---- */

#define STIFF                                                                                      \
    "limber: 1\n"                                                                                  \
    "sections: {s: {shape: stiffness, EA: 3e5, GJ: 900, EIy: 1500, EIz: 4200, rhoA: 1.3, rhoIy: "  \
    "0.002, rhoIz: 0.004}}\n"

/* The companion has fewer nodes: nothing of a superelement is to be seen in its states. */
static void a_turned_superelement(void **state)
{
    static const char text[] =
        STIFF "bodies:\n"
              "  arm: {type: superelement, beam: {section: s, length: 1, deformations: small},\n"
              "    orientation: {axis: z, angle: 0.5}}\n"
              "  m: {type: rigid, mass: 0.5, inertia: [0.01, 0.02, 0.015],\n"
              "    position: [cos(0.5), sin(0.5), 0]}\n"
              "joints:\n"
              "  c: {type: fixed, between: [ground, arm.start]}\n"
              "  d: {type: revolute, between: [arm.end, m], axis: y, stiffness: 20}\n"
              "analysis: {type: statics}\n";
    char said[SAID];
    (void)state;
    assert_int_equal(says(text, NULL, said), LIMBER_OK);
    assert_string_equal(said, "");
}

/* Deflections of a ten-millionth: what is missing is missing in time. */
static void energy_of_the_integration(void **state)
{
    static const char text[] =
        STIFF "bodies: {arm: {type: superelement, beam: {section: s, length: 1},\n"
              "  orientation: {axis: z, angle: 0.5}}}\n"
              "joints: {c: {type: fixed, between: [ground, arm.start]}}\n"
              "loads: {l: {on: arm.end, force: [0, 1e-3, 0]}}\n"
              "analysis: {type: dynamics, until: 0.1}\n";
    char said[SAID];
    (void)state;
    says(text, NULL, said);
    assert_says(said, "the energy balance is violated");
    assert_says(said, "give a smaller 'tolerance'");
    assert_null(strstr(said, "is linear about the rigid motion"));
}

static int times(const char *said, const char *words)
{
    int n = 0;
    for (const char *at = strstr(said, words); at; at = strstr(at + 1, words)) n++;
    return n;
}

/* What holds for the rigid mechanism and for the elastic one is said once. */
static void said_once(void **state)
{
    static const char text[] =
        STIFF "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [0.6, 0, 0], elements: "
              "4}}\n"
              "joints: {j: {type: spherical, between: [ground, b.start]}}\n"
              "loads: {l: {on: b.end, force: [-1e-3, 0, 0]}}\n"
              "analysis: {type: statics}\n";
    char said[SAID];
    (void)state;
    says(text, NULL, said);
    assert_int_equal(times(said, "neither held nor pushed"), 1);
    assert_int_equal(times(said, "the equilibrium is unstable"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates),
        cmocka_unit_test(in_motion),
        cmocka_unit_test(no_false_warning),
        cmocka_unit_test(a_turned_superelement),
        cmocka_unit_test(energy_of_the_integration),
        cmocka_unit_test(said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
