/* Velocities that bodies are given at the start: what the joints do not allow is refused, or projected by the
 * mass of all bodies, taken rigid, in every formulation. And arms at rest, drawn far from the origin, are at rest. */
#include "math/v3.h"
#include "support/run_model.h"

#define ARM                                                                                        \
    "limber: 1\n"                                                                                  \
    "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850}}\n"                                        \
    "sections: {bar: {material: steel, shape: rectangle, height: 0.01, width: 0.02}}\n"            \
    "bodies:\n"                                                                                    \
    "  arm: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0.2, 0.1], elements: 4}\n"         \
    "  tip: {type: rigid, mass: 0.3, inertia: [1e-3, 2e-3, 3e-3], position: [1, 0.2, 0.1]}\n"      \
    "joints:\n"                                                                                    \
    "  clamp: {type: revolute, between: [ground, arm.start], axis: [0.3, 1, 0.2]}\n"               \
    "  weld: {type: fixed, between: [arm.end, tip]}\n"                                             \
    "analysis: {type: dynamics, until: 1e-6, output_step: 1e-6}\n"                                 \
    "outputs: {v: vel(tip), w: omega(tip), u: vel(arm.node(2)), E: energy.kinetic}\n"
#define GIVEN "velocity: {tip: {linear: [0, 0.3, 1.0], angular: [0.1, 0.2, 0.3]}}}\n"

/* The first message of a run of the text in this formulation, or "". */
static limber_status run(const char *text, const char *formulation, char *first, size_t size)
{
    limber_messages *msg = limber_messages_new();
    limber_run_options opt = limber_run_options_default();
    limber_model *model;
    limber_summary sum;
    opt.formulation = formulation;
    assert_int_equal(limber_model_parse(text, strlen(text), "arm", NULL, &model, msg), LIMBER_OK);
    limber_status st = limber_run(model, &opt, &sum, msg);
    *first = 0;
    if (limber_messages_count(msg)) snprintf(first, size, "%s", limber_messages_get(msg, 0).text);
    limber_model_free(model);
    limber_messages_free(msg);
    return st;
}

static void refused(void **state)
{
    static const char *const form[] = {"corotational", "minimal", "rfe", "ffr"};
    char first[600];
    (void)state;
    for (int f = 0; f < 4; f++) {
        assert_int_equal(run(ARM "initial: {" GIVEN, form[f], first, sizeof first), LIMBER_INPUT);
        assert_non_null(strstr(first, "the velocities do not fit the joints"));
    }
}

/* The impulse in the hinge takes of the momentum h about its axis nothing: E = h^2 / (2 I), the arm taken as a
 * slender bar, which it is to a ten-thousandth. */
static void projected(void **state)
{
    static const char *const text = ARM "initial: {project: true, " GIVEN;
    static const char *const form[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
    const double n[3] = {0.3 / sqrt(1.13), 1 / sqrt(1.13), 0.2 / sqrt(1.13)}, r[3] = {1, 0.2, 0.1};
    const double v[3] = {0, 0.3, 1}, w[3] = {0.1, 0.2, 0.3}, J[3] = {1e-3, 2e-3, 3e-3};
    double along = n[0] * r[0] + n[1] * r[1] + n[2] * r[2], far2 = 1.05 - along * along;
    double length = sqrt(1.05), I = (0.3 + 7850 * 2e-4 * length / 3) * far2, h = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        I += J[i] * n[i] * n[i];
        h += n[i] * (0.3 * (r[j] * v[k] - r[k] * v[j]) + J[i] * w[i]);
    }
    (void)state;
    table absolute = run_model(&(run_how){.text = text, .formulation = form[0]});
    assert_near(table_first(&absolute, "E"), h * h / (2 * I), 3e-4 * h * h / (2 * I));
    for (int f = 1; f < 5; f++) {
        table other = run_model(&(run_how){.text = text, .formulation = form[f]});
        for (int k = 1; k < absolute.cols; k++) assert_near(other.data[k], absolute.data[k], 1e-9);
        table_free(&other);
    }
    table_free(&absolute);
}

