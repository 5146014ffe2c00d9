/* Statics with large deflections: elastica, circles, mechanisms with beams. Against closed forms, published
 * values and equations integrated here. Loads beyond the stable ones: test_statics_buckling.c. */
#include "support/listen.h"
#include "support/ode.h"

#define PI 3.14159265358979323846

/* ---- a force at the tip ---- */

static void elastica(void **state)
{
    static const double exact[][4] = {{1, .05643324, .30172077, .46135195},
                                      {2, .16064172, .49345748, .78174983},
                                      {5, .38762836, .71379152, 1.21536812},
                                      {10, .55499560, .81060902, 1.43028554}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char k[20];
        snprintf(k, sizeof k, "k=%g", exact[i][0]);
        table r = run_model(&(run_how){.model = "cantilever_tip_force", .set = {k}});
        assert_near(table_last(&r, "u"), exact[i][1], 1e-3 * exact[i][1]);
        assert_near(table_last(&r, "w"), exact[i][2], 1e-3 * exact[i][2]);
        assert_near(table_last(&r, "angle"), exact[i][3], 1e-3 * exact[i][3]);
        assert_near(r.data[(r.rows - 1) * r.cols], 1, 0);
        table_free(&r);
    }
}

static double tip_error(int n)
{
    char elements[20];
    snprintf(elements, sizeof elements, "N=%d", n);
    table r =
        run_model(&(run_how){.model = "cantilever_tip_force", .set = {elements, "k=5", "EA=1e10"}});
    double e = hypot(table_last(&r, "w") - .71379152, table_last(&r, "u") - .38762836);
    table_free(&r);
    return e;
}

static void fourth_order_in_space(void **state)
{
    (void)state;
    double e4 = tip_error(4), e8 = tip_error(8), e16 = tip_error(16);
    assert_between(log2(e4 / e8), 3.9, 4.1);
    assert_between(log2(e8 / e16), 3.9, 4.1);
    assert_under(e16, 1e-6);
}

/* From the tip back, in the axes of the tip: phi'' = -k cos(phi), then the axis. */
static void follower_equations(const void *context, double s, const double *y, double *dy)
{
    (void)s;
    dy[0] = y[1];
    dy[1] = -*(const double *)context * cos(y[0]);
    dy[2] = cos(y[0]);
    dy[3] = sin(y[0]);
}

static void force_that_follows(void **state)
{
    double k = 8, y[4] = {0};
    (void)state;
    ode_rk4(follower_equations, &k, 4, y, 0, 1, 2000);
    double angle = -y[0], x = y[2] * cos(angle) - y[3] * sin(angle),
           up = y[2] * sin(angle) + y[3] * cos(angle);
    table r = run_model(&(run_how){.model = "cantilever_tip_force",
                                   .set = {"k=8", "EA=1e9", "N=32"},
                                   .swap = {{"axes: global", "axes: local"}}});
    assert_near(table_last(&r, "w"), up, 1e-5);
    assert_near(table_last(&r, "u"), 1 - x, 1e-5);
    assert_near(table_last(&r, "angle"), angle, 1e-5);
    table_free(&r);
}

static void large_and_fine(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.model = "cantilever_tip_force", .set = {"N=1000"}});
    assert_near(table_last(&r, "w"), .81060902, 1e-6);
    assert_near(table_last(&r, "u"), .55499560, 1e-6);
    assert_under((double)r.sum.iterations, 150);
    table_free(&r);
    r = run_model(&(run_how){.model = "cantilever_tip_force", .set = {"k=1000"}});
    assert_near(table_last(&r, "angle"), PI / 2, 1e-9); /* it hangs on the force */
    table_free(&r);
}

/* ---- a moment at the end ---- */

static void circle(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.model = "closed_circle"});
    assert_under(table_last(&r, "gap"), 1e-12);
    assert_near(table_last(&r, "energy"), 2 * PI * PI, 1e-9);
    double bow = PI * PI / (6 * 16 * 16); /* chords are shorter than their arcs */
    assert_near(table_last(&r, "top"), (1 - bow) / (16 * sin(PI / 16)), 1e-12);
    assert_near(table_last(&r, "top"), 1 / PI, 5e-6);
    table_free(&r);
    r = run_model(&(run_how){.model = "closed_circle", .set = {"turns=3", "N=64"}});
    assert_under(table_last(&r, "gap"), 1e-11);
    assert_near(table_last(&r, "energy"), 18 * PI * PI, 1e-8);
    table_free(&r);
    r = run_model(&(run_how){.model = "closed_circle",
                             .set = {"turns=0.5"},
                             .analysis = "{type: statics, load_steps: 5}"});
    for (int k = 1; k <= 5; k++) assert_true(table_at(&r, "energy", 0.2 * k) > 0);
    assert_near(table_at(&r, "energy", 0.4), 2 * PI * PI * 0.04, 1e-9);
    table_free(&r);
}

