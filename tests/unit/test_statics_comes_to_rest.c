/* Statics finds where a damped mechanism comes to rest: on a path that turns and does not come back, where free
 * motions take others along, and where reactions on the way are far larger than those of any equilibrium. */
#include "support/listen.h"

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr"};
enum { FORMS = 4 };

/* ---- a snap without return ---- */

/* A weight on two links that stand up, side on; a spring lets them fall to the other side. */
static const char falling[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  post: {type: rigid, mass: 0.145, inertia: [0.0145, 0.0145, 0.0145], com: [-0.063, 0.137, "
    "0],\n"
    "         frames: {e: [-0.133, 0.6, 0]}}\n"
    "  load: {type: rigid, mass: 4.33, inertia: [0.433, 0.433, 0.433], position: [-0.133, 0.6, "
    "0],\n"
    "         com: [0.27, 0.0653, 0], frames: {e: [0.912, 0.111, 0]}}\n"
    "  end: {type: rigid, mass: 1.22, inertia: [0.122, 0.122, 0.122], position: [0.779, 0.711, "
    "0],\n"
    "        com: [0.291, -0.258, 0]}\n"
    "joints:\n"
    "  foot: {type: revolute, between: [ground, post], axis: z, stiffness: 8.477, damping: 8}\n"
    "  weld: {type: fixed, between: [post.e, load]}\n"
    "  weld2: {type: fixed, between: [load.e, end]}\n"
    "forces:\n"
    "  stay: {type: spring, between: [post.e, \"ground.at(1.04559, 0.210227, 0)\"], stiffness: "
    "105.7,\n"
    "         damping: 5}\n"
    "loads: {push: {on: load.e, force: [14.06, -13.5, 0]}}\n"
    "analysis: {type: statics}\n"
    "outputs: {turn: joint(foot)}\n";

static void snap_without_return(void **state)
{
    char said[SAID];
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        run_how rest = {.text = falling, .formulation = forms[f], .analysis = "{type: statics}"};
        table a = run_model(&rest);
        table b = run_model(&(run_how){.text = falling,
                                       .formulation = forms[f],
                                       .analysis = "{type: dynamics, until: 60, output_step: 60}"});
        assert_near(table_last(&a, "t"), 1, 0);
        assert_near(table_last(&a, "turn"), table_last(&b, "turn"), 1e-5);
        assert_int_equal(run_listen(&rest, said), LIMBER_OK);
        assert_says(said, "does not come back to 1");
        table_free(&a);
        table_free(&b);
    }
}

/* ---- free motions that take others along ---- */

/* A beam with like stiffnesses on a ball joint turns about its axis, however it is bent; on a hinge about the
 * vertical it turns about that. Pulled aside it lies as the pull does. */
static const char hanging[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {n: 2}\n"
    "sections: {s: {shape: stiffness, EA: 570370, EIy: 340, EIz: 340, GJ: 272, rhoA: 0.5, rhoIy: "
    "1e-4, rhoIz: 1e-4}}\n"
    "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [0.223462, 0.721061, 0.790085], "
    "elements: n}}\n"
    "joints: {ball: {type: spherical, between: [ground, b.start]}}\n"
    "loads: {pull: {on: b.end, force: [-18.3776, 10.142, 6.15771]}}\n"
    "analysis: {type: statics}\n"
    "outputs: {x: pos(b.end).x, y: pos(b.end).y, z: pos(b.end).z}\n";

static void spins_about_itself(void **state)
{
    const double L = sqrt(0.223462 * 0.223462 + 0.721061 * 0.721061 + 0.790085 * 0.790085);
    char said[SAID];
    (void)state;
    for (int i = 0; i < FORMS * 2; i++) {
        run_how how = {
            .text = hanging, .formulation = forms[i % FORMS], .set = {i < FORMS ? "n=2" : "n=5"}};
        table r = run_model(&how);
        double x = table_last(&r, "x"), y = table_last(&r, "y"), z = table_last(&r, "z");
        assert_near(x / y, -18.3776 / 10.142, 1e-6); /* in the plane of pull and weight */
        assert_near(x / z, -18.3776 / (6.15771 - 0.5 * 0.5 * 9.81 * L), 1e-2);
        assert_int_equal(run_listen(&how, said), LIMBER_OK);
        assert_says(said, "1 motion is neither held nor pushed");
        table_free(&r);
    }
}

static const char swivel[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "sections: {s: {shape: stiffness, EA: 315944, EIy: 13.4594, EIz: 13.4594, GJ: 10.7675, rhoA: "
    "0.5, rhoIy: 1e-4, rhoIz: 1e-4}}\n"
    "bodies:\n"
    "  b: {type: beam, section: s, from: [0, 0, 0], to: [-0.462408, -0.351934, 0.538841], "
    "elements: 4}\n"
    "  arm: {type: rigid, mass: 0.512, inertia: [0.0512, 0.0512, 0.0512], com: [0.412768, "
    "-0.156718, -0.0921256], frames: {e: [0.576561, -0.360329, -0.13482]}}\n"
    "joints:\n"
    "  j: {type: revolute, between: [ground, b.start], axis: z}\n"
    "  k: {type: revolute, between: [ground, arm], axis: [1, 0.194516, 0.331659]}\n"
    "forces: {s: {type: spring, between: [arm.e, \"ground.at(1.49014, -1.85233, 1.34248)\"], "
    "stiffness: 919.7}}\n"
    "loads: {p: {on: arm.e, force: [-18.7261, -7.39215, -0.979088]}}\n"
    "analysis: {type: statics}\n"
    "outputs: {z: pos(b.end).z, r: sqrt(pos(b.end).x^2 + pos(b.end).y^2)}\n";

/* The beam as a cantilever that does not swivel, in corotational elements. */
static void swivels(void **state)
{
    char said[SAID];
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        run_how how = {.text = swivel, .formulation = forms[f]};
        table r = run_model(&how);
        assert_near(table_last(&r, "t"), 1, 0);
        assert_near(table_last(&r, "z"), 0.52894, f == 2 ? 5e-4 : 1e-5);
        assert_int_equal(run_listen(&how, said), LIMBER_OK);
        assert_says(said, "1 motion is neither held nor pushed");
        table_free(&r);
    }
}

/* ---- slender beams that bend far ---- */

/* Two bars of slenderness 1000 to 400,000, the same shape of deflection. */
static const char bars[] =
    "limber: 1\n"
    "parameters: {d: 1e-3, EI: 1e11*d^4/12, P: 12*EI}\n"
    "sections: {s: {shape: stiffness, EA: 1e11*d^2, EIy: EI, EIz: EI, GJ: 0.8*EI, rhoA: "
    "7800*d^2}}\n"
    "bodies:\n"
    "  a: {type: beam, section: s, from: [0, 0, 0], to: [0.3, 0.2, 0.35], elements: 8}\n"
    "  b: {type: beam, section: s, from: [0.3, 0.2, 0.35], to: [0.3, 0.7, 0.35], elements: 6}\n"
    "joints: {clamp: {type: fixed, between: [ground, a.start]}, weld: {type: fixed, between: "
    "[a.end, "
    "b.start]}}\n"
    "loads: {p: {on: b.end, force: [0.2*P, P, 0.5*P]}}\n"
    "analysis: {type: statics}\n"
    "outputs: {x: pos(b.end).x, y: pos(b.end).y, z: pos(b.end).z}\n";

static void slender_and_bent(void **state)
{
    static const char *const d[] = {"d=1e-3", "d=3e-5", "d=8e-6", "d=2e-6"};
    static const char *const out[] = {"x", "y", "z"};
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        table first = {0};
        for (int k = 0; k < 4; k++) {
            table r = run_model(&(run_how){.text = bars, .formulation = forms[f], .set = {d[k]}});
            assert_near(table_last(&r, "t"), 1, 0);
            for (int i = 0; i < 3 && k > 0; i++)
                assert_near(table_last(&r, out[i]), table_last(&first, out[i]), 5e-6);
            if (k == 0)
                first = r;
            else
                table_free(&r);
        }
        table_free(&first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snap_without_return), cmocka_unit_test(spins_about_itself),
        cmocka_unit_test(swivels), cmocka_unit_test(slender_and_bent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