/* A rotation about the hinge fits. */
static void fitting(void **state)
{
    static const char *const text = ARM
        "initial: {velocity: {arm: {angular: [0.6, 2, 0.4]}, tip: {linear: [0.12, 0.34, -1.88], "
        "angular: [0.6, 2, 0.4]}}}\n";
    char first[600];
    (void)state;
    assert_int_equal(run(text, "minimal", first, sizeof first), LIMBER_OK);
    assert_int_equal(run(text, "corotational", first, sizeof first), LIMBER_OK);
}

/* Two bodies off the ground and one joint, whose points on either meet but for rounding: the body on which the
 * other hangs goes along. */
static void single_joint(void **state)
{
    static const char *const text =
        "limber: 1\n"
        "bodies:\n"
        "  b1: {type: rigid, mass: 0.6, inertia: [0.1, 0.2, 0.3], position: [-0.3, -0.8, -1], "
        "orientation: {axis: [-0.7, 0.9, -1.2], angle: 1.96}}\n"
        "  b2: {type: rigid, mass: 2.5, inertia: [0.5, 0.4, 0.3], position: [0.19, 0.07, 0.42], "
        "orientation: {axis: [0.84, -0.1, 0.37], angle: -2.4}}\n"
        "joints: {j: {type: prismatic, between: [b2, b1], axis: [-0.1, -0.95, 0.3], "
        "at: [0.123, 0.457, 0.789]}}\n"
        "initial: {j: {rate: 50}, velocity: {b1: {linear: [-56, -336, -117], "
        "angular: [-718, 1050, -914]}}}\n"
        "analysis: {type: dynamics, until: 1e-9, output_step: 1e-9}\n"
        "outputs: {v: vel(b1), w: omega(b1), rate: rate(j), turns: omega(b2)}\n";
    static const char *const form[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
    const double expected[] = {-56, -336, -117, -718, 1050, -914, 50, -718, 1050, -914};
    (void)state;
    for (int f = 0; f < 5; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = form[f]});
        for (int k = 0; k < 10; k++) assert_near(r.data[1 + k], expected[k], 1e-9);
        table_free(&r);
    }
}

/* Short elements and a stiff joint spring, 1.3 km from the origin: rounding is no force out of balance. */
static void far_away(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "materials: {steel: {E: 5.9e10, nu: 0.3, rho: 7850}}\n"
        "sections: {bar: {material: steel, shape: rectangle, height: 0.0014, width: 0.00117}}\n"
        "bodies:\n"
        "  b: {type: beam, section: bar, from: [0.162, -1348.9967695867977, -5.537324], "
        "to: [0.0493, -1349.6056161197394, -5.2427126], elements: 20}\n"
        "joints: {j: {type: revolute, between: [ground, b.start], axis: [-0.82, -0.5, -0.1], "
        "stiffness: 2e5}}\n"
        "analysis: {type: modes, count: 4}\n";
    char first[600];
    (void)state;
    assert_int_equal(run(text, "rfe", first, sizeof first), LIMBER_OK);
    assert_null(strstr(first, "equilibrium"));
}

/* Springs stand for joints: bodies keep the velocities that they are given, and one that is given none goes along with
 * its neighbour. The joints' points meet but for rounding, as they do in drawings. */
#define SPRUNG                                                                                     \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 1, inertia: [1, 2, 2.5], frames: {p: [0.5, 0.2, 0.1]}}\n"            \
    "  b: {type: rigid, mass: 2, inertia: [1, 2, 2.5], position: [1, -0.1, 0.4], frames:\n"        \
    "    {p: {position: [-0.5, 0.3, -0.3], orientation: {axis: [1, 2, 3], angle: 0.4}}}}\n"        \
    "  c: {type: rigid, mass: 3, inertia: [1, 2, 2.5], position: [2, 0.3, 0.1]}\n"                 \
    "joints:\n"                                                                                    \
    "  j: {%s, between: [a.p, b.p], compliant: {stiffness: 3, damping: 2}}\n"                      \
    "  k: {%s, between: [b, c], at: [1.4, 0, 0.2], compliant: {stiffness: 3, damping: 2}}\n"       \
    "analysis: {type: dynamics, until: 1e-9, output_step: 1e-9}\n"                                 \
    "initial: {velocity: {a: {linear: [0, 0.5, 0], angular: [1, 5, -3]},\n"                        \
    "  b: {linear: [0, -3, 1], angular: [2, 1, 4]}}}\n"                                            \
    "outputs: {va: vel(a), wa: omega(a), vb: vel(b), wb: omega(b), vc: vel(c), wc: omega(c)}\n"