/* One element turns its end by half a turn at most: half of the moment. */
static void too_few_elements(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 1e6, EIy: 1, EIz: 1, GJ: 1, rhoA: 1}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 1}}\n"
        "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
        "loads: {end: {on: b.end, torque: [0, 0, 2*pi]}}\n"
        "analysis: {type: statics}\n";
    char said[SAID];
    (void)state;
    assert_int_equal(run_listen(&(run_how){.text = text}, said), LIMBER_STOPPED);
    assert_between(number_after(said, "breaks off at load factor "), 0.49, 0.505);
    assert_says(said, "node 1 of b turning about z");
    assert_says(said, "more elements");
}

/* ---- bending, shear and twist in space ---- */

static void princeton(void **state)
{
    static const struct {
        const char *P, *angle;
        double stiff, soft, twist;
    } exact[] = {{"P=4.448", "angle=0", 5.35954e-3, 0, 0},
                 {"P=4.448", "angle=45*deg", 3.9652e-3, 5.60552e-2, .007609},
                 {"P=4.448", "angle=90*deg", 0, 7.80819e-2, 0},
                 {"P=8.896", "angle=45*deg", 8.8889e-3, .1090416, .029060}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        table r = run_model(
            &(run_how){.model = "princeton_beam", .set = {exact[i].P, exact[i].angle, "N=64"}});
        assert_near(table_last(&r, "u_stiff"), exact[i].stiff, 1e-4 * exact[i].stiff + 1e-15);
        assert_near(table_last(&r, "u_soft"), exact[i].soft, 3e-5 * exact[i].soft + 1e-15);
        assert_near(-table_last(&r, "twist"), exact[i].twist, 1e-4 * exact[i].twist + 1e-15);
        table_free(&r);
    }
}

static const char turned_bar[] =
    "limber: 1\n"
    "parameters: {P: 8.896, a: 0, b: 0, c: 0, l: 0, m: 0, n: 0, F: 0, G: 0, H: 0}\n"
    "materials: {aluminium: {E: 71.7e9, nu: 0.31, rho: 2780}}\n"
    "sections: {bar: {material: aluminium, shape: rectangle, height: 12.377e-3, width: "
    "3.2024e-3}}\n"
    "bodies:\n"
    "  bar: {type: beam, section: bar, from: [0.3, 0.2, 0.1], to: [0.3 + a, 0.2 + b, 0.1 + c], "
    "y_axis: [l, m, n]}\n"
    "joints: {clamp: {type: fixed, between: [ground, bar.start]}}\n"
    "loads: {weight: {on: bar.end, force: [F, G, H]}}\n"
    "analysis: {type: statics}\n"
    "outputs: {x: pos(bar.end).x - 0.3, y: pos(bar.end).y - 0.2, z: pos(bar.end).z - 0.1}\n";

/* The tip of the bar whose axes (columns of R) are turned, in these axes. */
static void turned(double R[3][3], double tip[3])
{
    static const char *const name[3][3] = {{"a", "b", "c"}, {"l", "m", "n"}, {"F", "G", "H"}};
    double local[3][3] = {{0.508, 0, 0}, {0, 1, 0}, {0, 6, 6}};
    char set[9][60];
    run_how how = {.text = turned_bar};
    for (int v = 0; v < 3; v++)
        for (int i = 0; i < 3; i++) {
            double x = 0;
            for (int j = 0; j < 3; j++) x += R[i][j] * local[v][j];
            snprintf(set[3 * v + i], sizeof set[0], "%s=%.17g", name[v][i], x);
            how.set[3 * v + i] = set[3 * v + i];
        }
    table r = run_model(&how);
    double at[3] = {table_last(&r, "x"), table_last(&r, "y"), table_last(&r, "z")};
    for (int j = 0; j < 3; j++) {
        tip[j] = 0;
        for (int i = 0; i < 3; i++) tip[j] += R[i][j] * at[i];
    }
    table_free(&r);
}

static void turned_model_gives_turned_result(void **state)
{
    double R0[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, R1[3][3], tip0[3], tip1[3];
    double a[3] = {0.36, -0.48, 0.8}, c = cos(2.1), s = sin(2.1); /* about a, by 2.1 */
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 - i - j;
            double sign = (j + 1) % 3 == i ? 1 : -1;
            R1[i][j] = (1 - c) * a[i] * a[j] + (i == j ? c : sign * s * a[k]);
        }
    turned(R0, tip0);
    turned(R1, tip1);
    assert_true(tip0[2] > 0.1);
    for (int j = 0; j < 3; j++) assert_near(tip1[j], tip0[j], 1e-12);
}

