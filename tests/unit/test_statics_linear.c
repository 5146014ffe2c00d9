/* Statics in one step, with the stiffness of the start. */
#include "support/run_model.h"

/* P L^3/3EI and P L^2/2EI however large the load, no force along the axis, half the work of the load;
 * of rigid finite elements 1 - 1/(4 n^2) of that. */
static void cantilever(void **state)
{
    static const char *const formulation[] = {"corotational", "minimal", "rfe"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        double part = i == 2 ? 1 - 1.0 / 64 : 1;
        table r = run_model(&(run_how){
            .model = "cantilever_tip_force",
            .set = {"k=4", "N=4", "EA=1e4"},
            .formulation = formulation[i],
            .swap = {{"  angle: ", "  N: section(beam, 0.7).N\n  M: section(beam, 0.25).Mz\n  U: "
                                   "energy.elastic\n  F: force(clamp).y\n  angle: "}},
            .analysis = "{type: statics, linear: true}"});
        assert_int_equal(r.rows, 1);
        assert_near(table_last(&r, "u"), 0, 1e-6);
        assert_near(table_last(&r, "w"), part * 4.0 / 3, 1e-9);
        assert_near(table_last(&r, "angle"), 2, 1e-9);
        assert_near(table_last(&r, "N"), 0, 1e-2); /* EA 1e4, slopes of 2 */
        assert_near(table_last(&r, "M"), 3, 1e-6);
        assert_near(table_last(&r, "F"), -4, 1e-6);
        assert_near(table_last(&r, "U"), part * 8.0 / 3, 1e-3);
        table_free(&r);
    }
}

/* What bends far is softer at first than later. */
static void against_the_whole_path(void **state)
{
    (void)state;
    table whole = run_model(&(run_how){.model = "cantilever_tip_force"});
    table one = run_model(
        &(run_how){.model = "cantilever_tip_force", .analysis = "{type: statics, linear: true}"});
    assert_true(table_last(&one, "w") > 4 * table_last(&whole, "w"));
    table_free(&whole);
    table_free(&one);
}

/* A motion that nothing holds has no linear answer. */
static void pendulum(void **state)
{
    static const char text[] =
        "limber: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {bob: {type: rigid, mass: 1, position: [1, 0, 0]}}\n"
        "joints: {p: {type: revolute, between: [ground, bob], axis: z, "
        "at: [0, 0, 0]}}\n"
        "analysis: {type: statics, linear: true}\noutputs: {x: pos(bob).x}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text, .may_stop = 1});
    assert_non_null(strstr(r.sum.reason, "p"));
    assert_int_equal(r.rows, 0);
    table_free(&r);
}