static void springs_give_way(void **state)
{
    static const char *const joint[] = {"type: fixed",
                                        "type: revolute, axis: [1, 2, 0]",
                                        "type: prismatic, axis: [1, 2, 0]",
                                        "type: cylindrical, axis: [1, 2, 0], assemble: true",
                                        "type: spherical",
                                        "type: universal, axes: [x, [0, 1, 2]]",
                                        "type: planar, axis: [1, 2, 3]",
                                        "type: inline, axis: [1, 2, 3], assemble: true"};
    static const char *const form[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
    /* c moves with b: v = (0, -3, 1) + (2, 1, 4) x (1, 0.4, -0.3) */
    static const double v[18] = {0, 0.5, 0, 1, 5, -3, 0, -3, 1, 2, 1, 4, -1.9, 1.6, 0.8, 2, 1, 4};
    char text[2000];
    (void)state;
    for (int k = 0; k < 8 * 5; k++) {
        snprintf(text, sizeof text, SPRUNG, joint[k / 5], joint[k / 5]);
        table r = run_model(&(run_how){.text = text, .formulation = form[k % 5]});
        for (int i = 0; i < 18; i++) assert_near(r.data[1 + i], v[i], 1e-12);
        table_free(&r);
    }
}

/* A superelement whose first node is off the origin of its frame, in place and in axes: the velocity that it is given
 * is that of the origin, that of a node w x r more. */
static void off_the_origin(void **state)
{
    static const char *const form[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
    const lm_v3 v = {1, 2, 3}, w = {0.3, 0.2, -0.5},
                node[2] = {{0.5, 0.25, -0.4}, {1.5, 0.25, -0.4}};
    lm_m3 R = lm_rot_axis_angle(v3(1, 2, 3), 0.7);
    char text[2000];
    (void)state;
    snprintf(
        text, sizeof text,
        "limber: 1\n"
        "bodies:\n"
        "  arm: {type: superelement, mass: %s/broken/parts/beam_mass.mtx,\n"
        "    stiffness: %s/broken/parts/beam_stiffness.mtx, position: [0.3, -0.2, 0.1],\n"
        "    orientation: {axis: [1, 2, 3], angle: 0.7}, nodes: {a: {position: [0.5, 0.25, -0.4],\n"
        "    orientation: {axis: [1, 0, 1], angle: 0.5}}, b: [1.5, 0.25, -0.4]}}\n"
        "initial: {velocity: {arm: {linear: [1, 2, 3], angular: [0.3, 0.2, -0.5]}}}\n"
        "analysis: {type: dynamics, until: 1e-9, output_step: 1e-9}\n"
        "outputs: {a: vel(arm.a), b: vel(arm.b), wa: omega(arm.a), wb: omega(arm.b)}\n",
        getenv("TESTS"), getenv("TESTS"));
    for (int f = 0; f < 5; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = form[f]});
        for (int k = 0; k < 2; k++) {
            lm_v3 moves = v3_sub(v3_from(r.data + 1 + 3 * k), v3_cross(w, m3_v(&R, node[k])));
            assert_under(v3_norm(v3_sub(moves, v)), 1e-12);
            assert_under(v3_norm(v3_sub(v3_from(r.data + 7 + 3 * k), w)), 1e-12);
        }
        table_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),        cmocka_unit_test(projected),
        cmocka_unit_test(fitting),        cmocka_unit_test(single_joint),
        cmocka_unit_test(far_away),       cmocka_unit_test(springs_give_way),
        cmocka_unit_test(off_the_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