/* P L^3/3EI + P L/GA, with one element. */
static void short_beam(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 1e4, EIy: 20, EIz: 30, GJ: 10, GAy: 400, GAz: 500, "
        "rhoA: 1}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [0.5, 0, 0], elements: 1, "
        "theory: "
        "timoshenko}}\n"
        "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
        "loads: {tip: {on: b.end, force: [0, 1e-4, 2e-4]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {y: pos(b.end).y, z: pos(b.end).z}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    assert_near(table_last(&r, "y"), 1e-4 * (0.125 / 90 + 0.5 / 400), 1e-15);
    assert_near(table_last(&r, "z"), 2e-4 * (0.125 / 60 + 0.5 / 500), 1e-15);
    table_free(&r);
}

/* 5 q L^4/384EI in the middle, q L^3/24EI at the ends: exact at nodes for small loads. */
static void weight_on_two_supports(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, 0, -1e-6]\n"
        "sections: {s: {shape: stiffness, EA: 1e6, EIy: 20, EIz: 30, GJ: 10, rhoA: 3}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [2, 0, 0], elements: 4}}\n"
        "joints:\n"
        "  left: {type: revolute, between: [ground, b.start], axis: y}\n"
        "  right: {type: inline, between: [ground, b.end], axis: x}\n"
        "analysis: {type: statics}\n"
        "outputs: {middle: pos(b.node(2)).z, slope: joint(left), up: force(right).z}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    double q = 3e-6, sag = 5 * q * 16 / (384 * 20);
    assert_near(table_last(&r, "middle"), -sag, 1e-9 * sag);
    assert_near(table_last(&r, "slope"), q * 8 / (24 * 20), 1e-9 * q);
    assert_near(table_last(&r, "up"), q, 1e-9 * q); /* half the weight */
    table_free(&r);
}

/* ---- mechanisms ---- */

static const char pendulum[] =
    "limber: 1\n"
    "parameters: {EI: 100, N: 16, a: 1}\n"
    "gravity: [0, -9.81, 0]\n"
    "sections: {s: {shape: stiffness, EA: 1e7, EIy: EI, EIz: EI, GJ: EI, rhoA: 1}}\n"
    "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [cos(a), sin(a), 0], elements: N}}\n"
    "joints: {pin: {type: revolute, between: [ground, b.start], axis: z}}\n"
    "analysis: {type: statics}\n"
    "outputs: {x: pos(b.end).x, y: pos(b.end).y, up: force(pin).y}\n";

/* A beam on a hinge swings down and hangs: stretched by rhoA g L^2/2EA. From a stiff rod to a rope. */
static void beam_hangs(void **state)
{
    static const char *const set[][2] = {
        {"EI=1e4", "N=4"}, {"EI=100", "N=16"}, {"EI=1", "N=100"}, {"EI=0.01", "N=50"}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        table r = run_model(&(run_how){.text = pendulum, .set = {set[i][0], set[i][1]}});
        assert_near(table_last(&r, "x"), 0, 1e-12);
        assert_near(table_last(&r, "y"), -1 - 9.81 / 2e7, 1e-12);
        assert_near(table_last(&r, "up"), 9.81, 1e-8);
        table_free(&r);
    }
}

static void beam_stands_on_its_hinge(void **state)
{
    char said[SAID];
    (void)state;
    assert_int_equal(run_listen(&(run_how){.text = pendulum, .set = {"a=pi/2"}}, said), LIMBER_OK);
    assert_says(said, "unstable");
    assert_says(said, "turning about z");
}

static void motions_that_nothing_holds(void **state)
{
    static const char wheel[] = "limber: 1\n"
                                "bodies: {arm: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                                "joints: {pin: {type: revolute, between: [ground, arm], axis: z}}\n"
                                "loads: {motor: {on: arm, torque: [0, 0, 1]}}\n"
                                "analysis: {type: statics}\n";
    static const char flying[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "sections: {s: {shape: stiffness, EA: 1e6, EIy: 10, EIz: 10, GJ: 10, rhoA: 1}}\n"
        "bodies: {rod: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0]}}\n"
        "analysis: {type: statics}\n";
    static const char ball_joints[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 1e6, EIy: 10, EIz: 10, GJ: 10, rhoA: 1}}\n"
        "bodies: {rod: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0]}}\n"
        "joints:\n"
        "  a: {type: spherical, between: [ground, rod.start]}\n"
        "  b: {type: inline, between: [ground, rod.end], axis: x}\n"
        "loads: {push: {on: rod.node(2), force: [0, 0, 2]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {z: pos(rod.node(2)).z}\n";
    char said[SAID];
    (void)state;
    assert_int_equal(run_listen(&(run_how){.text = wheel}, said), LIMBER_STOPPED);
    assert_says(said, "nothing holds body arm turning about z");
    assert_int_equal(run_listen(&(run_how){.text = flying}, said), LIMBER_STOPPED);
    assert_says(said, "of rod along z");
    /* a rod that can spin about its axis: found, and said */
    assert_int_equal(run_listen(&(run_how){.text = ball_joints}, said), LIMBER_OK);
    assert_says(said, "1 motion is neither held nor pushed");
    assert_says(said, "of rod turning about x");
    table r = run_model(&(run_how){.text = ball_joints});
    assert_near(table_last(&r, "z"), 2.0 / (48 * 10), 1e-6);
    table_free(&r);
}