/* Efforts and loads that read the motion are springs: 100 x - 20 q = 1, 3 x + 7 q = 0.05 + 0.02 * 0.3. */
static void forces_that_read(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies: {cart: {type: rigid, mass: 1}, b: {type: rigid, mass: 1, inertia: [1, 1, 1], "
        "position: [0.3, 0.1, 0]}}\n"
        "joints:\n"
        "  rail: {type: prismatic, between: [ground, cart], axis: x, stiffness: 10, "
        "effort: -90*joint(rail) + 20*joint(pin)}\n"
        "  pin: {type: revolute, between: [cart, b], axis: z, at: [0, 0, 0], stiffness: 7}\n"
        "loads: {pull: {on: cart, force: [1, 0.2, 0]}, push: {on: b, force: [0, 0.02, 0], "
        "torque: [0, 0, '0.05 - 3*joint(rail)']}}\n"
        "outputs: {x: joint(rail), q: joint(pin), f: force(rail), m: moment(pin), g: force(pin)}\n"
        "analysis: {type: statics, linear: true}\n";
    static const char *const form[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
    double x = (7 + 20 * 0.056) / 760, q = (0.056 - 3 * x) / 7;
    (void)state;
    for (int k = 0; k < 5; k++) {
        table r = run_model(&(run_how){.text = text, .formulation = form[k]});
        assert_near(table_last(&r, "x"), x, 1e-12);
        assert_near(table_last(&r, "q"), q, 1e-12);
        assert_near(table_last(&r, "f.x"), -1, 1e-9);
        assert_near(table_last(&r, "f.y"), -0.22, 1e-9);
        assert_near(table_last(&r, "m.z"), -7 * q, 1e-9);
        assert_near(table_last(&r, "g.x"), 0, 1e-9);
        assert_near(table_last(&r, "g.y"), -0.02, 1e-9);
        table_free(&r);
    }
}

/* So are those of the power graph; of the spring alone, too. */
static void springs_of_the_power_graph(void **state)
{
    static const char text[] =
        "limber: 1\nbodies: {cart: {type: rigid, mass: 1}}\n"
        "joints: {rail: {type: prismatic, between: [ground, cart], axis: x, stiffness: %g}}\n"
        "loads: {pull: {on: cart, force: [1, 0, 0]}}\n"
        "power: {J: {type: 1, domain: translation}, port: {type: port, on: J, joint: rail}, "
        "C: {type: C, on: J, stiffness: 90}}\n"
        "outputs: {x: joint(rail)}\nanalysis: {type: statics, linear: true}\n";
    static const char *const form[] = {"corotational", "minimal", "rfe", "ffr"};
    (void)state;
    for (int k = 0; k < 8; k++) {
        char all[1000];
        snprintf(all, sizeof all, text, k < 4 ? 10. : 0.);
        table r = run_model(&(run_how){.text = all, .formulation = form[k % 4]});
        assert_near(table_last(&r, "x"), 1 / (k < 4 ? 100. : 90.), 1e-12);
        table_free(&r);
    }
}

/* What comes after starts where the linear analysis did. */
static void goes_on_from_the_start(void **state)
{
    (void)state;
    table r = run_model(
        &(run_how){.model = "cantilever_tip_force",
                   .set = {"k=1"},
                   .analysis = "[{type: statics, linear: true}, {type: dynamics, until: 0.01}]"});
    assert_near(table_first(&r, "w"), 0, 1e-12);
    table_free(&r);
}

/* A frame in space with no member along an axis; h: height of the section over the length of a member, so
 * that EA L^2/EI is 12/h^2. */
#define SKEW                                                                                       \
    "limber: 1\n"                                                                                  \
    "parameters: {h: 1e-2, Px: 1, Pz: -0.3, Q: 0.2}\n"                                             \
    "materials: {m: {E: 2.1e11, nu: 0.3, rho: 7800}}\n"                                            \
    "sections: {s: {material: m, shape: rectangle, height: h, width: 1.5*h}}\n"                    \
    "bodies:\n"                                                                                    \
    "  left: {type: beam, section: s, from: [0, 0, 0], to: [0.3, 0.2, 0.9], elements: 4}\n"        \
    "  top: {type: beam, section: s, from: [0.3, 0.2, 0.9], to: [1.1, 0.7, 0.7], elements: 4}\n"   \
    "  right: {type: beam, section: s, from: [1.1, 0.7, 0.7], to: [1.4, 0.4, -0.1], elements: "    \
    "4}\n"                                                                                         \
    "joints:\n"                                                                                    \
    "  A: {type: fixed, between: [ground, left.start]}\n"                                          \
    "  B: {type: fixed, between: [left.end, top.start]}\n"                                         \
    "  C: {type: fixed, between: [top.end, right.start]}\n"                                        \
    "  D: {type: fixed, between: [ground, right.end]}\n"                                           \
    "loads:\n"                                                                                     \
    "  p: {on: left.end, force: [Px, 0.2*Px, Pz]}\n"                                               \
    "  q: {on: right.node(2), force: [0, Q, 0]}\n"                                                 \
    "analysis: {type: statics, linear: true}\n"                                                    \
    "outputs:\n"                                                                                   \
    "  N: section(left, 0.4).N\n  Vy: section(left, 0.4).Vy\n  Vz: section(left, 0.4).Vz\n"        \
    "  T: section(top, 0.3).T\n  My: section(left, 0).My\n  Mz: section(left, 0).Mz\n"             \
    "  stress: section(left, 0).stress\n  A: force(A)\n  a: moment(A)\n  D: force(D)\n"            \
    "  U: energy.elastic\n"                                                                        \
    "  W: 0.5*(Px*(pos(left.end).x - 0.3) + 0.2*Px*(pos(left.end).y - 0.2) + Pz*(pos(left.end).z " \
    "- 0.9) + Q*(pos(right.node(2)).y - 0.55))\n"                                                  \
    "  bend: deflection(top, 0.5)\n  tip: tip(left)\n  whole: norm(force(A))\n"

static const char *const all_forms[] = {"corotational", "minimal", "rfe", "ffr"};
enum { ALL_FORMS = 4 };

/* Reactions balance the loads, and a section carries what the clamp does, however slender the members are:
 * nothing of the square of their rotations gets into the forces along them. Clapeyron: the energy is half of
 * what the loads would do. Rounding of positions is 1e-16 of the size, stretches are h^2/12 of the
 * deflections. */
static void slender_frame(void **state)
{
    static const char *const h[] = {"h=1e-2", "h=1e-3", "h=3.464e-4"};
    static const double allowed[] = {1e-9, 1e-8, 2e-7};
    (void)state;
    for (int f = 0; f < ALL_FORMS; f++)
        for (int k = 0; k < 3; k++) {
            table r =
                run_model(&(run_how){.text = SKEW, .set = {h[k]}, .formulation = all_forms[f]});
            double tol = allowed[k], N = table_last(&r, "N"), Vy = table_last(&r, "Vy");
            double Vz = table_last(&r, "Vz"), A[3], D[3];
            for (int i = 0; i < 3; i++) {
                char name[4] = {'A', '.', (char)('x' + i), 0};
                A[i] = table_last(&r, name);
                name[0] = 'D';
                D[i] = table_last(&r, name);
            }
            double axis = sqrt(0.3 * 0.3 + 0.2 * 0.2 + 0.9 * 0.9);
            /* the part behind pulls on the section as the ground pulls on the start, backwards */
            assert_near(N, -(0.3 * A[0] + 0.2 * A[1] + 0.9 * A[2]) / axis, tol);
            assert_near(N * N + Vy * Vy + Vz * Vz, A[0] * A[0] + A[1] * A[1] + A[2] * A[2], tol);
            assert_near(table_last(&r, "whole"), sqrt(N * N + Vy * Vy + Vz * Vz), tol);
            assert_near(A[0] + D[0], -1, tol);
            assert_near(A[1] + D[1], -0.4, tol);
            assert_near(A[2] + D[2], 0.3, tol);
            double U = table_last(&r, "U");
            assert_near(table_last(&r, "W"), U, 10 * tol * U);
            table_free(&r);
        }
}

#define TWO_BARS(left, right)                                                                      \
    "limber: 1\ngravity: [1.1, -0.7, -9.6]\n"                                                      \
    "parameters: {h: 1e-3}\n"                                                                      \
    "materials: {m: {E: 2.1e11, nu: 0.3, rho: 7800}}\n"                                            \
    "sections: {s: {material: m, shape: rectangle, height: h, width: 1.5*h}}\n"                    \
    "bodies:\n"                                                                                    \
    "  left: " left "  right: " right "joints:\n"                                                  \
    "  A: {type: revolute, axis: y, between: [ground, left.start]}\n"                              \
    "  B: {type: fixed, between: [left.end, right.start]}\n"                                       \
    "  C: {type: spherical, between: [right.end, ground]}\n"                                       \
    "analysis: {type: statics, linear: true}\n"                                                    \
    "outputs: {A: force(A), B: force(B), C: force(C), a: moment(A), b: moment(B)}\n"

/* A chain of superelements carries what the beam does that it is made of, along its members too. */
static void slender_chain(void **state)
{
    static const char *const names[] = {"A.x", "A.z", "B.x", "B.z", "C.x",
                                        "C.y", "C.z", "a.z", "b.y"};
    static const char *const h[] = {"h=1e-2", "h=1e-3", "h=1e-4"};
    static const double allowed[] = {1e-9, 1e-8, 1e-7};
    (void)state;
    for (int f = 0; f < ALL_FORMS; f++)
        for (int k = 0; k < 3; k++) {
            table beams = run_model(&(run_how){
                .text = TWO_BARS("{type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], "
                                 "elements: 4}\n",
                                 "{type: beam, section: s, from: [1, 0, 0], to: [2, 0, 0], "
                                 "elements: 4}\n"),
                .set = {h[k]}});
            table chain = run_model(&(run_how){
                .text =
                    TWO_BARS("{type: superelement, beam: {section: s, length: 1}, nodes: "
                             "{n(k=1..3): [k/4, 0, 0]}}\n",
                             "{type: superelement, beam: {section: s, length: 1}, position: [1, "
                             "0, 0], nodes: {n(k=1..3): [k/4, 0, 0]}}\n"),
                .set = {h[k]},
                .formulation = all_forms[f]});
            double unit = fabs(table_last(&beams, "A.x"));
            for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                assert_near(table_last(&chain, names[i]), table_last(&beams, names[i]),
                            allowed[k] * unit);
            table_free(&beams), table_free(&chain);
        }
}

/* Sensors of one load and of another add up to those of both; all but the stress are linear. */
static void loads_add_up(void **state)
{
    static const char *const names[] = {"N",   "Vy",     "Vz",     "T",      "My",    "Mz",   "A.x",
                                        "a.y", "bend.x", "bend.y", "bend.z", "tip.x", "tip.z"};
    (void)state;
    for (int f = 0; f < ALL_FORMS; f++) {
        table both = run_model(&(run_how){.text = SKEW, .formulation = all_forms[f]});
        table one =
            run_model(&(run_how){.text = SKEW, .set = {"Q=0"}, .formulation = all_forms[f]});
        table other = run_model(
            &(run_how){.text = SKEW, .set = {"Px=0", "Pz=0"}, .formulation = all_forms[f]});
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            double a = table_last(&one, names[k]), b = table_last(&other, names[k]);
            assert_near(table_last(&both, names[k]), a + b, 1e-9 * (fabs(a) + fabs(b)) + 1e-12);
        }
        table_free(&both);
        table_free(&one);
        table_free(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slender_frame),
                                       cmocka_unit_test(slender_chain),
                                       cmocka_unit_test(loads_add_up),
                                       cmocka_unit_test(cantilever),
                                       cmocka_unit_test(against_the_whole_path),
                                       cmocka_unit_test(pendulum),
                                       cmocka_unit_test(goes_on_from_the_start),
                                       cmocka_unit_test(forces_that_read),
                                       cmocka_unit_test(springs_of_the_power_graph)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