/* Dynamics that start from a bent equilibrium stay there. */
static void rests_in_dynamics(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .model = "cantilever_tip_force",
        .set = {"EA=1e5", "k=5", "N=8"},
        .analysis = "\n  - {type: statics}\n  - {type: dynamics, until: 0.5, output_step: 0.1}"});
    assert_under(table_drift(&r, "w"), 1e-8);
    assert_near(table_last(&r, "w"), .7138, 3e-3);
    table_free(&r);
}

/* A load on a rope has no stiffness sideways before it pulls: it must end up below the boom's tip, which
 * has moved. */
static void hanging_load(void **state)
{
    (void)state;
    table r = run_model(
        &(run_how){.model = "flexible_crane",
                   .analysis = "{type: statics}",
                   .swap = {{"load_y: pos(load).y", "off: pos(load).x - pos(boom.end).x"}}});
    assert_near(table_last(&r, "off"), 0, 1e-9);
    assert_near(table_last(&r, "pull"), 400 * 9.81, 1e-5);
    table_free(&r);
}

/* A bar of 8 um by 0.5 m, and one ten times as slender: what bends and twists far more softly than it
 * stretches is held all the same, however the bar lies and whatever the unit of length. u: units in a metre. */
static void slender_bar(void **state)
{
    static const char *const formulation[] = {"corotational", "minimal", "rfe", "ffr"};
    static const char *const set[3][2] = {
        {"h=8e-6", "u=1"}, {"h=8e-6", "u=1e6"}, {"h=8e-7", "u=1"}};
    (void)state;
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < 3; k++) {
            table r = run_model(&(run_how){
                .formulation = formulation[f],
                .set = {set[k][0], set[k][1]},
                .text =
                    "limber: 1\n"
                    "parameters: {h: 8e-6, u: 1, L: 0.5*u, EI: 1e11*h^4*u/12}\n"
                    "sections: {s: {shape: stiffness, EA: 1e11*h^2/u, EIy: EI, EIz: EI, GJ: "
                    "0.8*EI, "
                    "rhoA: 7800*h^2/u}}\n"
                    "bodies: {bar: {type: beam, section: s, from: [0, 0, 0], to: [0.6*L, 0.48*L, "
                    "0.64*L], elements: 12}}\n"
                    "joints: {clamp: {type: fixed, between: [ground, bar.start]}}\n"
                    "loads:\n"
                    "  side: {on: bar.end, force: [0.8e-3*3*EI/L^2, -0.36e-3*3*EI/L^2, "
                    "-0.48e-3*3*EI/L^2]}\n"
                    "  turn: {on: bar.end, torque: [0.6e-3*0.8*EI/L, 0.48e-3*0.8*EI/L, "
                    "0.64e-3*0.8*EI/L]}\n"
                    "analysis: {type: statics}\n"
                    "outputs: {w: pos(bar.end).x/L - 0.6, y: pos(bar.end).y/L - 0.48, "
                    "twist: 'rot(bar.end, bar.start).x'}\n"});
            double part = f == 2 ? 1 - 1.0 / (4 * 12 * 12) : 1;
            assert_near(table_last(&r, "w"), part * 0.8e-3, 4e-6);
            assert_near(table_last(&r, "y"), part * -0.36e-3, 4e-6);
            assert_near(table_last(&r, "twist"), 1e-3, 4e-6);
            table_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hanging_load),
        cmocka_unit_test(slender_bar),
        cmocka_unit_test(elastica),
        cmocka_unit_test(fourth_order_in_space),
        cmocka_unit_test(force_that_follows),
        cmocka_unit_test(large_and_fine),
        cmocka_unit_test(circle),
        cmocka_unit_test(too_few_elements),
        cmocka_unit_test(princeton),
        cmocka_unit_test(turned_model_gives_turned_result),
        cmocka_unit_test(short_beam),
        cmocka_unit_test(weight_on_two_supports),
        cmocka_unit_test(beam_hangs),
        cmocka_unit_test(beam_stands_on_its_hinge),
        cmocka_unit_test(motions_that_nothing_holds),
        cmocka_unit_test(rests_in_dynamics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
